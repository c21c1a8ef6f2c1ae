//! The change from one text to the next, as an exhibit: word counts, what changed line by line, and whether the new text was taken.

use crate::text::words;
use synod_math::{Step, changes};
use synod_types::{Change, Revision};

/// The change from one text to the next. `kept` is true; a mode that refuses the new text sets it to false and adds a note.
pub fn revision(before: &str, after: &str) -> Revision {
    let changes = changes(before, after)
        .into_iter()
        .map(|step| match step {
            Step::Same(line) => Change::Same(line),
            Step::Added(line) => Change::Added(line),
            Step::Removed(line) => Change::Removed(line),
            Step::Skipped(n) => Change::Skipped(n),
        })
        .collect();
    Revision { kept: true, before_words: words(before), after_words: words(after), changes, ..Revision::default() }
}

/// Whether a new text has at least this share of the old one's words. A reply cut short, a refusal or a remark is shorter than that.
pub fn long_enough(before: &str, after: &str, share: f64) -> bool {
    words(after) > 0 && f64::from(words(after)) >= share * f64::from(words(before))
}
