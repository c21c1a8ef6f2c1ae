//! Cards and shifts.

use super::below;
use crate::terminal::exhibit::Length;
use crate::terminal::paper::{Ink, Paper};
use crate::text::one_line;
use crate::words;
use synod_types::{CardPosition, CruxCard, Shifts};

pub fn card(paper: &mut Paper, card: &CruxCard, length: Length) {
    paper.hanging(Ink::BOLD, "  ", "    ", &one_line(&card.question));
    paper.hanging(Ink::DIM, "  ", "    ", &words::card_state(card));
    if card.weak {
        paper.hanging(Ink::ALARM, "! ", "  ", words::WEAK);
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
}

fn position(paper: &mut Paper, position: &CardPosition, length: Length) {
    let stance = words::card_stance(position);
    if length == Length::Brief {
        let falsifier = words::led("; proved wrong by: ", &one_line(&position.falsifier));
        paper.hanging(Ink::PLAIN, "  ", "      ", &format!("{stance}{falsifier}"));
        return;
    }
    paper.hanging(Ink::BOLD, "  ", "      ", &stance);
    paper.prose("      ", &position.reasoning);
    below(paper, &words::led("Would be proved wrong by: ", &one_line(&position.falsifier)));
    for quote in &position.quotes {
        below(paper, &format!("\"{}\" ({})", one_line(&quote.text), words::card_quote(quote)));
    }
}

pub fn shifts(paper: &mut Paper, shifts: &Shifts) {
    for each in &shifts.entries {
        let sign = match (each.moved, paper.style.unicode) {
            (Some(true), true) => "→",
            (Some(true), false) => "->",
            (Some(false), _) => "=",
            (None, _) => "?",
        };
        let summary = if each.moved.is_some() { words::led(": ", &one_line(&each.summary)) } else { String::new() };
        paper.hanging(Ink::PLAIN, "  ", "      ", &format!("{} {sign} {}{summary}", one_line(&each.name), words::moved(each)));
    }
    if shifts.entries.is_empty() {
        paper.para(Ink::DIM, "  ", "Nobody's position could be compared.");
    }
}
