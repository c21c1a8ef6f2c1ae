//! Conversations: both sides of each exchange, in order, gone when deleted, and never in the way of a run.

use crate::support::for_each_engine;
use crate::support::rows::*;
use synod_engine::{Journal, JournalError, Lease};
use synod_store::{ConversationDeletion, ConversationFilter, NewConversation, Store, StoreError};
use synod_types::*;

pub fn named(id: &str, title: &str) -> NewConversation {
    NewConversation { id: id.into(), mode: Some("council".into()), title: title.into(), renamed: false, principal: LOCAL.into() }
}

/// A run that has ended, in a conversation.
async fn asked(store: &Store, conversation: Option<&str>, parent: Option<&str>) -> String {
    let mut header = header(&new_run());
    header.conversation = conversation.map(str::to_owned);
    header.parent = parent.map(str::to_owned);
    let lease: Lease = council(store, &header, Status::Full).await.expect("a run");
    store.release(&lease).await.expect("given up");
    header.run
}

#[test]
fn a_conversation_holds_both_sides_of_each_exchange_in_order() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let id = new_run();
        store.create_conversation(named(&id, "The cache"), 1).await.expect("created");
        assert_eq!(store.conversation(&id).await.expect("a conversation").mode.as_deref(), Some("council"));
        for (n, status) in [Status::Full, Status::NoQuorum, Status::Degraded].into_iter().enumerate() {
            let mut header = header(&new_run());
            header.conversation = Some(id.clone());
            header.question.text = format!("Question {n}?");
            let at = 10_000 * n as i64;
            let lease = store.create(&header, at, vec![]).await.expect("created");
            store.append(&lease, vec![verdict(&header.run, status, &[0; 32], at + 5)]).await.expect("ended");
        }
        let messages = store.messages(&id).await.expect("messages");
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
        assert!(store.delete_conversation("nowhere", 5).await.is_err());
    });
}

#[test]
fn deleting_a_conversation_takes_its_messages_and_its_runs_with_it() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let id = new_run();
        store.create_conversation(named(&id, "t"), 1).await.expect("created");
        let (first, other) = (asked(&store, Some(&id), None).await, asked(&store, None, None).await);
        // A fork in the same conversation goes before its parent.
        let fork = asked(&store, Some(&id), Some(&first)).await;
        let done = store.delete_conversation(&id, 9).await.expect("deleted");
        assert_eq!(done, ConversationDeletion::Done { deleted: vec![fork.clone(), first.clone()], kept: vec![], frozen_in: vec![] });
        assert_eq!((bed.count("messages").await, store.stages(&other).await.expect("kept").len()), (0, 5));
        for gone in [first, fork] {
            assert!(store.run(&gone).await.is_err());
            assert_eq!(store.tombstone(&gone).await.expect("read").map(|stone| stone.deleted_at), Some(9));
        }
        assert!(store.verify(&other).await.expect("verified").intact());
        assert_eq!(store.conversation(&id).await, Err(StoreError::NoSuchConversation(id.clone())));
    });
}

#[test]
fn runs_that_others_were_forked_from_stay_and_are_named_with_the_forks() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let id = new_run();
        store.create_conversation(named(&id, "t"), 1).await.expect("created");
        let first = asked(&store, Some(&id), None).await;
        let second = asked(&store, Some(&id), None).await;
        let outside = asked(&store, None, Some(&first)).await;
        let of_it = asked(&store, None, Some(&outside)).await;
        let done = store.delete_conversation(&id, 9).await.expect("deleted");
        let frozen_in = vec![first.clone(), outside.clone(), of_it.clone()];
        assert_eq!(done, ConversationDeletion::Done { deleted: vec![second], kept: vec![first.clone()], frozen_in: frozen_in.clone() });
        for run in frozen_in {
            assert!(store.verify(&run).await.expect("verified").intact(), "{run}");
        }
        assert_eq!(store.run(&first).await.expect("kept").conversation, None);
        assert_eq!(bed.count("messages").await, 0);
        store.rebuild(&first).await.expect("made again");
        assert!(store.verify(&first).await.expect("verified").intact());
    });
}

