//! Money: what endpoints say of their cost is a claim, and a budget holds against any of them.

use super::raw_server::{RawServer, body};
use crate::house::House;
use serde_json::{Value, json};
use std::io::Write;
use synod_engine::tokens;
use synod_testkit::server::{ANY, Ask, Fault, Say};

const PRICE: (f64, f64) = (3.0, 15.0);

fn priced(stream: bool) -> House {
    let models: String = ["m", "n", "o"]
        .iter()
        .map(|id| {
            format!(
                "[models.{id}]\nendpoint = \"x\"\nid = \"{id}\"\nprice = {{ input = {:?}, cached_input = 0.3, output = {:?} }}\n",
                PRICE.0, PRICE.1
            )
        })
        .collect();
    House::with(&format!("stream = {stream}\n{models}"))
}

/// What an endpoint may say of a call. True: more than it can have been.
fn behaviours() -> Vec<(&'static str, Value, bool)> {
    let lie = |input: Value, output: Value| json!({"prompt_tokens": input, "completion_tokens": output});
    let cost = |cost: f64| json!({"prompt_tokens": 400, "completion_tokens": 60, "cost": cost});
    vec![
        ("zeros", lie(json!(0), json!(0)), false),
        ("ones", lie(json!(1), json!(1)), false),
        ("no input", lie(json!(0), json!(60)), false),
        ("no output", lie(json!(400), json!(0)), false),
        ("negative", lie(json!(-5), json!(-5)), false),
        ("fractions", lie(json!(0.5), json!(0.1)), false),
        ("text", lie(json!("many"), json!("few")), false),
        ("null", Value::Null, false),
        ("a list", json!([1, 2, 3]), false),
        ("nothing", json!({}), false),
        ("all cached", json!({"prompt_tokens": 400, "completion_tokens": 60, "prompt_tokens_details": {"cached_tokens": 400}}), false),
        (
            "more cached than sent",
            json!({"prompt_tokens": 400, "completion_tokens": 60, "prompt_tokens_details": {"cached_tokens": u64::MAX}}),
            false,
        ),
        ("a negative cost", cost(-1000.0), false),
        ("a cost of nothing", cost(0.0), false),
        ("a tiny cost", cost(1e-300), false),
        ("a negative cost, and no tokens", json!({"cost": -1000.0}), false),
        (
            "thought below nothing",
            json!({"prompt_tokens": 400, "completion_tokens": 60, "completion_tokens_details": {"reasoning_tokens": u64::MAX}}),
            false,
        ),
        ("all there is", lie(json!(u64::MAX), json!(u64::MAX)), true),
        ("a great cost", cost(1e300), true),
        ("a total without parts", json!({"total_tokens": 1}), false),
    ]
}

const SAID: &str = "Tea, because it keeps longer, costs less, and nobody has ever been kept awake by it who did not want to be kept awake.";

/// What is said to a request: a call wherever a tool is offered, so that a loop is as long as it may be.
fn reply(ask: &Ask) -> Say {
    match (&ask.schema, ask.tools.first()) {
        (_, Some(tool)) => Say::call(&tool.name, json!({"query": SAID, "expression": "1+1", "pattern": SAID})),
        (Some(_), None) => Say::by_default(ask, 30),
        (None, None) => Say::text(SAID),
    }
}

/// What was sent and received, by our own count, at the least it can have cost.
fn least(house: &House, before: usize) -> f64 {
    let requests = house.server.requests();
    let of = |ask: &Ask| {
        let sent: u64 = ask.messages.iter().map(|(_, text)| tokens::count(text)).sum();
        let said = reply(ask);
        let calls: u64 = said.calls.iter().map(|(name, input)| tokens::count(name) + tokens::count(&input.to_string())).sum();
        (sent as f64 * 0.3 + (tokens::count(&said.text) + calls) as f64 * PRICE.1) / 1e6
    };
    requests[before..].iter().map(|ask| of(ask)).sum()
}

