//! Numbers of runs and of days: what each run adds, how many runs are put together, and where both are kept.
//!
//! A run's numbers are written with its projections and noted as news. Whoever asks for numbers first puts the news into the days they belong
//! to, so that an answer reads a row a day and mode, however many runs there were.

use crate::StoreError;
use crate::batch::rows_of;
use crate::error::{Class, class};
use crate::location::Engine;
use crate::project::{Projection, Raws, project};
use crate::sql::{self, Statements, Table};
use crate::store::Store;
use serde::{Deserialize, Serialize};
use sqlx::Row as _;
use sqlx::{AnyConnection, AssertSqlSafe};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use synod_types::{Exhibit, Millis, SeatIx, Shape, Shown, date};

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
pub fn two_digits(ms: Millis) -> u64 {
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

/// One model's part in the ballots of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Votes {
    pub ballots: u64,
    pub wins: u64,
    pub cast: u64,
    pub sided: u64,
}

/// Ballots as they were shown, in any mode that has some, and what the panel made of them.
#[derive(Default)]
pub(crate) struct BallotBox {
    authors: HashMap<String, SeatIx>,
    ballots: Vec<CastBallot>,
    /// What a phase's ballots came to.
    chosen: HashMap<String, String>,
}

struct CastBallot {
    phase: String,
    voter: SeatIx,
    turn: Option<String>,
    shown: Vec<String>,
    first: String,
}

impl BallotBox {
    pub fn take(&mut self, key: &str, shown: &Shown) {
        let phase = key.split('/').next().unwrap_or_default().to_owned();
        let Exhibit { seat, shape, turn, .. } = &shown.exhibit;
        match shape {
            Shape::Statement(statement) => self.authors.extend(statement.label.clone().zip(*seat)),
            Shape::Ballot(ballot) => {
                if let (Some(seat), Some(first)) = (seat, ballot.choice.first()) {
                    let (turn, shown, first) = (turn.clone(), ballot.shown.clone(), first.clone());
                    self.ballots.push(CastBallot { phase, voter: *seat, turn, shown, first });
                }
            }
            Shape::Tally(tally) => {
                self.authors.extend(tally.entries.iter().map(|entry| (entry.label.clone(), entry.seat)));
                // Whoever broke a tie did so on other grounds.
                if let [winner] = tally.winners.as_slice() {
                    self.chosen.insert(phase, winner.clone());
                }
            }
            Shape::Ranking(ranking) => {
                self.authors.extend(ranking.entries.iter().map(|entry| (entry.label.clone(), entry.seat)));
                if let Some(best) = ranking.entries.first() {
                    self.chosen.insert(phase, best.label.clone());
                }
            }
            _ => {}
        }
    }

    /// By model. Only ballots that were cast here: a fork shows those of its parent again.
    pub fn votes(&self, model_of: impl Fn(SeatIx) -> String, cast_here: impl Fn(&str) -> bool) -> BTreeMap<String, Votes> {
        let mut votes: BTreeMap<String, Votes> = BTreeMap::new();
        let own = self.ballots.iter().filter(|ballot| ballot.turn.as_deref().is_none_or(&cast_here));
        for CastBallot { phase, voter, shown, first, .. } in own {
            for label in shown {
                if let Some(author) = self.authors.get(label) {
                    let mine = votes.entry(model_of(*author)).or_default();
                    mine.ballots += 1;
                    mine.wins += u64::from(label == first);
                }
            }
            if let Some(chosen) = self.chosen.get(phase).filter(|chosen| shown.contains(chosen)) {
                let mine = votes.entry(model_of(*voter)).or_default();
                mine.cast += 1;
                mine.sided += u64::from(chosen == first);
            }
        }
        votes
    }
}

static RUN_STATS: Table = Table { name: "run_stats", columns: &["run", "principal", "mode", "rehearsal", "day", "at", "body"], amounts: &[] };
static STATS_NEWS: Table = Table { name: "stats_news", columns: &["id", "run", "news", "day", "mode", "rehearsal"], amounts: &[] };
static DAY_STATS: Table = Table {
    name: "day_stats",
    columns: &["principal", "day", "mode", "rehearsal", "body", "runs", "unpriced", "calls", "tokens_in", "tokens_out", "thinking", "usd"],
    amounts: &[],
};
static MONTH_STATS: Table = Table { name: "month_stats", columns: &["principal", "day", "mode", "rehearsal", "body"], amounts: &[] };

