//! `synod modes`: the registry, for people and for programs.

use crate::args::{Global, Modes};
use crate::exit::{CliError, CliResult, DECIDED, print_json};
use crate::say::say;
use serde_json::{Value, json};
use synod_engine::{Mode, options};
use synod_modes::MODES;

pub fn run(global: &Global, args: Modes) -> CliResult {
    let chosen: Vec<&Mode> = match &args.id {
        None => MODES.to_vec(),
        Some(id) => vec![find(id)?],
    };
    if args.markdown {
        crate::say::out(format_args!("{}", reference()));
    } else if global.json {
        let described: Vec<Value> = chosen.iter().map(|mode| describe(mode)).collect();
        let document = if args.id.is_some() { described.into_iter().next().unwrap_or_default() } else { json!({ "modes": described }) };
        print_json(&document);
    } else if args.id.is_some() {
        chosen.iter().for_each(|mode| explain(mode));
    } else {
        for mode in chosen {
            say!("{:<12} {} to {} seats   {}", mode.id, mode.seats.0, mode.seats.1, mode.summary);
        }
        say!("\nsynod modes ID explains one; synod ask --mode ID uses it.");
    }
    Ok(DECIDED)
}

fn find(id: &str) -> CliResult<&'static Mode> {
    let known = || MODES.iter().map(|mode| mode.id).collect::<Vec<_>>().join(", ");
    MODES.iter().copied().find(|mode| mode.id == id).ok_or_else(|| CliError::usage("mode", id, format!("one of: {}", known())))
}

/// Every field of a mode's definition.
fn describe(mode: &Mode) -> Value {
    json!({
        "id": mode.id,
        "name": mode.name,
        "family": mode.family,
        "description": mode.summary,
        "minModels": mode.seats.0,
        "maxModels": mode.seats.1,
        "requiresSpecialRole": mode.special_role().is_some(),
        "specialRole": mode.special_role(),
        "supportsMultiTurn": mode.multi_turn,
        "estimatedDurationMs": mode.estimated_ms,
        "roles": mode.roles.iter().map(|role| role.name).collect::<Vec<_>>(),
        "phases": mode.phases,
        "turnSeconds": mode.turn_secs,
        "runSeconds": mode.run_secs,
        "failureRule": mode.failure_rule,
        "version": mode.version,
        "calls": calls(mode),
        "options": (mode.options_schema)(),
        "defaults": (mode.option_defaults)(),
        "decision": (mode.decision_schema)(),
    })
}

/// The planned turns at the smallest and at a usual panel.
fn calls(mode: &Mode) -> Value {
    let at = |panel: u32| -> Value {
        let mut seating = synod_engine::Seating::default();
        for index in 0..panel {
            let seat = synod_types::Seat { index, label: String::new(), model: String::new(), place: synod_types::Place::Panel, persona: None };
            seating.seats.push(seat);
        }
        json!({"panel": panel, "turns": (mode.calls)(&(mode.option_defaults)(), &seating)})
    };
    let apart = u32::from(mode.special_role().is_some());
    json!([at(mode.seats.0 - apart), at((mode.seats.0 - apart + 1).min(mode.seats.1))])
}

fn explain(mode: &Mode) {
    say!("{} ({})\n{}\n", mode.name, mode.id, mode.summary);
    say!("Seats     {} to {}{}", mode.seats.0, mode.seats.1, mode.special_role().map(|role| format!(", {role} counted")).unwrap_or_default());
    say!("Phases    {}", mode.phases.join(" → "));
    say!("Follow-up {}", if mode.multi_turn { "yes: --conversation new, then --conversation ID" } else { "no" });
    say!("Limits    {} s a turn without a sign of life, {} s a run", mode.turn_secs, mode.run_secs);
    say!("Failures  {}\n", mode.failure_rule);
    let lines = option_lines(mode);
    if lines.is_empty() {
        say!("No options.");
    } else {
        say!("Options");
        for (name, default, help, want) in lines {
            say!("  --{} (default {default})\n      {help} {want}.", name.replace('_', "-"));
        }
    }
}

/// Name, default, help and range of each option, from its schema.
fn option_lines(mode: &Mode) -> Vec<(String, String, String, String)> {
    let schema = (mode.options_schema)();
    let defaults = (mode.option_defaults)();
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Vec::new() };
    let line = |(name, property): (&String, &Value)| {
        let default = match &defaults[name] {
            Value::Array(items) => {
                items.iter().map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned)).collect::<Vec<_>>().join(",")
            }
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let help = property["description"].as_str().unwrap_or_default().to_owned();
        let want = options::describe(property);
        (name.clone(), default, help, want[..1].to_uppercase() + &want[1..])
    };
    properties.iter().map(line).collect()
}

/// The modes reference, made from `MODES` and nothing else.
pub fn reference() -> String {
    let mut out = String::from("# Modes\n\nMade by `synod modes --markdown` from the registry. Do not edit.\n");
    for mode in MODES {
        let special = mode.special_role().map(|role| format!(", {role} counted")).unwrap_or_default();
        let family = serde_json::to_value(mode.family).unwrap_or_default();
        out.push_str(&format!("\n## {} (`{}`)\n\n{}\n\n", mode.name, mode.id, mode.summary));
        out.push_str(&format!("- Family: {}\n- Seats: {} to {}{special}\n", family.as_str().unwrap_or_default(), mode.seats.0, mode.seats.1));
        out.push_str(&format!("- Phases: {}\n- Follow-up questions: {}\n", mode.phases.join(", "), if mode.multi_turn { "yes" } else { "no" }));
        out.push_str(&format!(
            "- Limits: {} s a turn without a sign of life, {} s a run\n- When seats fail: {}\n",
            mode.turn_secs, mode.run_secs, mode.failure_rule
        ));
        out.push_str("\nPlanned calls:\n\n");
        for row in calls(mode).as_array().into_iter().flatten() {
            let turns: Vec<String> = row["turns"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|turn| {
                    let (min, max) = (&turn["min"], &turn["max"]);
                    let count = if min == max { min.to_string() } else { format!("{min} to {max}") };
                    format!("{count} × `{}`", turn["prompt"].as_str().unwrap_or_default())
                })
                .collect();
            out.push_str(&format!("- panel of {}: {}\n", row["panel"], turns.join(", ")));
        }
        out.push_str("\n| option | default | meaning |\n|---|---|---|\n");
        for (name, default, help, want) in option_lines(mode) {
            out.push_str(&format!("| `{name}` | {default} | {help} {want}. |\n"));
        }
        out.push_str(&format!("\n```\nsynod ask --mode {} \"Should we rewrite it in Rust?\"\n```\n", mode.id));
    }
    out
}
