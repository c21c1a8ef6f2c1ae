//! What may take the place of a version, what is a note and what is text, and which chains make sense.

use super::guard::{is_refusal, objection};
use super::mandate::{Mandate, check, polishes_too_early, tasks};
use super::notes::without_notes;
use super::{MODE, Options};
use proptest::prelude::*;
use serde_json::json;
use synod_engine::{OptionValue, options};

/// A text with this many distinct words.
fn prose(words: std::ops::Range<u32>) -> String {
    words.map(|n| format!("word{n}")).collect::<Vec<_>>().join(" ")
}

#[test]
fn notes_are_taken_out_however_they_are_dressed() {
    for (text, notes, rest) in [
        ("[Editor's Note: cut the intro]\n\n# Guide\nText.", vec!["cut the intro"], "# Guide\nText."),
        ("**[Editor's Note: cut it]**\n\n**Bold** start.", vec!["cut it"], "**Bold** start."),
        ("*[editor’s note: one]*\n[EDITOR'S NOTE: two]\nText.", vec!["one", "two"], "Text."),
        ("> [Editor's Note: quoted]\n\nText.", vec!["quoted"], "Text."),
        ("[**Editor's Note:** bold label]\nText.", vec!["bold label"], "Text."),
        ("[Editor's Note: see [1] and [a [b]]]\nText [2].", vec!["see [1] and [a [b]]"], "Text [2]."),
        ("[Editor's Note: over\ntwo lines]\nText.", vec!["over\ntwo lines"], "Text."),
        ("[Editor's Note: never closed\nText.", vec!["never closed"], "Text."),
        ("[Editor's Notes: several]\nText.", vec!["several"], "Text."),
        ("[Note: of the author]\nText.", vec![], "[Note: of the author]\nText."),
        ("Text.\n\n[Editor's Note: at the end]", vec!["at the end"], "Text."),
        ("A.\n\n**[Editor's Note: between]**\n\nB.", vec!["between"], "A.\n\nB."),
        ("[Editor's Note: one]\nA.\n> [Editor's Note: two]\nB.", vec!["one", "two"], "A.\nB."),
        ("A.\n[Editor's Note: x] goes on.", vec![], "A.\n[Editor's Note: x] goes on."),
        ("A.\n[Editor's Note: never closed\nB.", vec![], "A.\n[Editor's Note: never closed\nB."),
        ("A.\n[Editor's Note: see [1]\nB.", vec![], "A.\n[Editor's Note: see [1]\nB."),
        ("A.\n```\n[Editor's Note: code]\n\n\n```\nB.", vec![], "A.\n```\n[Editor's Note: code]\n\n\n```\nB."),
        ("Editor's Note: no brackets\nText.", vec![], "Editor's Note: no brackets\nText."),
        ("[Editor's Note without a colon]\nText.", vec![], "[Editor's Note without a colon]\nText."),
        ("[Editor's Note: nothing else]", vec![], "[Editor's Note: nothing else]"),
        ("", vec![], ""),
    ] {
        let (found, left) = without_notes(text);
        assert_eq!(found, notes, "{text}");
        assert_eq!(left, rest, "{text}");
    }
}

#[test]
fn only_a_short_text_that_opens_by_declining_is_a_refusal() {
    for refusal in [
        "I'm sorry, but I can't help with that.",
        "I’m sorry, but I can’t assist with this request.",
        "Sorry, I cannot write this.",
        "I cannot comply.",
        "I am unable to provide a rewrite of this text.",
        "Unfortunately, I won't continue this document.",
        "As an AI language model, I have no access to your keys.",
        "**I must decline to write this.**",
    ] {
        assert!(is_refusal(refusal), "{refusal}");
    }
    for text in [
        "I'm sorry to hear that your order was late.",
        "I cannot recommend this plan: it has no way back.",
        "We cannot help everybody at once.",
        "The service replies \"I can't help with that\" when the queue is full.",
        "I can write this in three ways.",
        "",
    ] {
        assert!(!is_refusal(text), "{text}");
    }
    assert!(!is_refusal(&format!("I cannot do this alone. {}", prose(0..150))), "a long text is a text");
}

