//! A round of matches before their judges: who may judge which, all pairs side by side, and who failed too often to be asked again.

use super::judging::{How, Judged, judge};
use crate::labelled::Labelled;
use synod_engine::{Bench, Result};
use synod_types::SeatIx;

/// Two entrants, the higher seed first; `None`: a bye.
pub type Pair = (usize, Option<usize>);

pub struct Court<'a> {
    bench: &'a Bench,
    criteria: &'a [String],
    /// In seeded order.
    pub entrants: &'a [Labelled],
    /// Judges without a word in either order of some match. A dead judge would cost every later round its time limit.
    mute: Vec<SeatIx>,
    /// The run is closing: nothing more is asked.
    pub closing: bool,
}

/// A match as it was played.
pub struct Played {
    pub round: u32,
    pub index: usize,
    pub a: usize,
    pub b: Option<usize>,
    /// Who goes on, or won: `None` for a match of a round robin that nobody won.
    pub winner: Option<usize>,
    pub how: How,
    /// `None` for a bye.
    pub judged: Option<Judged>,
}

impl Played {
    pub fn has(&self, entrant: usize) -> bool {
        self.a == entrant || self.b == Some(entrant)
    }
    /// Whom an entrant of this match met.
    pub fn opponent(&self, entrant: usize) -> Option<usize> {
        if self.a == entrant { self.b } else { Some(self.a) }
    }
}

impl<'a> Court<'a> {
    pub fn new(bench: &'a Bench, criteria: &'a [String], entrants: &'a [Labelled]) -> Self {
        Self { bench, criteria, entrants, mute: Vec::new(), closing: false }
    }

    /// Plays a round. `out` are the entrants beaten in earlier ones. A winner is whom the judges named, and nobody else.
    pub async fn hear(&mut self, round: u32, pairs: &[Pair], out: &[usize]) -> Result<Vec<Played>> {
        let stage = self.bench.round("round", round);
        let court = &*self;
        let strands = pairs.iter().enumerate().map(|(index, pair)| (format!("match {index}"), (index, *pair)));
        let played = stage
            .all(strands, |bench, (index, (a, b))| async move {
                let Some(other) = b else {
                    return Ok(Played { round, index, a, b, winner: Some(a), how: How::Bye, judged: None });
                };
                let (judges, replaced) = court.judges(index, [a, other], out);
                let judged = judge(&bench, court.criteria, [&court.entrants[a], &court.entrants[other]], &judges, replaced).await?;
                let winner = judged.winner.as_ref().and_then(|label| [a, other].into_iter().find(|item| court.entrants[*item].label == *label));
                Ok(Played { round, index, a, b, winner, how: judged.how, judged: Some(judged) })
            })
            .await?;
        self.note_failures(&stage, round, &played);
        Ok(played)
    }

    /// The judge, then whoever wrote neither answer of this match: those already beaten first, in an order of each match's own so that the
    /// work is spread. Also says whether the judge itself is out.
    fn judges(&self, index: usize, pair: [usize; 2], out: &[usize]) -> (Vec<SeatIx>, bool) {
        if self.closing {
            return (Vec::new(), false);
        }
        let turned = |mut group: Vec<usize>| {
            group.retain(|entrant| !pair.contains(entrant));
            let by = if group.is_empty() { 0 } else { index % group.len() };
            group.rotate_left(by);
            group
        };
        let beaten = turned(out.to_vec());
        let others = turned((0..self.entrants.len()).filter(|entrant| !out.contains(entrant)).collect());
        let first = self.bench.role("judge").iter().copied();
        let judges = first.chain(beaten.into_iter().chain(others).map(|entrant| self.entrants[entrant].seat));
        let judges: Vec<SeatIx> = judges.filter(|seat| !self.mute.contains(seat)).collect();
        let replaced = judges.first().is_some_and(|seat| !self.bench.role("judge").contains(seat));
        (judges, replaced)
    }

    /// Says who failed and who took over, once the round is whole: what is said must not depend on who was faster.
    fn note_failures(&mut self, stage: &Bench, round: u32, played: &[Played]) {
        let name = |seat: SeatIx| stage.seat(seat).label.as_str();
        for one in played.iter() {
            let Some(judged) = &one.judged else { continue };
            self.closing |= judged.closed();
            let failed: Vec<&str> = judged.sittings.iter().filter(|sitting| sitting.failed()).map(|sitting| name(sitting.seat)).collect();
            let last = judged.sittings.last().filter(|sitting| !sitting.failed());
            if let (Some(last), false) = (last, failed.is_empty()) {
                stage.warn(format!("{} failed in round {round}, match {}; {} took over.", failed.join(", "), one.index, name(last.seat)));
            }
        }
        let silent = played.iter().filter_map(|one| one.judged.as_ref()).flat_map(|judged| &judged.sittings).filter(|sitting| sitting.mute());
        for seat in silent.map(|sitting| sitting.seat) {
            if !self.mute.contains(&seat) && !self.closing {
                stage.warn(format!("{} failed in round {round} in both orders of a match and is not asked to judge again.", name(seat)));
                self.mute.push(seat);
            }
        }
    }
}
