//! Whether, and where, a quotation stands in a text word for word.
//!
//! Runs of white space count as one space, and typographic quotation marks and dashes as their plain forms: models change these without
//! meaning to. Everything else must be the same, letter case too.

use std::ops::Range;

/// A quotation proves something only with at least so many words,
const LEAST_WORDS: usize = 3;
/// or so many characters.
const LEAST_CHARS: usize = 12;

/// A text made ready for many searches.
#[derive(Clone, Debug)]
pub struct Verbatim {
    plain: String,
    /// Where folding moved things: from this byte of `plain` on, the byte of the original, ascending in both.
    moved: Vec<(usize, usize)>,
}

impl Verbatim {
    pub fn new(text: &str) -> Self {
        let mut plain = String::with_capacity(text.len());
        let mut moved: Vec<(usize, usize)> = Vec::new();
        for (at, c) in text.char_indices() {
            let c = fold(c);
            if c == ' ' && plain.ends_with(' ') {
                continue;
            }
            let steady = moved.last().is_some_and(|(here, there)| plain.len() - here == at - there);
            if !steady {
                moved.push((plain.len(), at));
            }
            plain.push(c);
        }
        Self { plain, moved }
    }

    /// Whether a quotation stands here as evidence: between the bounds of words, and long enough that it does not stand there by chance.
    pub fn quotes(&self, quotation: &str) -> bool {
        let wanted = Self::new(quotation.trim()).plain;
        let enough = wanted.split_whitespace().count() >= LEAST_WORDS || wanted.chars().count() >= LEAST_CHARS;
        enough && self.plain.char_indices().any(|(at, _)| self.plain[at..].starts_with(&wanted) && self.is_whole(at..at + wanted.len()))
    }

    /// Whether neither end cuts a word in two.
    fn is_whole(&self, found: Range<usize>) -> bool {
        let (before, inside, after) = (&self.plain[..found.start], &self.plain[found.clone()], &self.plain[found.end..]);
        let cut = |left: Option<char>, right: Option<char>| left.is_some_and(in_word) && right.is_some_and(in_word);
        !cut(before.chars().next_back(), inside.chars().next()) && !cut(inside.chars().next_back(), after.chars().next())
    }

    /// The first place of a quotation, in bytes of the original text. An empty one stands nowhere.
    pub fn find(&self, text: &str, quotation: &str) -> Option<Range<usize>> {
        let found = self.place(quotation)?;
        let start = self.original(found.start);
        let last = self.plain[found.clone()].char_indices().next_back().map(|(at, _)| self.original(found.start + at))?;
        let end = text.get(last..)?.chars().next().map(|c| last + c.len_utf8())?;
        Some(start..end)
    }

    fn place(&self, quotation: &str) -> Option<Range<usize>> {
        let wanted = Self::new(quotation.trim()).plain;
        let at = if wanted.is_empty() { None } else { self.plain.find(&wanted) }?;
        Some(at..at + wanted.len())
    }

    fn original(&self, plain: usize) -> usize {
        let after = self.moved.partition_point(|(here, _)| *here <= plain);
        after.checked_sub(1).map_or(plain, |at| self.moved[at].1 + plain - self.moved[at].0)
    }
}

/// Part of a word whose ends can be seen. Scripts written without spaces have none, so a quotation may begin anywhere in them.
fn in_word(c: char) -> bool {
    let unspaced = matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}');
    c.is_alphanumeric() && !unspaced
}

fn fold(c: char) -> char {
    match c {
        '‘' | '’' | '‚' | '‛' => '\'',
        '“' | '”' | '„' | '‟' => '"',
        '‐' | '‑' | '–' | '—' | '−' => '-',
        c if c.is_whitespace() => ' ',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quotations_are_found_whatever_the_spacing_and_the_marks() {
        let text = "Ümläut first.\n  The “queue” holds — mostly —\n\tforty jobs.  The end.";
        // quotation, what it stands for
        let table = [
            ("The \"queue\" holds - mostly - forty jobs.", Some("The “queue” holds — mostly —\n\tforty jobs.")),
            ("forty   jobs.", Some("forty jobs.")),
            (" Ümläut first. ", Some("Ümläut first.")),
            ("The end.", Some("The end.")),
            ("the end.", None),
            ("forty job s", None),
            ("", None),
            ("  ", None),
        ];
        let verbatim = Verbatim::new(text);
        for (quotation, want) in table {
            assert_eq!(verbatim.find(text, quotation).map(|range| &text[range]), want, "{quotation:?}");
        }
    }

    #[test]
    fn a_quotation_is_evidence_only_in_whole_words_and_not_by_chance() {
        let verbatim = Verbatim::new("The forty jobs are overtaken.\n  They are “taken over” by noon. 列車は午前七時に東京駅を出発しました。");
        for quotation in ["forty jobs are", "  are overtaken. They", "taken over\" by", "are overtaken", "午前七時に東京駅を出発しま"] {
            assert!(verbatim.quotes(quotation), "{quotation:?}");
        }
        for quotation in ["", " ", "forty", "jobs are", "orty jobs are", "forty jobs ar", "re overtaken. They", "the forty jobs"] {
            assert!(!verbatim.quotes(quotation), "{quotation:?}");
        }
        // The first place may be inside other words, and the second not.
        assert!(Verbatim::new("unfit to be used; fit to be used").quotes("fit to be used"));
    }

    proptest! {
        #[test]
        fn any_part_of_a_text_is_found_and_stands_for_the_same(text in "[ab“—é \n]{0,30}", from: prop::sample::Index, to: prop::sample::Index) {
            let chars: Vec<char> = text.chars().collect();
            if !chars.is_empty() {
                let (from, to) = (from.index(chars.len()), to.index(chars.len()));
                let part: String = chars[from.min(to)..=from.max(to)].iter().collect();
                let found = Verbatim::new(&text).find(&text, &part);
                prop_assert_eq!(found.is_none(), part.trim().is_empty());
                if let Some(found) = found {
                    prop_assert_eq!(Verbatim::new(&text[found]).plain, Verbatim::new(part.trim()).plain);
                }
            }
        }

        #[test]
        fn no_search_panics(text in ".{0,40}", quotation in ".{0,8}") {
            let found = Verbatim::new(&text).find(&text, &quotation);
            prop_assert!(found.is_none_or(|range| text.get(range).is_some()));
        }
    }
}
