//! The stored rows of a run: stage names, order, who, and the parsed data each mode promises.

use crate::voices;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;
use synod_engine::{Mode, schema};
use synod_store::{StageRow, Store, StoreSettings};
use synod_testkit::rig::{Rig, order, verdict};
use synod_types::Status;

/// Checks every row against its promise; returns the promises kept, by place, in order of first appearance.
///
/// Where stages come round again, one that not every round has may first appear in a later round: after the row before it, in the mode's order.
fn check(mode: &Mode, rows: &[StageRow], step: &str) -> Vec<usize> {
    let mut kept: Vec<usize> = Vec::new();
    let mut before = 0;
    for row in rows {
        let Some(place) = mode.stages.iter().position(|stage| stage.covers(&row.stage_type) && stage.held_by(row.role.as_deref())) else {
            panic!("{step}: nobody promised a stage {} by {:?}", row.stage_type, row.role)
        };
        let stage = &mode.stages[place];
        let spoken = stage.role.is_some();
        assert_eq!(row.model.is_some(), spoken, "{step}: {}", row.stage_type);
        assert_eq!(row.response_time_ms.is_some(), spoken, "{step}: {} has a response time if somebody spoke", row.stage_type);
        assert!(!row.content.is_empty(), "{step}: {} has content", row.stage_type);
        let parsed: Value = serde_json::from_str(row.parsed_data.as_deref().unwrap_or("null")).expect("JSON");
        let misfits = schema::mismatches(&stage.schema(), &parsed);
        assert!(misfits.is_empty(), "{step}: {} does not fit its type: {misfits:?}\n{parsed}", row.stage_type);
        if !kept.contains(&place) {
            assert!(place >= before, "{step}: {} out of order in {:?}", row.stage_type, rows.iter().map(|row| &row.stage_type).collect::<Vec<_>>());
            kept.push(place);
        }
        before = place;
    }
    kept
}

every_mode!(
    #[tokio::test]
    stored_rows_carry_what_each_mode_promises
);
async fn stored_rows_carry_what_each_mode_promises(mode: &'static Mode) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("synod.db").display().to_string();
    let store = Arc::new(Store::open(&path, StoreSettings::default()).await.expect("the store opens"));
    let rig = Rig::new(voices()).journal(store.clone());
    let mut seen: BTreeSet<usize> = BTreeSet::new();
    for seed in 0..24 {
        let step = format!("{}, seed {seed}", mode.id);
        let mut order = order(mode, seed);
        // Panels of every size: byes, for one, come with some of them only. Where options make the seats, the size is theirs to say.
        let seated = (order.panel.models.len() + usize::from(order.panel.chair.is_some())) as u32;
        if (mode.seats_from_options)(&synod_types::Json::of(&(mode.option_defaults)()), order.panel.models.len()).is_empty() {
            let more = seed as u32 % (mode.seats.1.saturating_sub(seated) + 1);
            order.panel.models.extend((0..more).map(|n| format!("more{n}")));
        }
        if seed % 2 == 0 {
            order.question.content = Some("cron runs forty jobs, and three of them fail every week.".into());
        }
        let (run, ending) = rig.run(&order).await;
        assert!(matches!(verdict(ending).status, Status::Full | Status::Degraded), "{step}");
        let rows = store.stages(&run).await.expect("stages");
        seen.extend(check(mode, &rows, &step));
        assert!(rows.iter().all(|row| row.message_id.is_some()), "{step}: they belong to the answer's message");
    }
    let usual = mode.stages.iter().enumerate().filter(|(_, stage)| !stage.stand_in);
    let never: Vec<&str> = usual.filter(|(place, _)| !seen.contains(place)).map(|(_, stage)| stage.name).collect();
    assert!(never.is_empty(), "{}: never seen in 24 runs: {never:?}", mode.id);
}

/// The check above must be able to fail: a null where the type has no null, a field nobody declared, a field that is left out.
#[test]
fn a_row_that_does_not_fit_its_type_is_found() {
    #[derive(schemars::JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Row {
        label: String,
        votes: Option<u32>,
    }
    let stage = synod_engine::Stage::from_seat::<Row>("vote", "voter");
    let misfits = |row: Value| schema::mismatches(&stage.schema(), &row).into_iter().map(|problem| problem.field).collect::<Vec<_>>();
    let none: [&str; 0] = [];
    assert_eq!(misfits(serde_json::json!({"label": "K3", "votes": null, "responseTimeMs": 5})), none);
    assert_eq!(misfits(serde_json::json!({"label": null, "votes": 2, "responseTimeMs": 5})), ["label"]);
    assert_eq!(misfits(serde_json::json!({"label": "K3", "responseTimeMs": 5})), ["votes"]);
    assert_eq!(misfits(serde_json::json!({"label": "K3", "votes": 1})), ["responseTimeMs"]);
    assert_eq!(misfits(serde_json::json!({"label": "K3", "votes": 1, "of": 3, "responseTimeMs": 5})), ["of"]);
}
