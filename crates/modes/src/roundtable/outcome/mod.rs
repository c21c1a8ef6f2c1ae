//! What a debate comes to: when it ends, when the panel must object first, the synthesis, and the decision a script branches on.

mod action;
mod decision;
mod exhibits;
pub mod guard;
pub mod stops;
mod synthesis;

pub use decision::{Decision, open_blockers};
pub use exhibits::show_objections;
pub use guard::{GroupthinkGuard, GroupthinkKind};
pub use stops::StopReason;

use super::rounds::safety::check_alone;
use super::rounds::{Debate, Round};
use super::rows::{SeatEntry, SynthesisRow, VerdictData};
use crate::closing;
use action::{ConflictKind, better_argued};
use exhibits::{show_charts, show_claims, show_exit};
use stops::ExitNumbers;
use synod_engine::{Bench, ModeResult, Result, prompt};
use synod_math::debate::exits;
use synod_types::{Answer, AnswerKind, Confidence, ConfidenceSource, Exhibit, Figure, Further, FurtherPurpose, SeatIx};
use synthesis::{Synthesis, answer_from_record, compose};

pub async fn conclude(debate: &mut Debate<'_>, stop: StopReason) -> Result<ModeResult> {
    let phase = debate.bench.phase("synthesis");
    let numbers = stops::exit_numbers(debate);
    let ended = exit_sentence(debate, stop, &numbers);
    show_exit(debate, &phase, stop, &numbers, &ended)?;
    show_charts(debate, &phase)?;
    show_claims(debate, &phase)?;
    let decision = decision::decide(debate, stop);
    let (answer, recommendation) = synthesise(debate, &phase, &ended, &decision).await?;
    debate.bench.figure("rounds", f64::from(decision.rounds));
    debate.bench.figure("agreement", decision.agreement);
    debate.bench.figure("mean_confidence", decision.mean_confidence);
    debate.bench.note(Figure::new("action", 1.0).label(&decision.action));
    if !debate.context_requests.is_empty() {
        let n = debate.context_requests.len();
        phase.warn(format!("Seats asked for context they did not have ({n} in the answer): taking the debate further with `context` answers them."));
    }
    let n = debate.last_regular().map_or(0, |round| round.counted().filter(|response| debate.is_free(response.seat)).count() as u32);
    let confidence = decision.mean_confidence.map(|value| Confidence::new(value, ConfidenceSource::Stated, n));
    let result = ModeResult::ended(stop.as_str(), answer)
        .action(to_do(&decision, decision::first_conflict(debate, stop).as_deref(), recommendation.as_deref()))
        .decision(summary(&decision), &decision)
        .confidence(confidence)
        .dissent(decision::dissent(debate));
    Ok(result.data(&VerdictData {
        round: decision.rounds,
        seats: seat_list(debate),
        claims: debate.record.claims.len(),
        evidence: debate.record.evidence.len(),
        sources: debate.record.source_count(),
        context_requests: &debate.context_requests,
        further: further(debate),
    }))
}

/// How a person may take the debate further: by overruling the blockers that are open, while there may be another round.
fn further(debate: &Debate) -> Vec<Further> {
    let may = debate.last_regular().is_some_and(|round| round.number < exits::MOST_ROUNDS);
    let open: Vec<usize> = open_blockers(debate).filter(|_| may).map(|blocker| blocker.seat).collect();
    let value = match open.as_slice() {
        [] => return Vec::new(),
        [one] => debate.names[*one].clone(),
        _ => "all".to_owned(),
    };
    vec![Further { purpose: FurtherPurpose::Overrule, option: "resolves".to_owned(), value }]
}

/// What to do, in a sentence: the recommendation where nothing stands against it, else what comes first.
fn to_do(decision: &Decision, first: Option<&str>, recommendation: Option<&str>) -> String {
    let sentence = |text: &str| format!("{}.", text.trim().trim_end_matches('.'));
    let more = match decision.conflicts.len() {
        0 | 1 => String::new(),
        2 => " One more thing stands against it.".to_owned(),
        n => format!(" {} more things stand against it.", n - 1),
    };
    match (decision.action.as_str(), decision.open_questions.first()) {
        (_, Some(question)) => format!("Answer first: {question}"),
        ("proceed", None) => sentence(recommendation.unwrap_or("Proceed as the final positions say")),
        ("query_detail", None) => format!("The question is not answered yet: {}{more}", sentence(first.unwrap_or("the seats are too unsure"))),
        _ => format!("Check before you act: {}{more}", sentence(first.unwrap_or("the seats are too unsure"))),
    }
}

/// What was decided, with its count.
fn summary(decision: &Decision) -> String {
    let (action, votes) = (decision.action.replace('_', " "), decision.votes);
    let rounds = if decision.rounds == 1 { "1 round".to_owned() } else { format!("{} rounds", decision.rounds) };
    let overruled = match decision.overruled_blockers.len() {
        0 => "",
        1 => ", a BLOCKER overruled by a person",
        _ => ", the BLOCKERs overruled by a person",
    };
    let counted = format!("{} accept, {} with minor doubts, {} against{overruled}", votes.accept, votes.minor, votes.blocker);
    let told = match (&decision.ruling, decision.open_questions.len(), decision.role_bound_votes) {
        (_, n, _) if n > 0 => format!("{n} open question{}", if n == 1 { "" } else { "s" }),
        (Some(ruling), ..) => better_argued(&ruling.side).to_owned(),
        (None, _, bound) if bound.accept + bound.minor + bound.blocker + bound.missing > 0 => {
            let unattacked = decision.conflicts.iter().any(|conflict| conflict.kind == ConflictKind::Unattacked);
            let risks = match decision.unanswered_risks.len() {
                0 if unattacked => "nobody raised a risk".to_owned(),
                0 => "every risk was answered".to_owned(),
                open => format!("{open} of the risks unanswered"),
            };
            format!("{risks}; of those whose votes count {counted}")
        }
        _ if votes.accept + votes.minor + votes.blocker == 0 => "nobody voted".to_owned(),
        _ => counted,
    };
    format!("{action}: {told}, after {rounds}.")
}

