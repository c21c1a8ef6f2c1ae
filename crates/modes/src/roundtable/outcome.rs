//! What the debate comes to: why it ended, the synthesis, the decision a script branches on, and the charts.

use super::debate::{Debate, RoundRecord};
use super::exhibits::name;
use super::reply::{VOTES, vote_name};
use super::rows::*;
use super::state::{Blocker, ClaimStatus};
use super::stops::{self, Stop};
use super::synthesis::{Synthesis, compose, record};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use synod_engine::{Bench, ModeResult, Result, prompt};
use synod_math::debate::clusters::words;
use synod_math::debate::outcome::{Action, action, confidences_conflict, level};
use synod_math::debate::{exits, mean};
use synod_types::*;

/// What a script branches on.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    pub style: String,
    /// high, medium or low; null where agreement could not be measured.
    pub consensus_level: Option<String>,
    /// From 0 to 1, as read from the last round; else the share of the largest camp.
    pub agreement: Option<f64>,
    /// proceed, verify or query_detail.
    pub action: String,
    /// What stands between the seats.
    pub conflicts: Vec<String>,
    /// Regular rounds held.
    pub rounds: u32,
    /// consensus, convergence, round_cap, too_few, person or closed.
    pub stopped: String,
    pub mean_confidence: Option<f64>,
    pub votes: Votes,
    /// Seats whose BLOCKER stands, by label.
    pub open_blockers: Vec<String>,
    /// What was settled on the way.
    pub decisions: Vec<String>,
    /// Problems nobody answered, by id and text.
    pub unanswered_risks: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Votes {
    pub accept: u32,
    pub minor: u32,
    pub blocker: u32,
    pub missing: u32,
}

pub async fn conclude(debate: &mut Debate<'_>, stop: Stop) -> Result<ModeResult> {
    let stage = debate.bench.phase("synthesis");
    let numbers = stops::numbers(debate);
    let ended = ended(debate, stop, &numbers);
    show_exit(debate, &stage, stop, &numbers, &ended)?;
    show_charts(debate, &stage)?;
    show_claims(debate, &stage)?;
    let decision = decision(debate, stop);
    let answer = synthesis(debate, &stage, &ended).await?;
    for (name, value) in
        [("rounds", Some(f64::from(decision.rounds))), ("agreement", decision.agreement), ("mean_confidence", decision.mean_confidence)]
    {
        if let Some(value) = value {
            debate.bench.figure(name, value);
        }
    }
    if !debate.requests.is_empty() {
        stage.warn(format!("Seats asked for context they did not have ({} requests, in the verdict's data).", debate.requests.len()));
    }
    let n = debate.last_regular().map_or(0, |held| held.counted().count() as u32);
    let confidence = decision.mean_confidence.map(|value| Confidence { value: Some(value), source: ConfidenceSource::Stated, n });
    let dissent = dissent(debate);
    Ok(ModeResult {
        status: None,
        stop_reason: stop.as_str(),
        answer: Some(answer),
        decision: Some(synod_engine::to_value(&decision)),
        confidence,
        dissent,
        data: json!({
            "round": decision.rounds, "seats": names(debate), "claims": debate.state.claims.len(), "evidence": debate.state.evidence.len(),
            "sources": debate.state.sources(), "contextRequests": debate.requests,
        }),
    })
}

fn names(debate: &Debate) -> Vec<Value> {
    let label = |seat: usize| debate.bench.seat(seat as SeatIx).label.clone();
    (0..debate.seats()).map(|seat| json!({"name": debate.names[seat], "label": label(seat), "role": debate.roles[seat].id})).collect()
}

