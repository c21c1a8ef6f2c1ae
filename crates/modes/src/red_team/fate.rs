//! What became of a finding, and how many findings met each fate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_types::words;

words! {
    /// What became of a finding.
    pub enum Fate {
        /// Not answered, answered by a revision that was refused, or reopened and not answered since.
        Open = "open",
        /// The author accepted it and the revised text was taken.
        Fixed = "fixed",
        /// The author disputed it, and the judge agreed.
        Rebutted = "rebutted",
        /// The author disputed it, and the judge did not agree: the finding stands.
        Overruled = "overruled",
        /// The author disputed it, and nobody neutral ruled on that.
        Contested = "contested",
    }
}

impl Fate {
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

    /// In a line for readers.
    pub fn brief(self) -> &'static str {
        match self {
            Self::Overruled => "rebuttal failed",
            Self::Contested => "disputed",
            Self::Open | Self::Fixed | Self::Rebutted => self.as_str(),
        }
    }

    /// Whether the finding still counts against the work.
    pub fn is_unresolved(self) -> bool {
        match self {
            Self::Open | Self::Overruled | Self::Contested => true,
            Self::Fixed | Self::Rebutted => false,
        }
    }

    /// Whether the author has yet to answer it.
    pub fn awaits_answer(self) -> bool {
        match self {
            Self::Open | Self::Overruled => true,
            Self::Fixed | Self::Rebutted | Self::Contested => false,
        }
    }
}

/// How many findings met each fate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FateCounts {
    pub fixed: u32,
    pub rebutted: u32,
    pub overruled: u32,
    pub contested: u32,
    pub open: u32,
}

impl FateCounts {
    pub fn unresolved(self) -> u32 {
        self.overruled + self.contested + self.open
    }
}
