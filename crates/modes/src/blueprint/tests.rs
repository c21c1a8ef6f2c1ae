//! Outlines and assemblies as models write them, marks in texts, and what a document is made of.

use super::assembly::{Assembly, Correction, Transition, correct};
use super::manuscript::{Manuscript, SectionText, without_heading};
use super::marks::{references, todos};
use super::outline::{Length, Outline, Plan, PlannedSection};
use super::rows::BrokenReference;
use super::{DocumentType, Options};
use synod_engine::{IdLists, ReplyFormat};

fn read<T: ReplyFormat>(text: &str) -> Option<T> {
    let terms = IdLists::default().with("sections", ["1", "2", "3"]);
    T::read(text, &terms).ok().map(|(value, _)| T::recall(&value).expect("what was read can be recalled"))
}

fn titles(outline: &Outline) -> Vec<&str> {
    outline.sections.iter().map(|section| section.title.as_str()).collect()
}

#[test]
fn an_outline_is_read_from_its_text_form() {
    let text = "**DOCUMENT TITLE:** The Queue\n\n### SECTION 1: Why\nDescription: What hurts today.\nKey Topics:\n- failures\n- cost\n  of people\n\nLength: SHORT (200-500 words)\nSource Coverage: the first page\n\n**SECTION 2: How**\n**Key Topics:**\n* steps\n* owners\n**Length:** [Long]\n\nDOCUMENT SUMMARY:\nTotal sections: 2\nKey themes: small steps, owners, way back\n";
    let outline: Outline = read(text).expect("an outline");
    assert_eq!((outline.title.as_str(), titles(&outline)), ("The Queue", vec!["Why", "How"]));
    let [why, how] = outline.sections.as_slice() else { panic!("two sections") };
    assert_eq!((why.description.as_str(), why.length, why.source_coverage.as_str()), ("What hurts today.", Length::Short, "the first page"));
    assert_eq!(why.key_topics, ["failures", "cost of people"]);
    assert_eq!((how.key_topics.as_slice(), how.length), (["steps".to_owned(), "owners".to_owned()].as_slice(), Length::Long));
    assert_eq!((how.description.as_str(), how.source_coverage.as_str()), ("", ""));
    assert_eq!(outline.themes, ["small steps", "owners", "way back"]);
}

#[test]
fn a_mention_of_a_section_in_prose_opens_none() {
    let text = "SECTION 1: Data\nDescription: Sets the scene; Section 2: transport builds on Section 1: data.\nSECTION 2: Transport\nDescription: Builds on Section 3: data.\n";
    assert_eq!(read::<Outline>(text).map(|outline| outline.sections.len()), Some(2));
    assert_eq!(read::<Outline>("I would begin with Section 1: an overview, then Section 2: details."), None);
    assert_eq!(read::<Outline>(""), None);
}

#[test]
fn sections_are_numbered_by_position_and_cut_at_the_most() {
    let text = "SECTION 4: a\nSECTION 4: b\nSECTION 9:\nSECTION 2: d\n";
    let outline: Outline = read(text).expect("an outline");
    let (plan, cut) = Plan::new(outline, "Security assessment", 3);
    let numbered: Vec<(u32, &str)> = plan.numbered().map(|(number, section)| (number, section.title.as_str())).collect();
    assert_eq!(numbered, [(1, "a"), (2, "b"), (3, "Part 3")]);
    assert_eq!((plan.title.as_str(), cut, plan.words()), ("Security assessment", 1, (1500, 3000)));
    assert!(plan.sections.iter().all(|section| section.length == Length::Medium));
}

#[test]
fn an_outline_somewhat_too_long_is_written_whole_and_said_to_be() {
    let outline = |n: usize| read::<Outline>(&(1..=n).map(|n| format!("SECTION {n}: s{n}\n")).collect::<String>()).expect("an outline");
    let said = |n: usize| {
        let (plan, cut) = Plan::new(outline(n), "Plan", super::MOST_SECTIONS as usize);
        (plan.sections.len(), super::outline_warnings(plan.sections.len(), cut, &Options::default()).join(" "))
    };
    assert_eq!(said(12), (12, String::new()));
    assert_eq!(said(15), (15, "The outline has 15 sections, more than the 12 asked for; all are written.".to_owned()));
    let (sections, warnings) = said(23);
    assert!(sections == 20 && warnings.contains("had 23 sections; the last 3 were cut"), "{warnings}");
    let calls = (super::MODE.calls)(&synod_types::Json::of(&serde_json::json!({})), &synod_engine::Seating::default());
    assert_eq!((calls[1].prompt, calls[1].max), ("section", 20));
}

