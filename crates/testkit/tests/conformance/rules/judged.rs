//! Modes whose seats mark, find, dispute or rule.

use super::{Found, Seen, list, mean, tally, text};
use serde_json::Value;
use std::collections::BTreeMap;

const TENTH: f64 = 0.05;

pub fn jury(seen: &Seen, found: &mut Found) {
    const SCALE: [&str; 3] = ["APPROVE", "REVISE", "REJECT"];
    let jurors: Vec<Value> = seen.said("juror").into_iter().map(|(_, juror)| juror).collect();
    let scores = |juror: &Value| juror["scores"].as_object().into_iter().flatten().filter_map(|(_, score)| score.as_f64()).collect::<Vec<f64>>();
    let averages: Vec<f64> = jurors.iter().filter_map(|juror| mean(&scores(juror))).map(|average| (average * 10.0).round() / 10.0).collect();
    let ruling = |average: &f64| if *average >= 7.0 { 0 } else { usize::from(*average < 4.0) + 1 };
    let votes = tally(averages.iter().map(ruling));
    let most = votes.values().copied().max().unwrap_or(0);
    let leading: Vec<usize> = votes.iter().filter(|(_, count)| **count == most).map(|(ruling, _)| *ruling).collect();
    let verdict = text(&seen.decision, "verdict");
    found.same(Some(verdict), leading.last().map(|ruling| SCALE[*ruling]), "the verdict and what most jurors' scores stand for");
    found.same(seen.decision["tied"] == true, leading.len() > 1, "a tie and its mention");
    found.near(seen.decision["average"].as_f64(), mean(&averages), TENTH, "the average");
    for dimension in list(&seen.decision, "dimensions") {
        let given: Vec<f64> = jurors.iter().filter_map(|juror| juror["scores"][text(dimension, "name")].as_f64()).collect();
        found.near(dimension["average"].as_f64(), mean(&given), TENTH, text(dimension, "name"));
        found.near(dimension["max"].as_f64(), given.iter().copied().reduce(f64::max), 0.0, text(dimension, "name"));
    }
    let told = format!("{verdict} by {most} of {} jurors", jurors.len());
    found.must(seen.summary().starts_with(&told), format!("{told}, and not: {}", seen.summary()));
    found.must(seen.verdict.action.as_deref().is_some_and(|action| action.starts_with(verdict)), "to do does not begin with the verdict");
    let against = averages.iter().filter(|average| SCALE[ruling(average)] != verdict).count();
    let foreman = &seen.decision["foreman"];
    found.same(foreman["agrees"] == false, !foreman.is_null() && foreman["verdict"] != verdict, "whether the foreman agrees");
    found.same(seen.verdict.dissent.len(), against + usize::from(foreman["agrees"] == false), "who is against it");
    found.count(verdict);
    found.count(if against > 0 { "dissent" } else { "unanimous" });
    found.count_if(leading.len() > 1, "tie");
    found.count_if(foreman["agrees"] == false, "foreman disagrees");
}

