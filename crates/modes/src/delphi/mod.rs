//! Delphi: panelists answer alone, see only how the answers are distributed, and answer again until they settle.

mod outcome;
mod question;
mod reply;
mod round;
mod rows;
#[cfg(test)]
mod tests;

use crate::attendance;
use outcome::{Outcome, StopReason};
use question::{AnswerForm, Classification, Kind, tidy};
use reply::{Choice, Estimate};
use round::{Entry, Position, Round};
use rows::{AnswerRow, ClassificationRow, OutcomeRow, RoundStatsRow, TrajectoryRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use synod_engine::{
    Answers, Bench, Example, FigureKind, Halt, Means, Mode, ModeResult, PlannedCalls, Prompt, RequestName, Result, SeatFailure, SeatReply, Seating,
    Stage, chair_apart, each, mode, prompt,
};
use synod_math::numbers::plain;
use synod_types::*;

pub static MODE: Mode = mode! {
    id: "delphi", version: 5, name: "Delphi", family: Evaluation, seats: 4..=8, roles: &[each("panelist"), chair_apart("facilitator")],
    summary: "Everyone answers alone, sees only how the answers are spread, and answers again until the panel settles.",
    pick: "Take it for an estimate or a choice among a few options, when you want a number with its spread rather than an essay.",
    phases: &["classify", "round", "synthesis"],
    stages: &[
        Stage::from_seat::<ClassificationRow>("classify", "facilitator"),
        Stage::from_seat::<ClassificationRow>("classify", "panelist").stand_in(),
        Stage::from_seat::<AnswerRow>("round_{n}", "panelist"),
        Stage::computed::<RoundStatsRow>("round_{n}_stats"),
        Stage::computed::<TrajectoryRow>("trajectory"),
        Stage::from_seat::<OutcomeRow>("synthesis", "facilitator"),
        Stage::computed::<OutcomeRow>("synthesis").stand_in(),
    ],
    figures: &[
        FigureKind::mean("convergence_round", "Rounds until the panel settled"),
        FigureKind::mean("rounds", "Rounds held"),
        FigureKind::share("settled", "Panels that settled"),
        FigureKind::mean("dispersion", "Spread of the last estimates"),
        FigureKind::mean("agreement", "How far the panel's ballots agree, above chance"),
    ],
    multi_turn: false, estimated_ms: 300_000, turn_secs: 120, run_secs: 600,
    cost: "1 to classify, n a round for n panelists, 1 for the report; none to classify when the kind of answer is given",
    example: Example { options: &[("unit", "person-days")], ..Example::ask("How long will it take to move forty batch jobs to a queue?") },
    failure_rule: "Three panelists must answer every round. Fewer in the first round end the run; fewer later end the rounds, and the last whole round stands. An answer is never carried over. If the facilitator fails, a panelist may classify in its place, but none writes the report: the computed result is then the answer. A choice for which nobody proposes two options ends the run.",
    prompts: ["classify", "estimate", "synthesis"],
    request_names: &[
        RequestName::panel("panelistModels"),
        RequestName::role("facilitatorModel", "facilitator"),
        RequestName::option("maxRounds", "max_rounds"),
        RequestName::option("numericConvergenceThreshold", "within"),
        RequestName::option("qualitativeConvergenceThreshold", "agreement"),
        RequestName { name: "questionType", means: Means::Option("question_type", &[("qualitative", "choice")]) },
    ],
};

/// How many answers a round needs. None is carried over from the round before.
const LEAST: usize = 3;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Stop after this many rounds, settled or not.
    #[schemars(range(min = 2, max = 5))]
    pub max_rounds: u32,
    /// Do not stop before this many rounds. With 1 a panel that agrees at once never sees its own distribution.
    #[schemars(range(min = 1, max = 5))]
    pub min_rounds: u32,
    /// How narrow the middle half of the numbers must be, as a share of the median (of the scale for ratings).
    /// Numbers on both sides of zero are measured by the median size of the first round's.
    #[schemars(range(min = 0.01, max = 1.0))]
    pub within: f64,
    /// How wide the middle half may be when the answer is a calendar year, in years.
    #[schemars(range(min = 0.1, max = 100.0))]
    pub year_width: f64,
    /// How many of the panel must choose the same option, in percent.
    #[schemars(range(min = 50, max = 100))]
    pub agreement: u32,
    /// The kind of answer. With auto the facilitator decides; a unit means numeric, options mean choice.
    pub question_type: QuestionType,
    /// What to choose between, 2 to 10 options. Without them the facilitator proposes some.
    #[schemars(length(max = 10))]
    pub options: Vec<String>,
    /// The unit of a number, such as "days" or "USD per month".
    #[schemars(length(max = 60))]
    pub unit: String,
    /// The lowest rating of a scale.
    pub scale_min: f64,
    /// The highest rating of a scale.
    pub scale_max: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuestionType {
    #[default]
    Auto,
    Numeric,
    Year,
    Scale,
    Choice,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_rounds: 5,
            min_rounds: 2,
            within: 0.15,
            year_width: 1.0,
            agreement: 75,
            question_type: QuestionType::Auto,
            options: Vec::new(),
            unit: String::new(),
            scale_min: 1.0,
            scale_max: 10.0,
        }
    }
}

