//! The sentences every medium uses, so that terminal, markdown and page say the same thing in the same words.
//!
//! Gives clean text without markup; escaping is each medium's own.

pub mod commands;
mod exhibit;
mod phrases;
pub mod top;

use crate::figures::{count, score, several, span, tokens, usd, usd_or_unknown};
use crate::markup::without_marks;
use crate::text::{clean, excerpt, one_line};
use crate::view::{Phase, Turn, View};
use serde_json::Value;
use synod_types::{
    Absent, Answer, AnswerKind, Confidence, ConfidenceSource, Failure, Figure, Header, Missing, Place, Receipt, RunState, SeatIx, Status, StopReason,
    Usage, Verdict,
};

pub use exhibit::*;
pub use phrases::*;

pub const REHEARSAL: &str = "Rehearsal: built-in voices, not models. Nothing here is advice.";

pub fn seat(view: &View, seat: SeatIx) -> String {
    one_line(&view.seat(seat))
}

/// `a`, `a and b`, `a, b and c`.
pub fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// The first words of something said, for a glance.
pub fn glance(markdown: &str, most: usize, mark: &str) -> String {
    excerpt(&without_marks(&clean(markdown)), most, mark)
}

/// A label with its author: `K3 (opus)`.
pub fn label(view: &View, label: &str) -> String {
    let clean = one_line(label);
    match view.author(label) {
        Some(author) => format!("{clean} ({})", seat(view, author)),
        None => clean,
    }
}

/// Who sits, in seating order: `3 seats: opus, gpt and qwen; chair: opus 2`.
pub fn panel(header: &Header) -> String {
    let names: Vec<String> = header.panel().map(|seat| one_line(&seat.label)).collect();
    let mut out = match names.len() {
        0 => "nobody on the panel".to_owned(),
        n => format!("{}: {}", several(n as u64, "seat", "seats"), listed(&names)),
    };
    for seat in header.seats.iter().filter(|seat| matches!(seat.place, Place::Chair | Place::Role)) {
        let name = one_line(&seat.label);
        match roles(header, seat.index) {
            held if held.is_empty() => out.push_str(&format!("; chair: {name}")),
            // A seat labelled by its role says it once.
            held if held.iter().any(|role| name.starts_with(&format!("{role} ("))) => out.push_str(&format!("; {name}")),
            held => out.push_str(&format!("; {}: {name}", held.join(", "))),
        }
    }
    out
}

/// The roles a seat holds, by name.
pub fn roles(header: &Header, seat: SeatIx) -> Vec<String> {
    header.roles.iter().filter(|(_, seats)| seats.contains(&seat)).map(|(role, _)| one_line(role)).collect()
}

pub fn answer_kind(view: &View, answer: &Answer) -> String {
    let by = listed(&answer.by.iter().map(|index| seat(view, *index)).collect::<Vec<_>>());
    match (answer.kind, answer.by.is_empty()) {
        (AnswerKind::Synthesis, false) => format!("Synthesis by {by}"),
        (AnswerKind::Synthesis, true) => "Synthesis".to_owned(),
        (AnswerKind::Selected, false) => format!("Selected answer of {by}"),
        (AnswerKind::Selected, true) => "Selected answer".to_owned(),
        (AnswerKind::Computed, false) => format!("Computed from what {by} said; no model wrote it"),
        (AnswerKind::Computed, true) if view.asked_nobody() => "Computed by rule from what was given; no model was asked".to_owned(),
        (AnswerKind::Computed, true) => "Computed from the panel's replies; no model wrote it".to_owned(),
        (AnswerKind::Report, false) => format!("Report by {by}"),
        (AnswerKind::Report, true) => "Report".to_owned(),
    }
}

/// One word for a badge.
pub fn status_word(status: Status) -> &'static str {
    match status {
        Status::Full => "Full",
        Status::Degraded => "Degraded",
        Status::Deadlock => "Deadlock",
        Status::Escalated => "Escalated",
        Status::NoQuorum => "No quorum",
        Status::Failed => "Failed",
    }
}

/// What the status means.
pub fn status_meaning(status: Status) -> &'static str {
    match status {
        Status::Full => "everyone the protocol counted on spoke, in every phase",
        Status::Degraded => "the result stands, but not all went as the protocol wants it",
        Status::Deadlock => "everyone spoke and the rules give no decision",
        Status::Escalated => "the decision is to hand this over to a person",
        Status::NoQuorum => "too few seats spoke to go on",
        Status::Failed => "the run ended without an answer",
    }
}

