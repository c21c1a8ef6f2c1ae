//! Council: seats answer alone, rank each other's answers under neutral labels, and a chairman writes one answer from all of them.

mod dissent;
mod rows;
#[cfg(test)]
mod tests;

use crate::RankingBallot;
use crate::ballots::with_anchors;
use crate::labelled::{self, LEAST, LabelMap, LabelledAnswer};
use crate::{attendance, closing, tally};
use dissent::DissentRow;
use rows::{AggregatePlace, AggregateRow, BallotPlace, BallotRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use synod_engine::{
    Answers, Bench, Example, FigureKind, Mode, ModeResult, PlannedCalls, RequestName, Result, Seating, Stage, chair, each, mode, prompt,
};
use synod_math::{Agreement, Ranking as BordaRanking, agreement, borda};
use synod_types::*;

pub static MODE: Mode = mode! {
    id: "council", version: 4, name: "Council", family: Evaluation, seats: 3..=7, roles: &[each("member"), chair("chairman")],
    summary: "Everyone answers, everyone ranks the others' answers unseen, and a chairman writes one answer from all of them.",
    pick: "The default. Take it when you want one blended answer and a sign of how far the panel agrees on quality.",
    phases: &["collect", "rank", "synthesis", "dissent"],
    stages: &[
        Stage::computed::<LabelMap>("label_map"),
        Stage::from_seat::<()>("collect", "member"),
        Stage::from_seat::<BallotRow>("rank", "evaluator"),
        Stage::computed::<AggregateRow>("aggregate"),
        Stage::from_seat::<()>("synthesis", "chairman"),
        Stage::from_seat::<DissentRow>("dissent", "clerk"),
    ],
    figures: &[
        FigureKind::mean("agreement", "How far the panel's ballots agree, above chance"),
    ],
    multi_turn: true, estimated_ms: 120_000, turn_secs: 120, run_secs: 600,
    cost: "2n + 2 for a panel of n (n + 2 for two), the last one light",
    example: Example::ask("Should a team of four keep one repository or many?"),
    failure_rule: "Two answers are enough. Unreadable ballots abstain; with two answers ranking is skipped. If the chairman fails, the best-ranked author writes; if nobody can, the best-ranked answer is returned as it is. If the clerk cannot compare the answers with it, no dissent is reported, and a warning says so.",
    prompts: ["answer", "rank", "synthesis", "dissent"],
    request_names: &[
        RequestName::panel("councilModels"),
        RequestName::role("chairmanModel", "chairman"),
    ],
};

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// What makes one answer better than another, most important first.
    #[schemars(length(min = 1, max = 8))]
    pub criteria: Vec<String>,
    /// The most tokens one answer may take.
    #[schemars(range(min = 64, max = 32768))]
    pub answer_tokens: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { criteria: ["accuracy", "completeness", "clarity", "helpfulness"].map(str::to_owned).to_vec(), answer_tokens: 4096 }
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
    /// Whether the answers were ranked. Two never are: each author could only have ranked the other.
    pub ranked: bool,
    /// Every answer: from best to worst by the panel's ballots or, where nobody ranked, by label and without a score.
    pub ranking: Vec<Place>,
    /// What ordered equal scores at the top, if any were equal.
    pub tie_rung: Option<String>,
}

/// One answer's place.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    pub label: String,
    pub seat: u32,
    pub model: String,
    /// Mean Borda share over the ballots that could rank it: 1 is always first, 0 always last.
    pub score: Option<f64>,
}

fn calls(options: &Options, seating: &Seating) -> Vec<PlannedCalls> {
    let n = seating.panel();
    let ranks = if n > 2 { n } else { 0 };
    vec![
        PlannedCalls { prompt: "answer", role: "member", min: n, max: n, reads: 0, max_tokens: Some(options.answer_tokens) },
        PlannedCalls { prompt: "rank", role: "member", min: ranks, max: ranks, reads: n.saturating_sub(1), max_tokens: None },
        PlannedCalls { prompt: "synthesis", role: "chairman", min: 1, max: 1, reads: n, max_tokens: None },
        PlannedCalls { prompt: "dissent", role: "clerk", min: 1, max: 1, reads: n + 1, max_tokens: None },
    ]
}

