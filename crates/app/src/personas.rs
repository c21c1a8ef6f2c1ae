//! Who can debate: the built-in personas and the user's own, and a first draft of one from texts.

use crate::PersonaFiles;
use crate::request::{PanelChoice, RunRequest};
use serde_json::json;
use synod_engine::{Library, OptionValue};
use synod_modes::crux::draft;
use synod_modes::crux::persona::{self, KIND, Persona};
use synod_types::{Attachment, Problem, Question};

/// The built-in ones and the user's own; a file that cannot be read is told and does not hide the others.
pub struct PersonaList {
    /// Each with whether it is the user's own.
    pub personas: Vec<(Persona, bool)>,
    pub problems: Vec<Problem>,
}

pub fn list_personas(files: &PersonaFiles) -> PersonaList {
    let names = files.names(KIND);
    let (mut own, mut problems) = (Vec::new(), Vec::new());
    for name in &names {
        match persona::find(name, files) {
            Ok(persona) => own.push((persona, true)),
            Err(found) => problems.extend(found),
        }
    }
    // A user's own stands for a built-in one by its id or, while it cannot be read, by its file's name.
    let replaced = |id: &String| names.contains(id) || own.iter().any(|(persona, _)| persona.id == *id);
    let built_in = persona::built_in().iter().filter(|persona| !replaced(&persona.id)).map(|persona| (persona.clone(), false));
    let mut personas: Vec<(Persona, bool)> = built_in.collect();
    personas.extend(own);
    PersonaList { personas, problems }
}

/// A persona to be drafted from somebody's texts.
pub struct DraftRequest {
    pub name: String,
    pub id: String,
    pub handle: String,
    pub decks: Vec<String>,
    pub texts: Vec<Attachment>,
    /// The model that drafts; `None`: the panel's chair, else its first seat.
    pub model: Option<String>,
    pub rehearse: bool,
    /// When it is written, as text.
    pub written: String,
}

impl DraftRequest {
    /// One run of the drafting mode over the texts.
    pub fn into_run(self) -> RunRequest {
        let text = |text: &str| OptionValue::json(json!(text));
        let panel = match self.model {
            Some(model) => PanelChoice::Models(vec![model]),
            None if self.rehearse => PanelChoice::Rehearsal,
            None => PanelChoice::Writer,
        };
        RunRequest {
            mode: Some(draft::MODE.id.into()),
            internal: true,
            question: Question { text: self.name.trim().to_owned(), files: self.texts, ..Question::default() },
            panel,
            options: vec![
                ("id".into(), text(&self.id)),
                ("handle".into(), text(&self.handle)),
                ("decks".into(), OptionValue::json(json!(self.decks))),
                ("version".into(), text(&self.written)),
            ],
            ..RunRequest::default()
        }
    }
}

/// `Ada Example` as `ada-example`. None for letters that have no plain form: half a name would be worse than none.
pub fn id_from_name(name: &str) -> Option<String> {
    let mut plain = String::new();
    for c in name.to_lowercase().chars() {
        match c {
            c if c.is_ascii_alphanumeric() => plain.push(c),
            '\'' | '’' => {}
            c if c.is_alphanumeric() => plain.push_str(PLAIN.iter().find(|(letters, _)| letters.contains(c))?.1),
            _ => plain.push('-'),
        }
    }
    let id = plain.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
    Some(id.trim_start_matches(|c: char| !c.is_ascii_lowercase()).to_owned())
}

/// Latin letters with marks, as they are written without.
const PLAIN: &[(&str, &str)] = &[
    ("àáâãåāăą", "a"),
    ("äæ", "ae"),
    ("çćčĉċ", "c"),
    ("ðďđ", "d"),
    ("èéêëēĕėęě", "e"),
    ("ĝğġģ", "g"),
    ("ĥħ", "h"),
    ("ìíîïĩīĭįı", "i"),
    ("ĵ", "j"),
    ("ķ", "k"),
    ("ĺļľł", "l"),
    ("ñńņňŋ", "n"),
    ("òóôõōŏő", "o"),
    ("öøœ", "oe"),
    ("ŕŗř", "r"),
    ("śŝşšș", "s"),
    ("ß", "ss"),
    ("ţťț", "t"),
    ("þ", "th"),
    ("ùúûũūŭůűų", "u"),
    ("ü", "ue"),
    ("ŵ", "w"),
    ("ýÿŷ", "y"),
    ("źżž", "z"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_gives_an_id_or_none_and_never_half_of_one() {
        for (name, want) in [
            ("Ada Example", Some("ada-example")),
            ("  Ada   O'Neill, Jr. ", Some("ada-oneill-jr")),
            ("3 Wise", Some("wise")),
            ("Ólafur Þór", Some("olafur-thor")),
            ("Jürgen Groß", Some("juergen-gross")),
            ("42", Some("")),
            ("Лев", None),
        ] {
            assert_eq!(id_from_name(name).as_deref(), want, "{name}");
        }
        assert!(["ada-example", "wise"].iter().all(|id| persona::is_id(id)) && !["", "3-wise", "Ada", "lafur_r"].iter().any(|id| persona::is_id(id)));
    }
}
