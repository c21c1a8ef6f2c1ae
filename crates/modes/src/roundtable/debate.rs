//! The debate as it stands: who sits where under which name, what was said, and how one round is held.
//!
//! Every response is checked for safety the moment it arrives, before it enters the record or another seat reads it.

use super::audit::Audit;
use super::ingest::{Epistemic, Touched};
use super::material::{Part, material, reserve};
use super::perspectives::Perspective;
use super::reply::{Asked, Turn};
use super::rows::RoleViolation;
use super::safety::{Evaluation, Watch};
use super::state::{Extent, Risk, State};
use super::style::{Role, Style};
use super::summary::Summary;
use super::{Audience, Options, safety, tools};
use serde_json::{Value, json};
use synod_engine::{Bench, ReplyWithTools, Result, SeatFailure, prompt};
use synod_math::Rng;
use synod_math::debate::exits::{Move, position_changed};
use synod_types::*;

/// Fewer are no debate.
pub const LEAST: usize = 2;
/// Rounds a seat may miss in a row before it is asked no more.
const PATIENCE: u32 = 2;

/// One seat's turn, checked and taken in.
#[derive(Clone, Debug)]
pub struct Response {
    pub seat: usize,
    pub key: String,
    pub turn: Turn,
    pub audit: Audit,
    pub tools: Vec<ToolRun>,
    pub touched: Touched,
    pub epistemic: Epistemic,
    /// Why it was withheld.
    pub blocked: Option<String>,
    pub evaluation: Option<Evaluation>,
    /// The evaluator's turn.
    pub check: Option<String>,
    /// An evaluator was called in for it and could not read it.
    pub unread: bool,
    /// What its role asked of it and what it did: another stance, or answers where it is only to attack.
    pub violation: Option<RoleViolation>,
    /// Risks it was to answer and left unanswered.
    pub owed: Vec<String>,
    /// Where its seat stood in the regular round before.
    pub before: Option<Before>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Before {
    pub round: u32,
    pub confidence: f64,
}

impl Response {
    /// The change of its seat's confidence.
    pub fn delta(&self) -> Option<f64> {
        self.before.map(|before| self.turn.confidence - before.confidence)
    }
}

/// A round that was held.
#[derive(Clone, Debug, Default)]
pub struct RoundRecord {
    /// Of the regular round; an objection round has the number of the round it follows.
    pub number: u32,
    pub objection: bool,
    pub responses: Vec<Response>,
    /// The run was closing before all had spoken.
    pub closed: bool,
    /// A vote was asked for.
    pub votes: bool,
    /// How much of the record there was before it.
    pub since: Extent,
    /// Cited facts that nobody had claimed before this round, each counted once.
    pub new_facts: usize,
    /// Distinct sources cited and overlap of premises, as they were when it ended.
    pub sources: usize,
    pub overlap: Option<f64>,
    pub reading: super::analysis::Reading,
    pub summary: Summary,
}

impl RoundRecord {
    /// Those whose words count.
    pub fn counted(&self) -> impl Iterator<Item = &Response> {
        self.responses.iter().filter(|response| response.blocked.is_none())
    }
    pub fn confidences(&self) -> Vec<f64> {
        self.counted().map(|response| response.turn.confidence).collect()
    }
    /// How those moved who spoke in both rounds.
    pub fn moves(&self, before: &Self) -> Vec<Move> {
        let step = |now: &Response| {
            let then = before.counted().find(|then| then.seat == now.seat)?;
            let changed = position_changed(&then.turn.position, &now.turn.position);
            Some(Move { before: then.turn.confidence, now: now.turn.confidence, changed })
        };
        self.counted().filter_map(step).collect()
    }
    /// `round_2` or `objection_2`: how its stored rows begin.
    pub fn prefix(&self) -> String {
        format!("{}_{}", if self.objection { "objection" } else { "round" }, self.number)
    }
    pub fn title(&self) -> String {
        if self.objection { format!("Objections after round {}", self.number) } else { format!("Round {}", self.number) }
    }
}

pub struct Debate<'a> {
    pub bench: &'a Bench,
    pub options: &'a Options,
    pub style: &'static Style,
    pub roles: Vec<&'static Role>,
    pub names: Vec<String>,
    pub perspectives: Vec<Perspective>,
    /// What came with the question, as far as prompts carry it.
    pub material: Vec<Part>,
    /// Tokens of a prompt that are not the debate's.
    pub reserve: usize,
    pub state: State,
    pub watch: Watch,
    /// In the order they were held, objections among them.
    pub rounds: Vec<RoundRecord>,
    pub requests: Vec<Value>,
    failures: Vec<u32>,
}

