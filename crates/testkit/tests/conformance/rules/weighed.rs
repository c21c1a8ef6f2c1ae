//! Weighted collapse: what was decided, recomputed from the cards, receipts, doubts and ratings its seats gave.

use super::{Found, Seen, list, mean, text};
use serde_json::Value;
use std::collections::BTreeMap;

const EXACT: f64 = 1e-6;

/// The last entry of a stage for each position.
fn latest(seen: &Seen, stage: &str) -> BTreeMap<String, Value> {
    seen.data(stage).into_iter().map(|data| (text(&data, "positionId").to_owned(), data)).collect()
}

/// Each position's card as it ended.
fn cards(seen: &Seen) -> BTreeMap<String, Value> {
    let mut out = BTreeMap::new();
    for stage in ["position_card", "revision", "hybrid_card"] {
        out.extend(latest(seen, stage).into_iter().map(|(id, data)| (id, data["card"].clone())));
    }
    out
}

fn number(value: &Value, field: &str) -> f64 {
    value[field].as_f64().unwrap_or(f64::NAN)
}

/// Evidence, risk, reversibility, cost and confidence by the formula of the default policy; more is better in all but risk and cost.
fn terms(card: &Value, doubts: &[Value]) -> [f64; 5] {
    let worth = |piece: &Value| match (&piece["checked"]["not_looked_up"], &piece["checked"]["valid"]) {
        (Value::Bool(true), _) => number(piece, "quality") / 2.0,
        (_, Value::Bool(false)) => 0.0,
        _ => number(piece, "quality"),
    };
    let evidence = mean(&list(card, "evidence").iter().map(worth).collect::<Vec<f64>>()).unwrap_or(0.0);
    let weight = |risk: &Value| match text(risk, "severity") {
        "critical" => 1.0,
        "high" => 0.7,
        "medium" => 0.4,
        _ => 0.1,
    };
    let left = |risk: &Value| 1.0 - weight(risk) * risk["residual_risk"].as_f64().unwrap_or(1.0);
    let risk = 1.0 - list(card, "risks").iter().chain(doubts).map(left).product::<f64>();
    [evidence, risk, number(card, "reversibility"), number(card, "cost").min(100.0) / 100.0, number(card, "confidence")]
}

fn score([evidence, risk, undone, cost, sure]: [f64; 5]) -> f64 {
    10.0 * evidence - 8.0 * risk + 3.0 * undone - 2.0 * cost + sure
}

/// Whether the first is at least as good in everything, and better in something.
fn dominates(a: [f64; 5], b: [f64; 5]) -> bool {
    let gains = [a[0] - b[0], b[1] - a[1], a[2] - b[2], b[3] - a[3], a[4] - b[4]];
    gains.iter().all(|gain| *gain > -1e-9) && gains.iter().any(|gain| *gain > 1e-9)
}

/// A skeptic's risks about a position that stop it: critical, with more than 0.3 left, and neither refuted with a reason nor approved by a person.
fn unanswered(seen: &Seen, id: &str) -> usize {
    let (doubts, rulings) = (latest(seen, "skeptic_risks"), latest(seen, "doubt_rulings"));
    let approvals = seen.data("audit").pop().unwrap_or_default();
    let refuted = |name: &str| {
        let all = rulings.get(id).map_or(&[][..], |row| list(row, "rulings"));
        all.iter().any(|each| each["doubt"] == name && each["ruling"] == "rejected" && !text(each, "reason").is_empty())
    };
    let approved = |subject: &str| {
        list(&approvals, "approvals").iter().any(|each| each["position_id"] == id && each["subject"] == subject && each["decision"] == "approve")
    };
    let risks = doubts.get(id).map_or(&[][..], |row| list(row, "risks"));
    let stops = |(risk, _): &(&Value, i32)| risk["severity"] == "critical" && number(risk, "residual_risk") > 0.3 + 1e-9;
    risks.iter().zip(1..).filter(stops).filter(|(_, n)| !refuted(&format!("D{n}")) && !approved(&format!("doubt {n}"))).count()
}

