//! Keys, and how much each may do: made once, kept by their hash, counted in the database so that no restart and no deletion gives anything back.

use crate::app::App;
use crate::error::AppResult;
use crate::prepare::PreparedRun;
use futures::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;
use synod_engine::{Allowance, Clock, Purse, SetAside, SystemClock};
use synod_store::{Repeat, Store, Used};
use synod_types::{AccessKey, DAY_MS, Header, KeyLimits, LOCAL, Millis, Once, Problem, ProblemCode, Problems, Scope, day_of, sha256_hex};

const MINUTE_MS: Millis = 60_000;
const HOUR_MS: Millis = 60 * MINUTE_MS;

/// A key that was just made. The secret is shown once and kept nowhere.
pub struct NewKey {
    pub key: AccessKey,
    pub secret: String,
}

/// A limit that is used up, and when there is room again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limited {
    pub what: String,
    pub retry_after: Duration,
}

impl App {
    pub async fn new_key(&self, owner: &str, scopes: Vec<Scope>, limits: KeyLimits) -> AppResult<NewKey> {
        let secret = format!("synod_{}", random());
        let id = format!("key_{}", &random()[..12]);
        let key = AccessKey { id, owner: owner.to_owned(), scopes, limits, created_at: SystemClock.now(), revoked_at: None };
        self.store.add_key(key.clone(), sha256_hex(&secret)).await?;
        Ok(NewKey { key, secret })
    }

    pub async fn keys(&self) -> AppResult<Vec<AccessKey>> {
        Ok(self.store.keys().await?)
    }

    /// The key behind what a caller sent. It is looked up by its hash, so that no comparison takes longer the nearer a guess is.
    pub async fn key_of(&self, secret: &str) -> AppResult<Option<AccessKey>> {
        Ok(self.store.key_by_hash(&sha256_hex(secret)).await?)
    }

    pub async fn revoke_key(&self, id: &str) -> AppResult<()> {
        if self.store.revoke_key(id, SystemClock.now()).await? {
            return Ok(());
        }
        let keys = self.store.keys().await?;
        let live: Vec<&str> = keys.iter().filter(|key| key.revoked_at.is_none()).map(|key| key.id.as_str()).collect();
        let want = if live.is_empty() { "a key that is still valid; there is none".to_owned() } else { format!("one of: {}", live.join(", ")) };
        Err(Problem::new("key", id, want).unknown(id, live).into())
    }

    /// Whether this key may begin a run now. Nothing is counted yet: the run's first row does that.
    pub async fn room_to_start(&self, key: &AccessKey) -> AppResult<Result<(), Limited>> {
        let (limits, now) = (key.limits, SystemClock.now());
        let windows =
            [(limits.runs_per_minute, MINUTE_MS, "a minute"), (limits.runs_per_hour, HOUR_MS, "an hour"), (limits.runs_per_day, DAY_MS, "a day")];
        if windows.iter().any(|(most, ..)| most.is_some()) {
            let starts = self.store.starts(&key.id, now - DAY_MS).await?;
            for (most, window, name) in windows {
                let Some(most) = most else { continue };
                let within: Vec<Millis> = starts.iter().copied().filter(|at| *at > now - window).collect();
                if within.len() >= most as usize {
                    // There is room again when enough of them are older than the window.
                    let oldest = within.get(within.len() - most.max(1) as usize).copied().unwrap_or(now);
                    return Ok(Err(Limited {
                        what: format!("this key may begin {} {name}", runs(most)),
                        retry_after: millis(oldest + window - now),
                    }));
                }
            }
        }
        self.room_to_go_on(key).await
    }

    /// Whether this key may go on with a run: what it has under way, and what is left of the day. That it began the run was counted before.
    pub async fn room_to_go_on(&self, key: &AccessKey) -> AppResult<Result<(), Limited>> {
        let (limits, now) = (key.limits, SystemClock.now());
        if let Some(most) = limits.concurrent_runs
            && self.store.under_way(&key.id).await? >= most as usize
        {
            return Ok(Err(Limited { what: format!("this key may have {} under way at once", runs(most)), retry_after: Duration::from_secs(5) }));
        }
        let used = self.used_today(&key.id).await?;
        let spent = [
            limits.calls_per_day.filter(|most| used.calls >= i64::from(*most)).map(|most| format!("this key may make {most} calls a day")),
            limits.usd_per_day.filter(|most| used.usd >= *most).map(|most| format!("this key may spend ${most} a day")),
        ];
        if let Some(what) = spent.into_iter().flatten().next() {
            return Ok(Err(Limited { what, retry_after: millis((day_of(now) + 1) * DAY_MS - now) }));
        }
        Ok(Ok(()))
    }

