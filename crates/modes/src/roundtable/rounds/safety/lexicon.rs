//! The monitor's phrases, and where they stand in a text. Which phrases there are is data: `patterns.toml`.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Phrases by language, separated by commas.
pub type Phrases = BTreeMap<String, String>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Patterns {
    pub request: Phrases,
    pub recipe: Phrases,
    pub command: Phrases,
    pub aside: Phrases,
    pub defence: Phrases,
    pub reported: Phrases,
    pub harmless: Phrases,
    pub intent: Phrases,
    pub crisis: Phrases,
    pub small_words: Phrases,
    pub making: Phrases,
    pub getting: Phrases,
    pub people: Phrases,
    pub harm: Vec<Harm>,
    pub topic: Vec<Topic>,
}

/// One kind of harm, with the lists it is made of.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Harm {
    /// What is asked for, after "a way".
    pub what: String,
    #[serde(default)]
    pub uses: Vec<ActList>,
    #[serde(default)]
    pub acts: Phrases,
    #[serde(default)]
    pub people: bool,
    #[serde(default)]
    pub things: Phrases,
    #[serde(default)]
    pub whole: Phrases,
    #[serde(default)]
    pub excusable: bool,
    #[serde(default)]
    pub topic: Option<String>,
    #[serde(default)]
    pub instead: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActList {
    Making,
    Getting,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Topic {
    pub subject: String,
    pub about: String,
    #[serde(default)]
    pub sure: Phrases,
    #[serde(default)]
    pub hints: Phrases,
}

/// What a phrase is. Numbers are places in the lists of harms and of topics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Request,
    Recipe,
    Command,
    Aside,
    Defence,
    Reported,
    Harmless,
    Intent,
    Crisis,
    SmallWord,
    Act(usize),
    Thing(usize),
    Whole(usize),
    Sure(usize),
    Hint(usize),
}

#[derive(Debug)]
struct Entry {
    /// Each word, and whether it is only the beginning of one.
    words: Vec<(String, bool)>,
    mark: Mark,
    verb_last: bool,
}

pub struct Lexicon {
    pub patterns: Patterns,
    /// By the first letters of the first word.
    entries: BTreeMap<String, Vec<Entry>>,
}

/// A phrase that stands in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    pub mark: Mark,
    /// In words.
    pub length: usize,
    /// Its language may put the verb after what it is done to.
    pub verb_last: bool,
}

/// Letters by which a phrase is looked up. A stem is at least so long.
pub const KEY: usize = 3;
/// The language that puts verbs last.
const VERB_LAST: &str = "de";

fn key(word: &str) -> &str {
    word.char_indices().nth(KEY).map_or(word, |(end, _)| &word[..end])
}

impl Lexicon {
    pub fn get() -> &'static Self {
        static LEXICON: OnceLock<Lexicon> = OnceLock::new();
        LEXICON.get_or_init(|| {
            // The file is built into the program, and a test reads it.
            let patterns = toml::from_str(include_str!("patterns.toml")).unwrap_or_else(|error| unreachable!("the built-in patterns: {error}"));
            Self::new(patterns)
        })
    }

    fn new(patterns: Patterns) -> Self {
        let mut entries: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
        for (phrases, mark) in marked(&patterns) {
            for (language, phrase) in split(phrases) {
                let words: Vec<(String, bool)> =
                    phrase.split_whitespace().map(|word| (word.trim_end_matches('*').to_owned(), word.ends_with('*'))).collect();
                if let Some((first, _)) = words.first() {
                    entries.entry(key(first).to_owned()).or_default().push(Entry { words, mark, verb_last: language == VERB_LAST });
                }
            }
        }
        Self { patterns, entries }
    }

    /// The phrases that begin at each word.
    pub fn hits(&self, words: &[&str]) -> Vec<Vec<Hit>> {
        (0..words.len()).map(|at| self.hits_at(&words[at..])).collect()
    }

    fn hits_at(&self, words: &[&str]) -> Vec<Hit> {
        let Some(first) = words.first() else { return Vec::new() };
        let fits = |((want, stem), word): (&(String, bool), &&str)| if *stem { word.starts_with(want.as_str()) } else { want == word };
        let stands = |entry: &&Entry| entry.words.len() <= words.len() && entry.words.iter().zip(words).all(fits);
        let found = self.entries.get(key(first)).into_iter().flatten().filter(stands);
        found.map(|entry| Hit { mark: entry.mark, length: entry.words.len(), verb_last: entry.verb_last }).collect()
    }
}

