//! Findings, checks and clusters: a line an entry; the long form adds what stands behind each.

use super::{LIST, below, entries, entry, sum};
use crate::figures::several;
use crate::terminal::exhibit::Length;
use crate::terminal::paper::{Ink, Paper};
use crate::text::{excerpt, one_line};
use crate::words;
use synod_types::{CheckEntry, Checks, Cluster, Clusters, FindingEntry, Findings};

/// Enough of a title or claim for one glance.
const GLANCE: usize = 160;

pub fn findings(paper: &mut Paper, findings: &Findings, length: Length) {
    entries(paper, &findings.entries, length, LIST, |paper, each| finding(paper, each, length));
    sum(paper, &words::findings_sum(findings));
}

fn finding(paper: &mut Paper, each: &FindingEntry, length: Length) {
    let head = words::finding_head(each);
    let head = if length == Length::Brief { excerpt(&head, GLANCE, paper.ellipsis()) } else { head };
    let severity = words::plain(&each.severity);
    let head = if severity.is_empty() { head } else { format!("{severity}: {head}") };
    entry(paper, words::grave(&each.severity), &format!("{head}{}", words::led("; ", &words::plain(&each.fate))));
    if length == Length::Brief {
        return;
    }
    paper.prose("      ", &each.detail);
    below(paper, &words::found_by(each));
    if !each.reply.trim().is_empty() {
        below(paper, "Said to it:");
        paper.prose("        ", &each.reply);
    }
}

pub fn checks(paper: &mut Paper, checks: &Checks, length: Length) {
    entries(paper, &checks.entries, length, LIST, |paper, each| check(paper, each, length));
    sum(paper, &words::checks_sum(checks));
}

fn check(paper: &mut Paper, each: &CheckEntry, length: Length) {
    let claim = words::id_and_name(&each.id, &each.claim);
    let claim = if length == Length::Brief { excerpt(&claim, GLANCE, paper.ellipsis()) } else { claim };
    let note = words::check_note(each);
    let note = if note.is_empty() || length == Length::Brief { String::new() } else { format!(" ({note})") };
    entry(paper, words::doubtful(&each.verdict), &format!("{}: {claim}{note}", words::plain(&each.verdict)));
    if !each.correction.trim().is_empty() {
        let correction = one_line(&each.correction);
        let correction = if length == Length::Brief { excerpt(&correction, GLANCE, paper.ellipsis()) } else { correction };
        below(paper, &format!("Rather: {correction}"));
    }
    if length == Length::Brief {
        return;
    }
    for evidence in &each.evidence {
        below(paper, &format!("{}: {}", one_line(&evidence.by), one_line(&evidence.text)));
        if !evidence.quote.trim().is_empty() {
            below(paper, &format!("\"{}\" ({})", one_line(&evidence.quote), words::quoted_from(evidence)));
        }
    }
}

pub fn clusters(paper: &mut Paper, clusters: &Clusters, length: Length) {
    entries(paper, &clusters.clusters, length, LIST, |paper, each| cluster(paper, each, length));
    if clusters.clusters.is_empty() {
        sum(paper, "No clusters.");
    }
}

fn cluster(paper: &mut Paper, each: &Cluster, length: Length) {
    let mut parts = vec![words::id_and_name(&each.id, &each.name)];
    if each.chosen {
        parts.push("chosen".to_owned());
    }
    parts.push(several(each.items.len() as u64, "item", "items"));
    parts.extend(Some(words::cluster_scores(each)).filter(|scores| !scores.is_empty()));
    let line = parts.join(paper.dot());
    entry(paper, false, &line);
    if length == Length::Brief {
        return;
    }
    below(paper, &one_line(&each.theme));
    for (id, title) in &each.items {
        paper.hanging(Ink::PLAIN, "      - ", "        ", &words::id_and_name(id, title));
    }
    below(paper, &one_line(&each.note));
}
