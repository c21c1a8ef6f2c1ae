//! What was typed, apart from what it means. Numbers stay text here, so that all mistakes can be told at once.

pub mod claim;
mod mode_options;
mod persona;
pub mod server;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
pub use mode_options::{flags_of_ask, with_mode_options};
pub use persona::{PersonaCommand, PersonaNew};
use std::path::PathBuf;
use synod_app::ExportFormat;
use synod_report::Extent;

#[derive(Parser)]
#[command(
    name = "synod",
    version,
    about = "Puts a question before a panel of language models and returns a verdict you can audit.",
    propagate_version = true
)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Args, Clone)]
pub struct Global {
    /// Where runs are kept: a file or a database URL. Default: the user's data directory.
    #[arg(long, global = true, value_name = "PATH_OR_URL", env = "SYNOD_DB")]
    pub db: Option<String>,
    /// Read this configuration instead of ./synod.toml and the user's own.
    #[arg(long, global = true, value_name = "FILE", env = "SYNOD_CONFIG")]
    pub config: Option<PathBuf>,
    /// Print one JSON document on standard output, and nothing else there.
    #[arg(long, global = true)]
    pub json: bool,
    /// Trust this directory's synod.toml, for this once: it may then send what you ask to endpoints of its own, and replace yours.
    #[arg(long, global = true)]
    pub trust: bool,
    /// The user agreed to endpoints that only this directory's file defines.
    #[arg(skip)]
    pub accept_endpoints: bool,
    /// Say more on standard error; twice for everything.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

#[derive(Subcommand)]
pub enum Command {
    /// Put a question to a panel.
    #[command(
        after_help = "Every option of the mode is a flag too: synod modes MODE lists them.\nA value @FILE is read from that file (.json as JSON, else as text); @@ stands for a literal @."
    )]
    Ask(Box<Ask>),
    /// List the deliberation modes, or explain one.
    Modes(Modes),
    /// List the models that can be seated, and where each comes from.
    Models(Models),
    /// List runs.
    Runs(Runs),
    /// Numbers over many runs: models, modes, days.
    Stats(Stats),
    /// Show a run: every phase, every turn.
    Show(Show),
    /// Follow a run until it ends.
    Watch(Which),
    /// Go on with a stopped run, or fork it.
    Resume(Box<Resume>),
    /// Answer what a run asks of a person.
    Review(Review),
    /// Decide between position cards, with or without models.
    Decide(Box<Decide>),
    /// Approve, reject or send back what waits at a gate.
    Approve(Approve),
    /// What earlier decisions taught.
    #[command(subcommand)]
    Memory(Memory),
    /// Stop a run, or have it conclude with what it has.
    Cancel(Cancel),
    /// Write a run as markdown, HTML or JSON.
    Export(Export),
    /// Check that a run's record is as it was written.
    Verify(Which),
    /// Recompute a run's verdict from its record, with no call.
    Replay(Which),
    /// Who can debate in crux: list, read, check and draft personas.
    Persona {
        #[command(subcommand)]
        command: PersonaCommand,
    },
    /// Answer over HTTP: runs, their events, keys.
    Serve(server::Serve),
    /// Who may call the server: make, list and revoke keys.
    Key {
        #[command(subcommand)]
        command: server::KeyCommand,
    },
    /// Claims: submit one, work it through its layers, review it.
    Claim {
        #[command(subcommand)]
        command: claim::ClaimCommand,
    },
    /// Work on claims as an agent.
    Agent {
        #[command(subcommand)]
        command: claim::AgentCommand,
    },
    /// Check the configuration and every seat with one tiny call.
    Doctor(Doctor),
    /// Write a configuration with what is found on this machine.
    Init(Init),
    /// Print completions for a shell.
    Completions { shell: clap_complete::Shell },
    /// What the last of these words may become. For the scripts of `completions`.
    #[command(hide = true)]
    Complete {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
}

#[derive(Args, Clone, Default)]
pub struct Ask {
    /// The question; - or nothing reads it from standard input.
    pub question: Option<String>,
    #[command(flatten)]
    pub request: RequestArgs,
    /// Print what the run would take, and do not run it.
    #[arg(long)]
    pub quote: bool,
    /// Join a conversation: its id, or `new`.
    #[arg(long, value_name = "new|ID")]
    pub conversation: Option<String>,
    /// Attach a text file. May be repeated.
    #[arg(long = "file", value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Material the question is about; - reads it from standard input.
    #[arg(long, value_name = "FILE")]
    pub content: Option<PathBuf>,
    #[command(flatten)]
    pub output: Output,
}

