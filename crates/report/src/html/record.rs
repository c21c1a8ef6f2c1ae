//! The record in a page: phases, their exhibits, their turns.

use super::exhibit::several_html;
use super::safe::{Html, render};
use crate::figures::{count, several, span};
use crate::view::{Outcome, Phase, Turn, View};
use crate::words;
use askama::Template;
use serde_json::Value;
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
    let more = |turn: &Turn| {
        let key = turn.key.as_str();
        if covered.contains(&key) { Html::default() } else { more(view, phase, turn, quoted.contains(&key)) }
    };
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
    /// Replies as they came, where they say anything that the page does not say already.
    raws: Vec<&'a str>,
}

fn more(view: &View, phase: &Phase, turn: &Turn, quoted: bool) -> Html {
    let words = turn.words().filter(|_| !quoted);
    let of_turn = phase.exhibits.iter().filter(|shown| shown.exhibit.turn.as_ref() == Some(&turn.key));
    let told: Vec<String> = of_turn.filter_map(|shown| view.words(&shown.exhibit)).chain(words.clone()).collect();
    let raws = turn.tries.iter().filter_map(|each| each.raw.as_deref()).filter(|raw| !told.iter().any(|told| same(raw, told))).collect();
    render(&More { turn, words, raws })
}

/// Whether two texts say the same: letter for letter, or as JSON.
fn same(raw: &str, told: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    raw.trim() == told.trim() || read(raw).is_some_and(|value| read(told) == Some(value))
}
