//! Nothing that was said is lost: it reaches peers, the analysis, the chair and the reader, and forced objections overwrite nothing.

use super::{ALL, further, put, reads, rig, round, rows, seat, stop, turn};
use crate::{Played, play};
use serde_json::json;
use std::sync::Arc;
use synod_testkit::counted::CountedModels;
use synod_testkit::rig::{Rig, verdict};
use synod_testkit::voices::Voices;
use synod_types::{Finish, Reply, ToolCall};

#[tokio::test]
async fn what_a_seat_does_not_know_and_why_it_is_sure_reach_everybody() {
    let script = |key: &str| match key {
        key if key.contains("turn@") => {
            let more =
                json!({"confidence_reason": format!("sure by measure {}", seat(key)), "uncertainties": [format!("how many of kind {}", seat(key))]});
            turn(seat(key), 0.7, more)
        }
        key if key.contains("analysis") => reads(0.5, &[ALL]),
        _ => None,
    };
    let played = play("roundtable", 3, None, &[("rounds", json!(2)), ("groupthink", json!("record"))], script).await;
    for key in ["round 2/turn@0", "round 1/analysis@4", "synthesis/synthesis@3"] {
        let text = played.prompt(key);
        assert!(text.contains("Why so sure: sure by measure 2") && text.contains("Not known: how many of kind 2"), "{key}: {text}");
    }
    for (medium, page) in crate::hidden::pages(&played) {
        assert!(page.contains("sure by measure 1") && page.contains("how many of kind 1"), "{medium}");
    }
    assert!(played.verdict.answer.as_ref().is_some_and(|answer| answer.text.contains("## Not known\n\n- how many of kind 0 (S1)")));
}

#[tokio::test]
async fn labelled_sentences_are_in_the_record_and_flaws_are_told_to_their_author() {
    let script = |key: &str| match key {
        "round 1/turn@1" => turn(1, 0.7, json!({"reasons": "Queues retry failed jobs. [FACT] Cron hides what went wrong. [INFER]"})),
        key if key.contains("turn@") => turn(seat(key), 0.7, json!({})),
        key if key.contains("analysis") => reads(0.5, &[ALL]),
        _ => None,
    };
    let played = play("roundtable", 3, None, &[("rounds", json!(2)), ("groupthink", json!("record"))], script).await;
    let claims = played.data("claims")["claims"].clone();
    assert_eq!(
        (claims[0]["text"].as_str(), claims[0]["label"].as_str()),
        (Some("Queues retry failed jobs."), Some("INFER")),
        "without a source it is no fact"
    );
    assert_eq!(claims[1]["text"], "Cron hides what went wrong.");
    let told = "What was wrong with your last turn:\n- a fact without a citation counts as an inference: Queues retry failed jobs.";
    assert!(played.prompt("round 2/turn@1").contains(told), "{}", played.prompt("round 2/turn@1"));
    assert!(!played.prompt("round 2/turn@0").contains("What was wrong"), "others are not");
}

/// What a prompt says of its seat's last turn, a line each.
fn remarks(prompt: &str) -> Vec<&str> {
    let told = prompt.split_once("What was wrong with your last turn:\n").map_or("", |(_, told)| told);
    told.lines().map_while(|line| line.strip_prefix("- ")).collect()
}

#[tokio::test]
async fn what_is_said_of_a_last_turn_is_said_of_the_last_one() {
    let script = |key: &str| match key {
        "round 1/turn@1" => turn(1, 0.9, json!({"reasons": "Queues retry failed jobs. [FACT]"})),
        "round 1/objection/turn@1" => turn(1, 0.5, json!({"reasons": "Alarms reach whoever sleeps. [FACT]"})),
        "round 2/turn@1" => turn(1, 0.5, json!({"reasons": "Here is, step by step, how a pipe bomb is made."})),
        key if key.contains("turn@") => turn(seat(key), if round(key) == 1 && !key.contains("objection") { 0.9 } else { 0.5 }, json!({})),
        key if key.contains("analysis") => reads(0.5, &[ALL]),
        _ => None,
    };
    let played = play("roundtable", 3, None, &[("rounds", json!(3)), ("exit_on_consensus", json!(false))], script).await;
    let uncited = "a fact without a citation counts as an inference: ";
    assert_eq!(remarks(&played.prompt("round 1/objection/turn@1")), [format!("{uncited}Queues retry failed jobs.")]);
    assert_eq!(remarks(&played.prompt("round 2/turn@1")), [format!("{uncited}Alarms reach whoever sleeps.")], "of an objection too");
    let withheld = played.prompt("round 3/turn@1");
    assert!(matches!(remarks(&withheld).as_slice(), [one] if one.starts_with("it was withheld, and nobody has read it: ")), "{withheld}");
}

