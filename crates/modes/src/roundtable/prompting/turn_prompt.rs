//! A seat's prompt for its turn: what it is told, the ids its reply may use, the words of others, and in an anonymous debate the group's figures.

use super::contribution::Contribution;
use super::packet::{Packet, PacketParts};
use super::perspectives::{Perspective, anchor};
use crate::roundtable::record::{ClaimStatus, POSITION_TOKENS};
use crate::roundtable::rounds::reply::{CHANGES, STANCES, Turn, VOTES, vote_name};
use crate::roundtable::rounds::tools::{PARALLEL_CALLS, SEQUENTIAL_CALLS, TurnTools};
use crate::roundtable::rounds::{Debate, Response, Round};
use crate::tokens::clip;
use serde_json::{Value, json};
use std::sync::Arc;
use synod_engine::{Bench, Prompt, ReplyWithTools, Result, SeatFailure, prompt};
use synod_types::SeatIx;

impl Debate<'_> {
    /// Puts the question of this round to a seat, with its tools.
    pub fn ask(
        &self,
        phase: &Bench,
        seat: usize,
        round: &Round,
        packet: &Packet,
    ) -> impl Future<Output = Result<std::result::Result<ReplyWithTools<Turn>, SeatFailure>>> + Send + use<> {
        let most = if self.style.sequential { SEQUENTIAL_CALLS } else { PARALLEL_CALLS };
        let last = !round.objection && round.number >= self.options.limit_at(round.number);
        let tools = TurnTools::new(&self.record, &self.names, seat, self.bench.question(), last, most);
        phase.ask_with_tools(seat as SeatIx, self.prompt(seat, round, packet, most), Arc::new(tools), most as u32)
    }

    fn prompt(&self, seat: usize, round: &Round, packet: &Packet, most: usize) -> Prompt {
        let role = self.roles[seat];
        let first = self.rounds.is_empty();
        let heard = !packet.previous.is_empty() || !packet.current.is_empty();
        let (anchor_name, looks) = anchor(seat);
        let anonymous = self.style.anonymous;
        let prompt = prompt!(
            "turn",
            role,
            first,
            heard,
            objection = round.objection,
            round = round.number,
            packet,
            name = self.names[seat],
            persona = (!anonymous).then(|| self.style.persona(seat, self.seats())),
            seats = self.seats(),
            perspective = self.perspectives.get(seat).map(Perspective::for_prompt),
            tool_limit = most,
            advised = self.style.sequential.then_some(2),
            safety = self.watch.armed() || self.style.risky,
            sections = if first { &role.first } else { &role.later },
            anchor = json!({"name": anchor_name, "looks": looks}),
            high_stakes = self.options.high_stakes.iter().map(|category| category.words()).collect::<Vec<_>>(),
            focus = self.options.focus_at(round.number),
            rounds = self.options.limit_at(round.number),
            before = self.rounds.last().map(Round::title).unwrap_or_default(),
            group = self.group_figures(),
            material = self.material,
            proposal = !self.record.proposal.is_empty(),
            votes = round.votes
        );
        let live = self.record.claims.iter().filter(|claim| claim.status != ClaimStatus::Retracted);
        let (own, spoke): (Vec<&str>, Vec<&str>) = (
            live.clone().filter(|claim| claim.by == seat).map(|claim| claim.id.as_str()).collect(),
            packet
                .previous
                .iter()
                .chain(&packet.current)
                .map(|contribution| contribution.name.as_str())
                .filter(|name| *name != self.names[seat])
                .collect(),
        );
        let mut spoke = spoke;
        spoke.sort_unstable();
        spoke.dedup();
        // A risk that the packet does not show cannot be answered.
        let open = self.owed_risks(seat).filter(|risk| packet.risks.contains(&risk.id));
        prompt
            .ids("votes", if round.votes { VOTES.map(|(name, _)| name).to_vec() } else { Vec::new() })
            .ids("claims", live.map(|claim| claim.id.as_str()))
            .ids("own", own)
            .ids("evidence", self.record.evidence.iter().map(|evidence| evidence.id.as_str()))
            .ids("stances", if role.stance.is_some() { STANCES.to_vec() } else { Vec::new() })
            .ids("changes", if self.record.seats[seat].confidence.is_some() { CHANGES.to_vec() } else { Vec::new() })
            .ids("seats", spoke)
            .ids("risk_kinds", role.risk_kinds.iter().map(String::as_str))
            .ids("mitigated_kinds", role.mitigated_kinds.iter().map(String::as_str))
            .ids("risks", open.map(|risk| risk.id.as_str()))
    }

    /// What seats are shown before they speak in this round.
    pub fn packet(&self, number: u32, current: &[Response]) -> Packet {
        let mut summaries = self.rounds.iter().rev().skip(1).map(|round| &round.summary).filter(|summary| !summary.text.is_empty());
        let previous = self.rounds.last().map(|round| self.contributions(&round.responses)).unwrap_or_default();
        let summaries = summaries.by_ref().take(2).collect();
        let (record, names, reserve) = (&self.record, &self.names, self.reserve);
        PacketParts { record, names, round: number, summaries, previous, current: self.contributions(current), reserve }.pack()
    }

    /// What whoever analyses a round is shown: the record and the round itself, nothing of those before.
    pub fn packet_for_analysis(&self, round: &Round) -> Packet {
        let current = self.contributions(&round.responses);
        let (record, names, reserve) = (&self.record, &self.names, self.reserve);
        PacketParts { record, names, round: round.number + 1, summaries: Vec::new(), previous: Vec::new(), current, reserve }.pack()
    }

    fn contributions(&self, responses: &[Response]) -> Vec<Contribution> {
        let contribution = |response: &Response| {
            let name = &self.names[response.seat];
            if let Some(reason) = &response.blocked {
                return Contribution::withheld(name, reason);
            }
            let turn = &response.turn;
            let vote = turn.vote().map(|vote| format!("{}, ", vote_name(vote))).unwrap_or_default();
            let delta = response.delta().map(|delta| format!(" ({delta:+.2})")).unwrap_or_default();
            let replies = if turn.replies_to.is_empty() { String::new() } else { format!(" Replies to {}.", turn.replies_to.join(", ")) };
            let position = clip(&turn.position, POSITION_TOKENS);
            let head = format!("{vote}confidence {:.2}{delta}. Position: {position}{replies}", turn.confidence);
            Contribution::new(name, head, &turn.reasons, &response.audit, &response.changes, &response.tools)
        };
        responses.iter().map(contribution).collect()
    }

    /// What anonymous seats are told of the group: figures, and positions without names.
    fn group_figures(&self) -> Option<Value> {
        let last = self.rounds.last().filter(|_| self.style.anonymous)?;
        let n = last.counted().count();
        let mean = synod_math::debate::mean(&last.confidences())?;
        let groups = last.assessment.seats_by_camp();
        let share = groups.first().map_or(0.0, |(_, seats)| seats.len() as f64 / n as f64);
        let line = |(_, seats): &(usize, Vec<usize>)| {
            let said = last.counted().find(|response| Some(&response.seat) == seats.first())?;
            let text = said.turn.position.split_inclusive(['.', '!', '?']).next().unwrap_or_default().trim();
            Some(format!("{}: {}", seats.len(), text.chars().take(100).collect::<String>()))
        };
        let positions: Vec<String> = groups.iter().take(5).filter_map(line).collect();
        Some(json!({"n": n, "mean": format!("{:.1}", mean * 100.0), "share": format!("{:.0}", share * 100.0), "positions": positions.join("\n")}))
    }
}
