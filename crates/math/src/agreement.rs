//! How far the ballots of a panel agree with each other, above chance.
//!
//! Every pair of ballots is compared on everything both of them judged. Of these comparisons O agree; E would if every ballot were drawn
//! evenly from what its seat could cast; M is the most the rules allow, all ballots taken together: under recusal the author of an answer
//! cannot vote for it, so not everybody can agree. The measure is (O − E) / (M − E): 1 where all agree who could, 0 where they agree as
//! ballots drawn by lot would, below 0 where they agree less than that.
//!
//! It says nothing about being right. It is refused where it would mean nothing: below [`LEAST`] ballots, where no two ballots judged the
//! same thing, and where the rules leave only one value. Likeness of texts is no agreement.

use crate::beta;
use crate::rounding::round;
use std::collections::{BTreeMap, BTreeSet};

/// With fewer ballots a random panel agrees wholly too often for the number to say anything.
pub const LEAST: u32 = 4;

/// How much of the distribution the interval holds.
const MASS: f64 = 0.8;

/// What the ballots come to: first as a count, then as a measure or the reason why there is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// Judgements that are the panel's own, of those that could have been.
    pub agreed: u32,
    /// With several things to judge, over all of them.
    pub could: u32,
    /// Ballots that judged something another judged too; without a measure the ballots there are.
    pub n: u32,
    pub measure: Result<Measured, Unmeasured>,
}

/// Agreement above chance, with the shortest interval that holds 80 % of Beta(k + 1, n − k + 1) for k = n · O / M, on the same scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// At most 1; 0 is chance.
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// Why there is no measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmeasured {
    /// Fewer than [`LEAST`].
    TooFewBallots,
    /// No two ballots judged the same thing.
    NothingShared,
    /// Whatever the ballots say, the rules make them agree to the same degree.
    OneValue,
}

/// One seat's choice, among what it could have chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    chosen: usize,
    could: BTreeSet<usize>,
}

impl Choice {
    /// `None` for a choice the seat could not make: such a ballot is invalid.
    pub fn among(could: impl IntoIterator<Item = usize>, chosen: usize) -> Option<Self> {
        let could: BTreeSet<usize> = could.into_iter().collect();
        could.contains(&chosen).then_some(Self { chosen, could })
    }
}

/// One thing a panel chose about: what it chose, if its rules let it choose, and each ballot's choice; `None` where a ballot has none. A
/// ballot has the same place in the list for every thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedThing {
    pub panel: Option<usize>,
    pub choices: Vec<Option<Choice>>,
}

impl Agreement {
    /// Ballots that choose one of several, about one thing or many.
    pub fn of_choices(things: &[JudgedThing]) -> Self {
        let mut pairs = Comparisons::default();
        let (mut agreed, mut could) = (0, 0);
        for thing in things {
            let cast: Vec<(usize, &Choice)> = thing.choices.iter().enumerate().filter_map(|(at, choice)| Some((at, choice.as_ref()?))).collect();
            pairs.ballots.extend(cast.iter().map(|(at, _)| *at));
            if let Some(panel) = thing.panel {
                could += cast.iter().filter(|(_, choice)| choice.could.contains(&panel)).count();
                agreed += cast.iter().filter(|(_, choice)| choice.chosen == panel).count();
            }
            for (i, (one, a)) in cast.iter().enumerate() {
                for (other, b) in &cast[i + 1..] {
                    let shared = a.could.intersection(&b.could).count();
                    if shared > 0 {
                        let chance = shared as f64 / (a.could.len() * b.could.len()) as f64;
                        pairs.add(*one, *other, a.chosen == b.chosen, chance);
                    }
                }
            }
            let sets: Vec<&BTreeSet<usize>> = cast.iter().map(|(_, choice)| &choice.could).collect();
            pairs.most += most(&sets, (0..sets.len()).collect(), &mut BTreeMap::new());
        }
        pairs.agreement(agreed, could)
    }