const DAY_MS: Millis = 86_400_000;
/// So much news is put into days at once, and so many journals are read for it; between two portions others may write.
const PORTION: i64 = 100;
const JOURNALS: usize = 10;
/// Under this name a day has the numbers of everybody.
const EVERYBODY: &str = "";

/// Writes the numbers of runs beside their projections. `true`: some were written before.
pub(crate) async fn write(conn: &mut AnyConnection, statements: &mut Statements, due: &[(&Projection, bool)]) -> sqlx::Result<()> {
    let bodies: Vec<(&Projection, String)> =
        due.iter().map(|(of, _)| (*of, sql::storable(&serde_json::to_string(&Stats::of(of)).unwrap_or_default()))).collect();
    sql::insert_all(conn, statements, &RUN_STATS, &bodies, |values, (of, body)| {
        values
            .text(&of.run)
            .text(&of.principal)
            .text(&of.mode)
            .int(i64::from(of.rehearsal))
            .int(of.began.div_euclid(DAY_MS))
            .int(of.began)
            .text(body);
    })
    .await?;
    let news: Vec<(&Projection, &str)> = due.iter().map(|(of, again)| (*of, if *again { "changed" } else { "added" })).collect();
    note(conn, statements, &news).await
}

async fn note(conn: &mut AnyConnection, statements: &mut Statements, news: &[(&Projection, &str)]) -> sqlx::Result<()> {
    sql::insert_all(conn, statements, &STATS_NEWS, news, |values, (of, news)| {
        let id = uuid::Uuid::now_v7().to_string();
        values.text(&id).text(&of.run).text(news).int(of.began.div_euclid(DAY_MS)).text(&of.mode).int(i64::from(of.rehearsal));
    })
    .await
}

/// A run that is about to be deleted: its day is put together again without it.
pub(crate) async fn forget(conn: &mut AnyConnection, run: &str) -> sqlx::Result<()> {
    let sql =
        "INSERT INTO stats_news (id, run, news, day, mode, rehearsal) SELECT $1, run, 'changed', day, mode, rehearsal FROM run_stats WHERE run = $2";
    sqlx::query(sql).bind(uuid::Uuid::now_v7().to_string()).bind(run).execute(&mut *conn).await?;
    sqlx::query("DELETE FROM run_stats WHERE run = $1").bind(run).execute(conn).await?;
    Ok(())
}

/// Day, mode and rehearsal.
type Place = (i64, String, i64);

/// Which numbers are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatsFilter {
    /// Whose runs. `None`: everybody's.
    pub principal: Option<String>,
    /// Days since the Unix epoch, from this one on.
    pub since_day: Option<i64>,
    pub mode: Option<String>,
    /// Rehearsals too.
    pub rehearsals: bool,
}

/// The numbers of one day in one mode.
#[derive(Clone, Debug, PartialEq)]
pub struct DayStats {
    pub day: i64,
    pub mode: String,
    pub stats: Stats,
}

/// What was used on one day.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DayTotals {
    pub day: i64,
    pub runs: u64,
    pub unpriced: u64,
    pub calls: u64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    pub thinking: u64,
    pub usd: f64,
}

impl DayTotals {
    pub fn of(day: i64, stats: &Stats) -> Self {
        let sum = |of: fn(&ModelStats) -> u64| stats.models.values().map(of).sum();
        Self {
            day,
            runs: stats.runs,
            unpriced: stats.unpriced,
            calls: sum(|model| model.calls),
            tokens_in: sum(|model| model.tokens_in),
            tokens_out: sum(|model| model.tokens_out),
            thinking: sum(|model| model.thinking),
            usd: stats.models.values().map(|model| model.usd).sum(),
        }
    }
}

/// The first day of a day's month.
fn first_of_month(day: i64) -> i64 {
    let of_month: i64 = date(day * DAY_MS).get(8..10).and_then(|text| text.parse().ok()).unwrap_or(1);
    day - of_month + 1
}

/// The numbers of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct StatsOfRun {
    pub run: String,
    pub mode: String,
    pub at: Millis,
    pub stats: Stats,
}

