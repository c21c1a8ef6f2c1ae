//! Verification and doubt: another seat than the author checks each card, and a third looks for what could go wrong.

use super::docket::Docket;
use super::position::Position;
use super::seats::{FirstReply, first, judges};
use crate::collapse::cards::card::{Risk, Severity};
use crate::collapse::cards::records::{ApprovalState, Check, Receipt, ReceiptStatus};
use crate::collapse::cards::text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
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
        let status = match crate::text::token(rest.lines().next().unwrap_or_default(), &["PASS", "FAIL", "PENDING"])? {
            "PASS" => ReceiptStatus::Pass,
            "FAIL" => ReceiptStatus::Fail,
            _ => ReceiptStatus::Pending,
        };
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
        let severity = match crate::text::token(&severity, &["critical", "high", "medium", "low"])? {
            "critical" => Severity::Critical,
            "high" => Severity::High,
            "medium" => Severity::Medium,
            _ => Severity::Low,
        };
        let residual_risk = crate::text::score(&crate::text::field(&block.body, "Residual", &labels)?, 0.0, 1.0)?;
        Some(Self { severity, description: block.title.clone(), residual_risk })
    }
    fn risk(&self) -> Risk {
        Risk { severity: self.severity, description: self.description.clone(), mitigation: String::new(), residual_risk: Some(self.residual_risk) }
    }
}

/// What came of examining one card.
#[derive(Default)]
struct Doubted {
    risks: Vec<Risk>,
    concerns: Vec<String>,
    exhibit: Option<Exhibit>,
    note: Option<String>,
    closed: bool,
}

struct Verified {
    receipt: ReceiptState,
    failed_checks: Vec<Check>,
    exhibit: Option<Exhibit>,
    note: Option<String>,
    closed: bool,
}

impl Verified {
    fn quiet(receipt: ReceiptState) -> Self {
        Self { receipt, failed_checks: Vec::new(), exhibit: None, note: None, closed: false }
    }
}

/// Examines every card that has not been, all of them side by side.
pub async fn examine(bench: &Bench, docket: &mut Docket) -> Result<()> {
    let open: Vec<usize> = (0..docket.positions.len()).filter(|at| !docket.positions[*at].examined).collect();
    let items = open.iter().map(|at| (docket.positions[*at].id().to_owned(), *at));
    let found = bench.all(items, |bench, at| one(bench, docket, at)).await?;
    // Shown when all have spoken: rows in an order that no seat's pace decides.
    for (at, (verified, _)) in open.iter().zip(&found) {
        if let Some(exhibit) = &verified.exhibit {
            bench.at(docket.positions[*at].id()).show("verifier_receipt", exhibit.clone())?;
        }
    }
    for (at, (verified, doubted)) in open.into_iter().zip(found) {
        let position = &mut docket.positions[at];
        if let Some(exhibit) = doubted.exhibit {
            bench.at(position.id()).show("skeptic_risks", exhibit)?;
        }
        for note in [verified.note, doubted.note].into_iter().flatten() {
            bench.warn(note);
        }
        position.examined = true;
        position.receipt = verified.receipt;
        position.failed_checks = verified.failed_checks;
        position.doubts = doubted.risks;
        position.concerns = doubted.concerns;
        docket.closed |= verified.closed || doubted.closed;
    }
    Ok(())
}

async fn one(bench: Bench, docket: &Docket, at: usize) -> Result<(Verified, Doubted)> {
    let position = &docket.positions[at];
    let given = if position.author.is_none() { docket.receipt(position.id()) } else { None };
    let (verified, doubted) = futures::join!(verify(&bench, docket, position, at, given), doubt(&bench, docket, position, at));
    Ok((verified?, doubted?))
}

