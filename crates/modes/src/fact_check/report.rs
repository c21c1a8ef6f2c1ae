//! The computed part of the report: the score in words, how it was checked, and the content with every verdict marked in it.

use super::checks::Ruling;
use super::claim_rulings::{ClaimRuling, Totals};
use super::claims::ExtractedClaim;
use crate::text::ended;
use synod_math::Band;

/// How the claims were checked.
pub struct Method {
    pub checkers: usize,
    pub with_passages: bool,
}

/// What follows the reporter's explanation, or stands alone when nobody could write one. The claims have an exhibit of their own.
pub fn appendix(content: &str, rulings: &[ClaimRuling], not_found: &[ExtractedClaim], totals: &Totals, method: &Method) -> String {
    let not_found = if not_found.is_empty() {
        String::new()
    } else {
        let why = "These were extracted as claims, but the content does not make them; they were not checked:";
        format!("\n\n## Not found in the content\n\n{why}\n\n{}", listed(not_found))
    };
    let checked = format!("## How this was checked\n\n{} {}", method_text(method, rulings), score_text(totals));
    format!("{checked}\n\n## Content with verdicts\n\n{}{not_found}", as_quotation(&annotate(content, rulings)))
}

/// The result in a sentence or two, when nobody could explain it.
pub fn headline(totals: &Totals) -> String {
    let Totals { verified, disputed, unverifiable, .. } = totals;
    let counts = format!("Claims: {verified} verified, {disputed} disputed, {unverifiable} unverifiable.");
    match (totals.score, totals.band()) {
        (Some(score), Some(band)) => format!("Reliability {score} of 100: {}. {counts}", in_words(band)),
        _ => format!("There is no reliability score: no claim was ruled on by two checkers. {counts}"),
    }
}

/// What to do with the text, in a sentence.
pub fn action(rulings: &[ClaimRuling], totals: &Totals) -> String {
    let claims = totals.claims();
    let first = |side: Ruling| rulings.iter().find(|ruling| ruling.outcome.ruling == side);
    match (first(Ruling::Disputed), totals.disputed, totals.unverifiable) {
        (Some(ruling), disputed, _) => {
            let right = ruling.correction.as_ref().map(|right| format!(" Rather: {}", right.trim())).unwrap_or_default();
            format!("Correct {disputed} of {claims} claims before you rely on the text, first: {}{right}", ended(&ruling.claim.text))
        }
        (None, _, 0) => {
            format!("You can rely on the text: {}.", if claims == 1 { "its one claim holds".to_owned() } else { format!("all {claims} claims hold") })
        }
        (None, _, open) => {
            let first = first(Ruling::Unverifiable).map(|ruling| format!(", first: {}", ended(&ruling.claim.text))).unwrap_or_default();
            format!("Find a source for {open} of {claims} claims before you rely on the text{first}")
        }
    }
}

/// What the checkers decided, with its counts.
pub fn summary(totals: &Totals, not_found: usize) -> String {
    let score = totals.score.zip(totals.band()).map(|(score, band)| format!("; reliability {score} of 100, {}", in_words(band))).unwrap_or_default();
    let stray = if not_found == 0 { String::new() } else { format!("; {not_found} more not found in the text") };
    format!("{}{score}{stray}.", counts(totals))
}

pub fn counts(totals: &Totals) -> String {
    let Totals { verified, disputed, unverifiable, .. } = totals;
    format!("{verified} of {} claims verified, {disputed} disputed, {unverifiable} unverifiable", totals.claims())
}

/// The report on a content without claims, or whose claims all turned out to be none of its own.
pub fn without_claims(content: &str, not_found: &[ExtractedClaim]) -> String {
    let why = if not_found.is_empty() {
        "The content holds no claim that can be checked: nothing in it states a fact, a figure, a date, a source, a cause or a comparison. "
            .to_owned()
    } else {
        format!("None of the claims that were extracted stands in the content, so nothing could be checked:\n\n{}\n\n", listed(not_found))
    };
    format!("{why}No checker was asked, and there is no reliability score.\n\n## Content\n\n{}", as_quotation(content))
}

fn listed(claims: &[ExtractedClaim]) -> String {
    claims.iter().map(|claim| format!("- {}", claim.claim.trim())).collect::<Vec<_>>().join("\n")
}

fn in_words(band: Band) -> String {
    band.as_str().replace('_', " ")
}

fn method_text(method: &Method, rulings: &[ClaimRuling]) -> String {
    let (checkers, claims) = (method.checkers, rulings.len());
    let votes: usize = rulings.iter().map(|ruling| ruling.votes.len()).sum();
    let who = match (checkers, votes == checkers * claims) {
        (1, true) => "1 checker ruled on all claims".to_owned(),
        (1, false) => format!("1 checker ruled on {votes} of {claims} claims"),
        (_, true) => format!("{checkers} checkers ruled, each alone, on all claims"),
        (_, false) => {
            format!("{checkers} checkers ruled, each alone, though not each on every claim ({votes} of {} possible votes),", checkers * claims)
        }
    };
    let by = if method.with_passages {
        "from memory and from passages of the attached files"
    } else {
        "from memory: no passage of a file was at hand, and nothing was looked up"
    };
    format!("{who} {by}. A verdict needs at least two votes; without more than half of them its confidence is low.")
}

fn score_text(totals: &Totals) -> String {
    match totals.score {
        Some(score) => format!("The score of {score} is computed: the {}.", super::claim_rulings::MEASURE),
        None => "There is no score: no claim has two votes.".to_owned(),
    }
}

/// The content with `[VERIFIED claim_1]` after the sentence each claim stands in. Claims of one sentence, or of sentences that end together,
/// are marked one after another.
pub fn annotate(content: &str, rulings: &[ClaimRuling]) -> String {
    let mark =
        |ruling: &ClaimRuling| (past_stop(content, ruling.claim.place.at.end), format!(" [{} {}]", ruling.outcome.ruling.as_str(), ruling.claim.id));
    let mut marks: Vec<(usize, String)> = rulings.iter().map(mark).collect();
    // Stable: claims that end together keep their order.
    marks.sort_by_key(|(at, _)| *at);
    let mut out = String::with_capacity(content.len() + 24 * marks.len());
    let mut from = 0;
    for (at, mark) in marks {
        out.push_str(&content[from..at]);
        out.push_str(&mark);
        from = at;
    }
    out.push_str(&content[from..]);
    out
}

/// Behind the stop and the closing marks of a sentence, where a quotation leaves them out.
fn past_stop(content: &str, end: usize) -> usize {
    let rest = &content[end..];
    end + rest.find(|c: char| !".!?\"”’)".contains(c)).unwrap_or(rest.len())
}

/// The text as a quotation, so that its headings are no headings of the report.
fn as_quotation(text: &str) -> String {
    text.lines().map(|line| if line.is_empty() { ">".to_owned() } else { format!("> {line}") }).collect::<Vec<_>>().join("\n")
}
