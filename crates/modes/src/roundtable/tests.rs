//! The record and the packet for any input: budgets hold, nothing protected is lost, ids are never given twice.

use super::prompting::contribution::Contribution;
use super::prompting::packet::{PREVIOUS, Packet, PacketParts, RECORD, TRIGGER, WALL};
use super::prompting::{RoundSummary, SeatMoves};
use super::record::{Claim, ClaimStatus, DebateRecord, Label, RecordChanges, TurnOrigin, audit};
use super::rounds::reply::{Challenge, NewClaim, NewRisk, Turn};
use crate::tokens::size;
use proptest::prelude::*;
use serde_json::json;
use synod_types::ToolRun;

fn names(n: usize) -> Vec<String> {
    (1..=n).map(|place| format!("S{place}")).collect()
}

fn turn(text: &str, claims: Vec<NewClaim>) -> Turn {
    Turn { reasons: text.to_owned(), position: "Move to a queue".into(), confidence: 0.7, vote: Some("MINOR".into()), claims, ..Turn::default() }
}

fn claim(text: &str, label: Label, cites: &[u32]) -> NewClaim {
    NewClaim { text: text.into(), label, cites: cites.to_vec(), evidence: Vec::new(), against: Vec::new() }
}

fn take(record: &mut DebateRecord, seat: usize, round: u32, turn: &Turn) -> RecordChanges {
    let mut changes = RecordChanges { withdrawn: record.withdraw(seat, round, &turn.withdraws), ..RecordChanges::default() };
    let audit = record.audit(turn);
    record.ingest(TurnOrigin { seat, round, regular: true }, turn, &audit, &[], &mut changes);
    record.update_statuses();
    changes
}

const CITED: &str = "The manual tells more [1].\nReferences\n[1] Manual https://example.org/q?utm_source=a";

#[test]
fn a_claim_is_open_accepted_contested_and_withdrawn_by_what_is_said_of_it() {
    let mut record = DebateRecord::new(4);
    let first = take(&mut record, 0, 1, &turn(CITED, vec![claim("Queues retry failed jobs.", Label::Fact, &[1])]));
    assert_eq!((first.introduced.as_slice(), first.evidence.as_slice()), (&["C1".to_owned()][..], &["E1".to_owned()][..]));
    let status = |record: &DebateRecord| record.claim("C1").expect("C1").status;
    assert_eq!(status(&record), ClaimStatus::Open, "its author alone is not half of the table");
    take(&mut record, 1, 1, &Turn { reinforces: vec!["C1".into()], ..turn("Yes.", Vec::new()) });
    assert_eq!(status(&record), ClaimStatus::Accepted);
    let why = Challenge { id: "C1".into(), why: "Only some do.".into() };
    take(&mut record, 2, 2, &Turn { challenges: vec![why], ..turn("No.", Vec::new()) });
    assert_eq!((status(&record), record.claims[0].objection.as_str()), (ClaimStatus::Contested, "Only some do."));
    take(&mut record, 2, 3, &Turn { reinforces: vec!["C1".into()], ..turn("After all.", Vec::new()) });
    assert_eq!(status(&record), ClaimStatus::Accepted, "whoever supports it no longer disputes it");
    take(&mut record, 1, 3, &Turn { withdraws: vec!["C1".into()], ..turn("No.", Vec::new()) });
    assert_eq!(status(&record), ClaimStatus::Accepted, "only its author may take it back");
    take(&mut record, 0, 3, &Turn { withdraws: vec!["C1".into()], ..turn("No.", Vec::new()) });
    assert_eq!(status(&record), ClaimStatus::Retracted);
}

#[test]
fn saying_it_again_is_support_and_saying_the_opposite_is_not() {
    let mut record = DebateRecord::new(2);
    take(&mut record, 0, 1, &turn(CITED, vec![claim("Queues retry every failed job on the same night.", Label::Fact, &[1])]));
    let again = take(&mut record, 1, 2, &turn(CITED, vec![claim("Queues retry every failed job on the same night", Label::Fact, &[1])]));
    assert_eq!((again.reinforced.as_slice(), record.new_facts_after(0).count(), record.new_facts_after(1).count()), (&["C1".to_owned()][..], 1, 0));
    let denied = take(&mut record, 1, 2, &turn(CITED, vec![claim("Queues do not retry every failed job on the same night", Label::Infer, &[])]));
    assert_eq!(denied.introduced, ["C2"]);
    assert_eq!(record.source_count(), 1, "the same page twice is one source");
}

