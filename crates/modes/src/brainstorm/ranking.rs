//! Which cluster is best: by the scorers' marks, each scorer's put on one scale; by promise where too few scored; by size where nobody said
//! what is promising. A single cluster is scored too: what it is worth is not known from its being alone.

use super::clusters::{Cluster, Promise};
use super::ideas::Pool;
use super::rows::{RankedCluster, RankingRow};
use super::scores::{Mark, ScorerMarks};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_math::standard::{mean, standard};
use synod_types::{Cluster as ShownCluster, Clusters, Exhibit, Shape};

/// The fewest scorers whose marks decide.
const LEAST: usize = 2;

/// What put the clusters in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The scorers' marks.
    Scores,
    /// What the curator thought of them: fewer than two seats scored.
    Promise,
    /// How many ideas they hold: fewer than two seats scored, and nobody said what is promising.
    Size,
    /// There is only one.
    Only,
}

/// What one cluster was given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClusterScore {
    /// Mean of the scorers' standard scores: what decides.
    pub standard: Option<f64>,
    /// Plain means of novelty, feasibility and impact, 1 to 5.
    pub means: [Option<f64>; 3],
    /// Plain mean of the totals, 3 to 15.
    pub total: Option<f64>,
    /// Whole marks it rests on.
    pub raters: u32,
}

/// Clusters from best to worst.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    pub order: Vec<usize>,
    pub scores: Vec<ClusterScore>,
    pub source: Source,
    pub scorers: usize,
    /// Those with the same score as the first; `rung` says what put it before them.
    pub tied: Vec<usize>,
    /// What put the first before the next of them: impact, feasibility, promise, or the order of the curator.
    pub rung: Option<&'static str>,
}

impl Ranking {
    pub fn of(clusters: &[Cluster], rated: &[ScorerMarks]) -> Self {
        let valid: Vec<&ScorerMarks> = rated.iter().filter(|rated| rated.is_valid()).collect();
        let source = match (clusters.len(), valid.len()) {
            (..=1, _) => Source::Only,
            (_, LEAST..) => Source::Scores,
            (..) if clusters.iter().any(|cluster| cluster.promise.is_some()) => Source::Promise,
            (..) => Source::Size,
        };
        let scores = if valid.len() >= LEAST { cluster_scores(clusters.len(), &valid) } else { vec![ClusterScore::default(); clusters.len()] };
        let keys: Vec<RankKey> = clusters.iter().zip(&scores).map(|(cluster, score)| RankKey::of(cluster, score)).collect();
        let mut order: Vec<usize> = (0..clusters.len()).collect();
        match source {
            Source::Size => order.sort_by_key(|place| (std::cmp::Reverse(clusters[*place].members.len()), *place)),
            Source::Scores | Source::Promise | Source::Only => order.sort_by_key(|place| (std::cmp::Reverse(keys[*place].clone()), *place)),
        }
        let best = order.first().map(|first| keys[*first].clone()).unwrap_or_default();
        let equal = |place: &usize| match source {
            Source::Scores => keys[*place].standard == best.standard,
            Source::Promise => keys[*place].promise == best.promise,
            // Nobody judged them, so none is tied.
            Source::Size | Source::Only => false,
        };
        let tied: Vec<usize> = order.iter().skip(1).copied().filter(equal).collect();
        let rung = tied.first().map(|second| if source == Source::Scores { best.over(&keys[*second]) } else { "order" });
        Self { order, scores, source, scorers: valid.len(), tied, rung }
    }

    /// The cluster whose plain mean is above that of the first, where there is one.
    pub fn higher_total(&self) -> Option<usize> {
        let best = self.scores[self.order[0]].total?;
        let higher = self.order.iter().skip(1).copied().filter(|place| self.scores[*place].total.is_some_and(|total| total > best));
        higher.max_by(|a, b| self.scores[*a].total.unwrap_or(0.0).total_cmp(&self.scores[*b].total.unwrap_or(0.0)))
    }
}

/// Why a cluster comes first whose plain mean is not the highest.
pub fn lower_total_reason(ranking: &Ranking, clusters: &[Cluster]) -> Option<String> {
    let (best, other) = (ranking.order[0], ranking.higher_total()?);
    let total = |place: usize| ranking.scores[place].total.unwrap_or(0.0);
    let why = "each scorer's marks are put on one scale first, so that a mild scorer does not outweigh a harsh one, and nobody marks their own ideas";
    Some(format!(
        "{} comes first with {:.1} of 15 on average, though {} has {:.1}: {why}.",
        clusters[best].name,
        total(best),
        clusters[other].name,
        total(other)
    ))
}

