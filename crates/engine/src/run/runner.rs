//! The one way in: start, resume, fork, cancel, watch, quote, replay. Every door (command line, server) makes one of these calls.

use super::core::{Core, State};
use super::drive::{Ending, drive};
use super::here::{Here, UnderWay};
use super::inbox::{beat, deliver};
use crate::plan::{LimitChanges, Plan, RunSpec, plan, unknown_mode};
use crate::{Allowance, Clock, Halt, Journal, JournalError, Lease, Library, MemoryJournal, Mode, Model, Models, Prompts, Record};
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard};
use std::time::Duration;
use synod_types::*;
use tokio::sync::Notify;

/// Everything a Runner works with.
#[derive(Clone)]
pub struct Setup {
    pub modes: &'static [&'static Mode],
    /// Modes that only a door's own commands start: by no name and in no list.
    pub internal_modes: &'static [&'static Mode],
    pub models: Arc<dyn Models>,
    pub journal: Arc<dyn Journal>,
    pub prompts: Arc<Prompts>,
    /// What options may name.
    pub library: Arc<dyn Library>,
    pub clock: Arc<dyn Clock>,
    /// Name and version of this program, frozen into headers.
    pub binary: String,
    /// Keep the text of running turns for watchers. Costs a little a token.
    pub live: bool,
    /// Limits of those who ask, beside the limits of runs.
    pub allowance: Option<Arc<dyn Allowance>>,
    /// How often messages are looked for and leases kept.
    pub heartbeat: Duration,
}

