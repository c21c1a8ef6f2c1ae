//! The state of one run in this process: what it may still start, what is under way, what must be written first.

use super::counters::CallCounters;
use super::hub::Hub;
use crate::{Clock, Halt, Journal, JournalError, Lease, Mode, Model, Prompts, Purse, Record, Result, Tail};
use futures::future::BoxFuture;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use synod_types::*;
use tokio::sync::Notify;

pub(crate) struct Core {
    pub mode: &'static Mode,
    pub header: Arc<Header>,
    pub limits: Limits,
    pub prompts: Arc<Prompts>,
    pub models: Vec<Option<Arc<dyn Model>>>,
    pub journal: Arc<dyn Journal>,
    pub lease: Lease,
    pub clock: Arc<dyn Clock>,
    pub record: Record,
    /// The runs this one was forked from, nearest first.
    pub ancestors: Vec<Record>,
    pub hub: Option<Arc<Hub>>,
    /// What whoever began it may spend beside the run's budget.
    pub purse: Option<Arc<dyn Purse>>,
    /// Models whose endpoint did not answer when the run was taken up, and what to do about it.
    pub unreachable: HashMap<String, String>,
    /// Nothing may be asked: recompute from the journal or say what is missing.
    pub replaying: bool,
    pub began: Millis,
    /// Messages from before this time have been obeyed.
    pub heard_since: Millis,
    pub state: Mutex<State>,
    /// Something changed that a waiting turn, person or the Runner may care about.
    pub changed: Notify,
    pub halted: AtomicBool,
    /// Somebody wants it to end now: turns in flight get a few seconds, whatever halted the run first.
    pub hurried: AtomicBool,
    pub counters: CallCounters,
}

/// Appends queued and not yet known to be safe.
pub(crate) type Appends = Vec<BoxFuture<'static, std::result::Result<Tail, JournalError>>>;

#[derive(Default)]
pub(crate) struct State {
    pub halt: Option<Halt>,
    /// What the conversation is called was written in this execution.
    pub has_title: bool,
    /// The verdict is being written: nothing may change it any more.
    pub concluded: bool,
    pub closing: Option<(Closing, Millis)>,
    /// Keys asked, shown or put to a person in this execution.
    pub used: HashSet<String>,
    /// Turns started and not yet ended.
    pub turns: usize,
    /// Calls with a reservation, under way at a provider.
    pub in_flight: usize,
    pub waiting: BTreeMap<String, Asking>,
    pub answers: HashMap<String, PersonAnswer>,
    pub ledger: Ledger,
    /// What the budget would have to be for a turn that found no room in it.
    pub needed_usd: f64,
    pub missing: Vec<Missing>,
    pub warnings: Vec<(String, i64, String)>,
    /// Parent scope → the phase now open in it.
    pub open: BTreeMap<String, PhaseScope>,
    pub begun: HashSet<String>,
    /// Rows queued in this poll, in order: they go to the journal together.
    queued: Vec<NewRow>,
    pending: Appends,
    pub tail: Option<Tail>,
}

impl State {
    pub fn begin(record: &Record, began: Millis) -> Mutex<Self> {
        Mutex::new(Self { closing: record.closing.clone().map(|closing| (closing, began)), ledger: record.ledger.clone(), ..Self::default() })
    }
}

/// A phase as a place in the tree of scopes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PhaseScope {
    pub parent: String,
    pub path: String,
    pub mark: PhaseMarkKey,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PhaseMarkKey {
    pub name: &'static str,
    pub n: Option<u32>,
}

impl Core {
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// From now on no turn starts. The first halt stands.
    pub fn halt(&self, halt: Halt) -> Halt {
        if matches!(halt, Halt::Stopped { reason: StopReason::Cancelled, .. }) {
            self.hurried.store(true, Ordering::SeqCst);
        }
        let stands = self.state().halt.get_or_insert(halt).clone();
        self.halted.store(true, Ordering::SeqCst);
        self.changed.notify_waiters();
        stands
    }

    /// The process ends: the run is left for another, within seconds, whatever halted it first.
    pub fn let_go(&self) {
        self.hurried.store(true, Ordering::SeqCst);
        self.halt(Halt::stopped(StopReason::HandedOver, "its process is ending"));
    }

