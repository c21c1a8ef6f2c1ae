//! Numbers of calls for whoever collects them; nothing happens where nobody does.

use std::sync::{Arc, Mutex, PoisonError};
use synod_types::{FailureKind, Usage};

/// Those of a run, by endpoint: a counter is looked up by its name and labels once, not with every call.
#[derive(Default)]
pub(crate) struct CallCounters(Mutex<Vec<Arc<EndpointCounters>>>);

struct EndpointCounters {
    endpoint: String,
    calls: metrics::Counter,
    tokens_in: metrics::Counter,
    tokens_out: metrics::Counter,
    tokens_cached: metrics::Counter,
}

impl EndpointCounters {
    fn new(endpoint: &str) -> Self {
        let tokens = |direction: &'static str| metrics::counter!("synod_tokens_total", "endpoint" => endpoint.to_owned(), "direction" => direction);
        Self {
            calls: metrics::counter!("synod_calls_total", "endpoint" => endpoint.to_owned()),
            tokens_in: tokens("in"),
            tokens_out: tokens("out"),
            tokens_cached: tokens("cached"),
            endpoint: endpoint.to_owned(),
        }
    }
}

impl CallCounters {
    fn of(&self, endpoint: &str) -> Arc<EndpointCounters> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.iter().find(|counters| counters.endpoint == endpoint) {
            return found.clone();
        }
        let new = Arc::new(EndpointCounters::new(endpoint));
        known.push(new.clone());
        new
    }

    /// A call to an endpoint came to this.
    pub fn count(&self, endpoint: &str, came: Result<Usage, FailureKind>, spent_usd: Option<f64>) {
        match came {
            Ok(usage) => {
                let counters = self.of(endpoint);
                counters.calls.increment(1);
                counters.tokens_in.increment(usage.input);
                counters.tokens_out.increment(usage.output);
                counters.tokens_cached.increment(usage.cached);
            }
            Err(kind) => {
                metrics::counter!("synod_call_failures_total", "endpoint" => endpoint.to_owned(), "kind" => kind.as_str()).increment(1);
            }
        }
        // Counters are whole numbers.
        if let Some(usd) = spent_usd.filter(|usd| *usd > 0.0) {
            metrics::counter!("synod_usd_micros_total", "endpoint" => endpoint.to_owned()).increment((usd * 1e6).round() as u64);
        }
    }
}
