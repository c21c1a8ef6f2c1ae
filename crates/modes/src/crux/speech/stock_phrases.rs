//! Stock openings that no persona uses, removed from what models write: praise, counting, summing up and the like, at the very start and set off
//! from what follows. Nothing inside a text is ever touched, so no sentence loses its subject or its negation.

use crate::text::capitalised;

/// A text without its stock openings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilteredText {
    /// `None`: no word is left.
    pub text: Option<String>,
    /// The families of which an opening was removed, in order.
    pub removed: Vec<&'static str>,
}

const PRAISE: (&[&str], &[&str]) = (&["great", "good", "interesting", "valid", "fair"], &["point", "question", "observation"]);
/// Behind a comma or a dash praise opens the sentence only where these join a clause to it that stands by itself. "A fair point, not a strong one" and
/// "a valid question, but not for me" are about the point.
const JOINS: &[&str] = &["but", "and", "yet", "so", "still", "however"];
/// What follows those where the clause hangs on the praise.
const DEPENDENT: &[&str] = &[
    "not", "never", "no", "nor", "only", "hardly", "just", "for", "to", "in", "on", "at", "of", "with", "without", "from", "by", "as", "if", "when",
    "unless", "because", "than", "a", "an", "one",
];
/// Words of the shortest clause that is taken to stand by itself.
const LEAST_CLAUSE: usize = 5;
const COUNTS: &[&str] = &["firstly", "secondly", "thirdly"];
const SUMS: &[&str] = &["in summary", "in conclusion"];
const MACHINES: &[&str] = &["as an ai", "as an ai language model", "as an ai model", "as an ai assistant"];
/// Who speaks of itself: "As an AI, it falls under the act" is about something else and stays.
const SELF: &[&str] = &["i", "i'm", "i've", "i'd", "i'll", "my"];

/// A family's name, and where its opening ends if the text begins with one.
type Family = (&'static str, fn(&Text) -> Option<usize>);

const FAMILIES: &[Family] = &[
    ("praise", praise),
    ("as an AI", as_an_ai),
    ("counting", |text| COUNTS.iter().find_map(|words| text.opening(words))),
    ("summing up", |text| SUMS.iter().find_map(|words| text.opening(words))),
    ("breaking down", |text| text.opening("let's break this down")),
];

/// Removes openings until the text begins with none: one may stand behind another.
pub fn remove_stock_phrases(text: &str) -> FilteredText {
    let mut chars: Vec<char> = text.trim().chars().collect();
    let mut removed = Vec::new();
    loop {
        let text = Text::new(&chars);
        let Some((name, end)) = FAMILIES.iter().find_map(|(name, end)| Some((*name, end(&text)?))) else { break };
        chars.drain(..end);
        removed.push(name);
    }
    let rest: String = chars.into_iter().collect();
    let worded = rest.chars().any(char::is_alphanumeric);
    FilteredText { text: worded.then(|| if removed.is_empty() { rest } else { capitalised(&rest) }), removed }
}

/// Which of these phrases a text uses, as whole words and in any case. A phrase that occurs twice is listed twice.
pub fn phrases_used<'a>(text: &str, phrases: &'a [String]) -> Vec<&'a str> {
    let chars: Vec<char> = text.chars().collect();
    let text = Text::new(&chars);
    phrases.iter().map(|phrase| phrase.trim()).flat_map(|phrase| std::iter::repeat_n(phrase, text.count(&low(phrase)))).collect()
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

    /// Where these words end if they begin here as whole words.
    fn words_at(&self, at: usize, words: &str) -> Option<usize> {
        let mut here = self.0.iter().skip(at);
        let end = at + words.chars().count();
        (words.chars().all(|c| here.next() == Some(&c)) && !self.in_word(end)).then_some(end)
    }

    fn in_word(&self, at: usize) -> bool {
        self.0.get(at).is_some_and(|c| c.is_alphanumeric())
    }

    /// How often these words stand in the text, not counting parts of longer words.
    fn count(&self, words: &str) -> usize {
        let Some(first) = words.chars().next() else { return 0 };
        let begins = self.0.iter().enumerate().filter(|(_, c)| **c == first);
        begins.filter(|(at, _)| !(*at > 0 && self.in_word(at - 1)) && self.words_at(*at, words).is_some()).count()
    }

    /// Where what follows these words begins, if the text opens with them and they are set off from it.
    fn opening(&self, words: &str) -> Option<usize> {
        self.set_off(self.words_at(0, words)?)
    }

    /// Where the next word begins behind a mark that sets off what stands before it. Without a mark the words are part of their sentence: "in summary
    /// judgment", "a good question to ask". A mark has a space behind it, so that "-5" keeps its sign; a long dash may do without.
    fn set_off(&self, at: usize) -> Option<usize> {
        let run = |from: usize, of: fn(char) -> bool| from + self.0.iter().skip(from).take_while(|c| of(**c)).count();
        let blank = |at: usize| self.0.get(at).is_none_or(|c| c.is_whitespace());
        let marks = run(at, |c| ",.;:!…".contains(c));
        let marked = (marks > at || marks == self.0.len()) && blank(marks);
        let dash = run(if marked { marks } else { at }, char::is_whitespace);
        let behind = run(dash, |c| "-–—".contains(c));
        let dashed = behind > dash && (blank(behind) || (self.0[dash] == '—' && !self.0[behind].is_numeric()));
        match (dashed, marked) {
            (true, _) => Some(run(behind, char::is_whitespace)),
            (false, true) => Some(dash),
            (false, false) => None,
        }
    }
}

fn praise(text: &Text) -> Option<usize> {
    let openings = ["that's a", "that's an", "that is a", "that is an"];
    let after = |at: usize, words: &[&str]| words.iter().find_map(|word| text.words_at(at, word));
    let start = after(0, &openings)?;
    let adjective = after(start + 1, PRAISE.0)?;
    let end = after(adjective + 1, PRAISE.1)?;
    let next = text.set_off(end)?;
    // Behind a full stop a sentence of its own begins.
    if text.0.get(end).is_none_or(|mark| ".:;!…".contains(*mark)) {
        return Some(next);
    }
    let joined = after(next, JOINS)?;
    let words = text.0[next..].split(|c| ".;:!?…".contains(*c)).next()?.split(|c| c.is_whitespace()).filter(|word| !word.is_empty()).count();
    (words >= LEAST_CLAUSE && after(joined + 1, DEPENDENT).is_none()).then_some(next)
}

fn as_an_ai(text: &Text) -> Option<usize> {
    let next = MACHINES.iter().find_map(|words| text.opening(words))?;
    SELF.iter().any(|word| text.words_at(next, word).is_some()).then_some(next)
}
