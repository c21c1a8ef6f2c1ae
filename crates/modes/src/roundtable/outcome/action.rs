//! What to do with what a debate came to. The rule sees votes, risks, camps, agreement and rulings, and nothing of how anything was said:
//! `proceed` only where nothing stands against it, and whatever does is listed with who and why.

use crate::roundtable::style::Style;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_math::debate::exits::{AGREEMENT_FOR_MISSING_VOTES, Vote};
use synod_math::debate::outcome::{AdvisedAction, AgreementLevel, advise, agreement_level, confidences_conflict};
use synod_math::debate::{EPSILON, mean};
use synod_types::words;

/// What stands against acting on the result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Conflict {
    pub kind: ConflictKind,
    /// Who stands there; empty where it concerns all.
    pub seats: Vec<String>,
    /// In a sentence without its full stop.
    pub why: String,
}

words! {
    pub enum ConflictKind {
        /// A BLOCKER vote that nobody resolved.
        Blocker = "blocker",
        /// A risk that nobody answered.
        Risk = "risk",
        /// No risk was raised where risks decide: nothing was tested.
        Unattacked = "unattacked",
        /// Too few accept the proposal.
        Votes = "votes",
        /// How far the seats agree was not measured, or is not enough.
        Agreement = "agreement",
        /// No camp has a majority.
        Camps = "camps",
        /// A named disagreement between camps, or of a seat that wants changes.
        Disagreement = "disagreement",
        /// The seats are sure by very different measures.
        Confidence = "confidence",
        /// The ruling is against it, even, split or missing.
        Ruling = "ruling",
        /// Nobody could read the round, and positions use opposite words.
        Words = "words",
    }
}

/// A ruling on which side argued better.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SeatRuling {
    pub seat: String,
    /// FOR, AGAINST or EVEN.
    pub side: String,
    pub why: String,
}

/// What the rulings come to, in words.
pub fn better_argued(side: &str) -> &'static str {
    match side {
        "FOR" => "the case for it was argued better",
        "AGAINST" => "the case against it was argued better",
        "EVEN" => "both cases were argued equally well",
        _ => "those who weighed both cases do not agree which was argued better",
    }
}

/// What decides in a style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecidedBy {
    /// Votes, camps and agreement of all seats.
    Votes,
    /// Who weighs both sides. Votes of assigned sides say nothing.
    Ruling,
    /// Whether risks were raised and every one has an answer. Votes of those who must attack say nothing.
    Risks,
    /// Nothing is decided: the open questions are the result.
    Questions,
}

impl DecidedBy {
    pub fn of(style: &Style) -> Self {
        match (style.votes, style.has_ruling(), style.assigns_sides()) {
            (false, ..) => Self::Questions,
            (true, true, _) => Self::Ruling,
            (true, false, true) => Self::Risks,
            (true, false, false) => Self::Votes,
        }
    }
}

/// What the rule looks at. Seats are those whose votes count.
#[derive(Clone, Debug)]
pub struct TableState {
    pub by: DecidedBy,
    /// Every seat of the run, with its vote in the last round.
    pub votes: Vec<(String, Option<Vote>)>,
    /// A vote was asked for.
    pub voted: bool,
    /// A person let the panel's view stand, and its blockers with it.
    pub resolved: bool,
    /// Who voted BLOCKER and was overruled by a person: such a vote neither accepts nor counts against.
    pub overruled: Vec<String>,
    /// Who holds a BLOCKER, and over which claim.
    pub blockers: Vec<(String, Option<String>)>,
    /// Whether anybody raised a risk.
    pub attacked: bool,
    pub risks: Vec<OpenRisk>,
    pub agreement: Option<f64>,
    /// The largest first.
    pub camps: Vec<Vec<String>>,
    /// Points that the analysis names, with the seats it names.
    pub disagreements: Vec<(String, Vec<String>)>,
    pub confidences: Vec<(String, f64)>,
    pub rulings: Vec<SeatRuling>,
    /// Positions that contradict each other by their words, where nobody could read them.
    pub opposites: Vec<String>,
}

/// A risk that nobody answered.
#[derive(Clone, Debug)]
pub struct OpenRisk {
    pub by: String,
    /// Its id and text.
    pub text: String,
    /// Who was asked for an answer and said that it stands.
    pub stands: Vec<String>,
}

