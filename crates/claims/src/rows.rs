//! Rows of the database as the nouns they stand for.

use serde::de::DeserializeOwned;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};
use synod_types::*;

fn unreadable(what: &str, why: impl std::fmt::Display) -> sqlx::Error {
    sqlx::Error::Decode(format!("{what} cannot be read: {why}").into())
}

fn word<T>(row: &AnyRow, column: &str, parse: impl Fn(&str) -> Option<T>) -> sqlx::Result<T> {
    let text: String = row.try_get(column)?;
    parse(&text).ok_or_else(|| unreadable(column, format!("{text:?}")))
}

fn number(row: &AnyRow, column: &str) -> sqlx::Result<u32> {
    let given: i64 = row.try_get(column)?;
    u32::try_from(given).map_err(|error| unreadable(column, error))
}

fn json<T: DeserializeOwned>(row: &AnyRow, column: &str) -> sqlx::Result<T> {
    let text: String = row.try_get(column)?;
    serde_json::from_str(&text).map_err(|error| unreadable(column, error))
}

pub fn claim(row: &AnyRow) -> sqlx::Result<Claim> {
    Ok(Claim {
        id: row.try_get("id")?,
        title: row.try_get("title")?,
        body: row.try_get("body")?,
        domain: row.try_get("domain")?,
        protocol: row.try_get("protocol")?,
        sources: json(row, "sources")?,
        author_id: row.try_get("author_id")?,
        author_name: row.try_get("author_name")?,
        author_type: word(row, "author_type", AuthorType::parse)?,
        author_model: row.try_get("author_model")?,
        comment_count: row.try_get("comment_count")?,
        hidden: row.try_get::<Option<i64>, _>("hidden_at")?.is_some(),
        rehearsal: row.try_get::<i64, _>("rehearsal")? != 0,
        created_at: row.try_get("created_at")?,
        updated_at: row.try_get("updated_at")?,
    })
}

pub fn pipeline(row: &AnyRow) -> sqlx::Result<Pipeline> {
    Ok(Pipeline {
        claim_id: row.try_get("claim_id")?,
        protocol_id: row.try_get("protocol_id")?,
        current_layer: number(row, "layer")?,
        current_phase: word(row, "phase", SlotType::parse)?,
        status: word(row, "status", PipelineStatus::parse)?,
        attempt: number(row, "attempt")?,
        completed_at: row.try_get("completed_at")?,
        output_hash: row.try_get("output_hash")?,
        output_hash_v2: row.try_get("output_hash_v2")?,
        version: row.try_get("version")?,
        updated_at: row.try_get("updated_at")?,
    })
}

/// A slot with what only the machine needs to know of it.
#[derive(Clone, Debug)]
pub struct SlotRow {
    pub slot: Slot,
    pub lease_id: Option<String>,
    pub lease_extended: i64,
    pub expired_agent: Option<String>,
    pub exclusive_group: String,
    pub by_owner: bool,
}

pub fn slot(row: &AnyRow) -> sqlx::Result<SlotRow> {
    let structured: Option<String> = row.try_get("structured_output")?;
    let slot = Slot {
        id: row.try_get("id")?,
        claim_id: row.try_get("claim_id")?,
        layer: number(row, "layer")?,
        attempt: number(row, "attempt")?,
        slot_type: word(row, "slot_type", SlotType::parse)?,
        ordinal: number(row, "ordinal")?,
        role: row.try_get("role")?,
        status: word(row, "status", SlotStatus::parse)?,
        agent_id: row.try_get("agent_id")?,
        owner: row.try_get("owner")?,
        agent_name: row.try_get("agent_name")?,
        agent_model: row.try_get("agent_model")?,
        output: row.try_get("output")?,
        structured_output: structured.and_then(|text| serde_json::from_str(&text).ok()),
        confidence: row.try_get("confidence")?,
        notice: row.try_get("notice")?,
        output_signature: row.try_get("output_signature")?,
        signing_address: row.try_get("signing_address")?,
        signature: row.try_get::<Option<String>, _>("signature")?.as_deref().and_then(SignatureState::parse),
        taken_at: row.try_get("taken_at")?,
        lease_expires_at: row.try_get("lease_expires_at")?,
        done_at: row.try_get("done_at")?,
        created_at: row.try_get("created_at")?,
        copied: row.try_get::<i64, _>("copied")? != 0,
        run: row.try_get("run")?,
        withheld: false,
    };
    Ok(SlotRow {
        slot,
        lease_id: row.try_get("lease_id")?,
        lease_extended: row.try_get("lease_extended")?,
        expired_agent: row.try_get("expired_agent")?,
        exclusive_group: row.try_get("exclusive_group")?,
        by_owner: row.try_get::<i64, _>("by_owner")? != 0,
    })
}

