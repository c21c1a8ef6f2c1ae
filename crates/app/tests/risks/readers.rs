//! Whatever stands in a decision file or a persona's, it is one, or every mistake in it is told.

use proptest::prelude::*;
use synod_app::{decision_from, parse_document};
use synod_modes::crux::persona;

const CARDS: &[&str] = &[
    "title: T\n",
    "objective: O\n",
    "cards:\n",
    "  - position_id: a\n",
    "    position_id: a\n",
    "    claim: c\n",
    "    title: t\n",
    "    confidence: 2\n",
    "    confidence: .nan\n",
    "    evidence: [{type: fact, pointer: ../x, weight: -1}]\n",
    "policy: {weights: {safety: 9e999}}\n",
    "risk_tier: high\n",
    "evaluations: [1, null]\n",
    "- ",
    "  ",
    "&a ",
    "*a ",
    "<<: *a\n",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "'",
    "|\n",
    ": ",
    "!!binary x\n",
    "\u{0}",
    "é",
    "---\n",
    "...\n",
    "\t",
    "1: 2\n",
    "? x\n",
];

const PERSONA: &[&str] = &[
    "id = \"a\"\n",
    "name = \"A\"\n",
    "handle = \"a\"\n",
    "decks = [\"markets\"]\n",
    "bio = \"\"\"x\"\"\"\n",
    "[voice]\n",
    "hint = \"h\"\n",
    "[[anchors]]\n",
    "text = \"t\"\n",
    "source = \"s\"\n",
    "date = 2026-01-01\n",
    "patterns = []\n",
    "{\"id\": \"a\"",
    ",",
    "}",
    "[",
    "]",
    "\"",
    "=",
    "\n",
    "\u{0}",
    "é",
    "x = 1e999\n",
    "id = 3\n",
];

fn text(pieces: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(pieces), 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn no_text_breaks_the_reader_of_cards(text in text(CARDS)) {
        if let Ok(decision) = parse_document(&text)
            && let Err(problems) = decision_from(decision)
        {
            prop_assert!(!problems.0.is_empty());
        }
    }

    #[test]
    fn no_text_breaks_the_reader_of_personas(text in text(PERSONA)) {
        match persona::read("somebody", &text) {
            Ok(persona) => prop_assert!(!persona.id.is_empty()),
            Err(problems) => prop_assert!(!problems.is_empty()),
        }
    }
}
