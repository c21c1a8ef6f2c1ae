//! What a user may set, and what follows from it for each round.

use super::style::Style;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use synod_math::debate::exits::MOST_ROUNDS;
use synod_types::{Problem, words};

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The manner of the debate.
    #[schemars(schema_with = "styles")]
    pub style: String,
    /// Stop after this many rounds. Rounds of objections are not counted.
    #[schemars(range(min = 1, max = 6))]
    pub rounds: u32,
    /// A question within the question, for every round from the first.
    #[schemars(length(max = 2000))]
    pub focus_question: String,
    /// Stop early when the panel agrees or stops moving.
    pub exit_on_consensus: bool,
    /// When the panel agrees too soon: act makes it object to itself, record only says so.
    pub groupthink: Groupthink,
    /// Perspectives for an expert panel, "name" or "name: description", dealt round. Without them some are found for the question.
    #[schemars(length(max = 10))]
    pub perspectives: Vec<String>,
    /// What is at stake. Any of these adds a check on scope, approval and the way back.
    pub high_stakes: Vec<HighStakes>,
    /// Who will read it. A vulnerable audience calls in a safety evaluator for the whole run.
    pub audience: Audience,
    /// How the debate was taken further than it had gone; written when a finished run is continued.
    #[schemars(length(max = 5))]
    pub continued: Vec<Continuation>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Groupthink {
    #[default]
    Act,
    Record,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    #[default]
    General,
    Vulnerable,
}

words! {
    pub enum HighStakes {
        SecurityAbuse = "security_abuse",
        MedicalLegal = "medical_legal",
        AgenticExecution = "agentic_execution",
        SafetyCritical = "safety_critical",
    }
}

impl HighStakes {
    pub fn words(self) -> &'static str {
        match self {
            Self::SecurityAbuse => "security or abuse",
            Self::MedicalLegal => "medical or legal consequences",
            Self::AgenticExecution => "actions with effects in the world",
            Self::SafetyCritical => "safety-critical systems",
        }
    }
}

/// One time a finished debate was taken further.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Continuation {
    /// The round after which it had ended.
    pub after: u32,
    /// The focus question from then on; empty keeps the one before.
    #[schemars(length(max = 2000))]
    pub focus_question: String,
    /// What the seats asked to know, told to all of them from then on.
    #[schemars(length(max = 4000))]
    pub context: String,
    /// Seats whose open BLOCKER a person overrules from then on, by the names shown: "S2", "S2, S3" or "all".
    #[schemars(length(max = 200))]
    pub resolves: String,
}

/// Whose blockers a person overrules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolved {
    All,
    /// Names of seats, such as `S2`.
    Seats(Vec<String>),
}

impl Continuation {
    /// `None` where nothing is resolved; an error is what no seat can be called.
    fn resolved(&self) -> Result<Option<Resolved>, &str> {
        let is_name = |part: &str| part.strip_prefix(['S', 's', 'P', 'p']).is_some_and(|n| n.parse::<u32>().is_ok());
        let mut names = Vec::new();
        for part in self.resolves.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            // As it is shown, with its model, it is the same seat.
            let name = part.split(" (").next().unwrap_or(part);
            match name {
                all if all.eq_ignore_ascii_case("all") => return Ok(Some(Resolved::All)),
                name if is_name(name) => names.push(name.to_uppercase()),
                _ => return Err(part),
            }
        }
        Ok(Some(names).filter(|names| !names.is_empty()).map(Resolved::Seats))
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            style: "collaborative".into(),
            rounds: 5,
            focus_question: String::new(),
            exit_on_consensus: true,
            groupthink: Groupthink::Act,
            perspectives: Vec::new(),
            high_stakes: Vec::new(),
            audience: Audience::General,
            continued: Vec::new(),
        }
    }
}

fn styles(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "enum": Style::ids()})
}

