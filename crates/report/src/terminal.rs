//! Runs as terminal text: the verdict, the long form, and what is said when a run stopped or was lost.

pub mod entries;
pub mod exhibit;
pub mod paper;
mod prose;
mod show;
mod stopped;
pub mod table;
mod thread;

use crate::text::{excerpt, one_line, pad, width};
use crate::view::View;
use crate::words;
use paper::{Ink, Paper};
pub use show::show;
pub use stopped::stopped;
use synod_types::{Answer, RunState, Verdict};
use words::top::Top;

/// What the terminal can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    pub width: usize,
    pub colour: bool,
    /// False: our own marks and bars keep to ASCII. What models wrote stays as it is.
    pub unicode: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self { width: 80, colour: false, unicode: true }
    }
}

/// How much of a verdict is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Its first lines only.
    Brief,
    Whole,
    /// With the answers it was made from.
    WithAnswers,
}

pub fn terminal(view: &View, style: Style) -> String {
    verdict(view, style, Extent::Whole)
}

/// What is printed when a run ends: what to do and how far to trust it in a few lines, then the answer and how it came about.
pub fn verdict(view: &View, style: Style, extent: Extent) -> String {
    match (view.state, &view.verdict) {
        (RunState::Complete, Some(verdict)) => {
            let mut paper = Paper::new(style);
            let top = words::top::top(view, verdict, paper.ellipsis());
            first_lines(&mut paper, view, &top);
            if extent == Extent::Brief {
                return paper.done();
            }
            paper.blank();
            about_run(&mut paper, view);
            verdict_body(&mut paper, view, verdict, &top);
            if extent == Extent::WithAnswers {
                exhibit::answers(&mut paper, view);
            }
            paper.blank();
            for (name, text) in words::receipt(view).into_iter().filter(|(name, _)| !matches!(*name, "Cost" | "Time")) {
                paper.entry(name, &text);
            }
            run_id(&mut paper, view);
            commands(&mut paper, &words::commands::commands(view));
            paper.done()
        }
        (RunState::Lost, Some(verdict)) if extent == Extent::Brief => {
            let mut paper = Paper::new(style);
            let top = words::top::top(view, verdict, paper.ellipsis());
            first_lines(&mut paper, view, &top);
            paper.done()
        }
        _ => stopped(view, style),
    }
}

/// What to do, then one line each; a rehearsal says so before anything else can be read.
fn first_lines(paper: &mut Paper, view: &View, top: &Top) {
    if view.rehearsal() {
        paper.hanging(Ink::ALARM.with(Ink::BOLD), "! ", "  ", words::REHEARSAL);
    }
    paper.para(Ink::BOLD, "", &top.action);
    for line in &top.lines {
        paper.entry_in(if line.alarm { Ink::ALARM } else { Ink::PLAIN }, line.name, &line.text);
    }
}

/// What stands over a run that has no verdict.
fn head(paper: &mut Paper, view: &View) {
    if view.rehearsal() {
        paper.hanging(Ink::ALARM.with(Ink::BOLD), "! ", "  ", words::REHEARSAL);
    }
    about_run(paper, view);
}

/// Mode, panel, question.
fn about_run(paper: &mut Paper, view: &View) {
    let panel = view.header.as_ref().map(words::panel);
    let mode = one_line(view.mode());
    let line = panel.map_or_else(|| mode.clone(), |panel| format!("{mode}{}{panel}", paper.dot()));
    paper.para(Ink::DIM, "", &line);
    if let Some(header) = &view.header {
        let question = excerpt(&header.question.text, 300, paper.ellipsis());
        paper.hanging(Ink::BOLD, "Q: ", "   ", &question);
    }
}

/// The answer, how it was decided, and what the first lines had no room for.
fn verdict_body(paper: &mut Paper, view: &View, verdict: &Verdict, top: &Top) {
    paper.blank();
    answer(paper, view, verdict);
    exhibit::deciding(paper, view);
    missing(paper, verdict);
    warnings(paper, view);
    if top.more_dissent {
        dissent(paper, view, verdict);
    }
}

fn answer(paper: &mut Paper, view: &View, verdict: &Verdict) {
    let heading = match &verdict.answer {
        Some(answer) => words::answer_kind(view, answer),
        None => format!("No answer: {}", words::status_meaning(verdict.status)),
    };
    paper.para(Ink::BOLD, "", &heading);
    paper.rule(width(&heading));
    if let Some(Answer { text, .. }) = &verdict.answer {
        paper.prose("", text);
    }
}

fn missing(paper: &mut Paper, verdict: &Verdict) {
    if verdict.missing.is_empty() {
        return;
    }
    paper.heading("Missing");
    for each in &verdict.missing {
        paper.alarm(&words::missing(each));
    }
}

fn warnings(paper: &mut Paper, view: &View) {
    if view.warnings.is_empty() {
        return;
    }
    paper.heading("Warnings");
    for warning in &view.warnings {
        paper.alarm(&one_line(warning));
    }
}

/// Short here; the whole of it is in the long form.
fn dissent(paper: &mut Paper, view: &View, verdict: &Verdict) {
    if verdict.dissent.is_empty() {
        return;
    }
    paper.heading("Dissent");
    for each in &verdict.dissent {
        let who = words::top::dissenter(view, each);
        let text = words::glance(&each.text, 280, paper.ellipsis());
        paper.hanging(Ink::PLAIN, "  ", "    ", &format!("{who}: {text}"));
    }
}

/// Confidence and receipt.
fn foot(paper: &mut Paper, view: &View) {
    paper.blank();
    if let Some(verdict) = &view.verdict {
        if let Some(confidence) = &verdict.confidence {
            paper.entry("Confidence", &words::confidence(confidence));
        }
        let reason = words::stop_reason(verdict).map(|reason| format!(", {reason}")).unwrap_or_default();
        paper.entry("Verdict", &format!("{}{reason}", verdict.status.as_str()));
    }
    for (name, text) in words::receipt(view) {
        paper.entry(name, &text);
    }
    run_id(paper, view);
}

/// Ids and commands are never broken: they are there to be copied.
fn run_id(paper: &mut Paper, view: &View) {
    paper.raw(&format!("Run         {}", one_line(&view.run)));
}

pub fn commands(paper: &mut Paper, commands: &[(String, &str)]) {
    let longest = commands.iter().map(|(command, _)| width(command)).max().unwrap_or(0);
    let beside = commands.iter().all(|(_, purpose)| 2 + longest + 4 + width(purpose) <= paper.columns());
    for (command, purpose) in commands {
        if beside {
            paper.raw(&format!("  {}  # {purpose}", pad(command, longest)));
        } else {
            paper.para(Ink::DIM, "  # ", purpose);
            paper.raw(&format!("  {command}"));
        }
    }
}
