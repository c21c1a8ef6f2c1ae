//! Numbers over many runs: what models and modes did, day by day, each with how many runs are behind it and which.
//!
//! Knows no mode: a mode's own numbers are those it declares.

use crate::app::App;
use crate::error::AppResult;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use synod_engine::{Counted, FigureKind};
use synod_modes::MODES;
use synod_store::{DayStats, DayTotals, FigureStats, ModelStats, Stats, StatsFilter, StatsOfRun};
use synod_types::{DAY_MS, Millis, date, day_of, words};

/// So many of a mode's newest runs are looked through for those behind a number.
const LOOKED_THROUGH: u32 = 50;
/// For a list of them so many at once, and at most so often for one page.
const AT_ONCE: u32 = 500;
const MOST_LOOKS: u32 = 10;
/// And so many are named with it.
const NAMED: usize = 5;

words! {
    /// How far back: whole days of UTC, today among them.
    #[derive(Default)]
    pub enum Range {
        Week = "7d",
        #[default]
        Month = "30d",
        Quarter = "90d",
        All = "all",
    }
}

impl Range {
    fn days(self) -> Option<i64> {
        match self {
            Self::Week => Some(7),
            Self::Month => Some(30),
            Self::Quarter => Some(90),
            Self::All => None,
        }
    }
}

/// Which runs to count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnalyticsRequest {
    pub range: Range,
    pub mode: Option<String>,
    pub model: Option<String>,
    /// Rehearsals too; they are no opinion of any model.
    pub rehearsals: bool,
    /// Whose runs. `None`: everybody's.
    pub principal: Option<String>,
}

impl AnalyticsRequest {
    fn since(&self, now: Millis) -> Option<i64> {
        self.range.days().map(|days| day_of(now) - days + 1)
    }