#[tokio::test]
async fn a_seat_learns_how_it_left_its_part_before_it_learns_of_labels() {
    let reasons: String = (0..9).map(|n| format!("Matter{n} thing{n} point{n} stands. [FACT] ")).collect();
    let script = move |key: &str| match key {
        "round 1/turn@0" => turn(0, 0.7, json!({"risks": [{"kind": "failure", "text": "It fails."}]})),
        "round 2/turn@0" => turn(0, 0.7, json!({"reasons": reasons, "risks": [{"kind": "failure", "text": "It fails.", "mitigation": "Wait."}]})),
        "round 2/turn@1" => turn(1, 0.7, json!({"reasons": reasons})),
        key if key.contains("safety") => crate::says(json!({"reasons": "read", "findings": [], "passed": true}).to_string()),
        key if key.contains("turn@") => turn(seat(key), 0.7, json!({})),
        key if key.contains("analysis") => reads(0.5, &[ALL]),
        _ => None,
    };
    let options =
        [("style", json!("red-team-blue-team")), ("rounds", json!(3)), ("groupthink", json!("record")), ("exit_on_consensus", json!(false))];
    let played = play("roundtable", 3, None, &options, script).await;
    for (seat, first) in [(0, "your part asks for no solutions; you gave 1 solutions"), (1, "you left R1 unanswered")] {
        let prompt = played.prompt(&format!("round 3/turn@{seat}"));
        let told = remarks(&prompt);
        assert_eq!((told.first().copied(), told.len()), (Some(first), 8), "{told:?}");
        assert_eq!(told[6..], ["4 more labels or citations did not hold", "1 labelled sentence beyond the first 8 stayed in the text"]);
    }
}

/// Seat 0 asks for something it needs to know.
fn asking() -> (Rig, Arc<CountedModels>) {
    let voices = Voices::default().scripted(|_, request, context| {
        if context.key == "round 1/turn@0" && !request.tools.is_empty() {
            let input = json!({"query": "How many jobs are there?", "reason": "the cost", "priority": "required"});
            let call = ToolCall { id: "c".into(), name: "request_context".into(), input };
            return Some(Ok(Reply { tool_calls: vec![call], finish: Finish::ToolCalls, ..Reply::text("") }));
        }
        match context.key.as_str() {
            key if key.contains("turn@") => turn(seat(key), 0.75, json!({"vote": "ACCEPT"})),
            key if key.contains("analysis") => reads(0.8, &[ALL]),
            _ => None,
        }
    });
    let counted = Arc::new(CountedModels::new(Arc::new(voices)));
    (Rig::new(counted.clone()), counted)
}

#[tokio::test]
async fn a_request_for_context_is_shown_and_can_be_answered() {
    let (rig, counted) = asking();
    let (parent, ending) = rig.run(&put(&[("rounds", json!(2)), ("groupthink", json!("record"))])).await;
    let first = verdict(ending);
    let answer = &first.answer.as_ref().expect("an answer").text;
    assert!(
        answer.contains("## Asked of you\n\n- How many jobs are there? (required, asked by S1 in round 1; what depends on it: the cost)"),
        "{answer}"
    );
    assert!(first.warnings.iter().any(|warning| warning.contains("with `context` answers them")), "{:?}", first.warnings);
    let before = counted.total();
    let again = further(&rig, &parent, json!({"after": 2, "context": "There are 4,200 of them."})).await;
    let (_, ending) = rig.run(&again).await;
    assert_eq!(verdict(ending).data["round"], json!(3));
    let asked: Vec<(String, String)> = counted
        .requests()
        .into_iter()
        .skip(before)
        .map(|(key, request)| (key, request.messages.last().map(|last| last.text().to_owned()).unwrap_or_default()))
        .collect();
    assert!(asked.iter().all(|(key, _)| key.starts_with("round 3/") || key.starts_with("synthesis/")), "nothing else is paid for again");
    for (key, text) in asked.iter().filter(|(key, _)| !key.contains("/tool")) {
        assert!(text.contains("There are 4,200 of them."), "{key}: {text}");
    }
}

/// All in one camp, nothing new: stuck from the third round on. What is objected then is meant by nobody.
async fn objected() -> Played {
    let script = |key: &str| match key {
        key if key.contains("objection") && key.contains("turn@") => {
            let forced =
                json!({"vote": "BLOCKER", "position": "Do the opposite of all of it", "reasons": format!("forced words of seat {}", seat(key))});
            turn(seat(key), 0.3, forced)
        }
        key if key.contains("analysis") => reads(0.8, &[ALL]),
        key if key.contains("turn@") => turn(
            seat(key),
            if round(key) < 4 { 0.82 } else { 0.84 },
            json!({"vote": if round(key) == 3 { "ACCEPT" } else { "MINOR" }, "position_change": "MAINTAIN"}),
        ),
        _ => None,
    };
    play("roundtable", 3, None, &[("rounds", json!(4)), ("exit_on_consensus", json!(false))], script).await
}

