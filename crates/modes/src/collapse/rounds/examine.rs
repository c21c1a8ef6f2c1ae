//! Examination: every card is verified and doubted by others than its author, and critical doubts are put to the verifier.

use super::docket::Docket;
use super::doubt::{self, DoubtResult, SettledDoubts};
use super::position::Position;
use super::verify::{self, VerificationResult};
use crate::collapse::cards::excerpt::excerpts;
use crate::collapse::cards::text;
use synod_engine::{Bench, Prompt, Result};

/// A prompt about one card, with what all who judge it must know: the card, what its evidence says, constraints, invariants and regulations.
pub fn judged(prompt: Prompt, bench: &Bench, docket: &Docket, position: &Position) -> Prompt {
    prompt
        .set("card", text::card_text(&position.card))
        .set("position", position.id())
        .set("evidence", excerpts(&position.card, bench.question()))
        .set("constraints", &docket.options.constraints)
        .set("invariants", &docket.options.invariants)
        .set("regulations", &docket.options.regulations)
}

/// Examines every card that has not been, all of them side by side.
pub async fn examine(bench: &Bench, docket: &mut Docket) -> Result<()> {
    let open: Vec<usize> = (0..docket.positions.len()).filter(|at| !docket.positions[*at].examined).collect();
    let mut results = Vec::with_capacity(open.len());
    if docket.seats.is_empty() {
        // Nobody is waited for: one after the other, thousands need no more room than one.
        for at in &open {
            results.push(examine_card(bench.clone(), docket, *at).await?);
        }
    } else {
        let items = open.iter().map(|at| (docket.positions[*at].id().to_owned(), *at));
        results = bench.all(items, |bench, at| examine_card(bench, docket, at)).await?;
    }
    // Shown when all have answered, so that the order of the rows does not depend on who is quick.
    for stage in ["verifier_receipt", "skeptic_risks", "doubt_rulings"] {
        for (at, (verification, doubts, settled)) in open.iter().zip(&mut results) {
            let exhibits = match stage {
                "verifier_receipt" => &mut verification.exhibits,
                "skeptic_risks" => &mut doubts.exhibits,
                _ => &mut settled.exhibits,
            };
            for exhibit in exhibits.drain(..) {
                bench.at(docket.positions[*at].id()).show(stage, exhibit)?;
            }
        }
    }
    for (at, (verification, doubts, settled)) in open.into_iter().zip(results) {
        let position = &mut docket.positions[at];
        for warning in [verification.warning, doubts.warning, settled.warning].into_iter().flatten() {
            bench.warn(warning);
        }
        position.examined = true;
        position.receipt = verification.receipt;
        position.failed_checks = verification.failed_checks;
        position.findings = verification.findings;
        position.challenged = doubts.challenged;
        position.doubts = doubts.doubts;
        position.concerns = doubts.concerns;
        for (doubt, ruling) in position.doubts.iter_mut().zip(settled.rulings) {
            doubt.ruling = ruling;
        }
        docket.closed |= verification.closed || doubts.closed || settled.closed;
    }
    Ok(())
}

async fn examine_card(bench: Bench, docket: &Docket, at: usize) -> Result<(VerificationResult, DoubtResult, SettledDoubts)> {
    let position = &docket.positions[at];
    let (verification, doubts) = futures::join!(verify::verify(&bench, docket, position, at), doubt::doubt(&bench, docket, position, at));
    let (verification, doubts) = (verification?, doubts?);
    let settled = doubt::settle(&bench, docket, position, at, &doubts, &verification.findings).await?;
    Ok((verification, doubts, settled))
}
