//! A series as small line charts, one a line, and its numbers as a table.

use super::{number, scroll};
use crate::figures::{place, quantity, range};
use crate::html::safe::esc;
use crate::text::fit;
use crate::words;
use synod_types::{Exhibit, Line, Series};

/// More lines than this are read as numbers, not as drawings.
const DRAWN: usize = 12;

pub fn series(exhibit: &Exhibit, series: &Series) -> String {
    let steps = words::series_steps(series);
    if series.lines.is_empty() || steps.is_empty() {
        return "<p>No figures.</p>".to_owned();
    }
    let shared = shared_range(&series.lines);
    let charts: String = match series.lines.len() {
        ..=DRAWN => series.lines.iter().map(|line| chart(line, &steps, shared)).collect(),
        _ => String::new(),
    };
    let head: String = steps.iter().map(|step| format!("<th scope=\"col\">{}</th>", esc(step))).collect();
    let body: String = series
        .lines
        .iter()
        .map(|line| {
            let cells =
                (0..steps.len()).map(|at| format!("<td>{}</td>", number(line.values.get(at).copied().flatten().map(quantity), "nothing to report")));
            format!("<tr><th scope=\"row\">{}</th>{}</tr>", esc(&line.name), cells.collect::<String>())
        })
        .collect();
    let table = format!("<table class=\"numbers\"><thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table>");
    format!("<div class=\"lines\">{charts}</div><details><summary>Numbers</summary>{}</details>", scroll(&exhibit.title, &table))
}

/// One scale for all where they are of one size, so that they can be compared; else each line has its own.
fn shared_range(lines: &[Line]) -> Option<(f64, f64)> {
    let ranges: Vec<(f64, f64)> = lines.iter().filter_map(|line| range(line.values.iter().flatten().copied())).collect();
    let sizes = ranges.iter().map(|(least, most)| least.abs().max(most.abs()));
    let (smallest, largest) = range(sizes)?;
    if largest / 10.0 > smallest {
        return None;
    }
    range(ranges.into_iter().flat_map(|(least, most)| [least, most]))
}

/// Places are shares of the box, so the words keep their size on any screen.
fn chart(line: &Line, steps: &[String], shared: Option<(f64, f64)>) -> String {
    const TOP: f64 = 44.0;
    const HEIGHT: f64 = 48.0;
    let values = || line.values.iter().flatten().copied();
    let Some((least, most)) = shared.filter(|_| range(values()).is_some()).or_else(|| range(values())) else { return String::new() };
    let x = |at: usize| place(at as f64, 0.0, steps.len().saturating_sub(1) as f64).unwrap_or(0.5) * 92.0 + 4.0;
    let y = |value: f64| TOP + HEIGHT * (1.0 - place(value, least, most).unwrap_or(0.5));
    let known: Vec<(usize, f64)> =
        line.values.iter().enumerate().filter_map(|(at, value)| Some((at, (*value)?))).filter(|(_, value)| value.is_finite()).collect();
    let mut out = format!("<line class=\"axis\" x1=\"2%\" x2=\"98%\" y1=\"{0}\" y2=\"{0}\"/>", TOP + HEIGHT + 6.0);
    for pair in known.windows(2) {
        // A step with nothing to report is bridged by a dashed line.
        let class = if pair[1].0 == pair[0].0 + 1 { "run" } else { "run gap" };
        out.push_str(&format!(
            "<line class=\"{class}\" x1=\"{:.1}%\" y1=\"{:.1}\" x2=\"{:.1}%\" y2=\"{:.1}\"/>",
            x(pair[0].0),
            y(pair[0].1),
            x(pair[1].0),
            y(pair[1].1)
        ));
    }
    for (at, value) in &known {
        out.push_str(&format!("<circle class=\"dot\" cx=\"{:.1}%\" cy=\"{:.1}\" r=\"3.5\"/>", x(*at), y(*value)));
    }
    let ends = match known.as_slice() {
        [] => String::new(),
        [(_, only)] => quantity(*only),
        [(_, first), .., (_, last)] => format!("{} → {}", quantity(*first), quantity(*last)),
    };
    let foot = |at: usize, anchor: &str, edge: &str| {
        steps.get(at).map(|step| format!("<text class=\"faint\" x=\"{edge}\" y=\"114\" text-anchor=\"{anchor}\">{}</text>", esc(&fit(step, 16, "…"))))
    };
    out.extend(foot(0, "start", "2%"));
    out.extend(foot(steps.len() - 1, "end", "98%").filter(|_| steps.len() > 1));
    let about: Vec<String> = known.iter().map(|(at, value)| format!("{}: {}", steps[*at], quantity(*value))).collect();
    format!(
        "<svg class=\"chart\" role=\"img\" width=\"100%\" height=\"120\"><title>{0}</title><desc>{1}</desc><text x=\"2%\" y=\"15\">{2}</text>\
         <text class=\"leads\" x=\"98%\" y=\"15\" text-anchor=\"end\">{3}</text>{out}</svg>",
        esc(&line.name),
        esc(&about.join("; ")),
        esc(&fit(&line.name, 26, "…")),
        esc(&ends)
    )
}
