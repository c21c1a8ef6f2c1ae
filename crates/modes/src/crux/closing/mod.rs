//! The end of a debate: last words, who moved, the record that is written of it, and the answer made of all that.

pub mod record;
pub mod report;
pub mod shifts;

use super::PersonaShift;
use super::rows::DebateSummaryRow;
use super::speech::speak;
use super::state::{DebateState, MessageKind};
use record::Summary;
use synod_engine::{Result, SeatFailure, SeatReply, prompt};
use synod_types::{Exhibit, SeatIx};

const RECORD: &str = "The record";

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
        let (shifts, record) = futures::future::join(self.judge_shifts(&phase), self.write_record(&phase)).await;
        let (shifts, record) = (shifts?, record?);
        let absent = |failed: &SeatFailure| DebateSummaryRow { error: Some(failed.failure.to_string()), ..DebateSummaryRow::default() };
        for exhibit in record.absences(RECORD, "moderator", absent) {
            phase.show("debate_summary", exhibit)?;
        }
        record.taken_over(&phase, "writing the record").into_iter().for_each(|warning| phase.warn(warning));
        if record.reply.is_none() && !record.failures.is_empty() {
            phase.warn("Nobody could write the record of the debate; the answer is made of the cards and the last words.");
        }
        let summary = record.reply;
        if let Some(reply) = &summary {
            let exhibit = Exhibit::statement(RECORD, report::record_text(self, &reply.value)).by(reply.seat, "moderator").turn(&reply.key);
            let exhibit = exhibit.part("How it was made", &reply.value.reasons);
            phase.show("debate_summary", exhibit.data(&self.summary_row(&reply.value)))?;
        }
        Ok(Conclusion { shifts, summary })
    }
}
