//! Something a seat said.

use crate::html::safe::{Html, render};
use crate::markdown::quote::{inline, quote};
use crate::shapes::parts;
use crate::terminal::exhibit::Length;
use crate::terminal::paper::{Ink, Paper};
use crate::text::one_line;
use crate::view::View;
use crate::words;
use askama::Template;
use synod_types::{Exhibit, Shape, Statement};

/// More statements than this are a long debate, and this much of each is enough to follow it.
const MANY: usize = 12;

const BEGINNING: usize = 400;

pub fn terminal(paper: &mut Paper, view: &View, exhibit: &Exhibit, statement: &Statement, length: Length) {
    let who = exhibit.seat.map_or_else(|| "Computed".to_owned(), |seat| words::seat(view, seat));
    let label = statement.label.as_ref().map(|label| format!(", as {}", one_line(label))).unwrap_or_default();
    let reply = statement.reply_to.as_ref().map(|to| format!(", in reply to {}", words::label(view, to))).unwrap_or_default();
    let turn = exhibit.turn.as_ref().map(|key| format!(" ({})", one_line(key))).unwrap_or_default();
    paper.para(Ink::PLAIN, "  ", &format!("{who}{label}{reply}{turn}"));
    let Some(text) = &statement.text else { return };
    let spoken = view.exhibits().filter(|shown| matches!(&shown.exhibit.shape, Shape::Statement(other) if other.text.is_some())).count();
    if length == Length::Full || spoken <= MANY || text.chars().count() <= BEGINNING {
        paper.prose("  ", text);
    } else {
        paper.para(Ink::PLAIN, "  ", &words::glance(text, BEGINNING, paper.ellipsis()));
    }
}

pub fn markdown(view: &View, exhibit: &Exhibit, statement: &Statement) -> String {
    let mut facts = Vec::new();
    facts.extend(statement.label.as_ref().map(|label| format!("Shown to others as {}.", inline(label))));
    facts.extend(statement.reply_to.as_ref().map(|to| format!("In reply to {}.", inline(&words::label(view, to)))));
    let facts = if facts.is_empty() { String::new() } else { format!("{}\n\n", facts.join(" ")) };
    let text = view.words(exhibit).map_or_else(|| "Nothing on record.\n".to_owned(), |text| quote(&text));
    format!("{facts}{text}")
}

#[derive(Template)]
#[template(path = "shapes/statement.html")]
struct Page<'a> {
    view: &'a View,
    statement: &'a Statement,
    who: String,
    /// Where no heading above it tells it.
    title: Option<&'a str>,
    said: Option<String>,
    parts: Html,
}

pub fn html(view: &View, exhibit: &Exhibit, statement: &Statement, titled: bool) -> Html {
    let who = exhibit.seat.map_or_else(|| "Computed".to_owned(), |seat| words::seat(view, seat));
    let title = titled.then_some(exhibit.title.as_str());
    render(&Page { view, statement, who, title, said: view.words(exhibit), parts: parts::html(&exhibit.parts) })
}
