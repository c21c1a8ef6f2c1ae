//! Everything wired for a test: a Runner with short waits, an order for any mode, a run to its end.

use serde_json::Value;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use synod_engine::{
    Clock, Ending, Journal, LimitChanges, MemoryJournal, Mode, Models, NoLibrary, OptionValue, PanelRequest, Prompts, ResumeOutcome, RoleHolder,
    RunHandle, RunSpec, Runner, Setup, SystemClock, Today,
};
use synod_modes::MODES;
use synod_types::{Question, Row, Stopped, Verdict};

#[derive(Clone)]
pub struct Rig {
    pub modes: &'static [&'static Mode],
    pub models: Arc<dyn Models>,
    pub journal: Arc<dyn Journal>,
    pub prompts: Arc<Prompts>,
    pub live: bool,
    pub clock: Arc<dyn Clock>,
}

impl Rig {
    /// The real modes in memory.
    pub fn new(models: Arc<dyn Models>) -> Self {
        static PROMPTS: OnceLock<Arc<Prompts>> = OnceLock::new();
        let prompts = PROMPTS.get_or_init(|| Arc::new(Prompts::load(MODES, None).expect("built-in prompts compile")));
        Self {
            modes: MODES,
            models,
            journal: Arc::new(MemoryJournal::default()),
            prompts: prompts.clone(),
            live: false,
            clock: Arc::new(SystemClock),
        }
    }
    pub fn journal(mut self, journal: Arc<dyn Journal>) -> Self {
        self.journal = journal;
        self
    }
    pub fn models(mut self, models: Arc<dyn Models>) -> Self {
        self.models = models;
        self
    }
    /// Other modes than the real ones.
    pub fn modes(mut self, modes: &'static [&'static Mode]) -> Self {
        self.modes = modes;
        self.prompts = Arc::new(Prompts::load(modes, None).expect("prompts compile"));
        self
    }
    /// A user's own prompts on top.
    pub fn prompts(mut self, folder: &Path) -> Self {
        self.prompts = Arc::new(Prompts::load(self.modes, Some(folder)).expect("prompts compile"));
        self
    }
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }
    pub fn live(mut self) -> Self {
        self.live = true;
        self
    }

    pub fn runner(&self) -> Runner {
        Runner::new(Setup {
            modes: self.modes,
            internal_modes: &[],
            models: self.models.clone(),
            journal: self.journal.clone(),
            prompts: self.prompts.clone(),
            library: Arc::new(NoLibrary),
            clock: self.clock.clone(),
            binary: "testkit".into(),
            live: self.live,
            allowance: None,
            heartbeat: Duration::from_millis(20),
        })
    }

    pub async fn start(&self, order: &RunSpec) -> RunHandle {
        let runner = self.runner();
        let plan = runner.plan(order).await.expect("the order is sound");
        runner.start(plan).await.expect("the run starts")
    }

    /// Runs an order to its end.
    pub async fn run(&self, order: &RunSpec) -> (String, Ending) {
        let mut handle = self.start(order).await;
        (handle.run.clone(), handle.ending().await)
    }

    /// Goes on with a run, to its end.
    pub async fn resume(&self, run: &str, changes: LimitChanges) -> Ending {
        match self.runner().resume(run, changes).await.expect("the run can be taken up") {
            ResumeOutcome::Running(mut handle) => handle.ending().await,
            ResumeOutcome::Ended(verdict) => Ending::Verdict(verdict),
        }
    }

    pub async fn rows(&self, run: &str) -> Vec<Row> {
        self.journal.rows(run, 0).await.expect("the run has rows")
    }
}

/// The date of every order, so that no recorded prompt depends on the day.
pub const TODAY: &str = "2026-03-01";

/// A question for every mode: some panel seats, and a chair where the mode has one.
pub fn order(mode: &Mode, seed: u64) -> RunSpec {
    let (least, most) = mode.seats;
    let has_chair = mode.roles.iter().any(|role| matches!(role.held, RoleHolder::Chair | RoleHolder::ChairApart));
    let beside = u32::from(has_chair);
    let panel = 3.max(least.saturating_sub(beside)).min(most - beside);
    RunSpec {
        mode: mode.id.to_owned(),
        question: Question { text: "Should a small team move its batch jobs from cron to a queue?".into(), ..Question::default() },
        panel: PanelRequest {
            models: (0..panel).map(|n| format!("m{n}")).collect(),
            chair: has_chair.then(|| "chair".to_owned()),
            // A clerk of its own, where the mode needs one: another chair must not be another clerk too.
            light: Some("light".into()),
            ..PanelRequest::default()
        },
        seed: Some(seed),
        today: Today::Given(TODAY.into()),
        ..RunSpec::default()
    }
}

/// The same with other options from the 12th seed on, one choice after another: what only some choice needs is then asked too.
pub fn varied(mode: &Mode, seed: u64) -> RunSpec {
    let mut order = order(mode, seed);
    let schema = (mode.options_schema)();
    let of_enum = |property: &Value| -> Vec<Value> {
        let listed = |choice: &Value| choice.get("enum").and_then(Value::as_array).cloned().unwrap_or_default();
        let choices = property.get("oneOf").and_then(Value::as_array).into_iter().flatten();
        let named = choices.flat_map(|choice| choice.get("const").cloned().into_iter().chain(listed(choice)));
        listed(property).into_iter().chain(named).collect()
    };
    let choices = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let choices: Vec<(String, Value)> =
        choices.flat_map(|(name, property)| of_enum(property).into_iter().map(|value| (name.clone(), value))).collect();
    if let Some((name, value)) = seed.checked_sub(12).and_then(|turn| choices.get(turn as usize % choices.len().max(1))) {
        order.options = vec![(name.clone(), OptionValue::json(value.clone()))];
    }
    order
}

/// The verdict, or a panic that says why there is none.
pub fn verdict(ending: Ending) -> Verdict {
    match ending {
        Ending::Verdict(verdict) => *verdict,
        Ending::Stopped(stopped) => panic!("stopped ({}): {}", stopped.reason.as_str(), stopped.detail),
    }
}

/// The stop, or a panic.
pub fn stopped(ending: Ending) -> Stopped {
    match ending {
        Ending::Stopped(stopped) => stopped,
        Ending::Verdict(verdict) => panic!("it ended with a verdict: {}", verdict.status.as_str()),
    }
}
