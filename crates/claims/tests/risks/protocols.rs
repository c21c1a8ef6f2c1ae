//! Protocols come into the database when they are needed, once, and are never changed there.

use crate::support::case::{Case, new_claim};
use crate::support::{for_each_engine, refused};
use futures::future::join_all;
use serde_json::{Value, json};
use synod_claims::{Agent, Claims, Refusal};

fn own() -> Value {
    json!({"name": "two-steps", "description": "Look, then say.", "leaseSecs": 7, "stages": [
        {"layer": 1, "name": "look", "goal": "Look.", "workerSlots": [{"role": "looker", "count": 2}], "consensusCount": 1, "consensusThreshold": 0.5},
        {"layer": 5, "name": "say", "goal": "Say.", "consensusCount": 2, "consensusThreshold": 0.8},
    ]})
}

#[test]
fn the_default_is_put_there_by_the_first_claim_and_once() {
    for_each_engine(async |bed| {
        let claims = bed.claims().await;
        assert_eq!(bed.number("SELECT COUNT(*) FROM protocols").await, 0);
        let mut new = new_claim("");
        new.protocol = None;
        assert_eq!(claims.create(new, &Agent::person()).await.expect("a claim").protocol, "prism-v1");
        assert_eq!(bed.number("SELECT COUNT(*) FROM protocols WHERE is_default = 1").await, 1);
        let names: Vec<String> = claims.protocols().await.expect("protocols").into_iter().map(|stored| stored.protocol.name).collect();
        assert_eq!(names, ["lens-v1", "meta-v1", "prism-v1", "prism-v1-solo"]);
        let stored = claims.protocol("prism-v1").await.expect("by name");
        assert_eq!((stored.is_default, stored.claim_count, stored.last_used_at.is_some()), (true, 1, true));
        assert_eq!(claims.protocol(&stored.id).await.expect("by id"), stored);
        assert_eq!(refused(claims.protocol("prism-v9").await), Refusal::ProtocolNotFound("prism-v9".into()));
        assert_eq!(refused(claims.create(new_claim("prism-v9"), &Agent::person()).await), Refusal::ProtocolNotFound("prism-v9".into()));
    });
}

#[test]
fn many_who_need_them_at_once_put_them_there_once() {
    for_each_engine(async |bed| {
        let stores = bed.several(6).await;
        // Some list them all, others need one or the other: in every order.
        let orders = ["lens-v1", "prism-v1", "auto", "prism-v1-solo", "prism-v1", "lens-v1"];
        let created = stores.iter().zip(orders).map(async |(claims, name): (&Claims, &str)| {
            let author = Agent::person();
            let (listed, created) = futures::join!(claims.protocols(), claims.create(new_claim(name), &author));
            assert_eq!(listed.expect("protocols").len(), 4);
            created.expect("a claim")
        });
        assert_eq!(join_all(created).await.len(), 6);
        assert_eq!(bed.number("SELECT COUNT(*) FROM protocols").await, 4);
        assert_eq!(bed.number("SELECT COUNT(*) FROM protocols WHERE is_default = 1").await, 1);
        let lost = "SELECT COUNT(*) FROM claim_pipelines WHERE protocol_id NOT IN (SELECT id FROM protocols)";
        assert_eq!(bed.number(lost).await, 0);
    });
}

#[test]
fn a_users_own_is_kept_and_worked() {
    for_each_engine(async |bed| {
        let claims = bed.claims().await;
        claims.add_protocol(&own()).await.expect("kept");
        claims.add_protocol(&own()).await.expect("the same again changes nothing");
        let mut other = own();
        other["stages"][0]["consensusThreshold"] = json!(0.6);
        let Refusal::Invalid(problems) = refused(claims.add_protocol(&other).await) else { panic!("claims refer to the first") };
        assert_eq!(problems[0].field, "name");
        let case = Case::new(&claims, "two-steps").await;
        let slot = &case.now().await[0];
        let lease = case.take(slot, &crate::support::agent("a")).await.expect("taken");
        assert_eq!(lease.expires_at - lease.slot.taken_at.expect("a time"), 7_000);
        claims.release(&case.id, &slot.id, &crate::support::agent("a")).await.expect("given back");
        case.pass().await;
        assert_eq!(case.pipeline().await.current_layer, 5, "numbers may have gaps");
        assert_eq!(case.score(&[0.8, 0.8]).await.status, synod_types::PipelineStatus::Complete);
        assert_eq!(claims.protocol("two-steps").await.expect("kept").claim_count, 1);
    });
}

#[test]
fn two_who_bring_different_ones_of_one_name_do_not_both_have_their_way() {
    for_each_engine(async |bed| {
        let stores = bed.several(4).await;
        let documents = (0..4).map(|n| {
            let mut document = own();
            document["leaseSecs"] = json!(10 + n);
            document
        });
        let documents: Vec<Value> = documents.collect();
        let kept = join_all(stores.iter().zip(&documents).map(|(claims, document)| claims.add_protocol(document))).await;
        assert_eq!(crate::support::codes(&kept), ["invalid_payload", "invalid_payload", "invalid_payload", "ok"]);
        let winner = kept.into_iter().find_map(Result::ok).expect("one");
        assert_eq!(stores[0].protocol("two-steps").await.expect("kept").protocol, winner);
    });
}