/// Why it ended, in a sentence with its numbers.
fn ended(debate: &Debate, stop: Stop, numbers: &stops::Numbers) -> String {
    let rounds = debate.last_regular().map_or(0, |held| held.number);
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
        Stop::Consensus if met.stood_in => {
            let agreement = numbers.agreement.unwrap_or_default();
            format!(
                "The panel agreed after {rounds}: {:.0} % accept and the agreement of {agreement:.2} stands in for missing votes; no blocker is open and the least sure seat is at {sure}.",
                met.share * 100.0
            )
        }
        Stop::Consensus => format!(
            "The panel agreed after {rounds}: {:.0} % of the seats accept, no blocker is open and the least sure seat is at {sure}.",
            met.share * 100.0
        ),
        Stop::Convergence => format!(
            "Nothing moved any more after {rounds}: the last two moved by {} and {}, without a new fact.",
            moved(numbers.before.movement),
            moved(numbers.now.movement)
        ),
        Stop::RoundCap if !debate.style.votes => {
            format!("The limit of {rounds} was reached. This style asks and does not vote; the last round moved by {}.", moved(numbers.now.movement))
        }
        Stop::RoundCap if !debate.last_regular().is_some_and(|held| held.votes) => {
            format!("The limit of {rounds} was reached before there was a proposal to vote on; the least sure seat is at {sure}.")
        }
        Stop::RoundCap if !debate.options.exit_on_consensus => format!(
            "It went through the {rounds} it was given, whatever came of them: {:.0} % of the seats accept, {blockers} and the least sure seat is at {sure}.",
            met.share * 100.0
        ),
        Stop::RoundCap => format!(
            "The limit of {rounds} was reached: {:.0} % of the seats accept ({:.0} % would do), {blockers} and the least sure seat is at {sure} ({:.2} would do).",
            met.share * 100.0,
            exits::ACCEPTED * 100.0,
            exits::SURE
        ),
        Stop::TooFew => format!("Too few seats spoke to go on after {rounds}."),
        Stop::Person => format!("After {rounds} a person let the panel's view stand."),
        Stop::Closed => format!("The run was told to conclude after {rounds}."),
    }
}

fn show_exit(debate: &Debate, stage: &Bench, stop: Stop, numbers: &stops::Numbers, ended: &str) -> Result<()> {
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
    let rounds = debate.last_regular().map_or(0, |held| held.number);
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
    stage.show("exit", Exhibit::new("Why the debate ended", Shape::Rule(rule)).data(&data))
}

fn show_charts(debate: &Debate, stage: &Bench) -> Result<()> {
    let steps: Vec<String> = debate.rounds.iter().map(RoundRecord::title).collect();
    let line = |name: String, value: &dyn Fn(&RoundRecord) -> Option<f64>| Line { name, values: debate.rounds.iter().map(value).collect() };
    let confidence =
        |seat: usize| move |held: &RoundRecord| held.counted().find(|response| response.seat == seat).map(|response| response.turn.confidence);
    let lines: Vec<Line> = (0..debate.seats()).map(|seat| line(debate.who(seat), &confidence(seat))).collect();
    let data = ConfidenceRow { seats: lines.iter().map(|line| SeatConfidence { seat: line.name.clone(), values: line.values.clone() }).collect() };
    stage.show("confidence", Exhibit::new("Confidence by round", Shape::Series(Series { steps: steps.clone(), lines })).data(&data))?;

    let rubric = "ACCEPT: fine as it stands; MINOR: fine after small changes; BLOCKER: must change first";
    let count =
        |vote: Option<exits::Vote>| move |held: &RoundRecord| Some(held.counted().filter(|response| response.turn.vote() == vote).count() as f64);
    let mut lines: Vec<Line> = VOTES.iter().map(|(name, vote)| line((*name).to_owned(), &count(Some(*vote)))).collect();
    lines.push(line("no vote".into(), &|held: &RoundRecord| {
        Some(debate.seats() as f64 - held.counted().filter(|response| response.turn.vote().is_some()).count() as f64)
    }));
    let counts = |line: &Line| VoteCounts { vote: line.name.clone(), counts: line.values.iter().copied().flatten().collect() };
    let data = VotesRow { rubric, rounds: lines.iter().map(counts).collect() };
    stage.show("votes", Exhibit::new(format!("Votes by round ({rubric})"), Shape::Series(Series { steps: steps.clone(), lines })).data(&data))?;

    let lines = vec![
        line("spread of stances".into(), &|held: &RoundRecord| held.reading.sigma),
        line("camps".into(), &|held: &RoundRecord| Some(held.reading.clusters() as f64)),
        line("sources so far".into(), &|held: &RoundRecord| Some(held.sources as f64)),
        line("overlap of premises".into(), &|held: &RoundRecord| held.overlap),
    ];
    let data =
        DiversityRow { rounds: lines.iter().map(|line| DiversityMeasure { measure: line.name.clone(), values: line.values.clone() }).collect() };
    stage.show("diversity", Exhibit::new("How different the seats are", Shape::Series(Series { steps, lines })).data(&data))
}