fn seat_list<'a>(debate: &'a Debate) -> Vec<SeatEntry<'a>> {
    let entry = |seat: usize| SeatEntry {
        name: &debate.names[seat],
        label: debate.bench.seat(seat as SeatIx).label.as_str(),
        role: &debate.roles[seat].id,
        stance: debate.roles[seat].stance.as_deref(),
        anchor: &debate.anchors[seat].name,
        violations: debate.violations(seat),
    };
    (0..debate.seats()).map(entry).collect()
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
                "The votes ended it after {rounds}: {:.0} % accept and the agreement of {agreement:.2} stands in for missing votes; no blocker is open and the least sure seat is at {sure}.",
                met.share * 100.0
            )
        }
        StopReason::Consensus => format!(
            "The votes ended it after {rounds}: {:.0} % of the seats accept, no blocker is open and the least sure seat is at {sure}.",
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
        StopReason::RoundCap if debate.style.assigns_sides() => format!(
            "The limit of {rounds} was reached. Sides are assigned in this style, so no vote ends it; the last round moved by {}.",
            moved(numbers.now.movement)
        ),
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
        StopReason::Person if !debate.overruled.is_empty() => {
            format!("After {rounds} a person let the panel's view stand and overruled the BLOCKER of {}.", debate.overruled.join(", "))
        }
        StopReason::Person => format!("After {rounds} a person let the panel's view stand."),
        StopReason::Closed => format!("The run was told to conclude after {rounds}."),
    }
}

/// What a rehearsal voice recommends: it must fit what was decided.
fn rehearsed(action: &str) -> [&'static str; 2] {
    match action {
        "proceed" => [
            "Begin with one group, keep the old way for a month, and fix today what would stop it.",
            "Go ahead with one group first, and name who may stop it.",
        ],
        "query_detail" => [
            "Find out first what the open questions ask; begin with the one that is cheapest to answer.",
            "Answer the first open question before anything is begun.",
        ],
        _ => [
            "Settle first what stands against it, and begin with nothing before.",
            "Do not begin yet: have the open points answered by whoever raised them.",
        ],
    }
}

/// Has the chair write the answer, or the next seat that can; where nobody can, it is taken from the record. With it the recommendation.
async fn synthesise(debate: &mut Debate<'_>, phase: &Bench, ended: &str, decision: &Decision) -> Result<(Answer, Option<String>)> {
    let number = debate.last_regular().map_or(0, |round| round.number);
    let writers = closing::seats_of(debate.bench, "chair", spoke(debate));
    let conflicts: Vec<&str> = decision.conflicts.iter().map(|conflict| conflict.why.as_str()).collect();
    let ask = prompt!(
        "synthesis",
        ended,
        conflicts,
        task = debate.style.synthesis.task,
        packet = debate.packet_for_synthesis(number),
        focus = debate.options.focus_at(number),
        context = debate.options.context_at(number),
        proposition = debate.proposition,
        last = debate.last_regular().map(Round::title).unwrap_or_default(),
        material = debate.material
    )
    .fill("recommendation", rehearsed(&decision.action));
    let Some(reply) = phase.ask_first::<Synthesis>(&writers, ask).await? else {
        phase.warn("Nobody could write the synthesis; the record of the last round is the answer.");
        return Ok((computed_answer(debate, ended, decision), None));
    };
    if let Some(reason) = check_alone(debate, phase, ("synthesis", "The synthesis of the debate", number), &reply).await? {
        phase.warn(format!("The synthesis was withheld: {reason}. The record of the last round is the answer."));
        return Ok((computed_answer(debate, ended, decision), None));
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
    let text = compose(debate, decision, said);
    let exhibit = Exhibit::statement("Synthesis", &text)
        .part("What was weighed", &said.reasons)
        .part("How far the chair would rely on it", format!("{:.2}", said.confidence));
    phase.show("synthesis", exhibit.by(reply.seat, "chair").turn(&reply.key).data(&data))?;
    Ok((Answer { kind: AnswerKind::Synthesis, text, by: vec![reply.seat] }, Some(said.recommendation.clone())))
}

/// Those who spoke in the last regular round.
fn spoke<'a>(debate: &'a Debate) -> impl Iterator<Item = SeatIx> + 'a {
    debate.last_regular().into_iter().flat_map(Round::counted).map(|response| response.seat as SeatIx)
}

fn computed_answer(debate: &Debate, ended: &str, decision: &Decision) -> Answer {
    Answer { kind: AnswerKind::Computed, text: format!("{ended}\n\n{}", answer_from_record(debate, decision)), by: spoke(debate).collect() }
}