/// Every list with what its phrases are.
pub fn marked(patterns: &Patterns) -> Vec<(&Phrases, Mark)> {
    let mut all = vec![
        (&patterns.request, Mark::Request),
        (&patterns.recipe, Mark::Recipe),
        (&patterns.command, Mark::Command),
        (&patterns.aside, Mark::Aside),
        (&patterns.defence, Mark::Defence),
        (&patterns.reported, Mark::Reported),
        (&patterns.harmless, Mark::Harmless),
        (&patterns.intent, Mark::Intent),
        (&patterns.crisis, Mark::Crisis),
        (&patterns.small_words, Mark::SmallWord),
    ];
    for (n, harm) in patterns.harm.iter().enumerate() {
        let uses = harm.uses.iter().map(|list| match list {
            ActList::Making => &patterns.making,
            ActList::Getting => &patterns.getting,
        });
        all.extend(uses.chain([&harm.acts]).map(|list| (list, Mark::Act(n))));
        all.extend([&harm.things].into_iter().chain(harm.people.then_some(&patterns.people)).map(|list| (list, Mark::Thing(n))));
        all.push((&harm.whole, Mark::Whole(n)));
        let topic = patterns.topic.iter().position(|topic| harm.topic.as_deref() == Some(topic.subject.as_str()));
        all.extend(topic.map(|topic| (&harm.things, Mark::Sure(topic))));
    }
    for (n, topic) in patterns.topic.iter().enumerate() {
        all.extend([(&topic.sure, Mark::Sure(n)), (&topic.hints, Mark::Hint(n))]);
    }
    all
}

/// The phrases of all languages, each with its language.
pub fn split(phrases: &Phrases) -> impl Iterator<Item = (&str, &str)> {
    phrases
        .iter()
        .flat_map(|(language, list)| list.split(',').map(|phrase| (language.as_str(), phrase.trim())))
        .filter(|(_, phrase)| !phrase.is_empty())
}

/// A word of a text as phrases are compared: in small letters, without accents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub word: String,
    /// The number of its sentence.
    pub sentence: usize,
    /// A clause begins with it: after a comma, a colon, a bracket or a new sentence.
    pub begins: bool,
}

/// The words of a text. A line break inside a paragraph ends no sentence; one before a list item does.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let (mut word, mut sentence, mut begins) = (String::new(), 0, true);
    let mut rest = text.chars().filter(|c| !invisible(*c)).peekable();
    while let Some(c) = rest.next() {
        if c.is_alphanumeric() {
            c.to_lowercase().for_each(|c| fold(c, &mut word));
            continue;
        }
        if !word.is_empty() {
            found.push(Token { word: std::mem::take(&mut word), sentence, begins });
            begins = false;
        }
        let ends = match c {
            '.' | '!' | '?' | '…' => rest.peek().is_none_or(|next| !next.is_alphanumeric()),
            '。' | '！' | '？' => true,
            '\n' => {
                while rest.next_if(|next| *next == ' ' || *next == '\t' || *next == '\r').is_some() {}
                rest.peek().is_none_or(|next| matches!(next, '\n' | '-' | '*' | '•' | '#' | '|') || next.is_numeric())
            }
            _ => false,
        };
        sentence += usize::from(ends);
        begins |= ends || matches!(c, ',' | ':' | ';' | '(' | '–' | '—' | '"' | '“' | '„' | '«' | '¿' | '¡');
    }
    if !word.is_empty() {
        found.push(Token { word, sentence, begins });
    }
    found
}

/// Signs that break up a word without being seen: soft hyphens, joiners, and accents that stand apart from their letter.
fn invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{300}'..='\u{36f}')
}

fn fold(c: char, word: &mut String) {
    let plain = match c {
        'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'č' => 'c',
        'è'..='ë' | 'ē' | 'ę' | 'ě' => 'e',
        'ì'..='ï' | 'ī' => 'i',
        'ñ' | 'ń' | 'ň' => 'n',
        'ò'..='ö' | 'ø' | 'ō' | 'ő' => 'o',
        'ù'..='ü' | 'ū' | 'ů' | 'ű' => 'u',
        'ý' | 'ÿ' => 'y',
        'š' | 'ś' => 's',
        'ž' | 'ź' | 'ż' => 'z',
        'ß' => return word.push_str("ss"),
        'œ' => return word.push_str("oe"),
        'æ' => return word.push_str("ae"),
        other => other,
    };
    word.push(plain);
}
