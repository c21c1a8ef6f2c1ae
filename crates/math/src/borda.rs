//! Rankings of many readers made into one.
//!
//! Owns the score (a mean over the ballots that could rank an item, so that recusal costs nobody points), the tie ladder, and the account
//! of which rung decided. Refuses float comparison: scores are compared as exact fractions.

use std::cmp::Reverse;

/// The longest ranking that is counted. Up to here the common denominator of all ballots fits exact arithmetic.
pub const MAX_SHOWN: usize = 64;

/// All items, best first, and how that came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    pub standings: Vec<RankedItem>,
    /// Neighbours in `standings` whose scores are equal, and what put one above the other.
    pub ties: Vec<Tie>,
    /// Ballots counted.
    pub ballots: u32,
    /// Ballots not counted: fewer than two items, more than [`MAX_SHOWN`], an item twice, or one that does not exist.
    pub set_aside: u32,
}

impl Ranking {
    /// Items, best first.
    pub fn order(&self) -> Vec<usize> {
        self.standings.iter().map(|standing| standing.item).collect()
    }

    /// What decided between the first two, where their scores did not.
    pub fn top_tie(&self) -> Option<Rung> {
        let first = self.standings.first()?.item;
        self.ties.iter().find(|tie| tie.above == first).map(|tie| tie.rung)
    }
}

/// One item's place and the numbers behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedItem {
    pub item: usize,
    /// Mean of (m - position) / (m - 1) over the ballots that showed it among m: 1 is always first, 0 always last. `None`: on no ballot.
    pub score: Option<f64>,
    /// Ballots that could rank it.
    pub ballots: u32,
    pub first_places: u32,
    /// 1 is first.
    pub mean_position: Option<f64>,
}

/// Two neighbours with equal scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tie {
    pub above: usize,
    pub below: usize,
    pub rung: Rung,
}

words! {
    /// The tie ladder, top to bottom.
    pub enum Rung {
        /// More first places.
        FirstPlaces = "first_places",
        /// More duels won than lost against those still tied, over the ballots that rank both.
        HeadToHead = "head_to_head",
        /// The label that sorts first. Labels are drawn, so this is a lot.
        Label = "label",
    }
}

/// Scores and orders the items named by `labels`. A ballot ranks the items its reader was shown, best first.
pub fn borda<S: AsRef<str>>(labels: &[S], ballots: &[Vec<usize>]) -> Ranking {
    let counted: Vec<&[usize]> = ballots.iter().map(Vec::as_slice).filter(|ballot| is_ranking(ballot, labels.len())).collect();
    let unit = counted.iter().fold(1, |unit, ballot| lcm(unit, ballot.len() as u128 - 1));
    let mut sums = vec![Sum::default(); labels.len()];
    for ballot in &counted {
        let last = ballot.len() - 1;
        for (place, &item) in ballot.iter().enumerate() {
            let sum = &mut sums[item];
            sum.points += (last - place) as u128 * (unit / last as u128);
            sum.ballots += 1;
            sum.first_places += u32::from(place == 0);
            sum.positions += place as u64 + 1;
        }
    }

    // Integer comparison of two means: cross-multiplied, both over the same unit. An item on no ballot stands below every other.
    let mut order: Vec<usize> = (0..labels.len()).collect();
    let by_score = |a: usize, b: usize| {
        let (a, b) = (sums[a], sums[b]);
        let shown = (a.ballots > 0).cmp(&(b.ballots > 0));
        shown.then((a.points * u128::from(b.ballots)).cmp(&(b.points * u128::from(a.ballots))))
    };
    order.sort_by(|&a, &b| by_score(b, a));

    let mut ties = Vec::new();
    let mut settled = Vec::with_capacity(order.len());
    for group in order.chunk_by(|&a, &b| by_score(a, b).is_eq()) {
        let ladder = climb(group, labels, &sums, &counted);
        ties.extend(ladder.windows(2).map(|pair| Tie { above: pair[0].0, below: pair[1].0, rung: pair[1].1 }));
        settled.extend(ladder.into_iter().map(|(item, _)| item));
    }
    let standings = settled.into_iter().map(|item| sums[item].standing(item, unit)).collect();
    Ranking { standings, ties, ballots: counted.len() as u32, set_aside: (ballots.len() - counted.len()) as u32 }
}

