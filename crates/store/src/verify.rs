//! Whether what is stored about a run is still what was written: the chain, its head in three places, raw replies.
//!
//! Reads whatever it finds: a value of the wrong type or a body that is no JSON is a fault to name, never an error to stop at.

use crate::batch::{NO_HASH, read_row};
use crate::error::StoreError;
use crate::location::Engine;
use crate::store::Store;
use serde::Serialize;
use sqlx::AnyConnection;
use sqlx::Connection as _;
use sqlx::Row as _;
use sqlx::any::AnyRow;
use std::collections::HashMap;
use std::fmt;
use synod_types::{Hash, Kind, Replied, Row, Verdict, sha256_hex};

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verification {
    pub run: String,
    pub rows: usize,
    /// The chain's end, recomputed from the rows: hex.
    pub head: String,
    /// Whether there is a verdict whose receipt could be compared.
    pub receipt: bool,
    pub raws_intact: usize,
    /// Dropped under the retention: their SHA-256 is still in the chain.
    pub raws_expired: usize,
    /// Empty: nothing was altered.
    pub faults: Vec<Fault>,
}

impl Verification {
    pub fn intact(&self) -> bool {
        self.faults.is_empty()
    }
}

/// One thing that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Fault {
    /// The first row that does not fit the chain. Those after it cannot be judged.
    Row { seq: i64, key: String, kind: String, why: String },
    /// The head kept in `runs` or in the receipt is another.
    Head { place: &'static str, kept: String, found: String },
    /// A raw reply does not have its recorded SHA-256.
    Raw { key: String, attempt: i64 },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Row { seq, key, kind, why } if key.is_empty() => write!(f, "row {seq} ({kind}): {why}"),
            Self::Row { seq, key, kind, why } => write!(f, "row {seq} ({kind} of {key}): {why}"),
            Self::Head { place, kept, found } => write!(f, "the head kept in {place} is {kept}, the journal's is {found}"),
            Self::Raw { key, attempt } => write!(f, "the raw reply of {key} (try {attempt}) is not the one that was received"),
        }
    }
}

impl Store {
    /// Compares everything stored about a run with its hash chain.
    pub async fn verify(&self, run: &str) -> Result<Verification, StoreError> {
        let mut reader = self.reader().await?;
        // One snapshot: a run that is going on must not look altered because it grew between two looks.
        let mut conn = reader
            .begin_with(match self.engine() {
                Engine::Sqlite => "BEGIN",
                Engine::Postgres => "BEGIN ISOLATION LEVEL REPEATABLE READ",
            })
            .await?;
        let sql = "SELECT seq, head FROM runs WHERE id = $1";
        let Some(kept) = sqlx::query(sql).bind(run).fetch_optional(&mut *conn).await? else {
            return Err(StoreError::NoSuchRun { given: run.to_owned(), want: "no run has this id".into() });
        };
        let sql = "SELECT seq, epoch, key, kind, try, at, digest, body, hash FROM journal WHERE run = $1 ORDER BY seq";
        let stored = sqlx::query(sql).bind(run).fetch_all(&mut *conn).await?;
        let chain = Chain::walk(run, &stored);
        let mut out = Verification {
            run: run.to_owned(),
            rows: stored.len(),
            head: hex::encode(chain.head),
            receipt: false,
            raws_intact: 0,
            raws_expired: 0,
            faults: Vec::new(),
        };
        // A broken chain has no end to compare heads with.
        let whole = chain.fault.is_none();
        out.faults.extend(chain.fault);
        if whole {
            check_head(&mut out, &kept);
            check_receipt(&mut out, &chain.rows);
        }
        check_raws(&mut conn, &mut out, &chain.rows).await?;
        Ok(out)
    }
}

struct Chain {
    /// Up to the first fault.
    rows: Vec<Row>,
    head: Hash,
    fault: Option<Fault>,
}

impl Chain {
    fn walk(run: &str, stored: &[AnyRow]) -> Self {
        let mut chain = Self { rows: Vec::with_capacity(stored.len()), head: NO_HASH, fault: None };
        for (n, found) in stored.iter().enumerate() {
            let due = n as i64 + 1;
            let why = match read_row(run, found) {
                Err(error) => format!("it cannot be read ({error})"),
                Ok(row) if row.seq != due => format!("row {due} should come here: rows are missing or were renumbered"),
                Ok(row) if row.link(&chain.head) != row.hash => "its hash does not fit its content and the row before it".to_owned(),
                Ok(row) => {
                    chain.head = row.hash;
                    chain.rows.push(row);
                    continue;
                }
            };
            let text = |column: usize| found.try_get::<String, _>(column).unwrap_or_default();
            chain.fault = Some(Fault::Row { seq: found.try_get(0).unwrap_or(due), key: text(2), kind: text(3), why });
            break;
        }
        chain
    }
}

fn check_head(out: &mut Verification, kept: &AnyRow) {
    let head = kept.try_get::<Vec<u8>, _>(1).map(hex::encode).unwrap_or_else(|_| "unreadable".into());
    let seq = kept.try_get::<i64, _>(0).unwrap_or(-1);
    if head != out.head || seq != out.rows as i64 {
        let found = format!("{} (row {})", out.head, out.rows);
        out.faults.push(Fault::Head { place: "the list of runs", kept: format!("{head} (row {seq})"), found });
    }
}

fn check_receipt(out: &mut Verification, rows: &[Row]) {
    let mut before = NO_HASH;
    for row in rows {
        if row.kind == Kind::Verdict
            && let Ok(verdict) = row.read::<Verdict>()
        {
            out.receipt = true;
            let found = hex::encode(before);
            if verdict.receipt.head != found {
                out.faults.push(Fault::Head { place: "the receipt", kept: verdict.receipt.head, found });
            }
        }
        before = row.hash;
    }
}

/// Compares raw replies with their recorded SHA-256.
async fn check_raws(conn: &mut AnyConnection, out: &mut Verification, rows: &[Row]) -> sqlx::Result<()> {
    let mut stored: HashMap<(String, i64), Option<String>> = HashMap::new();
    for row in sqlx::query("SELECT key, try, body FROM raws WHERE run = $1").bind(&out.run).fetch_all(conn).await? {
        if let (Ok(key), Ok(attempt)) = (row.try_get(0), row.try_get(1)) {
            stored.insert((key, attempt), row.try_get(2).ok());
        }
    }
    for row in rows.iter().filter(|row| row.kind == Kind::Replied) {
        let Ok(replied) = row.read::<Replied>() else { continue };
        match stored.remove(&(row.key.clone(), row.attempt)) {
            None => out.raws_expired += 1,
            Some(Some(body)) if sha256_hex(&body) == replied.raw_sha256 => out.raws_intact += 1,
            Some(_) => out.faults.push(Fault::Raw { key: row.key.clone(), attempt: row.attempt }),
        }
    }
    Ok(())
}
