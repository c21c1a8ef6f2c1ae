//! One turn, whole: from the journal if it is there, else asked, read, and at most once repaired. How it is asked is `exchange`'s.

use super::core::{Core, PhaseScope};
use crate::{Halt, Result};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::sync::Arc;
use synod_types::*;

/// Reads a raw reply into the turn's value; in the end, with numbers off their scale.
pub(crate) type Reader = Arc<dyn Fn(&str, bool) -> std::result::Result<(Value, Reading), String> + Send + Sync>;

/// The tools a turn may use. Every call and its result is journaled under its own key: replayed, never repeated.
pub trait Toolbox: Send + Sync {
    fn tools(&self) -> Vec<ToolDef>;
    /// The tool's output, or what went wrong: both go back to the model.
    fn call(&self, name: &str, input: &Value) -> std::result::Result<String, String>;
    /// Calls one turn may make in all; those beyond are refused, and the model is told.
    fn most(&self) -> usize {
        usize::MAX
    }
}

const NO_CALLS_LEFT: &str = "no calls are left in this turn: answer with what you have";

/// What a provider's own search found, a line each.
fn listed(found: &[Source]) -> String {
    match found {
        [] => "nothing was cited".to_owned(),
        found => found.iter().map(Source::to_string).collect::<Vec<_>>().join("\n"),
    }
}

pub(crate) struct Turn {
    pub key: String,
    pub scopes: Arc<[PhaseScope]>,
    pub phase: String,
    pub seat: SeatIx,
    pub prompt: &'static str,
    pub tier: Tier,
    pub concluding: bool,
    /// The mode itself says so when its reply was cut.
    pub partial: bool,
    pub extra: bool,
    /// Its failure leaves nothing missing.
    pub optional: bool,
    /// Asked beside the deliberation, for so long at most: it is given up before the run is stopped for it.
    pub beside_ms: Option<Millis>,
    /// When it was made.
    pub began: tokio::time::Instant,
    pub request: Request,
    pub digest: String,
    pub reader: Reader,
    pub toolbox: Option<(Arc<dyn Toolbox>, u32)>,
}

/// What a turn came to.
#[derive(Clone, Debug)]
pub(crate) struct TurnResult {
    pub value: Value,
    pub partial: bool,
    /// A number in it is off its scale.
    pub off_scale: bool,
    pub ms: Millis,
    pub tools: Vec<ToolRun>,
}

impl TurnResult {
    fn of(said: Said, tools: Vec<ToolRun>) -> Self {
        Self { value: said.value, partial: said.partial, off_scale: said.reading == Reading::OffScale, ms: said.ms.unwrap_or(0), tools }
    }
}

/// The request last made, its reply, and the tools used on the way.
type ToolLoopResult<'a> = std::result::Result<(Cow<'a, Request>, Reply, Vec<ToolRun>), Failure>;

impl Turn {
    /// Control is `Err`; a failed turn is data.
    pub async fn run(self, core: Arc<Core>) -> Result<std::result::Result<TurnResult, Failure>> {
        let outcome = self.outcome(&core).await?;
        if outcome.as_ref().is_ok_and(|result| result.partial) && !self.partial {
            let who = &core.seat(self.seat).label;
            core.warn(&self.scopes, &self.key, format!("{who}'s reply in {} was cut at its limit; what there is of it was used.", self.phase));
        }
        if outcome.as_ref().is_ok_and(|result| result.off_scale) {
            let who = &core.seat(self.seat).label;
            core.warn(
                &self.scopes,
                &self.key,
                format!("{who} gave a number off its scale in {}, also when asked again: it was not counted.", self.phase),
            );
        }
        if let Err(failure) = &outcome
            && !self.optional
        {
            core.miss(self.seat, &self.phase, failure);
        }
        Ok(outcome)
    }

    async fn outcome(&self, core: &Arc<Core>) -> Result<std::result::Result<TurnResult, Failure>> {
        core.check()?;
        if let Some((_, outcome)) = core.record.turns.get(&self.key).and_then(|turn| turn.outcome.as_ref()) {
            core.enter(&self.scopes);
            let tools = || core.record.tools_of(&self.key).into_iter().map(|(_, run)| run.clone()).collect();
            return Ok(outcome.clone().map(|said| TurnResult::of(said, tools())));
        }
        if let Some((said, used)) = self.inherited(core) {
            let tools = used.iter().map(|(_, run)| run.clone()).collect();
            let came = TurnResult::of(said.clone(), tools);
            let mut rows: Vec<NewRow> = used.iter().map(|(key, run)| NewRow::new(key.clone(), Kind::Tool, core.clock.now(), run)).collect();
            rows.push(self.row(core, Kind::Said, &said));
            core.commit(&self.scopes, rows).await?;
            return Ok(Ok(came));
        }
        let (came, tools) = match self.converse(core).await? {
            Ok((request, reply, tools)) => (self.understand(core, request, reply).await?, tools),
            Err(failure) => (Err(failure), Vec::new()),
        };
        let came = came.map(|said| Said { ms: self.took(core), ..said });
        let row = match &came {
            Ok(said) => self.row(core, Kind::Said, said),
            Err(failure) => self.row(core, Kind::Failed, &FailedTurn { failure: failure.clone() }),
        };
        core.enqueue(&self.scopes, vec![row]);
        Ok(came.map(|said| TurnResult::of(said, tools)))
    }

