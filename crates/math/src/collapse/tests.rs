//! Scores, gates and outcomes worked out by hand, and what must hold for any cards.

use super::converge::{Conflict, GapCheck, Move, ScoredCard, contenders, converge, gap, is_trade_off, rank};
use super::gates::{CardState, Consent, GateInput, GateLimits, GateRisk, ReceiptState, check_gates};
use super::panel::{Ladder, MemberRating, Outcome, SeatRating, consensus, join_members, outcome, safest_unrated};
use super::score::{RiskCombination, Score, ScoreInput, ScoreRisk, ScoreRules, Severity, Signs, score};
use super::sensitivity::{dominated, dominators, nearest_flip};
use super::{converge, gates};
use proptest::prelude::*;

fn risk(severity: Severity, residual: f64) -> ScoreRisk {
    ScoreRisk { severity, residual: Some(residual) }
}

fn card(name: &str) -> ScoreInput {
    use Severity::*;
    let base =
        ScoreInput { evidence: vec![0.9, 0.8], risks: vec![risk(Medium, 0.5)], reversibility: 0.9, cost: 20, confidence: 0.8, open_violations: 0 };
    match name {
        "A" => base,
        "B" => ScoreInput { reversibility: 0.1, ..base },
        "C" => ScoreInput { cost: 100, ..base },
        "D" => ScoreInput { evidence: vec![0.7, 0.6], ..base },
        "E" => ScoreInput {
            evidence: vec![0.9],
            risks: vec![risk(High, 0.5), risk(Medium, 0.5), risk(Low, 1.0)],
            reversibility: 0.7,
            cost: 35,
            confidence: 0.75,
            open_violations: 0,
        },
        "F" => ScoreInput { evidence: vec![0.6], reversibility: 0.5, cost: 45, confidence: 1.0, ..base },
        "G" => ScoreInput { evidence: vec![], risks: vec![], reversibility: 1.0, cost: 0, confidence: 1.0, open_violations: 0 },
        "H" => ScoreInput { open_violations: 1, ..base },
        "J" => ScoreInput { evidence: vec![1.0], risks: vec![], reversibility: 1.0, cost: 0, confidence: 1.0, open_violations: 0 },
        "K" => ScoreInput { evidence: vec![1.0], risks: vec![], reversibility: 0.0, cost: 0, confidence: 0.0, open_violations: 0 },
        "L" => ScoreInput { confidence: 0.0, ..base },
        "M" => {
            ScoreInput { evidence: vec![0.95], risks: vec![risk(Critical, 0.30)], reversibility: 0.8, cost: 60, confidence: 0.7, open_violations: 0 }
        }
        "N" => {
            ScoreInput { evidence: vec![0.95], risks: vec![risk(Critical, 0.31)], reversibility: 0.8, cost: 60, confidence: 0.7, open_violations: 0 }
        }
        "P" => {
            ScoreInput { evidence: vec![0.8], risks: vec![risk(Medium, 1.0); 3], reversibility: 0.8, cost: 30, confidence: 0.7, open_violations: 0 }
        }
        "Q" => ScoreInput {
            evidence: vec![0.5],
            risks: vec![risk(High, 0.6), risk(Medium, 0.3)],
            reversibility: 0.6,
            cost: 40,
            confidence: 0.9,
            open_violations: 0,
        },
        other => panic!("no card {other}"),
    }
}

fn close(got: f64, want: f64) -> bool {
    (got - want).abs() < 1e-9
}

