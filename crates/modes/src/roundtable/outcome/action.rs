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
    /// Whether every risk has an answer. Votes of those who must attack say nothing.
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
    /// Who holds a BLOCKER, and over which claim.
    pub blockers: Vec<(String, Option<String>)>,
    /// Unanswered ones, with who raised them.
    pub risks: Vec<(String, String)>,
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
        match advised {
            AdvisedAction::Proceed => "proceed",
            AdvisedAction::Verify => "verify",
            AdvisedAction::QueryDetail => "query_detail",
        }
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
        for (seat, risk) in &self.risks {
            found.push(conflict(
                ConflictKind::Risk,
                std::slice::from_ref(seat),
                format!("nobody answered {}, which {seat} raised", risk.trim_end_matches('.')),
            ));
        }
        match self.by {
            DecidedBy::Questions => {}
            DecidedBy::Ruling => found.extend(self.ruling_conflict()),
            DecidedBy::Risks => found.extend(self.camps_conflict().into_iter().chain(self.disagreement_conflicts())),
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
        let n = self.votes.len();
        let (accept, rest): (Vec<_>, Vec<_>) = self.votes.iter().partition(|(_, vote)| matches!(vote, Some(Vote::Accept | Vote::Minor)));
        let against = rest.iter().any(|(_, vote)| *vote == Some(Vote::Blocker));
        let stands_in = self.voted && !against && self.agreement.is_some_and(|agreement| agreement >= AGREEMENT_FOR_MISSING_VOTES - EPSILON);
        if 2 * accept.len() > n || stands_in {
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
            match vote {
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
            Some(side) => format!("{} ({each})", better_argued(side)),
            None => "nobody ruled which case was argued better".to_owned(),
        };
        Some(Conflict { kind: ConflictKind::Ruling, seats: self.rulings.iter().map(|ruling| ruling.seat.clone()).collect(), why })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Vote::{Accept, Blocker, Minor};

    fn names(seats: &[&str]) -> Vec<String> {
        seats.iter().map(|seat| (*seat).to_owned()).collect()
    }

    /// Three seats that agree in everything.
    fn agreed() -> TableState {
        let seats = names(&["S1", "S2", "S3"]);
        TableState {
            by: DecidedBy::Votes,
            votes: seats.iter().map(|seat| (seat.clone(), Some(Accept))).collect(),
            voted: true,
            resolved: false,
            blockers: Vec::new(),
            risks: Vec::new(),
            agreement: Some(0.8),
            camps: vec![seats.clone()],
            disagreements: Vec::new(),
            confidences: seats.iter().map(|seat| (seat.clone(), 0.8)).collect(),
            rulings: Vec::new(),
            opposites: Vec::new(),
        }
    }

    fn with_votes(state: &TableState, votes: [Option<Vote>; 3]) -> TableState {
        let votes: Vec<(String, Option<Vote>)> = state.votes.iter().map(|(seat, _)| seat.clone()).zip(votes).collect();
        let blockers = votes.iter().filter(|(_, vote)| *vote == Some(Blocker)).map(|(seat, _)| (seat.clone(), None)).collect();
        TableState { votes, blockers, ..state.clone() }
    }

    fn kinds(state: &TableState) -> Vec<&'static str> {
        state.conflicts().iter().map(|conflict| conflict.kind.as_str()).collect()
    }

    #[test]
    fn proceed_needs_votes_risks_camps_and_agreement() {
        let (a, m, b) = (Some(Accept), Some(Minor), Some(Blocker));
        // votes, whether they allow it
        let votes = [([a, a, a], true), ([a, m, m], true), ([a, a, None], true), ([a, None, None], false), ([a, a, b], false), ([m, b, b], false)];
        let camps: [(&[&[&str]], bool); 3] =
            [(&[&["S1", "S2", "S3"]], true), (&[&["S1", "S2"], &["S3"]], true), (&[&["S1"], &["S2"], &["S3"]], false)];
        let (mut proceeded, mut tried) = (0, 0);
        for (cast, by_votes) in votes {
            for risks in [0, 1, 3] {
                for (camps, by_camps) in camps {
                    for (agreement, by_agreement) in [(None, false), (Some(0.39), false), (Some(0.69), false), (Some(0.7), true), (Some(0.88), true)]
                    {
                        let mut state = with_votes(&agreed(), cast);
                        state.risks = (0..risks).map(|n| ("S1".to_owned(), format!("R{n} it fails"))).collect();
                        state.camps = camps.iter().map(|camp| names(camp)).collect();
                        state.agreement = agreement;
                        let (action, conflicts) = (state.action(), state.conflicts());
                        let allowed = by_votes && by_camps && by_agreement && risks == 0;
                        let case = format!("{cast:?}, {risks} risks, {camps:?}, {agreement:?}: {action}, {conflicts:?}");
                        assert_eq!(action == "proceed", allowed, "{case}");
                        assert_eq!(conflicts.is_empty(), allowed, "{case}");
                        let blocked = conflicts.iter().filter(|one| one.kind == ConflictKind::Blocker).count();
                        assert_eq!(blocked, cast.iter().filter(|vote| **vote == b).count(), "{case}");
                        assert_eq!(conflicts.iter().filter(|one| one.kind == ConflictKind::Risk).count(), risks, "{case}");
                        assert!(
                            conflicts.iter().all(|one| !one.why.is_empty() && (one.kind == ConflictKind::Agreement || !one.seats.is_empty())),
                            "{case}"
                        );
                        proceeded += u32::from(allowed);
                        tried += 1;
                    }
                }
            }
        }
        assert_eq!((tried, proceeded), (6 * 3 * 3 * 5, 3 * 2 * 2));
    }

    #[test]
    fn a_disagreement_stands_against_it_between_camps_and_with_whoever_wants_changes() {
        let (a, m, b) = (Some(Accept), Some(Minor), Some(Blocker));
        let split: Vec<Vec<String>> = vec![names(&["S1", "S2"]), names(&["S3"])];
        let one = vec![names(&["S1", "S2", "S3"])];
        // seats named, camps, votes, whether it counts
        type Case<'a> = (&'a [&'a str], &'a [Vec<String>], [Option<Vote>; 3], bool);
        let table: [Case; 8] = [
            (&["S1", "S2"], &split, [a, a, a], false),
            (&["S1", "S3"], &split, [a, a, a], true),
            (&["S1", "S3"], &one, [a, a, a], false),
            (&["S1", "S2"], &one, [a, m, a], true),
            (&["S1", "S2"], &one, [a, a, m], false),
            (&["S1", "S2"], &one, [a, b, a], true),
            (&[], &split, [a, a, m], false),
            (&["S9"], &split, [a, a, m], false),
        ];
        for (seats, camps, votes, counts) in table {
            let state = TableState { camps: camps.to_vec(), disagreements: vec![("who pays.".into(), names(seats))], ..with_votes(&agreed(), votes) };
            let found = state.conflicts().into_iter().filter(|one| one.kind == ConflictKind::Disagreement).collect::<Vec<_>>();
            assert_eq!(!found.is_empty(), counts, "{seats:?} {votes:?}: {found:?}");
            assert!(found.iter().all(|one| one.why.contains("“who pays”") && one.seats == names(seats)), "{found:?}");
            assert!(!counts || state.action() != "proceed");
        }
    }

    #[test]
    fn votes_that_nobody_cast_accept_nothing() {
        let silent = with_votes(&agreed(), [None; 3]);
        assert_eq!((silent.action(), kinds(&silent)), ("verify", vec!["votes"]));
        assert_eq!(
            TableState { agreement: Some(0.9), ..silent.clone() }.action(),
            "proceed",
            "an agreement this high stands in for votes that are missing"
        );
        let unasked = TableState { agreement: Some(0.95), voted: false, ..silent };
        assert!(unasked.action() == "verify" && unasked.conflicts()[0].why.contains("nobody was asked to vote"), "{:?}", unasked.conflicts());
        let person = TableState { resolved: true, blockers: Vec::new(), ..with_votes(&agreed(), [Some(Blocker); 3]) };
        assert_eq!(person.action(), "proceed", "a person resolved them");
    }

    #[test]
    fn where_sides_are_assigned_the_ruling_or_the_risks_decide() {
        let rules = |sides: &[&str]| TableState {
            by: DecidedBy::Ruling,
            votes: vec![("S3".into(), Some(Accept))],
            agreement: Some(0.1),
            camps: vec![names(&["S3"])],
            rulings: sides.iter().map(|side| SeatRuling { seat: "S3".into(), side: (*side).into(), why: "figures".into() }).collect(),
            ..agreed()
        };
        // rulings, what they come to, action
        let table: [(&[&str], Option<&str>, &str); 7] = [
            (&["FOR"], Some("FOR"), "proceed"),
            (&["AGAINST"], Some("AGAINST"), "verify"),
            (&["EVEN"], Some("EVEN"), "verify"),
            (&["FOR", "AGAINST"], Some("SPLIT"), "verify"),
            (&["FOR", "FOR", "EVEN"], Some("FOR"), "proceed"),
            (&["FOR", "AGAINST", "EVEN"], Some("SPLIT"), "verify"),
            (&[], None, "verify"),
        ];
        for (sides, ruling, action) in table {
            assert_eq!((rules(sides).ruling(), rules(sides).action()), (ruling, action), "{sides:?}");
        }
        let blocked = TableState { blockers: vec![("S3".into(), Some("C1 “x”".into()))], ..rules(&["FOR"]) };
        assert_eq!((blocked.action(), kinds(&blocked)), ("verify", vec!["blocker"]));
        let teams = TableState { by: DecidedBy::Risks, agreement: None, ..agreed() };
        assert_eq!(teams.action(), "proceed");
        let said = |seats: &[&str]| vec![("who pays".to_owned(), names(seats))];
        let alone = TableState { disagreements: said(&["S1"]), ..with_votes(&teams, [Some(Minor), Some(Accept), Some(Accept)]) };
        assert_eq!(alone.action(), "proceed", "the other side of it was assigned");
        assert_eq!(kinds(&TableState { disagreements: said(&["S1", "S2"]), ..alone }), ["disagreement"]);
        let open = TableState { risks: vec![("S1".into(), "R1 it fails".into())], ..teams };
        assert_eq!((open.action(), kinds(&open)), ("verify", vec!["risk"]));
        assert_eq!(TableState { by: DecidedBy::Questions, ..agreed() }.action(), "query_detail");
    }
}
