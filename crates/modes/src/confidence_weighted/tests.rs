//! Confidences as models write them, answers as they frame them, and what a missing number is worth.

use super::reply::{Blend, RatedAnswer, confidence, fraction};
use super::weighing::{StatedAnswer, WeightedAnswer, alone, heaviest_first, weigh};
use super::{Options, Weights, weighing};
use proptest::prelude::*;
use synod_engine::{IdLists, ReplyFormat, TypedReply};
use synod_math::weights::percent;
use synod_types::{ConfidenceSource, Shape};

#[test]
fn a_confidence_is_a_fraction_a_percentage_or_missing() {
    // written, read
    let table: &[(&str, Option<f64>)] = &[
        ("0.8", Some(0.8)),
        ("0", Some(0.0)),
        ("1", Some(1.0)),
        ("1.0", Some(1.0)),
        ("1.5", Some(1.0)),
        ("2", Some(1.0)),
        ("2.5", Some(0.025)),
        ("85", Some(0.85)),
        ("100", Some(1.0)),
        ("101", None),
        ("85%", Some(0.85)),
        ("85 %", Some(0.85)),
        ("85 percent", Some(0.85)),
        ("1%", Some(0.01)),
        ("120%", Some(1.0)),
        ("8/10", Some(0.8)),
        ("8 / 10", Some(0.8)),
        ("8 out of 10", Some(0.8)),
        ("4/5", Some(0.8)),
        ("12/10", Some(1.0)),
        ("8/0", None),
        ("-0.3", Some(0.0)),
        ("0,8", Some(0.8)),
        (".7", Some(0.7)),
        ("**0.8**", Some(0.8)),
        ("[0.8]", Some(0.8)),
        ("`0.8`", Some(0.8)),
        ("0.8.", Some(0.8)),
        ("~0.8", Some(0.8)),
        ("0.8 (fairly sure)", Some(0.8)),
        ("80% - mostly from memory", Some(0.8)),
        ("0.8 or 0.9", None),
        ("0.8-0.9", None),
        ("0.8 (or 0.9)", None),
        ("7 stars", None),
        ("high", None),
        ("about half", None),
        ("0.8.1", None),
        ("NaN", None),
        ("", None),
    ];
    for (written, want) in table {
        let read = confidence(written);
        let same = read.is_some() == want.is_some() && read.zip(*want).is_none_or(|(a, b)| (a - b).abs() < 1e-12);
        assert!(same, "{written:?} gave {read:?}, not {want:?}");
    }
    assert_eq!([fraction(f64::NAN), fraction(f64::INFINITY), fraction(1e300)], [None; 3]);
}

#[test]
fn the_last_confidence_line_counts_and_markup_does_not() {
    let read = |text: &str| RatedAnswer::from_text(text, &IdLists::default());
    let whole = read(
        "RESPONSE:\nUse a queue.\nCONFIDENCE: 0.2 is what I'd write for cron.\n\n**CONFIDENCE:** 0.8\n**CONFIDENCE_REASONING:** I ran one.\nTwice.",
    );
    let want = RatedAnswer {
        reasons: "I ran one.\nTwice.".into(),
        answer: "Use a queue.\nCONFIDENCE: 0.2 is what I'd write for cron.".into(),
        confidence: Some(0.8),
    };
    assert_eq!(whole, Some(want));
    let bare = read("Use a queue.\nCONFIDENCE: 70%").expect("an answer and a number");
    assert_eq!((bare.answer.as_str(), bare.confidence), ("Use a queue.", Some(0.7)));
    let unsure = read("RESPONSE: Use a queue.\nCONFIDENCE: rather high").expect("an answer without a number");
    assert_eq!((unsure.answer.as_str(), unsure.stated()), ("Use a queue.", None));
    let prose = read("Use a queue. I have confidence: 0.8").expect("plain words are an answer");
    assert_eq!((prose.answer.as_str(), prose.confidence), ("Use a queue. I have confidence: 0.8", None), "and nothing is guessed from them");
    assert_eq!([read("{\"answer\": Use a"), read("```json\n{\"answer\": Use a\n```")], [None, None], "broken JSON is none");
    assert!(read("Write `{}`:\n```rust\nfn main() {}\n```").is_some());
    let twice = read("RESPONSE:\nThe server says:\nResponse: 200\nCONFIDENCE: 0.9").expect("an answer that holds the word again");
    assert_eq!(twice.answer, "The server says:\nResponse: 200");
    assert!(RatedAnswer::read("RESPONSE:\n\nCONFIDENCE: 0.8", &IdLists::default()).is_err(), "an empty answer is none");
}

