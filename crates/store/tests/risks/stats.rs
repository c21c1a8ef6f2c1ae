//! Numbers by day: every run counted once, whatever becomes of it and whoever counts.

use crate::support::for_each_engine;
use crate::support::rows::*;
use synod_engine::Journal;
use synod_store::{Stats, StatsFilter, Store};
use synod_types::*;

async fn ended(store: &Store) -> String {
    let header = header(&new_run());
    let lease = council(store, &header, Status::Full).await.expect("a run");
    store.release(&lease).await.expect("given up");
    header.run
}

async fn sum(store: &Store, principal: Option<&str>) -> Stats {
    let filter = StatsFilter { principal: principal.map(str::to_owned), rehearsals: true, ..StatsFilter::default() };
    let mut sum = Stats::default();
    for day in store.day_stats(&filter).await.expect("numbers") {
        sum.add(&day.stats);
    }
    sum
}

#[test]
fn a_run_counts_once_however_often_it_is_written_and_not_at_all_once_it_is_deleted() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        assert_eq!(sum(&store, None).await, Stats::default());
        let (first, second) = (ended(&store).await, ended(&store).await);
        let both = sum(&store, None).await;
        assert_eq!((both.runs, both.statuses["full"]), (2, 2));
        assert_eq!(sum(&store, Some(LOCAL)).await, both);
        assert_eq!(sum(&store, Some("key_1")).await, Stats::default());
        assert_eq!(bed.count("stats_news").await, 0, "all of it is in the days");
        store.rebuild(&first).await.expect("made again");
        assert_eq!(sum(&store, None).await, both, "a run made again is the same run");
        store.delete_run(&second, 9).await.expect("deleted");
        assert_eq!(sum(&store, None).await.runs, 1);
        store.delete_run(&first, 9).await.expect("deleted");
        assert_eq!(sum(&store, None).await, Stats::default());
    });
}

#[test]
fn more_news_than_is_taken_at_once_counts_no_run_twice() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let first = ended(&store).await;
        // The day is put together anew from all its runs while the news of most is still to come.
        store.rebuild(&first).await.expect("made again");
        for _ in 0..250 {
            ended(&store).await;
        }
        assert_eq!(sum(&store, None).await.runs, 251);
    });
}

#[test]
fn a_run_that_stopped_counts_with_what_it_used_and_then_with_its_verdict() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let header = header(&new_run());
        let lease = store.create(&header, 1000, vec![]).await.expect("created");
        deliberate(&store, &lease).await.expect("appended");
        let stop = NewRow::new("", Kind::Stopped, 3500, &Stopped::new(StopReason::Cancelled, "enough"));
        let tail = store.append(&lease, vec![stop]).await.expect("stopped");
        let so_far = sum(&store, None).await;
        assert_eq!((so_far.statuses["stopped"], so_far.figures.len()), (1, 0), "{so_far:?}");
        assert!(so_far.models.values().any(|model| model.calls > 0));
        store.append(&lease, vec![verdict(&header.run, Status::Full, &tail.head, 4000)]).await.expect("ended");
        let whole = sum(&store, None).await;
        assert_eq!((whole.runs, whole.statuses.get("stopped"), whole.statuses["full"]), (1, None, 1));
        assert!(!whole.figures.is_empty());
    });
}

#[test]
fn those_who_count_at_once_count_the_same_and_nobody_who_writes_is_held_up() {
    for_each_engine(async |bed| {
        let (one, other) = (bed.open().await, bed.open().await);
        let writing = async {
            for _ in 0..20 {
                ended(&one).await;
                let gone = ended(&other).await;
                other.delete_run(&gone, 9).await.expect("deleted");
            }
        };
        let counting = async |store: &Store| {
            for _ in 0..20 {
                assert!(sum(store, None).await.runs <= 40);
            }
        };
        futures::join!(writing, counting(&one), counting(&other));
        assert_eq!((sum(&one, None).await.runs, sum(&other, None).await.runs), (20, 20));
    });
}

const DAY: Millis = 86_400_000;

/// A run that began then, and used three calls.
async fn ended_at(store: &Store, principal: &str, at: Millis) {
    let header = Header { principal: Some(principal.to_owned()), ..header(&new_run()) };
    let lease = store.create(&header, at, vec![]).await.expect("created");
    let tail = deliberate(store, &lease).await.expect("appended");
    store.append(&lease, vec![verdict(&header.run, Status::Full, &tail.head, at + 1)]).await.expect("ended");
}

#[test]
fn usage_counts_the_runs_that_began_within_its_time_also_of_part_of_a_day() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        for (principal, at) in [("a", DAY - 1), ("a", DAY), ("b", DAY + 5), ("a", 2 * DAY), ("a", 2 * DAY + 7), ("b", 3 * DAY)] {
            ended_at(&store, principal, at).await;
        }
        let calls = async |principal: Option<&str>, since, until| {
            let used = store.usage(principal, since, until).await.expect("read");
            let mut days: Vec<(i64, u64)> = Vec::new();
            for line in used {
                match days.last_mut() {
                    Some((day, calls)) if *day == line.day => *calls += line.calls,
                    _ => days.push((line.day, line.calls)),
                }
            }
            days
        };
        assert_eq!(calls(None, 0, 4 * DAY).await, [(3, 3), (2, 6), (1, 6), (0, 3)], "newest first");
        assert_eq!(calls(Some("a"), 0, 4 * DAY).await, [(2, 6), (1, 3), (0, 3)]);
        assert_eq!(calls(None, DAY + 1, 2 * DAY + 7).await, [(2, 3), (1, 3)], "from within a day to within another");
        assert_eq!(calls(None, 2 * DAY + 1, 2 * DAY + 8).await, [(2, 3)], "within one day");
        assert_eq!(calls(Some("b"), DAY, 3 * DAY).await, [(1, 3)], "whole days");
        assert_eq!(calls(None, 5 * DAY, 6 * DAY).await, []);
    });
}