    /// The time of its requests as the journal has it, also of those made before a crash.
    fn took(&self, core: &Core) -> Option<Millis> {
        core.header.card(self.seat).filter(|card| !card.rehearsal)?;
        let (state, steps) = (core.state(), format!("{}/", self.key));
        let own = state.ledger.requests().iter().filter(|request| request.key == self.key || request.key.starts_with(&steps));
        Some(own.filter_map(|request| request.replied.as_ref()).map(|replied| replied.ms).sum())
    }

    fn row(&self, core: &Core, kind: Kind, body: &impl serde::Serialize) -> NewRow {
        NewRow::new(self.key.clone(), kind, core.clock.now(), body).digest(self.digest.clone())
    }

    pub fn digest_of(&self, request: &Request) -> String {
        digest_of(self.tier, request)
    }

    /// What the journal holds under this key must answer the very request that is now made.
    pub fn same_as_recorded(&self, core: &Core) -> Result<()> {
        let Some(seen) = core.record.turns.get(&self.key) else { return Ok(()) };
        let recorded = seen.outcome.as_ref().map(|(digest, _)| digest).or(seen.asked.as_ref().map(|(_, digest, _)| digest));
        if recorded.is_none_or(|recorded| *recorded == self.digest) {
            return Ok(());
        }
        let detail = format!("the journal holds this turn for another request (prompt {:?}, options or model changed since)", self.prompt);
        let diverged = Halt::diverged(&self.key, detail);
        Err(if self.beside_ms.is_some() { diverged } else { core.halt(diverged) })
    }

    /// An earlier run's words, if it was asked the very same.
    fn inherited(&self, core: &Core) -> Option<(Said, Vec<(String, ToolRun)>)> {
        core.ancestors.iter().find_map(|before| match before.turns.get(&self.key)?.outcome.as_ref()? {
            (digest, Ok(said)) if *digest == self.digest => {
                let used = before.tools_of(&self.key).into_iter().map(|(key, run)| (key, run.clone())).collect();
                Some((Said { from: Some(before.header.run.clone()), ..said.clone() }, used))
            }
            _ => None,
        })
    }

