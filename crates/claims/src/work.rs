//! What an agent is offered, and what it is told: never what an open phase of its layer holds already.

use crate::book::{Agent, Claims};
use crate::error::{ClaimsError, ClaimsResult, Refusal};
use crate::rows;
use serde::Serialize;
use serde_json::Value;
use sqlx::{AnyConnection, AssertSqlSafe, Row as _};
use synod_types::*;

/// Slots looked at for one offer.
const SCANNED: i64 = 100;

/// Which slots an agent wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkFilter {
    pub layer: Option<u32>,
    pub role: Option<String>,
    pub slot_type: Option<SlotType>,
    /// Only slots of this claim.
    pub claim: Option<String>,
    /// Claims for built-in voices, which nobody else works on.
    pub rehearsal: bool,
    /// So many of them are enough.
    pub enough: Option<usize>,
}

/// A slot that could be taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    pub slot: Slot,
    pub claim: Claim,
}

/// What was said in a layer before.
#[derive(Clone, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PriorLayer {
    pub layer: u32,
    pub stage_name: String,
    pub work_outputs: Vec<String>,
    pub consensus_outputs: Vec<String>,
    pub avg_confidence: Option<f64>,
}

/// What an attempt at this layer said that a person sent back, and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviousAttempt {
    pub attempt: u32,
    pub work_outputs: Vec<String>,
    pub consensus_outputs: Vec<String>,
    pub avg_confidence: Option<f64>,
    pub note: Option<String>,
}

/// Everything an agent is told for a slot.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkContext {
    pub stage_name: String,
    /// What the layer is to achieve.
    pub goal: String,
    /// What this role is asked to do.
    pub role_guide: String,
    /// What a confidence means.
    pub confidence_scale: String,
    /// What is asked for beside the prose, as a JSON Schema; null: nothing.
    pub output_schema: Option<Value>,
    pub prior_layers: Vec<PriorLayer>,
    /// Of this layer, for consensus seats only.
    pub current_layer_work_outputs: Vec<String>,
    pub previous_attempts: Vec<PreviousAttempt>,
    /// What readers of the claim should know.
    pub notices: Vec<String>,
}

pub const CONFIDENCE_SCALE: &str = "0.9 to 1: clear evidence. 0.7 to 0.9: sound, with small caveats. 0.5 to 0.7: doubtful. Below 0.5: major gaps.";

/// What each role is asked to do.
pub fn role_guide(role: &str, stage: &str) -> &'static str {
    match role {
        "classifier" => {
            "Choose the protocol: prism-v1 if the claim can be tested as true or false, lens-v1 if it is an open or what-if question. Name its broad domain."
        }
        "contributor" => "State the core argument of the claim, the assumptions it rests on, and what would make it hold or fail.",
        "critic" if stage == "classification" => "Say which one broad domain the claim belongs to, and why no other fits better.",
        "critic" => "Find the gaps: premises without support, faults of reasoning, faults of method.",
        "supporter" => "Give the strongest evidence for the claim, and say how strong it is.",
        "counter" => "Give the strongest evidence against the claim, and say how strong it is.",
        "questioner" => "Ask the questions that must be settled before the claim can be judged.",
        "defender" => "Answer the critique: show where the claim stands in spite of it, and admit where it does not.",
        "answerer" => "Answer each open question, or say that it cannot be answered yet.",
        "framer" => "Lay out the dimensions of the question and the questions inside it.",
        "lens" => "Take one angle that nobody has taken yet, and push it to a result.",
        "reviser" => "Take each angle and apply the critique: change what it breaks, defend what it does not. Do not merely recap.",
        "synthesizer" => "Form one position from the revised angles, and say what changed on the way.",
        "consensus" if stage == "synthesis" || stage == "summary" => {
            "Read everything that was said and write the final word on it; then score how well the whole supports it."
        }
        "consensus" => "Judge whether the work of this layer, taken together, meets the layer's goal, and score that.",
        _ => "Do what the role's name says, towards the layer's goal.",
    }
}

