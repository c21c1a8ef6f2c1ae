//! All findings of the panel with everybody's stance on them: where the specialists meet, and where they contradict each other.

use super::cross_review::{CrossReview, StanceKind};
use super::rows::{ConvergenceRow, FindingSupport};
use super::specialist::Specialist;
use synod_math::{Reception, Support, convergence};
use synod_types::{Dissent, Exhibit, FindingEntry, Findings, SeatIx, Shape};

/// A finding and the others' stances on it.
pub struct PanelFinding {
    pub id: String,
    pub text: String,
    /// The title of the role that found it.
    pub by: String,
    pub support: Support,
    /// In seat order.
    stances: Vec<RoleStance>,
}

/// The stance of one role on a finding.
struct RoleStance {
    seat: SeatIx,
    /// The role's title.
    title: String,
    kind: StanceKind,
    why: String,
}

impl PanelFinding {
    pub fn reception(&self) -> Reception {
        self.support.reception()
    }

    /// The titles of those with this stance.
    fn titles(&self, kind: StanceKind) -> Vec<String> {
        self.stances.iter().filter(|stance| stance.kind == kind).map(|stance| stance.title.clone()).collect()
    }

    fn fate(&self) -> String {
        let names = [(StanceKind::Disagree, "disputed by"), (StanceKind::Agree, "agreed by"), (StanceKind::Extend, "extended by")];
        let parts: Vec<String> = names
            .iter()
            .map(|(kind, name)| (name, self.titles(*kind)))
            .filter(|(_, titles)| !titles.is_empty())
            .map(|(name, titles)| format!("{name} {}", titles.join(", ")))
            .collect();
        if parts.is_empty() { "nobody else spoke to it".into() } else { parts.join("; ") }
    }

    /// As a line for prompts and reports: what, whose, and who says what.
    pub fn line(&self) -> String {
        let whys = self.stances.iter().map(|stance| format!("\n  - {} ({}): {}", stance.title, stance.kind.as_str(), stance.why));
        format!("- {} ({}): {}{}", self.id, self.by, self.text, whys.collect::<String>())
    }
}

/// Every finding of every report, with the stances the reviews took. Reviews are by index into `specialists`.
pub fn with_stances(specialists: &[Specialist], reviews: &[(usize, &CrossReview)]) -> Vec<PanelFinding> {
    let mut findings: Vec<PanelFinding> = Vec::new();
    let mut authors = Vec::new();
    for (author, specialist) in specialists.iter().enumerate() {
        for (id, text) in specialist.findings() {
            authors.push(author);
            let by = specialist.role.title.clone();
            findings.push(PanelFinding { id, text: text.to_owned(), by, support: Support::default(), stances: Vec::new() });
        }
    }
    let place = |id: &str| findings.iter().position(|finding| finding.id == id);
    let taken: Vec<_> = reviews
        .iter()
        .flat_map(|(reader, review)| review.stances.iter().filter_map(|stance| place(&stance.id).map(|at| (at, *reader, stance))))
        .collect();
    let counted: Vec<_> = taken.iter().map(|(at, reader, stance)| (*at, *reader, stance.stance.stance())).collect();
    for (finding, support) in findings.iter_mut().zip(convergence(&authors, &counted)) {
        finding.support = support;
    }
    for (at, reader, stance) in taken {
        let Specialist { seat, role, .. } = &specialists[reader];
        let finding = &mut findings[at];
        // Only a reader's first stance on a finding counts, so only that one is shown.
        if authors[at] != reader && !finding.stances.iter().any(|other| other.seat == *seat) {
            finding.stances.push(RoleStance { seat: *seat, title: role.title.clone(), kind: stance.stance, why: stance.why.clone() });
        }
    }
    findings
}

/// How many findings were received so. `None` where nobody answered the others' findings: silence then says nothing.
pub fn count(findings: &[PanelFinding], reception: Reception, answered: usize) -> Option<u32> {
    (answered > 0).then(|| findings.iter().filter(|finding| finding.reception() == reception).count() as u32)
}

/// The lines of the findings received so.
pub fn lines(findings: &[PanelFinding], reception: Reception) -> Vec<String> {
    findings.iter().filter(|finding| finding.reception() == reception).map(PanelFinding::line).collect()
}

/// Contradictions first: they are what a reader must decide on.
pub fn exhibit(findings: &[PanelFinding], answered: usize) -> Exhibit {
    let order = [Reception::Divergent, Reception::Convergent, Reception::Alone];
    let sorted: Vec<&PanelFinding> = order.iter().flat_map(|reception| findings.iter().filter(|finding| finding.reception() == *reception)).collect();
    let reply = |stance: &RoleStance| format!("{} ({}): {}", stance.title, stance.kind.as_str(), stance.why);
    let entry = |finding: &&PanelFinding| FindingEntry {
        id: finding.id.clone(),
        title: finding.text.clone(),
        severity: finding.reception().as_str().to_owned(),
        by: vec![finding.by.clone()],
        fate: finding.fate(),
        reply: finding.stances.iter().map(reply).collect::<Vec<_>>().join("\n\n"),
        ..FindingEntry::default()
    };
    let support = |finding: &&PanelFinding| FindingSupport {
        id: finding.id.clone(),
        by: finding.by.clone(),
        finding: finding.text.clone(),
        reception: finding.reception().as_str(),
        agree: finding.titles(StanceKind::Agree),
        extend: finding.titles(StanceKind::Extend),
        disagree: finding.titles(StanceKind::Disagree),
    };
    let data = ConvergenceRow {
        findings: sorted.iter().map(support).collect(),
        convergent_finding_count: count(findings, Reception::Convergent, answered),
        divergent_finding_count: count(findings, Reception::Divergent, answered),
    };
    let shape = Findings { entries: sorted.iter().map(entry).collect(), none: String::new() };
    Exhibit::new("Findings and who stands behind them", Shape::Findings(shape)).data(&data)
}

/// Every objection that was raised, under the finding it speaks against.
pub fn dissent(findings: &[PanelFinding]) -> Vec<Dissent> {
    let against = |finding: &PanelFinding| {
        let objections = finding.stances.iter().filter(|stance| stance.kind == StanceKind::Disagree);
        let text = |stance: &RoleStance| format!("{} (against {}: {})", stance.why.trim(), finding.id, finding.text);
        let dissent = |stance: &RoleStance| Dissent { seat: Some(stance.seat), label: None, text: text(stance) };
        objections.map(dissent).collect::<Vec<_>>()
    };
    findings.iter().flat_map(against).collect()
}

/// Finding ids a text cites: `S1.2` as a word of its own, each once, in order of mention.
pub fn citations(text: &str) -> Vec<String> {
    let is_id = |word: &&str| {
        let digits = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
        word.strip_prefix('S').and_then(|rest| rest.split_once('.')).is_some_and(|(number, k)| digits(number) && digits(k))
    };
    let mut cited: Vec<String> = Vec::new();
    for word in text.split(|c: char| !(c.is_alphanumeric() || c == '.')).map(|word| word.trim_matches('.')).filter(is_id) {
        if !cited.iter().any(|other| other == word) {
            cited.push(word.to_owned());
        }
    }
    cited
}