impl Options {
    fn check(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut wrong = |field: &str, got: String, want: &str| problems.push(Problem::new(format!("options.{field}"), got, want));
        let (kind, unit) = (self.question_type, self.unit.trim());
        if self.min_rounds > self.max_rounds {
            wrong("min_rounds", self.min_rounds.to_string(), &format!("at most max_rounds, which is {}", self.max_rounds));
        }
        if !self.options.is_empty() {
            let different = tidy(&self.options).len();
            if different < 2 || different < self.options.len() {
                wrong("options", format!("{different} different of {}", self.options.len()), "2 to 10 options, each a different one");
            }
            if !matches!(kind, QuestionType::Auto | QuestionType::Choice) {
                wrong("options", "options for a number".into(), "question_type choice or auto, or no options");
            }
            if !unit.is_empty() {
                wrong("unit", format!("{unit:?} and options too"), "a unit for a number or options for a choice, not both");
            }
        }
        if !unit.is_empty() && !matches!(kind, QuestionType::Auto | QuestionType::Numeric) {
            wrong("unit", unit.to_owned(), "no unit: only a numeric question has one");
        }
        if !(self.scale_min.is_finite() && self.scale_max.is_finite() && self.scale_min < self.scale_max) {
            wrong("scale_max", plain(self.scale_max), &format!("more than scale_min, which is {}", plain(self.scale_min)));
        }
        problems
    }

    /// The form of answer, if the options say it; `None`: the facilitator is asked.
    fn answer_form(&self) -> Option<AnswerForm> {
        let kind = match self.question_type {
            QuestionType::Auto if !self.options.is_empty() => Kind::Choice,
            QuestionType::Auto if !self.unit.trim().is_empty() => Kind::Numeric,
            QuestionType::Choice if self.options.is_empty() => return None,
            QuestionType::Auto => return None,
            QuestionType::Numeric => Kind::Numeric,
            QuestionType::Year => Kind::Year,
            QuestionType::Scale => Kind::Scale,
            QuestionType::Choice => Kind::Choice,
        };
        Some(AnswerForm::new(kind, &self.unit, &self.options, (self.scale_min, self.scale_max)))
    }
}

/// What a script branches on.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    #[serde(rename = "type")]
    pub kind: Kind,
    /// The median of the last whole round; null for a choice.
    pub value: Option<f64>,
    /// The option most of the last whole round chose; null for a number.
    pub choice: Option<String>,
    pub unit: Option<String>,
    /// The middle half of the last whole round; null for a choice.
    pub interval: Option<Interval>,
    /// Whole rounds.
    pub rounds: u32,
    pub settled: bool,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

