//! What a debater makes of its answer after reading the others': the typed reply, its text form, and the text that goes on the ballot.

use super::mentions::without_labels;
use crate::labelled::Labelled;
use crate::text::{after_first_marker, bare, token, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use synod_engine::{Answers, IdLists, SeatReply, TypedReply};
use synod_types::{Exhibit, SeatIx, Shape};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Stance {
    /// The answer, improved.
    Revise,
    /// The answer as it was.
    Stand,
    /// A new answer from the best parts of several.
    Merge,
}

impl Stance {
    pub const ALL: [Self; 3] = [Self::Revise, Self::Stand, Self::Merge];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Revise => "REVISE",
            Self::Stand => "STAND",
            Self::Merge => "MERGE",
        }
    }
}

/// A debater's reply to the others' answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reconsidered {
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

impl TypedReply for Reconsidered {
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

/// One stance and not the list of them: a repeated template decides nothing.
fn stance(line: &str) -> Option<Stance> {
    let word = token(line, &Stance::ALL.map(Stance::as_str)).filter(|_| !line.contains(['|', '/']))?;
    Stance::ALL.into_iter().find(|stance| stance.as_str() == word)
}

/// An answer after the debate.
#[derive(Clone, Debug)]
pub struct Revised {
    /// The turn that gave the text: the revision, or the first answer where that stands.
    pub key: String,
    pub original: String,
    /// As it goes on the ballot.
    pub text: String,
    /// `None`: the revision failed, and the original stands in.
    pub stance: Option<Stance>,
}

impl Revised {
    /// STAND is the original, whatever was written beside it.
    pub fn of(first: &Labelled, given: Option<&SeatReply<Reconsidered>>, labels: &[String]) -> Self {
        let stance = given.map(|given| given.value.decision);
        let new = given.filter(|given| given.value.decision != Stance::Stand);
        let (key, text) = match new {
            Some(given) => (given.key.clone(), without_labels(given.value.response.trim(), labels)),
            None => (first.key.clone(), first.text.clone()),
        };
        Self { key, original: first.text.clone(), text, stance }
    }

    pub fn changed(&self) -> bool {
        self.text.trim() != self.original.trim()
    }

    pub fn exhibit(&self, seat: SeatIx, replies: &Answers<Reconsidered>) -> Exhibit {
        let mut shape = crate::revised::revision(&self.original, &self.text);
        let given = replies.of(seat);
        let missed = replies.failures.iter().find(|missed| missed.seat == seat);
        shape.decision = self.stance.map_or_else(String::new, |stance| stance.as_str().to_lowercase());
        shape.reasons = given.map(|given| given.value.reasons.clone()).unwrap_or_default();
        if let Some(missed) = missed {
            shape.kept = false;
            shape.notes.push(format!("The seat {}; its original stands in.", missed.failure.kind.plain()));
        }
        if let Some(SeatReply { value, .. }) = given {
            let wrote = value.response.trim();
            if value.decision == Stance::Stand && !wrote.is_empty() && wrote != self.original.trim() {
                shape.notes.push("A text was written beside STAND; the original stands as it was.".into());
            }
            if value.decision != Stance::Stand && self.text != wrote {
                shape.notes.push("Labels of the first round were taken out of the text.".into());
            }
        }
        let data = json!({
            "decision": self.stance, "reasoning": given.map(|given| &given.value.reasons), "originalWordCount": words(&self.original),
            "revisedWordCount": words(&self.text), "parseSuccess": given.is_some(),
        });
        let key = given.map(|given| &given.key).or(missed.map(|missed| &missed.key));
        let exhibit = Exhibit::new("Revision", Shape::Revision(shape)).data(&data).by(seat, "debater");
        match key {
            Some(key) => exhibit.turn(key),
            None => exhibit,
        }
    }
}
