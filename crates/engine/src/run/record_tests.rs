//! What a record says of time.

use super::*;
use serde_json::json;

fn header() -> Header {
    Header {
        schema: Header::SCHEMA.into(),
        run: "r".into(),
        parent: None,
        mode: "m".into(),
        mode_version: 1,
        binary: "test".into(),
        seed: 1,
        question: Question::default(),
        options: Json::of(&json!({})),
        seats: Vec::new(),
        roles: Default::default(),
        models: Default::default(),
        limits: Limits { budget_usd: None, run_ms: 1, idle_ms: 1, turn_ms: 1 },
        quoted_usd: None,
        planned_calls: (0, 0),
        conversation: None,
        titled: false,
        principal: None,
        today: None,
        warnings: Vec::new(),
    }
}

fn ran(rows: Vec<(i64, NewRow)>) -> Millis {
    let mut previous = [0; 32];
    let mut sealed = Vec::new();
    for (seq, (epoch, row)) in (1..).zip(rows) {
        let row = row.seal("r", seq, epoch, &previous);
        previous = row.hash;
        sealed.push(row);
    }
    Record::of(&sealed).expect("readable rows").ran_ms
}

#[test]
fn time_stopped_is_not_time_running() {
    let begun = |at| NewRow::new("", Kind::Header, at, &header());
    let noted = |at, n| NewRow::new("", Kind::Warning, at, &PlainText { text: String::new() }).attempt(n);
    let stopped = |at, n| NewRow::new("", Kind::Stopped, at, &Stopped::new(StopReason::Cancelled, "")).attempt(n);
    let resumed = |at, n| NewRow::new("", Kind::Resumed, at, &Resumed { limits: header().limits, binary: String::new() }).attempt(n);
    assert_eq!(ran(vec![(1, begun(0)), (1, noted(50, 0))]), 50);
    assert_eq!(ran(vec![(1, begun(0)), (1, stopped(50, 0)), (2, resumed(9_000, 0)), (2, noted(9_010, 0))]), 60);
    assert_eq!(ran(vec![(1, begun(0)), (1, noted(50, 0)), (2, stopped(86_400_000, 0))]), 50, "cancelled a day after it crashed");
    assert_eq!(ran(vec![(1, begun(0)), (1, noted(50, 0)), (2, stopped(900, 0)), (3, resumed(1_000, 0)), (3, noted(1_005, 1))]), 55);
}
