//! Findings, checks and clusters: a table to look over, then the words behind each entry.

use super::Side::{Left, Right};
use super::{para, table};
use crate::figures::score_or_none;
use crate::markdown::quote::{inline, quote};
use crate::text::one_line;
use crate::words;
use synod_types::{Checks, Clusters, Findings};

pub fn findings(findings: &Findings) -> String {
    let rows: Vec<Vec<String>> = findings
        .entries
        .iter()
        .map(|each| vec![each.id.clone(), words::plain(&each.severity), each.title.clone(), each.location.clone(), words::plain(&each.fate)])
        .collect();
    let mut out = table(&[("Id", Left), ("Severity", Left), ("Finding", Left), ("Where", Left), ("What became of it", Left)], &rows);
    out.push_str(&para(&words::findings_sum(findings)));
    for each in &findings.entries {
        let (detail, reply) = (!each.detail.trim().is_empty(), !each.reply.trim().is_empty());
        if detail || reply || !each.by.is_empty() {
            out.push_str(&para(&format!("{}{}", words::id_and_name(&each.id, &each.title), words::led(", ", &words::found_by(each)))));
        }
        if detail {
            out.push_str(&format!("{}\n", quote(&each.detail)));
        }
        if reply {
            out.push_str(&format!("Said to it:\n\n{}\n", quote(&each.reply)));
        }
    }
    out
}

pub fn checks(checks: &Checks) -> String {
    let rows: Vec<Vec<String>> = checks
        .entries
        .iter()
        .map(|each| vec![each.id.clone(), words::plain(&each.verdict), each.claim.clone(), words::check_note(each), each.correction.clone()])
        .collect();
    let mut out = table(&[("Id", Left), ("Verdict", Left), ("Claim", Left), ("How sure", Left), ("Rather", Left)], &rows);
    out.push_str(&para(&words::checks_sum(checks)));
    for each in checks.entries.iter().filter(|each| !each.evidence.is_empty()) {
        out.push_str(&format!("Evidence on {}:\n\n", inline(if each.id.trim().is_empty() { &each.claim } else { &each.id })));
        for evidence in &each.evidence {
            out.push_str(&format!("- {}: {}\n", inline(&evidence.by), inline(&evidence.text)));
            if !evidence.quote.trim().is_empty() {
                out.push_str(&format!("  “{}” ({})\n", inline(&evidence.quote), inline(&words::quoted_from(evidence))));
            }
        }
        out.push('\n');
    }
    out
}

pub fn clusters(clusters: &Clusters) -> String {
    // Scores are columns where any cluster has them.
    let mut scores: Vec<&str> = Vec::new();
    for (name, _) in clusters.clusters.iter().flat_map(|each| &each.scores) {
        if !scores.contains(&name.as_str()) {
            scores.push(name);
        }
    }
    let mut heads = vec![("Id".to_owned(), Left), ("Cluster".to_owned(), Left), ("Items".to_owned(), Right)];
    heads.extend(scores.iter().map(|name| (words::plain(name), Right)));
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
        out.push_str(&para(&format!("{}{}", words::id_and_name(&each.id, &each.name), words::led(": ", &one_line(&each.theme)))));
        let items: String = each.items.iter().map(|(id, title)| format!("- {}\n", inline(&words::id_and_name(id, title)))).collect();
        if !items.is_empty() {
            out.push_str(&format!("{items}\n"));
        }
        out.push_str(&para(&each.note));
    }
    out
}
