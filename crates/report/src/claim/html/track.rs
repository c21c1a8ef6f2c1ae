//! The track of a claim in a page: its layers in order, each attempt's mean as a bar with a mark where the threshold is.

use super::super::{Attempt, Layer, words};
use crate::html::safe::esc;
use crate::html::section;
use crate::text::one_line;

pub fn track(layers: &[Layer]) -> String {
    if layers.is_empty() {
        return section("layers", "Layers", "<p>The protocol has none.</p>\n");
    }
    let steps: String = layers.iter().map(step).collect();
    let key = "<p class=\"soft\">Each bar is the mean confidence of the layer's consensus seats; the upright mark is what the layer needs.</p>\n";
    section("layers", "Layers", &format!("{key}<ol class=\"steps\">\n{steps}</ol>\n"))
}

fn step(layer: &Layer) -> String {
    let class = if layer.standing.alarms() { " class=\"alarm\"" } else { "" };
    let name = esc(&layer.title());
    let name = match layer.attempts.iter().any(|attempt| !attempt.slots.is_empty()) {
        true => format!("<a href=\"#layer-{}\">{name}</a>", layer.number),
        false => name,
    };
    let head = format!(
        "<p class=\"step\"><span{class} aria-hidden=\"true\">{}</span><b>{name}</b> <span{class}>{}</span></p>\n",
        layer.standing.sign(true),
        layer.standing.word()
    );
    let bars: String = match layer.attempts.is_empty() {
        true => layer.threshold.map(|threshold| row("", None, threshold, &format!("needs {}", words::percent(threshold)))).unwrap_or_default(),
        false => layer.attempts.iter().map(|attempt| attempt_row(layer, attempt)).collect(),
    };
    let effects: String = layer
        .attempts
        .iter()
        .filter_map(|attempt| attempt.result?.effect.as_deref())
        .map(|effect| format!("<p class=\"soft effect\">Effect: {}</p>\n", esc(&one_line(effect))))
        .collect();
    format!("<li>{head}{bars}{effects}</li>\n")
}

fn attempt_row(layer: &Layer, attempt: &Attempt) -> String {
    let name = match words::attempt(layer, attempt) {
        Some(_) => words::attempt_outcome(layer, attempt),
        None => attempt.result.map_or_else(
            || layer.threshold.map(|threshold| format!("needs {}", words::percent(threshold))).unwrap_or_default(),
            |result| words::measured(result.avg_confidence, result.threshold),
        ),
    };
    let class = if attempt.superseded { " superseded" } else { "" };
    match (attempt.result, layer.threshold) {
        (Some(result), _) => row(class, Some(result.avg_confidence), result.threshold, &name),
        (None, Some(threshold)) => row(class, None, threshold, &name),
        (None, None) => format!("<p class=\"soft\">{}</p>\n", esc(&name)),
    }
}

/// The words say everything that the bar does.
fn row(class: &str, mean: Option<f64>, threshold: f64, told: &str) -> String {
    let share = |value: f64| if value.is_finite() { value.clamp(0.0, 1.0) * 100.0 } else { 0.0 };
    let bar = mean.map(|mean| {
        let class = if mean < threshold - 1e-9 { "bar short" } else { "bar" };
        format!("<rect class=\"{class}\" x=\"0\" y=\"4\" width=\"{:.2}%\" height=\"10\" rx=\"2\"/>", share(mean))
    });
    format!(
        "<div class=\"gauge{class}\"><svg class=\"chart\" aria-hidden=\"true\" width=\"100%\" height=\"18\">\
         <rect class=\"track\" x=\"0\" y=\"4\" width=\"100%\" height=\"10\" rx=\"2\"/>{}\
         <rect class=\"zero\" x=\"{:.2}%\" y=\"0\" width=\"2\" height=\"18\"/></svg><span>{}</span></div>\n",
        bar.unwrap_or_default(),
        // The mark is two dots wide and must not leave the box.
        share(threshold).min(99.4),
        esc(told)
    )
}