pub fn collapse(seen: &Seen, found: &mut Found) {
    let decision = &seen.decision;
    let (cards, receipts) = (cards(seen), latest(seen, "verifier_receipt"));
    let position = text(decision, "position").to_owned();
    let threshold = number(&decision["config"], "threshold");
    let viable: Vec<&str> = list(decision, "positions").iter().filter(|each| each["state"] == "viable").map(|each| text(each, "id")).collect();

    // Every score is the formula's, the author's alone, and the words agree with the fields.
    for each in list(decision, "positions") {
        let id = text(each, "id");
        let of = terms(cards.get(id).unwrap_or(&Value::Null), &[]);
        found.near(each["evidence"].as_f64(), Some(of[0]), EXACT, "evidence");
        found.near(each["risk"].as_f64(), Some(of[1]), EXACT, "risk");
        found.near(each["score"].as_f64(), Some(score(of)), EXACT, "the score and its formula");
        found.must(each["score_doubted"].as_f64().is_none_or(|doubted| doubted <= score(of) + EXACT), "doubts raise a score");
        found.same(each["verified"] == true, receipts.get(id).is_some_and(|receipt| receipt["status"] == "PASS"), "verified and the receipt");
        let state = text(each, "state");
        found.same(state == "viable", list(each, "gates").is_empty(), "a state and its reasons");
        found.must(
            state == "viable" || unanswered(seen, id) == 0 || ["needs_approval", "held", "rejected"].contains(&state),
            "a doubt rejects a card",
        );
        let told = format!("{id} ({})", state.replace('_', " "));
        found.same(seen.answer().contains(&told), state != "viable", "positions that did not stand, and their mention");
        found.count_if(state == "needs_approval", "parked");
        found.count_if(number(each, "revisions") > 0.0, "revised");
    }

    // What is taken passed the gates, over no critical doubt that nobody answered.
    found.must(viable.contains(&position.as_str()), format!("{position} is taken and did not pass"));
    found.same(unanswered(seen, &position), 0, "critical doubts about what is taken that nobody answered");
    found.same(decision["verified"].as_bool(), Some(receipts.get(&position).is_some_and(|receipt| receipt["status"] == "PASS")), "verified");
    found.same(seen.summary().contains("unverified"), decision["verified"] == false, "unverified, and said so");
    let doubts = latest(seen, "skeptic_risks");
    found.same(
        decision["challenged"].as_bool(),
        Some(doubts.get(&position).is_some_and(|row| !text(row, "reasons").is_empty())),
        "challenged, and the skeptic's row",
    );
    found.same(seen.summary().contains("unchallenged"), decision["challenged"] == false, "unchallenged, and said so");
    found.count_if(doubts.values().any(|row| list(row, "risks").iter().any(|risk| risk["severity"] == "critical")), "critical doubt");

    // Thresholds agree with scores.
    let ours = terms(cards.get(&position).unwrap_or(&Value::Null), &[]);
    found.near(decision["score"].as_f64(), Some(score(ours)), EXACT, "the score of what is taken");
    found.same(decision["below_threshold"] == true, score(ours) <= threshold + 1e-9, "below the threshold");
    let consensus = decision["consensus"].as_f64();
    let (status, rung) = (text(decision, "status"), text(decision, "rung"));
    match status {
        "ACCEPTED" => {
            found.must(score(ours) > threshold && rung == "threshold", format!("taken by its score {}", score(ours)));
            found.must(consensus.is_none() && decision["conflict_type"].is_null(), "a panel where none sat");
            let best = |id: &&&str| score(terms(cards.get(**id).unwrap_or(&Value::Null), &[]));
            found.must(viable.iter().all(|id| best(&id) <= score(ours) + EXACT), "a better one is left");
        }
        "CONSENSUS_REACHED" | "HYBRID_SYNTHESIZED" => {
            found.must(consensus.is_some_and(|value| value >= 0.7 - EXACT), format!("agreed with {consensus:?}"))
        }
        "SAFE_FALLBACK" => found.must(rung != "safe_fallback" || consensus.is_none_or(|value| value >= 0.0), "a fallback"),
        _ => found.must(decision["decided_by"].is_string(), "handed to a person whom nobody names"),
    }
    found.count(status);
    if let Some(value) = consensus {
        let panels = seen.data("panel_result").into_iter().chain(seen.data("hybrid_result"));
        let told: Vec<f64> = panels.filter_map(|panel| panel["consensus"][&position].as_f64()).collect();
        found.must(told.iter().any(|other| (other - value).abs() < EXACT), format!("consensus {value}, the panel's {told:?}"));
    }

    // Nobody wins over one that is better in everything without a word.
    for id in viable.iter().filter(|id| **id != position) {
        let theirs = terms(cards.get(*id).unwrap_or(&Value::Null), &[]);
        let warned = seen.verdict.warnings.iter().any(|warning| warning.starts_with(&format!("{position} is taken although {id} ")));
        found.same(warned, dominates(theirs, ours), "a dominated winner and its warning");
        found.count_if(warned, "dominated winner");
    }

    // What is wanting is a condition, and nothing of it is remembered.
    let told = format!("evidence {:.2} is below 0.60", ours[0]);
    found.same(
        list(decision, "conditions").iter().any(|each| each.as_str().is_some_and(|each| each.starts_with(&told))),
        ours[0] < 0.6 - 1e-9,
        "thin evidence and its condition",
    );
    found.must(list(decision, "conditions").is_empty() || decision["memory_write"] == false, "remembered on a condition");
    found.count_if(!list(decision, "conditions").is_empty(), "on conditions");
}
