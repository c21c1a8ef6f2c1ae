//! What a mode sees: seats to ask, a place to show things, people to wait for. No clock, no dice, no storage.

use super::core::{Core, PhaseMarkKey, PhaseScope};
use super::turn::{Turn, TurnResult, digest_of};
use crate::{Answers, Halt, IdLists, Prompt, ReplyFormat, Result, SeatFailure, SeatReply, Toolbox};
use serde_json::{Value, json};
use std::fmt::Display;
use std::future::Future;
use std::sync::Arc;
use synod_types::*;
use tokio::sync::oneshot;

/// A handle on the run at one scope. Scopes nest and name: `round 2/match 0/ab`.
#[derive(Clone)]
pub struct Bench {
    pub(crate) core: Arc<Core>,
    path: Arc<str>,
    scopes: Arc<[PhaseScope]>,
}

impl Bench {
    pub(crate) fn new(core: Arc<Core>) -> Self {
        Self { core, path: "".into(), scopes: Arc::new([]) }
    }

    pub fn header(&self) -> &Header {
        &self.core.header
    }
    pub fn question(&self) -> &Question {
        &self.core.header.question
    }
    pub fn role(&self, name: &str) -> &[SeatIx] {
        self.core.header.role(name)
    }
    pub fn seat(&self, index: SeatIx) -> &Seat {
        self.core.seat(index)
    }

    /// A number for shuffles, labels and ids, fixed by the run's seed, this scope and the label.
    pub fn seed(&self, label: &str) -> u64 {
        let text = format!("{}/{}/{label}", self.core.header.seed, self.path);
        let digest = sha256_hex(text);
        u64::from_str_radix(&digest[..16], 16).unwrap_or(self.core.header.seed)
    }

    // Scopes.

    /// A named step of the mode. It begins with its first row and ends when the next one of the same scope begins.
    pub fn phase(&self, name: &'static str) -> Self {
        self.step(name, None)
    }
    /// A numbered step: `round 2`.
    pub fn round(&self, name: &'static str, n: u32) -> Self {
        self.step(name, Some(n))
    }
    /// A plain scope: a pair's order, a loop's turn, an item's id.
    pub fn at(&self, label: impl Display) -> Self {
        Self { path: self.join(&plain(&label.to_string())).into(), ..self.clone() }
    }
    fn step(&self, name: &'static str, n: Option<u32>) -> Self {
        let path = self.join(&n.map_or_else(|| name.to_owned(), |n| format!("{name} {n}")));
        let scope = PhaseScope { parent: self.path.to_string(), path: path.clone(), mark: PhaseMarkKey { name, n } };
        let scopes = self.scopes.iter().cloned().chain([scope]).collect();
        Self { core: self.core.clone(), path: path.into(), scopes }
    }
    fn join(&self, part: &str) -> String {
        if self.path.is_empty() { part.to_owned() } else { format!("{}/{part}", self.path) }
    }
    fn phase_name(&self) -> String {
        self.scopes.last().map_or_else(|| self.path.to_string(), |scope| scope.path.clone())
    }

    // Turns.

    /// One turn of one seat. The key is fixed, and the turn under way, when this returns; dropping the future drops no reply.
    pub fn ask<T: ReplyFormat>(
        &self,
        seat: SeatIx,
        prompt: Prompt,
    ) -> impl Future<Output = Result<Result<SeatReply<T>, SeatFailure>>> + Send + use<T> {
        let turn = self.launch(self.prepare(seat, prompt, None, Form::of::<T>()));
        async move { Ok(turn.await?.recalled::<T>()?.map(|(given, _)| given)) }
    }

    /// One turn of the clerk, who does the light work: titles, summaries, detectors. A mode that asks it has a prompt of the light tier.
    pub fn ask_clerk<T: ReplyFormat>(&self, prompt: Prompt) -> impl Future<Output = Result<Result<SeatReply<T>, SeatFailure>>> + Send + use<T> {
        self.ask(self.clerk(), prompt)
    }

    /// The clerk's seat.
    pub fn clerk(&self) -> SeatIx {
        self.role("clerk").first().copied().unwrap_or_default()
    }

    /// A turn that may use tools, in at most `steps` further requests; with its reply come the tools it used, in order.
    pub fn ask_with_tools<T: ReplyFormat>(
        &self,
        seat: SeatIx,
        prompt: Prompt,
        toolbox: Arc<dyn Toolbox>,
        steps: u32,
    ) -> impl Future<Output = Result<Result<ReplyWithTools<T>, SeatFailure>>> + Send + use<T> {
        let turn = self.launch(self.prepare(seat, prompt, Some((toolbox, steps)), Form::of::<T>()));
        async move { turn.await?.recalled() }
    }

