//! The parsed data of decompose's stored rows.

use super::{Complexity, Expertise};
use schemars::JsonSchema;
use serde::Serialize;
use synod_types::row_data;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanRow {
    /// Always "plan".
    pub r#type: &'static str,
    pub tasks: Vec<TaskEntry>,
    /// Ids of the parts that can be done side by side, wave after wave.
    pub execution_waves: Vec<Vec<String>>,
    /// Ids of the parts on the path with the most work, by their stated complexity.
    pub critical_path: Vec<String>,
    pub max_parallelism: usize,
    pub assignments: Vec<Assignment>,
}

/// A part as prompts, stored rows and the verdict list it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskEntry {
    pub id: String,
    pub title: String,
    pub description: String,
    /// Ids of the parts it needs.
    pub dependencies: Vec<String>,
    /// Null where the planner stated none.
    pub complexity: Option<Complexity>,
    pub expertise: Option<Expertise>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Assignment {
    pub task_id: String,
    pub model: String,
    pub wave_number: u32,
}

/// What one seat made of a part. A part that a seat failed at and another did has a row of each.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskRow {
    pub task_id: String,
    pub title: String,
    pub wave_number: u32,
    /// Ids of the parts whose results it was given.
    pub dependencies_used: Vec<String>,
    /// Null for a seat that failed.
    pub word_count: Option<u32>,
    pub complexity: Option<Complexity>,
    pub expertise: Option<Expertise>,
    pub assigned_model: String,
    /// Another than the assigned one if that failed; null for a seat that failed.
    pub done_by_model: Option<String>,
    pub failed: bool,
    pub failure_reason: Option<String>,
    /// How long its model took, as recorded. 0 for a seat that failed, and for built-in voices.
    pub response_time_ms: u64,
}

/// Parts by id.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraphRow {
    pub done: Vec<String>,
    pub failed: Vec<String>,
    /// The path that took longest; where no time is recorded, the one with the most work.
    pub critical_path: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssemblyRow {
    pub tasks_assembled: usize,
    pub missing_tasks: Vec<String>,
    pub word_count: u32,
    pub total_waves: usize,
    #[serde(flatten)]
    pub times: Times,
}

/// The run in time, from what the journal recorded of each turn. All 0 with built-in voices.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Times {
    /// Of the parts on the critical path.
    pub critical_path_ms: u64,
    /// Plan, critical path and assembly.
    pub total_pipeline_ms: u64,
    /// The time of all parts by that total: above 1 where more was done side by side than one after another. 1 where no time is recorded.
    pub parallelism_efficiency: f64,
}

row_data!(PlanRow, TaskRow, GraphRow, AssemblyRow);

/// What the verdict keeps beside answer and decision.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerdictData {
    pub tasks: Vec<TaskEntry>,
    pub critical_path: Vec<String>,
    pub max_parallelism: usize,
    #[serde(flatten)]
    pub times: Times,
}
