//! What makes submissions checkable afterwards: hashes over everything that was submitted, and signatures of agents.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ring::signature::{ECDSA_P256_SHA256_ASN1, ED25519, UnparsedPublicKey};
use serde_json::{Map, Value, json};
use synod_types::{Recommendation, Slot, SlotStatus, sha256_hex};

/// A public key that signatures can be checked with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SigningKey {
    P256(Vec<u8>),
    Ed25519(Vec<u8>),
}

/// What a P-256 and an Ed25519 key look like before their bytes, in the form that PEM holds.
const P256_HEAD: [u8; 26] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03,
    0x42, 0x00,
];
const ED25519_HEAD: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

impl SigningKey {
    /// Reads `-----BEGIN PUBLIC KEY-----`.
    pub fn from_pem(pem: &str) -> Option<Self> {
        let inside = pem.trim().strip_prefix("-----BEGIN PUBLIC KEY-----")?.strip_suffix("-----END PUBLIC KEY-----")?;
        let der = BASE64_STANDARD.decode(inside.split_whitespace().collect::<String>()).ok()?;
        if let Some(point) = der.strip_prefix(&P256_HEAD) {
            return (point.len() == 65 && point[0] == 4).then(|| Self::P256(point.to_vec()));
        }
        der.strip_prefix(&ED25519_HEAD).filter(|key| key.len() == 32).map(|key| Self::Ed25519(key.to_vec()))
    }

    /// Whether the signature, in base64, is over this slot's output.
    pub fn signed(&self, slot: &str, output: &str, signature: &str) -> bool {
        let Ok(signature) = BASE64_STANDARD.decode(signature.trim()) else { return false };
        let message = signed_message(slot, output);
        match self {
            Self::P256(point) => UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, point).verify(message.as_bytes(), &signature),
            Self::Ed25519(key) => UnparsedPublicKey::new(&ED25519, key).verify(message.as_bytes(), &signature),
        }
        .is_ok()
    }
}

/// What an agent signs: the SHA-256 of slot and output, in hex.
pub fn signed_message(slot: &str, output: &str) -> String {
    sha256_hex(format!("{slot}:{output}"))
}

/// The address of a public key, over its PEM text.
pub fn address_of(pem: &str) -> String {
    format!("0xpoi_{}", &sha256_hex(pem)[24..])
}

