//! A revision as a line of figures and the changes, each marked with a sign.

use super::{folded, words_of};
use crate::html::safe::esc;
use crate::words;
use synod_types::{Change, Revision};

/// So many changes are shown at once; longer ones wait to be opened.
const SHORT: usize = 12;

pub fn revision(revision: &Revision) -> String {
    let line = words::revision_line(revision, "−");
    let mut out = format!("<p>{}</p>", super::flagged(&line, !revision.kept));
    let notes: String = revision.notes.iter().map(|note| format!("<li>{}</li>", esc(note))).collect();
    if !notes.is_empty() {
        out.push_str(&format!("<ul>{notes}</ul>"));
    }
    out.push_str(&words_of(&revision.reasons));
    let changes: String = revision.changes.iter().map(change).collect();
    if changes.is_empty() {
        return out;
    }
    let diff = format!("<div class=\"diff\">{changes}</div>");
    out.push_str(&if revision.changes.len() <= SHORT { diff } else { folded("What changed", &diff) });
    out
}

fn change(change: &Change) -> String {
    let line = |class: &str, sign: &str, body: &str| format!("<p{class}><span class=\"sign\">{sign}</span>{body}</p>");
    match change {
        Change::Same(text) => line("", "", &esc(text)),
        Change::Added(text) => line(" class=\"added\"", "+", &format!("<ins>{}</ins>", esc(text))),
        Change::Removed(text) => line(" class=\"removed\"", "−", &format!("<del>{}</del>", esc(text))),
        Change::Skipped(lines) => line(" class=\"soft\"", "…", &esc(&words::skipped(*lines))),
    }
}
