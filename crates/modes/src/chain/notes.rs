//! Editor's notes: said to the reader of the record, not part of the text that goes on.

use crate::text::closing_bracket;

/// The notes in a text (`[Editor's Note: …]`, bold or quoted too), and the text without them: those it opens with, over several lines too, and
/// every later line that is one note and nothing else, code aside. An opening note that is never closed ends with its line. A reply that is
/// nothing but notes is left as it is: there is no text to carry on.
pub fn without_notes(text: &str) -> (Vec<String>, String) {
    let mut notes = Vec::new();
    let mut rest = text.trim().to_owned();
    loop {
        let found = notes.len();
        while let Some((note, after)) = leading_note(&rest) {
            notes.push(note);
            rest = after.to_owned();
        }
        rest = without_note_lines(&rest, &mut notes);
        if notes.len() == found {
            break;
        }
    }
    if rest.is_empty() { (Vec::new(), text.trim().to_owned()) } else { (notes, rest) }
}

/// Takes out lines that are a note each, with the blank line that set them apart.
fn without_note_lines(text: &str, notes: &mut Vec<String>) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut fence: Option<&str> = None;
    let mut removed = false;
    for line in text.lines() {
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        match (fence, mark) {
            (None, Some(_)) => fence = mark,
            (Some(open), Some(close)) if open == close => fence = None,
            _ => {}
        }
        if let Some(note) = whole_note(line).filter(|_| fence.is_none()) {
            notes.push(note);
            removed = true;
            continue;
        }
        let doubled = removed && line.trim().is_empty() && kept.last().is_none_or(|last| last.trim().is_empty());
        if !doubled {
            kept.push(line);
            removed = false;
        }
    }
    if notes.is_empty() { text.to_owned() } else { kept.join("\n").trim().to_owned() }
}

/// The note a line consists of, if it is closed there.
fn whole_note(line: &str) -> Option<String> {
    let closed = line.matches('[').count() <= line.matches(']').count();
    leading_note(line.trim()).filter(|(_, after)| closed && after.is_empty()).map(|(note, _)| note)
}

fn is_markup(c: char) -> bool {
    c.is_whitespace() || "*_>".contains(c)
}

fn leading_note(text: &str) -> Option<(String, &str)> {
    let inside = text.trim_start_matches(is_markup).strip_prefix('[')?;
    let words = inside.trim_start_matches(is_markup);
    let label = ["editor's note", "editor’s note", "editors' note", "editor note", "editor's notes", "editor’s notes"]
        .iter()
        .filter(|label| words.get(..label.len()).is_some_and(|head| head.eq_ignore_ascii_case(label)))
        .max_by_key(|label| label.len())?;
    let note = words[label.len()..].trim_start_matches(is_markup).strip_prefix(':')?;
    let end = closing_bracket(note.char_indices());
    let (said, after) = match end {
        Some(end) => (&note[..end], &note[end + 1..]),
        None => note.split_once('\n').unwrap_or((note, "")),
    };
    Some((said.trim_matches(is_markup).to_owned(), without_closing_marks(after)))
}

/// The bold marks that closed around a note belong to it; marks on a later line belong to the text.
fn without_closing_marks(text: &str) -> &str {
    text.trim_start_matches(['*', '_']).trim_start()
}
