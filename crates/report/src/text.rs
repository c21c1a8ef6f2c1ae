//! Untrusted text made fit to show: what a terminal or a page would obey is taken out, what a person would read is kept.
//!
//! Owns cleaning, measuring, cutting and wrapping of plain text. Knows no markup: that is each medium's own.

use std::iter::Peekable;
use std::str::Chars;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// True for what only says something to a reader: no control character, nothing that turns the direction of writing or hides text.
pub fn harmless(c: char) -> bool {
    let hidden = matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
    !c.is_control() && !hidden
}

/// Takes out escape sequences whole and control characters one by one. Line ends become `\n`, tabs four spaces.
pub fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            '\r' if chars.peek() != Some(&'\n') => out.push('\n'),
            '\t' => out.push_str("    "),
            '\u{1b}' => skip_escape(&mut chars),
            '\u{9b}' => skip_control_sequence(&mut chars),
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => skip_control_string(&mut chars),
            c if harmless(c) => out.push(c),
            _ => {}
        }
    }
    out
}

fn skip_escape(chars: &mut Peekable<Chars>) {
    match chars.peek() {
        Some('[') => {
            chars.next();
            skip_control_sequence(chars);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            chars.next();
            skip_control_string(chars);
        }
        _ => {
            while chars.next_if(|c| (' '..='/').contains(c)).is_some() {}
            chars.next_if(|c| ('0'..='~').contains(c));
        }
    }
}

/// Parameters, then one final byte.
fn skip_control_sequence(chars: &mut Peekable<Chars>) {
    while chars.next_if(|c| (' '..='?').contains(c)).is_some() {}
    chars.next_if(|c| ('@'..='~').contains(c));
}

