//! Revisions and documents: the changes as a diff, the sections one by one.

use super::para;
use crate::markdown::quote::{fenced, inline, quote};
use crate::text::clean;
use crate::view::View;
use crate::words;
use synod_types::{Change, Document, Revision};

pub fn revision(revision: &Revision) -> String {
    let mut out = para(&words::revision_line(revision, "−"));
    for note in &revision.notes {
        out.push_str(&para(note));
    }
    if !revision.reasons.trim().is_empty() {
        out.push_str(&format!("{}\n", quote(&revision.reasons)));
    }
    let mut diff = String::new();
    for change in &revision.changes {
        let (mark, text) = match change {
            Change::Same(text) => ("  ", text.clone()),
            Change::Added(text) => ("+ ", text.clone()),
            Change::Removed(text) => ("- ", text.clone()),
            Change::Skipped(lines) => ("@@ ", words::skipped(*lines)),
        };
        clean(&text).lines().for_each(|line| diff.push_str(&format!("{mark}{line}\n")));
    }
    if !diff.is_empty() {
        out.push_str(&format!("{}\n", fenced(&diff, "diff")));
    }
    out
}

pub fn document(view: &View, document: &Document) -> String {
    let mut out = para(&document.title);
    let contents: String = document
        .sections
        .iter()
        .map(|section| format!("- {}\\. {} ({})\n", section.number, inline(&section.title), inline(&words::section_note(view, section))))
        .collect();
    out.push_str(&format!("{contents}\n{}", para(&words::document_sum(document))));
    let todos: String = document.todos.iter().map(|todo| format!("- To do: {}\n", inline(&words::todo(todo)))).collect();
    if !todos.is_empty() {
        out.push_str(&format!("{todos}\n"));
    }
    if !document.front.trim().is_empty() {
        out.push_str(&format!("{}\n", quote(&document.front)));
    }
    for section in document.sections.iter().filter(|section| !section.text.trim().is_empty()) {
        out.push_str(&format!("**{}. {}**\n\n{}\n", section.number, inline(&section.title), quote(&section.text)));
    }
    out
}
