//! Clustering: a curator groups the pool by theme without knowing whose ideas they are. What it leaves out is put where it fits best.

use super::ideas::Pool;
use super::rows::{ClusterEntry, ClusteringRow, MergedIdea};
use crate::closing;
use crate::text::{after_last_marker, bare, blocks, field, token};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{Bench, IdLists, Result, TypedReply, prompt};
use synod_math::groups;
use synod_types::{Cluster as ShownCluster, Clusters, Exhibit, Shape, words};

/// Fewer clusters than this need a reason.
const LEAST: usize = 3;

/// The least likeness to a cluster's members with which an idea joins a cluster the curator did not put it in.
const NEAR: f64 = 0.15;

/// The pool in groups.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Clustering {
    /// What the ideas have in common and what parts them, in at most 100 words.
    pub reasons: String,
    /// If you make fewer than three clusters, why these ideas cannot be parted further, in a sentence; else null.
    #[serde(default)]
    pub why_fewer: Option<String>,
    /// The clusters. Every idea belongs to exactly one.
    #[schemars(length(min = 1))]
    pub clusters: Vec<Theme>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Theme {
    /// A few words.
    pub name: String,
    /// What its ideas share, in a sentence.
    pub theme: String,
    /// How far something worth doing could be made of it.
    pub promise: Option<Promise>,
    /// Its ideas, by id.
    #[schemars(extend("items" = {"type": "string", "x-ids": "ideas"}))]
    pub ideas: Vec<String>,
}

impl Clustering {
    /// Why there are fewer clusters than asked for, where it says so.
    fn stated(&self) -> Option<&str> {
        self.why_fewer.as_deref().map(str::trim).filter(|why| !why.is_empty())
    }
}

words! {
    /// From least to most.
    #[derive(PartialOrd, Ord)]
    pub enum Promise { Low = "LOW", Medium = "MEDIUM", High = "HIGH" }
}

const LABELS: [&str; 3] = ["Theme", "Promise", "Ideas"];

impl TypedReply for Clustering {
    /// `CLUSTER n: name` with the lines `Theme:`, `Promise:` and `Ideas:` below it, blank lines between them or not.
    fn from_text(text: &str, terms: &IdLists) -> Option<Self> {
        let themes = blocks(text, "CLUSTER").into_iter().map(|block| {
            let value = |label: &str| field(&block.body, label, &LABELS);
            let promise = value("Promise").and_then(|value| Promise::parse(token(&value, &Promise::WORDS)?));
            let ideas = value("Ideas").map(|list| known_ids(&list, terms.list("ideas"))).unwrap_or_default();
            Theme { name: block.title.clone(), theme: value("Theme").unwrap_or_default(), promise, ideas }
        });
        let before = text.lines().take_while(|line| blocks(line, "CLUSTER").is_empty());
        let why_fewer = after_last_marker(text, "WHY FEWER:").and_then(|(_, rest)| Some(bare(rest.lines().next()?).to_owned()));
        Some(Self { reasons: before.collect::<Vec<_>>().join("\n").trim().to_owned(), why_fewer, clusters: themes.collect() })
    }

    fn check(&self, terms: &IdLists) -> Result<(), String> {
        let made = self.clusters.iter().filter(|theme| !theme.ideas.is_empty()).count();
        match made {
            0 => Err("no cluster holds an idea".to_owned()),
            1 | 2 if terms.list("ideas").len() >= LEAST && self.stated().is_none() => {
                Err(format!("{made} clusters are fewer than {LEAST}: part the ideas further, or say in why_fewer why that cannot be done"))
            }
            _ => Ok(()),
        }
    }
}

/// The ids a list names, in its order.
fn known_ids(list: &str, ids: &[String]) -> Vec<String> {
    let words = list.split(|c: char| !c.is_alphanumeric());
    words.filter_map(|word| ids.iter().find(|id| id.eq_ignore_ascii_case(word)).cloned()).collect()
}

