//! The docket: the positions of one deliberation, who may write and judge, and what the input must hold.

use super::draft::{Draft, asking};
use super::position::Position;
use super::record::Approval;
use super::{Options, words};
use serde_json::json;
use std::collections::BTreeSet;
use synod_engine::{Bench, Result, prompt};
use synod_math::collapse::converge::{Standing, ranked};
use synod_types::{Problem, SeatIx};

pub struct Docket {
    pub options: Options,
    pub seats: Vec<SeatIx>,
    pub positions: Vec<Position>,
    /// Revisions so far.
    pub attempts: u32,
    /// How far the experts are apart on each position, in the round under way.
    pub expert_ranges: Vec<(String, f64)>,
    /// The run was told to conclude: nothing new is begun.
    pub closed: bool,
}

/// How many of the seats write a card.
pub fn authors(options: &Options, seats: usize) -> usize {
    if options.authors == 0 { seats } else { seats.min(options.authors as usize) }
}

impl Docket {
    /// The cards given, or those the seats write, each alone.
    pub async fn open(bench: &Bench, options: Options) -> Result<Self> {
        let seats = bench.role("member").to_vec();
        let stage = bench.phase("cards");
        let mut docket = Self { seats, positions: Vec::new(), attempts: 0, expert_ranges: Vec::new(), closed: false, options };
        if docket.options.cards.is_empty() {
            docket.write(&stage).await?;
        } else {
            let options = &docket.options;
            let said = |id: &str| -> Vec<Approval> { options.approvals.iter().filter(|approval| approval.position_id == id).cloned().collect() };
            docket.positions = options.cards.iter().map(|card| Position::new(card.clone(), None, said(&card.id), &options.policy)).collect();
        }
        let cards: Vec<_> = docket.positions.iter().map(|position| &position.card).collect();
        stage.show("positions", words::cards_exhibit(cards.iter().copied()).data(json!({"cards": cards}))).await?;
        for (position, evidence) in cards.iter().flat_map(|card| card.evidence.iter().map(move |evidence| (card, evidence))) {
            if let Some(check) = evidence.checked.as_ref().filter(|check| !check.valid) {
                stage.warn(format!("{}: the evidence {} counts as 0: {}.", position.id, evidence.pointer, check.found));
            }
        }
        if docket.seats.len() == 1 && docket.positions.iter().any(|position| position.author.is_some()) {
            stage.warn("There is one seat: it verifies, doubts and rates the card it wrote itself.");
        }
        Ok(docket)
    }

    async fn write(&mut self, stage: &Bench) -> Result<()> {
        let writers: Vec<SeatIx> = self.seats.iter().copied().take(authors(&self.options, self.seats.len())).collect();
        let answers = stage.ask_all::<Draft>(&writers, asking(prompt!("author"), &self.options)).await?;
        self.closed |= answers.closed();
        let answers = answers.quorum(writers.len().clamp(1, 2))?;
        let labels = synod_math::labels(stage.seed("labels"), answers.given.len());
        for (given, id) in answers.given.iter().zip(labels) {
            let card = given.value.card(&id, &stage.seat(given.seat).label, &self.options, stage.question());
            let data = json!({"positionId": id, "card": card});
            let exhibit = words::card_exhibit(format!("Position {id}"), &card).by(given.seat, "author").turn(&given.key).data(data);
            stage.show("position_card", exhibit).await?;
            self.positions.push(Position::new(card, Some(given.seat), Vec::new(), &self.options.policy));
        }
        Ok(())
    }

    /// Gates and scores anew for every position.
    pub fn weigh(&mut self) {
        for position in &mut self.positions {
            position.weigh(&self.options.policy);
        }
    }

    pub fn viable(&self) -> Vec<usize> {
        (0..self.positions.len()).filter(|at| self.positions[*at].viable()).collect()
    }

    /// Viable positions, best score first.
    pub fn ranked(&self) -> Vec<usize> {
        let viable = self.viable();
        let standings: Vec<Standing> = viable.iter().map(|at| self.positions[*at].standing()).collect();
        ranked(&standings).into_iter().map(|place| viable[place]).collect()
    }
}

