//! The fold of rows into a view: what it groups, and what it does with rows it did not expect.

use crate::runs;
use serde_json::json;
use synod_report::{Outcome, Style, Turn, View, html, json as export, markdown, show, stopped, terminal};
use synod_types::*;

#[test]
fn turns_are_grouped_by_the_first_part_of_their_key() {
    let view = View::of(&runs::council());
    let phases: Vec<(&str, usize, usize)> = view.phases.iter().map(|phase| (phase.scope.as_str(), phase.turns.len(), phase.exhibits.len())).collect();
    assert_eq!(phases, [("collect", 3, 3), ("rank", 3, 4), ("synthesis", 1, 1)]);
    assert_eq!(view.author("K3"), Some(0));
    assert_eq!(view.turn("collect/answer@1").and_then(|turn| turn.words()).as_deref(), Some(runs::GPT));
    assert_eq!(view.figures.len(), 1);
    assert_eq!(view.state, RunState::Complete);
}

#[test]
fn turns_asked_side_by_side_stand_in_the_order_of_seats() {
    let mut tape = runs::Tape::new(&runs::header("council", "Which?"));
    let asked = |seat: SeatIx| json!({"seat": seat, "model": "m", "prompt": "answer", "tier": "heavy", "max_tokens": 9});
    for seat in [2, 0, 1] {
        tape.add(&format!("collect/answer@{seat}"), Kind::Asked, &asked(seat));
    }
    tape.add("collect/answer@0", Kind::Said, &json!({"value": "Yes."}));
    // One that had ended stands where it did: whoever spoke after it may have known its words.
    tape.add("collect/answer@2", Kind::Said, &json!({"value": "No."}));
    tape.add("collect/second@1", Kind::Asked, &asked(1));
    tape.add("collect/second@1", Kind::Said, &json!({"value": "Yes."}));
    tape.add("collect/second@0", Kind::Asked, &asked(0));
    let view = View::of(&tape.rows);
    let names: Vec<&str> = view.turns().map(Turn::name).collect();
    assert_eq!(names, ["answer@0", "answer@1", "answer@2", "second@1", "second@0"]);
    assert!(names.iter().all(|name| view.turn(&format!("collect/{name}")).is_some_and(|turn| turn.name() == *name)));
}

#[test]
fn scopes_within_a_phase_belong_to_it() {
    let mut tape = runs::Tape::new(&runs::header("tournament", "Which?"));
    tape.add("round 2", Kind::Phase, &PhaseMark { name: "round".into(), n: Some(2) });
    tape.add("round 2/match", Kind::Phase, &PhaseMark { name: "match".into(), n: None });
    tape.turn("round 2/match/ab/judge@1", "gpt", 5, (1, 1), Some(0.1), json!({"winner": "A"}));
    tape.add("round 2/match", Kind::PhaseEnd, &PhaseMark { name: "match".into(), n: None });
    tape.turn("title@3", "opus", 5, (1, 1), Some(0.1), json!("A title"));
    tape.show("show overall", "overall", Exhibit::note("Overall", "Outside every phase."));
    let view = View::of(&tape.rows);
    let scopes: Vec<&str> = view.phases.iter().map(|phase| phase.scope.as_str()).collect();
    assert_eq!(scopes, ["round 2", ""]);
    assert_eq!(view.phases[0].turns[0].name(), "match/ab/judge@1");
    assert_eq!(view.phases[0].ended, None, "the inner phase ended, not the outer one");
    assert_eq!(view.phases[1].exhibits.len(), 1);
}

#[test]
fn rows_one_by_one_and_twice_over_give_the_same_view() {
    let rows = runs::degraded();
    let mut view = View::default();
    for row in &rows {
        view.push(row);
        view.push(&rows[0]);
    }
    assert_eq!(view, View::of(&rows));
}

#[test]
fn an_unreadable_row_is_a_warning_and_never_a_panic() {
    let mut rows = runs::council();
    for row in &mut rows {
        row.body = "{\"not\": \"this\"".into();
    }
    let view = View::of(&rows);
    assert_eq!(view.warnings.len(), rows.len());
    assert!(view.warnings[0].contains("row 1 (header) cannot be read"), "{}", view.warnings[0]);
    for text in [terminal(&view, Style::default()), show(&view, Style::default(), false), stopped(&view, Style::default())] {
        assert!(text.contains("cannot be read"));
    }
}

