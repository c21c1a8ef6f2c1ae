//! Confidence-weighted: seats answer alone and say how sure they are; a softmax makes weights of it, and one answer is written by them.

mod reply;
mod rows;
#[cfg(test)]
mod tests;
mod weighing;

use crate::{attendance, closing, labelled};
use reply::{Blend, RatedAnswer};
use rows::{AnswerRow, CalibrationRow, ModelWeight, SynthesisRow, VerdictData, WeightsRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use synod_engine::{
    Answers, Bench, Example, FigureKind, Mode, ModeResult, PlannedCalls, RequestName, Result, SeatReply, Seating, Stage, each, mode, prompt, seat,
};
use synod_math::weights::percent;
use synod_types::*;
use weighing::{StatedAnswer, WeightedAnswer, heaviest_first, weigh};

pub static MODE: Mode = mode! {
    id: "confidence_weighted", version: 5, name: "Confidence-Weighted", family: Algorithmic, seats: 2..=6, roles: &[each("respondent"), seat("synthesizer", 0)],
    summary: "Everyone answers and says how sure they are; the surer an answer, the more it shapes the one that is returned.",
    pick: "Take it when it matters how sure each model is, and you want to see that beside the answer.",
    phases: &["answer", "weights", "synthesis"],
    stages: &[
        Stage::from_seat::<AnswerRow>("answer_{n}", "respondent"),
        Stage::computed::<WeightsRow>("weights"),
        Stage::from_seat::<SynthesisRow>("synthesis", "synthesizer"),
        Stage::computed::<SynthesisRow>("synthesis").stand_in(),
        Stage::from_seat::<CalibrationRow>("calibration", "synthesizer"),
    ],
    figures: &[
        FigureKind::mean("outliers", "Answers far from the others in confidence"),
        FigureKind::mean("top_weight", "Weight of the heaviest answer"),
    ],
    multi_turn: true, estimated_ms: 90_000, turn_secs: 120, run_secs: 600,
    cost: "n + 1 for a panel of n",
    example: Example::ask("Which of these two index layouts will be faster for range scans?"),
    failure_rule: "One answer is enough; alone it is returned as it is. A confidence that was not stated is missing, not a half: the mean of the others stands in for it, and the record says so. If the synthesizer fails, the next seat by weight writes; if nobody can, the heaviest answer is returned.",
    prompts: ["answer", "synthesis"],
    request_names: &[
        RequestName::panel("models"),
        RequestName::role("synthesisModel", "synthesizer"),
    ],
};

/// How much of a text a row's data quotes.
const PREVIEW: usize = 200;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// What an answer's weight comes from: the confidence its author stated, nothing (equal), or its likeness to the other answers (agreement).
    pub weights: Weights,
    /// How far differences count: at 0.1 the highest takes nearly all, at 5 all weigh nearly the same.
    #[schemars(range(min = 0.1, max = 5.0))]
    pub temperature: f64,
    /// The most tokens one answer may take.
    #[schemars(range(min = 64, max = 32768))]
    pub answer_tokens: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Weights {
    #[default]
    Stated,
    Equal,
    Agreement,
}

impl Weights {
    const ALL: [Self; 3] = [Self::Stated, Self::Equal, Self::Agreement];

    /// As people are shown it: what the option has always called agreement is a likeness of texts.
    fn title(self) -> &'static str {
        match self {
            Self::Stated => "stated",
            Self::Equal => "equal",
            Self::Agreement => "likeness",
        }
    }

    /// As the synthesizer is told.
    fn basis(self) -> &'static str {
        match self {
            Self::Stated => "the ratings; nobody has checked them",
            Self::Equal => "nothing: all weigh the same",
            Self::Agreement => "how much it has in common with the others",
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self { weights: Weights::Stated, temperature: 0.25, answer_tokens: 4096 }
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
    /// What the weights come from.
    pub weights: Weights,
    /// Every answer, heaviest first.
    pub answers: Vec<Share>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Share {
    pub label: String,
    pub seat: u32,
    pub model: String,
    /// Its part of the whole, from 0 to 1.
    pub weight: f64,
    /// Null where none was stated.
    pub confidence: Option<f64>,
}

fn calls(options: &Options, seating: &Seating) -> Vec<PlannedCalls> {
    let n = seating.panel();
    vec![
        PlannedCalls { prompt: "answer", role: "respondent", min: n, max: n, reads: 0, max_tokens: Some(options.answer_tokens) },
        PlannedCalls { prompt: "synthesis", role: "synthesizer", min: 1, max: 1, reads: n, max_tokens: None },
    ]
}

async fn run(bench: &Bench, options: Options) -> Result<ModeResult> {
    let answers = ask(bench, &options).await?;
    let labels = synod_math::labels(bench.seed("labels"), answers.replies.len());
    for (reply, label) in answers.replies.iter().zip(&labels) {
        show_answer(bench, reply, label)?;
    }
    for failed in &answers.failures {
        let row = AnswerRow { error: Some(failed.failure.to_string()), ..AnswerRow::default() };
        bench.phase("answer").show(&format!("answer_{}", failed.seat), attendance::failure("Answer", "respondent", failed).data(&row))?;
    }
    let stated_answers = answers.replies.into_iter().zip(labels).map(|(reply, label)| {
        let stated = reply.value.stated();
        StatedAnswer { label, seat: reply.seat, text: reply.value.answer, stated, reasons: reply.value.reasons }
    });
    let weighted = weigh(stated_answers.collect(), &options);
    let phase = bench.phase("weights");
    let silent: Vec<&str> = weighted.iter().filter(|answer| answer.stated.is_none()).map(|answer| answer.label.as_str()).collect();
    if options.weights == Weights::Stated && !silent.is_empty() {
        let how = if silent.len() == weighted.len() { "all weigh the same" } else { "the mean of the others stands in" };
        phase.warn(format!("No confidence was stated with {}; {how}.", silent.join(", ")));
    }
    phase.show("weights", weighing::exhibit(&weighted, &options, |seat| bench.seat(seat).model.clone()))?;

    let order = heaviest_first(&weighted);
    let answer = match order.as_slice() {
        [alone] => {
            bench.warn("Only one answer was given; it is returned as it is.");
            return_unchanged(bench, order.as_slice(), alone)?
        }
        order => synthesise(bench, &options, order).await?,
    };
    let outliers = weighted.iter().filter(|answer| answer.outlier() == Some(true)).count();
    bench.figure("outliers", outliers as f64);
    bench.figure("top_weight", order[0].weight);
    let share = |answer: &&WeightedAnswer| Share {
        label: answer.label.clone(),
        seat: answer.seat,
        model: bench.seat(answer.seat).model.clone(),
        weight: answer.weight,
        confidence: answer.stated,
    };
    let decision = Decision { weights: options.weights, answers: order.iter().map(share).collect() };
    let kept = |answer: &WeightedAnswer| Dissent { seat: Some(answer.seat), label: Some(answer.label.clone()), text: answer.text.clone() };
    let (heaviest, of) = (order[0], order.len());
    let (whose, share, gist) = (&bench.seat(heaviest.seat).label, heaviest.weight * 100.0, labelled::gist(&heaviest.text));
    // The answer that weighs most shapes the synthesis; it cannot be against it.
    let (leading, against): (Vec<_>, Vec<_>) = weighing::alone(&weighted).into_iter().partition(|answer| answer.seat == heaviest.seat);
    if !leading.is_empty() {
        bench.warn(format!("{whose}'s answer weighs most and is little like the others: its own word makes it so, not theirs."));
    }
    let summary =
        if of == 1 { format!("1 answer was given, {whose}'s{gist}") } else { format!("Of {of} answers {whose}'s weighs most, {share:.0} %{gist}") };
    Ok(ModeResult::ended("finished", answer)
        .decision(summary, &decision)
        .confidence(weighing::confidence(&weighted))
        .unsure("nobody said how sure they were")
        .dissent(against.into_iter().map(kept))
        .data(&VerdictData { temperature: options.temperature, outliers, dissent_rule: weighing::DISSENT }))
}

async fn ask(bench: &Bench, options: &Options) -> Result<Answers<RatedAnswer>> {
    let ask = prompt!("answer").max_tokens(options.answer_tokens);
    bench.phase("answer").ask_all::<RatedAnswer>(bench.role("respondent"), ask).await?.quorum(1)
}

fn show_answer(bench: &Bench, reply: &SeatReply<RatedAnswer>, label: &str) -> Result<()> {
    let rated = &reply.value;
    let stated = rated.stated();
    let failure_note = || match rated.confidence {
        Some(number) => format!("{number} is neither a fraction nor a percentage"),
        None => "no confidence was stated".to_owned(),
    };
    let data = AnswerRow {
        confidence: stated,
        confidence_reasoning: rated.reasons.clone(),
        parsed_successfully: stated.is_some(),
        response_preview: preview(&rated.answer),
        parse_failure_note: stated.is_none().then(failure_note),
        error: None,
    };
    let exhibit =
        Exhibit::statement(format!("Answer {label}"), &rated.answer).by(reply.seat, "respondent").turn(&reply.key).labelled(label).data(&data);
    bench.phase("answer").show(&format!("answer_{}", reply.seat), exhibit)
}

/// The synthesizer writes, or the next seat by weight. If nobody can, the heaviest answer is returned.
async fn synthesise(bench: &Bench, options: &Options, order: &[&WeightedAnswer]) -> Result<Answer> {
    let phase = bench.phase("synthesis");
    let shown: Vec<Value> = order
        .iter()
        .map(|answer| {
            let outlier = answer.outlier() == Some(true);
            json!({"label": answer.label, "text": answer.text, "percent": percent(answer.weight), "stated": answer.stated, "reasons": answer.reasons, "outlier": outlier})
        })
        .collect();
    let writers = closing::seats_of(bench, "synthesizer", order.iter().map(|answer| answer.seat));
    let ask = prompt!("synthesis", answers = shown, basis = options.weights.basis());
    let Some(reply) = phase.ask_first::<Blend>(&writers, ask).await? else {
        phase.warn(format!("Nobody could write the synthesis; the heaviest answer ({}) is returned as it is.", order[0].label));
        return return_unchanged(bench, order, order[0]);
    };
    let blend = reply.value;
    let data = synthesis_row(bench, order, &blend.synthesis, Some(blend.calibration_notes.clone()));
    phase.show("synthesis", Exhibit::statement("Synthesis", &blend.synthesis).by(reply.seat, "synthesizer").turn(&reply.key).data(&data))?;
    let notes = [("How contradictions were decided", &blend.reasons), ("On the ratings", &blend.calibration_notes)];
    let told: Vec<String> = notes.iter().filter(|(_, text)| !text.trim().is_empty()).map(|(what, text)| format!("{what}: {}", text.trim())).collect();
    if !told.is_empty() {
        let exhibit = Exhibit::statement("On the ratings", told.join("\n\n")).by(reply.seat, "synthesizer").turn(&reply.key);
        phase.show("calibration", exhibit.data(&CalibrationRow { reasons: blend.reasons, calibration_notes: blend.calibration_notes }))?;
    }
    Ok(Answer { kind: AnswerKind::Synthesis, text: blend.synthesis, by: vec![reply.seat] })
}

/// One of the answers in place of a synthesis.
fn return_unchanged(bench: &Bench, order: &[&WeightedAnswer], answer: &WeightedAnswer) -> Result<Answer> {
    let exhibit = Exhibit::note(format!("Answer {} as it is", answer.label), &answer.text);
    bench.phase("synthesis").show("synthesis", exhibit.data(&synthesis_row(bench, order, &answer.text, None)))?;
    Ok(Answer { kind: AnswerKind::Selected, text: answer.text.clone(), by: vec![answer.seat] })
}

/// `order` holds at least one answer, heaviest first.
fn synthesis_row(bench: &Bench, order: &[&WeightedAnswer], text: &str, calibration_notes: Option<String>) -> SynthesisRow {
    let weight = |answer: &WeightedAnswer| ModelWeight { model: bench.seat(answer.seat).model.clone(), weight_percent: percent(answer.weight) };
    SynthesisRow {
        synthesis_preview: preview(text),
        calibration_notes,
        total_models: order.len(),
        highest_weight: weight(order[0]),
        lowest_weight: weight(order[order.len() - 1]),
    }
}

fn preview(text: &str) -> String {
    text.chars().take(PREVIEW).collect()
}
