//! What a card, a room and the record may say, and what a reader sees of them.

use super::*;
use synod_report::{Style, View};

const ROOM: Script = Script {
    contradictions: &[1],
    surfaces: Some(3),
    fails: &[],
    deaf: false,
    slips: None,
    names: false,
    splits: None,
    forgets: false,
    settles: None,
    one_question: false,
    statement: None,
    take: None,
};

/// What is printed when the run ends, and its long form, markdown and page.
fn pages(flow: &Flow) -> [String; 4] {
    let view = View::of(&flow.rows);
    let wide = Style { width: 100_000, colour: false, unicode: true };
    [synod_report::terminal(&view, wide), synod_report::show(&view, wide, false), synod_report::markdown(&view), synod_report::html(&view)]
}

#[tokio::test]
async fn a_card_called_resolved_with_yes_against_no_stays_open() {
    let flow = Flow::of(Script { settles: Some(["YES", "NO"]), ..ROOM }, &[]).await;
    let (crux, card) = (&flow.cruxes()[0], &flow.data("crux_card")[0]);
    assert_eq!((&crux["resolved"], &crux["resolution"]), (&json!(false), &Value::Null), "{crux}");
    assert_eq!(
        (&card["resolved"], &card["proposedResolution"]),
        (&json!(false), &json!("Within a year it does.")),
        "what was put forward is kept: {card}"
    );
    assert!(flow.answer().starts_with("The disagreement comes down to one question, and it stays open."), "{}", flow.answer());
    let terminal = &pages(&flow)[0];
    assert!(terminal.contains("Open. They differ over") && !terminal.contains("They settled on"), "{terminal}");
    assert!(terminal.contains("Put forward as a settlement, not shared by both: Within a year it does."), "{terminal}");

    // That it depends, they both say; on what, they do not agree.
    let apart =
        Flow::of(Script { settles: Some(["NUANCED|Yes while rates stay low.", "NUANCED|No before those who pay are asked."]), ..ROOM }, &[]).await;
    assert_eq!((&apart.cruxes()[0]["resolved"], &apart.cruxes()[0]["proposed"]), (&json!(false), &json!("Within a year it does.")));
    assert_eq!(apart.cruxes()[0]["positions"][1]["condition"], "No before those who pay are asked.");
    assert!(apart.answer().contains("NUANCED.** Yes while rates stay low. so"), "a reader sees on what: {}", apart.answer());
    let nuanced = Flow::of(Script { settles: Some(["NUANCED|Yes while rates stay low."; 2]), ..ROOM }, &[]).await;
    assert_eq!(nuanced.cruxes()[0]["resolved"], true);

    let agreed = Flow::of(Script { settles: Some(["YES", "YES"]), ..ROOM }, &[]).await;
    assert_eq!((&agreed.cruxes()[0]["resolved"], &agreed.cruxes()[0]["resolution"]), (&json!(true), &json!("Within a year it does.")));
    assert!(agreed.answer().contains("They settled on: Within a year it does."), "{}", agreed.answer());
    assert_eq!(agreed.data("crux_room_complete")[0]["resolved"], true);
}

#[tokio::test]
async fn a_falsifier_nobody_gave_is_said_to_be_missing() {
    let flow = Flow::of(Script { statement: Some(QUESTION), ..ROOM }, &[]).await;
    let asked = flow.tasks("position")[0];
    assert!(asked.contains("what you would have to see to give it up"), "{asked}");
    let positions = &flow.cruxes()[0]["positions"];
    assert_eq!((&positions[0]["falsifier"], &positions[1]["falsifier"]), (&json!("a figure"), &Value::Null));
    let form = flow.asked.iter().find_map(|ask| ask.schema.as_ref().filter(|schema| schema["properties"].get("crux_statement").is_some()));
    let falsifier = &form.expect("the card's form")["properties"]["positions"]["items"]["properties"]["falsifier"];
    assert!(
        falsifier["type"].as_array().is_some_and(|types| types.contains(&json!("null"))),
        "that none was named can be said in the form: {falsifier}"
    );
    assert!(flow.answer().contains("Would be proved wrong by: a figure") && flow.answer().contains("Named nothing that would prove them wrong."));
    for page in &pages(&flow)[1..] {
        assert!(page.contains("none given"), "{page}");
    }
}

