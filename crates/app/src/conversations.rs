//! Conversations: what the next question carries of the earlier ones, and what a conversation is called.

use crate::error::AppResult;
use synod_engine::{HISTORY_TURNS, RunSpec};
use synod_store::Store;
use synod_types::{Problem, ProblemCode};

/// A conversation that begins with a run; stored when the run starts.
pub(crate) struct NewConversation {
    pub id: String,
    pub title: String,
}

impl NewConversation {
    pub fn about(question: &str) -> Self {
        Self { id: uuid::Uuid::now_v7().to_string(), title: title(question) }
    }
}

/// Puts a run into a conversation: its earlier turns, and its mode.
pub(crate) async fn join(store: &Store, id: &str, spec: &mut RunSpec) -> AppResult<()> {
    let mode = store.conversation_mode(id).await?;
    if mode != spec.mode {
        let got = format!("mode {} in {id}, which is a conversation in mode {mode}", spec.mode);
        return Err(Problem::new("conversation", got, format!("mode {mode}, or a new conversation")).code(ProblemCode::Conflict).into());
    }
    spec.question.history = store.history(id, HISTORY_TURNS).await?;
    spec.conversation = Some(id.to_owned());
    Ok(())
}

/// The longest title, in characters.
const LONGEST: usize = 50;
const MORE: &str = "...";

/// One line without quotation marks around it, cut between words where that leaves most of it, and never empty.
pub fn title(question: &str) -> String {
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
    use super::title;

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
            assert_eq!(title(question), want, "{question:?}");
            assert!(title(question).chars().count() <= 50, "{question:?}");
        }
    }
}