#[test]
fn a_version_must_keep_words_and_matter() {
    let before = prose(0..100);
    let refused = |after: &str| objection(&before, after, 0.5).unwrap_or_default();
    assert_eq!(refused(&before), "", "the same text is a valid step");
    assert_eq!(refused(&prose(50..200)), "", "half of it kept, and more added");
    assert!(refused(&prose(0..49)).contains("49 words of 100"));
    assert!(refused(&prose(80..300)).contains("20 %"), "a list of suggestions is another text");
    assert!(refused("  ").contains("no text"));
    assert!(objection("A short note.", "I cannot help with that.", 0.1).is_some_and(|why| why.contains("refuses")));
    assert_eq!(objection("Short text here.", "Quite another matter.", 0.5), None, "too short to tell likeness");
    assert_eq!(objection(&before, &prose(80..300), 0.3), None, "the share to keep rules both");
}

#[test]
fn custom_steps_are_named_by_their_first_words() {
    let custom = ["Translate the headings into French, and keep the rest.".to_owned(), "Add a glossary.".to_owned()];
    let made = tasks(&[Mandate::Draft, Mandate::Custom, Mandate::PolishFormat, Mandate::Custom], &custom);
    let names: Vec<&str> = made.iter().map(|task| task.display.as_str()).collect();
    assert_eq!(names, ["Draft", "Custom: Translate the headings into French", "Polish & Format", "Custom: Add a glossary"]);
    assert_eq!(made[1].focus, custom[0]);
}

#[test]
fn chains_that_make_no_sense_are_refused_with_what_would() {
    let wrong = |given: serde_json::Value| -> String {
        let given: Vec<(String, OptionValue)> =
            given.as_object().expect("options").iter().map(|(name, value)| (name.clone(), OptionValue::json(value.clone()))).collect();
        let problems = options::resolve(&MODE, &given).err().unwrap_or_default();
        problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(wrong(json!({"steps": ["security_review", "polish_format"]})), "");
    assert!(wrong(json!({"steps": ["polish_format", "draft"]})).contains("draft as step 2"));
    assert!(wrong(json!({"steps": ["draft"]})).contains("2 to 6"));
    assert!(wrong(json!({"steps": ["draft", "sparkle"]})).contains("structure_depth"));
    assert!(wrong(json!({"steps": ["draft", "custom"]})).contains("1 text, one for each custom step"));
    assert!(wrong(json!({"custom_mandates": ["Add a glossary."]})).contains("none of the steps is custom"));
    assert!(wrong(json!({"steps": ["draft", "custom"], "custom_mandates": ["short"]})).contains("10 to 2000"));
    assert!(wrong(json!({"steps": ["draft", "custom"], "custom_mandates": ["x".repeat(2001)]})).contains("2001"));
    assert_eq!(wrong(json!({"steps": ["custom", "custom"], "custom_mandates": ["Write it as a fable.", "Add a moral to it."]})), "");
    assert_eq!(check(&Options::default().steps, &[]), []);
}

#[test]
fn polish_before_a_check_of_facts_is_noticed() {
    use Mandate::{AccuracyCompleteness as Check, Draft, PolishFormat as Polish};
    assert!(!polishes_too_early(&[Draft, Check, Polish]));
    assert!(polishes_too_early(&[Draft, Polish, Check]));
    assert!(polishes_too_early(&[Draft, Check, Polish, Check]));
    assert!(!polishes_too_early(&[Draft, Polish]));
}

proptest! {
    /// No text is invented: what is left are lines of what came, the first perhaps only its end, and a text without notes stays as it is.
    #[test]
    fn notes_are_cut_and_nothing_else(text in "(\\[Editor's Note: |\\[|\\]|\\*|\\n|a|b c|é){0,24}") {
        let (notes, rest) = without_notes(&text);
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        prop_assert!(rest.lines().skip(1).all(|line| lines.contains(&line.trim())));
        prop_assert!(rest.lines().next().is_none_or(|first| lines.iter().any(|line| line.ends_with(first.trim()))));
        prop_assert!(!notes.is_empty() || rest == text.trim());
        prop_assert!(!rest.is_empty() || text.trim().is_empty());
        prop_assert_eq!(without_notes(&rest).1, rest.clone(), "nothing is left to take");
    }

    #[test]
    fn the_same_text_is_always_a_version_of_itself(text in "[a-z ]{1,400}", share in 0.1_f64..=1.0) {
        prop_assert_eq!(objection(&text, &text, share).is_none(), !text.trim().is_empty());
    }
}
