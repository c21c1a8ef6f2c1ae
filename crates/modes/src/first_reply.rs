//! Seats asked one after another until one of them answers, with what came of each.

use crate::attendance;
use synod_engine::{Bench, Prompt, ReplyFormat, Result, SeatFailure, SeatReply};
use synod_types::{Exhibit, FailureKind, RowData, SeatIx};

/// The reply of the first seat that answered.
pub struct FirstReply<T> {
    /// `None`: nobody answered.
    pub reply: Option<SeatReply<T>>,
    /// Who was asked before and gave nothing, in the order they were asked.
    pub failures: Vec<SeatFailure>,
}

/// Asks these seats in their order. Nothing is warned of: parts done side by side must not warn in the order they end.
pub async fn ask<T: ReplyFormat>(bench: &Bench, seats: &[SeatIx], prompt: Prompt) -> Result<FirstReply<T>> {
    let mut failures: Vec<SeatFailure> = Vec::new();
    for seat in seats {
        let prompt = if failures.is_empty() { prompt.clone() } else { prompt.clone().extra() };
        match bench.ask::<T>(*seat, prompt).await? {
            Ok(reply) => return Ok(FirstReply { reply: Some(reply), failures }),
            Err(failure) => failures.push(failure),
        }
        if is_closed(&failures) {
            break;
        }
    }
    Ok(FirstReply { reply: None, failures })
}

impl<T> FirstReply<T> {
    /// Whether the run was closing, so that nobody else was asked.
    pub fn closed(&self) -> bool {
        is_closed(&self.failures)
    }

    /// Who did the work in whose place, where somebody had to.
    pub fn taken_over(&self, bench: &Bench, work: &str) -> Option<String> {
        let reply = self.reply.as_ref().filter(|_| !self.failures.is_empty())?;
        let label = |seat: SeatIx| bench.seat(seat).label.as_str();
        let failed: Vec<&str> = self.failures.iter().map(|failed| label(failed.seat)).collect();
        Some(format!("{} failed; {} took over {work}.", failed.join(", "), label(reply.seat)))
    }

    /// The row of each who gave nothing.
    pub fn absences<D: RowData>(&self, title: &str, role: &str, data: impl Fn(&SeatFailure) -> D) -> Vec<Exhibit> {
        self.failures.iter().map(|failed| attendance::failure(title, role, failed).data(&data(failed))).collect()
    }
}

fn is_closed(failures: &[SeatFailure]) -> bool {
    failures.last().is_some_and(|failed| failed.failure.kind == FailureKind::Closed)
}
