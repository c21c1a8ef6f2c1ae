//! Of those who want the same thing at once one has it, and the others are told. Through several connections that write.

use crate::support::case::{Case, agent_of, says, says_with};
use crate::support::{Bed, agent, codes, for_each_engine, refused};
use futures::future::{BoxFuture, join_all};
use serde_json::json;
use std::sync::Arc;
use synod_claims::{Agent, Claims, ClaimsResult, Refusal, Submission};
use synod_types::*;
use tokio::sync::Barrier;

const STORES: usize = 5;

/// Something that one task does with the claims of one store.
type Doing<T> = Box<dyn FnOnce(Claims) -> BoxFuture<'static, ClaimsResult<T>> + Send>;

/// Does all of these at once, each in a task of its own, spread over the stores.
async fn at_once<T: Send + 'static>(stores: &[Claims], work: Vec<Doing<T>>) -> Vec<ClaimsResult<T>> {
    let gate = Arc::new(Barrier::new(work.len()));
    let tasks = work.into_iter().enumerate().map(|(n, work)| {
        let (claims, gate) = (stores[n % stores.len()].clone(), gate.clone());
        tokio::spawn(async move {
            gate.wait().await;
            work(claims).await
        })
    });
    let tasks: Vec<_> = tasks.collect();
    join_all(tasks).await.into_iter().map(|task| task.expect("it ran")).collect()
}

fn take(claim: &str, slot: &Slot, by: Agent) -> Doing<synod_claims::Lease> {
    let (claim, slot) = (claim.to_owned(), slot.id.clone());
    Box::new(move |claims| Box::pin(async move { claims.take(&claim, &slot, &by).await }))
}

fn submit(claim: &str, slot: &Slot, by: Agent, what: Submission) -> Doing<Pipeline> {
    let (claim, slot) = (claim.to_owned(), slot.id.clone());
    Box::new(move |claims| Box::pin(async move { claims.submit(&claim, &slot, &by, what).await }))
}

fn sweep() -> Doing<Pipeline> {
    Box::new(|claims| {
        Box::pin(async move {
            claims.sweep().await?;
            Err(Refusal::Duplicate.into())
        })
    })
}

async fn rows_of(bed: &Bed, table: &str, claim: &str) -> i64 {
    bed.number(&format!("SELECT COUNT(*) FROM {table} WHERE claim_id = '{claim}'")).await
}

#[test]
fn of_fifty_who_take_one_slot_one_has_it() {
    for_each_engine(async |bed| {
        let stores = bed.several(STORES).await;
        for _ in 0..3 {
            let case = Case::new(&stores[0], "prism-v1").await;
            let slot = case.now().await.remove(0);
            let taken = at_once(&stores, (0..50).map(|n| take(&case.id, &slot, agent(&format!("agent {n}")))).collect()).await;
            let mut wanted = vec!["ok"];
            wanted.extend(vec!["slot_conflict"; 49]);
            wanted.sort_unstable();
            assert_eq!(codes(&taken), wanted);
            let winner = taken.into_iter().find_map(Result::ok).expect("one");
            assert_eq!(case.now().await[0].agent_id, winner.slot.agent_id);
        }
    });
}

#[test]
fn one_agent_who_takes_all_slots_of_a_layer_has_one() {
    for_each_engine(async |bed| {
        let stores = bed.several(STORES).await;
        for _ in 0..5 {
            let case = Case::new(&stores[0], "prism-v1").await;
            case.pass_to(3).await;
            let open = case.now().await;
            let taken = at_once(&stores, open.iter().map(|slot| take(&case.id, slot, agent("greedy"))).collect()).await;
            assert_eq!(codes(&taken), ["ok", "slot_conflict", "slot_conflict"]);
            assert_eq!(case.now().await.iter().filter(|slot| slot.status == SlotStatus::Taken).count(), 1);
        }
    });
}

#[test]
fn the_last_submissions_at_once_open_the_next_phase_once() {
    for_each_engine(async |bed| {
        let stores = bed.several(STORES).await;
        let case = Case::new(&stores[0], "prism-v1").await;
        let mut phases = 0;
        while case.pipeline().await.status == PipelineStatus::Active {
            let (before, open) = (case.place().await, case.now().await);
            for slot in &open {
                case.take(slot, &agent_of(slot)).await.expect("taken");
            }
            let done = at_once(&stores, open.iter().map(|slot| submit(&case.id, slot, agent_of(slot), says("at once", 0.9))).collect()).await;
            assert_eq!(codes(&done), vec!["ok"; open.len()]);
            let moved =
                done.into_iter().filter_map(Result::ok).filter(|now| (now.current_layer, now.attempt, now.current_phase, now.status) != before);
            assert_eq!(moved.count(), 1, "only the last one moves it: {before:?}");
            phases += 1;
        }
        assert_eq!(phases, 13);
        assert_eq!((rows_of(bed, "claim_slots", &case.id).await, rows_of(bed, "claim_layers", &case.id).await), (34, 7));
        assert_eq!(rows_of(bed, "claim_records", &case.id).await, 1);
    });
}

