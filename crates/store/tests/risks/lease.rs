//! One process owns a run: a dead owner is replaced at once, a living one never, and whoever lost a run cannot write to it.

use crate::support::rows::*;
use crate::support::{child, child_location, for_each_engine, on_sqlite, runtime};
use futures::future::join_all;
use std::io::{BufRead, BufReader};
use std::time::Duration;
use synod_engine::{Journal, JournalError, Lease};
use synod_store::{RunFilter, RunState, Store, StoreSettings};

fn lease_of(ms: i64) -> StoreSettings {
    StoreSettings { lease_ms: ms, ..StoreSettings::default() }
}

#[test]
fn a_stale_epoch_is_refused_while_the_rest_of_the_batch_goes_on() {
    for_each_engine(async |bed| {
        let old = bed.open_without_lease().await;
        let new = bed.open().await;
        let mut leases = Vec::new();
        for _ in 0..6 {
            leases.push(old.create(&header(&new_run()), 1000, vec![]).await.expect("created"));
        }
        let taken = new.take(&leases[2].run).await.expect("the lease has run out");
        assert_eq!(taken.epoch, 2);
        let outcomes = join_all(leases.iter().map(|lease| old.append(lease, vec![phase("stale?", 2)]))).await;
        for (n, outcome) in outcomes.into_iter().enumerate() {
            match n {
                2 => assert_eq!(outcome, Err(JournalError::LeaseLost)),
                _ => assert_eq!(outcome.expect("appended").seq, 2),
            }
        }
        let tail = new.append(&taken, vec![phase("fresh", 3)]).await.expect("appended");
        assert_eq!(tail.seq, 2);
        let rows = new.rows(&taken.run, 1).await.expect("rows");
        assert_eq!(rows.iter().map(|row| (row.key.as_str(), row.epoch)).collect::<Vec<_>>(), [("fresh", 2)]);
        assert_eq!(old.append(&leases[2], vec![phase("again", 4)]).await, Err(JournalError::LeaseLost), "and stays lost");
        assert!(new.verify(&taken.run).await.expect("verified").intact(), "a chain goes on across epochs");
    });
}

#[test]
fn many_rows_of_a_stale_owner_are_refused_as_well() {
    for_each_engine(async |bed| {
        let old = bed.open_without_lease().await;
        let new = bed.open().await;
        let lease = old.create(&header(&new_run()), 1000, vec![]).await.expect("created");
        new.take(&lease.run).await.expect("taken");
        let rows = (0..30).map(|n| phase(&format!("p{n}"), n)).collect();
        assert_eq!(old.append(&lease, rows).await, Err(JournalError::LeaseLost));
        assert_eq!(new.rows(&lease.run, 1).await, Ok(vec![]));
    });
}

#[test]
fn a_run_is_refused_while_its_owner_lives() {
    for_each_engine(async |bed| {
        let owner = bed.open().await;
        let other = bed.open().await;
        let lease = owner.create(&header(&new_run()), 1000, vec![]).await.expect("created");
        let Err(JournalError::Held { owner: held_by, wait_ms }) = other.take(&lease.run).await else { panic!("must be held") };
        assert_eq!(held_by, owner.owner());
        if bed.sqlite {
            assert_eq!(wait_ms, None, "its lock shows that it lives: waiting is of no use");
        } else {
            assert!(wait_ms.is_some_and(|ms| (1..=10_000).contains(&ms)), "{wait_ms:?}");
        }
        let again = owner.take(&lease.run).await;
        assert!(matches!(again, Err(JournalError::Held { wait_ms: None, .. })), "also for itself: {again:?}");
        owner.append(&lease, vec![phase("unharmed", 2)]).await.expect("still the owner");
    });
}

#[test]
fn a_run_that_was_given_up_can_be_taken_at_once_and_not_written_to() {
    for_each_engine(async |bed| {
        let owner = bed.open().await;
        let other = bed.open().await;
        let lease = owner.create(&header(&new_run()), 1000, vec![]).await.expect("created");
        owner.release(&lease).await.expect("released");
        assert_eq!(owner.append(&lease, vec![phase("late", 2)]).await, Err(JournalError::LeaseLost));
        let taken = other.take(&lease.run).await.expect("taken");
        assert_eq!(taken, Lease { run: lease.run.clone(), epoch: 2 });
        owner.release(&lease).await.expect("giving up what is gone is no error");
        other.append(&taken, vec![phase("mine", 3)]).await.expect("and changes nothing for the new owner");
    });
}

#[test]
fn a_closed_store_leaves_its_runs_free() {
    for_each_engine(async |bed| {
        let owner = bed.open().await;
        let lease = owner.create(&header(&new_run()), 1000, vec![]).await.expect("created");
        owner.close().await;
        let other = bed.open().await;
        assert_eq!(other.take(&lease.run).await.expect("taken").epoch, 2);
    });
}

