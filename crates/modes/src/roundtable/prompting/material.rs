//! What came with the question, as far as it goes into every prompt. The rest is found with a tool, so that a long file is not paid for in every
//! prompt.

use crate::tokens::{clip, even_share, size};
use serde::Serialize;
use synod_types::{MaterialText, Question};

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
    let wanted = |given: MaterialText<'_>| {
        let head = head(given.text);
        if head.len() < given.text.trim().len() { MATERIAL } else { size(head).min(MATERIAL) }
    };
    let most = even_share(&question.material().map(wanted).collect::<Vec<_>>(), MATERIAL);
    let part = |given: MaterialText<'_>| {
        let text = clip(head(given.text), most);
        MaterialPart { tag: given.tag, name: given.name.to_owned(), cut: text.len() < given.text.trim().len(), text }
    };
    question.material().map(part).collect()
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
