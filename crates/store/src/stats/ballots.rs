//! Ballots as any mode shows them, and what they say of models.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use synod_types::{RankingEntry, Row, SeatIx, TallyEntry};

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

/// A `shown` row as far as ballots go: the texts and data in it, nearly all of it, are passed over.
#[derive(Deserialize)]
struct ShownShape<'a> {
    #[serde(borrow)]
    exhibit: ExhibitShape<'a>,
}

#[derive(Deserialize)]
struct ExhibitShape<'a> {
    seat: Option<SeatIx>,
    turn: Option<String>,
    #[serde(borrow)]
    shape: ShapeFields<'a>,
}

/// What a statement, a ballot, a tally or a ranking has, each read only where the kind says so.
#[derive(Deserialize)]
struct ShapeFields<'a> {
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    label: Option<&'a RawValue>,
    #[serde(borrow)]
    shown: Option<&'a RawValue>,
    #[serde(borrow)]
    choice: Option<&'a RawValue>,
    #[serde(borrow)]
    entries: Option<&'a RawValue>,
    #[serde(borrow)]
    winners: Option<&'a RawValue>,
}

/// One field of a shape. What cannot be read says nothing.
fn field<T: DeserializeOwned>(json: Option<&RawValue>) -> Option<T> {
    serde_json::from_str(json?.get()).ok()
}

struct CastBallot {
    phase: String,
    voter: SeatIx,
    turn: Option<String>,
    shown: Vec<String>,
    first: String,
}

impl BallotBox {
    /// Takes a `shown` row. One that cannot be read holds no ballot.
    pub fn take(&mut self, row: &Row) {
        let Ok(ShownShape { exhibit }) = serde_json::from_str::<ShownShape<'_>>(&row.body) else { return };
        let shape = &exhibit.shape;
        let phase = || row.key.split('/').next().unwrap_or_default().to_owned();
        match shape.kind.as_ref() {
            "statement" => self.authors.extend(field::<String>(shape.label).zip(exhibit.seat)),
            "ballot" => {
                let choice: Option<Vec<String>> = field(shape.choice);
                if let (Some(shown), Some(first), Some(voter)) =
                    (field(shape.shown), choice.and_then(|choice| choice.into_iter().next()), exhibit.seat)
                {
                    self.ballots.push(CastBallot { phase: phase(), voter, turn: exhibit.turn, shown, first });
                }
            }
            "tally" => {
                let (Some(entries), Some(winners)) = (field::<Vec<TallyEntry>>(shape.entries), field::<Vec<String>>(shape.winners)) else { return };
                self.authors.extend(entries.into_iter().map(|entry| (entry.label, entry.seat)));
                // Whoever broke a tie did so on other grounds.
                if let [winner] = winners.as_slice() {
                    self.chosen.insert(phase(), winner.clone());
                }
            }
            "ranking" => {
                let Some(entries) = field::<Vec<RankingEntry>>(shape.entries) else { return };
                if let Some(best) = entries.first() {
                    self.chosen.insert(phase(), best.label.clone());
                }
                self.authors.extend(entries.into_iter().map(|entry| (entry.label, entry.seat)));
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
