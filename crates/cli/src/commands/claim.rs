//! `synod claim`: submit a claim, work it, look at it, and decide what becomes of one that fell short.

use crate::args::Global;
use crate::args::claim::{ClaimClear, ClaimCommand, ClaimExport, ClaimList, ClaimNew, ClaimResume, ClaimReview, ClaimRun, ClaimText};
use crate::commands::agent::{self, Working};
use crate::confirm::{Likely, confirm};
use crate::door::Door;
use crate::exit::{CliResult, DECIDED, STOPPED, UNDECIDED, print_json, usage};
use crate::say::{note, say};
use crate::terminal;
use serde_json::json;
use std::path::Path;
use synod_app::{AppError, ExportFormat, WorkEnd, WorkOrder, WorkScope};
use synod_claims::{Agent, ClaimFilter, NewClaim, Reader};
use synod_report::{Painted, moment, one_line};
use synod_types::{Claim, ClaimSource, PipelineStatus, Resolution};

pub async fn run(global: &Global, command: ClaimCommand) -> CliResult {
    let door = Door::open(global, true).await?;
    let code = match command {
        ClaimCommand::Run(args) => begin(&door, *args).await,
        ClaimCommand::New(args) => new(&door, args).await,
        ClaimCommand::Resume(args) => resume(&door, args).await,
        ClaimCommand::List(args) => list(&door, args).await,
        ClaimCommand::Show(which) => show(&door, &find(&door, &which.claim).await?.id).await,
        ClaimCommand::Export(args) => export(&door, args).await,
        ClaimCommand::Review(args) => review(&door, args).await,
        ClaimCommand::Clear(args) => clear(&door, args).await,
        ClaimCommand::Protocols { add } => protocols(&door, add.as_deref()).await,
    };
    door.close().await;
    code
}

/// The claim a person means.
async fn find(door: &Door, given: &str) -> CliResult<Claim> {
    if given == "last" {
        let newest = door.claims().claims(&ClaimFilter { limit: Some(1), ..ClaimFilter::default() }).await?;
        return newest.into_iter().next().ok_or_else(|| usage("claim", "there are no claims yet", "synod claim run \"…\" makes one"));
    }
    Ok(door.claims().find_claim(given).await?)
}

/// The person at this terminal.
fn person(by: Option<String>) -> Agent {
    let name = by.or_else(|| std::env::var("USER").ok()).filter(|name| !name.trim().is_empty()).unwrap_or_else(|| "somebody".into());
    Agent { name, ..Agent::person() }
}

/// What was typed as a claim.
async fn read_claim(door: &Door, text: ClaimText, order: &WorkOrder, by_worker: bool) -> CliResult<NewClaim> {
    let ClaimText { title, body, protocol, domain, sources } = text;
    let protocol = match protocol {
        Some(given) if given.contains('/') || given.to_lowercase().ends_with(".json") => Some(add_protocol(door, Path::new(&given)).await?),
        other => other,
    };
    let body = match body.as_deref().map(|body| (body, body.strip_prefix('@').filter(|path| !path.starts_with('@')))) {
        Some((_, Some(path))) => door.files.attach("body", Path::new(path))?.text,
        Some((body, None)) => body.strip_prefix('@').unwrap_or(body).to_owned(),
        None => title.clone(),
    };
    Ok(NewClaim {
        // A long claim is its own body, and its beginning names it.
        title: if body == title { heading(&title) } else { title },
        body,
        protocol,
        domain,
        sources: sources.into_iter().map(|url| ClaimSource { url, title: None }).collect(),
        rehearsal: order.rehearse,
        work_order: by_worker.then(|| serde_json::to_value(order).unwrap_or_default()),
    })
}

/// Words of a claim that fit into its title.
fn heading(text: &str) -> String {
    synod_types::clip::words(text.trim(), 280, " …")
}