/// The same of this run.
pub fn status_told(view: &View, status: Status) -> &'static str {
    if status == Status::Full && view.asked_nobody() { "the rules were applied to all that was given" } else { status_meaning(status) }
}

/// Why the run ended, where that says more than the status does.
pub fn stop_reason(verdict: &Verdict) -> Option<String> {
    let reason = one_line(&verdict.stop_reason);
    match reason.as_str() {
        // That it came to its end is what a status says.
        "" | "finished" => None,
        "deadline" => Some("the deadline was reached".to_owned()),
        "asked" => Some("it was asked to conclude".to_owned()),
        other => Some(other.replace('_', " ")),
    }
}

/// The number with where it came from: no number stands alone.
pub fn confidence(confidence: &Confidence) -> String {
    let n = u64::from(confidence.n);
    match (confidence.value, confidence.source) {
        (_, ConfidenceSource::Agreement) => agreement(confidence),
        (Some(value), ConfidenceSource::Panel) => match panel_count(confidence) {
            Some(counted) => format!("panel {value:.2}: {counted}"),
            None => format!("panel {value:.2}, by the protocol's own formula (n = {})", count(n)),
        },
        (None, ConfidenceSource::Panel) => "panel unknown: the protocol's formula gave no number".to_owned(),
        (Some(value), ConfidenceSource::Stated) => format!("stated {value:.2}: self-reported, not measured (n = {})", count(n)),
        (None, ConfidenceSource::Stated) => "stated: none given".to_owned(),
        (Some(value), ConfidenceSource::Calibrated) => format!("calibrated {value:.2}, fitted on {}", several(n, "outcome", "outcomes")),
        (None, ConfidenceSource::Calibrated) => "calibrated: too few outcomes to tell".to_owned(),
    }
}

/// `3 of 4 who could`, or whatever was counted.
fn panel_count(confidence: &Confidence) -> Option<String> {
    let (agreed, could) = confidence.agreed.zip(confidence.could).filter(|(_, could)| *could > 0)?;
    let of = confidence.counted.as_deref().map_or_else(|| "who could".to_owned(), one_line);
    Some(format!("{} of {} {of}", count(u64::from(agreed)), count(u64::from(could))))
}

/// First the count, then the number above chance with its interval, or why there is none: `agreement: 3 of 4 who could, 0.41 above chance
/// (0.05 to 0.78)`. Verdicts from before there was an interval hold a share, and are told so.
fn agreement(confidence: &Confidence) -> String {
    let n = u64::from(confidence.n);
    let counted = panel_count(confidence);
    let measured = match (confidence.value, confidence.interval, confidence.absent) {
        (Some(value), Some(interval), _) => {
            let side = if value < 0.0 { "below" } else { "above" };
            format!("{:.2} {side} chance ({:.2} to {:.2})", value.abs(), interval.low, interval.high)
        }
        (Some(value), None, _) => format!("{value:.2} of {}, not corrected for chance", several(n, "ballot", "ballots")),
        (None, _, Some(Absent::TooFewBallots)) if n == 0 => "not measured, there were no ballots".to_owned(),
        (None, _, Some(Absent::TooFewBallots)) => format!("not measured: {} too few", several(n, "ballot is", "ballots are")),
        (None, _, Some(Absent::NothingShared)) => "not measured: no two ballots judged the same thing".to_owned(),
        (None, _, Some(Absent::OneValue)) => "not measured: the rules leave only one value".to_owned(),
        (None, _, None) => "unknown, there were no ballots to compare".to_owned(),
    };
    match counted {
        Some(counted) => format!("agreement: {counted}, {measured}"),
        None => format!("agreement: {measured}"),
    }
}

/// `qwen, in rank: did not answer in time (timeout: 120 s without a byte)`.
pub fn missing(missing: &Missing) -> String {
    let why = failure(&Failure::new(missing.why, missing.detail.clone()));
    format!("{}, in {}: {why}", one_line(&missing.who), plain(&missing.phase))
}

pub fn failure(failure: &Failure) -> String {
    format!("{} ({})", failure.kind.plain(), one_line(&failure.to_string()))
}

/// Figures of one turn: time, tokens, cost. A turn that was never sent has none.
pub fn turn_figures(turn: &Turn) -> Vec<String> {
    let mut figures = Vec::new();
    figures.extend(turn.ms().map(span));
    if !turn.tries.is_empty() {
        figures.extend(turn.usage().map(|usage| format!("tokens {}", tokens(usage))));
        figures.push(turn_cost(turn));
    }
    figures
}

