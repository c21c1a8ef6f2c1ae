//! Text forms as models write them, clusters that hold every idea once, and what decides between them.

use super::clusters::{Arrangement, Cluster, limit};
use super::ideas::{Pool, PoolIdea};
use super::ranking::Ranking;
use super::scores::visible;
use super::*;
use synod_engine::{IdLists, ReplyFormat, TypedReply};

fn pool(ideas: &[(&str, SeatIx)]) -> Pool {
    let entry = |(at, (title, author)): (usize, &(&str, SeatIx))| PoolIdea {
        id: format!("I{:02}", at + 1),
        idea: Idea { title: (*title).to_owned(), description: String::new() },
        authors: vec![*author],
        merged: Vec::new(),
    };
    let mut authors: Vec<SeatIx> = ideas.iter().map(|(_, author)| *author).collect();
    authors.sort_unstable();
    authors.dedup();
    Pool { entries: ideas.iter().enumerate().map(entry).collect(), authors, given: ideas.len() }
}

fn ids() -> IdLists {
    IdLists::default().with("ideas", (1..=6).map(|n| format!("I{n:02}")))
}

fn titles(text: &str) -> Vec<String> {
    Ideas::from_text(text, &IdLists::default()).map(|ideas| ideas.ideas.into_iter().map(|idea| idea.title).collect()).unwrap_or_default()
}

#[test]
fn ideas_are_read_with_their_markup_and_the_last_may_be_a_title_alone() {
    let text = "Some thoughts.\n\n**IDEA 1: Night bus**\nRun it late.\nAnd early.\n\n### Idea 2 — Two lanes\nPart them, as in IDEA 1: Night bus.\n\nIDEA 3:\nTents\nPut up tents.\nIDEA 4: Boats";
    let ideas = Ideas::from_text(text, &IdLists::default()).expect("ideas");
    assert_eq!(titles(text), ["Night bus", "Two lanes", "Tents", "Boats"]);
    let told: Vec<&str> = ideas.ideas.iter().map(|idea| idea.description.as_str()).collect();
    assert_eq!(told, ["Run it late.\nAnd early.", "Part them, as in IDEA 1: Night bus.", "Put up tents.", ""]);
    assert_eq!(ideas.reasons, "Some thoughts.");
    assert!(Ideas::read(text, &IdLists::default()).is_ok());
    assert!(Ideas::read("An idea would be boats.", &IdLists::default()).is_err());
    assert!(Ideas::read("{\"reasons\": \"\", \"ideas\": [{\"title\": \" \", \"description\": \"x\"}]}", &IdLists::default()).is_err());
}

#[test]
fn a_blank_line_between_fields_breaks_nothing() {
    let text = "WHY FEWER: people move or stay\n\nCLUSTER 1: Transport\n\nTheme: moving people\n\nPromise: **HIGH**\n\nIdeas: i01, I02 and [I09]\n\n## Cluster 2 — Shelter\nTheme: staying\nPromise: maybe\nIdeas:\n- I03\n- I04";
    let clustering = Clustering::from_text(text, &ids()).expect("clusters");
    let read: Vec<(&str, &str, Option<Promise>, Vec<&str>)> = clustering
        .clusters
        .iter()
        .map(|theme| (theme.name.as_str(), theme.theme.as_str(), theme.promise, theme.ideas.iter().map(String::as_str).collect()))
        .collect();
    assert_eq!(read, [("Transport", "moving people", Some(Promise::High), vec!["I01", "I02"]), ("Shelter", "staying", None, vec!["I03", "I04"])]);
    assert!(Clustering::read(text, &ids()).is_ok());
    assert!(Clustering::read("CLUSTER 1: x\nIdeas: I99", &ids()).is_err(), "a cluster without an idea of the pool is none");
}

