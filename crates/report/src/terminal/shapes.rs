//! The larger shapes as terminal text, one function a shape. Beside an answer each keeps to a few lines.

mod cards;
mod lists;
mod numbers;
mod paths;
mod texts;

use super::exhibit::Length;
use super::paper::{Ink, Paper};
pub use cards::{card, shifts};
pub use lists::{checks, clusters, findings};
pub use numbers::{distribution, scorecard, series};
pub use paths::{bracket, graph};
pub use texts::{document, revision};

/// Beside an answer a list has a dozen entries, and contents two dozen.
const LIST: usize = 12;
const CONTENTS: usize = 24;

/// Entries one by one; beside the answer only the first of many, and the number of the rest.
fn entries<T>(paper: &mut Paper, list: &[T], length: Length, most: usize, each: impl Fn(&mut Paper, &T)) {
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
fn entry(paper: &mut Paper, alarm: bool, text: &str) {
    let (ink, first) = if alarm { (Ink::ALARM, "! ") } else { (Ink::PLAIN, "  ") };
    paper.hanging(ink, first, "      ", text);
}

/// More of an entry, below its line.
fn below(paper: &mut Paper, text: &str) {
    if !text.is_empty() {
        paper.para(Ink::DIM, "      ", text);
    }
}

/// What the whole comes to.
fn sum(paper: &mut Paper, text: &str) {
    if !text.is_empty() {
        paper.para(Ink::DIM, "  ", text);
    }
}
