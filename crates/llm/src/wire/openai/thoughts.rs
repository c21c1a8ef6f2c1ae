//! What a model thought, under the three names and in the list that servers have for it: counted, and kept only where it must go back.

use serde_json::{Map, Value, json};

#[derive(Debug, Default)]
pub(super) struct Thoughts {
    kept: bool,
    /// By the name it came under: `reasoning`, `reasoning_content`.
    texts: Map<String, Value>,
    details: Vec<Value>,
    /// Thoughts that came as parts of the content.
    parts: String,
}

impl Thoughts {
    pub fn new(kept: bool) -> Self {
        Self { kept, ..Self::default() }
    }

    pub fn text(&mut self, name: &str, more: &str) {
        if !self.kept || more.is_empty() {
            return;
        }
        match self.texts.get_mut(name) {
            Some(Value::String(text)) => text.push_str(more),
            _ => {
                self.texts.insert(name.to_owned(), json!(more));
            }
        }
    }

    pub fn part(&mut self, more: &str) {
        if self.kept {
            self.parts.push_str(more);
        }
    }

    /// A stream brings one detail in pieces: those of one kind and number belong together.
    pub fn details(&mut self, more: &[Value]) {
        if !self.kept {
            return;
        }
        for piece in more {
            let same = |known: &&mut Value| known["type"] == piece["type"] && known["index"] == piece["index"] && known["id"] == piece["id"];
            let known = self.details.last_mut().filter(same);
            let Some((Value::Object(known), Value::Object(fields))) = known.map(|known| (known, piece)) else {
                self.details.push(piece.clone());
                continue;
            };
            for (name, value) in fields {
                match (known.get_mut(name), value) {
                    (Some(Value::String(text)), Value::String(more)) if matches!(name.as_str(), "text" | "summary" | "data") => text.push_str(more),
                    (_, value) if !value.is_null() => {
                        known.insert(name.clone(), value.clone());
                    }
                    _ => {}
                }
            }
        }
    }

    /// The fields that go back with the message, unchanged.
    pub fn carry(self, text: &str) -> Option<Value> {
        let mut fields = self.texts;
        if !self.details.is_empty() {
            // The texts say the same again.
            fields = Map::from_iter([("reasoning_details".to_owned(), Value::Array(self.details))]);
        }
        if !self.parts.is_empty() {
            let thought = json!({ "type": "thinking", "thinking": [{ "type": "text", "text": self.parts }] });
            let said = (!text.is_empty()).then(|| json!({ "type": "text", "text": text }));
            fields.insert("content".to_owned(), Value::Array([thought].into_iter().chain(said).collect()));
        }
        (!fields.is_empty()).then_some(Value::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::Thoughts;
    use serde_json::json;

    #[test]
    fn what_came_in_pieces_goes_back_whole_and_under_its_own_name() {
        let mut thoughts = Thoughts::new(true);
        thoughts.text("reasoning_content", "Let me ");
        thoughts.text("reasoning_content", "see.");
        assert_eq!(thoughts.carry("x"), Some(json!({ "reasoning_content": "Let me see." })));

        let mut thoughts = Thoughts::new(true);
        thoughts.text("reasoning", "Hm.");
        thoughts.details(&[json!({ "type": "reasoning.text", "text": "H", "index": 0, "signature": null })]);
        thoughts.details(&[json!({ "type": "reasoning.text", "text": "m.", "index": 0, "signature": "s" })]);
        thoughts.details(&[json!({ "type": "reasoning.encrypted", "data": "xx", "index": 1 })]);
        let details = json!([
            { "type": "reasoning.text", "text": "Hm.", "index": 0, "signature": "s" }, { "type": "reasoning.encrypted", "data": "xx", "index": 1 }
        ]);
        assert_eq!(thoughts.carry("x"), Some(json!({ "reasoning_details": details })));

        let mut thoughts = Thoughts::new(true);
        thoughts.part("First.");
        let content = json!([{ "type": "thinking", "thinking": [{ "type": "text", "text": "First." }] }, { "type": "text", "text": "Then." }]);
        assert_eq!(thoughts.carry("Then."), Some(json!({ "content": content })));

        let mut thoughts = Thoughts::new(false);
        thoughts.text("reasoning", "not kept");
        assert_eq!(thoughts.carry("x"), None);
    }
}
