//! Turns and what they cost: the fold over `asked`, `replied`, `said` and `failed`.

use synod_types::{Asked, FailedTurn, Header, Kind, Ledger, Millis, Replied, Row, Usage, seat_of};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnSummary {
    pub key: String,
    pub seat: Option<u32>,
    pub model: String,
    pub outcome: TurnOutcome,
    /// The failure's kind.
    pub failure: Option<String>,
    pub tries: i64,
    /// Of the last reply.
    pub ms: Option<Millis>,
}

synod_types::words! {
    pub enum TurnOutcome { Asked = "asked", Replied = "replied", Said = "said", Failed = "failed" }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ModelCost {
    pub model: String,
    pub calls: i64,
    pub usage: Usage,
    /// `None`: at least one call's cost is unknown.
    pub usd: Option<f64>,
}

/// Turns in the order in which they were first asked. What each cost comes from the ledger.
#[derive(Default)]
pub(crate) struct Turns {
    pub list: Vec<TurnSummary>,
    ledger: Ledger,
}

impl Turns {
    pub fn take(&mut self, row: &Row, header: Option<&Header>) {
        match row.kind {
            Kind::Asked => {
                let Ok(asked) = row.read::<Asked>() else { return };
                self.ledger.asked(&row.key, row.attempt, row.at, &asked);
                let turn = self.turn(row, header);
                turn.tries += 1;
                if turn.model.is_empty() {
                    turn.model = asked.model;
                }
            }
            Kind::Replied => {
                let Ok(replied) = row.read::<Replied>() else { return };
                self.ledger.replied(&row.key, row.attempt, row.at, &replied);
                let turn = self.turn(row, header);
                turn.outcome = TurnOutcome::Replied;
                turn.ms = Some(replied.ms);
            }
            Kind::Said => self.turn(row, header).outcome = TurnOutcome::Said,
            Kind::Failed => {
                let failed = row.read::<FailedTurn>();
                let turn = self.turn(row, header);
                turn.outcome = TurnOutcome::Failed;
                if let Ok(FailedTurn { failure }) = failed {
                    turn.failure = Some(failure.kind.as_str().to_owned());
                    self.ledger.failed(&row.key, row.at, failure.kind);
                }
            }
            _ => {}
        }
    }

    /// The turn a row belongs to, made when this is its first row.
    fn turn(&mut self, row: &Row, header: Option<&Header>) -> &mut TurnSummary {
        // The last ones are the likeliest, and a run has hundreds at most.
        let at = self.list.iter().rposition(|turn| turn.key == row.key).unwrap_or_else(|| {
            let seat = seat_of(&row.key);
            self.list.push(TurnSummary {
                key: row.key.clone(),
                seat,
                model: seat.map(|seat| model_name(header, seat)).unwrap_or_default(),
                outcome: TurnOutcome::Asked,
                failure: None,
                tries: 0,
                ms: None,
            });
            self.list.len() - 1
        });
        &mut self.list[at]
    }

    pub fn get(&self, key: &str) -> Option<&TurnSummary> {
        self.list.iter().find(|turn| turn.key == key)
    }

    pub fn costs(&self) -> Vec<ModelCost> {
        let mut costs: Vec<ModelCost> = Vec::new();
        for request in self.ledger.requests() {
            let model = self.get(&request.key).map_or(&request.model, |turn| &turn.model);
            let at = costs.iter().position(|cost| cost.model == *model).unwrap_or_else(|| {
                costs.push(ModelCost { model: model.clone(), calls: 0, usage: Usage::default(), usd: Some(0.0) });
                costs.len() - 1
            });
            let cost = &mut costs[at];
            cost.calls += 1;
            cost.usage += request.usage();
            cost.usd = cost.usd.zip(request.usd()).map(|(sum, usd)| sum + usd);
        }
        costs
    }

    /// The known part of what was spent. A request without a reply counts with what was reserved for it.
    pub fn spent(&self) -> Option<f64> {
        self.ledger.spent()
    }
}

/// The name of a seat's model, as the user gave it.
pub(crate) fn model_name(header: Option<&Header>, seat: u32) -> String {
    let Some(header) = header else { return String::new() };
    let named = header.card(seat).map(|card| card.name.clone());
    named.or_else(|| header.seat(seat).map(|seat| seat.model.clone())).unwrap_or_default()
}