#[tokio::test]
async fn what_is_said_inside_a_sentence_is_left_as_it_was_said() {
    const SAID: &str = "Regulating it as an AI product is a mistake.";
    let flow = Flow::of(Script { take: Some(SAID), ..Script::default() }, &[("aspects", "1"), ("minirounds", "1")]).await;
    let takes = flow.data("take");
    assert_eq!(takes.len(), 3);
    assert!(takes.iter().all(|take| take["content"] == SAID && take["stockPhrasesRemoved"] == json!([])), "{takes:?}");
    assert!(pages(&flow)[1..].iter().all(|page| page.contains(SAID)));
    let terse = Flow::of(Script { take: Some("In summary, no."), ..Script::default() }, &[("aspects", "1"), ("minirounds", "1")]).await;
    assert!(terse.data("take").iter().all(|take| take["content"] == "No." && take["stockPhrasesRemoved"] == json!(["summing up"])));
    assert_eq!(terse.verdict.status, Status::Full, "a short answer is an answer");
}

#[tokio::test]
async fn one_question_gets_one_room() {
    let flow = Flow::of(Script { contradictions: &[1, 2, 3], one_question: true, ..ROOM }, &[]).await;
    assert_eq!((flow.shown(&["crux_room"]), flow.cruxes().len()), (1, 1));
    let spawned: Vec<Value> = flow.data("disagreement").iter().map(|row| row["spawn"].clone()).collect();
    assert_eq!(spawned, [json!(true), json!(false), json!(false)]);
    let told: Vec<bool> = flow.tasks("detect").iter().map(|task| task.contains("gone into already") && task.contains(QUESTION)).collect();
    assert_eq!(told, [false, true, true], "the detector is told what has had its room");
    assert!(pages(&flow)[1].contains("on a question that has had its room"), "and so is the reader");
    assert!(!flow.answer().contains("not gone into"), "{}", flow.answer());

    let several = Flow::of(Script { contradictions: &[1, 2, 3], ..ROOM }, &[("rooms", "1")]).await;
    assert!(
        several.answer().contains(&format!("Contradicted as well, and not gone into: {} {}", QUESTIONS[1], QUESTIONS[2])),
        "{}",
        several.answer()
    );
}

#[tokio::test]
async fn no_two_cards_are_on_one_question() {
    // Whoever writes the cards puts the same question on each.
    let flow = Flow::of(Script { contradictions: &[1, 2], statement: Some("Would they sign it again?"), ..ROOM }, &[]).await;
    let questions: Vec<&str> = flow.cruxes().iter().filter_map(|crux| crux["question"].as_str()).collect();
    assert_eq!(questions, ["Would they sign it again?", QUESTIONS[1]], "the second card falls back to what its room was opened for");
    assert_eq!((&flow.data("crux_card")[1]["fallback"], flow.verdict.status), (&json!(true), Status::Degraded));
    let asked = flow.tasks("card");
    assert!(!asked[0].contains("On record already") && asked[1].contains("On record already"), "{asked:?}");
}

#[tokio::test]
async fn every_room_says_that_it_is_complete_and_why() {
    let ends = |flow: &Flow| {
        let end = flow.data("crux_room_complete").remove(0);
        (end["status"].clone(), end["endedBy"].clone(), end["messages"].clone(), end["cardId"].clone())
    };
    let card = json!("card-crux-1-actuary-founder");
    for (script, why, messages) in [
        (ROOM, "surfaced", 2 + 4),
        (Script { surfaces: None, ..ROOM }, "turns_used", 2 + 14),
        (Script { fails: &["exchange@"], ..ROOM }, "too_short", 2),
        (Script { fails: &["card@"], ..ROOM }, "surfaced", 2 + 4),
    ] {
        let flow = Flow::of(script, &[]).await;
        assert_eq!(ends(&flow), (json!("complete"), json!(why), json!(messages), card.clone()));
        for page in &pages(&flow)[1..] {
            assert!(page.contains(&format!("Complete after {messages} messages")), "{page}");
        }
    }
}

