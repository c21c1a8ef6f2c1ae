//! What a mode declares about itself is true of its runs.

use crate::{ended, voices};
use std::collections::BTreeSet;
use std::sync::Arc;
use synod_engine::{Counted, OptionValue, RoleHolder, options, schema};
use synod_testkit::counted::CountedModels;
use synod_testkit::rig::{Rig, modes, order, varied};
use synod_types::{Attachment, Body, Kind, PastTurn, Status, sha256_hex};

#[test]
fn options_parse_from_defaults_and_the_schema_accepts_them() {
    for mode in modes() {
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
}

#[tokio::test]
async fn every_prompt_renders_and_every_typed_reply_argues_first() {
    for mode in modes() {
        let mut unseen: BTreeSet<&str> = mode.prompts.iter().map(|(name, _)| *name).collect();
        for seed in 0..60 {
            let counted = Arc::new(CountedModels::new(voices()));
            let rig = Rig::new(counted.clone());
            let mut order = varied(mode, seed);
            if seed % 2 == 0 {
                order.question.content = Some("cron runs forty jobs; </content> three fail a week".into());
            }
            let text = "a,b\n1,2\n".to_owned();
            order.question.files.push(Attachment { name: "jobs.csv".into(), sha256: sha256_hex(&text), bytes: text.len() as u64, text });
            if mode.multi_turn {
                order.question.history.push(PastTurn { question: "And before?".into(), answer: "It was fine.".into() });
            }
            let step = format!("{} seed {seed}", mode.id);
            let (run, ending) = rig.run(&order).await;
            ended(&rig, &run, ending, &step).await;
            for row in rig.rows(&run).await {
                if let Ok(Body::Asked(asked)) = row.body() {
                    unseen.remove(asked.prompt.as_str());
                }
            }
            for (key, request) in counted.requests() {
                let schema = request.schema.map(|reply| reply.schema);
                let first = schema.as_ref().map(|schema| schema["properties"].as_object().and_then(|map| map.keys().next().cloned()));
                assert!(first.as_ref().is_none_or(|first| first.as_deref() == Some("reasons")), "{step}: {key} begins with {first:?}");
            }
            if unseen.is_empty() {
                break;
            }
        }
        assert!(unseen.is_empty(), "{}: never asked in 60 runs: {unseen:?}", mode.id);
    }
}

#[tokio::test]
async fn phases_and_calls_are_as_declared() {
    for mode in modes() {
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
                let place =
                    mode.phases.iter().position(|phase| *phase == mark.name).unwrap_or_else(|| panic!("{step}: {} is not declared", mark.name));
                assert!(place >= at, "{step}: {} comes out of order", mark.name);
                at = place;
            }
            let begun = rows.iter().filter(|row| row.kind == Kind::Phase).count();
            let over = rows.iter().filter(|row| row.kind == Kind::PhaseEnd).count();
            assert_eq!((begun > 0, begun), (true, over), "{step}: every phase ends");
            assert_eq!(rows.iter().filter(|row| row.kind == Kind::Verdict).count(), 1, "{step}");
        }
    }
}

#[tokio::test]
async fn whoever_is_named_for_a_seat_apart_takes_it_and_nobody_leaves_the_panel() {
    for mode in modes() {
        let Some(role) = mode.roles.iter().find(|role| role.held == RoleHolder::ChairApart) else { continue };
        let rig = Rig::new(voices());
        let mut order = order(mode, 1);
        order.panel.roles = order.panel.chair.take().map(|chair| (role.name.to_owned(), chair)).into_iter().collect();
        let plan = rig.runner().plan(&order).await.expect("the order is sound");
        let seats: Vec<&str> = plan.header.panel().map(|seat| seat.model.as_str()).collect();
        assert_eq!(seats, order.panel.models, "{}", mode.id);
        let [held] = plan.header.role(role.name) else { panic!("{}: one seat holds {}", mode.id, role.name) };
        assert_eq!(plan.header.seat(*held).map(|seat| seat.model.as_str()), Some("chair"), "{}", mode.id);
        assert_eq!(plan.header.seats.len(), order.panel.models.len() + 1, "{}: nobody sits idle", mode.id);
    }
}

/// Figures are counted by what a mode says of them.
#[tokio::test]
async fn figures_are_those_the_mode_declares() {
    for mode in modes() {
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
                let choices =
                    schema["properties"].as_object().into_iter().flatten().filter(|(name, _)| defaults[name.as_str()] == serde_json::json!([]));
                let first = choices.filter_map(|(name, property)| Some((name.clone(), schema::choices(&property["items"]).into_iter().next()?)));
                order.options = first.map(|(name, choice)| (name, OptionValue::Json(serde_json::json!([choice])))).collect();
            }
            let step = format!("{} seed {seed}", mode.id);
            let (run, ending) = rig.run(&order).await;
            ended(&rig, &run, ending, &step).await;
            for row in rig.rows(&run).await {
                let Ok(Body::Figure(figure)) = row.body() else { continue };
                let kind =
                    mode.figures.iter().find(|kind| kind.name == figure.name).unwrap_or_else(|| panic!("{step}: {} is not declared", figure.name));
                let share = figure.value / figure.of;
                let sound = figure.of > 0.0 && figure.value.is_finite() && (kind.counted != Counted::Share || (0.0..=1.0).contains(&share));
                assert!(sound, "{step}: {figure:?}");
                assert_eq!(
                    kind.counted == Counted::Total,
                    kind.counted == Counted::Total && figure.label.is_some(),
                    "{step}: {figure:?} has no label"
                );
                unseen.remove(figure.name.as_str());
            }
            if seed >= 4 && unseen.is_empty() {
                break;
            }
        }
        assert!(unseen.is_empty(), "{}: never recorded in 40 runs: {unseen:?}", mode.id);
    }
}
