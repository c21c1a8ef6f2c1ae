//! Checked statements: the verdict, the claim with what was brought for and against it, how sure.

use crate::figures::{count, quantity, several};
use crate::html::safe::{Html, render};
use crate::markdown::quote::inline;
use crate::markdown::table::Side::Left;
use crate::markdown::table::{para, table};
use crate::terminal::entries::{GLANCE, LIST, below, entries, entry, sum};
use crate::terminal::exhibit::Length;
use crate::terminal::paper::Paper;
use crate::text::{excerpt, one_line};
use crate::words::{counted, id_and_name, joined, led, plain};
use askama::Template;
use synod_types::{CheckEntry, Checks, Evidence};

pub fn terminal(paper: &mut Paper, checks: &Checks, length: Length) {
    entries(paper, &checks.entries, length, LIST, |paper, each| check(paper, each, length));
    sum(paper, &summary(checks));
}

fn check(paper: &mut Paper, each: &CheckEntry, length: Length) {
    let claim = id_and_name(&each.id, &each.claim);
    let claim = if length == Length::Brief { excerpt(&claim, GLANCE, paper.ellipsis()) } else { claim };
    let note = note(each);
    let note = if note.is_empty() || length == Length::Brief { String::new() } else { format!(" ({note})") };
    entry(paper, doubtful(&each.verdict), &format!("{}: {claim}{note}", plain(&each.verdict)));
    if !each.correction.trim().is_empty() {
        let correction = one_line(&each.correction);
        let correction = if length == Length::Brief { excerpt(&correction, GLANCE, paper.ellipsis()) } else { correction };
        below(paper, &format!("Rather: {correction}"));
    }
    if length == Length::Brief {
        return;
    }
    for evidence in &each.evidence {
        below(paper, &format!("{}: {}", one_line(&evidence.by), one_line(&evidence.text)));
        if !evidence.quote.trim().is_empty() {
            below(paper, &format!("\"{}\" ({})", one_line(&evidence.quote), quoted_from(evidence)));
        }
    }
}

pub fn markdown(checks: &Checks) -> String {
    let rows: Vec<Vec<String>> = checks
        .entries
        .iter()
        .map(|each| vec![each.id.clone(), plain(&each.verdict), each.claim.clone(), note(each), each.correction.clone()])
        .collect();
    let mut out = table(&[("Id", Left), ("Verdict", Left), ("Claim", Left), ("How sure", Left), ("Rather", Left)], &rows);
    out.push_str(&para(&summary(checks)));
    for each in checks.entries.iter().filter(|each| !each.evidence.is_empty()) {
        out.push_str(&format!("Evidence on {}:\n\n", inline(if each.id.trim().is_empty() { &each.claim } else { &each.id })));
        for evidence in &each.evidence {
            out.push_str(&format!("- {}: {}\n", inline(&evidence.by), inline(&evidence.text)));
            if !evidence.quote.trim().is_empty() {
                out.push_str(&format!("  “{}” ({})\n", inline(&evidence.quote), inline(&quoted_from(evidence))));
            }
        }
        out.push('\n');
    }
    out
}

#[derive(Template)]
#[template(path = "shapes/checks.html")]
struct Page<'a> {
    checks: &'a Checks,
}

pub fn html(checks: &Checks) -> Html {
    render(&Page { checks })
}

/// `2 verified, 1 disputed`, with how sure and how united: `high confidence, 67% agree`.
fn note(entry: &CheckEntry) -> String {
    let confidence = plain(&entry.confidence);
    let confidence = if confidence.is_empty() { confidence } else { format!("{confidence} confidence") };
    let agreement = entry.agreement.filter(|share| share.is_finite()).map(|share| format!("{:.0}% agree", share.clamp(0.0, 1.0) * 100.0));
    let votes = entry.votes.iter().map(|(word, n)| format!("{} {}", count(u64::from(*n)), plain(word))).collect::<Vec<_>>().join(", ");
    joined([confidence, agreement.unwrap_or_default(), votes], ", ")
}

/// Whether it is told of any claim how sure its verdict is.
fn notes(checks: &Checks) -> bool {
    checks.entries.iter().any(|entry| !note(entry).is_empty())
}

fn doubtful(verdict: &str) -> bool {
    !["verified", "passed", "accepted"].contains(&verdict.trim().to_ascii_lowercase().as_str())
}

fn summary(checks: &Checks) -> String {
    let verdicts = counted(checks.entries.iter().map(|entry| entry.verdict.as_str()));
    let made = format!("{}{}", several(checks.entries.len() as u64, "claim", "claims"), led(": ", &verdicts));
    let measure = one_line(&checks.measure);
    match checks.score {
        // One word is no measure but the verdict on the whole.
        None if measure.is_empty() => made,
        None if !measure.contains(' ') => format!("{made}; {measure} as a whole"),
        None => format!("{made}; no score; {measure}"),
        Some(value) => joined([made, format!("score {} of 100", quantity(value)), measure], "; "),
    }
}

/// Where a quotation stands in the material, or that it does not.
fn quoted_from(evidence: &Evidence) -> String {
    match &evidence.found_in {
        Some(place) => format!("found in {}", one_line(place)),
        None => "this quotation was not found in the material".to_owned(),
    }
}