#[test]
fn lengths_fit_from_half_the_least_to_twice_the_most() {
    // words, short, medium, long
    let table = [
        (99, [false, false, false]),
        (100, [true, false, false]),
        (250, [true, true, false]),
        (1000, [true, true, true]),
        (1001, [false, true, true]),
        (4001, [false, false, false]),
    ];
    for (words, fits) in table {
        assert_eq!([Length::Short, Length::Medium, Length::Long].map(|length| length.fits(words)), fits, "{words}");
    }
}

#[test]
fn todo_marks_are_found_whatever_their_case_and_markup() {
    // text, marks
    let table: &[(&str, &[&str])] = &[
        ("a [TODO: add figures] b", &["add figures"]),
        ("**[todo: x]** and [**TODO**: y]", &["x", "y"]),
        ("[Requires additional input]", &["Requires additional input"]),
        ("[REQUIRES ADDITIONAL INPUT: the budget]", &["the budget"]),
        ("[TODO]", &["To do"]),
        ("[TODO - ask [the] board\n soon]", &["ask [the] board soon"]),
        ("[a [TODO: inner] b]", &["inner"]),
        ("[todos](x.md) [TODOLIST: x] TODO: y [1] [TODO: unclosed", &[]),
        ("[ünïcode] [TODO: é]", &["é"]),
    ];
    for (text, want) in table {
        assert_eq!(todos(text), *want, "{text}");
    }
    assert_eq!(todos(&"[".repeat(50_000)), Vec::<String>::new());
}

#[test]
fn references_are_to_our_own_sections_only() {
    // text, numbers
    let table: &[(&str, &[u32])] = &[
        ("As shown (see Section 3).", &[3]),
        ("See **Section 12**, then see sections 2, 4 and 5.", &[12, 2, 4, 5]),
        ("Section 230 of the Act; see section 4.2 of the RFC; foresee section 9", &[]),
        ("see Section 3. 5 teams work on it", &[3]),
        ("see the section", &[]),
    ];
    for (text, want) in table {
        assert_eq!(references(text), *want, "{text}");
    }
}

#[test]
fn an_assembly_is_read_from_its_text_form() {
    let text = "### Executive Summary\nIt works.\n\nMostly.\n### Transitions\nTRANSITION 1: And so on.\nTRANSITION 9: lost\n### Corrections\n**CORRECTION 2:**\nFind: \"cron job\"\nReplace: \"task\"\nWhy: one term\nCORRECTION 3:\nReplace: nothing\n### Gaps\n- cost\n- dates\n";
    let assembly: Assembly = read(text).expect("an assembly");
    assert_eq!(assembly.summary, "It works.\n\nMostly.");
    assert_eq!(assembly.transitions, [Transition { after: "1".into(), text: "And so on.".into() }]);
    let want = Correction { section: "2".into(), find: "cron job".into(), replace: "task".into(), why: "one term".into() };
    assert_eq!((assembly.corrections, assembly.gaps), (vec![want], vec!["cost".to_owned(), "dates".to_owned()]));
    assert_eq!(read::<Assembly>("The executive summary: fine."), None);
}

fn correction(section: &str, find: &str, replace: &str) -> Correction {
    Correction { section: section.into(), find: find.into(), replace: replace.into(), why: "w".into() }
}

#[test]
fn a_correction_is_small_and_its_passage_stands_once() {
    let text = "one two two three";
    assert_eq!(correct(text, &correction("1", "one", "1")).as_deref(), Ok("1 two two three"));
    for (find, replace) in [("two", "2"), ("four", "4"), ("", "x"), ("one", "one")] {
        assert!(correct(text, &correction("1", find, replace)).is_err(), "{find:?}");
    }
    let long = "x".repeat(400);
    assert!(correct(&long, &correction("1", &long, "y")).is_err());
    assert!(correct(text, &correction("1", "one", &long.repeat(2))).is_err());
}

