//! The registry's facts: fifteen modes that others know by these names, seats and times.

use crate::MODES;
use synod_engine::Family::{self, *};

type Known = (&'static str, &'static str, Family, (u32, u32), bool, bool, i64);

/// Id, name, family, seats with the special role counted, whether there is one, follow-ups, usual time in milliseconds.
const KNOWN: [Known; 15] = [
    ("council", "Council", Evaluation, (3, 7), true, true, 120_000),
    ("vote", "Vote", Evaluation, (3, 7), true, true, 90_000),
    ("jury", "Jury", Evaluation, (4, 7), true, false, 90_000),
    ("debate", "Debate", Evaluation, (3, 6), false, false, 180_000),
    ("delphi", "Delphi", Evaluation, (4, 8), true, false, 300_000),
    ("red_team", "Red Team", Adversarial, (2, 3), false, false, 180_000),
    ("chain", "Chain", Sequential, (2, 6), false, false, 240_000),
    ("specialist_panel", "Specialist Panel", RoleBased, (3, 7), true, false, 150_000),
    ("blueprint", "Blueprint", RoleBased, (2, 8), false, false, 300_000),
    ("peer_review", "Peer Review", RoleBased, (3, 7), true, false, 150_000),
    ("tournament", "Tournament", Algorithmic, (5, 9), true, false, 180_000),
    ("confidence_weighted", "Confidence-Weighted", Algorithmic, (2, 6), false, true, 90_000),
    ("decompose", "Decompose", Algorithmic, (2, 6), false, false, 180_000),
    ("brainstorm", "Brainstorm", Creative, (3, 6), false, false, 180_000),
    ("fact_check", "Fact-Check", Verification, (3, 6), false, false, 180_000),
];

#[test]
fn the_fifteen_modes_are_those_of_the_registry() {
    for (id, name, family, seats, special, multi_turn, estimated_ms) in KNOWN {
        let mode = MODES.iter().find(|mode| mode.id == id).unwrap_or_else(|| panic!("there is no mode {id}"));
        let got = (mode.name, mode.family, mode.seats, mode.special_role().is_some(), mode.multi_turn, mode.estimated_ms);
        assert_eq!(got, (name, family, seats, special, multi_turn, estimated_ms), "{id}");
    }
}

#[test]
fn every_mode_is_described_for_people_and_no_two_share_an_id() {
    for (i, mode) in MODES.iter().enumerate() {
        assert!(MODES[..i].iter().all(|other| other.id != mode.id), "{} twice", mode.id);
        for (what, text) in [("summary", mode.summary), ("pick", mode.pick), ("failure rule", mode.failure_rule), ("cost", mode.cost)] {
            assert!(!text.is_empty() && !text.contains('!') && !text.contains('\n'), "{}: {what}: {text:?}", mode.id);
        }
        assert!(!mode.example.question.is_empty(), "{}", mode.id);
        let text = |text: &str| synod_engine::OptionValue::Text(text.to_owned());
        let example: Vec<_> = mode.example.options.iter().map(|(name, value)| ((*name).to_owned(), text(value))).collect();
        assert!(synod_engine::options::resolve(mode, &example).is_ok(), "{}: {:?}", mode.id, mode.example);
        assert!(!mode.phases.is_empty() && !mode.stages.is_empty() && !mode.prompts.is_empty(), "{}", mode.id);
        assert!(mode.turn_secs >= 120 && mode.run_secs >= 600, "{}", mode.id);
    }
}