#[test]
fn cards_score_as_computed_by_hand() {
    let table = [
        ("A", 0.85, 0.2, 10.0, 3.8),
        ("B", 0.85, 0.2, 7.6, 6.2),
        ("C", 0.85, 0.2, 8.4, 5.4),
        ("D", 0.65, 0.2, 8.0, 1.8),
        ("E", 0.9, 0.532, 6.894, 2.594),
        ("F", 0.6, 0.2, 6.0, 2.8),
        ("G", 0.0, 0.0, 4.0, -4.0),
        ("H", 0.85, 0.2, 0.0, -6.2),
        ("J", 1.0, 0.0, 14.0, 6.0),
        ("K", 1.0, 0.0, 10.0, 10.0),
        ("L", 0.85, 0.2, 9.2, 4.6),
        ("M", 0.95, 0.30, 9.0, 5.2),
        ("N", 0.95, 0.31, 8.92, 5.12),
        ("P", 0.8, 0.784, 4.228, -0.772),
        ("Q", 0.5, 0.4896, 2.9832, -0.8168),
    ];
    for (name, evidence, risk, intent, literal) in table {
        let got = score(&card(name), &ScoreRules::default());
        let pairs = [(got.terms.evidence, evidence), (got.terms.risk, risk), (got.intent, intent), (got.literal, literal), (got.value, intent)];
        assert!(pairs.iter().all(|(got, want)| close(*got, *want)), "{name}: {got:?}");
        assert!(close(got.parts.iter().sum(), got.value), "{name}: the parts make the whole");
        let printed = score(&card(name), &ScoreRules { signs: Signs::Literal, ..ScoreRules::default() });
        assert!(close(printed.value, literal), "{name}");
    }
}

#[test]
fn an_unclamped_cost_drowns_everything() {
    let dear = ScoreInput { cost: 2000, ..card("A") };
    let clamped = score(&dear, &ScoreRules::default());
    assert!(close(clamped.intent, 8.4) && close(clamped.literal, 5.4), "{clamped:?}");
    let free = score(&dear, &ScoreRules { clamp_cost: false, ..ScoreRules::default() });
    assert!(close(free.intent, -29.6) && close(free.literal, 43.4), "{free:?}");
}

#[test]
fn risks_combine_four_ways() {
    let rows = [
        (RiskCombination::NoisyOr, true, 0.532, 6.894),
        (RiskCombination::Max, true, 0.35, 8.35),
        (RiskCombination::Mean, true, 13.0 / 60.0, 9.75 - 8.0 * 13.0 / 60.0 + 1.4),
        (RiskCombination::Sum, true, 0.65, 5.95),
        (RiskCombination::NoisyOr, false, 0.838, 4.446),
        (RiskCombination::Max, false, 0.7, 5.55),
        (RiskCombination::Mean, false, 0.4, 7.95),
        (RiskCombination::Sum, false, 1.2, 1.55),
    ];
    for (combine, residual, risk, intent) in rows {
        let got = score(&card("E"), &ScoreRules { combine, residual, ..ScoreRules::default() });
        assert!(close(got.terms.risk, risk) && close(got.intent, intent), "{combine:?}, residual {residual}: {got:?}");
    }
}

fn standing(name: &str) -> ScoredCard {
    let card = card(name);
    let score = score(&card, &ScoreRules::default());
    ScoredCard {
        id: name.into(),
        score: score.value,
        evidence: score.terms.evidence,
        risk: score.terms.risk,
        reversibility: card.reversibility,
        cost: card.cost,
        at: None,
    }
}

#[test]
fn the_best_is_taken_unless_it_is_close_or_poor() {
    let close_call = |below_threshold| Move::Panel { conflict: Conflict::ScoresTooClose, below_threshold };
    let spent = Move::Panel { conflict: Conflict::ReflexionExhausted, below_threshold: true };
    let rows: [(&[&str], bool, u32, Move); 12] = [
        (&["A"], false, 0, Move::Accept(0)),
        (&["A", "C"], false, 0, close_call(false)),
        (&["A", "D"], false, 0, Move::Accept(0)),
        (&["A"], true, 0, Move::Accept(0)),
        (&["F"], false, 0, Move::Reflect),
        (&["F"], false, 2, Move::Reflect),
        (&["F"], false, 3, spent),
        (&["F", "P"], false, 0, close_call(true)),
        (&["A", "Q"], false, 0, Move::Accept(0)),
        (&["M"], false, 0, Move::Accept(0)),
        (&[], false, 3, Move::NoViablePosition),
        (&[], true, 3, Move::AwaitApproval),
    ];
    for (names, parked, attempts, want) in rows {
        let viable: Vec<ScoredCard> = names.iter().map(|name| standing(name)).collect();
        assert_eq!(converge(&viable, parked, attempts, &converge::ConvergeRules::default()), want, "{names:?} after {attempts}");
    }
    let printed = converge::ConvergeRules { gap_check: GapCheck::BelowThresholdOnly, ..converge::ConvergeRules::default() };
    assert_eq!(converge(&[standing("A"), standing("C")], false, 0, &printed), Move::Accept(0));
    assert!(close(gap(&[standing("A"), standing("C")], &[0, 1]).expect("two"), 1.6));
    assert!(close(gap(&[standing("F"), standing("P")], &[0, 1]).expect("two"), 1.772));
    assert!(close(gap(&[standing("A"), standing("Q")], &[0, 1]).expect("two"), 7.0168));
}

