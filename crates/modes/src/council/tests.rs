//! Comparisons as models send them: whole, or none.

use super::dissent::{Comparison, Fate};
use synod_engine::{IdLists, ReplyFormat, TypedReply};

fn read(text: &str) -> Option<Vec<(String, Fate, String)>> {
    let terms = IdLists::default().with("labels", ["K3", "T9"]);
    let comparison = Comparison::from_text(text, &terms)?;
    Some(comparison.departures.into_iter().map(|one| (one.label, one.fate, one.claim)).collect())
}

#[test]
fn a_comparison_is_read_from_its_lines_or_not_at_all() {
    let one = |label: &str, fate, claim: &str| (label.to_owned(), fate, claim.to_owned());
    for (text, want) in [
        ("They agree.\nDISSENT: none", Some(vec![])),
        ("**DISSENT:**\nnone.", Some(vec![])),
        ("DISSENT:\n- K3, denied: Waiting costs more.", Some(vec![one("K3", Fate::Denied, "Waiting costs more.")])),
        ("DISSENT:\n**K3**, left_out: a: b\nT9, DENIED: c", Some(vec![one("K3", Fate::LeftOut, "a: b"), one("T9", Fate::Denied, "c")])),
        ("DISSENT:\nQ7, denied: nobody's", None),
        ("DISSENT:\nK3 says something else", None),
        ("K3, denied: no marker", None),
    ] {
        assert_eq!(read(text), want, "{text:?}");
    }
    let terms = IdLists::default().with("labels", ["K3"]);
    let empty = r#"{"reasons": "r", "departures": [{"label": "K3", "fate": "denied", "claim": " "}]}"#;
    assert!(Comparison::read(empty, &terms).is_err_and(|error| error.contains("claim of K3 is empty")));
}
