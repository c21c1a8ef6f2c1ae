//! A run takes as long as the longest chain of calls that need each other, and not a call longer: in time that only models spend.

use crate::voices;
use futures::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;
use synod_engine::{CallContext, EndpointSlot, Mode, Model, Models};
use synod_testkit::rig::{Rig, order, verdict};
use synod_types::{Body, Failure, Kind, ModelCard, Problem, Reply, Request, Row, Verdict};
use tokio::time::Instant;

const CALL: Duration = Duration::from_millis(100);

/// Every call takes the same time, and no time passes otherwise.
struct Paced(Arc<dyn Models>);
struct Slow(Arc<dyn Model>);

impl Model for Slow {
    fn slot(&self) -> BoxFuture<'_, EndpointSlot> {
        self.0.slot()
    }
    fn call<'a>(&'a self, request: &'a Request, context: &'a CallContext) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            tokio::time::sleep(CALL).await;
            self.0.call(request, context).await
        })
    }
}

impl Models for Paced {
    fn resolve(&self, field: &str, name: &str) -> Result<ModelCard, Problem> {
        self.0.resolve(field, name)
    }
    fn open(&self, card: &ModelCard) -> Result<Arc<dyn Model>, Problem> {
        Ok(Arc::new(Slow(self.0.open(card)?)))
    }
    fn probe<'a>(&'a self, cards: &'a [&'a ModelCard]) -> BoxFuture<'a, Vec<Problem>> {
        self.0.probe(cards)
    }
}

/// Turns of this prompt, wherever they were asked.
fn asked(rows: &[Row], prompt: &str) -> usize {
    rows.iter().filter(|row| matches!(row.body(), Ok(Body::Asked(asked)) if asked.prompt == prompt)).count()
}

/// Numbered steps of this name.
fn rounds(rows: &[Row], name: &str) -> usize {
    rows.iter().filter(|row| row.kind == Kind::Phase && matches!(row.body(), Ok(Body::Phase(mark)) if mark.name == name)).count()
}

/// Prompts by the scope they were asked in.
fn steps(rows: &[Row]) -> usize {
    let step = |row: &Row| row.key.split('@').next().unwrap_or_default().to_owned();
    rows.iter().filter(|row| row.kind == Kind::Asked).map(step).collect::<std::collections::BTreeSet<String>>().len()
}

/// How many steps deep the plan of a divided work was.
fn waves(rows: &[Row]) -> usize {
    let decision = rows.iter().find(|row| row.kind == Kind::Verdict).and_then(|row| row.read::<Verdict>().ok()).and_then(|verdict| verdict.decision);
    decision.and_then(|decision| decision["waves"].as_u64()).unwrap_or(0) as usize
}

/// The longest chain of calls that need each other, from the protocol. `None`: nobody has said for this mode.
fn longest(mode: &str, rows: &[Row]) -> Option<usize> {
    Some(match mode {
        "council" => 4,
        "vote" => 2 + asked(rows, "tiebreak"),
        "jury" | "confidence_weighted" => 2,
        "peer_review" => 2 + asked(rows, "group"),
        "debate" | "specialist_panel" | "blueprint" => 3,
        "delphi" => asked(rows, "classify") + rounds(rows, "round") + 1,
        // One after another by definition.
        "red_team" | "chain" => rows.iter().filter(|row| row.kind == Kind::Asked).count(),
        // Whatever shares a step runs side by side, and the last two steps do too.
        "crux" => steps(rows) - 1,
        "decompose" => 2 + waves(rows),
        "brainstorm" => 3 + usize::from(asked(rows, "score") > 0),
        "fact_check" => asked(rows, "generate") + 1 + usize::from(asked(rows, "verify") > 0) + asked(rows, "report"),
        _ => return None,
    })
}

every_mode!(
    #[tokio::test(start_paused = true)]
    a_run_waits_for_its_longest_chain_of_calls_and_nothing_else
);
async fn a_run_waits_for_its_longest_chain_of_calls_and_nothing_else(mode: &'static Mode) {
    for seed in 0..6 {
        let rig = Rig::new(Arc::new(Paced(voices())));
        let begun = Instant::now();
        let (run, ending) = rig.run(&order(mode, seed)).await;
        let took = begun.elapsed();
        verdict(ending);
        let rows = rig.rows(&run).await;
        let calls = rows.iter().filter(|row| row.kind == Kind::Asked).count();
        assert!(took <= CALL * calls as u32 + CALL / 2, "{}: {took:?} for {calls} calls", mode.id);
        if let Some(longest) = longest(mode.id, &rows) {
            let least = CALL * longest as u32;
            assert!((least..least + CALL / 2).contains(&took), "{} seed {seed}: {took:?}, and {longest} calls need each other", mode.id);
        }
    }
}
