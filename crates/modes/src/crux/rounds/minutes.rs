//! The minutes of an aspect: one or two sentences that the next prompts carry.

use crate::attendance;
use crate::crux::rows::RoundSummaryRow;
use crate::crux::speech::whole_sentences;
use crate::crux::state::{DebateState, Message, Minutes};
use synod_engine::{Bench, Result, prompt};
use synod_types::{Exhibit, FailureKind};

impl DebateState<'_> {
    /// If nobody can write them, the minutes of this aspect stay empty.
    pub async fn write_minutes(&mut self, phase: &Bench, round: u32) -> Result<()> {
        let takes: Vec<&Message> = self.messages.iter().filter(|message| message.kind.in_round(round)).collect();
        let (aspect, label) = (self.aspect_for_prompt(round), self.aspect_label(round));
        if takes.is_empty() {
            self.minutes.push(Minutes { aspect: label, summary: String::new() });
            return Ok(());
        }
        let card = self.cards.iter().rfind(|card| card.round == round).map(|card| card.plain());
        let ask = prompt!("summary", aspect, takes = self.for_prompt(takes), card).fill("aspect", &label);
        let title = format!("Minutes: {label}");
        let row = |summary: &str, error| RoundSummaryRow { round, aspect: label.clone(), summary: summary.to_owned(), error };
        let summary = match phase.ask_clerk::<String>(ask).await? {
            Ok(reply) => {
                let text = if reply.partial { whole_sentences(&reply.value) } else { &reply.value };
                let summary = text.split_whitespace().collect::<Vec<_>>().join(" ");
                let exhibit = Exhibit::note(title, &summary).by(reply.seat, "clerk").turn(&reply.key);
                phase.show("round_summary", exhibit.data(&row(&summary, None)))?;
                summary
            }
            Err(failed) => {
                self.closed |= failed.failure.kind == FailureKind::Closed;
                let row = row("", Some(failed.failure.to_string()));
                phase.show("round_summary", attendance::failure(title, "clerk", &failed).data(&row))?;
                String::new()
            }
        };
        self.minutes.push(Minutes { aspect: label, summary });
        Ok(())
    }
}
