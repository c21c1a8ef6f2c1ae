//! A page as its reader goes through it: whose something is, and nothing twice.

use crate::runs;
use serde_json::json;
use synod_report::{Style, View, html, markdown, show};
use synod_types::*;

const WIDE: Style = Style { width: 200, colour: false, unicode: true };

/// The part of a page from a heading to the next of its rank.
fn section<'a>(page: &'a str, id: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("<section id=\"{id}\"")).unwrap_or_else(|| panic!("no {id} in {page}"));
    rest.split("<section id=").next().unwrap_or(rest)
}

#[test]
fn a_seat_that_gave_nothing_is_named() {
    let mut tape = runs::Tape::new(&runs::header("council", "Which?"));
    tape.phase("collect").ask("collect/answer@1", "gpt", None).fail("collect/answer@1", FailureKind::Timeout, "120 s");
    let absent = Exhibit::note("Answer", "This respondent did not answer in time.").by(1, "respondent").turn("collect/answer@1");
    tape.show("collect/show collect@1", "collect", absent).phase_end("collect");
    let view = View::of(&tape.rows);
    assert!(html(&view).contains("<h4>Answer, by gpt</h4>"), "{}", html(&view));
    assert!(markdown(&view).contains("Answer, by gpt") && show(&view, WIDE, false).contains("Answer, by gpt"));
    tape.show("collect/show own@1", "own", Exhibit::note("Ideas of gpt", "None.").by(1, "respondent"));
    assert!(html(&View::of(&tape.rows)).contains("<h4>Ideas of gpt</h4>"), "named once");
}

/// A card and who moved name their people themselves; the seat is only that which wrote them down.
#[test]
fn a_title_in_markdown_names_an_owner_where_nothing_below_it_does() {
    let ballot = Ballot { choice: vec!["K3".into()], ..Ballot::default() };
    let statement = Statement { text: Some("Wait.".into()), ..Statement::default() };
    let cases = [
        ("Ideas of gpt", Shape::Findings(Findings::default()), "Ideas of gpt"),
        ("Review", Shape::Scorecard(Scorecard::default()), "Review, by gpt"),
        ("Answer K3", Shape::Statement(statement.clone()), "Answer K3, by gpt"),
        ("Answer of gpt", Shape::Statement(statement), "Answer of gpt"),
        ("Vote", Shape::Ballot(ballot), "Vote, by gpt"),
        ("Crux: who pays", Shape::Card(CruxCard::default()), "Crux: who pays"),
        ("Who moved", Shape::Shifts(Shifts::default()), "Who moved"),
        ("Winner", Shape::Rule(Rule::default()), "Winner"),
    ];
    for (title, shape, told) in cases {
        let mut tape = runs::Tape::new(&runs::header("x", "Which?"));
        tape.phase("work").show("work/show x@1", "x", Exhibit::new(title, shape).by(1, "seat"));
        let page = markdown(&View::of(&tape.rows));
        assert!(page.contains(&format!("\n#### {told}\n")), "{told} is not a title of {page}");
    }
}

#[test]
fn a_seat_that_its_title_names_by_its_role_is_not_named_twice() {
    let mut header = runs::header("chain", "Which?");
    header.seats[0].label = "Structure & Depth (opus)".into();
    header.seats[1].label = "clerk (gpt)".into();
    let mut tape = runs::Tape::new(&header);
    let shown = |title: &str, seat| Exhibit::new(title, Shape::Scorecard(Scorecard::default())).by(seat, "seat");
    tape.phase("work").show("work/show 0", "x", shown("Step 2: Structure & Depth", 0)).show("work/show 1", "x", shown("Minutes", 1));
    let view = View::of(&tape.rows);
    let page = show(&view, WIDE, false);
    assert!(page.contains("\nStep 2: Structure & Depth (opus)\n") && page.contains("\nMinutes, by clerk (gpt)\n"), "{page}");
    assert!(html(&view).contains("<h4>Step 2: Structure &amp; Depth (opus)</h4>"));
}