fn listed(seats: &[String]) -> String {
    seats.join(", ")
}

impl TableState {
    /// FOR, AGAINST, EVEN or SPLIT; `None` where nobody ruled.
    pub fn ruling(&self) -> Option<&str> {
        let count = |side: &str| self.rulings.iter().filter(|ruling| ruling.side == side).count();
        let most = ["FOR", "AGAINST", "EVEN"].into_iter().max_by_key(|side| count(side))?;
        match self.rulings.len() {
            0 => None,
            n if 2 * count(most) > n => Some(most),
            _ => Some("SPLIT"),
        }
    }

    /// `proceed`, `verify` or `query_detail`.
    pub fn action(&self) -> &'static str {
        let conflicts = self.conflicts();
        let confidences: Vec<f64> = self.confidences.iter().map(|(_, value)| *value).collect();
        let mean = mean(&confidences).unwrap_or(0.0);
        let advised = match self.by {
            DecidedBy::Questions => AdvisedAction::QueryDetail,
            // How far assigned sides agree says nothing, so it is not asked.
            DecidedBy::Ruling | DecidedBy::Risks => advise(mean, Some(1.0), conflicts.len()),
            DecidedBy::Votes => advise(mean, self.agreement, conflicts.iter().filter(|one| one.kind != ConflictKind::Agreement).count()),
        };
        advised.as_str()
    }

    /// Everything that stands against acting on it.
    pub fn conflicts(&self) -> Vec<Conflict> {
        let conflict = |kind: ConflictKind, seats: &[String], why: String| Conflict { kind, seats: seats.to_vec(), why };
        let mut found: Vec<Conflict> = Vec::new();
        for (seat, claim) in &self.blockers {
            let over = claim.as_ref().map(|claim| format!(" over {claim}")).unwrap_or_default();
            let why = format!("{seat} voted BLOCKER{over} and has not taken it back");
            found.push(conflict(ConflictKind::Blocker, std::slice::from_ref(seat), why));
        }
        for risk in &self.risks {
            let (by, text) = (&risk.by, risk.text.trim_end_matches('.'));
            let why = match risk.stands.as_slice() {
                [] => format!("nobody answered {text}, which {by} raised"),
                [one] => format!("{text}, which {by} raised, stands: {one} has no answer to it"),
                several => format!("{text}, which {by} raised, stands: {} have no answer to it", listed(several)),
            };
            found.push(conflict(ConflictKind::Risk, std::slice::from_ref(by), why));
        }
        match self.by {
            DecidedBy::Questions => {}
            DecidedBy::Ruling => found.extend(self.ruling_conflict()),
            DecidedBy::Risks => {
                let unattacked = "nobody attacked it: no risk was raised, so that none is open says nothing".to_owned();
                found.extend((!self.attacked).then(|| conflict(ConflictKind::Unattacked, &[], unattacked)));
                found.extend(self.camps_conflict().into_iter().chain(self.disagreement_conflicts()));
            }
            DecidedBy::Votes => {
                found.extend(self.votes_conflict());
                found.extend(self.agreement_conflict());
                found.extend(self.camps_conflict());
                found.extend(self.disagreement_conflicts());
                found.extend(self.confidence_conflict());
                found.extend(self.opposites.iter().map(|why| conflict(ConflictKind::Words, &[], why.clone())));
            }
        }
        found
    }

    fn votes_conflict(&self) -> Option<Conflict> {
        if self.resolved {
            return None;
        }
        let standing = self.votes.iter().filter(|(seat, _)| !self.overruled.contains(seat));
        let (accept, rest): (Vec<_>, Vec<_>) = standing.partition(|(_, vote)| matches!(vote, Some(Vote::Accept | Vote::Minor)));
        let n = accept.len() + rest.len();
        let against = rest.iter().any(|(_, vote)| *vote == Some(Vote::Blocker));
        let stands_in = self.voted && !against && self.agreement.is_some_and(|agreement| agreement >= AGREEMENT_FOR_MISSING_VOTES - EPSILON);
        if 2 * accept.len() > n || n == 0 || stands_in {
            return None;
        }
        let why = if self.voted {
            format!("{} of {n} seats accept the proposal, which is no majority", accept.len())
        } else {
            "nobody was asked to vote: votes begin with the second round, when there is a proposal".to_owned()
        };
        Some(Conflict { kind: ConflictKind::Votes, seats: rest.into_iter().map(|(seat, _)| seat.clone()).collect(), why })
    }

    fn agreement_conflict(&self) -> Option<Conflict> {
        let why = match self.agreement {
            Some(agreement) if agreement_level(agreement) == AgreementLevel::High => return None,
            Some(agreement) => format!("the seats agree by {agreement:.2} as the last round was read, and 0.70 would do"),
            None => "nobody could measure how far the seats agree".to_owned(),
        };
        Some(Conflict { kind: ConflictKind::Agreement, seats: Vec::new(), why })
    }

    fn camps_conflict(&self) -> Option<Conflict> {
        let largest = self.camps.first().map_or(0, Vec::len);
        if 2 * largest > self.votes.len() {
            return None;
        }
        let camps: Vec<String> = self.camps.iter().map(|camp| listed(camp)).collect();
        let why = format!("no camp holds a majority of the {} seats: {}", self.votes.len(), camps.join(" | "));
        Some(Conflict { kind: ConflictKind::Camps, seats: self.camps.concat(), why })
    }

    fn disagreement_conflicts(&self) -> Vec<Conflict> {
        let camp = |seat: &String| self.camps.iter().position(|camp| camp.contains(seat));
        let wants = |seat: &String| {
            let vote = self.votes.iter().find(|(name, _)| name == seat).and_then(|(_, vote)| *vote);
            match vote.filter(|_| !self.overruled.contains(seat)) {
                Some(Vote::Minor) => Some(format!("{seat} voted MINOR")),
                Some(Vote::Blocker) => Some(format!("{seat} voted BLOCKER")),
                Some(Vote::Accept) | None => None,
            }
        };
        self.disagreements
            .iter()
            .filter_map(|(point, seats)| {
                let seats: Vec<String> = seats.iter().filter(|seat| self.votes.iter().any(|(name, _)| name == *seat)).cloned().collect();
                // Between assigned sides there is nothing to agree on: it takes two seats that are free.
                if seats.is_empty() || (self.by == DecidedBy::Risks && seats.len() < 2) {
                    return None;
                }
                let apart = seats.iter().any(|seat| camp(seat) != camp(&seats[0]));
                let wanting: Vec<String> = seats.iter().filter_map(wants).collect();
                let how = match (apart, wanting.is_empty()) {
                    (false, true) => return None,
                    (true, true) => "in different camps".to_owned(),
                    (true, false) => format!("in different camps; {}", wanting.join(", ")),
                    (false, false) => wanting.join(", "),
                };
                let point = point.trim().trim_end_matches('.');
                let why = match seats.as_slice() {
                    [one] => format!("{one} does not agree on “{point}” ({how})"),
                    _ => format!("{} do not agree on “{point}” ({how})", listed(&seats)),
                };
                Some(Conflict { kind: ConflictKind::Disagreement, seats, why })
            })
            .collect()
    }

    fn confidence_conflict(&self) -> Option<Conflict> {
        let values: Vec<f64> = self.confidences.iter().map(|(_, value)| *value).collect();
        confidences_conflict(&values).then(|| {
            let each: Vec<String> = self.confidences.iter().map(|(seat, value)| format!("{seat} {value:.2}")).collect();
            let seats = self.confidences.iter().map(|(seat, _)| seat.clone()).collect();
            Conflict { kind: ConflictKind::Confidence, seats, why: format!("the seats are sure by very different measures: {}", each.join(", ")) }
        })
    }

    fn ruling_conflict(&self) -> Option<Conflict> {
        let each: Vec<String> = self.rulings.iter().map(|ruling| format!("{} rules {}", ruling.seat, ruling.side)).collect();
        let each = each.join(", ");
        let why = match self.ruling() {
            Some("FOR") => return None,
            Some(side) => format!("{}: {each}", better_argued(side)),
            None => "nobody ruled which case was argued better".to_owned(),
        };
        Some(Conflict { kind: ConflictKind::Ruling, seats: self.rulings.iter().map(|ruling| ruling.seat.clone()).collect(), why })
    }
}

#[cfg(test)]
#[path = "action_tests.rs"]
mod tests;
