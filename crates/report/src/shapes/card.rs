//! A crux card: the question two sides part over, and where each stands.

use crate::html::safe::{Html, render};
use crate::markdown::quote::{inline, quote};
use crate::markdown::table::para;
use crate::terminal::entries::below;
use crate::terminal::exhibit::Length;
use crate::terminal::paper::{Ink, Paper};
use crate::text::one_line;
use crate::words::led;
use askama::Template;
use synod_types::{CardPosition, CardQuote, CruxCard};

pub fn terminal(paper: &mut Paper, card: &CruxCard, length: Length) {
    paper.hanging(Ink::BOLD, "  ", "    ", &one_line(&card.question));
    paper.hanging(Ink::DIM, "  ", "    ", &state(card));
    if card.weak {
        paper.hanging(Ink::ALARM, "! ", "  ", WEAK);
    }
    if length != Length::Brief {
        paper.prose("  ", &card.diagnosis);
    }
    for each in &card.positions {
        position(paper, each, length);
    }
    if !card.resolution.trim().is_empty() {
        paper.hanging(Ink::PLAIN, "  ", "    ", &format!("They settled on: {}", one_line(&card.resolution)));
    }
    if !card.proposed.trim().is_empty() {
        paper.hanging(Ink::PLAIN, "  ", "    ", &format!("{PROPOSED}: {}", one_line(&card.proposed)));
    }
}

fn position(paper: &mut Paper, position: &CardPosition, length: Length) {
    let stance = stance(position);
    if length == Length::Brief {
        let falsifier = led("; proved wrong by: ", &one_line(&position.falsifier));
        paper.hanging(Ink::PLAIN, "  ", "      ", &format!("{stance}{falsifier}"));
        return;
    }
    paper.hanging(Ink::BOLD, "  ", "      ", &stance);
    paper.prose("      ", &position.reasoning);
    below(paper, &led("Would be proved wrong by: ", &one_line(&position.falsifier)));
    for quote in &position.quotes {
        below(paper, &format!("\"{}\" ({})", one_line(&quote.text), quoted(quote)));
    }
}

pub fn markdown(card: &CruxCard) -> String {
    let mut out = format!("**{}**\n\n{}", inline(&card.question), para(&state(card)));
    if card.weak {
        out.push_str(&para(WEAK));
    }
    if !card.diagnosis.trim().is_empty() {
        out.push_str(&format!("{}\n", quote(&card.diagnosis)));
    }
    for position in &card.positions {
        out.push_str(&format!("{}\n\n", inline(&stance(position))));
        if !position.reasoning.trim().is_empty() {
            out.push_str(&format!("{}\n", quote(&position.reasoning)));
        }
        if !position.falsifier.trim().is_empty() {
            out.push_str(&format!("Would be proved wrong by:\n\n{}\n", quote(&position.falsifier)));
        }
        for said in &position.quotes {
            out.push_str(&format!("- “{}” ({})\n", inline(&said.text), inline(&quoted(said))));
        }
        out.push('\n');
    }
    if !card.resolution.trim().is_empty() {
        out.push_str(&format!("They settled on:\n\n{}\n", quote(&card.resolution)));
    }
    if !card.proposed.trim().is_empty() {
        out.push_str(&format!("{PROPOSED}:\n\n{}\n", quote(&card.proposed)));
    }
    out
}

#[derive(Template)]
#[template(path = "shapes/card.html")]
struct Page<'a> {
    card: &'a CruxCard,
}

pub fn html(card: &CruxCard) -> Html {
    render(&Page { card })
}

/// `premise, open; could be settled by evidence on the assumption`.
fn state(card: &CruxCard) -> String {
    let state = if card.resolved { "resolved" } else { "open" };
    let settled = if card.resolved { String::new() } else { led("; could be settled by ", &one_line(&card.settled_by)) };
    format!("{}, {state}{settled}", one_line(&card.disagreement))
}

const PROPOSED: &str = "Put forward as a settlement, not shared by both";

const WEAK: &str = "Both give the same answer, so this may not be where they part.";

/// `Ingrid Solheim: YES`.
fn stance(position: &CardPosition) -> String {
    format!("{}: {}", one_line(&position.name), one_line(&position.stance))
}

/// Where a quotation was found, or that it was not.
fn quoted(quote: &CardQuote) -> String {
    match &quote.found_in {
        Some(id) => format!("said so in {}", one_line(id)),
        None => "not found in what was said".to_owned(),
    }
}
