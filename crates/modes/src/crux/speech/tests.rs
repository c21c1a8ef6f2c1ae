//! Stock openings go, and nothing else does.

use super::stock_phrases::{phrases_used, remove_stock_phrases};
use proptest::prelude::*;

#[test]
fn stock_openings_are_taken_off_and_what_follows_stays() {
    for (given, want) in [
        ("That's a great point, but volatility is the price of admission.", Some("But volatility is the price of admission.")),
        ("Firstly, the supply is fixed. Secondly, demand is not.", Some("The supply is fixed. Secondly, demand is not.")),
        ("In summary, no.", Some("No.")),
        ("As an AI, I cannot hold bitcoin but the math is clear.", Some("I cannot hold bitcoin but the math is clear.")),
        ("As an AI language model, I'm no lawyer.", Some("I'm no lawyer.")),
        ("Let's break this down: capex is up 40% and hiring is flat.", Some("Capex is up 40% and hiring is flat.")),
        ("That's a fair question. Firstly, show me the data behind it.", Some("Show me the data behind it.")),
        ("That’s a good observation — and the grid still fails in July.", Some("And the grid still fails in July.")),
        ("That is a good observation—and the grid still fails in July.", Some("And the grid still fails in July.")),
        ("THAT'S A VALID POINT; it fails in winter though.", Some("It fails in winter though.")),
        ("That's an interesting point, and the grid still fails in July.", Some("And the grid still fails in July.")),
        ("In conclusion: -5% is what it came to.", Some("-5% is what it came to.")),
        ("In summary, .5 of a point is nothing.", Some(".5 of a point is nothing.")),
        ("That's a great point. That's a good question. Firstly, in summary, I would wait.", Some("I would wait.")),
        ("That's a great point.", None),
        ("That's a great point", None),
        ("In summary,", None),
        ("…", None),
        ("", None),
    ] {
        let filtered = remove_stock_phrases(given);
        assert_eq!(filtered.text.as_deref(), want, "{given}");
        assert!(filtered.text.is_none_or(|text| remove_stock_phrases(&text).removed.is_empty()), "{given}: cleaned is clean");
    }
    assert_eq!(remove_stock_phrases("That's a fair question. Firstly, show me the data behind it.").removed, ["praise", "counting"]);
}

/// Sentences of which an earlier filter took the subject, the negation or the middle, and others that only look like an opening.
const SURVIVE: [&str; 50] = [
    "That's a fair point, not a strong one.",
    "That's a valid question, but not for me.",
    "That's a great point, if rates hold.",
    "That is a good question — to which nobody here has an answer.",
    "That's a fair observation, and a costly one for whoever rents.",
    "That's an interesting point, only it was made in 1998.",
    "Regulating it as an AI product is a mistake.",
    "As an AI product it falls under the act; as a toaster it would not.",
    "As an AI, it needs a permit, and as a toy it needs none.",
    "As an AI, the system is covered by article six.",
    "I do not trust it as an AI, I trust it as a calculator.",
    "As an aide I saw it, in conclusions nobody drew.",
    "The volatility argument misses the point entirely because rates moved.",
    "The safety critique ignores the forty thousand who wait.",
    "The growth claim fails in every year but one.",
    "The framing overlooks who pays.",
    "The market thesis fails without cheap credit.",
    "The risk, however, and the argument ignores it.",
    "The price is what it is, and nobody set it.",
    "The point misses nobody who was there.",
    "Demand is structural, in conclusion, and supply is not.",
    "He wrote \"in conclusion\". In summary, the grid fails in July.",
    "In summary judgment the court found for the tenant.",
    "In summary form it fits on a page.",
    "In conclusion the treaty changed nothing, and its drafting changed less.",
    "I will not say in summary, since it is not one.",
    "That's a good question to put to the regulator, not to me.",
    "That's a fair point about wages and a poor one about rents.",
    "That's a great pointer to the wrong file.",
    "That's a valid question only if you pay for the answer.",
    "That's a good observation nobody acted on.",
    "That's not a great point, but it is the only one we have.",
    "That's no good question for a judge.",
    "Is that's a great point, or is it only a loud one?",
    "Firstly rated bonds failed before secondly rated ones.",
    "First, do no harm.",
    "Secondly-held shares carry no vote.",
    "I object firstly, and secondly I walk.",
    "Let's break this down by region before anyone quotes an average.",
    "Let's break this downturn into its two halves.",
    "We never said let's break this down, we said leave it whole.",
    "iPhone sales fell and nobody in this room lost a night's sleep.",
    "eBay did it without a rule in 1998.",
    "“In summary, no” is what the minutes say.",
    "It could be cheaper, perhaps, and it might not be.",
    "No.",
    "Not in my district, and not this year.",
    "No,  two spaces stand where they were put.",
    "-5% is a loss whatever you call it.",
    "Nobody asked me as an AI. They asked me as a witness.",
];

#[test]
fn forty_sentences_survive_letter_for_letter() {
    for given in SURVIVE {
        let filtered = remove_stock_phrases(given);
        assert_eq!((filtered.text.as_deref(), filtered.removed), (Some(given), Vec::new()));
    }
}

#[test]
fn forbidden_phrases_are_whole_words_in_any_case() {
    let never = ["game changer", "win-win", "risk"].map(str::to_owned);
    assert_eq!(phrases_used("A real Game Changer, a WIN-WIN.", &never), ["game changer", "win-win"]);
    assert_eq!(phrases_used("Risk on risk, brisk.", &never), ["risk", "risk"], "each as often as it stands there");
    assert_eq!(phrases_used("A game changers' brisk asterisk.", &never), Vec::<&str>::new());
}

proptest! {
    /// Whatever the text: what is left is its end, but for the case of one letter, and only what stands at its start can go.
    #[test]
    fn what_is_left_is_the_end_of_what_was_said(lead in "(That's a (great|fair) (point|question)[,.;:!]? ?|Firstly,? |In summary,? |As an AI,? ?|Let's break this down:? ?){0,3}", rest in "[ -~…—’]{0,40}") {
        let given = format!("{lead}{rest}");
        let filtered = remove_stock_phrases(&given);
        let given = given.trim();
        match filtered.text {
            Some(text) if filtered.removed.is_empty() => prop_assert_eq!(text, given),
            Some(text) => {
                let tail = |text: &str| text.chars().skip(1).collect::<String>();
                prop_assert!(given.ends_with(&tail(&text)), "{} of {}", text, given);
                prop_assert!(remove_stock_phrases(&text).removed.is_empty());
            }
            None => prop_assert!(!rest.trim().chars().any(char::is_alphanumeric), "{} was lost", rest),
        }
    }
}
