//! `synod decide`: a decision from position cards, with no model at all, or with a panel of them.

use crate::args::{Decide, Global};
use crate::commands::ask;
use crate::door::Door;
use crate::exit::{CliResult, DECIDED, print_json, usage};
use crate::{outcome, request};
use synod_app::{ChairChoice, FileAccess, PanelChoice, RunRequest, decision_request};
use synod_modes::collapse::file;

pub async fn run(global: &Global, args: Decide) -> CliResult {
    if args.schema {
        print_json(&file::schema(true));
        return Ok(DECIDED);
    }
    let Some(path) = &args.file else {
        return Err(usage("file", "nothing", "a decision file: synod decide cards.yaml; --schema prints what it may hold"));
    };
    // Mistakes in the file are told before anything is opened.
    let decision = decision_request(&FileAccess::Anywhere, path)?;
    let door = Door::open(global, args.output.quiet).await?;
    let flags = args.flags();
    let (flagged, problems) = request::from_flags(&door.files, &flags);
    let panel = match (args.panel.as_deref(), flagged.panel) {
        (Some(name), PanelChoice::Rehearsal) if !name.is_empty() => {
            return Err(usage("panel", format!("{name}, and a rehearsal too"), "--panel=NAME or --rehearse, not both"));
        }
        (_, PanelChoice::Rehearsal) => PanelChoice::Rehearsal,
        (Some(""), _) => PanelChoice::StandingRequired,
        (Some(name), _) => PanelChoice::Named(name.to_owned()),
        (None, PanelChoice::Standing) => PanelChoice::Nobody,
        (None, panel) => panel,
    };
    let seated = panel != PanelChoice::Nobody;
    // The panel's parts are dealt over its models; there is no chair among them.
    let request = RunRequest { panel, chair: ChairChoice::Nobody, limits: flagged.limits, seed: flagged.seed, ..decision };
    let prepared = request::prepare(&door, request, &flags, problems, args.output.quiet).await?;
    if ask::quoted(&door, &prepared, args.quote, args.output.quiet || !seated) {
        return Ok(DECIDED);
    }
    ask::confirmed(&door, &prepared, args.limits.yes)?;
    let (runner, handle) = prepared.start(&door).await?;
    outcome::follow(&door, &runner, handle, &args.output).await
}
