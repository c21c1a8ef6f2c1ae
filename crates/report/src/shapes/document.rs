//! A document with its contents; in a page its sections wait to be opened, and open when a link leads to them.

use crate::figures::{count, several};
use crate::html::safe::{Html, render};
use crate::markdown::quote::{inline, quote};
use crate::markdown::table::para;
use crate::terminal::entries::{CONTENTS, LIST, entries, entry, sum};
use crate::terminal::exhibit::Length;
use crate::terminal::paper::{Ink, Paper};
use crate::text::one_line;
use crate::view::View;
use crate::words::{joined, seat};
use askama::Template;
use synod_types::{Document, Section, Shown, sha256_hex};

/// Its contents; in full its text too.
pub fn terminal(paper: &mut Paper, view: &View, document: &Document, length: Length) {
    let title = one_line(&document.title);
    if !title.is_empty() {
        paper.para(Ink::BOLD, "  ", &title);
    }
    entries(paper, &document.sections, length, CONTENTS, |paper, section| {
        let line = format!("{}. {} ({})", section.number, one_line(&section.title), note(view, section));
        entry(paper, section.text.trim().is_empty(), &line);
    });
    entries(paper, &document.todos, length, LIST, |paper, todo| entry(paper, true, &format!("To do: {}", todo_line(todo))));
    sum(paper, &summary(document));
    if length == Length::Full {
        text(paper, document);
    }
}

fn text(paper: &mut Paper, document: &Document) {
    paper.blank();
    paper.prose("  ", &document.front);
    for section in document.sections.iter().filter(|section| !section.text.trim().is_empty()) {
        paper.blank();
        paper.hanging(Ink::BOLD, "  ", "    ", &format!("{}. {}", section.number, one_line(&section.title)));
        paper.prose("  ", &section.text);
    }
}

pub fn markdown(view: &View, document: &Document) -> String {
    let mut out = para(&document.title);
    let contents: String = document
        .sections
        .iter()
        .map(|section| format!("- {}\\. {} ({})\n", section.number, inline(&section.title), inline(&note(view, section))))
        .collect();
    out.push_str(&format!("{contents}\n{}", para(&summary(document))));
    let todos: String = document.todos.iter().map(|todo| format!("- To do: {}\n", inline(&todo_line(todo)))).collect();
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

#[derive(Template)]
#[template(path = "shapes/document.html")]
struct Page<'a> {
    view: &'a View,
    document: &'a Document,
    anchor: String,
    /// Whether the document's title says anything that the exhibit's does not.
    titled: bool,
}

pub fn html(view: &View, shown: &Shown, document: &Document) -> Html {
    let titled = !["", shown.exhibit.title.trim()].contains(&document.title.trim());
    render(&Page { view, document, anchor: anchor(shown, document), titled })
}

/// Fragments are made one by one and meet on a page, so a place in one is named after what it holds.
fn anchor(shown: &Shown, document: &Document) -> String {
    let mut all = format!("{}\n{:?}\n{}", shown.stage, shown.exhibit.turn, document.title);
    for section in &document.sections {
        all.push_str(&format!("\n{}\n{}", section.title, section.text));
    }
    format!("part-{}", &sha256_hex(&all)[..10])
}

fn note(view: &View, section: &Section) -> String {
    let by = section.seat.map(|index| format!("by {}", seat(view, index))).unwrap_or_default();
    let length = if section.text.trim().is_empty() { "not written".to_owned() } else { several(u64::from(section.words), "word", "words") };
    joined([by, length], ", ")
}

fn summary(document: &Document) -> String {
    let words: u64 = document.sections.iter().map(|section| u64::from(section.words)).sum();
    let missing = document.sections.iter().filter(|section| section.text.trim().is_empty()).count() as u64;
    let missing = if missing == 0 { String::new() } else { format!("{} not written", count(missing)) };
    let open = if document.todos.is_empty() { String::new() } else { format!("{} marked as still to be done", count(document.todos.len() as u64)) };
    let size = format!("{}, {}", several(document.sections.len() as u64, "section", "sections"), several(words, "word", "words"));
    joined([size, missing, open], "; ")
}

/// What is still to be done, without the mark it had in the text.
fn todo_line(text: &str) -> String {
    let line = one_line(text);
    line.strip_prefix("TODO").map_or_else(|| line.clone(), |rest| rest.trim_start_matches([':', ' ']).to_owned())
}
