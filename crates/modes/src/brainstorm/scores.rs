//! Scoring: every author rates the clusters without its own ideas in them, in an order of its own.

use super::clusters::Cluster;
use super::ideas::Pool;
use super::rows::{ScoreEntry, ScoringRow};
use crate::attendance;
use crate::text::{bare, blocks, score};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use synod_engine::{Bench, IdLists, Result, TypedReply, prompt};
use synod_types::{Exhibit, ScoreRow, Scorecard, SeatIx, Shape};

/// One scorer's ratings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scores {
    /// What speaks for and against each cluster, by its label, in at most 40 words each.
    pub reasons: String,
    /// One entry for each cluster you were shown.
    #[schemars(extend("x-each" = "clusters"))]
    pub scores: Vec<Mark>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Mark {
    /// The cluster's label.
    #[schemars(extend("x-ids" = "clusters"))]
    pub cluster: String,
    /// 1: everybody does it. 5: nobody has thought of it.
    #[schemars(range(min = 1, max = 5))]
    pub novelty: Option<u32>,
    /// 1: out of reach. 5: could be begun tomorrow.
    #[schemars(range(min = 1, max = 5))]
    pub feasibility: Option<u32>,
    /// 1: nobody would notice. 5: settles the matter.
    #[schemars(range(min = 1, max = 5))]
    pub impact: Option<u32>,
}

impl Mark {
    pub fn values(&self) -> [Option<u32>; 3] {
        [self.novelty, self.feasibility, self.impact]
    }
    /// From 3 to [`MOST`]; only of a whole mark.
    pub fn total(&self) -> Option<u32> {
        self.values().into_iter().sum()
    }
}

/// The highest total of a mark.
pub const MOST: u32 = 15;

pub const DIMENSIONS: [&str; 3] = ["Novelty", "Feasibility", "Impact"];

impl TypedReply for Scores {
    /// `Cluster K3: Novelty=4, Feasibility=4/5 Impact=3`, on one line or several.
    fn from_text(text: &str, terms: &IdLists) -> Option<Self> {
        let labels = terms.list("clusters");
        let marks = blocks(text, "CLUSTER").into_iter().filter_map(|block| {
            let cluster = labels.iter().find(|label| label.eq_ignore_ascii_case(&block.id))?.clone();
            let line = format!("{}\n{}", block.title, block.body);
            let [novelty, feasibility, impact] = DIMENSIONS.map(|name| rating(&line, name));
            Some(Mark { cluster, novelty, feasibility, impact }).filter(|mark| mark.values().iter().any(Option::is_some))
        });
        let marks: Vec<Mark> = marks.collect();
        let before = text.lines().take_while(|line| blocks(line, "CLUSTER").is_empty());
        (!marks.is_empty()).then(|| Self { reasons: before.collect::<Vec<_>>().join("\n").trim().to_owned(), scores: marks })
    }
}

/// The whole number from 1 to 5 right after `Name=` or `Name:`. Another scale, or none, is no rating.
fn rating(text: &str, name: &str) -> Option<u32> {
    let lower = text.to_ascii_lowercase();
    let name = name.to_ascii_lowercase();
    lower.match_indices(&name).find_map(|(at, _)| {
        let inside_a_word = lower[..at].chars().next_back().is_some_and(char::is_alphanumeric);
        let rest = lower[at + name.len()..].trim_start_matches(|c: char| c.is_whitespace() || "*_`".contains(c));
        let value = rest.strip_prefix(['=', ':']).filter(|_| !inside_a_word)?;
        let value = value.trim_start_matches(|c: char| c.is_whitespace() || "*_`[".contains(c));
        let end = value.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '/')).unwrap_or(value.len());
        let read = score(bare(value[..end].trim_end_matches('.')), 1.0, 5.0)?;
        (read.fract() == 0.0).then_some(read as u32)
    })
}

/// One scorer's marks, one a cluster; `None` where it was not shown the cluster or said nothing of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ScorerMarks {
    pub seat: SeatIx,
    pub reasons: String,
    pub marks: Vec<Option<Mark>>,
}

impl ScorerMarks {
    /// The first entry for each cluster counts: a cluster named twice is rated once.
    pub fn of(seat: SeatIx, scores: &Scores, clusters: &[Cluster]) -> Self {
        let usable = |mark: &&Mark| mark.values().iter().any(Option::is_some);
        let mark = |cluster: &Cluster| scores.scores.iter().filter(usable).find(|mark| mark.cluster == cluster.label).cloned();
        Self { seat, reasons: scores.reasons.trim().to_owned(), marks: clusters.iter().map(mark).collect() }
    }
    pub fn is_valid(&self) -> bool {
        self.marks.iter().flatten().next().is_some()
    }
}

