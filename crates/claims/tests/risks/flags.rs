//! A claim that fell short goes on only as a person says, and what was sent back counts for nothing.

use crate::support::case::{Case, agent_of, says, says_with};
use crate::support::{agent, for_each_engine, refused};
use serde_json::json;
use synod_claims::{Agent, MOST_ATTEMPTS, Refusal, WorkFilter};
use synod_types::*;

use PipelineStatus::{Active, Complete, Flagged};
use SlotStatus::{Done, Open, Superseded};
use SlotType::{Consensus, Work};

#[test]
fn a_layer_that_is_worked_again_begins_anew() {
    for_each_engine(async |bed| {
        let case = Case::new(&bed.claims().await, "prism-v1").await;
        case.pass_to(6).await;
        case.score(&[0.7, 0.7, 0.69]).await;
        assert_eq!(case.place().await, (6, 1, Consensus, Flagged));
        let flag = case.flag().await;
        assert!((flag.avg_confidence - 0.696_667).abs() < 1e-6 && flag.threshold == 0.7, "{flag:?}");
        case.clear(Resolution::RerunLayer, Some("Ask about the sample.")).await.expect("cleared");
        assert_eq!(case.place().await, (6, 2, Work, Active));
        let open = case.now().await;
        assert!(open.len() == 6 && open.iter().all(|slot| slot.status == Open && slot.attempt == 2), "{open:?}");
        let old: Vec<Slot> = case.view().await.slots.into_iter().filter(|slot| (slot.layer, slot.attempt) == (6, 1)).collect();
        assert!(old.len() == 9 && old.iter().all(|slot| slot.status == Superseded && slot.output.is_some()), "readable, and no more than that");
        let told = case.claims.context(&case.id, &open[0].id).await.expect("a context").previous_attempts;
        assert_eq!((told.len(), told[0].attempt, told[0].note.as_deref()), (1, 1, Some("Ask about the sample.")));
        assert_eq!((told[0].work_outputs.len(), told[0].consensus_outputs.len()), (6, 3));
        assert!(told[0].avg_confidence.is_some_and(|avg| (avg - 0.696_667).abs() < 1e-6));
        // The same agents again: what they did before does not keep them out.
        case.score(&[0.8, 0.8, 0.7]).await;
        assert_eq!(case.place().await, (7, 1, Consensus, Active), "attempts are counted anew in each layer");
        let (seats, work) = (case.slots(7, 1, Consensus).await, case.slots(7, 1, Work).await);
        assert_eq!((seats.len(), work.len()), (3, 0));
        let prior = case.claims.context(&case.id, &seats[0].id).await.expect("a context").prior_layers;
        let six: Vec<_> = prior.iter().filter(|layer| layer.layer == 6).collect();
        assert_eq!((six.len(), six[0].work_outputs.len()), (1, 6), "only of the attempt that passed");
        assert!(six[0].avg_confidence.is_some_and(|avg| (avg - 0.766_667).abs() < 1e-6));
        let flag = &case.view().await.flags[0];
        assert_eq!((flag.resolution, flag.cleared_by.as_deref()), (Some(Resolution::RerunLayer), Some(Agent::person().name.as_str())));
    });
}

