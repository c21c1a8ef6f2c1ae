//! The flow of a crux debate on a scripted model: how many messages, calls and checks, and what becomes of it when a step fails.

use serde_json::{Value, json};
use std::sync::Arc;
use synod_engine::{CallContext, Called, Changes, Order, Typed};
use synod_testkit::counted::Counted;
use synod_testkit::rig::{Rig, stopped, verdict};
use synod_testkit::tripwire::{Act, Moment, Tripwire};
use synod_testkit::voices::Voices;
use synod_types::*;

const NAMES: [&str; 3] = ["Ingrid Solheim", "Dario Menezes", "Ruth Nakamba"];

/// What differs from a debate in which everybody speaks, answers their neighbour and nobody contradicts anybody.
#[derive(Clone, Copy, Default)]
struct Script {
    /// The aspect in which two contradict each other.
    contradiction: Option<u32>,
    /// The turn after which the crux has surfaced.
    surfaces: Option<u32>,
    /// Turns whose key contains one of these fail.
    fails: &'static [&'static str],
    /// Nobody answers anybody.
    deaf: bool,
    /// Uses two phrases of its own that it never uses, in turns whose key contains this.
    slips: Option<&'static str>,
    /// Everybody names everybody in whatever they say.
    names: bool,
}

fn prompt_of(key: &str) -> &str {
    key.rsplit('/').next().and_then(|last| last.split('@').next()).unwrap_or_default()
}

fn reply(script: Script, context: &CallContext) -> Option<Result<Reply, Failure>> {
    let key = context.key.as_str();
    if script.fails.iter().any(|part| key.contains(part)) {
        return Some(Err(Failure::new(FailureKind::Server, "the provider is down")));
    }
    let said = |value: Value| Some(Ok(Reply::text(value.to_string())));
    let mut aloud = format!("What I say in {} is long enough to stand.", key.replace(['/', '@'], " "));
    if script.names {
        aloud.push_str(" Ingrid Solheim and MENEZES heard it, and so did Dario and Solheim.");
    }
    match prompt_of(key) {
        "react" => {
            let seat = seat_of(key)? as usize;
            let to = if script.deaf { Value::Null } else { json!(NAMES[(seat + 1) % 3].split(' ').next_back()) };
            said(json!({"reasons": "so", "replying_to": to, "utterance": aloud}))
        }
        "detect" => {
            let found = script.contradiction.is_some_and(|aspect| key.starts_with(&format!("aspect {aspect}/")));
            said(json!({
                "reasons": "so", "has_direct_opposition": found, "has_specific_claim": true, "topic_relevant": true,
                "personas": ["Ingrid", "Menezes"], "topic": "Does the loss fall on those who decide?", "short_label": "who pays",
            }))
        }
        "check" => said(json!({"reasons": "so", "crux_surfaced": script.surfaces.is_some_and(|turn| key.contains(&format!("turn {turn}/")))})),
        "opening" | "take" | "reply" | "position" | "exchange" | "closing" => {
            let slip = script.slips.is_some_and(|part| key.contains(part) && !key.contains("again"));
            Some(Ok(Reply::text(if slip { format!("{aloud} It is a game changer and guaranteed.") } else { aloud })))
        }
        // The rest may say what the voices say.
        _ => None,
    }
}

fn rig(script: Script) -> Rig {
    Rig::new(Arc::new(Voices::default().scripted(move |_, _, context| reply(script, context))))
}

fn order(options: &[(&str, &str)]) -> Order {
    let mut given = vec![("personas", "actuary,founder,nurse")];
    given.extend(options);
    Order {
        mode: "crux".into(),
        question: Question { text: "Is Bitcoin a good investment?".into(), ..Question::default() },
        called: Called { models: vec!["m0".into()], ..Called::default() },
        options: given.into_iter().map(|(name, value)| (name.to_owned(), Typed::Text(value.to_owned()))).collect(),
        seed: Some(4),
        ..Order::default()
    }
}

struct Flow {
    verdict: Verdict,
    rows: Vec<Row>,
}

