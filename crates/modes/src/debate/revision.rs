//! What a debater makes of its answer after reading the others': the typed reply, its text form, and the text that goes on the ballot.

use super::mentions::without_labels;
use super::rows::RevisionRow;
use crate::labelled::LabelledAnswer;
use crate::text::{after_first_marker, bare, token, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{Answers, IdLists, SeatReply, TypedReply};
use synod_types::{Exhibit, SeatIx, Shape, words};

words! {
    pub enum Stance {
        /// The answer, improved.
        Revise = "REVISE",
        /// The answer as it was.
        Stand = "STAND",
        /// A new answer from the best parts of several.
        Merge = "MERGE",
    }
}

/// A debater's reply to the others' answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Reconsidered")] // The name it is sent under.
pub struct RevisionReply {
    /// What the others saw that you missed, and where they or you are wrong, in a few sentences.
    pub reasons: String,
    /// What becomes of your answer.
    pub decision: Stance,
    /// The whole answer for REVISE and MERGE; empty for STAND.
    pub response: String,
}

const DECISION: &str = "DECISION:";
const REASONING: &str = "REASONING:";
const RESPONSE: &str = "REVISED RESPONSE:";

impl TypedReply for RevisionReply {
    /// `DECISION:`, `REASONING:`, `REVISED RESPONSE:`. The first line that decides counts, for the new text may speak of decisions too.
    /// Without the last marker the text is what follows the reasons, or else the decision.
    fn from_text(text: &str, _: &IdLists) -> Option<Self> {
        let mut rest = text;
        let (decision, rest) = loop {
            let (_, after) = after_first_marker(rest, DECISION)?;
            let (line, below) = after.split_once('\n').unwrap_or((after, ""));
            match stance(line) {
                Some(decision) => break (decision, below),
                None => rest = below,
            }
        };
        let (reasons, response) = match (after_first_marker(rest, RESPONSE), after_first_marker(rest, REASONING)) {
            (Some((before, response)), _) => (after_first_marker(before, REASONING).map_or(before, |(_, reasons)| reasons), response),
            (None, Some((_, after))) => after.split_once("\n\n").unwrap_or((after, "")),
            (None, None) => ("", rest),
        };
        Some(Self { reasons: bare(reasons).to_owned(), decision, response: response.trim().to_owned() })
    }

    fn check(&self, _: &IdLists) -> Result<(), String> {
        if self.decision != Stance::Stand && self.response.trim().is_empty() {
            return Err(format!("response is empty; {} needs the whole answer", self.decision.as_str()));
        }
        Ok(())
    }
}

/// The one stance a line names. A line that repeats the list of stances from the prompt names none.
fn stance(line: &str) -> Option<Stance> {
    token(line, &Stance::WORDS).filter(|_| !line.contains(['|', '/'])).and_then(Stance::parse)
}

/// An answer after its author has read the others.
#[derive(Clone, Debug)]
pub struct RevisedAnswer {
    /// The turn that gave the text: the revision, or the first answer where that stands.
    pub key: String,
    pub original: String,
    /// As it goes on the ballot.
    pub text: String,
    /// `None`: the revision failed, and the original stands in.
    pub stance: Option<Stance>,
}

impl RevisedAnswer {
    /// After STAND the text is the original, whatever was written beside it.
    pub fn of(first: &LabelledAnswer, reply: Option<&SeatReply<RevisionReply>>, labels: &[String]) -> Self {
        let stance = reply.map(|reply| reply.value.decision);
        let new = reply.filter(|reply| reply.value.decision != Stance::Stand);
        let (key, text) = match new {
            Some(reply) => (reply.key.clone(), without_labels(reply.value.response.trim(), labels)),
            None => (first.key.clone(), first.text.clone()),
        };
        Self { key, original: first.text.clone(), text, stance }
    }

    pub fn changed(&self) -> bool {
        self.text.trim() != self.original.trim()
    }

    pub fn exhibit(&self, seat: SeatIx, replies: &Answers<RevisionReply>) -> Exhibit {
        let mut shape = crate::revision::revision(&self.original, &self.text);
        let reply = replies.of(seat);
        let failure = replies.failure_of(seat);
        shape.decision = self.stance.map_or_else(String::new, |stance| stance.as_str().to_lowercase());
        shape.reasons = reply.map(|reply| reply.value.reasons.clone()).unwrap_or_default();
        if let Some(failure) = failure {
            shape.kept = false;
            shape.notes.push(format!("The seat {}; its original stands in.", failure.failure.kind.plain()));
        }
        if let Some(SeatReply { value, .. }) = reply {
            let wrote = value.response.trim();
            if value.decision == Stance::Stand && !wrote.is_empty() && wrote != self.original.trim() {
                shape.notes.push("A text was written beside STAND; the original stands as it was.".into());
            }
            if value.decision != Stance::Stand && self.text != wrote {
                shape.notes.push("Labels of the first round were taken out of the text.".into());
            }
        }
        let data = RevisionRow {
            decision: self.stance,
            reasoning: reply.map(|reply| reply.value.reasons.clone()),
            original_word_count: words(&self.original),
            revised_word_count: words(&self.text),
            parse_success: reply.is_some(),
        };
        let key = reply.map(|reply| &reply.key).or(failure.map(|failure| &failure.key));
        Exhibit::new("Revision", Shape::Revision(shape)).data(&data).by(seat, "debater").of_turn(key)
    }
}
