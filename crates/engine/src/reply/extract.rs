//! Finds the JSON object in a model's reply. Tolerant of wrapping, never of guessing: no object, no value.

use super::lenient_json;
use serde_json::Value;

/// A found object, and whether it had to be mended first.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundObject {
    pub value: Value,
    pub mended: bool,
}

const THINKING: [&str; 3] = ["think", "thinking", "reasoning"];

/// Free text without the one reasoning block it may begin with. What stands later is part of the answer, also where it speaks of such tags.
pub fn without_opening_thought(text: &str) -> &str {
    let text = text.trim();
    for tag in THINKING {
        let open = format!("<{tag}>");
        if text.get(..open.len()).is_some_and(|head| head.eq_ignore_ascii_case(&open)) {
            let close = format!("</{tag}>");
            // Never closed: the reply was cut while still thinking.
            return find_ignoring_case(text, &close).map_or("", |at| text[at + close.len()..].trim());
        }
    }
    text
}

/// The words without leading or embedded reasoning blocks (`<think>…</think>` and its kin), for typed replies: they end in one object.
pub fn without_thinking(text: &str) -> String {
    let mut rest = text;
    let mut out = String::with_capacity(text.len());
    loop {
        let next = THINKING.iter().filter_map(|tag| find_ignoring_case(rest, &format!("<{tag}>")).map(|at| (at, *tag))).min_by_key(|(at, _)| *at);
        let Some((at, tag)) = next else { break };
        let inside = at + tag.len() + 2;
        out.push_str(&rest[..at]);
        match find_ignoring_case(&rest[inside..], &format!("</{tag}>")) {
            Some(end) => rest = &rest[inside + end + tag.len() + 3..],
            // Never closed: the reply was cut while still thinking, or the tag is ordinary text. Keep nothing of it.
            None => rest = "",
        }
    }
    out.push_str(rest);
    // Some servers swallow the opening tag and leave the closing one.
    for tag in ["</think>", "</thinking>", "</reasoning>"] {
        if let Some(at) = find_ignoring_case(&out, tag) {
            out = out[at + tag.len()..].to_owned();
        }
    }
    out.trim().to_owned()
}

fn find_ignoring_case(text: &str, ascii: &str) -> Option<usize> {
    text.as_bytes().windows(ascii.len()).position(|window| window.eq_ignore_ascii_case(ascii.as_bytes()))
}

/// The object of a reply: the whole of it, else the last fenced block that holds one, else the last balanced braces.
pub fn object(text: &str) -> Option<FoundObject> {
    let text = text.trim();
    if let Some(value) = parse(text) {
        return Some(FoundObject { value, mended: false });
    }
    let fenced = fenced_blocks(text);
    let braced = braced_spans(text);
    let candidates: Vec<&str> = fenced.iter().rev().chain(braced.iter().rev()).copied().collect();
    if let Some(value) = candidates.iter().find_map(|candidate| parse(candidate)) {
        return Some(FoundObject { value, mended: false });
    }
    // Mending takes the first thing it sees for the whole, so it is only ever shown something that begins as an object.
    let open = text.find('{').map(|at| &text[at..]);
    let mendable = fenced.iter().rev().copied().chain(braced.iter().rev().copied()).chain(open).filter(|candidate| candidate.starts_with('{'));
    for candidate in mendable.take(4) {
        if let Some(value) = lenient_json::object(candidate)
            && value.as_object().is_some_and(|map| !map.is_empty())
        {
            return Some(FoundObject { value, mended: true });
        }
    }
    None
}

fn parse(text: &str) -> Option<Value> {
    let text = text.trim();
    if !text.starts_with('{') {
        return None;
    }
    serde_json::from_str::<Value>(text).ok().filter(Value::is_object)
}

/// The insides of ``` blocks, in order; an unclosed last block counts.
fn fenced_blocks(text: &str) -> Vec<&str> {
    let mut blocks = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("```") {
        let after = &rest[start + 3..];
        let body = after.find('\n').map_or(after, |end| {
            let info = after[..end].trim();
            if info.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_') { &after[end + 1..] } else { after }
        });
        match body.find("```") {
            Some(end) => {
                blocks.push(body[..end].trim());
                rest = &body[end + 3..];
            }
            None => {
                blocks.push(body.trim());
                break;
            }
        }
    }
    blocks
}

/// Outermost balanced `{…}` spans, in order, with strings respected. Bounded, so hostile input stays cheap.
fn braced_spans(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut spans = Vec::new();
    let (mut depth, mut start, mut in_string, mut escaped) = (0_u32, 0, false, false);
    for (at, &byte) in bytes.iter().enumerate() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' if depth > 0 => in_string = true,
            b'{' => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            b'}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    spans.push(&text[start..=at]);
                    if spans.len() > 64 {
                        spans.remove(0);
                    }
                }
            }
            _ => {}
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_object_is_found_wherever_models_put_it() {
        let want = json!({"vote": "K3"});
        for text in [
            r#"{"vote":"K3"}"#,
            "Let me think.\n```json\n{\"vote\":\"K3\"}\n```",
            "```\n{\"vote\":\"T9\"}\n```\nOn reflection:\n```json\n{\"vote\":\"K3\"}\n```\nThanks",
            "I prefer it. {\"vote\": \"K3\"} That is all.",
            "<think>{\"vote\":\"T9\"}</think>{\"vote\":\"K3\"}",
            "<think>unclosed in another tag</think>\n\n```json\n{\"vote\":\"K3\"}",
            "```json {\"vote\":\"K3\"} ```",
        ] {
            let found = object(&without_thinking(text)).unwrap_or_else(|| panic!("nothing found in {text:?}"));
            assert_eq!((found.value, found.mended), (want.clone(), false), "{text:?}");
        }
    }

    #[test]
    fn sloppy_json_is_mended_and_says_so() {
        for text in ["{'vote': 'K3'}", "{\"vote\": \"K3\",}", "{vote: \"K3\"}", "```json\n{\"vote\": \"K3\"\n```", "{\"vote\": \"K3\", // mine\n}"] {
            let found = object(text).unwrap_or_else(|| panic!("nothing found in {text:?}"));
            assert_eq!((found.value, found.mended), (json!({"vote": "K3"}), true), "{text:?}");
        }
    }

    #[test]
    fn prose_is_not_turned_into_a_value() {
        for text in ["", "I vote for K3.", "[1, 2]", "\"K3\"", "```json\n[\"K3\"]\n```", "{}{", "<think>{\"vote\":\"K3\"}"] {
            let found = object(&without_thinking(text));
            assert!(found.as_ref().is_none_or(|found| found.value == json!({})), "{text:?} gave {found:?}");
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
