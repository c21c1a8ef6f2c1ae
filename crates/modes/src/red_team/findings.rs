//! The findings of a run under our own ids, in order of appearance, and what became of each. Counts, risk and audit are computed from it.

use super::Outcome;
use super::fates::{BySeverity, Counts, Fate, Risk, Severity};
use super::replies::{Flaw, Reopened, Response, Ruling, Stand};
use serde_json::{Value, json};
use synod_engine::Bench;
use synod_types::{Dissent, Exhibit, FindingEntry, Findings, SeatIx, Shape};

/// One finding.
#[derive(Clone, Debug)]
pub struct Found {
    pub id: String,
    pub by: SeatIx,
    pub flaw: Flaw,
    pub fate: Fate,
    /// What the author last said to it.
    pub defence: Option<String>,
    /// Why the attacker says that the defence fails.
    pub reopened: Option<String>,
    /// What the judge said.
    pub ruling: Option<String>,
}

impl Found {
    pub fn outcome(&self) -> Outcome {
        Outcome { id: self.id.clone(), title: self.flaw.title.clone(), severity: self.flaw.severity, fate: self.fate }
    }

    pub fn data(&self) -> Value {
        let Flaw { title, severity, location, vulnerability, exploit } = &self.flaw;
        let told = |text: &str| if text.trim().is_empty() { Value::Null } else { json!(text) };
        json!({
            "id": self.id, "title": title, "severity": severity, "location": told(location), "vulnerability": vulnerability,
            "exploitScenario": told(exploit),
        })
    }

    /// What was said last about it, by whomever.
    fn last_word(&self) -> Option<&String> {
        let reopened = self.reopened.as_ref().filter(|_| self.fate == Fate::Open);
        self.ruling.as_ref().or(reopened).or(self.defence.as_ref())
    }

    fn entry(&self, by: String) -> FindingEntry {
        let flaw = &self.flaw;
        let told: Vec<&str> = [flaw.vulnerability.as_str(), flaw.exploit.as_str()].into_iter().filter(|text| !text.trim().is_empty()).collect();
        FindingEntry {
            id: self.id.clone(),
            title: flaw.title.clone(),
            severity: flaw.severity.word().into(),
            location: flaw.location.clone(),
            detail: told.join("\n"),
            by: vec![by],
            fate: self.fate.word().into(),
            reply: self.last_word().cloned().unwrap_or_default(),
        }
    }

    /// As prompts take it.
    fn shown(&self) -> Value {
        let Flaw { title, severity, location, vulnerability, exploit } = &self.flaw;
        let mut lines = vec![format!("Title: {title}"), format!("Severity: {}", severity.word().to_uppercase())];
        for (label, text) in [("Location", location), ("Vulnerability", vulnerability), ("Exploit", exploit)] {
            if !text.trim().is_empty() {
                lines.push(format!("{label}: {text}"));
            }
        }
        json!({
            "id": self.id, "text": lines.join("\n"), "fate": self.fate.plain(), "defence": self.defence, "reopened": self.reopened,
            "ruling": self.ruling,
        })
    }
}

/// All findings of a run.
#[derive(Clone, Debug, Default)]
pub struct Register(Vec<Found>);

impl Register {
    pub fn all(&self) -> &[Found] {
        &self.0
    }

    pub fn get(&self, id: &str) -> Option<&Found> {
        self.0.iter().find(|found| found.id == id)
    }

    fn get_mut(&mut self, id: &str) -> Option<&mut Found> {
        self.0.iter_mut().find(|found| found.id == id)
    }

    /// Enters new findings; returns their ids.
    pub fn enter(&mut self, by: SeatIx, flaws: Vec<Flaw>) -> Vec<String> {
        let first = self.0.len() + 1;
        let entered = (first..).zip(flaws).map(|(n, flaw)| Found {
            id: format!("F{n}"),
            by,
            flaw,
            fate: Fate::Open,
            defence: None,
            reopened: None,
            ruling: None,
        });
        self.0.extend(entered);
        self.0[first - 1..].iter().map(|found| found.id.clone()).collect()
    }

    /// The attacker shows that answers do not hold: the author must answer again.
    pub fn reopen(&mut self, reopened: &[Reopened]) {
        for Reopened { id, why } in reopened {
            if let Some(found) = self.get_mut(id) {
                found.fate = Fate::Open;
                found.reopened = Some(why.clone());
                found.ruling = None;
            }
        }
    }

