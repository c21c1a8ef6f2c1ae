//! The modes reference, made from `MODES` and nothing else: a page for `docs/`, and the pieces `synod modes` prints.

use serde_json::Value;
use synod_app::planned;
use synod_engine::{Counted, Family, Mode, PlannedCalls, schema};
use synod_modes::MODES;

pub fn family(mode: &Mode) -> &'static str {
    match mode.family {
        Family::Evaluation => "Evaluation",
        Family::Adversarial => "Adversarial",
        Family::Sequential => "Sequential",
        Family::RoleBased => "Role-based",
        Family::Algorithmic => "Algorithmic",
        Family::Creative => "Creative",
        Family::Verification => "Verification",
    }
}

/// Modes by family, in the order of the registry.
pub fn families() -> Vec<Vec<&'static Mode>> {
    let mut groups: Vec<Vec<&'static Mode>> = Vec::new();
    for mode in MODES {
        match groups.iter_mut().find(|group| group[0].family == mode.family) {
            Some(group) => group.push(mode),
            None => groups.push(vec![mode]),
        }
    }
    groups
}

pub fn seats(mode: &Mode) -> String {
    let special = mode.special_role().map(|role| format!(", {role} counted")).unwrap_or_default();
    format!("{} to {}{special}", mode.seats.0, mode.seats.1)
}

/// `3 × answer, 0 to 1 × tiebreak: 3 to 4 in all`.
pub fn turns(turns: &[PlannedCalls]) -> String {
    let span = |min: u32, max: u32| if min == max { min.to_string() } else { format!("{min} to {max}") };
    let lines: Vec<String> = turns.iter().filter(|line| line.max > 0).map(|line| format!("{} × {}", span(line.min, line.max), line.prompt)).collect();
    let (min, max) = turns.iter().fold((0, 0), |(min, max), line| (min + line.min, max + line.max));
    format!("{} = {}", lines.join(" + "), span(min, max))
}

/// One option for people.
pub struct OptionLine {
    pub name: String,
    pub default: String,
    /// What it means and what it may be.
    pub help: String,
}

/// The options of a mode, from its schema.
pub fn option_lines(mode: &Mode) -> Vec<OptionLine> {
    let schema = (mode.options_schema)();
    let defaults = (mode.option_defaults)();
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Vec::new() };
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let line = |(name, property): (&String, &Value)| {
        let default = match &defaults[name] {
            Value::Array(items) if items.is_empty() => "none".to_owned(),
            Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(","),
            Value::String(text) if text.is_empty() => "none".to_owned(),
            Value::Null => "none".to_owned(),
            other => plain(other),
        };
        let help = property["description"].as_str().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
        let want = schema::describe(property);
        OptionLine { name: name.clone(), default, help: format!("{help} {}{}.", want[..1].to_uppercase(), &want[1..]) }
    };
    properties.iter().map(line).collect()
}

/// The command that asks a mode's example.
pub fn command(mode: &Mode) -> String {
    let example = &mode.example;
    let quoted = |text: &str| if text.contains(' ') { format!("\"{text}\"") } else { text.to_owned() };
    let mut parts = vec!["synod ask".to_owned()];
    // The first of the list is what is asked by default.
    if mode.id != MODES[0].id {
        parts.push(format!("--mode {}", mode.id));
    }
    parts.extend(example.options.iter().map(|(name, value)| format!("--{} {}", name.replace('_', "-"), quoted(value))));
    parts.extend(example.content.map(|file| format!("--content {file}")));
    parts.extend(example.files.iter().map(|file| format!("--file {file}")));
    parts.push(format!("\"{}\"", example.question));
    parts.join(" ")
}

/// The whole page.
pub fn page() -> String {
    let mut out = String::from("# Modes\n\nMade by `synod modes --markdown` from the registry. Do not edit.\n\n");
    out.push_str("| family | mode | seats | in a sentence |\n|---|---|---|---|\n");
    for mode in families().into_iter().flatten() {
        let row = format!("| {} | [{}](#{}) | {}–{} | {} |\n", family(mode), mode.id, anchor(mode), mode.seats.0, mode.seats.1, mode.summary);
        out.push_str(&row);
    }
    for mode in families().into_iter().flatten() {
        section(&mut out, mode);
    }
    out
}

/// As GitHub and most renderers make it of the heading: `## Red Team (red_team)`.
fn anchor(mode: &Mode) -> String {
    let name = mode.name.to_lowercase().replace(' ', "-");
    format!("{name}-{}", mode.id)
}

fn section(out: &mut String, mode: &Mode) {
    out.push_str(&format!("\n## {} ({})\n\n{}\n\n{}\n\n", mode.name, mode.id, mode.summary, mode.pick));
    out.push_str(&format!("```\n{}\n```\n\n", command(mode)));
    out.push_str(&format!("- Family: {}\n- Seats: {}\n", family(mode).to_lowercase(), seats(mode)));
    out.push_str(&format!(
        "- Phases: {}\n- Follow-up questions: {}\n",
        mode.phases.join(", "),
        if mode.multi_turn { "yes" } else { "with the last verdict as context" }
    ));
    out.push_str(&format!("- Limits: {} s a turn without a sign of life, {} s a run\n", mode.turn_secs, mode.run_secs));
    out.push_str(&format!("- When seats fail: {}\n- Calls: {}. With the default options:\n", mode.failure_rule, mode.cost));
    for (panel, calls) in planned(mode) {
        out.push_str(&format!("  - panel of {panel}: {}\n", turns(&calls)));
    }
    let lines = option_lines(mode);
    if lines.is_empty() {
        out.push_str("\nNo options.\n");
    } else {
        out.push_str("\n| option | default | meaning |\n|---|---|---|\n");
        for line in lines {
            out.push_str(&format!("| `{}` | {} | {} |\n", line.name, line.default, line.help.replace('|', "\\|")));
        }
    }
    out.push_str("\n| stored row | by | parsed data |\n|---|---|---|\n");
    for stage in mode.stages {
        let fields: Vec<String> = stage.fields().iter().map(|field| format!("`{field}`")).collect();
        let by = if stage.stand_in {
            format!("{}, when somebody failed", stage.role.unwrap_or("computed"))
        } else {
            stage.role.unwrap_or("computed").to_owned()
        };
        out.push_str(&format!("| `{}` | {by} | {} |\n", stage.name, fields.join(", ")));
    }
    if !mode.figures.is_empty() {
        out.push_str("\n| figure | counted as | what |\n|---|---|---|\n");
        for figure in mode.figures {
            let counted = match figure.counted {
                Counted::Mean => "mean",
                Counted::Share => "share",
                Counted::Total => "total by label",
            };
            out.push_str(&format!("| `{}` | {counted} | {} |\n", figure.name, figure.what));
        }
    }
    if !mode.request_names.is_empty() {
        let names: Vec<String> = mode.request_names.iter().map(|known| format!("`{}` ({})", known.name, known.describe())).collect();
        out.push_str(&format!("\nIn `modeConfig` also: {}.\n", names.join(", ")));
    }
}