#[test]
fn numbers_in_json_are_read_by_the_same_rule() {
    let stated = |confidence: &str| {
        let reply = format!("{{\"reasons\": \"r\", \"answer\": \"a\", \"confidence\": {confidence}}}");
        RatedAnswer::read(&reply, &IdLists::default()).ok().and_then(|(value, _)| RatedAnswer::recall(&value).expect("a reply").stated())
    };
    assert_eq!([stated("0.8"), stated("85"), stated("1.5"), stated("-0.3")], [Some(0.8), Some(0.85), Some(1.0), Some(0.0)]);
    assert_eq!([stated("null"), stated("400")], [None, None]);
    assert_eq!([stated("\"80%\""), stated("\"0.8\""), stated("\"8/10\"")], [Some(0.8); 3]);
    for confidence in ["\"high\"", "[0.8]", "true"] {
        let reply = format!("Here it is:\n```json\n{{\"reasons\": \"r\", \"answer\": \"a {{b}}\", \"confidence\": {confidence}}}\n```");
        let (value, _) = RatedAnswer::read(&reply, &IdLists::default()).expect("the answer is kept");
        let rated = RatedAnswer::recall(&value).expect("a reply");
        assert_eq!((rated.reasons.as_str(), rated.answer.as_str(), rated.stated()), ("r", "a {b}", None), "{confidence}");
    }
}

#[test]
fn notes_are_no_part_of_the_synthesis() {
    let read = |text: &str| Blend::from_text(text, &IdLists::default());
    let whole = read("**SYNTHESIS:**\nUse a queue.\n\n## CONFIDENCE CALIBRATION NOTES:\nK3 was too sure.").expect("a synthesis");
    assert_eq!((whole.synthesis.as_str(), whole.calibration_notes.as_str()), ("Use a queue.", "K3 was too sure."));
    let plain = read("Use a queue.").expect("plain words");
    assert_eq!((plain.synthesis.as_str(), plain.calibration_notes.as_str()), ("Use a queue.", ""));
    assert_eq!([read("{\"synthesis\": Use a"), read("```json\n{\"synthesis\": Use a")], [None, None]);
    let code = read("Use a queue:\n```rust\nfn main() {}\n```").expect("braces further down are part of it");
    assert!(code.synthesis.ends_with("fn main() {}\n```"), "{}", code.synthesis);
    assert!(Blend::read("SYNTHESIS:\n", &IdLists::default()).is_err());
}

fn weighed(stated: &[Option<f64>], texts: &[&str], weights: Weights, temperature: f64) -> Vec<WeightedAnswer> {
    let came = (0..).zip(stated.iter().zip(texts)).map(|(seat, (stated, text))| StatedAnswer {
        label: format!("K{seat}"),
        seat,
        text: (*text).to_owned(),
        stated: *stated,
        reasons: format!("why {seat}"),
    });
    weigh(came.collect(), &Options { weights, temperature, ..Options::default() })
}

fn percents(weighed: &[WeightedAnswer]) -> Vec<f64> {
    weighed.iter().map(|one| percent(one.weight)).collect()
}

#[test]
fn a_missing_confidence_takes_the_mean_of_the_others_and_says_so() {
    let some = weighed(&[Some(0.9), None, Some(0.5)], &["a1", "b1", "c1"], Weights::Stated, 1.0);
    assert_eq!(some.iter().map(|one| one.imputed).collect::<Vec<_>>(), [None, Some(0.7), None]);
    assert_eq!(percents(&some), percents(&weighed(&[Some(0.9), Some(0.7), Some(0.5)], &["a1", "b1", "c1"], Weights::Stated, 1.0)));
    let none = weighed(&[None, None], &["a1", "b1"], Weights::Stated, 0.25);
    assert_eq!((percents(&none), none[0].imputed), (vec![50.0, 50.0], None));
    assert_eq!(weighing::confidence(&none), None);
}