    pub fn check(&self) -> Result<()> {
        if !self.halted.load(Ordering::SeqCst) {
            return Ok(());
        }
        self.state().halt.clone().map_or(Ok(()), Err)
    }

    /// The questions to people that stand between the run and its next turn: none is under way, and nobody has answered.
    pub fn waits_for_people(&self) -> Option<Vec<String>> {
        let state = self.state();
        // Answers to questions of earlier stops may lie about; only one to a question now open counts.
        let heard = state.waiting.keys().any(|key| state.answers.contains_key(key));
        let idle = state.turns == 0 && state.halt.is_none() && !heard && !state.waiting.is_empty();
        idle.then(|| state.waiting.keys().cloned().collect())
    }

    /// Turns that have not started yet will not, save concluding ones. Written once.
    pub fn close(&self, reason: &str) {
        let closing = Closing { reason: reason.to_owned() };
        {
            let mut state = self.state();
            if state.closing.is_some() || state.concluded {
                return;
            }
            let now = self.clock.now();
            state.closing = Some((closing.clone(), now));
            state.queued.push(NewRow::new("", Kind::Closing, now, &closing));
            self.send(&mut state);
        }
        self.changed.notify_waiters();
    }

    /// Queues rows in the order of calls, without waiting for the disk: they are sent when this poll ends, or with the next `commit`, which
    /// waits for them too. Whoever calls this is polled by `sending`.
    pub fn enqueue(&self, scopes: &[PhaseScope], rows: Vec<NewRow>) {
        let mut state = self.state();
        self.in_phase(&mut state, scopes, rows);
    }

    /// Polls something that queues rows: those of one poll are sent as one append.
    pub fn sending<F: Future>(&self, mut inner: Pin<&mut F>) -> impl Future<Output = F::Output> {
        std::future::poll_fn(move |context| {
            let polled = inner.as_mut().poll(context);
            self.send(&mut self.state());
            polled
        })
    }

    /// The mode is in these scopes with something the journal already holds: phases begin and end as they would have.
    pub fn enter(&self, scopes: &[PhaseScope]) {
        self.enqueue(scopes, Vec::new());
    }

    /// Queues rows and waits until they, and all before them, are safe.
    pub async fn commit(&self, scopes: &[PhaseScope], rows: Vec<NewRow>) -> Result<()> {
        let appends = self.queue(&mut self.state(), scopes, rows);
        self.safe(appends).await
    }

    /// Queues rows together with a decision made under the same lock; `safe` then waits for what this returns.
    pub fn queue(&self, state: &mut State, scopes: &[PhaseScope], rows: Vec<NewRow>) -> Appends {
        self.in_phase(state, scopes, rows);
        self.send(state);
        std::mem::take(&mut state.pending)
    }

