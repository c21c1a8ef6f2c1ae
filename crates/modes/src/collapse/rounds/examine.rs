//! Verification and doubt: another seat than the author checks each card, and a third looks for what could go wrong.

use super::docket::Docket;
use super::position::Position;
use super::seats::{FirstReply, first, judges};
use crate::collapse::cards::card::{Risk, Severity};
use crate::collapse::cards::records::{ApprovalState, Check, Receipt, ReceiptStatus};
use crate::collapse::cards::text;
use crate::collapse::rows::{DoubtsRow, ReceiptRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{Bench, IdLists, Result, SeatFailure, TypedReply, prompt};
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

/// A skeptic's reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Doubts {
    /// What the card takes for granted, before the list.
    pub reasons: String,
    /// The worst first; only what the card's own list leaves out or plays down.
    #[schemars(length(max = 5))]
    pub risks: Vec<Doubt>,
    /// What the author would have to answer.
    #[schemars(length(max = 5))]
    pub concerns: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Doubt {
    pub severity: Severity,
    pub description: String,
    /// What is left of it as the card stands, from 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub residual_risk: f64,
}

impl TypedReply for Doubts {
    fn from_text(text: &str, _: &IdLists) -> Option<Self> {
        let risks: Vec<Doubt> = crate::text::blocks(text, "RISK").iter().filter_map(Doubt::from_block).take(5).collect();
        (!risks.is_empty()).then(|| Self { reasons: text.trim().to_owned(), risks, concerns: Vec::new() })
    }
}

impl Doubt {
    fn from_block(block: &crate::text::Block) -> Option<Self> {
        let labels = ["Severity", "Residual"];
        let severity = crate::text::field(&block.body, "Severity", &labels)?;
        let severity = crate::text::token(&severity, &Severity::WORDS).and_then(Severity::parse)?;
        let residual_risk = crate::text::score(&crate::text::field(&block.body, "Residual", &labels)?, 0.0, 1.0)?;
        Some(Self { severity, description: block.title.clone(), residual_risk })
    }
    fn risk(&self) -> Risk {
        Risk { severity: self.severity, description: self.description.clone(), mitigation: String::new(), residual_risk: Some(self.residual_risk) }
    }
}

/// What a skeptic made of a card.
#[derive(Default)]
struct DoubtResult {
    risks: Vec<Risk>,
    concerns: Vec<String>,
    exhibit: Option<Exhibit>,
    warning: Option<String>,
    closed: bool,
}

/// What a verifier made of a card.
struct VerificationResult {
    receipt: ReceiptState,
    failed_checks: Vec<Check>,
    exhibit: Option<Exhibit>,
    warning: Option<String>,
    closed: bool,
}

impl VerificationResult {
    /// With nothing to show or to warn of.
    fn new(receipt: ReceiptState) -> Self {
        Self { receipt, failed_checks: Vec::new(), exhibit: None, warning: None, closed: false }
    }
}

/// Examines every card that has not been, all of them side by side.
pub async fn examine(bench: &Bench, docket: &mut Docket) -> Result<()> {
    let open: Vec<usize> = (0..docket.positions.len()).filter(|at| !docket.positions[*at].examined).collect();
    let items = open.iter().map(|at| (docket.positions[*at].id().to_owned(), *at));
    let results = bench.all(items, |bench, at| examine_card(bench, docket, at)).await?;
    // Shown when all have answered, so that the order of the rows does not depend on who is quick.
    for (at, (verification, _)) in open.iter().zip(&results) {
        if let Some(exhibit) = &verification.exhibit {
            bench.at(docket.positions[*at].id()).show("verifier_receipt", exhibit.clone())?;
        }
    }
    for (at, (verification, doubts)) in open.into_iter().zip(results) {
        let position = &mut docket.positions[at];
        if let Some(exhibit) = doubts.exhibit {
            bench.at(position.id()).show("skeptic_risks", exhibit)?;
        }
        for warning in [verification.warning, doubts.warning].into_iter().flatten() {
            bench.warn(warning);
        }
        position.examined = true;
        position.receipt = verification.receipt;
        position.failed_checks = verification.failed_checks;
        position.doubts = doubts.risks;
        position.concerns = doubts.concerns;
        docket.closed |= verification.closed || doubts.closed;
    }
    Ok(())
}

async fn examine_card(bench: Bench, docket: &Docket, at: usize) -> Result<(VerificationResult, DoubtResult)> {
    let position = &docket.positions[at];
    let receipt = if position.author.is_none() { docket.receipt(position.id()) } else { None };
    let (verification, doubts) = futures::join!(verify(&bench, docket, position, at, receipt), doubt(&bench, docket, position, at));
    Ok((verification?, doubts?))
}

/// By the receipt that came with the card, by a verifier's reply, or not at all where there is nobody to verify.
async fn verify(bench: &Bench, docket: &Docket, position: &Position, at: usize, receipt: Option<&Receipt>) -> Result<VerificationResult> {
    if let Some(receipt) = receipt {
        let warning = contradiction(receipt).map(|why| format!("The receipt of {} says PASS, but {why}: it is held.", position.id()));
        let failed_checks = failed(&receipt.checks_performed);
        return Ok(VerificationResult { failed_checks, warning, ..VerificationResult::new(receipt_state(receipt, position)) });
    }
    if docket.seats.is_empty() {
        return Ok(VerificationResult::new(ReceiptState::Absent));
    }
    let seats = judges(&docket.seats, position.author, if position.author.is_some() { 0 } else { at });
    let options = &docket.options;
    let ask = prompt!("verify", card = text::card_text(&position.card), position = position.id())
        .set("constraints", &options.constraints)
        .set("invariants", &options.invariants);
    let id = position.id();
    match first::<Verification>(bench, &seats, ask, &format!("verifying {id}")).await? {
        FirstReply::Reply(reply, warning) => {
            let Verification { reasons, status, checks } = reply.value;
            let receipt = match status {
                ReceiptStatus::Pass => ReceiptState::Pass,
                ReceiptStatus::Fail => ReceiptState::Fail,
                ReceiptStatus::Pending => ReceiptState::Pending,
            };
            let entries = checks.iter().zip(1..).map(|(check, n)| CheckEntry {
                id: n.to_string(),
                claim: check.check.clone(),
                verdict: status_word(check.status).into(),
                correction: check.remediation.clone(),
                ..CheckEntry::default()
            });
            let measure = format!("{}: {}", status_word(status), reasons.trim());
            let shape = Shape::Checks(Checks { entries: entries.collect(), score: None, measure });
            let failed_checks = failed(&checks);
            let row = ReceiptRow { position_id: id.to_owned(), status, checks_performed: checks, card_hash: Some(position.card.digest()) };
            let exhibit = Exhibit::new(format!("Verification of {id}"), shape).by(reply.seat, "verifier").turn(&reply.key).data(&row);
            Ok(VerificationResult { receipt, failed_checks, exhibit: Some(exhibit), warning, closed: false })
        }
        FirstReply::Failed(failure) => {
            let row = ReceiptRow { position_id: id.to_owned(), status: ReceiptStatus::Pending, checks_performed: Vec::new(), card_hash: None };
            let exhibit = failure_exhibit(bench, "verifier", &format!("Verification of {id}"), failure, &row);
            let warning = format!("Nobody could verify {id}: its receipt is pending, and it can be neither accepted nor shown to the panel.");
            Ok(VerificationResult { exhibit, warning: Some(warning), ..VerificationResult::new(ReceiptState::Pending) })
        }
        FirstReply::Closed => Ok(VerificationResult { closed: true, ..VerificationResult::new(ReceiptState::Pending) }),
    }
}

async fn doubt(bench: &Bench, docket: &Docket, position: &Position, at: usize) -> Result<DoubtResult> {
    if docket.seats.is_empty() {
        return Ok(DoubtResult::default());
    }
    let seats = judges(&docket.seats, position.author, if position.author.is_some() { 1 } else { at + 1 });
    let id = position.id();
    let ask = prompt!("doubt", card = text::card_text(&position.card), position = id, constraints = docket.options.constraints);
    match first::<Doubts>(bench, &seats, ask, &format!("doubting {id}")).await? {
        FirstReply::Reply(reply, warning) => {
            let Doubts { risks: doubts, concerns, .. } = reply.value;
            let entries = doubts.iter().zip(1..).map(|(doubt, n)| FindingEntry {
                id: format!("D{n}"),
                title: doubt.description.clone(),
                severity: doubt.severity.as_str().into(),
                detail: format!("{} of it left as the card stands", doubt.residual_risk),
                ..FindingEntry::default()
            });
            let none = "The skeptic found no risk beyond the card's own.".to_owned();
            let shape = Shape::Findings(Findings { entries: entries.collect(), none });
            let risks = doubts.iter().map(Doubt::risk).collect();
            let row = DoubtsRow { position_id: id.to_owned(), risks: doubts, concerns: concerns.clone() };
            let exhibit = Exhibit::new(format!("Doubts about {id}"), shape).by(reply.seat, "skeptic").turn(&reply.key).data(&row);
            Ok(DoubtResult { risks, concerns, exhibit: Some(exhibit), warning, closed: false })
        }
        FirstReply::Failed(failure) => {
            let row = DoubtsRow { position_id: id.to_owned(), risks: Vec::new(), concerns: Vec::new() };
            let exhibit = failure_exhibit(bench, "skeptic", &format!("Doubts about {id}"), failure, &row);
            Ok(DoubtResult { exhibit, ..DoubtResult::default() })
        }
        FirstReply::Closed => Ok(DoubtResult { closed: true, ..DoubtResult::default() }),
    }
}

fn failure_exhibit(bench: &Bench, role: &str, title: &str, failure: Option<SeatFailure>, row: &impl RowData) -> Option<Exhibit> {
    let failure = failure?;
    let text = format!("{} {}.", bench.seat(failure.seat).label, failure.failure.kind.plain());
    Some(Exhibit::note(title, text).by(failure.seat, role).turn(&failure.key).data(row))
}

/// What a given receipt says of the present version of the card.
fn receipt_state(receipt: &Receipt, position: &Position) -> ReceiptState {
    let void = receipt.card_hash.as_ref().is_some_and(|hash| *hash != position.card.digest());
    let waits = receipt.required_approvals.values().any(|state| *state == ApprovalState::Pending);
    match receipt.status {
        _ if void => ReceiptState::Pending,
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