/// How a turn was asked: the model where the seat's name does not say it, temperature and limit.
pub fn turn_settings(view: &View, turn: &Turn) -> Option<String> {
    let asked = turn.asked.as_ref()?;
    let mut parts = Vec::new();
    if turn.seat.is_none_or(|index| view.seat(index) != asked.model) {
        parts.push(one_line(&asked.model));
    }
    parts.extend(asked.temperature.map(|heat| format!("temperature {heat}")));
    parts.push(format!("limit {} tokens", count(u64::from(asked.max_tokens))));
    let room = asked.sent_tokens.map_or(0, |sent| sent.saturating_sub(asked.max_tokens));
    if room > 0 {
        parts.push(format!("room to think for {}", count(u64::from(room))));
    }
    parts.extend(asked.effort.map(|effort| format!("effort {effort}")));
    Some(parts.join(", "))
}

/// A phase by its name; what belongs to none has one too.
pub fn phase(phase: &Phase) -> String {
    if phase.scope.is_empty() { "outside the phases".to_owned() } else { plain(&phase.scope) }
}

/// Who took a turn.
pub fn speaker(view: &View, turn: &Turn) -> String {
    turn.seat.map_or_else(|| "nobody".to_owned(), |index| seat(view, index))
}

pub fn turn_cost(turn: &Turn) -> String {
    let unanswered = turn.unanswered_usd();
    let copied = turn.said().is_some_and(|said| said.from.is_some());
    match (turn.spent_usd(), turn.tries.is_empty()) {
        (None, true) if copied => "$0 (copied)".to_owned(),
        (None, true) => "$0 (not sent)".to_owned(),
        (Some(spent), _) if unanswered > 0.0 => format!("{} and up to {} unanswered", usd(spent), usd(unanswered)),
        (Some(spent), _) => usd(spent),
        (None, false) if unanswered > 0.0 => format!("up to {}", usd(unanswered)),
        (None, false) if turn.turned_away() => "$0 (turned away)".to_owned(),
        (None, false) => "cost unknown".to_owned(),
    }
}

/// What the run took, line by line. From the verdict's receipt, else from the rows so far.
pub fn receipt(view: &View) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    let Some(verdict) = &view.verdict else {
        let mut usage = Usage::default();
        view.turns().filter_map(Turn::usage).for_each(|each| usage += each);
        let sent: u64 = view.turns().map(|turn| turn.tries.len() as u64).sum();
        if sent == 0 {
            return vec![("Calls", "none so far".to_owned())];
        }
        lines.push(("Calls", format!("{} so far", count(sent))));
        lines.push(("Tokens", tokens_or_not(usage)));
        lines.push(("Cost", cost_so_far(view)));
        return lines;
    };
    let receipt = &verdict.receipt;
    let calls = receipt.calls;
    let mut made = several(u64::from(calls.planned), "planned", "planned");
    if calls.extra > 0 {
        made.push_str(&format!(", {} extra", calls.extra));
    }
    if calls.reasked > 0 {
        made.push_str(&format!(", {} asked again after a crash", calls.reasked));
    }
    lines.push(("Calls", made));
    lines.push(("Tokens", tokens_or_not(receipt.tokens)));
    lines.push(("Cost", receipt_cost(receipt)));
    lines.push(("Time", format!("{} in all, {} on the critical path", span(receipt.wall_ms), span(receipt.critical_path_ms))));
    lines
}

/// What was paid, as far as it is known, beside what was quoted.
pub fn receipt_cost(receipt: &Receipt) -> String {
    let unpriced: Vec<String> = receipt.unpriced.iter().map(|name| one_line(name)).collect();
    let mut cost = match (receipt.spent_usd, unpriced.is_empty()) {
        (spent, true) => usd_or_unknown(spent),
        (None, false) => format!("unknown: no price for {}", listed(&unpriced)),
        (Some(spent), false) => format!("{} known; unknown for {}", usd(spent), listed(&unpriced)),
    };
    if let Some(quoted) = receipt.quoted_usd {
        cost.push_str(&format!(" (quoted {})", usd(quoted)));
    }
    cost
}

fn tokens_or_not(usage: Usage) -> String {
    if usage.input == 0 && usage.output == 0 { "not reported".to_owned() } else { tokens(usage) }
}

