//! Clustering: a curator groups the pool by theme without knowing whose ideas they are. What it leaves out is put where it fits best.

use super::ideas::Pool;
use crate::text::{blocks, field, token};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use synod_engine::{Bench, IdLists, Result, TypedReply, prompt};
use synod_math::groups;
use synod_types::{Cluster as Shown, Clusters, Exhibit, SeatIx, Shape};

/// An idea joins a cluster the curator did not put it in only if it is at least this like its members.
const NEAR: f64 = 0.15;

/// The pool in groups.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Clustering {
    /// What the ideas have in common and what parts them, in a few sentences.
    pub reasons: String,
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

/// From least to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Promise {
    Low,
    Medium,
    High,
}

const LABELS: [&str; 3] = ["Theme", "Promise", "Ideas"];

impl TypedReply for Clustering {
    /// `CLUSTER n: name` with the lines `Theme:`, `Promise:` and `Ideas:` below it, blank lines between them or not.
    fn from_text(text: &str, terms: &IdLists) -> Option<Self> {
        let themes = blocks(text, "CLUSTER").into_iter().map(|block| {
            let value = |label: &str| field(&block.body, label, &LABELS);
            let promise = value("Promise").and_then(|value| token(&value, &["HIGH", "MEDIUM", "LOW"])).map(|said| match said {
                "HIGH" => Promise::High,
                "MEDIUM" => Promise::Medium,
                _ => Promise::Low,
            });
            let ideas = value("Ideas").map(|list| known(&list, terms.list("ideas"))).unwrap_or_default();
            Theme { name: block.title.clone(), theme: value("Theme").unwrap_or_default(), promise, ideas }
        });
        let before = text.lines().take_while(|line| blocks(line, "CLUSTER").is_empty());
        Some(Self { reasons: before.collect::<Vec<_>>().join("\n").trim().to_owned(), clusters: themes.collect() })
    }

    fn check(&self, _terms: &IdLists) -> Result<(), String> {
        if self.clusters.iter().any(|theme| !theme.ideas.is_empty()) { Ok(()) } else { Err("no cluster holds an idea".to_owned()) }
    }
}

