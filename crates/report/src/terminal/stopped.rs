//! What is said of a run that has no decision to show: running, waiting, stopped or lost. Each seat's reason, what was kept, what to do next.

use super::paper::{Ink, Paper};
use super::{Style, commands, head, run_id, warnings};
use crate::figures::several;
use crate::text::one_line;
use crate::view::{Outcome, Turn, View};
use crate::words;

pub fn stopped(view: &View, style: Style) -> String {
    let mut sheet = Paper::new(style);
    let paper = &mut sheet;
    head(paper, view);
    happened(paper, view);
    open_questions(paper, view);
    reasons(paper, view);
    warnings(paper, view);
    kept(paper, view);
    paper.blank();
    for (name, text) in words::receipt(view) {
        paper.entry(name, &text);
    }
    run_id(paper, view);
    paper.heading("Next");
    commands(paper, &words::commands::commands(view));
    sheet.done()
}

/// Why there is no decision.
pub fn happened(paper: &mut Paper, view: &View) {
    paper.blank();
    paper.hanging(Ink::ALARM.with(Ink::BOLD), "! ", "  ", &words::what_happened(view));
    if let Some(detail) = view.stop().map(|stop| one_line(&stop.detail)).filter(|detail| !detail.is_empty()) {
        paper.para(Ink::PLAIN, "  ", &detail);
    }
}

fn open_questions(paper: &mut Paper, view: &View) {
    let open: Vec<_> = view.waiting.iter().filter(|waiting| waiting.answer.is_none()).collect();
    if open.is_empty() {
        return;
    }
    paper.heading("Waiting for an answer");
    for waiting in open {
        let choices: Vec<String> = waiting.asking.choices.iter().map(|choice| one_line(choice)).collect();
        let choices = if choices.is_empty() { String::new() } else { format!(" ({})", choices.join(" / ")) };
        paper.hanging(Ink::PLAIN, "  ? ", "    ", &format!("{}{choices}", one_line(&waiting.asking.question)));
    }
}

/// From the verdict where there is one, else from the turns that failed.
fn reasons(paper: &mut Paper, view: &View) {
    let lines: Vec<String> = match view.verdict.as_ref().filter(|verdict| !verdict.missing.is_empty()) {
        Some(verdict) => verdict.missing.iter().map(words::missing).collect(),
        // A failed repair is the same failure as that of the turn it was to repair.
        None => view.turns().filter(|turn| !turn.key.ends_with("/repair")).filter_map(|turn| reason(view, turn)).collect(),
    };
    if lines.is_empty() {
        return;
    }
    paper.heading("Who did not speak, and why");
    for line in lines {
        paper.alarm(&line);
    }
}

fn reason(view: &View, turn: &Turn) -> Option<String> {
    let failure = turn.failure()?;
    let who = words::speaker(view, turn);
    let phase = one_line(turn.key.split('/').next().unwrap_or_default());
    Some(format!("{who}, in {phase}: {}", words::failure(failure)))
}

/// Turns that were said stay in the journal and are never paid for again.
fn kept(paper: &mut Paper, view: &View) {
    let said: Vec<&Turn> = view.turns().filter(|turn| turn.said().is_some()).collect();
    if said.is_empty() {
        return;
    }
    paper.heading(&format!("Kept: {} in the journal, not paid for again", several(said.len() as u64, "turn", "turns")));
    for turn in said {
        let who = words::speaker(view, turn);
        let mut parts = vec![format!("{who}, {}", one_line(&turn.key))];
        parts.extend(words::turn_figures(turn));
        let line = parts.join(paper.dot());
        paper.hanging(Ink::PLAIN, "  ", "    ", &line);
    }
    let running = view.turns().filter(|turn| turn.outcome == Outcome::Running).count();
    if running > 0 {
        paper.para(Ink::DIM, "  ", &format!("{} sent without a reply on record.", several(running as u64, "turn was", "turns were")));
    }
}
