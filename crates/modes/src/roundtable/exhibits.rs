//! What a reader is shown: responses, safety, camps, summaries, the guard's and the exit's numbers.

use super::analysis::{Alignment, Analysis};
use super::debate::{Debate, Response, RoundRecord};
use super::perspectives::anchor;
use super::reply::vote_name;
use super::rows::*;
use super::safety::Evaluation;
use super::state::ClaimStatus;
use super::stops::{Kind, Look};
use super::summary::Moved;
use crate::markdown;
use synod_engine::{Bench, Result};
use synod_math::debate::guard::Objection;
use synod_math::debate::outcome::{Level, level};
use synod_types::*;

pub fn responses(debate: &Debate, stage: &Bench, held: &RoundRecord) -> Result<()> {
    for response in &held.responses {
        let title = format!("{}, {}", held.title(), debate.names[response.seat]);
        let turn = &response.turn;
        let text = match &response.blocked {
            Some(reason) => format!("[withheld: {reason}]"),
            None => format!("{}\n\n{}", turn.position, turn.reasons),
        };
        if let Some(reason) = &response.blocked {
            stage.warn(format!("A response of {} was withheld: {}.", debate.who(response.seat), reason.trim_end_matches('.')));
        }
        // No thread: whom it answers mostly spoke in an earlier round, under the same name. The row says whom.
        let shape = Shape::Statement(Statement { label: Some(debate.names[response.seat].clone()), text: Some(text), ..Statement::default() });
        let exhibit = Exhibit::new(title, shape).by(response.seat as SeatIx, "debater").turn(&response.key).data(&row(debate, held, response));
        stage.show(&held.prefix(), exhibit)?;
    }
    Ok(())
}

fn row(debate: &Debate, held: &RoundRecord, response: &Response) -> ResponseRow {
    let turn = &response.turn;
    // Of a response that was withheld nothing is kept that it said in its own words.
    let withheld = response.blocked.is_some();
    let text = |text: &String| (!withheld).then(|| text.clone());
    let list = |list: &Vec<String>| (!withheld).then(|| list.clone());
    let change = response.before.map(|before| ConfidenceChange {
        delta: turn.confidence - before.confidence,
        previous_round: before.round,
        reason: text(&turn.confidence_reason),
    });
    let tool = |run: &ToolRun| ToolCallRow {
        tool_name: run.name.clone(),
        input: run.input.clone(),
        output: run.output.clone(),
        error: run.error,
        timestamp: run.at,
    };
    ResponseRow {
        round: held.number,
        seat: debate.names[response.seat].clone(),
        role: debate.roles[response.seat].id.clone(),
        position: text(&turn.position),
        reasoning: text(&turn.reasons),
        confidence: turn.confidence,
        confidence_change: change,
        vote: turn.vote.clone(),
        position_change: turn.position_change.as_ref().and_then(text),
        stance: turn.stance.clone(),
        debate_alignment: held.reading.alignment.get(&response.seat).copied(),
        epistemic_claims: response.epistemic,
        key_points: list(&turn.key_points),
        uncertainties: list(&turn.uncertainties),
        perspective_anchor: anchor(response.seat).0,
        citations: (!withheld).then(|| response.audit.references.clone()),
        tool_calls: (!withheld).then(|| response.tools.iter().map(tool).collect()),
        claims_touched: response.touched.clone(),
        direct_replies_to: list(&turn.replies_to),
        role_violation: response.violation.clone(),
        owed: response.owed.clone(),
        label_findings: (!withheld).then(|| response.audit.flaws.clone()),
        blocked: response.blocked.clone(),
    }
}

