//! A hundred thousand cards scored, gated and ranked in one process: how long it takes, and that time grows with their number and no faster.
//!
//! `cargo bench -p synod-math --bench cards`. It fails if the large set takes a second.

use std::time::{Duration, Instant};
use synod_math::Rng;
use synod_math::collapse::converge::{Standing, ranked};
use synod_math::collapse::gates::{Approval, Case, CriticalRisk, Limits, Receipt, State, pass};
use synod_math::collapse::score::{Card, Risk, Rules, Severity, score};

fn main() {
    let mut last = Duration::ZERO;
    for count in [10_000, 100_000] {
        let cards = cards(count);
        let began = Instant::now();
        let (viable, best) = decide(&cards);
        let took = began.elapsed();
        println!("{count:>7} cards: {took:?}, {viable} viable, best {best}");
        if count == 100_000 {
            assert!(took < Duration::from_secs(1), "{took:?} for {count} cards");
            println!("ten times the cards took {:.1} times as long", took.as_secs_f64() / last.as_secs_f64().max(1e-9));
        }
        last = took;
    }
}

fn cards(count: usize) -> Vec<Card> {
    let mut rng = Rng::new(7);
    let mut share = || rng.below(1001) as f64 / 1000.0;
    let severities = [Severity::Low, Severity::Medium, Severity::High, Severity::Critical];
    (0..count)
        .map(|at| Card {
            evidence: vec![share(), share(), share()],
            risks: (0..3).map(|n| Risk { severity: severities[(at + n) % 4], residual: Some(share()) }).collect(),
            reversibility: share(),
            cost: (share() * 120.0) as u64,
            confidence: share(),
            open_violations: u32::from(at % 17 == 0),
        })
        .collect()
}

/// How many stand, and the best of them.
fn decide(cards: &[Card]) -> (usize, String) {
    let (rules, limits) = (Rules::default(), Limits::default());
    let mut standings = Vec::with_capacity(cards.len());
    for (at, card) in cards.iter().enumerate() {
        let risks = card.risks.iter().enumerate().map(|(n, risk)| CriticalRisk {
            subject: format!("risk {n}"),
            severity: risk.severity,
            residual: risk.residual.unwrap_or(1.0),
            mitigated: true,
            approval: Approval::Open,
        });
        let case = Case {
            receipt: Receipt::Pass,
            violations: (0..card.open_violations).map(|n| (format!("INV-{n}"), true, Approval::Open)).collect(),
            risks: risks.collect(),
            reversibility: card.reversibility,
            irreversible_data_change: None,
            data_loss: Approval::Open,
            regulations: Vec::new(),
        };
        if pass(&case, &limits).state != State::Viable {
            continue;
        }
        let score = score(card, &rules);
        standings.push(Standing {
            id: format!("card {at}"),
            score: score.value,
            evidence: score.terms.evidence,
            risk: score.terms.risk,
            reversibility: card.reversibility,
            cost: card.cost,
            timestamp: String::new(),
        });
    }
    let order = ranked(&standings);
    (standings.len(), order.first().map(|best| standings[*best].id.clone()).unwrap_or_default())
}
