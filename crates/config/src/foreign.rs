//! What the file of a working directory may do that the user has not trusted: add endpoints, models and panels of its own, used when they are
//! named. It changes nothing of the user's: names that the user's own file, a provider or detection gives stay what they are, and so do limits,
//! efforts and the prices of endpoints that are not its own. What it would have changed is named.

use crate::tree::{Is, Node, Table};
use crate::{BUILT_IN, Config, EndpointConfig, ModelConfig, PanelConfig, REHEARSAL};
use std::collections::{BTreeMap, BTreeSet};

/// Entries of such a file, kept apart from the user's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Foreign {
    pub endpoints: BTreeMap<String, EndpointConfig>,
    pub models: BTreeMap<String, ModelConfig>,
    pub panels: BTreeMap<String, PanelConfig>,
    /// How the user would trust the directory.
    pub trust_line: String,
    /// The user agreed to its endpoints, for this once.
    pub accepted: bool,
}

impl Config {
    /// Lays what an untrusted directory adds under all the rest. Whatever is here by then keeps its name.
    pub fn admit_foreign(&mut self) {
        let foreign = self.foreign.clone();
        for (name, endpoint) in foreign.endpoints {
            if !self.endpoints.contains_key(&name) && name != REHEARSAL {
                if !foreign.accepted {
                    self.untrusted.insert(name.clone());
                }
                self.endpoints.insert(name, endpoint);
            }
        }
        for (name, mut model) in foreign.models {
            if !self.models.contains_key(&name) {
                model.price = model.price.filter(|_| self.foreign.endpoints.get(&model.endpoint) == self.endpoints.get(&model.endpoint));
                self.admitted.insert(name.clone());
                self.models.insert(name, model);
            }
        }
        for (name, panel) in foreign.panels {
            self.panels.entry(name).or_insert(panel);
        }
    }
}

/// Takes out of a directory's settings what is the user's alone, and says so.
pub(crate) fn set_aside(over: &mut Table, own: &Table) -> Vec<String> {
    let mut left_out = Vec::new();
    if let Some(node) = over.remove("limits") {
        left_out.push(format!("[limits] in {}: limits are yours alone", node.origin));
    }
    // What the environment gives no more than a field of is not the user's by that.
    let whole = |entry: &Node| entry.table().is_some_and(|fields| ["kind", "id", "seats"].iter().any(|field| fields.contains_key(*field)));
    let names = |section: &str| -> BTreeSet<String> {
        own.get(section).and_then(Node::table).into_iter().flatten().filter(|(_, entry)| whole(entry)).map(|(name, _)| name.clone()).collect()
    };
    for (section, given) in [("endpoints", BUILT_IN.as_slice()), ("models", &[]), ("panels", &["default"])] {
        let Some(Node { is: Is::Table(table), .. }) = over.get_mut(section) else { continue };
        let yours = names(section);
        table.retain(|name, node| {
            let whose = if yours.contains(name) { Some("your own") } else { given.contains(&name.as_str()).then_some("the usual") };
            if let Some(whose) = whose {
                left_out.push(format!("{section}.{name} in {}: it would replace {whose}", node.origin));
            }
            whose.is_none()
        });
        if table.is_empty() {
            over.remove(section);
        }
    }
    let theirs: BTreeSet<String> = over.get("endpoints").and_then(Node::table).map(|table| table.keys().cloned().collect()).unwrap_or_default();
    for section in ["endpoints", "models"] {
        let Some(Node { is: Is::Table(table), .. }) = over.get_mut(section) else { continue };
        for (name, node) in table {
            let Is::Table(fields) = &mut node.is else { continue };
            for field in ["effort", "thinking_tokens"] {
                if let Some(node) = fields.remove(field) {
                    left_out.push(format!("{section}.{name}.{field} in {}: how much models think is yours alone to say", node.origin));
                }
            }
            let its_own = matches!(fields.get("endpoint").map(|node| &node.is), Some(Is::Text(endpoint)) if theirs.contains(endpoint));
            if section == "models"
                && !its_own
                && let Some(node) = fields.remove("price")
            {
                left_out.push(format!("{section}.{name}.price in {}: its endpoint is not its own", node.origin));
            }
        }
    }
    left_out
}
