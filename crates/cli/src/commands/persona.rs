//! `synod persona`: who can debate in crux, whether a file describes somebody whole, and a first draft from texts.

use crate::app::{self, App};
use crate::args::{Global, OrderArgs, Output, PersonaCommand, PersonaNew};
use crate::exit::{CliError, CliResult, DECIDED, USAGE, print_json};
use crate::library::Files;
use crate::say::{note, say};
use crate::{order, outcome};
use serde_json::{Value, json};
use std::path::PathBuf;
use synod_engine::{Clock, Ending, Library, OptionValue, RunRequest, SystemClock, tokens};
use synod_modes::crux::persona::{self, KIND, Persona};
use synod_report::one_line;
use synod_types::{Problem, Problems, Question};

pub async fn run(global: &Global, command: PersonaCommand) -> CliResult {
    let (sources, _) = app::configuration(global)?;
    let files = Files { directory: sources.user_directory };
    match command {
        PersonaCommand::List { deck } => list(global, &files, deck.as_deref()),
        PersonaCommand::Show { name, prompt, file } => show(global, &files, &name, prompt, file),
        PersonaCommand::Check { files: given } => check(global, &files, &given),
        PersonaCommand::New(new) => draft(global, &files, new).await,
    }
}

/// The built-in ones and the user's own; a file that cannot be read is told and does not hide the others.
fn list(global: &Global, files: &Files, deck: Option<&str>) -> CliResult {
    let names = files.names(KIND);
    let (mut own, mut problems) = (Vec::new(), Vec::new());
    for name in &names {
        match persona::find(name, files) {
            Ok(persona) => own.push((persona, true)),
            Err(found) => problems.extend(found),
        }
    }
    // A user's own stands for a built-in one by its id or, while it cannot be read, by its file's name.
    let replaced = |id: &String| names.contains(id) || own.iter().any(|(persona, _)| persona.id == *id);
    let built_in = persona::built_in().iter().filter(|persona| !replaced(&persona.id)).map(|persona| (persona.clone(), false));
    let mut known: Vec<(Persona, bool)> = built_in.collect();
    known.extend(own);
    if let Some(deck) = deck {
        known.retain(|(persona, _)| persona.decks.iter().any(|each| each == deck));
        if known.is_empty() && problems.is_empty() {
            let names: Vec<&str> = persona::decks().iter().map(|(name, _)| *name).collect();
            return Err(CliError::usage("deck", deck, format!("one of: {}; or a deck your own personas name", names.join(", "))));
        }
    }
    if global.json {
        let rows: Vec<Value> = known
            .iter()
            .map(|(persona, own)| json!({"id": persona.id, "name": persona.name, "handle": persona.handle, "decks": persona.decks, "own": own}))
            .collect();
        let decks: Vec<Value> = persona::decks().iter().map(|(name, about)| json!({"name": name, "about": about})).collect();
        print_json(&json!({"personas": rows, "decks": decks, "errors": problems}));
    } else {
        for (persona, own) in &known {
            let mark = if *own { " (your own)" } else { "" };
            say!("{:<12} {}, {}{mark}", one_line(&persona.id), one_line(&persona.name), one_line(&persona.handle));
            say!("{:<12} decks: {}", "", one_line(&persona.decks.join(", ")));
        }
        say!("");
        for (name, about) in persona::decks() {
            say!("{name:<12} {about}");
        }
        say!("\nsynod ask --mode crux --deck NAME seats a deck; --personas A,B seats these, by name or file.");
        if !problems.is_empty() {
            note!("{}", CliError::Usage(Problems(problems.clone())).text());
        }
    }
    Ok(if problems.is_empty() { DECIDED } else { USAGE })
}