pub fn peer_review(seen: &Seen, found: &mut Found) {
    const GRAVEST: [&str; 4] = ["CRITICAL", "MAJOR", "MINOR", "SUGGESTION"];
    let reviews: Vec<Value> = seen.said("review").into_iter().map(|(_, review)| review).collect();
    let merged = seen.data("consensus_findings").pop().unwrap_or_default();
    let flaws = list(&merged, "findings");
    let made: usize = reviews.iter().map(|review| list(review, "findings").len()).sum();
    let count = |name: &str| seen.decision[name].as_u64().unwrap_or(0);
    let told: u64 = ["critical", "major", "minor", "suggestion"].iter().map(|name| count(name)).sum();
    found.same(told, flaws.len() as u64, "flaws counted and flaws listed");
    let holders: usize = flaws.iter().filter_map(|flaw| flaw["severities"].as_object()).map(serde_json::Map::len).sum();
    found.must(flaws.len() <= made && holders <= made, format!("{made} findings made, {} listed with {holders} finders", flaws.len()));
    for (name, severity) in ["critical", "major", "minor", "suggestion"].iter().zip(GRAVEST) {
        found.same(count(name), flaws.iter().filter(|flaw| flaw["severity"] == severity).count() as u64, name);
    }
    for flaw in flaws {
        let given: Vec<&str> = flaw["severities"].as_object().into_iter().flatten().filter_map(|(_, severity)| severity.as_str()).collect();
        let gravest = GRAVEST.iter().find(|severity| given.contains(severity));
        found.same(Some(text(flaw, "severity")), gravest.copied(), "a flaw is as grave as its gravest finder says");
    }
    let shared = flaws.iter().filter(|flaw| flaw["severities"].as_object().is_some_and(|by| by.len() > 1)).count();
    found.same(count("shared"), shared as u64, "flaws several found");
    let weight: BTreeMap<&str, f64> =
        list(&seen.decision, "criteria").iter().map(|each| (text(each, "name"), each["weight"].as_f64().unwrap_or(0.0))).collect();
    let overall = |review: &Value| {
        let given: Vec<(f64, f64)> =
            list(review, "scores").iter().filter_map(|score| Some((*weight.get(text(score, "criterion"))?, score["score"].as_f64()?))).collect();
        let all: f64 = given.iter().map(|(weight, _)| weight).sum();
        (all > 0.0).then(|| given.iter().map(|(weight, score)| weight * score).sum::<f64>() / all)
    };
    let overall = mean(&reviews.iter().filter_map(overall).collect::<Vec<f64>>());
    // Each review's own score is rounded before they are averaged.
    found.near(seen.decision["overall"].as_f64(), overall, 2.0 * TENTH, "the overall score");
    let told = format!("{} reviewers ", reviews.len());
    found.must(seen.summary().starts_with(&told), format!("{told}: {}", seen.summary()));
    found.count_if(shared > 0, "merged");
    found.count_if(shared < flaws.len(), "found by one");
    found.count_if(!list(&seen.decision, "disputed").is_empty(), "disputed criterion");
}

pub fn fact_check(seen: &Seen, found: &mut Found) {
    let checks: Vec<Vec<Value>> = seen.said("verify").into_iter().map(|(_, reply)| list(&reply, "checks").to_vec()).collect();
    let (mut weights, mut worth, mut verified) = (0.0, 0.0, 0.0);
    for claim in list(&seen.decision, "claims") {
        let own = |checks: &Vec<Value>| checks.iter().find(|check| check["id"] == claim["id"]).map(|check| text(check, "verdict").to_owned());
        let votes = tally(checks.iter().filter_map(own));
        let cast: u32 = votes.values().sum();
        let most = votes.values().copied().max().unwrap_or(0);
        let leading: Vec<&str> = votes.iter().filter(|(_, count)| **count == most).map(|(verdict, _)| verdict.as_str()).collect();
        let tied = cast > 1 && leading.len() > 1;
        let wanted =
            if cast < 2 || tied && leading.contains(&"UNVERIFIABLE") { Some("UNVERIFIABLE") } else { leading.first().copied().filter(|_| !tied) };
        let verdict = text(claim, "verdict");
        found.must(wanted.is_none_or(|wanted| wanted == verdict), format!("{verdict} by {votes:?}"));
        found.count_if(tied, "tie");
        found.count(verdict.to_lowercase());
        let share = f64::from(votes.get(verdict).copied().unwrap_or(0)) / f64::from(cast.max(1));
        found.near(claim["agreement"].as_f64(), (cast > 1).then_some((share * 100.0).round()), 0.0, "agreement on a claim");
        let sureness = match text(claim, "confidence") {
            "HIGH" => 1.0,
            "MEDIUM" => 0.6,
            _ => 0.3,
        };
        let weight = if cast > 1 { share * sureness } else { 0.0 };
        weights += weight;
        worth += weight * f64::from(u8::from(verdict == "VERIFIED")) + weight * 0.5 * f64::from(u8::from(verdict == "UNVERIFIABLE"));
        verified += weight * f64::from(u8::from(verdict == "VERIFIED"));
        found.must(verdict == "DISPUTED" || claim["correction"].is_null(), "a correction of what is not disputed");
    }
    let score = (weights > 0.0).then(|| (100.0 * worth / weights).round());
    // Half points may fall either way.
    found.near(seen.decision["score"].as_f64(), score, 1.0, "the score and its formula");
    let count = |verdict: &str| list(&seen.decision, "claims").iter().filter(|claim| claim["verdict"] == verdict).count() as u64;
    for (name, verdict) in [("verified", "VERIFIED"), ("disputed", "DISPUTED"), ("unverifiable", "UNVERIFIABLE")] {
        found.same(seen.decision[name].as_u64(), Some(count(verdict)), name);
    }
    if let Some(score) = seen.decision["score"].as_f64() {
        let bands = [(90.0, "highly_reliable"), (70.0, "mostly_reliable"), (50.0, "mixed"), (30.0, "significant_errors"), (0.0, "unreliable")];
        let by_score = bands.iter().position(|(from, _)| score >= *from).unwrap_or(4);
        let half = 2.0 * verified + 1e-9 >= weights;
        let band = bands[if half { by_score } else { by_score.max(2) }].1;
        found.same(text(&seen.decision, "band"), band, "the band");
        found.must(
            seen.summary().contains(&format!("reliability {score} of 100, {}", band.replace('_', " "))),
            format!("{score}, {band}: {}", seen.summary()),
        );
    }
    let told = format!("{} of {} claims verified", count("VERIFIED"), list(&seen.decision, "claims").len());
    found.must(seen.summary().contains(&told) || list(&seen.decision, "claims").is_empty(), format!("{told}: {}", seen.summary()));
}

