//! What lists, pages and reports read is what the journal says, whichever way the run went.

use crate::support::for_each_engine;
use crate::support::rows::*;
use synod_engine::Journal;
use synod_store::{ModelCost, RunState, Store, TurnOutcome, project, stages};
use synod_types::*;

async fn begun(store: &Store) -> (Header, synod_engine::Lease) {
    let header = header(&new_run());
    let lease = store.create(&header, 1000, vec![]).await.expect("created");
    (header, lease)
}

#[test]
fn a_completed_run_has_a_stage_row_for_everything_shown() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let header = header(&new_run());
        council(&store, &header, Status::Full).await.expect("a run");
        let stages = store.stages(&header.run).await.expect("stages");
        let brief: Vec<_> = stages.iter().map(|row| (row.stage_type.as_str(), row.stage_order, row.model.as_deref(), row.role.as_deref())).collect();
        assert_eq!(
            brief,
            [
                ("collect", 0, Some("opus"), Some("respondent")),
                ("collect", 0, Some("gpt"), Some("respondent")),
                ("collect", 0, Some("opus"), Some("respondent")),
                ("vote_tally", 1, None, None),
                ("vote_note", 2, None, None),
            ]
        );
        assert_eq!(stages[1].content, reply_text("collect/answer@1"), "the words of the turn");
        assert_eq!(stages[1].parsed_data.as_deref(), Some("{\"label\":\"K1\",\"responseTimeMs\":900}"));
        assert_eq!((stages[1].response_time_ms, stages[1].created_at), (Some(900), 2922));
        assert!(stages[3].content.starts_with("{\"kind\":\"tally\""), "{}", stages[3].content);
        assert_eq!((stages[4].content.as_str(), stages[4].response_time_ms), ("Nobody dissents.", None));
        let message = format!("{}:answer", header.run);
        assert!(stages.iter().all(|row| row.message_id.as_ref() == Some(&message)));
        let run = store.run(&header.run).await.expect("a run");
        assert_eq!((run.state, run.status.as_deref(), run.spent_usd), (RunState::Complete, Some("full"), Some(0.006)));
        let figures = store.projection(&header.run).await.expect("read").figures;
        assert_eq!((figures[0].name.as_str(), figures[0].value, figures.len()), ("tiebroken", 1.0, 1));
    });
}

/// A statement may be part of a turn, or what was made of it: then its own words count, and the time is still the turn's.
#[test]
fn a_statement_with_words_of_its_own_is_those_words() {
    let statement = |text: Option<&str>| Shape::Statement(Statement { text: text.map(str::to_owned), ..Statement::default() });
    let mut rows = turn("collect/answer@0", 1000);
    for (name, text) in [("made", Some("The text alone.")), ("said", None)] {
        rows.push(shown(&format!("show {name}"), name, Exhibit::new("Shown", statement(text)).by(0, "winner").turn("collect/answer@0"), 3000));
    }
    let rows: Vec<Row> = (1_i64..).zip(rows).map(|(seq, row)| row.seal("run", seq, 1, &[0; 32])).collect();
    let stages = stages(&rows, &Default::default());
    let [made, said] = stages.as_slice() else { panic!("two rows") };
    assert_eq!((made.content.as_str(), made.response_time_ms), ("The text alone.", said.response_time_ms));
    assert_eq!(said.content, reply_text("collect/answer@0"));
    assert!(made.response_time_ms.is_some());
}

/// Rows that no turn stands behind say what was shown: a document in full, other shapes as JSON.
#[test]
fn a_documents_row_is_its_whole_text() {
    let section = |number, title: &str, text: &str| Section { number, title: title.into(), text: text.into(), ..Section::default() };
    let document = Document {
        title: "Growing".into(),
        front: "For the team.".into(),
        sections: vec![section(1, "Measure", "Look first.\n"), section(2, "The way back", "")],
        todos: Vec::new(),
    };
    let shapes = [Shape::Document(document), Shape::Findings(Findings::default())];
    let rows: Vec<Row> = (1_i64..)
        .zip(shapes)
        .map(|(seq, shape)| {
            let shown = Shown { stage: format!("stage {seq}"), exhibit: Exhibit::new("Shown", shape) };
            NewRow::new(format!("work/show {seq}"), Kind::Shown, 1000, &shown).seal("run", seq, 1, &[0; 32])
        })
        .collect();
    let stages = stages(&rows, &Default::default());
    assert_eq!(stages[0].content, "# Growing\n\nFor the team.\n\n## 1. Measure\n\nLook first.\n\n## 2. The way back");
    assert!(stages[1].content.starts_with("{\"kind\":\"findings\""), "{}", stages[1].content);
}

