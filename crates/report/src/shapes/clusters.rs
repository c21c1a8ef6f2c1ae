//! Ideas by theme, with their scores.

use crate::figures::{score_or_none, several};
use crate::html::part::{label, soft};
use crate::html::safe::esc;
use crate::markdown::quote::inline;
use crate::markdown::table::Side::{Left, Right};
use crate::markdown::table::{para, table};
use crate::terminal::entries::{LIST, below, entries, entry, sum};
use crate::terminal::exhibit::Length;
use crate::terminal::paper::{Ink, Paper};
use crate::text::one_line;
use crate::words::{id_and_name, led, plain};
use synod_types::{Cluster, Clusters};

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

pub fn html(clusters: &Clusters) -> String {
    if clusters.clusters.is_empty() {
        return "<p>No clusters.</p>".to_owned();
    }
    format!("<div class=\"cards\">{}</div>", clusters.clusters.iter().map(card).collect::<String>())
}

fn card(cluster: &Cluster) -> String {
    let (class, chosen) = match cluster.chosen {
        true => (" chosen", "<span class=\"badge\"><span aria-hidden=\"true\">● </span>chosen</span> "),
        false => ("", ""),
    };
    let scores: String =
        cluster.scores.iter().map(|(name, value)| format!("<dt>{}</dt><dd>{}</dd>", esc(&plain(name)), score_or_none(*value))).collect();
    let scores = if scores.is_empty() { scores } else { format!("<dl class=\"scores\">{scores}</dl>") };
    let items: String = cluster.items.iter().map(|(id, title)| format!("<li>{}{}</li>", label(id), esc(title))).collect();
    let items = if items.is_empty() { items } else { format!("<ul>{items}</ul>") };
    format!(
        "<article class=\"card{class}\"><h5>{}</h5>{chosen}{}{scores}{items}{}</article>",
        esc(&id_and_name(&cluster.id, &cluster.name)),
        soft(&cluster.theme),
        soft(&cluster.note)
    )
}

/// `novelty 8, impact not scored`.
fn scores(cluster: &Cluster) -> String {
    cluster.scores.iter().map(|(name, value)| format!("{} {}", plain(name), score_or_none(*value))).collect::<Vec<_>>().join(", ")
}
