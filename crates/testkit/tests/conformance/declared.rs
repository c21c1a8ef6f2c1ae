//! What a mode declares about itself is true of its runs.

use crate::{ended, voices};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use synod_engine::{Counted, Mode, OptionValue, RoleHolder, options, schema};
use synod_testkit::counted::CountedModels;
use synod_testkit::reading::transcript;
use synod_testkit::rig::{Rig, order, varied};
use synod_types::{Body, Kind, Place, Request, Status};

every_mode!(
    #[tokio::test]
    options_parse_from_defaults_and_the_schema_accepts_them
);
async fn options_parse_from_defaults_and_the_schema_accepts_them(mode: &'static Mode) {
    let defaults = (mode.option_defaults)();
    let schema = (mode.options_schema)();
    assert_eq!(schema::flaw(&schema), None, "{}", mode.id);
    let wrong = schema::mismatches(&schema, &defaults);
    assert!(wrong.is_empty(), "{}: the schema refuses the defaults: {wrong:?}", mode.id);
    let problems = options::resolve(mode, &[]).err().unwrap_or_default();
    assert!(problems.is_empty(), "{}: {problems:?}", mode.id);
    let properties = schema["properties"].as_object().expect("options are an object");
    for (name, property) in properties {
        assert!(property["description"].is_string(), "{}: option {name} has no help text", mode.id);
    }
}

every_mode!(
    #[tokio::test]
    phases_and_calls_are_as_declared
);
async fn phases_and_calls_are_as_declared(mode: &'static Mode) {
    for seed in 0..12 {
        let rig = Rig::new(voices());
        let step = format!("{} seed {seed}", mode.id);
        let (run, ending) = rig.run(&order(mode, seed)).await;
        let verdict = ended(&rig, &run, ending, &step).await;
        let rows = rig.rows(&run).await;
        let Ok(Body::Header(header)) = rows[0].body() else { panic!("{step}: the first row is no header") };
        let (least, most) = header.planned_calls;
        let planned = verdict.receipt.calls.planned;
        assert!(verdict.status == Status::Full || verdict.status == Status::Deadlock, "{step}: {:?} {:?}", verdict.status, verdict.missing);
        assert!((least..=most).contains(&planned), "{step}: {planned} calls, declared {least} to {most}");
        assert_eq!(verdict.receipt.calls.extra, 0, "{step}: a run without faults needs no extra call");
        let mut at = 0;
        for row in rows.iter().filter(|row| row.kind == Kind::Phase && !row.key.contains('/')) {
            let Ok(Body::Phase(mark)) = row.body() else { panic!("{step}: row {} is no phase", row.seq) };
            let place = mode.phases.iter().position(|phase| *phase == mark.name).unwrap_or_else(|| panic!("{step}: {} is not declared", mark.name));
            assert!(place >= at, "{step}: {} comes out of order", mark.name);
            at = place;
        }
        let begun = rows.iter().filter(|row| row.kind == Kind::Phase).count();
        let over = rows.iter().filter(|row| row.kind == Kind::PhaseEnd).count();
        assert_eq!((begun > 0, begun), (true, over), "{step}: every phase ends");
        assert_eq!(rows.iter().filter(|row| row.kind == Kind::Verdict).count(), 1, "{step}");
    }
}

every_mode!(
    #[tokio::test]
    content_of_white_space_is_no_content
);
async fn content_of_white_space_is_no_content(mode: &'static Mode) {
    let mut read = Vec::new();
    for content in [None, Some(" \n\t".to_owned())] {
        let counted = Arc::new(CountedModels::new(voices()));
        let rig = Rig::new(counted.clone());
        let mut order = order(mode, 3);
        order.question.content = content;
        let (run, ending) = rig.run(&order).await;
        ended(&rig, &run, ending, mode.id).await;
        let asked: BTreeMap<String, Request> = counted.requests().into_iter().collect();
        read.push((transcript(&rig.rows(&run).await), asked));
    }
    assert_eq!(read[0], read[1], "{}", mode.id);
}