pub fn is_address(text: &str) -> bool {
    text.strip_prefix("0xpoi_").is_some_and(|digits| digits.len() == 40 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// The hash that other servers of the protocol compute too. It covers neither structured outputs nor the verdict.
pub fn output_hash_v1(slots: &[Slot]) -> String {
    let rows: Vec<Value> = ordered(slots).into_iter().map(row).map(Value::Object).collect();
    format!("0x{}", sha256_hex(Value::Array(rows).to_string()))
}

/// The same with everything that decides: claim, protocol, attempts, structured outputs and the recommendation.
pub fn output_hash_v2(claim: &str, protocol: &str, slots: &[Slot], recommendation: Option<Recommendation>) -> String {
    let rows = ordered(slots).into_iter().map(|slot| {
        let mut row = row(slot);
        row.insert("attempt".into(), json!(slot.attempt));
        row.insert("structuredOutput".into(), slot.structured_output.as_ref().map_or(Value::Null, canonical));
        Value::Object(row)
    });
    let rows: Vec<Value> = rows.collect();
    let all = json!({
        "claimId": claim,
        "protocol": protocol,
        "slots": rows,
        "recommendation": recommendation.map_or("", Recommendation::as_str),
    });
    format!("0x{}", sha256_hex(all.to_string()))
}

fn ordered(slots: &[Slot]) -> Vec<&Slot> {
    let mut done: Vec<&Slot> = slots.iter().filter(|slot| slot.status == SlotStatus::Done).collect();
    done.sort_by(|a, b| (a.layer, &a.id).cmp(&(b.layer, &b.id)));
    done
}

fn row(slot: &Slot) -> Map<String, Value> {
    let text = |text: &Option<String>| json!(text.as_deref().unwrap_or_default());
    let fields = [
        ("id", json!(slot.id)),
        ("layer", json!(slot.layer)),
        ("role", json!(slot.role)),
        ("slotType", json!(slot.slot_type.as_str())),
        ("output", text(&slot.output)),
        ("confidence", number(slot.confidence.unwrap_or(0.0))),
        ("signingAddress", text(&slot.signing_address)),
        ("outputSignature", text(&slot.output_signature)),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A number as JavaScript writes it: 1, not 1.0.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 { json!(value as i64) } else { json!(value) }
}

/// The same value with every object's names in order.
fn canonical(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut names: Vec<&String> = map.keys().collect();
            names.sort();
            Value::Object(names.into_iter().map(|name| (name.clone(), canonical(&map[name]))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(canonical).collect()),
        Value::Number(given) => given.as_f64().map_or_else(|| value.clone(), number),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::rand::SystemRandom;
    use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair};
    use synod_types::SlotType;

    fn slot(id: &str, role: &str, slot_type: SlotType, output: &str, confidence: f64) -> Slot {
        Slot {
            id: id.into(),
            claim_id: "c".into(),
            layer: 1,
            attempt: 1,
            slot_type,
            ordinal: 1,
            role: role.into(),
            status: SlotStatus::Done,
            agent_id: None,
            owner: None,
            agent_name: None,
            agent_model: None,
            output: Some(output.into()),
            structured_output: None,
            confidence: Some(confidence),
            notice: None,
            output_signature: None,
            signing_address: None,
            signature: None,
            taken_at: None,
            lease_expires_at: None,
            done_at: None,
            created_at: 0,
            copied: false,
            run: None,
            withheld: false,
        }
    }

    #[test]
    fn the_hash_is_the_one_that_others_compute() {
        let first = slot("s1", "contributor", SlotType::Work, "abc", 0.85);
        assert_eq!(output_hash_v1(std::slice::from_ref(&first)), "0xed7c5cb43e947bf4f96ab76e5cd6faf511df489efe9be391235e9cb4c0dd8d3c");
        let mut second = slot("s2", "consensus", SlotType::Consensus, "ok", 1.0);
        second.signing_address = Some("0xpoi_aa".into());
        second.output_signature = Some("c2ln".into());
        let both = [second, first];
        assert_eq!(output_hash_v1(&both), "0xfac88995a0ab2403c78bc6e16e29c412306253cb86cd0e8c522a80c04fe3b80a");
        let open = Slot { status: SlotStatus::Open, id: "s0".into(), ..both[0].clone() };
        assert_eq!(output_hash_v1(&[both[0].clone(), both[1].clone(), open]), output_hash_v1(&both));
    }

    #[test]
    fn the_second_hash_covers_what_decides() {
        let mut one = slot("s1", "contributor", SlotType::Work, "abc", 0.85);
        one.structured_output = Some(json!({"b": 1, "a": [2.0, {"d": 1, "c": 2}]}));
        let hash = |slot: &Slot, with| output_hash_v2("c", "prism-v1", std::slice::from_ref(slot), with);
        let before = hash(&one, Some(Recommendation::Accept));
        let same = Slot { structured_output: Some(json!({"a": [2, {"c": 2, "d": 1}], "b": 1})), ..one.clone() };
        assert_eq!(hash(&same, Some(Recommendation::Accept)), before, "the order of names and the spelling of numbers do not matter");
        for other in
            [hash(&one, Some(Recommendation::Reject)), hash(&one, None), hash(&Slot { attempt: 2, ..one.clone() }, Some(Recommendation::Accept))]
        {
            assert_ne!(other, before);
        }
        one.structured_output = Some(json!({"b": 2}));
        assert_ne!(hash(&one, Some(Recommendation::Accept)), before);
        assert_eq!(output_hash_v1(&[one]), output_hash_v1(&[same]), "the first hash does not see structured outputs");
    }

    #[test]
    fn the_signed_message_is_the_one_that_agents_sign() {
        assert_eq!(signed_message("s1", "abc"), "3fcf52628d3d4de73357997f026b73f0b8b6d8a4d9b753270e696650dd6aeb9a");
    }

    fn pem(head: &[u8], key: &[u8]) -> String {
        format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", BASE64_STANDARD.encode([head, key].concat()))
    }

    #[test]
    fn signatures_of_both_kinds_of_key_are_checked() {
        let dice = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &dice).expect("a key");
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, document.as_ref(), &dice).expect("a pair");
        let text = pem(&P256_HEAD, pair.public_key().as_ref());
        let key = SigningKey::from_pem(&text).expect("a public key");
        let signed = BASE64_STANDARD.encode(pair.sign(&dice, signed_message("s1", "abc").as_bytes()).expect("signed"));
        assert!(key.signed("s1", "abc", &signed));
        for (slot, output, signature) in [("s2", "abc", signed.as_str()), ("s1", "abd", &signed), ("s1", "abc", "c2ln"), ("s1", "abc", "%%")] {
            assert!(!key.signed(slot, output, signature));
        }
        assert!(is_address(&address_of(&text)) && !is_address("0xpoi_aa"));

        let document = Ed25519KeyPair::generate_pkcs8(&dice).expect("a key");
        let pair = Ed25519KeyPair::from_pkcs8(document.as_ref()).expect("a pair");
        let key = SigningKey::from_pem(&pem(&ED25519_HEAD, pair.public_key().as_ref())).expect("a public key");
        let signed = BASE64_STANDARD.encode(pair.sign(signed_message("s1", "abc").as_bytes()));
        assert!(key.signed("s1", "abc", &signed) && !key.signed("s1", "abcd", &signed));
        for wrong in ["", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", "no key"] {
            assert_eq!(SigningKey::from_pem(wrong), None);
        }
    }
}