impl<'a> Debate<'a> {
    pub fn new(bench: &'a Bench, options: &'a Options, style: &'static Style) -> Self {
        let n = bench.role("debater").len();
        let mut names: Vec<String> = (1..=n).map(|place| format!("S{place}")).collect();
        if style.anonymous {
            // One label a seat for the whole run, and none that tells where it sits.
            names = names.iter().map(|name| name.replace('S', "P")).collect();
            Rng::new(bench.seed("names")).shuffle(&mut names);
        }
        let watch = Watch::new(style, options.audience == Audience::Vulnerable);
        let roles = style.dealt(n);
        let (state, missed) = (State::new(n), vec![0; n]);
        let material = material(bench.question());
        let reserve = reserve(bench.question(), &material, options.every_focus().max_by_key(|text| text.len()), style.anonymous);
        Self {
            bench,
            options,
            style,
            roles,
            names,
            perspectives: Vec::new(),
            material,
            reserve,
            state,
            watch,
            rounds: Vec::new(),
            requests: Vec::new(),
            failures: missed,
        }
    }

    pub fn seats(&self) -> usize {
        self.names.len()
    }

    /// How readers outside know a seat.
    pub fn who(&self, seat: usize) -> String {
        format!("{} ({})", self.names[seat], self.bench.seat(seat as SeatIx).label)
    }

    /// Votes are on the leading proposal, and before a round was held and read there is none.
    fn votes(&self) -> bool {
        self.style.votes && !self.rounds.is_empty()
    }

    /// The risks this seat is to answer.
    pub fn owes(&self, seat: usize) -> impl Iterator<Item = &Risk> {
        let answers = self.roles[seat].answers_risks;
        self.state.risks.iter().filter(move |risk| answers && risk.by != seat && risk.mitigation.is_none())
    }

    pub fn last_regular(&self) -> Option<&RoundRecord> {
        self.rounds.iter().rfind(|held| !held.objection)
    }

    /// Holds a round: everybody speaks, each response is checked and taken in. Too few, or closed before all had spoken: the record stays as
    /// it was, and the round does not count.
    pub async fn hold(&mut self, stage: &Bench, number: u32, objection: bool) -> Result<RoundRecord> {
        let (saved, requests) = (self.state.clone(), self.requests.len());
        let mut held = RoundRecord { number, objection, votes: self.votes(), since: self.state.extent(), ..RoundRecord::default() };
        let asked: Vec<usize> = (0..self.seats()).filter(|seat| self.failures[*seat] < PATIENCE).collect();
        let mut overflow = false;
        if self.style.sequential {
            for seat in asked {
                let packet = self.packet(number, &held.responses);
                overflow |= packet.overflow;
                let came = self.ask(stage, seat, &held, &packet).await?;
                if let Some(response) = self.take(seat, came, &mut held) {
                    let mut checked = self.check(stage, vec![response], &mut held.closed).await?;
                    self.ingest(&mut checked, number);
                    // Whoever speaks next sees what became of the claims.
                    self.state.settle();
                    held.responses.append(&mut checked);
                }
            }
        } else {
            let packet = self.packet(number, &[]);
            overflow = packet.overflow;
            let turns: Vec<_> = asked.iter().map(|seat| self.ask(stage, *seat, &held, &packet)).collect();
            let mut arrived = Vec::new();
            for (seat, came) in asked.into_iter().zip(futures::future::join_all(turns).await) {
                arrived.extend(self.take(seat, came?, &mut held));
            }
            held.responses = self.check(stage, arrived, &mut held.closed).await?;
            self.ingest(&mut held.responses, number);
        }
        self.state.settle();
        held.new_facts = self.state.facts_since(held.since.claims).count();
        if overflow {
            stage.warn("context_overflow: what was said in the round before had to be cut to fit into a prompt.");
        }
        let first = self.rounds.is_empty();
        if held.counted().count() < LEAST || (held.closed && !first) {
            self.state.back_to(saved);
            self.requests.truncate(requests);
        }
        Ok(held)
    }

    /// Where a seat stood when it last spoke in a regular round.
    fn stood(&self, seat: usize) -> Option<Before> {
        let spoke = |held: &RoundRecord| {
            held.counted().find(|said| said.seat == seat).map(|said| Before { round: held.number, confidence: said.turn.confidence })
        };
        self.rounds.iter().rev().filter(|held| !held.objection).find_map(spoke)
    }

    fn take(&mut self, seat: usize, came: std::result::Result<ReplyWithTools<Turn>, SeatFailure>, held: &mut RoundRecord) -> Option<Response> {
        let (given, tools) = match came {
            Ok(worked) => worked,
            Err(missed) => {
                held.closed |= missed.failure.kind == FailureKind::Closed;
                self.failures[seat] += 1;
                return None;
            }
        };
        self.failures[seat] = 0;
        let role = self.roles[seat];
        let remedies = given.value.remedies().filter(|_| role.only_attacks()).count();
        let heard = self.rounds.last().into_iter().flat_map(|last| &last.responses).chain(&held.responses);
        let others: Vec<String> = heard.filter(|other| other.seat != seat).map(|other| self.names[other.seat].clone()).collect();
        let before = self.stood(seat);
        let turn = given.value.asked(&Asked { vote: held.votes, again: before.is_some(), others: &others, role });
        let stance = role
            .stance
            .clone()
            .filter(|expected| turn.stance.as_ref() != Some(expected))
            .map(|expected| RoleViolation { expected, actual: turn.stance.clone() });
        let violation = stance
            .or_else(|| (remedies > 0).then(|| RoleViolation { expected: "no solutions".into(), actual: Some(format!("{remedies} solutions")) }));
        let audit = self.state.audit(&turn);
        let (touched, epistemic) = (Touched::default(), Epistemic::default());
        let answered = |id: &String| turn.mitigations.iter().any(|answer| answer.id == *id && !answer.text.trim().is_empty());
        let owed = self.owes(seat).map(|risk| risk.id.clone()).filter(|id| !answered(id)).collect();
        Some(Response {
            seat,
            key: given.key,
            turn,
            audit,
            tools,
            touched,
            epistemic,
            blocked: None,
            evaluation: None,
            check: None,
            unread: false,
            violation,
            owed,
            before,
        })
    }

