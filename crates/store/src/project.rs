//! The fold of a run's journal into what is stored about it: state, turns, costs, stage rows, figures, messages.
//!
//! One pure function, used by the writer, by `verify` and by `rebuild`, so that they cannot disagree. It takes rows as they are and skips
//! what cannot be read: naming a broken row is `verify`'s task.

use crate::experiences::ExperienceRow;
use crate::sql::storable;
use crate::stats::{BallotBox, Votes};
use crate::turns::{CostRow, TurnRow, Turns, model_name};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use synod_types::{
    Answer, Document, Exhibit, Figure, Header, Json, Kind, LOCAL, Millis, Receipt, Reply, Row, RunState, Shape, Shown, Status, answer_message,
    question_message,
};

/// Raw replies by key and try. What is not here has expired.
pub type Raws<'a> = HashMap<(&'a str, i64), &'a str>;

/// Everything stored about a run that can be computed from its journal.
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    pub run: String,
    pub mode: String,
    pub conversation: Option<String>,
    pub principal: String,
    pub rehearsal: bool,
    /// When its first row was written.
    pub began: Millis,
    /// From the verdict's receipt.
    pub wall_ms: Option<Millis>,
    /// What the ballots shown came to, by model.
    pub votes: BTreeMap<String, Votes>,
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
    /// What the verdict wants remembered: nothing, or one record.
    pub experiences: Vec<ExperienceRow>,
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
    pub label: Option<String>,
    /// The model of the seat whose figure it is.
    pub model: Option<String>,
    pub value: f64,
    pub of: f64,
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
        Some(Self { id: question_message(&header.run), role: "user", content, answer_kind: None, created_at: at })
    }
}

/// What a projection takes of a verdict. The decision, which may be large, is passed over.
#[derive(Deserialize)]
struct EndedVerdict {
    mode: String,
    status: Status,
    stop_reason: String,
    answer: Option<Answer>,
    receipt: Receipt,
    data: Value,
}

