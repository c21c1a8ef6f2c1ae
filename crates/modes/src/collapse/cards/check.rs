//! What a schema cannot say of a decision's input: ids must differ or exist, there is one unit of cost, and no two entries contradict each other.

use super::card::Card;
use super::text::names;
use crate::collapse::Options;
use crate::collapse::panel::hybrid;
use std::collections::{BTreeMap, BTreeSet};
use synod_math::collapse::instant::instant;
use synod_types::Problem;

/// Collects what is wrong, each with its place from the document's root.
struct ProblemList<'a> {
    root: &'a str,
    problems: Vec<Problem>,
}

impl ProblemList<'_> {
    fn add(&mut self, field: impl AsRef<str>, got: impl Into<String>, want: impl Into<String>) {
        self.problems.push(Problem::new(format!("{}{}", self.root, field.as_ref()), got, want));
    }
}

/// Everything wrong with a decision's input, beyond what its schema says. Fields are named from `root`.
pub fn check(options: &Options, root: &str) -> Vec<Problem> {
    let mut found = ProblemList { root, problems: Vec::new() };
    check_policy(options, &mut found);
    check_names(options, &mut found);
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for (at, card) in options.cards.iter().enumerate() {
        if !seen.insert(&card.id) {
            found.add(format!("cards[{at}].id"), card.id.clone(), "an id that no other card has");
        }
        if card.cost_unit != options.cards[0].cost_unit {
            let (got, want) = (card.cost_unit.as_str(), options.cards[0].cost_unit.as_str());
            found.add(
                format!("cards[{at}].cost_unit"),
                format!("{got} (mixed_cost_units)"),
                format!("{want}, as on the first card: one unit for all"),
            );
        }
        check_card(card, &format!("cards[{at}]"), options, &mut found);
    }
    check_records(options, &mut found);
    found.problems
}

fn check_policy(options: &Options, found: &mut ProblemList) {
    let policy = &options.policy;
    if policy.no_agreement > policy.consensus {
        found.add("policy.no_agreement", policy.no_agreement.to_string(), format!("at most policy.consensus, which is {}", policy.consensus));
    }
}

/// Names that become part of keys and of questions to people.
fn check_names(options: &Options, found: &mut ProblemList) {
    let mut known = BTreeMap::new();
    let invariants = options.invariants.iter().enumerate().map(|(at, invariant)| (format!("invariants[{at}].id"), &invariant.id));
    let regulations = options.regulations.iter().enumerate().map(|(at, tag)| (format!("regulations[{at}]"), tag));
    for (field, name) in invariants.chain(regulations) {
        check_subject(&field, name, found);
        if let Some(first) = known.insert(as_key(name), field.clone()) {
            found.add(field, name.clone(), format!("a name of its own: {first} has it"));
        }
    }
    let mut experts = BTreeSet::new();
    for (at, expert) in options.experts.iter().enumerate() {
        if !is_plain(expert) || !experts.insert(as_key(expert)) {
            found.add(format!("experts[{at}]"), format!("{expert:?}"), "the name of a field in one line, each once");
        }
    }
}

fn check_card(card: &Card, field: &str, options: &Options, found: &mut ProblemList) {
    let id = card.id.as_str();
    if !is_plain(id) || id.contains(['/', '@']) {
        found.add(format!("{field}.id"), format!("{id:?}"), "a name in one line, without / and @, and no blank around it");
    }
    if ["none", hybrid::ID].contains(&id) {
        found.add(format!("{field}.id"), id, "an id other than none and hybrid, which have a meaning of their own");
    }
    if !card.timestamp.is_empty() && instant(&card.timestamp).is_none() {
        found.add(format!("{field}.timestamp"), format!("{:?}", card.timestamp), "a time in ISO 8601: 2026-02-03T09:00:00Z");
    }
    for (nth, claim) in card.claims.iter().enumerate().filter(|(_, claim)| claim.trim().is_empty()) {
        found.add(format!("{field}.claims[{nth}]"), format!("{claim:?}"), "some words");
    }
    for (nth, step) in card.plan.iter().enumerate().filter(|(_, step)| step.action.trim().is_empty()) {
        found.add(format!("{field}.plan[{nth}].action"), format!("{:?}", step.action), "some words");
    }
    for (nth, evidence) in card.evidence.iter().enumerate() {
        if let (Some(code), false) = (evidence.exit_code, evidence.is_command()) {
            found.add(format!("{field}.evidence[{nth}].exit_code"), code.to_string(), "none: only a pointer that begins with command: has one");
        }
        if !evidence.output.is_empty() && !evidence.is_command() {
            found.add(format!("{field}.evidence[{nth}].output"), "a text", "none: only a pointer that begins with command: has one");
        }
    }
    for (nth, broken) in card.invariant_violations.iter().enumerate() {
        let (at, name) = (format!("{field}.invariant_violations[{nth}]"), &broken.invariant_id);
        let declared = options.invariants.iter().find(|invariant| invariant.id == *name);
        match declared {
            None if !options.invariants.is_empty() => {
                let known: Vec<&str> = options.invariants.iter().map(|invariant| invariant.id.as_str()).collect();
                found.add(format!("{at}.invariant_id"), name.clone(), format!("a declared invariant: {}", names(&known)));
            }
            Some(invariant) if invariant.hard && broken.requires_approval => {
                found.add(format!("{at}.requires_approval"), "true", format!("false: {name} is declared hard, and nobody may waive it"));
            }
            Some(_) => {}
            None => check_subject(&format!("{at}.invariant_id"), name, found),
        }
    }
    let broken: BTreeSet<String> = card.invariant_violations.iter().map(|broken| as_key(&broken.invariant_id)).collect();
    let mut spelled = BTreeMap::new();
    for (nth, tag) in card.regulatory.iter().enumerate() {
        let at = format!("{field}.regulatory[{nth}]");
        check_subject(&at, tag, found);
        if broken.contains(&as_key(tag)) {
            found.add(at, tag.clone(), "a name that no invariant on the card has: an approval must mean one of them");
        } else if *spelled.entry(as_key(tag)).or_insert(tag) != tag {
            found.add(at, tag.clone(), "one spelling for one regulation");
        }
    }
}

