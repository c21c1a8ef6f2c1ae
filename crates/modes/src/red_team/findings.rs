//! The findings of a run under our own ids, in order of appearance, and what became of each. Counts, risk and audit are computed from it.

use super::FindingOutcome;
use super::fate::{Fate, FateCounts};
use super::replies::{Flaw, Reopening, Response, ResponseVerdict, Ruling};
use super::rows::{AuditRow, FindingRow, HardeningConfidence};
use super::severity::{Risk, Severity, SeverityCounts};
use serde_json::{Value, json};
use synod_engine::Bench;
use synod_types::{Dissent, Exhibit, FindingEntry, Findings, SeatIx, Shape};

/// One finding.
#[derive(Clone, Debug)]
pub struct Finding {
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

impl Finding {
    pub fn outcome(&self) -> FindingOutcome {
        FindingOutcome { id: self.id.clone(), title: self.flaw.title.clone(), severity: self.flaw.severity, fate: self.fate }
    }

    pub fn row(&self) -> FindingRow {
        let Flaw { title, severity, location, vulnerability, exploit } = self.flaw.clone();
        let non_blank = |text: String| Some(text).filter(|text| !text.trim().is_empty());
        FindingRow { id: self.id.clone(), title, severity, location: non_blank(location), vulnerability, exploit_scenario: non_blank(exploit) }
    }

    /// What was said last about it, by whomever.
    fn last_word(&self) -> Option<&String> {
        let reopened = self.reopened.as_ref().filter(|_| self.fate == Fate::Open);
        self.ruling.as_ref().or(reopened).or(self.defence.as_ref())
    }

    /// As what is left to do.
    fn left(&self) -> String {
        format!(
            "{} {} ({}, {}).",
            self.id,
            self.flaw.title.trim().trim_end_matches('.'),
            self.flaw.severity.as_str().to_lowercase(),
            self.fate.brief()
        )
    }

    fn entry(&self, by: String) -> FindingEntry {
        let flaw = &self.flaw;
        let details: Vec<&str> = [flaw.vulnerability.as_str(), flaw.exploit.as_str()].into_iter().filter(|text| !text.trim().is_empty()).collect();
        FindingEntry {
            id: self.id.clone(),
            title: flaw.title.clone(),
            severity: flaw.severity.as_str().to_lowercase(),
            location: flaw.location.clone(),
            detail: details.join("\n"),
            by: vec![by],
            fate: self.fate.as_str().into(),
            reply: self.last_word().cloned().unwrap_or_default(),
        }
    }

