//! What a prompt's `rehearse` front matter lets a voice say, and the filling of its placeholders.
//!
//! A hint is an object. For a typed reply its entries are named after fields (`*`: any other): a value, or a list to choose from; for a field that is a list,
//! its items, or several such lists of which one is taken, or `{ in_order = […] }`: just these items, in this order. For free text `text` is
//! one string, said as it stands, or a list of paragraphs of which a voice takes some. `fill` gives the placeholders their words, `tool` asks
//! for a tool call.

use super::dice::Dice;
use serde_json::Value;
use synod_types::SeatIx;

/// The longest piece of a question that is quoted inside a sentence.
const QUOTED_CHARS: usize = 90;

/// How a voice begins to say what it is.
pub(super) const SIGNED: &str = "(rehearsal voice: ";

/// The words behind `{topic}`, `{seat}`, `{other}` and whatever else `fill` names.
pub(super) struct Fill<'a> {
    given: Option<&'a Value>,
    seat: SeatIx,
}

impl<'a> Fill<'a> {
    pub(super) fn new(hint: Option<&'a Value>, seat: SeatIx) -> Self {
        Self { given: hint.and_then(|hint| hint.get("fill")), seat }
    }

    /// A template with every placeholder filled, in one pass: braces in the words filled in are left as they are.
    pub(super) fn render(&self, template: &str, dice: &mut Dice) -> String {
        let mut out = String::with_capacity(template.len());
        let mut rest = template;
        while let Some((before, name, after)) = next_placeholder(rest) {
            out.push_str(before);
            let words = self.words(name, dice);
            // Ids and names are given as they must stand; only our own words and a topic may begin a sentence.
            let begins = out.is_empty() && (name == "topic" || self.given(name).is_none());
            out.push_str(&if begins { capitalised(&words) } else { words });
            rest = after;
        }
        out.push_str(rest);
        out
    }

    fn given(&self, name: &str) -> Option<&Value> {
        self.given?.get(name)
    }

    fn words(&self, name: &str, dice: &mut Dice) -> String {
        let given = self.given(name).and_then(|value| match value {
            // Nobody quotes a signature.
            Value::Array(choices) => {
                let said: Vec<&Value> = choices.iter().filter(|choice| !choice.as_str().is_some_and(|text| text.starts_with(SIGNED))).collect();
                dice.pick(&said).copied().and_then(spoken)
            }
            other => spoken(other),
        });
        match (name, given) {
            ("topic", Some(topic)) => quoted(&topic),
            (_, Some(words)) => words,
            ("topic", None) => "the question".to_owned(),
            ("seat", None) => format!("seat {}", self.seat),
            ("other", None) => "another seat".to_owned(),
            (unknown, None) => unknown.replace('_', " "),
        }
    }
}

/// The text before the first `{name}`, the name, and the text after it.
fn next_placeholder(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(open) = text[from..].find('{').map(|at| at + from) {
        let inside = &text[open + 1..];
        let end = inside.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(inside.len());
        if end > 0 && inside[end..].starts_with('}') {
            return Some((&text[..open], &inside[..end], &inside[end + 1..]));
        }
        from = open + 1;
    }
    None
}

fn spoken(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.split_whitespace().collect::<Vec<_>>().join(" ")),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(yes) => Some(yes.to_string()),
        _ => None,
    }
}

/// A topic as it can stand inside a sentence: a few words as they are, a whole question in quotation marks and not at full length.
fn quoted(topic: &str) -> String {
    let topic = topic.trim_end_matches(['.', '!', ' ']);
    if topic.split(' ').count() <= 4 && !topic.ends_with('?') {
        return topic.to_owned();
    }
    if topic.chars().count() <= QUOTED_CHARS {
        return format!("“{topic}”");
    }
    let cut: String = topic.chars().take(QUOTED_CHARS).collect();
    let words = cut.rsplit_once(' ').map_or(cut.as_str(), |(words, _)| words);
    format!("“{} …”", words.trim_end_matches([',', ';', ':']))
}

fn capitalised(words: &str) -> String {
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn render(template: &str, hint: Value) -> String {
        Fill::new(Some(&hint), 3).render(template, &mut Dice::new(1, "k", 0))
    }

    #[test]
    fn placeholders_take_the_words_given_or_plain_ones() {
        // template, hint, rendered
        let table = [
            ("About {topic}, says {seat} to {other}.", json!({}), "About the question, says seat 3 to another seat."),
            ("{topic} matters.", json!({}), "The question matters."),
            ("{topic} matters.", json!({"fill": {"topic": "tea"}}), "Tea matters."),
            ("On {topic}: no.", json!({"fill": {"topic": "Is tea better than coffee?"}}), "On “Is tea better than coffee?”: no."),
            ("{other} and {task_name}", json!({"fill": {"other": "K3", "task_name": 7}}), "K3 and 7"),
            ("a {task_name} {", json!({}), "a task name {"),
            ("{other}", json!({"fill": {"other": ["qwen"]}}), "qwen"),
            ("{other} spoke.", json!({}), "Another seat spoke."),
        ];
        for (template, hint, rendered) in table {
            assert_eq!(render(template, hint), rendered, "{template}");
        }
    }

    #[test]
    fn what_is_filled_in_is_not_read_as_a_template() {
        assert_eq!(render("On {topic}.", json!({"fill": {"topic": "the {seat} macro"}})), "On the {seat} macro.");
    }

    #[test]
    fn a_long_question_is_quoted_in_part() {
        let rendered = render("On {topic}.", json!({"fill": {"topic": "why ".repeat(100)}}));
        assert!(rendered.starts_with("On “why why") && rendered.ends_with(" …”."), "{rendered}");
        assert!(rendered.chars().count() < 110, "{rendered}");
    }
}
