//! The larger shapes in each medium: as modes fill them, empty, and with numbers no mode should give.

use crate::{runs, shapes};
use synod_report::{Style, View, exhibit_html, html, markdown, show, terminal};
use synod_types::*;

fn plain(width: usize) -> Style {
    Style { width, colour: false, unicode: true }
}

#[test]
fn every_shape_in_the_terminal() {
    let view = View::of(&shapes::run());
    insta::assert_snapshot!("shapes_terminal_80", terminal(&view, plain(80)));
    insta::assert_snapshot!("shapes_terminal_40", terminal(&view, plain(40)));
    insta::assert_snapshot!("shapes_terminal_ascii", terminal(&view, Style { width: 80, colour: false, unicode: false }));
    insta::assert_snapshot!("shapes_show", show(&view, plain(100), false));
}

#[test]
fn the_text_of_a_document_is_one_flag_away() {
    let view = View::of(&shapes::run());
    let texts = ["Read section 2 first if writes queue today.", "index maintenance", "512 GB of memory holds the working set twice over."];
    for text in texts {
        let [brief, whole, full] = [terminal(&view, plain(100)), show(&view, plain(100), false), show(&view, plain(100), true)];
        assert!(!brief.contains(text) && !whole.contains(text) && full.contains(text), "{text} in {full}");
    }
    let full = show(&view, plain(100), true);
    assert_eq!(full.matches("3. The way back").count(), 1, "what was not written has no text:\n{full}");
    insta::assert_snapshot!("shapes_show_full", full);
}

#[test]
fn every_shape_in_markdown_and_html() {
    let view = View::of(&shapes::run());
    insta::assert_snapshot!("shapes_markdown", markdown(&view));
    insta::assert_snapshot!("shapes_html", html(&view).replace(synod_report::STYLE, ""));
}

#[test]
fn without_unicode_our_own_marks_are_ascii() {
    let text = show(&View::of(&shapes::run()), Style { width: 80, colour: false, unicode: false }, false);
    assert_eq!(text.lines().find(|line| !line.is_ascii()), None);
}

#[test]
fn lines_keep_to_the_width() {
    let view = View::of(&shapes::run());
    for width in [40, 60, 80, 120] {
        for text in [terminal(&view, plain(width)), show(&view, plain(width), false)] {
            for line in text.lines() {
                let whole = [runs::RUN, "\"reasons\"", "head "].iter().any(|part| line.contains(part));
                assert!(whole || line.chars().count() <= width, "{width}: {line}");
            }
        }
    }
}

#[test]
fn only_the_last_state_of_a_kind_stands_beside_the_answer() {
    let view = View::of(&shapes::run());
    let page = html(&view);
    let (decided, record) = page.split_once("id=\"record\"").expect("a page has a record");
    assert!(decided.contains("Estimates, round 4") && !decided.contains("Estimates, round 1"));
    assert!(record.contains("<h4>Estimates, round 1</h4>") && record.contains("<h4>Review, by opus</h4>"));
    let text = terminal(&view, plain(80));
    assert!(text.contains("Estimates, round 4") && !text.contains("round 1\n"), "{text}");
}

#[test]
fn contestants_are_the_authors_of_their_labels() {
    let view = View::of(&shapes::run());
    assert_eq!((view.author("K3"), view.author("R7")), (Some(0), Some(1)));
}

#[test]
fn what_was_not_scored_is_never_a_zero() {
    let view = View::of(&shapes::run());
    let of = |stage: &str| view.exhibits().find(|shown| shown.stage == stage).expect("it is shown").clone();
    assert!(exhibit_html(&view, &of("scores")).contains("<abbr title=\"not scored\">–</abbr>"));
    assert!(exhibit_html(&view, &of("ranked_clusters")).contains("<dt>impact</dt><dd>not scored</dd>"));
    assert!(markdown(&view).contains("| Cost of operation | 2 | 6 | 6.50 | not scored | 6.25 | mixed |"));
    assert!(terminal(&view, plain(40)).contains("not scored"));
}

