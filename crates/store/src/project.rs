//! The fold of a run's journal into what is stored or asked about it: state, turns, costs, figures, ballots, messages.
//!
//! One fold, used by the writer row by row, and by readers and `rebuild` over a whole journal, so that they cannot disagree. It takes rows as
//! they are and skips what cannot be read: naming a broken row is `verify`'s task.

use crate::experiences::ExperienceRow;
use crate::sql::storable;
use crate::stats::{BallotBox, Votes};
use crate::turns::{ModelCost, TurnSummary, Turns, model_name};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use synod_types::{Answer, Figure, Header, Kind, LOCAL, Millis, Receipt, Row, RunState, Status, answer_message, question_message};

/// What a run's rows come to.
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
    pub turns: Vec<TurnSummary>,
    /// One a model.
    pub costs: Vec<ModelCost>,
    pub figures: Vec<NotedFigure>,
    /// What the verdict wants remembered: nothing, or one record.
    pub experiences: Vec<ExperienceRow>,
    /// The question, when the run belongs to a conversation.
    pub question: Option<Message>,
    /// What the panel answered, when the verdict completes.
    pub answer: Option<Message>,
}

impl Projection {
    /// A verdict is there.
    pub fn ended(&self) -> bool {
        self.status.is_some()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct NotedFigure {
    pub name: String,
    pub label: Option<String>,
    /// The model of the seat whose figure it is.
    pub model: Option<String>,
    pub value: f64,
    pub of: f64,
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
struct EndedVerdict<'a> {
    mode: String,
    status: Status,
    stop_reason: String,
    answer: Option<Answer>,
    receipt: Receipt,
    #[serde(borrow)]
    data: &'a RawValue,
}

impl EndedVerdict<'_> {
    /// See [`synod_types::Verdict::experience`].
    fn experience(&self) -> Option<Value> {
        #[derive(Deserialize)]
        struct Remembered {
            experience: Option<Value>,
        }
        serde_json::from_str::<Remembered>(self.data.get()).ok()?.experience.filter(Value::is_object)
    }
}

/// A run's rows, taken one after the other.
pub(crate) struct Fold {
    out: Projection,
    header: Option<Header>,
    turns: Turns,
    ballots: BallotBox,
    /// Whether something was stored for the run before.
    pub stored: bool,
    /// Bytes, more or less.
    pub weight: usize,
}

impl Fold {
    pub fn new(run: &str) -> Self {
        Self {
            out: Projection {
                run: run.to_owned(),
                mode: String::new(),
                conversation: None,
                principal: LOCAL.to_owned(),
                rehearsal: false,
                began: 0,
                wall_ms: None,
                votes: BTreeMap::new(),
                state: RunState::Running,
                status: None,
                spent_usd: None,
                turns: Vec::new(),
                costs: Vec::new(),
                figures: Vec::new(),
                experiences: Vec::new(),
                question: None,
                answer: None,
            },
            header: None,
            turns: Turns::default(),
            ballots: BallotBox::default(),
            stored: false,
            weight: 0,
        }
    }

    pub fn take(&mut self, row: &Row) {
        let out = &mut self.out;
        self.weight += 250;
        self.turns.take(row, self.header.as_ref());
        match row.kind {
            Kind::Header => {
                if let Ok(header) = row.read::<Header>() {
                    out.mode.clone_from(&header.mode);
                    out.conversation.clone_from(&header.conversation);
                    if let Some(principal) = &header.principal {
                        out.principal.clone_from(principal);
                    }
                    out.rehearsal = header.rehearsal();
                    out.began = row.at;
                    out.question = Message::question(&header, row.at);
                    self.weight += row.body.len();
                    self.header = Some(header);
                }
            }
            Kind::Stopped | Kind::Resumed => {
                out.state = out.state.after(row.kind, &row.body);
                self.stored |= row.kind == Kind::Stopped;
            }
            Kind::Shown => self.ballots.take(row),
            Kind::Figure => {
                if let Ok(Figure { name, label, value, of, seat, .. }) = row.read::<Figure>() {
                    let model = seat.map(|seat| model_name(self.header.as_ref(), seat));
                    out.figures.push(NotedFigure { name, label, model, value, of });
                }
            }
            Kind::Verdict => {
                self.stored = true;
                if let Ok(verdict) = serde_json::from_str::<EndedVerdict<'_>>(&row.body) {
                    out.state = RunState::at_end(verdict.status);
                    out.status = Some(verdict.status);
                    out.spent_usd = verdict.receipt.spent_usd;
                    out.wall_ms = Some(verdict.receipt.wall_ms);
                    if let Some(body) = verdict.experience() {
                        out.experiences.push(ExperienceRow { run: row.run.clone(), mode: verdict.mode.clone(), body, at: row.at });
                    }
                    if verdict.status.completes() {
                        out.answer = Some(answer(row, verdict.answer.as_ref(), &verdict.stop_reason));
                    }
                } else {
                    out.state = out.state.after(row.kind, &row.body);
                }
            }
            Kind::Phase
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
            | Kind::Title => {}
        }
    }

    pub fn end(self) -> Projection {
        let Self { mut out, header, turns, ballots, .. } = self;
        if !out.ended() {
            out.spent_usd = turns.spent();
        }
        out.votes = ballots.votes(|seat| model_name(header.as_ref(), seat), |turn| turns.get(turn).is_some_and(|turn| turn.tries > 0));
        out.costs = turns.costs();
        out.turns = turns.list;
        out
    }
}

pub fn project<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Projection {
    let mut rows = rows.into_iter().peekable();
    let mut fold = Fold::new(rows.peek().map_or("", |row| row.run.as_str()));
    rows.for_each(|row| fold.take(row));
    fold.end()
}

fn answer(row: &Row, answer: Option<&Answer>, stop_reason: &str) -> Message {
    let (content, kind) = match answer {
        Some(answer) => (storable(&answer.text), Some(answer.kind.as_str())),
        // A deadlock may have none: the exchange still has its other side.
        None => (storable(stop_reason), None),
    };
    Message { id: answer_message(&row.run), role: "assistant", content, answer_kind: kind, created_at: row.at }
}
