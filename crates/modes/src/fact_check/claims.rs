//! What is to be checked: claims as the extractor gives them, numbered by us, without repetitions, and where each stands in the content.

use super::rows::{ClaimRow, ClaimsRow};
use crate::text::{blocks, field, token};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use synod_engine::{IdLists, TypedReply};
use synod_math::Verbatim;
use synod_types::{Cluster, Clusters, Exhibit, Shape, words};

words! {
    /// The kind of statement a claim is.
    #[derive(PartialOrd, Ord)]
    pub enum ClaimType {
        Statistic = "STATISTIC",
        Date = "DATE",
        Attribution = "ATTRIBUTION",
        Technical = "TECHNICAL",
        Comparison = "COMPARISON",
        Causal = "CAUSAL",
    }
}

impl ClaimType {
    /// For people.
    fn plain(self) -> &'static str {
        match self {
            Self::Statistic => "figures",
            Self::Date => "dates",
            Self::Attribution => "who said or did what",
            Self::Technical => "how things work",
            Self::Comparison => "comparisons",
            Self::Causal => "causes",
        }
    }

    fn in_text(value: &str) -> Option<Self> {
        token(value, &Self::WORDS).and_then(Self::parse)
    }
}

/// Everything in a content that can be checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Extraction {
    /// What the content is, and what was left out as opinion, hedge, definition or prediction, in a sentence or two.
    pub reasons: String,
    /// The claims. Empty when nothing in the content can be checked.
    pub claims: Vec<ExtractedClaim>,
}

/// One claim as the extractor states it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExtractedClaim {
    /// The claim as one sentence that can be understood alone.
    pub claim: String,
    /// The sentence of the content it stands in, copied word for word.
    pub context: String,
    /// What kind of statement it is.
    #[serde(rename = "type")]
    pub kind: ClaimType,
}

const FIELDS: [&str; 4] = ["Context", "Type", "Summary", "Total claims"];

impl TypedReply for Extraction {
    /// Blocks `CLAIM n: …` with lines `Context:` and `Type:`, or a line `NO CLAIMS`. A claim of no known type makes the reply unreadable:
    /// a claim that was silently left out would never be checked.
    fn from_text(text: &str, _: &IdLists) -> Option<Self> {
        let is_none = |line: &str| line.trim_matches(|c: char| !c.is_alphanumeric()).eq_ignore_ascii_case("no claims");
        let found = blocks(text, "CLAIM");
        if found.is_empty() {
            return text.lines().any(is_none).then(|| Self { reasons: text.trim().to_owned(), claims: Vec::new() });
        }
        let claims = found.iter().map(|block| {
            let kind = ClaimType::in_text(&field(&block.body, "Type", &FIELDS)?)?;
            let context = field(&block.body, "Context", &FIELDS).unwrap_or_default();
            (!block.title.is_empty()).then(|| ExtractedClaim { claim: block.title.clone(), context, kind })
        });
        let reasons: Vec<&str> = text.lines().take_while(|line| blocks(line, "CLAIM").is_empty()).collect();
        Some(Self { reasons: reasons.join("\n").trim().to_owned(), claims: claims.collect::<Option<_>>()? })
    }
}

/// A claim under check.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// `claim_1`, by position.
    pub id: String,
    pub text: String,
    pub context: String,
    pub kind: ClaimType,
    /// Where its sentence stands in the content; `None`: not there word for word.
    pub place: Option<Range<usize>>,
}

/// Claims without repetitions, at most so many, each looked up in the content; and how many were left out beyond that.
pub fn number(content: &str, extracted: Vec<ExtractedClaim>, most: usize) -> (Vec<Claim>, usize) {
    let words = |text: &str| {
        let words: Vec<String> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
        words.join(" ")
    };
    let verbatim = Verbatim::new(content);
    let mut seen: Vec<String> = vec![String::new()];
    let mut claims = Vec::new();
    let mut over = 0;
    for ExtractedClaim { claim, context, kind } in extracted {
        let key = words(&claim);
        if seen.contains(&key) {
            continue;
        }
        seen.push(key);
        if claims.len() == most {
            over += 1;
            continue;
        }
        let place = verbatim.find(content, &context);
        let id = format!("claim_{}", claims.len() + 1);
        claims.push(Claim { id, text: claim.trim().to_owned(), context: context.trim().to_owned(), kind, place });
    }
    (claims, over)
}

/// The claims by their kinds.
pub fn exhibit(claims: &[Claim]) -> Exhibit {
    let of = |kind: ClaimType| claims.iter().filter(move |claim| claim.kind == kind);
    let kinds: Vec<ClaimType> = ClaimType::ALL.into_iter().filter(|kind| of(*kind).next().is_some()).collect();
    let clusters = kinds.iter().map(|kind| Cluster {
        id: kind.as_str().to_owned(),
        name: kind.plain().to_owned(),
        items: of(*kind).map(|claim| (claim.id.clone(), claim.text.clone())).collect(),
        ..Cluster::default()
    });
    let row = |claim: &Claim| ClaimRow {
        id: claim.id.clone(),
        claim: claim.text.clone(),
        context: claim.context.clone(),
        kind: claim.kind,
        located: claim.place.is_some(),
    };
    let data = ClaimsRow {
        claims: claims.iter().map(row).collect(),
        total_claims: claims.len(),
        type_breakdown: kinds.iter().map(|kind| (kind.as_str(), of(*kind).count())).collect(),
    };
    Exhibit::new("Claims", Shape::Clusters(Clusters { clusters: clusters.collect() })).data(&data)
}
