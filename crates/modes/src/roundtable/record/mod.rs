//! The debate's record: claims, evidence, decisions and risks, and how a turn is taken into it. Where a seat stands is in its last regular
//! response, nowhere else.
//!
//! Ids are given once and never again, and what is withdrawn stays in the record. How much of it a seat is shown is decided by the packet.

mod audit;
mod blockers;
mod entries;
mod ingest;
mod labels;

pub use audit::{Audit, Flaw, audit};
pub use entries::*;
pub use ingest::{LabelCounts, MOST_CLAIMS, MOST_SENTENCES, POSITION_TOKENS, RecordChanges, TurnOrigin};
pub use labels::{Label, Reference, Sentence};

use crate::roundtable::phrases::phrases;
use crate::tokens::clip;
use labels::source_key;
use std::collections::BTreeSet;
use synod_math::debate::exits::SAME_POSITION;
use synod_math::likeness::overlap;

/// Longest texts of the record, in tokens.
pub const CLAIM_TOKENS: usize = 30;
pub const GIST_TOKENS: usize = 25;
const PERSON_TOKENS: usize = 150;
pub const PROPOSAL_TOKENS: usize = 60;

/// How many entries the record has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordSize {
    pub claims: usize,
    pub evidence: usize,
    pub decisions: usize,
}

/// How many ids were given so far. An id of a round that did not count is never given again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct IssuedIds {
    claims: usize,
    evidence: usize,
    risks: usize,
}

