//! A claim as one self-contained page: no script, no request, what agents wrote folded under who wrote it.

use super::{Attempt, Content, Layer, agreed, content, layers, merged_from, stands_in_a_slot, web_address, words};
use crate::figures::moment;
use crate::html::safe::{Html, prose, render};
use crate::text::{excerpt, one_line};
use crate::words as common;
use crate::words::commands::review_claim;
use askama::Template;
use synod_types::{ClaimSource, ClaimView, ConsensusRecord, PipelineStatus, Slot};

/// Longer than this, a claim is folded.
const LONG_CLAIM: usize = 600;
/// And a passage that stands in a list.
const LONG_PASSAGE: usize = 420;

#[derive(Template)]
#[template(path = "claim/page.html")]
struct Page<'a> {
    view: &'a ClaimView,
    title: &'a str,
    layers: &'a [Layer<'a>],
    slots: Html,
}

pub fn claim_html(view: &ClaimView) -> String {
    let layers = layers(view);
    let title = one_line(&view.claim.title);
    let title = if title.is_empty() { "Claim without a title" } else { &title };
    let slots = layers.iter().filter(|layer| worked(layer)).map(|layer| render(&Slots { layer })).collect();
    render(&Page { view, title, layers: &layers, slots }).into_string()
}

/// The slots of a layer by attempt: who filled them, how sure they were, and their words under a fold.
#[derive(Template)]
#[template(path = "claim/slots.html")]
struct Slots<'a> {
    layer: &'a Layer<'a>,
}

fn worked(layer: &Layer) -> bool {
    layer.attempts.iter().any(|attempt| !attempt.slots.is_empty())
}

fn said(slot: &Slot) -> Option<&str> {
    match content(slot) {
        Content::Said(output) => Some(output),
        Content::Open | Content::Taken | Content::Withheld | Content::Nothing => None,
    }
}

/// The class and the sign of a badge.
fn badge(view: &ClaimView) -> (&'static str, &'static str) {
    match view.pipeline.status {
        PipelineStatus::Active => ("full", "▶"),
        PipelineStatus::Flagged => ("degraded", "▲"),
        PipelineStatus::Complete if super::closed(view).is_some() => ("deadlock", "■"),
        PipelineStatus::Complete => ("full", "●"),
    }
}

/// A mean as a bar with a mark where the threshold is. The words say everything that the bar does.
struct Gauge {
    superseded: bool,
    /// The mean's share of the width, and whether it falls short.
    mean: Option<(f64, bool)>,
    /// `None`: nothing to draw.
    mark: Option<f64>,
    told: String,
}

fn gauges(layer: &Layer) -> Vec<Gauge> {
    let needs = || layer.threshold.map(|threshold| format!("needs {}", words::percent(threshold)));
    match layer.attempts.is_empty() {
        true => needs().map(|told| gauge(false, None, layer.threshold, told)).into_iter().collect(),
        false => layer.attempts.iter().map(|attempt| attempt_gauge(layer, attempt, needs())).collect(),
    }
}

fn attempt_gauge(layer: &Layer, attempt: &Attempt, needs: Option<String>) -> Gauge {
    let told = match (words::attempt(layer, attempt), attempt.result) {
        (Some(_), _) => words::attempt_outcome(layer, attempt),
        (None, Some(result)) => words::measured(result.avg_confidence, result.threshold),
        (None, None) => needs.unwrap_or_default(),
    };
    let threshold = attempt.result.map(|result| result.threshold).or(layer.threshold);
    gauge(attempt.superseded, attempt.result.map(|result| result.avg_confidence), threshold, told)
}

fn gauge(superseded: bool, mean: Option<f64>, threshold: Option<f64>, told: String) -> Gauge {
    let share = |value: f64| if value.is_finite() { value.clamp(0.0, 1.0) * 100.0 } else { 0.0 };
    let mean = mean.map(|mean| (share(mean), threshold.is_some_and(|threshold| mean < threshold - 1e-9)));
    // The mark is two dots wide and must not leave the box.
    Gauge { superseded, mean, mark: threshold.map(|threshold| share(threshold).min(99.4)), told }
}

/// Key points that no slot shows in full.
fn own_points<'a>(view: &ClaimView, record: &'a ConsensusRecord) -> Vec<&'a String> {
    record.key_points.iter().filter(|point| !stands_in_a_slot(view, point)).collect()
}

fn title_of(source: &ClaimSource) -> Option<String> {
    source.title.as_deref().map(one_line).filter(|title| !title.is_empty())
}

fn effect(attempt: &Attempt) -> Option<String> {
    attempt.result?.effect.as_deref().map(one_line)
}
