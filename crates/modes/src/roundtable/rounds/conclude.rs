//! What follows once the seats have spoken: whether the round counts, its analysis, and what a round of objections leads to.

use super::analysis::{Analysis, RoundAssessment};
use super::exhibits::{seat_moves, show_analysis, show_responses, show_summary};
use super::round::{Round, RoundKind};
use super::safety::{self, show_safety};
use super::{Debate, LEAST};
use crate::roundtable::outcome::{GroupthinkKind, StopReason, guard, show_objections};
use crate::roundtable::prompting::{RoundSummary, SeatMoves};
use crate::roundtable::record::PROPOSAL_TOKENS;
use crate::tokens::clip;
use synod_engine::{Bench, Halt, Result, prompt};
use synod_math::debate::clusters::mean_overlap;
use synod_types::FailureKind;

/// Shows a round that does not count, and says why the debate ends with it: the round before stands. `None`: it counts.
pub fn stop_if_incomplete(debate: &Debate, phase: &Bench, round: &Round) -> Result<Option<StopReason>> {
    let spoke = round.counted().count();
    let first = debate.rounds.is_empty();
    let whole = spoke >= LEAST && (!round.closed || first);
    if whole {
        return Ok(None);
    }
    show_responses(debate, phase, round)?;
    show_safety(debate, phase, round)?;
    if first {
        let blocked = round.responses.len() - spoke;
        let why =
            format!("{spoke} of {} seats gave something that counts in round 1 ({blocked} withheld), and at least {LEAST} must", debate.seats());
        return Err(if blocked > 0 { Halt::failed("round 1", why) } else { Halt::no_quorum("round 1", why) });
    }
    if round.closed {
        return Ok(Some(StopReason::Closed));
    }
    phase.warn(format!("Fewer than {LEAST} seats gave something that counts in {}, so what was said before stands.", round.title().to_lowercase()));
    Ok(Some(StopReason::TooFew))
}

/// Has a round analysed, shows it, and sums it up. True: the run is closing.
pub async fn conclude_round(debate: &mut Debate<'_>, phase: &Bench, mut round: Round) -> Result<bool> {
    let (analysis, mut closed) = ask_for_analysis(debate, phase, &round).await?;
    let analysis = match analysis {
        Some((key, analysis)) => check_analysis(debate, phase, &mut round, key, analysis, &mut closed).await?,
        None => None,
    };
    let spoke: Vec<(usize, &str)> = round.counted().map(|response| (response.seat, response.turn.position.as_str())).collect();
    round.assessment = RoundAssessment::new(analysis, &spoke, &debate.names);
    show_responses(debate, phase, &round)?;
    show_safety(debate, phase, &round)?;
    debate.watch.end_round(round.clean());
    for pair in round.assessment.analysis.iter().flat_map(|analysis| &analysis.same_risks) {
        debate.record.merge_risks(&pair.id, &pair.same_as);
    }
    if let Some(proposal) = round.assessment.analysis.as_ref().map(|analysis| analysis.leading_proposal.trim()).filter(|text| !text.is_empty()) {
        debate.record.proposal = clip(proposal, PROPOSAL_TOKENS);
    }
    let settled = round.assessment.analysis.iter().flat_map(|analysis| &analysis.decisions).filter(|text| !text.trim().is_empty()).take(3);
    for text in settled {
        debate.record.decide(text, round.number);
    }
    let moves: Vec<SeatMoves> = round.counted().map(|response| seat_moves(debate, response)).collect();
    let one_liner =
        round.assessment.analysis.as_ref().map(|analysis| if analysis.one_liner.is_empty() { &analysis.summary } else { &analysis.one_liner });
    round.summary =
        RoundSummary::new(&round.title(), round.record_before, one_liner.map_or("nobody summed it up.", String::as_str), &moves, &debate.record);
    show_analysis(debate, phase, &round)?;
    if round.is_regular() {
        show_summary(debate, phase, &round)?;
    }
    round.sources = debate.record.source_count();
    round.overlap = mean_overlap(&debate.record.premises());
    debate.rounds.push(round);
    Ok(closed)
}

