//! Whether a reply may take the place of the version it was given. Pure: it reads two texts and nothing else.
//!
//! This is the one place where a refusal is read from wording, because in a chain it would otherwise become the document.

use crate::revision::long_enough;
use crate::text::words;
use synod_math::likeness::{kept, terms};

/// Whether two texts are about the same thing is only judged if the old one has at least so many distinct words.
const FEW_TERMS: usize = 40;
/// A text of more words is no refusal, even if it opens like one.
const LONGEST_REFUSAL: u32 = 120;

/// Why a new text is no version of the old one, if it is none: refused, shrunk below the share of words to keep, or about something else
/// (less than half that share of the old text's distinct words is left in it).
pub fn objection(before: &str, after: &str, least_kept: f64) -> Option<String> {
    if after.trim().is_empty() {
        return Some("it holds no text".into());
    }
    if is_refusal(after) {
        return Some("it refuses instead of improving the text".into());
    }
    if !long_enough(before, after, least_kept) {
        return Some(format!("it has {} words of {}", words(after), words(before)));
    }
    let mut distinct = terms(before);
    distinct.sort_unstable();
    distinct.dedup();
    let share = kept(before, after);
    if distinct.len() >= FEW_TERMS && share < least_kept / 2.0 {
        return Some(format!("it keeps {:.0} % of the words the text was made of, so it is another text", share * 100.0));
    }
    None
}

/// A short text that opens by declining: an apology or none, then "I cannot", then what will not be done.
pub fn is_refusal(text: &str) -> bool {
    if words(text) > LONGEST_REFUSAL {
        return false;
    }
    let opening = text.chars().take(160).map(|c| if c == '’' { '\'' } else { c }).collect::<String>().to_lowercase();
    let opening: Vec<&str> = opening.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty()).collect();
    let opening = opening.join(" ");
    let after = |text: &'_ str, starts: &[&str]| -> Option<String> {
        starts.iter().find_map(|start| text.strip_prefix(start)).map(|rest| rest.trim_start().to_owned())
    };
    const SORRY: [&str; 6] = ["i'm sorry ", "i am sorry ", "sorry ", "i apologize ", "i apologise ", "unfortunately "];
    const CANNOT: [&str; 12] = [
        "i can't ",
        "i cannot ",
        "i can not ",
        "i won't ",
        "i will not ",
        "i'm unable to ",
        "i am unable to ",
        "i'm not able to ",
        "i am not able to ",
        "i must decline to ",
        "i have to decline to ",
        "i'm going to decline to ",
    ];
    const DO: [&str; 22] = [
        "help", "assist", "comply", "do", "provide", "create", "write", "produce", "fulfil", "fulfill", "complete", "continue", "edit", "improve",
        "rewrite", "revise", "review", "generate", "support", "engage", "draft", "proceed",
    ];
    if ["as an ai ", "i'm an ai ", "i am an ai "].iter().any(|start| opening.starts_with(start)) {
        return true;
    }
    let declining = after(&opening, &SORRY).map_or(opening.clone(), |rest| after(&rest, &["but "]).unwrap_or(rest));
    after(&declining, &CANNOT).is_some_and(|rest| rest.split(' ').next().is_some_and(|verb| DO.contains(&verb)))
}