/// What a scorer may see of a cluster: the ideas it did not have itself.
pub fn visible(cluster: &Cluster, pool: &Pool, scorer: SeatIx) -> Vec<usize> {
    cluster.members.iter().copied().filter(|member| !pool.entries[*member].authors.contains(&scorer)).collect()
}

/// Every seat that gave ideas scores. A cluster that holds nobody else's ideas is not shown to it.
pub async fn collect(bench: &Bench, pool: &Pool, clusters: &[Cluster]) -> Result<Vec<ScorerMarks>> {
    let phase = bench.phase("scoring");
    let orders = synod_math::orders(bench.seed("orders"), &vec![None; pool.authors.len()], clusters.len());
    let views: Vec<(SeatIx, Vec<usize>)> = pool.authors.iter().copied().zip(orders).collect();
    let views: Vec<(SeatIx, Vec<usize>)> = views
        .into_iter()
        .map(|(seat, order)| (seat, order.into_iter().filter(|place| !visible(&clusters[*place], pool, seat).is_empty()).collect()))
        .collect();
    let view = |seat: SeatIx| views.iter().find(|(reader, _)| *reader == seat).map(|(_, order)| order.as_slice()).unwrap_or_default();
    let scorers: Vec<SeatIx> = views.iter().filter(|(_, order)| !order.is_empty()).map(|(seat, _)| *seat).collect();
    let answers = phase
        .ask_each::<Scores>(&scorers, &|seat| {
            let shown = view(seat).iter().map(|place| &clusters[*place]);
            let texts: Value = shown
                .clone()
                .map(|cluster| json!({"label": cluster.label, "name": cluster.name, "theme": cluster.theme, "ideas": pool.for_prompt(&visible(cluster, pool, seat))}))
                .collect();
            prompt!("score", clusters = texts).ids("clusters", shown.map(|cluster| cluster.label.clone()))
        })
        .await?;
    let mut all: Vec<ScorerMarks> = Vec::new();
    for reply in &answers.replies {
        let scorer = ScorerMarks::of(reply.seat, &reply.value, clusters);
        if !scorer.is_valid() {
            phase.abstained(reply.seat, "gave no score that could be counted");
        }
        let shown = view(reply.seat);
        let exhibit = Exhibit::new("Scores", Shape::Scorecard(scorecard(&scorer, clusters, shown))).part("Reasons", &scorer.reasons);
        let exhibit = exhibit.by(reply.seat, "scorer").turn(&reply.key);
        phase.show(&format!("scoring_{}", reply.seat), exhibit.data(&scoring_row(&scorer, clusters, shown)))?;
        all.push(scorer);
    }
    for failed in &answers.failures {
        let shown = view(failed.seat).iter().map(|place| clusters[*place].id.clone()).collect();
        let data = ScoringRow { scores: Vec::new(), shown, error: Some(failed.failure.to_string()) };
        phase.show(&format!("scoring_{}", failed.seat), attendance::failure("Scores", "scorer", failed).data(&data))?;
    }
    Ok(all)
}

fn scorecard(scorer: &ScorerMarks, clusters: &[Cluster], shown: &[usize]) -> Scorecard {
    let row = |place: &usize| {
        let mark = scorer.marks[*place].as_ref();
        let cells = mark.map_or([None; 3], Mark::values).map(|value| value.map(f64::from)).to_vec();
        let note = mark.and_then(Mark::total).map_or_else(String::new, |total| format!("total {total} of 15"));
        ScoreRow { name: format!("{} {}", clusters[*place].label, clusters[*place].name), cells, note, ..ScoreRow::default() }
    };
    let columns = DIMENSIONS.map(str::to_lowercase).to_vec();
    Scorecard { scale: (1.0, 5.0), columns, of: "Cluster".into(), rows: shown.iter().map(row).collect(), ..Scorecard::default() }
}

fn scoring_row(scorer: &ScorerMarks, clusters: &[Cluster], shown: &[usize]) -> ScoringRow {
    let entry = |place: &usize| {
        let mark = scorer.marks[*place].as_ref()?;
        let cluster = &clusters[*place];
        Some(ScoreEntry {
            cluster_id: cluster.id.clone(),
            label: cluster.label.clone(),
            novelty: mark.novelty,
            feasibility: mark.feasibility,
            impact: mark.impact,
            total: mark.total(),
        })
    };
    let ids = shown.iter().map(|place| clusters[*place].id.clone()).collect();
    ScoringRow { scores: shown.iter().filter_map(entry).collect(), shown: ids, error: None }
}