pub fn safety(debate: &Debate, stage: &Bench, held: &RoundRecord) -> Result<()> {
    let armed = debate.watch.armed();
    let evaluated = held.responses.iter().filter(|response| response.evaluation.is_some()).count();
    let seat = |response: &Response| debate.names[response.seat].clone();
    let blocked: Vec<WithheldResponse> =
        held.responses.iter().filter_map(|response| Some(WithheldResponse { seat: seat(response), reason: response.blocked.clone()? })).collect();
    let remarks = |pick: fn(&Evaluation) -> &Vec<String>| -> Vec<SafetyRemark> {
        // What is said of withheld words may repeat them.
        let evaluated = held.counted().filter_map(|response| Some((seat(response), response.evaluation.as_ref()?)));
        evaluated
            .flat_map(|(seat, evaluation)| pick(evaluation).iter().map(move |text| SafetyRemark { seat: seat.clone(), text: text.clone() }))
            .collect()
    };
    let (concerns, recommendations) = (remarks(|evaluation| &evaluation.concerns), remarks(|evaluation| &evaluation.recommendations));
    // Which rule, never the passage: that is what was withheld.
    let finding = |response: &Response| {
        let evaluation = response.evaluation.as_ref().filter(|evaluation| !evaluation.clean())?;
        let rules = evaluation.findings.iter().map(|finding| finding.rule).collect();
        let verdict = if evaluation.passed { "pass" } else { "block" };
        Some(SafetyFinding { seat: seat(response), verdict, rules, withheld: response.blocked.is_some() })
    };
    let findings: Vec<SafetyFinding> = held.responses.iter().filter_map(finding).collect();
    let doubted = findings.iter().filter(|finding| !finding.withheld).count();
    let triggers = debate.watch.triggers();
    let text = match (armed, blocked.len()) {
        (false, 0) => "The monitor found nothing, and nothing called for an evaluator.".to_owned(),
        (false, n) => format!("The monitor withheld {n} of {} responses.", held.responses.len()),
        (true, n) => {
            let why: Vec<&str> = triggers.iter().map(|trigger| trigger.reason.as_str()).collect();
            format!(
                "An evaluator read {evaluated} of {} responses ({}); {n} withheld, {} concerns.",
                held.responses.len(),
                why.join("; "),
                concerns.len()
            )
        }
    };
    let tier = if evaluated > 0 {
        3
    } else if armed {
        2
    } else {
        1
    };
    let data = SafetyRow { round: held.number, tier, triggers, passed: blocked.is_empty(), findings, concerns, recommendations, blocked };
    let unread = held.responses.iter().filter(|response| response.unread).count();
    if unread > 0 {
        stage.warn(format!("The safety evaluator could not read {unread} of {} responses; they were withheld.", held.responses.len()));
    }
    if doubted > 0 {
        let n = held.responses.len();
        stage.warn(format!(
            "The safety evaluator objected to {doubted} of {n} responses and did not both block them and quote what stands in them; they were passed on."
        ));
    }
    // What was withheld, and what was said of it.
    let withheld = held.responses.iter().filter(|response| response.blocked.is_some()).map(|response| response.key.clone());
    let covered = held.responses.iter().filter_map(|response| response.check.clone()).chain(withheld).collect();
    let note = Exhibit::note(format!("{}: safety", held.title()), text).covers(covered).data(&data);
    stage.show(&format!("{}_safety", held.prefix()), note)
}

pub fn analysis(debate: &Debate, stage: &Bench, held: &RoundRecord) -> Result<()> {
    let reading = &held.reading;
    let said = reading.analysis.clone().unwrap_or_default();
    let known = reading.analysis.is_some();
    let position =
        |seat: usize| held.counted().find(|response| response.seat == seat).map(|response| response.turn.position.clone()).unwrap_or_default();
    let cluster = |(place, (camp, seats)): (usize, (usize, Vec<usize>))| {
        let theme = said.clusters.get(camp).filter(|_| !reading.by_words);
        Cluster {
            id: format!("{}", place + 1),
            name: theme.map_or_else(|| format!("Camp {}", place + 1), |camp| camp.theme.clone()),
            theme: theme.map(|camp| camp.summary.clone()).unwrap_or_default(),
            items: seats.iter().map(|seat| (debate.who(*seat), position(*seat))).collect(),
            ..Cluster::default()
        }
    };
    let clusters: Vec<Cluster> = reading.groups().into_iter().enumerate().map(cluster).collect();
    let data = AnalysisRow {
        round: held.number,
        agreement_level: reading.agreement(),
        leading_proposal: proposal(&said),
        summary: known.then_some(said.summary),
        common_ground: said.common_ground,
        disagreement_points: said.disagreements,
        clusters: clusters
            .iter()
            .map(|cluster| CampRow {
                theme: cluster.name.clone(),
                seats: cluster.items.iter().map(|(who, _)| who.clone()).collect(),
                summary: cluster.theme.clone(),
            })
            .collect(),
        nuances: Nuances {
            partial_agreements: said.partial_agreements,
            conditional_positions: said.conditional_positions,
            uncertainties: said.uncertainties,
        },
        alignment: reading.alignment.iter().map(|(seat, support)| Alignment { seat: debate.names[*seat].clone(), support: *support }).collect(),
        sigma: reading.sigma,
        source: reading.source,
        by_words: reading.by_words,
        groupthink_warning: GroupthinkWarning { detected: !said.groupthink_signs.is_empty(), indicators: said.groupthink_signs },
    };
    let exhibit = Exhibit::new(format!("{}: who stands together", held.title()), Shape::Clusters(Clusters { clusters })).data(&data);
    stage.show(&format!("{}_analysis", held.prefix()), exhibit)
}

