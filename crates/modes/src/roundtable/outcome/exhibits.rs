//! What a reader is shown of the guard, of the end, and of the debate as a whole.

use super::decision::open_blockers;
use super::guard::{ACCEPT, GroupthinkKind, GuardReport};
use super::stops::{ExitNumbers, StopReason, round_cap};
use crate::roundtable::record::{Claim, ClaimStatus};
use crate::roundtable::rounds::reply::VOTES;
use crate::roundtable::rounds::{Debate, Round};
use crate::roundtable::rows::*;
use synod_engine::{Bench, Result};
use synod_math::debate::exits::Vote;
use synod_math::debate::guard::ObjectionResult;
use synod_types::{CheckEntry, Checks, Evidence, Exhibit, Line, PersonAnswer, Rule, Series, Shape};

pub fn show_groupthink(debate: &Debate, phase: &Bench, report: &GuardReport) -> Result<()> {
    let round = debate.last_regular().map_or(0, |round| round.number);
    let signs = debate
        .last_regular()
        .and_then(|round| round.assessment.analysis.as_ref())
        .map(|analysis| analysis.groupthink_signs.clone())
        .unwrap_or_default();
    let decided = match (report.trigger, report.acts) {
        (None, _) => "No sign that the panel agrees too soon or has stopped thinking.".to_owned(),
        (Some(kind), true) => format!("{}: the panel must object to itself before it may end.", describe(kind)),
        (Some(kind), false) => format!("{}; it is recorded and nothing follows from it.", describe(kind)),
    };
    let mut indicators: Vec<&'static str> = Vec::new();
    if let Some(early) = &report.early {
        let gate = [(early.few_sources, "few_sources"), (early.same_premises, "same_premises"), (early.one_view, "one_view")];
        indicators.extend(gate.iter().filter(|(holds, _)| *holds).map(|(_, name)| *name));
    }
    if report.activity.spread.is_none() {
        indicators.push("stance_unmeasured");
    }
    let mut numbers: Vec<(String, f64)> = vec![("new facts a seat".into(), report.activity.facts_per_seat)];
    let measured = [
        ("change in confidence", report.activity.shift),
        ("spread of stances", report.activity.spread),
        ("very sure", report.early.as_ref().map(|early| early.share)),
        ("overlap of premises", report.overlap),
    ];
    numbers.extend(measured.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    numbers.extend([("sources".to_owned(), report.sources as f64), ("camps".to_owned(), report.clusters as f64)]);
    let data = GroupthinkRow {
        round,
        trigger: report.trigger,
        indicators,
        acted: report.acts,
        sources: report.sources,
        overlap: report.overlap,
        clusters: report.clusters,
        sigma: report.activity.spread,
        facts_per_seat: report.activity.facts_per_seat,
        shift: report.activity.shift,
        model_signs: signs,
    };
    let title = format!("Round {round}: groupthink");
    let figures: Vec<String> = numbers.iter().map(|(name, value)| format!("{name} {value:.2}")).collect();
    let exhibit = match report.trigger {
        Some(kind) => Exhibit::new(title, Shape::Rule(Rule { decided, rung: kind.as_str().into(), numbers })),
        // Nothing follows from it, so it is a plain note of its round.
        None => Exhibit::note(title, format!("{decided} ({})", figures.join(", "))),
    };
    phase.show(&format!("round_{round}_groupthink"), exhibit.data(&data))
}

fn describe(kind: GroupthinkKind) -> &'static str {
    match kind {
        GroupthinkKind::Stagnation => "For two rounds little was new, little moved and nobody stood apart",
        GroupthinkKind::EarlyConvergence => "Most are very sure already, with little behind it",
    }
}

/// `answer`: `None` if nobody was asked, `Some(None)` if nobody answered.
pub fn show_objections(
    debate: &Debate,
    phase: &Bench,
    round: u32,
    kind: GroupthinkKind,
    result: &ObjectionResult,
    answer: Option<Option<&PersonAnswer>>,
) -> Result<()> {
    let facts = debate.rounds.last().map_or(0, |round| round.new_facts);
    let accepts = answer.flatten().is_some_and(|answer| answer.answer == ACCEPT);
    let overruled: Vec<String> = open_blockers(debate).filter(|_| accepts).map(|blocker| debate.display_name(blocker.seat)).collect();
    let decided = match (result.failed, answer) {
        (false, _) if round_cap(debate, round).is_some() => "The objections moved something; the rounds are used up.".to_owned(),
        (false, _) => "The objections moved something; the debate goes on.".to_owned(),
        (true, Some(Some(answer))) if overruled.is_empty() => format!("The objections moved nothing. {} answered: {}.", answer.by, answer.answer),
        (true, Some(Some(answer))) => {
            format!("The objections moved nothing. {} answered: {}, and overruled the BLOCKER of {}.", answer.by, answer.answer, overruled.join(", "))
        }
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
        overruled,
    };
    let exhibit = Exhibit::new(format!("Objections after round {round}: outcome"), Shape::Rule(Rule { decided, rung, numbers })).data(&data);
    phase.show(&format!("objection_{round}_outcome"), exhibit)
}

