//! Numbers of runs and of days: what each run adds, how many runs are put together, and where both are kept.
//!
//! A run's numbers are written with its projections and noted as news. Whoever asks for numbers first puts the news into the days they belong
//! to, so that an answer reads a row a day and mode, however many runs there were.
//!
//! Reading order: what a run and many runs come to (here), the ballots in it (`ballots`), days and months (`days`), and who asks (`reading`).

mod ballots;
mod days;
mod reading;

use crate::project::Projection;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use synod_types::Millis;

pub(crate) use ballots::BallotBox;
pub use ballots::Votes;
pub(crate) use days::{EVERYBODY, forget, read, write};
pub use reading::{DayStats, DayTotals, StatsFilter, StatsOfRun};

/// What runs come to: one of them, or any number put together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Stats {
    pub runs: u64,
    /// Verdicts by status, and `stopped` for runs that have none.
    pub statuses: BTreeMap<String, u64>,
    /// Of runs with a verdict: how long they took, and how long their replies took together.
    pub wall_ms: u64,
    pub busy_ms: u64,
    /// Runs in which some cost is unknown.
    pub unpriced: u64,
    pub models: BTreeMap<String, ModelStats>,
    /// By name, then label, then model; empty where there is none.
    pub figures: BTreeMap<String, BTreeMap<String, BTreeMap<String, FigureStats>>>,
}

/// One model's part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelStats {
    pub runs: u64,
    /// Turns that ended, repairs and retries not counted, and why some failed.
    pub turns: u64,
    pub failures: BTreeMap<String, u64>,
    /// How often a reply took so many milliseconds, to two digits.
    pub ms: BTreeMap<u64, u64>,
    pub calls: u64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    pub tokens_cached: u64,
    pub thinking: u64,
    /// The known part, and the runs in which some of it is unknown.
    pub usd: f64,
    pub unpriced_runs: u64,
    /// Ballots on which its answers stood, and those that put one of them first.
    pub ballots: u64,
    pub wins: u64,
    /// Its own ballots on which the panel's choice stood, and those that put that first.
    pub cast: u64,
    pub sided: u64,
}

/// A number that modes record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FigureStats {
    pub n: u64,
    pub runs: u64,
    pub sum: f64,
    pub of: f64,
    /// Of `value / of` in one run.
    pub min: f64,
    pub max: f64,
}

impl FigureStats {
    fn one(value: f64, of: f64) -> Self {
        let share = if of > 0.0 { value / of } else { 0.0 };
        Self { n: 1, runs: 1, sum: value, of, min: share, max: share }
    }

    fn add(&mut self, other: &Self) {
        if self.n == 0 {
            *self = *other;
            return;
        }
        self.n += other.n;
        self.runs += other.runs;
        self.sum += other.sum;
        self.of += other.of;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }
}

/// A time to two digits: 12,345 ms count as 12,000. So many times can be kept without keeping each.
fn two_digits(ms: Millis) -> u64 {
    let ms = u64::try_from(ms).unwrap_or(0);
    let step = 10_u64.pow(ms.checked_ilog10().unwrap_or(0).saturating_sub(1));
    ms / step * step
}

