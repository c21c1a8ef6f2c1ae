//! Models that think: how each provider shows it, counts it and spends a limit on it, and what it refuses. Every case on a real socket, in that
//! provider's wire format.

use crate::common::*;
use serde_json::{Value, json};
use std::sync::Arc;
use synod_config::{EndpointConfig, EndpointKind};
use synod_engine::CallContext;
use synod_testkit::server::{Ask, Fault, Form, ModelServer, Say, Thinking};
use synod_types::{Effort, Finish, Message, Reply, Request, Sending, Tier, ToolDef};

const KINDS: [EndpointKind; 3] = [EndpointKind::OpenAi, EndpointKind::Anthropic, EndpointKind::Gemini];

fn sent(tokens: u32, effort: Option<Effort>) -> CallContext {
    CallContext { sending: Sending { tokens, effort }, ..context() }
}

/// What a model that thinks so much in this form comes to, with room or without.
async fn thought(kind: EndpointKind, stream: bool, thinking: Thinking, tokens: u32) -> (Reply, String) {
    let server = ModelServer::start().await;
    server.reply("m", move |_| Say { thinking, ..Say::text("High water is at six.") });
    let (watcher, watched) = watched();
    let context = CallContext { sending: Sending { tokens, effort: None }, ..watched };
    let reply = model(EndpointConfig { stream, ..endpoint(&server, kind) }, "m").call(&request("m"), &context).await.expect("answers");
    let pieces = watcher.pieces();
    // A restart voids what was shown before it.
    let shown = pieces.rsplit(|piece| piece == RESTART).next().unwrap_or_default().concat();
    (reply, shown)
}

/// Every way of showing thought: it is counted, and no part of the answer or of what a watcher sees.
#[tokio::test]
async fn thought_is_counted_and_never_taken_for_the_answer() {
    let openai = [
        Form::Hidden,
        Form::Field("reasoning_content"),
        Form::Field("reasoning"),
        Form::Field("reasoning_details"),
        Form::Uncounted("reasoning_content"),
        Form::Uncounted("reasoning"),
        Form::Tags,
        Form::LoneTag,
        Form::List,
    ];
    let others = [Form::Hidden, Form::Field("thinking"), Form::Uncounted("thinking"), Form::Tags, Form::LoneTag];
    for kind in KINDS {
        for form in if kind == EndpointKind::OpenAi { &openai[..] } else { &others[..] } {
            for stream in [true, false] {
                let (reply, shown) = thought(kind, stream, Thinking::of(400, *form), 9_000).await;
                let step = format!("{kind:?}, {form:?}, stream {stream}");
                assert_eq!((reply.text.as_str(), reply.finish), ("High water is at six.", Finish::Stop), "{step}");
                assert_eq!(shown, "High water is at six.", "{step}");
                let usage = reply.usage.expect("counted");
                let thinking = usage.thinking.unwrap_or_else(|| panic!("{step}: nothing was thought"));
                assert!((380..=420).contains(&thinking) && usage.output > thinking, "{step}: {usage:?}");
                assert_eq!(reply.thinking, None, "{step}: without tools nothing goes back");
            }
        }
    }
}

#[tokio::test]
async fn what_is_in_the_total_only_is_billed_too() {
    for stream in [true, false] {
        let (reply, _) = thought(EndpointKind::OpenAi, stream, Thinking::of(400, Form::Excluded), 9_000).await;
        assert_eq!(reply.usage.map(|usage| (usage.output, usage.thinking)), Some((406, None)), "unknown where it is not counted apart");
    }
}

/// The limit is spent on thought: `length` and nothing, a thinking block and nothing else, `MAX_TOKENS` without parts, or a plain `stop`.
#[tokio::test]
async fn a_limit_spent_on_thought_leaves_a_starved_reply() {
    for kind in KINDS {
        for form in [Form::Hidden, Form::Field("reasoning_content"), Form::Uncounted("reasoning"), Form::Tags] {
            for stream in [true, false] {
                let (reply, shown) = thought(kind, stream, Thinking::of(5_000, form), 800).await;
                let step = format!("{kind:?}, {form:?}, stream {stream}: {reply:?}");
                assert!(reply.starved() && reply.text.is_empty() && shown.is_empty(), "{step}");
                assert_eq!(reply.finish, Finish::Length, "{step}");
            }
        }
        for stream in [true, false] {
            let denies = Thinking { tokens: 5_000, form: Form::Hidden, denies: true };
            let (reply, _) = thought(kind, stream, denies, 800).await;
            assert!(reply.starved() && reply.finish == Finish::Stop, "{kind:?}: empty with stop is starved when it thought: {reply:?}");
            let (reply, _) = thought(kind, stream, Thinking::of(795, Form::Hidden), 800).await;
            assert!(reply.crowded(321) && !reply.starved() && !reply.text.is_empty(), "{kind:?}: thought left no room for the words: {reply:?}");
        }
    }
}