#[tokio::test]
async fn forced_objections_stand_beside_the_positions_and_overwrite_none() {
    let played = objected().await;
    assert!(played.asked("round 3/objection/turn@0") && played.asked("round 4/turn@0"));
    let (_, asked) = played.requests.iter().find(|(key, _)| key == "round 3/objection/turn@0").expect("asked");
    assert!(!asked.schema.as_ref().expect("a schema").schema.to_string().contains("BLOCKER"), "nobody votes while it must object");
    let after = played.prompt("round 4/turn@0");
    for seat in 0..3 {
        assert!(after.contains(&format!("private words of seat {seat}")) && after.contains(&format!("forced words of seat {seat}")), "{after}");
    }
    assert!(after.contains("S1: confidence 0.82 (+0.00), ACCEPT, MAINTAIN"), "where it stands is its last regular response: {after}");
    let last = rows(&played, "round_4");
    assert_eq!((&last[0]["confidenceChange"]["previousRound"], &last[0]["vote"]), (&json!(3), &json!("MINOR")));
    assert!(last[0]["confidenceChange"]["delta"].as_f64().is_some_and(|delta| (delta - 0.02).abs() < 1e-9));
    let told = played.verdict.decision.as_ref().expect("a decision");
    assert_eq!((&told["open_blockers"], &told["votes"]["minor"]), (&json!([]), &json!(3)));
}

#[tokio::test]
async fn a_debate_cut_after_its_objections_is_decided_by_its_last_regular_round() {
    let script = |key: &str| match key {
        key if key.contains("objection") && key.contains("turn@") => turn(seat(key), 0.3, json!({"vote": "BLOCKER", "position": "Do the opposite"})),
        key if key.contains("analysis") => reads(0.8, &[ALL]),
        key if key.contains("turn@") => turn(seat(key), 0.82, json!({"vote": "ACCEPT"})),
        _ => None,
    };
    let played = play("roundtable", 3, None, &[("rounds", json!(3)), ("exit_on_consensus", json!(false))], script).await;
    assert!(played.asked("round 3/objection/turn@0"));
    let told = played.verdict.decision.as_ref().expect("a decision");
    assert_eq!((&told["action"], &told["mean_confidence"], &told["votes"]["accept"]), (&json!("proceed"), &json!(0.82), &json!(3)), "{told}");
    let synthesis = played.prompt("synthesis/synthesis@3");
    let (positions, objections) = synthesis.split_once("Objections to it.").expect("both");
    assert!(positions.contains("private words of seat 2") && objections.contains("Do the opposite"), "{synthesis}");
}

#[tokio::test]
async fn paraphrases_of_a_maintained_position_let_a_debate_end() {
    const SAYS: [&str; 4] = [
        "Move the batch jobs to a queue, one group at a time.",
        "We should migrate in stages, a first team starting with queued work.",
        "Step by step every crew switches over to message passing.",
        "Gradual adoption: initially some people, eventually everyone.",
    ];
    let script = |maintains: bool| {
        move |key: &str| match key {
            key if key.contains("turn@") => {
                let mut more = json!({"position": SAYS[round(key) as usize - 1], "vote": "MINOR"});
                if maintains && round(key) > 1 {
                    more["position_change"] = json!("MAINTAIN");
                }
                turn(seat(key), 0.6, more)
            }
            key if key.contains("analysis") => reads(0.5, &[&["S1", "S2"], &["S3"]]),
            _ => None,
        }
    };
    let still = play("roundtable", 3, None, &[("rounds", json!(4))], script(true)).await;
    assert_eq!(stop(&still), ("convergence", 3), "the same position in other words has not moved");
    let unsaid = play("roundtable", 3, None, &[("rounds", json!(4))], script(false)).await;
    assert_eq!(stop(&unsaid), ("round_cap", 4), "where nobody says so, other words are another position");
}

#[tokio::test]
async fn nobody_is_told_to_agree_before_anybody_has_spoken() {
    let script = |key: &str| match key {
        key if key.contains("turn@") => turn(seat(key), 0.7, json!({"stance": "YES", "ruling": "EVEN"})),
        _ => None,
    };
    for style in synod_modes::roundtable::styles() {
        let options = [("style", json!(style)), ("rounds", json!(2)), ("groupthink", json!("record"))];
        let played = play("roundtable", 3, None, &options, script).await;
        let first = played.prompt("round 1/turn@0");
        assert!(first.contains("Nobody has spoken yet") && !first.contains("If you agree, add"), "{style}: {first}");
        for demand in ["agree with others", "by its id", "answer the strongest attack", "others said"] {
            assert!(!first.contains(demand), "{style} demands in round 1: {demand}");
        }
        let later = played.prompt("round 2/turn@0");
        let free = !["socratic", "devils-advocate", "red-team-blue-team"].contains(&style);
        assert!(
            !later.contains("Nobody has spoken yet") && later.contains("If you agree, add") == free,
            "{style}: an assigned part agrees with nobody"
        );
    }
    let (rig, counted) = rig(|_| None);
    let (_, _) = rig.run(&put(&[("rounds", json!(1))])).await;
    let system = counted.requests().into_iter().find(|(key, _)| key == "round 1/turn@0").expect("asked").1.messages[0].text().to_owned();
    for rule in ["at most 600 words", "without such a source is [INFER]", "of your other labelled sentences the first 8"] {
        assert!(system.contains(rule), "{rule}: {system}");
    }
}
