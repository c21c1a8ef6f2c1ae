//! Who asks: the user of this machine, a key, or nobody known. What each may do, and which runs it sees.

use crate::errors::Code;
use crate::fault::{Answer, Fault};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use std::sync::Arc;
use synod_app::RunSummary;
use synod_types::{AccessKey, LOCAL, Scope};

#[derive(Clone, Debug)]
pub enum Caller {
    /// On this machine, where no key is needed.
    Local,
    Key(Arc<AccessKey>),
    Nobody,
}

impl Caller {
    /// As runs are marked with it. `None`: the user of this machine.
    pub fn principal(&self) -> Option<String> {
        self.key().map(|key| key.id.clone())
    }

    /// As rows about callers name it.
    pub fn name(&self) -> &str {
        match self {
            Self::Local => LOCAL,
            Self::Key(key) => &key.id,
            Self::Nobody => "nobody",
        }
    }

    /// As people know it.
    pub fn owner(&self) -> String {
        self.key().map_or_else(|| self.name().to_owned(), |key| key.owner.clone())
    }

    pub fn key(&self) -> Option<&AccessKey> {
        match self {
            Self::Key(key) => Some(key),
            Self::Local | Self::Nobody => None,
        }
    }

    pub fn may(&self, scope: Scope) -> Answer<()> {
        match self {
            Self::Local => Ok(()),
            Self::Key(key) if key.may(scope) => Ok(()),
            Self::Key(_) => Err(Fault::new(Code::Forbidden, format!("this needs a key with the scope {}", scope.as_str()))),
            Self::Nobody => {
                Err(Fault::new(Code::Unauthorized, "no key came with the request")
                    .header(axum::http::header::WWW_AUTHENTICATE, "Bearer realm=\"synod\""))
            }
        }
    }

    /// Whether it may do something about claims. Only keys act on them; whoever reads, works or reviews may read, and so may this machine's user.
    pub fn may_about_claims(&self, scope: Scope) -> Answer<()> {
        let reads = scope == Scope::Read;
        match self {
            Self::Local if reads => Ok(()),
            Self::Key(key) if reads && (key.may(Scope::Work) || key.may(Scope::Review)) => Ok(()),
            Self::Key(_) => self.may(scope),
            Self::Local | Self::Nobody => Self::Nobody.may(scope),
        }
    }

    pub fn is_admin(&self) -> bool {
        self.may(Scope::Admin).is_ok()
    }

    /// Its own runs, or everybody's.
    pub fn sees(&self, run: &RunSummary) -> bool {
        self.sees_runs_of(&run.principal)
    }

    pub fn sees_runs_of(&self, principal: &str) -> bool {
        self.is_admin() || self.key().is_some_and(|key| key.id == principal)
    }

    /// For lists. `None`: everybody's.
    pub fn only(&self) -> Option<String> {
        if self.is_admin() { None } else { Some(self.name().to_owned()) }
    }
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Answer<Self> {
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or(Self::Nobody))
    }
}

/// Where a request comes from, as it is counted.
#[derive(Clone, Debug)]
pub struct Address(pub String);

impl<S: Sync> FromRequestParts<S> for Address {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Answer<Self> {
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or_else(|| Self("unknown".to_owned())))
    }
}
