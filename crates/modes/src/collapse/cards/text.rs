//! A card in words: as seats read it, and as readers see it.

use super::card::{Card, Evidence, EvidenceKind, Risk};
use synod_types::{Document, Exhibit, Section, Shape};

/// The card as markdown, without its author.
pub fn card_text(card: &Card) -> String {
    let mut parts: Vec<String> = sections(card).into_iter().map(|(title, text)| format!("{title}\n{text}")).collect();
    parts.insert(0, facts(card));
    parts.join("\n\n")
}

pub fn card_exhibit(title: impl Into<String>, card: &Card) -> Exhibit {
    let sections = sections(card).into_iter().zip(1..).map(|((title, text), number)| {
        let words = crate::text::words(&text);
        Section { number, title: title.to_owned(), seat: None, text, words }
    });
    let document = Document { title: card.gist().to_owned(), front: facts(card), sections: sections.collect(), todos: Vec::new() };
    Exhibit::new(title, Shape::Document(document))
}

/// All cards of a deliberation, one section each.
pub fn cards_exhibit(cards: &[Card]) -> Exhibit {
    let sections = cards.iter().zip(1..).map(|(card, number)| {
        let text = card_text(card);
        Section { number, title: format!("{}: {}", card.id, card.gist()), seat: None, words: crate::text::words(&text), text }
    });
    let document = Document { title: "Positions".into(), sections: sections.collect(), ..Document::default() };
    Exhibit::new("Positions", Shape::Document(document))
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

fn sections(card: &Card) -> Vec<(&'static str, String)> {
    let list = |items: Vec<String>| items.iter().map(|item| format!("- {item}")).collect::<Vec<_>>().join("\n");
    let plan = card.plan.iter().zip(1..).map(|(step, n)| match step.rationale.trim() {
        "" => format!("{n}. {}", step.action.trim()),
        why => format!("{n}. {} ({why})", step.action.trim()),
    });
    let none = |text: String, none: &str| if text.is_empty() { none.to_owned() } else { text };
    let mut out = vec![
        ("Claims", list(card.claims.iter().map(|claim| claim.trim().to_owned()).collect())),
        ("Plan", plan.collect::<Vec<_>>().join("\n")),
        ("Evidence", none(list(card.evidence.iter().map(evidence).collect()), "None is given.")),
        ("Risks", none(list(card.risks.iter().map(risk).collect()), "None is listed.")),
    ];
    if !card.invariant_violations.is_empty() {
        let broken = card.invariant_violations.iter().map(|broken| {
            let hard = if broken.requires_approval { "" } else { " (hard)" };
            format!("{}{hard}: {} {}", broken.invariant_id, broken.description.trim(), broken.justification.trim())
        });
        out.push(("Invariants it breaks", list(broken.collect())));
    }
    out
}

fn evidence(evidence: &Evidence) -> String {
    let kind = match evidence.kind {
        EvidenceKind::Document => "document",
        EvidenceKind::Test => "test",
        EvidenceKind::Measurement => "measurement",
        EvidenceKind::ExpertReview => "expert review",
    };
    let checked = match &evidence.checked {
        None => String::new(),
        Some(check) if check.not_looked_up => " [not looked up, counts half]".to_owned(),
        Some(check) if check.valid => format!(" [found: {}]", check.found),
        Some(check) => format!(" [leads nowhere, counts as 0: {}]", check.found),
    };
    format!("{kind}, quality {}: {}{checked}", evidence.quality, evidence.pointer.trim())
}

pub fn risk(risk: &Risk) -> String {
    let left = risk.residual_risk.map_or_else(|| "all of it left".to_owned(), |left| format!("{left} left"));
    let mitigation = match risk.mitigation.trim() {
        "" => "no mitigation".to_owned(),
        text => format!("mitigation: {text}"),
    };
    format!("{}: {} ({mitigation}; {left})", risk.severity.as_str(), risk.description.trim())
}
