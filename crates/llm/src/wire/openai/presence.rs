//! Whether a field has anything in it, without keeping it: a text, list or object that is not empty. Takes every type and fails on none.

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Presence(pub bool);

impl<'de> Deserialize<'de> for Presence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Anything).map(Self)
    }
}

struct Anything;

impl<'de> Visitor<'de> for Anything {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }
    fn visit_str<E>(self, text: &str) -> Result<bool, E> {
        Ok(!text.is_empty())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<bool, A::Error> {
        let mut any = false;
        while items.next_element::<IgnoredAny>()?.is_some() {
            any = true;
        }
        Ok(any)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<bool, A::Error> {
        let mut any = false;
        while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
            any = true;
        }
        Ok(any)
    }
    fn visit_unit<E>(self) -> Result<bool, E> {
        Ok(false)
    }
    fn visit_bool<E>(self, _: bool) -> Result<bool, E> {
        Ok(false)
    }
    fn visit_u64<E>(self, _: u64) -> Result<bool, E> {
        Ok(false)
    }
    fn visit_i64<E>(self, _: i64) -> Result<bool, E> {
        Ok(false)
    }
    fn visit_f64<E>(self, _: f64) -> Result<bool, E> {
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::Presence;

    #[test]
    fn only_what_can_hold_words_and_is_not_empty_counts() {
        for (json, any) in [
            (r#""hm""#, true),
            (r#"[{"a":[1]}]"#, true),
            (r#"["a"]"#, true),
            (r#"{"a":1}"#, true),
            (r#""""#, false),
            ("[]", false),
            ("{}", false),
            ("null", false),
            ("false", false),
            ("3", false),
            ("-3", false),
            ("0.5", false),
        ] {
            assert_eq!(serde_json::from_str::<Presence>(json).expect("anything is taken"), Presence(any), "{json}");
        }
    }
}
