//! What was typed after `synod persona`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Subcommand)]
pub enum PersonaCommand {
    /// The personas at hand, built in and your own, and the decks they are in.
    List {
        /// Only those of one deck.
        #[arg(long, value_name = "NAME")]
        deck: Option<String>,
    },
    /// One persona, whole.
    Show {
        /// A name from the list, or a file.
        name: String,
        /// Print the prompt made of it.
        #[arg(long, conflicts_with = "file")]
        prompt: bool,
        /// Print its file, to start your own from.
        #[arg(long)]
        file: bool,
    },
    /// Check persona files: everything that is wrong, at once.
    Check {
        /// Names or files; default: all of your own.
        files: Vec<String>,
    },
    /// Draft a persona from texts, with a model.
    New(PersonaNew),
}

#[derive(Args)]
pub struct PersonaNew {
    /// What they are called.
    pub name: String,
    /// A text of theirs. May be repeated.
    #[arg(long, value_name = "FILE", required = true)]
    pub from: Vec<PathBuf>,
    /// What they do, in a phrase.
    #[arg(long, default_value = "known here by their own texts")]
    pub handle: String,
    /// How options will name them; default: made from the name.
    #[arg(long)]
    pub id: Option<String>,
    /// A deck to seat them in. May be repeated.
    #[arg(long = "deck", value_name = "NAME")]
    pub decks: Vec<String>,
    /// The model that drafts; default: the panel's chair, else its first seat.
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Write here instead of your own personas.
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Replace a file that is there.
    #[arg(long)]
    pub force: bool,
    /// Use a built-in voice: free, offline, and not a model.
    #[arg(long)]
    pub rehearse: bool,
}
