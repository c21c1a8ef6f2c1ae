//! A mode as data: what the registry shows, what the Runner checks, and the one function that runs it.

use crate::{Bench, Library, RequestName, Result};
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use synod_types::{Answer, Confidence, Dissent, Json, Place, Problem, Seat, SeatIx, Status};

/// A deliberation protocol. `mode!` makes one; `MODES` in the `modes` crate is the one table of them.
pub struct Mode {
    pub id: &'static str,
    pub version: u32,
    pub name: &'static str,
    pub family: Family,
    pub summary: &'static str,
    /// When to choose it rather than another, in a sentence or two.
    pub pick: &'static str,
    /// Seats, special role counted.
    pub seats: (u32, u32),
    pub roles: &'static [Role],
    pub phases: &'static [&'static str],
    /// The rows a run stores, in order of their first appearance.
    pub stages: &'static [Stage],
    /// The numbers a run records, so that they can be counted without knowing the mode.
    pub figures: &'static [FigureKind],
    /// What seats write that no reader is shown: prompt, field, and why nobody need read it. All else of a typed reply is in every record.
    pub left_out: &'static [(&'static str, &'static str, &'static str)],
    /// Names that requests may use beside the options' own.
    pub request_names: &'static [RequestName],
    pub multi_turn: bool,
    pub estimated_ms: i64,
    /// Default limit of one turn's silence.
    pub turn_secs: u32,
    pub run_secs: u32,
    /// Planned calls as a formula of the panel and the options.
    pub cost: &'static str,
    /// Something worth asking it. The door says how it is asked there.
    pub example: Example,
    /// What it does when seats fail, in a sentence.
    pub failure_rule: &'static str,
    pub prompts: &'static [(&'static str, &'static str)],
    pub options_schema: fn() -> Value,
    pub option_defaults: fn() -> Value,
    /// Seats the mode makes of its options, one for each part to play, given how many models were named; the models are dealt round.
    /// Empty: every model named is one seat.
    pub seats_from_options: fn(&Json, usize) -> Vec<String>,
    /// Puts in full what the options only name, before anything is checked against them: the header is the whole input of a run.
    pub prepare: fn(&mut Json, &dyn Library) -> Vec<Problem>,
    /// What the options' schema cannot say.
    pub check: fn(&Json) -> Vec<Problem>,
    /// What options and seats must be to each other, once both are sound alone.
    pub check_seating: fn(&Json, &Seating) -> Vec<Problem>,
    pub decision_schema: fn() -> Value,
    /// What it can do beyond answering once.
    pub abilities: Abilities,
    pub calls: fn(&Json, &Seating) -> Vec<PlannedCalls>,
    pub run: fn(Bench, Json) -> BoxFuture<'static, Result<ModeResult>>,
}

/// A question and what goes with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Example {
    pub question: &'static str,
    pub options: &'static [(&'static str, &'static str)],
    /// Names of files: the material under review, and what is attached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<&'static str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub files: &'static [&'static str],
}

impl Example {
    pub const fn ask(question: &'static str) -> Self {
        Self { question, options: &[], content: None, files: &[] }
    }
}

/// What doors offer for a mode that can do more than answer once. Each names the option that carries it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Abilities {
    /// Takes records of earlier decisions in this option. What a verdict of such a mode wants remembered is its `data.experience`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learns: Option<&'static str>,
    /// A finished run can be taken further: a fork with one more entry in this option, `{after}` being the round it ended with
    /// (`data.round` of its verdict).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub continues: Option<&'static str>,
    /// Cards in this option point to evidence, which the door looks up before the run: [`Library`] cannot, it knows names only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
}

impl Abilities {
    pub const NONE: Self = Self { learns: None, continues: None, evidence: None };
}

/// An option whose evidence pointers are looked up before a run.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Evidence {
    pub option: &'static str,
    /// Puts into the option's value what became of each pointer, asking for each what is there.
    #[serde(skip)]
    pub check: fn(&mut Json, &LookUp),
}

/// Tells what a path leads to.
pub type LookUp<'a> = dyn Fn(&str) -> PointerTarget + 'a;

