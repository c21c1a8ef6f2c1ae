//! A claim as markdown: what is claimed, what each layer's slots said, and what came of it.
//!
//! Whatever agents and authors wrote is in block quotations or on one escaped line; all else is ours.

use super::{Attempt, Content, Layer, agreed, content, layers, merged_from, stands_in_a_slot, web_address, words};
use crate::figures::moment;
use crate::markdown::quote::{fenced, inline, quote};
use crate::markdown::{line, list};
use crate::text::{excerpt, one_line};
use crate::words as common;
use crate::words::commands::review_claim;
use synod_types::{ClaimSource, ClaimView, ConsensusRecord, PipelineStatus, Slot, SlotType};

pub fn claim_markdown(view: &ClaimView) -> String {
    let mut out = String::new();
    let layers = layers(view);
    head(&mut out, view);
    track(&mut out, &layers);
    for layer in layers.iter().filter(|layer| layer.attempts.iter().any(|attempt| !attempt.slots.is_empty())) {
        layer_part(&mut out, layer);
    }
    if let Some(record) = &view.record {
        consensus(&mut out, view, record);
    }
    flags(&mut out, view);
    let notices: Vec<String> = view.notices.iter().map(|notice| words::notice(view, notice)).collect();
    list(&mut out, "Notices", notices.iter().map(String::as_str));
    about(&mut out, view);
    format!("{}\n", out.trim_end())
}

fn head(out: &mut String, view: &ClaimView) {
    let claim = &view.claim;
    let title = excerpt(&claim.title, 300, "…");
    line(out, &format!("# {}", if title.is_empty() { "Claim without a title".to_owned() } else { inline(&title) }));
    if claim.rehearsal {
        line(out, &format!("**{}**", inline(common::REHEARSAL)));
    }
    line(out, &format!("**{}** {}", words::state_word(view), inline(&words::state(view))));
    if view.pipeline.status == PipelineStatus::Flagged {
        line(out, &format!("{} Command: {}", words::NEXT, inline(&review_claim(view))));
    }
    if let Some(record) = view.record.as_ref().filter(|record| record.by_pipeline) {
        line(out, &format!("Recommendation: **{}**, confidence {}/100.", words::recommendation(record), record.confidence));
    }
    if !claim.body.trim().is_empty() {
        line(out, &quote(&claim.body));
    }
    line(out, &format!("Domain: {} · Protocol: {} · {}", inline(&words::domain(view)), inline(&claim.protocol), moment(claim.created_at)));
    line(out, "Quoted passages are the words of agents or of the author; all else is written by the program.");
    if !claim.sources.is_empty() {
        line(out, "## Sources");
        line(out, &claim.sources.iter().map(|source| format!("- {}\n", source_text(source))).collect::<String>());
    }
}

fn source_text(source: &ClaimSource) -> String {
    let address = web_address(source).map_or_else(|| format!("no web address: {}", inline(&source.url)), |url| format!("<{url}>"));
    match source.title.as_deref().map(one_line).filter(|title| !title.is_empty()) {
        Some(title) => format!("*{}*: {address}", inline(&title)),
        None => address,
    }
}

fn track(out: &mut String, layers: &[Layer]) {
    line(out, "## Layers");
    if layers.is_empty() {
        return line(out, "The protocol has none.");
    }
    let mut table = "| Layer | Name | Attempt | Mean confidence | Threshold | Outcome | Effect |\n|---:|---|---:|---:|---:|---|---|\n".to_owned();
    for layer in layers {
        let mut row = |attempt: &str, mean: &str, threshold: &str, outcome: &str, effect: &str| {
            let (name, effect) = (inline(&layer.name), inline(effect));
            table.push_str(&format!("| {} | {name} | {attempt} | {mean} | {threshold} | {outcome} | {effect} |\n", layer.number));
        };
        let needed = layer.threshold.map(words::percent).unwrap_or_default();
        if layer.attempts.is_empty() {
            row("", "", &needed, layer.standing.word(), "");
        }
        for attempt in &layer.attempts {
            let superseded = if attempt.superseded { ", superseded" } else { "" };
            let outcome = format!("{}{superseded}", attempt.standing(layer).word());
            let number = attempt.number.to_string();
            match attempt.result {
                Some(result) => {
                    let (mean, threshold) = words::against(result.avg_confidence, result.threshold);
                    row(&number, &mean, &threshold, &outcome, result.effect.as_deref().unwrap_or_default());
                }
                None => row(&number, "", &needed, &outcome, ""),
            }
        }
    }
    line(out, &table);
}

