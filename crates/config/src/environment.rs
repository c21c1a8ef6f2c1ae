//! Settings from the environment: `SYNOD_ENDPOINTS__LOCAL__BASE_URL` is `endpoints.local.base_url`.
//!
//! A name in the files is found whatever its case and punctuation (`SYNOD_MODELS__MY_MODEL__ID` sets `models.my-model.id`).

use crate::origin::{Layer, Origin, Place};
use crate::tree::{Is, Node, Table};
use std::collections::BTreeMap;
use toml::Value;

const PLAIN: &[&str] = &["db", "durability", "raw_retention_days"];

pub(crate) fn lay_over(tree: &mut Table, env: &BTreeMap<String, String>) {
    // An empty variable is one that is not set.
    for (variable, value) in env.iter().filter(|(_, value)| !value.is_empty()) {
        let Some(rest) = variable.strip_prefix("SYNOD_") else { continue };
        let path: Vec<String> = rest.split("__").map(str::to_lowercase).collect();
        let ours = match path.as_slice() {
            [name] => PLAIN.contains(&name.as_str()),
            // Two underscores are a setting's: a section that is none is told as one in a file is.
            parts => parts.iter().all(|part| !part.is_empty()),
        };
        if ours {
            let origin = Origin { layer: Layer::Own, place: Place::Variable(variable.clone()) };
            set(tree, &path, node(value, &origin));
        }
    }
}

fn set(tree: &mut Table, path: &[String], node: Node) {
    let Some((first, rest)) = path.split_first() else { return };
    let plain = |name: &str| name.to_lowercase().replace(['-', '.'], "_");
    let name = tree.keys().find(|name| plain(name) == *first).cloned().unwrap_or_else(|| first.clone());
    if rest.is_empty() {
        tree.insert(name, node);
        return;
    }
    let origin = node.origin.clone();
    let entry = tree.entry(name).or_insert_with(|| Node { origin, is: Is::Table(Table::new()) });
    if !matches!(entry.is, Is::Table(_)) {
        entry.is = Is::Table(Table::new());
    }
    if let Is::Table(table) = &mut entry.is {
        set(table, rest, node);
    }
}

/// Lists and tables are written as in TOML; everything else is taken as it stands and read by what the setting needs.
fn node(value: &str, origin: &Origin) -> Node {
    let structured = value.trim_start().starts_with(['[', '{']);
    let parsed = structured.then(|| toml::from_str::<toml::Table>(&format!("value = {value}")).ok()).flatten();
    match parsed.and_then(|mut table| table.remove("value")) {
        Some(value) => node_of(value, origin),
        None => Node { origin: origin.clone(), is: Is::Text(value.to_owned()) },
    }
}

fn node_of(value: Value, origin: &Origin) -> Node {
    let is = match value {
        Value::String(text) => Is::Text(text),
        Value::Integer(number) => Is::Number(number as f64),
        Value::Float(number) => Is::Number(number),
        Value::Boolean(flag) => Is::Flag(flag),
        Value::Datetime(when) => Is::Text(when.to_string()),
        Value::Array(items) => Is::List(items.into_iter().map(|item| node_of(item, origin)).collect()),
        Value::Table(table) => Is::Table(table.into_iter().map(|(name, value)| (name, node_of(value, origin))).collect()),
    };
    Node { origin: origin.clone(), is }
}
