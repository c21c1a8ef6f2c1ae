//! What a debate comes to: when it ends, when the panel must object first, the synthesis, and the decision a script branches on.

mod decision;
mod exhibits;
pub mod guard;
pub mod stops;
mod synthesis;

pub use decision::Decision;
pub use exhibits::show_objections;
pub use guard::{GroupthinkGuard, GroupthinkKind};
pub use stops::StopReason;

use super::rounds::safety::{self, CheckedText, show_checks};
use super::rounds::{Debate, Round};
use super::rows::{SeatEntry, SynthesisRow, VerdictData};
use crate::closing;
use exhibits::{show_charts, show_claims, show_exit};
use stops::ExitNumbers;
use synod_engine::{Bench, ModeResult, Result, SeatReply, prompt};
use synod_math::debate::exits;
use synod_types::{Answer, AnswerKind, Confidence, ConfidenceSource, Exhibit, Figure, SeatIx, Shape, Statement};
use synthesis::{Synthesis, answer_from_record, compose};

pub async fn conclude(debate: &mut Debate<'_>, stop: StopReason) -> Result<ModeResult> {
    let phase = debate.bench.phase("synthesis");
    let numbers = stops::exit_numbers(debate);
    let ended = exit_sentence(debate, stop, &numbers);
    show_exit(debate, &phase, stop, &numbers, &ended)?;
    show_charts(debate, &phase)?;
    show_claims(debate, &phase)?;
    let decision = decision::decide(debate, stop);
    let answer = synthesise(debate, &phase, &ended).await?;
    debate.bench.figure("rounds", f64::from(decision.rounds));
    debate.bench.figure("agreement", decision.agreement);
    debate.bench.figure("mean_confidence", decision.mean_confidence);
    debate.bench.note(Figure::new("action", 1.0).label(&decision.action));
    if !debate.context_requests.is_empty() {
        phase.warn(format!("Seats asked for context they did not have ({} requests, in the verdict's data).", debate.context_requests.len()));
    }
    let votes = decision.votes;
    let summary = format!(
        "{}: {} accept, {} with minor doubts, {} against, after {} rounds.",
        decision.action.replace('_', " "),
        votes.accept,
        votes.minor,
        votes.blocker,
        decision.rounds
    );
    let n = debate.last_regular().map_or(0, |round| round.counted().count() as u32);
    let confidence = decision.mean_confidence.map(|value| Confidence::new(value, ConfidenceSource::Stated, n));
    Ok(ModeResult::ended(stop.as_str(), answer).decision(summary, &decision).confidence(confidence).dissent(decision::dissent(debate)).data(
        &VerdictData {
            round: decision.rounds,
            seats: seat_list(debate),
            claims: debate.record.claims.len(),
            evidence: debate.record.evidence.len(),
            sources: debate.record.source_count(),
            context_requests: &debate.context_requests,
        },
    ))
}

fn seat_list<'a>(debate: &'a Debate) -> Vec<SeatEntry<'a>> {
    let label = |seat: usize| debate.bench.seat(seat as SeatIx).label.as_str();
    (0..debate.seats()).map(|seat| SeatEntry { name: &debate.names[seat], label: label(seat), role: &debate.roles[seat].id }).collect()
}

