//! How one round is held.
//!
//! Every response is checked for safety the moment it arrives, before it enters the record or another seat reads it.

use super::reply::{Turn, TurnRequest};
use super::risk_reply::ClosingAnswers;
use super::round::{PriorConfidence, Response, Round, RoundKind};
use super::safety;
use super::{Debate, LEAST, tools};
use crate::roundtable::prompting::contribution::tool_output;
use crate::roundtable::record::TurnOrigin;
use crate::roundtable::rows::RoleViolation;
use synod_engine::{Bench, ReplyWithTools, Result, SeatFailure};
use synod_types::{FailureKind, ToolRun};

/// Rounds a seat may miss in a row before it is asked no more.
const PATIENCE: u32 = 2;

impl Debate<'_> {
    /// Holds a round: every seat speaks, and each response is checked and taken in. Where too few responses count, or the run was closing
    /// before all had spoken, the round does not count and the record stays as it was.
    pub async fn hold_round(&mut self, phase: &Bench, number: u32, kind: RoundKind) -> Result<Round> {
        let (saved, requests) = (self.record.clone(), self.context_requests.len());
        let mut round = Round { number, kind, votes: self.votes(kind), record_before: self.record.size(), ..Round::default() };
        let asked: Vec<usize> = (0..self.seats()).filter(|seat| self.is_asked(*seat)).collect();
        let mut overflow = false;
        if self.style.sequential {
            for seat in asked {
                let packet = self.packet(&round, &saved);
                overflow |= packet.overflow;
                let result = self.ask::<Turn>(phase, seat, &round, &packet).await?;
                if let Some(response) = self.response_of(seat, result, &mut round) {
                    let mut checked = self.check_safety(phase, vec![response], &mut round.closed).await?;
                    self.ingest_responses(&mut checked, &round);
                    // Whoever speaks next sees what became of the claims.
                    self.record.update_statuses();
                    round.responses.append(&mut checked);
                }
            }
        } else {
            let packet = self.packet(&round, &saved);
            overflow = packet.overflow;
            let turns: Vec<_> = asked.iter().map(|seat| self.ask::<Turn>(phase, *seat, &round, &packet)).collect();
            let mut arrived = Vec::new();
            for (seat, result) in asked.into_iter().zip(futures::future::join_all(turns).await) {
                arrived.extend(self.response_of(seat, result?, &mut round));
            }
            let mut checked = self.check_safety(phase, arrived, &mut round.closed).await?;
            self.ingest_responses(&mut checked, &round);
            round.responses = checked;
        }
        self.record.update_statuses();
        round.new_facts = self.record.new_facts_after(round.record_before.claims).count();
        warn_of_overflow(phase, overflow);
        let first = self.rounds.is_empty();
        if round.counted().count() < LEAST || (round.closed && !first) {
            self.record.restore(saved);
            self.context_requests.truncate(requests);
        }
        Ok(round)
    }

    /// Asks whoever owes an answer to a risk for that and nothing else, all at once. The form has no other field, and nothing but the answers
    /// enters the record.
    pub async fn hold_closing_answers(&mut self, phase: &Bench, number: u32) -> Result<Round> {
        let mut round = Round { number, kind: RoundKind::Closing, record_before: self.record.size(), ..Round::default() };
        let packet = self.packet(&round, &self.record);
        let owes = |seat: &usize| self.is_asked(*seat) && !self.shown_risks(*seat, &packet).is_empty();
        let asked: Vec<usize> = (0..self.seats()).filter(owes).collect();
        let turns: Vec<_> = asked.iter().map(|seat| self.ask::<ClosingAnswers>(phase, *seat, &round, &packet)).collect();
        let mut arrived = Vec::new();
        for (seat, result) in asked.into_iter().zip(futures::future::join_all(turns).await) {
            let Some((reply, tools)) = self.arrived(seat, result?, &mut round) else { continue };
            let turn = Turn::from(reply.value);
            let (owed, audit) = (self.left_owed(seat, &turn), self.record.audit(&turn));
            arrived.push(Response { tools, owed, ..Response::new(seat, reply.key, turn, audit) });
        }
        round.responses = self.check_safety(phase, arrived, &mut round.closed).await?;
        for response in round.counted() {
            self.record.take_answers(response.seat, number, &response.turn);
        }
        warn_of_overflow(phase, packet.overflow);
        Ok(round)
    }

    fn is_asked(&self, seat: usize) -> bool {
        self.missed_rounds[seat] < PATIENCE
    }

    fn prior_confidence(&self, seat: usize) -> Option<PriorConfidence> {
        let spoke = |round: &Round| round.response_of(seat).map(|said| PriorConfidence { round: round.number, confidence: said.turn.confidence });
        self.rounds.iter().rev().filter(|round| round.is_regular()).find_map(spoke)
    }

    /// The risks it was to answer and says nothing of.
    fn left_owed(&self, seat: usize, turn: &Turn) -> Vec<String> {
        let given = |id: &String| turn.mitigations.iter().any(|word| word.id == *id && word.is_given());
        self.owed_risks(seat).map(|risk| risk.id.clone()).filter(|id| !given(id)).collect()
    }

    /// A seat's reply; nothing where the seat failed.
    fn arrived<T>(
        &mut self,
        seat: usize,
        result: std::result::Result<ReplyWithTools<T>, SeatFailure>,
        round: &mut Round,
    ) -> Option<ReplyWithTools<T>> {
        match result {
            Ok(reply) => {
                self.missed_rounds[seat] = 0;
                Some(reply)
            }
            Err(failure) => {
                round.closed |= failure.failure.kind == FailureKind::Closed;
                self.missed_rounds[seat] += 1;
                round.failures.push(failure);
                None
            }
        }
    }

    /// A seat's reply as a response, without what it was not asked for; nothing where the seat failed.
    fn response_of(&mut self, seat: usize, result: std::result::Result<ReplyWithTools<Turn>, SeatFailure>, round: &mut Round) -> Option<Response> {
        let (reply, tools) = self.arrived(seat, result, round)?;
        let regular = round.is_regular();
        let role = self.roles[seat];
        let remedies = reply.value.remedies().filter(|_| role.only_attacks()).count();
        let heard = self.rounds.last().into_iter().flat_map(|last| &last.responses).chain(&round.responses);
        let others: Vec<String> = heard.filter(|other| other.seat != seat).map(|other| self.names[other.seat].clone()).collect();
        let prior = self.prior_confidence(seat);
        let asked = TurnRequest { vote: round.votes, regular, again: prior.is_some(), others: &others, role };
        let turn = reply.value.keep_requested(&asked);
        let stance = role
            .stance
            .clone()
            .filter(|expected| turn.stance.as_ref() != Some(expected))
            .map(|expected| RoleViolation { expected: format!("stance {expected}"), actual: turn.stance.clone() });
        let solved = || (remedies > 0).then(|| RoleViolation { expected: "no solutions".into(), actual: Some(format!("{remedies} solutions")) });
        let unruled = || (role.rules && regular && turn.ruling.is_none()).then(|| RoleViolation { expected: "a ruling".into(), actual: None });
        let violation = stance.or_else(solved).or_else(unruled);
        let audit = self.record.audit(&turn);
        // Nobody answers risks while it must object.
        let owed = if regular { self.left_owed(seat, &turn) } else { Vec::new() };
        Some(Response { tools, violation, owed, prior, ..Response::new(seat, reply.key, turn, audit) })
    }

    async fn check_safety(&mut self, phase: &Bench, mut responses: Vec<Response>, closed: &mut bool) -> Result<Vec<Response>> {
        let named = |response: &Response| Ok((self.names[response.seat].clone(), full_text(&response.turn, &response.tools)?));
        let texts = responses.iter().map(named).collect::<Result<Vec<_>>>()?;
        for (response, check) in responses.iter_mut().zip(self.check(phase, "The contribution", texts).await?) {
            *closed |= check.closed;
            (response.blocked, response.unread) = (check.blocked, check.unread);
            (response.evaluation, response.evaluation_key) = (check.evaluation, check.evaluation_key);
        }
        Ok(responses)
    }

    fn ingest_responses(&mut self, responses: &mut [Response], round: &Round) {
        let number = round.number;
        // All withdrawals come first: a claim made again in this round, by its author too, is then a new claim.
        for response in responses.iter_mut().filter(|response| response.blocked.is_none()) {
            response.changes.withdrawn = self.record.withdraw(response.seat, number, &response.turn.withdraws);
        }
        for response in responses.iter_mut().filter(|response| response.blocked.is_none()) {
            self.context_requests.extend(tools::context_requests(&response.tools, &self.names[response.seat], number));
            let from = TurnOrigin { seat: response.seat, round: number, regular: round.is_regular() };
            response.label_counts = self.record.ingest(from, &response.turn, &response.audit, &response.tools, &mut response.changes);
        }
    }
}

fn warn_of_overflow(phase: &Bench, overflow: bool) {
    if overflow {
        phase.warn("context_overflow: what was said in the round before had to be cut to fit into a prompt.");
    }
}

/// Everything a turn says, for the safety checks: also what went into a tool and came out of it, as far as others are shown that.
fn full_text(turn: &Turn, tools: &[ToolRun]) -> Result<String> {
    let typed = tools.iter().flat_map(|run| safety::texts(&run.input).into_iter().map(str::to_owned).chain([tool_output(run)]));
    Ok([safety::words_of(turn)?].into_iter().chain(typed).collect::<Vec<_>>().join("\n\n"))
}
