//! The parsed data of roundtable's stored rows.

use super::outcome::{GroupthinkKind, StopReason};
use super::prompting::Perspective;
use super::record::{Claim, EvidenceItem, Flaw, LabelCounts, RecordChanges, Reference, Risk, SettledPoint};
use super::rounds::reply::{Challenge, NewClaim, NewRisk};
use super::rounds::risk_reply::Mitigation;
use super::rounds::safety::{DelicateSubject, SafetyRule, SafetyTrigger};
use super::rounds::{Alignment, Disagreement, SameRisk};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use synod_types::{Further, Millis, row_data};

/// Who plays what, and what is argued.
#[derive(Serialize, JsonSchema)]
pub struct SeatsRow {
    pub style: &'static str,
    /// What is argued for and against; null where the style has none, or the question stands for itself.
    pub proposition: Option<String>,
    /// In seat order.
    pub seats: Vec<SeatPart>,
    /// Perspectives were not given as options: they were made for the question, or the usual ones taken.
    pub generated: bool,
}

#[derive(Serialize, JsonSchema)]
pub struct SeatPart {
    pub seat: String,
    pub model: String,
    pub role: String,
    pub persona: String,
    pub stance: Option<String>,
    pub anchor: String,
    /// Whether its votes count: those of an assigned side are shown only.
    pub vote_counts: bool,
    pub perspective: Option<Perspective>,
}

/// One seat's response. What it said in its own words is null where the response was withheld, and where the seat failed.
#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResponseRow {
    /// Of the regular round; objections have the number of the round they follow.
    pub round: u32,
    pub seat: String,
    /// The role the style gives this seat.
    pub role: String,
    /// Null in a closing answer too, which takes no position.
    pub position: Option<String>,
    pub reasoning: Option<String>,
    /// Null in a closing answer, and where the seat failed.
    pub confidence: Option<f64>,
    pub confidence_reason: Option<String>,
    /// Null where the seat has not spoken in a regular round before.
    pub confidence_change: Option<ConfidenceChange>,
    /// Null where no vote was asked for, or none was given.
    pub vote: Option<String>,
    /// The claim that a BLOCKER names.
    pub blocker: Option<String>,
    /// Whether the vote counts: that of an assigned side does not.
    pub vote_counts: bool,
    pub position_change: Option<String>,
    pub stance: Option<String>,
    /// Which side argued better, by whoever rules on it.
    pub ruling: Option<String>,
    pub ruling_reason: Option<String>,
    /// Support for the leading proposal, as whoever read the round measured it.
    pub debate_alignment: Option<f64>,
    pub epistemic_claims: LabelCounts,
    pub key_points: Option<Vec<String>>,
    pub uncertainties: Option<Vec<String>>,
    pub claims: Option<Vec<NewClaim>>,
    pub challenges: Option<Vec<Challenge>>,
    pub risks: Option<Vec<NewRisk>>,
    pub mitigations: Option<Vec<Mitigation>>,
    pub perspective_anchor: &'static str,
    pub citations: Option<Vec<Reference>>,
    pub tool_calls: Option<Vec<ToolCallRow>>,
    pub claims_touched: RecordChanges,
    pub direct_replies_to: Option<Vec<String>>,
    pub role_violation: Option<RoleViolation>,
    /// Ids of the risks it was to answer and says nothing of.
    pub owed: Vec<String>,
    pub label_findings: Option<Vec<Flaw>>,
    /// Why the response was withheld, if it was.
    pub blocked: Option<String>,
    /// There only where the seat failed: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfidenceChange {
    pub delta: f64,
    pub previous_round: u32,
    /// Null where the response was withheld.
    pub reason: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallRow {
    pub tool_name: String,
    /// Whatever the seat put into the call: it may not even fit the tool's schema.
    pub input: Value,
    pub output: String,
    pub error: bool,
    pub timestamp: Millis,
}

/// What a role asked of its seat, and what the seat did instead.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RoleViolation {
    pub expected: String,
    /// Null where something was expected and nothing was given.
    pub actual: Option<String>,
}

