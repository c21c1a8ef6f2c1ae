//! Whom a name means. Models shorten names; a short form counts as long as it can mean one person only.

use synod_types::SeatIx;

/// Whom a reply answers. The whole name is tried first, then its first word, its last word, its beginning, any part of it. The first of these that
/// matches anybody decides; if it matches several, nobody is meant.
pub fn find_addressee(given: &str, among: &[(SeatIx, &str)]) -> Option<SeatIx> {
    let matches = [equal, first_word, last_word, prefix, part].map(|rule| matching(given, among, rule));
    matches.into_iter().find(|seats| !seats.is_empty()).and_then(only_one)
}

/// Whom a detector, a card or a record speaks of. The whole name is tried first, then its beginning, then its first or last word. The first of these
/// that matches exactly one person decides.
pub fn find_person(given: &str, among: &[(SeatIx, &str)]) -> Option<SeatIx> {
    [equal, prefix, first_or_last].into_iter().find_map(|rule| only_one(matching(given, among, rule)))
}

fn only_one(seats: Vec<SeatIx>) -> Option<SeatIx> {
    if let [one] = seats.as_slice() { Some(*one) } else { None }
}

fn matching(given: &str, among: &[(SeatIx, &str)], rule: fn(&str, &str) -> bool) -> Vec<SeatIx> {
    let given = plain(given);
    among.iter().filter(|(_, name)| !given.is_empty() && rule(&given, &plain(name))).map(|(seat, _)| *seat).collect()
}

fn plain(name: &str) -> String {
    crate::text::bare(name).trim_start_matches('@').trim_end_matches(['.', ',', ':']).to_lowercase()
}

fn equal(given: &str, name: &str) -> bool {
    given == name
}
fn first_word(given: &str, name: &str) -> bool {
    name.split_whitespace().next() == Some(given)
}
fn last_word(given: &str, name: &str) -> bool {
    name.split_whitespace().next_back() == Some(given)
}
fn first_or_last(given: &str, name: &str) -> bool {
    first_word(given, name) || last_word(given, name)
}
fn prefix(given: &str, name: &str) -> bool {
    name.starts_with(given)
}
fn part(given: &str, name: &str) -> bool {
    name.contains(given)
}
