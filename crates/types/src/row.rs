//! Journal rows, the hash chain over them, and the events they become.

use crate::{Asking, Effort, Exhibit, Failure, Finish, Header, Limits, Millis, PersonAnswer, SeatIx, Stopped, Tier, Usage, Verdict};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use sha2::{Digest, Sha256};

pub type Hash = [u8; 32];

/// A row as stored. The journal is the only truth about a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub run: String,
    /// 1, 2, 3, … without gaps.
    pub seq: i64,
    pub epoch: i64,
    /// A path of scopes, a name and a seat: `round 2/match 0/ab/judge@4`. Empty for rows about the run as a whole.
    pub key: String,
    pub kind: Kind,
    pub attempt: i64,
    pub at: Millis,
    /// Digest of the request (`asked`, `said`, `failed`) or of what was shown.
    pub digest: Option<String>,
    /// JSON, hashed and compared as bytes.
    pub body: String,
    pub hash: Hash,
}

/// A row before it has a place in the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRow {
    pub key: String,
    pub kind: Kind,
    pub attempt: i64,
    pub at: Millis,
    pub digest: Option<String>,
    pub body: String,
    /// The raw reply behind a `replied` row, kept apart under its own retention. Its SHA-256 is in the body.
    pub raw: Option<String>,
}

impl NewRow {
    pub fn new(key: impl Into<String>, kind: Kind, at: Millis, body: &impl Serialize) -> Self {
        let body = crate::json_text(body).unwrap_or_else(|error| format!("{{\"unserialisable\":{:?}}}", error.to_string()));
        Self { key: key.into(), kind, attempt: 0, at, digest: None, body, raw: None }
    }
    pub fn attempt(mut self, attempt: i64) -> Self {
        self.attempt = attempt;
        self
    }
    pub fn digest(mut self, digest: impl Into<String>) -> Self {
        self.digest = Some(digest.into());
        self
    }
    pub fn raw(mut self, raw: String) -> Self {
        self.raw = Some(raw);
        self
    }

    /// Gives the row its place: number, epoch and hash.
    pub fn seal(self, run: &str, seq: i64, epoch: i64, previous: &Hash) -> Row {
        let mut row = Row {
            run: run.to_owned(),
            seq,
            epoch,
            key: self.key,
            kind: self.kind,
            attempt: self.attempt,
            at: self.at,
            digest: self.digest,
            body: self.body,
            hash: [0; 32],
        };
        row.hash = row.link(previous);
        row
    }
}

impl Row {
    /// The hash this row must have after `previous`. Text is length-prefixed, so no two rows share an encoding.
    pub fn link(&self, previous: &Hash) -> Hash {
        fn text(hasher: &mut Sha256, bytes: &[u8]) {
            hasher.update((bytes.len() as u64).to_be_bytes());
            hasher.update(bytes);
        }
        let mut hasher = Sha256::new();
        hasher.update(previous);
        text(&mut hasher, self.run.as_bytes());
        hasher.update(self.seq.to_be_bytes());
        hasher.update(self.epoch.to_be_bytes());
        text(&mut hasher, self.key.as_bytes());
        text(&mut hasher, self.kind.as_str().as_bytes());
        hasher.update(self.attempt.to_be_bytes());
        hasher.update(self.at.to_be_bytes());
        match &self.digest {
            None => hasher.update([0]),
            Some(digest) => {
                hasher.update([1]);
                text(&mut hasher, digest.as_bytes());
            }
        }
        text(&mut hasher, self.body.as_bytes());
        hasher.finalize().into()
    }

    pub fn read<T: DeserializeOwned>(&self) -> Result<T, UnreadableRow> {
        serde_json::from_str(&self.body).map_err(|error| UnreadableRow { seq: self.seq, kind: self.kind, error: error.to_string() })
    }

    /// The seat of a turn's key: `vote@2` is seat 2, `vote@2/repair` too.
    pub fn seat(&self) -> Option<SeatIx> {
        seat_of(&self.key)
    }
}

