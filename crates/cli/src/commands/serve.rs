//! `synod serve`: the same over HTTP, until it is told to stop.

use crate::args::Global;
use crate::args::server::Serve;
use crate::door;
use crate::exit::{CliResult, DECIDED};
use crate::outcome::Signals;
use crate::say::{self, note};
use synod_app::{App, AppError, FileAccess};
use synod_server::{ServerSettings, bind};
use synod_types::Problems;

pub async fn run(global: &Global, args: Serve) -> CliResult {
    // No value from a caller is a path: nothing is read for one.
    let app = App::open(door::sources(global)?, global.db.clone(), FileAccess::None).await?;
    door::say_left_out(&app.config);
    let settings = ServerSettings::of(&app.config.server, args.addr.as_deref(), args.require_key).map_err(Problems)?;
    let open = settings.open;
    let serving = bind(app, settings).await?;
    let addr = serving.addr().map_err(|error| AppError::broken("addr", error, ""))?;
    let mut signals = Signals::listen()?;
    let url = format!("http://{addr}");
    // Where a person reads, in words; else one line of the log, which is JSON.
    let person = say::err_is_terminal();
    if person {
        note!("Synod listens at {url}{}.", if open { ", for callers on this machine" } else { "; callers need a key" });
        if open {
            note!("Try: curl -s {url}/v1/runs -H 'content-type: application/json' -d '{{\"question\": \"Tabs or spaces?\", \"rehearse\": true}}'");
        }
    } else {
        tracing::info!(url, key_needed = !open, "listening");
    }
    serving
        .run(async {
            signals.next().await;
            if person {
                note!("Stopping: turns under way get 8 s, and the next start goes on with what is left. Press Ctrl-C again to leave at once.");
            }
            tokio::spawn(async move {
                signals.next().await;
                std::process::exit(i32::from(crate::exit::STOPPED));
            });
        })
        .await;
    Ok(DECIDED)
}