every_mode!(
    #[tokio::test]
    whoever_is_named_for_a_seat_apart_takes_it_and_nobody_leaves_the_panel
);
async fn whoever_is_named_for_a_seat_apart_takes_it_and_nobody_leaves_the_panel(mode: &'static Mode) {
    let Some(role) = mode.roles.iter().find(|role| role.held == RoleHolder::ChairApart) else { return };
    let rig = Rig::new(voices());
    let mut order = order(mode, 1);
    order.panel.roles = order.panel.chair.take().map(|chair| (role.name.to_owned(), chair)).into_iter().collect();
    let plan = rig.runner().plan(&order).await.expect("the order is sound");
    let seats: Vec<&str> = plan.header.panel().map(|seat| seat.model.as_str()).collect();
    // Models are dealt round where the options make the seats.
    let laid = (mode.seats_from_options)(&plan.header.options, seats.len()).len().max(order.panel.models.len());
    assert_eq!(seats, order.panel.models.iter().cycle().take(laid).collect::<Vec<_>>(), "{}", mode.id);
    let [held] = plan.header.role(role.name) else { panic!("{}: one seat holds {}", mode.id, role.name) };
    assert_eq!(plan.header.seat(*held).map(|seat| seat.model.as_str()), Some("chair"), "{}", mode.id);
    let sitting = plan.header.seats.iter().filter(|seat| seat.place != Place::Clerk).count();
    assert_eq!(sitting, laid + 1, "{}: nobody sits idle", mode.id);
}

every_mode!(
    #[tokio::test]
    figures_are_those_the_mode_declares
);
/// Figures are counted by what a mode says of them.
async fn figures_are_those_the_mode_declares(mode: &'static Mode) {
    let mut unseen: BTreeSet<&str> = mode.figures.iter().map(|kind| kind.name).collect();
    assert_eq!(unseen.len(), mode.figures.len(), "{}: each once", mode.id);
    for seed in 0..40 {
        let rig = Rig::new(voices());
        let mut order = varied(mode, seed);
        // Agreement is measured from four ballots on.
        if seed % 2 == 1 {
            order.panel.models = (0..6).map(|n| format!("m{n}")).collect();
            order.panel.may_shrink = true;
        }
        // Lists of choices that nobody fills in by default.
        if seed == 3 {
            let (schema, defaults) = ((mode.options_schema)(), (mode.option_defaults)());
            let choices = schema["properties"].as_object().into_iter().flatten().filter(|(name, _)| defaults[name.as_str()] == serde_json::json!([]));
            let first = choices.filter_map(|(name, property)| Some((name.clone(), schema::choices(&property["items"]).into_iter().next()?)));
            order.options = first.map(|(name, choice)| (name, OptionValue::json(serde_json::json!([choice])))).collect();
        }
        let step = format!("{} seed {seed}", mode.id);
        let (run, ending) = rig.run(&order).await;
        ended(&rig, &run, ending, &step).await;
        for row in rig.rows(&run).await {
            let Ok(Body::Figure(figure)) = row.body() else { continue };
            let kind = mode.figures.iter().find(|kind| kind.name == figure.name).unwrap_or_else(|| panic!("{step}: {} is not declared", figure.name));
            let share = figure.value / figure.of;
            let sound = figure.of > 0.0 && figure.value.is_finite() && (kind.counted != Counted::Share || (0.0..=1.0).contains(&share));
            assert!(sound, "{step}: {figure:?}");
            assert_eq!(kind.counted == Counted::Total, kind.counted == Counted::Total && figure.label.is_some(), "{step}: {figure:?} has no label");
            unseen.remove(figure.name.as_str());
        }
        if seed >= 4 && unseen.is_empty() {
            break;
        }
    }
    assert!(unseen.is_empty(), "{}: never recorded in 40 runs: {unseen:?}", mode.id);
}
