//! Fact-Check: the claims of a text are extracted, several checkers rule on each alone, and a computed score is explained by a reporter.

mod checks;
mod claim_rulings;
mod claims;
mod content;
mod material;
mod report;
mod rows;
#[cfg(test)]
mod tests;

use crate::{attendance, closing, tally, text};
use checks::{Verification, Vote};
use claim_rulings::{ClaimRuling, Totals};
use claims::{Claim, ExtractedClaim, Extraction, Numbered};
use content::Content;
use material::Material;
use report::Method;
use rows::{ClaimsRow, ConsensusRow, ContentRow, GeneratedContentRow, ReportRow, VerdictData, VotesRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use synod_engine::{
    Answers, Bench, Example, FigureKind, Halt, Mode, ModeResult, PlannedCalls, ReplyFormat, RequestName, Result, SeatReply, Seating, Stage, each,
    mode, prompt, seat,
};
use synod_types::*;

pub static MODE: Mode = mode! {
    id: "fact_check", version: 5, name: "Fact-Check", family: Verification, seats: 3..=6,
    roles: &[each("checker"), seat("generator", 0), seat("extractor", 0), seat("reporter", 0)],
    summary: "The claims in a text are pulled out, every checker rules on each of them alone, and the text gets a computed reliability score.",
    pick: "Take it when it matters more that a text is true than that it reads well: give the text as content, and attach files to check it against.",
    phases: &["generate", "extract", "verify", "report"],
    stages: &[
        Stage::from_seat::<GeneratedContentRow>("generate", "generator"),
        Stage::computed::<ContentRow>("content"),
        Stage::from_seat::<ClaimsRow>("extract", "extractor"),
        Stage::from_seat::<VotesRow>("verify_{n}", "checker"),
        Stage::computed::<ConsensusRow>("consensus"),
        Stage::from_seat::<ReportRow>("report", "reporter"),
        Stage::computed::<ReportRow>("report").stand_in(),
    ],
    figures: &[
        FigureKind::total("ruling", "Claims, by what was ruled on them"),
        FigureKind::mean("claims", "Claims"),
        FigureKind::mean("reliability", "Reliability score, 0 to 100"),
        FigureKind::share("checkers_agree", "Votes that share the ruling on their claim"),
        FigureKind::mean("agreement", "How far the panel's ballots agree, above chance"),
    ],
    multi_turn: false, estimated_ms: 180_000, turn_secs: 120, run_secs: 600,
    cost: "n + 2 for a panel of n, whether the content is given or generated (then its author does not check); 1 or 2 when it holds no claims",
    example: Example { content: Some("release.md"), files: &["figures.csv"], ..Example::ask("Are the figures in this release right?") },
    failure_rule: "If the generator or the extractor fails, the next seat takes its place; whoever wrote the content never checks it, and extracts its claims only where nobody else can. Claims that are not in the content are listed and not scored; where they are the majority the verdict is degraded. A tie with unverifiable is unverifiable. Unreadable checkers abstain; one that can be read is enough, but a verdict on a claim needs two votes. Where the checkers' confidence is tied, the lower counts, on purpose. If nobody can write the report, a computed one is returned.",
    prompts: ["generate", "extract", "verify", "report"],
    request_names: &[
        RequestName::content("contentToCheck"),
        RequestName::role("generatorModel", "generator"),
        RequestName::role("extractorModel", "extractor"),
        RequestName::panel("checkerModels"),
        RequestName::role("reporterModel", "reporter"),
        RequestName::option("maxContentLength", "max_content_chars"),
    ],
};

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Longer content is cut to this many characters, with a warning.
    #[schemars(range(min = 500, max = 50_000))]
    pub max_content_chars: u32,
    /// The most claims that are checked.
    #[schemars(range(min = 1, max = 50))]
    pub max_claims: u32,
    /// How many passages of the attached files each claim brings before the checkers.
    #[schemars(range(min = 0, max = 5))]
    pub passages: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { max_content_chars: 20_000, max_claims: 20, passages: 2 }
    }
}

impl Options {
    fn check(&self) -> Vec<Problem> {
        Vec::new()
    }
    fn extract_tokens(&self) -> u32 {
        512 + 120 * self.max_claims
    }
    fn verify_tokens(&self) -> u32 {
        1024 + 200 * self.max_claims
    }
}

/// What a script branches on.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    /// How far the content can be relied on, out of 100; null when no claim could be ruled on.
    pub score: Option<u32>,
    /// highly_reliable from 90, mostly_reliable from 70, mixed from 50, significant_errors from 30, else unreliable. Where less than half of
    /// the weight is on verified claims, mixed at best.
    pub band: Option<String>,
    pub verified: u32,
    pub disputed: u32,
    pub unverifiable: u32,
    pub claims: Vec<ClaimDecision>,
    /// Extracted as claims, but not in the content: neither checked nor scored.
    pub not_found: Vec<String>,
}

