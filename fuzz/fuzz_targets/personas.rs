//! Whatever stands in a persona's file, it is a persona or every mistake in it is told.
#![no_main]

use libfuzzer_sys::fuzz_target;
use synod_modes::crux::persona;

fuzz_target!(|text: &str| {
    match persona::read("somebody", text) {
        Ok(persona) => assert!(!persona.id.is_empty()),
        Err(problems) => assert!(!problems.is_empty()),
    }
});
