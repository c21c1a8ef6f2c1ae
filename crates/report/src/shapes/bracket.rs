//! A knock-out contest: round by round in words, as a tree in a page, first round to the left.

use crate::figures::several;
use crate::html::part::{folded, picture, soft};
use crate::html::safe::esc;
use crate::markdown::table::Side::Left;
use crate::markdown::table::{para, table};
use crate::terminal::entries::{CONTENTS, below, sum};
use crate::terminal::exhibit::Length;
use crate::terminal::paper::{Ink, Paper};
use crate::text::{fit, one_line};
use crate::view::View;
use crate::words::{self, label, led, plain};
use synod_types::{Bracket, Exhibit, Match};

pub fn terminal(paper: &mut Paper, view: &View, bracket: &Bracket, length: Length) {
    let left = |round: usize| bracket.rounds[round..].iter().map(Vec::len).sum::<usize>();
    let mut first = 0;
    // The end of a contest says more than its beginning.
    while length == Length::Brief && left(first) > CONTENTS {
        first += 1;
    }
    if first > 0 {
        sum(paper, &format!("{} before these are in the long form", several((left(0) - left(first)) as u64, "match", "matches")));
    }
    for (round, matches) in bracket.rounds.iter().enumerate().skip(first) {
        paper.para(Ink::DIM, "  ", &round_name(bracket, round));
        for each in matches {
            paper.hanging(Ink::PLAIN, "    ", "      ", &match_line(view, each));
            if length != Length::Brief {
                below(paper, &one_line(&each.note));
            }
        }
    }
    sum(paper, &summary(view, bracket));
}

pub fn markdown(view: &View, bracket: &Bracket) -> String {
    let mut rows = Vec::new();
    for (round, matches) in bracket.rounds.iter().enumerate() {
        rows.extend(matches.iter().map(|each| vec![round_name(bracket, round), match_line(view, each), each.note.clone()]));
    }
    format!("{}{}", table(&[("Round", Left), ("Match", Left), ("Note", Left)], &rows), para(&summary(view, bracket)))
}

const WIDE: f64 = 168.0;

const ROW: f64 = 22.0;

/// From the top of one match to the top of the next: two rows, how it was decided, and air.
const STEP: f64 = 2.0 * ROW + 34.0;

const GAP: f64 = 40.0;

const TOP: f64 = 30.0;

/// What a drawing can hold; larger fields are told in words only.
const DRAWN: (usize, usize) = (6, 32);

pub fn html(view: &View, exhibit: &Exhibit, bracket: &Bracket) -> String {
    let sum = summary(view, bracket);
    let fits = bracket.rounds.len() <= DRAWN.0 && bracket.rounds.iter().all(|matches| matches.len() <= DRAWN.1);
    let any = bracket.rounds.iter().any(|matches| !matches.is_empty());
    let tree = if any && fits { tree(view, exhibit, bracket, &sum) } else { String::new() };
    let table = match any {
        true => format!(
            "<table><thead><tr><th scope=\"col\">Round</th><th scope=\"col\">Match</th></tr></thead><tbody>{}</tbody></table>",
            rows(view, bracket)
        ),
        false => String::new(),
    };
    let matches = if tree.is_empty() { table } else { folded("Match by match", &table) };
    format!("{tree}{}{matches}", soft(&sum))
}

fn rows(view: &View, bracket: &Bracket) -> String {
    let mut out = String::new();
    for (round, matches) in bracket.rounds.iter().enumerate() {
        for each in matches {
            let (name, line) = (round_name(bracket, round), match_line(view, each));
            out.push_str(&format!("<tr><th scope=\"row\" class=\"whole\">{}</th><td>{}{}</td></tr>", esc(&name), esc(&line), soft(&each.note)));
        }
    }
    out
}

fn tree(view: &View, exhibit: &Exhibit, bracket: &Bracket, sum: &str) -> String {
    let places = places(bracket);
    let mut lines = String::new();
    let mut boxes = String::new();
    let mut about = Vec::new();
    for (round, matches) in bracket.rounds.iter().enumerate() {
        let name = round_name(bracket, round);
        boxes.push_str(&format!("<text class=\"faint\" x=\"{}\" y=\"16\">{}</text>", left(round), esc(&name)));
        for (at, each) in matches.iter().enumerate() {
            let middle = places[round][at];
            for (label, y) in [(Some(&each.a), middle - ROW / 2.0), (each.b.as_ref(), middle + ROW / 2.0)] {
                let from = label.and_then(|label| played(bracket, round, label));
                lines.extend(from.map(|(round_before, match_before)| path(round_before, places[round_before][match_before], left(round), y)));
            }
            boxes.push_str(&game(view, each, left(round), middle));
            about.push(format!("{name}: {}", match_line(view, each)));
        }
    }
    let mut columns = bracket.rounds.len();
    if let Some(champion) = &bracket.champion
        && let Some((round, at)) = played(bracket, bracket.rounds.len(), champion)
    {
        let (x, middle) = (left(columns), places[round][at]);
        lines.push_str(&path(round, middle, x, middle));
        boxes.push_str(&format!(
            "<text class=\"faint\" x=\"{x}\" y=\"16\">Champion</text><rect class=\"box leads\" x=\"{x}\" y=\"{}\" width=\"{WIDE}\" height=\"{}\" rx=\"4\"/>",
            middle - ROW / 2.0 - 4.0,
            ROW + 8.0
        ));
        boxes.push_str(&name(view, champion, x, middle, true));
        columns += 1;
    }
    let height = places.iter().flatten().copied().fold(0.0, f64::max) + STEP / 2.0 + 6.0;
    let width = left(columns) - GAP + 2.0;
    picture(&exhibit.title, &format!("{}. {sum}", about.join("; ")), (width as usize, height as usize), &format!("{lines}{boxes}"))
}