/// Flags that `ask` and `resume --fork` share. Any option of the mode is a flag too: see `synod modes MODE`.
#[derive(Args, Clone, Default)]
pub struct RequestArgs {
    /// The protocol; default council.
    #[arg(long, value_name = "ID")]
    pub mode: Option<String>,
    /// The panel's models, in seat order: names or endpoint/model-id (synod models lists them).
    #[arg(long, value_name = "A,B,C", value_delimiter = ',')]
    pub models: Vec<String>,
    /// A panel from the configuration.
    #[arg(long, value_name = "NAME", conflicts_with = "models")]
    pub panel: Option<String>,
    /// The chair: one more seat after the panel.
    #[arg(long, value_name = "MODEL")]
    pub chair: Option<String>,
    /// Seat a model for one role of the mode.
    #[arg(long = "role", value_name = "ROLE=MODEL")]
    pub roles: Vec<String>,
    /// Set an option of the mode; @FILE reads its value from a file.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Seat the built-in voices: free, offline, and not models.
    #[arg(long, conflicts_with_all = ["models", "panel"])]
    pub rehearse: bool,
}

/// What a run may take, and its seed.
#[derive(Args, Clone, Default)]
pub struct LimitArgs {
    /// Never spend more than this, in US dollars.
    #[arg(long, allow_hyphen_values = true, value_name = "USD")]
    pub budget: Option<String>,
    /// Pay without being asked, however much it is likely to cost.
    #[arg(long, short)]
    pub yes: bool,
    /// Begin nothing new after so many seconds of running: turns under way finish, then the run concludes.
    #[arg(long, allow_hyphen_values = true, value_name = "SECONDS")]
    pub deadline: Option<String>,
    /// Give a seat up after so many seconds without a sign of life.
    #[arg(long, allow_hyphen_values = true, value_name = "SECONDS")]
    pub timeout: Option<String>,
    /// Fix labels, orders and rehearsal voices.
    #[arg(long, allow_hyphen_values = true, value_name = "N")]
    pub seed: Option<String>,
}

#[derive(Args, Clone, Default)]
pub struct Output {
    /// Exit with 3 unless every seat spoke in every phase.
    #[arg(long, value_name = "full", value_parser = ["full"])]
    pub require: Option<String>,
    /// No progress on standard error.
    #[arg(long, short)]
    pub quiet: bool,
    /// Print only the first lines of the verdict: what to do, what was decided, who disagrees, what is missing, how sure, what it cost.
    #[arg(long, conflicts_with = "answers")]
    pub brief: bool,
    /// Print the answers too that the verdict was made from.
    #[arg(long)]
    pub answers: bool,
}

impl Output {
    pub fn extent(&self) -> Extent {
        match (self.brief, self.answers) {
            (true, _) => Extent::Brief,
            (false, true) => Extent::WithAnswers,
            (false, false) => Extent::Whole,
        }
    }
}

#[derive(Args)]
pub struct Modes {
    /// The mode to explain.
    pub id: Option<String>,
    /// The whole reference as markdown.
    #[arg(long, hide = true)]
    pub markdown: bool,
}

#[derive(Args)]
pub struct Models {
    /// Only models with this in their name.
    pub part: Option<String>,
}

#[derive(Args)]
pub struct Runs {
    /// Only runs that wait for a person.
    #[arg(long)]
    pub waiting: bool,
    /// At most so many, newest first.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
}

#[derive(Args)]
pub struct Which {
    /// The run: its id, a unique beginning or end of it, or `last`.
    pub run: String,
}

#[derive(Args)]
pub struct Show {
    /// The run: its id, a unique beginning or end of it, or `last`.
    pub run: String,
    /// Every reply whole, also where an exhibit already says what came of it.
    #[arg(long)]
    pub full: bool,
    /// Only the first lines of the verdict.
    #[arg(long, conflicts_with = "full")]
    pub brief: bool,
}

#[derive(Args)]
pub struct Resume {
    /// The run: its id, a unique beginning or end of it, or `last`.
    pub run: String,
    /// Start a new run that takes over every unchanged turn at no cost.
    #[arg(long)]
    pub fork: bool,
    /// Take a finished debate one round further, as a fork of it; `--set focus_question=…` says what about, `--set resolves=S2` overrules a BLOCKER.
    #[arg(long = "continue", conflicts_with = "fork")]
    pub go_further: bool,
    #[command(flatten)]
    pub request: RequestArgs,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Args)]
