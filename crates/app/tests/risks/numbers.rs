//! A year of runs made through the engine: the numbers are those of a plain recount from the journals.

use proptest::prelude::*;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use synod_app::{Analytics, AnalyticsRequest, App, FigureNumbers, FileAccess, ModelNumbers, Range, Sources};
use synod_engine::{Clock, Ending, LimitChanges, RunSpec};
use synod_modes::MODES;
use synod_store::{Store, StoreSettings};
use synod_testkit::rig::{Rig, order};
use synod_testkit::voices::Voices;
use synod_types::{Failure, FailureKind, Kind, Millis, Price, Row, StopReason, date, seat_of, sha256_hex};

const DAY: Millis = 86_400_000;
/// 1 March 2025.
const FIRST: Millis = 20_148 * DAY;

/// A clock that goes on by some milliseconds whenever it is looked at.
struct Calendar(AtomicI64);

impl Clock for Calendar {
    fn now(&self) -> Millis {
        self.0.fetch_add(7, Ordering::SeqCst)
    }
}

fn luck(text: String) -> u64 {
    u64::from_str_radix(&sha256_hex(text)[..8], 16).unwrap_or(0)
}

/// One run of the year: its day, its mode, and what befalls it.
#[derive(Clone, Debug)]
struct Plan {
    day: i64,
    mode: usize,
    seed: u64,
    seats: usize,
    stopped: bool,
    key: bool,
}

fn plan() -> impl Strategy<Value = Plan> {
    (0..365_i64, 0..MODES.len(), 0..1000_u64, 0..3_usize, prop::bool::weighted(0.2), any::<bool>())
        .prop_map(|(day, mode, seed, seats, stopped, key)| Plan { day, mode, seed, seats, stopped, key })
}

/// Makes the runs; some seats fail, some runs are stopped and taken up again.
async fn live(database: &Path, plans: &[Plan]) -> Vec<String> {
    let store = Arc::new(Store::open(&database.display().to_string(), StoreSettings::default()).await.expect("a database"));
    let mut runs = Vec::new();
    for plan in plans {
        let mode = MODES[plan.mode];
        let voices = Voices::default().priced(Price { input: 1.0, cached_input: None, output: 2.0 }).scripted(|card, _, context| {
            let unlucky = luck(format!("{} {} {}", card.name, context.seed, context.key)).is_multiple_of(23);
            unlucky.then(|| Err(Failure::new(FailureKind::Timeout, "no word")))
        });
        let clock = Arc::new(Calendar(AtomicI64::new(FIRST + plan.day * DAY + (plan.seed as i64 * 61_001) % (DAY - 3_600_000))));
        let rig = Rig::new(Arc::new(voices)).journal(store.clone()).clock(clock);
        let mut spec: RunSpec = order(mode, plan.seed);
        spec.panel.models = (0..spec.panel.models.len() + plan.seats).map(|n| format!("m{}", n % 4)).collect();
        spec.panel.may_shrink = true;
        spec.principal = plan.key.then(|| "key_1".to_owned());
        let mut handle = rig.start(&spec).await;
        if plan.stopped {
            handle.cancel();
        }
        let run = handle.run.clone();
        if let Ending::Stopped(stopped) = handle.ending().await
            && stopped.reason == StopReason::Cancelled
            && plan.seed.is_multiple_of(2)
        {
            rig.resume(&run, LimitChanges::default()).await;
        }
        runs.push(run);
    }
    // Some are deleted again, after somebody has looked at the numbers.
    store.day_stats(&Default::default()).await.expect("numbers");
    for (run, plan) in runs.iter().zip(plans) {
        if plan.seed.is_multiple_of(11) {
            store.delete_run(run, FIRST).await.expect("deleted");
        }
    }
    let mut left = Vec::new();
    for run in runs {
        if store.run(&run).await.is_ok() {
            left.push(run);
        }
    }
    store.close().await;
    left
}

#[derive(Debug, Default, PartialEq)]
struct Counted {
    runs: u64,
    turns: u64,
    failures: BTreeMap<String, u64>,
    ms: Vec<u64>,
    calls: u64,
    tokens: (u64, u64),
    usd: f64,
    ballots: u64,
    wins: u64,
    cast: u64,
    sided: u64,
}

/// Mode, name, label and model of a figure.
type FigureKey = (String, String, String, String);