/// A cluster of the pool.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// By the curator's order, for the record: `cluster_1`.
    pub id: String,
    /// What scorers know it by.
    pub label: String,
    pub name: String,
    pub theme: String,
    pub promise: Option<Promise>,
    /// Places in the pool.
    pub members: Vec<usize>,
}

/// Clusters, and what had to be done to have every idea in one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arrangement {
    pub clusters: Vec<Cluster>,
    /// Ids the curator put nowhere.
    pub unclustered: Vec<String>,
    /// Names of clusters beyond the limit.
    pub dissolved: Vec<String>,
}

/// With fewer ideas than this there may be one cluster for every two of them, and three at least.
const FEW: usize = 10;

/// How many clusters so many ideas may fall into.
pub fn limit(max_clusters: u32, ideas: usize) -> usize {
    let most = max_clusters as usize;
    if ideas < FEW { most.min((ideas / 2).max(3)) } else { most }
}

impl Arrangement {
    /// Every idea ends in exactly one cluster: the first that names it, else the nearest, else a last one for the rest. That one counts like
    /// the others: where the limit leaves no place for it, the rest goes to whatever is nearest, however far that is.
    pub fn of(clustering: Clustering, pool: &Pool, most: usize) -> Self {
        let mut free: Vec<usize> = (0..pool.entries.len()).collect();
        let mut arrangement = Self::default();
        for theme in clustering.clusters {
            let place = |id: &String| pool.entries.iter().position(|entry| entry.id == *id);
            let mut members: Vec<usize> = Vec::new();
            for member in theme.ideas.iter().filter_map(place).filter(|member| free.contains(member)) {
                if !members.contains(&member) {
                    members.push(member);
                }
            }
            if members.is_empty() {
                continue;
            }
            if arrangement.clusters.len() == most {
                arrangement.dissolved.push(theme.name);
                continue;
            }
            free.retain(|member| !members.contains(member));
            arrangement.clusters.push(cluster(theme.name, theme.theme, theme.promise, members, pool));
        }
        arrangement.unclustered = pool.ids(&free);
        // Compared with the curator's own members only: what joins a cluster here must not draw others into it.
        let own: Vec<Vec<usize>> = arrangement.clusters.iter().map(|cluster| cluster.members.clone()).collect();
        let near = if own.len() < most { NEAR } else { 0.0 };
        let mut rest: Vec<usize> = Vec::new();
        for member in free {
            match groups::nearest(member, &own, near, |a, b| pool.likeness(a, b)) {
                Some(place) => arrangement.clusters[place].members.push(member),
                None => rest.push(member),
            }
        }
        if !rest.is_empty() {
            arrangement.clusters.push(cluster("Other ideas".into(), "What fits none of the other clusters".into(), None, rest, pool));
        }
        arrangement
    }

    /// Without a curator: grouped by likeness alone, never by author, and without a promise, which only a curator gives.
    pub fn computed(pool: &Pool, most: usize) -> Self {
        let found = groups::groups(pool.entries.len(), NEAR, most, |a, b| pool.likeness(a, b));
        let named = found.into_iter().map(|members| {
            let middle = groups::middle(&members, |a, b| pool.likeness(a, b)).unwrap_or(members[0]);
            cluster(pool.entries[middle].idea.title.clone(), String::new(), None, members, pool)
        });
        Self { clusters: named.collect(), ..Self::default() }
    }

    /// Ids by the curator's order; labels from the seed, which say nothing of it.
    fn with_ids_and_labels(mut self, seed: u64) -> Self {
        let labels = synod_math::labels(seed, self.clusters.len());
        for (place, (cluster, label)) in self.clusters.iter_mut().zip(labels).enumerate() {
            cluster.id = format!("cluster_{}", place + 1);
            cluster.label = label;
        }
        self
    }
}

