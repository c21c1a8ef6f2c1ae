//! A card in words: as seats read it, and as readers see it.

use super::card::{Card, Evidence, Risk};
use super::records::{ApprovalState, Check, Receipt};
use synod_types::{Document, Exhibit, Section, Shape};

/// How many of very many a reader is shown: what a row is about is in its data, whole.
pub const SHOWN: usize = 50;

/// The names in a line, or the first of very many.
pub fn names<T: AsRef<str>>(names: &[T]) -> String {
    const NAMED: usize = 12;
    let line = |names: &[T]| names.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join(", ");
    if names.len() > NAMED { format!("{} and {} more", line(&names[..NAMED]), names.len() - NAMED) } else { line(names) }
}

/// "7950 more are not shown here"; nothing where all are.
pub fn not_shown(all: usize) -> Option<String> {
    (all > SHOWN).then(|| format!("{} more are not shown here; the stored row has them all.", all - SHOWN))
}

/// The card as markdown, without its author.
pub fn card_text(card: &Card) -> String {
    let set = |(title, items): (&str, Vec<String>)| match items.as_slice() {
        [] if title == "Evidence" => format!("{title}\nNone is given."),
        [] => format!("{title}\nNone is listed."),
        items => format!("{title}\n{}", items.iter().map(|item| format!("- {item}")).collect::<Vec<_>>().join("\n")),
    };
    let mut parts: Vec<String> = sections(card).into_iter().map(set).collect();
    parts.insert(0, facts(card));
    parts.join("\n\n")
}

/// The card for readers: its figures, then each of its parts as a list.
pub fn card_exhibit(title: impl Into<String>, card: &Card) -> Exhibit {
    sections(card).into_iter().fold(Exhibit::note(title, facts(card)), |exhibit, (title, items)| exhibit.list(title, items))
}

/// All cards of a deliberation, one section each, and the receipts that came with them.
pub fn cards_exhibit(cards: &[Card], receipts: &[Receipt]) -> Exhibit {
    let sections = cards.iter().zip(1..).take(SHOWN).map(|(card, number)| {
        let text = card_text(card);
        Section { number, title: format!("{}: {}", card.id, card.gist()), seat: None, words: crate::text::words(&text), text }
    });
    let document = Document { title: "Positions".into(), sections: sections.collect(), ..Document::default() };
    let unshown = receipts.len().max(cards.len());
    let receipts = receipts.iter().take(SHOWN).map(|receipt| format!("{}: {}", receipt.position_id, receipt_text(receipt).replace('\n', " ")));
    Exhibit::new("Positions", Shape::Document(document)).list("Receipts", receipts).list("Others", not_shown(unshown))
}

/// A receipt in words: its status, every check with what it saw and how to mend it, and what is open.
pub fn receipt_text(receipt: &Receipt) -> String {
    let id = receipt.verification_id.trim();
    let mut lines = vec![format!("{}{}", receipt.status.as_str(), if id.is_empty() { String::new() } else { format!(" ({id})") })];
    lines.extend(receipt.checks_performed.iter().map(check_text));
    for finding in receipt.invariant_compliance.iter().flat_map(|compliance| &compliance.violations) {
        let blocking = if finding.blocking { ", blocking" } else { "" };
        let told =
            [finding.description.trim(), &cure(&finding.remediation)].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
        lines.push(format!("- violates {} ({}{blocking}){}", finding.invariant, finding.severity.as_str(), led(&told)));
    }
    lines.extend(
        receipt.required_approvals.iter().filter(|(_, state)| **state == ApprovalState::Pending).map(|(role, _)| format!("- waits for {role}")),
    );
    lines.join("\n")
}

pub fn check_text(check: &Check) -> String {
    let told = [check.evidence.trim(), &cure(&check.remediation)].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    format!("- {}: {}{}", check.status.as_str(), check.check.trim(), led(&told))
}

fn cure(remediation: &str) -> String {
    match remediation.trim() {
        "" => String::new(),
        cure => format!("To mend it: {cure}"),
    }
}

fn led(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(" ({text})") }
}

fn facts(card: &Card) -> String {
    let mut facts = vec![
        format!("Confidence {}", card.confidence),
        format!("cost {} {}", card.cost, card.cost_unit.as_str()),
        format!("reversibility {}", card.reversibility),
    ];
    if let Some(estimate) = card.cost_estimate {
        facts.push(format!("estimated at {estimate}"));
    }
    if card.irreversible_data_change == Some(true) {
        facts.push("changes data for good".into());
    }
    if !card.regulatory.is_empty() {
        facts.push(format!("needs a sign-off for {}", card.regulatory.join(", ")));
    }
    facts.join(", ") + "."
}

fn sections(card: &Card) -> Vec<(&'static str, Vec<String>)> {
    let plan = card.plan.iter().map(|step| match step.rationale.trim() {
        "" => step.action.trim().to_owned(),
        why => format!("{} ({why})", step.action.trim()),
    });
    let mut out = vec![
        ("Claims", card.claims.iter().map(|claim| claim.trim().to_owned()).collect()),
        ("Plan, step by step", plan.collect()),
        ("Evidence", card.evidence.iter().map(evidence).collect()),
        ("Risks", card.risks.iter().map(risk).collect()),
    ];
    if !card.invariant_violations.is_empty() {
        let broken = card.invariant_violations.iter().map(|broken| {
            let hard = if broken.requires_approval { "" } else { " (hard)" };
            format!("{}{hard}: {} {}", broken.invariant_id, broken.description.trim(), broken.justification.trim())
        });
        out.push(("Invariants it breaks", broken.collect()));
    }
    out
}

fn evidence(evidence: &Evidence) -> String {
    let kind = evidence.kind.as_str().replace('_', " ");
    let checked = match &evidence.checked {
        None => String::new(),
        Some(check) if check.not_looked_up => format!(" [counts half: {}]", check.found),
        Some(check) if check.valid => format!(" [found: {}]", check.found),
        Some(check) => format!(" [leads nowhere, counts as 0: {}]", check.found),
    };
    let output = if evidence.output.trim().is_empty() { "" } else { ", with its output" };
    format!("{kind}, quality {}: {}{output}{checked}", evidence.quality, evidence.pointer.trim())
}

pub fn risk(risk: &Risk) -> String {
    let left = risk.residual_risk.map_or_else(|| "all of it left".to_owned(), |left| format!("{left} left"));
    let mitigation = match risk.mitigation.trim() {
        "" => "no mitigation".to_owned(),
        text => format!("mitigation: {text}"),
    };
    format!("{}: {} ({mitigation}; {left})", risk.severity.as_str(), risk.description.trim())
}
