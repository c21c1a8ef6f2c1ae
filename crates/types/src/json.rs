//! JSON that is passed on: kept as the text it is, parsed only where somebody looks into it.

use crate::first_marked;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use std::cell::Cell;
use std::sync::Arc;

/// A buffer larger than this is not kept.
const LARGEST_KEPT: usize = 1 << 20;

thread_local! {
    static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Writes a value as JSON into a buffer that this thread keeps, and hands it to whoever reads it at once: nothing is grown that nobody keeps.
pub fn with_json<R>(value: &(impl Serialize + ?Sized), read: impl FnOnce(&[u8]) -> R) -> serde_json::Result<R> {
    // Taken, not borrowed: whatever is written may itself be written this way.
    let mut buffer = BUFFER.take();
    buffer.clear();
    let outcome = serde_json::to_writer(&mut buffer, value).map(|()| read(&buffer));
    if buffer.capacity() <= LARGEST_KEPT {
        BUFFER.set(buffer);
    }
    outcome
}

/// A value as JSON text, with no room to spare.
pub fn json_text(value: &(impl Serialize + ?Sized)) -> serde_json::Result<String> {
    with_json(value, |json| std::str::from_utf8(json).map_or_else(|_| String::from_utf8_lossy(json).into_owned(), str::to_owned))
}

/// Writes a long text, for `serialize_with`: what needs no escape, nearly all of it, is found in steps of many bytes instead of one by one.
pub fn long_text<S: Serializer>(text: impl AsRef<str>, serializer: S) -> Result<S::Ok, S::Error> {
    const LONG: usize = 256;
    let text = text.as_ref();
    match Some(text).filter(|text| text.len() >= LONG).and_then(|text| RawValue::from_string(quoted(text)).ok()) {
        Some(json) => json.serialize(serializer),
        None => serializer.serialize_str(text),
    }
}

/// The same where there may be none.
pub fn long_option<S: Serializer>(text: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    match text {
        Some(text) => long_text(text, serializer),
        None => serializer.serialize_none(),
    }
}

/// The same for a value with such texts in it.
pub fn long_texts<S: Serializer>(value: &Value, serializer: S) -> Result<S::Ok, S::Error> {
    struct Inner<'a>(&'a Value);
    impl Serialize for Inner<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            long_texts(self.0, serializer)
        }
    }
    match value {
        Value::String(text) => long_text(text, serializer),
        Value::Array(items) => serializer.collect_seq(items.iter().map(Inner)),
        Value::Object(fields) => serializer.collect_map(fields.iter().map(|(name, value)| (name, Inner(value)))),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.serialize(serializer),
    }
}

/// The text as JSON.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 16 + 2);
    let mut rest = text;
    out.push('"');
    loop {
        let (before, after) = rest.split_at(first_marked(rest.as_bytes(), |eight| eight.below(0x20) | eight.equal(b'"') | eight.equal(b'\\')));
        out.push_str(before);
        let Some(special) = after.bytes().next() else { break };
        match special {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0c => out.push_str("\\f"),
            control => out.push_str(&format!("\\u{control:04x}")),
        }
        rest = &after[1..];
    }
    out.push('"');
    out
}

/// A JSON value as text. A copy costs nothing: thousands of position cards are many times as large as a tree of values.
#[derive(Clone, Debug)]
pub struct Json(Arc<RawValue>);

impl Json {
    /// For values that always can be JSON; `null` stands for another.
    pub fn of(value: &(impl Serialize + ?Sized)) -> Self {
        Self(to_raw_value(value).map_or_else(|_| Arc::from(RawValue::NULL.to_owned()), Arc::from))
    }
    /// An object of these fields, in this order.
    pub fn object(fields: &[(&str, Self)]) -> Self {
        struct Fields<'a>(&'a [(&'a str, Json)]);
        impl Serialize for Fields<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_map(self.0.iter().map(|(name, json)| (name, json)))
            }
        }
        Self::of(&Fields(fields))
    }
    pub fn is_null(&self) -> bool {
        self.text() == "null"
    }
    pub fn text(&self) -> &str {
        self.0.get()
    }
    pub fn read<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        serde_json::from_str(self.text())
    }
    /// As a tree, to look into.
    pub fn value(&self) -> Value {
        // It is JSON by construction; only nesting beyond what the parser allows could stop it.
        self.read().unwrap_or_default()
    }
}

impl Default for Json {
    fn default() -> Self {
        Self::of(&())
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(Arc::from(Box::<RawValue>::deserialize(deserializer)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Outer {
        inner: Json,
        n: u8,
    }

    #[test]
    fn a_value_that_is_written_while_another_is_comes_out_whole() {
        struct Nested(u32);
        impl Serialize for Nested {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                if self.0 == 0 { serializer.serialize_str("é") } else { serializer.collect_str(&json_text(&[Nested(self.0 - 1)]).expect("JSON")) }
            }
        }
        let large = "x".repeat(LARGEST_KEPT + 1);
        for _ in 0..2 {
            assert_eq!(json_text(&[Nested(1), Nested(0)]).expect("JSON"), serde_json::to_string(&[r#"["é"]"#, "é"]).expect("JSON"));
            assert_eq!(with_json(&large, <[u8]>::len).expect("JSON"), large.len() + 2);
        }
    }

    proptest::proptest! {
        #[test]
        fn a_long_text_is_written_like_any_other(text in "([a-z ]{0,40}|[\\x00-\\x7f]|é|\\PC){0,60}") {
            struct Long<'a>(&'a str);
            impl Serialize for Long<'_> {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    long_text(self.0, serializer)
                }
            }
            let written = json_text(&[Long(&text)]).expect("JSON");
            proptest::prop_assert_eq!(&written, &serde_json::to_string(&[&text]).expect("JSON"));
            proptest::prop_assert_eq!(serde_json::to_value(Long(&text)).expect("a tree"), Value::String(text.clone()));
            let said = crate::Said { value: json!({&text: [&text, null, 1.5], "b": true}), reading: crate::Reading::Plain, partial: false, from: None, ms: None };
            let plain = json!({"value": &said.value}).to_string();
            proptest::prop_assert_eq!(json_text(&said).expect("JSON"), plain);
        }
    }

    #[test]
    fn it_is_read_and_written_as_the_text_it_is() {
        let text = r#"{"inner":{"b":1.50,"a":[null,"x\n"]},"n":2}"#;
        let outer: Outer = serde_json::from_str(text).expect("JSON");
        assert_eq!(outer.inner.text(), r#"{"b":1.50,"a":[null,"x\n"]}"#);
        assert_eq!(serde_json::to_string(&outer).expect("JSON"), text);
        assert_eq!(outer.inner.value()["a"][1], "x\n");
        let tree = serde_json::to_value(&outer).expect("a tree");
        assert_eq!(tree["inner"], json!({"b": 1.5, "a": [null, "x\n"]}));
        assert_eq!(serde_json::from_value::<Outer>(tree).expect("from a tree").n, 2);
        assert_eq!((Json::default().text(), Json::of(&json!({"a": 1})).text()), ("null", r#"{"a":1}"#));
        let fields = [("b", outer.inner.clone()), ("a", Json::default())];
        assert_eq!(Json::object(&fields).text(), r#"{"b":{"b":1.50,"a":[null,"x\n"]},"a":null}"#);
        assert!(serde_json::from_str::<Outer>(r#"{"inner":{"a":},"n":2}"#).is_err());
    }
}
