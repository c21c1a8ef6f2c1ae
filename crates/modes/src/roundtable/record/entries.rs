//! What the record holds: claims, evidence, settled points, risks, positions and blockers.

use super::labels::Label;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use synod_math::debate::exits::Vote;
use synod_types::words;

words! {
    pub enum ClaimStatus { Open = "open", Contested = "contested", Accepted = "accepted", Retracted = "retracted" }
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Claim {
    pub id: String,
    pub text: String,
    pub label: Label,
    pub status: ClaimStatus,
    pub by: usize,
    pub introduced_round: u32,
    pub last_updated_round: u32,
    /// Evidence for it.
    pub support: Vec<String>,
    /// Claims against it.
    pub opposition: Vec<String>,
    /// Seats that support it; its author is one of them at first.
    pub backers: BTreeSet<usize>,
    /// Seats that dispute it now.
    pub challengers: BTreeSet<usize>,
    /// The last objection in words.
    pub objection: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    Citation,
    ToolOutput,
    Calculation,
}

impl EvidenceKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Citation => "citation",
            Self::ToolOutput => "tool output",
            Self::Calculation => "calculation",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EvidenceItem {
    pub id: String,
    pub kind: EvidenceKind,
    pub title: String,
    pub url: Option<String>,
    pub supports: Vec<String>,
    pub gist: String,
    pub added_round: u32,
    #[serde(skip)]
    pub key: String,
}

/// Something decided: by the panel, by the question's own constraints, or by a person.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SettledPoint {
    pub id: String,
    pub text: String,
    pub round: u32,
}

/// A numbered problem, and what answers it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Risk {
    pub id: String,
    pub kind: String,
    pub text: String,
    pub by: usize,
    pub round: u32,
    pub mitigation: Option<String>,
}

/// What a seat said last of its own position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeatPosition {
    pub round: u32,
    pub position: String,
    pub confidence: Option<f64>,
    pub delta: Option<f64>,
    pub vote: Option<Vote>,
    pub position_change: Option<String>,
    pub stance: Option<String>,
    /// Support for the leading proposal, as the analysis of the round measured it.
    pub alignment: Option<f64>,
}

/// A BLOCKER, and the claim that must change, if it is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Blocker {
    pub seat: usize,
    pub claim: Option<String>,
}