pub fn red_team(seen: &Seen, found: &mut Found) {
    const WORST: [&str; 4] = ["CRITICAL", "HIGH", "MEDIUM", "LOW"];
    let findings = list(&seen.decision, "findings");
    let fates = tally(findings.iter().map(|finding| text(finding, "fate")));
    for (fate, count) in seen.decision["counts"].as_object().into_iter().flatten() {
        found.same(count.as_u64(), Some(fates.get(fate.as_str()).copied().unwrap_or(0).into()), fate);
        found.count_if(*count != 0, fate);
    }
    let unresolved: Vec<&Value> = findings.iter().filter(|finding| ["open", "overruled", "contested"].contains(&text(finding, "fate"))).collect();
    let worst = WORST.iter().find(|severity| unresolved.iter().any(|finding| finding["severity"] == **severity)).copied();
    found.same(text(&seen.decision, "risk"), worst.unwrap_or("NONE"), "the risk and the worst that is unresolved");
    for severity in WORST {
        let count = unresolved.iter().filter(|finding| finding["severity"] == severity).count() as u64;
        found.same(seen.decision["unresolved"][severity.to_lowercase()].as_u64(), Some(count), severity);
    }
    let places: Vec<usize> = findings.iter().filter_map(|finding| WORST.iter().position(|severity| finding["severity"] == *severity)).collect();
    found.must(places.windows(2).all(|two| two[0] <= two[1]), "a worse finding is listed lower");
    let hardened = match worst {
        None => "high",
        Some("CRITICAL" | "HIGH") => "low",
        Some(_) => "medium",
    };
    found
        .must(findings.is_empty() || seen.summary().contains(&format!("hardening confidence {hardened}")), format!("{hardened}: {}", seen.summary()));
    // What the author and the judge last said to each.
    let last = |prompt: &str, lists: &str| -> BTreeMap<String, Value> {
        // Of two words on one finding in one reply the first counts.
        let all = seen.said(prompt).into_iter().flat_map(|(_, reply)| list(&reply, lists).iter().rev().cloned().collect::<Vec<_>>());
        all.map(|each| (text(&each, "id").to_owned(), each)).collect()
    };
    let (responses, rulings) = (last("defend", "responses"), last("judge", "rulings"));
    for finding in findings {
        let id = text(finding, "id");
        let said = responses.get(id).map_or("", |response| text(response, "verdict"));
        let upheld = rulings.get(id).map(|ruling| ruling["upheld"] == true);
        let holds = match text(finding, "fate") {
            "fixed" => said == "ACCEPT",
            "rebutted" => said == "REBUT" && upheld == Some(true),
            "overruled" => said == "REBUT" && upheld == Some(false),
            "contested" => said == "REBUT",
            _ => true,
        };
        found.must(holds, format!("{id} is {}, the author said {said}, the judge {upheld:?}", text(finding, "fate")));
    }
}