#[tokio::test]
async fn an_empty_reply_without_thought_is_just_empty() {
    for kind in KINDS {
        let server = ModelServer::start().await;
        server.script("m", Fault::Empty);
        let reply = call(endpoint(&server, kind), "m").await.expect("answers");
        assert!(!reply.starved() && reply.text.is_empty(), "{kind:?}: {reply:?}");
    }
}

/// In a tool loop each provider gets back what its model thought, exactly as it came.
#[tokio::test]
async fn thoughts_go_back_unchanged_with_the_results_of_tools() {
    let tool = ToolDef { name: "look".into(), description: "Looks.".into(), input: json!({ "type": "object", "properties": {} }) };
    let text = "hm, ".repeat(50);
    let want = |kind: EndpointKind, field: &str| match (kind, field) {
        (EndpointKind::Anthropic, _) => json!([
            { "type": "thinking", "thinking": text, "signature": "sig-1" }, { "type": "redacted_thinking", "data": "xyz" },
        ]),
        (EndpointKind::Gemini, _) => json!([
            { "text": text, "thought": true }, { "functionCall": { "name": "look", "args": { "at": 1 } }, "thoughtSignature": "sig-1" },
        ]),
        (_, "reasoning_details") => json!([{ "type": "reasoning.text", "text": text, "index": 0, "signature": "sig" }]),
        _ => json!(text),
    };
    let cases = [
        (EndpointKind::OpenAi, "reasoning_content"),
        (EndpointKind::OpenAi, "reasoning"),
        (EndpointKind::OpenAi, "reasoning_details"),
        (EndpointKind::Anthropic, "thinking"),
        (EndpointKind::Gemini, "thought"),
    ];
    for (kind, field) in cases {
        for stream in [true, false] {
            let server = ModelServer::start().await;
            server.reply("m", move |ask| match ask.messages.iter().any(|(role, _)| role == "tool") {
                false => Say { thinking: Thinking::of(50, Form::Field(field)), ..Say::call("look", json!({ "at": 1 })) },
                true => Say::text("Seen."),
            });
            let model = model(EndpointConfig { stream, ..endpoint(&server, kind) }, "m");
            let mut asking = Request { tools: vec![tool.clone()], ..request("m") };
            let first = model.call(&asking, &sent(9_000, None)).await.expect("answers");
            let call = first.tool_calls.first().expect("a call").clone();
            asking.messages.push(Message::Assistant { text: first.text, tool_calls: first.tool_calls, thinking: first.thinking });
            asking.messages.push(Message::Tool { call_id: call.id, name: call.name, output: "three".into() });
            model.call(&asking, &sent(9_000, None)).await.expect("answers");
            let body = server.requests()[1].body.clone();
            let back = match kind {
                EndpointKind::Anthropic => {
                    let content = body["messages"][1]["content"].as_array().expect("blocks").clone();
                    assert_eq!(content[2]["type"], "tool_use", "{content:?}");
                    Value::Array(content[..2].to_vec())
                }
                EndpointKind::Gemini => body["contents"][1]["parts"].clone(),
                _ => body["messages"][2][field].clone(),
            };
            assert_eq!(back, want(kind, field), "{kind:?} {field}, stream {stream}");
        }
    }
}

/// A provider that wants the list back in which its model thought.
#[tokio::test]
async fn a_list_of_contents_goes_back_as_a_list() {
    for stream in [true, false] {
        let server = ModelServer::start().await;
        server.reply("m", |_| Say { thinking: Thinking::of(3, Form::List), ..Say::call("look", json!({})) });
        let model = model(EndpointConfig { stream, ..endpoint(&server, EndpointKind::OpenAi) }, "m");
        let tool = ToolDef { name: "look".into(), description: "Looks.".into(), input: json!({ "type": "object" }) };
        let mut asking = Request { tools: vec![tool], ..request("m") };
        let first = model.call(&asking, &context()).await.expect("answers");
        asking.messages.push(Message::Assistant { text: first.text, tool_calls: first.tool_calls, thinking: first.thinking });
        model.call(&asking, &context()).await.expect("answers");
        let content = server.requests()[1].body["messages"][2]["content"].clone();
        assert_eq!(content, json!([{ "type": "thinking", "thinking": [{ "type": "text", "text": "hm, hm, hm, " }] }]), "stream {stream}");
    }
}

