//! What whoever asked for a run may spend beside the run's own budget: a key's calls and dollars a day.

use futures::future::BoxFuture;
use synod_types::Header;

/// Asked before each request to a model. Most runs have none: nothing is asked for them.
pub trait Allowance: Send + Sync {
    /// The allowance of whoever began this run. `None`: no limit.
    fn of(&self, header: &Header) -> Option<std::sync::Arc<dyn Purse>>;
}

/// What was set aside for one call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SetAside {
    /// The day it counts for, as its purse knows days.
    pub day: i64,
    pub usd: f64,
}

/// One principal's allowance.
pub trait Purse: Send + Sync {
    /// Sets a call aside at its worst cost, before it is made. The error says which limit has no room for it.
    fn reserve(&self, usd: f64) -> BoxFuture<'_, Result<SetAside, String>>;

    /// What the call then cost in place of what was set aside; `None`: it was not made. One that never came back keeps what was set aside.
    fn settle(&self, aside: SetAside, spent_usd: Option<f64>) -> BoxFuture<'_, ()>;
}