#[test]
fn no_endpoint_talks_a_budget_down() {
    const BUDGET: f64 = 0.25;
    for stream in [false, true] {
        let house = priced(stream);
        for (name, lie, dear) in behaviours() {
            for tools in [false, true] {
                let told = lie.clone();
                house.server.reply(ANY, move |ask| Say { lie: Some(told.clone()), ..reply(ask) });
                let before = house.server.requests().len();
                let mode: &[&str] = if tools { &["--mode", "roundtable", "--rounds", "1"] } else { &["--mode", "council"] };
                let flags = ["ask", "--models", "m,n,o", "--seed", "7", "--budget", &BUDGET.to_string(), "--json", "-q"];
                let did = house.synod(&[&flags, mode, &["Is tea better than coffee?"]].concat());
                let step = format!("{name}, streamed: {stream}, tools: {tools}");
                assert!([0, 3, 4].contains(&did.code), "{step}: {}\n{}", did.out, did.err);
                let spent = house.synod(&["runs", "--json"]).json()["runs"][0]["spent_usd"].as_f64().expect("a known cost");
                let asked = house.server.requests().len() - before;
                assert!(asked > 0, "{step}: nobody was asked: {}", did.out);
                let least = least(&house, before);
                assert!(spent.is_finite() && spent >= least / 2.0, "{step}: {spent} for {asked} requests, at least {least}");
                if !dear {
                    assert!(spent <= BUDGET + 1e-9, "{step}: {spent}");
                } else {
                    assert!(asked <= 4, "{step}: {asked} requests after the first said it took all there is");
                }
            }
        }
    }
}

#[test]
fn a_claim_that_cannot_be_is_told_and_both_are_kept() {
    let house = priced(false);
    house
        .server
        .reply(ANY, |ask| Say { lie: Some(json!({"prompt_tokens": 0, "completion_tokens": 0, "cost": -1000.0})), ..Say::by_default(ask, 40) });
    let verdict = house.synod(&["ask", "--models", "m,n,o", "--seed", "7", "--json", "-q", "Tea?"]).exits(0).json();
    let warnings = verdict["warnings"].to_string();
    assert!(warnings.contains("What the endpoint of m says") && warnings.contains("Our own count stands"), "{warnings}");
    assert!(
        verdict["receipt"]["spent_usd"].as_f64().is_some_and(|usd| usd > 0.0) && verdict["receipt"]["tokens"]["input"].as_u64() > Some(100),
        "{verdict}"
    );
    let both = "SELECT COUNT(*) FROM journal WHERE kind = 'replied' AND body LIKE '%\"claimed\":{%-1000%' AND body LIKE '%\"spent_usd\":0.%'";
    assert!(house.count(both) >= 7, "both are in the journal");
    let shown = house.synod(&["show", "last"]).exits(0).out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("Our own count stands"), "{shown}");
    house.synod(&["replay", "last"]).exits(0);
}

#[test]
fn a_reply_beyond_twice_its_limit_is_cut_there_and_counted_whole() {
    for stream in [false, true] {
        let house = priced(stream);
        house.server.script("n", Fault::Oversized(400_000));
        let verdict = house.synod(&["ask", "--models", "m,n,o", "--seed", "7", "--json", "-q", "Tea?"]).exits(0).json();
        assert!(verdict["warnings"].to_string().contains("n went on beyond twice the length it was allowed"), "{}", verdict["warnings"]);
        assert!(verdict["receipt"]["tokens"]["output"].as_u64().expect("a count") > 8192, "{}", verdict["receipt"]);
    }
}

#[test]
fn a_budget_that_is_not_enough_for_the_least_is_refused_with_the_least() {
    let house = priced(false);
    let refused = house.synod(&["ask", "--models", "m,n,o", "--budget", "0.0001", "--json", "Tea?"]).exits(2).json();
    let want = refused["errors"][0]["want"].as_str().expect("what would do").to_owned();
    assert!(refused["errors"][0]["field"] == "budget" && want.starts_with('$'), "{refused}");
    assert_eq!((house.server.total(), house.synod(&["runs", "--json"]).json()["runs"].as_array().map(Vec::len)), (0, Some(0)), "nothing was run");
    let least = want[1..].split(' ').next().expect("an amount").to_owned();
    let did = house.synod(&["ask", "--models", "m,n,o", "--budget", &least, "--json", "-q", "Tea?"]);
    assert!(did.code == 4, "the least is accepted, and may yet stop: {}", did.out);
}

