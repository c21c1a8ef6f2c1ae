//! A card as a seat writes it: what the form asks for, and the card it becomes.

use super::card::{Card, CostUnit, Evidence, EvidenceKind, PointerCheck, Risk, Severity, Step, Violation};
use super::records::Invariant;
use crate::collapse::Options;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{IdLists, Prompt, TypedReply};
use synod_types::Question;

/// What stands in a list of ids when there are none: schemas do not allow an empty choice.
const NONE: &str = "none";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Draft {
    /// Why this way and not another, before the card itself.
    pub reasons: String,
    /// What the card holds to be true; the first claim says in one sentence what is proposed.
    #[schemars(length(min = 1, max = 8))]
    pub claims: Vec<String>,
    #[schemars(length(min = 1, max = 12))]
    pub plan: Vec<DraftStep>,
    #[schemars(length(max = 8))]
    pub evidence: Vec<DraftEvidence>,
    #[schemars(length(max = 8))]
    pub risks: Vec<DraftRisk>,
    /// How sure you are, from 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub confidence: f64,
    /// In the unit the task names.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub cost: u64,
    /// From 0, cannot be undone, to 1, can be undone wholly.
    #[schemars(range(min = 0, max = 1))]
    pub reversibility: f64,
    /// Whether it changes data for good.
    pub irreversible_data_change: bool,
    /// The invariants it breaks; none if it keeps them all.
    #[schemars(extend("items" = {"type": "string", "x-ids": "invariants"}, "uniqueItems" = true))]
    pub violates: Vec<String>,
    /// The regulations it touches; none if it touches none.
    #[schemars(extend("items" = {"type": "string", "x-ids": "regulations"}, "uniqueItems" = true))]
    pub regulatory: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DraftStep {
    pub action: String,
    pub rationale: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DraftEvidence {
    #[serde(rename = "type")]
    pub kind: EvidenceKind,
    /// Where it can be looked up: content, an attached file's name, or a source by name.
    pub pointer: String,
    #[schemars(range(min = 0, max = 1))]
    pub quality: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DraftRisk {
    pub severity: Severity,
    pub description: String,
    /// Empty if nothing is done about it.
    pub mitigation: String,
    /// What is left of it after that, from 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub residual_risk: f64,
}

impl TypedReply for Draft {
    fn check(&self, _: &IdLists) -> Result<(), String> {
        let blank = |text: &String| text.trim().is_empty();
        if self.claims.iter().any(blank) {
            return Err("a claim is empty".into());
        }
        if self.plan.iter().any(|step| blank(&step.action)) {
            return Err("a step of the plan is empty".into());
        }
        Ok(())
    }
}

impl DraftRisk {
    pub fn risk(&self) -> Risk {
        Risk {
            severity: self.severity,
            description: self.description.trim().to_owned(),
            mitigation: self.mitigation.trim().to_owned(),
            residual_risk: Some(self.residual_risk),
        }
    }
}

impl Draft {
    /// The card this becomes in place of an earlier one. What pointed somewhere before still does, and is worth no more than before. Of a card
    /// that was `given`, regulations stay: which of them a decision touches was said by whoever gave it.
    pub fn revised(&self, earlier: &Card, given: bool, agent: &str, options: &Options, question: &Question) -> Card {
        let mut card = self.card(&earlier.id, agent, options, question);
        for evidence in &mut card.evidence {
            if let Some(known) = earlier.evidence.iter().find(|known| known.pointer == evidence.pointer) {
                *evidence = Evidence { quality: evidence.quality.min(known.quality), ..known.clone() };
            } else if given && evidence.checked.is_none() {
                // Whoever gave the card had every pointer looked up.
                evidence.checked = Some(PointerCheck::not_looked_up("named in a revision, and nobody looked it up"));
            }
        }
        let broken = |id: &String| earlier.invariant_violations.iter().find(|known| known.invariant_id == *id && !declares(options, id));
        card.invariant_violations.extend(self.violates.iter().filter_map(broken).cloned());
        let kept = earlier.regulatory.iter().filter(|tag| given && !card.regulatory.contains(tag)).cloned().collect::<Vec<_>>();
        card.regulatory.extend(kept);
        // Later versions are measured against the cost of the first.
        let estimate = earlier.cost_estimate.unwrap_or(earlier.cost);
        Card { cost_unit: earlier.cost_unit, cost_estimate: Some(estimate), timestamp: earlier.timestamp.clone(), ..card }
    }

    /// The card this becomes. Pointers to files and URLs are checked here; sources by name are left as claimed.
    pub fn card(&self, id: &str, agent: &str, options: &Options, question: &Question) -> Card {
        let known = |list: &[String]| list.iter().filter(|id| id.as_str() != NONE).cloned().collect::<Vec<_>>();
        let violations = known(&self.violates).into_iter().filter_map(|id| {
            let invariant = options.invariants.iter().find(|invariant| invariant.id == id)?;
            Some(Violation {
                description: invariant.text.clone(),
                justification: self.reasons.trim().to_owned(),
                requires_approval: !invariant.hard,
                invariant_id: id,
            })
        });
        Card {
            id: id.to_owned(),
            agent: agent.to_owned(),
            timestamp: String::new(),
            claims: self.claims.iter().map(|claim| claim.trim().to_owned()).collect(),
            plan: self.plan.iter().map(|step| Step { action: step.action.trim().to_owned(), rationale: step.rationale.trim().to_owned() }).collect(),
            evidence: self
                .evidence
                .iter()
                .map(|evidence| Evidence {
                    kind: evidence.kind,
                    pointer: evidence.pointer.trim().to_owned(),
                    quality: evidence.quality,
                    exit_code: None,
                    output: String::new(),
                    checked: None,
                })
                .map(|evidence| Evidence { checked: check_pointer(&evidence, question), ..evidence })
                .collect(),
            risks: self.risks.iter().map(DraftRisk::risk).collect(),
            confidence: self.confidence,
            cost: self.cost,
            cost_unit: CostUnit::Points,
            cost_estimate: None,
            reversibility: self.reversibility,
            invariant_violations: violations.collect(),
            irreversible_data_change: Some(self.irreversible_data_change),
            regulatory: known(&self.regulatory),
            parent_ids: Vec::new(),
        }
    }
}

/// Whether a pointer leads anywhere, as far as a run can tell: it sees what came with the question and nothing else. `None`: it cannot tell.
fn check_pointer(evidence: &Evidence, question: &Question) -> Option<PointerCheck> {
    let pointer = evidence.pointer.as_str();
    let found = |valid: bool, found: String| Some(PointerCheck::new(valid, found));
    let file = question.kept_files().find(|file| file.name == evidence.path());
    match (file, &question.content) {
        (Some(file), _) => found(true, format!("a file of {} bytes that came with the question", file.bytes)),
        (None, Some(_)) if pointer == "content" => found(true, "the material under review".into()),
        (None, None) if pointer == "content" => found(false, "the question came without any material".into()),
        (None, _) => evidence.told().or_else(|| if file_shaped(pointer) { found(false, "no such file is attached".into()) } else { None }),
    }
}

/// One word with a folder or an ending, such as `logs/load.txt`: the name of a file, not of a source.
fn file_shaped(pointer: &str) -> bool {
    let name = pointer.split('#').next().unwrap_or_default();
    let ends = name.rsplit_once('.').is_some_and(|(stem, end)| {
        !stem.is_empty()
            && (1..=5).contains(&end.len())
            && end.chars().all(|c| c.is_ascii_alphanumeric())
            && end.chars().any(|c| c.is_ascii_alphabetic())
    });
    !name.contains(char::is_whitespace) && (name.contains(['/', '\\']) || ends)
}

fn declares(options: &Options, id: &str) -> bool {
    options.invariants.iter().any(|invariant| invariant.id == id)
}

/// A prompt that asks for a card, with the constraints, and the ids of the invariants and regulations it may name: those declared, and those on
/// the earlier version.
pub fn with_ids(prompt: Prompt, options: &Options, earlier: Option<&Card>) -> Prompt {
    let or_none = |ids: Vec<String>| if ids.is_empty() { vec![NONE.to_owned()] } else { ids };
    let mut invariants = options.invariants.clone();
    let mut regulations = options.regulations.clone();
    for broken in earlier.iter().flat_map(|card| &card.invariant_violations) {
        if !invariants.iter().any(|known| known.id == broken.invariant_id) {
            invariants.push(Invariant { id: broken.invariant_id.clone(), text: broken.description.clone(), hard: !broken.requires_approval });
        }
    }
    for tag in earlier.iter().flat_map(|card| &card.regulatory) {
        if !regulations.contains(tag) {
            regulations.push(tag.clone());
        }
    }
    prompt
        .set("constraints", &options.constraints)
        .set("invariants", &invariants)
        .set("regulations", &regulations)
        .ids("invariants", or_none(invariants.into_iter().map(|invariant| invariant.id).collect()))
        .ids("regulations", or_none(regulations))
}

#[cfg(test)]
mod tests {
    use super::*;
    use synod_types::Attachment;

    #[test]
    fn a_seat_cannot_point_at_what_is_not_there() {
        let file = Attachment { name: "load.txt".into(), sha256: String::new(), bytes: 4, text: "fine".into() };
        let with = Question { content: Some("A plan.".into()), files: vec![file], ..Question::default() };
        let told = |pointer: &str, question: &Question| {
            let evidence =
                Evidence { kind: EvidenceKind::Test, pointer: pointer.into(), quality: 0.9, exit_code: None, output: String::new(), checked: None };
            check_pointer(&evidence, question).map(|check| check.valid)
        };
        for (pointer, want) in [
            ("content", Some(true)),
            ("load.txt", Some(true)),
            ("load.txt#tail", Some(true)),
            ("https://example.org/a", Some(false)),
            ("https:// no", Some(false)),
            ("logs/load.txt", Some(false)),
            ("gone.txt", Some(false)),
            ("command: cargo test", Some(false)),
            ("the team's incident log, no. 3", None),
            ("RFC 7231, section 6.1", None),
        ] {
            assert_eq!(told(pointer, &with), want, "{pointer}");
        }
        let evidence = vec![Attachment { name: "logs/load.txt".into(), sha256: String::new(), bytes: 4, text: "fine".into() }];
        let pointed = Question { evidence, ..Question::default() };
        assert_eq!(told("logs/load.txt", &pointed), Some(true));
        assert_eq!((told("content", &Question::default()), told("load.txt", &Question::default())), (Some(false), Some(false)));
    }
}