#[test]
fn one_submission_that_is_sent_twice_is_stored_once() {
    for_each_engine(async |bed| {
        let stores = bed.several(STORES).await;
        for _ in 0..5 {
            let case = Case::new(&stores[0], "prism-v1").await;
            let (slot, me) = (case.now().await.remove(0), agent("me"));
            case.take(&slot, &me).await.expect("taken");
            let done = at_once(&stores, (0..4).map(|n| submit(&case.id, &slot, me.clone(), says(&format!("try {n}"), 0.9))).collect()).await;
            assert_eq!(codes(&done), ["ok", "slot_done_failed", "slot_done_failed", "slot_done_failed"]);
            let winner = done.iter().position(Result::is_ok).expect("one");
            assert_eq!(case.now().await[0].output, Some(format!("try {winner}")));
        }
    });
}

/// Lets the leases of a claim run out at this time, which is before or after now.
async fn expire(bed: &Bed, claim: &str, at: i64) {
    assert_eq!(bed.sql(&format!("UPDATE claim_slots SET lease_expires_at = {at} WHERE claim_id = '{claim}' AND status = 'taken'")).await, 1);
}

#[test]
fn a_submission_beside_the_end_of_its_lease_is_stored_whole_or_not_at_all() {
    for_each_engine(async |bed| {
        let stores = bed.several(STORES).await;
        let mut stored = [0, 0];
        for round in 0..30 {
            let case = Case::new(&stores[0], "prism-v1").await;
            let (slot, slow, next) = (case.now().await.remove(0), agent("slow"), agent("next"));
            let lease = case.take(&slot, &slow).await.expect("taken");
            let now = lease.slot.taken_at.expect("a time");
            // Before, about and after the moment at which the submission comes.
            expire(bed, &case.id, now + 5 + round).await;
            let what = Submission { lease_id: Some(lease.lease_id), ..says("just in time", 0.9) };
            let retake = take(&case.id, &slot, next.clone());
            let retake: Doing<Pipeline> = Box::new(move |claims| {
                Box::pin(async move {
                    tokio::time::sleep(std::time::Duration::from_millis(10)).await;
                    retake(claims.clone()).await?;
                    Err(Refusal::Duplicate.into())
                })
            });
            let mine: Doing<Pipeline> = {
                let submit = submit(&case.id, &slot, slow.clone(), what);
                Box::new(move |claims| {
                    Box::pin(async move {
                        tokio::time::sleep(std::time::Duration::from_millis(round as u64 / 2)).await;
                        submit(claims).await
                    })
                })
            };
            let mut outcomes = at_once(&stores, vec![mine, sweep(), retake, sweep()]).await;
            let kept = case.now().await.remove(0);
            match outcomes.remove(0) {
                Ok(_) => {
                    assert_eq!(
                        (kept.status, kept.output.as_deref(), kept.agent_id.as_deref()),
                        (SlotStatus::Done, Some("just in time"), Some("slow"))
                    );
                    stored[0] += 1;
                }
                Err(error) => {
                    assert_eq!(error, Refusal::LeaseExpired.into());
                    assert!(kept.status != SlotStatus::Done && kept.output.is_none() && kept.confidence.is_none(), "{kept:?}");
                    stored[1] += 1;
                }
            }
        }
        assert_eq!(stored.iter().sum::<i32>(), 30);
    });
}

