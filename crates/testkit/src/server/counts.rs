//! How many requests came, and how many at once.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Default)]
pub struct Counts {
    connections: AtomicU64,
    total: AtomicU64,
    in_flight: AtomicU64,
    most: AtomicU64,
    per_model: Mutex<BTreeMap<String, u64>>,
}

impl Counts {
    /// Counts one request in; the guard counts it out when its reply is handed over whole, its stream has ended, or the client is gone.
    pub fn enter(self: &Arc<Self>) -> (u64, InFlight) {
        let number = self.total.fetch_add(1, Relaxed) + 1;
        let now = self.in_flight.fetch_add(1, Relaxed) + 1;
        self.most.fetch_max(now, Relaxed);
        (number, InFlight(self.clone()))
    }
    pub fn of_model(&self, model: &str) {
        let mut per_model = self.per_model.lock().unwrap_or_else(PoisonError::into_inner);
        match per_model.get_mut(model) {
            Some(count) => *count += 1,
            None => {
                per_model.insert(model.to_owned(), 1);
            }
        }
    }
    pub fn connected(&self) {
        self.connections.fetch_add(1, Relaxed);
    }
    pub fn connections(&self) -> u64 {
        self.connections.load(Relaxed)
    }
    pub fn total(&self) -> u64 {
        self.total.load(Relaxed)
    }
    pub fn in_flight(&self) -> u64 {
        self.in_flight.load(Relaxed)
    }
    pub fn most(&self) -> u64 {
        self.most.load(Relaxed)
    }
    pub fn per_model(&self) -> BTreeMap<String, u64> {
        self.per_model.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

pub struct InFlight(Arc<Counts>);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Relaxed);
    }
}
