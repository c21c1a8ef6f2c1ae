//! Reads the text of the top-level `reasons` string out of a JSON reply while it is still arriving.
//!
//! Nothing else of a schema reply is ever shown early: a vote must not be seen before its reasons are whole. The JSON begins at the first
//! character, or after the first code fence when prose comes before it.

pub(super) struct Reasons {
    state: State,
    depth: u32,
    /// The current string, when it may be a key at depth 1.
    key: String,
    /// The last key seen at depth 1.
    name: String,
    ticks: u8,
    begun: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the opening brace.
    Seeking,
    /// Between tokens. `after_colon`: a value comes next.
    Between {
        after_colon: bool,
    },
    /// In a string we do not show.
    String {
        escaped: bool,
    },
    /// In the string we show.
    Showing,
    Escape,
    /// Hex digits still to come, their value so far, and a leading surrogate waiting for its second half.
    Unicode {
        left: u8,
        value: u32,
        high: u32,
    },
    /// After a leading surrogate: `\` and then `u` must follow.
    Half {
        high: u32,
        slash: bool,
    },
    Done,
}

impl Reasons {
    pub fn new() -> Self {
        Self { state: State::Seeking, depth: 0, key: String::new(), name: String::new(), ticks: 0, begun: false }
    }

    /// Takes the next piece of the reply; what it adds to `reasons` is appended to `out`.
    pub fn feed(&mut self, piece: &str, out: &mut String) {
        for c in piece.chars() {
            if self.state == State::Done {
                return;
            }
            self.step(c, out);
        }
    }

    fn step(&mut self, c: char, out: &mut String) {
        self.state = match self.state {
            State::Seeking => self.seek(c),
            State::Between { after_colon } => self.between(c, after_colon),
            State::String { escaped } => self.string(c, escaped),
            State::Showing => match c {
                '"' => State::Done,
                '\\' => State::Escape,
                _ => {
                    out.push(c);
                    State::Showing
                }
            },
            State::Escape => escape(c, out),
            State::Unicode { left, value, high } => unicode(c, left, value, high, out),
            State::Half { high, slash } => match (slash, c) {
                (false, '\\') => State::Half { high, slash: true },
                (true, 'u') => State::Unicode { left: 4, value: 0, high },
                // A lone surrogate stands for nothing.
                (true, _) => escape(c, out),
                (false, '"') => State::Done,
                (false, _) => {
                    out.push(c);
                    State::Showing
                }
            },
            State::Done => State::Done,
        };
    }

    fn seek(&mut self, c: char) -> State {
        let fenced = self.ticks >= 3;
        match c {
            '{' if fenced || !self.begun => {
                self.depth = 1;
                return State::Between { after_colon: false };
            }
            '`' if !fenced => self.ticks += 1,
            _ if !fenced => self.ticks = 0,
            _ => {}
        }
        self.begun |= !c.is_whitespace();
        State::Seeking
    }

    fn between(&mut self, c: char, after_colon: bool) -> State {
        match c {
            '"' if self.depth == 1 && after_colon && self.name == "reasons" => return State::Showing,
            '"' => {
                self.key.clear();
                return State::String { escaped: false };
            }
            ':' if self.depth == 1 => {
                std::mem::swap(&mut self.name, &mut self.key);
                return State::Between { after_colon: true };
            }
            '{' | '[' => self.depth += 1,
            '}' | ']' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    return State::Done;
                }
            }
            _ => {}
        }
        State::Between { after_colon: after_colon && c.is_whitespace() }
    }

    fn string(&mut self, c: char, escaped: bool) -> State {
        match (escaped, c) {
            (false, '"') => State::Between { after_colon: false },
            (false, '\\') => State::String { escaped: true },
            _ => {
                // Long enough for any name we look for; values are not kept.
                if self.depth == 1 && self.key.len() < 16 {
                    self.key.push(c);
                }
                State::String { escaped: false }
            }
        }
    }
}

fn escape(c: char, out: &mut String) -> State {
    match c {
        'n' => out.push('\n'),
        't' => out.push('\t'),
        'r' => out.push('\r'),
        'b' | 'f' => {}
        'u' => return State::Unicode { left: 4, value: 0, high: 0 },
        other => out.push(other),
    }
    State::Showing
}

fn unicode(c: char, left: u8, value: u32, high: u32, out: &mut String) -> State {
    let Some(digit) = c.to_digit(16) else { return State::Showing };
    let value = value * 16 + digit;
    if left > 1 {
        return State::Unicode { left: left - 1, value, high };
    }
    match value {
        0xD800..=0xDBFF => State::Half { high: value, slash: false },
        0xDC00..=0xDFFF if high != 0 => {
            out.extend(char::from_u32(0x10000 + ((high - 0xD800) << 10) + (value - 0xDC00)));
            State::Showing
        }
        _ => {
            out.extend(char::from_u32(value));
            State::Showing
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Reasons;
    use proptest::prelude::*;
    use serde_json::json;

    fn read(pieces: &[&str]) -> String {
        let (mut reasons, mut out) = (Reasons::new(), String::new());
        for piece in pieces {
            reasons.feed(piece, &mut out);
        }
        out
    }

    #[test]
    fn only_the_top_level_reasons_are_shown() {
        assert_eq!(read(&[r#"{"reasons": "because \"so\"", "choice": "K3"}"#]), "because \"so\"");
        assert_eq!(read(&[r#"{"choice": "reasons", "inner": {"reasons": "no"}, "reasons": "yes"}"#]), "yes");
        assert_eq!(read(&[r#"{"choice": {"reasons": "hidden"}}"#]), "");
        assert_eq!(read(&[r#"{"reasons": ["a list"], "x": "y"}"#]), "");
        assert_eq!(read(&["K3 and T9, as prose without JSON"]), "");
    }

    #[test]
    fn prose_before_a_fence_is_skipped() {
        assert_eq!(read(&["I {think} so.\n\n```json\n{\"reasons\": \"fenced\"}\n```"]), "fenced");
    }

    proptest! {
        #[test]
        fn whatever_the_text_and_the_cuts_the_reasons_come_out_whole(text in "\\PC*|[\u{1F600}-\u{1F64F}\n\t\"\\\\]*", other in "[a-z\"{}]{0,12}", size in 1usize..9, ascii in any::<bool>()) {
            let value = json!({ "before": other, "nested": { "reasons": "no", "list": [1, "]}"] }, "reasons": text, "after": "x" });
            let mut raw = value.to_string();
            if ascii {
                raw = raw.chars().map(|c| if c.is_ascii() { c.to_string() } else { c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect() }).collect();
            }
            let chars: Vec<char> = raw.chars().collect();
            let pieces: Vec<String> = chars.chunks(size).map(|chunk| chunk.iter().collect()).collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            // \b and \f are dropped on purpose; JSON writes them only for those two characters.
            let want: String = text.chars().filter(|c| !matches!(c, '\u{8}' | '\u{c}')).collect();
            prop_assert_eq!(read(&pieces), want);
        }
    }
}