/// A receipt that was given, a verifier's, or none where nobody can verify.
async fn verify(bench: &Bench, docket: &Docket, position: &Position, at: usize, given: Option<&Receipt>) -> Result<Verified> {
    if let Some(receipt) = given {
        let note = contradiction(receipt).map(|why| format!("The receipt of {} says PASS, but {why}: it is held.", position.id()));
        return Ok(Verified { failed_checks: failed(&receipt.checks_performed), note, ..Verified::quiet(standing(receipt, position)) });
    }
    if docket.seats.is_empty() {
        return Ok(Verified::quiet(ReceiptState::Absent));
    }
    let seats = judges(&docket.seats, position.author, if position.author.is_some() { 0 } else { at });
    let options = &docket.options;
    let ask = prompt!("verify", card = text::card_text(&position.card), position = position.id())
        .set("constraints", &options.constraints)
        .set("invariants", &options.invariants);
    let id = position.id();
    match first::<Verification>(bench, &seats, ask, &format!("verifying {id}")).await? {
        FirstReply::Reply(given, note) => {
            let said = &given.value;
            let receipt = match said.status {
                ReceiptStatus::Pass => ReceiptState::Pass,
                ReceiptStatus::Fail => ReceiptState::Fail,
                ReceiptStatus::Pending => ReceiptState::Pending,
            };
            let entries = said.checks.iter().zip(1..).map(|(check, n)| CheckEntry {
                id: n.to_string(),
                claim: check.check.clone(),
                verdict: status_word(check.status).into(),
                correction: check.remediation.clone(),
                ..CheckEntry::default()
            });
            let measure = format!("{}: {}", status_word(said.status), said.reasons.trim());
            let shape = Shape::Checks(Checks { entries: entries.collect(), score: None, measure });
            let data = json!({"positionId": id, "status": said.status, "checksPerformed": said.checks, "cardHash": position.card.digest()});
            let exhibit = Exhibit::new(format!("Verification of {id}"), shape).by(given.seat, "verifier").turn(&given.key);
            Ok(Verified { receipt, failed_checks: failed(&said.checks), exhibit: Some(exhibit.data(&data)), note, closed: false })
        }
        FirstReply::Failed(missed) => {
            let data = json!({"positionId": id, "status": "PENDING", "checksPerformed": []});
            let exhibit = absent(bench, "verifier", &format!("Verification of {id}"), missed, data);
            let note = format!("Nobody could verify {id}: its receipt is pending, and it can be neither accepted nor shown to the panel.");
            Ok(Verified { exhibit, note: Some(note), ..Verified::quiet(ReceiptState::Pending) })
        }
        FirstReply::Closed => Ok(Verified { closed: true, ..Verified::quiet(ReceiptState::Pending) }),
    }
}

async fn doubt(bench: &Bench, docket: &Docket, position: &Position, at: usize) -> Result<Doubted> {
    if docket.seats.is_empty() {
        return Ok(Doubted::default());
    }
    let seats = judges(&docket.seats, position.author, if position.author.is_some() { 1 } else { at + 1 });
    let id = position.id();
    let ask = prompt!("doubt", card = text::card_text(&position.card), position = id, constraints = docket.options.constraints);
    match first::<Doubts>(bench, &seats, ask, &format!("doubting {id}")).await? {
        FirstReply::Reply(given, note) => {
            let said = &given.value;
            let entries = said.risks.iter().zip(1..).map(|(doubt, n)| FindingEntry {
                id: format!("D{n}"),
                title: doubt.description.clone(),
                severity: doubt.severity.as_str().into(),
                detail: format!("{} of it left as the card stands", doubt.residual_risk),
                ..FindingEntry::default()
            });
            let none = "The skeptic found no risk beyond the card's own.".to_owned();
            let shape = Shape::Findings(Findings { entries: entries.collect(), none });
            let data = json!({"positionId": id, "risks": said.risks, "concerns": said.concerns});
            let exhibit = Exhibit::new(format!("Doubts about {id}"), shape).by(given.seat, "skeptic").turn(&given.key).data(&data);
            let risks = said.risks.iter().map(Doubt::risk).collect();
            Ok(Doubted { risks, concerns: said.concerns.clone(), exhibit: Some(exhibit), note, closed: false })
        }
        FirstReply::Failed(missed) => {
            let data = json!({"positionId": id, "risks": [], "concerns": []});
            Ok(Doubted { exhibit: absent(bench, "skeptic", &format!("Doubts about {id}"), missed, data), ..Doubted::default() })
        }
        FirstReply::Closed => Ok(Doubted { closed: true, ..Doubted::default() }),
    }
}

fn absent(bench: &Bench, role: &str, title: &str, missed: Option<SeatFailure>, data: serde_json::Value) -> Option<Exhibit> {
    let missed = missed?;
    let text = format!("{} {}.", bench.seat(missed.seat).label, missed.failure.kind.plain());
    Some(Exhibit::note(title, text).by(missed.seat, role).turn(&missed.key).data(&data))
}

/// What a given receipt is worth for the card as it is now.
fn standing(receipt: &Receipt, position: &Position) -> ReceiptState {
    let void = receipt.card_hash.as_ref().is_some_and(|hash| *hash != position.card.digest());
    let waits = receipt.required_approvals.values().any(|state| *state == ApprovalState::Pending);
    match receipt.status {
        _ if void => ReceiptState::Pending,
        ReceiptStatus::Fail => ReceiptState::Fail,
        ReceiptStatus::Pass if !waits && contradiction(receipt).is_none() => ReceiptState::Pass,
        ReceiptStatus::Pass | ReceiptStatus::Pending => ReceiptState::Pending,
    }
}

/// What in a receipt that says PASS says otherwise.
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