#[test]
fn who_saw_a_pair_in_both_orders_is_not_said_to_have_seen_it_in_one() {
    let ballot = Ballot { shown: vec!["K3".into(), "T9".into()], both_orders: true, choice: vec!["K3".into()], ..Ballot::default() };
    let mut tape = runs::Tape::new(&runs::header("x", "Which?"));
    tape.phase("work");
    tape.show("work/show 0", "x", Exhibit::new("K3 against T9", Shape::Ballot(ballot)).by(1, "judge"));
    let view = View::of(&tape.rows);
    for media in [show(&view, WIDE, false), markdown(&view), html(&view)] {
        assert!(media.contains("Saw them in both orders: K3, T9") && !media.contains("in this order"), "{media}");
    }
}

#[test]
fn statements_and_ballots_of_one_phase_are_told_apart_by_their_titles() {
    let said = |title: &str, label: Option<&str>, seat| {
        let statement = Statement { label: label.map(str::to_owned), text: Some("Wait.".into()), reply_to: None };
        Exhibit::new(title, Shape::Statement(statement)).by(seat, "seat")
    };
    let cast = |title: &str| Exhibit::new(title, Shape::Ballot(Ballot { choice: vec!["K3".into()], ..Ballot::default() })).by(1, "judge");
    let record = |exhibits: Vec<Exhibit>| {
        let mut tape = runs::Tape::new(&runs::header("x", "Which?"));
        tape.phase("work");
        for (at, exhibit) in exhibits.into_iter().enumerate() {
            tape.show(&format!("work/show {at}"), "x", exhibit);
        }
        section(&html(&View::of(&tape.rows)), "record").to_owned()
    };
    let parts = record(vec![said("Part 1: Where things stand", None, 0), said("Part 2: What it costs", None, 0)]);
    assert!(parts.contains("<h4>Statements</h4>") && parts.contains("<b>Part 1: Where things stand</b>, opus"), "{parts}");
    assert!(parts.contains("<b>Part 2: What it costs</b>, opus"), "{parts}");
    // A label and a name stand there anyway.
    for (one, other) in [("Answer K3", "Answer T9"), ("Round 1, K3", "Round 1, T9"), ("Answer of opus", "Answer of gpt")] {
        let alike = record(vec![said(one, Some("K3"), 0), said(other, Some("T9"), 1)]);
        assert!(alike.contains("<b>opus</b>") && !alike.contains(one), "{alike}");
    }
    let matches = record(vec![cast("K3 against T9"), cast("B6 against M4")]);
    assert!(matches.contains("<h4>Ballots</h4>") && matches.contains("gpt<br><span class=\"soft\">B6 against M4</span>"), "{matches}");
    let alone = [record(vec![said("Kind of answer", None, 0)]), record(vec![cast("K3 against T9")])];
    assert!(alone[0].contains("<h4>Kind of answer</h4>") && alone[0].contains("<b>opus</b>") && !alone[0].contains("Statements"), "{}", alone[0]);
    assert!(alone[1].contains("<h4>K3 against T9</h4>") && !alone[1].contains("Ballots"), "{}", alone[1]);
}

#[test]
fn what_a_statement_says_beside_its_words_is_folded_with_them() {
    let mut tape = runs::Tape::new(&runs::header("roundtable", "Which?"));
    let said = |seat| {
        let statement = Statement { text: Some("Wait.".into()), ..Statement::default() };
        Exhibit::new("Round 1", Shape::Statement(statement)).by(seat, "seat").part("Vote", "MINOR")
    };
    tape.phase("work").show("work/show 0", "x", said(0)).show("work/show 1", "x", said(1));
    let page = html(&View::of(&tape.rows));
    let folds: Vec<&str> = section(&page, "record").split("<details>").skip(1).filter_map(|rest| rest.split("</details>").next()).collect();
    assert!(folds.len() == 2 && folds.iter().all(|fold| fold.contains("Wait.") && fold.contains("MINOR")), "{page}");
}

