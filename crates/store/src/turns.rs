//! Turns and what they cost: the fold over `asked`, `replied`, `said` and `failed`.

use crate::sql::storable;
use std::collections::HashMap;
use synod_types::{Asked, FailedTurn, Header, Kind, Ledger, Millis, Replied, Row, Said, Usage, seat_of};

#[derive(Clone, Debug, PartialEq)]
pub struct TurnRow {
    pub key: String,
    pub seat: Option<i64>,
    pub model: String,
    pub prompt: Option<String>,
    pub outcome: TurnOutcome,
    /// The failure's kind and detail.
    pub failure: Option<String>,
    pub detail: Option<String>,
    pub tries: i64,
    pub extra: bool,
    /// Of the last reply.
    pub ms: Option<Millis>,
    pub usage: Usage,
    /// Of all tries; `None`: the cost of one is unknown.
    pub usd: Option<f64>,
    pub asked_at: Millis,
}

synod_types::words! {
    pub enum TurnOutcome { Asked = "asked", Replied = "replied", Said = "said", Failed = "failed" }
}

#[derive(Clone, Debug, PartialEq)]
pub struct CostRow {
    pub model: String,
    pub calls: i64,
    pub usage: Usage,
    /// `None`: at least one call's cost is unknown.
    pub usd: Option<f64>,
}

/// Turns in the order in which they were first asked. What each cost comes from the ledger.
#[derive(Default)]
pub(crate) struct Turns<'a> {
    pub list: Vec<TurnRow>,
    index: HashMap<&'a str, usize>,
    /// The last try that got a reply.
    pub replied: HashMap<&'a str, i64>,
    said: HashMap<&'a str, &'a Row>,
    ledger: Ledger,
}

impl<'a> Turns<'a> {
    pub fn of(rows: &[&'a Row], header: Option<&Header>) -> Self {
        let mut turns = Self::default();
        for &row in rows {
            match row.kind {
                Kind::Asked => {
                    let Ok(asked) = row.read::<Asked>() else { continue };
                    turns.ledger.asked(&row.key, row.attempt, row.at, &asked);
                    let at = turns.at(row, header);
                    let turn = &mut turns.list[at];
                    turn.tries += 1;
                    turn.extra = asked.extra;
                    turn.prompt = Some(asked.prompt);
                    if turn.model.is_empty() {
                        turn.model = asked.model;
                    }
                }
                Kind::Replied => {
                    let Ok(replied) = row.read::<Replied>() else { continue };
                    turns.ledger.replied(&row.key, row.attempt, row.at, &replied);
                    let at = turns.at(row, header);
                    turns.replied.insert(&row.key, row.attempt);
                    let turn = &mut turns.list[at];
                    turn.outcome = TurnOutcome::Replied;
                    turn.ms = Some(replied.ms);
                }
                Kind::Said => {
                    let at = turns.at(row, header);
                    turns.list[at].outcome = TurnOutcome::Said;
                    turns.said.insert(&row.key, row);
                }
                Kind::Failed => {
                    let at = turns.at(row, header);
                    turns.list[at].outcome = TurnOutcome::Failed;
                    if let Ok(failed) = row.read::<FailedTurn>() {
                        turns.ledger.failed(&row.key, row.at, failed.failure.kind);
                        turns.list[at].failure = Some(failed.failure.kind.as_str().to_owned());
                        turns.list[at].detail = Some(storable(&failed.failure.detail));
                    }
                }
                _ => {}
            }
        }
        for turn in &mut turns.list {
            for request in turns.ledger.of_turn(&turn.key) {
                turn.usd = turn.usd.zip(request.usd()).map(|(sum, usd)| sum + usd);
                turn.usage += request.usage();
            }
        }
        turns
    }

    /// The turn a row belongs to, made when this is its first row.
    fn at(&mut self, row: &'a Row, header: Option<&Header>) -> usize {
        let list = &mut self.list;
        *self.index.entry(&row.key).or_insert_with(|| {
            let seat = seat_of(&row.key);
            list.push(TurnRow {
                key: row.key.clone(),
                seat: seat.map(i64::from),
                model: seat.map(|seat| model_name(header, seat)).unwrap_or_default(),
                prompt: None,
                outcome: TurnOutcome::Asked,
                failure: None,
                detail: None,
                tries: 0,
                extra: false,
                ms: None,
                usage: Usage::default(),
                usd: Some(0.0),
                asked_at: row.at,
            });
            list.len() - 1
        })
    }

    pub fn get(&self, key: &str) -> Option<&TurnRow> {
        self.index.get(key).map(|at| &self.list[*at])
    }

    pub fn said_text(&self, key: &str) -> Option<String> {
        let said = self.said.get(key)?.read::<Said>().ok()?;
        Some(match said.value {
            serde_json::Value::String(text) => text,
            value => value.to_string(),
        })
    }

    pub fn costs(&self) -> Vec<CostRow> {
        let mut costs: Vec<CostRow> = Vec::new();
        for request in self.ledger.requests() {
            let model = self.get(&request.key).map_or(&request.model, |turn| &turn.model);
            let at = costs.iter().position(|cost| cost.model == *model).unwrap_or_else(|| {
                costs.push(CostRow { model: model.clone(), calls: 0, usage: Usage::default(), usd: Some(0.0) });
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
