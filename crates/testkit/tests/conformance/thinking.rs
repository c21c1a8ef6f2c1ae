//! Models that think before they speak, on a real socket: no seat is lost to it, little is asked twice, all of it is counted, and budgets hold.

use crate::ended;
use std::collections::BTreeMap;
use synod_config::{EndpointConfig, EndpointKind};
use synod_engine::{Ending, Mode, RunSpec};
use synod_modes::{council, debate, jury, vote};
use synod_testkit::rig::{Rig, order};
use synod_testkit::served::{served, served_at};
use synod_testkit::server::{ANY, Form, ModelServer, Say, Thinking};
use synod_types::{Asked, Body, Kind, Ledger, Price, Row, Status, StopReason};

fn names(order: &RunSpec) -> Vec<String> {
    order.panel.models.iter().chain(&order.panel.chair).chain(&order.panel.light).cloned().collect()
}

/// A model, and the effort it was asked for.
type Who = (String, String);

/// Asked rows, and for each model and effort how many first tries went out before its first reply came.
fn tries(rows: &[Row]) -> (Vec<(String, Asked)>, BTreeMap<Who, usize>) {
    let (mut asked, mut blind, mut known) = (Vec::new(), BTreeMap::new(), Vec::new());
    let of = |asked: &Asked| (asked.model.clone(), asked.effort.map_or_else(String::new, |effort| effort.to_string()));
    for row in rows {
        match row.body() {
            Ok(Body::Asked(one)) => {
                if !row.key.ends_with("/room") && !known.contains(&of(&one)) {
                    *blind.entry(of(&one)).or_default() += 1;
                }
                asked.push((row.key.clone(), one));
            }
            Ok(Body::Replied(_)) => {
                if let Some((_, one)) = asked.iter().find(|(key, _)| *key == row.key) {
                    known.push(of(one));
                }
            }
            _ => {}
        }
    }
    (asked, blind)
}

async fn runs_full(mode: &'static Mode, thinking: Thinking) {
    let step = format!("{} with {} tokens of thought, {:?}", mode.id, thinking.tokens, thinking.form);
    let server = ModelServer::start().await;
    server.thinks(ANY, thinking);
    let order = order(mode, 5);
    let rig = Rig::new(served(&server.url(), &names(&order)));
    let (run, ending) = rig.run(&order).await;
    let verdict = ended(&rig, &run, ending, &step).await;
    let rows = rig.rows(&run).await;
    // Escalated: all spoke, and what these replies by lot say is for a person to decide.
    assert!(matches!(verdict.status, Status::Full | Status::Escalated), "{step}: {:?} {:?}", verdict.status, verdict.missing);
    assert!(verdict.missing.is_empty(), "{step}: {:?}", verdict.missing);
    let (asked, blind) = tries(&rows);
    let mut rooms: BTreeMap<Who, usize> = BTreeMap::new();
    for (key, one) in &asked {
        assert!(!key.ends_with("/effort"), "{step}: {key}");
        assert!(one.sent_tokens.is_some_and(|sent| sent > one.max_tokens), "{step}: {key} has no room to think");
        if key.ends_with("/room") {
            assert!(one.extra, "{step}: {key} is an extra call");
            *rooms.entry((one.model.clone(), one.effort.map_or_else(String::new, |effort| effort.to_string()))).or_default() += 1;
        }
    }
    for (model, tries) in rooms {
        let blind = blind.get(&model).copied().unwrap_or(0);
        // On the other thread one more may have been made ready while the first reply came in.
        assert!(tries <= blind + 1, "{step}: {model:?} was given more room {tries} times, and {blind} calls went out before its first reply");
    }
    let tokens = verdict.receipt.tokens;
    let thought = tokens.thinking.unwrap_or(0);
    let calls = Ledger::of(&rows).requests().len() as u64;
    // Where a limit was met less was thought than was meant to be.
    assert!(thought > 0 && thought <= tokens.output, "{step}: {tokens:?}");
    assert!(thinking.tokens > 8_000 || thought + calls >= calls * thinking.tokens * 95 / 100, "{step}: {thought} in {calls} calls");
}

