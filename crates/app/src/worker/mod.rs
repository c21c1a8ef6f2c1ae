//! The built-in worker: fills the slots of claims with the models of a panel. Every slot is a run of its own, journaled, budgeted and resumed like
//! any other; a claim that was left in the middle goes on where it was.

mod crew;
mod fill;
mod likely;
mod purse;
mod slot_run;

use crate::app::App;
use crate::error::{AppError, AppResult};
use crate::prepare::Notes;
use crew::Crew;
use fill::{Assignment, Filled};
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use purse::Purse;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet, VecDeque};
use std::future::Future;
use std::time::Duration;
use synod_claims::{Agent, Claims, Offer, Reader, WorkFilter};
use synod_types::{ClaimView, LOCAL, LayerResult, PipelineStatus, Slot, SlotStatus};
use tokio::sync::watch;

/// Slots filled at once.
const AT_ONCE: usize = 8;
/// How often to look for work that others make or leave.
const LOOK: Duration = Duration::from_millis(500);

/// How claims are worked here: by whom, and for how much.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkOrder {
    pub rehearse: bool,
    /// A panel of the configuration.
    pub panel: Option<String>,
    pub models: Vec<String>,
    /// In all.
    pub budget_usd: Option<f64>,
    /// In a rehearsal: the layer whose first attempt is scored low, so that its review can be tried.
    pub low_layer: Option<u32>,
}

/// What happens while a worker works.
#[derive(Clone, Debug)]
pub enum WorkEvent<'a> {
    Filling {
        slot: &'a Slot,
        model: &'a str,
    },
    Filled {
        slot: &'a Slot,
        model: &'a str,
        confidence: Option<f64>,
    },
    /// The slot goes to another model.
    GivenBack {
        slot: &'a Slot,
        model: &'a str,
        why: &'a str,
    },
    Layer {
        claim: &'a str,
        result: &'a LayerResult,
    },
    Merging,
}

pub type OnEvent<'a> = &'a (dyn for<'e> Fn(WorkEvent<'e>) + Sync);

/// How working ended.
#[derive(Clone, Debug, PartialEq)]
pub enum WorkEnd {
    Complete,
    /// A person must decide.
    Flagged,
    /// There is nothing (more) that this panel may do.
    NoWork,
    /// At least one slot was filled, and one was all that was asked for.
    Once,
    /// Another agent was quicker.
    LostRace,
    Stopped,
    /// What is left of the budget does not pay for the next slot.
    Budget {
        spent: f64,
        needed: f64,
    },
    /// Not one model of the panel could fill a slot.
    Unfilled(String),
}

impl WorkEnd {
    /// For scripts.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Flagged => "flagged",
            Self::NoWork => "no_work",
            Self::Once => "done",
            Self::LostRace => "lost_race",
            Self::Stopped => "stopped",
            Self::Budget { .. } => "budget",
            Self::Unfilled(_) => "unfilled",
        }
    }
}

/// Which work is done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorkScope {
    /// One claim to its end; else whatever is open.
    pub claim: Option<String>,
    /// One slot, and no more.
    pub once: bool,
    /// Waits for more when nothing is left to do.
    pub forever: bool,
}

impl App {
    /// Works as told until there is nothing more to do, it is stopped, or the budget is spent.
    pub async fn work(
        &self,
        order: &WorkOrder,
        scope: &WorkScope,
        on_event: OnEvent<'_>,
        stop: watch::Receiver<bool>,
        notes: &mut Notes,
    ) -> AppResult<WorkEnd> {
        let crew = Crew::gather(self, order, notes).await?;
        let spent = match &scope.claim {
            Some(claim) => self.claims().spent(claim).await?.usd,
            None => 0.0,
        };
        let purse = Purse::new(order.budget_usd, spent);
        let worker = Worker { app: self, claims: self.claims(), order, crew, purse, on_event, stop };
        worker.claims.release_dead_workers().await?;
        worker.work(scope).await
    }

    /// The models that would work under an order.
    pub async fn crew(&self, order: &WorkOrder, notes: &mut Notes) -> AppResult<Vec<String>> {
        Ok(Crew::gather(self, order, notes).await?.models)
    }

