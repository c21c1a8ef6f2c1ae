//! Modes that choose between answers by counting what the panel said of them.

use super::{Found, Seen, flat, list, tally, text};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Mean share of the others an answer was put before, over the ballots that hold it.
fn borda(ballots: &[Vec<String>]) -> BTreeMap<String, f64> {
    let mut shares: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for ballot in ballots {
        for (place, label) in ballot.iter().enumerate() {
            shares.entry(label.clone()).or_default().push((ballot.len() - 1 - place) as f64 / (ballot.len() - 1) as f64);
        }
    }
    shares.into_iter().map(|(label, shares)| (label, shares.iter().sum::<f64>() / shares.len() as f64)).collect()
}

pub fn council(seen: &Seen, found: &mut Found) {
    let labels = |ballot: &Value| list(ballot, "ranking").iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>();
    let ballots: Vec<Vec<String>> = seen.said("rank").iter().map(|(_, ballot)| labels(ballot)).collect();
    let ranking = list(&seen.decision, "ranking");
    found.same(ranking.len(), seen.said("answer").len(), "answers in the ranking and answers given");
    found.same(seen.decision["ranked"] == true, !ballots.is_empty(), "ranked and ballots");
    let scores = borda(&ballots);
    for place in ranking {
        found.near(place["score"].as_f64(), scores.get(text(place, "label")).copied(), 1e-9, "a score and its ballots");
    }
    let order: Vec<f64> = ranking.iter().filter_map(|place| place["score"].as_f64()).collect();
    found.must(order.windows(2).all(|two| two[0] >= two[1]), "a better score is ranked lower");
    if let (true, Some(first)) = (!ballots.is_empty(), ranking.first()) {
        found.same(!seen.decision["tie_rung"].is_null(), order.len() > 1 && order[0] == order[1], "a tie at the top and what broke it");
        let could = ballots.iter().filter(|ballot| ballot.iter().any(|label| label == text(first, "label"))).count();
        let firsts = ballots.iter().filter(|ballot| ballot.first().is_some_and(|label| label == text(first, "label"))).count();
        let told = format!("{firsts} of {could} other members put {}'s", text(first, "model"));
        found.must(seen.summary().starts_with(&told), format!("{told}, and not: {}", seen.summary()));
        found.count(if firsts == could { "unanimous" } else { "split" });
    }
    // Each answer of which the clerk names a claim dissents, once; nobody else does.
    let departures = seen.said("dissent").into_iter().flat_map(|(_, reply)| list(&reply, "departures").to_vec());
    let departed = tally(departures.map(|each| text(&each, "label").to_owned()));
    let dissent = tally(seen.verdict.dissent.iter().filter_map(|each| each.label.clone()));
    found.must(dissent.values().all(|times| *times == 1), "somebody dissents twice");
    found.same(dissent.keys().collect::<Vec<_>>(), departed.keys().collect(), "dissent and what the clerk found");
    let compared = !seen.said("dissent").is_empty() || seen.verdict.warnings.iter().any(|warning| warning.starts_with("Dissent was not compared"));
    found.must(compared, "no dissent, and no word on why");
    found.count(if dissent.is_empty() { "no dissent" } else { "dissent" });
}