/// The panel's verdict on one claim.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ClaimDecision {
    pub id: String,
    pub claim: String,
    pub verdict: checks::Ruling,
    pub confidence: checks::Sureness,
    /// Percent of the votes cast that are for the verdict; null with fewer than two.
    pub agreement: Option<u32>,
    pub correction: Option<String>,
}

fn calls(options: &Options, seating: &Seating) -> Vec<PlannedCalls> {
    let n = seating.panel();
    // Whether there is content to check, and claims in it, is known only in the run.
    vec![
        PlannedCalls { prompt: "generate", role: "generator", min: 0, max: 1, reads: 0, max_tokens: None },
        PlannedCalls { prompt: "extract", role: "extractor", min: 1, max: 1, reads: 1, max_tokens: Some(options.extract_tokens()) },
        PlannedCalls { prompt: "verify", role: "checker", min: 0, max: n, reads: 2, max_tokens: Some(options.verify_tokens()) },
        PlannedCalls { prompt: "report", role: "reporter", min: 0, max: 1, reads: n + 1, max_tokens: None },
    ]
}

async fn run(bench: &Bench, options: Options) -> Result<ModeResult> {
    let mut failed: Vec<SeatIx> = Vec::new();
    let content = content::content(bench, &options, &mut failed).await?;
    let Numbered { claims, not_found, .. } = extract(bench, &options, &content, &mut failed).await?;
    if claims.is_empty() {
        return report_without_claims(bench, &content, &not_found);
    }
    let material = Material::new(&bench.question().files, &claims, options.passages as usize);
    let (rulings, checkers) = verify(bench, &options, &content, claims, &material, &mut failed).await?;
    let totals = Totals::of(&rulings);
    bench.phase("verify").show("consensus", claim_rulings::exhibit(bench, &rulings, &totals))?;
    let method = Method { checkers, with_passages: !material.passages.is_empty() };
    let answer = write(bench, &content, &rulings, &not_found, &totals, &method, &failed).await?;
    bench.figure("claims", f64::from(totals.claims()));
    for (ruling, count) in [("verified", totals.verified), ("disputed", totals.disputed), ("unverifiable", totals.unverifiable)] {
        if count > 0 {
            bench.note(Figure::new("ruling", f64::from(count)).label(ruling));
        }
    }
    bench.figure("checkers_agree", totals.share);
    bench.figure("reliability", totals.score.map(f64::from));
    let confidence = tally::confidence(bench, claim_rulings::agreement(&rulings));
    Ok(ModeResult::ended("finished", answer)
        .action(report::action(&rulings, &totals))
        .decision(report::summary(&totals, not_found.len()), &decision(&rulings, &not_found, &totals))
        .confidence(Confidence { counted: Some("rulings".into()), ..confidence })
        .dissent(claim_rulings::dissent(&rulings))
        .data(&VerdictData { checkers, average_agreement_rate: totals.agreement_rate(), measure: claim_rulings::MEASURE }))
}

/// The seats to ask in turn: the role's holder, then the panel, those who already failed in this run last.
fn candidates(bench: &Bench, role: &str, failed: &[SeatIx]) -> Vec<SeatIx> {
    let mut seats = closing::seats_of(bench, role, bench.role("checker").iter().copied());
    seats.sort_by_key(|seat| failed.contains(seat));
    seats
}

/// The reply of the first seat that answers; those before it are noted as failed.
async fn ask_first<T: ReplyFormat>(
    phase: &Bench,
    seats: &[SeatIx],
    ask: synod_engine::Prompt,
    failed: &mut Vec<SeatIx>,
) -> Result<Option<SeatReply<T>>> {
    let reply = phase.ask_first::<T>(seats, ask).await?;
    let answered = reply.as_ref().map(|reply| reply.seat);
    failed.extend(seats.iter().take_while(|seat| Some(**seat) != answered));
    Ok(reply)
}

