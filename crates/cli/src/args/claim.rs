//! What was typed after `synod claim` and `synod agent`.

use super::export_format;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use synod_app::ExportFormat;

#[derive(Subcommand)]
pub enum ClaimCommand {
    /// Submit a claim and work it through all layers with the panel of this machine.
    Run(Box<ClaimRun>),
    /// Submit a claim for agents to work on.
    New(ClaimNew),
    /// Go on with a claim that was left in the middle or sent back.
    Resume(ClaimResume),
    /// List claims, the newest first.
    List(ClaimList),
    /// Show a claim: its layers, slots, flags and record.
    Show(WhichClaim),
    /// Write a claim as markdown, HTML or JSON.
    Export(ClaimExport),
    /// Look at a claim that fell short, and decide what becomes of it.
    Review(ClaimReview),
    /// The same in one line, for scripts.
    Clear(ClaimClear),
    /// List the protocols, or add one of your own from a file.
    Protocols {
        /// A protocol as JSON.
        #[arg(long, value_name = "FILE")]
        add: Option<PathBuf>,
    },
}

#[derive(Subcommand)]
pub enum AgentCommand {
    /// Fill open slots of claims with the models of a panel.
    Work(AgentWork),
}

#[derive(Args)]
pub struct WhichClaim {
    /// The claim: its id or the beginning of it, or `last`.
    pub claim: String,
}

/// What is claimed, and how it is to be examined.
#[derive(Args)]
pub struct ClaimText {
    /// The claim, in a sentence.
    pub title: String,
    /// What there is to say about it beyond that sentence; @FILE reads a file.
    #[arg(long, value_name = "TEXT")]
    pub body: Option<String>,
    /// How it is examined: prism-v1, prism-v1-solo, lens-v1, auto, a protocol of your own, or a file that holds one.
    #[arg(long, value_name = "NAME|FILE")]
    pub protocol: Option<String>,
    /// Its domain, until a layer classifies it.
    #[arg(long)]
    pub domain: Option<String>,
    /// An address that speaks for it. May be repeated.
    #[arg(long = "source", value_name = "URL")]
    pub sources: Vec<String>,
}

/// Who works, and for how much.
#[derive(Args, Clone, Default)]
pub struct Crew {
    /// The models that fill slots, dealt round.
    #[arg(long, value_name = "A,B,C", value_delimiter = ',')]
    pub models: Vec<String>,
    /// A panel from the configuration.
    #[arg(long, value_name = "NAME", conflicts_with = "models")]
    pub panel: Option<String>,
    /// Seat the built-in voices: free, offline, and not models.
    #[arg(long, conflicts_with_all = ["models", "panel"])]
    pub rehearse: bool,
    /// Never spend more than this, in US dollars, over all slots.
    #[arg(long, allow_hyphen_values = true, value_name = "USD")]
    pub budget: Option<String>,
    /// Pay without being asked, however much it is likely to cost.
    #[arg(long, short)]
    pub yes: bool,
    /// No progress on standard error.
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Args)]
pub struct ClaimRun {
    #[command(flatten)]
    pub text: ClaimText,
    #[command(flatten)]
    pub crew: Crew,
    /// In a rehearsal: the first attempt at this layer is scored low, so that a review can be tried.
    #[arg(long, value_name = "LAYER", requires = "rehearse")]
    pub low: Option<u32>,
}

#[derive(Args)]
pub struct ClaimNew {
    #[command(flatten)]
    pub text: ClaimText,
    /// To be worked by built-in voices only.
    #[arg(long)]
    pub rehearse: bool,
}

#[derive(Args)]
pub struct ClaimResume {
    #[command(flatten)]
    pub which: WhichClaim,
    #[command(flatten)]
    pub crew: Crew,
}

#[derive(Args)]
pub struct ClaimList {
    /// Only claims in which all these words occur.
    #[arg(long, value_name = "WORDS")]
    pub search: Option<String>,
    /// Only claims that are active, flagged or complete.
    #[arg(long, value_parser = ["active", "flagged", "complete"])]
    pub status: Option<String>,
    /// At most so many.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=500))]
    pub limit: u32,
}

#[derive(Args)]
pub struct ClaimExport {
    #[command(flatten)]
    pub which: WhichClaim,
    #[arg(long, value_parser = export_format(), default_value = ExportFormat::Markdown.as_str())]
    pub format: ExportFormat,
    /// Where to; default: standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

#[derive(Args)]
pub struct ClaimReview {
    /// The claim: its id or the beginning of it; default: the one that has waited longest.
    pub claim: Option<String>,
    /// Who decides. Default: the user's name.
    #[arg(long)]
    pub by: Option<String>,
}

#[derive(Args)]
pub struct ClaimClear {
    #[command(flatten)]
    pub which: WhichClaim,
    /// What becomes of it.
    #[arg(long, default_value = "rerun_layer", value_parser = ["rerun_layer", "rerun_consensus", "override_pass", "close"])]
    pub resolution: String,
    /// Why, and what the next attempt should do better. Whoever works on it is told.
    #[arg(long)]
    pub note: Option<String>,
    /// Who decides. Default: the user's name.
    #[arg(long)]
    pub by: Option<String>,
}

#[derive(Args)]
pub struct AgentWork {
    #[command(flatten)]
    pub crew: Crew,
    /// Keep looking for work when nothing is open.
    #[arg(long, conflicts_with = "once")]
    pub auto: bool,
    /// One slot, and no more: exit 0 when it was filled, 2 without work, 3 when another agent was quicker.
    #[arg(long)]
    pub once: bool,
}
