//! What a conversation is called: asked of the clerk beside the deliberation that it begins with, else taken from the question.

use super::core::Core;
use crate::{Bench, Prompt};
use std::sync::Arc;
use synod_types::*;
use tokio::task::JoinHandle;

/// The longest title, in characters, and what stands for the rest of a longer one.
const LONGEST: usize = 50;
const MORE: &str = "...";
/// Nobody waits longer for a title.
const PATIENCE_MS: Millis = 30_000;
/// Words of the question that a rehearsal voice repeats.
const REPEATED: usize = 4;

/// Asks for a title, if this run is to have one and has none. It is journaled as soon as it is said.
pub(super) fn begin(core: &Arc<Core>) -> Option<JoinHandle<()>> {
    if !core.header.titled || core.replaying || has_title(core) || core.header.role("clerk").is_empty() {
        return None;
    }
    let core = core.clone();
    Some(tokio::spawn(async move { core.sending(std::pin::pin!(ask(&core))).await }))
}

async fn ask(core: &Arc<Core>) {
    let words: Vec<&str> = core.header.question.text.split_whitespace().take(REPEATED).collect();
    let prompt = Prompt::new("title").fill("words", words.join(" ")).beside(PATIENCE_MS);
    // A halt is the run's own affair, and so is a failure: the question has words of its own.
    if let Ok(Ok(reply)) = Bench::new(core.clone()).ask_clerk::<String>(prompt).await
        && let Some(title) = of_reply(&reply.value)
    {
        write(core, title);
    }
}

/// The run ends: if nothing was said, its first words are its title.
pub(super) fn settle(core: &Core) {
    if core.header.titled && !core.replaying && !has_title(core) {
        write(core, of_question(&core.header.question.text));
    }
}

/// A request for a title, which no verdict waits for.
pub(super) fn is_for_title(key: &str) -> bool {
    key.starts_with("title@")
}

fn has_title(core: &Core) -> bool {
    core.state().has_title || core.record.marks.contains(&(Kind::Title, String::new(), 0))
}

fn write(core: &Core, title: String) {
    if std::mem::replace(&mut core.state().has_title, true) {
        return;
    }
    core.enqueue(&[], vec![NewRow::new("", Kind::Title, core.clock.now(), &Title { title })]);
}

/// A model's own words as a title: the first line that says something, without quotation marks around it.
fn of_reply(text: &str) -> Option<String> {
    let line = text.lines().map(one_line).find(|line| !line.is_empty())?;
    if line.chars().count() <= LONGEST {
        return Some(line);
    }
    let head: String = line.chars().take(LONGEST - MORE.len()).collect();
    Some(format!("{}{MORE}", head.trim_end()))
}

fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.trim_matches(|c: char| c == ' ' || "\"'`*#“”„‘’«»".contains(c)).trim_end_matches('.').to_owned()
}

/// The first words of a question: one line without quotation marks around it, cut between words where that leaves most of it, and never empty.
pub fn of_question(question: &str) -> String {
    let line = question.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.trim_matches(|c: char| c == ' ' || "\"'`“”„‘’«»".contains(c));
    if line.is_empty() {
        return "New conversation".to_owned();
    }
    if line.chars().count() <= LONGEST {
        return line.to_owned();
    }
    let room = LONGEST - MORE.len();
    // The room plus one character: a word that ends exactly there is whole.
    let end = line.char_indices().nth(room).map_or(line.len(), |(at, _)| at);
    let after = line[end..].chars().next().map_or(end, |c| end + c.len_utf8());
    let between = line[..after].rfind(' ').filter(|at| line[..*at].chars().count() > room / 2);
    let head = &line[..between.unwrap_or(end)];
    format!("{}{MORE}", head.trim_end_matches([' ', ',', ';', ':', '.', '-']))
}

#[cfg(test)]
mod tests {
    use super::{of_question, of_reply};

    #[test]
    fn titles_are_short_plain_and_never_empty() {
        let long_word = "ä".repeat(80);
        for (question, want) in [
            ("Tea or coffee?", "Tea or coffee?".to_owned()),
            ("  Tea\n\tor   coffee? ", "Tea or coffee?".into()),
            ("\"Tea or coffee?\"", "Tea or coffee?".into()),
            ("“Tea” or «coffee»", "Tea” or «coffee".into()),
            ("", "New conversation".into()),
            (" \n ", "New conversation".into()),
            ("\"\"", "New conversation".into()),
            ("a question of exactly fifty characters, no more: x", "a question of exactly fifty characters, no more: x".into()),
            ("a question of one more than fifty characters, so: x", "a question of one more than fifty characters...".into()),
            ("the question whose words come to forty-seven, q and on", "the question whose words come to forty-seven, q...".into()),
            (&long_word, format!("{}...", "ä".repeat(47))),
            ("Why? Because ääääääääääääääääääääääääääääääääääääääääääääääää", "Why? Because ääääääääääääääääääääääääääääääääää...".into()),
        ] {
            assert_eq!(of_question(question), want, "{question:?}");
            assert!(of_question(question).chars().count() <= 50, "{question:?}");
        }
    }

    #[test]
    fn a_reply_is_a_title_once_it_is_one_line_of_at_most_fifty_characters() {
        for (reply, want) in [
            ("Keeping one repository", Some("Keeping one repository".to_owned())),
            ("\"Keeping one repository.\"\n", Some("Keeping one repository".into())),
            ("\n\n**Tea or coffee**\nHere is why", Some("Tea or coffee".into())),
            (&"x".repeat(50), Some("x".repeat(50))),
            (&"x".repeat(51), Some(format!("{}...", "x".repeat(47)))),
            ("  \n\"\"\n", None),
        ] {
            assert_eq!(of_reply(reply), want, "{reply:?}");
        }
    }
}