fn case() -> GateInput {
    GateInput {
        receipt: ReceiptState::Pass,
        violations: vec![],
        risks: vec![],
        doubts: vec![],
        reversibility: 0.9,
        irreversible_data_change: None,
        data_loss: Consent::Open,
        regulations: vec![],
    }
}

#[test]
fn gates_stop_what_they_must_and_a_person_opens_what_may_be_opened() {
    let critical = |residual, mitigated, approval| GateInput {
        risks: vec![GateRisk { subject: "risk 1".into(), severity: Severity::Critical, residual, mitigated, approval }],
        ..case()
    };
    let violation = |may, approval| GateInput { violations: vec![("INV-1".into(), may, approval)], ..case() };
    let final_step = |change, approval| GateInput { reversibility: 0.1, irreversible_data_change: change, data_loss: approval, ..case() };
    let doubt = |approval| GateInput { doubts: vec![("doubt 1".into(), approval)], ..case() };
    let rule = |approval| GateInput { regulations: vec![("GDPR".into(), approval)], ..case() };
    let rows = [
        (case(), CardState::Viable),
        (GateInput { receipt: ReceiptState::Fail, ..case() }, CardState::Rejected),
        (GateInput { receipt: ReceiptState::Pending, ..case() }, CardState::Held),
        (GateInput { receipt: ReceiptState::Absent, ..case() }, CardState::Viable),
        (violation(false, Consent::Approved), CardState::Rejected),
        (violation(true, Consent::Open), CardState::NeedsApproval),
        (violation(true, Consent::Approved), CardState::Viable),
        (violation(true, Consent::Denied), CardState::Rejected),
        (critical(0.30, false, Consent::Open), CardState::Viable),
        (critical(0.31, false, Consent::Approved), CardState::Rejected),
        (critical(0.31, true, Consent::Open), CardState::NeedsApproval),
        (critical(0.31, true, Consent::Approved), CardState::Viable),
        (critical(0.31, true, Consent::Revise), CardState::RevisionRequested),
        // A doubt parks a card; only a person's word rejects it.
        (doubt(Consent::Open), CardState::NeedsApproval),
        (doubt(Consent::Approved), CardState::Viable),
        (doubt(Consent::Revise), CardState::RevisionRequested),
        (doubt(Consent::Denied), CardState::Rejected),
        (final_step(None, Consent::Open), CardState::NeedsApproval),
        (final_step(Some(false), Consent::Open), CardState::Viable),
        (final_step(Some(true), Consent::Approved), CardState::Viable),
        (rule(Consent::Open), CardState::NeedsApproval),
        (rule(Consent::Denied), CardState::Rejected),
    ];
    for (case, want) in rows {
        assert_eq!(check_gates(&case, &GateLimits::default()).state, want, "{case:?}");
    }
    assert_eq!(check_gates(&rule(Consent::Open), &GateLimits::default()).reasons[0].gate, gates::Gate::Regulation);
}

const SEATS: [f64; 7] = [1.5, 2.0, 1.8, 2.5, 1.3, 2.2, 1.4];

