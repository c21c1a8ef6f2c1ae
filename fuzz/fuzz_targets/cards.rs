//! Whatever stands in a decision file, it is a decision or every mistake in it is told.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(decision) = synod_app::parse_document(text)
        && let Err(problems) = synod_app::decision_from(&decision)
    {
        assert!(!problems.0.is_empty());
    }
});