impl Store {
    /// The numbers of days, oldest first, with everything that has been written until now.
    pub async fn day_stats(&self, filter: &StatsFilter) -> Result<Vec<DayStats>, StoreError> {
        self.put_days_together().await?;
        let mut conn = self.reader().await?;
        let sql = concat!(
            "SELECT day, mode, body FROM day_stats WHERE principal = $1 AND day >= $2 AND ($3 = '' OR mode = $3) AND ($4 = 1 OR rehearsal = 0)",
            " ORDER BY day, mode, rehearsal"
        );
        let query = sqlx::query(sql).bind(filter.principal.as_deref().unwrap_or(EVERYBODY)).bind(filter.since_day.unwrap_or(i64::MIN));
        let query = query.bind(filter.mode.as_deref().unwrap_or_default()).bind(i64::from(filter.rehearsals));
        let rows = query.fetch_all(&mut *conn).await?;
        Ok(rows
            .iter()
            .map(|row| Ok(DayStats { day: row.try_get(0)?, mode: row.try_get(1)?, stats: read(row.try_get(2)?)? }))
            .collect::<sqlx::Result<_>>()?)
    }

    /// Everything there ever was, by mode, and what was used each day, oldest first. `since_day` is not looked at.
    pub async fn whole_stats(&self, filter: &StatsFilter) -> Result<(Vec<(String, Stats)>, Vec<DayTotals>), StoreError> {
        self.put_days_together().await?;
        let mut conn = self.reader().await?;
        let bind = |sql| {
            let query = sqlx::query::<sqlx::Any>(sql).bind(filter.principal.as_deref().unwrap_or(EVERYBODY));
            query.bind(filter.mode.as_deref().unwrap_or_default()).bind(i64::from(filter.rehearsals))
        };
        let sql = "SELECT mode, body FROM month_stats WHERE principal = $1 AND ($2 = '' OR mode = $2) AND ($3 = 1 OR rehearsal = 0)";
        let rows = bind(sql).fetch_all(&mut *conn).await?;
        let modes = rows.iter().map(|row| Ok((row.try_get(0)?, read(row.try_get(1)?)?))).collect::<sqlx::Result<_>>()?;
        let sql = concat!(
            "SELECT day, CAST(SUM(runs) AS BIGINT), CAST(SUM(unpriced) AS BIGINT), CAST(SUM(calls) AS BIGINT), CAST(SUM(tokens_in) AS BIGINT),",
            " CAST(SUM(tokens_out) AS BIGINT), CAST(SUM(thinking) AS BIGINT), SUM(usd) FROM day_stats",
            " WHERE principal = $1 AND ($2 = '' OR mode = $2) AND ($3 = 1 OR rehearsal = 0) GROUP BY day ORDER BY day"
        );
        let rows = bind(sql).fetch_all(&mut *conn).await?;
        let whole = |row: &sqlx::any::AnyRow, at: usize| row.try_get::<i64, _>(at).map(|n| u64::try_from(n).unwrap_or(0));
        let day = |row: &sqlx::any::AnyRow| {
            Ok(DayTotals {
                day: row.try_get(0)?,
                runs: whole(row, 1)?,
                unpriced: whole(row, 2)?,
                calls: whole(row, 3)?,
                tokens_in: whole(row, 4)?,
                tokens_out: whole(row, 5)?,
                thinking: whole(row, 6)?,
                usd: row.try_get(7)?,
            })
        };
        Ok((modes, rows.iter().map(day).collect::<sqlx::Result<_>>()?))
    }

    /// The newest runs behind the numbers, at most so many of them, begun before `before`.
    pub async fn run_stats(&self, filter: &StatsFilter, before: Option<(Millis, String)>, limit: u32) -> Result<Vec<StatsOfRun>, StoreError> {
        let mut conn = self.reader().await?;
        // Only what is asked for stands in the text, so that an index serves it.
        let mut text = "SELECT run, mode, at, body FROM run_stats WHERE (at < $1 OR at = $1 AND run < $2)".to_owned();
        let named = [("mode", &filter.mode), ("principal", &filter.principal)];
        let given: Vec<(&str, &String)> = named.into_iter().filter_map(|(column, value)| Some((column, value.as_ref()?))).collect();
        for (n, (column, _)) in (4..).zip(&given) {
            text.push_str(&format!(" AND {column} = ${n}"));
        }
        if let Some(day) = filter.since_day {
            text.push_str(&format!(" AND at >= {}", day.saturating_mul(DAY_MS)));
        }
        if !filter.rehearsals {
            text.push_str(" AND rehearsal = 0");
        }
        text.push_str(" ORDER BY at DESC, run DESC LIMIT $3");
        let (at, run) = before.unwrap_or((Millis::MAX, String::new()));
        let query = sqlx::query(AssertSqlSafe(text)).bind(at).bind(run).bind(i64::from(limit));
        let query = given.into_iter().fold(query, |query, (_, value)| query.bind(value));
        let rows = query.fetch_all(&mut *conn).await?;
        let one = |row: &sqlx::any::AnyRow| {
            Ok(StatsOfRun { run: row.try_get(0)?, mode: row.try_get(1)?, at: row.try_get(2)?, stats: read(row.try_get(3)?)? })
        };
        Ok(rows.iter().map(one).collect::<sqlx::Result<_>>()?)
    }