fn calls(options: &Options, seating: &Seating) -> Vec<PlannedCalls> {
    let n = seating.panel();
    let classify = u32::from(options.answer_form().is_none());
    vec![
        PlannedCalls { prompt: "classify", role: "facilitator", min: classify, max: classify, reads: 0, max_tokens: None },
        PlannedCalls { prompt: "estimate", role: "panelist", min: n * options.min_rounds, max: n * options.max_rounds, reads: 0, max_tokens: None },
        PlannedCalls { prompt: "synthesis", role: "facilitator", min: 1, max: 1, reads: n, max_tokens: None },
    ]
}

async fn run(bench: &Bench, options: Options) -> Result<ModeResult> {
    let form = match options.answer_form() {
        Some(form) => form,
        None => classify(bench, &options).await?,
    };
    let mut rounds: Vec<Round> = Vec::new();
    let mut stop = StopReason::MaxRounds;
    for n in 1..=options.max_rounds {
        let phase = bench.round("round", n);
        let answers = ask_round(&phase, &options, &form, n, rounds.last()).await?;
        let closed = answers.failures.iter().any(|failed| failed.failure.kind == FailureKind::Closed);
        let whole = n == 1 || (answers.entries.len() >= LEAST && !closed);
        for entry in &answers.entries {
            show_answer(&phase, &form, n, entry, rounds.last(), whole)?;
        }
        for failed in &answers.failures {
            let row = AnswerRow::absent(n, form.kind, &failed.failure);
            phase.show(&format!("round_{n}"), attendance::failure(format!("Round {n}"), "panelist", failed).data(&row))?;
        }
        let Some(round) = Round::of(n, answers.entries, &form, &options, rounds.first()).filter(|_| whole) else {
            if !closed {
                phase.warn(format!("Fewer than {LEAST} panelists answered in round {n}, so round {} stands.", n - 1));
            }
            stop = StopReason::TooFew;
            break;
        };
        phase.show(&format!("round_{n}_stats"), round.exhibit(&form, |seat| bench.seat(seat).label.clone()))?;
        let settled = round.settled && n >= options.min_rounds;
        rounds.push(round);
        if settled {
            stop = StopReason::Settled;
            break;
        }
    }
    let Some(outcome) = Outcome::of(&form, &rounds, stop) else {
        return Err(Halt::no_quorum("round 1", "nobody answered"));
    };
    outcome.conclude(bench).await
}

/// The facilitator says what kind of answer is wanted. That judges no answer, so a panelist may do it in its place.
async fn classify(bench: &Bench, options: &Options) -> Result<AnswerForm> {
    let phase = bench.phase("classify");
    let seats: Vec<SeatIx> = bench.role("facilitator").iter().chain(bench.role("panelist")).copied().collect();
    let choice = options.question_type == QuestionType::Choice;
    let ask = prompt!("classify", choice).ids("wanted", choice.then_some("choice"));
    let Some(reply) = phase.ask_first::<Classification>(&seats, ask).await? else {
        let detail = if choice {
            "no seat proposed two options to choose between; name them with the option `options`"
        } else {
            "no seat could say what kind of answer is wanted (question_type says it without asking)"
        };
        return Err(Halt::no_quorum("classify", detail));
    };
    let classification = &reply.value;
    let kind = if choice { Kind::Choice } else { classification.kind };
    let form = AnswerForm::new(kind, &classification.unit, &classification.options, (options.scale_min, options.scale_max));
    let data = ClassificationRow {
        kind: form.kind,
        unit: Some(form.unit.clone()).filter(|unit| !unit.is_empty()),
        options: (kind == Kind::Choice).then(|| form.options.clone()),
        reasoning: classification.reasons.clone(),
    };
    let text = match form.kind {
        Kind::Choice => format!("A choice between these options:\n{}", form.menu()),
        Kind::Year => "A calendar year.".to_owned(),
        Kind::Scale => format!("A rating from {} to {}.", plain(form.scale.0), plain(form.scale.1)),
        Kind::Numeric if form.unit.is_empty() => "A number.".to_owned(),
        Kind::Numeric => format!("A number, in this unit: {}.", form.unit),
    };
    let text = format!("{text}\n\n{}", classification.reasons.trim());
    let role = if bench.role("facilitator").contains(&reply.seat) { "facilitator" } else { "panelist" };
    phase.show("classify", Exhibit::statement("Kind of answer", text.trim_end()).by(reply.seat, role).turn(&reply.key).data(&data))?;
    Ok(form)
}

