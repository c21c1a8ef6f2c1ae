//! What lies beside the text: a refusal's own words, a blocked prompt, what the provider's own search found, and what it says a call cost. genai
//! does not carry what Gemini blocks and finds: that is read from the raw frames, and only from those that can hold it.

use genai::chat::{ChatFrameSink, FrameCtx, RawFrameRef};
use serde_json::Value;
use std::sync::{Mutex, PoisonError};
use synod_types::{Search, Source};

#[derive(Clone, Debug, Default)]
pub(super) struct ReplyExtras {
    pub refusal: String,
    pub cost_usd: Option<f64>,
    pub search: Search,
}

impl ReplyExtras {
    /// From a whole body, or from one frame of a stream.
    pub fn read(&mut self, body: &Value) {
        if let Some(reason) = body["promptFeedback"]["blockReason"].as_str() {
            self.refusal = format!("the prompt was blocked ({reason})");
        }
        let grounding = &body["candidates"][0]["groundingMetadata"];
        for query in grounding["webSearchQueries"].as_array().into_iter().flatten() {
            self.sought(query);
        }
        for chunk in grounding["groundingChunks"].as_array().into_iter().flatten() {
            self.found(&chunk["web"]["title"], &chunk["web"]["uri"]);
        }
    }

    /// A block of an Anthropic reply that genai has no name for.
    pub fn read_block(&mut self, block: &Value) {
        match block["type"].as_str() {
            Some("server_tool_use") => self.sought(&block["input"]["query"]),
            // In place of a list there is an object when the search failed.
            Some("web_search_tool_result") => {
                block["content"].as_array().into_iter().flatten().for_each(|result| self.found(&result["title"], &result["url"]));
            }
            _ => {}
        }
    }

    pub fn sought(&mut self, query: &Value) {
        if let Some(query) = query.as_str().filter(|query| !self.search.queries.iter().any(|known| known == query)) {
            self.search.queries.push(query.to_owned());
        }
    }

    /// One address is one source, however often the text points to it.
    pub fn found(&mut self, title: &Value, url: &Value) {
        if let Some(url) = url.as_str().filter(|url| !self.search.found.iter().any(|known| known.url == *url)) {
            self.search.found.push(Source { title: title.as_str().unwrap_or_default().to_owned(), url: url.to_owned() });
        }
    }
}

#[derive(Default)]
pub(super) struct Sink(Mutex<ReplyExtras>);

impl Sink {
    pub fn has_refusal(&self) -> bool {
        !self.0.lock().unwrap_or_else(PoisonError::into_inner).refusal.is_empty()
    }

    pub fn take(&self) -> ReplyExtras {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ChatFrameSink for Sink {
    fn on_frame(&self, _: &FrameCtx, frame: RawFrameRef<'_>) {
        // Inside a reply's text the names have backslashes around them and do not match.
        if (frame.data.contains("\"blockReason\"") || frame.data.contains("\"groundingMetadata\""))
            && let Some(body) = frame.json()
        {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).read(&body);
        }
    }
}
