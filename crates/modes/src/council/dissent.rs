//! What the answers claim that the final answer denies or leaves out: one light call. If it fails the answer stands, and a warning says that
//! nothing was compared.

use crate::ballots::label_in;
use crate::labelled::{self, LabelledAnswer};
use crate::text::{after_last_marker, bare, token};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{Bench, IdLists, Result, TypedReply, prompt};
use synod_types::*;

words! {
    /// What the final answer does with a claim.
    pub enum Fate { Denied = "denied", LeftOut = "left_out" }
}

/// A claim of one answer that the final one does not make.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Departure {
    /// The label of the answer that claims it.
    #[schemars(extend("x-ids" = "labels"))]
    pub label: String,
    /// denied: the final answer says the opposite. left_out: it says nothing of it.
    pub fate: Fate,
    /// The claim in one sentence of at most 25 words, the point first.
    pub claim: String,
}

/// The answers beside the final one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// How far the answers and the final one agree, in two sentences.
    pub reasons: String,
    /// One entry for each answer that parts from the final one; empty if none does.
    pub departures: Vec<Departure>,
}

impl TypedReply for Comparison {
    /// `DISSENT:` (the last one) and below it lines `K3, denied: …`, or the word none.
    fn from_text(text: &str, terms: &IdLists) -> Option<Self> {
        let (reasons, list) = after_last_marker(text, "DISSENT:")?;
        let read = |line: &str| {
            let (head, claim) = line.split_once(':')?;
            let (label, fate) = head.split_once(',')?;
            let label = label_in(label, terms.list("labels"))?;
            Some(Departure { label, fate: token(fate, &Fate::WORDS).and_then(Fate::parse)?, claim: bare(claim).to_owned() })
        };
        let departures = if token(list, &["none"]).is_some() {
            Vec::new()
        } else {
            list.lines().filter(|line| line.contains(char::is_alphanumeric)).map(read).collect::<Option<Vec<Departure>>>()?
        };
        Some(Self { reasons: reasons.trim().to_owned(), departures })
    }

    fn check(&self, _: &IdLists) -> std::result::Result<(), String> {
        match self.departures.iter().find(|departure| departure.claim.trim().is_empty()) {
            Some(empty) => Err(format!("the claim of {} is empty", empty.label)),
            None => Ok(()),
        }
    }
}

/// The parsed data of the row `dissent`.
#[derive(Serialize, JsonSchema)]
pub struct DissentRow {
    pub departures: Vec<Departure>,
}
row_data!(DissentRow);

/// Asks the clerk what the answers claim that the final one does not. Of each answer the first claim counts.
pub async fn compare(bench: &Bench, answers: &[&LabelledAnswer], last: &Answer) -> Result<Vec<Dissent>> {
    let phase = bench.phase("dissent");
    let others: Vec<&LabelledAnswer> =
        answers.iter().copied().filter(|answer| last.kind == AnswerKind::Synthesis || !last.by.contains(&answer.seat)).collect();
    let ask = prompt!("dissent", answers = labelled::for_prompt(&others), result = last.text).ids("labels", labelled::names(&others));
    let reply = match phase.ask_clerk::<Comparison>(ask.optional()).await? {
        Ok(reply) => reply,
        Err(failed) => {
            phase.warn(format!("Dissent was not compared: {} {}.", bench.seat(failed.seat).label, failed.failure.kind.plain()));
            return Ok(Vec::new());
        }
    };
    let Comparison { reasons, departures } = reply.value;
    let first_of = |answer: &&LabelledAnswer| departures.iter().find(|departure| departure.label == answer.label);
    let parted: Vec<(&LabelledAnswer, &Departure)> = others.iter().filter_map(|answer| Some((*answer, first_of(answer)?))).collect();
    let line = |(_, departure): &(&LabelledAnswer, &Departure)| format!("- {}: {}", departure.label, told(departure));
    let lines: Vec<String> = parted.iter().map(line).collect();
    let found = if lines.is_empty() { "No answer claims what the final one denies or leaves out.".to_owned() } else { lines.join("\n") };
    let dissent = parted.iter().map(|(answer, departure)| Dissent { text: told(departure), ..answer.dissent() }).collect();
    let exhibit = Exhibit::statement("Dissent", format!("{found}\n\n{}", reasons.trim())).by(reply.seat, "clerk").turn(&reply.key);
    phase.show("dissent", exhibit.data(&DissentRow { departures }))?;
    Ok(dissent)
}

/// The point first, then what became of it.
fn told(departure: &Departure) -> String {
    let fate = match departure.fate {
        Fate::Denied => "denies this",
        Fate::LeftOut => "leaves this out",
    };
    format!("{} (The final answer {fate}.)", departure.claim.trim())
}
