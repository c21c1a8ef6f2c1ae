//! Whatever a model sends, the extractor returns an object or nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use synod_engine::extract;

fuzz_target!(|text: &str| {
    let words = extract::without_thinking(text);
    if let Ok(found) = extract::object(&words) {
        assert!(found.value.is_object());
    }
});
