//! Personas asked side by side: their words cleaned of stock phrases, said again once where they used phrases they never use.

use super::filter;
use super::persona::Cast;
use super::rows::SpeechData;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{Bench, IdLists, Prompt, ReplyFormat, Result, SeatReply, TypedReply};
use synod_types::{Exhibit, RowData, SeatIx, Shape, Statement};

/// A text in which a persona's own forbidden phrases stand so many times, one or several, is said again.
const TOO_MANY: usize = 2;

/// Something said aloud.
pub trait Utterance: ReplyFormat + Clone {
    fn aloud(&self) -> &str;
    fn replying_to(&self) -> Option<&str> {
        None
    }
}

impl Utterance for String {
    fn aloud(&self) -> &str {
        self
    }
}

/// A reaction to one of the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reaction {
    /// In a few words: why this one.
    pub reasons: String,
    /// Whom you answer; null if nobody in particular.
    #[serde(default)]
    #[schemars(extend("x-loose" = "names"))]
    pub replying_to: Option<String>,
    /// What you say aloud.
    pub utterance: String,
}

impl TypedReply for Reaction {
    /// What is said, then a last line `REPLYING TO: name`.
    fn from_text(text: &str, _: &IdLists) -> Option<Self> {
        let (before, rest) = crate::text::after_last_marker(text, "REPLYING TO:")?;
        let name = rest.lines().next().map(|line| crate::text::bare(line).to_owned()).filter(|name| !name.is_empty());
        Some(Self { reasons: String::new(), replying_to: name, utterance: before.trim().to_owned() })
    }

    fn check(&self, _: &IdLists) -> Result<(), String> {
        if self.utterance.trim().is_empty() { Err("`utterance` is empty; put what you say aloud into it".into()) } else { Ok(()) }
    }
}

impl Utterance for Reaction {
    fn aloud(&self) -> &str {
        &self.utterance
    }
    fn replying_to(&self) -> Option<&str> {
        self.replying_to.as_deref()
    }
}

/// One persona's words as the others hear them.
#[derive(Clone, Debug)]
pub struct Spoken {
    pub seat: SeatIx,
    pub key: String,
    pub text: String,
    pub replying_to: Option<String>,
    /// Families of stock phrases taken out.
    pub removed: Vec<&'static str>,
    /// Own forbidden phrases that stayed in.
    pub forbidden: Vec<String>,
}

impl Spoken {
    /// The statement as it is shown, under its message's id.
    pub fn exhibit(&self, title: impl Into<String>, id: &str, reply_to: Option<&str>, row: &impl RowData) -> Exhibit {
        let statement =
            Statement { label: Some(id.to_owned()), text: Some(self.text.clone()), reply_to: reply_to.map(str::to_owned), ..Statement::default() };
        Exhibit::new(title, Shape::Statement(statement)).by(self.seat, "persona").turn(&self.key).data(row)
    }

    pub fn data(&self, id: &str) -> SpeechData {
        SpeechData {
            id: id.to_owned(),
            content: self.text.clone(),
            stock_phrases_removed: self.removed.clone(),
            forbidden_phrases: self.forbidden.clone(),
        }
    }
}

/// What came of a step: who spoke, in seat order, and whether the run was closing.
#[derive(Clone, Debug, Default)]
pub struct Voiced {
    pub said: Vec<Spoken>,
    pub closed: bool,
}

/// Asks these seats, each as its persona. Who fails, or has too little left to say, is left out of this step.
pub async fn speak<T: Utterance>(stage: &Bench, cast: &Cast, seats: &[SeatIx], prompt: &(dyn Fn(SeatIx) -> Prompt + Send + Sync)) -> Result<Voiced> {
    let nothing: &[&str] = &[];
    let as_persona =
        |seat: SeatIx, avoid: &[&str]| prompt(seat).set("persona", cast.prompt(seat)).set("avoid", avoid).fill("saying", cast.sayings(seat));
    let given = stage.ask_each::<T>(seats, &|seat| as_persona(seat, nothing)).await?;
    let mut closed = given.closed();
    let mut heard: Vec<(SeatReply<T>, Vec<&str>)> = given
        .replies
        .into_iter()
        .map(|given| {
            let hits = filter::uses(given.value.aloud(), cast.never(given.seat));
            (given, hits)
        })
        .collect();

    let again: Vec<SeatIx> = heard.iter().filter(|(_, hits)| hits.len() >= TOO_MANY).map(|(given, _)| given.seat).collect();
    if !again.is_empty() {
        let hits_of = |seat: SeatIx| heard.iter().find(|(given, _)| given.seat == seat).map(|(_, hits)| hits.as_slice()).unwrap_or_default();
        let second = stage.at("again").ask_each::<T>(&again, &|seat| as_persona(seat, &each_once(hits_of(seat))).optional()).await?;
        closed |= second.closed();
        for given in second.replies {
            let hits = filter::uses(given.value.aloud(), cast.never(given.seat));
            // The first words stand unless the second ones are better.
            if let Some(first) = heard.iter_mut().find(|(first, before)| first.seat == given.seat && hits.len() < before.len()) {
                *first = (given, hits);
            }
        }
    }

    let mut said = Vec::new();
    for (given, hits) in heard {
        let words = if given.partial { whole_sentences(given.value.aloud()) } else { given.value.aloud() };
        let cleaned = filter::clean(words);
        match cleaned.text {
            Some(text) => said.push(Spoken {
                seat: given.seat,
                key: given.key,
                text,
                replying_to: given.value.replying_to().map(str::to_owned),
                removed: cleaned.removed,
                forbidden: each_once(&hits).into_iter().map(str::to_owned).collect(),
            }),
            None => stage.abstained(given.seat, "too little was left of what it said once stock phrases were taken out"),
        }
    }
    Ok(Voiced { said, closed })
}

fn each_once<'a>(phrases: &[&'a str]) -> Vec<&'a str> {
    let mut once: Vec<&str> = Vec::new();
    phrases.iter().for_each(|phrase| {
        if !once.contains(phrase) {
            once.push(phrase)
        }
    });
    once
}

/// A text cut at its limit, up to its last whole sentence; all of it where not even one is whole. The point in a number ends none.
pub fn whole_sentences(text: &str) -> &str {
    let ends = |(at, mark): &(usize, &str)| text[at + mark.len()..].chars().next().is_none_or(|c| !c.is_alphanumeric());
    text.rmatch_indices(['.', '?', '!', '…']).find(ends).map_or(text, |(at, mark)| &text[..at + mark.len()])
}
