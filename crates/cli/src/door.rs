//! The command line as a door to [`App`]: opened from the global flags, and what it knows of the terminal it speaks to.

use crate::args::Global;
use crate::exit::CliResult;
use std::io::IsTerminal;
use std::ops::Deref;
use synod_app::{App, AppError, FileAccess, Sources};
use synod_report::Style;

pub struct Door {
    app: App,
    pub json: bool,
    /// No live board: the terminal cannot draw one.
    pub plain: bool,
}

impl Deref for Door {
    type Target = App;
    fn deref(&self) -> &App {
        &self.app
    }
}

impl Door {
    /// `quiet`: nobody watches what is said while it runs.
    pub async fn open(global: &Global, quiet: bool) -> CliResult<Self> {
        let sources = sources(global)?;
        let plain = sources.env.get("TERM").is_some_and(|term| term == "dumb");
        let mut app = App::open(sources, global.db.clone(), FileAccess::Anywhere).await?;
        app.live = !quiet && !plain && std::io::stderr().is_terminal();
        Ok(Self { app, json: global.json, plain })
    }

    pub fn style(&self) -> Style {
        let terminal = std::io::stdout().is_terminal();
        let set = |name: &str| self.sources.env.get(name).map(String::as_str).filter(|value| !value.is_empty());
        let colour = terminal && set("NO_COLOR").is_none() && !self.plain;
        let columns = if terminal { terminal_width() } else { set("COLUMNS").and_then(|columns| columns.parse().ok()) };
        let locale = set("LC_ALL").or(set("LC_CTYPE")).or(set("LANG"));
        let unicode = !terminal || locale.is_none_or(|locale| locale.to_ascii_lowercase().contains("utf"));
        Style { width: columns.unwrap_or(100).clamp(40, 120), colour, unicode }
    }
}

pub fn sources(global: &Global) -> CliResult<Sources> {
    Sources::of_process(global.config.clone()).map_err(|error| AppError::broken("working directory", error, ""))
}

fn terminal_width() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}
