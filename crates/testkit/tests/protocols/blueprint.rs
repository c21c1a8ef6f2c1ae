//! A document is handed over whole also where nobody could join its sections.

use super::{play, says, scene};
use synod_types::{AnswerKind, FailureKind, Status};

#[tokio::test]
async fn without_an_assembler_its_row_says_so_and_the_document_stands() {
    let played = play("blueprint", 3, None, &[], |key| key.starts_with("assembly/").then(|| scene::fails(FailureKind::Server)).flatten()).await;
    assert_eq!((played.verdict.status, played.verdict.answer.as_ref().map(|answer| answer.kind)), (Status::Degraded, Some(AnswerKind::Computed)));
    let shown = played.shown("assembly");
    assert_eq!((shown.exhibit.seat, shown.exhibit.role.as_deref()), (None, None), "nobody spoke it");
    let data = played.data("assembly");
    assert!(data["sectionsAssembled"].as_u64().is_some_and(|n| n > 0) && data["crossReferencesAdded"].is_null(), "{data}");
    assert!(played.warned("Nobody could assemble the document"));
}

#[tokio::test]
async fn without_a_readable_outline_the_document_is_written_in_one_piece() {
    let played = play("blueprint", 3, None, &[], |key| match key {
        key if key.starts_with("outline/") => says("I would rather begin to write."),
        key if key.starts_with("expansion/") => says("Move the jobs one by one. Keep cron until the last of them has moved."),
        _ => None,
    })
    .await;
    assert_eq!(played.verdict.status, Status::Degraded, "nobody who was asked to outline could");
    let decision = played.verdict.decision.as_ref().expect("a decision");
    assert_eq!((decision["sections"].as_u64(), decision["missing"].as_array().map(Vec::len)), (Some(1), Some(0)));
    assert!(played.warned("written in one piece"));
    let shown = played.shown("outline");
    assert_eq!((shown.exhibit.seat, played.data("outline")["totalSections"].as_u64()), (None, Some(1)));
    let answer = played.verdict.answer.as_ref().expect("the document");
    assert!(answer.text.contains("Move the jobs one by one. Keep cron until the last of them has moved."), "{}", answer.text);
    assert!(played.verdict.summary().is_some_and(|summary| summary.starts_with("1 of 1 section written, ")), "{:?}", played.verdict.summary());
}

#[tokio::test]
async fn the_answer_is_the_whole_document_and_a_missing_section_is_the_first_thing_said() {
    let played = play("blueprint", 3, None, &[], |key| match key {
        key if key.starts_with("expansion/2/") => scene::fails(FailureKind::Server),
        key if key.starts_with("expansion/") => says(format!("The words of {}.", key.split('/').nth(1).unwrap_or_default())),
        _ => None,
    })
    .await;
    let decision = played.verdict.decision.as_ref().expect("a decision");
    let sections = decision["sections"].as_u64().expect("a number");
    let text = &played.verdict.answer.as_ref().expect("the document").text;
    for number in (1..=sections).filter(|number| *number != 2) {
        assert!(text.contains(&format!("The words of {number}.")), "section {number}: {text}");
    }
    assert!(text.contains("[TODO: write this section."), "{text}");
    assert_eq!(played.verdict.action.as_deref(), Some("Have section 2 written before the document is used: nobody could write it."));
}