#[derive(Clone)]
pub struct Runner {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub setup: Setup,
    pub here: Arc<Here>,
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RunError {
    #[error("{0}")]
    Usage(#[from] Problems),
    #[error("{0}")]
    Journal(#[from] JournalError),
    #[error("{0}")]
    Unreadable(#[from] UnreadableRow),
}

impl From<Problem> for RunError {
    fn from(problem: Problem) -> Self {
        Self::Usage(problem.into())
    }
}

/// A verdict made again from the journal alone, beside the one recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayResult {
    pub recorded: Option<Verdict>,
    pub ending: Ending,
}

impl ReplayResult {
    /// Equal in all but run, receipt and times.
    pub fn same(&self) -> bool {
        match (&self.recorded, &self.ending) {
            (Some(recorded), Ending::Verdict(verdict)) => recorded.essence() == verdict.essence(),
            _ => false,
        }
    }
}

/// What came of resuming a run.
pub enum ResumeOutcome<T = RunHandle> {
    /// It goes on in this process.
    Running(T),
    /// It had ended already: nothing was asked.
    Ended(Box<Verdict>),
}

/// What the state of a run is built from.
struct Parts {
    mode: &'static Mode,
    header: Arc<Header>,
    models: Vec<Option<Arc<dyn Model>>>,
    journal: Arc<dyn Journal>,
    lease: Lease,
    record: Record,
    ancestors: Vec<Record>,
    heard_since: Millis,
    unreachable: HashMap<String, String>,
}

/// A run under way in this process.
pub struct RunHandle {
    pub run: String,
    core: Arc<Core>,
    ending: tokio::task::JoinHandle<Ending>,
}

impl RunHandle {
    /// Waits for the end. The run goes on whether or not anybody waits.
    pub async fn ending(&mut self) -> Ending {
        match (&mut self.ending).await {
            Ok(ending) => ending,
            Err(error) => {
                let detail = format!("the run's own task broke: {error}");
                // The mode is not known to be at fault, and its rows are whole.
                Ending::Stopped(Stopped { action: Action::Resume, ..Stopped::new(StopReason::Panic, detail) })
            }
        }
    }
    pub fn cancel(&self) {
        self.core.halt(Halt::stopped(StopReason::Cancelled, "cancelled"));
    }
    pub fn conclude(&self) {
        self.core.close("asked");
    }
}

impl Runner {
    pub fn new(setup: Setup) -> Self {
        let here = Here::new(setup.live);
        Self { inner: Arc::new(Inner { setup, here: Arc::new(here) }) }
    }

    /// The same Runner with other models: the runs under way belong to both.
    pub fn with_models(&self, models: Arc<dyn Models>) -> Self {
        let setup = Setup { models, ..self.inner.setup.clone() };
        Self { inner: Arc::new(Inner { setup, here: self.inner.here.clone() }) }
    }

    pub(crate) fn setup(&self) -> &Setup {
        &self.inner.setup
    }

    /// Checks a spec whole, the endpoints included: every error at once, nothing paid.
    pub async fn plan(&self, spec: &RunSpec) -> Result<Plan, Problems> {
        self.plan_from(self.setup().modes, spec).await
    }

    /// The same for a mode that is in no list.
    pub async fn plan_internal(&self, spec: &RunSpec) -> Result<Plan, Problems> {
        self.plan_from(self.setup().internal_modes, spec).await
    }

    /// A title is worth no refusal: where only whoever would give it is in the way, the question's words do.
    async fn plan_from(&self, modes: &'static [&'static Mode], spec: &RunSpec) -> Result<Plan, Problems> {
        let planned = self.plan_as_given(modes, spec).await;
        match planned {
            Err(_) if spec.titled && !spec.title_from_question => {
                let plain = RunSpec { title_from_question: true, ..spec.clone() };
                self.plan_as_given(modes, &plain).await.or(planned)
            }
            planned => planned,
        }
    }

    async fn plan_as_given(&self, modes: &'static [&'static Mode], spec: &RunSpec) -> Result<Plan, Problems> {
        let setup = self.setup();
        let planned = plan(spec, modes, setup.models.as_ref(), &setup.prompts, setup.library.as_ref(), &setup.binary, setup.clock.now());
        let cards: Vec<&ModelCard> = match &planned {
            Ok(plan) => plan.header.models.values().collect(),
            Err((_, cards)) => cards.iter().collect(),
        };
        let unreachable = setup.models.probe(&cards).await;
        match planned {
            Ok(plan) if unreachable.is_empty() => Ok(plan),
            Ok(_) => Err(Problems(unreachable)),
            Err((mut problems, _)) => {
                problems.0.extend(unreachable);
                Err(problems)
            }
        }
    }

    pub fn quote(&self, plan: &Plan) -> Quote {
        plan.quote(&self.setup().prompts)
    }

    pub async fn start(&self, plan: Plan) -> Result<RunHandle, RunError> {
        let Plan { mode, header, once, models, .. } = plan;
        let ancestors = self.ancestors(header.parent.as_deref()).await?;
        let models = header.seats.iter().map(|seat| models.get(&seat.model).cloned()).collect();
        let at = self.setup().clock.now();
        let blobs = header.question.kept_files().map(|file| (file.sha256.clone(), file.text.clone().into_bytes())).collect();
        let lease = self.setup().journal.begin(&header, at, blobs, once).await?;
        let header = Arc::new(header);
        let record = Record::begin(header.clone());
        let heard_since = at;
        let parts =
            Parts { mode, header, models, journal: self.setup().journal.clone(), lease, record, ancestors, heard_since, unreachable: HashMap::new() };
        Ok(self.launch(Arc::new(self.core(parts))))
    }

    /// Goes on with a run nobody holds: only the missing turns are asked.
    pub async fn resume(&self, run: &str, changes: LimitChanges) -> Result<ResumeOutcome, RunError> {
        let journal = &self.setup().journal;
        let before = Record::of(&journal.rows(run, 0).await?)?;
        if let Some(verdict) = before.verdict {
            return Ok(ResumeOutcome::Ended(Box::new(verdict)));
        }
        self.same_version(&before)?;
        let lease = journal.take(run).await?;
        // Whoever resumes it has seen what was said before.
        let since = Some(self.setup().clock.now());
        match self.take_up(run, &lease, changes, since).await {
            Ok(ResumeOutcome::Running(core)) => Ok(ResumeOutcome::Running(self.launch(core))),
            Ok(ResumeOutcome::Ended(verdict)) => {
                journal.release(&lease).await?;
                Ok(ResumeOutcome::Ended(verdict))
            }
            Err(error) => {
                journal.release(&lease).await?;
                Err(error)
            }
        }
    }

    /// How many runs are under way here.
    pub fn under_way(&self) -> usize {
        self.active().len()
    }

    /// `since`: messages from before it have been obeyed; `None`: only a stop obeys one, and nothing is begun where a model cannot be reached.
    pub(super) async fn take_up(
        &self,
        run: &str,
        lease: &Lease,
        changes: LimitChanges,
        since: Option<Millis>,
    ) -> Result<ResumeOutcome<Arc<Core>>, RunError> {
        let setup = self.setup();
        let rows = setup.journal.rows(run, 0).await?;
        let mut record = Record::of(&rows)?;
        // Whoever held it may have ended it in between.
        if let Some(verdict) = record.verdict.take() {
            return Ok(ResumeOutcome::Ended(Box::new(verdict)));
        }
        let mode = self.mode(&record.header.mode)?;
        let header = self.with_files(&record.header).await?;
        let models = self.open(&header)?;
        let ancestors = self.ancestors(header.parent.as_deref()).await?;
        record.limits = changes.over(record.limits, &header)?;
        // Offline, every seat would fail and the run would be lost for good. What needs no call goes on.
        let unreachable = self.unreachable(&header).await;
        let needed: Vec<(&String, &String)> = unreachable.iter().filter(|(model, _)| !self.only_titles(mode, &header, model)).collect();
        if since.is_none() && !needed.is_empty() {
            let problem =
                |(model, why): (&String, &String)| Problem::new(model.clone(), why.clone(), "a model that answers").code(ProblemCode::Unreachable);
            return Err(Problems(needed.into_iter().map(problem).collect()).into());
        }
        let resumed = Resumed { limits: record.limits, binary: setup.binary.clone() };
        let row = NewRow::new("", Kind::Resumed, setup.clock.now(), &resumed).attempt(record.resumes);
        setup.journal.append(lease, vec![row]).await?;
        let heard_since = since.or(record.stopped_at).unwrap_or(Millis::MIN);
        let journal = setup.journal.clone();
        let core = Arc::new(self.core(Parts { mode, header, models, journal, lease: lease.clone(), record, ancestors, heard_since, unreachable }));
        for item in setup.journal.inbox(run).await? {
            deliver(&core, item);
        }
        Ok(ResumeOutcome::Running(core))
    }

    /// Recomputes the verdict from the journal, with no call and no write.
    pub async fn replay(&self, run: &str) -> Result<ReplayResult, RunError> {
        let setup = self.setup();
        let rows = setup.journal.rows(run, 0).await?;
        let mut record = Record::of(&rows)?;
        self.same_version(&record)?;
        let mode = self.mode(&record.header.mode)?;
        let header = self.with_files(&record.header).await?;
        let mut raws = Vec::new();
        for row in rows.iter().filter(|row| row.kind == Kind::Replied) {
            if let Some(raw) = setup.journal.raw(run, &row.key, row.attempt).await? {
                raws.push((row.key.clone(), row.attempt, raw));
            }
        }
        let memory = Arc::new(MemoryJournal::default());
        memory.load(rows.into_iter().filter(|row| row.kind != Kind::Verdict).collect(), raws);
        let lease = memory.take(run).await?;
        let recorded = record.verdict.take();
        let models = header.seats.iter().map(|_| None).collect();
        let parts = Parts {
            mode,
            header,
            models,
            journal: memory,
            lease,
            record,
            ancestors: Vec::new(),
            heard_since: Millis::MAX,
            unreachable: HashMap::new(),
        };
        let core = Arc::new(Core { replaying: true, hub: None, purse: None, ..self.core(parts) });
        Ok(ReplayResult { recorded, ending: drive(core).await })
    }

    /// Only the version that began a run can go on with it or recompute it: another may ask, show or decide differently.
    pub(super) fn same_version(&self, record: &Record) -> Result<(), Problem> {
        let (header, mode) = (&record.header, self.mode(&record.header.mode)?);
        if header.mode_version == mode.version {
            return Ok(());
        }
        let got = format!("it was begun with version {} of {}, and this program has version {}", header.mode_version, mode.id, mode.version);
        Err(Problem::new("run", got, "a fork of it, which takes over what is still asked the same; or the program that began it")
            .code(ProblemCode::OtherVersion))
    }

    /// The mode of a run that exists, listed or not.
    fn mode(&self, id: &str) -> Result<&'static Mode, Problem> {
        let setup = self.setup();
        let mut all = setup.modes.iter().chain(setup.internal_modes).copied();
        all.find(|mode| mode.id == id).ok_or_else(|| unknown_mode(setup.modes, id))
    }

