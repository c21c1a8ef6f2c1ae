//! The parts wired together: configuration, database, models, prompts, library, Runner.

use crate::access::Allowances;
use crate::error::{AppError, AppResult};
use crate::files::FileAccess;
use crate::library::PersonaFiles;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use synod_claims::{ClaimSettings, Claims};
use synod_config::{Config, EndpointConfig, Sources};
use synod_engine::{Clock, Journal, Mode, Prompts, Runner, Setup, SystemClock};
use synod_llm::{DetectedModels, Detector, LOCAL, Learned, Registry, built_in, detect, process_env};
use synod_modes::{INTERNAL, MODES};
use synod_store::{Store, StoreSettings};
use synod_types::{Header, Problem};

/// Name and version, as frozen into headers.
pub const BINARY: &str = concat!("synod ", env!("CARGO_PKG_VERSION"));

/// What was looked for and found beside the configuration.
type Found = (Option<DetectedModels>, Option<EndpointConfig>);
/// So many are kept: what is found changes when a server is started or a key is set.
const KEPT: usize = 8;

/// A configuration read and a database opened. Models are looked for and the Runner is made when a request needs them.
pub struct App {
    pub sources: Sources,
    pub config: Config,
    pub(crate) store: Arc<Store>,
    /// Which files requests may name.
    pub files: FileAccess,
    /// What models were seen to need and to refuse.
    learned: Arc<Learned>,
    /// Keep the words of running turns, for whoever watches.
    pub live: bool,
    /// How long what was found on this machine is taken for granted. Zero: it is looked for every time.
    pub detection_lasts: Duration,
    detected: tokio::sync::Mutex<Option<(Instant, Option<DetectedModels>)>>,
    /// Everything of a Runner but the models: made once, so that runs of one process know of each other.
    base: OnceLock<Runner>,
    /// Models by what was found beside the configuration: limits and breakers belong to endpoints, not to requests.
    models: Mutex<Vec<(Found, Arc<Registry>)>>,
    claims: OnceLock<Claims>,
}

impl App {
    /// Opens the database at `location`, else the configuration's, else the user's own.
    pub async fn open(sources: Sources, location: Option<String>, files: FileAccess) -> AppResult<Self> {
        let config = Config::load(&sources)?;
        let location = location_of(&sources, &config, location)?;
        let durability = config.durability.unwrap_or_default();
        let settings = StoreSettings { durability, raw_retention_days: config.raw_retention_days, ..StoreSettings::default() };
        let store = Arc::new(Store::open(&location, settings).await?);
        if config.raw_retention_days.is_some() && !store.is_read_only() {
            store.expire_raws(SystemClock.now()).await?;
        }
        let learned = Arc::new(Learned::of(store.learned().await?));
        Ok(Self {
            sources,
            config,
            store,
            files,
            learned,
            live: false,
            detection_lasts: Duration::ZERO,
            detected: tokio::sync::Mutex::default(),
            base: OnceLock::new(),
            models: Mutex::default(),
            claims: OnceLock::new(),
        })
    }

    /// The claims of this database.
    pub fn claims(&self) -> &Claims {
        self.claims.get_or_init(|| Claims::new(Store::clone(&self.store), claim_settings(&self.config)))
    }

    /// What there is to seat, where the configuration seats nobody, or for a rehearsal.
    pub(crate) async fn detect(&self, rehearse: bool) -> Option<DetectedModels> {
        if rehearse || self.detection_lasts.is_zero() {
            return self.look_for_models(rehearse).await;
        }
        let mut kept = self.detected.lock().await;
        match &*kept {
            Some((at, found)) if at.elapsed() < self.detection_lasts => found.clone(),
            _ => {
                let found = self.look_for_models(false).await;
                *kept = Some((Instant::now(), found.clone()));
                found
            }
        }
    }

    async fn look_for_models(&self, rehearse: bool) -> Option<DetectedModels> {
        if self.config.is_empty() || rehearse {
            return Some(detect(process_env(), rehearse).await);
        }
        if self.config.panels.contains_key("default") || !self.config.models.is_empty() {
            return None;
        }
        // Endpoints alone: whatever they list, else what there is beside them.
        let listed = Detector::over(&self.config, process_env()).detect(false).await;
        if !listed.rehearsal || !listed.refused.is_empty() {
            return Some(listed);
        }
        let mut beside = Some(detect(process_env(), false).await).filter(|detected| !detected.rehearsal)?;
        if !self.config.endpoints.is_empty() {
            let names: Vec<&str> = self.config.endpoints.keys().map(String::as_str).collect();
            beside.warnings.push(format!("Of the configured endpoints ({}) none has a model to seat; synod doctor says why.", names.join(", ")));
        }
        Some(beside)
    }

    /// Where `local` is, if one of these models is named by it and the configuration does not say.
    pub(crate) async fn find_local(&self, names: impl IntoIterator<Item = &str>) -> Option<EndpointConfig> {
        if self.config.endpoints.contains_key(LOCAL) {
            return None;
        }
        let ids: Vec<&str> = names.into_iter().filter_map(|name| name.strip_prefix(LOCAL)?.strip_prefix('/')).collect();
        if ids.is_empty() { None } else { Detector::here(process_env()).find_local(&ids).await }
    }