    /// The same prompt to many seats. Waits for all of them.
    pub fn ask_all<T: ReplyFormat>(&self, seats: &[SeatIx], prompt: Prompt) -> impl Future<Output = Result<Answers<T>>> + Send + use<T> {
        self.ask_each(seats, &|_| prompt.clone())
    }

    /// A prompt of its own to each seat. Waits for all of them.
    pub fn ask_each<T: ReplyFormat>(
        &self,
        seats: &[SeatIx],
        prompt: &dyn Fn(SeatIx) -> Prompt,
    ) -> impl Future<Output = Result<Answers<T>>> + Send + use<T> {
        let phase = self.phase_name();
        // All are prepared before the first is sent: a prompt that has changed for one of them stops them all, unpaid.
        let turns: Vec<PreparedTurn> = seats.iter().map(|seat| self.prepare(*seat, prompt(*seat), None, Form::of::<T>())).collect();
        let asked = futures::future::join_all(turns.into_iter().map(|turn| self.launch(turn)));
        async move {
            let mut answers = Answers { phase, replies: Vec::new(), failures: Vec::new() };
            for came in first_halt(asked.await)? {
                match came.recalled()? {
                    Ok((given, _)) => answers.replies.push(given),
                    Err(missed) => answers.failures.push(missed),
                }
            }
            Ok(answers)
        }
    }

    /// The first of these seats that answers, asked one after another. Who took whose place is said in a warning.
    pub async fn ask_first<T: ReplyFormat>(&self, seats: &[SeatIx], prompt: Prompt) -> Result<Option<SeatReply<T>>> {
        let mut failed: Vec<String> = Vec::new();
        for seat in seats {
            let prompt = if failed.is_empty() { prompt.clone() } else { prompt.clone().extra() };
            match self.ask::<T>(*seat, prompt).await? {
                Ok(given) => {
                    if !failed.is_empty() {
                        let who = &self.seat(*seat).label;
                        self.warn(format!("{} failed in {}; {who} took over.", failed.join(", "), self.phase_name()));
                    }
                    return Ok(Some(given));
                }
                Err(missed) => failed.push(self.seat(missed.seat).label.clone()),
            }
        }
        Ok(None)
    }

    /// Strands side by side, each in a scope named by its item's own id. Waits for all; the first halted strand's halt is returned.
    pub async fn all<I, R, F>(&self, items: impl IntoIterator<Item = (impl Display, I)>, strand: impl Fn(Self, I) -> F) -> Result<Vec<R>>
    where
        F: Future<Output = Result<R>>,
    {
        let strands: Vec<F> = items.into_iter().map(|(id, item)| strand(self.at(id), item)).collect();
        first_halt(futures::future::join_all(strands).await)
    }

    fn launch(&self, prepared: PreparedTurn) -> impl Future<Output = Result<EndedTurn>> + Send + use<> {
        let PreparedTurn { seat, key, turn } = prepared;
        let started = turn.map(|turn| self.spawn(turn));
        let core = self.core.clone();
        async move {
            match started?.await {
                Ok(outcome) => Ok(EndedTurn { seat, key, outcome: outcome?, core }),
                // The turn's task is gone without a word: it panicked, or the process is shutting down.
                Err(_) => Err(core.halt(Halt::stopped(StopReason::Panic, format!("the turn {key} broke off")))),
            }
        }
    }

    fn prepare(&self, seat: SeatIx, prompt: Prompt, toolbox: Option<(Arc<dyn Toolbox>, u32)>, form: Form) -> PreparedTurn {
        let key = self.join(&format!("{}@{seat}", prompt.name));
        let turn = self.turn(&key, seat, prompt, toolbox, form);
        PreparedTurn { seat, key, turn }
    }

    fn turn(&self, key: &str, seat: SeatIx, prompt: Prompt, toolbox: Option<(Arc<dyn Toolbox>, u32)>, form: Form) -> Result<Turn> {
        let core = &self.core;
        core.claim(key)?;
        let card = core.header.card(seat).ok_or_else(|| core.halt(Halt::diverged(key, format!("there is no seat {seat}"))))?;
        let rendered = core.prompts.render(&core.header, core.seat(seat), &prompt).map_err(|error| core.halt(Halt::diverged(key, error)))?;
        if rendered.settings.tier == Tier::Light && !self.role("clerk").contains(&seat) {
            return Err(core.halt(Halt::diverged(key, "a light prompt was put to another seat than the clerk, which is a bug in the mode")));
        }
        let hint = if card.rehearsal { self.hint(&rendered.settings.rehearse, seat, &prompt) } else { None };
        let request = Request {
            model: card.id.clone(),
            messages: rendered.messages,
            schema: (form.schema)(&prompt.terms),
            tools: toolbox.as_ref().map(|(toolbox, _)| toolbox.tools()).unwrap_or_default(),
            temperature: rendered.settings.temperature,
            max_tokens: rendered.max_tokens,
            effort: if rendered.settings.tier == Tier::Light { card.light_effort() } else { card.effort },
            hint,
        };
        let terms = prompt.terms;
        let turn = Turn {
            key: key.to_owned(),
            scopes: self.scopes.clone(),
            phase: self.phase_name(),
            seat,
            prompt: prompt.name,
            tier: rendered.settings.tier,
            concluding: rendered.settings.concluding,
            partial: rendered.settings.partial,
            extra: prompt.extra,
            optional: prompt.optional,
            beside_ms: prompt.beside_ms,
            began: tokio::time::Instant::now(),
            digest: digest_of(rendered.settings.tier, &request),
            request,
            reader: Arc::new(move |raw, anyway| (if anyway { form.read_anyway } else { form.read })(raw, &terms)),
            toolbox,
        };
        turn.same_as_recorded(core)?;
        Ok(turn)
    }

