//! `synod persona`: who can debate in crux, whether a file describes somebody whole, and a first draft from texts.

use crate::args::{Global, Output, PersonaCommand, PersonaNew, RequestArgs};
use crate::door::{self, Door};
use crate::exit::{CliResult, DECIDED, USAGE, print_json, text_of, usage};
use crate::say::{note, say};
use crate::{outcome, request};
use serde_json::{Value, json};
use std::path::PathBuf;
use synod_app::{AppError, Config, DraftRequest, FileAccess, PersonaFiles, PersonaList, id_from_name, list_personas};
use synod_engine::{Clock, Ending, Library, SystemClock, tokens};
use synod_modes::crux::persona::{self, KIND, Persona};
use synod_report::one_line;
use synod_types::{Problem, Problems};

pub async fn run(global: &Global, command: PersonaCommand) -> CliResult {
    let sources = door::sources(global)?;
    Config::load(&sources)?;
    let files = PersonaFiles { directory: sources.user_directory, access: FileAccess::Anywhere };
    match command {
        PersonaCommand::List { deck } => list(global, &files, deck.as_deref()),
        PersonaCommand::Show { name, prompt, file } => show(global, &files, &name, prompt, file),
        PersonaCommand::Check { files: given } => check(global, &files, &given),
        PersonaCommand::New(new) => draft(global, &files, new).await,
    }
}

fn list(global: &Global, files: &PersonaFiles, deck: Option<&str>) -> CliResult {
    let PersonaList { personas: mut known, problems } = list_personas(files);
    if let Some(deck) = deck {
        known.retain(|(persona, _)| persona.decks.iter().any(|each| each == deck));
        if known.is_empty() && problems.is_empty() {
            let names: Vec<&str> = persona::decks().iter().map(|(name, _)| *name).collect();
            return Err(usage("deck", deck, format!("one of: {}; or a deck your own personas name", names.join(", "))));
        }
    }
    if global.json {
        let rows: Vec<Value> = known
            .iter()
            .map(|(persona, own)| json!({"id": persona.id, "name": persona.name, "handle": persona.handle, "decks": persona.decks, "pulls": persona.pulls, "own": own}))
            .collect();
        let decks: Vec<Value> = persona::decks().iter().map(|(name, about)| json!({"name": name, "about": about})).collect();
        print_json(&json!({"personas": rows, "decks": decks, "errors": problems}));
    } else {
        for (persona, own) in &known {
            let mark = if *own { " (your own)" } else { "" };
            say!("{:<12} {}, {}{mark}", one_line(&persona.id), one_line(&persona.name), one_line(&persona.handle));
            let pulls = persona.pulls.map_or_else(String::new, |pull| format!("; pulls towards {}", pull.as_str()));
            say!("{:<12} decks: {}{pulls}", "", one_line(&persona.decks.join(", ")));
        }
        say!("");
        for (name, about) in persona::decks() {
            say!("{name:<12} {about}");
        }
        say!("\nsynod ask --mode crux --deck NAME seats a deck; --personas A,B seats these, by name or file.");
        if !problems.is_empty() {
            note!("{}", text_of(&Problems(problems.clone()).into()));
        }
    }
    Ok(if problems.is_empty() { DECIDED } else { USAGE })
}

fn show(global: &Global, files: &PersonaFiles, name: &str, prompt: bool, file: bool) -> CliResult {
    let persona = persona::find(name, files).map_err(Problems)?;
    let words = persona::consolidated(&persona);
    if global.json {
        print_json(&json!({"persona": persona, "promptTokens": tokens::count(&words), "prompt": words}));
    } else if prompt {
        say!("{words}");
        note!("{} tokens", tokens::count(&words));
    } else if file {
        let built_in = persona::files().iter().find(|(id, _)| *id == name && files.find(KIND, name).is_none());
        match built_in {
            Some((_, text)) => crate::say::document(text),
            None => say!("{}", files.find(KIND, name).transpose().ok().flatten().unwrap_or_default().trim_end()),
        }
    } else {
        describe(&persona);
        say!("Prompt      {} tokens (--prompt prints it, --file prints the file)", tokens::count(&words));
    }
    Ok(DECIDED)
}

