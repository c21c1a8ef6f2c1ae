//! A seat's turn taken into the record: its claims, references, tools, challenges, votes.

use super::audit::{Audit, audit};
use super::labels::Label;
use super::{CLAIM_TOKENS, Claim, ClaimStatus, DebateRecord, EvidenceKind};
use crate::roundtable::rounds::reply::Turn;
use crate::roundtable::rounds::tools::REQUEST_CONTEXT;
use crate::tokens::clip;
use crate::tools;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use synod_math::debate::exits::Vote;
use synod_types::ToolRun;

/// Further claims of a turn are not taken in.
const MOST_CLAIMS: usize = 5;
const MOST_RISKS: usize = 8;
const OBJECTION_TOKENS: usize = 25;
pub const POSITION_TOKENS: usize = 120;

/// What a turn did to the record.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct RecordChanges {
    pub introduced: Vec<String>,
    pub reinforced: Vec<String>,
    pub challenged: Vec<String>,
    pub withdrawn: Vec<String>,
    pub evidence: Vec<String>,
    pub risks: Vec<String>,
    /// Ids of the references a turn lists, by their number in the turn.
    #[serde(skip)]
    pub sources: BTreeMap<u32, String>,
}

/// How many of a turn's claims have each label, as the audit left it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LabelCounts {
    pub facts: usize,
    pub inferences: usize,
    pub assumptions: usize,
}

impl DebateRecord {
    /// Audits a turn's labels and citations against the record before the turn is taken in.
    pub fn audit(&self, turn: &Turn) -> Audit {
        audit(&turn.reasons, &turn.claims, &|id| self.evidence.iter().any(|known| known.id == id))
    }

    /// Withdraws a seat's own claims; returns the ids of those that were not withdrawn before.
    pub fn withdraw(&mut self, seat: usize, round: u32, ids: &[String]) -> Vec<String> {
        let mut withdrawn = Vec::new();
        for id in ids {
            if let Some(claim) = self.claim_mut(id).filter(|claim| claim.by == seat && claim.status != ClaimStatus::Retracted) {
                claim.status = ClaimStatus::Retracted;
                claim.last_updated_round = round;
                withdrawn.push(id.clone());
            }
        }
        withdrawn
    }

    /// Takes in one turn, except for what it withdraws. `round` is the regular round it belongs to. It may speak of claims of earlier turns.
    pub fn ingest(&mut self, seat: usize, round: u32, turn: &Turn, audit: &Audit, tools: &[ToolRun], changes: &mut RecordChanges) -> LabelCounts {
        let mut label_counts = LabelCounts::default();
        changes.sources = self.cite_references(round, audit, changes);
        self.add_tool_outputs(round, tools, changes);
        // Before the challenges: whoever takes a blocker back may still dispute its claim.
        let blocker = turn.blocker.as_ref().filter(|id| self.claim(id).is_some_and(|claim| claim.by != seat));
        self.vote(seat, turn.vote(), blocker.cloned());
        for id in &turn.reinforces {
            self.reinforce(seat, round, id, changes);
        }
        for challenge in &turn.challenges {
            self.challenge(seat, round, &challenge.id, &challenge.why, changes);
        }
        if turn.vote() == Some(Vote::Blocker)
            && let Some(id) = blocker
        {
            // A claim that a blocker names is disputed, even where others support it.
            self.challenge(seat, round, id, "", changes);
        }
        let claims = turn.claims.iter().zip(&audit.claims).filter(|(new, _)| !new.text.trim().is_empty());
        for (new, audited) in claims.take(MOST_CLAIMS) {
            let label = audited.label.unwrap_or(new.label);
            match label {
                Label::Fact => label_counts.facts += 1,
                Label::Infer => label_counts.inferences += 1,
                Label::Assume => label_counts.assumptions += 1,
            }
            let id = match self.same_claim(&new.text) {
                Some(id) => {
                    self.reinforce(seat, round, &id, changes);
                    self.strengthen(&id, label);
                    id
                }
                None => {
                    let id = self.introduce(seat, round, &new.text, label);
                    changes.introduced.push(id.clone());
                    id
                }
            };
            let backing = audited.cites.iter().filter_map(|n| changes.sources.get(n)).chain(&audited.evidence);
            for evidence in backing.cloned().collect::<Vec<_>>() {
                self.link_evidence(&evidence, &id);
            }
            for target in new.against.iter().filter(|target| **target != id) {
                self.challenge(seat, round, target, &new.text, changes);
                if let Some(claim) = self.claim_mut(target).filter(|claim| !claim.opposition.contains(&id)) {
                    claim.opposition.push(id.clone());
                }
            }
        }
        for risk in turn.risks.iter().filter(|risk| !risk.text.trim().is_empty()).take(MOST_RISKS) {
            changes.risks.push(self.add_risk(seat, round, &risk.kind, &risk.text, &risk.mitigation));
        }
        for answer in turn.mitigations.iter().filter(|answer| !answer.text.trim().is_empty()) {
            let text = clip(&answer.text, CLAIM_TOKENS);
            self.risks.iter_mut().filter(|risk| risk.id == answer.id).for_each(|risk| risk.mitigation = Some(text.clone()));
        }
        self.update_position(seat, round, turn);
        label_counts
    }

