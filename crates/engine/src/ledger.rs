//! What a run has cost and may still cost: sums over its `asked`, `replied` and `failed` rows, nothing else.

use std::collections::HashMap;
use synod_types::{Asked, Calls, FailureKind, Millis, Replied, Usage};

#[derive(Clone, Debug, Default)]
pub struct Ledger {
    entries: HashMap<(String, i64), Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    model: String,
    reserved: Option<f64>,
    extra: bool,
    reasked: bool,
    end: End,
    at: Millis,
    /// How long a call took that gave no reply.
    failed_ms: Option<Millis>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    /// Without a reply yet, or for ever: may have been billed.
    Open,
    Replied {
        spent: Option<f64>,
        usage: Option<Usage>,
        ms: Millis,
    },
    /// The provider turned the request away: nothing can have been billed.
    Rejected,
}

impl Ledger {
    pub fn asked(&mut self, key: &str, attempt: i64, at: Millis, asked: &Asked) {
        let entry = Entry {
            model: asked.model.clone(),
            reserved: asked.reserved_usd,
            extra: asked.extra,
            reasked: asked.reasked,
            end: End::Open,
            at,
            failed_ms: None,
        };
        self.entries.insert((key.to_owned(), attempt), entry);
    }

    pub fn replied(&mut self, key: &str, attempt: i64, at: Millis, replied: &Replied) {
        if let Some(entry) = self.entries.get_mut(&(key.to_owned(), attempt)) {
            entry.end = End::Replied { spent: replied.spent_usd, usage: replied.usage, ms: replied.ms };
            entry.at = at;
        }
    }

    /// The last try got no reply. Those before it were lost in a crash, and may have been billed whatever became of this one.
    pub fn failed(&mut self, key: &str, at: Millis, kind: FailureKind) {
        let tries = self.entries.iter_mut().filter(|((other, _), entry)| other == key && entry.end == End::Open && entry.failed_ms.is_none());
        if let Some((_, entry)) = tries.max_by_key(|((_, attempt), _)| *attempt) {
            entry.failed_ms = Some((at - entry.at).max(0));
            entry.at = at;
            if kind.turned_away() {
                entry.end = End::Rejected;
            }
        }
    }

    /// Spent, and reserved without a reply: what counts against the budget.
    pub fn committed(&self) -> f64 {
        self.entries.values().map(Entry::cost).map(|cost| cost.unwrap_or(0.0)).fold(0.0, |sum, cost| sum + cost)
    }

    /// The known part of what was spent; `None` when something was asked and no price is known at all.
    pub fn spent(&self) -> Option<f64> {
        let known: Vec<f64> = self.entries.values().filter_map(Entry::cost).collect();
        if known.is_empty() && !self.entries.is_empty() { None } else { Some(known.iter().fold(0.0, |sum, cost| sum + cost)) }
    }

    /// Models that were asked and whose price is unknown.
    pub fn unpriced(&self) -> Vec<String> {
        let mut models: Vec<String> = self.entries.values().filter(|entry| entry.cost().is_none()).map(|entry| entry.model.clone()).collect();
        models.sort();
        models.dedup();
        models
    }

    pub fn calls(&self) -> Calls {
        let mut calls = Calls::default();
        for entry in self.entries.values() {
            match entry {
                entry if entry.reasked => calls.reasked += 1,
                entry if entry.extra => calls.extra += 1,
                _ => calls.planned += 1,
            }
        }
        calls
    }

    pub fn tokens(&self) -> Usage {
        let mut total = Usage::default();
        for entry in self.entries.values() {
            if let End::Replied { usage: Some(usage), .. } = entry.end {
                total += usage;
            }
        }
        total
    }

    /// The time during which at least one model was being waited for.
    pub fn critical_path(&self) -> Millis {
        let mut spans: Vec<(Millis, Millis)> = self
            .entries
            .values()
            .filter_map(|entry| match entry.end {
                End::Replied { ms, .. } => Some((entry.at - ms, entry.at)),
                End::Open | End::Rejected => entry.failed_ms.map(|ms| (entry.at - ms, entry.at)),
            })
            .collect();
        spans.sort_unstable();
        let (mut total, mut until) = (0, Millis::MIN);
        for (start, end) in spans {
            total += (end - start.max(until)).max(0);
            until = until.max(end);
        }
        total
    }
}

impl Entry {
    fn cost(&self) -> Option<f64> {
        match self.end {
            End::Open => self.reserved,
            End::Replied { spent, .. } => spent,
            End::Rejected => Some(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use synod_types::{Finish, Tier};

    fn asked(reserved_usd: Option<f64>) -> Asked {
        Asked {
            seat: 0,
            model: "m".into(),
            prompt: "p".into(),
            tier: Tier::Heavy,
            temperature: None,
            max_tokens: 1,
            reserved_usd,
            extra: false,
            reasked: false,
        }
    }
    fn replied(spent_usd: Option<f64>, ms: Millis) -> Replied {
        Replied { raw_sha256: String::new(), finish: Finish::Stop, usage: None, spent_usd, ms }
    }

    #[test]
    fn a_reservation_counts_until_settled_and_for_ever_without_a_reply() {
        let mut ledger = Ledger::default();
        ledger.asked("a", 0, 0, &asked(Some(0.5)));
        ledger.asked("b", 0, 0, &asked(Some(0.25)));
        assert_eq!(ledger.committed(), 0.75);
        ledger.replied("a", 0, 10, &replied(Some(0.1), 10));
        assert_eq!(ledger.committed(), 0.35);
        ledger.failed("b", 20, FailureKind::Timeout);
        assert_eq!(ledger.spent(), Some(0.35), "a call that timed out may have been billed");
    }

    #[test]
    fn what_a_provider_turned_away_costs_nothing() {
        let mut ledger = Ledger::default();
        ledger.asked("a", 0, 0, &asked(Some(0.5)));
        ledger.failed("a", 20, FailureKind::Auth);
        assert_eq!(ledger.spent(), Some(0.0));
    }

    #[test]
    fn a_try_lost_in_a_crash_still_counts_when_the_next_is_turned_away() {
        let mut ledger = Ledger::default();
        ledger.asked("a", 0, 0, &asked(Some(0.5)));
        ledger.asked("a", 1, 0, &Asked { reasked: true, ..asked(Some(0.25)) });
        ledger.failed("a", 20, FailureKind::RateLimited);
        assert_eq!(ledger.spent(), Some(0.5));
    }

    #[test]
    fn an_unknown_price_is_unknown_never_zero() {
        let mut ledger = Ledger::default();
        ledger.asked("a", 0, 0, &asked(None));
        ledger.replied("a", 0, 10, &replied(None, 10));
        assert_eq!((ledger.spent(), ledger.unpriced()), (None, vec!["m".to_owned()]));
    }

    #[test]
    fn the_critical_path_counts_overlapping_calls_once() {
        let mut ledger = Ledger::default();
        for (key, end, ms) in [("a", 100, 100), ("b", 120, 100), ("c", 300, 50)] {
            ledger.asked(key, 0, 0, &asked(None));
            ledger.replied(key, 0, end, &replied(None, ms));
        }
        ledger.asked("d", 0, 400, &asked(None));
        ledger.failed("d", 460, FailureKind::Timeout);
        assert_eq!(ledger.critical_path(), 120 + 50 + 60, "a call that came to nothing was waited for too");
    }
}
