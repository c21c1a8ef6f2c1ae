//! Vote: seats answer alone, each votes for the best answer that is not its own, and the winner's text is returned unchanged.

mod rows;

use crate::VoteBallot;
use crate::attendance;
use crate::ballots::with_anchors;
use crate::labelled::{self, LEAST, LabelMap, LabelledAnswer};
use crate::tally::{self, Poll, TallyRow};
use rows::{TiebreakRow, VoteRow, WinnerRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use synod_engine::{
    Answers, Bench, Example, FigureKind, Halt, Mode, ModeResult, PlannedCalls, RequestName, Result, Seating, Stage, chair, each, mode, prompt,
};
use synod_math::Tally as Count;
use synod_types::*;

pub static MODE: Mode = mode! {
    id: "vote", version: 4, name: "Vote", family: Evaluation, seats: 3..=7, roles: &[each("respondent"), chair("chairman")],
    summary: "Everyone answers, everyone votes for the best answer but their own, and the winner is returned word for word.",
    pick: "Take it for a quick pick in one authentic voice, with fewer tokens than a council.",
    phases: &["collect", "vote", "tiebreaker"],
    stages: &[
        Stage::computed::<LabelMap>("label_map"),
        Stage::from_seat::<()>("collect", "respondent"),
        Stage::from_seat::<VoteRow>("vote", "voter"),
        Stage::computed::<TallyRow>("vote_tally"),
        Stage::from_seat::<TiebreakRow>("tiebreaker", "chairman"),
        Stage::computed::<TiebreakRow>("tiebreaker").stand_in(),
        Stage::from_seat::<WinnerRow>("winner", "winner"),
    ],
    figures: &[
        FigureKind::share("tiebroken", "Votes that ended in a tie"),
        FigureKind::mean("margin", "Votes between the winner and the next"),
        FigureKind::mean("agreement", "How far the panel's ballots agree, above chance"),
    ],
    multi_turn: true, estimated_ms: 90_000, turn_secs: 120, run_secs: 600,
    cost: "2n for a panel of n, and 1 more for a tie",
    example: Example::ask("Which name is better for a backup tool: Amber or Vault?"),
    failure_rule: "Two answers and one valid vote are enough. With two answers only those who wrote neither decide, the chairman last. A tie goes to the chairman, or the next seat that wrote none of the tied answers; if none can decide, to the label that sorts first, and the verdict says so.",
    prompts: ["answer", "vote", "tiebreak"],
    request_names: &[
        RequestName::panel("councilModels"),
        RequestName::role("chairmanModel", "chairman"),
    ],
};

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// What makes one answer better than another, most important first.
    #[schemars(length(min = 1, max = 8))]
    pub criteria: Vec<String>,
    /// The most tokens one answer may take.
    #[schemars(range(min = 64, max = 32768))]
    pub answer_tokens: u32,
    /// Who decides a tie. A person is waited for: the run stops until somebody answers.
    pub tiebreaker: Tiebreaker,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tiebreaker {
    #[default]
    Chairman,
    Person,
}

impl Default for Options {
    fn default() -> Self {
        let criteria = ["accuracy", "completeness", "clarity", "helpfulness", "practical value"];
        Self { criteria: criteria.map(str::to_owned).to_vec(), answer_tokens: 4096, tiebreaker: Tiebreaker::Chairman }
    }
}

impl Options {
    fn check(&self) -> Vec<Problem> {
        crate::ballots::check_criteria(&self.criteria)
    }
}

/// What a script branches on.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    pub label: String,
    pub seat: u32,
    pub model: String,
    /// Votes for the winner before any tie was broken.
    pub votes: u32,
    /// Valid votes in all.
    pub of: u32,
    pub tiebreak: Tiebreak,
}

/// What decided between answers with equally many votes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tiebreak {
    /// There was no tie.
    None,
    Chairman,
    /// A seat that wrote none of the tied answers, in the chairman's place.
    NonAuthor,
    Person,
    /// Nobody could decide: the label that sorts first, which is a lot.
    FallbackLabel,
}

impl Tiebreak {
    /// What became of the winner in a tie.
    fn told(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Chairman => Some("was chosen by the chairman"),
            Self::NonAuthor => Some("was chosen by a seat that wrote none of the tied answers"),
            Self::Person => Some("was chosen by a person"),
            Self::FallbackLabel => Some("was drawn by lot"),
        }
    }
}

fn calls(options: &Options, seating: &Seating) -> Vec<PlannedCalls> {
    let n = seating.panel();
    let votes = if n > 2 { n } else { 0 };
    let chairman = u32::from(options.tiebreaker == Tiebreaker::Chairman);
    vec![
        PlannedCalls { prompt: "answer", role: "respondent", min: n, max: n, reads: 0, max_tokens: Some(options.answer_tokens) },
        PlannedCalls { prompt: "vote", role: "respondent", min: votes, max: votes, reads: n.saturating_sub(1), max_tokens: None },
        PlannedCalls { prompt: "tiebreak", role: "chairman", min: chairman.min(u32::from(n == 2)), max: chairman, reads: n, max_tokens: None },
    ]
}

