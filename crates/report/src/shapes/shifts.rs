//! Who moved.

use crate::html::safe::{Html, render};
use crate::markdown::quote::inline;
use crate::terminal::paper::{Ink, Paper};
use crate::text::one_line;
use crate::words::led;
use askama::Template;
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

#[derive(Template)]
#[template(path = "shapes/shifts.html")]
struct Page<'a> {
    shifts: &'a Shifts,
}

pub fn html(shifts: &Shifts) -> Html {
    render(&Page { shifts })
}

/// How somebody moved, in a word.
fn moved(shift: &Shift) -> &'static str {
    match shift.moved {
        Some(true) => "moved",
        Some(false) => "stayed",
        None => "not assessed",
    }
}
