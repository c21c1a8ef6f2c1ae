//! Modes with a bug: the run halts, says where, and keeps its rows.

use crate::voices;
use synod_engine::Mode;
use synod_testkit::rig::{Rig, order, stopped};
use synod_testkit::tiny::{PANICS, TINY, TWICE};
use synod_types::{Kind, Row, StopReason, Stopped};

async fn halted(mode: &Mode) -> (Stopped, Vec<Row>) {
    let rig = Rig::new(voices()).modes(TINY);
    let (run, ending) = rig.run(&order(mode, 1)).await;
    (stopped(ending), rig.rows(&run).await)
}

#[tokio::test]
async fn a_key_asked_twice_halts_the_run_and_is_named() {
    let (halt, rows) = halted(&TWICE).await;
    assert_eq!(halt.reason, StopReason::Diverged, "{}", halt.detail);
    assert!(halt.detail.contains("work/say@0"), "{}", halt.detail);
    assert_eq!(rows.iter().filter(|row| row.kind == Kind::Asked).count(), 1, "nothing is paid for the second");
    assert_eq!(rows.last().map(|row| row.kind), Some(Kind::Stopped));
}

#[tokio::test]
async fn a_panic_in_a_mode_stops_the_run_with_its_rows_kept() {
    let (halt, rows) = halted(&PANICS).await;
    assert_eq!(halt.reason, StopReason::Panic, "{}", halt.detail);
    assert!(halt.detail.contains("a mode with a bug"), "{}", halt.detail);
    let kinds: Vec<Kind> = rows.iter().map(|row| row.kind).collect();
    assert_eq!(kinds, [Kind::Header, Kind::Phase, Kind::Asked, Kind::Replied, Kind::Said, Kind::Stopped]);
}
