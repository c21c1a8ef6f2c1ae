//! Who moved between opening and closing.

use crate::attendance;
use crate::crux::PersonaShift;
use crate::crux::rows::{ShiftData, ShiftsRow};
use crate::crux::speech::names::find_person;
use crate::crux::state::{DebateState, MessageKind};
use crate::text::token;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use synod_engine::{Bench, IdLists, Result, TypedReply, prompt};
use synod_types::{Exhibit, SeatIx, Shape, Shift, Shifts};

const TITLE: &str = "Who moved";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
// Requests carry this name.
#[schemars(rename = "Moves")]
pub struct ShiftsReply {
    /// One sentence.
    pub reasons: String,
    #[schemars(extend("x-each" = "names"))]
    pub shifts: Vec<ShiftJudgement>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShiftJudgement {
    #[schemars(extend("x-loose" = "names"))]
    pub name: String,
    pub shifted: bool,
    /// From what to what, at most 15 words.
    #[serde(default)]
    pub summary: String,
}

impl TypedReply for ShiftsReply {
    /// A line a speaker: `name: shifted – summary`.
    fn from_text(text: &str, _: &IdLists) -> Option<Self> {
        let line = |line: &str| {
            let (name, rest) = line.split_once(':')?;
            let shifted = token(rest, &["shifted", "same"])? == "shifted";
            let summary = rest.split_once(['–', '—', '-']).map(|(_, summary)| summary.trim().to_owned()).unwrap_or_default();
            Some(ShiftJudgement { name: crate::text::bare(name.trim_start_matches(['-', '*', ' '])).to_owned(), shifted, summary })
        };
        let shifts: Vec<ShiftJudgement> = text.lines().filter_map(line).collect();
        (!shifts.is_empty()).then_some(Self { reasons: String::new(), shifts })
    }
}

impl DebateState<'_> {
    /// Everybody who gave both an opening and a closing; nobody if the clerk could not judge them.
    pub(super) async fn judge_shifts(&self, phase: &Bench) -> Result<Vec<PersonaShift>> {
        let both = |seat: SeatIx| Some((seat, self.message_of(seat, MessageKind::Opening)?, self.message_of(seat, MessageKind::Closing)?));
        let pairs: Vec<_> = self.cast.seats().into_iter().filter_map(both).collect();
        if pairs.is_empty() {
            return Ok(Vec::new());
        }
        let shown: Vec<Value> = pairs
            .iter()
            .map(|(seat, opening, closing)| json!({"name": self.cast.name(*seat), "opening": opening.text, "closing": closing.text}))
            .collect();
        let names: Vec<(SeatIx, &str)> = pairs.iter().map(|(seat, ..)| (*seat, self.cast.name(*seat))).collect();
        let ask = prompt!("shifts", pairs = shown).ids("names", names.iter().map(|(_, name)| *name));
        let reply = match phase.ask_clerk::<ShiftsReply>(ask).await? {
            Ok(reply) => reply,
            Err(failed) => {
                let row = ShiftsRow { shifts: Vec::new(), error: Some(failed.failure.to_string()) };
                phase.show("shifts", attendance::failure(TITLE, "clerk", &failed).data(&row))?;
                return Ok(Vec::new());
            }
        };
        let judgement_of = |seat: SeatIx| reply.value.shifts.iter().find(|each| find_person(&each.name, &names) == Some(seat));
        let (mut shifts, mut entries) = (Vec::new(), Vec::new());
        for (seat, opening, closing) in pairs {
            let (shifted, summary) = match judgement_of(seat) {
                Some(judgement) => (Some(judgement.shifted), judgement.summary.trim().to_owned()),
                None => (None, "not assessed".to_owned()),
            };
            let name = self.cast.name(seat).to_owned();
            entries.push(Shift {
                name: name.clone(),
                seat: Some(seat),
                moved: shifted,
                summary: summary.clone(),
                before: opening.text.clone(),
                after: closing.text.clone(),
            });
            shifts.push(PersonaShift { persona: name, seat, shifted, summary });
        }
        let data = |shift: &PersonaShift| ShiftData {
            persona_id: self.cast.id(shift.seat).to_owned(),
            shifted: shift.shifted.unwrap_or(false),
            summary: shift.summary.clone(),
        };
        let row = ShiftsRow { shifts: shifts.iter().map(data).collect(), error: None };
        let exhibit = Exhibit::new(TITLE, Shape::Shifts(Shifts { entries }))
            .part("How it was judged", &reply.value.reasons)
            .by(reply.seat, "clerk")
            .turn(&reply.key);
        phase.show("shifts", exhibit.data(&row))?;
        Ok(shifts)
    }
}