/// Every place of a document that is linked to is there, once.
#[test]
fn the_contents_of_a_document_lead_somewhere() {
    let page = html(&View::of(&shapes::run()));
    let targets: Vec<&str> = page.split("href=\"#part-").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(targets.len(), 2, "a section that was not written has no link");
    for target in targets {
        assert_eq!(page.matches(&format!("id=\"part-{target}\"")).count(), 1);
    }
}

fn empty() -> Vec<Shape> {
    vec![
        Shape::Bracket(Bracket::default()),
        Shape::Bracket(Bracket { rounds: vec![Vec::new()], champion: Some("K3".into()), ..Bracket::default() }),
        Shape::Scorecard(Scorecard::default()),
        Shape::Distribution(Distribution::default()),
        Shape::Series(Series::default()),
        Shape::Series(Series { steps: Vec::new(), lines: vec![Line { name: "none".into(), values: vec![None] }] }),
        Shape::Revision(Revision::default()),
        Shape::Findings(Findings::default()),
        Shape::Checks(Checks::default()),
        Shape::Clusters(Clusters::default()),
        Shape::Shifts(Shifts::default()),
        Shape::Card(CruxCard::default()),
        Shape::Document(Document::default()),
        Shape::Graph(Graph::default()),
        Shape::Graph(Graph { nodes: Vec::new(), edges: vec![Edge { from: "A".into(), to: "B".into(), cut: true }] }),
    ]
}

/// Numbers at the ends of what there is, rows longer and shorter than their columns, waves out of any order, matches that fit no tree.
fn extreme(number: f64) -> Vec<Shape> {
    let node = |id: &str, wave| Node { id: id.into(), wave, state: "done".into(), ..Node::default() };
    let edge = |from: &str, to: &str| Edge { from: from.into(), to: to.into(), cut: false };
    let game = |a: &str, b: &str| Match { a: a.into(), b: Some(b.into()), winner: Some("nobody".into()), ..Match::default() };
    let row = |cells: usize| ScoreRow {
        name: "row".into(),
        weight: Some(number),
        cells: vec![Some(number); cells],
        summary: Some(number),
        ..ScoreRow::default()
    };
    let point = |value| Point { label: "K3".into(), value: Some(value), ..Point::default() };
    let spread = Some(Spread { min: -number, low: number, middle: 0.0, high: -number, max: number });
    vec![
        Shape::Bracket(Bracket {
            rounds: vec![vec![game("A", "B")], vec![game("A", "B"), game("C", "A")], vec![]],
            champion: Some("B".into()),
            ..Bracket::default()
        }),
        Shape::Bracket(Bracket { rounds: vec![vec![game("A", "A"); 400]; 20], ..Bracket::default() }),
        Shape::Scorecard(Scorecard {
            scale: (number, -number),
            columns: vec!["one".into()],
            rows: vec![row(0), row(3)],
            totals: vec![None; 5],
            ..Scorecard::default()
        }),
        Shape::Distribution(Distribution { points: vec![point(number), point(-number), point(0.0)], spread, ..Distribution::default() }),
        Shape::Distribution(Distribution { shares: vec![("yes".into(), u32::MAX), ("no".into(), 0)], ..Distribution::default() }),
        Shape::Series(Series {
            steps: vec!["one".into()],
            lines: vec![Line { name: "line".into(), values: vec![Some(number), None, Some(-number)] }; 3],
        }),
        Shape::Series(Series { steps: Vec::new(), lines: vec![Line { name: "line".into(), values: vec![Some(number); 300] }; 40] }),
        Shape::Revision(Revision {
            before_words: u32::MAX,
            changes: vec![Change::Skipped(u32::MAX), Change::Added("x\n".repeat(300))],
            ..Revision::default()
        }),
        Shape::Checks(Checks {
            entries: vec![CheckEntry { agreement: Some(number), ..CheckEntry::default() }; 40],
            score: Some(number),
            ..Checks::default()
        }),
        Shape::Clusters(Clusters { clusters: vec![Cluster { scores: vec![("s".into(), Some(number))], ..Cluster::default() }; 40] }),
        Shape::Document(Document { sections: vec![Section { number: u32::MAX, words: u32::MAX, ..Section::default() }; 60], ..Document::default() }),
        Shape::Graph(Graph {
            nodes: vec![node("A", 7), node("A", 0), node("B", u32::MAX)],
            edges: vec![edge("A", "A"), edge("B", "A"), edge("X", "B")],
        }),
        Shape::Graph(Graph { nodes: (0..300).map(|i| node(&i.to_string(), i)).collect(), edges: Vec::new() }),
    ]
}

