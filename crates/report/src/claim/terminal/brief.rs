//! A claim in the few lines that end a command: what came of it, who says otherwise, how its layers stand, what to do next.

use super::super::{agreed, layers, words};
use super::{heading, state, track, verdict};
use crate::terminal::paper::{Ink, Paper};
use crate::terminal::{Style, commands};
use crate::words as common;
use crate::words::commands::claim_commands;
use synod_types::{ClaimView, ConsensusRecord, PipelineStatus};

/// More than this scrolls away what was before it.
const LINES: usize = 28;

/// How much is told.
#[derive(Clone, Copy)]
struct Room {
    /// Characters of the summary.
    summary: usize,
    /// Dissents and open questions, and the characters of each.
    items: usize,
    item: usize,
    /// A line a layer, else one for all.
    track: bool,
}

const ROOMS: [Room; 4] = [
    Room { summary: 600, items: 3, item: 200, track: true },
    Room { summary: 400, items: 2, item: 150, track: true },
    Room { summary: 400, items: 2, item: 150, track: false },
    Room { summary: 200, items: 1, item: 120, track: false },
];

/// What is printed when the work on a claim ends, in about 28 lines.
pub fn claim_brief(view: &ClaimView, style: Style) -> String {
    let mut text = String::new();
    for room in ROOMS {
        text = brief(view, style, room);
        if text.lines().count() <= LINES {
            break;
        }
    }
    text
}

fn brief(view: &ClaimView, style: Style, room: Room) -> String {
    let mut sheet = Paper::new(style);
    let paper = &mut sheet;
    heading(paper, view);
    state(paper, view);
    if let Some(record) = &view.record {
        paper.blank();
        verdict(paper, view, record);
        paper.para(Ink::PLAIN, "", &common::glance(&record.summary, room.summary, paper.ellipsis()));
        if !record.by_pipeline {
            paper.para(Ink::DIM, "", &words::summary_source(view, record).unwrap_or_default());
        }
        said(paper, view, record, room);
    }
    let layers = layers(view);
    paper.blank();
    if room.track {
        track::track(paper, &layers, false);
    } else {
        paper.para(Ink::PLAIN, "", &words::layers_in_short(&layers));
    }
    paper.blank();
    let skip = usize::from(view.pipeline.status == PipelineStatus::Flagged);
    // The command that reviews it stands with the state.
    commands(paper, &claim_commands(view)[skip..]);
    sheet.done()
}

fn said(paper: &mut Paper, view: &ClaimView, record: &ConsensusRecord, room: Room) {
    if agreed(view) {
        paper.para(Ink::PLAIN, "", words::AGREED);
    }
    for (title, items) in [("Dissent", &record.dissent), ("Caveats and open questions", &record.open_questions)] {
        if items.is_empty() {
            continue;
        }
        let left = items.len().saturating_sub(room.items);
        let more = if left > 0 { format!(" ({left} more not shown)") } else { String::new() };
        paper.para(Ink::BOLD, "", &format!("{title}{more}"));
        for item in items.iter().take(room.items) {
            paper.hanging(Ink::PLAIN, "  ", "    ", &common::glance(item, room.item, paper.ellipsis()));
        }
    }
}
