//! Nothing that a seat says is hidden: every text of every typed reply stands in the long form, in markdown and in the page, outside of
//! replies printed as they came.

use crate::{Played, play};
use serde_json::Value;
use synod_engine::Mode;
use synod_report::{Style, View};
use synod_types::{Kind, Said};

/// The three media, each without what is printed as it came.
pub fn pages(played: &Played) -> [(&'static str, String); 3] {
    let view = View::of(&played.rows);
    let wide = Style { width: 100_000, colour: false, unicode: true };
    let markdown = synod_report::markdown(&view);
    let outside_fences = markdown.split("```").step_by(2).collect::<String>().replace("&amp;", "&");
    let html = synod_report::html(&view);
    let outside_pre: Vec<&str> = html.split("<pre").map(|part| part.split_once("</pre>").map_or(part, |(_, rest)| rest)).collect();
    [("terminal", synod_report::show(&view, wide, false)), ("markdown", outside_fences), ("html", untagged(&outside_pre.join(" ")))]
}

fn untagged(html: &str) -> String {
    let text: String = html.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect();
    text.split('&').enumerate().map(|(at, part)| if at == 0 { part } else { part.split_once(';').map_or(part, |(_, text)| text) }).collect()
}

/// Letters and digits alone: markup and lines are each medium's own.
pub fn bare(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The texts of a reply with the fields they stand in. Single words are ids, labels or verdicts.
fn texts(value: &Value, field: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::String(text) if text.trim().contains(' ') => found.push((field.to_owned(), text.clone())),
        Value::Array(list) => list.iter().for_each(|each| texts(each, field, found)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| texts(value, name, found)),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

async fn nothing_is_hidden(mode: &Mode, options: &[(&str, Value)]) {
    // Enough sentences for every rehearsed claim to stand in one of its own.
    let content: String = (1..=24).map(|n| format!("Job number {n} runs on its own machine. ")).collect();
    let played = play(mode.id, 3.max(mode.seats.0 as usize - 1), Some(&content), options, |_| None).await;
    let pages = pages(&played).map(|(medium, page)| (medium, bare(&page)));
    let mut hidden = Vec::new();
    for row in played.rows.iter().filter(|row| row.kind == Kind::Said) {
        let said: Said = row.read().expect("a reply");
        let prompt = row.key.rsplit('/').find(|part| part.contains('@')).and_then(|turn| turn.split('@').next()).unwrap_or_default();
        let mut found = Vec::new();
        if !said.value.is_string() {
            texts(&said.value, "", &mut found);
        }
        found.retain(|(field, _)| !mode.left_out.iter().any(|(of, left, _)| *of == prompt && left == field));
        for (field, text) in found {
            let lacking: Vec<&str> = pages.iter().filter(|(_, page)| !page.contains(&bare(&text))).map(|(medium, _)| *medium).collect();
            if !lacking.is_empty() {
                hidden.push(format!("{prompt}.{field} in {}: {text}", lacking.join(", ")));
            }
        }
    }
    assert!(hidden.is_empty(), "{} {options:?} hides\n{}", mode.id, hidden.join("\n"));
}

macro_rules! shown_in_full {
    ($($mode:ident)*) => { $(#[tokio::test] async fn $mode() { nothing_is_hidden(&synod_modes::$mode::MODE, &[]).await; })* };
}
shown_in_full! {
    council vote jury debate delphi red_team chain specialist_panel blueprint peer_review tournament confidence_weighted decompose brainstorm fact_check
}

#[tokio::test]
async fn roundtable_in_every_style() {
    for style in synod_modes::roundtable::styles() {
        // Nobody is asked in person: a rehearsed table may agree too soon.
        let options = [("style", style.into()), ("rounds", 3.into()), ("groupthink", "record".into())];
        nothing_is_hidden(&synod_modes::roundtable::MODE, &options).await;
    }
}
