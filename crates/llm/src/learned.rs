//! What models were seen to need and to refuse: how much they think, which parameters they do not take, how much they may write.
//!
//! Kept so that a lesson is paid for once. Evidence for nothing: a run means the same with an empty table, it only takes a request more.

use crate::http::Listed;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use synod_types::Effort;

/// A list that claims less is not believed.
const LEAST_LISTED: u64 = 2_048;

/// By address and model id.
#[derive(Debug, Default)]
pub struct Learned(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    /// Of each address, by model.
    habits: BTreeMap<String, BTreeMap<String, Habits>>,
    changed: BTreeSet<(String, String)>,
}

/// One model at one address.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Habits {
    /// Parameters it does not take.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) refuses: BTreeSet<Parameter>,
    /// The other name of the token limit than the one first tried.
    #[serde(skip_serializing_if = "is_false")]
    pub(crate) limit_renamed: bool,
    /// The other of two ways to ask for thought than the one first tried.
    #[serde(skip_serializing_if = "is_false")]
    pub(crate) other_style: bool,
    /// Efforts it does not know, and what it takes for them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) efforts: BTreeMap<Effort, Effort>,
    /// The most it may be asked to write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) most_tokens: Option<u32>,
    /// Prompt and reply together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) context: Option<u32>,
    /// The most it was seen to think, by the effort asked for; `default` where none was.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) thinking: BTreeMap<String, u32>,
    /// It wrote more than twice what it was allowed.
    #[serde(skip_serializing_if = "is_false")]
    pub(crate) overran: bool,
}

/// What a request may carry that some models refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Parameter {
    Temperature,
    Effort,
    /// An effort beside tools; either alone will do.
    EffortWithTools,
    Schema,
    StreamOptions,
    /// Its own thoughts, given back to it.
    Thoughts,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// An address without whoever may be named in it.
fn place(url: &str) -> Cow<'_, str> {
    let Some((scheme, rest)) = url.split_once("://") else { return url.into() };
    match rest.split_once('/') {
        Some((host, _)) if !host.contains('@') => url.into(),
        found => {
            let (host, path) = found.unwrap_or((rest, ""));
            format!("{scheme}://{}/{path}", host.rsplit('@').next().unwrap_or(host)).into()
        }
    }
}

fn key_of(effort: Option<Effort>) -> &'static str {
    effort.map_or("default", Effort::as_str)
}

impl Habits {
    pub(crate) fn thought(&self, effort: Option<Effort>) -> u32 {
        self.thinking.get(key_of(effort)).copied().unwrap_or(0)
    }

    /// It was seen to think.
    pub(crate) fn thinks(&self) -> bool {
        self.thinking.values().any(|most| *most > 0)
    }

    pub(crate) fn saw(&mut self, effort: Option<Effort>, tokens: u32) {
        let most = self.thinking.entry(key_of(effort).to_owned()).or_default();
        *most = tokens.max(*most);
    }

    /// What two processes have learned, together.
    fn merge(&mut self, other: Self) {
        self.refuses.extend(other.refuses);
        self.limit_renamed |= other.limit_renamed;
        self.other_style |= other.other_style;
        self.overran |= other.overran;
        for (effort, taken) in other.efforts {
            self.efforts.entry(effort).or_insert(taken);
        }
        self.most_tokens = self.most_tokens.into_iter().chain(other.most_tokens).min();
        self.context = self.context.or(other.context);
        for (effort, most) in other.thinking {
            let known = self.thinking.entry(effort).or_default();
            *known = most.max(*known);
        }
    }

    /// The effort that is taken for the one asked for.
    pub(crate) fn taken(&self, effort: Effort) -> Effort {
        let mut taken = effort;
        // A chain, not a circle: each entry was learned from the one before, and there are seven efforts.
        for _ in 0..Effort::ALL.len() {
            match self.efforts.get(&taken) {
                Some(next) => taken = *next,
                None => break,
            }
        }
        taken
    }
}

impl Learned {
    /// From what was kept: address, model id and JSON. What cannot be read is learned again.
    pub fn of(rows: impl IntoIterator<Item = (String, String, String)>) -> Self {
        let learned = Self::default();
        learned.absorb(rows);
        learned
    }

