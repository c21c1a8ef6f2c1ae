//! Who argues which side of a question.

/// A side in a debate for and against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    For,
    Against,
    /// Weighs both and argues neither.
    Weighing,
}

/// The sides of `n` seats, those for first: equally many on both, and one or two who weigh them, whatever makes it come out even. Two seats
/// have nobody left to weigh.
pub fn for_and_against(n: usize) -> Vec<Side> {
    let weighing = match n {
        0..=2 => 0,
        n if n % 2 == 1 => 1,
        _ => 2,
    };
    let each = (n - weighing).div_ceil(2);
    let place = |i: usize| match i {
        i if i < each => Side::For,
        i if i < n - weighing => Side::Against,
        _ => Side::Weighing,
    };
    (0..n).map(place).collect()
}

/// Seats attack and defend in turns; the first attacks.
pub fn is_attacker(seat: usize) -> bool {
    seat.is_multiple_of(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(n: usize) -> String {
        let letter = |side: &Side| match side {
            Side::For => 'P',
            Side::Against => 'O',
            Side::Weighing => 'E',
        };
        for_and_against(n).iter().map(letter).collect()
    }

    #[test]
    fn sides_by_the_number_of_seats() {
        let table = ["", "P", "PO", "POE", "POEE", "PPOOE", "PPOOEE", "PPPOOOE", "PPPOOOEE", "PPPPOOOOE", "PPPPOOOOEE"];
        for (n, want) in table.into_iter().enumerate() {
            assert_eq!(letters(n), want, "{n} seats");
        }
    }

    #[test]
    fn teams_take_turns() {
        assert_eq!([0, 1, 2, 3].map(is_attacker), [true, false, true, false]);
    }
}
