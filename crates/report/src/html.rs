//! A run as one self-contained HTML page: no script, no request, readable on a telephone, in the dark and on paper.

pub mod chart;
mod exhibit;
mod record;
pub mod safe;
mod thread;

use crate::figures::{count, moment};
use crate::text::{excerpt, one_line};
use crate::view::View;
use crate::words;
use crate::words::top::TopLine;
use askama::Template;
pub use exhibit::exhibit_html;
use safe::{Html, render};
use synod_types::{Header, Seat, Shown, Status};

/// The style sheet of the page and of every fragment.
pub const STYLE: &str = include_str!("html/style.css");

#[derive(Template)]
#[template(path = "html/run.html")]
struct Page<'a> {
    view: &'a View,
    title: String,
    /// Who is missing, where it cannot be overlooked.
    missing: Vec<String>,
    decided: Html,
    record: Html,
}

pub fn html(view: &View) -> String {
    let question = view.header.as_ref().map_or("", |header| header.question.text.as_str());
    let title = if question.trim().is_empty() { format!("Run {}", view.run) } else { excerpt(question, 70, "…") };
    let missing = view.verdict.iter().flat_map(|verdict| &verdict.missing).map(words::missing).collect();
    let deciding: Vec<&Shown> = view.exhibits().filter(|shown| words::decides(view, shown)).collect();
    let record = view.phases.iter().map(|phase| record::phase_html(view, phase)).collect();
    render(&Page { view, title, missing, decided: exhibit::several_html(view, &deciding), record }).into_string()
}

/// Each line, and whether its name is told: lines of one name in a row tell it once.
fn named_once(lines: &[TopLine]) -> Vec<(&TopLine, bool)> {
    lines.iter().enumerate().map(|(at, line)| (line, at == 0 || lines[at - 1].name != line.name)).collect()
}

/// The class and the sign of a badge.
fn badge(status: Status) -> (&'static str, &'static str) {
    match status {
        Status::Full => ("full", "●"),
        Status::Degraded => ("degraded", "▲"),
        Status::Deadlock => ("deadlock", "■"),
        Status::Escalated => ("escalated", "▲"),
        Status::NoQuorum | Status::Failed => ("failed", "■"),
    }
}

fn model<'a>(header: &'a Header, seat: &'a Seat) -> &'a str {
    header.models.get(&seat.model).map_or(seat.model.as_str(), |card| card.id.as_str())
}
