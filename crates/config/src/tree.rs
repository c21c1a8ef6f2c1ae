//! Settings as a tree that remembers where each one was written. Files and the environment both become such trees, and are laid over each
//! other here; what the settings mean is not known here.

use crate::origin::{Layer, Origin, Place};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use synod_types::Problem;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub(crate) type Table = BTreeMap<String, Node>;

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub origin: Origin,
    pub is: Is,
}

#[derive(Clone, Debug)]
pub(crate) enum Is {
    Table(Table),
    List(Vec<Node>),
    Text(String),
    Number(f64),
    Flag(bool),
}

impl Node {
    pub fn table(&self) -> Option<&Table> {
        match &self.is {
            Is::Table(table) => Some(table),
            _ => None,
        }
    }

    /// As a person would read it back, on one line.
    pub fn shown(&self) -> String {
        match &self.is {
            Is::Table(_) => "a table".to_owned(),
            Is::List(items) => format!("[{}]", items.iter().map(Node::shown).collect::<Vec<_>>().join(", ")),
            Is::Text(text) => format!("{text:?}"),
            Is::Number(number) => number.to_string(),
            Is::Flag(flag) => flag.to_string(),
        }
    }
}

/// Every syntax error of the file at once; what could be read is read.
pub(crate) fn of_file(path: &Path, text: &str, layer: Layer, problems: &mut Vec<Problem>) -> Table {
    let (table, errors) = DeTable::parse_recoverable(text);
    let file = Arc::new(path.to_path_buf());
    for error in errors {
        let line = error.span().map_or(1, |span| line_at(text, span.start));
        problems.push(Problem::new(format!("{} line {line}", path.display()), error.message(), "valid TOML"));
    }
    table_of(table.get_ref(), text, &file, layer)
}

fn line_at(text: &str, offset: usize) -> usize {
    text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count() + 1
}

fn table_of(table: &DeTable<'_>, text: &str, file: &Arc<PathBuf>, layer: Layer) -> Table {
    table.iter().map(|(key, value)| (key.get_ref().to_string(), node_of(value, key.span().start, text, file, layer))).collect()
}

fn node_of(value: &Spanned<DeValue<'_>>, at: usize, text: &str, file: &Arc<PathBuf>, layer: Layer) -> Node {
    let is = match value.get_ref() {
        DeValue::String(string) => Is::Text(string.to_string()),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Is::Number(number as f64),
            Err(_) => Is::Text(number.to_string()),
        },
        DeValue::Float(number) => number.as_str().parse().map_or_else(|_| Is::Text(number.to_string()), Is::Number),
        DeValue::Boolean(flag) => Is::Flag(*flag),
        DeValue::Datetime(when) => Is::Text(when.to_string()),
        DeValue::Array(items) => Is::List(items.iter().map(|item| node_of(item, item.span().start, text, file, layer)).collect()),
        DeValue::Table(table) => Is::Table(table_of(table, text, file, layer)),
    };
    Node { origin: Origin { layer, place: Place::File(file.clone(), line_at(text, at)) }, is }
}

/// Sections whose entries are replaced whole. An entry is one thing with one author: a working directory's endpoint must not inherit the
/// key of the user's endpoint of the same name.
const WHOLE: &[&str] = &["endpoints", "models", "panels"];

pub(crate) fn lay_over(under: &mut Table, over: Table) {
    for (name, node) in over {
        let merged = under.get_mut(&name).and_then(|old| match (&mut old.is, &node.is) {
            (Is::Table(old), Is::Table(_)) => Some(old),
            _ => None,
        });
        match (merged, node.is) {
            (Some(old), Is::Table(new)) => {
                for (entry, value) in new {
                    if WHOLE.contains(&name.as_str()) {
                        old.insert(entry, value);
                    } else {
                        lay_over(old, Table::from([(entry, value)]));
                    }
                }
            }
            (_, is) => {
                under.insert(name, Node { origin: node.origin, is });
            }
        }
    }
}
