//! Models write whatever they like, and so do those who make models write it: nothing of it may act in any medium.

use crate::runs;
use proptest::prelude::*;
use serde_json::json;
use synod_report::{Style, View, exhibit_html, html, json as export, json_text, markdown, show, stopped, terminal};
use synod_types::*;

pub const HOSTILE: &str = "Fine so far.\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}\r\n\n<script>alert('page')</script>\n\n<img src=x onerror=alert(1)> inline <b onclick=x>bold</b> \
&#27;[31m &lt;script&gt; [click](javascript:alert(1)) [data](data:text/html,x) <javascript:alert(2)> ![pixel](https://tracker.example/p.png) [r][ref]\n\n[ref]: JaVaScRiPt:alert(3)\n\n\
</div></details></section></main><h1>Receipt</h1>\n\n| a | b |\n|---|---|\n| <script>x</script> | \u{8}\u{0} |\n\n```\n</pre><script>in code</script>\n\u{1b}[0m\n```\n";

/// The same words in every place a model, a provider or a user can fill.
fn everywhere() -> Vec<Row> {
    let mut header = runs::header("council", HOSTILE);
    header.question.content = Some(HOSTILE.into());
    header.question.files = vec![Attachment { name: HOSTILE.into(), sha256: "00".into(), bytes: 1, text: String::new() }];
    header.seats[0].label = HOSTILE.into();
    header.seats[0].persona = Some(HOSTILE.into());
    header.warnings = vec![HOSTILE.into()];
    let mut tape = runs::Tape::new(&header);
    tape.phase("collect");
    tape.turn("collect/answer@0", HOSTILE, 10, (1, 1), None, json!(HOSTILE));
    tape.turn("collect/typed@0", "opus", 10, (1, 1), None, json!({"reasons": HOSTILE, HOSTILE: [HOSTILE]}));
    tape.ask("collect/answer@1", "gpt", None).fail("collect/answer@1", FailureKind::Server, HOSTILE);
    tape.add(
        "collect/answer@0/tool 1/call 0",
        Kind::Tool,
        &ToolRun { name: HOSTILE.into(), input: json!(HOSTILE), output: HOSTILE.into(), error: true, at: 0 },
    );
    let labels = vec![HOSTILE.to_owned(), "B".to_owned()];
    let shapes = [
        Shape::Statement(Statement { label: Some(HOSTILE.into()), text: Some(HOSTILE.into()), ..Statement::default() }),
        Shape::Statement(Statement { label: Some("B".into()), text: Some(HOSTILE.into()), reply_to: Some(HOSTILE.into()) }),
        Shape::Statement(Statement { label: Some("C".into()), text: Some(HOSTILE.into()), reply_to: None }),
        Shape::Shifts(Shifts {
            entries: vec![Shift {
                name: HOSTILE.into(),
                seat: Some(0),
                moved: Some(true),
                summary: HOSTILE.into(),
                before: HOSTILE.into(),
                after: HOSTILE.into(),
            }],
        }),
        Shape::Card(CruxCard {
            question: HOSTILE.into(),
            disagreement: HOSTILE.into(),
            settled_by: HOSTILE.into(),
            diagnosis: HOSTILE.into(),
            resolved: false,
            resolution: HOSTILE.into(),
            proposed: HOSTILE.into(),
            weak: true,
            positions: vec![CardPosition {
                name: HOSTILE.into(),
                seat: Some(0),
                stance: HOSTILE.into(),
                reasoning: HOSTILE.into(),
                falsifier: HOSTILE.into(),
                quotes: vec![CardQuote { text: HOSTILE.into(), found_in: Some(HOSTILE.into()) }],
            }],
        }),
        Shape::Ballot(Ballot {
            shown: labels.clone(),
            both_orders: true,
            choice: labels.clone(),
            reasons: Some(HOSTILE.into()),
            notes: vec![HOSTILE.into()],
            abstained: None,
        }),
        Shape::Ballot(Ballot { shown: labels.clone(), choice: Vec::new(), abstained: Some(HOSTILE.into()), ..Ballot::default() }),
        Shape::Tally(Tally { entries: vec![TallyEntry { label: HOSTILE.into(), seat: 0, votes: 1 }], valid: 1, invalid: 0, winners: labels }),
        Shape::Ranking(Ranking {
            entries: vec![RankingEntry { label: HOSTILE.into(), seat: 0, score: Some(f64::MAX), ballots: 1, first_places: 1, mean_position: None }],
            ballots: 1,
            measure: HOSTILE.into(),
            tie_rung: Some(HOSTILE.into()),
        }),
        Shape::Bracket(Bracket {
            contestants: vec![Contestant { label: HOSTILE.into(), seat: 0 }, Contestant { label: "B".into(), seat: 1 }],
            rounds: vec![vec![Match {
                a: HOSTILE.into(),
                b: Some("B".into()),
                winner: Some(HOSTILE.into()),
                how: HOSTILE.into(),
                note: HOSTILE.into(),
            }]],
            champion: Some(HOSTILE.into()),
        }),
        Shape::Scorecard(Scorecard {
            scale: (1.0, 5.0),
            columns: vec![HOSTILE.into()],
            rows: vec![ScoreRow { name: HOSTILE.into(), weight: Some(1.0), cells: vec![Some(3.0)], summary: None, note: HOSTILE.into() }],
            totals: vec![None],
            overall: None,
            measure: HOSTILE.into(),
            of: HOSTILE.into(),
        }),
        Shape::Distribution(Distribution {
            unit: HOSTILE.into(),
            points: vec![Point { label: HOSTILE.into(), seat: Some(0), value: Some(1.0), choice: HOSTILE.into(), note: HOSTILE.into() }],
            spread: Some(Spread { min: 0.0, low: 1.0, middle: 1.0, high: 1.0, max: 2.0 }),
            shares: vec![(HOSTILE.into(), 1)],
            measure: HOSTILE.into(),
        }),
        Shape::Series(Series { steps: vec![HOSTILE.into(); 2], lines: vec![Line { name: HOSTILE.into(), values: vec![Some(1.0), Some(2.0)] }] }),
        Shape::Revision(Revision {
            decision: HOSTILE.into(),
            reasons: HOSTILE.into(),
            changes: vec![Change::Same(HOSTILE.into()), Change::Added(HOSTILE.into()), Change::Removed(HOSTILE.into())],
            notes: vec![HOSTILE.into()],
            ..Revision::default()
        }),
        Shape::Findings(Findings {
            entries: vec![FindingEntry {
                id: HOSTILE.into(),
                title: HOSTILE.into(),
                severity: HOSTILE.into(),
                location: HOSTILE.into(),
                detail: HOSTILE.into(),
                by: vec![HOSTILE.into()],
                fate: HOSTILE.into(),
                reply: HOSTILE.into(),
            }],
            none: HOSTILE.into(),
        }),
        Shape::Findings(Findings { entries: Vec::new(), none: HOSTILE.into() }),
        Shape::Checks(Checks {
            entries: vec![CheckEntry {
                id: HOSTILE.into(),
                claim: HOSTILE.into(),
                verdict: HOSTILE.into(),
                confidence: HOSTILE.into(),
                agreement: None,
                votes: vec![(HOSTILE.into(), 1)],
                correction: HOSTILE.into(),
                evidence: vec![Evidence { by: HOSTILE.into(), text: HOSTILE.into(), quote: HOSTILE.into(), found_in: Some(HOSTILE.into()) }],
            }],
            score: None,
            measure: HOSTILE.into(),
        }),
        Shape::Clusters(Clusters {
            clusters: vec![Cluster {
                id: HOSTILE.into(),
                name: HOSTILE.into(),
                theme: HOSTILE.into(),
                items: vec![(HOSTILE.into(), HOSTILE.into())],
                scores: vec![(HOSTILE.into(), None)],
                note: HOSTILE.into(),
                chosen: true,
            }],
        }),
        Shape::Document(Document {
            title: HOSTILE.into(),
            front: HOSTILE.into(),
            sections: vec![Section { number: 1, title: HOSTILE.into(), seat: Some(0), text: HOSTILE.into(), words: 1 }],
            todos: vec![HOSTILE.into()],
        }),
        Shape::Graph(Graph {
            nodes: vec![
                Node {
                    id: HOSTILE.into(),
                    title: HOSTILE.into(),
                    seat: Some(0),
                    wave: 1,
                    state: HOSTILE.into(),
                    note: HOSTILE.into(),
                    critical: true,
                    ms: Some(1),
                },
                Node { id: "B".into(), wave: 2, ..Node::default() },
            ],
            edges: vec![Edge { from: HOSTILE.into(), to: "B".into(), cut: false }, Edge { from: "B".into(), to: HOSTILE.into(), cut: true }],
        }),
        Shape::Rule(Rule { decided: HOSTILE.into(), rung: HOSTILE.into(), numbers: vec![(HOSTILE.into(), 1.0)] }),
        Shape::Note { text: HOSTILE.into() },
    ];
    for (i, shape) in shapes.into_iter().enumerate() {
        let exhibit = Exhibit::new(HOSTILE, shape).by(0, HOSTILE);
        let exhibit = if i == 2 { exhibit.aside(HOSTILE) } else { exhibit };
        tape.show(&format!("collect/show {i}"), HOSTILE, exhibit);
    }
    tape.add("figure x", Kind::Figure, &Figure::new(HOSTILE, 1.0));
    tape.add("gate@person", Kind::Waiting, &Asking { question: HOSTILE.into(), choices: vec![HOSTILE.into()] });
    tape.add("gate@person", Kind::Answered, &PersonAnswer { answer: HOSTILE.into(), note: None, by: HOSTILE.into() });
    tape.add("other@person", Kind::Waiting, &Asking { question: HOSTILE.into(), choices: vec![HOSTILE.into()] });
    tape.rows.clone()
}