#[test]
fn the_budget_that_is_proposed_is_enough_to_go_on() {
    let house = priced(false);
    house.server.reply(ANY, |ask| Say { cost: Some(0.5), ..Say::by_default(ask, 8) });
    let mut did = house.synod(&["ask", "--models", "m,n,o", "--seed", "7", "--budget", "0.3", "--json", "-q", "Tea?"]).exits(4);
    for _ in 0..9 {
        let stopped = did.json();
        assert_eq!(stopped["stopped"]["reason"], "budget", "{stopped}");
        let before = house.server.total();
        let next = stopped["stopped"]["next"].as_str().expect("what to do next").to_owned();
        let args: Vec<&str> = next.split(' ').skip(1).chain(["--json", "-q"]).collect();
        did = house.synod(&args);
        assert!(house.server.total() > before, "{next} did not get one turn further");
        if did.code == 0 {
            return;
        }
    }
    panic!("it never ended: {}", did.out);
}

#[test]
fn what_is_likely_to_cost_much_is_asked_first() {
    let dear = "[models.d]\nendpoint = \"x\"\nid = \"d\"\nprice = { input = 500.0, output = 2500.0 }\n";
    let house = House::with(dear);
    let ask = ["ask", "--models", "d,d,d", "-q"];
    let refused = house.synod(&[&ask[..], &["Tea?"]].concat()).exits(2);
    assert!(refused.err.contains("likely $") && refused.err.contains("--yes") && refused.err.contains("--budget"), "{}", refused.err);
    assert_eq!(house.server.total(), 0);
    let no = house.typing(&[&ask[..], &["Tea?"]].concat(), &["perhaps"]).exits(2);
    assert!(no.out.contains("Go on? [y/N]") && house.server.total() == 0, "{}", no.out);
    house.typing(&[&ask[..], &["Tea?"]].concat(), &["y"]).exits(0);
    house.synod(&[&ask[..], &["--yes", "Tea?"]].concat()).exits(0);
    house.synod(&[&ask[..], &["--budget", "500", "Tea?"]].concat()).exits(0);
    let claim = house.synod(&["claim", "run", "--models", "d", "Dogs can smell"]).exits(2);
    assert!(claim.err.contains("likely $"), "{}", claim.err);
    // Where to ask is the user's to say; a free rehearsal is never asked about.
    house.write(
        "config/synod/synod.toml",
        &format!("{}[limits]\nconfirm_above = 1000\n", std::fs::read_to_string(house.path("config/synod/synod.toml")).expect("it")),
    );
    house.synod(&[&ask[..], &["Tea?"]].concat()).exits(0);
    house.synod(&["ask", "--rehearse", "-q", "Tea?"]).exits(0);
}

#[test]
fn arguments_of_tools_are_paid_for_before_they_are_sent() {
    // Each reply calls a tool with a long argument, which goes back with every later request of its loop; the server counts honestly.
    let words = "a long argument of many words ".repeat(400);
    let server = RawServer::start(move |sent, out| {
        let call = json!({"id": "c", "type": "function", "function": {"name": "calculate", "arguments": json!({"expression": words}).to_string()}});
        let reply = json!({"choices": [{"message": {"role": "assistant", "content": null, "tool_calls": [call]}, "finish_reason": "tool_calls"}],
            "usage": {"prompt_tokens": sent.len() / 5, "completion_tokens": words.len() / 5}});
        out.write_all(&body("application/json", &reply.to_string()))
    });
    let house = House::bare();
    house.write("config/synod/synod.toml", &server.config("openai", false).replace("input = 3.0, output = 15.0", "input = 30.0, output = 1.0"));
    for budget in [0.5, 0.7, 1.0, 1.5] {
        let flags = ["ask", "--mode", "roundtable", "--rounds", "1", "--models", "m,m,m", "--budget", &budget.to_string(), "--json", "-q", "Tea?"];
        let did = house.synod(&flags);
        assert!([3, 4].contains(&did.code), "{}", did.out);
        let spent = house.synod(&["runs", "--json"]).json()["runs"][0]["spent_usd"].as_f64().expect("a known cost");
        assert!(spent <= budget + 1e-9, "{spent} of {budget}");
    }
    assert!(server.calls() > 3);
}
