//! A fork pays only for what it changes; a changed prompt halts a resume before anything is paid.

use crate::{ended, voices};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use synod_engine::{LimitChanges, Mode, Record, RunSpec, Today};
use synod_testkit::counted::CountedModels;
use synod_testkit::reading::keys;
use synod_testkit::rig::{Rig, order, stopped};
use synod_testkit::tripwire::{Act, Moment, Tripwire};
use synod_testkit::voices::Voices;
use synod_types::{Body, Failure, FailureKind, Kind, Price, Row, Status, StopReason, seat_of};

every_mode!(
    #[tokio::test]
    another_chair_costs_only_the_chairs_turns
);
async fn another_chair_costs_only_the_chairs_turns(mode: &'static Mode) {
    let price = Price { input: 1.0, cached_input: None, output: 2.0 };
    for seed in 0..6 {
        let step = format!("{} seed {seed}, forked with another chair", mode.id);
        let rig = Rig::new(Arc::new(Voices::default().priced(price)));
        let (parent, ending) = rig.run(&order(mode, seed)).await;
        let first = ended(&rig, &parent, ending, &step).await;
        let rows = rig.rows(&parent).await;
        let mut again = RunSpec::again(&Record::of(&rows).expect("readable rows"));
        let chair = again.panel.models.len() as u32;
        again.panel.chair = again.panel.chair.map(|_| "another".to_owned());
        let counted = Arc::new(CountedModels::new(rig.models.clone()));
        let rig = rig.models(counted.clone());
        let (run, ending) = rig.run(&again).await;
        let verdict = ended(&rig, &run, ending, &step).await;
        let asked: BTreeSet<String> = counted.calls().into_keys().collect();
        let of_chair: BTreeSet<String> = keys(&rows, Kind::Said).into_keys().filter(|key| seat_of(key) == Some(chair)).collect();
        assert_eq!(asked, of_chair, "{step}");
        let forked = rig.rows(&run).await;
        for row in forked.iter().filter(|row| row.kind == Kind::Said && seat_of(&row.key) != Some(chair)) {
            let Ok(Body::Said(said)) = row.body() else { panic!("{step}: row {} is not readable", row.seq) };
            assert_eq!(said.from.as_deref(), Some(parent.as_str()), "{step}: {}", row.key);
        }
        assert_eq!(verdict.parent.as_deref(), Some(parent.as_str()), "{step}");
        assert_eq!(verdict.receipt.calls.planned as usize, of_chair.len(), "{step}: copied turns are no calls");
        assert!(verdict.receipt.spent_usd < first.receipt.spent_usd, "{step}: {:?}", verdict.receipt);
        if of_chair.is_empty() {
            assert_eq!(verdict.receipt.spent_usd, Some(0.0), "{step}: nothing was asked, nothing spent");
        }
    }
}

/// What was said, by key, and the digest of what it was said to.
fn said(rows: &[Row]) -> BTreeMap<String, String> {
    rows.iter().filter(|row| row.kind == Kind::Said).map(|row| (row.key.clone(), row.digest.clone().unwrap_or_default())).collect()
}

every_mode!(
    #[tokio::test]
    a_lost_or_poorer_run_is_forked_from_what_was_paid_for
);
async fn a_lost_or_poorer_run_is_forked_from_what_was_paid_for(mode: &'static Mode) {
    let dead = Voices::default().scripted(|card, _, _| (card.name != "m0").then(|| Err(Failure::new(FailureKind::Auth, "no key"))));
    let rig = Rig::new(Arc::new(dead));
    let (parent, ending) = rig.run(&order(mode, 3)).await;
    let lost = ended(&rig, &parent, ending, mode.id).await;
    assert!(matches!(lost.status, Status::NoQuorum | Status::Degraded), "{}: one seat alone: {:?}", mode.id, lost.status);
    let paid = said(&rig.rows(&parent).await);
    assert!(!paid.is_empty(), "{}: seat 0 spoke", mode.id);
    let counted = Arc::new(CountedModels::new(voices()));
    let rig = rig.models(counted.clone());
    let again = RunSpec::again(&Record::of(&rig.rows(&parent).await).expect("readable rows"));
    let (run, ending) = rig.run(&again).await;
    let verdict = ended(&rig, &run, ending, mode.id).await;
    assert_eq!(verdict.status, Status::Full, "{}: {:?}", mode.id, verdict.missing);
    // A turn that reads what is new is another turn.
    let now = said(&rig.rows(&run).await);
    let asked = counted.calls();
    let twice: Vec<&String> =
        paid.iter().filter(|(key, digest)| asked.contains_key(*key) && now.get(*key) == Some(digest)).map(|(key, _)| key).collect();
    assert!(twice.is_empty(), "{}: paid twice: {twice:?}", mode.id);
}

