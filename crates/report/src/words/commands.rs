//! The commands of `synod` that look further into a run or go on with it: the one place of this crate that knows how they are spelled.

use crate::text::one_line;
use crate::view::View;
use synod_types::{Action, ClaimView, Further, FurtherPurpose, PipelineStatus, RunState};

/// The command that does what a stopped run needs.
pub fn next_command(run: &str, action: Action) -> String {
    let run = one_line(run);
    match action {
        Action::Resume => format!("synod resume {run}"),
        Action::RaiseBudget { to_usd } => format!("synod resume {run} --budget {to_usd:.2}"),
        Action::Answer => format!("synod review {run}"),
        Action::Fork => format!("synod resume {run} --fork"),
    }
}

/// The command that takes a finished run further, and what it is for.
fn further_command(run: &str, step: &Further) -> (String, &'static str) {
    let purpose = match step.purpose {
        FurtherPurpose::Overrule => "overrule what blocks it, and debate one round further",
    };
    (format!("synod resume {run} --continue --set {}={}", one_line(&step.option), one_line(&step.value)), purpose)
}

/// What there is to do with a run, with what each command is for.
pub fn commands(view: &View) -> Vec<(String, &'static str)> {
    let run = one_line(&view.run);
    let show = (format!("synod show {run}"), "every phase and turn");
    match view.state {
        RunState::Complete => {
            let further = view.verdict.iter().flat_map(|verdict| verdict.further()).map(|step| further_command(&run, &step));
            let export = (format!("synod export {run} --format html"), "a page to keep or send");
            further.chain([show, export]).collect()
        }
        RunState::Running => vec![(format!("synod watch {run}"), "follow it"), show],
        RunState::Lost => vec![
            ("synod doctor".to_owned(), "check the seats of the default panel, and what would mend them"),
            (next_command(&run, Action::Fork), "mend what failed, then go on from what was said, at no cost for it"),
            show,
        ],
        RunState::Waiting => vec![(next_command(&run, Action::Answer), "answer what waits for a person"), show],
        RunState::Stopped | RunState::Interrupted => {
            let action = view.stop().map_or(Action::Resume, |stop| stop.action);
            vec![(next_command(&run, action), "go on with only the missing turns"), show]
        }
    }
}

/// The command with which a person decides about a flagged claim.
pub fn review_claim(claim: &ClaimView) -> String {
    format!("synod claim review {}", one_line(&claim.claim.id))
}

/// What there is to do with a claim after it was looked at in short.
pub fn claim_commands(claim: &ClaimView) -> Vec<(String, &'static str)> {
    let show = (format!("synod claim show {}", one_line(&claim.claim.id)), "every layer and slot");
    match claim.pipeline.status {
        PipelineStatus::Flagged => vec![(review_claim(claim), "decide how it goes on"), show],
        PipelineStatus::Active | PipelineStatus::Complete => vec![show],
    }
}
