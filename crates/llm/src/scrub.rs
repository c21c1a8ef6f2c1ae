//! Keeps keys out of everything that is shown or stored.
//!
//! The user's own keys are taken out wherever they stand, inside words too, and however they are written: as they are, with escapes of JSON or
//! of addresses, in base64 or in hexadecimal. A key that is no secret stays: one of fewer than 6 characters, or of fewer than 8 without a digit,
//! such as the `ollama` or `no-key` that servers without keys are given. Somebody else's key is known by how it begins, at the beginning of a
//! word only (`risk-` is no `sk-`), with 12 characters or more after that which are not just words (`Bearer authentication`): a digit, mixed
//! case, or 20 letters on end.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use serde_json::Value;
use std::borrow::Cow;
use std::sync::Arc;
use synod_types::{Reply, ToolCall};

/// Prefixes that keys of well-known providers begin with, in case one turns up that is not ours.
const PREFIXES: &[&str] = &["sk-", "AIza", "Bearer ", "gsk_", "xai-", "hf_"];

/// A key, known to nobody but the request it travels in.
#[derive(Clone)]
pub struct Secret(Arc<Forms>);

struct Forms {
    key: String,
    /// How it looks in base64 and in hexadecimal, wherever in a longer text it begins.
    encoded: Vec<String>,
}

impl Secret {
    pub fn new(key: impl Into<String>) -> Self {
        let key = key.into();
        let encoded = if is_placeholder(&key) { Vec::new() } else { encoded(&key) };
        Self(Arc::new(Forms { key, encoded }))
    }
    pub(crate) fn expose(&self) -> &str {
        &self.0.key
    }

    /// The text without this key.
    fn hidden_in<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let Forms { key, encoded } = &*self.0;
        if is_placeholder(key) {
            return Cow::Borrowed(text);
        }
        let found = places(text, key, encoded);
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        let (mut out, mut done) = (String::with_capacity(text.len()), 0);
        for (start, end) in found {
            out.push_str(&text[done..start]);
            out.push_str(HIDDEN);
            done = end;
        }
        out.push_str(&text[done..]);
        Cow::Owned(out)
    }

    /// How many of the last bytes may be the beginning of this key.
    fn begun_in(&self, text: &str) -> usize {
        let Forms { key, encoded } = &*self.0;
        if is_placeholder(key) {
            return 0;
        }
        let longest = encoded.iter().map(String::len).chain([key.len()]).max().unwrap_or(0);
        // Every character of it may be written as six.
        let text = &text[back(text, text.len().saturating_sub(longest * 6 + 6))..];
        let in_plain = |form: &String| (1..form.len()).rev().find(|n| form.is_char_boundary(*n) && text.ends_with(&form[..*n])).unwrap_or(0);
        let written = decoded(text);
        // An escape that is not whole yet, and what stands before it.
        let open = text.rfind(['%', '\\']).filter(|at| text.len() - at < 6).unwrap_or(text.len());
        let last = written.iter().rev().skip_while(|(_, _, end)| *end > open);
        let chars: Vec<(char, usize)> = last.take(key.len()).map(|(c, start, _)| (*c, *start)).collect();
        let key: Vec<char> = key.chars().collect();
        let begins = |n: &usize| key[..*n].iter().rev().zip(&chars).all(|(wanted, (c, _))| wanted == c);
        let in_escapes = (1..key.len().min(chars.len() + 1)).rev().find(begins).map_or(0, |n| text.len() - chars[n - 1].1);
        encoded.iter().map(in_plain).max().unwrap_or(0).max(in_escapes).max(text.len() - open)
    }
}

const HIDDEN: &str = "[key]";

/// A word given because something had to be; taking it out would blank ordinary text.
fn is_placeholder(key: &str) -> bool {
    key.len() < 6 || (key.len() < 8 && !key.contains(|c: char| c.is_ascii_digit()))
}

fn encoded(key: &str) -> Vec<String> {
    let mut forms = vec![hex::encode(key), hex::encode_upper(key)];
    // Base64 reads three bytes at once: what stands before the key and after it decides about the characters at its edges.
    for before in 0..3_usize {
        let bytes = [&[0_u8; 2][..before], key.as_bytes()].concat();
        let whole = bytes.len() / 3 * 3;
        for engine in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
            let form = engine.encode(&bytes[..whole]);
            forms.extend(form.get(if before == 0 { 0 } else { 4 }..).filter(|form| form.len() >= 7).map(str::to_owned));
        }
    }
    forms.sort_unstable();
    forms.dedup();
    forms
}

/// The characters that are meant, each with where it is written: escapes of JSON and of addresses are read.
fn decoded(text: &str) -> Vec<(char, usize, usize)> {
    let byte = |digits: &str| u8::from_str_radix(digits, 16).ok();
    let mut out = Vec::with_capacity(text.len());
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        let after = &text[at + c.len_utf8()..];
        let read = match c {
            '%' => after.get(..2).and_then(byte).filter(u8::is_ascii).map(|byte| (char::from(byte), 2)),
            '\\' => match after.chars().next() {
                Some('u') => after.get(1..5).and_then(|digits| u32::from_str_radix(digits, 16).ok()).and_then(char::from_u32).map(|c| (c, 5)),
                Some(c @ ('/' | '"')) => Some((c, 1)),
                _ => None,
            },
            _ => None,
        };
        let (meant, more) = read.unwrap_or((c, 0));
        out.push((meant, at, at + c.len_utf8() + more));
        (0..more).for_each(|_| {
            chars.next();
        });
    }
    out
}

