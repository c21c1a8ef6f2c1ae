//! A run as a markdown report, whole: the answer, how it came about, every turn, the receipt.
//!
//! Whatever a model wrote is in block quotations or code blocks; all else is ours.

mod exhibit;
pub mod quote;
pub mod table;
mod thread;

use crate::figures::{moment, span};
use crate::text::excerpt;
use crate::thread::{Piece, pieces};
use crate::view::{Outcome, Phase, Turn, View};
use crate::words;
use quote::{fenced, inline, quote};
use std::fmt::Write;
use synod_types::{Header, Shown, Status, Verdict};

pub fn markdown(view: &View) -> String {
    let mut out = String::new();
    head(&mut out, view);
    match &view.verdict {
        Some(verdict) => verdict_part(&mut out, view, verdict),
        None => state_part(&mut out, view),
    }
    decided(&mut out, view);
    list(&mut out, "Warnings", view.warnings.iter().map(String::as_str));
    people(&mut out, view);
    if !view.phases.is_empty() {
        line(&mut out, "## The record");
    }
    for phase in &view.phases {
        phase_part(&mut out, view, phase);
    }
    figures(&mut out, view);
    if let Some(header) = &view.header {
        seats(&mut out, header);
    }
    receipt(&mut out, view);
    format!("{}\n", out.trim_end())
}

/// A paragraph of ours and the empty line after it.
pub fn line(out: &mut String, text: &str) {
    out.push_str(text.trim_end());
    out.push_str("\n\n");
}

pub fn list<'a>(out: &mut String, title: &str, items: impl Iterator<Item = &'a str>) {
    let items: Vec<String> = items.map(|item| format!("- {}\n", inline(item))).collect();
    if !items.is_empty() {
        line(out, &format!("## {title}"));
        line(out, &items.concat());
    }
}

fn head(out: &mut String, view: &View) {
    let question = view.header.as_ref().map_or("", |header| header.question.text.as_str());
    let title = if question.trim().is_empty() { format!("Run {}", view.run) } else { excerpt(question, 120, "…") };
    line(out, &format!("# {}", inline(&title)));
    if view.rehearsal() {
        line(out, &format!("**{}**", inline(words::REHEARSAL)));
    }
    let mut about = vec![format!("Mode: {}", inline(view.mode()))];
    if let Some(header) = &view.header {
        about.push(inline(&words::panel(header)));
    }
    about.extend(view.began.map(moment));
    line(out, &about.join(" · "));
    if let Some(verdict) = &view.verdict {
        let top = words::top::top(view, verdict, "…");
        line(out, &format!("**{}**", inline(&top.action)));
        let mut lines: Vec<String> = top.lines.iter().map(|each| format!("- {}: {}\n", each.name, inline(&each.text))).collect();
        // What is not whole has a line under its status already.
        if verdict.status == Status::Full {
            lines.push(format!("- {}: {}\n", words::status_word(verdict.status), words::status_told(view, verdict.status)));
        }
        line(out, &lines.concat());
    }
    line(out, "Quoted passages are the words of models or of the asker; all else is written by the program.");
    let Some(header) = &view.header else { return };
    line(out, "## Question");
    line(out, &quote(&header.question.text));
    if let Some(content) = &header.question.content {
        line(out, "## Under review");
        line(out, &quote(content));
    }
    for file in &header.question.files {
        line(out, &format!("Attached: {} ({} bytes, SHA-256 {})", inline(&file.name), file.bytes, inline(&file.sha256)));
    }
}

fn verdict_part(out: &mut String, view: &View, verdict: &Verdict) {
    line(out, "## Answer");
    match &verdict.answer {
        Some(answer) => {
            line(out, &format!("{}:", inline(&words::answer_kind(view, answer))));
            line(out, &quote(&answer.text));
        }
        None => line(out, "There is no answer."),
    }
    if let Some(decision) = &verdict.decision {
        line(out, &format!("For scripts: {}", inline(&words::decision(decision))));
    }
    if let Some(reason) = words::stop_reason(verdict) {
        line(out, &format!("Ended: {}", inline(&reason)));
    }
    let missing: Vec<String> = verdict.missing.iter().map(words::missing).collect();
    list(out, "Missing", missing.iter().map(String::as_str));
    if !verdict.dissent.is_empty() {
        line(out, "## Dissent");
    }
    for each in &verdict.dissent {
        let who = words::top::dissenter(view, each);
        line(out, &format!("{}:", inline(&who)));
        line(out, &quote(&each.text));
    }
}

fn decided(out: &mut String, view: &View) {
    let shown: Vec<&Shown> = view.exhibits().filter(|shown| words::decides(view, shown)).collect();
    if !shown.is_empty() {
        line(out, "## How it was decided");
    }
    for each in shown {
        line(out, &exhibit::exhibit(view, each));
    }
}

fn state_part(out: &mut String, view: &View) {
    line(out, "## State");
    line(out, &words::what_happened(view));
    if let Some(stop) = view.stop() {
        line(out, &format!("Reason: {}. {}", stop.reason.as_str().replace('_', " "), inline(&stop.detail)));
        line(out, &format!("To go on: {}", inline(&words::commands::next_command(&view.run, stop.action))));
    }
}

fn people(out: &mut String, view: &View) {
    if view.waiting.is_empty() {
        return;
    }
    line(out, "## Put to a person");
    for waiting in &view.waiting {
        line(out, &quote(&waiting.asking.question));
        match &waiting.answer {
            Some(answer) => line(out, &format!("Answered by {}: {}", inline(&answer.by), inline(&answer.answer))),
            None => line(out, "Not answered yet."),
        }
    }
}