/// The seat named in a key, if any.
pub fn seat_of(key: &str) -> Option<SeatIx> {
    key.split('/').rev().find_map(|part| part.rsplit_once('@')).and_then(|(_, seat)| seat.parse().ok())
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("row {seq} ({}) cannot be read: {error}", kind.as_str())]
pub struct UnreadableRow {
    pub seq: i64,
    pub kind: Kind,
    pub error: String,
}

words! {
    #[derive(Hash, PartialOrd, Ord)]
    pub enum Kind {
        Header = "header",
        Phase = "phase",
        PhaseEnd = "phase_end",
        Asked = "asked",
        Replied = "replied",
        Said = "said",
        Failed = "failed",
        Tool = "tool",
        Shown = "shown",
        Figure = "figure",
        Warning = "warning",
        Waiting = "waiting",
        Answered = "answered",
        Closing = "closing",
        Stopped = "stopped",
        Resumed = "resumed",
        Title = "title",
        Verdict = "verdict",
    }
}

/// Body of `asked`: what was about to be sent, and the most it could cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    pub seat: SeatIx,
    pub model: String,
    pub prompt: String,
    pub tier: Tier,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    pub max_tokens: u32,
    /// The limit that was sent: `max_tokens`, and room to think. Absent in rows older than this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent_tokens: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// `None`: the model's price is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserved_usd: Option<f64>,
    #[serde(default, skip_serializing_if = "crate::is_false")]
    pub extra: bool,
    /// An earlier try was left without a reply by a crash: it may have been billed.
    #[serde(default, skip_serializing_if = "crate::is_false")]
    pub reasked: bool,
}

/// Body of `replied`: that a reply came, and what it cost. The reply itself is kept apart, under `raw_sha256`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replied {
    pub raw_sha256: String,
    pub finish: Finish,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent_usd: Option<f64>,
    pub ms: Millis,
    /// What the provider refused of the request, and what was sent instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    /// What the provider said of it, where our own count stands in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed: Option<Claimed>,
    /// It went on beyond twice what it was allowed, and was cut there.
    #[serde(default, skip_serializing_if = "crate::is_false")]
    pub overran: bool,
}

/// What a provider says a reply took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claimed {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// Body of `said`: what the turn came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Said {
    /// Free text, or the JSON value of a typed reply.
    #[serde(serialize_with = "crate::long_texts")]
    pub value: Value,
    #[serde(default, skip_serializing_if = "Reading::is_plain")]
    pub reading: Reading,
    /// Cut at the token limit, and the prompt allows it.
    #[serde(default, skip_serializing_if = "crate::is_false")]
    pub partial: bool,
    /// Copied from this run, at no cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// How long its model took, over all requests of the turn. Absent for built-in voices, which take no time of anybody's, and in older rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<Millis>,
}

/// How a typed reply was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// As asked: free text, or a JSON value that fits the schema.
    #[default]
    Plain,
    /// JSON that had to be mended first.
    Mended,
    /// The classic text form.
    Text,
    /// Only after the repair turn.
    Repaired,
    /// With a number off its scale, also after the repair turn: that number counts as none.
    OffScale,
}

impl Reading {
    fn is_plain(&self) -> bool {
        *self == Self::Plain
    }
}

/// Body of `failed`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailedTurn {
    #[serde(flatten)]
    pub failure: Failure,
}

/// Body of `tool`: one call of a tool loop and what it returned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolRun {
    pub name: String,
    pub input: Value,
    pub output: String,
    #[serde(default, skip_serializing_if = "crate::is_false")]
    pub error: bool,
    /// When it was called; 0 in rows older than this field.
    #[serde(default)]
    pub at: Millis,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseMark {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n: Option<u32>,
}

/// Body of `shown`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// The stored row's `stage_type`.
    pub stage: String,
    pub exhibit: Exhibit,
}

/// Body of `figure`: a number worth following over time. Which there are, a mode declares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    pub name: String,
    /// What it is about, where the same is counted of several: a verdict, a severity, a dimension.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Whose it is, where it is one seat's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<SeatIx>,
    pub value: f64,
    /// Out of how many, where it is a part of something: two of three matches. Otherwise it is one observation.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub of: f64,
}

