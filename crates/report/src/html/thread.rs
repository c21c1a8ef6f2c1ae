//! A conversation in a page: answers set in under what they answer, side conversations folded.

use super::exhibit::{plain_html, section};
use super::safe::{Html, render};
use crate::figures::several;
use crate::shapes::parts;
use crate::text::one_line;
use crate::thread::in_conversation;
use crate::view::View;
use crate::words;
use askama::Template;
use synod_types::{Shape, Shown, Statement};

pub fn thread_html(view: &View, said: &[(&Shown, usize)]) -> Html {
    let Some((first, _)) = said.first() else { return Html::default() };
    let body = said.iter().map(|(each, depth)| said_html(view, each, *depth)).collect();
    section("thread", &first.stage, &one_line(&first.exhibit.title), body)
}

#[derive(Template)]
#[template(path = "html/said.html")]
struct Said<'a> {
    view: &'a View,
    statement: &'a Statement,
    who: String,
    text: String,
    parts: Html,
    depth: usize,
}

fn said_html(view: &View, shown: &Shown, depth: usize) -> Html {
    let exhibit = &shown.exhibit;
    let Shape::Statement(statement) = &exhibit.shape else { return plain_html(view, &[shown]) };
    let who = exhibit.seat.map_or_else(|| "Computed".to_owned(), |seat| words::called(view, seat));
    render(&Said { view, statement, who, text: view.words(exhibit).unwrap_or_default(), parts: parts::html(&exhibit.parts), depth })
}

#[derive(Template)]
#[template(path = "html/aside.html")]
struct Aside {
    title: String,
    said: String,
    inside: Html,
}

pub fn aside_html(view: &View, title: &str, shown: &[&Shown]) -> Html {
    let said = shown.iter().filter(|each| in_conversation(view, each)).count() as u64;
    let inside = shown.iter().map(|each| if in_conversation(view, each) { said_html(view, each, 0) } else { plain_html(view, &[each]) }).collect();
    render(&Aside { title: one_line(title), said: several(said, "message", "messages"), inside })
}