    pub async fn safe(&self, appends: Appends) -> Result<()> {
        let mut failed = None;
        for append in appends {
            match append.await {
                Ok(tail) => {
                    // Others wait for their own appends at the same time: the furthest is the tail.
                    let mut state = self.state();
                    if state.tail.is_none_or(|known| known.seq < tail.seq) {
                        state.tail = Some(tail);
                    }
                }
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        match failed {
            None => Ok(()),
            Some(error) => Err(self.halt(halt_of(error))),
        }
    }

    fn send(&self, state: &mut State) {
        if !state.queued.is_empty() {
            let rows = std::mem::take(&mut state.queued);
            let append = self.journal.append(&self.lease, rows);
            state.pending.push(append);
        }
    }

    /// Queues the rows, with the `phase` rows due before them.
    fn in_phase(&self, state: &mut State, scopes: &[PhaseScope], rows: Vec<NewRow>) {
        for scope in scopes {
            if state.begun.contains(&scope.path) {
                continue;
            }
            state.begun.insert(scope.path.clone());
            if let Some(before) = state.open.get(&scope.parent).cloned() {
                self.end_phase(state, &before);
            }
            state.open.insert(scope.parent.clone(), scope.clone());
            self.mark(state, Kind::Phase, scope);
        }
        state.queued.extend(rows);
    }

    fn end_phase(&self, state: &mut State, scope: &PhaseScope) {
        let inside = format!("{}/", scope.path);
        let inner: Vec<PhaseScope> =
            state.open.values().filter(|open| open.parent == scope.path || open.parent.starts_with(&inside)).cloned().collect();
        for open in inner.iter().rev() {
            state.open.remove(&open.parent);
            self.mark(state, Kind::PhaseEnd, open);
        }
        state.open.remove(&scope.parent);
        self.mark(state, Kind::PhaseEnd, scope);
    }

    fn mark(&self, state: &mut State, kind: Kind, scope: &PhaseScope) {
        if !self.record.marks.contains(&(kind, scope.path.clone(), 0)) {
            let mark = PhaseMark { name: scope.mark.name.to_owned(), n: scope.mark.n };
            state.queued.push(NewRow::new(scope.path.clone(), kind, self.clock.now(), &mark));
        }
    }

    /// The mode has returned: ends what is open.
    pub fn end_phases(&self) {
        let mut state = self.state();
        while let Some(scope) = state.open.values().next().cloned() {
            self.end_phase(&mut state, &scope);
        }
    }

    /// Marks a key as used in this execution. Twice is a bug of the mode, and halts the run.
    pub fn claim(&self, key: &str) -> Result<()> {
        self.check()?;
        if self.state().used.insert(key.to_owned()) {
            return Ok(());
        }
        Err(self.halt(Halt::diverged(key, "this key was used twice in one run, which is a bug in the mode")))
    }

    pub fn seat(&self, index: SeatIx) -> &Seat {
        // Seats come from the header's own roles; an index outside it is a bug of the mode, answered with the first seat's name in messages.
        self.header.seat(index).unwrap_or(&self.header.seats[0])
    }

    pub fn miss(&self, seat: SeatIx, phase: &str, failure: &Failure) {
        let missing =
            Missing { seat, who: self.seat(seat).label.clone(), phase: phase.to_owned(), why: failure.kind, detail: failure.detail.clone() };
        self.state().missing.push(missing);
    }

    /// Something the reader of the verdict must know, said at this path.
    pub fn warn(&self, scopes: &[PhaseScope], path: &str, text: String) {
        let n = {
            let mut state = self.state();
            let n = state.warnings.iter().rev().find(|(at, ..)| at == path).map_or(0, |(_, n, _)| n + 1);
            state.warnings.push((path.to_owned(), n, text.clone()));
            n
        };
        let key = if path.is_empty() { "warning".to_owned() } else { format!("{path}/warning") };
        self.once(scopes, Kind::Warning, key, n, &PlainText { text });
    }

    /// A row that is written the first time only.
    pub fn once(&self, scopes: &[PhaseScope], kind: Kind, key: String, n: i64, body: &impl serde::Serialize) {
        if self.record.marks.contains(&(kind, key.clone(), n)) {
            self.enter(scopes);
        } else {
            self.enqueue(scopes, vec![NewRow::new(key, kind, self.clock.now(), body).attempt(n)]);
        }
    }

    /// Where a scope stands in the mode's own order, so that lists read alike however turns finished.
    pub fn rank(&self, path: &str) -> (usize, Vec<(String, u64)>) {
        let first = path.split('/').next().unwrap_or("");
        let name = first.rsplit_once(' ').filter(|(_, n)| n.parse::<u64>().is_ok()).map_or(first, |(name, _)| name);
        let place = self.mode.phases.iter().position(|phase| *phase == name).unwrap_or(self.mode.phases.len());
        let parts = path.split('/').map(|part| match part.rsplit_once([' ', '@']) {
            Some((name, n)) if n.parse::<u64>().is_ok() => (name.to_owned(), n.parse().unwrap_or(0)),
            _ => (part.to_owned(), 0),
        });
        (place, parts.collect())
    }
}

pub(crate) fn halt_of(error: JournalError) -> Halt {
    match error {
        JournalError::LeaseLost => Halt::stopped(StopReason::LeaseLost, error.to_string()),
        JournalError::Duplicate(what) => Halt::diverged(what, "the journal already has this row"),
        JournalError::Storage(_) | JournalError::Repeated | JournalError::NoSuchRun(_) | JournalError::Held { .. } => {
            Halt::stopped(StopReason::Storage, error.to_string())
        }
    }
}
