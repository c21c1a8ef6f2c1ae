//! The end of a deliberation: the decision as scripts read it, and the report in words.

pub mod decision;
pub mod reasons;
