//! Everybody meets everybody: strengths from all matches together, ties by what the tied did against each other, then the seed's draw.

use super::contest::{Contest, MatchResult, Pair};
use super::exhibits::match_exhibit;
use super::{MatchEnding, Tiebreak};
use synod_engine::{Bench, Result};
use synod_math::{Rng, bradley_terry};

/// More contestants would make more than fifteen matches.
pub const MOST: u32 = 6;

/// Strengths nearer to each other than this, as a share, are equal: the fit is far more exact, and no two different strengths of six entrants come closer.
const EQUAL: f64 = 1e-6;

/// The table after the last match.
pub struct LeagueTable {
    /// Best first.
    pub order: Vec<usize>,
    /// By entrant.
    pub strengths: Vec<f64>,
    /// What ordered equal strengths at the top.
    pub tiebreak: Tiebreak,
}

pub fn pairs(entrants: usize) -> Vec<Pair> {
    (0..entrants).flat_map(|a| (a + 1..entrants).map(move |b| (a, Some(b)))).collect()
}

/// Plays all matches at once, as no pair depends on another.
pub async fn play(bench: &Bench, contest: &mut Contest<'_>) -> Result<(Vec<MatchResult>, LeagueTable)> {
    let results = contest.play_round(1, &pairs(contest.entrants.len()), &[]).await?;
    let phase = bench.round("round", 1);
    for result in &results {
        phase.show(&format!("round_1_match_{}", result.index), match_exhibit(bench, contest.entrants, result))?;
    }
    if contest.closing {
        phase.warn("The run was closing: matches that were not judged any more count for nobody.");
    }
    let wins = wins(&results, contest.entrants.len());
    let standings = standings(&wins, bench.seed("draw"));
    let champion = &contest.entrants[standings.order[0]].label;
    match standings.tiebreak {
        Tiebreak::None | Tiebreak::HigherSeed => {}
        Tiebreak::HeadToHead => phase.warn(format!("{champion} stands first among equals by the matches between them.")),
        Tiebreak::Draw => phase.warn(format!("{champion} stands first among equals by lot.")),
    }
    Ok((results, standings))
}

/// A drawn match is half a win for each; a void one is none.
fn wins(results: &[MatchResult], entrants: usize) -> Vec<Vec<f64>> {
    let mut wins = vec![vec![0.0; entrants]; entrants];
    for result in results {
        let (a, Some(b)) = (result.a, result.b) else { continue };
        match result.winner {
            Some(winner) if winner == b => wins[b][a] += 1.0,
            Some(_) => wins[a][b] += 1.0,
            None if result.how == MatchEnding::Draw => {
                wins[a][b] += 0.5;
                wins[b][a] += 0.5;
            }
            None => {}
        }
    }
    wins
}

pub fn standings(wins: &[Vec<f64>], seed: u64) -> LeagueTable {
    let strengths = bradley_terry(wins);
    let lots = Rng::derive(seed, "standings").permutation(wins.len());
    let mut by_strength: Vec<usize> = (0..wins.len()).collect();
    by_strength.sort_by(|a, b| strengths[*b].total_cmp(&strengths[*a]));
    let mut order: Vec<usize> = Vec::new();
    let mut tiebreak = Tiebreak::None;
    for group in by_strength.chunk_by(|a, b| strengths[*a] - strengths[*b] <= EQUAL * strengths[*a]) {
        let (ranked, first_by) = among_equals(group, wins, &lots);
        if order.is_empty() {
            tiebreak = first_by;
        }
        order.extend(ranked);
    }
    LeagueTable { order, strengths, tiebreak }
}

/// Equals by the points they made against each other; those still equal by the points among themselves alone, and so on. Where that tells
/// nobody apart, by lot. Also gives what put the first there.
fn among_equals(group: &[usize], wins: &[Vec<f64>], lots: &[usize]) -> (Vec<usize>, Tiebreak) {
    if group.len() < 2 {
        return (group.to_vec(), Tiebreak::None);
    }
    let points = |entrant: usize| group.iter().map(|other| wins[entrant][*other]).sum::<f64>();
    let mut sorted = group.to_vec();
    sorted.sort_by(|a, b| points(*b).total_cmp(&points(*a)).then(lots[*a].cmp(&lots[*b])));
    let parts: Vec<&[usize]> = sorted.chunk_by(|a, b| points(*a) == points(*b)).collect();
    if parts.len() < 2 {
        return (sorted, Tiebreak::Draw);
    }
    let ranked: Vec<(Vec<usize>, Tiebreak)> = parts.into_iter().map(|part| among_equals(part, wins, lots)).collect();
    let first_by = if ranked[0].1 == Tiebreak::Draw { Tiebreak::Draw } else { Tiebreak::HeadToHead };
    (ranked.into_iter().flat_map(|(part, _)| part).collect(), first_by)
}