    /// Adds what other processes have kept meanwhile, before what changed here is kept in its place.
    pub fn absorb(&self, rows: impl IntoIterator<Item = (String, String, String)>) {
        let mut table = self.held();
        for (url, model, json) in rows {
            if let Ok(habits) = serde_json::from_str(&json) {
                table.habits.entry(url).or_default().entry(model).or_default().merge(habits);
            }
        }
    }

    pub fn has_changes(&self) -> bool {
        !self.held().changed.is_empty()
    }

    /// What has changed since it was last taken, to be kept.
    pub fn take_changes(&self) -> Vec<(String, String, String)> {
        let mut table = self.held();
        let changed = std::mem::take(&mut table.changed);
        let row = |key: (String, String)| {
            let json = serde_json::to_string(table.habits.get(&key.0)?.get(&key.1)?).ok()?;
            Some((key.0, key.1, json))
        };
        changed.into_iter().filter_map(row).collect()
    }

    pub(crate) fn habits(&self, url: &str, model: &str) -> Habits {
        self.held().habits.get(place(url).as_ref()).and_then(|models| models.get(model)).cloned().unwrap_or_default()
    }

    pub(crate) fn change(&self, url: &str, model: &str, change: impl FnOnce(&mut Habits)) {
        let mut table = self.held();
        let key = (place(url).into_owned(), model.to_owned());
        let habits = table.habits.entry(key.0.clone()).or_default().entry(key.1.clone()).or_default();
        let before = habits.clone();
        change(habits);
        if *habits != before {
            table.changed.insert(key);
        }
    }

    /// What a provider's own list says a model may write and read. What the model itself said counts for more.
    pub(crate) fn listed(&self, url: &str, listed: &Listed) {
        let said = |tokens: Option<u64>| tokens.filter(|tokens| *tokens >= LEAST_LISTED).and_then(|tokens| u32::try_from(tokens).ok());
        self.change(url, &listed.id, |habits| {
            habits.most_tokens = habits.most_tokens.or(said(listed.max_output));
            habits.context = habits.context.or(said(listed.context));
        });
    }

    fn held(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{Habits, Learned, Parameter};
    use synod_types::Effort;

    #[test]
    fn what_is_learned_survives_and_only_changes_are_kept_again() {
        let learned = Learned::default();
        learned.change("http://a/", "m", |habits| {
            habits.saw(None, 900);
            habits.saw(Some(Effort::High), 20_000);
            habits.refuses.insert(Parameter::Temperature);
        });
        let kept = learned.take_changes();
        assert_eq!((kept.len(), learned.take_changes().len()), (1, 0));
        let again = Learned::of(kept.into_iter().chain([("x".into(), "y".into(), "not JSON".into())]));
        assert_eq!(again.habits("http://a/", "m"), learned.habits("http://a/", "m"));
        again.change("http://a/", "m", |habits| habits.saw(None, 100));
        assert!(again.take_changes().is_empty(), "less than the most seen teaches nothing");
    }

    #[test]
    fn two_processes_learn_together_and_nobody_is_named() {
        let (one, two) = (Learned::default(), Learned::default());
        one.change("https://ada:secret@gate.test/v1/", "m", |habits| habits.saw(None, 900));
        two.change("https://gate.test/v1/", "m", |habits| {
            habits.saw(None, 100);
            habits.refuses.insert(Parameter::Schema);
        });
        let kept = one.take_changes();
        assert_eq!(kept[0].0, "https://gate.test/v1/");
        two.absorb(kept);
        let known = two.habits("https://gate.test/v1/", "m");
        assert_eq!((known.thought(None), known.refuses.contains(&Parameter::Schema)), (900, true));
        assert!(two.has_changes());
    }

    #[test]
    fn an_effort_is_taken_for_what_it_was_replaced_by_and_a_circle_ends() {
        let mut habits = Habits::default();
        habits.efforts.extend([(Effort::None, Effort::Minimal), (Effort::Minimal, Effort::Low)]);
        assert_eq!((habits.taken(Effort::None), habits.taken(Effort::High)), (Effort::Low, Effort::High));
        habits.efforts.insert(Effort::Low, Effort::None);
        habits.taken(Effort::None);
    }
}
