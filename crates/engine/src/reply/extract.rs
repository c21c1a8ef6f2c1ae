//! Finds the JSON object in a model's reply. Tolerant of wrapping, never of guessing: no object, no value.

use super::{lenient_json, strict_json};
use serde_json::Value;

/// A found object, and whether it had to be mended first.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundObject {
    pub value: Value,
    pub mended: bool,
}

/// As they open and close.
const THINKING: [(&str, &str); 3] = [("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<reasoning>", "</reasoning>")];

/// Free text without the one reasoning block it may begin with. What stands later is part of the answer, also where it speaks of such tags.
pub fn without_opening_thought(text: &str) -> &str {
    let text = text.trim();
    for (open, close) in THINKING {
        if text.get(..open.len()).is_some_and(|head| head.eq_ignore_ascii_case(open)) {
            // Never closed: the reply was cut while still thinking.
            return find_tag(text, close).map_or("", |at| text[at + close.len()..].trim());
        }
    }
    text
}

/// The words without leading or embedded reasoning blocks (`<think>…</think>` and its kin), for typed replies: they end in one object.
pub fn without_thinking(text: &str) -> String {
    let mut rest = text;
    let mut out = String::with_capacity(text.len());
    loop {
        let next = THINKING.iter().filter_map(|(open, close)| Some((find_tag(rest, open)?, open, close))).min_by_key(|(at, ..)| *at);
        let Some((at, open, close)) = next else { break };
        let inside = at + open.len();
        out.push_str(&rest[..at]);
        match find_tag(&rest[inside..], close) {
            Some(end) => rest = &rest[inside + end + close.len()..],
            // Never closed: the reply was cut while still thinking, or the tag is ordinary text. Keep nothing of it.
            None => rest = "",
        }
    }
    out.push_str(rest);
    // Some servers swallow the opening tag and leave the closing one.
    for (_, close) in THINKING {
        if let Some(at) = find_tag(&out, close) {
            out = out[at + close.len()..].to_owned();
        }
    }
    out.trim().to_owned()
}

