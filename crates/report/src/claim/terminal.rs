//! Claims as terminal text: whole, and as the few lines that end a command.

mod brief;
mod track;

use super::{Attempt, Content, Layer, agreed, content, layers, merged_from, stands_in_a_slot, words};
use crate::terminal::paper::{Ink, Paper};
use crate::terminal::{Style, commands};
use crate::text::{excerpt, one_line, width};
use crate::words as common;
use crate::words::commands::review_claim;
pub use brief::claim_brief;
use synod_types::{ClaimView, ConsensusRecord, PipelineStatus, Slot};

/// Everything about a claim; of what slots say, the beginning.
pub fn claim_terminal(view: &ClaimView, style: Style) -> String {
    let mut sheet = Paper::new(style);
    let paper = &mut sheet;
    let layers = layers(view);
    heading(paper, view);
    if !is_long(view) {
        body(paper, view);
    }
    state(paper, view);
    if let Some(record) = &view.record {
        paper.blank();
        verdict(paper, view, record);
        paper.blank();
        paper.prose("", &record.summary);
        if let Some(source) = words::summary_source(view, record) {
            paper.para(Ink::DIM, "", &source);
        }
        whole_record(paper, view, record);
    }
    if is_long(view) {
        body(paper, view);
    }
    paper.heading("Layers");
    if layers.is_empty() {
        paper.para(Ink::PLAIN, "  ", "The protocol has none.");
    }
    track::track(paper, &layers, true);
    for layer in layers.iter().filter(|layer| layer.attempts.iter().any(|attempt| !attempt.slots.is_empty())) {
        slots(paper, layer);
    }
    flags(paper, view);
    list(paper, "Notices", view.notices.iter().map(|notice| words::notice(view, notice)));
    sources(paper, view);
    paper.blank();
    for (name, text) in words::about(view) {
        paper.entry(name, &text);
    }
    foot(paper, view);
    sheet.done()
}

/// A claim longer than this stands below what came of it.
const LONG: usize = 600;

fn is_long(view: &ClaimView) -> bool {
    view.claim.body.chars().count() > LONG
}

fn body(paper: &mut Paper, view: &ClaimView) {
    if view.claim.body.trim().is_empty() || one_line(&view.claim.body) == one_line(&view.claim.title) {
        return;
    }
    paper.blank();
    if is_long(view) {
        paper.heading("The whole claim");
    }
    paper.prose("", &view.claim.body);
}

/// Title first; a rehearsal says so before anything else can be read.
fn heading(paper: &mut Paper, view: &ClaimView) {
    let line = format!("claim{0}{1}{0}{2}", paper.dot(), one_line(&view.claim.protocol), words::domain(view));
    paper.para(Ink::DIM, "", &line);
    if view.claim.rehearsal {
        paper.hanging(Ink::ALARM.with(Ink::BOLD), "! ", "  ", common::REHEARSAL);
    }
    let title = excerpt(&view.claim.title, 300, paper.ellipsis());
    paper.para(Ink::BOLD, "", if title.is_empty() { "Claim without a title" } else { &title });
}

fn state(paper: &mut Paper, view: &ClaimView) {
    paper.blank();
    let said = format!("{} {}", words::state_word(view), words::state(view));
    if view.pipeline.status == PipelineStatus::Flagged {
        paper.hanging(Ink::ALARM, "! ", "  ", &said);
        paper.para(Ink::PLAIN, "  ", words::NEXT);
        commands(paper, &[(review_claim(view), "decide it")]);
    } else {
        paper.para(Ink::PLAIN, "", &said);
    }
}

/// The recommendation and how sure it is.
fn verdict(paper: &mut Paper, view: &ClaimView, record: &ConsensusRecord) {
    let heading = match record.by_pipeline {
        true => format!("Recommendation: {}", words::recommendation(record)),
        false => "A record by an agent".to_owned(),
    };
    paper.para(Ink::BOLD, "", &heading);
    paper.rule(width(&heading));
    paper.entry("Confidence", &words::confidence(view, record));
    if record.split_verdict {
        paper.hanging(Ink::ALARM, "! ", "  ", words::SPLIT);
    }
}

