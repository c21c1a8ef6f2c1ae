//! `synod doctor`: the configuration, the database, and one tiny call to each seat.

use crate::args::{Doctor, Global};
use crate::door::Door;
use crate::exit::{CliResult, DECIDED, USAGE, print_json, text_of};
use crate::request::NOTHING_FOUND;
use crate::say::{note, say};
use serde_json::json;
use synod_app::{Cure, DoctorReport, Fix, SeatCheck};
use synod_report::one_line;
use synod_types::Problems;

pub async fn run(global: &Global, args: Doctor) -> CliResult {
    let door = Door::open(global, true).await?;
    let report = door.doctor(args.models).await;
    let code = if report.healthy() { DECIDED } else { USAGE };
    if door.json {
        let told = |seat: &SeatCheck| {
            let mut told = serde_json::to_value(&seat.result).unwrap_or_default();
            told["fix"] = json!(seat.fix);
            told
        };
        let seats: Vec<_> = report.seats.iter().map(told).collect();
        print_json(&json!({"ok": report.healthy(), "config": report.files, "exposed": report.exposed, "seats": seats, "errors": report.problems}));
    } else {
        tell(report);
    }
    Ok(code)
}

/// Where a line goes, and the line.
pub fn mending(fix: Option<&Fix>) -> Vec<String> {
    let Some(fix) = fix else { return Vec::new() };
    let line = format!("    {}", one_line(&fix.line));
    match (&fix.file, &fix.table) {
        (Some(file), Some(table)) => vec![format!("in {}, under [{}], this line instead:", one_line(file), one_line(table)), line],
        _ => vec!["in the shell:".to_owned(), line],
    }
}

fn tell(report: DoctorReport) {
    say!("config   {}", if report.files.is_empty() { "none".to_owned() } else { one_line(&report.files.join(", ")) });
    report.found.iter().for_each(|line| say!("         {}", one_line(line)));
    if report.nothing_found {
        say!("         {NOTHING_FOUND}");
    }
    say!("database open, schema current");
    for file in &report.exposed {
        say!("exposed  {}: others on this machine can read it; chmod 600 makes it yours alone", one_line(file));
    }
    for SeatCheck { card, result, fix } in &report.seats {
        let price =
            card.price.map_or_else(|| "price unknown".to_owned(), |price| format!("${} in, ${} out per million tokens", price.input, price.output));
        match &result.problem {
            None => say!(
                "ok       {}: {} ms{}, schema {}{}, {price}",
                result.model,
                result.latency_ms,
                if result.streams { ", streams" } else { "" },
                result.schema,
                match (result.thinks, result.usage.and_then(|usage| usage.thinking).filter(|tokens| *tokens > 0)) {
                    (_, Some(tokens)) => format!(", thinks ({tokens} tokens about a small sum)"),
                    (Some(true), None) => ", thinks".to_owned(),
                    (Some(false), None) => ", does not think".to_owned(),
                    (None, None) if card.rehearsal => String::new(),
                    (None, None) => ", was not seen to think".to_owned(),
                }
            ),
            Some(problem) => say!("FAILED   {}: {}", one_line(&result.model), one_line(problem)),
        }
        if result.overran {
            say!("         it was seen to write more than twice what it was allowed; such replies are cut and counted whole");
        }
        if !result.instead.is_empty() {
            say!("         it has: {}", one_line(&result.instead.join(", ")));
        }
        if result.problem.is_some() {
            if let Some(Cure::Start { endpoint, .. }) = &result.cure {
                say!("         start what should answer there, or change base_url under [endpoints.{}]", one_line(endpoint));
            }
            for line in mending(fix.as_ref()) {
                say!("         {line}");
            }
        }
    }
    if report.seats.is_empty() && report.problems.is_empty() {
        say!("No seat to check: [panels.default] names the models that sit when nobody else is named. synod models lists what there is.");
    }
    if !report.problems.is_empty() {
        note!("{}", text_of(&Problems(report.problems).into()));
    }
}
