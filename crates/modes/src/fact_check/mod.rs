//! Fact-Check: the claims of a text are extracted, several checkers rule on each alone, and a computed score is explained by a reporter.

mod checks;
mod claims;
mod content;
mod material;
mod report;
mod ruled;
#[cfg(test)]
mod tests;

use checks::{Counted, Verification};
use claims::{Claim, Extraction};
use content::Content;
use material::Material;
use report::Method;
use ruled::{Ruled, Totals};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use synod_engine::{
    Answers, Bench, Calls, Example, Halt, Mode, ModeResult, ReplyFormat, Result, SeatReply, Seating, Stage, each, mode, prompt, seat,
};
use synod_types::*;

pub static MODE: Mode = mode! {
    id: "fact_check", name: "Fact-Check", family: Verification, seats: 3..=6,
    roles: &[each("checker"), seat("generator", 0), seat("extractor", 0), seat("reporter", 0)],
    summary: "The claims in a text are pulled out, every checker rules on each of them alone, and the text gets a computed reliability score.",
    pick: "Take it when it matters more that a text is true than that it reads well: give the text with --content, and files to check it against with --file.",
    phases: &["generate", "extract", "verify", "report"],
    stages: &[
        Stage::from_seat::<Value>("generate", "generator"),
        Stage::computed::<Value>("content"),
        Stage::from_seat::<Value>("extract", "extractor"),
        Stage::from_seat::<Value>("verify_{n}", "checker"),
        Stage::computed::<Value>("consensus"),
        Stage::from_seat::<Value>("report", "reporter"),
        Stage::computed::<Value>("report").stand_in(),
    ],
    multi_turn: false, estimated_ms: 180_000, turn_secs: 120, run_secs: 600,
    cost: "n + 2 for a panel of n, whether the content is given or generated (then its author does not check); 1 or 2 when it holds no claims",
    example: Example { content: Some("release.md"), files: &["figures.csv"], ..Example::ask("Are the figures in this release right?") },
    failure_rule: "If the generator or the extractor fails, the next seat takes its place; whoever wrote the content never checks it. Unreadable checkers abstain; one that can be read is enough, but a verdict on a claim needs two votes. Where the checkers' confidence is tied, the lower counts, on purpose. If nobody can write the report, a computed one is returned.",
    prompts: ["generate", "extract", "verify", "report"],
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
    /// highly_reliable from 90, mostly_reliable from 70, mixed from 50, significant_errors from 30, else unreliable.
    pub band: Option<String>,
    pub verified: u32,
    pub disputed: u32,
    pub unverifiable: u32,
    pub claims: Vec<Decided>,
}

/// The panel's word on one claim.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Decided {
    pub id: String,
    pub claim: String,
    pub verdict: checks::Ruling,
    pub confidence: checks::Sureness,
    /// Percent of the votes cast; null with fewer than two.
    pub agreement: Option<u32>,
    pub correction: Option<String>,
}

fn calls(options: &Options, seating: &Seating) -> Vec<Calls> {
    let n = seating.panel();
    // Whether there is content to check, and claims in it, is known only in the run.
    vec![
        Calls { prompt: "generate", role: "generator", min: 0, max: 1, reads: 0, max_tokens: None },
        Calls { prompt: "extract", role: "extractor", min: 1, max: 1, reads: 1, max_tokens: Some(options.extract_tokens()) },
        Calls { prompt: "verify", role: "checker", min: 0, max: n, reads: 2, max_tokens: Some(options.verify_tokens()) },
        Calls { prompt: "report", role: "reporter", min: 0, max: 1, reads: n + 1, max_tokens: None },
    ]
}

async fn run(bench: &Bench, options: Options) -> Result<ModeResult> {
    let mut failed: Vec<SeatIx> = Vec::new();
    let content = content::content(bench, &options, &mut failed).await?;
    let claims = extract(bench, &options, &content, &mut failed).await?;
    if claims.is_empty() {
        return nothing_to_check(bench, &content).await;
    }
    let material = Material::new(&bench.question().files, &claims, options.passages as usize);
    let (ruled, checkers) = verify(bench, &options, &content, claims, &material, &mut failed).await?;
    let totals = Totals::of(&ruled);
    bench.phase("verify").show("consensus", ruled::exhibit(bench, &ruled, &totals))?;
    let method = Method { checkers, with_passages: !material.passages.is_empty() };
    let answer = write(bench, &content, &ruled, &totals, &method, &failed).await?;
    for (name, value) in
        [("claims", totals.claims()), ("verified", totals.verified), ("disputed", totals.disputed), ("unverifiable", totals.unverifiable)]
    {
        bench.figure(name, f64::from(value));
    }
    if let Some(score) = totals.score {
        bench.figure("reliability", f64::from(score));
    }
    if let Some(agreement) = totals.agreement {
        bench.figure("agreement", agreement);
    }
    // One checker agrees with itself: that says nothing.
    let confidence = totals.agreement.filter(|_| checkers > 1).map(|value| Confidence {
        value: Some(value),
        source: ConfidenceSource::Agreement,
        n: checkers as u32,
    });
    Ok(ModeResult {
        status: None,
        stop_reason: "finished",
        answer: Some(answer),
        decision: Some(decision(&ruled, &totals)),
        confidence,
        dissent: ruled::dissent(&ruled),
        data: json!({"checkers": checkers, "averageAgreementRate": totals.agreement_rate(), "measure": ruled::MEASURE}),
    })
}

