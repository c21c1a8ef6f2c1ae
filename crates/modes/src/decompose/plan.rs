//! The plan: what a planner may say, how its text form is read, and the sound plan made of it.

use super::assign::assign;
use super::rows::TaskEntry;
use crate::text::{bare, blocks, field, token};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{IdLists, TypedReply};
use synod_math::Dag;
use synod_types::{Edge, Graph, Millis, Node, SeatIx, words};

/// How many ids a plan may name: more than the parts it may have, because a plan that is too long is cut, not refused.
pub const MOST_IDS: usize = 20;

/// A request taken apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// How the request falls into parts and which part needs which, in at most 80 words.
    pub reasons: String,
    /// The parts, from groundwork to what is delivered. By their place they are called task_1, task_2, and so on.
    #[schemars(length(min = 1))]
    pub tasks: Vec<Draft>,
}

/// One part as the planner put it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Draft {
    /// A few words.
    pub title: String,
    /// What this part must deliver, in 25 to 80 words, for somebody who sees only the request and the parts it needs.
    pub description: String,
    /// The parts whose results this one cannot do without. Empty if it can be begun at once.
    #[schemars(extend("items" = {"type": "string", "x-ids": "tasks"}))]
    pub depends_on: Vec<String>,
    /// How much work it is.
    pub complexity: Option<Complexity>,
    /// What it calls for most.
    pub expertise: Option<Expertise>,
}

words! {
    pub enum Complexity { Low = "LOW", Medium = "MEDIUM", High = "HIGH" }
}

impl Complexity {
    /// What a part counts on the longest path. Without a stated complexity it counts as medium.
    fn weight(complexity: Option<Self>) -> u32 {
        match complexity {
            Some(Self::Low) => 1,
            Some(Self::Medium) | None => 2,
            Some(Self::High) => 3,
        }
    }
}

words! {
    pub enum Expertise { Technical = "technical", Creative = "creative", Analytical = "analytical", General = "general" }
}

const LABELS: [&str; 6] = ["Title", "Description", "Dependencies", "Depends on", "Complexity", "Expertise"];

impl TypedReply for Plan {
    /// `TASK task_n:` blocks with labelled lines, each read by itself: a line that says nothing readable costs only itself.
    fn from_text(text: &str, terms: &IdLists) -> Option<Self> {
        let found = blocks(text, "TASK");
        if found.is_empty() {
            return None;
        }
        // A number written twice means its first bearer; the second is known by its place alone.
        let written: Vec<Option<u32>> = found.iter().map(|block| number(&block.id)).collect();
        let known = terms.list("tasks");
        let drafts = found.iter().enumerate().map(|(at, block)| {
            let value = |label: &str| field(&block.body, label, &LABELS);
            let needs = value("Dependencies").or_else(|| value("Depends on")).map(|list| numbers_in(&list)).unwrap_or_default();
            // A number beyond the last part is kept, so that it can be said that there is no such part.
            let place = |need: u32| {
                let beyond = (need as usize).checked_sub(1).filter(|place| *place >= found.len());
                written.iter().position(|number| *number == Some(need)).or(beyond)
            };
            let places = needs.into_iter().filter_map(place);
            let title = value("Title").or_else(|| Some(block.title.clone()).filter(|title| !title.is_empty()));
            Draft {
                title: title.unwrap_or_else(|| format!("Part {}", at + 1)),
                description: value("Description").unwrap_or_default(),
                depends_on: places.map(id).filter(|id| known.contains(id)).collect(),
                complexity: value("Complexity").and_then(|value| Complexity::parse(token(&value, &Complexity::WORDS)?)),
                expertise: value("Expertise").and_then(|value| Expertise::parse(token(&value, &Expertise::WORDS)?)),
            }
        });
        let before = text.lines().take_while(|line| blocks(line, "TASK").is_empty());
        let reasons = bare(&before.collect::<Vec<_>>().join("\n")).to_owned();
        Some(Self { reasons, tasks: drafts.collect() })
    }
}

/// The id of the part at this place.
pub fn id(place: usize) -> String {
    format!("task_{}", place + 1)
}

fn number(written: &str) -> Option<u32> {
    written.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()
}

/// The numbers of the parts a list names: `task_1 and task_3`, `[task_1]`, `Task 2`; bare numbers only where there is nothing else.
fn numbers_in(list: &str) -> Vec<u32> {
    let lower = list.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()).collect();
    let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit());
    let only_numbers = words.iter().all(|word| is_number(word) || ["and", "task", "tasks"].contains(word));
    let mut found: Vec<u32> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let after_task = at > 0 && ["task", "tasks"].contains(&words[at - 1]);
        let digits = word.strip_prefix("task").map(|rest| rest.trim_start_matches('_'));
        let digits = digits.or_else(|| (only_numbers || after_task).then_some(word));
        let read = digits.filter(|digits| is_number(digits)).and_then(|digits| digits.parse().ok());
        if let Some(read) = read.filter(|read| !found.contains(read)) {
            found.push(read);
        }
    }
    found
}

