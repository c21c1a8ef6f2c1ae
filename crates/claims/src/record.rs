//! The record of a claim: what its last layer came to, in words, with who differed.

use crate::advance::votes_on;
use crate::book::{Agent, Change, ClaimSettings, Claims, new_id, text};
use crate::error::{ClaimsResult, Refusal, Step, refuse};
use crate::held::HeldClaim;
use crate::{rows, votes};
use futures::future::BoxFuture;
use serde_json::Value;
use sqlx::Row as _;
use synod_store::Transaction;
use synod_types::*;

/// Between summaries that nobody merged.
const RULE: &str = "\n\n---\n\n";

async fn insert(tx: &mut Transaction<'_>, record: &ConsensusRecord) -> Step<()> {
    let sql = "INSERT INTO claim_records (id, claim_id, body, by_pipeline, merged, created_at) VALUES ($1, $2, $3, $4, $5, $6)";
    let body = serde_json::to_string(record).unwrap_or_default();
    let insert = sqlx::query(sql).bind(&record.id).bind(&record.claim_id).bind(body).bind(i64::from(record.by_pipeline));
    insert.bind(i64::from(record.merged)).bind(record.created_at).execute(&mut *tx.conn).await?;
    Ok(())
}

fn said<'s>(slot: &'s Slot, field: &str) -> Option<&'s str> {
    slot.structured_output.as_ref().and_then(|output| output.get(field)?.as_str()).map(str::trim).filter(|text| !text.is_empty())
}

fn listed(slot: &Slot, field: &str) -> Vec<String> {
    let items = slot.structured_output.as_ref().and_then(|output| output.get(field)?.as_array());
    items.into_iter().flatten().filter_map(Value::as_str).map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect()
}

/// Writes the record of a claim whose last layer has passed.
pub(crate) async fn write(tx: &mut Transaction<'_>, held: &HeldClaim, slots: &[Slot], avg: f64) -> Step<Option<Recommendation>> {
    let seats: Vec<&Slot> = slots.iter().filter(|slot| slot.slot_type == SlotType::Consensus).collect();
    let consensus: Vec<Slot> = seats.iter().map(|slot| (*slot).clone()).collect();
    let recommended = votes::recommendation(&votes_on(&consensus, "recommendation"));
    let recommendation = recommended.map(|recommended| recommended.recommendation);
    let prose: Vec<String> = seats.iter().filter_map(|slot| slot.output.clone()).collect();
    let mut summaries: Vec<String> = seats.iter().filter_map(|slot| said(slot, "summary")).map(str::to_owned).collect();
    if summaries.is_empty() {
        summaries.clone_from(&prose);
    }
    // A single text, however often it was said, needs no merging.
    let mut distinct: Vec<&str> = Vec::new();
    for summary in &summaries {
        if !distinct.contains(&summary.as_str()) {
            distinct.push(summary);
        }
    }
    let dissent = seats.iter().filter_map(|slot| {
        let own = said(slot, "recommendation").and_then(Recommendation::parse).filter(|own| Some(*own) != recommendation)?;
        let who = slot.agent_name.as_deref().unwrap_or("A consensus seat");
        let why = said(slot, "summary").or(slot.output.as_deref()).unwrap_or_default();
        Some(format!("{who} says {}: {why}", own.as_str()))
    });
    let dissent: Vec<String> = dissent.collect();
    let mut open_questions: Vec<String> = Vec::new();
    // What the passing attempts left open.
    for row in rows::slots_of(tx.conn, &held.claim.id).await?.iter().filter(|row| row.slot.status == SlotStatus::Done) {
        for item in listed(&row.slot, "caveats").into_iter().chain(listed(&row.slot, "openQuestions")) {
            if !open_questions.contains(&item) {
                open_questions.push(item);
            }
        }
    }
    let first = seats.first();
    let record = ConsensusRecord {
        id: new_id(),
        claim_id: held.claim.id.clone(),
        summary: distinct.join(RULE),
        key_points: prose,
        dissent,
        open_questions,
        confidence: (avg * 100.0).round() as u32,
        recommendation,
        split_verdict: recommended.is_some_and(|recommended| recommended.split),
        merged: distinct.len() < 2,
        summaries: summaries.clone(),
        by_pipeline: true,
        agent_id: first.and_then(|slot| slot.agent_id.clone()),
        agent_name: first.and_then(|slot| slot.agent_name.clone()),
        agent_model: first.and_then(|slot| slot.agent_model.clone()),
        created_at: tx.now,
    };
    if record.split_verdict {
        held.note(tx, "Accept and reject had equal weight, so more evidence is asked for.").await?;
    }
    insert(tx, &record).await?;
    Ok(recommendation)
}