fn ended(status: Status) -> Vec<Row> {
    let mut rows = everywhere();
    let verdict = Verdict {
        stop_reason: HOSTILE.into(),
        answer: Some(Answer { kind: AnswerKind::Report, text: HOSTILE.into(), by: vec![0] }),
        decision: Some(json!({HOSTILE: HOSTILE})),
        dissent: vec![Dissent { seat: Some(0), label: Some(HOSTILE.into()), text: HOSTILE.into() }],
        missing: vec![Missing { seat: 0, who: HOSTILE.into(), phase: HOSTILE.into(), why: FailureKind::Refused, detail: HOSTILE.into() }],
        warnings: vec![HOSTILE.into()],
        ..runs::verdict(HOSTILE, status)
    };
    append(&mut rows, Kind::Verdict, &verdict);
    rows
}

fn halted() -> Vec<Row> {
    let mut rows = everywhere();
    append(&mut rows, Kind::Stopped, &Stopped::new(StopReason::Cancelled, HOSTILE));
    rows
}

fn append(rows: &mut Vec<Row>, kind: Kind, body: &impl serde::Serialize) {
    let last = rows.last().expect("there is a header");
    let row = NewRow::new("", kind, last.at, body).seal(runs::RUN, last.seq + 1, 1, &last.hash);
    rows.push(row);
}