pub fn flag(row: &AnyRow) -> sqlx::Result<ClaimFlag> {
    Ok(ClaimFlag {
        id: row.try_get("id")?,
        claim_id: row.try_get("claim_id")?,
        layer: number(row, "layer")?,
        attempt: number(row, "attempt")?,
        reason: row.try_get("reason")?,
        avg_confidence: row.try_get("avg_confidence")?,
        threshold: row.try_get("threshold")?,
        created_at: row.try_get("created_at")?,
        cleared_at: row.try_get("cleared_at")?,
        cleared_by: row.try_get("cleared_by")?,
        resolution: row.try_get::<Option<String>, _>("resolution")?.as_deref().and_then(Resolution::parse),
        note: row.try_get("note")?,
    })
}

pub fn layer(row: &AnyRow) -> sqlx::Result<LayerResult> {
    Ok(LayerResult {
        layer: number(row, "layer")?,
        stage_name: row.try_get("stage_name")?,
        attempt: number(row, "attempt")?,
        outcome: word(row, "outcome", LayerOutcome::parse)?,
        avg_confidence: row.try_get("avg_confidence")?,
        threshold: row.try_get("threshold")?,
        effect: row.try_get("effect")?,
        at: row.try_get("at")?,
    })
}

pub fn record(row: &AnyRow) -> sqlx::Result<ConsensusRecord> {
    json(row, "body")
}

pub fn notice(row: &AnyRow) -> sqlx::Result<ClaimNotice> {
    Ok(ClaimNotice { layer: number(row, "layer")?, attempt: number(row, "attempt")?, text: row.try_get("text")?, at: row.try_get("at")? })
}

pub fn protocol(row: &AnyRow) -> sqlx::Result<Protocol> {
    json(row, "body")
}

/// All slots of a claim, in the order of layers, attempts, phases and places.
pub async fn slots_of(conn: &mut AnyConnection, claim: &str) -> sqlx::Result<Vec<SlotRow>> {
    // Work comes before consensus.
    let sql = "SELECT * FROM claim_slots WHERE claim_id = $1 ORDER BY layer, attempt, slot_type DESC, ordinal";
    sqlx::query(sql).bind(claim).fetch_all(conn).await?.iter().map(slot).collect()
}

pub async fn slots_of_attempt(conn: &mut AnyConnection, claim: &str, layer: u32, attempt: u32) -> sqlx::Result<Vec<SlotRow>> {
    let sql = "SELECT * FROM claim_slots WHERE claim_id = $1 AND layer = $2 AND attempt = $3 ORDER BY slot_type DESC, ordinal";
    let query = sqlx::query(sql).bind(claim).bind(i64::from(layer)).bind(i64::from(attempt));
    query.fetch_all(conn).await?.iter().map(slot).collect()
}

pub async fn layers_of(conn: &mut AnyConnection, claim: &str) -> sqlx::Result<Vec<LayerResult>> {
    let sql = "SELECT * FROM claim_layers WHERE claim_id = $1 ORDER BY layer, attempt";
    sqlx::query(sql).bind(claim).fetch_all(conn).await?.iter().map(layer).collect()
}

pub async fn flags_of(conn: &mut AnyConnection, claim: &str) -> sqlx::Result<Vec<ClaimFlag>> {
    let sql = "SELECT * FROM claim_flags WHERE claim_id = $1 ORDER BY created_at, id";
    sqlx::query(sql).bind(claim).fetch_all(conn).await?.iter().map(flag).collect()
}

pub async fn notices_of(conn: &mut AnyConnection, claim: &str) -> sqlx::Result<Vec<ClaimNotice>> {
    let sql = "SELECT * FROM claim_notices WHERE claim_id = $1 ORDER BY at, id";
    sqlx::query(sql).bind(claim).fetch_all(conn).await?.iter().map(notice).collect()
}

/// The record that counts: the pipeline's newest, else the newest of an agent.
pub async fn newest_record(conn: &mut AnyConnection, claim: &str) -> sqlx::Result<Option<ConsensusRecord>> {
    let sql = "SELECT body FROM claim_records WHERE claim_id = $1 ORDER BY by_pipeline DESC, created_at DESC, id DESC LIMIT 1";
    sqlx::query(sql).bind(claim).fetch_optional(conn).await?.as_ref().map(record).transpose()
}
