//! Claims as readers see them: lists, searches, and one claim with everything that this reader may see of it.

use crate::book::{Claims, Reader};
use crate::error::{ClaimsResult, Refusal};
use crate::{rows, work};
use sqlx::{AnyConnection, AssertSqlSafe};
use synod_types::*;

/// The most a list gives at once.
pub const MOST: u32 = 500;
/// Words of a search that are looked at.
const TERMS: usize = 8;

words! {
    /// The orders that claims are listed in; `top`: those first that are spoken about most.
    #[derive(Default)]
    pub enum ClaimSort {
        #[default]
        Latest = "latest",
        Top = "top",
        Random = "random",
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimFilter {
    pub sort: ClaimSort,
    pub domain: Option<String>,
    /// By name.
    pub protocol: Option<String>,
    pub status: Option<PipelineStatus>,
    /// Where the last page ended; only of the latest.
    pub before: Option<(Millis, String)>,
    pub limit: Option<u32>,
    /// Also those that a reviewer has hidden.
    pub hidden: bool,
}

/// A claim that is there and not hidden.
pub(crate) async fn visible(conn: &mut AnyConnection, id: &str) -> ClaimsResult<Claim> {
    let row = sqlx::query("SELECT * FROM claims WHERE id = $1 AND hidden_at IS NULL").bind(id).fetch_optional(conn).await?;
    Ok(rows::claim(&row.ok_or_else(|| Refusal::ClaimNotFound(id.to_owned()))?)?)
}

pub(crate) async fn protocol_of(conn: &mut AnyConnection, claim: &str) -> ClaimsResult<(Protocol, Pipeline)> {
    let pipeline = work::pipeline_of(conn, claim).await?;
    let row = sqlx::query("SELECT body FROM protocols WHERE id = $1").bind(&pipeline.protocol_id).fetch_one(conn).await?;
    Ok((rows::protocol(&row)?, pipeline))
}

/// Takes out of slots what this reader may not see: submissions to a phase that is still open.
fn withhold(slots: &mut [Slot], pipeline: &Pipeline, reader: &Reader) {
    let open = |slot: &Slot| {
        pipeline.status == PipelineStatus::Active
            && slot.layer == pipeline.current_layer
            && slot.attempt == pipeline.attempt
            && slot.slot_type == pipeline.current_phase
    };
    for slot in slots.iter_mut().filter(|slot| slot.status == SlotStatus::Done) {
        let author = matches!(reader, Reader::Agent(id) if slot.agent_id.as_deref() == Some(id));
        if open(slot) && !author && *reader != Reader::Reviewer {
            slot.output = None;
            slot.structured_output = None;
            slot.confidence = None;
            slot.notice = None;
            slot.output_signature = None;
            slot.run = None;
            slot.withheld = true;
        }
    }
}

impl Claims {
    pub async fn claim(&self, id: &str, reader: &Reader) -> ClaimsResult<Claim> {
        let mut conn = self.store.reading().await?;
        if *reader == Reader::Reviewer {
            let row = sqlx::query("SELECT * FROM claims WHERE id = $1").bind(id).fetch_optional(&mut *conn).await?;
            return Ok(rows::claim(&row.ok_or_else(|| Refusal::ClaimNotFound(id.to_owned()))?)?);
        }
        visible(&mut conn, id).await
    }

    /// A claim by its whole id or the beginning of one, for people who type.
    pub async fn find_claim(&self, given: &str) -> ClaimsResult<Claim> {
        let mut conn = self.store.reading().await?;
        let plain = given.chars().all(|c| c.is_ascii_hexdigit());
        let rows = match plain && given.len() >= 4 {
            // The alphabet of ids has no wildcard.
            true => {
                sqlx::query("SELECT * FROM claims WHERE id LIKE $1 ORDER BY created_at DESC LIMIT 2")
                    .bind(format!("{given}%"))
                    .fetch_all(&mut *conn)
                    .await?
            }
            false => Vec::new(),
        };
        match rows.as_slice() {
            [only] => Ok(rows::claim(only)?),
            [] => Err(Refusal::ClaimNotFound(given.to_owned()).into()),
            _ => Err(Refusal::invalid("claim", given, "more of the id: several claims begin with this").into()),
        }
    }

    pub async fn claims(&self, filter: &ClaimFilter) -> ClaimsResult<Vec<Claim>> {
        let mut conn = self.store.reading().await?;
        let order = match filter.sort {
            ClaimSort::Latest => "c.created_at DESC, c.id DESC",
            ClaimSort::Top => "c.comment_count DESC, c.created_at DESC, c.id DESC",
            ClaimSort::Random => "RANDOM()",
        };
        let sql = format!(
            "SELECT c.* FROM claims c JOIN claim_pipelines p ON p.claim_id = c.id WHERE ($1 = 1 OR c.hidden_at IS NULL) AND ($2 = '' OR c.domain = $2)
             AND ($3 = '' OR c.protocol = $3) AND ($4 = '' OR p.status = $4) AND (c.created_at < $5 OR c.created_at = $5 AND c.id < $6)
             ORDER BY {order} LIMIT $7"
        );
        let (before, id) = filter.before.clone().unwrap_or((Millis::MAX, String::new()));
        let query = sqlx::query(AssertSqlSafe(sql)).bind(i64::from(filter.hidden)).bind(filter.domain.clone().unwrap_or_default());
        let query = query.bind(filter.protocol.clone().unwrap_or_default()).bind(filter.status.map_or("", PipelineStatus::as_str));
        let query = query.bind(before).bind(id).bind(i64::from(filter.limit.unwrap_or(MOST)));
        Ok(query.fetch_all(&mut *conn).await?.iter().map(rows::claim).collect::<sqlx::Result<_>>()?)
    }

    /// Claims in which every word of the text occurs, the best match first.
    pub async fn search(&self, given: &str, limit: u32) -> ClaimsResult<Vec<Claim>> {
        let lower = given.to_lowercase();
        let terms: Vec<&str> = lower.split_whitespace().take(TERMS).collect();
        if terms.is_empty() {
            return Err(Refusal::invalid("q", "nothing", "words to look for").into());
        }
        let now = self.store.now().await?;
        let mut conn = self.store.reading().await?;
        let matches: Vec<String> = (1..=terms.len())
            .map(|n| format!("(search_text LIKE ${n} ESCAPE '!' OR LOWER(protocol) LIKE ${n} ESCAPE '!' OR domain LIKE ${n} ESCAPE '!')"))
            .collect();
        let sql =
            format!("SELECT * FROM claims WHERE hidden_at IS NULL AND {} ORDER BY created_at DESC, id DESC LIMIT {MOST}", matches.join(" AND "));
        let literal = |term: &str| format!("%{}%", term.replace('!', "!!").replace('%', "!%").replace('_', "!_"));
        let query = terms.iter().fold(sqlx::query(AssertSqlSafe(sql)), |query, term| query.bind(literal(term)));
        let mut found: Vec<Claim> = query.fetch_all(&mut *conn).await?.iter().map(rows::claim).collect::<sqlx::Result<_>>()?;
        found.sort_by(|a, b| relevance(b, &terms, now).total_cmp(&relevance(a, &terms, now)).then_with(|| b.id.cmp(&a.id)));
        found.truncate(limit as usize);
        Ok(found)
    }

    /// Everything about a claim that this reader may see.
    pub async fn view(&self, id: &str, reader: &Reader) -> ClaimsResult<ClaimView> {
        let claim = self.claim(id, reader).await?;
        let mut conn = self.store.reading().await?;
        // Slots first: what was submitted between the two reads is not seen, and what the claim has left since was closed in any case.
        let mut slots: Vec<Slot> = rows::slots_of(&mut conn, id).await?.into_iter().map(|row| row.slot).collect();
        let (protocol, pipeline) = protocol_of(&mut conn, id).await?;
        withhold(&mut slots, &pipeline, reader);
        Ok(ClaimView {
            claim,
            protocol,
            layers: rows::layers_of(&mut conn, id).await?,
            flags: rows::flags_of(&mut conn, id).await?,
            record: rows::newest_record(&mut conn, id).await?,
            notices: rows::notices_of(&mut conn, id).await?,
            slots,
            pipeline,
        })
    }

    pub async fn pipeline(&self, id: &str) -> ClaimsResult<Pipeline> {
        let mut conn = self.store.reading().await?;
        work::pipeline_of(&mut conn, id).await
    }
}

/// How well a claim fits words that it has: where they stand, how much it is spoken about, how new it is.
fn relevance(claim: &Claim, terms: &[&str], now: Millis) -> f64 {
    let fields = [(&claim.title, 8.0), (&claim.protocol, 5.0), (&claim.domain, 4.0), (&claim.body, 2.0)];
    let has = |text: &str, term: &str| text.to_lowercase().contains(term);
    let words: f64 = terms.iter().flat_map(|term| fields.iter().filter(|(text, _)| has(text, term)).map(|(_, weight)| weight)).sum();
    let hours = (now - claim.created_at).max(0) as f64 / 3_600_000.0;
    words + 0.1 * claim.comment_count as f64 + 0.03 * (48.0 - hours).max(0.0)
}
