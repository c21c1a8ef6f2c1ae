//! The track of a claim in a terminal: a line a layer, the mean as a bar with a mark where the threshold is.

use super::super::{Layer, Standing, words};
use crate::terminal::paper::{Ink, Paper};
use crate::text::{Marked, pad, width};

/// Columns of a bar, without its mark.
fn bar_columns(paper: &Paper) -> usize {
    if paper.columns() < 60 { 14 } else { 20 }
}

struct Row {
    sign: &'static str,
    name: String,
    standing: Standing,
    mean: Option<f64>,
    threshold: Option<f64>,
}

/// With `every`, all attempts and effects; else only how each layer stands.
pub fn track(paper: &mut Paper, layers: &[Layer], every: bool) {
    let columns = row_columns(paper, layers);
    for layer in layers {
        let result = layer.result();
        let row = Row {
            sign: layer.standing.sign(paper.style.unicode),
            name: layer.title(),
            standing: layer.standing,
            mean: result.filter(|_| layer.standing != Standing::Current).map(|result| result.avg_confidence),
            threshold: result.map(|result| result.threshold).or(layer.threshold),
        };
        draw(paper, &row, columns);
        if !every {
            continue;
        }
        for attempt in layer.attempts.iter().filter(|_| layer.attempts.len() > 1) {
            paper.hanging(Ink::DIM, "      ", "        ", &words::attempt_outcome(layer, attempt));
        }
        let arrow = if paper.style.unicode { "→ " } else { "-> " };
        for effect in layer.attempts.iter().filter_map(|attempt| attempt.result?.effect.as_deref()) {
            paper.hanging(Ink::PLAIN, &format!("      {arrow}"), "         ", &crate::text::one_line(effect));
        }
    }
}

/// How wide names and words are where a row fits on one line; `None`: the bar goes below.
fn row_columns(paper: &Paper, layers: &[Layer]) -> Option<(usize, usize)> {
    let names = layers.iter().map(|layer| width(&layer.title())).max().unwrap_or(0);
    let standings = layers.iter().map(|layer| width(layer.standing.word())).max().unwrap_or(0);
    let numbers =
        layers.iter().map(|layer| layer.result().map_or(9, |result| width(&words::measured(result.avg_confidence, result.threshold)))).max();
    let used = 4 + names + 2 + standings + 2 + bar_columns(paper) + 1 + 2 + numbers.unwrap_or(0);
    (used <= paper.columns()).then_some((names, standings))
}

fn draw(paper: &mut Paper, row: &Row, columns: Option<(usize, usize)>) {
    let (ink, word) = (if row.standing.alarms() { Ink::ALARM } else { Ink::PLAIN }, row.standing.word());
    let told = match (row.mean, row.threshold) {
        (Some(mean), Some(threshold)) => words::measured(mean, threshold),
        (None, Some(threshold)) => format!("needs {}", words::percent(threshold)),
        (_, None) => String::new(),
    };
    let (wide, unicode) = (bar_columns(paper), paper.style.unicode);
    let bar = row.threshold.map(|threshold| gauge(row.mean, threshold, wide, unicode)).unwrap_or_default();
    let mut line: Vec<Marked<Ink>> = Vec::new();
    let mut add = |text: &str, ink: Ink| line.extend(text.chars().map(|c| (c, ink)));
    match columns {
        Some((names, standings)) => {
            add(&format!("  {} ", row.sign), ink);
            add(&format!("{}  ", pad(&row.name, names)), Ink::PLAIN);
            add(&pad(word, standings), ink);
            add(&format!("  {bar}  {told}"), Ink::PLAIN);
            paper.marked_line("", &line);
        }
        None => {
            add(&row.name, Ink::PLAIN);
            add(&format!(" {word}"), ink);
            paper.marked(&format!("  {} ", row.sign), "      ", &line);
            if width(&bar) + 2 + width(&told) + 4 <= paper.columns() {
                paper.raw(&format!("    {bar}  {told}"));
            } else {
                paper.raw(&format!("    {bar}"));
                paper.para(Ink::PLAIN, "    ", &told);
            }
        }
    }
}

/// A bar of so many columns and one more for the mark. What is short of its threshold never reaches the mark, what passes always does.
fn gauge(mean: Option<f64>, threshold: f64, columns: usize, unicode: bool) -> String {
    let cells = |share: f64| if share.is_finite() { (share.clamp(0.0, 1.0) * columns as f64).round() as usize } else { 0 };
    let mark = cells(threshold);
    let filled = match mean {
        None => 0,
        Some(mean) if mean < threshold - 1e-9 => cells(mean).min(mark.saturating_sub(1)),
        Some(mean) => cells(mean).max(if mean.is_finite() { mark } else { 0 }),
    };
    let (full, empty, sign) = if unicode { ('█', '·', '│') } else { ('#', '.', '|') };
    let cell = |at: usize| if at < filled { full } else { empty };
    (0..mark).map(cell).chain([sign]).chain((mark..columns).map(cell)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_never_lies_about_its_threshold() {
        assert_eq!(gauge(Some(0.8), 0.7, 10, false), "#######|#..");
        assert_eq!(gauge(Some(0.7), 0.7, 10, false), "#######|...");
        assert_eq!(gauge(Some(0.699), 0.7, 10, false), "######.|...");
        assert_eq!(gauge(None, 0.5, 4, true), "··│··");
        assert_eq!(gauge(Some(f64::NAN), 0.5, 4, false), "..|..");
        assert_eq!(gauge(Some(9.0), f64::INFINITY, 4, false), "|....", "no number is no bar");
        assert_eq!(gauge(Some(1.0), 1.0, 4, false), "####|");
    }
}
