//! Whether, and where, a quotation stands in a text word for word.
//!
//! Runs of white space count as one space, and typographic quotation marks and dashes as their plain forms: models change these without
//! meaning to. Everything else must be the same, letter case too.

use std::ops::Range;

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

    pub fn holds(&self, quotation: &str) -> bool {
        self.place(quotation).is_some()
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
            assert_eq!(verbatim.holds(quotation), want.is_some(), "{quotation:?}");
        }
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
