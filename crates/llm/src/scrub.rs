//! Keeps keys out of everything that is shown or stored.

/// Prefixes that keys of well-known providers begin with, in case one turns up that is not ours.
const PREFIXES: &[&str] = &["sk-", "AIza", "Bearer "];

/// A key, known to nobody but the request it travels in.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

/// The text without the key and without anything that looks like one.
pub fn without_keys(text: &str, key: Option<&Secret>) -> String {
    let mut text = match key {
        // A very short key would blank out ordinary words.
        Some(key) if key.0.len() >= 6 => text.replace(&key.0, "[key]"),
        _ => text.to_owned(),
    };
    for prefix in PREFIXES {
        let mut from = 0;
        while let Some(at) = text[from..].find(prefix).map(|at| at + from) {
            let start = at + prefix.len();
            let length =
                text[start..].find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '*'))).unwrap_or(text.len() - start);
            // A full stop ends the sentence, not the key.
            let length = text[start..start + length].trim_end_matches('.').len();
            if length >= 12 {
                text.replace_range(at..start + length, "[key]");
                from = at + "[key]".len();
            } else {
                from = start;
            }
        }
    }
    text
}

/// The text on one line, without keys, and no longer than `most` characters.
pub fn scrub(text: &str, key: Option<&Secret>, most: usize) -> String {
    let text = without_keys(text, key);
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= most {
        return text;
    }
    let mut cut: String = text.chars().take(most).collect();
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use super::{Secret, scrub};

    #[test]
    fn our_key_and_anything_like_a_key_is_gone() {
        let key = Secret::new("hunter2-hunter2");
        let text = "Incorrect API key provided: hunter2-hunter2, not sk-proj-abcdefghijklmnop1234. Header was Bearer abcdefghijklmnopqrstuv";
        let shown = scrub(text, Some(&key), 500);
        assert_eq!(shown, "Incorrect API key provided: [key], not [key]. Header was [key]");
    }

    #[test]
    fn ordinary_words_stay_and_long_texts_are_cut() {
        assert_eq!(scrub("a sk-ill of\n  ours", None, 500), "a sk-ill of ours");
        assert_eq!(scrub("äöü and more", None, 3), "äöü…");
    }
}
