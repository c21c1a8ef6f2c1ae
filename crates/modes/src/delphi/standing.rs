//! Where the panel stands after a round: its statistics, whether it has settled and by which measure, and who stands apart.

use super::Options;
use super::question::{Asked, Kind};
use super::reply::Level;
use serde_json::{Value, json};
use synod_math::numbers::plain;
use synod_math::{Summary, Yardstick};
use synod_types::*;

/// One panelist's answer of a round.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub seat: SeatIx,
    pub key: String,
    pub position: Position,
    pub level: Level,
    pub reasons: String,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Position {
    Number(f64),
    /// An index into the options.
    Option(usize),
}

/// A whole round.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    pub n: u32,
    pub entries: Vec<Entry>,
    pub standing: Standing,
    pub settled: bool,
    /// The rule by which it has settled or not, with its numbers.
    pub measure: String,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Standing {
    Numbers { summary: Summary, dispersion: Option<f64> },
    Choices { counts: Vec<u32>, leader: usize, rung: Rung, percent: u32 },
}

/// What put one option before others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rung {
    Votes,
    /// Equally many chose it, and they were surer.
    Confidence,
    /// Equal in both: the first listed.
    Order,
}

impl Rung {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Votes => "votes",
            Self::Confidence => "confidence",
            Self::Order => "order",
        }
    }
}

impl Round {
    /// `first` is the first round's summary, where there is one. `None` without a single answer.
    pub fn of(n: u32, entries: Vec<Entry>, asked: &Asked, options: &Options, first: Option<&Summary>) -> Option<Self> {
        let (standing, settled, measure) = if asked.kind == Kind::Choice {
            let (counts, leader, rung) = count(&entries, asked.options.len())?;
            let percent = percent(counts[leader], entries.len());
            let measure = format!("settled when {} % choose the same; {percent} % do", options.agreement);
            (Standing::Choices { counts, leader, rung, percent }, percent >= options.agreement, measure)
        } else {
            let values: Vec<f64> = entries.iter().filter_map(Entry::number).collect();
            let summary = Summary::of(&values)?;
            let (yardstick, of) = yardstick(asked, options, first.unwrap_or(&summary));
            let dispersion = summary.dispersion(yardstick);
            let share = |share: f64| format!("{} %", plain((share * 1000.0).round() / 10.0));
            let now = dispersion.map_or_else(|| "it cannot be measured".to_owned(), |now| format!("it is {}", share(now)));
            let measure = format!("settled when the middle half is at most {} of {of}; {now}", share(options.within));
            (Standing::Numbers { summary, dispersion }, dispersion.is_some_and(|now| now <= options.within), measure)
        };
        Some(Self { n, entries, standing, settled, measure })
    }

    pub fn summary(&self) -> Option<&Summary> {
        match &self.standing {
            Standing::Numbers { summary, .. } => Some(summary),
            Standing::Choices { .. } => None,
        }
    }

    pub fn of_seat(&self, seat: SeatIx) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.seat == seat)
    }

    /// Beyond the fences, or on an option fewer chose than the leading ones.
    pub fn apart(&self, entry: &Entry) -> bool {
        match (&self.standing, entry.position) {
            (Standing::Numbers { summary, .. }, Position::Number(value)) => summary.apart(value),
            (Standing::Choices { counts, leader, .. }, Position::Option(at)) => counts[at] < counts[*leader],
            (Standing::Numbers { .. }, Position::Option(_)) | (Standing::Choices { .. }, Position::Number(_)) => false,
        }
    }

    /// Answers with low, medium and high confidence.
    pub fn levels(&self) -> [u32; 3] {
        [Level::Low, Level::Medium, Level::High].map(|level| self.entries.iter().filter(|entry| entry.level == level).count() as u32)
    }

    /// The statistics as panelists and facilitator read them: numbers, never words.
    pub fn told(&self, asked: &Asked) -> Value {
        let [low, medium, high] = self.levels();
        let mut told =
            json!({"round": self.n, "n": self.entries.len(), "sure": {"low": low, "medium": medium, "high": high}, "measure": self.measure});
        match &self.standing {
            Standing::Numbers { summary, .. } => {
                for (name, value) in [
                    ("median", summary.median),
                    ("low", summary.low),
                    ("high", summary.high),
                    ("min", summary.min),
                    ("max", summary.max),
                    ("mean", summary.mean),
                    ("sd", summary.sd),
                ] {
                    told[name] = json!(plain(value));
                }
            }
            Standing::Choices { counts, .. } => {
                let share = |(id, count): (String, &u32)| json!({"id": id, "count": count, "percent": percent(*count, self.entries.len())});
                told["shares"] = asked.ids().into_iter().zip(counts).map(share).collect();
            }
        }
        told
    }

    pub fn exhibit(&self, asked: &Asked, name: impl Fn(SeatIx) -> String) -> Exhibit {
        let point = |entry: &Entry| Point {
            label: name(entry.seat),
            seat: Some(entry.seat),
            value: entry.number(),
            choice: entry.option().map(|at| asked.options[at].clone()).unwrap_or_default(),
            note: format!("{} confidence", entry.level.as_str().to_lowercase()),
        };
        let mut shape = Distribution {
            unit: asked.unit.clone(),
            points: self.entries.iter().map(point).collect(),
            measure: self.measure.clone(),
            ..Distribution::default()
        };
        let [low, medium, high] = self.levels();
        let mut data = json!({
            "round": self.n, "type": "stats", "converged": self.settled, "confidenceCounts": {"low": low, "medium": medium, "high": high},
            "measure": self.measure,
        });
        match &self.standing {
            Standing::Numbers { summary, dispersion } => {
                shape.spread = Some(spread(summary));
                let more = json!({
                    "mean": summary.mean, "median": summary.median, "stdDev": summary.sd, "sampleStdDev": summary.sample_sd, "cv": summary.cv,
                    "min": summary.min, "max": summary.max, "low": summary.low, "high": summary.high, "dispersion": dispersion,
                    "highVariance": summary.cv.map(|cv| cv > 2.0),
                });
                extend(&mut data, more);
            }
            Standing::Choices { counts, leader, rung, percent: agreement } => {
                let mut shares: Vec<(String, u32)> = asked.options.iter().cloned().zip(counts.iter().copied()).filter(|(_, n)| *n > 0).collect();
                shares.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
                let row =
                    |(answer, count): &(String, u32)| json!({"answer": answer, "count": count, "percentage": percent(*count, self.entries.len())});
                let rows: Vec<Value> = shares.iter().map(row).collect();
                let more = json!({
                    "distribution": rows, "agreementPercentage": agreement, "mode": asked.options[*leader], "modeBy": rung.as_str(),
                });
                extend(&mut data, more);
                shape.shares = shares;
            }
        }
        Exhibit::new(format!("Round {}", self.n), Shape::Distribution(shape)).data(data)
    }
}

