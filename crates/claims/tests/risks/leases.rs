//! A slot is somebody's for a while: extended three times, given back, or run out; then it is anybody's again.

use crate::support::case::{Case, says};
use crate::support::{agent, for_each_engine, refused};
use futures::future::join_all;
use serde_json::json;
use std::time::Duration;
use synod_claims::{Claims, Refusal, WorkFilter};
use synod_types::*;

async fn quick(claims: &Claims) -> Case {
    let stage = json!({"layer": 1, "name": "look", "goal": "Look.", "workerSlots": [{"role": "looker", "count": 2}], "consensusCount": 1, "consensusThreshold": 0.5});
    claims.add_protocol(&json!({"name": "quick", "description": "", "leaseSecs": 1, "stages": [stage]})).await.expect("kept");
    Case::new(claims, "quick").await
}

#[test]
fn a_lease_that_runs_out_frees_the_slot_also_without_a_sweep() {
    for_each_engine(async |bed| {
        let claims = bed.claims().await;
        let (case, slow, next) = (quick(&claims).await, agent("slow"), agent("next"));
        let open = case.now().await;
        let lease = case.take(&open[0], &slow).await.expect("taken");
        case.take(&open[1], &agent("other")).await.expect("taken");
        assert!(!claims.peek(&next, &WorkFilter::default()).await.expect("a look"));
        tokio::time::sleep(Duration::from_millis(1_050)).await;
        assert_eq!(refused(case.submit(&open[0], &slow, says("late", 0.9)).await), Refusal::LeaseExpired);
        assert_eq!(refused(claims.heartbeat(&case.id, &open[0].id, &slow, None).await), Refusal::LeaseExpired);
        assert_eq!(case.now().await[0].output, None, "nothing is stored");
        assert_eq!(claims.offers(&next, &WorkFilter::default()).await.expect("offers").len(), 2);
        case.take(&open[0], &next).await.expect("as good as open");
        assert_eq!(refused(case.submit(&open[0], &slow, says("late", 0.9)).await), Refusal::LeaseExpired, "told apart from a stranger");
        assert_eq!(refused(case.submit(&open[0], &agent("stranger"), says("late", 0.9)).await), Refusal::Forbidden);
        case.submit(&open[0], &next, says("in time", 0.9)).await.expect("stored");
        let late = synod_claims::Submission { lease_id: Some(lease.lease_id), ..says("late", 0.9) };
        assert_eq!(refused(case.submit(&open[0], &slow, late).await), Refusal::LeaseExpired, "also when another has submitted it");
        assert_eq!(claims.sweep().await.expect("swept"), 0, "taking the one gave back the other as well");
        let slots = case.now().await;
        assert_eq!((slots[0].output.as_deref(), slots[1].status), (Some("in time"), SlotStatus::Open));
    });
}

#[test]
fn the_sweep_gives_back_what_has_run_out() {
    for_each_engine(async |bed| {
        let claims = bed.claims().await;
        let case = quick(&claims).await;
        let (open, me) = (case.now().await, agent("me"));
        case.take(&open[0], &me).await.expect("taken");
        assert_eq!(claims.sweep().await.expect("swept"), 0);
        tokio::time::sleep(Duration::from_millis(1_050)).await;
        assert_eq!(claims.sweep().await.expect("swept"), 1);
        let slot = &case.now().await[0];
        assert_eq!((slot.status, &slot.agent_id, slot.taken_at), (SlotStatus::Open, &None, None));
        assert_eq!(refused(case.submit(&open[0], &me, says("late", 0.9)).await), Refusal::LeaseExpired);
        case.fill(&open[0], &me, says("again", 0.9)).await;
    });
}

