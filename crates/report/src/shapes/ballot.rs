//! One reader's judgement; neighbouring ballots share one table in a page.

use crate::html::safe::{Html, render};
use crate::markdown::quote::{inline, quote};
use crate::terminal::entries::below;
use crate::terminal::exhibit::Length;
use crate::terminal::paper::{Ink, Paper};
use crate::text::one_line;
use crate::view::View;
use crate::words::{self, label, led};
use askama::Template;
use synod_types::{Ballot, Exhibit, Shape, Shown};

pub fn terminal(paper: &mut Paper, view: &View, exhibit: &Exhibit, ballot: &Ballot, length: Length) {
    let who = exhibit.seat.map_or_else(|| one_line(&exhibit.title), |seat| words::seat(view, seat));
    let counted = counts(ballot);
    let ink = if counted { Ink::PLAIN } else { Ink::ALARM };
    paper.hanging(ink, if counted { "  " } else { "! " }, "      ", &format!("{who}: {}", choice(view, ballot)));
    ballot.notes.iter().for_each(|note| below(paper, &one_line(note)));
    if length != Length::Brief {
        below(paper, &order(ballot));
    }
    match &ballot.reasons {
        Some(reasons) if length == Length::Brief => below(paper, &words::glance(reasons, 200, paper.ellipsis())),
        Some(reasons) => paper.prose("      ", reasons),
        None => {}
    }
}

pub fn markdown(view: &View, ballot: &Ballot) -> String {
    let mut out = format!("{}\n", inline(&choice(view, ballot)));
    ballot.notes.iter().for_each(|note| out.push_str(&format!("\n{}\n", inline(note))));
    let order = order(ballot);
    if !order.is_empty() {
        out.push_str(&format!("\n{}\n", inline(&order)));
    }
    if let Some(reasons) = &ballot.reasons {
        out.push_str(&format!("\n{}", quote(reasons)));
    }
    out
}

#[derive(Template)]
#[template(path = "shapes/ballot.html")]
struct Page<'a> {
    view: &'a View,
    /// Who, on what where no heading above tells it, and how.
    rows: Vec<(String, Option<&'a str>, &'a Ballot)>,
}

pub fn html(view: &View, shown: &[&Shown], titled: bool) -> Html {
    let rows = shown.iter().map(|shown| &shown.exhibit).filter_map(|exhibit| match &exhibit.shape {
        Shape::Ballot(ballot) => {
            let who = exhibit.seat.map_or_else(|| exhibit.title.clone(), |seat| words::seat(view, seat));
            Some((who, titled.then_some(exhibit.title.as_str()), ballot))
        }
        _ => None,
    });
    render(&Page { view, rows: rows.collect() })
}

/// How a ballot was cast: `K3 (opus) > T9 (gpt)`, `K3 (opus)`, or why it does not count.
fn choice(view: &View, ballot: &Ballot) -> String {
    if let Some(why) = &ballot.abstained {
        return format!("abstained: {}", one_line(why));
    }
    if ballot.choice.is_empty() {
        return "chose none".to_owned();
    }
    ballot.choice.iter().map(|each| label(view, each)).collect::<Vec<_>>().join(" > ")
}

/// What was put before the reader, as it stood there.
fn order(ballot: &Ballot) -> String {
    let order = if ballot.both_orders { "Saw them in both orders: " } else { "Saw them in this order: " };
    led(order, &one_line(&ballot.shown.join(", ")))
}

fn counts(ballot: &Ballot) -> bool {
    ballot.abstained.is_none() && !ballot.choice.is_empty()
}
