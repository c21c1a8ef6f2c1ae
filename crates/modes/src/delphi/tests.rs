//! The sloppy forms panelists and facilitators send, what may be read from each, and when a panel has settled.

use super::question::{AnswerForm, Classification, Kind};
use super::reply::{Choice, Estimate, Level, option_in};
use super::round::{Entry, Position, Round, RoundStats, Rung};
use super::rows::FinalValue;
use super::{Options, QuestionType};
use proptest::prelude::*;
use synod_engine::{IdLists, ReplyFormat, TypedReply};

fn estimate(text: &str, unit: &str) -> Option<f64> {
    Estimate::from_text(&format!("{text}\nCONFIDENCE: HIGH"), &IdLists::default().with("unit", [unit])).map(|form| form.estimate)
}

#[test]
fn a_number_is_read_after_its_marker_and_from_nowhere_else() {
    for (text, unit, want) in [
        ("ESTIMATE: 42", "", Some(42.0)),
        ("ESTIMATE: 42 million", "", Some(42e6)),
        ("**ESTIMATE:** **1,250,000**", "", Some(1.25e6)),
        ("ESTIMATE: 2.500.000", "", Some(2.5e6)),
        ("- ESTIMATE: about 7", "", Some(7.0)),
        ("In 2024 I saw 3.\nESTIMATE: about 7", "", Some(7.0)),
        ("ESTIMATE: 5\nOn reflection:\nESTIMATE: 6", "", Some(6.0)),
        ("ESTIMATE: 12 days", "days", Some(12.0)),
        ("ESTIMATE: 3 weeks", "days", None),
        ("ESTIMATE: 30-40", "", None),
        ("ESTIMATE: Well, I think 42", "", None),
        ("In 2024 I saw 3. ESTIMATE: about 7", "", None),
        ("I think it is 42.", "", None),
        ("ESTIMATE:", "", None),
        ("", "", None),
    ] {
        assert_eq!(estimate(text, unit), want, "{text:?}");
    }
}

