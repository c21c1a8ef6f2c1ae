//! Tournaments with judges that prefer a place to an answer, fail, or are gone; brackets with byes; round robins.

use crate::scene::{choices, data, fails, play, says};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use synod_engine::RunSpec;
use synod_engine::options::OptionValue;
use synod_modes::MODES;
use synod_testkit::rig::{Rig, order};
use synod_testkit::voices::Voices;
use synod_types::{Failure, FailureKind, Kind, Reply, Request, Status, Verdict};

fn tournament(seed: u64, contestants: usize) -> RunSpec {
    let mut order = order(MODES.iter().find(|mode| mode.id == "tournament").expect("there is a tournament"), seed);
    order.panel.models = (0..contestants).map(|n| format!("m{n}")).collect();
    order
}

type Said = Option<Result<Reply, Failure>>;

fn names(label: &str) -> Said {
    says(json!({"reasons": "r", "winner": label}).to_string())
}

/// Whatever stands first.
fn first_place(request: &Request) -> Said {
    names(&choices(request, "winner")[0])
}

/// The label that sorts first, in whichever order.
fn steady(request: &Request) -> Said {
    names(choices(request, "winner").iter().min().expect("two labels"))
}

fn judging(key: &str) -> bool {
    key.contains("/judge@")
}

fn matches(shown: &[(String, Value)]) -> Vec<&Value> {
    shown.iter().filter(|(name, _)| name.starts_with("round_")).map(|(_, shown)| &shown["data"]).collect()
}

/// Who wrote what, by label.
fn authors(verdict: &Verdict) -> BTreeMap<String, Value> {
    let others = verdict.dissent.iter().map(|other| (json!(other.label).to_string(), json!(other.seat)));
    let winner = verdict.decision.iter().map(|decision| (decision["label"].to_string(), decision["seat"].clone()));
    others.chain(winner).collect()
}

/// No judge of a match wrote one of its answers.
fn assert_fair(shown: &[(String, Value)], verdict: &Verdict) {
    let authors = authors(verdict);
    for one in matches(shown) {
        let wrote = [&one["labelA"], &one["labelB"]].map(|label| authors.get(&label.to_string()));
        for judgement in one["judgements"].as_array().expect("a list") {
            assert!(!wrote.contains(&Some(&judgement["seat"])), "{one}");
        }
    }
}

#[tokio::test]
async fn a_judge_that_prefers_a_place_is_followed_by_one_who_wrote_neither() {
    for contestants in [4, 5, 8] {
        let (verdict, _, shown) = play(&tournament(1, contestants), |model, key, request| {
            judging(key).then(|| if model == "chair" { first_place(request) } else { steady(request) }).flatten()
        })
        .await;
        let games = contestants as u32 - 1;
        assert_eq!((verdict.status, verdict.receipt.calls.planned, verdict.receipt.calls.extra), (Status::Full, contestants as u32 + 4 * games, 0));
        let played = matches(&shown);
        assert!(played.iter().filter(|one| one["isBye"] == json!(false)).all(|one| one["how"] == json!("second_judge")), "{played:?}");
        assert_fair(&shown, &verdict);
        let decision = verdict.decision.as_ref().expect("a decision");
        let labels = data(&shown, "bracket_seed")[0]["contestants"].as_array().expect("a list").clone();
        assert_eq!(decision["label"].as_str(), labels.iter().filter_map(Value::as_str).min(), "the best answer wins through");
        assert_eq!(verdict.confidence.as_ref().and_then(|confidence| confidence.value), Some(0.0), "the judge was never of one mind");
        let authors = authors(&verdict);
        let lost = |one: &&&Value| ["labelA", "labelB"].iter().find(|side| one["winner"] != one[**side]).map(|side| one[*side].to_string());
        let beaten: Vec<&Value> = played.iter().filter(|one| one["round"] == json!(1)).filter_map(|one| authors.get(&lost(&one)?)).collect();
        for one in played.iter().filter(|one| one["round"] == json!(2)) {
            assert!(beaten.contains(&&one["judgements"][1]["seat"]), "the beaten judge before those still in: {one}");
        }
    }
}

