//! Why a debate ends.

use super::decision::open_blockers;
use crate::roundtable::rounds::{Debate, Round};
use synod_math::debate::exits::{Consensus, RoundMovement, consensus, movement, plateau};
use synod_types::words;

words! {
    /// Why there was no further round.
    pub enum StopReason {
        Consensus = "consensus",
        Convergence = "convergence",
        RoundCap = "round_cap",
        TooFew = "too_few",
        /// A person said that the panel's view stands.
        Person = "person",
        /// The run was told to conclude.
        Closed = "closed",
    }
}

/// The numbers that decide whether the debate ends.
pub struct ExitNumbers {
    pub consensus: Consensus,
    pub agreement: Option<f64>,
    /// Of the last regular round, and of the one before.
    pub now: RoundMovement,
    pub before: RoundMovement,
}

/// The numbers of the last regular round and of the seats whose votes count: objections never end a debate.
pub fn exit_numbers(debate: &Debate) -> ExitNumbers {
    let last = debate.last_regular();
    let free = || last.into_iter().flat_map(Round::counted).filter(|response| debate.is_free(response.seat));
    let votes: Vec<_> = free().map(|response| response.turn.vote()).collect();
    let confidences: Vec<f64> = free().map(|response| response.turn.confidence).collect();
    let seats = (0..debate.seats()).filter(|seat| debate.is_free(*seat)).count();
    let agreement = last.and_then(|round| round.assessment.agreement());
    let open = open_blockers(debate).count();
    let rounds = &debate.rounds;
    let movement_of = |at: Option<usize>| {
        let earlier = at.and_then(|at| rounds[..at].iter().rposition(Round::is_regular));
        let movement = at.zip(earlier).and_then(|(at, earlier)| movement(&rounds[at].moves(&rounds[earlier])));
        RoundMovement { movement, new_facts: at.map_or(0, |at| rounds[at].new_facts) }
    };
    let now = rounds.iter().rposition(Round::is_regular);
    // A plateau does not reach across a round of objections.
    let before = now.and_then(|at| at.checked_sub(1)).filter(|at| rounds[*at].is_regular());
    // An agreement stands in for votes that are missing, not for votes nobody was asked for.
    let stands_in = agreement.filter(|_| last.is_some_and(|round| round.votes));
    ExitNumbers { consensus: consensus(seats, &votes, open, &confidences, stands_in), agreement, now: movement_of(now), before: movement_of(before) }
}

/// Why the debate ends after this regular round, if it does.
pub fn exit_reason(debate: &Debate, number: u32) -> Option<StopReason> {
    let options = debate.options;
    if options.goes_on_after(number) {
        return None;
    }
    let numbers = exit_numbers(debate);
    // Where sides are assigned nobody ends the debate by a vote: those who attack must attack, and those who defend are not to judge themselves.
    let by_votes = debate.style.votes && !debate.style.assigns_sides();
    if options.exit_on_consensus && by_votes && numbers.consensus.met {
        return Some(StopReason::Consensus);
    }
    if options.exit_on_consensus && plateau(numbers.before, numbers.now) {
        return Some(StopReason::Convergence);
    }
    round_cap(debate, number)
}

/// Ends the debate where the rounds are used up.
pub fn round_cap(debate: &Debate, number: u32) -> Option<StopReason> {
    let options = debate.options;
    (number >= options.limit_at(number) && !options.goes_on_after(number)).then_some(StopReason::RoundCap)
}