fn layer_part(out: &mut String, layer: &Layer) {
    line(out, &format!("## Layer {}: {} ({})", layer.number, inline(&layer.name), layer.standing.word()));
    if !layer.goal.trim().is_empty() {
        line(out, &format!("Goal: {}", inline(layer.goal)));
    }
    for attempt in &layer.attempts {
        let told = words::attempt(layer, attempt);
        for kind in [SlotType::Work, SlotType::Consensus] {
            entries(out, attempt, kind, told.as_deref());
        }
        if let Some(result) = attempt.result {
            line(out, &format!("Mean confidence: {}.", words::measured(result.avg_confidence, result.threshold)));
        }
    }
}

fn entries(out: &mut String, attempt: &Attempt, kind: SlotType, told: Option<&str>) {
    let mut slots = attempt.slots.iter().filter(|slot| slot.slot_type == kind).peekable();
    if slots.peek().is_none() {
        return;
    }
    let told = told.map(|told| format!(" ({})", told.to_lowercase())).unwrap_or_default();
    line(out, &format!("### {}{told}", words::phase(kind)));
    slots.for_each(|slot| entry(out, slot));
}

fn entry(out: &mut String, slot: &Slot) {
    let facts: Vec<String> = words::slot_facts(slot).iter().map(|fact| inline(fact)).collect();
    let role = one_line(&slot.role);
    let role = if role.is_empty() { slot.slot_type.as_str() } else { &role };
    line(out, &format!("**{}** · {}", inline(role), facts.join(" · ")));
    if let Some(notice) = &slot.notice {
        line(out, &format!("Notice: {}", inline(notice)));
    }
    if let Content::Said(output) = content(slot) {
        line(out, &quote(output));
    }
    let mut short = String::new();
    for (name, field) in words::slot_fields(slot) {
        match field {
            words::Field::Line(text) => short.push_str(&format!("- *{}*: {}\n", inline(&name), inline(&text))),
            words::Field::List(items) => {
                short.push_str(&format!("- *{}*:\n", inline(&name)));
                items.iter().for_each(|item| short.push_str(&format!("  - “{}”\n", inline(item))));
            }
            words::Field::Json(json) => {
                flush(out, &mut short);
                line(out, &format!("*{}*:", inline(&name)));
                line(out, &fenced(&json, "json"));
            }
        }
    }
    flush(out, &mut short);
}

fn flush(out: &mut String, items: &mut String) {
    if !items.is_empty() {
        line(out, &std::mem::take(items));
    }
}

fn consensus(out: &mut String, view: &ClaimView, record: &ConsensusRecord) {
    line(out, "## Consensus");
    if record.by_pipeline {
        line(out, &format!("Recommendation: **{}**", words::recommendation(record)));
    }
    line(out, &format!("Confidence: {}/100", record.confidence));
    if record.split_verdict {
        line(out, &format!("**{}**", words::SPLIT));
    }
    line(out, &quote(&record.summary));
    if let Some(source) = words::summary_source(view, record) {
        line(out, &inline(&source));
    }
    if record.summaries != record.key_points {
        several(out, "Summaries of the seats", merged_from(view));
    }
    let points: Vec<String> = record
        .key_points
        .iter()
        .map(|point| if stands_in_a_slot(view, point) { common::glance(point, 280, "… (in full under its layer)") } else { point.clone() })
        .collect();
    several(out, "Key points", &points);
    several(out, "Dissent", &record.dissent);
    if agreed(view) {
        line(out, "### Dissent");
        line(out, words::AGREED);
    }
    several(out, "Caveats and open questions", &record.open_questions);
}

/// Each a quotation of its own.
fn several(out: &mut String, title: &str, items: &[String]) {
    if items.is_empty() {
        return;
    }
    line(out, &format!("### {title}"));
    for (i, item) in items.iter().enumerate() {
        // Without something between them two quotations are one.
        line(out, &format!("{} of {}:", i + 1, items.len()));
        line(out, &quote(item));
    }
}

fn flags(out: &mut String, view: &ClaimView) {
    if view.flags.is_empty() {
        return;
    }
    line(out, "## Flags");
    for flag in &view.flags {
        let mut table = "| | |\n|---|---|\n".to_owned();
        for (name, text) in words::flag_facts(view, flag) {
            table.push_str(&format!("| {name} | {} |\n", inline(&text)));
        }
        line(out, &table);
    }
}

fn about(out: &mut String, view: &ClaimView) {
    let mut table = "| | |\n|---|---|\n".to_owned();
    for (name, text) in words::about(view).into_iter().chain(words::foot(view)) {
        table.push_str(&format!("| {name} | {} |\n", inline(&text)));
    }
    line(out, "## About");
    line(out, &table);
}
