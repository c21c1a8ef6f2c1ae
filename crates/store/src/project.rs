//! The fold of a run's journal into what is stored about it: state, turns, costs, stage rows, figures, messages.
//!
//! One pure function, used by the writer, by `verify` and by `rebuild`, so that they cannot disagree. It takes rows as they are and skips
//! what cannot be read: naming a broken row is `verify`'s task.

use crate::runs::RunState;
use crate::sql::storable;
use std::collections::{BTreeSet, HashMap};
use synod_types::{Asked, Exhibit, FailedTurn, FailureKind, Figure, Header, Kind, Millis, Replied, Reply, Row, Said, Shape, Shown, Status, Usage, Verdict, seat_of};

/// Raw replies by key and try. What is not here has expired.
pub type Raws<'a> = HashMap<(&'a str, i64), &'a str>;

/// Everything stored about a run that can be computed from its journal.
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    pub run: String,
    pub mode: String,
    pub conversation: Option<String>,
    pub state: RunState,
    pub status: Option<Status>,
    /// The known part; `None` when nothing is known.
    pub spent_usd: Option<f64>,
    pub turns: Vec<TurnRow>,
    /// One a model.
    pub costs: Vec<CostRow>,
    /// One for each thing shown. Stored once there is a verdict.
    pub stages: Vec<StageRow>,
    pub figures: Vec<FigureRow>,
    /// The question, when the run belongs to a conversation.
    pub question: Option<Message>,
    /// What the panel answered, when the verdict completes.
    pub answer: Option<Message>,
    /// Stage rows (by `seq`) whose raw reply has expired: their text is the journal's, no longer the provider's.
    pub expired: BTreeSet<i64>,
}

impl Projection {
    /// A verdict is there: stage rows are stored.
    pub fn ended(&self) -> bool {
        self.status.is_some()
    }
}

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

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageRow {
    pub id: String,
    pub message_id: Option<String>,
    pub stage_type: String,
    pub stage_order: i64,
    /// Number of the journal row.
    pub seq: i64,
    /// `None`: computed.
    pub model: Option<String>,
    pub role: Option<String>,
    pub content: String,
    /// JSON.
    pub parsed_data: Option<String>,
    pub response_time_ms: Option<Millis>,
    pub created_at: Millis,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FigureRow {
    pub seq: i64,
    pub name: String,
    pub value: f64,
    pub at: Millis,
}

/// One side of an exchange in a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub id: String,
    pub role: &'static str,
    pub content: String,
    /// `None` for a question, and for a verdict that has no answer.
    pub answer_kind: Option<&'static str>,
    pub created_at: Millis,
}

impl Message {
    pub(crate) fn question(header: &Header, at: Millis) -> Option<Self> {
        header.conversation.as_ref()?;
        let content = storable(&header.question.text);
        Some(Self { id: format!("{}:question", header.run), role: "user", content, answer_kind: None, created_at: at })
    }
}

pub fn project<'a>(rows: impl IntoIterator<Item = &'a Row>, raws: &Raws<'_>) -> Projection {
    let rows: Vec<&Row> = rows.into_iter().collect();
    let header = rows.iter().find(|row| row.kind == Kind::Header).and_then(|row| Some((row.read::<Header>().ok()?, row.at)));
    let turns = Turns::of(&rows, header.as_ref().map(|(header, _)| header));
    let header_at = header.as_ref().map_or(0, |(_, at)| *at);
    let header = header.map(|(header, _)| header);
    let mut out = Projection {
        run: rows.first().map(|row| row.run.clone()).unwrap_or_default(),
        mode: header.as_ref().map(|header| header.mode.clone()).unwrap_or_default(),
        conversation: header.as_ref().and_then(|header| header.conversation.clone()),
        state: RunState::Running,
        status: None,
        spent_usd: turns.spent(),
        turns: Vec::new(),
        costs: turns.costs(),
        stages: Vec::new(),
        figures: Vec::new(),
        question: header.as_ref().and_then(|header| Message::question(header, header_at)),
        answer: None,
        expired: BTreeSet::new(),
    };
    let mut stage_names: Vec<String> = Vec::new();
    for row in rows {
        out.state = out.state.after(row.kind, &row.body);
        match row.kind {
            Kind::Shown => {
                if let Ok(shown) = row.read::<Shown>() {
                    let (stage, expired) = stage(row, shown, header.as_ref(), &turns, raws, &mut stage_names);
                    if expired {
                        out.expired.insert(stage.seq);
                    }
                    out.stages.push(stage);
                }
            }
            Kind::Figure => {
                if let Ok(figure) = row.read::<Figure>() {
                    out.figures.push(FigureRow { seq: row.seq, name: figure.name, value: figure.value, at: row.at });
                }
            }
            Kind::Verdict => {
                if let Ok(verdict) = row.read::<Verdict>() {
                    out.status = Some(verdict.status);
                    out.spent_usd = verdict.receipt.spent_usd;
                    if verdict.status.completes() {
                        out.answer = Some(answer(row, &verdict));
                    }
                }
            }
            Kind::Header
            | Kind::Phase
            | Kind::PhaseEnd
            | Kind::Asked
            | Kind::Replied
            | Kind::Said
            | Kind::Failed
            | Kind::Tool
            | Kind::Warning
            | Kind::Waiting
            | Kind::Answered
            | Kind::Closing
            | Kind::Stopped
            | Kind::Resumed
            | Kind::Title => {}
        }
    }
    let message_id = out.answer.as_ref().map(|answer| answer.id.clone());
    for stage in &mut out.stages {
        stage.message_id.clone_from(&message_id);
    }
    out.turns = turns.list;
    out
}