    /// Ballots that put things in order: for each its place, the lowest best; `None` where it was not judged. Two ballots are compared on
    /// every pair of things that both put one before the other. All of these can agree, and by chance half of them do. Counted are the
    /// ballots with the panel's best alone at the top, of those that judged it and another.
    pub fn of_places(best: Option<usize>, ballots: &[Vec<Option<u32>>]) -> Self {
        let mut pairs = Comparisons::default();
        let place = |ballot: usize, item: usize| ballots[ballot].get(item).copied().flatten();
        let before = |ballot: usize, a: usize, b: usize| {
            let (a, b) = (place(ballot, a)?, place(ballot, b)?);
            (a != b).then_some(a < b)
        };
        let items = ballots.iter().map(Vec::len).max().unwrap_or(0);
        for one in 0..ballots.len() {
            if ballots[one].iter().flatten().count() > 1 {
                pairs.ballots.insert(one);
            }
            for other in one + 1..ballots.len() {
                for (a, b) in (0..items).flat_map(|a| (a + 1..items).map(move |b| (a, b))) {
                    if let (Some(first), Some(second)) = (before(one, a, b), before(other, a, b)) {
                        pairs.add(one, other, first == second, 0.5);
                        pairs.most += 1;
                    }
                }
            }
        }
        let (mut agreed, mut could) = (0, 0);
        for ballot in pairs.ballots.iter().map(|at| &ballots[*at]) {
            let Some(top) = best.and_then(|best| ballot.get(best).copied().flatten()) else { continue };
            could += 1;
            agreed += usize::from(ballot.iter().flatten().filter(|place| **place <= top).count() == 1);
        }
        pairs.agreement(agreed, could)
    }
}

/// A ranking as places: `ranking` lists some of `items` things, best first.
pub fn places(ranking: &[usize], items: usize) -> Vec<Option<u32>> {
    (0..items).map(|item| ranking.iter().position(|ranked| *ranked == item).map(|place| place as u32)).collect()
}

/// All comparisons of two ballots on one thing.
#[derive(Default)]
struct Comparisons {
    /// Ballots that judged anything.
    ballots: BTreeSet<usize>,
    /// Those of them that can be compared with another.
    compared: BTreeSet<usize>,
    observed: usize,
    expected: f64,
    most: usize,
}

impl Comparisons {
    fn add(&mut self, one: usize, other: usize, agree: bool, chance: f64) {
        self.compared.extend([one, other]);
        self.observed += usize::from(agree);
        self.expected += chance;
    }

    fn agreement(&self, agreed: usize, could: usize) -> Agreement {
        let (ballots, compared) = (self.ballots.len() as u32, self.compared.len() as u32);
        let (agreed, could) = (agreed as u32, could as u32);
        let without = |n, why| Agreement { agreed, could, n, measure: Err(why) };
        if ballots < LEAST {
            return without(ballots, Unmeasured::TooFewBallots);
        }
        if compared == 0 {
            return without(ballots, Unmeasured::NothingShared);
        }
        if compared < LEAST {
            return without(compared, Unmeasured::TooFewBallots);
        }
        let (observed, most) = (self.observed as f64, self.most as f64);
        let room = most - self.expected;
        if room < 1e-9 {
            return without(compared, Unmeasured::OneValue);
        }
        let value = (observed - self.expected) / room;
        let k = f64::from(compared) * observed / most;
        let (low, high) = beta::shortest(k + 1.0, f64::from(compared) - k + 1.0, MASS);
        let end = |share: f64| round((share * most - self.expected) / room, 4);
        // Rounding must not put the value outside.
        Agreement { agreed, could, n: compared, measure: Ok(Measured { value, low: end(low).min(value), high: end(high).max(value) }) }
    }
}

/// The most pairs of ballots that can choose alike, given what each could choose; `left` are the ballots not yet placed.
///
/// In a best assignment the largest group holds every ballot that could join it: moving one there from a group that is no larger loses
/// fewer pairs than it gains. So some option takes all the ballots it can get, and for the rest the question is the same.
fn most(could: &[&BTreeSet<usize>], left: Vec<usize>, known: &mut BTreeMap<Vec<usize>, usize>) -> usize {
    if left.len() < 2 {
        return 0;
    }
    if let Some(pairs) = known.get(&left) {
        return *pairs;
    }
    let options: BTreeSet<usize> = left.iter().flat_map(|ballot| could[*ballot]).copied().collect();
    let mut best = 0;
    for option in options {
        let (group, rest): (Vec<usize>, Vec<usize>) = left.iter().partition(|ballot| could[**ballot].contains(&option));
        best = best.max(group.len() * (group.len() - 1) / 2 + most(could, rest, known));
    }
    known.insert(left, best);
    best
}

#[cfg(test)]
#[path = "agreement_tests.rs"]
mod tests;
