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
    let said = words_of_judges(bench, entrants, result);
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
        reasoning: reasons,
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
    let shape = match (result.b, said) {
        (Some(b), Some(said)) => {
            let choice = result.winner.filter(|_| result.how.by_judge()).map(label).into_iter().collect();
            let notes = if result.how.by_judge() { Vec::new() } else { vec![ending_sentence(bench, result, &label)] };
            Shape::Ballot(Ballot { shown: vec![label(result.a), label(b)], both_orders: true, choice, reasons: Some(said), notes, abstained: None })
        }
        _ => Shape::Rule(Rule { decided: ending_sentence(bench, result, &label), rung: result.how.as_str().into(), numbers: Vec::new() }),
    };
    let exhibit = Exhibit::new(title, shape).data(&data);
    match last {
        Some(judgement) => exhibit.by(judgement.seat, "judge").turn(judgement.key()),
        None => exhibit,
    }
}

/// Every judge's words in each order: whom it named, which answer stood first, and why.
fn words_of_judges(bench: &Bench, entrants: &[LabelledAnswer], result: &MatchResult) -> Option<String> {
    let ruling = result.ruling.as_ref()?;
    let first = [Some(result.a), result.b].map(|entrant| entrant.map(|entrant| entrants[entrant].label.as_str()).unwrap_or_default());
    let each = |judgement: &Judgement| {
        let orders = [&judgement.ab, &judgement.ba].into_iter().zip(first);
        let told = |(order, first): (&Result<SeatReply<Pick>, SeatFailure>, &str)| {
            let pick = &order.as_ref().ok()?.value;
            Some(format!("{}, with {first} first, named {}: {}", bench.seat(judgement.seat).label, pick.winner, pick.reasons.trim()))
        };
        orders.filter_map(told).collect::<Vec<String>>()
    };
    let said: Vec<String> = ruling.judgements.iter().flat_map(each).collect();
    (!said.is_empty()).then(|| said.join("\n\n"))
}

/// Who should have judged a match and why it did not; empty where all could.
fn failures(bench: &Bench, result: &MatchResult) -> String {
    let judgements = result.ruling.iter().flat_map(|ruling| &ruling.judgements);
    let failed = judgements.filter_map(Judgement::failure).map(|failed| (bench.seat(failed.seat).label.as_str(), failed.failure.kind.plain()));
    failed.map(|(who, why)| format!("{who} {why}")).collect::<Vec<String>>().join("; ")
}

/// What became of a match without a judge's word, in a sentence.
fn ending_sentence(bench: &Bench, result: &MatchResult, label: &dyn Fn(usize) -> String) -> String {
    let why = match result.how {
        MatchEnding::Bye => return format!("{} has no opponent in this round.", label(result.a)),
        MatchEnding::Draw => "No judge's word held in both orders".to_owned(),
        MatchEnding::Void => match failures(bench, result) {
            failed if failed.is_empty() => "Nobody could judge this match".to_owned(),
            failed => format!("Nobody could judge this match ({failed})"),
        },
        MatchEnding::Agreed | MatchEnding::SecondJudge => "The judge decided".to_owned(),
    };
    match result.winner {
        Some(winner) if result.how == MatchEnding::Draw => format!("{why}; {} goes on by lot.", label(winner)),
        Some(winner) => format!("{why}; {} goes on as the higher seed.", label(winner)),
        None => format!("{why}; nobody won."),
    }
}

/// The whole bracket. `champion`: none, where nobody judged the final.
pub fn bracket_exhibit(bench: &Bench, entrants: &[LabelledAnswer], rounds: &[Vec<MatchResult>], champion: Option<usize>) -> Exhibit {
    let label = |entrant: usize| entrants[entrant].label.clone();
    let shown = |result: &MatchResult| Match {
        a: label(result.a),
        b: result.b.map(label),
        winner: result.winner.map(label),
        how: result.how.as_str().into(),
        note: failures(bench, result),
    };
    let stored =
        |result: &MatchResult| KnockoutMatch { a: label(result.a), b: result.b.map(label), winner: result.winner.map(label), how: result.how };
    let data = StandingsRow {
        format: Format::Knockout,
        champion: champion.map(label),
        rounds: StandingsRounds::Knockout(rounds.iter().map(|round| round.iter().map(stored).collect()).collect()),
    };
    let rounds: Vec<Vec<Match>> = rounds.iter().map(|round| round.iter().map(shown).collect()).collect();
    Exhibit::new("Bracket", Shape::Bracket(Bracket { contestants: contestants(entrants), rounds, champion: champion.map(label) })).data(&data)
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
    let champion = Some(entrants[standings.order[0]].label.clone());
    let data = StandingsRow { format: Format::RoundRobin, champion, rounds: StandingsRounds::RoundRobin([table]) };
    let ballots = results.iter().filter(|result| result.how != MatchEnding::Void).count() as u32;
    let tie_rung = standings.tiebreak.rung().map(str::to_owned);
    Exhibit::new("Table", Shape::Ranking(Ranking { entries, ballots, measure: "Bradley–Terry strength".into(), tie_rung })).data(&data)
}
