//! Who plays what, told to the seats, in every medium and in what the chair is asked for.

use super::{ALL, reads, rows, seat, turn};
use crate::{play, says};
use serde_json::{Value, json};

#[tokio::test]
async fn role_stance_anchor_and_violations_stand_in_every_medium() {
    let script = |key: &str| match key {
        key if key.contains("safety") => says(json!({"reasons": "read", "findings": [], "passed": true}).to_string()),
        key if key.contains("analysis") => reads(0.5, &[ALL]),
        key if key.contains("turn@") => {
            turn(seat(key), 0.7, json!({"stance": "YES", "vote": "MINOR", "ruling": "FOR", "ruling_reason": "It was shown."}))
        }
        _ => None,
    };
    let played = play("roundtable", 3, None, &[("style", json!("devils-advocate")), ("rounds", json!(2))], script).await;
    for (medium, page) in crate::hidden::pages(&played) {
        let bare = crate::hidden::bare(&page);
        for words in [
            "Who plays what",
            "advocate, stance YES, anchor Implementation-Focused",
            "opposition, stance YES, anchor Risk-Attentive",
            "its role asks for stance NO; it gave YES",
            "its role asks for stance NEUTRAL; it gave YES",
            "MINOR (assigned side: shown, not counted)",
            "S2 was to give stance NO and gave YES",
            "left its part in round 1, 2",
        ] {
            assert!(bare.contains(&crate::hidden::bare(words)), "{medium} lacks {words}");
        }
    }
    let seats = played.data("seats");
    let told = |field: &str| seats["seats"].as_array().into_iter().flatten().map(|seat| seat[field].clone()).collect::<Vec<Value>>();
    assert_eq!(told("role"), ["advocate", "opposition", "evaluator"]);
    assert_eq!(told("vote_counts"), [json!(false), json!(false), json!(true)]);
    let counted = rows(&played, "round_2").iter().map(|row| row["voteCounts"].clone()).collect::<Vec<_>>();
    assert_eq!(counted, told("vote_counts"));
    assert_eq!(played.verdict.data["seats"][1]["violations"], json!([1, 2]));
}

#[tokio::test]
async fn perspectives_are_shown_whole() {
    let one = json!({"name": "Law", "description": "What is allowed.", "focus_areas": ["courts"], "evidence_types": ["rulings"], "key_questions": ["Who signs?"], "anti_patterns": ["advice"]});
    let script = move |key: &str| match key {
        key if key.starts_with("seating/perspectives") => says(json!({"reasons": "It needs a lawyer.", "perspectives": [one, one, one]}).to_string()),
        key if key.contains("turn@") => turn(seat(key), 0.7, json!({})),
        _ => None,
    };
    let played = play("roundtable", 3, None, &[("style", json!("expert-panel")), ("rounds", json!(1))], script).await;
    for (medium, page) in crate::hidden::pages(&played) {
        for words in
            ["It needs a lawyer.", "Law: What is allowed.", "Looks at: courts", "Evidence that counts: rulings", "Asks: Who signs?", "Avoids: advice"]
        {
            assert!(crate::hidden::bare(&page).contains(&crate::hidden::bare(words)), "{medium} lacks {words}");
        }
    }
    assert_eq!(played.data("seats")["generated"], true);
}

#[tokio::test]
async fn the_chair_is_asked_for_what_the_style_is_for() {
    // style, words of the task, titles of the answer in their order
    let table: [(&str, &str, &[&str]); 7] = [
        ("collaborative", "the proposal the table could adopt together", &["Recommendation", "Summary", "Common ground", "What is not agreed"]),
        ("adversarial", "what survived the attacks", &["What can be relied on", "Summary", "What survived", "What is broken or still disputed"]),
        ("socratic", "decide nothing yourself", &["What to find out first", "What all questions take for granted", "Open questions"]),
        ("expert-panel", "Join the perspectives", &["Assessment", "Summary", "What the perspectives share"]),
        ("devils-advocate", "the evaluators' ruling", &["Recommendation", "Ruling", "What neither side disputes", "Where the sides part"]),
        ("delphi", "the group's judgement", &["The group's judgement", "Summary", "Where judgements stay apart"]),
        ("red-team-blue-team", "what stays exposed", &["Recommendation", "What holds", "What stays exposed"]),
    ];
    assert_eq!(table.map(|(style, ..)| style).to_vec(), synod_modes::roundtable::styles());
    for (style, task, titles) in table {
        let script = |key: &str| match key {
            key if key.contains("safety") => says(json!({"reasons": "read", "findings": [], "passed": true}).to_string()),
            key if key.contains("turn@") => {
                turn(seat(key), 0.7, json!({"vote": "MINOR", "stance": "NEUTRAL", "ruling": "EVEN", "ruling_reason": "Neither."}))
            }
            _ => None,
        };
        let played = play("roundtable", 3, None, &[("style", json!(style)), ("rounds", json!(2)), ("groupthink", json!("record"))], script).await;
        let (_, asked) = played.requests.iter().find(|(key, _)| key.starts_with("synthesis/")).expect("asked");
        assert!(asked.messages[0].text().contains(task), "{style}: {}", asked.messages[0].text());
        let answer = &played.verdict.answer.as_ref().expect("an answer").text;
        let places: Vec<Option<usize>> = titles.iter().map(|title| answer.find(&format!("## {title}\n"))).collect();
        assert!(places[0] == Some(0) && places.iter().all(Option::is_some) && places.is_sorted(), "{style}: {places:?}\n{answer}");
    }
}

#[tokio::test]
async fn accepted_claims_come_before_withdrawn_ones() {
    let script = |key: &str| match key {
        "round 1/turn@0" => {
            let claim = |text: &str| json!({"text": text, "label": "INFER"});
            turn(0, 0.7, json!({"claims": [claim("Cron hides what went wrong."), claim("Queues retry every failed job.")]}))
        }
        "round 2/turn@0" => turn(0, 0.7, json!({"withdraws": ["C1"]})),
        key if key.starts_with("round 2/turn@") => turn(seat(key), 0.7, json!({"reinforces": ["C2"]})),
        key if key.contains("turn@") => turn(seat(key), 0.7, json!({})),
        key if key.contains("analysis") => reads(0.5, &[ALL]),
        _ => None,
    };
    let played = play("roundtable", 3, None, &[("rounds", json!(2)), ("groupthink", json!("record"))], script).await;
    let answer = &played.verdict.answer.as_ref().expect("an answer").text;
    assert!(answer.contains("- accepted: C2 Queues retry every failed job.\n- withdrawn: C1"), "{answer}");
    let synod_types::Shape::Checks(checks) = played.shown("claims").exhibit.shape else { panic!("checks") };
    assert_eq!(checks.entries.iter().map(|entry| entry.id.as_str()).collect::<Vec<_>>(), ["C2", "C1"]);
}
