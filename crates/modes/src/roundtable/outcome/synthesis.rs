//! The final text: what the chair writes in the manner of the style, and what is added from the record.

use super::action::{Conflict, better_argued};
use super::decision::Decision;
use crate::roundtable::record::{Claim, ClaimStatus, Risk};
use crate::roundtable::rounds::Debate;
use crate::roundtable::rounds::reply::vote_name;
use crate::text::{capitalised, field, items};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{IdLists, TypedReply};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Synthesis {
    /// What you weighed to write this.
    pub reasons: String,
    /// What to do now, in a sentence or two: it stands at the top of the answer.
    pub recommendation: String,
    /// The answer and what carries it, in a short paragraph.
    pub summary: String,
    /// What the whole table holds.
    pub common_ground: Vec<String>,
    /// What remained open, and who stands where.
    pub key_differences: Vec<String>,
    /// How positions moved, and what moved them.
    pub evolution: String,
    /// How far this can be relied on, from 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub confidence: f64,
}

impl TypedReply for Synthesis {
    fn from_text(text: &str, _terms: &IdLists) -> Option<Self> {
        let labels = ["Summary", "Common ground", "Key differences", "Evolution", "Recommendation", "Confidence"];
        let value = |label: &str| field(text, label, &labels);
        let list = |label: &str| value(label).map(|value| items(&value)).unwrap_or_default();
        Some(Self {
            reasons: String::new(),
            recommendation: value("Recommendation")?,
            summary: value("Summary")?,
            common_ground: list("Common ground"),
            key_differences: list("Key differences"),
            evolution: value("Evolution").unwrap_or_default(),
            confidence: crate::text::score(&value("Confidence")?, 0.0, 1.0)?,
        })
    }

    fn check(&self, _terms: &IdLists) -> Result<(), String> {
        match (self.recommendation.trim().is_empty(), self.summary.trim().is_empty()) {
            (true, _) => Err("recommendation is empty: say what to do now".into()),
            (false, true) => Err("summary is empty".into()),
            (false, false) => Ok(()),
        }
    }
}

/// The whole answer: the recommendation, what stands against it, the chair's words, then what the record adds.
pub fn compose(debate: &Debate, decision: &Decision, said: &Synthesis) -> String {
    let titles = &debate.style.synthesis;
    let list = |title: &str, lines: &[String]| part(title, lines.iter().map(|line| format!("- {}", line.trim())).collect());
    let text = |title: &str, text: &str| if text.trim().is_empty() { String::new() } else { format!("## {title}\n\n{}", text.trim()) };
    joined([
        text(&titles.recommendation, &said.recommendation),
        against(decision),
        overruled(decision),
        rulings(decision),
        text("Summary", &said.summary),
        list(&titles.common_ground, &said.common_ground),
        list(&titles.differences, &said.key_differences),
        from_record(debate, decision),
        text(&titles.evolution, &said.evolution),
    ])
}

/// What the record alone says, where nobody wrote a synthesis.
pub fn answer_from_record(debate: &Debate, decision: &Decision) -> String {
    joined([against(decision), overruled(decision), rulings(decision), from_record(debate, decision)])
}

fn joined(parts: impl IntoIterator<Item = String>) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

fn part(title: &str, lines: Vec<String>) -> String {
    if lines.is_empty() { String::new() } else { format!("## {title}\n\n{}", lines.join("\n")) }
}

fn against(decision: &Decision) -> String {
    let line = |conflict: &Conflict| format!("- {}: {}.", conflict.kind.as_str(), conflict.why.trim_end_matches('.'));
    part("What stands against acting on it", decision.conflicts.iter().map(line).collect())
}

fn overruled(decision: &Decision) -> String {
    part("Overruled by a person", decision.overruled_blockers.iter().map(|seat| format!("- the BLOCKER of {seat}")).collect())
}

fn rulings(decision: &Decision) -> String {
    let Some(ruling) = &decision.ruling else { return String::new() };
    let told = format!("{}.", capitalised(better_argued(&ruling.side)));
    let on = decision.proposition.as_ref().map(|text| format!("- Argued: {text}"));
    let each = ruling.by.iter().map(|by| format!("- {} rules {}: {}", by.seat, by.side, if by.why.is_empty() { "no reason given" } else { &by.why }));
    part("Ruling", [told].into_iter().chain([String::new()]).chain(on).chain(each).collect())
}

