//! Single elimination: rounds until one is left. Nobody sits out twice; a match the judges leave open goes to the seed's draw or the higher seed.
//! A final that nobody judged goes to neither.

use super::contest::{Contest, MatchResult, Pair};
use super::exhibits::match_exhibit;
use super::judging::MatchEnding;
use synod_engine::{Bench, Result};
use synod_math::{Rng, bracket};

/// The results of every round, and the champion; none, where nobody judged the final.
pub async fn play(bench: &Bench, contest: &mut Contest<'_>) -> Result<(Vec<Vec<MatchResult>>, Option<usize>)> {
    let mut pairs: Vec<Pair> = bracket::first_round(contest.entrants.len());
    let mut rounds: Vec<Vec<MatchResult>> = Vec::new();
    let mut beaten: Vec<usize> = Vec::new();
    let mut round = 1;
    loop {
        let was_closing = contest.closing;
        let mut results = contest.play_round(round, &pairs, &beaten).await?;
        let phase = bench.round("round", round);
        let is_final = results.len() == 1;
        for result in &mut results {
            settle(&phase, contest, result, is_final);
            phase.show(&format!("round_{round}_match_{}", result.index), match_exhibit(bench, contest.entrants, result))?;
        }
        if contest.closing && !was_closing {
            phase.warn("The run was closing: matches that were not judged any more went to the higher seed.");
        }
        let winners: Vec<usize> = results.iter().filter_map(|result| result.winner).collect();
        beaten.extend(results.iter().flat_map(|result| [Some(result.a), result.b]).flatten().filter(|entrant| !winners.contains(entrant)));
        rounds.push(results);
        if is_final {
            return Ok((rounds, winners.first().copied()));
        }
        pairs = bracket::next_round(&winners).into_iter().map(|(a, b)| (a, Some(b))).collect();
        round += 1;
    }
}

/// Names who goes on where no judge did: from a draw one by lot, from a void match the higher seed, from a void final nobody.
fn settle(phase: &Bench, contest: &Contest<'_>, result: &mut MatchResult, is_final: bool) {
    let (None, Some(b)) = (result.winner, result.b) else { return };
    if is_final && result.how == MatchEnding::Void {
        return;
    }
    let lot = result.how == MatchEnding::Draw && Rng::derive(phase.seed("draw"), &result.index.to_string()).below(2) == 1;
    let winner = if lot { b } else { result.a };
    result.winner = Some(winner);
    let [a, b, goes_on] = [result.a, b, winner].map(|entrant| contest.entrants[entrant].label.as_str());
    if result.how == MatchEnding::Draw {
        phase.warn(format!("No judge's word on {a} and {b} held in both orders; {goes_on} goes on by lot."));
    } else if !contest.closing {
        phase.warn(format!("Nobody could judge {a} and {b}; {goes_on} goes on as the higher seed."));
    }
}
