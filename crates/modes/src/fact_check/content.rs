//! The text under check: given with the question, or written by the generator.

use super::Options;
use crate::text::words;
use serde_json::json;
use synod_engine::{Bench, Halt, Result, prompt};
use synod_types::{Exhibit, SeatIx};

/// What is checked.
pub struct Content {
    pub text: String,
    /// Who wrote it here, and so may not check it.
    pub author: Option<SeatIx>,
}

/// The content as given, or written by the generator; cut where it is too long.
pub async fn content(bench: &Bench, options: &Options, failed: &mut Vec<SeatIx>) -> Result<Content> {
    let question = bench.question();
    let facts = |source: &str, text: &str| json!({"contentSource": source, "inputQuestion": question.text, "contentLength": text.chars().count(), "wordCount": words(text)});
    if let Some(given) = question.content.as_deref().filter(|text| !text.trim().is_empty()) {
        let stage = bench.phase("extract");
        let text = shortened(&stage, given, options);
        let mut data = facts("user_provided", &text);
        data["truncated"] = json!(text.len() < given.trim().len());
        stage.show("content", Exhibit::note("The content under check", &text).data(&data))?;
        return Ok(Content { text, author: None });
    }
    let stage = bench.phase("generate");
    let seats = super::line_up(bench, "generator", failed);
    let Some(given) = super::first::<String>(&stage, &seats, prompt!("generate"), failed).await? else {
        return Err(Halt::no_quorum("generate", "no content was given, and no seat could write one"));
    };
    if given.partial {
        stage.warn("The generated content was cut off at its token limit; what there is of it is checked.");
    }
    let text = shortened(&stage, &given.value, options);
    let mut data = facts("generated", &given.value);
    data["truncated"] = json!(text.len() < given.value.trim().len());
    data["fallback"] = json!(!bench.role("generator").contains(&given.seat));
    stage.show("generate", Exhibit::said("The content under check", given.seat, "generator", &given.key).data(&data))?;
    Ok(Content { text, author: Some(given.seat) })
}

/// The content up to the limit, cut between words. That it was cut is said beside it, never in it.
fn shortened(stage: &Bench, text: &str, options: &Options) -> String {
    let text = text.trim();
    let most = options.max_content_chars as usize;
    let Some((end, _)) = text.char_indices().nth(most) else { return text.to_owned() };
    let head = &text[..end];
    let cut = head.rfind(char::is_whitespace).map_or(head, |at| &head[..at]).trim_end();
    let (all, kept) = (text.chars().count(), cut.chars().count());
    stage.warn(format!("The content has {all} characters; the first {kept} were checked. max_content_chars sets the limit."));
    cut.to_owned()
}