fn phase_part(out: &mut String, view: &View, phase: &Phase) {
    let took = phase.ended.map(|ended| format!(" ({})", span(ended - phase.began))).unwrap_or_default();
    line(out, &format!("### {}{took}", inline(&words::phase(phase))));
    let turns: String = phase.turns.iter().map(|turn| turn_line(view, turn)).collect();
    if !turns.is_empty() {
        line(out, &turns);
    }
    let here: Vec<&Shown> = phase.exhibits.iter().filter(|shown| !words::decides(view, shown)).collect();
    for piece in pieces(view, &here) {
        match piece {
            Piece::Plain(list) => list.iter().for_each(|shown| line(out, &exhibit::exhibit(view, shown))),
            Piece::Thread(said) => line(out, &thread::thread(view, &said)),
            Piece::Aside(title, list) => line(out, &thread::aside(view, title, &list)),
        }
    }
    // What an exhibit already quotes is not quoted twice.
    let quoted = words::quoted(phase);
    let covered = words::covered(phase);
    for turn in phase.turns.iter().filter(|turn| !covered.contains(&turn.key.as_str())) {
        turn_part(out, view, turn, quoted.contains(&turn.key.as_str()));
    }
}

fn turn_line(view: &View, turn: &Turn) -> String {
    let mut parts = vec![format!("{} by {}: {}", turn.key, words::speaker(view, turn), turn.outcome.as_str())];
    parts.extend(turn.failure().map(words::failure));
    parts.extend(words::turn_settings(view, turn));
    parts.extend(words::turn_figures(turn));
    parts.extend(turn.marks());
    format!("- {}\n", inline(&parts.join(" · ")))
}

/// The words of a turn no exhibit quotes, and what stands behind a failure.
fn turn_part(out: &mut String, view: &View, turn: &Turn, quoted: bool) {
    let heading = |out: &mut String, what: &str| line(out, &format!("#### {what} {}, by {}", inline(&turn.key), inline(&words::speaker(view, turn))));
    match &turn.outcome {
        Outcome::Running => {}
        Outcome::Said(_) if quoted => {}
        Outcome::Said(_) => {
            if let Some(words) = turn.words() {
                heading(out, "Words of");
                line(out, &if turn.typed() { fenced(&words, "json") } else { quote(&words) });
            }
        }
        Outcome::Failed(_) => {
            for raw in turn.tries.iter().filter_map(|each| each.raw.as_ref()) {
                heading(out, "The reply as it came in");
                line(out, &fenced(raw, "text"));
            }
        }
    }
    for tool in &turn.tools {
        line(out, &format!("Tool {}{}:", inline(&tool.name), if tool.error { " (failed)" } else { "" }));
        line(out, &fenced(&tool.output, "text"));
    }
}

fn figures(out: &mut String, view: &View) {
    let items: Vec<String> =
        view.figures.iter().map(|each| format!("{}: {}", words::figure_name(view, &each.figure), words::figure_value(&each.figure))).collect();
    list(out, "Figures", items.iter().map(String::as_str));
}

fn seats(out: &mut String, header: &Header) {
    let mut table = "| Seat | Name | Model | Roles | Persona |\n|---:|---|---|---|---|\n".to_owned();
    for seat in &header.seats {
        let model = header.models.get(&seat.model).map_or(seat.model.as_str(), |card| card.id.as_str());
        let roles = words::roles(header, seat.index).join(", ");
        let persona = seat.persona.as_deref().unwrap_or_default();
        let _ = writeln!(
            table,
            "| {} | {} | {} | {} | {} |",
            seat.index,
            inline(&seat.label),
            inline(model),
            inline(&roles),
            inline(&excerpt(persona, 80, "…"))
        );
    }
    line(out, "## Seats");
    line(out, &table);
}

fn receipt(out: &mut String, view: &View) {
    let mut table = "| | |\n|---|---|\n".to_owned();
    let mut row = |name: &str, text: &str| table.push_str(&format!("| {name} | {} |\n", inline(text)));
    for (name, text) in words::receipt(view) {
        row(name, &text);
    }
    row("Run", &view.run);
    if let Some(header) = &view.header {
        row("Seed", &header.seed.to_string());
        row("Program", &header.binary);
        if let Some(parent) = &header.parent {
            row("Forked from", parent);
        }
    }
    row("Journal", &format!("{} rows, head {}", view.seq, view.head_hex()));
    line(out, "## Receipt");
    line(out, &table);
    for (command, purpose) in words::commands::commands(view) {
        out.push_str(&format!("- {}: {purpose}\n", inline(&command)));
    }
}

/// Several runs as one text: a title, a line about it, and each run under headings one step lower than its own.
pub fn conversation(title: &str, about: &str, runs: &[View]) -> String {
    let mut out = format!("# {}\n\n{}\n", inline(title), inline(about));
    for run in runs {
        out.push_str("\n---\n\n");
        out.push_str(&lowered(&markdown(run)));
    }
    out
}

/// Every heading one step lower. What stands in a block of code is none.
fn lowered(text: &str) -> String {
    let mut fence: Option<String> = None;
    let mut out = String::with_capacity(text.len() + 64);
    for line in text.split_inclusive('\n') {
        let bare = line.trim_start();
        let marks: String = bare.chars().take_while(|c| matches!(c, '`' | '~')).collect();
        match &fence {
            None if marks.len() >= 3 => fence = Some(marks),
            Some(open) if marks.starts_with(open.as_str()) && bare.trim_end() == marks => fence = None,
            None if line.starts_with('#') && line.trim_start_matches('#').starts_with(' ') => out.push('#'),
            None | Some(_) => {}
        }
        out.push_str(line);
    }
    out
}
