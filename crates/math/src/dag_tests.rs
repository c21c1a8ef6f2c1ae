//! Circles are cut with the fewest edges, against a search through all sets of them.

use super::*;
use petgraph::algo::is_cyclic_directed;
use proptest::prelude::*;

#[test]
fn a_plan_without_circles_is_kept_whole() {
    let dag = Dag::of(4, &[(0, 2), (1, 2), (2, 3)]);
    assert_eq!((dag.edges.len(), dag.cut.len(), dag.circles.len()), (3, 0, 0));
    assert_eq!(dag.waves(), [vec![0, 1], vec![2], vec![3]]);
    assert_eq!((dag.inputs(2), dag.indirect(3), dag.indirect(0)), (vec![0, 1], vec![0, 1], vec![]));
}

#[test]
fn of_a_circle_the_edge_listed_last_goes_and_the_rest_stays() {
    let dag = Dag::of(5, &[(4, 0), (0, 1), (1, 2), (2, 0), (2, 3)]);
    assert_eq!((dag.cut.clone(), dag.circles.clone()), (vec![(2, 0)], vec![vec![0, 1, 2]]));
    assert_eq!(dag.waves(), [vec![4], vec![0], vec![1], vec![2], vec![3]]);
}

#[test]
fn one_edge_in_two_circles_goes_rather_than_one_of_each() {
    let dag = Dag::of(4, &[(0, 1), (1, 2), (2, 0), (1, 3), (3, 0)]);
    assert_eq!(dag.cut, [(0, 1)]);
}

#[test]
fn what_is_no_edge_is_passed_over() {
    let dag = Dag::of(2, &[(0, 0), (0, 1), (0, 1), (7, 1), (1, 9)]);
    assert_eq!((dag.edges, dag.cut), (vec![(0, 1)], vec![]));
}

#[test]
fn everything_waiting_for_everything_is_untangled_at_the_largest_size() {
    let edges: Vec<(usize, usize)> = (0..MOST).flat_map(|to| (0..MOST).map(move |from| (from, to))).collect();
    let dag = Dag::of(MOST, &edges);
    assert_eq!((dag.edges.len(), dag.cut.len(), dag.waves().len()), (28, 28, MOST));
}

#[test]
fn the_longest_path_is_by_weight_and_ties_go_to_what_is_listed_first() {
    let dag = Dag::of(4, &[(0, 2), (1, 2), (0, 3)]);
    assert_eq!(dag.longest(&[1, 3, 1, 1]), [1, 2]);
    assert_eq!(dag.longest(&[1, 1, 1, 1]), [0, 2]);
    assert_eq!(dag.longest(&[1, 1, 1, 2]), [0, 3]);
    assert_eq!(Dag::of(2, &[]).longest(&[1, 2]), [1]);
    assert!(Dag::of(0, &[]).longest(&[]).is_empty());
}

fn cyclic(nodes: usize, edges: &[(usize, usize)]) -> bool {
    let mut graph: DiGraph<(), ()> = DiGraph::new();
    for _ in 0..nodes {
        graph.add_node(());
    }
    for (from, to) in edges {
        graph.add_edge(NodeIndex::new(*from), NodeIndex::new(*to), ());
    }
    is_cyclic_directed(&graph)
}

/// Some edges between few nodes, in any order, each once.
fn edges(nodes: usize, most: usize) -> impl Strategy<Value = Vec<(usize, usize)>> {
    let all: Vec<(usize, usize)> = (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to))).filter(|(from, to)| from != to).collect();
    let some = 0..=most.min(all.len());
    proptest::sample::subsequence(all, some).prop_shuffle()
}

proptest! {
    #[test]
    fn no_circle_is_left_and_nothing_is_cut_without_one(edges in edges(MOST, 40)) {
        let dag = Dag::of(MOST, &edges);
        prop_assert!(!cyclic(MOST, &dag.edges));
        prop_assert_eq!(dag.cut.is_empty(), !cyclic(MOST, &edges));
        prop_assert_eq!(dag.edges.len() + dag.cut.len(), edges.len());
        for (from, to) in &dag.cut {
            prop_assert!(dag.circles.iter().any(|circle| circle.contains(from) && circle.contains(to)), "only inside a circle");
        }
    }

    #[test]
    fn the_fewest_are_cut_and_of_those_the_last_listed(edges in edges(5, 11)) {
        let mut best: Option<(u32, Vec<bool>)> = None;
        for set in 0_u32..1 << edges.len() {
            let gone: Vec<bool> = (0..edges.len()).map(|at| set & (1 << at) != 0).collect();
            let kept: Vec<(usize, usize)> = edges.iter().zip(&gone).filter(|(_, gone)| !**gone).map(|(edge, _)| *edge).collect();
            // `false` sorts first: what is listed first is kept first.
            let choice = (set.count_ones(), gone);
            if best.as_ref().is_none_or(|best| choice < *best) && !cyclic(5, &kept) {
                best = Some(choice);
            }
        }
        let (_, gone) = best.expect("without any edge there is no circle");
        let want: Vec<(usize, usize)> = edges.iter().zip(&gone).filter(|(_, gone)| **gone).map(|(edge, _)| *edge).collect();
        prop_assert_eq!(Dag::of(5, &edges).cut, want);
    }

    #[test]
    fn waves_hold_every_node_once_and_after_its_inputs(edges in edges(MOST, 40)) {
        let dag = Dag::of(MOST, &edges);
        let waves = dag.waves();
        let wave = |node: usize| waves.iter().position(|wave| wave.contains(&node));
        for (from, to) in &dag.edges {
            prop_assert!(wave(*from) < wave(*to));
        }
        for (at, members) in waves.iter().enumerate().skip(1) {
            for node in members {
                prop_assert!(dag.inputs(*node).iter().any(|input| wave(*input) == Some(at - 1)), "no node waits longer than it must");
            }
        }
        let mut all: Vec<usize> = waves.concat();
        all.sort_unstable();
        prop_assert_eq!(all, (0..MOST).collect::<Vec<_>>());
    }

    #[test]
    fn the_order_of_edges_decides_which_are_cut_but_never_how_many(edges in edges(7, 20), seed: u64) {
        let mut shuffled = edges.clone();
        crate::Rng::new(seed).shuffle(&mut shuffled);
        let (one, other) = (Dag::of(7, &edges), Dag::of(7, &shuffled));
        prop_assert_eq!(one.cut.len(), other.cut.len());
        if one.cut.is_empty() {
            prop_assert_eq!((one.waves(), one.longest(&[1; 7]).len()), (other.waves(), other.longest(&[1; 7]).len()));
        }
    }

    #[test]
    fn the_longest_path_follows_edges_and_nothing_weighs_more(edges in edges(6, 14), weights in proptest::collection::vec(1_u32..4, 6)) {
        let dag = Dag::of(6, &edges);
        let path = dag.longest(&weights);
        prop_assert!(path.windows(2).all(|pair| dag.edges.contains(&(pair[0], pair[1]))));
        fn heaviest(dag: &Dag, weights: &[u32], node: usize) -> u32 {
            weights[node] + dag.inputs(node).into_iter().map(|input| heaviest(dag, weights, input)).max().unwrap_or(0)
        }
        let most = (0..6).map(|node| heaviest(&dag, &weights, node)).max();
        prop_assert_eq!(Some(path.iter().map(|node| weights[*node]).sum::<u32>()), most);
    }
}
