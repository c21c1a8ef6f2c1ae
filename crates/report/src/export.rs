//! A run as one JSON document: for other programs, and for whoever wants to check the chain without us.

use crate::text::harmless;
use crate::view::View;
use serde_json::{Value, json};
use synod_types::Row;

pub const SCHEMA: &str = "synod.export/1";

/// `body` is the text exactly as stored, because the hashes are over its bytes; `head` is the hash of the last row given.
pub fn json(view: &View, rows: &[Row]) -> Value {
    json!({
        "schema": SCHEMA,
        "run": view.run,
        "state": view.state.as_str(),
        "verdict": view.verdict,
        "header": view.header,
        "rows": rows.iter().map(row).collect::<Vec<_>>(),
        "head": rows.last().map(|row| hex::encode(row.hash)),
    })
}

/// One JSON document on one line, as harmless as [`json_text`].
pub fn json_line(value: &Value) -> String {
    harmless_json(&value.to_string())
}

/// JSON for a terminal or a file: the same document, with everything a terminal might obey written as an escape.
pub fn json_text(value: &Value) -> String {
    harmless_json(&format!("{value:#}"))
}

fn harmless_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // Outside strings JSON is plain ASCII, so an escape can only ever land inside one.
    for c in text.chars() {
        if c == '\n' || harmless(c) {
            out.push(c);
        } else {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        }
    }
    out
}

fn row(row: &Row) -> Value {
    json!({
        "seq": row.seq,
        "epoch": row.epoch,
        "key": row.key,
        "kind": row.kind.as_str(),
        "try": row.attempt,
        "at": row.at,
        "digest": row.digest,
        "body": row.body,
        "hash": hex::encode(row.hash),
    })
}