pub fn views() -> Vec<View> {
    let mut views: Vec<View> = [ended(Status::Full), ended(Status::Degraded), ended(Status::Deadlock), ended(Status::Failed), halted()]
        .iter()
        .map(|rows| View::of(rows))
        .collect();
    for view in &mut views {
        view.attach_raw("collect/answer@1", 0, HOSTILE.into());
    }
    views
}

#[test]
fn a_terminal_gets_no_control_character_but_line_ends() {
    for view in views() {
        for style in [Style { width: 80, colour: false, unicode: true }, Style { width: 40, colour: false, unicode: false }] {
            for text in [terminal(&view, style), show(&view, style, false), stopped(&view, style)] {
                let bad = text.chars().find(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}');
                assert_eq!(bad, None, "in {text}");
                assert!(text.contains("Fine so far."), "the words themselves stay");
            }
        }
    }
}

#[test]
fn with_colour_only_our_own_inks_reach_the_terminal() {
    for view in views() {
        let text = show(&view, Style { width: 80, colour: true, unicode: true }, false);
        for (at, _) in text.match_indices('\u{1b}') {
            let ink: String = text[at + 1..].chars().take_while(|c| *c != 'm').collect();
            let ours =
                ink.strip_prefix('[').is_some_and(|codes| codes.split(';').all(|code| ["0", "1", "2", "3", "4", "9", "33", "36"].contains(&code)));
            assert!(ours, "{ink:?}");
        }
    }
}