#[test]
fn whoever_is_missing_throughout_is_named_once() {
    let lost = |seat, who: &str, phase: &str, why| Missing { seat, who: who.into(), phase: phase.into(), why, detail: "x".into() };
    let missing = vec![
        lost(1, "gpt", "opening", FailureKind::Auth),
        lost(2, "qwen", "opening", FailureKind::Timeout),
        lost(1, "gpt", "round 1", FailureKind::Auth),
        lost(1, "gpt", "opening", FailureKind::Auth),
        lost(1, "gpt", "closing", FailureKind::Server),
    ];
    let mut tape = runs::Tape::new(&runs::header("crux", "Which?"));
    let page = html(&View::of(&tape.verdict(Verdict { missing, ..runs::verdict("crux", Status::Degraded) })));
    let told = "stands without gpt in opening and round 1 (refused the key), qwen in opening (did not answer in time) and gpt in closing";
    let top = section(&page, "top");
    assert!(top.contains(&format!("<dt>Degraded</dt><dd class=\"alarm\">{told}")), "{top}");
}

#[test]
fn what_is_under_review_stands_as_it_was_given() {
    let mut header = runs::header("peer_review", "Is it right?");
    header.question.content = Some("fn next() {\n    *a* < b\n}".into());
    let page = html(&View::of(&runs::Tape::new(&header).rows));
    assert!(page.contains("<pre>fn next() {\n    *a* &lt; b\n}</pre>"), "{page}");
}

