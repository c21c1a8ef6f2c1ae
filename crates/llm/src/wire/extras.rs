//! What lies beside the text: a refusal's own words, what the provider's own search found, and what it says a call cost.

use serde_json::Value;
use synod_types::{Search, Source};

#[derive(Clone, Debug, Default)]
pub(super) struct ReplyExtras {
    pub refusal: String,
    pub cost_usd: Option<f64>,
    pub search: Search,
}

impl ReplyExtras {
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