/// The round for people: how far they agree, on what, who stands against whom, where each seat is, what is new.
pub fn summary(debate: &Debate, stage: &Bench, held: &RoundRecord) -> Result<()> {
    let reading = &held.reading;
    let said = reading.analysis.clone().unwrap_or_default();
    let status = reading.agreement().map(|agreement| (name(level(agreement)), agreement));
    let mut lines = vec![match status {
        Some((level, agreement)) => format!("**Agreement: {} ({:.0} %).** {}\n", level.to_uppercase(), agreement * 100.0, said.summary),
        None => "**Agreement: not measured.**\n".to_owned(),
    }];
    lines.extend(proposal(&said).map(|text| format!("- Leading proposal: {text}")));
    lines.extend(said.common_ground.iter().map(|point| format!("- Agreed: {point}")));
    let sides = |one: &[String], other: &[String]| match (one.is_empty(), other.is_empty()) {
        (false, false) => format!(" ({} against {})", one.join(", "), other.join(", ")),
        (true, true) => String::new(),
        _ => format!(" ({})", [one, other].concat().join(", ")),
    };
    lines.extend(said.disagreements.iter().map(|point| format!("- Open: {}{}", point.point, sides(&point.one_side, &point.other_side))));
    let seats = held.counted().map(|response| {
        let alignment = debate.state.seats[response.seat].alignment.map_or_else(|| "–".to_owned(), |value| format!("{value:.2}"));
        let vote = response.turn.vote().map_or("–", vote_name).to_owned();
        let point = response.turn.key_points.first().unwrap_or(&response.turn.position).clone();
        vec![debate.who(response.seat), alignment, format!("{:.2}", response.turn.confidence), vote, point]
    });
    lines.push(format!("\n{}\n", markdown::table(["seat", "alignment", "confidence", "vote", "key point"], seats)));
    for claim in debate.state.facts_since(held.since.claims) {
        let sources = claim.support.iter().filter_map(|id| debate.state.evidence.iter().find(|evidence| evidence.id == *id));
        let sources: Vec<String> = sources.map(|evidence| format!("{} {}", evidence.id, evidence.title)).collect();
        lines.push(format!("- New fact {}: {} [{}]", claim.id, claim.text, sources.join("; ")));
    }
    for response in held.counted() {
        let owed = &response.owed;
        lines.extend((!owed.is_empty()).then(|| format!("- Owed: {} left {} unanswered", debate.names[response.seat], owed.join(", "))));
        lines.extend(response.audit.flaws.iter().map(|flaw| format!("- Labels, {}: {}", debate.names[response.seat], flaw.say())));
    }
    let state = &debate.state;
    let data = SummaryRow {
        round: held.number,
        status: status.map(|(level, _)| level),
        one_liner: reading.analysis.as_ref().map(|analysis| analysis.one_liner.clone()),
        leading_proposal: proposal(&said),
        new_claims: state.claims.iter().skip(held.since.claims).map(|claim| claim.id.clone()).collect(),
        new_evidence: state.evidence.iter().skip(held.since.evidence).map(|evidence| evidence.id.clone()).collect(),
        decisions: state.decisions.iter().skip(held.since.decisions).map(|decision| decision.id.clone()).collect(),
        contested: state.claims.iter().filter(|claim| claim.status == ClaimStatus::Contested).map(|claim| claim.id.clone()).collect(),
    };
    stage.show(&format!("{}_summary", held.prefix()), Exhibit::note(format!("{}: summary", held.title()), lines.join("\n")).data(&data))
}

fn proposal(said: &Analysis) -> Option<String> {
    Some(said.leading_proposal.trim()).filter(|text| !text.is_empty()).map(str::to_owned)
}

pub fn name(level: Level) -> &'static str {
    match level {
        Level::High => "high",
        Level::Medium => "medium",
        Level::Low => "low",
    }
}

