//! Who asks through a door: keys, what each may do, and how much of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whoever asks without a key: the user of this machine.
pub const LOCAL: &str = "local";

words! {
    /// One thing a key may do. `admin` may do everything and sees everybody's runs.
    #[derive(PartialOrd, Ord)]
    pub enum Scope {
        /// Look at its own runs.
        Read = "read",
        /// Start, resume, fork and delete them.
        Run = "run",
        /// Answer what they ask of a person.
        Review = "review",
        /// Fill slots of claims.
        Work = "work",
        Admin = "admin",
    }
}

/// How much one key may do. `None`: no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KeyLimits {
    pub requests_per_minute: Option<u32>,
    pub runs_per_minute: Option<u32>,
    pub runs_per_hour: Option<u32>,
    pub runs_per_day: Option<u32>,
    /// Runs under way at once.
    pub concurrent_runs: Option<u32>,
    /// Calls to models, a day of UTC.
    pub calls_per_day: Option<u32>,
    /// US dollars, a day of UTC. Models without a price cannot be seated under it.
    pub usd_per_day: Option<f64>,
}

impl KeyLimits {
    /// For keys handed to guests.
    pub const GUEST: Self = Self {
        requests_per_minute: None,
        runs_per_minute: Some(3),
        runs_per_hour: Some(20),
        runs_per_day: Some(100),
        concurrent_runs: Some(2),
        calls_per_day: None,
        usd_per_day: None,
    };
}

/// A key as it is kept: never the key itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AccessKey {
    /// Names the key in lists, and is the principal of the runs it starts.
    pub id: String,
    /// Whose it is, for people.
    pub owner: String,
    pub scopes: Vec<Scope>,
    pub limits: KeyLimits,
    pub created_at: crate::Millis,
    pub revoked_at: Option<crate::Millis>,
}

impl AccessKey {
    pub fn may(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope) || self.scopes.contains(&Scope::Admin)
    }
}

/// What makes a repeated request find the run that the first one began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Once {
    pub key: String,
    pub body_sha256: String,
}
