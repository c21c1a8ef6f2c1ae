//! Figures over steps: sparklines, a table, small line charts.

use crate::figures::{place, quantity, range};
use crate::html::safe::{Html, render};
use crate::markdown::table::Side::{Left, Right};
use crate::markdown::table::table;
use crate::terminal::entries::{LIST, entries, sum};
use crate::terminal::exhibit::Length;
use crate::terminal::paper::{Ink, Paper};
use crate::text::{fit, one_line, pad, width};
use crate::words::named;
use askama::Template;
use synod_types::{Exhibit, Line, Series};

/// More values than this are told by their ends.
const LISTED: usize = 12;

pub fn terminal(paper: &mut Paper, series: &Series, length: Length) {
    let longest = series.lines.iter().map(|line| width(&line_name(paper, line))).max().unwrap_or(0);
    let shared = shared_range(&series.lines);
    entries(paper, &series.lines, length, LIST, |paper, line| {
        let name = line_name(paper, line);
        let drawn = if paper.style.unicode && line.values.len() <= 2 * LISTED { format!("{}  ", sparkline(line, shared)) } else { String::new() };
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
fn sparkline(line: &Line, shared: Option<(f64, f64)>) -> String {
    const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let Some((least, most)) = scale(line, shared) else { return String::new() };
    let height = |value: f64| HEIGHTS[(place(value, least, most).unwrap_or(0.0) * 7.0).round() as usize];
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
            let value = |at: usize| told(line, at).unwrap_or_else(|| "none".to_owned());
            std::iter::once(line.name.clone()).chain((0..steps.len()).map(value)).collect()
        })
        .collect();
    if rows.is_empty() { "No figures.\n\n".to_owned() } else { table(&heads, &rows) }
}

/// More lines than this are read as numbers, not as drawings.
const DRAWN: usize = 12;

#[derive(Template)]
#[template(path = "shapes/series.html")]
struct Page<'a> {
    title: &'a str,
    series: &'a Series,
    steps: &'a [String],
    /// Nothing where there is no line to draw: the numbers stand in its place.
    charts: Option<Html>,
}

pub fn html(exhibit: &Exhibit, series: &Series) -> Html {
    let steps = steps_of(series);
    let shared = shared_range(&series.lines);
    let drawn = series.lines.len() <= DRAWN && steps.len() > 1;
    let charts = drawn.then(|| series.lines.iter().filter_map(|line| chart(line, &steps, shared)).collect());
    render(&Page { title: &exhibit.title, series, steps: &steps, charts })
}

/// One line; places are shares of the box, so the words keep their size on any screen.
#[derive(Template)]
#[template(path = "shapes/series_line.html")]
struct Chart<'a> {
    name: &'a str,
    about: String,
    ends: String,
    steps: &'a [String],
    /// Where each value is: a share of the width, and a height.
    dots: Vec<(f64, f64)>,
    /// From one to the next; a step with nothing to report is bridged.
    runs: Vec<(bool, [f64; 4])>,
}

/// Of a drawing: air above the highest dot, and from there to the lowest.
const TOP: f64 = 8.0;
const HEIGHT: f64 = 48.0;

fn chart(line: &Line, steps: &[String], shared: Option<(f64, f64)>) -> Option<Html> {
    let (least, most) = scale(line, shared)?;
    let x = |at: usize| place(at as f64, 0.0, steps.len().saturating_sub(1) as f64).unwrap_or(0.5) * 92.0 + 4.0;
    let y = |value: f64| TOP + HEIGHT * (1.0 - place(value, least, most).unwrap_or(0.0));
    let known: Vec<(usize, f64)> =
        line.values.iter().enumerate().filter_map(|(at, value)| Some((at, (*value)?))).filter(|(_, value)| value.is_finite()).collect();
    let ends = match known.as_slice() {
        [] => String::new(),
        [(_, only)] => quantity(*only),
        [(_, first), rest @ ..] if rest.iter().all(|(_, value)| value == first) => format!("{} throughout", quantity(*first)),
        [(_, first), .., (_, last)] => format!("{} → {}", quantity(*first), quantity(*last)),
    };
    let about: Vec<String> = known.iter().map(|(at, value)| format!("{}: {}", steps[*at], quantity(*value))).collect();
    let dots: Vec<(f64, f64)> = known.iter().map(|(at, value)| (x(*at), y(*value))).collect();
    let run = |pair: &[(f64, f64)]| [pair[0].0, pair[0].1, pair[1].0, pair[1].1];
    let runs = known.windows(2).zip(dots.windows(2)).map(|(steps, pair)| (steps[1].0 > steps[0].0 + 1, run(pair))).collect();
    Some(render(&Chart { name: &line.name, about: about.join("; "), ends, steps, dots, runs }))
}

/// From where to where a line is drawn. A line that never changes is drawn at its level between nothing and what it is: in the middle it
/// would look like half of something.
fn scale(line: &Line, shared: Option<(f64, f64)>) -> Option<(f64, f64)> {
    let own = range(line.values.iter().flatten().copied())?;
    let (least, most) = shared.unwrap_or(own);
    Some(if least == most { (least.min(0.0), most.max(0.0)) } else { (least, most) })
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

/// Steps of a series, also where a line has more values than there are names.
fn steps_of(series: &Series) -> Vec<String> {
    let most = series.lines.iter().map(|line| line.values.len()).chain([series.steps.len()]).max().unwrap_or(0);
    (0..most).map(|at| named(&series.steps, at)).collect()
}

fn told(line: &Line, step: usize) -> Option<String> {
    line.values.get(step).copied().flatten().map(quantity)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(values: &[f64]) -> Line {
        Line { name: "share".into(), values: values.iter().copied().map(Some).collect() }
    }

    #[test]
    fn a_line_that_never_changes_is_drawn_at_its_level_with_its_number() {
        for (values, drawn) in [([75.0, 75.0], "██"), ([0.0, 0.0], "▁▁"), ([-5.0, -5.0], "▁▁"), ([10.0, 20.0], "▁█")] {
            assert_eq!(sparkline(&line(&values), None), drawn, "{values:?}");
        }
        let lines = [line(&[25.0, 25.0]), line(&[75.0, 50.0]), line(&[100.0, 100.0])];
        let shared = shared_range(&lines);
        assert_eq!(lines.each_ref().map(|line| sparkline(line, shared)), ["▁▁", "▆▃", "██"]);
        let steps = ["Round 1".to_owned(), "Round 2".to_owned()];
        let drawn = |line: &Line, shared| chart(line, &steps, shared).map(|html| html.to_string()).unwrap_or_default();
        let flat = drawn(&line(&[75.0, 75.0]), None);
        assert!(flat.contains("75 throughout") && flat.matches("cy=\"8.0\"").count() == 2, "{flat}");
        assert!(drawn(&lines[0], shared).matches("cy=\"56.0\"").count() == 2, "at the foot of a scale it shares");
    }
}