#[test]
fn work_that_is_scored_again_is_copied_and_its_authors_do_not_score_it() {
    for_each_engine(async |bed| {
        let claims = bed.claims().await;
        let case = Case::new(&claims, "prism-v1").await;
        case.pass_to(3).await;
        case.score(&[0.1, 0.2]).await;
        case.clear(Resolution::RerunConsensus, Some("Score the counter-evidence too.")).await.expect("cleared");
        assert_eq!(case.place().await, (3, 2, Consensus, Active));
        let (before, work) = (case.slots(3, 1, Work).await, case.slots(3, 2, Work).await);
        assert_eq!(work.len(), 3);
        for (old, copy) in before.iter().zip(&work) {
            assert!(old.status == Superseded && copy.status == Done && copy.copied && !old.copied && old.id != copy.id);
            let said = |slot: &Slot| (slot.agent_id.clone(), slot.output.clone(), slot.structured_output.clone(), slot.confidence, slot.done_at);
            assert_eq!(said(old), said(copy));
            let author = agent_of(old);
            assert_eq!(refused(case.submit(copy, &author, says("better", 1.0)).await), Refusal::SlotDone, "it cannot be changed");
            let seat = &case.now().await[0];
            assert!(matches!(case.refused_take(seat, &author).await, Refusal::SlotConflict(_)));
            assert!(!claims.peek(&author, &WorkFilter::default()).await.expect("a look"));
        }
        let seat = &case.now().await[0];
        let told = claims.context(&case.id, &seat.id).await.expect("a context");
        assert_eq!(told.current_layer_work_outputs.len(), 3);
        assert_eq!(told.previous_attempts[0].note.as_deref(), Some("Score the counter-evidence too."));
        case.score(&[0.7, 0.7]).await;
        assert_eq!(case.place().await, (4, 1, Work, Active), "the seats of the last attempt may score again, and its scores are gone");
        assert_eq!(
            case.view().await.layers.iter().filter(|layer| layer.layer == 3).map(|layer| layer.outcome).collect::<Vec<_>>(),
            [LayerOutcome::Flagged, LayerOutcome::Passed]
        );
    });
}

#[test]
fn a_layer_without_work_is_scored_again_either_way() {
    for_each_engine(async |bed| {
        let claims = bed.claims().await;
        for resolution in [Resolution::RerunLayer, Resolution::RerunConsensus] {
            let case = Case::new(&claims, "prism-v1").await;
            case.pass_to(7).await;
            case.score(&[0.1, 0.1, 0.1]).await;
            case.clear(resolution, None).await.expect("cleared");
            assert_eq!(case.place().await, (7, 2, Consensus, Active));
            assert_eq!((case.now().await.len(), case.slots(7, 2, Work).await.len()), (3, 0));
            assert_eq!(case.pass().await.status, Complete);
        }
    });
}

#[test]
fn to_overrule_a_mean_or_to_close_needs_a_note() {
    for_each_engine(async |bed| {
        let claims = bed.claims().await;
        let case = Case::new(&claims, "prism-v1").await;
        case.pass_to(2).await;
        case.score(&[0.3, 0.4]).await;
        for resolution in [Resolution::OverridePass, Resolution::Close] {
            for note in [None, Some("  ")] {
                let Refusal::Invalid(problems) = refused(case.clear(resolution, note).await) else { panic!("a note is missing") };
                assert_eq!(problems[0].field, "note");
            }
        }
        assert_eq!(case.place().await, (2, 1, Consensus, Flagged), "nothing happened");
        case.clear(Resolution::OverridePass, Some("The scores were about another claim.")).await.expect("cleared");
        assert_eq!(case.place().await, (3, 1, Work, Active));
        let view = case.view().await;
        assert_eq!(view.claim.domain, "something", "the layer's effect happens");
        assert_eq!((view.layers[1].outcome, view.layers[1].avg_confidence), (LayerOutcome::Overridden, 0.35));
        assert_eq!(view.layers[1].effect.as_deref(), Some("domain: something"));
        assert!(view.notices.iter().any(|notice| notice.text.contains("The scores were about another claim.")), "readers are told why");

        case.score(&[0.1, 0.3]).await;
        case.clear(Resolution::Close, Some("Nobody can know this.")).await.expect("closed");
        let view = case.view().await;
        assert_eq!((view.pipeline.status, view.pipeline.output_hash.is_some()), (Complete, true));
        let record = view.record.expect("a record");
        assert_eq!((record.recommendation, record.confidence), (Some(Recommendation::NeedsMoreEvidence), 20));
        assert!(record.summary.contains("Nobody can know this."));
        assert_eq!(view.layers[2].outcome, LayerOutcome::Closed);
    });
}

