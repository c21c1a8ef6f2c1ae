//! What a request carries beside its messages, for one model at one address: the limit and its name, the effort in the provider's own words, and
//! only what the model is not known to refuse.

use super::request::{Ask, ask};
use crate::learned::{Habits, Parameter};
use serde_json::{Value, json};
use synod_config::{EndpointConfig, EndpointKind};
use synod_engine::tokens;
use synod_types::{Effort, Request, Sending, Tier};

/// Room to think for a model nobody knows, and by the effort it is asked for.
const UNKNOWN: u32 = 8_192;
const DASHSCOPE: &str = "dashscope";
/// No allowance grows beyond this, whatever was seen.
const MOST: u32 = 131_072;

#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// The limit that is sent.
    pub tokens: u32,
    /// Of those, room to think.
    pub room: u32,
    /// `max_completion_tokens` instead of `max_tokens`.
    pub renamed: bool,
    /// The same as far as the model's name tells.
    pub renamed_by_name: bool,
    pub temperature: Option<f64>,
    pub effort: Option<Effort>,
    pub style: Style,
    pub ask: Ask,
    pub stream_options: bool,
    /// Its thoughts go back to it with the results of its tools.
    pub thoughts: bool,
}

/// How a provider is asked for thought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// By a word: `reasoning_effort`, `output_config.effort`, `thinkingLevel`.
    Level,
    /// By a number of tokens: `budget_tokens`, `thinkingBudget`.
    Budget,
}

/// How many tokens a call is sent with, and at which effort, before anything is known of how the provider takes it.
pub(super) fn sending(request: &Request, tier: Tier, config: &EndpointConfig, habits: &Habits, allowance: Option<u32>) -> Sending {
    let wanted = request.effort.or_else(|| (tier == Tier::Light && takes_low(config, &request.model)).then_some(Effort::Low));
    let effort = wanted.and_then(|effort| taken(effort, request, habits));
    let by_effort = match effort {
        None | Some(Effort::Medium) => UNKNOWN,
        Some(Effort::None) => 1_024,
        Some(Effort::Minimal) => 2_048,
        Some(Effort::Low) => 4_096,
        Some(Effort::High) => 16_384,
        Some(Effort::Xhigh | Effort::Max) => 32_768,
    };
    let seen = habits.thought(effort).saturating_mul(2).min(MOST);
    let tokens = request.max_tokens.saturating_add(allowance.unwrap_or(by_effort.max(seen)));
    let beside = habits.context.map(|context| beside_prompt(request, context).max(request.max_tokens));
    Sending { tokens: [habits.most_tokens, beside].into_iter().flatten().fold(tokens, u32::min), effort }
}

/// The effort that goes out for the one that is wanted.
fn taken(effort: Effort, request: &Request, habits: &Habits) -> Option<Effort> {
    if habits.refuses.contains(&Parameter::Effort) {
        return None;
    }
    let with_tools = !request.tools.is_empty() && habits.refuses.contains(&Parameter::EffortWithTools);
    Some(if with_tools { Effort::None } else { habits.taken(effort) })
}

/// What a context of this size leaves beside the prompt, counted with some slack: every model counts in its own way.
pub(super) fn beside_prompt(request: &Request, context: u32) -> u32 {
    let prompt = tokens::of_request(request);
    context.saturating_sub(u32::try_from(prompt + prompt / 4 + 64).unwrap_or(u32::MAX))
}

/// Models that are sure to know `low`.
fn takes_low(config: &EndpointConfig, model: &str) -> bool {
    match config.kind {
        EndpointKind::OpenAi => config.base_url.contains("://api.openai.com/") && limit_is_renamed(model),
        EndpointKind::Anthropic => generation(model).is_some_and(|generation| generation >= (4, 6)),
        EndpointKind::Gemini => generation(model).is_some_and(|generation| generation >= (3, 0)),
        EndpointKind::Rehearsal | EndpointKind::Cassette => false,
    }
}

/// Models that think unless they are told not to, or are set to: their silence is no sign of death.
pub(super) fn thinks(config: &EndpointConfig, request: &Request, habits: &Habits) -> bool {
    habits.thinks() || request.effort.is_some_and(|effort| effort > Effort::None) || takes_low(config, &request.model)
}

