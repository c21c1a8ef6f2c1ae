//! What a seat said beside what its exhibit's shape shows: named texts and lists below it.

use crate::html::safe::{Html, render};
use crate::markdown::quote::quote;
use crate::markdown::table::para;
use crate::terminal::exhibit::Length;
use crate::terminal::paper::{Ink, Paper};
use crate::text::one_line;
use askama::Template;
use synod_types::Part;

/// Beside the answer nothing: they stand with their phase.
pub fn terminal(paper: &mut Paper, parts: &[Part], length: Length) {
    for part in parts.iter().filter(|_| length != Length::Brief) {
        paper.para(Ink::BOLD, "  ", &format!("{}:", one_line(&part.name)));
        match part.texts.as_slice() {
            [text] => paper.prose("    ", text),
            texts => texts.iter().for_each(|text| paper.hanging(Ink::PLAIN, "    - ", "      ", &one_line(text))),
        }
    }
}

pub fn markdown(parts: &[Part]) -> String {
    let set = |part: &Part| {
        let text = match part.texts.as_slice() {
            [text] => text.clone(),
            texts => texts.iter().map(|text| format!("- {}\n", one_line(text))).collect(),
        };
        format!("{}{}\n", para(&format!("{}:", part.name)), quote(&text))
    };
    parts.iter().map(set).collect()
}

#[derive(Template)]
#[template(path = "shapes/parts.html")]
struct Page<'a> {
    parts: &'a [Part],
}

pub fn html(parts: &[Part]) -> Html {
    if parts.is_empty() { Html::default() } else { render(&Page { parts }) }
}
