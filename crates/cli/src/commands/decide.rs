//! `synod decide`: a decision from position cards, with no model at all, or with a panel of them.

use crate::app::{self, App};
use crate::args::{Decide, Global, OrderArgs};
use crate::commands::ask;
use crate::exit::{CliError, CliResult, DECIDED, print_json};
use crate::{document, experience, order, outcome, pointers};
use std::path::{Path, PathBuf};
use synod_engine::{OptionValue, PanelRequest};
use synod_modes::collapse::{Options, file};
use synod_types::{Problem, Problems};

pub async fn run(global: &Global, args: Decide) -> CliResult {
    if args.schema {
        print_json(&file::schema(true));
        return Ok(DECIDED);
    }
    let Some(path) = &args.file else {
        return Err(CliError::usage("file", "nothing", "a decision file: synod decide cards.yaml; --schema prints what it may hold"));
    };
    let (objective, mut options, folder) = read(path)?;
    pointers::check(&mut options.cards, &folder);

    let app = App::open(global).await?;
    let mut problems: Vec<Problem> = Vec::new();
    let mut order = ask::blank(&app, "collapse");
    order.question.text = objective;
    let fields = synod_engine::to_value(&options);
    order.options = fields.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), OptionValue::Json(value.clone()))).collect();
    order.options.retain(|(name, _)| name != "experience");
    experience::add(&app, &mut order).await?;
    let flags = args.flags();
    order::apply(&flags, &mut order, &mut problems);

    let seated = args.panel.is_some() || !args.models.is_empty() || args.rehearse;
    let detected = if seated && args.models.is_empty() { app.detect(args.rehearse).await } else { None };
    if seated {
        order.panel = called(&app, &args, &flags, detected.as_ref(), &mut problems)?;
        if order.panel.models.is_empty() {
            problems.push(Problem::new("panel", "no models", "--models A,B,C, a panel in synod.toml, or no --panel to decide without models"));
        }
    }
    ask::tell(detected.as_ref(), args.output.quiet || args.rehearse);
    let runner = app.runner(detected, app.live(args.output.quiet))?;
    let plan = order::plan(&runner, &order, &flags, problems).await?;
    if ask::quoted(&app, &runner, &plan, args.quote, args.output.quiet || !seated) {
        return Ok(DECIDED);
    }
    let handle = runner.start(plan).await?;
    outcome::follow(&app, &runner, handle, &args.output).await
}

/// The decision in a file, with everything that is wrong with it and with its parts told at once.
fn read(path: &Path) -> Result<(String, Options, PathBuf), Problems> {
    let (decision, folder, mut problems) = document::assemble(path).map_err(|problem| Problems(vec![problem]))?;
    let missing: Vec<String> = problems.iter().map(|problem| problem.field.clone()).collect();
    match file::read(&decision) {
        Ok((objective, options)) if problems.is_empty() => return Ok((objective, options, folder)),
        Ok(_) => {}
        // A part that could not be read is not missing, and what names its entries cannot be judged.
        Err(found) => {
            let without_cards = missing.iter().any(|part| part == "cards");
            problems.extend(found.into_iter().filter(|problem| !(missing.contains(&problem.field) || without_cards && names_a_card(&problem.field))));
        }
    }
    Err(Problems(problems))
}

fn names_a_card(field: &str) -> bool {
    field.ends_with("].position_id") || field.contains("].position_scores")
}

fn called(
    app: &App,
    args: &Decide,
    flags: &OrderArgs,
    detected: Option<&synod_llm::Detected>,
    problems: &mut Vec<Problem>,
) -> CliResult<PanelRequest> {
    let name = args.panel.as_deref().filter(|name| !name.is_empty());
    match app::panel(&app.config, detected, name) {
        Ok(panel) => {
            let rehearsing = detected.is_some_and(|detected| detected.rehearsal) && name.is_none();
            let panel = if rehearsing { app::voices("collapse").unwrap_or(panel) } else { panel };
            // The panel's parts are dealt over its models; there is no chair among them.
            Ok(PanelRequest { chair: None, ..order::call(flags, panel) })
        }
        Err(CliError::Usage(found)) => {
            problems.extend(found.0);
            Ok(PanelRequest::default())
        }
        Err(error) => Err(error),
    }
}
