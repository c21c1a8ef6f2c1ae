//! Steps and what waits for what: wave by wave in words, a drawing with a column a wave in a page.

use crate::figures::several;
use crate::html::part::{flagged, folded, picture, soft};
use crate::html::safe::esc;
use crate::markdown::table::Side::{Left, Right};
use crate::markdown::table::{para, table};
use crate::terminal::entries::{CONTENTS, entries, entry, sum};
use crate::terminal::exhibit::Length;
use crate::terminal::paper::Paper;
use crate::text::{Marked, fit, one_line, wrap};
use crate::view::View;
use crate::words::{self, counted, id_and_name, joined, led, listed, plain, seat};
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

pub fn html(view: &View, exhibit: &Exhibit, graph: &Graph) -> String {
    let sum = summary(graph);
    let waves = waves_of(graph);
    if waves.is_empty() {
        return "<p>No steps.</p>".to_owned();
    }
    let table = steps(view, graph, &waves);
    if waves.len() > DRAWN.0 || graph.nodes.len() > DRAWN.1 {
        return format!("{table}{}", soft(&sum));
    }
    let legend = [
        (graph.nodes.iter().any(|node| node.critical), "heavy outline: on the longest path"),
        (graph.edges.iter().any(|edge| edge.cut), "dashed: dropped"),
    ];
    let legend: String = legend.iter().filter(|(there, _)| *there).map(|(_, text)| format!("; {text}")).collect();
    format!("{}{}{}", drawing(view, exhibit, graph, &waves, &sum), soft(&format!("{sum}{legend}")), folded("Step by step", &table))
}

fn steps(view: &View, graph: &Graph, waves: &[(u32, Vec<&Node>)]) -> String {
    let mut rows = String::new();
    for (wave, nodes) in waves {
        for node in nodes {
            rows.push_str(&format!(
                "<tr><td>{wave}</td><th scope=\"row\">{}</th><td>{}{}</td></tr>",
                esc(&id_and_name(&node.id, &node.title)),
                flagged(&note(view, graph, node), failed(node)),
                soft(&node.note)
            ));
        }
    }
    format!(
        "<table><thead><tr><th scope=\"col\">Wave</th><th scope=\"col\">Step</th><th scope=\"col\">State</th></tr></thead><tbody>{rows}</tbody></table>"
    )
}

fn failed(node: &Node) -> bool {
    node.state.trim().eq_ignore_ascii_case("failed")
}

/// Top left corners by id.
type Places<'g> = BTreeMap<&'g str, (f64, f64)>;

fn drawing(view: &View, exhibit: &Exhibit, graph: &Graph, waves: &[(u32, Vec<&Node>)], sum: &str) -> String {
    let most = waves.iter().map(|(_, nodes)| nodes.len()).max().unwrap_or(1) as f64;
    let body = most * (HIGH + GAP.1) - GAP.1;
    let mut places: Places = BTreeMap::new();
    let mut boxes = String::new();
    for (column, (_, nodes)) in waves.iter().enumerate() {
        let x = 2.0 + column as f64 * (WIDE + GAP.0);
        let top = 2.0 + (body - (nodes.len() as f64 * (HIGH + GAP.1) - GAP.1)) / 2.0;
        for (row, node) in ordered(graph, nodes, &places).into_iter().enumerate() {
            let y = top + row as f64 * (HIGH + GAP.1);
            places.entry(&node.id).or_insert((x, y));
            boxes.push_str(&step(view, node, x, y));
        }
    }
    let mut lines = String::new();
    let mut turned = false;
    for edge in &graph.edges {
        let (Some(from), Some(to)) = (places.get(edge.from.as_str()), places.get(edge.to.as_str())) else { continue };
        turned |= to.0 <= from.0;
        lines.push_str(&arrow(*from, *to, edge.cut));
    }
    let width = waves.len() as f64 * (WIDE + GAP.0) - GAP.0 + 4.0;
    let height = body + 4.0 + if turned { 30.0 } else { 0.0 };
    let steps: Vec<String> = graph.nodes.iter().map(|node| format!("{}: {}", id_and_name(&node.id, &node.title), note(view, graph, node))).collect();
    picture(&exhibit.title, &format!("{sum}. {}", steps.join("; ")), (width as usize, height as usize), &format!("{lines}{boxes}"))
}

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

