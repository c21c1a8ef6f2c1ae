//! What the evidence behind a card says, for those who judge it: the files its pointers lead to, as they were frozen into the run, and what its
//! commands printed. Short texts whole; of long ones the passages nearest to what the card claims, those that speak of failure, and the end.

use super::card::{Card, Evidence};
use serde::Serialize;
use std::collections::BTreeSet;
use synod_math::{Index, passages};
use synod_types::Question;

/// Characters shown of one piece of evidence, of all on one card, and of one passage.
const PIECE: usize = 2400;
const CARD: usize = 7200;
const PASSAGE: usize = 400;
/// Passages chosen by the claims, and by the words of failure.
const NEAR: usize = 3;
const FAILING: usize = 2;
/// What a log says where the claim it is named for does not hold.
const FAILURE: &str =
    "fail fails failed failing failure failures error errors fatal panic exception refused rejected violated broken wrong lost leak";

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Excerpt {
    /// The pointer, and whether all of it is shown.
    pub label: String,
    pub text: String,
}

/// The evidence of a card that can be shown. What came with the question itself stands in the prompt already.
pub fn excerpts(card: &Card, question: &Question) -> Vec<Excerpt> {
    let query: Vec<&str> = card.claims.iter().map(String::as_str).chain(card.plan.iter().map(|step| step.action.as_str())).collect();
    let query = query.join(" ");
    let mut left = CARD;
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    for piece in &card.evidence {
        let Some(text) = text_of(piece, question).map(str::trim).filter(|text| !text.is_empty()) else { continue };
        if !seen.insert(piece.path()) {
            continue;
        }
        let most = PIECE.min(left);
        let length = text.chars().count();
        let (shown, text) = if length <= most { ("", text.to_owned()) } else { (", in excerpts", chosen(text, &query, most)) };
        left -= text.chars().count().min(left);
        if !text.is_empty() {
            out.push(Excerpt { label: format!("{}{shown}", piece.path()), text });
        }
    }
    out
}

fn text_of<'a>(piece: &'a Evidence, question: &'a Question) -> Option<&'a str> {
    if piece.is_command() {
        return Some(&piece.output);
    }
    question.evidence.iter().find(|file| file.name == piece.path()).map(|file| file.text.as_str())
}

/// Passages of a long text, in its order, with a mark where something is left out.
fn chosen(text: &str, query: &str, most: usize) -> String {
    let ranges = passages(text, PASSAGE);
    let texts: Vec<&str> = ranges.iter().map(|range| &text[range.clone()]).collect();
    let index = Index::new(&texts);
    let failing = index.nearest(FAILURE, FAILING);
    let wanted = failing.into_iter().chain(ranges.len().checked_sub(1)).chain(index.nearest(query, NEAR)).chain([0]);
    let mut kept: BTreeSet<usize> = BTreeSet::new();
    let mut room = most;
    for at in wanted {
        let size = texts.get(at).map_or(usize::MAX, |text| text.chars().count() + 5);
        if size <= room && kept.insert(at) {
            room -= size;
        }
    }
    let mut out = String::new();
    let mut next = 0;
    for at in kept {
        if at > next {
            out.push_str("[…]\n");
        }
        out.push_str(texts[at]);
        out.push('\n');
        next = at + 1;
    }
    if next < texts.len() && !out.is_empty() {
        out.push_str("[…]");
    }
    out.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;
    use synod_types::Attachment;

    fn card(claim: &str, evidence: serde_json::Value) -> Card {
        let card = json!({"id": "a", "claims": [claim], "plan": [{"action": "Do it."}], "evidence": evidence, "confidence": 1, "cost": 1, "reversibility": 1});
        serde_json::from_value(card).expect("a card")
    }

    fn question(files: &[(&str, &str)]) -> Question {
        let file =
            |(name, text): &(&str, &str)| Attachment { name: (*name).into(), sha256: String::new(), bytes: text.len() as u64, text: (*text).into() };
        Question { evidence: files.iter().map(file).collect(), ..Question::default() }
    }

    #[test]
    fn a_short_file_is_shown_whole_and_of_a_long_one_what_matters() {
        let of = |pointer: &str| json!([{"type": "test", "pointer": pointer, "quality": 0.9}]);
        let short = excerpts(&card("It holds.", of("load.txt#tail")), &question(&[("load.txt", "the test FAILED\n")]));
        assert_eq!(short, [Excerpt { label: "load.txt".into(), text: "the test FAILED".into() }]);
        let filler = "Step done without any remark of note.\n\n".repeat(300);
        let long =
            format!("Begin.\n\n{filler}The checkout carried four times the peak.\n\n{filler}the test FAILED at midnight\n\n{filler}Summary: 3 of 4.");
        let found = excerpts(&card("The checkout carries the peak.", of("log.txt")), &question(&[("log.txt", &long)]));
        let shown = &found[0];
        assert_eq!(shown.label, "log.txt, in excerpts");
        for part in ["four times the peak", "FAILED at midnight", "Summary: 3 of 4", "[…]"] {
            assert!(shown.text.contains(part), "{part}: {}", shown.text);
        }
        assert!(shown.text.chars().count() <= PIECE + 10, "{}", shown.text.len());
        assert!(excerpts(&card("It holds.", of("unread.bin")), &question(&[])).is_empty());
    }

    #[test]
    fn what_a_command_printed_is_shown_too() {
        let evidence =
            json!([{"type": "test", "pointer": "command: cargo test", "quality": 0.9, "exit_code": 0, "output": "test result: FAILED. 1 failed"}]);
        let found = excerpts(&card("It holds.", evidence), &question(&[]));
        assert_eq!(found, [Excerpt { label: "command: cargo test".into(), text: "test result: FAILED. 1 failed".into() }]);
    }

    proptest! {
        #[test]
        fn whatever_the_evidence_says_a_card_shows_so_much_of_it_and_no_more(text in "([a-e ]{0,30}[.\n]){0,400}", pieces in 1_usize..8) {
            let names: Vec<String> = (0..pieces).map(|n| format!("f{n}")).collect();
            let evidence: Vec<_> = names.iter().map(|name| json!({"type": "test", "pointer": name, "quality": 1})).collect();
            let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), text.as_str())).collect();
            let found = excerpts(&card("ab cd", json!(evidence)), &question(&files));
            let all: usize = found.iter().map(|excerpt| excerpt.text.chars().count()).sum();
            prop_assert!(all <= CARD + 10 * pieces, "{all}");
        }
    }
}
