//! `synod doctor`: the configuration, the database, and one tiny call to each seat.

use crate::app::{self, App};
use crate::args::{Doctor, Global};
use crate::exit::{CliResult, DECIDED, USAGE, print_json};
use crate::say::{note, say};
use serde_json::json;
use synod_engine::Models;
use synod_llm::Registry;
use synod_report::one_line;
use synod_types::Problems;

pub async fn run(global: &Global, args: Doctor) -> CliResult {
    let app = App::open(global).await?;
    let detected = app.detect(false).await;
    let mut config = app.config.clone();
    let called = app::panel(&app.config, detected.as_ref(), None)?;
    let mut names = if args.models.is_empty() { called.models } else { args.models };
    names.extend(called.chair.into_iter().chain(called.light));
    names.sort();
    names.dedup();
    let lines = detected.as_ref().map(|detected| detected.lines.clone()).unwrap_or_default();
    if let Some(detected) = detected {
        config.fill_from(detected.config);
    }
    let files: Vec<String> = config.files.iter().map(|file| file.display().to_string()).collect();
    let registry = Registry::new(config);
    let mut problems = Vec::new();
    let mut checks = Vec::new();
    for name in &names {
        match registry.resolve("models", name) {
            Ok(card) => checks.push(card),
            Err(problem) => problems.push(problem),
        }
    }
    let checked = futures::future::join_all(checks.iter().map(|card| registry.check(card))).await;
    let healthy = problems.is_empty() && checked.iter().all(|line| line.ok);
    if app.json {
        print_json(&json!({"ok": healthy, "config": files, "seats": checked, "errors": problems}));
    } else {
        say!("config   {}", if files.is_empty() { "none".to_owned() } else { files.join(", ") });
        lines.iter().for_each(|line| say!("         {line}"));
        say!("database open, schema current");
        for (line, card) in checked.iter().zip(&checks) {
            let price = card
                .price
                .map_or_else(|| "price unknown".to_owned(), |price| format!("${} in, ${} out per million tokens", price.input, price.output));
            match &line.problem {
                None => say!(
                    "ok       {}: {} ms{}, schema {}, {price}",
                    line.model,
                    line.latency_ms,
                    if line.streams { ", streams" } else { "" },
                    line.schema
                ),
                Some(problem) => say!("FAILED   {}: {}", line.model, one_line(problem)),
            }
            if !line.instead.is_empty() {
                say!("         the endpoint lists: {}", one_line(&line.instead.join(", ")));
            }
        }
        if !problems.is_empty() {
            note!("{}", crate::exit::CliError::Usage(Problems(problems)).text());
        }
    }
    Ok(if healthy { DECIDED } else { USAGE })
}
