//! The rounds of a debate: how one is held, what a seat may do and hands in, how it is checked for safety, analysed and shown.

mod analysis;
mod blockers;
mod conclude;
mod exhibits;
mod hold;
pub mod reply;
mod response_row;
pub mod risk_reply;
mod round;
pub mod safety;
pub mod tools;

pub use analysis::{Alignment, Disagreement, SameRisk};
pub use conclude::{conclude_round, hold_closing, hold_objections, stop_if_incomplete};
pub use round::{Response, Round, RoundKind};

use super::options::{Audience, Options};
use super::phrases::Anchor;
use super::prompting::{MaterialPart, Perspective, material, reserve};
use super::record::{DebateRecord, Risk};
use super::style::{Style, StyleRole};
use safety::SafetyWatch;
use synod_engine::Bench;
use synod_math::Rng;
use synod_types::SeatIx;
use tools::ContextRequest;

/// With fewer seats there is no debate.
pub const LEAST: usize = 2;

/// A debate as it stands between two rounds.
pub struct Debate<'a> {
    pub bench: &'a Bench,
    pub options: &'a Options,
    pub style: &'static Style,
    pub roles: Vec<&'static StyleRole>,
    /// What each seat pays attention to.
    pub anchors: Vec<&'static Anchor>,
    /// How the seats know each other, in seat order.
    pub names: Vec<String>,
    pub perspectives: Vec<Perspective>,
    /// What the sides argue for and against, where the style wants a proposition.
    pub proposition: Option<String>,
    /// What came with the question, as far as prompts carry it.
    pub material: Vec<MaterialPart>,
    /// Tokens a prompt takes beside what was said in the debate, without focus question and additions.
    pub reserve: usize,
    pub record: DebateRecord,
    pub watch: SafetyWatch,
    /// In the order they were held, rounds of objections included.
    pub rounds: Vec<Round>,
    /// Answers to the risks that the last round left open.
    pub closing: Option<Round>,
    pub context_requests: Vec<ContextRequest>,
    /// Whose BLOCKER a person overruled, by name, the oldest first.
    pub overruled: Vec<String>,
    /// Rounds each seat has missed in a row.
    missed_rounds: Vec<u32>,
}

impl<'a> Debate<'a> {
    pub fn new(bench: &'a Bench, options: &'a Options, style: &'static Style) -> Self {
        let n = bench.role("debater").len();
        let mut names: Vec<String> = (1..=n).map(|place| format!("S{place}")).collect();
        if style.anonymous {
            // Each seat keeps one label for the whole run, and the label does not tell its place.
            names = names.iter().map(|name| name.replace('S', "P")).collect();
            Rng::new(bench.seed("names")).shuffle(&mut names);
        }
        let watch = SafetyWatch::new(style, options.audience == Audience::Vulnerable);
        let material = material(bench.question());
        let reserve = reserve(bench.question(), &material, style.anonymous);
        Self {
            bench,
            options,
            style,
            roles: style.deal_roles(n),
            anchors: style.deal_anchors(n),
            names,
            perspectives: Vec::new(),
            proposition: None,
            material,
            reserve,
            record: DebateRecord::new(n),
            watch,
            rounds: Vec::new(),
            closing: None,
            context_requests: Vec::new(),
            overruled: Vec::new(),
            missed_rounds: vec![0; n],
        }
    }

    pub fn seats(&self) -> usize {
        self.names.len()
    }

    /// A seat as readers of the run know it: its name in the debate, and its model.
    pub fn display_name(&self, seat: usize) -> String {
        format!("{} ({})", self.names[seat], self.bench.seat(seat as SeatIx).label)
    }

    /// Votes are on the leading proposal, and before the first round was analysed there is none. Nobody votes while it must object.
    fn votes(&self, kind: RoundKind) -> bool {
        self.style.votes && !self.rounds.is_empty() && kind == RoundKind::Regular
    }

    /// The risks this seat is to answer.
    pub fn owed_risks(&self, seat: usize) -> impl Iterator<Item = &Risk> {
        let answers = self.roles[seat].answers_risks;
        self.record.risks.iter().filter(move |risk| answers && risk.by != seat && risk.is_unanswered())
    }

    pub fn last_regular(&self) -> Option<&Round> {
        self.rounds.iter().rfind(|round| round.is_regular())
    }

    /// Where a seat stands: its last regular response that was not withheld, and how far that supported the proposal.
    pub fn standing(&self, seat: usize) -> Option<(&Response, Option<f64>)> {
        let mut regular = self.rounds.iter().rev().filter(|round| round.is_regular());
        regular.find_map(|round| Some((round.response_of(seat)?, round.assessment.alignment.get(&seat).copied())))
    }

    /// The seats whose votes count: those that argue no side they were given.
    pub fn is_free(&self, seat: usize) -> bool {
        !self.roles[seat].bound
    }

    /// The regular rounds in which a seat left its part.
    pub fn violations(&self, seat: usize) -> Vec<u32> {
        let left = |round: &&Round| round.response_of(seat).is_some_and(|response| response.violation.is_some());
        self.rounds.iter().filter(|round| round.is_regular()).filter(left).map(|round| round.number).collect()
    }

    /// A seat with its part, as a reader needs it: `S2, opposition`.
    pub fn named_part(&self, seat: usize) -> String {
        if self.style.roles.len() > 1 { format!("{}, {}", self.names[seat], self.roles[seat].id) } else { self.names[seat].clone() }
    }
}