#[test]
fn a_lease_is_extended_three_times() {
    for_each_engine(async |bed| {
        let claims = bed.claims().await;
        let case = Case::new(&claims, "prism-v1").await;
        let (slot, me) = (case.now().await.remove(0), agent("me"));
        let lease = case.take(&slot, &me).await.expect("taken");
        assert_eq!(lease.expires_at - lease.slot.taken_at.expect("a time"), 300_000);
        assert_eq!(refused(claims.heartbeat(&case.id, &slot.id, &agent("thief"), None).await), Refusal::Forbidden);
        assert_eq!(refused(claims.heartbeat(&case.id, &slot.id, &me, Some("another".into())).await), Refusal::LeaseExpired);
        let mut until = lease.expires_at;
        for _ in 0..3 {
            let extended = claims.heartbeat(&case.id, &slot.id, &me, Some(lease.lease_id.clone())).await.expect("extended");
            assert!(extended >= until);
            until = extended;
        }
        assert!(matches!(refused(claims.heartbeat(&case.id, &slot.id, &me, None).await), Refusal::SlotConflict(_)));
        case.submit(&slot, &me, says("in time", 0.9)).await.expect("stored");
        assert_eq!(refused(claims.heartbeat(&case.id, &slot.id, &me, None).await), Refusal::SlotDone);
    });
}

#[test]
fn slots_that_are_given_back_are_open_at_once() {
    for_each_engine(async |bed| {
        let claims = bed.claims().await;
        let (one, other) = (Case::new(&claims, "prism-v1").await, Case::new(&claims, "lens-v1").await);
        let (me, next) = (agent("me"), agent("next"));
        let (first, second) = (one.now().await.remove(0), other.now().await.remove(0));
        one.take(&first, &me).await.expect("taken");
        other.take(&second, &me).await.expect("taken");
        assert_eq!(claims.release(&one.id, &first.id, &next).await.expect("nothing of theirs"), 0);
        assert_eq!(claims.release_all(&me).await.expect("given back"), 2);
        assert_eq!(claims.release_all(&me).await.expect("nothing left"), 0);
        assert_eq!(refused(one.submit(&first, &me, says("late", 0.9)).await), Refusal::Forbidden);
        one.take(&first, &next).await.expect("taken");
        one.fill(&one.now().await[1], &me, says("another place", 0.9)).await;
        assert_eq!(claims.release(&one.id, &one.now().await[1].id, &me).await.expect("done stays done"), 0);
    });
}

#[test]
fn many_sweeps_at_once_do_not_wait_for_each_other() {
    for_each_engine(async |bed| {
        let claims = bed.claims().await;
        quick(&claims).await;
        let swept = tokio::time::timeout(Duration::from_secs(20), join_all((0..32).map(|_| claims.sweep()))).await.expect("in good time");
        for outcome in swept {
            assert_eq!(outcome.expect("swept"), 0);
        }
    });
}

#[test]
fn what_a_dead_process_had_taken_is_given_back() {
    for_each_engine(async |bed| {
        let store = synod_store::Store::open(&bed.location, synod_store::StoreSettings::default()).await.expect("opens");
        let claims = Claims::new(store.clone(), synod_claims::ClaimSettings::default());
        let case = Case::new(&claims, "prism-v1").await;
        let open = case.now().await;
        let living = synod_claims::Agent { worker: Some(store.owner().to_owned()), ..agent("living") };
        let other = synod_store::Store::open(&bed.location, synod_store::StoreSettings::default()).await.expect("opens");
        let dead = synod_claims::Agent { worker: Some(other.owner().to_owned()), ..agent("dead") };
        case.take(&open[0], &living).await.expect("taken");
        case.take(&open[1], &dead).await.expect("taken");
        assert_eq!(claims.release_dead_workers().await.expect("nobody is gone"), 0);
        other.close().await;
        drop(other);
        // Its lock file tells; where there is none, the slot's own lease does in time.
        assert_eq!(claims.release_dead_workers().await.expect("given back"), u64::from(bed.sqlite));
        let now = case.now().await;
        assert_eq!((now[0].status, now[1].status), (SlotStatus::Taken, if bed.sqlite { SlotStatus::Open } else { SlotStatus::Taken }));
    });
}
