//! The guard against groupthink: when a panel must object to itself, and what comes of it.

use super::decision::{blocked_claim, open_blockers};
use super::exhibits::show_groupthink;
use super::stops::round_cap;
use crate::roundtable::options::Groupthink;
use crate::roundtable::record::Blocker;
use crate::roundtable::rounds::{Debate, Round};
use synod_engine::{Bench, Result};
use synod_math::debate::exits::confidence_shift;
use synod_math::debate::guard::{EarlyConvergence, ObjectionResult, RoundActivity, early_convergence, objection_result, stagnation};
use synod_types::{PersonAnswer, words};

/// One for each kind of groupthink.
pub const MOST_OBJECTIONS: u32 = 2;
pub const ACCEPT: &str = "accept";
const GO_ON: &str = "continue";

words! {
    /// What the guard found wrong.
    pub enum GroupthinkKind { Stagnation = "stagnation", EarlyConvergence = "early_convergence" }
}

/// What the guard measured after a round.
pub struct GuardReport {
    pub trigger: Option<GroupthinkKind>,
    /// An objection round follows.
    pub acts: bool,
    pub activity: RoundActivity,
    pub early: Option<EarlyConvergence>,
    pub sources: usize,
    pub overlap: Option<f64>,
    pub clusters: usize,
}

/// Watches for a panel that agrees too soon or has stopped thinking. Each kind leads to one round of objections at most.
#[derive(Default)]
pub struct GroupthinkGuard {
    acted_on: Vec<GroupthinkKind>,
}

impl GroupthinkGuard {
    /// Measures the regular round just held and shows the numbers; returns what calls for a round of objections now.
    pub fn inspect(&mut self, debate: &Debate, phase: &Bench, closed: bool) -> Result<Option<GroupthinkKind>> {
        let mut report = self.measure(debate);
        // A run that was told to conclude holds no further round.
        report.acts &= !closed;
        show_groupthink(debate, phase, &report)?;
        let kind = report.trigger.filter(|_| report.acts);
        self.acted_on.extend(kind);
        Ok(kind)
    }

    fn measure(&self, debate: &Debate) -> GuardReport {
        let regular: Vec<&Round> = debate.rounds.iter().filter(|round| round.is_regular()).collect();
        let activity = |at: usize| {
            let round = regular[at];
            let n = round.counted().count().max(1) as f64;
            let shift = at.checked_sub(1).and_then(|before| confidence_shift(&round.moves(regular[before])));
            RoundActivity { facts_per_seat: round.new_facts as f64 / n, shift, spread: round.assessment.spread }
        };
        let Some(last) = regular.len().checked_sub(1) else {
            return GuardReport {
                trigger: None,
                acts: false,
                activity: RoundActivity::default(),
                early: None,
                sources: 0,
                overlap: None,
                clusters: 0,
            };
        };
        let (sources, overlap) = (regular[last].sources, regular[last].overlap);
        let views = regular[last].assessment.camp_count();
        let now = activity(last);
        let early = early_convergence(regular[last].number, &regular[last].confidences(), sources, overlap, Some(views));
        let stuck = last > 0 && stagnation(&activity(last - 1), &now);
        let trigger = match (stuck, early.as_ref().is_some_and(|early| early.fires)) {
            (true, _) => Some(GroupthinkKind::Stagnation),
            (false, true) => Some(GroupthinkKind::EarlyConvergence),
            (false, false) => None,
        };
        let acts = debate.options.groupthink == Groupthink::Act && trigger.is_some_and(|kind| !self.acted_on.contains(&kind));
        GuardReport { trigger, acts, activity: now, early, sources, overlap, clusters: views }
    }
}

/// What the round of objections just held changed since the regular round before it.
pub fn result_of_objections(debate: &Debate) -> ObjectionResult {
    let Some((now, before)) = debate.rounds.last().zip(debate.last_regular()) else { return objection_result(0, &[], None, 0.0) };
    let shift = confidence_shift(&now.moves(before));
    objection_result(now.new_facts, &now.confidences(), shift, now.assessment.share_switched(&before.assessment))
}

/// Who blocks, over which claim, and why: what it says against the claim, or where it stands.
fn blocker_in_words(debate: &Debate, blocker: &Blocker) -> String {
    let over = blocked_claim(debate, blocker).map(|claim| format!(" over {claim}")).unwrap_or_default();
    let why = debate.standing(blocker.seat).map(|(said, _)| {
        let disputes = said.turn.challenges.iter().find(|challenge| Some(&challenge.id) == blocker.claim.as_ref()).map(|challenge| &challenge.why);
        disputes.filter(|why| !why.trim().is_empty()).unwrap_or(&said.turn.position).trim()
    });
    format!("{}{over}: {}", debate.display_name(blocker.seat), why.unwrap_or("no reason given"))
}

/// Puts the question to a person; the wait survives a restart. `None`: the run was told to conclude before anybody answered.
pub async fn ask_person(debate: &Debate<'_>, phase: &Bench, kind: GroupthinkKind, result: &ObjectionResult) -> Result<Option<PersonAnswer>> {
    let why = match kind {
        GroupthinkKind::Stagnation => "brought little that was new for two rounds",
        GroupthinkKind::EarlyConvergence => "agreed early and on a thin base",
    };
    let positions: Vec<String> =
        (0..debate.seats()).filter_map(|seat| Some(format!("{}: {}", debate.display_name(seat), debate.standing(seat)?.0.turn.position))).collect();
    let blockers: Vec<String> = open_blockers(debate).map(|blocker| blocker_in_words(debate, blocker)).collect();
    let (blocked, overrules) = match blockers.len() {
        0 => (String::new(), ""),
        1 => (format!("\nOne BLOCKER is open:\n{}", blockers.join("\n")), ", overrule the BLOCKER"),
        n => (format!("\n{n} BLOCKERs are open:\n{}", blockers.join("\n")), ", overrule the BLOCKERs"),
    };
    let sure = result.mean_confidence.map(|mean| format!("{mean:.2}")).unwrap_or_else(|| "unknown".into());
    let further = match debate.last_regular().and_then(|round| round_cap(debate, round.number)) {
        Some(_) => "to end it without: the rounds are used up, and continuing the finished debate adds one",
        None => "for further rounds",
    };
    let question = format!(
        "The panel {why}. Made to object to itself, it found no new fact, stayed as sure as before (mean {sure}) and moved by {:.2}. It may be right, or it may be repeating itself.\n{}{blocked}\nAnswer {ACCEPT} to let its view stand{overrules} and end the debate, or {GO_ON} {further}. A note is kept as a decision.",
        result.belief_change,
        positions.join("\n")
    );
    phase.person("groupthink", question, &[ACCEPT, GO_ON]).await
}
