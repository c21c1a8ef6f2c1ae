//! The stored rows of a run: stage names, order, who, and the parsed data each mode promises.

use crate::voices;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;
use synod_store::{StageRow, Store, StoreSettings};
use synod_testkit::rig::{Rig, order, verdict};
use synod_types::Status;

/// Stage name, its place, whether a model is named, the role, and the fields of its parsed data.
type Promise = (&'static str, bool, Option<&'static str>, &'static [&'static str]);

const COUNCIL: &[Promise] = &[
    ("label_map", false, None, &[]),
    ("collect", true, Some("member"), &["responseTimeMs"]),
    ("rank", true, Some("evaluator"), &["parsedRanking"]),
    ("aggregate", false, None, &["aggregateRankings", "tieRung"]),
    ("synthesis", true, Some("chairman"), &["responseTimeMs"]),
];

const VOTE: &[Promise] = &[
    ("label_map", false, None, &[]),
    ("collect", true, Some("respondent"), &["responseTimeMs"]),
    ("vote", true, Some("voter"), &["votedFor", "selfVote"]),
    ("vote_tally", false, None, &["tallies", "validVoteCount", "invalidVoteCount", "isTie", "winners", "tiedLabels"]),
    ("tiebreaker", true, Some("chairman"), &["votedFor", "tiedLabels", "tiedVoteCount"]),
    ("winner", true, Some("winner"), &["winnerLabel", "winnerModel", "voteCount", "totalVotes", "tiebroken", "tiebreakMethod"]),
];

fn check(promised: &[Promise], rows: &[StageRow], step: &str) {
    let mut places: Vec<(&str, i64)> = Vec::new();
    for row in rows {
        let Some((stage, named, role, fields)) = promised.iter().find(|(stage, ..)| *stage == row.stage_type) else {
            panic!("{step}: nobody promised a stage {}", row.stage_type)
        };
        assert_eq!((row.model.is_some(), row.role.as_deref()), (*named, *role), "{step}: {stage}");
        assert_eq!(row.response_time_ms.is_some(), *named, "{step}: {stage} has a response time if somebody spoke");
        assert!(!row.content.is_empty(), "{step}: {stage} has content");
        let parsed: Value = serde_json::from_str(row.parsed_data.as_deref().unwrap_or("null")).expect("JSON");
        for field in *fields {
            assert!(parsed.get(field).is_some(), "{step}: {stage} has {field}: {parsed}");
        }
        if places.last() != Some(&(row.stage_type.as_str(), row.stage_order)) {
            places.push((&row.stage_type, row.stage_order));
        }
    }
    let order: Vec<&str> = promised.iter().map(|(stage, ..)| *stage).filter(|stage| places.iter().any(|(shown, _)| shown == stage)).collect();
    assert_eq!(places.iter().map(|(stage, _)| *stage).collect::<Vec<_>>(), order, "{step}: stages come in their order");
    assert!(places.windows(2).all(|pair| pair[0].1 < pair[1].1), "{step}: {places:?}");
}

#[tokio::test]
async fn stored_rows_carry_what_each_mode_promises() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("synod.db").display().to_string();
    let store = Arc::new(Store::open(&path, StoreSettings::default()).await.expect("the store opens"));
    let rig = Rig::new(voices()).journal(store.clone());
    for (mode, promised) in [("council", COUNCIL), ("vote", VOTE)] {
        let mut seen: BTreeSet<String> = BTreeSet::new();
        for seed in 0..24 {
            let (run, ending) = rig.run(&order(synod_modes::MODES.iter().find(|known| known.id == mode).expect("the mode"), seed)).await;
            let verdict = verdict(ending);
            assert!(matches!(verdict.status, Status::Full | Status::Degraded));
            let rows = store.stages(&run).await.expect("stages");
            check(promised, &rows, &format!("{mode}, seed {seed}"));
            assert!(rows.iter().all(|row| row.message_id.is_some()), "they belong to the answer's message");
            seen.extend(rows.into_iter().map(|row| row.stage_type));
        }
        let all: BTreeSet<String> = promised.iter().map(|(stage, ..)| (*stage).to_owned()).collect();
        assert_eq!(seen, all, "{mode}: every stage was seen in some run");
    }
}