every_mode!(
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    every_mode_ends_full_with_models_that_think
);
async fn every_mode_ends_full_with_models_that_think(mode: &'static Mode) {
    for (tokens, form) in [(1_000, Form::Hidden), (5_000, Form::Hidden), (20_000, Form::Hidden), (5_000, Form::Tags)] {
        runs_full(mode, Thinking::of(tokens, form)).await;
    }
}

/// A first reply of cut words, crowded by thought, and no money for more room: the words are used, and the run goes on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn words_that_were_cut_are_used_where_more_room_is_too_dear() {
    let price = Price { input: 0.0, cached_input: None, output: 100.0 };
    let mode = &synod_modes::council::MODE;
    let server = ModelServer::start().await;
    server.thinks("m0", Thinking::of(100, Form::Hidden));
    // It thinks until its words are cut, the first time it is asked.
    server.reply("m0", |ask| match ask.number {
        1..=3 => Say {
            thinking: Thinking::of(ask.max_tokens.unwrap_or(0) - 4, Form::Hidden),
            ..Say::text("Queues keep what cron forgets, and so on and on.")
        },
        _ => Say::by_default(ask, 8),
    });
    let order = RunSpec { budget_usd: Some(1.5), ..order(mode, 5) };
    let endpoint = EndpointConfig {
        retries: 0,
        breaker_failures: 0,
        thinking_tokens: Some(4_000),
        concurrency: 1,
        ..EndpointConfig::new(EndpointKind::OpenAi, server.url())
    };
    let rig = Rig::new(served_at(endpoint, Some(price), &names(&order)));
    let (run, ending) = rig.run(&order).await;
    let rows = rig.rows(&run).await;
    assert!(Ledger::of(&rows).committed() <= 1.5 + 1e-9);
    let said = rows.iter().find(|row| row.kind == Kind::Said && row.key.ends_with("@0")).expect("it spoke");
    assert!(said.body.contains("partial"), "{}", said.body);
    assert!(!rows.iter().any(|row| row.key.ends_with("/room") && row.kind == Kind::Asked), "there was no money for it");
    if let Ending::Verdict(verdict) = ending {
        assert!(verdict.warnings.iter().any(|warning| warning.contains("was cut at its limit")), "{:?}", verdict.warnings);
    }
}

/// Whatever is thought, no run costs more than it may; and room to think is given up before the run is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_budget_holds_and_room_is_given_up_before_the_run_is() {
    let price = Price { input: 3.0, cached_input: None, output: 15.0 };
    let (mut shrunk, mut finished) = (0, 0);
    for mode in [&council::MODE, &vote::MODE, &debate::MODE, &jury::MODE] {
        for budget in [0.05, 0.2, 0.6, 2.0] {
            let server = ModelServer::start().await;
            server.thinks(ANY, Thinking::of(900, Form::Hidden));
            let order = RunSpec { budget_usd: Some(budget), ..order(mode, 5) };
            let endpoint = EndpointConfig { retries: 0, breaker_failures: 0, ..EndpointConfig::new(EndpointKind::OpenAi, server.url()) };
            let rig = Rig::new(served_at(endpoint, Some(price), &names(&order)));
            let (run, ending) = rig.run(&order).await;
            let rows = rig.rows(&run).await;
            let step = format!("{} with {budget}", mode.id);
            assert!(Ledger::of(&rows).committed() <= budget + 1e-9, "{step}");
            let (asked, _) = tries(&rows);
            for (key, one) in &asked {
                let sent = one.sent_tokens.expect("recorded");
                assert!(sent >= one.max_tokens, "{step}: {key} has no room for its words");
                shrunk += usize::from(sent < one.max_tokens + 4_096);
            }
            match ending {
                Ending::Verdict(_) => finished += 1,
                Ending::Stopped(stopped) => assert_eq!(stopped.reason, StopReason::Budget, "{step}: {}", stopped.detail),
            }
        }
    }
    assert!(shrunk > 0 && finished > 0, "{shrunk} shrunk, {finished} finished");
}
