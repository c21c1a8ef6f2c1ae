//! A seat's turn taken into the record: its claims, references, tools, challenges, votes.

use super::audit::{Audit, audit};
use super::labels::{Label, Sentence};
use super::{Claim, ClaimStatus, DebateRecord, EvidenceKind, same_statement};
use crate::roundtable::rounds::reply::{Turn, is_field};
use crate::roundtable::rounds::tools::REQUEST_CONTEXT;
use crate::tokens::clip;
use crate::tools;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use synod_math::debate::exits::Vote;
use synod_types::ToolRun;

/// Further claims of a turn are not taken in, listed ones and labelled sentences of its text beside them.
pub const MOST_CLAIMS: usize = 5;
pub const MOST_SENTENCES: usize = 8;
const MOST_RISKS: usize = 8;
const OBJECTION_TOKENS: usize = 25;
pub const POSITION_TOKENS: usize = 120;

/// Where a turn comes from. `round` is the regular round it belongs to.
#[derive(Clone, Copy, Debug)]
pub struct TurnOrigin {
    pub seat: usize,
    pub round: u32,
    /// Not an objection.
    pub regular: bool,
}

/// What a turn did to the record.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct RecordChanges {
    pub introduced: Vec<String>,
    pub reinforced: Vec<String>,
    pub challenged: Vec<String>,
    pub withdrawn: Vec<String>,
    pub evidence: Vec<String>,
    pub risks: Vec<String>,
    /// Labelled sentences beyond those that a turn may bring in: they stay in its text.
    pub left_in_text: usize,
    /// Ids of the references a turn lists, by their number in the turn.
    #[serde(skip)]
    pub sources: BTreeMap<u32, String>,
}

impl RecordChanges {
    /// What was labelled and is not in the record, in words.
    pub fn describe_left(&self) -> Option<String> {
        let n = self.left_in_text;
        (n > 0).then(|| format!("{n} labelled sentence{} beyond the first {MOST_SENTENCES} stayed in the text", if n == 1 { "" } else { "s" }))
    }
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

    /// Takes in one turn, except for what it withdraws. It may speak of claims of earlier turns. Votes count where the turn is regular: nobody
    /// votes by an objection that it was told to make.
    pub fn ingest(&mut self, from: TurnOrigin, turn: &Turn, audit: &Audit, tools: &[ToolRun], changes: &mut RecordChanges) -> LabelCounts {
        let TurnOrigin { seat, round, regular } = from;
        let mut label_counts = LabelCounts::default();
        changes.sources = self.cite_references(round, audit, changes);
        self.add_tool_outputs(round, tools, changes);
        // Before the challenges: whoever takes a blocker back may still dispute its claim.
        let blocker = turn.blocker.as_ref().filter(|id| self.claim(id).is_some_and(|claim| claim.by != seat)).map(|id| self.current_id(id));
        if regular {
            let supports: Vec<String> = turn.reinforces.iter().map(|id| self.current_id(id)).collect();
            self.vote(seat, turn.vote(), blocker.clone(), &supports);
        }
        for id in &turn.reinforces {
            self.reinforce(seat, round, id, changes);
        }
        for challenge in &turn.challenges {
            self.challenge(seat, round, &challenge.id, &challenge.why, changes);
        }
        if regular
            && turn.vote() == Some(Vote::Blocker)
            && let Some(id) = blocker
        {
            // A claim that a blocker names is disputed, even where others support it.
            self.challenge(seat, round, &id, "", changes);
        }
        let (claims, left) = claims_of(turn, audit);
        changes.left_in_text = left;
        for (claim, against) in claims {
            let label = claim.label.unwrap_or(Label::Infer);
            match label {
                Label::Fact => label_counts.facts += 1,
                Label::Infer => label_counts.inferences += 1,
                Label::Assume => label_counts.assumptions += 1,
            }
            let id = match self.same_claim(&claim.text) {
                Some(id) => {
                    self.reinforce(seat, round, &id, changes);
                    self.strengthen(&id, label);
                    id
                }
                None => {
                    let id = self.introduce(seat, round, &claim.text, label);
                    changes.introduced.push(id.clone());
                    id
                }
            };
            let backing = claim.cites.iter().filter_map(|n| changes.sources.get(n)).chain(&claim.evidence);
            for evidence in backing.cloned().collect::<Vec<_>>() {
                self.link_evidence(&evidence, &id);
            }
            for target in against.iter().filter(|target| **target != id) {
                self.challenge(seat, round, target, &claim.text, changes);
                if let Some(claim) = self.claim_mut(target).filter(|claim| !claim.opposition.contains(&id)) {
                    claim.opposition.push(id.clone());
                }
            }
        }
        for risk in turn.risks.iter().filter(|risk| !risk.text.trim().is_empty()).take(MOST_RISKS) {
            let id = self.add_risk(seat, round, &risk.kind, &risk.text, &risk.mitigation);
            if !changes.risks.contains(&id) {
                changes.risks.push(id);
            }
        }
        self.take_answers(seat, round, turn);
        label_counts
    }

    /// A turn's words on the open risks.
    pub fn take_answers(&mut self, seat: usize, round: u32, turn: &Turn) {
        for word in &turn.mitigations {
            self.answer_risk(seat, round, &word.id, word.answered, &word.text);
        }
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
}

/// The claims a turn makes, with the claims each speaks against: those it lists, then the labelled sentences of its text that say something
/// else, as many as are taken in. With them how many are left out.
fn claims_of<'a>(turn: &'a Turn, audit: &'a Audit) -> (Vec<(&'a Sentence, &'a [String])>, usize) {
    let listed = turn.claims.iter().zip(&audit.claims).filter(|(new, _)| !new.text.trim().is_empty());
    let mut claims: Vec<(&Sentence, &[String])> = listed.take(MOST_CLAIMS).map(|(new, audited)| (audited, new.against.as_slice())).collect();
    let most = claims.len() + MOST_SENTENCES;
    let mut left = 0;
    for sentence in audit.sentences.iter().filter(|sentence| is_claim(sentence)) {
        if claims.iter().any(|(known, _)| same_statement(&known.text, &sentence.text)) {
            continue;
        }
        if claims.len() < most {
            claims.push((sentence, Default::default()));
        } else {
            left += 1;
        }
    }
    (claims, left)
}

/// A labelled sentence that states something: a question does not, nor does a line of the text form.
fn is_claim(sentence: &Sentence) -> bool {
    sentence.label.is_some() && !is_field(&sentence.text) && !sentence.text.ends_with('?')
}
