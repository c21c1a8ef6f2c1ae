//! One slot from take to submission. A run that was begun for it before is gone on with: nothing is asked twice.

use super::slot_run;
use super::{WorkEvent, Worker, told_to_stop};
use crate::error::{AppError, AppResult};
use crate::prepare::{Notes, PreparedRun};
use crate::request::RunRequest;
use futures::future::BoxFuture;
use std::time::Duration;
use synod_claims::{Agent, ClaimsError, Lease, Offer, Reader, Refusal, Submission};
use synod_engine::{Ending, LimitChanges, ResumeOutcome, RunHandle};
use synod_modes::slot::{Decision, Task};
use synod_types::{ConsensusRecord, ProblemCode, RunState, SlotType, StopReason, Verdict};

/// Who fills a slot with what.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    pub claim: String,
    pub layer: u32,
    pub slot_type: SlotType,
    pub agent: String,
    pub number: u32,
    pub model: String,
    /// What readers of the claim should know about this choice.
    pub claim_notice: Option<String>,
}

/// What came of a slot.
pub enum Filled {
    Submitted,
    /// Somebody else has it, or the claim has moved on.
    Lost,
    /// This model could not: the slot is open again.
    Failed(String),
    Stopped,
    /// The budget has no room for what it may cost.
    NoRoom(f64),
}

/// How a run for a slot ended.
enum Came {
    Decided(Box<Decision>, String),
    Not(Filled),
}