    fn hint(&self, rehearse: &Option<Value>, seat: SeatIx, prompt: &Prompt) -> Option<Value> {
        let mut hint = rehearse.clone().unwrap_or_else(|| json!({}));
        let others = self.core.header.panel().filter(|other| other.index != seat);
        let other = others.map(|other| other.label.clone()).next().unwrap_or_else(|| "the others".into());
        let mut fill = json!({"topic": self.core.header.question.text, "seat": self.seat(seat).label, "other": other});
        if let (Some(fill), Some(label)) = (fill.as_object_mut(), prompt.terms.list("labels").first()) {
            fill.insert("other".into(), json!(label));
        }
        if let Some(fill) = fill.as_object_mut() {
            fill.extend(prompt.fill.clone());
        }
        hint.as_object_mut()?.insert("fill".into(), fill);
        Some(hint)
    }

    /// The Runner's task drives the turn, so that it ends whatever becomes of the asking future.
    fn spawn(&self, turn: Turn) -> oneshot::Receiver<Result<std::result::Result<TurnResult, Failure>>> {
        let (done, outcome) = oneshot::channel();
        let core = self.core.clone();
        core.state().turns += 1;
        // Boxed: tokio moves what it spawns half a dozen times, and a turn is large.
        tokio::spawn(Box::pin(async move {
            let open = OpenTurn(core.clone());
            let came = core.sending(std::pin::pin!(turn.run(core.clone()))).await;
            // Said before the turn counts as ended, so that nobody sees an idle run with an unread reply. A dropped asker is fine.
            let _ = done.send(came);
            drop(open);
        }));
        outcome
    }

    // People.

    /// Puts a question to a person and waits, durably: the run may stop, and goes on when it is answered. `None`: the run was told to conclude
    /// before anybody answered.
    pub async fn person(&self, name: &str, question: impl Into<String>, choices: &[&str]) -> Result<Option<PersonAnswer>> {
        let core = &self.core;
        let key = self.join(&format!("{}@person", plain(name)));
        core.claim(&key)?;
        let asking = Asking { question: question.into(), choices: choices.iter().map(ToString::to_string).collect() };
        let digest = sha256_hex(serde_json::to_vec(&asking).unwrap_or_default());
        if let Some((asked, answer)) = core.record.answered.get(&key) {
            if asked.as_deref().is_some_and(|asked| asked != digest) {
                return Err(core.halt(Halt::diverged(key, "the question put to a person has changed since it was answered")));
            }
            core.enter(&self.scopes);
            return Ok(Some(answer.clone()));
        }
        if core.record.turns.get(&key).is_some_and(|turn| turn.outcome.is_some()) {
            core.enter(&self.scopes);
            return Ok(None);
        }
        let answered = |answer: &PersonAnswer| NewRow::new(key.clone(), Kind::Answered, core.clock.now(), answer).digest(digest.clone());
        let same = |(asked, _): &&(Option<String>, PersonAnswer)| asked.as_deref() == Some(digest.as_str());
        if let Some((_, answer)) = core.ancestors.iter().filter_map(|before| before.answered.get(&key)).find(same) {
            core.commit(&self.scopes, vec![answered(answer)]).await?;
            return Ok(Some(answer.clone()));
        }
        if core.replaying {
            return Err(core.halt(Halt::diverged(key, "the journal does not hold this person's answer")));
        }
        if core.record.marks.contains(&(Kind::Waiting, key.clone(), 0)) {
            core.enter(&self.scopes);
        } else {
            core.commit(&self.scopes, vec![NewRow::new(key.clone(), Kind::Waiting, core.clock.now(), &asking)]).await?;
        }
        core.state().waiting.insert(key.clone(), asking);
        core.changed.notify_waiters();
        loop {
            let changed = core.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            core.check()?;
            let answer = core.state().answers.remove(&key);
            if let Some(answer) = answer {
                core.state().waiting.remove(&key);
                core.commit(&self.scopes, vec![answered(&answer)]).await?;
                return Ok(Some(answer));
            }
            if core.state().closing.is_some() {
                core.state().waiting.remove(&key);
                let failure = Failure::new(FailureKind::Closed, "nobody had answered when the run was concluded");
                let row = NewRow::new(key.clone(), Kind::Failed, core.clock.now(), &FailedTurn { failure }).digest(digest.clone());
                core.commit(&self.scopes, vec![row]).await?;
                return Ok(None);
            }
            changed.await;
        }
    }