    /// The configuration with what was found laid under it, and under both the endpoints that need no entry.
    pub(crate) fn config_with(&self, detected: Option<DetectedModels>, local: Option<EndpointConfig>) -> Config {
        let mut config = self.config.clone();
        config.fill_from(Config { endpoints: local.map(|local| (LOCAL.to_owned(), local)).into_iter().collect(), ..Config::default() });
        if let Some(detected) = detected {
            config.fill_from(detected.config);
        }
        config.fill_from(Config { endpoints: built_in(&process_env()), ..Config::default() });
        config.admit_foreign();
        config
    }

    /// The models of a configuration, with what is known of them.
    pub(crate) fn registry(&self, config: Config) -> Registry {
        Registry::new(config).knowing(self.learned.clone())
    }

    pub(crate) fn runner_over(&self, detected: Option<DetectedModels>, local: Option<EndpointConfig>) -> AppResult<Runner> {
        let found = (detected, local);
        let models = {
            let mut kept = self.models.lock().unwrap_or_else(PoisonError::into_inner);
            match kept.iter().find(|(known, _)| *known == found) {
                Some((_, models)) => models.clone(),
                None => {
                    let models = Arc::new(self.registry(self.config_with(found.0.clone(), found.1.clone())));
                    kept.truncate(KEPT - 1);
                    kept.insert(0, (found, models.clone()));
                    models
                }
            }
        };
        Ok(self.base()?.with_models(models))
    }

    fn base(&self) -> AppResult<&Runner> {
        if let Some(base) = self.base.get() {
            return Ok(base);
        }
        let overrides = self.sources.user_directory.as_ref().map(|directory| directory.join("prompts"));
        let every: Vec<&Mode> = MODES.iter().chain(INTERNAL).copied().collect();
        let prompts = Prompts::load(&every, overrides.as_deref())?;
        let runner = Runner::new(Setup {
            modes: MODES,
            internal_modes: INTERNAL,
            models: Arc::new(self.registry(self.config.clone())),
            journal: self.store.clone(),
            prompts: Arc::new(prompts),
            library: Arc::new(self.library()),
            clock: Arc::new(SystemClock),
            binary: BINARY.into(),
            live: self.live,
            allowance: Some(Arc::new(Allowances { store: self.store.clone() })),
            heartbeat: Duration::from_secs(1),
        });
        Ok(self.base.get_or_init(|| runner))
    }

    /// A Runner over every model that is configured or found, for a run that exists already.
    pub async fn runner(&self, run: &str) -> AppResult<Runner> {
        let detected = self.detect(false).await;
        let rows = self.store.rows(run, 0).await?;
        let header: Option<Header> = rows.first().and_then(|row| row.read().ok());
        let names: Vec<String> = header.map(|header| header.models.into_keys().collect()).unwrap_or_default();
        let local = self.find_local(names.iter().map(String::as_str)).await;
        self.runner_over(detected, local)
    }

    /// A Runner that starts nothing: to watch, replay and cancel.
    pub fn reader(&self) -> AppResult<Runner> {
        self.base().cloned()
    }

    /// The user's own personas.
    pub fn library(&self) -> PersonaFiles {
        PersonaFiles { directory: self.sources.user_directory.clone(), access: self.files.clone() }
    }

    /// Keeps what was learned about models for the next process. Losing it costs a request or two, and no run.
    pub async fn keep_learned(&self) {
        if !self.learned.has_changes() {
            return;
        }
        let kept = async {
            self.learned.absorb(self.store.learned().await?);
            self.store.learn(self.learned.take_changes()).await
        };
        if let Err(error) = kept.await {
            tracing::warn!(%error, "what was learned about models could not be kept");
        }
    }

    /// Flushes and lets go of the database.
    pub async fn close(&self) {
        self.keep_learned().await;
        self.store.close().await;
    }
}

/// Where runs are kept.
pub(crate) fn location_of(sources: &Sources, config: &Config, given: Option<String>) -> AppResult<String> {
    match given.or_else(|| config.db.clone()) {
        Some(location) => Ok(location),
        None => Ok(default_db(sources)?.display().to_string()),
    }
}

fn default_db(sources: &Sources) -> AppResult<PathBuf> {
    let set = |name: &str| sources.env.get(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let data = set("XDG_DATA_HOME").filter(|path| path.is_absolute()).or_else(|| set("HOME").map(|home| home.join(".local/share")));
    let data = data.ok_or_else(|| AppError::usage(Problem::new("db", "no home directory is known", "a path, or SYNOD_DB")))?;
    Ok(data.join("synod").join("synod.db"))
}

/// How claims are examined, where the configuration says something and where it does not.
pub fn claim_settings(config: &Config) -> ClaimSettings {
    let (given, usual) = (&config.claims, ClaimSettings::default());
    ClaimSettings {
        default_protocol: given.default_protocol.clone().unwrap_or(usual.default_protocol),
        enforce_verdict_flag: given.enforce_l6_flag.unwrap_or(usual.enforce_verdict_flag),
        points: given.points.unwrap_or(usual.points),
    }
}
