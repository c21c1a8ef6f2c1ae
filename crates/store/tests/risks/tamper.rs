//! Whatever is changed behind the store's back is found, and named.

use crate::support::rows::*;
use crate::support::{Bed, for_each_engine, on_sqlite};
use synod_engine::Journal;
use synod_store::{Fault, Store, StoreError, StoreSettings, Verification};
use synod_types::*;

async fn whole_run(bed: &Bed) -> (Store, String) {
    let store = bed.open().await;
    let header = header(&new_run());
    council(&store, &header, Status::Full).await.expect("a run");
    let checked = store.verify(&header.run).await.expect("verified");
    assert!(checked.intact(), "{:?}", checked.faults);
    (store, header.run)
}

async fn after(bed: &Bed, store: &Store, run: &str, sql: &str) -> Verification {
    assert!(bed.sql(sql).await > 0, "{sql} must change something");
    store.verify(run).await.expect("verified")
}

fn named_row(checked: &Verification) -> (i64, &str, &str) {
    match &checked.faults[..] {
        [Fault::Row { seq, key, kind, .. }] => (*seq, key, kind),
        other => panic!("one row must be named, not {other:?}"),
    }
}

#[test]
fn a_run_that_is_going_on_never_looks_altered() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let header = header(&new_run());
        let lease = store.create(&header, 1, Vec::new()).await.expect("a run");
        let writing = async {
            for n in 0..150 {
                store.append(&lease, turn(&format!("collect/answer{n}@0"), n)).await.expect("appended");
            }
        };
        let checking = async {
            for _ in 0..60 {
                let checked = store.verify(&header.run).await.expect("verified");
                assert!(checked.intact(), "{:?}", checked.faults);
            }
        };
        futures::join!(writing, checking);
    });
}

#[test]
fn a_run_as_it_was_written_is_intact() {
    for_each_engine(async |bed| {
        let (store, run) = whole_run(bed).await;
        let checked = store.verify(&run).await.expect("verified");
        let rows = store.rows(&run, 0).await.expect("rows");
        assert_eq!(checked.rows, rows.len());
        assert_eq!(checked.head, hex::encode(rows.last().expect("rows").hash));
        assert!(checked.receipt);
        assert_eq!((checked.raws_intact, checked.raws_expired), (3, 0));
        let missing = store.verify("nobody").await;
        assert!(matches!(missing, Err(StoreError::NoSuchRun { .. })), "{missing:?}");
    });
}

#[test]
fn one_altered_byte_of_a_body_is_found_and_the_row_is_named() {
    for_each_engine(async |bed| {
        let (store, run) = whole_run(bed).await;
        let checked =
            after(bed, &store, &run, "UPDATE journal SET body = replace(body, 'shared', 'sharee') WHERE kind = 'said' AND key LIKE '%@1'").await;
        assert_eq!(named_row(&checked), (9, "collect/answer@1", "said"));
    });
}

#[test]
fn an_altered_key_time_epoch_or_digest_is_found() {
    for_each_engine(async |bed| {
        for change in ["key = 'collect/answer@9'", "at = at + 1", "epoch = 2", "digest = NULL", "try = 1"] {
            let (store, run) = whole_run(bed).await;
            let checked = after(bed, &store, &run, &format!("UPDATE journal SET {change} WHERE seq = 3 AND run = '{run}'")).await;
            assert_eq!(named_row(&checked).0, 3, "{change}");
        }
    });
}

#[test]
fn rows_that_are_gone_added_or_renumbered_are_found() {
    for_each_engine(async |bed| {
        let (store, run) = whole_run(bed).await;
        let checked = after(bed, &store, &run, &format!("DELETE FROM journal WHERE seq = 5 AND run = '{run}'")).await;
        assert_eq!(named_row(&checked).0, 6, "the one after the gap does not fit");

        let (store, run) = whole_run(bed).await;
        let checked = after(bed, &store, &run, &format!("DELETE FROM journal WHERE seq = 18 AND run = '{run}'")).await;
        let head = checked.faults.iter().any(|fault| matches!(fault, Fault::Head { place: "the list of runs", .. }));
        assert!(head, "a missing end shows in the head: {:?}", checked.faults);

        let (store, run) = whole_run(bed).await;
        let forged = "INSERT INTO journal SELECT run, seq + 1, epoch, 'forged', kind, try, at, digest, body, hash FROM journal";
        let checked = after(bed, &store, &run, &format!("{forged} WHERE run = '{run}' AND seq = 18")).await;
        assert_eq!(named_row(&checked).0, 19);
    });
}

