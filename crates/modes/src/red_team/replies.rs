//! What attacker, defender and judge reply: typed, with the classic text forms as second reading.
//!
//! Refuses to find a flaw, a verdict or a clean bill in prose: each is read only where the form asks for it.

use super::severity::Severity;
use crate::text::{Block, after_last_marker, bare, blocks, field, token};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{IdLists, TypedReply};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Flaw {
    /// A few words that name the flaw.
    pub title: String,
    /// By the scale given to you.
    pub severity: Severity,
    /// The section, line or passage.
    pub location: String,
    /// What is wrong.
    pub vulnerability: String,
    /// How somebody would make it fail, step by step.
    pub exploit: String,
}

/// The first attack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Attack {
    /// How you went about it: where you looked and what you tried, in at most 100 words.
    pub reasons: String,
    /// Every flaw you found, worst first.
    pub findings: Vec<Flaw>,
    /// True only if you searched and found nothing.
    pub no_flaws: bool,
}

/// A later attack, when earlier findings have been answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AttackAgain {
    /// How you went about it: which answers you tested and where else you looked, in at most 100 words.
    pub reasons: String,
    /// Answers that do not hold.
    pub reopened: Vec<Reopening>,
    /// New flaws only, worst first.
    pub findings: Vec<Flaw>,
    /// True only if every answer holds and there is nothing new.
    pub no_flaws: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reopening {
    /// The id of the earlier finding.
    #[schemars(extend("x-ids" = "answered"))]
    pub id: String,
    /// What still goes wrong, shown on the work as it is now.
    pub why: String,
}

impl From<Attack> for AttackAgain {
    fn from(attack: Attack) -> Self {
        Self { reasons: attack.reasons, reopened: Vec::new(), findings: attack.findings, no_flaws: attack.no_flaws }
    }
}

impl TypedReply for Attack {
    /// `FINDING n: title` blocks with their fields, or a line `NO FLAWS`.
    fn from_text(text: &str, _terms: &IdLists) -> Option<Self> {
        let findings = flaws_in(text)?;
        let no_flaws = findings.is_empty() && says_no_flaws(text);
        Some(Self { reasons: before(text, "FINDING"), findings, no_flaws })
    }

    fn check(&self, _terms: &IdLists) -> Result<(), String> {
        check_attack(&self.findings, self.no_flaws)
    }
}

impl TypedReply for AttackAgain {
    /// As the first attack, and lines `REOPEN id: why`.
    fn from_text(text: &str, terms: &IdLists) -> Option<Self> {
        let (reopens, rest): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| !blocks(line, "REOPEN").is_empty());
        let read = |line: &str| {
            let Block { id, title, .. } = blocks(line, "REOPEN").into_iter().next()?;
            Some(Reopening { id: known(&id, terms.list("answered"))?, why: Some(title).filter(|why| !why.is_empty())? })
        };
        let reopened = reopens.into_iter().map(read).collect::<Option<Vec<_>>>()?;
        let rest = rest.join("\n");
        let findings = flaws_in(&rest)?;
        let no_flaws = findings.is_empty() && reopened.is_empty() && says_no_flaws(&rest);
        Some(Self { reasons: before(&rest, "FINDING"), reopened, findings, no_flaws })
    }

    fn check(&self, _terms: &IdLists) -> Result<(), String> {
        check_attack(&self.findings, self.no_flaws || !self.reopened.is_empty())
    }
}

fn check_attack(findings: &[Flaw], says_enough: bool) -> Result<(), String> {
    if findings.is_empty() && !says_enough {
        return Err("findings is empty: list what you found, or set no_flaws to true if there is nothing".into());
    }
    match findings.iter().find(|flaw| flaw.title.trim().is_empty() || flaw.vulnerability.trim().is_empty()) {
        Some(flaw) => Err(format!("the finding {:?} needs both a title and a vulnerability", flaw.title)),
        None => Ok(()),
    }
}

const FIELDS: [&str; 9] =
    ["Title", "Severity", "Location", "Vulnerability", "Exploit Scenario", "Exploit", "Summary", "Attack Summary", "Overall Risk"];

/// Every `FINDING n` block. One that lacks its severity or vulnerability makes the whole unreadable: nothing is filled in.
fn flaws_in(text: &str) -> Option<Vec<Flaw>> {
    let is_summary = |line: &str| bare(line).trim_end_matches(':').eq_ignore_ascii_case("summary");
    let read = |block: Block| {
        let body: Vec<&str> = block.body.lines().take_while(|line| !is_summary(line)).collect();
        let body = body.join("\n");
        let value = |label: &str| field(&body, label, &FIELDS);
        Some(Flaw {
            title: Some(block.title).filter(|title| !title.is_empty()).or_else(|| value("Title"))?,
            severity: severity(&value("Severity")?)?,
            location: value("Location").unwrap_or_default(),
            vulnerability: value("Vulnerability")?,
            exploit: value("Exploit Scenario").or_else(|| value("Exploit")).unwrap_or_default(),
        })
    };
    blocks(text, "FINDING").into_iter().map(read).collect()
}

/// The word the value begins with. A range ("LOW to MEDIUM", "HIGH/CRITICAL") is none: the attacker is asked to choose.
pub fn severity(value: &str) -> Option<Severity> {
    let first = token(value, &Severity::WORDS)?;
    let words = value.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).skip(1);
    let mut after = words.skip_while(|word| ["to", "or", "and"].iter().any(|joint| joint.eq_ignore_ascii_case(word)));
    if after.next().is_some_and(|word| token(word, &Severity::WORDS).is_some()) {
        return None;
    }
    Severity::parse(first)
}