#[tokio::test]
async fn the_record_is_the_moderators_and_never_signed_by_a_debater() {
    let wrote = |flow: &Flow, prompt: &str| -> Vec<SeatIx> {
        let said = flow.rows.iter().filter(|row| row.kind == Kind::Said && row.key.contains(&format!("{prompt}@")));
        said.filter_map(|row| seat_of(&row.key)).collect()
    };
    // One model for three personas: the moderator has a seat of its own, the clerk another.
    let flow = Flow::of(ROOM, &[]).await;
    assert_eq!((wrote(&flow, "card"), wrote(&flow, "report")), (vec![3], vec![3]));
    assert_eq!(flow.verdict.answer.as_ref().map(|answer| answer.by.clone()), Some(vec![3]));
    assert!(pages(&flow)[0].contains("Report by moderator (m0)"), "{}", pages(&flow)[0]);

    // Where it fails the clerk stands in, and after that nobody.
    let (rig, server) = rig(ROOM).await;
    let failing = std::sync::atomic::AtomicU32::new(0);
    server.reply(ANY, move |ask| {
        let first = Heard::new(ask).prompt == "report" && failing.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0;
        if first { Say::fault(Fault::Status(400, "no".into())) } else { reply(ROOM, ask) }
    });
    let (run, ending) = rig.run(&order(&[])).await;
    let stood_in = Flow { verdict: verdict(ending), rows: rig.rows(&run).await, asked: Vec::new() };
    assert_eq!(wrote(&stood_in, "report"), [4], "the clerk");
    let nobody = Flow::of(Script { fails: &["report@"], ..ROOM }, &[]).await;
    assert_eq!(nobody.verdict.answer.map(|answer| (answer.kind, answer.by)), Some((AnswerKind::Computed, Vec::new())));
}

#[tokio::test]
async fn stances_have_their_reasons_and_evidence_its_ledger() {
    let flow = Flow::of(ROOM, &[]).await;
    for line in [
        "Ingrid Solheim for: she has seen the files",
        "Dario Menezes against: his flat is behind it",
        "Ingrid Solheim accepts: the price list of March Because: it was signed",
        "Ruth Nakamba challenges: the ten good years Because: nobody asked those who left",
        "Dario Menezes: one customer who comes back",
    ] {
        assert!(flow.answer().contains(line), "{line}:\n{}", flow.answer());
        assert!(pages(&flow)[0].contains(line), "{line} in the terminal");
    }
    let closing = flow.tasks("closing")[0];
    assert!(closing.contains("whom you still oppose") && closing.contains("whom you agree with and on what"), "{closing}");
}

#[tokio::test]
async fn each_crux_is_printed_once() {
    let flow = Flow::of(Script { contradictions: &[1, 2, 3], ..ROOM }, &[]).await;
    assert_eq!(flow.cruxes().len(), 3);
    let [terminal, _, markdown, html] = pages(&flow);
    let near = markdown.split("## The record").next().unwrap_or_default();
    let page = html.split("<section id=\"record\"").next().unwrap_or(&html);
    for crux in flow.cruxes() {
        let question = crux["question"].as_str().unwrap_or_default();
        assert_eq!(terminal.matches(question).count(), 1, "{question}:\n{terminal}");
        assert_eq!(near.matches(question).count(), 1, "{question}:\n{near}");
        assert_eq!(page.matches(question).count(), 1, "{question}:\n{page}");
    }
    assert_eq!(terminal.matches("Who moved").count(), 1, "{terminal}");
}
