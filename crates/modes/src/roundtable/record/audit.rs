//! The audit of a text: whether its labels and citations fit together. Flaws are shown to readers and reject nothing.

use super::labels::{Label, Reference, Sentence, references, sentences};
use crate::roundtable::rounds::reply::NewClaim;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use synod_types::clip;

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Flaw {
    /// A citation without an entry in the list.
    OrphanCitation { n: u32 },
    /// An entry nobody cites.
    UnusedReference { n: u32 },
    /// A fact without a citation that leads anywhere: it counts as an inference.
    UncitedFact { text: String },
    /// An assumption that cites: the citation is dropped.
    CitedAssumption { text: String },
    /// The first label counts.
    TwoLabels { text: String },
}

impl Flaw {
    pub fn describe(&self) -> String {
        match self {
            Self::OrphanCitation { n } => format!("[{n}] is cited and not in the list of references"),
            Self::UnusedReference { n } => format!("reference {n} is never cited"),
            Self::UncitedFact { text } => format!("a fact without a citation counts as an inference: {}", clip::chars(text, 80, "…")),
            Self::CitedAssumption { text } => format!("an assumption cites a source: {}", clip::chars(text, 80, "…")),
            Self::TwoLabels { text } => format!("two labels on one sentence: {}", clip::chars(text, 80, "…")),
        }
    }
}

/// A turn taken apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Audit {
    /// With labels and citations as corrected.
    pub sentences: Vec<Sentence>,
    /// The claims it lists beside its text, in their order, corrected in the same way.
    pub claims: Vec<Sentence>,
    pub references: Vec<Reference>,
    pub flaws: Vec<Flaw>,
}

/// `known`: whether the record has evidence of this id.
pub fn audit(text: &str, claims: &[NewClaim], known: &dyn Fn(&str) -> bool) -> Audit {
    let references = references(text);
    let mut sentences = sentences(text);
    let listed = |claim: &NewClaim| {
        let (text, label) = (claim.text.clone(), Some(claim.label));
        Sentence { text, label, relabelled: false, cites: claim.cites.clone(), evidence: claim.evidence.clone() }
    };
    let mut claims: Vec<Sentence> = claims.iter().map(listed).collect();
    let cited: BTreeSet<u32> = sentences.iter().chain(&claims).flat_map(|sentence| sentence.cites.iter().copied()).collect();
    let entries: BTreeSet<u32> = references.iter().map(|reference| reference.n).collect();
    let mut flaws: Vec<Flaw> = cited.difference(&entries).map(|n| Flaw::OrphanCitation { n: *n }).collect();
    flaws.extend(entries.difference(&cited).map(|n| Flaw::UnusedReference { n: *n }));
    for sentence in sentences.iter_mut().chain(&mut claims) {
        for flaw in correct(sentence, &entries, known) {
            // A claim is often a sentence said again.
            if !flaws.contains(&flaw) {
                flaws.push(flaw);
            }
        }
    }
    Audit { sentences, claims, references, flaws }
}

/// Corrects label and citations: only citations that the list or the record has are kept, an assumption keeps none, and a fact without any
/// becomes an inference. Evidence of the record backs a fact as well as a reference does.
fn correct(sentence: &mut Sentence, entries: &BTreeSet<u32>, known: &dyn Fn(&str) -> bool) -> Vec<Flaw> {
    let mut flaws = Vec::new();
    if sentence.relabelled {
        flaws.push(Flaw::TwoLabels { text: sentence.text.clone() });
    }
    if sentence.label == Some(Label::Assume) && !(sentence.cites.is_empty() && sentence.evidence.is_empty()) {
        flaws.push(Flaw::CitedAssumption { text: sentence.text.clone() });
        (sentence.cites, sentence.evidence) = (Vec::new(), Vec::new());
    }
    sentence.cites.retain(|n| entries.contains(n));
    sentence.evidence.retain(|id| known(id));
    if sentence.label == Some(Label::Fact) && sentence.cites.is_empty() && sentence.evidence.is_empty() {
        flaws.push(Flaw::UncitedFact { text: sentence.text.clone() });
        sentence.label = Some(Label::Infer);
    }
    flaws
}

#[cfg(test)]
mod tests {
    use super::super::labels::source_key;
    use super::*;
    use proptest::prelude::*;

