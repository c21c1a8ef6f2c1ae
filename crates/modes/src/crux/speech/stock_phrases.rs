//! Stock phrases that no persona uses, removed from what models write, one family of phrases after the other. What is left may be too short to use.

/// A text without its stock phrases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilteredText {
    /// `None`: what was left is too short.
    pub text: Option<String>,
    /// The families of which a phrase was removed, in order.
    pub removed: Vec<&'static str>,
}

/// The fewest characters a contribution has.
const LEAST_CHARS: usize = 20;
/// One removal may uncover another phrase, so the families are tried so many times.
const PASSES: usize = 3;

const PRAISE: (&[&str], &[&str]) = (&["great", "good", "interesting", "valid", "fair"], &["point", "question", "observation"]);
const COUNTS: &[&str] = &["firstly", "secondly", "thirdly"];
const SUMS: &[&str] = &["in summary", "in conclusion"];
const NOUNS: &[&str] = &["argument", "critique", "framing", "claim", "thesis", "point"];
const FAULTS: &[&str] = &["misses", "ignores", "overlooks", "fails"];

type Family = (&'static str, fn(&Text) -> Option<(usize, usize)>);

/// In the order in which they are applied.
const FAMILIES: &[Family] = &[
    ("praise", praise),
    ("as an AI", |text| text.word("as an ai").map(|at| (at, at + 8))),
    ("counting", counting),
    ("summing up", summing_up),
    ("breaking down", |text| text.word("let's break this down").map(|at| (at, at + 21))),
    ("dismissal", dismissal),
];

pub fn remove_stock_phrases(text: &str) -> FilteredText {
    let mut chars: Vec<char> = text.trim().chars().collect();
    let mut removed = Vec::new();
    for _ in 0..PASSES {
        let before = removed.len();
        for (name, find) in FAMILIES {
            let Some((start, end)) = find(&Text::new(&chars)) else { continue };
            chars.drain(start..end);
            let lead = chars.iter().take_while(|c| c.is_whitespace() || ",.-–—:;".contains(**c)).count();
            chars.drain(..lead);
            removed.push(*name);
        }
        if removed.len() == before {
            break;
        }
    }
    let mut text: String = chars.into_iter().collect();
    if !removed.is_empty() {
        while text.contains("  ") {
            text = text.replace("  ", " ");
        }
    }
    let text = text.trim();
    let kept = text.chars().count() >= LEAST_CHARS;
    FilteredText { text: kept.then(|| capitalised(text)), removed }
}

/// Which of these phrases a text uses, as whole words and in any case. A phrase that occurs twice is listed twice.
pub fn phrases_used<'a>(text: &str, phrases: &'a [String]) -> Vec<&'a str> {
    let chars: Vec<char> = text.chars().collect();
    let text = Text::new(&chars);
    phrases.iter().map(|phrase| phrase.trim()).flat_map(|phrase| std::iter::repeat_n(phrase, text.words(&low(phrase)).count())).collect()
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn low(text: &str) -> String {
    text.chars().map(low_char).collect()
}
/// One character for each character, so that positions stay the same.
fn low_char(c: char) -> char {
    if c == '’' { '\'' } else { c.to_lowercase().next().unwrap_or(c) }
}

/// A text in lower case, by character.
struct Text(Vec<char>);

impl Text {
    fn new(chars: &[char]) -> Self {
        Self(chars.iter().copied().map(low_char).collect())
    }

    fn begins(&self, at: usize, words: &str) -> bool {
        let mut here = self.0.iter().skip(at);
        words.chars().all(|c| here.next() == Some(&c))
    }

    /// Every position at which these words begin, not counting parts of longer words.
    fn words(&self, words: &str) -> impl Iterator<Item = usize> {
        let inside = |at: usize| self.0.get(at).is_some_and(|c| c.is_alphanumeric());
        let length = words.chars().count();
        (0..self.0.len()).filter(move |at| length > 0 && self.begins(*at, words) && !(*at > 0 && inside(at - 1)) && !inside(at + length))
    }

    fn word(&self, words: &str) -> Option<usize> {
        self.words(words).next()
    }

    /// Where the first of these words ends that begins here as a whole word.
    fn one_of(&self, at: usize, words: &[&str]) -> Option<usize> {
        let end = |word: &&str| at + word.chars().count();
        words.iter().find(|word| self.begins(at, word) && !self.0.get(end(word)).is_some_and(|c| c.is_alphanumeric())).map(end)
    }
}

fn praise(text: &Text) -> Option<(usize, usize)> {
    let start = ["that's a ", "that's an "].into_iter().find(|start| text.begins(0, start))?;
    let adjective = text.one_of(start.chars().count(), PRAISE.0)?;
    let noun = text.one_of(adjective + 1, PRAISE.1).filter(|_| text.0.get(adjective) == Some(&' '))?;
    Some((0, noun))
}

fn counting(text: &Text) -> Option<(usize, usize)> {
    let end = text.one_of(0, COUNTS)?;
    text.0.get(end).filter(|c| **c == ',' || c.is_whitespace()).map(|_| (0, end + 1))
}

fn summing_up(text: &Text) -> Option<(usize, usize)> {
    let goes_on = |end: usize| text.0.get(end).is_some_and(|c| *c == ',' || c.is_whitespace());
    let places = SUMS.iter().flat_map(|words| text.words(words).map(|at| (at, at + words.chars().count())));
    places.filter(|(_, end)| goes_on(*end)).min().map(|(start, end)| (start, end + 1))
}

/// "The … argument misses", with no punctuation in between.
fn dismissal(text: &Text) -> Option<(usize, usize)> {
    if !text.begins(0, "the ") {
        return None;
    }
    let stretch = text.0.iter().position(|c| !(c.is_alphanumeric() || c.is_whitespace() || "-'".contains(*c))).unwrap_or(text.0.len());
    (5..stretch).filter(|at| text.0[at - 1] == ' ').find_map(|at| {
        let noun = text.one_of(at, NOUNS)?;
        let fault = text.one_of(noun + 1, FAULTS).filter(|_| text.0.get(noun) == Some(&' '))?;
        Some((0, fault))
    })
}
