//! The foreman's report: the typed form and its text reading, and the report that is computed when there is no foreman to write one.

use super::Ruling;
use super::assessment::DIMENSIONS;
use super::summary::Summary;
use crate::markdown;
use crate::text::{items, section};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{IdLists, TypedReply};

/// What the foreman makes of the jury's work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// How you weigh what the jurors say, and why you agree with their verdict or do not.
    pub reasons: String,
    /// Your own verdict. The jury's stands beside it.
    pub verdict: Ruling,
    /// What at least two jurors found good.
    pub strengths: Vec<String>,
    /// What at least two jurors found wanting.
    pub weaknesses: Vec<String>,
    /// What to change, most urgent first; empty if the verdict is APPROVE.
    pub improvements: Vec<String>,
    /// What jurors whose vote differs from the verdict hold, by label; empty if all agree.
    pub dissent: Vec<String>,
    /// The whole, in a few paragraphs of markdown.
    #[schemars(length(min = 1))]
    pub report: String,
}

impl TypedReply for Report {
    /// `FINAL VERDICT:` on its line and lists under their headings; the report is the whole text. A dissenter's verdict further down is
    /// under another name and is not read.
    fn from_text(text: &str, _: &IdLists) -> Option<Self> {
        let verdict = Ruling::in_text(text, "FINAL VERDICT")?;
        let list = |names: &[&str]| names.iter().find_map(|name| section(text, name)).map(items).unwrap_or_default();
        Some(Self {
            reasons: String::new(),
            verdict,
            strengths: list(&["Strengths", "Consensus Strengths"]),
            weaknesses: list(&["Weaknesses", "Consensus Weaknesses"]),
            improvements: list(&["Improvements", "Prioritised Improvements", "Prioritized Improvements"]),
            dissent: list(&["Dissenting Opinions"]),
            report: text.trim().to_owned(),
        })
    }
}

/// The report as it goes out: the jury's verdict in our words, the foreman's report, and the scores.
pub fn compose(summary: &Summary, report: &Report) -> String {
    let mut text = headline(summary);
    if report.verdict != summary.verdict {
        text.push_str(&format!(" The foreman would have said {}.", report.verdict.as_str()));
    }
    format!("{text}\n\n{}\n\n{}", report.report.trim(), table(summary))
}

/// The report made of the numbers and the jurors' own recommendations alone.
pub fn compose_from_scores(summary: &Summary) -> String {
    let mut text = format!("{}\n\n{}", headline(summary), table(summary));
    for juror in summary.by_label() {
        let average = juror.average.map_or_else(|| "without scores".to_owned(), |average| format!("{average} on average"));
        text.push_str(&format!("\nJuror {}: {}, {average}.\n", juror.label, juror.vote.as_str()));
        for recommendation in &juror.assessment.recommendations {
            text.push_str(&format!("- {}\n", recommendation.trim()));
        }
    }
    text
}

fn headline(summary: &Summary) -> String {
    let rule = if summary.tied { ", a tie settled towards caution" } else { "" };
    let average = summary.average.map(|average| format!(" Average score {average} of 10.")).unwrap_or_default();
    format!("**{}** ({}{rule}).{average}", summary.verdict.as_str(), summary.votes.plain())
}

fn table(summary: &Summary) -> String {
    let cell = |score: Option<f64>| score.map_or_else(|| "–".to_owned(), |score| score.to_string());
    let rows = DIMENSIONS.iter().zip(&summary.dimensions).map(|(name, row)| {
        let consensus = row.consensus.map_or("–", |consensus| consensus.as_str());
        vec![(*name).to_owned(), cell(row.average), cell(row.min), cell(row.max), consensus.to_owned()]
    });
    markdown::table(["dimension", "average", "lowest", "highest", "jurors"], rows)
}
