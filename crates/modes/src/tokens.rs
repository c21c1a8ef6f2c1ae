//! Texts held to a number of tokens, counted with a real tokenizer.

use synod_engine::tokens::count;

pub fn size(text: &str) -> usize {
    count(text) as usize
}

/// At most so many tokens, cut between words where there are words, and marked as cut.
pub fn clip(text: &str, most: usize) -> String {
    let text = text.trim();
    // A token is at least one byte.
    if text.len() <= most || size(text) <= most {
        return text.to_owned();
    }
    let ends: Vec<usize> = {
        let spaces: Vec<usize> = text.char_indices().filter(|(_, c)| c.is_whitespace()).map(|(at, _)| at).collect();
        if spaces.is_empty() { text.char_indices().map(|(at, _)| at).collect() } else { spaces }
    };
    let fits = |end: &usize| size(&cut(text, *end)) <= most;
    // The longest head that fits; sizes grow with the head but for a token here and there, so the last steps are tried one by one.
    let mut kept = ends.partition_point(|end| size(&text[..*end]) < most);
    while kept > 0 && !fits(&ends[kept - 1]) {
        kept -= 1;
    }
    match kept {
        0 => match text.char_indices().map(|(at, _)| at).take(most * 8).filter(fits).last() {
            Some(end) if end > 0 => cut(text, end),
            _ => String::new(),
        },
        kept => cut(text, ends[kept - 1]),
    }
}

/// The most each may have, so that all of these sizes fit into `room`.
pub fn even_share(sizes: &[usize], room: usize) -> usize {
    let fits = |most: usize| sizes.iter().map(|size| (*size).min(most)).sum::<usize>() <= room;
    let (mut low, mut high) = (0, sizes.iter().copied().max().unwrap_or(0));
    while low < high {
        let middle = (low + high).div_ceil(2);
        if fits(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

/// On one line, and at most so many tokens.
pub fn one_line(text: &str, most: usize) -> String {
    clip(&text.split_whitespace().collect::<Vec<_>>().join(" "), most)
}

fn cut(text: &str, end: usize) -> String {
    let head = text[..end].trim_end();
    if head.is_empty() { String::new() } else { format!("{head} …") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn short_texts_are_left_alone_and_long_ones_marked() {
        assert_eq!(clip("  as it is ", 10), "as it is");
        let cut = clip("one two three four five six seven eight nine ten eleven twelve", 5);
        assert!(cut.starts_with("one two") && cut.ends_with(" …") && size(&cut) <= 5, "{cut}");
        let word = "x".repeat(400);
        assert!(size(&clip(&word, 5)) <= 5);
        assert_eq!(clip("one two", 0), "");
    }

    proptest! {
        #[test]
        fn the_limit_holds_for_any_text(text in "(\\PC| |\n){0,200}", most in 0_usize..40) {
            prop_assert!(size(&clip(&text, most)) <= most);
        }
    }
}
