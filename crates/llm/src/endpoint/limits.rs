//! How many calls an endpoint gets at once, and how many a minute. Shared by all runs of the process.

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use std::num::NonZeroU32;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

pub(crate) struct Limits {
    places: Arc<Semaphore>,
    rate: Option<DefaultDirectRateLimiter>,
    clock: DefaultClock,
}

impl Limits {
    pub fn new(concurrency: usize, requests_per_minute: Option<u32>) -> Self {
        let rate = requests_per_minute.and_then(NonZeroU32::new).map(|n| {
            // A tenth of a minute's worth may go at once. A whole minute's worth would let twice the number through in the first minute.
            let burst = NonZeroU32::new(n.get() / 10).unwrap_or(NonZeroU32::MIN);
            RateLimiter::direct(Quota::per_minute(n).allow_burst(burst))
        });
        Self { places: Arc::new(Semaphore::new(concurrency.max(1))), rate, clock: DefaultClock::default() }
    }

    /// Waits for a free place, first come, first served, and for the pace of the request that will be made from it. Free again when dropped.
    pub async fn slot(&self) -> Option<OwnedSemaphorePermit> {
        // `None` only if somebody had closed the semaphore, and nobody does.
        let place = self.places.clone().acquire_owned().await.ok();
        self.pace().await;
        place
    }

    /// Waits until one more request fits into the minute. Every try is a request.
    pub async fn pace(&self) {
        let Some(rate) = &self.rate else { return };
        while let Err(not_yet) = rate.check() {
            tokio::time::sleep(not_yet.wait_time_from(self.clock.now())).await;
        }
    }
}
