//! `synod review`: answer what a run asks of a person, and let it go on.

use crate::args::{Answering, Global, Review};
use crate::commands::resume;
use crate::door::Door;
use crate::exit::{CliResult, DECIDED, print_json, usage};
use crate::say::note;
use crate::terminal;
use synod_app::{RunSummary, WaitingFor};
use synod_engine::LimitChanges;
use synod_report::clean;
use synod_types::{PersonAnswer, RunState};

pub async fn run(global: &Global, args: Review) -> CliResult {
    let door = Door::open(global, args.answering.output.quiet).await?;
    let run = door.find_run(&args.run).await?;
    let summary = door.run(&run).await?;
    let open = &summary.waiting;
    let question = match (&args.key, open.as_slice()) {
        (_, []) => return Err(usage("run", format!("{run} asks nothing of a person"), "a run that synod runs --waiting lists")),
        (Some(key), open) => open.iter().find(|question| question.key == *key),
        (None, [only]) => Some(only),
        (None, _) => None,
    };
    let Some(question) = question else {
        let keys: Vec<&str> = open.iter().map(|question| question.key.as_str()).collect();
        return Err(usage("key", args.key.unwrap_or_else(|| "none".into()), format!("--key with one of: {}", keys.join(", "))));
    };
    let answer = match args.answer {
        Some(answer) => answer,
        None => ask_here(question)?,
    };
    give(&door, &run, &summary, question, answer, args.answering).await
}

/// Hands an answer to a run, and lets it go on unless it is to be left.
pub async fn give(door: &Door, run: &str, summary: &RunSummary, question: &WaitingFor, answer: String, with: Answering) -> CliResult {
    let Answering { note: remark, by, no_resume, output } = with;
    let by = by.or_else(|| std::env::var("USER").ok()).unwrap_or_else(|| "somebody".into());
    let runner = door.runner(run).await?;
    door.answer(&runner, run, question, PersonAnswer { answer, note: remark, by }).await?;
    if no_resume || summary.state == RunState::Running {
        let next = if no_resume { format!("synod resume {run}") } else { format!("synod watch {run}") };
        if door.json {
            print_json(&serde_json::json!({"run": run, "answered": question.key, "next": next}));
        } else {
            note!("Answered. {}", if no_resume { format!("{next} goes on.") } else { "The run's own process goes on with it.".into() });
        }
        return Ok(DECIDED);
    }
    resume::go_on(door, &runner, run, LimitChanges::default(), &output).await
}

fn ask_here(question: &WaitingFor) -> CliResult<String> {
    let choices = &question.asking.choices;
    let want = if choices.is_empty() { "--answer TEXT".to_owned() } else { format!("--answer with one of: {}", choices.join(", ")) };
    if !terminal::is_there() {
        return Err(usage("answer", "none", want));
    }
    note!("{}", clean(&question.asking.question));
    for (n, choice) in (1..).zip(choices) {
        note!("  {n}. {}", clean(choice));
    }
    let words: Vec<(&str, &str)> = choices.iter().map(|choice| (choice.as_str(), choice.as_str())).collect();
    let read = |answer: &str| terminal::choice(answer, &words).or((!answer.is_empty() && choices.is_empty()).then_some(answer)).map(str::to_owned);
    let asked = if choices.is_empty() { "an answer".to_owned() } else { format!("a number from 1 to {}, or one of the words", choices.len()) };
    terminal::ask_until("", &asked, read)?.ok_or_else(|| usage("answer", "nothing", want))
}
