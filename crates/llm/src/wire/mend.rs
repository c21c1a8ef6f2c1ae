//! What to change of a request that was refused with a 400: the one parameter the provider names is dropped or put in other words, once, and
//! remembered for this model at this address.

use super::request::Ask;
use super::shape::{Shape, Style, beside_prompt};
use crate::learned::{Habits, Parameter};
use synod_config::EndpointKind;
use synod_types::{Effort, Message, Request};

/// A change to what is sent, and how it is told.
#[derive(Debug, PartialEq)]
pub(super) struct Mend {
    pub what: String,
    pub learn: Lesson,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Lesson {
    Refuses(Parameter),
    LimitRenamed,
    OtherStyle,
    Takes {
        asked: Effort,
        taken: Effort,
    },
    /// Holds for this call, and where `always` says so for every later one.
    Most {
        tokens: u32,
        always: bool,
    },
    Context {
        context: u32,
        tokens: u32,
    },
}

impl Lesson {
    /// The limit for the rest of this call.
    pub fn most(self) -> Option<u32> {
        match self {
            Self::Most { tokens, .. } | Self::Context { tokens, .. } => Some(tokens),
            _ => None,
        }
    }

    pub fn learn(self, habits: &mut Habits, shape: &Shape) {
        match self {
            Self::Refuses(parameter) => {
                habits.refuses.insert(parameter);
            }
            // Relative to what this request tried: others under way may have learned the same meanwhile.
            Self::LimitRenamed => habits.limit_renamed = shape.renamed == shape.renamed_by_name,
            Self::OtherStyle => habits.other_style = true,
            Self::Takes { asked, taken } => {
                habits.efforts.insert(asked, taken);
            }
            Self::Most { tokens, always } => {
                if always {
                    habits.most_tokens = Some(habits.most_tokens.map_or(tokens, |known| known.min(tokens)));
                }
            }
            Self::Context { context, .. } => habits.context = Some(context),
        }
    }
}

/// `words`: the provider's message and codes, in lower case. `None`: nothing that we sent explains it.
pub(super) fn mend(words: &str, shape: &Shape, request: &Request, kind: EndpointKind) -> Option<Mend> {
    let has = |signs: &[&str]| signs.iter().any(|sign| words.contains(sign));
    let unknown = has(&["unsupported_parameter", "unsupported parameter", "unrecognized", "unknown", "extra", "unexpected", "not permitted"]);
    let refuses = |parameter, name: &str| Some(Mend { what: format!("{name} left out"), learn: Lesson::Refuses(parameter) });

    if shape.temperature.is_some() && has(&["temperature"]) {
        return refuses(Parameter::Temperature, "temperature");
    }
    if kind == EndpointKind::OpenAi {
        let other = if shape.renamed { "max_tokens" } else { "max_completion_tokens" };
        let renames = match shape.renamed {
            false => has(&["max_completion_tokens"]) && has(&["max_tokens"]) && !too_large(words),
            true => has(&["max_completion_tokens"]) && unknown,
        };
        if renames {
            return Some(Mend { what: format!("the limit named {other}"), learn: Lesson::LimitRenamed });
        }
    }
    if let Some(learn) = limit(words, shape, request) {
        let tokens = learn.most().unwrap_or(shape.tokens);
        return Some(Mend { what: format!("a limit of {tokens} tokens instead of {}", shape.tokens), learn });
    }
    if has(&["stream_options"]) && shape.stream_options && kind == EndpointKind::OpenAi {
        return refuses(Parameter::StreamOptions, "stream_options");
    }
    let gives_back = request.messages.iter().any(|message| matches!(message, Message::Assistant { thinking: Some(_), .. }));
    if shape.thoughts && gives_back && has(&["reasoning_content", "reasoning_details", "`reasoning`", "'reasoning'", "\"reasoning\""]) {
        return refuses(Parameter::Thoughts, "its own thoughts");
    }
    if let Some(effort) = shape.effort
        && has(&["effort", "thinking", "reasoning"])
    {
        return effort_instead(words, effort, shape, request, kind, unknown);
    }
    let schema = ["response_format", "json_schema", "output_config", "response_schema", "responsejsonschema", "structured output", "json mode"];
    if shape.ask == Ask::Native && has(&schema) {
        return refuses(Parameter::Schema, "the schema put into the prompt: structured output");
    }
    None
}

fn effort_instead(words: &str, effort: Effort, shape: &Shape, request: &Request, kind: EndpointKind, unknown: bool) -> Option<Mend> {
    let has = |signs: &[&str]| signs.iter().any(|sign| words.contains(sign));
    let takes = |taken: Effort| Some(Mend { what: format!("effort {taken} instead of {effort}"), learn: Lesson::Takes { asked: effort, taken } });
    // Two ways of asking, and a provider that wants the other one.
    let other = match shape.style {
        Style::Budget => has(&["budget_tokens", "thinking.type", "adaptive", "thinkingbudget", "thinking_budget"]),
        Style::Level => has(&["adaptive", "output_config", "thinkinglevel", "thinking_level", "thinking level"]),
    };
    if kind != EndpointKind::OpenAi && other && effort > Effort::None {
        return Some(Mend { what: "thought asked for in the provider's other way".to_owned(), learn: Lesson::OtherStyle });
    }
    // Some think, or call tools, and not both.
    if kind == EndpointKind::OpenAi && !request.tools.is_empty() && has(&["tool"]) && effort > Effort::None {
        return Some(Mend {
            what: format!("effort none instead of {effort}, because of the tools"),
            learn: Lesson::Refuses(Parameter::EffortWithTools),
        });
    }
    if !unknown && let Some(taken) = nearest(words, effort) {
        return takes(taken);
    }
    Some(Mend { what: format!("effort {effort} left out"), learn: Lesson::Refuses(Parameter::Effort) })
}

/// The effort to try instead: the nearest of those the message lists, else the next one towards the middle.
fn nearest(words: &str, effort: Effort) -> Option<Effort> {
    let listed: Vec<Effort> =
        match words.split_once("supported values").or_else(|| words.split_once("one of")).or_else(|| words.split_once("must be")) {
            Some((_, list)) => {
                let named: Vec<&str> = list.split(|c: char| !c.is_ascii_alphanumeric()).collect();
                Effort::ALL.into_iter().filter(|other| named.contains(&other.as_str()) && *other != effort).collect()
            }
            None => Vec::new(),
        };
    let above = listed.iter().copied().filter(|other| *other > effort).min();
    let below = listed.iter().copied().filter(|other| *other < effort).max();
    let ladder = match effort {
        Effort::None => Some(Effort::Minimal),
        Effort::Minimal => Some(Effort::Low),
        Effort::Max => Some(Effort::Xhigh),
        Effort::Xhigh => Some(Effort::High),
        Effort::Low | Effort::Medium | Effort::High => None,
    };
    above.or(below).or(ladder)
}

fn too_large(words: &str) -> bool {
    let signs = ["too large", "too high", "at most", "maximum", "exceed", "less than", "range", "<=", " > ", "larger than", "greater than"];
    signs.iter().any(|sign| words.contains(sign))
}

/// A limit the model may not be given, or that does not fit its context beside the prompt.
fn limit(words: &str, shape: &Shape, request: &Request) -> Option<Lesson> {
    if !too_large(words) {
        return None;
    }
    // `8,192` is one number.
    let words = &words.replace(',', "");
    let numbers: Vec<u32> = words.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect();
    let context = ["context length", "context window", "context size", "context limit"].iter().find_map(|sign| words.split_once(sign));
    if let Some((_, rest)) = context {
        let context: Option<u32> = rest.split(|c: char| !c.is_ascii_digit()).find_map(|digits| digits.parse().ok());
        // The message counts the prompt, or the prompt and the limit together, or neither.
        let counted = ["input tokens", "prompt tokens", "in the messages", "in the prompt", "in your prompt"].iter().find_map(|sign| {
            let (before, _) = words.split_once(sign)?;
            before.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).next_back()
        });
        let prompt = counted.or_else(|| numbers.iter().filter_map(|n| n.checked_sub(shape.tokens)).filter(|n| *n > 0).min());
        let tokens = context.map(|context| prompt.map_or_else(|| beside_prompt(request, context), |prompt| context.saturating_sub(prompt)));
        return match (context, tokens) {
            (Some(context), Some(tokens)) if tokens >= 64 && tokens < shape.tokens => Some(Lesson::Context { context, tokens }),
            (None, _) if shape.tokens > request.max_tokens => Some(Lesson::Most { tokens: request.max_tokens, always: false }),
            _ => None,
        };
    }
    let names = ["max_tokens", "max_completion_tokens", "maxoutputtokens", "max_output_tokens", "output tokens", "completion tokens", "max tokens"];
    if !names.iter().any(|name| words.contains(name)) {
        return None;
    }
    let said = numbers.into_iter().filter(|n| (256..shape.tokens).contains(n)).max();
    match said {
        // A number may be the prompt's: what is learned for good must leave room for the words at least.
        Some(most) => {
            let always = most >= request.max_tokens && !["prompt", "input"].iter().any(|sign| words.contains(sign));
            Some(Lesson::Most { tokens: most - u32::from(words.contains("exclusive")), always })
        }
        None if shape.tokens > 512 => Some(Lesson::Most { tokens: shape.tokens / 2, always: false }),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Lesson, mend};
    use crate::learned::{Habits, Parameter};
    use crate::wire::shape::Shape;
    use serde_json::json;
    use synod_config::{EndpointConfig, EndpointKind};
    use synod_types::{Effort, Message, ReplySchema, Request, Sending, ToolDef};

