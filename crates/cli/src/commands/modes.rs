//! `synod modes`: the registry, for people and for programs.

use crate::args::{Global, Modes};
use crate::exit::{CliResult, DECIDED, print_json};
use crate::reference::{self, family, option_lines, seats};
use crate::say::say;
use serde_json::{Value, json};
use synod_app::AppError;
use synod_app::planned;
use synod_engine::Mode;
use synod_modes::MODES;
use synod_types::Problem;

pub fn run(global: &Global, args: Modes) -> CliResult {
    let chosen: Vec<&Mode> = match &args.id {
        None => MODES.to_vec(),
        Some(id) => vec![find(id)?],
    };
    if args.markdown {
        crate::say::document(&reference::page());
    } else if global.json {
        let described: Vec<Value> = chosen.iter().map(|mode| describe(mode)).collect();
        let document = if args.id.is_some() { described.into_iter().next().unwrap_or_default() } else { json!({ "modes": described }) };
        print_json(&document);
    } else if args.id.is_some() {
        chosen.iter().for_each(|mode| explain(mode));
    } else {
        list();
    }
    Ok(DECIDED)
}

fn find(id: &str) -> CliResult<&'static Mode> {
    let known = || MODES.iter().map(|mode| mode.id).collect::<Vec<_>>();
    let plain = id.replace('-', "_");
    MODES
        .iter()
        .copied()
        .find(|mode| mode.id == plain)
        .ok_or_else(|| AppError::usage(Problem::new("mode", id, format!("one of: {}", known().join(", "))).unknown(id, known())))
}

/// By family, in the order in which families first appear.
fn list() {
    for group in reference::families() {
        say!("{}", family(group[0]));
        for mode in group {
            say!("  {:<20} {:<8}{}", mode.id, format!("{}–{}", mode.seats.0, mode.seats.1), mode.phases.join(" → "));
            folded("    ", mode.summary);
        }
        say!("");
    }
    say!("The numbers are seats, a chair or judge counted. synod modes ID explains one; synod ask --mode ID uses it.");
}

/// Every field of a mode's definition, and how it is asked here.
fn describe(mode: &Mode) -> Value {
    let mut described = synod_app::describe_mode(mode);
    described["example"] = json!(reference::command(mode));
    described
}

fn explain(mode: &Mode) {
    say!("{} ({}, {})", mode.name, mode.id, family(mode).to_lowercase());
    folded("", mode.summary);
    say!("");
    entry("When", mode.pick);
    entry("Seats", &seats(mode));
    entry("Phases", &mode.phases.join(" → "));
    entry("Calls", mode.cost);
    for (panel, turns) in planned(mode) {
        entry("", &format!("panel of {panel}: {}", reference::turns(&turns)));
    }
    entry(
        "Follow-up",
        if mode.multi_turn {
            "yes: --conversation new, then --conversation ID"
        } else {
            "with --conversation; the last verdict goes along as context"
        },
    );
    entry("Limits", &format!("{} s a turn without a sign of life, {} s a run", mode.turn_secs, mode.run_secs));
    entry("Failures", mode.failure_rule);
    say!("");
    let lines = option_lines(mode);
    say!("{}", if lines.is_empty() { "No options." } else { "Options" });
    for line in lines {
        say!("  --{} (default {})", line.name.replace('_', "-"), line.default);
        folded("      ", &line.help);
    }
    say!("\nExample\n  {}", reference::command(mode));
}

const NAME: usize = 10;
const WIDTH: usize = 100;

fn entry(name: &str, text: &str) {
    for (i, line) in fold(text, WIDTH - NAME).into_iter().enumerate() {
        say!("{:<NAME$}{line}", if i == 0 { name } else { "" });
    }
}

pub fn folded(indent: &str, text: &str) {
    for line in fold(text, WIDTH - indent.len()) {
        say!("{indent}{line}");
    }
}

/// Text in lines of at most so many characters, broken between words.
fn fold(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