impl Claims {
    /// Open slots that this agent may take, spread so that agents who ask at once are not all sent to the same one.
    pub async fn offers(&self, agent: &Agent, filter: &WorkFilter) -> ClaimsResult<Vec<Offer>> {
        let now = self.store.now().await?;
        let mut conn = self.store.reading().await?;
        let mut free = free_slots(&mut conn, "s.status = 'open'", agent, filter, now).await?;
        if free.is_empty() {
            // A slot whose lease has run out is as good as open: taking it decides.
            free = free_slots(&mut conn, "s.status = 'taken' AND s.lease_expires_at <= $2", agent, filter, now).await?;
        }
        free.sort_by_cached_key(|slot| sha256_hex(format!("{}:{slot}", agent.id)));
        free.truncate(filter.enough.unwrap_or(usize::MAX));
        let mut offers: Vec<Offer> = Vec::with_capacity(free.len());
        for id in free {
            let row = sqlx::query("SELECT * FROM claim_slots WHERE id = $1").bind(&id).fetch_one(&mut *conn).await?;
            let slot = rows::slot(&row)?.slot;
            // Submitted since it was found: not to be shown.
            if slot.output.is_some() {
                continue;
            }
            let known = offers.iter().find(|offer| offer.claim.id == slot.claim_id).map(|offer| offer.claim.clone());
            let claim = match known {
                Some(claim) => claim,
                None => match crate::reading::visible(&mut conn, &slot.claim_id).await {
                    Ok(claim) => claim,
                    // Hidden since it was found.
                    Err(ClaimsError::Refused(_)) => continue,
                    Err(error) => return Err(error),
                },
            };
            offers.push(Offer { slot, claim });
        }
        Ok(offers)
    }

    /// Whether there is anything to do for this agent.
    pub async fn peek(&self, agent: &Agent, filter: &WorkFilter) -> ClaimsResult<bool> {
        Ok(!self.offers(agent, &WorkFilter { enough: Some(1), ..filter.clone() }).await?.is_empty())
    }

    /// What an agent is told for a slot.
    pub async fn context(&self, claim: &str, slot: &str) -> ClaimsResult<WorkContext> {
        let mut conn = self.store.reading().await?;
        crate::reading::visible(&mut conn, claim).await?;
        let (protocol, _) = crate::reading::protocol_of(&mut conn, claim).await?;
        let slots: Vec<Slot> = rows::slots_of(&mut conn, claim).await?.into_iter().map(|row| row.slot).collect();
        let slot = slots.iter().find(|known| known.id == slot).ok_or_else(|| Refusal::SlotNotFound(slot.to_owned()))?.clone();
        let layers = rows::layers_of(&mut conn, claim).await?;
        let flags = rows::flags_of(&mut conn, claim).await?;
        let notices = rows::notices_of(&mut conn, claim).await?;
        Ok(context_of(&protocol, &slot, &slots, &layers, &flags, &notices))
    }
}

/// The oldest slots that this agent may take, by id. The state comes first: the index has them in their order.
async fn free_slots(conn: &mut AnyConnection, state: &str, agent: &Agent, filter: &WorkFilter, now: Millis) -> sqlx::Result<Vec<String>> {
    let sql = format!(
        "SELECT s.id FROM claim_slots s JOIN claim_pipelines p ON p.claim_id = s.claim_id AND p.status = 'active' AND p.layer = s.layer
         AND p.attempt = s.attempt AND p.phase = s.slot_type
         JOIN claims c ON c.id = s.claim_id AND c.hidden_at IS NULL AND c.rehearsal = $1
         WHERE {state} AND ($3 < 0 OR s.layer = $3) AND ($4 = '' OR s.role = $4) AND ($5 = '' OR s.slot_type = $5) AND ($6 = '' OR s.claim_id = $6)
         AND NOT EXISTS (SELECT 1 FROM claim_slots mine WHERE mine.claim_id = s.claim_id
         AND mine.exclusive_key = s.exclusive_group || ':' || CASE s.by_owner WHEN 1 THEN $7 ELSE $8 END
         AND NOT (mine.status = 'taken' AND mine.lease_expires_at <= $2))
         ORDER BY s.created_at, s.id LIMIT $9"
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(i64::from(filter.rehearsal)).bind(now).bind(filter.layer.map_or(-1, i64::from));
    let query = query.bind(filter.role.clone().unwrap_or_default()).bind(filter.slot_type.map_or("", SlotType::as_str));
    let query = query.bind(filter.claim.clone().unwrap_or_default()).bind(&agent.owner).bind(&agent.id).bind(SCANNED);
    query.fetch_all(conn).await?.iter().map(|row| row.try_get(0)).collect()
}

fn outputs<'s>(slots: impl Iterator<Item = &'s Slot>, of: SlotType) -> Vec<String> {
    slots.filter(|slot| slot.slot_type == of).filter_map(|slot| slot.output.as_ref().map(|output| with_structure(output, slot))).collect()
}

