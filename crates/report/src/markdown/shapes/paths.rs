//! Brackets and graphs: round by round, wave by wave, as tables.

use super::Side::{Left, Right};
use super::{para, table};
use crate::view::View;
use crate::words;
use synod_types::{Bracket, Graph};

pub fn bracket(view: &View, bracket: &Bracket) -> String {
    let mut rows = Vec::new();
    for (round, matches) in bracket.rounds.iter().enumerate() {
        rows.extend(matches.iter().map(|each| vec![words::round_name(bracket, round), words::match_line(view, each), each.note.clone()]));
    }
    format!("{}{}", table(&[("Round", Left), ("Match", Left), ("Note", Left)], &rows), para(&words::bracket_sum(view, bracket)))
}

pub fn graph(view: &View, graph: &Graph) -> String {
    let mut rows = Vec::new();
    for (wave, nodes) in words::waves(graph) {
        rows.extend(
            nodes.into_iter().map(|node| {
                vec![wave.to_string(), words::id_and_name(&node.id, &node.title), words::node_note(view, graph, node), node.note.clone()]
            }),
        );
    }
    format!("{}{}", table(&[("Wave", Right), ("Step", Left), ("State", Left), ("Note", Left)], &rows), para(&words::graph_sum(graph)))
}
