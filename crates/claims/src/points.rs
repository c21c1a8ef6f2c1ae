//! Points: who contributed to what passed. Off unless the server's owner turns them on; no chain, no stake, nothing to buy.

use crate::book::{Claims, new_id};
use crate::error::{ClaimsResult, Step};
use crate::held::HeldClaim;
use serde::Serialize;
use sqlx::Row as _;
use synod_store::Transaction;
use synod_types::{Millis, Slot, SlotStatus, SlotType};

const WORK: i64 = 10;
const CONSENSUS: i64 = 5;
/// Once for each owner with work in a layer that passed.
const LAYER: i64 = 20;
/// Once for each owner who contributed to a claim that is complete.
const PIPELINE: i64 = 50;

async fn give(tx: &mut Transaction<'_>, claim: &str, owner: &str, kind: &str, reason: &str, points: i64) -> Step<()> {
    let sql = concat!(
        "INSERT INTO claim_points (id, claim_id, owner, kind, reason, points, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        " ON CONFLICT DO NOTHING"
    );
    let insert = sqlx::query(sql).bind(new_id()).bind(claim).bind(owner).bind(kind).bind(reason).bind(points).bind(tx.now);
    insert.execute(&mut *tx.conn).await?;
    Ok(())
}

/// Settles a layer that has passed: nothing was earned before.
pub(crate) async fn settle(tx: &mut Transaction<'_>, held: &HeldClaim, slots: &[Slot], last: bool) -> Step<()> {
    let claim = &held.claim.id;
    let layer = held.pipeline.current_layer.to_string();
    for slot in slots.iter().filter(|slot| slot.status == SlotStatus::Done) {
        let Some(owner) = &slot.owner else { continue };
        match slot.slot_type {
            SlotType::Work => {
                give(tx, claim, owner, "work", &slot.id, WORK).await?;
                give(tx, claim, owner, "layer", &layer, LAYER).await?;
            }
            SlotType::Consensus => give(tx, claim, owner, "consensus", &slot.id, CONSENSUS).await?,
        }
    }
    if last {
        let sql = "SELECT DISTINCT owner FROM claim_slots WHERE claim_id = $1 AND status = 'done' AND owner IS NOT NULL ORDER BY owner";
        for row in sqlx::query(sql).bind(claim).fetch_all(&mut *tx.conn).await? {
            give(tx, claim, row.try_get(0)?, "pipeline", "complete", PIPELINE).await?;
        }
    }
    Ok(())
}

#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeaderboardUser {
    pub rank: u32,
    pub user: String,
    pub points: i64,
    pub last_reward_at: Millis,
}

/// How one model's submissions fared.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeaderboardModel {
    pub model: String,
    pub slots_done: i64,
    /// Of the layers it worked in that have ended, the share that passed by their own mean.
    pub pass_rate: Option<f64>,
    /// How far its confidences were from the means of those layers.
    pub mean_confidence_error: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Leaderboard {
    pub users: Vec<LeaderboardUser>,
    pub models: Vec<LeaderboardModel>,
}

impl Claims {
    /// Owners by their points, earlier ones first where equal; models by their submissions. Rehearsals count for nothing.
    pub async fn leaderboard(&self, limit: u32) -> ClaimsResult<Leaderboard> {
        let mut conn = self.store.reading().await?;
        let sql = concat!(
            "SELECT owner, CAST(SUM(points) AS BIGINT), MAX(created_at) FROM claim_points GROUP BY owner HAVING SUM(points) > 0",
            " ORDER BY 2 DESC, 3, owner LIMIT $1"
        );
        let rows = sqlx::query(sql).bind(i64::from(limit)).fetch_all(&mut *conn).await?;
        let mut users = Vec::new();
        for (row, rank) in rows.iter().zip(1..) {
            users.push(LeaderboardUser { rank, user: row.try_get(0)?, points: row.try_get(1)?, last_reward_at: row.try_get(2)? });
        }
        let sql = concat!(
            "SELECT COALESCE(s.agent_model, ''), CAST(COUNT(*) AS BIGINT),",
            " CAST(AVG(CASE l.outcome WHEN 'passed' THEN 1.0 WHEN 'flagged' THEN 0.0 WHEN 'overridden' THEN 0.0 WHEN 'closed' THEN 0.0 END)",
            " AS DOUBLE PRECISION),",
            " AVG(CASE WHEN l.layer IS NOT NULL THEN ABS(s.confidence - l.avg_confidence) END)",
            " FROM claim_slots s JOIN claims c ON c.id = s.claim_id AND c.rehearsal = 0 AND c.hidden_at IS NULL",
            " LEFT JOIN claim_layers l ON l.claim_id = s.claim_id AND l.layer = s.layer AND l.attempt = s.attempt",
            " WHERE s.status IN ('done', 'superseded') AND s.output IS NOT NULL AND s.copied = 0",
            " GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT $1"
        );
        let mut models = Vec::new();
        for row in sqlx::query(sql).bind(i64::from(limit)).fetch_all(&mut *conn).await? {
            let model: String = row.try_get(0)?;
            models.push(LeaderboardModel {
                model: if model.is_empty() { "unnamed".to_owned() } else { model },
                slots_done: row.try_get(1)?,
                pass_rate: number(&row, 2)?,
                mean_confidence_error: number(&row, 3)?,
            });
        }
        Ok(Leaderboard { users, models })
    }

    /// The points of an owner.
    pub async fn balance(&self, owner: &str) -> ClaimsResult<i64> {
        let mut conn = self.store.reading().await?;
        let sql = "SELECT CAST(COALESCE(SUM(points), 0) AS BIGINT) FROM claim_points WHERE owner = $1";
        Ok(sqlx::query(sql).bind(owner).fetch_one(&mut *conn).await?.try_get(0)?)
    }
}

/// A mean, which is a whole number where SQLite finds one.
fn number(row: &sqlx::any::AnyRow, column: usize) -> sqlx::Result<Option<f64>> {
    row.try_get::<Option<f64>, _>(column).or_else(|_| Ok(row.try_get::<Option<i64>, _>(column)?.map(|whole| whole as f64)))
}
