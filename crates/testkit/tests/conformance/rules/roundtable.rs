//! A roundtable's action beside its votes, risks, camps, agreement and rulings, in every style.

use super::{Found, Seen, list, mean, over_seeds, text};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A seat by the name others know it by: `S1` of `S1 (m0)`.
fn name(seat: &Value) -> &str {
    seat.as_str().unwrap_or_default().split(" (").next().unwrap_or_default()
}

/// Who holds a blocker at the end, among those whose votes count: by each vote in its order, and by what a person resolved. With them those
/// whom a person overruled.
fn blockers(seen: &Seen, rounds: u64) -> (Vec<String>, BTreeSet<String>) {
    let mut open: BTreeMap<String, Option<String>> = BTreeMap::new();
    let mut overruled = BTreeSet::new();
    for round in 1..=rounds {
        for row in seen.data(&format!("round_{round}")).iter().filter(|row| row["blocked"].is_null() && row["voteCounts"] == true) {
            let seat = text(row, "seat").to_owned();
            match text(row, "vote") {
                "BLOCKER" => drop(open.insert(seat, row["blocker"].as_str().map(str::to_owned))),
                "" => open.retain(|known, claim| {
                    *known != seat || !list(&row["claimsTouched"], "reinforced").iter().any(|id| id.as_str() == claim.as_deref())
                }),
                _ => drop(open.remove(&seat)),
            }
        }
        if seen.data(&format!("objection_{round}_outcome")).iter().any(|row| row["resolution"]["answer"] == "accept") {
            overruled.extend(std::mem::take(&mut open).into_keys());
        }
    }
    (open.into_keys().collect(), overruled)
}