#[test]
fn a_loud_seat_does_not_win_by_shouting_where_likeness_decides() {
    let texts = ["queue the batch jobs", "queue those batch jobs", "bribe the weather"];
    let stated = [Some(0.5), Some(0.5), Some(1.0)];
    let by_stated = weighed(&stated, &texts, Weights::Stated, 0.25);
    assert_eq!(heaviest_first(&by_stated)[0].seat, 2);
    let by_agreement = weighed(&stated, &texts, Weights::Agreement, 0.25);
    assert_eq!(heaviest_first(&by_agreement).last().map(|one| one.seat), Some(2));
    assert_eq!(percents(&weighed(&stated, &texts, Weights::Equal, 0.25)), [33.33; 3]);
    // Every rule's weights are kept, whichever rules.
    assert_eq!(by_stated[2].by_agreement, by_agreement[2].weight);
    assert_eq!(alone(&by_stated).iter().map(|one| one.seat).collect::<Vec<_>>(), [2]);
    // Likeness weighs; it is never the confidence.
    assert_eq!(weighing::confidence(&by_agreement).map(|confidence| confidence.source), Some(ConfidenceSource::Stated));
}

#[test]
fn extremes_are_pointed_out_and_weigh_what_they_weigh() {
    let extreme = weighed(&[Some(0.98), Some(0.95), Some(0.1), Some(0.08), None], &["a1", "b1", "c1", "d1", "e1"], Weights::Stated, 1.0);
    let outliers: Vec<Option<bool>> = extreme.iter().map(WeightedAnswer::outlier).collect();
    assert_eq!(outliers, [Some(true), Some(false), Some(false), Some(true), None]);
    assert_eq!(percents(&weighed(&[Some(0.98), Some(0.72), Some(0.08)], &["a1", "b1", "c1"], Weights::Stated, 1.0)), [45.92, 35.41, 18.67]);
}

#[test]
fn the_record_holds_every_weight_and_alone_means_all() {
    let single = weighed(&[None], &["a1"], Weights::Stated, 0.25);
    assert_eq!((percents(&single), single[0].likeness), (vec![100.0], None));
    let two = weighed(&[Some(0.9), Some(0.5)], &["a1", "b1"], Weights::Stated, 1.0);
    assert!(alone(&two).is_empty(), "of two neither stands alone");
    let exhibit = weighing::exhibit(&two, &Options { temperature: 1.0, ..Options::default() }, |seat| format!("m{seat}"));
    let data = exhibit.row().expect("data");
    assert_eq!((&data["weights"][0]["weightPercent"], &data["weights"][1]["equalPercent"]), (&59.87.into(), &50.0.into()));
    assert_eq!((&data["type"], &data["outlierCount"], &data["weights"][0]["model"]), (&"weights".into(), &0.into(), &"m0".into()));
    let Shape::Scorecard(card) = exhibit.shape else { panic!("a scorecard") };
    assert_eq!((card.rows[0].cells.len(), card.rows[0].note.as_str()), (3, "stated 0.9: why 0"));
}

proptest! {
    #[test]
    fn no_text_breaks_a_reader(text in ".{0,300}", around in "(RESPONSE:|CONFIDENCE:|CONFIDENCE_REASONING:|SYNTHESIS:|0.8|%|8/10|−|\\{|\\n){0,20}") {
        for text in [text.clone(), format!("{around}{text}"), format!("{text}{around}")] {
            prop_assert!(confidence(&text).is_none_or(|value| (0.0..=1.0).contains(&value)));
            if let Ok((value, _)) = RatedAnswer::read(&text, &IdLists::default()) {
                let rated = RatedAnswer::recall(&value).expect("a reply");
                prop_assert!(!rated.answer.trim().is_empty() && rated.stated().is_none_or(|stated| (0.0..=1.0).contains(&stated)));
            }
            let _ = Blend::read(&text, &IdLists::default());
        }
    }

    #[test]
    fn a_careful_number_is_read_back(value in 0_u32..=100) {
        let want = f64::from(value) / 100.0;
        for written in [format!("{want}"), format!("{value}%"), format!("**{value} %**"), format!("{value}/100")] {
            prop_assert!(confidence(&written).is_some_and(|read| (read - want).abs() < 1e-12), "{}", written);
        }
    }
}
