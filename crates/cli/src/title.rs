//! What a conversation is called: the first words of the question that began it.

/// The longest title, in characters.
const LONGEST: usize = 50;
const MORE: &str = "...";

/// One line without quotation marks around it, cut between words where that leaves most of it, and never empty.
pub fn title(question: &str) -> String {
    let line = question.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.trim_matches(|c: char| c == ' ' || "\"'`“”„‘’«»".contains(c));
    if line.is_empty() {
        return "New conversation".to_owned();
    }
    if line.chars().count() <= LONGEST {
        return line.to_owned();
    }
    let room = LONGEST - MORE.len();
    // The room plus one character: a word that ends exactly there is whole.
    let end = line.char_indices().nth(room).map_or(line.len(), |(at, _)| at);
    let after = line[end..].chars().next().map_or(end, |c| end + c.len_utf8());
    let between = line[..after].rfind(' ').filter(|at| line[..*at].chars().count() > room / 2);
    let head = &line[..between.unwrap_or(end)];
    format!("{}{MORE}", head.trim_end_matches([' ', ',', ';', ':', '.', '-']))
}

#[cfg(test)]
mod tests {
    use super::title;

    #[test]
    fn titles_are_short_plain_and_never_empty() {
        let long_word = "ä".repeat(80);
        for (question, want) in [
            ("Tea or coffee?", "Tea or coffee?".to_owned()),
            ("  Tea\n\tor   coffee? ", "Tea or coffee?".into()),
            ("\"Tea or coffee?\"", "Tea or coffee?".into()),
            ("“Tea” or «coffee»", "Tea” or «coffee".into()),
            ("", "New conversation".into()),
            (" \n ", "New conversation".into()),
            ("\"\"", "New conversation".into()),
            ("a question of exactly fifty characters, no more: x", "a question of exactly fifty characters, no more: x".into()),
            ("a question of one more than fifty characters, so: x", "a question of one more than fifty characters...".into()),
            ("the question whose words come to forty-seven, q and on", "the question whose words come to forty-seven, q...".into()),
            (&long_word, format!("{}...", "ä".repeat(47))),
            ("Why? Because ääääääääääääääääääääääääääääääääääääääääääääääää", "Why? Because ääääääääääääääääääääääääääääääääää...".into()),
        ] {
            assert_eq!(title(question), want, "{question:?}");
            assert!(title(question).chars().count() <= 50, "{question:?}");
        }
    }
}
