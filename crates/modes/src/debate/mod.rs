//! Debate: seats answer alone, read each other's answers and revise, stand or merge, then vote on what has become of them.

mod ballot;
mod exhibits;
mod mentions;
mod revision;
mod rows;
#[cfg(test)]
mod tests;

use crate::attendance;
use crate::ballots::with_anchors;
use crate::labelled::{self, LEAST, LabelMap, LabelledAnswer};
use crate::tally::{self, Poll};
use crate::text::words;
use ballot::{DebateBallot, RevisionMarks, count_marks};
use exhibits::{summary_exhibit, tally_exhibit, winner_exhibit};
pub use revision::Stance;
use revision::{RevisedAnswer, RevisionReply};
use rows::{DebateTallyRow, DebateVoteRow, DebateWinnerRow, RevisionRow, RevisionSummaryRow, VerdictData};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use synod_engine::{
    Answers, Bench, Example, FigureKind, Halt, Mode, ModeResult, PlannedCalls, RequestName, Result, Seating, Stage, each, mode, prompt,
};
use synod_math::{Rng, Tally as Count, labels_apart};
use synod_types::*;

pub static MODE: Mode = mode! {
    id: "debate", version: 4, name: "Debate", family: Evaluation, seats: 3..=6, roles: &[each("debater")],
    summary: "Everyone answers, reads the others and may revise, then votes; the winning answer is returned as revised.",
    pick: "Take it when answers should be tested against each other and improved, with no one in authority over them.",
    phases: &["initial", "revision", "vote"],
    stages: &[
        Stage::computed::<LabelMap>("round1_label_map"),
        Stage::from_seat::<()>("initial_answer", "respondent"),
        Stage::from_seat::<RevisionRow>("revision", "debater"),
        Stage::computed::<RevisionSummaryRow>("revision_summary"),
        Stage::computed::<LabelMap>("revised_label_map"),
        Stage::from_seat::<DebateVoteRow>("debate_vote", "voter"),
        Stage::computed::<DebateTallyRow>("debate_vote_tally"),
        Stage::from_seat::<DebateWinnerRow>("debate_winner", "winner"),
    ],
    figures: &[
        FigureKind::total("decision", "What debaters did with their answer"),
        FigureKind::mean("word_change", "Words a debater's answer gained or lost"),
        FigureKind::share("changed", "Debaters who changed their answer"),
        FigureKind::share("tiebroken", "Votes that ended in a tie"),
        FigureKind::mean("lost_to_original", "Answers whose readers preferred the original"),
        FigureKind::mean("agreement", "How far the panel's ballots agree, above chance"),
    ],
    left_out: &[("revise", "response", "after STAND nothing of it is used, and a note says that something was written; else it is the answer")],
    multi_turn: false, estimated_ms: 180_000, turn_secs: 120, run_secs: 600,
    cost: "3n for a panel of n",
    example: Example::ask("Is a monorepo worth it for a team of four?"),
    failure_rule: "Two answers and one valid vote are enough. Where a revision fails, the original stands in. With two answers only those who wrote neither vote; if nobody can, the seed draws between them. A tie goes to the answer whose revision fewer readers found weaker than its original, then to the seed's draw, and the verdict says so.",
    prompts: ["answer", "revise", "vote"],
    request_names: &[
        RequestName::panel("models"),
    ],
};

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// What makes one answer better than another, most important first.
    #[schemars(length(min = 1, max = 8))]
    pub criteria: Vec<String>,
    /// The most tokens one answer may take, before and after its revision.
    #[schemars(range(min = 64, max = 32768))]
    pub answer_tokens: u32,
}

impl Default for Options {
    fn default() -> Self {
        let criteria = ["accuracy", "completeness", "clarity", "helpfulness", "practical value"];
        Self { criteria: criteria.map(str::to_owned).to_vec(), answer_tokens: 4096 }
    }
}

impl Options {
    fn check(&self) -> Vec<Problem> {
        crate::ballots::check_criteria(&self.criteria)
    }

