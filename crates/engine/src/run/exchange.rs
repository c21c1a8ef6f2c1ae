//! One request of a turn, from the budget to the journal: reserved, asked, journaled, and tried again where its model had no room to think.

use super::bill::Bill;
use super::core::{Appends, Core, State, halt_of};
use super::hub::Feed;
use super::turn::Turn;
use crate::{CallContext, Halt, Result, tokens};
use std::sync::Arc;
use std::time::Duration;
use synod_types::*;
use tokio::time::{Instant, sleep_until};

pub(super) type CallResult = std::result::Result<Reply, Failure>;

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
    /// One request. A model that thought until its limit was spent is asked once more with more room, and then once at the lowest effort.
    pub async fn exchange(&self, core: &Arc<Core>, key: &str, request: &Request, extra: bool) -> Result<CallResult> {
        let (first, sent) = match self.send(core, key, request, None, extra).await? {
            Some(Ok(came)) => came,
            Some(Err(failure)) => return Ok(Err(failure)),
            None => return Ok(Err(closed())),
        };
        if self.beside_ms.is_some() || first.overran || (!first.starved() && !first.crowded(request.max_tokens)) {
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
            if self.beside_ms.is_some() {
                return Ok(None);
            }
            return Err(core.halt(Halt::stopped(StopReason::Offline, format!("{key} cannot be asked: {why}"))));
        }
        let Some(model) = core.models.get(self.seat as usize).and_then(Option::as_ref) else {
            return Ok(Some(Err(Failure::new(FailureKind::ModelGone, format!("no model is seated at {}", self.seat)))));
        };
        let Some(slot) = self.slot(core, model.as_ref(), attempt).await? else { return Ok(Some(Err(closed()))) };
        let again = again.unwrap_or_else(|| Again {
            sending: model.sending(request, self.tier),
            least: request.max_tokens,
            or_not: self.beside_ms.is_some(),
        });
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
        let Some(aside) = self.set_aside(core, key, request, sending.tokens).await? else { return Ok(None) };
        let appends = match self.admitted(core, key, attempt, &mut asked, (request, again), digest).await {
            Ok(Admission::Sent(appends)) => appends,
            not_sent => {
                aside.settle(None).await;
                return match not_sent? {
                    Admission::Closed => Ok(Some(Err(closed()))),
                    Admission::TooDear | Admission::Sent(_) => Ok(None),
                };
            }
        };
        let sending = Sending { tokens: asked.sent_tokens.unwrap_or(request.max_tokens), ..sending };
        let flight = Flight { core: core.clone() };
        core.safe(appends).await?;
        let context = self.context(core, key, attempt, sending);
        let sent = core.clock.now();
        let replied = model.call(request, &context).await;
        drop((context, slot));
        let ms = core.clock.now() - sent;
        let endpoint = core.header.card(self.seat).map_or("", |card| card.endpoint.as_str());
        // Settled before the place is given back: whoever waits for room in the budget must see what is left of it.
        let spent = match &replied {
            Ok(reply) => {
                let price = core.header.card(self.seat).and_then(|card| card.price);
                let bill = Bill::of(request, reply, price, asked.reserved_usd);
                self.keep(core, key, attempt, reply, &bill, ms);
                core.counters.count(endpoint, Ok(bill.usage.unwrap_or_default()), bill.spent_usd);
                bill.spent_usd
            }
            Err(failure) => {
                core.state().ledger.failed(key, core.clock.now(), failure.kind);
                let spent = if failure.kind.turned_away() { Some(0.0) } else { asked.reserved_usd };
                core.counters.count(endpoint, Err(failure.kind), spent);
                spent
            }
        };
        drop(flight);
        aside.settle(Some(spent.unwrap_or(0.0))).await;
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

    /// Until when a turn beside the deliberation may take.
    fn patience(&self) -> Option<Instant> {
        self.beside_ms.map(|ms| self.began + Duration::from_millis(u64::try_from(ms).unwrap_or(0)))
    }

    /// A slot at the endpoint. `None`: the run closed while this turn waited for one, or it has waited long enough.
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
                () = sleep_until(self.patience().unwrap_or(self.began)), if self.beside_ms.is_some() => return Ok(None),
                () = &mut changed => {}
            }
        }
    }

    /// The run is closing, and this turn may not start any more. One that was under way when it closed may, also after a crash.
    fn barred(&self, core: &Core, state: &State, attempt: i64) -> bool {
        let late = |since: Millis| core.clock.now() - since > core.limits.turn_ms;
        attempt == 0 && state.closing.as_ref().is_some_and(|(_, since)| !self.concluding || late(*since))
    }

    fn context(&self, core: &Arc<Core>, key: &str, attempt: i64, sending: Sending) -> CallContext {
        let feed = core.hub.as_ref().map(|hub| {
            let hub = hub.clone();
            Arc::new(Feed { hub, run: core.lease.run.clone(), key: key.to_owned(), attempt }) as Arc<dyn crate::Deltas>
        });
        CallContext {
            run: core.lease.run.clone(),
            key: key.to_owned(),
            seed: core.header.seed,
            idle_ms: core.limits.idle_ms,
            total_ms: self.patience().map_or(core.limits.turn_ms, |until| (until - Instant::now()).as_millis() as Millis).min(core.limits.turn_ms),
            sending,
            deltas: feed,
        }
    }

    /// The reply goes to the journal before anybody reads it.
    fn keep(&self, core: &Core, key: &str, attempt: i64, reply: &Reply, bill: &Bill, ms: Millis) {
        let raw = json_text(reply).unwrap_or_default();
        let Bill { usage, spent_usd, claimed } = *bill;
        let (changed, overran) = (reply.changed.clone(), reply.overran);
        let replied = Replied { raw_sha256: sha256_hex(&raw), finish: reply.finish, usage, spent_usd, ms, changed, claimed, overran };
        let now = core.clock.now();
        core.state().ledger.replied(key, attempt, now, &replied);
        core.enqueue(&self.scopes, vec![NewRow::new(key, Kind::Replied, now, &replied).attempt(attempt).raw(raw)]);
    }

    /// Asks the allowance of whoever began the run, where there is one, for one more call at its worst cost. `None`: it has no room for it, and
    /// it need not be sent.
    async fn set_aside<'a>(&self, core: &'a Core, key: &str, request: &Request, tokens: u32) -> Result<Option<Aside<'a>>> {
        let Some(purse) = core.purse.as_deref() else { return Ok(Some(Aside(None))) };
        let worst = self.worst(core, request, tokens).unwrap_or(0.0);
        match purse.reserve(worst).await {
            Ok(aside) => Ok(Some(Aside(Some((purse, aside))))),
            Err(_) if self.beside_ms.is_some() => Ok(None),
            Err(limit) => {
                let cost = if worst > 0.0 { format!(" may cost ${worst:.4}") } else { " has no room".to_owned() };
                Err(core.halt(Halt::stopped(StopReason::Budget, format!("the next turn ({key}){cost}: {limit}"))))
            }
        }
    }

    /// What a request may cost at most; `None` without a price.
    fn worst(&self, core: &Core, request: &Request, tokens: u32) -> Option<f64> {
        let price = core.header.card(self.seat).and_then(|card| card.price)?;
        Some(if price == Price::FREE { 0.0 } else { price.worst(tokens::of_request(request), tokens) })
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
                    _ if state.in_flight > 0 && self.beside_ms.is_none() => None,
                    Some(price) if fits(least) => {
                        let left = core.limits.budget_usd.unwrap_or(0.0) - held - price.worst(input, 0);
                        Some(((left / price.output * 1e6) as u32).clamp(least, wanted))
                    }
                    _ if again.or_not => return Ok(Admission::TooDear),
                    _ => {
                        state.needed_usd = state.needed_usd.max(held + worst(wanted).unwrap_or(0.0));
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

/// What was set aside of an allowance for one call.
struct Aside<'a>(Option<(&'a dyn crate::Purse, crate::SetAside)>);

impl Aside<'_> {
    async fn settle(self, spent_usd: Option<f64>) {
        if let Some((purse, aside)) = self.0 {
            purse.settle(aside, spent_usd).await;
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

fn closed() -> Failure {
    Failure::new(FailureKind::Closed, "")
}
