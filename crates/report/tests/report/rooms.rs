//! A debate in each medium: answers under what they answer, a room folded, the card, who moved.

use crate::runs::{self, Tape};
use serde_json::json;
use synod_report::{Style, View, html, markdown, show, terminal};
use synod_types::*;

fn said(title: &str, seat: SeatIx, key: &str, label: &str, text: &str, reply_to: Option<&str>, aside: Option<&str>) -> Exhibit {
    let statement = Statement { label: Some(label.into()), text: Some(text.into()), reply_to: reply_to.map(str::to_owned) };
    let exhibit = Exhibit::new(title, Shape::Statement(statement)).by(seat, "persona").turn(key);
    Exhibit { aside: aside.map(str::to_owned), ..exhibit }
}

fn card() -> CruxCard {
    let position = |name: &str, seat, stance: &str, reasoning: &str, falsifier: &str, quote: &str, found: Option<&str>| CardPosition {
        name: name.into(),
        seat: Some(seat),
        stance: stance.into(),
        reasoning: reasoning.into(),
        falsifier: falsifier.into(),
        quotes: vec![CardQuote { text: quote.into(), found_in: found.map(str::to_owned) }],
    };
    CruxCard {
        question: "Does the loss fall on those who decide?".into(),
        disagreement: "premise".into(),
        settled_by: "evidence on the assumption".into(),
        diagnosis: "Under the numbers lies an assumption: that whoever loses can wait.".into(),
        positions: vec![
            position("Ingrid", 0, "NO", "The signatory is gone by then.", "Ten years of claims paid by directors.", "gone by then", Some("c1.1")),
            position("Dario", 1, "YES", "His flat is behind it.", "", "my own flat", None),
        ],
        ..CruxCard::default()
    }
}

pub fn run() -> Vec<Row> {
    answered("It comes down to one question.")
}

fn answered(answer: &str) -> Vec<Row> {
    let mut tape = Tape::new(&runs::header("crux", runs::QUESTION));
    let speak = |tape: &mut Tape, scope: &str, prompt: &str, seat: SeatIx, exhibit: &dyn Fn(&str) -> Exhibit| {
        let key = format!("{scope}/{prompt}@{seat}");
        tape.turn(&key, ["opus", "gpt"][seat as usize % 2], 900, (2_300, 60), Some(0.01), json!("raw words"));
        tape.show(&format!("{scope}/show {prompt}@{seat}"), prompt, exhibit(&key));
    };
    tape.phase("opening");
    speak(&mut tape, "opening", "opening", 0, &|key| said("Opening", 0, key, "m1", "Put a date on it.", None, None));
    speak(&mut tape, "opening", "opening", 1, &|key| said("Opening", 1, key, "m2", "Ship it and look at the second week.", None, None));
    tape.phase_end("opening").phase("aspect 1");
    speak(&mut tape, "aspect 1/mini 0", "take", 0, &|key| said("Who pays", 0, key, "m3", "Not those who sign.", None, None));
    speak(&mut tape, "aspect 1/mini 0", "take", 1, &|key| said("Who pays", 1, key, "m4", "I signed for mine.", None, None));
    speak(&mut tape, "aspect 1/mini 1", "take", 1, &|key| said("Who pays", 1, key, "m5", "Name one who got away.", Some("m3"), None));
    speak(&mut tape, "aspect 1/mini 2", "take", 0, &|key| said("Who pays", 0, key, "m6", "I have a *file* of them.", Some("m5"), None));
    let room = "Ingrid and Dario alone: who pays";
    speak(&mut tape, "aspect 1/room/a", "position", 0, &|key| said("Position", 0, key, "c1.1", "He is gone by then.", None, Some(room)));
    tape.show("aspect 1/room/show check", "exit_check", Exhibit::note("Exit check", "Not there yet: only one has named it.").aside(room));
    speak(&mut tape, "aspect 1/room/b", "exchange", 1, &|key| said("Exchange", 1, key, "c1.2", "I am still here.", None, Some(room)));
    tape.show("aspect 1/room/show core", "convergence", Exhibit::note("At the core", "Who is still there when it fails.").aside(room));
    tape.show("aspect 1/room/show card", "crux_card", Exhibit::new("Crux", Shape::Card(card())).by(3, "moderator"));
    tape.phase_end("aspect 1").phase("conclusion");
    let shift =
        |name: &str, moved, summary: &str| Shift { name: name.into(), moved, summary: summary.into(), before: "Then.".into(), ..Shift::default() };
    let entries = vec![shift("Ingrid", Some(true), "allows a trial"), shift("Dario", Some(false), "same, better defended"), shift("Ruth", None, "x")];
    tape.show("conclusion/show shifts", "shifts", Exhibit::new("Who moved", Shape::Shifts(Shifts { entries })).by(3, "clerk"));
    tape.phase_end("conclusion");
    let answer = Answer { kind: AnswerKind::Report, text: answer.into(), by: vec![0] };
    tape.verdict(Verdict { answer: Some(answer), ..runs::verdict("crux", Status::Full) })
}

