//! A decision with the numbers behind it.

use crate::figures::score;
use crate::html::safe::{Html, render};
use crate::markdown::quote::inline;
use crate::terminal::paper::{Ink, Paper};
use crate::text::one_line;
use crate::words::plain;
use askama::Template;
use synod_types::Rule;

pub fn terminal(paper: &mut Paper, rule: &Rule) {
    paper.para(Ink::PLAIN, "  ", &one_line(&rule.decided));
    let numbers = numbers(&rule.numbers);
    let by = if rule.rung.is_empty() { String::new() } else { format!("by {}", plain(&rule.rung)) };
    let line = [by, numbers].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
    if !line.is_empty() {
        paper.para(Ink::DIM, "  ", &line);
    }
}

pub fn markdown(rule: &Rule) -> String {
    let mut out = format!("{}\n", inline(&rule.decided));
    if !rule.rung.is_empty() {
        out.push_str(&format!("\nDecided by: {}\n", inline(&plain(&rule.rung))));
    }
    if !rule.numbers.is_empty() {
        out.push_str(&format!("\nNumbers: {}\n", inline(&numbers(&rule.numbers))));
    }
    out
}

#[derive(Template)]
#[template(path = "shapes/rule.html")]
struct Page<'a> {
    rule: &'a Rule,
}

pub fn html(rule: &Rule) -> Html {
    render(&Page { rule })
}

/// The numbers behind a rule: `top 3, second 2`.
fn numbers(numbers: &[(String, f64)]) -> String {
    numbers.iter().map(|(name, value)| format!("{} {}", one_line(name), score(*value))).collect::<Vec<_>>().join(", ")
}