pub fn show_exit(debate: &Debate, phase: &Bench, stop: StopReason, numbers: &ExitNumbers, ended: &str) -> Result<()> {
    let met = &numbers.consensus;
    let mut shown: Vec<(String, f64)> = Vec::new();
    if debate.style.votes {
        shown.extend([("share that accepts".to_owned(), met.share), ("open blockers".to_owned(), met.open_blockers as f64)]);
    }
    let measured = [
        ("least confidence", met.least_sure),
        ("agreement", numbers.agreement),
        ("movement before", numbers.before.movement),
        ("movement", numbers.now.movement),
    ];
    shown.extend(measured.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    shown.push(("new facts".into(), numbers.now.new_facts as f64));
    let rounds = debate.last_regular().map_or(0, |round| round.number);
    let data = ExitRow {
        reason: stop,
        rounds,
        share: met.share,
        open_blockers: met.open_blockers,
        least_sure: met.least_sure,
        agreement: numbers.agreement,
        movement: [numbers.before.movement, numbers.now.movement],
        new_facts: [numbers.before.new_facts, numbers.now.new_facts],
    };
    let rule = Rule { decided: ended.to_owned(), rung: stop.as_str().to_owned(), numbers: shown };
    phase.show("exit", Exhibit::new("Why the debate ended", Shape::Rule(rule)).data(&data))
}

pub fn show_charts(debate: &Debate, phase: &Bench) -> Result<()> {
    let steps: Vec<String> = debate.rounds.iter().map(Round::title).collect();
    let line = |name: String, value: &dyn Fn(&Round) -> Option<f64>| Line { name, values: debate.rounds.iter().map(value).collect() };
    let confidence =
        |seat: usize| move |round: &Round| round.counted().find(|response| response.seat == seat).map(|response| response.turn.confidence);
    let lines: Vec<Line> = (0..debate.seats()).map(|seat| line(debate.display_name(seat), &confidence(seat))).collect();
    let data = ConfidenceRow { seats: lines.iter().map(|line| SeatConfidence { seat: line.name.clone(), values: line.values.clone() }).collect() };
    phase.show("confidence", Exhibit::new("Confidence by round", Shape::Series(Series { steps: steps.clone(), lines })).data(&data))?;

    let rubric = "ACCEPT: fine as it stands; MINOR: fine after small changes; BLOCKER: must change first";
    // Only where a vote was asked for: nobody votes in the first round or in objections.
    let voted: Vec<&Round> = debate.rounds.iter().filter(|round| round.votes).collect();
    let cast = |round: &Round, vote: Option<Vote>, free: bool| {
        let said = |seat: &usize| round.response_of(*seat).and_then(|response| response.turn.vote());
        (0..debate.seats()).filter(|seat| debate.is_free(*seat) == free && said(seat) == vote).count() as f64
    };
    let count =
        |name: String, vote: Option<Vote>, free: bool| Line { name, values: voted.iter().map(|round| Some(cast(round, vote, free))).collect() };
    let all = || VOTES.iter().map(|(name, vote)| (*name, Some(*vote))).chain([("no vote", None)]);
    let mut lines: Vec<Line> = all().map(|(name, vote)| count(name.to_owned(), vote, true)).collect();
    if debate.style.assigns_sides() {
        lines.extend(all().map(|(name, vote)| count(format!("{name}, not counted"), vote, false)));
    }
    let counts = |line: &Line| VoteCounts { vote: line.name.clone(), counts: line.values.iter().copied().flatten().collect() };
    let data = VotesRow { rubric, rounds: lines.iter().map(counts).collect() };
    let title = format!("Votes by round ({rubric})");
    let exhibit = match voted.is_empty() {
        true => Exhibit::note(title, "Nobody was asked to vote."),
        false => Exhibit::new(title, Shape::Series(Series { steps: voted.iter().map(|round| round.title()).collect(), lines })),
    };
    phase.show("votes", exhibit.data(&data))?;

    let lines = vec![
        line("spread of stances".into(), &|round: &Round| round.assessment.spread),
        line("camps".into(), &|round: &Round| Some(round.assessment.camp_count() as f64)),
        line("sources so far".into(), &|round: &Round| Some(round.sources as f64)),
        line("overlap of premises".into(), &|round: &Round| round.overlap),
    ];
    let data =
        DiversityRow { rounds: lines.iter().map(|line| DiversityMeasure { measure: line.name.clone(), values: line.values.clone() }).collect() };
    phase.show("diversity", Exhibit::new("How different the seats are", Shape::Series(Series { steps, lines })).data(&data))
}

pub fn show_claims(debate: &Debate, phase: &Bench) -> Result<()> {
    let record = &debate.record;
    let entry = |claim: &Claim| {
        let source = |id: &String| {
            let evidence = record.evidence.iter().find(|evidence| evidence.id == *id)?;
            Some(Evidence {
                by: evidence.id.clone(),
                text: [evidence.title.as_str(), evidence.url.as_deref().unwrap_or_default()].join(" ").trim().to_owned(),
                ..Evidence::default()
            })
        };
        let disputed = !claim.challengers.is_empty() && !claim.objection.is_empty();
        let objection = disputed.then(|| Evidence { by: "disputed".into(), text: claim.objection.clone(), ..Evidence::default() });
        CheckEntry {
            id: claim.id.clone(),
            claim: format!("[{}] {}", claim.label.as_str(), claim.text),
            verdict: claim.status.as_str().to_owned(),
            votes: vec![("for".into(), claim.backers.len() as u32), ("against".into(), claim.challengers.len() as u32)],
            evidence: claim.support.iter().filter_map(source).chain(objection).collect(),
            ..CheckEntry::default()
        }
    };
    // What holds comes first, what was withdrawn last.
    let order = [ClaimStatus::Accepted, ClaimStatus::Contested, ClaimStatus::Open, ClaimStatus::Retracted];
    let entries: Vec<CheckEntry> =
        order.into_iter().flat_map(|status| record.claims.iter().filter(move |claim| claim.status == status)).map(entry).collect();
    let data = ClaimsRow {
        claims: record.claims.clone(),
        evidence: record.evidence.clone(),
        decisions: record.decisions.clone(),
        risks: record.risks.clone(),
    };
    let measure = "status by who supports and who disputes".to_owned();
    phase.show("claims", Exhibit::new("Claims", Shape::Checks(Checks { entries, score: None, measure })).data(&data))
}
