//! The document as it is put together: sections word for word, between them what the assembler wrote, and marks where something is missing.

use super::assembly::{Assembly, CorrectionResult, correct};
use super::marks;
use super::outline::{Length, Plan, PlannedSection};
use super::rows::{BrokenReference, Misfit};
use crate::text;
use synod_types::{Document, Exhibit, SeatIx, Section, Shape};

/// A section and whoever wrote it.
pub struct Part {
    pub number: u32,
    pub title: String,
    pub description: String,
    pub length: Length,
    /// `None`: nobody could write it.
    pub written: Option<SectionText>,
}

/// The text of a section, and the seat that wrote it.
pub struct SectionText {
    pub seat: SeatIx,
    pub text: String,
}

impl Part {
    pub fn new(number: u32, planned: &PlannedSection, written: Option<SectionText>) -> Self {
        Self { number, title: planned.title.clone(), description: planned.description.clone(), length: planned.length, written }
    }

    pub fn heading(&self) -> String {
        format!("Section {}: {}", self.number, self.title)
    }

    /// What stands under the heading.
    fn body(&self) -> String {
        match &self.written {
            Some(written) => written.text.clone(),
            None => format!("[TODO: write this section. {}]", self.description.replace(['[', ']'], "")).replace(". ]", ".]"),
        }
    }

    fn words(&self) -> u32 {
        self.written.as_ref().map_or(0, |written| text::words(&written.text))
    }
}

/// A section's text without the heading its author may have set above it: the document sets its own.
pub fn without_heading(section: &str, title: &str) -> String {
    let section = section.trim();
    let (first, rest) = section.split_once('\n').unwrap_or((section, ""));
    let words = text::bare(first.trim_start_matches('#')).to_lowercase();
    let is_heading = first.starts_with('#') || first.starts_with("**");
    let own = words.ends_with(&title.to_lowercase()) || (words.starts_with("section ") && first.starts_with('#'));
    if is_heading && own && !rest.trim().is_empty() { rest.trim().to_owned() } else { section.to_owned() }
}

pub struct Manuscript {
    pub title: String,
    pub parts: Vec<Part>,
    pub assembly: Option<Assembly>,
    pub corrections: Vec<CorrectionResult>,
}

impl Manuscript {
    pub fn new(plan: &Plan, written: Vec<Option<SectionText>>) -> Self {
        let parts = plan.numbered().zip(written).map(|((number, planned), written)| Part::new(number, planned, written)).collect();
        Self { title: plan.title.clone(), parts, assembly: None, corrections: Vec::new() }
    }

    /// Takes in what the assembler gave, and makes the corrections that can be made.
    pub fn assemble(&mut self, assembly: Assembly) {
        for correction in &assembly.corrections {
            let written = self.parts.iter_mut().filter(|part| part.number.to_string() == correction.section).find_map(|part| part.written.as_mut());
            let outcome =
                written.map_or(Err("the section was not written"), |written| correct(&written.text, correction).map(|text| written.text = text));
            self.corrections.push(CorrectionResult { correction: correction.clone(), refused: outcome.err() });
        }
        self.assembly = Some(assembly);
    }

    pub fn missing(&self) -> Vec<u32> {
        self.parts.iter().filter(|part| part.written.is_none()).map(|part| part.number).collect()
    }

    pub fn misfits(&self) -> Vec<Misfit> {
        let written = self.parts.iter().filter(|part| part.written.is_some() && !part.length.fits(part.words()));
        written.map(|part| Misfit { section: part.number, words: part.words(), length: part.length }).collect()
    }

    /// References from a section to one that was not planned or not written.
    pub fn broken_references(&self) -> Vec<BrokenReference> {
        let exists = |number: u32| self.parts.iter().any(|part| part.number == number && part.written.is_some());
        let mut broken: Vec<BrokenReference> = Vec::new();
        for part in &self.parts {
            let text = part.written.as_ref().map_or("", |written| &written.text);
            let missing = marks::references(text).into_iter().filter(|number| !exists(*number));
            broken.extend(missing.map(|to| BrokenReference { section: part.number, to }));
        }
        broken.dedup();
        broken
    }

    /// What is still to be done, by section.
    pub fn todos(&self) -> Vec<String> {
        let of_part =
            |part: &Part| -> Vec<String> { marks::todos(&part.body()).into_iter().map(|mark| format!("Section {}: {mark}", part.number)).collect() };
        let summary = self.assembly.as_ref().map_or("", |assembly| &assembly.summary);
        let of_summary = marks::todos(summary).into_iter().map(|mark| format!("Summary: {mark}"));
        of_summary.chain(self.parts.iter().flat_map(of_part)).collect()
    }

    /// The whole document as markdown.
    pub fn markdown(&self) -> String {
        let mut blocks = vec![format!("# {}", self.title)];
        if let Some(assembly) = &self.assembly {
            blocks.push(format!("## Executive summary\n\n{}", assembly.summary.trim()));
        }
        if self.parts.len() > 1 {
            let line = |part: &Part| format!("- [{}](#{})", part.heading(), anchor(&part.heading()));
            blocks.push(format!("## Contents\n\n{}", self.parts.iter().map(line).collect::<Vec<_>>().join("\n")));
        }
        let last = self.parts.last().map_or(0, |part| part.number);
        for part in &self.parts {
            blocks.push(format!("## {}\n\n{}", part.heading(), part.body()));
            // There is no transition after the last section, and none after a section that is missing.
            let bridge =
                self.assembly.as_ref().filter(|_| part.number != last && part.written.is_some()).and_then(|assembly| assembly.after(part.number));
            blocks.extend(bridge.map(str::to_owned));
        }
        if let Some(assembly) = self.assembly.as_ref().filter(|assembly| !assembly.gaps.is_empty()) {
            let lines: Vec<String> = assembly.gaps.iter().map(|gap| format!("- {gap}")).collect();
            blocks.push(format!("## Open questions\n\n{}", lines.join("\n")));
        }
        blocks.join("\n\n")
    }

    pub fn exhibit(&self) -> Exhibit {
        let section = |part: &Part| Section {
            number: part.number,
            title: part.title.clone(),
            seat: part.written.as_ref().map(|written| written.seat),
            text: part.written.as_ref().map(|written| written.text.clone()).unwrap_or_default(),
            words: part.words(),
        };
        let front = self.assembly.as_ref().map(|assembly| assembly.summary.clone()).unwrap_or_default();
        let document = Document { title: self.title.clone(), front, sections: self.parts.iter().map(section).collect(), todos: self.todos() };
        Exhibit::new("Document", Shape::Document(document))
    }
}

/// A heading's anchor as markdown renderers make it.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase().chars().filter(|c| c.is_alphanumeric() || *c == ' ' || *c == '-').collect::<String>();
    kept.replace(' ', "-")
}