#[test]
fn turns_and_costs_say_who_was_asked_and_what_it_cost() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let header = header(&new_run());
        council(&store, &header, Status::Full).await.expect("a run");
        let read = store.projection(&header.run).await.expect("read");
        let turns = &read.turns;
        assert_eq!(turns.iter().map(|turn| turn.key.as_str()).collect::<Vec<_>>(), ["collect/answer@0", "collect/answer@1", "collect/answer@2"]);
        let turn = &turns[1];
        assert_eq!((turn.seat, turn.model.as_str(), turn.outcome, turn.tries, turn.ms), (Some(1), "gpt", TurnOutcome::Said, 1, Some(900)));
        let cost = |model: &str, calls: i64| ModelCost {
            model: model.into(),
            calls,
            usage: Usage { input: 100 * calls as u64, output: 50 * calls as u64, cached: 10 * calls as u64, thinking: Some(20 * calls as u64) },
            usd: Some(0.002 * calls as f64),
        };
        assert_eq!(read.costs, [cost("opus", 2), cost("gpt", 1)]);
    });
}

#[test]
fn an_unknown_cost_is_unknown_never_zero() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        // Twice: a NULL must not change how the next number is bound.
        for unknown in [true, false, true] {
            let (header, lease) = begun(&store).await;
            let mut reply = replied("collect/answer@0", 20);
            if unknown {
                reply.body = reply.body.replace(",\"spent_usd\":0.002", "");
            }
            store.append(&lease, vec![asked("collect/answer@0", 10), reply, said("collect/answer@0", 21)]).await.expect("appended");
            store.append(&lease, turn("collect/answer@1", 30)).await.expect("appended");
            store.append(&lease, vec![verdict(&header.run, Status::Full, &[0; 32], 99)]).await.expect("appended");
            let costs = store.projection(&header.run).await.expect("read").costs;
            let expected = if unknown { None } else { Some(0.002) };
            assert_eq!(costs.iter().map(|cost| (cost.model.as_str(), cost.usd)).collect::<Vec<_>>(), [("opus", expected), ("gpt", Some(0.002))]);
            let run = store.run(&header.run).await.expect("a run");
            assert_eq!(store.unpriced(&run).await.expect("read"), if unknown { vec!["opus"] } else { vec![] });
        }
    });
}

#[test]
fn what_is_counted_as_spent_is_what_the_engine_counts() {
    let kinds = [FailureKind::Auth, FailureKind::RateLimited, FailureKind::Timeout, FailureKind::Server, FailureKind::ContextTooLong];
    let mut given = vec![];
    for (n, kind) in kinds.into_iter().enumerate() {
        let key = format!("collect/answer@{n}");
        given.extend([asked(&key, 10), failed(&key, kind, 20)]);
    }
    // Lost in a crash, asked again, and then turned away: the first may have been billed, the second cannot have been.
    given.extend([asked("c@0", 40), asked("c@0", 41).attempt(1), failed("c@0", FailureKind::Auth, 42)]);
    given.extend([asked("a@0", 30), asked("a@0", 31).attempt(1), replied("a@0", 32).attempt(1), said("a@0", 33), asked("b@0", 34)]);
    let mut ledger = Ledger::default();
    for row in &given {
        match row.kind {
            Kind::Asked => ledger.asked(&row.key, row.attempt, row.at, &serde_json::from_str(&row.body).expect("asked")),
            Kind::Replied => ledger.replied(&row.key, row.attempt, row.at, &serde_json::from_str(&row.body).expect("replied")),
            Kind::Failed => ledger.failed(&row.key, row.at, serde_json::from_str::<FailedTurn>(&row.body).expect("failed").failure.kind),
            _ => {}
        }
    }
    let mut previous = [0; 32];
    let mut rows = Vec::new();
    for (n, row) in given.into_iter().enumerate() {
        rows.push(row.seal("run", n as i64 + 1, 1, &previous));
        previous = rows[n].hash;
    }
    let projection = project(&rows);
    let close = |a: Option<f64>, b: Option<f64>| a.zip(b).is_some_and(|(a, b)| (a - b).abs() < 1e-12);
    assert!(close(projection.spent_usd, ledger.spent()), "{:?} and {:?}", projection.spent_usd, ledger.spent());
    let total: Option<f64> = projection.costs.iter().map(|cost| cost.usd).sum();
    assert!(close(total, ledger.spent()));
}

