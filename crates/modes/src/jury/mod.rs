//! Jury: jurors score a given work alone, their scores decide the verdict, and a foreman who scored nothing writes the report.

mod assessment;
mod report;
mod summary;

use crate::work;
pub use assessment::{Assessment, Ruling};
pub use report::Report;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use summary::{Juror, Summary, Votes};
use synod_engine::{Answers, Bench, Calls, Example, Halt, Mode, ModeResult, Result, SeatReply, Seating, Stage, chair_apart, each, mode, prompt};
use synod_math::Agreement;
use synod_types::*;

/// One juror is an opinion, not a jury.
const LEAST: usize = 2;

pub static MODE: Mode = mode! {
    id: "jury", name: "Jury", family: Evaluation, seats: 4..=7, roles: &[each("juror"), chair_apart("foreman")],
    summary: "Jurors score a text on five dimensions without seeing each other, the scores decide, and a foreman reports.",
    pick: "Take it when the text already exists and you want to know whether it will do: approve, revise or reject, with the reasons.",
    phases: &["present", "deliberation", "verdict"],
    stages: &[
        Stage::computed::<Value>("present"),
        Stage::from_seat::<Value>("deliberation", "juror"),
        Stage::computed::<Value>("juror_summary"),
        Stage::computed::<Value>("juror_votes"),
        Stage::from_seat::<Value>("verdict", "foreman"),
        Stage::computed::<Value>("verdict").stand_in(),
    ],
    multi_turn: false, estimated_ms: 90_000, turn_secs: 120, run_secs: 600,
    cost: "n + 1 for n jurors",
    example: Example { content: Some("release-notes.md"), ..Example::ask("Notes for users upgrading from 1.x") },
    failure_rule: "Two readable jurors are enough. If the foreman fails, no juror takes over, since the jurors wrote what is reported on: the report is computed from the scores.",
    prompts: ["juror", "foreman"],
};

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The most tokens one juror's assessment may take.
    #[schemars(range(min = 256, max = 32768))]
    pub assessment_tokens: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { assessment_tokens: 3072 }
    }
}

impl Options {
    fn check(&self) -> Vec<Problem> {
        Vec::new()
    }
}

/// What a script branches on.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    pub verdict: Ruling,
    /// The count was equal, and the jury's rule settled it towards caution.
    pub tied: bool,
    /// Votes as counted: each juror's average decides its vote, or the stated verdict of a juror who scored nothing.
    pub tally: Votes,
    /// What the jurors said their verdicts were.
    pub stated_tally: Votes,
    /// Mean of the jurors' averages, from 1 to 10.
    pub average: Option<f64>,
    pub dimensions: Vec<DimensionScore>,
    /// Null when there was none to report.
    pub foreman: Option<Foreman>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DimensionScore {
    pub name: String,
    /// Null where nobody scored it.
    pub average: Option<f64>,
    pub min: Option<f64>,
    pub max: Option<f64>,
}

/// The foreman's own view, which changes nothing.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Foreman {
    pub verdict: Ruling,
    pub agrees: bool,
    pub reasons: String,
}

fn calls(options: &Options, seating: &Seating) -> Vec<Calls> {
    let n = seating.panel();
    vec![
        Calls { prompt: "juror", role: "juror", min: n, max: n, reads: 0, max_tokens: Some(options.assessment_tokens) },
        Calls { prompt: "foreman", role: "foreman", min: 1, max: 1, reads: n, max_tokens: None },
    ]
}

async fn run(bench: &Bench, options: Options) -> Result<ModeResult> {
    work::warn_if_question(bench);
    let presented = Exhibit::note("The work", work::text(bench)).data(&json!({"originalQuestion": work::task(bench)}));
    bench.phase("present").show("present", presented)?;

    let summary = deliberate(bench, &options).await?;
    let (answer, foreman) = conclude(bench, &summary).await?;

    let votes: Vec<Option<usize>> = summary.jurors.iter().map(|juror| Some(juror.vote.index())).collect();
    let agreement = Agreement::with_winner(summary.verdict.index(), &votes);
    if let Some(value) = agreement.value {
        bench.figure("agreement", value);
    }
    if let Some(average) = summary.average {
        bench.figure("average", average);
    }
    let minority = summary.by_label().into_iter().filter(|juror| juror.vote != summary.verdict);
    let mut dissent: Vec<Dissent> =
        minority.map(|juror| Dissent { seat: juror.seat, label: Some(juror.label.clone()), text: juror.assessment.reasons.clone() }).collect();
    if let Some(given) = foreman.as_ref().filter(|given| given.value.verdict != summary.verdict) {
        dissent.push(Dissent { seat: given.seat, label: None, text: format!("{}: {}", given.value.verdict.as_str(), reasons_of(&given.value)) });
    }
    let decision = Decision {
        verdict: summary.verdict,
        tied: summary.tied,
        tally: summary.votes,
        stated_tally: summary.stated,
        average: summary.average,
        dimensions: assessment::DIMENSIONS
            .iter()
            .zip(&summary.dimensions)
            .map(|(name, row)| DimensionScore { name: (*name).to_owned(), average: row.average, min: row.min, max: row.max })
            .collect(),
        foreman: foreman.map(|given| Foreman {
            verdict: given.value.verdict,
            agrees: given.value.verdict == summary.verdict,
            reasons: reasons_of(&given.value).to_owned(),
        }),
    };
    Ok(ModeResult {
        status: None,
        stop_reason: "finished",
        answer: Some(answer),
        decision: Some(synod_engine::to_value(&decision)),
        confidence: Some(Confidence { value: agreement.value, source: ConfidenceSource::Agreement, n: agreement.n }),
        dissent,
        data: json!({"dimensionAnalysis": summary.analysis()}),
    })
}