#[test]
fn empty_and_extreme_exhibits_are_shown_sanely() {
    let numbers = [0.0, 1e-300, 1e300, f64::MAX, f64::MIN];
    for shape in empty().into_iter().chain(numbers.into_iter().flat_map(extreme)) {
        let mut tape = runs::Tape::new(&runs::header("council", "What now?"));
        tape.phase("work").show("work/show x", "x", Exhibit::new("Shown", shape));
        let answer = Answer { kind: AnswerKind::Report, text: "This.".into(), by: vec![0] };
        let view = View::of(&tape.verdict(Verdict { answer: Some(answer), ..runs::verdict("council", Status::Full) }));
        assert_eq!(view.exhibits().count(), 1);
        for text in [html(&view), markdown(&view), terminal(&view, plain(80)), show(&view, plain(40), false), show(&view, plain(0), false)] {
            assert!(text.contains("Shown") || text.contains("Revisions"), "{text}");
            assert!(!text.contains("NaN") && !text.contains("inf%") && !text.contains("\"inf"), "{text}");
            let digits = text.split(|c: char| !c.is_ascii_digit()).map(str::len).max().unwrap_or(0);
            assert!(digits <= 16, "a number of {digits} digits in {text}");
        }
        let brief = terminal(&view, plain(80)).lines().count();
        assert!(brief < 120, "{brief} lines beside an answer");
    }
}

/// JSON has no such numbers, so a journal cannot hold them; a fragment made from memory must still be sane.
#[test]
fn what_is_no_number_is_said_to_be_none() {
    let view = View::default();
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for shape in extreme(number) {
            let html = exhibit_html(&view, &Shown { stage: "x".into(), exhibit: Exhibit::new("Shown", shape) });
            assert!(!html.contains("NaN") && !html.contains("\"inf") && !html.contains("inf%"), "{html}");
        }
    }
}

#[test]
fn a_fragment_draws_the_same_alone_and_on_the_page() {
    let view = View::of(&shapes::run());
    let page = html(&view);
    for shown in view.exhibits() {
        assert!(page.contains(&exhibit_html(&view, shown)), "{}", shown.stage);
    }
}

#[test]
fn scores_that_add_up_to_their_total_are_stacked_and_others_are_not() {
    let row = |name: &str, cells: [f64; 2]| ScoreRow { name: name.into(), cells: cells.map(Some).to_vec(), ..ScoreRow::default() };
    let sum = Scorecard {
        scale: (-10.0, 14.0),
        columns: vec!["a".into(), "b <i>".into()],
        rows: vec![row("evidence", [8.5, 6.0]), row("risk", [-1.5, -2.0])],
        totals: vec![Some(7.0), Some(4.0)],
        ..Scorecard::default()
    };
    let view = View::of(&shapes::run());
    let html = |card: Scorecard| exhibit_html(&view, &Shown { stage: "scores".into(), exhibit: Exhibit::new("Scores", Shape::Scorecard(card)) });
    let stacked = html(sum.clone());
    assert!(stacked.contains("class=\"part-1\"") && stacked.contains("risk -1.50") && stacked.contains("b &lt;i&gt;"), "{stacked}");
    assert!(stacked.contains("<th scope=\"col\">Criterion</th>"), "{stacked}");
    let mean = Scorecard { totals: vec![Some(3.5), Some(2.0)], of: "Answer".into(), ..sum };
    assert!(html(mean.clone()).contains("<th scope=\"col\">Answer</th>"));
    assert!(!html(mean).contains("class=\"part-"));
}