#[test]
fn a_conversation_with_a_run_under_way_is_not_deleted() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let id = new_run();
        store.create_conversation(named(&id, "t"), 1).await.expect("created");
        let before = asked(&store, Some(&id), None).await;
        let mut header = header(&new_run());
        header.conversation = Some(id.clone());
        let lease = store.create(&header, 1000, vec![]).await.expect("created");
        let tail = deliberate(&store, &lease).await.expect("appended");
        assert_eq!(store.delete_conversation(&id, 9).await, Ok(ConversationDeletion::UnderWay(header.run.clone())));
        assert!(store.run(&before).await.is_ok(), "all or nothing");
        store.append(&lease, vec![verdict(&header.run, Status::Full, &tail.head, 4000)]).await.expect("ended");
        assert_eq!(store.messages(&id).await.expect("messages").len(), 4);
    });
}

#[test]
fn a_title_row_names_the_conversation_unless_somebody_has() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        for renamed in [false, true] {
            let id = new_run();
            store.create_conversation(named(&id, "Should the cache"), 1).await.expect("created");
            let mut header = header(&new_run());
            header.conversation = Some(id.clone());
            let lease = council(&store, &header, Status::Full).await.expect("a run");
            if renamed {
                store.rename_conversation(&id, "Mine").await.expect("renamed");
            }
            store.append(&lease, vec![NewRow::new("", Kind::Title, 5000, &Title { title: "Sharing a cache".into() })]).await.expect("appended");
            let title = store.conversation(&id).await.expect("a conversation").title;
            assert_eq!(title, if renamed { "Mine" } else { "Sharing a cache" });
            assert_eq!(store.run(&header.run).await.expect("a run").state, synod_store::RunState::Complete);
            assert!(store.verify(&header.run).await.expect("verified").intact());
        }
        assert!(store.rename_conversation("nowhere", "x").await.is_err());
    });
}

#[test]
fn the_first_message_fixes_the_mode_and_pages_come_newest_first() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let ids: Vec<String> = (0..5).map(|_| new_run()).collect();
        for (at, id) in ids.iter().enumerate() {
            let principal = if at == 4 { "key_1" } else { LOCAL };
            let new = NewConversation { mode: None, principal: principal.into(), ..named(id, "t") };
            // Two of the same time: then the id decides.
            store.create_conversation(new, 10 * (at as i64 / 2)).await.expect("created");
        }
        assert_eq!(store.fix_mode(&ids[0], "vote").await, Ok("vote".to_owned()));
        assert_eq!(store.fix_mode(&ids[0], "council").await, Ok("vote".to_owned()), "the first stands");
        assert!(store.fix_mode("nowhere", "vote").await.is_err());
        let mut seen = Vec::new();
        let mut filter = ConversationFilter { limit: Some(2), ..ConversationFilter::default() };
        loop {
            let page = store.conversations(&filter).await.expect("a page");
            let Some(last) = page.last() else { break };
            filter.before = Some((last.updated_at, last.id.clone()));
            seen.extend(page.into_iter().map(|each| each.id));
        }
        let mut want: Vec<(i64, String)> = ids.iter().enumerate().map(|(at, id)| (at as i64 / 2, id.clone())).collect();
        want.sort_by(|a, b| b.cmp(a));
        assert_eq!(seen, want.into_iter().map(|(_, id)| id).collect::<Vec<_>>());
        let of = |principal: &str| ConversationFilter { principal: Some(principal.into()), ..ConversationFilter::default() };
        assert_eq!(store.conversations(&of("key_1")).await.expect("a page").len(), 1);
        let votes = ConversationFilter { mode: Some("vote".into()), ..ConversationFilter::default() };
        assert_eq!(store.conversations(&votes).await.expect("a page").len(), 1);
        store.drop_empty_conversation(&ids[1]).await.expect("dropped");
        assert!(store.conversation(&ids[1]).await.is_err());
    });
}