    async fn put_days_together(&self) -> Result<(), StoreError> {
        loop {
            let mut conn = self.reader().await?;
            if sqlx::query("SELECT id FROM stats_news LIMIT 1").fetch_optional(&mut *conn).await?.is_none() {
                return Ok(());
            }
            let more = match self.engine() {
                // A connection of its own: whoever counts holds up nobody who writes.
                Engine::Postgres => portion(&mut conn, &mut Statements::new(Engine::Postgres)).await?,
                Engine::Sqlite => {
                    drop(conn);
                    self.write(|desk| {
                        Box::pin(async move {
                            let (conn, statements) = desk.parts().await?;
                            portion(conn, statements).await
                        })
                    })
                    .await?
                }
            };
            if !more {
                return Ok(());
            }
        }
    }
}

async fn portion(conn: &mut AnyConnection, statements: &mut Statements) -> sqlx::Result<bool> {
    let mut transaction = sql::begin(conn, statements.engine()).await?;
    match put_together(&mut transaction, statements).await {
        Ok(more) => transaction.commit().await.map(|()| more),
        Err(error) => {
            transaction.rollback().await?;
            // A run was written or deleted at the same moment.
            if class(&error) == Class::Again { Ok(true) } else { Err(error) }
        }
    }
}

fn read(body: &str) -> sqlx::Result<Stats> {
    serde_json::from_str(body).map_err(|error| sqlx::Error::Decode(error.into()))
}

/// Puts a portion of the news into the days, each run once: what a day was put together of is marked in the same transaction. `true`: there may be
/// more.
async fn put_together(conn: &mut AnyConnection, statements: &mut Statements) -> sqlx::Result<bool> {
    if statements.engine() == Engine::Postgres {
        // One at a time, of all servers. Writers of runs never touch this table.
        sqlx::query("LOCK TABLE day_stats IN EXCLUSIVE MODE").execute(&mut *conn).await?;
    }
    let sql = "SELECT id, run, news, day, mode, rehearsal FROM stats_news ORDER BY day, mode, rehearsal, id LIMIT $1";
    let mut news = sqlx::query(sql).bind(PORTION).fetch_all(&mut *conn).await?;
    let more = news.len() as i64 == PORTION;
    let unread: Vec<usize> = (0..news.len()).filter(|at| news[*at].try_get::<&str, _>(2).is_ok_and(|news| news == "unread")).collect();
    let rest = unread.get(JOURNALS).copied();
    news.truncate(rest.unwrap_or(news.len()));
    let mut anew: BTreeSet<Place> = BTreeSet::new();
    let mut added: BTreeMap<Place, Vec<String>> = BTreeMap::new();
    for row in &news {
        let (run, place): (String, Place) = (row.try_get(1)?, (row.try_get(3)?, row.try_get(4)?, row.try_get(5)?));
        match row.try_get::<&str, _>(2)? {
            "added" => added.entry(place).or_default().push(run),
            "unread" => {
                if count_from_journal(conn, statements, &run).await? {
                    added.entry(place).or_default().push(run);
                }
            }
            _ => {
                anew.insert(place);
            }
        }
    }
    for (place, runs) in added.iter().filter(|(place, _)| !anew.contains(*place)) {
        let mut rows = Vec::new();
        for run in runs {
            let sql = "UPDATE run_stats SET counted = 1 WHERE run = $1 AND counted = 0 RETURNING principal, body";
            rows.extend(sqlx::query(sql).bind(run).fetch_all(&mut *conn).await?);
        }
        let sums = sums(&rows)?;
        add(conn, statements, &DAY_STATS, place, &sums).await?;
        add(conn, statements, &MONTH_STATS, &month_of(place), &sums).await?;
    }
    for place in &anew {
        clear(conn, &DAY_STATS, place).await?;
        let sql = "UPDATE run_stats SET counted = 1 WHERE day = $1 AND mode = $2 AND rehearsal = $3 RETURNING principal, body";
        let rows = sqlx::query(sql).bind(place.0).bind(&place.1).bind(place.2).fetch_all(&mut *conn).await?;
        add(conn, statements, &DAY_STATS, place, &sums(&rows)?).await?;
    }
    for month in anew.iter().map(month_of).collect::<BTreeSet<Place>>() {
        clear(conn, &MONTH_STATS, &month).await?;
        let sql = "SELECT principal, body FROM day_stats WHERE day >= $1 AND day < $2 AND mode = $3 AND rehearsal = $4";
        let next = first_of_month(month.0 + 31);
        let rows = sqlx::query(sql).bind(month.0).bind(next).bind(&month.1).bind(month.2).fetch_all(&mut *conn).await?;
        let mut sums: BTreeMap<String, Stats> = BTreeMap::new();
        for row in &rows {
            sums.entry(row.try_get(0)?).or_default().add(&read(row.try_get(1)?)?);
        }
        add(conn, statements, &MONTH_STATS, &month, &sums).await?;
    }
    for row in &news {
        sqlx::query("DELETE FROM stats_news WHERE id = $1").bind(row.try_get::<&str, _>(0)?).execute(&mut *conn).await?;
    }
    Ok(more || rest.is_some())
}

