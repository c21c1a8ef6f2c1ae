//! Texts held to a number of characters.

/// The first characters of a text, at most so many.
pub fn head(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    text.char_indices().nth(most).map_or(text, |(end, _)| &text[..end])
}

/// At most so many characters, cut between words where there are any.
pub fn head_words(text: &str, most: usize) -> &str {
    let head = head(text, most);
    if head.len() == text.len() { head } else { head.rfind(char::is_whitespace).map_or(head, |space| &head[..space]) }
}

/// At most so many characters; what is cut off leaves `mark` behind.
pub fn chars(text: &str, most: usize, mark: &str) -> String {
    marked(text, head(text, most), mark)
}

/// The same, cut between words where there are any.
pub fn words(text: &str, most: usize, mark: &str) -> String {
    marked(text, head_words(text, most), mark)
}

fn marked(text: &str, head: &str, mark: &str) -> String {
    if head.len() == text.len() { text.to_owned() } else { format!("{head}{mark}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_left_alone_and_what_is_cut_is_marked() {
        assert_eq!(words("one two three", 9, " […]"), "one two […]");
        assert_eq!(words("unbroken", 4, "…"), "unbr…");
        assert_eq!(chars("one two", 5, "…"), "one t…");
        assert_eq!([words("one", 3, "…"), chars("één", 3, "…"), chars("", 0, "…")], ["one", "één", ""]);
    }
}
