//! The answer as a reader gets it: the cruxes first, then who moved, what is shared, and how the rest could be settled.

use super::card::Card;
use super::closing::{Conclusion, Moved, Side, Summary};
use super::debate::Debate;
use super::names::meant;
use std::fmt::Write;

/// The whole answer. Only the record is a model's; the rest is put together from what was said.
pub fn text(debate: &Debate, conclusion: &Conclusion) -> String {
    let mut out = headline(debate);
    for card in &debate.cards {
        out.push_str(&crux(card));
    }
    if let Some(summary) = &conclusion.summary {
        out.push_str(&record(debate, &summary.value));
    }
    let moved = moves(debate, &conclusion.moves);
    if !moved.is_empty() {
        let _ = write!(out, "### Who moved\n\n{moved}\n");
    }
    if conclusion.summary.is_none() {
        out.push_str(&last_words(debate));
    }
    out.trim_end().to_owned()
}

fn headline(debate: &Debate) -> String {
    let open = debate.cards.iter().filter(|card| !card.resolved).count();
    match (debate.cards.len(), open) {
        (0, _) if !debate.seen.is_empty() => {
            let seen: Vec<String> = debate.seen.iter().map(|question| flat(question)).collect();
            format!("Two of them contradicted each other, and no room was held for it: {}\n\n", seen.join(" "))
        }
        (0, _) if debate.unheard || debate.closed => {
            "It is not known whether any two of them contradict each other: nobody could look into it.\n\n".to_owned()
        }
        (0, _) => "No two of them contradicted each other on one claim, so no crux was found.\n\n".to_owned(),
        (1, 1) => "The disagreement comes down to one question, and it stays open.\n\n".to_owned(),
        (1, _) => "The disagreement came down to one question, and they settled it.\n\n".to_owned(),
        (all, 0) => format!("The disagreement came down to {all} questions, and they settled them all.\n\n"),
        (all, open) if all == open => format!("The disagreement comes down to {all} questions, and all of them stay open.\n\n"),
        (all, 1) => format!("The disagreement comes down to {all} questions; one of them stays open.\n\n"),
        (all, open) => format!("The disagreement comes down to {all} questions; {open} of them stay open.\n\n"),
    }
}

fn crux(card: &Card) -> String {
    let state = if card.resolved { "resolved" } else { "open" };
    let weak = if card.weak { " Both give the same answer, so this may not be where they part." } else { "" };
    let mut out = format!("### {}\n\nA disagreement of {} ({state}). {}{weak}\n\n", flat(&card.question), card.kind.as_str(), flat(&card.diagnosis));
    for position in &card.positions {
        let falsifier = position.falsifier.as_ref().map(|text| format!(" Would be proved wrong by: {}", flat(text))).unwrap_or_default();
        let _ = writeln!(out, "- **{}: {}.** {}{falsifier}", position.name, position.stance.as_str(), flat(&position.reasoning));
    }
    if let Some(resolution) = &card.resolution {
        let _ = writeln!(out, "\nThey settled on: {}", flat(resolution));
    }
    out.push('\n');
    out
}

/// The written record: claims, agreements, what would change minds, what would settle it.
pub fn record(debate: &Debate, summary: &Summary) -> String {
    let names = debate.cast.names();
    let mut out = String::new();
    if !summary.claims.is_empty() {
        out.push_str("### What was claimed\n\n");
        for claim in &summary.claims {
            // Whoever is named twice is taken at the first word.
            let stance_of = |seat| claim.stances.iter().find(|stance| meant(&stance.persona, &names) == Some(seat));
            let stances: Vec<String> =
                names.iter().filter_map(|(seat, name)| Some(format!("{name} {}", Side::of(&stance_of(*seat)?.position).as_str()))).collect();
            let stances = if stances.is_empty() { String::new() } else { format!(" ({})", stances.join(", ")) };
            let _ = writeln!(out, "- {}{stances}", flat(&claim.claim));
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
    list("What nobody disputes", trimmed(&summary.agreements));
    let flips = summary.flip_conditions.iter().filter_map(|flips| {
        let who = debate.cast.name(meant(&flips.persona, &names)?);
        (!flips.conditions.is_empty()).then(|| format!("{who}: {}", trimmed(&flips.conditions).join("; ")))
    });
    list("What would change their minds", flips.collect());
    list("How it could be settled", trimmed(&summary.resolution_paths));
    out
}

/// A model's words on one line: a break in them would end the heading or the list they stand in.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn moves(debate: &Debate, moves: &[Moved]) -> String {
    let line = |each: &Moved| {
        let how = match each.shifted {
            Some(true) => "moved",
            Some(false) => "stayed",
            None => "not assessed",
        };
        let summary = if each.shifted.is_some() && !each.summary.is_empty() { format!(": {}", flat(&each.summary)) } else { String::new() };
        format!("- {} {how}{summary}\n", debate.cast.name(each.seat))
    };
    moves.iter().map(line).collect()
}

/// Each one's last message, for want of a record.
fn last_words(debate: &Debate) -> String {
    let mut out = "### Their last words\n\n".to_owned();
    for (seat, name) in debate.cast.names() {
        if let Some(message) = debate.messages.iter().rev().find(|message| message.seat == seat) {
            let _ = writeln!(out, "- {name}: {}", flat(&message.text));
        }
    }
    out
}
