//! Verification: by the receipt that came with a card, or by a seat that did not write it.

use super::docket::Docket;
use super::examine::judged;
use super::position::Position;
use super::seats::judges;
use crate::collapse::cards::records::{ApprovalState, Check, Receipt, ReceiptStatus};
use crate::collapse::cards::text;
use crate::collapse::rows::ReceiptRow;
use crate::first_reply;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{Bench, IdLists, Result, TypedReply, prompt};
use synod_math::collapse::gates::ReceiptState;
use synod_types::*;

/// A verifier's reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verification {
    /// What was checked and what came of it, before the status.
    pub reasons: String,
    pub status: ReceiptStatus,
    #[schemars(length(max = 12))]
    pub checks: Vec<Check>,
}

impl TypedReply for Verification {
    fn from_text(text: &str, _: &IdLists) -> Option<Self> {
        let (reasons, rest) = crate::text::after_last_marker(text, "STATUS:")?;
        let status = crate::text::token(rest.lines().next().unwrap_or_default(), &ReceiptStatus::WORDS).and_then(ReceiptStatus::parse)?;
        Some(Self { reasons: reasons.trim().to_owned(), status, checks: Vec::new() })
    }
}

/// What a verifier made of a card.
pub struct VerificationResult {
    pub receipt: ReceiptState,
    pub failed_checks: Vec<Check>,
    /// In words, for those who judge the card after it.
    pub findings: String,
    pub exhibits: Vec<Exhibit>,
    pub warning: Option<String>,
    pub closed: bool,
}

impl VerificationResult {
    /// With nothing to show or to warn of.
    fn new(receipt: ReceiptState) -> Self {
        Self { receipt, failed_checks: Vec::new(), findings: String::new(), exhibits: Vec::new(), warning: None, closed: false }
    }
}

/// By the receipt that came with the card, by a verifier's reply, or not at all where there is nobody to verify.
pub async fn verify(bench: &Bench, docket: &Docket, position: &Position, at: usize) -> Result<VerificationResult> {
    let receipt = docket.receipt_of(position);
    if let Some(receipt) = receipt {
        let state = receipt_state(receipt, position);
        // A receipt for another version says nothing of this one; whoever is there verifies it.
        if !is_void(receipt, position) || docket.seats.is_empty() {
            let warning = contradiction(receipt).map(|why| format!("The receipt of {} says PASS, but {why}: it is held.", position.id()));
            let (failed_checks, findings) = (failed(&receipt.checks_performed), text::receipt_text(receipt));
            return Ok(VerificationResult { failed_checks, findings, warning, ..VerificationResult::new(state) });
        }
    }
    if docket.seats.is_empty() {
        return Ok(VerificationResult::new(ReceiptState::Absent));
    }
    let seats = judges(&docket.seats, position.author, if position.author.is_some() { 0 } else { at });
    let ask = judged(prompt!("verify", receipt = receipt.map(text::receipt_text)), bench, docket, position);
    let id = position.id();
    let title = format!("Verification of {id}");
    let asked = first_reply::ask::<Verification>(bench, &seats, ask).await?;
    let mut exhibits = asked.absences(&title, "verifier", |failed| ReceiptRow::absent(id, failed));
    let (warning, closed) = (asked.taken_over(bench, &format!("verifying {id}")), asked.closed());
    let Some(reply) = asked.reply else {
        let unverified = || format!("Nobody could verify {id}: its receipt is pending, and it can be neither accepted nor shown to the panel.");
        let warning = (!closed).then(unverified);
        return Ok(VerificationResult { exhibits, warning, closed, ..VerificationResult::new(ReceiptState::Pending) });
    };
    let Verification { reasons, status, checks } = reply.value;
    let receipt = match status {
        ReceiptStatus::Pass => ReceiptState::Pass,
        ReceiptStatus::Fail => ReceiptState::Fail,
        ReceiptStatus::Pending => ReceiptState::Pending,
    };
    let by = &bench.seat(reply.seat).label;
    let entries = checks.iter().zip(1..).map(|(check, n)| CheckEntry {
        id: n.to_string(),
        claim: check.check.clone(),
        verdict: status_word(check.status).into(),
        correction: check.remediation.clone(),
        evidence: if check.evidence.trim().is_empty() {
            Vec::new()
        } else {
            vec![Evidence { by: by.clone(), text: check.evidence.clone(), ..Evidence::default() }]
        },
        ..CheckEntry::default()
    });
    let shape = Shape::Checks(Checks { entries: entries.collect(), score: None, measure: status_word(status).to_owned() });
    let mut findings = vec![format!("{}: {}", status.as_str(), reasons.trim())];
    findings.extend(checks.iter().map(text::check_text));
    let failed_checks = failed(&checks);
    let row = ReceiptRow {
        position_id: id.to_owned(),
        status,
        reasons: reasons.trim().to_owned(),
        checks_performed: checks,
        card_hash: Some(position.card.digest()),
        error: None,
    };
    exhibits.push(Exhibit::new(title, shape).part("Reasons", &reasons).by(reply.seat, "verifier").turn(&reply.key).data(&row));
    Ok(VerificationResult { receipt, failed_checks, findings: findings.join("\n"), exhibits, warning, closed })
}

fn is_void(receipt: &Receipt, position: &Position) -> bool {
    receipt.card_hash.as_ref().is_some_and(|hash| *hash != position.card.digest())
}

/// What a given receipt says of the present version of the card.
fn receipt_state(receipt: &Receipt, position: &Position) -> ReceiptState {
    let waits = receipt.required_approvals.values().any(|state| *state == ApprovalState::Pending);
    match receipt.status {
        _ if is_void(receipt, position) => ReceiptState::Pending,
        ReceiptStatus::Fail => ReceiptState::Fail,
        ReceiptStatus::Pass if !waits && contradiction(receipt).is_none() => ReceiptState::Pass,
        ReceiptStatus::Pass | ReceiptStatus::Pending => ReceiptState::Pending,
    }
}

/// Something in a receipt that contradicts its PASS.
fn contradiction(receipt: &Receipt) -> Option<String> {
    if receipt.status != ReceiptStatus::Pass {
        return None;
    }
    let blocking = receipt.invariant_compliance.iter().flat_map(|compliance| &compliance.violations).find(|violation| violation.blocking);
    let check = receipt.checks_performed.iter().find(|check| check.status == ReceiptStatus::Fail);
    match (blocking, check) {
        (Some(violation), _) => Some(format!("lists a violation of {} as blocking", violation.invariant)),
        (None, Some(check)) => Some(format!("has a check that failed ({})", check.check.trim())),
        (None, None) => None,
    }
}

fn failed(checks: &[Check]) -> Vec<Check> {
    checks.iter().filter(|check| check.status != ReceiptStatus::Pass).cloned().collect()
}

fn status_word(status: ReceiptStatus) -> &'static str {
    match status {
        ReceiptStatus::Pass => "passed",
        ReceiptStatus::Fail => "failed",
        ReceiptStatus::Pending => "pending",
    }
}
