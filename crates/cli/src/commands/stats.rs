//! `synod stats`: numbers over many runs, each with how many are behind it.

use crate::args::{Global, Stats};
use crate::door::Door;
use crate::exit::{CliResult, DECIDED, print_json, usage};
use crate::say::say;
use serde_json::json;
use synod_app::{Analytics, AnalyticsRequest, FigureNumbers, ModeNumbers, ModelNumbers, Range, Share};
use synod_engine::{Clock, Counted, SystemClock};
use synod_modes::MODES;
use synod_report::one_line;

pub async fn run(global: &Global, args: Stats) -> CliResult {
    let ranges = Range::WORDS;
    let range = Range::parse(&args.range);
    let range = range.ok_or_else(|| usage("range", args.range.clone(), format!("one of: {}", ranges.join(", "))))?;
    if let Some(mode) = args.mode.as_deref().filter(|given| !MODES.iter().any(|mode| mode.id == *given)) {
        let known: Vec<&str> = MODES.iter().map(|mode| mode.id).collect();
        return Err(usage("mode", mode, format!("one of: {}", known.join(", "))));
    }
    let door = Door::open(global, true).await?;
    let request = AnalyticsRequest { range, mode: args.mode, model: args.model, rehearsals: args.rehearsals, principal: None };
    let numbers = door.analytics(&request, SystemClock.now()).await?;
    if door.json {
        print_json(&json!(numbers));
    } else {
        print(&numbers);
    }
    Ok(DECIDED)
}

fn print(numbers: &Analytics) {
    let since = numbers.from.as_deref().map_or_else(|| "Up to".to_owned(), |from| format!("From {from} to"));
    say!("{since} {}: {}", numbers.until, several(numbers.runs, "run"));
    if numbers.runs == 0 {
        say!("{}", if numbers.rehearsals { "Nothing to count yet." } else { "Nothing to count. Rehearsals are left out; --rehearsals counts them." });
        return;
    }
    say!("");
    say!("Days (UTC)");
    for day in &numbers.days {
        say!("  {}  {:>4}  {}", day.date, several(day.runs, "run"), used(&day.used));
    }
    for mode in &numbers.modes {
        say!("");
        say!("{}", headline(mode));
        for figure in &mode.figures {
            say!("  {}", figure_line(figure));
        }
    }
    for entry in &numbers.models {
        say!("");
        say!("{}", one_line(&entry.model));
        model(&entry.all, "all modes");
        if entry.modes.len() > 1 {
            for (mode, numbers) in &entry.modes {
                model(numbers, mode);
            }
        }
    }
}

fn headline(mode: &ModeNumbers) -> String {
    let statuses: Vec<String> = mode.statuses.iter().map(|(status, n)| format!("{n} {}", one_line(status))).collect();
    let side = mode.side_by_side.filter(|ratio| *ratio >= 0.1).map(|ratio| format!("; {ratio:.1} replies at once")).unwrap_or_default();
    let statuses = if statuses.is_empty() { String::new() } else { format!(" ({})", statuses.join(", ")) };
    format!("{}: {}{}{side}", one_line(&mode.mode), behind(mode.runs, &mode.run_ids), statuses)
}

fn figure_line(figure: &FigureNumbers) -> String {
    let about: Vec<&str> = figure.label.iter().chain(&figure.model).map(String::as_str).collect();
    let name = if about.is_empty() { figure.name.clone() } else { format!("{} {}", figure.name, about.join(" ")) };
    let percent = |value: f64| format!("{:.0} %", value * 100.0);
    let value = match (figure.counted, figure.value) {
        (_, None) => "no number".to_owned(),
        (Counted::Mean, Some(value)) => plain(value),
        (Counted::Share, Some(value)) => percent(value),
        (Counted::Total, Some(value)) => format!("{} ({})", plain(figure.total), percent(value)),
    };
    let what = if figure.what.is_empty() { String::new() } else { format!("  {}", figure.what) };
    format!("{:<28} {value:>12}  n {}, {}{what}", one_line(&name), figure.n, behind(figure.runs, &figure.run_ids))
}

/// How many runs, and the newest of them by the ends of their ids, which is enough to show one.
fn behind(runs: u64, ids: &[String]) -> String {
    let ends: Vec<&str> = ids.iter().take(3).map(|id| id.get(id.len().saturating_sub(8)..).unwrap_or(id)).collect();
    let more = if runs > ends.len() as u64 { " …" } else { "" };
    format!("{} ({}{more})", several(runs, "run"), ends.join(" "))
}

fn model(numbers: &ModelNumbers, what: &str) {
    say!("  {:<20} {}, {}  {}", one_line(what), several(numbers.runs, "run"), several(numbers.turns, "turn"), used(&numbers.used));
    let mut parts = Vec::new();
    parts.extend(share(&numbers.wins, "first on", "ballots"));
    parts.extend(share(&numbers.sided, "with the panel on", "ballots of its own"));
    parts.extend(
        numbers.response.map(|times| format!("half of {} within {}, 95 % within {}", several(times.n, "reply"), ms(times.p50), ms(times.p95))),
    );
    if numbers.failed.count > 0 {
        let why: Vec<String> = numbers.failures.iter().map(|(why, n)| format!("{n} {}", one_line(why))).collect();
        parts.push(format!("{} of {} failed ({})", numbers.failed.count, several(numbers.failed.n, "turn"), why.join(", ")));
    }
    for part in parts {
        say!("  {:<20} {part}", "");
    }
}

fn share(share: &Share, before: &str, after: &str) -> Option<String> {
    share.value.map(|value| format!("{before} {} of {} {after} ({:.0} %)", share.count, share.n, value * 100.0))
}

fn used(used: &synod_app::UsedByModels) -> String {
    let thinking = if used.thinking > 0 { format!(", {} of it thinking", used.thinking) } else { String::new() };
    let unknown = if used.unpriced_runs > 0 { format!(" and an unknown part in {}", several(used.unpriced_runs, "run")) } else { String::new() };
    format!("{}, {} tokens in, {} out{thinking}, ${:.4}{unknown}", several(used.calls, "call"), used.tokens_in, used.tokens_out, used.usd)
}

fn several(n: u64, what: &str) -> String {
    match (n, what.strip_suffix('y')) {
        (1, _) => format!("1 {what}"),
        (n, Some(stem)) => format!("{n} {stem}ies"),
        (n, None) => format!("{n} {what}s"),
    }
}

fn ms(ms: u64) -> String {
    if ms < 1000 { format!("{ms} ms") } else { format!("{:.1} s", ms as f64 / 1000.0) }
}

fn plain(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}