#[tokio::test]
async fn where_no_word_holds_the_seed_draws_and_favours_no_place() {
    let mut champions: BTreeSet<String> = BTreeSet::new();
    for seed in 0..12 {
        let script = |_: &str, key: &str, request: &Request| judging(key).then(|| first_place(request)).flatten();
        let (verdict, _, shown) = play(&tournament(seed, 4), script).await;
        let (again, _, _) = play(&tournament(seed, 4), script).await;
        assert_eq!((verdict.status, verdict.essence()), (Status::Full, again.essence()), "a draw is the seed's, not chance");
        assert!(matches(&shown).iter().all(|one| one["how"] == json!("draw") && one["wasDefault"] == json!(true)), "seed {seed}");
        assert_eq!(verdict.warnings.iter().filter(|warning| warning.contains("by lot")).count(), 3, "{:?}", verdict.warnings);
        let decision = verdict.decision.expect("a decision");
        assert_eq!((&decision["matches_won"], &decision["tiebreak"]), (&json!(0), &json!("draw")), "a lot is no win, and says so");
        assert!(decision["summary"].as_str().is_some_and(|summary| summary.contains("by lot")), "{decision}");
        champions.insert(decision["seat"].to_string());
    }
    assert!(champions.len() > 2, "{champions:?}");
}

#[tokio::test]
async fn a_dead_judge_crowns_nobody_and_is_asked_no_more() {
    let (verdict, rows, shown) = play(&tournament(2, 8), |model, key, request| {
        judging(key).then(|| if model == "chair" { fails(FailureKind::Server) } else { steady(request) }).flatten()
    })
    .await;
    assert_eq!(verdict.status, Status::Degraded);
    let labels = data(&shown, "bracket_seed")[0]["contestants"].as_array().expect("a list").clone();
    assert_eq!(verdict.decision.as_ref().and_then(|decision| decision["label"].as_str()), labels.iter().filter_map(Value::as_str).min());
    assert_fair(&shown, &verdict);
    assert!(matches(&shown).iter().all(|one| one["how"] == json!("agreed")));
    let asked: Vec<&str> = rows.iter().filter(|row| row.kind == Kind::Asked && row.key.ends_with("@8")).map(|row| row.key.as_str()).collect();
    assert!(asked.len() == 8 && asked.iter().all(|key| key.starts_with("round 1/")), "{asked:?}");
    assert!(verdict.receipt.calls.extra == 14, "{:?}", verdict.receipt.calls);
    assert!(verdict.warnings.iter().any(|warning| warning.contains("chair failed in round 1, match 0")), "{:?}", verdict.warnings);
}

#[tokio::test]
async fn a_final_nobody_judged_crowns_nobody_and_the_answers_are_kept() {
    // Everybody fails in the second round, which is the final of four.
    let (verdict, _, shown) = play(&tournament(2, 4), |_, key, request| match (judging(key), key.starts_with("round 2/")) {
        (true, true) => fails(FailureKind::Timeout),
        (true, false) => steady(request),
        (false, _) => None,
    })
    .await;
    assert_eq!((verdict.status, verdict.answer.is_none()), (Status::Failed, true), "two of three matches were judged, and no final");
    assert_eq!((data(&shown, "collect").len(), data(&shown, "winner").len()), (4, 0));
    let standings = data(&shown, "standings")[0];
    assert_eq!((&standings["champion"], &standings["rounds"][1][0]["how"]), (&json!(null), &json!("void")), "{standings}");
    let last = matches(&shown).into_iter().find(|one| one["round"] == json!(2)).expect("the final is shown");
    assert_eq!((&last["how"], &last["winner"]), (&json!("void"), &json!(null)));
    let told = serde_json::to_string(&shown).expect("JSON");
    assert!(told.contains("Nobody could judge this match (chair did not answer in time"), "who could not judge is told: {told}");
    assert!(format!("{verdict:?}").contains("nobody could judge the final"), "{verdict:?}");
}

#[tokio::test]
async fn a_contest_of_which_half_was_judged_stands_for_nothing() {
    // Without any judge, and with one for the final alone.
    for judged in ["nothing", "round 2/"] {
        let (verdict, _, shown) = play(&tournament(3, 4), move |_, key, request| match (judging(key), key.starts_with(judged)) {
            (true, false) => fails(FailureKind::Server),
            (true, true) => steady(request),
            (false, _) => None,
        })
        .await;
        assert_eq!((verdict.status, verdict.answer.is_none()), (Status::Failed, true), "{judged}");
        assert_eq!(matches(&shown).len(), 3, "every match is shown");
    }
    // One void match of three: degraded, and the way is told.
    let mut by_seed = 0;
    for seed in 0..8 {
        let (verdict, _, shown) = play(&tournament(seed, 4), |_, key, request| match (judging(key), key.starts_with("round 1/match 0/")) {
            (true, true) => fails(FailureKind::Server),
            (true, false) => steady(request),
            (false, _) => None,
        })
        .await;
        assert_eq!(verdict.status, Status::Degraded, "seed {seed}");
        let decision = verdict.decision.as_ref().expect("a decision");
        let first = matches(&shown).into_iter().find(|one| one["how"] == json!("void")).expect("a void match");
        let by_this = first["winner"] == decision["label"];
        assert_eq!(decision["tiebreak"], json!(if by_this { "higher_seed" } else { "none" }), "seed {seed}");
        by_seed += usize::from(by_this);
    }
    assert!(by_seed > 0, "the champion never came through the void match");
}

