//! Drawings as SVG. Charts stretch and their words stand beside them as text, so that nothing is cut on a telephone; pictures keep their
//! proportions.

use super::safe::{Html, render};
use askama::Template;

pub struct ChartBar {
    pub name: String,
    /// 0 to 1; `None`: no bar.
    pub share: Option<f64>,
    pub value: String,
    /// Set apart by a darker bar; the value says so in words.
    pub leads: bool,
}

impl ChartBar {
    fn percent(&self) -> f64 {
        self.share.filter(|share| share.is_finite()).map_or(0.0, |share| share.clamp(0.0, 1.0) * 100.0)
    }
}

#[derive(Template)]
#[template(path = "html/bars.html")]
struct Bars<'a> {
    title: &'a str,
    rows: &'a [ChartBar],
    drawn: bool,
    sum: Option<&'a str>,
}

/// Bars, and below them what they come to.
pub fn bars(title: &str, rows: &[ChartBar], sum: Option<&str>) -> Html {
    render(&Bars { title, rows, drawn: rows.iter().any(|row| row.share.is_some()), sum })
}

/// A sum of signed parts.
pub struct Stack {
    pub name: String,
    pub value: String,
    /// Each with its name; what speaks against goes to the left of the line.
    pub parts: Vec<(String, f64)>,
}

#[derive(Template)]
#[template(path = "html/stacks.html")]
struct Stacks<'a> {
    title: &'a str,
    about: &'a str,
    rows: &'a [Stack],
    zero: f64,
    unit: f64,
}

struct Part {
    x: f64,
    width: f64,
    colour: usize,
    tip: String,
}

impl Stacks<'_> {
    /// The parts of one sum, from the line outwards on either side.
    fn placed(&self, row: &Stack) -> Vec<Part> {
        let (mut low, mut high) = (self.zero, self.zero);
        let drawn = row.parts.iter().enumerate().filter(|(_, (_, part))| part.is_finite() && *part != 0.0);
        let place = |(at, (name, part)): (usize, &(String, f64))| {
            let width = part.abs() * self.unit;
            let x = if *part < 0.0 { low - width } else { high };
            if *part < 0.0 {
                low -= width
            } else {
                high += width
            }
            Part { x, width, colour: at % 6, tip: format!("{name} {part:+.2}") }
        };
        drawn.map(place).collect()
    }
}

/// Sums as stacked bars around one line. Every part names itself to whoever points at it; a table beside it gives the numbers.
pub fn stacks(title: &str, about: &str, rows: &[Stack]) -> Html {
    let side = |row: &Stack, sign: f64| row.parts.iter().map(|(_, part)| (part * sign).max(0.0)).filter(|part| part.is_finite()).sum::<f64>();
    let widest = |sign: f64| rows.iter().map(|row| side(row, sign)).fold(0.0, f64::max);
    let (left, right) = (widest(-1.0), widest(1.0));
    let unit = if left + right > 0.0 { 100.0 / (left + right) } else { 0.0 };
    render(&Stacks { title, about, rows, zero: left * unit, unit })
}

#[derive(Template)]
#[template(path = "html/picture.html")]
struct Picture<'a> {
    title: &'a str,
    about: &'a str,
    class: &'static str,
    width: usize,
    height: usize,
    body: Html,
}

/// A drawing of fixed proportions. It shrinks with its box, but not so far that its words cannot be read.
pub fn picture(title: &str, about: &str, (width, height): (f64, f64), body: Html) -> Html {
    let (width, height) = (width as usize, height as usize);
    let class = match width {
        ..=420 => "picture",
        421..=700 => "picture wide",
        _ => "picture wider",
    };
    render(&Picture { title, about, class, width, height, body })
}
