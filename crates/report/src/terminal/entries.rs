//! Lists of a terminal: an entry a line, and what stands below it. Beside an answer each keeps to a few lines.

use super::exhibit::Length;
use super::paper::{Ink, Paper};

/// Enough of a title or claim for one glance.
pub const GLANCE: usize = 160;
/// Beside an answer a list has a dozen entries, and contents two dozen.
pub const LIST: usize = 12;
pub const CONTENTS: usize = 24;

/// Entries one by one; beside the answer only the first of many, and the number of the rest.
pub fn entries<T>(paper: &mut Paper, list: &[T], length: Length, most: usize, each: impl Fn(&mut Paper, &T)) {
    let shown = match length {
        Length::Brief if list.len() > most + 1 => most,
        Length::Brief | Length::Whole | Length::Full => list.len(),
    };
    for entry in &list[..shown] {
        each(paper, entry);
    }
    if shown < list.len() {
        paper.para(Ink::DIM, "  ", &format!("and {} more in the long form", list.len() - shown));
    }
}

/// One entry's line: what must not be missed begins with a sign.
pub fn entry(paper: &mut Paper, alarm: bool, text: &str) {
    let (ink, first) = if alarm { (Ink::ALARM, "! ") } else { (Ink::PLAIN, "  ") };
    paper.hanging(ink, first, "      ", text);
}

/// More of an entry, below its line.
pub fn below(paper: &mut Paper, text: &str) {
    if !text.is_empty() {
        paper.para(Ink::DIM, "      ", text);
    }
}

/// What the whole comes to.
pub fn sum(paper: &mut Paper, text: &str) {
    if !text.is_empty() {
        paper.para(Ink::DIM, "  ", text);
    }
}