#[test]
fn a_rating_may_name_its_scale_and_must_lie_on_it() {
    let terms = IdLists::default().with("scale", ["1", "10"]);
    let read =
        |text: &str| Estimate::read(&format!("ESTIMATE: {text}\nCONFIDENCE: LOW"), &terms).ok().and_then(|(value, _)| value["estimate"].as_f64());
    assert_eq!([read("8"), read("8/10"), read("**8 out of 10**"), read("7.5")], [Some(8.0), Some(8.0), Some(8.0), Some(7.5)]);
    assert_eq!([read("8/5"), read("11"), read("0")], [None; 3]);
    let error = Estimate::read(r#"{"reasons": "r", "estimate": 11, "confidence": "LOW"}"#, &terms).expect_err("off the scale");
    assert!(error.contains("from 1 to 10"), "{error}");
    let sent = |terms: &IdLists| Estimate::schema(terms).expect("a schema").schema["properties"]["estimate"].clone();
    assert_eq!((&sent(&terms)["minimum"], &sent(&terms)["maximum"]), (&1.0.into(), &10.0.into()));
    assert_eq!(sent(&IdLists::default())["minimum"], serde_json::Value::Null, "without a scale any number will do");
}

#[test]
fn confidence_is_one_of_three_words_or_missing() {
    let read = |line: &str| Estimate::from_text(&format!("ESTIMATE: 1\n{line}"), &IdLists::default()).map(|form| form.confidence);
    assert_eq!(read("CONFIDENCE: **High** (I checked)"), Some(Level::High));
    assert_eq!(read("confidence: low"), Some(Level::Low));
    assert_eq!(read("CONFIDENCE: MEDIUM-HIGH"), Some(Level::Medium));
    assert_eq!(read("CONFIDENCE: not high"), None);
    assert_eq!(read("I have high confidence"), None);
}

#[test]
fn an_option_is_known_by_id_number_or_words_and_nothing_else() {
    let ids: Vec<String> = ["O1", "O2", "O3"].map(str::to_owned).to_vec();
    let texts: Vec<String> = ["TypeScript", "Rust (2024, stable)", "Neither"].map(str::to_owned).to_vec();
    for text in ["1", "TypeScript", "1. TypeScript", "typescript", "O1", "**O1**", "o1: TypeScript", "Option 1", "\"TypeScript\".", "[1]"] {
        assert_eq!(option_in(text, &ids, &texts).as_deref(), Some("O1"), "{text}");
    }
    assert_eq!(option_in("rust (2024, stable)", &ids, &texts).as_deref(), Some("O2"));
    for text in ["4", "0", "O4", "Go", "1. Rust (2024, stable)", "TypeScript or Rust", "O1 or O2", "not TypeScript", ""] {
        assert_eq!(option_in(text, &ids, &texts), None, "{text}");
    }
    let numbers: Vec<String> = ["2", "4", "8"].map(str::to_owned).to_vec();
    assert_eq!(option_in("2", &ids, &numbers).as_deref(), Some("O1"), "an option that is a number is meant by its words");
    assert_eq!(option_in("3", &ids, &numbers), None);
    let terms = IdLists::default().with("options", ids).with("texts", texts);
    let choice = Choice::from_text("**ANSWER:** 1. TypeScript\nCONFIDENCE: HIGH\nREASONING: The team knows it.\nAnd likes it.", &terms);
    let want = Choice { reasons: "The team knows it.\nAnd likes it.".into(), answer: "O1".into(), confidence: Level::High };
    assert_eq!(choice, Some(want));
}

#[test]
fn a_classification_keeps_its_options_whole() {
    let read = |text: &str| Classification::from_text(text, &IdLists::default()).expect(text);
    let options = |text: &str| read(&format!("TYPE: QUALITATIVE\nOPTIONS: {text}\nREASONING: r")).options;
    assert_eq!(options("TypeScript, Rust, Go"), ["TypeScript", "Rust", "Go"]);
    assert_eq!(options("\n- TypeScript\n- Rust\n- Go"), ["TypeScript", "Rust", "Go"]);
    assert_eq!(options("\n* **TypeScript**\n* Rust"), ["TypeScript", "Rust"]);
    assert_eq!(options("TypeScript (strict, ESM), Rust (2024, stable)"), ["TypeScript (strict, ESM)", "Rust (2024, stable)"]);
    assert_eq!(options("1) Yes, with care; 2) No"), ["Yes, with care", "No"]);
    assert_eq!(options("Rust, rust, RUST, Go"), ["Rust", "Go"]);
    for none in ["N/A", "-", "None", ""] {
        assert_eq!(options(none), Vec::<String>::new(), "{none}");
    }
    let number = read("**TYPE:** NUMERIC\n**UNIT:** person-days\nOPTIONS: N/A\nREASONING: An amount.");
    assert_eq!((number.kind, number.unit.as_str(), number.reasons.as_str()), (Kind::Numeric, "person-days", "An amount."));
    assert_eq!(Classification::from_text("This is a NUMERIC question.", &IdLists::default()), None);
    let error = Classification::read(r#"{"reasons": "r", "type": "choice", "unit": "", "options": ["Yes", "yes"]}"#, &IdLists::default());
    assert!(error.is_err_and(|error| error.contains("at least 2")));
}

#[test]
fn contradictions_are_all_named_at_once() {
    let fields = |options: Options| -> Vec<String> { options.check().into_iter().map(|problem| problem.field).collect() };
    assert_eq!(fields(Options::default()), Vec::<String>::new());
    let wrong = Options {
        max_rounds: 2,
        min_rounds: 3,
        question_type: QuestionType::Numeric,
        options: vec!["Yes".into(), "yes".into()],
        unit: "days".into(),
        scale_min: 5.0,
        scale_max: 5.0,
        ..Options::default()
    };
    assert_eq!(fields(wrong), ["options.min_rounds", "options.options", "options.options", "options.unit", "options.scale_max"]);
    let unit = Options { question_type: QuestionType::Year, unit: "days".into(), ..Options::default() };
    assert_eq!(fields(unit), ["options.unit"]);
}

#[test]
fn what_the_options_settle_is_not_asked() {
    let kind = |options: Options| options.answer_form().map(|form| form.kind);
    let two = || vec!["Yes".to_owned(), "No".to_owned()];
    assert_eq!(kind(Options::default()), None);
    assert_eq!(kind(Options { question_type: QuestionType::Choice, ..Options::default() }), None);
    assert_eq!(kind(Options { options: two(), ..Options::default() }), Some(Kind::Choice));
    assert_eq!(kind(Options { unit: "days".into(), ..Options::default() }), Some(Kind::Numeric));
    assert_eq!(kind(Options { unit: "Calendar year".into(), ..Options::default() }), Some(Kind::Year));
    assert_eq!(kind(Options { question_type: QuestionType::Scale, ..Options::default() }), Some(Kind::Scale));
}

fn entry(seat: u32, position: Position, level: Level) -> Entry {
    Entry { seat, key: format!("round 1/estimate@{seat}"), position, level, reasons: "r".into() }
}

fn numbers_in(unit: &str, kind: Kind, values: &[f64], first: Option<&[f64]>) -> Round {
    let form = AnswerForm::new(kind, unit, &[], (1.0, 10.0));
    let entries = |values: &[f64]| (0..).zip(values).map(|(seat, value)| entry(seat, Position::Number(*value), Level::Medium)).collect::<Vec<_>>();
    let first = first.map(|first| Round::of(1, entries(first), &form, &Options::default(), None).expect("answers"));
    Round::of(1, entries(values), &form, &Options::default(), first.as_ref()).expect("answers")
}

fn numbers(kind: Kind, values: &[f64], first: Option<&[f64]>) -> Round {
    numbers_in("", kind, values, first)
}

#[test]
fn numbers_settle_by_the_measure_of_their_kind() {
    for (kind, values, first, settled, of) in [
        (Kind::Numeric, vec![40.0, 35.0, 42.0, 40.0], None, true, "the median;"),
        (Kind::Numeric, vec![10.0, 20.0, 30.0], None, false, "the median;"),
        // A mean of zero is not agreement.
        (Kind::Numeric, vec![-5.0, 0.0, 5.0], None, false, "the median size in the first round"),
        (Kind::Numeric, vec![-0.1, 0.0, 0.1], Some(vec![-5.0, 0.0, 5.0]), true, "the median size in the first round"),
        // One far answer makes no room for the others.
        (Kind::Numeric, vec![-5.0, 0.0, 5.0, 6.0], Some(vec![-5.0, 0.0, 5.0, 1000.0]), false, "the median size in the first round"),
        (Kind::Numeric, vec![9.0, 10.0, 10.0, 10.5], Some(vec![-1.0, 9.0, 10.0, 11.0]), true, "the median size in the first round"),
        // Thirteen years apart is not agreement either, though each is within a hundredth of the median.
        (Kind::Year, vec![2027.0, 2030.0, 2035.0, 2040.0], None, false, "at most 1 year wide; it is 7 years"),
        (Kind::Year, vec![2031.0, 2032.0, 2032.0, 2033.0], Some(vec![2027.0, 2030.0, 2035.0, 2040.0]), true, "at most 1 year wide"),
        (Kind::Year, vec![2030.0, 2031.0, 2031.0], Some(vec![2030.0, 2030.0, 2031.0]), true, "at most 1 year wide"),
        (Kind::Year, vec![2028.0, 2030.0, 2034.0, 2038.0], Some(vec![2028.0, 2030.0, 2034.0, 2200.0]), false, "at most 1 year wide"),
        // Nobody said that these are years; they are nothing else.
        (Kind::Numeric, vec![2027.0, 2030.0, 2035.0, 2040.0], None, false, "at most 1 year wide"),
        (Kind::Numeric, vec![2027.5, 2030.0, 2035.0, 2040.0], None, true, "the median;"),
        (Kind::Scale, vec![7.0, 8.0, 8.0], None, true, "the scale"),
        (Kind::Scale, vec![1.0, 2.0, 5.0], None, false, "the scale"),
        (Kind::Numeric, vec![0.0, 0.0, 0.0], None, true, "the median size in the first round"),
    ] {
        let round = numbers(kind, &values, first.as_deref());
        assert_eq!(round.settled, settled, "{kind:?} {values:?}: {}", round.measure);
        assert!(round.measure.contains(of), "{kind:?} {values:?}: {}", round.measure);
    }
    assert!(numbers_in("people", Kind::Numeric, &[1900.0, 2000.0, 2100.0], None).measure.contains("the median;"), "a unit says what it is");
}

#[test]
fn a_unit_that_names_a_point_in_time_is_a_year() {
    for unit in ["year", "Year CE", "year (CE/AD)", "AD", "calendar year of launch", "year of completion", "Calendar year, e.g. 2031", "date"] {
        assert_eq!(AnswerForm::new(Kind::Numeric, unit, &[], (1.0, 10.0)).kind, Kind::Year, "{unit}");
    }
    for unit in ["years", "calendar days", "USD per year", "USD per calendar year", "ads", "clicks per ad", "tonnes/year", "", "ad impressions"] {
        assert_eq!(AnswerForm::new(Kind::Numeric, unit, &[], (1.0, 10.0)).kind, Kind::Numeric, "{unit}");
    }
}

#[test]
fn a_choice_that_was_asked_for_needs_options_whatever_the_reply_calls_it() {
    let terms = IdLists::default().with("wanted", ["choice"]);
    let read = |options: &str| Classification::read(&format!(r#"{{"reasons": "r", "type": "scale", "unit": "", "options": {options}}}"#), &terms);
    assert!(read("[]").is_err_and(|error| error.contains("at least 2")));
    assert!(read(r#"["Cron", "Queue"]"#).is_ok());
}

fn choices(positions: &[(usize, Level)], agreement: u32) -> Round {
    let entries = (0..).zip(positions).map(|(seat, (at, level))| entry(seat, Position::Option(*at), *level)).collect();
    let form = AnswerForm::new(Kind::Choice, "", &["Cron".into(), "Queue".into(), "Both".into()], (1.0, 10.0));
    Round::of(1, entries, &form, &Options { agreement, ..Options::default() }, None).expect("answers")
}

#[test]
fn three_quarters_of_a_small_panel_are_a_whole_number_of_seats() {
    // panelists, those who must agree
    for (n, needed) in [(3, 3), (4, 3), (5, 4), (6, 5), (7, 6)] {
        for agreeing in n / 2 + 1..=n {
            let positions: Vec<(usize, Level)> = (0..n).map(|seat| (usize::from(seat >= agreeing), Level::Medium)).collect();
            assert_eq!(choices(&positions, 75).settled, agreeing >= needed, "{agreeing} of {n}");
        }
    }
}

#[test]
fn a_tied_option_stands_by_a_stated_rung() {
    use Level::{High, Low, Medium};
    for (positions, want, by) in [
        (vec![(1, Low), (1, Low), (0, High)], 1, Rung::Votes),
        (vec![(1, High), (1, Medium), (0, Medium), (0, Low)], 1, Rung::Confidence),
        (vec![(2, High), (1, High), (0, Low)], 1, Rung::Order),
    ] {
        let RoundStats::Choices { leader, rung, .. } = choices(&positions, 75).stats else { panic!("choices") };
        assert_eq!((leader, rung), (want, by), "{positions:?}");
    }
}

#[test]
fn those_who_stand_apart_are_found_and_a_tie_has_none() {
    let round = numbers(Kind::Numeric, &[10.0, 10.0, 11.0, 12.0, 40.0], None);
    let apart: Vec<u32> = round.entries.iter().filter(|entry| round.stands_apart(entry)).map(|entry| entry.seat).collect();
    assert_eq!(apart, [4]);
    let round = choices(&[(0, Level::Low), (0, Level::Low), (1, Level::High)], 75);
    assert!(round.stands_apart(&round.entries[2]) && !round.stands_apart(&round.entries[0]));
    let tied = choices(&[(0, Level::Low), (1, Level::High)], 75);
    assert!(!tied.entries.iter().any(|entry| tied.stands_apart(entry)));
}

#[test]
fn statistics_are_stored_as_promised_and_unknown_is_null() {
    let form = AnswerForm::new(Kind::Numeric, "days", &[], (1.0, 10.0));
    let data = numbers(Kind::Numeric, &[-5.0, 0.0, 5.0], None).exhibit(&form, |seat| format!("m{seat}")).row().expect("data");
    assert_eq!((data["median"].as_f64(), data["cv"].is_null(), data["highVariance"].is_null()), (Some(0.0), true, true), "{data}");
    let small = numbers(Kind::Numeric, &[0.001, 0.002, 0.003], None).for_prompt(&form);
    assert_eq!(small["median"], "0.002", "small numbers are told as they are");
    let form = AnswerForm::new(Kind::Choice, "", &["Cron".into(), "Queue".into(), "Both".into()], (1.0, 10.0));
    let data = choices(&[(1, Level::Low), (1, Level::High), (0, Level::Low)], 75).exhibit(&form, |seat| format!("m{seat}")).row().expect("data");
    assert_eq!(data["distribution"][0], serde_json::json!({"answer": "Queue", "count": 2, "percentage": 67}));
    assert_eq!((data["agreementPercentage"].as_u64(), data["mode"].as_str(), data["converged"].as_bool()), (Some(67), Some("Queue"), Some(false)));
    assert_eq!(data["confidenceCounts"], serde_json::json!({"low": 2, "medium": 0, "high": 1}));
}

proptest! {
    #[test]
    fn no_text_breaks_a_reader(text in ".{0,300}", around in "(ESTIMATE:|ANSWER:|CONFIDENCE:|OPTIONS:|TYPE: CHOICE|HIGH|\\{|O1|2|,|\\n){0,20}") {
        let terms = IdLists::default().with("options", ["O1", "O2"]).with("texts", ["Cron", "Queue"]).with("scale", ["1", "10"]);
        for text in [text.clone(), format!("{around}{text}"), format!("{text}{around}")] {
            if let Ok((value, _)) = Choice::read(&text, &terms) {
                prop_assert!(["O1", "O2"].contains(&value["answer"].as_str().expect("an id")));
            }
            if let Ok((value, _)) = Estimate::read(&text, &terms) {
                prop_assert!((1.0..=10.0).contains(&value["estimate"].as_f64().expect("a number")));
            }
            let _ = Classification::read(&text, &terms);
        }
    }
}

#[test]
fn a_report_states_its_result_however_its_digits_are_written() {
    let days = AnswerForm::new(Kind::Numeric, "days", &[], (1.0, 10.0));
    let states = |sentence: &str, value: f64| days.stated_in(sentence, &FinalValue::Number(value));
    for (sentence, value) in [
        ("The move takes 11 days, most likely 10 to 12.", 11.0),
        ("About **1,200** days.", 1200.0),
        ("Rund 1.200 Tage.", 1200.0),
        ("1 200 is out, 1\u{202f}200 is in.", 1200.0),
        ("Es dauert 11,5 Tage.", 11.5),
        ("It takes 11.5.", 11.5),
        ("It falls by −3 points.", -3.0),
    ] {
        assert!(states(sentence, value), "{sentence}");
    }
    for (sentence, value) in [("The panel settled.", 11.0), ("It takes 110 days.", 11.0), ("Round 2 of 11.5 hours", 11.0), ("", 0.0)] {
        assert!(!states(sentence, value), "{sentence}");
    }
    let choice = AnswerForm::new(Kind::Choice, "", &["Move to a queue".into(), "Stay".into()], (1.0, 10.0));
    assert!(choice.stated_in("The panel would move to a queue.", &FinalValue::Choice("Move to a queue".into())));
    assert!(!choice.stated_in("The panel would wait.", &FinalValue::Choice("Move to a queue".into())));
}

#[test]
fn ratings_have_anchors_from_end_to_end() {
    let scale = AnswerForm::new(Kind::Scale, "", &[], (1.0, 10.0)).anchors();
    assert_eq!(scale.len(), 5);
    assert!(scale[0].starts_with("1 is") && scale[2].starts_with("5.5 is") && scale[4].starts_with("10 is"), "{scale:?}");
    assert!(AnswerForm::new(Kind::Numeric, "days", &[], (1.0, 10.0)).anchors().is_empty());
}