    /// A revision gives its reasons before the whole answer, so it may take more.
    fn revision_tokens(&self) -> u32 {
        self.answer_tokens + 1024
    }
}

/// What a script branches on.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    pub label: String,
    pub seat: u32,
    pub model: String,
    /// What the winner did with its first answer; nothing if its revision failed.
    pub decision: Option<Stance>,
    /// Votes for the winner before any tie was broken.
    pub votes: u32,
    /// Valid votes in all.
    pub of: u32,
    pub tiebreak: Tiebreak,
    /// More than half of those who could compare them found the winner better before its revision.
    pub lost_to_original: bool,
}

/// What decided between answers with equally many votes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tiebreak {
    /// There was no tie.
    None,
    /// Fewer readers found its revision weaker than its original.
    FewerMarks,
    /// Drawn from the run's seed.
    Draw,
}

impl Tiebreak {
    /// What became of the winner in a tie.
    fn told(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::FewerMarks => Some("lost least by its revision"),
            Self::Draw => Some("was drawn by lot"),
        }
    }
}

fn calls(options: &Options, seating: &Seating) -> Vec<PlannedCalls> {
    let n = seating.panel();
    let revised = Some(options.revision_tokens());
    vec![
        PlannedCalls { prompt: "answer", role: "debater", min: n, max: n, reads: 0, max_tokens: Some(options.answer_tokens) },
        PlannedCalls { prompt: "revise", role: "debater", min: n, max: n, reads: n, max_tokens: revised },
        PlannedCalls { prompt: "vote", role: "debater", min: n, max: n, reads: 2 * n.saturating_sub(1), max_tokens: None },
    ]
}

async fn run(bench: &Bench, options: Options) -> Result<ModeResult> {
    let (collected, first) = answer(bench, &options).await?;
    let (revised, revising_closed) = revise(bench, &options, &first).await?;
    let answers = relabel(bench, &first, &revised)?;
    let voters = tally::voters(&collected, &answers);
    let votes = cast(bench, &options, &answers, &revised, &voters).await?;

    let phase = bench.phase("vote");
    let poll = Poll::of(&answers, &voters, &votes, |ballot| &ballot.vote);
    let count = &poll.count;
    let marks = count_marks(&answers, &revised, &votes);
    phase.show("debate_vote_tally", tally_exhibit(count, &answers, &marks))?;
    let closed = collected.closed() || revising_closed || votes.closed();
    if count.valid == 0 && answers.len() > LEAST && !closed {
        return Err(Halt::failed("vote", "no valid vote was cast"));
    }
    let (winner, tiebreak) = decide(count, &marks, &answers, bench.seed("draw"));
    let (won, outcome) = (&answers[winner], &revised[winner]);
    match tiebreak {
        Tiebreak::None => {}
        Tiebreak::FewerMarks => phase.warn(format!("{} wins a tie: fewer readers found its revision weaker than its original.", won.label)),
        Tiebreak::Draw if count.valid == 0 => phase.warn(format!("No vote was cast; {} was drawn by lot.", won.label)),
        Tiebreak::Draw => phase.warn(format!("{} wins a tie by lot.", won.label)),
    }
    let lost: Vec<&str> = answers.iter().zip(&marks).filter(|(_, marks)| marks.lost()).map(|(answer, _)| answer.label.as_str()).collect();
    if !lost.is_empty() {
        phase.warn(format!("Most readers found the original better than what became of it: {}.", lost.join(", ")));
    }

    let decision = Decision {
        label: won.label.clone(),
        seat: won.seat,
        model: bench.seat(won.seat).model.clone(),
        decision: outcome.stance,
        votes: count.counts[winner],
        of: count.valid,
        tiebreak,
        lost_to_original: marks[winner].lost(),
    };
    let broken = tiebreak != Tiebreak::None;
    phase.show("debate_winner", winner_exhibit(&decision, won, broken))?;
    bench.figure("tiebroken", f64::from(u8::from(broken)));
    bench.figure("changed", revised.iter().filter(|revised| revised.changed()).count() as f64 / revised.len() as f64);
    for stance in Stance::ALL {
        let count = revised.iter().filter(|revised| revised.stance == Some(stance)).count();
        if count > 0 {
            bench.note(Figure::new("decision", count as f64).label(stance.as_str()));
        }
    }
    let gained: f64 = revised.iter().map(|revised| f64::from(words(&revised.text)) - f64::from(words(&revised.original))).sum();
    bench.note(Figure::new("word_change", gained).of(revised.len() as f64));
    bench.figure("lost_to_original", lost.len() as f64);
    let better = || format!("Most who compared them found it better before its revision: {}", outcome.original);
    let before = decision.lost_to_original.then(|| Dissent { text: better(), ..won.dissent() });
    Ok(ModeResult::ended("finished", won.selected())
        .decision(tally::summary(bench, won, decision.votes, decision.of, tiebreak.told()), &decision)
        .confidence(tally::confidence(bench, poll.agreement(winner, &answers)))
        .dissent(before.into_iter().chain(labelled::dissent(&answers, won)))
        .data(&VerdictData {
            tallies: tally::tallies(count, &answers),
            criteria: &options.criteria,
            lost_to_original: lost,
            decisions: answers.iter().zip(&revised).map(|(answer, revised)| (answer.label.as_str(), revised.stance)).collect(),
        }))
}

