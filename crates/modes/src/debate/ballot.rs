//! The debate's ballot: one vote, and the answers whose original was better than their revision.

use super::revision::RevisedAnswer;
use crate::ballots::{VoteBallot, label_in};
use crate::labelled::LabelledAnswer;
use crate::text::{after_last_marker, bare};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{Answers, IdLists, TypedReply};

/// The best of the answers shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DebateBallot {
    /// Why this answer and not the others, by label, in a few sentences.
    pub reasons: String,
    /// The labels of the answers whose draft was better than what became of it; empty if none was.
    #[schemars(extend("items" = {"type": "string", "x-ids": "labels"}))]
    pub weaker_revisions: Vec<String>,
    /// The label of the best answer.
    #[schemars(extend("x-ids" = "labels"))]
    pub vote: String,
}

impl TypedReply for DebateBallot {
    /// A vote's text form, and before it a line `WEAKER REVISIONS:` with labels or the word none. Without that line nobody is named.
    fn from_text(text: &str, terms: &IdLists) -> Option<Self> {
        let VoteBallot { reasons, vote } = VoteBallot::from_text(text, terms)?;
        let Some((before, rest)) = after_last_marker(text, "WEAKER REVISIONS:") else {
            return Some(Self { reasons, weaker_revisions: Vec::new(), vote });
        };
        let named = bare(rest.lines().next().unwrap_or_default()).trim_end_matches('.');
        let weaker_revisions = if named.is_empty() || named.eq_ignore_ascii_case("none") {
            Vec::new()
        } else {
            named.split([',', ';']).map(|part| label_in(part, terms.list("labels"))).collect::<Option<Vec<String>>>()?
        };
        let reasons = if before.len() < reasons.len() { before.trim().to_owned() } else { reasons };
        Some(Self { reasons, weaker_revisions, vote })
    }
}

/// How the readers of one revision compared it with its original.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RevisionMarks {
    /// Readers who found the original better.
    pub weaker: u32,
    /// Readers whose ballot could be read.
    pub readers: u32,
}

impl RevisionMarks {
    /// More than half of them found the original better.
    pub fn lost(self) -> bool {
        2 * self.weaker > self.readers
    }
}

/// The marks of each answer, in the order of the answers. An answer that was not changed cannot be marked.
pub fn count_marks(answers: &[LabelledAnswer], revised: &[RevisedAnswer], votes: &Answers<DebateBallot>) -> Vec<RevisionMarks> {
    let of = |(answer, revised): (&LabelledAnswer, &RevisedAnswer)| {
        let readers = votes.replies.iter().filter(|reply| reply.seat != answer.seat && revised.changed());
        readers.fold(RevisionMarks::default(), |marks, reply| RevisionMarks {
            weaker: marks.weaker + u32::from(reply.value.weaker_revisions.contains(&answer.label)),
            readers: marks.readers + 1,
        })
    };
    answers.iter().zip(revised).map(of).collect()
}
