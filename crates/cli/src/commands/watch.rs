//! `synod watch`: a run's events as they come, from this process or any other.

use crate::args::{Global, Output};
use crate::door::Door;
use crate::exit::{CliResult, STOPPED};
use crate::outcome;
use crate::progress::Progress;
use crate::say::{note, say};
use synod_app::AppError;
use synod_engine::Ending;
use synod_types::Stopped;

pub async fn run(global: &Global, given: &str) -> CliResult {
    let door = Door::open(global, false).await?;
    let run = door.find_run(given).await?;
    let runner = door.reader()?;
    if door.json {
        let mut events = runner.watch(&run, 0);
        while let Some(news) = events.recv().await {
            let Some(mut event) = news.map_err(AppError::from)?.event() else { continue };
            if let ("stopped", Ok(stopped)) = (event.kind.as_str(), serde_json::from_value::<Stopped>(event.data.clone())) {
                event.data = outcome::stopped_json(&run, &stopped);
            }
            say!("{}", synod_report::json_line(&serde_json::to_value(event).unwrap_or_default()));
        }
    } else {
        Progress::start(&door, &runner, &run, false).until_done().await;
    }
    let view = door.view(&run).await?;
    let ending = match (&view.verdict, view.stop()) {
        (Some(verdict), _) => Ending::Verdict(Box::new(verdict.clone())),
        (None, Some(stopped)) => Ending::Stopped(stopped.clone()),
        (None, None) => {
            note!("Its process is gone, and the run has not ended. synod resume {run} goes on with it.");
            return Ok(STOPPED);
        }
    };
    if door.json { Ok(outcome::code(&ending, &Output::default())) } else { outcome::say(&door, &run, &ending, &Output::default()).await }
}
