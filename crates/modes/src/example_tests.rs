//! The mode that `docs/adding-a-mode.md` shows is a mode.

use std::sync::Arc;
use synod_engine::Mode;
use synod_testkit::rig::{Rig, order, verdict};
use synod_testkit::voices::Voices;
use synod_types::{Failure, FailureKind, Status, Verdict};

mod pair {
    include!(concat!(env!("OUT_DIR"), "/pair/mod.rs"));
}

static SHOWN: &[&Mode] = &[&pair::MODE];

async fn run(voices: Voices) -> Verdict {
    let (_, ending) = Rig::new(Arc::new(voices)).modes(SHOWN).run(&order(&pair::MODE, 3)).await;
    verdict(ending)
}

#[tokio::test]
async fn it_runs_as_it_stands_there() {
    let full = run(Voices::default()).await;
    assert_eq!((full.status, full.dissent.len()), (Status::Full, 2), "{:?}", full.missing);
    let answer = full.answer.expect("an answer");
    assert_eq!(full.decision.expect("a decision")["seat"], answer.by[0]);

    let alone = run(Voices::default().scripted(|card, _, _| (card.name == "chair").then(|| Err(Failure::new(FailureKind::Server, "down"))))).await;
    assert_eq!(alone.status, Status::Degraded);
    assert!(alone.warnings.iter().any(|warning| warning.contains("was drawn")), "{:?}", alone.warnings);
}
