//! Evidence pointers, looked up once before a run: a file that exists, a command's recorded exit code, a URL's shape. Nothing is fetched or run.

use crate::files::FileAccess;
use serde_json::Value;
use std::path::Path;
use synod_engine::{Mode, OptionValue};

/// Lets a mode whose options carry evidence write down what became of each pointer. Whoever gives the options may have written anything into
/// them, so what stands there already is replaced.
pub(crate) fn check(mode: Option<&Mode>, options: &mut [(String, OptionValue)], folder: &Path, files: &FileAccess) {
    let Some(evidence) = mode.and_then(|mode| mode.abilities.evidence) else { return };
    for (_, given) in options.iter_mut().filter(|(name, _)| name == evidence.option) {
        let read = match &*given {
            OptionValue::Json(value) => Some(value.clone()),
            OptionValue::Text(text) => serde_json::from_str::<Value>(text).ok(),
        };
        // What cannot be read is told when the run is planned.
        if let Some(mut value) = read {
            (evidence.check)(&mut value, &|path| files.target(folder, path));
            *given = OptionValue::Json(value);
        }
    }
}