impl Flow {
    async fn of(script: Script, options: &[(&str, &str)]) -> Self {
        let rig = rig(script);
        let (run, ending) = rig.run(&order(options)).await;
        Self { verdict: verdict(ending), rows: rig.rows(&run).await }
    }
    fn shown(&self, stages: &[&str]) -> usize {
        let of = |row: &&Row| matches!(row.body(), Ok(Body::Shown(shown)) if stages.contains(&shown.stage.as_str()));
        self.rows.iter().filter(of).count()
    }
    /// What is stored with everything shown at a stage.
    fn data(&self, stage: &str) -> Vec<Value> {
        let of = |row: &Row| match row.body() {
            Ok(Body::Shown(shown)) if shown.stage == stage => shown.exhibit.data,
            _ => None,
        };
        self.rows.iter().filter_map(of).collect()
    }
    fn messages(&self) -> usize {
        self.shown(&["opening", "take", "closing"])
    }
    fn calls(&self) -> u32 {
        self.verdict.receipt.calls.planned
    }
    fn cruxes(&self) -> &[Value] {
        self.verdict.decision.as_ref().and_then(|decision| decision["cruxes"].as_array()).map(Vec::as_slice).unwrap_or_default()
    }
}

#[tokio::test]
async fn a_debate_without_a_contradiction_has_its_messages_and_calls_and_no_room() {
    let all = Flow::of(Script::default(), &[]).await;
    assert_eq!((all.messages(), all.calls(), all.cruxes().len()), (33, 42, 0));
    assert_eq!((all.verdict.status, all.verdict.receipt.calls.extra), (Status::Full, 0));
    let deaf = Flow::of(Script { deaf: true, ..Script::default() }, &[]).await;
    assert_eq!((deaf.messages(), deaf.calls()), (3 + 3 * 6 + 3, 1 + 3 + 3 * (6 + 2) + 3 + 2), "nobody answered, nobody answers back");
}

#[tokio::test]
async fn a_room_adds_its_positions_turns_checks_and_card() {
    let flow = Flow::of(Script { contradiction: Some(2), surfaces: Some(5), ..Script::default() }, &[]).await;
    assert_eq!((flow.shown(&["crux_message"]), flow.shown(&["exit_check"]), flow.shown(&["crux_card"])), (2 + 6, 2, 1));
    assert_eq!((flow.messages(), flow.calls(), flow.cruxes().len()), (33, 54, 1));
    assert_eq!(flow.verdict.status, Status::Full);
    let card = &flow.data("crux_card")[0];
    assert!(card["coreDisagreement"].as_str().is_some_and(|core| !core.is_empty()), "{card}");
    assert!(["evidence", "values", "definition"].iter().any(|kind| card["convergenceType"] == *kind), "{card}");
    assert!(card["personas"]["actuary"]["name"] == NAMES[0] && card["personas"]["founder"]["name"] == NAMES[1], "{card}");
    assert_eq!(flow.data("disagreement")[1]["personas"], json!(["actuary", "founder"]));
}

#[tokio::test]
async fn a_room_that_never_surfaces_runs_to_its_bound() {
    let flow = Flow::of(Script { contradiction: Some(1), ..Script::default() }, &[]).await;
    assert_eq!((flow.shown(&["crux_message"]), flow.shown(&["exit_check"])), (2 + 14, 5), "no check after the last turn");
    assert_eq!(flow.calls(), 42 + 2 + 14 + 5 + 1 + 1);
    let short = Flow::of(Script { contradiction: Some(1), ..Script::default() }, &[("room_turns", "4")]).await;
    assert_eq!((short.shown(&["crux_message"]), short.shown(&["exit_check"])), (2 + 4, 0));
    let none = Flow::of(Script { contradiction: Some(1), ..Script::default() }, &[("rooms", "0")]).await;
    assert_eq!((none.shown(&["crux_room"]), none.calls()), (0, 42));
}

#[tokio::test]
async fn options_bound_the_debate() {
    let flow = Flow::of(Script::default(), &[("aspects", "1"), ("minirounds", "1")]).await;
    assert_eq!((flow.messages(), flow.calls()), (3 + 3 + 3, 1 + 3 + (3 + 2) + 3 + 2));
    let flow = Flow::of(Script::default(), &[("aspects", "1"), ("minirounds", "4")]).await;
    assert_eq!((flow.messages(), flow.calls()), (3 + 12 + 3, 1 + 3 + (12 + 2) + 3 + 2));
}

