//! Modes of a few lines, each for one thing the engine must hold: people, tools, and modes that break the rules.
//!
//! None of them is offered to a user: they are in no list but this one.

mod misuse;
mod person;
mod tools;

pub use misuse::{PANICS, TWICE};
pub use person::PERSON;
pub use tools::{Abacus, TOOLS};

use futures::future::BoxFuture;
use serde_json::json;
use synod_engine::{Abilities, Bench, Example, Family, Mode, ModeResult, PlannedCalls, Result, Role, each};
use synod_types::{Answer, AnswerKind, Json, SeatIx};

pub static TINY: &[&Mode] = &[&PERSON, &TOOLS, &TWICE, &PANICS];

const ROLES: &[Role] = &[each("member")];

const fn mode(
    id: &'static str,
    phases: &'static [&'static str],
    prompts: &'static [(&'static str, &'static str)],
    run: fn(Bench, Json) -> BoxFuture<'static, Result<ModeResult>>,
) -> Mode {
    Mode {
        id,
        version: 1,
        name: id,
        family: Family::Verification,
        summary: "for tests",
        pick: "Never.",
        seats: (1, 3),
        roles: ROLES,
        phases,
        stages: &[],
        figures: &[],
        left_out: &[],
        request_names: &[],
        multi_turn: false,
        estimated_ms: 1000,
        turn_secs: 10,
        run_secs: 60,
        cost: "at most 8n",
        example: Example::ask(""),
        failure_rule: "None.",
        prompts,
        options_schema: || json!({"type": "object", "properties": {}}),
        option_defaults: || json!({}),
        seats_from_options: |_, _| Vec::new(),
        prepare: |_, _| Vec::new(),
        check: |_| Vec::new(),
        check_seating: |_, _| Vec::new(),
        decision_schema: || json!({}),
        abilities: Abilities::NONE,
        calls: |_, seating| {
            let n = seating.panel();
            vec![PlannedCalls { prompt: "say", role: "member", min: 0, max: 8 * n, reads: 0, max_tokens: None }]
        },
        run,
    }
}

fn found(text: String, by: Vec<SeatIx>) -> ModeResult {
    ModeResult::ended("finished", Answer { kind: AnswerKind::Report, text, by })
}
