//! Gathers the styles of the roundtable: every file in `src/roundtable/styles` is one, under the name of the file. And takes the example of
//! `docs/adding-a-mode.md` out of it, so that a test can compile and run it as it stands there.

#![expect(clippy::disallowed_methods, reason = "what a mode may not do, its build may")]

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let set = |name| env::var_os(name).map(PathBuf::from).ok_or_else(|| io::Error::other(format!("cargo sets {name}")));
    // Read when it runs: checkouts that share a target folder share the compiled script.
    let (crate_folder, out) = (set("CARGO_MANIFEST_DIR")?, set("OUT_DIR")?);
    styles(&crate_folder.join("src/roundtable/styles"), &out)?;
    example(&crate_folder, &out.join("pair"))
}

fn styles(folder: &Path, out: &Path) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    let line = |path: &PathBuf| Some(format!("({:?}, include_str!({:?})),\n", path.file_stem()?.to_str()?, path.to_str()?));
    let lines: Option<String> = files.iter().map(line).collect();
    let lines = lines.ok_or_else(|| io::Error::other(format!("a name in {} is not UTF-8", folder.display())))?;
    fs::write(out.join("styles.rs"), format!("[\n{lines}]\n"))
}

fn example(crate_folder: &Path, out: &Path) -> io::Result<()> {
    let (guide, answer) = (crate_folder.join("../../docs/adding-a-mode.md"), crate_folder.join("src/vote/answer.md"));
    [&guide, &answer].into_iter().for_each(|file| println!("cargo::rerun-if-changed={}", file.display()));
    fs::create_dir_all(out)?;
    // Without the guide, as in a packaged crate, there is nothing to try.
    let guide = fs::read_to_string(guide).unwrap_or_default();
    let block = |before: &str| Some(guide.split_once(before)?.1.split_once("\n```")?.0);
    // What is included may not begin with a comment on the file it is in.
    let code = block("`mod.rs`, whole:\n\n```rust\n").unwrap_or_default().lines().filter(|line| !line.starts_with("//!"));
    fs::write(out.join("mod.rs"), code.collect::<Vec<_>>().join("\n"))?;
    fs::write(out.join("compare.md"), block("`compare.md` (`answer.md` is like `vote/answer.md`):\n\n```\n").unwrap_or_default())?;
    fs::copy(answer, out.join("answer.md")).map(drop)
}
