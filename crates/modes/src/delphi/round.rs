//! One round: its answers, their statistics, whether the panel has settled and by which measure, and who stands apart.

use super::Options;
use super::question::{AnswerForm, Kind};
use super::reply::Level;
use super::rows::{ChoiceStats, LevelCounts, NumberStats, OptionShare, RoundStatsRow};
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
    pub stats: RoundStats,
    pub settled: bool,
    /// The rule by which it has settled or not, with its numbers.
    pub measure: String,
}

#[derive(Clone, Debug, PartialEq)]
pub enum RoundStats {
    Numbers { summary: Summary, dispersion: Option<f64> },
    Choices { counts: Vec<u32>, leader: usize, rung: Rung, percent: u32 },
}

words! {
    /// What put one option before others.
    pub enum Rung {
        /// Most chose it.
        Votes = "votes",
        /// Equally many chose it, and they were surer.
        Confidence = "confidence",
        /// Equal in both: the first listed.
        Order = "order",
    }
}

impl Round {
    /// `first` is the first round, unless this is it. `None` without a single answer.
    pub fn of(n: u32, entries: Vec<Entry>, form: &AnswerForm, options: &Options, first: Option<&Self>) -> Option<Self> {
        let (stats, settled, measure) = if form.kind == Kind::Choice {
            let (counts, leader, rung) = count(&entries, form.options.len())?;
            let percent = percent(counts[leader], entries.len());
            let measure = format!("settled when {} % choose the same; {percent} % do", options.agreement);
            (RoundStats::Choices { counts, leader, rung, percent }, percent >= options.agreement, measure)
        } else {
            let values = |entries: &[Entry]| entries.iter().filter_map(Entry::number).collect::<Vec<f64>>();
            let summary = Summary::of(&values(&entries))?;
            let (yardstick, limit) = yardstick(form, options, &values(first.map_or(&entries, |first| &first.entries)))?;
            let dispersion = summary.dispersion(yardstick);
            let (settled, measure) = match limit {
                Limit::Years => {
                    let years = |n: f64| format!("{} {}", plain(n), if n == 1.0 { "year" } else { "years" });
                    let measure = format!("at most {} wide; it is {}", years(options.year_width), years(summary.middle()));
                    (summary.middle() <= options.year_width, measure)
                }
                Limit::Share(of) => {
                    let share = |share: f64| format!("{} %", plain((share * 1000.0).round() / 10.0));
                    let now = dispersion.map_or_else(|| "it cannot be measured".to_owned(), |now| format!("it is {}", share(now)));
                    (dispersion.is_some_and(|now| now <= options.within), format!("at most {} of {of}; {now}", share(options.within)))
                }
            };
            (RoundStats::Numbers { summary, dispersion }, settled, format!("settled when the middle half is {measure}"))
        };
        Some(Self { n, entries, stats, settled, measure })
    }

    pub fn summary(&self) -> Option<&Summary> {
        match &self.stats {
            RoundStats::Numbers { summary, .. } => Some(summary),
            RoundStats::Choices { .. } => None,
        }
    }