impl Entry {
    pub fn number(&self) -> Option<f64> {
        match self.position {
            Position::Number(value) => Some(value),
            Position::Option(_) => None,
        }
    }
    pub fn option(&self) -> Option<usize> {
        match self.position {
            Position::Number(_) => None,
            Position::Option(at) => Some(at),
        }
    }
    /// The position in words.
    pub fn said(&self, asked: &Asked) -> String {
        match self.position {
            Position::Number(value) => asked.number(value),
            Position::Option(at) => format!("{} ({})", asked.ids()[at], asked.options[at]),
        }
    }
    /// The position as stored: a number, or the option's words.
    pub fn value(&self, asked: &Asked) -> Value {
        match self.position {
            Position::Number(value) => json!(value),
            Position::Option(at) => json!(asked.options[at]),
        }
    }
}

/// What a spread is measured against, and its name.
fn yardstick(asked: &Asked, options: &Options, first: &Summary) -> (Yardstick, &'static str) {
    match asked.kind {
        Kind::Scale => (Yardstick::Width(asked.scale.1 - asked.scale.0), "the scale"),
        // Within a year of each other is agreement, however close the panel began.
        Kind::Year => (Yardstick::Width(first.range().max(1.0 / options.within)), "the first round's range, or a year wide"),
        Kind::Numeric if first.one_sided() => (Yardstick::Median, "the median"),
        Kind::Numeric | Kind::Choice => (Yardstick::Width(first.range()), "the first round's range"),
    }
}

/// Votes, the leading option, and what put it there.
fn count(entries: &[Entry], options: usize) -> Option<(Vec<u32>, usize, Rung)> {
    let mut counts = vec![0_u32; options];
    let mut weights = vec![0_u32; options];
    for (at, entry) in entries.iter().filter_map(|entry| Some((entry.option()?, entry))) {
        counts[at] += 1;
        weights[at] += entry.level.weight();
    }
    let most = counts.iter().copied().max().filter(|most| *most > 0)?;
    let tied: Vec<usize> = (0..options).filter(|at| counts[*at] == most).collect();
    let surest = tied.iter().map(|at| weights[*at]).max()?;
    let sure: Vec<usize> = tied.iter().copied().filter(|at| weights[*at] == surest).collect();
    let rung = match (tied.len(), sure.len()) {
        (1, _) => Rung::Votes,
        (_, 1) => Rung::Confidence,
        _ => Rung::Order,
    };
    Some((counts, sure[0], rung))
}

fn percent(part: u32, whole: usize) -> u32 {
    (100.0 * f64::from(part) / whole.max(1) as f64).round() as u32
}

pub fn spread(summary: &Summary) -> Spread {
    Spread { min: summary.min, low: summary.low, middle: summary.median, high: summary.high, max: summary.max }
}

fn extend(data: &mut Value, more: Value) {
    if let (Some(data), Value::Object(more)) = (data.as_object_mut(), more) {
        data.extend(more);
    }
}
