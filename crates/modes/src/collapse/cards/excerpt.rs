//! What the evidence behind a card says, for those who judge it: the files its pointers lead to, as they were frozen into the run, and what its
//! commands printed. Short texts whole; of long ones the passages nearest to what the card claims, those that speak of failure, and the end.
//!
//! The room is shared out: every piece gets its part of it, and its label says how much of it is shown. Of a card with too many pieces for that,
//! the first ones are shown; the others are marked before the run as shown to nobody.

use super::card::{Card, Evidence, PointerCheck};
use serde::Serialize;
use std::collections::BTreeSet;
use synod_math::{Index, passages};
use synod_types::Question;

/// Characters shown of one piece of evidence, of all on one card, and of one passage.
const PIECE: usize = 2400;
const CARD: usize = 7200;
const PASSAGE: usize = 400;
/// Pieces of one card that are shown at most: with more of them none would have the room to say anything.
const PIECES: usize = 24;
/// Passages chosen by the claims, and by the words of failure.
const NEAR: usize = 3;
const FAILING: usize = 2;
/// What a log says where the claim it is named for does not hold.
const FAILURE: &str =
    "fail fails failed failing failure failures error errors fatal panic exception refused rejected violated broken wrong lost leak";

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Excerpt {
    /// The pointer, and how much of it is shown if that is not all.
    pub label: String,
    pub text: String,
}

/// The evidence of a card that can be shown. What came with the question itself stands in the prompt already.
pub fn excerpts(card: &Card, question: &Question) -> Vec<Excerpt> {
    let query: Vec<&str> = card.claims.iter().map(String::as_str).chain(card.plan.iter().map(|step| step.action.as_str())).collect();
    let query = query.join(" ");
    let texts = shown(&card.evidence).filter_map(|piece| Some((piece.source().0, text_of(piece, question)?.trim())));
    let texts: Vec<(&str, &str)> = texts.filter(|(_, text)| !text.is_empty()).collect();
    let lengths: Vec<usize> = texts.iter().map(|(_, text)| text.chars().count()).collect();
    let each = texts.into_iter().zip(lengths.iter().zip(shares(&lengths)));
    each.map(|((name, text), (length, most))| {
        if *length <= most {
            return Excerpt { label: name.to_owned(), text: text.to_owned() };
        }
        let (text, kept) = chosen(text, &query, most);
        Excerpt { label: format!("{name}, in excerpts: {kept} of {length} characters"), text }
    })
    .collect()
}

/// How many characters each text of these lengths is shown with: as many as it has, or an even part of what the shorter ones leave.
fn shares(lengths: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by_key(|at| lengths[*at]);
    let mut out = vec![0; lengths.len()];
    let mut left = CARD;
    for (done, at) in order.into_iter().enumerate() {
        out[at] = lengths[at].min(PIECE).min(left / (lengths.len() - done));
        left -= out[at];
    }
    out
}

/// The pieces that those who judge a card are shown, in its order and each source once.
fn shown(evidence: &[Evidence]) -> impl Iterator<Item = &Evidence> {
    let mut seen = BTreeSet::new();
    evidence.iter().filter(|piece| is_readable(piece)).filter(move |piece| seen.insert(piece.source())).take(PIECES)
}

/// Whether there may be a text behind it: a command's output, or a file that was found.
fn is_readable(piece: &Evidence) -> bool {
    if piece.is_command() { !piece.output.trim().is_empty() } else { piece.checked.as_ref().is_none_or(|check| check.valid) }
}

/// Marks what is shown to nobody because a card points to too much: like an address that was not fetched, it counts half.
pub fn mark_unshown(evidence: &mut [Evidence]) {
    if evidence.len() <= PIECES {
        return;
    }
    let known: BTreeSet<(String, String)> = shown(evidence).map(|piece| piece.source()).map(|(a, b)| (a.to_owned(), b.to_owned())).collect();
    let unshown = |piece: &&mut Evidence| {
        let (name, output) = piece.source();
        is_readable(piece) && !known.contains(&(name.to_owned(), output.to_owned()))
    };
    for piece in evidence.iter_mut().filter(unshown) {
        if let Some(check) = piece.checked.as_mut().filter(|check| check.valid) {
            let why = format!("{}, shown to nobody: of one card {PIECES} pieces are", check.found);
            *check = PointerCheck::not_looked_up(&why);
        }
    }
}

fn text_of<'a>(piece: &'a Evidence, question: &'a Question) -> Option<&'a str> {
    if piece.is_command() {
        return Some(&piece.output);
    }
    question.evidence.iter().find(|file| file.name == piece.path()).map(|file| file.text.as_str())
}