/// The first round: every seat answers alone. No label is a word of the question or of any answer, so that a later mention of a label can be
/// recognised.
async fn answer(bench: &Bench, options: &Options) -> Result<(Answers<String>, Vec<LabelledAnswer>)> {
    let phase = bench.phase("initial");
    let replies = phase.ask_all::<String>(bench.role("debater"), prompt!("answer").max_tokens(options.answer_tokens)).await?.quorum(LEAST)?;
    let question = bench.question();
    let mut texts: Vec<&str> = replies.replies.iter().map(|reply| reply.value.as_str()).chain([question.text.as_str()]).collect();
    texts.extend(question.material().map(|given| given.text));
    let first = labelled::under(&replies, labels_apart(phase.seed("labels"), replies.replies.len(), &[], &texts));
    phase.show("round1_label_map", labelled::key_to_labels(bench, &first))?;
    for answer in &first {
        let title = format!("Answer {}", answer.label);
        phase.show("initial_answer", Exhibit::said(title, answer.seat, "respondent", &answer.key).labelled(&answer.label))?;
    }
    attendance::show_failures(&phase, ("initial_answer", "Answer", "respondent"), &replies.failures)?;
    Ok((replies, first))
}

/// Every author reads the others' answers, in an order of its own, and revises its own, lets it stand or merges several. The flag says whether
/// the run was closing.
async fn revise(bench: &Bench, options: &Options, first: &[LabelledAnswer]) -> Result<(Vec<RevisedAnswer>, bool)> {
    let phase = bench.phase("revision");
    let authors: Vec<SeatIx> = first.iter().map(|answer| answer.seat).collect();
    let views = labelled::for_readers(&phase, first, &authors);
    let own = |seat: SeatIx| first.iter().find(|answer| answer.seat == seat).map(|answer| answer.text.as_str());
    let replies: Answers<RevisionReply> = phase
        .ask_each(&authors, &|seat| {
            let answers = views.of(seat);
            let ask = prompt!("revise", own = own(seat), answers = labelled::for_prompt(answers));
            ask.ids("labels", labelled::names(answers)).max_tokens(options.revision_tokens())
        })
        .await?;
    let labels: Vec<String> = first.iter().map(|answer| answer.label.clone()).collect();
    let revised: Vec<RevisedAnswer> = first.iter().map(|answer| RevisedAnswer::of(answer, replies.of(answer.seat), &labels)).collect();
    for (answer, revised) in first.iter().zip(&revised) {
        phase.show("revision", revised.exhibit(answer.seat, &replies))?;
    }
    phase.show("revision_summary", summary_exhibit(first, &revised))?;
    Ok((revised, replies.closed()))
}