#[test]
fn missing_rows_are_said_to_be_missing() {
    let rows = runs::council();
    let view = View::of(&[rows[0].clone(), rows[5].clone()]);
    assert!(view.warnings.iter().any(|warning| warning.contains("Rows 2 to 5")), "{:?}", view.warnings);
}

#[test]
fn a_tool_loop_is_one_turn_with_all_it_cost() {
    let mut tape = runs::Tape::new(&runs::header("chain", "What is the load?"));
    tape.phase("look").ask("look/probe@0", "opus", Some(0.1)).reply("look/probe@0", 100, (10, 5), Some(0.01));
    tape.add("look/probe@0/tool 1/call 0", Kind::Tool, &ToolRun { name: "read".into(), input: json!({}), output: "42".into(), error: false, at: 0 });
    tape.ask("look/probe@0/tool 1", "opus", Some(0.1)).reply("look/probe@0/tool 1", 200, (30, 7), Some(0.02)).say("look/probe@0", json!("It is 42."));
    let view = View::of(&tape.rows);
    let turns: Vec<_> = view.turns().collect();
    assert_eq!(turns.len(), 1);
    assert_eq!((turns[0].tools.len(), turns[0].tries.len(), turns[0].ms()), (1, 2, Some(300)));
    assert!((turns[0].spent_usd().expect("both are priced") - 0.03).abs() < 1e-9);
    assert!(matches!(turns[0].outcome, Outcome::Said(_)));
}

#[test]
fn a_turn_asked_again_counts_both_requests_and_says_so() {
    let mut tape = runs::Tape::new(&runs::header("council", "Again?"));
    tape.ask("collect/answer@0", "opus", Some(0.1));
    let mut again = tape.asked("collect/answer@0", "opus", Some(0.1), false).attempt(1);
    again.body = again.body.replace("\"max_tokens\"", "\"reasked\":true,\"max_tokens\"");
    tape.push(again);
    let replied = Replied {
        raw_sha256: String::new(),
        finish: Finish::Stop,
        usage: None,
        spent_usd: Some(0.02),
        ms: 5,
        changed: Vec::new(),
        claimed: None,
        overran: false,
    };
    tape.push(NewRow::new("collect/answer@0", Kind::Replied, 0, &replied).attempt(1)).say("collect/answer@0", json!("Yes."));
    let view = View::of(&tape.rows);
    let turn = view.turn("collect/answer@0").expect("it was asked");
    assert_eq!((turn.spent_usd(), turn.unanswered_usd()), (Some(0.02), 0.1));
    assert!(show(&view, Style::default(), false).contains("asked again after a crash"));
}

#[test]
fn what_was_turned_away_cost_nothing_and_what_timed_out_may_have() {
    let view = View::of(&runs::lost());
    let refused = view.turn("collect/answer@1").expect("it was asked");
    assert_eq!(refused.unanswered_usd(), 0.0);
    let mut tape = runs::Tape::new(&runs::header("council", "Slow?"));
    tape.ask("collect/answer@0", "opus", Some(0.1)).fail("collect/answer@0", FailureKind::Timeout, "120 s");
    assert!(stopped(&View::of(&tape.rows), Style::default()).contains("up to $0.1000"));
}

#[test]
fn a_try_lost_in_a_crash_counts_when_the_next_is_turned_away() {
    let mut tape = runs::Tape::new(&runs::header("council", "Again?"));
    tape.ask("collect/answer@0", "opus", Some(0.25));
    let last = tape.rows.last().expect("it was asked").clone();
    let mut asked: Asked = last.read().expect("what was asked");
    (asked.reasked, asked.reserved_usd) = (true, Some(0.5));
    let again = NewRow::new("collect/answer@0", Kind::Asked, last.at + 1, &asked).attempt(1);
    tape.rows.push(again.seal(runs::RUN, last.seq + 1, 1, &last.hash));
    tape.fail("collect/answer@0", FailureKind::Auth, "401");
    let view = View::of(&tape.rows);
    let turn = view.turn("collect/answer@0").expect("it was asked");
    assert_eq!((turn.unanswered_usd(), view.ledger.spent()), (0.25, Some(0.25)), "the first may have been billed, the second cannot have been");
}