#[test]
fn a_page_runs_nothing_fetches_nothing_and_keeps_its_own_shape() {
    let tame = html(&View::of(&runs::council()));
    for view in views() {
        let page = html(&view);
        let tags = tags_of(&page);
        for tag in &tags {
            let name: String = tag.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
            assert!(
                !["script", "img", "iframe", "object", "embed", "form", "input", "link", "base", "audio", "video"].contains(&name.as_str()),
                "<{tag}>"
            );
            let unquoted: String = tag.split('"').step_by(2).collect();
            assert!(!unquoted.contains(" on") && !unquoted.contains("src=") && !unquoted.contains("style="), "<{tag}>");
            if let Some(at) = tag.find("href=\"") {
                let target = &tag[at + 6..];
                assert!(target.starts_with("https://") || target.starts_with('#'), "<{tag}>");
            }
        }
        let count = |what: &str| tags.iter().filter(|tag| tag.split_whitespace().next() == Some(what)).count();
        for (open, close) in [("section", "/section"), ("details", "/details"), ("div", "/div"), ("table", "/table"), ("dl", "/dl"), ("svg", "/svg")]
        {
            assert_eq!(count(open), count(close), "{open}");
        }
        assert_eq!((count("h1"), count("main"), count("/main")), (1, 1, 1));
        assert!(is_clean(&page));
    }
    assert!(!tame.contains("http://") && !tame.replace("https://www.postgresql.org", "").contains("https://"), "only what an answer links to");
}

