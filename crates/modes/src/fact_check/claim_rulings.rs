//! What the checkers' votes come to, claim by claim, and over all of them.

use super::checks::{Ruling, Sureness, Vote};
use super::claims::Claim;
use super::rows::{ClaimConsensus, ConsensusRow};
use synod_engine::Bench;
use synod_math::consensus::Rung;
use synod_math::{Agreement, Band, Choice, Consensus, JudgedThing, Sides, common, consensus, reliability};
use synod_types::{CheckEntry, Checks, Dissent, Exhibit, SeatIx, Shape};

const SIDES: Sides<Ruling> = Sides { held: Ruling::Verified, denied: Ruling::Disputed, open: Ruling::Unverifiable };

/// How the score is made, for whoever reads it.
pub const MEASURE: &str = "weighted mean of the claims: verified 1, unverifiable 0.5, disputed 0; weight = share of the votes × confidence (high 1, medium 0.6, low 0.3); the confidence is what most holders of the verdict state, of equally frequent ones the lower; mostly reliable and better need half of the weight on verified claims";

/// A claim and what the panel says of it.
#[derive(Clone, Debug)]
pub struct ClaimRuling {
    pub claim: Claim,
    pub votes: Vec<(SeatIx, Vote)>,
    pub outcome: Consensus<Ruling, Sureness>,
    /// What is right instead, in the words of the checker whose correction most others resemble.
    pub correction: Option<String>,
}

impl ClaimRuling {
    pub fn new(claim: Claim, votes: Vec<(SeatIx, Vote)>) -> Self {
        let cast: Vec<(Ruling, Sureness)> = votes.iter().map(|(_, vote)| (vote.verdict, vote.confidence)).collect();
        let outcome = consensus(&cast, SIDES, Sureness::Low);
        let corrections: Vec<&str> = votes.iter().filter_map(|(_, vote)| vote.correction.as_deref()).collect();
        let correction = common(&corrections).filter(|_| outcome.ruling == Ruling::Disputed).map(|(at, _)| corrections[at].to_owned());
        Self { claim, votes, outcome, correction }
    }

    /// In whole percent; `None` where too few ruled.
    pub fn agreement(&self) -> Option<u32> {
        self.outcome.agreement.map(|share| (100.0 * share).round() as u32)
    }

    /// What a reader must know about the ruling beside its numbers.
    pub fn note(&self) -> Option<&'static str> {
        match self.outcome.rung {
            Rung::Majority => None,
            Rung::Plurality => Some("no majority; the largest group stands"),
            Rung::Tie => Some("the checkers are evenly split"),
            Rung::TooFew => Some("fewer than two checkers ruled on it"),
        }
    }

    /// What the ruling is worth in the score, and its weight there.
    fn worth(&self) -> (f64, f64) {
        (self.value(), self.outcome.agreement.unwrap_or(0.0) * self.sure())
    }

    fn value(&self) -> f64 {
        match self.outcome.ruling {
            Ruling::Verified => 1.0,
            Ruling::Unverifiable => 0.5,
            Ruling::Disputed => 0.0,
        }
    }

    fn sure(&self) -> f64 {
        match self.outcome.sureness {
            Sureness::High => 1.0,
            Sureness::Medium => 0.6,
            Sureness::Low => 0.3,
        }
    }

    /// Its part of the score, with the numbers it is made of.
    fn part(&self) -> String {
        let (verdict, sureness) = (self.outcome.ruling.as_str().to_lowercase(), self.outcome.sureness.as_str().to_lowercase());
        let (value, weight) = self.worth();
        let share = self.outcome.agreement.unwrap_or(0.0);
        format!("{}: {verdict} counts {value}, weight {weight:.2} = share of votes {share:.2} × {sureness} {}", self.claim.id, self.sure())
    }

    fn entry(&self, bench: &Bench) -> CheckEntry {
        let votes =
            Ruling::ALL.map(|ruling| (ruling.as_str().to_lowercase(), self.votes.iter().filter(|(_, vote)| vote.verdict == ruling).count() as u32));
        CheckEntry {
            id: self.claim.id.clone(),
            claim: self.claim.text.clone(),
            verdict: self.outcome.ruling.as_str().to_lowercase(),
            confidence: self.outcome.sureness.as_str().to_lowercase(),
            agreement: self.outcome.agreement,
            votes: votes.into_iter().filter(|(_, n)| *n > 0).collect(),
            correction: self.correction.clone().unwrap_or_default(),
            evidence: self.votes.iter().map(|(seat, vote)| vote.evidence(&bench.seat(*seat).label)).collect(),
        }
    }
}