#[test]
fn a_lost_run_keeps_what_was_shown_and_has_no_message() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        for status in [Status::NoQuorum, Status::Failed] {
            let header = header(&new_run());
            council(&store, &header, status).await.expect("a run");
            let stages = store.stages(&header.run).await.expect("stages");
            assert_eq!(stages.len(), 5);
            assert!(stages.iter().all(|row| row.message_id.is_none()));
            let run = store.run(&header.run).await.expect("a run");
            assert_eq!((run.state, run.status.as_deref()), (RunState::Lost, Some(status.as_str())));
            assert!(store.verify(&header.run).await.expect("verified").intact());
        }
        assert_eq!(bed.count("messages").await, 0);
    });
}

/// A run that belongs to a conversation of its own.
async fn in_a_conversation(store: &Store) -> Header {
    let mut header = header(&new_run());
    let conversation = new_run();
    store.create_conversation(crate::conversations::named(&conversation, "t"), 1).await.expect("created");
    header.conversation = Some(conversation);
    header
}

#[test]
fn a_deadlock_without_an_answer_still_has_its_message() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let header = in_a_conversation(&store).await;
        let lease = store.create(&header, 1000, vec![]).await.expect("created");
        let mut row = verdict(&header.run, Status::Deadlock, &[0; 32], 99);
        let mut body: Verdict = serde_json::from_str(&row.body).expect("a verdict");
        body.answer = None;
        body.stop_reason = "tied after the last rung".into();
        row.body = serde_json::to_string(&body).expect("JSON");
        store.append(&lease, vec![row]).await.expect("appended");
        assert_eq!(bed.count("messages WHERE content = 'tied after the last rung' AND answer_kind IS NULL").await, 1);
        assert_eq!(store.run(&header.run).await.expect("a run").state, RunState::Complete);
    });
}

#[test]
fn a_stop_writes_numbers_and_a_resumed_run_ends_as_if_nothing_had_been() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let (header, lease) = begun(&store).await;
        deliberate(&store, &lease).await.expect("appended");
        store.append(&lease, vec![stopped(StopReason::Budget, 0, 3500)]).await.expect("stopped");
        store.release(&lease).await.expect("released");
        assert_eq!(store.run(&header.run).await.expect("a run").state, RunState::Stopped);
        let calls = async || store.usage(None, 0, 9000).await.expect("read").iter().map(|day| day.calls).sum::<u64>();
        assert_eq!((calls().await, bed.count("run_stats").await, bed.count("messages").await), (3, 1, 0));
        assert_eq!(store.stages(&header.run).await.expect("stages").len(), 5, "what it showed so far can be read");

        let lease = store.take(&header.run).await.expect("taken");
        assert_eq!(store.run(&header.run).await.expect("a run").state, RunState::Stopped, "until it says that it goes on");
        let resumed = Resumed { limits: header.limits, binary: "0.1.0".into() };
        store.append(&lease, vec![NewRow::new("", Kind::Resumed, 3600, &resumed)]).await.expect("resumed");
        assert_eq!(store.run(&header.run).await.expect("a run").state, RunState::Running);
        store.append(&lease, turn("more/answer@1", 3601)).await.expect("appended");
        store.append(&lease, vec![stopped(StopReason::Cancelled, 1, 3700)]).await.expect("stopped again");
        let resumed = NewRow::new("", Kind::Resumed, 3800, &resumed).attempt(1);
        let tail = store.append(&lease, vec![resumed]).await.expect("resumed");
        store.append(&lease, vec![verdict(&header.run, Status::Degraded, &tail.head, 4000)]).await.expect("ended");
        assert_eq!((calls().await, bed.count("run_stats").await), (4, 1));
        let checked = store.verify(&header.run).await.expect("verified");
        assert!(checked.intact(), "{:?}", checked.faults);
        assert_eq!(store.run(&header.run).await.expect("a run").status.as_deref(), Some("degraded"));
    });
}

