//! A mode's configuration as one loose object: its options by their own names, and beside them the names that other clients use, for models by
//! the part they play and for material under review. Each mode declares what its names mean; here they are read, every mistake at once.

use crate::{Mode, OptionValue, RoleHolder};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use synod_types::{Problem, ProblemCode, SeatIx};

/// A name that a request may use, and what it stands for.
#[derive(Clone, Copy)]
pub struct RequestName {
    pub name: &'static str,
    pub means: Means,
}

#[derive(Clone, Copy)]
pub enum Means {
    /// The models of the panel, in order.
    Panel,
    /// The model at one place of the panel.
    Place(SeatIx),
    /// The model that holds this role.
    Role(&'static str),
    /// This option, some of whose values may have other names.
    Option(&'static str, &'static [(&'static str, &'static str)]),
    /// The material under review.
    Content,
    /// The question that the material under review was written for.
    WrittenFor,
    /// A list with an entry for each seat: its model, and what it adds to options.
    Parts(fn(&str, &[Value]) -> Result<PartList, Vec<Problem>>),
}

/// What a list of seats comes to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PartList {
    /// `None`: whichever model is there.
    pub models: Vec<Option<String>>,
    pub options: Vec<(&'static str, Value)>,
}

/// The entries of such a list, every mistake at once. `want` says what an entry is.
pub fn read_entries<T: DeserializeOwned>(field: &str, entries: &[Value], want: &str) -> Result<Vec<T>, Vec<Problem>> {
    let (mut read, mut problems) = (Vec::new(), Vec::new());
    for (i, entry) in entries.iter().enumerate() {
        match T::deserialize(entry) {
            Ok(entry) => read.push(entry),
            Err(error) => problems.push(Problem::new(format!("{field}[{i}]"), error.to_string(), want)),
        }
    }
    if problems.is_empty() { Ok(read) } else { Err(problems) }
}

impl RequestName {
    pub const fn panel(name: &'static str) -> Self {
        Self { name, means: Means::Panel }
    }
    pub const fn place(name: &'static str, seat: SeatIx) -> Self {
        Self { name, means: Means::Place(seat) }
    }
    pub const fn role(name: &'static str, role: &'static str) -> Self {
        Self { name, means: Means::Role(role) }
    }
    pub const fn option(name: &'static str, option: &'static str) -> Self {
        Self { name, means: Means::Option(option, &[]) }
    }
    pub const fn content(name: &'static str) -> Self {
        Self { name, means: Means::Content }
    }

    /// What it stands for, in words.
    pub fn describe(&self) -> String {
        match self.means {
            Means::Panel => "the models of the panel".into(),
            Means::Place(seat) => format!("the model at place {seat} of the panel"),
            Means::Role(role) => format!("the model for the role {role}"),
            Means::Option(option, _) => format!("the option {option}"),
            Means::Content => "the material under review".into(),
            Means::WrittenFor => "the question that the material was written for".into(),
            Means::Parts(_) => "the seats, one entry each".into(),
        }
    }
}

/// What such an object asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModeConfig {
    /// Models of the panel by place; `None`: whichever is there. Empty: none was named.
    pub panel: Vec<Option<String>>,
    pub chair: Option<String>,
    pub roles: Vec<(String, String)>,
    pub options: Vec<(String, OptionValue)>,
    pub content: Option<String>,
    pub written_for: Option<String>,
    pub timeout_secs: Option<f64>,
    /// Where each field of the plan was named: `models` in `modeConfig.jurorModels`.
    fields: BTreeMap<String, String>,
}

/// How long a turn may be silent, in milliseconds; every mode takes it.
const TIMEOUT: &str = "timeoutMs";
/// Models that may stand beside the configuration instead of in it.
const MODELS: (&str, &str) = ("councilModels", "chairmanModel");

impl ModeConfig {
    /// Reads a configuration. `models` and `chair` are those named beside it.
    pub fn read(mode: &Mode, config: &Map<String, Value>, models: Option<Vec<String>>, chair: Option<String>) -> (Self, Vec<Problem>) {
        let mut reader = Reader { mode, read: Self::default(), problems: Vec::new() };
        if let Some(models) = models {
            reader.read.panel = models.into_iter().map(Some).collect();
            reader.read.fields.insert("models".into(), MODELS.0.into());
        }
        if let Some(chair) = chair {
            reader.read.chair = Some(chair);
            reader.read.fields.insert("chair".into(), MODELS.1.into());
        }
        // Places come after the list they are places of.
        let places =
            |name: &str| mode.request_names.iter().any(|known| known.name == name && matches!(known.means, Means::Place(_) | Means::Role(_)));
        for late in [false, true] {
            for (name, value) in config.iter().filter(|(name, _)| places(name) == late) {
                // What is left out in so many words is left out.
                if !value.is_null() {
                    reader.take(name, value);
                }
            }
        }
        (reader.read, reader.problems)
    }

    /// A problem under the name by which the request gave the field.
    pub fn named(&self, problem: Problem) -> Problem {
        let field = problem.field.strip_prefix("role ").map_or_else(|| problem.field.clone(), |role| format!("role {role}"));
        let end = field.find('[').unwrap_or(field.len());
        let given = self.fields.get(&field[..end]).map(|given| format!("{given}{}", &field[end..]));
        let given = given.or_else(|| field.strip_prefix("options.").map(|option| format!("modeConfig.{option}")));
        Problem { field: given.unwrap_or(field), ..problem }
    }
}