#[test]
fn a_fact_without_a_source_is_an_inference() {
    let mut record = DebateRecord::new(2);
    take(&mut record, 0, 1, &turn("Plain words.", vec![claim("Queues retry.", Label::Fact, &[1])]));
    assert_eq!((record.new_facts_after(0).count(), record.claims[0].label), (0, Label::Infer));
    let mut backed = claim("Cron never retries anything.", Label::Fact, &[]);
    take(&mut record, 1, 1, &turn(CITED, vec![claim("A page says so.", Label::Fact, &[1])]));
    backed.evidence = vec!["E1".into()];
    take(&mut record, 0, 2, &turn("Plain words.", vec![backed]));
    assert_eq!(record.new_facts_after(2).count(), 1, "evidence of the record backs it");
    take(&mut record, 1, 2, &turn(CITED, vec![claim("Queues retry.", Label::Fact, &[1])]));
    assert_eq!(
        (record.claims[0].label, record.new_facts_after(3).count()),
        (Label::Fact, 0),
        "who has a source for it makes it a fact, if not a new claim"
    );
}

#[test]
fn a_new_fact_counts_once_and_never_again() {
    let mut record = DebateRecord::new(3);
    let fact = || turn(CITED, vec![claim("Queues retry every failed job on the same night.", Label::Fact, &[1])]);
    (0..3).for_each(|seat| drop(take(&mut record, seat, 1, &fact())));
    assert_eq!(record.new_facts_after(0).count(), 1, "three seats, one fact");
    take(&mut record, 0, 1, &Turn { withdraws: vec!["C1".into()], ..turn("x", Vec::new()) });
    take(&mut record, 2, 1, &fact());
    assert_eq!((record.claims.len(), record.new_facts_after(1).count()), (2, 0), "made anew it stands, and is nothing new");
}

#[test]
fn what_is_withdrawn_once_can_be_said_again() {
    let mut record = DebateRecord::new(2);
    let said = || vec![claim("Queues retry every failed job on the same night.", Label::Infer, &[])];
    take(&mut record, 0, 1, &turn("x", said()));
    let reworded = Turn { withdraws: vec!["C1".into(), "C1".into()], ..turn("x", said()) };
    let changes = take(&mut record, 0, 2, &reworded);
    assert_eq!((changes.withdrawn.as_slice(), changes.introduced.as_slice()), (&["C1".to_owned()][..], &["C2".to_owned()][..]));
    assert_eq!((record.claims[0].status, record.claims[1].status), (ClaimStatus::Retracted, ClaimStatus::Open));
    let again = take(&mut record, 0, 3, &Turn { withdraws: vec!["C1".into()], ..turn("x", Vec::new()) });
    assert!(again.withdrawn.is_empty(), "it is gone already");
}

#[test]
fn a_blocker_stands_until_its_author_says_otherwise() {
    let mut record = DebateRecord::new(3);
    take(&mut record, 0, 1, &turn("x", vec![claim("Queues retry every failed job.", Label::Infer, &[])]));
    let block = |claim: Option<&str>| Turn { vote: Some("BLOCKER".into()), blocker: claim.map(str::to_owned), ..turn("x", Vec::new()) };
    take(&mut record, 1, 1, &block(Some("C1")));
    take(&mut record, 2, 1, &block(None));
    assert_eq!(record.blockers.len(), 2);
    take(&mut record, 2, 2, &turn("x", Vec::new()));
    assert_eq!(record.blockers.len(), 1, "a MINOR takes it back");
    take(&mut record, 2, 2, &Turn { vote: None, ..turn("x", Vec::new()) });
    take(&mut record, 1, 2, &Turn { vote: None, ..turn("x", Vec::new()) });
    assert_eq!(record.blockers.len(), 1, "silence does not");
    take(&mut record, 0, 2, &Turn { withdraws: vec!["C1".into()], ..turn("x", Vec::new()) });
    assert_eq!(record.blockers.len(), 1, "the claim is gone, the vote is not");
    take(&mut record, 2, 3, &turn("x", vec![claim("Queues retry every failed job", Label::Infer, &[])]));
    assert_eq!(
        (record.blockers[0].claim.as_deref(), record.claims[1].status),
        (Some("C2"), ClaimStatus::Contested),
        "said again it is the same claim"
    );
    take(&mut record, 1, 3, &block(None));
    assert_eq!((record.blockers[0].claim.as_deref(), record.claims[1].status), (Some("C2"), ClaimStatus::Contested), "blocked again, over the same");
    take(&mut record, 1, 4, &Turn { vote: None, reinforces: vec!["C2".into()], ..turn("x", Vec::new()) });
    assert_eq!((record.blockers.len(), record.claims[1].status), (0, ClaimStatus::Accepted), "answered, and its author accepts");
}

