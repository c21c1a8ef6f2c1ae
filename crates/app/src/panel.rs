//! Who sits: the models a request names, a panel of the configuration, what was found, or built-in voices.

use crate::error::AppResult;
use crate::request::{ChairChoice, PanelChoice, RunRequest};
use synod_config::{Config, PanelConfig};
use synod_engine::{Mode, PanelRequest};
use synod_llm::rehearsal::Rehearsal;
use synod_llm::{DetectedModels, ENOUGH};
use synod_types::{Problem, ProblemCode, Tier};

/// The panel of a request that is based on no other run.
pub(crate) fn of_request(request: &RunRequest, mode: Option<&Mode>, config: &Config, detected: Option<&DetectedModels>) -> AppResult<PanelRequest> {
    let rehearsing = detected.is_some_and(|detected| detected.rehearsal && !detected.panel.seats.is_empty());
    let voices = || mode.filter(|_| rehearsing).map(voices);
    let standing = || voices().unwrap_or_else(|| standing(config, detected));
    let panel = match &request.panel {
        PanelChoice::Nobody => return Ok(PanelRequest::default()),
        PanelChoice::Models(models) => {
            let light = config.panels.get("default").and_then(|panel| panel.light.clone());
            PanelRequest { models: models.iter().map(|model| model.trim().to_owned()).collect(), light, ..PanelRequest::default() }
        }
        PanelChoice::Places(places) => {
            let panel = standing();
            let others = panel.models.iter().cycle();
            let models = places.iter().zip(others.map(Some).chain(std::iter::repeat(None)));
            let models = models.filter_map(|(named, other)| named.clone().or_else(|| other.cloned())).collect();
            PanelRequest { models, may_shrink: false, ..panel }
        }
        PanelChoice::Named(name) => named(config, name)?,
        PanelChoice::Writer => {
            let panel = standing();
            PanelRequest { models: panel.chair.or_else(|| panel.models.first().cloned()).into_iter().collect(), ..PanelRequest::default() }
        }
        PanelChoice::Standing | PanelChoice::Rehearsal => standing(),
        PanelChoice::StandingRequired => {
            let panel = standing();
            if panel.models.is_empty() {
                let want = "models by name, a default panel in synod.toml, or no panel at all";
                return Err(Problem::new("panel", "no models", want).code(ProblemCode::Missing).into());
            }
            panel
        }
    };
    Ok(chaired(panel, &request.chair))
}

/// The same on top of the panel a fork's parent had: whoever is not named anew stays.
pub(crate) fn of_fork(
    parent: PanelRequest,
    request: &RunRequest,
    mode: Option<&Mode>,
    config: &Config,
    detected: Option<&DetectedModels>,
) -> AppResult<PanelRequest> {
    Ok(match &request.panel {
        PanelChoice::Standing => chaired(parent, &request.chair),
        // Another panel, the same chair: replacing a seat that failed does not change who writes the answer.
        PanelChoice::Models(_) | PanelChoice::Places(_) => {
            let named = of_request(request, mode, config, detected)?;
            PanelRequest { models: named.models, may_shrink: false, ..chaired(parent, &request.chair) }
        }
        PanelChoice::Named(_) | PanelChoice::Rehearsal | PanelChoice::StandingRequired | PanelChoice::Writer | PanelChoice::Nobody => {
            PanelRequest { roles: parent.roles, ..of_request(request, mode, config, detected)? }
        }
    })
}

fn chaired(panel: PanelRequest, chair: &ChairChoice) -> PanelRequest {
    let chair = match chair {
        ChairChoice::OfPanel => panel.chair,
        ChairChoice::Model(model) => Some(model.clone()),
        ChairChoice::Nobody => None,
    };
    PanelRequest { chair, ..panel }
}

/// The configuration's default panel, or the one that was found.
pub(crate) fn standing(config: &Config, detected: Option<&DetectedModels>) -> PanelRequest {
    if let Some(detected) = detected {
        // Nobody chose how many: one model found sits as often as a panel is worth the name.
        let enough = if detected.rehearsal { 0 } else { ENOUGH as u32 };
        return PanelRequest { enough, reserve: detected.reserve.clone(), ..request_of(&detected.panel, true) };
    }
    match config.panels.get("default") {
        Some(panel) => request_of(panel, true),
        None => PanelRequest { enough: ENOUGH as u32, ..request_of(&of_models(config), true) },
    }
}

/// The models of a configuration that has no default panel: the heavy ones, else those there are.
fn of_models(config: &Config) -> PanelConfig {
    let of = |tier: Tier| config.models.iter().filter(move |(_, model)| model.tier == tier).map(|(name, _)| name.clone());
    let seats: Vec<String> = of(Tier::Heavy).collect();
    let light = of(Tier::Light).next();
    PanelConfig { seats: if seats.is_empty() { of(Tier::Light).collect() } else { seats }, chair: None, light }
}

fn named(config: &Config, name: &str) -> Result<PanelRequest, Problem> {
    // A panel of a directory that is not trusted sits when it is named, and only then.
    let panels = || config.panels.iter().chain(&config.foreign.panels);
    let known: Vec<&str> = panels().map(|(known, _)| known.as_str()).collect();
    let want = match known.as_slice() {
        [] => "a panel under [panels] in synod.toml; there is none yet".to_owned(),
        known => format!("one of: {}", known.join(", ")),
    };
    let panel = panels().find(|(known, _)| *known == name).map(|(_, panel)| panel);
    let panel = panel.ok_or_else(|| Problem::new("panel", name, want).unknown(name, known))?;
    Ok(request_of(panel, false))
}

fn request_of(panel: &PanelConfig, may_shrink: bool) -> PanelRequest {
    PanelRequest {
        models: panel.seats.clone(),
        chair: panel.chair.clone(),
        light: panel.light.clone(),
        roles: Vec::new(),
        may_shrink,
        enough: 0,
        reserve: Vec::new(),
    }
}

/// Built-in voices for a mode: four seats, or as many as it needs, its special role among them.
fn voices(mode: &Mode) -> PanelRequest {
    let total = 4.clamp(mode.seats.0, mode.seats.1) as usize;
    let mut models: Vec<String> = Rehearsal::voices().cycle().take(total).map(|voice| format!("rehearsal/{voice}")).collect();
    let chair = if mode.special_role().is_some() { models.pop() } else { None };
    PanelRequest { models, chair, may_shrink: true, ..PanelRequest::default() }
}
