//! The decision a script branches on, and who dissents.

use super::action::{Conflict, DecidedBy, OpenRisk, SeatRuling, TableState};
use super::stops::StopReason;
use crate::roundtable::phrases::phrases;
use crate::roundtable::record::{Blocker, Risk, same_statement};
use crate::roundtable::rounds::reply::vote_name;
use crate::roundtable::rounds::{Debate, Disagreement, Response, Round};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use synod_math::debate::exits::Vote;
use synod_math::debate::mean;
use synod_math::debate::outcome::agreement_level;
use synod_math::likeness::terms;
use synod_types::{Dissent, SeatIx, clip};

/// What a script branches on.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    pub style: String,
    /// proceed: nothing stands against acting on the answer. verify: the conflicts come first. query_detail: the question is not answered yet.
    pub action: String,
    /// What stands against acting on it, with who and why; empty where the action is proceed.
    pub conflicts: Vec<Conflict>,
    /// high, medium or low; null where agreement could not be measured.
    pub consensus_level: Option<String>,
    /// From 0 to 1, as read from the last round; null where nobody could read it.
    pub agreement: Option<f64>,
    /// What two sides argued over; null in styles without sides.
    pub proposition: Option<String>,
    /// Who argued better; null where nobody rules on it.
    pub ruling: Option<Ruling>,
    /// What a style that only asks ends with.
    pub open_questions: Vec<String>,
    /// Regular rounds held.
    pub rounds: u32,
    /// consensus, convergence, round_cap, too_few, person or closed.
    pub stopped: String,
    /// Of the seats whose votes count.
    pub mean_confidence: Option<f64>,
    pub votes: Votes,
    /// Votes of seats that argue a side they were given: shown, not counted.
    pub role_bound_votes: Votes,
    /// Seats whose BLOCKER stands, by label.
    pub open_blockers: Vec<String>,
    /// Seats whose BLOCKER a person overruled, by label.
    pub overruled_blockers: Vec<String>,
    /// What was settled on the way.
    pub decisions: Vec<String>,
    /// Problems nobody answered, by id and text.
    pub unanswered_risks: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Ruling {
    /// FOR, AGAINST, EVEN, or SPLIT where those who rule do not agree.
    pub side: String,
    pub by: Vec<SeatRuling>,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Votes {
    pub accept: u32,
    pub minor: u32,
    pub blocker: u32,
    pub missing: u32,
}

impl Votes {
    fn of(votes: impl IntoIterator<Item = Option<Vote>>) -> Self {
        votes.into_iter().fold(Self::default(), |mut counts, vote| {
            let count = match vote {
                Some(Vote::Accept) => &mut counts.accept,
                Some(Vote::Minor) => &mut counts.minor,
                Some(Vote::Blocker) => &mut counts.blocker,
                None => &mut counts.missing,
            };
            *count += 1;
            counts
        })
    }
}

pub fn decide(debate: &Debate, stop: StopReason) -> Decision {
    let state = table_state(debate, stop, &|seat| debate.names[seat].clone());
    let last = debate.last_regular();
    let vote = |seat: usize| last.and_then(|round| round.response_of(seat)).and_then(|response| response.turn.vote());
    let (free, bound): (Vec<usize>, Vec<usize>) = (0..debate.seats()).partition(|seat| debate.is_free(*seat));
    let agreement = state.agreement;
    let confidences: Vec<f64> = state.confidences.iter().map(|(_, value)| *value).collect();
    Decision {
        style: debate.style.id.to_owned(),
        action: state.action().to_owned(),
        conflicts: state.conflicts(),
        consensus_level: agreement.map(|agreement| agreement_level(agreement).as_str().to_owned()),
        agreement,
        proposition: debate.proposition.clone(),
        ruling: state.ruling().map(|side| Ruling { side: side.to_owned(), by: state.rulings.clone() }),
        open_questions: if state.by == DecidedBy::Questions { open_questions(debate) } else { Vec::new() },
        rounds: last.map_or(0, |round| round.number),
        stopped: stop.as_str().to_owned(),
        mean_confidence: mean(&confidences).map(|mean| (mean * 1000.0).round() / 1000.0),
        votes: Votes::of(free.into_iter().map(vote)),
        role_bound_votes: Votes::of(bound.into_iter().map(vote)),
        open_blockers: open_blockers(debate).map(|blocker| debate.display_name(blocker.seat)).collect(),
        overruled_blockers: debate.overruled.clone(),
        decisions: debate.record.decisions.iter().map(|decision| decision.text.clone()).collect(),
        unanswered_risks: state.risks.into_iter().map(|risk| risk.text).collect(),
    }
}

/// The blockers that count: an assigned side votes as it must.
pub fn open_blockers<'a>(debate: &'a Debate) -> impl Iterator<Item = &'a Blocker> {
    debate.record.blockers.iter().filter(|blocker| debate.is_free(blocker.seat))
}

/// The claim that a blocker names, with its words.
pub fn blocked_claim(debate: &Debate, blocker: &Blocker) -> Option<String> {
    let id = blocker.claim.as_ref()?;
    let words = debate.record.claim(id).map(|claim| format!(" “{}”", clip::chars(&claim.text, 80, "…")));
    Some(format!("{id}{}", words.unwrap_or_default()))
}

/// What stands first against acting on it, with each seat's model: for whoever reads nothing else.
pub fn first_conflict(debate: &Debate, stop: StopReason) -> Option<String> {
    let state = table_state(debate, stop, &|seat| debate.display_name(seat));
    state.conflicts().into_iter().next().map(|conflict| conflict.why)
}

