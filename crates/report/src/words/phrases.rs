//! Small turns of speech that several shapes share.

use crate::figures::count;
use crate::text::one_line;

/// A word of a protocol as people write it: `second_judge` is `second judge`.
pub fn plain(word: &str) -> String {
    one_line(word).replace('_', " ")
}

/// The parts that say something, in a row.
pub fn joined<const N: usize>(parts: [String; N], between: &str) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(between)
}

/// Text with a mark before it; nothing where there is no text.
pub fn led(mark: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{mark}{text}") }
}

/// `3 high, 1 low`: how often each word comes up, in the order of the first of each.
pub fn counted<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut counts: Vec<(String, u64)> = Vec::new();
    for word in words.map(plain).filter(|word| !word.is_empty()) {
        match counts.iter_mut().find(|(known, _)| *known == word) {
            Some((_, n)) => *n += 1,
            None => counts.push((word, 1)),
        }
    }
    counts.into_iter().map(|(word, n)| format!("{} {word}", count(n))).collect::<Vec<_>>().join(", ")
}

pub fn named(names: &[String], at: usize) -> String {
    names.get(at).map_or_else(|| "unnamed".to_owned(), |name| one_line(name))
}

/// `C1 Name`; an id that the name is or ends with is left out.
pub fn id_and_name(id: &str, name: &str) -> String {
    let (id, name) = (one_line(id), one_line(name));
    if name.split(' ').next_back() == Some(id.as_str()) { name } else { joined([id, name], " ") }
}
