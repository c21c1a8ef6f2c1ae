//! Doubt: a seat that did not write a card looks for what could go wrong with it, and the verifier is asked once about what would stop it.

use super::docket::Docket;
use super::examine::judged;
use super::position::{DoubtRuling, Position, StandingDoubt};
use super::seats::judges;
use crate::collapse::cards::card::{Risk, Severity};
use crate::collapse::rows::{DoubtsRow, RulingEntry, RulingsRow};
use crate::first_reply;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use synod_engine::{Bench, IdLists, Result, TypedReply, prompt};
use synod_types::*;

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

words! {
    pub enum DoubtFate {
        /// Nothing on the card answers it.
        Stands = "stands",
        /// Something on the card shows that it does not hold.
        Rejected = "rejected",
    }
}

/// The verifier's reply about the doubts that would stop a card.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DoubtRulings {
    /// What the card and its evidence say to the doubts, before the rulings.
    pub reasons: String,
    /// Every doubt by its id.
    #[schemars(extend("x-map" = "doubts"))]
    pub rulings: BTreeMap<String, OneRuling>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OneRuling {
    /// What answers it, or what is missing.
    pub reason: String,
    pub ruling: DoubtFate,
}

impl TypedReply for DoubtRulings {
    fn from_text(text: &str, ids: &IdLists) -> Option<Self> {
        let labels: Vec<&str> = ids.list("doubts").iter().map(String::as_str).collect();
        let rulings: Option<BTreeMap<String, OneRuling>> = labels
            .iter()
            .map(|id| {
                let said = crate::text::field(text, id, &labels)?;
                let ruling = crate::text::token(&said, &DoubtFate::WORDS).and_then(DoubtFate::parse)?;
                let reason = said.split_once([',', ':', '.']).map_or("", |(_, reason)| reason.trim()).to_owned();
                Some(((*id).to_owned(), OneRuling { reason, ruling }))
            })
            .collect();
        Some(Self { reasons: text.trim().to_owned(), rulings: rulings? })
    }
}

/// What a skeptic made of a card.
#[derive(Default)]
pub struct DoubtResult {
    pub doubts: Vec<StandingDoubt>,
    pub concerns: Vec<String>,
    /// Whether anybody doubted it; `None` where nobody sits.
    pub challenged: Option<bool>,
    /// Who doubted.
    pub seat: Option<SeatIx>,
    pub exhibits: Vec<Exhibit>,
    pub warning: Option<String>,
    pub closed: bool,
}

pub async fn doubt(bench: &Bench, docket: &Docket, position: &Position, at: usize) -> Result<DoubtResult> {
    if docket.seats.is_empty() {
        return Ok(DoubtResult::default());
    }
    let seats = judges(&docket.seats, position.author, if position.author.is_some() { 1 } else { at + 1 });
    let id = position.id();
    let receipt = docket.receipt_of(position).map(crate::collapse::cards::text::receipt_text);
    let ask = judged(prompt!("doubt", receipt), bench, docket, position);
    let title = format!("Doubts about {id}");
    let asked = first_reply::ask::<Doubts>(bench, &seats, ask).await?;
    let row =
        |reasons: &str, risks, concerns, error| DoubtsRow { position_id: id.to_owned(), reasons: reasons.trim().to_owned(), risks, concerns, error };
    let mut exhibits = asked.absences(&title, "skeptic", |failed| row("", Vec::new(), Vec::new(), Some(failed.failure.to_string())));
    let (warning, closed) = (asked.taken_over(bench, &format!("doubting {id}")), asked.closed());
    let Some(reply) = asked.reply else {
        let unchallenged = || format!("Nobody could doubt {id}: no skeptic has looked for what could go wrong with it.");
        let warning = (!closed).then(unchallenged);
        return Ok(DoubtResult { challenged: Some(false), exhibits, warning, closed, ..DoubtResult::default() });
    };
    let Doubts { reasons, risks, concerns } = reply.value;
    let entries = risks.iter().zip(1..).map(|(doubt, n)| FindingEntry {
        id: format!("D{n}"),
        title: doubt.description.clone(),
        severity: doubt.severity.as_str().into(),
        detail: format!("{} of it left as the card stands", doubt.residual_risk),
        ..FindingEntry::default()
    });
    let none = "The skeptic found no risk beyond the card's own.".to_owned();
    let shape = Shape::Findings(Findings { entries: entries.collect(), none });
    let doubts = risks.iter().map(|doubt| StandingDoubt { risk: doubt.risk(), ruling: None }).collect();
    let exhibit = Exhibit::new(title, shape).part("Reasons", &reasons).list("What the author would have to answer", &concerns);
    let data = row(&reasons, risks, concerns.clone(), None);
    exhibits.push(exhibit.by(reply.seat, "skeptic").turn(&reply.key).data(&data));
    Ok(DoubtResult { doubts, concerns, challenged: Some(true), seat: Some(reply.seat), exhibits, warning, closed })
}

