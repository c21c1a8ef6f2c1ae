//! Who may know what: the core speaks of no command line, and the command line reaches storage and models through the application layer alone.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|ending| ending == "rs" || ending == "md") {
            into.push(path);
        }
    }
}

/// A command of ours or a flag, in code, comment or prompt.
fn command_line_words(line: &str) -> Option<&str> {
    let command = line.match_indices("synod ").map(|(at, word)| &line[at + word.len()..]).find(|rest| {
        let word: String = rest.chars().take_while(char::is_ascii_lowercase).collect();
        ["ask", "modes", "runs", "show", "watch", "resume", "review", "decide", "approve", "memory", "cancel", "export", "verify", "replay"]
            .into_iter()
            .chain(["persona", "doctor", "init", "models", "serve", "completions"])
            .any(|command| command == word)
    });
    let flag = line
        .match_indices("--")
        .map(|(at, _)| (&line[..at], &line[at + 2..]))
        .find(|(before, rest)| rest.starts_with(|c: char| c.is_ascii_lowercase()) && before.chars().next_back().is_none_or(|c| " `\"'(".contains(c)));
    command.or(flag.map(|(_, rest)| rest))
}

#[test]
fn the_core_knows_no_command_line() {
    assert!(command_line_words("give it with --file").is_some() && command_line_words("`synod resume RUN` goes on").is_some());
    assert!(command_line_words("a well-known---dash, synod-engine, the synod itself").is_none());
    let mut files = Vec::new();
    for part in ["math", "engine", "config", "llm", "store", "modes"] {
        sources(&root().join("crates").join(part).join("src"), &mut files);
    }
    assert!(files.len() > 200, "only {} files were looked at", files.len());
    let mut found = Vec::new();
    for file in &files {
        let text = std::fs::read_to_string(file).expect("text");
        let lines = (1..).zip(text.lines()).filter(|(_, line)| command_line_words(line).is_some());
        found.extend(lines.map(|(n, line)| format!("{}:{n}: {}", file.display(), line.trim())));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_command_line_names_neither_storage_nor_models() {
    let manifest = std::fs::read_to_string(root().join("crates/cli/Cargo.toml")).expect("a manifest");
    let used = manifest.split("[dev-dependencies]").next().unwrap_or_default();
    for part in ["synod-store", "synod-llm", "synod-config", "sqlx", "reqwest"] {
        assert!(!used.contains(part), "{part}");
    }
}
