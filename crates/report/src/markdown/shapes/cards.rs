//! Cards and shifts.

use super::para;
use crate::markdown::quote::{inline, quote};
use crate::words;
use synod_types::{CruxCard, Shifts};

pub fn card(card: &CruxCard) -> String {
    let mut out = format!("**{}**\n\n{}", inline(&card.question), para(&words::card_state(card)));
    if card.weak {
        out.push_str(&para(words::WEAK));
    }
    if !card.diagnosis.trim().is_empty() {
        out.push_str(&format!("{}\n", quote(&card.diagnosis)));
    }
    for position in &card.positions {
        out.push_str(&format!("{}\n\n", inline(&words::card_stance(position))));
        if !position.reasoning.trim().is_empty() {
            out.push_str(&format!("{}\n", quote(&position.reasoning)));
        }
        if !position.falsifier.trim().is_empty() {
            out.push_str(&format!("Would be proved wrong by:\n\n{}\n", quote(&position.falsifier)));
        }
        for said in &position.quotes {
            out.push_str(&format!("- “{}” ({})\n", inline(&said.text), inline(&words::card_quote(said))));
        }
        out.push('\n');
    }
    if !card.resolution.trim().is_empty() {
        out.push_str(&format!("They settled on:\n\n{}\n", quote(&card.resolution)));
    }
    out
}

pub fn shifts(shifts: &Shifts) -> String {
    if shifts.entries.is_empty() {
        return "Nobody's position could be compared.\n".to_owned();
    }
    let line = |each: &synod_types::Shift| {
        let sign = match each.moved {
            Some(true) => "→",
            Some(false) => "=",
            None => "?",
        };
        let summary = if each.moved.is_some() { words::led(": ", &each.summary) } else { String::new() };
        format!("- {} {sign} {}{}\n", inline(&each.name), words::moved(each), inline(&summary))
    };
    shifts.entries.iter().map(line).collect()
}
