//! Jury: jurors score a given work alone, their scores decide the verdict, and a foreman who scored nothing writes the report.

mod assessment;
mod report;
mod rows;
mod summary;

use crate::{attendance, closing, tally, work};
pub use assessment::{Assessment, Ruling};
pub use report::Report;
use rows::{JurorRow, ScoresRow, VerdictData, VerdictRow, VotesRow, WorkRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use summary::{Juror, Summary, Votes};
use synod_engine::{
    Bench, Example, FigureKind, Halt, Means, Mode, ModeResult, PlannedCalls, RequestName, Result, SeatReply, Seating, Stage, chair_apart, each, mode,
    prompt,
};
use synod_math::{Agreement, Choice, JudgedThing};
use synod_types::*;

/// A jury needs at least two jurors who can be read.
const LEAST: usize = 2;

pub static MODE: Mode = mode! {
    id: "jury", version: 4, name: "Jury", family: Evaluation, seats: 4..=7, roles: &[each("juror"), chair_apart("foreman")],
    summary: "Jurors score a text on five dimensions without seeing each other, the scores decide, and a foreman reports.",
    pick: "Take it when the text already exists and you want to know whether it will do: approve, revise or reject, with the reasons.",
    phases: &["present", "deliberation", "verdict"],
    stages: &[
        Stage::computed::<WorkRow>("present"),
        Stage::from_seat::<JurorRow>("deliberation", "juror"),
        Stage::computed::<ScoresRow>("juror_summary"),
        Stage::computed::<VotesRow>("juror_votes"),
        Stage::from_seat::<VerdictRow>("verdict", "foreman"),
        Stage::computed::<VerdictRow>("verdict").stand_in(),
    ],
    figures: &[
        FigureKind::total("verdict", "What the juries decided"),
        FigureKind::mean("dimension", "Mean score, by dimension"),
        FigureKind::mean("average", "Mean score of the work"),
        FigureKind::share("foreman_agrees", "Foremen who agreed with their jury"),
        FigureKind::mean("agreement", "How far the panel's ballots agree, above chance"),
    ],
    multi_turn: false, estimated_ms: 90_000, turn_secs: 120, run_secs: 600,
    cost: "n + 1 for n jurors",
    example: Example { content: Some("release-notes.md"), ..Example::ask("Notes for users upgrading from 1.x") },
    failure_rule: "Two readable jurors are enough. If the foreman fails, no juror takes over, since the jurors wrote what is reported on: the report is computed from the scores.",
    prompts: ["juror", "foreman"],
    request_names: &[
        RequestName::content("content"),
        RequestName { name: "originalQuestion", means: Means::WrittenFor },
        RequestName::panel("jurorModels"),
        RequestName::role("foremanModel", "foreman"),
    ],
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

fn calls(options: &Options, seating: &Seating) -> Vec<PlannedCalls> {
    let n = seating.panel();
    vec![
        PlannedCalls { prompt: "juror", role: "juror", min: n, max: n, reads: 0, max_tokens: Some(options.assessment_tokens) },
        PlannedCalls { prompt: "foreman", role: "foreman", min: 1, max: 1, reads: n, max_tokens: None },
    ]
}

async fn run(bench: &Bench, options: Options) -> Result<ModeResult> {
    work::warn_if_question(bench);
    let data = WorkRow { original_question: work::task(bench).map(str::to_owned) };
    bench.phase("present").show("present", Exhibit::note("The work", work::text(bench)).data(&data))?;

    let summary = deliberate(bench, &options).await?;
    let (answer, foreman) = conclude(bench, &summary).await?;

    let choices = summary.jurors.iter().map(|juror| Choice::among(0..Ruling::ALL.len(), juror.vote.index())).collect();
    let agreement = Agreement::of_choices(&[JudgedThing { panel: Some(summary.verdict.index()), choices }]);
    bench.figure("average", summary.average);
    bench.note(Figure::new("verdict", 1.0).label(summary.verdict.as_str()));
    for (dimension, row) in assessment::DIMENSIONS.iter().zip(&summary.dimensions) {
        if let Some(average) = row.average {
            bench.note(Figure::new("dimension", average).label(*dimension));
        }
    }
    let minority = summary.by_label().into_iter().filter(|juror| juror.vote != summary.verdict);
    let mut dissent: Vec<Dissent> = minority.map(Juror::dissent).collect();
    if let Some(reply) = foreman.as_ref().filter(|reply| reply.value.verdict != summary.verdict) {
        dissent.push(Dissent {
            seat: Some(reply.seat),
            label: None,
            text: format!("{}: {}", reply.value.verdict.as_str(), reasons_of(&reply.value)),
        });
    }
    let action = report::action(&summary, foreman.as_ref().map(|reply| &reply.value));
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
        foreman: foreman.map(|reply| Foreman {
            verdict: reply.value.verdict,
            agrees: reply.value.verdict == summary.verdict,
            reasons: reasons_of(&reply.value).to_owned(),
        }),
    };
    Ok(ModeResult::ended("finished", answer)
        .action(action)
        .decision(summary.sentence(), &decision)
        .confidence(tally::confidence(bench, agreement))
        .dissent(dissent)
        .data(&VerdictData { dimension_analysis: summary.analysis() }))
}

/// The foreman's reasons; where the reply was plain text, the report holds them.
fn reasons_of(report: &Report) -> &str {
    if report.reasons.trim().is_empty() { &report.report } else { &report.reasons }
}

/// Every juror alone, then what they come to.
async fn deliberate(bench: &Bench, options: &Options) -> Result<Summary> {
    let phase = bench.phase("deliberation");
    let seats = bench.role("juror");
    let answers = phase.ask_all::<Assessment>(seats, prompt!("juror").max_tokens(options.assessment_tokens)).await?;
    let labels = synod_math::labels(bench.seed("labels"), seats.len());
    let label = |seat: SeatIx| seats.iter().position(|juror| *juror == seat).map_or_else(String::new, |at| labels[at].clone());
    let jurors: Vec<Juror> = answers.replies.iter().filter_map(|reply| Juror::new(label(reply.seat), reply.clone())).collect();
    for seat in seats {
        let exhibit = match jurors.iter().find(|juror| juror.seat == *seat) {
            Some(juror) => juror.exhibit().by(*seat, "juror"),
            None => {
                let (label, failed) = (label(*seat), answers.failure_of(*seat));
                let error = failed.map(|failed| failed.failure.to_string());
                attendance::absence(format!("Juror {label}"), *seat, "juror", failed, "gave neither a score nor a verdict").data(&JurorRow {
                    label,
                    error,
                    ..JurorRow::default()
                })
            }
        };
        phase.show("deliberation", exhibit)?;
    }
    answers.quorum(LEAST)?;
    for juror in &jurors {
        if let (Some(stated), Some(average)) = (juror.mismatch(), juror.average) {
            let vote = juror.vote.as_str();
            phase.warn(format!(
                "Juror {} stated {}, but scored {average} on average, which is {vote}; the scores count.",
                juror.label,
                stated.as_str()
            ));
        }
    }
    let summary = Summary::of(seats.len(), jurors).ok_or_else(|| Halt::no_quorum("deliberation", "no juror gave a score or a verdict"))?;
    phase.show("juror_summary", summary.scores_exhibit())?;
    phase.show("juror_votes", summary.votes_exhibit())?;
    Ok(summary)
}

/// The foreman's report, or one computed from the numbers: jurors may not report on assessments of their own.
async fn conclude(bench: &Bench, summary: &Summary) -> Result<(Answer, Option<SeatReply<Report>>)> {
    let phase = bench.phase("verdict");
    let foremen = bench.role("foreman");
    let dimensions = summary.analysis();
    let jurors: Vec<_> = summary
        .by_label()
        .iter()
        .map(|juror| {
            let because = assessment::DIMENSIONS.iter().zip(juror.assessment.because.whole()).filter(|(_, why)| !why.is_empty());
            let because: String = because.map(|(name, why)| format!("{name}: {why}\n")).collect();
            let recommendations: String = juror.assessment.recommendations.iter().map(|text| format!("- {}\n", text.trim())).collect();
            let text = format!("{}\n\n{because}\n{recommendations}", juror.assessment.reasons.trim());
            json!({"label": juror.label, "vote": juror.vote, "stated": juror.mismatch(), "average": juror.average, "text": text.trim()})
        })
        .collect();
    let ask = prompt!("foreman", verdict = summary.verdict, tally = summary.votes.plain(), tied = summary.tied, dimensions, jurors);
    let Some(reply) = phase.ask_first::<Report>(foremen, ask).await? else {
        let who: Vec<&str> = foremen.iter().map(|seat| bench.seat(*seat).label.as_str()).collect();
        phase.warn(format!("{} failed as foreman, and no juror may report on the jury: the report is computed from the scores.", who.join(", ")));
        let text = report::compose_from_scores(summary);
        return Ok((closing::computed(&phase, "verdict", "Verdict", text, [], &verdict_row(summary, None))?, None));
    };
    let agrees = reply.value.verdict == summary.verdict;
    bench.figure("foreman_agrees", f64::from(u8::from(agrees)));
    if !agrees {
        let (own, jury) = (reply.value.verdict.as_str(), summary.verdict.as_str());
        phase.warn(format!("The foreman would have said {own}; the jury's {jury} stands."));
    }
    let text = report::compose(summary, &reply.value);
    let data = verdict_row(summary, Some(&reply.value));
    let exhibit = Exhibit::statement("Verdict", &text).part("The foreman's reasons", &reply.value.reasons);
    let exhibit = exhibit.by(reply.seat, "foreman").turn(&reply.key).data(&data);
    phase.show("verdict", exhibit)?;
    Ok((Answer { kind: AnswerKind::Report, text, by: vec![reply.seat] }, Some(reply)))
}

fn verdict_row(summary: &Summary, report: Option<&Report>) -> VerdictRow {
    VerdictRow {
        final_verdict: summary.verdict,
        foreman_verdict: report.map(|report| report.verdict),
        foreman_agrees: report.map(|report| report.verdict == summary.verdict),
        dimension_analysis: summary.analysis(),
        key_strengths: report.map(|report| report.strengths.clone()),
        key_weaknesses: report.map(|report| report.weaknesses.clone()),
        recommendations: report.map(|report| report.improvements.clone()),
        dissenting_opinions: report.map(|report| report.dissent.clone()),
    }
}

#[cfg(test)]
mod tests;
