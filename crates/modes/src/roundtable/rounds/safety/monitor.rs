//! The first tier, and the words that raise the second: what the phrases in a text come to.

use super::lexicon::{Harm, Hit, Lexicon, Mark, Token, tokens};
use super::watch::{SafetyTrigger, TriggerCategory};
use std::collections::BTreeMap;

/// Words from the asking to the end of the harm.
const REACH: usize = 10;
/// Words between an act and what it is done to.
const APART: usize = 5;
/// Words after a recipe or a command in which the thing must be named.
const NEAR: usize = 5;
/// Words after a thing that may make it part of a defence, and before the asking that may make it somebody else's.
const AFTER: usize = 2;
const BEFORE: usize = 3;
/// What a subject's words must come to: a sure one is 2, a hint 1.
const IN_QUESTION: usize = 2;
const IN_MATERIAL: usize = 4;
/// With fewer words no language is told; with fewer small words than one in so many, it is none of ours.
const LEAST_WORDS: usize = 6;
const SMALL_WORDS: usize = 6;
pub const INSTEAD: &str = "ask how it is prevented, noticed or repaired";

/// Whose words they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source<'a> {
    /// Of the question or a focus question.
    Question,
    /// Of what came with the question, under this name.
    Material(&'a str),
    /// Of the debate itself. Its subject is the question's, so only hints at harm are looked for.
    Said,
}

struct Text {
    tokens: Vec<Token>,
    hits: Vec<Vec<Hit>>,
}

/// Tier 1: a text that asks for harm, or gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HarmFound {
    pub reason: String,
    /// What whoever asked may do instead.
    pub instead: &'static str,
}

/// Tier 1: why a text may not be passed on.
pub fn find_harm(text: &str) -> Option<HarmFound> {
    Text::new(text).request_to_harm()
}

/// Tier 2: what in a text calls for an evaluator.
pub fn triggers(text: &str, source: Source) -> Vec<SafetyTrigger> {
    triggers_in(&Text::new(text), source)
}

/// Both tiers of what was said in the debate.
pub fn monitor(text: &str) -> (Vec<SafetyTrigger>, Option<HarmFound>) {
    let text = Text::new(text);
    (triggers_in(&text, Source::Said), text.request_to_harm())
}

fn triggers_in(text: &Text, source: Source) -> Vec<SafetyTrigger> {
    let mut found: Vec<SafetyTrigger> =
        text.phrases(Mark::Intent).map(|said| trigger(TriggerCategory::Intent, format!("{said:?} was said"))).collect();
    let (name, least) = match source {
        Source::Said => return found,
        Source::Question => ("the question".to_owned(), IN_QUESTION),
        Source::Material(name) => (name.to_owned(), IN_MATERIAL),
    };
    found.extend(text.topics(least).map(|(about, word)| trigger(TriggerCategory::Topic, format!("{name} is about {about} ({word:?})"))));
    if source == Source::Question {
        let crisis = text.phrases(Mark::Crisis).next();
        found.extend(crisis.map(|said| trigger(TriggerCategory::Context, format!("whoever asks may not be safe ({said:?})"))));
        let unknown = text.unknown_language();
        found.extend(unknown.then(|| trigger(TriggerCategory::Topic, "the question is in a language without patterns of its own".into())));
    }
    found.dedup();
    found
}

fn trigger(category: TriggerCategory, reason: String) -> SafetyTrigger {
    SafetyTrigger { category, reason }
}

impl Text {
    fn new(text: &str) -> Self {
        let tokens = tokens(text);
        let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
        let mut hits = Lexicon::get().hits(&words);
        let mut harmless = vec![false; hits.len()];
        for (at, hits) in hits.iter().enumerate() {
            let length = hits.iter().filter(|hit| hit.mark == Mark::Harmless).map(|hit| hit.length).max().unwrap_or(0);
            harmless[at..at + length].fill(true);
        }
        for (at, hits) in hits.iter_mut().enumerate() {
            // How somebody asks is no word of a subject.
            hits.retain(|hit| matches!(hit.mark, Mark::SmallWord | Mark::Request) || !harmless[at..at + hit.length].contains(&true));
        }
        Self { tokens, hits }
    }

    fn has(&self, at: usize, mark: Mark) -> bool {
        self.hits.get(at).is_some_and(|hits| hits.iter().any(|hit| hit.mark == mark))
    }

