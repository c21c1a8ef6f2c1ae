//! The exhibits of a tournament: the draw, each match, the bracket or table at the end.

use super::contest::{MatchResult, Pair};
use super::judging::Judgement;
use super::pick::Pick;
use super::round_robin::LeagueTable;
use super::rows::{DrawKind, DrawRow, JudgementEntry, KnockoutMatch, MatchRow, Matchup, StandingsRounds, StandingsRow, TableEntry};
use super::{Format, MatchEnding};
use crate::labelled::LabelledAnswer;
use synod_engine::{Bench, SeatFailure, SeatReply};
use synod_types::*;

fn contestants(entrants: &[LabelledAnswer]) -> Vec<Contestant> {
    entrants.iter().map(|entrant| Contestant { label: entrant.label.clone(), seat: entrant.seat }).collect()
}

/// Who meets whom first.
pub fn draw_exhibit(bench: &Bench, kind: DrawKind, entrants: &[LabelledAnswer], rounds: u32, pairs: &[Pair]) -> Exhibit {
    let label = |entrant: usize| entrants[entrant].label.clone();
    let first: Vec<Match> = pairs.iter().map(|(a, b)| Match { a: label(*a), b: b.map(label), ..Match::default() }).collect();
    let matchup = |(match_index, (a, b)): (usize, &Pair)| Matchup { match_index, a: label(*a), b: b.map(label) };
    let data = DrawRow {
        kind,
        total_rounds: rounds,
        contestants: entrants.iter().map(|entrant| entrant.label.clone()).collect(),
        byes: pairs.iter().filter(|(_, b)| b.is_none()).map(|(a, _)| label(*a)).collect(),
        round1_matchups: pairs.iter().enumerate().map(matchup).collect(),
        models: entrants.iter().map(|entrant| (entrant.label.clone(), bench.seat(entrant.seat).model.clone())).collect(),
    };
    Exhibit::new("Draw", Shape::Bracket(Bracket { contestants: contestants(entrants), rounds: vec![first], champion: None })).data(&data)
}

pub fn match_exhibit(bench: &Bench, entrants: &[LabelledAnswer], result: &MatchResult) -> Exhibit {
    let label = |entrant: usize| entrants[entrant].label.clone();
    let model = |entrant: usize| bench.seat(entrants[entrant].seat).model.clone();
    let judgements: &[Judgement] = result.ruling.as_ref().map_or(&[], |ruling| &ruling.judgements);
    let last = judgements.last();
    let reasons = last.and_then(Judgement::reasons);
    let loser = result.winner.and_then(|winner| result.opponent(winner));
    let picked = |order: &Result<SeatReply<Pick>, SeatFailure>| order.as_ref().ok().map(|reply| reply.value.winner.clone());
    let entry = |judgement: &Judgement| JudgementEntry {
        judge: bench.seat(judgement.seat).model.clone(),
        seat: judgement.seat,
        ab: picked(&judgement.ab),
        ba: picked(&judgement.ba),
    };
    let data = MatchRow {
        round: result.round,
        match_index: result.index,
        contestant_a: model(result.a),
        contestant_b: result.b.map(model),
        label_a: label(result.a),
        label_b: result.b.map(label),
        winner: result.winner.map(label),
        winner_model: result.winner.map(model),
        loser_model: loser.map(model),
        reasoning: reasons.clone(),
        is_bye: result.how == MatchEnding::Bye,
        how: result.how,
        judgements: judgements.iter().map(entry).collect(),
        was_retry: judgements.len() > 1,
        was_default: matches!(result.how, MatchEnding::Draw | MatchEnding::Void),
    };
    let title = match result.b {
        Some(b) => format!("{} against {}", label(result.a), label(b)),
        None => format!("{} sits out", label(result.a)),
    };
    let shape = match (result.how, result.winner, result.b) {
        (MatchEnding::Agreed | MatchEnding::SecondJudge, Some(winner), Some(b)) => {
            Shape::Ballot(Ballot { shown: vec![label(result.a), label(b)], choice: vec![label(winner)], reasons, abstained: None })
        }
        _ => Shape::Rule(Rule { decided: ending_sentence(result, &label), rung: result.how.as_str().into(), numbers: Vec::new() }),
    };
    let exhibit = Exhibit::new(title, shape).data(&data);
    match last {
        Some(judgement) => exhibit.by(judgement.seat, "judge").turn(judgement.key()),
        None => exhibit,
    }
}

/// What became of a match without a judge's word, in a sentence.
fn ending_sentence(result: &MatchResult, label: &dyn Fn(usize) -> String) -> String {
    let why = match result.how {
        MatchEnding::Bye => return format!("{} has no opponent in this round.", label(result.a)),
        MatchEnding::Draw => "No judge's word held in both orders",
        MatchEnding::Void => "Nobody could judge this match",
        MatchEnding::Agreed | MatchEnding::SecondJudge => "The judge decided",
    };
    match result.winner {
        Some(winner) => format!("{why}; {} goes on.", label(winner)),
        None => format!("{why}; nobody won."),
    }
}

/// The whole bracket.
pub fn bracket_exhibit(entrants: &[LabelledAnswer], rounds: &[Vec<MatchResult>], champion: usize) -> Exhibit {
    let label = |entrant: usize| entrants[entrant].label.clone();
    let shown = |result: &MatchResult| Match {
        a: label(result.a),
        b: result.b.map(label),
        winner: result.winner.map(label),
        how: result.how.as_str().into(),
        note: String::new(),
    };
    let stored =
        |result: &MatchResult| KnockoutMatch { a: label(result.a), b: result.b.map(label), winner: result.winner.map(label), how: result.how };
    let data = StandingsRow {
        format: Format::Knockout,
        champion: label(champion),
        rounds: StandingsRounds::Knockout(rounds.iter().map(|round| round.iter().map(stored).collect()).collect()),
    };
    let rounds: Vec<Vec<Match>> = rounds.iter().map(|round| round.iter().map(shown).collect()).collect();
    Exhibit::new("Bracket", Shape::Bracket(Bracket { contestants: contestants(entrants), rounds, champion: Some(label(champion)) })).data(&data)
}

/// The table of a round robin.
pub fn table_exhibit(entrants: &[LabelledAnswer], results: &[MatchResult], standings: &LeagueTable) -> Exhibit {
    let place = |entrant: &usize| TableEntry {
        label: entrants[*entrant].label.clone(),
        strength: standings.strengths[*entrant],
        matches: results.iter().filter(|result| result.involves(*entrant) && result.how != MatchEnding::Void).count() as u32,
        won: results.iter().filter(|result| result.winner == Some(*entrant)).count() as u32,
    };
    let table: Vec<TableEntry> = standings.order.iter().map(place).collect();
    let shown = |(entrant, place): (&usize, &TableEntry)| RankingEntry {
        label: place.label.clone(),
        seat: entrants[*entrant].seat,
        score: Some(place.strength),
        ballots: place.matches,
        first_places: place.won,
        mean_position: None,
    };
    let entries: Vec<RankingEntry> = standings.order.iter().zip(&table).map(shown).collect();
    let champion = entrants[standings.order[0]].label.clone();
    let data = StandingsRow { format: Format::RoundRobin, champion, rounds: StandingsRounds::RoundRobin([table]) };
    let ballots = results.iter().filter(|result| result.how != MatchEnding::Void).count() as u32;
    let tie_rung = standings.tiebreak.rung().map(str::to_owned);
    Exhibit::new("Table", Shape::Ranking(Ranking { entries, ballots, measure: "Bradley–Terry strength".into(), tie_rung })).data(&data)
}
