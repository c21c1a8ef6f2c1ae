//! `synod doctor`: the configuration, the database, and one tiny call to each seat.

use crate::args::{Doctor, Global};
use crate::door::Door;
use crate::exit::{CliResult, DECIDED, USAGE, print_json, text_of};
use crate::request::NOTHING_FOUND;
use crate::say::{note, say};
use serde_json::json;
use synod_app::{DoctorReport, SeatCheck};
use synod_report::one_line;
use synod_types::Problems;

pub async fn run(global: &Global, args: Doctor) -> CliResult {
    let door = Door::open(global, true).await?;
    let report = door.doctor(args.models).await;
    let code = if report.healthy() { DECIDED } else { USAGE };
    if door.json {
        let seats: Vec<_> = report.seats.iter().map(|seat| &seat.result).collect();
        print_json(&json!({"ok": report.healthy(), "config": report.files, "seats": seats, "errors": report.problems}));
    } else {
        tell(report);
    }
    Ok(code)
}

fn tell(report: DoctorReport) {
    say!("config   {}", if report.files.is_empty() { "none".to_owned() } else { report.files.join(", ") });
    report.found.iter().for_each(|line| say!("         {line}"));
    if report.nothing_found {
        say!("         {NOTHING_FOUND}");
    }
    say!("database open, schema current");
    for SeatCheck { card, result } in &report.seats {
        let price =
            card.price.map_or_else(|| "price unknown".to_owned(), |price| format!("${} in, ${} out per million tokens", price.input, price.output));
        match &result.problem {
            None => say!(
                "ok       {}: {} ms{}, schema {}, {price}",
                result.model,
                result.latency_ms,
                if result.streams { ", streams" } else { "" },
                result.schema
            ),
            Some(problem) => say!("FAILED   {}: {}", result.model, one_line(problem)),
        }
        if !result.instead.is_empty() {
            say!("         the endpoint lists: {}", one_line(&result.instead.join(", ")));
        }
    }
    if !report.problems.is_empty() {
        note!("{}", text_of(&Problems(report.problems).into()));
    }
}