pub fn groupthink(debate: &Debate, stage: &Bench, look: &Look) -> Result<()> {
    let round = debate.last_regular().map_or(0, |held| held.number);
    let signs =
        debate.last_regular().and_then(|held| held.reading.analysis.as_ref()).map(|analysis| analysis.groupthink_signs.clone()).unwrap_or_default();
    let decided = match (look.trigger, look.acts) {
        (None, _) => "No sign that the panel agrees too soon or has stopped thinking.".to_owned(),
        (Some(kind), true) => format!("{}: the panel must object to itself before it may end.", said(kind)),
        (Some(kind), false) => format!("{}; it is recorded and nothing follows from it.", said(kind)),
    };
    let mut indicators: Vec<&'static str> = Vec::new();
    if let Some(early) = &look.early {
        let gate = [(early.few_sources, "few_sources"), (early.same_premises, "same_premises"), (early.one_view, "one_view")];
        indicators.extend(gate.iter().filter(|(holds, _)| *holds).map(|(_, name)| *name));
    }
    if look.pulse.sigma.is_none() {
        indicators.push("stance_unmeasured");
    }
    let mut numbers: Vec<(String, f64)> = vec![("new facts a seat".into(), look.pulse.facts_per_seat)];
    let measured = [
        ("change in confidence", look.pulse.shift),
        ("spread of stances", look.pulse.sigma),
        ("very sure", look.early.as_ref().map(|early| early.share)),
        ("overlap of premises", look.overlap),
    ];
    numbers.extend(measured.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    numbers.extend([("sources".to_owned(), look.sources as f64), ("camps".to_owned(), look.clusters as f64)]);
    let data = GroupthinkRow {
        round,
        trigger: look.trigger,
        indicators,
        acted: look.acts,
        sources: look.sources,
        overlap: look.overlap,
        clusters: look.clusters,
        sigma: look.pulse.sigma,
        facts_per_seat: look.pulse.facts_per_seat,
        shift: look.pulse.shift,
        model_signs: signs,
    };
    let title = format!("Round {round}: groupthink");
    let figures: Vec<String> = numbers.iter().map(|(name, value)| format!("{name} {value:.2}")).collect();
    let exhibit = match look.trigger {
        Some(kind) => Exhibit::new(title, Shape::Rule(Rule { decided, rung: kind.as_str().into(), numbers })),
        // Nothing follows from it: it stays with its round.
        None => Exhibit::note(title, format!("{decided} ({})", figures.join(", "))),
    };
    stage.show(&format!("round_{round}_groupthink"), exhibit.data(&data))
}

fn said(kind: Kind) -> &'static str {
    match kind {
        Kind::Stagnation => "For two rounds little was new, little moved and nobody stood apart",
        Kind::EarlyConvergence => "Most are very sure already, with little behind it",
    }
}

/// `answer`: `None` if nobody was asked, `Some(None)` if nobody answered.
pub fn objection(debate: &Debate, stage: &Bench, round: u32, kind: Kind, result: &Objection, answer: Option<Option<&PersonAnswer>>) -> Result<()> {
    let facts = debate.rounds.last().map_or(0, |held| held.new_facts);
    let decided = match (result.failed, answer) {
        (false, _) if super::stops::cap(debate, round).is_some() => "The objections moved something; the rounds are used up.".to_owned(),
        (false, _) => "The objections moved something; the debate goes on.".to_owned(),
        (true, Some(Some(answer))) => format!("The objections moved nothing. {} answered: {}.", answer.by, answer.answer),
        (true, Some(None) | None) => "The objections moved nothing, and the run was concluded before a person answered.".to_owned(),
    };
    let mut numbers: Vec<(String, f64)> = vec![("new facts".into(), facts as f64), ("belief change".into(), result.belief_change)];
    numbers.extend(result.mean_confidence.map(|mean| ("mean confidence".to_owned(), mean)));
    let rung = if result.failed { "objection_failed" } else { "objection_passed" }.to_owned();
    let resolution = answer.flatten().map(|answer| Resolution { answer: answer.answer.clone(), note: answer.note.clone(), by: answer.by.clone() });
    let data = ObjectionRow {
        round,
        trigger: kind,
        new_facts: facts,
        mean_confidence: result.mean_confidence,
        belief_change: result.belief_change,
        failed: result.failed,
        resolution,
    };
    let exhibit = Exhibit::new(format!("Objections after round {round}: outcome"), Shape::Rule(Rule { decided, rung, numbers })).data(&data);
    stage.show(&format!("objection_{round}_outcome"), exhibit)
}

/// One seat's part in a round, for its summary.
pub fn moved(debate: &Debate, response: &Response) -> Moved {
    let touched = &response.touched;
    let moves = vec![
        ("introduced", touched.introduced.clone()),
        ("supported", touched.reinforced.clone()),
        ("disputed", touched.challenged.clone()),
        ("withdrew", touched.withdrawn.clone()),
    ];
    Moved {
        name: debate.names[response.seat].clone(),
        confidence: response.turn.confidence,
        delta: response.delta(),
        moves,
        note: response.turn.key_points.first().cloned().unwrap_or_default(),
    }
}
