//! A document is handed over whole also where nobody could join its sections.

use super::{play, scene};
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
