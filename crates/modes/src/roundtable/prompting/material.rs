//! What came with the question, as far as it goes into every prompt. The rest is found with a tool, so that a long file is not paid for in every
//! prompt.

use crate::tokens::{clip, even_share, size};
use crate::tools::CONTENT;
use serde::Serialize;
use synod_types::Question;

/// All of it together, in tokens.
pub const MATERIAL: usize = 2_000;
/// Of a text only this many characters for each token it may have are looked at.
const LONGEST_TOKEN: usize = 12;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MaterialPart {
    /// `content` or `file`.
    pub tag: &'static str,
    pub name: String,
    pub text: String,
    /// Only its beginning is here.
    pub cut: bool,
}

/// The content under review and the attached files, the longest cut to one length so that all fit.
pub fn material(question: &Question) -> Vec<MaterialPart> {
    let content = question.content.iter().map(|text| ("content", CONTENT, text.as_str()));
    let files = question.files.iter().map(|file| ("file", file.name.as_str(), file.text.as_str()));
    let parts: Vec<(&'static str, &str, &str, &str)> = content.chain(files).map(|(tag, name, text)| (tag, name, text.trim(), head(text))).collect();
    let sizes: Vec<usize> =
        parts.iter().map(|(_, _, text, head)| if head.len() < text.len() { MATERIAL } else { size(head).min(MATERIAL) }).collect();
    let most = even_share(&sizes, MATERIAL);
    let part = |(tag, name, text, head): (&'static str, &str, &str, &str)| {
        let text_shown = clip(head, most);
        MaterialPart { tag, name: name.to_owned(), cut: text_shown.len() < text.len(), text: text_shown }
    };
    parts.into_iter().map(part).collect()
}

/// Tokens a prompt takes beside the debate: the seat's part and, where seats are told of the group, its figures; what came with the question;
/// and the question as far as it leaves room for a debate. Focus question and additions come on top.
pub fn reserve(question: &Question, material: &[MaterialPart], group: bool) -> usize {
    const GROUP: usize = 250;
    const ASK: usize = 1_000;
    const FRAME: usize = 40;
    const LONGEST_QUESTION: usize = 3_000;
    let material: usize = material.iter().map(|part| size(&part.text) + FRAME).sum();
    let group = if group { GROUP } else { 0 };
    ASK + group + material + size(head(&question.text)).min(LONGEST_QUESTION)
}

fn head(text: &str) -> &str {
    synod_types::clip::head(text.trim(), MATERIAL * LONGEST_TOKEN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use synod_types::Attachment;

    fn asked(content: Option<&str>, files: &[(&str, String)]) -> Question {
        let file = |(name, text): &(&str, String)| Attachment { name: (*name).into(), sha256: String::new(), bytes: 0, text: text.clone() };
        Question { text: "q".into(), content: content.map(str::to_owned), files: files.iter().map(file).collect(), ..Question::default() }
    }

    #[test]
    fn short_material_is_given_whole_and_long_material_shares_the_budget() {
        let whole = material(&asked(Some(" a draft "), &[("a.txt", "one line".into())]));
        assert!(whole.iter().all(|part| !part.cut) && whole[0].text == "a draft" && whole[1].name == "a.txt", "{whole:?}");
        let long = "plain words of a long file, line by line\n".repeat(4_000);
        let cut = material(&asked(Some("a draft"), &[("a.txt", long.clone()), ("b.txt", long)]));
        let sizes: Vec<usize> = cut.iter().map(|part| size(&part.text)).collect();
        assert_eq!(cut.iter().map(|part| part.cut).collect::<Vec<_>>(), [false, true, true]);
        assert!(sizes.iter().sum::<usize>() <= MATERIAL && sizes[1] > 900 && sizes[1] == sizes[2], "{sizes:?}");
    }
}
