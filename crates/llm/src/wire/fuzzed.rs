//! The readers of all wire formats without a socket, for whoever throws bytes at them.

use super::classify::{Call, Mended};
use super::openai::OpenAi;
use super::shape::Shape;
use super::transport::{Format, Stream, finished, read_body};
use super::{Feed, anthropic::Anthropic, gemini::Gemini, read};
use crate::endpoint::Endpoint;
use crate::learned::{Habits, Learned};
use crate::scrub::Secrets;
use std::sync::Mutex;
use std::time::Duration;
use synod_config::{EndpointConfig, EndpointKind};
use synod_types::{Failure, Message, Reply, Request, Sending, ToolDef};

/// The reply that these bytes are: a stream in pieces of this size, or a whole body.
pub fn read_reply(kind: EndpointKind, stream: Option<usize>, bytes: &[u8]) -> Result<Reply, Failure> {
    let config = EndpointConfig::new(kind, "http://127.0.0.1:9/v1");
    let endpoint = Endpoint::new("it", config.clone());
    let tool = ToolDef { name: "look".into(), description: String::new(), input: serde_json::json!({"type": "object"}) };
    let messages = vec![Message::user("Which is heavier?")];
    let request =
        Request { model: "m".into(), messages, schema: None, tools: vec![tool], temperature: None, max_tokens: 300, effort: None, hint: None };
    let shape = Shape::of(&request, Sending { tokens: 300, effort: None }, &config, &Habits::default(), None);
    let (learned, mended, idle) = (Learned::default(), Mutex::new(Mended::default()), Duration::from_secs(1));
    let secrets = Secrets::default();
    let call = Call {
        endpoint: &endpoint,
        key: None,
        secrets: &secrets,
        idle,
        quiet: idle,
        request: &request,
        shape: &shape,
        learned: &learned,
        mended: &mended,
    };
    let mut feed = Feed::new(None, shape.ask, Secrets::default());
    let mut format: Box<dyn Format> = match kind {
        EndpointKind::Anthropic => Box::new(Anthropic::new(true)),
        EndpointKind::Gemini => Box::new(Gemini::new(true)),
        EndpointKind::OpenAi | EndpointKind::Rehearsal | EndpointKind::Cassette => Box::new(OpenAi::new(true)),
    };
    let heard = match stream {
        Some(piece) => Stream::of_bytes(bytes, piece, &call, &mut *format, &mut feed),
        None => {
            read_body(bytes, "application/json", &call, &mut *format, &mut feed).and_then(|heard| finished(heard, &call, &mut *format, &mut feed))
        }
    };
    heard.and_then(|heard| read(heard, &call)).map_err(|fault| fault.failure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KINDS: [EndpointKind; 3] = [EndpointKind::OpenAi, EndpointKind::Anthropic, EndpointKind::Gemini];

    /// Pieces that streams and bodies are made of, whole and broken.
    const PIECES: &[&str] = &[
        "data: ",
        "\n",
        "\r",
        "\n\n",
        "\u{feff}",
        ": hush\n\n",
        "[DONE]",
        "event: x\n",
        "{",
        "}",
        "[",
        "]",
        "\"",
        ",",
        ":",
        "null",
        "-1",
        "1e999",
        "\\u00",
        "18446744073709551615",
        "é",
        "<think>",
        "</think>",
        r#"{"choices":[{"delta":{"content":"word"}}]}"#,
        r#"{"choices":[{"delta":{"reasoning":"hm","tool_calls":[{"index":9,"id":"a","function":{"name":"look","arguments":"{\"a\""}}]}}]}"#,
        r#"{"choices":[{"delta":{"refusal":"no"},"finish_reason":"stop"}],"usage":{"prompt_tokens":-1,"completion_tokens":2,"cost":-1}}"#,
        r#"{"choices":[{"message":{"content":[{"type":"text","text":"w"},{"type":"thinking","thinking":[]}]},"finish_reason":"length"}]}"#,
        r#"{"type":"message_start","message":{"usage":{"input_tokens":3}}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"look","input":{}}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"at\":"}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"word"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}"#,
        r#"{"type":"message_stop"}"#,
        r#"{"type":"error","error":{"type":"overloaded_error","message":"x"}}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":"w"},{"functionCall":{"name":"look","args":[]}},{"thought":true,"text":"hm"}]},"finishReason":"STOP"}]}"#,
        r#"{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":1,"totalTokenCount":0}}"#,
        r#"{"error":{"code":429,"message":"slow"}}"#,
    ];

    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            6 => prop::sample::select(PIECES).prop_map(|piece| piece.as_bytes().to_vec()),
            3 => prop::sample::select(PIECES).prop_map(|piece| format!("data: {piece}\n\n").into_bytes()),
            1 => prop::collection::vec(any::<u8>(), 0..6),
        ];
        prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn no_bytes_break_a_reader_and_it_does_not_matter_where_they_are_cut(bytes in bytes(), piece in 1..40_usize) {
            for kind in KINDS {
                let whole = read_reply(kind, Some(bytes.len().max(1)), &bytes);
                let pieces = read_reply(kind, Some(piece), &bytes);
                prop_assert_eq!(whole.is_ok(), pieces.is_ok(), "{:?}: {:?}", kind, String::from_utf8_lossy(&bytes));
                if let (Ok(whole), Ok(pieces)) = (whole, pieces) {
                    prop_assert_eq!(&whole, &pieces);
                    prop_assert!(whole.text.len() < 4096);
                }
                let _ = read_reply(kind, None, &bytes);
            }
        }
    }
}
