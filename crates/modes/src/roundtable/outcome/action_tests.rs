//! The action over votes, risks, camps, agreement and rulings.

use super::*;
use Vote::{Accept, Blocker, Minor};

fn names(seats: &[&str]) -> Vec<String> {
    seats.iter().map(|seat| (*seat).to_owned()).collect()
}

/// Three seats that agree in everything.
fn agreed() -> TableState {
    let seats = names(&["S1", "S2", "S3"]);
    TableState {
        by: DecidedBy::Votes,
        votes: seats.iter().map(|seat| (seat.clone(), Some(Accept))).collect(),
        voted: true,
        resolved: false,
        overruled: Vec::new(),
        blockers: Vec::new(),
        attacked: true,
        risks: Vec::new(),
        agreement: Some(0.8),
        camps: vec![seats.clone()],
        disagreements: Vec::new(),
        confidences: seats.iter().map(|seat| (seat.clone(), 0.8)).collect(),
        rulings: Vec::new(),
        opposites: Vec::new(),
    }
}

fn open_risk(text: &str, stands: &[&str]) -> OpenRisk {
    OpenRisk { by: "S1".into(), text: text.into(), stands: names(stands) }
}

fn with_votes(state: &TableState, votes: [Option<Vote>; 3]) -> TableState {
    let votes: Vec<(String, Option<Vote>)> = state.votes.iter().map(|(seat, _)| seat.clone()).zip(votes).collect();
    let blockers = votes.iter().filter(|(_, vote)| *vote == Some(Blocker)).map(|(seat, _)| (seat.clone(), None)).collect();
    TableState { votes, blockers, ..state.clone() }
}

fn kinds(state: &TableState) -> Vec<&'static str> {
    state.conflicts().iter().map(|conflict| conflict.kind.as_str()).collect()
}

#[test]
fn proceed_needs_votes_risks_camps_and_agreement() {
    let (a, m, b) = (Some(Accept), Some(Minor), Some(Blocker));
    // votes, whether they allow it
    let votes = [([a, a, a], true), ([a, m, m], true), ([a, a, None], true), ([a, None, None], false), ([a, a, b], false), ([m, b, b], false)];
    let camps: [(&[&[&str]], bool); 3] = [(&[&["S1", "S2", "S3"]], true), (&[&["S1", "S2"], &["S3"]], true), (&[&["S1"], &["S2"], &["S3"]], false)];
    let (mut proceeded, mut tried) = (0, 0);
    for (cast, by_votes) in votes {
        for risks in [0, 1, 3] {
            for (camps, by_camps) in camps {
                for (agreement, by_agreement) in [(None, false), (Some(0.39), false), (Some(0.69), false), (Some(0.7), true), (Some(0.88), true)] {
                    let mut state = with_votes(&agreed(), cast);
                    state.risks = (0..risks).map(|n| open_risk(&format!("R{n} it fails"), &[])).collect();
                    state.camps = camps.iter().map(|camp| names(camp)).collect();
                    state.agreement = agreement;
                    let (action, conflicts) = (state.action(), state.conflicts());
                    let allowed = by_votes && by_camps && by_agreement && risks == 0;
                    let case = format!("{cast:?}, {risks} risks, {camps:?}, {agreement:?}: {action}, {conflicts:?}");
                    assert_eq!(action == "proceed", allowed, "{case}");
                    assert_eq!(conflicts.is_empty(), allowed, "{case}");
                    let blocked = conflicts.iter().filter(|one| one.kind == ConflictKind::Blocker).count();
                    assert_eq!(blocked, cast.iter().filter(|vote| **vote == b).count(), "{case}");
                    assert_eq!(conflicts.iter().filter(|one| one.kind == ConflictKind::Risk).count(), risks, "{case}");
                    assert!(
                        conflicts.iter().all(|one| !one.why.is_empty() && (one.kind == ConflictKind::Agreement || !one.seats.is_empty())),
                        "{case}"
                    );
                    proceeded += u32::from(allowed);
                    tried += 1;
                }
            }
        }
    }
    assert_eq!((tried, proceeded), (6 * 3 * 3 * 5, 3 * 2 * 2));
}

#[test]
fn a_disagreement_stands_against_it_between_camps_and_with_whoever_wants_changes() {
    let (a, m, b) = (Some(Accept), Some(Minor), Some(Blocker));
    let split: Vec<Vec<String>> = vec![names(&["S1", "S2"]), names(&["S3"])];
    let one = vec![names(&["S1", "S2", "S3"])];
    // seats named, camps, votes, whether it counts
    type Case<'a> = (&'a [&'a str], &'a [Vec<String>], [Option<Vote>; 3], bool);
    let table: [Case; 8] = [
        (&["S1", "S2"], &split, [a, a, a], false),
        (&["S1", "S3"], &split, [a, a, a], true),
        (&["S1", "S3"], &one, [a, a, a], false),
        (&["S1", "S2"], &one, [a, m, a], true),
        (&["S1", "S2"], &one, [a, a, m], false),
        (&["S1", "S2"], &one, [a, b, a], true),
        (&[], &split, [a, a, m], false),
        (&["S9"], &split, [a, a, m], false),
    ];
    for (seats, camps, votes, counts) in table {
        let state = TableState { camps: camps.to_vec(), disagreements: vec![("who pays.".into(), names(seats))], ..with_votes(&agreed(), votes) };
        let found = state.conflicts().into_iter().filter(|one| one.kind == ConflictKind::Disagreement).collect::<Vec<_>>();
        assert_eq!(!found.is_empty(), counts, "{seats:?} {votes:?}: {found:?}");
        assert!(found.iter().all(|one| one.why.contains("“who pays”") && one.seats == names(seats)), "{found:?}");
        assert!(!counts || state.action() != "proceed");
    }
}

