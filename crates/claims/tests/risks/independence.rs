//! Nobody sees what an open phase holds but its authors and reviewers, and a hidden claim is not there.

use crate::support::case::{Case, says, says_with};
use crate::support::{agent, for_each_engine, refused};
use serde_json::json;
use sqlx::{AssertSqlSafe, Executor};
use std::time::Duration;
use synod_claims::{ClaimFilter, Reader, Refusal, WorkFilter};
use synod_types::*;

/// What this reader sees of what was submitted to one slot.
async fn seen(case: &Case, slot: &Slot, reader: &Reader) -> Option<String> {
    let slot = case.view_as(reader).await.slots.into_iter().find(|known| known.id == slot.id).expect("the slot");
    let nothing = slot.output.is_none() && slot.structured_output.is_none() && slot.confidence.is_none() && slot.notice.is_none();
    assert!(slot.status != SlotStatus::Done || nothing == slot.withheld, "all of it or nothing: {slot:?}");
    slot.output
}

#[test]
fn an_open_phase_is_seen_by_its_authors_and_reviewers_only() {
    for_each_engine(async |bed| {
        let case = Case::new(&bed.claims().await, "prism-v1").await;
        case.pass_to(2).await;
        let agents = ["author", "other", "seat", "late"].map(|name| Reader::Agent(name.to_owned()));
        let of_domain = || says_with("secret", 0.9, json!({"domain": "law"}));
        let open = case.now().await;
        case.fill(&open[0], &agent("author"), of_domain()).await;
        for reader in [&Reader::Anybody, &agents[1], &agents[2]] {
            assert_eq!(seen(&case, &open[0], reader).await, None, "{reader:?}");
        }
        for reader in [&agents[0], &Reader::Reviewer] {
            assert_eq!(seen(&case, &open[0], reader).await.as_deref(), Some("secret"), "{reader:?}");
        }
        let told = case.claims.context(&case.id, &open[1].id).await.expect("a context");
        assert_eq!((told.current_layer_work_outputs, told.previous_attempts), (vec![], vec![]), "nor is who works beside it told");
        assert!(!told.prior_layers.iter().any(|layer| layer.layer >= 2));
        case.fill(&open[1], &agent("other"), of_domain()).await;

        for slot in &open {
            assert_eq!(seen(&case, slot, &Reader::Anybody).await.as_deref(), Some("secret"), "the phase is closed");
        }
        let seats = case.now().await;
        let told = case.claims.context(&case.id, &seats[0].id).await.expect("a context");
        assert_eq!(told.current_layer_work_outputs, ["secret\ndomain: law", "secret\ndomain: law"], "seats score what they see");
        case.fill(&seats[0], &agent("seat"), of_domain()).await;
        assert_eq!(seen(&case, &seats[0], &agents[3]).await, None, "a score is as open as a work is");
        assert_eq!(seen(&case, &seats[0], &agents[2]).await.as_deref(), Some("secret"));
        let told = case.claims.context(&case.id, &seats[1].id).await.expect("a context");
        assert!(!told.prior_layers.iter().any(|layer| layer.layer >= 2) && told.current_layer_work_outputs.len() == 2, "{told:?}");
        case.fill(&seats[1], &agent("late"), says("fine", 0.1)).await;
        assert_eq!(case.pipeline().await.status, PipelineStatus::Flagged);
        assert_eq!(seen(&case, &seats[0], &Reader::Anybody).await.as_deref(), Some("secret"), "whoever reviews it need not be alone");
    });
}

/// A look is several reads. The claim goes on between them, and a score of the phase that opened meanwhile must not be taken for one of a
/// phase that is closed. Only PostgreSQL can be held between two reads of another connection.
#[test]
fn a_look_while_a_phase_turns_shows_nothing_of_the_next() {
    for_each_engine(async |bed| {
        if bed.sqlite {
            return;
        }
        let case = Case::new(&bed.claims().await, "prism-v1").await;
        case.work().await;
        let seat = case.now().await.remove(0);
        case.fill(&seat, &agent("seat"), says("secret", 0.9)).await;
        // Back to when the last work was to come, and a look that has read as much as it can without the slots.
        let turn = |phase: &str| format!("UPDATE claim_pipelines SET phase = '{phase}' WHERE claim_id = '{}'", case.id);
        bed.sql(&turn("work")).await;
        let mut holder = bed.connect().await;
        holder.execute("BEGIN; LOCK TABLE claim_slots IN ACCESS EXCLUSIVE MODE").await.expect("locked");
        let (claims, id) = (case.claims.clone(), case.id.clone());
        let look = tokio::spawn(async move { claims.view(&id, &Reader::Anybody).await.expect("a view") });
        while bed.number("SELECT COUNT(*) FROM pg_locks WHERE NOT granted AND relation = 'claim_slots'::regclass").await == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        holder.execute(AssertSqlSafe(turn("consensus"))).await.expect("turned");
        holder.execute("COMMIT").await.expect("let go");
        let seen = look.await.expect("looked").slots.into_iter().find(|slot| slot.id == seat.id).expect("the seat");
        assert!(seen.withheld && seen.output.is_none(), "{seen:?}");
    });
}

