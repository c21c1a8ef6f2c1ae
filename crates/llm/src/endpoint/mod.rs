//! One endpoint as all runs of a process share it: its limits, its breaker, and the tries a call gets.
//!
//! A place comes before the call, and is its caller's to hold: waiting for one, and for the pace of the first request, counts against
//! nothing. `total_ms` starts when the call leaves and covers all tries, the pauses between them and the pace of each further request. `idle_ms` is the provider's silence
//! within one try. A call that ran into either is never tried again: it may have been billed.

pub(crate) mod breaker;
pub(crate) mod fault;
mod limits;

use backon::{BackoffBuilder, ExponentialBuilder};
use breaker::{Breaker, Health};
use fault::{Fault, LONGEST_WAIT, Retry};
use limits::Limits;
use std::future::Future;
use std::sync::OnceLock;
use std::time::Duration;
use synod_config::EndpointConfig;
use synod_engine::{CallContext, EndpointSlot};
use synod_types::{Failure, FailureKind, Reply};
use tokio::time::{Instant, sleep, timeout_at};
use url::{ParseError, Url};

pub(crate) struct Endpoint {
    pub name: String,
    pub config: EndpointConfig,
    /// Where calls go that all have one address, read once.
    address: OnceLock<Url>,
    limits: Limits,
    breaker: Breaker,
}

impl Endpoint {
    pub fn new(name: impl Into<String>, config: EndpointConfig) -> Self {
        Self {
            name: name.into(),
            address: OnceLock::new(),
            limits: Limits::new(config.concurrency, config.requests_per_minute),
            breaker: Breaker::new(config.breaker_failures, Duration::from_millis(config.breaker_ms)),
            config,
        }
    }

    /// The one address of its calls, at this path below its own.
    pub fn address(&self, path: &'static str) -> Result<Url, ParseError> {
        match self.address.get() {
            Some(url) => Ok(url.clone()),
            None => Url::parse(&format!("{}{path}", self.config.base_url)).map(|url| self.address.get_or_init(|| url).clone()),
        }
    }

    pub async fn slot(&self) -> EndpointSlot {
        Box::new(self.limits.slot().await)
    }

    /// One call from a place already taken: the breaker, and as many tries as are allowed.
    pub async fn call<F>(&self, context: &CallContext, mut attempt: impl FnMut() -> F) -> Result<Reply, Failure>
    where
        F: Future<Output = Result<Reply, Fault>>,
    {
        let pass = self.breaker.enter().map_err(|left| self.left_alone(left))?;
        let start = Instant::now();
        let total = Duration::from_millis(u64::try_from(context.total_ms).unwrap_or(0));
        let deadline = start + total;
        let mut pauses = ExponentialBuilder::new()
            .with_jitter()
            .with_min_delay(Duration::from_millis(self.config.backoff_ms))
            .with_max_delay(Duration::from_secs(30))
            .with_max_times(self.config.retries)
            .build();
        let mut tries = 0;
        loop {
            tries += 1;
            let fault = match timeout_at(deadline, attempt()).await {
                Ok(Ok(reply)) => {
                    pass.report(Health::Answered);
                    return Ok(reply);
                }
                Ok(Err(fault)) => fault,
                Err(_) => {
                    // One that was cut before silence would have counted says nothing of the endpoint.
                    if context.total_ms >= context.idle_ms {
                        pass.report(Health::Failed);
                    }
                    return Err(Failure::new(FailureKind::Timeout, format!("endpoint `{}`: no whole reply within {}", self.name, seconds(total))));
                }
            };
            let pause = match fault.again {
                Retry::Never => None,
                Retry::Mended => Some(Duration::ZERO),
                Retry::Soon => pauses.next(),
                // Their word, and a little of our own so that seats do not all come back at the same moment.
                Retry::After(asked) => pauses.next().map(|own| asked.saturating_add(own.min(asked / 10))),
            };
            let in_time = match pause.filter(|pause| Instant::now().checked_add(*pause).is_some_and(|then| then < deadline)) {
                Some(pause) => {
                    tracing::debug!(endpoint = %self.name, try_ = tries, pause_ms = pause.as_millis() as u64, why = %fault.failure, "trying again");
                    sleep(pause).await;
                    timeout_at(deadline, self.limits.pace()).await.is_ok()
                }
                None => false,
            };
            if !in_time {
                pass.report(fault.health);
                return Err(self.given_up(fault, tries));
            }
            if let Some(deltas) = &context.deltas {
                deltas.restart();
            }
        }
    }

    fn given_up(&self, fault: Fault, tries: u32) -> Failure {
        let Failure { kind, mut detail } = fault.failure;
        if let Retry::After(asked) = fault.again {
            let wait = if asked >= LONGEST_WAIT { "a day or more".to_owned() } else { seconds(asked) };
            detail.push_str(&format!("; it asks to wait {wait}"));
        }
        if tries > 1 {
            detail.push_str(&format!("; tried {tries} times"));
        }
        Failure { kind, detail }
    }

    fn left_alone(&self, left: Duration) -> Failure {
        let detail = format!(
            "endpoint `{}` failed {} calls in a row and is left alone for another {}",
            self.name,
            self.config.breaker_failures,
            seconds(left.max(Duration::from_millis(1)))
        );
        Failure::new(FailureKind::Server, detail)
    }
}

/// `1.5 s`, `120 s`.
pub(crate) fn seconds(span: Duration) -> String {
    let secs = span.as_secs_f64();
    if secs.fract() < 0.05 || secs >= 10.0 { format!("{secs:.0} s") } else { format!("{secs:.1} s") }
}
