//! What each seat holds, and how far apart they are: a strip with the middle half and the middle marked.

use crate::figures::{count, place, quantity, range, several};
use crate::html::chart::{ChartBar, bars};
use crate::html::safe::{Html, render};
use crate::markdown::table::Side::{Left, Right};
use crate::markdown::table::{para, table};
use crate::terminal::entries::{below, entry, sum};
use crate::terminal::exhibit::Length;
use crate::terminal::paper::{Bar, Ink, Paper};
use crate::text::{one_line, width};
use crate::view::View;
use crate::words::{joined, led, seat};
use askama::Template;
use synod_types::{Distribution, Exhibit, Point, Spread};

pub fn terminal(paper: &mut Paper, view: &View, distribution: &Distribution, length: Length) {
    if let Some(spread) = distribution.spread {
        strip_line(paper, &spread, &distribution.unit);
    }
    let most = distribution.shares.iter().map(|(_, n)| *n).max().unwrap_or(0);
    let bars: Vec<Bar> = distribution
        .shares
        .iter()
        .map(|(choice, n)| Bar {
            name: one_line(choice),
            share: (most > 0).then(|| f64::from(*n) / f64::from(most)),
            value: n.to_string(),
            note: String::new(),
            ink: if *n == most { Ink::MARK } else { Ink::PLAIN },
        })
        .collect();
    paper.bars(&bars);
    let held = |point| format!("{}: {}", point_name(view, point), point_value(distribution, point));
    match length {
        Length::Brief => {
            let line = distribution.points.iter().map(held).collect::<Vec<_>>().join(paper.dot());
            if !line.is_empty() {
                paper.hanging(Ink::PLAIN, "  ", "  ", &line);
            }
        }
        Length::Whole | Length::Full => {
            for point in &distribution.points {
                entry(paper, false, &held(point));
                below(paper, &one_line(&point.note));
            }
        }
    }
    sum(paper, &summary(distribution));
}

/// `8 ├───▒▒▒█▒▒───┤ 20 weeks`: the whole range, its middle half, its middle.
fn strip_line(paper: &mut Paper, spread: &Spread, unit: &str) {
    let (first, last) = (quantity(spread.min), with_unit(spread.max, unit));
    let columns = paper.columns().saturating_sub(4 + width(&first) + width(&last)).min(48);
    let at = |value: f64| place(value, spread.min, spread.max).map(|share| (share * (columns.saturating_sub(1)) as f64).round() as usize);
    // Nothing to draw where all is one point, or no room.
    let (Some(low), Some(middle), Some(high)) = (at(spread.low), at(spread.middle), at(spread.high)) else { return };
    if columns < 12 {
        return;
    }
    let [open, close, thin, thick, mark] = if paper.style.unicode { ['├', '┤', '─', '▒', '█'] } else { ['|', '|', '-', '=', '#'] };
    let mut line: Vec<char> = (0..columns).map(|i| if (low..=high).contains(&i) { thick } else { thin }).collect();
    (line[0], line[columns - 1], line[middle]) = (open, close, mark);
    paper.raw(&format!("  {first} {} {last}", line.into_iter().collect::<String>()));
}

pub fn markdown(view: &View, distribution: &Distribution) -> String {
    let shares: Vec<Vec<String>> = distribution.shares.iter().map(|(choice, n)| vec![choice.clone(), n.to_string()]).collect();
    let noted = distribution.points.iter().any(|point| !point.note.trim().is_empty());
    let points: Vec<Vec<String>> = distribution
        .points
        .iter()
        .map(|point| {
            let mut row = vec![point_name(view, point), point_value(distribution, point)];
            row.extend(noted.then(|| point.note.clone()));
            row
        })
        .collect();
    let mut heads = vec![("Who", Left), ("Holds", Left)];
    heads.extend(noted.then_some(("Note", Left)));
    format!("{}{}{}", table(&[("Choice", Left), ("Held by", Right)], &shares), table(&heads, &points), para(&summary(distribution)))
}

#[derive(Template)]
#[template(path = "shapes/distribution.html")]
struct Page<'a> {
    view: &'a View,
    distribution: &'a Distribution,
    strip: Html,
    shares: Html,
    noted: bool,
    sum: String,
}

pub fn html(view: &View, exhibit: &Exhibit, distribution: &Distribution) -> Html {
    let sum = summary(distribution);
    let strip = strip(exhibit, distribution, &sum).unwrap_or_default();
    let noted = distribution.points.iter().any(|point| !point.note.trim().is_empty());
    render(&Page { view, distribution, strip, shares: shares(exhibit, distribution), noted, sum })
}

/// Where the line of the strip is.
const LINE: usize = 46;