/// Nothing that a browser would obey or that turns text around.
pub fn is_clean(text: &str) -> bool {
    !text.chars().any(|c| (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'))
}

/// Each text of each shape in turn, found by walking over the shape as a journal holds it: a new field is tried without being named here.
#[test]
fn no_text_of_any_shape_leaves_its_place() {
    let view = View::of(&everywhere());
    let (mut kinds, mut tried) = (std::collections::BTreeSet::new(), 0);
    for shown in view.exhibits() {
        let tame = serde_json::to_value(&shown.exhibit.shape).expect("a shape is JSON");
        kinds.insert(tame["kind"].to_string());
        let shape = |value: &serde_json::Value| serde_json::from_value::<Shape>(value.clone()).ok();
        let tame = swapped(&tame, &mut |_| Some("tame"));
        let leaves = texts(&tame);
        for at in 0..leaves {
            let mut seen = 0;
            let hostile = swapped(&tame, &mut |_| {
                seen += 1;
                (seen - 1 == at).then_some(HOSTILE)
            });
            let (Some(tame), Some(hostile)) = (shape(&tame), shape(&hostile)) else { continue };
            tried += 1;
            let html = |shape| exhibit_html(&view, &Shown { stage: "x".into(), exhibit: Exhibit::new("Shown", shape) });
            let (before, after) = (html(tame), html(hostile));
            assert!(is_clean(&after), "{after}");
            for name in ["script", "img", "b onclick", "h1", "main", "iframe", "style"] {
                assert!(!after.contains(&format!("<{name}")) && !after.contains(&format!("</{name}")), "{name} in {after}");
            }
            let ours = |html: &str| ["section", "table", "tr", "article", "svg", "nav"].map(|name| html.matches(&format!("<{name}")).count());
            // A table that a model drew in markdown: a head and a row.
            let extra = after.matches("<table>").count() - before.matches("<table>").count();
            let [section, table, tr, article, svg, nav] = ours(&before);
            assert_eq!(ours(&after), [section, table + extra, tr + 2 * extra, article, svg, nav], "{after}");
        }
    }
    assert_eq!(kinds.len(), 18, "every kind of shape: {kinds:?}");
    assert!(tried > 80, "{tried} texts");
}

/// A shape with its texts swapped for what `by` gives; the names of kinds stay.
fn swapped(value: &serde_json::Value, by: &mut impl FnMut(&str) -> Option<&'static str>) -> serde_json::Value {
    use serde_json::Value;
    match value {
        Value::String(text) => by(text).map_or_else(|| value.clone(), Value::from),
        Value::Array(items) => items.iter().map(|item| swapped(item, by)).collect(),
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| (name.clone(), if name == "kind" { value.clone() } else { swapped(value, by) });
            Value::Object(fields.iter().map(field).collect())
        }
        other => other.clone(),
    }
}

fn texts(value: &serde_json::Value) -> usize {
    let mut count = 0;
    swapped(value, &mut |_| {
        count += 1;
        None
    });
    count
}

/// What stands between `<` and `>`, which in our pages appear nowhere else.
pub fn tags_of(page: &str) -> Vec<String> {
    let body = &page[page.find("</style>").expect("the page has its style")..];
    body.split('<').skip(1).filter_map(|part| part.split_once('>')).map(|(tag, _)| tag.to_owned()).collect()
}

#[test]
fn a_markdown_report_has_no_live_html_image_or_script_link() {
    use pulldown_cmark::{Event, Options, Parser, Tag};
    for view in views() {
        let report = markdown(&view);
        assert!(!report.chars().any(|c| c.is_control() && c != '\n'));
        for event in Parser::new_ext(&report, Options::all()) {
            match event {
                Event::Html(html) | Event::InlineHtml(html) => panic!("live HTML: {html}"),
                Event::Start(Tag::Image { dest_url, .. }) => panic!("an image: {dest_url}"),
                Event::Start(Tag::Link { dest_url, .. }) => assert!(dest_url.starts_with("https://"), "a link: {dest_url}"),
                _ => {}
            }
        }
    }
}

#[test]
fn an_export_is_json_whatever_is_in_it() {
    let rows = ended(Status::Full);
    let document = export(&View::of(&rows), &rows);
    let text = json_text(&document);
    assert!(!text.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'), "what a terminal obeys is escaped");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&text).expect("it reads back"), document);
}

/// Each of these took minutes, or a stack, in some renderer of markdown.
#[test]
fn no_answer_takes_for_ever() {
    let deep: String = (0..300).map(|depth| format!("{}- x\n", " ".repeat(2 * depth))).collect();
    for text in ["> ".repeat(20_000), "<div>".repeat(5_000), "[a](javascript:x) ".repeat(2_000), "`a``b```".repeat(3_000), "[".repeat(10_000), deep] {
        let mut tape = runs::Tape::new(&runs::header("council", &text));
        let answer = Answer { kind: AnswerKind::Synthesis, text: text.clone(), by: vec![3] };
        let view = View::of(&tape.verdict(Verdict { answer: Some(answer), ..runs::verdict("council", Status::Full) }));
        let began = std::time::Instant::now();
        let total = terminal(&view, Style::default()).len() + markdown(&view).len() + html(&view).len();
        assert!(total > text.len() && began.elapsed().as_secs() < 20, "{} took {:?}", &text[..20], began.elapsed());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_answer_breaks_a_renderer(parts in prop::collection::vec(prop::sample::select(vec![
        "|", "| ", "\n", "\n\n", "\n- ", "\n1. ", "\n999999999. ", "\n   - ", "word ", "longerwordthatdoesnotend", "**", "*", "`", "~~", "\n```\n", "> ", "> > > > > > > > ", "\n# ",
        "\n## ", "é", "漢字", "|---|", "\n|-|-|\n", "    ", "\t", "[a](b)", "![", "](", "<b>", "<!--", "---\n", "===\n", "\u{1b}[", "👩‍👩‍👧", "&#27;", "\\",
    ]), 0..60), width in 0usize..130) {
        let text = parts.concat();
        let mut tape = runs::Tape::new(&runs::header("council", &text));
        let answer = Answer { kind: AnswerKind::Synthesis, text: text.clone(), by: vec![3] };
        let view = View::of(&tape.verdict(Verdict { answer: Some(answer), ..runs::verdict("council", Status::Full) }));
        let shown = terminal(&view, Style { width, colour: false, unicode: true });
        prop_assert!(!shown.chars().any(|c| c.is_control() && c != '\n'));
        prop_assert!(!html(&view).contains("<b>") || !text.contains("<b>"));
        prop_assert!(!markdown(&view).is_empty());
    }
}