/// The ids a list names, in its order.
fn known(list: &str, ids: &[String]) -> Vec<String> {
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
pub struct Arranged {
    pub clusters: Vec<Cluster>,
    /// Ids the curator put nowhere.
    pub unclustered: Vec<String>,
    /// Names of clusters beyond the limit.
    pub dissolved: Vec<String>,
}

/// Fewer ideas than this fall into clusters of two or so.
const FEW: usize = 10;

/// How many clusters so many ideas may fall into.
pub fn limit(max_clusters: u32, ideas: usize) -> usize {
    let most = max_clusters as usize;
    if ideas < FEW { most.min((ideas / 2).max(3)) } else { most }
}

impl Arranged {
    /// Every idea ends in exactly one cluster: the first that names it, else the nearest, else a last one for the rest. That one counts like
    /// the others: where the limit leaves no place for it, the rest goes to whatever is nearest, however far that is.
    pub fn of(clustering: Clustering, pool: &Pool, most: usize) -> Self {
        let mut free: Vec<usize> = (0..pool.entries.len()).collect();
        let mut arranged = Self::default();
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
            if arranged.clusters.len() == most {
                arranged.dissolved.push(theme.name);
                continue;
            }
            free.retain(|member| !members.contains(member));
            arranged.clusters.push(cluster(theme.name, theme.theme, theme.promise, members, pool));
        }
        arranged.unclustered = pool.ids(&free);
        // By the curator's own members only, so that no newcomer draws others after it.
        let own: Vec<Vec<usize>> = arranged.clusters.iter().map(|cluster| cluster.members.clone()).collect();
        let near = if own.len() < most { NEAR } else { 0.0 };
        let mut rest: Vec<usize> = Vec::new();
        for member in free {
            match groups::nearest(member, &own, near, |a, b| pool.alike(a, b)) {
                Some(place) => arranged.clusters[place].members.push(member),
                None => rest.push(member),
            }
        }
        if !rest.is_empty() {
            arranged.clusters.push(cluster("Other ideas".into(), "What fits none of the other clusters".into(), None, rest, pool));
        }
        arranged
    }

    /// Without a curator: by likeness alone, never by author. Nobody has said what is promising, so nothing is.
    pub fn computed(pool: &Pool, most: usize) -> Self {
        let found = groups::groups(pool.entries.len(), NEAR, most, |a, b| pool.alike(a, b));
        let named = found.into_iter().map(|members| {
            let middle = groups::middle(&members, |a, b| pool.alike(a, b)).unwrap_or(members[0]);
            cluster(pool.entries[middle].idea.title.clone(), String::new(), None, members, pool)
        });
        Self { clusters: named.collect(), ..Self::default() }
    }

    /// Ids by the curator's order; labels from the seed, which say nothing of it.
    fn named(mut self, seed: u64) -> Self {
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

/// The curator, or the next seat; if nobody can, likeness.
pub async fn arrange(bench: &Bench, pool: &Pool, max_clusters: u32) -> Result<Vec<Cluster>> {
    let stage = bench.phase("clustering");
    let most = limit(max_clusters, pool.entries.len());
    let all: Vec<usize> = (0..pool.entries.len()).collect();
    let mut curators: Vec<SeatIx> = bench.role("curator").to_vec();
    curators.extend(bench.role("ideator").iter().filter(|seat| !bench.role("curator").contains(seat)));
    let ask = prompt!("clusters", ideas = pool.shown(&all), most).ids("ideas", pool.ids(&all));
    let given = stage.ask_first::<Clustering>(&curators, ask).await?;
    let seed = bench.seed("clusters");
    let arranged = match &given {
        Some(given) => Arranged::of(given.value.clone(), pool, most).named(seed),
        None => {
            stage.warn("Nobody could group the ideas; they were grouped by the words they share.");
            Arranged::computed(pool, most).named(seed)
        }
    };
    if !arranged.dissolved.is_empty() {
        stage.warn(format!("More than {most} clusters were made; the ideas of the last ({}) went to the others.", arranged.dissolved.join("; ")));
    }
    let exhibit = Exhibit::new("Clusters", Shape::Clusters(picture(&arranged.clusters, pool))).data(&data(&arranged, pool, given.is_none()));
    let exhibit = match &given {
        Some(given) => exhibit.by(given.seat, "curator").turn(&given.key),
        None => exhibit,
    };
    stage.show("clustering", exhibit)?;
    Ok(arranged.clusters)
}

fn picture(clusters: &[Cluster], pool: &Pool) -> Clusters {
    let one = |cluster: &Cluster| Shown {
        id: cluster.label.clone(),
        name: cluster.name.clone(),
        theme: cluster.theme.clone(),
        items: pool.named(&cluster.members),
        note: cluster.promise.map_or_else(String::new, |promise| format!("promise: {}", word(promise))),
        ..Shown::default()
    };
    Clusters { clusters: clusters.iter().map(one).collect() }
}

fn word(promise: Promise) -> &'static str {
    match promise {
        Promise::Low => "low",
        Promise::Medium => "medium",
        Promise::High => "high",
    }
}

fn data(arranged: &Arranged, pool: &Pool, computed: bool) -> Value {
    let one = |cluster: &Cluster| {
        json!({
            "id": cluster.id, "label": cluster.label, "name": cluster.name, "theme": cluster.theme, "promise": cluster.promise,
            "ideaIds": pool.ids(&cluster.members), "ideaCount": cluster.members.len(),
        })
    };
    let merged = pool.entries.iter().filter(|entry| !entry.merged.is_empty()).map(|entry| json!({"id": entry.id, "merged": entry.merged}));
    json!({
        "clusters": arranged.clusters.iter().map(one).collect::<Value>(), "totalClusters": arranged.clusters.len(),
        "unclusteredCount": arranged.unclustered.len(), "unclusteredIds": arranged.unclustered, "fallback": computed,
        "merged": merged.collect::<Value>(),
    })
}
