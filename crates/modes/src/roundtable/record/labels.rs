//! What kind of statement a sentence is, and what it cites: tags, numeric citations, ranges, the list of references.
//!
//! Reads them out of whatever a model writes. Whether they fit together is for the audit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_types::words;

/// A wider range of citations is not taken for one.
const WIDEST: u32 = 20;

words! {
    #[derive(PartialOrd, Ord)]
    pub enum Label { Fact = "FACT", Infer = "INFER", Assume = "ASSUME" }
}

impl Label {
    fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|label| label.as_str().eq_ignore_ascii_case(word))
    }
}

/// A sentence without its marks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sentence {
    pub text: String,
    pub label: Option<Label>,
    /// It carries a second, different label; the first one counts.
    pub relabelled: bool,
    /// In order of appearance, each once.
    pub cites: Vec<u32>,
    /// Evidence of the record it points to: `[E2]`.
    pub evidence: Vec<String>,
}

/// An entry of the list of references.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reference {
    pub n: u32,
    pub title: String,
    pub url: Option<String>,
}

enum Mark {
    Label(Label),
    Cites(std::ops::RangeInclusive<u32>),
    Evidence(String),
}

/// A mark at the start of the text, and its length: `[FACT]`, `[3]`, `[2-5]`, `[E2]`.
fn mark(text: &str) -> Option<(Mark, usize)> {
    let inside = text.strip_prefix('[')?;
    let end = inside.find(']').filter(|end| *end <= 24)?;
    let word = inside[..end].trim();
    let length = end + 2;
    if let Some(label) = Label::of(word) {
        return Some((Mark::Label(label), length));
    }
    if let Some(n) = word.strip_prefix(['E', 'e']).filter(|digits| !digits.is_empty()).and_then(number) {
        return Some((Mark::Evidence(format!("E{n}")), length));
    }
    let (low, high) = match word.split_once(['-', '–']) {
        Some((low, high)) => (number(low.trim())?, number(high.trim())?),
        None => (number(word)?, number(word)?),
    };
    (1 <= low && low <= high && high - low < WIDEST).then_some((Mark::Cites(low..=high), length))
}

fn number(word: &str) -> Option<u32> {
    word.bytes().all(|byte| byte.is_ascii_digit()).then(|| word.parse().ok()).flatten()
}

impl Sentence {
    fn add(&mut self, mark: Mark) {
        match mark {
            Mark::Label(label) => match self.label {
                None => self.label = Some(label),
                Some(first) => self.relabelled |= first != label,
            },
            Mark::Cites(range) => {
                for n in range {
                    if !self.cites.contains(&n) {
                        self.cites.push(n);
                    }
                }
            }
            Mark::Evidence(id) => {
                if !self.evidence.contains(&id) {
                    self.evidence.push(id);
                }
            }
        }
    }

    fn is_blank(&self) -> bool {
        !self.text.chars().any(char::is_alphanumeric)
    }
}

