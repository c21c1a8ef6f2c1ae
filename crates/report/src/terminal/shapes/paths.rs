//! Brackets and graphs: round by round, wave by wave, a line a match or step.

use super::{CONTENTS, below, entries, entry, sum};
use crate::figures::several;
use crate::terminal::exhibit::Length;
use crate::terminal::paper::{Ink, Paper};
use crate::text::one_line;
use crate::view::View;
use crate::words;
use synod_types::{Bracket, Graph, Node};

pub fn bracket(paper: &mut Paper, view: &View, bracket: &Bracket, length: Length) {
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
        paper.para(Ink::DIM, "  ", &words::round_name(bracket, round));
        for each in matches {
            paper.hanging(Ink::PLAIN, "    ", "      ", &words::match_line(view, each));
            if length != Length::Brief {
                below(paper, &one_line(&each.note));
            }
        }
    }
    sum(paper, &words::bracket_sum(view, bracket));
}

pub fn graph(paper: &mut Paper, view: &View, graph: &Graph, length: Length) {
    let steps: Vec<(u32, &Node)> =
        words::waves(graph).into_iter().flat_map(|(wave, nodes)| nodes.into_iter().map(move |node| (wave, node))).collect();
    entries(paper, &steps, length, CONTENTS, |paper, (wave, node)| {
        let (note, more) = (words::led(": ", &words::node_note(view, graph, node)), words::led("; ", &one_line(&node.note)));
        let failed = node.state.trim().eq_ignore_ascii_case("failed");
        entry(paper, failed, &format!("{wave}. {}{note}{more}", words::id_and_name(&node.id, &node.title)));
    });
    sum(paper, &words::graph_sum(graph));
}