#[test]
fn after_three_attempts_only_a_persons_word_carries_a_layer_on() {
    for_each_engine(async |bed| {
        let claims = bed.claims().await;
        for (last, status) in [(Resolution::OverridePass, Active), (Resolution::Close, Complete)] {
            let case = Case::new(&claims, "prism-v1").await;
            for attempt in 1..MOST_ATTEMPTS {
                case.score(&[0.1, 0.2]).await;
                assert_eq!(case.flag().await.attempt, attempt);
                let again = if attempt == 1 { Resolution::RerunLayer } else { Resolution::RerunConsensus };
                case.clear(again, Some(&format!("note {attempt}"))).await.expect("cleared");
            }
            let told = claims.context(&case.id, &case.now().await[0].id).await.expect("a context").previous_attempts;
            assert_eq!(told.iter().map(|attempt| attempt.note.as_deref()).collect::<Vec<_>>(), [Some("note 1"), Some("note 2")]);
            case.score(&[0.1, 0.2]).await;
            assert_eq!(case.place().await, (1, 3, Consensus, Flagged));
            for again in [Resolution::RerunLayer, Resolution::RerunConsensus] {
                assert_eq!(refused(case.clear(again, None).await), Refusal::AttemptsSpent(3));
            }
            assert_eq!(case.place().await, (1, 3, Consensus, Flagged), "and the flag is still there");
            assert_eq!(case.clear(last, Some("Enough.")).await.expect("cleared").status, status);
            assert_eq!(case.view().await.flags.len(), 3);
        }
    });
}

#[test]
fn votes_of_an_attempt_that_was_sent_back_do_not_count() {
    for_each_engine(async |bed| {
        let case = Case::new(&bed.claims().await, "prism-v1").await;
        case.pass_to(2).await;
        let named = |domain: &str, confidence: f64| says_with("classified", confidence, json!({ "domain": domain }));
        case.fill_all(|_| named("alchemy", 1.0)).await;
        case.fill_all(|_| named("alchemy", 0.6)).await;
        case.clear(Resolution::RerunLayer, None).await.expect("again");
        case.fill_all(|slot| named(if slot.ordinal == 1 { "chemistry" } else { "alchemy" }, 0.7)).await;
        case.fill_all(|_| named("chemistry", 0.7)).await;
        assert_eq!(case.view().await.claim.domain, "chemistry", "three to one, not three to five");
    });
}

#[test]
fn flags_are_cleared_where_they_are() {
    for_each_engine(async |bed| {
        let claims = bed.claims().await;
        let (one, other) = (Case::new(&claims, "prism-v1").await, Case::new(&claims, "prism-v1").await);
        one.score(&[0.1, 0.1]).await;
        other.score(&[0.1, 0.1]).await;
        assert_eq!(claims.open_flags().await.expect("flags").len(), 2);
        let flag = one.flag().await;
        let clear = async |case: &Case, flag: &str| claims.clear(&case.id, flag, &Agent::person(), Resolution::RerunLayer, None).await;
        assert_eq!(refused(clear(&other, &flag.id).await), Refusal::FlagNotFound(flag.id.clone()), "it is another claim's");
        assert_eq!(refused(clear(&one, "none").await), Refusal::FlagNotFound("none".into()));
        clear(&one, &flag.id).await.expect("cleared");
        assert_eq!(refused(clear(&one, &flag.id).await), Refusal::AlreadyCleared);
        one.score(&[0.1, 0.1]).await;
        assert_eq!(refused(clear(&one, &flag.id).await), Refusal::AlreadyCleared, "also while another flag is open");
        claims.hide(&one.id, &agent("reviewer"), Some("spam")).await.expect("hidden");
        let flag = one.flag().await;
        assert_eq!(refused(clear(&one, &flag.id).await), Refusal::ClaimNotFound(one.id.clone()));
        assert_eq!(claims.open_flags().await.expect("flags").len(), 1);
    });
}
