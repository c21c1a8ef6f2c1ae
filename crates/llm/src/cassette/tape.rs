//! A recording: JSON lines, one entry for the nth time a run asked the same. It only ever grows; of two entries for the same, the later one
//! counts.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use synod_types::{Failure, Reply, Request};

/// A recording, not an archive.
const LARGEST: u64 = 512 * 1024 * 1024;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    /// Of the request as it was asked; what is stored beside it may have been scrubbed.
    pub digest: String,
    pub n: u32,
    pub request: Request,
    #[serde(flatten)]
    pub outcome: Outcome,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    Reply(Box<Reply>),
    Failure(Failure),
}

#[derive(Default)]
pub(super) struct Tape {
    pub path: PathBuf,
    pub entries: BTreeMap<(String, u32), Entry>,
    /// How often each run has asked each request so far.
    asked: BTreeMap<(String, String), u32>,
    /// Open for what is added, from the first recorded call on.
    file: Option<File>,
}

impl Tape {
    pub fn read(path: &Path) -> Result<Self, String> {
        Ok(Self { path: path.to_path_buf(), entries: entries(&text(path)?)?, ..Self::default() })
    }

    /// A recording to be. Nothing is opened or made: a run may only be planned or quoted, and never call.
    pub fn to_be(path: &Path) -> Result<Self, String> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !folder.is_dir() {
            return Err(format!("there is no folder {}", folder.display()));
        }
        only_a_file(path)?;
        Ok(Self { path: path.to_path_buf(), ..Self::default() })
    }

    /// Makes ready for the first entry. What is in the file stays; a file that holds anything but a recording is left alone.
    pub fn begin(&mut self) -> Result<(), String> {
        if self.file.is_some() {
            return Ok(());
        }
        let old = if self.path.exists() { text(&self.path)? } else { String::new() };
        entries(&old)?;
        let shown = |error: io::Error| error.to_string();
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&self.path).map_err(shown)?;
        if !old.is_empty() && !old.ends_with('\n') {
            file.write_all(b"\n").map_err(shown)?;
        }
        self.file = Some(file);
        Ok(())
    }

    /// Which time this is that the run asks this.
    pub fn nth(&mut self, run: &str, digest: &str) -> u32 {
        let count = self.asked.entry((run.to_owned(), digest.to_owned())).or_insert(0);
        *count += 1;
        *count - 1
    }

    /// The entry as it stands: keys must be out of it already.
    pub fn append(&mut self, entry: &Entry) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Err(io::Error::other("the recording was never begun")) };
        let mut line = serde_json::to_string(entry)?;
        line.push('\n');
        file.write_all(line.as_bytes())
    }

    /// How a request that is not on the tape differs from the one on it that is most like it.
    pub fn difference(&self, request: &Request, digest: &str, n: u32) -> String {
        let recorded = self.entries.keys().filter(|(known, _)| known == digest).count();
        if recorded > 0 {
            return format!("this request was recorded {recorded} times, and is asked for the time number {} now", n + 1);
        }
        let likeness = |other: &Request| {
            let same = other.messages.iter().zip(&request.messages).filter(|(a, b)| a == b).count();
            (other.model == request.model, same, other.schema == request.schema)
        };
        match self.entries.values().max_by_key(|entry| likeness(&entry.request)) {
            Some(nearest) => first_difference(&nearest.request, request),
            None => "the recording is empty".to_owned(),
        }
    }
}

fn text(path: &Path) -> Result<String, String> {
    synod_config::read_text(path, LARGEST).map_err(|error| error.to_string())
}

fn entries(text: &str) -> Result<BTreeMap<(String, u32), Entry>, String> {
    let mut entries = BTreeMap::new();
    for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let entry: Entry = serde_json::from_str(line).map_err(|error| format!("line {}: {error}", i + 1))?;
        entries.insert((entry.digest.clone(), entry.n), entry);
    }
    Ok(entries)
}

/// A pipe or a device would be waited for.
fn only_a_file(path: &Path) -> Result<(), String> {
    if path.exists() && !path.is_file() { Err("not a file".to_owned()) } else { Ok(()) }
}

fn first_difference(recorded: &Request, now: &Request) -> String {
    if recorded.model != now.model {
        return format!("model: recorded {:?}, now {:?}", recorded.model, now.model);
    }
    for (i, (a, b)) in recorded.messages.iter().zip(&now.messages).enumerate() {
        if a.text() != b.text() {
            let at = a.text().chars().zip(b.text().chars()).take_while(|(x, y)| x == y).count();
            let piece = |text: &str| text.chars().skip(at.saturating_sub(20)).take(60).collect::<String>();
            return format!("messages[{i}] from character {at}: recorded {:?}, now {:?}", piece(a.text()), piece(b.text()));
        }
        if a != b {
            return format!("messages[{i}]: another role or other tool calls");
        }
    }
    if recorded.messages.len() != now.messages.len() {
        return format!("messages: recorded {}, now {}", recorded.messages.len(), now.messages.len());
    }
    let fields = [
        ("schema", recorded.schema != now.schema, String::new()),
        ("tools", recorded.tools != now.tools, String::new()),
        ("temperature", recorded.temperature != now.temperature, format!(": recorded {:?}, now {:?}", recorded.temperature, now.temperature)),
        ("max_tokens", recorded.max_tokens != now.max_tokens, format!(": recorded {}, now {}", recorded.max_tokens, now.max_tokens)),
    ];
    let different: Vec<String> = fields.into_iter().filter(|(_, differs, _)| *differs).map(|(name, _, how)| format!("{name}{how}")).collect();
    if different.is_empty() { "something that was scrubbed from the recording".to_owned() } else { different.join("; ") }
}