/// Labels the answers anew for the vote: other letters than in the first round, and no word of what is on the ballot.
fn relabel(bench: &Bench, first: &[LabelledAnswer], revised: &[RevisedAnswer]) -> Result<Vec<LabelledAnswer>> {
    let phase = bench.phase("vote");
    let old: Vec<String> = first.iter().map(|answer| answer.label.clone()).collect();
    let texts: Vec<&str> = revised.iter().flat_map(|revised| [revised.text.as_str(), revised.original.as_str()]).collect();
    let labels = labels_apart(phase.seed("labels"), first.len(), &old, &texts);
    let named = first.iter().zip(revised).zip(labels);
    let answers: Vec<LabelledAnswer> = named
        .map(|((first, revised), label)| LabelledAnswer { label, seat: first.seat, key: revised.key.clone(), text: revised.text.clone() })
        .collect();
    phase.show("revised_label_map", labelled::key_to_labels(bench, &answers))?;
    Ok(answers)
}

async fn cast(
    bench: &Bench,
    options: &Options,
    answers: &[LabelledAnswer],
    revised: &[RevisedAnswer],
    voters: &[SeatIx],
) -> Result<Answers<DebateBallot>> {
    let phase = bench.phase("vote");
    let few = answers.len() <= LEAST;
    if few {
        let who = if voters.is_empty() { "the seed draws between them" } else { "those who wrote neither decide" };
        phase.warn(format!("Only two answers were given; each author could only have voted for the other, so {who}."));
    }
    let views = labelled::for_readers(&phase, answers, voters);
    let draft = |seat: SeatIx| {
        let own = answers.iter().zip(revised).find(|(answer, revised)| answer.seat == seat && revised.changed());
        own.map(|(_, revised)| revised.original.as_str())
    };
    let votes: Answers<DebateBallot> = phase
        .ask_each(voters, &|seat| {
            let view = views.of(seat);
            let shown: Vec<Value> =
                view.iter().map(|answer| json!({"label": answer.label, "text": answer.text, "draft": draft(answer.seat)})).collect();
            let ask = prompt!("vote", answers = shown, criteria = with_anchors(&options.criteria)).ids("labels", labelled::names(view));
            if few { ask.extra() } else { ask }
        })
        .await?;
    let choice = |ballot: &DebateBallot| {
        let weaker = (!ballot.weaker_revisions.is_empty()).then(|| format!("Better before the revision: {}.", ballot.weaker_revisions.join(", ")));
        (vec![ballot.vote.clone()], ballot.reasons.clone(), weaker.into_iter().collect())
    };
    attendance::show_ballots(&phase, ("debate_vote", "Vote", "voter"), &views, &votes, choice, |given| DebateVoteRow {
        voted_for: given.ok().map(|ballot| ballot.vote.clone()),
        self_vote: false,
        weaker_revisions: given.ok().map(|ballot| ballot.weaker_revisions.clone()),
    })?;
    Ok(votes)
}

/// Most votes win; of equals the answer whose revision fewest readers found weaker than its original; of those left one drawn from the seed.
/// Without a valid vote every answer is still in the running and only the draw decides: marks alone elect nobody.
fn decide(count: &Count, marks: &[RevisionMarks], answers: &[LabelledAnswer], seed: u64) -> (usize, Tiebreak) {
    let mut tied: Vec<usize> = if count.valid == 0 { (0..answers.len()).collect() } else { count.winners.clone() };
    if let [winner] = tied.as_slice() {
        return (*winner, Tiebreak::None);
    }
    if count.valid > 0 {
        let fewest = tied.iter().map(|item| marks[*item].weaker).min();
        tied.retain(|item| Some(marks[*item].weaker) == fewest);
        if let [winner] = tied.as_slice() {
            return (*winner, Tiebreak::FewerMarks);
        }
    }
    tied.sort_by(|a, b| answers[*a].label.cmp(&answers[*b].label));
    (tied[Rng::derive(seed, "tie").index(tied.len())], Tiebreak::Draw)
}