fn rated(scores: [f64; 7], confidence: [f64; 7]) -> Vec<SeatRating> {
    (0..7).map(|seat| SeatRating { weight: SEATS[seat], scores: vec![scores[seat]], confidence: confidence[seat] }).collect()
}

#[test]
fn the_panel_agrees_to_the_last_digit() {
    let example = rated([0.85, 0.78, 0.88, 0.92, 0.80, 0.95, 0.60], [0.90, 0.85, 0.95, 1.0, 0.75, 1.0, 0.80]);
    assert!(close(consensus(&example, 1)[0], 98203.0 / 115550.0));
    assert!(close(consensus(&example[..6], 1)[0], 9.1483 / 10.435));
    let one = [standing("A")];
    let all = |scores| consensus(&rated(scores, [1.0; 7]), 1);
    let vetoed = all([0.9, 0.9, 0.9, 0.0, 0.9, 0.9, 0.9]);
    assert!((vetoed[0] - 0.722835).abs() < 1e-6);
    assert_eq!(outcome(&vetoed, &one, &Ladder::default()), Some(Outcome::Consensus { winner: 0, near_tie: false }));
    let twice = all([0.9, 0.9, 0.9, 0.0, 0.9, 0.0, 0.9]);
    assert!((twice[0] - 0.566929).abs() < 1e-6);
    assert_eq!(outcome(&twice, &one, &Ladder::default()), Some(Outcome::Fallback { winner: 0 }));
    assert_eq!(consensus(&rated([0.9; 7], [0.0; 7]), 1), [0.0]);

    let split = |others: f64| -> Vec<f64> {
        let careful = [1, 3, 5];
        let ratings: Vec<SeatRating> = (0..7)
            .map(|seat| match careful.contains(&seat) {
                true => SeatRating { weight: SEATS[seat], scores: vec![0.8, 0.5], confidence: 1.0 },
                false => SeatRating { weight: SEATS[seat], scores: vec![0.5, 0.8], confidence: others },
            })
            .collect();
        consensus(&ratings, 2)
    };
    let even = split(1.0);
    assert!(close(even[0], 418.0 / 635.0) && close(even[1], 163.0 / 254.0), "{even:?}");
    let two = [standing("A"), standing("D")];
    assert_eq!(outcome(&even, &two, &Ladder::default()), Some(Outcome::Hybrid { first: 0, second: 1 }));
    let leaning = split(0.5);
    assert!(close(leaning[0], 343.0 / 485.0) && close(leaning[1], 115.0 / 194.0), "{leaning:?}");
    assert_eq!(outcome(&leaning, &two, &Ladder::default()), Some(Outcome::Consensus { winner: 0, near_tie: false }));
}

#[test]
fn the_first_rung_that_holds_decides() {
    // A has risk .2, E .532.
    let cards = [standing("E"), standing("A")];
    let rung = |a, b| outcome(&[a, b], &cards, &Ladder::default()).expect("two cards");
    assert_eq!(rung(0.65, 0.50), Outcome::Fallback { winner: 1 }, "the card with the least risk");
    assert_eq!(rung(0.75, 0.74), Outcome::Consensus { winner: 0, near_tie: true });
    assert_eq!(rung(0.49, 0.45), Outcome::Escalated);
    assert_eq!(rung(0.70, 0.10), Outcome::Consensus { winner: 0, near_tie: false });
    assert_eq!(rung(0.50, 0.10), Outcome::Fallback { winner: 1 });
    assert_eq!(rung(0.0, 0.0), Outcome::Escalated);
    let bold = Ladder { hybrid_below_escalate: true, ..Ladder::default() };
    assert_eq!(outcome(&[0.49, 0.45], &cards, &bold), Some(Outcome::Hybrid { first: 0, second: 1 }));
}