pub fn verdict(seen: &Seen, found: &mut Found) {
    let decision = &seen.decision;
    let (action, style) = (text(decision, "action"), text(decision, "style"));
    let rounds = decision["rounds"].as_u64().unwrap_or_default();
    let conflicts = list(decision, "conflicts");
    found.count(action);
    found.must(seen.summary().starts_with(&format!("{}: ", action.replace('_', " "))), format!("{action}, and not: {}", seen.summary()));
    found.must(
        seen.answer().starts_with("## ") || seen.verdict.warnings.iter().any(|warning| warning.starts_with("Nobody could write")),
        "no recommendation first",
    );
    let each_told =
        conflicts.iter().all(|conflict| !text(conflict, "why").is_empty() && seen.answer().contains(text(conflict, "why").trim_end_matches('.')));
    found.must(each_told, "a conflict that the answer does not tell");

    // Votes: those of the last round, those of assigned sides apart.
    let last: Vec<Value> = seen.data(&format!("round_{rounds}")).into_iter().filter(|row| row["blocked"].is_null()).collect();
    let seats = seen.data("seats").first().map(|row| list(row, "seats").to_vec()).unwrap_or_default();
    let assigned = ["devils-advocate", "red-team-blue-team"].contains(&style);
    let counts = |seat: &str| !assigned || seats.iter().any(|part| part["seat"] == *seat && part["vote_counts"] == true);
    let free: Vec<&str> = seats.iter().map(|part| text(part, "seat")).filter(|seat| counts(seat)).collect();
    let vote = |seat: &str| last.iter().find(|row| row["seat"] == *seat).map_or("", |row| text(row, "vote"));
    for (field, of) in [("votes", true), ("role_bound_votes", false)] {
        for (word, count) in [("ACCEPT", "accept"), ("MINOR", "minor"), ("BLOCKER", "blocker"), ("", "missing")] {
            let cast = seats.iter().map(|part| text(part, "seat")).filter(|seat| counts(seat) == of && vote(seat) == word).count() as u64;
            found.same(decision[field][count].as_u64(), Some(cast), &format!("{field}, {count}"));
        }
    }

    // What stands against it, counted once more from the rows.
    let (blocking, overruled) = blockers(seen, rounds);
    let told = |kind: &str| conflicts.iter().filter(|conflict| conflict["kind"] == *kind).count();
    found.same(told("blocker"), blocking.len(), "blockers told and blockers open");
    found.count_if(!blocking.is_empty(), "blocker");
    let told_overruled = list(decision, "overruled_blockers").iter().map(|seat| name(seat).to_owned()).collect::<BTreeSet<_>>();
    found.same(told_overruled, overruled, "blockers told as overruled and blockers overruled");
    let risks = seen.data("claims").first().map(|row| list(row, "risks").to_vec()).unwrap_or_default();
    let unanswered = risks.iter().filter(|risk| risk["open"] == true && risk["same_as"].is_null()).count();
    found.same(told("risk"), unanswered, "risks told and risks unanswered");
    found.same(list(decision, "unanswered_risks").len(), unanswered, "risks listed and risks unanswered");
    found.count_if(unanswered > 0, "unanswered risk");
    let only_stands = |risk: &&Value| !list(risk, "answers").is_empty() && list(risk, "answers").iter().all(|word| word["answered"] == false);
    found.must(risks.iter().filter(only_stands).all(|risk| risk["open"] == true), "a risk that only stands counts as answered");
    found.count_if(risks.iter().any(|risk| only_stands(&risk)), "risk stands");
    let unattacked = style == "red-team-blue-team" && risks.is_empty();
    found.same(told("unattacked"), usize::from(unattacked), "told as unattacked and without a risk");

    let analysis = seen.data(&format!("round_{rounds}_analysis")).into_iter().next().unwrap_or_default();
    let camps: Vec<Vec<&str>> =
        list(&analysis, "clusters").iter().map(|camp| list(camp, "seats").iter().map(name).filter(|seat| counts(seat)).collect()).collect();
    let camp = |seat: &str| camps.iter().position(|camp| camp.contains(&seat));
    let majority = camps.iter().any(|camp| 2 * camp.len() > free.len());
    let disagreed = list(&analysis, "disagreementPoints").iter().any(|point| {
        let named: Vec<&str> = list(point, "one_side").iter().chain(list(point, "other_side")).map(name).filter(|seat| free.contains(seat)).collect();
        let least = if style == "red-team-blue-team" { 2 } else { 1 };
        named.len() >= least && named.iter().any(|seat| camp(seat) != camp(named[0]) || ["MINOR", "BLOCKER"].contains(&vote(seat)))
    });
    let agreement = analysis["agreementLevel"].as_f64();
    found.near(decision["agreement"].as_f64(), agreement, 1e-9, "agreement told and agreement read");
    let sure: Vec<f64> = last.iter().filter(|row| counts(text(row, "seat"))).filter_map(|row| row["confidence"].as_f64()).collect();
    let average = mean(&sure).unwrap_or_default();
    let spread = sure.iter().map(|value| (value - average).powi(2)).sum::<f64>() / sure.len().max(1) as f64 > 0.04 + 1e-9;

    let clear = blocking.is_empty() && unanswered == 0;
    let allowed = match style {
        "socratic" => false,
        "devils-advocate" => {
            let side = decision["ruling"]["side"].as_str();
            let ruled: Vec<&str> = last.iter().map(|row| text(row, "ruling")).filter(|side| !side.is_empty()).collect();
            let most = |side: &str| 2 * ruled.iter().filter(|ruling| **ruling == side).count() > ruled.len();
            let expected = if ruled.is_empty() { None } else { ["FOR", "AGAINST", "EVEN"].into_iter().find(|side| most(side)).or(Some("SPLIT")) };
            found.same(side, expected, "the ruling told and the rulings given");
            found.must(ruled.is_empty() || seen.answer().contains("## Ruling"), "a ruling that is not in the answer");
            found.count(format!("ruling {}", side.unwrap_or("none")));
            clear && side == Some("FOR")
        }
        "red-team-blue-team" => clear && !unattacked && majority && !disagreed,
        _ => {
            let accept = free.iter().filter(|seat| ["ACCEPT", "MINOR"].contains(&vote(seat))).count();
            let against = free.iter().any(|seat| vote(seat) == "BLOCKER");
            let voted = rounds > 1;
            let stands_in = voted && !against && agreement.is_some_and(|agreement| agreement >= 0.9);
            let accepted = decision["stopped"] == "person" || 2 * accept > free.len() || stands_in;
            clear && majority && !disagreed && accepted && agreement.is_some_and(|agreement| agreement >= 0.7) && !spread
        }
    };
    found.same(action == "proceed", allowed && average >= 0.5, "the action and what it follows from");
    found.must(conflicts.is_empty() == allowed || style == "socratic", format!("{action} beside {conflicts:?}"));
    found.same(!list(decision, "open_questions").is_empty(), style == "socratic", "open questions and the style that ends with them");
    found.must(style != "socratic" || action == "query_detail", "a table that only asks decides");
}

/// Forty seeds of a style, each of at most three rounds.
async fn style(style: &str, wanted: &'static [&'static str]) {
    over_seeds(&synod_modes::roundtable::MODE, &[("style", json!(style)), ("rounds", json!(3))], Some((verdict, wanted))).await;
}

macro_rules! styles {
    ($($name:ident $style:literal $wanted:expr;)*) => {
        $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)] async fn $name() { style($style, $wanted).await; })*

        #[test]
        fn every_style_is_tried() {
            assert_eq!(synod_modes::roundtable::styles(), [$($style),*]);
        }
    };
}
styles! {
    collaborative "collaborative" &["proceed", "verify", "blocker"];
    adversarial "adversarial" &["proceed", "verify", "blocker"];
    socratic "socratic" &["query_detail"];
    expert_panel "expert-panel" &["proceed", "verify", "blocker"];
    devils_advocate "devils-advocate" &["proceed", "verify", "ruling FOR", "ruling AGAINST"];
    delphi "delphi" &["proceed", "verify", "blocker"];
    red_team_blue_team "red-team-blue-team" &["proceed", "verify", "risk stands"];
}
