//! The plan of a document: its title, its sections in order, and how long each should be.

use super::DocumentType;
use super::rows::{OutlineRow, OutlineSection};
use crate::text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{IdLists, TypedReply};
use synod_types::{Cluster, Clusters, Exhibit, Shape, words};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outline {
    /// How you divided the matter, and why in this order, in at most 80 words.
    pub reasons: String,
    /// The document's title.
    pub title: String,
    /// The sections in reading order.
    #[schemars(length(min = 1))]
    pub sections: Vec<PlannedSection>,
    /// Three to five themes that run through the whole.
    pub themes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedSection {
    pub title: String,
    /// What the section is for and what it settles, in one to three sentences.
    pub description: String,
    /// What it must cover, a few words each.
    pub key_topics: Vec<String>,
    pub length: Length,
    /// Which parts of the source it draws on.
    pub source_coverage: String,
}

words! {
    #[derive(Default)]
    pub enum Length {
        /// 200 to 500 words.
        Short = "SHORT",
        /// 500 to 1000 words.
        #[default]
        Medium = "MEDIUM",
        /// 1000 to 2000 words.
        Long = "LONG",
    }
}

impl Length {
    pub fn words(self) -> (u32, u32) {
        match self {
            Self::Short => (200, 500),
            Self::Medium => (500, 1000),
            Self::Long => (1000, 2000),
        }
    }

    /// Near enough to the class: not below half of its least, not above twice its most.
    pub fn fits(self, words: u32) -> bool {
        let (least, most) = self.words();
        (least / 2..=most * 2).contains(&words)
    }
}

const FIELDS: [&str; 4] = ["Description", "Key Topics", "Length", "Source Coverage"];

impl TypedReply for Outline {
    /// `DOCUMENT TITLE:`, blocks `SECTION n:` with their fields, `DOCUMENT SUMMARY:` with the themes. Only sections are insisted on.
    fn from_text(text: &str, _: &IdLists) -> Option<Self> {
        let (body, summary) = text::after_last_marker(text, "DOCUMENT SUMMARY:").unwrap_or((text, ""));
        let sections: Vec<PlannedSection> =
            text::blocks(body, "SECTION").into_iter().map(|block| planned_section(&block.title, &block.body)).collect();
        let title = text::field(body, "DOCUMENT TITLE", &[]).and_then(|value| value.lines().next().map(str::to_owned)).unwrap_or_default();
        let themes =
            text::field(summary, "Key themes", &["Total sections", "Estimated total length"]).map(|value| read_list(&value)).unwrap_or_default();
        (!sections.is_empty()).then(|| Self { reasons: String::new(), title, sections, themes })
    }
}

fn planned_section(title: &str, body: &str) -> PlannedSection {
    let value = |name: &str| text::field(body, name, &FIELDS);
    PlannedSection {
        title: title.to_owned(),
        description: value("Description").unwrap_or_default(),
        key_topics: value("Key Topics").map(|value| read_list(&value)).unwrap_or_default(),
        length: value("Length").and_then(|value| Length::parse(text::token(&value, &Length::WORDS)?)).unwrap_or_default(),
        source_coverage: value("Source Coverage").unwrap_or_default(),
    }
}

/// A list, or a line with commas. The first mark may have been taken for markup of the label.
fn read_list(value: &str) -> Vec<String> {
    if value.lines().count() < 2 {
        return value.split(',').map(text::bare).filter(|part| !part.is_empty()).map(|part| part.trim_start_matches("- ").to_owned()).collect();
    }
    let marked = value.starts_with(|c: char| c == '-' || c == '•' || c.is_ascii_digit());
    text::items(&if marked { value.to_owned() } else { format!("- {value}") }).iter().map(|item| text::bare(item).to_owned()).collect()
}

/// A heading holds one line.
fn one_line(title: &str, otherwise: &str) -> String {
    let words: Vec<&str> = title.split_whitespace().collect();
    if words.is_empty() { otherwise.to_owned() } else { words.join(" ") }
}

/// The outline as the document is built by it: sections numbered by position, whatever numbers were written.
#[derive(Clone, Debug)]
pub struct Plan {
    pub title: String,
    pub sections: Vec<PlannedSection>,
    pub themes: Vec<String>,
}

impl Plan {
    /// The plan, and how many sections were cut from its end.
    pub fn new(outline: Outline, untitled: &str, most: usize) -> (Self, usize) {
        let title = one_line(&outline.title, untitled);
        let mut sections = outline.sections;
        let cut = sections.len().saturating_sub(most);
        sections.truncate(most);
        for (n, section) in (1_u32..).zip(&mut sections) {
            section.title = one_line(&section.title, &format!("Part {n}"));
        }
        (Self { title, sections, themes: outline.themes }, cut)
    }

    /// Everything in one section, where nobody could divide it.
    pub fn in_one_piece(title: &str) -> Self {
        let section = PlannedSection {
            title: title.to_owned(),
            description: "The whole document: everything in the request and its source that belongs in it, what matters most first.".to_owned(),
            key_topics: Vec::new(),
            length: Length::Long,
            source_coverage: String::new(),
        };
        Self { title: title.to_owned(), sections: vec![section], themes: Vec::new() }
    }

    /// Sections with their numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (u32, &PlannedSection)> {
        (1..).zip(&self.sections)
    }

    /// The words all sections together should have.
    pub fn words(&self) -> (u32, u32) {
        self.sections.iter().map(|section| section.length.words()).fold((0, 0), |(a, b), (least, most)| (a + least, b + most))
    }

    /// Title, sections by name, and themes: what every author knows of the whole.
    pub fn contents(&self) -> String {
        let mut lines = vec![self.title.clone()];
        lines.extend(self.numbered().map(|(number, section)| format!("Section {number}: {}", section.title)));
        if !self.themes.is_empty() {
            lines.push(format!("Themes: {}", self.themes.join(", ")));
        }
        lines.join("\n")
    }

    /// One section as authors and the assembler read it.
    pub fn entry(number: u32, section: &PlannedSection) -> String {
        let (least, most) = section.length.words();
        let mut lines = vec![format!("Section {number}: {}", section.title), section.description.clone()];
        lines.extend(section.key_topics.iter().map(|topic| format!("- {topic}")));
        lines.push(format!("Length: {} ({least} to {most} words)", section.length.as_str()));
        if !section.source_coverage.is_empty() {
            lines.push(format!("Draws on: {}", section.source_coverage));
        }
        lines.retain(|line| !line.trim().is_empty());
        lines.join("\n")
    }

    /// `models` are those of the sections' first authors.
    pub fn exhibit(&self, document_type: DocumentType, models: &[&str]) -> Exhibit {
        let cluster = |(number, section): (u32, &PlannedSection)| {
            let (least, most) = section.length.words();
            let source = if section.source_coverage.is_empty() { String::new() } else { format!("; draws on {}", section.source_coverage) };
            Cluster {
                id: number.to_string(),
                name: section.title.clone(),
                theme: section.description.clone(),
                items: (1..).zip(&section.key_topics).map(|(k, topic): (u32, _)| (format!("{number}.{k}"), topic.clone())).collect(),
                note: format!("{least} to {most} words{source}"),
                ..Cluster::default()
            }
        };
        let entry = |((number, section), model): ((u32, &PlannedSection), &&str)| OutlineSection {
            number,
            title: section.title.clone(),
            description: section.description.clone(),
            key_topics: section.key_topics.clone(),
            length: section.length,
            source_coverage: section.source_coverage.clone(),
            assigned_model: (*model).to_owned(),
        };
        let (least, most) = self.words();
        let row = OutlineRow {
            document_title: self.title.clone(),
            document_type,
            sections: self.numbered().zip(models).map(entry).collect(),
            total_sections: self.sections.len(),
            estimated_length: format!("{least} to {most} words"),
            key_themes: self.themes.clone(),
        };
        let clusters = self.numbered().map(cluster).collect();
        Exhibit::new(format!("Outline: {}", self.title), Shape::Clusters(Clusters { clusters })).data(&row)
    }
}