/// Receipts, approvals and ratings, which must fit the cards.
fn check_records(options: &Options, found: &mut ProblemList) {
    let ids: Vec<&str> = options.cards.iter().map(|card| card.id.as_str()).collect();
    let cards: BTreeMap<&str, &Card> = options.cards.iter().map(|card| (card.id.as_str(), card)).collect();
    let want = || if ids.is_empty() { "no such entry: there are no cards".to_owned() } else { format!("a card's id: {}", names(&ids)) };
    let mut receipts = BTreeSet::new();
    for (at, receipt) in options.receipts.iter().enumerate() {
        if !cards.contains_key(receipt.position_id.as_str()) {
            found.add(format!("receipts[{at}].position_id"), receipt.position_id.clone(), want());
        } else if !receipts.insert(&receipt.position_id) {
            found.add(format!("receipts[{at}].position_id"), receipt.position_id.clone(), "one receipt a card");
        }
    }
    let mut approvals = BTreeSet::new();
    for (at, approval) in options.approvals.iter().enumerate() {
        let Some(card) = cards.get(approval.position_id.as_str()) else {
            found.add(format!("approvals[{at}].position_id"), approval.position_id.clone(), want());
            continue;
        };
        let subjects = card.subjects();
        if !subjects.contains(&approval.subject) {
            let known: Vec<&str> = subjects.iter().map(String::as_str).collect();
            let want = format!("something {} may need approved: {}", card.id, names(&known));
            found.add(format!("approvals[{at}].subject"), approval.subject.clone(), want);
        } else if !approvals.insert((&approval.position_id, &approval.subject)) {
            let got = format!("{} of {} a second time", approval.subject, approval.position_id);
            found.add(format!("approvals[{at}].subject"), got, "one decision on each subject of a position");
        }
    }
    let mut members = BTreeSet::new();
    for (at, evaluation) in options.panel.iter().enumerate() {
        if !members.insert((evaluation.agent, &evaluation.member)) {
            let got = format!("{} {}", evaluation.agent.as_str(), evaluation.member);
            found.add(format!("panel[{at}].agent"), got.trim(), "one evaluation for each member of a seat");
        }
        if let Some(named) = evaluation.recommendation.as_ref().filter(|named| !evaluation.position_scores.contains_key(*named)) {
            let rated: Vec<&str> = evaluation.position_scores.keys().map(String::as_str).collect();
            found.add(format!("panel[{at}].recommendation"), named.clone(), format!("one of the positions it scores: {}", names(&rated)));
        }
        for (id, score) in &evaluation.position_scores {
            if !cards.contains_key(id.as_str()) {
                found.add(format!("panel[{at}].position_scores"), id.clone(), want());
            }
            if !(0.0..=1.0).contains(score) {
                found.add(format!("panel[{at}].position_scores.{id}"), score.to_string(), "a number from 0 to 1");
            }
        }
    }
}

/// The name of something a person may be asked about must be plain, and none of those the gates use for the card itself.
fn check_subject(field: &str, name: &str, found: &mut ProblemList) {
    let numbered = |kind: &str| name.strip_prefix(kind).is_some_and(|rest| rest.parse::<u32>().is_ok());
    let taken = name == "data_loss" || numbered("risk ") || numbered("doubt ");
    if !is_plain(name) {
        found.add(field, format!("{name:?}"), "a name in one line, with no blank around it");
    } else if taken {
        found.add(field, name, "a name other than data_loss, risk 1, doubt 1 and so on, which approvals use for the card itself");
    }
}

/// One line, with no blank at either end.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.trim() == name && !name.contains(|c: char| c.is_control() || ['\u{2028}', '\u{2029}'].contains(&c))
}

/// A name as it stands in the key of a question to a person, where it must still differ from the others.
fn as_key(name: &str) -> String {
    name.replace(['/', '@'], "-")
}
