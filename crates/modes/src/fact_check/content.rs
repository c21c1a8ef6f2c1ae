//! The text under check: given with the question, or written by the generator.

use super::Options;
use super::rows::{ContentRow, ContentSource, GeneratedContentRow};
use crate::text::words;
use synod_engine::{Bench, Halt, Result, prompt};
use synod_types::{Exhibit, SeatIx, clip};

/// What is checked.
pub struct Content {
    pub text: String,
    /// Who wrote it here, and so may not check it.
    pub author: Option<SeatIx>,
}

/// The content as given, or written by the generator; cut where it is too long.
pub async fn content(bench: &Bench, options: &Options, failed: &mut Vec<SeatIx>) -> Result<Content> {
    let question = bench.question();
    let row = |content_source: ContentSource, text: &str, truncated: bool| ContentRow {
        content_source,
        input_question: question.text.clone(),
        content_length: text.chars().count(),
        word_count: words(text),
        truncated,
    };
    if let Some(given) = question.content.as_deref().filter(|text| !text.trim().is_empty()) {
        let phase = bench.phase("extract");
        let text = shorten(&phase, given, options);
        let data = row(ContentSource::UserProvided, &text, text.len() < given.trim().len());
        phase.show("content", Exhibit::note("The content under check", &text).data(&data))?;
        return Ok(Content { text, author: None });
    }
    let phase = bench.phase("generate");
    let seats = super::candidates(bench, "generator", failed);
    let Some(reply) = super::ask_first::<String>(&phase, &seats, prompt!("generate"), failed).await? else {
        return Err(Halt::no_quorum("generate", "no content was given, and no seat could write one"));
    };
    if reply.partial {
        phase.warn("The generated content was cut off at its token limit; what there is of it is checked.");
    }
    let text = shorten(&phase, &reply.value, options);
    let content = row(ContentSource::Generated, &reply.value, text.len() < reply.value.trim().len());
    let data = GeneratedContentRow { content, fallback: !bench.role("generator").contains(&reply.seat) };
    phase.show("generate", Exhibit::said("The content under check", reply.seat, "generator", &reply.key).data(&data))?;
    Ok(Content { text, author: Some(reply.seat) })
}

/// The content up to the limit, cut between words. A warning says that it was cut; nothing is added to the content.
fn shorten(phase: &Bench, text: &str, options: &Options) -> String {
    let text = text.trim();
    let cut = clip::head_words(text, options.max_content_chars as usize).trim_end();
    if cut.len() < text.len() {
        let (all, kept) = (text.chars().count(), cut.chars().count());
        phase.warn(format!("The content has {all} characters; the first {kept} were checked. max_content_chars sets the limit."));
    }
    cut.to_owned()
}
