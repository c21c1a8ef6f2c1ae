//! A seat's turn taken into the record: its claims, references, tools, challenges, votes.

use super::audit::{Audit, audit};
use super::labels::Label;
use super::reply::Turn;
use super::state::{Claim, ClaimStatus, EvidenceKind, State};
use super::tokens::clip;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use synod_math::debate::exits::Vote;
use synod_types::ToolRun;

/// More claims than this a turn are not taken: whoever says everything says nothing.
const MOST_CLAIMS: usize = 5;
const MOST_RISKS: usize = 8;
const OBJECTION_TOKENS: usize = 25;
pub const POSITION_TOKENS: usize = 120;

/// What a turn did to the record.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Touched {
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

/// Labels of a turn's claims, by count, as they are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Epistemic {
    pub facts: usize,
    pub inferences: usize,
    pub assumptions: usize,
}

impl State {
    /// A turn's labels and citations, against what is on record before it is taken in.
    pub fn audit(&self, turn: &Turn) -> Audit {
        audit(&turn.reasons, &turn.claims, &|id| self.evidence.iter().any(|known| known.id == id))
    }

    /// Takes back a seat's own claims; gives the ids of those that were still there.
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

    /// Takes in one turn but for what it withdraws. `round` is the regular round it belongs to; claims of earlier turns are what it may speak
    /// about.
    pub fn ingest(&mut self, seat: usize, round: u32, turn: &Turn, audit: &Audit, tools: &[ToolRun], touched: &mut Touched) -> Epistemic {
        let mut epistemic = Epistemic::default();
        touched.sources = self.sources_of(round, audit, touched);
        self.tools_used(round, tools, touched);
        // Before the challenges: whoever takes a blocker back may still dispute its claim.
        let blocker = turn.blocker.as_ref().filter(|id| self.claim(id).is_some_and(|claim| claim.by != seat));
        self.vote(seat, turn.vote(), blocker.cloned());
        for id in &turn.reinforces {
            self.reinforce(seat, round, id, touched);
        }
        for challenge in &turn.challenges {
            self.challenge(seat, round, &challenge.id, &challenge.why, touched);
        }
        if turn.vote() == Some(Vote::Blocker)
            && let Some(id) = blocker
        {
            // What must change first is disputed, whoever else supports it.
            self.challenge(seat, round, id, "", touched);
        }
        let claims = turn.claims.iter().zip(&audit.claims).filter(|(new, _)| !new.text.trim().is_empty());
        for (new, weighed) in claims.take(MOST_CLAIMS) {
            let label = weighed.label.unwrap_or(new.label);
            match label {
                Label::Fact => epistemic.facts += 1,
                Label::Infer => epistemic.inferences += 1,
                Label::Assume => epistemic.assumptions += 1,
            }
            let id = match self.same_claim(&new.text) {
                Some(id) => {
                    self.reinforce(seat, round, &id, touched);
                    self.strengthen(&id, label);
                    id
                }
                None => {
                    let id = self.introduce(seat, round, &new.text, label);
                    touched.introduced.push(id.clone());
                    id
                }
            };
            let backing = weighed.cites.iter().filter_map(|n| touched.sources.get(n)).chain(&weighed.evidence);
            for evidence in backing.cloned().collect::<Vec<_>>() {
                self.tie(&evidence, &id);
            }
            for target in new.against.iter().filter(|target| **target != id) {
                self.challenge(seat, round, target, &new.text, touched);
                if let Some(claim) = self.claim_mut(target).filter(|claim| !claim.opposition.contains(&id)) {
                    claim.opposition.push(id.clone());
                }
            }
        }
        for risk in turn.risks.iter().filter(|risk| !risk.text.trim().is_empty()).take(MOST_RISKS) {
            touched.risks.push(self.risk(seat, round, &risk.kind, &risk.text, &risk.mitigation));
        }
        for answer in turn.mitigations.iter().filter(|answer| !answer.text.trim().is_empty()) {
            let text = clip(&answer.text, super::state::CLAIM_TOKENS);
            self.risks.iter_mut().filter(|risk| risk.id == answer.id).for_each(|risk| risk.mitigation = Some(text.clone()));
        }
        self.stand(seat, round, turn);
        epistemic
    }