impl Shape {
    /// `most`: what an earlier try of this call was told it may send at most.
    pub fn of(request: &Request, sending: Sending, config: &EndpointConfig, habits: &Habits, most: Option<u32>) -> Self {
        let takes = |parameter: Parameter| !habits.refuses.contains(&parameter);
        let tokens = [habits.most_tokens, most].into_iter().flatten().fold(sending.tokens, u32::min).max(1);
        let effort = sending.effort.and_then(|effort| taken(effort, request, habits));
        let style = match (style_of(config.kind, &request.model), habits.other_style) {
            (Style::Level, false) | (Style::Budget, true) => Style::Level,
            (Style::Budget, false) | (Style::Level, true) => Style::Budget,
        };
        let thinking = effort.is_some_and(|effort| effort > Effort::None);
        let hot = match config.kind {
            // With thought on, these take no temperature but their own.
            EndpointKind::Anthropic => !thinking,
            EndpointKind::OpenAi => !(thinking && limit_is_renamed(&request.model)),
            EndpointKind::Gemini | EndpointKind::Rehearsal | EndpointKind::Cassette => true,
        };
        let ask = match ask(request, config) {
            Ask::Native if !takes(Parameter::Schema) => Ask::InPrompt,
            ask => ask,
        };
        Self {
            tokens,
            room: tokens.saturating_sub(request.max_tokens),
            renamed: limit_is_renamed(&request.model) != habits.limit_renamed,
            renamed_by_name: limit_is_renamed(&request.model),
            temperature: request.temperature.filter(|_| hot && takes(Parameter::Temperature)),
            effort,
            style,
            ask,
            stream_options: takes(Parameter::StreamOptions),
            thoughts: takes(Parameter::Thoughts),
        }
    }

    /// The fields an OpenAI-compatible server is asked with, by whose server it is.
    pub fn openai_effort(&self, config: &EndpointConfig) -> Vec<(&'static str, Value)> {
        let Some(effort) = self.effort else { return Vec::new() };
        let at = |host: &str| config.base_url.contains(host);
        let word = |effort: Effort| ("reasoning_effort", json!(effort.as_str()));
        if at("://openrouter.ai/") {
            return vec![("reasoning", json!({ "effort": effort.as_str() }))];
        }
        if at("://api.deepseek.com") {
            return match effort {
                Effort::None => vec![("thinking", json!({ "type": "disabled" }))],
                Effort::Minimal | Effort::Low => vec![("thinking", json!({ "type": "enabled" })), word(Effort::Low)],
                Effort::Medium | Effort::High => vec![("thinking", json!({ "type": "enabled" })), word(Effort::High)],
                Effort::Xhigh | Effort::Max => vec![("thinking", json!({ "type": "enabled" })), word(Effort::Max)],
            };
        }
        if at("://api.mistral.ai/") {
            return vec![word(if effort <= Effort::Low { Effort::None } else { Effort::High })];
        }
        if at(DASHSCOPE) {
            let on = effort > Effort::None;
            let budget = on.then(|| ("thinking_budget", json!(self.room / 2)));
            return [("enable_thinking", json!(on))].into_iter().chain(budget).collect();
        }
        if at("://api.x.ai/") {
            return vec![word(effort.clamp(Effort::Low, Effort::Xhigh))];
        }
        vec![word(effort)]
    }

    /// The limit as it is written. Where nobody knows whether thought counts against it, half the room is inside and half beside it, so that no
    /// reply is longer than what was reserved.
    pub fn openai_limit(&self, config: &EndpointConfig) -> u32 {
        let beside = config.base_url.contains(DASHSCOPE) && self.effort.is_some_and(|effort| effort > Effort::None);
        if beside { self.tokens - self.room / 2 } else { self.tokens }
    }

    /// Anthropic's `thinking`, and the effort that goes into its `output_config`.
    pub fn anthropic_effort(&self) -> (Option<Value>, Option<&'static str>) {
        match (self.effort, self.style) {
            (None, _) => (None, None),
            (Some(Effort::None), Style::Level) => (Some(json!({ "type": "disabled" })), None),
            (Some(effort), Style::Level) => (Some(json!({ "type": "adaptive" })), Some(effort.max(Effort::Low).as_str())),
            // Less than this is refused, and without the field these models do not think.
            (Some(effort), Style::Budget) if effort > Effort::None && self.room >= 1_024 => {
                (Some(json!({ "type": "enabled", "budget_tokens": self.room })), None)
            }
            (Some(_), Style::Budget) => (None, None),
        }
    }

    /// Gemini's `thinkingConfig`.
    pub fn gemini_effort(&self, model: &str) -> Option<Value> {
        let effort = self.effort?;
        Some(match self.style {
            Style::Level => json!({ "thinkingLevel": effort.clamp(Effort::Low, Effort::High).as_str() }),
            // The larger ones cannot be switched off.
            Style::Budget if effort == Effort::None => json!({ "thinkingBudget": if model.contains("pro") { 128 } else { 0 } }),
            Style::Budget => json!({ "thinkingBudget": self.room.max(128) }),
        })
    }
}

