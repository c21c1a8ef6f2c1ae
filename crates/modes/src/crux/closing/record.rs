//! The record of a debate as a model writes it, and as it is stored.

use crate::closing::seats_of;
use crate::crux::rows::{ClaimData, ClaimStanceData, DebateSummaryRow, EvidenceData, FlipConditionsData};
use crate::crux::speech::names::find_person;
use crate::crux::state::DebateState;
use crate::first_reply::{self, FirstReply};
use crate::text::{items, section, token};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{Bench, IdLists, Result, TypedReply, prompt};
use synod_types::words;

/// With fewer messages no record is written.
const LEAST_MESSAGES: usize = 4;

/// The record of the debate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// One sentence.
    pub reasons: String,
    pub claims: Vec<Claim>,
    #[serde(default)]
    pub agreements: Vec<String>,
    #[schemars(extend("x-each" = "names"))]
    pub evidence_ledger: Vec<EvidenceReview>,
    #[serde(default)]
    #[schemars(extend("x-each" = "names"))]
    pub flip_conditions: Vec<FlipConditions>,
    pub resolution_paths: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    pub claim: String,
    #[serde(default)]
    #[schemars(extend("x-each" = "names"))]
    pub stances: Vec<ClaimStance>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimStance {
    #[schemars(extend("x-loose" = "names"))]
    pub persona: String,
    #[serde(default)]
    #[schemars(extend("x-loose" = "sides"))]
    pub position: String,
    #[serde(default)]
    pub reasoning: String,
}

/// What a speaker took from others, and what not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EvidenceReview {
    #[schemars(extend("x-loose" = "names"))]
    pub persona: String,
    #[serde(default)]
    pub accepted: Vec<EvidenceItem>,
    #[serde(default)]
    pub challenged: Vec<EvidenceItem>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EvidenceItem {
    pub claim: String,
    #[serde(default)]
    pub reason: String,
}

/// What a speaker said would change their mind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FlipConditions {
    #[schemars(extend("x-loose" = "names"))]
    pub persona: String,
    #[serde(default)]
    pub conditions: Vec<String>,
}

impl TypedReply for Summary {
    /// Headings with lists under them; under `Evidence` an item is `name accepts: text` or `name challenges: text`, under `Flip conditions`
    /// `name: text`.
    fn from_text(text: &str, _: &IdLists) -> Option<Self> {
        let list = |heading: &str| section(text, heading).map(items);
        let named = |item: String| item.split_once(':').map(|(name, rest)| (crate::text::bare(name).to_owned(), rest.trim().to_owned()));
        let review = |(who, claim): (String, String)| {
            let item = vec![EvidenceItem { claim, reason: String::new() }];
            match who.strip_suffix(" challenges") {
                Some(persona) => EvidenceReview { persona: persona.to_owned(), accepted: Vec::new(), challenged: item },
                None => {
                    let persona = who.strip_suffix(" accepts").unwrap_or(&who).to_owned();
                    EvidenceReview { persona, accepted: item, challenged: Vec::new() }
                }
            }
        };
        Some(Self {
            reasons: String::new(),
            claims: list("Claims")?.into_iter().map(|claim| Claim { claim, stances: Vec::new() }).collect(),
            agreements: list("Agreements").unwrap_or_default(),
            evidence_ledger: list("Evidence")?.into_iter().filter_map(named).map(review).collect(),
            flip_conditions: list("Flip conditions")
                .unwrap_or_default()
                .into_iter()
                .filter_map(named)
                .map(|(persona, condition)| FlipConditions { persona, conditions: vec![condition] })
                .collect(),
            resolution_paths: list("Resolution paths")?,
        })
    }
}

impl DebateState<'_> {
    /// Written by the moderator, else by the clerk, never by somebody who debated.
    pub(super) async fn write_record(&self, phase: &Bench) -> Result<FirstReply<Summary>> {
        if self.messages.len() < LEAST_MESSAGES {
            return Ok(FirstReply { reply: None, failures: Vec::new() });
        }
        let writers = seats_of(self.bench, "moderator", self.bench.role("clerk").iter().copied());
        let cards: Vec<String> = self.cards.iter().map(|card| card.plain()).collect();
        let ask = prompt!("report", transcript = self.for_prompt(&self.messages), cards)
            .ids("names", self.cast.names().into_iter().map(|(_, name)| name))
            .ids("sides", ["for", "against", "mixed"]);
        first_reply::ask(phase, &writers, ask).await
    }

    /// The record as it is stored, with every persona by its id. Names that mean nobody are left out.
    pub(super) fn summary_row(&self, summary: &Summary) -> DebateSummaryRow {
        let names = self.cast.names();
        let id = |name: &str| find_person(name, &names).map(|seat| self.cast.id(seat).to_owned());
        let stance = |stance: &ClaimStance| {
            Some(ClaimStanceData { persona_id: id(&stance.persona)?, position: Side::of(&stance.position), reasoning: stance.reasoning.clone() })
        };
        let evidence = |review: &EvidenceReview| {
            Some(EvidenceData { persona_id: id(&review.persona)?, accepted: review.accepted.clone(), challenged: review.challenged.clone() })
        };
        let flips = |flips: &FlipConditions| Some(FlipConditionsData { persona_id: id(&flips.persona)?, conditions: flips.conditions.clone() });
        DebateSummaryRow {
            claims: summary
                .claims
                .iter()
                .map(|claim| ClaimData { claim: claim.claim.clone(), stances: claim.stances.iter().filter_map(stance).collect() })
                .collect(),
            agreements: summary.agreements.clone(),
            evidence_ledger: summary.evidence_ledger.iter().filter_map(evidence).collect(),
            flip_conditions: summary.flip_conditions.iter().filter_map(flips).collect(),
            resolution_paths: summary.resolution_paths.clone(),
            open_questions: summary.resolution_paths.clone(),
            error: None,
        }
    }
}

words! {
    /// Where somebody stands on a claim.
    pub enum Side { For = "for", Against = "against", Mixed = "mixed" }
}

impl Side {
    /// From whatever a model wrote; `mixed` where it says neither.
    pub fn of(word: &str) -> Self {
        match token(word, &["for", "against"]) {
            Some("for") => Self::For,
            Some(_) => Self::Against,
            None => Self::Mixed,
        }
    }
}
