//! Tournament: seats answer alone, a judge compares the answers in pairs and both orders, and the one that is left is returned unchanged.

mod contest;
mod exhibits;
mod judging;
mod knockout;
mod pick;
mod round_robin;
mod rows;
#[cfg(test)]
mod tests;

use crate::attendance;
use crate::labelled::{self, LEAST, LabelledAnswer};
use contest::{Contest, MatchResult};
use exhibits::{bracket_exhibit, draw_exhibit, table_exhibit};
pub use judging::MatchEnding;
use rows::{ChampionRow, DrawKind, DrawRow, MatchRow, StandingsRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use synod_engine::{
    Bench, Example, FigureKind, Halt, Mode, ModeResult, PlannedCalls, RequestName, Result, Seating, Stage, chair_apart, each, mode, prompt,
};
use synod_math::{Rng, bracket};
use synod_types::*;

pub static MODE: Mode = mode! {
    id: "tournament", version: 4, name: "Tournament", family: Algorithmic, seats: 5..=9, roles: &[each("contestant"), chair_apart("judge")],
    summary: "Everyone answers, a judge compares the answers two at a time and in both orders, and the champion's is returned word for word.",
    pick: "Take it when one whole answer must be chosen from many and comparing two is easier than ranking all.",
    phases: &["collect", "round"],
    stages: &[
        Stage::from_seat::<()>("collect", "contestant"),
        Stage::computed::<DrawRow>("bracket_seed"),
        Stage::computed::<MatchRow>("round_{r}_match_{m}"),
        Stage::from_seat::<MatchRow>("round_{r}_match_{m}", "judge"),
        Stage::computed::<StandingsRow>("standings"),
        Stage::from_seat::<ChampionRow>("winner", "champion"),
    ],
    figures: &[
        FigureKind::share("match_wins", "Matches won, of those a judge decided"),
        FigureKind::share("orders_agreed", "Matches judged alike in both orders"),
    ],
    multi_turn: false, estimated_ms: 180_000, turn_secs: 120, run_secs: 600,
    cost: "n + 2(n - 1) to n + 4(n - 1) for n contestants; a round robin has n(n - 1)/2 matches where a knockout has n - 1",
    example: Example::ask("Write the opening line of a talk on technical debt"),
    failure_rule: "Two answers are enough. If the judge fails, or its word changes with the order, a contestant who wrote neither answer judges, those already beaten first. If no word holds in both orders, the seed draws; if nobody can judge, the higher seed goes on. A final that nobody judged, or a contest of which no more than half was judged, has no champion: the run fails, and the answers are kept.",
    prompts: ["answer", "judge"], check_seating: check_seating,
    request_names: &[
        RequestName::panel("contestantModels"),
        RequestName::role("judgeModel", "judge"),
    ],
};

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Who meets whom: losers are out, or everybody meets everybody (at most 6 contestants).
    pub format: Format,
    /// What makes one answer better than another, most important first.
    #[schemars(length(min = 1, max = 8))]
    pub criteria: Vec<String>,
    /// The most tokens one answer may take.
    #[schemars(range(min = 64, max = 32768))]
    pub answer_tokens: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    #[default]
    Knockout,
    RoundRobin,
}

impl Default for Options {
    fn default() -> Self {
        let criteria = ["accuracy", "completeness", "clarity", "practical value", "overall quality"];
        Self { format: Format::Knockout, criteria: criteria.map(str::to_owned).to_vec(), answer_tokens: 4096 }
    }
}

impl Options {
    fn check(&self) -> Vec<Problem> {
        crate::ballots::check_criteria(&self.criteria)
    }
}

/// What a script branches on.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    pub label: String,
    pub seat: u32,
    pub model: String,
    pub format: Format,
    /// The champion's matches in order.
    pub path: Vec<Step>,
    /// Matches won by a judge's word: no byes, no lots, no matches that nobody could judge.
    pub matches_won: u32,
    /// What decided where no judge did: between equals at the top of a round robin, or in the last such match of a knockout's champion.
    pub tiebreak: Tiebreak,
}

/// One match of the champion.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    pub round: u32,
    /// The label met; nothing for a bye.
    pub opponent: Option<String>,
    pub result: Outcome,
    pub how: MatchEnding,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Went on, or won.
    Won,
    Lost,
    /// Nobody won; in a round robin only.
    Open,
    Bye,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tiebreak {
    /// There was no tie.
    None,
    /// The matches between those who stood equal.
    HeadToHead,
    /// Drawn from the run's seed.
    Draw,
    /// Nobody could judge the match: the higher seed went on.
    HigherSeed,
}

