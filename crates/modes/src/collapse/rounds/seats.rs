//! Which seat does what: nobody judges a card of its own while there is another seat.

use synod_types::SeatIx;

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
