//! Single votes on labelled answers: who may cast one, which are counted, what they come to, and how far they agree.

use crate::labelled::{LEAST, LabelledAnswer};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;
use synod_engine::{Answers, Bench, SeatFailure};
use synod_math::{Agreement, Choice, JudgedThing, Tally as Count, Unmeasured, plurality};
use synod_types::*;

/// Every author votes on the others' answers. With two answers each could only choose the other, so those who wrote neither decide.
pub fn voters(collected: &Answers<String>, answers: &[LabelledAnswer]) -> Vec<SeatIx> {
    if answers.len() > LEAST {
        return answers.iter().map(|answer| answer.seat).collect();
    }
    let may_yet_speak = |kind: FailureKind| match kind {
        FailureKind::Refused
        | FailureKind::Truncated
        | FailureKind::Empty
        | FailureKind::Unreadable
        | FailureKind::RateLimited
        | FailureKind::Server => true,
        FailureKind::Timeout | FailureKind::Auth | FailureKind::ModelGone | FailureKind::ContextTooLong | FailureKind::Closed => false,
    };
    collected.failures.iter().filter(|failure| may_yet_speak(failure.failure.kind)).map(|failure| failure.seat).collect()
}

/// The votes as cast, and their count.
pub struct Poll {
    voters: Vec<SeatIx>,
    ballots: Vec<Option<usize>>,
    pub count: Count,
}

impl Poll {
    /// A voter whose call failed cast no ballot; one whose reply could not be read cast an invalid one.
    pub fn of<T>(answers: &[LabelledAnswer], voters: &[SeatIx], votes: &Answers<T>, label: impl Fn(&T) -> &str) -> Self {
        let unread = |failure: &&SeatFailure| matches!(failure.failure.kind, FailureKind::Unreadable | FailureKind::Truncated);
        let cast_one = |seat: &SeatIx| votes.of(*seat).is_some() || votes.failures.iter().filter(unread).any(|failure| failure.seat == *seat);
        let voters: Vec<SeatIx> = voters.iter().copied().filter(cast_one).collect();
        let ballots: Vec<Option<usize>> = voters.iter().map(|seat| votes.of(*seat).and_then(|reply| index(label(&reply.value), answers))).collect();
        let labels: Vec<&str> = answers.iter().map(|answer| answer.label.as_str()).collect();
        let count = plurality(&labels, &ballots);
        Self { voters, ballots, count }
    }

    /// How far the votes agree: each voter could choose any answer but its own.
    pub fn agreement(&self, winner: usize, answers: &[LabelledAnswer]) -> Agreement {
        let choice = |(voter, vote): (&SeatIx, &Option<usize>)| {
            let others = answers.iter().enumerate().filter(|(_, answer)| answer.seat != *voter).map(|(item, _)| item);
            Choice::among(others, (*vote)?)
        };
        let choices = self.voters.iter().zip(&self.ballots).map(choice).collect();
        Agreement::of_choices(&[JudgedThing { panel: Some(winner), choices }])
    }
}

/// Agreement as a verdict's confidence, and as a figure where it was measured.
pub fn confidence(bench: &Bench, agreement: Agreement) -> Confidence {
    let measured = agreement.measure.ok();
    bench.figure("agreement", measured.map(|measured| measured.value));
    let absent = agreement.measure.err().map(|why| match why {
        Unmeasured::TooFewBallots => Absent::TooFewBallots,
        Unmeasured::NothingShared => Absent::NothingShared,
        Unmeasured::OneValue => Absent::OneValue,
    });
    Confidence {
        value: measured.map(|measured| measured.value),
        source: ConfidenceSource::Agreement,
        n: agreement.n,
        agreed: Some(agreement.agreed),
        could: Some(agreement.could),
        counted: None,
        interval: measured.map(|measured| Interval { low: measured.low, high: measured.high }),
        absent,
    }
}

/// Whose answer won, by how many votes, what broke a tie, and what the answer says.
pub fn summary(bench: &Bench, won: &LabelledAnswer, votes: u32, of: u32, tie: Option<&str>) -> String {
    let whose = &bench.seat(won.seat).label;
    let gist = won.gist();
    match tie {
        Some(tie) if of == 0 => format!("No vote was cast; {whose}'s answer {tie}{gist}"),
        Some(tie) => format!("{votes} of {of} votes went to {whose}'s answer, which {tie} in a tie{gist}"),
        None => format!("{votes} of {of} votes went to {whose}'s answer{gist}"),
    }
}

pub fn index(label: &str, answers: &[LabelledAnswer]) -> Option<usize> {
    answers.iter().position(|answer| answer.label == label)
}

/// The parsed data of a stored count.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TallyRow {
    /// Votes by label.
    pub tallies: IndexMap<String, u32>,
    pub valid_vote_count: u32,
    pub invalid_vote_count: u32,
    pub is_tie: bool,
    pub winners: Vec<String>,
    /// The winners of a tie; empty without one.
    pub tied_labels: Vec<String>,
}
row_data!(TallyRow);

impl TallyRow {
    pub fn of(count: &Count, answers: &[LabelledAnswer]) -> Self {
        let winners = winning_labels(count, answers);
        Self {
            tallies: tallies(count, answers),
            valid_vote_count: count.valid,
            invalid_vote_count: count.invalid,
            is_tie: count.is_tie(),
            tied_labels: if count.is_tie() { winners.clone() } else { Vec::new() },
            winners,
        }
    }
}

fn winning_labels(count: &Count, answers: &[LabelledAnswer]) -> Vec<String> {
    count.winners.iter().map(|item| answers[*item].label.clone()).collect()
}

pub fn tallies(count: &Count, answers: &[LabelledAnswer]) -> IndexMap<String, u32> {
    answers.iter().zip(&count.counts).map(|(answer, votes)| (answer.label.clone(), *votes)).collect()
}

pub fn tally_exhibit(count: &Count, answers: &[LabelledAnswer]) -> Exhibit {
    let mut entries: Vec<TallyEntry> = answers
        .iter()
        .zip(&count.counts)
        .map(|(answer, votes)| TallyEntry { label: answer.label.clone(), seat: answer.seat, votes: *votes })
        .collect();
    entries.sort_by(|a, b| b.votes.cmp(&a.votes).then_with(|| a.label.cmp(&b.label)));
    let tally = Tally { entries, valid: count.valid, invalid: count.invalid, winners: winning_labels(count, answers) };
    Exhibit::new("Votes", Shape::Tally(tally)).data(&TallyRow::of(count, answers))
}