fn month_of((day, mode, rehearsal): &Place) -> Place {
    (first_of_month(*day), mode.clone(), *rehearsal)
}

/// Runs put together: those of each principal, and everybody's.
fn sums(runs: &[sqlx::any::AnyRow]) -> sqlx::Result<BTreeMap<String, Stats>> {
    let mut sums: BTreeMap<String, Stats> = BTreeMap::new();
    for row in runs {
        let stats = read(row.try_get(1)?)?;
        for principal in [row.try_get(0)?, EVERYBODY] {
            sums.entry(principal.to_owned()).or_default().add(&stats);
        }
    }
    Ok(sums)
}

async fn clear(conn: &mut AnyConnection, table: &Table, place: &Place) -> sqlx::Result<()> {
    let sql = format!("DELETE FROM {} WHERE day = $1 AND mode = $2 AND rehearsal = $3", table.name);
    sqlx::query(AssertSqlSafe(sql)).bind(place.0).bind(&place.1).bind(place.2).execute(conn).await?;
    Ok(())
}

/// Puts sums to what a day or a month has already.
async fn add(
    conn: &mut AnyConnection,
    statements: &mut Statements,
    table: &'static Table,
    place: &Place,
    sums: &BTreeMap<String, Stats>,
) -> sqlx::Result<()> {
    for (principal, sum) in sums {
        let mut sum = sum.clone();
        let which = "WHERE principal = $1 AND day = $2 AND mode = $3 AND rehearsal = $4";
        let bind = |sql: String| sqlx::query::<sqlx::Any>(AssertSqlSafe(sql)).bind(principal).bind(place.0).bind(&place.1).bind(place.2);
        if let Some(before) = bind(format!("SELECT body FROM {} {which}", table.name)).fetch_optional(&mut *conn).await? {
            sum.add(&read(before.try_get(0)?)?);
            bind(format!("DELETE FROM {} {which}", table.name)).execute(&mut *conn).await?;
        }
        let (body, totals) = (serde_json::to_string(&sum).unwrap_or_default(), DayTotals::of(place.0, &sum));
        sql::insert_all(conn, statements, table, &[body], |values, body| {
            values.text(principal).int(place.0).text(&place.1).int(place.2).text(body);
            if table.name == DAY_STATS.name {
                let counts = [totals.runs, totals.unpriced, totals.calls, totals.tokens_in, totals.tokens_out, totals.thinking];
                counts.into_iter().fold(values, |values, count| values.int(i64::try_from(count).unwrap_or(i64::MAX))).real(totals.usd);
            }
        })
        .await?;
    }
    Ok(())
}

/// A run from before numbers were kept. `false`: there is nothing to count, or it was counted meanwhile.
async fn count_from_journal(conn: &mut AnyConnection, statements: &mut Statements, run: &str) -> sqlx::Result<bool> {
    let known = sqlx::query("SELECT run FROM run_stats WHERE run = $1").bind(run).fetch_optional(&mut *conn).await?.is_some();
    let rows = if known { Vec::new() } else { rows_of(conn, run, 0).await? };
    if rows.is_empty() {
        return Ok(false);
    }
    let projection = project(&rows, &Raws::new());
    let body = sql::storable(&serde_json::to_string(&Stats::of(&projection)).unwrap_or_default());
    sql::insert_all(conn, statements, &RUN_STATS, &[body], |values, body| {
        values.text(&projection.run).text(&projection.principal).text(&projection.mode).int(i64::from(projection.rehearsal));
        values.int(projection.began.div_euclid(DAY_MS)).int(projection.began).text(body);
    })
    .await?;
    Ok(true)
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
