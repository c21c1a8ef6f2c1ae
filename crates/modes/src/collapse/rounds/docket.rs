//! The docket: the positions of one deliberation, and who may write and judge.

use super::position::Position;
use crate::collapse::Options;
use crate::collapse::cards::draft::{Draft, asking};
use crate::collapse::cards::records::{Approval, Receipt};
use crate::collapse::cards::text;
use serde_json::json;
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

impl Docket {
    /// The cards given, or those the seats write, each alone.
    pub async fn open(bench: &Bench, options: Options) -> Result<Self> {
        let seats = bench.role("member").to_vec();
        let stage = bench.phase("cards");
        let mut options = options;
        options.receipts.sort_by(|a, b| a.position_id.cmp(&b.position_id));
        let mut docket = Self { seats, positions: Vec::new(), attempts: 0, expert_ranges: Vec::new(), closed: false, options };
        if docket.options.cards.is_empty() {
            docket.write(&stage).await?;
        } else {
            let options = &docket.options;
            let said = |id: &str| -> Vec<Approval> { options.approvals.iter().filter(|approval| approval.position_id == id).cloned().collect() };
            docket.positions = options.cards.iter().map(|card| Position::new(card.clone(), None, said(&card.id), &options.policy)).collect();
            // Seats are dealt by place: the order in the file must not decide who judges what.
            docket.positions.sort_by(|a, b| a.id().cmp(b.id()));
        }
        let cards: Vec<_> = docket.positions.iter().map(|position| &position.card).collect();
        stage.show("positions", text::cards_exhibit(cards.iter().copied()).data(&json!({"cards": cards})))?;
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
        let labels = synod_math::labels(stage.seed("labels"), answers.replies.len());
        for (given, id) in answers.replies.iter().zip(labels) {
            let card = given.value.card(&id, &stage.seat(given.seat).label, &self.options, stage.question());
            let data = json!({"positionId": id, "card": card});
            let exhibit = text::card_exhibit(format!("Position {id}"), &card).by(given.seat, "author").turn(&given.key).data(&data);
            stage.show("position_card", exhibit)?;
            self.positions.push(Position::new(card, Some(given.seat), Vec::new(), &self.options.policy));
        }
        Ok(())
    }

    /// The receipt that came with a card.
    pub fn receipt(&self, id: &str) -> Option<&Receipt> {
        // Sorted when the docket was opened: there may be as many as cards.
        let receipts = &self.options.receipts;
        receipts.binary_search_by(|receipt| receipt.position_id.as_str().cmp(id)).ok().map(|at| &receipts[at])
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