    // Showing.

    /// Shows something under a stage name: it becomes a stored row, an event, and part of every report. Waits for nothing.
    pub fn show(&self, stage: &str, exhibit: Exhibit) -> Result<()> {
        let core = &self.core;
        let key = match exhibit.seat {
            Some(seat) => self.join(&format!("show {stage}@{seat}")),
            None => self.join(&format!("show {stage}")),
        };
        core.claim(&key)?;
        let shown = Shown { stage: stage.to_owned(), exhibit };
        let row = NewRow::new(key.clone(), Kind::Shown, core.clock.now(), &shown);
        let digest = sha256_hex(&row.body);
        match core.record.shown.get(&key) {
            Some(recorded) if *recorded == digest => core.enter(&self.scopes),
            Some(_) => return Err(core.halt(Halt::diverged(key, "what would be shown here differs from what the journal shows"))),
            None => core.enqueue(&self.scopes, vec![row.digest(digest)]),
        }
        Ok(())
    }

    /// A number worth following over time, where there is one.
    pub fn figure(&self, name: &str, value: impl Into<Option<f64>>) {
        if let Some(value) = value.into() {
            self.note(Figure::new(name, value));
        }
    }

    /// The same of one label or one seat, or as a part of something.
    pub fn note(&self, figure: Figure) {
        let label = figure.label.as_deref().map(|label| format!(" {}", plain(label))).unwrap_or_default();
        let seat = figure.seat.map(|seat| format!("@{seat}")).unwrap_or_default();
        self.core.once(&self.scopes, Kind::Figure, self.join(&format!("figure {}{label}{seat}", figure.name)), 0, &figure);
    }

    /// Something the reader of the verdict must know. It leaves the status alone.
    pub fn warn(&self, text: impl Into<String>) {
        self.core.warn(&self.scopes, &self.path, text.into());
    }

    /// A seat the protocol counted on gave nothing that counts, though its turn was readable.
    pub fn abstained(&self, seat: SeatIx, why: impl Into<String>) {
        self.core.miss(seat, &self.phase_name(), &Failure::new(FailureKind::Refused, why));
    }
}

/// A reply, and the tools used on the way to it.
pub type ReplyWithTools<T> = (SeatReply<T>, Vec<ToolRun>);

/// A turn ready to start, or why the run cannot go on with it. Its key is fixed.
struct PreparedTurn {
    seat: SeatIx,
    key: String,
    turn: Result<Turn>,
}

/// A turn that has come to its end, not yet read as what was asked for.
struct EndedTurn {
    seat: SeatIx,
    key: String,
    outcome: std::result::Result<TurnResult, Failure>,
    core: Arc<Core>,
}

impl EndedTurn {
    fn recalled<T: ReplyFormat>(self) -> Result<std::result::Result<ReplyWithTools<T>, SeatFailure>> {
        let Self { seat, key, outcome, core } = self;
        match outcome {
            Err(failure) => Ok(Err(SeatFailure { seat, key, failure })),
            Ok(result) => match T::recall(&result.value) {
                Ok(value) => Ok(Ok((SeatReply { seat, key, value, partial: result.partial, ms: result.ms }, result.tools))),
                Err(error) => Err(core.halt(Halt::diverged(key, format!("its journaled value cannot be read any more: {error}")))),
            },
        }
    }
}

/// How replies of one type are asked for and read. Everything else about a turn is the same for all types, and compiled once.
struct Form {
    schema: fn(&IdLists) -> Option<ReplySchema>,
    read: ReadReply,
    read_anyway: ReadReply,
}

type ReadReply = fn(&str, &IdLists) -> std::result::Result<(Value, Reading), String>;

impl Form {
    fn of<T: ReplyFormat>() -> Self {
        Self { schema: T::schema, read: T::read, read_anyway: T::read_anyway }
    }
}

/// A turn counted as under way until this is dropped.
struct OpenTurn(Arc<Core>);

impl Drop for OpenTurn {
    fn drop(&mut self) {
        self.0.state().turns -= 1;
        self.0.changed.notify_waiters();
    }
}

fn first_halt<T>(strands: Vec<Result<T>>) -> Result<Vec<T>> {
    strands.into_iter().collect()
}

/// A label as part of a key: the separators of keys are not allowed inside it.
fn plain(label: &str) -> String {
    label.replace(['/', '@'], "-")
}
