//! Whom a name means. Models shorten names; a short form counts as long as it can mean one person only.

use synod_types::SeatIx;

/// Whom a reply answers: the whole name, the first or last word of it, its beginning, a part of it.
pub fn addressed(given: &str, among: &[(SeatIx, &str)]) -> Option<SeatIx> {
    pick(given, among, &[equal, first_word, last_word, prefix, part])
}

/// One of the two a detector or a card speaks of: the whole name, its beginning, its first or last word.
pub fn meant(given: &str, among: &[(SeatIx, &str)]) -> Option<SeatIx> {
    pick(given, among, &[equal, prefix, first_or_last])
}

/// The first way of matching that hits anybody decides; if it hits more than one, nobody is meant.
fn pick(given: &str, among: &[(SeatIx, &str)], ways: &[fn(&str, &str) -> bool]) -> Option<SeatIx> {
    let given = plain(given);
    if given.is_empty() {
        return None;
    }
    for way in ways {
        let mut hits = among.iter().filter(|(_, name)| way(&given, &plain(name)));
        if let Some((seat, _)) = hits.next() {
            return hits.next().is_none().then_some(*seat);
        }
    }
    None
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