/// What a pointer's path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PointerTarget {
    /// `unread`: why nobody is shown what it says; `None`: it was read, and its text is frozen into the run.
    File {
        bytes: u64,
        unread: Option<&'static str>,
    },
    NotAFile,
    Nothing,
    /// Outside the folder that pointers may lead into: it is not opened.
    Outside,
    /// This door looks nothing up.
    NotLookedUp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    Evaluation,
    Adversarial,
    Sequential,
    RoleBased,
    Algorithmic,
    Creative,
    Verification,
}

/// Who holds a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Role {
    pub name: &'static str,
    pub held: RoleHolder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoleHolder {
    /// Every panel seat.
    Each,
    /// One panel seat, by place.
    Seat(SeatIx),
    /// The chair; with none named, seat 0.
    Chair,
    /// A chair that never sits on the panel; with none named, the last model leaves the panel for it. Where the seats are made from options nobody
    /// leaves: the next model in turn takes one seat more.
    ChairApart,
}

pub const fn each(name: &'static str) -> Role {
    Role { name, held: RoleHolder::Each }
}
pub const fn seat(name: &'static str, k: SeatIx) -> Role {
    Role { name, held: RoleHolder::Seat(k) }
}
pub const fn chair(name: &'static str) -> Role {
    Role { name, held: RoleHolder::Chair }
}
pub const fn chair_apart(name: &'static str) -> Role {
    Role { name, held: RoleHolder::ChairApart }
}

/// A kind of stored row: its name, who is behind it, and the type of its parsed data. `{n}` in a name or role stands for whatever numbers or
/// names it: `round_{n}`.
#[derive(Clone, Copy)]
pub struct Stage {
    pub name: &'static str,
    /// The part played by the seat whose words these are; `None`: computed.
    pub role: Option<&'static str>,
    data: fn() -> Value,
    /// Only there when a seat failed and something stands in for it.
    pub stand_in: bool,
}

impl Stage {
    /// A row in the words of a seat, which plays this role in it. `()`: nothing beside the words and the time they took.
    pub const fn from_seat<T: JsonSchema>(name: &'static str, role: &'static str) -> Self {
        Self { name, role: Some(role), data: crate::row_schema_of::<T>, stand_in: false }
    }
    /// A row the mode computed. `()`: nothing beside the text.
    pub const fn computed<T: JsonSchema>(name: &'static str) -> Self {
        Self { name, role: None, data: crate::row_schema_of::<T>, stand_in: false }
    }
    /// The row only stands in where a seat failed.
    pub const fn stand_in(self) -> Self {
        Self { stand_in: true, ..self }
    }

    /// The schema of the stored row's parsed data. Rows from a seat carry the time its turn took.
    pub fn schema(&self) -> Value {
        let mut schema = (self.data)();
        if self.role.is_none() {
            return schema;
        }
        if !schema.is_object() {
            schema = json!({"type": "object"});
        }
        if schema["type"] == "null" {
            schema = json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false});
        }
        // A map of any keys takes the time as one more of them.
        schema["properties"]["responseTimeMs"] = json!({"type": "integer", "description": "How long the seat took, in milliseconds."});
        match schema["required"].as_array_mut() {
            Some(required) => required.push(json!("responseTimeMs")),
            None => schema["required"] = json!(["responseTimeMs"]),
        }
        schema
    }

    /// The fields of its parsed data.
    pub fn fields(&self) -> Vec<String> {
        let schema = self.schema();
        schema.get("properties").and_then(Value::as_object).map(|fields| fields.keys().cloned().collect()).unwrap_or_default()
    }

    /// Whether a stored row is of this kind.
    pub fn covers(&self, name: &str) -> bool {
        covers(self.name, name)
    }
    pub fn held_by(&self, role: Option<&str>) -> bool {
        match (self.role, role) {
            (Some(pattern), Some(role)) => covers(pattern, role),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        }
    }
}

fn covers(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('{') else { return pattern == name };
    let tail = rest.split_once('}').map_or(rest, |(_, tail)| tail);
    let Some(rest) = name.strip_prefix(head) else { return false };
    // Something stands for the brace; the tail may hold braces of its own.
    rest.char_indices().skip(1).map(|(at, _)| at).chain([rest.len()]).any(|at| at > 0 && covers(tail, &rest[at..]))
}

/// A number that runs of a mode record, and how those of many runs are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FigureKind {
    pub name: &'static str,
    /// In a few words, for whoever reads the numbers.
    pub what: &'static str,
    pub counted: Counted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Counted {
    /// The mean, each by what it is out of.
    Mean,
    /// The same for parts of a whole: from 0 to 1.
    Share,
    /// How many in all, label by label.
    Total,
}

