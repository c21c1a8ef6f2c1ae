//! Evidence pointers, looked up once before a run: a file that exists, a command's recorded exit code, a URL's shape. Nothing is fetched or run.

use std::path::Path;
use synod_modes::collapse::card::{Card, Evidence, PointerCheck};

/// Writes into every piece of evidence what became of its pointer. Paths start from the folder.
pub fn check(cards: &mut [Card], folder: &Path) {
    for evidence in cards.iter_mut().flat_map(|card| &mut card.evidence) {
        evidence.checked = Some(look_up(evidence, folder));
    }
}

fn look_up(evidence: &Evidence, folder: &Path) -> PointerCheck {
    let pointer = evidence.pointer.trim();
    let found = |valid: bool, found: String| PointerCheck { valid, found };
    if let Some(rest) = pointer.strip_prefix("https://").or_else(|| pointer.strip_prefix("http://")) {
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let sound =
            !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || ".-:[]".contains(c)) && !pointer.contains(char::is_whitespace);
        return if sound { found(true, "a sound URL; it was not fetched".into()) } else { found(false, "it is no URL".into()) };
    }
    if pointer.starts_with("command:") || evidence.exit_code.is_some() {
        return match evidence.exit_code {
            Some(0) => found(true, "recorded with exit code 0".into()),
            Some(code) => found(false, format!("recorded with exit code {code}")),
            None => found(false, "no exit code is recorded".into()),
        };
    }
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
        assert!(!valid("missing.txt", None) && !valid(".", None) && !valid("https:// no", None) && !valid("https://", None));
    }
}
