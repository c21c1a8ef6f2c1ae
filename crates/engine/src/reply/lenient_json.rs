//! Reads the JSON that models almost write: loose quotes, bare keys, trailing commas, comments, Python's literals, an end that is missing.
//!
//! Written here because the one crate for it panics on ordinary multi-byte text. Reads objects only, never prose, and never loops: every step
//! takes at least one character.

use serde_json::{Map, Number, Value};

/// Nesting beyond this is no reply but an attack.
const DEEPEST: usize = 64;

/// The text as one object, mended. `None`: it is none, more follows it, a key stands twice, or it cannot be told what was meant.
pub fn object(text: &str) -> Option<Value> {
    let mut parser = LenientParser { chars: text.chars().collect(), at: 0 };
    parser.space();
    if parser.peek() != Some('{') {
        return None;
    }
    let value = parser.value(0)?;
    // A remark after it is prose, whatever it begins with.
    parser.chars[parser.at..].iter().all(|c| c.is_whitespace()).then_some(value)
}

struct LenientParser {
    chars: Vec<char>,
    at: usize,
}

impl LenientParser {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn starts(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(i, c)| self.chars.get(self.at + i) == Some(&c))
    }

    /// White space and comments.
    fn space(&mut self) {
        while let Some(c) = self.peek() {
            if c.is_whitespace() || c == '\u{feff}' {
                self.at += 1;
            } else if self.starts("//") || c == '#' {
                while self.peek().is_some_and(|c| c != '\n') {
                    self.at += 1;
                }
            } else if self.starts("/*") {
                while self.at < self.chars.len() && !self.starts("*/") {
                    self.at += 1;
                }
                self.at = (self.at + 2).min(self.chars.len());
            } else {
                break;
            }
        }
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > DEEPEST {
            return None;
        }
        self.space();
        match self.peek()? {
            '{' => self.object(depth),
            '[' => self.array(depth),
            c if closing_of(c).is_some() => self.string().map(Value::String),
            _ => self.bare(),
        }
    }

    /// Goes over commas, however many, to the next member. False at the end, which is taken where it is there.
    fn another(&mut self, close: char) -> bool {
        self.space();
        while self.take(',') {
            self.space();
        }
        !self.take(close) && self.peek().is_some()
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.at += 1;
        let mut map = Map::new();
        while self.another('}') {
            let key = self.key()?;
            self.space();
            if !self.take(':') {
                return None;
            }
            self.space();
            if self.peek().is_none() {
                break;
            }
            let value = self.value(depth + 1)?;
            if map.insert(key, value).is_some() {
                return None;
            }
        }
        Some(Value::Object(map))
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        self.at += 1;
        let mut items = Vec::new();
        // A brace or a colon here: the list's end was forgotten.
        while self.another(']') && !matches!(self.peek(), Some('}' | ':')) {
            items.push(self.value(depth + 1)?);
        }
        Some(Value::Array(items))
    }

    fn key(&mut self) -> Option<String> {
        if self.peek().is_some_and(|c| closing_of(c).is_some()) {
            return self.string();
        }
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-' || c == '$') {
            self.at += 1;
        }
        (self.at > start).then(|| self.chars[start..self.at].iter().collect())
    }

    /// A quote ends the string only where something may follow it; any other one was meant as text.
    fn string(&mut self) -> Option<String> {
        let close = closing_of(self.peek()?)?;
        self.at += 1;
        let mut out = String::new();
        while let Some(c) = self.peek() {
            self.at += 1;
            if c == '\\' {
                self.escape(&mut out);
            } else if close.contains(&c) && self.ends_here() {
                return Some(out);
            } else {
                out.push(c);
            }
        }
        Some(out)
    }

    fn ends_here(&self) -> bool {
        let mut next = self.chars[self.at..].iter().copied().skip_while(|c| c.is_whitespace());
        match next.next() {
            None | Some('}' | ']' | ':' | '/' | '#') => true,
            Some(',') => {
                // After a comma comes a value, a bare key with its colon, or the end; prose goes on with a word.
                let rest: Vec<char> = next.skip_while(|c| c.is_whitespace()).take(64).collect();
                let word = rest.iter().take_while(|c| c.is_alphanumeric() || "_-$".contains(**c)).count();
                let is_key = word > 0 && rest[word..].iter().find(|c| !c.is_whitespace()) == Some(&':');
                rest.first().is_none_or(|c| closing_of(*c).is_some() || "{[]}-.0123456789/#".contains(*c)) || is_key
            }
            Some(c) => closing_of(c).is_some() && self.chars.get(self.at) == Some(&'\n'),
        }
    }

    fn escape(&mut self, out: &mut String) {
        let Some(c) = self.peek() else { return };
        self.at += 1;
        match c {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'u' => {
                let unit = |parser: &Self, at: usize| -> Option<u32> {
                    let digits: String = parser.chars.get(at..at + 4)?.iter().collect();
                    u32::from_str_radix(&digits, 16).ok()
                };
                let Some(first) = unit(self, self.at) else { return };
                self.at += 4;
                let second = (self.starts("\\u")).then(|| unit(self, self.at + 2)).flatten();
                match (char::from_u32(first), second) {
                    (Some(c), _) => out.push(c),
                    (None, Some(second)) if (0xd800..0xdc00).contains(&first) && (0xdc00..0xe000).contains(&second) => {
                        self.at += 6;
                        out.extend(char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)));
                    }
                    (None, _) => out.push(char::REPLACEMENT_CHARACTER),
                }
            }
            other => out.push(other),
        }
    }

    /// A number, a literal of JSON or Python, or a bare word.
    fn bare(&mut self) -> Option<Value> {
        let start = self.at;
        while self.peek().is_some_and(|c| !"{}[],:\n".contains(c) && !self.starts("//") && !self.starts("/*")) {
            self.at += 1;
        }
        let word: String = self.chars[start..self.at].iter().collect();
        let word = word.trim();
        if self.at == start || word.is_empty() {
            return None;
        }
        Some(match word {
            "true" | "True" | "TRUE" => Value::Bool(true),
            "false" | "False" | "FALSE" => Value::Bool(false),
            "null" | "None" | "NULL" | "undefined" | "NaN" => Value::Null,
            word => number(word).map_or_else(|| Value::String(word.to_owned()), Value::Number),
        })
    }
}

