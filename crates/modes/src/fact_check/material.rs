//! What the attached files hold about the claims: the passages nearest to each, and whether a quotation stands in any file.

use super::claims::Claim;
use serde::Serialize;
use synod_math::{Index, Verbatim, passages};
use synod_types::Attachment;

/// A passage is about a paragraph.
const PASSAGE_CHARS: usize = 800;

/// The attached files, made ready.
pub struct Material {
    files: Vec<(String, Verbatim)>,
    pub passages: Vec<Passage>,
    /// For each claim the labels of its passages, nearest first.
    pub near: Vec<Vec<String>>,
}

/// A passage that checkers are shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Passage {
    /// `P1`, in the order of files and places.
    pub label: String,
    pub file: String,
    pub text: String,
}

impl Material {
    /// At most `each` passages for a claim; one that is near several claims is shown once.
    pub fn new(files: &[Attachment], claims: &[Claim], each: usize) -> Self {
        let cut = |file: &Attachment| passages(&file.text, PASSAGE_CHARS).into_iter().map(|range| file.text[range].to_owned()).collect::<Vec<_>>();
        let all: Vec<(&str, String)> = files.iter().flat_map(|file| cut(file).into_iter().map(|text| (file.name.as_str(), text))).collect();
        let index = Index::new(&all.iter().map(|(_, text)| text).collect::<Vec<_>>());
        let near: Vec<Vec<usize>> = claims.iter().map(|claim| index.nearest(&format!("{} {}", claim.text, claim.context), each)).collect();
        let mut shown: Vec<usize> = near.iter().flatten().copied().collect();
        shown.sort_unstable();
        shown.dedup();
        let label = |at: &usize| format!("P{}", shown.partition_point(|other| other < at) + 1);
        Self {
            files: files.iter().map(|file| (file.name.clone(), Verbatim::new(&file.text))).collect(),
            near: near.iter().map(|near| near.iter().map(label).collect()).collect(),
            passages: shown.iter().map(|at| Passage { label: label(at), file: all[*at].0.to_owned(), text: all[*at].1.clone() }).collect(),
        }
    }

    /// The first file that holds these words, if they are enough to tell.
    pub fn file_of(&self, quotation: &str) -> Option<&str> {
        self.files.iter().find(|(_, text)| text.quotes(quotation)).map(|(name, _)| name.as_str())
    }
}
