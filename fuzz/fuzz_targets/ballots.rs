//! Whatever a model sends, a ballot reader returns a whole ballot of the labels shown, or none.
#![no_main]

use libfuzzer_sys::fuzz_target;
use synod_engine::{ReplyFormat, IdLists};
use synod_modes::{RankingBallot, VoteBallot};

fuzz_target!(|text: &str| {
    let labels = ["K3", "M4", "T9"];
    let terms = IdLists::default().with("labels", labels);
    if let Ok((value, _)) = RankingBallot::read(text, &terms) {
        let mut found: Vec<&str> = value["ranking"].as_array().expect("a list").iter().filter_map(|label| label.as_str()).collect();
        found.sort_unstable();
        assert_eq!(found, labels);
    }
    if let Ok((value, _)) = VoteBallot::read(text, &terms) {
        assert!(labels.contains(&value["vote"].as_str().expect("a label")));
    }
});
