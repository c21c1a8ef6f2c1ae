//! Ballots as any mode shows them, and what they say of models.

use std::collections::{BTreeMap, HashMap};
use synod_types::{Exhibit, SeatIx, Shape, Shown};

/// One model's part in the ballots of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Votes {
    pub ballots: u64,
    pub wins: u64,
    pub cast: u64,
    pub sided: u64,
}

/// Ballots as they were shown, in any mode that has some, and what the panel made of them.
#[derive(Default)]
pub(crate) struct BallotBox {
    authors: HashMap<String, SeatIx>,
    ballots: Vec<CastBallot>,
    /// What a phase's ballots came to.
    chosen: HashMap<String, String>,
}

struct CastBallot {
    phase: String,
    voter: SeatIx,
    turn: Option<String>,
    shown: Vec<String>,
    first: String,
}

impl BallotBox {
    pub fn take(&mut self, key: &str, shown: &Shown) {
        let phase = key.split('/').next().unwrap_or_default().to_owned();
        let Exhibit { seat, shape, turn, .. } = &shown.exhibit;
        match shape {
            Shape::Statement(statement) => self.authors.extend(statement.label.clone().zip(*seat)),
            Shape::Ballot(ballot) => {
                if let (Some(seat), Some(first)) = (seat, ballot.choice.first()) {
                    let (turn, shown, first) = (turn.clone(), ballot.shown.clone(), first.clone());
                    self.ballots.push(CastBallot { phase, voter: *seat, turn, shown, first });
                }
            }
            Shape::Tally(tally) => {
                self.authors.extend(tally.entries.iter().map(|entry| (entry.label.clone(), entry.seat)));
                // Whoever broke a tie did so on other grounds.
                if let [winner] = tally.winners.as_slice() {
                    self.chosen.insert(phase, winner.clone());
                }
            }
            Shape::Ranking(ranking) => {
                self.authors.extend(ranking.entries.iter().map(|entry| (entry.label.clone(), entry.seat)));
                if let Some(best) = ranking.entries.first() {
                    self.chosen.insert(phase, best.label.clone());
                }
            }
            _ => {}
        }
    }

    /// By model. Only ballots that were cast here: a fork shows those of its parent again.
    pub fn votes(&self, model_of: impl Fn(SeatIx) -> String, cast_here: impl Fn(&str) -> bool) -> BTreeMap<String, Votes> {
        let mut votes: BTreeMap<String, Votes> = BTreeMap::new();
        let own = self.ballots.iter().filter(|ballot| ballot.turn.as_deref().is_none_or(&cast_here));
        for CastBallot { phase, voter, shown, first, .. } in own {
            for label in shown {
                if let Some(author) = self.authors.get(label) {
                    let mine = votes.entry(model_of(*author)).or_default();
                    mine.ballots += 1;
                    mine.wins += u64::from(label == first);
                }
            }
            if let Some(chosen) = self.chosen.get(phase).filter(|chosen| shown.contains(chosen)) {
                let mine = votes.entry(model_of(*voter)).or_default();
                mine.cast += 1;
                mine.sided += u64::from(chosen == first);
            }
        }
        votes
    }
}