/// The known part of what a run without a verdict has cost, with what is not known about it.
pub fn cost_so_far(view: &View) -> String {
    let answered: Vec<&Turn> = view.turns().filter(|turn| turn.answered()).collect();
    let known: Vec<f64> = answered.iter().filter_map(|turn| turn.spent_usd()).collect();
    let unanswered: f64 = view.turns().map(Turn::unanswered_usd).sum();
    let unknown = answered.len() - known.len();
    let mut cost = if known.is_empty() && unknown > 0 { "unknown".to_owned() } else { usd(known.iter().sum()) };
    if !known.is_empty() && unknown > 0 {
        cost.push_str(&format!(" known; unknown for {}", several(unknown as u64, "turn", "turns")));
    }
    if unanswered > 0.0 {
        cost.push_str(&format!("; up to {} for calls that were never answered", usd(unanswered)));
    }
    cost
}

/// What a script branches on, in a line: each field by its name, what is nested with its own. The sentence that every decision has is told apart.
pub fn decision(decision: &Value) -> String {
    match decision {
        Value::Object(map) => fields(map.iter().filter(|(name, _)| *name != "summary")),
        other => told("", other, 0).unwrap_or_default(),
    }
}

fn fields<'a>(map: impl Iterator<Item = (&'a String, &'a Value)>) -> String {
    let named = |(name, value): (&'a String, &'a Value)| Some(format!("{}: {}", one_line(name).replace('_', " "), told(name, value, 0)?));
    map.filter_map(named).collect::<Vec<_>>().join(", ")
}

/// A value in a few words; nothing where it is empty.
fn told(name: &str, value: &Value, depth: usize) -> Option<String> {
    // Ids, labels and short names; a sentence is in the answer, and its number is enough here.
    const NAME: usize = 40;
    const LINE: usize = 120;
    const DEEPEST: usize = 2;
    match value {
        Value::Null => None,
        Value::Bool(yes) => Some(if *yes { "yes" } else { "no" }.to_owned()),
        Value::Number(number) if number.is_f64() => {
            number.as_f64().map(|value| format!("{value:.4}").trim_end_matches('0').trim_end_matches('.').to_owned())
        }
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) if depth > 0 && text.chars().count() > NAME => None,
        Value::String(text) => Some(excerpt(text, LINE, "...")),
        Value::Array(items) if items.is_empty() => None,
        // A list is told by its members' names, or where they have none or long ones, by how many they are.
        Value::Array(items) => {
            let names: Option<Vec<String>> = items
                .iter()
                .map(|item| item.get("label").unwrap_or(item))
                .map(|item| if item.is_object() || item.is_array() { None } else { told("", item, depth) })
                .collect();
            let short = names.filter(|names| names.iter().all(|name| name.chars().count() <= NAME));
            Some(short.map_or_else(|| items.len().to_string(), |names| names.join(if name == "ranking" { " > " } else { ", " })))
        }
        Value::Object(map) => match (map.get("low"), map.get("high")) {
            (Some(low), Some(high)) if map.len() == 2 => Some(format!("{} to {}", told("", low, depth)?, told("", high, depth)?)),
            _ if depth >= DEEPEST => None,
            _ => {
                let inner: Vec<String> = map
                    .iter()
                    .filter_map(|(name, value)| Some(format!("{} {}", one_line(name).replace('_', " "), told(name, value, depth + 1)?)))
                    .collect();
                (!inner.is_empty()).then(|| format!("({})", inner.join(", ")))
            }
        },
    }
}

/// What there is to say of a run that has no decision to show.
pub fn what_happened(view: &View) -> String {
    match view.state {
        RunState::Running => "This run has not ended.".to_owned(),
        RunState::Interrupted => "The process of this run is gone, and the run has not ended.".to_owned(),
        RunState::Waiting => "This run waits for a person.".to_owned(),
        RunState::Complete => "This run is complete, but its verdict could not be read.".to_owned(),
        RunState::Lost => match &view.verdict {
            Some(verdict) => {
                let why = stop_reason(verdict).unwrap_or_else(|| status_meaning(verdict.status).to_owned());
                format!("This run ended without an answer: {}.", why.trim_end_matches('.'))
            }
            None => "This run ended without an answer.".to_owned(),
        },
        RunState::Stopped => match view.stop().map(|stop| stop.reason) {
            Some(StopReason::Cancelled) => "This run was cancelled.",
            Some(StopReason::Budget) => "This run stopped at its budget.",
            Some(StopReason::Waiting) => "This run waits for a person.",
            Some(StopReason::LeaseLost) => "This run was taken over by another process.",
            Some(StopReason::Storage) => "This run stopped because its journal could not be written.",
            Some(StopReason::Diverged) => "This run stopped: what it would ask now is not what its journal has.",
            Some(StopReason::Stuck) => "This run stopped because its process ended each time it was taken up.",
            Some(StopReason::HandedOver) => "This run's process ended; it can be taken up again.",
            Some(StopReason::Offline) => "This run stopped because a model it needs cannot be reached.",
            Some(StopReason::Panic) => "This run stopped at a bug in its mode.",
            None => "This run stopped.",
        }
        .to_owned(),
    }
}

