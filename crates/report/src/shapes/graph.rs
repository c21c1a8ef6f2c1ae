//! Steps and what waits for what: wave by wave in words, a drawing with a column a wave in a page.

use crate::figures::{several, span};
use crate::html::chart::picture;
use crate::html::safe::{Html, render};
use crate::markdown::table::Side::{Left, Right};
use crate::markdown::table::{para, table};
use crate::terminal::entries::{CONTENTS, entries, entry, sum};
use crate::terminal::exhibit::Length;
use crate::terminal::paper::Paper;
use crate::text::{Marked, excerpt, fit, one_line, width, wrap};
use crate::view::View;
use crate::words::{self, counted, id_and_name, joined, led, listed, plain, seat};
use askama::Template;
use std::collections::BTreeMap;
use synod_types::{Exhibit, Graph, Node};

pub fn terminal(paper: &mut Paper, view: &View, graph: &Graph, length: Length) {
    let steps: Vec<(u32, &Node)> = waves_of(graph).into_iter().flat_map(|(wave, nodes)| nodes.into_iter().map(move |node| (wave, node))).collect();
    entries(paper, &steps, length, CONTENTS, |paper, (wave, node)| {
        let (note, more) = (led(": ", &note(view, graph, node)), led("; ", &one_line(&node.note)));
        let failed = node.state.trim().eq_ignore_ascii_case("failed");
        entry(paper, failed, &format!("{wave}. {}{note}{more}", id_and_name(&node.id, &node.title)));
    });
    sum(paper, &summary(graph));
}

pub fn markdown(view: &View, graph: &Graph) -> String {
    let mut rows = Vec::new();
    for (wave, nodes) in waves_of(graph) {
        rows.extend(
            nodes.into_iter().map(|node| vec![wave.to_string(), id_and_name(&node.id, &node.title), note(view, graph, node), node.note.clone()]),
        );
    }
    format!("{}{}", table(&[("Wave", Right), ("Step", Left), ("State", Left), ("Note", Left)], &rows), para(&summary(graph)))
}

const WIDE: f64 = 176.0;

const HIGH: f64 = 64.0;

const GAP: (f64, f64) = (54.0, 16.0);

/// What a drawing can hold; larger plans are told in words only.
const DRAWN: (usize, usize) = (10, 48);

#[derive(Template)]
#[template(path = "shapes/graph.html")]
struct Page<'a> {
    view: &'a View,
    graph: &'a Graph,
    waves: Vec<(u32, Vec<&'a Node>)>,
    drawing: Option<Html>,
    sum: String,
    /// What the signs of the drawing mean.
    signs: String,
}

pub fn html(view: &View, exhibit: &Exhibit, graph: &Graph) -> Html {
    let (sum, waves) = (summary(graph), waves_of(graph));
    let fits = !waves.is_empty() && waves.len() <= DRAWN.0 && graph.nodes.len() <= DRAWN.1;
    let drawing = fits.then(|| drawing(view, exhibit, graph, &waves, &sum));
    let signs = [
        (graph.nodes.iter().any(|node| node.critical), "heavy outline: on the longest path"),
        (graph.edges.iter().any(|edge| edge.cut), "dashed: dropped"),
    ];
    let signs: String = signs.iter().filter(|(there, _)| *there && fits).map(|(_, text)| format!("; {text}")).collect();
    render(&Page { view, graph, waves, drawing, sum, signs })
}

#[derive(Template)]
#[template(path = "shapes/graph_drawing.html")]
struct Drawing<'a> {
    view: &'a View,
    graph: &'a Graph,
    steps: Vec<(f64, f64, &'a Node)>,
    arrows: Vec<Arrow>,
}

struct Arrow {
    path: String,
    tip: String,
    cut: bool,
}

impl Drawing<'_> {
    /// The name in two lines at most.
    fn lines(&self, node: &Node) -> (String, String) {
        let title: Vec<Marked<()>> = id_and_name(&node.id, &node.title).chars().map(|c| (c, ())).collect();
        let lines: Vec<String> = wrap(&title, 23).into_iter().map(|line| line.into_iter().map(|(c, ())| c).collect()).collect();
        let second = excerpt(&lines.get(1..).unwrap_or_default().join(" "), 23, "…");
        (lines.first().cloned().unwrap_or_default(), second)
    }

    /// With who works on it, where the box is wide enough for the whole name.
    fn state(&self, node: &Node) -> String {
        let sign = match node.state.trim() {
            "done" => "●",
            "failed" => "▲",
            _ => "○",
        };
        let state = format!("{sign} {}", plain(&node.state));
        let by = node.seat.map(|seat| format!("{state} ({})", words::seat(self.view, seat))).filter(|by| width(by) <= 24);
        by.unwrap_or_else(|| fit(&state, 24, "…"))
    }
}