/// The winner of a count of votes: it has the most of them, and a tie is told as one.
fn most_votes(seen: &Seen, found: &mut Found) {
    let votes = tally(seen.said("vote").into_iter().map(|(_, ballot)| text(&ballot, "vote").to_owned()));
    let label = text(&seen.decision, "label");
    let own = votes.get(label).copied().unwrap_or(0);
    let most = votes.values().copied().max().unwrap_or(0);
    // Two answers whose authors could only have voted for each other stand equal, without a vote.
    let tied = votes.is_empty() || votes.values().filter(|count| **count == most).count() > 1;
    let cast: u32 = votes.values().sum();
    found.same(own, most, "the winner's votes and the most votes");
    found.same((seen.decision["votes"].as_u64(), seen.decision["of"].as_u64()), (Some(own.into()), Some(cast.into())), "votes told and votes cast");
    found.same(seen.decision["tiebreak"] != "none", tied, "a tie and what broke it");
    if cast > 0 {
        let told = format!("{own} of {cast} votes went to {}'s answer", text(&seen.decision, "model"));
        found.must(seen.summary().starts_with(&told), format!("{told}, and not: {}", seen.summary()));
        // Nobody votes for its own answer.
        let could = seen.said("vote").iter().filter(|(seat, _)| seen.decision["seat"] != *seat).count() as u32;
        found.count(match (tied, own == could) {
            (true, _) => "tie",
            (false, true) => "unanimous",
            (false, false) => "split",
        });
    }
    let by = seen.verdict.answer.as_ref().map(|answer| answer.by.clone()).unwrap_or_default();
    found.must(by.iter().any(|seat| seen.decision["seat"] == *seat), "the answer is not the winner's");
    found.must(
        seen.verdict.action.as_deref().is_none_or(|action| flat(seen.answer()).starts_with(flat(action).trim_end_matches(" […]"))),
        "to do is not what won",
    );
}

pub fn vote(seen: &Seen, found: &mut Found) {
    most_votes(seen, found);
    found.must(seen.verdict.dissent.iter().all(|each| seen.decision["seat"] != json!(each.seat)), "the winner is against itself");
}

pub fn debate(seen: &Seen, found: &mut Found) {
    most_votes(seen, found);
    let own = seen.verdict.dissent.iter().filter(|each| seen.decision["seat"] == json!(each.seat)).count();
    found.same(own == 1, seen.decision["lost_to_original"] == true, "the winner was better before, and says so");
    found.count_if(own > 0, "better before its revision");
    let stance = seen.said("revise").iter().find(|(seat, _)| seen.decision["seat"] == *seat).map(|(_, reply)| reply["decision"].clone());
    found.same(&seen.decision["decision"], &stance.unwrap_or_default(), "what the winner did with its answer");
}

pub fn tournament(seen: &Seen, found: &mut Found) {
    let label = text(&seen.decision, "label");
    let path = list(&seen.decision, "path");
    let knockout = seen.decision["format"] == "knockout";
    let how = |step: &Value, kinds: &[&str]| kinds.contains(&text(step, "how"));
    let by_judge = path.iter().filter(|step| how(step, &["agreed", "second_judge"]) && step["result"] == "won").count();
    let judged = path.iter().filter(|step| how(step, &["agreed", "second_judge", "draw"])).count();
    found.same(seen.decision["matches_won"].as_u64(), Some(by_judge as u64), "matches won and the champion's path");
    found.must(!knockout || path.iter().all(|step| step["result"] == "won" || step["result"] == "bye"), "a champion of a knockout that lost");
    found.must(!knockout || path.last().is_some_and(|last| !how(last, &["void"])), "crowned in a final nobody judged");
    let lot = path.iter().any(|step| how(step, &["draw", "void"]));
    found.same(seen.decision["tiebreak"] != "none", lot || !knockout && seen.decision["tiebreak"] != "none", "a lot and its mention");
    let told = format!("{}'s answer won {by_judge} of {judged} judged match", text(&seen.decision, "model"));
    found.must(seen.summary().starts_with(&told), format!("{told}, and not: {}", seen.summary()));
    found.same(seen.summary().contains("by lot"), seen.decision["tiebreak"] == "draw", "by lot, in words and as a value");
    let matches: Vec<Value> = seen.data("round_*");
    for each in &matches {
        let winner = &each["winner"];
        found.must(winner.is_null() || *winner == each["labelA"] || *winner == each["labelB"], "a match won by a third");
        let words = |order: &str| list(each, "judgements").last().map(|last| last[order].clone()).unwrap_or_default();
        if each["how"] == "agreed" {
            found.must(words("ab") == words("ba") && words("ab") == *winner, "agreed, and the words differ");
        }
    }
    let lost = |label: &str| {
        matches.iter().any(|each| !each["winner"].is_null() && each["winner"] != label && (each["labelA"] == label || each["labelB"] == label))
    };
    found.must(!knockout || !lost(label), "the champion lost a match");
    found.count(if lot { "by lot" } else { "judged throughout" });
}