/// Ends at its terminator, or with the line: an unfinished one must not swallow the rest of an answer.
fn skip_control_string(chars: &mut Peekable<Chars>) {
    while let Some(c) = chars.next_if(|c| *c != '\n') {
        match c {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                chars.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}

/// Clean, on one line, with single spaces.
pub fn one_line(text: &str) -> String {
    clean(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Columns a terminal gives it.
pub fn width(text: &str) -> usize {
    text.width()
}

/// At most `most` columns; what is cut off leaves `mark` behind.
pub fn fit(text: &str, most: usize, mark: &str) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let room = most.saturating_sub(width(mark));
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        let wide = c.width().unwrap_or(0);
        if used + wide > room {
            break;
        }
        used += wide;
        out.push(c);
    }
    let mut out = out.trim_end().to_owned();
    out.push_str(mark);
    out
}

/// At most `most` characters on one line, ended at a word where one ends near; what is cut off leaves `mark` behind.
pub fn excerpt(text: &str, most: usize, mark: &str) -> String {
    let line = one_line(text);
    if line.chars().count() <= most {
        return line;
    }
    let cut: String = line.chars().take(most).collect();
    let at_word = cut.rfind(' ').filter(|at| *at > cut.len() * 2 / 3).map_or(cut.as_str(), |at| &cut[..at]);
    format!("{}{mark}", at_word.trim_end_matches([' ', ',', ';', ':', '.']))
}

/// Filled up with spaces to `columns`.
pub fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// One character with whatever a medium wants to know about it.
pub type Marked<M> = (char, M);

/// Breaks marked text into lines of at most `columns`, at spaces where there are any. `\n` ends a line.
pub fn wrap<M: Copy>(text: &[Marked<M>], columns: usize) -> Vec<Vec<Marked<M>>> {
    let columns = columns.max(1);
    text.split(|(c, _)| *c == '\n').flat_map(|line| wrap_line(line, columns)).collect()
}

fn is_address<M>(word: &[Marked<M>]) -> bool {
    word.windows(3).any(|three| three[0].0 == ':' && three[1].0 == '/' && three[2].0 == '/')
}

fn wrap_line<M: Copy>(line: &[Marked<M>], columns: usize) -> Vec<Vec<Marked<M>>> {
    let mut lines = Vec::new();
    let mut current: Vec<Marked<M>> = Vec::new();
    let mut used = 0;
    // Where the line may be broken: after this many characters of `current`.
    let mut space: Option<usize> = None;
    for &(c, mark) in line {
        let wide = c.width().unwrap_or(0);
        if c == ' ' && used + wide > columns {
            lines.push(std::mem::take(&mut current));
            (used, space) = (0, None);
            continue;
        }
        // More than once where a wide character follows a word that just fitted.
        while used + wide > columns && !current.is_empty() {
            let rest = match space.take() {
                Some(at) => current.split_off(at),
                // An address broken in two is no address: it may stand out instead.
                None if is_address(&current) => break,
                None => Vec::new(),
            };
            lines.push(std::mem::replace(&mut current, rest));
            used = current.iter().map(|(c, _)| c.width().unwrap_or(0)).sum();
        }
        // A break at a space must not leave that space at the head of the next line.
        if c == ' ' && current.is_empty() && !lines.is_empty() {
            continue;
        }
        current.push((c, mark));
        used += wide;
        if c == ' ' {
            space = Some(current.len());
        }
    }
    if !current.is_empty() || lines.is_empty() {
        lines.push(current);
    }
    for line in &mut lines {
        while line.last().is_some_and(|(c, _)| *c == ' ') {
            line.pop();
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wrapped(text: &str, columns: usize) -> Vec<String> {
        let marked: Vec<Marked<()>> = text.chars().map(|c| (c, ())).collect();
        wrap(&marked, columns).into_iter().map(|line| line.into_iter().map(|(c, ())| c).collect()).collect()
    }

    #[test]
    fn escape_sequences_go_whole_and_words_stay() {
        assert_eq!(clean("a\u{1b}[31;1mred\u{1b}[0m b"), "ared b");
        assert_eq!(clean("\u{1b}]0;title\u{7}after"), "after");
        assert_eq!(clean("\u{1b}]8;;https://x\u{1b}\\link\u{1b}]8;;\u{1b}\\"), "link");
        assert_eq!(clean("\u{9b}2Jx\u{1b}(Bz\u{1b}cw"), "xzw");
        assert_eq!(clean("over\rwritten\u{8}\u{0}"), "over\nwritten");
        assert_eq!(clean("one\r\ntwo\tthree"), "one\ntwo    three");
    }

    #[test]
    fn an_unfinished_control_string_costs_its_line_only() {
        assert_eq!(clean("\u{1b}]0;never ends\nnext line"), "\nnext line");
    }

    #[test]
    fn text_cannot_turn_its_direction() {
        assert_eq!(clean("a\u{202e}cba\u{2066}"), "acba");
    }

    #[test]
    fn wrapping_breaks_at_spaces_and_cuts_what_has_none() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("abcdefgh ij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrapped("", 4), [""]);
        assert_eq!(wrapped("a\n\nb", 4), ["a", "", "b"]);
        assert_eq!(wrapped("漢字漢字", 5), ["漢字", "漢字"]);
        assert_eq!(wrapped("see https://example.org/long here", 12), ["see", "https://example.org/long", "here"]);
    }

    #[test]
    fn a_cut_text_says_so_and_keeps_to_its_columns() {
        assert_eq!(fit("abcdef", 4, "…"), "abc…");
        assert_eq!(fit("漢字漢字", 4, "…"), "漢…");
        assert_eq!(excerpt("one two three four", 14, "…"), "one two three…");
    }

    proptest! {
        #[test]
        fn nothing_a_terminal_obeys_survives(text in any::<String>()) {
            prop_assert!(clean(&text).chars().all(|c| c == '\n' || harmless(c)));
        }

        #[test]
        fn wrapped_lines_keep_their_width_and_all_their_words(text in "[a-z 漢é]{0,80}", columns in 2usize..30) {
            let lines = wrapped(&text, columns);
            prop_assert!(lines.iter().all(|line| width(line) <= columns));
            let solid = |text: &str| text.chars().filter(|c| *c != ' ').collect::<String>();
            prop_assert_eq!(solid(&lines.concat()), solid(&text));
        }
    }
}
