//! Votes for each candidate: bars, or a table.

use crate::figures::several;
use crate::html::chart::{ChartBar, bars};
use crate::html::safe::Html;
use crate::markdown::quote::inline;
use crate::terminal::paper::{Bar, Ink, Paper};
use crate::text::one_line;
use crate::view::View;
use crate::words;
use synod_types::{Exhibit, Tally, TallyEntry};

pub fn terminal(paper: &mut Paper, view: &View, tally: &Tally) {
    let votes: Vec<Option<f64>> = tally.entries.iter().map(|entry| Some(f64::from(entry.votes))).collect();
    let most = votes.iter().flatten().copied().fold(0.0, f64::max);
    let rows: Vec<Bar> = tally
        .entries
        .iter()
        .map(|entry| {
            let wins = tally.winners.contains(&entry.label);
            Bar {
                name: format!("{} {}", one_line(&entry.label), words::seat(view, entry.seat)),
                share: (most > 0.0).then(|| f64::from(entry.votes) / most),
                value: several(u64::from(entry.votes), "vote", "votes"),
                note: mark(tally, entry).to_owned(),
                ink: if wins { Ink::MARK } else { Ink::PLAIN },
            }
        })
        .collect();
    paper.bars(&rows);
    paper.para(Ink::DIM, "  ", &summary(tally));
}

pub fn markdown(view: &View, tally: &Tally) -> String {
    let mut out = "| Answer | By | Votes | |\n|---|---|---:|---|\n".to_owned();
    for entry in &tally.entries {
        let mark = mark(tally, entry);
        out.push_str(&format!("| {} | {} | {} | {mark} |\n", inline(&entry.label), inline(&words::seat(view, entry.seat)), entry.votes));
    }
    format!("{out}\n{}\n", inline(&summary(tally)))
}

pub fn html(view: &View, exhibit: &Exhibit, tally: &Tally) -> Html {
    let most = tally.entries.iter().map(|entry| entry.votes).max().unwrap_or(0);
    let bar = |entry: &TallyEntry| {
        let mark = match mark(tally, entry) {
            "" => String::new(),
            mark => format!(", {mark}"),
        };
        ChartBar {
            name: words::label(view, &entry.label),
            share: (most > 0).then(|| f64::from(entry.votes) / f64::from(most)),
            value: format!("{}{mark}", several(u64::from(entry.votes), "vote", "votes")),
            leads: tally.winners.contains(&entry.label),
        }
    };
    bars(&exhibit.title, &tally.entries.iter().map(bar).collect::<Vec<_>>(), Some(&summary(tally)))
}

/// What a tally's bars do not say.
fn summary(tally: &Tally) -> String {
    let mut sum = format!("{} counted", several(u64::from(tally.valid), "ballot", "ballots"));
    if tally.invalid > 0 {
        sum.push_str(&format!(", {} not", tally.invalid));
    }
    match tally.winners.len() {
        0 => sum.push_str("; no winner"),
        1 => {}
        n => sum.push_str(&format!("; {n} tied for first")),
    }
    sum
}

fn mark(tally: &Tally, entry: &TallyEntry) -> &'static str {
    match (tally.winners.contains(&entry.label), tally.winners.len()) {
        (false, _) => "",
        (true, 1) => "winner",
        (true, _) => "tied",
    }
}