pub fn delphi(seen: &Seen, found: &mut Found) {
    let stats = seen.data("round_*").into_iter().rfind(|row| row["type"] == "stats").unwrap_or_default();
    let last = stats["round"].clone();
    let counted: Vec<Value> = seen.data("round_*").into_iter().filter(|row| row["round"] == last && row["counted"] == true).collect();
    found.same(seen.decision["settled"] == true, stats["converged"] == true, "settled, and the last round");
    found.count(if seen.decision["settled"] == true { "settled" } else { "not settled" });
    found.must(seen.summary().contains("settled"), "no word on whether it settled");
    if let Some(choice) = seen.decision["choice"].as_str() {
        let votes = tally(counted.iter().map(|row| text(row, "answer").to_owned()));
        let own = votes.get(choice).copied().unwrap_or(0);
        found.same(own, votes.values().copied().max().unwrap_or(0), "the chosen option and the most votes");
        let told = format!("{own} of {} panelists chose: {choice}", counted.len());
        found.must(seen.summary().starts_with(&told), format!("{told}, and not: {}", seen.summary()));
        found.must(seen.answer().contains(choice), "the report does not name the choice");
        found.count("choice");
        return;
    }
    let mut numbers: Vec<f64> = counted.iter().filter_map(|row| row["estimate"].as_f64()).collect();
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    let median = if numbers.len() % 2 == 1 { numbers[middle] } else { (numbers[middle - 1] + numbers[middle]) / 2.0 };
    found.near(seen.decision["value"].as_f64(), Some(median), 1e-6, "the value and the median");
    let (low, high) = (seen.decision["interval"]["low"].as_f64(), seen.decision["interval"]["high"].as_f64());
    found.must(low.is_some_and(|low| low <= median) && high.is_some_and(|high| median <= high), "the median outside of the middle half");
    found.must(seen.summary().contains(&format!("the median of {} panelists", numbers.len())), format!("not {}: {}", numbers.len(), seen.summary()));
    let first = seen.summary().split(',').next().unwrap_or_default();
    found.must(seen.answer().contains(first), format!("the report does not say {first}"));
    found.count("number");
}

pub fn confidence_weighted(seen: &Seen, found: &mut Found) {
    let answers = list(&seen.decision, "answers");
    let weights: Vec<f64> = answers.iter().filter_map(|each| each["weight"].as_f64()).collect();
    found.near(Some(weights.iter().sum()), Some(1.0), 1e-6, "the weights together");
    found.must(weights.windows(2).all(|two| two[0] >= two[1]), "a heavier answer is listed lower");
    found.same(answers.len(), seen.said("answer").len(), "answers weighed and answers given");
    for each in answers {
        let stated = seen.said("answer").into_iter().find(|(seat, _)| each["seat"] == *seat).and_then(|(_, reply)| reply["confidence"].as_f64());
        found.near(each["confidence"].as_f64(), stated, 1e-9, "a confidence and what was stated");
    }
    // Whoever is surer weighs no less.
    let sure: Vec<f64> = answers.iter().filter_map(|each| each["confidence"].as_f64()).collect();
    found.must(seen.decision["weights"] != "stated" || sure.windows(2).all(|two| two[0] >= two[1]), format!("less sure, and heavier: {sure:?}"));
    if let (Some(first), Some(weight)) = (answers.first(), weights.first()) {
        found.must(seen.verdict.dissent.iter().all(|each| first["seat"] != json!(each.seat)), "the heaviest answer is against what it shaped");
        let told = format!("Of {} answers {}'s weighs most, {:.0} %", answers.len(), text(first, "model"), weight * 100.0);
        found.must(seen.summary().starts_with(&told), format!("{told}, and not: {}", seen.summary()));
        found.count(if *weight > 0.5 { "one outweighs the rest" } else { "spread" });
    }
}