async fn add_protocol(door: &Door, path: &Path) -> CliResult<String> {
    let file = door.files.attach("protocol", path)?;
    let document = serde_json::from_str(&file.text)
        .map_err(|error| usage("protocol", format!("{}: {error}", path.display()), "a file that holds a protocol as JSON"))?;
    Ok(door.claims().add_protocol(&document).await?.name)
}

async fn begin(door: &Door, args: ClaimRun) -> CliResult {
    let mut order = agent::order(&args.crew)?;
    order.low_layer = args.low;
    // Whoever would work on it is known before anything is written.
    agent::check(door, &mut order, args.crew.quiet).await?;
    let new = read_claim(door, args.text, &order, true).await?;
    let (usd, unpriced_tokens) = door.likely_of_claim(&order, &new.title, &new.body, new.protocol.as_deref()).await?;
    confirm(door, Likely { usd, unpriced_tokens }, args.crew.yes || order.budget_usd.is_some())?;
    let claim = door.claims().create(new, &person(None)).await?;
    if !args.crew.quiet {
        note!("Claim {} · {}", claim.id, one_line(&claim.protocol));
    }
    work(door, &claim, &order, args.crew.quiet).await
}

async fn resume(door: &Door, args: ClaimResume) -> CliResult {
    let claim = find(door, &args.which.claim).await?;
    let kept = door.claims().work_order(&claim.id).await?.and_then(|order| serde_json::from_value::<WorkOrder>(order).ok()).unwrap_or_default();
    let given = agent::order(&args.crew)?;
    let named = given.rehearse || given.panel.is_some() || !given.models.is_empty();
    let mut order =
        if named { WorkOrder { low_layer: kept.low_layer, ..given } } else { WorkOrder { budget_usd: given.budget_usd.or(kept.budget_usd), ..kept } };
    if claim.rehearsal {
        order = WorkOrder { rehearse: true, panel: None, models: Vec::new(), ..order };
    } else if order.rehearse {
        return Err(usage("rehearse", "this claim is not a rehearsal", "models that think: --models or --panel"));
    }
    agent::check(door, &mut order, args.crew.quiet).await?;
    work(door, &claim, &order, args.crew.quiet).await
}

/// Works a claim as far as it goes, and says where that is.
async fn work(door: &Door, claim: &Claim, order: &WorkOrder, quiet: bool) -> CliResult {
    let scope = WorkScope { claim: Some(claim.id.clone()), ..WorkScope::default() };
    let end = Working { door, quiet }.until_done(order, &scope).await?;
    let view = door.claims().view(&claim.id, &Reader::Reviewer).await?;
    let spent = door.claims().spent(&claim.id).await?;
    if door.json {
        print_json(&json!({"end": end.as_str(), "claim": view, "runs": spent.runs, "spentUsd": spent.usd, "unknownCosts": spent.unknown}));
    } else {
        crate::say::show(&Painted::claim_brief(&view, door.style()));
        if !quiet && !claim.rehearsal {
            let unknown = if spent.unknown > 0 { format!(", and an unknown part of {} runs", spent.unknown) } else { String::new() };
            note!("{} runs, ${:.4}{unknown}.", spent.runs, spent.usd);
        }
    }
    let id = &claim.id;
    let (code, next) = match end {
        WorkEnd::Complete => (DECIDED, format!("synod claim show {id} has every word of it.")),
        WorkEnd::Flagged => (STOPPED, format!("It waits for a person: synod claim review {id}")),
        WorkEnd::Stopped | WorkEnd::Once | WorkEnd::LostRace => (STOPPED, format!("Stopped; nothing is lost. synod claim resume {id} goes on.")),
        WorkEnd::NoWork => {
            (STOPPED, format!("There is nothing in it that this panel may do now: agents of other owners must. synod claim show {id}"))
        }
        WorkEnd::Budget { spent, needed } => {
            let total = spent + needed;
            (
                STOPPED,
                format!(
                    "The budget is spent (${spent:.4}); the next slot may take ${needed:.4}. synod claim resume {id} --budget {total:.2} or more goes on."
                ),
            )
        }
        WorkEnd::Unfilled(why) => {
            (UNDECIDED, format!("No model could fill the next slot. {}\nsynod claim resume {id} tries again; --models names others.", why))
        }
    };
    if !door.json {
        note!("{next}");
    }
    Ok(code)
}

