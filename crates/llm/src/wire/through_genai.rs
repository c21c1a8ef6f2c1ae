//! Anthropic's and Gemini's formats, through genai: its events and replies brought into our words, and its traps kept in here.

use super::classify::Call;
use super::extras::Sink;
use super::request::{self, Ask};
use super::{Feed, WireReply, most_bytes, too_much};
use crate::endpoint::fault::Fault;
use futures::StreamExt;
use genai::chat::{ChatStreamEvent, ContentPart};
use std::sync::Arc;
use synod_types::{Request, ToolCall, Usage};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Anthropic,
    Gemini,
}

pub(super) async fn attempt(
    client: &genai::Client,
    format: Format,
    request: &Request,
    ask: Ask,
    call: &Call<'_>,
    mut feed: Feed<'_>,
) -> Result<WireReply, Fault> {
    let config = &call.endpoint.config;
    let target = request::target(format, config, &request.model, call.key);
    let chat = request::chat(request, ask, config.web_search);
    // genai takes the pieces of Anthropic's own search for text and breaks off.
    let streamed = config.stream && !(format == Format::Anthropic && config.web_search && !request.tools.is_empty());
    let mut options = request::options(format, request, config, ask, streamed.then_some(call.idle), call.with_temperature);
    if !streamed {
        let reply_so_far = match client.exec_chat(target, chat, Some(&options)).await {
            Ok(response) => whole(response),
            Err(error) => blocked(&error).ok_or_else(|| call.fault(&error))?,
        };
        feed.push(&reply_so_far.text);
        return Ok(reply_so_far);
    }
    let sink = (format == Format::Gemini).then(|| Arc::new(Sink::default()));
    if let Some(sink) = &sink {
        options = options.with_raw_frame_sink_arc(sink.clone());
    }
    let stream = client.exec_chat_stream(target, chat, Some(&options)).await.map_err(|error| call.fault(&error))?;
    let mut reply_so_far = listen(stream.stream, format, feed, call, request.max_tokens, sink.as_deref()).await?;
    if let Some(sink) = sink {
        reply_so_far.extras = sink.take();
    }
    Ok(reply_so_far)
}

async fn listen(
    mut stream: genai::chat::ChatStream,
    format: Format,
    mut feed: Feed<'_>,
    call: &Call<'_>,
    max_tokens: u32,
    sink: Option<&Sink>,
) -> Result<WireReply, Fault> {
    let mut reply_so_far = WireReply::default();
    while let Some(event) = stream.next().await {
        match event {
            Ok(ChatStreamEvent::Chunk(chunk)) => {
                feed.push(&chunk.content);
                reply_so_far.begun |= !chunk.content.is_empty();
                if reply_so_far.text.is_empty() {
                    reply_so_far.text = chunk.content;
                } else {
                    reply_so_far.text.push_str(&chunk.content);
                }
                if reply_so_far.text.len() > most_bytes(max_tokens) {
                    return Err(too_much(call, max_tokens));
                }
            }
            Ok(ChatStreamEvent::End(end)) => {
                reply_so_far.stop = end.captured_stop_reason;
                reply_so_far.usage = end.captured_usage.as_ref().and_then(tokens);
                let calls = end.captured_content.map(|content| content.into_tool_calls()).unwrap_or_default();
                reply_so_far.tool_calls = calls.into_iter().map(tool_call).collect();
                // Gemini's adapter ends a cut stream as if it were whole; only the missing reason tells.
                if reply_so_far.stop.is_none() && format == Format::Gemini && !sink.is_some_and(Sink::has_refusal) {
                    break;
                }
                return Ok(reply_so_far);
            }
            Ok(ChatStreamEvent::ReasoningChunk(chunk) | ChatStreamEvent::ThoughtSignatureChunk(chunk)) => {
                reply_so_far.begun |= !chunk.content.is_empty()
            }
            Ok(ChatStreamEvent::ToolCallChunk(_)) => reply_so_far.begun = true,
            Ok(ChatStreamEvent::Start | ChatStreamEvent::Heartbeat) => {}
            Err(_) if sink.is_some_and(Sink::has_refusal) => return Ok(reply_so_far),
            Err(error) => {
                let fault = call.fault(&error);
                return Err(if reply_so_far.begun { fault.after_output() } else { fault });
            }
        }
    }
    Err(call.broken("the stream ended before the reply did"))
}

fn whole(response: genai::chat::ChatResponse) -> WireReply {
    let mut reply_so_far = WireReply { stop: response.stop_reason, usage: tokens(&response.usage), ..WireReply::default() };
    if let Some(body) = &response.captured_raw_body {
        reply_so_far.extras.read(body);
    }
    for part in response.content.into_parts() {
        match part {
            ContentPart::Text(text) if reply_so_far.text.is_empty() => reply_so_far.text = text,
            ContentPart::Text(text) => reply_so_far.text.push_str(&text),
            ContentPart::ToolCall(call) => reply_so_far.tool_calls.push(tool_call(call)),
            ContentPart::Custom(custom) => reply_so_far.extras.read_block(&custom.data),
            _ => {}
        }
    }
    reply_so_far
}

/// Gemini answers a blocked prompt with a body that is no reply; the reason is in it.
fn blocked(error: &genai::Error) -> Option<WireReply> {
    let genai::Error::ChatResponseGeneration { response_body, .. } = error else { return None };
    let mut reply_so_far = WireReply::default();
    reply_so_far.extras.read(response_body);
    (!reply_so_far.extras.refusal.is_empty()).then_some(reply_so_far)
}

fn tool_call(call: genai::chat::ToolCall) -> ToolCall {
    ToolCall { id: call.call_id, name: call.fn_name, input: call.fn_arguments }
}

/// `None` when the provider said nothing: unknown is not zero.
fn tokens(usage: &genai::chat::Usage) -> Option<Usage> {
    let count = |tokens: Option<i32>| tokens.and_then(|tokens| u64::try_from(tokens).ok());
    let (input, output) = (count(usage.prompt_tokens), count(usage.completion_tokens));
    if input.is_none() && output.is_none() {
        return None;
    }
    let cached = usage.prompt_tokens_details.as_ref().and_then(|details| count(details.cached_tokens));
    Some(Usage { input: input.unwrap_or(0), output: output.unwrap_or(0), cached: cached.unwrap_or(0) })
}
