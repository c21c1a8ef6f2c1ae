//! The first lines of a verdict: what to do, what was decided and by how many, who disagrees, what is missing, how sure, what it cost.
//!
//! Twelve lines at eighty columns, whatever the verdict holds. What is cut here stands whole further down.

use super::{confidence, decision, glance, label, listed, plain, receipt_cost, seat, status_meaning, status_word, stop_reason};
use crate::figures::span;
use crate::markup::without_marks;
use crate::text::{clean, excerpt, one_line, wrap};
use crate::view::View;
use synod_types::{Dissent, Missing, Status, Verdict};

pub struct Top {
    pub action: String,
    pub lines: Vec<TopLine>,
    /// Not all of what others say is here.
    pub more_dissent: bool,
}

pub struct TopLine {
    pub name: &'static str,
    pub text: String,
    /// What a reader must not miss.
    pub alarm: bool,
}

/// At eighty columns; the names of lines take twelve of them.
const LINES: usize = 12;
const COLUMNS: usize = 80;
const BESIDE_NAME: usize = COLUMNS - 12;
/// Characters that fill at most three lines of their own, two beside a name, or one.
const ACTION: usize = 205;
const TWO_LINES: usize = 2 * BESIDE_NAME - 10;
const ONE_LINE: usize = BESIDE_NAME - 1;

/// `mark` stands where something was cut.
pub fn top(view: &View, verdict: &Verdict, mark: &str) -> Top {
    let action = match (&verdict.action, &verdict.answer) {
        (Some(action), _) => action.clone(),
        (None, Some(answer)) => answer.opening().unwrap_or_default(),
        (None, None) => {
            format!("No answer: {}.", stop_reason(verdict).unwrap_or_else(|| status_meaning(verdict.status).to_owned()).trim_end_matches('.'))
        }
    };
    let action = excerpt(&without_marks(&clean(&action)), ACTION, mark);
    let line = |name, text: &str, most| TopLine { name, text: excerpt(text, most, mark), alarm: false };
    let decided = verdict.summary().map(one_line).or_else(|| verdict.decision.as_ref().map(decision)).filter(|text| !text.is_empty());
    let sure = match (&verdict.confidence, &verdict.unsure) {
        (Some(given), _) => confidence(given),
        (None, Some(why)) => format!("no number: {}", one_line(why)),
        (None, None) if verdict.answer.is_none() => "no number: there is no answer".to_owned(),
        (None, None) => "no number: nothing was measured".to_owned(),
    };
    let cost = format!("{}; took {}", receipt_cost(&verdict.receipt), span(verdict.receipt.wall_ms));

    let mut lines: Vec<TopLine> = decided.map(|decided| line("Decided", &decided, TWO_LINES)).into_iter().collect();
    let place = lines.len();
    lines.extend(lacking(verdict).map(|lacking| TopLine { alarm: true, ..line(status_word(verdict.status), &lacking, TWO_LINES) }));
    lines.push(line("Sure", &sure, if lines.len() > 1 { ONE_LINE } else { TWO_LINES }));
    lines.push(line("Cost", &cost, TWO_LINES));
    let height = |text: &str, columns: usize| wrap(&text.chars().map(|c| (c, ())).collect::<Vec<_>>(), columns).len();
    let used = usize::from(view.rehearsal()) + height(&action, COLUMNS) + lines.iter().map(|line| height(&line.text, BESIDE_NAME)).sum::<usize>();
    // Each has a line while there is room; the last line names whoever has none.
    let room = LINES.saturating_sub(used).max(1);
    let heard = if verdict.dissent.len() > room { room - 1 } else { verdict.dissent.len() };
    let said = |each: &Dissent| line("Against", &format!("{}: {}", dissenter(view, each), glance(&each.text, 300, mark)), ONE_LINE);
    let mut against: Vec<TopLine> = verdict.dissent.iter().take(heard).map(said).collect();
    let unheard: Vec<String> = verdict.dissent.iter().skip(heard).map(|each| dissenter(view, each)).collect();
    if !unheard.is_empty() {
        against.push(line("Against", &format!("{}{}", if heard > 0 { "and " } else { "" }, listed(&unheard)), ONE_LINE));
    }
    let more_dissent = !unheard.is_empty() || against.iter().any(|line| line.text.ends_with(mark));
    lines.splice(place..place, against);
    Top { action, lines, more_dissent }
}

pub fn dissenter(view: &View, dissent: &Dissent) -> String {
    match (&dissent.label, dissent.seat) {
        (Some(name), _) => label(view, name),
        (None, Some(at)) => seat(view, at),
        (None, None) => "somebody".to_owned(),
    }
}

/// Each who is missing once for each reason, with all the steps they missed: `qwen in collect and rank (did not answer in time)`.
fn absences(missing: &[Missing]) -> Vec<String> {
    let alike = |a: &Missing, b: &Missing| a.seat == b.seat && a.who == b.who && a.why == b.why;
    let firsts = missing.iter().enumerate().filter(|(at, each)| !missing[..*at].iter().any(|before| alike(before, each)));
    let told = |(_, each): (usize, &Missing)| {
        let mut phases: Vec<String> = Vec::new();
        for phase in missing.iter().filter(|other| alike(other, each)).map(|other| plain(&other.phase)) {
            if !phases.contains(&phase) {
                phases.push(phase);
            }
        }
        format!("{} in {} ({})", one_line(&each.who), listed(&phases), each.why.plain())
    };
    firsts.map(told).collect()
}

/// Why the status is not `full`, with whoever is missing in the same sentence.
fn lacking(verdict: &Verdict) -> Option<String> {
    let without = listed(&absences(&verdict.missing));
    match verdict.status {
        Status::Full => None,
        Status::Degraded if !without.is_empty() => Some(format!("stands without {without}")),
        Status::Degraded => {
            Some(format!("stands, but {}", stop_reason(verdict).unwrap_or_else(|| "not all went as the protocol wants it".to_owned())))
        }
        Status::Deadlock | Status::Escalated | Status::NoQuorum | Status::Failed if without.is_empty() => {
            Some(status_meaning(verdict.status).to_owned())
        }
        Status::Deadlock | Status::Escalated | Status::NoQuorum | Status::Failed => {
            Some(format!("{}; without {without}", status_meaning(verdict.status)))
        }
    }
}