fn drawing(view: &View, exhibit: &Exhibit, graph: &Graph, waves: &[(u32, Vec<&Node>)], sum: &str) -> Html {
    let most = waves.iter().map(|(_, nodes)| nodes.len()).max().unwrap_or(1) as f64;
    let body = most * (HIGH + GAP.1) - GAP.1;
    let mut places: Places = BTreeMap::new();
    let mut steps = Vec::new();
    for (column, (_, nodes)) in waves.iter().enumerate() {
        let x = 2.0 + column as f64 * (WIDE + GAP.0);
        let top = 2.0 + (body - (nodes.len() as f64 * (HIGH + GAP.1) - GAP.1)) / 2.0;
        for (row, node) in ordered(graph, nodes, &places).into_iter().enumerate() {
            let y = top + row as f64 * (HIGH + GAP.1);
            places.entry(&node.id).or_insert((x, y));
            steps.push((x, y, node));
        }
    }
    let mut turned = false;
    let mut arrows = Vec::new();
    for edge in &graph.edges {
        let (Some(from), Some(to)) = (places.get(edge.from.as_str()), places.get(edge.to.as_str())) else { continue };
        turned |= to.0 <= from.0;
        arrows.push(arrow(*from, *to, edge.cut));
    }
    let width = waves.len() as f64 * (WIDE + GAP.0) - GAP.0 + 4.0;
    let height = body + 4.0 + if turned { 30.0 } else { 0.0 };
    let told: Vec<String> = graph.nodes.iter().map(|node| format!("{}: {}", id_and_name(&node.id, &node.title), note(view, graph, node))).collect();
    picture(&exhibit.title, &format!("{sum}. {}", told.join("; ")), (width, height), render(&Drawing { view, graph, steps, arrows }))
}

/// From the right of one to the left of the other; one that leads back goes round below.
fn arrow((x1, y1): (f64, f64), (x2, y2): (f64, f64), cut: bool) -> Arrow {
    if x2 > x1 {
        let (x1, y1, y2) = (x1 + WIDE, y1 + HIGH / 2.0, y2 + HIGH / 2.0);
        let bend = GAP.0 / 2.0;
        let path = format!("M{x1} {y1} C{} {y1} {} {y2} {x2} {y2}", x1 + bend, x2 - bend);
        return Arrow { path, tip: format!("M{x2} {y2} l-8 -4 v8 z"), cut };
    }
    let (x1, y1, x2, y2) = (x1 + WIDE / 2.0 + 12.0, y1 + HIGH, x2 + WIDE / 2.0 - 12.0, y2 + HIGH);
    let low = y1.max(y2) + 32.0;
    Arrow { path: format!("M{x1} {y1} C{x1} {low} {x2} {low} {x2} {y2}"), tip: format!("M{x2} {y2} l-4 8 h8 z"), cut }
}

fn failed(node: &Node) -> bool {
    node.state.trim().eq_ignore_ascii_case("failed")
}

/// Top left corners by id.
type Places<'g> = BTreeMap<&'g str, (f64, f64)>;

/// Each step near the height of those it waits for, so that fewer lines cross.
fn ordered<'g>(graph: &'g Graph, nodes: &[&'g Node], places: &Places) -> Vec<&'g Node> {
    let height = |node: &Node| {
        let before: Vec<f64> = graph
            .edges
            .iter()
            .filter(|edge| edge.to == node.id && !edge.cut)
            .filter_map(|edge| places.get(edge.from.as_str()))
            .map(|(_, y)| *y)
            .collect();
        if before.is_empty() { f64::MAX } else { before.iter().sum::<f64>() / before.len() as f64 }
    };
    let mut nodes = nodes.to_vec();
    nodes.sort_by(|a, b| height(a).total_cmp(&height(b)));
    nodes
}

/// The nodes of each wave, first wave first, each in the order given.
fn waves_of(graph: &Graph) -> Vec<(u32, Vec<&Node>)> {
    let mut waves: BTreeMap<u32, Vec<&Node>> = BTreeMap::new();
    for node in &graph.nodes {
        waves.entry(node.wave).or_default().push(node);
    }
    waves.into_iter().collect()
}

/// `done (opus), after T1 and T2, on the longest path`.
fn note(view: &View, graph: &Graph, node: &Node) -> String {
    let ids =
        |cut: bool| graph.edges.iter().filter(|edge| edge.to == node.id && edge.cut == cut).map(|edge| one_line(&edge.from)).collect::<Vec<_>>();
    let by = node.seat.map(|index| format!("({})", seat(view, index))).unwrap_or_default();
    let state = joined([plain(&node.state), by], " ");
    let critical = if node.critical { "on the longest path".to_owned() } else { String::new() };
    let took = node.ms.map(|ms| format!("took {}", span(ms))).unwrap_or_default();
    let cut = led("no longer waits for ", &listed(&ids(true)));
    joined([state, led("after ", &listed(&ids(false))), cut, critical, took], ", ")
}

fn summary(graph: &Graph) -> String {
    let steps = several(graph.nodes.len() as u64, "step", "steps");
    let waves = several(waves_of(graph).len() as u64, "wave", "waves");
    let states = counted(graph.nodes.iter().map(|node| node.state.as_str()));
    let cut = graph.edges.iter().filter(|edge| edge.cut).count() as u64;
    let cut = if cut == 0 { String::new() } else { format!("{} dropped to break a circle", several(cut, "dependency", "dependencies")) };
    joined([format!("{steps} in {waves}{}", led(": ", &states)), cut], "; ")
}
