//! Votes in which every ballot is known: clear wins, ties and who breaks them, abstentions, two answers, and no vote at all.

use crate::scene::{data, fails, label_of, labels, play, says, user};
use serde_json::{Value, json};
use synod_engine::RunSpec;
use synod_modes::vote::MODE;
use synod_testkit::rig::order;
use synod_types::{Absent, AnswerKind, Failure, FailureKind, Reply, Request, Status, Verdict};

type Said = Option<Result<Reply, Failure>>;

fn vote(voters: usize) -> RunSpec {
    let mut order = order(&MODE, 3);
    order.panel.models = (0..voters).map(|n| format!("m{n}")).collect();
    order
}

fn answer_of(model: &str) -> String {
    format!("Answer of {model}.")
}

fn votes_for(request: &Request, model: &str) -> Said {
    let label = label_of(request, &answer_of(model)).unwrap_or_else(|| panic!("{model} is not on the ballot"));
    says(json!({"reasons": format!("{label} says why."), "vote": label}).to_string())
}

/// Each of these models votes for the other named beside it; the chairman for `chair`.
fn votes(pairs: &'static [(&'static str, &'static str)], chair: &'static str) -> impl Fn(&str, &str, &Request) -> Said + Send + Sync + 'static {
    move |model, key, request| match key.split('/').next()? {
        "collect" => says(answer_of(model)),
        "vote" => {
            assert_eq!(label_of(request, &answer_of(model)), None, "{model} may vote for itself");
            votes_for(request, pairs.iter().find(|(voter, _)| *voter == model)?.1)
        }
        _ => votes_for(request, chair),
    }
}

const CIRCLE: &[(&str, &str)] = &[("m0", "m1"), ("m1", "m2"), ("m2", "m0")];
/// m0 and m1 have two votes each.
const TWO_EACH: &[(&str, &str)] = &[("m0", "m1"), ("m1", "m0"), ("m2", "m0"), ("m3", "m1")];

fn decided(verdict: &Verdict) -> (Value, Value, Value, Value) {
    let decision = verdict.decision.as_ref().expect("a decision");
    let field = |name: &str| decision[name].clone();
    (field("seat"), field("votes"), field("of"), field("tiebreak"))
}

fn warned(verdict: &Verdict, words: &str) -> bool {
    verdict.warnings.iter().any(|warning| warning.contains(words))
}

#[tokio::test]
async fn most_votes_win_and_the_answer_is_returned_word_for_word() {
    let (verdict, _, shown) = play(&vote(3), votes(&[("m0", "m1"), ("m1", "m0"), ("m2", "m1")], "m0")).await;
    assert_eq!((verdict.status, verdict.receipt.calls.planned, verdict.receipt.calls.extra), (Status::Full, 6, 0), "{:?}", verdict.missing);
    let answer = verdict.answer.as_ref().expect("an answer");
    assert_eq!((answer.kind, answer.text.as_str(), answer.by.as_slice()), (AnswerKind::Selected, "Answer of m1.", [1].as_slice()));
    assert_eq!(decided(&verdict), (json!(1), json!(2), json!(3), json!("none")));
    assert_eq!(verdict.summary(), Some("2 of 3 votes went to m1's answer: Answer of m1."));
    assert_eq!(verdict.dissent.iter().map(|other| other.text.as_str()).collect::<Vec<_>>(), ["Answer of m0.", "Answer of m2."]);
    assert_eq!(verdict.confidence.and_then(|confidence| confidence.absent), Some(Absent::TooFewBallots));
    assert_eq!(data(&shown, "vote").len(), 3);
    assert!(data(&shown, "tiebreaker").is_empty());
}

#[tokio::test]
async fn a_tie_goes_to_the_chairman_who_sees_only_the_tied() {
    let script = votes(TWO_EACH, "m1");
    let (verdict, _, shown) = play(&vote(4), move |model, key, request| {
        if key.starts_with("tiebreaker/") {
            assert_eq!((model, labels(request).len()), ("chair", 2));
            assert!(user(request).contains("with 2 votes each"));
        }
        script(model, key, request)
    })
    .await;
    assert_eq!((verdict.status, verdict.receipt.calls.planned), (Status::Full, 9));
    assert_eq!(decided(&verdict), (json!(1), json!(2), json!(4), json!("chairman")));
    assert_eq!(verdict.summary(), Some("2 of 4 votes went to m1's answer, which was chosen by the chairman in a tie: Answer of m1."));
    let row = data(&shown, "tiebreaker")[0];
    assert_eq!((row["tiedLabels"].as_array().map(Vec::len), &row["tiedVoteCount"]), (Some(2), &json!(2)));
    assert_eq!(data(&shown, "vote_tally")[0]["isTie"], json!(true));
}

