//! Evidence pointers, looked up once before a run: a file that exists, a command's recorded exit code, a URL's shape. Nothing is fetched or run.

use std::path::Path;
use synod_engine::{OptionValue, RunRequest};
use synod_modes::collapse;
use synod_modes::collapse::card::{Card, Evidence, PointerCheck};

/// Writes into every piece of evidence what became of its pointer. Paths start from the folder.
pub fn check(cards: &mut [Card], folder: &Path) {
    for evidence in cards.iter_mut().flat_map(|card| &mut card.evidence) {
        evidence.checked = Some(look_up(evidence, folder));
    }
}

/// The same for cards given as an option: whoever gives them may have written anything into them.
pub fn check_option(order: &mut RunRequest, folder: &Path) {
    for (_, given) in order.options.iter_mut().filter(|(name, _)| order.mode == collapse::MODE.id && name == "cards") {
        let read = match &*given {
            OptionValue::Json(value) => serde_json::from_value::<Vec<Card>>(value.clone()).ok(),
            OptionValue::Text(text) => serde_json::from_str(text).ok(),
        };
        // What cannot be read is told when the run is planned.
        if let Some(mut cards) = read {
            check(&mut cards, folder);
            *given = OptionValue::Json(synod_engine::to_value(&cards));
        }
    }
}

fn look_up(evidence: &Evidence, folder: &Path) -> PointerCheck {
    if let Some(told) = evidence.told() {
        return told;
    }
    let found = |valid: bool, found: String| PointerCheck { valid, found };
    let pointer = evidence.pointer.trim();
    let path = pointer.split('#').next().unwrap_or_default();
    match std::fs::metadata(folder.join(path)) {
        Ok(file) if file.is_file() => found(true, format!("a file of {} bytes", file.len())),
        Ok(_) => found(false, "it is not a file".into()),
        Err(_) => found(false, "there is no such file".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use synod_modes::collapse::card::EvidenceKind;

    #[test]
    fn a_pointer_leads_somewhere_or_says_why_not() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("load.txt"), "fine").expect("a file");
        let valid = |pointer: &str, exit_code: Option<i64>| {
            let evidence = Evidence { kind: EvidenceKind::Test, pointer: pointer.into(), quality: 1.0, exit_code, checked: None };
            look_up(&evidence, folder.path()).valid
        };
        assert!(valid("load.txt", None) && valid("load.txt#tail", None) && valid("https://example.org/a?b", None));
        assert!(valid("command: cargo test", Some(0)) && !valid("command: cargo test", Some(1)) && !valid("command: cargo test", None));
        assert!(!valid("missing.txt", Some(0)), "an exit code is no file");
        assert!(!valid("missing.txt", None) && !valid(".", None) && !valid("https:// no", None) && !valid("https://", None));
    }
}
