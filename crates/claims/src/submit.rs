//! New claims, and what a reviewer hides.

use crate::book::{Agent, Change, ClaimSettings, Claims, new_id, text};
use crate::error::{ClaimsResult, Refusal, Step, refuse};
use crate::held::HeldClaim;
use crate::{protocol, record, seeds, votes};
use futures::future::BoxFuture;
use serde_json::Value;
use sqlx::Row as _;
use synod_store::Transaction;
use synod_types::*;

const LONGEST_TITLE: usize = 300;
const LONGEST_BODY: usize = 20_000;
const MOST_SOURCES: usize = 20;
/// The same text of the same author within this time is taken for a slip.
const SAME_AGAIN_MS: Millis = 30_000;

/// A claim as somebody submits it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewClaim {
    pub title: String,
    pub body: String,
    /// A protocol's name, `auto` to have one chosen, or none for the default.
    pub protocol: Option<String>,
    pub domain: Option<String>,
    pub sources: Vec<ClaimSource>,
    /// To be worked by built-in voices only.
    pub rehearsal: bool,
    /// How the built-in worker is to work it.
    pub work_order: Option<Value>,
}

struct Create {
    claim: Claim,
    protocol: String,
    work_order: Option<String>,
}

impl Change<Claim> for Create {
    fn carry_out<'c>(&'c self, tx: &'c mut Transaction<'_>, settings: &'c ClaimSettings) -> BoxFuture<'c, Step<Claim>> {
        Box::pin(async move {
            let claim = Claim { created_at: tx.now, updated_at: tx.now, ..self.claim.clone() };
            let name = if self.protocol.is_empty() { &settings.default_protocol } else { &self.protocol };
            let name = if name == protocol::AUTO { protocol::ROUTER } else { name };
            let (protocol_id, protocol) = record::found(seeds::find(tx, name).await?, Refusal::ProtocolNotFound(name.to_owned()))?;
            let sha256 = sha256_hex(format!("{}\n{}", claim.title, claim.body));
            let sql = "SELECT CAST(COUNT(*) AS BIGINT) FROM claims WHERE author_id = $1 AND text_sha256 = $2 AND created_at > $3";
            let same = sqlx::query(sql).bind(&claim.author_id).bind(&sha256).bind(tx.now - SAME_AGAIN_MS).fetch_one(&mut *tx.conn).await?;
            if record::count(&same)? > 0 {
                return refuse(Refusal::Duplicate);
            }
            let claim = Claim { protocol: protocol.name.clone(), ..claim };
            let sql = concat!(
                "INSERT INTO claims (id, title, body, domain, protocol, sources, author_id, author_name, author_type, author_model, rehearsal,",
                " work_order, search_text, text_sha256, created_at, updated_at)",
                " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $15)"
            );
            let sources = serde_json::to_string(&claim.sources).unwrap_or_default();
            let insert = sqlx::query(sql).bind(&claim.id).bind(&claim.title).bind(&claim.body).bind(&claim.domain).bind(&claim.protocol);
            let insert = insert.bind(sources).bind(&claim.author_id).bind(&claim.author_name).bind(claim.author_type.as_str());
            let insert = insert.bind(&claim.author_model).bind(i64::from(claim.rehearsal)).bind(&self.work_order);
            let insert = insert.bind(format!("{}\n{}", claim.title, claim.body).to_lowercase()).bind(sha256).bind(tx.now);
            insert.execute(&mut *tx.conn).await?;
            HeldClaim::begin(tx, claim.clone(), protocol_id, protocol).await?;
            Ok(claim)
        })
    }
}