/// A figure by its name, and what or whom it is about.
pub fn figure_name(view: &View, figure: &Figure) -> String {
    let name = plain(&figure.name);
    let about: Vec<String> = figure.label.iter().cloned().chain(figure.seat.map(|seat| view.seat(seat))).collect();
    if about.is_empty() { name } else { format!("{name} ({})", about.join(", ")) }
}

pub fn figure_value(figure: &Figure) -> String {
    match figure.of {
        1.0 => score(figure.value),
        of if of <= 0.0 || (0.0..=of).contains(&figure.value) => format!("{} of {}", score(figure.value), score(of)),
        // More than there are, or less than none, is a sum over them.
        of => format!("{} on average of {}", score(figure.value / of), score(of)),
    }
}

#[cfg(test)]
mod tests {
    use super::{confidence, decision};
    use serde_json::json;
    use synod_types::{Absent, Confidence, ConfidenceSource, Interval};

    #[test]
    fn agreement_is_told_as_a_count_then_as_a_number_or_why_there_is_none() {
        let counted =
            |agreed, could, n| Confidence { agreed: Some(agreed), could: Some(could), ..Confidence::new(0.0, ConfidenceSource::Agreement, n) };
        let measured = |value, low, high| Confidence { value: Some(value), interval: Some(Interval { low, high }), ..counted(3, 4, 5) };
        let without = |why, n| Confidence { value: None, absent: Some(why), ..counted(2, if n == 0 { 0 } else { 2 }, n) };
        let cases = [
            (measured(0.412, 0.05, 0.78), "agreement: 3 of 4 who could, 0.41 above chance (0.05 to 0.78)"),
            (measured(-0.33, -0.8, 0.41), "agreement: 3 of 4 who could, 0.33 below chance (-0.80 to 0.41)"),
            (
                Confidence { counted: Some("rulings".into()), ..measured(1.0, 0.5, 1.0) },
                "agreement: 3 of 4 rulings, 1.00 above chance (0.50 to 1.00)",
            ),
            (without(Absent::TooFewBallots, 3), "agreement: 2 of 2 who could, not measured: 3 ballots are too few"),
            (without(Absent::TooFewBallots, 1), "agreement: 2 of 2 who could, not measured: 1 ballot is too few"),
            (without(Absent::TooFewBallots, 0), "agreement: not measured, there were no ballots"),
            (without(Absent::NothingShared, 4), "agreement: 2 of 2 who could, not measured: no two ballots judged the same thing"),
            (without(Absent::OneValue, 4), "agreement: 2 of 2 who could, not measured: the rules leave only one value"),
            // As verdicts had it before there was an interval.
            (Confidence::new(0.667, ConfidenceSource::Agreement, 3), "agreement: 0.67 of 3 ballots, not corrected for chance"),
        ];
        for (given, told) in cases {
            assert_eq!(confidence(&given), told);
        }
    }

    #[test]
    fn a_decision_is_told_in_figures_and_names() {
        let long = "If one site undoes the change within twelve months, it is settled";
        let cases = [
            (json!({"winner": "T9", "votes": 2, "tiebroken": false}), "winner: T9, votes: 2, tiebroken: no"),
            (json!({"delta_c": 0.026_749_999_999_999_94, "value": 2031.0}), "delta c: 0.0267, value: 2031"),
            (json!({"ranking": [{"label": "Q9"}, {"label": "T3"}], "ideas": ["I05", "I08"]}), "ranking: Q9 > T3, ideas: I05, I08"),
            (json!({"paths": [long, "soon"], "none": []}), "paths: 2"),
            (
                json!({"summary": "Said above.", "interval": {"low": 2.5, "high": 4.0}, "tally": {"approve": 1, "reject": 0}}),
                "interval: 2.5 to 4, tally: (approve 1, reject 0)",
            ),
        ];
        for (given, told) in cases {
            assert_eq!(decision(&given), told);
        }
    }
}