/// The range with its middle half, its middle and a dot for each seat. Places are shares of the box, so the words keep their size on any screen.
#[derive(Template)]
#[template(path = "shapes/distribution_strip.html")]
struct Strip<'a> {
    title: &'a str,
    sum: &'a str,
    /// Low, middle and high.
    half: Option<[f64; 3]>,
    dots: Vec<(f64, usize)>,
    words: Vec<Words>,
}

/// Words near a place, kept inside the box.
struct Words {
    x: f64,
    y: usize,
    anchor: &'static str,
    text: String,
}

fn words_at(at: f64, y: usize, text: String) -> Words {
    let (x, anchor) = match at {
        ..20.0 => (at.min(2.0), "start"),
        80.0.. => (at.max(98.0), "end"),
        _ => (at, "middle"),
    };
    Words { x, y, anchor, text }
}

fn strip(exhibit: &Exhibit, distribution: &Distribution, sum: &str) -> Option<Html> {
    let values: Vec<f64> = distribution.points.iter().filter_map(|point| point.value).collect();
    let ends = distribution.spread.map(|spread| [spread.min, spread.max]);
    let (least, most) = range(values.iter().copied().chain(ends.into_iter().flatten()))?;
    let at = |value: f64| place(value, least, most).unwrap_or(0.5) * 96.0 + 2.0;
    let spread = distribution.spread.filter(|spread| range([spread.low, spread.middle, spread.high]).is_some());
    let middle = spread.map(|spread| words_at(at(spread.middle), LINE - 27, format!("middle {}", with_unit(spread.middle, &distribution.unit))));
    let mut words: Vec<Words> = middle.into_iter().collect();
    words.push(words_at(at(least), LINE + 38, quantity(least)));
    if least < most {
        words.push(words_at(at(most), LINE + 38, with_unit(most, &distribution.unit)));
    }
    // Dots that would hide each other stand in a column.
    let mut dots: Vec<(f64, usize)> = Vec::new();
    for x in values.into_iter().filter(|value| value.is_finite()).map(at) {
        let near = dots.iter().filter(|(other, _)| (other - x).abs() < 1.5).count();
        dots.push((x, LINE + [0, 9].get(near).copied().unwrap_or(18)));
    }
    let half = spread.map(|spread| [spread.low, spread.middle, spread.high].map(at));
    Some(render(&Strip { title: &exhibit.title, sum, half, dots, words }))
}

fn shares(exhibit: &Exhibit, distribution: &Distribution) -> Html {
    let most = distribution.shares.iter().map(|(_, n)| *n).max().unwrap_or(0);
    let bar = |(choice, n): &(String, u32)| ChartBar {
        name: choice.clone(),
        share: (most > 0).then(|| f64::from(*n) / f64::from(most)),
        value: several(u64::from(*n), "seat", "seats"),
        leads: *n == most && most > 0,
    };
    let rows: Vec<ChartBar> = distribution.shares.iter().map(bar).collect();
    if rows.is_empty() { Html::default() } else { bars(&exhibit.title, &rows, None) }
}

fn with_unit(value: f64, unit: &str) -> String {
    format!("{}{}", quantity(value), led(" ", &one_line(unit)))
}

/// What a seat holds: its number, its choice, or that it gave none.
fn point_value(distribution: &Distribution, point: &Point) -> String {
    let choice = one_line(&point.choice);
    match point.value {
        Some(value) if choice.is_empty() => with_unit(value, &distribution.unit),
        Some(value) => format!("{choice} ({})", with_unit(value, &distribution.unit)),
        None if choice.is_empty() => "none given".to_owned(),
        None => choice,
    }
}

/// The label, with who holds it where that is known and the label does not say it.
fn point_name(view: &View, point: &Point) -> String {
    let name = one_line(&point.label);
    match point.seat.map(|index| seat(view, index)) {
        Some(who) if name.is_empty() => who,
        Some(who) if who != name => format!("{name} ({who})"),
        Some(_) | None => name,
    }
}

fn summary(distribution: &Distribution) -> String {
    let given = distribution.points.iter().filter(|point| point.value.is_some() || !point.choice.is_empty()).count() as u64;
    let all = distribution.points.len() as u64;
    let held = if all == 0 { String::new() } else { format!("given by {} of {}", count(given), count(all)) };
    let spread = distribution.spread.map(|spread| {
        let [min, low, high, max] = [spread.min, spread.low, spread.high, spread.max].map(quantity);
        format!("middle {}, half within {low} to {high}, all within {min} to {max}", with_unit(spread.middle, &distribution.unit))
    });
    joined([spread.unwrap_or_default(), held, one_line(&distribution.measure)], "; ")
}