/// Everything, counted by hand: by mode and model, by mode and figure, by day.
#[derive(Default)]
struct Recount {
    runs: u64,
    days: BTreeMap<String, u64>,
    statuses: BTreeMap<String, BTreeMap<String, u64>>,
    models: BTreeMap<(String, String), Counted>,
    /// The sum, what it is out of, and the runs behind it.
    figures: BTreeMap<FigureKey, (f64, f64, BTreeSet<String>)>,
}

impl Recount {
    fn add(&mut self, rows: &[Row]) {
        let body = |row: &Row| -> Value { serde_json::from_str(&row.body).expect("JSON") };
        let header = body(&rows[0]);
        let mode = header["mode"].as_str().expect("a mode").to_owned();
        let model = |seat: u64| header["seats"][seat as usize]["model"].as_str().expect("a model").to_owned();
        let verdict = rows.iter().find(|row| row.kind == Kind::Verdict).map(body);
        self.runs += 1;
        *self.days.entry(date(rows[0].at)).or_default() += 1;
        let status = verdict.as_ref().map_or("stopped", |verdict| verdict["status"].as_str().expect("a status")).to_owned();
        *self.statuses.entry(mode.clone()).or_default().entry(status).or_default() += 1;
        let mut mine: BTreeMap<String, Counted> = BTreeMap::new();
        let mut last: BTreeMap<String, (String, u64)> = BTreeMap::new();
        let mut open: BTreeMap<(String, i64), (String, f64)> = BTreeMap::new();
        let mut authors: BTreeMap<String, u64> = BTreeMap::new();
        let (mut ballots, mut chosen) = (Vec::new(), BTreeMap::new());
        let asked: BTreeSet<&str> = rows.iter().filter(|row| row.kind == Kind::Asked).map(|row| row.key.as_str()).collect();
        for row in rows {
            let of = || model(u64::from(seat_of(&row.key).expect("a seat")));
            let value = body(row);
            match row.kind {
                Kind::Asked => {
                    let one = mine.entry(of()).or_default();
                    one.calls += 1;
                    let reserved = value["reserved_usd"].as_f64().unwrap_or(0.0);
                    open.insert((row.key.clone(), row.attempt), (of(), reserved));
                }
                Kind::Replied => {
                    open.remove(&(row.key.clone(), row.attempt));
                    let one = mine.entry(of()).or_default();
                    one.tokens.0 += value["usage"]["input"].as_u64().unwrap_or(0);
                    one.tokens.1 += value["usage"]["output"].as_u64().unwrap_or(0);
                    one.usd += value["spent_usd"].as_f64().unwrap_or(0.0);
                    last.insert(row.key.clone(), (of(), value["ms"].as_u64().expect("a time")));
                }
                Kind::Said | Kind::Failed
                    if asked.contains(row.key.as_str()) && row.key.rsplit('/').next().is_some_and(|name| name.contains('@')) =>
                {
                    let one = mine.entry(of()).or_default();
                    one.turns += 1;
                    if row.kind == Kind::Failed {
                        *one.failures.entry(value["kind"].as_str().expect("a reason").to_owned()).or_default() += 1;
                    }
                }
                Kind::Shown if verdict.is_some() => {
                    let exhibit = &value["exhibit"];
                    let phase = row.key.split('/').next().unwrap_or_default().to_owned();
                    let shape = &exhibit["shape"];
                    match shape["kind"].as_str().expect("a kind") {
                        "statement" => {
                            if let (Some(label), Some(seat)) = (shape["label"].as_str(), exhibit["seat"].as_u64()) {
                                authors.insert(label.to_owned(), seat);
                            }
                        }
                        "ballot" if shape["choice"].as_array().is_some_and(|choice| !choice.is_empty()) => {
                            ballots.push((phase, exhibit["seat"].as_u64().expect("a voter"), shape.clone()));
                        }
                        kind @ ("tally" | "ranking") => {
                            for entry in shape["entries"].as_array().expect("entries") {
                                authors.insert(entry["label"].as_str().expect("a label").to_owned(), entry["seat"].as_u64().expect("a seat"));
                            }
                            let best = match kind {
                                "tally" => shape["winners"].as_array().filter(|winners| winners.len() == 1).map(|winners| winners[0].clone()),
                                _ => shape["entries"].get(0).map(|entry| entry["label"].clone()),
                            };
                            chosen.extend(best.map(|best| (phase, best)));
                        }
                        _ => {}
                    }
                }
                Kind::Figure if verdict.is_some() => {
                    let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
                    let whose = value["seat"].as_u64().map(model).unwrap_or_default();
                    let place = self.figures.entry((mode.clone(), text("name"), text("label"), whose)).or_default();
                    place.0 += value["value"].as_f64().expect("a value");
                    place.1 += value["of"].as_f64().unwrap_or(1.0);
                    place.2.insert(row.run.clone());
                }
                _ => {}
            }
        }
        for (name, reserved) in open.into_values() {
            mine.entry(name).or_default().usd += reserved;
        }
        for (name, ms) in last.into_values() {
            mine.entry(name).or_default().ms.push(ms);
        }
        for (phase, voter, shape) in ballots {
            let first = &shape["choice"][0];
            for label in shape["shown"].as_array().expect("labels") {
                if let Some(author) = authors.get(label.as_str().expect("a label")) {
                    let one = mine.entry(model(*author)).or_default();
                    one.ballots += 1;
                    one.wins += u64::from(label == first);
                }
            }
            if let Some(best) = chosen.get(&phase).filter(|best| shape["shown"].as_array().is_some_and(|shown| shown.contains(best))) {
                let one = mine.entry(model(voter)).or_default();
                one.cast += 1;
                one.sided += u64::from(best == first);
            }
        }
        for (name, one) in mine {
            let all = self.models.entry((mode.clone(), name)).or_default();
            all.runs += 1;
            all.turns += one.turns;
            all.calls += one.calls;
            all.tokens = (all.tokens.0 + one.tokens.0, all.tokens.1 + one.tokens.1);
            all.usd += one.usd;
            all.ms.extend(one.ms);
            (all.ballots, all.wins) = (all.ballots + one.ballots, all.wins + one.wins);
            (all.cast, all.sided) = (all.cast + one.cast, all.sided + one.sided);
            for (why, n) in one.failures {
                *all.failures.entry(why).or_default() += n;
            }
        }
    }
}

