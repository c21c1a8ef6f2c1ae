//! Turns and what they cost: the fold over `asked`, `replied`, `said` and `failed`.

use crate::sql::storable;
use std::collections::HashMap;
use synod_types::{Asked, FailedTurn, Header, Kind, Millis, Replied, Row, Said, Usage, seat_of};

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnOutcome {
    Asked,
    Replied,
    Said,
    Failed,
}

impl TurnOutcome {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Replied => "replied",
            Self::Said => "said",
            Self::Failed => "failed",
        }
    }
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Asked, Self::Replied, Self::Said, Self::Failed].into_iter().find(|outcome| outcome.as_str() == text)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct CostRow {
    pub model: String,
    pub calls: i64,
    pub usage: Usage,
    /// `None`: at least one call's cost is unknown.
    pub usd: Option<f64>,
}

/// Turns in the order in which they were first asked.
pub(crate) struct Turns<'a> {
    pub list: Vec<TurnRow>,
    index: HashMap<&'a str, usize>,
    /// The last try that got a reply.
    pub replied: HashMap<&'a str, i64>,
    said: HashMap<&'a str, &'a Row>,
    calls: Vec<Call>,
}

/// One try of a turn, and what it cost: settled by its reply, or reserved.
struct Call {
    /// Which turn.
    at: usize,
    usd: Option<f64>,
    usage: Usage,
    replied: bool,
    reasked: bool,
}

impl<'a> Turns<'a> {
    pub fn of(rows: &[&'a Row], header: Option<&Header>) -> Self {
        let mut turns = Self { list: Vec::new(), index: HashMap::new(), replied: HashMap::new(), said: HashMap::new(), calls: Vec::new() };
        let mut open: HashMap<(&str, i64), usize> = HashMap::new();
        for &row in rows {
            match row.kind {
                Kind::Asked => {
                    let Ok(asked) = row.read::<Asked>() else { continue };
                    let at = turns.at(row, header);
                    let turn = &mut turns.list[at];
                    turn.tries += 1;
                    turn.extra = asked.extra;
                    turn.prompt = Some(asked.prompt);
                    if turn.model.is_empty() {
                        turn.model = asked.model;
                    }
                    open.insert((&row.key, row.attempt), turns.calls.len());
                    turns.calls.push(Call { at, usd: asked.reserved_usd, usage: Usage::default(), replied: false, reasked: asked.reasked });
                }
                Kind::Replied => {
                    let Ok(replied) = row.read::<Replied>() else { continue };
                    let at = turns.at(row, header);
                    turns.replied.insert(&row.key, row.attempt);
                    let turn = &mut turns.list[at];
                    turn.outcome = TurnOutcome::Replied;
                    turn.ms = Some(replied.ms);
                    let usage = replied.usage.unwrap_or_default();
                    turn.usage += usage;
                    if let Some(call) = open.get(&(row.key.as_str(), row.attempt)).and_then(|call| turns.calls.get_mut(*call)) {
                        call.replied = true;
                        call.usd = replied.spent_usd;
                        call.usage = usage;
                    }
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
                        if failed.failure.kind.turned_away() {
                            for call in turns.calls.iter_mut().filter(|call| call.at == at && !call.replied && !call.reasked) {
                                call.usd = Some(0.0);
                            }
                        }
                        turns.list[at].failure = Some(failed.failure.kind.as_str().to_owned());
                        turns.list[at].detail = Some(storable(&failed.failure.detail));
                    }
                }
                _ => {}
            }
        }
        for call in &turns.calls {
            let turn = &mut turns.list[call.at];
            turn.usd = turn.usd.zip(call.usd).map(|(sum, usd)| sum + usd);
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
        for call in &self.calls {
            let model = &self.list[call.at].model;
            let at = costs.iter().position(|cost| cost.model == *model).unwrap_or_else(|| {
                costs.push(CostRow { model: model.clone(), calls: 0, usage: Usage::default(), usd: Some(0.0) });
                costs.len() - 1
            });
            let cost = &mut costs[at];
            cost.calls += 1;
            cost.usage += call.usage;
            cost.usd = cost.usd.zip(call.usd).map(|(sum, usd)| sum + usd);
        }
        costs
    }

    /// The known part of what was spent. An `asked` without a reply counts with what was reserved for it.
    pub fn spent(&self) -> Option<f64> {
        if self.calls.is_empty() {
            return Some(0.0);
        }
        self.calls.iter().filter_map(|call| call.usd).reduce(|sum, usd| sum + usd)
    }
}

/// The name of a seat's model, as the user gave it.
pub(crate) fn model_name(header: Option<&Header>, seat: u32) -> String {
    let Some(header) = header else { return String::new() };
    let named = header.card(seat).map(|card| card.name.clone());
    named.or_else(|| header.seat(seat).map(|seat| seat.model.clone())).unwrap_or_default()
}