    /// Raises a claim's label to the strongest that anybody who makes it has for it.
    fn strengthen(&mut self, id: &str, label: Label) {
        let rank = |label: Label| match label {
            Label::Assume => 0,
            Label::Infer => 1,
            Label::Fact => 2,
        };
        if let Some(claim) = self.claim_mut(id).filter(|claim| rank(claim.label) < rank(label)) {
            claim.label = label;
        }
    }

    /// Global ids of the references a turn cites, by their number in the turn.
    fn cite_references(&mut self, round: u32, audit: &Audit, changes: &mut RecordChanges) -> BTreeMap<u32, String> {
        let mut ids = BTreeMap::new();
        // A reference that is listed and never cited is not taken in.
        let cited: BTreeSet<u32> = audit.sentences.iter().chain(&audit.claims).flat_map(|sentence| sentence.cites.iter().copied()).collect();
        for reference in audit.references.iter().filter(|reference| cited.contains(&reference.n)) {
            let title = if reference.title.is_empty() { reference.url.as_deref().unwrap_or_default() } else { &reference.title };
            let gist = audit
                .sentences
                .iter()
                .chain(&audit.claims)
                .find(|sentence| sentence.cites.contains(&reference.n))
                .map_or("", |sentence| &sentence.text);
            let id = self.add_evidence(EvidenceKind::Citation, title, reference.url.as_deref(), gist, round);
            if !changes.evidence.contains(&id) {
                changes.evidence.push(id.clone());
            }
            ids.insert(reference.n, id);
        }
        ids
    }

    fn add_tool_outputs(&mut self, round: u32, tools: &[ToolRun], changes: &mut RecordChanges) {
        // A request for context is a question, not evidence.
        for run in tools.iter().filter(|run| !run.error && run.name != REQUEST_CONTEXT) {
            let kind = if run.name == tools::CALCULATE { EvidenceKind::Calculation } else { EvidenceKind::ToolOutput };
            let asked = run.input.as_object().and_then(|input| input.values().find_map(|value| value.as_str())).unwrap_or_default();
            let title = if asked.is_empty() { run.name.clone() } else { format!("{}: {asked}", run.name) };
            let id = self.add_evidence(kind, &title, None, &tools::unfenced(&run.output), round);
            if !changes.evidence.contains(&id) {
                changes.evidence.push(id);
            }
        }
    }

    fn reinforce(&mut self, seat: usize, round: u32, id: &str, changes: &mut RecordChanges) {
        let Some(claim) = self.claim_mut(id).filter(|claim: &&mut Claim| claim.status != ClaimStatus::Retracted) else { return };
        // Whoever supports a claim no longer disputes it.
        claim.challengers.remove(&seat);
        claim.backers.insert(seat);
        claim.last_updated_round = round;
        if !changes.reinforced.iter().any(|known| known == id) {
            changes.reinforced.push(id.to_owned());
        }
    }

    fn challenge(&mut self, seat: usize, round: u32, id: &str, why: &str, changes: &mut RecordChanges) {
        // A seat cannot dispute its own claim; it can withdraw it.
        let Some(claim) = self.claim_mut(id).filter(|claim| claim.status != ClaimStatus::Retracted && claim.by != seat) else { return };
        claim.backers.remove(&seat);
        claim.challengers.insert(seat);
        claim.last_updated_round = round;
        if !why.trim().is_empty() {
            claim.objection = clip(why, OBJECTION_TOKENS);
        }
        if !changes.challenged.iter().any(|known| known == id) {
            changes.challenged.push(id.to_owned());
        }
    }

    fn update_position(&mut self, seat: usize, round: u32, turn: &Turn) {
        let Some(position) = self.seats.get_mut(seat) else { return };
        let confidence = turn.confidence.clamp(0.0, 1.0);
        position.delta = position.confidence.map(|before| confidence - before);
        position.confidence = Some(confidence);
        position.round = round;
        position.position = clip(&turn.position, POSITION_TOKENS);
        position.vote = turn.vote();
        position.position_change = turn.position_change.clone();
        position.stance = turn.stance.clone();
        position.alignment = None;
    }
}
