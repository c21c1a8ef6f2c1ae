//! All claims of one database, and who works on them.

use crate::error::{ClaimsResult, Refusal, Step};
use crate::protocol;
use futures::future::BoxFuture;
use std::sync::Arc;
use synod_store::{Store, Transaction};

/// What the owner of the database decides about all claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimSettings {
    /// The protocol of claims that name none.
    pub default_protocol: String,
    /// A deliberation that says `flag` raises one; else it only warns.
    pub enforce_verdict_flag: bool,
    /// Submissions to layers that pass earn points.
    pub points: bool,
}

impl Default for ClaimSettings {
    fn default() -> Self {
        Self { default_protocol: protocol::DEFAULT.into(), enforce_verdict_flag: false, points: false }
    }
}

/// Who acts on a claim: a key, or somebody at this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// The key's id.
    pub id: String,
    /// Whose key it is.
    pub owner: String,
    pub name: String,
    pub model: Option<String>,
    /// A person, at the command line or with an admin's key.
    pub human: bool,
    /// The process of a built-in worker, so that others know when it is gone.
    pub worker: Option<String>,
}

impl Agent {
    pub fn key(id: &str, owner: &str) -> Self {
        Self { id: id.to_owned(), owner: owner.to_owned(), name: owner.to_owned(), model: None, human: false, worker: None }
    }

    /// The user of this machine.
    pub fn person() -> Self {
        Self { human: true, ..Self::key(synod_types::LOCAL, synod_types::LOCAL) }
    }
}

/// Who looks at a claim: what is withheld from others is shown to its author and to reviewers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reader {
    Anybody,
    Agent(String),
    Reviewer,
}

/// Cheap to clone; all clones share one store.
#[derive(Clone)]
pub struct Claims {
    pub(crate) store: Store,
    pub(crate) settings: Arc<ClaimSettings>,
}

impl Claims {
    pub fn new(store: Store, settings: ClaimSettings) -> Self {
        Self { store, settings: Arc::new(settings) }
    }

    pub fn settings(&self) -> &ClaimSettings {
        &self.settings
    }

    /// One transaction. `work` owns what it needs and may be done again after a deadlock.
    pub(crate) async fn change<W, T>(&self, work: W) -> ClaimsResult<T>
    where
        W: Change<T> + Send + Sync + 'static,
        T: Send + 'static,
    {
        let work = Arc::new(work);
        let settings = self.settings.clone();
        let done = self.store.transaction(move |tx| {
            let (work, settings) = (work.clone(), settings.clone());
            Box::pin(async move { work.carry_out(tx, &settings).await })
        });
        Ok(done.await??)
    }
}

/// Something that changes claims, in one transaction.
pub(crate) trait Change<T> {
    fn carry_out<'c>(&'c self, tx: &'c mut Transaction<'_>, settings: &'c ClaimSettings) -> BoxFuture<'c, Step<T>>;
}

/// A new id: they sort by the time they were made.
pub(crate) fn new_id() -> String {
    uuid::Uuid::now_v7().simple().to_string()
}

/// What fits into a field: its text, or what is wrong with it.
pub(crate) fn text(field: &str, given: &str, longest: usize) -> Result<String, Refusal> {
    let given = synod_store::storable(given);
    let length = given.chars().count();
    if given.trim().is_empty() {
        return Err(Refusal::invalid(field, "nothing", format!("1 to {longest} characters")));
    }
    if length > longest {
        return Err(Refusal::invalid(field, format!("{length} characters"), format!("1 to {longest} characters")));
    }
    Ok(given)
}
