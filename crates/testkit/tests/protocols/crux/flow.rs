//! The flow of a crux debate on a scripted server: how many messages, calls and checks, and what becomes of it when a step fails.

use super::*;

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
    let flow = Flow::of(Script { contradictions: &[2], surfaces: Some(5), ..Script::default() }, &[]).await;
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
    let flow = Flow::of(Script { contradictions: &[1], ..Script::default() }, &[]).await;
    assert_eq!((flow.shown(&["crux_message"]), flow.shown(&["exit_check"])), (2 + 14, 5), "no check after the last turn");
    assert_eq!(flow.calls(), 42 + 2 + 14 + 5 + 1 + 1);
    let short = Flow::of(Script { contradictions: &[1], ..Script::default() }, &[("room_turns", "4")]).await;
    assert_eq!((short.shown(&["crux_message"]), short.shown(&["exit_check"])), (2 + 4, 0));
    let none = Flow::of(Script { contradictions: &[1], ..Script::default() }, &[("rooms", "0")]).await;
    assert_eq!((none.shown(&["crux_room"]), none.calls()), (0, 42));
    assert!(none.answer().contains("no room was held for it: Does the loss fall") && none.data("disagreement")[0]["spawn"] == false);
    let most = Flow::of(Script { contradictions: &[1, 2, 3], ..Script::default() }, &[]).await;
    assert_eq!(most.calls(), 11 * 3 + 78, "the declared maximum");
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
    let found = Script { contradictions: &[1], surfaces: Some(3), ..Script::default() };
    let sliding = Flow::of(found, &[("detection", "sliding")]).await;
    // 3 openings and 9 takes in the first aspect: one window at 10 messages. The next one, at 15, is in the second aspect and sees nothing.
    assert_eq!((sliding.shown(&["crux_room"]), sliding.shown(&["disagreement"])), (0, (30 - 10) / 5 + 1));
    // In the second aspect two windows see the pair, at 15 and at 20 messages.
    let second = Flow::of(Script { contradictions: &[2], ..found }, &[("detection", "sliding")]).await;
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
    let room = Script { contradictions: &[1], surfaces: Some(3), ..Script::default() };
    let card = Flow::of(Script { fails: &["card@"], ..room }, &[]).await;
    assert_eq!((card.cruxes().len(), card.shown(&["crux_card"]), card.messages()), (1, 1, 33), "a fallback card, and the debate goes on");
    assert!(card.verdict.status == Status::Degraded && card.cruxes()[0]["positions"][0]["position"] == "NUANCED");

    let silent = Flow::of(Script { fails: &["position@", "exchange@"], ..room }, &[]).await;
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
        [&["detect@"][..], &["check@"], &["converge@"], &["summary@"], &["shifts@"], &["closing@"], &["take@"], &["react@"], &["reply@"], &["room/"]]
    {
        let flow = Flow::of(Script { fails, ..room }, &[]).await;
        assert_eq!(flow.verdict.status, Status::Degraded, "{fails:?}");
        assert!(flow.verdict.answer.is_some(), "{fails:?}");
        match fails[0] {
            "detect@" => assert!(flow.answer().contains("nobody could look into it"), "{}", flow.answer()),
            "check@" => assert_eq!(flow.shown(&["crux_message"]), 2 + 14, "a check that fails ends nothing"),
            "take@" => assert_eq!(flow.shown(&["round_summary"]), 0, "no minutes of a round in which nobody spoke"),
            _ => {}
        }
    }
    let alone = Flow::of(Script { fails: &["opening@1", "opening@2"], ..Script::default() }, &[]).await;
    assert_eq!(alone.verdict.status, Status::NoQuorum);
}

