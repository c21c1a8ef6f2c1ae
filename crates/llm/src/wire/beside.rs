//! What lies beside the text: a refusal's own words, a blocked prompt, and what the provider says a call cost. genai does not carry Gemini's
//! blocked prompts: they are read from the raw frames, and only from those that can hold one.

use genai::chat::{ChatFrameSink, FrameCtx, RawFrameRef};
use serde_json::Value;
use std::sync::{Mutex, PoisonError};

#[derive(Clone, Debug, Default)]
pub(super) struct Beside {
    pub refusal: String,
    pub cost_usd: Option<f64>,
}

impl Beside {
    /// From a whole body, or from one frame of a stream.
    pub fn read(&mut self, body: &Value) {
        if let Some(reason) = body["promptFeedback"]["blockReason"].as_str() {
            self.refusal = format!("the prompt was blocked ({reason})");
        }
    }
}

#[derive(Default)]
pub(super) struct Sink(Mutex<Beside>);

impl Sink {
    pub fn has_refusal(&self) -> bool {
        !self.0.lock().unwrap_or_else(PoisonError::into_inner).refusal.is_empty()
    }

    pub fn take(&self) -> Beside {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ChatFrameSink for Sink {
    fn on_frame(&self, _: &FrameCtx, frame: RawFrameRef<'_>) {
        // Inside a reply's text the name has backslashes around it and does not match.
        if frame.data.contains("\"blockReason\"")
            && let Some(body) = frame.json()
        {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).read(&body);
        }
    }
}