#[test]
fn an_objection_that_was_asked_for_changes_no_vote() {
    let mut record = DebateRecord::new(2);
    let block = Turn { vote: Some("BLOCKER".into()), ..turn("x", Vec::new()) };
    take(&mut record, 0, 1, &block);
    for said in [turn("x", Vec::new()), Turn { vote: Some("ACCEPT".into()), ..turn("x", Vec::new()) }] {
        record.ingest(TurnOrigin { seat: 0, round: 1, regular: false }, &said, &record.audit(&said), &[], &mut RecordChanges::default());
        assert_eq!(record.blockers.len(), 1);
    }
    record.ingest(TurnOrigin { seat: 1, round: 1, regular: false }, &block, &record.audit(&block), &[], &mut RecordChanges::default());
    assert_eq!(record.blockers.len(), 1);
}

#[test]
fn labelled_sentences_enter_the_record_beside_the_claims_that_are_listed() {
    let mut record = DebateRecord::new(2);
    let text = "CASE: Queues retry failed jobs. [FACT][1] Cron hides what went wrong. [INFER] Nobody labelled this one. The load stays as it is. [ASSUME]\nPOSITION: Move. [INFER]\nReferences\n[1] Manual";
    take(&mut record, 0, 1, &turn(text, vec![claim("Queues retry failed jobs.", Label::Fact, &[1])]));
    let found: Vec<(&str, Label)> = record.claims.iter().map(|claim| (claim.text.as_str(), claim.label)).collect();
    assert_eq!(found.len(), 3, "{found:?}");
    assert_eq!(found[1..], [("Cron hides what went wrong.", Label::Infer), ("The load stays as it is.", Label::Assume)]);
    assert!(record.claims[0].support == ["E1"] && found[0].1 == Label::Fact, "listed and said it is one claim");
    let many: String = (0..30).map(|n| format!("Matter{n} thing{n} point{n} stands. [INFER] ")).collect();
    let changes = take(&mut record, 1, 1, &turn(&many, Vec::new()));
    assert_eq!((record.claims.len(), changes.left_in_text), (3 + 8, 22), "the rest stays in the text, and that is said");
}