/// Long texts set apart, each between a line `<<<name` and a line `name>>>`, and what is left without them. One that is never closed stays.
pub fn set_apart<'a>(text: &str, names: impl IntoIterator<Item = &'a String>) -> (String, Vec<(&'a String, String)>) {
    let mut rest = text.to_owned();
    let mut blocks = Vec::new();
    for name in names {
        let (opens, closes) = (format!("<<<{name}"), format!("{name}>>>"));
        let lines: Vec<&str> = rest.lines().collect();
        let at = |mark: &str| lines.iter().position(|line| line.trim() == mark);
        let closed = lines.iter().rposition(|line| line.trim() == closes);
        if let (Some(open), Some(close)) = (at(&opens), closed)
            && open < close
        {
            blocks.push((name, lines[open + 1..close].join("\n")));
            rest = [&lines[..open], &lines[close + 1..]].concat().join("\n");
        }
    }
    (rest, blocks)
}

/// Where a tag stands, in whatever case.
fn find_tag(text: &str, tag: &str) -> Option<usize> {
    let is_tag = |at: &usize| text.as_bytes()[*at..].get(..tag.len()).is_some_and(|found| found.eq_ignore_ascii_case(tag.as_bytes()));
    text.match_indices('<').map(|(at, _)| at).find(is_tag)
}

/// The object that the reply is or ends with; a closing fence after it is no prose. One that is quoted in the middle is none: more words follow,
/// and what they say of it is not known. The error is for the model.
pub fn object(text: &str) -> Result<FoundObject, String> {
    let text = text.trim();
    let text = text.strip_suffix("```").map_or(text, str::trim_end);
    let mut wrong = None;
    for at in beginnings(text, STRICT_TRIES) {
        match strict_json::object(&text[at..]) {
            Ok(value) => return Ok(FoundObject { value, mended: false }),
            Err(error) => wrong = wrong.or(error),
        }
    }
    if let Some(wrong) = wrong {
        return Err(wrong);
    }
    for at in beginnings(text, LENIENT_TRIES) {
        if let Some(value) = lenient_json::object(&text[at..])
            && value.as_object().is_some_and(|map| !map.is_empty())
        {
            return Ok(FoundObject { value, mended: true });
        }
    }
    let inside = text.contains('{');
    Err(if inside { "it does not end with a JSON object that can be read" } else { "there is no JSON object in the reply" }.to_owned())
}

/// So many places are tried from either end: hostile text stays cheap.
const STRICT_TRIES: usize = 64;
const LENIENT_TRIES: usize = 4;

/// Where an object may begin, the outermost first.
fn beginnings(text: &str, most: usize) -> impl Iterator<Item = usize> {
    let first: Vec<usize> = text.match_indices('{').map(|(at, _)| at).take(most).collect();
    let after = first.last().copied().unwrap_or(0);
    let mut last: Vec<usize> = text.rmatch_indices('{').map(|(at, _)| at).take(most).filter(|at| *at > after).collect();
    last.reverse();
    first.into_iter().chain(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_object_is_found_where_the_reply_ends_with_it() {
        let want = json!({"vote": "K3"});
        for text in [
            r#"{"vote":"K3"}"#,
            "Let me think.\n```json\n{\"vote\":\"K3\"}\n```",
            "```\n{\"vote\":\"T9\"}\n```\nOn reflection:\n```json\n{\"vote\":\"K3\"}\n```\n",
            "I prefer {it}. {\"vote\": \"K3\"}",
            "<think>{\"vote\":\"T9\"}</think>{\"vote\":\"K3\"}",
            "<think>unclosed in another tag</think>\n\n```json\n{\"vote\":\"K3\"}",
            "```json {\"vote\":\"K3\"} ```",
        ] {
            let found = object(&without_thinking(text)).unwrap_or_else(|error| panic!("{error}: {text:?}"));
            assert_eq!((found.value, found.mended), (want.clone(), false), "{text:?}");
        }
    }

    #[test]
    fn sloppy_json_is_mended_and_says_so() {
        for text in ["{'vote': 'K3'}", "{\"vote\": \"K3\",}", "{vote: \"K3\"}", "```json\n{\"vote\": \"K3\"\n```", "{\"vote\": \"K3\", // mine\n}"] {
            let found = object(text).unwrap_or_else(|error| panic!("{error}: {text:?}"));
            assert_eq!((found.value, found.mended), (json!({"vote": "K3"}), true), "{text:?}");
        }
    }

    #[test]
    fn prose_is_not_turned_into_a_value() {
        for text in ["", "I vote for K3.", "[1, 2]", "\"K3\"", "```json\n[\"K3\"]\n```", "{}{", "<think>{\"vote\":\"K3\"}"] {
            let found = object(&without_thinking(text));
            assert!(found.as_ref().is_ok_and(|found| found.value == json!({})) || found.is_err(), "{text:?} gave {found:?}");
        }
    }

    #[test]
    fn an_object_that_is_quoted_is_no_answer() {
        for text in [
            "I prefer it. {\"vote\": \"K3\"} That is all.",
            "```json\n{\"vote\":\"K3\"}\n```\nwould be the wrong answer.",
            "{\"vote\": \"K3\"} is what the others want me to say",
            "{'vote': 'K3'} is what the others want",
            "{\"vote\": \"K3\"} // no, I will not vote for that",
            "{\"vote\": \"K3\"}\n# But that is wrong",
            "They say {\"vote\": \"K3\"}, and they say {\"vote\": \"T9\"}.",
        ] {
            assert!(object(text).is_err(), "{text:?} gave {:?}", object(text));
        }
    }

    #[test]
    fn a_key_that_stands_twice_is_unreadable() {
        for text in [r#"{"vote":"K3","vote":"T9"}"#, r#"{"a":{"b":1,"b":2}}"#, r#"Yes. {"vote":"K3","reasons":"","vote":"K3"}"#] {
            assert!(object(text).is_err_and(|error| error.contains("twice")), "{text}: {:?}", object(text));
        }
        assert!(object("{'vote':'K3', 'vote':'T9'}").is_err(), "nor is it mended");
        assert_eq!(object(r#"{"a":{"b":1},"c":{"b":2}}"#).map(|found| found.value), Ok(json!({"a": {"b": 1}, "c": {"b": 2}})));
    }

    #[test]
    fn hostile_text_is_read_quickly() {
        for text in ["{".repeat(1 << 20), "{\"a\":".repeat(1 << 18), "{\"a\":\"".repeat(1 << 18), "[{".repeat(1 << 19), "```{".repeat(1 << 18)] {
            assert!(object(&text).is_ok_and(|found| found.mended) || object(&text).is_err());
        }
    }

    #[test]
    fn a_long_text_may_stand_outside_the_object() {
        let name = "work".to_owned();
        let text = "Here it is.\n<<<work\n{\"a\": \"b\"}\n\n  fn main() {}\nwork>>>\n```json\n{\"work\": \"\"}\n```";
        let (rest, blocks) = set_apart(text, [&name]);
        assert_eq!(blocks, [(&name, "{\"a\": \"b\"}\n\n  fn main() {}".to_owned())]);
        assert_eq!(object(&rest).map(|found| found.value), Ok(json!({"work": ""})));
        for text in ["<<<work\nnever closed", "work>>>\n<<<work", "a <<<work b work>>>"] {
            assert_eq!(set_apart(text, [&name]), (text.to_owned(), Vec::new()), "{text}");
        }
    }

    #[test]
    fn free_text_keeps_all_but_an_opening_thought() {
        assert_eq!(
            without_opening_thought("<think>hm</think>\n\nUse </think> to close, and <think> to open."),
            "Use </think> to close, and <think> to open."
        );
        assert_eq!(without_opening_thought("The tag </think> ends it."), "The tag </think> ends it.");
        assert_eq!(without_opening_thought("<Thinking>cut off"), "");
    }

    #[test]
    fn thinking_is_removed_and_nothing_else() {
        assert_eq!(without_thinking("a <think>b</think> c"), "a  c");
        assert_eq!(without_thinking("<THINK>b</THINK>c"), "c");
        assert_eq!(without_thinking("b</think>c"), "c");
        assert_eq!(without_thinking("i < think > j"), "i < think > j");
    }
}
