//! The words a finding is measured by: how bad it is, what became of it, and how many of each there are.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How bad a flaw is.
// Worst first: sorting puts the worst on top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Severity {
    Critical,
    High,
    Medium,
    Low,
}

impl Severity {
    pub fn word(self) -> &'static str {
        match self {
            Self::Critical => "critical",
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }
}

/// The worst severity that is unresolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Risk {
    Critical,
    High,
    Medium,
    Low,
    None,
}

impl From<Option<Severity>> for Risk {
    fn from(worst: Option<Severity>) -> Self {
        match worst {
            Some(Severity::Critical) => Self::Critical,
            Some(Severity::High) => Self::High,
            Some(Severity::Medium) => Self::Medium,
            Some(Severity::Low) => Self::Low,
            None => Self::None,
        }
    }
}

/// What became of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// Not answered, answered by a revision that was refused, or reopened and not answered since.
    Open,
    /// The author accepted it and the revised text was taken.
    Fixed,
    /// The author disputed it, and the judge agreed.
    Rebutted,
    /// The author disputed it, and the judge did not agree: the finding stands.
    Overruled,
    /// The author disputed it, and nobody neutral ruled on that.
    Contested,
}

impl Fate {
    pub fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Fixed => "fixed",
            Self::Rebutted => "rebutted",
            Self::Overruled => "overruled",
            Self::Contested => "contested",
        }
    }

    /// As the seats read it.
    pub fn plain(self) -> &'static str {
        match self {
            Self::Open => "open: no answer to it stands",
            Self::Fixed => "accepted by the author, and the work was changed",
            Self::Rebutted => "disputed by the author, and a neutral judge agreed",
            Self::Overruled => "disputed by the author, but a neutral judge ruled that it stands",
            Self::Contested => "disputed by the author; nobody neutral has ruled on it",
        }
    }

    /// Whether the finding still counts against the work.
    pub fn unresolved(self) -> bool {
        match self {
            Self::Open | Self::Overruled | Self::Contested => true,
            Self::Fixed | Self::Rebutted => false,
        }
    }

    /// Whether the author has yet to answer it.
    pub fn to_answer(self) -> bool {
        match self {
            Self::Open | Self::Overruled => true,
            Self::Fixed | Self::Rebutted | Self::Contested => false,
        }
    }
}

/// How many findings met each fate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    pub fixed: u32,
    pub rebutted: u32,
    pub overruled: u32,
    pub contested: u32,
    pub open: u32,
}

impl Counts {
    pub fn unresolved(self) -> u32 {
        self.overruled + self.contested + self.open
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BySeverity {
    pub critical: u32,
    pub high: u32,
    pub medium: u32,
    pub low: u32,
}
