//! Clusters as cards.

use super::{label, soft};
use crate::figures::score_or_none;
use crate::html::safe::esc;
use crate::words;
use synod_types::{Cluster, Clusters};

pub fn clusters(clusters: &Clusters) -> String {
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
        cluster.scores.iter().map(|(name, value)| format!("<dt>{}</dt><dd>{}</dd>", esc(&words::plain(name)), score_or_none(*value))).collect();
    let scores = if scores.is_empty() { scores } else { format!("<dl class=\"scores\">{scores}</dl>") };
    let items: String = cluster.items.iter().map(|(id, title)| format!("<li>{}{}</li>", label(id), esc(title))).collect();
    let items = if items.is_empty() { items } else { format!("<ul>{items}</ul>") };
    format!(
        "<article class=\"card{class}\"><h5>{}</h5>{chosen}{}{scores}{items}{}</article>",
        esc(&words::id_and_name(&cluster.id, &cluster.name)),
        soft(&cluster.theme),
        soft(&cluster.note)
    )
}