#[tokio::test]
async fn every_judge_that_spoke_can_be_read() {
    let script = |model: &str, key: &str, request: &Request| {
        let pick = choices(request, "winner");
        let winner = if model == "chair" { pick.first() } else { pick.iter().min() };
        judging(key).then(|| says(json!({"reasons": format!("{model} says why"), "winner": winner}).to_string())).flatten()
    };
    let (_, _, shown) = play(&tournament(1, 4), script).await;
    for (_, shown) in shown.iter().filter(|(name, _)| name.starts_with("round_")) {
        let reasons = shown["shape"]["reasons"].as_str().expect("a ballot");
        assert_eq!(reasons.matches("chair says why").count(), 2, "in both orders: {reasons}");
        assert_eq!(reasons.matches("says why").count(), 4, "and who followed: {reasons}");
    }
}

#[tokio::test]
async fn nobody_sits_out_twice_and_a_lost_contestant_leaves_no_hole() {
    for contestants in 4..=8 {
        let script = |model: &str, key: &str, request: &Request| match (key.starts_with("collect/"), model) {
            (true, "m3") => fails(FailureKind::Refused),
            (true, _) => None,
            (false, _) => steady(request),
        };
        let (verdict, _, shown) = play(&tournament(4, contestants), script).await;
        assert_eq!(verdict.status, Status::Degraded, "{contestants}");
        let played = matches(&shown);
        let seats = contestants - 1;
        let byes: Vec<&Value> = played.iter().filter(|one| one["isBye"] == json!(true)).map(|one| &one["labelA"]).collect();
        let distinct: BTreeSet<String> = byes.iter().map(|label| label.to_string()).collect();
        assert_eq!((byes.len(), distinct.len()), (seats.next_power_of_two() - seats, byes.len()), "{contestants}");
        assert_eq!(played.len() - byes.len(), seats - 1, "{contestants}");
        assert_eq!(data(&shown, "bracket_seed")[0]["totalRounds"], json!(seats.next_power_of_two().trailing_zeros()), "{contestants}");
        let path = verdict.decision.expect("a decision")["path"].as_array().expect("a path").clone();
        assert!(
            path.iter().filter(|step| step["result"] == json!("bye")).count() <= 1 && path.len() as u32 == seats.next_power_of_two().trailing_zeros()
        );
    }
}

#[tokio::test]
async fn a_round_robin_counts_every_match_and_is_refused_beyond_six() {
    let round_robin = |seed, contestants| {
        let mut order = tournament(seed, contestants);
        order.options.push(("format".into(), OptionValue::Text("round_robin".into())));
        order
    };
    let (verdict, _, shown) = play(&round_robin(1, 5), |_, key, request| judging(key).then(|| steady(request)).flatten()).await;
    assert_eq!((verdict.status, verdict.receipt.calls.planned, verdict.receipt.calls.extra), (Status::Full, 5 + 20, 0));
    let decision = verdict.decision.expect("a decision");
    assert_eq!((&decision["matches_won"], &decision["format"], &decision["tiebreak"]), (&json!(4), &json!("round_robin"), &json!("none")));
    let rows = data(&shown, "standings")[0]["rounds"][0].as_array().expect("a table").clone();
    let labels: Vec<&str> = rows.iter().filter_map(|row| row["label"].as_str()).collect();
    assert!(labels.is_sorted() && rows.len() == 5, "{labels:?}");
    assert_eq!(verdict.confidence.and_then(|confidence| confidence.value), Some(1.0));

    let (open, _, shown) = play(&round_robin(1, 4), |_, key, request| judging(key).then(|| first_place(request)).flatten()).await;
    assert_eq!(open.decision.as_ref().map(|decision| decision["tiebreak"].clone()), Some(json!("draw")), "all matches are open, so all stand equal");
    assert!(matches(&shown).iter().all(|one| one["winner"].is_null() && one["how"] == json!("draw")));

    let rig = Rig::new(Arc::new(Voices::default()));
    let problems = rig.runner().plan(&round_robin(1, 7)).await.err().expect("too many").to_string();
    assert!(problems.contains("round_robin with 7 contestants"), "{problems}");
}
