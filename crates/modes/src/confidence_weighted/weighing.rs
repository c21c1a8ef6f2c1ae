//! What each answer weighs, by every rule there is; the one chosen decides.

use super::{Options, Weights};
use serde_json::{Value, json};
use synod_math::likeness::to_peers;
use synod_math::weights::{percent, softmax};
use synod_types::*;

/// One answer with all its weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Weighed {
    pub label: String,
    pub seat: SeatIx,
    pub text: String,
    pub stated: Option<f64>,
    /// What stood in for a confidence that was not stated: the mean of the others'.
    pub imputed: Option<f64>,
    /// Mean likeness to the other answers; `None` for an answer alone.
    pub likeness: Option<f64>,
    pub by_stated: f64,
    pub by_equal: f64,
    pub by_agreement: f64,
    /// The one that decides.
    pub weight: f64,
}

impl Weighed {
    /// A rating so high or so low that it deserves doubt. It changes no weight. `None`: nothing was stated.
    pub fn outlier(&self) -> Option<bool> {
        self.stated.map(|stated| !(0.1..=0.95).contains(&stated))
    }
}

/// An answer as it came: label, seat, text, stated confidence.
pub type StatedAnswer = (String, SeatIx, String, Option<f64>);

/// In the order the answers came.
pub fn weigh(answers: Vec<StatedAnswer>, options: &Options) -> Vec<Weighed> {
    let stated: Vec<f64> = answers.iter().filter_map(|(.., stated)| *stated).collect();
    // Nobody stated anything: any common value makes them equal.
    let mean = if stated.is_empty() { 0.0 } else { stated.iter().sum::<f64>() / stated.len() as f64 };
    let inputs: Vec<f64> = answers.iter().map(|(.., stated)| stated.unwrap_or(mean)).collect();
    let likeness = to_peers(&answers.iter().map(|(_, _, text, _)| text.as_str()).collect::<Vec<_>>());
    let by_stated = softmax(&inputs, options.temperature);
    let by_agreement = softmax(&likeness.iter().map(|likeness| likeness.unwrap_or(0.0)).collect::<Vec<_>>(), options.temperature);
    let by_equal = 1.0 / answers.len().max(1) as f64;
    let weighed = answers.into_iter().enumerate().map(|(at, (label, seat, text, said))| Weighed {
        label,
        seat,
        text,
        stated: said,
        imputed: said.is_none().then_some(mean).filter(|_| !stated.is_empty()),
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
    weighed.collect()
}

/// Heaviest first; equal ones in seat order.
pub fn heaviest_first(weighed: &[Weighed]) -> Vec<&Weighed> {
    let mut order: Vec<&Weighed> = weighed.iter().collect();
    order.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    order
}

pub fn exhibit(weighed: &[Weighed], options: &Options, model: impl Fn(SeatIx) -> String) -> Exhibit {
    let row = |one: &Weighed| -> Value {
        json!({
            "label": one.label, "model": model(one.seat), "rawConfidence": one.stated, "imputedConfidence": one.imputed, "likeness": one.likeness,
            "normalizedWeight": one.weight, "weightPercent": percent(one.weight), "isOutlier": one.outlier(),
            "statedPercent": percent(one.by_stated), "equalPercent": percent(one.by_equal), "agreementPercent": percent(one.by_agreement),
        })
    };
    let rows: Vec<Value> = weighed.iter().map(row).collect();
    let outliers = weighed.iter().filter(|one| one.outlier() == Some(true)).count();
    let data = json!({
        "type": "weights", "method": options.weights, "temperature": options.temperature, "weights": rows, "outlierCount": outliers,
    });
    let note = |one: &Weighed| match (one.stated, one.outlier()) {
        (None, _) => "stated no confidence".to_owned(),
        (Some(stated), Some(true)) => format!("stated {stated}, which deserves doubt"),
        (Some(stated), _) => format!("stated {stated}"),
    };
    let shape = Scorecard {
        scale: (0.0, 0.0),
        columns: Weights::ALL.map(|weights| weights.as_str().to_owned()).to_vec(),
        rows: heaviest_first(weighed)
            .into_iter()
            .map(|one| ScoreRow {
                name: one.label.clone(),
                cells: [one.by_stated, one.by_equal, one.by_agreement].map(|share| Some(percent(share))).to_vec(),
                summary: Some(percent(one.weight)),
                note: note(one),
                ..ScoreRow::default()
            })
            .collect(),
        measure: format!("weight in percent; {} rules, at temperature {}", options.weights.as_str(), options.temperature),
        ..Scorecard::default()
    };
    Exhibit::new("Weights", Shape::Scorecard(shape)).data(&data)
}

/// Where the number comes from depends on what the weights come from.
pub fn confidence(weighed: &[Weighed], weights: Weights) -> Option<Confidence> {
    let of = |value: fn(&Weighed) -> Option<f64>, source| {
        let known: Vec<(f64, f64)> = weighed.iter().filter_map(|one| Some((one.weight, value(one)?))).collect();
        let whole: f64 = known.iter().map(|(weight, _)| weight).sum();
        let sum: f64 = known.iter().map(|(weight, value)| weight * value).sum();
        (whole > 0.0).then(|| Confidence { value: Some(sum / whole), source, n: known.len() as u32 })
    };
    match weights {
        Weights::Stated | Weights::Equal => of(|one| one.stated, ConfidenceSource::Stated),
        Weights::Agreement => of(|one| one.likeness, ConfidenceSource::Agreement),
    }
}

/// The rule in words, for the record.
pub const DISSENT: &str = "less than two thirds as like the others as the median answer is";

/// Answers that stand alone by [`DISSENT`]. Of two neither does.
pub fn dissent(weighed: &[Weighed]) -> Vec<&Weighed> {
    let likeness: Vec<f64> = weighed.iter().filter_map(|one| one.likeness).collect();
    let Some(middle) = synod_math::Summary::of(&likeness).map(|summary| summary.median) else { return Vec::new() };
    weighed.iter().filter(|one| one.likeness.is_some_and(|likeness| likeness < middle * 2.0 / 3.0)).collect()
}
