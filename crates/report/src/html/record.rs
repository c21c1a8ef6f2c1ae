//! The record in a page: phases, their exhibits, their turns.

use super::exhibit::several_html;
use super::safe::{esc, prose};
use crate::figures::{count, several, span};
use crate::view::{Outcome, Phase, Turn, View};
use crate::words;
use synod_types::Shown;

pub fn phase_html(view: &View, phase: &Phase) -> String {
    let took = phase.ended.map(|ended| format!(" <span class=\"soft\">{}</span>", span(ended - phase.began))).unwrap_or_default();
    let here: Vec<&Shown> = phase.exhibits.iter().filter(|shown| !words::decides(view, shown)).collect();
    let above: Vec<String> = phase.exhibits.iter().filter(|shown| words::decides(view, shown)).map(|shown| esc(&shown.exhibit.title)).collect();
    let above = if above.is_empty() {
        String::new()
    } else {
        format!("<p class=\"soft\">Shown under <a href=\"#decided\">How it was decided</a>: {}</p>", above.join(", "))
    };
    let quoted = words::quoted(phase);
    format!(
        "<section class=\"phase\"><h3>{}{took}</h3>{}{above}{}</section>\n",
        esc(phase.name()),
        several_html(view, &here),
        turns(view, phase, &quoted)
    )
}

fn turns(view: &View, phase: &Phase, quoted: &[&str]) -> String {
    if phase.turns.is_empty() {
        return String::new();
    }
    let covered = words::covered(phase);
    let row = |turn: &Turn| {
        let key = turn.key.as_str();
        let more = if covered.contains(&key) { String::new() } else { more(turn, quoted.contains(&key)) };
        turn_row(view, turn, more)
    };
    let rows: String = phase.turns.iter().map(row).collect();
    let table = format!(
        "<table class=\"turns\"><thead><tr><th scope=\"col\">Turn</th><th scope=\"col\">Outcome</th><th scope=\"col\">Time, tokens, cost</th></tr></thead>\
         <tbody>{rows}</tbody></table>\n"
    );
    // A conversation is read without what it took.
    if view.threaded() {
        return format!("<details><summary>{}</summary>{table}</details>\n", several(phase.turns.len() as u64, "turn", "turns"));
    }
    table
}

fn turn_row(view: &View, turn: &Turn, more: String) -> String {
    let who = words::speaker(view, turn);
    let mut outcome = match &turn.outcome {
        Outcome::Running => "running".to_owned(),
        Outcome::Said(_) => "said".to_owned(),
        Outcome::Failed(failure) => {
            format!("<span class=\"alarm\"><span aria-hidden=\"true\">▲ </span>failed: {}</span>", esc(&words::failure(failure)))
        }
    };
    for mark in turn.marks() {
        outcome.push_str(&format!("<div class=\"soft\">{}</div>", esc(&mark)));
    }
    if let Some(settings) = words::turn_settings(view, turn) {
        outcome.push_str(&format!("<div class=\"soft\">{}</div>", esc(&settings)));
    }
    // Words need the whole width, so they have a row of their own.
    let more = match more {
        none if none.is_empty() => none,
        more => format!("<tr class=\"words\"><td colspan=\"3\">{more}</td></tr>\n"),
    };
    let mut figures: Vec<String> = turn.ms().map(span).into_iter().collect();
    figures
        .extend(turn.usage().map(|usage| {
            format!("<span class=\"whole\">{} in,</span> <span class=\"whole\">{} out</span>", count(usage.input), count(usage.output))
        }));
    figures.push(esc(&words::turn_cost(turn)));
    format!(
        "<tr><th scope=\"row\">{}<br><code class=\"key\">{}</code></th><td>{outcome}</td><td class=\"figures\">{}</td></tr>\n{more}",
        esc(&who),
        esc(turn.name()),
        figures.join("<br>")
    )
}

/// The words where no exhibit shows them, and what stands behind them.
fn more(turn: &Turn, quoted: bool) -> String {
    let mut out = String::new();
    if let Some(words) = turn.words().filter(|_| !quoted) {
        let body = if turn.typed() { format!("<pre>{}</pre>", esc(&words)) } else { format!("<div class=\"prose\">{}</div>", prose(&words)) };
        out.push_str(&format!("<details><summary>Words</summary>{body}</details>"));
    }
    for raw in turn.tries.iter().filter_map(|each| each.raw.as_ref()) {
        out.push_str(&format!("<details><summary>The reply as it came</summary><pre>{}</pre></details>", esc(raw)));
    }
    for tool in &turn.tools {
        let failed = if tool.error { " (failed)" } else { "" };
        out.push_str(&format!("<details><summary>Tool {}{failed}</summary><pre>{}</pre></details>", esc(&tool.name), esc(&tool.output)));
    }
    out
}
