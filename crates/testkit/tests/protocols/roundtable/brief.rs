//! The first lines of a verdict, for whoever reads nothing else: every seat in them has its model beside it.

use super::{put, reads, rig, seat, turn};
use crate::{Played, play};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use synod_report::{Extent, Style, View};
use synod_types::Row;

/// A paragraph a line, however wide it is printed.
fn brief(rows: &[Row]) -> String {
    let printed = synod_report::verdict(&View::of(rows), Style::default(), Extent::Brief);
    let mut text = String::new();
    for line in printed.lines() {
        let named = ["Decided", "Against", "Sure", "Cost"].iter().any(|name| line.starts_with(name));
        text.push_str(if named { "\n" } else { " " });
        text.push_str(line.trim_start());
    }
    text
}

/// The seats that are named without a model: `S3` or `P3` with nothing in brackets after it.
fn unexplained(text: &str) -> Vec<&str> {
    let is_seat = |word: &str| word.strip_prefix(['S', 'P']).is_some_and(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit()));
    let words: Vec<&str> = text.split_whitespace().collect();
    let bare = |at: &usize| is_seat(words[*at].trim_matches(|c: char| !c.is_alphanumeric()));
    (0..words.len()).filter(bare).filter(|at| !words.get(at + 1).is_some_and(|next| next.starts_with('('))).map(|at| words[at]).collect()
}

#[test]
fn a_seat_without_its_model_is_found() {
    assert_eq!(unexplained("Check: S3 rules EVEN (S1, P2 (m1)), S2 (m0) not."), ["S3", "(S1,"]);
}

#[tokio::test]
async fn no_style_names_a_seat_alone_in_its_first_lines() {
    let mut named = BTreeSet::new();
    for style in synod_modes::roundtable::styles() {
        for seed in 0..12 {
            let (rig, _) = rig(|_| None);
            let mut order = put(&[("style", json!(style)), ("rounds", json!(2)), ("groupthink", json!("record"))]);
            order.seed = Some(seed);
            let (run, _) = rig.run(&order).await;
            let text = brief(&rig.rows(&run).await);
            assert_eq!(unexplained(&text), Vec::<&str>::new(), "{style}, seed {seed}: {text}");
            if text.lines().any(|line| !line.starts_with("Against") && line.contains(" (m")) {
                named.insert(style);
            }
        }
    }
    assert!(named.contains("devils-advocate") && named.contains("delphi") && named.len() >= 4, "seats are named in {named:?} only");
}

/// A run whose analysis reads so, without a vote against it.
async fn read_as(agreement: f64, camps: &'static [&'static [&'static str]], confidences: [f64; 3]) -> Played {
    let script = move |key: &str| match key {
        key if key.contains("analysis") => reads(agreement, camps),
        key if key.contains("turn@") => turn(seat(key), confidences[seat(key) as usize], json!({"vote": "ACCEPT"})),
        _ => None,
    };
    let options: [(&str, Value); 2] = [("rounds", json!(2)), ("groupthink", json!("record"))];
    play("roundtable", 3, None, &options, script).await
}

#[tokio::test]
async fn whatever_stands_first_against_it_names_models() {
    let apart = read_as(0.8, &[&["S1"], &["S2"], &["S3"]], [0.8; 3]).await;
    assert!(brief(&apart.rows).contains("no camp holds a majority of the 3 seats: S1 (m0) | S2 (m1) | S3 (m2)."), "{}", brief(&apart.rows));
    let unlike = read_as(0.8, &[&["S1", "S2", "S3"]], [0.2, 0.9, 0.9]).await;
    assert!(brief(&unlike.rows).contains("S1 (m0) 0.20, S2 (m1) 0.90, S3 (m2) 0.90"), "{}", brief(&unlike.rows));
    let why = apart.verdict.decision.as_ref().map(|decision| decision["conflicts"][0]["why"].clone());
    assert_eq!(why, Some(json!("no camp holds a majority of the 3 seats: S1 | S2 | S3")), "a script reads names alone");
}