#[tokio::test]
async fn windows_slide_over_the_debate_and_open_a_room_for_a_pair_seen_twice() {
    let found = Script { contradiction: Some(1), surfaces: Some(3), ..Script::default() };
    let sliding = Flow::of(found, &[("detection", "sliding")]).await;
    // 3 openings and 9 takes in the first aspect: one window at 10 messages. The next one, at 15, is in the second aspect and sees nothing.
    assert_eq!((sliding.shown(&["crux_room"]), sliding.shown(&["disagreement"])), (0, (30 - 10) / 5 + 1));
    // In the second aspect two windows see the pair, at 15 and at 20 messages.
    let second = Flow::of(Script { contradiction: Some(2), ..found }, &[("detection", "sliding")]).await;
    assert_eq!((second.shown(&["crux_room"]), second.cruxes().len()), (1, 1));
    // That window covers m11 to m20; the pair are seats 0 and 1 of three who speak in turn.
    let caused = json!(["m11", "m13", "m14", "m16", "m17", "m19", "m20"]);
    assert_eq!((&second.data("crux_room")[0]["sourceMessages"], &second.data("crux_card")[0]["sourceMessages"]), (&caused, &caused));
    let both = Flow::of(found, &[("detection", "both")]).await;
    assert_eq!((both.shown(&["crux_room"]), both.shown(&["disagreement"])), (1, (30 - 10) / 5 + 1 + 3));
    assert_eq!(both.verdict.status, Status::Full);
}

#[tokio::test]
async fn every_failure_ends_in_a_verdict() {
    let room = Script { contradiction: Some(1), surfaces: Some(3), ..Script::default() };
    let card = Flow::of(Script { fails: &["/card@"], ..room }, &[]).await;
    assert_eq!((card.cruxes().len(), card.shown(&["crux_card"]), card.messages()), (1, 1, 33), "a fallback card, and the debate goes on");
    assert!(card.verdict.status == Status::Degraded && card.cruxes()[0]["positions"][0]["position"] == "NUANCED");

    let silent = Flow::of(Script { fails: &["/position@", "/exchange@"], ..room }, &[]).await;
    assert_eq!((silent.shown(&["crux_message", "convergence"]), silent.cruxes().len()), (0, 1));

    let record = Flow::of(Script { fails: &["report@"], ..Script::default() }, &[]).await;
    let answer = record.verdict.answer.expect("an answer is made of the last words");
    assert_eq!((record.verdict.status, answer.kind), (Status::Degraded, AnswerKind::Computed));

    let whole = Flow::of(Script { fails: &["decompose@"], ..Script::default() }, &[]).await;
    assert_eq!((whole.shown(&["aspects"]), whole.messages()), (1, 3 + 9 + 3), "one aspect, the topic itself");

    let mute = Flow::of(Script { fails: &["@2"], ..room }, &[]).await;
    assert_eq!((mute.verdict.status, mute.messages()), (Status::Degraded, 2 + 3 * 6 - 3 + 2), "the third is absent and nobody answers for them");
    assert!(mute.verdict.missing.iter().all(|missing| missing.who.contains("Ruth")));

    for fails in
        [&["detect@"][..], &["check@"], &["converge@"], &["summary@"], &["shifts@"], &["closing@"], &["take@"], &["react@"], &["reply@"], &["/room/"]]
    {
        let flow = Flow::of(Script { fails, ..room }, &[]).await;
        assert_eq!(flow.verdict.status, Status::Degraded, "{fails:?}");
        assert!(flow.verdict.answer.is_some(), "{fails:?}");
    }
    let alone = Flow::of(Script { fails: &["opening@1", "opening@2"], ..Script::default() }, &[]).await;
    assert_eq!(alone.verdict.status, Status::NoQuorum);
}