/// Passages of a long text, in its order, with a mark where something is left out; and how many characters of it they hold.
fn chosen(text: &str, query: &str, most: usize) -> (String, usize) {
    // Where there is little room passages are short, so that more than one of them fits.
    let ranges = passages(text, PASSAGE.min(most / 4));
    let texts: Vec<&str> = ranges.iter().map(|range| &text[range.clone()]).collect();
    let index = Index::new(&texts);
    let failing = index.nearest(FAILURE, FAILING);
    let wanted = failing.into_iter().chain(ranges.len().checked_sub(1)).chain(index.nearest(query, NEAR)).chain([0]);
    let mut kept: BTreeSet<usize> = BTreeSet::new();
    let (mut room, mut length) = (most, 0);
    for at in wanted {
        let size = texts.get(at).map_or(usize::MAX, |text| text.chars().count());
        // A mark and a line break go with each.
        if size.saturating_add(5) <= room && kept.insert(at) {
            room -= size + 5;
            length += size;
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
    (out.trim_end().to_owned(), length)
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
        let (kept, all) = (shown.label.strip_prefix("log.txt, in excerpts: "), format!(" of {} characters", long.chars().count()));
        let kept: usize = kept.and_then(|label| label.strip_suffix(&all)?.parse().ok()).expect("how much is shown");
        assert!(kept > 1000 && kept <= shown.text.chars().count(), "{}", shown.label);
        for part in ["four times the peak", "FAILED at midnight", "Summary: 3 of 4", "[…]"] {
            assert!(shown.text.contains(part), "{part}: {}", shown.text);
        }
        assert!(shown.text.chars().count() <= PIECE + 10, "{}", shown.text.len());
        assert!(excerpts(&card("It holds.", of("unread.bin")), &question(&[])).is_empty());
    }

    #[test]
    fn of_many_long_files_each_is_shown_and_none_is_crowded_out() {
        let filler = "Step done without any remark of note.\n\n".repeat(300);
        let long = format!("{filler}The peak was met.\n\n{filler}");
        let failed = format!("{filler}the test FAILED\n\n{filler}");
        for (pieces, short) in [(4, false), (4, true), (24, false)] {
            let names: Vec<String> = (0..pieces).map(|n| format!("f{n}")).collect();
            let last = if short { "the test FAILED" } else { &failed };
            let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), if *name == names[pieces - 1] { last } else { &long })).collect();
            let evidence: Vec<_> = names.iter().map(|name| json!({"type": "test", "pointer": name, "quality": 1})).collect();
            let found = excerpts(&card("The peak is met.", json!(evidence)), &question(&files));
            assert_eq!(found.len(), pieces);
            assert!(found[pieces - 1].text.contains("the test FAILED"), "{pieces}: {:?}", found[pieces - 1]);
            assert!(found[..pieces - 1].iter().all(|each| each.text.contains("The peak was met") && each.label.contains(" of ")), "{found:?}");
            let sizes: Vec<usize> = found.iter().map(|each| each.text.chars().count()).collect();
            assert!(sizes.iter().sum::<usize>() <= CARD + 10 * pieces, "{sizes:?}");
        }
        assert_eq!(shares(&[10_000, 100, 10_000, 10_000, 10_000]), [1775, 100, 1775, 1775, 1775]);
        assert_eq!(shares(&[10_000, 100]), [2400, 100]);
    }

    #[test]
    fn what_is_beyond_the_room_of_a_card_is_shown_to_nobody_and_counts_half() {
        let checked = json!({"valid": true, "found": "a file of 9 bytes"});
        let evidence: Vec<_> = (0..30).map(|n| json!({"type": "test", "pointer": format!("f{n}#{n}"), "quality": 0.8, "checked": checked})).collect();
        let mut many = card("It holds.", json!(evidence));
        let texts: Vec<String> = (0..30).map(|n| format!("f{n}")).collect();
        let files: Vec<(&str, &str)> = texts.iter().map(|name| (name.as_str(), "it holds.")).collect();
        mark_unshown(&mut many.evidence);
        let found = excerpts(&many, &question(&files));
        assert_eq!((found.len(), found[23].label.as_str()), (24, "f23"));
        let worth: Vec<f64> = many.evidence.iter().map(Evidence::worth).collect();
        assert!(worth[..24].iter().all(|worth| *worth == 0.8) && worth[24..].iter().all(|worth| *worth == 0.4), "{worth:?}");
        let told = many.evidence[24].checked.as_ref().map(|check| check.found.as_str());
        assert_eq!(told, Some("a file of 9 bytes, shown to nobody: of one card 24 pieces are"));
    }

    #[test]
    fn what_a_command_printed_is_shown_too() {
        let evidence =
            json!([{"type": "test", "pointer": "command: cargo test", "quality": 0.9, "exit_code": 0, "output": "test result: FAILED. 1 failed"}]);
        let found = excerpts(&card("It holds.", evidence), &question(&[]));
        assert_eq!(found, [Excerpt { label: "command: cargo test".into(), text: "test result: FAILED. 1 failed".into() }]);
        let twice = |pointer: &str, output: &str| json!({"type": "test", "pointer": pointer, "quality": 0.9, "exit_code": 0, "output": output});
        let evidence = json!([twice("command: make #1", "fine"), twice("command: make #2", "FAILED"), twice("command: make #2", "fine again")]);
        let texts: Vec<String> = excerpts(&card("It holds.", evidence), &question(&[])).into_iter().map(|each| each.text).collect();
        assert_eq!(texts, ["fine", "FAILED", "fine again"], "each run of a command is a piece of its own");
    }

    proptest! {
        #[test]
        fn whatever_the_evidence_says_a_card_shows_so_much_of_it_and_no_more(text in "([a-e ]{0,30}[.\n]){0,400}", pieces in 1_usize..40) {
            let names: Vec<String> = (0..pieces).map(|n| format!("f{n}")).collect();
            let evidence: Vec<_> = names.iter().map(|name| json!({"type": "test", "pointer": name, "quality": 1})).collect();
            let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), text.as_str())).collect();
            let found = excerpts(&card("ab cd", json!(evidence)), &question(&files));
            prop_assert_eq!(found.len(), if text.trim().is_empty() { 0 } else { pieces.min(PIECES) });
            let all: usize = found.iter().map(|excerpt| excerpt.text.chars().count()).sum();
            prop_assert!(all <= CARD + 10 * pieces, "{all}");
        }
    }
}