impl RoleViolation {
    pub fn given(&self) -> &str {
        self.actual.as_deref().unwrap_or("none")
    }
}

/// What the evaluator says of the question, before anybody of the panel is asked.
#[derive(Serialize, JsonSchema)]
pub struct QuestionSafetyRow {
    /// False: nobody could read it, and only patterns have looked at it.
    pub read: bool,
    pub subjects: Vec<DelicateSubject>,
    pub asks_for_harm: bool,
    /// What it asks for, by rule; never the passages.
    pub rules: Vec<SafetyRule>,
    /// What this adds to the reasons for an evaluator.
    pub triggers: Vec<SafetyTrigger>,
    /// It was not put to the panel.
    pub refused: bool,
}

#[derive(Serialize, JsonSchema)]
pub struct SafetyRow {
    pub round: u32,
    /// 1: patterns only; 2: an evaluator was called in and read nothing; 3: it read at least one text.
    pub tier: u8,
    pub triggers: Vec<SafetyTrigger>,
    /// Nothing was withheld.
    pub passed: bool,
    pub findings: Vec<SafetyFinding>,
    pub concerns: Vec<SafetyRemark>,
    pub recommendations: Vec<SafetyRemark>,
    pub blocked: Vec<WithheldText>,
}

/// What the evaluator found in one text: the rules, never the passages.
#[derive(Serialize, JsonSchema)]
pub struct SafetyFinding {
    /// Whose text: a seat's, the `analysis` of the round or the `synthesis`.
    pub seat: String,
    /// `pass` or `block`.
    pub verdict: &'static str,
    pub rules: Vec<SafetyRule>,
    pub withheld: bool,
}

#[derive(Serialize, JsonSchema)]
pub struct SafetyRemark {
    pub seat: String,
    pub text: String,
}

