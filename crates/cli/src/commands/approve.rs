//! `synod approve`: what a person says to something that stopped at a gate; the form of `synod review` for positions.

use crate::args::{Approve, Global};
use crate::commands::review;
use crate::door::Door;
use crate::exit::{CliResult, usage};
use synod_modes::collapse::people::{approval_of, asks_for};

pub async fn run(global: &Global, args: Approve) -> CliResult {
    let door = Door::open(global, args.answering.output.quiet).await?;
    let run = door.find_run(&args.run).await?;
    let summary = door.run(&run).await?;
    let Some(question) = summary.waiting.iter().find(|question| asks_for(&question.key, &args.position, &args.subject)) else {
        let named = |(position, subject): (&str, &str)| format!("--position {position:?} --subject {subject:?}");
        let open: Vec<String> = summary.waiting.iter().filter_map(|question| approval_of(&question.key).map(named)).collect();
        let want = match open.as_slice() {
            [] => "a run that waits for an approval: synod runs --waiting lists them".to_owned(),
            open => format!("a position and a subject that wait: {}", open.join("; ")),
        };
        return Err(usage("position", format!("--position {:?} --subject {:?}", args.position, args.subject), want));
    };
    review::give(&door, &run, &summary, question, args.decision, args.answering).await
}
