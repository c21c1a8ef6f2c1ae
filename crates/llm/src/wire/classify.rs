//! What went wrong, told apart by status and by the provider's own words, and said in ours.

use super::mend::mend;
use super::shape::Shape;
use crate::endpoint::breaker::Health;
use crate::endpoint::fault::{Fault, LONGEST_WAIT, Retry};
use crate::endpoint::{Endpoint, seconds};
use crate::learned::Learned;
use crate::scrub::{Secret, Secrets, scrub};
use jiff::civil::DateTime;
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use synod_types::{Failure, FailureKind, Request};

/// One try of one call: what is asked, by whom, and everything a detail may name.
pub(super) struct Call<'a> {
    pub endpoint: &'a Endpoint,
    pub key: Option<&'a Secret>,
    /// The keys of all endpoints: this one may know another's.
    pub secrets: &'a Secrets,
    /// The longest silence in the middle of a reply.
    pub idle: Duration,
    /// The longest silence before its first word.
    pub quiet: Duration,
    pub request: &'a Request,
    /// What this very request carries. Others under way may have taught the table otherwise meanwhile.
    pub shape: &'a Shape,
    pub learned: &'a Learned,
    pub mended: &'a Mutex<Mended>,
}

/// What was changed of a call on the way, because the provider would not take it.
#[derive(Debug, Default)]
pub(super) struct Mended {
    pub changed: Vec<String>,
    pub most: Option<u32>,
}

/// One parameter after another may be refused; this many are a sign of something else.
const MENDS: usize = 8;

/// When a provider fell silent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Silence {
    BeforeReply,
    InReply,
}

/// How much of a provider's message is kept.
const MESSAGE: usize = 300;

