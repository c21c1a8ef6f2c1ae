//! The registry for programs: every field of a mode's definition, as JSON.

use serde_json::{Value, json};
use synod_engine::{Mode, PlannedCalls, Seating};
use synod_types::{Json, Place, Seat};

/// The planned turns with the default options: at the smallest panel, one larger, and the largest.
pub fn planned(mode: &Mode) -> Vec<(u32, Vec<PlannedCalls>)> {
    let apart = u32::from(mode.special_role().is_some());
    let (least, most) = (mode.seats.0 - apart, mode.seats.1 - apart);
    let mut panels = vec![least, (least + 1).min(most), most];
    panels.dedup();
    let defaults = Json::of(&(mode.option_defaults)());
    let at = |panel: u32| {
        let made = (mode.seats_from_options)(&defaults, panel as usize).len() as u32;
        let panel = panel.max(made);
        let mut seating = Seating::default();
        for index in 0..panel {
            seating.seats.push(Seat { index, label: String::new(), model: String::new(), place: Place::Panel, persona: None });
        }
        (panel, (mode.calls)(&defaults, &seating))
    };
    let mut rows: Vec<(u32, Vec<PlannedCalls>)> = panels.into_iter().map(at).collect();
    rows.dedup_by_key(|(panel, _)| *panel);
    rows
}

/// Every field of a mode's definition.
pub fn describe_mode(mode: &Mode) -> Value {
    json!({
        "id": mode.id,
        "name": mode.name,
        "family": mode.family,
        "description": mode.summary,
        "pick": mode.pick,
        "minModels": mode.seats.0,
        "maxModels": mode.seats.1,
        "requiresSpecialRole": mode.special_role().is_some(),
        "specialRole": mode.special_role(),
        "supportsMultiTurn": mode.multi_turn,
        "estimatedDurationMs": mode.estimated_ms,
        "roles": mode.roles.iter().map(|role| role.name).collect::<Vec<_>>(),
        "phases": mode.phases,
        "stages": mode.stages.iter().map(|stage| json!({"name": stage.name, "role": stage.role, "data": stage.fields(), "standIn": stage.stand_in, "schema": stage.schema()})).collect::<Vec<_>>(),
        "figures": mode.figures,
        "requestNames": mode.request_names.iter().map(|known| json!({"name": known.name, "means": known.describe()})).collect::<Vec<_>>(),
        "turnSeconds": mode.turn_secs,
        "runSeconds": mode.run_secs,
        "failureRule": mode.failure_rule,
        "version": mode.version,
        "cost": mode.cost,
        "calls": planned(mode).into_iter().map(|(panel, turns)| json!({"panel": panel, "turns": turns})).collect::<Vec<_>>(),
        "options": (mode.options_schema)(),
        "defaults": (mode.option_defaults)(),
        "decision": (mode.decision_schema)(),
    })
}
