//! One checker's rulings on the claims, typed, and their classic text form.

use super::claims::Claim;
use super::material::Material;
use super::rows::{RulingCounts, VoteRow, VotesRow};
use crate::text::{bare, blocks, field, token};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{IdLists, TypedReply};
use synod_types::{CheckEntry, Checks, Evidence, Exhibit, Shape, words};

words! {
    /// What a checker, or the panel, says of a claim.
    pub enum Ruling { Verified = "VERIFIED", Disputed = "DISPUTED", Unverifiable = "UNVERIFIABLE" }

    /// How sure it is.
    #[derive(PartialOrd, Ord)]
    pub enum Sureness { Low = "LOW", Medium = "MEDIUM", High = "HIGH" }
}

/// A checker's rulings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verification {
    /// What you could check the claims by, and what you could not, in at most 60 words.
    pub reasons: String,
    /// One for each claim.
    pub checks: Vec<Check>,
}

/// One ruling.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// The id of the claim.
    #[schemars(extend("x-ids" = "claims"))]
    pub id: String,
    /// What speaks for or against the claim: facts, figures, sources you know.
    pub evidence: String,
    /// Words copied exactly from one of the passages that decide it; null without such a passage.
    pub quote: Option<String>,
    /// What the evidence comes to.
    pub verdict: Ruling,
    /// How far you would rely on that verdict.
    pub confidence: Sureness,
    /// For a disputed claim what is right instead, in one sentence; else null.
    pub correction: Option<String>,
}

/// Labels that end a field. The counts that some write below the last block belong to none.
const FIELDS: [&str; 9] = ["Verdict", "Evidence", "Quote", "Correction", "Confidence", "Summary", "Verified", "Disputed", "Unverifiable"];

impl TypedReply for Verification {
    /// Blocks `VERIFICATION claim_n: VERDICT` (or just the number) with lines `Evidence:`, `Quote:`, `Correction:`, `Confidence:`. A block
    /// without a verdict or a confidence rules on nothing, and so does one on a claim that was not asked about.
    fn from_text(text: &str, terms: &IdLists) -> Option<Self> {
        let claims = terms.list("claims");
        let found = blocks(text, "VERIFICATION");
        let read = found.iter().filter_map(|block| {
            let asked = |id: &&String| id.eq_ignore_ascii_case(&block.id) || id.strip_prefix("claim_") == Some(block.id.as_str());
            let id = claims.iter().find(asked)?.clone();
            let value = |label: &str| field(&block.body, label, &FIELDS);
            let verdict = token(&block.title, &Ruling::WORDS);
            let verdict = verdict.or_else(|| token(&value("Verdict").filter(|_| block.title.is_empty())?, &Ruling::WORDS))?;
            let confidence = token(&value("Confidence")?, &Sureness::WORDS)?;
            Some(Check {
                id,
                evidence: value("Evidence").unwrap_or_default(),
                quote: value("Quote"),
                verdict: Ruling::parse(verdict)?,
                confidence: Sureness::parse(confidence)?,
                correction: value("Correction"),
            })
        });
        let checks: Vec<Check> = read.collect();
        let reasons: Vec<&str> = text.lines().take_while(|line| blocks(line, "VERIFICATION").is_empty()).collect();
        (!checks.is_empty()).then(|| Self { reasons: reasons.join("\n").trim().to_owned(), checks })
    }
}

/// One checker's ruling on one claim, as it counts: a correction only where something is disputed, and a quotation with the file that holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Vote {
    pub claim_id: String,
    pub verdict: Ruling,
    pub confidence: Sureness,
    pub evidence: String,
    pub quote: Option<String>,
    /// `None`: the quotation stands in no attached file.
    pub found_in: Option<String>,
    pub correction: Option<String>,
}

/// The votes in a reply, in the order of the claims. Of several rulings on one claim the last counts; without one the checker abstains on it.
pub fn votes(verification: &Verification, claims: &[Claim], material: &Material) -> Vec<Vote> {
    let last = |claim: &Claim| verification.checks.iter().rev().find(|check| check.id == claim.id);
    let vote = |check: &Check| {
        let quote = non_blank(&check.quote);
        Vote {
            claim_id: check.id.clone(),
            verdict: check.verdict,
            confidence: check.confidence,
            evidence: check.evidence.trim().to_owned(),
            found_in: quote.as_deref().and_then(|quote| material.file_of(quote)).map(str::to_owned),
            quote,
            correction: non_blank(&check.correction).filter(|_| check.verdict == Ruling::Disputed),
        }
    };
    claims.iter().filter_map(last).map(vote).collect()
}

/// The field's text, unless it is empty or a word that stands for nothing.
fn non_blank(value: &Option<String>) -> Option<String> {
    let value = bare(value.as_deref()?);
    let nothing = ["", "n/a", "na", "none", "null", "-", "—"].contains(&value.trim_end_matches('.').to_lowercase().as_str());
    (!nothing).then(|| value.to_owned())
}

impl Vote {
    /// What speaks for it, for people.
    pub fn evidence(&self, by: &str) -> Evidence {
        Evidence {
            by: by.to_owned(),
            text: format!("{} ({}): {}", self.verdict.as_str(), self.confidence.as_str(), self.evidence),
            quote: self.quote.clone().unwrap_or_default(),
            found_in: self.found_in.clone(),
        }
    }
}

/// One checker's votes, of which there are some.
pub fn exhibit(title: String, votes: &[Vote], claims: &[Claim]) -> Exhibit {
    let entry = |vote: &Vote| CheckEntry {
        id: vote.claim_id.clone(),
        claim: claims.iter().find(|claim| claim.id == vote.claim_id).map(|claim| claim.text.clone()).unwrap_or_default(),
        verdict: vote.verdict.as_str().to_lowercase(),
        confidence: vote.confidence.as_str().to_lowercase(),
        correction: vote.correction.clone().unwrap_or_default(),
        evidence: vec![Evidence { text: vote.evidence.clone(), ..vote.evidence("") }],
        ..CheckEntry::default()
    };
    let checks = Checks { entries: votes.iter().map(entry).collect(), score: None, measure: String::new() };
    Exhibit::new(title, Shape::Checks(checks))
}

/// The votes as they are stored. `abstained`: why there are none.
pub fn row(votes: &[Vote], abstained: Option<String>) -> VotesRow {
    let row = |vote: &Vote| VoteRow {
        claim_id: vote.claim_id.clone(),
        verdict: vote.verdict,
        evidence: vote.evidence.clone(),
        correction: vote.correction.clone(),
        confidence: vote.confidence,
        quote: vote.quote.clone(),
        found_in: vote.found_in.clone(),
    };
    let [verified, disputed, unverifiable] = Ruling::ALL.map(|ruling| votes.iter().filter(|vote| vote.verdict == ruling).count());
    VotesRow { verifications: votes.iter().map(row).collect(), summary: RulingCounts { verified, disputed, unverifiable }, abstained }
}