/// Refuses with a 400 as long as `wrong` holds of a request, in the words given.
fn refusing(server: &ModelServer, id: &str, message: &'static str, wrong: impl Fn(&Ask) -> bool + Send + Sync + 'static) {
    server.reply(id, move |ask| if wrong(ask) { Say::fault(Fault::Status(400, message.to_owned())) } else { Say::text("Yes.") });
}

struct Refusal {
    kind: EndpointKind,
    model: &'static str,
    effort: Option<Effort>,
    message: &'static str,
    wrong: fn(&Ask) -> bool,
    /// What the reply says was changed.
    changed: &'static str,
}

/// Each parameter a provider refuses is changed once, said with the reply, and remembered for the next call.
#[tokio::test]
async fn what_a_400_names_is_changed_once_and_remembered() {
    use EndpointKind::{Anthropic, Gemini, OpenAi};
    let refusals = [
        Refusal {
            kind: OpenAi,
            model: "m",
            effort: None,
            message: "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.",
            wrong: |ask| ask.body.get("temperature").is_some(),
            changed: "temperature left out",
        },
        Refusal {
            kind: OpenAi,
            model: "m",
            effort: None,
            message: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            wrong: |ask| ask.body.get("max_tokens").is_some(),
            changed: "the limit named max_completion_tokens",
        },
        Refusal {
            kind: OpenAi,
            model: "gpt-7",
            effort: None,
            message: "Unrecognized request argument supplied: max_completion_tokens",
            wrong: |ask| ask.body.get("max_completion_tokens").is_some(),
            changed: "the limit named max_tokens",
        },
        Refusal {
            kind: OpenAi,
            model: "m",
            effort: Some(Effort::None),
            message: "Unsupported value: 'reasoning_effort' does not support 'none' with this model. Supported values are: 'low', 'medium', and 'high'.",
            wrong: |ask| ask.body["reasoning_effort"] == "none",
            changed: "effort low instead of none",
        },
        Refusal {
            kind: OpenAi,
            model: "m",
            effort: Some(Effort::High),
            message: "Unsupported parameter: 'reasoning_effort' is not supported with this model.",
            wrong: |ask| ask.body.get("reasoning_effort").is_some(),
            changed: "effort high left out",
        },
        Refusal {
            kind: OpenAi,
            model: "m",
            effort: None,
            message: "max_tokens is too large: 9000. This model supports at most 4096 completion tokens.",
            wrong: |ask| ask.max_tokens.is_some_and(|tokens| tokens > 4096),
            changed: "a limit of 4096 tokens instead of 9000",
        },
        Refusal {
            kind: OpenAi,
            model: "m",
            effort: None,
            message: "Unknown parameter: stream_options",
            wrong: |ask| ask.body.get("stream_options").is_some(),
            changed: "stream_options left out",
        },
        Refusal {
            kind: Anthropic,
            model: "claude-opus-4-5",
            effort: Some(Effort::High),
            message: "thinking.type.enabled is not supported for this model. Use thinking.type.adaptive and output_config.effort.",
            wrong: |ask| ask.body["thinking"]["type"] == "enabled",
            changed: "thought asked for in the provider's other way",
        },
        Refusal {
            kind: Anthropic,
            model: "claude-opus-5-5",
            effort: Some(Effort::None),
            message: "thinking: this model cannot have thinking disabled",
            wrong: |ask| ask.body["thinking"]["type"] == "disabled",
            changed: "effort minimal instead of none",
        },
        Refusal {
            kind: Anthropic,
            model: "claude-3-5-haiku",
            effort: None,
            message: "max_tokens: 9000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-haiku",
            wrong: |ask| ask.max_tokens.is_some_and(|tokens| tokens > 8192),
            changed: "a limit of 8192 tokens instead of 9000",
        },
        Refusal {
            kind: Anthropic,
            model: "claude-fable-9",
            effort: None,
            message: "`temperature` is deprecated for this model",
            wrong: |ask| ask.body.get("temperature").is_some(),
            changed: "temperature left out",
        },
        Refusal {
            kind: Gemini,
            model: "gemini-3-pro",
            effort: Some(Effort::High),
            message: "Thinking level is not supported for this model.",
            wrong: |ask| ask.body.pointer("/generationConfig/thinkingConfig/thinkingLevel").is_some(),
            changed: "thought asked for in the provider's other way",
        },
        Refusal {
            kind: Gemini,
            model: "gemini-2.5-flash",
            effort: Some(Effort::High),
            message: "thinking_budget is not supported by this model; use thinking_level",
            wrong: |ask| ask.body.pointer("/generationConfig/thinkingConfig/thinkingBudget").is_some(),
            changed: "thought asked for in the provider's other way",
        },
        Refusal {
            kind: Gemini,
            model: "gemini-1",
            effort: None,
            message: "it has a maxOutputTokens value of 9000 but the supported range is from 1 (inclusive) to 8193 (exclusive).",
            wrong: |ask| ask.max_tokens.is_some_and(|tokens| tokens > 8192),
            changed: "a limit of 8192 tokens instead of 9000",
        },
    ];
    for Refusal { kind, model, effort, message, wrong, changed } in refusals {
        let server = ModelServer::start().await;
        refusing(&server, model, message, wrong);
        let model_ = super::common::model(endpoint(&server, kind), model);
        let asking = Request { effort, ..request(model) };
        let first = model_.call(&asking, &sent(9_000, effort)).await.unwrap_or_else(|failure| panic!("{message}: {failure}"));
        assert_eq!((first.text.as_str(), first.changed.as_slice()), ("Yes.", &[changed.to_owned()][..]), "{message}");
        let second = model_.call(&asking, &sent(9_000, effort)).await.expect("answers");
        assert_eq!((server.total(), second.changed), (3, Vec::new()), "{message}: it is only asked once");
    }
}