fn show(global: &Global, files: &Files, name: &str, prompt: bool, file: bool) -> CliResult {
    let persona = persona::find(name, files).map_err(|problems| CliError::Usage(Problems(problems)))?;
    let words = persona::consolidated(&persona);
    if global.json {
        print_json(&json!({"persona": persona, "promptTokens": tokens::count(&words), "prompt": words}));
    } else if prompt {
        say!("{words}");
        note!("{} tokens", tokens::count(&words));
    } else if file {
        let built_in = persona::files().iter().find(|(id, _)| *id == name && files.find(KIND, name).is_none());
        match built_in {
            Some((_, text)) => crate::say::out(format_args!("{text}")),
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

fn check(global: &Global, files: &Files, given: &[String]) -> CliResult {
    let names = if given.is_empty() { files.names(KIND) } else { given.to_vec() };
    if names.is_empty() {
        let folder = files.folder(KIND).map_or_else(|| "your configuration directory".to_owned(), |folder| folder.display().to_string());
        return Err(CliError::usage("persona", "no file", format!("files to check; there is none in {folder}")));
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
    Err(CliError::Usage(Problems(problems)))
}

/// One run of the drafting mode over the texts; what it gives becomes a file of the user's own.
async fn draft(global: &Global, files: &Files, new: PersonaNew) -> CliResult {
    let id = new.id.clone().or_else(|| slug(&new.name)).unwrap_or_default();
    let mut problems = Vec::new();
    let mut question = Question { text: new.name.trim().to_owned(), ..Question::default() };
    if !persona::is_id(&id) {
        let got = if id.is_empty() { &new.name } else { &id };
        problems.push(Problem::new("id", got.clone(), "--id with lower-case letters, digits and hyphens, beginning with a letter"));
    }
    for path in &new.from {
        match order::attach("from", path) {
            Ok(file) => question.files.push(file),
            Err(problem) => problems.push(problem),
        }
    }
    let path = target(files, &new, &id)?;
    if path.exists() && !new.force {
        problems.push(Problem::new("out", format!("{} exists", path.display()), "another --id or --out, or --force to replace it"));
    }
    let app = App::open(global).await?;
    let detected = if new.model.is_none() || new.rehearse { app.detect(new.rehearse).await } else { None };
    let mut called = app::panel(&app.config, detected.as_ref(), None)?;
    called.models = new.model.clone().or_else(|| called.chair.take().or_else(|| called.models.first().cloned())).into_iter().collect();
    let text = |text: &str| OptionValue::Json(json!(text));
    let written = synod_report::moment(SystemClock.now()).replace(" UTC", "Z").replace(' ', "T");
    let order = RunRequest {
        mode: synod_modes::crux::draft::MODE.id.into(),
        question,
        panel: synod_engine::PanelRequest { models: called.models, ..Default::default() },
        options: vec![
            ("id".into(), text(&id)),
            ("handle".into(), text(&new.handle)),
            ("decks".into(), OptionValue::Json(json!(new.decks))),
            ("version".into(), text(&written)),
        ],
        budget_usd: app.config.limits.budget_usd,
        ..RunRequest::default()
    };
    let runner = app.runner(detected, false)?;
    let plan = order::plan(&runner, &order, &OrderArgs::default(), problems).await?;
    let mut handle = runner.start(plan).await?;
    let ending = handle.ending().await;
    let Ending::Verdict(verdict) = &ending else { return outcome::say(&app, &handle.run, &ending, &Output::default()).await };
    let Some(answer) = &verdict.answer else { return outcome::say(&app, &handle.run, &ending, &Output::default()).await };
    let broken = |error: std::io::Error| CliError::broken("out", format!("{}: {error}", path.display()), "a place that can be written to");
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(broken)?;
    }
    std::fs::write(&path, &answer.text).map_err(broken)?;
    if global.json {
        print_json(&json!({"file": path, "run": handle.run, "verdict": verdict}));
    } else {
        say!("Wrote {}", path.display());
        verdict.warnings.iter().for_each(|warning| say!("! {}", one_line(warning)));
        say!("Read it, change what is not so, then: synod persona check {}", path.display());
    }
    app.close().await;
    Ok(DECIDED)
}

fn target(files: &Files, new: &PersonaNew, id: &str) -> CliResult<PathBuf> {
    let own = || files.folder(KIND).map(|folder| folder.join(format!("{id}.toml")));
    new.out.clone().or_else(own).ok_or_else(|| CliError::usage("out", "no configuration directory is known", "--out FILE"))
}

/// `Ada Example` as `ada-example`. None for letters that have no plain form: half a name would be worse than none.
fn slug(name: &str) -> Option<String> {
    let mut plain = String::new();
    for c in name.to_lowercase().chars() {
        match c {
            c if c.is_ascii_alphanumeric() => plain.push(c),
            '\'' | '’' => {}
            c if c.is_alphanumeric() => plain.push_str(PLAIN.iter().find(|(letters, _)| letters.contains(c))?.1),
            _ => plain.push('-'),
        }
    }
    let id = plain.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
    Some(id.trim_start_matches(|c: char| !c.is_ascii_lowercase()).to_owned())
}

/// Latin letters with marks, as they are written without.
const PLAIN: &[(&str, &str)] = &[
    ("àáâãåāăą", "a"),
    ("äæ", "ae"),
    ("çćčĉċ", "c"),
    ("ðďđ", "d"),
    ("èéêëēĕėęě", "e"),
    ("ĝğġģ", "g"),
    ("ĥħ", "h"),
    ("ìíîïĩīĭįı", "i"),
    ("ĵ", "j"),
    ("ķ", "k"),
    ("ĺļľł", "l"),
    ("ñńņňŋ", "n"),
    ("òóôõōŏő", "o"),
    ("öøœ", "oe"),
    ("ŕŗř", "r"),
    ("śŝşšș", "s"),
    ("ß", "ss"),
    ("ţťț", "t"),
    ("þ", "th"),
    ("ùúûũūŭůűų", "u"),
    ("ü", "ue"),
    ("ŵ", "w"),
    ("ýÿŷ", "y"),
    ("źżž", "z"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_gives_an_id_or_none_and_never_half_of_one() {
        for (name, want) in [
            ("Ada Example", Some("ada-example")),
            ("  Ada   O'Neill, Jr. ", Some("ada-oneill-jr")),
            ("3 Wise", Some("wise")),
            ("Ólafur Þór", Some("olafur-thor")),
            ("Jürgen Groß", Some("juergen-gross")),
            ("42", Some("")),
            ("Лев", None),
        ] {
            assert_eq!(slug(name).as_deref(), want, "{name}");
        }
        assert!(["ada-example", "wise"].iter().all(|id| persona::is_id(id)) && !["", "3-wise", "Ada", "lafur_r"].iter().any(|id| persona::is_id(id)));
    }
}
