//! The circuit breaker: after so many failures in a row an endpoint is left alone for a while, then tried with one call.
//!
//! What counts is that the endpoint failed as a server (refused, 5xx, silence, a broken stream). A 4xx shows that it lives.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

pub(crate) struct Breaker {
    /// 0: never opens.
    after: u32,
    pause: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    failures: u32,
    open_until: Option<Instant>,
    /// One call is trying whether the endpoint is back.
    trying: bool,
}

/// How a call went, as far as the endpoint's health goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Health {
    Answered,
    Failed,
}

impl Breaker {
    pub fn new(after: u32, pause: Duration) -> Self {
        Self { after, pause, state: Mutex::default() }
    }

    /// Lets a call through, or says how long the endpoint is still left alone.
    pub fn enter(&self) -> Result<Pass<'_>, Duration> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(until) = state.open_until else {
            return Ok(Pass { breaker: self, trial: false });
        };
        let now = Instant::now();
        if now < until || state.trying {
            return Err(until.saturating_duration_since(now));
        }
        state.trying = true;
        Ok(Pass { breaker: self, trial: true })
    }

    fn record(&self, health: Health) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match health {
            Health::Answered => {
                state.failures = 0;
                state.open_until = None;
            }
            Health::Failed => {
                state.failures = state.failures.saturating_add(1);
                if self.after > 0 && state.failures >= self.after {
                    state.open_until = Some(Instant::now() + self.pause);
                }
            }
        }
    }
}

/// Held for the length of a call. A trial that is dropped without a word frees the place for the next one.
pub(crate) struct Pass<'a> {
    breaker: &'a Breaker,
    trial: bool,
}

impl Pass<'_> {
    pub fn report(&self, health: Health) {
        self.breaker.record(health);
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        if self.trial {
            self.breaker.state.lock().unwrap_or_else(PoisonError::into_inner).trying = false;
        }
    }
}
