//! `synod decide`: a decision from position cards, with no model at all, or with a panel of them.

use crate::args::{Decide, Global};
use crate::commands::ask;
use crate::door::Door;
use crate::exit::{CliResult, DECIDED, print_json, usage};
use crate::{outcome, request};
use synod_app::{PanelChoice, RunRequest, decision_request};
use synod_modes::collapse::file;

pub async fn run(global: &Global, args: Decide) -> CliResult {
    if args.schema {
        print_json(&file::schema(true));
        return Ok(DECIDED);
    }
    let Some(path) = &args.file else {
        return Err(usage("file", "nothing", "a decision file: synod decide cards.yaml; --schema prints what it may hold"));
    };
    let door = Door::open(global, args.output.quiet).await?;
    let decision = decision_request(&door, path)?;
    let flags = args.flags();
    let (flagged, problems) = request::from_flags(&door.files, &flags);
    // The panel's parts are dealt over its models; there is no chair among them.
    let panel = match (args.panel.as_deref(), flagged.panel) {
        (Some(""), _) => PanelChoice::StandingWithoutChair,
        (None, PanelChoice::Standing) => PanelChoice::Nobody,
        (_, panel) => panel,
    };
    let seated = panel != PanelChoice::Nobody;
    let request = RunRequest { panel, limits: flagged.limits, seed: flagged.seed, ..decision };
    let prepared = request::prepare(&door, request, &flags, problems, args.output.quiet).await?;
    if ask::quoted(&door, &prepared, args.quote, args.output.quiet || !seated) {
        return Ok(DECIDED);
    }
    let (runner, handle) = prepared.start(&door).await?;
    outcome::follow(&door, &runner, handle, &args.output).await
}