/// The answers of one round, and who gave none.
struct RoundAnswers {
    entries: Vec<Entry>,
    failures: Vec<SeatFailure>,
}

/// Asks everybody who answered the round before: nobody sees a distribution before having answered, and a seat that failed is not asked again.
async fn ask_round(phase: &Bench, options: &Options, form: &AnswerForm, n: u32, last: Option<&Round>) -> Result<RoundAnswers> {
    let seats: Vec<SeatIx> = last.map_or_else(|| phase.role("panelist").to_vec(), |last| last.entries.iter().map(|entry| entry.seat).collect());
    let statistics = last.map(|last| last.for_prompt(form));
    let ask = |seat: SeatIx| -> Prompt {
        let own = last.and_then(|last| last.of_seat(seat));
        let apart = last.zip(own).is_some_and(|(last, own)| last.stands_apart(own));
        let own = own.map(|own| json!({"said": own.in_words(form), "level": own.level, "reasons": own.reasons}));
        let (low, high) = (plain(form.scale.0), plain(form.scale.1));
        let anchors = form.anchors();
        let kind = form.kind;
        let prompt = prompt!(
            "estimate",
            kind,
            unit = form.unit,
            menu = form.menu(),
            low,
            high,
            anchors,
            round = n,
            max_rounds = options.max_rounds,
            last = statistics,
            own,
            apart
        );
        match kind {
            Kind::Choice => prompt.ids("options", form.ids()).ids("texts", form.options.clone()),
            Kind::Scale => prompt.ids("scale", [low, high]),
            Kind::Numeric | Kind::Year => prompt.ids("unit", [form.unit.clone()]),
        }
    };
    let quorum = if n == 1 { LEAST } else { 0 };
    if form.kind == Kind::Choice {
        let answers: Answers<Choice> = phase.ask_each(&seats, &ask).await?.quorum(quorum)?;
        let entry = |reply: SeatReply<Choice>| {
            let position = Position::Option(form.index(&reply.value.answer)?);
            Some(Entry { seat: reply.seat, key: reply.key, position, level: reply.value.confidence, reasons: reply.value.reasons })
        };
        return Ok(RoundAnswers { entries: answers.replies.into_iter().filter_map(entry).collect(), failures: answers.failures });
    }
    let answers: Answers<Estimate> = phase.ask_each(&seats, &ask).await?.quorum(quorum)?;
    let entry = |reply: SeatReply<Estimate>| {
        let position = Position::Number(reply.value.estimate);
        Entry { seat: reply.seat, key: reply.key, position, level: reply.value.confidence, reasons: reply.value.reasons }
    };
    Ok(RoundAnswers { entries: answers.replies.into_iter().map(entry).collect(), failures: answers.failures })
}

fn show_answer(phase: &Bench, form: &AnswerForm, n: u32, entry: &Entry, last: Option<&Round>, counted: bool) -> Result<()> {
    let before = last.and_then(|last| last.of_seat(entry.seat));
    let choice = form.kind == Kind::Choice;
    let data = AnswerRow {
        round: n,
        kind: form.kind,
        answer: entry.option_text(form),
        estimate: entry.number(),
        confidence: Some(entry.level),
        previous_answer: choice.then(|| before.and_then(|before| before.option_text(form))),
        previous_estimate: (!choice).then(|| before.and_then(Entry::number)),
        changed: before.map(|before| before.position != entry.position),
        reasoning: entry.reasons.clone(),
        counted,
        error: None,
    };
    let text = format!("{}, {} confidence. {}", entry.in_words(form), entry.level.as_str().to_lowercase(), entry.reasons);
    let exhibit = Exhibit::statement(format!("Round {n}"), text).by(entry.seat, "panelist").turn(&entry.key).data(&data);
    phase.show(&format!("round_{n}"), exhibit)
}
