//! How much of the past a prompt carries, what every style's prompt says, and how a finished debate is taken further.

use super::{SPLIT, further, put, reads, rig, round, seat, stop, turn};
use crate::{Played, play};
use serde_json::{Value, json};
use synod_engine::{Ending, LimitChanges, tokens};
use synod_testkit::rig::verdict;
use synod_types::Kind;

/// So many tokens of words nobody else uses, with a label now and then.
fn speech(seat: u32, round: u32) -> String {
    let word = |n: usize| {
        if n % 15 == 14 {
            format!("point {n}. [INFER]")
        } else {
            ["cost", "queue", "retry", "night", "owner", "alarm"][(n + seat as usize + round as usize) % 6].to_owned()
        }
    };
    (0..760).map(word).collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn six_rounds_of_five_seats_stay_small() {
    for style in ["collaborative", "adversarial"] {
        six_rounds(style).await;
    }
}

async fn six_rounds(style: &str) {
    let script = |key: &str| match key {
        key if key.contains("turn@") => {
            let (seat, round) = (seat(key), round(key));
            // No two claims share their words.
            let own = |n: u32| (0..9).map(|at| format!("matter{seat}{round}{n}{at}")).collect::<Vec<_>>().join(" ");
            let claim = |n: u32| json!({"text": own(n), "label": "INFER"});
            let position = format!("plan{0} step{0} goal{0}", seat * 10 + round);
            turn(
                seat,
                0.55 + 0.02 * f64::from(round),
                json!({"reasons": speech(seat, round), "position": position, "claims": [claim(1), claim(2)], "vote": "BLOCKER"}),
            )
        }
        key if key.contains("analysis") => reads(0.5, &[&["S1", "S2", "S3"], &["S4", "S5"]]),
        key if key.contains("safety") => crate::says(json!({"reasons": "read", "findings": [], "passed": true}).to_string()),
        _ => None,
    };
    let options = [("style", json!(style)), ("rounds", json!(6)), ("groupthink", json!("record")), ("exit_on_consensus", json!(false))];
    let played = play("roundtable", 5, None, &options, script).await;
    assert_eq!(stop(&played), ("round_cap", 6));
    assert!(played.verdict.data["claims"].as_u64().is_some_and(|claims| claims >= 2 * 5 * 6), "every claim is one of its own");
    let said = tokens::count(&speech(0, 1));
    assert!((950..1_150).contains(&said), "{said} tokens a turn");
    let user = |key: &str| tokens::count(&played.prompt(key));
    let (mut sent, mut history) = (0, 0);
    for round in 1..=6_u64 {
        for seat in 0..5 {
            let size = user(&format!("round {round}/turn@{seat}"));
            assert!(size < 8_000, "{style}, round {round}, seat {seat}: {size} tokens");
            sent += size;
            let heard = if style == "adversarial" { seat } else { 0 };
            history += user("round 1/turn@0") + ((round - 1) * 5 + heard) * said;
        }
    }
    assert!(2 * sent < history, "{sent} of {history}");
}

#[tokio::test]
async fn a_finished_debate_is_taken_further_by_a_fork_that_pays_for_the_new_round_only() {
    let script = |key: &str| match key {
        key if key.contains("analysis") => reads(0.6, SPLIT),
        key if key.contains("turn@") => turn(seat(key), 0.75, json!({"vote": "ACCEPT"})),
        _ => None,
    };
    let (rig, counted) = rig(script);
    let (parent, ending) = rig.run(&put(&[("rounds", json!(2))])).await;
    let first = verdict(ending);
    assert_eq!((first.stop_reason.as_str(), first.data["round"].as_u64()), ("consensus", Some(2)));
    let before = counted.total();
    let again = further(&rig, &parent, json!({"after": 2, "focus_question": "Who pays?"})).await;
    let (run, ending) = rig.run(&again).await;
    let second = verdict(ending);
    assert_eq!((second.data["round"].as_u64(), second.parent.as_deref()), (Some(3), Some(parent.as_str())));
    let asked: Vec<String> = counted.requests().into_iter().skip(before).map(|(key, _)| key).collect();
    assert!(asked.iter().all(|key| key.starts_with("round 3/") || key.starts_with("synthesis/")), "{asked:?}");
    let prompt = counted.requests().into_iter().rfind(|(key, _)| key == "round 3/turn@0").expect("asked").1;
    let text = prompt.messages.last().expect("a message").text();
    assert!(text.contains("Round 3 of 3.") && text.contains("Who pays?"), "{text}");
    assert!(matches!(rig.resume(&run, LimitChanges::default()).await, Ending::Verdict(_)));
}

#[tokio::test]
async fn a_new_focus_question_calls_for_nothing_before_its_round() {
    let script = |key: &str| match key {
        key if key.contains("analysis") => reads(0.6, SPLIT),
        key if key.contains("safety") => crate::says(json!({"reasons": "read", "findings": [], "passed": true}).to_string()),
        key if key.contains("turn@") => turn(seat(key), 0.75, json!({"vote": "ACCEPT"})),
        _ => None,
    };
    let (rig, counted) = rig(script);
    let (parent, _) = rig.run(&put(&[("rounds", json!(2))])).await;
    let before = counted.total();
    let again = further(&rig, &parent, json!({"after": 2, "focus_question": "What about patient data?"})).await;
    let (_, ending) = rig.run(&again).await;
    assert_eq!(verdict(ending).data["round"].as_u64(), Some(3));
    let asked: Vec<String> = counted.requests().into_iter().skip(before).map(|(key, _)| key).collect();
    assert!(asked.iter().all(|key| key.starts_with("round 3/") || key.starts_with("synthesis/")), "{asked:?}");
    assert!(asked.iter().any(|key| key.starts_with("round 3/check S1/safety")), "{asked:?}");
}

#[tokio::test]
async fn what_came_with_the_question_is_not_sent_whole_every_time() {
    let script = |key: &str| match key {
        key if key.contains("turn@") => turn(seat(key), 0.6, json!({"reasons": speech(seat(key), round(key)), "vote": "MINOR"})),
        key if key.contains("analysis") => reads(0.5, SPLIT),
        _ => None,
    };
    let (rig, counted) = rig(script);
    let mut order = put(&[("rounds", json!(3)), ("exit_on_consensus", json!(false))]);
    order.question.content = Some("A clause of a long contract, and then another one.\n".repeat(3_200));
    let (_, ending) = rig.run(&order).await;
    assert_eq!(verdict(ending).status, synod_types::Status::Full);
    for (key, request) in counted.requests() {
        let text = request.messages.last().expect("a message").text().to_owned();
        assert!(tokens::count(&text) < 8_000, "{key}: {}", tokens::count(&text));
        if key.contains("turn@") {
            assert!(text.contains("A clause of a long contract") && text.contains("search_files finds the rest"), "{key}");
        }
    }
}

/// What each role is told when the panel must object to itself.
#[tokio::test]
async fn every_role_objects_in_its_own_way() {
    for style in synod_modes::roundtable::styles() {
        let script = |key: &str| match key {
            key if key.contains("safety") => crate::says(json!({"reasons": "read", "findings": [], "passed": true}).to_string()),
            key if key.contains("turn@") => turn(seat(key), if key.contains("objection") { 0.5 } else { 0.9 }, json!({})),
            _ => None,
        };
        let played = play("roundtable", 4, None, &[("style", json!(style)), ("rounds", json!(1))], script).await;
        let roles: Vec<String> = super::rows(&played, "objection_1").iter().filter_map(|row| row["role"].as_str().map(str::to_owned)).collect();
        assert_eq!(roles.len(), 4, "{style}");
        for (seat, role) in roles.iter().enumerate().filter(|(at, role)| !roles[..*at].contains(role)) {
            let key = format!("round 1/objection/turn@{seat}");
            let text = played.prompt(&key);
            assert!(text.contains("This round is for objections only."), "{style} {role}");
            let layers = text.find("## Layer 1").map(|at| text[at..].to_owned()).unwrap_or_default();
            insta::with_settings!({snapshot_path => "../../snapshots", prepend_module_to_snapshot => false, omit_expression => true}, {
                insta::assert_snapshot!(format!("roundtable_{style}_{role}_objection"), layers);
            });
        }
    }
}

/// Each role of each style, in the first round and in a later one, with its four layers and at most ten questions.
#[tokio::test]
async fn every_style_and_role_reads_as_it_always_did() {
    for style in synod_modes::roundtable::styles() {
        let options = [
            ("style", json!(style)),
            ("rounds", json!(2)),
            ("exit_on_consensus", json!(false)),
            ("groupthink", json!("record")),
            ("focus_question", json!("Who pays for it?")),
        ];
        let plain = play("roundtable", 4, None, &options, |key| key.contains("turn@").then(|| turn(seat(key), 0.6, json!({}))).flatten()).await;
        let stakes: Vec<(&str, Value)> = options.iter().cloned().chain([("high_stakes", json!(["medical_legal", "safety_critical"]))]).collect();
        let high = play("roundtable", 4, None, &stakes, |key| key.contains("turn@").then(|| turn(seat(key), 0.6, json!({}))).flatten()).await;
        let mut seen: Vec<String> = Vec::new();
        for round in 1..=2 {
            for seat in 0..4 {
                let key = format!("round {round}/turn@{seat}");
                let whole = |played: &Played| {
                    let request = &played.requests.iter().find(|(asked, _)| *asked == key).expect("asked").1;
                    request.messages.iter().map(|message| message.text().to_owned()).collect::<Vec<_>>().join("\n\n----- user -----\n")
                };
                let text = whole(&plain);
                let places: Vec<usize> = (1..=4)
                    .map(|layer| text.find(&format!("## Layer {layer}:")).unwrap_or_else(|| panic!("{style} {key}: no layer {layer}")))
                    .collect();
                assert!(places.is_sorted(), "{style} {key}");
                let questions = |text: &str| text.lines().filter(|line| line.split_once(". ").is_some_and(|(n, _)| n.parse::<u32>().is_ok())).count();
                assert_eq!((questions(&text), questions(&whole(&high))), (9, 10), "{style} {key}");
                let played = plain.rows.iter().filter(|row| row.kind == Kind::Shown).filter_map(|row| row.read::<synod_types::Shown>().ok());
                let shown =
                    played.filter(|shown| shown.exhibit.turn.as_deref() == Some(key.as_str())).find_map(|shown| shown.exhibit.row()).expect("shown");
                let role = shown["role"].as_str().unwrap_or_default().to_owned();
                let name = format!("roundtable_{style}_{role}_{}", if round == 1 { "first" } else { "later" });
                if !seen.contains(&name) {
                    insta::with_settings!({snapshot_path => "../../snapshots", prepend_module_to_snapshot => false, omit_expression => true}, {
                        insta::assert_snapshot!(name.clone(), text);
                    });
                    seen.push(name);
                }
            }
        }
    }
}

#[tokio::test]
async fn labelled_words_that_fit_into_no_prompt_are_cut_with_a_warning() {
    let written = |sentences: usize| {
        move |key: &str| match key {
            key if key.contains("turn@") => {
                let sentence = |at: usize| format!("Point {at} of seat {} rests on measurement number {at}. [INFER] ", seat(key));
                turn(seat(key), 0.6, json!({"reasons": (0..sentences).map(sentence).collect::<String>()}))
            }
            key if key.contains("analysis") => reads(0.5, SPLIT),
            _ => None,
        }
    };
    // sentences a turn, whether they are too many
    for (sentences, cut) in [(20, false), (400, true)] {
        let played = play("roundtable", 3, None, &[("rounds", json!(2))], written(sentences)).await;
        assert_eq!(played.warned("context_overflow"), cut, "{sentences}: {:?}", played.verdict.warnings);
        assert_eq!(played.prompt("round 2/turn@0").contains(&format!("Point {} of seat 2", sentences - 1)), !cut);
    }
}