async fn new(door: &Door, args: ClaimNew) -> CliResult {
    let order = WorkOrder { rehearse: args.rehearse, ..WorkOrder::default() };
    let new = read_claim(door, args.text, &order, false).await?;
    let claim = door.claims().create(new, &person(None)).await?;
    if door.json {
        print_json(&claim);
    } else {
        say!("{}", claim.id);
        note!("Agents find it under /api/v1/jobs/work; synod agent work fills its slots with the panel of this machine.");
    }
    Ok(DECIDED)
}

async fn list(door: &Door, args: ClaimList) -> CliResult {
    let claims = door.claims();
    let status = args.status.as_deref().and_then(PipelineStatus::parse);
    let found = match &args.search {
        Some(words) => claims.search(words, args.limit).await?,
        None => claims.claims(&ClaimFilter { limit: Some(args.limit), status, ..ClaimFilter::default() }).await?,
    };
    let mut rows = Vec::new();
    for claim in found {
        let pipeline = claims.pipeline(&claim.id).await?;
        if status.is_none_or(|status| status == pipeline.status) {
            rows.push((claim, pipeline));
        }
    }
    if door.json {
        print_json(&json!({"claims": rows.iter().map(|(claim, pipeline)| json!({"claim": claim, "pipeline": pipeline})).collect::<Vec<_>>()}));
        return Ok(DECIDED);
    }
    if rows.is_empty() {
        note!("No claims. synod claim run \"…\" submits one and works it to the end.");
    }
    for (claim, pipeline) in &rows {
        let at = match pipeline.status {
            PipelineStatus::Complete => "complete".to_owned(),
            PipelineStatus::Flagged => format!("flagged at layer {}", pipeline.current_layer),
            PipelineStatus::Active => format!("layer {}, {}", pipeline.current_layer, pipeline.current_phase.as_str()),
        };
        let rehearsal = if claim.rehearsal { " (rehearsal)" } else { "" };
        say!("{}  {}  {at:<20} {}{rehearsal}", claim.id, moment(claim.created_at), one_line(&claim.title));
    }
    Ok(DECIDED)
}

async fn show(door: &Door, id: &str) -> CliResult {
    let view = door.claims().view(id, &Reader::Reviewer).await?;
    if door.json {
        print_json(&view);
    } else {
        crate::say::show(&Painted::claim(&view, door.style()));
    }
    Ok(DECIDED)
}

async fn export(door: &Door, args: ClaimExport) -> CliResult {
    let claim = find(door, &args.which.claim).await?;
    let view = door.claims().view(&claim.id, &Reader::Reviewer).await?;
    let text = match args.format {
        ExportFormat::Markdown => synod_report::claim_markdown(&view),
        ExportFormat::Html => synod_report::claim_html(&view),
        ExportFormat::Json => synod_report::json_text(&serde_json::to_value(&view).unwrap_or_default()),
    };
    match args.out {
        None => crate::say::document(&text),
        Some(path) => {
            synod_app::write_private(&path, &text, true)
                .map_err(|error| AppError::broken("out", format!("{}: {error}", path.display()), "a file that can be written"))?;
            note!("Written to {}.", one_line(&path.display().to_string()));
        }
    }
    Ok(DECIDED)
}

/// Each choice with what it does.
const CHOICES: [(Resolution, &str); 4] = [
    (Resolution::RerunLayer, "work the layer anew, from its first phase"),
    (Resolution::RerunConsensus, "keep the work, have others score it anew"),
    (Resolution::OverridePass, "let it pass all the same (needs a note)"),
    (Resolution::Close, "end the claim here: more evidence is needed (needs a note)"),
];