impl FigureKind {
    pub const fn mean(name: &'static str, what: &'static str) -> Self {
        Self { name, what, counted: Counted::Mean }
    }
    pub const fn share(name: &'static str, what: &'static str) -> Self {
        Self { name, what, counted: Counted::Share }
    }
    pub const fn total(name: &'static str, what: &'static str) -> Self {
        Self { name, what, counted: Counted::Total }
    }
}

/// Who sits where, and who holds which role.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seating {
    pub seats: Vec<Seat>,
    pub roles: BTreeMap<String, Vec<SeatIx>>,
}

impl Seating {
    /// How many seats deliberate.
    pub fn panel(&self) -> u32 {
        self.seats.iter().filter(|seat| seat.place == Place::Panel).count() as u32
    }
}

/// Turns a mode plans to make with one prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PlannedCalls {
    pub prompt: &'static str,
    pub role: &'static str,
    pub min: u32,
    pub max: u32,
    /// How many earlier replies each of these prompts carries, for the quote.
    pub reads: u32,
    /// Where an option sets another token limit than the prompt's own.
    pub max_tokens: Option<u32>,
}

impl Mode {
    pub fn special_role(&self) -> Option<&'static str> {
        self.roles.iter().find(|role| matches!(role.held, RoleHolder::Chair | RoleHolder::ChairApart)).map(|role| role.name)
    }
}

/// What a mode comes to. The Runner makes the verdict of it: who is missing, what it cost and whether it is whole are not the mode's to say.
#[derive(Clone, Debug)]
pub struct ModeResult {
    pub(crate) status: Option<Status>,
    pub(crate) stop_reason: &'static str,
    pub(crate) action: Option<String>,
    pub(crate) answer: Answer,
    pub(crate) decision: Option<Value>,
    pub(crate) confidence: Option<Confidence>,
    pub(crate) unsure: Option<String>,
    pub(crate) dissent: Vec<Dissent>,
    pub(crate) data: Value,
}

impl ModeResult {
    pub fn ended(stop_reason: &'static str, answer: Answer) -> Self {
        Self {
            status: None,
            stop_reason,
            action: None,
            answer,
            decision: None,
            confidence: None,
            unsure: None,
            dissent: Vec::new(),
            data: Value::Null,
        }
    }
    /// Only for `deadlock` and `escalated`; whether a result is full or degraded the Runner knows.
    pub fn status(self, status: impl Into<Option<Status>>) -> Self {
        Self { status: status.into(), ..self }
    }
    /// What to do, in a sentence; else it is the first one of the answer.
    pub fn action(self, action: impl Into<String>) -> Self {
        Self { action: Some(action.into()), ..self }
    }
    /// The mode's `Decision`, and what it says in a sentence, with its count: “2 of 3 say wait”.
    pub fn decision(self, summary: impl Into<String>, decision: &impl Serialize) -> Self {
        let mut told = serde_json::Map::from_iter([(SUMMARY.to_owned(), Value::String(summary.into()))]);
        if let Value::Object(decision) = to_value(decision) {
            told.extend(decision);
        }
        Self { decision: Some(Value::Object(told)), ..self }
    }
    /// Why this mode gives no number for how sure it is.
    pub fn unsure(self, why: impl Into<String>) -> Self {
        Self { unsure: Some(why.into()), ..self }
    }
    /// None is given where nothing was measured.
    pub fn confidence(self, confidence: impl Into<Option<Confidence>>) -> Self {
        Self { confidence: confidence.into(), ..self }
    }
    pub fn dissent(self, dissent: impl IntoIterator<Item = Dissent>) -> Self {
        Self { dissent: dissent.into_iter().collect(), ..self }
    }
    /// What else a reader of the verdict may want.
    pub fn data(self, data: &impl Serialize) -> Self {
        Self { data: to_value(data), ..self }
    }
}

const SUMMARY: &str = "summary";

/// The schema of what a mode's decision becomes: the mode's own, led by the sentence that every decision has.
pub fn decision_schema<T: JsonSchema>() -> Value {
    let mut schema = crate::schema_of::<T>();
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.shift_insert(0, SUMMARY.to_owned(), json!({"type": "string", "description": "What was decided, in a sentence."}));
    }
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.insert(0, SUMMARY.into());
    }
    schema
}

