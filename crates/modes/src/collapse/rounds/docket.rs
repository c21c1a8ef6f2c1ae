//! The docket: the positions of one deliberation, and who may write and judge.

use super::position::Position;
use crate::attendance;
use crate::collapse::Options;
use crate::collapse::cards::card::Card;
use crate::collapse::cards::draft::{Draft, with_ids};
use crate::collapse::cards::records::{Approval, Receipt};
use crate::collapse::cards::text;
use crate::collapse::rows::{CardRow, PositionsRow};
use std::collections::BTreeMap;
use synod_engine::{Bench, Result, prompt};
use synod_math::collapse::converge::{ScoredCard, rank};
use synod_types::SeatIx;

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

/// A warning for each piece of evidence that does not count in full; where many are alike, one for all of them.
fn doubtful_evidence(cards: &[Card]) -> Vec<String> {
    const EACH: usize = 3;
    let mut alike: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for (card, evidence) in cards.iter().flat_map(|card| card.evidence.iter().map(move |evidence| (card, evidence))) {
        if let Some(check) = evidence.checked.as_ref().filter(|check| !check.valid) {
            let counts = if check.not_looked_up { "half" } else { "as 0" };
            alike.entry((counts, check.found.as_str())).or_default().push(format!("{}: the evidence {}", card.id, evidence.pointer));
        }
    }
    let told = |((counts, found), pieces): ((&str, &str), Vec<String>)| match pieces.len() {
        ..=EACH => pieces.into_iter().map(|piece| format!("{piece} counts {counts}: {found}.")).collect(),
        n => vec![format!("{n} pieces of evidence count {counts}: {found} ({}, and {} more).", pieces[..EACH].join("; "), n - EACH)],
    };
    alike.into_iter().flat_map(told).collect::<Vec<String>>()
}

impl Docket {
    /// The cards given, or those the seats write, each alone.
    pub async fn open(bench: &Bench, options: Options) -> Result<Self> {
        let seats = bench.role("member").to_vec();
        let phase = bench.phase("cards");
        let mut options = options;
        options.receipts.sort_by(|a, b| a.position_id.cmp(&b.position_id));
        // There may be thousands of cards: those given are moved, not copied.
        let mut given = std::mem::take(&mut options.cards);
        // Seats judge positions by their place in this list: the order in the file must not decide who judges what.
        given.sort_by(|a, b| a.id.cmp(&b.id));
        let mut docket = Self { seats, positions: Vec::new(), attempts: 0, expert_ranges: Vec::new(), closed: false, options };
        let written = given.is_empty();
        if written {
            docket.write(&phase).await?;
        }
        let cards = if written { docket.positions.iter().map(|position| position.card.clone()).collect() } else { given };
        let row = PositionsRow { cards, receipts: docket.options.receipts.clone() };
        phase.show("positions", text::cards_exhibit(&row.cards, &row.receipts).data(&row))?;
        for warning in doubtful_evidence(&row.cards) {
            phase.warn(warning);
        }
        if !written {
            let options = &docket.options;
            let approvals = |id: &str| -> Vec<Approval> { options.approvals.iter().filter(|approval| approval.position_id == id).cloned().collect() };
            let position = |card: Card| {
                let said = approvals(&card.id);
                Position::new(card, None, said, &options.policy)
            };
            docket.positions = row.cards.into_iter().map(position).collect();
        }
        if docket.seats.len() == 1 && docket.positions.iter().any(|position| position.author.is_some()) {
            phase.warn("There is one seat: it verifies, doubts and rates the card it wrote itself.");
        }
        Ok(docket)
    }

    async fn write(&mut self, phase: &Bench) -> Result<()> {
        let writers: Vec<SeatIx> = self.seats.iter().copied().take(authors(&self.options, self.seats.len())).collect();
        let answers = phase.ask_all::<Draft>(&writers, with_ids(prompt!("author"), &self.options, None)).await?;
        self.closed |= answers.closed();
        let labels = synod_math::labels(phase.seed("labels"), answers.replies.len());
        for (reply, id) in answers.replies.iter().zip(labels) {
            let card = reply.value.card(&id, &phase.seat(reply.seat).label, &self.options, phase.question());
            let exhibit =
                text::card_exhibit(format!("Position {id}"), &card).part("Reasons", &reply.value.reasons).by(reply.seat, "author").turn(&reply.key);
            let reasons = reply.value.reasons.trim().to_owned();
            let row = CardRow { position_id: Some(id), reasons, card: Some(card.clone()), error: None };
            phase.show("position_card", exhibit.data(&row))?;
            self.positions.push(Position::new(card, Some(reply.seat), Vec::new(), &self.options.policy));
        }
        for failed in &answers.failures {
            let row = CardRow { position_id: None, reasons: String::new(), card: None, error: Some(failed.failure.to_string()) };
            phase.show("position_card", attendance::failure("Position", "author", failed).data(&row))?;
        }
        // After the rows are shown, so that a single card is kept even where it is not enough.
        answers.quorum(writers.len().clamp(1, 2))?;
        Ok(())
    }

    /// The receipt that came with a card.
    pub fn receipt(&self, id: &str) -> Option<&Receipt> {
        // Sorted when the docket was opened: there may be as many as cards.
        let receipts = &self.options.receipts;
        receipts.binary_search_by(|receipt| receipt.position_id.as_str().cmp(id)).ok().map(|at| &receipts[at])
    }

    /// The receipt that came for this version of a card.
    pub fn receipt_of(&self, position: &Position) -> Option<&Receipt> {
        if position.author.is_none() { self.receipt(position.id()) } else { None }
    }

    /// Whether anybody may still be asked to revise a card.
    pub fn may_revise(&self) -> bool {
        !self.seats.is_empty() && !self.closed && self.attempts < self.options.policy.max_reflexions
    }

    /// How far the experts are apart on a position, in the round under way.
    pub fn expert_range(&self, id: &str) -> Option<f64> {
        self.expert_ranges.iter().find(|(known, _)| known == id).map(|(_, range)| *range)
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
        let scored: Vec<ScoredCard> = viable.iter().map(|at| self.positions[*at].scored_card()).collect();
        rank(&scored).into_iter().map(|place| viable[place]).collect()
    }
}
