//! What lists share: how many at once, where the last page ended, and which modes there are.

use crate::fault::{Answer, Fault};
use synod_modes::{INTERNAL, MODES};
use synod_types::{Millis, Problem};

const PAGE: u32 = 50;
const LARGEST: u32 = 200;

/// How many to list.
pub fn size(limit: Option<u32>) -> Answer<usize> {
    match limit.unwrap_or(PAGE) {
        limit @ 1..=LARGEST => Ok(limit as usize),
        other => Err(Fault::problem(Problem::new("limit", other.to_string(), format!("1 to {LARGEST}")))),
    }
}

/// Where a page ended: time and id of its last entry.
pub fn cursor(text: &str) -> Answer<(Millis, String)> {
    let read = text.split_once('.').and_then(|(at, id)| Some((at.parse().ok()?, id.to_owned())));
    read.ok_or_else(|| Fault::problem(Problem::new("after", text, "the next of the page before")))
}

/// The same as a client gets it.
pub fn next((at, id): (Millis, &str)) -> String {
    format!("{at}.{id}")
}

/// Whether runs of such a mode can be listed: also of one that is in no list itself.
pub fn known_mode(mode: Option<&str>) -> Answer<()> {
    if mode.is_some_and(|given| INTERNAL.iter().any(|mode| mode.id == given)) { Ok(()) } else { listed_mode(mode) }
}

/// Whether something can be asked in such a mode.
pub fn listed_mode(mode: Option<&str>) -> Answer<()> {
    let known = || MODES.iter().map(|mode| mode.id);
    match mode.filter(|given| !known().any(|id| id == *given)) {
        None => Ok(()),
        Some(given) => {
            let given: String = given.chars().take(100).collect();
            let want = format!("one of: {}", known().collect::<Vec<_>>().join(", "));
            Err(Fault::problem(Problem::new("mode", given.clone(), want).unknown(&given, known())))
        }
    }
}
