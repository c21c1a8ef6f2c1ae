//! The first lines of a verdict: what to do, what was decided and by how many, who disagrees, what is missing, how sure, what it cost.
//!
//! Twelve lines at eighty columns, whatever the verdict holds. What is cut here stands whole further down.

use super::{confidence, decision, glance, label, listed, missing, receipt_cost, seat, status_meaning, status_word, stop_reason};
use crate::figures::span;
use crate::markup::without_marks;
use crate::text::{clean, excerpt, one_line};
use crate::view::View;
use synod_types::{Dissent, Status, Verdict};

pub struct Top {
    pub action: String,
    pub lines: Vec<TopLine>,
    /// Not all that is missing is named here.
    pub more_missing: bool,
    /// Not all of what others say is here.
    pub more_dissent: bool,
}

pub struct TopLine {
    pub name: &'static str,
    pub text: String,
    /// What a reader must not miss.
    pub alarm: bool,
}

/// Characters that take so many lines of eighty columns at most, beside a name or alone.
const ACTION: usize = 220;
const ONE_LINE: usize = 66;
const TWO_LINES: usize = 128;
/// Dissenting voices with a line of their own.
const VOICES: usize = 3;

pub fn top(view: &View, verdict: &Verdict) -> Top {
    let mark = "…";
    let action = match (&verdict.action, &verdict.answer) {
        (Some(action), _) => action.clone(),
        (None, Some(answer)) => answer.opening().unwrap_or_default(),
        (None, None) => format!("No answer: {}.", status_meaning(verdict.status)),
    };
    let mut lines = Vec::new();
    let mut add = |name, text: &str, most, alarm| lines.push(TopLine { name, text: excerpt(text, most, mark), alarm });
    let decided = verdict.summary().map(one_line).or_else(|| verdict.decision.as_ref().map(decision)).filter(|text| !text.is_empty());
    if let Some(decided) = decided {
        add("Decided", &decided, TWO_LINES, false);
    }
    let voices = if verdict.dissent.len() > VOICES { VOICES - 1 } else { VOICES };
    for each in verdict.dissent.iter().take(voices) {
        add("Against", &format!("{}: {}", dissenter(view, each), glance(&each.text, 300, mark)), ONE_LINE, false);
    }
    let unheard: Vec<String> = verdict.dissent.iter().skip(voices).map(|each| dissenter(view, each)).collect();
    if !unheard.is_empty() {
        add("Against", &format!("and {}", listed(&unheard)), ONE_LINE, false);
    }
    let lacking = lacking(verdict);
    if let Some(lacking) = &lacking {
        add(status_word(verdict.status), lacking, TWO_LINES, true);
    }
    match (&verdict.confidence, &verdict.unsure) {
        (Some(given), _) => add("Sure", &confidence(given), TWO_LINES, false),
        (None, Some(why)) => add("Sure", &format!("no number: {}", one_line(why)), ONE_LINE, false),
        (None, None) => add("Sure", "no number: nothing was measured", ONE_LINE, false),
    }
    add("Cost", &format!("{}, in {}", receipt_cost(&verdict.receipt), span(verdict.receipt.wall_ms)), ONE_LINE, false);
    let cut = |text: &str, most: usize| text.chars().count() > most;
    Top {
        action: excerpt(&without_marks(&clean(&action)), ACTION, mark),
        lines,
        more_missing: lacking.is_some_and(|text| cut(&text, TWO_LINES)),
        more_dissent: !unheard.is_empty() || verdict.dissent.iter().any(|each| cut(&one_line(&each.text), ONE_LINE - 24)),
    }
}

pub fn dissenter(view: &View, dissent: &Dissent) -> String {
    dissent.label.as_ref().map_or_else(|| seat(view, dissent.seat), |name| label(view, name))
}

/// Why the status is not `full`, with whoever is missing in the same sentence.
fn lacking(verdict: &Verdict) -> Option<String> {
    let names: Vec<String> = verdict.missing.iter().map(missing).collect();
    match verdict.status {
        Status::Full => None,
        Status::Degraded if !names.is_empty() => Some(format!("stands without {}", names.join("; without "))),
        Status::Degraded => {
            Some(format!("stands, but {}", stop_reason(verdict).unwrap_or_else(|| "not all went as the protocol wants it".to_owned())))
        }
        Status::Deadlock | Status::Escalated | Status::NoQuorum | Status::Failed => {
            let without = if names.is_empty() { String::new() } else { format!("; without {}", names.join("; without ")) };
            Some(format!("{}{without}", status_meaning(verdict.status)))
        }
    }
}