#[test]
fn a_hidden_claim_is_not_there() {
    for_each_engine(async |bed| {
        let claims = bed.claims().await;
        let case = Case::new(&claims, "prism-v1").await;
        let (me, reviewer, open) = (agent("me"), agent("reviewer"), case.now().await);
        let lease = case.take(&open[0], &me).await.expect("taken");
        let gone = Refusal::ClaimNotFound(case.id.clone());
        let Refusal::Invalid(_) = refused(claims.hide(&case.id, &reviewer, Some("dull")).await) else { panic!("not a reason") };
        claims.hide(&case.id, &reviewer, Some("spam")).await.expect("hidden");
        assert_eq!(case.refused_take(&open[1], &agent("other")).await, gone);
        assert_eq!(refused(case.submit(&open[0], &me, says("late", 0.9)).await), gone);
        assert_eq!(refused(claims.heartbeat(&case.id, &open[0].id, &me, Some(lease.lease_id)).await), gone);
        assert_eq!(refused(claims.context(&case.id, &open[0].id).await), gone);
        assert_eq!(refused(claims.comment(&case.id, &me, "why?", None, None).await), gone);
        assert_eq!(refused(claims.record(&case.id).await), gone);
        for reader in [Reader::Anybody, Reader::Agent("me".into())] {
            assert_eq!(refused(claims.view(&case.id, &reader).await), gone);
            assert_eq!(refused(claims.claim(&case.id, &reader).await), gone);
        }
        assert!(!claims.peek(&agent("other"), &WorkFilter::default()).await.expect("a look"));
        assert_eq!(claims.claims(&ClaimFilter::default()).await.expect("claims"), []);
        assert_eq!(claims.search("claim", 10).await.expect("claims"), []);
        let view = case.view().await;
        assert!(view.claim.hidden && view.slots[0].output.is_none(), "reviewers see it, with nothing stored since");
        assert_eq!(claims.claims(&ClaimFilter { hidden: true, ..ClaimFilter::default() }).await.expect("claims").len(), 1);
        claims.release(&case.id, &open[0].id, &me).await.expect("what was taken can be given back");
        claims.hide(&case.id, &reviewer, None).await.expect("shown again");
        case.fill(&open[0], &me, says("now", 0.9)).await;
        assert_eq!(claims.offers(&agent("other"), &WorkFilter::default()).await.expect("offers").len(), 1);
    });
}

#[test]
fn offers_are_what_can_be_taken_now() {
    for_each_engine(async |bed| {
        let claims = bed.claims().await;
        let case = Case::new(&claims, "prism-v1").await;
        let rehearsal = synod_claims::NewClaim { rehearsal: true, ..crate::support::case::new_claim("prism-v1") };
        claims.create(rehearsal, &agent("author")).await.expect("a claim");
        case.pass_to(3).await;
        let me = agent("me");
        let offered = async |filter: WorkFilter| -> Vec<Slot> {
            claims.offers(&me, &filter).await.expect("offers").into_iter().map(|offer| offer.slot).collect()
        };
        let mut ids: Vec<String> = offered(WorkFilter::default()).await.into_iter().map(|slot| slot.id).collect();
        let mut open: Vec<String> = case.now().await.into_iter().map(|slot| slot.id).collect();
        ids.sort();
        open.sort();
        assert_eq!(ids, open, "of the layer and phase that is worked, and of no rehearsal");
        assert_eq!(offered(WorkFilter { role: Some("counter".into()), ..WorkFilter::default() }).await.len(), 1);
        assert_eq!(offered(WorkFilter { layer: Some(1), ..WorkFilter::default() }).await.len(), 0);
        assert_eq!(offered(WorkFilter { slot_type: Some(SlotType::Consensus), ..WorkFilter::default() }).await.len(), 0);
        assert_eq!(offered(WorkFilter { claim: Some("another".into()), ..WorkFilter::default() }).await.len(), 0);
        assert_eq!(offered(WorkFilter { rehearsal: true, ..WorkFilter::default() }).await.len(), 2);
        for slot in offered(WorkFilter::default()).await {
            case.take(&slot, &agent(&slot.id)).await.expect("what is offered can be taken");
        }
        assert_eq!(offered(WorkFilter::default()).await, []);
    });
}