    /// The claims' agents of this machine: one identity a place in a layer.
    pub(crate) fn local_agent(&self, number: u32, model: &str) -> Agent {
        let id = format!("{LOCAL}-{number}");
        Agent { name: id.clone(), model: Some(model.to_owned()), worker: Some(self.store.owner().to_owned()), ..Agent::key(&id, LOCAL) }
    }
}

/// What all slots under way share.
struct Worker<'a> {
    app: &'a App,
    claims: &'a Claims,
    order: &'a WorkOrder,
    crew: Crew,
    purse: Purse,
    on_event: OnEvent<'a>,
    stop: watch::Receiver<bool>,
}

type SlotOutcome = (String, AppResult<Filled>);

/// What one worker has under way and what it learned on the way.
#[derive(Default)]
struct Shift<'w> {
    under_way: FuturesUnordered<BoxFuture<'w, SlotOutcome>>,
    finished: VecDeque<SlotOutcome>,
    assigned: HashMap<String, Assignment>,
    /// By slot: models that could not fill it, and why.
    failed: HashMap<String, Vec<(String, String)>>,
    /// Layers and attempts whose end was told.
    told: HashSet<(u32, u32)>,
    /// What the next slot may cost, where the budget has no room for it until a run under way leaves more than it set aside.
    no_room: Option<f64>,
    end: Option<WorkEnd>,
}

impl Shift<'_> {
    /// Waits for something while the slots under way go on: they hold connections to the database that it may need.
    async fn beside<T>(&mut self, work: impl Future<Output = T>) -> T {
        tokio::pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return done,
                Some(outcome) = self.under_way.next(), if !self.under_way.is_empty() => self.finished.push_back(outcome),
            }
        }
    }

    /// The next slot that ends, if one is under way.
    async fn next(&mut self) -> Option<SlotOutcome> {
        match self.finished.pop_front() {
            Some(outcome) => Some(outcome),
            None => self.under_way.next().await,
        }
    }

    /// Takes in what came of a slot.
    fn take_in(&mut self, slot: String, filled: Filled, once: bool) {
        let assignment = self.assigned.remove(&slot);
        self.no_room = None;
        match filled {
            Filled::Submitted if once => self.end = Some(WorkEnd::Once),
            Filled::Lost if once => self.end = Some(WorkEnd::LostRace),
            Filled::Submitted | Filled::Lost => {}
            Filled::Failed(why) => {
                let model = assignment.map(|assignment| assignment.model).unwrap_or_default();
                self.failed.entry(slot).or_default().push((model, why));
            }
            Filled::Stopped => self.end = self.end.take().or(Some(WorkEnd::Stopped)),
            Filled::NoRoom(needed) => self.no_room = Some(needed),
        }
    }
}

