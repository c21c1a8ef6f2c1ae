//! Reads replies that came as plain text in a form the prompt names, where no JSON was found in them. Nothing is guessed.
//!
//! Owns markers, labelled fields, numbered blocks, tables, lists and scores as models write them, with whatever markup they put around them.
//! Refuses prose: a word counts only where the form asks for it, at the start of a line or alone in a cell.

use std::ops::Range;
use synod_math::likeness::is_unspaced;

/// What stands before and after the last line that begins with the marker (markup before it aside).
pub fn after_last_marker<'a>(text: &'a str, marker: &str) -> Option<(&'a str, &'a str)> {
    markers(text, marker).last()
}

/// What stands before and after the first such line. For markers that free text follows, which may hold the marker's words again.
pub fn after_first_marker<'a>(text: &'a str, marker: &str) -> Option<(&'a str, &'a str)> {
    markers(text, marker).next()
}

fn markers<'a>(text: &'a str, marker: &str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let mut start = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let before = start;
        start += line.len();
        let rest = strip_label(line.trim_start_matches(is_leading_markup), marker.trim_end_matches(':'))?;
        Some((&text[..before], &text[start - rest.len()..]))
    })
}

/// `LABEL: rest` at the start of a line, bold or bracketed labels too: `**LABEL:** rest`, `**LABEL**: rest`.
fn strip_label<'a>(line: &'a str, label: &str) -> Option<&'a str> {
    let head = line.get(..label.len())?;
    if !head.eq_ignore_ascii_case(label) {
        return None;
    }
    let rest = line[label.len()..].trim_start_matches(|c: char| "*_`]".contains(c) || c == ' ');
    rest.strip_prefix(':').map(|rest| rest.trim_start_matches(['*', '_', '`']))
}

fn is_leading_markup(c: char) -> bool {
    c.is_whitespace() || "*_#>`-•[".contains(c)
}

/// A cell, value or title without the markup around it: bold, code, brackets, quotation marks.
pub fn bare(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || "*_`[]\"“”".contains(c))
}

/// The value of `Label: value`, where a line begins with it. It runs on until a line begins with another of the labels, a heading, or ends.
pub fn field(text: &str, label: &str, labels: &[&str]) -> Option<String> {
    let mut lines = text.lines().skip_while(|line| strip_label(line.trim_start_matches(is_leading_markup), label).is_none());
    let first = strip_label(lines.next()?.trim_start_matches(is_leading_markup), label)?;
    let mut value = bare(first).to_owned();
    for line in lines {
        let words = line.trim_start_matches(is_leading_markup);
        if labels.iter().any(|other| strip_label(words, other).is_some()) || line.trim_start().starts_with('#') || is_horizontal_rule(line) {
            break;
        }
        value.push('\n');
        value.push_str(line);
    }
    let value = bare(&value).to_owned();
    (!value.is_empty()).then_some(value)
}

fn is_horizontal_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 3 && line.chars().all(|c| "-*_=".contains(c))
}

/// A numbered block: `FINDING 2: title`, `### Finding 2 — title`, `**TASK task_2:** …`, and what follows until the next.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The number or id as written.
    pub id: String,
    pub title: String,
    pub body: String,
}

/// All blocks whose first line begins with the word and an id. Mentions inside a line open nothing.
pub fn blocks(text: &str, word: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    for line in text.lines() {
        if let Some((id, title)) = block_head(line, word) {
            found.push(Block { id, title, body: String::new() });
        } else if let Some(block) = found.last_mut() {
            block.body.push_str(line);
            block.body.push('\n');
        }
    }
    found
}

