//! The computed part of the report: the score in words, the table of claims, and the content with every verdict marked in it.

use super::checks::Vote;
use super::claim_rulings::{ClaimRuling, Totals};
use crate::markdown;
use synod_math::Band;

/// Longer evidence is cut in the table; the rows of the checkers hold all of it.
const CELL_CHARS: usize = 200;

/// How the claims were checked.
pub struct Method {
    pub checkers: usize,
    pub with_passages: bool,
}

/// What follows the reporter's explanation, or stands alone when nobody could write one.
pub fn appendix(content: &str, rulings: &[ClaimRuling], totals: &Totals, method: &Method) -> String {
    let unmarked: Vec<&str> = rulings.iter().filter(|ruling| ruling.claim.place.is_none()).map(|ruling| ruling.claim.id.as_str()).collect();
    let mut parts = vec![
        format!("## Claims\n\n{}", table(rulings)),
        format!("## How this was checked\n\n{} {}", method_text(method, rulings), score_text(totals)),
        format!("## Content with verdicts\n\n{}", as_quotation(&annotate(content, rulings))),
    ];
    if !unmarked.is_empty() {
        parts.push(format!("Not marked, because the sentence given for it does not stand in the content word for word: {}.", unmarked.join(", ")));
    }
    parts.join("\n\n")
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

/// The report on a content without claims.
pub fn without_claims(content: &str) -> String {
    format!(
        "The content holds no claim that can be checked: nothing in it states a fact, a figure, a date, a source, a cause or a comparison. No checker was asked, and there is no reliability score.\n\n## Content\n\n{}",
        as_quotation(content)
    )
}

pub fn in_words(band: Band) -> &'static str {
    match band {
        Band::HighlyReliable => "highly reliable",
        Band::MostlyReliable => "mostly reliable",
        Band::Mixed => "mixed",
        Band::SignificantErrors => "significant errors",
        Band::Unreliable => "unreliable",
    }
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

/// One row a claim. The evidence is that of the first checker who holds the verdict.
pub fn table(rulings: &[ClaimRuling]) -> String {
    let row = |ruling: &ClaimRuling| {
        let holder = ruling.votes.iter().map(|(_, vote)| vote).find(|vote| vote.verdict == ruling.outcome.ruling);
        let share = ruling.agreement().map_or_else(|| "–".to_owned(), |percent| format!("{percent} %"));
        let mut evidence: Vec<String> = holder.map(evidence_text).into_iter().collect();
        evidence.extend(ruling.correction.as_ref().map(|right| format!("Correction: {}", cell(right))));
        evidence.extend(ruling.note().map(|note| format!("({note})")));
        let (verdict, sureness) = (ruling.outcome.ruling.as_str().to_owned(), ruling.outcome.sureness.as_str().to_owned());
        vec![format!("{}: {}", ruling.claim.id, ruling.claim.text), verdict, sureness, share, evidence.join(" ")]
    };
    markdown::table(["claim", "verdict", "confidence", "votes for it", "evidence"], rulings.iter().map(row))
}

fn evidence_text(vote: &Vote) -> String {
    let quote = vote.quote.as_ref().map(|quote| match &vote.found_in {
        Some(file) => format!(" “{}” ({file})", cell(quote)),
        None => format!(" “{}” (quoted, but found in no attached file)", cell(quote)),
    });
    format!("{}{}", cell(&vote.evidence), quote.unwrap_or_default())
}

fn cell(text: &str) -> String {
    synod_types::clip::words(text, CELL_CHARS, " …")
}

/// The content with `[VERIFIED claim_1]` after the sentence each claim stands in. Claims of one sentence, or of sentences that end together,
/// are marked one after another; a claim whose sentence was not found is not marked.
pub fn annotate(content: &str, rulings: &[ClaimRuling]) -> String {
    let mark = |ruling: &ClaimRuling| {
        let end = ruling.claim.place.as_ref()?.end;
        Some((past_stop(content, end), format!(" [{} {}]", ruling.outcome.ruling.as_str(), ruling.claim.id)))
    };
    let mut marks: Vec<(usize, String)> = rulings.iter().filter_map(mark).collect();
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
