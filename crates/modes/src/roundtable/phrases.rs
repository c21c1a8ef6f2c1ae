//! The tables of words in `phrases.toml`.

use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phrases {
    pub denials: Vec<String>,
    pub opposites: Vec<(String, String)>,
    pub perspectives: Vec<String>,
    pub anchors: Vec<Anchor>,
}

/// What a seat pays attention to: a name, and what it looks at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Anchor {
    pub name: String,
    pub looks: String,
}

/// The file is built into the program, and a test reads it.
pub fn phrases() -> &'static Phrases {
    static PHRASES: OnceLock<Phrases> = OnceLock::new();
    PHRASES.get_or_init(|| toml::from_str(include_str!("phrases.toml")).unwrap_or_else(|error| unreachable!("the built-in phrases: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_whole() {
        assert!(
            !phrases().denials.is_empty() && !phrases().opposites.is_empty() && phrases().perspectives.len() == 4 && phrases().anchors.len() == 4
        );
    }
}