/// What the rule of the action looks at, with the seats called by `name`. Seats object because they are told to, so what counts is what they said
/// in the last regular round.
fn table_state(debate: &Debate, stop: StopReason, name: &dyn Fn(usize) -> String) -> TableState {
    let last = debate.last_regular();
    let free = || (0..debate.seats()).filter(|seat| debate.is_free(*seat));
    let said = |seat: usize| last.and_then(|round| round.response_of(seat));
    let vote = |seat: usize| said(seat).and_then(|response| response.turn.vote());
    let camps = last.map(|round| round.assessment.seats_by_camp()).unwrap_or_default();
    let mut camps: Vec<Vec<String>> =
        camps.into_iter().map(|(_, seats)| seats.into_iter().filter(|seat| debate.is_free(*seat)).map(name).collect()).collect();
    camps.retain(|camp| !camp.is_empty());
    camps.sort_by_key(|camp| std::cmp::Reverse(camp.len()));
    let analysis = last.and_then(|round| round.assessment.analysis.as_ref());
    let renamed = |known: &String| debate.names.iter().position(|own| own == known).map_or_else(|| known.clone(), name);
    let point = |point: &Disagreement| (point.point.clone(), point.one_side.iter().chain(&point.other_side).map(renamed).collect());
    let ruling = |response: &Response| {
        let (side, why) = (response.turn.ruling.clone()?, response.turn.ruling_reason.trim().to_owned());
        Some(SeatRuling { seat: name(response.seat), side, why })
    };
    let open_risk = |risk: &Risk| OpenRisk {
        by: name(risk.by),
        text: format!("{} {}", risk.id, risk.text),
        stands: risk.standing().map(|word| name(word.by)).collect(),
    };
    TableState {
        by: DecidedBy::of(debate.style),
        votes: free().map(|seat| (name(seat), vote(seat))).collect(),
        voted: last.is_some_and(|round| round.votes),
        resolved: stop == StopReason::Person,
        overruled: free().filter(|seat| debate.record.is_overruled(*seat) && vote(*seat) == Some(Vote::Blocker)).map(name).collect(),
        blockers: open_blockers(debate).map(|blocker| (name(blocker.seat), blocked_claim(debate, blocker))).collect(),
        attacked: !debate.record.risks.is_empty(),
        risks: debate.record.risks.iter().filter(|risk| risk.is_unanswered()).map(open_risk).collect(),
        agreement: analysis.map(|analysis| analysis.agreement),
        camps,
        disagreements: analysis.iter().flat_map(|analysis| &analysis.disagreements).map(point).collect(),
        confidences: free().filter_map(|seat| Some((name(seat), said(seat)?.turn.confidence))).collect(),
        rulings: last.into_iter().flat_map(Round::counted).filter_map(ruling).collect(),
        opposites: if analysis.is_none() { opposites(debate, name) } else { Vec::new() },
    }
}

/// Positions with opposite words.
fn opposites(debate: &Debate, name: &dyn Fn(usize) -> String) -> Vec<String> {
    let Some(last) = debate.last_regular() else { return Vec::new() };
    let said: Vec<(usize, BTreeSet<String>)> =
        last.counted().map(|response| (response.seat, terms(&response.turn.position).into_iter().collect())).collect();
    let only = |has: &str, lacks: &str| {
        let found = said.iter().filter(|(_, words)| words.contains(has) && !words.contains(lacks));
        found.map(|(seat, _)| name(*seat)).collect::<Vec<_>>()
    };
    let pair = |(one, other): &(String, String)| {
        let (left, right) = (only(one, other), only(other, one));
        (!left.is_empty() && !right.is_empty()).then(|| format!("{} say “{one}”, {} say “{other}”", left.join(", "), right.join(", ")))
    };
    phrases().opposites.iter().filter_map(pair).collect()
}

/// The questions of the last regular round, each seat's central one first.
fn open_questions(debate: &Debate) -> Vec<String> {
    const MOST: usize = 12;
    let responses = || debate.last_regular().into_iter().flat_map(Round::counted);
    let central = responses().map(|response| response.turn.position.trim());
    let asked = responses().flat_map(|response| &response.audit.sentences).map(|sentence| sentence.text.trim()).filter(|text| text.ends_with('?'));
    let mut found: Vec<String> = Vec::new();
    for text in central.chain(asked) {
        if found.len() < MOST && !found.iter().any(|known| same_statement(known, text)) {
            found.push(text.to_owned());
        }
    }
    found
}

/// The seats outside the largest camp, and those whose blocker is open. Who argues an assigned side dissents by its part, not by its mind.
pub fn dissent(debate: &Debate) -> Vec<Dissent> {
    // Questions that lead different ways are no dissent.
    let Some(last) = debate.last_regular().filter(|_| debate.style.votes) else { return Vec::new() };
    let free = |seat: &usize| debate.is_free(*seat);
    let mut camps: Vec<Vec<usize>> = last.assessment.seats_by_camp().into_iter().map(|(_, seats)| seats.into_iter().filter(free).collect()).collect();
    camps.sort_by_key(|camp| std::cmp::Reverse(camp.len()));
    let leading = camps.into_iter().next().unwrap_or_default();
    let blocking: Vec<usize> = open_blockers(debate).map(|blocker| blocker.seat).collect();
    let apart = last.counted().filter(|response| free(&response.seat)).filter(|said| !leading.contains(&said.seat) || blocking.contains(&said.seat));
    apart
        .map(|response| {
            let vote = response.turn.vote().map(|vote| format!(" ({})", vote_name(vote))).unwrap_or_default();
            let label = Some(debate.names[response.seat].clone());
            Dissent { seat: Some(response.seat as SeatIx), label, text: format!("{}{vote}", response.turn.position) }
        })
        .collect()
}
