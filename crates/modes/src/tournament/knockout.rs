//! Single elimination: rounds until one is left. Nobody sits out twice; what the judges leave open goes to the seed's draw or the higher seed.

use super::court::{Court, Pair, Played};
use super::judging::How;
use super::shown;
use synod_engine::{Bench, Result};
use synod_math::{Rng, bracket};

/// Every round as played, and the champion.
pub async fn play(bench: &Bench, court: &mut Court<'_>) -> Result<(Vec<Vec<Played>>, usize)> {
    let mut pairs: Vec<Pair> = bracket::first_round(court.entrants.len());
    let mut rounds: Vec<Vec<Played>> = Vec::new();
    let mut out: Vec<usize> = Vec::new();
    let mut round = 1;
    loop {
        let was_closing = court.closing;
        let mut played = court.hear(round, &pairs, &out).await?;
        let stage = bench.round("round", round);
        for one in &mut played {
            settle(&stage, court, one);
            stage.show(&format!("round_{round}_match_{}", one.index), shown::one_match(bench, court.entrants, one))?;
        }
        if court.closing && !was_closing {
            stage.warn("The run was closing: matches that were not judged any more went to the higher seed.");
        }
        let winners: Vec<usize> = played.iter().filter_map(|one| one.winner).collect();
        out.extend(played.iter().flat_map(|one| [Some(one.a), one.b]).flatten().filter(|entrant| !winners.contains(entrant)));
        rounds.push(played);
        if let [champion] = winners.as_slice() {
            return Ok((rounds, *champion));
        }
        pairs = bracket::next_round(&winners).into_iter().map(|(a, b)| (a, Some(b))).collect();
        round += 1;
    }
}

/// Somebody must go on: from a draw by lot, from a void match the higher seed.
fn settle(stage: &Bench, court: &Court<'_>, one: &mut Played) {
    let (None, Some(b)) = (one.winner, one.b) else { return };
    let lot = one.how == How::Draw && Rng::derive(stage.seed("draw"), &one.index.to_string()).below(2) == 1;
    let winner = if lot { b } else { one.a };
    one.winner = Some(winner);
    let [a, b, goes_on] = [one.a, b, winner].map(|entrant| court.entrants[entrant].label.as_str());
    if one.how == How::Draw {
        stage.warn(format!("No judge's word on {a} and {b} held in both orders; {goes_on} goes on by lot."));
    } else if !court.closing {
        stage.warn(format!("Nobody could judge {a} and {b}; {goes_on} goes on as the higher seed."));
    }
}