#[test]
fn votes_that_nobody_cast_accept_nothing() {
    let silent = with_votes(&agreed(), [None; 3]);
    assert_eq!((silent.action(), kinds(&silent)), ("verify", vec!["votes"]));
    assert_eq!(
        TableState { agreement: Some(0.9), ..silent.clone() }.action(),
        "proceed",
        "an agreement this high stands in for votes that are missing"
    );
    let unasked = TableState { agreement: Some(0.95), voted: false, ..silent };
    assert!(unasked.action() == "verify" && unasked.conflicts()[0].why.contains("nobody was asked to vote"), "{:?}", unasked.conflicts());
    let person = TableState { resolved: true, blockers: Vec::new(), ..with_votes(&agreed(), [Some(Blocker); 3]) };
    assert_eq!(person.action(), "proceed", "a person resolved them");
    // votes, who was overruled, action
    for (votes, overruled, action) in [
        ([Some(Accept), None, Some(Blocker)], &[][..], "verify"),
        ([Some(Accept), None, Some(Blocker)], &["S3"], "verify"),
        ([Some(Accept), Some(Minor), Some(Blocker)], &["S3"], "proceed"),
        ([Some(Accept), Some(Blocker), Some(Blocker)], &["S2", "S3"], "proceed"),
        ([Some(Blocker); 3], &["S1", "S2", "S3"], "proceed"),
    ] {
        let state = TableState { blockers: Vec::new(), overruled: names(overruled), ..with_votes(&agreed(), votes) };
        assert_eq!(state.action(), action, "{votes:?} {overruled:?}: {:?}", state.conflicts());
        let differing = TableState { disagreements: vec![("who pays".into(), names(&["S1", "S3"]))], ..state };
        assert_eq!(kinds(&differing).contains(&"disagreement"), overruled.is_empty(), "an overruled vote wants nothing");
    }
}

#[test]
fn where_sides_are_assigned_the_ruling_or_the_risks_decide() {
    let rules = |sides: &[&str]| TableState {
        by: DecidedBy::Ruling,
        votes: vec![("S3".into(), Some(Accept))],
        agreement: Some(0.1),
        camps: vec![names(&["S3"])],
        rulings: sides.iter().map(|side| SeatRuling { seat: "S3".into(), side: (*side).into(), why: "figures".into() }).collect(),
        ..agreed()
    };
    // rulings, what they come to, action
    let table: [(&[&str], Option<&str>, &str); 7] = [
        (&["FOR"], Some("FOR"), "proceed"),
        (&["AGAINST"], Some("AGAINST"), "verify"),
        (&["EVEN"], Some("EVEN"), "verify"),
        (&["FOR", "AGAINST"], Some("SPLIT"), "verify"),
        (&["FOR", "FOR", "EVEN"], Some("FOR"), "proceed"),
        (&["FOR", "AGAINST", "EVEN"], Some("SPLIT"), "verify"),
        (&[], None, "verify"),
    ];
    for (sides, ruling, action) in table {
        assert_eq!((rules(sides).ruling(), rules(sides).action()), (ruling, action), "{sides:?}");
    }
    let blocked = TableState { blockers: vec![("S3".into(), Some("C1 “x”".into()))], ..rules(&["FOR"]) };
    assert_eq!((blocked.action(), kinds(&blocked)), ("verify", vec!["blocker"]));
    let teams = TableState { by: DecidedBy::Risks, agreement: None, ..agreed() };
    assert_eq!(teams.action(), "proceed");
    let said = |seats: &[&str]| vec![("who pays".to_owned(), names(seats))];
    let alone = TableState { disagreements: said(&["S1"]), ..with_votes(&teams, [Some(Minor), Some(Accept), Some(Accept)]) };
    assert_eq!(alone.action(), "proceed", "the other side of it was assigned");
    assert_eq!(kinds(&TableState { disagreements: said(&["S1", "S2"]), ..alone }), ["disagreement"]);
    let open = TableState { risks: vec![open_risk("R1 it fails", &[])], ..teams.clone() };
    assert_eq!((open.action(), kinds(&open)), ("verify", vec!["risk"]));
    let stands = TableState { risks: vec![open_risk("R1 it fails.", &["S2"])], ..teams.clone() };
    assert_eq!(stands.conflicts()[0].why, "R1 it fails, which S1 raised, stands: S2 has no answer to it");
    let spared = TableState { attacked: false, ..teams };
    assert_eq!((spared.action(), kinds(&spared)), ("verify", vec!["unattacked"]), "no risk is open because nobody raised one");
    assert_eq!(TableState { attacked: false, ..agreed() }.action(), "proceed", "where votes decide nobody has to attack");
    assert_eq!(TableState { by: DecidedBy::Questions, ..agreed() }.action(), "query_detail");
}
