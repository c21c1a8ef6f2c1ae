//! The parsed data of blueprint's stored rows.

use super::DocumentType;
use super::outline::Length;
use schemars::JsonSchema;
use serde::Serialize;
use synod_types::row_data;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutlineRow {
    pub document_title: String,
    pub document_type: DocumentType,
    pub sections: Vec<OutlineSection>,
    pub total_sections: usize,
    /// In words: "4000 to 8000 words".
    pub estimated_length: String,
    pub key_themes: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutlineSection {
    /// From 1.
    pub number: u32,
    pub title: String,
    pub description: String,
    pub key_topics: Vec<String>,
    pub length: Length,
    pub source_coverage: String,
    /// The model of the author asked first.
    pub assigned_model: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SectionRow {
    pub section_number: u32,
    pub section_title: String,
    pub word_count: u32,
    pub key_topics_covered: Vec<String>,
    pub key_topics_not_named: Vec<String>,
    pub target_length: Length,
    /// Whether it has at least half the words its length calls for, and at most twice as many.
    pub within_target: bool,
    /// There only where the seat failed: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssemblyRow {
    pub document_title: String,
    pub total_word_count: u32,
    pub sections_assembled: usize,
    pub sections_missing: usize,
    pub has_todo_markers: bool,
    pub todo_markers: Vec<String>,
    /// Null if nobody could assemble.
    pub cross_references_added: Option<usize>,
    pub corrections: Vec<CorrectionEntry>,
    /// Null if nobody could assemble.
    pub open_questions: Option<Vec<String>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CorrectionEntry {
    /// The section's number, as the assembler wrote it.
    pub section: String,
    pub find: String,
    pub replace: String,
    pub why: String,
    pub applied: bool,
    /// Why it was not applied.
    pub refused: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentRow {
    pub document_title: String,
    pub total_word_count: u32,
    pub missing_sections: Vec<u32>,
    pub todo_markers: Vec<String>,
    pub broken_references: Vec<BrokenReference>,
    pub misfits: Vec<Misfit>,
}

/// A reference to a section that is not there.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BrokenReference {
    /// The section it stands in.
    pub section: u32,
    /// The section it points to.
    pub to: u32,
}

/// A section far from the length it was planned with.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Misfit {
    pub section: u32,
    pub words: u32,
    /// The length it was planned with.
    pub length: Length,
}

row_data!(OutlineRow, SectionRow, AssemblyRow, DocumentRow);

/// What the verdict keeps beside answer and decision.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerdictData<'a> {
    pub document_type: super::DocumentType,
    pub themes: &'a [String],
}
