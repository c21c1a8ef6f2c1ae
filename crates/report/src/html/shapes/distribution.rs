//! A distribution as a strip with the middle half and the middle marked, a dot for each seat, and the numbers below.

use super::chart::{ChartBar, bars};
use super::soft;
use crate::figures::{place, quantity, range, several};
use crate::html::safe::esc;
use crate::view::View;
use crate::words;
use synod_types::{Distribution, Exhibit, Point};

pub fn distribution(view: &View, exhibit: &Exhibit, distribution: &Distribution) -> String {
    let sum = words::distribution_sum(distribution);
    format!("{}{}{}{}", strip(exhibit, distribution, &sum), shares(exhibit, distribution), points(view, distribution), soft(&sum))
}

/// Widths are shares of the box, so the words keep their size on any screen.
fn strip(exhibit: &Exhibit, distribution: &Distribution, sum: &str) -> String {
    const LINE: usize = 46;
    let values: Vec<f64> = distribution.points.iter().filter_map(|point| point.value).collect();
    let ends = distribution.spread.map(|spread| [spread.min, spread.max]);
    let Some((least, most)) = range(values.iter().copied().chain(ends.into_iter().flatten())) else { return String::new() };
    let at = |value: f64| place(value, least, most).unwrap_or(0.5) * 96.0 + 2.0;
    let mut out = format!("<line class=\"axis\" x1=\"2%\" x2=\"98%\" y1=\"{LINE}\" y2=\"{LINE}\"/>");
    if let Some(spread) = distribution.spread.filter(|spread| range([spread.low, spread.middle, spread.high]).is_some()) {
        let (low, middle, high) = (at(spread.low), at(spread.middle), at(spread.high));
        out.push_str(&format!(
            "<rect class=\"half\" x=\"{low:.1}%\" y=\"{}\" width=\"{:.1}%\" height=\"28\" rx=\"3\"/>\
             <line class=\"middle\" x1=\"{middle:.1}%\" x2=\"{middle:.1}%\" y1=\"{}\" y2=\"{}\"/>",
            LINE - 14,
            (high - low).max(0.4),
            LINE - 20,
            LINE + 20
        ));
        out.push_str(&text(middle, LINE - 27, &format!("middle {}", words::with_unit(spread.middle, &distribution.unit))));
    }
    // Dots that would hide each other stand in a column.
    let mut placed: Vec<f64> = Vec::new();
    for value in values.iter().filter(|value| value.is_finite()) {
        let x = at(*value);
        let near = placed.iter().filter(|other| (**other - x).abs() < 1.5).count();
        let y = LINE + [0, 9].get(near).copied().unwrap_or(18);
        placed.push(x);
        out.push_str(&format!("<circle class=\"dot\" cx=\"{x:.1}%\" cy=\"{y}\" r=\"5\"/>"));
    }
    out.push_str(&text(at(least), LINE + 38, &quantity(least)));
    if least < most {
        out.push_str(&text(at(most), LINE + 38, &words::with_unit(most, &distribution.unit)));
    }
    format!(
        "<svg class=\"chart strip\" role=\"img\" width=\"100%\" height=\"90\"><title>{}</title><desc>{}</desc>{out}</svg>",
        esc(&exhibit.title),
        esc(sum)
    )
}

/// Words near a place, kept inside the box.
fn text(at: f64, y: usize, words: &str) -> String {
    let (x, anchor) = match at {
        ..20.0 => (at.min(2.0), "start"),
        80.0.. => (at.max(98.0), "end"),
        _ => (at, "middle"),
    };
    format!("<text x=\"{x:.1}%\" y=\"{y}\" text-anchor=\"{anchor}\">{}</text>", esc(words))
}

fn shares(exhibit: &Exhibit, distribution: &Distribution) -> String {
    let most = distribution.shares.iter().map(|(_, n)| *n).max().unwrap_or(0);
    let rows: Vec<ChartBar> = distribution
        .shares
        .iter()
        .map(|(choice, n)| ChartBar {
            name: choice.clone(),
            share: (most > 0).then(|| f64::from(*n) / f64::from(most)),
            value: several(u64::from(*n), "seat", "seats"),
            leads: *n == most && most > 0,
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let about: Vec<String> = rows.iter().map(|row| format!("{}: {}", row.name, row.value)).collect();
    bars(&exhibit.title, &about.join("; "), &rows)
}

fn points(view: &View, distribution: &Distribution) -> String {
    if distribution.points.is_empty() {
        return String::new();
    }
    let noted = distribution.points.iter().any(|point| !point.note.trim().is_empty());
    let row = |point: &Point| {
        let note = if noted { format!("<td class=\"soft\">{}</td>", esc(&point.note)) } else { String::new() };
        let (name, value) = (words::point_name(view, point), words::point_value(distribution, point));
        format!("<tr><th scope=\"row\">{}</th><td>{}</td>{note}</tr>", esc(&name), esc(&value))
    };
    let why = if noted { "<th scope=\"col\">Why</th>" } else { "" };
    format!(
        "<table class=\"numbers\"><thead><tr><th scope=\"col\">Who</th><th scope=\"col\">Holds</th>{why}</tr></thead><tbody>{}</tbody></table>",
        distribution.points.iter().map(row).collect::<String>()
    )
}
