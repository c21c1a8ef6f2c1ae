//! A journal as tests compare it: what must be the same however a run got there, and what a person can read.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use synod_types::{Body, Kind, Row, Verdict};

/// Key, kind, digest and outcome of a row.
pub type Mark = (String, &'static str, String, String);

/// What an undisturbed run and a resumed one must share. Tries, times, raw replies, stops and resumes are left aside.
pub fn journal_set(rows: &[Row]) -> BTreeSet<Mark> {
    rows.iter().filter_map(mark).collect()
}

fn mark(row: &Row) -> Option<Mark> {
    let outcome = match row.kind {
        Kind::Stopped | Kind::Resumed | Kind::Header => return None,
        Kind::Asked | Kind::Replied => String::new(),
        Kind::Tool | Kind::Shown | Kind::Said | Kind::Figure => row.read().map_or_else(|error| error.to_string(), |body| timeless(body).to_string()),
        Kind::Verdict => row.read::<Verdict>().map_or_else(|error| error.to_string(), |verdict| timeless(verdict.essence()).to_string()),
        Kind::Phase | Kind::PhaseEnd | Kind::Failed | Kind::Warning | Kind::Waiting | Kind::Answered | Kind::Closing | Kind::Title => {
            row.body.clone()
        }
    };
    // What is shown has the digest of its body, times and all.
    let digest = row.digest.clone().filter(|_| row.kind != Kind::Shown).unwrap_or_default();
    Some((row.key.clone(), row.kind.as_str(), digest, outcome))
}

/// What tells when something was, how long it took, or which of several took longest.
const TIMES: [&str; 9] =
    ["at", "timestamp", "ms", "criticalPath", "criticalPathMs", "totalPipelineMs", "parallelismEfficiency", "responseTimeMs", "critical"];

/// Without times, which no two runs share.
pub fn timeless(body: Value) -> Value {
    match body {
        Value::Object(fields) if fields.get("name").is_some_and(|name| name == "efficiency") => Value::Null,
        Value::Object(fields) => {
            fields.into_iter().filter(|(name, _)| !TIMES.contains(&name.as_str())).map(|(name, value)| (name, timeless(value))).collect()
        }
        Value::Array(items) => items.into_iter().map(timeless).collect(),
        other => other,
    }
}

/// How two journals differ, in a few lines; empty when they do not.
pub fn difference(want: &BTreeSet<Mark>, got: &BTreeSet<Mark>) -> String {
    let line = |sign: &str, mark: &Mark| format!("{sign} {} {} {}", mark.1, mark.0, clip(&mark.3, 100));
    let mut lines: Vec<String> = want.difference(got).take(5).map(|mark| line("missing", mark)).collect();
    lines.extend(got.difference(want).take(5).map(|mark| line("surplus", mark)));
    lines.join("\n")
}

/// Keys that were asked again although their reply was in the journal: paid twice for nothing.
pub fn asked_after_reply(rows: &[Row]) -> Vec<String> {
    let mut replied: BTreeSet<&str> = BTreeSet::new();
    let mut again = Vec::new();
    for row in rows {
        match row.kind {
            Kind::Replied => drop(replied.insert(&row.key)),
            Kind::Asked if replied.contains(row.key.as_str()) => again.push(row.key.clone()),
            _ => {}
        }
    }
    again
}

/// How many `asked` rows say that an earlier try was left without a reply.
pub fn reasked(rows: &[Row]) -> usize {
    let asked = rows.iter().filter_map(|row| if row.kind == Kind::Asked { row.body().ok() } else { None });
    asked.filter(|body| matches!(body, Body::Asked(asked) if asked.reasked)).count()
}

/// Keys of one kind of row, with how often.
pub fn keys(rows: &[Row], kind: Kind) -> BTreeMap<String, u32> {
    let mut keys = BTreeMap::new();
    for row in rows.iter().filter(|row| row.kind == kind) {
        *keys.entry(row.key.clone()).or_default() += 1;
    }
    keys
}

/// The journal for people: number, kind, key, and the outcome in a few words. No times, no hashes.
pub fn transcript(rows: &[Row]) -> String {
    let mut lines = String::new();
    for row in rows {
        let line = format!("{:>3} {:<9} {:<30} {}", row.seq, row.kind.as_str(), row.key, outcome(row));
        lines.push_str(line.trim_end());
        lines.push('\n');
    }
    lines
}

fn outcome(row: &Row) -> String {
    let body = match row.body() {
        Ok(body) => body,
        Err(error) => return error.to_string(),
    };
    match body {
        Body::Header(header) => {
            let seats: Vec<&str> = header.seats.iter().map(|seat| seat.label.as_str()).collect();
            format!("{} seed {}: {}", header.mode, header.seed, seats.join(", "))
        }
        Body::Phase(_) | Body::PhaseEnd(_) | Body::Replied(_) => String::new(),
        Body::Asked(asked) => format!("{}{}{}", asked.model, if asked.extra { ", extra" } else { "" }, if asked.reasked { ", again" } else { "" }),
        Body::Said(said) => match said.value.as_str() {
            Some(text) => clip(text, 60),
            None => {
                let fields = said.value.as_object().into_iter().flatten().filter(|(name, _)| *name != "reasons");
                fields.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
            }
        },
        Body::Failed(failed) => failed.failure.to_string(),
        Body::Tool(tool) => format!("{}({}) -> {}", tool.name, tool.input, clip(&tool.output, 40)),
        Body::Shown(shown) => shown.exhibit.title.clone(),
        Body::Figure(figure) => format!("{:.3}", figure.value),
        Body::Warning(text) => text.text,
        Body::Title(title) => title.title,
        Body::Waiting(asking) => asking.question,
        Body::Answered(answer) => format!("{} by {}", answer.answer, answer.by),
        Body::Closing(closing) => closing.reason,
        Body::Stopped(stopped) => stopped.reason.as_str().to_owned(),
        Body::Resumed(_) => String::new(),
        Body::Verdict(verdict) => {
            let answer =
                verdict.answer.as_ref().map_or_else(|| "no answer".to_owned(), |answer| format!("{} by {:?}", answer.kind.as_str(), answer.by));
            let calls = verdict.receipt.calls;
            format!("{}, {answer}, {} planned, {} extra", verdict.status.as_str(), calls.planned, calls.extra)
        }
    }
}

fn clip(text: &str, limit: usize) -> String {
    let line = text.replace('\n', " ");
    match line.char_indices().nth(limit) {
        None => line,
        Some((end, _)) => format!("{}…", &line[..end]),
    }
}