async fn extract(bench: &Bench, options: &Options, content: &Content, failed: &mut Vec<SeatIx>) -> Result<Numbered> {
    let phase = bench.phase("extract");
    let sentences: Vec<&str> = text::sentences(&content.text).into_iter().map(|at| &content.text[at]).collect();
    let ask = prompt!("extract", checked = content.text, generated = content.author.is_some(), most = options.max_claims).fill("sentence", sentences);
    let mut seats = candidates(bench, "extractor", failed);
    // Who wrote a text leaves out of its claims what they would rather not have checked.
    seats.sort_by_key(|seat| Some(*seat) == content.author);
    let Some(reply) = ask_first::<Extraction>(&phase, &seats, ask.max_tokens(options.extract_tokens()), failed).await? else {
        return Err(Halt::no_quorum("extract", "no seat could extract the claims"));
    };
    let numbered = claims::number(&content.text, reply.value.claims, options.max_claims as usize);
    if numbered.over > 0 {
        phase.warn(format!("{} more claims were extracted and not checked: max_claims is {}.", numbered.over, options.max_claims));
    }
    let (found, stray) = (numbered.claims.len() + numbered.over, numbered.not_found.len());
    if stray > found {
        phase.abstained(reply.seat, format!("{stray} of the {} claims it extracted are not in the content", stray + found));
    }
    let exhibit = claims::exhibit(&content.text, &numbered).part("What was left out", &reply.value.reasons);
    phase.show("extract", exhibit.by(reply.seat, "extractor").turn(&reply.key))?;
    Ok(numbered)
}

/// Every seat but the author rules on all claims alone. Returns the rulings, and how many checkers they rest on.
async fn verify(
    bench: &Bench,
    options: &Options,
    content: &Content,
    claims: Vec<Claim>,
    material: &Material,
    failed: &mut Vec<SeatIx>,
) -> Result<(Vec<ClaimRuling>, usize)> {
    let phase = bench.phase("verify");
    let checkers: Vec<SeatIx> = bench.role("checker").iter().copied().filter(|seat| Some(*seat) != content.author).collect();
    warn_of_own_checker(&phase, &checkers, content.author);
    let shown: Vec<Value> = claims
        .iter()
        .zip(&material.near)
        .map(|(claim, near)| json!({"id": claim.id, "claim": claim.text, "context": claim.context, "type": claim.kind, "near": near}))
        .collect();
    let ask = prompt!("verify", checked = content.text, claims = shown, passages = material.passages);
    let ask = ask.ids("claims", claims.iter().map(|claim| claim.id.clone())).max_tokens(options.verify_tokens());
    let answers: Answers<Verification> = phase.ask_all(&checkers, ask).await?.quorum(1)?;
    failed.extend(answers.failures.iter().map(|failure| failure.seat));
    let mut cast: Vec<(SeatIx, Vec<Vote>)> = Vec::new();
    for seat in &checkers {
        let label = &phase.seat(*seat).label;
        let votes = answers.of(*seat).map(|reply| checks::votes(&reply.value, &claims, material)).unwrap_or_default();
        let title = format!("Checks by {label}");
        let exhibit = if votes.is_empty() {
            let (failed, none) = (answers.failure_of(*seat), "ruled on none of the claims");
            if failed.is_none() {
                phase.abstained(*seat, none);
            }
            let why = failed.map_or(none, |failed| failed.failure.kind.plain());
            attendance::absence(title, *seat, "checker", failed, none).data(&checks::row(&votes, Some(why.to_owned())))
        } else {
            checks::exhibit(title, &votes, &claims).by(*seat, "checker").data(&checks::row(&votes, None))
        };
        if (1..claims.len()).contains(&votes.len()) {
            phase.warn(format!("{label} ruled on {} of {} claims.", votes.len(), claims.len()));
        }
        let exhibit = match answers.of(*seat) {
            Some(reply) => exhibit.part("What it was checked by", &reply.value.reasons).turn(&reply.key),
            None => exhibit,
        };
        phase.show(&format!("verify_{seat}"), exhibit)?;
        if !votes.is_empty() {
            cast.push((*seat, votes));
        }
    }
    if cast.is_empty() {
        return Err(Halt::no_quorum("verify", "no checker ruled on any claim"));
    }
    let votes_on =
        |claim: &Claim| cast.iter().filter_map(|(seat, votes)| Some((*seat, votes.iter().find(|vote| vote.claim_id == claim.id)?.clone()))).collect();
    let rulings: Vec<ClaimRuling> = claims.into_iter().map(|claim| ClaimRuling::new(claim.clone(), votes_on(&claim))).collect();
    let too_few: Vec<&str> = rulings.iter().filter(|ruling| ruling.outcome.agreement.is_none()).map(|ruling| ruling.claim.id.as_str()).collect();
    if !too_few.is_empty() {
        phase.warn(format!("Fewer than two checkers ruled on {}: unverifiable, and without weight in the score.", too_few.join(", ")));
    }
    Ok((rulings, cast.len()))
}

/// Seats of one model are separate seats, but a model that checks its own words from another seat is no second opinion.
fn warn_of_own_checker(phase: &Bench, checkers: &[SeatIx], author: Option<SeatIx>) {
    let model = |seat: SeatIx| phase.seat(seat).model.as_str();
    if let Some(author) = author.filter(|author| checkers.iter().any(|seat| model(*seat) == model(*author))) {
        phase.warn(format!("{} wrote the content and also checks it from another seat.", model(author)));
    }
}

