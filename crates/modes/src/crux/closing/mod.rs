//! The end of a debate: last words, who moved, the record that is written of it, and the answer made of all that.

pub mod record;
pub mod report;
pub mod shifts;

use super::PersonaShift;
use super::speech::speak;
use super::state::{DebateState, MessageKind};
use record::Summary;
use synod_engine::{Result, SeatReply, prompt};
use synod_types::{Exhibit, SeatIx, Shape, Statement};

/// What the debate came to.
pub struct Conclusion {
    pub shifts: Vec<PersonaShift>,
    /// The record; `None` if nobody could write one.
    pub summary: Option<SeatReply<Summary>>,
}

impl DebateState<'_> {
    pub async fn ask_closings(&mut self) -> Result<()> {
        let phase = self.bench.phase("closing");
        let context = self.context();
        let seats = self.cast.seats();
        let ask = |seat: SeatIx| {
            let opening = self.message_of(seat, MessageKind::Opening).map(|message| message.text.as_str());
            let others: Vec<&str> = seats.iter().filter(|other| **other != seat).map(|other| self.cast.name(*other)).collect();
            prompt!("closing", context, opening).fill("other", others)
        };
        let speeches = speak::<String>(&phase, self.cast, &seats, &ask).await?;
        self.record_messages(&phase, MessageKind::Closing, speeches, &[])
    }

    /// Who moved, and the record; both are asked for at once.
    pub async fn conclude(&self) -> Result<Conclusion> {
        let phase = self.bench.phase("conclusion");
        let (shifts, summary) = futures::future::join(self.judge_shifts(&phase), self.write_record(&phase)).await;
        let (shifts, summary) = (shifts?, summary?);
        if let Some(reply) = &summary {
            let statement = Statement { text: Some(report::record_text(self, &reply.value)), ..Statement::default() };
            let exhibit = Exhibit::new("The record", Shape::Statement(statement)).by(reply.seat, "moderator").turn(&reply.key);
            let exhibit = exhibit.part("How it was made", &reply.value.reasons);
            phase.show("debate_summary", exhibit.data(&self.summary_row(&reply.value)))?;
        }
        Ok(Conclusion { shifts, summary })
    }
}