/// A refused effort is looked up, and grows its room, as what really goes out; beside tools it is given up, and only there.
#[tokio::test]
async fn an_effort_that_is_refused_is_recorded_as_what_went_out() {
    let server = ModelServer::start().await;
    let refused = |ask: &Ask| ask.body.get("reasoning_effort").is_some();
    server.reply("m", move |ask| match refused(ask) {
        true => Say::fault(Fault::Status(400, "Unsupported parameter: 'reasoning_effort' is not supported with this model.".into())),
        false => Say { thinking: Thinking::of(20_000, Form::Hidden), ..Say::text("Yes.") },
    });
    let registry = registry(endpoint(&server, EndpointKind::OpenAi));
    let model = open(&registry, "m");
    let asking = Request { effort: Some(Effort::High), ..request("m") };
    model.call(&asking, &sent(60_000, Some(Effort::High))).await.expect("answers");
    assert_eq!(model.sending(&asking, Tier::Heavy), Sending { tokens: 321 + 40_000, effort: None });

    let message = "Function tools with reasoning_effort are not supported for this model in /v1/chat/completions.";
    server.reply("n", move |ask| match ask.tools.is_empty() || ask.body["reasoning_effort"] == "none" {
        true => Say::text("Yes."),
        false => Say::fault(Fault::Status(400, message.into())),
    });
    let tool = ToolDef { name: "look".into(), description: "Looks.".into(), input: json!({ "type": "object" }) };
    let model = open(&registry, "n");
    let plain = Request { effort: Some(Effort::High), ..request("n") };
    let with_tools = Request { tools: vec![tool], ..plain.clone() };
    let reply = model.call(&with_tools, &sent(9_000, Some(Effort::High))).await.expect("answers");
    assert_eq!(reply.changed, ["effort none instead of high, because of the tools"]);
    assert_eq!(model.sending(&with_tools, Tier::Heavy).effort, Some(Effort::None));
    assert_eq!(model.sending(&plain, Tier::Heavy).effort, Some(Effort::High), "without tools it thinks as hard as it is set to");
}