/// The reporter explains the result; what stands below it is computed.
async fn write(
    bench: &Bench,
    content: &Content,
    rulings: &[ClaimRuling],
    not_found: &[ExtractedClaim],
    totals: &Totals,
    method: &Method,
    failed: &[SeatIx],
) -> Result<Answer> {
    let phase = bench.phase("report");
    let vote = |vote: &Vote| json!({"verdict": vote.verdict, "confidence": vote.confidence, "evidence": vote.evidence, "quote": vote.quote, "found_in": vote.found_in});
    let claims: Vec<Value> = rulings
        .iter()
        .map(|ruling| {
            let votes: Vec<Value> = ruling.votes.iter().map(|(_, check)| vote(check)).collect();
            json!({
                "id": ruling.claim.id, "claim": ruling.claim.text, "verdict": ruling.outcome.ruling, "confidence": ruling.outcome.sureness,
                "agreement": ruling.agreement(), "correction": ruling.correction, "note": ruling.note(), "votes": votes,
            })
        })
        .collect();
    let ask = prompt!(
        "report",
        checked = content.text,
        generated = content.author.is_some(),
        claims,
        headline = report::headline(totals),
        with_passages = method.with_passages
    )
    .fill("counts", report::counts(totals));
    let written = closing::write(&phase, &candidates(bench, "reporter", failed), ask, "The explanation").await?;
    let appendix = report::appendix(&content.text, rulings, not_found, totals, method);
    match written {
        Some(reply) => {
            phase.show("report", Exhibit::said("Report", reply.seat, "reporter", &reply.key).data(&report_row(totals, method.checkers, false)))?;
            Ok(Answer { kind: AnswerKind::Report, text: format!("{}\n\n{appendix}", reply.value.trim()), by: vec![reply.seat] })
        }
        None => {
            phase.warn("Nobody could write the report; it is the computed part alone.");
            let text = format!("{}\n\n{appendix}", report::headline(totals));
            closing::computed(&phase, "report", "Report", text, [], &report_row(totals, method.checkers, true))
        }
    }
}

fn report_row(totals: &Totals, checkers: usize, fallback: bool) -> ReportRow {
    ReportRow {
        reliability_score: totals.score,
        verified: totals.verified,
        disputed: totals.disputed,
        unverifiable: totals.unverifiable,
        total_claims: totals.claims(),
        checker_count: checkers,
        average_agreement_rate: totals.agreement_rate(),
        fallback,
        note: None,
    }
}

/// A content without claims is a result: nobody is asked to check or to report.
fn report_without_claims(bench: &Bench, content: &Content, not_found: &[ExtractedClaim]) -> Result<ModeResult> {
    let text = report::without_claims(&content.text, not_found);
    let totals = Totals::default();
    let data = ReportRow { note: Some("no claims"), ..report_row(&totals, 0, true) };
    let answer = closing::computed(&bench.phase("report"), "report", "Report", text, [], &data)?;
    bench.figure("claims", 0.0);
    let (action, told) = match not_found.len() {
        0 => (
            "Give a text that states facts: this one holds no claim that can be checked.".to_owned(),
            "0 claims to check: nothing in the text states a fact.".to_owned(),
        ),
        stray => (
            "Have it checked again with another extractor: what was extracted is not in the text.".to_owned(),
            format!("0 of {stray} extracted claims stand in the text, so none was checked."),
        ),
    };
    Ok(ModeResult::ended("no_claims", answer)
        .action(action)
        .decision(told, &decision(&[], not_found, &totals))
        .unsure("there was nothing to check")
        .data(&VerdictData { checkers: 0, average_agreement_rate: None, measure: claim_rulings::MEASURE }))
}

fn decision(rulings: &[ClaimRuling], not_found: &[ExtractedClaim], totals: &Totals) -> Decision {
    let claim = |ruling: &ClaimRuling| ClaimDecision {
        id: ruling.claim.id.clone(),
        claim: ruling.claim.text.clone(),
        verdict: ruling.outcome.ruling,
        confidence: ruling.outcome.sureness,
        agreement: ruling.agreement(),
        correction: ruling.correction.clone(),
    };
    let band = totals.band().map(|band| band.as_str().to_owned());
    let Totals { score, verified, disputed, unverifiable, .. } = *totals;
    let not_found = not_found.iter().map(|claim| claim.claim.trim().to_owned()).collect();
    Decision { score, band, verified, disputed, unverifiable, claims: rulings.iter().map(claim).collect(), not_found }
}