fn cluster_scores(clusters: usize, valid: &[&ScorerMarks]) -> Vec<ClusterScore> {
    let totals: Vec<Vec<Option<f64>>> =
        valid.iter().map(|rated| rated.marks.iter().map(|mark| mark.as_ref()?.total().map(f64::from)).collect()).collect();
    let standard_scores = standard(&totals, clusters);
    let one = |place: usize| {
        let marks: Vec<&Mark> = valid.iter().filter_map(|rated| rated.marks[place].as_ref()).collect();
        let given: Vec<f64> = totals.iter().filter_map(|row| row[place]).collect();
        ClusterScore {
            standard: standard_scores[place],
            means: [0, 1, 2].map(|at| mean(marks.iter().filter_map(|mark| mark.values()[at]).map(f64::from))),
            total: mean(given.iter().copied()),
            raters: given.len() as u32,
        }
    };
    (0..clusters).map(one).collect()
}

/// What is compared, first to last. Numbers are rounded to whole billionths, which removes rounding errors and no difference that counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct RankKey {
    standard: Option<i64>,
    impact: Option<i64>,
    feasibility: Option<i64>,
    promise: Option<Promise>,
}

impl RankKey {
    fn of(cluster: &Cluster, score: &ClusterScore) -> Self {
        let fixed = |value: Option<f64>| value.map(|value| (value * 1e9).round() as i64);
        let [_, feasibility, impact] = score.means;
        Self { standard: fixed(score.standard), impact: fixed(impact), feasibility: fixed(feasibility), promise: cluster.promise }
    }

    /// The first rung on which this one stands above the other.
    fn over(&self, other: &Self) -> &'static str {
        if self.impact != other.impact {
            "impact"
        } else if self.feasibility != other.feasibility {
            "feasibility"
        } else if self.promise != other.promise {
            "promise"
        } else {
            "order"
        }
    }
}

/// The clusters best first, with what each was given.
pub fn exhibit(ranking: &Ranking, clusters: &[Cluster], pool: &Pool) -> Exhibit {
    let shown = ranking.order.iter().enumerate().map(|(rank, place)| {
        let (cluster, score) = (&clusters[*place], &ranking.scores[*place]);
        let [novelty, feasibility, impact] = score.means;
        let scores =
            [("novelty", novelty), ("feasibility", feasibility), ("impact", impact), ("total", score.total), ("standard score", score.standard)];
        ShownCluster {
            id: cluster.label.clone(),
            name: cluster.name.clone(),
            theme: cluster.theme.clone(),
            items: pool.ids_and_titles(&cluster.members),
            scores: if score.raters > 0 || ranking.source == Source::Scores {
                scores.map(|(name, value)| (name.to_owned(), value)).to_vec()
            } else {
                Vec::new()
            },
            note: note(ranking, score),
            chosen: rank == 0,
        }
    });
    Exhibit::new("Clusters, best first", Shape::Clusters(Clusters { clusters: shown.collect() }))
        .part("Why not the highest total", lower_total_reason(ranking, clusters).unwrap_or_default())
        .data(&ranking_row(ranking, clusters))
}

fn note(ranking: &Ranking, score: &ClusterScore) -> String {
    match (ranking.source, score.raters) {
        (Source::Only, 0) => "the only cluster".to_owned(),
        (Source::Only, raters) => format!("the only cluster; marked by {raters} seats"),
        (Source::Promise, _) => "ordered by promise: too few seats scored".to_owned(),
        (Source::Size, _) => "ordered by size: too few seats scored, and nobody said what is promising".to_owned(),
        (Source::Scores, 0) => "nobody gave it a whole mark".to_owned(),
        (Source::Scores, 1) => "rests on one seat's mark".to_owned(),
        (Source::Scores, raters) => format!("marked by {raters} seats"),
    }
}

fn ranking_row(ranking: &Ranking, clusters: &[Cluster]) -> RankingRow {
    let ranked = |(rank, place): (usize, &usize)| {
        let (cluster, score) = (&clusters[*place], &ranking.scores[*place]);
        let [novelty, feasibility, impact] = score.means;
        RankedCluster {
            rank: rank + 1,
            id: cluster.id.clone(),
            label: cluster.label.clone(),
            name: cluster.name.clone(),
            promise: cluster.promise,
            average_novelty: novelty,
            average_feasibility: feasibility,
            average_impact: impact,
            average_score: score.total,
            standard_score: score.standard,
            raters: score.raters,
        }
    };
    RankingRow {
        ranked_clusters: ranking.order.iter().enumerate().map(ranked).collect(),
        scorer_count: ranking.scorers,
        source: ranking.source,
        tied: ranking.tied.iter().map(|place| clusters[*place].id.clone()).collect(),
        tie_rung: ranking.rung,
    }
}
