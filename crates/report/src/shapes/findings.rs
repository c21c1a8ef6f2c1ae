//! Findings: how bad, what, and what became of each.

use crate::figures::several;
use crate::html::safe::{Html, render};
use crate::markdown::quote::quote;
use crate::markdown::table::Side::Left;
use crate::markdown::table::{para, table};
use crate::terminal::entries::{GLANCE, LIST, below, entries, entry, sum};
use crate::terminal::exhibit::Length;
use crate::terminal::paper::Paper;
use crate::text::{excerpt, one_line};
use crate::words::{counted, id_and_name, joined, led, listed, plain};
use askama::Template;
use synod_types::{FindingEntry, Findings};

pub fn terminal(paper: &mut Paper, findings: &Findings, length: Length) {
    entries(paper, &findings.entries, length, LIST, |paper, each| finding(paper, each, length));
    sum(paper, &summary(findings));
}

fn finding(paper: &mut Paper, each: &FindingEntry, length: Length) {
    let head = head(each);
    let head = if length == Length::Brief { excerpt(&head, GLANCE, paper.ellipsis()) } else { head };
    let severity = plain(&each.severity);
    let head = if severity.is_empty() { head } else { format!("{severity}: {head}") };
    entry(paper, grave(&each.severity), &format!("{head}{}", led("; ", &plain(&each.fate))));
    if length == Length::Brief {
        return;
    }
    paper.prose("      ", &each.detail);
    below(paper, &found_by(each));
    if !each.reply.trim().is_empty() {
        below(paper, "Said to it:");
        paper.prose("        ", &each.reply);
    }
}

pub fn markdown(findings: &Findings) -> String {
    let rows: Vec<Vec<String>> = findings
        .entries
        .iter()
        .map(|each| vec![each.id.clone(), plain(&each.severity), each.title.clone(), each.location.clone(), plain(&each.fate)])
        .collect();
    let mut out = table(&[("Id", Left), (mark(findings), Left), ("Finding", Left), ("Where", Left), ("What became of it", Left)], &rows);
    out.push_str(&para(&summary(findings)));
    for each in &findings.entries {
        let (detail, reply) = (!each.detail.trim().is_empty(), !each.reply.trim().is_empty());
        if detail || reply || !each.by.is_empty() {
            out.push_str(&para(&format!("{}{}", id_and_name(&each.id, &each.title), led(", ", &found_by(each)))));
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

#[derive(Template)]
#[template(path = "shapes/findings.html")]
struct Page<'a> {
    findings: &'a Findings,
}

pub fn html(findings: &Findings) -> Html {
    render(&Page { findings })
}

/// What a reader must not miss, whatever scale a mode uses, and the rest of such scales.
const GRAVE: [&str; 8] = ["critical", "high", "major", "severe", "blocker", "fatal", "p0", "p1"];
const SLIGHT: [&str; 12] = ["medium", "moderate", "low", "minor", "trivial", "suggested", "suggestion", "info", "note", "warning", "p2", "p3"];

fn grave(severity: &str) -> bool {
    GRAVE.contains(&severity.trim().to_ascii_lowercase().as_str())
}

/// What stands before a finding: how bad it is, or else how it stands.
fn mark(findings: &Findings) -> &'static str {
    let severity = |entry: &FindingEntry| grave(&entry.severity) || SLIGHT.contains(&entry.severity.trim().to_ascii_lowercase().as_str());
    if findings.entries.iter().any(severity) || findings.entries.iter().all(|entry| entry.severity.trim().is_empty()) {
        "Severity"
    } else {
        "Standing"
    }
}

/// Whether it is told of any finding what became of it.
fn fates(findings: &Findings) -> bool {
    findings.entries.iter().any(|entry| !entry.fate.trim().is_empty())
}

/// `F1 Title (location)`.
fn head(entry: &FindingEntry) -> String {
    let place = one_line(&entry.location);
    joined([one_line(&entry.id), one_line(&entry.title), if place.is_empty() { place } else { format!("({place})") }], " ")
}

fn found_by(entry: &FindingEntry) -> String {
    led("found by ", &listed(&entry.by.iter().map(|name| one_line(name)).collect::<Vec<_>>()))
}

fn summary(findings: &Findings) -> String {
    if findings.entries.is_empty() {
        let none = one_line(&findings.none);
        return if none.is_empty() { "Nothing was found.".to_owned() } else { none };
    }
    let entries = &findings.entries;
    let severities = counted(entries.iter().map(|entry| entry.severity.as_str()));
    // Fates told in sentences stand with their findings; only words can be counted.
    let fates = counted(entries.iter().map(|entry| entry.fate.as_str()).filter(|fate| !fate.contains(' ')));
    format!("{}{}{}", several(entries.len() as u64, "finding", "findings"), led(": ", &severities), led("; ", &fates))
}
