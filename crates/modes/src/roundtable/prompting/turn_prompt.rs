//! A seat's prompt for its turn: what it is told, the ids its reply may use, the words of others, and in an anonymous debate the group's figures.

use super::contribution::Contribution;
use super::packet::{Packet, PacketParts};
use super::perspectives::Perspective;
use crate::roundtable::record::{ClaimStatus, DebateRecord, Flaw, MOST_CLAIMS, MOST_SENTENCES, POSITION_TOKENS};
use crate::roundtable::rounds::reply::{CHANGES, RULINGS, STANCES, VOTES, vote_name};
use crate::roundtable::rounds::risk_reply::Mitigation;
use crate::roundtable::rounds::tools::{PARALLEL_CALLS, SEQUENTIAL_CALLS, TurnTools};
use crate::roundtable::rounds::{Debate, Response, Round, RoundKind};
use crate::tokens::{clip, one_line, size};
use serde_json::{Value, json};
use std::sync::Arc;
use synod_engine::{Bench, Prompt, ReplyFormat, ReplyWithTools, Result, SeatFailure, prompt};
use synod_types::SeatIx;

/// Words a seat may write in all, and at most each: what five seats write fits into the next round's prompt.
const WORDS: usize = 3_600;
const MOST_WORDS: usize = 600;
/// The longest line above a contribution, in tokens.
const HEAD_TOKENS: usize = 80;
/// Remarks on labels and citations; those on its part and on risks are always told.
const MOST_FLAWS: usize = 5;

