//! Why a debate ends, and what is done when it is about to end too easily.

use super::debate::{Debate, RoundRecord};
use super::exhibits;
use super::options::Groupthink;
use schemars::JsonSchema;
use serde::Serialize;
use synod_engine::{Bench, Result};
use synod_math::debate::exits::{Consensus, Still, confidence_shift, consensus, movement, plateau};
use synod_math::debate::guard::{Early, Objection, Pulse, early_convergence, objection, stagnation};
use synod_types::PersonAnswer;

/// One for each kind of trigger.
pub const MOST_OBJECTIONS: u32 = 2;
pub const ACCEPT: &str = "accept";
const GO_ON: &str = "continue";

/// Why there was no further round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    Consensus,
    Convergence,
    RoundCap,
    TooFew,
    /// A person said that the panel's view stands.
    Person,
    /// The run was told to conclude.
    Closed,
}

impl Stop {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Consensus => "consensus",
            Self::Convergence => "convergence",
            Self::RoundCap => "round_cap",
            Self::TooFew => "too_few",
            Self::Person => "person",
            Self::Closed => "closed",
        }
    }
}

/// The numbers the end is decided by.
pub struct Numbers {
    pub consensus: Consensus,
    pub agreement: Option<f64>,
    /// Of the last regular round, and of the one before.
    pub now: Still,
    pub before: Still,
}

/// Of the last regular round: what was said in objections to it is no end of anything.
pub fn numbers(debate: &Debate) -> Numbers {
    let last = debate.last_regular();
    let votes: Vec<_> = last.into_iter().flat_map(RoundRecord::counted).map(|response| response.turn.vote()).collect();
    let confidences = last.map(RoundRecord::confidences).unwrap_or_default();
    let agreement = last.and_then(|held| held.reading.agreement());
    let open = debate.state.open_blockers().len();
    let rounds = &debate.rounds;
    let still = |at: Option<usize>| {
        let earlier = at.and_then(|at| rounds[..at].iter().rposition(|held| !held.objection));
        let moved = at.zip(earlier).and_then(|(at, earlier)| movement(&rounds[at].moves(&rounds[earlier])));
        Still { movement: moved, new_facts: at.map_or(0, |at| rounds[at].new_facts) }
    };
    let now = rounds.iter().rposition(|held| !held.objection);
    // Objections between two rounds part them: what was still before says nothing of what came after.
    let before = now.and_then(|at| at.checked_sub(1)).filter(|at| !rounds[*at].objection);
    // An agreement stands in for votes that are missing, not for votes nobody was asked for.
    let stands_in = agreement.filter(|_| last.is_some_and(|held| held.votes));
    Numbers { consensus: consensus(debate.seats(), &votes, open, &confidences, stands_in), agreement, now: still(now), before: still(before) }
}

/// Whether the debate ends after this regular round.
pub fn exit(debate: &Debate, number: u32) -> Option<Stop> {
    let options = debate.options;
    if options.goes_on_after(number) {
        return None;
    }
    let numbers = numbers(debate);
    if options.exit_on_consensus && debate.style.votes && numbers.consensus.met {
        return Some(Stop::Consensus);
    }
    if options.exit_on_consensus && plateau(numbers.before, numbers.now) {
        return Some(Stop::Convergence);
    }
    cap(debate, number)
}

/// Whether the rounds are used up.
pub fn cap(debate: &Debate, number: u32) -> Option<Stop> {
    let options = debate.options;
    (number >= options.limit_at(number) && !options.goes_on_after(number)).then_some(Stop::RoundCap)
}

/// What made the guard look up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Stagnation,
    EarlyConvergence,
}

impl Kind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stagnation => "stagnation",
            Self::EarlyConvergence => "early_convergence",
        }
    }
}

/// What the guard measured after a round.
pub struct Look {
    pub trigger: Option<Kind>,
    /// An objection round follows.
    pub acts: bool,
    pub pulse: Pulse,
    pub early: Option<Early>,
    pub sources: usize,
    pub overlap: Option<f64>,
    pub clusters: usize,
}

