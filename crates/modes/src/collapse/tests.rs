//! Known numbers and rules of the mode itself; the arithmetic has its own.

use super::card::{Card, CostUnit, Evidence, EvidenceKind, Risk, Severity, Step, Violation};
use super::draft::{DraftRisk, DraftStep};
use super::hybrid::{Merger, merged};
use super::policy::Policy;
use super::position::Position;
use super::record::{Approval, ApprovalDecision};
use super::{Options, problems};
use synod_engine::{Form, Terms};
use synod_math::collapse::gates::{Receipt, State};

/// The card that scores 10.0.
fn card(id: &str) -> Card {
    let evidence = |quality| Evidence { kind: EvidenceKind::Test, pointer: format!("{id} {quality}"), quality, exit_code: None, checked: None };
    Card {
        id: id.into(),
        agent: String::new(),
        timestamp: String::new(),
        claims: vec![format!("{id} is the way.")],
        plan: vec![Step { action: "Do it.".into(), rationale: String::new() }],
        evidence: vec![evidence(0.9), evidence(0.8)],
        risks: vec![Risk {
            severity: Severity::Medium,
            description: format!("{id} may be late."),
            mitigation: "Begin early.".into(),
            residual_risk: Some(0.5),
        }],
        confidence: 0.8,
        cost: 20,
        cost_unit: CostUnit::Points,
        cost_estimate: None,
        reversibility: 0.9,
        invariant_violations: Vec::new(),
        irreversible_data_change: None,
        regulatory: Vec::new(),
        parent_ids: Vec::new(),
    }
}

fn broken(id: &str) -> Violation {
    Violation { invariant_id: id.into(), description: String::new(), justification: String::new(), requires_approval: true }
}

fn approval(subject: &str, decision: ApprovalDecision) -> Approval {
    Approval { position_id: "h".into(), subject: subject.into(), decision, approver: "ada".into(), at: String::new(), note: String::new() }
}

fn weighed(card: Card, approvals: Vec<Approval>) -> Position {
    let policy = Policy::default();
    let mut position = Position::new(card, None, approvals, &policy);
    position.receipt = Receipt::Pass;
    position.weigh(&policy);
    position
}

#[test]
fn an_approved_violation_stops_counting_and_a_refused_one_stops_the_card() {
    let h = || Card { invariant_violations: vec![broken("INV-1")], ..card("h") };
    let open = weighed(h(), Vec::new());
    assert_eq!(open.passage.state, State::NeedsApproval);
    assert!(open.score.value.abs() < 1e-9, "{}", open.score.value);
    let approved = weighed(h(), vec![approval("INV-1", ApprovalDecision::Approve)]);
    assert_eq!(approved.passage.state, State::Viable);
    assert!((approved.score.value - 10.0).abs() < 1e-9);
    for decision in [ApprovalDecision::Reject, ApprovalDecision::Revise] {
        assert_eq!(weighed(h(), vec![approval("INV-1", decision)]).passage.state, State::Rejected);
    }
}

#[test]
fn another_version_of_a_card_voids_what_was_found_and_approved() {
    let policy = Policy::default();
    let mut position = weighed(Card { regulatory: vec!["GDPR".into()], ..card("h") }, vec![approval("GDPR", ApprovalDecision::Approve)]);
    assert!(position.viable());
    position.examined = true;
    position.replace(Card { cost: 10, ..position.card.clone() }, &policy);
    assert!(!position.examined && position.approvals.is_empty() && position.receipt == Receipt::Pending);
    position.weigh(&policy);
    assert_eq!(position.passage.state, State::Held);
}

fn merger(cost: u64, why: &str, mitigation: &str) -> Merger {
    let risk = DraftRisk { severity: Severity::Low, description: "Two ways at once.".into(), mitigation: mitigation.into(), residual_risk: 0.2 };
    Merger {
        reasons: "Both.".into(),
        strengths: Vec::new(),
        shared_weaknesses: Vec::new(),
        claims: vec!["Both ways, each where it is strong.".into()],
        plan: vec![DraftStep { action: "Draw the line.".into(), rationale: String::new() }],
        new_risks: vec![risk],
        confidence: 0.7,
        cost,
        cost_reason: why.into(),
    }
}

#[test]
fn a_hybrid_inherits_what_weighs_against_it() {
    let a = Card { invariant_violations: vec![broken("INV-1")], cost: 30, ..card("a") };
    let b = Card { reversibility: 0.4, cost: 60, regulatory: vec!["GDPR".into()], ..card("b") };
    let hybrid = merged(&merger(5, "", "A date."), &a, &b);
    assert_eq!((hybrid.cost, hybrid.reversibility, hybrid.evidence.len(), hybrid.risks.len()), (60, 0.4, 4, 3));
    assert_eq!((hybrid.invariant_violations.len(), hybrid.regulatory.len(), hybrid.parent_ids), (1, 1, vec!["a".to_owned(), "b".to_owned()]));
    assert_eq!(merged(&merger(5, "The second half is not built.", "A date."), &a, &b).cost, 5);
    let twice = merged(&merger(0, "", "A date."), &a, &a);
    assert_eq!((twice.evidence.len(), twice.risks.len()), (2, 2), "what both have counts once");
    assert!(merger(5, "", "").check(&Terms::default()).is_err(), "a new risk needs a mitigation");
    assert!(merger(5, "", "A date.").check(&Terms::default()).is_ok());
}

#[test]
fn what_the_schema_cannot_say_is_checked_too() {
    let options = Options {
        cards: vec![card("a"), card("a"), Card { cost_unit: CostUnit::Loc, ..card("none") }],
        approvals: vec![approval("x", ApprovalDecision::Approve), approval("x", ApprovalDecision::Reject)],
        experts: vec!["backend".into(), "backend".into()],
        ..Options::default()
    };
    let fields: Vec<String> = problems(&options).into_iter().map(|problem| problem.field).collect();
    let want = ["cards[1].id", "cards[2].id", "cards[2].cost_unit", "approvals[0].position_id", "approvals[1].position_id", "experts[1]"];
    assert_eq!(fields, want);
}