impl Figure {
    pub fn new(name: impl Into<String>, value: f64) -> Self {
        Self { name: name.into(), label: None, seat: None, value, of: 1.0 }
    }
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }
    pub fn seat(mut self, seat: SeatIx) -> Self {
        self.seat = Some(seat);
        self
    }
    pub fn of(mut self, of: f64) -> Self {
        self.of = of;
        self
    }
}

fn one() -> f64 {
    1.0
}

fn is_one(value: &f64) -> bool {
    *value == 1.0
}

/// Body of `title`: what the conversation is called that begins with this run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Title {
    pub title: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlainText {
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Closing {
    /// `deadline` or `asked`.
    pub reason: String,
}

impl Closing {
    /// What the reader of the verdict is told.
    pub fn plain(&self) -> String {
        let why = match self.reason.as_str() {
            "deadline" => "met its deadline",
            "asked" => "was asked to conclude",
            _ => "was closed early",
        };
        format!("The run {why}: it began nothing new and concluded with what it had.")
    }
}

/// Body of `resumed`: only limits may change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resumed {
    pub limits: Limits,
    pub binary: String,
}

/// A row's body by its kind, for readers that take rows as they come.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    Header(Box<Header>),
    Phase(PhaseMark),
    PhaseEnd(PhaseMark),
    Asked(Asked),
    Replied(Replied),
    Said(Said),
    Failed(FailedTurn),
    Tool(ToolRun),
    Shown(Box<Shown>),
    Figure(Figure),
    Warning(PlainText),
    Waiting(Asking),
    Answered(PersonAnswer),
    Closing(Closing),
    Stopped(Stopped),
    Resumed(Resumed),
    Title(Title),
    Verdict(Box<Verdict>),
}

impl Row {
    pub fn body(&self) -> Result<Body, UnreadableRow> {
        Ok(match self.kind {
            Kind::Header => Body::Header(self.read()?),
            Kind::Phase => Body::Phase(self.read()?),
            Kind::PhaseEnd => Body::PhaseEnd(self.read()?),
            Kind::Asked => Body::Asked(self.read()?),
            Kind::Replied => Body::Replied(self.read()?),
            Kind::Said => Body::Said(self.read()?),
            Kind::Failed => Body::Failed(self.read()?),
            Kind::Tool => Body::Tool(self.read()?),
            Kind::Shown => Body::Shown(self.read()?),
            Kind::Figure => Body::Figure(self.read()?),
            Kind::Warning => Body::Warning(self.read()?),
            Kind::Waiting => Body::Waiting(self.read()?),
            Kind::Answered => Body::Answered(self.read()?),
            Kind::Closing => Body::Closing(self.read()?),
            Kind::Stopped => Body::Stopped(self.read()?),
            Kind::Resumed => Body::Resumed(self.read()?),
            Kind::Title => Body::Title(self.read()?),
            Kind::Verdict => Body::Verdict(self.read()?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(key: &str, body: &str) -> Row {
        NewRow { key: key.into(), kind: Kind::Said, attempt: 0, at: 5, digest: None, body: body.into(), raw: None }.seal("r", 1, 1, &[0; 32])
    }

    #[test]
    fn a_hash_depends_on_every_field_and_on_where_one_ends() {
        assert_ne!(row("ab", "c").hash, row("a", "bc").hash);
        assert_ne!(row("a", "b").hash, row("a", "c").hash);
        let mut other = row("a", "b");
        other.digest = Some(String::new());
        assert_ne!(other.link(&[0; 32]), row("a", "b").hash);
        assert_ne!(row("a", "b").link(&[1; 32]), row("a", "b").hash);
    }

    #[test]
    fn the_seat_is_read_from_the_key_also_below_it() {
        assert_eq!(seat_of("round 2/match 0/ab/judge@4"), Some(4));
        assert_eq!(seat_of("collect/answer@2/repair"), Some(2));
        assert_eq!(seat_of("collect"), None);
    }

    #[test]
    fn kinds_read_back_as_they_are_written() {
        for kind in [Kind::Header, Kind::PhaseEnd, Kind::Answered, Kind::Verdict] {
            assert_eq!(Kind::parse(kind.as_str()), Some(kind));
        }
        assert_eq!(Kind::parse("nonsense"), None);
    }
}