/// The time that so many of a hundred reached, to two digits.
fn percentile(times: &[u64], percent: usize) -> Option<u64> {
    let mut times = times.to_vec();
    times.sort_unstable();
    let at = *times.get((times.len() * percent).div_ceil(100).checked_sub(1)?)?;
    let digits = at.to_string().len() as u32;
    let step = 10_u64.pow(digits.saturating_sub(2));
    Some(at / step * step)
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

fn same_model(got: &ModelNumbers, want: &Counted) -> bool {
    let times = got.response.map(|times| (times.n, Some(times.p50), Some(times.p95)));
    let wanted = (!want.ms.is_empty()).then(|| (want.ms.len() as u64, percentile(&want.ms, 50), percentile(&want.ms, 95)));
    (got.runs, got.turns, &got.failures) == (want.runs, want.turns, &want.failures)
        && (got.used.calls, got.used.tokens_in, got.used.tokens_out) == (want.calls, want.tokens.0, want.tokens.1)
        && near(got.used.usd, want.usd)
        && (got.wins.count, got.wins.n, got.sided.count, got.sided.n) == (want.wins, want.ballots, want.sided, want.cast)
        && got.wins.value.is_none_or(|value| (0.0..=1.0).contains(&value))
        && times == wanted
}

fn same(got: &Analytics, want: &Recount) {
    assert_eq!(got.runs, want.runs);
    assert_eq!(got.days.iter().map(|day| (day.date.clone(), day.runs)).collect::<BTreeMap<_, _>>(), want.days);
    assert_eq!(got.modes.iter().map(|mode| (mode.mode.clone(), mode.statuses.clone())).collect::<BTreeMap<_, _>>(), want.statuses);
    let mut models: BTreeMap<(String, String), &ModelNumbers> = BTreeMap::new();
    for entry in &got.models {
        models.extend(entry.modes.iter().map(|(mode, numbers)| ((mode.clone(), entry.model.clone()), numbers)));
        assert_eq!(entry.all.turns, entry.modes.values().map(|numbers| numbers.turns).sum::<u64>());
    }
    assert_eq!(models.keys().collect::<Vec<_>>(), want.models.keys().collect::<Vec<_>>());
    for (key, numbers) in models {
        assert!(same_model(numbers, &want.models[&key]), "{key:?}\n{numbers:#?}\n{:#?}", want.models[&key]);
    }
    let given = |text: &Option<String>| text.clone().unwrap_or_default();
    let figures: BTreeMap<FigureKey, &FigureNumbers> = got
        .modes
        .iter()
        .flat_map(|mode| {
            mode.figures.iter().map(|figure| ((mode.mode.clone(), figure.name.clone(), given(&figure.label), given(&figure.model)), figure))
        })
        .collect();
    assert_eq!(figures.keys().collect::<Vec<_>>(), want.figures.keys().collect::<Vec<_>>());
    for (key, figure) in figures {
        let (sum, of, runs) = &want.figures[&key];
        assert!(near(figure.total, *sum) && figure.runs == runs.len() as u64, "{key:?}: {figure:?}, {sum} in {runs:?}");
        assert!(!figure.run_ids.is_empty() && figure.run_ids.iter().all(|run| runs.contains(run)), "{key:?}: {figure:?}");
        let value = match figure.counted {
            synod_engine::Counted::Total => {
                let all: f64 = want.figures.iter().filter(|(other, _)| (&other.0, &other.1) == (&key.0, &key.1)).map(|(_, (sum, ..))| sum).sum();
                (all > 0.0).then(|| sum / all)
            }
            synod_engine::Counted::Mean | synod_engine::Counted::Share => (*of > 0.0).then(|| sum / of),
        };
        assert!(figure.value.zip(value).is_some_and(|(a, b)| near(a, b)) || figure.value == value, "{key:?}: {figure:?}, {value:?}");
    }
}

async fn compare(plans: &[Plan]) {
    let folder = tempfile::tempdir().expect("a folder");
    let database = folder.path().join("synod.db");
    let runs = live(&database, plans).await;
    let mut sources = Sources::of_process(None).expect("sources");
    sources.env.insert("HOME".into(), folder.path().display().to_string());
    sources.env.insert("XDG_CONFIG_HOME".into(), folder.path().join("config").display().to_string());
    let app = App::open(sources, Some(database.display().to_string()), FileAccess::None).await.expect("an app");
    let today = FIRST + 364 * DAY + DAY / 2;
    for (range, days) in [(Range::Week, 7), (Range::Month, 30), (Range::Quarter, 90), (Range::All, 1000)] {
        for principal in [None, Some("key_1".to_owned()), Some("local".to_owned())] {
            let mut recount = Recount::default();
            for run in &runs {
                let rows = app.rows(run).await.expect("rows");
                let header: Value = serde_json::from_str(&rows[0].body).expect("a header");
                let whose = header["principal"].as_str().unwrap_or("local");
                let first_day = today.div_euclid(DAY) - days + 1;
                if rows[0].at.div_euclid(DAY) >= first_day && principal.as_deref().is_none_or(|only| only == whose) {
                    recount.add(&rows);
                }
            }
            let request = AnalyticsRequest { range, rehearsals: true, principal: principal.clone(), ..AnalyticsRequest::default() };
            same(&app.analytics(&request, today).await.expect("numbers"), &recount);
            let real = AnalyticsRequest { rehearsals: false, ..request.clone() };
            assert_eq!(app.analytics(&real, today).await.expect("numbers").runs, 0, "voices are no models");
            for (mode, name, ..) in recount.figures.keys() {
                let of_mode = AnalyticsRequest { mode: Some(mode.clone()), ..request.clone() };
                let (behind, more) = app.runs_behind(&of_mode, Some((name, None)), None, 10_000, today).await.expect("runs");
                let found: BTreeSet<String> = behind.into_iter().map(|one| one.run).collect();
                let want: BTreeSet<String> =
                    recount.figures.iter().filter(|(key, _)| (&key.0, &key.1) == (mode, name)).flat_map(|(_, (.., runs))| runs.clone()).collect();
                assert!(more.is_none() && found == want, "{mode} {name}: {found:?} {want:?}");
            }
        }
    }
    app.close().await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, max_shrink_iters: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn numbers_are_those_of_a_plain_recount(plans in prop::collection::vec(plan(), 25..40)) {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
        runtime.block_on(compare(&plans));
    }
}