#[derive(Serialize, JsonSchema)]
pub struct WithheldText {
    pub seat: String,
    pub reason: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnalysisRow {
    pub round: u32,
    /// From 0 to 1; null where nobody could read the round.
    pub agreement_level: Option<f64>,
    pub leading_proposal: Option<String>,
    pub common_ground: Vec<String>,
    pub disagreement_points: Vec<Disagreement>,
    /// Null where nobody could read the round.
    pub summary: Option<String>,
    pub clusters: Vec<CampRow>,
    pub nuances: Nuances,
    pub alignment: Vec<Alignment>,
    /// How far apart the seats stand.
    pub sigma: Option<f64>,
    /// What `sigma` was measured by.
    pub source: &'static str,
    /// The camps were found by the words of the positions.
    pub by_words: bool,
    pub groupthink_warning: GroupthinkWarning,
    /// What the seats settled in this round.
    pub decisions: Vec<String>,
    /// Risks that mean the same problem.
    pub same_risks: Vec<SameRisk>,
    /// How whoever read the round came to it; null where nobody could.
    pub reasons: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct CampRow {
    pub theme: String,
    pub seats: Vec<String>,
    pub summary: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Nuances {
    pub partial_agreements: Vec<String>,
    pub conditional_positions: Vec<String>,
    pub uncertainties: Vec<String>,
}

/// What whoever read the round noticed; the guard's own numbers are in a row of their own.
#[derive(Serialize, JsonSchema)]
pub struct GroupthinkWarning {
    pub detected: bool,
    pub indicators: Vec<String>,
}

/// What a round added to the record, by id.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SummaryRow {
    pub round: u32,
    /// high, medium or low; null where agreement was not measured.
    pub status: Option<&'static str>,
    /// Null where nobody could read the round.
    pub one_liner: Option<String>,
    pub leading_proposal: Option<String>,
    pub new_claims: Vec<String>,
    pub new_evidence: Vec<String>,
    pub decisions: Vec<String>,
    /// All that are contested now, new or not.
    pub contested: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupthinkRow {
    pub round: u32,
    pub trigger: Option<GroupthinkKind>,
    pub indicators: Vec<&'static str>,
    /// A round of objections follows.
    pub acted: bool,
    pub sources: usize,
    /// Of the seats' premises; null where too few have any.
    pub overlap: Option<f64>,
    pub clusters: usize,
    pub sigma: Option<f64>,
    pub facts_per_seat: f64,
    /// Mean change of confidence; null in the first round.
    pub shift: Option<f64>,
    /// Signs that whoever read the round noticed.
    pub model_signs: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObjectionRow {
    pub round: u32,
    pub trigger: GroupthinkKind,
    pub new_facts: usize,
    pub mean_confidence: Option<f64>,
    pub belief_change: f64,
    /// The objections moved nothing.
    pub failed: bool,
    /// What a person decided; null where nobody was asked or nobody answered.
    pub resolution: Option<Resolution>,
    /// Seats whose BLOCKER that overruled.
    pub overruled: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct Resolution {
    pub answer: String,
    pub note: Option<String>,
    pub by: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExitRow {
    pub reason: StopReason,
    pub rounds: u32,
    /// Of all seats, those that accept.
    pub share: f64,
    pub open_blockers: usize,
    pub least_sure: Option<f64>,
    pub agreement: Option<f64>,
    /// Of the regular round before the last, and of the last.
    pub movement: [Option<f64>; 2],
    pub new_facts: [usize; 2],
}

#[derive(Serialize, JsonSchema)]
pub struct ConfidenceRow {
    pub seats: Vec<SeatConfidence>,
}

#[derive(Serialize, JsonSchema)]
pub struct SeatConfidence {
    pub seat: String,
    /// One a round, objections included; null where the seat gave nothing that counts.
    pub values: Vec<Option<f64>>,
}

#[derive(Serialize, JsonSchema)]
pub struct VotesRow {
    pub rubric: &'static str,
    pub rounds: Vec<VoteCounts>,
}

#[derive(Serialize, JsonSchema)]
pub struct VoteCounts {
    pub vote: String,
    /// One a round in which a vote was asked for.
    pub counts: Vec<f64>,
}

#[derive(Serialize, JsonSchema)]
pub struct DiversityRow {
    pub rounds: Vec<DiversityMeasure>,
}

#[derive(Serialize, JsonSchema)]
pub struct DiversityMeasure {
    pub measure: String,
    /// One a round, objections included; null where it could not be measured.
    pub values: Vec<Option<f64>>,
}

#[derive(Serialize, JsonSchema)]
pub struct ClaimsRow {
    pub claims: Vec<Claim>,
    pub evidence: Vec<EvidenceItem>,
    pub decisions: Vec<SettledPoint>,
    pub risks: Vec<Risk>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SynthesisRow {
    pub summary: String,
    pub common_ground: Vec<String>,
    pub key_differences: Vec<String>,
    pub evolution_summary: String,
    pub recommendation: String,
    /// How far it can be relied on, from 0 to 1.
    pub confidence: f64,
}

row_data!(
    SeatsRow,
    ResponseRow,
    QuestionSafetyRow,
    SafetyRow,
    AnalysisRow,
    SummaryRow,
    GroupthinkRow,
    ObjectionRow,
    ExitRow,
    ConfidenceRow,
    VotesRow,
    DiversityRow,
    ClaimsRow,
    SynthesisRow,
);

/// What the verdict keeps beside answer and decision.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerdictData<'a> {
    pub round: u32,
    pub seats: Vec<SeatEntry<'a>>,
    pub claims: usize,
    pub evidence: usize,
    pub sources: usize,
    pub context_requests: &'a [super::rounds::tools::ContextRequest],
    pub further: Vec<Further>,
}

#[derive(Serialize)]
pub struct SeatEntry<'a> {
    pub name: &'a str,
    pub label: &'a str,
    pub role: &'a str,
    pub stance: Option<&'a str>,
    pub anchor: &'a str,
    /// Rounds in which the seat left its part.
    pub violations: Vec<u32>,
}