fn step(view: &View, node: &Node, x: f64, y: f64) -> String {
    let (class, sign) = match node.state.trim() {
        "done" => ("", "● "),
        "failed" => (" failed", "▲ "),
        _ => ("", "○ "),
    };
    let critical = if node.critical { " leads" } else { "" };
    let title: Vec<Marked<()>> = id_and_name(&node.id, &node.title).chars().map(|c| (c, ())).collect();
    let lines: Vec<String> = wrap(&title, 23).into_iter().map(|line| line.into_iter().map(|(c, ())| c).collect()).collect();
    let second = if lines.len() > 2 { fit(&format!("{}…", lines[1]), 23, "…") } else { lines.get(1).cloned().unwrap_or_default() };
    let by = node.seat.map(|seat| format!(" ({})", words::seat(view, seat))).unwrap_or_default();
    let state = fit(&format!("{sign}{}{by}", plain(&node.state)), 22, "…");
    let left = x + 9.0;
    format!(
        "<g><title>{}</title><rect class=\"box{class}{critical}\" x=\"{x}\" y=\"{y}\" width=\"{WIDE}\" height=\"{HIGH}\" rx=\"5\"/>\
         <text x=\"{left}\" y=\"{}\">{}</text><text x=\"{left}\" y=\"{}\">{}</text><text class=\"faint\" x=\"{left}\" y=\"{}\">{}</text></g>",
        esc(&one_line(&node.title)),
        y + 19.0,
        esc(lines.first().map_or("", String::as_str)),
        y + 36.0,
        esc(&second),
        y + 54.0,
        esc(&state)
    )
}

/// From the right of one to the left of the other; one that leads back goes round below.
fn arrow((x1, y1): (f64, f64), (x2, y2): (f64, f64), cut: bool) -> String {
    let (class, tip) = if cut { ("edge cut", "tip cut") } else { ("edge", "tip") };
    if x2 > x1 {
        let (x1, y1, y2) = (x1 + WIDE, y1 + HIGH / 2.0, y2 + HIGH / 2.0);
        let bend = GAP.0 / 2.0;
        return format!(
            "<path class=\"{class}\" d=\"M{x1} {y1} C{} {y1} {} {y2} {x2} {y2}\"/><path class=\"{tip}\" d=\"M{x2} {y2} l-8 -4 v8 z\"/>",
            x1 + bend,
            x2 - bend
        );
    }
    let (x1, y1, x2, y2) = (x1 + WIDE / 2.0 + 12.0, y1 + HIGH, x2 + WIDE / 2.0 - 12.0, y2 + HIGH);
    let low = y1.max(y2) + 32.0;
    format!("<path class=\"{class}\" d=\"M{x1} {y1} C{x1} {low} {x2} {low} {x2} {y2}\"/><path class=\"{tip}\" d=\"M{x2} {y2} l-4 8 h8 z\"/>")
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
    let cut = led("no longer waits for ", &listed(&ids(true)));
    joined([state, led("after ", &listed(&ids(false))), cut, critical], ", ")
}

fn summary(graph: &Graph) -> String {
    let steps = several(graph.nodes.len() as u64, "step", "steps");
    let waves = several(waves_of(graph).len() as u64, "wave", "waves");
    let states = counted(graph.nodes.iter().map(|node| node.state.as_str()));
    let cut = graph.edges.iter().filter(|edge| edge.cut).count() as u64;
    let cut = if cut == 0 { String::new() } else { format!("{} dropped to break a circle", several(cut, "dependency", "dependencies")) };
    joined([format!("{steps} in {waves}{}", led(": ", &states)), cut], "; ")
}