/// Checks an analysis before anything is made of it. `None`: it was withheld.
async fn check_analysis(
    debate: &mut Debate<'_>,
    phase: &Bench,
    round: &mut Round,
    key: String,
    analysis: Analysis,
    closed: &mut bool,
) -> Result<Option<Analysis>> {
    let texts = vec![("round".to_owned(), safety::words_of(&analysis)?)];
    let check = debate.check(phase, "The analysis of a round", texts).await?.remove(0);
    *closed |= check.closed;
    if let Some(reason) = &check.blocked {
        let title = round.title().to_lowercase();
        phase.warn(format!("The analysis of {title} was withheld: {reason}. Camps were found by the words of the positions."));
    }
    let passed = check.blocked.is_none();
    round.analysis_check = Some((key, check));
    Ok(passed.then_some(analysis))
}

/// Asks somebody who took no part in it to analyse a round; with the analysis comes the key of its turn. True: the run is closing.
async fn ask_for_analysis(debate: &Debate<'_>, phase: &Bench, round: &Round) -> Result<(Option<(String, Analysis)>, bool)> {
    let packet = debate.packet_for_analysis(round);
    let names: Vec<&String> = round.counted().map(|response| &debate.names[response.seat]).collect();
    let entries: Vec<_> = packet.current.iter().filter(|contribution| names.contains(&&contribution.name)).collect();
    let ask = prompt!(
        "analysis",
        round = round.number,
        objection = round.kind == RoundKind::Objection,
        sides = debate.style.assigns_sides(),
        proposition = debate.proposition,
        context = debate.options.context_at(round.number),
        focus = debate.options.focus_at(round.number),
        record = packet.record,
        entries,
        material = debate.material
    )
    .ids("seats", names.iter().map(|name| name.as_str()))
    .ids("risks", packet.risks.clone());
    match phase.ask_clerk::<Analysis>(ask).await? {
        Ok(reply) => Ok((Some((reply.key, reply.value)), round.closed)),
        Err(failure) => {
            let closed = failure.failure.kind == FailureKind::Closed;
            if !closed {
                phase.warn(format!("Nobody could read {}; camps were found by the words of the positions.", round.title().to_lowercase()));
            }
            Ok((None, closed || round.closed))
        }
    }
}

/// Holds a round of objections; where it moves nothing, asks a person. `None`: the debate goes on.
pub async fn hold_objections(debate: &mut Debate<'_>, phase: &Bench, number: u32, kind: GroupthinkKind) -> Result<Option<StopReason>> {
    let phase = phase.phase("objection");
    let round = debate.hold_round(&phase, number, RoundKind::Objection).await?;
    if let Some(stop) = stop_if_incomplete(debate, &phase, &round)? {
        return Ok((stop == StopReason::Closed).then_some(stop));
    }
    if conclude_round(debate, &phase, round).await? {
        return Ok(Some(StopReason::Closed));
    }
    let result = guard::result_of_objections(debate);
    let answer = if result.failed { Some(guard::ask_person(debate, &phase, kind, &result).await?) } else { None };
    show_objections(debate, &phase, number, kind, &result, answer.as_ref().map(|answer| answer.as_ref()))?;
    let Some(answer) = answer else { return Ok(None) };
    let Some(answer) = answer else { return Ok(Some(StopReason::Closed)) };
    let accepts = answer.answer == guard::ACCEPT;
    let note = answer.note.as_deref().map(str::trim).filter(|note| !note.is_empty());
    if let Some(said) = note.or_else(|| accepts.then_some("The panel's view stands as it is.")) {
        debate.record.decide_by_person(said, number);
    }
    if accepts {
        debate.overrule_all(&answer.by, number);
    }
    Ok(accepts.then_some(StopReason::Person))
}

/// Before the end, whoever owes an answer to a risk is asked once more: what was raised in the last round could not be answered in it.
pub async fn hold_closing(debate: &mut Debate<'_>) -> Result<()> {
    let Some(number) = debate.last_regular().map(|round| round.number) else { return Ok(()) };
    if !(0..debate.seats()).any(|seat| debate.owed_risks(seat).next().is_some()) {
        return Ok(());
    }
    let phase = debate.bench.phase("closing");
    let round = debate.hold_closing_answers(&phase, number).await?;
    show_responses(debate, &phase, &round)?;
    show_safety(debate, &phase, &round)?;
    debate.closing = Some(round);
    Ok(())
}