/// The foreman's reasons; where the reply was plain text, the report holds them.
fn reasons_of(report: &Report) -> &str {
    if report.reasons.trim().is_empty() { &report.report } else { &report.reasons }
}

/// Every juror alone, then what they come to.
async fn deliberate(bench: &Bench, options: &Options) -> Result<Summary> {
    let stage = bench.phase("deliberation");
    let seats = bench.role("juror");
    let given = stage.ask_all::<Assessment>(seats, prompt!("juror").max_tokens(options.assessment_tokens)).await?;
    let labels = synod_math::labels(bench.seed("labels"), seats.len());
    let label = |seat: SeatIx| seats.iter().position(|juror| *juror == seat).map_or_else(String::new, |at| labels[at].clone());
    let jurors: Vec<Juror> = given.replies.iter().filter_map(|given| Juror::new(label(given.seat), given.clone())).collect();
    for seat in seats {
        let exhibit = match jurors.iter().find(|juror| juror.seat == *seat) {
            Some(juror) => juror.exhibit(),
            None => absent(&label(*seat), &given, *seat),
        };
        stage.show("deliberation", exhibit.by(*seat, "juror"))?;
    }
    given.quorum(LEAST)?;
    for juror in &jurors {
        if let (Some(stated), Some(average)) = (juror.mismatch(), juror.average) {
            let vote = juror.vote.as_str();
            stage.warn(format!(
                "Juror {} stated {}, but scored {average} on average, which is {vote}; the scores count.",
                juror.label,
                stated.as_str()
            ));
        }
    }
    let summary = Summary::of(seats.len(), jurors).ok_or_else(|| Halt::no_quorum("deliberation", "no juror gave a score or a verdict"))?;
    stage.show("juror_summary", summary.scorecard())?;
    stage.show("juror_votes", summary.vote())?;
    Ok(summary)
}

/// A juror who was asked and cannot be counted, and why.
fn absent(label: &str, given: &Answers<Assessment>, seat: SeatIx) -> Exhibit {
    let missed = given.failures.iter().find(|missed| missed.seat == seat);
    let data = json!({
        "label": label, "scores": null, "average": null, "verdict": null, "computedVerdict": null, "recommendations": [],
        "parseSuccess": false, "error": missed.map(|missed| missed.failure.to_string()),
    });
    let why = missed.map_or("gave neither a score nor a verdict", |missed| missed.failure.kind.plain());
    let exhibit = Exhibit::note(format!("Juror {label}"), format!("This juror {why}.")).data(&data);
    match missed {
        Some(missed) => exhibit.turn(&missed.key),
        None => exhibit,
    }
}

/// The foreman's report, or one computed from the numbers: jurors may not report on assessments of their own.
async fn conclude(bench: &Bench, summary: &Summary) -> Result<(Answer, Option<SeatReply<Report>>)> {
    let stage = bench.phase("verdict");
    let foremen = bench.role("foreman");
    let dimensions = summary.analysis();
    let jurors: Vec<_> = summary
        .by_label()
        .iter()
        .map(|juror| {
            let recommendations: Vec<String> = juror.assessment.recommendations.iter().map(|text| format!("- {}", text.trim())).collect();
            let text = format!("{}\n\n{}", juror.assessment.reasons.trim(), recommendations.join("\n"));
            json!({"label": juror.label, "vote": juror.vote, "stated": juror.mismatch(), "average": juror.average, "text": text.trim()})
        })
        .collect();
    let ask = prompt!("foreman", verdict = summary.verdict, tally = summary.votes.plain(), tied = summary.tied, dimensions, jurors);
    let Some(given) = stage.ask_first::<Report>(foremen, ask).await? else {
        let who: Vec<&str> = foremen.iter().map(|seat| bench.seat(*seat).label.as_str()).collect();
        stage.warn(format!("{} failed as foreman, and no juror may report on the jury: the report is computed from the scores.", who.join(", ")));
        let text = report::computed(summary);
        stage.show("verdict", Exhibit::note("Verdict", &text).data(&report_data(summary, None)))?;
        return Ok((Answer { kind: AnswerKind::Computed, text, by: Vec::new() }, None));
    };
    let agrees = given.value.verdict == summary.verdict;
    bench.figure("foreman_agrees", f64::from(u8::from(agrees)));
    if !agrees {
        let (own, jury) = (given.value.verdict.as_str(), summary.verdict.as_str());
        stage.warn(format!("The foreman would have said {own}; the jury's {jury} stands."));
    }
    let text = report::written(summary, &given.value);
    let said = Statement { text: Some(text.clone()), ..Statement::default() };
    let data = report_data(summary, Some(&given.value));
    let exhibit = Exhibit::new("Verdict", Shape::Statement(said)).by(given.seat, "foreman").turn(&given.key).data(&data);
    stage.show("verdict", exhibit)?;
    Ok((Answer { kind: AnswerKind::Report, text, by: vec![given.seat] }, Some(given)))
}

fn report_data(summary: &Summary, report: Option<&Report>) -> serde_json::Value {
    json!({
        "finalVerdict": summary.verdict,
        "foremanVerdict": report.map(|report| report.verdict),
        "foremanAgrees": report.map(|report| report.verdict == summary.verdict),
        "dimensionAnalysis": summary.analysis(),
        "keyStrengths": report.map(|report| &report.strengths),
        "keyWeaknesses": report.map(|report| &report.weaknesses),
        "recommendations": report.map(|report| &report.improvements),
        "dissentingOpinions": report.map(|report| &report.dissent),
    })
}

#[cfg(test)]
mod tests;
