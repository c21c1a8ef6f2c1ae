//! Candidates in order, best first, each with its score.

use crate::figures::{self, several, shares};
use crate::html::chart::{ChartBar, bars};
use crate::html::safe::{Html, render};
use crate::markdown::quote::inline;
use crate::terminal::paper::{Bar, Ink, Paper};
use crate::text::one_line;
use crate::view::View;
use crate::words;
use askama::Template;
use synod_types::{Exhibit, Ranking, RankingEntry};

pub fn terminal(paper: &mut Paper, view: &View, ranking: &Ranking) {
    let scores: Vec<Option<f64>> = ranking.entries.iter().map(|entry| entry.score).collect();
    let (shares, values) = (shares(&scores), figures::scores(&scores));
    let rows: Vec<Bar> = ranking
        .entries
        .iter()
        .enumerate()
        .map(|(i, entry)| Bar {
            name: format!("{}. {} {}", i + 1, one_line(&entry.label), words::seat(view, entry.seat)),
            share: shares.as_ref().map(|shares| shares[i]),
            value: values[i].clone(),
            note: note(entry),
            ink: if i == 0 { Ink::MARK } else { Ink::PLAIN },
        })
        .collect();
    paper.bars(&rows);
    paper.para(Ink::DIM, "  ", &summary(ranking));
}

pub fn markdown(view: &View, ranking: &Ranking) -> String {
    let mut out = "| Place | Answer | By | Score | First places | Mean place | Ballots |\n|---:|---|---|---:|---:|---:|---:|\n".to_owned();
    let scores = figures::scores(&ranking.entries.iter().map(|entry| entry.score).collect::<Vec<_>>());
    for (i, entry) in ranking.entries.iter().enumerate() {
        out.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} | {} |\n",
            i + 1,
            inline(&entry.label),
            inline(&words::seat(view, entry.seat)),
            scores[i],
            entry.first_places,
            entry.mean_position.map_or_else(|| "none".to_owned(), |mean| format!("{mean:.2}")),
            entry.ballots,
        ));
    }
    format!("{out}\n{}\n", inline(&summary(ranking)))
}

#[derive(Template)]
#[template(path = "shapes/ranking.html")]
struct Page<'a> {
    view: &'a View,
    ranking: &'a Ranking,
    chart: Html,
}

pub fn html(view: &View, exhibit: &Exhibit, ranking: &Ranking) -> Html {
    let scores: Vec<Option<f64>> = ranking.entries.iter().map(|entry| entry.score).collect();
    let (shares, values) = (shares(&scores), figures::scores(&scores));
    let bar = |(i, entry): (usize, &RankingEntry)| ChartBar {
        name: format!("{}. {}", i + 1, words::label(view, &entry.label)),
        share: shares.as_ref().map(|shares| shares[i]),
        value: values[i].clone(),
        leads: i == 0,
    };
    let rows: Vec<ChartBar> = ranking.entries.iter().enumerate().map(bar).collect();
    render(&Page { view, ranking, chart: bars(&exhibit.title, &rows, Some(&summary(ranking))) })
}

fn summary(ranking: &Ranking) -> String {
    let mut sum = several(u64::from(ranking.ballots), "ballot", "ballots");
    if !ranking.measure.is_empty() {
        sum.push_str(&format!("; score: {}", one_line(&ranking.measure)));
    }
    if let Some(rung) = &ranking.tie_rung {
        sum.push_str(&format!("; equal scores ordered by {}", one_line(rung)));
    }
    sum
}

fn note(entry: &RankingEntry) -> String {
    let mut parts = Vec::new();
    if entry.first_places > 0 {
        parts.push(format!("first on {}", several(u64::from(entry.first_places), "ballot", "ballots")));
    }
    if let Some(mean) = entry.mean_position {
        parts.push(format!("mean place {mean:.2}"));
    }
    parts.join(", ")
}
