//! Marks an author leaves in a text: what is still to be written, and where to look elsewhere in the document.
//!
//! Reads marks only, never prose: a bracket that says TODO, and the words "see Section" with a number.

use crate::text::closing_bracket;

/// What is still to be done: `[TODO: …]` and `[Requires additional input]`, in any case and with markup inside or around.
pub fn todos(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let inside = &rest[open + 1..];
        match closing_bracket(inside.char_indices().take(MARK_CHARS)).and_then(|end| todo(&inside[..end]).map(|mark| (mark, end))) {
            Some((mark, end)) => {
                found.push(mark);
                rest = &inside[end + 1..];
            }
            None => rest = inside,
        }
    }
    found
}

/// No mark is longer than this; what never closes is not searched to the end of a book.
const MARK_CHARS: usize = 1_000;

fn todo(inside: &str) -> Option<String> {
    let is_markup = |c: char| c.is_whitespace() || "*_`".contains(c);
    let words = inside.trim_matches(is_markup);
    let after = |label: &str| {
        let head = words.get(..label.len()).filter(|head| head.eq_ignore_ascii_case(label))?;
        let rest = words[head.len()..].trim_start_matches(is_markup);
        (rest.is_empty() || rest.starts_with([':', '-', '–', '—'])).then(|| {
            let detail = rest.trim_start_matches(|c: char| is_markup(c) || ":-–—".contains(c));
            detail.split_whitespace().collect::<Vec<_>>().join(" ")
        })
    };
    let plain = |detail: String, bare: &str| if detail.is_empty() { bare.to_owned() } else { detail };
    after("TODO")
        .map(|detail| plain(detail, "To do"))
        .or_else(|| after("Requires additional input").map(|detail| plain(detail, "Requires additional input")))
}

/// The numbers after each "see Section": `see Section 3`, `(see **Sections 2 and 5**)`. A section of something else is not ours:
/// `see section 4.2`.
pub fn references(text: &str) -> Vec<u32> {
    let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || "*_`()[]".contains(c)).filter(|word| !word.is_empty()).collect();
    let mut found = Vec::new();
    for (at, pair) in words.windows(2).enumerate() {
        let names_section = ["section", "sections"].iter().any(|word| word.eq_ignore_ascii_case(pair[1]));
        if pair[0].eq_ignore_ascii_case("see") && names_section {
            for word in &words[at + 2..] {
                let ends = word.ends_with(['.', ';', ':', '!', '?']);
                match word.trim_end_matches(['.', ',', ';', ':', '!', '?']).parse::<u32>() {
                    Ok(number) => found.push(number),
                    Err(_) if ["and", "or", "to", "&"].contains(word) => {}
                    Err(_) => break,
                }
                if ends {
                    break;
                }
            }
        }
    }
    found
}
