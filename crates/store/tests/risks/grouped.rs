//! Many runs share the writer's transactions; the mistake of one stays its own.

use crate::support::for_each_engine;
use crate::support::rows::*;
use futures::future::{join_all, try_join_all};
use synod_engine::{Journal, JournalError};
use synod_types::*;

#[test]
fn fifty_runs_at_once_each_have_their_whole_chain() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let headers: Vec<Header> = (0..50).map(|_| header(&new_run())).collect();
        try_join_all(headers.iter().map(|header| council(&store, header, Status::Full))).await.expect("fifty runs");
        for header in &headers {
            let checked = store.verify(&header.run).await.expect("verified");
            assert!(checked.intact(), "{:?}", checked.faults);
            assert_eq!(checked.rows, 18);
        }
        assert_eq!(bed.count("journal").await, 50 * 18);
        assert_eq!(bed.count("run_stats").await, 50);
    });
}

#[test]
fn a_duplicate_row_hurts_nobody_but_its_own_call() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let mut leases = Vec::new();
        for _ in 0..10 {
            leases.push(store.create(&header(&new_run()), 1000, vec![]).await.expect("created"));
        }
        store.append(&leases[4], vec![asked("collect/answer@0", 1)]).await.expect("appended");
        // All of these are queued before the writer sees the first of them end.
        let mut waiting = Vec::new();
        for lease in &leases {
            waiting.push(store.append(lease, vec![phase("before", 2)]));
            waiting.push(store.append(lease, vec![phase("with", 3), asked("collect/answer@0", 3)]));
            waiting.push(store.append(lease, vec![phase("after", 4)]));
        }
        let outcomes = join_all(waiting).await;
        for (n, outcome) in outcomes.iter().enumerate() {
            if n == 4 * 3 + 1 {
                assert_eq!(outcome.as_ref().expect_err("refused"), &JournalError::Duplicate("collect/answer@0 asked (try 0)".into()));
            } else {
                assert!(outcome.is_ok(), "call {n}: {outcome:?}");
            }
        }
        let keys: Vec<String> = store.rows(&leases[4].run, 1).await.expect("rows").into_iter().map(|row| row.key).collect();
        assert_eq!(keys, ["collect/answer@0", "before", "after"], "all or nothing of a call");
        for lease in &leases {
            assert!(store.verify(&lease.run).await.expect("verified").intact());
        }
    });
}

#[test]
fn a_call_that_repeats_itself_is_a_duplicate_too() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let lease = store.create(&header(&new_run()), 1000, vec![]).await.expect("created");
        let refused = store.append(&lease, vec![phase("twice", 1), phase("twice", 2)]).await;
        assert_eq!(refused, Err(JournalError::Duplicate("twice phase (try 0)".into())));
        assert_eq!(store.append(&lease, vec![phase("once", 1)]).await.expect("appended").seq, 2);
    });
}

#[test]
fn a_run_can_be_created_once() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let header = header(&new_run());
        let (first, second) = tokio::join!(store.create(&header, 1, vec![]), store.create(&header, 2, vec![]));
        first.expect("created");
        assert_eq!(second, Err(JournalError::Duplicate(format!("run {}", header.run))));
        assert!(matches!(store.create(&header, 3, vec![]).await, Err(JournalError::Duplicate(_))));
        assert_eq!(store.rows(&header.run, 0).await.expect("rows").len(), 1);
    });
}

#[test]
fn batches_of_any_size_are_written_whole() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        for size in [1, 7, 8, 9, 63, 64, 65, 200, 1000] {
            let lease = store.create(&header(&new_run()), 1000, vec![]).await.expect("created");
            let rows = (0..size).map(|n| phase(&format!("phase {n}"), n)).collect();
            let tail = store.append(&lease, rows).await.expect("appended");
            assert_eq!(tail.seq, size + 1);
            assert!(store.verify(&lease.run).await.expect("verified").intact());
        }
    });
}