impl Options {
    pub(super) fn check(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut wrong = |field: &str, got: String, want: &str| problems.push(Problem::new(format!("options.{field}"), got, want));
        let of_panel = Style::find(&self.style).is_some_and(|style| style.perspectives);
        if !of_panel && !self.perspectives.is_empty() {
            wrong("perspectives", format!("{} with the style {}", self.perspectives.len(), self.style), "the style expert-panel, or no perspectives");
        }
        if self.perspectives.iter().any(|one| one.split(':').next().is_none_or(|name| name.trim().is_empty())) {
            wrong("perspectives", "one without a name".into(), "\"name\" or \"name: description\"");
        }
        let mut last = 0;
        for entry in &self.continued {
            if entry.after <= last || entry.after >= MOST_ROUNDS {
                let want = format!("a round after {last} and before {MOST_ROUNDS}: a debate has at most {MOST_ROUNDS} rounds");
                wrong("continued", format!("after round {}", entry.after), &want);
            }
            last = entry.after;
            if let Err(part) = entry.resolved() {
                wrong("continued", format!("resolves {part}"), "seats by the names shown, such as S2 or S2,S3; or all");
            }
        }
        for (field, text, most) in
            self.continued.iter().flat_map(|entry| [("focus_question", &entry.focus_question, 2_000), ("context", &entry.context, 4_000)])
        {
            let length = text.chars().count();
            if length > most {
                wrong("continued", format!("{field} of {length} characters"), &format!("at most {most} characters"));
            }
        }
        problems
    }

    pub(super) fn finds_perspectives(&self) -> bool {
        self.perspectives.is_empty() && Style::find(&self.style).is_some_and(|style| style.perspectives)
    }

    /// The limit of rounds as it was when this round began: a later continuation does not change it.
    pub(super) fn limit_at(&self, round: u32) -> u32 {
        let grown = self.continued.iter().filter(|entry| entry.after < round).map(|entry| entry.after + 1);
        grown.max().unwrap_or(0).max(self.rounds).min(MOST_ROUNDS)
    }

    pub(super) fn most_rounds(&self) -> u32 {
        self.limit_at(MOST_ROUNDS)
    }

    /// Whether the debate was taken further after this round, so that it does not end there.
    pub(super) fn goes_on_after(&self, round: u32) -> bool {
        self.continued.iter().any(|entry| entry.after == round)
    }

    pub(super) fn focus_at(&self, round: u32) -> String {
        let later = self.continued.iter().rfind(|entry| entry.after < round && !entry.focus_question.trim().is_empty());
        later.map_or(&self.focus_question, |entry| &entry.focus_question).trim().to_owned()
    }

    /// What was added to the question before this round, the oldest first.
    pub(super) fn context_at(&self, round: u32) -> Vec<&str> {
        let earlier = self.continued.iter().filter(|entry| entry.after < round);
        earlier.map(|entry| entry.context.trim()).filter(|text| !text.is_empty()).collect()
    }

    /// Whose blockers are overruled before this round.
    pub(super) fn resolved_before(&self, round: u32) -> Option<Resolved> {
        self.continued.iter().find(|entry| entry.after + 1 == round)?.resolved().ok()?
    }

    /// What a person gave beside the question, and from which round on, a line each.
    pub(super) fn additions(&self) -> Vec<String> {
        let from = |round: u32, name: &str, text: &str| {
            let text = text.trim();
            (!text.is_empty()).then(|| format!("{name} from round {round} on: {text}"))
        };
        let first = from(1, "Focus", &self.focus_question);
        let later = self.continued.iter().flat_map(|entry| {
            let round = entry.after + 1;
            [from(round, "Focus", &entry.focus_question), from(round, "Context", &entry.context), from(round, "BLOCKER overruled", &entry.resolves)]
        });
        first.into_iter().chain(later.flatten()).collect()
    }

    /// Every focus question and every addition there will be.
    pub(super) fn every_addition(&self) -> impl Iterator<Item = &str> {
        let later = self.continued.iter().flat_map(|entry| [&entry.focus_question, &entry.context]);
        [&self.focus_question].into_iter().chain(later).map(|text| text.trim()).filter(|text| !text.is_empty())
    }

    /// The focus questions and additions that begin with this round.
    pub(super) fn additions_from(&self, round: u32) -> impl Iterator<Item = &str> {
        let given = (round == 1).then_some(&self.focus_question);
        let later = self.continued.iter().filter(move |entry| entry.after + 1 == round).flat_map(|entry| [&entry.focus_question, &entry.context]);
        given.into_iter().chain(later).map(|text| text.trim()).filter(|text| !text.is_empty())
    }
}
