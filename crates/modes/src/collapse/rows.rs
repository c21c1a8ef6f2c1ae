//! The parsed data of collapse's stored rows.

use super::cards::card::Card;
use super::cards::policy::Policy;
use super::cards::records::{Approval, Check, Concern, PanelSeat, Receipt, ReceiptStatus};
use super::panel::ruling::DecisionStatus;
use super::report::decision::WeightChange;
use super::rounds::doubt::{Doubt, DoubtFate};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use synod_engine::SeatFailure;
use synod_types::{SeatIx, row_data};

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardRow {
    /// Null where the author failed.
    pub position_id: Option<String>,
    /// Why this way and not another.
    pub reasons: String,
    /// Null where the author failed.
    pub card: Option<Card>,
    /// There only where the author failed: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub error: Option<String>,
}

/// Every card of the deliberation, given or written.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PositionsRow {
    pub cards: Vec<Card>,
    /// Those that came with the cards.
    pub receipts: Vec<Receipt>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReceiptRow {
    pub position_id: String,
    /// PENDING where the verifier failed.
    pub status: ReceiptStatus,
    /// What was checked and what came of it; empty where the verifier failed.
    pub reasons: String,
    pub checks_performed: Vec<Check>,
    /// The hash of the card that was verified; absent where the verifier failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card_hash: Option<String>,
    /// There only where the verifier failed: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub error: Option<String>,
}

impl ReceiptRow {
    pub fn absent(position: &str, failed: &SeatFailure) -> Self {
        Self {
            position_id: position.to_owned(),
            status: ReceiptStatus::Pending,
            reasons: String::new(),
            checks_performed: Vec::new(),
            card_hash: None,
            error: Some(failed.failure.to_string()),
        }
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DoubtsRow {
    pub position_id: String,
    /// What the card takes for granted.
    pub reasons: String,
    pub risks: Vec<Doubt>,
    pub concerns: Vec<String>,
    /// There only where the skeptic failed: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub error: Option<String>,
}

/// What the verifier said to the doubts that would stop a card.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RulingsRow {
    pub position_id: String,
    pub reasons: String,
    /// Empty where the verifier failed. Doubts that nobody rules on stand.
    pub rulings: Vec<RulingEntry>,
    /// There only where the verifier failed: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RulingEntry {
    /// D1 for the first of the skeptic's list.
    pub doubt: String,
    pub ruling: DoubtFate,
    pub reason: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatesRow {
    pub positions: Vec<GatesEntry>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatesEntry {
    pub id: String,
    /// viable, needs_approval, revision_requested, held or rejected.
    pub state: &'static str,
    /// Why it is not viable; empty if it is.
    pub reasons: Vec<GateReasonEntry>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GateReasonEntry {
    /// G1 verification, G2 invariants, G3 critical risks, G4 loss of data, G5 regulation.
    pub gate: &'static str,
    /// An invariant's id, `risk 1`, `doubt 1`, `data_loss`, a regulation, or `receipt`.
    pub subject: String,
    pub state: &'static str,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScoresRow {
    pub scores: Vec<ScoreEntry>,
}

/// A position's score, in the letters of the formula.
#[derive(Serialize, JsonSchema)]
pub struct ScoreEntry {
    pub id: String,
    /// Evidence.
    #[serde(rename = "E")]
    pub evidence: f64,
    /// Risk.
    #[serde(rename = "R")]
    pub risk: f64,
    /// Cost.
    #[serde(rename = "k")]
    pub cost: f64,
    /// The score by the reading of the signs that rules.
    #[serde(rename = "S")]
    pub score: f64,
    #[serde(rename = "S_intent")]
    pub score_intent: f64,
    #[serde(rename = "S_literal")]
    pub score_literal: f64,
    /// The score with the skeptic's doubts among its risks; null if none stands.
    #[serde(rename = "S_doubted")]
    pub score_doubted: Option<f64>,
    /// What each term adds to the score, by its name.
    pub breakdown: IndexMap<&'static str, f64>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConvergenceRow {
    /// The rule that decided how it goes on.
    pub rung: String,
    /// The best score; null if no position is viable.
    pub best: Option<f64>,
    /// Its lead over the second; null with fewer than two viable positions.
    pub gap: Option<f64>,
    pub threshold: f64,
    /// Revisions so far.
    pub attempts: u32,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RevisionRow {
    pub position_id: String,
    /// Which revision it is, from 1.
    pub attempt: u32,
    /// What called for it.
    pub triggers: Vec<&'static str>,
    /// What the author was asked to mend.
    pub concerns: Vec<String>,
    /// What the author said to it.
    pub reasons: String,
    /// The card as revised; null where the author failed.
    pub card: Option<Card>,
    /// There only where the author failed: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RatingRow {
    pub agent: PanelSeat,
    /// Who, where several share the seat; else empty.
    pub member: String,
    pub reasons: String,
    pub position_scores: BTreeMap<String, f64>,
    pub concerns: Vec<Concern>,
    /// Null where the seat failed.
    pub confidence: Option<f64>,
    /// There only where the seat failed: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PanelRow {
    /// Why the panel was called; "hybrid" where it rated one.
    pub conflict_type: String,
    /// By position; empty without a quorum.
    pub consensus: IndexMap<String, f64>,
    /// The lead of the best over the second; null with one position.
    pub delta_c: Option<f64>,
    pub quorum: bool,
    /// Seats that gave no rating.
    pub absent: Vec<PanelSeat>,
    pub evaluations: Vec<EvaluationEntry>,
    /// Always "confidence-weighted mean".
    pub algorithm: &'static str,
}

/// One evaluation, which is one evaluator's.
#[derive(Serialize, JsonSchema)]
pub struct EvaluationEntry {
    /// The seat that played the part; null for an evaluation that was recorded.
    pub seat: Option<SeatIx>,
    pub agent: PanelSeat,
    pub member: String,
    pub position_scores: BTreeMap<String, f64>,
    pub rationale: BTreeMap<String, String>,
    pub recommendation: Option<String>,
    pub concerns: Vec<Concern>,
    pub confidence: f64,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HybridRow {
    pub position_id: String,
    pub parent_ids: Vec<String>,
    pub reasons: String,
    pub strengths: Vec<String>,
    pub shared_weaknesses: Vec<String>,
    /// Null where the synthesist failed.
    pub card: Option<Card>,
    /// There only where the synthesist failed: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub error: Option<String>,
}

/// The most important fields of the decision.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DecisionRow {
    pub status: DecisionStatus,
    pub position: Option<String>,
    pub rung: String,
    pub verified: Option<bool>,
    pub challenged: Option<bool>,
    pub score: Option<f64>,
    pub score_doubted: Option<f64>,
    pub conditions: Vec<String>,
    pub consensus: Option<f64>,
    pub delta_c: Option<f64>,
    pub conflict_type: Option<String>,
    pub reflexions: u32,
    pub memory_write: bool,
    pub memory_reason: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SensitivityRow {
    pub flip: Option<WeightChange>,
    pub dominated: Vec<String>,
    pub dominated_by: Vec<String>,
    pub rung: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditRow {
    /// Every weight and threshold that ruled.
    pub config: Policy,
    pub approvals: Vec<Approval>,
}

row_data!(
    CardRow,
    PositionsRow,
    ReceiptRow,
    DoubtsRow,
    RulingsRow,
    GatesRow,
    ScoresRow,
    ConvergenceRow,
    RevisionRow,
    RatingRow,
    PanelRow,
    HybridRow,
    DecisionRow,
    SensitivityRow,
    AuditRow,
);