    fn words(&self, at: usize, length: usize) -> String {
        self.tokens[at..at + length].iter().map(|token| token.word.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// The words of each phrase of a kind, in order.
    fn phrases(&self, mark: Mark) -> impl Iterator<Item = String> {
        let found =
            self.hits.iter().enumerate().flat_map(move |(at, hits)| hits.iter().filter(move |hit| hit.mark == mark).map(move |hit| (at, hit.length)));
        found.map(|(at, length)| self.words(at, length))
    }

    fn request_to_harm(&self) -> Option<HarmFound> {
        (0..self.tokens.len()).find_map(|at| {
            let asking = self.hits[at].iter().filter(|hit| match hit.mark {
                Mark::Request | Mark::Recipe => true,
                Mark::Command => self.tokens[at].begins,
                _ => false,
            });
            asking.filter(|_| !self.reported(at)).find_map(|hit| self.harm_after(at, *hit))
        })
    }

    /// The asking is refused or somebody else's: told right before it, in the same clause.
    fn reported(&self, at: usize) -> bool {
        let mut clause = (0..at).rev().take(BEFORE).take_while(|before| !self.tokens[before + 1].begins);
        clause.any(|before| self.has(before, Mark::Reported))
    }

    /// What is asked for, if it is harm.
    fn harm_after(&self, at: usize, asking: Hit) -> Option<HarmFound> {
        let (start, sentence) = (at + asking.length, self.tokens[at].sentence);
        let mut acts: Vec<(usize, usize)> = Vec::new();
        let mut things: Vec<(usize, usize)> = Vec::new();
        let asks_for_things = asking.mark != Mark::Request;
        let mut here = start;
        while here < self.tokens.len().min(start + REACH) && self.tokens[here].sentence == sentence {
            let mut step = 1;
            let mut harm = false;
            for hit in &self.hits[here] {
                let (n, found) = match hit.mark {
                    Mark::Act(n) => {
                        acts.push((n, here));
                        (n, hit.verb_last && things.iter().any(|(of, end)| *of == n && here - end <= APART))
                    }
                    Mark::Thing(n) if self.defended(here + hit.length, sentence) => (n, false),
                    Mark::Thing(n) => {
                        things.push((n, here + hit.length));
                        step = step.max(hit.length);
                        let made = !Lexicon::get().patterns.harm[n].uses.is_empty();
                        let near = asks_for_things && made && here - start <= NEAR;
                        (n, near || acts.iter().any(|(of, at)| *of == n && here - at <= APART))
                    }
                    Mark::Whole(n) => (n, !self.defended(here + hit.length, sentence)),
                    _ => continue,
                };
                harm = true;
                let kind = &Lexicon::get().patterns.harm[n];
                if found && !(kind.excusable && self.defends(sentence)) {
                    return Some(self.found(kind, (at, asking.length), (here, hit.length)));
                }
            }
            if !harm && (self.has(here, Mark::Aside) || self.has(here, Mark::Defence)) {
                return None;
            }
            here += step;
        }
        None
    }

    /// Only words of the patterns are repeated, never what stands between them.
    fn found(&self, kind: &'static Harm, asking: (usize, usize), harm: (usize, usize)) -> HarmFound {
        let said = format!("{} … {}", self.words(asking.0, asking.1), self.words(harm.0, harm.1));
        let reason = format!("it asks for or gives a way {} ({said:?})", kind.what);
        HarmFound { reason, instead: kind.instead.as_deref().unwrap_or(INSTEAD) }
    }

    /// Right after a thing stands a word of those who defend.
    fn defended(&self, after: usize, sentence: usize) -> bool {
        (after..after + AFTER).any(|at| self.tokens.get(at).is_some_and(|token| token.sentence == sentence) && self.has(at, Mark::Defence))
    }

    fn defends(&self, sentence: usize) -> bool {
        (0..self.tokens.len()).any(|at| self.tokens[at].sentence == sentence && self.has(at, Mark::Defence))
    }

    /// The subjects whose words come to enough, each with its clearest word.
    fn topics(&self, least: usize) -> impl Iterator<Item = (&'static str, String)> {
        // By the last word of a phrase: "pipe bomb" and "bomb" are one mention.
        let mut found: BTreeMap<usize, BTreeMap<&str, (usize, String)>> = BTreeMap::new();
        for (at, hits) in self.hits.iter().enumerate() {
            for hit in hits {
                let (topic, weight) = match hit.mark {
                    Mark::Sure(topic) => (topic, 2),
                    Mark::Hint(topic) => (topic, 1),
                    _ => continue,
                };
                let most = found.entry(topic).or_default().entry(&self.tokens[at + hit.length - 1].word).or_default();
                if weight > most.0 {
                    *most = (weight, self.words(at, hit.length));
                }
            }
        }
        let enough = move |(_, words): &(usize, BTreeMap<&str, (usize, String)>)| words.values().map(|(weight, _)| weight).sum::<usize>() >= least;
        found.into_iter().filter(enough).filter_map(|(topic, words)| {
            let (_, clearest) = words.into_values().reduce(|most, next| if next.0 > most.0 { next } else { most })?;
            Some((Lexicon::get().patterns.topic[topic].about.as_str(), clearest))
        })
    }

    /// Too few small words of any language that has patterns, or letters that none of them is written in.
    fn unknown_language(&self) -> bool {
        let letters = || self.tokens.iter().flat_map(|token| token.word.chars()).filter(|c| c.is_alphabetic());
        let foreign = letters().filter(|c| !c.is_ascii()).count() * 3 > letters().count();
        let small = (0..self.tokens.len()).filter(|at| self.has(*at, Mark::SmallWord)).count();
        foreign || (self.tokens.len() >= LEAST_WORDS && small * SMALL_WORDS < self.tokens.len())
    }
}
