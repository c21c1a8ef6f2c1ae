//! One turn that may add numbers, in at most two further requests.

use super::{found, mode};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use synod_engine::{Mode, Toolbox, prompt};
use synod_types::ToolDef;

/// Adds, and counts how often it was used in this process.
pub struct Abacus;

static USED: AtomicU32 = AtomicU32::new(0);

impl Abacus {
    pub const STEPS: u32 = 2;

    pub fn used() -> u32 {
        USED.load(Ordering::SeqCst)
    }
}

impl Toolbox for Abacus {
    fn tools(&self) -> Vec<ToolDef> {
        let number = json!({"type": "integer", "minimum": 0, "maximum": 99});
        let input = json!({"type": "object", "properties": {"a": number, "b": number}, "required": ["a", "b"], "additionalProperties": false});
        vec![ToolDef { name: "add".into(), description: "Adds two numbers.".into(), input }]
    }
    fn call(&self, _name: &str, input: &Value) -> Result<String, String> {
        USED.fetch_add(1, Ordering::SeqCst);
        match (input["a"].as_i64(), input["b"].as_i64()) {
            (Some(a), Some(b)) => Ok((a + b).to_string()),
            _ => Err("a and b must be numbers".into()),
        }
    }
}

pub static TOOLS: Mode = mode("tools", &["work"], &[("say", "# user\n{{ question }}")], |bench, _| {
    Box::pin(async move {
        let given = bench.phase("work").ask_with_tools::<String>(0, prompt!("say"), Arc::new(Abacus), Abacus::STEPS).await?;
        Ok(found(given.map_or_else(|missed| missed.failure.to_string(), |(given, _)| given.value), vec![0]))
    })
});