#[test]
fn a_risk_that_means_the_same_is_one_and_is_open_again_when_it_is_raised_after_its_answer() {
    let mut record = DebateRecord::new(4);
    let raise = |texts: &[&str]| {
        let risk = |text: &&str| NewRisk { kind: "failure".into(), text: (*text).to_owned(), mitigation: String::new() };
        Turn { risks: texts.iter().map(risk).collect(), ..turn("x", Vec::new()) }
    };
    let open = |record: &DebateRecord| record.risks.iter().filter(|risk| risk.is_unanswered()).map(|risk| risk.id.clone()).collect::<Vec<_>>();
    let first = take(&mut record, 0, 1, &raise(&["The queue fills up at night.", "Nobody is told when it stops."]));
    let again = take(&mut record, 2, 1, &raise(&["At night the queue fills up.", "An alarm that reaches no one."]));
    assert_eq!((first.risks, again.risks), (vec!["R1".to_owned(), "R2".into()], vec!["R1".to_owned(), "R3".into()]), "in the same words it is one");
    record.merge_risks("R3", "R2");
    assert_eq!((open(&record), record.risks[2].same_as.as_deref()), (vec!["R1".to_owned(), "R2".into()], Some("R2")), "by meaning too");
    record.answer_risk(1, 2, "R2", true, "A pager.");
    record.answer_risk(3, 2, "R2", true, "A second pager.");
    record.answer_risk(1, 2, "R1", true, " ");
    record.answer_risk(3, 2, "R1", false, "It stands.");
    assert_eq!((open(&record), record.risks[1].answers.len()), (vec!["R1".to_owned()], 2), "no answer overwrites another seat's");
    let late = take(&mut record, 0, 2, &raise(&["Nobody is told when it stops"]));
    assert_eq!((late.risks.as_slice(), open(&record).as_slice()), (&["R2".to_owned()][..], &["R1".to_owned()][..]), "raised beside its answer");
    take(&mut record, 0, 3, &raise(&["The pager itself sends no word to anyone."]));
    record.merge_risks("R4", "R2");
    assert_eq!(open(&record), ["R1", "R2"], "raised after its answer it is open again");
    record.merge_risks("R2", "R2");
    record.merge_risks("R9", "R1");
    assert_eq!(open(&record), ["R1", "R2"]);
}

#[test]
fn a_blocker_disputes_the_claim_it_names() {
    let mut record = DebateRecord::new(4);
    take(&mut record, 0, 1, &turn("x", vec![claim("Queues retry.", Label::Infer, &[])]));
    take(&mut record, 1, 1, &Turn { reinforces: vec!["C1".into()], ..turn("x", Vec::new()) });
    assert_eq!(record.claims[0].status, ClaimStatus::Accepted);
    let block = |claim: &str| Turn { vote: Some("BLOCKER".into()), blocker: Some(claim.into()), ..turn("x", Vec::new()) };
    let changes = take(&mut record, 2, 2, &block("C1"));
    assert_eq!((record.blockers.len(), record.claims[0].status, changes.challenged), (1, ClaimStatus::Contested, vec!["C1".to_owned()]));
    take(&mut record, 2, 3, &turn("x", Vec::new()));
    assert_eq!((record.blockers.len(), record.claims[0].status), (0, ClaimStatus::Accepted), "taken back, with the dispute it came with");
    take(&mut record, 0, 4, &block("C1"));
    assert_eq!(record.blockers.len(), 1, "a blocker on a claim of one's own stands by itself");
}

#[test]
fn shortened_words_cite_the_record_and_long_addresses_stay_in_it() {
    let mut record = DebateRecord::new(2);
    take(&mut record, 0, 1, &turn(CITED, vec![claim("Queues retry.", Label::Fact, &[1])]));
    let address = format!("https://example.org/{}", "long-part/".repeat(60));
    let text = format!("{} Cron fails in silence. [FACT][1]\nReferences\n[1] Logs {address}", "Filler without a label. ".repeat(60));
    let said = turn(&text, vec![claim("Cron fails in silence.", Label::Fact, &[1])]);
    let changes = take(&mut record, 1, 1, &said);
    let mut entry = Contribution::new("S2", "Position: x".into(), &said.reasons, &audit(&said.reasons, &said.claims, &|_| false), &changes, &[]);
    assert!(entry.text().contains("[FACT][1]"), "as written, with its own list");
    entry.reduce(60);
    assert!(entry.text().contains("Cron fails in silence. [FACT][E2]") && !entry.text().contains("[1]"), "{}", entry.text());
    assert_eq!(record.evidence[1].url.as_deref(), Some(address.as_str()));
    let packet = packed(&record, &[entry], &[], 2, false);
    assert!(
        packet.record.contains("E2 Logs") && packet.record.contains("example.org/q") && !packet.record.contains("long-part"),
        "{}",
        packet.record
    );
}

