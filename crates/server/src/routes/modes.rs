//! What can be asked, and of whom: modes, panels, personas.

use crate::errors::Code;
use crate::extract::Named;
use crate::fault::{Answer, Fault};
use crate::state::Shared;
use crate::table::Route;
use axum::Json;
use axum::extract::State;
use axum::routing::get;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use synod_app::{describe_mode, list_personas};
use synod_modes::MODES;
use synod_types::{Scope, nearest};

pub fn routes() -> Vec<Route> {
    vec![
        Route::new("get", "/v1/modes", "Every mode with its options, stages and decision", get(modes))
            .scope(Scope::Read)
            .answers::<ModeList>(200, "The modes"),
        Route::new("get", "/v1/modes/{mode}", "One mode", get(mode)).scope(Scope::Read).answers::<Map<String, Value>>(200, "The mode"),
        Route::new("get", "/v1/panels", "The panels of the server's configuration", get(panels))
            .scope(Scope::Read)
            .answers::<PanelList>(200, "The panels"),
        Route::new("get", "/v1/personas", "Who can debate", get(personas)).scope(Scope::Read).answers::<PersonaPage>(200, "The personas"),
    ]
}

#[derive(Debug, Serialize, JsonSchema)]
struct ModeList {
    modes: Vec<Value>,
}

async fn modes() -> Json<ModeList> {
    Json(ModeList { modes: MODES.iter().map(|mode| describe_mode(mode)).collect() })
}

async fn mode(Named(id): Named) -> Answer<Json<Value>> {
    let known = MODES.iter().copied().find(|mode| mode.id == id);
    known.map(|mode| Json(describe_mode(mode))).ok_or_else(|| {
        let near = nearest(&id, MODES.iter().map(|mode| mode.id)).map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
        Fault::new(Code::NotFound, format!("there is no mode {id:?}{near}"))
    })
}

#[derive(Debug, Serialize, JsonSchema)]
struct PanelList {
    panels: Vec<Panel>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Panel {
    name: String,
    seats: Vec<String>,
    chair: Option<String>,
    /// For light work: titles, summaries.
    light: Option<String>,
}

async fn panels(State(server): State<Shared>) -> Json<PanelList> {
    let panels = server.app.config.panels.iter();
    let shown =
        panels.map(|(name, panel)| Panel { name: name.clone(), seats: panel.seats.clone(), chair: panel.chair.clone(), light: panel.light.clone() });
    Json(PanelList { panels: shown.collect() })
}

#[derive(Debug, Serialize, JsonSchema)]
struct PersonaPage {
    personas: Vec<PersonaEntry>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct PersonaEntry {
    id: String,
    name: String,
    decks: Vec<String>,
    /// The server's own, not one that comes with Synod.
    own: bool,
}

async fn personas(State(server): State<Shared>) -> Json<PersonaPage> {
    let listed = list_personas(&server.app.library());
    for problem in &listed.problems {
        // The words name files of this machine.
        tracing::warn!(%problem, "a persona cannot be read");
    }
    let entries = listed.personas.into_iter().map(|(persona, own)| PersonaEntry { id: persona.id, name: persona.name, decks: persona.decks, own });
    Json(PersonaPage { personas: entries.collect() })
}