    /// As prompts take it.
    fn for_prompt(&self) -> Value {
        let Flaw { title, severity, location, vulnerability, exploit } = &self.flaw;
        let mut lines = vec![format!("Title: {title}"), format!("Severity: {}", severity.as_str())];
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
pub struct Register(Vec<Finding>);

impl Register {
    pub fn all(&self) -> &[Finding] {
        &self.0
    }

    pub fn get(&self, id: &str) -> Option<&Finding> {
        self.0.iter().find(|finding| finding.id == id)
    }

    fn get_mut(&mut self, id: &str) -> Option<&mut Finding> {
        self.0.iter_mut().find(|finding| finding.id == id)
    }

    /// Enters new findings; returns their ids.
    pub fn enter(&mut self, by: SeatIx, flaws: Vec<Flaw>) -> Vec<String> {
        let first = self.0.len() + 1;
        let entered = (first..).zip(flaws).map(|(n, flaw)| Finding {
            id: format!("F{n}"),
            by,
            flaw,
            fate: Fate::Open,
            defence: None,
            reopened: None,
            ruling: None,
        });
        self.0.extend(entered);
        self.0[first - 1..].iter().map(|finding| finding.id.clone()).collect()
    }

    /// The attacker shows that answers do not hold: the author must answer again.
    pub fn reopen(&mut self, reopened: &[Reopening]) {
        for Reopening { id, why } in reopened {
            if let Some(finding) = self.get_mut(id) {
                finding.fate = Fate::Open;
                finding.reopened = Some(why.clone());
                finding.ruling = None;
            }
        }
    }

    /// Enters the author's answers. An accepted finding is fixed only if the revised text was kept. Returns the ids disputed, which count as
    /// contested until somebody rules on them.
    pub fn answer(&mut self, responses: &[Response], revision_kept: bool) -> Vec<String> {
        let mut disputed = Vec::new();
        for response in responses {
            let Some(finding) = self.get_mut(&response.id) else { continue };
            finding.defence = Some(response.reasoning.clone());
            finding.ruling = None;
            finding.fate = match response.verdict {
                ResponseVerdict::Accept if revision_kept => Fate::Fixed,
                ResponseVerdict::Accept => Fate::Open,
                ResponseVerdict::Rebut => {
                    disputed.push(finding.id.clone());
                    Fate::Contested
                }
            };
        }
        disputed
    }

    pub fn rule(&mut self, rulings: &[Ruling]) {
        for ruling in rulings {
            if let Some(finding) = self.get_mut(&ruling.id) {
                finding.fate = if ruling.upheld { Fate::Rebutted } else { Fate::Overruled };
                finding.ruling = Some(ruling.why.clone());
            }
        }
    }

    /// Findings the author has yet to answer.
    pub fn to_answer(&self) -> Vec<String> {
        self.ids(|finding| finding.fate.awaits_answer())
    }

    /// Findings whose answer the attacker may show to fail.
    pub fn answered(&self) -> Vec<String> {
        self.ids(|finding| !finding.fate.awaits_answer())
    }

    fn ids(&self, wanted: impl Fn(&Finding) -> bool) -> Vec<String> {
        self.0.iter().filter(|finding| wanted(finding)).map(|finding| finding.id.clone()).collect()
    }

    /// As prompts take them.
    pub fn for_prompt(&self, wanted: impl Fn(&Finding) -> bool) -> Value {
        self.0.iter().filter(|finding| wanted(finding)).map(Finding::for_prompt).collect()
    }

    pub fn worst_first(&self) -> Vec<&Finding> {
        let mut sorted: Vec<&Finding> = self.0.iter().collect();
        sorted.sort_by_key(|finding| finding.flaw.severity);
        sorted
    }

    pub fn counts(&self) -> FateCounts {
        let mut counts = FateCounts::default();
        for finding in &self.0 {
            *match finding.fate {
                Fate::Fixed => &mut counts.fixed,
                Fate::Rebutted => &mut counts.rebutted,
                Fate::Overruled => &mut counts.overruled,
                Fate::Contested => &mut counts.contested,
                Fate::Open => &mut counts.open,
            } += 1;
        }
        counts
    }

    pub fn by_severity(&self, wanted: impl Fn(&Finding) -> bool) -> SeverityCounts {
        let mut counts = SeverityCounts::default();
        for finding in self.0.iter().filter(|finding| wanted(finding)) {
            *match finding.flaw.severity {
                Severity::Critical => &mut counts.critical,
                Severity::High => &mut counts.high,
                Severity::Medium => &mut counts.medium,
                Severity::Low => &mut counts.low,
            } += 1;
        }
        counts
    }

    pub fn unresolved(&self) -> SeverityCounts {
        self.by_severity(|finding| finding.fate.is_unresolved())
    }

    pub fn risk(&self) -> Risk {
        self.0.iter().filter(|finding| finding.fate.is_unresolved()).map(|finding| finding.flaw.severity).min().into()
    }

    /// By the worst severity that is unresolved.
    pub fn hardening(&self) -> HardeningConfidence {
        match self.risk() {
            Risk::None => HardeningConfidence::High,
            Risk::Low | Risk::Medium => HardeningConfidence::Medium,
            Risk::High | Risk::Critical => HardeningConfidence::Low,
        }
    }

    /// Entries of a table, of these findings.
    pub fn entries(&self, bench: &Bench, ids: &[String]) -> Vec<FindingEntry> {
        ids.iter().filter_map(|id| self.get(id)).map(|finding| finding.entry(bench.seat(finding.by).label.clone())).collect()
    }

    pub fn audit_exhibit(&self, bench: &Bench) -> Exhibit {
        let worst: Vec<String> = self.worst_first().iter().map(|finding| finding.id.clone()).collect();
        let none = if worst.is_empty() { "The attacker looked for flaws and found none." } else { "" };
        let data = AuditRow {
            overall_risk: self.risk(),
            findings: self.worst_first().iter().map(|finding| finding.outcome()).collect(),
            fates: self.counts(),
            unresolved: self.unresolved(),
            hardening_confidence: self.hardening(),
        };
        let left = self.worst_first().into_iter().filter(|finding| finding.fate.is_unresolved()).map(Finding::left);
        Exhibit::new("Audit", Shape::Findings(Findings { entries: self.entries(bench, &worst), none: none.into() }))
            .part("Hardening confidence", self.hardening().plain())
            .list("What remains open", left)
            .data(&data)
    }

    /// What to do with the work as it now is.
    pub fn action(&self) -> String {
        let left = self.counts().unresolved();
        match self.worst_first().into_iter().find(|finding| finding.fate.is_unresolved()) {
            Some(worst) if left == 1 => format!("Mend one thing before you use it: {}", worst.left()),
            Some(worst) => format!("Mend {left} things before you use it, first: {}", worst.left()),
            None if self.0.is_empty() => "Use it as it is: the attack found no flaw.".to_owned(),
            None => "Use the hardened version below: every finding was fixed or rightly rebutted.".to_owned(),
        }
    }

    /// What became of the findings, and how far the work is hardened.
    pub fn summary(&self) -> String {
        let FateCounts { fixed, rebutted, overruled, contested, open } = self.counts();
        let fates = [(fixed, "fixed"), (rebutted, "rightly rebutted"), (overruled, "whose rebuttal failed"), (contested, "disputed"), (open, "open")];
        let fates: Vec<String> = fates.into_iter().filter(|(count, _)| *count > 0).map(|(count, fate)| format!("{count} {fate}")).collect();
        let hardening = self.hardening().plain().split(':').next().unwrap_or_default();
        match self.0.len() {
            0 => "0 flaws were found.".to_owned(),
            1 => format!("1 finding: {}; hardening confidence {hardening}.", fates.join(", ")),
            found => format!("{found} findings: {}; hardening confidence {hardening}.", fates.join(", ")),
        }
    }

    /// Who is against what became of a finding: the attacker, where the author's word holds or nobody ruled, else the author.
    pub fn dissent(&self, author: SeatIx) -> Vec<Dissent> {
        let against = |finding: &Finding| {
            let Flaw { title, severity, vulnerability, .. } = &finding.flaw;
            let told = |about: &str, why: &str| format!("{title}{about} ({} {}): {why}", finding.id, severity.as_str().to_lowercase());
            let (seat, text) = match finding.fate {
                Fate::Rebutted | Fate::Contested => (finding.by, told("", vulnerability)),
                Fate::Overruled => (author, told(": no flaw", finding.defence.as_deref().unwrap_or_default())),
                Fate::Open | Fate::Fixed => return None,
            };
            Some(Dissent { seat: Some(seat), label: None, text })
        };
        self.0.iter().filter_map(against).collect()
    }
}