async fn review(door: &Door, args: ClaimReview) -> CliResult {
    let claim = match &args.claim {
        Some(given) => find(door, given).await?,
        None => match door.claims().open_flags().await?.first() {
            Some(flag) => find(door, &flag.claim_id).await?,
            None => {
                note!("No claim waits for a person.");
                return Ok(DECIDED);
            }
        },
    };
    let view = door.claims().view(&claim.id, &Reader::Reviewer).await?;
    let Some(flag) = view.open_flag() else {
        return Err(usage("claim", format!("{} waits for nobody", claim.id), "a claim that synod claim list --status flagged shows"));
    };
    if !terminal::is_there() {
        let want = format!("a terminal; or synod claim clear {} --resolution … --note …", claim.id);
        return Err(usage("review", "no terminal to ask on", want));
    }
    crate::say::show(&Painted::claim(&view, door.style()));
    note!("Layer {} was scored {:.2}; {:.2} passes. What becomes of it?", flag.layer, flag.avg_confidence, flag.threshold);
    for (n, (resolution, what)) in (1..).zip(&CHOICES) {
        note!("  {n}. {}: {what}", resolution.as_str());
    }
    let words = CHOICES.map(|(resolution, _)| (resolution, resolution.as_str()));
    let undecided = || usage("review", "no decision", format!("synod claim review {} asks again; nothing was changed", claim.id));
    let read = |answer: &str| terminal::choice(answer, &words);
    let resolution = terminal::ask_until("choice", "a number from 1 to 4, or one of the words", read)?.ok_or_else(undecided)?;
    let needed = resolution.needs_note();
    note!("A note for whoever works on it next{}.", if needed { "" } else { " (empty: none)" });
    let read = |answer: &str| (!needed || !answer.is_empty()).then(|| answer.to_owned());
    let note = terminal::ask_until("note", "a few words why", read)?.ok_or_else(undecided)?;
    decide(door, &claim, &flag.id, resolution, Some(note), args.by).await
}

async fn clear(door: &Door, args: ClaimClear) -> CliResult {
    let claim = find(door, &args.which.claim).await?;
    let view = door.claims().view(&claim.id, &Reader::Reviewer).await?;
    let Some(flag) = view.open_flag() else {
        return Err(usage("claim", format!("{} waits for nobody", claim.id), "a claim that synod claim list --status flagged shows"));
    };
    let resolution = Resolution::parse(&args.resolution).unwrap_or_default();
    decide(door, &claim, &flag.id, resolution, args.note, args.by).await
}

async fn decide(door: &Door, claim: &Claim, flag: &str, resolution: Resolution, words: Option<String>, by: Option<String>) -> CliResult {
    let pipeline = door.claims().clear(&claim.id, flag, &person(by), resolution, words.as_deref()).await?;
    let next = match pipeline.status {
        PipelineStatus::Active => format!("synod claim resume {}", claim.id),
        PipelineStatus::Flagged | PipelineStatus::Complete => format!("synod claim show {}", claim.id),
    };
    if door.json {
        print_json(&json!({"pipeline": pipeline, "next": next}));
    } else {
        note!("Cleared: {}. Next: {next}", resolution.as_str());
    }
    Ok(DECIDED)
}

async fn protocols(door: &Door, add: Option<&Path>) -> CliResult {
    if let Some(path) = add {
        let name = add_protocol(door, path).await?;
        if !door.json {
            note!("{} is kept. synod claim run --protocol {} \"…\" uses it.", one_line(&name), one_line(&name));
        }
    }
    let all = door.claims().protocols().await?;
    if door.json {
        print_json(&json!({"protocols": all}));
        return Ok(DECIDED);
    }
    for stored in &all {
        let protocol = &stored.protocol;
        let mark = if stored.is_default { " (default)" } else { "" };
        say!("{}{mark}: {} layers, {} slots, {} agents", one_line(&protocol.name), protocol.stages.len(), protocol.slots(), protocol.agents());
        say!("    {}", one_line(&protocol.description));
    }
    Ok(DECIDED)
}
