//! What a seat is asked and shown: its prompt, the ids its reply may use, the words of others, and in an anonymous debate the group's figures.

use super::debate::{Debate, Response, RoundRecord};
use super::entry::Entry;
use super::packet::{Material, Packet};
use super::perspectives::{Perspective, anchor};
use super::reply::{CHANGES, STANCES, Turn, VOTES, vote_name};
use super::state::ClaimStatus;
use super::tools::{Desk, PARALLEL_CALLS, SEQUENTIAL_CALLS};
use serde_json::{Value, json};
use std::sync::Arc;
use synod_engine::{Bench, Prompt, ReplyWithTools, Result, SeatFailure, prompt};
use synod_types::SeatIx;

impl Debate<'_> {
    pub fn ask(
        &self,
        stage: &Bench,
        seat: usize,
        held: &RoundRecord,
        packet: &Packet,
    ) -> impl Future<Output = Result<std::result::Result<ReplyWithTools<Turn>, SeatFailure>>> + Send + use<> {
        let most = if self.style.sequential { SEQUENTIAL_CALLS } else { PARALLEL_CALLS };
        let last = !held.objection && held.number >= self.options.limit_at(held.number);
        let desk = Desk::new(&self.state, &self.names, seat, self.bench.question(), last, most);
        stage.ask_with_tools(seat as SeatIx, self.prompt(seat, held, packet, most), Arc::new(desk), most as u32)
    }

    fn prompt(&self, seat: usize, held: &RoundRecord, packet: &Packet, most: usize) -> Prompt {
        let role = self.roles[seat];
        let (round, objection) = (held.number, held.objection);
        let first = self.rounds.is_empty();
        let heard = !packet.previous.is_empty() || !packet.current.is_empty();
        let (anchor_name, looks) = anchor(seat);
        let votes = held.votes;
        let anonymous = self.style.anonymous;
        let prompt = prompt!(
            "turn",
            role,
            first,
            heard,
            objection,
            round,
            packet,
            name = self.names[seat],
            persona = (!anonymous).then(|| self.style.persona(seat, self.seats())),
            seats = self.seats(),
            perspective = self.perspectives.get(seat).map(Perspective::told),
            tool_limit = most,
            advised = self.style.sequential.then_some(2),
            safety = self.watch.armed() || self.style.risky,
            sections = if first { &role.first } else { &role.later },
            anchor = json!({"name": anchor_name, "looks": looks}),
            high_stakes = self.options.high_stakes.iter().map(|category| category.words()).collect::<Vec<_>>(),
            focus = self.options.focus_at(round),
            rounds = self.options.limit_at(round),
            before = self.rounds.last().map(RoundRecord::title).unwrap_or_default(),
            group = self.group(),
            material = self.material,
            proposal = !self.state.proposal.is_empty(),
            votes
        );
        let live = self.state.claims.iter().filter(|claim| claim.status != ClaimStatus::Retracted);
        let (own, spoke): (Vec<&str>, Vec<&str>) = (
            live.clone().filter(|claim| claim.by == seat).map(|claim| claim.id.as_str()).collect(),
            packet.previous.iter().chain(&packet.current).map(|words| words.name.as_str()).filter(|name| *name != self.names[seat]).collect(),
        );
        let mut spoke = spoke;
        spoke.sort_unstable();
        spoke.dedup();
        // What is not shown cannot be answered.
        let open = self.owes(seat).filter(|risk| packet.risks.contains(&risk.id));
        prompt
            .ids("votes", if votes { VOTES.map(|(name, _)| name).to_vec() } else { Vec::new() })
            .ids("claims", live.map(|claim| claim.id.as_str()))
            .ids("own", own)
            .ids("evidence", self.state.evidence.iter().map(|evidence| evidence.id.as_str()))
            .ids("stances", if role.stance.is_some() { STANCES.to_vec() } else { Vec::new() })
            .ids("changes", if self.state.seats[seat].confidence.is_some() { CHANGES.to_vec() } else { Vec::new() })
            .ids("seats", spoke)
            .ids("risk_kinds", role.risk_kinds.iter().map(String::as_str))
            .ids("mitigated_kinds", role.mitigated_kinds.iter().map(String::as_str))
            .ids("risks", open.map(|risk| risk.id.as_str()))
    }

    /// What seats are shown before they speak in this round.
    pub fn packet(&self, number: u32, current: &[Response]) -> Packet {
        let mut summaries = self.rounds.iter().rev().skip(1).map(|held| &held.summary).filter(|summary| !summary.text.is_empty());
        let previous = self.rounds.last().map(|held| self.entries(&held.responses)).unwrap_or_default();
        let summaries = summaries.by_ref().take(2).collect();
        let (state, names, reserve) = (&self.state, &self.names, self.reserve);
        Material { state, names, round: number, summaries, previous, current: self.entries(current), reserve }.pack()
    }

    /// What whoever reads this round is shown: the record and the round itself, nothing of those before.
    pub fn packet_of(&self, held: &RoundRecord) -> Packet {
        let current = self.entries(&held.responses);
        let (state, names, reserve) = (&self.state, &self.names, self.reserve);
        Material { state, names, round: held.number + 1, summaries: Vec::new(), previous: Vec::new(), current, reserve }.pack()
    }

    pub fn entries(&self, responses: &[Response]) -> Vec<Entry> {
        let entry = |response: &Response| {
            let name = &self.names[response.seat];
            if let Some(reason) = &response.blocked {
                return Entry::stub(name, reason);
            }
            let turn = &response.turn;
            let vote = turn.vote().map(|vote| format!("{}, ", vote_name(vote))).unwrap_or_default();
            let delta = response.delta().map(|delta| format!(" ({delta:+.2})")).unwrap_or_default();
            let replies = if turn.replies_to.is_empty() { String::new() } else { format!(" Replies to {}.", turn.replies_to.join(", ")) };
            let position = super::tokens::clip(&turn.position, super::ingest::POSITION_TOKENS);
            let head = format!("{vote}confidence {:.2}{delta}. Position: {position}{replies}", turn.confidence);
            Entry::new(name, head, &turn.reasons, &response.audit, &response.touched, &response.tools)
        };
        responses.iter().map(entry).collect()
    }

    /// What anonymous seats are told of the group: figures, and positions without names.
    fn group(&self) -> Option<Value> {
        let last = self.rounds.last().filter(|_| self.style.anonymous)?;
        let n = last.counted().count();
        let mean = synod_math::debate::mean(&last.confidences())?;
        let groups = last.reading.groups();
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
