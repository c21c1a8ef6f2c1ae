//! Single votes on labelled answers: who may cast one, which are counted, what they come to, and how far they agree.

use crate::labelled::{LEAST, LabelledAnswer};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;
use synod_engine::{Answers, SeatFailure};
use synod_math::{Agreement, Tally as Count, plurality};
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

    /// The winner's own author could not vote for it, so its vote is left out.
    pub fn agreement(&self, winner: usize, answers: &[LabelledAnswer]) -> Agreement {
        let author = answers[winner].seat;
        let comparable = self.voters.iter().zip(&self.ballots).filter(|(voter, _)| **voter != author).map(|(_, vote)| *vote);
        Agreement::with_winner(winner, &comparable.collect::<Vec<_>>())
    }
}

/// With one vote agreement is always 1, so none is reported.
pub fn confidence(agreement: Agreement) -> Option<Confidence> {
    let value = agreement.value.filter(|_| agreement.n > 1)?;
    Some(Confidence { value: Some(value), source: ConfidenceSource::Agreement, n: agreement.n })
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
