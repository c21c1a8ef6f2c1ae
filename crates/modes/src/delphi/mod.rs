//! Delphi: panelists answer alone, see only how the answers are distributed, and answer again until they settle.

mod outcome;
mod question;
mod reply;
mod standing;
#[cfg(test)]
mod tests;

use outcome::{Outcome, Stop};
use question::{Asked, Classification, Kind, tidy};
use reply::{Choice, Estimate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use standing::{Entry, Position, Round};
use synod_engine::{Answers, Bench, Calls, Example, Halt, Mode, ModeResult, Prompt, Result, Seating, Stage, chair_apart, each, mode, prompt};
use synod_math::numbers::plain;
use synod_types::*;

pub static MODE: Mode = mode! {
    id: "delphi", name: "Delphi", family: Evaluation, seats: 4..=8, roles: &[each("panelist"), chair_apart("facilitator")],
    summary: "Everyone answers alone, sees only how the answers are spread, and answers again until the panel settles.",
    pick: "Take it for an estimate or a choice among a few options, when you want a number with its spread rather than an essay.",
    phases: &["classify", "round", "synthesis"],
    stages: &[
        Stage::from_seat::<Value>("classify", "facilitator"),
        Stage::from_seat::<Value>("classify", "panelist").stand_in(),
        Stage::from_seat::<Value>("round_{n}", "panelist"),
        Stage::computed::<Value>("round_{n}_stats"),
        Stage::computed::<Value>("trajectory"),
        Stage::from_seat::<Value>("synthesis", "facilitator"),
    ],
    multi_turn: false, estimated_ms: 300_000, turn_secs: 120, run_secs: 600,
    cost: "1 to classify, n a round for n panelists, 1 for the report; none to classify when the kind of answer is given",
    example: Example { options: &[("unit", "person-days")], ..Example::ask("How long will it take to move forty batch jobs to a queue?") },
    failure_rule: "Three panelists must answer every round. Fewer in the first round end the run; fewer later end the rounds, and the last whole round stands. An answer is never carried over. If the facilitator fails, a panelist may classify in its place, but none writes the report: the computed result is then the answer. A choice for which nobody proposes two options ends the run.",
    prompts: ["classify", "estimate", "synthesis"],
};

/// Fresh answers a round must have.
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

    /// The question as far as the options settle it; `None`: the facilitator is needed.
    fn asked(&self) -> Option<Asked> {
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
        Some(Asked::new(kind, &self.unit, &self.options, (self.scale_min, self.scale_max)))
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

fn calls(options: &Options, seating: &Seating) -> Vec<Calls> {
    let n = seating.panel();
    let classify = u32::from(options.asked().is_none());
    vec![
        Calls { prompt: "classify", role: "facilitator", min: classify, max: classify, reads: 0, max_tokens: None },
        Calls { prompt: "estimate", role: "panelist", min: n * options.min_rounds, max: n * options.max_rounds, reads: 0, max_tokens: None },
        Calls { prompt: "synthesis", role: "facilitator", min: 1, max: 1, reads: n, max_tokens: None },
    ]
}

async fn run(bench: &Bench, options: Options) -> Result<ModeResult> {
    let asked = match options.asked() {
        Some(asked) => asked,
        None => classify(bench, &options).await?,
    };
    let mut rounds: Vec<Round> = Vec::new();
    let mut stop = Stop::MaxRounds;
    for n in 1..=options.max_rounds {
        let stage = bench.round("round", n);
        let heard = hear(&stage, &options, &asked, n, rounds.last()).await?;
        let whole = n == 1 || (heard.entries.len() >= LEAST && !heard.closed);
        for entry in &heard.entries {
            show_answer(&stage, &asked, n, entry, rounds.last(), whole).await?;
        }
        let Some(round) = Round::of(n, heard.entries, &asked, &options, rounds.first()).filter(|_| whole) else {
            if !heard.closed {
                stage.warn(format!("Fewer than {LEAST} panelists answered in round {n}, so round {} stands.", n - 1));
            }
            stop = Stop::TooFew;
            break;
        };
        stage.show(&format!("round_{n}_stats"), round.exhibit(&asked, |seat| bench.seat(seat).label.clone()))?;
        let settled = round.settled && n >= options.min_rounds;
        rounds.push(round);
        if settled {
            stop = Stop::Settled;
            break;
        }
    }
    let Some(outcome) = Outcome::of(&asked, &rounds, stop) else {
        return Err(Halt::no_quorum("round 1", "nobody answered"));
    };
    outcome.conclude(bench).await
}

/// The facilitator says what kind of answer is wanted; that is no judgement, so a panelist may do it in its place.
async fn classify(bench: &Bench, options: &Options) -> Result<Asked> {
    let stage = bench.phase("classify");
    let seats: Vec<SeatIx> = bench.role("facilitator").iter().chain(bench.role("panelist")).copied().collect();
    let choice = options.question_type == QuestionType::Choice;
    let ask = prompt!("classify", choice).ids("wanted", choice.then_some("choice"));
    let Some(given) = stage.ask_first::<Classification>(&seats, ask).await? else {
        let detail = if choice {
            "no seat proposed two options to choose between; name them with --options"
        } else {
            "no seat could say what kind of answer is wanted (question_type says it without asking)"
        };
        return Err(Halt::no_quorum("classify", detail));
    };
    let said = &given.value;
    let kind = if choice { Kind::Choice } else { said.kind };
    let asked = Asked::new(kind, &said.unit, &said.options, (options.scale_min, options.scale_max));
    let listed = (kind == Kind::Choice).then_some(&asked.options);
    let unit = Some(&asked.unit).filter(|unit| !unit.is_empty());
    let data = json!({"type": asked.kind, "unit": unit, "options": listed, "reasoning": said.reasons});
    let text = match asked.kind {
        Kind::Choice => format!("A choice between these options:\n{}", asked.menu()),
        Kind::Year => "A calendar year.".to_owned(),
        Kind::Scale => format!("A rating from {} to {}.", plain(asked.scale.0), plain(asked.scale.1)),
        Kind::Numeric if asked.unit.is_empty() => "A number.".to_owned(),
        Kind::Numeric => format!("A number, in this unit: {}.", asked.unit),
    };
    let shape = Shape::Statement(Statement { text: Some(text), ..Statement::default() });
    let role = if bench.role("facilitator").contains(&given.seat) { "facilitator" } else { "panelist" };
    stage.show("classify", Exhibit::new("Kind of answer", shape).by(given.seat, role).turn(&given.key).data(&data))?;
    Ok(asked)
}

/// The answers of one round, and whether the run was closing.
struct Heard {
    entries: Vec<Entry>,
    closed: bool,
}

/// Asks everybody who answered the round before: nobody sees a distribution before having answered once, and a seat that failed is out.
async fn hear(stage: &Bench, options: &Options, asked: &Asked, n: u32, last: Option<&Round>) -> Result<Heard> {
    let seats: Vec<SeatIx> = last.map_or_else(|| stage.role("panelist").to_vec(), |last| last.entries.iter().map(|entry| entry.seat).collect());
    let told = last.map(|last| last.told(asked));
    let ask = |seat: SeatIx| -> Prompt {
        let own = last.and_then(|last| last.of_seat(seat));
        let apart = last.zip(own).is_some_and(|(last, own)| last.apart(own));
        let own = own.map(|own| json!({"said": own.said(asked), "level": own.level, "reasons": own.reasons}));
        let (low, high) = (plain(asked.scale.0), plain(asked.scale.1));
        let kind = asked.kind;
        let prompt = prompt!(
            "estimate",
            kind,
            unit = asked.unit,
            menu = asked.menu(),
            low,
            high,
            round = n,
            max_rounds = options.max_rounds,
            last = told,
            own,
            apart
        );
        match kind {
            Kind::Choice => prompt.ids("options", asked.ids()).ids("texts", asked.options.clone()),
            Kind::Scale => prompt.ids("scale", [low, high]),
            Kind::Numeric | Kind::Year => prompt.ids("unit", [asked.unit.clone()]),
        }
    };
    let quorum = if n == 1 { LEAST } else { 0 };
    if asked.kind == Kind::Choice {
        let answers: Answers<Choice> = stage.ask_each(&seats, &ask).await?.quorum(quorum)?;
        let closed = answers.closed();
        let entry = |given: synod_engine::SeatReply<Choice>| {
            let position = Position::Option(asked.index(&given.value.answer)?);
            Some(Entry { seat: given.seat, key: given.key, position, level: given.value.confidence, reasons: given.value.reasons })
        };
        return Ok(Heard { entries: answers.replies.into_iter().filter_map(entry).collect(), closed });
    }
    let answers: Answers<Estimate> = stage.ask_each(&seats, &ask).await?.quorum(quorum)?;
    let closed = answers.closed();
    let entry = |given: synod_engine::SeatReply<Estimate>| {
        let position = Position::Number(given.value.estimate);
        Entry { seat: given.seat, key: given.key, position, level: given.value.confidence, reasons: given.value.reasons }
    };
    Ok(Heard { entries: answers.replies.into_iter().map(entry).collect(), closed })
}

async fn show_answer(stage: &Bench, asked: &Asked, n: u32, entry: &Entry, last: Option<&Round>, counted: bool) -> Result<()> {
    let before = last.and_then(|last| last.of_seat(entry.seat));
    let (now, previous) = if asked.kind == Kind::Choice { ("answer", "previousAnswer") } else { ("estimate", "previousEstimate") };
    let data = json!({
        "round": n, "type": asked.kind, now: entry.value(asked), "confidence": entry.level, previous: before.map(|before| before.value(asked)),
        "changed": before.map(|before| before.position != entry.position), "reasoning": entry.reasons, "counted": counted,
    });
    let text = format!("{}, {} confidence. {}", entry.said(asked), entry.level.as_str().to_lowercase(), entry.reasons);
    let shape = Shape::Statement(Statement { text: Some(text), ..Statement::default() });
    let exhibit = Exhibit::new(format!("Round {n}"), shape).by(entry.seat, "panelist").turn(&entry.key).data(&data);
    stage.show(&format!("round_{n}"), exhibit)
}
