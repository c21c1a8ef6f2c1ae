//! Brainstorm: seats invent alone, a curator groups the ideas by theme, the seats score the groups without their own ideas in them, and the
//! best one is worked out into a proposal.

mod clusters;
mod ideas;
mod ranking;
mod rows;
mod scores;
#[cfg(test)]
mod tests;

use crate::closing;
use crate::tally;
use crate::text::words;
use clusters::Cluster;
pub use clusters::{Clustering, Promise, Theme};
use ideas::Pool;
pub use ideas::{Idea, Ideas};
pub use ranking::Source;
use ranking::{Ranking, exhibit, lower_total_reason};
use rows::{ClusteringRow, IdeationRow, RankingRow, RefinementRow, RunnerUp, ScoringRow, VerdictData};
use schemars::JsonSchema;
use scores::{MOST, ScorerMarks};
pub use scores::{Mark, Scores};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use synod_engine::{Bench, Example, FigureKind, Mode, ModeResult, PlannedCalls, RequestName, Result, Seating, Stage, each, mode, prompt, seat};
use synod_math::Agreement;
use synod_types::*;

pub static MODE: Mode = mode! {
    id: "brainstorm", version: 5, name: "Brainstorm", family: Creative, seats: 3..=6, roles: &[each("ideator"), seat("curator", 0), seat("refiner", 0)],
    summary: "Everyone invents alone from an angle of their own, the ideas are grouped by theme and scored without their authors, and the best group becomes a proposal.",
    pick: "Take it for an open question with many possible answers, when you want breadth first and one worked-out proposal at the end.",
    phases: &["ideation", "clustering", "scoring", "refinement"],
    stages: &[
        Stage::from_seat::<IdeationRow>("ideation_{i}", "ideator"),
        Stage::from_seat::<ClusteringRow>("clustering", "curator"),
        Stage::computed::<ClusteringRow>("clustering").stand_in(),
        Stage::from_seat::<ScoringRow>("scoring_{i}", "scorer"),
        Stage::computed::<RankingRow>("ranking"),
        Stage::from_seat::<RefinementRow>("refinement", "refiner"),
        Stage::computed::<RefinementRow>("refinement").stand_in(),
    ],
    figures: &[
        FigureKind::mean("ideas", "Ideas"),
        FigureKind::mean("score", "Mean score of the best group, by dimension"),
        FigureKind::mean("clusters", "Groups of ideas"),
        FigureKind::mean("diversity", "Groups for each idea"),
        FigureKind::mean("agreement", "How far the panel's ballots agree, above chance"),
    ],
    left_out: &[("clusters", "why_fewer", "it excuses fewer than three groups, and is shown where there are fewer")],
    multi_turn: false, estimated_ms: 180_000, turn_secs: 120, run_secs: 600,
    cost: "2n + 2 for a panel of n",
    example: Example::ask("How could a small museum bring in people who never visit museums?"),
    failure_rule: "Two seats with ideas are enough. If the curator fails, the next seat groups; if nobody can, the ideas are grouped by the words they share. With fewer than two scorers the curator's promise decides, or the number of ideas if there is none. If nobody can write the proposal, the best group is returned as it is.",
    prompts: ["ideas", "clusters", "score", "refine"],
    request_names: &[
        RequestName::panel("models"),
        RequestName::role("curatorModel", "curator"),
        RequestName::role("refinerModel", "refiner"),
        RequestName::option("minIdeasPerModel", "ideas_per_seat"),
        RequestName::option("maxClusters", "max_clusters"),
    ],
};

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The fewest ideas each seat is asked for. At most ten are taken from one.
    #[schemars(range(min = 3, max = 10))]
    pub ideas_per_seat: u32,
    /// The most groups the ideas may fall into; with few ideas it is fewer.
    #[schemars(range(min = 3, max = 8))]
    pub max_clusters: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { ideas_per_seat: 5, max_clusters: 6 }
    }
}

impl Options {
    fn check(&self) -> Vec<Problem> {
        Vec::new()
    }
}

/// What a script branches on.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    /// The name of the best cluster.
    pub cluster: String,
    /// Plain mean of its totals, 3 to 15; null when it was not scored. The order is by standard scores, which even out harsh scorers.
    pub score: Option<f64>,
    /// What put it first.
    pub source: Source,
    /// Ids of its ideas.
    pub ideas: Vec<String>,
    /// Names of the clusters that scored the same, and were put behind it by impact, feasibility, promise or order.
    pub tied: Vec<String>,
}