#[tokio::test]
async fn forbidden_phrases_are_said_again_once_and_counted_apart() {
    let flow = Flow::of(Script { slips: Some("opening@0"), ..Script::default() }, &[]).await;
    let calls = flow.verdict.receipt.calls;
    assert_eq!((calls.planned, calls.extra, flow.verdict.status), (42, 1, Status::Full));
    let first = &flow.data("opening")[0];
    assert!(first["forbiddenPhrases"] == json!([]) && !first["content"].as_str().unwrap_or_default().contains("guaranteed"), "{first}");

    let worse = Flow::of(Script { slips: Some("opening@0"), fails: &["again/"], ..Script::default() }, &[]).await;
    assert_eq!((worse.verdict.status, worse.messages(), worse.verdict.missing.len()), (Status::Full, 33, 0), "the first words stand");
    assert_eq!(worse.data("opening")[0]["forbiddenPhrases"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn in_an_anonymous_room_nobody_is_named() {
    let script = Script { contradiction: Some(1), surfaces: Some(3), names: true, ..Script::default() };
    let counted = Arc::new(Counted::new(rig(script).models));
    let rig = Rig::new(counted.clone());
    let (_, ending) = rig.run(&order(&[("anonymise_room", "true")])).await;
    let verdict = verdict(ending);
    for (key, request) in counted.requests().into_iter().filter(|(key, _)| key.contains("/room/")) {
        let asked = request.messages.iter().map(|message| message.text().to_lowercase()).collect::<Vec<_>>().join("\n");
        // Everybody knows their own name; whoever listens or writes the card knows neither.
        let own = if ["position", "exchange"].contains(&prompt_of(&key)) { seat_of(&key) } else { None };
        for name in (0..2).filter(|seat| Some(*seat) != own).flat_map(|seat| NAMES[seat as usize].split(' ')) {
            assert!(!asked.contains(&name.to_lowercase()), "{key} names {name}: {asked}");
        }
    }
    let decision = verdict.decision.expect("a decision");
    assert_eq!(decision["cruxes"][0]["positions"][0]["persona"], "Ingrid Solheim", "the card knows who they were");
}

#[tokio::test]
async fn a_room_broken_off_goes_on_where_it_was() {
    let script = Script { contradiction: Some(1), surfaces: Some(5), ..Script::default() };
    let calm = Flow::of(script, &[]).await;
    let inside: Vec<u64> = calm.rows.iter().filter(|row| row.key.contains("/room/")).map(|row| row.seq as u64).collect();
    for row in inside.iter().step_by(7) {
        let rig = rig(script);
        let wire = Arc::new(Tripwire::new(rig.journal.clone(), *row, Moment::After, Act::Refuse));
        let (run, ending) = rig.clone().journal(wire).run(&order(&[])).await;
        stopped(ending);
        let counted = Arc::new(Counted::new(rig.models.clone()));
        let resumed = verdict(rig.clone().models(counted.clone()).resume(&run, Changes::default()).await);
        assert_eq!(resumed.essence(), calm.verdict.essence(), "stopped after row {row}");
        let said: Vec<&String> =
            calm.rows.iter().filter(|known| known.kind == Kind::Said && known.seq as u64 <= *row).map(|known| &known.key).collect();
        let again: Vec<String> = counted.calls().into_keys().filter(|key| said.contains(&key)).collect();
        assert!(!said.is_empty() && again.is_empty(), "row {row}: asked again: {again:?}");
    }
}

#[tokio::test]
async fn every_rehearsal_comes_to_a_card_about_the_two_it_names() {
    for seed in 1..=30 {
        let rig = Rig::new(Arc::new(Voices::default()));
        let mut order = order(&[("deck", "markets"), ("aspects", "1")]);
        order.options.retain(|(name, _)| name != "personas");
        order.seed = Some(seed);
        let (run, ending) = rig.run(&order).await;
        let flow = Flow { verdict: verdict(ending), rows: rig.rows(&run).await };
        assert_eq!(flow.cruxes().len(), 1, "seed {seed}");
        for (_, position) in flow.data("crux_card")[0]["personas"].as_object().expect("two positions") {
            assert!(position["reasoning"].as_str().is_some_and(|text| !text.is_empty()), "seed {seed}: {position}");
        }
        let shifts = &flow.data("shifts")[0]["shifts"];
        assert!(
            shifts.as_array().is_some_and(|all| all.len() == 4 && all.iter().all(|each| each["summary"] != "not assessed")),
            "seed {seed}: {shifts}"
        );
    }
}