#[test]
fn members_of_one_seat_speak_with_one_voice() {
    let member = |scores: [Option<f64>; 2], confidence| MemberRating { scores: scores.to_vec(), confidence };
    let members = [member([Some(0.9), Some(0.6)], 0.9), member([Some(0.3), None], 0.1)];
    let seat = join_members(1.8, &members).expect("two members");
    assert!(close(seat.scores[0], 0.84) && close(seat.scores[1], 0.6) && close(seat.confidence, 0.5), "{seat:?}");
    assert_eq!(join_members(1.0, &[]), None);
    assert_eq!(join_members(1.0, &members[1..]), None, "a card that nobody on the seat rated");
    let unsure = [member([Some(0.8), Some(0.2)], 0.0), member([Some(0.4), Some(0.4)], 0.0)];
    assert!(close(join_members(1.0, &unsure).expect("two members").scores[0], 0.6));
}

#[test]
fn a_near_tie_that_nobody_rates_goes_to_the_least_risk_and_then_by_the_ladder() {
    // A 10.0 and C 8.4 have risk .2, E 6.894 has .532, J 14.0 has none.
    let of = |names: &[&str]| names.iter().map(|name| standing(name)).collect::<Vec<_>>();
    assert_eq!(contenders(&of(&["C", "A", "E"]), 2.0), [0, 1]);
    assert_eq!((contenders(&of(&["A", "D"]), 2.0), contenders(&of(&["A"]), 0.0), contenders(&[], 2.0)), (vec![0], vec![0], vec![]));
    assert_eq!(safest_unrated(&of(&["C", "A", "E"])), Some(1), "equal in risk, so by score");
    assert_eq!((safest_unrated(&of(&["E", "J"])), safest_unrated(&[])), (Some(1), None));
}

#[test]
fn whoever_dominates_a_card_is_named_with_what_it_is_better_in() {
    let scores: Vec<Score> = ["A", "C", "D", "Q"].iter().map(|name| score(&card(name), &ScoreRules::default())).collect();
    assert_eq!(dominators(&scores, 0, Signs::Intent), []);
    assert_eq!(dominators(&scores, 1, Signs::Intent), [(0, vec!["cost"])]);
    assert_eq!(dominators(&scores, 2, Signs::Intent), [(0, vec!["evidence"])]);
}

#[test]
fn a_trade_off_needs_a_gain_on_both_sides() {
    assert!(is_trade_off([0.9, 0.5, 0.9, 0.2], [0.6, 0.2, 0.9, 0.2], 0.2));
    assert!(!is_trade_off([0.9, 0.2, 0.9, 0.2], [0.6, 0.5, 0.9, 0.2], 0.2));
}

#[test]
fn the_nearest_flip_is_where_two_cards_meet() {
    let rules = ScoreRules::default();
    let scores = |names: &[&str]| -> Vec<Score> { names.iter().map(|name| score(&card(name), &rules)).collect() };
    // A leads F by 4; they differ in evidence by 0.25, in reversibility by 0.4, in cost by 0.25 and in confidence by 0.2 the other way.
    let flip = nearest_flip(&scores(&["A", "F"]), 0, &rules.weights, rules.signs).expect("one weight can do it");
    assert_eq!((flip.weight, flip.winner, flip.up), ("confidence", 1, true));
    assert!(close(flip.to, 21.0), "{flip:?}");
    // A leads B by reversibility alone: they meet at a weight of 0, and no weight puts B first.
    assert_eq!(nearest_flip(&scores(&["A", "B"]), 0, &rules.weights, rules.signs), None);
    assert_eq!(dominated(&scores(&["A", "B"]), Signs::Intent), [1]);
    // Equal scores flip with the least change there is.
    let tied = [ScoreInput { cost: 30, ..card("A") }, ScoreInput { confidence: 0.6, ..card("A") }].map(|card| score(&card, &rules));
    let flip = nearest_flip(&tied, 0, &rules.weights, rules.signs).expect("one weight can do it");
    assert!(close(flip.from, flip.to) && (flip.weight, flip.up) == ("confidence", false), "{flip:?}");
}

