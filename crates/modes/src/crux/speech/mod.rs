//! What personas say: all are asked at once, stock openings are removed, and whoever used phrases the persona never uses is asked once more.
//! `names` tells whom a name in a reply means.

pub mod names;
pub mod stock_phrases;

use super::persona::Cast;
use super::rows::SpeechData;
use crate::attendance;
use stock_phrases::{phrases_used, remove_stock_phrases};
use synod_engine::{Bench, Prompt, ReplyFormat, Result, SeatFailure, SeatReply};
use synod_types::{Exhibit, SeatIx, Shape, Statement};

/// A reply in which the persona's own forbidden phrases occur at least so many times in all is asked for again.
const TOO_MANY: usize = 2;
const NOTHING_LEFT: &str = "nothing was left of what it said once stock phrases were taken out";

/// A reply that holds what a persona says aloud.
pub trait Utterance: ReplyFormat + Clone {
    fn aloud(&self) -> &str;
    /// The name of whom it answers, as the model wrote it.
    fn replying_to(&self) -> Option<&str> {
        None
    }
    /// Why it is said, where that was asked for.
    fn reasons(&self) -> &str {
        ""
    }
}

impl Utterance for String {
    fn aloud(&self) -> &str {
        self
    }
}

/// What one persona said, as the others hear it.
#[derive(Clone, Debug)]
pub struct Speech {
    pub seat: SeatIx,
    pub key: String,
    pub text: String,
    pub replying_to: Option<String>,
    /// Why this one is answered; empty where nobody is.
    pub reasons: String,
    /// Families of stock openings taken out.
    pub removed: Vec<&'static str>,
    /// Own forbidden phrases that stayed in.
    pub forbidden: Vec<String>,
}

impl Speech {
    /// The statement as it is shown, under its message's id.
    pub fn exhibit(&self, title: impl Into<String>, id: &str, reply_to: Option<&str>) -> Exhibit {
        let statement = Statement { label: Some(id.to_owned()), text: Some(self.text.clone()), reply_to: reply_to.map(str::to_owned) };
        Exhibit::new(title, Shape::Statement(statement)).by(self.seat, "persona").turn(&self.key).part("Why this one", &self.reasons)
    }

    /// The part of its stored row that every message has.
    pub fn data(&self, id: &str) -> SpeechData {
        SpeechData {
            id: Some(id.to_owned()),
            content: self.text.clone(),
            stock_phrases_removed: self.removed.clone(),
            forbidden_phrases: self.forbidden.clone(),
            error: None,
        }
    }
}

/// A persona that was asked and said nothing the others could hear.
#[derive(Clone, Debug)]
pub struct Silence {
    pub seat: SeatIx,
    key: String,
    /// `None`: its reply held nothing but stock phrases.
    failed: Option<SeatFailure>,
}

impl Silence {
    pub fn exhibit(&self, title: impl Into<String>) -> Exhibit {
        attendance::absence(title, self.seat, "persona", self.failed.as_ref(), "said nothing but stock phrases").turn(&self.key)
    }

    pub fn data(&self) -> SpeechData {
        let error = self.failed.as_ref().map_or_else(|| NOTHING_LEFT.to_owned(), |failed| failed.failure.to_string());
        SpeechData { id: None, content: String::new(), stock_phrases_removed: Vec::new(), forbidden_phrases: Vec::new(), error: Some(error) }
    }
}

/// What came of one step, in seat order, and whether the run was closing.
#[derive(Clone, Debug, Default)]
pub struct Speeches {
    pub list: Vec<Speech>,
    pub silent: Vec<Silence>,
    pub closed: bool,
}

/// Asks these seats, each as its persona. Who fails, or says nothing but stock phrases, is silent in this step.
pub async fn speak<T: Utterance>(
    phase: &Bench,
    cast: &Cast,
    seats: &[SeatIx],
    prompt: &(dyn Fn(SeatIx) -> Prompt + Send + Sync),
) -> Result<Speeches> {
    let nothing: &[&str] = &[];
    let as_persona =
        |seat: SeatIx, avoid: &[&str]| prompt(seat).set("persona", cast.prompt(seat)).set("avoid", avoid).fill("saying", cast.sayings(seat));
    let first = phase.ask_each::<T>(seats, &|seat| as_persona(seat, nothing)).await?;
    let mut closed = first.closed();
    let with_phrases = |reply: SeatReply<T>| {
        let phrases = phrases_used(reply.value.aloud(), cast.never(reply.seat));
        (reply, phrases)
    };
    let mut replies: Vec<(SeatReply<T>, Vec<&str>)> = first.replies.into_iter().map(with_phrases).collect();

    let again: Vec<SeatIx> = replies.iter().filter(|(_, phrases)| phrases.len() >= TOO_MANY).map(|(reply, _)| reply.seat).collect();
    if !again.is_empty() {
        let used_by = |seat: SeatIx| replies.iter().find(|(reply, _)| reply.seat == seat).map(|(_, phrases)| phrases.as_slice()).unwrap_or_default();
        let second = phase.at("again").ask_each::<T>(&again, &|seat| as_persona(seat, &without_repeats(used_by(seat))).extra().optional()).await?;
        closed |= second.closed();
        for (reply, phrases) in second.replies.into_iter().map(with_phrases) {
            // The second reply counts only if it uses fewer of the phrases than the first.
            if let Some(first) = replies.iter_mut().find(|(first, before)| first.seat == reply.seat && phrases.len() < before.len()) {
                *first = (reply, phrases);
            }
        }
    }

    let mut list = Vec::new();
    let mut silent: Vec<Silence> =
        first.failures.into_iter().map(|failed| Silence { seat: failed.seat, key: failed.key.clone(), failed: Some(failed) }).collect();
    for (reply, phrases) in replies {
        let words = if reply.partial { whole_sentences(reply.value.aloud()) } else { reply.value.aloud() };
        let filtered = remove_stock_phrases(words);
        match filtered.text {
            Some(text) => list.push(Speech {
                seat: reply.seat,
                key: reply.key,
                text,
                replying_to: reply.value.replying_to().map(str::to_owned),
                reasons: reply.value.reasons().trim().to_owned(),
                removed: filtered.removed,
                forbidden: without_repeats(&phrases).into_iter().map(str::to_owned).collect(),
            }),
            None => {
                phase.abstained(reply.seat, NOTHING_LEFT);
                silent.push(Silence { seat: reply.seat, key: reply.key, failed: None });
            }
        }
    }
    silent.sort_by_key(|silence| silence.seat);
    Ok(Speeches { list, silent, closed })
}

fn without_repeats<'a>(phrases: &[&'a str]) -> Vec<&'a str> {
    let mut once: Vec<&str> = Vec::new();
    for phrase in phrases {
        if !once.contains(phrase) {
            once.push(phrase);
        }
    }
    once
}

/// A text cut at its token limit, up to its last whole sentence; all of it if no sentence is whole. The point in a number does not end a sentence.
pub fn whole_sentences(text: &str) -> &str {
    let ends = |(at, mark): &(usize, &str)| text[at + mark.len()..].chars().next().is_none_or(|c| !c.is_alphanumeric());
    text.rmatch_indices(['.', '?', '!', '…']).find(ends).map_or(text, |(at, mark)| &text[..at + mark.len()])
}

#[cfg(test)]
mod tests;
