//! Everything about claims at one moment, read by plain SQL.

use serde_json::Value;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Executor, Row};

#[derive(Clone, Debug)]
pub struct ProtocolRow {
    pub id: String,
    pub name: String,
    pub is_default: bool,
    pub body: Value,
}

#[derive(Clone, Debug)]
pub struct ClaimRow {
    pub id: String,
    pub domain: String,
    pub protocol: String,
    pub hidden_at: Option<i64>,
}

#[derive(Clone, Debug)]
pub struct PipelineRow {
    pub claim: String,
    pub protocol: String,
    pub layer: i64,
    pub phase: String,
    pub status: String,
    pub attempt: i64,
    pub hash: Option<String>,
    pub hash_v2: Option<String>,
    pub version: i64,
}

#[derive(Clone, Debug)]
pub struct SlotRow {
    pub id: String,
    pub claim: String,
    pub protocol: String,
    pub layer: i64,
    pub attempt: i64,
    pub kind: String,
    pub ordinal: i64,
    pub role: String,
    pub status: String,
    pub agent: Option<String>,
    pub owner: Option<String>,
    pub output: Option<String>,
    pub structured: Option<Value>,
    pub confidence: Option<f64>,
    pub address: Option<String>,
    pub signature: Option<String>,
    pub lease: Option<String>,
    pub taken_at: Option<i64>,
    pub expires_at: Option<i64>,
    pub done_at: Option<i64>,
    pub copied: bool,
}

#[derive(Clone, Debug)]
pub struct FlagRow {
    pub claim: String,
    pub layer: i64,
    pub attempt: i64,
    pub reason: String,
    pub avg: f64,
    pub threshold: f64,
    pub cleared: bool,
    pub resolution: Option<String>,
    pub note: Option<String>,
}

#[derive(Clone, Debug)]
pub struct LayerRow {
    pub claim: String,
    pub layer: i64,
    pub attempt: i64,
    pub outcome: String,
    pub avg: f64,
    pub threshold: f64,
    pub effect: Option<String>,
    pub at: i64,
}

/// What was given for something: owner, kind, reason and points.
pub type PointRow = (String, String, String, i64);

#[derive(Clone, Debug)]
pub struct Tables {
    pub protocols: Vec<ProtocolRow>,
    pub claims: Vec<ClaimRow>,
    pub pipelines: Vec<PipelineRow>,
    pub slots: Vec<SlotRow>,
    pub flags: Vec<FlagRow>,
    pub layers: Vec<LayerRow>,
    /// Of the pipeline, with the claim.
    pub records: Vec<(String, Value)>,
    /// With the claim.
    pub points: Vec<(String, PointRow)>,
    /// How often a person's pass was told, with claim and layer.
    pub overrides: Vec<(String, i64)>,
}

impl Tables {
    /// Reads them all in one transaction, so that they belong together.
    pub async fn read(conn: &mut AnyConnection, sqlite: bool) -> Self {
        conn.execute(if sqlite { "BEGIN" } else { "BEGIN ISOLATION LEVEL REPEATABLE READ" }).await.expect("begun");
        let tables = Self {
            protocols: all(conn, "SELECT id, name, is_default, body FROM protocols", |row| ProtocolRow {
                id: row.get(0),
                name: row.get(1),
                is_default: row.get::<i64, _>(2) != 0,
                body: json(row, 3).expect("a body"),
            })
            .await,
            claims: all(conn, "SELECT id, domain, protocol, hidden_at FROM claims", |row| ClaimRow {
                id: row.get(0),
                domain: row.get(1),
                protocol: row.get(2),
                hidden_at: row.get(3),
            })
            .await,
            pipelines: all(
                conn,
                "SELECT claim_id, protocol_id, layer, phase, status, attempt, output_hash, output_hash_v2, version FROM claim_pipelines",
                |row| PipelineRow {
                    claim: row.get(0),
                    protocol: row.get(1),
                    layer: row.get(2),
                    phase: row.get(3),
                    status: row.get(4),
                    attempt: row.get(5),
                    hash: row.get(6),
                    hash_v2: row.get(7),
                    version: row.get(8),
                },
            )
            .await,
            slots: all(
                conn,
                concat!(
                    "SELECT id, claim_id, protocol_id, layer, attempt, slot_type, ordinal, role, status, agent_id, owner, output, structured_output,",
                    " confidence, signing_address, output_signature, lease_id, taken_at, lease_expires_at, done_at, copied FROM claim_slots",
                    " ORDER BY claim_id, layer, attempt, slot_type DESC, ordinal"
                ),
                slot,
            )
            .await,
            flags: all(
                conn,
                "SELECT claim_id, layer, attempt, reason, avg_confidence, threshold, cleared_at, resolution, note FROM claim_flags",
                |row| FlagRow {
                    claim: row.get(0),
                    layer: row.get(1),
                    attempt: row.get(2),
                    reason: row.get(3),
                    avg: row.get(4),
                    threshold: row.get(5),
                    cleared: row.get::<Option<i64>, _>(6).is_some(),
                    resolution: row.get(7),
                    note: row.get(8),
                },
            )
            .await,
            layers: all(
                conn,
                "SELECT claim_id, layer, attempt, outcome, avg_confidence, threshold, effect, at FROM claim_layers ORDER BY claim_id, layer, attempt",
                |row| LayerRow {
                    claim: row.get(0),
                    layer: row.get(1),
                    attempt: row.get(2),
                    outcome: row.get(3),
                    avg: row.get(4),
                    threshold: row.get(5),
                    effect: row.get(6),
                    at: row.get(7),
                },
            )
            .await,
            records: all(conn, "SELECT claim_id, body FROM claim_records WHERE by_pipeline = 1", |row| (row.get(0), json(row, 1).expect("a body")))
                .await,
            points: all(conn, "SELECT claim_id, owner, kind, reason, points FROM claim_points", |row| {
                (row.get(0), (row.get(1), row.get(2), row.get(3), row.get(4)))
            })
            .await,
            overrides: all(conn, "SELECT claim_id, layer FROM claim_notices WHERE text LIKE 'Passed by %'", |row| (row.get(0), row.get(1))).await,
        };
        conn.execute("COMMIT").await.expect("ended");
        tables
    }
}

async fn all<T>(conn: &mut AnyConnection, sql: &'static str, read: impl Fn(&AnyRow) -> T) -> Vec<T> {
    let rows = conn.fetch_all(sqlx::query(sql)).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    rows.iter().map(read).collect()
}

fn json(row: &AnyRow, column: usize) -> Option<Value> {
    row.get::<Option<String>, _>(column).map(|text| serde_json::from_str(&text).expect("JSON"))
}

fn slot(row: &AnyRow) -> SlotRow {
    SlotRow {
        id: row.get(0),
        claim: row.get(1),
        protocol: row.get(2),
        layer: row.get(3),
        attempt: row.get(4),
        kind: row.get(5),
        ordinal: row.get(6),
        role: row.get(7),
        status: row.get(8),
        agent: row.get(9),
        owner: row.get(10),
        output: row.get(11),
        structured: json(row, 12),
        confidence: row.get(13),
        address: row.get(14),
        signature: row.get(15),
        lease: row.get(16),
        taken_at: row.get(17),
        expires_at: row.get(18),
        done_at: row.get(19),
        copied: row.get::<i64, _>(20) != 0,
    }
}
