//! A run as a client needs it after a reload: what it is, what was shown so far by stage, where it stands, and what it waits for.

use crate::view::{Outcome, View};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use synod_types::{Asking, Millis, RunState, SeatIx, Status, Stopped, Verdict, answer_message};

/// A run up to the row `seq`. Events after it follow at `/events?after=` that number.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Snapshot {
    pub id: String,
    pub mode: String,
    pub state: RunState,
    /// The verdict's, once there is one.
    pub status: Option<Status>,
    pub question: String,
    pub title: Option<String>,
    pub parent: Option<String>,
    pub conversation: Option<String>,
    /// The id that its answer has, or will have, as a message.
    pub message: String,
    /// Built-in voices spoke: nothing here is anybody's opinion.
    pub rehearsal: bool,
    pub seats: Vec<SnapshotSeat>,
    pub phases: Vec<SnapshotPhase>,
    /// What was shown, by stage type, each in the order in which it came.
    pub stages: BTreeMap<String, Vec<SnapshotStage>>,
    /// The phase under way.
    pub current_stage: Option<String>,
    /// Something is still to come without anybody doing anything.
    pub loading: bool,
    /// Why it ended without an answer.
    pub error: Option<String>,
    pub stopped: Option<Stopped>,
    /// Questions to a person that nobody has answered.
    pub waiting: Vec<SnapshotQuestion>,
    pub warnings: Vec<String>,
    /// Turns under way, by key.
    pub turns_under_way: Vec<String>,
    pub created_at: Option<Millis>,
    /// From its first row to its last, or to now while it runs.
    pub elapsed_ms: Millis,
    /// The known part of what it has cost.
    pub spent_usd: Option<f64>,
    pub verdict: Option<Verdict>,
    pub seq: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SnapshotSeat {
    pub index: SeatIx,
    pub label: String,
    pub model: String,
    pub roles: Vec<String>,
    pub persona: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SnapshotPhase {
    pub phase: String,
    pub n: Option<u32>,
    pub began: Millis,
    pub ended: Option<Millis>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SnapshotStage {
    /// The phase it was shown in, with its number.
    pub phase: String,
    pub title: String,
    pub seat: Option<SeatIx>,
    pub role: Option<String>,
    /// The words of it, where it has any; what a seat filled into a form is in `shape` and `data`.
    pub content: Option<String>,
    /// Its shape and what belongs to it: `kind` says which.
    pub shape: Value,
    /// The parsed data of the stored row; its schema is the mode's.
    pub data: Option<Value>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SnapshotQuestion {
    pub key: String,
    #[serde(flatten)]
    pub asking: Asking,
}

impl Snapshot {
    /// `state` as storage knows it: whether a process still lives is in no row.
    pub fn of(view: &View, state: RunState, now: Millis) -> Self {
        let header = view.header.as_ref();
        let running = state == RunState::Running;
        let mut stages: BTreeMap<String, Vec<SnapshotStage>> = BTreeMap::new();
        for phase in &view.phases {
            for shown in &phase.exhibits {
                stages.entry(shown.stage.clone()).or_default().push(SnapshotStage {
                    phase: phase.scope.clone(),
                    title: shown.exhibit.title.clone(),
                    seat: shown.exhibit.seat,
                    role: shown.exhibit.role.clone(),
                    content: view.prose(&shown.exhibit),
                    shape: serde_json::to_value(&shown.exhibit.shape).unwrap_or_default(),
                    data: shown.exhibit.row(),
                });
            }
        }
        let phases: Vec<SnapshotPhase> = view
            .phases
            .iter()
            .filter_map(|phase| {
                let mark = phase.mark.as_ref()?;
                Some(SnapshotPhase { phase: mark.name.clone(), n: mark.n, began: phase.began, ended: phase.ended })
            })
            .collect();
        let verdict = view.verdict.clone();
        let until = if running { now } else { view.last.unwrap_or(now) };
        Self {
            id: view.run.clone(),
            mode: view.mode().to_owned(),
            state,
            status: verdict.as_ref().map(|verdict| verdict.status),
            question: header.map(|header| header.question.text.clone()).unwrap_or_default(),
            title: view.title.clone(),
            parent: header.and_then(|header| header.parent.clone()),
            conversation: header.and_then(|header| header.conversation.clone()),
            message: answer_message(&view.run),
            rehearsal: view.rehearsal(),
            seats: header.map(seats).unwrap_or_default(),
            current_stage: phases.iter().rev().find(|phase| running && phase.ended.is_none()).map(|phase| phase.phase.clone()),
            phases,
            stages,
            loading: running,
            error: verdict.as_ref().filter(|verdict| !verdict.status.completes()).map(|verdict| verdict.stop_reason.clone()),
            stopped: view.stop().cloned(),
            waiting: view
                .waiting
                .iter()
                .filter(|waiting| waiting.answer.is_none() && verdict.is_none())
                .map(|waiting| SnapshotQuestion { key: waiting.key.clone(), asking: waiting.asking.clone() })
                .collect(),
            warnings: view.warnings.clone(),
            turns_under_way: view.turns().filter(|turn| running && turn.outcome == Outcome::Running).map(|turn| turn.key.clone()).collect(),
            created_at: view.began,
            elapsed_ms: view.began.map_or(0, |began| (until - began).max(0)),
            spent_usd: view.ledger.spent(),
            verdict,
            seq: view.seq,
        }
    }
}

fn seats(header: &synod_types::Header) -> Vec<SnapshotSeat> {
    let roles_of = |index: SeatIx| header.roles.iter().filter(|(_, seats)| seats.contains(&index)).map(|(name, _)| name.clone()).collect();
    header
        .seats
        .iter()
        .map(|seat| SnapshotSeat {
            index: seat.index,
            label: seat.label.clone(),
            model: seat.model.clone(),
            roles: roles_of(seat.index),
            persona: seat.persona.clone(),
        })
        .collect()
}