/// A role's holder and then the panel, those who already failed in this run last.
fn line_up(bench: &Bench, role: &str, failed: &[SeatIx]) -> Vec<SeatIx> {
    let mut seats: Vec<SeatIx> = bench.role(role).to_vec();
    seats.extend(bench.role("checker").iter().filter(|seat| !bench.role(role).contains(seat)));
    seats.sort_by_key(|seat| failed.contains(seat));
    seats
}

/// The first in line that answers; those before it are noted as failed.
async fn first<T: ReplyFormat>(stage: &Bench, seats: &[SeatIx], ask: synod_engine::Prompt, failed: &mut Vec<SeatIx>) -> Result<Option<SeatReply<T>>> {
    let given = stage.ask_first::<T>(seats, ask).await?;
    let answered = given.as_ref().map(|given| given.seat);
    failed.extend(seats.iter().take_while(|seat| Some(**seat) != answered));
    Ok(given)
}

async fn extract(bench: &Bench, options: &Options, content: &Content, failed: &mut Vec<SeatIx>) -> Result<Vec<Claim>> {
    let stage = bench.phase("extract");
    let ask = prompt!("extract", checked = content.text, generated = content.author.is_some(), most = options.max_claims);
    let seats = line_up(bench, "extractor", failed);
    let Some(given) = first::<Extraction>(&stage, &seats, ask.max_tokens(options.extract_tokens()), failed).await? else {
        return Err(Halt::no_quorum("extract", "no seat could extract the claims"));
    };
    let (claims, over) = claims::number(&content.text, given.value.claims, options.max_claims as usize);
    if over > 0 {
        stage.warn(format!("{over} more claims were extracted and not checked: max_claims is {}.", options.max_claims));
    }
    stage.show("extract", claims::exhibit(&claims).by(given.seat, "extractor").turn(&given.key))?;
    Ok(claims)
}

/// Every seat but the author rules on all claims alone. Returns the rulings, and how many checkers they rest on.
async fn verify(
    bench: &Bench,
    options: &Options,
    content: &Content,
    claims: Vec<Claim>,
    material: &Material,
    failed: &mut Vec<SeatIx>,
) -> Result<(Vec<Ruled>, usize)> {
    let stage = bench.phase("verify");
    let checkers: Vec<SeatIx> = bench.role("checker").iter().copied().filter(|seat| Some(*seat) != content.author).collect();
    warn_of_kin(&stage, &checkers, content.author);
    let shown: Vec<Value> = claims
        .iter()
        .zip(&material.near)
        .map(|(claim, near)| json!({"id": claim.id, "claim": claim.claim, "context": claim.context, "type": claim.kind, "near": near}))
        .collect();
    let ask = prompt!("verify", checked = content.text, claims = shown, passages = material.passages);
    let ask = ask.ids("claims", claims.iter().map(|claim| claim.id.clone())).max_tokens(options.verify_tokens());
    let given: Answers<Verification> = stage.ask_all(&checkers, ask).await?.quorum(1)?;
    failed.extend(given.failures.iter().map(|missed| missed.seat));
    let mut votes: Vec<(SeatIx, Vec<Counted>)> = Vec::new();
    for seat in &checkers {
        let label = &stage.seat(*seat).label;
        let (counted, key, why) = match given.of(*seat) {
            Some(reply) => (checks::counted(&reply.value, &claims, material), Some(&reply.key), None),
            None => {
                let missed = given.failures.iter().find(|missed| missed.seat == *seat);
                (Vec::new(), missed.map(|missed| &missed.key), missed.map(|missed| missed.failure.kind.plain().to_owned()))
            }
        };
        let none = "ruled on none of the claims";
        if counted.is_empty() && why.is_none() {
            stage.abstained(*seat, none);
        } else if !counted.is_empty() && counted.len() < claims.len() {
            stage.warn(format!("{label} ruled on {} of {} claims.", counted.len(), claims.len()));
        }
        let why = why.or_else(|| counted.is_empty().then(|| none.to_owned()));
        let row = checks::exhibit(format!("Checks by {label}"), &counted, &claims, why).by(*seat, "checker");
        stage.show(&format!("verify_{seat}"), key.into_iter().fold(row, |row, key| row.turn(key)))?;
        if !counted.is_empty() {
            votes.push((*seat, counted));
        }
    }
    if votes.is_empty() {
        return Err(Halt::no_quorum("verify", "no checker ruled on any claim"));
    }
    let of = |claim: &Claim| {
        votes.iter().filter_map(|(seat, counted)| Some((*seat, counted.iter().find(|check| check.claim == claim.id)?.clone()))).collect()
    };
    let ruled: Vec<Ruled> = claims.into_iter().map(|claim| Ruled::new(claim.clone(), of(&claim))).collect();
    let lone: Vec<&str> = ruled.iter().filter(|claim| claim.outcome.agreement.is_none()).map(|claim| claim.claim.id.as_str()).collect();
    if !lone.is_empty() {
        stage.warn(format!("Fewer than two checkers ruled on {}: unverifiable, and without weight in the score.", lone.join(", ")));
    }
    Ok((ruled, votes.len()))
}

