//! The slots of a claim in a page, by layer and attempt: who filled them, how sure they were, and their words under a fold.

use super::super::{Attempt, Content, Layer, content, words};
use crate::html::safe::{esc, prose};
use crate::html::section;
use crate::text::one_line;
use crate::words as common;
use synod_types::Slot;

pub fn slots(layers: &[Layer]) -> String {
    let parts: String = layers.iter().filter(|layer| layer.attempts.iter().any(|attempt| !attempt.slots.is_empty())).map(layer_html).collect();
    if parts.is_empty() { section("slots", "Slots", "<p>None is open yet.</p>\n") } else { section("slots", "Slots", &parts) }
}

fn layer_html(layer: &Layer) -> String {
    let goal = if layer.goal.trim().is_empty() { String::new() } else { format!("<p class=\"soft\">{}</p>\n", esc(&one_line(layer.goal))) };
    let attempts: String = layer.attempts.iter().map(|attempt| attempt_html(layer, attempt)).collect();
    format!(
        "<section class=\"phase\" id=\"layer-{}\"><h3>{} <span class=\"soft\">{}</span></h3>\n{goal}{attempts}</section>\n",
        layer.number,
        esc(&layer.title()),
        layer.standing.word()
    )
}

/// What no longer counts is folded away, and says so.
fn attempt_html(layer: &Layer, attempt: &Attempt) -> String {
    let body: String = attempt.slots.iter().map(|slot| slot_html(slot)).collect();
    match (words::attempt(layer, attempt), attempt.superseded) {
        (Some(told), true) => format!("<details class=\"attempt\"><summary><b>{}</b></summary>\n{body}</details>\n", esc(&told)),
        (Some(told), false) => format!("<h4>{}</h4>\n{body}", esc(&told)),
        (None, _) => body,
    }
}

fn slot_html(slot: &Slot) -> String {
    let facts = words::slot_facts(slot);
    // A fact is not broken where it fits, and no line begins with a dot.
    let last = facts.len().saturating_sub(1);
    let dot = |at: usize| if at < last { " ·" } else { "" };
    let facts: Vec<String> = facts.iter().enumerate().map(|(at, fact)| format!("<span class=\"fact\">{}{}</span>", esc(fact), dot(at))).collect();
    let facts = facts.join(" ");
    let head = format!("<b>{}</b> <span class=\"soft\">{facts}</span>", esc(&words::seat(slot)));
    let notice = slot
        .notice
        .as_deref()
        .map(|notice| format!("<p class=\"alarm notice\"><span aria-hidden=\"true\">▲ </span>{}</p>\n", esc(&one_line(notice))));
    let notice = notice.unwrap_or_default();
    let fields = fields(slot);
    let (peek, said) = match content(slot) {
        Content::Said(output) => (
            format!("<span class=\"peek glance\">{}</span>", esc(&common::glance(output, 160, "…"))),
            format!("<div class=\"prose\">{}</div>\n", prose(output)),
        ),
        Content::Open | Content::Taken | Content::Withheld | Content::Nothing => (String::new(), String::new()),
    };
    if said.is_empty() && fields.is_empty() {
        return format!("<div class=\"slot\"><p>{head}</p>\n{notice}</div>\n");
    }
    format!("<div class=\"slot\"><details><summary>{head}{peek}</summary>\n{said}{fields}</details>\n{notice}</div>\n")
}

fn fields(slot: &Slot) -> String {
    let lines: String = words::slot_fields(slot)
        .into_iter()
        .map(|(name, field)| {
            let body = match field {
                words::Field::Line(text) => esc(&text),
                words::Field::List(items) if items.is_empty() => "none".to_owned(),
                words::Field::List(items) => format!("<ul>{}</ul>", items.iter().map(|item| format!("<li>{}</li>", esc(item))).collect::<String>()),
                words::Field::Json(json) => format!("<pre>{}</pre>", esc(&json)),
            };
            format!("<dt>{}</dt><dd>{body}</dd>", esc(&name))
        })
        .collect();
    if lines.is_empty() { String::new() } else { format!("<dl class=\"facts fields\">{lines}</dl>\n") }
}