fn block_head(line: &str, word: &str) -> Option<(String, String)> {
    let words = line.trim_start_matches(is_leading_markup);
    let head = words.get(..word.len()).filter(|head| head.eq_ignore_ascii_case(word))?;
    let rest =
        words[head.len()..].strip_prefix(|c: char| c.is_whitespace() || c == '#')?.trim_start_matches(|c: char| "*`[(#".contains(c) || c == ' ');
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    let (id, rest) = rest.split_at(end);
    if !id.chars().any(|c| c.is_ascii_digit()) {
        return None;
    }
    let rest = rest.trim_start_matches(|c: char| "*_`]".contains(c) || c == ' ');
    let title = rest.strip_prefix([':', '.', ')', '—', '–', '-']).or(rest.is_empty().then_some(""))?;
    Some((id.to_owned(), bare(title).to_owned()))
}

/// Rows of every table in the text, cells bare; lines of dashes left out.
pub fn table_rows(text: &str) -> Vec<Vec<String>> {
    let is_row = |line: &&str| line.trim().starts_with('|') && line.chars().any(char::is_alphanumeric);
    let cells = |line: &str| line.trim().trim_matches('|').split('|').map(|cell| bare(cell).to_owned()).collect();
    text.lines().filter(is_row).map(cells).collect()
}

/// What stands under a heading of this name (any level, or a line `NAME:`), up to the next heading of the same or a higher level.
pub fn section<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut at = 0;
    let mut open: Option<(usize, usize)> = None;
    for line in text.split_inclusive('\n') {
        let level = line.trim_start().chars().take_while(|c| *c == '#').count();
        if let Some((start, own)) = open {
            if level > 0 && level <= own {
                return Some(text[start..at].trim());
            }
        } else if level > 0 && bare(line.trim_start().trim_start_matches('#')).trim_end_matches(':').eq_ignore_ascii_case(name) {
            open = Some((at + line.len(), level));
        }
        at += line.len();
    }
    open.map(|(start, _)| text[start..].trim())
}

/// The text without the headings of these names and what stands under each.
pub fn without_sections(text: &str, names: &[&str]) -> String {
    let mut within: Option<usize> = None;
    let outside = |line: &&str| {
        let level = line.trim_start().chars().take_while(|c| *c == '#').count();
        if level > 0 && within.is_none_or(|own| level <= own) {
            let title = bare(line.trim_start().trim_start_matches('#')).trim_end_matches(':');
            within = names.iter().any(|name| title.eq_ignore_ascii_case(name)).then_some(level);
        }
        within.is_none()
    };
    text.lines().filter(outside).collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// The items of a list: `1.`, `1)`, `-`, `*`, `•`. Lines that go on from an item belong to it. Without any mark each paragraph is one.
pub fn items(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let marked = text.lines().any(|line| item_start(line).is_some());
    let mut gap = true;
    for line in text.lines() {
        match item_start(line) {
            Some(rest) => found.push(rest.trim().to_owned()),
            None if line.trim().is_empty() => gap = true,
            None if marked => {
                if let Some(last) = found.last_mut() {
                    last.push(' ');
                    last.push_str(line.trim());
                }
            }
            None if gap => {
                found.push(line.trim().to_owned());
                gap = false;
            }
            None => {
                if let Some(last) = found.last_mut() {
                    last.push(' ');
                    last.push_str(line.trim());
                }
            }
        }
    }
    found.retain(|item| item.chars().any(char::is_alphanumeric));
    found
}

fn item_start(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if let Some(rest) = line.strip_prefix("- ").or_else(|| line.strip_prefix("• ")).or_else(|| line.strip_prefix("* ")) {
        return Some(rest);
    }
    let digits = line.find(|c: char| !c.is_ascii_digit()).filter(|end| (1..=3).contains(end))?;
    line[digits..].strip_prefix(['.', ')']).filter(|rest| rest.starts_with(char::is_whitespace))
}

/// A score that stands alone: `8`, `**8**`, `8/10`, `7.5`, `7,5`, `8 out of 10`. `None` outside `least..=best`, for another scale, and for prose.
pub fn score(cell: &str, least: f64, best: f64) -> Option<f64> {
    let cell = bare(cell).replace("out of", "/");
    let (value, scale) = match cell.split_once('/') {
        Some((value, scale)) => (bare(value).to_owned(), Some(bare(scale).to_owned())),
        None => (bare(&cell).to_owned(), None),
    };
    if scale.is_some_and(|scale| scale.parse::<f64>() != Ok(best)) {
        return None;
    }
    value.replace(',', ".").parse::<f64>().ok().filter(|value| value.is_finite() && (least..=best).contains(value))
}

/// The first word of a value, if it is one of these: `**REJECT** because …` is REJECT, `cannot approve` is nothing.
pub fn token<'a>(value: &str, tokens: &[&'a str]) -> Option<&'a str> {
    let first = bare(value).split(|c: char| !(c.is_alphanumeric() || c == '_')).find(|word| !word.is_empty())?;
    tokens.iter().find(|token| token.eq_ignore_ascii_case(first)).copied()
}

