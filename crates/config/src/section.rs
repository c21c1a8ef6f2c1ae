//! One table of settings being read. Every field is asked for by name and type; what is wrong, and what nobody asked for, becomes a problem.

use crate::origin::{Origin, Place};
use crate::tree::{Is, Node, Table};
use std::ops::RangeInclusive;
use synod_types::{Price, Problem};

pub(crate) struct Section<'a, 'p> {
    path: String,
    table: &'a Table,
    asked: Vec<&'static str>,
    problems: &'p mut Vec<Problem>,
}

impl<'a, 'p> Section<'a, 'p> {
    pub fn new(path: impl Into<String>, table: &'a Table, problems: &'p mut Vec<Problem>) -> Self {
        Self { path: path.into(), table, asked: Vec::new(), problems }
    }

    pub fn field(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    fn get(&mut self, name: &'static str) -> Option<&'a Node> {
        self.asked.push(name);
        self.table.get(name)
    }

    pub fn origin(&self, name: &str) -> Option<&'a Origin> {
        self.table.get(name).map(|node| &node.origin)
    }

    pub fn wrong(&mut self, name: &str, want: impl Into<String>) {
        let got = self.table.get(name).map_or_else(|| "nothing".to_owned(), |node| format!("{} in {}", node.shown(), node.origin));
        self.problem(name, got, want);
    }

    pub fn problem(&mut self, name: &str, got: impl Into<String>, want: impl Into<String>) {
        let field = self.field(name);
        self.problems.push(Problem::new(field, got, want));
    }

    /// A setting that names something which is not there.
    pub fn unknown<'k>(&mut self, name: &str, given: &str, want: impl Into<String>, known: impl IntoIterator<Item = &'k str>) {
        let field = self.field(name);
        let got = self.table.get(name).map_or_else(|| format!("{given:?}"), |node| format!("{} in {}", node.shown(), node.origin));
        self.problems.push(Problem::new(field, got, want).unknown(given, known));
    }

    /// A problem that does not repeat what was written.
    pub fn secret(&mut self, field: &str, got: &str, want: &str) {
        self.problems.push(Problem::new(field, got, want));
    }

    pub fn text(&mut self, name: &'static str, want: &str) -> Option<String> {
        match &self.get(name)?.is {
            Is::Text(text) if !text.trim().is_empty() => Some(text.clone()),
            _ => {
                self.wrong(name, want);
                None
            }
        }
    }

    pub fn number(&mut self, name: &'static str, range: RangeInclusive<f64>, whole: bool) -> Option<f64> {
        let node = self.get(name)?;
        let number = match &node.is {
            Is::Number(number) => Some(*number),
            Is::Text(text) if matches!(node.origin.place, Place::Variable(_)) => text.trim().parse().ok(),
            _ => None,
        };
        match number {
            Some(number) if range.contains(&number) && (!whole || number.fract() == 0.0) => Some(number),
            _ => {
                let kind = if whole { "a whole number" } else { "a number" };
                let upto = if range.end().is_finite() { format!(" to {}", range.end()) } else { " or more".to_owned() };
                self.wrong(name, format!("{kind}, {}{upto}", range.start()));
                None
            }
        }
    }

    pub fn flag(&mut self, name: &'static str) -> Option<bool> {
        let node = self.get(name)?;
        let from_variable = matches!(node.origin.place, Place::Variable(_));
        match &node.is {
            Is::Flag(flag) => Some(*flag),
            Is::Text(text) if from_variable && matches!(text.as_str(), "true" | "1") => Some(true),
            Is::Text(text) if from_variable && matches!(text.as_str(), "false" | "0") => Some(false),
            _ => {
                self.wrong(name, "true or false");
                None
            }
        }
    }

    /// One of an enum's words.
    pub fn choice<T>(&mut self, name: &'static str, words: &[&str], parse: fn(&str) -> Option<T>) -> Option<T> {
        let node = self.get(name)?;
        if let Is::Text(text) = &node.is
            && let Some(value) = parse(text)
        {
            return Some(value);
        }
        let names: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
        let want = format!("one of {}", names.join(", "));
        match &node.is {
            Is::Text(text) => self.unknown(name, text, want, words.iter().copied()),
            _ => self.wrong(name, want),
        }
        None
    }

    /// Texts. A variable may also give them with commas between.
    pub fn list(&mut self, name: &'static str, want: &str) -> Option<Vec<String>> {
        let node = self.get(name)?;
        let texts = match &node.is {
            Is::List(items) => items
                .iter()
                .map(|item| match &item.is {
                    Is::Text(text) if !text.trim().is_empty() => Some(text.clone()),
                    _ => None,
                })
                .collect(),
            Is::Text(text) if matches!(node.origin.place, Place::Variable(_)) => {
                Some(text.split(',').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect())
            }
            _ => None,
        };
        if texts.is_none() {
            self.wrong(name, want);
        }
        texts
    }

    pub fn price(&mut self, name: &'static str) -> Option<Price> {
        let node = self.get(name)?;
        let Is::Table(table) = &node.is else {
            self.wrong(name, "{ input = 5.0, output = 25.0 }, in USD per million tokens");
            return None;
        };
        let field = self.field(name);
        let before = self.problems.len();
        let mut price = Section::new(field, table, self.problems);
        let input = price.number("input", 0.0..=f64::INFINITY, false);
        let cached_input = price.number("cached_input", 0.0..=f64::INFINITY, false);
        let output = price.number("output", 0.0..=f64::INFINITY, false);
        for (name, value) in [("input", input), ("output", output)] {
            if value.is_none() && !table.contains_key(name) {
                price.problem(name, "nothing", "USD per million tokens");
            }
        }
        price.finish();
        if self.problems.len() > before {
            return None;
        }
        Some(Price { input: input?, cached_input, output: output? })
    }

    /// One table inside this one.
    pub fn table(&mut self, name: &'static str) -> Option<&'a Table> {
        match &self.get(name)?.is {
            Is::Table(table) => Some(table),
            _ => {
                self.wrong(name, format!("a table, written [{name}]"));
                None
            }
        }
    }

    /// Each entry of a table of tables, by name.
    pub fn entries(&mut self, name: &'static str) -> Vec<(&'a String, &'a Table, &'a Origin)> {
        let Some(node) = self.get(name) else { return Vec::new() };
        let Is::Table(table) = &node.is else {
            self.wrong(name, format!("tables, written [{name}.NAME]"));
            return Vec::new();
        };
        let mut entries = Vec::new();
        for (entry, node) in table {
            match &node.is {
                Is::Table(inner) => entries.push((entry, inner, &node.origin)),
                _ => {
                    let field = format!("{}.{entry}", self.field(name));
                    self.problems.push(Problem::new(
                        field,
                        format!("{} in {}", node.shown(), node.origin),
                        format!("a table, written [{name}.{entry}]"),
                    ));
                }
            }
        }
        entries
    }

    /// Complains about what nobody asked for.
    pub fn finish(self) {
        for (name, node) in self.table {
            if !self.asked.contains(&name.as_str()) {
                let field = self.field(name);
                let got = format!("an unknown setting in {}", node.origin);
                let want = format!("one of {}", self.asked.join(", "));
                self.problems.push(Problem::new(field, got, want).unknown(name, self.asked.iter().copied()));
            }
        }
    }
}
