//! Takes what a model thought out of what it said, while it is still arriving.
//!
//! Servers that have no field for it send it in the text: inside `<think>` tags at the beginning, or before a lone `</think>`. It is never the
//! answer: it is counted, and not kept.

use std::borrow::Cow;

/// As they open and close.
const TAGS: [(&str, &str); 4] =
    [("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<thought>", "</thought>"), ("<reasoning>", "</reasoning>")];
const LONE: &str = "</think>";

#[derive(Debug, Default)]
pub(super) struct Tags {
    state: State,
    /// Not yet decided: the beginning of a tag, perhaps.
    held: String,
    /// The last of what was passed on, in case a lone closing tag spans two pieces.
    tail: String,
    /// An opening tag stood in the middle of the words.
    mentioned: bool,
    /// A tag was seen: there is no lone one any more.
    seen: bool,
    /// Words have come since. The line ends between a thought and the answer are neither.
    begun: bool,
    /// Bytes inside tags.
    pub thought: usize,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Start,
    /// Until this tag.
    Inside(&'static str),
    Words,
}

/// What a piece of text came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'p> {
    Words(Cow<'p, str>),
    /// All words so far were thoughts; these follow them.
    Instead(String),
}

impl Tags {
    pub fn push<'p>(&mut self, piece: &'p str) -> Piece<'p> {
        if self.state == State::Words {
            return self.words(Cow::Borrowed(piece));
        }
        self.held.push_str(piece);
        loop {
            match self.state {
                State::Start => match opening(&self.held) {
                    Opening::Tag(close, length) => {
                        self.held.drain(..length);
                        (self.state, self.seen) = (State::Inside(close), true);
                    }
                    Opening::Perhaps => return Piece::Words(Cow::Borrowed("")),
                    Opening::No => {
                        self.state = State::Words;
                        let held = std::mem::take(&mut self.held);
                        return self.words(Cow::Owned(held));
                    }
                },
                State::Inside(close) => {
                    let (thought, rest) = match self.held.find(close) {
                        Some(at) => (at, at + close.len()),
                        // All but what may be the beginning of the closing tag is surely thought.
                        None => {
                            let sure = self.held.floor_char_boundary(self.held.len().saturating_sub(close.len() - 1));
                            (sure, sure)
                        }
                    };
                    self.thought += thought;
                    self.held.drain(..rest);
                    if thought == rest {
                        return Piece::Words(Cow::Borrowed(""));
                    }
                    self.state = State::Start;
                }
                State::Words => return Piece::Words(Cow::Owned(std::mem::take(&mut self.held))),
            }
        }
    }

    fn words<'p>(&mut self, piece: Cow<'p, str>) -> Piece<'p> {
        if self.seen {
            return Piece::Words(Cow::Owned(self.after(&piece)));
        }
        if !self.tail.contains('<') && !piece.contains('<') {
            // No tag begins here; what stands before the next one may be a quotation mark.
            if let Some(last) = piece.chars().next_back() {
                self.tail.clear();
                self.tail.push(last);
            }
            return Piece::Words(piece);
        }
        self.tail.push_str(&piece);
        while let Some(at) = self.tail.find(LONE) {
            self.mentioned |= self.tail[..at].contains("<think>");
            // In quotation marks, or after an opening one, somebody is talking about the tag.
            if self.mentioned || self.tail[..at].ends_with(['`', '"', '\'']) {
                self.tail.drain(..at + LONE.len());
                continue;
            }
            self.seen = true;
            let rest = self.tail.split_off(at + LONE.len());
            return Piece::Instead(self.after(&rest));
        }
        self.mentioned |= self.tail.contains("<think>");
        let sure = self.tail.floor_char_boundary(self.tail.len().saturating_sub(LONE.len()));
        self.tail.drain(..sure);
        Piece::Words(piece)
    }

    fn after(&mut self, words: &str) -> String {
        let words = if self.begun { words } else { words.trim_start() };
        self.begun |= !words.is_empty();
        words.to_owned()
    }

    /// Nothing more comes: what was held back was words after all, unless it is inside a tag.
    pub fn end(&mut self) -> String {
        let held = std::mem::take(&mut self.held);
        if let State::Inside(_) = self.state {
            self.thought += held.len();
            return String::new();
        }
        if self.seen { self.after(&held) } else { held }
    }
}

enum Opening {
    /// What closes it, and how far it reaches.
    Tag(&'static str, usize),
    /// More must come before one can tell.
    Perhaps,
    No,
}

fn opening(text: &str) -> Opening {
    let tag = text.trim_start();
    let blank = text.len() - tag.len();
    // A server that pads a reply with more blanks than this is not about to open a tag.
    if tag.is_empty() {
        return if blank <= 64 { Opening::Perhaps } else { Opening::No };
    }
    for (open, close) in TAGS {
        if tag.starts_with(open) {
            return Opening::Tag(close, blank + open.len());
        }
        if open.starts_with(tag) {
            return Opening::Perhaps;
        }
    }
    Opening::No
}

#[cfg(test)]
mod tests {
    use super::{Piece, Tags};
    use proptest::prelude::*;

    /// The words, and how many bytes were thought, of a text that comes in pieces of so many bytes.
    fn read(text: &str, size: usize) -> (String, usize) {
        let (mut tags, mut words, mut thought) = (Tags::default(), String::new(), 0);
        let chars: Vec<char> = text.chars().collect();
        for piece in chars.chunks(size) {
            let piece: String = piece.iter().collect();
            match tags.push(&piece) {
                Piece::Words(more) => words.push_str(&more),
                Piece::Instead(rest) => {
                    thought += words.len() + piece.len() - rest.len().min(piece.len());
                    words = rest;
                }
            }
        }
        words.push_str(&tags.end());
        (words, thought + tags.thought)
    }

    #[test]
    fn thoughts_are_taken_out_wherever_the_pieces_are_cut() {
        let table = [
            ("<think>hm hm</think>\n\nYes.", "Yes.", true),
            ("  <thinking>a<b</thinking><think>more</think>{\"a\":1}", "{\"a\":1}", true),
            ("so it is\n</think>\n\nNo.", "No.", true),
            ("<think>never ends", "", true),
            ("<think></think>Short.", "Short.", false),
            ("<think", "<think", false),
            ("<thin air> is not a tag", "<thin air> is not a tag", false),
            ("Models close with `</think>` when done.", "Models close with `</think>` when done.", false),
            ("R1 emits <think>plan</think> before it answers.", "R1 emits <think>plan</think> before it answers.", false),
            ("\n\n  Plain.", "\n\n  Plain.", false),
            ("", "", false),
        ];
        for (text, words, thought) in table {
            for size in 1..=text.len().max(1) {
                let (got, bytes) = read(text, size);
                assert_eq!((got.as_str(), bytes > 0), (words, thought), "{text:?} in pieces of {size}");
            }
        }
    }

    proptest! {
        #[test]
        fn without_tags_nothing_is_lost_or_moved(text in "[a-zü<>/ \n]{0,60}", size in 1usize..7) {
            prop_assume!(!text.contains("</think>") && !text.trim_start().starts_with("<think") && !text.trim_start().starts_with("<reasoning") && !text.trim_start().starts_with("<thought"));
            prop_assert_eq!(read(&text, size), (text.clone(), 0));
        }

        #[test]
        fn a_thought_before_the_answer_never_shows(thought in "[a-z {}\"\n]{0,40}", answer in "[A-Z{][a-z{}\" ]{0,40}", size in 1usize..9) {
            let (words, _) = read(&format!("<think>{thought}</think>\n{answer}"), size);
            prop_assert_eq!(words, answer);
        }
    }
}
