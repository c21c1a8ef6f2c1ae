//! `synod decide`: a decision from position cards, with no model at all, or with a panel of them.

use crate::app::{self, App};
use crate::args::{Decide, Global, OrderArgs};
use crate::exit::{CliError, CliResult, DECIDED, print_json};
use crate::say::note;
use crate::{document, experience, order, outcome, pointers};
use synod_engine::{Called, Order, Typed};
use synod_modes::collapse::file;
use synod_report::one_line;
use synod_types::{Problem, Problems};

pub async fn run(global: &Global, args: Decide) -> CliResult {
    if args.schema {
        print_json(&file::schema(true));
        return Ok(DECIDED);
    }
    let Some(path) = &args.file else {
        return Err(CliError::usage("file", "nothing", "a decision file: synod decide cards.yaml; --schema prints what it may hold"));
    };
    let (decision, folder) = document::assemble(path).map_err(Problems)?;
    let (objective, mut options) = file::read(&decision).map_err(Problems)?;
    pointers::check(&mut options.cards, &folder);

    let app = App::open(global).await?;
    let mut problems: Vec<Problem> = Vec::new();
    let limits = &app.config.limits;
    let mut order = Order {
        mode: "collapse".into(),
        budget_usd: limits.budget_usd,
        deadline_secs: limits.deadline_secs.map(|secs| secs as f64),
        timeout_secs: limits.timeout_secs.map(|secs| secs as f64),
        ..Order::default()
    };
    order.question.text = objective;
    let fields = synod_engine::to_value(&options);
    order.options = fields.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), Typed::Json(value.clone()))).collect();
    order.options.retain(|(name, _)| name != "experience");
    experience::add(&app, &mut order).await?;
    let flags = args.flags();
    order::apply(&flags, &mut order, &mut problems);

    let seated = args.panel.is_some() || !args.models.is_empty() || args.rehearse;
    let detected = if seated && args.models.is_empty() { app.detect(args.rehearse).await } else { None };
    if seated {
        order.called = called(&app, &args, &flags, detected.as_ref(), &mut problems)?;
        if order.called.models.is_empty() {
            problems.push(Problem::new("panel", "no models", "--models A,B,C, a panel in synod.toml, or no --panel to decide without models"));
        }
    }
    if let (Some(detected), false) = (&detected, args.output.quiet || args.rehearse) {
        for line in detected.lines.iter().chain(&detected.warnings) {
            note!("{}", one_line(line));
        }
    }
    let runner = app.runner(detected, app.live(args.output.quiet))?;
    let plan = order::plan(&runner, &order, &flags, problems).await?;
    let handle = runner.start(plan).await?;
    outcome::follow(&app, &runner, handle, &args.output).await
}

fn called(app: &App, args: &Decide, flags: &OrderArgs, detected: Option<&synod_llm::Detected>, problems: &mut Vec<Problem>) -> CliResult<Called> {
    let name = args.panel.as_deref().filter(|name| !name.is_empty());
    match app::panel(&app.config, detected, name) {
        Ok(panel) => {
            let rehearsing = detected.is_some_and(|detected| detected.rehearsal) && name.is_none();
            let panel = if rehearsing { app::voices("collapse").unwrap_or(panel) } else { panel };
            // The panel's parts are dealt over its models; there is no chair among them.
            Ok(Called { chair: None, ..order::call(flags, panel) })
        }
        Err(CliError::Usage(found)) => {
            problems.extend(found.0);
            Ok(Called::default())
        }
        Err(error) => Err(error),
    }
}
