//! The rules of the mode itself; the arithmetic has tests of its own.

use super::Options;
use super::cards::card::{Card, CostUnit, Evidence, EvidenceKind, Risk, Severity, Step, Violation};
use super::cards::check::check;
use super::cards::draft::{Draft, DraftRisk, DraftStep};
use super::cards::policy::Policy;
use super::cards::records::{Approval, ApprovalDecision, Invariant};
use super::panel::hybrid::{Merger, merge};
use super::rounds::position::Position;
use synod_engine::{IdLists, TypedReply};
use synod_math::collapse::gates::{CardState, ReceiptState};
use synod_types::Question;

/// The card that scores 10.0.
fn card(id: &str) -> Card {
    let evidence = |quality| Evidence {
        kind: EvidenceKind::Test,
        pointer: format!("{id} {quality}"),
        quality,
        exit_code: None,
        output: String::new(),
        checked: None,
    };
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
    position.receipt = ReceiptState::Pass;
    position.weigh(&policy);
    position
}

#[test]
fn an_approved_violation_stops_counting_and_a_refused_one_stops_the_card() {
    let h = || Card { invariant_violations: vec![broken("INV-1")], ..card("h") };
    let open = weighed(h(), Vec::new());
    assert_eq!(open.gates.state, CardState::NeedsApproval);
    assert!(open.score.value.abs() < 1e-9, "{}", open.score.value);
    let approved = weighed(h(), vec![approval("INV-1", ApprovalDecision::Approve)]);
    assert_eq!(approved.gates.state, CardState::Viable);
    assert!((approved.score.value - 10.0).abs() < 1e-9);
    for (decision, state) in [(ApprovalDecision::Reject, CardState::Rejected), (ApprovalDecision::Revise, CardState::RevisionRequested)] {
        assert_eq!(weighed(h(), vec![approval("INV-1", decision)]).gates.state, state);
    }
}

#[test]
fn another_version_of_a_card_voids_what_was_found_and_approved() {
    let policy = Policy::default();
    let mut position = weighed(Card { regulatory: vec!["GDPR".into()], ..card("h") }, vec![approval("GDPR", ApprovalDecision::Approve)]);
    assert!(position.viable());
    position.examined = true;
    position.replace(Card { cost: 10, ..position.card.clone() }, 2, &policy);
    assert!(position.given && position.revisions == 1 && position.author == Some(2));
    assert!(!position.examined && position.approvals.is_empty() && position.receipt == ReceiptState::Pending);
    position.weigh(&policy);
    assert_eq!(position.gates.state, CardState::Held);
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
    let hybrid = merge(&merger(5, "", "A date."), &a, &b);
    assert_eq!((hybrid.cost, hybrid.reversibility, hybrid.evidence.len(), hybrid.risks.len()), (60, 0.4, 4, 3));
    assert_eq!((hybrid.invariant_violations.len(), hybrid.regulatory.len(), hybrid.parent_ids), (1, 1, vec!["a".to_owned(), "b".to_owned()]));
    assert_eq!(merge(&merger(5, "The second half is not built.", "A date."), &a, &b).cost, 5);
    let twice = merge(&merger(0, "", "A date."), &a, &a);
    assert_eq!((twice.evidence.len(), twice.risks.len()), (2, 2), "what both have counts once");
    assert!(merger(5, "", "").check(&IdLists::default()).is_err(), "a new risk needs a mitigation");
    assert!(merger(5, "", "A date.").check(&IdLists::default()).is_ok());
}

#[test]
fn what_the_schema_cannot_say_is_checked_too() {
    let options = Options {
        cards: vec![card("a"), card("a"), Card { cost_unit: CostUnit::Loc, ..card("none") }],
        approvals: vec![approval("x", ApprovalDecision::Approve), approval("x", ApprovalDecision::Reject)],
        experts: vec!["backend".into(), "backend".into()],
        ..Options::default()
    };
    let fields: Vec<String> = check(&options, "").into_iter().map(|problem| problem.field).collect();
    let want = ["experts[1]", "cards[1].id", "cards[2].cost_unit", "cards[2].id", "approvals[0].position_id", "approvals[1].position_id"];
    assert_eq!(fields, want);
}

#[test]
fn what_a_panel_recommends_must_be_among_what_it_scores() {
    let panel = |recommendation: &str| {
        let rating = serde_json::json!({"agent": "skeptic", "position_scores": {"a": 0.5}, "recommendation": recommendation, "confidence": 1});
        Options { cards: vec![card("a"), card("b")], panel: vec![serde_json::from_value(rating).expect("a rating")], ..Options::default() }
    };
    assert!(fields(panel("a")).is_empty());
    for wrong in ["b", "c"] {
        let found = check(&panel(wrong), "");
        assert_eq!((found[0].field.as_str(), found[0].want.as_str()), ("panel[0].recommendation", "one of the positions it scores: a"), "{wrong}");
    }
}