/// What the verifier said to the doubts that would stop a card, in their order; `None` for those it was not asked about.
pub struct SettledDoubts {
    pub rulings: Vec<Option<DoubtRuling>>,
    pub exhibits: Vec<Exhibit>,
    pub warning: Option<String>,
    pub closed: bool,
}

/// Asks the verifier once about the critical doubts of a card. Whoever doubted is asked last: nobody should judge its own doubts. A doubt that
/// nobody rejects with a reason stands.
pub async fn settle(bench: &Bench, docket: &Docket, position: &Position, at: usize, doubted: &DoubtResult, findings: &str) -> Result<SettledDoubts> {
    let mut out = SettledDoubts { rulings: vec![None; doubted.doubts.len()], exhibits: Vec::new(), warning: None, closed: false };
    let critical: Vec<usize> = (0..doubted.doubts.len()).filter(|n| doubted.doubts[*n].is_critical(&docket.options.policy)).collect();
    if critical.is_empty() || docket.seats.is_empty() {
        return Ok(out);
    }
    let mut seats = judges(&docket.seats, position.author, if position.author.is_some() { 0 } else { at });
    seats.sort_by_key(|seat| Some(*seat) == doubted.seat);
    let id = position.id();
    let name = |n: usize| format!("D{}", n + 1);
    let doubts: Vec<_> = critical.iter().map(|n| json!({"id": name(*n), "text": doubted.doubts[*n].text()})).collect();
    let receipt = (!findings.is_empty()).then_some(findings);
    let ask =
        judged(prompt!("settle", doubts, receipt), bench, docket, position).ids("doubts", critical.iter().map(|n| name(*n)).collect::<Vec<_>>());
    let title = format!("The verifier on the doubts about {id}");
    let asked = first_reply::ask::<DoubtRulings>(bench, &seats, ask).await?;
    let row = |reasons: &str, rulings, error| RulingsRow { position_id: id.to_owned(), reasons: reasons.trim().to_owned(), rulings, error };
    out.exhibits = asked.absences(&title, "verifier", |failed| row("", Vec::new(), Some(failed.failure.to_string())));
    out.closed = asked.closed();
    out.warning = asked.taken_over(bench, &format!("judging the doubts about {id}"));
    let Some(reply) = asked.reply else {
        out.warning = (!out.closed).then(|| format!("Nobody could judge the critical doubts about {id}: they stand."));
        return Ok(out);
    };
    let DoubtRulings { reasons, rulings } = reply.value;
    let mut told = Vec::new();
    for n in &critical {
        let Some(OneRuling { reason, ruling }) = rulings.get(&name(*n)) else { continue };
        // Without a reason nothing is refuted.
        let rejected = *ruling == DoubtFate::Rejected && !reason.trim().is_empty();
        out.rulings[*n] = Some(DoubtRuling { rejected, reason: reason.trim().to_owned() });
        let fate = if rejected { DoubtFate::Rejected } else { DoubtFate::Stands };
        told.push(RulingEntry { doubt: name(*n), ruling: fate, reason: reason.trim().to_owned() });
    }
    let entries = told.iter().zip(&critical).map(|(entry, n)| FindingEntry {
        id: entry.doubt.clone(),
        title: doubted.doubts[*n].risk.description.clone(),
        severity: doubted.doubts[*n].risk.severity.as_str().into(),
        fate: entry.ruling.as_str().into(),
        reply: entry.reason.clone(),
        ..FindingEntry::default()
    });
    let shape = Shape::Findings(Findings { entries: entries.collect(), none: String::new() });
    let exhibit = Exhibit::new(title, shape).part("Reasons", &reasons).by(reply.seat, "verifier").turn(&reply.key);
    out.exhibits.push(exhibit.data(&row(&reasons, told, None)));
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rulings_in_plain_text_are_read_and_prose_is_not() {
        let ids = IdLists::default().with("doubts", ["D1", "D3"]);
        let read = DoubtRulings::from_text("Both weighed.\nD1: STANDS\n**D3:** REJECTED, the log shows the restore.", &ids).expect("rulings");
        assert_eq!(read.rulings["D1"].ruling, DoubtFate::Stands);
        assert_eq!(read.rulings["D3"], OneRuling { reason: "the log shows the restore.".into(), ruling: DoubtFate::Rejected });
        assert_eq!(DoubtRulings::from_text("I reject D1 and D3.", &ids), None);
    }
}
