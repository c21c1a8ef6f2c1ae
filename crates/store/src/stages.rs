//! Stage rows: one for everything a run has shown, read from its journal and its raw replies.

use crate::project::project;
use crate::sql::storable;
use crate::turns::model_name;
use serde_json::Value;
use std::collections::HashMap;
use synod_types::{Document, Exhibit, Header, Json, Kind, Millis, Reply, Row, Said, Shape, Shown};

/// Raw replies by key and try. What is not here has expired.
pub type Raws<'a> = HashMap<(&'a str, i64), &'a str>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageRow {
    pub id: String,
    pub message_id: Option<String>,
    pub stage_type: String,
    pub stage_order: i64,
    /// Number of the journal row: the order within a stage.
    pub seq: i64,
    /// `None`: computed.
    pub model: Option<String>,
    pub role: Option<String>,
    pub content: String,
    /// JSON.
    pub parsed_data: Option<String>,
    pub response_time_ms: Option<Millis>,
    pub created_at: Millis,
}

/// In the order in which they were shown.
pub fn stages(rows: &[Row], raws: &Raws<'_>) -> Vec<StageRow> {
    let projection = project(rows);
    let header = rows.iter().find(|row| row.kind == Kind::Header).and_then(|row| row.read().ok());
    let of = |kind: Kind| rows.iter().filter(move |row| row.kind == kind);
    let around = Around {
        header,
        ms: projection.turns.iter().filter_map(|turn| Some((turn.key.as_str(), turn.ms?))).collect(),
        replied: of(Kind::Replied).map(|row| (row.key.as_str(), row.attempt)).collect(),
        said: of(Kind::Said).map(|row| (row.key.as_str(), row)).collect(),
        raws,
    };
    let mut names: Vec<String> = Vec::new();
    let mut stages = Vec::new();
    for row in of(Kind::Shown) {
        let Ok(shown) = row.read::<Shown>() else { continue };
        let order = names.iter().position(|name| *name == shown.stage).unwrap_or_else(|| {
            names.push(shown.stage.clone());
            names.len() - 1
        });
        stages.push(StageRow { message_id: projection.answer.as_ref().map(|answer| answer.id.clone()), ..around.stage(row, shown, order) });
    }
    stages
}

/// The object with one more field, unless it has it: a mode may count another time than the turn's.
fn with_time(data: &str, ms: Millis) -> String {
    // Within a string the quotation mark before the colon would be escaped.
    match data.strip_suffix('}').filter(|_| !data.contains("\"responseTimeMs\":")) {
        None => data.to_owned(),
        Some("{") => format!("{{\"responseTimeMs\":{ms}}}"),
        Some(fields) => format!("{fields},\"responseTimeMs\":{ms}}}"),
    }
}

/// What a stage row takes from the rest of the journal.
struct Around<'a> {
    header: Option<Header>,
    /// How long the last reply of a turn took.
    ms: HashMap<&'a str, Millis>,
    /// The last try of a turn that got a reply.
    replied: HashMap<&'a str, i64>,
    said: HashMap<&'a str, &'a Row>,
    raws: &'a Raws<'a>,
}

impl Around<'_> {
    fn stage(&self, row: &Row, shown: Shown, order: usize) -> StageRow {
        let exhibit = shown.exhibit;
        let turn = exhibit.turn.as_deref();
        // A statement with words of its own is what was made of the turn; the turn keeps the reply.
        let own = match &exhibit.shape {
            Shape::Statement(statement) => statement.text.clone(),
            _ => None,
        };
        let raw = turn.and_then(|key| self.raws.get(&(key, *self.replied.get(key)?)));
        let content = match (own, raw) {
            (Some(own), _) => own,
            (None, Some(raw)) => serde_json::from_str::<Reply>(raw).map(|reply| reply.text).unwrap_or_else(|_| (*raw).to_owned()),
            (None, None) => turn.and_then(|key| self.said_text(key)).unwrap_or_else(|| own_text(&exhibit)),
        };
        let response_time_ms = turn.and_then(|key| self.ms.get(key)).copied();
        // The time a turn took is no part of the exhibit: two runs of one seed show the same.
        let data = exhibit.data.as_ref().map(Json::text);
        let parsed_data = match response_time_ms {
            Some(ms) => Some(with_time(data.unwrap_or("{}"), ms)),
            None => data.map(str::to_owned),
        };
        StageRow {
            id: format!("{}:{}", row.run, row.seq),
            message_id: None,
            stage_type: shown.stage,
            stage_order: order as i64,
            seq: row.seq,
            model: exhibit.seat.map(|seat| model_name(self.header.as_ref(), seat)),
            role: exhibit.role,
            content: storable(&content),
            parsed_data,
            response_time_ms,
            created_at: row.at,
        }
    }

    fn said_text(&self, key: &str) -> Option<String> {
        Some(match self.said.get(key)?.read::<Said>().ok()?.value {
            Value::String(text) => text,
            value => value.to_string(),
        })
    }
}

/// What a row says where no turn's words stand behind it: text as text, all else as JSON.
fn own_text(exhibit: &Exhibit) -> String {
    match &exhibit.shape {
        Shape::Document(document) => document_text(document),
        Shape::Note { text } => text.clone(),
        shape => serde_json::to_string(shape).unwrap_or_default(),
    }
}

fn document_text(document: &Document) -> String {
    let mut parts = vec![format!("# {}", document.title), document.front.clone()];
    for section in &document.sections {
        parts.push(format!("## {}. {}", section.number, section.title));
        parts.push(section.text.clone());
    }
    parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}
