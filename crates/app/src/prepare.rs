//! From a request to a plan, by one way for every command and route: base, options, panel, conversation, then the engine's own checks.

use crate::app::App;
use crate::conversations::{about, join, same_mode, stay};
use crate::error::{AppError, AppResult};
use crate::request::{Base, ConversationChoice, PanelChoice, RunRequest};
use crate::{continuation, evidence, experience, panel};
use synod_engine::{Clock, Journal, Mode, OptionValue, Plan, Record, RunError, RunHandle, RunSpec, Runner, SystemClock, Today, title_of};
use synod_modes::{INTERNAL, MODES};
use synod_store::NewConversation;
use synod_types::{Header, Once, Problem, ProblemCode, Problems, Quote};

/// What a user should know before anything runs.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// Which models were found, what a fork leaves behind.
    pub lines: Vec<String>,
    /// Nothing is configured and nothing was found: this is a rehearsal that nobody asked for.
    pub nothing_found: bool,
}

/// A run that was checked whole and can start.
pub struct PreparedRun {
    pub runner: Runner,
    plan: Plan,
    conversation: Option<NewConversation>,
}

impl PreparedRun {
    /// What it will take: calls, tokens, dollars.
    pub fn quote(&self) -> Quote {
        self.runner.quote(&self.plan)
    }

    pub fn header(&self) -> &Header {
        &self.plan.header
    }

    /// A repeated request then finds this run instead of beginning another.
    pub fn only_once(&mut self, once: Once) {
        self.plan.once = Some(once);
    }

    /// The conversation that begins with this run.
    pub fn new_conversation(&self) -> Option<&str> {
        self.conversation.as_ref().map(|conversation| conversation.id.as_str())
    }

    pub async fn start(self, app: &App) -> AppResult<(Runner, RunHandle)> {
        let joined = self.plan.header.conversation.clone().filter(|_| self.conversation.is_none() && self.plan.header.parent.is_none());
        if let Some(id) = &joined {
            // Two first messages may have come at once: one of them has fixed the mode.
            let mode = &self.plan.header.mode;
            same_mode(id, mode, Some(&app.store.fix_mode(id, mode).await?))?;
            // One that was made without a name is called by its first question until it has a title.
            app.store.name_conversation(id, &title_of(""), &title_of(&self.plan.header.question.text)).await?;
        }
        let new = self.conversation.as_ref().map(|conversation| conversation.id.clone());
        if let Some(conversation) = self.conversation {
            app.store.create_conversation(conversation, SystemClock.now()).await?;
        }
        match self.runner.start(self.plan).await {
            Ok(handle) => Ok((self.runner, handle)),
            Err(error) => {
                if let Some(id) = new {
                    app.store.drop_empty_conversation(&id).await?;
                }
                Err(error.into())
            }
        }
    }
}

impl App {
    /// Makes a plan of a request. `problems` are what the door has found wrong already: all of them are told together, with nothing paid.
    /// What the user should know before anything runs (which models were found, what a fork leaves behind) is put into `notes`, also on error.
    pub async fn prepare(&self, mut request: RunRequest, mut problems: Vec<Problem>, notes: &mut Notes) -> AppResult<PreparedRun> {
        if self.store.is_read_only() {
            return Err(AppError::broken("db", "the database can be read and not written", "a database that can be written"));
        }
        let parent = match request.base.parent() {
            Some(run) => Some(Record::of(&self.store.rows(run, 0).await?).map_err(RunError::from)?),
            None => None,
        };
        let mut spec = match &parent {
            Some(record) => self.fork_of(record).await?,
            None => RunSpec { today: self.today(), ..self.blank(request.internal) },
        };
        spec.principal = request.principal.clone();
        spec.titled = request.titled && parent.is_none();
        if let Some(mode) = &request.mode {
            change_mode(&mut spec, mode, &mut notes.lines);
        }
        // The fork of work that is in no list is in none either; no name leads there.
        let inherits = |record: &Record| record.header.mode == spec.mode && INTERNAL.iter().any(|mode| mode.id == spec.mode);
        let internal = request.internal || parent.as_ref().is_some_and(inherits);
        let mode = find_mode(&spec.mode, internal);
        let mut given = std::mem::take(&mut request.options);
        if let (Base::Continue(_), Some(record)) = (&request.base, &parent) {
            let same = mode.filter(|mode| mode.id == record.header.mode);
            collect(&mut problems, continuation::add(record, same, &mut given))?;
        }
        let evidence = evidence::check(mode, &mut given, &request.evidence_folder, &self.files);
        for (name, value) in given {
            set_option(&mut spec, &name, value);
        }
        if parent.is_none() {
            spec.question = request.question.clone();
        }
        if let Some(evidence) = evidence {
            spec.question.evidence = evidence;
        }
        if parent.is_none() {
            experience::add(&self.store, mode, &mut spec).await?;
        }
        set_limits(&mut spec, &request);

        let rehearse = request.panel == PanelChoice::Rehearsal;
        let named = matches!(request.panel, PanelChoice::Models(_) | PanelChoice::Nobody) && parent.is_none();
        let detected = if named { None } else { self.detect(rehearse).await };
        let chosen = match &parent {
            Some(_) => panel::of_fork(spec.panel.clone(), &request, mode, &self.config, detected.as_ref()),
            None => panel::of_request(&request, mode, &self.config, detected.as_ref()),
        };
        let chosen = collect(&mut problems, chosen)?;
        // Where it is told why nobody sits, nobody need be told that seats are missing.
        let mut panel_told = chosen.is_none();
        if let Some(chosen) = chosen {
            spec.panel = chosen;
        }
        for (role, model) in &request.roles {
            spec.panel.roles.retain(|(known, _)| known != role);
            spec.panel.roles.push((role.clone(), model.clone()));
        }
        // A rehearsal that was asked for needs no word on what was not found; a fork's models are its parent's.
        if let Some(detected) = detected.as_ref().filter(|_| !rehearse && parent.is_none()) {
            notes.lines.extend(detected.lines.iter().chain(&detected.warnings).cloned());
            // A key that is set and refused is meant: rehearsing instead would only hide it.
            let nobody = detected.panel.seats.is_empty();
            notes.nothing_found = detected.rehearsal && !nobody;
            if nobody {
                problems.extend(detected.refused.iter().cloned());
            }
            panel_told |= nobody;
        }

        let mut conversation = None;
        match &request.conversation {
            Some(ConversationChoice::Join(id)) => {
                collect(&mut problems, join(&self.store, id, mode, &mut spec).await)?;
            }
            Some(ConversationChoice::New) => {
                let new = about(&spec.question.text, &spec.mode, spec.principal.as_deref());
                spec.conversation = Some(new.id.clone());
                conversation = Some(new);
            }
            None => {
                spec.titled = false;
                stay(&self.store, &mut spec, &mut notes.lines).await?;
            }
        }
        let panel = &spec.panel;
        let names = panel.models.iter().chain(&panel.chair).chain(&panel.light).chain(panel.roles.iter().map(|(_, model)| model));
        let local = self.find_local(names.map(String::as_str)).await;
        let runner = self.runner_over(detected, local)?;
        let planned = if internal { runner.plan_internal(&spec).await } else { runner.plan(&spec).await };
        match planned {
            Ok(plan) if problems.is_empty() => return Ok(PreparedRun { runner, plan, conversation }),
            Ok(_) => {}
            Err(found) => {
                let seats_missing = |problem: &Problem| problem.field == "models" && problem.code == ProblemCode::TooFew;
                problems.extend(found.0.into_iter().filter(|problem| !(panel_told && seats_missing(problem))));
            }
        }
        Err(Problems(problems).into())
    }