/// Why it ended, in a sentence with its numbers.
fn exit_sentence(debate: &Debate, stop: StopReason, numbers: &ExitNumbers) -> String {
    let rounds = debate.last_regular().map_or(0, |round| round.number);
    let rounds = if rounds == 1 { "1 round".to_owned() } else { format!("{rounds} rounds") };
    let met = &numbers.consensus;
    let sure = met.least_sure.map_or_else(|| "unknown".to_owned(), |least| format!("{least:.2}"));
    let blockers = match met.open_blockers {
        0 => "no blocker is open".to_owned(),
        1 => "1 blocker is open".to_owned(),
        n => format!("{n} blockers are open"),
    };
    let moved = |movement: Option<f64>| movement.map_or_else(|| "unknown".to_owned(), |value| format!("{value:.2}"));
    match stop {
        StopReason::Consensus if met.by_agreement => {
            let agreement = numbers.agreement.unwrap_or_default();
            format!(
                "The panel agreed after {rounds}: {:.0} % accept and the agreement of {agreement:.2} stands in for missing votes; no blocker is open and the least sure seat is at {sure}.",
                met.share * 100.0
            )
        }
        StopReason::Consensus => format!(
            "The panel agreed after {rounds}: {:.0} % of the seats accept, no blocker is open and the least sure seat is at {sure}.",
            met.share * 100.0
        ),
        StopReason::Convergence => format!(
            "Nothing moved any more after {rounds}: the last two moved by {} and {}, without a new fact.",
            moved(numbers.before.movement),
            moved(numbers.now.movement)
        ),
        StopReason::RoundCap if !debate.style.votes => {
            format!("The limit of {rounds} was reached. This style asks and does not vote; the last round moved by {}.", moved(numbers.now.movement))
        }
        StopReason::RoundCap if !debate.last_regular().is_some_and(|round| round.votes) => {
            format!("The limit of {rounds} was reached before there was a proposal to vote on; the least sure seat is at {sure}.")
        }
        StopReason::RoundCap if !debate.options.exit_on_consensus => format!(
            "It went through the {rounds} it was given, whatever came of them: {:.0} % of the seats accept, {blockers} and the least sure seat is at {sure}.",
            met.share * 100.0
        ),
        StopReason::RoundCap => format!(
            "The limit of {rounds} was reached: {:.0} % of the seats accept ({:.0} % would do), {blockers} and the least sure seat is at {sure} ({:.2} would do).",
            met.share * 100.0,
            exits::ACCEPTING_SHARE * 100.0,
            exits::LEAST_CONFIDENCE
        ),
        StopReason::TooFew => format!("Too few seats spoke to go on after {rounds}."),
        StopReason::Person => format!("After {rounds} a person let the panel's view stand."),
        StopReason::Closed => format!("The run was told to conclude after {rounds}."),
    }
}

/// Has the chair write the answer, or the next seat that can; where nobody can, it is taken from the record.
async fn synthesise(debate: &mut Debate<'_>, phase: &Bench, ended: &str) -> Result<Answer> {
    let number = debate.last_regular().map_or(0, |round| round.number);
    let spoke = debate.rounds.last().into_iter().flat_map(Round::counted).map(|response| response.seat as SeatIx);
    let writers = closing::seats_of(debate.bench, "chair", spoke);
    let (packet, focus) = (debate.packet(number + 1, &[]), debate.options.focus_at(number));
    let (last, objected) = debate.rounds.last().map(|round| (round.title(), round.objection)).unwrap_or_default();
    let Some(reply) =
        phase.ask_first::<Synthesis>(&writers, prompt!("synthesis", packet, focus, ended, last, objected, material = debate.material)).await?
    else {
        phase.warn("Nobody could write the synthesis; the record of the last round is the answer.");
        return Ok(computed_answer(debate, ended));
    };
    if let Some(reason) = check_synthesis(debate, phase, number, &reply).await? {
        phase.warn(format!("The synthesis was withheld: {reason}. The record of the last round is the answer."));
        return Ok(computed_answer(debate, ended));
    }
    let said = &reply.value;
    let data = SynthesisRow {
        summary: said.summary.clone(),
        common_ground: said.common_ground.clone(),
        key_differences: said.key_differences.clone(),
        evolution_summary: said.evolution.clone(),
        recommendation: said.recommendation.clone(),
        confidence: said.confidence,
    };
    let text = compose(debate, said);
    let shape = Shape::Statement(Statement { text: Some(text.clone()), ..Statement::default() });
    phase.show("synthesis", Exhibit::new("Synthesis", shape).by(reply.seat, "chair").turn(&reply.key).data(&data))?;
    Ok(Answer { kind: AnswerKind::Synthesis, text, by: vec![reply.seat] })
}

/// Why a synthesis is withheld, if it is. The check is shown where there is something to say of it.
async fn check_synthesis(debate: &mut Debate<'_>, phase: &Bench, round: u32, reply: &SeatReply<Synthesis>) -> Result<Option<String>> {
    let texts = vec![("answer".to_owned(), safety::words_of(&reply.value)?)];
    let check = debate.check(phase, "The synthesis of the debate", texts).await?.remove(0);
    let blocked = check.blocked.clone();
    if blocked.is_some() || debate.watch.armed() {
        let text = CheckedText { name: "synthesis".into(), key: reply.key.clone(), check };
        show_checks(debate, phase, (round, "Synthesis", "synthesis"), vec![text])?;
    }
    Ok(blocked)
}

fn computed_answer(debate: &Debate, ended: &str) -> Answer {
    let by = debate.rounds.last().into_iter().flat_map(Round::counted).map(|response| response.seat as SeatIx).collect();
    Answer { kind: AnswerKind::Computed, text: format!("{ended}\n\n{}", answer_from_record(debate)), by }
}
