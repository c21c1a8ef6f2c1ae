//! `synod models`: what can be seated, what it costs, and where it comes from.

use crate::args::{Global, Models};
use crate::door::Door;
use crate::exit::{CliResult, DECIDED, print_json};
use crate::say::{note, say};
use synod_app::{ModelList, SeatableModel};
use synod_report::one_line;

pub async fn run(global: &Global, args: Models) -> CliResult {
    let door = Door::open(global, true).await?;
    let mut list = door.models().await;
    if let Some(part) = &args.part {
        let part = part.to_lowercase();
        list.models.retain(|model| model.name.to_lowercase().contains(&part));
    }
    if door.json {
        print_json(&list);
    } else {
        tell(&list, args.part.as_deref());
    }
    Ok(DECIDED)
}

fn tell(list: &ModelList, part: Option<&str>) {
    let rows: Vec<[String; 5]> = list.models.iter().map(row).collect();
    if rows.is_empty() {
        match part {
            Some(part) => say!("No model has {part:?} in its name. synod models lists all."),
            None => {
                say!("No model can be seated yet: no key is in the environment, no model server answers on this machine, nothing is configured.");
                say!("Set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or OPENROUTER_API_KEY, or start a model server such as ollama.");
            }
        }
    } else {
        let head = ["model", "$ per million, in / out", "context", "thinks", "from"].map(str::to_owned);
        let width = |column: usize| rows.iter().chain([&head]).map(|row| row[column].chars().count()).max().unwrap_or_default();
        let widths: Vec<usize> = (0..head.len()).map(width).collect();
        for row in [&head].into_iter().chain(&rows) {
            let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
            say!("{}", cells.join("  ").trim_end());
        }
        say!("");
        if !list.panel.is_empty() {
            say!("Seated when nobody is named: {}", one_line(&list.panel.join(", ")));
        }
        say!("synod ask --models A,B,C \"…\" seats others.");
    }
    for silent in &list.silent {
        note!("No list from {}", one_line(silent));
    }
}

fn row(model: &SeatableModel) -> [String; 5] {
    let price = model.price.map_or_else(|| "unknown".to_owned(), |price| format!("{} / {}", price.input, price.output));
    let context = model.context.map_or_else(|| "unknown".to_owned(), tokens);
    [one_line(&model.name), price, context, yes_or_no(model.thinks).to_owned(), one_line(&model.from)]
}

pub fn yes_or_no(said: Option<bool>) -> &'static str {
    match said {
        Some(true) => "yes",
        Some(false) => "no",
        None => "unknown",
    }
}

/// `200k`, `1M`: nobody compares the last digits.
fn tokens(tokens: u64) -> String {
    match tokens {
        0..10_000 => tokens.to_string(),
        10_000..1_000_000 => format!("{}k", tokens / 1000),
        _ => format!("{:.1}M", tokens as f64 / 1e6).replace(".0M", "M"),
    }
}