/// Watches for a panel that agrees too soon or has stopped thinking. Each kind of trigger makes it object once.
#[derive(Default)]
pub struct Guard {
    used: Vec<Kind>,
}

impl Guard {
    /// Looks at the regular round just held; the kind of trigger that calls for objections now.
    pub fn look(&mut self, debate: &Debate, stage: &Bench, closed: bool) -> Result<Option<Kind>> {
        let mut look = self.measure(debate);
        // Whoever is told to conclude holds no further round.
        look.acts &= !closed;
        exhibits::groupthink(debate, stage, &look)?;
        let kind = look.trigger.filter(|_| look.acts);
        self.used.extend(kind);
        Ok(kind)
    }

    fn measure(&self, debate: &Debate) -> Look {
        let regular: Vec<&RoundRecord> = debate.rounds.iter().filter(|held| !held.objection).collect();
        let pulse = |at: usize| {
            let round = regular[at];
            let n = round.counted().count().max(1) as f64;
            let shift = at.checked_sub(1).and_then(|before| confidence_shift(&round.moves(regular[before])));
            Pulse { facts_per_seat: round.new_facts as f64 / n, shift, sigma: round.reading.sigma }
        };
        let Some(last) = regular.len().checked_sub(1) else {
            return Look { trigger: None, acts: false, pulse: Pulse::default(), early: None, sources: 0, overlap: None, clusters: 0 };
        };
        let (sources, overlap) = (regular[last].sources, regular[last].overlap);
        let views = regular[last].reading.clusters();
        let now = pulse(last);
        let early = early_convergence(regular[last].number, &regular[last].confidences(), sources, overlap, Some(views));
        let stuck = last > 0 && stagnation(&pulse(last - 1), &now);
        let trigger = match (stuck, early.as_ref().is_some_and(|early| early.fires)) {
            (true, _) => Some(Kind::Stagnation),
            (false, true) => Some(Kind::EarlyConvergence),
            (false, false) => None,
        };
        let acts = debate.options.groupthink == Groupthink::Act && trigger.is_some_and(|kind| !self.used.contains(&kind));
        Look { trigger, acts, pulse: now, early, sources, overlap, clusters: views }
    }
}

/// What the objection round just held came to, beside the regular round before it.
pub fn objected(debate: &Debate) -> Objection {
    let Some((now, before)) = debate.rounds.last().zip(debate.last_regular()) else { return objection(0, &[], None, 0.0) };
    let shift = confidence_shift(&now.moves(before));
    objection(now.new_facts, &now.confidences(), shift, now.reading.switched(&before.reading))
}

/// Waits, durably, for a person. `None`: the run was told to conclude before anybody answered.
pub async fn ask_person(debate: &Debate<'_>, stage: &Bench, kind: Kind, result: &Objection) -> Result<Option<PersonAnswer>> {
    let why = match kind {
        Kind::Stagnation => "brought little that was new for two rounds",
        Kind::EarlyConvergence => "agreed early and on a thin base",
    };
    let positions: Vec<String> = debate
        .rounds
        .last()
        .into_iter()
        .flat_map(RoundRecord::counted)
        .map(|response| format!("{}: {}", debate.who(response.seat), response.turn.position))
        .collect();
    let sure = result.mean_confidence.map(|mean| format!("{mean:.2}")).unwrap_or_else(|| "unknown".into());
    let further = match debate.last_regular().and_then(|held| cap(debate, held.number)) {
        Some(_) => "to end it without: the rounds are used up, and `synod resume --continue` adds one",
        None => "for further rounds",
    };
    let question = format!(
        "The panel {why}. Made to object to itself, it found no new fact, stayed as sure as before (mean {sure}) and moved by {:.2}. It may be right, or it may be repeating itself.\n{}\nAnswer {ACCEPT} to let its view stand and end the debate, or {GO_ON} {further}. A note is kept as a decision.",
        result.belief_change,
        positions.join("\n")
    );
    stage.person("groupthink", question, &[ACCEPT, GO_ON]).await
}
