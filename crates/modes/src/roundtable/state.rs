//! The debate's record: claims, evidence, decisions, risks and where each seat stands. Ids are given once and never again; nothing is ever
//! taken out of it. What a seat is shown of it is the packet's affair.

use super::labels::{Label, source_key};
use super::tokens::clip;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use synod_math::debate::clusters::{jaccard, words};
use synod_math::debate::exits::{SAME, Vote};

/// Longest texts of the record, in tokens.
pub const CLAIM_TOKENS: usize = 30;
pub const GIST_TOKENS: usize = 25;
const DECREE_TOKENS: usize = 150;
pub const PROPOSAL_TOKENS: usize = 60;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClaimStatus {
    Open,
    Contested,
    Accepted,
    Retracted,
}

impl ClaimStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Contested => "contested",
            Self::Accepted => "accepted",
            Self::Retracted => "retracted",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Claim {
    pub id: String,
    pub text: String,
    pub label: Label,
    pub status: ClaimStatus,
    pub by: usize,
    pub introduced_round: u32,
    pub last_updated_round: u32,
    /// Evidence for it.
    pub support: Vec<String>,
    /// Claims against it.
    pub opposition: Vec<String>,
    /// Seats that stand behind it, its author first among them.
    pub backers: BTreeSet<usize>,
    /// Seats that dispute it now.
    pub challengers: BTreeSet<usize>,
    /// The last objection in words.
    pub objection: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    Citation,
    ToolOutput,
    Calculation,
}

impl EvidenceKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Citation => "citation",
            Self::ToolOutput => "tool output",
            Self::Calculation => "calculation",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Evidence {
    pub id: String,
    pub kind: EvidenceKind,
    pub title: String,
    pub url: Option<String>,
    pub supports: Vec<String>,
    pub gist: String,
    pub added_round: u32,
    #[serde(skip)]
    pub key: String,
}

/// Something settled: by the panel, by the question's own constraints, or by a person.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Settled {
    pub id: String,
    pub text: String,
    pub round: u32,
}

/// A numbered problem, and what answers it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Risk {
    pub id: String,
    pub kind: String,
    pub text: String,
    pub by: usize,
    pub round: u32,
    pub mitigation: Option<String>,
}

/// Where a seat stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeatPosition {
    pub round: u32,
    pub position: String,
    pub confidence: Option<f64>,
    pub delta: Option<f64>,
    pub vote: Option<Vote>,
    pub position_change: Option<String>,
    pub stance: Option<String>,
    /// Support for the leading proposal, as whoever read the round measured it.
    pub alignment: Option<f64>,
}

/// A BLOCKER, and the claim that must change, if it is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Blocker {
    pub seat: usize,
    pub claim: Option<String>,
}

/// How much of the record there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    pub claims: usize,
    pub evidence: usize,
    pub decisions: usize,
}

/// Ids given so far: what is taken out of the record leaves its number behind.
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
pub struct State {
    pub claims: Vec<Claim>,
    pub evidence: Vec<Evidence>,
    pub decisions: Vec<Settled>,
    pub risks: Vec<Risk>,
    pub seats: Vec<SeatPosition>,
    pub blockers: Vec<Blocker>,
    /// What the seats vote on, in the words of whoever read the last round; empty before.
    pub proposal: String,
    issued: IssuedIds,
}

impl State {
    pub fn new(seats: usize) -> Self {
        Self { seats: vec![SeatPosition::default(); seats], ..Self::default() }
    }

    pub fn extent(&self) -> Extent {
        Extent { claims: self.claims.len(), evidence: self.evidence.len(), decisions: self.decisions.len() }
    }

    /// As it was, except that no id is given a second time: what was said under it has been shown.
    pub fn back_to(&mut self, saved: Self) {
        *self = Self { issued: self.issued, ..saved };
    }

    pub fn claim(&self, id: &str) -> Option<&Claim> {
        self.claims.iter().find(|claim| claim.id == id)
    }

    pub fn claim_mut(&mut self, id: &str) -> Option<&mut Claim> {
        self.claims.iter_mut().find(|claim| claim.id == id)
    }

    /// A claim that says the same, if one stands. One that was withdrawn is made anew.
    pub fn same_claim(&self, text: &str) -> Option<String> {
        let mut standing = self.claims.iter().filter(|claim| claim.status != ClaimStatus::Retracted);
        standing.find(|claim| same_statement(&claim.text, text)).map(|claim| claim.id.clone())
    }

    /// Facts among the claims brought in after the first `known` that none of those had stated.
    pub fn facts_since(&self, known: usize) -> impl Iterator<Item = &Claim> {
        let (known, new) = self.claims.split_at(known.min(self.claims.len()));
        let unheard = |claim: &&Claim| !known.iter().any(|before| same_statement(&before.text, &claim.text));
        new.iter().filter(|claim| claim.label == Label::Fact).filter(unheard)
    }