    /// With the limits of the configuration; work that is in no list has its mode's own times.
    fn blank(&self, internal: bool) -> RunSpec {
        let limits = &self.config.limits;
        if internal {
            return RunSpec { budget_usd: limits.budget_usd, ..RunSpec::default() };
        }
        RunSpec {
            // The first of the list.
            mode: MODES[0].id.into(),
            budget_usd: limits.budget_usd,
            deadline_secs: limits.deadline_secs.map(|secs| secs as f64),
            timeout_secs: limits.timeout_secs.map(|secs| secs as f64),
            ..RunSpec::default()
        }
    }

    /// The clock's date, unless the environment fixes another.
    fn today(&self) -> Today {
        self.sources.env.get("SYNOD_TODAY").filter(|given| !given.is_empty()).map_or(Today::Clock, |given| Today::Given(given.clone()))
    }

    async fn fork_of(&self, record: &Record) -> AppResult<RunSpec> {
        let mut spec = RunSpec::again(record);
        for file in spec.question.kept_files_mut() {
            let bytes = self.store.blob(&file.sha256).await?;
            let bytes =
                bytes.ok_or_else(|| AppError::broken("file", format!("{} is no longer stored", file.name), "a fork needs its parent's files"))?;
            file.text = String::from_utf8_lossy(&bytes).into_owned();
        }
        Ok(spec)
    }
}

fn find_mode(id: &str, internal: bool) -> Option<&'static Mode> {
    let list = if internal { INTERNAL } else { MODES };
    list.iter().copied().find(|mode| mode.id == id)
}

/// In another mode the parent's options mean nothing, and a conversation keeps to its mode.
fn change_mode(spec: &mut RunSpec, mode: &str, notes: &mut Vec<String>) {
    if spec.mode == mode {
        return;
    }
    spec.mode = mode.to_owned();
    spec.options.clear();
    if let Some(id) = spec.conversation.take() {
        notes.push(format!("In another mode this fork is not part of conversation {id}."));
    }
}

fn set_option(spec: &mut RunSpec, name: &str, value: OptionValue) {
    let name = name.replace('-', "_");
    spec.options.retain(|(known, _)| *known != name);
    spec.options.push((name, value));
}

fn set_limits(spec: &mut RunSpec, request: &RunRequest) {
    spec.budget_usd = request.limits.budget_usd.or(spec.budget_usd);
    spec.deadline_secs = request.limits.deadline_secs.or(spec.deadline_secs);
    spec.timeout_secs = request.limits.timeout_secs.or(spec.timeout_secs);
    spec.seed = request.seed.or(spec.seed);
}

/// Keeps looking after a mistake in the request; anything else ends the search.
fn collect<T>(problems: &mut Vec<Problem>, found: AppResult<T>) -> AppResult<Option<T>> {
    match found {
        Ok(value) => Ok(Some(value)),
        Err(AppError::Usage(found)) => {
            problems.extend(found.0);
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
