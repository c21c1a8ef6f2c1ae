//! Runs as lists show them, and how people name them.

use crate::support::for_each_engine;
use crate::support::rows::*;
use synod_engine::Journal;
use synod_store::{RunFilter, RunState, StoreError};
use synod_types::*;

#[test]
fn runs_are_listed_newest_first_with_their_states() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let headers: Vec<Header> =
            (0..5).map(|n| Header { mode: if n == 0 { "vote".into() } else { "council".into() }, ..header(&new_run()) }).collect();
        let mut leases = Vec::new();
        for (n, header) in headers.iter().enumerate() {
            leases.push(store.create(header, 1000 + n as i64, vec![]).await.expect("created"));
        }
        store.append(&leases[0], vec![verdict(&headers[0].run, Status::Full, &[0; 32], 2000)]).await.expect("ended");
        store.append(&leases[1], vec![stopped(StopReason::Cancelled, 0, 2000)]).await.expect("stopped");
        let asking = Asking { question: "Which one?".into(), choices: vec!["a".into(), "b".into()] };
        let waiting = NewRow::new("review/choice", Kind::Waiting, 2000, &asking);
        store.append(&leases[2], vec![waiting, stopped(StopReason::Waiting, 0, 2001)]).await.expect("waiting");
        store.release(&leases[3]).await.expect("released without a word");
        let runs = store.runs(&RunFilter::default()).await.expect("runs");
        let states: Vec<_> = runs.iter().map(|run| run.state).collect();
        assert_eq!(states, [RunState::Running, RunState::Interrupted, RunState::Waiting, RunState::Stopped, RunState::Complete]);
        assert_eq!(runs.iter().map(|run| &run.id).collect::<Vec<_>>(), headers.iter().rev().map(|header| &header.run).collect::<Vec<_>>());
        assert_eq!((runs[2].waiting[0].key.as_str(), &runs[2].waiting[0].asking), ("review/choice", &asking));
        assert_eq!(runs[2].updated_at, 2001);

        let only = async |filter: RunFilter| store.runs(&filter).await.expect("runs").into_iter().map(|run| run.id).collect::<Vec<_>>();
        assert_eq!(only(RunFilter { states: vec![RunState::Interrupted], ..RunFilter::default() }).await, [headers[3].run.clone()]);
        assert_eq!(only(RunFilter { mode: Some("vote".into()), ..RunFilter::default() }).await, [headers[0].run.clone()]);
        assert_eq!(only(RunFilter { limit: Some(2), ..RunFilter::default() }).await, [headers[4].run.clone(), headers[3].run.clone()]);

        let answer = InboxItem {
            run: headers[2].run.clone(),
            key: "review/choice".into(),
            kind: InboxKind::Answer,
            body: "{}".into(),
            by: "ann".into(),
            at: 1,
        };
        store.post(answer).await.expect("answered");
        assert_eq!(store.run(&headers[2].run).await.expect("a run").waiting, [], "answered, though not taken up yet");
    });
}

#[test]
fn a_run_left_by_a_closed_process_is_interrupted() {
    for_each_engine(async |bed| {
        let (owner, watcher) = (bed.open().await, bed.open().await);
        let lease = owner.create(&header(&new_run()), 1000, vec![]).await.expect("created");
        assert_eq!(watcher.run(&lease.run).await.expect("a run").state, RunState::Running);
        owner.close().await;
        assert_eq!(watcher.run(&lease.run).await.expect("a run").state, RunState::Interrupted);
    });
}

#[test]
fn a_run_is_found_by_its_id_its_beginning_its_end_or_as_the_last() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let why = async |given: &str| match store.find_run(given).await {
            Err(StoreError::NoSuchRun { want, .. }) => want,
            other => panic!("{given}: {other:?}"),
        };
        assert!(why("last").await.contains("no runs yet"));
        for (n, id) in ["aaa-111", "aab-222", "bbb-122"].into_iter().enumerate() {
            store.create(&header(id), n as i64, vec![]).await.expect("created");
        }
        for (given, found) in
            [("aaa-111", "aaa-111"), ("aab", "aab-222"), ("122", "bbb-122"), ("B", "bbb-122"), (" aaa ", "aaa-111"), ("last", "bbb-122")]
        {
            assert_eq!(store.find_run(given).await.as_deref(), Ok(found), "{given}");
        }
        let many = why("22").await;
        assert!(many.contains("aab-222") && many.contains("bbb-122"), "{many}");
        assert!(why("zzz").await.contains("begins or ends"));
        assert!(why("%").await.contains("begins or ends"), "nothing typed is a pattern");
        assert!(why("").await.contains("`last`"));
    });
}

#[test]
fn an_id_that_is_the_end_of_another_is_still_found() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        store.create(&header("111"), 1, vec![]).await.expect("created");
        store.create(&header("222-111"), 2, vec![]).await.expect("created");
        assert_eq!(store.find_run("111").await.as_deref(), Ok("111"));
    });
}
