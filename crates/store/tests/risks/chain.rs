//! Rows come back as they were written, in the order of the calls, each chained to the one before.

use crate::support::for_each_engine;
use crate::support::rows::*;
use futures::future::join_all;
use synod_engine::{Journal, JournalError, Lease};
use synod_types::*;

#[test]
fn rows_are_numbered_without_gaps_and_chained_from_nothing() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let header = header(&new_run());
        let lease = store.create(&header, 1000, vec![]).await.expect("created");
        let tail = deliberate(&store, &lease).await.expect("appended");
        let rows = store.rows(&header.run, 0).await.expect("rows");
        assert_eq!(rows.last().map(|row| (row.seq, row.hash)), Some((tail.seq, tail.head)));
        let mut previous = [0; 32];
        for (n, row) in rows.iter().enumerate() {
            assert_eq!((row.seq, row.epoch), (n as i64 + 1, 1));
            assert_eq!(row.hash, row.link(&previous), "row {}", row.seq);
            previous = row.hash;
        }
        assert_eq!(rows[0].read::<Header>().expect("a header"), header);
        let after = store.rows(&header.run, tail.seq - 2).await.expect("rows");
        assert_eq!(after, rows[rows.len() - 2..]);
    });
}

#[test]
fn rows_read_back_exactly_as_they_were_given() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let header = header(&new_run());
        let lease = store.create(&header, 1000, vec![]).await.expect("created");
        let odd = "quotes ' \" \\ newline \n tab \t snow ☃ and \u{1F9C0}, and a NUL \u{0}".to_owned();
        let given = vec![
            NewRow::new("odd/ké@0", Kind::Warning, 5, &PlainText { text: odd.clone() }).attempt(3).digest("d"),
            NewRow::new("plain", Kind::Warning, -5, &PlainText { text: String::new() }),
        ];
        store.append(&lease, given.clone()).await.expect("appended");
        let rows = store.rows(&header.run, 1).await.expect("rows");
        for (row, given) in rows.iter().zip(given) {
            assert_eq!((&row.key, row.kind, row.attempt, row.at), (&given.key, given.kind, given.attempt, given.at));
            assert_eq!((&row.digest, &row.body), (&given.digest, &given.body));
        }
        assert_eq!(rows[0].read::<PlainText>().expect("a warning").text, odd);
    });
}

#[test]
fn the_order_of_calls_is_the_order_of_rows_whoever_waits_first() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let header = header(&new_run());
        let lease = store.create(&header, 1000, vec![]).await.expect("created");
        let mut waiting: Vec<_> = (0..40).map(|n| store.append(&lease, vec![phase(&format!("phase {n}"), n)])).collect();
        waiting.reverse();
        for outcome in join_all(waiting).await {
            outcome.expect("appended");
        }
        let keys: Vec<String> = store.rows(&header.run, 1).await.expect("rows").into_iter().map(|row| row.key).collect();
        let expected: Vec<String> = (0..40).map(|n| format!("phase {n}")).collect();
        assert_eq!(keys, expected);
    });
}

#[test]
fn an_append_whose_future_is_dropped_is_written_all_the_same() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let header = header(&new_run());
        let lease = store.create(&header, 1000, vec![]).await.expect("created");
        drop(store.append(&lease, vec![phase("dropped", 5)]));
        let tail = store.append(&lease, vec![phase("awaited", 6)]).await.expect("appended");
        assert_eq!(tail.seq, 3);
    });
}

#[test]
fn raw_replies_and_files_are_kept_beside_the_rows() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let bytes = vec![0, 159, 146, 150];
        let sha256 = sha256_hex(&bytes);
        for _ in 0..2 {
            let header = header(&new_run());
            let lease = store.create(&header, 1000, vec![(sha256.clone(), bytes.clone())]).await.expect("created");
            store.append(&lease, turn("collect/answer@0", 5)).await.expect("appended");
            let raw = store.raw(&header.run, "collect/answer@0", 0).await.expect("read").expect("kept");
            assert_eq!(serde_json::from_str::<Reply>(&raw).expect("a reply").text, reply_text("collect/answer@0"));
            assert_eq!(store.raw(&header.run, "collect/answer@0", 1).await, Ok(None));
        }
        assert_eq!(store.blob(&sha256).await, Ok(Some(bytes)));
        assert_eq!(store.blob("nothing").await, Ok(None));
        assert_eq!(bed.count("blobs").await, 1, "the same bytes are kept once");
    });
}

#[test]
fn a_run_nobody_created_has_no_journal() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let gone = Err(JournalError::NoSuchRun("nobody".into()));
        assert_eq!(store.rows("nobody", 0).await, gone.clone().map(|()| vec![]));
        assert_eq!(store.take("nobody").await, gone.clone().map(|()| Lease { run: String::new(), epoch: 0 }));
        let lease = Lease { run: "nobody".into(), epoch: 1 };
        assert_eq!(store.append(&lease, vec![phase("p", 1)]).await.map(|_| ()), gone);
    });
}

#[test]
fn what_was_written_is_there_when_the_store_is_opened_again() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let header = header(&new_run());
        council(&store, &header, Status::Full).await.expect("a run");
        let before = store.rows(&header.run, 0).await.expect("rows");
        store.close().await;
        assert!(matches!(store.rows(&header.run, 0).await, Err(JournalError::Storage(_))), "a closed store says so");
        let store = bed.open().await;
        assert_eq!(store.rows(&header.run, 0).await.expect("rows"), before);
        assert!(store.verify(&header.run).await.expect("verified").intact());
    });
}

#[test]
fn a_connection_the_server_dropped_is_made_anew() {
    for_each_engine(async |bed| {
        if bed.sqlite {
            return;
        }
        let name = format!("dropped-{}", uuid::Uuid::new_v4().simple());
        let location = format!("{}&application_name={name}", bed.location);
        let store = synod_store::Store::open(&location, Default::default()).await.expect("opens");
        let lease = store.create(&header(&new_run()), 1000, vec![]).await.expect("created");
        for n in 0..3 {
            bed.sql(&format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '{name}'")).await;
            let tail = store.append(&lease, vec![phase(&format!("phase {n}"), 5)]).await.expect("appended all the same");
            assert_eq!(tail.seq, n + 2);
        }
        assert!(store.verify(&lease.run).await.expect("verified").intact());
    });
}