fn show_claims(debate: &Debate, stage: &Bench) -> Result<()> {
    let state = &debate.state;
    let entry = |claim: &super::state::Claim| {
        let source = |id: &String| {
            let evidence = state.evidence.iter().find(|evidence| evidence.id == *id)?;
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
    let entries: Vec<CheckEntry> = state.claims.iter().map(entry).collect();
    let data =
        ClaimsRow { claims: state.claims.clone(), evidence: state.evidence.clone(), decisions: state.decisions.clone(), risks: state.risks.clone() };
    let measure = "status by who supports and who disputes".to_owned();
    stage.show("claims", Exhibit::new("Claims", Shape::Checks(Checks { entries, score: None, measure })).data(&data))
}

/// The chair writes, or the next seat that can; else the record itself is the answer.
async fn synthesis(debate: &Debate<'_>, stage: &Bench, ended: &str) -> Result<Answer> {
    let number = debate.last_regular().map_or(0, |held| held.number);
    let mut writers: Vec<SeatIx> = debate.bench.role("chair").to_vec();
    for seat in debate.rounds.last().into_iter().flat_map(RoundRecord::counted).map(|response| response.seat as SeatIx) {
        if !writers.contains(&seat) {
            writers.push(seat);
        }
    }
    let (packet, focus) = (debate.packet(number + 1, &[]), debate.options.focus_at(number));
    let (last, objected) = debate.rounds.last().map(|held| (held.title(), held.objection)).unwrap_or_default();
    let Some(given) =
        stage.ask_first::<Synthesis>(&writers, prompt!("synthesis", packet, focus, ended, last, objected, material = debate.material)).await?
    else {
        stage.warn("Nobody could write the synthesis; the record of the last round is the answer.");
        let by = debate.rounds.last().into_iter().flat_map(RoundRecord::counted).map(|response| response.seat as SeatIx).collect();
        return Ok(Answer { kind: AnswerKind::Computed, text: format!("{ended}\n\n{}", record(debate)), by });
    };
    let said = &given.value;
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
    stage.show("synthesis", Exhibit::new("Synthesis", shape).by(given.seat, "chair").turn(&given.key).data(&data))?;
    Ok(Answer { kind: AnswerKind::Synthesis, text, by: vec![given.seat] })
}

fn decision(debate: &Debate, stop: Stop) -> Decision {
    // Objections are made because they must be: the last word of a seat is that of the last regular round.
    let last = debate.last_regular();
    let confidences = last.map(RoundRecord::confidences).unwrap_or_default();
    let n = confidences.len().max(1) as f64;
    let largest = last.and_then(|held| held.reading.groups().first().map(|(_, seats)| seats.len() as f64 / n));
    let agreement = last.and_then(|held| held.reading.agreement()).or(largest);
    let mean_confidence = mean(&confidences);
    let mut conflicts = conflicts(debate);
    let blocking = debate.state.open_blockers();
    let action = match action(mean_confidence.unwrap_or(0.0), agreement.unwrap_or(0.0), conflicts.len()) {
        // A seat that says what must change first is not outvoted by how sure the others are.
        Action::Proceed if !blocking.is_empty() => "verify",
        Action::Proceed => "proceed",
        Action::Verify => "verify",
        Action::QueryDetail => "query_detail",
    };
    let block = |blocker: &&Blocker| {
        let claim = blocker.claim.as_ref().map(|id| format!(" over {id}")).unwrap_or_default();
        format!("{} holds a BLOCKER{claim}", debate.names[blocker.seat])
    };
    conflicts.extend(blocking.iter().map(block));
    let count =
        |vote: &str| last.into_iter().flat_map(RoundRecord::counted).filter(|response| response.turn.vote.as_deref() == Some(vote)).count() as u32;
    let (accept, minor, blocker) = (count("ACCEPT"), count("MINOR"), count("BLOCKER"));
    let missing = (debate.seats() as u32).saturating_sub(accept + minor + blocker);
    Decision {
        style: debate.style.id.to_owned(),
        consensus_level: agreement.map(|agreement| name(level(agreement)).to_owned()),
        agreement,
        action: action.to_owned(),
        conflicts,
        rounds: debate.last_regular().map_or(0, |held| held.number),
        stopped: stop.as_str().to_owned(),
        mean_confidence: mean_confidence.map(|mean| (mean * 1000.0).round() / 1000.0),
        votes: Votes { accept, minor, blocker, missing },
        open_blockers: blocking.iter().map(|blocker| debate.who(blocker.seat)).collect(),
        decisions: debate.state.decisions.iter().map(|decision| decision.text.clone()).collect(),
        unanswered_risks: debate
            .state
            .risks
            .iter()
            .filter(|risk| risk.mitigation.is_none())
            .map(|risk| format!("{} {}", risk.id, risk.text))
            .collect(),
    }
}

/// What stands between the seats: how sure they are, and words that exclude each other.
fn conflicts(debate: &Debate) -> Vec<String> {
    const OPPOSITES: [(&str, &str); 5] = [("better", "worse"), ("agree", "disagree"), ("support", "oppose"), ("yes", "no"), ("positive", "negative")];
    let Some(last) = debate.last_regular() else { return Vec::new() };
    let mut found = Vec::new();
    if confidences_conflict(&last.confidences()) {
        found.push("the seats are sure by very different measures".to_owned());
    }
    let said: Vec<(usize, BTreeSet<String>)> = last.counted().map(|response| (response.seat, words(&response.turn.position, 2))).collect();
    for (one, other) in OPPOSITES {
        let only = |has: &str, lacks: &str| {
            said.iter()
                .filter(|(_, words)| words.contains(has) && !words.contains(lacks))
                .map(|(seat, _)| debate.names[*seat].clone())
                .collect::<Vec<_>>()
        };
        let (left, right) = (only(one, other), only(other, one));
        if !left.is_empty() && !right.is_empty() {
            found.push(format!("{} say \"{one}\", {} say \"{other}\"", left.join(", "), right.join(", ")));
        }
    }
    found
}

/// Those outside the largest camp, and those whose blocker stands.
fn dissent(debate: &Debate) -> Vec<Dissent> {
    let Some(last) = debate.last_regular() else { return Vec::new() };
    let groups = last.reading.groups();
    let leading = groups.first().map(|(_, seats)| seats.clone()).unwrap_or_default();
    let blocking: Vec<usize> = debate.state.open_blockers().iter().map(|blocker| blocker.seat).collect();
    let apart = last.counted().filter(|response| !leading.contains(&response.seat) || blocking.contains(&response.seat));
    apart
        .map(|response| {
            let vote = response.turn.vote().map(|vote| format!(" ({})", vote_name(vote))).unwrap_or_default();
            Dissent {
                seat: response.seat as SeatIx,
                label: Some(debate.names[response.seat].clone()),
                text: format!("{}{vote}", response.turn.position),
            }
        })
        .collect()
}

/// Claims that carry weight: not withdrawn.
pub fn stands(status: ClaimStatus) -> bool {
    status != ClaimStatus::Retracted
}
