//! The personas that can be named: those built in, and those a user keeps in files. A user's own comes before a built-in one of the same name.

use super::{KIND, Persona, read};
use std::sync::OnceLock;
use synod_engine::Library;
use synod_types::Problem;

/// The deck that is used if neither personas nor a deck are named.
pub const DEFAULT_DECK: &str = "mixed";

macro_rules! built_in {
    ($($id:literal),* $(,)?) => {
        &[$(($id, include_str!(concat!("../personas/", $id, ".toml")))),*]
    };
}

const FILES: &[(&str, &str)] = built_in![
    "actuary",
    "founder",
    "nurse",
    "organiser",
    "investor",
    "farmer",
    "teacher",
    "clerk",
    "modeller",
    "dispatcher",
    "operator",
    "researcher",
    "economist",
    "legislator",
    "executive",
    "consumer",
];

/// What every deck is about. In each, as many pull towards caution as towards speed. A user's persona may name others.
const DECKS: &[(&str, &str)] = &[
    ("mixed", "Four people who would hardly meet: the default"),
    ("markets", "Money, prices, risk, investment"),
    ("work", "Jobs, wages, automation, who does what"),
    ("public", "Schools, law, what the state should do"),
    ("health", "Clinics, care, insurance, safety"),
    ("technology", "Software, grids, models, security"),
    ("land", "Food, climate, energy, the countryside"),
];

/// Ids and texts of the personas built in.
pub fn files() -> &'static [(&'static str, &'static str)] {
    FILES
}

pub fn built_in() -> &'static [Persona] {
    static PERSONAS: OnceLock<Vec<Persona>> = OnceLock::new();
    // A file that cannot be read would be missing here; a test reads every one of them.
    PERSONAS.get_or_init(|| FILES.iter().filter_map(|(id, text)| read(id, text).ok()).collect())
}

/// One persona by its name.
pub fn find(name: &str, library: &dyn Library) -> Result<Persona, Vec<Problem>> {
    let own = library.find(KIND, name);
    if let Some(found) = own {
        let text = found.map_err(|problem| vec![problem])?;
        let stem = name.rsplit('/').next().unwrap_or(name);
        let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
        return read(stem, &text);
    }
    // A file may hold another id than its name says.
    let other = library.names(KIND).into_iter().filter(|file| file != name).find_map(|file| {
        let text = library.find(KIND, &file)?.ok()?;
        read(&file, &text).ok().filter(|persona| persona.id == name)
    });
    other.or_else(|| built_in().iter().find(|persona| persona.id == name).cloned()).ok_or_else(|| {
        let known: Vec<String> = library.names(KIND).into_iter().chain(built_in().iter().map(|persona| persona.id.clone())).collect();
        let want = format!("a file, or one of: {}", known.join(", "));
        vec![Problem::new("options.personas", name, want).unknown(name, known.iter().map(String::as_str))]
    })
}

/// The personas of a deck: the built-in ones, then the user's own. A file that cannot be read is left out, since nobody named it, unless it
/// replaces a persona of this deck or the deck would be empty.
pub fn deck(name: &str, library: &dyn Library) -> Result<Vec<Persona>, Vec<Problem>> {
    let (mut problems, mut left_out) = (Vec::new(), Vec::new());
    let mut seated: Vec<Persona> = built_in().iter().filter(|persona| persona.decks.iter().any(|deck| deck == name)).cloned().collect();
    for own in library.names(KIND) {
        match find(&own, library) {
            Ok(persona) => {
                let before = seated.iter().position(|known| known.id == persona.id);
                match (before, persona.decks.iter().any(|deck| deck == name)) {
                    (Some(at), true) => seated[at] = persona,
                    (Some(at), false) => drop(seated.remove(at)),
                    (None, true) => seated.push(persona),
                    (None, false) => {}
                }
            }
            Err(found) if seated.iter().any(|known| known.id == own) => problems.extend(found),
            Err(found) => left_out.extend(found),
        }
    }
    if seated.is_empty() {
        let known: Vec<&str> = DECKS.iter().map(|(deck, _)| *deck).collect();
        let want = format!("one of: {}; or a deck your own personas name", known.join(", "));
        problems.push(Problem::new("options.deck", name, want).unknown(name, known));
        problems.append(&mut left_out);
    }
    if problems.is_empty() { Ok(seated) } else { Err(problems) }
}

/// Names of the built-in decks, and what each is about.
pub fn decks() -> &'static [(&'static str, &'static str)] {
    DECKS
}