pub struct Review {
    /// The run: its id, a unique beginning or end of it, or `last`.
    pub run: String,
    /// Which question, where the run asks more than one.
    #[arg(long)]
    pub key: Option<String>,
    /// The answer; asked for on the terminal if left out.
    #[arg(long)]
    pub answer: Option<String>,
    #[command(flatten)]
    pub answering: Answering,
}

/// What goes with a person's answer.
#[derive(Args)]
pub struct Answering {
    /// A remark to keep with it: a reason, a condition.
    #[arg(long)]
    pub note: Option<String>,
    /// Who answers. Default: the user's name.
    #[arg(long)]
    pub by: Option<String>,
    /// Leave the run stopped.
    #[arg(long)]
    pub no_resume: bool,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Args)]
pub struct Decide {
    /// The decision: YAML or JSON with an objective and cards.
    pub file: Option<PathBuf>,
    /// Print the JSON Schema of a decision file.
    #[arg(long)]
    pub schema: bool,
    /// Let models verify, doubt, sit on the panel and write a hybrid: the default panel, or --panel=NAME.
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true, default_missing_value = "", conflicts_with = "models")]
    pub panel: Option<String>,
    /// The same, with these models.
    #[arg(long, value_name = "A,B,C", value_delimiter = ',')]
    pub models: Vec<String>,
    /// The same, with the built-in voices: free, offline, and not models.
    #[arg(long, conflicts_with = "models")]
    pub rehearse: bool,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Print what the run would take, and do not run it.
    #[arg(long)]
    pub quote: bool,
    #[command(flatten)]
    pub output: Output,
}

impl Decide {
    /// The flags it shares with `ask`.
    pub fn flags(&self) -> RequestArgs {
        RequestArgs { models: self.models.clone(), limits: self.limits.clone(), rehearse: self.rehearse, ..RequestArgs::default() }
    }
}

#[derive(Args)]
pub struct Approve {
    /// The run: its id, a unique beginning or end of it, or `last`.
    pub run: String,
    /// The position that waits.
    #[arg(long, value_name = "ID")]
    pub position: String,
    /// What it waits for: an invariant's id, `risk 1`, `data_loss` or a regulation.
    #[arg(long)]
    pub subject: String,
    /// What is decided.
    #[arg(long, value_parser = ["approve", "reject", "revise"])]
    pub decision: String,
    #[command(flatten)]
    pub answering: Answering,
}

#[derive(Subcommand)]
pub enum Memory {
    /// The newest records.
    List {
        /// At most so many, newest first.
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
        limit: u32,
    },
    /// One record.
    Show {
        /// The run that decided it: its id, a unique beginning or end of it, or `last`.
        run: String,
    },
}

#[derive(Args)]
pub struct Cancel {
    /// The run: its id, a unique beginning or end of it, or `last`.
    pub run: String,
    /// Start no new turn and conclude with what there is.
    #[arg(long)]
    pub conclude: bool,
}

fn export_format() -> impl TypedValueParser<Value = ExportFormat> {
    PossibleValuesParser::new(ExportFormat::WORDS).try_map(|word| ExportFormat::parse(&word).ok_or("no such format"))
}

#[derive(Args)]
pub struct Export {
    /// The run: its id, a unique beginning or end of it, or `last`.
    pub run: String,
    /// Default: md, or json with --json.
    #[arg(long, value_parser = export_format())]
    pub format: Option<ExportFormat>,
    /// Write to this file instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

#[derive(Args)]
pub struct Stats {
    /// How far back, in whole days of UTC with today: 7d, 30d, 90d or all.
    #[arg(long, default_value = "30d", value_name = "RANGE")]
    pub range: String,
    /// Only this mode.
    #[arg(long, value_name = "ID")]
    pub mode: Option<String>,
    /// Only this model.
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Count rehearsals too.
    #[arg(long)]
    pub rehearsals: bool,
}

#[derive(Args)]
pub struct Doctor {
    /// Check these models instead of the default panel's.
    #[arg(long, value_name = "A,B,C", value_delimiter = ',')]
    pub models: Vec<String>,
}

#[derive(Args)]
pub struct Init {
    /// Write ./synod.toml instead of the user's own configuration.
    #[arg(long)]
    pub here: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