    /// Brings in a claim nobody has made yet; gives its id.
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
        id
    }

    /// Evidence of the same source keeps its id.
    pub fn evidence(&mut self, kind: EvidenceKind, title: &str, url: Option<&str>, gist: &str, round: u32) -> String {
        let key = match kind {
            EvidenceKind::Citation => source_key(title, url),
            EvidenceKind::ToolOutput | EvidenceKind::Calculation => format!("{} {title} {gist}", kind.as_str()),
        };
        if let Some(known) = self.evidence.iter().find(|known| known.kind == kind && known.key == key) {
            return known.id.clone();
        }
        let id = next(&mut self.issued.evidence, 'E');
        let (title, gist) = (clip(title, GIST_TOKENS), clip(gist, GIST_TOKENS));
        let url = url.map(str::to_owned);
        self.evidence.push(Evidence { id: id.clone(), kind, title, url, supports: Vec::new(), gist, added_round: round, key });
        id
    }

    /// Ties evidence to a claim, both ways.
    pub fn tie(&mut self, evidence: &str, claim: &str) {
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

    pub fn decide(&mut self, text: &str, round: u32) -> String {
        if let Some(known) = self.decisions.iter().find(|known| same_statement(&known.text, text)) {
            return known.id.clone();
        }
        self.settled(clip(text, CLAIM_TOKENS), round)
    }

    /// What a person decides stands by itself, and in full as far as a prompt can carry it.
    pub fn decreed(&mut self, text: &str, round: u32) -> String {
        self.settled(clip(text, DECREE_TOKENS), round)
    }

    fn settled(&mut self, text: String, round: u32) -> String {
        let id = format!("D{}", self.decisions.len() + 1);
        self.decisions.push(Settled { id: id.clone(), text, round });
        id
    }

    pub fn risk(&mut self, by: usize, round: u32, kind: &str, text: &str, mitigation: &str) -> String {
        let id = next(&mut self.issued.risks, 'R');
        let mitigation = Some(clip(mitigation, CLAIM_TOKENS)).filter(|text| !text.is_empty());
        self.risks.push(Risk { id: id.clone(), kind: kind.to_owned(), text: clip(text, CLAIM_TOKENS), by, round, mitigation });
        id
    }

    /// Every claim's status by what was said of it so far. A withdrawn claim stays withdrawn.
    pub fn settle(&mut self) {
        let seats = self.seats.len();
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

    /// Blockers that still stand: neither taken back nor settled by what became of their claim.
    pub fn open_blockers(&self) -> Vec<&Blocker> {
        let settled = |id: &String| self.claim(id).is_some_and(|claim| matches!(claim.status, ClaimStatus::Accepted | ClaimStatus::Retracted));
        self.blockers.iter().filter(|blocker| !blocker.claim.as_ref().is_some_and(settled)).collect()
    }

    pub fn vote(&mut self, seat: usize, vote: Option<Vote>, claim: Option<String>) {
        if vote.is_none() {
            return;
        }
        // A blocker goes with the dispute it came with.
        let named: Vec<String> = self.blockers.iter().filter(|blocker| blocker.seat == seat).filter_map(|blocker| blocker.claim.clone()).collect();
        for id in named {
            self.claim_mut(&id).map(|claim| claim.challengers.remove(&seat));
        }
        self.blockers.retain(|blocker| blocker.seat != seat);
        match vote {
            Some(Vote::Accept | Vote::Minor) | None => {}
            Some(Vote::Blocker) => {
                self.blockers.push(Blocker { seat, claim });
                self.blockers.sort_by_key(|blocker| blocker.seat);
            }
        }
    }

    /// Distinct sources cited so far.
    pub fn sources(&self) -> usize {
        self.evidence.iter().filter(|evidence| evidence.kind == EvidenceKind::Citation).count()
    }

    /// What each seat takes for granted: facts and assumptions it brought in or stands behind.
    pub fn premises(&self) -> Vec<BTreeSet<&str>> {
        let premise = |claim: &&Claim| matches!(claim.label, Label::Fact | Label::Assume) && claim.status != ClaimStatus::Retracted;
        let of =
            |seat: usize| self.claims.iter().filter(premise).filter(|claim| claim.backers.contains(&seat)).map(|claim| claim.id.as_str()).collect();
        (0..self.seats.len()).map(of).collect()
    }
}

/// Whether two sentences make the same statement: nearly the same words, the same figures, and not one the denial of the other.
pub fn same_statement(a: &str, b: &str) -> bool {
    const DENIALS: [&str; 7] = ["not", "no", "never", "without", "cannot", "none", "nor"];
    let denies = |text: &str| {
        let text = text.to_lowercase();
        text.contains("n't") || text.contains("n’t") || text.split(|c: char| !c.is_alphanumeric()).any(|word| DENIALS.contains(&word))
    };
    let alike = jaccard(&words(a, 3), &words(b, 3)).map_or(a.trim() == b.trim(), |alike| alike >= SAME - synod_math::debate::EPSILON);
    let figures = |text: &str| -> BTreeSet<String> {
        let parts = text.split(|c: char| !(c.is_alphanumeric() || c == '.' || c == ',')).map(|part| part.trim_matches(['.', ',']).to_lowercase());
        parts.filter(|part| part.contains(|c: char| c.is_ascii_digit())).collect()
    };
    alike && denies(a) == denies(b) && figures(a) == figures(b)
}
