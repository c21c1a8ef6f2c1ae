//! Answers under neutral labels: one set per set of answers, the same for every reader, in an order of each reader's own.

use crate::attendance;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use synod_engine::{Answers, Bench, Result, SeatReply, prompt};
use synod_types::{Answer, AnswerKind, Dissent, Exhibit, SeatIx, clip, row_data};

/// With fewer answers than this there is nothing to compare.
pub const LEAST: usize = 2;

/// One answer, known to readers by its label alone.
#[derive(Clone, Debug)]
pub struct LabelledAnswer {
    pub label: String,
    pub seat: SeatIx,
    /// The turn that gave it.
    pub key: String,
    pub text: String,
}

impl LabelledAnswer {
    /// The answer of a mode that chose this one.
    pub fn selected(&self) -> Answer {
        Answer { kind: AnswerKind::Selected, text: self.text.clone(), by: vec![self.seat] }
    }
    /// What it says, behind a name in a summary: a colon and its first sentence, or a full stop where it has none.
    pub fn gist(&self) -> String {
        gist(&self.text)
    }
    /// Kept beside the answer of a mode that did not choose this one.
    pub fn dissent(&self) -> Dissent {
        Dissent { seat: Some(self.seat), label: Some(self.label.clone()), text: self.text.clone() }
    }
}

/// A colon and the first sentence of a text, short enough for a summary; a full stop where it has none.
pub fn gist(text: &str) -> String {
    let whole = Answer { kind: AnswerKind::Selected, text: text.to_owned(), by: Vec::new() };
    whole.opening().map_or_else(|| ".".to_owned(), |opening| format!(": {}", clip::words(&opening, 80, " […]")))
}

/// The answers that were not chosen.
pub fn dissent(answers: &[LabelledAnswer], won: &LabelledAnswer) -> impl Iterator<Item = Dissent> {
    answers.iter().filter(|answer| answer.seat != won.seat).map(LabelledAnswer::dissent)
}

/// The first phase of modes that compare: every seat of the role answers alone (prompt `answer`), and the answers are shown under labels.
pub async fn collect(bench: &Bench, role: &str, answer_tokens: u32) -> Result<(Answers<String>, Vec<LabelledAnswer>)> {
    let phase = bench.phase("collect");
    let replies = phase.ask_all::<String>(bench.role(role), prompt!("answer").max_tokens(answer_tokens)).await?.quorum(LEAST)?;
    let answers = under(&replies, synod_math::labels(bench.seed("labels"), replies.replies.len()));
    phase.show("label_map", key_to_labels(bench, &answers))?;
    for answer in &answers {
        let title = format!("Answer {}", answer.label);
        phase.show("collect", Exhibit::said(title, answer.seat, role, &answer.key).labelled(&answer.label))?;
    }
    attendance::show_failures(&phase, ("collect", "Answer", role), &replies.failures)?;
    Ok((replies, answers))
}

/// Answers under these labels, in seat order.
pub fn under(answers: &Answers<String>, labels: Vec<String>) -> Vec<LabelledAnswer> {
    let named = answers.replies.iter().zip(labels);
    named.map(|(SeatReply { seat, key, value, .. }, label)| LabelledAnswer { label, seat: *seat, key: key.clone(), text: value.clone() }).collect()
}

/// What each reader sees.
pub struct Views<'a>(Vec<(SeatIx, Vec<&'a LabelledAnswer>)>);

impl<'a> Views<'a> {
    pub fn of(&self, reader: SeatIx) -> &[&'a LabelledAnswer] {
        self.iter().find(|(seat, _)| *seat == reader).map(|(_, view)| view).unwrap_or_default()
    }

    pub fn iter(&self) -> impl Iterator<Item = (SeatIx, &[&'a LabelledAnswer])> {
        self.0.iter().map(|(seat, view)| (*seat, view.as_slice()))
    }
}

/// Every answer but the reader's own, in balanced orders.
pub fn for_readers<'a>(bench: &Bench, answers: &'a [LabelledAnswer], readers: &[SeatIx]) -> Views<'a> {
    let own: Vec<Option<usize>> = readers.iter().map(|reader| answers.iter().position(|answer| answer.seat == *reader)).collect();
    let orders = synod_math::orders(bench.seed("orders"), &own, answers.len());
    let views = orders.into_iter().map(|order| order.into_iter().filter_map(|item| answers.get(item)).collect());
    Views(readers.iter().copied().zip(views).collect())
}

/// Answers as prompts take them: label and text, nothing that tells whose they are.
pub fn for_prompt(answers: &[&LabelledAnswer]) -> Value {
    answers.iter().map(|answer| json!({"label": answer.label, "text": answer.text})).collect()
}

pub fn names(answers: &[&LabelledAnswer]) -> Vec<String> {
    answers.iter().map(|answer| answer.label.clone()).collect()
}

/// The parsed data of a stored label map: the model behind each label.
#[derive(Serialize, JsonSchema)]
pub struct LabelMap(IndexMap<String, String>);
row_data!(LabelMap);

/// Who is behind each label, for the record.
pub fn key_to_labels(bench: &Bench, answers: &[LabelledAnswer]) -> Exhibit {
    let lines: Vec<String> = answers.iter().map(|answer| format!("{} is {}", answer.label, bench.seat(answer.seat).label)).collect();
    let map = LabelMap(answers.iter().map(|answer| (answer.label.clone(), bench.seat(answer.seat).model.clone())).collect());
    Exhibit::note("Labels", lines.join("; ") + ".").data(&map)
}