impl Stats {
    /// The numbers of one run. Those of its deliberation count once there is a verdict; what it used, also before.
    pub(crate) fn of(run: &Projection) -> Self {
        let status = run.status.map_or("stopped", |status| status.as_str());
        let mut stats = Self { runs: 1, statuses: BTreeMap::from([(status.to_owned(), 1)]), ..Self::default() };
        // What was put to a person, never asked or taken over from another run is no turn of a model.
        for turn in run.turns.iter().filter(|turn| turn.seat.is_some() && turn.tries > 0) {
            let model = stats.models.entry(turn.model.clone()).or_default();
            if let Some(ms) = turn.ms {
                *model.ms.entry(two_digits(ms)).or_default() += 1;
            }
            let of_its_own = turn.key.rsplit('/').next().is_some_and(|last| last.contains('@'));
            let ended = matches!(turn.outcome, crate::TurnOutcome::Said | crate::TurnOutcome::Failed);
            if of_its_own && ended {
                model.turns += 1;
                if let Some(why) = &turn.failure {
                    *model.failures.entry(why.clone()).or_default() += 1;
                }
            }
        }
        for cost in &run.costs {
            let model = stats.models.entry(cost.model.clone()).or_default();
            model.calls += u64::try_from(cost.calls).unwrap_or(0);
            model.tokens_in += cost.usage.input;
            model.tokens_out += cost.usage.output;
            model.tokens_cached += cost.usage.cached;
            model.thinking += cost.usage.thinking.unwrap_or(0);
            model.usd += cost.usd.unwrap_or(0.0);
            model.unpriced_runs += u64::from(cost.usd.is_none());
        }
        for model in stats.models.values_mut() {
            model.runs = 1;
        }
        stats.unpriced = u64::from(run.costs.iter().any(|cost| cost.usd.is_none()));
        if run.ended() {
            stats.wall_ms = run.wall_ms.and_then(|ms| u64::try_from(ms).ok()).unwrap_or(0);
            stats.busy_ms = run.turns.iter().filter_map(|turn| turn.ms).filter_map(|ms| u64::try_from(ms).ok()).sum();
            for (model, votes) in &run.votes {
                let kept = stats.models.entry(model.clone()).or_default();
                (kept.ballots, kept.wins, kept.cast, kept.sided) = (votes.ballots, votes.wins, votes.cast, votes.sided);
                kept.runs = 1;
            }
            for figure in run.figures.iter().filter(|figure| figure.value.is_finite() && figure.of.is_finite()) {
                let (label, model) = (figure.label.clone().unwrap_or_default(), figure.model.clone().unwrap_or_default());
                let place = stats.figures.entry(figure.name.clone()).or_default().entry(label).or_default().entry(model).or_default();
                place.add(&FigureStats::one(figure.value, figure.of));
                place.runs = 1;
            }
        }
        stats
    }

    /// Puts other runs to these.
    pub fn add(&mut self, other: &Self) {
        self.runs += other.runs;
        self.wall_ms += other.wall_ms;
        self.busy_ms += other.busy_ms;
        self.unpriced += other.unpriced;
        count_up(&mut self.statuses, &other.statuses);
        for (name, model) in &other.models {
            self.models.entry(name.clone()).or_default().add(model);
        }
        for (name, labels) in &other.figures {
            for (label, models) in labels {
                for (model, figure) in models {
                    let place = self.figures.entry(name.clone()).or_default().entry(label.clone()).or_default();
                    place.entry(model.clone()).or_default().add(figure);
                }
            }
        }
    }
}

impl ModelStats {
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in [
            (&mut self.runs, other.runs),
            (&mut self.turns, other.turns),
            (&mut self.calls, other.calls),
            (&mut self.tokens_in, other.tokens_in),
            (&mut self.tokens_out, other.tokens_out),
            (&mut self.tokens_cached, other.tokens_cached),
            (&mut self.thinking, other.thinking),
            (&mut self.unpriced_runs, other.unpriced_runs),
            (&mut self.ballots, other.ballots),
            (&mut self.wins, other.wins),
            (&mut self.cast, other.cast),
            (&mut self.sided, other.sided),
        ] {
            *mine += theirs;
        }
        self.usd += other.usd;
        count_up(&mut self.failures, &other.failures);
        count_up(&mut self.ms, &other.ms);
    }
}

fn count_up<K: Ord + Clone>(mine: &mut BTreeMap<K, u64>, theirs: &BTreeMap<K, u64>) {
    for (key, n) in theirs {
        *mine.entry(key.clone()).or_default() += n;
    }
}

#[cfg(test)]
mod tests {
    use super::two_digits;

    #[test]
    fn times_are_kept_to_two_digits() {
        for (ms, kept) in [(0, 0), (7, 7), (99, 99), (101, 100), (999, 990), (1234, 1200), (12_345, 12_000), (599_999, 590_000), (-5, 0)] {
            assert_eq!(two_digits(ms), kept);
        }
    }
}