/// The record of a claim that a person closed.
pub(crate) async fn write_closed(tx: &mut Transaction<'_>, held: &HeldClaim, avg: f64, note: &str, by: &Agent) -> Step<()> {
    let stage = held.stage()?;
    let summary = format!("Closed at layer {}, {}: {note}", stage.layer, stage.name);
    let record = ConsensusRecord {
        id: new_id(),
        claim_id: held.claim.id.clone(),
        summaries: vec![summary.clone()],
        summary,
        key_points: Vec::new(),
        dissent: Vec::new(),
        open_questions: Vec::new(),
        confidence: (avg * 100.0).round() as u32,
        recommendation: Some(Recommendation::NeedsMoreEvidence),
        split_verdict: false,
        merged: true,
        by_pipeline: true,
        agent_id: Some(by.id.clone()),
        agent_name: Some(by.name.clone()),
        agent_model: None,
        created_at: tx.now,
    };
    insert(tx, &record).await
}

/// A record that an agent writes of its own accord.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordDraft {
    pub summary: String,
    pub key_points: Vec<String>,
    pub dissent: Vec<String>,
    pub open_questions: Vec<String>,
    pub confidence: f64,
}

struct AddRecord(ConsensusRecord);

impl Change<ConsensusRecord> for AddRecord {
    fn carry_out<'c>(&'c self, tx: &'c mut Transaction<'_>, _: &'c ClaimSettings) -> BoxFuture<'c, Step<ConsensusRecord>> {
        Box::pin(async move {
            HeldClaim::take(tx, &self.0.claim_id).await?;
            let record = ConsensusRecord { created_at: tx.now, ..self.0.clone() };
            insert(tx, &record).await?;
            Ok(record)
        })
    }
}

/// The seats' summaries as one, by whoever could write it.
struct Merge {
    claim: String,
    record: String,
    summary: Option<String>,
    model: Option<String>,
}

impl Change<()> for Merge {
    fn carry_out<'c>(&'c self, tx: &'c mut Transaction<'_>, _: &'c ClaimSettings) -> BoxFuture<'c, Step<()>> {
        Box::pin(async move {
            HeldClaim::lock(tx, &self.claim).await?;
            // Whoever is second finds nothing to merge.
            let sql = "UPDATE claim_records SET merged = 1 WHERE id = $1 AND claim_id = $2 AND merged = 0 RETURNING body";
            let row = sqlx::query(sql).bind(&self.record).bind(&self.claim).fetch_optional(&mut *tx.conn).await?;
            let (Some(row), Some(summary)) = (row, &self.summary) else { return Ok(()) };
            let raw = rows::record(&row)?;
            let model = self.model.clone();
            let merged = ConsensusRecord { id: new_id(), summary: summary.clone(), merged: true, agent_model: model, created_at: tx.now, ..raw };
            insert(tx, &merged).await
        })
    }
}