    pub fn of_seat(&self, seat: SeatIx) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.seat == seat)
    }

    /// Whether a number lies far outside the middle half, beyond the fences, or an option was chosen by fewer than the leading ones.
    pub fn stands_apart(&self, entry: &Entry) -> bool {
        match (&self.stats, entry.position) {
            (RoundStats::Numbers { summary, .. }, Position::Number(value)) => summary.apart(value),
            (RoundStats::Choices { counts, leader, .. }, Position::Option(at)) => counts[at] < counts[*leader],
            (RoundStats::Numbers { .. }, Position::Option(_)) | (RoundStats::Choices { .. }, Position::Number(_)) => false,
        }
    }

    /// Answers with low, medium and high confidence.
    pub fn level_counts(&self) -> [u32; 3] {
        [Level::Low, Level::Medium, Level::High].map(|level| self.entries.iter().filter(|entry| entry.level == level).count() as u32)
    }

    /// The statistics as panelists and facilitator read them: numbers, and nobody's words.
    pub fn for_prompt(&self, form: &AnswerForm) -> Value {
        let [low, medium, high] = self.level_counts();
        let mut stats =
            json!({"round": self.n, "n": self.entries.len(), "sure": {"low": low, "medium": medium, "high": high}, "measure": self.measure});
        match &self.stats {
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
                    stats[name] = json!(plain(value));
                }
            }
            RoundStats::Choices { counts, .. } => {
                let share = |(id, count): (String, &u32)| json!({"id": id, "count": count, "percent": percent(*count, self.entries.len())});
                stats["shares"] = form.ids().into_iter().zip(counts).map(share).collect();
            }
        }
        stats
    }

    pub fn exhibit(&self, form: &AnswerForm, name: impl Fn(SeatIx) -> String) -> Exhibit {
        let point = |entry: &Entry| Point {
            label: name(entry.seat),
            seat: Some(entry.seat),
            value: entry.number(),
            choice: entry.option_text(form).unwrap_or_default(),
            note: format!("{} confidence", entry.level.as_str().to_lowercase()),
        };
        let mut shape = Distribution {
            unit: form.unit.clone(),
            points: self.entries.iter().map(point).collect(),
            measure: self.measure.clone(),
            ..Distribution::default()
        };
        let [low, medium, high] = self.level_counts();
        let mut data = RoundStatsRow {
            round: self.n,
            kind: "stats",
            converged: self.settled,
            confidence_counts: LevelCounts { low, medium, high },
            measure: self.measure.clone(),
            numbers: None,
            choices: None,
        };
        match &self.stats {
            RoundStats::Numbers { summary, dispersion } => {
                shape.spread = Some(spread(summary));
                data.numbers = Some(NumberStats {
                    mean: summary.mean,
                    median: summary.median,
                    std_dev: summary.sd,
                    sample_std_dev: summary.sample_sd,
                    cv: summary.cv,
                    min: summary.min,
                    max: summary.max,
                    low: summary.low,
                    high: summary.high,
                    dispersion: *dispersion,
                    high_variance: summary.cv.map(|cv| cv > 2.0),
                });
            }
            RoundStats::Choices { counts, leader, rung, percent: agreement } => {
                let mut shares: Vec<(String, u32)> = form.options.iter().cloned().zip(counts.iter().copied()).filter(|(_, n)| *n > 0).collect();
                shares.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
                let share = |(answer, count): &(String, u32)| OptionShare {
                    answer: answer.clone(),
                    count: *count,
                    percentage: percent(*count, self.entries.len()),
                };
                data.choices = Some(ChoiceStats {
                    distribution: shares.iter().map(share).collect(),
                    agreement_percentage: *agreement,
                    mode: form.options[*leader].clone(),
                    mode_by: *rung,
                });
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
    pub fn in_words(&self, form: &AnswerForm) -> String {
        match self.position {
            Position::Number(value) => form.number(value),
            Position::Option(at) => format!("{} ({})", form.ids()[at], form.options[at]),
        }
    }
    /// The words of the option; `None` for a number.
    pub fn option_text(&self, form: &AnswerForm) -> Option<String> {
        self.option().map(|at| form.options[at].clone())
    }
}

/// How the width of the middle half is limited.
enum Limit {
    /// A width in years.
    Years,
    /// A share of what is named.
    Share(&'static str),
}

/// What a spread is measured against, and the limit on it. No yardstick is the range of the first round: one far answer would move it.
fn yardstick(form: &AnswerForm, options: &Options, first: &[f64]) -> Option<(Yardstick, Limit)> {
    Some(match form.kind {
        Kind::Scale => (Yardstick::Width(form.scale.1 - form.scale.0), Limit::Share("the scale")),
        // With this width `year_width` and `within` are the same limit, so confidence means the same for years as for other numbers.
        Kind::Year => (Yardstick::Width(options.year_width / options.within), Limit::Years),
        Kind::Numeric if form.unit.is_empty() && look_like_years(first) => (Yardstick::Width(options.year_width / options.within), Limit::Years),
        Kind::Numeric if Summary::of(first)?.one_sided() => (Yardstick::Median, Limit::Share("the median")),
        Kind::Numeric | Kind::Choice => {
            let sizes: Vec<f64> = first.iter().map(|value| value.abs()).collect();
            (Yardstick::Width(Summary::of(&sizes)?.median), Limit::Share("the median size in the first round"))
        }
    })
}

/// Whether numbers without a unit are calendar years: whole and all from 1800 to 2200. As plain numbers any two years would count as alike.
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