async fn run(bench: &Bench, options: Options) -> Result<ModeResult> {
    let (_, answers) = labelled::collect(bench, "member", options.answer_tokens).await?;
    let ballots = rank(bench, &options, &answers).await?;
    let labels: Vec<&str> = answers.iter().map(|answer| answer.label.as_str()).collect();
    let cast: Vec<Vec<usize>> = ballots.iter().map(|ballot| places(ballot, &answers)).collect();
    let standings = borda(&labels, &cast);
    let ranked = standings.ballots > 0;
    if ranked {
        bench.phase("rank").show("aggregate", standings_exhibit(&standings, &answers))?;
    } else if answers.len() > LEAST {
        bench.phase("rank").warn("No ballot could be counted, so the answers are not ranked.");
    }

    let synthesis = bench.phase("synthesis");
    let order = standings.order();
    let in_label_order = by_label(&answers);
    let table = aggregate(&standings, &answers);
    let notes: Vec<&str> = ballots.iter().map(|ballot| ballot.reasons.as_str()).collect();
    let ask = prompt!("synthesis", answers = labelled::for_prompt(&in_label_order), ranked, table = table, notes);
    let authors =
        if ranked { order.iter().map(|item| answers[*item].seat).collect() } else { answers.iter().map(|answer| answer.seat).collect::<Vec<_>>() };
    let writers = closing::seats_of(bench, "chairman", authors);
    let answer = match closing::write(&synthesis, &writers, ask, "The synthesis").await? {
        Some(text) => {
            synthesis.show("synthesis", Exhibit::said("Synthesis", text.seat, "chairman", &text.key))?;
            Answer { kind: AnswerKind::Synthesis, text: text.value, by: vec![text.seat] }
        }
        None => {
            let best = if ranked { &answers[order[0]] } else { in_label_order[0] };
            let how = if ranked { "the best-ranked answer" } else { "one of the answers, drawn by lot," };
            synthesis.warn(format!("Nobody could write the synthesis; {how} ({}) is returned as it is.", best.label));
            best.selected()
        }
    };

    let best = order.first().copied().filter(|_| ranked);
    let agreement = Agreement::of_places(best, &cast.iter().map(|ballot| agreement::places(ballot, answers.len())).collect::<Vec<_>>());
    let places = if ranked { order } else { in_label_order.iter().filter_map(|answer| tally::index(&answer.label, &answers)).collect() };
    let decision = Decision {
        ranked,
        ranking: places.iter().map(|item| place(bench, &standings, &answers[*item], *item)).collect(),
        tie_rung: standings.top_tie().filter(|_| ranked).map(|rung| rung.as_str().to_owned()),
    };
    let summary = match best {
        Some(best) => {
            let could = cast.iter().filter(|ballot| ballot.contains(&best)).count();
            let firsts = cast.iter().filter(|ballot| ballot.first() == Some(&best)).count();
            format!("{firsts} of {could} other members put {}'s answer first{}", bench.seat(answers[best].seat).label, answers[best].gist())
        }
        None => {
            let names: Vec<&str> = in_label_order.iter().map(|answer| bench.seat(answer.seat).label.as_str()).collect();
            let what = if answer.kind == AnswerKind::Synthesis { "all of them shaped this one" } else { "one was drawn by lot" };
            format!("{} answers stand unranked, and {what}: {}.", answers.len(), names.join(", "))
        }
    };
    let dissent = dissent::compare(bench, &in_label_order, &answer).await?;
    Ok(ModeResult::ended("finished", answer)
        .decision(summary, &decision)
        .confidence(tally::confidence(bench, agreement))
        .dissent(dissent)
        .data(&json!({"ranked": ranked, "ballots": standings.ballots, "criteria": options.criteria})))
}

