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
    pub standing: RoundStats,
    pub settled: bool,
    /// The rule by which it has settled or not, with its numbers.
    pub measure: String,
}

#[derive(Clone, Debug, PartialEq)]
pub enum RoundStats {
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
    /// `first` is the first round, unless this is it. `None` without a single answer.
    pub fn of(n: u32, entries: Vec<Entry>, asked: &Asked, options: &Options, first: Option<&Self>) -> Option<Self> {
        let (standing, settled, measure) = if asked.kind == Kind::Choice {
            let (counts, leader, rung) = count(&entries, asked.options.len())?;
            let percent = percent(counts[leader], entries.len());
            let measure = format!("settled when {} % choose the same; {percent} % do", options.agreement);
            (RoundStats::Choices { counts, leader, rung, percent }, percent >= options.agreement, measure)
        } else {
            let values = |entries: &[Entry]| entries.iter().filter_map(Entry::number).collect::<Vec<f64>>();
            let summary = Summary::of(&values(&entries))?;
            let (yardstick, of) = yardstick(asked, options, &values(first.map_or(&entries, |first| &first.entries)))?;
            let dispersion = summary.dispersion(yardstick);
            let (settled, measure) = match of {
                Of::Years => {
                    let years = |n: f64| format!("{} {}", plain(n), if n == 1.0 { "year" } else { "years" });
                    let measure = format!("at most {} wide; it is {}", years(options.year_width), years(summary.middle()));
                    (summary.middle() <= options.year_width, measure)
                }
                Of::Share(of) => {
                    let share = |share: f64| format!("{} %", plain((share * 1000.0).round() / 10.0));
                    let now = dispersion.map_or_else(|| "it cannot be measured".to_owned(), |now| format!("it is {}", share(now)));
                    (dispersion.is_some_and(|now| now <= options.within), format!("at most {} of {of}; {now}", share(options.within)))
                }
            };
            (RoundStats::Numbers { summary, dispersion }, settled, format!("settled when the middle half is {measure}"))
        };
        Some(Self { n, entries, standing, settled, measure })
    }

    pub fn summary(&self) -> Option<&Summary> {
        match &self.standing {
            RoundStats::Numbers { summary, .. } => Some(summary),
            RoundStats::Choices { .. } => None,
        }
    }

    pub fn of_seat(&self, seat: SeatIx) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.seat == seat)
    }

    /// Beyond the fences, or on an option fewer chose than the leading ones.
    pub fn apart(&self, entry: &Entry) -> bool {
        match (&self.standing, entry.position) {
            (RoundStats::Numbers { summary, .. }, Position::Number(value)) => summary.apart(value),
            (RoundStats::Choices { counts, leader, .. }, Position::Option(at)) => counts[at] < counts[*leader],
            (RoundStats::Numbers { .. }, Position::Option(_)) | (RoundStats::Choices { .. }, Position::Number(_)) => false,
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
            RoundStats::Numbers { summary, .. } => {
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
            RoundStats::Choices { counts, .. } => {
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
            RoundStats::Numbers { summary, dispersion } => {
                shape.spread = Some(spread(summary));
                let more = json!({
                    "mean": summary.mean, "median": summary.median, "stdDev": summary.sd, "sampleStdDev": summary.sample_sd, "cv": summary.cv,
                    "min": summary.min, "max": summary.max, "low": summary.low, "high": summary.high, "dispersion": dispersion,
                    "highVariance": summary.cv.map(|cv| cv > 2.0),
                });
                extend(&mut data, more);
            }
            RoundStats::Choices { counts, leader, rung, percent: agreement } => {
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
        Exhibit::new(format!("Round {}", self.n), Shape::Distribution(shape)).data(&data)
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

/// What the middle half must be small beside.
enum Of {
    /// A width in years.
    Years,
    /// A share of what is named.
    Share(&'static str),
}

/// What a spread is measured against. One far answer in the first round must not move it: no yardstick is a range.
fn yardstick(asked: &Asked, options: &Options, first: &[f64]) -> Option<(Yardstick, Of)> {
    Some(match asked.kind {
        Kind::Scale => (Yardstick::Width(asked.scale.1 - asked.scale.0), Of::Share("the scale")),
        // As wide as makes the year's limit and the share's the same, so that confidence means the same for both.
        Kind::Year => (Yardstick::Width(options.year_width / options.within), Of::Years),
        Kind::Numeric if asked.unit.is_empty() && look_like_years(first) => (Yardstick::Width(options.year_width / options.within), Of::Years),
        Kind::Numeric if Summary::of(first)?.one_sided() => (Yardstick::Median, Of::Share("the median")),
        Kind::Numeric | Kind::Choice => {
            let sizes: Vec<f64> = first.iter().map(|value| value.abs()).collect();
            (Yardstick::Width(Summary::of(&sizes)?.median), Of::Share("the median size in the first round"))
        }
    })
}

/// Numbers without a unit that all could be years are: beside their own size any two would look alike.
fn look_like_years(values: &[f64]) -> bool {
    values.iter().all(|value| value.fract() == 0.0 && (1800.0..=2200.0).contains(value))
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
