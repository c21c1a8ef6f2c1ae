//! JSON that is passed on: kept as the text it is, parsed only where somebody looks into it.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use std::sync::Arc;

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
