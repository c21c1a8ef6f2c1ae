//! A crux card, and who moved.

use super::{flagged, soft, words_of};
use crate::html::safe::esc;
use crate::words;
use synod_types::{CardPosition, CruxCard, Shift, Shifts};

pub fn card(card: &CruxCard) -> String {
    let weak = if card.weak { format!("<p>{}</p>", flagged(words::WEAK, true)) } else { String::new() };
    let resolution = match words_of(&card.resolution) {
        none if none.is_empty() => none,
        words => format!("<p class=\"soft\">They settled on:</p>{words}"),
    };
    format!(
        "<p class=\"question\">{}</p>{}{weak}{}<div class=\"cards\">{}</div>{resolution}",
        esc(&card.question),
        soft(&words::card_state(card)),
        words_of(&card.diagnosis),
        card.positions.iter().map(position).collect::<String>()
    )
}

fn position(position: &CardPosition) -> String {
    let falsifier = match words_of(&position.falsifier) {
        none if none.is_empty() => none,
        words => format!("<p class=\"soft\">Would be proved wrong by:</p>{words}"),
    };
    let quotes: String = position
        .quotes
        .iter()
        .map(|quote| {
            let note = flagged(&words::card_quote(quote), quote.found_in.is_none());
            format!("<blockquote>{}<footer>{note}</footer></blockquote>", esc(&quote.text))
        })
        .collect();
    format!("<article class=\"card\"><h5>{}</h5>{}{falsifier}{quotes}</article>", esc(&words::card_stance(position)), words_of(&position.reasoning))
}

pub fn shifts(shifts: &Shifts) -> String {
    if shifts.entries.is_empty() {
        return "<p>Nobody's position could be compared.</p>".to_owned();
    }
    format!("<ul class=\"shifts\">{}</ul>", shifts.entries.iter().map(shift).collect::<String>())
}

fn shift(shift: &Shift) -> String {
    let sign = match shift.moved {
        Some(true) => "→",
        Some(false) => "=",
        None => "?",
    };
    let head = format!("<span class=\"arrow\" aria-hidden=\"true\">{sign}</span> <b>{}</b> {}", esc(&shift.name), words::moved(shift));
    let summary = if shift.moved.is_some() { words::led(": ", &crate::text::one_line(&shift.summary)) } else { String::new() };
    let side = |name: &str, text: &str| if text.trim().is_empty() { String::new() } else { format!("<dt>{name}</dt><dd>{}</dd>", words_of(text)) };
    let both = format!("{}{}", side("At first", &shift.before), side("At the end", &shift.after));
    match both.is_empty() {
        true => format!("<li>{head}{}</li>", esc(&summary)),
        false => format!("<li><details><summary>{head}{}</summary><dl class=\"facts\">{both}</dl></details></li>", esc(&summary)),
    }
}
