//! One request to one seat and what came of it, gathered from its rows.

use serde_json::Value;
use synod_types::{Asked, Failure, Millis, Reading, Replied, Row, Said, SeatIx, SentRequest, ToolRun, Usage, seat_of};

#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    pub key: String,
    pub seat: Option<SeatIx>,
    /// What was asked; `None` for a turn that never was: closed, or copied from a parent run.
    pub asked: Option<Asked>,
    pub tries: Vec<Try>,
    pub outcome: Outcome,
    pub tools: Vec<ToolRun>,
    pub began: Option<Millis>,
    pub ended: Option<Millis>,
}

/// One request that went out. More than one: a crash left an earlier one without a reply, or the turn used tools.
#[derive(Clone, Debug, PartialEq)]
pub struct Try {
    pub sent: SentRequest,
    /// The reply as it came, where the caller had it at hand.
    pub raw: Option<String>,
}

impl Try {
    pub(super) fn is(&self, key: &str, attempt: i64) -> bool {
        self.sent.key == key && self.sent.attempt == attempt
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Running,
    Said(Said),
    Failed(Failure),
}

impl Outcome {
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Said(_) => "said",
            Self::Failed(_) => "failed",
        }
    }
}

impl Turn {
    pub(super) fn new(key: &str) -> Self {
        let seat = seat_of(key);
        Self { key: key.to_owned(), seat, asked: None, tries: Vec::new(), outcome: Outcome::Running, tools: Vec::new(), began: None, ended: None }
    }

    /// Both put one prompt to a seat, the other with no reply yet to a later one.
    pub(super) fn stands_before(&self, other: &Self) -> bool {
        let prompt = |turn: &Self| turn.key.rsplit_once('@').map(|(prompt, _)| prompt.to_owned());
        matches!(other.outcome, Outcome::Running) && !other.answered() && self.seat < other.seat && prompt(self) == prompt(other)
    }

    pub(super) fn asked(&mut self, row: &Row, asked: Asked) {
        self.began.get_or_insert(row.at);
        self.seat = Some(asked.seat);
        if row.key == self.key {
            self.asked = Some(asked);
        }
    }

    /// Takes over requests as the ledger has them now.
    pub(super) fn settle(&mut self, requests: Vec<SentRequest>) {
        for sent in requests {
            match self.tries.iter_mut().find(|each| each.is(&sent.key, sent.attempt)) {
                Some(each) => each.sent = sent,
                None => self.tries.push(Try { sent, raw: None }),
            }
        }
    }

    pub(super) fn ended(&mut self, row: &Row, outcome: Outcome) {
        self.ended = Some(row.at);
        self.outcome = outcome;
    }

    /// The key below its phase: `match 0/ab/judge@4`.
    pub fn name(&self) -> &str {
        self.key.split_once('/').map_or(self.key.as_str(), |(_, rest)| rest)
    }

    pub fn said(&self) -> Option<&Said> {
        match &self.outcome {
            Outcome::Said(said) => Some(said),
            Outcome::Running | Outcome::Failed(_) => None,
        }
    }

    pub fn failure(&self) -> Option<&Failure> {
        match &self.outcome {
            Outcome::Failed(failure) => Some(failure),
            Outcome::Running | Outcome::Said(_) => None,
        }
    }

    /// What was said: free text as it is, a typed reply as its JSON.
    pub fn words(&self) -> Option<String> {
        self.said().map(|said| match &said.value {
            Value::String(text) => text.clone(),
            typed => match typed.to_string() {
                short if short.len() <= 70 => short,
                long => serde_json::to_string_pretty(typed).unwrap_or(long),
            },
        })
    }

    /// True for a reply that has fields rather than prose.
    pub fn typed(&self) -> bool {
        self.said().is_some_and(|said| !said.value.is_string())
    }

    /// How long the provider took, over all tries that were answered.
    pub fn ms(&self) -> Option<Millis> {
        self.replies().map(|replied| replied.ms).reduce(|a, b| a + b)
    }

    pub fn usage(&self) -> Option<Usage> {
        self.replies().filter_map(|replied| replied.usage).reduce(|mut sum, usage| {
            sum += usage;
            sum
        })
    }

    /// What the replies cost; `None` when the price of one of them is unknown, or when there is none.
    pub fn spent_usd(&self) -> Option<f64> {
        self.replies().map(|replied| replied.spent_usd).reduce(|a, b| Some(a? + b?)).flatten()
    }

    /// Set aside for requests that went out and were never answered: they may have been billed. One that was turned away was not.
    pub fn unanswered_usd(&self) -> f64 {
        self.tries.iter().filter(|each| each.sent.unanswered()).filter_map(|each| each.sent.reserved_usd).sum()
    }

    /// The provider would not take the request: nothing can have been billed for it.
    pub fn turned_away(&self) -> bool {
        self.failure().is_some_and(|failure| failure.kind.turned_away())
    }

    /// At least one reply came.
    pub fn answered(&self) -> bool {
        self.replies().next().is_some()
    }

    fn replies(&self) -> impl Iterator<Item = &Replied> {
        self.tries.iter().filter_map(|each| each.sent.replied.as_ref())
    }

    /// What a reader should know about how this turn came to its words.
    pub fn marks(&self) -> Vec<String> {
        let mut marks = Vec::new();
        if let Some(said) = self.said() {
            match said.reading {
                Reading::Plain => {}
                Reading::Mended => marks.push("its JSON was mended".to_owned()),
                Reading::Text => marks.push("read from the plain text form".to_owned()),
                Reading::Repaired => marks.push("read after a repair turn".to_owned()),
                Reading::OffScale => marks.push("a number off its scale was not counted".to_owned()),
            }
            if said.partial {
                marks.push("cut off at the token limit".to_owned());
            }
            if let Some(from) = &said.from {
                marks.push(format!("copied from run {from} at no cost"));
            }
        }
        if self.asked.as_ref().is_some_and(|asked| asked.extra) {
            marks.push("extra".to_owned());
        }
        let again = |suffix: &str| self.tries.iter().any(|each| each.sent.key.ends_with(suffix));
        if again("/room") {
            marks.push("asked again with more room to think".to_owned());
        }
        if again("/effort") {
            marks.push("asked again for less thought".to_owned());
        }
        let changed: Vec<&str> = self.replies().flat_map(|replied| &replied.changed).map(String::as_str).collect();
        if !changed.is_empty() {
            marks.push(format!("sent otherwise than asked: {}", changed.join(", ")));
        }
        if self.tries.iter().any(|each| each.sent.reasked) {
            marks.push("asked again after a crash".to_owned());
        }
        marks
    }
}