/// The prose, and under it what was given in fields.
fn with_structure(output: &str, slot: &Slot) -> String {
    match slot.structured_output.as_ref().and_then(Value::as_object) {
        Some(fields) if !fields.is_empty() => {
            let shown = |value: &Value| match value {
                Value::String(text) => text.clone(),
                Value::Array(items) => {
                    items.iter().map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned)).collect::<Vec<_>>().join("; ")
                }
                other => other.to_string(),
            };
            let lines: Vec<String> = fields.iter().map(|(name, value)| format!("{name}: {}", shown(value))).collect();
            format!("{output}\n{}", lines.join("\n"))
        }
        _ => output.to_owned(),
    }
}

pub(crate) fn context_of(
    protocol: &Protocol,
    slot: &Slot,
    slots: &[Slot],
    layers: &[LayerResult],
    flags: &[ClaimFlag],
    notices: &[ClaimNotice],
) -> WorkContext {
    let stage = protocol.stage(slot.layer);
    let passed = |result: &&LayerResult| matches!(result.outcome, LayerOutcome::Passed | LayerOutcome::Overridden);
    let prior = layers.iter().filter(passed).filter(|result| result.layer < slot.layer).map(|result| {
        let of =
            || slots.iter().filter(move |other| other.layer == result.layer && other.attempt == result.attempt && other.status == SlotStatus::Done);
        PriorLayer {
            layer: result.layer,
            stage_name: result.stage_name.clone(),
            work_outputs: outputs(of(), SlotType::Work),
            consensus_outputs: outputs(of(), SlotType::Consensus),
            avg_confidence: Some(result.avg_confidence),
        }
    });
    let previous = (1..slot.attempt).map(|attempt| {
        let of = || slots.iter().filter(move |other| other.layer == slot.layer && other.attempt == attempt);
        PreviousAttempt {
            attempt,
            work_outputs: outputs(of(), SlotType::Work),
            consensus_outputs: outputs(of(), SlotType::Consensus),
            avg_confidence: layers.iter().find(|result| result.layer == slot.layer && result.attempt == attempt).map(|result| result.avg_confidence),
            note: flags.iter().find(|flag| flag.layer == slot.layer && flag.attempt == attempt).and_then(|flag| flag.note.clone()),
        }
    });
    let here = slots.iter().filter(|other| other.layer == slot.layer && other.attempt == slot.attempt && other.status == SlotStatus::Done);
    let stage_name = stage.map(|stage| stage.name.clone()).unwrap_or_default();
    WorkContext {
        goal: stage.map(|stage| stage.goal.clone()).unwrap_or_default(),
        role_guide: role_guide(&slot.role, &stage_name).to_owned(),
        confidence_scale: CONFIDENCE_SCALE.to_owned(),
        output_schema: stage.and_then(|stage| stage.output_schema.clone()),
        stage_name,
        prior_layers: prior.collect(),
        current_layer_work_outputs: if slot.slot_type == SlotType::Consensus { outputs(here, SlotType::Work) } else { Vec::new() },
        previous_attempts: previous.collect(),
        notices: notices.iter().map(|notice| notice.text.clone()).collect(),
    }
}

/// The protocol a claim is under now, and its id.
pub(crate) async fn pipeline_of(conn: &mut AnyConnection, claim: &str) -> ClaimsResult<Pipeline> {
    let row = sqlx::query("SELECT * FROM claim_pipelines WHERE claim_id = $1").bind(claim).fetch_optional(conn).await?;
    Ok(rows::pipeline(&row.ok_or_else(|| Refusal::ClaimNotFound(claim.to_owned()))?)?)
}