    fn lesson(kind: EndpointKind, model: &str, effort: Option<Effort>, words: &str) -> Option<Lesson> {
        let request = Request {
            model: model.into(),
            messages: vec![Message::Assistant { text: String::new(), tool_calls: Vec::new(), thinking: Some(json!({})) }],
            schema: Some(ReplySchema { name: "s".into(), schema: json!({ "type": "object" }) }),
            tools: vec![ToolDef { name: "t".into(), description: String::new(), input: json!({}) }],
            temperature: Some(0.5),
            max_tokens: 500,
            effort,
            hint: None,
        };
        let config = EndpointConfig::new(kind, "http://127.0.0.1:1/v1");
        let shape = Shape::of(&request, Sending { tokens: 12_288, effort }, &config, &Habits::default(), None);
        mend(&words.to_lowercase(), &shape, &request, kind).map(|mend| mend.learn)
    }

    #[test]
    fn the_parameter_that_is_named_is_the_one_that_changes() {
        use EndpointKind::{Anthropic, Gemini, OpenAi};
        let takes = |asked, taken| Some(Lesson::Takes { asked, taken });
        let refuses = |parameter| Some(Lesson::Refuses(parameter));
        let most = |tokens| Some(Lesson::Most { tokens, always: true });
        let table = [
            (OpenAi, "m", None, "Unsupported value: 'temperature' does not support 0.5 with this model.", refuses(Parameter::Temperature)),
            (Anthropic, "m", None, "temperature: this model does not take it", refuses(Parameter::Temperature)),
            (
                OpenAi,
                "m",
                None,
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
                Some(Lesson::LimitRenamed),
            ),
            (OpenAi, "gpt-9", None, "Unrecognized request argument supplied: max_completion_tokens", Some(Lesson::LimitRenamed)),
            (OpenAi, "m", None, "max_tokens is too large: 12288. This model supports at most 4096 completion tokens", most(4096)),
            (Anthropic, "m", None, "max_tokens: 12288 > 8192, which is the maximum allowed number of output tokens for claude-3-5-haiku", most(8192)),
            (
                Gemini,
                "m",
                None,
                "it has a maxOutputTokens value of 12288 but the supported range is from 1 (inclusive) to 8193 (exclusive).",
                most(8192),
            ),
            (OpenAi, "m", None, "max_tokens exceeds what this server allows", Some(Lesson::Most { tokens: 6144, always: false })),
            (
                OpenAi,
                "m",
                None,
                "This model's maximum context length is 8192 tokens. However, you requested 12516 tokens (228 in the messages, 12288 in the completion).",
                Some(Lesson::Context { context: 8192, tokens: 8192 - 228 }),
            ),
            (
                OpenAi,
                "m",
                None,
                "'max_tokens' or 'max_completion_tokens' is too large: 12288. This model's maximum context length is 8192 tokens and your request has 228 input tokens",
                Some(Lesson::Context { context: 8192, tokens: 8192 - 228 }),
            ),
            (
                OpenAi,
                "m",
                None,
                "the request exceeds the available context size, try increasing it",
                Some(Lesson::Most { tokens: 500, always: false }),
            ),
            (OpenAi, "m", None, "This model's maximum context length is 8192 tokens, and your messages hold 90001", None),
            (
                OpenAi,
                "m",
                Some(Effort::None),
                "Unsupported value: 'reasoning_effort' does not support 'none' with this model. Supported values are: 'minimal', 'low', and 'high'.",
                takes(Effort::None, Effort::Minimal),
            ),
            (
                OpenAi,
                "m",
                Some(Effort::Max),
                "Unsupported value: 'reasoning_effort'. Supported values are: 'low', 'medium', and 'high'.",
                takes(Effort::Max, Effort::High),
            ),
            (OpenAi, "m", Some(Effort::Minimal), "unsupported_value reasoning_effort", takes(Effort::Minimal, Effort::Low)),
            (OpenAi, "m", Some(Effort::High), "Unsupported parameter: 'reasoning_effort' is not supported", refuses(Parameter::Effort)),
            (OpenAi, "m", Some(Effort::High), "\"llama3\" does not support thinking", refuses(Parameter::Effort)),
            (OpenAi, "m", Some(Effort::High), "Function tools with reasoning_effort are not supported here", refuses(Parameter::EffortWithTools)),
            (Anthropic, "claude-opus-5-5", Some(Effort::None), "thinking cannot be disabled for this model", takes(Effort::None, Effort::Minimal)),
            (Anthropic, "claude-x-4-5", Some(Effort::High), "thinking.type.enabled is not supported; use adaptive", Some(Lesson::OtherStyle)),
            (Anthropic, "claude-x-9", Some(Effort::High), "adaptive thinking is not supported on this model", Some(Lesson::OtherStyle)),
            (Gemini, "gemini-2.5-pro", Some(Effort::High), "thinking_budget is not supported by this model", Some(Lesson::OtherStyle)),
            (Gemini, "gemini-3-pro", Some(Effort::High), "Thinking level is not supported for this model.", Some(Lesson::OtherStyle)),
            (OpenAi, "m", None, "reasoning_content is not allowed in input messages", refuses(Parameter::Thoughts)),
            (OpenAi, "m", None, "Unknown field: stream_options", refuses(Parameter::StreamOptions)),
            (OpenAi, "m", None, "response_format of type json_schema is unavailable", refuses(Parameter::Schema)),
            (OpenAi, "m", None, "something else entirely", None),
        ];
        for (kind, model, effort, words, want) in table {
            assert_eq!(lesson(kind, model, effort, words), want, "{words}");
        }
    }
}