#[test]
fn figures_tell_statements_apart_and_a_person_is_kept_in_full() {
    let mut record = DebateRecord::new(2);
    assert_eq!(
        (record.decide("Fund it with 12 percent of the budget", 1), record.decide("Fund it with 90 percent of the budget", 1)),
        ("D1".into(), "D2".into())
    );
    assert_eq!(record.decide("Fund it with 12 percent of the budget.", 2), "D1", "said again");
    let note = "Keep the old way for a year, then look at the figures with the people who run it. ".repeat(4);
    assert_eq!((record.decide_by_person(note.trim(), 2).as_str(), record.decisions[2].text.as_str()), ("D3", note.trim()));
}

#[test]
fn a_round_that_does_not_count_leaves_its_ids_behind() {
    let mut record = DebateRecord::new(2);
    take(&mut record, 0, 1, &turn(CITED, vec![claim("Queues retry.", Label::Fact, &[1])]));
    let saved = record.clone();
    take(&mut record, 1, 2, &turn("x", vec![claim("Cron fails in silence.", Label::Infer, &[])]));
    record.restore(saved);
    let later = take(&mut record, 1, 2, &turn("x", vec![claim("Alarms wake whoever sleeps.", Label::Infer, &[])]));
    assert_eq!((later.introduced.as_slice(), record.claims.len()), (&["C3".to_owned()][..], 2));
}

#[test]
fn a_record_too_long_for_its_budget_keeps_what_fits_of_risks_and_open_claims() {
    let (record, entries, summaries) = long(5, 5, 60, 5, "plain");
    let packet = packed(&record, &entries, &summaries, 5, false);
    assert!(
        packet.steps == 7 && size(&packet.record) <= RECORD && size(&packet.record) > RECORD * 3 / 4,
        "{} {}",
        packet.steps,
        size(&packet.record)
    );
    assert!(!packet.risks.is_empty() && packet.risks[0] == "R1", "{:?}", packet.risks);
}

/// What the record says, whatever its ids are.
fn said_of(record: &DebateRecord) -> Vec<String> {
    let sources = |ids: &[String]| -> Vec<String> {
        let mut found: Vec<String> =
            ids.iter().filter_map(|id| record.evidence.iter().find(|one| one.id == *id)).map(|one| one.title.clone()).collect();
        found.sort();
        found
    };
    let line = |claim: &Claim| {
        let (backers, challengers) = (&claim.backers, &claim.challengers);
        format!("{} {:?} {:?} {backers:?} {challengers:?} {:?}", claim.text, claim.label, claim.status, sources(&claim.support))
    };
    let mut lines: Vec<String> = record.claims.iter().map(line).collect();
    lines.sort();
    lines
}

/// A round in which all speak at once, taken in in this order.
fn at_once(record: &DebateRecord, round: u32, said: &[(usize, Turn)]) -> (Vec<String>, usize) {
    let mut record = record.clone();
    let known = record.claims.len();
    said.iter().for_each(|(seat, turn)| drop(record.withdraw(*seat, round, &turn.withdraws)));
    for (seat, turn) in said {
        let audit = record.audit(turn);
        record.ingest(TurnOrigin { seat: *seat, round, regular: true }, turn, &audit, &[], &mut RecordChanges::default());
    }
    record.update_statuses();
    (said_of(&record), record.new_facts_after(known).count())
}