impl Debate<'_> {
    /// Puts the question of this round to a seat, with its tools.
    pub fn ask<T: ReplyFormat>(
        &self,
        phase: &Bench,
        seat: usize,
        round: &Round,
        packet: &Packet,
    ) -> impl Future<Output = Result<std::result::Result<ReplyWithTools<T>, SeatFailure>>> + Send + use<T> {
        let most = if self.style.sequential { SEQUENTIAL_CALLS } else { PARALLEL_CALLS };
        let last = round.kind == RoundKind::Closing || round.is_regular() && round.number >= self.options.limit_at(round.number);
        let positions = (0..self.seats()).filter_map(|seat| Some((seat, self.standing(seat)?.0.turn.position.clone())));
        let tools = TurnTools::new(&self.record, &self.names, seat, positions, self.bench.question(), last, most);
        phase.ask_with_tools(seat as SeatIx, self.prompt(seat, round, packet, most), Arc::new(tools), most as u32)
    }

    fn prompt(&self, seat: usize, round: &Round, packet: &Packet, most: usize) -> Prompt {
        let role = self.roles[seat];
        let first = self.rounds.is_empty();
        let heard = !packet.previous.is_empty() || !packet.current.is_empty();
        let anonymous = self.style.anonymous;
        let (regular, objection, closing) = (round.is_regular(), round.kind == RoundKind::Objection, round.kind == RoundKind::Closing);
        // Nobody answers risks while it must object.
        let owed = if objection { Vec::new() } else { self.shown_risks(seat, packet) };
        let prompt = prompt!(
            "turn",
            role,
            first,
            heard,
            closing,
            owed,
            // What the seats of a round share comes before what they do not: with one role that is the role, else the record.
            several = self.style.roles.len() > 1,
            objection,
            round = round.number,
            packet,
            name = self.names[seat],
            persona = (!anonymous).then(|| self.style.persona(seat, self.seats())),
            seats = self.seats(),
            most_claims = MOST_CLAIMS,
            most_sentences = MOST_SENTENCES,
            words = (WORDS / self.seats()).min(MOST_WORDS),
            perspective = self.perspectives.get(seat).map(Perspective::for_prompt),
            proposition = self.proposition,
            context = self.options.context_at(round.number),
            tool_limit = most,
            advised = self.style.sequential.then_some(2),
            sections = if first { &role.first } else { &role.later },
            questions = role.first_questions.as_ref().filter(|_| !heard).unwrap_or(&role.questions),
            anchor = self.anchors[seat],
            high_stakes = self.options.high_stakes.iter().map(|category| category.words()).collect::<Vec<_>>(),
            focus = self.options.focus_at(round.number),
            rounds = self.options.limit_at(round.number),
            before = self.last_regular().map(Round::title).unwrap_or_default(),
            group = self.group_figures(),
            material = self.material,
            proposal = !self.record.proposal.is_empty(),
            remarks = self.remarks(seat),
            votes = round.votes
        );
        let live = self.record.claims.iter().filter(|claim| claim.status != ClaimStatus::Retracted);
        let own: Vec<&str> = live.clone().filter(|claim| claim.by == seat).map(|claim| claim.id.as_str()).collect();
        let all = packet.previous.iter().chain(&packet.objections).chain(&packet.current);
        let mut spoke: Vec<&str> = all.map(|contribution| contribution.name.as_str()).filter(|name| *name != self.names[seat]).collect();
        spoke.sort_unstable();
        spoke.dedup();
        prompt
            .ids("votes", if round.votes { VOTES.map(|(name, _)| name).to_vec() } else { Vec::new() })
            .ids("claims", live.map(|claim| claim.id.as_str()))
            .ids("own", own)
            .ids("evidence", self.record.evidence.iter().map(|evidence| evidence.id.as_str()))
            .ids("stances", if role.stance.is_some() { STANCES.to_vec() } else { Vec::new() })
            .ids("rulings", if role.rules && regular { RULINGS.to_vec() } else { Vec::new() })
            .ids("changes", if regular && self.standing(seat).is_some() { CHANGES.to_vec() } else { Vec::new() })
            .ids("seats", spoke)
            .ids("risk_kinds", role.risk_kinds.iter().map(String::as_str))
            .ids("mitigated_kinds", role.mitigated_kinds.iter().map(String::as_str))
            .ids("risks", owed)
            .fill("position", &role.rehearse.position)
            .fill("say", &role.rehearse.say)
            .fill("stance", role.stance.as_deref().unwrap_or("NEUTRAL"))
    }

    /// The risks a seat is to answer, as far as it is shown them: others it cannot answer.
    pub fn shown_risks<'a>(&'a self, seat: usize, packet: &Packet) -> Vec<&'a str> {
        self.owed_risks(seat).map(|risk| risk.id.as_str()).filter(|id| packet.risks.iter().any(|shown| shown == id)).collect()
    }

    /// What a seat is told of its own last turn, objections included: that it was withheld, or how it left its part, which risks it left
    /// unanswered, and where its labels and citations did not hold.
    fn remarks(&self, seat: usize) -> Vec<String> {
        let last = self.rounds.iter().rev().find_map(|round| round.responses.iter().find(|response| response.seat == seat));
        let Some(said) = last else { return Vec::new() };
        if let Some(reason) = &said.blocked {
            return vec![format!("it was withheld, and nobody has read it: {reason}")];
        }
        let part = said.violation.as_ref().map(|violation| format!("your part asks for {}; you gave {}", violation.expected, violation.given()));
        let owed = Some(said.owed.join(", ")).filter(|ids| !ids.is_empty()).map(|ids| format!("you left {ids} unanswered"));
        let flaws = said.audit.flaws.iter().map(Flaw::describe).take(MOST_FLAWS);
        let more = said.audit.flaws.len().checked_sub(MOST_FLAWS).filter(|n| *n > 0).map(|n| format!("{n} more labels or citations did not hold"));
        part.into_iter().chain(owed).chain(flaws).chain(more).chain(said.changes.describe_left()).collect()
    }

    /// What seats are shown before they speak in this round: the last regular round in full, what was objected to it, the record as it was when
    /// the round began, and where they speak in turn those before them with what they brought into it.
    pub fn packet(&self, round: &Round, record: &DebateRecord) -> Packet {
        let regular = self.rounds.iter().rposition(Round::is_regular);
        let (earlier, last) = self.rounds.split_at(regular.unwrap_or(0));
        let (previous, objections): (Vec<&Round>, Vec<&Round>) = last.iter().partition(|round| round.is_regular());
        let responses = |rounds: &[&Round]| rounds.iter().flat_map(|round| self.contributions(round)).collect::<Vec<_>>();
        PacketParts {
            summaries: earlier.iter().rev().map(|round| &round.summary).filter(|summary| !summary.text.is_empty()).take(2).collect(),
            previous: responses(&previous),
            objections: responses(&objections),
            current: self.contributions(round),
            ..self.parts(round, record)
        }
        .pack()
    }

    /// What whoever analyses a round is shown: the record and the round itself, nothing of those before.
    pub fn packet_for_analysis(&self, round: &Round) -> Packet {
        PacketParts { round: round.number + 1, current: self.contributions(round), ..self.parts(round, &self.record) }.pack()
    }

    /// What the chair is shown: the last round in full, what was objected to it, and the closing answers.
    pub fn packet_for_synthesis(&self, number: u32) -> Packet {
        let closing = self.closing.clone().unwrap_or_default();
        self.packet(&Round { number: number + 1, ..closing }, &self.record)
    }

    fn parts<'a>(&'a self, round: &Round, record: &'a DebateRecord) -> PacketParts<'a> {
        let options = self.options;
        let added: usize = size(&options.focus_at(round.number)) + options.context_at(round.number).into_iter().map(size).sum::<usize>();
        PacketParts {
            record,
            now: &self.record,
            names: &self.names,
            round: round.number,
            summaries: Vec::new(),
            seats: (0..self.seats()).filter_map(|seat| self.seat_line(seat)).collect(),
            previous: Vec::new(),
            objections: Vec::new(),
            current: Vec::new(),
            reserve: self.reserve + added + self.proposition.as_deref().map_or(0, size),
        }
    }

    /// Where a seat stands, in a line.
    fn seat_line(&self, seat: usize) -> Option<String> {
        let (response, alignment) = self.standing(seat)?;
        let turn = &response.turn;
        let delta = response.delta().map(|delta| format!(" ({delta:+.2})")).unwrap_or_default();
        let words = [turn.vote.as_deref(), turn.position_change.as_deref()].into_iter().flatten().map(|word| format!(", {word}")).collect::<String>();
        let stance = turn.stance.as_deref().map(|stance| format!(", stance {stance}")).unwrap_or_default();
        let ruling = turn.ruling.as_deref().map(|ruling| format!(", rules {ruling}")).unwrap_or_default();
        let alignment = alignment.map(|alignment| format!(", alignment {alignment:.2}")).unwrap_or_default();
        let part = if self.style.roles.len() > 1 { format!(", {}", self.roles[seat].id) } else { String::new() };
        Some(format!("{}: confidence {:.2}{delta}{words}{stance}{ruling}{alignment}{part}", self.names[seat], turn.confidence))
    }

    fn contributions(&self, round: &Round) -> Vec<Contribution> {
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
            let stands = format!("{vote}confidence {:.2}{delta}. Position: {position}{replies}", turn.confidence);
            // A closing answer takes no position.
            let mut head: Vec<String> = Some(stands).filter(|_| round.kind != RoundKind::Closing).into_iter().collect();
            let mut line = |name: &str, text: String| {
                if !text.trim().is_empty() {
                    head.push(format!("{name}: {}", one_line(&text, HEAD_TOKENS)));
                }
            };
            line("Why so sure", turn.confidence_reason.clone());
            line("Not known", turn.uncertainties.join("; "));
            if let Some(ruling) = &turn.ruling {
                line("Ruling", format!("{ruling}. {}", turn.ruling_reason));
            }
            line("Answers", turn.mitigations.iter().map(Mitigation::in_words).collect::<Vec<_>>().join("; "));
            Contribution::new(name, head.join("\n"), &turn.reasons, &response.audit, &response.changes, &response.tools)
        };
        round.responses.iter().map(contribution).collect()
    }

    /// What anonymous seats are told of the group: figures, and positions without names.
    fn group_figures(&self) -> Option<Value> {
        let last = self.last_regular().filter(|_| self.style.anonymous)?;
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