/// The sentences of a text and its other lines, as ranges of bytes, without the space around them.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices().chain([(text.len(), '\n')]) {
        let end = (at + c.len_utf8()).min(text.len());
        let stops = match c {
            '.' | '!' | '?' => text[end..].starts_with(char::is_whitespace),
            '。' | '！' | '？' | '\n' => true,
            _ => false,
        };
        if stops {
            let (part, words) = (&text[start..end], text[start..end].trim());
            let from = start + part.len() - part.trim_start().len();
            if words.chars().any(char::is_alphanumeric) {
                found.push(from..from + words.len());
            }
            start = end;
        }
    }
    found
}

/// With a full stop where there is no mark at the end.
pub fn ended(text: &str) -> String {
    let text = text.trim();
    if text.ends_with(['.', '!', '?', '…', '。', '！', '？']) { text.to_owned() } else { format!("{text}.") }
}

/// As at the start of a sentence.
pub fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Words as people count them. Where a script sets no spaces, every character counts as one.
pub fn words(text: &str) -> u32 {
    let count = |token: &str| {
        let unspaced = token.chars().filter(|c| is_unspaced(*c)).count();
        let between = token.split(is_unspaced).filter(|part| part.chars().any(char::is_alphanumeric)).count();
        if unspaced == 0 { 1 } else { unspaced + between }
    };
    text.split_whitespace().map(count).sum::<usize>() as u32
}