#[tokio::test]
async fn whoever_is_asked_and_gives_nothing_has_a_row_that_says_why() {
    let room = Script { contradictions: &[1], surfaces: Some(5), ..Script::default() };
    let (clerk, moderator) = (Some(4), Some(3));
    let persona = |seat: SeatIx| (Some(seat), "This persona broke on the provider's side.".to_owned());
    let told = |seat, role: &str| (seat, format!("This {role} broke on the provider's side."));
    for (fails, stage, want) in [
        (&["decompose@"][..], "aspects", vec![told(clerk, "clerk")]),
        (&["opening@1"], "opening", vec![persona(1)]),
        (&["take@2"], "take", vec![persona(2); 3]),
        (&["react@0"], "take", vec![persona(0); 3]),
        (&["reply@0"], "take", vec![persona(0); 3]),
        (&["closing@0", "closing@2"], "closing", vec![persona(0), persona(2)]),
        (&["detect@"], "disagreement", vec![told(clerk, "clerk"); 3]),
        (&["position@1"], "crux_message", vec![persona(1)]),
        (&["check@"], "exit_check", vec![told(clerk, "clerk"); 5]),
        (&["converge@"], "convergence", vec![told(clerk, "clerk")]),
        (&["card@"], "crux_card", vec![told(moderator, "moderator"), told(clerk, "moderator")]),
        (&["summary@"], "round_summary", vec![told(clerk, "clerk"); 3]),
        (&["shifts@"], "shifts", vec![told(clerk, "clerk")]),
        (&["report@"], "debate_summary", vec![told(moderator, "moderator"), told(clerk, "moderator")]),
    ] {
        let flow = Flow::of(Script { fails, ..room }, &[]).await;
        assert_eq!(flow.absent(stage), want, "{fails:?}");
        assert!(flow.exhibits(stage).iter().all(|exhibit| exhibit.seat.is_none() || exhibit.turn.is_some()), "{fails:?}: a row of no turn");
    }
    let stock = Flow::of(Script { take: Some("That's a great point."), ..Script::default() }, &[("aspects", "1"), ("minirounds", "1")]).await;
    let silent = |seat: SeatIx| (Some(seat), "This persona said nothing but stock phrases.".to_owned());
    assert_eq!((stock.absent("take"), stock.shown(&["take"])), (vec![silent(0), silent(1), silent(2)], 0));
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
async fn a_room_keeps_both_positions_in_view_and_little_else() {
    let flow = Flow::of(Script { contradictions: &[1], deaf: true, ..Script::default() }, &[]).await;
    // Nobody was answered, so the latest take of each is the reaction.
    let sources = json!(["m7", "m8"]);
    assert_eq!((&flow.data("crux_room")[0]["sourceMessages"], flow.data("crux_card")[0]["sourceMessages"].clone()), (&sources, sources.clone()));
    let detected = flow.tasks("detect")[0];
    assert!(detected.matches("has to give as react on aspect 1").count() == 3 && !detected.contains("give as take"), "{detected}");
    let turns = flow.tasks("exchange");
    assert_eq!(turns.len(), 14);
    let statements = |task: &str| task.matches("<statement").count();
    // Two takes from before, the last four, and the one to answer.
    assert_eq!((statements(turns[0]), statements(turns[13])), (2 + 2 + 1, 2 + 4 + 1));
    assert!(turns[0].contains("Began:") && !turns[0].contains("Now:") && turns[13].matches("Now:").count() == 2, "{}", turns[13]);
    let late: Vec<bool> = turns.iter().map(|task| task.contains("in its strongest form")).collect();
    assert_eq!(late, [vec![false; 4], vec![true; 10]].concat());
    assert!(flow.tasks("check").iter().all(|task| statements(task) == 6));
}

#[tokio::test]
async fn a_room_in_which_somebody_is_silent_goes_on_or_says_so() {
    let room = Script { contradictions: &[1], ..Script::default() };
    let half = Flow::of(Script { fails: &["position@1"], ..room }, &[]).await;
    // The first has nobody to answer in turn 0; from then on they alternate.
    assert_eq!((half.shown(&["crux_message"]), half.cruxes().len(), half.verdict.status), (1 + 13, 1, Status::Degraded));
    let mute = Flow::of(Script { fails: &["exchange@"], ..room }, &[]).await;
    assert_eq!(
        (mute.shown(&["crux_message", "convergence"]), mute.shown(&["crux_card"]), mute.tasks("card").len()),
        (2, 1, 0),
        "too little for a card"
    );
    assert_eq!(mute.data("crux_card")[0]["fallback"], true);
}

#[tokio::test]
async fn a_split_is_trimmed_taken_as_it_is_or_done_without() {
    for (given, held) in [(4, 3), (2, 2), (0, 1)] {
        let flow = Flow::of(Script { splits: Some(given), ..Script::default() }, &[]).await;
        let aspects = flow.data("aspects")[0]["aspects"].as_array().map(Vec::len);
        assert_eq!((aspects, flow.messages(), flow.verdict.status), (Some(held), 3 + 9 * held + 3, Status::Full), "{given} sub-questions");
    }
}

#[tokio::test]
async fn whoever_is_forgotten_is_not_assessed_and_whoever_is_made_up_is_dropped() {
    let flow = Flow::of(Script { forgets: true, ..Script::default() }, &[]).await;
    let shifts: Vec<(Value, Value)> = flow.data("shifts")[0]["shifts"]
        .as_array()
        .expect("shifts")
        .iter()
        .map(|each| (each["personaId"].clone(), json!([each["shifted"], each["summary"]])))
        .collect();
    let moved = json!([true, "gave way"]);
    assert_eq!(shifts, [(json!("actuary"), moved.clone()), (json!("founder"), moved), (json!("nurse"), json!([false, "not assessed"]))]);
    let failed = Flow::of(Script { fails: &["shifts@"], ..Script::default() }, &[]).await;
    assert_eq!(failed.verdict.decision.as_ref().map(|decision| &decision["shifts"]), Some(&json!([])));
    let few = Flow::of(Script { fails: &["@2", "take@", "closing@"], ..Script::default() }, &[("aspects", "1"), ("minirounds", "1")]).await;
    assert_eq!((few.messages(), few.tasks("report").len(), few.tasks("shifts").len()), (2, 0, 0), "too little for a record");
}

#[tokio::test]
async fn what_a_card_settles_is_open_no_more() {
    let open = Script { contradictions: &[1], surfaces: Some(3), ..Script::default() };
    for (script, left) in
        [(open, true), (Script { settles: Some(["YES", "YES"]), ..open }, false), (Script { settles: Some(["YES", "NO"]), ..open }, true)]
    {
        let flow = Flow::of(script, &[]).await;
        assert!(
            flow.tasks("closing").iter().all(|task| task.contains("Open: Ingrid Solheim vs Dario Menezes") == left),
            "{:?}",
            flow.tasks("closing")
        );
        assert!(flow.tasks("closing").iter().all(|task| task.contains(if left { "(unresolved)" } else { "(resolved)" })));
    }
}

#[tokio::test]
async fn in_an_anonymous_room_nobody_is_named() {
    let (rig, server) = rig(Script { contradictions: &[1], surfaces: Some(3), names: true, ..Script::default() }).await;
    let (run, ending) = rig.run(&order(&[("anonymise_room", "true")])).await;
    let verdict = verdict(ending);
    let asked = server.requests();
    let inside: Vec<(Heard, String)> =
        asked.iter().map(|ask| (Heard::new(ask), ask.text().to_lowercase())).filter(|(heard, _)| heard.name().starts_with("room/")).collect();
    assert_eq!(inside.len(), 2 + 4 + 1 + 1 + 1, "positions, turns, a check, the core and the card");
    for (heard, text) in inside {
        // Everybody knows their own name; whoever listens or writes the card knows neither.
        for name in (0..2).filter(|seat| Some(*seat) != heard.seat).flat_map(|seat| NAMES[seat].split(' ')) {
            assert!(!text.contains(&name.to_lowercase()), "{} names {name}: {text}", heard.name());
        }
    }
    let shown = rig.rows(&run).await;
    let told = shown.iter().filter(|row| row.key.contains("/room/") && row.kind == Kind::Shown).any(|row| row.body.contains("Speaker "));
    assert!(!told, "readers get names");
    let decision = verdict.decision.expect("a decision");
    assert_eq!(decision["cruxes"][0]["positions"][0]["persona"], "Ingrid Solheim", "the card knows who they were");
}

#[tokio::test]
async fn a_room_broken_off_goes_on_where_it_was() {
    let script = Script { contradictions: &[1], surfaces: Some(5), ..Script::default() };
    let calm = Flow::of(script, &[]).await;
    let inside: Vec<u64> = calm.rows.iter().filter(|row| row.key.contains("/room/")).map(|row| row.seq as u64).collect();
    for stop in inside.iter().step_by(7) {
        let (rig, _server) = rig(script).await;
        let wire = Arc::new(Tripwire::new(rig.journal.clone(), *stop, Moment::After, Act::Refuse));
        let (run, ending) = rig.clone().journal(wire).run(&order(&[])).await;
        stopped(ending);
        let resumed = verdict(rig.resume(&run, LimitChanges::default()).await);
        assert_eq!(resumed.essence(), calm.verdict.essence(), "stopped after row {stop}");
        assert_eq!(asked_after_reply(&rig.rows(&run).await), Vec::<String>::new(), "stopped after row {stop}");
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
        let flow = Flow { verdict: verdict(ending), rows: rig.rows(&run).await, asked: Vec::new() };
        assert_eq!(flow.cruxes().len(), 1, "seed {seed}");
        for (_, position) in flow.data("crux_card")[0]["personas"].as_object().expect("two positions") {
            assert!(position["reasoning"].as_str().is_some_and(|text| !text.is_empty()), "seed {seed}: {position}");
            let quotes = position["groundingQuotes"].as_array().expect("quotes");
            assert!(quotes.iter().all(|quote| quote["foundIn"].is_string()), "seed {seed}: nobody is given another's words: {position}");
        }
        let shifts = &flow.data("shifts")[0]["shifts"];
        assert!(
            shifts.as_array().is_some_and(|all| all.len() == 4 && all.iter().all(|each| each["summary"] != "not assessed")),
            "seed {seed}: {shifts}"
        );
    }
}