impl Call<'_> {
    fn scrubbed(&self, text: &str, most: usize) -> String {
        scrub(&self.secrets.hidden_in(text), self.key, most)
    }

    fn detail(&self, what: &str) -> String {
        format!("endpoint `{}`: {}", self.endpoint.name, self.scrubbed(what, MESSAGE + 200))
    }

    /// Not retried: what was sent may have been billed.
    pub fn broken(&self, what: &str) -> Fault {
        Fault::final_(FailureKind::Server, self.detail(what), Health::Failed)
    }

    pub fn not_the_api(&self, content_type: &str) -> Fault {
        self.broken(&format!("it answered with {content_type:?} instead of JSON; is its base_url right"))
    }

    pub fn silent(&self, when: Silence, span: Duration) -> Fault {
        let what = match when {
            Silence::BeforeReply => format!("no answer for {}", seconds(span)),
            Silence::InReply => format!("fell silent for {} in the middle of its reply", seconds(span)),
        };
        Fault::final_(FailureKind::Timeout, self.detail(&what), Health::Failed)
    }

    pub fn transport(&self, error: &reqwest::Error) -> Fault {
        let cause = root(error);
        if error.is_timeout() && !error.is_connect() {
            return Fault::final_(FailureKind::Timeout, self.detail(&cause), Health::Failed);
        }
        if error.is_connect() {
            let failure = Failure::new(FailureKind::Server, self.detail(&format!("cannot be reached: {cause}")));
            return Fault { failure, again: Retry::Soon, health: Health::Failed };
        }
        self.broken(&format!("the connection broke: {cause}"))
    }

    /// An error in place of a reply or of the rest of one, after a status that promised better. Providers send "overloaded" this way.
    pub fn event(&self, body: &Value) -> Fault {
        let said = ProviderError::of(body);
        // Routers pass on the status of whoever answered them.
        if let Some(status) = said.status {
            return self.status(status, &body.to_string(), &HeaderMap::new());
        }
        let words = said.words();
        let limited = words.contains("rate_limit") || words.contains("rate limit");
        let kind = if limited { FailureKind::RateLimited } else { FailureKind::Server };
        let passing = limited || ["overloaded", "server_error", "api_error", "unavailable", "internal"].iter().any(|word| words.contains(word));
        let failure = Failure::new(kind, self.detail(&format!("the reply ended in an error: {}", said.message)));
        Fault { failure, again: if passing { Retry::Soon } else { Retry::Never }, health: Health::Failed }
    }

    pub fn status(&self, status: StatusCode, body: &str, headers: &HeaderMap) -> Fault {
        let parsed: Value = serde_json::from_str(body).unwrap_or(Value::Null);
        let mut said = ProviderError::of(&parsed);
        if said.message.is_empty() {
            said.message = self.scrubbed(body, MESSAGE);
        }
        let words = said.words();
        let code = status.as_u16();
        let kind = match code {
            401..=403 => FailureKind::Auth,
            _ if words.contains("api key not valid") || words.contains("invalid_api_key") => FailureKind::Auth,
            413 => FailureKind::ContextTooLong,
            400 | 422 if too_long(&words) => FailureKind::ContextTooLong,
            404 => FailureKind::ModelGone,
            400 | 422 if words.contains("model_not_found") || (words.contains("model") && words.contains("does not exist")) => FailureKind::ModelGone,
            408 => FailureKind::Timeout,
            429 => FailureKind::RateLimited,
            _ => FailureKind::Server,
        };
        let mends = matches!(code, 400 | 422) && self.mend(&words);
        let again = match (kind, code) {
            _ if mends => Retry::Mended,
            // A used-up quota does not come back by waiting a little.
            (FailureKind::RateLimited, _) if words.contains("insufficient_quota") => Retry::Never,
            (FailureKind::RateLimited, _) | (FailureKind::Server, 500..) => retry_after(headers, SystemTime::now()).map_or(Retry::Soon, Retry::After),
            _ => Retry::Never,
        };
        let health = if code >= 500 { Health::Failed } else { Health::Answered };
        let mut detail = self.detail(&format!("{code}: {}", self.scrubbed(&said.message, MESSAGE)));
        if let Some(hint) = self.hint(kind, code, &words) {
            detail.push_str(". ");
            detail.push_str(&hint);
        }
        Fault { failure: Failure::new(kind, detail), again, health }
    }

    /// Changes what the provider says it does not take. False: nothing we sent explains its refusal.
    fn mend(&self, words: &str) -> bool {
        let config = &self.endpoint.config;
        let mut mended = self.mended.lock().unwrap_or_else(PoisonError::into_inner);
        if mended.changed.len() >= MENDS {
            return false;
        }
        let Some(found) = mend(words, self.shape, self.request, config.kind) else { return false };
        self.learned.change(&config.base_url, &self.request.model, |habits| found.learn.learn(habits, self.shape));
        mended.most = found.learn.most().or(mended.most);
        mended.changed.push(found.what);
        true
    }

    /// What to do next, where it is known.
    fn hint(&self, kind: FailureKind, code: u16, words: &str) -> Option<String> {
        let variable = self.endpoint.config.key_env.as_deref();
        match kind {
            FailureKind::Auth if code == 402 => Some("Its account has no credit left".to_owned()),
            FailureKind::Auth => Some(match variable {
                Some(variable) => format!("Check the key in {variable}"),
                None => format!("It wants a key: set key_env for endpoints.{}", self.endpoint.name),
            }),
            FailureKind::ModelGone => {
                Some(format!("It has no model `{}`, or its base_url is wrong; the doctor lists what it has", self.request.model))
            }
            FailureKind::ContextTooLong => Some("Give it less to read, or seat a model with a longer context".to_owned()),
            FailureKind::Server if code == 400 && (words.contains("response_format") || words.contains("schema")) => {
                Some(format!("If it has no structured output, set schema = \"prompt\" for endpoints.{}", self.endpoint.name))
            }
            _ => None,
        }
    }
}

/// What a provider says of an error, wherever it puts it.
struct ProviderError {
    message: String,
    /// Its machine-readable names: code, type, status.
    names: String,
    /// A code that is a failed HTTP status.
    status: Option<StatusCode>,
}

impl ProviderError {
    fn of(body: &Value) -> Self {
        // Some wrap the error in `error`, some in an array, some not at all.
        let body = body.get(0).unwrap_or(body);
        let error = body.get("error").unwrap_or(body);
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let message =
            text(Some(error)).or_else(|| text(error.get("message"))).or_else(|| text(body.get("message"))).or_else(|| text(body.get("detail")));
        let names: Vec<&str> = ["code", "type", "status"].iter().filter_map(|name| error.get(name).and_then(Value::as_str)).collect();
        let code = error.get("code").and_then(Value::as_u64).filter(|code| (400..600).contains(code));
        let status = code.and_then(|code| StatusCode::from_u16(u16::try_from(code).ok()?).ok());
        Self { message: message.unwrap_or_default(), names: names.join(" "), status }
    }

