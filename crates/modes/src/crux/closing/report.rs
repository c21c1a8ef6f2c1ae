//! The answer as a reader gets it: the cruxes first, then the record, then who moved.

use super::Conclusion;
use super::record::{EvidenceReview, Side, Summary};
use crate::crux::PersonaShift;
use crate::crux::room::card::Card;
use crate::crux::speech::names::find_person;
use crate::crux::state::DebateState;
use std::fmt::Write;
use synod_types::SeatIx;

/// The whole answer. A model wrote the record; the rest is put together from what was said.
pub fn answer_text(debate: &DebateState, conclusion: &Conclusion) -> String {
    let mut out = headline(debate);
    // A name alone says nothing to whoever was not there.
    let table: Vec<String> = debate.cast.personas().map(|(_, persona)| format!("{}, {}", persona.name, flat(&persona.handle))).collect();
    let _ = write!(out, "At the table: {}.\n\n", table.join("; "));
    for card in &debate.cards {
        out.push_str(&card_text(card));
    }
    out.push_str(&not_gone_into(debate));
    if let Some(summary) = &conclusion.summary {
        out.push_str(&record_text(debate, &summary.value));
    }
    let shifts = shifts_text(&conclusion.shifts);
    if !shifts.is_empty() {
        let _ = write!(out, "### Who moved\n\n{shifts}\n");
    }
    if conclusion.summary.is_none() {
        out.push_str(&last_words(debate));
    }
    out.trim_end().to_owned()
}

fn headline(debate: &DebateState) -> String {
    let open = debate.cards.iter().filter(|card| !card.resolved).count();
    match (debate.cards.len(), open) {
        (0, _) if !debate.contradictions.is_empty() => {
            let questions: Vec<String> = debate.contradictions.iter().map(|question| flat(question)).collect();
            format!("Two of them contradicted each other, and no room was held for it: {}\n\n", questions.join(" "))
        }
        (0, _) if debate.detection_failed || debate.closed => {
            "It is not known whether any two of them contradict each other: nobody could look into it.\n\n".to_owned()
        }
        (0, _) => "No two of them contradicted each other on one claim, so no crux was found.\n\n".to_owned(),
        (1, 1) => "The disagreement comes down to one question, and it stays open.\n\n".to_owned(),
        (1, _) => "The disagreement came down to one question, and they settled it.\n\n".to_owned(),
        (2, 0) => "The disagreement came down to two questions, and they settled both.\n\n".to_owned(),
        (2, 2) => "The disagreement comes down to two questions, and both stay open.\n\n".to_owned(),
        (all, 0) => format!("The disagreement came down to {all} questions, and they settled them all.\n\n"),
        (all, open) if all == open => format!("The disagreement comes down to {all} questions, and all of them stay open.\n\n"),
        (all, 1) => format!("The disagreement comes down to {all} questions; one of them stays open.\n\n"),
        (all, open) => format!("The disagreement comes down to {all} questions; {open} of them stay open.\n\n"),
    }
}

/// Contradictions for which there was no room, beside those that had one.
fn not_gone_into(debate: &DebateState) -> String {
    let left = debate.contradictions.iter().filter(|question| !debate.cards.is_empty() && !debate.had_room(question));
    let left: Vec<String> = left.map(|question| flat(question)).collect();
    if left.is_empty() { String::new() } else { format!("Contradicted as well, and not gone into: {}\n\n", left.join(" ")) }
}

fn card_text(card: &Card) -> String {
    let mut out = format!("### {}\n\n", flat(&card.question));
    if card.resolved {
        let _ = write!(out, "Settled. ");
    } else {
        let _ = write!(out, "Open. They differ over {}; it could be settled by {}. ", card.kind.plain(), card.kind.settled_by());
    }
    let weak = if card.weak { " Both give the same answer, so this may not be where they part." } else { "" };
    let _ = write!(out, "{}{weak}\n\n", sentence(&card.diagnosis));
    for position in &card.positions {
        let falsifier = match (&position.falsifier, card.fallback) {
            (Some(text), _) => format!(" Would be proved wrong by: {}", flat(text)),
            (None, false) => " Named nothing that would prove them wrong.".to_owned(),
            (None, true) => String::new(),
        };
        let _ = writeln!(out, "- **{}: {}.** {}{falsifier}", position.name, position.stance.as_str(), sentence(&position.told()));
    }
    if let Some(resolution) = &card.resolution {
        let _ = writeln!(out, "\nThey settled on: {}", flat(resolution));
    }
    if let Some(proposed) = &card.proposed {
        let _ = writeln!(out, "\nPut forward as a settlement, not shared by both: {}", flat(proposed));
    }
    out.push('\n');
    out
}

