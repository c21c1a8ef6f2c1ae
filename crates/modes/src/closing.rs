//! The last words of a mode: written by whoever holds the role or stands in for them, and else computed.

use std::fmt::Display;
use synod_engine::{Bench, Prompt, Result, SeatReply};
use synod_types::{Answer, AnswerKind, Exhibit, RowData, SeatIx};

/// Who holds a role, and then who stands in for them, each once.
pub fn seats_of(bench: &Bench, role: &str, stand_ins: impl IntoIterator<Item = SeatIx>) -> Vec<SeatIx> {
    once(bench.role(role).iter().copied().chain(stand_ins))
}

/// Each once, where it comes first.
pub fn once<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = Vec::new();
    for item in items {
        if !all.contains(&item) {
            all.push(item);
        }
    }
    all
}

/// The first of these seats that can write the text. One that was cut off is used, and said to be.
pub async fn write(phase: &Bench, seats: &[SeatIx], ask: Prompt, what: impl Display) -> Result<Option<SeatReply<String>>> {
    let written = phase.ask_first::<String>(seats, ask).await?;
    if written.as_ref().is_some_and(|reply| reply.partial) {
        phase.warn(format!("{what} was cut off at its token limit: its end is missing."));
    }
    Ok(written)
}

/// An answer that nobody could write, put together from what the seats gave.
pub fn computed(phase: &Bench, stage: &str, title: &str, text: String, by: impl IntoIterator<Item = SeatIx>, data: &impl RowData) -> Result<Answer> {
    phase.show(stage, Exhibit::note(title, &text).data(data))?;
    let mut by = once(by);
    by.sort_unstable();
    Ok(Answer { kind: AnswerKind::Computed, text, by })
}