impl Worker<'_> {
    pub fn fill(&self, offer: Offer, by: Assignment) -> BoxFuture<'_, (String, AppResult<Filled>)> {
        Box::pin(async move {
            let slot = offer.slot.id.clone();
            (slot, self.fill_slot(&offer, &by).await)
        })
    }

    async fn fill_slot(&self, offer: &Offer, by: &Assignment) -> AppResult<Filled> {
        let agent = self.app.local_agent(by.number, &by.model);
        let (claim, slot) = (&offer.claim.id, &offer.slot.id);
        let lease = match self.claims.take(claim, slot, &agent).await {
            Ok(lease) => lease,
            Err(ClaimsError::Refused(_)) => return Ok(Filled::Lost),
            Err(error) => return Err(error.into()),
        };
        (self.on_event)(WorkEvent::Filling { slot: &lease.slot, model: &by.model });
        let came = self.run_slot(offer, by, &agent, &lease).await;
        let filled = match came {
            Ok(Came::Decided(decision, model)) => return self.submit(&lease, &agent, by, *decision, model).await,
            Ok(Came::Not(filled)) => filled,
            // A model that cannot be seated or reached is this model's failure.
            Err(AppError::Usage(problems)) => Filled::Failed(problems.to_string()),
            Err(error) => {
                self.claims.release(claim, slot, &agent).await?;
                return Err(error);
            }
        };
        if let Filled::Failed(why) = &filled {
            (self.on_event)(WorkEvent::GivenBack { slot: &lease.slot, model: &by.model, why });
        }
        self.claims.release(claim, slot, &agent).await?;
        Ok(filled)
    }

    async fn submit(&self, lease: &Lease, agent: &Agent, by: &Assignment, decision: Decision, model: String) -> AppResult<Filled> {
        let run = self.claims.last_run(&lease.slot.id).await?;
        let (claim, slot) = (&lease.slot.claim_id, &lease.slot.id);
        let confidence = decision.confidence;
        let mut what = Submission {
            output: decision.output,
            confidence,
            structured_output: decision.structured_output,
            notice: decision.notice,
            claim_notice: by.claim_notice.clone().filter(|_| model == by.model),
            agent_model: Some(model.clone()),
            lease_id: Some(lease.lease_id.clone()),
            run,
            ..Submission::default()
        };
        let mut done = self.claims.submit(claim, slot, agent, what.clone()).await;
        if matches!(done, Err(ClaimsError::Refused(Refusal::LeaseExpired))) {
            // It took longer than the lease; what was said is worth a second take.
            match self.claims.take(claim, slot, agent).await {
                Ok(again) => {
                    what.lease_id = Some(again.lease_id);
                    done = self.claims.submit(claim, slot, agent, what).await;
                }
                Err(ClaimsError::Refused(_)) => return Ok(Filled::Lost),
                Err(error) => return Err(error.into()),
            }
        }
        match done {
            Ok(_) => {
                (self.on_event)(WorkEvent::Filled { slot: &lease.slot, model: &model, confidence });
                Ok(Filled::Submitted)
            }
            Err(ClaimsError::Refused(refusal @ Refusal::Invalid(_))) => Ok(Filled::Failed(refusal.to_string())),
            Err(ClaimsError::Refused(_)) => Ok(Filled::Lost),
            Err(error) => Err(error.into()),
        }
    }

    async fn run_slot(&self, offer: &Offer, by: &Assignment, agent: &Agent, lease: &Lease) -> AppResult<Came> {
        if let Some(run) = self.claims.last_run(&lease.slot.id).await?
            && let Some(came) = self.go_on(&run, agent, lease).await?
        {
            return Ok(came);
        }
        let context = self.claims.context(&offer.claim.id, &lease.slot.id).await?;
        let claim = self.claims.claim(&offer.claim.id, &Reader::Reviewer).await?;
        let mut request = slot_run::request(&claim, &lease.slot, &context, lease, &by.agent, &by.model);
        let low = self.order.low_layer == Some(lease.slot.layer) && lease.slot.attempt == 1 && lease.slot.slot_type == SlotType::Consensus;
        if low && self.crew.rehearsal {
            slot_run::script_confidence(&mut request, 0.4);
        }
        let (prepared, aside) = match self.within_budget(request).await? {
            Ok(prepared) => prepared,
            Err(needed) => return Ok(Came::Not(Filled::NoRoom(needed))),
        };
        let run = prepared.header().run.clone();
        let started = async {
            self.claims.assign_run(&claim.id, Some(&lease.slot.id), &run).await?;
            let (_, handle) = prepared.start(self.app).await?;
            AppResult::Ok(handle)
        };
        match started.await {
            Ok(handle) => self.follow(handle, aside, 0.0, agent, lease).await,
            Err(error) => {
                self.purse.settle(aside, 0.0);
                Err(error)
            }
        }
    }

    /// A run with what it may cost set aside: the worst of its call, and of one repair. `Err`: the budget has no room for so much.
    async fn within_budget(&self, mut request: RunRequest) -> AppResult<Result<(PreparedRun, f64), f64>> {
        if !self.purse.is_limited() {
            return Ok(Ok((self.app.prepare(request, Vec::new(), &mut Notes::default()).await?, 0.0)));
        }
        // Planned within a budget, so that a price that is missing is found.
        request.limits.budget_usd = Some(f64::from(u32::MAX));
        let worst = self.app.prepare(request.clone(), Vec::new(), &mut Notes::default()).await?.quote().worst_usd.unwrap_or(0.0);
        let aside = 2.0 * worst;
        if !self.purse.set_aside(aside) {
            return Ok(Err(aside));
        }
        request.limits.budget_usd = Some(aside);
        match self.app.prepare(request, Vec::new(), &mut Notes::default()).await {
            Ok(prepared) => Ok(Ok((prepared, aside))),
            Err(error) => {
                self.purse.settle(aside, 0.0);
                Err(error)
            }
        }
    }

    /// Goes on with a run that was begun for this slot. `None`: it never began, or came to nothing.
    async fn go_on(&self, run: &str, agent: &Agent, lease: &Lease) -> AppResult<Option<Came>> {
        let summary = match self.app.run(run).await {
            Ok(summary) => summary,
            // It was written down and never begun.
            Err(AppError::Usage(_)) => return Ok(None),
            Err(error) => return Err(error),
        };
        if matches!(summary.state, RunState::Lost) {
            return Ok(None);
        }
        let runner = self.app.runner(run).await?;
        let Some(aside) = self.purse.set_aside_rest() else { return Ok(Some(Came::Not(Filled::NoRoom(0.01)))) };
        // What it has cost so far is spent; the rest may be added to it.
        let before = summary.spent_usd.unwrap_or(0.0);
        let budget_usd = self.purse.is_limited().then_some(before + aside);
        let resumed = self.app.resume(&runner, run, LimitChanges { budget_usd, ..LimitChanges::default() }, |_| {}).await;
        if !matches!(resumed, Ok(ResumeOutcome::Running(_))) {
            self.purse.settle(aside, 0.0);
        }
        match resumed {
            Ok(ResumeOutcome::Running(handle)) => self.follow(handle, aside, before, agent, lease).await.map(Some),
            Ok(ResumeOutcome::Ended(verdict)) => Ok(decided(&verdict)),
            // Another process is at it.
            Err(AppError::Usage(problems)) if problems.0.iter().any(|problem| problem.code == ProblemCode::Conflict) => {
                Ok(Some(Came::Not(Filled::Lost)))
            }
            // Another version began it.
            Err(AppError::Usage(problems)) if problems.0.iter().any(|problem| problem.code == ProblemCode::OtherVersion) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Waits for a run, keeping the lease meanwhile.
    async fn follow(&self, mut handle: RunHandle, aside: f64, before: f64, agent: &Agent, lease: &Lease) -> AppResult<Came> {
        let secs = lease.expires_at.saturating_sub(lease.slot.taken_at.unwrap_or(lease.expires_at)).max(1_000);
        let mut beat = tokio::time::interval(Duration::from_millis(secs as u64 * 4 / 5));
        beat.tick().await;
        let mut stop = self.stop.clone();
        let mut asked_to_stop = false;
        let ending = loop {
            tokio::select! {
                ending = handle.ending() => break ending,
                _ = beat.tick() => {
                    // After the last extension the submission decides whether the slot is still ours.
                    let extended = self.claims.heartbeat(&lease.slot.claim_id, &lease.slot.id, agent, Some(lease.lease_id.clone())).await;
                    if let Err(error) = extended {
                        tracing::debug!(slot = lease.slot.id, %error, "the lease was not extended");
                    }
                }
                () = told_to_stop(&mut stop), if !asked_to_stop => {
                    asked_to_stop = true;
                    handle.cancel();
                }
            }
        };
        self.purse.settle(aside, self.cost_of(&handle.run).await? - before);
        Ok(match ending {
            Ending::Verdict(verdict) => decided(&verdict).unwrap_or_else(|| Came::Not(Filled::Failed(why_not(&verdict)))),
            Ending::Stopped(stopped) => Came::Not(match stopped.reason {
                StopReason::Budget => Filled::NoRoom(aside),
                StopReason::Offline => Filled::Failed(stopped.detail),
                _ => Filled::Stopped,
            }),
        })
    }

    /// What a run has cost so far, as far as is known.
    async fn cost_of(&self, run: &str) -> AppResult<f64> {
        Ok(self.app.run(run).await?.spent_usd.unwrap_or(0.0))
    }

    /// One summary of several, by the light model. `None`: it could not be made.
    pub async fn merge(&self, record: &ConsensusRecord) -> AppResult<Option<String>> {
        let claim = self.claims.claim(&record.claim_id, &Reader::Reviewer).await?;
        let request = slot_run::merge_request(&claim, record, &self.crew.light);
        let Ok((prepared, aside)) = self.within_budget(request).await? else { return Ok(None) };
        self.claims.assign_run(&claim.id, None, &prepared.header().run).await?;
        let (_, mut handle) = prepared.start(self.app).await?;
        let ending = handle.ending().await;
        self.purse.settle(aside, self.cost_of(&handle.run).await?);
        Ok(match ending {
            Ending::Verdict(verdict) => match decided(&verdict) {
                Some(Came::Decided(decision, _)) => Some(decision.output),
                _ => None,
            },
            Ending::Stopped(_) => None,
        })
    }
}

/// What a verdict says to submit.
fn decided(verdict: &Verdict) -> Option<Came> {
    let decision: Decision = serde_json::from_value(verdict.decision.clone()?).ok()?;
    let model = verdict.data.get("model").and_then(|model| model.as_str()).unwrap_or_default().to_owned();
    Some(Came::Decided(Box::new(decision), model))
}

fn why_not(verdict: &Verdict) -> String {
    let missing = verdict.missing.first().map(|missing| missing.detail.clone());
    missing.or_else(|| verdict.warnings.first().cloned()).unwrap_or_else(|| verdict.stop_reason.clone())
}

/// The task that a slot is.
pub fn task_of(slot_type: SlotType, has_work: bool) -> Task {
    match slot_type {
        SlotType::Work => Task::Work,
        SlotType::Consensus if has_work => Task::Consensus,
        SlotType::Consensus => Task::Synthesis,
    }
}
