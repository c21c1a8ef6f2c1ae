//! What is submitted is checked whole, what is wrong is told, and nothing of it is stored.

use crate::support::case::{Case, says, says_with};
use crate::support::{agent, for_each_engine, refused};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair};
use serde_json::json;
use synod_claims::signing::{address_of, signed_message};
use synod_claims::{Refusal, Submission};
use synod_types::*;

fn fields(refusal: Refusal) -> Vec<String> {
    let Refusal::Invalid(problems) = refusal else { panic!("{refusal:?}") };
    problems.into_iter().map(|problem| problem.field).collect()
}

#[test]
fn structured_outputs_are_checked_and_the_mistake_is_told() {
    for_each_engine(async |bed| {
        let case = Case::new(&bed.claims().await, "prism-v1").await;
        case.pass_to(3).await;
        let (slot, me) = (case.now().await.remove(0), agent("me"));
        case.take(&slot, &me).await.expect("taken");
        let wrong = [
            (json!({"keyPoints": ["one"]}), "strength"),
            (json!({"keyPoints": [], "strength": "weak"}), "keyPoints"),
            (json!({"keyPoints": ["one"], "strength": "colossal"}), "strength"),
            (json!({"keyPoints": "one", "strength": "weak"}), "keyPoints"),
        ];
        for (structured, field) in wrong {
            let refusal = refused(case.submit(&slot, &me, says_with("evidence", 0.9, structured.clone())).await);
            assert_eq!(refusal.code(), "invalid_payload");
            assert!(refusal.to_string().contains(field), "{structured}: {refusal}");
            assert!(fields(refusal).iter().all(|told| told.starts_with("structuredOutput")), "{structured}");
        }
        assert_eq!(fields(refused(case.submit(&slot, &me, says_with("evidence", 0.9, json!(["a list"]))).await)), ["structuredOutput"]);
        let huge = json!({"keyPoints": ["x".repeat(70_000)], "strength": "weak"});
        assert_eq!(fields(refused(case.submit(&slot, &me, says_with("evidence", 0.9, huge)).await)), ["structuredOutput"]);
        for (output, field) in [("", "output"), (" \n", "output"), (&*"x".repeat(50_001), "output")] {
            assert_eq!(fields(refused(case.submit(&slot, &me, says(output, 0.9)).await)), [field]);
        }
        let kept = &case.now().await[0];
        assert!(kept.status == SlotStatus::Taken && kept.output.is_none() && kept.structured_output.is_none(), "it is still the agent's to mend");
        case.submit(&slot, &me, says_with("evidence\0", 0.9, json!({"keyPoints": ["a\0b"], "strength": "weak"}))).await.expect("stored");
        let kept = &case.now().await[0];
        assert_eq!(kept.output.as_deref(), Some("evidence\u{fffd}"), "a NUL has no place in a text of PostgreSQL");
        assert_eq!(kept.structured_output, Some(json!({"keyPoints": ["a\u{fffd}b"], "strength": "weak"})));
    });
}

#[test]
fn seats_say_how_sure_they_are_and_workers_may() {
    for_each_engine(async |bed| {
        let case = Case::new(&bed.claims().await, "prism-v1").await;
        let unsure = Submission { output: "prose only".into(), ..Submission::default() };
        let open = case.now().await;
        for wrong in [-0.1, 1.1, f64::NAN, f64::INFINITY, -1.0] {
            case.take(&open[0], &agent("a")).await.expect("taken");
            assert_eq!(fields(refused(case.submit(&open[0], &agent("a"), says("sure", wrong)).await)), ["confidence"], "{wrong}");
            case.claims.release(&case.id, &open[0].id, &agent("a")).await.expect("given back");
        }
        case.fill(&open[0], &agent("a"), unsure.clone()).await;
        let slot = case.slots(1, 1, SlotType::Work).await.remove(0);
        assert_eq!((slot.status, slot.confidence), (SlotStatus::Done, None));
        assert_eq!(slot.notice.as_deref(), Some("No confidence was given."));
        case.fill(&open[1], &agent("b"), says("sure", 0.0)).await;
        let slot = case.slots(1, 1, SlotType::Work).await.remove(1);
        assert_eq!((slot.confidence, slot.notice), (Some(0.0), None), "none at all is a confidence too");
        let seat = &case.now().await[0];
        case.take(seat, &agent("c")).await.expect("taken");
        assert_eq!(fields(refused(case.submit(seat, &agent("c"), unsure).await)), ["confidence"]);
        assert_eq!(case.now().await[0].status, SlotStatus::Taken);
        case.submit(seat, &agent("c"), says("now I say", 1.0)).await.expect("stored");
    });
}

