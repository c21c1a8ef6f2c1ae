//! A conversation as markdown: an answer is a quotation within what it answers.

use super::exhibit::exhibit;
use super::quote::{inline, quote};
use crate::figures::several;
use crate::shapes::parts;
use crate::thread::in_conversation;
use crate::view::View;
use crate::words;
use synod_types::{Shape, Shown};

pub fn thread(view: &View, said: &[(&Shown, usize)]) -> String {
    let Some((first, _)) = said.first() else { return String::new() };
    let mut out = format!("#### {}\n\n", inline(&first.exhibit.title));
    for (each, depth) in said {
        out.push_str(&statement(view, each, *depth));
        out.push('\n');
    }
    out
}

fn statement(view: &View, shown: &Shown, depth: usize) -> String {
    let exhibit = &shown.exhibit;
    let Shape::Statement(statement) = &exhibit.shape else { return String::new() };
    let who = exhibit.seat.map_or_else(|| "Computed".to_owned(), |seat| words::called(view, seat));
    let label = statement.label.as_ref().map(|label| format!(" ({})", inline(label))).unwrap_or_default();
    let reply = statement.reply_to.as_ref().map(|to| format!(", to {}", inline(&words::answered(view, to)))).unwrap_or_default();
    let text = view.words(exhibit).unwrap_or_default();
    let parts = parts::markdown(&exhibit.parts);
    let parts = if parts.is_empty() { parts } else { format!("\n{parts}") };
    let whole = format!("**{}**{label}{reply}\n\n{}{parts}", inline(&who), quote(&text));
    let indent = "> ".repeat(depth);
    whole.lines().map(|line| format!("{}\n", format!("{indent}{line}").trim_end())).collect()
}

pub fn aside(view: &View, title: &str, shown: &[&Shown]) -> String {
    let said = shown.iter().filter(|each| in_conversation(view, each)).count() as u64;
    let mut out = format!("#### {}\n\n", inline(&format!("{title} ({})", several(said, "message", "messages"))));
    for each in shown {
        let part = if in_conversation(view, each) { statement(view, each, 1) } else { exhibit(view, each) };
        out.push_str(&format!("{}\n\n", part.trim_end()));
    }
    out
}
