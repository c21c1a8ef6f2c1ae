//! Who moved.

use crate::html::part::words_of;
use crate::html::safe::esc;
use crate::markdown::quote::inline;
use crate::terminal::paper::{Ink, Paper};
use crate::text::one_line;
use crate::words::led;
use synod_types::{Shift, Shifts};

pub fn terminal(paper: &mut Paper, shifts: &Shifts) {
    for each in &shifts.entries {
        let sign = match (each.moved, paper.style.unicode) {
            (Some(true), true) => "→",
            (Some(true), false) => "->",
            (Some(false), _) => "=",
            (None, _) => "?",
        };
        let summary = if each.moved.is_some() { led(": ", &one_line(&each.summary)) } else { String::new() };
        paper.hanging(Ink::PLAIN, "  ", "      ", &format!("{} {sign} {}{summary}", one_line(&each.name), moved(each)));
    }
    if shifts.entries.is_empty() {
        paper.para(Ink::DIM, "  ", "Nobody's position could be compared.");
    }
}

pub fn markdown(shifts: &Shifts) -> String {
    if shifts.entries.is_empty() {
        return "Nobody's position could be compared.\n".to_owned();
    }
    let line = |each: &synod_types::Shift| {
        let sign = match each.moved {
            Some(true) => "→",
            Some(false) => "=",
            None => "?",
        };
        let summary = if each.moved.is_some() { led(": ", &each.summary) } else { String::new() };
        format!("- {} {sign} {}{}\n", inline(&each.name), moved(each), inline(&summary))
    };
    shifts.entries.iter().map(line).collect()
}

pub fn html(shifts: &Shifts) -> String {
    if shifts.entries.is_empty() {
        return "<p>Nobody's position could be compared.</p>".to_owned();
    }
    format!("<ul class=\"shifts\">{}</ul>", shifts.entries.iter().map(entry).collect::<String>())
}

fn entry(shift: &Shift) -> String {
    let sign = match shift.moved {
        Some(true) => "→",
        Some(false) => "=",
        None => "?",
    };
    let head = format!("<span class=\"arrow\" aria-hidden=\"true\">{sign}</span> <b>{}</b> {}", esc(&shift.name), moved(shift));
    let summary = if shift.moved.is_some() { led(": ", &one_line(&shift.summary)) } else { String::new() };
    let side = |name: &str, text: &str| if text.trim().is_empty() { String::new() } else { format!("<dt>{name}</dt><dd>{}</dd>", words_of(text)) };
    let both = format!("{}{}", side("At first", &shift.before), side("At the end", &shift.after));
    match both.is_empty() {
        true => format!("<li>{head}{}</li>", esc(&summary)),
        false => format!("<li><details><summary>{head}{}</summary><dl class=\"facts\">{both}</dl></details></li>", esc(&summary)),
    }
}

/// How somebody moved, in a word.
fn moved(shift: &Shift) -> &'static str {
    match shift.moved {
        Some(true) => "moved",
        Some(false) => "stayed",
        None => "not assessed",
    }
}
