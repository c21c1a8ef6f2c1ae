//! Strings: a sentence in the voice's manner for the field at hand, within the schema's lengths and formats.

use super::dice::Dice;
use super::hint::Fill;
use super::instance::MANY_TRIES;
use super::speech::line;
use super::voices::{Manner, Voice};
use serde_json::{Map, Value};

/// Allowed lengths, in characters.
#[derive(Clone, Copy)]
pub(super) struct Length {
    pub(super) min: usize,
    pub(super) max: usize,
}

impl Length {
    pub(super) fn of(rules: &Map<String, Value>) -> Self {
        let bound = |keyword: &str| rules.get(keyword).and_then(Value::as_u64).map(|n| n as usize);
        Self { min: bound("minLength").unwrap_or(0), max: bound("maxLength").unwrap_or(usize::MAX) }
    }
}

/// What a voice puts into a field. A later `nth` try says it differently, for lists whose items must differ; `said` is not said again
/// while there is anything else to say.
pub(super) fn phrase(voice: &Voice, name: &str, nth: usize, length: Length, said: &[String], fill: &Fill, dice: &mut Dice) -> String {
    if nth > MANY_TRIES || length.max < 8 {
        return letters(length, dice);
    }
    let text = match Manner::of_field(name) {
        Manner::Id => {
            let slug = line(voice.titles, fill, dice).to_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
            format!("{slug}-{}", 1 + dice.below(90))
        }
        Manner::Title if nth > 3 => format!("{} {}", line(voice.titles, fill, dice), nth - 2),
        Manner::Title => line(voice.titles, fill, dice),
        manner => sentence(voice, manner, length, said, fill, dice),
    };
    fit(text, voice, length, fill, dice)
}

/// A whole sentence that fits: of this manner while there is a new one, then of any, then two together.
fn sentence(voice: &Voice, manner: Manner, length: Length, said: &[String], fill: &Fill, dice: &mut Dice) -> String {
    let fits = |line: &&str| line.chars().count() <= length.max;
    let new = |line: &&str| fits(line) && !said.iter().any(|said| said == line);
    let mannered: Vec<&str> = voice.lines(manner).iter().copied().filter(new).collect();
    if !mannered.is_empty() {
        return line(&mannered, fill, dice);
    }
    let other: Vec<&str> = voice.repertoire().filter(new).collect();
    if !other.is_empty() {
        return line(&other, fill, dice);
    }
    let any: Vec<&str> = voice.repertoire().filter(fits).collect();
    if any.is_empty() {
        return line(voice.lines(manner), fill, dice);
    }
    format!("{} {}", line(&any, fill, dice), line(&any, fill, dice))
}

/// Lengthens a text by more of the same voice, or shortens it to whole words if it can.
pub(super) fn fit(mut text: String, voice: &Voice, length: Length, fill: &Fill, dice: &mut Dice) -> String {
    while text.chars().count() < length.min {
        let more = [Manner::Reason, Manner::Evidence, Manner::Worry, Manner::Action, Manner::Remark];
        let manner = dice.pick(&more).copied().unwrap_or(Manner::Remark);
        text = format!("{text} {}", line(voice.lines(manner), fill, dice));
    }
    if text.chars().count() <= length.max {
        return text;
    }
    // Whole words and a mark that something is missing, unless that would fall short of the least length.
    let cut: String = text.chars().take(length.max - 1).collect();
    let words =
        cut.rfind(' ').map(|at| cut[..at].trim_end_matches([',', ';', ':', '.'])).filter(|words| words.chars().count() + 1 >= length.min.max(2));
    words.map_or_else(|| text.chars().take(length.max).collect(), |words| format!("{words}…"))
}

/// For fields too short for words.
fn letters(length: Length, dice: &mut Dice) -> String {
    let few = length.min.max(6).min(length.max);
    (0..few).map(|_| char::from(b'a' + dice.below(26) as u8)).collect()
}

/// A value of a named format. `None`: not a format with a fixed shape.
pub(super) fn formatted(format: &str, dice: &mut Dice) -> Option<String> {
    let mut hex = |digits: usize| (0..digits).map(|_| char::from(b"0123456789abcdef"[dice.below(16)])).collect::<String>();
    Some(match format {
        "uuid" => format!("{}-{}-4{}-a{}-{}", hex(8), hex(4), hex(3), hex(3), hex(12)),
        "date" => date(dice),
        "date-time" => format!("{}T{}", date(dice), time(dice)),
        "time" => time(dice),
        "duration" => format!("P{}D", 1 + dice.below(30)),
        "email" | "idn-email" => format!("reader{}@example.org", 1 + dice.below(90)),
        "uri" | "uri-reference" | "iri" | "iri-reference" | "url" => format!("https://example.org/notes/{}", 1 + dice.below(900)),
        "hostname" | "idn-hostname" => format!("host{}.example.org", 1 + dice.below(90)),
        "ipv4" => format!("192.0.2.{}", 1 + dice.below(254)),
        "ipv6" => format!("2001:db8::{:x}", 1 + dice.below(60_000)),
        "json-pointer" => format!("/notes/{}", dice.below(90)),
        "regex" => "^[a-z]+$".to_owned(),
        _ => return None,
    })
}

fn date(dice: &mut Dice) -> String {
    format!("{}-{:02}-{:02}", 2025 + dice.below(5), 1 + dice.below(12), 1 + dice.below(28))
}

fn time(dice: &mut Dice) -> String {
    format!("{:02}:{:02}:00Z", dice.below(24), dice.below(60))
}