#[test]
fn a_reply_is_printed_as_it_came_only_where_the_page_does_not_hold_it() {
    let raw = |view: &mut View, text: &str| view.attach_raw("rank/rank@0", 0, serde_json::to_string(&Reply::text(text)).expect("it is plain"));
    let typed = json!({"reasons": "because of everything that was said about it so far", "ranking": ["K3", "T9"]});
    for (said, came, shown) in [
        (typed.clone(), r#"{"reasons":"because of everything that was said about it so far", "ranking":["K3","T9"]}"#, false),
        (typed, r#"Here it is: {"reasons":"because of everything that was said about it so far","ranking":["K3","T9"]}"#, true),
        (json!("Plain words."), " Plain words.\n", false),
        (json!("Plain words."), "Other words.", true),
    ] {
        let mut tape = runs::Tape::new(&runs::header("council", "Which?"));
        tape.phase("rank").turn("rank/rank@0", "opus", 5, (1, 1), None, said);
        let mut view = View::of(&tape.rows);
        raw(&mut view, came);
        assert_eq!(html(&view).contains("The reply as it came"), shown, "{came}");
    }
    // What was taken out of a text before it was shown is still to be seen.
    let mut tape = runs::Tape::new(&runs::header("crux", "Which?"));
    tape.phase("rank").turn("rank/rank@0", "opus", 5, (1, 1), None, json!("Great question. No."));
    let cleaned = Statement { label: None, text: Some("No.".into()), reply_to: None };
    tape.show("rank/show take@0", "take", Exhibit::new("Take", Shape::Statement(cleaned)).by(0, "persona").turn("rank/rank@0"));
    let mut view = View::of(&tape.rows);
    raw(&mut view, "Great question. No.");
    assert!(html(&view).contains("<pre>Great question. No.</pre>"));
}

#[test]
fn what_every_round_shows_stands_beside_the_answer_once() {
    let mut tape = runs::Tape::new(&runs::header("collapse", "Which?"));
    for (round, best) in [(1, 3.0), (2, 8.0)] {
        let phase = format!("round {round}");
        let rule = Rule { decided: format!("Round {round} ends."), rung: "near_tie".into(), numbers: vec![("best".into(), best)] };
        tape.phase(&phase).show(&format!("{phase}/show convergence"), "convergence", Exhibit::new("Convergence", Shape::Rule(rule)));
        tape.phase_end(&phase);
    }
    let page = html(&View::of(&tape.rows));
    let (beside, record) = (section(&page, "decided"), section(&page, "record"));
    assert!(beside.contains("Round 2 ends.") && !beside.contains("Round 1 ends."), "{beside}");
    assert!(record.contains("Round 1 ends.") && !record.contains("Round 2 ends."), "{record}");
    assert!(beside.contains("<dt>Decided by</dt><dd>near tie</dd>"), "{beside}");
}

#[test]
fn the_top_of_a_page_is_for_people() {
    let file = Attachment { name: "notes.md".into(), sha256: "ab".repeat(32), bytes: 12_345, text: "Notes.".into() };
    let mut header = runs::header("fact_check", "Which?");
    header.question.files = vec![file];
    let mut tape = runs::Tape::new(&header);
    let dissent = |seat, text: &str| Dissent { seat: Some(seat), label: None, text: text.into() };
    let rows = tape.verdict(Verdict {
        stop_reason: "finished".into(),
        answer: Some(Answer { kind: AnswerKind::Report, text: "Wait.".into(), by: vec![3] }),
        decision: Some(json!({"summary": "Wait.", "score_doubted": 3})),
        dissent: vec![dissent(0, "No."), dissent(1, "Never.")],
        ..runs::verdict("fact_check", Status::Full)
    });
    let page = html(&View::of(&rows));
    let (head, rest) = page.split_once("</header>").expect("a header");
    assert!(head.contains("fact check · ") && head.contains("Attached: notes.md (12,345 bytes)") && !head.contains("abab"), "{head}");
    assert!(rest.split("<footer>").nth(1).is_some_and(|foot| foot.contains("<dt>SHA-256 of notes.md</dt><dd><code>abab")), "{rest}");
    let top = section(&page, "top");
    assert!(top.contains("<dt>Against</dt><dd>opus: No.</dd><dd>gpt: Never.</dd><dt>Sure</dt>"), "{top}");
    let answer = section(&page, "answer");
    assert!(answer.contains("<summary>For scripts</summary>") && !answer.contains("finished"), "{answer}");
}

/// A page of one exhibit.
fn page_of(shape: Shape) -> String {
    let mut tape = runs::Tape::new(&runs::header("x", "Which?"));
    tape.phase("cross_review").show("cross_review/show x@0", "x", Exhibit::new("Ideas of opus", shape).by(0, "seat"));
    html(&View::of(&tape.rows))
}

#[test]
fn a_figure_of_one_step_is_told_and_not_drawn() {
    let line = |values: &[f64]| Line { name: "ACCEPT".into(), values: values.iter().copied().map(Some).collect() };
    let page = |steps: &[&str], values: &[f64]| {
        let steps = steps.iter().map(|step| (*step).to_owned()).collect();
        page_of(Shape::Series(Series { steps, lines: vec![line(values)] }))
    };
    let (one, two) = (page(&["Round 2"], &[1.0]), page(&["Round 1", "Round 2"], &[1.0, 2.0]));
    assert!(!one.contains("<circle") && !one.contains("<summary>Numbers") && one.contains("<td data-label=\"Round 2\">1</td>"), "{one}");
    assert!(two.contains("<circle") && two.contains("<summary>Numbers") && two.contains("<td data-label=\"Round 2\">2</td>"), "{two}");
}

#[test]
fn where_a_finding_is_does_not_run_on_from_what_it_is() {
    let finding =
        FindingEntry { id: "F1".into(), title: "Nobody is told when it stops".into(), location: "throughout".into(), ..FindingEntry::default() };
    let page = page_of(Shape::Findings(Findings { entries: vec![finding], none: String::new() }));
    assert!(page.contains("Nobody is told when it stops <span class=\"soft\">(throughout)</span>"), "{page}");
}

#[test]
fn a_name_that_is_told_already_is_not_told_again() {
    let page = |id: &str, name: &str| {
        let cluster = Cluster { id: id.into(), name: name.into(), theme: "From taking away".into(), ..Cluster::default() };
        page_of(Shape::Clusters(Clusters { clusters: vec![cluster] }))
    };
    for (id, name, told) in [("1", "Camp 1", "<h5>Camp 1</h5>"), ("V7", "Let people see", "<h5>V7 Let people see</h5>")] {
        assert!(page(id, name).contains(told), "{}", page(id, name));
    }
    let own = page("", "Ideas of opus");
    assert!(own.contains("<h4>Ideas of opus</h4>") && !own.contains("<h5>"), "{own}");
}

#[test]
fn a_phase_is_named_in_plain_words() {
    let mut tape = runs::Tape::new(&runs::header("x", "Which?"));
    tape.phase("cross_review").show("cross_review/show x", "x", Exhibit::note("X", "It was read."));
    let missing = vec![Missing { seat: 1, who: "gpt".into(), phase: "cross_review".into(), why: FailureKind::Timeout, detail: "120 s".into() }];
    let view = View::of(&tape.verdict(Verdict { missing, ..runs::verdict("x", Status::Degraded) }));
    for page in [html(&view), markdown(&view), show(&view, WIDE, false)] {
        assert!(page.contains("cross review") && !page.contains("cross_review") && !page.contains("cross\\_review"), "{page}");
    }
}

#[test]
fn a_figure_is_a_part_of_something_or_a_mean() {
    let mut tape = runs::Tape::new(&runs::header("debate", "Which?"));
    tape.phase("work").add("work/a", Kind::Figure, &Figure::new("accepted", 1.0).of(3.0));
    tape.add("work/b", Kind::Figure, &Figure::new("word_change", -192.0).of(4.0));
    tape.add("work/c", Kind::Figure, &Figure::new("kept", 2.0).of(0.0));
    let page = markdown(&View::of(&tape.rows));
    assert!(page.contains("accepted: 1 of 3") && page.contains("word change: -48 on average of 4"), "{page}");
    assert!(page.contains("kept: 2 of 0"), "of none there is no mean: {page}");
}

#[test]
fn a_table_of_findings_or_checks_has_the_columns_it_fills() {
    let finding =
        |severity: &str, fate: &str| FindingEntry { title: "T".into(), severity: severity.into(), fate: fate.into(), ..FindingEntry::default() };
    let page = |shape: Shape| {
        let mut tape = runs::Tape::new(&runs::header("x", "Which?"));
        tape.phase("work").show("work/show x@0", "x", Exhibit::new("X", shape).by(0, "seat"));
        html(&View::of(&tape.rows))
    };
    let heads = |page: &str| {
        let head = page.split("<table class=\"entries\"><thead><tr>").nth(1).and_then(|rest| rest.split("</tr>").next()).unwrap_or_default();
        head.replace("<th scope=\"col\">", "").replace("</th>", " ").trim().to_owned()
    };
    for (severity, fate, want) in [
        ("critical", "fixed", "Severity Finding Fate"),
        ("Minor", "", "Severity Finding"),
        ("needs_approval", "", "Standing Finding"),
        ("convergent", "agreed", "Standing Finding Fate"),
    ] {
        let findings = Findings { entries: vec![finding(severity, fate)], none: String::new() };
        assert_eq!(heads(&page(Shape::Findings(findings))), want);
    }
    let check = |verdict: &str, confidence: &str| {
        let entry = CheckEntry { claim: "C".into(), verdict: verdict.into(), confidence: confidence.into(), ..CheckEntry::default() };
        page(Shape::Checks(Checks { entries: vec![entry], score: None, measure: verdict.to_owned() }))
    };
    let passed = check("passed", "");
    assert_eq!(heads(&passed), "Verdict Claim");
    assert!(passed.contains("1 claim: 1 passed; passed as a whole") && !passed.contains("class=\"alarm\""), "{passed}");
    let failed = check("failed", "high");
    assert!(heads(&failed) == "Verdict Claim How sure" && failed.contains("class=\"alarm\""), "{failed}");
}
