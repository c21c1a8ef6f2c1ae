//! What a debate shows beside its turns: the revisions in sum, the count of votes and marks, the winner.

use super::Decision;
use super::ballot::Marks;
use super::revised::{Revised, Stance};
use crate::labelled::Labelled;
use crate::tally;
use crate::text::words;
use serde_json::{Map, Value, json};
use synod_math::Tally as Count;
use synod_types::*;

pub fn summary(first: &[Labelled], revised: &[Revised]) -> Exhibit {
    let how_many = |stance: Option<Stance>| revised.iter().filter(|revised| revised.stance == stance).count() as u32;
    let word = |stance: Option<Stance>| stance.map_or("failed", Stance::as_str).to_lowercase();
    let points = first.iter().zip(revised).map(|(answer, revised)| Point {
        label: answer.label.clone(),
        seat: Some(answer.seat),
        choice: word(revised.stance),
        note: format!("{} words, now {}", words(&revised.original), words(&revised.text)),
        ..Point::default()
    });
    let mut shares: Vec<(String, u32)> =
        Stance::ALL.map(Some).into_iter().chain([None]).map(|stance| (word(stance), how_many(stance))).filter(|(_, n)| *n > 0).collect();
    shares.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    let [revise, stand, merge] = Stance::ALL.map(|stance| how_many(Some(stance)));
    let data = json!({"totalModels": revised.len(), "revised": revise, "stood": stand, "merged": merge, "parseFailed": how_many(None)});
    let measure = "what each debater did with its answer".to_owned();
    Exhibit::new("What the debaters did", Shape::Distribution(Distribution { points: points.collect(), shares, measure, ..Distribution::default() }))
        .data(&data)
}

pub fn tally_exhibit(count: &Count, answers: &[Labelled], marks: &[Marks]) -> Exhibit {
    let mut exhibit = tally::tally_exhibit(count, answers);
    if let Some(data) = exhibit.data.as_mut().and_then(Value::as_object_mut) {
        // Nobody compared an answer that was not changed.
        let read = |marks: &Marks| (marks.readers > 0).then_some(*marks);
        let marks: Map<String, Value> = answers.iter().zip(marks).map(|(answer, marks)| (answer.label.clone(), json!(read(marks)))).collect();
        data.insert("revisionMarks".into(), Value::Object(marks));
    }
    exhibit
}

pub fn winner_exhibit(decision: &Decision, won: &Labelled, tiebroken: bool) -> Exhibit {
    let data = json!({
        "winnerLabel": won.label, "winnerModel": decision.model, "winnerDecision": decision.decision, "voteCount": decision.votes,
        "totalVotes": decision.of, "tiebroken": tiebroken, "tiebreakMethod": decision.tiebreak, "lostToOriginal": decision.lost_to_original,
    });
    let statement = Statement { label: Some(won.label.clone()), text: Some(won.text.clone()), ..Statement::default() };
    Exhibit::new(format!("Winner {}", won.label), Shape::Statement(statement)).by(won.seat, "winner").turn(&won.key).data(&data)
}