impl Tiebreak {
    fn rung(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::HeadToHead => Some("head_to_head"),
            Self::Draw => Some("draw"),
            Self::HigherSeed => Some("higher_seed"),
        }
    }
    /// As the summary tells it, behind the matches won.
    fn told(self) -> &'static str {
        match self {
            Self::None => "",
            Self::HeadToHead => ", ahead of an equal by their own match",
            Self::Draw => ", and came through by lot",
            Self::HigherSeed => ", and came through a match nobody could judge",
        }
    }
}

fn check_seating(options: &Options, seating: &Seating) -> Vec<Problem> {
    let contestants = seating.panel();
    if options.format == Format::Knockout || contestants <= round_robin::MOST {
        return Vec::new();
    }
    let got = format!("round_robin with {contestants} contestants");
    vec![Problem::new("options.format", got, format!("knockout, or at most {} contestants beside the judge", round_robin::MOST))]
}

fn calls(options: &Options, seating: &Seating) -> Vec<PlannedCalls> {
    let n = seating.panel();
    let matches = match options.format {
        Format::Knockout => n.saturating_sub(1),
        Format::RoundRobin => n * n.saturating_sub(1) / 2,
    };
    vec![
        PlannedCalls { prompt: "answer", role: "contestant", min: n, max: n, reads: 0, max_tokens: Some(options.answer_tokens) },
        PlannedCalls { prompt: "judge", role: "judge", min: 2 * matches, max: 4 * matches, reads: 2, max_tokens: None },
    ]
}

async fn run(bench: &Bench, options: Options) -> Result<ModeResult> {
    let entrants = collect(bench, &options).await?;
    let mut contest = Contest::new(bench, &options.criteria, &entrants);
    let (rounds, champion, tiebreak) = match options.format {
        Format::Knockout => {
            let first = bracket::first_round(entrants.len());
            bench.show("bracket_seed", draw_exhibit(bench, DrawKind::Bracket, &entrants, bracket::rounds(entrants.len()), &first))?;
            let (rounds, champion) = knockout::play(bench, &mut contest).await?;
            bench.show("standings", bracket_exhibit(bench, &entrants, &rounds, champion))?;
            let tiebreak = champion.map_or(Tiebreak::None, |champion| unjudged_step(&rounds, champion));
            (rounds, champion, tiebreak)
        }
        Format::RoundRobin => {
            bench.show("bracket_seed", draw_exhibit(bench, DrawKind::RoundRobin, &entrants, 1, &round_robin::pairs(entrants.len())))?;
            let (results, standings) = round_robin::play(bench, &mut contest).await?;
            bench.show("standings", table_exhibit(&entrants, &results, &standings))?;
            (vec![results], standings.order.first().copied(), standings.tiebreak)
        }
    };
    let champion = judged_enough(&rounds, champion)?;
    let won = &entrants[champion];
    let own: Vec<&MatchResult> = rounds.iter().flatten().filter(|result| result.involves(champion)).collect();
    let decision = Decision {
        label: won.label.clone(),
        seat: won.seat,
        model: bench.seat(won.seat).model.clone(),
        format: options.format,
        path: own.iter().map(|result| step(&entrants, result, champion)).collect(),
        matches_won: own.iter().filter(|result| result.winner == Some(champion) && result.how.by_judge()).count() as u32,
        tiebreak,
    };
    let data = ChampionRow {
        winner_model: decision.model.clone(),
        total_matchups_won: decision.matches_won,
        total_rounds: rounds.len(),
        bracket_path: decision.path.clone(),
    };
    bench.show("winner", Exhibit::said(format!("Champion {}", won.label), won.seat, "champion", &won.key).labelled(&won.label).data(&data))?;

    let judged = |result: &&MatchResult| result.how.judged();
    let all_judged: Vec<&MatchResult> = rounds.iter().flatten().filter(judged).collect();
    let own_judged: Vec<&MatchResult> = own.into_iter().filter(judged).collect();
    let alike = |matches: &[&MatchResult]| matches.iter().filter(|result| result.how == MatchEnding::Agreed).count();
    let same_word = |matches: &[&MatchResult]| share(alike(matches), matches.len());
    bench.figure("orders_agreed", same_word(&all_judged));
    for (entrant, seat) in entrants.iter().map(|entrant| entrant.seat).enumerate() {
        let decided: Vec<&MatchResult> = rounds.iter().flatten().filter(|result| result.involves(entrant) && result.how.by_judge()).collect();
        if !decided.is_empty() {
            let won = decided.iter().filter(|result| result.winner == Some(entrant)).count();
            bench.note(Figure::new("match_wins", won as f64).of(decided.len() as f64).seat(seat));
        }
    }
    let (whose, count) = (&bench.seat(won.seat).label, own_judged.len());
    let matches = if count == 1 { "match" } else { "matches" };
    let summary = format!("{whose}'s answer won {} of {count} judged {matches}{}{}", decision.matches_won, tiebreak.told(), won.gist());
    // Who came furthest disagrees with most weight.
    let last_round = |seat: SeatIx| {
        let entrant = entrants.iter().position(|entrant| entrant.seat == seat)?;
        rounds.iter().flatten().filter(|result| result.involves(entrant)).map(|result| result.round).max()
    };
    let mut dissent: Vec<Dissent> = labelled::dissent(&entrants, won).collect();
    dissent.sort_by_key(|other| std::cmp::Reverse(other.seat.and_then(last_round)));
    Ok(ModeResult::ended("finished", won.selected())
        .decision(summary, &decision)
        // How often the judge's word on the champion did not change with the order: nothing else was measured.
        .confidence(same_word(&own_judged).map(|value| Confidence {
            agreed: Some(alike(&own_judged) as u32),
            could: Some(own_judged.len() as u32),
            counted: Some("of its matches judged alike in both orders".to_owned()),
            ..Confidence::new(value, ConfidenceSource::Panel, own_judged.len() as u32)
        }))
        .unsure("no judged match of the champion to measure by")
        .dissent(dissent)
        .data(&json!({"format": options.format, "criteria": options.criteria, "tiebreak": tiebreak})))
}

