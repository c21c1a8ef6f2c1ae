//! The long form: every phase, every turn, every exhibit. In full, with each reply as it was read; else what exhibits show is not said twice.

use super::exhibit::{Length, several_shown};
use super::paper::{Ink, Paper};
use super::stopped::happened;
use super::{Style, about_run, answer, commands, dissent, first_lines, foot, head, missing, warnings};
use crate::figures::{moment, several, span};
use crate::text::{clean, one_line};
use crate::view::{Outcome, Phase, Turn, View};
use crate::words;
use synod_types::{Shape, Shown};

pub fn show(view: &View, style: Style, full: bool) -> String {
    let mut sheet = Paper::new(style);
    let paper = &mut sheet;
    match &view.verdict {
        Some(verdict) => {
            let top = words::top::top(view, verdict, paper.ellipsis());
            first_lines(paper, view, &top);
            paper.blank();
            about_run(paper, view);
        }
        None => {
            head(paper, view);
            happened(paper, view);
        }
    }
    about(paper, view);
    for phase in &view.phases {
        show_phase(paper, view, phase, full);
    }
    people(paper, view);
    figures(paper, view);
    match &view.verdict {
        Some(verdict) if verdict.status.completes() => {
            paper.blank();
            answer(paper, view, verdict);
            if let Some(decision) = &verdict.decision {
                paper.blank();
                paper.entry("For scripts", &words::decision(decision));
            }
            missing(paper, verdict);
            warnings(paper, view);
            dissent(paper, view, verdict);
            whole_dissent(paper, view);
        }
        Some(verdict) => {
            missing(paper, verdict);
            warnings(paper, view);
        }
        None => warnings(paper, view),
    }
    foot(paper, view);
    // Whoever reads this has run the first of them.
    let mut others: Vec<_> = words::commands::commands(view).into_iter().filter(|(command, _)| !command.starts_with("synod show ")).collect();
    if !full {
        others.insert(0, (format!("synod show {} --full", one_line(&view.run)), "every reply whole"));
    }
    commands(paper, &others);
    if !view.head_hex().is_empty() {
        paper.para(Ink::DIM, "", &format!("{} rows, head {}", view.seq, view.head_hex()));
    }
    sheet.done()
}

fn about(paper: &mut Paper, view: &View) {
    let Some(header) = &view.header else { return };
    paper.blank();
    if one_line(&header.question.text).chars().count() > 300 {
        paper.heading("Question");
        paper.prose("  ", &header.question.text);
    }
    if let Some(content) = &header.question.content {
        paper.heading("Under review");
        paper.prose("  ", content);
    }
    for file in &header.question.files {
        paper.entry("File", &format!("{} ({})", one_line(&file.name), several(file.bytes, "byte", "bytes")));
    }
    paper.heading("Seats");
    for seat in &header.seats {
        let roles = words::roles(header, seat.index);
        let model = header.models.get(&seat.model).map_or_else(|| one_line(&seat.model), |card| one_line(&card.id));
        let persona = seat.persona.as_ref().map(|persona| format!(", as {}", one_line(persona))).unwrap_or_default();
        let roles = if roles.is_empty() { String::new() } else { format!(", {}", roles.join(", ")) };
        paper.hanging(Ink::PLAIN, "  ", "     ", &format!("{} {}: {model}{roles}{persona}", seat.index, one_line(&seat.label)));
    }
    paper.blank();
    paper.entry("Seed", &header.seed.to_string());
    if let Some(began) = view.began {
        paper.entry("Began", &moment(began));
    }
    if let Some(parent) = &header.parent {
        paper.entry("Forked from", &one_line(parent));
    }
}