    /// A model behind each seat; all missing keys at once.
    fn open(&self, header: &Header) -> Result<Vec<Option<Arc<dyn Model>>>, Problems> {
        let mut opened: HashMap<&str, Arc<dyn Model>> = HashMap::new();
        let mut problems = Vec::new();
        for (name, card) in &header.models {
            match self.setup().models.open(card) {
                Ok(model) => {
                    opened.insert(name, model);
                }
                Err(problem) => problems.push(problem),
            }
        }
        if !problems.is_empty() {
            return Err(Problems(problems));
        }
        Ok(header.seats.iter().map(|seat| opened.get(seat.model.as_str()).cloned()).collect())
    }

    /// Whether a model is seated for the title alone.
    fn only_titles(&self, mode: &Mode, header: &Header, model: &str) -> bool {
        let light = |(name, _): &(&str, &str)| self.setup().prompts.settings(mode.id, name).is_some_and(|settings| settings.tier == Tier::Light);
        let mut seats = header.seats.iter().filter(|seat| seat.model == model);
        header.titled && seats.all(|seat| seat.place == Place::Clerk) && !mode.prompts.iter().any(light)
    }

    async fn unreachable(&self, header: &Header) -> HashMap<String, String> {
        let tried = header.models.values().map(|card| async move {
            let problems = self.setup().models.probe(&[card]).await;
            problems.first().map(|problem| (card.name.clone(), format!("{}: {}", problem.field, problem.got)))
        });
        futures::future::join_all(tried).await.into_iter().flatten().collect()
    }

