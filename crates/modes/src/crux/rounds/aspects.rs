//! The topic, split into the aspects that are debated one after the other.

use super::brief;
use crate::attendance;
use crate::crux::rows::{AspectsRow, NumberedAspect};
use crate::crux::state::DebateState;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{IdLists, Result, TypedReply, prompt};
use synod_types::{Exhibit, FailureKind};

/// Words of a sub-question's label and description.
const LABEL_WORDS: usize = 8;
const DESCRIPTION_WORDS: usize = 40;
const TITLE: &str = "What is debated";

/// One sub-question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Aspect {
    /// 3 to 5 words.
    pub label: String,
    /// One sentence.
    pub description: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Aspects {
    /// One short sentence.
    pub reasons: String,
    pub aspects: Vec<Aspect>,
}

impl TypedReply for Aspects {
    /// A numbered list of `label: description`.
    fn from_text(text: &str, _: &IdLists) -> Option<Self> {
        let aspect = |item: String| {
            let (label, description) = item.split_once(':').or_else(|| item.split_once(" – ")).or_else(|| item.split_once(" - "))?;
            let (label, description) = (crate::text::bare(label).to_owned(), crate::text::bare(description).to_owned());
            (!label.is_empty() && !description.is_empty()).then_some(Aspect { label, description })
        };
        let aspects: Vec<Aspect> = crate::text::items(text).into_iter().filter_map(aspect).collect();
        (!aspects.is_empty()).then_some(Self { reasons: String::new(), aspects })
    }
}

impl DebateState<'_> {
    /// Splits the topic. Without a usable split the topic itself is the only aspect.
    pub async fn decompose(&mut self) -> Result<()> {
        let phase = self.bench.phase("decompose");
        let count = self.options.aspects;
        let mut aspects: Vec<Aspect> = Vec::new();
        let mut by = None;
        let mut reasons = String::new();
        match phase.ask_clerk::<Aspects>(prompt!("decompose", count)).await? {
            Ok(reply) => {
                let shortened =
                    |each: &Aspect| Aspect { label: brief(&each.label, LABEL_WORDS), description: brief(&each.description, DESCRIPTION_WORDS) };
                aspects = reply.value.aspects.iter().map(shortened).filter(|each| !each.label.is_empty()).take(count as usize).collect();
                by = Some((reply.seat, reply.key));
                reasons = reply.value.reasons;
            }
            Err(failed) => {
                self.closed |= failed.failure.kind == FailureKind::Closed;
                let row = AspectsRow { aspects: Vec::new(), error: Some(failed.failure.to_string()) };
                phase.show("aspects", attendance::failure(TITLE, "clerk", &failed).data(&row))?;
            }
        }
        if aspects.is_empty() {
            phase.warn("The topic could not be split into sub-questions, so it was debated as one.");
            aspects.push(Aspect { label: "The question itself".into(), description: self.topic().to_owned() });
        }
        let lines: Vec<String> = aspects.iter().enumerate().map(|(n, each)| format!("{}. {}: {}", n + 1, each.label, each.description)).collect();
        let numbered = |(n, each): (usize, &Aspect)| NumberedAspect {
            id: format!("aspect-{}", n + 1),
            label: each.label.clone(),
            description: each.description.clone(),
        };
        let row = AspectsRow { aspects: aspects.iter().enumerate().map(numbered).collect(), error: None };
        let exhibit = Exhibit::note(TITLE, lines.join("\n")).part("Why these", &reasons).data(&row);
        let exhibit = match by {
            Some((seat, key)) => exhibit.by(seat, "clerk").turn(key),
            None => exhibit,
        };
        phase.show("aspects", exhibit)?;
        self.aspects = aspects;
        Ok(())
    }
}