    fn words(&self) -> String {
        format!("{} {}", self.names, self.message).to_lowercase()
    }
}

fn too_long(words: &str) -> bool {
    const SIGNS: &[&str] = &[
        "context_length",
        "context length",
        "context window",
        "context size",
        "maximum context",
        "prompt is too long",
        "input is too long",
        "too many tokens",
        "input token count",
        "maximum number of tokens",
        "request_too_large",
    ];
    SIGNS.iter().any(|sign| words.contains(sign))
}

/// The innermost cause: reqwest's own display stops at "error sending request".
fn root(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

/// `Retry-After` in seconds or as a date, or the `retry-after-ms` some send; never more than `LONGEST_WAIT`.
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(ms) = text("retry-after-ms").and_then(|ms| ms.parse::<f64>().ok()) {
        return wait(ms / 1000.0);
    }
    let value = text("retry-after")?;
    if let Ok(secs) = value.parse::<f64>() {
        return wait(secs);
    }
    let when = http_date(value)?;
    Some(when.duration_since(now).unwrap_or(Duration::ZERO).min(LONGEST_WAIT))
}

fn wait(secs: f64) -> Option<Duration> {
    // `min` would take the other number for one that is none.
    if secs.is_nan() { None } else { Duration::try_from_secs_f64(secs.min(LONGEST_WAIT.as_secs_f64())).ok() }
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`, the one form that is still sent. The day of the week is not looked at.
fn http_date(text: &str) -> Option<SystemTime> {
    let (_, date) = text.split_once(", ")?;
    let when = DateTime::strptime("%d %b %Y %H:%M:%S GMT", date).ok()?;
    let since = when.duration_since(DateTime::constant(1970, 1, 1, 0, 0, 0, 0));
    SystemTime::UNIX_EPOCH.checked_add(since.try_into().ok()?)
}

#[cfg(test)]
mod tests {
    use super::{http_date, retry_after};
    use reqwest::header::HeaderMap;
    use std::time::{Duration, SystemTime};

    fn after(name: &'static str, value: &str, now: u64) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().expect("a header value"));
        retry_after(&headers, SystemTime::UNIX_EPOCH + Duration::from_secs(now))
    }

    #[test]
    fn a_date_is_read_as_seconds_since_the_epoch() {
        let seconds = |text| http_date(text).and_then(|when| when.duration_since(SystemTime::UNIX_EPOCH).ok()).map(|span| span.as_secs());
        assert_eq!(seconds("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(seconds("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(seconds("Thu, 29 Feb 2024 23:59:59 GMT"), Some(1_709_251_199));
        assert_eq!(seconds("next week"), None);
        let largest = i64::MAX;
        for nonsense in [
            format!("Sun, 06 Nov {largest} 08:49:37 GMT"),
            format!("Sun, {largest} Nov 1994 08:49:37 GMT"),
            format!("Sun, 06 Nov 1994 {largest}:49:37 GMT"),
            format!("Sun, 06 Nov 1994 08:49:{largest} GMT"),
            format!("Sun, 06 Nov {} 08:49:37 GMT", i64::MIN),
        ] {
            assert_eq!(http_date(&nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn retry_after_is_read_in_every_form() {
        assert_eq!(after("retry-after", "2", 0), Some(Duration::from_secs(2)));
        assert_eq!(after("retry-after", "0.25", 0), Some(Duration::from_millis(250)));
        assert_eq!(after("retry-after-ms", "40", 0), Some(Duration::from_millis(40)));
        assert_eq!(after("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT", 784_111_770), Some(Duration::from_secs(7)));
        assert_eq!(after("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT", 784_111_780), Some(Duration::ZERO));
        assert_eq!(after("retry-after", "soon", 0), None);
        assert_eq!(after("retry-after", "-1", 0), None);
        assert_eq!(after("retry-after", "nan", 0), None);
    }

    #[test]
    fn a_wait_of_ages_is_a_day() {
        let day = Some(Duration::from_secs(86_400));
        for ages in ["86401", "18446744073709551615", "1e300", "inf", "Fri, 31 Dec 9999 23:59:59 GMT"] {
            assert_eq!(after("retry-after", ages, 0), day, "{ages}");
        }
        assert_eq!(after("retry-after-ms", "1e300", 0), day);
    }
}
