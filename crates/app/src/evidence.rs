//! Evidence pointers, looked up once before a run: a file that exists and what it says, a command's recorded exit code, a URL's shape. Nothing
//! is fetched or run.

use crate::files::FileAccess;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use synod_engine::{Mode, OptionValue, PointerTarget};
use synod_types::{Attachment, sha256_hex};

/// The largest file that is read for its text, and the most of all of them together.
const LARGEST: u64 = 1024 * 1024;
const ALL: u64 = 16 * 1024 * 1024;

/// Lets a mode whose options carry evidence write down what became of each pointer, and reads the files they lead to. Whoever gives the options
/// may have written anything into them, so what stands there already is replaced. `None`: no such option was given.
pub(crate) fn check(mode: Option<&Mode>, options: &mut [(String, OptionValue)], folder: &Path, files: &FileAccess) -> Option<Vec<Attachment>> {
    let evidence = mode.and_then(|mode| mode.abilities.evidence)?;
    let read = RefCell::new(EvidenceFiles::default());
    let mut given = false;
    for (_, option) in options.iter_mut().filter(|(name, _)| name == evidence.option) {
        given = true;
        if let OptionValue::Text(text) = option
            && let Ok(json) = serde_json::from_str(text)
        {
            *option = OptionValue::Json(json);
        }
        // What cannot be read is told when the run is planned.
        if let OptionValue::Json(json) | OptionValue::Checked(json) = option {
            (evidence.check)(json, &|path| read.borrow_mut().target(folder, files, path));
        }
    }
    given.then(|| read.into_inner().texts)
}

/// What pointers led to so far, each path once.
#[derive(Default)]
struct EvidenceFiles {
    found: BTreeMap<String, PointerTarget>,
    texts: Vec<Attachment>,
    bytes: u64,
}

impl EvidenceFiles {
    fn target(&mut self, folder: &Path, files: &FileAccess, path: &str) -> PointerTarget {
        if let Some(known) = self.found.get(path) {
            return known.clone();
        }
        let target = match files.target(folder, path) {
            PointerTarget::File { bytes, .. } => {
                let text = if self.bytes + bytes > ALL { Err("there is too much evidence to show") } else { files.evidence(folder, path, LARGEST) };
                self.bytes += text.as_ref().map_or(0, |text| text.len() as u64);
                let unread = text.as_ref().err().copied();
                self.texts.extend(text.map(|text| Attachment { name: path.to_owned(), sha256: sha256_hex(&text), bytes, text }));
                PointerTarget::File { bytes, unread }
            }
            other => other,
        };
        self.found.insert(path.to_owned(), target.clone());
        target
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn what_pointers_lead_to_is_read_once_and_only_beside_the_decision() {
        let home = tempfile::tempdir().expect("a folder");
        let folder = home.path().join("decision");
        std::fs::create_dir(&folder).expect("a folder");
        std::fs::write(home.path().join("secret.txt"), "a key").expect("a file");
        std::fs::write(folder.join("load.txt"), "the test FAILED").expect("a file");
        std::fs::write(folder.join("picture.png"), [0xff, 0xfe, 0x00]).expect("a file");
        let evidence: Vec<Value> = ["load.txt", "load.txt#tail", "picture.png", "../secret.txt", "gone.txt", "https://example.org/a"]
            .iter()
            .map(|pointer| json!({"type": "test", "pointer": pointer, "quality": 0.8}))
            .collect();
        let cards =
            json!([{"id": "a", "claims": ["x"], "plan": [{"action": "y"}], "evidence": evidence, "confidence": 1, "cost": 1, "reversibility": 1}]);
        let mut options = vec![("cards".to_owned(), OptionValue::json(cards))];
        let mode = synod_modes::MODES.iter().copied().find(|mode| mode.id == "collapse");
        let read = check(mode, &mut options, &folder, &FileAccess::Anywhere).expect("cards were given");
        let read: Vec<(&str, &str)> = read.iter().map(|file| (file.name.as_str(), file.text.as_str())).collect();
        assert_eq!(read, [("load.txt", "the test FAILED")]);
        let OptionValue::Json(cards) = &options[0].1 else { panic!("cards are JSON") };
        let told: Vec<String> =
            cards.value()[0]["evidence"].as_array().expect("evidence").iter().map(|piece| piece["checked"]["found"].to_string()).collect();
        let want = ["15 bytes", "15 bytes", "it is not text", "not read", "no such file", "not fetched"];
        for (told, want) in told.iter().zip(want) {
            assert!(told.contains(want), "{want}: {told}");
        }
        assert!(check(mode, &mut [], &folder, &FileAccess::Anywhere).is_none());
    }
}