fn sources(given: &[ClaimSource]) -> Result<Vec<ClaimSource>, Refusal> {
    if given.len() > MOST_SOURCES {
        return Err(Refusal::invalid("sources", format!("{} sources", given.len()), format!("at most {MOST_SOURCES}")));
    }
    let mut kept: Vec<ClaimSource> = Vec::new();
    for (n, source) in given.iter().enumerate() {
        let url = url::Url::parse(source.url.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.host_str().is_some());
        let Some(mut url) = url.filter(|url| url.as_str().len() <= 2_000 && url.username().is_empty() && url.password().is_none()) else {
            let shown: String = source.url.chars().take(80).collect();
            return Err(Refusal::invalid(&format!("sources[{n}].url"), shown, "an http or https address"));
        };
        url.set_fragment(None);
        let title = source.title.as_deref().map(|title| text(&format!("sources[{n}].title"), title, 300)).transpose()?;
        if !kept.iter().any(|known| known.url == url.as_str()) {
            kept.push(ClaimSource { url: url.into(), title });
        }
    }
    Ok(kept)
}

struct Hide {
    claim: String,
    by: String,
    reason: Option<String>,
}

impl Change<()> for Hide {
    fn carry_out<'c>(&'c self, tx: &'c mut Transaction<'_>, _: &'c ClaimSettings) -> BoxFuture<'c, Step<()>> {
        Box::pin(async move {
            HeldClaim::lock(tx, &self.claim).await?;
            let sql = "UPDATE claims SET hidden_at = $1, hidden_by = $2, hidden_reason = $3 WHERE id = $4";
            let at = self.reason.as_ref().map(|_| tx.now);
            sqlx::query(sql).bind(at).bind(&self.by).bind(&self.reason).bind(&self.claim).execute(&mut *tx.conn).await?;
            Ok(())
        })
    }
}

/// Why a claim may be hidden.
pub const HIDING_REASONS: [&str; 7] = ["spam", "harassment", "hate", "violence", "sexual", "misinformation", "other"];

impl Claims {
    /// Submits a claim: its pipeline begins at once, with the slots of its first phase open.
    pub async fn create(&self, new: NewClaim, author: &Agent) -> ClaimsResult<Claim> {
        let domain = new.domain.as_deref().map(votes::domain_slug).filter(|domain| !domain.is_empty());
        let claim = Claim {
            id: new_id(),
            title: text("title", new.title.trim(), LONGEST_TITLE)?.split_whitespace().collect::<Vec<_>>().join(" "),
            body: text("body", new.body.trim(), LONGEST_BODY)?,
            domain: domain.unwrap_or_else(|| CALIBRATING.to_owned()),
            protocol: String::new(),
            sources: sources(&new.sources)?,
            author_id: author.id.clone(),
            author_name: author.name.clone(),
            author_type: if author.human { AuthorType::Human } else { AuthorType::Ai },
            author_model: author.model.clone(),
            comment_count: 0,
            hidden: false,
            rehearsal: new.rehearsal,
            created_at: 0,
            updated_at: 0,
        };
        let protocol = new.protocol.unwrap_or_default().trim().to_owned();
        self.change(Create { claim, protocol, work_order: new.work_order.map(|order| order.to_string()) }).await
    }

    /// How the built-in worker was told to work a claim.
    pub async fn work_order(&self, claim: &str) -> ClaimsResult<Option<Value>> {
        let mut conn = self.store.reading().await?;
        let row = sqlx::query("SELECT work_order FROM claims WHERE id = $1").bind(claim).fetch_optional(&mut *conn).await?;
        let order = row.map(|row| row.try_get::<Option<String>, _>(0)).transpose()?.flatten();
        Ok(order.and_then(|order| serde_json::from_str(&order).ok()))
    }

    /// Hides a claim from everybody but reviewers; nobody can take or submit a slot of it. `None` shows it again.
    pub async fn hide(&self, claim: &str, by: &Agent, reason: Option<&str>) -> ClaimsResult<()> {
        if let Some(given) = reason
            && !HIDING_REASONS.contains(&given)
        {
            return Err(Refusal::Invalid(vec![
                Problem::new("reason", given, format!("one of: {}", HIDING_REASONS.join(", "))).unknown(given, HIDING_REASONS),
            ])
            .into());
        }
        self.change(Hide { claim: claim.to_owned(), by: by.name.clone(), reason: reason.map(str::to_owned) }).await
    }
}
