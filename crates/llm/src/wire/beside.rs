//! What genai does not carry: a refusal's text, a blocked prompt, and what the provider says a call cost. Read from the raw frames, and only
//! from those that can hold it.

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
        let choice = &body["choices"][0];
        for place in [&choice["delta"]["refusal"], &choice["message"]["refusal"]] {
            if let Some(text) = place.as_str() {
                self.refusal.push_str(text);
            }
        }
        if let Some(reason) = body["promptFeedback"]["blockReason"].as_str() {
            self.refusal = format!("the prompt was blocked ({reason})");
        }
        if let Some(cost) = body["usage"]["cost"].as_f64() {
            self.cost_usd = Some(cost);
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
        // Inside a reply's text these names have backslashes around them and do not match.
        if ["\"refusal\"", "\"blockReason\"", "\"cost\""].iter().any(|name| frame.data.contains(name))
            && let Some(body) = frame.json()
        {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).read(&body);
        }
    }
}
