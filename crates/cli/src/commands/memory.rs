//! `synod memory`: what earlier decisions taught, as later runs may be given it.

use crate::args::{Global, Memory};
use crate::door::Door;
use crate::exit::{CliResult, DECIDED, print_json, usage};
use crate::say::say;
use serde_json::{Value, json};
use synod_app::ExperienceRow;
use synod_report::{clean, one_line};

pub async fn run(global: &Global, memory: Memory) -> CliResult {
    let door = Door::open(global, true).await?;
    match memory {
        Memory::List { limit } => list(&door, &door.experiences(limit).await?),
        Memory::Show { run } => {
            let run = door.find_run(&run).await?;
            let Some(row) = door.experience(&run).await? else {
                return Err(usage("run", format!("{run} is not remembered"), "a run that synod memory list names"));
            };
            show(&door, &row);
        }
    }
    door.close().await;
    Ok(DECIDED)
}

fn text<'a>(body: &'a Value, field: &str) -> &'a str {
    body.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn list(door: &Door, rows: &[ExperienceRow]) {
    if door.json {
        print_json(&json!({ "experiences": rows }));
        return;
    }
    if rows.is_empty() {
        say!("Nothing is remembered yet. A decision is, once its card was verified, scored above the threshold, and all its evidence was found.");
    }
    for row in rows {
        say!("{}  {:<16} {}", row.run, one_line(text(&row.body, "position")), one_line(text(&row.body, "objective")));
    }
}

fn show(door: &Door, row: &ExperienceRow) {
    if door.json {
        print_json(row);
        return;
    }
    let body = &row.body;
    let number = |field: &str| body.get(field).and_then(Value::as_f64).map_or_else(|| "none".to_owned(), |value| format!("{value:.4}"));
    say!("Objective: {}", clean(text(body, "objective")));
    say!("Taken:     {} ({})", one_line(text(body, "position")), one_line(text(body, "status")));
    say!("           {}", clean(text(body, "summary")));
    say!("Score:     {}, consensus {}", number("score"), number("consensus"));
    for pointer in body.get("pointers").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        say!("Evidence:  {}", one_line(pointer));
    }
    say!("Run:       {}", row.run);
}