impl Claims {
    /// Adds a record of an agent's own. It decides nothing: what the pipeline writes stands before it.
    pub async fn add_record(&self, claim: &str, by: &Agent, draft: RecordDraft) -> ClaimsResult<ConsensusRecord> {
        let confidence = draft.confidence;
        if !(0.0..=100.0).contains(&confidence) || confidence.fract() != 0.0 {
            let want = "a whole number from 0 to 100; confidences from 0 to 1 belong to slots";
            return Err(Refusal::invalid("confidence", confidence.to_string(), want).into());
        }
        let lines = |field: &str, lines: &[String]| -> Result<Vec<String>, Refusal> {
            if lines.len() > 50 {
                return Err(Refusal::invalid(field, format!("{} entries", lines.len()), "at most 50"));
            }
            lines.iter().map(|line| text(field, line, 4_000)).collect()
        };
        let record = ConsensusRecord {
            id: new_id(),
            claim_id: claim.to_owned(),
            summary: text("summary", &draft.summary, 20_000)?,
            summaries: Vec::new(),
            key_points: lines("keyPoints", &draft.key_points)?,
            dissent: lines("dissent", &draft.dissent)?,
            open_questions: lines("openQuestions", &draft.open_questions)?,
            confidence: confidence as u32,
            recommendation: None,
            split_verdict: false,
            merged: true,
            by_pipeline: false,
            agent_id: Some(by.id.clone()),
            agent_name: Some(by.name.clone()),
            agent_model: by.model.clone(),
            created_at: 0,
        };
        self.change(AddRecord(record)).await
    }

    /// The record that counts.
    pub async fn record(&self, claim: &str) -> ClaimsResult<ConsensusRecord> {
        let mut conn = self.store.reading().await?;
        crate::reading::visible(&mut conn, claim).await?;
        rows::newest_record(&mut conn, claim).await?.ok_or_else(|| Refusal::ConsensusNotFound.into())
    }

    /// All records, the newest first.
    pub async fn records(&self, claim: &str) -> ClaimsResult<Vec<ConsensusRecord>> {
        let mut conn = self.store.reading().await?;
        crate::reading::visible(&mut conn, claim).await?;
        let sql = "SELECT body FROM claim_records WHERE claim_id = $1 ORDER BY created_at DESC, id DESC LIMIT 500";
        let found = sqlx::query(sql).bind(claim).fetch_all(&mut *conn).await?;
        Ok(found.iter().map(rows::record).collect::<sqlx::Result<_>>()?)
    }

    /// Records whose summaries are only joined yet, of claims that were rehearsed or not; the oldest first.
    pub async fn unmerged(&self, rehearsal: bool, claim: Option<&str>) -> ClaimsResult<Vec<ConsensusRecord>> {
        let mut conn = self.store.reading().await?;
        let sql = concat!(
            "SELECT r.body FROM claim_records r JOIN claims c ON c.id = r.claim_id WHERE r.merged = 0 AND r.by_pipeline = 1",
            " AND c.hidden_at IS NULL AND c.rehearsal = $1 AND ($2 = '' OR c.id = $2) ORDER BY r.created_at, r.id LIMIT 50"
        );
        let found = sqlx::query(sql).bind(i64::from(rehearsal)).bind(claim.unwrap_or_default()).fetch_all(&mut *conn).await?;
        Ok(found.iter().map(rows::record).collect::<sqlx::Result<_>>()?)
    }

    /// Writes a record with a merged summary after the one it was made of; `None`: it could not be made, and the joined one stays.
    pub async fn merge(&self, record: &ConsensusRecord, summary: Option<&str>, model: Option<&str>) -> ClaimsResult<()> {
        let summary = summary.map(|summary| text("summary", summary, 20_000)).transpose()?;
        let (claim, record) = (record.claim_id.clone(), record.id.clone());
        self.change(Merge { claim, record, summary, model: model.map(str::to_owned) }).await
    }
}

/// Refuses where there is none.
pub(crate) fn found<T>(value: Option<T>, refusal: Refusal) -> Step<T> {
    value.map_or_else(|| refuse(refusal), Ok)
}

/// A row's only number.
pub(crate) fn count(row: &sqlx::any::AnyRow) -> sqlx::Result<i64> {
    row.try_get(0)
}
