//! The sloppy forms models send, and what may be read from each.

use super::*;
use proptest::prelude::*;
use synod_engine::ReplyFormat;

fn terms(labels: &[&str]) -> IdLists {
    IdLists::default().with("labels", labels.iter().copied())
}

fn vote(text: &str) -> Option<String> {
    VoteBallot::from_text(text, &terms(&["A", "B", "C"])).map(|ballot| ballot.vote)
}

fn ranking(text: &str) -> Option<Vec<String>> {
    RankingBallot::from_text(text, &terms(&["A", "B"])).map(|ballot| ballot.ranking)
}

#[test]
fn a_vote_is_read_from_its_line_and_from_nowhere_else() {
    for (text, want) in [
        ("I compared them.\nVOTE: Response B", Some("B")),
        ("Response A is discussed last.\nVOTE: B", Some("B")),
        ("VOTE: [Response C]", Some("C")),
        ("**VOTE: Response C**", Some("C")),
        ("VOTE: **Response C**", Some("C")),
        ("vote: response c.", Some("C")),
        ("> VOTE: \"A\"", Some("A")),
        ("VOTE: A\nOn reflection\nVOTE: B\n", Some("B")),
        ("VOTE: Response carefully", None),
        ("VOTE: D", None),
        ("VOTE: A or B", None),
        ("VOTE:", None),
        ("In response a good answer would be A.", None),
        ("I would vote for Response A.", None),
        ("My VOTE: A", None),
        ("", None),
    ] {
        assert_eq!(vote(text).as_deref(), want, "{text:?}");
    }
}

#[test]
fn a_ranking_is_a_permutation_of_what_was_shown_or_nothing() {
    for (text, want) in [
        ("FINAL RANKING:\n1. Response B\n2. Response A", Some(["B", "A"])),
        ("FINAL RANKING:\n1. Response B\n2. **Response A**", Some(["B", "A"])),
        ("final ranking:\n1) response b\n2) response a", Some(["B", "A"])),
        (
            "I will end with FINAL RANKING: as asked. First 1. Response A is weak, 2. Response B strong.\n\nFINAL RANKING:\n1. Response B\n2. Response A",
            Some(["B", "A"]),
        ),
        ("## FINAL RANKING:\n- B\n- A\n\nThat is all: A was close.", Some(["B", "A"])),
        ("**FINAL RANKING:**\n\n1. B\n2. A", Some(["B", "A"])),
        ("FINAL RANKING: B > A", Some(["B", "A"])),
        ("FINAL RANKING:\nB, A", Some(["B", "A"])),
        ("FINAL RANKING:\n1. Response B", None),
        ("FINAL RANKING:\n1. Response B\n2. Response B\n3. Response A", None),
        ("FINAL RANKING:\n1. Response B\n2. Response C", None),
        ("Response A beats Response B, and A again.", None),
        ("FINAL RANKING:", None),
    ] {
        let want = want.map(|labels| labels.map(str::to_owned).to_vec());
        assert_eq!(ranking(text), want, "{text:?}");
    }
}

#[test]
fn json_comes_first_and_a_wrong_label_is_named() {
    let terms = terms(&["K3", "T9"]);
    let read = |text: &str| RankingBallot::read(text, &terms);
    let (value, _) = read("```json\n{\"reasons\": \"r\", \"ranking\": [\"T9\", \"K3\"]}\n```").expect("a whole ballot");
    assert_eq!(value["ranking"], serde_json::json!(["T9", "K3"]));
    let error = read("{\"reasons\": \"r\", \"ranking\": [\"T9\", \"T9\"]}").expect_err("T9 twice");
    assert!(error.contains("each of K3, T9 exactly once"), "{error}");
    let error = VoteBallot::read("{\"reasons\": \"r\", \"vote\": \"K4\"}", &terms).expect_err("K4 is not there");
    assert!(error.contains("K4") && error.contains("K3, T9"), "{error}");
}

#[test]
fn every_ballot_argues_before_it_decides() {
    for schema in [synod_engine::schema_of::<RankingBallot>(), synod_engine::schema_of::<VoteBallot>()] {
        let first = schema["properties"].as_object().and_then(|map| map.keys().next().cloned());
        assert_eq!(first.as_deref(), Some("reasons"));
    }
}

proptest! {
    /// Whatever a model sends, a reader returns: a whole ballot of the labels shown, or none.
    #[test]
    fn no_text_breaks_a_reader(text in ".{0,400}", around in "(FINAL RANKING:|VOTE:|\\{|```json|Response |K3|T9|>|\\n){0,30}") {
        for text in [text.clone(), format!("{around}{text}"), format!("{text}{around}")] {
            let terms = terms(&["K3", "T9", "M4"]);
            if let Ok((value, _)) = RankingBallot::read(&text, &terms) {
                let mut labels: Vec<&str> = value["ranking"].as_array().expect("a list").iter().filter_map(|label| label.as_str()).collect();
                labels.sort_unstable();
                prop_assert_eq!(labels, vec!["K3", "M4", "T9"]);
            }
            if let Ok((value, _)) = VoteBallot::read(&text, &terms) {
                prop_assert!(["K3", "T9", "M4"].contains(&value["vote"].as_str().expect("a label")));
            }
        }
    }

    /// The text form written by a careful model is read back, whatever the order and decoration.
    #[test]
    fn a_well_formed_list_is_always_read(order in Just(vec!["K3", "T9", "M4", "P7"]).prop_shuffle(), bold: bool, word: bool) {
        let lines: Vec<String> = order.iter().enumerate().map(|(i, label)| {
            let name = if word { format!("Response {label}") } else { (*label).to_owned() };
            if bold { format!("{}. **{name}**", i + 1) } else { format!("{}. {name}", i + 1) }
        }).collect();
        let text = format!("Some thoughts on K3.\n\nFINAL RANKING:\n{}", lines.join("\n"));
        let ballot = RankingBallot::from_text(&text, &terms(&["K3", "T9", "M4", "P7"])).expect("a whole ballot");
        prop_assert_eq!(ballot.ranking, order);
    }
}

#[test]
fn known_criteria_come_with_what_to_look_for_and_others_as_they_are() {
    let told = with_anchors(&["Accuracy".into(), "fits our budget".into()]);
    assert!(told[0].starts_with("Accuracy: what it states is true"), "{told:?}");
    assert_eq!(told[1], "fits our budget");
    for mode in [&crate::council::MODE, &crate::vote::MODE, &crate::debate::MODE, &crate::tournament::MODE] {
        let defaults: Vec<String> = serde_json::from_value((mode.option_defaults)()["criteria"].clone()).expect("a list");
        assert!(with_anchors(&defaults).iter().all(|told| told.contains(": ")), "{}: {defaults:?}", mode.id);
    }
}