/// The last line says so and nothing else, and no line describes a flaw: a report in a shape we cannot read is no clean bill.
fn says_no_flaws(text: &str) -> bool {
    let plain = |line: &str| bare(line.trim_start_matches(['#', '-', '>', ' '])).trim_end_matches(['.', ':']).to_lowercase();
    let last = text.lines().map(plain).rfind(|line| !line.is_empty());
    last.is_some_and(|line| ["no flaws", "no flaws found", "no findings"].contains(&line.as_str())) && !text.lines().any(describes_flaw)
}

/// Whether a line carries a label of a finding's form, whatever the markup: `1. (**Severity**: HIGH)`, `"severity": "HIGH"`, `| Severity | HIGH |`.
fn describes_flaw(line: &str) -> bool {
    let line: String = line.chars().filter(|c| !"*_`\"".contains(*c)).collect::<String>().to_lowercase();
    let labelled = |label: &str| line.match_indices(label).any(|(at, _)| line[at + label.len()..].trim_start().starts_with([':', '|', '=']));
    ["severity", "vulnerability", "exploit", "exploit scenario"].into_iter().any(labelled)
}

/// What stands before the first block.
fn before(text: &str, word: &str) -> String {
    text.lines().take_while(|line| blocks(line, word).is_empty()).collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// An id as written: `F2`, `f2`, or the bare number.
fn known(written: &str, ids: &[String]) -> Option<String> {
    let numbered = format!("F{written}");
    ids.iter().find(|id| id.eq_ignore_ascii_case(written) || **id == numbered).cloned()
}

/// The author's stand on a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum ResponseVerdict {
    Accept,
    Rebut,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Response {
    /// The finding's id.
    #[schemars(extend("x-ids" = "findings"))]
    pub id: String,
    /// Whether the finding is right.
    pub verdict: ResponseVerdict,
    /// Why; for REBUT the evidence in the work that the finding overlooks.
    pub reasoning: String,
    /// For ACCEPT what you changed; null for REBUT.
    pub revision: Option<String>,
}

/// The author's answer to an attack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Defence {
    /// What the findings come to, in at most 80 words.
    pub reasons: String,
    /// One for every finding shown.
    #[schemars(length(min = 1))]
    pub responses: Vec<Response>,
    /// The whole work with every accepted change made, not only the changed parts. Empty if you accept nothing.
    #[schemars(extend("x-block" = true))]
    pub revised_content: String,
}

impl TypedReply for Defence {
    /// `RESPONSE TO FINDING id` blocks, then `REVISED CONTENT:` and the whole text.
    fn from_text(text: &str, terms: &IdLists) -> Option<Self> {
        const FIELDS: [&str; 6] = ["Verdict", "Reasoning", "Revision", "Summary", "Defense Summary", "Defence Summary"];
        let (answers, content) = after_last_marker(text, "REVISED CONTENT:").unwrap_or((text, ""));
        let read = |block: Block| {
            let value = |label: &str| field(&block.body, label, &FIELDS);
            let verdict = match token(&value("Verdict")?, &["ACCEPT", "ACCEPTED", "REBUT", "REBUTTED"])? {
                "ACCEPT" | "ACCEPTED" => ResponseVerdict::Accept,
                _ => ResponseVerdict::Rebut,
            };
            let said = |revision: &String| !["n/a", "na", "none", "-", "—"].contains(&revision.trim_end_matches('.').to_lowercase().as_str());
            Some(Response {
                id: known(&block.id, terms.list("findings"))?,
                verdict,
                reasoning: value("Reasoning")?,
                revision: value("Revision").filter(said),
            })
        };
        let responses = blocks(answers, "RESPONSE TO FINDING").into_iter().map(read).collect::<Option<Vec<_>>>()?;
        let reasons = before(answers, "RESPONSE TO FINDING");
        (!responses.is_empty()).then(|| Self { reasons, responses, revised_content: content.trim().to_owned() })
    }

    fn check(&self, _terms: &IdLists) -> Result<(), String> {
        match self.responses.iter().find(|response| response.verdict == ResponseVerdict::Accept) {
            Some(accepted) if self.revised_content.trim().is_empty() => {
                Err(format!("you accept {} and revised_content is empty: give the whole work with the change made", accepted.id))
            }
            _ => Ok(()),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ruling {
    /// The finding's id.
    #[schemars(extend("x-ids" = "disputed"))]
    pub id: String,
    /// What decided it, in a sentence or two.
    pub why: String,
    /// True: the author's rebuttal holds and the finding falls. False: the finding stands.
    pub upheld: bool,
}

/// The judge's rulings on disputed findings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rulings {
    /// What you weighed, finding by finding, in at most 150 words.
    pub reasons: String,
    /// One for every finding shown.
    #[schemars(length(min = 1))]
    pub rulings: Vec<Ruling>,
}

impl TypedReply for Rulings {
    /// `RULING ON id: UPHELD` or `OVERRULED`, and why in the lines below.
    fn from_text(text: &str, terms: &IdLists) -> Option<Self> {
        let read = |block: Block| {
            let upheld = token(&block.title, &["UPHELD", "OVERRULED"])? == "UPHELD";
            Some(Ruling { id: known(&block.id, terms.list("disputed"))?, why: bare(&block.body).to_owned(), upheld })
        };
        let rulings = blocks(text, "RULING ON").into_iter().map(read).collect::<Option<Vec<_>>>()?;
        (!rulings.is_empty()).then(|| Self { reasons: before(text, "RULING ON"), rulings })
    }
}