fn answer(row: &Row, verdict: &Verdict) -> Message {
    let (content, kind) = match &verdict.answer {
        Some(answer) => (storable(&answer.text), Some(answer.kind.as_str())),
        // A deadlock may have none: the exchange still has its other side.
        None => (storable(&verdict.stop_reason), None),
    };
    Message { id: format!("{}:answer", row.run), role: "assistant", content, answer_kind: kind, created_at: row.at }
}

fn stage(row: &Row, shown: Shown, header: Option<&Header>, turns: &Turns<'_>, raws: &Raws<'_>, names: &mut Vec<String>) -> (StageRow, bool) {
    let order = names.iter().position(|name| *name == shown.stage).unwrap_or_else(|| {
        names.push(shown.stage.clone());
        names.len() - 1
    });
    let exhibit = shown.exhibit;
    let turn = exhibit.turn.as_deref();
    let last_try = turn.and_then(|key| turns.replied.get(key).copied());
    let raw = turn.zip(last_try).and_then(|place| raws.get(&place));
    let expired = last_try.is_some() && raw.is_none();
    let content = match raw {
        Some(raw) => serde_json::from_str::<Reply>(raw).map(|reply| reply.text).unwrap_or_else(|_| (*raw).to_owned()),
        None => turn.and_then(|key| turns.said_text(key)).unwrap_or_else(|| own_text(&exhibit)),
    };
    let stage = StageRow {
        id: format!("{}:{}", row.run, row.seq),
        message_id: None,
        stage_type: shown.stage,
        stage_order: order as i64,
        seq: row.seq,
        model: exhibit.seat.map(|seat| model_name(header, seat)),
        role: exhibit.role,
        content: storable(&content),
        parsed_data: exhibit.data.map(|data| data.to_string()),
        response_time_ms: turn.and_then(|key| turns.get(key)).and_then(|turn| turn.ms),
        created_at: row.at,
    };
    (stage, expired)
}

fn own_text(exhibit: &Exhibit) -> String {
    match &exhibit.shape {
        Shape::Statement(statement) if statement.text.is_some() => statement.text.clone().unwrap_or_default(),
        Shape::Note { text } => text.clone(),
        shape => serde_json::to_string(shape).unwrap_or_default(),
    }
}

fn model_name(header: Option<&Header>, seat: u32) -> String {
    let Some(header) = header else { return String::new() };
    let named = header.card(seat).map(|card| card.name.clone());
    named.or_else(|| header.seat(seat).map(|seat| seat.model.clone())).unwrap_or_default()
}

/// Turns in the order in which they were first asked.
struct Turns<'a> {
    list: Vec<TurnRow>,
    index: HashMap<&'a str, usize>,
    /// The last try that got a reply.
    replied: HashMap<&'a str, i64>,
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

/// Failures after which nothing can have been billed: the rule by which the engine's ledger counts.
fn turned_away(kind: FailureKind) -> bool {
    match kind {
        FailureKind::Auth | FailureKind::RateLimited | FailureKind::ModelGone | FailureKind::ContextTooLong => true,
        FailureKind::Timeout
        | FailureKind::Refused
        | FailureKind::Truncated
        | FailureKind::Server
        | FailureKind::Empty
        | FailureKind::Unreadable
        | FailureKind::Closed => false,
    }
}

impl<'a> Turns<'a> {
    fn of(rows: &[&'a Row], header: Option<&Header>) -> Self {
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
                        if turned_away(failed.failure.kind) {
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

    fn get(&self, key: &str) -> Option<&TurnRow> {
        self.index.get(key).map(|at| &self.list[*at])
    }

    fn said_text(&self, key: &str) -> Option<String> {
        let said = self.said.get(key)?.read::<Said>().ok()?;
        Some(match said.value {
            serde_json::Value::String(text) => text,
            value => value.to_string(),
        })
    }

    fn costs(&self) -> Vec<CostRow> {
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
    fn spent(&self) -> Option<f64> {
        if self.calls.is_empty() {
            return Some(0.0);
        }
        self.calls.iter().filter_map(|call| call.usd).reduce(|sum, usd| sum + usd)
    }
}
