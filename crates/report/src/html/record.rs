//! The record in a page: phases, their exhibits, their turns.

use super::exhibit::several_html;
use super::safe::{Html, render};
use crate::figures::{count, several, span};
use crate::view::{Outcome, Phase, Turn, View};
use crate::words;
use askama::Template;
use synod_types::Shown;

#[derive(Template)]
#[template(path = "html/phase.html")]
struct Record<'a> {
    view: &'a View,
    phase: &'a Phase,
    /// What stands with its phase, and the titles of what stands beside the answer.
    here: Html,
    above: Vec<&'a str>,
    /// Each turn with what stands behind it.
    turns: Vec<(&'a Turn, Html)>,
}

pub fn phase_html(view: &View, phase: &Phase) -> Html {
    let (above, here): (Vec<&Shown>, Vec<&Shown>) = phase.exhibits.iter().partition(|shown| words::decides(view, shown));
    let (quoted, covered) = (words::quoted(phase), words::covered(phase));
    let more = |turn: &Turn| if covered.contains(&turn.key.as_str()) { Html::default() } else { more(turn, quoted.contains(&turn.key.as_str())) };
    let turns = phase.turns.iter().map(|turn| (turn, more(turn))).collect();
    let above = above.iter().map(|shown| shown.exhibit.title.as_str()).collect();
    render(&Record { view, phase, here: several_html(view, &here), above, turns })
}

/// The words where no exhibit shows them, and what stands behind them.
#[derive(Template)]
#[template(path = "html/turn.html")]
struct More<'a> {
    turn: &'a Turn,
    words: Option<String>,
}

fn more(turn: &Turn, quoted: bool) -> Html {
    render(&More { turn, words: turn.words().filter(|_| !quoted) })
}