async fn run(bench: &Bench, options: Options) -> Result<ModeResult> {
    let (collected, answers) = labelled::collect(bench, "respondent", options.answer_tokens).await?;
    let voters = tally::voters(&collected, &answers);
    let votes = cast(bench, &options, &answers, &voters).await?;
    let poll = Poll::of(&answers, &voters, &votes, |ballot| &ballot.vote);
    let count = &poll.count;
    bench.phase("vote").show("vote_tally", tally::tally_exhibit(count, &answers))?;

    let (winner, tiebreak) = match count.winners.as_slice() {
        [winner] => (*winner, Tiebreak::None),
        tied => break_tie(bench, &options, &answers, count, tied, collected.closed() || votes.closed()).await?,
    };
    let won = &answers[winner];
    let votes_won = count.counts[winner];
    let broken = tiebreak != Tiebreak::None;
    bench.figure("tiebroken", f64::from(u8::from(broken)));
    let next = count.counts.iter().enumerate().filter(|(item, _)| *item != winner).map(|(_, votes)| *votes).max().unwrap_or(0);
    bench.figure("margin", f64::from(votes_won) - f64::from(next));
    let decision =
        Decision { label: won.label.clone(), seat: won.seat, model: bench.seat(won.seat).model.clone(), votes: votes_won, of: count.valid, tiebreak };
    let data = WinnerRow {
        winner_label: won.label.clone(),
        winner_model: decision.model.clone(),
        vote_count: votes_won,
        total_votes: count.valid,
        tiebroken: broken,
        tiebreak_method: tiebreak,
    };
    let winner_row = Exhibit::said(format!("Winner {}", won.label), won.seat, "winner", &won.key).labelled(&won.label).data(&data);
    bench.show("winner", winner_row)?;
    Ok(ModeResult::ended("finished", won.selected())
        .decision(tally::summary(bench, won, decision.votes, decision.of, tiebreak.told()), &decision)
        .confidence(tally::confidence(bench, poll.agreement(winner, &answers)))
        .dissent(labelled::dissent(&answers, won))
        .data(&json!({"tallies": tally::tallies(count, &answers), "criteria": options.criteria})))
}

async fn cast(bench: &Bench, options: &Options, answers: &[LabelledAnswer], voters: &[SeatIx]) -> Result<Answers<VoteBallot>> {
    let phase = bench.phase("vote");
    if answers.len() <= LEAST {
        let who = if voters.is_empty() { "the chairman decides" } else { "those who wrote neither decide" };
        phase.warn(format!("Only two answers were given; each author could only have voted for the other, so {who}."));
    }
    let extra = answers.len() <= LEAST;
    let views = labelled::for_readers(bench, answers, voters);
    let votes: Answers<VoteBallot> = phase
        .ask_each(voters, &|seat| {
            let answers = views.of(seat);
            let ask = prompt!("vote", answers = labelled::for_prompt(answers), criteria = with_anchors(&options.criteria))
                .ids("labels", labelled::names(answers));
            if extra { ask.extra() } else { ask }
        })
        .await?;
    let choice = |ballot: &VoteBallot| (vec![ballot.vote.clone()], ballot.reasons.clone(), Vec::new());
    attendance::show_ballots(&phase, ("vote", "Vote", "voter"), &views, &votes, choice, |given| VoteRow {
        voted_for: given.ok().map(|ballot| ballot.vote.clone()),
        self_vote: false,
    })?;
    Ok(votes)
}