#[derive(Clone, Copy, Default)]
struct Sum {
    /// In units of one over the common denominator.
    points: u128,
    ballots: u32,
    first_places: u32,
    positions: u64,
}

impl Sum {
    fn standing(self, item: usize, unit: u128) -> RankedItem {
        let shown = self.ballots > 0;
        let whole = unit * u128::from(self.ballots);
        // Reduced first, so that simple fractions come out as the floats one expects.
        let common = gcd(self.points, whole).max(1);
        RankedItem {
            item,
            score: shown.then(|| (self.points / common) as f64 / (whole / common) as f64),
            ballots: self.ballots,
            first_places: self.first_places,
            mean_position: shown.then(|| self.positions as f64 / f64::from(self.ballots)),
        }
    }
}

/// Orders items with equal scores; beside each the rung that put it below the one before it (meaningless for the first).
fn climb<S: AsRef<str>>(tied: &[usize], labels: &[S], sums: &[Sum], ballots: &[&[usize]]) -> Vec<(usize, Rung)> {
    let mut ladder = Vec::with_capacity(tied.len());
    for equals in buckets(tied, |item| i64::from(sums[item].first_places)) {
        for (nth, mut lot) in duel(&equals, ballots).into_iter().enumerate() {
            lot.sort_by_key(|&item| (labels[item].as_ref(), item));
            let entered_by = if nth == 0 { Rung::FirstPlaces } else { Rung::HeadToHead };
            ladder.extend(lot.into_iter().enumerate().map(|(i, item)| (item, if i == 0 { entered_by } else { Rung::Label })));
        }
    }
    ladder
}

/// Parts items by duels won less duels lost among them, and then again within each part while that still parts any. Items left together
/// cannot be told apart by the ballots.
fn duel(tied: &[usize], ballots: &[&[usize]]) -> Vec<Vec<usize>> {
    let parts = buckets(tied, |item| tied.iter().map(|&other| majority(item, other, ballots)).sum());
    if parts.len() < 2 {
        return parts;
    }
    parts.iter().flat_map(|part| duel(part, ballots)).collect()
}

/// 1 if more ballots put `a` before `b` than the other way round, -1 if fewer.
fn majority(a: usize, b: usize, ballots: &[&[usize]]) -> i64 {
    let lead: i64 = ballots
        .iter()
        .map(|ballot| {
            let place = |item| ballot.iter().position(|&other| other == item);
            match (place(a), place(b)) {
                (Some(a), Some(b)) => (b > a) as i64 - (a > b) as i64,
                _ => 0,
            }
        })
        .sum();
    lead.signum()
}

/// Items by falling value, those of equal value together.
fn buckets(items: &[usize], value: impl Fn(usize) -> i64) -> Vec<Vec<usize>> {
    let mut valued: Vec<(i64, usize)> = items.iter().map(|&item| (value(item), item)).collect();
    valued.sort_by_key(|&(value, item)| (Reverse(value), item));
    valued.chunk_by(|a, b| a.0 == b.0).map(|chunk| chunk.iter().map(|&(_, item)| item).collect()).collect()
}

fn is_ranking(ballot: &[usize], items: usize) -> bool {
    let distinct = ballot.iter().enumerate().all(|(i, item)| *item < items && !ballot[..i].contains(item));
    (2..=MAX_SHOWN).contains(&ballot.len()) && distinct
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn lcm(a: u128, b: u128) -> u128 {
    a / gcd(a, b) * b
}

#[cfg(test)]
#[path = "borda_tests.rs"]
mod tests;