#[tokio::test]
async fn for_a_chairman_who_fails_another_non_author_breaks_the_tie_and_else_the_lot_does() {
    let script = votes(TWO_EACH, "m0");
    let (verdict, _, _) = play(&vote(4), move |model, key, request| match key {
        "tiebreaker/tiebreak@4" => fails(FailureKind::Server),
        _ => script(model, key, request),
    })
    .await;
    assert_eq!((verdict.status, decided(&verdict)), (Status::Degraded, (json!(0), json!(2), json!(4), json!("non_author"))));
    assert!(warned(&verdict, "chair failed in tiebreaker; m2 took over"), "{:?}", verdict.warnings);

    // All three answers are tied, so nobody but the chairman may judge them.
    let script = votes(CIRCLE, "m0");
    let (verdict, _, shown) = play(&vote(3), move |model, key, request| match key.starts_with("tiebreaker/") {
        true => {
            assert_eq!(model, "chair", "an author judges its own answer");
            fails(FailureKind::Server)
        }
        false => script(model, key, request),
    })
    .await;
    assert_eq!((verdict.status, decided(&verdict).3), (Status::Degraded, json!("fallback_label")));
    assert!(warned(&verdict, "wins by lot"), "{:?}", verdict.warnings);
    assert!(verdict.summary().is_some_and(|summary| summary.contains("was drawn by lot")), "{:?}", verdict.summary());
    assert_eq!(data(&shown, "tiebreaker")[0]["votedFor"], json!(null));
}

#[tokio::test]
async fn a_chairman_of_the_panel_does_not_judge_its_own_answer() {
    let mut order = vote(4);
    order.panel.chair = None;
    let script = votes(TWO_EACH, "m1");
    let (verdict, _, _) = play(&order, move |model, key, request| {
        assert!(!key.starts_with("tiebreaker/") || model == "m2", "{model} wrote one of the tied answers");
        script(model, key, request)
    })
    .await;
    assert_eq!(decided(&verdict), (json!(1), json!(2), json!(4), json!("non_author")));
    assert!(warned(&verdict, "The chairman wrote one of the tied answers; m2 broke the tie."), "{:?}", verdict.warnings);
}

#[tokio::test]
async fn what_cannot_be_read_is_an_invalid_vote_and_a_failed_call_none() {
    let script = votes(&[("m0", "m1"), ("m3", "m1")], "m0");
    let (verdict, _, shown) = play(&vote(4), move |model, key, request| match (key.split('/').next()?, model) {
        ("vote", "m1") => fails(FailureKind::Timeout),
        ("vote", "m2") => says("In response a good answer would be the first."),
        _ => script(model, key, request),
    })
    .await;
    assert_eq!((verdict.status, decided(&verdict)), (Status::Degraded, (json!(1), json!(2), json!(2), json!("none"))));
    let tally = data(&shown, "vote_tally")[0];
    assert_eq!((&tally["validVoteCount"], &tally["invalidVoteCount"]), (&json!(2), &json!(1)));
    let rows = data(&shown, "vote");
    assert_eq!(rows.iter().map(|row| row["votedFor"].is_null()).collect::<Vec<_>>(), [false, true, true, false]);
    assert_eq!(
        verdict.missing.iter().map(|missing| (missing.seat, missing.why)).collect::<Vec<_>>(),
        [(1, FailureKind::Timeout), (2, FailureKind::Unreadable)]
    );
}

#[tokio::test]
async fn of_two_answers_only_those_who_wrote_neither_decide() {
    for (kind, tiebreak, extra) in [(FailureKind::Refused, "none", 1), (FailureKind::Auth, "chairman", 0)] {
        let (verdict, _, _) = play(&vote(3), move |model, key, request| match key {
            "collect/answer@2" => fails(kind),
            _ if key.starts_with("collect/") => says(answer_of(model)),
            _ => {
                assert!(["m2", "chair"].contains(&model), "{model} judges two answers of which one is its own");
                votes_for(request, "m1")
            }
        })
        .await;
        assert_eq!((verdict.status, verdict.receipt.calls.extra), (Status::Degraded, extra), "{tiebreak}");
        assert_eq!((decided(&verdict).0, decided(&verdict).3), (json!(1), json!(tiebreak)));
        assert!(warned(&verdict, "Only two answers were given"), "{:?}", verdict.warnings);
    }
}

#[tokio::test]
async fn without_a_valid_vote_the_chairman_decides_and_without_the_chairman_nobody_does() {
    let mute = |model: &str, key: &str| match key.split('/').next()? {
        "collect" => says(answer_of(model)),
        "vote" => says("They are all good."),
        _ => None,
    };
    let (verdict, _, _) = play(&vote(3), move |model, key, request| mute(model, key).or_else(|| votes_for(request, "m2"))).await;
    assert_eq!((verdict.status, decided(&verdict)), (Status::Degraded, (json!(2), json!(0), json!(0), json!("chairman"))));
    let (verdict, _, shown) = play(&vote(3), move |model, key, _| mute(model, key).or_else(|| fails(FailureKind::Server))).await;
    assert_eq!((verdict.status, verdict.answer.is_none()), (Status::Failed, true));
    assert_eq!(data(&shown, "collect").len(), 3, "the answers are kept");
}
