//! Keeps keys out of everything that is shown or stored, and ordinary words in.
//!
//! The user's own key is taken out where it stands as a word, not where its letters are part of a longer one. A key that is no secret stays:
//! one of fewer than 6 characters, or of fewer than 8 without a digit, such as the `ollama` or `no-key` that servers without keys are given.
//! Somebody else's key is known by how it begins, at the beginning of a word only (`risk-` is no `sk-`), with 12 characters or more after that
//! which are not just words (`Bearer authentication`): a digit, mixed case, or 20 letters on end.

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
    /// A word given because something had to be; taking it out would blank ordinary text.
    fn is_placeholder(&self) -> bool {
        self.0.len() < 6 || (self.0.len() < 8 && !self.0.contains(|c: char| c.is_ascii_digit()))
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
        Some(key) if !key.is_placeholder() => without_ours(text, &key.0),
        _ => text.to_owned(),
    };
    for prefix in PREFIXES {
        let mut from = 0;
        while let Some(at) = text[from..].find(prefix).map(|at| at + from) {
            let start = at + prefix.len();
            let length =
                text[start..].find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '*'))).unwrap_or(text.len() - start);
            // A full stop ends the sentence, not the key.
            let rest = text[start..start + length].trim_end_matches('.');
            if word_may_begin(&text, at) && looks_random(rest) {
                text.replace_range(at..start + rest.len(), "[key]");
                from = at + "[key]".len();
            } else {
                from = start;
            }
        }
    }
    text
}

fn without_ours(text: &str, key: &str) -> String {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let (begins, ends) = (is_word(key.chars().next()), is_word(key.chars().next_back()));
    let mut clean = String::with_capacity(text.len());
    let mut done = 0;
    for (at, _) in text.match_indices(key) {
        let end = at + key.len();
        let inside = (begins && !word_may_begin(text, at)) || (ends && is_word(text[end..].chars().next()));
        if !inside {
            clean.push_str(&text[done..at]);
            clean.push_str("[key]");
            done = end;
        }
    }
    clean.push_str(&text[done..]);
    clean
}

/// True when no letter or digit stands before this place. The end of an escape (`\n` or `\u003d` in JSON, `%3D` in an address) is neither.
fn word_may_begin(text: &str, at: usize) -> bool {
    let hex = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_hexdigit);
    match &text.as_bytes()[..at] {
        [.., last] if !last.is_ascii_alphanumeric() => true,
        [] | [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f'] => true,
        [.., b'%', a, b] if hex(&[*a, *b]) => true,
        [.., b'\\', b'u', a, b, c, d] => hex(&[*a, *b, *c, *d]),
        _ => false,
    }
}

/// Twelve characters or more that are not just words with hyphens between.
fn looks_random(rest: &str) -> bool {
    let mixed = |part: &str| part.bytes().any(|b| b.is_ascii_lowercase()) && part.bytes().skip(1).any(|b| b.is_ascii_uppercase());
    let wordless = |part: &str| part.len() >= 20 || mixed(part) || part.contains(|c: char| c.is_ascii_digit() || c == '*');
    rest.len() >= 12 && rest.split(['-', '_', '.']).any(wordless)
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

    #[test]
    fn a_key_begins_where_a_word_begins() {
        for words in [
            "risk-prioritization-0123456789 and task-0123456789abcdef",
            "Bearer authentication, bearer-token-authentication",
            "sk-prioritization-of-things",
            "RAIza0123456789abcdef",
        ] {
            assert_eq!(scrub(words, None, 500), words);
        }
        for before in ["", "=", "_", "\"", r"\n", r"\u003d", "%3D", "密钥"] {
            assert_eq!(scrub(&format!("{before}sk-0123456789abcdef"), None, 500), format!("{before}[key]"));
        }
    }

    #[test]
    fn our_key_is_taken_out_whole_words_only_and_a_placeholder_stays() {
        let with = |key: &str, text: &str| scrub(text, Some(&Secret::new(key)), 500);
        assert_eq!(with("swordfish", "swordfish (swordfish) swordfishes aswordfish"), "[key] ([key]) swordfishes aswordfish");
        assert_eq!(with("abc123", r"k=abc123\nabc123 abc1234"), r"k=[key]\n[key] abc1234");
        for word in ["ollama", "no-key", "secret", "EMPTY", "1234"] {
            assert_eq!(with(word, word), word);
        }
    }
}
