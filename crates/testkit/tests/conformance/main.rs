//! What every mode must hold, a test for each mode and property, and what the engine must hold for any mode.
//!
//! A mode added to the table is tested here without another line. Each failure names the mode, the seed and the step.

/// As in the binary; whole deliberations are mostly allocation.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A test a mode: of `async fn a_property(mode)` come `a_property::council` and the others.
macro_rules! every_mode {
    (#[$test:meta] $property:ident) => {
        synod_modes::each_mode!(one_each {
            #[$test]
            $property
        });
    };
}
macro_rules! one_each {
    ({ #[$test:meta] $property:ident } $($mode:ident)*) => {
        mod $property {
            $(#[$test]
            async fn $mode() {
                super::$property(&synod_modes::$mode::MODE).await;
            })*
        }
    };
}

mod closed;
mod crash;
mod declared;
mod faults;
mod forks;
mod golden;
mod limits;
mod misuse;
mod pace;
mod person;
mod rules;
mod soup;
mod stages;
mod stopped;
mod thinking;
mod titles;
mod tools;
mod watch;

use std::sync::Arc;
use synod_engine::{Ending, LimitChanges, Models};
use synod_testkit::counted::CountedModels;
use synod_testkit::rig::{Rig, verdict};
use synod_testkit::voices::Voices;
use synod_types::{Asking, Kind, PersonAnswer, StopReason, Verdict};

fn voices() -> Arc<dyn Models> {
    Arc::new(Voices::default())
}

/// The verdict of an ended run, once its replay has given the same without asking anybody. What it asks of people on the way is answered
/// with the first choice.
async fn ended(rig: &Rig, run: &str, ending: Ending, step: &str) -> Verdict {
    let ending = answered(rig, run, ending, step).await;
    let verdict = match ending {
        Ending::Verdict(_) => verdict(ending),
        Ending::Stopped(stopped) => panic!("{step}: stopped ({}): {}", stopped.reason.as_str(), stopped.detail),
    };
    let counted = Arc::new(CountedModels::new(rig.models.clone()));
    let replayed = rig.clone().models(counted.clone()).runner().replay(run).await.expect("a finished run can be replayed");
    assert!(replayed.same(), "{step}: the replay differs:\n{:?}\n{:?}", replayed.recorded.map(|verdict| verdict.essence()), replayed.ending);
    assert_eq!(counted.total(), 0, "{step}: a replay asked somebody");
    verdict
}

async fn answered(rig: &Rig, run: &str, mut ending: Ending, step: &str) -> Ending {
    for _ in 0..20 {
        let Ending::Stopped(stopped) = &ending else { return ending };
        if stopped.reason != StopReason::Waiting {
            return ending;
        }
        let rows = rig.rows(run).await;
        let open =
            rows.iter().filter(|row| row.kind == Kind::Waiting && !rows.iter().any(|other| other.kind == Kind::Answered && other.key == row.key));
        for row in open {
            let asking: Asking = row.read().expect("a question");
            let answer = asking.choices.first().cloned().unwrap_or_else(|| "as you see fit".into());
            rig.runner().answer(run, &row.key, PersonAnswer { answer, note: None, by: "ada".into() }).await.expect("the answer is taken");
        }
        ending = rig.resume(run, LimitChanges::default()).await;
    }
    panic!("{step}: it asks people without end")
}