fn calls(_options: &Options, seating: &Seating) -> Vec<PlannedCalls> {
    let n = seating.panel();
    vec![
        PlannedCalls { prompt: "ideas", role: "ideator", min: n, max: n, reads: 0, max_tokens: None },
        PlannedCalls { prompt: "clusters", role: "curator", min: 1, max: 1, reads: n, max_tokens: None },
        PlannedCalls { prompt: "score", role: "ideator", min: 0, max: n, reads: n.saturating_sub(1), max_tokens: None },
        PlannedCalls { prompt: "refine", role: "refiner", min: 1, max: 1, reads: n, max_tokens: None },
    ]
}

async fn run(bench: &Bench, options: Options) -> Result<ModeResult> {
    let pool = ideas::collect(bench, options.ideas_per_seat).await?;
    let clusters = clusters::arrange(bench, &pool, options.max_clusters).await?;
    let scoring = bench.phase("scoring");
    let rated = scores::collect(bench, &pool, &clusters).await?;
    let ranking = Ranking::of(&clusters, &rated);
    for warning in warnings(&ranking, &clusters) {
        scoring.warn(warning);
    }
    scoring.show("ranking", exhibit(&ranking, &clusters, &pool))?;
    let best = ranking.order[0];
    let answer = refine(bench, &pool, &clusters, &ranking).await?;
    let action = (answer.kind == AnswerKind::Computed).then(|| format!("Work out {} first: it is the best of what was found.", clusters[best].name));

    bench.figure("ideas", pool.entries.len() as f64);
    for (dimension, mean) in ["novelty", "feasibility", "impact"].into_iter().zip(ranking.scores[best].means) {
        if let Some(mean) = mean {
            bench.note(Figure::new("score", mean).label(dimension));
        }
    }
    bench.figure("clusters", clusters.len() as f64);
    bench.figure("diversity", clusters.len() as f64 / pool.entries.len() as f64);
    // The higher a scorer's total for a cluster, the earlier its place; clusters without a whole mark have none.
    let places: Vec<Vec<Option<u32>>> =
        rated.iter().map(|rated| rated.marks.iter().map(|mark| Some(MOST.saturating_sub(mark.as_ref()?.total()?))).collect()).collect();
    let agreement = Agreement::of_places(Some(best), &places);
    let decision = Decision {
        cluster: clusters[best].name.clone(),
        score: ranking.scores[best].total,
        source: ranking.source,
        ideas: pool.ids(&clusters[best].members),
        tied: ranking.tied.iter().map(|place| clusters[*place].name.clone()).collect(),
    };
    let second = |place: &usize| RunnerUp { name: clusters[*place].name.clone(), ideas: pool.ids_and_titles(&clusters[*place].members) };
    let runner_up = ranking.order.get(1).map(second);
    let result = ModeResult::ended("finished", answer);
    let result = action.into_iter().fold(result, ModeResult::action);
    Ok(result
        .decision(summary(&decision, &ranking, clusters.len(), pool.entries.len()), &decision)
        .confidence(tally::confidence(bench, agreement))
        .dissent(dissent(&rated, &clusters, best))
        .data(&VerdictData { ideas: pool.entries.len(), given: pool.given, clusters: clusters.len(), runner_up }))
}

/// Which group was chosen, of how many, and on whose marks.
fn summary(decision: &Decision, ranking: &Ranking, clusters: usize, ideas: usize) -> String {
    let Decision { cluster, score, source, ideas: chosen, .. } = decision;
    let by = match (source, score) {
        (_, Some(score)) => format!(", with {score:.1} of 15 from {} scorers", ranking.scorers),
        (Source::Promise, None) => ", by the curator's word: too few scored".to_owned(),
        (Source::Size, None) => ", by the number of its ideas: too few scored".to_owned(),
        (Source::Scores | Source::Only, None) => ", unscored".to_owned(),
    };
    let groups = if clusters == 1 { "is the only group".to_owned() } else { format!("was chosen of {clusters} groups") };
    format!("{cluster} {groups}{by}; {} of {ideas} ideas are in it.", chosen.len())
}

/// The cluster with this scorer's highest total, if it marked the best one and another, and one stands alone at the top.
fn favourite(marks: &[Option<Mark>], best: usize) -> Option<usize> {
    let totals: Vec<(u32, usize)> = marks.iter().enumerate().filter_map(|(place, mark)| Some((mark.as_ref()?.total()?, place))).collect();
    if totals.len() < 2 || totals.iter().all(|(_, place)| *place != best) {
        return None;
    }
    let top = totals.iter().map(|(total, _)| *total).max()?;
    let mut leaders = totals.iter().filter(|(total, _)| *total == top).map(|(_, place)| *place);
    leaders.next().filter(|_| leaders.next().is_none())
}

