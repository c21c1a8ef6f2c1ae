//! Whom a name means, and texts without names. Models shorten names; a short form counts as long as it can mean one person only.

use synod_types::SeatIx;

/// Whom a reply answers: the whole name, the first or last word of it, its beginning, a part of it. The first that hits anybody decides.
pub fn addressed(given: &str, among: &[(SeatIx, &str)]) -> Option<SeatIx> {
    let hits = [equal, first_word, last_word, prefix, part].map(|way| hits(given, among, way));
    hits.into_iter().find(|hits| !hits.is_empty()).and_then(only)
}

/// One of the two a detector or a card speaks of: the whole name, its beginning, its first or last word. The first that hits one person decides.
pub fn meant(given: &str, among: &[(SeatIx, &str)]) -> Option<SeatIx> {
    [equal, prefix, first_or_last].into_iter().find_map(|way| only(hits(given, among, way)))
}

fn only(hits: Vec<SeatIx>) -> Option<SeatIx> {
    if let [one] = hits.as_slice() { Some(*one) } else { None }
}

fn hits(given: &str, among: &[(SeatIx, &str)], way: fn(&str, &str) -> bool) -> Vec<SeatIx> {
    let given = plain(given);
    among.iter().filter(|(_, name)| !given.is_empty() && way(&given, &plain(name))).map(|(seat, _)| *seat).collect()
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

/// Two people, and what they are called instead of their names where neither is to give way to one.
#[derive(Clone, Debug)]
pub struct Veil {
    pub names: [String; 2],
    pub shown: [String; 2],
    /// Lower-case names and parts of them, the longest first, each with what is written in its place.
    hidden: Vec<(Vec<char>, String)>,
}

impl Veil {
    /// Everybody under their own name.
    pub fn none(names: [String; 2]) -> Self {
        Self { shown: names.clone(), names, hidden: Vec::new() }
    }

    /// A letter each. Not the bare letter: "A" is also a word, and could not be told from it afterwards.
    pub fn letters(names: [String; 2]) -> Self {
        let shown = ["Speaker A", "Speaker B"].map(str::to_owned);
        let mut hidden: Vec<(Vec<char>, String)> = Vec::new();
        for (name, letter) in names.iter().zip(&shown) {
            let ends = [name.split_whitespace().next(), name.split_whitespace().next_back()];
            for part in [Some(name.as_str())].into_iter().chain(ends).flatten() {
                let part: Vec<char> = part.chars().map(low).collect();
                match hidden.iter_mut().find(|(known, _)| *known == part) {
                    Some((_, instead)) if instead != letter => *instead = "one of the two".to_owned(),
                    Some(_) => {}
                    None => hidden.push((part, letter.clone())),
                }
            }
        }
        hidden.sort_by_key(|(part, _)| std::cmp::Reverse(part.len()));
        Self { names, shown, hidden }
    }

    /// A text as it is shown: names and parts of them replaced where they stand as words of their own and are written as names.
    pub fn over(&self, text: &str) -> String {
        let chars: Vec<char> = text.chars().collect();
        let lower: Vec<char> = chars.iter().copied().map(low).collect();
        let in_word = |at: usize| lower.get(at).is_some_and(|c| c.is_alphanumeric());
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        while at < chars.len() {
            let begins = !(at > 0 && in_word(at - 1));
            let found = self.hidden.iter().find(|(part, _)| {
                let named = part.contains(&' ') || chars[at].is_uppercase();
                begins && named && lower[at..].starts_with(part) && !in_word(at + part.len())
            });
            match found {
                Some((part, instead)) => {
                    out.push_str(instead);
                    at += part.len();
                }
                None => {
                    out.push(chars[at]);
                    at += 1;
                }
            }
        }
        out
    }

    /// A text about the two as readers get it: under their names.
    pub fn off(&self, text: &str) -> String {
        if self.hidden.is_empty() {
            return text.to_owned();
        }
        self.shown.iter().zip(&self.names).fold(text.to_owned(), |text, (shown, name)| text.replace(shown, name))
    }
}

/// One character for one, so that places stay what they are.
fn low(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}
