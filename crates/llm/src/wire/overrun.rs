//! A model that goes on beyond what it was allowed: cut at twice of that, and counted whole.

use super::{Stop, WireReply};
use synod_engine::tokens;

/// A usual token of what is not read word by word.
const BYTES: u64 = 4;
/// Text is counted in pieces of this size.
const PIECE: usize = 2048;

pub(super) struct Allowed {
    /// Twice what was allowed.
    most: u64,
    /// How much of the text was counted, and to how many tokens it came.
    counted: usize,
    tokens: u64,
    /// Which of its texts that was.
    replaced: u32,
}

impl Allowed {
    pub fn new(tokens: u32) -> Self {
        Self { most: u64::from(tokens) * 2, counted: 0, tokens: 0, replaced: 0 }
    }

    /// Whether more than twice what was allowed has come.
    pub fn exceeded(&mut self, heard: &WireReply) -> bool {
        // No token is shorter than a byte.
        if (heard.text.len() as u64).saturating_add(beside(heard)) <= self.most {
            return false;
        }
        if self.replaced != heard.replaced {
            (self.counted, self.tokens, self.replaced) = (0, 0, heard.replaced);
        }
        while let Some(piece) = piece(&heard.text[self.counted..]).filter(|piece| piece.len() >= PIECE) {
            self.tokens = self.tokens.saturating_add(tokens::count(piece));
            self.counted += piece.len();
        }
        self.tokens.saturating_add(beside(heard) / BYTES) > self.most
    }

    /// Cuts what is beyond. Nothing of a call that was cut can be used.
    pub fn cut(&self, heard: &mut WireReply) {
        heard.tool_calls.clear();
        if let Some(end) = heard.extras.refusal.char_indices().nth(PIECE).map(|(at, _)| at) {
            heard.unseen_tokens = heard.unseen_tokens.saturating_add((heard.extras.refusal.len() - end) as u64 / BYTES);
            heard.extras.refusal.truncate(end);
        }
        let (mut kept, mut total) = (0, 0_u64);
        while let Some(piece) = piece(&heard.text[kept..]) {
            total = total.saturating_add(tokens::count(piece));
            if total > self.most {
                heard.unseen_tokens = heard.unseen_tokens.saturating_add(tokens::count(&heard.text[kept..]));
                heard.text.truncate(kept);
                break;
            }
            kept += piece.len();
        }
        (heard.stop, heard.overran, heard.carry) = (Some(Stop::Length), true, None);
    }
}

/// The text's beginning, cut between two characters. `None` where there is none.
fn piece(text: &str) -> Option<&str> {
    let end = (PIECE..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    Some(&text[..end]).filter(|piece| !piece.is_empty())
}

/// Bytes of what came beside the text.
fn beside(heard: &WireReply) -> u64 {
    [heard.thought, heard.tags.thought, heard.called, heard.extras.refusal.len()].iter().map(|bytes| *bytes as u64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_text_that_is_replaced_is_counted_anew() {
        let (mut watch, mut heard) = (Allowed::new(300), WireReply::default());
        let mut feed = crate::wire::Feed::new(None, crate::wire::Ask::Free, crate::scrub::Secrets::default());
        heard.say(&"a".repeat(2100), &mut feed);
        watch.exceeded(&heard);
        heard.say(&format!("</think>{}é{}", "a".repeat(2047), "a".repeat(100)), &mut feed);
        watch.exceeded(&heard);
        assert!(heard.text.starts_with('a') && heard.text.len() == 2149, "{}", heard.text.len());
    }

    proptest! {
        #[test]
        fn it_is_cut_at_twice_and_nothing_of_it_is_lost_to_the_count(allowed in 1_u32..3000, words in 0_usize..9000, word in "(tea|ünïcødé|  |0x9F|\n)") {
            let text = word.repeat(words);
            let whole = tokens::count(&text);
            let (mut watch, mut heard) = (Allowed::new(allowed), WireReply { text: text.clone(), ..WireReply::default() });
            if watch.exceeded(&heard) {
                watch.cut(&mut heard);
                prop_assert!(text.starts_with(&heard.text) && heard.overran && heard.stop == Some(Stop::Length));
                prop_assert!(tokens::count(&heard.text) <= u64::from(allowed) * 2 + 2);
                // Pieces are counted apart: a word that is cut in two may count as two.
                prop_assert!(tokens::count(&heard.text) + heard.unseen_tokens + text.len() as u64 / 1024 >= whole);
            } else {
                prop_assert!(whole <= u64::from(allowed) * 2 + PIECE as u64);
            }
        }
    }
}