#[test]
fn a_submission_under_an_old_lease_is_refused() {
    for_each_engine(async |bed| {
        let stores = bed.several(2).await;
        let case = Case::new(&stores[0], "prism-v1").await;
        let (slot, me) = (case.now().await.remove(0), agent("me"));
        let old = case.take(&slot, &me).await.expect("taken");
        expire(bed, &case.id, 1).await;
        let new = stores[1].take(&case.id, &slot.id, &me).await.expect("taken again");
        assert_ne!(old.lease_id, new.lease_id);
        let under = |lease: &str, output: &str| Submission { lease_id: Some(lease.to_owned()), ..says(output, 0.9) };
        assert_eq!(refused(case.submit(&slot, &me, under(&old.lease_id, "old")).await), Refusal::LeaseExpired);
        assert_eq!(refused(stores[0].heartbeat(&case.id, &slot.id, &me, Some(old.lease_id)).await), Refusal::LeaseExpired);
        assert_eq!(case.now().await[0].output, None);
        case.submit(&slot, &me, under(&new.lease_id, "new")).await.expect("stored");
        assert_eq!(case.now().await[0].output.as_deref(), Some("new"));
    });
}

#[test]
fn people_who_clear_a_flag_at_once_do_not_both_have_their_way() {
    for_each_engine(async |bed| {
        let stores = bed.several(STORES).await;
        for _ in 0..5 {
            let case = Case::new(&stores[0], "prism-v1").await;
            case.score(&[0.1, 0.1]).await;
            let flag = case.flag().await.id;
            let clear = |resolution: Resolution| -> Doing<Pipeline> {
                let (claim, flag) = (case.id.clone(), flag.clone());
                Box::new(move |claims| Box::pin(async move { claims.clear(&claim, &flag, &Agent::person(), resolution, Some("mine")).await }))
            };
            let cleared = at_once(&stores, Resolution::ALL.iter().chain([&Resolution::RerunLayer]).map(|word| clear(*word)).collect()).await;
            assert_eq!(codes(&cleared), ["already_cleared", "already_cleared", "already_cleared", "already_cleared", "ok"]);
            let winner = cleared.into_iter().find_map(Result::ok).expect("one");
            let now = case.pipeline().await;
            assert_eq!((now.current_layer, now.attempt, now.status), (winner.current_layer, winner.attempt, winner.status));
            assert_eq!(rows_of(bed, "claim_flags", &case.id).await, 1);
        }
    });
}

#[test]
fn a_record_is_merged_once() {
    for_each_engine(async |bed| {
        let stores = bed.several(STORES).await;
        let case = Case::new(&stores[0], "prism-v1").await;
        case.pass_to(7).await;
        case.fill_all(|slot| says_with("final", 0.9, json!({"summary": format!("Summary {}.", slot.ordinal), "recommendation": "accept"}))).await;
        let waiting = stores[1].unmerged(false, None).await.expect("records");
        assert_eq!((waiting.len(), waiting[0].merged, waiting[0].summaries.len()), (1, false, 3));
        let merge = |n: usize| -> Doing<()> {
            let record = waiting[0].clone();
            Box::new(move |claims| Box::pin(async move { claims.merge(&record, Some(&format!("Merged by {n}.")), Some("light")).await }))
        };
        assert_eq!(codes(&at_once(&stores, (0..STORES).map(merge).collect()).await), ["ok"; STORES]);
        let records = stores[2].records(&case.id).await.expect("records");
        assert_eq!(records.len(), 2, "the joined one stays");
        assert!(records[0].merged && records[0].summary.starts_with("Merged by") && records[0].summaries.len() == 3);
        assert_eq!((records[0].recommendation, records[0].confidence), (Some(Recommendation::Accept), 90));
        assert_eq!(case.view().await.record.as_ref(), Some(&records[0]));
        assert_eq!(stores[3].unmerged(false, None).await.expect("records"), []);
    });
}

#[test]
fn a_claim_that_is_hidden_meanwhile_stores_nothing_more() {
    for_each_engine(async |bed| {
        let stores = bed.several(STORES).await;
        for _ in 0..10 {
            let case = Case::new(&stores[0], "prism-v1").await;
            let (slot, me) = (case.now().await.remove(0), agent("me"));
            case.take(&slot, &me).await.expect("taken");
            let id = case.id.clone();
            let hide: Doing<Pipeline> = Box::new(move |claims| {
                Box::pin(async move {
                    claims.hide(&id, &agent("reviewer"), Some("spam")).await?;
                    claims.pipeline(&id).await
                })
            });
            let done = at_once(&stores, vec![submit(&case.id, &slot, me, says("mine", 0.9)), hide]).await;
            let kept = case.now().await.remove(0);
            match codes(&done[..1])[0] {
                "ok" => assert_eq!(kept.output.as_deref(), Some("mine")),
                "claim_not_found" => assert_eq!((kept.status, kept.output), (SlotStatus::Taken, None)),
                other => panic!("{other}"),
            }
        }
    });
}
