//! What a tournament shows: the draw, each match, the bracket or table at the end.

use super::How;
use super::court::{Pair, Played};
use super::judging::Sitting;
use super::round_robin::LeagueTable;
use crate::labelled::Labelled;
use serde_json::{Map, Value, json};
use synod_engine::Bench;
use synod_types::*;

fn contestants(entrants: &[Labelled]) -> Vec<Contestant> {
    entrants.iter().map(|entrant| Contestant { label: entrant.label.clone(), seat: entrant.seat }).collect()
}

/// Who meets whom first. Labels stand for contestants, as one model may sit twice; `models` says whose they are.
pub fn seeding(bench: &Bench, kind: &str, entrants: &[Labelled], rounds: u32, pairs: &[Pair]) -> Exhibit {
    let label = |entrant: usize| entrants[entrant].label.clone();
    let first: Vec<Match> = pairs.iter().map(|(a, b)| Match { a: label(*a), b: b.map(label), ..Match::default() }).collect();
    let models: Map<String, Value> = entrants.iter().map(|entrant| (entrant.label.clone(), json!(bench.seat(entrant.seat).model))).collect();
    let matchups: Vec<Value> = first.iter().enumerate().map(|(index, one)| json!({"matchIndex": index, "a": one.a, "b": one.b})).collect();
    let byes: Vec<&String> = first.iter().filter(|one| one.b.is_none()).map(|one| &one.a).collect();
    let data = json!({
        "type": kind, "totalRounds": rounds, "contestants": entrants.iter().map(|entrant| &entrant.label).collect::<Vec<_>>(),
        "byes": byes, "round1Matchups": matchups, "models": models,
    });
    Exhibit::new("Draw", Shape::Bracket(Bracket { contestants: contestants(entrants), rounds: vec![first], champion: None })).data(&data)
}

pub fn one_match(bench: &Bench, entrants: &[Labelled], one: &Played) -> Exhibit {
    let label = |entrant: usize| entrants[entrant].label.clone();
    let model = |entrant: usize| bench.seat(entrants[entrant].seat).model.clone();
    let sittings: &[Sitting] = one.judged.as_ref().map_or(&[], |judged| &judged.sittings);
    let last = sittings.last();
    let reasons = last.and_then(Sitting::reasons);
    let loser = one.winner.and_then(|winner| one.opponent(winner));
    let named = |order: &Result<_, _>| order.as_ref().ok().map(|given: &synod_engine::SeatReply<super::pick::Pick>| given.value.winner.clone());
    let judgements: Vec<Value> = sittings
        .iter()
        .map(|sitting| json!({"judge": bench.seat(sitting.seat).model, "seat": sitting.seat, "ab": named(&sitting.ab), "ba": named(&sitting.ba)}))
        .collect();
    let data = json!({
        "round": one.round, "matchIndex": one.index, "contestantA": model(one.a), "contestantB": one.b.map(model),
        "labelA": label(one.a), "labelB": one.b.map(label), "winner": one.winner.map(label), "winnerModel": one.winner.map(model),
        "loserModel": loser.map(model), "reasoning": reasons, "isBye": one.how == How::Bye, "how": one.how, "judgements": judgements,
        "wasRetry": sittings.len() > 1, "wasDefault": matches!(one.how, How::Draw | How::Void),
    });
    let title = match one.b {
        Some(b) => format!("{} against {}", label(one.a), label(b)),
        None => format!("{} sits out", label(one.a)),
    };
    let shape = match (one.how, one.winner, one.b) {
        (How::Agreed | How::SecondJudge, Some(winner), Some(b)) => {
            Shape::Ballot(Ballot { shown: vec![label(one.a), label(b)], choice: vec![label(winner)], reasons, abstained: None })
        }
        _ => Shape::Rule(Rule { decided: decided(one, &label), rung: one.how.as_str().into(), numbers: Vec::new() }),
    };
    let exhibit = Exhibit::new(title, shape).data(&data);
    match last {
        Some(sitting) => exhibit.by(sitting.seat, "judge").turn(sitting.key()),
        None => exhibit,
    }
}

/// What became of a match without a judge's word, in a sentence.
fn decided(one: &Played, label: &dyn Fn(usize) -> String) -> String {
    let why = match one.how {
        How::Bye => return format!("{} has no opponent in this round.", label(one.a)),
        How::Draw => "No judge's word held in both orders",
        How::Void => "Nobody could judge this match",
        How::Agreed | How::SecondJudge => "The judge decided",
    };
    match one.winner {
        Some(winner) => format!("{why}; {} goes on.", label(winner)),
        None => format!("{why}; nobody won."),
    }
}

/// The whole bracket.
pub fn bracket(entrants: &[Labelled], rounds: &[Vec<Played>], champion: usize) -> Exhibit {
    let label = |entrant: usize| entrants[entrant].label.clone();
    let one = |one: &Played| Match {
        a: label(one.a),
        b: one.b.map(label),
        winner: one.winner.map(label),
        how: one.how.as_str().into(),
        note: String::new(),
    };
    let rounds: Vec<Vec<Match>> = rounds.iter().map(|round| round.iter().map(one).collect()).collect();
    let data = json!({"format": "knockout", "champion": label(champion), "rounds": rounds});
    Exhibit::new("Bracket", Shape::Bracket(Bracket { contestants: contestants(entrants), rounds, champion: Some(label(champion)) })).data(&data)
}

/// The table of a round robin.
pub fn table(entrants: &[Labelled], played: &[Played], standings: &LeagueTable) -> Exhibit {
    let entries: Vec<RankingEntry> = standings
        .order
        .iter()
        .map(|entrant| RankingEntry {
            label: entrants[*entrant].label.clone(),
            seat: entrants[*entrant].seat,
            score: Some(standings.strengths[*entrant]),
            ballots: played.iter().filter(|one| one.has(*entrant) && one.how != How::Void).count() as u32,
            first_places: played.iter().filter(|one| one.winner == Some(*entrant)).count() as u32,
            mean_position: None,
        })
        .collect();
    let rows: Vec<Value> = entries
        .iter()
        .map(|entry| json!({"label": entry.label, "strength": entry.score, "matches": entry.ballots, "won": entry.first_places}))
        .collect();
    let data = json!({"format": "round_robin", "champion": entries.first().map(|entry| &entry.label), "rounds": [rows]});
    let ballots = played.iter().filter(|one| one.how != How::Void).count() as u32;
    let tie_rung = standings.tiebreak.rung().map(str::to_owned);
    Exhibit::new("Table", Shape::Ranking(Ranking { entries, ballots, measure: "Bradley–Terry strength".into(), tie_rung })).data(&data)
}