#[test]
fn a_dropped_store_frees_its_lock_once_its_writer_is_done() {
    on_sqlite(async |bed| {
        let owner = bed.open().await;
        let lease = owner.create(&header(&new_run()), 1000, vec![]).await.expect("created");
        drop(owner);
        let other = bed.open().await;
        let mut taken = other.take(&lease.run).await;
        while matches!(taken, Err(JournalError::Held { .. })) {
            tokio::time::sleep(Duration::from_millis(5)).await;
            taken = other.take(&lease.run).await;
        }
        assert_eq!(taken.expect("taken").epoch, 2);
    });
}

#[test]
fn a_lease_runs_out_without_a_heartbeat_and_not_with_one() {
    for_each_engine(async |bed| {
        let (silent, beating) = (bed.open_with(lease_of(150)).await, bed.open_with(lease_of(150)).await);
        let other = bed.open().await;
        let lost = silent.create(&header(&new_run()), 1000, vec![]).await.expect("created");
        let kept = beating.create(&header(&new_run()), 1000, vec![]).await.expect("created");
        for _ in 0..10 {
            tokio::time::sleep(Duration::from_millis(30)).await;
            beating.heartbeat().await.expect("beats");
        }
        assert!(matches!(other.take(&kept.run).await, Err(JournalError::Held { .. })));
        assert_eq!(other.take(&lost.run).await.expect("run out").epoch, 2);
    });
}

#[test]
fn two_who_want_the_same_free_run_do_not_both_get_it() {
    for_each_engine(async |bed| {
        let owner = bed.open().await;
        let lease = owner.create(&header(&new_run()), 1000, vec![]).await.expect("created");
        owner.close().await;
        let stores = [bed.open().await, bed.open().await, bed.open().await, bed.open().await];
        let taken = join_all(stores.iter().map(|store| store.take(&lease.run))).await;
        assert_eq!(taken.iter().filter(|outcome| outcome.is_ok()).count(), 1, "{taken:?}");
    });
}

#[test]
fn the_run_of_a_killed_process_is_interrupted_and_can_be_taken() {
    for_each_engine(async |bed| {
        let mut process = child("lease::owner_process", &bed.location).spawn().expect("a process");
        let out = BufReader::new(process.stdout.take().expect("its output"));
        let mut lines = out.lines();
        let run = loop {
            let line = lines.next().expect("it says which run it owns").expect("text");
            if let Some(run) = line.split("owns ").nth(1) {
                break run.to_owned();
            }
        };
        let store = bed.open().await;
        assert!(matches!(store.take(&run).await, Err(JournalError::Held { .. })), "while it lives");
        assert_eq!(store.run(&run).await.expect("a run").state, RunState::Running);
        process.kill().expect("killed");
        process.wait().expect("dead");
        if !bed.sqlite {
            // No lock file tells: the lease has to run out.
            while let Err(JournalError::Held { wait_ms, .. }) = store.take(&run).await {
                tokio::time::sleep(Duration::from_millis(wait_ms.expect("a lease that runs out") as u64)).await;
            }
            return;
        }
        let states = RunFilter { states: vec![RunState::Interrupted], ..RunFilter::default() };
        assert_eq!(store.runs(&states).await.expect("runs").len(), 1);
        let lease = store.take(&run).await.expect("at once");
        let tail = store.append(&lease, vec![phase("goes on", 5)]).await.expect("appended");
        assert_eq!(tail.seq, 3, "what the dead process had written is all there");
        assert_eq!(store.run(&run).await.expect("a run").state, RunState::Running);
        assert!(store.verify(&run).await.expect("verified").intact());
    });
}

#[test]
#[ignore = "the body of a child process: tests of this file start it with a database, and it has none by itself"]
fn owner_process() {
    runtime().block_on(async {
        let settings = StoreSettings { lease_ms: if child_location().starts_with("postgres") { 700 } else { 60_000 }, ..StoreSettings::default() };
        let store = Store::open(&child_location(), settings).await.expect("opens");
        let lease = store.create(&header(&new_run()), 1000, vec![]).await.expect("created");
        store.append(&lease, vec![phase("begun", 2)]).await.expect("appended");
        println!("owns {}", lease.run);
        loop {
            tokio::time::sleep(Duration::from_millis(100)).await;
            store.heartbeat().await.expect("beats");
        }
    });
}

#[test]
fn a_living_process_that_never_held_a_run_is_not_taken_for_gone() {
    for_each_engine(async |bed| {
        let (here, there) = (bed.open().await, bed.open().await);
        assert!(!here.is_owner_gone(there.owner()).await.expect("an answer"), "it only looks");
        assert!(!here.is_owner_gone(here.owner()).await.expect("an answer"));
        let owner = there.owner().to_owned();
        there.close().await;
        drop(there);
        // Without lock files nobody can tell, and nobody says so.
        assert_eq!(here.is_owner_gone(&owner).await.expect("an answer"), bed.sqlite);
    });
}
