//! A conversation in a page: answers set in under what they answer, side conversations folded.

use super::exhibit::plain_html;
use super::safe::{esc, prose};
use crate::figures::several;
use crate::text::one_line;
use crate::thread::in_conversation;
use crate::view::View;
use crate::words;
use synod_types::{Shape, Shown};

pub fn thread_html(view: &View, said: &[(&Shown, usize)]) -> String {
    let Some((first, _)) = said.first() else { return String::new() };
    let body: String = said.iter().map(|(each, depth)| said_html(view, each, *depth)).collect();
    format!(
        "<section class=\"exhibit thread\" data-stage=\"{}\"><h4>{}</h4>{body}</section>\n",
        esc(&one_line(&first.stage)),
        esc(&one_line(&first.exhibit.title))
    )
}

fn said_html(view: &View, shown: &Shown, depth: usize) -> String {
    let exhibit = &shown.exhibit;
    let Shape::Statement(statement) = &exhibit.shape else { return plain_html(view, &[shown]) };
    let who = exhibit.seat.map_or_else(|| "Computed".to_owned(), |seat| words::called(view, seat));
    let label = statement.label.as_ref().map(|label| format!(" <span class=\"label\">{}</span>", esc(label))).unwrap_or_default();
    let reply =
        statement.reply_to.as_ref().map(|to| format!(" <span class=\"soft\">to {}</span>", esc(&words::answered(view, to)))).unwrap_or_default();
    let text = view.words(exhibit).unwrap_or_default();
    format!(
        "<article class=\"said in-{depth}\"><p class=\"who\"><b>{}</b>{label}{reply}</p><div class=\"prose\">{}</div></article>\n",
        esc(&who),
        prose(&text)
    )
}

pub fn aside_html(view: &View, title: &str, shown: &[&Shown]) -> String {
    let said = shown.iter().filter(|each| in_conversation(view, each)).count() as u64;
    let inside: String =
        shown.iter().map(|each| if in_conversation(view, each) { said_html(view, each, 0) } else { plain_html(view, &[each]) }).collect();
    format!(
        "<details class=\"exhibit aside\"><summary>{} <span class=\"peek\">{}</span></summary>{inside}</details>\n",
        esc(&one_line(title)),
        several(said, "message", "messages")
    )
}