/// One part of a sound plan.
#[derive(Clone, Debug)]
pub struct Task {
    pub id: String,
    pub draft: Draft,
    /// How many must come before it, from 1.
    pub wave: u32,
    /// Who is to do it.
    pub seat: SeatIx,
}

impl Task {
    /// What readers know it by.
    pub fn name(&self) -> String {
        format!("{}: {}", self.id, self.draft.title)
    }
}

/// A plan that can be carried out.
pub struct Schedule {
    pub tasks: Vec<Task>,
    pub dag: Dag,
    pub waves: Vec<Vec<usize>>,
    /// The path with the most work, by what the planner says of each part.
    pub critical: Vec<usize>,
    /// Titles of parts beyond the limit.
    pub left_out: Vec<String>,
    /// Who named which part that is not in the plan.
    pub unknown: Vec<(String, String)>,
}

impl Schedule {
    /// Cuts what is too much, drops references to what is not there, breaks circles, and deals the parts to the workers.
    pub fn of(plan: Plan, max_tasks: usize, workers: &[SeatIx], tags: &[Expertise]) -> Self {
        let mut drafts = plan.tasks;
        let planned = drafts.len();
        let left_out: Vec<String> = drafts.drain(max_tasks.min(drafts.len())..).map(|draft| draft.title).collect();
        let mut unknown = Vec::new();
        let mut edges = Vec::new();
        for (to, draft) in drafts.iter().enumerate() {
            for needed in &draft.depends_on {
                match (0..planned).find(|place| id(*place) == *needed) {
                    // Edges from what was left out fall away by themselves.
                    Some(from) => edges.push((from, to)),
                    None => unknown.push((id(to), needed.clone())),
                }
            }
        }
        let dag = Dag::of(drafts.len(), &edges);
        let waves = dag.waves();
        let weights: Vec<u32> = drafts.iter().map(|draft| Complexity::weight(draft.complexity)).collect();
        let critical = dag.longest(&weights);
        let needs: Vec<Option<Expertise>> = drafts.iter().map(|draft| draft.expertise).collect();
        let tags: Vec<Option<Expertise>> = (0..workers.len()).map(|worker| tags.get(worker).copied()).collect();
        let dealt = assign(&waves.concat(), &needs, &tags);
        let tasks = drafts.into_iter().zip(dealt).enumerate().map(|(place, (draft, worker))| Task {
            id: id(place),
            draft,
            wave: waves.iter().position(|wave| wave.contains(&place)).map_or(1, |wave| wave as u32 + 1),
            seat: workers[worker],
        });
        Self { tasks: tasks.collect(), dag, waves, critical, left_out, unknown }
    }

    pub fn ids(&self, places: &[usize]) -> Vec<String> {
        places.iter().map(|place| self.tasks[*place].id.clone()).collect()
    }

    pub fn widest(&self) -> usize {
        self.waves.iter().map(Vec::len).max().unwrap_or(0)
    }

    pub fn entries(&self) -> Vec<TaskEntry> {
        let entry = |(place, task): (usize, &Task)| TaskEntry {
            id: task.id.clone(),
            title: task.draft.title.clone(),
            description: task.draft.description.clone(),
            dependencies: self.ids(&self.dag.inputs(place)),
            complexity: task.draft.complexity,
            expertise: task.draft.expertise,
        };
        self.tasks.iter().enumerate().map(entry).collect()
    }

    /// The path that took longest. Where no time is recorded, the one with the most work.
    pub fn slowest(&self, ms: &[u64]) -> Vec<usize> {
        let weights: Vec<u32> = ms.iter().map(|ms| u32::try_from(*ms).unwrap_or(u32::MAX)).collect();
        if weights.iter().all(|weight| *weight == 0) { self.critical.clone() } else { self.dag.longest(&weights) }
    }

    /// The plan as a picture; `progress` gives each part's state, who did it, a note, and how long it took.
    pub fn graph(&self, critical: &[usize], progress: impl Fn(usize) -> (&'static str, SeatIx, String, Option<Millis>)) -> Graph {
        let nodes = self.tasks.iter().enumerate().map(|(place, task)| {
            let (state, seat, note, ms) = progress(place);
            let (id, title) = (task.id.clone(), task.draft.title.clone());
            Node { id, title, seat: Some(seat), wave: task.wave, state: state.into(), note, critical: critical.contains(&place), ms }
        });
        let edge = |cut: bool| move |(from, to): &(usize, usize)| Edge { from: id(*from), to: id(*to), cut };
        let edges = self.dag.edges.iter().map(edge(false)).chain(self.dag.cut.iter().map(edge(true)));
        Graph { nodes: nodes.collect(), edges: edges.collect() }
    }
}
