//! A contest under way: its rounds of matches, all pairs of a round at once, who may judge which, and who failed too often to be asked again.

use super::judging::{MatchEnding, MatchRuling, judge_match};
use crate::labelled::LabelledAnswer;
use synod_engine::{Bench, Result};
use synod_types::SeatIx;

/// Two entrants, the higher seed first; `None`: a bye.
pub type Pair = (usize, Option<usize>);

/// The entrants, and what is known of their judges so far.
pub struct Contest<'a> {
    bench: &'a Bench,
    criteria: &'a [String],
    /// In seeded order.
    pub entrants: &'a [LabelledAnswer],
    /// Judges that failed in both orders of some match. They are not asked again: each would cost every later round its time limit.
    silent: Vec<SeatIx>,
    /// The run is closing: nothing more is asked.
    pub closing: bool,
}

/// A match and how it ended.
pub struct MatchResult {
    pub round: u32,
    pub index: usize,
    pub a: usize,
    pub b: Option<usize>,
    /// Who goes on, or won: `None` where nobody did.
    pub winner: Option<usize>,
    pub how: MatchEnding,
    /// `None` for a bye.
    pub ruling: Option<MatchRuling>,
}

impl MatchResult {
    pub fn involves(&self, entrant: usize) -> bool {
        self.a == entrant || self.b == Some(entrant)
    }
    /// Whom an entrant of this match met.
    pub fn opponent(&self, entrant: usize) -> Option<usize> {
        if self.a == entrant { self.b } else { Some(self.a) }
    }
}

impl<'a> Contest<'a> {
    pub fn new(bench: &'a Bench, criteria: &'a [String], entrants: &'a [LabelledAnswer]) -> Self {
        Self { bench, criteria, entrants, silent: Vec::new(), closing: false }
    }

    /// Plays a round. `beaten` are the entrants beaten in earlier ones. Only whom the judges named is a winner: nobody wins by lot here.
    pub async fn play_round(&mut self, round: u32, pairs: &[Pair], beaten: &[usize]) -> Result<Vec<MatchResult>> {
        let phase = self.bench.round("round", round);
        let contest = &*self;
        let strands = pairs.iter().enumerate().map(|(index, pair)| (format!("match {index}"), (index, *pair)));
        let results = phase
            .all(strands, |bench, (index, (a, b))| async move {
                let Some(other) = b else {
                    return Ok(MatchResult { round, index, a, b, winner: Some(a), how: MatchEnding::Bye, ruling: None });
                };
                let (judges, replaced) = contest.judges(index, [a, other], beaten);
                let ruling = judge_match(&bench, contest.criteria, [&contest.entrants[a], &contest.entrants[other]], &judges, replaced).await?;
                let winner = ruling.winner.as_ref().and_then(|label| [a, other].into_iter().find(|item| contest.entrants[*item].label == *label));
                Ok(MatchResult { round, index, a, b, winner, how: ruling.how, ruling: Some(ruling) })
            })
            .await?;
        self.note_failures(&phase, round, &results);
        Ok(results)
    }

    /// Who may judge a match: the judge, then whoever wrote neither answer, those already beaten first. Each match begins at another of them so
    /// that the work is spread. The flag says whether another seat stands in for the judge from the start.
    fn judges(&self, index: usize, pair: [usize; 2], beaten: &[usize]) -> (Vec<SeatIx>, bool) {
        if self.closing {
            return (Vec::new(), false);
        }
        let rotated = |mut group: Vec<usize>| {
            group.retain(|entrant| !pair.contains(entrant));
            let by = if group.is_empty() { 0 } else { index % group.len() };
            group.rotate_left(by);
            group
        };
        let others = rotated((0..self.entrants.len()).filter(|entrant| !beaten.contains(entrant)).collect());
        let beaten = rotated(beaten.to_vec());
        let first = self.bench.role("judge").iter().copied();
        let judges = first.chain(beaten.into_iter().chain(others).map(|entrant| self.entrants[entrant].seat));
        let judges: Vec<SeatIx> = judges.filter(|seat| !self.silent.contains(seat)).collect();
        let replaced = judges.first().is_some_and(|seat| !self.bench.role("judge").contains(seat));
        (judges, replaced)
    }

    /// Warns of judges that failed and of who took over. Only after the whole round, so that the warnings do not depend on who was faster.
    fn note_failures(&mut self, phase: &Bench, round: u32, results: &[MatchResult]) {
        let name = |seat: SeatIx| phase.seat(seat).label.as_str();
        for result in results {
            let Some(ruling) = &result.ruling else { continue };
            self.closing |= ruling.closed();
            let failed: Vec<&str> = ruling.judgements.iter().filter(|judgement| judgement.failed()).map(|judgement| name(judgement.seat)).collect();
            let last = ruling.judgements.last().filter(|judgement| !judgement.failed());
            if let (Some(last), false) = (last, failed.is_empty()) {
                phase.warn(format!("{} failed in round {round}, match {}; {} took over.", failed.join(", "), result.index, name(last.seat)));
            }
        }
        let judgements = results.iter().filter_map(|result| result.ruling.as_ref()).flat_map(|ruling| &ruling.judgements);
        let silent = judgements.filter(|judgement| judgement.failed_in_both());
        for seat in silent.map(|judgement| judgement.seat) {
            if !self.silent.contains(&seat) && !self.closing {
                phase.warn(format!("{} failed in round {round} in both orders of a match and is not asked to judge again.", name(seat)));
                self.silent.push(seat);
            }
        }
    }
}
