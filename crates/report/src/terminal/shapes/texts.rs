//! Revisions and documents: what became of a text, and what is in it. The texts themselves are the turns' and the answer's.

use super::{CONTENTS, LIST, below, entries, entry, sum};
use crate::terminal::exhibit::Length;
use crate::terminal::paper::{Ink, Paper};
use crate::text::{clean, one_line};
use crate::view::View;
use crate::words;
use synod_types::{Change, Document, Exhibit, Revision};

pub fn revision(paper: &mut Paper, view: &View, exhibit: &Exhibit, revision: &Revision, length: Length) {
    let who = exhibit.seat.map_or_else(|| one_line(&exhibit.title), |seat| words::seat(view, seat));
    let mark = if revision.decision.trim().is_empty() { ":" } else { "," };
    entry(paper, !revision.kept, &format!("{who}{mark} {}", words::revision_line(revision, paper.minus())));
    if !revision.kept || length != Length::Brief {
        revision.notes.iter().for_each(|note| below(paper, &one_line(note)));
    }
    if length == Length::Brief {
        return;
    }
    paper.prose("      ", &revision.reasons);
    for change in &revision.changes {
        let (ink, mark, text) = match change {
            Change::Same(text) => (Ink::DIM, " ", text.clone()),
            Change::Added(text) => (Ink::MARK, "+", text.clone()),
            Change::Removed(text) => (Ink::ALARM, paper.minus(), text.clone()),
            Change::Skipped(lines) => (Ink::DIM, paper.ellipsis(), words::skipped(*lines)),
        };
        for line in clean(&text).lines() {
            paper.hanging(ink, &format!("      {mark} "), "        ", line.trim_start());
        }
    }
}

/// Its contents only.
pub fn document(paper: &mut Paper, view: &View, document: &Document, length: Length) {
    let title = one_line(&document.title);
    if !title.is_empty() {
        paper.para(Ink::BOLD, "  ", &title);
    }
    entries(paper, &document.sections, length, CONTENTS, |paper, section| {
        let line = format!("{}. {} ({})", section.number, one_line(&section.title), words::section_note(view, section));
        entry(paper, section.text.trim().is_empty(), &line);
    });
    entries(paper, &document.todos, length, LIST, |paper, todo| entry(paper, true, &format!("To do: {}", words::todo(todo))));
    sum(paper, &words::document_sum(document));
}