every_mode!(
    #[tokio::test]
    a_changed_prompt_halts_a_resume_names_the_key_and_asks_nobody
);
async fn a_changed_prompt_halts_a_resume_names_the_key_and_asks_nobody(mode: &'static Mode) {
    let calm = Rig::new(voices());
    let (run, ending) = calm.run(&order(mode, 5)).await;
    let want = ended(&calm, &run, ending, mode.id).await;
    let last = calm.rows(&run).await.len() as u64;
    // Stopped just before its verdict: every prompt that was needed has rows.
    let wire = Arc::new(Tripwire::new(calm.journal.clone(), last, Moment::Before, Act::Refuse));
    let (run, ending) = calm.clone().journal(wire).run(&order(mode, 5)).await;
    stopped(ending);
    let asked: BTreeSet<String> = calm
        .rows(&run)
        .await
        .iter()
        .filter_map(|row| match row.body() {
            Ok(Body::Asked(asked)) => Some(asked.prompt),
            _ => None,
        })
        .collect();
    for prompt in asked {
        let step = format!("{} with another {prompt:?}", mode.id);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (_, text) = mode.prompts.iter().find(|(name, _)| *name == prompt).expect("a prompt of the mode");
        std::fs::create_dir_all(folder.path().join(mode.id)).expect("a folder");
        std::fs::write(folder.path().join(mode.id).join(format!("{prompt}.md")), format!("{text}\nBe brief.\n")).expect("a file");
        let counted = Arc::new(CountedModels::new(voices()));
        let rig = calm.clone().models(counted.clone()).prompts(folder.path());
        let halt = stopped(rig.resume(&run, LimitChanges::default()).await);
        assert_eq!(halt.reason, StopReason::Diverged, "{step}: {}", halt.detail);
        assert!(halt.detail.contains(&format!("{prompt}@")), "{step}: the key is not named: {}", halt.detail);
        assert_eq!(halt.action, synod_types::Action::Fork, "{step}");
        assert_eq!(counted.total(), 0, "{step}: somebody was asked");
    }
    let ending = calm.resume(&run, LimitChanges::default()).await;
    let got = ended(&calm, &run, ending, mode.id).await;
    assert_eq!(got.essence(), want.essence(), "{}: with the old prompts back it goes on", mode.id);
}

#[tokio::test]
async fn a_fork_keeps_its_parents_date_and_has_none_where_the_parent_had_none() {
    let mode = &synod_modes::vote::MODE;
    for given in [Today::Given("2025-12-31".into()), Today::Unknown, Today::Clock] {
        let rig = Rig::new(voices());
        let (parent, _) = rig.run(&RunSpec { today: given.clone(), ..order(mode, 1) }).await;
        let record = Record::of(&rig.rows(&parent).await).expect("readable rows");
        let date = record.header.today.clone();
        match given {
            Today::Given(given) => assert_eq!(date, Some(given)),
            Today::Unknown => assert_eq!(date, None),
            Today::Clock => assert!(date.as_deref().is_some_and(synod_types::is_date), "{date:?}"),
        }
        let (fork, _) = rig.run(&RunSpec::again(&record)).await;
        assert_eq!(Record::of(&rig.rows(&fork).await).expect("readable rows").header.today, date);
    }
    let wrong = RunSpec { today: Today::Given("1 March".into()), ..order(mode, 1) };
    let problems = Rig::new(voices()).runner().plan(&wrong).await.err().expect("no date");
    assert_eq!(problems.0.iter().map(|problem| problem.field.as_str()).collect::<Vec<_>>(), ["today"]);
}