fn cluster(name: String, theme: String, promise: Option<Promise>, members: Vec<usize>, pool: &Pool) -> Cluster {
    let has_words = name.chars().any(char::is_alphanumeric);
    let name =
        if has_words { name.trim().to_owned() } else { members.first().map_or_else(String::new, |first| pool.entries[*first].idea.title.clone()) };
    Cluster { id: String::new(), label: String::new(), name, theme, promise, members }
}

/// The curator groups the ideas, or the next seat; if nobody can, they are grouped by likeness.
pub async fn arrange(bench: &Bench, pool: &Pool, max_clusters: u32) -> Result<Vec<Cluster>> {
    let phase = bench.phase("clustering");
    let most = limit(max_clusters, pool.entries.len());
    let all: Vec<usize> = (0..pool.entries.len()).collect();
    let curators = closing::seats_of(bench, "curator", bench.role("ideator").iter().copied());
    let ask = prompt!("clusters", ideas = pool.for_prompt(&all), most).ids("ideas", pool.ids(&all));
    let reply = phase.ask_first::<Clustering>(&curators, ask).await?;
    let seed = bench.seed("clusters");
    let arrangement = match &reply {
        Some(reply) => Arrangement::of(reply.value.clone(), pool, most).with_ids_and_labels(seed),
        None => {
            phase.warn("Nobody could group the ideas; they were grouped by the words they share.");
            Arrangement::computed(pool, most).with_ids_and_labels(seed)
        }
    };
    if !arrangement.dissolved.is_empty() {
        phase.warn(format!("More than {most} clusters were made; the ideas of the last ({}) went to the others.", arrangement.dissolved.join("; ")));
    }
    let few = arrangement.clusters.len() < LEAST;
    let stated = reply.as_ref().and_then(|reply| reply.value.stated()).map(str::to_owned);
    let why_fewer = few.then(|| stated.unwrap_or_else(|| format!("the {} ideas share too many words to be parted further", pool.entries.len())));
    let row = clustering_row(&arrangement, pool, reply.is_none(), why_fewer.clone());
    let exhibit = Exhibit::new("Clusters", Shape::Clusters(clusters_shape(&arrangement.clusters, pool))).data(&row);
    let exhibit = match &reply {
        Some(reply) => exhibit.part("What parts them", &reply.value.reasons).by(reply.seat, "curator").turn(&reply.key),
        None => exhibit,
    };
    let exhibit = exhibit.part("Why fewer than three", why_fewer.unwrap_or_default());
    phase.show("clustering", exhibit)?;
    Ok(arrangement.clusters)
}

fn clusters_shape(clusters: &[Cluster], pool: &Pool) -> Clusters {
    let shown = |cluster: &Cluster| ShownCluster {
        id: cluster.label.clone(),
        name: cluster.name.clone(),
        theme: cluster.theme.clone(),
        items: pool.ids_and_titles(&cluster.members),
        note: cluster.promise.map_or_else(String::new, |promise| format!("promise: {}", promise.as_str().to_lowercase())),
        ..ShownCluster::default()
    };
    Clusters { clusters: clusters.iter().map(shown).collect() }
}

fn clustering_row(arrangement: &Arrangement, pool: &Pool, fallback: bool, why_fewer: Option<String>) -> ClusteringRow {
    let entry = |cluster: &Cluster| ClusterEntry {
        id: cluster.id.clone(),
        label: cluster.label.clone(),
        name: cluster.name.clone(),
        theme: cluster.theme.clone(),
        promise: cluster.promise,
        idea_ids: pool.ids(&cluster.members),
        idea_count: cluster.members.len(),
    };
    let repeated = pool.entries.iter().filter(|entry| !entry.merged.is_empty());
    ClusteringRow {
        clusters: arrangement.clusters.iter().map(entry).collect(),
        total_clusters: arrangement.clusters.len(),
        why_fewer,
        unclustered_count: arrangement.unclustered.len(),
        unclustered_ids: arrangement.unclustered.clone(),
        fallback,
        merged: repeated.map(|entry| MergedIdea { id: entry.id.clone(), merged: entry.merged.clone() }).collect(),
    }
}
