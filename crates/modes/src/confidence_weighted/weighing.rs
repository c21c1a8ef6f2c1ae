//! The weight of each answer by every method there is, and what follows from the weights by the method chosen.

use super::rows::{WeightEntry, WeightsRow};
use super::{Options, Weights};
use synod_math::likeness::to_peers;
use synod_math::weights::{percent, softmax};
use synod_types::*;

/// One answer with all its weights.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightedAnswer {
    pub label: String,
    pub seat: SeatIx,
    pub text: String,
    pub stated: Option<f64>,
    /// Why it is so sure, in its author's words.
    pub reasons: String,
    /// What stood in for a confidence that was not stated: the mean of the others'.
    pub imputed: Option<f64>,
    /// Mean likeness to the other answers; `None` for an answer alone.
    pub likeness: Option<f64>,
    pub by_stated: f64,
    pub by_equal: f64,
    pub by_agreement: f64,
    /// By the method chosen: the one that counts.
    pub weight: f64,
}

impl WeightedAnswer {
    /// Whether the stated confidence is so high or so low that it deserves doubt, which changes no weight. `None`: none was stated.
    pub fn outlier(&self) -> Option<bool> {
        self.stated.map(|stated| !(0.1..=0.95).contains(&stated))
    }
}

/// An answer as it came.
pub struct StatedAnswer {
    pub label: String,
    pub seat: SeatIx,
    pub text: String,
    pub stated: Option<f64>,
    /// Why it is so sure.
    pub reasons: String,
}

/// Weighs the answers, in the order they came.
pub fn weigh(answers: Vec<StatedAnswer>, options: &Options) -> Vec<WeightedAnswer> {
    let stated: Vec<f64> = answers.iter().filter_map(|answer| answer.stated).collect();
    // Where nobody stated a confidence any common value makes them equal.
    let mean = if stated.is_empty() { 0.0 } else { stated.iter().sum::<f64>() / stated.len() as f64 };
    let inputs: Vec<f64> = answers.iter().map(|answer| answer.stated.unwrap_or(mean)).collect();
    let likeness = to_peers(&answers.iter().map(|answer| answer.text.as_str()).collect::<Vec<_>>());
    let by_stated = softmax(&inputs, options.temperature);
    let by_agreement = softmax(&likeness.iter().map(|likeness| likeness.unwrap_or(0.0)).collect::<Vec<_>>(), options.temperature);
    let by_equal = 1.0 / answers.len().max(1) as f64;
    let weighted = answers.into_iter().enumerate().map(|(at, answer)| WeightedAnswer {
        label: answer.label,
        seat: answer.seat,
        text: answer.text,
        stated: answer.stated,
        reasons: answer.reasons,
        imputed: answer.stated.is_none().then_some(mean).filter(|_| !stated.is_empty()),
        likeness: likeness[at],
        by_stated: by_stated[at],
        by_equal,
        by_agreement: by_agreement[at],
        weight: match options.weights {
            Weights::Stated => by_stated[at],
            Weights::Equal => by_equal,
            Weights::Agreement => by_agreement[at],
        },
    });
    weighted.collect()
}

/// Heaviest first; equal ones in seat order.
pub fn heaviest_first(answers: &[WeightedAnswer]) -> Vec<&WeightedAnswer> {
    let mut order: Vec<&WeightedAnswer> = answers.iter().collect();
    order.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    order
}

pub fn exhibit(answers: &[WeightedAnswer], options: &Options, model: impl Fn(SeatIx) -> String) -> Exhibit {
    let entry = |answer: &WeightedAnswer| WeightEntry {
        label: answer.label.clone(),
        model: model(answer.seat),
        raw_confidence: answer.stated,
        imputed_confidence: answer.imputed,
        likeness: answer.likeness,
        normalized_weight: answer.weight,
        weight_percent: percent(answer.weight),
        is_outlier: answer.outlier(),
        stated_percent: percent(answer.by_stated),
        equal_percent: percent(answer.by_equal),
        agreement_percent: percent(answer.by_agreement),
    };
    let data = WeightsRow {
        kind: "weights",
        method: options.weights,
        temperature: options.temperature,
        weights: answers.iter().map(entry).collect(),
        outlier_count: answers.iter().filter(|answer| answer.outlier() == Some(true)).count(),
    };
    let note = |answer: &WeightedAnswer| {
        let stated = match (answer.stated, answer.outlier()) {
            (None, _) => "stated no confidence".to_owned(),
            (Some(stated), Some(true)) => format!("stated {stated}, which deserves doubt"),
            (Some(stated), _) => format!("stated {stated}"),
        };
        if answer.reasons.trim().is_empty() { stated } else { format!("{stated}: {}", answer.reasons.trim()) }
    };
    let shape = Scorecard {
        scale: (0.0, 0.0),
        columns: Weights::ALL.map(|weights| weights.title().to_owned()).to_vec(),
        of: "Answer".into(),
        rows: heaviest_first(answers)
            .into_iter()
            .map(|answer| ScoreRow {
                name: answer.label.clone(),
                cells: [answer.by_stated, answer.by_equal, answer.by_agreement].map(|share| Some(percent(share))).to_vec(),
                summary: Some(percent(answer.weight)),
                note: note(answer),
                ..ScoreRow::default()
            })
            .collect(),
        measure: format!("weight in percent; {} rules, at temperature {}", options.weights.title(), options.temperature),
        ..Scorecard::default()
    };
    Exhibit::new("Weights", Shape::Scorecard(shape)).data(&data)
}

/// The mean of the stated confidences by weight, whatever makes the weights: likeness of texts is no agreement.
pub fn confidence(answers: &[WeightedAnswer]) -> Option<Confidence> {
    let known: Vec<(f64, f64)> = answers.iter().filter_map(|answer| Some((answer.weight, answer.stated?))).collect();
    let whole: f64 = known.iter().map(|(weight, _)| weight).sum();
    let sum: f64 = known.iter().map(|(weight, stated)| weight * stated).sum();
    (whole > 0.0).then(|| Confidence::new(sum / whole, ConfidenceSource::Stated, known.len() as u32))
}

/// The rule in words, for the record.
pub const DISSENT: &str = "less than two thirds as like the others as the median answer is";

/// Answers that stand alone by the rule [`DISSENT`]. Of two answers neither does.
pub fn alone(answers: &[WeightedAnswer]) -> Vec<&WeightedAnswer> {
    let likeness: Vec<f64> = answers.iter().filter_map(|answer| answer.likeness).collect();
    let Some(middle) = synod_math::Summary::of(&likeness).map(|summary| summary.median) else { return Vec::new() };
    answers.iter().filter(|answer| answer.likeness.is_some_and(|likeness| likeness < middle * 2.0 / 3.0)).collect()
}