    /// The runs this one was forked from, nearest first.
    async fn ancestors(&self, parent: Option<&str>) -> Result<Vec<Record>, RunError> {
        let mut ancestors = Vec::new();
        let mut next = parent.map(str::to_owned);
        while let Some(run) = next {
            let record = Record::of(&self.setup().journal.rows(&run, 0).await?)?;
            next = record.header.parent.clone();
            ancestors.push(record);
        }
        Ok(ancestors)
    }

    async fn with_files(&self, header: &Header) -> Result<Arc<Header>, RunError> {
        let mut header = header.clone();
        for file in header.question.kept_files_mut() {
            let bytes = self.setup().journal.blob(&file.sha256).await?;
            let bytes = bytes.ok_or_else(|| JournalError::Storage(format!("the attached file {} is no longer stored", file.name)))?;
            file.text = String::from_utf8_lossy(&bytes).into_owned();
        }
        Ok(Arc::new(header))
    }

    fn core(&self, parts: Parts) -> Core {
        let setup = self.setup();
        let Parts { mode, header, models, journal, lease, record, ancestors, heard_since, unreachable } = parts;
        let began = setup.clock.now();
        let purse = setup.allowance.as_ref().and_then(|allowance| allowance.of(&header));
        Core {
            purse,
            mode,
            limits: record.limits,
            header,
            prompts: setup.prompts.clone(),
            models,
            journal,
            lease,
            clock: setup.clock.clone(),
            state: State::begin(&record, began),
            record,
            ancestors,
            hub: self.inner.here.hub.clone(),
            unreachable,
            replaying: false,
            began,
            heard_since,
            changed: Notify::new(),
            halted: Default::default(),
            hurried: Default::default(),
            counters: Default::default(),
        }
    }

    pub(super) fn launch(&self, core: Arc<Core>) -> RunHandle {
        let run = core.lease.run.clone();
        if let Some(hub) = &core.hub {
            hub.open(&run);
        }
        let (first, leaving) = {
            let here = &self.inner.here;
            let mut active = self.active();
            active.insert(run.clone(), core.clone());
            for item in here.early().remove(&run).into_iter().flatten() {
                deliver(&core, item);
            }
            (!here.beating.swap(true, Ordering::SeqCst), here.leaving.load(Ordering::SeqCst))
        };
        if leaving {
            core.let_go();
        }
        if first {
            tokio::spawn(beat(self.inner.clone()));
        }
        let here = self.inner.here.clone();
        let driven = core.clone();
        let ending = tokio::spawn(Box::pin(async move {
            // Also if the task breaks: a run that is not driven is not under way.
            let _under_way = UnderWay { here, core: driven.clone() };
            drive(driven).await
        }));
        RunHandle { run, core, ending }
    }

    pub(super) fn active(&self) -> MutexGuard<'_, HashMap<String, Arc<Core>>> {
        self.inner.here.active()
    }
}
