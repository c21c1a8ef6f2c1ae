//! Anthropic's and Gemini's formats, through genai: its events and replies brought into our words, and its traps kept in here.

use super::beside::Sink;
use super::classify::Call;
use super::request::{self, Ask};
use super::{Feed, Heard, most_bytes, too_much};
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
) -> Result<Heard, Fault> {
    let config = &call.endpoint.config;
    let target = request::target(format, config, &request.model, call.key);
    let chat = request::chat(request, ask, config.web_search);
    // genai takes the pieces of Anthropic's own search for text and breaks off.
    let streamed = config.stream && !(format == Format::Anthropic && config.web_search && !request.tools.is_empty());
    let mut options = request::options(format, request, config, ask, streamed.then_some(call.idle), call.with_temperature);
    if !streamed {
        let heard = match client.exec_chat(target, chat, Some(&options)).await {
            Ok(response) => whole(response),
            Err(error) => blocked(&error).ok_or_else(|| call.fault(&error))?,
        };
        feed.push(&heard.text);
        return Ok(heard);
    }
    let sink = (format == Format::Gemini).then(|| Arc::new(Sink::default()));
    if let Some(sink) = &sink {
        options = options.with_raw_frame_sink_arc(sink.clone());
    }
    let stream = client.exec_chat_stream(target, chat, Some(&options)).await.map_err(|error| call.fault(&error))?;
    let mut heard = listen(stream.stream, format, feed, call, request.max_tokens, sink.as_deref()).await?;
    if let Some(sink) = sink {
        heard.beside = sink.take();
    }
    Ok(heard)
}

async fn listen(
    mut stream: genai::chat::ChatStream,
    format: Format,
    mut feed: Feed<'_>,
    call: &Call<'_>,
    max_tokens: u32,
    sink: Option<&Sink>,
) -> Result<Heard, Fault> {
    let mut heard = Heard::default();
    while let Some(event) = stream.next().await {
        match event {
            Ok(ChatStreamEvent::Chunk(chunk)) => {
                feed.push(&chunk.content);
                heard.begun |= !chunk.content.is_empty();
                if heard.text.is_empty() {
                    heard.text = chunk.content;
                } else {
                    heard.text.push_str(&chunk.content);
                }
                if heard.text.len() > most_bytes(max_tokens) {
                    return Err(too_much(call, max_tokens));
                }
            }
            Ok(ChatStreamEvent::End(end)) => {
                heard.stop = end.captured_stop_reason;
                heard.usage = end.captured_usage.as_ref().and_then(tokens);
                let calls = end.captured_content.map(|content| content.into_tool_calls()).unwrap_or_default();
                heard.tool_calls = calls.into_iter().map(tool_call).collect();
                // Gemini's adapter ends a cut stream as if it were whole; only the missing reason tells.
                if heard.stop.is_none() && format == Format::Gemini && !sink.is_some_and(Sink::has_refusal) {
                    break;
                }
                return Ok(heard);
            }
            Ok(ChatStreamEvent::ReasoningChunk(chunk) | ChatStreamEvent::ThoughtSignatureChunk(chunk)) => heard.begun |= !chunk.content.is_empty(),
            Ok(ChatStreamEvent::ToolCallChunk(_)) => heard.begun = true,
            Ok(ChatStreamEvent::Start | ChatStreamEvent::Heartbeat) => {}
            Err(_) if sink.is_some_and(Sink::has_refusal) => return Ok(heard),
            Err(error) => {
                let fault = call.fault(&error);
                return Err(if heard.begun { fault.after_output() } else { fault });
            }
        }
    }
    Err(call.broken("the stream ended before the reply did"))
}

fn whole(response: genai::chat::ChatResponse) -> Heard {
    let mut heard = Heard { stop: response.stop_reason, usage: tokens(&response.usage), ..Heard::default() };
    if let Some(body) = &response.captured_raw_body {
        heard.beside.read(body);
    }
    for part in response.content.into_parts() {
        match part {
            ContentPart::Text(text) if heard.text.is_empty() => heard.text = text,
            ContentPart::Text(text) => heard.text.push_str(&text),
            ContentPart::ToolCall(call) => heard.tool_calls.push(tool_call(call)),
            ContentPart::Custom(custom) => heard.beside.read_block(&custom.data),
            _ => {}
        }
    }
    heard
}

/// Gemini answers a blocked prompt with a body that is no reply; the reason is in it.
fn blocked(error: &genai::Error) -> Option<Heard> {
    let genai::Error::ChatResponseGeneration { response_body, .. } = error else { return None };
    let mut heard = Heard::default();
    heard.beside.read(response_body);
    (!heard.beside.refusal.is_empty()).then_some(heard)
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
