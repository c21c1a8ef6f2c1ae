//! OpenAI's chat completions: the format most servers speak, and its streams are the hot path. A frame is read into the few fields that matter,
//! without a tree of JSON values. Lenient towards the many servers that almost speak it; strict about a reply that is not whole.

mod body;
mod frame;
mod thoughts;

use super::classify::Call;
use super::transport::{Format, Post, send};
use super::{Feed, WireReply};
use crate::endpoint::fault::Fault;
use body::Body;
use frame::Frame;
use thoughts::Thoughts;

pub(super) async fn attempt(client: &reqwest::Client, call: &Call<'_>, feed: &mut Feed<'_>) -> Result<WireReply, Fault> {
    let config = &call.endpoint.config;
    let body = Body::of(call.request, config, call.shape).bytes();
    let post = Post { url: call.endpoint.address("chat/completions"), body, stream: config.stream };
    // Only a model that was offered tools may want its thoughts back.
    let mut format = OpenAi::new(!call.request.tools.is_empty());
    send(client, post, call, &mut format, feed).await
}

pub(super) struct OpenAi {
    thoughts: Thoughts,
    any: bool,
}

impl OpenAi {
    pub fn new(keeps: bool) -> Self {
        Self { thoughts: Thoughts::new(keeps), any: false }
    }
}

impl Format for OpenAi {
    fn read(&mut self, data: &[u8], call: &Call<'_>, heard: &mut WireReply, feed: &mut Feed<'_>) -> Result<bool, Fault> {
        let frame: Frame<'_> = serde_json::from_slice(data).map_err(|error| call.broken(&format!("a piece of the stream is not JSON: {error}")))?;
        if let Some(error) = &frame.error {
            let fault = call.event(error);
            return Err(if heard.begun || frame.has_output() { fault.after_output() } else { fault });
        }
        self.any |= frame.choice.is_some();
        heard.say(frame.text(), feed);
        frame.add_to(heard, &mut self.thoughts);
        Ok(false)
    }

    fn finish(&mut self, call: &Call<'_>, heard: &mut WireReply) -> Result<(), Fault> {
        if !self.any {
            return Err(call.broken("the body is not a reply: it has no choices"));
        }
        heard.carry = std::mem::take(&mut self.thoughts).carry(&heard.text);
        Ok(())
    }
}