/// What the schema cannot say: ids that must differ or must exist, one unit of cost, nothing said twice.
pub fn check(options: &Options, root: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut wrong = |field: String, got: String, want: String| problems.push(Problem::new(format!("{root}{field}"), got, want));
    let ids: Vec<&str> = options.cards.iter().map(|card| card.id.as_str()).collect();
    let known: BTreeSet<&str> = ids.iter().copied().collect();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for (at, card) in options.cards.iter().enumerate() {
        if !seen.insert(&card.id) {
            wrong(format!("cards[{at}].id"), card.id.clone(), "an id that no other card has".into());
        }
        if ["none", super::hybrid::ID].contains(&card.id.as_str()) {
            wrong(format!("cards[{at}].id"), card.id.clone(), "an id other than none and hybrid, which have a meaning of their own".into());
        }
        if card.cost_unit != options.cards[0].cost_unit {
            let (got, want) = (unit(card.cost_unit), unit(options.cards[0].cost_unit));
            wrong(format!("cards[{at}].cost_unit"), format!("{got} (mixed_cost_units)"), format!("{want}, as on the first card: one unit for all"));
        }
        for (nth, claim) in card.claims.iter().enumerate().filter(|(_, claim)| claim.trim().is_empty()) {
            wrong(format!("cards[{at}].claims[{nth}]"), format!("{claim:?}"), "some words".into());
        }
    }
    let exists = |id: &str| known.contains(id);
    let want = || if ids.is_empty() { "no such entry: there are no cards".to_owned() } else { format!("a card's id: {}", listed(&ids)) };
    let mut receipts = BTreeSet::new();
    for (at, receipt) in options.receipts.iter().enumerate() {
        if !exists(&receipt.position_id) {
            wrong(format!("receipts[{at}].position_id"), receipt.position_id.clone(), want());
        } else if !receipts.insert(&receipt.position_id) {
            wrong(format!("receipts[{at}].position_id"), receipt.position_id.clone(), "one receipt a card".into());
        }
    }
    let mut approvals = BTreeSet::new();
    for (at, approval) in options.approvals.iter().enumerate() {
        if !exists(&approval.position_id) {
            wrong(format!("approvals[{at}].position_id"), approval.position_id.clone(), want());
        } else if !approvals.insert((&approval.position_id, &approval.subject)) {
            let got = format!("{} of {} a second time", approval.subject, approval.position_id);
            wrong(format!("approvals[{at}].subject"), got, "one decision on each subject of a position".into());
        }
    }
    let mut members = BTreeSet::new();
    for (at, evaluation) in options.panel.iter().enumerate() {
        if !members.insert((evaluation.agent, &evaluation.member)) {
            let got = format!("{} {}", evaluation.agent.as_str(), evaluation.member);
            wrong(format!("panel[{at}].agent"), got.trim().to_owned(), "one evaluation for each member of a seat".into());
        }
        for (id, score) in &evaluation.position_scores {
            if !exists(id) {
                wrong(format!("panel[{at}].position_scores"), id.clone(), want());
            }
            if !(0.0..=1.0).contains(score) {
                wrong(format!("panel[{at}].position_scores.{id}"), score.to_string(), "a number from 0 to 1".into());
            }
        }
    }
    let mut experts = BTreeSet::new();
    for (at, expert) in options.experts.iter().enumerate() {
        if expert.trim().is_empty() || !experts.insert(expert) {
            wrong(format!("experts[{at}]"), format!("{expert:?}"), "the name of a field, each once".into());
        }
    }
    problems
}

fn listed(ids: &[&str]) -> String {
    if ids.len() > 12 { format!("{} and {} more", ids[..12].join(", "), ids.len() - 12) } else { ids.join(", ") }
}

fn unit(unit: super::card::CostUnit) -> &'static str {
    match unit {
        super::card::CostUnit::Points => "points",
        super::card::CostUnit::Hours => "hours",
        super::card::CostUnit::Loc => "loc",
    }
}
