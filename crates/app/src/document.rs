//! Decision files: YAML or JSON, parts in files of their own, read with every mistake told at once.
//!
//! YAML is read by serde-saphyr: it is maintained, has no unsafe code, refuses a key that stands twice, and counts what aliases expand to, so
//! that a small file cannot become a large one. JSON that is JSON to the letter is read by the quicker reader of replies, which refuses such a
//! key too; whatever it refuses, the first one judges.

use crate::files::FileAccess;
use serde_json::Value;
use std::path::{Component, Path, PathBuf};
use synod_modes::collapse::file::PARTS;
use synod_types::Problem;

/// A decision, not a database.
const LARGEST: u64 = 64 * 1024 * 1024;
/// Values in one document, aliases expanded.
const MOST_VALUES: usize = 4_000_000;

/// A file's content as one value.
fn load(files: &FileAccess, field: &str, path: &Path) -> Result<Value, Problem> {
    let text = files.text(field, path, LARGEST)?;
    parse(&text).map_err(|error| Problem::new(field, format!("{}: {error}", path.display()), "YAML or JSON, every key once"))
}

/// YAML, or JSON, as one value.
pub fn parse(text: &str) -> Result<Value, String> {
    let values = || text.bytes().filter(|byte| matches!(byte, b'[' | b'{' | b',' | b':')).count();
    if text.trim_start().starts_with('{')
        && values() <= MOST_VALUES
        && let Ok(document) = synod_engine::strict_json(text)
    {
        return Ok(document);
    }
    let budget = serde_saphyr::budget! { max_nodes: MOST_VALUES, max_events: 4 * MOST_VALUES, max_total_scalar_bytes: LARGEST as usize };
    let options = serde_saphyr::options! { budget: budget, strict_booleans: true };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let text = error.to_string();
        text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
    })
}

/// A decision file with its parts in place, the folder its paths start from, and what is wrong with parts that are left out.
pub fn assemble(files: &FileAccess, path: &Path) -> Result<(Value, PathBuf, Vec<Problem>), Problem> {
    let mut document = load(files, "file", path)?;
    let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
    let mut problems = Vec::new();
    if let Some(fields) = document.as_object_mut() {
        for part in PARTS {
            let Some(given) = fields.get(part).and_then(Value::as_str).map(str::to_owned) else { continue };
            match load_part(files, part, &folder, &given) {
                // The part alone, or under its own name.
                Ok(Value::Object(mut named)) if named.len() == 1 && named.contains_key(part) => {
                    fields.insert(part.to_owned(), named.shift_remove(part).unwrap_or_default());
                }
                Ok(value) => {
                    fields.insert(part.to_owned(), value);
                }
                Err(problem) => {
                    fields.shift_remove(part);
                    problems.push(problem);
                }
            }
        }
    }
    Ok((document, folder, problems))
}

/// A part in a file of its own. Whoever wrote the decision named it: it lies beside the decision or below, and nothing of what is in it is told.
fn load_part(files: &FileAccess, part: &str, folder: &Path, given: &str) -> Result<Value, Problem> {
    let outside = || Problem::new(part, format!("{given:?}, which is not beside the decision file or below"), "a file in the decision's own folder");
    let plain = Path::new(given).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let path = folder.join(given);
    let base = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let leaves = || matches!((base.canonicalize(), path.canonicalize()), (Ok(base), Ok(real)) if !real.starts_with(&base));
    if *files == FileAccess::Anywhere && (!plain || leaves()) {
        return Err(outside());
    }
    let text = files.text(part, &path, LARGEST)?;
    let parsed = parse(&text).map_err(|error| {
        // Where it is wrong, and not what stands there.
        let place = error
            .split_once("line ")
            .map(|(_, rest)| rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default())
            .filter(|line| !line.is_empty());
        let place = place.map(|line| format!(", line {line}")).unwrap_or_default();
        Problem::new(part, format!("{given}{place}: not to be read"), "YAML or JSON, every key once")
    })?;
    if parsed.is_object() || parsed.is_array() {
        return Ok(parsed);
    }
    Err(Problem::new(part, format!("{given}: neither a list nor a table"), "YAML or JSON, every key once"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_stand_twice_and_files_that_grow_are_refused() {
        assert!(parse("a: 1\na: 2\n").is_err_and(|error| error.contains("duplicate")));
        assert!(parse("{\"a\": 1, \"a\": 2}").is_err());
        let mut bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned();
        for n in 1..12 {
            bomb.push_str(&format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 9].join(",")));
        }
        assert!(parse(&bomb).is_err());
        assert_eq!(parse("a: [1, 0.5, x, null]\n").expect("YAML"), serde_json::json!({"a": [1, 0.5, "x", null]}));
    }
}
