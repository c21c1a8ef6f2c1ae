//! What is said of shifts and cards in every medium.

use super::led;
use crate::text::one_line;
use crate::view::View;
use synod_types::{CardPosition, CardQuote, CruxCard, SeatIx, Shift};

/// A speaker as the others at the table call them: the persona, where there is one.
pub fn called(view: &View, seat: SeatIx) -> String {
    let persona = view.header.as_ref().and_then(|header| header.seat(seat)).and_then(|seat| seat.persona.as_deref());
    persona.map_or_else(|| super::seat(view, seat), one_line)
}

/// Whom a statement answers.
pub fn answered(view: &View, label: &str) -> String {
    view.author(label).map_or_else(|| one_line(label), |seat| called(view, seat))
}

/// How somebody moved, in a word.
pub fn moved(shift: &Shift) -> &'static str {
    match shift.moved {
        Some(true) => "moved",
        Some(false) => "stayed",
        None => "not assessed",
    }
}

/// `premise, open; could be settled by evidence on the assumption`.
pub fn card_state(card: &CruxCard) -> String {
    let state = if card.resolved { "resolved" } else { "open" };
    let settled = if card.resolved { String::new() } else { led("; could be settled by ", &one_line(&card.settled_by)) };
    format!("{}, {state}{settled}", one_line(&card.disagreement))
}

pub const WEAK: &str = "Both give the same answer, so this may not be where they part.";

/// `Ingrid Solheim: YES`.
pub fn card_stance(position: &CardPosition) -> String {
    format!("{}: {}", one_line(&position.name), one_line(&position.stance))
}

/// Where a quotation was found, or that it was not.
pub fn card_quote(quote: &CardQuote) -> String {
    match &quote.found_in {
        Some(id) => format!("said so in {}", one_line(id)),
        None => "not found in what was said".to_owned(),
    }
}