/// Frames no provider should send, and some that they do: none is a panic, and no reply that was paid for is lost over them.
#[tokio::test]
async fn strange_frames_of_the_newer_wires_are_read_or_refused_and_never_panic() {
    let gemini = |frames: &[&str]| frames.iter().map(|frame| format!("data: {frame}\n\n")).collect::<String>();
    let said = r#"{"candidates":[{"content":{"parts":[{"text":"Yes."}]},"finishReason":"STOP"}]}"#;
    let table: Vec<(EndpointKind, String, Option<&str>)> = vec![
        (EndpointKind::Gemini, gemini(&[r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#]), Some("the prompt was blocked (SAFETY)")),
        (EndpointKind::Gemini, gemini(&[said, r#"{"usageMetadata":{"promptTokenCount":3,"totalTokenCount":9}}"#]), Some("Yes.")),
        (EndpointKind::Gemini, gemini(&[r#"{"candidates":[]}"#, said, "[DONE]"]), Some("Yes.")),
        (EndpointKind::Gemini, gemini(&[r#"{"candidates":"many"}"#, r#"{"candidates":["x"]}"#, r#"[1]"#, "3"]), None),
        (EndpointKind::Gemini, gemini(&[r#"{"candidates":[{"content":"text","finishReason":"STOP"}]}"#]), Some("")),
        (
            EndpointKind::Gemini,
            gemini(&[
                r#"{"candidates":[{"content":{"parts":[3,{"text":"Yes."}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":18446744073709551615,"candidatesTokenCount":18446744073709551615,"thoughtsTokenCount":18446744073709551615}}"#,
            ]),
            Some("Yes."),
        ),
        (
            EndpointKind::Anthropic,
            gemini(&[
                r#"{"type":"content_block_start","index":0,"content_block":"text"}"#,
                r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Yes."}}"#,
                r#"{"type":"content_block_delta","index":7,"delta":{"type":"thinking_delta","thinking":"hm"}}"#,
                r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":18446744073709551615,"cache_read_input_tokens":9,"output_tokens":4,"output_tokens_details":{"thinking_tokens":900}}}"#,
                "[DONE]",
            ]),
            Some("Yes."),
        ),
        (EndpointKind::Anthropic, gemini(&[r#"{"error":{"type":"overloaded_error","message":"Overloaded"}}"#]), None),
        (EndpointKind::Anthropic, gemini(&["[]", "7", r#"{"type":"content_block_stop","index":3}"#, r#"{"type":"message_stop"}"#]), None),
    ];
    for (kind, body, want) in table {
        let (reply, _) = answered_by(kind, &body).await;
        match (reply, want) {
            (Ok(reply), Some(want)) => assert_eq!(reply.text, want, "{kind:?}: {body}"),
            (Err(_), None) => {}
            (got, want) => panic!("{kind:?}: wanted {want:?}, got {got:?}\n{body}"),
        }
    }
}

/// Blocks that come interleaved, one of them never closed, and a call whose input was cut.
#[tokio::test]
async fn blocks_are_told_apart_by_their_number_and_a_cut_call_is_none() {
    let frames = [
        r#"{"type":"message_start","message":{"usage":{"input_tokens":3}}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"look","input":{}}}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"b","name":"look","input":{}}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"at\":"}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"at\":2}"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"1}"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"c","name":"look","input":{}}}"#,
        r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"at\": \"thr"}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":9}}"#,
        r#"{"type":"message_stop"}"#,
    ];
    let body: String = frames.iter().map(|frame| format!("data: {frame}\n\n")).collect();
    let (reply, _) = answered_by(EndpointKind::Anthropic, &body).await;
    let reply = reply.expect("a reply");
    let calls: Vec<(&str, &Value)> = reply.tool_calls.iter().map(|call| (call.id.as_str(), &call.input["at"])).collect();
    assert_eq!(calls, [("a", &json!(1)), ("b", &json!(2))]);
}

/// What an endpoint cannot make anybody hold: a stream of one call's input without end.
#[tokio::test]
async fn a_stream_that_never_ends_is_left() {
    let piece = "x".repeat(1 << 16);
    let frame = format!("data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{{\"index\":0,\"function\":{{\"arguments\":\"{piece}\"}}}}]}}}}]}}\n\n");
    let (reply, _) = answered_by(EndpointKind::OpenAi, &frame.repeat(700)).await;
    let reply = reply.expect("what came before the cut");
    assert!(reply.overran && reply.finish == Finish::Length && reply.tool_calls.is_empty() && reply.unseen_tokens > 1000, "{reply:?}");
    // What is no output at all is not read for ever either.
    let (reply, _) = answered_by(EndpointKind::OpenAi, &format!(": {piece}\n\n").repeat(700)).await;
    let failure = reply.expect_err("too much");
    assert!(failure.detail.contains("sent more than 16777216 bytes"), "{failure}");
}

#[tokio::test]
async fn a_schema_that_is_refused_is_put_into_the_prompt() {
    let server = ModelServer::start().await;
    server.reply("m", |ask| match ask.schema_in_prompt {
        true => Say::by_default(ask, 8),
        false => Say::fault(Fault::Status(400, "response_format of type 'json_schema' is not supported by this model".into())),
    });
    let asking = Request { schema: Some(ballot()), ..request("m") };
    let reply = model(endpoint(&server, EndpointKind::OpenAi), "m").call(&asking, &context()).await.expect("answers");
    assert!(reply.text.contains("```json") && reply.changed.len() == 1, "{reply:?}");
}

/// A context that holds the prompt and the words, and not all the room to think beside them.
#[tokio::test]
async fn a_small_context_leaves_less_room_and_no_failure() {
    let server = ModelServer::start().await;
    let message =
        "This model's maximum context length is 4096 tokens. However, you requested 9041 tokens (41 in the messages, 9000 in the completion).";
    refusing(&server, "m", message, |ask| ask.max_tokens.is_some_and(|tokens| tokens > 4055));
    let reply = model(endpoint(&server, EndpointKind::OpenAi), "m").call(&request("m"), &sent(9_000, None)).await.expect("answers");
    assert_eq!(reply.changed, ["a limit of 4055 tokens instead of 9000"]);
}

#[tokio::test]
async fn what_cannot_be_mended_fails_at_once_and_refusals_without_end_end() {
    let server = ModelServer::start().await;
    refusing(&server, "m", "the flux is inverted", |_| true);
    call(endpoint(&server, EndpointKind::OpenAi), "m").await.expect_err("nothing explains it");
    assert_eq!(server.total(), 1);
    refusing(&server, "n", "max_tokens exceeds what is left", |_| true);
    model(endpoint(&server, EndpointKind::OpenAi), "n").call(&request("n"), &sent(4_000_000, None)).await.expect_err("it never fits");
    assert!(server.of_model("n") <= 9, "{} tries", server.of_model("n"));
}

#[tokio::test]
async fn an_old_reasoner_does_not_get_its_thoughts_back() {
    let server = ModelServer::start().await;
    refusing(&server, "m", "reasoning_content is not allowed in input messages", |ask| ask.body["messages"][2].get("reasoning_content").is_some());
    let mut asking = request("m");
    asking.messages.push(Message::Assistant { text: "a".into(), tool_calls: Vec::new(), thinking: Some(json!({ "reasoning_content": "hm" })) });
    let reply = model(endpoint(&server, EndpointKind::OpenAi), "m").call(&asking, &context()).await.expect("answers");
    assert_eq!(reply.changed, ["its own thoughts left out"]);
}

/// The room grows to twice what a model was seen to think, and a starved reply teaches too.
#[tokio::test]
async fn a_model_that_thinks_long_gets_more_room_the_next_time() {
    let server = ModelServer::start().await;
    server.thinks("m", Thinking::of(20_000, Form::Hidden));
    let registry = registry(endpoint(&server, EndpointKind::OpenAi));
    let model = open(&registry, "m");
    let first = model.sending(&request("m"), Tier::Heavy);
    assert_eq!(first.tokens, 321 + 8_192);
    let starved = model.call(&request("m"), &sent(first.tokens, None)).await.expect("answers");
    assert!(starved.starved());
    let room = model.sending(&request("m"), Tier::Heavy).tokens;
    assert_eq!(room, 321 + 2 * 8_513, "what starved thought at least that much");
    model.call(&request("m"), &sent(60_000, None)).await.expect("answers");
    assert_eq!(model.sending(&request("m"), Tier::Heavy).tokens, 321 + 40_000);
    assert_eq!(open(&registry, "another").sending(&request("another"), Tier::Heavy).tokens, 321 + 8_192, "each model for itself");
}

/// A model that is known to think may be silent for as long as a turn may last; one that is not, for as long as any.
#[tokio::test]
async fn silence_is_no_sign_of_death_in_a_model_that_thinks() {
    let server = ModelServer::start().await;
    server.script("m", Fault::latency_ms(300));
    let registry = registry(EndpointConfig { retries: 0, ..endpoint(&server, EndpointKind::OpenAi) });
    let model: Arc<dyn synod_engine::Model> = open(&registry, "m");
    let short = |effort| CallContext { idle_ms: 100, ..sent(9_000, effort) };
    model.call(&request("m"), &short(None)).await.expect_err("silent for too long");
    let asking = Request { effort: Some(Effort::High), ..request("m") };
    model.call(&asking, &short(Some(Effort::High))).await.expect("it was thinking");
}