    fn filter(&self, now: Millis) -> StatsFilter {
        StatsFilter { principal: self.principal.clone(), since_day: self.since(now), mode: self.mode.clone(), rehearsals: self.rehearsals }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Analytics {
    pub range: Range,
    /// The first day counted, UTC; null: the first there is.
    pub from: Option<String>,
    /// The last day counted: today.
    pub until: String,
    /// Built-in voices are counted too.
    pub rehearsals: bool,
    /// Runs that have ended or stopped.
    pub runs: u64,
    /// Days on which runs were begun.
    pub days: Vec<DayNumbers>,
    /// The most used first.
    pub modes: Vec<ModeNumbers>,
    /// The most used first.
    pub models: Vec<ModelEntry>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct DayNumbers {
    /// UTC, as `2026-03-01`.
    pub date: String,
    pub runs: u64,
    #[serde(flatten)]
    pub used: Used,
}

/// What models used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Used {
    pub calls: u64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// Tokens thought, as far as providers say so; part of those written.
    pub thinking: u64,
    /// The known part.
    pub usd: f64,
    /// Runs whose part of it is unknown.
    pub unpriced_runs: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ModeNumbers {
    pub mode: String,
    pub runs: u64,
    /// Its part of all runs.
    pub share: f64,
    /// Verdicts by status, and `stopped` for runs without one. Empty where one model is asked for.
    pub statuses: BTreeMap<String, u64>,
    /// The time that replies took, over the time that runs took: above 1, seats answered side by side.
    pub side_by_side: Option<f64>,
    pub figures: Vec<FigureNumbers>,
    /// The newest runs of it.
    pub run_ids: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FigureNumbers {
    pub name: String,
    /// What it is, in a few words.
    pub what: String,
    pub counted: Counted,
    /// What of several it is: a verdict, a severity, a dimension.
    pub label: Option<String>,
    /// Whose it is, where it is a model's.
    pub model: Option<String>,
    /// How often it was recorded.
    pub n: u64,
    /// Runs behind it.
    pub runs: u64,
    /// A mean or a share; of a total, the part that has this label.
    pub value: Option<f64>,
    /// The sum of what was recorded.
    pub total: f64,
    /// The least and the most in one run.
    pub min: f64,
    pub max: f64,
    /// The newest runs behind it; `/v1/analytics/runs` lists all.
    pub run_ids: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ModelEntry {
    pub model: String,
    /// In all modes.
    pub all: ModelNumbers,
    pub modes: BTreeMap<String, ModelNumbers>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ModelNumbers {
    pub runs: u64,
    pub turns: u64,
    /// Ballots that put its answer first, of those on which it stood.
    pub wins: Share,
    /// Its own ballots that put the panel's choice first, of those on which that stood.
    pub sided: Share,
    /// Turns that failed.
    pub failed: Share,
    /// And why.
    pub failures: BTreeMap<String, u64>,
    /// Null without a reply.
    pub response: Option<ResponseTimes>,
    #[serde(flatten)]
    pub used: Used,
    pub tokens_cached: u64,
    /// The newest runs it took part in.
    pub run_ids: Vec<String>,
}

/// So many of so many.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Share {
    pub count: u64,
    /// Out of how many.
    pub n: u64,
    /// From 0 to 1; null of nothing.
    pub value: Option<f64>,
}

impl Share {
    fn of(count: u64, n: u64) -> Self {
        Self { count, n, value: (n > 0).then(|| count as f64 / n as f64) }
    }
}

/// Milliseconds, to two digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ResponseTimes {
    pub n: u64,
    /// Half of the replies were as quick or quicker.
    pub p50: u64,
    /// And of twenty, nineteen.
    pub p95: u64,
}

impl ResponseTimes {
    fn of(ms: &BTreeMap<u64, u64>) -> Option<Self> {
        let n = ms.values().sum::<u64>();
        let at = |percent: u64| {
            let rank = (n * percent).div_ceil(100).max(1);
            ms.iter()
                .scan(0, |seen, (ms, count)| {
                    *seen += count;
                    Some((*seen, *ms))
                })
                .find(|(seen, _)| *seen >= rank)
                .map_or(0, |(_, ms)| ms)
        };
        (n > 0).then(|| Self { n, p50: at(50), p95: at(95) })
    }
}

/// A run behind a number.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RunBehind {
    pub run: String,
    pub mode: String,
    pub at: Millis,
    /// What it recorded of the figure asked for.
    pub value: Option<f64>,
}

impl App {
    pub async fn analytics(&self, request: &AnalyticsRequest, now: Millis) -> AppResult<Analytics> {
        let filter = request.filter(now);
        let mut by_mode: BTreeMap<String, Stats> = BTreeMap::new();
        let days = if request.range == Range::All && request.model.is_none() {
            let (modes, days) = self.store.whole_stats(&filter).await?;
            for (mode, stats) in modes {
                by_mode.entry(mode).or_default().add(&stats);
            }
            days.iter().map(DayNumbers::of).collect()
        } else {
            by_day(request, &self.store.day_stats(&filter).await?, &mut by_mode)
        };
        let mut newest = Vec::new();
        let mut modes: Vec<&str> = by_mode.keys().map(String::as_str).collect();
        modes.sort_unstable();
        modes.dedup();
        for mode in modes {
            let filter = StatsFilter { mode: Some(mode.to_owned()), ..filter.clone() };
            newest.extend(self.store.run_stats(&filter, None, LOOKED_THROUGH).await?);
        }
        newest.sort_by(|a, b| (b.at, &b.run).cmp(&(a.at, &a.run)));
        Ok(put_together(request, days, &by_mode, &newest, now))
    }

    /// The runs behind a number, newest first: of a mode, a figure, a model. `None` after them: there are no more. A page may have fewer than asked
    /// for where few of many runs are behind it.
    pub async fn runs_behind(
        &self,
        request: &AnalyticsRequest,
        figure: Option<(&str, Option<&str>)>,
        mut before: Option<(Millis, String)>,
        limit: usize,
        now: Millis,
    ) -> AppResult<(Vec<RunBehind>, Option<(Millis, String)>)> {
        let mut found: Vec<RunBehind> = Vec::new();
        for _ in 0..MOST_LOOKS {
            let page = self.store.run_stats(&request.filter(now), before.clone(), AT_ONCE).await?;
            let last = page.len() < AT_ONCE as usize;
            for one in page {
                let value = figure.map(|(name, label)| recorded(&one.stats, name, label, request.model.as_deref()));
                let meant = request.model.as_ref().is_none_or(|model| figure.is_some() || one.stats.models.contains_key(model));
                if meant && value != Some(None) {
                    // One more than asked for tells whether there is another page.
                    if found.len() == limit {
                        return Ok((found, before));
                    }
                    found.push(RunBehind { run: one.run.clone(), mode: one.mode, at: one.at, value: value.flatten() });
                }
                before = Some((one.at, one.run));
            }
            if last {
                return Ok((found, None));
            }
        }
        Ok((found, before))
    }
}

/// What a run recorded of a figure: `None` if nothing.
fn recorded(stats: &Stats, name: &str, label: Option<&str>, model: Option<&str>) -> Option<f64> {
    let labels = stats.figures.get(name)?.iter().filter(|(known, _)| label.is_none_or(|label| label == known.as_str()));
    let models = labels.flat_map(|(_, models)| models).filter(|(known, _)| model.is_none_or(|model| model == known.as_str()));
    models.map(|(_, figure)| figure.sum).reduce(|a, b| a + b)
}

impl DayNumbers {
    fn of(day: &DayTotals) -> Self {
        let DayTotals { calls, tokens_in, tokens_out, thinking, usd, unpriced, .. } = *day;
        let used = Used { calls, tokens_in, tokens_out, thinking, usd, unpriced_runs: unpriced };
        Self { date: date(day.day * DAY_MS), runs: day.runs, used }
    }
}

/// What was used each day, by all models or by one; the numbers of each mode are put to `by_mode`.
fn by_day(request: &AnalyticsRequest, days: &[DayStats], by_mode: &mut BTreeMap<String, Stats>) -> Vec<DayNumbers> {
    let mut by_day: BTreeMap<i64, DayNumbers> = BTreeMap::new();
    for DayStats { day, mode, stats } in days {
        let (runs, unpriced) = counted(stats, request.model.as_deref());
        if runs == 0 {
            continue;
        }
        let numbers = by_day.entry(*day).or_insert_with(|| DayNumbers { date: date(day * DAY_MS), ..DayNumbers::default() });
        numbers.runs += runs;
        numbers.used.unpriced_runs += unpriced;
        for (_, model) in stats.models.iter().filter(|(name, _)| request.model.as_ref().is_none_or(|only| only == *name)) {
            numbers.used.add(model);
        }
        by_mode.entry(mode.clone()).or_default().add(stats);
    }
    by_day.into_values().collect()
}

fn put_together(
    request: &AnalyticsRequest,
    days: Vec<DayNumbers>,
    by_mode: &BTreeMap<String, Stats>,
    newest: &[StatsOfRun],
    now: Millis,
) -> Analytics {
    let wanted = |model: &str| request.model.as_deref().is_none_or(|only| only == model);
    let runs = by_mode.values().map(|stats| counted(stats, request.model.as_deref()).0).sum::<u64>();
    let mut modes: Vec<ModeNumbers> = by_mode.iter().map(|(mode, stats)| mode_numbers(mode, stats, runs, newest, request.model.as_deref())).collect();
    modes.sort_by(|a, b| b.runs.cmp(&a.runs).then_with(|| a.mode.cmp(&b.mode)));
    let mut by_model: BTreeMap<&str, (ModelStats, BTreeMap<String, ModelNumbers>)> = BTreeMap::new();
    for (mode, stats) in by_mode {
        for (name, model) in stats.models.iter().filter(|(name, _)| wanted(name)) {
            let (all, modes) = by_model.entry(name).or_default();
            all.add(model);
            let ids = named(newest, |one| one.mode == *mode && one.stats.models.contains_key(name));
            modes.insert(mode.clone(), model_numbers(model, ids));
        }
    }
    let entry = |(name, (all, modes)): (&str, (ModelStats, BTreeMap<String, ModelNumbers>))| {
        let ids = named(newest, |one| one.stats.models.contains_key(name));
        ModelEntry { model: name.to_owned(), all: model_numbers(&all, ids), modes }
    };
    let mut models: Vec<ModelEntry> = by_model.into_iter().map(entry).collect();
    models.sort_by(|a, b| b.all.runs.cmp(&a.all.runs).then_with(|| a.model.cmp(&b.model)));
    Analytics {
        range: request.range,
        from: request.since(now).map(|day| date(day * DAY_MS)),
        until: date(now),
        rehearsals: request.rehearsals,
        runs,
        days,
        modes,
        models,
    }
}

/// Runs, and those with an unknown cost: all of them, or those that one model took part in.
fn counted(stats: &Stats, only: Option<&str>) -> (u64, u64) {
    match only {
        None => (stats.runs, stats.unpriced),
        Some(model) => stats.models.get(model).map_or((0, 0), |model| (model.runs, model.unpriced_runs)),
    }
}

/// The newest runs that are behind something.
fn named(newest: &[StatsOfRun], behind: impl Fn(&StatsOfRun) -> bool) -> Vec<String> {
    newest.iter().filter(|one| behind(one)).take(NAMED).map(|one| one.run.clone()).collect()
}

impl Used {
    fn add(&mut self, model: &ModelStats) {
        self.calls += model.calls;
        self.tokens_in += model.tokens_in;
        self.tokens_out += model.tokens_out;
        self.thinking += model.thinking;
        self.usd += model.usd;
    }
}

fn model_numbers(model: &ModelStats, run_ids: Vec<String>) -> ModelNumbers {
    let mut used = Used { unpriced_runs: model.unpriced_runs, ..Used::default() };
    used.add(model);
    ModelNumbers {
        runs: model.runs,
        turns: model.turns,
        wins: Share::of(model.wins, model.ballots),
        sided: Share::of(model.sided, model.cast),
        failed: Share::of(model.failures.values().sum(), model.turns),
        failures: model.failures.clone(),
        response: ResponseTimes::of(&model.ms),
        used,
        tokens_cached: model.tokens_cached,
        run_ids,
    }
}

fn mode_numbers(id: &str, stats: &Stats, all: u64, newest: &[StatsOfRun], only: Option<&str>) -> ModeNumbers {
    let declared = MODES.iter().find(|mode| mode.id == id).map_or(&[] as &[FigureKind], |mode| mode.figures);
    let mut figures = Vec::new();
    // In the mode's own order; what only earlier versions recorded comes last.
    let unknown = stats.figures.keys().filter(|name| !declared.iter().any(|kind| kind.name == name.as_str()));
    for name in declared.iter().map(|kind| kind.name).chain(unknown.map(String::as_str)) {
        let kind = declared.iter().find(|kind| kind.name == name);
        let Some(labels) = stats.figures.get(name) else { continue };
        let total: f64 = labels.values().flat_map(BTreeMap::values).map(|figure| figure.sum).sum();
        for (label, models) in labels {
            for (model, figure) in models.iter().filter(|(model, _)| only.is_none_or(|only| model.is_empty() || only == model.as_str())) {
                let here = |one: &StatsOfRun| {
                    one.mode == id
                        && one.stats.figures.get(name).and_then(|labels| labels.get(label)).is_some_and(|models| models.contains_key(model))
                };
                figures.push(figure_numbers(name, kind, (label, model), figure, total, named(newest, here)));
            }
        }
    }
    let runs = counted(stats, only).0;
    ModeNumbers {
        mode: id.to_owned(),
        runs,
        share: if all > 0 { runs as f64 / all as f64 } else { 0.0 },
        // How runs ended is not kept by model.
        statuses: if only.is_none() { stats.statuses.clone() } else { BTreeMap::new() },
        side_by_side: (stats.wall_ms > 0 && only.is_none()).then(|| stats.busy_ms as f64 / stats.wall_ms as f64),
        figures,
        run_ids: named(newest, |one| one.mode == id && only.is_none_or(|model| one.stats.models.contains_key(model))),
    }
}

fn figure_numbers(
    name: &str,
    kind: Option<&FigureKind>,
    (label, model): (&str, &str),
    figure: &FigureStats,
    total: f64,
    run_ids: Vec<String>,
) -> FigureNumbers {
    let counted = kind.map_or(Counted::Mean, |kind| kind.counted);
    let value = match counted {
        Counted::Mean | Counted::Share => (figure.of > 0.0).then(|| figure.sum / figure.of),
        Counted::Total => (total > 0.0).then(|| figure.sum / total),
    };
    let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    FigureNumbers {
        name: name.to_owned(),
        what: kind.map_or_else(String::new, |kind| kind.what.to_owned()),
        counted,
        label: given(label),
        model: given(model),
        n: figure.n,
        runs: figure.runs,
        value,
        total: figure.sum,
        min: figure.min,
        max: figure.max,
        run_ids,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_the_smallest_time_that_so_many_reached() {
        for (times, want) in [
            (vec![], None),
            (vec![7], Some((7, 7))),
            (vec![1, 2], Some((1, 2))),
            (vec![1, 2, 3], Some((2, 3))),
            ((1..=100).collect(), Some((50, 95))),
            ((1..=20).collect(), Some((10, 19))),
        ] {
            let mut ms = BTreeMap::new();
            for time in times {
                *ms.entry(time).or_default() += 1;
            }
            assert_eq!(ResponseTimes::of(&ms).map(|times| (times.p50, times.p95)), want);
        }
    }
}