fn next(given: &mut usize, letter: char) -> String {
    *given += 1;
    format!("{letter}{given}")
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct DebateRecord {
    pub claims: Vec<Claim>,
    pub evidence: Vec<EvidenceItem>,
    pub decisions: Vec<SettledPoint>,
    pub risks: Vec<Risk>,
    /// How many sit at the table.
    pub seats: usize,
    pub blockers: Vec<Blocker>,
    /// What a person overruled: the same seat does not block over the same claim again.
    overruled: Vec<Blocker>,
    /// What the seats vote on, in the words of whoever read the last round; empty before.
    pub proposal: String,
    issued: IssuedIds,
}

impl DebateRecord {
    pub fn new(seats: usize) -> Self {
        Self { seats, ..Self::default() }
    }

    pub fn size(&self) -> RecordSize {
        RecordSize { claims: self.claims.len(), evidence: self.evidence.len(), decisions: self.decisions.len() }
    }

    /// Goes back to an earlier state, except that no id is given a second time: readers were shown what was said under it.
    pub fn restore(&mut self, saved: Self) {
        *self = Self { issued: self.issued, ..saved };
    }

    pub fn claim(&self, id: &str) -> Option<&Claim> {
        self.claims.iter().find(|claim| claim.id == id)
    }

    pub fn claim_mut(&mut self, id: &str) -> Option<&mut Claim> {
        self.claims.iter_mut().find(|claim| claim.id == id)
    }

    /// The id of a claim that makes the same statement, withdrawn ones aside.
    pub fn same_claim(&self, text: &str) -> Option<String> {
        let text = &clip(text, CLAIM_TOKENS);
        let mut live = self.claims.iter().filter(|claim| claim.status != ClaimStatus::Retracted);
        live.find(|claim| same_statement(&claim.text, text)).map(|claim| claim.id.clone())
    }

    /// Facts among the claims after the first `known`, without those that one of the first had stated already.
    pub fn new_facts_after(&self, known: usize) -> impl Iterator<Item = &Claim> {
        let (known, new) = self.claims.split_at(known.min(self.claims.len()));
        let unheard = |claim: &&Claim| !known.iter().any(|before| same_statement(&before.text, &claim.text));
        new.iter().filter(|claim| claim.label == Label::Fact).filter(unheard)
    }

    /// Adds a claim nobody has made yet; returns its id.
    pub fn introduce(&mut self, by: usize, round: u32, text: &str, label: Label) -> String {
        let id = next(&mut self.issued.claims, 'C');
        self.claims.push(Claim {
            id: id.clone(),
            text: clip(text, CLAIM_TOKENS),
            label,
            status: ClaimStatus::Open,
            by,
            introduced_round: round,
            last_updated_round: round,
            support: Vec::new(),
            opposition: Vec::new(),
            backers: [by].into(),
            challengers: BTreeSet::new(),
            objection: String::new(),
        });
        self.carry_blockers(&id, &clip(text, CLAIM_TOKENS));
        id
    }

    /// Adds evidence and returns its id; evidence of a source that is there already keeps its id.
    pub fn add_evidence(&mut self, kind: EvidenceKind, title: &str, url: Option<&str>, gist: &str, round: u32) -> String {
        let key = match kind {
            EvidenceKind::Citation => source_key(title, url),
            EvidenceKind::ToolOutput | EvidenceKind::Calculation => format!("{title} {gist}"),
        };
        if let Some(known) = self.evidence.iter().find(|known| known.kind == kind && known.key == key) {
            return known.id.clone();
        }
        let id = next(&mut self.issued.evidence, 'E');
        let (title, gist) = (clip(title, GIST_TOKENS), clip(gist, GIST_TOKENS));
        let url = url.map(str::to_owned);
        self.evidence.push(EvidenceItem { id: id.clone(), kind, title, url, supports: Vec::new(), gist, added_round: round, key });
        id
    }

    /// Notes that evidence supports a claim, on both of them.
    pub fn link_evidence(&mut self, evidence: &str, claim: &str) {
        let add = |list: &mut Vec<String>, id: &str| {
            if !list.iter().any(|known| known == id) {
                list.push(id.to_owned());
            }
        };
        let known = self.evidence.iter_mut().find(|known| known.id == evidence).map(|known| add(&mut known.supports, claim));
        if let (Some(()), Some(claim)) = (known, self.claim_mut(claim)) {
            add(&mut claim.support, evidence);
        }
    }

    /// A decision of the panel; one that makes the same statement keeps its id.
    pub fn decide(&mut self, text: &str, round: u32) -> String {
        if let Some(known) = self.decisions.iter().find(|known| same_statement(&known.text, text)) {
            return known.id.clone();
        }
        self.add_decision(clip(text, CLAIM_TOKENS), round)
    }

    /// A person's decision: never merged with another, and kept in full as far as a prompt can carry it.
    pub fn decide_by_person(&mut self, text: &str, round: u32) -> String {
        self.add_decision(clip(text, PERSON_TOKENS), round)
    }

    fn add_decision(&mut self, text: String, round: u32) -> String {
        let id = format!("D{}", self.decisions.len() + 1);
        self.decisions.push(SettledPoint { id: id.clone(), text, round });
        id
    }

    /// Sets every claim's status by who supports and who disputes it. A withdrawn claim stays withdrawn.
    pub fn update_statuses(&mut self) {
        let seats = self.seats;
        for claim in self.claims.iter_mut().filter(|claim| claim.status != ClaimStatus::Retracted) {
            let others = claim.backers.iter().any(|seat| *seat != claim.by);
            claim.status = if !claim.challengers.is_empty() {
                ClaimStatus::Contested
            } else if others && 2 * claim.backers.len() >= seats {
                ClaimStatus::Accepted
            } else {
                ClaimStatus::Open
            };
        }
    }

    /// Distinct sources cited so far.
    pub fn source_count(&self) -> usize {
        self.evidence.iter().filter(|evidence| evidence.kind == EvidenceKind::Citation).count()
    }

    /// The premises of each seat, by id: facts and assumptions that it made or supports.
    pub fn premises(&self) -> Vec<BTreeSet<&str>> {
        let premise = |claim: &&Claim| matches!(claim.label, Label::Fact | Label::Assume) && claim.status != ClaimStatus::Retracted;
        let of =
            |seat: usize| self.claims.iter().filter(premise).filter(|claim| claim.backers.contains(&seat)).map(|claim| claim.id.as_str()).collect();
        (0..self.seats).map(of).collect()
    }
}

/// Whether two sentences make the same statement: nearly the same words, the same figures, and not one the denial of the other.
pub fn same_statement(a: &str, b: &str) -> bool {
    let denies = |text: &str| {
        let text = text.to_lowercase();
        let words = || text.split(|c: char| !c.is_alphanumeric());
        text.contains("n't") || text.contains("n’t") || phrases().denials.iter().any(|denial| words().any(|word| word == denial))
    };
    let figures = |text: &str| -> BTreeSet<String> {
        let parts = text.split(|c: char| !(c.is_alphanumeric() || c == '.' || c == ',')).map(|part| part.trim_matches(['.', ',']).to_lowercase());
        parts.filter(|part| part.contains(|c: char| c.is_ascii_digit())).collect()
    };
    overlap(a, b) >= SAME_POSITION - synod_math::debate::EPSILON && denies(a) == denies(b) && figures(a) == figures(b)
}