/// A long debate: every seat says so many words a round, brings claims and disputes the others'.
fn long(seats: usize, rounds: u32, words: usize, claims: usize, word: &str) -> (DebateRecord, Vec<Contribution>, Vec<RoundSummary>) {
    let mut record = DebateRecord::new(seats);
    let mut entries = Vec::new();
    let mut summaries = Vec::new();
    for round in 1..=rounds {
        let record_before = record.size();
        entries.clear();
        let known: Vec<String> = record.claims.iter().map(|claim| claim.id.clone()).collect();
        for seat in 0..seats {
            let body: Vec<String> = (0..words).map(|n| if n % 12 == 11 { format!("{word}{n}. [INFER]") } else { format!("{word}{n}") }).collect();
            // Claims share no words, so that none is taken for another.
            let own = |n: usize| (0..25).map(|at| format!("{word}{round}x{seat}x{n}x{at}")).collect::<Vec<_>>().join(" ");
            let new = (0..claims).map(|n| NewClaim { text: own(n), label: Label::Fact, cites: vec![1], evidence: Vec::new(), against: Vec::new() });
            let challenges = known.iter().skip(seat).step_by(2).map(|id| Challenge { id: id.clone(), why: format!("{word} ").repeat(40) }).collect();
            let risks = (0..claims).map(|n| NewRisk { kind: "weakness".into(), text: own(n + 100), mitigation: String::new() }).collect();
            let text = format!("{}\nReferences\n[1] {word} source{round}x{seat} https://example.org/{round}/{seat}", body.join(" "));
            let said = Turn { challenges, risks, ..turn(&text, new.collect()) };
            let tools = vec![ToolRun { name: "calculate".into(), input: json!({"expression": own(200)}), output: own(300), error: false, at: 0 }];
            let audit = record.audit(&said);
            let mut changes = RecordChanges::default();
            record.ingest(TurnOrigin { seat, round, regular: true }, &said, &audit, &tools, &mut changes);
            entries.push(Contribution::new(
                &format!("S{}", seat + 1),
                "MINOR, confidence 0.70. Position: x".into(),
                &said.reasons,
                &audit,
                &changes,
                &tools,
            ));
        }
        record.update_statuses();
        record.decide(&format!("{word}{round}a {word}{round}b {word}{round}c"), round);
        let moved: Vec<SeatMoves> = (0..seats)
            .map(|seat| SeatMoves { name: format!("S{}", seat + 1), confidence: 0.7, note: "n ".repeat(50), ..SeatMoves::default() })
            .collect();
        summaries.push(RoundSummary::new(&format!("Round {round}"), record_before, &format!("{word} ").repeat(60), &moved, &record));
    }
    record.proposal = "the proposal in question".into();
    let (each, turns) = (claims, seats * rounds as usize);
    // Labelled sentences are claims too, the same ones every time.
    let listed = record.claims.iter().filter(|claim| claim.text.contains('x')).count();
    assert_eq!((listed, record.risks.len(), record.decisions.len()), (each * turns, each * turns, rounds as usize), "none is taken for another");
    assert!(record.evidence.len() >= turns, "{} of {turns}", record.evidence.len());
    (record, entries, summaries)
}

fn packed(record: &DebateRecord, entries: &[Contribution], summaries: &[RoundSummary], seats: usize, sequential: bool) -> Packet {
    let current = if sequential { entries.to_vec() } else { Vec::new() };
    let summaries: Vec<&RoundSummary> = summaries.iter().rev().skip(1).take(2).collect();
    let lines = names(seats).iter().map(|name| format!("{name}: confidence 0.70, MINOR")).collect();
    let (names, objections) = (names(seats), Vec::new());
    PacketParts {
        record,
        now: record,
        names: &names,
        round: 7,
        summaries,
        seats: lines,
        previous: entries.to_vec(),
        objections,
        current,
        reserve: 300,
    }
    .pack()
}

/// What the packet really takes, as it would be sent.
fn counted(packet: &Packet) -> usize {
    let words = packet.previous.iter().chain(&packet.current).map(|words| words.text.clone());
    let parts: Vec<String> = [packet.record.clone()].into_iter().chain(packet.summaries.iter().cloned()).chain(words).collect();
    size(&parts.join("\n"))
}

#[test]
fn five_seats_at_a_thousand_tokens_stay_below_the_trigger_in_round_six() {
    let (record, entries, summaries) = long(5, 5, 500, 2, "plain");
    assert!(entries.iter().all(|entry| entry.size() > 900), "{:?}", entries.iter().map(Contribution::size).collect::<Vec<_>>());
    let packet = packed(&record, &entries, &summaries, 5, false);
    assert!(packet.tokens <= TRIGGER && counted(&packet) <= TRIGGER && !packet.overflow, "{} {}", packet.tokens, counted(&packet));
}

#[test]
fn a_small_debate_is_sent_whole() {
    let (record, entries, summaries) = long(3, 3, 30, 1, "plain");
    let packet = packed(&record, &entries, &summaries, 3, false);
    assert_eq!((packet.steps, packet.overflow, packet.summaries.len()), (0, false, 2));
    assert!(packet.previous.iter().all(|words| words.text.contains("plain0")));
}

