//! What kind of document is wanted, and how finely it is divided.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_types::{Problem, words};

/// No document has more sections than this; the rest of an outline is cut.
pub const MOST_SECTIONS: u32 = 20;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// What kind of document to write.
    pub document_type: DocumentType,
    /// What to call a document of type custom: "runbook", "white paper".
    #[schemars(length(max = 80))]
    pub document_name: Option<String>,
    /// The fewest sections to ask for.
    #[schemars(range(min = 3, max = 20))]
    pub min_sections: u32,
    /// The most sections to ask for. An outline with more is written all the same, up to 20, with a warning.
    #[schemars(range(min = 3, max = 20))]
    pub max_sections: u32,
}

words! {
    #[derive(Default)]
    pub enum DocumentType {
        #[default]
        ArchitectureBlueprint = "architecture_blueprint",
        TechnicalDesignDocument = "technical_design_document",
        ImplementationRoadmap = "implementation_roadmap",
        CostAnalysisReport = "cost_analysis_report",
        SecurityAssessment = "security_assessment",
        /// Named by document_name.
        Custom = "custom",
    }
}

impl Default for Options {
    fn default() -> Self {
        Self { document_type: DocumentType::default(), document_name: None, min_sections: 6, max_sections: 12 }
    }
}

impl Options {
    pub(super) fn check(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let name = self.document_name.as_deref().map(str::trim);
        match (self.document_type, name) {
            (DocumentType::Custom, None | Some("")) => {
                problems.push(Problem::new("options.document_name", "nothing", "what to call the document, for document_type custom"));
            }
            (DocumentType::Custom, Some(_)) | (_, None) => {}
            (_, Some(name)) => {
                problems.push(Problem::new("options.document_name", format!("{name:?}"), "document_type custom with it: the other types have names"));
            }
        }
        if self.min_sections > self.max_sections {
            let got = format!("{} to {}", self.min_sections, self.max_sections);
            problems.push(Problem::new("options.min_sections", got, "at most max_sections"));
        }
        problems
    }

    /// The type as prompts name it.
    pub(super) fn label(&self) -> String {
        match self.document_type {
            DocumentType::Custom => self.document_name.as_deref().map_or("document", str::trim).to_owned(),
            named => named.as_str().replace('_', " "),
        }
    }
}
