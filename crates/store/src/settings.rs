//! What can be set about a store. The defaults suit a laptop; tests shorten the times.

use synod_types::{Durability, Millis};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreSettings {
    /// How long a run stays with an owner that gives no sign of life and cannot be checked by its lock file.
    pub lease_ms: Millis,
    pub durability: Durability,
    /// Raw replies of runs untouched for this long may be dropped. `None`: kept for good.
    pub raw_retention_days: Option<u32>,
    /// How long to wait for another process that is writing (SQLite).
    pub busy_ms: u32,
    /// How often to look for what other processes appended, while somebody watches.
    pub poll_ms: Millis,
    /// Read connections, opened when needed.
    pub readers: u32,
}

impl Default for StoreSettings {
    fn default() -> Self {
        Self { lease_ms: 10_000, durability: Durability::Process, raw_retention_days: None, busy_ms: 10_000, poll_ms: 150, readers: 4 }
    }
}
