//! The parts wired together, each made when a command first needs it.

use crate::args::Global;
use crate::exit::{CliError, CliResult};
use crate::library::Files;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use synod_engine::{Clock, Journal, Mode, PanelRequest, Prompts, Runner, Setup, SystemClock};
use synod_llm::rehearsal::Rehearsal;
use synod_llm::{Config, Detected, Registry, Sources, detect, process_env};
use synod_modes::{INTERNAL, MODES};
use synod_report::{Style, View};
use synod_store::{Store, StoreSettings};
use synod_types::{Kind, Row};

pub const BINARY: &str = concat!("synod ", env!("CARGO_PKG_VERSION"));

pub struct App {
    pub sources: Sources,
    pub config: Config,
    pub store: Arc<Store>,
    pub json: bool,
    /// No live board: the terminal cannot draw one.
    pub plain: bool,
}

impl App {
    pub async fn open(global: &Global) -> CliResult<Self> {
        let (sources, config) = configuration(global)?;
        let location = match global.db.clone().or_else(|| config.db.clone()) {
            Some(location) => location,
            None => default_db(&sources)?.display().to_string(),
        };
        let durability = match config.durability {
            Some(synod_llm::config::Durability::Power) => synod_store::Durability::Power,
            Some(synod_llm::config::Durability::Process) | None => synod_store::Durability::Process,
        };
        let settings = StoreSettings { durability, raw_retention_days: config.raw_retention_days, ..StoreSettings::default() };
        let store = Arc::new(Store::open(&location, settings).await?);
        if config.raw_retention_days.is_some() {
            store.expire_raws(SystemClock.now()).await?;
        }
        let plain = sources.env.get("TERM").is_some_and(|term| term == "dumb");
        Ok(Self { sources, config, store, json: global.json, plain })
    }

    /// Nothing configured: looks around once, and says what was found.
    pub async fn detect(&self, rehearse: bool) -> Option<Detected> {
        if self.config.is_empty() || rehearse { Some(detect(process_env(), rehearse).await) } else { None }
    }

    /// The Runner over these models. `live` keeps the words of running turns, for a board that shows them.
    pub fn runner(&self, detected: Option<Detected>, live: bool) -> CliResult<Runner> {
        let mut config = self.config.clone();
        if let Some(detected) = detected {
            config.fill_from(detected.config);
        }
        let overrides = self.sources.user_directory.as_ref().map(|directory| directory.join("prompts"));
        let prompts = Prompts::load(every_mode(), overrides.as_deref())?;
        let setup = Setup {
            modes: MODES,
            internal_modes: INTERNAL,
            library: Arc::new(Files { directory: self.sources.user_directory.clone() }),
            models: Arc::new(Registry::new(config)),
            journal: self.store.clone(),
            prompts: Arc::new(prompts),
            clock: Arc::new(SystemClock),
            binary: BINARY.into(),
            live,
            heartbeat: Duration::from_secs(1),
        };
        Ok(Runner::new(setup))
    }

    /// Whether a live board will be shown.
    pub fn live(&self, quiet: bool) -> bool {
        !quiet && !self.plain && std::io::stderr().is_terminal()
    }

    pub async fn rows(&self, run: &str) -> CliResult<Vec<Row>> {
        Ok(Journal::rows(self.store.as_ref(), run, 0).await?)
    }

    /// A run folded, with its raw replies where they are still kept.
    pub async fn view(&self, run: &str) -> CliResult<View> {
        let rows = self.rows(run).await?;
        let mut view = View::of(&rows);
        for row in rows.iter().filter(|row| row.kind == Kind::Replied) {
            if let Some(raw) = self.store.raw(run, &row.key, row.attempt).await? {
                view.attach_raw(&row.key, row.attempt, raw);
            }
        }
        Ok(view)
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

    /// Flushes and lets go of the database.
    pub async fn close(&self) {
        self.store.close().await;
    }
}

/// Those with a name on the list, and those that work behind a command of their own.
fn every_mode() -> &'static [&'static Mode] {
    static ALL: OnceLock<Vec<&'static Mode>> = OnceLock::new();
    ALL.get_or_init(|| MODES.iter().chain(INTERNAL).copied().collect())
}

/// The panel of the configuration by name, or the one found.
pub fn panel(config: &Config, detected: Option<&Detected>, name: Option<&str>) -> CliResult<PanelRequest> {
    let panel = match (name, detected) {
        (Some(name), _) => config.panels.get(name).ok_or_else(|| {
            let known: Vec<&str> = config.panels.keys().map(String::as_str).collect();
            let want = if known.is_empty() {
                "a panel under [panels] in synod.toml; there is none yet".into()
            } else {
                format!("one of: {}", known.join(", "))
            };
            CliError::usage("panel", name, want)
        })?,
        (None, Some(detected)) => &detected.panel,
        (None, None) => match config.panels.get("default") {
            Some(panel) => panel,
            None => return Ok(PanelRequest::default()),
        },
    };
    Ok(PanelRequest {
        models: panel.seats.clone(),
        chair: panel.chair.clone(),
        light: panel.light.clone(),
        roles: Vec::new(),
        may_shrink: name.is_none(),
    })
}

/// Built-in voices for a mode: four seats, or as many as it needs, its special role among them.
pub fn voices(mode: &str) -> Option<PanelRequest> {
    let mode = MODES.iter().find(|known| known.id == mode)?;
    let total = 4.clamp(mode.seats.0, mode.seats.1) as usize;
    let mut models: Vec<String> = Rehearsal::voices().cycle().take(total).map(|voice| format!("rehearsal/{voice}")).collect();
    let chair = if mode.special_role().is_some() { models.pop() } else { None };
    Some(PanelRequest { models, chair, may_shrink: true, ..PanelRequest::default() })
}

pub fn configuration(global: &Global) -> CliResult<(Sources, Config)> {
    let sources = Sources::of_process(global.config.clone()).map_err(|error| CliError::broken("working directory", error, ""))?;
    let config = Config::load(&sources)?;
    Ok((sources, config))
}

fn default_db(sources: &Sources) -> CliResult<PathBuf> {
    let set = |name: &str| sources.env.get(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let data = set("XDG_DATA_HOME").filter(|path| path.is_absolute()).or_else(|| set("HOME").map(|home| home.join(".local/share")));
    let data = data.ok_or_else(|| CliError::usage("db", "no home directory is known", "--db PATH, or SYNOD_DB"))?;
    Ok(data.join("synod").join("synod.db"))
}

fn terminal_width() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}
