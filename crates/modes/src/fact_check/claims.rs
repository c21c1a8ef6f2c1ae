//! What is to be checked: claims as the extractor gives them, numbered by us, without repetitions, and where each stands in the content.

use super::rows::{ClaimRow, ClaimsRow};
use crate::text::{blocks, field, sentences, token};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use synod_engine::{IdLists, TypedReply};
use synod_math::Verbatim;
use synod_math::likeness::{kept, terms};
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
    /// What the content is, and what was left out as opinion, hedge, definition or prediction, in at most 60 words.
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
    pub place: Place,
}

/// Where a claim stands in the content.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub at: Range<usize>,
    /// Its sentence, or the claim itself, stands there word for word; else the sentence says the same in other words.
    pub quoted: bool,
}

/// A sentence says what a claim says if it has so many of the claim's words, and every number of it.
const PARAPHRASE: f64 = 0.6;

/// The content, made ready for claims to be looked up in it.
pub struct Haystack<'a> {
    content: &'a str,
    verbatim: Verbatim,
    sentences: Vec<Range<usize>>,
}

impl<'a> Haystack<'a> {
    pub fn new(content: &'a str) -> Self {
        Self { content, verbatim: Verbatim::new(content), sentences: sentences(content) }
    }

    /// By quotation, else by the sentence that comes nearest to the claim.
    fn find(&self, claim: &ExtractedClaim) -> Option<Place> {
        let quoted = [&claim.context, &claim.claim].into_iter().find_map(|words| self.verbatim.find(self.content, words));
        quoted.map(|at| Place { at, quoted: true }).or_else(|| {
            let near = |at: &Range<usize>| {
                [&claim.context, &claim.claim].map(|words| says(&self.content[at.clone()], words)).into_iter().fold(0.0, f64::max)
            };
            let best = self.sentences.iter().max_by(|a, b| near(a).total_cmp(&near(b)).then(b.start.cmp(&a.start)))?;
            (near(best) >= PARAPHRASE).then(|| Place { at: best.clone(), quoted: false })
        })
    }
}

/// How much of what these words say a sentence says too; nothing where one of their numbers is missing or there is little to go by.
fn says(sentence: &str, words: &str) -> f64 {
    let (has, wants) = (terms(sentence), terms(words));
    let number = |term: &&String| term.chars().any(|c| c.is_ascii_digit());
    if wants.len() < 2 || !wants.iter().filter(number).all(|term| has.contains(term)) { 0.0 } else { kept(words, sentence) }
}

/// The claims of a content as they are checked.
#[derive(Debug, Default)]
pub struct Numbered {
    pub claims: Vec<Claim>,
    /// What the extractor states and the content does not say.
    pub not_found: Vec<ExtractedClaim>,
    /// Claims beyond the most that are checked.
    pub over: usize,
}

/// Claims without repetitions, at most so many, each looked up in the content.
pub fn number(content: &str, extracted: Vec<ExtractedClaim>, most: usize) -> Numbered {
    let words = |text: &str| {
        let words: Vec<String> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
        words.join(" ")
    };
    let haystack = Haystack::new(content);
    let mut seen: Vec<String> = vec![String::new()];
    let mut numbered = Numbered::default();
    for extracted in extracted {
        let key = words(&extracted.claim);
        if seen.contains(&key) {
            continue;
        }
        seen.push(key);
        let Some(place) = haystack.find(&extracted) else {
            numbered.not_found.push(extracted);
            continue;
        };
        if numbered.claims.len() == most {
            numbered.over += 1;
            continue;
        }
        let ExtractedClaim { claim, context, kind } = extracted;
        let id = format!("claim_{}", numbered.claims.len() + 1);
        numbered.claims.push(Claim { id, text: claim.trim().to_owned(), context: context.trim().to_owned(), kind, place });
    }
    numbered
}

/// The claims by their kinds, each with where it stands, and those that stand nowhere.
pub fn exhibit(content: &str, numbered: &Numbered) -> Exhibit {
    let Numbered { claims, not_found, .. } = numbered;
    let of = |kind: ClaimType| claims.iter().filter(move |claim| claim.kind == kind);
    let kinds: Vec<ClaimType> = ClaimType::ALL.into_iter().filter(|kind| of(*kind).next().is_some()).collect();
    let item = |claim: &Claim| {
        let how = if claim.place.quoted { "quoted from" } else { "paraphrases" };
        (claim.id.clone(), format!("{} ({how} “{}”)", claim.text, &content[claim.place.at.clone()]))
    };
    let mut clusters: Vec<Cluster> = kinds
        .iter()
        .map(|kind| Cluster {
            id: kind.as_str().to_owned(),
            name: kind.plain().to_owned(),
            items: of(*kind).map(item).collect(),
            ..Cluster::default()
        })
        .collect();
    if !not_found.is_empty() {
        let stray = |claim: &ExtractedClaim| (String::new(), format!("{} (said to stand in “{}”)", claim.claim.trim(), claim.context.trim()));
        let note = "extracted, but neither quoted from the content nor close to a sentence of it: not checked, not scored".to_owned();
        clusters.push(Cluster { name: "Not found".to_owned(), items: not_found.iter().map(stray).collect(), note, ..Cluster::default() });
    }
    let row = |claim: &Claim| ClaimRow {
        id: claim.id.clone(),
        claim: claim.text.clone(),
        context: claim.context.clone(),
        kind: claim.kind,
        located: if claim.place.quoted { "quote" } else { "paraphrase" },
        sentence: content[claim.place.at.clone()].to_owned(),
    };
    let data = ClaimsRow {
        claims: claims.iter().map(row).collect(),
        total_claims: claims.len(),
        not_found: not_found.iter().map(|claim| claim.claim.trim().to_owned()).collect(),
        type_breakdown: kinds.iter().map(|kind| (kind.as_str(), of(*kind).count())).collect(),
    };
    Exhibit::new("Claims", Shape::Clusters(Clusters { clusters })).data(&data)
}
