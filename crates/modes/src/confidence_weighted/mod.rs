//! Confidence-weighted: seats answer alone and say how sure they are; a softmax makes weights of it, and one answer is written by them.

mod reply;
#[cfg(test)]
mod tests;
mod weighing;

use reply::{Blend, Rated};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use synod_engine::{Answers, Bench, Calls, Example, Mode, ModeResult, Result, SeatReply, Seating, Stage, each, mode, prompt, seat};
use synod_math::weights::percent;
use synod_types::*;
use weighing::{Weighed, heaviest_first, weigh};

pub static MODE: Mode = mode! {
    id: "confidence_weighted", name: "Confidence-Weighted", family: Algorithmic, seats: 2..=6, roles: &[each("respondent"), seat("synthesizer", 0)],
    summary: "Everyone answers and says how sure they are; the surer an answer, the more it shapes the one that is returned.",
    pick: "Take it when it matters how sure each model is, and you want to see that beside the answer.",
    phases: &["answer", "weights", "synthesis"],
    stages: &[
        Stage::from_seat::<Value>("answer_{n}", "respondent"),
        Stage::computed::<Value>("weights"),
        Stage::from_seat::<Value>("synthesis", "synthesizer"),
        Stage::computed::<Value>("synthesis").stand_in(),
    ],
    multi_turn: true, estimated_ms: 90_000, turn_secs: 120, run_secs: 600,
    cost: "n + 1 for a panel of n",
    example: Example::ask("Which of these two index layouts will be faster for range scans?"),
    failure_rule: "One answer is enough; alone it is returned as it is. A confidence that was not stated is missing, not a half: the mean of the others stands in for it, and the record says so. If the synthesizer fails, the next seat by weight writes; if nobody can, the heaviest answer is returned.",
    prompts: ["answer", "synthesis"],
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

    fn as_str(self) -> &'static str {
        match self {
            Self::Stated => "stated",
            Self::Equal => "equal",
            Self::Agreement => "agreement",
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

fn calls(options: &Options, seating: &Seating) -> Vec<Calls> {
    let n = seating.panel();
    vec![
        Calls { prompt: "answer", role: "respondent", min: n, max: n, reads: 0, max_tokens: Some(options.answer_tokens) },
        Calls { prompt: "synthesis", role: "synthesizer", min: 1, max: 1, reads: n, max_tokens: None },
    ]
}

async fn run(bench: &Bench, options: Options) -> Result<ModeResult> {
    let answers = ask(bench, &options).await?;
    let labels = synod_math::labels(bench.seed("labels"), answers.replies.len());
    for (given, label) in answers.replies.iter().zip(&labels) {
        show_answer(bench, given, label).await?;
    }
    let came = answers.replies.into_iter().zip(labels).map(|(given, label)| {
        let stated = given.value.stated();
        (label, given.seat, given.value.answer, stated)
    });
    let weighed = weigh(came.collect(), &options);
    let stage = bench.phase("weights");
    let silent: Vec<&str> = weighed.iter().filter(|one| one.stated.is_none()).map(|one| one.label.as_str()).collect();
    if options.weights == Weights::Stated && !silent.is_empty() {
        let how = if silent.len() == weighed.len() { "all weigh the same" } else { "the mean of the others stands in" };
        stage.warn(format!("No confidence was stated with {}; {how}.", silent.join(", ")));
    }
    stage.show("weights", weighing::exhibit(&weighed, &options, |seat| bench.seat(seat).model.clone()))?;

    let order = heaviest_first(&weighed);
    let answer = match order.as_slice() {
        [alone] => {
            bench.warn("Only one answer was given; it is returned as it is.");
            as_it_is(bench, order.as_slice(), alone).await?
        }
        order => synthesise(bench, &options, order).await?,
    };
    let outliers = weighed.iter().filter(|one| one.outlier() == Some(true)).count();
    bench.figure("outliers", outliers as f64);
    bench.figure("top_weight", order[0].weight);
    let share = |one: &&Weighed| Share {
        label: one.label.clone(),
        seat: one.seat,
        model: bench.seat(one.seat).model.clone(),
        weight: one.weight,
        confidence: one.stated,
    };
    let decision = Decision { weights: options.weights, answers: order.iter().map(share).collect() };
    let kept = |one: &Weighed| Dissent { seat: one.seat, label: Some(one.label.clone()), text: one.text.clone() };
    Ok(ModeResult {
        status: None,
        stop_reason: "finished",
        answer: Some(answer),
        decision: Some(synod_engine::to_value(&decision)),
        confidence: weighing::confidence(&weighed, options.weights),
        dissent: weighing::dissent(&weighed).into_iter().map(kept).collect(),
        data: json!({"temperature": options.temperature, "outliers": outliers, "dissentRule": weighing::DISSENT}),
    })
}

async fn ask(bench: &Bench, options: &Options) -> Result<Answers<Rated>> {
    let stage = bench.phase("answer");
    stage.ask_all::<Rated>(bench.role("respondent"), prompt!("answer").max_tokens(options.answer_tokens)).await?.quorum(1)
}

async fn show_answer(bench: &Bench, given: &SeatReply<Rated>, label: &str) -> Result<()> {
    let said = &given.value;
    let stated = said.stated();
    let mut data = json!({
        "confidence": stated, "confidenceReasoning": said.reasons, "parsedSuccessfully": stated.is_some(), "responsePreview": preview(&said.answer),
    });
    if stated.is_none() {
        let note =
            said.confidence.map_or_else(|| "no confidence was stated".to_owned(), |read| format!("{read} is neither a fraction nor a percentage"));
        data["parseFailureNote"] = json!(note);
    }
    let shape = Shape::Statement(Statement { text: Some(said.answer.clone()), ..Statement::default() });
    let exhibit = Exhibit::new(format!("Answer {label}"), shape).by(given.seat, "respondent").turn(&given.key).labelled(label).data(&data);
    bench.phase("answer").show(&format!("answer_{}", given.seat), exhibit)
}

/// The synthesizer writes, or the next seat by weight. Nobody: the heaviest answer stands.
async fn synthesise(bench: &Bench, options: &Options, order: &[&Weighed]) -> Result<Answer> {
    let stage = bench.phase("synthesis");
    let shown: Vec<Value> = order
        .iter()
        .map(|one| json!({"label": one.label, "text": one.text, "percent": percent(one.weight), "stated": one.stated, "outlier": one.outlier() == Some(true)}))
        .collect();
    let mut writers: Vec<SeatIx> = bench.role("synthesizer").to_vec();
    writers.extend(order.iter().map(|one| one.seat).filter(|seat| !bench.role("synthesizer").contains(seat)));
    let ask = prompt!("synthesis", answers = shown, basis = options.weights.basis());
    let Some(given) = stage.ask_first::<Blend>(&writers, ask).await? else {
        stage.warn(format!("Nobody could write the synthesis; the heaviest answer ({}) is returned as it is.", order[0].label));
        return as_it_is(bench, order, order[0]).await;
    };
    let said = given.value;
    let data = synthesis_data(bench, order, &said.synthesis, Some(&said.calibration_notes));
    let shape = Shape::Statement(Statement { text: Some(said.synthesis.clone()), ..Statement::default() });
    stage.show("synthesis", Exhibit::new("Synthesis", shape).by(given.seat, "synthesizer").turn(&given.key).data(&data))?;
    Ok(Answer { kind: AnswerKind::Synthesis, text: said.synthesis, by: vec![given.seat] })
}

/// One of the answers in place of a synthesis.
async fn as_it_is(bench: &Bench, order: &[&Weighed], one: &Weighed) -> Result<Answer> {
    let exhibit = Exhibit::note(format!("Answer {} as it is", one.label), &one.text);
    bench.phase("synthesis").show("synthesis", exhibit.data(&synthesis_data(bench, order, &one.text, None)))?;
    Ok(Answer { kind: AnswerKind::Selected, text: one.text.clone(), by: vec![one.seat] })
}

fn synthesis_data(bench: &Bench, order: &[&Weighed], text: &str, notes: Option<&str>) -> Value {
    let end = |one: Option<&&Weighed>| one.map(|one| json!({"model": bench.seat(one.seat).model, "weightPercent": percent(one.weight)}));
    json!({
        "synthesisPreview": preview(text), "calibrationNotes": notes, "totalModels": order.len(),
        "highestWeight": end(order.first()), "lowestWeight": end(order.last()),
    })
}

fn preview(text: &str) -> String {
    text.chars().take(PREVIEW).collect()
}