fn show_phase(paper: &mut Paper, view: &View, phase: &Phase, full: bool) {
    let mut parts = vec![words::phase(phase)];
    if !phase.turns.is_empty() {
        parts.push(several(phase.turns.len() as u64, "turn", "turns"));
    }
    parts.extend(phase.ended.map(|ended| span(ended - phase.began)));
    paper.blank();
    let title = parts.join(paper.dot());
    paper.heading(&title);
    paper.rule(crate::text::width(&title));
    let below: Vec<&str> = phase.exhibits.iter().filter(|shown| has_words(shown)).filter_map(|shown| shown.exhibit.turn.as_deref()).collect();
    for turn in &phase.turns {
        let words = full || !(turn.typed() || below.contains(&turn.key.as_str()));
        show_turn(paper, view, turn, words);
    }
    let length = if full { Length::Full } else { Length::Whole };
    several_shown(paper, view, &phase.exhibits.iter().collect::<Vec<&Shown>>(), length);
}

/// False for an exhibit that only points at the words of its turn.
fn has_words(shown: &Shown) -> bool {
    !matches!(&shown.exhibit.shape, Shape::Statement(statement) if statement.text.is_none())
}

/// With `words`, what it said too.
fn show_turn(paper: &mut Paper, view: &View, turn: &Turn, words: bool) {
    if words {
        paper.blank();
    }
    let mut parts = vec![format!("{}, {}", words::speaker(view, turn), one_line(turn.name()))];
    parts.extend(words::turn_settings(view, turn));
    parts.extend(words::turn_figures(turn));
    parts.extend(turn.marks().iter().map(|mark| one_line(mark)));
    let line = parts.join(paper.dot());
    match &turn.outcome {
        Outcome::Running => {
            paper.hanging(Ink::BOLD, "  ", "      ", &line);
            paper.para(Ink::DIM, "      ", "No reply recorded yet.");
        }
        Outcome::Said(_) => {
            paper.hanging(Ink::BOLD, "  ", "      ", &line);
            match turn.words().filter(|_| words) {
                Some(words) if turn.typed() => clean(&words).lines().for_each(|line| paper.raw(&format!("      {line}"))),
                Some(words) => paper.prose("      ", &words),
                None => {}
            }
        }
        Outcome::Failed(failure) => {
            paper.hanging(Ink::ALARM.with(Ink::BOLD), "! ", "      ", &line);
            paper.para(Ink::ALARM, "      ", &words::failure(failure));
            for raw in turn.tries.iter().filter_map(|each| each.raw.as_ref()) {
                paper.para(Ink::DIM, "      ", "The reply as it came:");
                clean(raw).lines().for_each(|line| paper.raw(&format!("      | {line}")));
            }
        }
    }
    for tool in &turn.tools {
        let outcome = if tool.error { "failed" } else { "gave" };
        paper.para(Ink::DIM, "      ", &format!("Tool {} {outcome}: {}", one_line(&tool.name), one_line(&tool.output)));
    }
}

fn people(paper: &mut Paper, view: &View) {
    if view.waiting.is_empty() {
        return;
    }
    paper.heading("Put to a person");
    for waiting in &view.waiting {
        let answer = match &waiting.answer {
            Some(answer) => format!("answered by {}: {}", one_line(&answer.by), one_line(&answer.answer)),
            None => "not answered yet".to_owned(),
        };
        paper.hanging(Ink::PLAIN, "  ", "    ", &format!("{} ({answer})", one_line(&waiting.asking.question)));
    }
}

fn figures(paper: &mut Paper, view: &View) {
    if view.figures.is_empty() {
        return;
    }
    paper.heading("Figures");
    for each in &view.figures {
        paper.para(Ink::PLAIN, "  ", &format!("{}: {}", one_line(&words::figure_name(view, &each.figure)), words::figure_value(&each.figure)));
    }
}

fn whole_dissent(paper: &mut Paper, view: &View) {
    let Some(verdict) = &view.verdict else { return };
    for each in verdict.dissent.iter().filter(|each| one_line(&each.text).chars().count() > 280) {
        paper.heading(&format!("Dissent of {} in full", words::top::dissenter(view, each)));
        paper.prose("  ", &each.text);
    }
}