/// The sentences of a text without its references, each with the marks that belong to it: those inside, those right after it, and at the
/// start of a line those before it.
pub fn sentences(text: &str) -> Vec<Sentence> {
    let mut found: Vec<Sentence> = Vec::new();
    for line in split_references(text).0.lines() {
        let before = found.len();
        let mut open = Sentence::default();
        let mut rest = line;
        while let Some(c) = rest.chars().next() {
            if c == '['
                && let Some((mark, length)) = mark(rest)
            {
                rest = &rest[length..];
                let finished = found.len() > before && open.is_blank();
                match found.last_mut().filter(|_| finished) {
                    Some(last) => last.add(mark),
                    None => open.add(mark),
                }
                continue;
            }
            rest = &rest[c.len_utf8()..];
            open.text.push(c);
            let ends = matches!(c, '.' | '!' | '?') && rest.chars().next().is_none_or(|next| next.is_whitespace() || next == '[');
            if ends && open.text.chars().any(char::is_alphanumeric) {
                found.push(std::mem::take(&mut open));
            }
        }
        if open.text.chars().any(char::is_alphanumeric) {
            found.push(open);
        } else if let Some(last) = found.last_mut() {
            // A line of nothing but marks belongs to the sentence above.
            open.label.into_iter().for_each(|label| last.add(Mark::Label(label)));
            open.cites.iter().for_each(|n| last.add(Mark::Cites(*n..=*n)));
            open.evidence.into_iter().for_each(|id| last.add(Mark::Evidence(id)));
        }
    }
    for sentence in &mut found {
        let text = sentence.text.trim().trim_start_matches(['-', '*', '•', '#', '>', ' ']);
        sentence.text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    found
}

/// The text before the last line that says "References", and what follows it.
fn split_references(text: &str) -> (&str, &str) {
    let mut at = 0;
    let mut split = None;
    for line in text.split_inclusive('\n') {
        let word = line.trim_matches(|c: char| !c.is_alphanumeric());
        if word.eq_ignore_ascii_case("references") {
            split = Some((at, at + line.len()));
        }
        at += line.len();
    }
    split.map_or((text, ""), |(end, start)| (&text[..end], &text[start..]))
}

/// The numbered list that closes a text. A number given twice keeps its first entry.
pub fn references(text: &str) -> Vec<Reference> {
    let mut found: Vec<Reference> = Vec::new();
    for line in split_references(text).1.lines() {
        let line = line.trim_start_matches(|c: char| c.is_whitespace() || "-*•>".contains(c));
        let Some((n, rest)) = numbered(line) else { continue };
        let url = rest.split_whitespace().map(|word| word.trim_matches(|c: char| "<>()[],;\"'".contains(c))).find(|word| is_url(word));
        let title = match url {
            Some(url) => rest.replace(url, ""),
            None => rest.to_owned(),
        };
        let title = title.trim_matches(|c: char| c.is_whitespace() || "<>()[],;:.-–—*".contains(c)).to_owned();
        if n > 0 && !found.iter().any(|known| known.n == n) && !(title.is_empty() && url.is_none()) {
            found.push(Reference { n, title, url: url.map(|url| url.trim_end_matches('.').to_owned()) });
        }
    }
    found
}

fn is_url(word: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| word.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme)))
}

/// `[3] title`, `3. title`, `3) title`.
fn numbered(line: &str) -> Option<(u32, &str)> {
    if let Some(rest) = line.strip_prefix('[') {
        let (n, rest) = rest.split_once(']')?;
        return Some((number(n.trim())?, rest.trim()));
    }
    let end = line.find(|c: char| !c.is_ascii_digit()).filter(|end| *end > 0)?;
    Some((number(&line[..end])?, line[end..].strip_prefix(['.', ')'])?.trim()))
}

/// What tells sources apart: the address without fragment, tracking and case of the host; without an address, the title's words.
pub fn source_key(title: &str, url: Option<&str>) -> String {
    let Some((scheme, rest)) = url.and_then(|url| url.split_once("://")) else {
        return title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect::<Vec<_>>().join(" ");
    };
    let rest = rest.split('#').next().unwrap_or(rest);
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (host, path) = path.split_once('/').unwrap_or((path, ""));
    let tracks = |pair: &str| {
        let name = pair.split('=').next().unwrap_or(pair).to_lowercase();
        name.is_empty() || name.starts_with("utm_") || ["fbclid", "gclid", "ref", "mc_cid", "mc_eid"].contains(&name.as_str())
    };
    let kept: Vec<&str> = query.split('&').filter(|pair| !tracks(pair)).collect();
    let query = if kept.is_empty() { String::new() } else { format!("?{}", kept.join("&")) };
    // http and https lead to the same page.
    let scheme = if scheme.to_lowercase().starts_with("http") { String::new() } else { format!("{}://", scheme.to_lowercase()) };
    format!("{scheme}{}/{}{query}", host.to_lowercase(), path.trim_end_matches('/'))
}
