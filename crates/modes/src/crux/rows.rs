//! The parsed data of crux's stored rows.

use super::closing::record::{EvidenceItem, Side};
use super::room::card_reply::{DisagreementType, Stance};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;
use synod_types::{SeatIx, row_data, words};

#[derive(Serialize, JsonSchema)]
pub struct AspectsRow {
    pub aspects: Vec<NumberedAspect>,
    /// There only where the clerk failed: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct NumberedAspect {
    /// `aspect-1` and so on.
    pub id: String,
    pub label: String,
    pub description: String,
}

/// What one persona said, in every row that holds a message.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SpeechData {
    /// Null where the persona said nothing.
    pub id: Option<String>,
    /// As the others read it; empty where the persona said nothing.
    pub content: String,
    /// The families of stock openings that were taken out.
    pub stock_phrases_removed: Vec<&'static str>,
    /// The persona's own forbidden phrases that stayed in.
    pub forbidden_phrases: Vec<String>,
    /// There only where the persona said nothing: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub error: Option<String>,
}

/// An opening or a closing. It belongs to no round and answers nobody.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatementRow {
    pub persona_id: String,
    pub reply_to: (),
    pub round: (),
    pub miniround: (),
    #[serde(flatten)]
    pub speech: SpeechData,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TakeRow {
    pub persona_id: String,
    /// The id of the message it answers; null if it answers none in particular.
    pub reply_to: Option<String>,
    /// The aspect, from 1.
    pub round: u32,
    /// From 0.
    pub miniround: u32,
    #[serde(flatten)]
    pub speech: SpeechData,
}

#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DisagreementRow {
    pub has_direct_opposition: bool,
    pub has_specific_claim: bool,
    pub topic_relevant: bool,
    /// The ids of the two; where they are not two known personas, the names as the detector gave them.
    pub personas: Vec<String>,
    /// The question between them.
    pub topic: String,
    pub short_label: String,
    /// Whether a room follows from this row alone. A window never opens one by itself.
    pub spawn: bool,
    /// Always 1; 0 where the clerk failed.
    pub confidence: u32,
    /// Whether the detector read a window of recent messages instead of the last takes.
    pub window: bool,
    pub reasons: String,
    /// There only where the clerk failed: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoomRow {
    pub room_id: String,
    pub question: String,
    pub label: String,
    /// The ids of the two.
    pub personas: [String; 2],
    /// The ids of the messages that led to it.
    pub source_messages: Vec<String>,
}

/// The end of a room, after its card.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoomEndRow {
    pub room_id: String,
    pub status: RoomStatus,
    pub ended_by: RoomEnd,
    /// What the two said in it, the positions counted.
    pub messages: usize,
    pub card_id: String,
    pub resolved: bool,
}

words! {
    pub enum RoomStatus {
        Complete = "complete",
        /// The run was closing.
        BrokenOff = "broken_off",
    }
}

words! {
    /// Why a room ended.
    pub enum RoomEnd {
        /// Both have named what they differ over.
        Surfaced = "surfaced",
        TurnsUsed = "turns_used",
        /// Too little was said to sum up.
        TooShort = "too_short",
        Closed = "closed",
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoomMessageRow {
    pub room_id: String,
    #[serde(rename = "type")]
    pub speaker: Speaker,
    pub persona_id: String,
    pub phase: RoomPhase,
    #[serde(flatten)]
    pub speech: SpeechData,
}

/// Who speaks in a room.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    Persona,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RoomPhase {
    Position,
    Exchange,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExitCheckRow {
    pub room_id: String,
    /// Also false where the clerk failed: the room goes on.
    pub crux_surfaced: bool,
    pub reason: String,
    /// There only where the clerk failed: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConvergenceRow {
    pub room_id: String,
    pub core_disagreement: String,
    /// The clerk's own word for the kind of disagreement; may be empty.
    #[serde(rename = "type")]
    pub kind: String,
    pub converged: bool,
    /// There only where the clerk failed: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardRow {
    pub id: String,
    pub crux_room_id: String,
    pub question: String,
    pub disagreement_type: DisagreementType,
    pub diagnosis: String,
    pub resolved: bool,
    /// Null unless resolved.
    pub resolution: Option<String>,
    /// What was put forward as a settlement that not both share; null if nothing was.
    pub proposed_resolution: Option<String>,
    /// Both give the same answer and nothing is resolved.
    pub weak_crux: bool,
    /// Made without a model, because none could write it.
    pub fallback: bool,
    pub source_aspect: String,
    pub source_messages: Vec<String>,
    /// The clerk's account of the core; null if there is none.
    pub core_disagreement: Option<String>,
    /// The kind the clerk gave for the core, if any.
    pub convergence_type: Option<DisagreementType>,
    /// By persona id.
    pub personas: IndexMap<String, CardPositionData>,
    /// There only where the writer failed: why. The row holds no card then; the one that stands follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardPositionData {
    pub name: String,
    pub seat: SeatIx,
    pub position: Stance,
    /// For NUANCED: when yes and when no; null if nobody wrote it down.
    pub condition: Option<String>,
    pub reasoning: String,
    /// What they said would prove them wrong; null if they named nothing.
    pub falsifier: Option<String>,
    pub grounding_quotes: Vec<CardQuoteData>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardQuoteData {
    pub text: String,
    /// The id of the message that holds it word for word; null if none does.
    pub found_in: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct RoundSummaryRow {
    /// The aspect, from 1, and its label.
    pub round: u32,
    pub aspect: String,
    /// Empty where the clerk failed.
    pub summary: String,
    /// There only where the clerk failed: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct ShiftsRow {
    pub shifts: Vec<ShiftData>,
    /// There only where the clerk failed: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShiftData {
    pub persona_id: String,
    /// Also false if nobody judged it; the summary then says so.
    pub shifted: bool,
    pub summary: String,
}

/// The record of the debate, with every persona by its id.
#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DebateSummaryRow {
    pub claims: Vec<ClaimData>,
    pub agreements: Vec<String>,
    pub evidence_ledger: Vec<EvidenceData>,
    pub flip_conditions: Vec<FlipConditionsData>,
    pub resolution_paths: Vec<String>,
    /// The same as the resolution paths.
    pub open_questions: Vec<String>,
    /// There only where the writer failed: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct ClaimData {
    pub claim: String,
    pub stances: Vec<ClaimStanceData>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClaimStanceData {
    pub persona_id: String,
    pub position: Side,
    pub reasoning: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EvidenceData {
    pub persona_id: String,
    pub accepted: Vec<EvidenceItem>,
    pub challenged: Vec<EvidenceItem>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlipConditionsData {
    pub persona_id: String,
    pub conditions: Vec<String>,
}

row_data!(
    AspectsRow,
    StatementRow,
    TakeRow,
    DisagreementRow,
    RoomRow,
    RoomEndRow,
    RoomMessageRow,
    ExitCheckRow,
    ConvergenceRow,
    CardRow,
    RoundSummaryRow,
    ShiftsRow,
    DebateSummaryRow,
);

/// What the verdict keeps beside answer and decision.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerdictData<'a> {
    pub personas: Vec<PersonaSeat<'a>>,
    pub aspects: &'a [super::rounds::aspects::Aspect],
    pub messages: usize,
    pub open_questions: &'a [String],
}

#[derive(Serialize)]
pub struct PersonaSeat<'a> {
    pub seat: u32,
    pub id: &'a str,
    pub name: &'a str,
}
