//! Figures over steps: sparklines, a table, small line charts.

use crate::figures::{place, quantity, range};
use crate::html::part::{number, scroll};
use crate::html::safe::esc;
use crate::markdown::table::Side::{Left, Right};
use crate::markdown::table::table;
use crate::terminal::entries::{LIST, entries, sum};
use crate::terminal::exhibit::Length;
use crate::terminal::paper::{Ink, Paper};
use crate::text::{fit, one_line, pad, width};
use crate::words::named;
use synod_types::{Exhibit, Line, Series};

/// More values than this are told by their ends.
const LISTED: usize = 12;

pub fn terminal(paper: &mut Paper, series: &Series, length: Length) {
    let longest = series.lines.iter().map(|line| width(&line_name(paper, line))).max().unwrap_or(0);
    entries(paper, &series.lines, length, LIST, |paper, line| {
        let name = line_name(paper, line);
        let drawn = if paper.style.unicode && line.values.len() <= 2 * LISTED { format!("{}  ", sparkline(line)) } else { String::new() };
        let first = format!("  {}  {drawn}", pad(&name, longest));
        let first = if width(&first) > paper.columns() / 2 { format!("  {name}  ") } else { first };
        paper.hanging(Ink::PLAIN, &first, "      ", &values(line));
    });
    let steps: Vec<String> = series.steps.iter().map(|step| one_line(step)).collect();
    sum(
        paper,
        &match steps.as_slice() {
            [] => "no steps named".to_owned(),
            [first, .., last] if steps.len() > LISTED => format!("over {} steps, {first} to {last}", steps.len()),
            all => format!("over {}", all.join(", ")),
        },
    );
}

fn line_name(paper: &Paper, line: &Line) -> String {
    fit(&one_line(&line.name), 24, paper.ellipsis())
}

fn values(line: &Line) -> String {
    match (range(line.values.iter().flatten().copied()), line.values.as_slice()) {
        (Some((least, most)), [first, .., last]) if line.values.len() > LISTED => {
            let [first, last] = [first, last].map(|value| value.map_or_else(|| "none".to_owned(), quantity));
            format!("{first} to {last}, between {} and {}", quantity(least), quantity(most))
        }
        (_, all) => all.iter().map(|value| value.map_or_else(|| "none".to_owned(), quantity)).collect::<Vec<_>>().join(", "),
    }
}

/// A bar of eight heights for each value; a gap where there is none.
fn sparkline(line: &Line) -> String {
    const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let Some((least, most)) = range(line.values.iter().flatten().copied()) else { return String::new() };
    let height = |value: f64| place(value, least, most).map_or('▄', |share| HEIGHTS[(share * 7.0).round() as usize]);
    line.values.iter().map(|value| value.filter(|value| value.is_finite()).map_or(' ', height)).collect()
}

pub fn markdown(series: &Series) -> String {
    let steps = steps_of(series);
    let mut heads = vec![("", Left)];
    heads.extend(steps.iter().map(|step| (step.as_str(), Right)));
    let rows: Vec<Vec<String>> = series
        .lines
        .iter()
        .map(|line| {
            let value = |at: usize| line.values.get(at).copied().flatten().map_or_else(|| "none".to_owned(), quantity);
            std::iter::once(line.name.clone()).chain((0..steps.len()).map(value)).collect()
        })
        .collect();
    if rows.is_empty() { "No figures.\n\n".to_owned() } else { table(&heads, &rows) }
}

/// More lines than this are read as numbers, not as drawings.
const DRAWN: usize = 12;

pub fn html(exhibit: &Exhibit, series: &Series) -> String {
    let steps = steps_of(series);
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

/// Steps of a series, also where a line has more values than there are names.
fn steps_of(series: &Series) -> Vec<String> {
    let most = series.lines.iter().map(|line| line.values.len()).chain([series.steps.len()]).max().unwrap_or(0);
    (0..most).map(|at| named(&series.steps, at)).collect()
}