/// Where the bracket closes that was open before these characters; brackets within it count.
pub fn closing_bracket(chars: impl IntoIterator<Item = (usize, char)>) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, c) in chars {
        match c {
            '[' => depth += 1,
            ']' if depth == 0 => return Some(at),
            ']' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_counts_at_the_start_of_a_line_and_the_last_one_stands() {
        for line in ["VERDICT: x", "**VERDICT:** x", "**VERDICT**: x", "## Verdict: x", "> - VERDICT : x"] {
            let (_, rest) = after_last_marker(line, "VERDICT:").expect(line);
            assert_eq!(bare(rest), "x", "{line}");
        }
        assert_eq!(after_last_marker("the VERDICT: x", "VERDICT:"), None);
        assert_eq!(after_last_marker("VERDICT: a\nVERDICT: b", "VERDICT:"), Some(("VERDICT: a\n", " b")));
    }

    #[test]
    fn the_first_marker_leaves_all_that_follows_to_the_text() {
        let text = "x\n**PLAN:** a\nPLAN: b";
        assert_eq!(after_first_marker(text, "PLAN:"), Some(("x\n", " a\nPLAN: b")));
        assert_eq!(after_first_marker("no PLAN: here", "PLAN:"), None);
    }

    #[test]
    fn fields_run_until_the_next_label_and_may_be_bold() {
        let labels = ["Severity", "Location", "Vulnerability"];
        let text = "- **Severity:** HIGH\n- **Location**: line 3\n  and 4\n**Vulnerability:** it leaks\n\n### Next\nx";
        assert_eq!(field(text, "Severity", &labels).as_deref(), Some("HIGH"));
        assert_eq!(field(text, "Location", &labels).as_deref(), Some("line 3\n  and 4"));
        assert_eq!(field(text, "Vulnerability", &labels).as_deref(), Some("it leaks"));
        assert_eq!(field("no Severity: here", "Severity", &labels), None);
    }

    #[test]
    fn blocks_open_only_at_the_start_of_a_line() {
        let text =
            "Intro builds on Section 3: data\n### Finding 1 — A\nbody\n**FINDING 2:** B\nmore, see Finding 1: A\nFINDING three: no\nfinding 3. C";
        let found = blocks(text, "FINDING");
        let heads: Vec<(&str, &str)> = found.iter().map(|block| (block.id.as_str(), block.title.as_str())).collect();
        assert_eq!(heads, [("1", "A"), ("2", "B"), ("3", "C")]);
        assert_eq!(blocks("TASK task_2: x", "task")[0].id, "task_2");
        assert_eq!(blocks("TASK [task_2]: x", "task")[0], Block { id: "task_2".into(), title: "x".into(), body: String::new() });
        assert_eq!(blocks("FINDING #1: x", "finding")[0], Block { id: "1".into(), title: "x".into(), body: String::new() });
        assert_eq!(blocks("We checked finding 3 and found nothing", "finding"), []);
    }

    #[test]
    fn cells_lose_their_markup() {
        let rows = table_rows("| **Accuracy** | `8/10` | fine |\n|---|---|---|\n| Average | 8 | |");
        assert_eq!(rows, [vec!["Accuracy", "8/10", "fine"], vec!["Average", "8", ""]]);
    }

    #[test]
    fn sections_end_at_a_heading_of_their_level() {
        let text = "## Report\n### Findings\n1. a\n#### detail\nmore\n### Strengths\n- b\n";
        assert_eq!(section(text, "findings"), Some("1. a\n#### detail\nmore"));
        assert_eq!(section(text, "Strengths"), Some("- b"));
        assert_eq!(section(text, "Summary"), None);
        assert_eq!(without_sections(text, &["Findings"]), "## Report\n### Strengths\n- b");
        assert_eq!(without_sections(text, &["Report"]), "");
    }

    #[test]
    fn items_keep_their_second_line() {
        assert_eq!(items("1) one\n   and more\n2. two\n- three"), ["one and more", "two", "three"]);
        assert_eq!(items("a\nb\n\nc"), ["a b", "c"]);
    }

    #[test]
    fn scores_stand_alone_and_in_range() {
        let read = |cell| score(cell, 1.0, 10.0);
        assert_eq!([read("8"), read("**8**"), read("8/10"), read("7.5"), read("8 out of 10"), read("[9]")].map(|read| read.is_some()), [true; 6]);
        assert_eq!([read("8/5"), read("0"), read("11"), read("2 errors found"), read("about 7"), read("")], [None; 6]);
    }

    #[test]
    fn characters_count_where_no_spaces_part_words() {
        assert_eq!([words("one two - three"), words("今天天气很好。"), words("用 API迁移data。"), words("")], [4, 6, 5, 0]);
    }

    #[test]
    fn sentences_end_at_stops_and_lines() {
        let text = " It costs 3.5 euros. Really?\n- a line\n\n東京。大阪  ";
        let found: Vec<&str> = sentences(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["It costs 3.5 euros.", "Really?", "- a line", "東京。", "大阪"]);
        assert!(sentences(" . \n").is_empty());
    }

    #[test]
    fn a_token_is_the_first_word() {
        let tokens = ["APPROVE", "REVISE", "REJECT"];
        assert_eq!(token("**REJECT** as it stands", &tokens), Some("REJECT"));
        assert_eq!(token("[approve]", &tokens), Some("APPROVE"));
        assert_eq!(token("cannot approve", &tokens), None);
        assert_eq!(token("APPROVED", &tokens), None);
    }
}
