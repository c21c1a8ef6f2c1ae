//! Gathers the styles of the roundtable: every file in `src/roundtable/styles` is one, under the name of the file.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let set = |name| env::var_os(name).ok_or_else(|| io::Error::other(format!("cargo sets {name}")));
    // Read when it runs: checkouts that share a target folder share the compiled script.
    let folder = Path::new(&set("CARGO_MANIFEST_DIR")?).join("src/roundtable/styles");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    let line = |path: &std::path::PathBuf| Some(format!("({:?}, include_str!({:?})),\n", path.file_stem()?.to_str()?, path.to_str()?));
    let lines: Option<String> = files.iter().map(line).collect();
    let lines = lines.ok_or_else(|| io::Error::other(format!("a name in {} is not UTF-8", folder.display())))?;
    fs::write(Path::new(&set("OUT_DIR")?).join("styles.rs"), format!("[\n{lines}]\n"))
}
