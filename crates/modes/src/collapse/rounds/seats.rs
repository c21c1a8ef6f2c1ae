//! Which seat does what: nobody judges a card of its own while there is another seat, and for a seat that fails another is asked.

use synod_engine::{Bench, Prompt, ReplyFormat, Result, SeatFailure, SeatReply};
use synod_types::{FailureKind, SeatIx};

/// Seats that may judge a card, in the order they are asked: from the `turn`th on, round the table, its author left out. With nobody else at
/// the table, its author.
pub fn judges(seats: &[SeatIx], author: Option<SeatIx>, turn: usize) -> Vec<SeatIx> {
    let from = author.and_then(|author| seats.iter().position(|seat| *seat == author)).map_or(0, |at| at + 1);
    let others: Vec<SeatIx> = seats.iter().copied().filter(|seat| Some(*seat) != author).collect();
    if others.is_empty() {
        return seats.to_vec();
    }
    // The round begins behind the author, so that the work is spread evenly.
    let before = seats.iter().take(from).filter(|seat| Some(**seat) != author).count();
    (0..others.len()).map(|step| others[(before + turn + step) % others.len()]).collect()
}

/// What came of asking seats one after another.
pub enum FirstReply<T> {
    /// With a warning if another seat failed before.
    Reply(SeatReply<T>, Option<String>),
    /// Every seat failed; this is the last failure, if any seat was asked.
    Failed(Option<SeatFailure>),
    /// The run is closing: nobody was asked.
    Closed,
}

/// The reply of the first of these seats that answers. The caller gives the warning: parts done side by side must not warn in the order they end.
pub async fn first<T: ReplyFormat>(bench: &Bench, seats: &[SeatIx], prompt: Prompt, work: &str) -> Result<FirstReply<T>> {
    let mut failed: Vec<String> = Vec::new();
    let mut last = None;
    for seat in seats {
        let ask = if failed.is_empty() { prompt.clone() } else { prompt.clone().extra() };
        match bench.ask::<T>(*seat, ask).await? {
            Ok(reply) => {
                let label = &bench.seat(*seat).label;
                let warning = (!failed.is_empty()).then(|| format!("{} failed; {label} took over {work}.", failed.join(", ")));
                return Ok(FirstReply::Reply(reply, warning));
            }
            Err(failure) if failure.failure.kind == FailureKind::Closed => return Ok(FirstReply::Closed),
            Err(failure) => {
                failed.push(bench.seat(failure.seat).label.clone());
                last = Some(failure);
            }
        }
    }
    Ok(FirstReply::Failed(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_judges_its_own_card_while_another_is_free() {
        assert_eq!(judges(&[0, 1, 2], Some(0), 0), [1, 2]);
        assert_eq!(judges(&[0, 1, 2], Some(1), 0), [2, 0]);
        assert_eq!(judges(&[0, 1, 2], Some(2), 1), [1, 0]);
        assert_eq!(judges(&[0, 1], None, 1), [1, 0]);
        assert_eq!(judges(&[0], Some(0), 0), [0]);
        assert_eq!(judges(&[], None, 0), [] as [SeatIx; 0]);
    }
}
