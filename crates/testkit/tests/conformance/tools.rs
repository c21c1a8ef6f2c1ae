//! Tool loops: every call under its own key, replayed and never repeated, and the last request offers no tools.

use crate::ended;
use serde_json::json;
use std::sync::Arc;
use synod_engine::{LimitChanges, Models};
use synod_testkit::counted::CountedModels;
use synod_testkit::reading::{asked_after_reply, difference, journal_set, keys};
use synod_testkit::rig::{Rig, order, stopped};
use synod_testkit::tiny::{Abacus, TINY, TOOLS};
use synod_testkit::tripwire::{Act, Moment, Tripwire};
use synod_testkit::voices::Voices;
use synod_types::{Finish, Kind, Message, Reply, Search, Source, ToolCall, ToolRun};

/// Calls the tool twice in its first reply and once in its second, whatever it is told; speaks when it has no tools.
fn eager() -> Arc<dyn Models> {
    Arc::new(Voices::default().scripted(|_, request, _| {
        let heard = request.messages.iter().filter(|message| matches!(message, Message::Tool { .. })).count() as i64;
        if request.tools.is_empty() {
            return Some(Ok(Reply::text(format!("After {heard} sums I am done."))));
        }
        let call = |n: i64| ToolCall { id: format!("c{heard}{n}"), name: "add".into(), input: json!({"a": heard, "b": n}) };
        let tool_calls = if heard == 0 { vec![call(1), call(2)] } else { vec![call(3)] };
        Some(Ok(Reply { tool_calls, finish: Finish::ToolCalls, ..Reply::text("") }))
    }))
}

/// Its provider searches before it calls, and again before it speaks.
fn searching() -> Arc<dyn Models> {
    Arc::new(Voices::default().scripted(|_, request, _| {
        let after = request.messages.iter().any(|message| matches!(message, Message::Tool { .. }));
        let source = Source { title: "Sums".into(), url: "https://sums.test".into() };
        let search = Some(Search { queries: vec![if after { "second" } else { "first" }.into()], found: vec![source] });
        let call = ToolCall { id: "c".into(), name: "add".into(), input: json!({"a": 1, "b": 2}) };
        Some(Ok(match after {
            true => Reply { search, ..Reply::text("Three.") },
            false => Reply { search, tool_calls: vec![call], finish: Finish::ToolCalls, ..Reply::text("") },
        }))
    }))
}

#[tokio::test]
async fn a_search_of_the_providers_own_is_kept_among_the_tools() {
    let rig = Rig::new(searching()).modes(TINY);
    let before = synod_engine::Clock::now(&synod_engine::SystemClock);
    let (run, ending) = rig.run(&order(&TOOLS, 1)).await;
    let want = ended(&rig, &run, ending, "search").await;
    let rows = rig.rows(&run).await;
    let used: Vec<(String, ToolRun)> =
        rows.iter().filter(|row| row.kind == Kind::Tool).map(|row| (row.key.clone(), row.read().expect("a tool run"))).collect();
    let brief: Vec<(&str, &str, &str)> = used.iter().map(|(key, run)| (key.as_str(), run.name.as_str(), run.output.as_str())).collect();
    assert_eq!(
        brief,
        [
            ("work/say@0/tool 1/call 0", "web_search", "Sums <https://sums.test>"),
            ("work/say@0/tool 1/call 1", "add", "3"),
            ("work/say@0/tool 2/call 0", "web_search", "Sums <https://sums.test>"),
        ]
    );
    assert_eq!(used[2].1.input, json!({"query": "second"}));
    assert!(used.iter().all(|(_, run)| run.at >= before), "each with its time: {used:?}");
    let want_set = journal_set(&rows);
    for row in 2..=rows.len() as u64 {
        let rig = Rig::new(searching()).modes(TINY);
        let wire = Arc::new(Tripwire::new(rig.journal.clone(), row, Moment::After, Act::Refuse));
        let (run, ending) = rig.clone().journal(wire).run(&order(&TOOLS, 1)).await;
        stopped(ending);
        let ending = rig.resume(&run, LimitChanges::default()).await;
        let got = ended(&rig, &run, ending, "search").await;
        assert_eq!(got.essence(), want.essence(), "row {row}");
        let differs = difference(&want_set, &journal_set(&rig.rows(&run).await));
        assert!(differs.is_empty(), "row {row}: another journal\n{differs}");
    }
}

#[tokio::test]
async fn every_tool_call_is_journaled_under_its_own_key_and_none_is_repeated() {
    let counted = Arc::new(CountedModels::new(eager()));
    let calm = Rig::new(counted.clone()).modes(TINY);
    let (run, ending) = calm.run(&order(&TOOLS, 1)).await;
    let want = ended(&calm, &run, ending, "tools").await;
    assert_eq!(want.answer.as_ref().map(|answer| answer.text.as_str()), Some("After 3 sums I am done."));
    let rows = calm.rows(&run).await;
    let used: Vec<String> = keys(&rows, Kind::Tool).into_keys().collect();
    assert_eq!(used, ["work/say@0/tool 1/call 0", "work/say@0/tool 1/call 1", "work/say@0/tool 2/call 0"]);
    let requests = counted.requests();
    let offered: Vec<usize> = requests.iter().map(|(_, request)| request.tools.len()).collect();
    assert_eq!(offered, [1, 1, 0], "the last request of the loop carries no tools");
    let calls = want.receipt.calls;
    assert_eq!((calls.planned, calls.extra), (1, Abacus::STEPS));
    let want_set = journal_set(&rows);
    for row in 2..=rows.len() as u64 {
        for moment in [Moment::Before, Moment::After] {
            let step = format!("tools, {} row {row}", moment.as_str());
            let rig = Rig::new(eager()).modes(TINY);
            let wire = Arc::new(Tripwire::new(rig.journal.clone(), row, moment, Act::Refuse));
            let (run, ending) = rig.clone().journal(wire).run(&order(&TOOLS, 1)).await;
            stopped(ending);
            let kept = keys(&rig.rows(&run).await, Kind::Tool).len() as u32;
            let before = Abacus::used();
            let ending = rig.resume(&run, LimitChanges::default()).await;
            let again = Abacus::used() - before;
            let got = ended(&rig, &run, ending, &step).await;
            assert_eq!(got.essence(), want.essence(), "{step}");
            assert_eq!(again, 3 - kept, "{step}: {kept} results were in the journal");
            let rows = rig.rows(&run).await;
            let differs = difference(&want_set, &journal_set(&rows));
            assert!(differs.is_empty(), "{step}: another journal\n{differs}");
            assert_eq!(asked_after_reply(&rows), Vec::<String>::new(), "{step}");
        }
    }
}