#[test]
fn a_revised_card_keeps_what_its_evidence_was_worth_and_what_a_person_has_to_sign() {
    let earlier = Card { regulatory: vec!["GDPR".into()], cost_unit: CostUnit::Hours, cost: 30, ..card("a") };
    let draft: Draft = serde_json::from_value(serde_json::json!({
        "reasons": "Mended.", "claims": ["x"], "plan": [{"action": "y", "rationale": ""}], "risks": [], "confidence": 0.9, "cost": 10, "reversibility": 0.9,
        "evidence": [{"type": "test", "pointer": "a 0.8", "quality": 1.0}, {"type": "test", "pointer": "a new trial", "quality": 0.7}],
        "irreversible_data_change": false, "violates": [], "regulatory": [],
    }))
    .expect("a draft");
    let card = draft.revised(&earlier, true, "m0", &Options::default(), &Question::default());
    assert_eq!(card.evidence.iter().map(Evidence::worth).collect::<Vec<_>>(), [0.8, 0.35], "what a seat adds to a given card counts half");
    assert_eq!((card.regulatory, card.cost_unit, card.cost_estimate), (vec!["GDPR".to_owned()], CostUnit::Hours, Some(30)));
    assert!(draft.revised(&earlier, false, "m0", &Options::default(), &Question::default()).regulatory.is_empty(), "its author may say otherwise");
}

fn fields(options: Options) -> Vec<String> {
    check(&options, "").into_iter().map(|problem| problem.field).collect()
}

#[test]
fn a_declared_hard_invariant_cannot_be_waived_by_a_card() {
    let invariants = vec![Invariant { id: "INV-1".into(), text: "Keep it.".into(), hard: true }];
    let with = |id: &str| Options {
        cards: vec![Card { invariant_violations: vec![broken(id)], ..card("h") }],
        invariants: invariants.clone(),
        ..Options::default()
    };
    assert_eq!(fields(with("INV-1")), ["cards[0].invariant_violations[0].requires_approval"]);
    assert_eq!(fields(with("INV-2")), ["cards[0].invariant_violations[0].invariant_id"]);
    assert!(fields(Options { invariants: Vec::new(), ..with("INV-2") }).is_empty());
}

#[test]
fn names_that_cannot_be_told_apart_are_refused() {
    let of = |card: Card| fields(Options { cards: vec![card], ..Options::default() });
    for id in ["a/b", "a@b", "a\nb", " a", "", "a\u{2028}b"] {
        assert_eq!(of(card(id)), ["cards[0].id"], "{id:?}");
    }
    let tags = |tags: &[&str]| Card { regulatory: tags.iter().map(|tag| (*tag).to_owned()).collect(), ..card("h") };
    for wrong in [&["data_loss"][..], &[""], &["risk 1"], &["a\nb"]] {
        assert_eq!(of(tags(wrong)), ["cards[0].regulatory[0]"], "{wrong:?}");
    }
    assert_eq!(of(tags(&["ISO/IEC", "ISO-IEC"])), ["cards[0].regulatory[1]"]);
    assert!(of(tags(&["GDPR", "GDPR"])).is_empty(), "named twice, it is asked once");
    assert_eq!(of(Card { invariant_violations: vec![broken("GDPR")], ..tags(&["GDPR"]) }), ["cards[0].regulatory[0]"]);
    let mut position = weighed(tags(&["GDPR", "GDPR"]), Vec::new());
    assert_eq!(position.open_subjects().count(), 1);
    position.approvals = vec![approval("GDPR", ApprovalDecision::Approve)];
    position.weigh(&Policy::default());
    assert!(position.viable());
}

#[test]
fn dates_and_steps_are_read_as_such() {
    let of = |card: Card| fields(Options { cards: vec![card], ..Options::default() });
    assert_eq!(of(Card { timestamp: "yesterday".into(), ..card("a") }), ["cards[0].timestamp"]);
    assert_eq!(of(Card { plan: vec![Step { action: " ".into(), rationale: String::new() }], ..card("a") }), ["cards[0].plan[0].action"]);
    // An hour earlier, though it reads as later.
    let (early, late) =
        (Card { timestamp: "2026-02-03T09:30:00+02:00".into(), ..card("z") }, Card { timestamp: "2026-02-03T08:30:00Z".into(), ..card("a") });
    assert!(weighed(early, Vec::new()).scored_card().at < weighed(late, Vec::new()).scored_card().at);
}

#[test]
fn an_approval_of_nothing_is_told() {
    let given =
        |subject: &str| Options { cards: vec![card("h")], approvals: vec![approval(subject, ApprovalDecision::Approve)], ..Options::default() };
    assert_eq!(fields(given("GDPR")), ["approvals[0].subject"]);
    assert!(check(&given("GDPR"), "")[0].want.contains("risk 1, data_loss"));
    assert!(fields(given("risk 1")).is_empty());
}