impl Worker<'_> {
    async fn work(&self, scope: &WorkScope) -> AppResult<WorkEnd> {
        let mut shift = Shift::default();
        let mut stop = self.stop.clone();
        loop {
            if *stop.borrow() {
                shift.end = Some(WorkEnd::Stopped);
            }
            let view = match &scope.claim {
                Some(claim) => Some(self.look(&mut shift, claim).await?),
                None => None,
            };
            let unfilled = if shift.end.is_none() && shift.no_room.is_none() { self.hand_out(&mut shift, scope, view.as_ref()).await? } else { None };
            if let Some((slot, filled)) = shift.next().await {
                shift.take_in(slot, filled?, scope.once);
                continue;
            }
            let ended = self.ending(&mut shift, scope, view.as_ref(), unfilled);
            if scope.claim.is_none() || ended == Some(WorkEnd::Complete) {
                self.merge_summaries(scope.claim.as_deref()).await?;
            }
            if let Some(end) = ended {
                return Ok(end);
            }
            tokio::select! {
                () = tokio::time::sleep(LOOK) => {}
                () = told_to_stop(&mut stop) => {}
            }
            self.claims.release_dead_workers().await?;
        }
    }

    /// Gives open slots to models, as many as may be filled at once. Returns why a slot cannot be filled, if no model is left for it.
    async fn hand_out<'w>(&'w self, shift: &mut Shift<'w>, scope: &WorkScope, view: Option<&ClaimView>) -> AppResult<Option<String>> {
        let mut unfilled = None;
        for offer in shift.beside(self.offers(scope)).await? {
            if shift.assigned.len() >= if scope.once { 1 } else { AT_ONCE } {
                break;
            }
            if shift.assigned.contains_key(&offer.slot.id) {
                continue;
            }
            let read = match view {
                Some(_) => None,
                None => Some(shift.beside(self.claims.view(&offer.claim.id, &Reader::Reviewer)).await?),
            };
            let Some(view) = view.or(read.as_ref()) else { continue };
            let failed = shift.failed.get(&offer.slot.id).map(Vec::as_slice).unwrap_or_default();
            match self.crew.choose(&offer, view, &shift.assigned.values().collect::<Vec<_>>(), failed) {
                Some(assignment) => {
                    shift.assigned.insert(offer.slot.id.clone(), assignment.clone());
                    shift.under_way.push(self.fill(offer, assignment));
                }
                None => unfilled = failed.last().map(|(model, why)| format!("{model}: {why}")),
            }
        }
        Ok(unfilled)
    }

    /// Whether there is nothing more to do, now that nothing is under way.
    fn ending(&self, shift: &mut Shift<'_>, scope: &WorkScope, view: Option<&ClaimView>, unfilled: Option<String>) -> Option<WorkEnd> {
        let spent = shift.no_room.map(|needed| WorkEnd::Budget { spent: self.purse.spent(), needed });
        let nothing = match view {
            Some(view) => !waits_for_others(view),
            None => !scope.forever,
        };
        shift.end.take().or(spent).or(unfilled.map(WorkEnd::Unfilled)).or(nothing.then_some(WorkEnd::NoWork))
    }

    /// The claim as it is now; layers that ended since the last look are told.
    async fn look(&self, shift: &mut Shift<'_>, claim: &str) -> AppResult<ClaimView> {
        let first = shift.told.is_empty();
        let view = shift.beside(self.claims.view(claim, &Reader::Reviewer)).await?;
        for result in &view.layers {
            if shift.told.insert((result.layer, result.attempt)) && !first {
                (self.on_event)(WorkEvent::Layer { claim, result });
            }
        }
        // So that a claim without any ended layer has been looked at too.
        shift.told.insert((u32::MAX, 0));
        match view.pipeline.status {
            PipelineStatus::Active => {}
            PipelineStatus::Complete => shift.end = Some(WorkEnd::Complete),
            PipelineStatus::Flagged => shift.end = Some(WorkEnd::Flagged),
        }
        Ok(view)
    }

    /// Open slots of the claims that this worker may work on.
    async fn offers(&self, scope: &WorkScope) -> AppResult<Vec<Offer>> {
        let scout = self.app.local_agent(0, "");
        let filter = WorkFilter { claim: scope.claim.clone(), rehearsal: self.crew.rehearsal, enough: Some(4 * AT_ONCE), ..WorkFilter::default() };
        Ok(self.claims.offers(&scout, &filter).await?)
    }

    async fn merge_summaries(&self, claim: Option<&str>) -> AppResult<()> {
        for record in self.claims.unmerged(self.crew.rehearsal, claim).await? {
            (self.on_event)(WorkEvent::Merging);
            let merged = self.merge(&record).await;
            let summary = match merged {
                Ok(summary) => summary,
                // The joined summaries stay: a claim is not lost over its wording.
                Err(AppError::Usage(problems)) => {
                    tracing::warn!(claim = record.claim_id, %problems, "the summaries could not be merged");
                    None
                }
                Err(error) => return Err(error),
            };
            if *self.stop.borrow() {
                return Ok(());
            }
            self.claims.merge(&record, summary.as_deref(), Some(&self.crew.light)).await?;
        }
        Ok(())
    }
}

/// Returns when the worker is told to stop; never, where nobody can tell it any more.
async fn told_to_stop(stop: &mut watch::Receiver<bool>) {
    if stop.wait_for(|stop| *stop).await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Whether somebody else holds what is missing.
fn waits_for_others(view: &ClaimView) -> bool {
    let now = &view.pipeline;
    let here = |slot: &&Slot| slot.layer == now.current_layer && slot.attempt == now.attempt;
    view.slots.iter().filter(here).any(|slot| slot.status == SlotStatus::Taken)
}
