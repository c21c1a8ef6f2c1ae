//! What the assembler adds: a summary, bridges between sections, small corrections, open questions. The sections themselves are not its to write.

use super::marks;
use super::rows::CorrectionEntry;
use crate::text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{IdLists, TypedReply};
use synod_types::{Exhibit, FindingEntry, Findings, Shape};

/// A correction mends a term, a name or a figure. A longer passage would be rewriting, and is refused.
const PASSAGE_CHARS: usize = 300;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Assembly {
    /// Where the sections fit together and where they do not, in at most 80 words.
    pub reasons: String,
    /// The executive summary of the whole document, in 150 to 400 words. Its first sentence says what the reader should do.
    #[schemars(length(min = 1))]
    pub summary: String,
    /// A sentence or two that lead from one section to the next, where one is needed.
    pub transitions: Vec<Transition>,
    /// Contradictions between sections in terms, names or figures, each with the exact passage to replace.
    pub corrections: Vec<Correction>,
    /// What the document leaves open and a reader must know. Empty if nothing.
    pub gaps: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Transition {
    /// The number of the section it follows.
    #[schemars(extend("x-ids" = "sections"))]
    pub after: String,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Correction {
    /// The number of the section.
    #[schemars(extend("x-ids" = "sections"))]
    pub section: String,
    /// The passage exactly as it stands, long enough to occur only once in the section.
    pub find: String,
    /// What stands there instead.
    pub replace: String,
    pub why: String,
}

impl TypedReply for Assembly {
    /// Headings for summary, transitions, corrections and gaps; `TRANSITION n:` and `CORRECTION n:` with `Find:`, `Replace:`, `Why:`.
    fn from_text(text: &str, terms: &IdLists) -> Option<Self> {
        let under = |name: &str| text::section(text, name);
        let ids = terms.list("sections");
        let summary = under("Executive Summary").filter(|summary| !summary.is_empty())?.to_owned();
        let transitions = text::blocks(under("Transitions").unwrap_or_default(), "TRANSITION").into_iter();
        let transitions = transitions
            .filter(|block| ids.contains(&block.id))
            .map(|block| Transition { after: block.id, text: format!("{}\n{}", block.title, block.body).trim().to_owned() });
        let corrections = text::blocks(under("Corrections").unwrap_or_default(), "CORRECTION").into_iter();
        let corrections = corrections.filter(|block| ids.contains(&block.id)).filter_map(|block| correction(block.id, &block.body));
        let gaps = under("Gaps").map(text::items).unwrap_or_default();
        Some(Self { reasons: String::new(), summary, transitions: transitions.collect(), corrections: corrections.collect(), gaps })
    }
}

fn correction(section: String, body: &str) -> Option<Correction> {
    let value = |name: &str| text::field(body, name, &["Find", "Replace", "Why"]);
    Some(Correction { section, find: value("Find")?, replace: value("Replace").unwrap_or_default(), why: value("Why").unwrap_or_default() })
}

impl Assembly {
    /// The transition after a section; the first one given stands.
    pub fn after(&self, number: u32) -> Option<&str> {
        let number = number.to_string();
        self.transitions.iter().find(|transition| transition.after == number).map(|transition| transition.text.trim()).filter(|text| !text.is_empty())
    }

    /// Cross-references in what the assembler wrote itself.
    pub fn references(&self) -> usize {
        let own = self.transitions.iter().map(|transition| &transition.text).chain([&self.summary]);
        own.map(|text| marks::references(text).len()).sum()
    }
}

/// A correction, and whether it was applied.
pub struct CorrectionResult {
    pub correction: Correction,
    /// Why it was not applied; `None` if it was.
    pub refused: Option<&'static str>,
}

/// The text with the correction applied, if it is a small one and the passage stands exactly once in the text.
pub fn correct(text: &str, correction: &Correction) -> Result<String, &'static str> {
    let Correction { find, replace, .. } = correction;
    if find.trim().is_empty() || find == replace {
        return Err("it changes nothing");
    }
    if find.chars().count() > PASSAGE_CHARS || replace.chars().count() > 2 * PASSAGE_CHARS {
        return Err("the passage is too long for a correction");
    }
    match text.matches(find.as_str()).count() {
        0 => Err("the passage does not stand in the section"),
        1 => Ok(text.replacen(find.as_str(), replace, 1)),
        _ => Err("the passage stands in the section more than once"),
    }
}

/// The corrections as a reader checks them.
pub fn exhibit(corrections: &[CorrectionResult]) -> Exhibit {
    let entry = |(n, CorrectionResult { correction, refused }): (usize, &CorrectionResult)| FindingEntry {
        id: format!("C{n}"),
        title: format!("“{}” becomes “{}”", correction.find, correction.replace),
        location: format!("Section {}", correction.section),
        fate: if refused.is_none() { "applied".into() } else { "not applied".into() },
        reply: refused.map_or_else(|| correction.why.clone(), |why| format!("{} Not applied: {why}.", correction.why).trim().to_owned()),
        ..FindingEntry::default()
    };
    let entries = (1..).zip(corrections).map(entry).collect();
    Exhibit::new(
        "Corrections between the sections",
        Shape::Findings(Findings { entries, none: "The sections were compared, and none needed a correction.".into() }),
    )
}

impl From<&CorrectionResult> for CorrectionEntry {
    fn from(CorrectionResult { correction, refused }: &CorrectionResult) -> Self {
        let Correction { section, find, replace, why } = correction.clone();
        Self { section, find, replace, why, applied: refused.is_none(), refused: refused.map(str::to_owned) }
    }
}
