//! What may be spent in all, over many runs at once: each sets aside its worst before it begins, and gives back what it did not need.

use std::sync::{Mutex, PoisonError};

pub struct Purse {
    limit: Option<f64>,
    state: Mutex<State>,
}

struct State {
    spent: f64,
    set_aside: f64,
}

impl Purse {
    pub fn new(limit: Option<f64>, spent: f64) -> Self {
        Self { limit, state: Mutex::new(State { spent, set_aside: 0.0 }) }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn spent(&self) -> f64 {
        self.state().spent
    }

    pub fn is_limited(&self) -> bool {
        self.limit.is_some()
    }

    /// Sets aside the worst that a run can cost. False: there is no room for it.
    pub fn set_aside(&self, worst: f64) -> bool {
        let mut state = self.state();
        // Rounding must not refuse what fits exactly.
        let fits = self.limit.is_none_or(|limit| state.spent + state.set_aside + worst <= limit + 1e-9);
        if fits {
            state.set_aside += worst;
        }
        fits
    }

    /// Sets aside all that is left, for a run whose end cannot be foreseen. `None`: nothing is left. Without a limit nothing need be set aside.
    pub fn set_aside_rest(&self) -> Option<f64> {
        let Some(limit) = self.limit else { return Some(0.0) };
        let mut state = self.state();
        let rest = limit - state.spent - state.set_aside;
        (rest > 0.0).then(|| {
            state.set_aside += rest;
            rest
        })
    }

    /// A run has ended, and cost this much.
    pub fn settle(&self, worst: f64, cost: f64) {
        let mut state = self.state();
        state.set_aside -= worst;
        state.spent += cost;
    }
}

#[cfg(test)]
mod tests {
    use super::Purse;

    #[test]
    fn what_is_set_aside_is_given_back_and_nothing_is_spent_twice() {
        let purse = Purse::new(Some(1.0), 0.3);
        assert!(purse.set_aside(0.4) && purse.set_aside(0.3) && !purse.set_aside(0.01));
        purse.settle(0.4, 0.1);
        assert!((purse.spent() - 0.4).abs() < 1e-12 && purse.set_aside(0.3) && !purse.set_aside(0.01));
        assert!(Purse::new(None, 9.0).set_aside(1e9));
        let purse = Purse::new(Some(1.0), 0.25);
        assert_eq!((purse.set_aside_rest(), purse.set_aside_rest()), (Some(0.75), None));
        purse.settle(0.75, 0.5);
        assert_eq!(purse.set_aside_rest(), Some(0.25));
        assert_eq!(Purse::new(None, 9.0).set_aside_rest(), Some(0.0));
    }
}
