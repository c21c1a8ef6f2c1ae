//! Labels of an earlier round taken out of a text, so that they neither say whom it follows nor meet the labels of the next round.

use crate::ballots::NOUNS;

const INSTEAD: &str = "another answer";

/// The text with every mention of these labels put neutrally: `the answer K3` and `K3` become `another answer`. Whole words only, and only as
/// the labels are written.
pub fn without_labels(text: &str, labels: &[String]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, label)) = next_mention(rest, out.chars().next_back(), labels) {
        out.push_str(&rest[..at]);
        out.truncate(without_noun(&out).len());
        let begins = out.trim_end_matches([' ', '*', '_', '"', '(']).chars().next_back().is_none_or(|c| ".!?:\n".contains(c));
        out.push_str(if begins { "Another answer" } else { INSTEAD });
        rest = &rest[at + label.len()..];
    }
    out.push_str(rest);
    out
}

/// The first label that stands as a word of its own, and where.
fn next_mention<'a>(text: &str, before: Option<char>, labels: &'a [String]) -> Option<(usize, &'a str)> {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    let alone = |at: usize, label: &str| {
        let ahead = if at == 0 { before } else { text[..at].chars().next_back() };
        !ahead.is_some_and(in_word) && !text[at + label.len()..].starts_with(in_word)
    };
    let first = |label: &'a String| text.match_indices(label.as_str()).map(|(at, _)| at).find(|at| alone(*at, label)).map(|at| (at, label.as_str()));
    labels.iter().filter_map(first).min()
}

/// What stands before `answer K3`, `the Response K3`: without the noun and its article.
fn without_noun(text: &str) -> &str {
    let Some(line) = text.strip_suffix(' ') else { return text };
    let word = line.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    if !NOUNS.iter().any(|noun| word.eq_ignore_ascii_case(noun) || word.strip_suffix('s').is_some_and(|word| word.eq_ignore_ascii_case(noun))) {
        return text;
    }
    let before = &line[..line.len() - word.len()];
    let article = before.len().checked_sub(4).and_then(|at| before.get(at..)).filter(|word| word.eq_ignore_ascii_case("the "));
    match article {
        Some(article) if !before[..before.len() - article.len()].ends_with(char::is_alphanumeric) => &before[..before.len() - article.len()],
        _ => before,
    }
}