/// The written record: claims with where everybody stands and why, agreements, what each made of the others' evidence, what would change minds,
/// what would settle it.
pub fn record_text(debate: &DebateState, summary: &Summary) -> String {
    let names = debate.cast.names();
    let mut out = String::new();
    if !summary.claims.is_empty() {
        out.push_str("### What was claimed\n\n");
        for claim in &summary.claims {
            let _ = writeln!(out, "- {}", flat(&claim.claim));
            for (seat, name) in &names {
                // If somebody is named twice, the first stance counts.
                if let Some(stance) = claim.stances.iter().find(|stance| find_person(&stance.persona, &names) == Some(*seat)) {
                    let _ = writeln!(out, "  - {name} {}{}", Side::of(&stance.position).as_str(), led(": ", &stance.reasoning));
                }
            }
        }
        out.push('\n');
    }
    let mut list = |title: &str, items: Vec<String>| {
        if !items.is_empty() {
            let _ = writeln!(out, "### {title}\n");
            for item in items {
                let _ = writeln!(out, "- {item}");
            }
            out.push('\n');
        }
    };
    let trimmed = |items: &[String]| items.iter().map(|item| flat(item)).filter(|item| !item.is_empty()).collect::<Vec<_>>();
    list("What they agree on", trimmed(&summary.agreements));
    list("What they made of each other's evidence", ledger(&summary.evidence_ledger, &names));
    let flips = summary.flip_conditions.iter().filter_map(|flips| {
        let who = debate.cast.name(find_person(&flips.persona, &names)?);
        (!flips.conditions.is_empty()).then(|| format!("{who}: {}", trimmed(&flips.conditions).join("; ")))
    });
    list("What would change their minds", flips.collect());
    list("How it could be settled", trimmed(&summary.resolution_paths));
    out
}

/// A line for each piece of evidence that somebody accepted or challenged.
fn ledger(reviews: &[EvidenceReview], names: &[(SeatIx, &str)]) -> Vec<String> {
    let mut lines = Vec::new();
    for (seat, name) in names {
        for review in reviews.iter().filter(|review| find_person(&review.persona, names) == Some(*seat)) {
            for (did, items) in [("accepts", &review.accepted), ("challenges", &review.challenged)] {
                let told = items.iter().filter(|item| !item.claim.trim().is_empty());
                lines.extend(told.map(|item| format!("{name} {did}: {}{}", flat(&item.claim), led(" Because: ", &item.reason))));
            }
        }
    }
    lines
}

/// The text on one line, with a full stop where it ends with no mark of its own.
fn sentence(text: &str) -> String {
    let text = flat(text);
    let open = text.chars().next_back().is_some_and(|last| last.is_alphanumeric() || ")’”\"'".contains(last));
    if open { format!("{text}.") } else { text }
}

/// The text behind its lead; nothing where it is blank.
fn led(lead: &str, text: &str) -> String {
    let text = flat(text);
    if text.is_empty() { text } else { format!("{lead}{text}") }
}

/// A model's words on one line: a line break in them would end the heading or the list item.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn shifts_text(shifts: &[PersonaShift]) -> String {
    let line = |shift: &PersonaShift| {
        let how = match shift.shifted {
            Some(true) => "moved",
            Some(false) => "stayed",
            None => "not assessed",
        };
        let summary = if shift.shifted.is_some() && !shift.summary.is_empty() { format!(": {}", flat(&shift.summary)) } else { String::new() };
        format!("- {} {how}{summary}\n", shift.persona)
    };
    shifts.iter().map(line).collect()
}

/// Each persona's last message, shown when there is no record.
fn last_words(debate: &DebateState) -> String {
    let mut out = "### Their last words\n\n".to_owned();
    for (seat, name) in debate.cast.names() {
        if let Some(message) = debate.messages.iter().rev().find(|message| message.seat == seat) {
            let _ = writeln!(out, "- {name}: {}", flat(&message.text));
        }
    }
    out
}
