//! Weighted collapse: position cards are verified, gated and scored, and collapse into one decision. Where scores cannot tell, a weighted panel
//! decides; where the rules forbid it to, a person.
//!
//! Cards are given (and then no model is needed), or the seats write them. The arithmetic is all in `synod_math::collapse`.

mod cards;
mod panel;
mod report;
mod rounds;
mod rows;
#[cfg(test)]
mod tests;

use cards::card::Card;
use cards::policy::Policy;
use cards::records::{Approval, Evaluation, Experience, Invariant, Receipt};
pub use cards::{card, file, policy, records};
use cards::{check, evidence};
use panel::{rate, ruling};
pub use report::decision::Decision;
use rounds::converge;
use rounds::docket::{self, Docket};
pub use rounds::people;
use rounds::position::Position;
pub use rows::ScoreEntry;
use rows::{
    AuditRow, CardRow, ConvergenceRow, DecisionRow, DoubtsRow, GatesRow, HybridRow, PanelRow, PositionsRow, RatingRow, ReceiptRow, RevisionRow,
    RulingsRow, ScoresRow, SensitivityRow,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use synod_engine::{Abilities, Bench, Evidence, Example, FigureKind, Mode, ModeResult, PlannedCalls, Result, Seating, Stage, each, mode};
use synod_types::Problem;

pub static MODE: Mode = mode! {
    id: "collapse", version: 7, name: "Weighted collapse", family: Algorithmic, seats: 0..=10, roles: &[each("member")],
    summary: "Position cards are verified, gated, scored and weighed by a panel of seven parts until one safe decision is left.",
    pick: "Take it to choose between worked-out options when the choice must be explained with numbers, and nothing irreversible may slip through.",
    phases: &["cards", "round", "panel", "hybrid", "decision"],
    stages: &[
        Stage::from_seat::<CardRow>("position_card", "author"),
        Stage::computed::<PositionsRow>("positions"),
        Stage::from_seat::<ReceiptRow>("verifier_receipt", "verifier"),
        Stage::from_seat::<DoubtsRow>("skeptic_risks", "skeptic"),
        Stage::from_seat::<RulingsRow>("doubt_rulings", "verifier"),
        Stage::computed::<GatesRow>("gates"),
        Stage::computed::<ScoresRow>("scores"),
        Stage::computed::<ConvergenceRow>("convergence"),
        Stage::from_seat::<RevisionRow>("revision", "author"),
        Stage::from_seat::<RatingRow>("panel_evaluation", "{n}"),
        Stage::computed::<PanelRow>("panel_result"),
        Stage::from_seat::<HybridRow>("hybrid_card", "synthesist"),
        Stage::computed::<PanelRow>("hybrid_result"),
        Stage::computed::<DecisionRow>("decision"),
        Stage::computed::<SensitivityRow>("sensitivity"),
        Stage::computed::<AuditRow>("audit"),
    ],
    figures: &[
        FigureKind::total("rung", "What decided"),
        FigureKind::mean("score", "Score of the decision"),
        FigureKind::mean("consensus", "Consensus of the panel"),
        FigureKind::mean("reflexions", "Rounds of reworking the cards"),
    ],
    multi_turn: false, estimated_ms: 300_000, turn_secs: 120, run_secs: 3600,
    cost: "3a for a cards written (2a with all of them given), one more for a card with critical doubts, 3a to 4a more for each revision, 7 to 14 for the panel, 10 for a hybrid; none without models",
    example: Example::ask("PostgreSQL or MongoDB for a shop with many tenants?"),
    failure_rule: "Two cards are enough, or one from one author. A card nobody can verify is held. A seat that fails is stood in for by another; with a panel below quorum, or a run that is closed, the safest position that passed the gates is taken.",
    prompts: ["author", "verify", "doubt", "settle", "revise", "rate", "hybrid"],
    abilities: Abilities { learns: Some("experience"), continues: None, evidence: Some(Evidence { option: "cards", check: evidence::check }) },
};

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The positions to choose from. Left out, the seats write them.
    pub cards: Vec<Card>,
    /// What verifiers found about the cards.
    pub receipts: Vec<Receipt>,
    /// Ratings of the panel that are already known.
    pub panel: Vec<Evaluation>,
    /// What people have already approved or refused.
    pub approvals: Vec<Approval>,
    /// Every weight and threshold.
    pub policy: Policy,
    /// What any position has to respect.
    pub constraints: Vec<String>,
    /// What may not be broken; a card says which of them it breaks.
    pub invariants: Vec<Invariant>,
    /// Regulations that need a sign-off where a card touches them: GDPR, SOC2, …
    pub regulations: Vec<String>,
    /// Fields of domain experts, who share one seat of the panel. With two or more they also rate every card before it.
    #[schemars(length(max = 6))]
    pub experts: Vec<String>,
    /// How many seats write a card; 0 for all of them.
    #[schemars(range(min = 0, max = 10))]
    pub authors: u32,
    /// Earlier decisions that the collective intelligence seat may learn from.
    pub experience: Vec<Experience>,
}

