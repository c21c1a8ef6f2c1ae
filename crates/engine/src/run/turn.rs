//! One turn, whole: from the journal if it is there, else reserved, asked, journaled, read, and at most once repaired.

use super::core::{Appends, Core, PhaseScope, State, halt_of};
use super::hub::Feed;
use crate::{CallContext, Halt, Result, tokens};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::sync::Arc;
use synod_types::*;

/// Reads a raw reply into the turn's value.
pub(crate) type Reader = Arc<dyn Fn(&str) -> std::result::Result<(Value, Reading), String> + Send + Sync>;

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
    pub tools: Vec<ToolRun>,
}

/// The request last made, its reply, and the tools used on the way.
type ToolLoopResult<'a> = std::result::Result<(Cow<'a, Request>, Reply, Vec<ToolRun>), Failure>;

type CallResult = std::result::Result<Reply, Failure>;

/// A reply, and what was sent beside the request for it.
type Sent = std::result::Result<(Reply, Sending), Failure>;

/// What is sent beside a request for the second or third time.
#[derive(Clone, Copy)]
struct Again {
    sending: Sending,
    /// The fewest tokens that make sense.
    least: u32,
    /// Not sent, rather than the run stopped, if the budget has no room for it.
    or_not: bool,
}

enum Admission {
    Sent(Appends),
    /// The run is closing, and this turn may not start.
    Closed,
    TooDear,
}

/// A model that thought and said nothing is asked again with so many times the room, and with this much at least.
const MORE_ROOM: u32 = 4;
const LEAST_ROOM: u32 = 25_000;

impl Turn {
    /// Control is `Err`; a failed turn is data.
    pub async fn run(self, core: Arc<Core>) -> Result<std::result::Result<TurnResult, Failure>> {
        let outcome = self.outcome(&core).await?;
        if outcome.as_ref().is_ok_and(|result| result.partial) && !self.partial {
            let who = &core.seat(self.seat).label;
            core.warn(&self.scopes, &self.key, format!("{who}'s reply in {} was cut at its limit; what there is of it was used.", self.phase));
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
            return Ok(outcome.clone().map(|said| TurnResult { value: said.value, partial: said.partial, tools: tools() }));
        }
        if let Some((said, used)) = self.inherited(core) {
            let tools = used.iter().map(|(_, run)| run.clone()).collect();
            let came = TurnResult { value: said.value.clone(), partial: said.partial, tools };
            let mut rows: Vec<NewRow> = used.iter().map(|(key, run)| NewRow::new(key.clone(), Kind::Tool, core.clock.now(), run)).collect();
            rows.push(self.row(core, Kind::Said, &said));
            core.commit(&self.scopes, rows).await?;
            return Ok(Ok(came));
        }
        let (came, tools) = match self.converse(core).await? {
            Ok((request, reply, tools)) => (self.understand(core, request, reply).await?, tools),
            Err(failure) => (Err(failure), Vec::new()),
        };
        let row = match &came {
            Ok(said) => self.row(core, Kind::Said, said),
            Err(failure) => self.row(core, Kind::Failed, &FailedTurn { failure: failure.clone() }),
        };
        core.enqueue(&self.scopes, vec![row]);
        Ok(came.map(|said| TurnResult { value: said.value, partial: said.partial, tools }))
    }

    fn row(&self, core: &Core, kind: Kind, body: &impl serde::Serialize) -> NewRow {
        NewRow::new(self.key.clone(), kind, core.clock.now(), body).digest(self.digest.clone())
    }