#[test]
fn scores_are_read_with_commas_scales_and_line_breaks() {
    let terms = IdLists::default().with("clusters", ["K3", "T9", "P4"]);
    let read = |text: &str| {
        Scores::from_text(text, &terms).map(|scores| scores.scores.iter().map(|mark| (mark.cluster.clone(), mark.values())).collect::<Vec<_>>())
    };
    for (text, want) in [
        ("Cluster K3: Novelty=4 Feasibility=4 Impact=3", [Some(4), Some(4), Some(3)]),
        ("Cluster K3: Novelty=4, Feasibility=4/5, Impact=3.", [Some(4), Some(4), Some(3)]),
        ("**Cluster k3:** novelty = **4**; Feasibility: 4 / Impact=[3]", [Some(4), Some(4), Some(3)]),
        ("### Cluster K3 — Transport\n- Novelty: 4/5\n- Feasibility: 4 (easy)\n- Impact: 3", [Some(4), Some(4), Some(3)]),
        ("Cluster K3: Novelty=9 Feasibility=4/10 Impact=3", [None, None, Some(3)]),
        ("Cluster K3: Novelty=4.5 Feasibility=high Impact=3", [None, None, Some(3)]),
    ] {
        assert_eq!(read(text), Some(vec![("K3".to_owned(), want)]), "{text}");
    }
    for text in [
        "",
        "Cluster K3 has high novelty=4",
        "Cluster 7: Novelty=4 Feasibility=4 Impact=3",
        "Cluster K3: all good",
        "Novelty=4 Feasibility=4 Impact=3",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
    let two = read("Cluster K3: Novelty=1 Feasibility=1 Impact=1\nCluster T9: Novelty=2 Feasibility=2 Impact=2\nSummary: K3 is weak").expect("two");
    assert_eq!(two.len(), 2);
}

#[test]
fn a_cluster_named_twice_is_rated_once() {
    let mark = |n| Mark { cluster: "K3".into(), novelty: Some(n), feasibility: Some(n), impact: Some(n) };
    let empty = Mark { cluster: "K3".into(), novelty: None, feasibility: None, impact: None };
    let rated = ScorerMarks::of(0, &Scores { reasons: String::new(), scores: vec![empty, mark(2), mark(5)] }, &clusters(&[("K3", None)]));
    assert_eq!(rated.marks, [Some(mark(2))]);
}

fn theme(name: &str, ideas: &[&str]) -> Theme {
    Theme { name: name.into(), theme: String::new(), promise: Some(Promise::Low), ideas: ideas.iter().map(|id| (*id).to_owned()).collect() }
}

fn arrangement(themes: Vec<Theme>, pool: &Pool, most: usize) -> Arrangement {
    Arrangement::of(Clustering { reasons: String::new(), why_fewer: None, clusters: themes }, pool, most)
}

fn members(arrangement: &Arrangement) -> Vec<(&str, Vec<usize>)> {
    arrangement.clusters.iter().map(|cluster| (cluster.name.as_str(), cluster.members.clone())).collect()
}

#[test]
fn every_idea_ends_in_exactly_one_cluster() {
    let pool = pool(&[("night bus", 0), ("night boat", 1), ("paper tent", 2), ("night train", 0), ("song contest", 1)]);
    let themes = vec![theme("", &["I01", "I02", "I01"]), theme("Shelter", &["I02", "I03"]), theme("Empty", &["I02"])];
    let arrangement = arrangement(themes, &pool, 6);
    assert_eq!(
        members(&arrangement),
        [("night bus", vec![0, 1, 3]), ("Shelter", vec![2]), ("Other ideas", vec![4])],
        "the train joins what it is like"
    );
    assert_eq!((arrangement.unclustered, arrangement.dissolved.len()), (vec!["I04".to_owned(), "I05".to_owned()], 0));
    assert_eq!(arrangement.clusters[2].promise, None, "nobody spoke for what was left over");
}

#[test]
fn clusters_beyond_the_limit_are_dissolved() {
    let pool = pool(&[("a bus", 0), ("a boat", 1), ("a tent", 2), ("a song", 0)]);
    let themes = vec![theme("A", &["I01"]), theme("B", &["I02"]), theme("C", &["I03"]), theme("D", &["I04"])];
    let arrangement = arrangement(themes, &pool, 3);
    assert_eq!((arrangement.dissolved.clone(), arrangement.clusters.len()), (vec!["D".to_owned()], 3), "a place for the rest would be one too many");
    let mut all: Vec<usize> = arrangement.clusters.iter().flat_map(|cluster| cluster.members.clone()).collect();
    all.sort_unstable();
    assert_eq!(all, [0, 1, 2, 3]);
}

#[test]
fn few_ideas_never_raise_the_limit() {
    assert_eq!([limit(3, 9), limit(6, 9), limit(6, 30), limit(8, 4), limit(8, 9), limit(8, 10), limit(8, 14)], [3, 4, 6, 3, 4, 8, 8]);
}

#[test]
fn without_a_curator_ideas_are_grouped_by_their_words_and_not_by_author() {
    let pool = pool(&[("night bus", 0), ("paper tent", 0), ("night boat", 1), ("paper kite", 1), ("night train", 2)]);
    let arrangement = Arrangement::computed(&pool, 3);
    assert_eq!(members(&arrangement), [("night bus", vec![0, 2, 4]), ("paper tent", vec![1, 3])]);
    assert!(arrangement.clusters.iter().all(|cluster| cluster.promise.is_none()));
}

fn clusters(named: &[(&str, Option<Promise>)]) -> Vec<Cluster> {
    let one = |(at, (label, promise)): (usize, &(&str, Option<Promise>))| Cluster {
        id: format!("cluster_{}", at + 1),
        label: (*label).to_owned(),
        name: (*label).to_owned(),
        theme: String::new(),
        promise: *promise,
        members: vec![at],
    };
    named.iter().enumerate().map(one).collect()
}

fn rated(seat: SeatIx, marks: &[Option<[u32; 3]>]) -> ScorerMarks {
    let mark = |values: &Option<[u32; 3]>| {
        values.map(|[novelty, feasibility, impact]| Mark {
            cluster: String::new(),
            novelty: Some(novelty),
            feasibility: Some(feasibility),
            impact: Some(impact),
        })
    };
    ScorerMarks { seat, reasons: format!("said by {seat}"), marks: marks.iter().map(mark).collect() }
}

#[test]
fn nobody_sees_its_own_ideas_when_it_scores() {
    let mut pool = pool(&[("bus", 0), ("boat", 1), ("tent", 1)]);
    pool.entries[1].authors.push(2);
    let mixed = Cluster { members: vec![0, 1, 2], ..clusters(&[("K3", None)])[0].clone() };
    assert_eq!(
        [0, 1, 2, 3].map(|seat| visible(&mixed, &pool, seat)),
        [vec![1, 2], vec![0], vec![0, 2], vec![0, 1, 2]],
        "a merged idea has two authors"
    );
    let own = Cluster { members: vec![1, 2], ..mixed };
    assert!(visible(&own, &pool, 1).is_empty());
}

#[test]
fn a_harsh_scorer_counts_as_much_as_a_mild_one() {
    let clusters = clusters(&[("K3", None), ("T9", None), ("P4", None)]);
    let mild = rated(0, &[Some([5, 5, 5]), Some([4, 4, 4]), Some([3, 3, 3])]);
    let harsh = rated(1, &[Some([2, 2, 2]), Some([3, 3, 2]), Some([2, 2, 3])]);
    let ranking = Ranking::of(&clusters, &[mild, harsh]);
    assert_eq!((ranking.source, ranking.order, ranking.scorers), (Source::Scores, vec![1, 0, 2], 2));
    assert_eq!([ranking.scores[0].total, ranking.scores[1].total], [Some(10.5), Some(10.0)], "plain means are kept beside it");
}

#[test]
fn equal_scores_are_parted_by_impact_then_feasibility_then_promise_then_order() {
    let (high, low) = (Some(Promise::High), Some(Promise::Low));
    for (marks, promises, order, rung) in [
        ([[3, 3, 3], [3, 2, 4]], [low, low], [1, 0], "impact"),
        ([[4, 2, 3], [3, 3, 3]], [low, low], [1, 0], "feasibility"),
        ([[3, 3, 3], [3, 3, 3]], [low, high], [1, 0], "promise"),
        ([[3, 3, 3], [3, 3, 3]], [None, low], [1, 0], "promise"),
        ([[3, 3, 3], [3, 3, 3]], [low, low], [0, 1], "order"),
    ] {
        let clusters = clusters(&[("K3", promises[0]), ("T9", promises[1])]);
        let both = marks.map(Some);
        let ranking = Ranking::of(&clusters, &[rated(0, &both), rated(1, &both)]);
        assert_eq!((ranking.order.as_slice(), ranking.rung, ranking.tied.len()), (order.as_slice(), Some(rung), 1), "{marks:?}");
        assert_eq!(warnings(&ranking, &clusters).len(), 1);
    }
}

#[test]
fn a_difference_too_small_to_print_still_decides() {
    let clusters = clusters(&[("K3", None), ("T9", None), ("P4", None)]);
    let judges: Vec<ScorerMarks> =
        (0..200).map(|seat| rated(seat, &[Some([3, 3, 3]), Some(if seat == 0 { [3, 3, 4] } else { [3, 3, 3] }), Some([1, 1, 1])])).collect();
    let ranking = Ranking::of(&clusters, &judges);
    assert_eq!((ranking.order[0], ranking.tied.len(), ranking.rung), (1, 0, None));
}

#[test]
fn with_fewer_than_two_scorers_promise_decides_and_no_number_is_invented() {
    let clusters = clusters(&[("K3", None), ("T9", Some(Promise::Medium)), ("P4", Some(Promise::High))]);
    let ranking = Ranking::of(&clusters, &[rated(0, &[Some([5, 5, 5]), None, None]), rated(1, &[None, None, None])]);
    assert_eq!((ranking.source, ranking.order, ranking.scorers), (Source::Promise, vec![2, 1, 0], 1));
    assert!(ranking.scores.iter().all(|score| score.total.is_none() && score.standard.is_none() && score.means == [None; 3]));
}

#[test]
fn where_nobody_said_what_is_promising_the_largest_comes_first_and_nothing_is_tied() {
    let mut clusters = clusters(&[("K3", None), ("T9", None), ("P4", None)]);
    clusters[1].members = vec![1, 3];
    let ranking = Ranking::of(&clusters, &[]);
    assert_eq!((ranking.source, ranking.order.as_slice(), ranking.tied.len(), ranking.rung), (Source::Size, [1, 0, 2].as_slice(), 0, None));
    let said = warnings(&ranking, &clusters);
    assert!(said[0].contains("most ideas") && !said[0].contains("by promise"), "{said:?}");
    let ideas = pool(&[("a", 0), ("b", 1), ("c", 2), ("d", 0)]);
    let Shape::Clusters(shown) = exhibit(&ranking, &clusters, &ideas).shape else { panic!("clusters are shown") };
    assert!(shown.clusters.iter().all(|cluster| cluster.note.starts_with("ordered by size")));
}

#[test]
fn whoever_prefers_another_cluster_dissents() {
    let clusters = clusters(&[("K3", None), ("T9", None), ("P4", None)]);
    let all = [
        rated(0, &[Some([5, 5, 5]), Some([1, 1, 1]), None]),
        rated(1, &[Some([2, 2, 2]), Some([4, 4, 4]), Some([1, 1, 1])]),
        rated(2, &[None, Some([2, 2, 2]), Some([4, 4, 4])]),
        rated(3, &[Some([3, 3, 3]), Some([3, 3, 3]), None]),
    ];
    let dissent = dissent(&all, &clusters, 0);
    let said: Vec<_> = dissent.iter().map(|one| (one.seat, one.label.as_deref(), one.text.as_str())).collect();
    assert_eq!(said, [(Some(1), None, "T9 first, not K3: said by 1")], "who did not mark the best, or has no favourite, contradicts nothing");
}

#[test]
fn a_single_cluster_is_scored_like_any_other() {
    let clusters = clusters(&[("K3", Some(Promise::Low))]);
    let ranking = Ranking::of(&clusters, &[]);
    assert_eq!((ranking.source, ranking.order.as_slice(), ranking.scores[0].total), (Source::Only, [0].as_slice(), None));
    assert_eq!(warnings(&ranking, &clusters), ["All ideas fell into one cluster, so there was none to choose it over."]);
    let scored = Ranking::of(&clusters, &[rated(0, &[Some([4, 4, 4])]), rated(1, &[Some([2, 3, 4])])]);
    assert_eq!((scored.source, scored.scores[0].total, scored.scores[0].raters), (Source::Only, Some(10.5), 2));
}

#[test]
fn a_chosen_cluster_with_a_lower_total_says_why() {
    let clusters = clusters(&[("K3", None), ("T9", None), ("P4", None)]);
    let mild = rated(0, &[Some([5, 5, 5]), Some([4, 4, 4]), Some([3, 3, 3])]);
    let harsh = rated(1, &[Some([2, 2, 2]), Some([3, 3, 2]), Some([2, 2, 3])]);
    let ranking = Ranking::of(&clusters, &[mild, harsh]);
    let said = warnings(&ranking, &clusters);
    assert!(said[0].starts_with("T9 comes first with 10.0 of 15 on average, though K3 has 10.5: each scorer's marks"), "{said:?}");
    let even = rated(1, &[Some([5, 5, 5]), Some([4, 4, 4]), Some([3, 3, 3])]);
    assert_eq!(lower_total_reason(&Ranking::of(&clusters, &[even]), &clusters), None);
}

#[test]
fn fewer_than_three_clusters_need_a_reason() {
    let of = |names: &[&str], why: &str| {
        let clusters: Vec<Value> =
            names.iter().zip(1..).map(|(name, n)| json!({"name": name, "theme": "t", "promise": null, "ideas": [format!("I{n:02}")]})).collect();
        Clustering::read(&json!({"reasons": "r", "why_fewer": why, "clusters": clusters}).to_string(), &ids())
    };
    assert!(of(&["a", "b"], " ").is_err_and(|error| error.contains("why_fewer")));
    assert!(of(&["a", "b"], "They are two sides of one thing.").is_ok() && of(&["a", "b", "c"], "").is_ok());
    let few = IdLists::default().with("ideas", ["I01", "I02"]);
    assert!(
        Clustering::read(r#"{"reasons": "r", "clusters": [{"name": "a", "theme": "t", "promise": null, "ideas": ["I01", "I02"]}]}"#, &few).is_ok()
    );
    let text = "WHY FEWER: all of one piece\nCLUSTER 1: a\nIdeas: I01, I02";
    assert_eq!(Clustering::from_text(text, &ids()).and_then(|read| read.why_fewer).as_deref(), Some("all of one piece"));
}

#[test]
fn a_cluster_that_rests_on_one_mark_is_said_to() {
    let clusters = clusters(&[("K3", None), ("T9", None)]);
    let ranking = Ranking::of(&clusters, &[rated(0, &[Some([5, 5, 5]), Some([1, 1, 1])]), rated(1, &[None, Some([4, 4, 4])])]);
    assert_eq!((ranking.order[0], ranking.scores[0].raters), (0, 1));
    assert!(warnings(&ranking, &clusters)[0].contains("one seat"), "{:?}", warnings(&ranking, &clusters));
}

#[test]
fn a_favourite_is_of_those_who_could_have_put_the_best_first() {
    assert_eq!(favourite(&rated(0, &[Some([5, 5, 5]), Some([1, 1, 1])]).marks, 0), Some(0));
    assert_eq!(favourite(&rated(0, &[None, Some([1, 1, 1]), Some([2, 1, 1])]).marks, 0), None, "it had no part in the best");
    assert_eq!(favourite(&rated(0, &[Some([2, 2, 2]), Some([2, 2, 2])]).marks, 0), None, "it has no favourite");
    assert_eq!(favourite(&rated(0, &[Some([2, 2, 2]), None]).marks, 0), None, "it compared nothing");
}