/// Every author ranks the others' answers. With two answers there is nothing to rank but the one other.
async fn rank(bench: &Bench, options: &Options, answers: &[LabelledAnswer]) -> Result<Vec<RankingBallot>> {
    let phase = bench.phase("rank");
    if answers.len() <= LEAST {
        phase.warn("Only two answers were given, so they were not ranked: each author could only have ranked the other.");
        return Ok(Vec::new());
    }
    let readers: Vec<SeatIx> = answers.iter().map(|answer| answer.seat).collect();
    let views = labelled::for_readers(bench, answers, &readers);
    let ballots: Answers<RankingBallot> = phase
        .ask_each(&readers, &|seat| {
            let answers = views.of(seat);
            prompt!("rank", answers = labelled::for_prompt(answers), criteria = with_anchors(&options.criteria))
                .ids("labels", labelled::names(answers))
        })
        .await?;
    let place = |(position, label): (u32, &String)| BallotPlace { label: label.clone(), position };
    let choice = |ballot: &RankingBallot| (ballot.ranking.clone(), ballot.reasons.clone(), Vec::new());
    attendance::show_ballots(&phase, ("rank", "Ballot", "evaluator"), &views, &ballots, choice, |given| BallotRow {
        parsed_ranking: given.map_or_else(|_| Vec::new(), |ballot| (1..).zip(&ballot.ranking).map(place).collect()),
        parse_error: given.err().map(|failure| Some(failure.to_string())),
    })?;
    Ok(ballots.replies.into_iter().map(|given| given.value).collect())
}

/// A ballot as indices into `answers`.
fn places(ballot: &RankingBallot, answers: &[LabelledAnswer]) -> Vec<usize> {
    ballot.ranking.iter().filter_map(|label| answers.iter().position(|answer| answer.label == *label)).collect()
}

fn by_label(answers: &[LabelledAnswer]) -> Vec<&LabelledAnswer> {
    let mut sorted: Vec<&LabelledAnswer> = answers.iter().collect();
    sorted.sort_by(|a, b| a.label.cmp(&b.label));
    sorted
}

/// The computed aggregate as the chairman reads it.
fn aggregate(standings: &BordaRanking, answers: &[LabelledAnswer]) -> Value {
    let rows = standings.standings.iter().map(|standing| {
        json!({"label": answers[standing.item].label, "score": standing.score, "first_places": standing.first_places, "ballots": standing.ballots})
    });
    rows.collect()
}

fn standings_exhibit(standings: &BordaRanking, answers: &[LabelledAnswer]) -> Exhibit {
    let entries: Vec<RankingEntry> = standings
        .standings
        .iter()
        .map(|standing| RankingEntry {
            label: answers[standing.item].label.clone(),
            seat: answers[standing.item].seat,
            score: standing.score,
            ballots: standing.ballots,
            first_places: standing.first_places,
            mean_position: standing.mean_position,
        })
        .collect();
    let place = |entry: &RankingEntry| AggregatePlace {
        label: entry.label.clone(),
        average_rank: entry.mean_position,
        score: entry.score,
        rankings_count: entry.ballots,
    };
    let aggregate_rankings = entries.iter().map(place).collect();
    let tie_rung = standings.top_tie().map(|rung| rung.as_str().to_owned());
    let shape = Ranking { entries, ballots: standings.ballots, measure: "mean Borda share".into(), tie_rung: tie_rung.clone() };
    Exhibit::new("Ranking by the panel", Shape::Ranking(shape)).data(&AggregateRow { aggregate_rankings, tie_rung })
}

fn place(bench: &Bench, standings: &BordaRanking, answer: &LabelledAnswer, item: usize) -> Place {
    let score = standings.standings.iter().find(|standing| standing.item == item).and_then(|standing| standing.score);
    Place { label: answer.label.clone(), seat: answer.seat, model: bench.seat(answer.seat).model.clone(), score }
}