    /// What the journal holds under this key must answer the very request that is now made.
    pub fn same_as_recorded(&self, core: &Core) -> Result<()> {
        let Some(seen) = core.record.turns.get(&self.key) else { return Ok(()) };
        let recorded = seen.outcome.as_ref().map(|(digest, _)| digest).or(seen.asked.as_ref().map(|(_, digest, _)| digest));
        if recorded.is_none_or(|recorded| *recorded == self.digest) {
            return Ok(());
        }
        let detail = format!("the journal holds this turn for another request (prompt {:?}, options or model changed since)", self.prompt);
        Err(core.halt(Halt::diverged(&self.key, detail)))
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
    fn failed_step(&self, core: &Core, key: String, request: &Request, failure: &Failure) {
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
            return Ok(Err(Failure::new(FailureKind::Refused, clip(&reply.text, 200))));
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
        let error = match (self.reader)(&reply.text) {
            Ok((value, reading)) if !cut || (typed && reading == Reading::Plain) => {
                return Ok(Ok(Said { value, reading, partial: false, from: None }));
            }
            Ok((value, reading)) if !typed => return Ok(Ok(Said { value, reading, partial: true, from: None })),
            Ok(_) => "it was cut off at the token limit".to_owned(),
            Err(error) => error,
        };
        if !typed {
            return Ok(Err(Failure::new(FailureKind::Empty, error)));
        }
        let kind = if cut { FailureKind::Truncated } else { FailureKind::Unreadable };
        self.repair(core, request.into_owned(), &reply, cut, &error).await.map(|mended| mended.ok_or_else(|| Failure::new(kind, error)))
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
                    Ok(again) if again.finish == Finish::Refusal => Err(Failure::new(FailureKind::Refused, clip(&again.text, 200))),
                    Ok(again) => match (self.reader)(&again.text) {
                        Ok((value, _)) => Ok(Said { value, reading: Reading::Repaired, partial: false, from: None }),
                        Err(error) => Err(Failure::new(FailureKind::Unreadable, error)),
                    },
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

    /// One request. A model that thought until its limit was spent is asked once more with more room, and then once at the lowest effort.
    async fn exchange(&self, core: &Arc<Core>, key: &str, request: &Request, extra: bool) -> Result<CallResult> {
        let (first, sent) = match self.send(core, key, request, None, extra).await? {
            Some(Ok(came)) => came,
            Some(Err(failure)) => return Ok(Err(failure)),
            None => return Ok(Err(closed())),
        };
        if !first.starved() && !first.crowded(request.max_tokens) {
            return Ok(Ok(first));
        }
        // What the model may write at most bounds it; where that is no more than it had, less thought is all that is left.
        let most = core.models.get(self.seat as usize).and_then(Option::as_ref).map_or(u32::MAX, |model| model.most_tokens(request));
        let tokens = sent.tokens.saturating_mul(MORE_ROOM).max(LEAST_ROOM).min(most);
        let more = Again { sending: Sending { tokens, ..sent }, least: sent.tokens.saturating_add(1), or_not: true };
        let key_again = format!("{key}/room");
        let known = core.record.turns.contains_key(&key_again);
        let second = if known || tokens > sent.tokens { self.again(core, key_again, request, more).await? } else { None };
        let sent = match second {
            Some(Ok((second, _))) if !second.starved() => return Ok(Ok(second)),
            // Words that were cut are better than none.
            _ if !first.starved() => return Ok(Ok(first)),
            Some(Ok((_, sent))) => sent,
            Some(Err(failure)) => return Ok(Err(failure)),
            None => sent,
        };
        let least = Again { sending: Sending { effort: Some(Effort::None), ..sent }, least: request.max_tokens, or_not: false };
        let third = self.again(core, format!("{key}/effort"), request, least).await?;
        Ok(third.unwrap_or_else(|| Err(closed())).map(|(third, _)| third))
    }

    async fn again(&self, core: &Arc<Core>, key: String, request: &Request, again: Again) -> Result<Option<Sent>> {
        let came = self.send(core, &key, request, Some(again), true).await?;
        if let Some(Err(failure)) = &came {
            self.failed_step(core, key, request, failure);
        }
        Ok(came)
    }

    /// One request to the provider, journaled on both sides. What the journal already has is not sent again. `None`: the budget has no room
    /// for it, and it need not be sent.
    async fn send(&self, core: &Arc<Core>, key: &str, request: &Request, again: Option<Again>, extra: bool) -> Result<Option<Sent>> {
        let digest = if key == self.key { self.digest.clone() } else { self.digest_of(request) };
        let seen = core.record.turns.get(key);
        let asked_before = seen.and_then(|turn| turn.asked.as_ref());
        if asked_before.is_some_and(|(_, asked, _)| *asked != digest) {
            return Err(core.halt(Halt::diverged(key, format!("prompt {:?} now asks something else than the journal says it asked", self.prompt))));
        }
        if let Some((attempt, sha256)) = seen.and_then(|turn| turn.replied.as_ref()) {
            let sent = asked_before.map_or_else(|| Sending::plain(request), |(_, _, sent)| *sent);
            return self.recorded_reply(core, key, *attempt, sha256).await.map(|reply| Some(Ok((reply, sent))));
        }
        if let Some((_, Err(failure))) = seen.and_then(|turn| turn.outcome.as_ref())
            && key != self.key
        {
            return Ok(Some(Err(failure.clone())));
        }
        if core.replaying {
            return Err(core.halt(Halt::diverged(key, "the journal does not hold this turn")));
        }
        let attempt = asked_before.map_or(0, |(attempt, ..)| attempt + 1);
        if self.barred(core, &core.state(), attempt) {
            return Ok(Some(Err(closed())));
        }
        if let Some(why) = core.unreachable.get(&core.seat(self.seat).model) {
            return Err(core.halt(Halt::stopped(StopReason::Offline, format!("{key} cannot be asked: {why}"))));
        }
        let Some(model) = core.models.get(self.seat as usize).and_then(Option::as_ref) else {
            return Ok(Some(Err(Failure::new(FailureKind::ModelGone, format!("no model is seated at {}", self.seat)))));
        };
        let Some(slot) = self.slot(core, model.as_ref(), attempt).await? else { return Ok(Some(Err(closed()))) };
        let again = again.unwrap_or_else(|| Again { sending: model.sending(request, self.tier), least: request.max_tokens, or_not: false });
        let sending = again.sending;
        let mut asked = Asked {
            seat: self.seat,
            model: core.seat(self.seat).model.clone(),
            prompt: self.prompt.to_owned(),
            tier: self.tier,
            temperature: request.temperature,
            max_tokens: request.max_tokens,
            sent_tokens: Some(sending.tokens),
            effort: sending.effort,
            reserved_usd: None,
            extra,
            reasked: attempt > 0,
        };
        let appends = match self.admitted(core, key, attempt, &mut asked, (request, again), digest).await? {
            Admission::Sent(appends) => appends,
            Admission::Closed => return Ok(Some(Err(closed()))),
            Admission::TooDear => return Ok(None),
        };
        let sending = Sending { tokens: asked.sent_tokens.unwrap_or(request.max_tokens), ..sending };
        let flight = Flight { core: core.clone() };
        core.safe(appends).await?;
        let context = self.context(core, key, attempt, sending);
        let sent = core.clock.now();
        let replied = model.call(request, &context).await;
        drop((context, slot));
        let now = core.clock.now();
        // Settled before the place is given back: whoever waits for room in the budget must see what is left of it.
        match &replied {
            Ok(reply) => self.keep(core, key, attempt, reply, asked.reserved_usd, sent, now),
            Err(failure) => core.state().ledger.failed(key, now, failure.kind),
        }
        drop(flight);
        Ok(Some(replied.map(|reply| (reply, sending))))
    }

    /// A reply paid for before: read again, never asked for again.
    async fn recorded_reply(&self, core: &Core, key: &str, attempt: i64, sha256: &str) -> Result<Reply> {
        let raw = core.journal.raw(&core.lease.run, key, attempt).await.map_err(|error| core.halt(halt_of(error)))?;
        let why = match raw {
            None => "its reply was paid for, but is no longer kept",
            Some(raw) if sha256_hex(&raw) != sha256 => "its kept reply is not the one that came",
            Some(raw) => match serde_json::from_str(&raw) {
                Ok(reply) => return Ok(reply),
                Err(_) => "its kept reply cannot be read",
            },
        };
        Err(core.halt(Halt::diverged(key, why)))
    }

    /// A slot at the endpoint. `None`: the run closed while this turn waited for one.
    async fn slot(&self, core: &Core, model: &dyn crate::Model, attempt: i64) -> Result<Option<crate::EndpointSlot>> {
        let slot = model.slot();
        tokio::pin!(slot);
        loop {
            let changed = core.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            core.check()?;
            if self.barred(core, &core.state(), attempt) {
                return Ok(None);
            }
            tokio::select! {
                biased;
                slot = &mut slot => return Ok(Some(slot)),
                () = &mut changed => {}
            }
        }
    }

    /// The run is closing, and this turn may not start any more. One that was under way when it closed may, also after a crash.
    fn barred(&self, core: &Core, state: &State, attempt: i64) -> bool {
        let late = |since: Millis| core.clock.now() - since > core.limits.turn_ms;
        attempt == 0 && state.closing.as_ref().is_some_and(|(_, since)| !self.concluding || late(*since))
    }

    fn digest_of(&self, request: &Request) -> String {
        digest_of(self.tier, request)
    }

    fn context(&self, core: &Arc<Core>, key: &str, attempt: i64, sending: Sending) -> CallContext {
        let feed = core.hub.as_ref().map(|hub| {
            let (hub, clock) = (hub.clone(), core.clock.clone());
            Arc::new(Feed { hub, clock, run: core.lease.run.clone(), key: key.to_owned(), attempt }) as Arc<dyn crate::Deltas>
        });
        CallContext {
            run: core.lease.run.clone(),
            key: key.to_owned(),
            seed: core.header.seed,
            idle_ms: core.limits.idle_ms,
            total_ms: core.limits.turn_ms,
            sending,
            deltas: feed,
        }
    }

    /// The reply goes to the journal before anybody reads it.
    #[expect(clippy::too_many_arguments, reason = "each is a plain fact of this one call")]
    fn keep(&self, core: &Core, key: &str, attempt: i64, reply: &Reply, reserved: Option<f64>, sent: Millis, now: Millis) {
        let raw = serde_json::to_string(reply).unwrap_or_default();
        let price = core.header.card(self.seat).and_then(|card| card.price);
        let priced = price.and_then(|price| reply.usage.map(|usage| price.cost(usage)));
        let spent_usd = reply.cost_usd.or(priced).or(reserved);
        let changed = reply.changed.clone();
        let replied = Replied { raw_sha256: sha256_hex(&raw), finish: reply.finish, usage: reply.usage, spent_usd, ms: now - sent, changed };
        core.state().ledger.replied(key, attempt, now, &replied);
        core.enqueue(&self.scopes, vec![NewRow::new(key, Kind::Replied, now, &replied).attempt(attempt).raw(raw)]);
    }

    /// Waits for room in the budget and queues the `asked` row with the decision, so that none follows a `closing` row it did not know of. Room
    /// to think that the budget has not is given up before the run is.
    async fn admitted(
        &self,
        core: &Core,
        key: &str,
        attempt: i64,
        asked: &mut Asked,
        (request, again): (&Request, Again),
        digest: String,
    ) -> Result<Admission> {
        let price = core.header.card(self.seat).and_then(|card| card.price);
        let input = if price.is_some_and(|price| price != Price::FREE) { tokens::of_request(request) } else { 0 };
        let worst = |tokens: u32| price.map(|price| if price == Price::FREE { 0.0 } else { price.worst(input, tokens) });
        let wanted = asked.sent_tokens.unwrap_or(request.max_tokens);
        loop {
            let changed = core.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            {
                let now = core.clock.now();
                let mut state = core.state();
                if let Some(halt) = &state.halt {
                    return Err(halt.clone());
                }
                if self.barred(core, &state, attempt) {
                    return Ok(Admission::Closed);
                }
                let held = state.ledger.committed();
                let fits = |tokens: u32| core.limits.budget_usd.is_none_or(|limit| held + worst(tokens).unwrap_or(0.0) <= limit + 1e-9);
                let least = again.least.min(wanted);
                let tokens = match price {
                    _ if fits(wanted) => Some(wanted),
                    // Whoever is under way may yet cost less than was set aside.
                    _ if state.in_flight > 0 => None,
                    Some(price) if fits(least) => {
                        let left = core.limits.budget_usd.unwrap_or(0.0) - held - price.worst(input, 0);
                        Some(((left / price.output * 1e6) as u32).clamp(least, wanted))
                    }
                    _ if again.or_not => return Ok(Admission::TooDear),
                    _ => {
                        drop(state);
                        let (need, limit) = (worst(least).unwrap_or(0.0), core.limits.budget_usd.unwrap_or(0.0));
                        let detail = format!("the next turn ({key}) may cost ${need:.4}; ${held:.4} of ${limit:.4} are spent or reserved");
                        return Err(core.halt(Halt::stopped(StopReason::Budget, detail)));
                    }
                };
                if let Some(tokens) = tokens {
                    (asked.sent_tokens, asked.reserved_usd) = (Some(tokens), worst(tokens));
                    state.in_flight += 1;
                    state.ledger.asked(key, attempt, now, asked);
                    let row = NewRow::new(key, Kind::Asked, now, asked).attempt(attempt).digest(digest);
                    return Ok(Admission::Sent(core.queue(&mut state, &self.scopes, vec![row])));
                }
            }
            changed.await;
        }
    }
}

/// A call under way; gives its place back however it ends.
struct Flight {
    core: Arc<Core>,
}

impl Drop for Flight {
    fn drop(&mut self) {
        self.core.state().in_flight -= 1;
        self.core.changed.notify_waiters();
    }
}

/// What is asked, and of which tier: compared on replay.
pub(crate) fn digest_of(tier: Tier, request: &Request) -> String {
    match tier {
        Tier::Heavy => request.digest(),
        Tier::Light => sha256_hex(format!("light {}", request.digest())),
    }
}

fn closed() -> Failure {
    Failure::new(FailureKind::Closed, "")
}

fn clip(text: &str, limit: usize) -> String {
    text.chars().take(limit).collect()
}
