//! The ways a provider can misbehave, by name. Faults are applied by `serve`; this file only names them.

use std::time::Duration;

/// What goes wrong with one request. Each wire format spells it the way its provider does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Answers properly, but only after this long.
    Latency(Duration),
    /// Answers properly, with this pause before every streamed piece.
    Drip(Duration),
    /// 429. The text goes out as `Retry-After`.
    RateLimited { retry_after: Option<String> },
    /// 401.
    Unauthorized,
    /// 404: the provider does not know the model.
    ModelGone,
    /// 400: the prompt is longer than the model can read.
    ContextTooLong,
    /// Any other status, with the provider's error body around this message.
    Status(u16, String),
    /// Accepts the request and never answers.
    Hang,
    /// Streams a first piece and then falls silent. Unstreamed: the same as `Hang`.
    Stall,
    /// Ends the stream cleanly, half-way, without the provider's end marker. Unstreamed: half a body, whole as far as HTTP knows.
    CutClean,
    /// Drops the connection in the middle of the body.
    CutDirty,
    /// A well-formed reply with nothing in it.
    Empty,
    /// Prose that ends in broken JSON, whatever was asked for.
    Garbage,
    /// A 200 whose body is not the wire format at all.
    NotTheApi,
    /// The provider's own refusal signal.
    Refusal,
    /// A reply of this many characters, whatever limit was asked for.
    Oversized(usize),
    /// Half of the proper reply, flagged as cut at the token limit.
    Truncated,
    /// The stream starts well and then carries the provider's error event. Unstreamed: 500.
    ErrorMidStream(String),
}

impl Fault {
    pub fn latency_ms(ms: u64) -> Self {
        Self::Latency(Duration::from_millis(ms))
    }
    pub fn drip_ms(ms: u64) -> Self {
        Self::Drip(Duration::from_millis(ms))
    }
    pub fn rate_limited(retry_after: &str) -> Self {
        Self::RateLimited { retry_after: Some(retry_after.to_owned()) }
    }
    pub fn server_error() -> Self {
        Self::Status(500, "The server had an error while processing your request".to_owned())
    }
}
