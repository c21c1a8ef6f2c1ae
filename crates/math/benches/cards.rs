//! A hundred thousand cards scored, gated and ranked in one process: how long it takes, how much memory, and that both
//! grow with their number and no faster.
//!
//! `cargo bench -p synod-math --bench cards`. It fails if the large set takes a second, or three times the memory of half of it.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods, reason = "it prints what it measured")]

use std::time::{Duration, Instant};
use synod_math::Rng;
use synod_math::collapse::converge::{ScoredCard, rank};
use synod_math::collapse::gates::{CardState, Consent, GateInput, GateLimits, GateRisk, ReceiptState, check_gates};
use synod_math::collapse::score::{ScoreInput, ScoreRisk, ScoreRules, Severity, score};

fn main() {
    let bare = most_memory();
    let mut last: Option<(Duration, u64)> = None;
    for count in [10_000, 50_000, 100_000] {
        let cards = cards(count);
        let began = Instant::now();
        let (viable, best) = decide(&cards);
        let took = began.elapsed();
        // The most so far: each set is larger than all before it together.
        let kib = most_memory().saturating_sub(bare);
        println!("{count:>7} cards: {took:?}, {kib} KiB, {viable} viable, best {best}");
        if count == 100_000 {
            assert!(took < Duration::from_secs(1), "{took:?} for {count} cards");
        }
        if let (100_000, Some((before, less))) = (count, last) {
            let (time, memory) = (took.as_secs_f64() / before.as_secs_f64().max(1e-9), kib as f64 / less.max(1) as f64);
            println!("twice the cards took {time:.1} times as long and {memory:.1} times the memory");
            assert!(memory < 3.0, "memory grows faster than the cards: {memory:.1} times for twice as many");
        }
        last = Some((took, kib));
    }
}

/// The most this process has held, in KiB; 0 where the system does not say.
fn most_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

fn cards(count: usize) -> Vec<ScoreInput> {
    let mut rng = Rng::new(7);
    let mut share = || rng.below(1001) as f64 / 1000.0;
    let severities = [Severity::Low, Severity::Medium, Severity::High, Severity::Critical];
    (0..count)
        .map(|at| ScoreInput {
            evidence: vec![share(), share(), share()],
            risks: (0..3).map(|n| ScoreRisk { severity: severities[(at + n) % 4], residual: Some(share()) }).collect(),
            reversibility: share(),
            cost: (share() * 120.0) as u64,
            confidence: share(),
            open_violations: u32::from(at % 17 == 0),
        })
        .collect()
}

/// How many stand, and the best of them.
fn decide(cards: &[ScoreInput]) -> (usize, String) {
    let (rules, limits) = (ScoreRules::default(), GateLimits::default());
    let mut standings = Vec::with_capacity(cards.len());
    for (at, card) in cards.iter().enumerate() {
        let risks = card.risks.iter().enumerate().map(|(n, risk)| GateRisk {
            subject: format!("risk {n}"),
            severity: risk.severity,
            residual: risk.residual.unwrap_or(1.0),
            mitigated: true,
            approval: Consent::Open,
        });
        let case = GateInput {
            receipt: ReceiptState::Pass,
            violations: (0..card.open_violations).map(|n| (format!("INV-{n}"), true, Consent::Open)).collect(),
            risks: risks.collect(),
            doubts: Vec::new(),
            reversibility: card.reversibility,
            irreversible_data_change: None,
            data_loss: Consent::Open,
            regulations: Vec::new(),
        };
        if check_gates(&case, &limits).state != CardState::Viable {
            continue;
        }
        let score = score(card, &rules);
        standings.push(ScoredCard {
            id: format!("card {at}"),
            score: score.value,
            evidence: score.terms.evidence,
            risk: score.terms.risk,
            reversibility: card.reversibility,
            cost: card.cost,
            at: None,
        });
    }
    let order = rank(&standings);
    (standings.len(), order.first().map(|best| standings[*best].id.clone()).unwrap_or_default())
}