/// Makes a [`Mode`] of a module with `Options`, `Decision`, `calls` and `run` in it.
///
/// A change of a prompt, a stored row or a decision raises `version`: runs of another version are shown, verified, exported and forked, but
/// neither resumed nor replayed.
#[macro_export]
macro_rules! mode {
    (
        id: $id:literal, $(version: $version:literal,)? name: $name:literal, family: $family:ident, seats: $min:literal ..= $max:literal,
        roles: $roles:expr, summary: $summary:literal, pick: $pick:literal, phases: $phases:expr, stages: $stages:expr, $(figures: $figures:expr,)? $(left_out: $left_out:expr,)? multi_turn: $multi:literal,
        estimated_ms: $estimate:literal, turn_secs: $turn:literal, run_secs: $run_secs:literal, cost: $cost:literal, example: $example:expr,
        failure_rule: $failure:literal, prompts: [$($prompt:literal),* $(,)?] $(, seats_from_options: $made:ident)? $(, prepare: $prepare:ident)?
        $(, check_seating: $fits:ident)? $(, abilities: $abilities:expr)? $(, request_names: $names:expr)? $(,)?
    ) => {
        $crate::Mode {
            id: $id,
            version: $crate::mode!(@or 1 $(, $version)?),
            name: $name,
            family: $crate::Family::$family,
            summary: $summary,
            pick: $pick,
            seats: ($min, $max),
            roles: $roles,
            phases: $phases,
            stages: $stages,
            figures: $crate::mode!(@or &[] $(, $figures)?),
            left_out: $crate::mode!(@or &[] $(, $left_out)?),
            request_names: $crate::mode!(@or &[] $(, $names)?),
            multi_turn: $multi,
            estimated_ms: $estimate,
            turn_secs: $turn,
            run_secs: $run_secs,
            cost: $cost,
            example: $example,
            failure_rule: $failure,
            prompts: &[$(($prompt, include_str!(concat!($prompt, ".md")))),*],
            options_schema: || $crate::schema_of::<Options>(),
            option_defaults: || $crate::to_value(&Options::default()),
            seats_from_options: |_value, _models| $crate::mode!(@seats _value, _models $(, $made)?),
            prepare: |_value, _library| $crate::mode!(@prepare _value, _library $(, $prepare)?),
            check_seating: |_value, _seating| $crate::mode!(@seating _value, _seating $(, $fits)?),
            check: |value| $crate::read_options::<Options>(value).map_or_else(|problem| vec![problem], |options| options.check()),
            decision_schema: || $crate::decision_schema::<Decision>(),
            abilities: $crate::mode!(@or $crate::Abilities::NONE $(, $abilities)?),
            calls: |value, seating| $crate::read_options::<Options>(value).map(|options| calls(&options, seating)).unwrap_or_default(),
            run: |bench, options| Box::pin(async move {
                let options =
                    $crate::read_options::<Options>(&options).map_err(|problem| $crate::Halt::diverged("options", problem.to_string()))?;
                run(&bench, options).await
            }),
        }
    };
    (@or $default:expr) => { $default };
    (@or $default:expr, $given:expr) => { $given };
    (@prepare $value:ident, $library:ident) => { Vec::new() };
    (@prepare $value:ident, $library:ident, $prepare:ident) => {
        match $crate::read_options::<Options>($value) {
            Ok(mut options) => {
                let problems = $prepare(&mut options, $library);
                *$value = $crate::Json::of(&options);
                problems
            }
            Err(problem) => vec![problem],
        }
    };
    (@seating $value:ident, $seating:ident) => { Vec::new() };
    (@seating $value:ident, $seating:ident, $fits:ident) => {
        $crate::read_options::<Options>($value).map(|options| $fits(&options, $seating)).unwrap_or_default()
    };
    (@seats $value:ident, $models:ident) => { Vec::new() };
    (@seats $value:ident, $models:ident, $made:ident) => {
        $crate::read_options::<Options>($value).map(|options| $made(&options, $models)).unwrap_or_default()
    };
}

/// Options as the mode's own type.
pub fn read_options<T: serde::de::DeserializeOwned>(options: &Json) -> Result<T, Problem> {
    options.read().map_err(|error| Problem::new("options", error.to_string(), "options the mode's schema allows"))
}

/// A value as JSON; for values that always can be.
pub fn to_value(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}