#[test]
fn a_debate_reads_like_one() {
    let view = View::of(&run());
    let style = |width, unicode| Style { width, colour: false, unicode };
    insta::assert_snapshot!("debate_terminal_80", terminal(&view, style(80, true)));
    insta::assert_snapshot!("debate_show", show(&view, style(100, true), false));
    insta::assert_snapshot!("debate_markdown", markdown(&view));
    insta::assert_snapshot!("debate_html", html(&view).replace(synod_report::STYLE, ""));
    assert!(show(&view, style(60, false), false).is_ascii());
}

#[test]
fn answers_stand_under_what_they_answer_and_rooms_are_folded() {
    let page = html(&View::of(&run()));
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} is missing"));
    assert!(place("Not those who sign.") < place("Name one who got away.") && place("I have a") < place("I signed for mine."));
    assert!(page.contains("in-1") && page.contains("in-2"));
    let room = page.split("class=\"exhibit aside\"").nth(1).expect("a room").split("</details>").next().expect("its end");
    assert!(
        room.contains("He is gone by then.")
            && room.contains("Not there yet")
            && room.contains("I am still here.")
            && room.contains("Who is still there when it fails.")
            && !room.contains("evidence on the assumption")
    );
    assert!(page.contains("not found in what was said") && page.contains("said so in c1.1"));
    assert!(!page.contains("raw words"), "what was cleaned is not shown raw beside it");
}

#[test]
fn what_the_answer_tells_is_not_set_beside_it_again() {
    let told = "### Does the loss fall on those who decide?\n\nOpen.\n\n### Who moved\n\n- Ingrid moved: allows a trial\n- Dario stayed: same, better defended\n- Ruth: x";
    let view = View::of(&answered(told));
    let text = terminal(&view, Style::default());
    assert_eq!((text.matches("Does the loss fall").count(), text.matches("Who moved").count()), (1, 1), "{text}");
    let (markdown, page) = (markdown(&view), html(&view));
    let (above, record) = markdown.split_once("## The record").expect("a record");
    assert!(!above.contains("How it was decided") && record.contains("evidence on the assumption"), "the card stays in the record:\n{markdown}");
    let (above, record) = page.split_once("id=\"record\"").expect("a record");
    assert!(!above.contains("evidence on the assumption") && record.contains("evidence on the assumption"));
}

#[test]
fn what_a_speaker_says_beside_the_words_stands_below_them() {
    let mut tape = Tape::new(&runs::header("crux", runs::QUESTION));
    tape.show("aspect 1/show a", "take", said("Who pays", 0, "a", "m1", "Not those who sign.", None, None));
    let reply = said("Who pays", 1, "b", "m2", "Name one who got away.", Some("m1"), None).part("Why this one", "It is the furthest from mine.");
    tape.show("aspect 1/show b", "take", reply);
    let answer = Answer { kind: AnswerKind::Report, text: "One question.".into(), by: vec![0] };
    let view = View::of(&tape.verdict(Verdict { answer: Some(answer), ..runs::verdict("crux", Status::Full) }));
    for page in [show(&view, Style::default(), false), markdown(&view), html(&view)] {
        let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} is missing:\n{page}"));
        assert!(place("Name one who got away.") < place("Why this one") && place("Why this one") < place("It is the furthest from mine."));
    }
}

#[test]
fn a_note_between_statements_does_not_tear_a_conversation_apart() {
    let mut tape = Tape::new(&runs::header("crux", runs::QUESTION));
    let mut speak = |key: &str, exhibit: Exhibit| {
        tape.show(&format!("aspect 1/show {key}"), "take", exhibit);
    };
    speak("a", said("Who pays", 0, "a", "m1", "Not those who sign.", None, None));
    speak("b", said("Who pays", 1, "b", "m2", "I signed for mine.", None, None));
    speak("c", Exhibit::note("Contradiction", "A window saw the two."));
    speak("d", said("Who pays", 1, "d", "m3", "Name one who got away.", Some("m1"), None));
    speak("e", Exhibit::note("Contradiction", "Another window saw them."));
    speak("f", said("Who pays", 0, "f", "m4", "I have a file of them.", Some("m3"), None));
    speak("g", Exhibit::note("Minutes", "They parted over who pays."));
    let answer = Answer { kind: AnswerKind::Report, text: "One question.".into(), by: vec![0] };
    let rows = tape.verdict(Verdict { answer: Some(answer), ..runs::verdict("crux", Status::Full) });
    let page = html(&View::of(&rows));
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} is missing"));
    let order =
        ["Not those who sign.", "Name one who got away.", "I have a file", "I signed for mine.", "A window saw", "Another window", "They parted"];
    let places: Vec<usize> = order.into_iter().map(place).collect();
    assert!(places.is_sorted(), "{places:?}");
    assert!(page.contains("in-1") && page.contains("in-2"));
}