/// This place, or the first before it that is between two characters.
fn back(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Where the key is written, in whichever form, as it is or with escapes; in order, and apart from each other.
fn places(text: &str, key: &str, encoded: &[String]) -> Vec<(usize, usize)> {
    /// Escapes are read in pieces: what they mean takes many times their room.
    const PIECE: usize = 1 << 16;
    let forms = || encoded.iter().map(String::as_str).chain([key]);
    let mut found: Vec<(usize, usize)> = forms().flat_map(|form| text.match_indices(form).map(move |(at, _)| (at, at + form.len()))).collect();
    if text.contains(['%', '\\']) {
        let overlap = forms().map(str::len).max().unwrap_or(0) * 6;
        let mut start = 0;
        while start < text.len() {
            let end = back(text, start + PIECE + overlap);
            let written = decoded(&text[start..end]);
            let (mut meant, mut starts) = (String::new(), Vec::with_capacity(written.len()));
            for (c, ..) in &written {
                starts.push(meant.len());
                meant.push(*c);
            }
            let nth = |byte: usize| starts.binary_search(&byte).unwrap_or(written.len());
            let place = |(at, form): (usize, &str)| (start + written[nth(at)].1, start + written[nth(at + form.len()) - 1].2);
            found.extend(forms().flat_map(|form| meant.match_indices(form).map(place).collect::<Vec<_>>()));
            if end == text.len() {
                break;
            }
            start = back(text, start + PIECE);
        }
    }
    found.sort_unstable();
    let mut until = 0;
    found.retain(|(start, end)| {
        let apart = *start >= until;
        if apart {
            until = *end;
        }
        apart
    });
    found
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

/// Every key of the user's that a model server might say back to us.
#[derive(Clone, Debug, Default)]
pub(crate) struct Secrets(Arc<[Secret]>);

impl Secrets {
    pub fn new(secrets: Vec<Secret>) -> Self {
        Self(secrets.into())
    }

    /// The beginning of a text that others wrote, without any of the keys.
    pub fn hidden_in(&self, text: &str) -> String {
        let mut text = beginning(text).to_owned();
        self.hide(&mut text);
        text
    }

    fn hide(&self, text: &mut String) {
        for secret in self.0.iter() {
            if let Cow::Owned(hidden) = secret.hidden_in(text) {
                *text = hidden;
            }
        }
    }

    fn hide_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.hide(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.hide_value(item)),
            Value::Object(fields) => {
                for (mut name, mut field) in std::mem::take(fields) {
                    self.hide(&mut name);
                    self.hide_value(&mut field);
                    fields.insert(name, field);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Takes the keys out of all that a reply says, before anybody keeps it.
    pub fn hide_in(&self, reply: &mut Reply) {
        if self.0.is_empty() {
            return;
        }
        self.hide(&mut reply.text);
        for ToolCall { id, name, input } in &mut reply.tool_calls {
            self.hide(id);
            self.hide(name);
            self.hide_value(input);
        }
        if let Some(search) = &mut reply.search {
            search.queries.iter_mut().for_each(|query| self.hide(query));
            search.found.iter_mut().for_each(|source| {
                self.hide(&mut source.title);
                self.hide(&mut source.url);
            });
        }
        if let Some(thinking) = &mut reply.thinking {
            self.hide_value(thinking);
        }
    }
}

/// Words as they come, without keys: what may be the beginning of one is held back until more has come.
#[derive(Debug, Default)]
pub(crate) struct Held {
    secrets: Secrets,
    text: String,
}

impl Held {
    pub fn new(secrets: Secrets) -> Self {
        Self { secrets, text: String::new() }
    }

    /// What can be shown now.
    pub fn push<'a>(&'a mut self, piece: &'a str) -> Cow<'a, str> {
        if self.secrets.0.is_empty() {
            return Cow::Borrowed(piece);
        }
        self.text.push_str(piece);
        self.secrets.hide(&mut self.text);
        let held = self.secrets.0.iter().map(|secret| secret.begun_in(&self.text)).max().unwrap_or(0);
        let rest = self.text.split_off(self.text.len() - held);
        Cow::Owned(std::mem::replace(&mut self.text, rest))
    }

    /// Nothing more will come.
    pub fn end(&mut self) -> String {
        std::mem::take(&mut self.text)
    }
}

/// The text without the key and without anything that looks like one.
pub fn without_keys(text: &str, key: Option<&Secret>) -> String {
    let mut text = key.map_or(Cow::Borrowed(text), |key| key.hidden_in(text)).into_owned();
    for prefix in PREFIXES {
        let (mut out, mut done, mut from) = (String::new(), 0, 0);
        while let Some(at) = text[from..].find(prefix).map(|at| at + from) {
            let start = at + prefix.len();
            let length =
                text[start..].find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '*'))).unwrap_or(text.len() - start);
            // A full stop ends the sentence, not the key.
            let rest = text[start..start + length].trim_end_matches('.');
            if word_may_begin(&text, at) && looks_random(rest) {
                out.push_str(&text[done..at]);
                out.push_str(HIDDEN);
                done = start + rest.len();
            }
            from = start + rest.len();
        }
        if done > 0 {
            out.push_str(&text[done..]);
            text = out;
        }
    }
    text
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

/// As much of a long text as anybody will be shown a part of, ended where a word ends: half a key would not be known for one.
fn beginning(text: &str) -> &str {
    const LONGEST: usize = 1 << 16;
    if text.len() <= LONGEST {
        return text;
    }
    let head = &text[..back(text, LONGEST)];
    head.rfind(char::is_whitespace).map_or("", |end| &head[..end])
}

/// The text on one line, without keys, and no longer than `most` characters.
pub fn scrub(text: &str, key: Option<&Secret>, most: usize) -> String {
    let text = without_keys(beginning(text), key);
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
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

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
    fn our_key_is_taken_out_wherever_it_stands_and_a_placeholder_stays() {
        let with = |key: &str, text: &str| scrub(text, Some(&Secret::new(key)), 500);
        assert_eq!(with("swordfish", "swordfish (swordfish) swordfishes aswordfish"), "[key] ([key]) [key]es a[key]");
        assert_eq!(with("abc123", r"k=abc123\nabc123 abc1234"), r"k=[key]\n[key] [key]4");
        for word in ["ollama", "no-key", "secret", "EMPTY", "1234"] {
            assert_eq!(with(word, word), word);
        }
    }

    const KEY: &str = "sk-pröj/4f+9=Zq";

    /// The ways a server may write a key back.
    fn disguises() -> Vec<String> {
        let each = |write: &dyn Fn(u8) -> String| KEY.bytes().map(write).collect::<String>();
        let mut all = vec![
            KEY.to_owned(),
            serde_json::to_string(KEY).expect("JSON").trim_matches('"').to_owned(),
            KEY.replace('/', r"\/"),
            KEY.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect(),
            hex::encode(KEY),
            each(&|byte| format!("{byte:02X}")),
        ];
        let percent = |c: char| if c.is_ascii_alphanumeric() || !c.is_ascii() { c.to_string() } else { format!("%{:02x}", u32::from(c)) };
        all.push(KEY.chars().map(percent).collect());
        for before in ["", "x", "xy", "Bearer "] {
            for after in ["", "z", "zz", "\n"] {
                let text = format!("{before}{KEY}{after}");
                all.push(STANDARD_NO_PAD.encode(&text));
                all.push(URL_SAFE_NO_PAD.encode(&text));
            }
        }
        all
    }

    #[test]
    fn a_key_is_known_in_every_encoding() {
        let secret = Secret::new(KEY);
        for disguise in disguises() {
            for (before, after) in [("", ""), ("a", "b"), ("the key is \"", "\"."), ("%41", "%4"), ("\\", "\\u00")] {
                let text = format!("{before}{disguise}{after}");
                assert!(secret.hidden_in(&text).contains(HIDDEN), "{text}");
            }
        }
        let reply = Reply { tool_calls: vec![ToolCall { id: "1".into(), name: "look".into(), input: json!({KEY: [KEY]}) }], ..Reply::text(KEY) };
        let mut hidden = reply;
        Secrets::new(vec![secret]).hide_in(&mut hidden);
        assert!(!serde_json::to_string(&hidden).expect("JSON").contains("4f+9"), "{hidden:?}");
    }

    proptest! {
        #[test]
        fn a_key_that_comes_in_pieces_is_never_shown(before in "[ -~]{0,12}", at in 0..38_usize, cuts in prop::collection::vec(1..9_usize, 1..60), after in "[ -~]{0,12}") {
            let all = disguises();
            let disguise = &all[at % all.len()];
            let text = format!("{before}{disguise}{after}");
            let mut held = Held::new(Secrets::new(vec![Secret::new(KEY)]));
            let (mut shown, mut chars) = (String::new(), text.chars().peekable());
            for cut in cuts.iter().cycle() {
                let piece: String = chars.by_ref().take(*cut).collect();
                shown.push_str(&held.push(&piece));
                if chars.peek().is_none() {
                    break;
                }
            }
            shown.push_str(&held.end());
            prop_assert!(!shown.contains(disguise.as_str()) && shown.contains(HIDDEN), "{} became {}", text, shown);
        }

        #[test]
        fn text_without_a_key_stays_as_it_is(text in "\\PC{0,80}", cut in 1..9_usize) {
            let mut held = Held::new(Secrets::new(vec![Secret::new("hunter2-hunter2")]));
            let mut shown = String::new();
            let chars: Vec<char> = text.chars().collect();
            for piece in chars.chunks(cut) {
                shown.push_str(&held.push(&piece.iter().collect::<String>()));
            }
            shown.push_str(&held.end());
            prop_assert_eq!(shown, text);
        }
    }
}