fn any_card() -> impl Strategy<Value = ScoreInput> {
    let share = 0.0..=1.0f64;
    let severity = prop_oneof![Just(Severity::Low), Just(Severity::Medium), Just(Severity::High), Just(Severity::Critical)];
    let risks =
        prop::collection::vec((severity, prop::option::of(0.0..=1.0f64)).prop_map(|(severity, residual)| ScoreRisk { severity, residual }), 0..5);
    (prop::collection::vec(0.0..=1.0f64, 0..4), risks, share.clone(), 0..300u64, share, 0..3u32).prop_map(
        |(evidence, risks, reversibility, cost, confidence, open_violations)| ScoreInput {
            evidence,
            risks,
            reversibility,
            cost,
            confidence,
            open_violations,
        },
    )
}

proptest! {
    #[test]
    fn a_score_rises_with_what_is_good_and_falls_with_what_is_bad(card in any_card(), by in 0.01..0.5f64) {
        let rules = ScoreRules::default();
        let base = score(&card, &rules).value;
        let value = |card: ScoreInput| score(&card, &rules).value;
        let other = value(ScoreInput { reversibility: card.reversibility + by, ..card.clone() });
        prop_assert!(other > base);
        let other = value(ScoreInput { confidence: card.confidence + by, ..card.clone() });
        prop_assert!(other > base);
        let other = value(ScoreInput { cost: card.cost + 10, ..card.clone() });
        prop_assert!(other <= base);
        let other = value(ScoreInput { open_violations: card.open_violations + 1, ..card.clone() });
        prop_assert!(other < base);
        let proof = ScoreInput { evidence: card.evidence.iter().map(|quality| quality + by).collect(), ..card.clone() };
        prop_assert!(value(proof) >= base);
    }

    #[test]
    fn a_risk_more_never_lowers_the_risk(card in any_card(), residual in 0.0..=1.0f64) {
        let rules = ScoreRules::default();
        let mut worse = card.clone();
        worse.risks.push(ScoreRisk { severity: Severity::Low, residual: Some(residual) });
        prop_assert!(score(&worse, &rules).terms.risk >= score(&card, &rules).terms.risk - 1e-12);
        prop_assert!((0.0..=1.0).contains(&score(&worse, &rules).terms.risk));
    }

    #[test]
    fn the_panel_stays_within_its_seats_and_scale_does_not_matter(
        seats in prop::collection::vec((0.1..3.0f64, 0.0..=1.0f64, 0.01..=1.0f64), 1..8), by in 0.1..5.0f64,
    ) {
        let ratings: Vec<SeatRating> = seats.iter().map(|(weight, score, confidence)| SeatRating { weight: *weight, scores: vec![*score], confidence: *confidence }).collect();
        let agreed = consensus(&ratings, 1)[0];
        let low = seats.iter().map(|seat| seat.1).fold(1.0, f64::min);
        let high = seats.iter().map(|seat| seat.1).fold(0.0, f64::max);
        prop_assert!(agreed >= low - 1e-9 && agreed <= high + 1e-9);
        let scaled = |weight: f64, confidence: f64| -> f64 {
            let ratings: Vec<SeatRating> = ratings.iter().map(|rating| SeatRating { weight: rating.weight * weight, confidence: rating.confidence * confidence, ..rating.clone() }).collect();
            consensus(&ratings, 1)[0]
        };
        prop_assert!((scaled(by, 1.0) - agreed).abs() < 1e-9 && (scaled(1.0, by) - agreed).abs() < 1e-9);
    }

    #[test]
    fn the_order_of_the_cards_never_matters(cards in prop::collection::vec(any_card(), 1..6), ratings in prop::collection::vec(0.0..=1.0f64, 6), seed in any::<u64>()) {
        let place = |at: usize, card: &ScoreInput| {
            let score = score(card, &ScoreRules::default());
            ScoredCard { id: format!("p{at}"), score: score.value, evidence: score.terms.evidence, risk: score.terms.risk, reversibility: card.reversibility, cost: card.cost, at: None }
        };
        let standings: Vec<ScoredCard> = cards.iter().enumerate().map(|(at, card)| place(at, card)).collect();
        let shuffle = crate::Rng::new(seed).permutation(standings.len());
        let mixed: Vec<ScoredCard> = shuffle.iter().map(|at| standings[*at].clone()).collect();
        let names = |list: &[ScoredCard]| rank(list).into_iter().map(|at| list[at].id.clone()).collect::<Vec<_>>();
        prop_assert_eq!(names(&standings), names(&mixed));
        let who = |list: &[ScoredCard], found: Move| match found { Move::Accept(at) => format!("accept {}", list[at].id), other => format!("{other:?}") };
        let rules = converge::ConvergeRules::default();
        prop_assert_eq!(who(&standings, converge(&standings, false, 1, &rules)), who(&mixed, converge(&mixed, false, 1, &rules)));
        let mixed_ratings: Vec<f64> = shuffle.iter().map(|at| ratings[*at]).collect();
        let said = |list: &[ScoredCard], found: Option<Outcome>| match found {
            Some(Outcome::Consensus { winner, near_tie }) => format!("consensus {} {near_tie}", list[winner].id),
            Some(Outcome::Hybrid { first, second }) => format!("hybrid {} {}", list[first].id, list[second].id),
            Some(Outcome::Fallback { winner }) => format!("fallback {}", list[winner].id),
            Some(Outcome::Escalated) => "escalated".into(),
            None => "nothing".into(),
        };
        let ladder = Ladder::default();
        let first = said(&standings, outcome(&ratings[..standings.len()], &standings, &ladder));
        prop_assert_eq!(first, said(&mixed, outcome(&mixed_ratings, &mixed, &ladder)));
    }

    #[test]
    fn whoever_is_beaten_in_everything_is_found(cards in prop::collection::vec(any_card(), 1..12)) {
        let scores: Vec<Score> = cards.iter().map(|card| score(card, &ScoreRules::default())).collect();
        let signs = super::score::signs(Signs::Intent);
        let worth = |score: &Score| -> Vec<f64> { score.terms.values().iter().zip(signs).map(|(value, sign)| value * sign).collect() };
        let beats = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| *a >= b - 1e-9) && a.iter().zip(b).any(|(a, b)| *a > b + 1e-9);
        let all: Vec<Vec<f64>> = scores.iter().map(worth).collect();
        let want: Vec<usize> = (0..all.len()).filter(|card| all.iter().any(|other| beats(other, &all[*card]))).collect();
        prop_assert_eq!(dominated(&scores, Signs::Intent), want);
    }

    #[test]
    fn beyond_a_flip_another_leads_and_before_it_nobody_does(cards in prop::collection::vec(any_card(), 2..5)) {
        let rules = ScoreRules::default();
        let scores: Vec<Score> = cards.iter().map(|card| score(card, &rules)).collect();
        let winner = (0..scores.len()).max_by(|a, b| scores[*a].value.total_cmp(&scores[*b].value)).expect("some card");
        if let Some(flip) = nearest_flip(&scores, winner, &rules.weights, rules.signs) {
            let at = |to: f64| -> Vec<f64> {
                let mut weights = rules.weights;
                match flip.weight {
                    "evidence" => weights.evidence = to,
                    "risk" => weights.risk = to,
                    "reversibility" => weights.reversibility = to,
                    "cost" => weights.cost = to,
                    "confidence" => weights.confidence = to,
                    _ => weights.violation = to,
                }
                cards.iter().map(|card| score(card, &ScoreRules { weights, ..rules }).value).collect()
            };
            prop_assert!(flip.to >= 0.0 && flip.up == (flip.to > flip.from) || flip.to == flip.from);
            let way = if flip.up { 1.0 } else { -1.0 };
            let far = at(flip.to + way * flip.to.max(1.0) / 2.0);
            prop_assert!(far[flip.winner] > far[winner], "beyond it the other leads: {far:?}");
            for value in at(flip.to + way * 1e-7) {
                prop_assert!(value <= at(flip.to + way * 1e-7)[flip.winner] + 1e-5, "and nobody is before it");
            }
            for value in at((flip.from + flip.to) / 2.0) {
                prop_assert!(value <= at((flip.from + flip.to) / 2.0)[winner] + 1e-6, "short of it the winner stays");
            }
        }
    }
}
