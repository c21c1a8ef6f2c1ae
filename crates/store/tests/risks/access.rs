//! Who may do how much: keys, counts and repeated requests, the same on both engines; and what deleting leaves.

use crate::support::for_each_engine;
use crate::support::rows::{header, new_run};
use synod_engine::{Journal, JournalError};
use synod_store::{Deletion, Repeat, RunFilter, Used};
use synod_types::{AccessKey, Header, InboxItem, InboxKind, KeyLimits, Kind, Millis, NewRow, Once, Scope, StopReason, Stopped, sha256_hex};

fn of(principal: &str) -> Header {
    Header { principal: Some(principal.to_owned()), ..header(&new_run()) }
}

fn stopped(at: Millis) -> NewRow {
    NewRow::new("", Kind::Stopped, at, &Stopped::new(StopReason::Cancelled, "enough"))
}

#[test]
fn a_key_is_found_by_its_hash_until_it_is_revoked() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let limits = KeyLimits { usd_per_day: Some(1.5), ..KeyLimits::GUEST };
        let key = AccessKey {
            id: "key_1".into(),
            owner: "Ada \0 Example".into(),
            scopes: vec![Scope::Read, Scope::Run],
            limits,
            created_at: 5,
            revoked_at: None,
        };
        store.add_key(key.clone(), "hash".into()).await.expect("kept");
        let found = store.key_by_hash("hash").await.expect("read").expect("it is there");
        assert_eq!((&found.id, &found.scopes, found.limits), (&key.id, &key.scopes, key.limits));
        assert_eq!(store.key_by_hash("other").await.expect("read"), None);
        assert!(store.add_key(AccessKey { id: "key_2".into(), ..key }, "hash".into()).await.is_err(), "one hash, one key");
        assert!(store.revoke_key("key_1", 9).await.expect("done") && !store.revoke_key("key_1", 10).await.expect("done"));
        assert_eq!(store.key_by_hash("hash").await.expect("read"), None);
        assert_eq!(store.key("key_1").await.expect("read").and_then(|key| key.revoked_at), Some(9));
        assert_eq!(store.keys().await.expect("read").len(), 1);
    });
}

#[test]
fn an_allowance_has_room_to_the_last_cent_and_not_beyond_however_many_ask_at_once() {
    for_each_engine(async |bed| {
        let (one, two) = (bed.open().await, bed.open().await);
        let limits = KeyLimits { calls_per_day: Some(7), usd_per_day: Some(0.3), ..KeyLimits::default() };
        let asked = (0..40).map(|n| if n % 2 == 0 { one.reserve("k", 3, 0.1, limits) } else { two.reserve("k", 3, 0.1, limits) });
        let granted = futures::future::join_all(asked).await.into_iter().filter(|granted| *granted.as_ref().expect("answered")).count();
        assert_eq!(granted, 3, "three dimes");
        one.settle("k", 3, 0, -0.3).await.expect("given back");
        for _ in 0..4 {
            assert!(two.reserve("k", 3, 0.0, limits).await.expect("answered"));
        }
        assert!(!one.reserve("k", 3, 0.0, limits).await.expect("answered"), "seven calls");
        assert!(one.reserve("k", 4, 0.3, limits).await.expect("answered"), "another day");
        assert!(one.reserve("other", 3, 0.3, limits).await.expect("answered"));
        let used = two.used("k", 3).await.expect("read");
        assert!(used.calls == 7 && used.usd.abs() < 1e-9, "{used:?}");
        assert_eq!(one.used("k", 5).await.expect("read"), Used::default());
    });
}

#[test]
fn one_request_begins_one_run_within_a_day_in_whichever_process() {
    const DAY: Millis = 24 * 60 * 60 * 1000;
    for_each_engine(async |bed| {
        let (one, two) = (bed.open().await, bed.open().await);
        let once = || Some(Once { key: "abc".into(), body_sha256: "body".into() });
        let headers: Vec<Header> = (0..10).map(|_| of("k")).collect();
        let begun = headers
            .iter()
            .enumerate()
            .map(|(n, header)| if n % 2 == 0 { one.begin(header, 1000, vec![], once()) } else { two.begin(header, 1000, vec![], once()) });
        let begun = futures::future::join_all(begun).await;
        let (runs, refused): (Vec<_>, Vec<_>) = begun.into_iter().partition(Result::is_ok);
        assert_eq!(runs.len(), 1, "{refused:?}");
        assert!(refused.iter().all(|refused| *refused == Err(JournalError::Repeated)), "{refused:?}");
        let run = runs[0].as_ref().expect("one").run.clone();
        assert_eq!(two.repeat("k", "abc", 2000).await.expect("read"), Some(Repeat { run, body_sha256: "body".into() }));
        assert_eq!(two.repeat("k", "abc", 1000 + DAY).await.expect("read"), None);
        assert_eq!(two.repeat("other", "abc", 2000).await.expect("read"), None);
        one.begin(&of("other"), 1000, vec![], once()).await.expect("another's key is another's");
        one.begin(&of("k"), 1001 + DAY, vec![], once()).await.expect("a day later it begins another");
        assert_eq!(one.starts("k", 0).await.expect("read"), [1000, 1001 + DAY]);
        assert_eq!(bed.count("runs").await, 3);
        one.create(&header(&new_run()), 1, vec![]).await.expect("the user of the machine is not counted");
        assert_eq!(bed.count("starts").await, 3);
        one.tidy_access(1002 + DAY).await.expect("tidied");
        assert_eq!(one.starts("k", 0).await.expect("read"), [1001 + DAY]);
        let mine = RunFilter { principal: Some("k".into()), ..RunFilter::default() };
        assert_eq!(one.runs(&mine).await.expect("read").len(), 2);
        assert_eq!(one.under_way("k").await.expect("read"), 2);
    });
}