impl EndedVerdict {
    /// See [`synod_types::Verdict::experience`].
    fn experience(&mut self) -> Option<Value> {
        self.data.get_mut("experience").filter(|record| record.is_object()).map(Value::take)
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
        principal: header.as_ref().and_then(|header| header.principal.clone()).unwrap_or_else(|| LOCAL.to_owned()),
        rehearsal: header.as_ref().is_some_and(Header::rehearsal),
        began: header_at,
        wall_ms: None,
        votes: BTreeMap::new(),
        state: RunState::Running,
        status: None,
        spent_usd: turns.spent(),
        turns: Vec::new(),
        costs: turns.costs(),
        stages: Vec::new(),
        figures: Vec::new(),
        experiences: Vec::new(),
        question: header.as_ref().and_then(|header| Message::question(header, header_at)),
        answer: None,
        expired: BTreeSet::new(),
    };
    let mut stage_names: Vec<String> = Vec::new();
    let mut ballots = BallotBox::default();
    for row in rows {
        out.state = out.state.after(row.kind, &row.body);
        match row.kind {
            Kind::Shown => {
                if let Ok(shown) = row.read::<Shown>() {
                    ballots.take(&row.key, &shown);
                    let (stage, expired) = stage(row, shown, header.as_ref(), &turns, raws, &mut stage_names);
                    if expired {
                        out.expired.insert(stage.seq);
                    }
                    out.stages.push(stage);
                }
            }
            Kind::Figure => {
                if let Ok(figure) = row.read::<Figure>() {
                    let model = figure.seat.map(|seat| model_name(header.as_ref(), seat));
                    let Figure { name, label, value, of, .. } = figure;
                    out.figures.push(FigureRow { seq: row.seq, name, label, model, value, of, at: row.at });
                }
            }
            Kind::Verdict => {
                if let Ok(mut verdict) = row.read::<EndedVerdict>() {
                    out.status = Some(verdict.status);
                    out.spent_usd = verdict.receipt.spent_usd;
                    out.wall_ms = Some(verdict.receipt.wall_ms);
                    if let Some(body) = verdict.experience() {
                        out.experiences.push(ExperienceRow { run: row.run.clone(), mode: verdict.mode.clone(), body, at: row.at });
                    }
                    if verdict.status.completes() {
                        out.answer = Some(answer(row, verdict.answer.as_ref(), &verdict.stop_reason));
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
    out.votes = ballots.votes(|seat| model_name(header.as_ref(), seat), |turn| turns.get(turn).is_some_and(|turn| turn.tries > 0));
    out.turns = turns.list;
    out
}

/// The object with one more field, unless it has it: a mode may count another time than the turn's.
fn with_time(data: &str, ms: Millis) -> String {
    // Within a string the quotation mark before the colon would be escaped.
    match data.strip_suffix('}').filter(|_| !data.contains("\"responseTimeMs\":")) {
        None => data.to_owned(),
        Some("{") => format!("{{\"responseTimeMs\":{ms}}}"),
        Some(fields) => format!("{fields},\"responseTimeMs\":{ms}}}"),
    }
}

fn answer(row: &Row, answer: Option<&Answer>, stop_reason: &str) -> Message {
    let (content, kind) = match answer {
        Some(answer) => (storable(&answer.text), Some(answer.kind.as_str())),
        // A deadlock may have none: the exchange still has its other side.
        None => (storable(stop_reason), None),
    };
    Message { id: answer_message(&row.run), role: "assistant", content, answer_kind: kind, created_at: row.at }
}

fn stage(row: &Row, shown: Shown, header: Option<&Header>, turns: &Turns<'_>, raws: &Raws<'_>, names: &mut Vec<String>) -> (StageRow, bool) {
    let order = names.iter().position(|name| *name == shown.stage).unwrap_or_else(|| {
        names.push(shown.stage.clone());
        names.len() - 1
    });
    let exhibit = shown.exhibit;
    let turn = exhibit.turn.as_deref();
    // A statement with words of its own is what was made of the turn; the turn keeps the reply.
    let own = match &exhibit.shape {
        Shape::Statement(statement) => statement.text.clone(),
        _ => None,
    };
    let last_try = turn.filter(|_| own.is_none()).and_then(|key| turns.replied.get(key).copied());
    let raw = turn.zip(last_try).and_then(|place| raws.get(&place));
    let expired = last_try.is_some() && raw.is_none();
    let content = match (own, raw) {
        (Some(own), _) => own,
        (None, Some(raw)) => serde_json::from_str::<Reply>(raw).map(|reply| reply.text).unwrap_or_else(|_| (*raw).to_owned()),
        (None, None) => turn.and_then(|key| turns.said_text(key)).unwrap_or_else(|| own_text(&exhibit)),
    };
    let response_time_ms = turn.and_then(|key| turns.get(key)).and_then(|turn| turn.ms);
    // The time a turn took is no part of the exhibit: two runs of one seed show the same.
    let data = exhibit.data.as_ref().map(Json::text);
    let parsed_data = match response_time_ms {
        Some(ms) => Some(with_time(data.unwrap_or("{}"), ms)),
        None => data.map(str::to_owned),
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
        parsed_data,
        response_time_ms,
        created_at: row.at,
    };
    (stage, expired)
}

/// What a row says where no turn's words stand behind it: text as text, all else as JSON.
fn own_text(exhibit: &Exhibit) -> String {
    match &exhibit.shape {
        Shape::Document(document) => document_text(document),
        Shape::Note { text } => text.clone(),
        shape => serde_json::to_string(shape).unwrap_or_default(),
    }
}

fn document_text(document: &Document) -> String {
    let mut parts = vec![format!("# {}", document.title), document.front.clone()];
    for section in &document.sections {
        parts.push(format!("## {}. {}", section.number, section.title));
        parts.push(section.text.clone());
    }
    parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}