/// How far the checkers agree, over all claims on which two or more ruled.
pub fn agreement(rulings: &[ClaimRuling]) -> Agreement {
    let index = |ruling: Ruling| Ruling::ALL.iter().position(|other| *other == ruling);
    let mut checkers: Vec<SeatIx> = rulings.iter().flat_map(|ruling| ruling.votes.iter().map(|(seat, _)| *seat)).collect();
    checkers.sort_unstable();
    checkers.dedup();
    let choice = |ruling: &ClaimRuling, checker: SeatIx| {
        let (_, vote) = ruling.votes.iter().find(|(seat, _)| *seat == checker)?;
        Choice::among(0..Ruling::ALL.len(), index(vote.verdict)?)
    };
    // A claim too few ruled on is open by the rules, not by anybody's choice.
    let chosen = |ruling: &ClaimRuling| (ruling.outcome.rung != Rung::TooFew).then(|| index(ruling.outcome.ruling)).flatten();
    let thing =
        |ruling: &ClaimRuling| JudgedThing { panel: chosen(ruling), choices: checkers.iter().map(|checker| choice(ruling, *checker)).collect() };
    Agreement::of_choices(&rulings.iter().map(thing).collect::<Vec<_>>())
}

/// The claims together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Totals {
    pub verified: u32,
    pub disputed: u32,
    pub unverifiable: u32,
    /// Out of 100; `None` without a claim on which two ruled.
    pub score: Option<u32>,
    /// Part of the weight that is on verified claims, from 0 to 1.
    pub held: f64,
    /// Mean share of the votes that are for the ruling, over the claims on which two or more ruled.
    pub share: Option<f64>,
}

impl Totals {
    pub fn of(rulings: &[ClaimRuling]) -> Self {
        let count = |side: Ruling| rulings.iter().filter(|ruling| ruling.outcome.ruling == side).count() as u32;
        let shares: Vec<f64> = rulings.iter().filter_map(|ruling| ruling.outcome.agreement).collect();
        let weight = |side: Option<Ruling>| {
            let of = rulings.iter().filter(|ruling| side.is_none_or(|side| ruling.outcome.ruling == side));
            of.map(|ruling| ruling.worth().1).fold(0.0, |sum, weight| sum + weight)
        };
        Self {
            verified: count(Ruling::Verified),
            disputed: count(Ruling::Disputed),
            unverifiable: count(Ruling::Unverifiable),
            score: reliability(&rulings.iter().map(ClaimRuling::worth).collect::<Vec<_>>()),
            held: if weight(None) > 0.0 { weight(Some(Ruling::Verified)) / weight(None) } else { 0.0 },
            share: (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64),
        }
    }

    pub fn claims(&self) -> u32 {
        self.verified + self.disputed + self.unverifiable
    }
    pub fn band(&self) -> Option<Band> {
        self.score.map(|score| Band::of(score, self.held))
    }
    /// The mean share in percent, to two places.
    pub fn agreement_rate(&self) -> Option<f64> {
        self.share.map(|share| (share * 10_000.0).round() / 100.0)
    }
}

/// All rulings, with the votes and the evidence behind them.
pub fn exhibit(bench: &Bench, rulings: &[ClaimRuling], totals: &Totals) -> Exhibit {
    let row = |ruling: &ClaimRuling| ClaimConsensus {
        claim_id: ruling.claim.id.clone(),
        claim: ruling.claim.text.clone(),
        consensus_verdict: ruling.outcome.ruling,
        consensus_confidence: ruling.outcome.sureness,
        agreement_rate: ruling.agreement(),
        correction: ruling.correction.clone(),
        votes: ruling.votes.len(),
        rung: ruling.outcome.rung.as_str(),
        note: ruling.note(),
    };
    let data = ConsensusRow {
        consensus: rulings.iter().map(row).collect(),
        average_agreement_rate: totals.agreement_rate(),
        reliability_score: totals.score,
    };
    let entries = rulings.iter().map(|ruling| ruling.entry(bench)).collect();
    let checks = Checks { entries, score: totals.score.map(f64::from), measure: MEASURE.to_owned() };
    let exhibit = Exhibit::new("What the checkers' votes come to", Shape::Checks(checks)).data(&data);
    let Some(score) = totals.score else { return exhibit };
    let (worth, weight) = rulings.iter().map(ClaimRuling::worth).fold((0.0, 0.0), |(sum, all), (worth, weight)| (sum + worth * weight, all + weight));
    let half = if totals.held < 0.5 { "less than half, so no better than mixed" } else { "at least half, as a band above mixed needs" };
    let made = format!("{score} = 100 × {worth:.2} (what the claims count, by weight) / {weight:.2} (all weights)");
    let held = format!("{:.0} % of the weight is on verified claims: {half}", 100.0 * totals.held);
    exhibit.list("How the score is made", rulings.iter().map(ClaimRuling::part).chain([made, held]))
}

/// Votes against what the panel ruled, with their evidence.
pub fn dissent(rulings: &[ClaimRuling]) -> Vec<Dissent> {
    let rulings = rulings.iter().filter(|ruling| ruling.outcome.rung != Rung::TooFew);
    let against =
        rulings.flat_map(|ruling| ruling.votes.iter().filter(|(_, vote)| vote.verdict != ruling.outcome.ruling).map(move |vote| (ruling, vote)));
    against
        .map(|(ruling, (seat, vote))| {
            let correction = vote.correction.as_ref().map(|right| format!(" Correction: {right}")).unwrap_or_default();
            let text = format!("“{}” is {}: {}{correction}", ruling.claim.text, vote.verdict.as_str().to_lowercase(), vote.evidence);
            Dissent { seat: Some(*seat), label: None, text }
        })
        .collect()
}
