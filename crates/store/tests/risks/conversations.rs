//! Conversations: both sides of each exchange, in order, gone when deleted, and never in the way of a run.

use crate::support::for_each_engine;
use crate::support::rows::*;
use synod_engine::{Journal, JournalError};
use synod_store::{StageCheck, StoreError};
use synod_types::*;

#[test]
fn a_conversation_holds_both_sides_of_each_exchange_in_order() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let id = new_run();
        store.create_conversation(&id, "council", "The cache").await.expect("created");
        assert_eq!(store.conversation_mode(&id).await.expect("a mode"), "council");
        for (n, status) in [Status::Full, Status::NoQuorum, Status::Degraded].into_iter().enumerate() {
            let mut header = header(&new_run());
            header.conversation = Some(id.clone());
            header.question.text = format!("Question {n}?");
            let at = 10_000 * n as i64;
            let lease = store.create(&header, at, vec![]).await.expect("created");
            store.append(&lease, vec![verdict(&header.run, status, &[0; 32], at + 5)]).await.expect("ended");
        }
        let messages = store.conversation(&id).await.expect("messages");
        let said: Vec<_> = messages.iter().map(|message| (message.role.as_str(), message.content.as_str())).collect();
        let answer = "Share it, behind a lock.";
        assert_eq!(said, [("user", "Question 0?"), ("assistant", answer), ("user", "Question 1?"), ("user", "Question 2?"), ("assistant", answer)]);
        let past = |n: usize| PastTurn { question: format!("Question {n}?"), answer: answer.into() };
        assert_eq!(store.history(&id, 10).await.expect("history"), [past(0), past(2)], "only what was answered");
        assert_eq!(store.history(&id, 1).await.expect("history"), [past(2)], "the last one");
    });
}

#[test]
fn a_run_of_no_known_conversation_is_not_begun() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let mut header = header(&new_run());
        header.conversation = Some("nowhere".into());
        assert_eq!(store.create(&header, 1, vec![]).await, Err(JournalError::Storage("no conversation \"nowhere\"".into())));
        assert_eq!((bed.count("runs").await, bed.count("journal").await), (0, 0));
        assert_eq!(store.conversation("nowhere").await, Err(StoreError::NoSuchConversation("nowhere".into())));
        assert!(store.history("nowhere", 3).await.is_err());
        assert!(store.delete_conversation("nowhere").await.is_err());
    });
}

#[test]
fn deleting_a_conversation_takes_its_messages_and_stage_rows_and_leaves_the_journal() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let id = new_run();
        store.create_conversation(&id, "council", "t").await.expect("created");
        let mut gone = header(&new_run());
        gone.conversation = Some(id.clone());
        council(&store, &gone, Status::Full).await.expect("a run");
        let kept = header(&new_run());
        council(&store, &kept, Status::Full).await.expect("a run");
        store.delete_conversation(&id).await.expect("deleted");
        assert_eq!((bed.count("messages").await, bed.count("stages").await), (1, 5), "those of the other run");
        let checked = store.verify(&gone.run).await.expect("verified");
        assert!(checked.intact(), "{:?}", checked.faults);
        assert_eq!(checked.stages, StageCheck::Deleted);
        assert_eq!(store.rows(&gone.run, 0).await.expect("rows").len(), 18);
    });
}

#[test]
fn a_conversation_deleted_under_a_run_does_not_cost_its_verdict() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let id = new_run();
        store.create_conversation(&id, "council", "t").await.expect("created");
        let mut header = header(&new_run());
        header.conversation = Some(id.clone());
        let lease = store.create(&header, 1000, vec![]).await.expect("created");
        let tail = deliberate(&store, &lease).await.expect("appended");
        store.delete_conversation(&id).await.expect("deleted");
        store.append(&lease, vec![verdict(&header.run, Status::Full, &tail.head, 4000)]).await.expect("ended");
        assert_eq!(bed.count("messages WHERE conversation_id IS NULL").await, 1);
        assert!(store.verify(&header.run).await.expect("verified").intact());
    });
}

#[test]
fn a_title_row_names_the_conversation_also_after_the_verdict() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let id = new_run();
        store.create_conversation(&id, "council", "Should the cache").await.expect("created");
        let mut header = header(&new_run());
        header.conversation = Some(id.clone());
        let lease = council(&store, &header, Status::Full).await.expect("a run");
        store.append(&lease, vec![NewRow::new("", Kind::Title, 5000, &PlainText { text: "Sharing a cache".into() })]).await.expect("appended");
        assert_eq!(store.conversation_title(&id).await.expect("a title"), "Sharing a cache");
        assert_eq!(store.run(&header.run).await.expect("a run").state, synod_store::RunState::Complete);
        assert!(store.verify(&header.run).await.expect("verified").intact());
    });
}