/// Every contestant answers alone. The answers are returned in seeded order, drawn from the run's seed: it does not depend on the panel's order.
async fn collect(bench: &Bench, options: &Options) -> Result<Vec<LabelledAnswer>> {
    let phase = bench.phase("collect");
    let replies = phase.ask_all::<String>(bench.role("contestant"), prompt!("answer").max_tokens(options.answer_tokens)).await?.quorum(LEAST)?;
    let answers = labelled::under(&replies, synod_math::labels(bench.seed("labels"), replies.replies.len()));
    for answer in &answers {
        let title = format!("Answer {}", answer.label);
        phase.show("collect", Exhibit::said(title, answer.seat, "contestant", &answer.key).labelled(&answer.label))?;
    }
    attendance::show_failures(&phase, ("collect", "Answer", "contestant"), &replies.failures)?;
    let order = Rng::derive(bench.seed("bracket"), "seeding").permutation(answers.len());
    Ok(order.into_iter().map(|at| answers[at].clone()).collect())
}

/// The champion, if there is one and most of the matches were judged.
fn judged_enough(rounds: &[Vec<MatchResult>], champion: Option<usize>) -> Result<usize> {
    let played = || rounds.iter().flatten().filter(|result| result.how != MatchEnding::Bye);
    let (judged, all) = (played().filter(|result| result.how.judged()).count(), played().count());
    let kept = "every answer is kept in the record";
    let failed = |why: String| Halt::failed(format!("round {}", rounds.len()), format!("{why}, so there is no champion; {kept}"));
    match champion {
        None => Err(failed("nobody could judge the final".to_owned())),
        Some(_) if 2 * judged <= all => Err(failed(format!("only {judged} of {all} matches could be judged"))),
        Some(champion) => Ok(champion),
    }
}

/// What brought a knockout's champion through the last of its matches that no judge decided.
fn unjudged_step(rounds: &[Vec<MatchResult>], champion: usize) -> Tiebreak {
    let ending = |result: &MatchResult| match result.how {
        MatchEnding::Draw => Some(Tiebreak::Draw),
        MatchEnding::Void => Some(Tiebreak::HigherSeed),
        MatchEnding::Agreed | MatchEnding::SecondJudge | MatchEnding::Bye => None,
    };
    rounds.iter().flatten().rev().filter(|result| result.involves(champion)).find_map(ending).unwrap_or(Tiebreak::None)
}

fn step(entrants: &[LabelledAnswer], result: &MatchResult, champion: usize) -> Step {
    let outcome = match (result.how, result.winner) {
        (MatchEnding::Bye, _) => Outcome::Bye,
        (_, Some(winner)) if winner == champion => Outcome::Won,
        (_, Some(_)) => Outcome::Lost,
        (_, None) => Outcome::Open,
    };
    Step { round: result.round, opponent: result.opponent(champion).map(|entrant| entrants[entrant].label.clone()), result: outcome, how: result.how }
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
