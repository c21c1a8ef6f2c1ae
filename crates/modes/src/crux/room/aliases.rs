//! Names hidden in a room: neither of the two should give way to the other's name.

/// What two people are called in their room, and how to put that in place of their names and back.
#[derive(Clone, Debug)]
pub struct Aliases {
    pub names: [String; 2],
    /// What each is called in the room.
    pub shown: [String; 2],
    /// Lower-case names and parts of them, the longest first, each with what is written in its place. Empty if names are used.
    hidden: Vec<(Vec<char>, String)>,
}

impl Aliases {
    /// Both under their own names.
    pub fn real_names(names: [String; 2]) -> Self {
        Self { shown: names.clone(), names, hidden: Vec::new() }
    }

    /// `Speaker A` and `Speaker B`. A bare letter would not do: "A" is also a word, and the names could not be put back afterwards.
    pub fn letters(names: [String; 2]) -> Self {
        let shown = ["Speaker A", "Speaker B"].map(str::to_owned);
        let mut hidden: Vec<(Vec<char>, String)> = Vec::new();
        for (name, letter) in names.iter().zip(&shown) {
            let ends = [name.split_whitespace().next(), name.split_whitespace().next_back()];
            for part in [Some(name.as_str())].into_iter().chain(ends).flatten() {
                let part: Vec<char> = part.chars().map(lower).collect();
                match hidden.iter_mut().find(|(known, _)| *known == part) {
                    Some((_, instead)) if instead != letter => *instead = "one of the two".to_owned(),
                    Some(_) => {}
                    None => hidden.push((part, letter.clone())),
                }
            }
        }
        hidden.sort_by_key(|(part, _)| std::cmp::Reverse(part.len()));
        Self { names, shown, hidden }
    }

    /// The text as it is read in the room. A name of several words is replaced however it is written, a single word of one only if it is capitalised
    /// and not part of a longer word.
    pub fn hide_names(&self, text: &str) -> String {
        let chars: Vec<char> = text.chars().collect();
        let in_lower: Vec<char> = chars.iter().copied().map(lower).collect();
        let in_word = |at: usize| in_lower.get(at).is_some_and(|c| c.is_alphanumeric());
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        while at < chars.len() {
            let begins = !(at > 0 && in_word(at - 1));
            let found = self.hidden.iter().find(|(part, _)| {
                let named = part.contains(&' ') || chars[at].is_uppercase();
                begins && named && in_lower[at..].starts_with(part) && !in_word(at + part.len())
            });
            match found {
                Some((part, instead)) => {
                    out.push_str(instead);
                    at += part.len();
                }
                None => {
                    out.push(chars[at]);
                    at += 1;
                }
            }
        }
        out
    }

    /// The text as it is read outside the room, with the names put back.
    pub fn show_names(&self, text: &str) -> String {
        if self.hidden.is_empty() {
            return text.to_owned();
        }
        self.shown.iter().zip(&self.names).fold(text.to_owned(), |text, (shown, name)| text.replace(shown, name))
    }
}

/// One character for each character, so that positions stay the same.
fn lower(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}
