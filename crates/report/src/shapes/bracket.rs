//! A knock-out contest: round by round in words, as a tree in a page, first round to the left.

use crate::figures::several;
use crate::html::chart::picture;
use crate::html::safe::{Html, render};
use crate::markdown::table::Side::Left;
use crate::markdown::table::{para, table};
use crate::terminal::entries::{CONTENTS, below, sum};
use crate::terminal::exhibit::Length;
use crate::terminal::paper::{Ink, Paper};
use crate::text::{fit, one_line, width};
use crate::view::View;
use crate::words::{self, label, led, plain};
use askama::Template;
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

/// A box, and one where a name is long.
const WIDE: [f64; 2] = [168.0, 240.0];

const ROW: f64 = 22.0;

/// From the top of one match to the top of the next: two rows, how it was decided, and air.
const STEP: f64 = 2.0 * ROW + 34.0;

const GAP: f64 = 40.0;

const TOP: f64 = 30.0;

/// What a drawing can hold; larger fields are told in words only.
const DRAWN: (usize, usize) = (6, 32);

#[derive(Template)]
#[template(path = "shapes/bracket.html")]
struct Page<'a> {
    view: &'a View,
    bracket: &'a Bracket,
    tree: Option<Html>,
    sum: String,
}

pub fn html(view: &View, exhibit: &Exhibit, bracket: &Bracket) -> Html {
    let sum = summary(view, bracket);
    let fits = bracket.rounds.len() <= DRAWN.0 && bracket.rounds.iter().all(|matches| matches.len() <= DRAWN.1);
    let tree = (any(bracket) && fits).then(|| tree(view, exhibit, bracket, &sum));
    render(&Page { view, bracket, tree, sum })
}

fn any(bracket: &Bracket) -> bool {
    bracket.rounds.iter().any(|matches| !matches.is_empty())
}

/// A drawing of the contest; every place is the middle of what stands there.
#[derive(Template)]
#[template(path = "shapes/bracket_tree.html")]
struct Tree<'a> {
    view: &'a View,
    wide: f64,
    /// Names of the rounds, with where their columns begin.
    heads: Vec<(f64, String)>,
    /// From the right of a match to where its winner plays next.
    lines: Vec<[f64; 4]>,
    games: Vec<(f64, f64, &'a Match)>,
    champion: Option<(f64, f64, &'a str)>,
}

impl Tree<'_> {
    /// A name is whole or left to the words below.
    fn name(&self, label: &str, leads: bool) -> String {
        let (whole, room) = (words::label(self.view, label), room(self.wide, leads));
        if width(&whole) <= room { whole } else { fit(&one_line(label), room, "…") }
    }
}

/// Characters that a box holds: bold letters are wider, and the sign takes room too.
fn room(wide: f64, leads: bool) -> usize {
    (if leads { (wide - 28.0) / 8.3 } else { (wide - 16.0) / 7.4 }) as usize
}

fn tree(view: &View, exhibit: &Exhibit, bracket: &Bracket, sum: &str) -> Html {
    let places = places(bracket);
    let fits = |each: &Match, label: &str| width(&words::label(view, label)) <= room(WIDE[0], each.winner.as_deref() == Some(label));
    let short = bracket.rounds.iter().flatten().all(|each| fits(each, &each.a) && each.b.as_ref().is_none_or(|b| fits(each, b)));
    let wide = if short { WIDE[0] } else { WIDE[1] };
    let left = |round: usize| 2.0 + round as f64 * (wide + GAP);
    let mut tree = Tree { view, wide, heads: Vec::new(), lines: Vec::new(), games: Vec::new(), champion: None };
    let mut about = Vec::new();
    for (round, matches) in bracket.rounds.iter().enumerate() {
        let name = round_name(bracket, round);
        for (each, &middle) in matches.iter().zip(&places[round]) {
            for (label, y) in [(Some(&each.a), middle - ROW / 2.0), (each.b.as_ref(), middle + ROW / 2.0)] {
                let from = label.and_then(|label| played(bracket, round, label));
                tree.lines.extend(from.map(|(before, at)| [left(before) + wide, places[before][at], left(round), y]));
            }
            tree.games.push((left(round), middle, each));
            about.push(format!("{name}: {}", match_line(view, each)));
        }
        tree.heads.push((left(round), name));
    }
    if let Some(champion) = &bracket.champion
        && let Some((round, at)) = played(bracket, bracket.rounds.len(), champion)
    {
        let (x, middle) = (left(bracket.rounds.len()), places[round][at]);
        tree.lines.push([left(round) + wide, middle, x, middle]);
        tree.heads.push((x, "Champion".to_owned()));
        tree.champion = Some((x, middle, champion));
    }
    let height = places.iter().flatten().copied().fold(0.0, f64::max) + STEP / 2.0 + 6.0;
    let across = left(tree.heads.len()) - GAP + 2.0;
    picture(&exhibit.title, &format!("{}. {sum}", about.join("; ")), (across, height), render(&tree))
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
        None if bracket.rounds.iter().flatten().all(|each| each.how.is_empty()) => format!("{field}; no champion yet"),
        None => format!("{field}; no champion"),
    }
}