pub fn specialist_panel(seen: &Seen, found: &mut Found) {
    let roles = list(&seen.decision, "by_role");
    let averages: Vec<f64> = roles.iter().filter_map(|role| role["average"].as_f64()).collect();
    found.near(seen.decision["overall"].as_f64(), mean(&averages), 2.0 * TENTH, "the overall rating");
    found.same(roles.len(), seen.said("report").len(), "specialists and reports");
    let lowest = averages.iter().copied().reduce(f64::min);
    let risk = seen.decision["top_risk"]["score"].as_f64();
    found.must(risk.zip(lowest).is_none_or(|(risk, lowest)| risk <= lowest + TENTH), "the top risk is no risk");
    let disputed =
        seen.data("convergence").pop().map(|row| list(&row, "findings").iter().filter(|each| !list(each, "disagree").is_empty()).count() as u64);
    found.same(seen.decision["conflicts"].as_u64(), disputed, "conflicts and findings somebody contradicts");
    let told = format!("{} specialists rate it {} of 5", roles.len(), seen.decision["overall"].as_f64().unwrap_or_default());
    found.must(seen.summary().starts_with(&told), format!("{told}: {}", seen.summary()));
    let dissent = |finding: &Value| list(finding, "disagree").len();
    let against: usize = seen.data("convergence").iter().flat_map(|row| list(row, "findings")).map(dissent).sum();
    found.same(seen.verdict.dissent.is_empty(), against == 0, "dissent and contradictions");
    found.count(if disputed > Some(0) { "conflict" } else { "no conflict" });
}

pub fn brainstorm(seen: &Seen, found: &mut Found) {
    let ranking = seen.data("ranking").pop().unwrap_or_default();
    let ranked = list(&ranking, "rankedClusters");
    let Some(first) = ranked.first() else { return found.must(false, "nothing was ranked") };
    found.same(text(&seen.decision, "cluster"), text(first, "name"), "the chosen group and the first of the ranking");
    found.same(&seen.decision["score"], &first["averageScore"], "its score");
    found.must(seen.summary().starts_with(text(first, "name")), format!("{}: {}", text(first, "name"), seen.summary()));
    found.must(seen.answer().contains(text(first, "name")), "the proposal does not name the group");
    let marks: Vec<Value> = seen.data("scoring_*").iter().flat_map(|row| list(row, "scores").to_vec()).collect();
    for cluster in ranked {
        let totals: Vec<f64> = marks.iter().filter(|mark| mark["clusterId"] == cluster["id"]).filter_map(|mark| mark["total"].as_f64()).collect();
        found.near(cluster["averageScore"].as_f64(), mean(&totals), TENTH, "a group's score and its marks");
    }
    let standard: Vec<f64> = ranked.iter().filter_map(|cluster| cluster["standardScore"].as_f64()).collect();
    found.must(ranking["source"] != "scores" || standard.windows(2).all(|two| two[0] >= two[1] - 1e-9), "a better group is ranked lower");
    let number = |cluster: &Value, name: &str| cluster[name].as_f64();
    let names = ["averageNovelty", "averageFeasibility", "averageImpact", "averageScore"];
    let worst = |name: &&str| ranked[1..].iter().all(|other| number(first, name) < number(other, name));
    found.must(ranked.len() < 2 || !names.iter().all(worst), "the chosen group is the worst by every number");
    let higher = ranked[1..].iter().any(|other| number(other, "averageScore") > number(first, "averageScore"));
    let said = format!("{} comes first with", text(first, "name"));
    found.must(
        !higher || seen.verdict.warnings.iter().any(|warning| warning.starts_with(&said)),
        "a group with a higher total was not chosen, and nothing says why",
    );
    found.count_if(higher, "a higher total was not chosen");
    let clustering = seen.data("clustering").pop().unwrap_or_default();
    let few = list(&clustering, "clusters").len() < 3;
    found.must(!few || clustering["whyFewer"].is_string() || clustering["fallback"] == true, "fewer than three groups, and no reason");
    found.count_if(few, "fewer than three groups");
    found.count_if(!list(&seen.decision, "tied").is_empty(), "tie");
    found.count(if seen.verdict.dissent.is_empty() { "no dissent" } else { "dissent" });
}
