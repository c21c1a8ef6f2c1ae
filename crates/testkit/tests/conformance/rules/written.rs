//! Modes that write one text in parts or steps.

use super::{Found, Seen, list, text};
use serde_json::Value;
use std::collections::BTreeMap;

fn words(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}

fn numbers(value: &Value, field: &str) -> Vec<u64> {
    list(value, field).iter().filter_map(Value::as_u64).collect()
}

pub fn chain(seen: &Seen, found: &mut Found) {
    let (done, skipped) = (numbers(&seen.decision, "completed_steps"), numbers(&seen.decision, "skipped_steps"));
    let steps = seen.data("chain_step_*");
    let mut all: Vec<u64> = done.iter().chain(&skipped).copied().collect();
    all.sort_unstable();
    found.same(all.clone(), (1..=all.len() as u64).collect(), "every step is done or skipped, once");
    found.same(done.last().copied(), seen.decision["last_step"].as_u64(), "the last step and the answer's");
    found.same(seen.decision["words"].as_u64(), Some(words(seen.answer())), "words told and words there");
    // A step that somebody else wrote in the end has two rows.
    let last: BTreeMap<u64, bool> = steps.iter().filter_map(|step| Some((step["step"].as_u64()?, step["skipped"] == true))).collect();
    for (number, left_out) in last {
        found.same(left_out, skipped.contains(&number), "a step skipped in its row and in the decision");
    }
    let told = format!("{} of {} steps were taken", done.len(), all.len());
    found.must(seen.summary().starts_with(&told), format!("{told}: {}", seen.summary()));
    found.count(if skipped.is_empty() { "every step" } else { "steps skipped" });
}

pub fn blueprint(seen: &Seen, found: &mut Found) {
    let outline = seen.data("outline").pop().unwrap_or_default();
    let sections = list(&outline, "sections").len() as u64;
    let missing = numbers(&seen.decision, "missing");
    found.same(seen.decision["sections"].as_u64(), Some(sections), "sections told and planned");
    for section in list(&outline, "sections") {
        found.must(seen.answer().contains(text(section, "title")), format!("{} is not in the document", text(section, "title")));
    }
    let told = format!("{} of {sections} section", sections - missing.len() as u64);
    found.must(seen.summary().starts_with(&told), format!("{told}: {}", seen.summary()));
    let words = seen.decision["words"].as_u64().unwrap_or(0);
    found.must(seen.summary().contains(&format!("{words} words")), format!("{words} words: {}", seen.summary()));
    let todos = list(&seen.decision, "todos").len();
    found.same(seen.summary().contains("still to be done"), todos > 0, "marks of what is to be done");
    found.must(todos == 0 || seen.summary().contains(&format!("{todos} marked")), format!("{todos} marked: {}", seen.summary()));
    found.count(if todos > 0 { "still to be done" } else { "complete" });
    found.count_if(!missing.is_empty(), "sections missing");
}

pub fn decompose(seen: &Seen, found: &mut Found) {
    let plan = seen.data("plan").pop().unwrap_or_default();
    let graph = seen.data("graph").pop().unwrap_or_default();
    let tasks = list(&plan, "tasks").len() as u64;
    let (done, failed) = (list(&graph, "done").len() as u64, list(&graph, "failed").len() as u64);
    found.same(seen.decision["tasks"].as_u64(), Some(tasks), "parts told and planned");
    found.same(done + failed, tasks, "every part is done or failed");
    found.same(seen.decision["done"].as_u64(), Some(done), "parts done");
    found.same(list(&seen.decision, "failed"), list(&graph, "failed"), "parts failed");
    let waves = list(&plan, "executionWaves");
    found.same(seen.decision["waves"].as_u64(), Some(waves.len() as u64), "steps");
    // No part comes before what it needs.
    let wave = |id: &Value| waves.iter().position(|wave| wave.as_array().is_some_and(|ids| ids.contains(id)));
    for task in list(&plan, "tasks") {
        for need in list(task, "dependencies") {
            found.must(wave(need) < wave(&task["id"]), format!("{} comes before what it needs", text(task, "id")));
        }
    }
    let path = list(&graph, "criticalPath");
    found.must(path.windows(2).all(|two| wave(&two[0]) < wave(&two[1])), "the critical path goes back");
    let told = format!("{done} of {tasks} parts were done");
    found.must(seen.summary().starts_with(&told), format!("{told}: {}", seen.summary()));
    found.count(if failed == 0 { "every part" } else { "parts failed" });
}