    fn one(text: &str) -> Sentence {
        let found = sentences(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        found.into_iter().next().expect("one sentence")
    }

    #[test]
    fn marks_belong_to_their_sentence() {
        let found = sentences("Queues retry. [FACT] [1][3-4] Cron does not. [INFER]\n- [ASSUME] The load stays. \n[2]\nMore at 3.5 a day");
        let marks: Vec<(&str, Option<Label>, &[u32])> = found.iter().map(|one| (one.text.as_str(), one.label, one.cites.as_slice())).collect();
        let want: [(&str, Option<Label>, &[u32]); 4] = [
            ("Queues retry.", Some(Label::Fact), &[1, 3, 4]),
            ("Cron does not.", Some(Label::Infer), &[]),
            ("The load stays.", Some(Label::Assume), &[2]),
            ("More at 3.5 a day", None, &[]),
        ];
        assert_eq!(marks, want);
        assert_eq!(one("It holds [fact][2].").label, Some(Label::Fact));
    }

    #[test]
    fn a_fact_may_rest_on_the_record() {
        let text = "Queues retry. [FACT][E2] Cron does not. [FACT][E9]";
        let found = audit(text, &[], &|id| id == "E2");
        assert_eq!(found.sentences.iter().map(|one| one.label).collect::<Vec<_>>(), [Some(Label::Fact), Some(Label::Infer)]);
        assert_eq!((found.sentences[0].evidence.as_slice(), found.sentences[1].evidence.len()), (&["E2".to_owned()][..], 0));
        assert_eq!(found.flaws, [Flaw::UncitedFact { text: "Cron does not.".into() }]);
    }

    #[test]
    fn only_real_ranges_are_citations() {
        assert_eq!(one("It holds [2–4].").cites, [2, 3, 4]);
        for wrong in ["It holds [0].", "It holds [5-2].", "It holds [1-21].", "It holds [99999999999].", "It holds [a]."] {
            assert_eq!(one(wrong).cites, Vec::<u32>::new(), "{wrong}");
        }
        assert_eq!(one("It holds [1-20].").cites.len(), 20);
    }

    #[test]
    fn references_close_the_text() {
        let text = "See [1]. [FACT]\n\n**References:**\n[1] Smith (2024). Queues. https://Example.org/a?utm_source=x#top\n2. Cron manual\n[1] again";
        let listed = references(text);
        assert_eq!(listed.len(), 2, "{listed:?}");
        assert_eq!((listed[0].title.as_str(), listed[0].url.as_deref()), ("Smith (2024). Queues", Some("https://Example.org/a?utm_source=x#top")));
        assert_eq!(listed[1], Reference { n: 2, title: "Cron manual".into(), url: None });
        assert_eq!(source_key("x", listed[0].url.as_deref()), source_key("y", Some("http://example.org/a/")));
        assert_eq!(source_key("The Cron-Manual", None), source_key("the cron manual!", None));
        assert_ne!(source_key("x", Some("https://example.org/a?page=1")), source_key("x", Some("https://example.org/a?page=2")));
    }

    #[test]
    fn every_flaw_is_found_and_counts_as_it_should() {
        let text = "Backed. [FACT][1] Bare. [FACT] Lost. [FACT][9] Guess. [ASSUME][1] Both. [INFER][FACT]\nReferences\n[1] A\n[2] B";
        let found = audit(text, &[], &|_| false);
        let kinds: Vec<String> = found.flaws.iter().map(Flaw::describe).collect();
        assert_eq!(kinds.len(), 6, "{kinds:?}");
        assert!(found.flaws.contains(&Flaw::OrphanCitation { n: 9 }) && found.flaws.contains(&Flaw::UnusedReference { n: 2 }));
        let labels: Vec<Option<Label>> = found.sentences.iter().map(|sentence| sentence.label).collect();
        assert_eq!(labels, [Some(Label::Fact), Some(Label::Infer), Some(Label::Infer), Some(Label::Assume), Some(Label::Infer)]);
        assert!(found.sentences[3].cites.is_empty());
        assert_eq!(audit("All is well.", &[], &|_| false).flaws, []);
    }

    #[test]
    fn listed_claims_are_weighed_like_sentences() {
        let claim = |text: &str, label, cites: &[u32], evidence: &[&str]| NewClaim {
            text: text.into(),
            label,
            cites: cites.to_vec(),
            evidence: evidence.iter().map(|id| (*id).to_owned()).collect(),
            against: Vec::new(),
        };
        let claims = [
            claim("Bare.", Label::Fact, &[], &[]),
            claim("Listed.", Label::Fact, &[1], &[]),
            claim("On record.", Label::Fact, &[9], &["E2", "E7"]),
            claim("Guess.", Label::Assume, &[], &["E2"]),
        ];
        let found = audit("Bare. [FACT]\nReferences\n[1] A", &claims, &|id| id == "E2");
        assert_eq!(
            found.claims.iter().map(|claim| claim.label).collect::<Vec<_>>(),
            [Label::Infer, Label::Fact, Label::Fact, Label::Assume].map(Some)
        );
        assert_eq!(found.claims.iter().map(|claim| claim.evidence.len()).collect::<Vec<_>>(), [0, 0, 1, 0]);
        let want = [Flaw::OrphanCitation { n: 9 }, Flaw::UncitedFact { text: "Bare.".into() }, Flaw::CitedAssumption { text: "Guess.".into() }];
        assert_eq!(found.flaws, want, "what is said twice is found once, and what a claim cites is used");
    }

    proptest! {
        #[test]
        fn any_text_can_be_audited(text in "(\\[FACT\\]|\\[ASSUME\\]|\\[[0-9]{1,3}(-[0-9]{1,3})?\\]|References:?\n|[a-zé. ?!\\[\\]\n-]){0,60}") {
            let found = audit(&text, &[], &|_| false);
            for sentence in &found.sentences {
                prop_assert!(!sentence.text.trim().is_empty());
                prop_assert!(sentence.label != Some(Label::Fact) || !sentence.cites.is_empty(), "a fact that counts is cited");
                prop_assert!(sentence.label != Some(Label::Assume) || sentence.cites.is_empty());
                prop_assert!(sentence.cites.iter().all(|n| found.references.iter().any(|reference| reference.n == *n)));
            }
        }
    }
}