#[test]
fn only_who_took_a_slot_submits_it_and_once() {
    for_each_engine(async |bed| {
        let case = Case::new(&bed.claims().await, "prism-v1").await;
        let (slot, me) = (case.now().await.remove(0), agent("me"));
        assert_eq!(refused(case.submit(&slot, &me, says("early", 0.9)).await), Refusal::Forbidden, "nobody has taken it");
        case.take(&slot, &me).await.expect("taken");
        assert_eq!(refused(case.submit(&slot, &agent("thief"), says("theirs", 0.9)).await), Refusal::Forbidden);
        case.submit(&slot, &me, says("mine", 0.9)).await.expect("stored");
        assert_eq!(refused(case.submit(&slot, &me, says("mine, better", 0.9)).await), Refusal::SlotDone);
        assert_eq!(refused(case.submit(&slot, &agent("thief"), says("theirs", 0.9)).await), Refusal::Forbidden);
        assert_eq!(case.now().await[0].output.as_deref(), Some("mine"));
    });
}

fn pem(head: &[u8], key: &[u8]) -> String {
    format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", BASE64_STANDARD.encode([head, key].concat()))
}

const P256_HEAD: [u8; 26] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03,
    0x42, 0x00,
];
const ED25519_HEAD: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

fn signed(output: &str, signature: &str) -> Submission {
    Submission { output_signature: Some(signature.to_owned()), ..says(output, 0.9) }
}

#[test]
fn signatures_are_checked_where_a_key_is_known() {
    for_each_engine(async |bed| {
        let claims = bed.claims().await;
        let dice = SystemRandom::new();
        let (known, modern, addressed, unknown) = (agent("known"), agent("modern"), agent("addressed"), agent("unknown"));
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &dice).expect("a key");
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, document.as_ref(), &dice).expect("a pair");
        let text = pem(&P256_HEAD, pair.public_key().as_ref());
        let address = claims.register_key(&known, None, Some(&text)).await.expect("registered");
        assert_eq!(address, address_of(&text));
        let edwards = Ed25519KeyPair::from_pkcs8(Ed25519KeyPair::generate_pkcs8(&dice).expect("a key").as_ref()).expect("a pair");
        claims.register_key(&modern, None, Some(&pem(&ED25519_HEAD, edwards.public_key().as_ref()))).await.expect("registered");
        claims.register_key(&addressed, Some(&address), None).await.expect("registered");
        for (address, key, field) in
            [(Some("0xpoi_aa"), None, "signingKeyAddress"), (None, Some("no key"), "publicKey"), (None, None, "signingKeyAddress")]
        {
            assert_eq!(fields(refused(claims.register_key(&unknown, address, key).await)), [field]);
        }
        let other = format!("0xpoi_{}", "0".repeat(40));
        assert_eq!(fields(refused(claims.register_key(&unknown, Some(&other), Some(&text)).await)), ["signingKeyAddress"]);

        let case = Case::new(&claims, "prism-v1").await;
        case.pass_to(6).await;
        let open = case.now().await;
        let sign = |slot: &str, output: &str| BASE64_STANDARD.encode(pair.sign(&dice, signed_message(slot, output).as_bytes()).expect("signed"));
        case.take(&open[0], &known).await.expect("taken");
        for wrong in [sign(&open[1].id, "said"), sign(&open[0].id, "unsaid"), "c2ln".into(), "%".into(), String::new()] {
            assert_eq!(refused(case.submit(&open[0], &known, signed("said", &wrong)).await), Refusal::BadSignature);
        }
        assert_eq!(case.now().await[0].output, None, "nothing is stored");
        case.submit(&open[0], &known, signed("said", &sign(&open[0].id, "said"))).await.expect("stored");
        let by_edwards = BASE64_STANDARD.encode(edwards.sign(signed_message(&open[1].id, "said").as_bytes()));
        case.fill(&open[1], &modern, signed("said", &by_edwards)).await;
        case.fill(&open[2], &addressed, signed("said", "c2ln")).await;
        case.fill(&open[3], &unknown, signed("said", "c2ln")).await;
        case.fill(&open[4], &agent("silent"), says("said", 0.9)).await;
        let states: Vec<_> = case.now().await.into_iter().take(5).map(|slot| (slot.signature, slot.signing_address.is_some())).collect();
        use SignatureState::{Unverified, Verified};
        assert_eq!(states, [(Some(Verified), true), (Some(Verified), true), (Some(Unverified), true), (Some(Unverified), false), (None, false)]);
    });
}
