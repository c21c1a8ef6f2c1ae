//! What was typed after `synod serve` and `synod key`.

use clap::{Args, Subcommand};

#[derive(Args)]
pub struct Serve {
    /// Where to listen. Any other address than this machine's own needs a key first.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub addr: Option<String>,
    /// Callers on this machine need a key too.
    #[arg(long)]
    pub require_key: bool,
}

#[derive(Subcommand)]
pub enum KeyCommand {
    /// Make a key. It is shown once and kept only as a hash.
    New(KeyNew),
    /// The keys, whose they are and what they may do.
    List,
    /// Let an agent in that has asked for a key and shows this code.
    Approve {
        /// As the agent shows it: four letters and four digits.
        code: String,
        /// Whose key it becomes; without it the name that the agent gave.
        #[arg(long, value_name = "NAME")]
        owner: Option<String>,
    },
    /// Make a key open nothing any more.
    Revoke {
        /// Its id, as the list shows it.
        id: String,
    },
}

#[derive(Args)]
pub struct KeyNew {
    /// Whose it is.
    pub owner: String,
    /// What it may do: read, run, review, work, admin.
    #[arg(long, value_delimiter = ',', default_value = "read,run,review")]
    pub scopes: Vec<String>,
    /// For guests: 3 runs a minute, 20 an hour, 100 a day, 2 at once.
    #[arg(long)]
    pub guest: bool,
    /// Requests of any kind.
    #[arg(long, value_name = "N")]
    pub requests_per_minute: Option<u32>,
    /// Runs begun within 24 hours.
    #[arg(long, value_name = "N")]
    pub runs_per_day: Option<u32>,
    /// Runs under way at once.
    #[arg(long, value_name = "N")]
    pub concurrent_runs: Option<u32>,
    /// Calls to models, a day of UTC.
    #[arg(long, value_name = "N")]
    pub calls_per_day: Option<u32>,
    /// US dollars, a day of UTC. Only priced models can then be seated.
    #[arg(long, value_name = "USD")]
    pub usd_per_day: Option<f64>,
}
