//! Messages for a run reach its owner once, the first answer stands, and whoever waits is woken.

use crate::support::for_each_engine;
use crate::support::rows::*;
use futures::future::join_all;
use std::time::{Duration, Instant};
use synod_engine::{Journal, JournalError};
use synod_types::{InboxItem, InboxKind};

fn answer(run: &str, key: &str, by: &str) -> InboxItem {
    InboxItem {
        run: run.into(),
        key: key.into(),
        kind: InboxKind::Answer,
        body: format!("{{\"answer\":\"yes\",\"by\":\"{by}\"}}"),
        by: by.into(),
        at: 7,
    }
}

fn cancel(run: &str) -> InboxItem {
    InboxItem { run: run.into(), key: String::new(), kind: InboxKind::Cancel, body: String::new(), by: "ann".into(), at: 8 }
}

#[test]
fn the_first_answer_stands_and_the_second_is_told_so() {
    for_each_engine(async |bed| {
        let (owner, other) = (bed.open().await, bed.open().await);
        let lease = owner.create(&header(&new_run()), 1000, vec![]).await.expect("created");
        let names = ["ann", "bob", "eve", "sam"];
        let posted = join_all(names.iter().enumerate().map(|(n, by)| {
            let store = if n % 2 == 0 { &owner } else { &other };
            store.post(answer(&lease.run, "review", by))
        }))
        .await;
        assert_eq!(posted.iter().filter(|outcome| outcome.is_ok()).count(), 1, "{posted:?}");
        let refused = posted.into_iter().find_map(Result::err);
        assert_eq!(refused, Some(JournalError::Duplicate("an answer to review".into())));
        let inbox = other.inbox(&lease.run).await.expect("read");
        assert_eq!(inbox.len(), 1);
        assert!(names.contains(&inbox[0].by.as_str()));
        other.post(answer(&lease.run, "another question", "bob")).await.expect("another question has its own answer");
        other.post(cancel(&lease.run)).await.expect("posted");
        other.post(cancel(&lease.run)).await.expect("nobody minds a second one");
        assert_eq!(owner.inbox(&lease.run).await.expect("read").len(), 4);
    });
}

#[test]
fn a_message_for_nobody_is_refused() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        assert_eq!(store.post(cancel("nobody")).await, Err(JournalError::NoSuchRun("nobody".into())));
        assert_eq!(bed.count("inbox").await, 0);
    });
}

#[test]
fn a_heartbeat_hands_out_each_message_once_and_only_to_the_owner() {
    for_each_engine(async |bed| {
        let (owner, other) = (bed.open().await, bed.open().await);
        let mine = owner.create(&header(&new_run()), 1000, vec![]).await.expect("created");
        let theirs = other.create(&header(&new_run()), 1000, vec![]).await.expect("created");
        assert_eq!(owner.heartbeat().await, Ok(vec![]));
        other.post(answer(&mine.run, "review", "bob")).await.expect("posted");
        owner.post(cancel(&theirs.run)).await.expect("posted");
        assert_eq!(owner.heartbeat().await, Ok(vec![answer(&mine.run, "review", "bob")]));
        assert_eq!(owner.heartbeat().await, Ok(vec![]));
        owner.post(cancel(&mine.run)).await.expect("posted");
        assert_eq!(owner.heartbeat().await, Ok(vec![cancel(&mine.run)]));
        assert_eq!(other.heartbeat().await, Ok(vec![cancel(&theirs.run)]));
    });
}

#[test]
fn what_was_posted_before_a_run_was_taken_is_handed_out_too() {
    for_each_engine(async |bed| {
        let (first, second) = (bed.open().await, bed.open().await);
        let lease = first.create(&header(&new_run()), 1000, vec![]).await.expect("created");
        first.release(&lease).await.expect("released");
        first.post(answer(&lease.run, "review", "bob")).await.expect("posted");
        assert_eq!(second.heartbeat().await, Ok(vec![]), "not its run yet");
        second.take(&lease.run).await.expect("taken");
        assert_eq!(second.heartbeat().await, Ok(vec![answer(&lease.run, "review", "bob")]));
        assert_eq!(second.heartbeat().await, Ok(vec![]));
    });
}

#[test]
fn whoever_waits_is_woken_by_an_append_or_a_message_of_this_process() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let lease = store.create(&header(&new_run()), 1000, vec![]).await.expect("created");
        let began = Instant::now();
        // Waiting begins with the call, not with the first poll.
        let waiting = store.changed(&lease.run, 60_000);
        store.append(&lease, vec![phase("news", 1)]).await.expect("appended");
        waiting.await;
        let waiting = store.changed(&lease.run, 60_000);
        store.post(cancel(&lease.run)).await.expect("posted");
        waiting.await;
        assert!(began.elapsed() < Duration::from_secs(30));
    });
}

#[test]
fn whoever_waits_is_woken_by_another_process_too() {
    for_each_engine(async |bed| {
        let (owner, watcher) = (bed.open().await, bed.open().await);
        let lease = owner.create(&header(&new_run()), 1000, vec![]).await.expect("created");
        let began = Instant::now();
        // Again and again: on a busy machine the first may come before anybody waits.
        let appends = async {
            for n in 1.. {
                tokio::time::sleep(Duration::from_millis(50)).await;
                owner.append(&lease, vec![phase(&format!("news {n}"), n)]).await.expect("appended");
            }
        };
        tokio::select! { () = watcher.changed(&lease.run, 60_000) => {}, () = appends => {} }
        let posts = async {
            for n in 1.. {
                tokio::time::sleep(Duration::from_millis(50)).await;
                owner.post(InboxItem { key: n.to_string(), ..cancel(&lease.run) }).await.expect("posted");
            }
        };
        tokio::select! { () = watcher.changed(&lease.run, 60_000) => {}, () = posts => {} }
        assert!(began.elapsed() < Duration::from_secs(30));
    });
}

#[test]
fn waiting_ends_by_itself_when_nothing_happens() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let lease = store.create(&header(&new_run()), 1000, vec![]).await.expect("created");
        let began = Instant::now();
        store.changed(&lease.run, 20).await;
        store.changed("nobody", 20).await;
        assert!(began.elapsed() >= Duration::from_millis(40));
    });
}