fn describe(persona: &Persona) {
    say!("{} ({}): {}", one_line(&persona.name), one_line(&persona.id), one_line(&persona.handle));
    say!("Decks       {}\n", one_line(&persona.decks.join(", ")));
    let paragraphs = [
        ("Personality", &persona.personality),
        ("Bias", &persona.bias),
        ("Stakes", &persona.stakes),
        ("Epistemology", &persona.epistemology),
        ("Time horizon", &persona.time_horizon),
        ("What would change their mind", &persona.flip_conditions),
        ("How they weigh evidence", &persona.evidence.weighting),
        ("Voice", &persona.voice.hint),
    ];
    for (title, text) in paragraphs {
        say!("{title}");
        crate::commands::modes::folded("  ", &one_line(text));
        say!("");
    }
    say!("Accepts     {}", one_line(&persona.evidence.accepts.join("; ")));
    say!("Refuses     {}", one_line(&persona.evidence.refuses.join("; ")));
    say!("Never says  {}", one_line(&persona.voice.never.join("; ")));
    for anchor in &persona.anchors {
        say!("Has said    \"{}\" ({})", one_line(&anchor.text), one_line(&anchor.source));
    }
}

/// What is lighter or heavier than this still works, but is told.
const WEIGHT: std::ops::RangeInclusive<u64> = 1_500..=3_000;

fn check(global: &Global, files: &PersonaFiles, given: &[String]) -> CliResult {
    let names = if given.is_empty() { files.names(KIND) } else { given.to_vec() };
    if names.is_empty() {
        let folder = files.folder(KIND).map_or_else(|| "your configuration directory".to_owned(), |folder| folder.display().to_string());
        return Err(usage("persona", "no file", format!("files to check; there is none in {folder}")));
    }
    let mut problems: Vec<Problem> = Vec::new();
    let mut sound = Vec::new();
    for name in &names {
        match persona::find(name, files) {
            Ok(persona) => {
                let weight = tokens::count(&persona::consolidated(&persona));
                if !global.json {
                    let remark = if WEIGHT.contains(&weight) { "" } else { "; about 2,200 is usual" };
                    say!("ok  {}: {}, {weight} tokens{remark}", one_line(name), one_line(&persona.name));
                }
                sound.push(json!({"name": name, "id": persona.id, "promptTokens": weight}));
            }
            Err(found) => problems.extend(found),
        }
    }
    if problems.is_empty() {
        if global.json {
            print_json(&json!({"ok": sound}));
        }
        return Ok(DECIDED);
    }
    Err(Problems(problems).into())
}

/// One run of the drafting mode over the texts; what it gives becomes a file of the user's own.
async fn draft(global: &Global, files: &PersonaFiles, new: PersonaNew) -> CliResult {
    let id = new.id.clone().or_else(|| id_from_name(&new.name)).unwrap_or_default();
    let mut problems = Vec::new();
    if !persona::is_id(&id) {
        let got = if id.is_empty() { &new.name } else { &id };
        problems.push(Problem::new("id", got.clone(), "--id with lower-case letters, digits and hyphens, beginning with a letter"));
    }
    let mut texts = Vec::new();
    for path in &new.from {
        match files.access.attach("from", path) {
            Ok(file) => texts.push(file),
            Err(problem) => problems.push(problem),
        }
    }
    let path = target(files, &new, &id)?;
    if path.exists() && !new.force {
        problems.push(Problem::new("out", format!("{} exists", path.display()), "another --id or --out, or --force to replace it"));
    }
    let door = Door::open(global, true).await?;
    let written = synod_report::moment(SystemClock.now()).replace(" UTC", "Z").replace(' ', "T");
    let PersonaNew { name, handle, decks, model, rehearse, .. } = new;
    let request = DraftRequest { name, id, handle, decks, texts, model, rehearse, written }.into_run();
    let prepared = request::prepare(&door, request, &RequestArgs::default(), problems, true).await?;
    super::ask::confirmed(&door, &prepared, false)?;
    let (_, mut handle) = prepared.start(&door).await?;
    let ending = handle.ending().await;
    let answer = match &ending {
        Ending::Verdict(verdict) => verdict.answer.as_ref().map(|answer| (verdict, answer)),
        Ending::Stopped(_) => None,
    };
    let Some((verdict, answer)) = answer else { return outcome::say(&door, &handle.run, &ending, &Output::default()).await };
    let broken = |error: std::io::Error| AppError::broken("out", format!("{}: {error}", path.display()), "a place that can be written to");
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(broken)?;
    }
    synod_app::write_private(&path, &answer.text, true).map_err(broken)?;
    if global.json {
        print_json(&json!({"file": path, "run": handle.run, "verdict": verdict}));
    } else {
        say!("Wrote {}", path.display());
        verdict.warnings.iter().for_each(|warning| say!("! {}", one_line(warning)));
        say!("Read it, change what is not so, then: synod persona check {}", path.display());
    }
    door.close().await;
    Ok(DECIDED)
}

fn target(files: &PersonaFiles, new: &PersonaNew, id: &str) -> CliResult<PathBuf> {
    let own = || files.folder(KIND).map(|folder| folder.join(format!("{id}.toml")));
    new.out.clone().or_else(own).ok_or_else(|| usage("out", "no configuration directory is known", "--out FILE"))
}