const SAYINGS: [&str; 4] =
    ["Queues retry every failed job", "Cron hides what went wrong", "Nobody owns the nightly export", "Alarms reach whoever sleeps"];

proptest! {
    #[test]
    fn the_order_of_seats_never_changes_the_record(
        first in prop::collection::vec(prop::collection::vec((0_usize..4, 0_usize..3), 0..3), 4),
        second in prop::collection::vec((prop::collection::vec((0_usize..4, 0_usize..3), 0..3), 0_usize..4, 0_usize..4, 0_usize..4, any::<bool>()), 4),
        order in Just((0..4_usize).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let labels = [Label::Fact, Label::Infer, Label::Assume];
        let claims = |picked: &[(usize, usize)]| picked.iter().map(|(text, label)| claim(SAYINGS[*text], labels[*label], &[1])).collect::<Vec<_>>();
        let mut record = DebateRecord::new(4);
        first.iter().enumerate().for_each(|(seat, picked)| drop(take(&mut record, seat, 1, &turn(CITED, claims(picked)))));
        let id = |at: usize| record.claims.get(at).map(|claim| claim.id.clone());
        let turns: Vec<(usize, Turn)> = second.iter().enumerate().map(|(seat, (picked, supports, disputes, withdraws, blocks))| {
            let challenges = id(*disputes).map(|id| Challenge { id, why: "Not so.".into() }).into_iter().collect();
            let vote = Some(if *blocks { "BLOCKER" } else { "MINOR" }.to_owned());
            let withdraws = id(*withdraws).into_iter().collect();
            let reinforces = id(*supports).into_iter().collect();
            (seat, Turn { challenges, withdraws, reinforces, vote, blocker: id(*disputes), ..turn(CITED, claims(picked)) })
        }).collect();
        let shuffled: Vec<(usize, Turn)> = order.iter().map(|at| turns[*at].clone()).collect();
        prop_assert_eq!(at_once(&record, 2, &turns), at_once(&record, 2, &shuffled));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]
    #[test]
    fn budgets_hold_and_nothing_protected_is_lost(
        seats in 2_usize..=10, rounds in 1_u32..=8, words in 0_usize..900, claims in 0_usize..=5, word in "(a|ab|é|漢|𝛼𝛽){1,6}", sequential: bool,
    ) {
        let (record, entries, summaries) = long(seats, rounds, words, claims, &word);
        let packet = packed(&record, &entries, &summaries, seats, sequential);
        prop_assert!(packet.tokens <= WALL, "{}", packet.tokens);
        prop_assert!(counted(&packet) <= WALL, "{}", counted(&packet));
        prop_assert!(size(&packet.record) <= RECORD, "{}", size(&packet.record));
        let spoken: usize = packet.previous.iter().chain(&packet.current).map(|words| size(&words.text)).sum();
        prop_assert!(spoken <= PREVIOUS, "{spoken}");
        for claim in record.claims.iter().filter(|claim| claim.status == ClaimStatus::Contested) {
            let shown = packet.record.split([' ', ':', '\n']).any(|word| word == claim.id);
            prop_assert!(shown, "{} is contested and missing", claim.id);
        }
        for id in &packet.risks {
            prop_assert!(packet.record.lines().any(|line| line.starts_with(&format!("{id} ")) || line.starts_with(&format!("{id}:"))), "{}", id);
        }
        prop_assert!(packet.record.contains("the proposal in question"));
        for decision in &record.decisions {
            prop_assert!(packet.record.lines().any(|line| line.starts_with(&format!("{} (", decision.id))), "{}", decision.id);
        }
        for name in names(seats) {
            prop_assert!(packet.record.lines().any(|line| line.starts_with(&format!("{name}: confidence"))), "{}", name);
        }
        for summary in &packet.summaries {
            prop_assert!(size(summary) <= 400);
        }
        let mut ids: Vec<&str> = record.claims.iter().map(|claim| claim.id.as_str()).chain(record.evidence.iter().map(|evidence| evidence.id.as_str())).collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        prop_assert_eq!(ids.len(), count, "an id was given twice");
    }
}
