//! Which of the names that are there was probably meant.

/// The known name nearest to the one given; `None` where none is near enough to be meant. Case and the marks between words do not count, and the
/// first of equals wins.
///
/// ```
/// # use synod_types::nearest;
/// assert_eq!(nearest("concil", ["vote", "council"]), Some("council"));
/// assert_eq!(nearest("Red-Team", ["red_team"]), Some("red_team"));
/// assert_eq!(nearest("qwen3", ["ollama/llama3", "qwen3:8b"]), Some("qwen3:8b"));
/// assert_eq!(nearest("nonsense", ["vote", "council"]), None);
/// ```
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given = plain(given);
    let known = known.into_iter().filter_map(|name| Some((distance(&given, &plain(name))?, name)));
    known.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

/// The same names, the nearest first and those nobody can have meant in their own order after them.
pub fn nearest_first(given: &str, mut known: Vec<String>) -> Vec<String> {
    let given = plain(given);
    known.sort_by_cached_key(|name| distance(&given, &plain(name)).unwrap_or(usize::MAX));
    known
}

fn plain(name: &str) -> String {
    name.trim().to_lowercase().replace(['-', '_', ' '], "")
}

/// How far apart two names are; `None`: too far for one to be the other misspelt.
fn distance(given: &str, known: &str) -> Option<usize> {
    let length = given.chars().count();
    if length == 0 {
        return None;
    }
    // A beginning of three letters says more than the number of letters after it.
    if length >= 3 && known.starts_with(given) {
        return Some(1);
    }
    let distance = strsim::damerau_levenshtein(given, known);
    (distance <= (length / 3).max(1) && distance < length).then_some(distance)
}
