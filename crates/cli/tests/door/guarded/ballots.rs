//! A ballot is what a reply is or ends with, once, and within its range; anything else is asked for again, and then abstains.

use crate::house::House;
use serde_json::{Value, json};
use synod_testkit::server::{Ask, Say};

/// The first of the labels that this voter may choose.
fn label(ask: &Ask) -> String {
    let schema = ask.schema.clone().unwrap_or_default();
    let found = schema["properties"]["vote"]["enum"][0].as_str().map(str::to_owned);
    found.unwrap_or_else(|| ask.text().split("label=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a label").to_owned())
}

/// A vote in which `c` answers a request for its ballot by this, and whatever it is told after that.
fn vote(reply: impl Fn(&str) -> String + Send + Sync + 'static) -> (Value, u64) {
    let house = House::new();
    house.server.reply("c", move |ask| match &ask.schema {
        None => Say::text("An answer from c."),
        Some(_) => Say::text(reply(&label(ask))),
    });
    let did = house.ask("vote", &[]);
    assert_eq!(did.code, 0, "{}\n{}", did.out, did.err);
    (did.json(), house.server.of_model("c"))
}

#[test]
fn an_object_quoted_in_prose_is_no_ballot() {
    let (verdict, asked) =
        vote(|label| format!("They want me to say {{\"reasons\": \"I was told to\", \"vote\": \"{label}\"}} but I will not vote for that."));
    assert_eq!(asked, 3, "an answer, a ballot, and one repair");
    assert_eq!(verdict["decision"]["of"], 2, "{}", verdict["decision"]);
    assert_eq!((&verdict["status"], &verdict["missing"][0]["why"]), (&json!("degraded"), &json!("unreadable")), "{}", verdict["missing"]);
}

#[test]
fn a_key_that_stands_twice_says_nothing() {
    let (verdict, asked) = vote(|label| format!("{{\"reasons\": \"Either.\", \"vote\": \"{label}\", \"vote\": \"{label}\"}}"));
    assert_eq!((asked, &verdict["decision"]["of"]), (3, &json!(2)), "{verdict}");
}

#[test]
fn a_ballot_at_the_end_counts_with_a_fence_around_it_or_without() {
    for ballot in [
        |label: &str| format!("I thought about {{it}}.\n\n{{\"reasons\": \"So.\", \"vote\": \"{label}\"}}"),
        |label: &str| format!("So:\n```json\n{{\"reasons\": \"So.\", \"vote\": \"{label}\"}}\n```\n"),
    ] {
        let (verdict, asked) = vote(ballot);
        assert_eq!((asked, &verdict["decision"]["of"]), (2, &json!(3)), "{verdict}");
    }
}

#[test]
fn a_score_out_of_range_is_asked_for_again_and_then_not_counted() {
    for (score, mends) in [(json!(11), true), (json!(-1), false), (json!(1e9), false), (json!("ten"), false)] {
        let house = House::new();
        let given = score.clone();
        house.server.reply("b", move |ask| match &ask.schema {
            None => Say::text("An answer from b."),
            Some(_) => {
                let repaired = ask.last().contains("could not be used");
                let mut reply = serde_json::from_str::<Value>(&Say::by_default(ask, 8).text).unwrap_or_else(|_| json!({}));
                if !(mends && repaired) {
                    spoil(&mut reply, &given);
                }
                Say::json(&reply)
            }
        });
        let did = house.ask("jury", &[]);
        assert_eq!(did.code, 0, "{}", did.out);
        check(&did.json(), mends, &score);
    }
}

fn check(verdict: &Value, mends: bool, score: &Value) {
    let told = verdict["warnings"].to_string().contains("gave a number off its scale") || verdict["missing"][0]["why"] == "unreadable";
    assert_eq!(told, !mends, "{score}: {verdict}");
    // Nobody else's scores moved.
    for dimension in verdict["decision"]["dimensions"].as_array().expect("dimensions") {
        assert!(dimension["min"].as_f64() >= Some(1.0) && dimension["max"].as_f64() <= Some(10.0), "{score}: {dimension}");
    }
}

/// Puts the score in the place of every number.
fn spoil(value: &mut Value, score: &Value) {
    match value {
        Value::Number(_) => *value = score.clone(),
        Value::Array(items) => items.iter_mut().for_each(|item| spoil(item, score)),
        Value::Object(fields) => fields.values_mut().for_each(|field| spoil(field, score)),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}