struct Reader<'a> {
    mode: &'a Mode,
    read: ModeConfig,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn take(&mut self, name: &str, value: &Value) {
        let field = format!("modeConfig.{name}");
        let known = self.mode.request_names.iter().find(|known| known.name == name);
        match known.map(|known| known.means) {
            Some(Means::Panel) => {
                if let Some(models) = self.models(&field, value) {
                    self.panel(&field, models.into_iter().map(Some).collect());
                }
            }
            Some(Means::Place(seat)) => {
                if let Some(model) = self.text(&field, value, "the name of a model") {
                    let seat = seat as usize;
                    if self.read.panel.len() <= seat {
                        self.read.panel.resize(seat + 1, None);
                    }
                    self.read.panel[seat] = Some(model);
                    self.read.fields.insert("models".into(), field);
                }
            }
            Some(Means::Role(role)) => {
                if let Some(model) = self.text(&field, value, "the name of a model") {
                    self.role(field, role, model);
                }
            }
            Some(Means::Option(option, words)) => {
                let other = |text: &str| words.iter().find(|(theirs, _)| *theirs == text).map(|(_, ours)| Value::from(*ours));
                let value = value.as_str().and_then(other).unwrap_or_else(|| value.clone());
                self.option(field, option, value);
            }
            Some(Means::Content) => self.read.content = self.text(&field, value, "a text").or(self.read.content.take()),
            Some(Means::WrittenFor) => self.read.written_for = self.text(&field, value, "a text").or(self.read.written_for.take()),
            Some(Means::Parts(read)) => match value.as_array() {
                None => self.wrong(&field, value, "a list with an entry for each seat"),
                Some(entries) => match read(&field, entries) {
                    Err(found) => self.problems.extend(found),
                    Ok(parts) => {
                        if parts.models.iter().any(Option::is_some) {
                            self.panel(&field, parts.models);
                        }
                        for (option, value) in parts.options {
                            self.option(field.clone(), option, value);
                        }
                    }
                },
            },
            None if name == TIMEOUT => match value.as_f64().filter(|ms| *ms > 0.0) {
                Some(ms) => {
                    self.read.timeout_secs = Some(ms / 1000.0);
                    self.read.fields.insert("timeout".into(), field);
                }
                None => self.wrong(&field, value, "a number of milliseconds"),
            },
            // An option's own name, or one that nobody knows: the options' schema says which.
            None => self.option(field, name, value.clone()),
        }
    }

    fn wrong(&mut self, field: &str, value: &Value, want: &str) {
        self.problems.push(Problem::new(field, crate::schema::shown(value), want));
    }

    fn text(&mut self, field: &str, value: &Value, want: &str) -> Option<String> {
        let text = value.as_str().filter(|text| !text.trim().is_empty());
        if text.is_none() {
            self.wrong(field, value, want);
        }
        text.map(str::to_owned)
    }

    fn models(&mut self, field: &str, value: &Value) -> Option<Vec<String>> {
        let want = "a list with the names of models";
        let list = value.as_array().filter(|list| !list.is_empty());
        let names = list.and_then(|list| list.iter().map(|name| name.as_str().filter(|name| !name.trim().is_empty()).map(str::to_owned)).collect());
        if names.is_none() {
            self.wrong(field, value, want);
        }
        names
    }

    fn panel(&mut self, field: &str, models: Vec<Option<String>>) {
        if !self.read.panel.is_empty() && self.read.panel != models {
            let before = self.read.fields.get("models").cloned().unwrap_or_default();
            self.problems.push(twice(field, &before));
            return;
        }
        self.read.panel = models;
        self.read.fields.insert("models".into(), field.to_owned());
    }

    fn role(&mut self, field: String, role: &str, model: String) {
        let held = self.mode.roles.iter().find(|known| known.name == role).map(|known| known.held);
        match held {
            Some(RoleHolder::Chair | RoleHolder::ChairApart) => {
                if self.read.chair.as_ref().is_some_and(|chair| *chair != model) {
                    let before = self.read.fields.get("chair").cloned().unwrap_or_default();
                    self.problems.push(twice(&field, &before));
                    return;
                }
                self.read.chair = Some(model);
                self.read.fields.insert("chair".into(), field);
            }
            // Whoever would hold it anyway needs no seat more.
            Some(RoleHolder::Seat(seat)) if self.read.panel.get(seat as usize) == Some(&Some(model.clone())) => {}
            Some(RoleHolder::Seat(_) | RoleHolder::Each) | None => {
                self.read.roles.push((role.to_owned(), model));
                self.read.fields.insert(format!("role {role}"), field);
            }
        }
    }

    fn option(&mut self, field: String, option: &str, value: Value) {
        let place = format!("options.{}", option.replace('-', "_"));
        if let Some(before) = self.read.fields.get(&place) {
            let problem = twice(&field, before);
            self.problems.push(problem);
            return;
        }
        self.read.fields.insert(place, field);
        self.read.options.push((option.to_owned(), OptionValue::json(value)));
    }
}

fn twice(field: &str, before: &str) -> Problem {
    Problem::new(field, format!("given, and {before} says otherwise"), format!("one of {field} and {before}")).code(ProblemCode::Conflict)
}
