//! What the user keeps in files: by name in the configuration directory, or by path where the door allows it.

use crate::document;
use crate::files::FileAccess;
use serde_json::Value;
use std::path::{Path, PathBuf};
use synod_engine::Library;
use synod_types::Problem;

/// A persona, not a library.
const LARGEST: u64 = 1024 * 1024;

const ENDINGS: [&str; 5] = ["toml", "json", "yaml", "yml", "md"];

#[derive(Clone, Debug)]
pub struct PersonaFiles {
    /// The user's configuration directory.
    pub directory: Option<PathBuf>,
    /// Which files may be named by path.
    pub access: FileAccess,
}

impl PersonaFiles {
    pub fn folder(&self, kind: &str) -> Option<PathBuf> {
        self.directory.as_ref().map(|directory| directory.join(kind))
    }

    /// The file a name stands for, and whether it was named by path.
    fn path(&self, kind: &str, name: &str) -> Option<(PathBuf, bool)> {
        let given = Path::new(name);
        let is_path =
            name.contains(std::path::MAIN_SEPARATOR) || given.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known));
        if is_path {
            return Some((given.to_path_buf(), true));
        }
        let folder = self.folder(kind)?;
        ENDINGS.iter().map(|ending| folder.join(format!("{name}.{ending}"))).find(|path| path.exists()).map(|path| (path, false))
    }
}

impl Library for PersonaFiles {
    fn find(&self, kind: &str, name: &str) -> Option<Result<String, Problem>> {
        let (path, by_path) = self.path(kind, name)?;
        // Where callers may name no files, none is named to them.
        let shown = if self.access == FileAccess::None { name.to_owned() } else { path.display().to_string() };
        let wrong = |error: String, want: &str| Problem::new(kind, format!("{shown}: {error}"), want);
        // A name leads into the user's own folder, whatever a door lets requests name.
        let access = if by_path { &self.access } else { &FileAccess::Anywhere };
        let text =
            access.text(kind, &path, LARGEST).map_err(|problem| Problem { got: problem.got.replace(&path.display().to_string(), &shown), ..problem });
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        Some(text.and_then(|text| match ending {
            "yaml" | "yml" => document::parse(&text).map(|value| value.to_string()).map_err(|error| wrong(error, "YAML, every key once")),
            "md" => {
                markdown(&text).map_err(|error| wrong(error, "fields between two lines of +++ (TOML) or --- (YAML), then a ## heading for each text"))
            }
            _ => Ok(text),
        }))
    }

    fn names(&self, kind: &str) -> Vec<String> {
        let Some(entries) = self.folder(kind).and_then(|folder| std::fs::read_dir(folder).ok()) else { return Vec::new() };
        let known = |path: &PathBuf| path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known));
        let mut names: Vec<String> =
            entries.flatten().map(|entry| entry.path()).filter(known).filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect();
        names.sort();
        names.dedup();
        names
    }
}

/// A markdown file as JSON: fields in its head, and a text for each second-level heading, named by it.
fn markdown(text: &str) -> Result<String, String> {
    let fence = text.lines().next().map(str::trim_end).filter(|fence| ["+++", "---"].contains(fence)).ok_or("no head")?;
    let (head, body) = text[fence.len()..].split_once(&format!("\n{fence}")).ok_or_else(|| format!("the head has no closing {fence}"))?;
    let fields: Value = if fence == "+++" { toml::from_str(head).map_err(|error| error.to_string())? } else { document::parse(head)? };
    let Value::Object(mut fields) = fields else { return Err("the head holds no fields".into()) };
    for section in format!("\n{body}").split("\n## ").skip(1) {
        let (title, text) = section.split_once('\n').unwrap_or((section, ""));
        let name = title.trim().to_lowercase().replace([' ', '-'], "_");
        if fields.insert(name.clone(), Value::String(text.trim().to_owned())).is_some() {
            return Err(format!("{name} stands twice"));
        }
    }
    Ok(Value::Object(fields).to_string())
}