#[test]
fn a_run_without_rows_in_between_can_be_read_while_it_goes_on() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let (header, lease) = begun(&store).await;
        store.append(&lease, vec![asked("collect/answer@0", 5)]).await.expect("appended");
        let read = store.projection(&header.run).await.expect("read");
        assert_eq!((read.turns.len(), read.turns[0].outcome), (1, TurnOutcome::Asked));
        assert_eq!((read.costs[0].calls, read.costs[0].usd), (1, Some(0.01)), "reserved until settled");
        assert_eq!(store.stages(&header.run).await.expect("stages"), []);
    });
}

#[test]
fn words_copied_from_a_parent_run_are_shown_from_the_journal() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let (header, lease) = begun(&store).await;
        let copied = Said {
            value: serde_json::json!({"reasons": "r", "choice": "K1"}),
            reading: Reading::Plain,
            partial: false,
            from: Some("parent".into()),
            ms: None,
        };
        store.append(&lease, vec![NewRow::new("vote/ballot@1", Kind::Said, 5, &copied)]).await.expect("appended");
        let exhibit = Exhibit::new("Ballot", Shape::Ballot(Ballot::default())).by(1, "voter").turn("vote/ballot@1");
        store.append(&lease, vec![shown("vote/shown@1", "ballots", exhibit, 6)]).await.expect("appended");
        let broken = Exhibit::said("Answer", 2, "respondent", "never/asked@2");
        store.append(&lease, vec![shown("shown@2", "ballots", broken, 7)]).await.expect("appended");
        let stages = store.stages(&header.run).await.expect("stages");
        assert_eq!(stages[0].content, "{\"reasons\":\"r\",\"choice\":\"K1\"}");
        assert_eq!(stages[1].content, "{\"kind\":\"statement\"}", "nothing was said: the exhibit itself");
        assert_eq!(store.projection(&header.run).await.expect("read").turns[0].tries, 0, "nothing was asked here");
    });
}

#[test]
fn a_reply_with_a_nul_can_be_stored_and_verified() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let mut header = header(&new_run());
        header.question.text = format!("zero\u{0}{}", "é".repeat(600));
        let lease = store.create(&header, 1000, vec![]).await.expect("created");
        let raw = serde_json::to_string(&Reply::text("a\u{0}b")).expect("JSON");
        let body = Replied {
            raw_sha256: sha256_hex(&raw),
            finish: Finish::Stop,
            usage: None,
            spent_usd: None,
            ms: 1,
            changed: Vec::new(),
            claimed: None,
            overran: false,
        };
        let reply = NewRow::new("a@0", Kind::Replied, 5, &body).raw(raw);
        store.append(&lease, vec![asked("a@0", 4), reply]).await.expect("appended");
        let tail = store.append(&lease, vec![shown("s", "collect", Exhibit::said("A", 0, "r", "a@0"), 6)]).await.expect("appended");
        store.append(&lease, vec![verdict(&header.run, Status::Full, &tail.head, 7)]).await.expect("ended");
        assert_eq!(store.stages(&header.run).await.expect("stages")[0].content, "a\u{fffd}b");
        assert!(store.verify(&header.run).await.expect("verified").intact());
        assert_eq!(store.run(&header.run).await.expect("a run").question.chars().count(), 500);
    });
}

#[test]
fn a_rebuild_gives_what_was_there() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        let header = in_a_conversation(&store).await;
        council(&store, &header, Status::Full).await.expect("a run");
        let id = header.conversation.as_deref().expect("one");
        let kept = async || (store.conversation(id).await, store.messages(id).await, store.usage(None, 0, 9000).await);
        let before = kept().await;
        bed.sql("DELETE FROM messages").await;
        bed.sql("DELETE FROM run_stats").await;
        store.rebuild(&header.run).await.expect("rebuilt");
        assert_eq!(kept().await, before);
        assert!(store.rebuild("nobody").await.is_err());
    });
}