fn left(round: usize) -> f64 {
    2.0 + round as f64 * (WIDE + GAP)
}

/// The last match before `round` that a contestant played.
fn played(bracket: &Bracket, round: usize, label: &str) -> Option<(usize, usize)> {
    let plays = |each: &Match| each.a == label || each.b.as_deref() == Some(label);
    bracket.rounds.iter().enumerate().take(round).rev().find_map(|(round, matches)| Some((round, matches.iter().position(plays)?)))
}

/// The middle of each match: between those that feed it, and below the one before it.
fn places(bracket: &Bracket) -> Vec<Vec<f64>> {
    let mut places: Vec<Vec<f64>> = Vec::new();
    for (round, matches) in bracket.rounds.iter().enumerate() {
        let mut here: Vec<f64> = Vec::new();
        for each in matches {
            let feeders: Vec<f64> = [Some(&each.a), each.b.as_ref()]
                .into_iter()
                .flatten()
                .filter_map(|label| played(bracket, round, label))
                .map(|(r, m)| places[r][m])
                .collect();
            let lowest = here.last().map_or(TOP + ROW, |above| above + STEP);
            let wished = if feeders.is_empty() { lowest } else { feeders.iter().sum::<f64>() / feeders.len() as f64 };
            here.push(wished.max(lowest));
        }
        places.push(here);
    }
    places
}

fn path(round: usize, y1: f64, x2: f64, y2: f64) -> String {
    let x1 = left(round) + WIDE;
    format!("<path class=\"edge\" d=\"M{x1} {y1} H{} V{y2} H{x2}\"/>", x2 - GAP / 2.0)
}

fn game(view: &View, each: &Match, x: f64, middle: f64) -> String {
    let wins = |label: &str| each.winner.as_deref() == Some(label);
    let second = match &each.b {
        Some(b) => name(view, b, x, middle + ROW / 2.0, wins(b)),
        None => format!("<text class=\"faint\" x=\"{}\" y=\"{}\">no opponent</text>", x + 8.0, middle + ROW / 2.0 + 4.5),
    };
    format!(
        "<rect class=\"box\" x=\"{x}\" y=\"{}\" width=\"{WIDE}\" height=\"{}\" rx=\"4\"/><line class=\"axis\" x1=\"{x}\" x2=\"{}\" y1=\"{middle}\" y2=\"{middle}\"/>\
         {}{second}<text class=\"faint\" x=\"{}\" y=\"{}\">{}</text>",
        middle - ROW,
        2.0 * ROW,
        x + WIDE,
        name(view, &each.a, x, middle - ROW / 2.0, wins(&each.a)),
        x + 8.0,
        middle + ROW + 15.0,
        esc(&fit(&plain(&each.how), 24, "…"))
    )
}

/// A contestant's row; who goes on is bold and has a sign.
fn name(view: &View, label: &str, x: f64, middle: f64, leads: bool) -> String {
    // Bold letters are wider, and the sign takes room too.
    let (class, sign, most) = if leads { (" class=\"leads\"", "▸ ", 16) } else { ("", "", 20) };
    format!("<text{class} x=\"{}\" y=\"{}\">{sign}{}</text>", x + 8.0, middle + 4.5, esc(&fit(&words::label(view, label), most, "…")))
}

fn round_name(bracket: &Bracket, round: usize) -> String {
    let last = round + 1 == bracket.rounds.len() && bracket.champion.is_some();
    match bracket.rounds.get(round) {
        Some(matches) if last && matches.len() == 1 => "Final".to_owned(),
        Some(_) | None => format!("Round {}", round + 1),
    }
}

/// `K3 (opus) beat T9 (gpt), agreed`.
fn match_line(view: &View, each: &Match) -> String {
    let a = label(view, &each.a);
    let Some(b) = &each.b else { return format!("{a} goes on without a match") };
    let (b_name, how) = (label(view, b), led(", ", &plain(&each.how)));
    match &each.winner {
        // Nobody won a match that was drawn or void: the rules say who goes on.
        Some(winner) if ["draw", "void"].contains(&each.how.as_str()) => format!("{a} against {b_name}{how}; {} goes on", label(view, winner)),
        Some(winner) if *winner == each.a => format!("{a} beat {b_name}{how}"),
        Some(winner) if winner == b => format!("{b_name} beat {a}{how}"),
        Some(winner) => format!("{a} against {b_name}{how}; {} goes on", label(view, winner)),
        None if how.is_empty() => format!("{a} against {b_name}, not played yet"),
        None => format!("{a} against {b_name}{how}; nobody goes on"),
    }
}

fn summary(view: &View, bracket: &Bracket) -> String {
    let field = several(bracket.contestants.len() as u64, "contestant", "contestants");
    match &bracket.champion {
        Some(champion) => format!("{field}; champion: {}", label(view, champion)),
        None => format!("{field}; no champion yet"),
    }
}
