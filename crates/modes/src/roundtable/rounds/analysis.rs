//! What a round comes to, analysed by somebody who took no part in it: how far the seats agree, in which camps they stand, what is settled.
//!
//! Where nobody could analyse it, camps are found by the words of the positions, and the agreement stays unknown.

use crate::text::{field, items};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use synod_engine::{IdLists, TypedReply};
use synod_math::debate::{clusters, spread};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Analysis {
    /// How you read the round: what the positions mean, not which words they share.
    pub reasons: String,
    /// How far the seats agree, from 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub agreement: f64,
    /// The round in two or three sentences.
    pub summary: String,
    /// The round in one line of at most 35 tokens.
    #[serde(default)]
    pub one_liner: String,
    /// The proposal most seats are near, in a sentence.
    #[serde(default)]
    pub leading_proposal: String,
    /// What all or nearly all hold.
    #[serde(default)]
    pub common_ground: Vec<String>,
    /// What they do not agree on, and who stands against whom.
    #[serde(default)]
    pub disagreements: Vec<Disagreement>,
    /// The camps. Every seat is in exactly one.
    #[serde(default)]
    pub clusters: Vec<Camp>,
    /// For each seat, how far it supports the leading proposal.
    #[serde(default)]
    #[schemars(extend("x-each" = "seats"))]
    pub alignment: Vec<Alignment>,
    /// Agreement on part of something.
    #[serde(default)]
    pub partial_agreements: Vec<String>,
    /// Positions that hold only under a condition.
    #[serde(default)]
    pub conditional_positions: Vec<String>,
    /// What the seats say they do not know.
    #[serde(default)]
    pub uncertainties: Vec<String>,
    /// What the seats have settled in this round, if anything.
    #[serde(default)]
    #[schemars(length(max = 3))]
    pub decisions: Vec<String>,
    /// Risks of the record that mean the same problem, the newer with the older; empty if there are none.
    #[serde(default)]
    pub same_risks: Vec<SameRisk>,
    /// Signs that they agree for the sake of agreeing; empty if there are none.
    #[serde(default)]
    pub groupthink_signs: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Disagreement {
    pub point: String,
    #[schemars(extend("items" = {"type": "string", "x-ids": "seats"}))]
    pub one_side: Vec<String>,
    #[schemars(extend("items" = {"type": "string", "x-ids": "seats"}))]
    pub other_side: Vec<String>,
}

/// Two risks that are one problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SameRisk {
    #[schemars(extend("x-ids" = "risks"))]
    pub id: String,
    #[schemars(extend("x-ids" = "risks"))]
    pub same_as: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Camp {
    /// What holds it together, in a few words.
    pub theme: String,
    #[schemars(extend("items" = {"type": "string", "x-ids": "seats"}))]
    pub seats: Vec<String>,
    #[serde(default)]
    pub summary: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Alignment {
    #[schemars(extend("x-ids" = "seats"))]
    pub seat: String,
    /// From 0 (rejects it) to 1 (supports it fully).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub support: f64,
}

impl TypedReply for Analysis {
    /// `AGREEMENT:` with a number, and `SUMMARY:`; lists under their names.
    fn from_text(text: &str, _terms: &IdLists) -> Option<Self> {
        let labels = ["Agreement", "Summary", "Proposal", "Common ground", "Disagreements", "Uncertainties", "Decisions"];
        let value = |label: &str| field(text, label, &labels);
        let list = |label: &str| value(label).map(|value| items(&value)).unwrap_or_default();
        Some(Self {
            reasons: text.trim().to_owned(),
            agreement: crate::text::score(&value("Agreement")?, 0.0, 1.0)?,
            summary: value("Summary")?,
            leading_proposal: value("Proposal").unwrap_or_default(),
            common_ground: list("Common ground"),
            disagreements: list("Disagreements")
                .into_iter()
                .map(|point| Disagreement { point, one_side: Vec::new(), other_side: Vec::new() })
                .collect(),
            uncertainties: list("Uncertainties"),
            decisions: list("Decisions").into_iter().take(3).collect(),
            ..Self::default()
        })
    }
}

/// A round's analysis, with what is measured of it: camps, alignment and how far apart the seats stand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoundAssessment {
    /// `None`: nobody could give one.
    pub analysis: Option<Analysis>,
    /// The camp of each seat that spoke, in seat order.
    pub camps: Vec<(usize, usize)>,
    /// Camps were found by words, because the analysis has none that holds.
    pub by_words: bool,
    pub alignment: BTreeMap<usize, f64>,
    /// How far apart the seats stand.
    pub spread: Option<f64>,
    /// What `spread` was measured by.
    pub source: &'static str,
}

impl RoundAssessment {
    /// `spoke`: each seat that counts, with its position.
    pub fn new(mut analysis: Option<Analysis>, spoke: &[(usize, &str)], names: &[String]) -> Self {
        // A seat named on both sides is taken off both.
        for point in analysis.iter_mut().flat_map(|analysis| &mut analysis.disagreements) {
            let both: Vec<String> = point.one_side.iter().filter(|name| point.other_side.contains(name)).cloned().collect();
            point.one_side.retain(|name| !both.contains(name));
            point.other_side.retain(|name| !both.contains(name));
        }
        let place = |name: &String| names.iter().position(|known| known == name);
        let camp_of = |seat: usize| {
            let camps = &analysis.as_ref()?.clusters;
            let mut holding = camps.iter().enumerate().filter(|(_, camp)| camp.seats.iter().any(|name| place(name) == Some(seat)));
            let (camp, _) = holding.next()?;
            holding.next().is_none().then_some((seat, camp))
        };
        let read: Option<Vec<(usize, usize)>> = spoke.iter().map(|(seat, _)| camp_of(*seat)).collect();
        let by_words = read.is_none();
        let camps = read.unwrap_or_else(|| {
            let texts: Vec<&str> = spoke.iter().map(|(_, position)| *position).collect();
            spoke.iter().map(|(seat, _)| *seat).zip(clusters::by_words(&texts)).collect()
        });
        let mut alignment = BTreeMap::new();
        for said in analysis.iter().flat_map(|analysis| &analysis.alignment) {
            if let Some(seat) = place(&said.seat).filter(|seat| spoke.iter().any(|(spoke, _)| spoke == seat)) {
                alignment.entry(seat).or_insert(said.support);
            }
        }
        let whole = alignment.len() == spoke.len() && !spoke.is_empty();
        let labels: Vec<usize> = camps.iter().map(|(_, camp)| *camp).collect();
        let (spread, source) = if whole {
            (spread::from_values(&alignment.values().copied().collect::<Vec<_>>()), "alignment")
        } else if labels.is_empty() {
            (None, "stance_unmeasured")
        } else {
            (spread::from_clusters(&labels), "clusters")
        };
        Self { analysis, camps, by_words, alignment, spread, source }
    }

    pub fn agreement(&self) -> Option<f64> {
        self.analysis.as_ref().map(|analysis| analysis.agreement)
    }

    pub fn camp_count(&self) -> usize {
        clusters::count(&self.camps.iter().map(|(_, camp)| *camp).collect::<Vec<_>>())
    }

    /// The seats of each camp, the largest camp first, then the one of the lowest seat.
    pub fn seats_by_camp(&self) -> Vec<(usize, Vec<usize>)> {
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (seat, camp) in &self.camps {
            groups.entry(*camp).or_default().push(*seat);
        }
        let mut groups: Vec<(usize, Vec<usize>)> = groups.into_iter().collect();
        groups.sort_by_key(|(_, seats)| (std::cmp::Reverse(seats.len()), seats.first().copied()));
        groups
    }

    /// Of the seats that spoke both times, the share that changed camps.
    pub fn share_switched(&self, before: &Self) -> f64 {
        let then: BTreeMap<usize, usize> = before.camps.iter().copied().collect();
        let both: Vec<(usize, usize)> = self.camps.iter().filter_map(|(seat, now)| Some((*then.get(seat)?, *now))).collect();
        clusters::share_switched(&both)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        ["S1", "S2", "S3", "S4"].map(str::to_owned).to_vec()
    }

    fn camps(camps: &[&[&str]]) -> Analysis {
        let camp = |seats: &&[&str]| Camp { theme: "t".into(), seats: seats.iter().map(|name| (*name).to_owned()).collect(), summary: String::new() };
        Analysis { agreement: 0.6, clusters: camps.iter().map(camp).collect(), ..Analysis::default() }
    }

    const SPOKE: [(usize, &str); 4] = [(0, "use queues now"), (1, "use queues now"), (2, "keep cron tables"), (3, "use queues now")];

    #[test]
    fn camps_must_hold_every_seat_once_or_words_decide() {
        let found = RoundAssessment::new(Some(camps(&[&["S1", "S2", "S4"], &["S3"]])), &SPOKE, &names());
        assert_eq!((found.by_words, found.camp_count(), found.source), (false, 2, "clusters"));
        assert!(found.spread.is_some_and(|spread| (spread - 0.433013).abs() < 1e-6));
        for bad in [camps(&[&["S1", "S2"]]), camps(&[&["S1", "S2", "S3", "S4"], &["S3"]])] {
            let found = RoundAssessment::new(Some(bad), &SPOKE, &names());
            assert_eq!((found.by_words, found.camp_count()), (true, 2));
        }
        assert_eq!(RoundAssessment::new(None, &[], &names()).source, "stance_unmeasured");
    }

    #[test]
    fn alignment_counts_only_when_it_covers_all() {
        let mut analysis = camps(&[&["S1", "S2", "S3", "S4"]]);
        let of = |name: &str, support: f64| Alignment { seat: name.into(), support };
        analysis.alignment = vec![of("S1", 0.5), of("S2", 0.8), of("S3", 0.5), of("S4", 0.8)];
        let found = RoundAssessment::new(Some(analysis.clone()), &SPOKE, &names());
        assert_eq!(found.source, "alignment");
        assert!(found.spread.is_some_and(|spread| (spread - 0.15).abs() < 1e-9));
        analysis.alignment.pop();
        assert_eq!(RoundAssessment::new(Some(analysis), &SPOKE, &names()).source, "clusters");
    }

    #[test]
    fn one_of_four_that_goes_over_is_a_quarter() {
        let one = RoundAssessment::new(Some(camps(&[&["S1", "S2", "S3", "S4"]])), &SPOKE, &names());
        let split = RoundAssessment::new(Some(camps(&[&["S1", "S2", "S4"], &["S3"]])), &SPOKE, &names());
        assert_eq!((split.share_switched(&one), one.share_switched(&split), one.share_switched(&one)), (0.25, 0.25, 0.0));
    }

    #[test]
    fn the_text_form_needs_its_number() {
        let terms = IdLists::default();
        let read = Analysis::from_text("AGREEMENT: 0.4\nSUMMARY: They differ.\nDISAGREEMENTS:\n- cost", &terms).expect("readable");
        assert_eq!((read.agreement, read.disagreements.len()), (0.4, 1));
        assert!(Analysis::from_text("They mostly agree.", &terms).is_none());
    }
}