/// Open questions, risks, positions, claims, evidence, what is not known and what was asked of the person.
fn from_record(debate: &Debate, decision: &Decision) -> String {
    let questions = decision.open_questions.iter().map(|question| format!("- {question}")).collect();
    // Where each seat stands, also one that gave nothing that counts in the last round.
    let responses = || (0..debate.seats()).filter_map(|seat| debate.standing(seat)).map(|(response, _)| response);
    let positions = responses().map(|response| {
        let silent = debate.last_regular().is_some_and(|round| round.response_of(response.seat).is_none());
        let counts = match (silent, debate.is_free(response.seat)) {
            (true, _) => " before, not counted",
            (false, false) => " by its part, not counted",
            (false, true) => "",
        };
        let vote = response.turn.vote().map_or_else(String::new, |vote| format!(", {}{counts}", vote_name(vote)));
        let stance = response.turn.stance.as_ref().map(|stance| format!(", {stance}")).unwrap_or_default();
        let part = if debate.style.roles.len() > 1 { format!(", {}{stance}", debate.roles[response.seat].id) } else { String::new() };
        let position = response.turn.position.trim();
        let rounds: Vec<String> = debate.violations(response.seat).iter().map(u32::to_string).collect();
        let left = if rounds.is_empty() { String::new() } else { format!("; left its part in round {}", rounds.join(", ")) };
        let gone = if silent { "; nothing that counts in the last round" } else { "" };
        format!("- {}{part}: {position} (confidence {:.2}{vote}{left}{gone})", debate.display_name(response.seat), response.turn.confidence)
    });
    // What several seats do not know is said once.
    let mut unknown: Vec<(&str, Vec<&str>)> = Vec::new();
    for response in responses() {
        for text in response.turn.uncertainties.iter().map(|text| text.trim()).filter(|text| !text.is_empty()) {
            let name = debate.names[response.seat].as_str();
            match unknown.iter_mut().find(|(known, _)| *known == text) {
                Some((_, seats)) => seats.push(name),
                None => unknown.push((text, vec![name])),
            }
        }
    }
    let unknown = unknown.into_iter().map(|(text, seats)| format!("- {text} ({})", seats.join(", ")));
    let asked = debate.context_requests.iter().map(|request| format!("- {}", request.in_words()));
    let titled = if debate.style.votes { "Final positions" } else { "Central questions, by seat" };
    joined([
        part("Open questions", questions),
        risks(debate),
        part(titled, positions.collect()),
        claims(debate),
        evidence(debate),
        part("Not known", unknown.collect()),
        part("Asked of you", asked.collect()),
    ])
}

/// Unanswered ones first.
fn risks(debate: &Debate) -> String {
    let mut risks: Vec<&Risk> = debate.record.risks.iter().filter(|risk| risk.same_as.is_none()).collect();
    risks.sort_by_key(|risk| !risk.open);
    let line = |risk: &&Risk| format!("- {} {} – {}", risk.id, risk.text, risk.state(&debate.names));
    part("Risks", risks.iter().map(line).collect())
}

/// What was accepted, then what is disputed, and last the ids of what was withdrawn; claims nobody took up are in the record.
fn claims(debate: &Debate) -> String {
    let of = |status: ClaimStatus| debate.record.claims.iter().filter(move |claim| claim.status == status);
    let line = |claim: &Claim| format!("- {}: {} {}", claim.status.as_str(), claim.id, claim.text);
    let withdrawn: Vec<&str> = of(ClaimStatus::Retracted).map(|claim| claim.id.as_str()).collect();
    let withdrawn = (!withdrawn.is_empty()).then(|| format!("- withdrawn: {}", withdrawn.join(", ")));
    part("Claims", of(ClaimStatus::Accepted).chain(of(ClaimStatus::Contested)).map(line).chain(withdrawn).collect())
}

fn evidence(debate: &Debate) -> String {
    let record = &debate.record;
    let live = |id: &String| record.claim(id).is_some_and(|claim| claim.status != ClaimStatus::Retracted);
    let evidence = record.evidence.iter().filter(|evidence| evidence.supports.iter().any(live)).map(|evidence| {
        let url = evidence.url.as_deref().map(|url| format!(" <{url}>")).unwrap_or_default();
        let supports: Vec<&str> = evidence.supports.iter().filter(|id| live(id)).map(String::as_str).collect();
        format!("- {} {}{url} (for {})", evidence.id, evidence.title, supports.join(", "))
    });
    part("Key evidence", evidence.collect())
}
