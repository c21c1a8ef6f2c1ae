//! What single modes promise beyond what every mode must hold, with every word of their seats scripted.

/// As in the binary; whole deliberations are mostly allocation.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

mod agreement;
mod blueprint;
mod brainstorm;
mod chain;
mod collapse;
mod collapse_absent;
mod collapse_alone;
mod collapse_doubts;
mod collapse_evidence;
mod confidence_weighted;
mod council;
mod crux;
mod debate;
mod decompose;
mod delphi;
mod fact_check;
mod followups;
mod hidden;
mod jury;
mod peer_review;
mod red_team;
mod roundtable;
mod scene;
mod specialist_panel;
mod tournament;
mod vote;

use std::sync::Arc;
use synod_engine::{Mode, OptionValue};
use synod_modes::MODES;
use synod_testkit::counted::CountedModels;
use synod_testkit::rig::{Rig, order, verdict};
use synod_testkit::voices::Voices;
use synod_types::{Failure, Kind, Reply, Request, Row, Shown, Verdict};

/// What a seat says, by the key of its turn; `None` leaves it to the rehearsal voice.
type Line = Option<Result<Reply, Failure>>;

fn says(text: impl Into<String>) -> Line {
    Some(Ok(Reply::text(text)))
}

/// A scripted run: its verdict, its journal, and what was asked under which key.
struct Played {
    verdict: Verdict,
    rows: Vec<Row>,
    requests: Vec<(String, Request)>,
}

impl Played {
    /// What was shown last under a stage name.
    fn shown(&self, stage: &str) -> Shown {
        let mut shown = self.rows.iter().filter(|row| row.kind == Kind::Shown).filter_map(|row| row.read::<Shown>().ok());
        shown.rfind(|shown| shown.stage == stage).unwrap_or_else(|| panic!("nothing was shown as {stage}"))
    }

    fn data(&self, stage: &str) -> serde_json::Value {
        self.shown(stage).exhibit.row().unwrap_or_default()
    }

    fn asked(&self, key: &str) -> bool {
        self.requests.iter().any(|(asked, _)| asked == key)
    }

    /// The user part of a turn's prompt.
    fn prompt(&self, key: &str) -> String {
        let (_, request) = self.requests.iter().find(|(asked, _)| asked == key).unwrap_or_else(|| panic!("{key} was never asked"));
        request.messages.last().map(|message| message.text().to_owned()).unwrap_or_default()
    }

    fn warned(&self, words: &str) -> bool {
        self.verdict.warnings.iter().any(|warning| warning.contains(words))
    }
}

async fn play(
    mode: &str,
    models: usize,
    content: Option<&str>,
    options: &[(&str, serde_json::Value)],
    script: impl Fn(&str) -> Line + Send + Sync + 'static,
) -> Played {
    let mode: &Mode = MODES.iter().find(|known| known.id == mode).expect("a mode");
    let counted = Arc::new(CountedModels::new(Arc::new(Voices::default().scripted(move |_, _, context| script(&context.key)))));
    let rig = Rig::new(counted.clone());
    let mut order = order(mode, 3);
    order.panel.models = (0..models).map(|n| format!("m{n}")).collect();
    order.question.content = content.map(str::to_owned);
    order.options = options.iter().map(|(name, value)| ((*name).to_owned(), OptionValue::json(value.clone()))).collect();
    let (run, ending) = rig.run(&order).await;
    Played { verdict: verdict(ending), rows: rig.rows(&run).await, requests: counted.requests() }
}