/// Seats of one model are separate seats, but their agreement is worth less.
fn warn_of_kin(stage: &Bench, checkers: &[SeatIx], author: Option<SeatIx>) {
    let model = |seat: SeatIx| stage.seat(seat).model.as_str();
    if let Some(author) = author.filter(|author| checkers.iter().any(|seat| model(*seat) == model(*author))) {
        stage.warn(format!("{} wrote the content and also checks it from another seat.", model(author)));
    }
    if let [one, others @ ..] = checkers
        && !others.is_empty()
        && others.iter().all(|seat| model(*seat) == model(*one))
    {
        stage.warn(format!("All checkers are {}: their agreement is that of one model with itself.", model(*one)));
    }
}

/// The reporter explains the result; the table and the marked content below it are computed.
async fn write(bench: &Bench, content: &Content, ruled: &[Ruled], totals: &Totals, method: &Method, failed: &[SeatIx]) -> Result<Answer> {
    let stage = bench.phase("report");
    let vote = |check: &Counted| json!({"verdict": check.verdict, "confidence": check.confidence, "evidence": check.evidence, "quote": check.quote, "found_in": check.found_in});
    let rows: Vec<Value> = ruled
        .iter()
        .map(|claim| {
            let votes: Vec<Value> = claim.votes.iter().map(|(_, check)| vote(check)).collect();
            json!({
                "id": claim.claim.id, "claim": claim.claim.claim, "verdict": claim.outcome.ruling, "confidence": claim.outcome.sureness,
                "agreement": claim.agreement(), "correction": claim.correction, "note": claim.note(), "votes": votes,
            })
        })
        .collect();
    let ask = prompt!(
        "report",
        checked = content.text,
        generated = content.author.is_some(),
        claims = rows,
        headline = report::headline(totals),
        with_passages = method.with_passages
    );
    let written = stage.ask_first::<String>(&line_up(bench, "reporter", failed), ask).await?;
    let appendix = report::appendix(&content.text, ruled, totals, method);
    let data = |fallback: bool| {
        json!({
            "reliabilityScore": totals.score, "verified": totals.verified, "disputed": totals.disputed, "unverifiable": totals.unverifiable,
            "totalClaims": totals.claims(), "checkerCount": method.checkers, "averageAgreementRate": totals.agreement_rate(), "fallback": fallback,
        })
    };
    match written {
        Some(given) => {
            if given.partial {
                stage.warn("The explanation was cut off at its token limit: its end is missing.");
            }
            stage.show("report", Exhibit::said("Report", given.seat, "reporter", &given.key).data(&data(false)))?;
            Ok(Answer { kind: AnswerKind::Report, text: format!("{}\n\n{appendix}", given.value.trim()), by: vec![given.seat] })
        }
        None => {
            stage.warn("Nobody could write the report; it is the computed part alone.");
            let text = format!("{}\n\n{appendix}", report::headline(totals));
            stage.show("report", Exhibit::note("Report", &text).data(&data(true)))?;
            Ok(Answer { kind: AnswerKind::Computed, text, by: Vec::new() })
        }
    }
}

/// A content without claims is a result: nobody is asked to check or to report.
async fn nothing_to_check(bench: &Bench, content: &Content) -> Result<ModeResult> {
    let text = report::nothing(&content.text);
    let totals = Totals::default();
    let data = json!({
        "reliabilityScore": null, "verified": 0, "disputed": 0, "unverifiable": 0, "totalClaims": 0, "checkerCount": 0,
        "averageAgreementRate": null, "fallback": true, "note": "no claims",
    });
    bench.phase("report").show("report", Exhibit::note("Report", &text).data(&data))?;
    bench.figure("claims", 0.0);
    Ok(ModeResult {
        stop_reason: "no_claims",
        answer: Some(Answer { kind: AnswerKind::Computed, text, by: Vec::new() }),
        decision: Some(decision(&[], &totals)),
        data: json!({"checkers": 0, "averageAgreementRate": null, "measure": ruled::MEASURE}),
        ..ModeResult::default()
    })
}

fn decision(ruled: &[Ruled], totals: &Totals) -> Value {
    let decided = |claim: &Ruled| Decided {
        id: claim.claim.id.clone(),
        claim: claim.claim.claim.clone(),
        verdict: claim.outcome.ruling,
        confidence: claim.outcome.sureness,
        agreement: claim.agreement(),
        correction: claim.correction.clone(),
    };
    let band = totals.band().map(|band| band.as_str().to_owned());
    let Totals { score, verified, disputed, unverifiable, .. } = *totals;
    synod_engine::to_value(&Decision { score, band, verified, disputed, unverifiable, claims: ruled.iter().map(decided).collect() })
}
