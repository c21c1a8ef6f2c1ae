//! The command line as a door to [`App`]: opened from the global flags, and what it knows of the terminal it speaks to.

use crate::args::Global;
use crate::exit::CliResult;
use crate::say::{self, note};
use std::ops::Deref;
use synod_app::{App, AppError, Config, FileAccess, Sources};
use synod_report::{Style, one_line};

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
        if !global.accept_endpoints {
            say_left_out(&app.config);
        }
        app.live = !quiet && !plain && say::err_is_terminal();
        Ok(Self { app, json: global.json, plain })
    }

    pub fn style(&self) -> Style {
        let terminal = say::out_is_terminal();
        let set = |name: &str| self.sources.env.get(name).map(String::as_str).filter(|value| !value.is_empty());
        let colour = terminal && set("NO_COLOR").is_none() && !self.plain;
        let columns = if terminal { say::columns() } else { set("COLUMNS").and_then(|columns| columns.parse().ok()) };
        let locale = set("LC_ALL").or(set("LC_CTYPE")).or(set("LANG"));
        let unicode = !terminal || locale.is_none_or(|locale| locale.to_ascii_lowercase().contains("utf"));
        Style { width: columns.unwrap_or(100).clamp(40, 120), colour, unicode }
    }
}

/// Names what an untrusted directory's file would have changed.
pub fn say_left_out(config: &Config) {
    for left_out in &config.left_out {
        note!("Not applied: {}.", one_line(left_out));
    }
    if !config.left_out.is_empty() {
        note!("This directory is not trusted: --trust for this once, or, {}", one_line(&config.foreign.trust_line));
    }
}

pub fn sources(global: &Global) -> CliResult<Sources> {
    let sources = Sources::of_process(global.config.clone()).map_err(|error| AppError::broken("working directory", error, ""))?;
    Ok(Sources { trust: global.trust, accept_endpoints: global.accept_endpoints, ..sources })
}