/// Those who compared the best cluster with others and put another first.
fn dissent(rated: &[ScorerMarks], clusters: &[Cluster], best: usize) -> Vec<Dissent> {
    let one = |rated: &ScorerMarks| {
        let other = &clusters[favourite(&rated.marks, best).filter(|place| *place != best)?];
        let text = format!("{} first, not {}: {}", other.name, clusters[best].name, rated.reasons);
        Some(Dissent { seat: Some(rated.seat), label: None, text })
    };
    rated.iter().filter_map(one).collect()
}

/// What the reader must know of how the best cluster was found.
fn warnings(ranking: &Ranking, clusters: &[Cluster]) -> Vec<String> {
    let best = &clusters[ranking.order[0]];
    let mut warnings = Vec::new();
    match ranking.source {
        Source::Only => warnings.push("All ideas fell into one cluster, so there was none to choose it over.".to_owned()),
        Source::Promise => {
            warnings.push("Fewer than two seats scored the clusters, so they are ordered by promise alone; no score is given.".to_owned())
        }
        Source::Size => warnings.push(
            "Fewer than two seats scored the clusters, and nobody said which are promising: the one with the most ideas comes first.".to_owned(),
        ),
        Source::Scores => {
            match ranking.scores[ranking.order[0]].raters {
                0 => warnings.push(format!("Nobody gave {} marks for novelty, feasibility and impact alike; it leads on what there is.", best.name)),
                1 => warnings.push(format!("{} leads on the marks of one seat: the others had those ideas themselves or left it out.", best.name)),
                _ => {}
            }
            warnings.extend(lower_total_reason(ranking, clusters));
            if let (Some(rung), Some(second)) = (ranking.rung, ranking.tied.first()) {
                let other = &clusters[*second].name;
                let by = if rung == "order" { "the curator's order" } else { rung };
                warnings.push(format!("{} and {other} scored the same; {by} put the first before the second.", best.name));
            }
        }
    }
    warnings
}

/// A proposal from the best cluster; if nobody can write it, the cluster as it is.
async fn refine(bench: &Bench, pool: &Pool, clusters: &[Cluster], ranking: &Ranking) -> Result<Answer> {
    let phase = bench.phase("refinement");
    let best = ranking.order[0];
    let (cluster, score) = (&clusters[best], &ranking.scores[best]);
    let text_of = |cluster: &Cluster| json!({"name": cluster.name, "theme": cluster.theme, "ideas": pool.for_prompt(&cluster.members)});
    let tied: Value = ranking.tied.iter().take(2).map(|place| text_of(&clusters[*place])).collect();
    let [novelty, feasibility, impact] = score.means;
    let means = json!({"novelty": novelty, "feasibility": feasibility, "impact": impact});
    let ask = prompt!("refine", cluster = text_of(cluster), means, scored = score.total.is_some(), tied).fill("group", &cluster.name);
    let writers = closing::seats_of(bench, "refiner", bench.role("ideator").iter().copied());
    let written = closing::write(&phase, &writers, ask, "The proposal").await?;
    let text = written.as_ref().map_or_else(|| cluster_text(cluster, pool), |reply| reply.value.clone());
    let data = RefinementRow {
        winning_cluster_id: cluster.id.clone(),
        winning_cluster_name: cluster.name.clone(),
        winning_score: score.total,
        word_count: words(&text),
        tied_clusters: !ranking.tied.is_empty(),
        tied_count: ranking.tied.len(),
        total_ideas: pool.entries.len(),
        total_clusters: clusters.len(),
    };
    match written {
        Some(reply) => {
            phase.show("refinement", Exhibit::said("Proposal", reply.seat, "refiner", &reply.key).data(&data))?;
            Ok(Answer { kind: AnswerKind::Synthesis, text, by: vec![reply.seat] })
        }
        None => {
            phase.warn("Nobody could write the proposal; the best cluster is returned as it is.");
            let by = cluster.members.iter().flat_map(|member| pool.entries[*member].authors.clone());
            closing::computed(&phase, "refinement", "Best cluster", text, by, &data)
        }
    }
}

/// The cluster with its ideas, as an answer.
fn cluster_text(cluster: &Cluster, pool: &Pool) -> String {
    let heading = [format!("## {}", cluster.name), cluster.theme.clone()];
    let ideas = cluster.members.iter().map(|member| &pool.entries[*member].idea);
    let list: Vec<String> = ideas.map(|idea| format!("- **{}** {}", idea.title, idea.description).trim_end().to_owned()).collect();
    let parts = heading.into_iter().chain([list.join("\n")]).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("\n\n")
}