    /// The request, and the bounded tool loop after it: the last request made, and its reply. That one carries no tools.
    async fn converse(&self, core: &Arc<Core>) -> Result<ToolLoopResult<'_>> {
        let mut reply = match self.exchange(core, &self.key, &self.request, self.extra).await? {
            Ok(reply) => reply,
            Err(failure) => return Ok(Err(failure)),
        };
        let mut request = Cow::Borrowed(&self.request);
        let mut used: Vec<ToolRun> = Vec::new();
        for step in 1_u32.. {
            let key = format!("{}/tool {step}", self.key);
            let at = |n: usize| format!("{key}/call {n}");
            let searched = usize::from(reply.search.is_some());
            if let Some(search) = reply.search.take() {
                used.push(self.tool_run(core, &at(0), Search::TOOL, || (json!({"query": search.queries.join("; ")}), Ok(listed(&search.found))))?);
            }
            let Some((toolbox, limit)) = self.toolbox.as_ref().filter(|(_, limit)| step <= *limit && !reply.tool_calls.is_empty()) else { break };
            let asking = request.to_mut();
            asking.messages.push(Message::Assistant {
                text: reply.text.clone(),
                tool_calls: reply.tool_calls.clone(),
                thinking: reply.thinking.take(),
            });
            for (n, call) in reply.tool_calls.iter().enumerate() {
                let left = used.len() < toolbox.most();
                let run = self.tool_run(core, &at(searched + n), &call.name, || {
                    let output = if left { toolbox.call(&call.name, &call.input) } else { Err(NO_CALLS_LEFT.to_owned()) };
                    (call.input.clone(), output)
                })?;
                asking.messages.push(Message::Tool { call_id: call.id.clone(), name: call.name.clone(), output: run.output.clone() });
                used.push(run);
            }
            if step == *limit || used.len() >= toolbox.most() {
                asking.tools.clear();
            }
            reply = match self.exchange(core, &key, &request, true).await? {
                Ok(reply) => reply,
                Err(failure) => {
                    self.failed_step(core, key, &request, &failure);
                    return Ok(Err(failure));
                }
            };
        }
        Ok(Ok((request, reply, used)))
    }

    /// A request of this turn beside its first one came to nothing.
    pub fn failed_step(&self, core: &Core, key: String, request: &Request, failure: &Failure) {
        if core.record.turns.get(&key).is_some_and(|turn| turn.outcome.is_some()) {
            return;
        }
        let row = NewRow::new(key, Kind::Failed, core.clock.now(), &FailedTurn { failure: failure.clone() });
        core.enqueue(&self.scopes, vec![row.digest(self.digest_of(request))]);
    }

    /// What the journal holds under this key, or else what the tool now gives, journaled.
    fn tool_run(&self, core: &Core, key: &str, name: &str, call: impl FnOnce() -> (Value, std::result::Result<String, String>)) -> Result<ToolRun> {
        if let Some(done) = core.record.tools.get(key) {
            return Ok(done.clone());
        }
        core.check()?;
        let at = core.clock.now();
        let (input, output) = call();
        let error = output.is_err();
        let run = ToolRun { name: name.to_owned(), input, output: output.unwrap_or_else(|wrong| wrong), error, at };
        core.enqueue(&self.scopes, vec![NewRow::new(key, Kind::Tool, core.clock.now(), &run)]);
        Ok(run)
    }

    /// Reads the reply; what cannot be read gets one repair turn that shows the error.
    async fn understand(&self, core: &Arc<Core>, request: Cow<'_, Request>, reply: Reply) -> Result<std::result::Result<Said, Failure>> {
        let typed = self.request.schema.is_some();
        if reply.finish == Finish::Refusal {
            return Ok(Err(Failure::new(FailureKind::Refused, clip::head(&reply.text, 200))));
        }
        if reply.starved() {
            let detail = format!(
                "it thought until its limit was spent and said nothing, also with more room and at the lowest effort ({} tokens, the last time)",
                reply.usage.map_or(0, |usage| usage.output)
            );
            return Ok(Err(Failure::new(FailureKind::Truncated, detail)));
        }
        if reply.text.trim().is_empty() {
            return Ok(Err(Failure::new(FailureKind::Empty, "the reply holds no text")));
        }
        let cut = reply.finish == Finish::Length;
        let error = match (self.reader)(&reply.text, false) {
            Ok((value, reading)) if !cut || (typed && reading == Reading::Plain) => {
                return Ok(Ok(Said { value, reading, partial: false, from: None, ms: None }));
            }
            Ok((value, reading)) if !typed => return Ok(Ok(Said { value, reading, partial: true, from: None, ms: None })),
            Ok(_) => "it was cut off at the token limit".to_owned(),
            Err(error) => error,
        };
        if !typed {
            return Ok(Err(Failure::new(FailureKind::Empty, error)));
        }
        let kind = if cut { FailureKind::Truncated } else { FailureKind::Unreadable };
        let mended = self.repair(core, request.into_owned(), &reply, cut, &error).await?;
        // Nothing better came: what was only off its scale is still there.
        let anyway = || (self.reader)(&reply.text, true).ok().filter(|_| !cut);
        let mended = mended.or_else(|| anyway().map(|(value, _)| Said { value, reading: Reading::OffScale, partial: false, from: None, ms: None }));
        Ok(mended.ok_or_else(|| Failure::new(kind, error)))
    }

    async fn repair(&self, core: &Arc<Core>, mut request: Request, reply: &Reply, cut: bool, error: &str) -> Result<Option<Said>> {
        let key = format!("{}/repair", self.key);
        request.tools.clear();
        if cut {
            request.max_tokens = request.max_tokens.saturating_mul(2);
        }
        if !reply.text.trim().is_empty() {
            request.messages.push(Message::assistant(&reply.text));
        }
        request.messages.push(Message::user(format!(
            "Your reply could not be used: {error}.\nAnswer the same task again. Reply with one JSON object that fits the schema you were given, and nothing else."
        )));
        let digest = self.digest_of(&request);
        let recorded = core.record.turns.get(&key).and_then(|turn| turn.outcome.as_ref());
        let read = match recorded {
            Some((_, outcome)) => outcome.clone(),
            None => {
                let read = match self.exchange(core, &key, &request, true).await? {
                    Err(failure) => Err(failure),
                    Ok(again) if again.finish == Finish::Refusal => Err(Failure::new(FailureKind::Refused, clip::head(&again.text, 200))),
                    Ok(again) => self.read_repaired(&again.text),
                };
                let row = match &read {
                    Ok(said) => NewRow::new(key, Kind::Said, core.clock.now(), said),
                    Err(failure) => NewRow::new(key, Kind::Failed, core.clock.now(), &FailedTurn { failure: failure.clone() }),
                };
                core.enqueue(&self.scopes, vec![row.digest(digest)]);
                read
            }
        };
        Ok(read.ok())
    }
}

impl Turn {
    /// The reply to a repair. What is still off its scale is read, and not counted.
    fn read_repaired(&self, text: &str) -> std::result::Result<Said, Failure> {
        let said = |value: Value, reading: Reading| Said { value, reading, partial: false, from: None, ms: None };
        let read = (self.reader)(text, false).map(|(value, _)| said(value, Reading::Repaired));
        read.or_else(|error| match (self.reader)(text, true) {
            Ok((value, _)) => Ok(said(value, Reading::OffScale)),
            Err(_) => Err(Failure::new(FailureKind::Unreadable, error)),
        })
    }
}

/// What is asked, and of which tier: compared on replay.
pub(crate) fn digest_of(tier: Tier, request: &Request) -> String {
    match tier {
        Tier::Heavy => request.digest(),
        Tier::Light => sha256_hex(format!("light {}", request.digest())),
    }
}