    /// Enters the author's answers. An accepted finding is fixed only if the revised text was taken. Returns the ids disputed, which count as
    /// contested until somebody rules on them.
    pub fn answer(&mut self, responses: &[Response], taken: bool) -> Vec<String> {
        let mut disputed = Vec::new();
        for response in responses {
            let Some(found) = self.get_mut(&response.id) else { continue };
            found.defence = Some(response.reasoning.clone());
            found.ruling = None;
            found.fate = match response.verdict {
                Stand::Accept if taken => Fate::Fixed,
                Stand::Accept => Fate::Open,
                Stand::Rebut => {
                    disputed.push(found.id.clone());
                    Fate::Contested
                }
            };
        }
        disputed
    }

    pub fn rule(&mut self, rulings: &[Ruling]) {
        for ruling in rulings {
            if let Some(found) = self.get_mut(&ruling.id) {
                found.fate = if ruling.upheld { Fate::Rebutted } else { Fate::Overruled };
                found.ruling = Some(ruling.why.clone());
            }
        }
    }

    /// Findings the author has yet to answer.
    pub fn to_answer(&self) -> Vec<String> {
        self.ids(|found| found.fate.to_answer())
    }

    /// Findings whose answer the attacker may show to fail.
    pub fn answered(&self) -> Vec<String> {
        self.ids(|found| !found.fate.to_answer())
    }

    fn ids(&self, wanted: impl Fn(&Found) -> bool) -> Vec<String> {
        self.0.iter().filter(|found| wanted(found)).map(|found| found.id.clone()).collect()
    }

    /// As prompts take them.
    pub fn shown(&self, wanted: impl Fn(&Found) -> bool) -> Value {
        self.0.iter().filter(|found| wanted(found)).map(Found::shown).collect()
    }

    pub fn worst_first(&self) -> Vec<&Found> {
        let mut sorted: Vec<&Found> = self.0.iter().collect();
        sorted.sort_by_key(|found| found.flaw.severity);
        sorted
    }

    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for found in &self.0 {
            *match found.fate {
                Fate::Fixed => &mut counts.fixed,
                Fate::Rebutted => &mut counts.rebutted,
                Fate::Overruled => &mut counts.overruled,
                Fate::Contested => &mut counts.contested,
                Fate::Open => &mut counts.open,
            } += 1;
        }
        counts
    }

    pub fn by_severity(&self, wanted: impl Fn(&Found) -> bool) -> BySeverity {
        let mut counts = BySeverity::default();
        for found in self.0.iter().filter(|found| wanted(found)) {
            *match found.flaw.severity {
                Severity::Critical => &mut counts.critical,
                Severity::High => &mut counts.high,
                Severity::Medium => &mut counts.medium,
                Severity::Low => &mut counts.low,
            } += 1;
        }
        counts
    }

    pub fn unresolved(&self) -> BySeverity {
        self.by_severity(|found| found.fate.unresolved())
    }

    pub fn risk(&self) -> Risk {
        self.0.iter().filter(|found| found.fate.unresolved()).map(|found| found.flaw.severity).min().into()
    }

    /// From what is unresolved: nothing is high, something below HIGH is medium, anything worse is low.
    pub fn hardening(&self) -> &'static str {
        match self.risk() {
            Risk::None => "High",
            Risk::Low | Risk::Medium => "Medium",
            Risk::High | Risk::Critical => "Low",
        }
    }

    /// Entries of a table, of these findings.
    pub fn entries(&self, bench: &Bench, ids: &[String]) -> Vec<FindingEntry> {
        ids.iter().filter_map(|id| self.get(id)).map(|found| found.entry(bench.seat(found.by).label.clone())).collect()
    }

    pub fn audit(&self, bench: &Bench) -> Exhibit {
        let worst: Vec<String> = self.worst_first().iter().map(|found| found.id.clone()).collect();
        let none = if worst.is_empty() { "The attacker looked for flaws and found none." } else { "" };
        let data = json!({
            "overallRisk": self.risk(), "findings": self.worst_first().iter().map(|found| found.outcome()).collect::<Vec<_>>(),
            "fates": self.counts(), "unresolved": self.unresolved(), "hardeningConfidence": self.hardening(),
        });
        Exhibit::new("Audit", Shape::Findings(Findings { entries: self.entries(bench, &worst), none: none.into() })).data(&data)
    }

    /// What the attacker found and the author disputed.
    pub fn dissent(&self) -> Vec<Dissent> {
        let disputed = |found: &&Found| matches!(found.fate, Fate::Rebutted | Fate::Overruled | Fate::Contested);
        let text =
            |found: &Found| format!("{} ({}, {}): {}", found.flaw.title, found.flaw.severity.word(), found.fate.word(), found.flaw.vulnerability);
        self.0.iter().filter(disputed).map(|found| Dissent { seat: found.by, label: Some(found.id.clone()), text: text(found) }).collect()
    }
}