fn planned(title: &str) -> PlannedSection {
    PlannedSection {
        title: title.into(),
        description: format!("About {title}."),
        key_topics: vec![],
        length: Length::Short,
        source_coverage: String::new(),
    }
}

#[test]
fn sections_stand_word_for_word_and_gaps_are_marked() {
    let plan = Plan { title: "The Plan".into(), sections: ["Why", "How & when", "Cost"].map(planned).to_vec(), themes: vec![] };
    let written = |seat, text: &str| Some(SectionText { seat, text: text.into() });
    let mut manuscript =
        Manuscript::new(&plan, vec![written(2, "Alpha, see Section 2.\n\n[TODO: figures]"), None, written(0, "Beta; see Section 7")]);
    assert_eq!(manuscript.missing(), [2]);
    assert_eq!(manuscript.broken_references(), [(1, 2), (3, 7)].map(|(section, to)| BrokenReference { section, to }));
    assert_eq!(manuscript.todos(), ["Section 1: figures", "Section 2: write this section. About How & when."]);
    assert_eq!(manuscript.misfits().len(), 2);
    let before = manuscript.markdown();
    assert!(before.contains(
        "## Section 1: Why\n\nAlpha, see Section 2.\n\n[TODO: figures]\n\n## Section 2: How & when\n\n[TODO: write this section. About How & when.]"
    ));
    assert!(before.contains("- [Section 2: How & when](#section-2-how--when)") && !before.contains("Executive summary"));
    manuscript.assemble(Assembly {
        reasons: String::new(),
        summary: "In short (see Section 1).".into(),
        transitions: [("1", "Then."), ("2", "never"), ("3", "never")]
            .map(|(after, text)| Transition { after: after.into(), text: text.into() })
            .to_vec(),
        corrections: vec![correction("1", "Alpha", "Omega"), correction("2", "x", "y"), correction("3", "Alpha", "Omega")],
        gaps: vec!["Who pays.".into()],
    });
    let after = manuscript.markdown();
    assert!(after.starts_with("# The Plan\n\n## Executive summary\n\nIn short (see Section 1).\n\n## Contents\n"), "{after}");
    assert!(
        after.contains("Omega, see Section 2.\n\n[TODO: figures]\n\nThen.\n\n## Section 2") && after.ends_with("## Open questions\n\n- Who pays.")
    );
    assert!(!after.contains("never"));
    let refused: Vec<bool> = manuscript.corrections.iter().map(|result| result.refused.is_some()).collect();
    assert_eq!(refused, [false, true, true]);
    assert_eq!(manuscript.assembly.as_ref().map(Assembly::references), Some(1));
}

#[test]
fn an_authors_own_heading_is_not_doubled() {
    // text, what is kept
    let table = [
        ("## Section 2: How\n\nText", "Text"),
        ("# How\nText", "Text"),
        ("**Section 2: How**\n\nText", "Text"),
        ("### Details\nText", "### Details\nText"),
        ("Section 2 says how\nText", "Section 2 says how\nText"),
        ("## How", "## How"),
    ];
    for (text, kept) in table {
        assert_eq!(without_heading(text, "How"), kept, "{text}");
    }
}

#[test]
fn a_custom_document_has_a_name_and_only_that_one() {
    let fields = |options: Options| options.check().into_iter().map(|problem| problem.field).collect::<Vec<_>>();
    let options = |document_type, name: Option<&str>| Options { document_type, document_name: name.map(str::to_owned), ..Options::default() };
    assert_eq!(fields(Options::default()), Vec::<String>::new());
    assert_eq!(fields(options(DocumentType::Custom, Some("runbook"))), Vec::<String>::new());
    assert_eq!(fields(options(DocumentType::Custom, None)), ["options.document_name"]);
    assert_eq!(fields(options(DocumentType::Custom, Some(" "))), ["options.document_name"]);
    let both = Options { min_sections: 9, max_sections: 4, ..options(DocumentType::SecurityAssessment, Some("runbook")) };
    assert_eq!(fields(both), ["options.document_name", "options.min_sections"]);
}
