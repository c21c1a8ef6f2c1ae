//! Endpoints on tape: replies of a real endpoint recorded to a file, and played back without it.
//!
//! A recording answers only the very requests it was made of. Anything else is a failure that says what differs; nothing is matched
//! loosely so that a test may pass. Recording adds to what is on the tape and never empties it; the file is opened by the first call that has
//! something to record, not while a run is planned.
//!
//! No key is put on a tape. The run that records goes on with the reply as it was recorded, so that what later stages ask about it is what
//! playback will ask too.

mod clean;
mod tape;

use crate::scrub::Secret;
use crate::wire;
use futures::future::BoxFuture;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use synod_config::EndpointConfig;
use synod_engine::{CallContext, EndpointSlot, Model};
use synod_types::{Failure, FailureKind, Problem, Reply, Request, Sending, Tier};
use tape::{Entry, Outcome, Tape};

/// The tapes a process has in use: one per file and direction, so that several seats write to the same one.
#[derive(Default)]
pub(crate) struct Cassettes {
    played: Mutex<BTreeMap<PathBuf, Shared>>,
    recorded: Mutex<BTreeMap<PathBuf, Shared>>,
}

type Shared = Arc<Mutex<Tape>>;

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Cassettes {
    pub fn open(&self, name: &str, config: &EndpointConfig, inner: Option<(Arc<dyn Model>, Option<Secret>)>) -> Result<Arc<dyn Model>, Problem> {
        let field = format!("endpoints.{name}.path");
        let Some(path) = &config.path else { return Err(Problem::new(field, "nothing", "the path of a recording")) };
        let mut open = held(if inner.is_some() { &self.recorded } else { &self.played });
        let tape = match open.get(path) {
            Some(tape) => tape.clone(),
            None => {
                let tape = if inner.is_some() { Tape::to_be(path) } else { Tape::read(path) };
                let want =
                    if inner.is_some() { "the path of a file in a folder that exists" } else { "a recording; `record = \"ENDPOINT\"` makes one" };
                let tape = tape.map_err(|error| Problem::new(field, format!("{}: {error}", path.display()), want))?;
                let tape = Arc::new(Mutex::new(tape));
                open.insert(path.clone(), tape.clone());
                tape
            }
        };
        Ok(Arc::new(Cassette { endpoint: name.to_owned(), tape, inner }))
    }
}

struct Cassette {
    endpoint: String,
    tape: Shared,
    /// The endpoint that is recorded, and its key to be kept off the tape. `None`: playback.
    inner: Option<(Arc<dyn Model>, Option<Secret>)>,
}

impl Model for Cassette {
    fn slot(&self) -> BoxFuture<'_, EndpointSlot> {
        match &self.inner {
            Some((model, _)) => model.slot(),
            None => Box::pin(std::future::ready(Box::new(()) as EndpointSlot)),
        }
    }

    fn sending(&self, request: &Request, tier: Tier) -> Sending {
        self.inner.as_ref().map_or_else(|| Sending::plain(request), |(model, _)| model.sending(request, tier))
    }

    fn most_tokens(&self, request: &Request) -> u32 {
        self.inner.as_ref().map_or(u32::MAX, |(model, _)| model.most_tokens(request))
    }

    fn call<'a>(&'a self, request: &'a Request, context: &'a CallContext) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            // A try with more room, or less effort, asks the same and is answered otherwise.
            let again = ["/room", "/effort"].into_iter().find(|suffix| context.key.ends_with(suffix)).unwrap_or_default();
            let digest = format!("{}{again}", request.digest());
            let Some((model, key)) = &self.inner else { return self.play(request, &digest, context) };
            let n = self.begin(&context.run, &digest)?;
            let came = model.call(request, context).await;
            let outcome = match came {
                Ok(reply) => Outcome::Reply(Box::new(reply)),
                Err(failure) => Outcome::Failure(failure),
            };
            let mut entry = Entry { digest, n, request: request.clone(), outcome };
            clean::clean(&mut entry, key.as_ref());
            let mut tape = held(&self.tape);
            if let Err(error) = tape.append(&entry) {
                // The reply is paid for: it goes to the run all the same.
                tracing::error!(path = %tape.path.display(), %error, "a reply could not be recorded");
            }
            match entry.outcome {
                Outcome::Reply(reply) => Ok(*reply),
                Outcome::Failure(failure) => Err(failure),
            }
        })
    }
}

impl Cassette {
    /// Makes sure that a reply can be recorded before it is paid for.
    fn begin(&self, run: &str, digest: &str) -> Result<u32, Failure> {
        let mut tape = held(&self.tape);
        tape.begin().map_err(|error| {
            let (path, name) = (tape.path.display(), &self.endpoint);
            let detail = format!(
                "endpoint `{name}`: nothing was asked, because {path} cannot take a recording ({error}). Move it away, or set another endpoints.{name}.path"
            );
            Failure::new(FailureKind::Server, detail)
        })?;
        Ok(tape.nth(run, digest))
    }

    fn play(&self, request: &Request, digest: &str, context: &CallContext) -> Result<Reply, Failure> {
        let mut tape = held(&self.tape);
        let n = tape.nth(&context.run, digest);
        match tape.entries.get(&(digest.to_owned(), n)).map(|entry| entry.outcome.clone()) {
            Some(Outcome::Reply(reply)) => {
                drop(tape);
                wire::show(&reply.text, request, context);
                Ok(*reply)
            }
            Some(Outcome::Failure(failure)) => Err(failure),
            None => {
                let detail = format!(
                    "endpoint `{}`: {} does not hold this request: {}. Record it again",
                    self.endpoint,
                    tape.path.display(),
                    tape.difference(request, digest, n)
                );
                Err(Failure::new(FailureKind::Server, detail))
            }
        }
    }
}