fn style_of(kind: EndpointKind, model: &str) -> Style {
    let before = match kind {
        EndpointKind::Anthropic => (4, 6),
        EndpointKind::Gemini => (3, 0),
        EndpointKind::OpenAi | EndpointKind::Rehearsal | EndpointKind::Cassette => return Style::Level,
    };
    if generation(model).is_some_and(|generation| generation < before) { Style::Budget } else { Style::Level }
}

/// `claude-opus-4-5` and `claude-4-5-opus-20260101` are (4, 5); `gemini-3-pro` is (3, 0).
fn generation(model: &str) -> Option<(u32, u32)> {
    let number = |part: &str| part.parse::<u32>().ok().filter(|number| *number < 100);
    let parts: Vec<&str> = model.split(['-', '.', '_', '/', ':', '@']).collect();
    let at = parts.iter().position(|part| number(part).is_some())?;
    Some((number(parts[at])?, parts.get(at + 1).and_then(|part| number(part)).unwrap_or(0)))
}

/// OpenAI's models that think take their limit under another name only: `o1`, `o3-mini`, …, and `gpt-5` and later.
fn limit_is_renamed(model: &str) -> bool {
    let number = |rest: &str| rest.split(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse::<u32>().ok());
    match (model.strip_prefix("gpt-"), model.strip_prefix('o')) {
        (Some(rest), _) => number(rest).is_some_and(|generation| generation >= 5),
        (None, Some(rest)) => number(rest).is_some(),
        (None, None) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{Shape, Style, generation, limit_is_renamed, sending};
    use crate::learned::{Habits, Parameter};
    use serde_json::{Value, json};
    use synod_config::{EndpointConfig, EndpointKind};
    use synod_types::{Effort, Request, Sending, Tier};

    fn request(model: &str, effort: Option<Effort>) -> Request {
        Request {
            model: model.into(),
            messages: Vec::new(),
            schema: None,
            tools: Vec::new(),
            temperature: Some(0.5),
            max_tokens: 500,
            effort,
            hint: None,
        }
    }

    fn shape(kind: EndpointKind, url: &str, model: &str, effort: Effort) -> (Shape, EndpointConfig) {
        let (request, config) = (request(model, Some(effort)), EndpointConfig::new(kind, url));
        let habits = Habits::default();
        let sending = sending(&request, Tier::Heavy, &config, &habits, None);
        (Shape::of(&request, sending, &config, &habits, None), config)
    }

    #[test]
    fn the_limit_has_its_newer_name_where_the_older_is_refused() {
        let renamed: Vec<&str> =
            ["gpt-4o", "gpt-5", "gpt-5.6-mini", "gpt-12", "gpt-oss-120b", "o1", "o4-mini", "olmo-7b", "openchat", "openai/gpt-5", "gpt-", "o"]
                .into_iter()
                .filter(|model| limit_is_renamed(model))
                .collect();
        assert_eq!(renamed, ["gpt-5", "gpt-5.6-mini", "gpt-12", "o1", "o4-mini"]);
    }

    #[test]
    fn generations_are_read_from_ids() {
        for (model, want) in [
            ("claude-opus-4-5", Some((4, 5))),
            ("claude-3-7-sonnet-20250219", Some((3, 7))),
            ("claude-sonnet-4-20250514", Some((4, 0))),
            ("gemini-2.5-flash", Some((2, 5))),
            ("gemini-4-argon", Some((4, 0))),
            ("somebody", None),
        ] {
            assert_eq!(generation(model), want, "{model}");
        }
    }

    #[test]
    fn room_to_think_comes_by_effort_by_word_and_by_what_was_seen() {
        let config = EndpointConfig::new(EndpointKind::OpenAi, "http://127.0.0.1:1/v1");
        let mut habits = Habits::default();
        let room = |effort, habits: &Habits, allowance| sending(&request("m", effort), Tier::Heavy, &config, habits, allowance).tokens - 500;
        assert_eq!(room(None, &habits, None), 8_192);
        let by_effort = [Effort::Low, Effort::Medium, Effort::High, Effort::Xhigh, Effort::Max].map(|effort| room(Some(effort), &habits, None));
        assert_eq!(by_effort, [4_096, 8_192, 16_384, 32_768, 32_768]);
        habits.saw(None, 20_000);
        assert_eq!((room(None, &habits, None), room(Some(Effort::Low), &habits, None)), (40_000, 4_096), "twice what was seen, at that effort");
        assert_eq!(room(None, &habits, Some(100)), 100, "the user's word counts");
        habits.most_tokens = Some(9_000);
        assert_eq!(room(None, &habits, None), 8_500, "no more than the model may write");
    }

    #[test]
    fn light_work_is_done_at_low_effort_where_the_model_is_sure_to_know_it() {
        let home = EndpointConfig::new(EndpointKind::OpenAi, "https://api.openai.com/v1");
        let local = EndpointConfig::new(EndpointKind::OpenAi, "http://127.0.0.1:1/v1");
        let light = |model: &str, config: &EndpointConfig| sending(&request(model, None), Tier::Light, config, &Habits::default(), None).effort;
        assert_eq!(light("gpt-6-luna", &home), Some(Effort::Low));
        assert_eq!((light("gpt-4o", &home), light("gpt-6-luna", &local)), (None, None));
        assert_eq!(light("claude-haiku-5-5", &EndpointConfig::new(EndpointKind::Anthropic, "x")), Some(Effort::Low));
        assert_eq!(light("claude-haiku-4-5", &EndpointConfig::new(EndpointKind::Anthropic, "x")), None);
        assert_eq!(light("gemini-3.8-flash", &EndpointConfig::new(EndpointKind::Gemini, "x")), Some(Effort::Low));
    }

    #[test]
    fn every_provider_is_asked_in_its_own_words() {
        let openai = |url: &str, effort| {
            let (shape, config) = shape(EndpointKind::OpenAi, url, "m", effort);
            shape.openai_effort(&config).into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<serde_json::Map<String, Value>>()
        };
        let said = |url: &str, effort, want: Value| assert_eq!(Value::Object(openai(url, effort)), want, "{url}");
        said("http://127.0.0.1:8080/v1", Effort::None, json!({ "reasoning_effort": "none" }));
        said("https://api.openai.com/v1", Effort::Xhigh, json!({ "reasoning_effort": "xhigh" }));
        said("https://openrouter.ai/api/v1", Effort::High, json!({ "reasoning": { "effort": "high" } }));
        said("https://api.deepseek.com", Effort::None, json!({ "thinking": { "type": "disabled" } }));
        said("https://api.deepseek.com", Effort::Medium, json!({ "thinking": { "type": "enabled" }, "reasoning_effort": "high" }));
        said("https://api.mistral.ai/v1", Effort::Low, json!({ "reasoning_effort": "none" }));
        said("https://api.x.ai/v1", Effort::Max, json!({ "reasoning_effort": "xhigh" }));
        said("https://dashscope-intl.aliyuncs.com/v1", Effort::High, json!({ "enable_thinking": true, "thinking_budget": 8_192 }));
        said("https://dashscope-intl.aliyuncs.com/v1", Effort::None, json!({ "enable_thinking": false }));

        let anthropic = |model: &str, effort| shape(EndpointKind::Anthropic, "x", model, effort).0.anthropic_effort();
        assert_eq!(anthropic("claude-opus-4-5", Effort::High), (Some(json!({ "type": "enabled", "budget_tokens": 16_384 })), None));
        assert_eq!(anthropic("claude-opus-4-5", Effort::None), (None, None));
        assert_eq!(anthropic("claude-opus-5-5", Effort::High), (Some(json!({ "type": "adaptive" })), Some("high")));
        assert_eq!(anthropic("claude-opus-5-5", Effort::None), (Some(json!({ "type": "disabled" })), None));

        let gemini = |model: &str, effort| shape(EndpointKind::Gemini, "x", model, effort).0.gemini_effort(model);
        assert_eq!(gemini("gemini-2.5-flash", Effort::None), Some(json!({ "thinkingBudget": 0 })));
        assert_eq!(gemini("gemini-2.5-pro", Effort::None), Some(json!({ "thinkingBudget": 128 })));
        assert_eq!(gemini("gemini-3-pro", Effort::None), Some(json!({ "thinkingLevel": "low" })));
        assert_eq!(gemini("gemini-4-argon", Effort::Max), Some(json!({ "thinkingLevel": "high" })));
    }

    #[test]
    fn what_is_refused_is_not_sent_again() {
        let config = EndpointConfig::new(EndpointKind::OpenAi, "http://127.0.0.1:1/v1");
        let (asked, mut habits) = (request("m", Some(Effort::None)), Habits::default());
        habits.refuses.extend([Parameter::Temperature, Parameter::StreamOptions]);
        habits.efforts.insert(Effort::None, Effort::Low);
        habits.limit_renamed = true;
        let shape = Shape::of(&asked, Sending { tokens: 9_000, effort: asked.effort }, &config, &habits, Some(7_000));
        assert_eq!(
            (shape.temperature, shape.stream_options, shape.effort, shape.renamed, shape.tokens),
            (None, false, Some(Effort::Low), true, 7_000)
        );
        habits.refuses.insert(Parameter::Effort);
        habits.other_style = true;
        let shape = Shape::of(&asked, Sending { tokens: 9_000, effort: asked.effort }, &config, &habits, None);
        assert_eq!((shape.effort, shape.style), (None, Style::Budget));
    }
}