fn closing_of(open: char) -> Option<&'static [char]> {
    match open {
        '"' => Some(&['"']),
        '\'' => Some(&['\'']),
        '“' | '”' => Some(&['”', '“', '"']),
        '‘' | '’' => Some(&['’', '‘']),
        '`' => Some(&['`']),
        _ => None,
    }
}

fn number(word: &str) -> Option<Number> {
    if !word.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) {
        return None;
    }
    let word = word.strip_prefix('+').unwrap_or(word);
    if let Ok(whole) = word.parse::<i64>() {
        return Some(whole.into());
    }
    Number::from_f64(word.parse::<f64>().ok().filter(|number| number.is_finite())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn what_models_almost_write_is_read_as_they_meant_it() {
        for (text, want) in [
            (r#"{"a": 1,}"#, json!({"a": 1})),
            (r#"{'a': 'b', 'c': True, 'd': None}"#, json!({"a": "b", "c": true, "d": null})),
            (r#"{a: "b", c-d: .8, e: +2}"#, json!({"a": "b", "c-d": 0.8, "e": 2})),
            ("{\"a\": \"one\ntwo\"}", json!({"a": "one\ntwo"})),
            (r#"{"a": "he said "no" to it", "b": 1}"#, json!({"a": "he said \"no\" to it", "b": 1})),
            (r#"{"a": "say "x", then go", "b": 1}"#, json!({"a": "say \"x\", then go", "b": 1})),
            (r#"{"a": [1, 2, 3"#, json!({"a": [1, 2, 3]})),
            (r#"{"a": "cut off in the mid"#, json!({"a": "cut off in the mid"})),
            ("{\"a\": 1, // why\n \"b\": 2 /* so */ }", json!({"a": 1, "b": 2})),
            ("{\"a\": 1\n \"b\": 2}", json!({"a": 1, "b": 2})),
            ("{“a”: “b”}", json!({"a": "b"})),
            ("{\"a\": 'it\\'s', \"b\": \"\\u00e9\\ud83d\\ude00\"}", json!({"a": "it's", "b": "é😀"})),
            (r#"{"ranking": [K3, T9]}"#, json!({"ranking": ["K3", "T9"]})),
            ("{\"a\": \"ünïcødé 🕴\",}", json!({"a": "ünïcødé 🕴"})),
        ] {
            assert_eq!(object(text), Some(want), "{text}");
        }
    }

    #[test]
    fn prose_and_bottomless_nesting_are_not_read() {
        assert_eq!(object("I vote for K3"), None);
        assert_eq!(object("[1]"), None);
        assert_eq!(object("{ this is a sentence }"), None);
        assert_eq!(object(&"{\"a\":".repeat(500)), None);
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in ".{0,300}", loose in "[{}\\[\\],:\"'`\\\\/#a1 \n“é🕴]{0,200}") {
            for text in [format!("{{{text}"), format!("{{{loose}"), format!("{{\"a\":{loose}{text}")] {
                prop_assert!(object(&text).is_none_or(|value| value.is_object()));
            }
        }

        /// What is right already stays as it is.
        #[test]
        fn proper_json_is_left_alone(a in ".{0,40}", b: i32, c: bool, d in proptest::collection::vec("[a-zA-Z0-9 .]{0,12}", 0..4)) {
            let value = json!({"a": a.replace(['"', '\''], " "), "b": b, "c": c, "d": d, "e": {"f": null, "g": [b, c]}});
            prop_assert_eq!(object(&value.to_string()), Some(value.clone()));
            prop_assert_eq!(object(&serde_json::to_string_pretty(&value).unwrap_or_default()), Some(value));
        }
    }
}
