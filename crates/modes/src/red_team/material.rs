//! What is attacked: the content and attached files as one text, or the question itself where there is nothing else, cut to a limit.

use synod_types::{MaterialText, Question, clip};

pub struct Material {
    pub text: String,
    /// Characters beyond the limit.
    pub left_out: usize,
    pub is_question: bool,
}

impl Material {
    pub fn of(question: &Question, limit: usize) -> Self {
        let part = |MaterialText { tag, name, text }| match tag {
            "content" => Some(text.to_owned()).filter(|text| !text.trim().is_empty()),
            _ => Some(format!("File {name}:\n{text}")),
        };
        let parts: Vec<String> = question.material().filter_map(part).collect();
        let is_question = parts.is_empty();
        let whole = if is_question { question.text.clone() } else { parts.join("\n\n") };
        let (text, left_out) = cut(&whole, limit);
        Self { text, left_out, is_question }
    }
}

/// At most so many characters, and a notice where more were there.
fn cut(text: &str, limit: usize) -> (String, usize) {
    let head = clip::head(text, limit);
    match text[head.len()..].chars().count() {
        0 => (text.to_owned(), 0),
        left_out => (format!("{head}\n\n[Cut here: {left_out} more characters were not given.]"), left_out),
    }
}