    pub async fn used_today(&self, principal: &str) -> AppResult<Used> {
        Ok(self.store.used(principal, day_of(SystemClock.now())).await?)
    }

    /// The run that this request began within the last day.
    pub async fn repeat(&self, principal: &str, once: &Once) -> AppResult<Option<Repeat>> {
        Ok(self.store.repeat(principal, &once.key, SystemClock.now()).await?)
    }

    /// Forgets what no limit looks back to any more.
    pub async fn tidy_access(&self) -> AppResult<()> {
        Ok(self.store.tidy_access(SystemClock.now()).await?)
    }
}

impl PreparedRun {
    /// Under a limit in dollars everybody who sits must have a price.
    pub fn priced_for(&self, limits: &KeyLimits) -> Result<(), Problems> {
        if limits.usd_per_day.is_none() {
            return Ok(());
        }
        let unpriced = self.header().models.values().filter(|card| card.price.is_none());
        let problems: Vec<Problem> = unpriced
            .map(|card| {
                Problem::new("models", format!("{} has no price", card.name), "priced models: this key has a limit in dollars")
                    .code(ProblemCode::NoPrice)
            })
            .collect();
        if problems.is_empty() { Ok(()) } else { Err(Problems(problems)) }
    }
}

/// The allowances of keys, asked before each call.
pub(crate) struct Allowances {
    pub store: Arc<Store>,
}

impl Allowance for Allowances {
    fn of(&self, header: &Header) -> Option<Arc<dyn Purse>> {
        let principal = header.principal.clone().filter(|principal| principal != LOCAL)?;
        Some(Arc::new(KeyPurse { store: self.store.clone(), principal }))
    }
}

struct KeyPurse {
    store: Arc<Store>,
    principal: String,
}

impl Purse for KeyPurse {
    fn reserve(&self, usd: f64) -> BoxFuture<'_, Result<SetAside, String>> {
        Box::pin(async move {
            let unread = |error: synod_store::StoreError| format!("the allowance of {} cannot be read: {error}", self.principal);
            // Read each time: a limit that was lowered counts at once.
            let Some(key) = self.store.key(&self.principal).await.map_err(unread)? else { return Ok(SetAside { day: 0, usd: 0.0 }) };
            if key.limits.calls_per_day.is_none() && key.limits.usd_per_day.is_none() {
                // Counted for nothing.
                return Ok(SetAside { day: 0, usd: 0.0 });
            }
            let day = day_of(SystemClock.now());
            if self.store.reserve(&self.principal, day, usd, key.limits).await.map_err(unread)? {
                return Ok(SetAside { day, usd });
            }
            let calls = key.limits.calls_per_day.map(|most| format!("{most} calls"));
            let dollars = key.limits.usd_per_day.map(|most| format!("${most}"));
            let limits: Vec<String> = calls.into_iter().chain(dollars).collect();
            Err(format!("{} may use {} a day, and the rest of today is not enough", self.principal, limits.join(" and ")))
        })
    }

    fn settle(&self, aside: SetAside, spent_usd: Option<f64>) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if aside.day == 0 || Some(aside.usd) == spent_usd {
                return;
            }
            // What cannot be given back stays counted: too much, never too little.
            let unmade = i64::from(spent_usd.is_none());
            if let Err(error) = self.store.settle(&self.principal, aside.day, -unmade, spent_usd.unwrap_or(0.0) - aside.usd).await {
                tracing::warn!(principal = self.principal, %error, "a call's real cost could not be counted");
            }
        })
    }
}

/// 256 bits of the system's randomness, in hexadecimal: three ids have 366, of which the hash makes these.
pub(crate) fn random() -> String {
    sha256_hex([(); 3].map(|()| uuid::Uuid::new_v4().into_bytes()).concat())
}

fn runs(most: u32) -> String {
    if most == 1 { "1 run".to_owned() } else { format!("{most} runs") }
}

fn millis(ms: Millis) -> Duration {
    Duration::from_millis(u64::try_from(ms).unwrap_or(0))
}