fn whole_record(paper: &mut Paper, view: &ClaimView, record: &ConsensusRecord) {
    if !merged_from(view).is_empty() {
        list(paper, "Summaries of the seats", record.summaries.iter().map(|own| common::glance(own, 280, "...")));
    }
    list(paper, "Key points", record.key_points.iter().filter(|point| !stands_in_a_slot(view, point)).map(|point| one_line(point)));
    if agreed(view) {
        paper.heading("Dissent");
        paper.para(Ink::PLAIN, "  ", words::AGREED);
    }
    list(paper, "Dissent", record.dissent.iter().map(|each| one_line(each)));
    list(paper, "Caveats and open questions", record.open_questions.iter().map(|each| one_line(each)));
}

fn list(paper: &mut Paper, title: &str, items: impl Iterator<Item = String>) {
    let mark = if paper.style.unicode { "  • " } else { "  * " };
    for (i, item) in items.enumerate() {
        if i == 0 {
            paper.heading(title);
        }
        paper.hanging(Ink::PLAIN, mark, "    ", &item);
    }
}

fn slots(paper: &mut Paper, layer: &Layer) {
    let title = format!("{}{}{}", layer.title(), paper.dot(), layer.standing.word());
    paper.heading(&title);
    paper.rule(width(&title));
    paper.para(Ink::DIM, "  ", &one_line(layer.goal));
    for attempt in &layer.attempts {
        if let Some(told) = words::attempt(layer, attempt) {
            paper.blank();
            paper.para(Ink::BOLD, "  ", &told);
        }
        attempt_slots(paper, attempt);
    }
}

fn attempt_slots(paper: &mut Paper, attempt: &Attempt) {
    for slot in &attempt.slots {
        slot_lines(paper, slot);
    }
}

fn slot_lines(paper: &mut Paper, slot: &Slot) {
    let line = format!("{}: {}", words::capital(&words::seat(slot)), words::slot_facts(slot).join(paper.dot()));
    match content(slot) {
        Content::Open | Content::Taken | Content::Withheld => return paper.hanging(Ink::DIM, "  ", "      ", &line),
        Content::Said(output) => {
            paper.hanging(Ink::BOLD, "  ", "      ", &line);
            // What was taken over stands in the attempt before.
            if slot.copied {
                return;
            }
            paper.para(Ink::PLAIN, "      ", &common::glance(output, 400, paper.ellipsis()));
        }
        Content::Nothing => paper.hanging(Ink::BOLD, "  ", "      ", &line),
    }
    for (name, field) in words::slot_fields(slot) {
        let (more, mut items) = (paper.ellipsis(), Vec::new());
        let line = match field {
            words::Field::Line(text) => excerpt(&text, 160, more),
            words::Field::List(list) if list.is_empty() => "none".to_owned(),
            words::Field::List(list) => {
                items = list.iter().map(|item| excerpt(item, 160, more)).collect();
                String::new()
            }
            words::Field::Json(_) => "more than a line".to_owned(),
        };
        paper.hanging(Ink::DIM, "      ", "        ", &format!("{name}: {line}"));
        for item in items {
            paper.hanging(Ink::DIM, "        - ", "          ", &item);
        }
    }
    if let Some(notice) = &slot.notice {
        paper.hanging(Ink::ALARM, "    ! ", "      ", &one_line(notice));
    }
}

fn flags(paper: &mut Paper, view: &ClaimView) {
    for (i, flag) in view.flags.iter().enumerate() {
        if i == 0 {
            paper.heading("Flags");
        } else {
            paper.blank();
        }
        for (name, text) in words::flag_facts(view, flag) {
            paper.entry(name, &text);
        }
    }
}

fn sources(paper: &mut Paper, view: &ClaimView) {
    let told = |source: &synod_types::ClaimSource| match source.title.as_deref().map(one_line).filter(|title| !title.is_empty()) {
        Some(title) => format!("{title}: {}", one_line(&source.url)),
        None => one_line(&source.url),
    };
    list(paper, "Sources", view.claim.sources.iter().map(told));
}

/// Ids and hashes are never broken: they are there to be copied.
fn foot(paper: &mut Paper, view: &ClaimView) {
    for (name, text) in words::foot(view) {
        paper.raw(&format!("{} {text}", crate::text::pad(name, 11)));
    }
}
