//! What became of a text: a line of figures, and the changes, each marked with a sign.

use crate::figures::{count, several};
use crate::html::safe::{Html, render};
use crate::markdown::quote::{fenced, quote};
use crate::markdown::table::para;
use crate::terminal::entries::{below, entry};
use crate::terminal::exhibit::Length;
use crate::terminal::paper::{Ink, Paper};
use crate::text::{clean, one_line};
use crate::view::View;
use crate::words::{self, plain};
use askama::Template;
use synod_types::{Change, Exhibit, Revision};

pub fn terminal(paper: &mut Paper, view: &View, exhibit: &Exhibit, revision: &Revision, length: Length) {
    let who = exhibit.seat.map_or_else(|| one_line(&exhibit.title), |seat| words::seat(view, seat));
    let mark = if revision.decision.trim().is_empty() { ":" } else { "," };
    entry(paper, !revision.kept, &format!("{who}{mark} {}", line(revision, paper.minus())));
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
            Change::Skipped(lines) => (Ink::DIM, paper.ellipsis(), skipped(*lines)),
        };
        for line in clean(&text).lines() {
            paper.hanging(ink, &format!("      {mark} "), "        ", line.trim_start());
        }
    }
}

pub fn markdown(revision: &Revision) -> String {
    let mut out = para(&line(revision, "−"));
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
            Change::Skipped(lines) => ("@@ ", skipped(*lines)),
        };
        clean(&text).lines().for_each(|line| diff.push_str(&format!("{mark}{line}\n")));
    }
    if !diff.is_empty() {
        out.push_str(&format!("{}\n", fenced(&diff, "diff")));
    }
    out
}

/// So many changes are shown at once; longer ones wait to be opened.
const SHORT: usize = 12;

#[derive(Template)]
#[template(path = "shapes/revision.html")]
struct Page<'a> {
    revision: &'a Revision,
}

pub fn html(revision: &Revision) -> Html {
    render(&Page { revision })
}

/// `revise: 412 to 517 words (+120 −15), kept`.
fn line(revision: &Revision, minus: &str) -> String {
    let words = |text: &str| text.split_whitespace().count() as u64;
    let (mut added, mut removed) = (0, 0);
    for change in &revision.changes {
        match change {
            Change::Added(text) => added += words(text),
            Change::Removed(text) => removed += words(text),
            Change::Same(_) | Change::Skipped(_) => {}
        }
    }
    let moved = if added + removed == 0 { String::new() } else { format!(" (+{} {minus}{})", count(added), count(removed)) };
    let (before, now) = (count(u64::from(revision.before_words)), several(u64::from(revision.after_words), "word", "words"));
    let length = if revision.before_words == revision.after_words { now } else { format!("{before} to {now}") };
    let fate = if revision.kept { "kept" } else { "refused: the old text stands" };
    let decision = plain(&revision.decision);
    format!("{}{length}{moved}, {fate}", if decision.is_empty() { decision } else { format!("{decision}: ") })
}

fn skipped(lines: u32) -> String {
    several(u64::from(lines), "unchanged line", "unchanged lines")
}
