//! Limits of a run: how they are given, what they may be, and what may change of them on resume.

use crate::Mode;
use synod_types::{Header, Limits, Millis, Problem, ProblemCode, Problems};

/// A year: no run is meant to wait longer for anything.
const LONGEST_SECS: f64 = 31_536_000.0;
/// One turn may take so many times the silence that ends it.
const TURN_PER_SILENCE: Millis = 5;

/// What may change on resume: limits, nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LimitChanges {
    pub budget_usd: Option<f64>,
    pub deadline_secs: Option<f64>,
    pub timeout_secs: Option<f64>,
}

impl LimitChanges {
    /// The limits of a new run: the mode's own where nothing is given.
    pub(crate) fn of_mode(self, mode: &Mode, problems: &mut Vec<Problem>) -> Limits {
        let silence = Millis::from(mode.turn_secs) * 1000;
        let limits = Limits { budget_usd: None, run_ms: Millis::from(mode.run_secs) * 1000, idle_ms: silence, turn_ms: silence * TURN_PER_SILENCE };
        self.apply(limits, problems)
    }

    /// The limits of a run that goes on.
    pub(crate) fn over(self, limits: Limits, header: &Header) -> Result<Limits, Problems> {
        let mut problems = Vec::new();
        let changed = self.apply(limits, &mut problems);
        if self.budget_usd.is_some() {
            for card in header.models.values().filter(|card| card.price.is_none()) {
                let want = "no budget, or a fork with priced models";
                problems.push(Problem::new("budget", format!("{} has no price", card.name), want).code(ProblemCode::NoPrice));
            }
        }
        if problems.is_empty() { Ok(changed) } else { Err(Problems(problems)) }
    }

    /// What is wrong with them, whatever the mode.
    pub(crate) fn check(self, problems: &mut Vec<Problem>) {
        self.apply(Limits { budget_usd: None, run_ms: 0, idle_ms: 0, turn_ms: 0 }, problems);
    }

    fn apply(self, mut limits: Limits, problems: &mut Vec<Problem>) -> Limits {
        if let Some(budget) = self.budget_usd {
            if !(budget.is_finite() && budget >= 0.0) {
                problems.push(Problem::new("budget", budget.to_string(), "an amount in US dollars of at least 0"));
            }
            limits.budget_usd = Some(budget);
        }
        let mut millis = |field: &str, given: Option<f64>| -> Option<Millis> {
            let secs = given?;
            if secs.is_finite() && secs > 0.0 && secs <= LONGEST_SECS {
                return Some((secs * 1000.0).ceil() as Millis);
            }
            problems.push(Problem::new(field, secs.to_string(), "a number of seconds above 0"));
            None
        };
        if let Some(run_ms) = millis("deadline", self.deadline_secs) {
            limits.run_ms = run_ms;
        }
        if let Some(idle_ms) = millis("timeout", self.timeout_secs) {
            (limits.idle_ms, limits.turn_ms) = (idle_ms, idle_ms * TURN_PER_SILENCE);
        }
        limits
    }
}
