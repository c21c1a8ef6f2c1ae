//! Every request a run sent and what it cost: sums over its `asked`, `replied` and `failed` rows, nothing else.

use crate::{Asked, Body, CallCounts, FailureKind, Kind, Millis, Replied, Row, Usage};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    /// In the order in which they went out.
    requests: Vec<SentRequest>,
}

/// One request that went out, and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct SentRequest {
    /// The turn's key, or that of its repair or of a step of its tool loop.
    pub key: String,
    pub attempt: i64,
    pub model: String,
    pub reserved_usd: Option<f64>,
    pub extra: bool,
    /// An earlier try was left without a reply by a crash.
    pub reasked: bool,
    pub replied: Option<Replied>,
    /// The provider turned it away: nothing can have been billed.
    turned_away: bool,
    /// When it went out, and from its end on when that was.
    at: Millis,
    /// How long it took where no reply came.
    failed_ms: Option<Millis>,
}

impl SentRequest {
    /// What it cost: settled by its reply, nothing if it was turned away, else what was reserved. `None`: unknown.
    pub fn usd(&self) -> Option<f64> {
        match &self.replied {
            Some(replied) => replied.spent_usd,
            None if self.turned_away => Some(0.0),
            None => self.reserved_usd,
        }
    }

    /// Without a reply, and not turned away: it may have been billed.
    pub fn unanswered(&self) -> bool {
        self.replied.is_none() && !self.turned_away
    }

    pub fn usage(&self) -> Usage {
        self.replied.as_ref().and_then(|replied| replied.usage).unwrap_or_default()
    }

    /// When somebody was being waited for.
    fn span(&self) -> Option<(Millis, Millis)> {
        let ms = self.replied.as_ref().map(|replied| replied.ms).or(self.failed_ms)?;
        Some((self.at - ms, self.at))
    }
}

impl Ledger {
    pub fn of<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Self {
        let mut ledger = Self::default();
        for row in rows {
            if matches!(row.kind, Kind::Asked | Kind::Replied | Kind::Failed)
                && let Ok(body) = row.body()
            {
                ledger.take(row, &body);
            }
        }
        ledger
    }

    /// Takes one more row; those about anything but requests change nothing.
    pub fn take(&mut self, row: &Row, body: &Body) {
        match body {
            Body::Asked(asked) => self.asked(&row.key, row.attempt, row.at, asked),
            Body::Replied(replied) => self.replied(&row.key, row.attempt, row.at, replied),
            Body::Failed(failed) => self.failed(&row.key, row.at, failed.failure.kind),
            _ => {}
        }
    }

    pub fn asked(&mut self, key: &str, attempt: i64, at: Millis, asked: &Asked) {
        self.requests.push(SentRequest {
            key: key.to_owned(),
            attempt,
            model: asked.model.clone(),
            reserved_usd: asked.reserved_usd,
            extra: asked.extra,
            reasked: asked.reasked,
            replied: None,
            turned_away: false,
            at,
            failed_ms: None,
        });
    }

    pub fn replied(&mut self, key: &str, attempt: i64, at: Millis, replied: &Replied) {
        if let Some(request) = self.of_turn_mut(key, |request| request.attempt == attempt) {
            request.replied = Some(replied.clone());
            request.at = at;
        }
    }

    /// The last try got no reply. Those before it were lost in a crash, and may have been billed whatever became of this one.
    pub fn failed(&mut self, key: &str, at: Millis, kind: FailureKind) {
        if let Some(request) = self.of_turn_mut(key, |request| request.replied.is_none() && request.failed_ms.is_none()) {
            request.failed_ms = Some((at - request.at).max(0));
            request.at = at;
            request.turned_away = kind.turned_away();
        }
    }

    /// The last try of a turn that is as wanted.
    fn of_turn_mut(&mut self, key: &str, wanted: impl Fn(&SentRequest) -> bool) -> Option<&mut SentRequest> {
        // The last ones are the likeliest, and a run sends hundreds at most.
        self.requests.iter_mut().rev().find(|request| request.key == key && wanted(request))
    }

    /// Every request, in the order in which they went out.
    pub fn requests(&self) -> &[SentRequest] {
        &self.requests
    }

    /// Those of one key, oldest try first.
    pub fn of_turn<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a SentRequest> {
        self.requests.iter().filter(move |request| request.key == key)
    }

    /// Spent, and reserved without a reply: what counts against the budget.
    pub fn committed(&self) -> f64 {
        self.requests.iter().filter_map(SentRequest::usd).fold(0.0, |sum, usd| sum + usd)
    }

    /// The known part of what was spent; `None` when something was asked and no price is known at all.
    pub fn spent(&self) -> Option<f64> {
        if self.requests.is_empty() {
            return Some(0.0);
        }
        self.requests.iter().filter_map(SentRequest::usd).reduce(|sum, usd| sum + usd)
    }

    /// Models that were asked and whose price is unknown.
    pub fn unpriced(&self) -> Vec<String> {
        let mut models: Vec<String> = self.requests.iter().filter(|request| request.usd().is_none()).map(|request| request.model.clone()).collect();
        models.sort();
        models.dedup();
        models
    }

    pub fn calls(&self) -> CallCounts {
        let mut calls = CallCounts::default();
        for request in &self.requests {
            match request {
                request if request.reasked => calls.reasked += 1,
                request if request.extra => calls.extra += 1,
                _ => calls.planned += 1,
            }
        }
        calls
    }

    pub fn tokens(&self) -> Usage {
        let mut total = Usage::default();
        self.requests.iter().for_each(|request| total += request.usage());
        total
    }

    /// The time during which at least one model was being waited for.
    pub fn critical_path(&self) -> Millis {
        let mut spans: Vec<(Millis, Millis)> = self.requests.iter().filter_map(SentRequest::span).collect();
        spans.sort_unstable();
        let (mut total, mut until) = (0, Millis::MIN);
        for (start, end) in spans {
            total += (end - start.max(until)).max(0);
            until = until.max(end);
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Finish, Tier};

    fn asked(reserved_usd: Option<f64>) -> Asked {
        Asked {
            seat: 0,
            model: "m".into(),
            prompt: "p".into(),
            tier: Tier::Heavy,
            temperature: None,
            max_tokens: 1,
            sent_tokens: None,
            effort: None,
            reserved_usd,
            extra: false,
            reasked: false,
        }
    }
    fn replied(spent_usd: Option<f64>, ms: Millis) -> Replied {
        Replied { raw_sha256: String::new(), finish: Finish::Stop, usage: None, spent_usd, ms, changed: Vec::new(), claimed: None, overran: false }
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
