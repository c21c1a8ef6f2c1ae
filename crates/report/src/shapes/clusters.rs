//! Ideas by theme, with their scores.

use crate::figures::{score_or_none, several};
use crate::html::safe::{Html, render};
use crate::markdown::quote::inline;
use crate::markdown::table::Side::{Left, Right};
use crate::markdown::table::{para, table};
use crate::terminal::entries::{LIST, below, entries, entry, sum};
use crate::terminal::exhibit::Length;
use crate::terminal::paper::{Ink, Paper};
use crate::text::one_line;
use crate::words::{id_and_name, led, plain};
use askama::Template;
use synod_types::{Cluster, Clusters, Exhibit};

pub fn terminal(paper: &mut Paper, clusters: &Clusters, length: Length) {
    entries(paper, &clusters.clusters, length, LIST, |paper, each| cluster(paper, each, length));
    if clusters.clusters.is_empty() {
        sum(paper, "No clusters.");
    }
}

fn cluster(paper: &mut Paper, each: &Cluster, length: Length) {
    let mut parts = vec![id_and_name(&each.id, &each.name)];
    if each.chosen {
        parts.push("chosen".to_owned());
    }
    parts.push(several(each.items.len() as u64, "item", "items"));
    parts.extend(Some(scores(each)).filter(|scores| !scores.is_empty()));
    let line = parts.join(paper.dot());
    entry(paper, false, &line);
    if length == Length::Brief {
        return;
    }
    below(paper, &one_line(&each.theme));
    for (id, title) in &each.items {
        paper.hanging(Ink::PLAIN, "      - ", "        ", &id_and_name(id, title));
    }
    below(paper, &one_line(&each.note));
}

pub fn markdown(clusters: &Clusters) -> String {
    // Scores are columns where any cluster has them.
    let mut scores: Vec<&str> = Vec::new();
    for (name, _) in clusters.clusters.iter().flat_map(|each| &each.scores) {
        if !scores.contains(&name.as_str()) {
            scores.push(name);
        }
    }
    let mut heads = vec![("Id".to_owned(), Left), ("Cluster".to_owned(), Left), ("Items".to_owned(), Right)];
    heads.extend(scores.iter().map(|name| (plain(name), Right)));
    heads.push((String::new(), Left));
    let heads: Vec<_> = heads.iter().map(|(name, side)| (name.as_str(), *side)).collect();
    let rows: Vec<Vec<String>> = clusters
        .clusters
        .iter()
        .map(|each| {
            let value = |name: &&str| score_or_none(each.scores.iter().find(|(known, _)| known == name).and_then(|(_, value)| *value));
            let mut row = vec![each.id.clone(), each.name.clone(), each.items.len().to_string()];
            row.extend(scores.iter().map(value));
            row.push(if each.chosen { "chosen".to_owned() } else { String::new() });
            row
        })
        .collect();
    let mut out = if rows.is_empty() { "No clusters.\n\n".to_owned() } else { table(&heads, &rows) };
    for each in &clusters.clusters {
        out.push_str(&para(&format!("{}{}", id_and_name(&each.id, &each.name), led(": ", &one_line(&each.theme)))));
        let items: String = each.items.iter().map(|(id, title)| format!("- {}\n", inline(&id_and_name(id, title)))).collect();
        if !items.is_empty() {
            out.push_str(&format!("{items}\n"));
        }
        out.push_str(&para(&each.note));
    }
    out
}

#[derive(Template)]
#[template(path = "shapes/clusters.html")]
struct Page<'a> {
    clusters: &'a Clusters,
    /// Stands above them already.
    title: String,
}

impl Page<'_> {
    fn name(&self, cluster: &Cluster) -> Option<String> {
        Some(id_and_name(&cluster.id, &cluster.name)).filter(|name| *name != self.title)
    }
}

pub fn html(exhibit: &Exhibit, clusters: &Clusters) -> Html {
    render(&Page { clusters, title: one_line(&exhibit.title) })
}

/// `novelty 8, impact not scored`.
fn scores(cluster: &Cluster) -> String {
    cluster.scores.iter().map(|(name, value)| format!("{} {}", plain(name), score_or_none(*value))).collect::<Vec<_>>().join(", ")
}
