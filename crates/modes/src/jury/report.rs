//! The foreman's report: the typed form and its text reading, and the report that is computed when there is no foreman to write one.

use super::Ruling;
use super::summary::Summary;
use crate::text::{after_first_marker, items, section, without_sections};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{IdLists, TypedReply};

/// What the foreman makes of the jury's work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// How you weigh what the jurors say, and why you agree with their verdict or do not, in at most 120 words.
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
    /// What the reader should do, then why, in 100 to 250 words of markdown. The lists above are printed below it: do not repeat them.
    #[schemars(length(min = 1))]
    pub report: String,
}

const VERDICT: &str = "FINAL VERDICT";

/// The headings of a report in plain text.
const LISTS: [&[&str]; 4] = [
    &["Strengths", "Consensus Strengths"],
    &["Weaknesses", "Consensus Weaknesses"],
    &["Improvements", "Prioritised Improvements", "Prioritized Improvements"],
    &["Dissenting Opinions"],
];

impl TypedReply for Report {
    /// `FINAL VERDICT:` on its line and lists under their headings; the report is what stands outside them. A dissenter's verdict further
    /// down is under another name and is not read.
    fn from_text(text: &str, _: &IdLists) -> Option<Self> {
        let verdict = Ruling::in_text(text, VERDICT)?;
        let list = |names: &[&str]| names.iter().find_map(|name| section(text, name)).map(items).unwrap_or_default();
        let prose: Vec<&str> = text.lines().filter(|line| after_first_marker(line, VERDICT).is_none()).collect();
        let report = without_sections(&prose.join("\n"), &LISTS.concat());
        Some(Self {
            reasons: String::new(),
            verdict,
            strengths: list(LISTS[0]),
            weaknesses: list(LISTS[1]),
            improvements: list(LISTS[2]),
            dissent: list(LISTS[3]),
            report: if report.is_empty() { text.trim().to_owned() } else { report },
        })
    }
}

/// What to do now: the verdict, and the first thing it asks for.
pub fn action(summary: &Summary, report: Option<&Report>) -> String {
    let jurors = || summary.by_label().into_iter().filter(|juror| juror.vote == summary.verdict);
    let written = report.and_then(|report| report.improvements.first()).map(String::as_str);
    let first = written.or_else(|| jurors().find_map(|juror| juror.assessment.recommendations.first()).map(String::as_str)).map(str::trim);
    match (summary.verdict, first) {
        (Ruling::Approve, _) => "APPROVE: use it as it stands.".to_owned(),
        (Ruling::Revise, Some(first)) => format!("REVISE, beginning with this: {first}"),
        (Ruling::Revise, None) => "REVISE: it will not do as it stands.".to_owned(),
        (Ruling::Reject, Some(first)) => format!("REJECT: do not use it. What is needed first: {first}"),
        (Ruling::Reject, None) => "REJECT: do not use it.".to_owned(),
    }
}

/// The report as it goes out: the jury's verdict in our words, the foreman's report and lists. The scores have an exhibit of their own.
pub fn compose(summary: &Summary, report: &Report) -> String {
    let mut text = headline(summary);
    if report.verdict != summary.verdict {
        text.push_str(&format!(" The foreman would have said {}.", report.verdict.as_str()));
    }
    text.push_str(&format!("\n\n{}\n", report.report.trim()));
    let lists = [("Strengths", &report.strengths), ("Weaknesses", &report.weaknesses), ("Dissent", &report.dissent)];
    let [strengths, weaknesses, dissent] = lists.map(|(name, lines)| list(name, lines, |_| "-".to_owned()));
    let improvements = list("Improvements, most urgent first", &report.improvements, |number| format!("{number}."));
    text + &strengths + &weaknesses + &improvements + &dissent
}

/// The report made of the jurors' own words alone.
pub fn compose_from_scores(summary: &Summary) -> String {
    let mut text = headline(summary) + "\n";
    for juror in summary.by_label() {
        let average = juror.average.map_or_else(|| "without scores".to_owned(), |average| format!("{average} on average"));
        let title = format!("Juror {}: {}, {average}", juror.label, juror.vote.as_str());
        text.push_str(&format!("\n## {title}\n\n{}\n", juror.assessment.reasons.trim()));
        text.push_str(&list("Recommendations", &juror.assessment.recommendations, |_| "-".to_owned()).replace("## ", "### "));
    }
    text
}

fn list(name: &str, lines: &[String], mark: impl Fn(usize) -> String) -> String {
    let lines: String = (1..).zip(lines).map(|(number, line)| format!("{} {}\n", mark(number), line.trim())).collect();
    if lines.is_empty() { lines } else { format!("\n## {name}\n\n{lines}") }
}

fn headline(summary: &Summary) -> String {
    let verdict = summary.verdict.as_str();
    summary.sentence().replacen(verdict, &format!("**{verdict}**"), 1)
}