#[test]
fn an_unknown_cost_is_never_shown_as_zero() {
    let mut tape = runs::Tape::new(&runs::header("council", "How much?"));
    tape.turn("collect/answer@2", "local/qwen3:8b", 5, (10, 10), None, json!("Nobody knows."));
    let running = terminal(&View::of(&tape.rows), Style::default());
    assert!(running.contains("Cost        unknown"), "{running}");
    let answer = Answer { kind: AnswerKind::Selected, text: "Nobody knows.".into(), by: vec![2] };
    let rows = tape.verdict(Verdict { answer: Some(answer), ..runs::verdict("council", Status::Full) });
    let text = terminal(&View::of(&rows), Style::default());
    assert!(text.contains("unknown: no price for local/qwen3:8b") && !text.contains("$0\n"), "{text}");
}

#[test]
fn a_resumed_run_runs_again_and_a_stop_the_journal_could_not_take_is_told() {
    let mut rows = runs::stopped();
    let last = rows.last().expect("it stopped").clone();
    let limits = Limits { budget_usd: Some(1.0), run_ms: 1, idle_ms: 1, turn_ms: 1 };
    rows.push(NewRow::new("", Kind::Resumed, last.at, &Resumed { limits, binary: "synod".into() }).seal(runs::RUN, last.seq + 1, 2, &last.hash));
    let mut view = View::of(&rows);
    assert_eq!((view.state, view.stop()), (RunState::Running, None));
    view.note_stop(Stopped::new(StopReason::Storage, "disk full"));
    let text = stopped(&view, Style::default());
    assert!(
        text.contains("journal could not be written") && text.contains("disk full") && text.contains(&format!("synod resume {}", runs::RUN)),
        "{text}"
    );
}

#[test]
fn a_raw_reply_is_shown_where_it_could_not_be_read() {
    let mut tape = runs::Tape::new(&runs::header("vote", "Which?"));
    tape.ask("vote/vote@0", "opus", Some(0.1)).reply("vote/vote@0", 5, (1, 1), Some(0.01)).fail(
        "vote/vote@0",
        FailureKind::Unreadable,
        "no JSON object",
    );
    let mut view = View::of(&tape.rows);
    view.attach_raw("vote/vote@0", 0, serde_json::to_string(&Reply::text("I would rather not say.")).expect("it is plain"));
    assert!(show(&view, Style::default(), false).contains("| I would rather not say."));
}

#[test]
fn a_page_prints_no_word_of_a_turn_that_an_exhibit_covers() {
    for covered in [true, false] {
        let mut tape = runs::Tape::new(&runs::header("vote", "Which?"));
        tape.phase("round 1").turn("round 1/turn@0", "opus", 900, (1, 1), Some(0.01), json!({"reasons": "secret words"}));
        let keys = if covered { vec!["round 1/turn@0".to_owned()] } else { Vec::new() };
        tape.show("round 1/show safety", "safety", Exhibit::note("Safety", "One was withheld.").covers(keys)).phase_end("round 1");
        let mut view = View::of(&tape.rows);
        view.attach_raw("round 1/turn@0", 0, serde_json::to_string(&Reply::text("secret as it came")).expect("it is plain"));
        for page in [html(&view), markdown(&view)] {
            assert!(page.contains("One was withheld."), "{page}");
            assert_eq!(page.contains("secret words"), !covered, "{page}");
            assert!(!covered || !page.contains("secret as it came"), "{page}");
        }
    }
}

#[test]
fn whoever_has_the_export_can_check_the_chain() {
    let rows = runs::council();
    let document = export(&View::of(&rows), &rows);
    assert_eq!(document["schema"], "synod.export/1");
    assert_eq!(document["verdict"]["status"], "full");
    assert_eq!(document["header"]["mode"], "council");
    let mut previous = [0; 32];
    for each in document["rows"].as_array().expect("a list of rows") {
        let text = |name: &str| each[name].as_str().map(str::to_owned);
        let number = |name: &str| each[name].as_i64().expect("a number");
        let row = Row {
            run: document["run"].as_str().expect("an id").to_owned(),
            seq: number("seq"),
            epoch: number("epoch"),
            key: text("key").expect("a key"),
            kind: Kind::parse(&text("kind").expect("a kind")).expect("a known one"),
            attempt: number("try"),
            at: number("at"),
            digest: text("digest"),
            body: text("body").expect("a body"),
            hash: [0; 32],
        };
        previous = row.link(&previous);
        assert_eq!(each["hash"], json!(previous.iter().map(|byte| format!("{byte:02x}")).collect::<String>()));
    }
    assert_eq!(document["head"], json!(previous.iter().map(|byte| format!("{byte:02x}")).collect::<String>()));
}
