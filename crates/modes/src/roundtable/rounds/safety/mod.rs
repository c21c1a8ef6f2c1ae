//! Safety in three tiers: patterns that are always looked for, triggers that call for an evaluator, and the evaluator itself.
//!
//! The first tier costs nothing, reads everything before anybody else does, and cannot be talked out of a finding. It blocks requests to do harm
//! and nothing else: a subject alone, however grave, calls in the evaluator. Patterns know words only, so the evaluator reads every question
//! once before the panel does, and its reading raises the second tier too.

mod admission;
mod check;
mod evaluation;
mod exhibit;
mod lexicon;
mod monitor;
#[cfg(test)]
mod tests;
mod watch;

pub use admission::{DelicateSubject, read_question};
pub use check::{Checked, texts, words_of};
pub use evaluation::{Evaluation, SafetyRule};
pub use exhibit::{check_alone, show_safety};
pub use monitor::{Source, find_harm, triggers};
pub use watch::{SafetyTrigger, SafetyWatch};