    /// Patterns first, then the evaluator while anything calls for one.
    async fn check(&mut self, stage: &Bench, mut responses: Vec<Response>, closed: &mut bool) -> Result<Vec<Response>> {
        for response in &mut responses {
            let said = spoken(&response.turn, &response.tools);
            response.blocked = safety::blocked(&said);
            self.watch.add(safety::intents(&said));
        }
        if !self.watch.armed() {
            return Ok(responses);
        }
        let why: Vec<String> = self.watch.triggers().into_iter().map(|trigger| trigger.reason).collect();
        // What the monitor withheld goes to nobody, not even to whoever would judge it.
        let texts: Vec<(String, String)> = responses
            .iter()
            .filter(|response| response.blocked.is_none())
            .map(|response| (format!("check {}", self.names[response.seat]), spoken(&response.turn, &response.tools)))
            .collect();
        let strand = |bench: Bench, text: String| {
            let why = why.clone();
            async move { bench.ask_clerk::<Evaluation>(prompt!("safety", why, text)).await }
        };
        let evaluations = stage.all(texts, strand).await?;
        for (response, evaluation) in responses.iter_mut().filter(|response| response.blocked.is_none()).zip(evaluations) {
            let given = match evaluation {
                Ok(given) => given,
                Err(missed) => {
                    *closed |= missed.failure.kind == FailureKind::Closed;
                    response.unread = true;
                    response.blocked = Some("the safety evaluator could not read it".into());
                    continue;
                }
            };
            let doubt = self.options.audience == Audience::Vulnerable;
            response.blocked = given.value.withholds(&spoken(&response.turn, &response.tools), doubt).map(str::to_owned);
            (response.evaluation, response.check) = (Some(given.value), Some(given.key));
        }
        Ok(responses)
    }

    fn ingest(&mut self, responses: &mut [Response], number: u32) {
        // First what is taken back, all of it: whoever says the same in this round, the author included, makes a claim that stands.
        for response in responses.iter_mut().filter(|response| response.blocked.is_none()) {
            response.touched.withdrawn = self.state.withdraw(response.seat, number, &response.turn.withdraws);
        }
        for response in responses.iter_mut().filter(|response| response.blocked.is_none()) {
            let requests = tools::requests(&response.tools).collect::<Vec<_>>();
            for mut request in requests {
                request["seat"] = json!(self.names[response.seat]);
                request["round"] = json!(number);
                self.requests.push(request);
            }
            let touched = &mut response.touched;
            response.epistemic = self.state.ingest(response.seat, number, &response.turn, &response.audit, &response.tools, touched);
            self.state.seats[response.seat].delta = response.delta();
        }
    }
}

/// Everything a turn says, for whoever must read all of it: also what went into a tool and came out, as far as others are shown that.
fn spoken(turn: &Turn, tools: &[ToolRun]) -> String {
    let typed: Vec<String> = tools.iter().map(|run| format!("{} {}", words(&run.input), super::entry::tool_output(run))).collect();
    let claims = turn.claims.iter().map(|claim| claim.text.as_str());
    let risks = turn.risks.iter().flat_map(|risk| [risk.text.as_str(), risk.mitigation.as_str()]);
    let others = turn.key_points.iter().chain(&turn.uncertainties).map(String::as_str);
    let answers = turn.mitigations.iter().map(|answer| answer.text.as_str()).chain(turn.challenges.iter().map(|challenge| challenge.why.as_str()));
    [turn.position.as_str(), turn.reasons.as_str(), turn.confidence_reason.as_str()]
        .into_iter()
        .chain(claims)
        .chain(risks)
        .chain(others)
        .chain(answers)
        .chain(typed.iter().map(String::as_str))
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

/// What is said in a value, one text after another: as JSON, escapes would hide words.
fn words(value: &Value) -> String {
    let list = |values: &mut dyn Iterator<Item = &Value>| values.map(words).collect::<Vec<_>>().join("\n");
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => list(&mut items.iter()),
        Value::Object(fields) => list(&mut fields.values()),
        Value::Null | Value::Bool(_) | Value::Number(_) => String::new(),
    }
}