#[test]
fn a_head_that_was_replaced_is_found() {
    for_each_engine(async |bed| {
        let (store, run) = whole_run(bed).await;
        let checked = after(
            bed,
            &store,
            &run,
            &format!("UPDATE runs SET head = (SELECT hash FROM journal WHERE run = '{run}' AND seq = 2) WHERE id = '{run}'"),
        )
        .await;
        assert!(matches!(checked.faults[..], [Fault::Head { place: "the list of runs", .. }]), "{:?}", checked.faults);
    });
}

#[test]
fn a_receipt_that_names_another_head_is_found() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let header = header(&new_run());
        let lease = store.create(&header, 1000, vec![]).await.expect("created");
        store.append(&lease, vec![verdict(&header.run, Status::Full, &[7; 32], 4000)]).await.expect("appended");
        let checked = store.verify(&header.run).await.expect("verified");
        assert!(matches!(checked.faults[..], [Fault::Head { place: "the receipt", .. }]), "{:?}", checked.faults);
    });
}

#[test]
fn an_altered_raw_reply_is_found_and_an_expired_one_is_not_a_fault() {
    for_each_engine(async |bed| {
        let (store, run) = whole_run(bed).await;
        let change = format!("UPDATE raws SET body = replace(body, 'shared', 'sharee') WHERE run = '{run}' AND key = 'collect/answer@1'");
        let checked = after(bed, &store, &run, &change).await;
        assert!(checked.faults.contains(&Fault::Raw { key: "collect/answer@1".into(), attempt: 0 }), "{:?}", checked.faults);
        assert_eq!(checked.raws_intact, 2);

        let checked = after(bed, &store, &run, &format!("DELETE FROM raws WHERE run = '{run}'")).await;
        assert!(checked.intact(), "{:?}", checked.faults);
        assert_eq!((checked.raws_intact, checked.raws_expired), (0, 3));
    });
}

#[test]
fn raw_replies_expire_only_with_a_retention_and_only_of_runs_long_untouched() {
    for_each_engine(async |bed| {
        let (store, run) = whole_run(bed).await;
        let day = 24 * 60 * 60 * 1000;
        assert_eq!(store.expire_raws(1000 * day).await, Ok(0), "kept for good by default");
        store.close().await;
        let store = bed.open_with(StoreSettings { raw_retention_days: Some(30), ..StoreSettings::default() }).await;
        assert_eq!(store.expire_raws(29 * day).await, Ok(0));
        assert_eq!(store.expire_raws(31 * day).await, Ok(3));
        assert_eq!(store.raw(&run, "collect/answer@0", 0).await, Ok(None));
        let checked = store.verify(&run).await.expect("verified");
        assert!(checked.intact(), "{:?}", checked.faults);
        let stages = store.stages(&run).await.expect("stages");
        assert_eq!(stages[0].content, reply_text("collect/answer@0"), "what was shown stays readable");
    });
}

#[test]
fn garbage_is_named_and_never_a_panic() {
    for_each_engine(async |bed| {
        for change in ["kind = 'nonsense'", "body = 'no JSON'", "seq = -1", "key = 'x'"] {
            let (store, run) = whole_run(bed).await;
            let checked = after(bed, &store, &run, &format!("UPDATE journal SET {change} WHERE seq = 1 AND run = '{run}'")).await;
            assert!(!checked.intact(), "{change}");
        }
    });
    // SQLite keeps whatever it is given, whatever the column's type.
    on_sqlite(async |bed| {
        for change in ["body = x'ff00'", "hash = 'short'", "hash = 5", "seq = 'many'", "digest = 1.5", "at = 'noon'"] {
            let (store, run) = whole_run(bed).await;
            let checked = after(bed, &store, &run, &format!("UPDATE journal SET {change} WHERE seq = 2 AND run = '{run}'")).await;
            assert!(!checked.intact(), "{change}");
        }
        let (store, run) = whole_run(bed).await;
        let checked = after(bed, &store, &run, &format!("UPDATE raws SET body = x'ff' WHERE run = '{run}' AND key LIKE '%@0'")).await;
        assert!(checked.faults.contains(&Fault::Raw { key: "collect/answer@0".into(), attempt: 0 }));
        let checked = after(bed, &store, &run, &format!("UPDATE runs SET head = 'x' WHERE id = '{run}'")).await;
        assert!(!checked.intact());
    });
}