#[test]
fn a_run_is_deleted_whole_and_only_when_nobody_needs_it() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let file = || vec![(sha256_hex("notes"), b"notes".to_vec())];
        let (first, second) = (of("k"), of("k"));
        let mut leases = Vec::new();
        for header in [&first, &second] {
            leases.push(store.begin(header, 1000, file(), None).await.expect("begun"));
        }
        let fork = Header { parent: Some(first.run.clone()), ..of("k") };
        let forked = store.begin(&fork, 1000, vec![], None).await.expect("begun");
        assert_eq!(store.delete_run(&first.run, 9).await.expect("answered"), Deletion::UnderWay);
        let tail = store.append(&leases[0], vec![stopped(1001)]).await.expect("written");
        for lease in leases.iter().chain([&forked]) {
            store.release(lease).await.expect("let go");
        }
        assert_eq!(store.delete_run(&first.run, 9).await.expect("answered"), Deletion::Parent(vec![fork.run.clone()]));
        assert_eq!(store.delete_run(&fork.run, 9).await.expect("answered"), Deletion::Done);
        assert_eq!(store.delete_run(&first.run, 9).await.expect("answered"), Deletion::Done);
        assert_eq!(store.delete_run(&first.run, 9).await.expect("answered"), Deletion::NoSuchRun);
        let stone = store.tombstone(&first.run).await.expect("read").expect("it is there");
        assert_eq!((stone.seq, stone.deleted_at, stone.head), (tail.seq, 9, hex::encode(tail.head)));
        assert!(matches!(store.rows(&first.run, 0).await, Err(JournalError::NoSuchRun(_))));
        // A file stays with the run that still has it.
        assert_eq!(store.blob(&sha256_hex("notes")).await.expect("read").as_deref(), Some(b"notes".as_slice()));
        assert_eq!(store.delete_run(&second.run, 9).await.expect("answered"), Deletion::Done);
        assert_eq!(store.blob(&sha256_hex("notes")).await.expect("read"), None);
        // What was forked from a run that is gone cannot begin.
        let late = Header { parent: Some(first.run.clone()), ..of("k") };
        assert_eq!(store.begin(&late, 1000, vec![], None).await, Err(JournalError::NoSuchRun(first.run.clone())));
        for table in ["runs", "journal", "attachments", "forks", "raws", "run_stats"] {
            assert_eq!(bed.count(table).await, 0, "{table}");
        }
        assert_eq!(bed.count("starts").await, 3, "what was begun stays counted");
    });
}

#[test]
fn runs_that_nobody_goes_on_with_are_found_by_another_process() {
    for_each_engine(async |bed| {
        let gone = bed.open_without_lease().await;
        let dead = gone.create(&header(&new_run()), 1000, vec![]).await.expect("begun");
        let done = gone.create(&header(&new_run()), 1001, vec![]).await.expect("begun");
        gone.append(&done, vec![stopped(1002)]).await.expect("written");
        gone.release(&done).await.expect("let go");
        let asked = gone.create(&header(&new_run()), 1003, vec![]).await.expect("begun");
        let question = NewRow::new("q", Kind::Waiting, 1004, &synod_types::Asking { question: "Now?".into(), choices: vec![] });
        let waits = NewRow::new("", Kind::Stopped, 1005, &Stopped::new(StopReason::Waiting, "q"));
        gone.append(&asked, vec![question, waits]).await.expect("written");
        gone.release(&asked).await.expect("let go");
        gone.close().await;
        let store = bed.open().await;
        let mine = store.create(&header(&new_run()), 1006, vec![]).await.expect("begun");
        assert_eq!(store.orphans().await.expect("read"), std::slice::from_ref(&dead.run));
        let answer = InboxItem { run: asked.run.clone(), key: "q".into(), kind: InboxKind::Answer, body: "{}".into(), by: "ada".into(), at: 1007 };
        store.post(answer).await.expect("posted");
        assert_eq!(store.orphans().await.expect("read"), [dead.run.clone(), asked.run.clone()]);
        store.take(&dead.run).await.expect("free");
        assert_eq!(store.orphans().await.expect("read"), [asked.run]);
        let states = store.runs_by_state().await.expect("read");
        assert_eq!(
            states.iter().map(|(state, count)| (state.as_str(), *count)).collect::<Vec<_>>(),
            [("running", 2), ("stopped", 1), ("waiting", 1)]
        );
        store.release(&mine).await.expect("let go");
        store.ping().await.expect("it answers");
    });
}