    /// A claim is what the best of those who make it have for it.
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
    fn sources_of(&mut self, round: u32, audit: &Audit, touched: &mut Touched) -> BTreeMap<u32, String> {
        let mut ids = BTreeMap::new();
        // What is listed and never cited is no source of anything.
        let cited: std::collections::BTreeSet<u32> =
            audit.sentences.iter().chain(&audit.claims).flat_map(|said| said.cites.iter().copied()).collect();
        for reference in audit.references.iter().filter(|reference| cited.contains(&reference.n)) {
            let title = if reference.title.is_empty() { reference.url.as_deref().unwrap_or_default() } else { &reference.title };
            let gist = audit
                .sentences
                .iter()
                .chain(&audit.claims)
                .find(|sentence| sentence.cites.contains(&reference.n))
                .map_or("", |sentence| &sentence.text);
            let id = self.evidence(EvidenceKind::Citation, title, reference.url.as_deref(), gist, round);
            if !touched.evidence.contains(&id) {
                touched.evidence.push(id.clone());
            }
            ids.insert(reference.n, id);
        }
        ids
    }

    fn tools_used(&mut self, round: u32, tools: &[ToolRun], touched: &mut Touched) {
        // A request for context is a question, not evidence.
        for run in tools.iter().filter(|run| !run.error && run.name != super::tools::REQUEST_CONTEXT) {
            let kind = if run.name == super::tools::CALCULATE { EvidenceKind::Calculation } else { EvidenceKind::ToolOutput };
            let asked = run.input.as_object().and_then(|input| input.values().find_map(|value| value.as_str())).unwrap_or_default();
            let title = if asked.is_empty() { run.name.clone() } else { format!("{}: {asked}", run.name) };
            let id = self.evidence(kind, &title, None, &super::tools::unfenced(&run.output), round);
            if !touched.evidence.contains(&id) {
                touched.evidence.push(id);
            }
        }
    }

    fn reinforce(&mut self, seat: usize, round: u32, id: &str, touched: &mut Touched) {
        let Some(claim) = self.claim_mut(id).filter(|claim: &&mut Claim| claim.status != ClaimStatus::Retracted) else { return };
        // Whoever supports a claim no longer disputes it.
        claim.challengers.remove(&seat);
        claim.backers.insert(seat);
        claim.last_updated_round = round;
        if !touched.reinforced.iter().any(|known| known == id) {
            touched.reinforced.push(id.to_owned());
        }
    }

    fn challenge(&mut self, seat: usize, round: u32, id: &str, why: &str, touched: &mut Touched) {
        // Nobody disputes a claim of its own: it withdraws it.
        let Some(claim) = self.claim_mut(id).filter(|claim| claim.status != ClaimStatus::Retracted && claim.by != seat) else { return };
        claim.backers.remove(&seat);
        claim.challengers.insert(seat);
        claim.last_updated_round = round;
        if !why.trim().is_empty() {
            claim.objection = clip(why, OBJECTION_TOKENS);
        }
        if !touched.challenged.iter().any(|known| known == id) {
            touched.challenged.push(id.to_owned());
        }
    }

    fn stand(&mut self, seat: usize, round: u32, turn: &Turn) {
        let Some(standing) = self.seats.get_mut(seat) else { return };
        let confidence = turn.confidence.clamp(0.0, 1.0);
        standing.delta = standing.confidence.map(|before| confidence - before);
        standing.confidence = Some(confidence);
        standing.round = round;
        standing.position = clip(&turn.position, POSITION_TOKENS);
        standing.vote = turn.vote();
        standing.position_change = turn.position_change.clone();
        standing.stance = turn.stance.clone();
        standing.alignment = None;
    }
}