/// What is wrong with cards and a policy, beyond what their schemas say.
pub fn problems_of(cards: &[Card], policy: &Policy) -> Vec<Problem> {
    check::check(&Options { cards: cards.to_vec(), policy: policy.clone(), ..Options::default() }, "")
}

/// What each card scores under a policy, with nothing looked up and nobody asked: arithmetic on what the cards say alone.
pub fn score_cards(cards: Vec<Card>, policy: &Policy) -> Vec<ScoreEntry> {
    let scored = |mut card: Card| {
        // Whoever writes a card cannot also have checked it.
        card.evidence.iter_mut().for_each(|evidence| evidence.checked = None);
        let mut position = Position::new(card, None, Vec::new(), policy);
        position.weigh(policy);
        position.score_entry()
    };
    cards.into_iter().map(scored).collect()
}

impl Options {
    fn check(&self) -> Vec<Problem> {
        check::check(self, "options.")
    }
}

fn calls(options: &Options, seating: &Seating) -> Vec<PlannedCalls> {
    let n = seating.panel();
    if n == 0 {
        return Vec::new();
    }
    let written = options.cards.is_empty();
    let authors = if written { docket::authors(options, n as usize) as u32 } else { 0 };
    let cards = if written { authors } else { options.cards.len() as u32 };
    let receipts: BTreeSet<&str> = options.receipts.iter().map(|receipt| receipt.position_id.as_str()).collect();
    let unverified = options.cards.iter().filter(|card| !receipts.contains(card.id.as_str())).count() as u32;
    let rounds = options.policy.max_reflexions;
    let parts = rate::parts(&options.experts).len() as u32;
    let experts = if options.experts.len() > 1 { options.experts.len() as u32 * 2 * (rounds + 1) } else { 0 };
    let line = |prompt, min, max, reads| PlannedCalls { prompt, role: "member", min, max, reads, max_tokens: None };
    let verified = if written { cards } else { unverified };
    vec![
        line("author", authors, authors, 0),
        line("verify", verified, verified + cards * rounds + 1, 1),
        line("doubt", cards, cards + cards * rounds + 1, 1),
        line("settle", 0, cards + cards * rounds + 1, 1),
        line("revise", 0, cards * rounds, 2),
        line("rate", 0, parts * 3 + experts, cards),
        line("hybrid", 0, 1, 2),
    ]
}

async fn run(bench: &Bench, options: Options) -> Result<ModeResult> {
    let mut docket = Docket::open(bench, options).await?;
    let outcome = converge::run_rounds(bench, &mut docket).await?;
    let ruling = ruling::rule(bench, &mut docket, outcome).await?;
    report::decision::conclude(bench, &docket, ruling)
}
