//! The work under judgement, for modes that judge one: the content with the question as its task, else the question itself.
//!
//! `{% include "work" %}` puts it before the panel by the same rule.

use synod_engine::Bench;

pub fn text(bench: &Bench) -> &str {
    content(bench).unwrap_or(&bench.question().text)
}

/// The task the work belongs to; `None` when the question itself is the work.
pub fn task(bench: &Bench) -> Option<&str> {
    content(bench).map(|_| bench.question().text.as_str())
}

/// Warns when the question itself is judged, because that is seldom what was meant.
pub fn warn_if_question(bench: &Bench) {
    if content(bench).is_none() {
        let files = if bench.question().files.is_empty() { "" } else { ", with the attached files," };
        bench.warn(format!("No content was given, so the question itself{files} was judged. Give the work as content."));
    }
}

fn content(bench: &Bench) -> Option<&str> {
    bench.question().content.as_deref().filter(|content| !content.is_empty())
}