/// The chairman decides, or the next seat that wrote none of the tied answers. Nobody left: the label that sorts first.
async fn break_tie(
    bench: &Bench,
    options: &Options,
    answers: &[LabelledAnswer],
    count: &Count,
    tied: &[usize],
    closed: bool,
) -> Result<(usize, Tiebreak)> {
    let none_valid = count.valid == 0;
    // Without a valid vote every answer is still in the running.
    let tied: Vec<usize> = if tied.is_empty() { (0..answers.len()).collect() } else { tied.to_vec() };
    if options.tiebreaker == Tiebreaker::Person {
        if let Some(winner) = ask_person(bench, answers, count, &tied).await? {
            return Ok((winner, Tiebreak::Person));
        }
        return by_lot(bench, answers, count, &tied, true);
    }
    let phase = bench.phase("tiebreaker");
    let wrote_one = |seat: &SeatIx| tied.iter().any(|item| answers[*item].seat == *seat);
    let chairs = bench.role("chairman");
    let panel = bench.role("respondent");
    let others = panel.iter().filter(|seat| !chairs.contains(seat) && !none_valid && answers.iter().any(|answer| answer.seat == **seat));
    let judges: Vec<SeatIx> = chairs.iter().chain(others).copied().filter(|seat| !wrote_one(seat)).collect();
    for chairman in chairs.iter().filter(|seat| wrote_one(seat)) {
        phase.abstained(*chairman, "wrote one of the tied answers and may not judge them");
    }
    let mut shown: Vec<&LabelledAnswer> = tied.iter().map(|item| &answers[*item]).collect();
    shown.sort_by(|a, b| a.label.cmp(&b.label));
    let votes = tied.first().map_or(0, |item| count.counts[*item]);
    let ask = prompt!("tiebreak", answers = labelled::for_prompt(&shown), votes, criteria = with_anchors(&options.criteria))
        .ids("labels", labelled::names(&shown));
    let tied_labels: Vec<String> = labelled::names(&shown);
    if let Some(given) = phase.ask_first::<VoteBallot>(&judges, ask).await?
        && let Some(winner) = tally::index(&given.value.vote, answers)
    {
        let method = if chairs.contains(&given.seat) { Tiebreak::Chairman } else { Tiebreak::NonAuthor };
        if method == Tiebreak::NonAuthor && chairs.iter().all(wrote_one) {
            phase.warn(format!("The chairman wrote one of the tied answers; {} broke the tie.", bench.seat(given.seat).label));
        }
        let data = TiebreakRow { voted_for: Some(given.value.vote.clone()), tied_labels: tied_labels.clone(), tied_vote_count: votes, note: None };
        let exhibit = attendance::ballot("Vote", tied_labels, vec![given.value.vote], &given.value.reasons, &given.key);
        phase.show("tiebreaker", exhibit.data(&data).by(given.seat, "chairman"))?;
        return Ok((winner, method));
    }
    by_lot(bench, answers, count, &tied, closed)
}

/// The label that sorts first wins; labels are drawn at random, so this is a lot. Without a valid vote the run fails instead, unless it is closing.
fn by_lot(bench: &Bench, answers: &[LabelledAnswer], count: &Count, tied: &[usize], closed: bool) -> Result<(usize, Tiebreak)> {
    if count.valid == 0 && !closed {
        return Err(Halt::failed("vote", "no valid vote was cast, and nobody who wrote none of the answers could decide"));
    }
    let phase = bench.phase("tiebreaker");
    let mut labels: Vec<&str> = tied.iter().map(|item| answers[*item].label.as_str()).collect();
    labels.sort_unstable();
    let first = labels[0];
    let votes = tied.first().map_or(0, |item| count.counts[*item]);
    let rule = Rule {
        decided: format!("{first} wins by lot: nobody who wrote none of the tied answers could decide."),
        rung: "fallback_label".into(),
        numbers: vec![("votes each".into(), f64::from(votes)), ("tied".into(), labels.len() as f64)],
    };
    phase.warn(if count.valid == 0 { format!("No vote was cast; {first} was drawn by lot.") } else { rule.decided.clone() });
    let tied_labels = labels.iter().map(ToString::to_string).collect();
    let data = TiebreakRow { voted_for: None, tied_labels, tied_vote_count: votes, note: None };
    phase.show("tiebreaker", Exhibit::new("Tie", Shape::Rule(rule)).data(&data))?;
    Ok((tally::index(first, answers).unwrap_or(0), Tiebreak::FallbackLabel))
}

async fn ask_person(bench: &Bench, answers: &[LabelledAnswer], count: &Count, tied: &[usize]) -> Result<Option<usize>> {
    let phase = bench.phase("tiebreaker");
    let mut shown: Vec<&LabelledAnswer> = tied.iter().map(|item| &answers[*item]).collect();
    shown.sort_by(|a, b| a.label.cmp(&b.label));
    let labels = labelled::names(&shown);
    let votes = tied.first().map_or(0, |item| count.counts[*item]);
    let texts: Vec<String> = shown.iter().map(|answer| format!("{}\n{}", answer.label, answer.text)).collect();
    let plural = if votes == 1 { "vote" } else { "votes" };
    let question = format!("These answers stand equal, with {votes} {plural} each. Which is best?\n\n{}", texts.join("\n\n"));
    let choices: Vec<&str> = labels.iter().map(String::as_str).collect();
    let Some(chosen) = phase.person("tiebreak", question, &choices).await? else { return Ok(None) };
    let remark = chosen.note.as_deref().map(str::trim).filter(|note| !note.is_empty());
    let rule = Rule {
        decided: format!("{} chose {}{}", chosen.by, chosen.answer, remark.map_or_else(|| ".".to_owned(), |note| format!(": {note}"))),
        rung: "person".into(),
        numbers: vec![("votes each".into(), f64::from(votes))],
    };
    let data = TiebreakRow { voted_for: Some(chosen.answer.clone()), tied_labels: labels, tied_vote_count: votes, note: Some(chosen.note.clone()) };
    phase.show("tiebreaker", Exhibit::new("Tie", Shape::Rule(rule)).data(&data))?;
    let winner = tally::index(&chosen.answer, answers);
    winner.map(Some).ok_or_else(|| Halt::diverged("tiebreaker/tiebreak@person", format!("{} is none of the tied answers", chosen.answer)))
}
