//! The computed part of the report: the score in words, the table of claims, and the content with every verdict marked in it.

use super::checks::Counted;
use super::ruled::{Ruled, Totals};
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
pub fn appendix(content: &str, ruled: &[Ruled], totals: &Totals, method: &Method) -> String {
    let unmarked: Vec<&str> = ruled.iter().filter(|claim| claim.claim.place.is_none()).map(|claim| claim.claim.id.as_str()).collect();
    let mut parts = vec![
        format!("## Claims\n\n{}", table(ruled)),
        format!("## How this was checked\n\n{} {}", checked(method, ruled), scored(totals)),
        format!("## Content with verdicts\n\n{}", quoted(&annotated(content, ruled))),
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

/// All there is to say about a content without claims.
pub fn nothing(content: &str) -> String {
    format!(
        "The content holds no claim that can be checked: nothing in it states a fact, a figure, a date, a source, a cause or a comparison. No checker was asked, and there is no reliability score.\n\n## Content\n\n{}",
        quoted(content)
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

fn checked(method: &Method, ruled: &[Ruled]) -> String {
    let (checkers, claims) = (method.checkers, ruled.len());
    let votes: usize = ruled.iter().map(|claim| claim.votes.len()).sum();
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

fn scored(totals: &Totals) -> String {
    match totals.score {
        Some(score) => format!("The score of {score} is computed: the {}.", super::ruled::MEASURE),
        None => "There is no score: no claim has two votes.".to_owned(),
    }
}

/// One row a claim. The evidence is that of the first checker who holds the verdict.
pub fn table(ruled: &[Ruled]) -> String {
    let row = |claim: &Ruled| {
        let holder = claim.votes.iter().map(|(_, check)| check).find(|check| check.verdict == claim.outcome.ruling);
        let agreement = claim.agreement().map_or_else(|| "–".to_owned(), |percent| format!("{percent} %"));
        let mut evidence: Vec<String> = holder.map(shown).into_iter().collect();
        evidence.extend(claim.correction.as_ref().map(|right| format!("Correction: {}", clipped(right))));
        evidence.extend(claim.note().map(|note| format!("({note})")));
        let (ruling, sureness) = (claim.outcome.ruling.as_str().to_owned(), claim.outcome.sureness.as_str().to_owned());
        vec![format!("{}: {}", claim.claim.id, claim.claim.claim), ruling, sureness, agreement, evidence.join(" ")]
    };
    markdown::table(["claim", "verdict", "confidence", "agreement", "evidence"], ruled.iter().map(row))
}

fn shown(check: &Counted) -> String {
    let quote = check.quote.as_ref().map(|quote| match &check.found_in {
        Some(file) => format!(" “{}” ({file})", clipped(quote)),
        None => format!(" “{}” (quoted, but found in no attached file)", clipped(quote)),
    });
    format!("{}{}", clipped(&check.evidence), quote.unwrap_or_default())
}

fn clipped(text: &str) -> String {
    match text.char_indices().nth(CELL_CHARS) {
        None => text.to_owned(),
        Some((end, _)) => format!("{} …", text[..end].rsplit_once(char::is_whitespace).map_or(&text[..end], |(head, _)| head)),
    }
}

/// The content with `[VERIFIED claim_1]` after the sentence each claim stands in. Claims of one sentence, or of sentences that end together,
/// are marked one after another; a claim whose sentence was not found is not marked.
pub fn annotated(content: &str, ruled: &[Ruled]) -> String {
    let mark = |claim: &Ruled| {
        let end = claim.claim.place.as_ref()?.end;
        Some((past_stop(content, end), format!(" [{} {}]", claim.outcome.ruling.as_str(), claim.claim.id)))
    };
    let mut marks: Vec<(usize, String)> = ruled.iter().filter_map(mark).collect();
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

/// Somebody's text as a quotation, so that its headings are not ours.
fn quoted(text: &str) -> String {
    text.lines().map(|line| if line.is_empty() { ">".to_owned() } else { format!("> {line}") }).collect::<Vec<_>>().join("\n")
}
