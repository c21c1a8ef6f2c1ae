//! How bad a finding is, the risk that is left, and how many findings there are of each severity.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_types::words;

words! {
    /// How bad a flaw is.
    // Worst first: sorting puts the worst on top.
    #[derive(PartialOrd, Ord)]
    pub enum Severity { Critical = "CRITICAL", High = "HIGH", Medium = "MEDIUM", Low = "LOW" }
}

words! {
    /// The worst severity that is unresolved.
    pub enum Risk { Critical = "CRITICAL", High = "HIGH", Medium = "MEDIUM", Low = "LOW", None = "NONE" }
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeverityCounts {
    pub critical: u32,
    pub high: u32,
    pub medium: u32,
    pub low: u32,
}
