//! Agreement is a number only where it can mean something, and always comes with the count it rests on.

use std::sync::Arc;
use synod_modes::MODES;
use synod_testkit::rig::{Rig, order, verdict};
use synod_testkit::voices::Voices;
use synod_types::{Absent, Confidence, ConfidenceSource};

async fn confidence(mode: &str, seats: usize, seed: u64) -> Confidence {
    let mode = MODES.iter().find(|known| known.id == mode).expect("a mode");
    let mut order = order(mode, seed);
    order.panel.models = (0..seats).map(|n| format!("m{n}")).collect();
    let (_, ending) = Rig::new(Arc::new(Voices::default())).run(&order).await;
    verdict(ending).confidence.expect("a count")
}

#[tokio::test]
async fn three_ballots_are_counted_and_not_measured() {
    for (mode, seed) in ["council", "vote", "debate"].into_iter().flat_map(|mode| (0..8).map(move |seed| (mode, seed))) {
        let told = confidence(mode, 3, seed).await;
        assert_eq!((told.value, told.interval, told.absent, told.n), (None, None, Some(Absent::TooFewBallots), 3), "{mode} {seed}");
        assert_eq!((told.source, told.could), (ConfidenceSource::Agreement, Some(2)), "{mode} {seed}: the author of the best could not choose it");
    }
}

#[tokio::test]
async fn four_ballots_and_more_are_measured_with_an_interval() {
    for (mode, seats) in [("council", 4), ("council", 6), ("vote", 5), ("debate", 4), ("jury", 5), ("fact_check", 6)] {
        let told = confidence(mode, seats, 3).await;
        let (value, interval) = told.value.zip(told.interval).unwrap_or_else(|| panic!("{mode}: {told:?}"));
        assert!(value <= 1.0 && interval.low <= value && value <= interval.high && told.absent.is_none(), "{mode}: {told:?}");
        assert!(told.n >= 4 && told.agreed <= told.could, "{mode}: {told:?}");
    }
}
