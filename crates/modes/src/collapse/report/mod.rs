//! The end of a deliberation: the decision as scripts read it, who is against it, and the report in words.

pub mod decision;
pub mod dissent;
pub mod reasons;
pub mod resolutions;
