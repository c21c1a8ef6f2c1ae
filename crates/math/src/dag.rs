//! What waits for what: a plan's dependencies made free of circles, its waves and its longest path.
//!
//! Nodes are indices, an edge is (input, whoever needs it). Owns the repair: the fewest edges are cut, and of equal choices those listed
//! last. Refuses to know what the nodes are or how long they take.

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::BTreeSet;

/// The search for the fewest edges is exact, and its cost doubles with every node.
pub const MOST: usize = 8;

/// Dependencies without circles.
#[derive(Clone, Debug, PartialEq)]
pub struct Dag {
    nodes: usize,
    /// What holds, in the order listed.
    pub edges: Vec<(usize, usize)>,
    /// What was cut so that no circle is left, in the order listed.
    pub cut: Vec<(usize, usize)>,
    /// The nodes that waited for each other, one list a tangle.
    pub circles: Vec<Vec<usize>>,
}

impl Dag {
    /// Repeated edges, edges to oneself and to what is no node are passed over. There may be at most [`MOST`] nodes.
    pub fn of(nodes: usize, edges: &[(usize, usize)]) -> Self {
        assert!(nodes <= MOST, "{nodes} nodes, and at most {MOST} can be untangled");
        let mut seen = BTreeSet::new();
        let sound = |edge: &&(usize, usize)| edge.0 < nodes && edge.1 < nodes && edge.0 != edge.1;
        let edges: Vec<(usize, usize)> = edges.iter().filter(sound).filter(|edge| seen.insert(**edge)).copied().collect();
        let circles = circles(nodes, &edges);
        let cut: BTreeSet<(usize, usize)> = circles.iter().flat_map(|circle| fewest(circle, &edges)).collect();
        let (cut, edges) = edges.into_iter().partition(|edge| cut.contains(edge));
        Self { nodes, edges, cut, circles }
    }

    /// What a node waits for, in the order listed.
    pub fn inputs(&self, node: usize) -> Vec<usize> {
        self.edges.iter().filter(|edge| edge.1 == node).map(|edge| edge.0).collect()
    }

    /// What a node builds on through its inputs alone, lowest first.
    pub fn indirect(&self, node: usize) -> Vec<usize> {
        let direct = self.inputs(node);
        let mut found: BTreeSet<usize> = BTreeSet::new();
        let mut open = direct.clone();
        while let Some(next) = open.pop() {
            open.extend(self.inputs(next).into_iter().filter(|input| found.insert(*input)));
        }
        found.into_iter().filter(|node| !direct.contains(node)).collect()
    }

    /// Nodes in the order they can be done: each wave holds all whose inputs lie in earlier ones, lowest first.
    pub fn waves(&self) -> Vec<Vec<usize>> {
        let mut waves: Vec<Vec<usize>> = Vec::new();
        let mut left: Vec<usize> = (0..self.nodes).collect();
        while !left.is_empty() {
            let (later, ready): (Vec<usize>, Vec<usize>) = left.iter().partition(|node| self.inputs(**node).iter().any(|input| left.contains(input)));
            if ready.is_empty() {
                break;
            }
            waves.push(ready);
            left = later;
        }
        waves
    }

    /// The path whose nodes weigh most together. Of equal ones that of the input listed first, ending in the node that comes first in the waves.
    pub fn longest(&self, weights: &[u32]) -> Vec<usize> {
        let mut reach: Vec<u32> = vec![0; self.nodes];
        let mut from: Vec<Option<usize>> = vec![None; self.nodes];
        let mut end: Option<usize> = None;
        for node in self.waves().into_iter().flatten() {
            for input in self.inputs(node) {
                if from[node].is_none_or(|best| reach[input] > reach[best]) {
                    from[node] = Some(input);
                }
            }
            reach[node] = weights.get(node).copied().unwrap_or(1) + from[node].map_or(0, |input| reach[input]);
            if end.is_none_or(|best| reach[node] > reach[best]) {
                end = Some(node);
            }
        }
        let mut path: Vec<usize> = std::iter::successors(end, |node| from[*node]).collect();
        path.reverse();
        path
    }
}

/// Sets of nodes each of which can be reached from all others of its set, lowest first.
fn circles(nodes: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut graph: DiGraph<(), ()> = DiGraph::with_capacity(nodes, edges.len());
    for _ in 0..nodes {
        graph.add_node(());
    }
    for (from, to) in edges {
        graph.add_edge(NodeIndex::new(*from), NodeIndex::new(*to), ());
    }
    let sets = tarjan_scc(&graph).into_iter().filter(|set| set.len() > 1);
    let mut circles: Vec<Vec<usize>> = sets.map(|set| set.into_iter().map(NodeIndex::index).collect()).collect();
    for circle in &mut circles {
        circle.sort_unstable();
    }
    circles.sort_unstable();
    circles
}

/// The fewest edges inside a circle without which it is none; of equally many those listed last.
///
/// Whatever order the nodes are done in, the edges that point backwards in it must go. So the cheapest order is sought, set by set of those
/// already done. An edge costs one, and a fraction that halves from each to the next listed: sums of those never tie.
fn fewest(circle: &[usize], edges: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let inside: Vec<(usize, usize)> = edges.iter().filter(|edge| circle.contains(&edge.0) && circle.contains(&edge.1)).copied().collect();
    let price = |at: usize| (1_u128 << 64) | (1 << (inside.len() - 1 - at));
    let done = |set: usize, node: usize| circle.iter().position(|member| *member == node).is_some_and(|bit| set & (1 << bit) != 0);
    let all = 1_usize << circle.len();
    let mut cheapest: Vec<u128> = vec![u128::MAX; all];
    cheapest[0] = 0;
    for set in 0..all {
        for (bit, node) in circle.iter().enumerate().filter(|(bit, _)| set & (1 << bit) == 0) {
            let backwards = inside.iter().enumerate().filter(|(_, edge)| edge.0 == *node && done(set, edge.1));
            let cost = cheapest[set] + backwards.map(|(at, _)| price(at)).sum::<u128>();
            let next = &mut cheapest[set | (1 << bit)];
            *next = cost.min(*next);
        }
    }
    let cost = cheapest[all - 1];
    inside.iter().enumerate().filter(|(at, _)| cost & (1 << (inside.len() - 1 - at)) != 0).map(|(_, edge)| *edge).collect()
}

#[cfg(test)]
#[path = "dag_tests.rs"]
mod tests;
