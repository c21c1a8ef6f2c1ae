//! Conversations: what the next question carries of the earlier ones, and what can be done with a conversation as a whole.

use crate::app::App;
use crate::error::AppResult;
use synod_engine::{Clock, HISTORY_TURNS, Journal, Mode, RunSpec, SystemClock, title_of};
use synod_report::View;
use synod_store::{ConversationDeletion, ConversationFilter, ConversationSummary, NewConversation, StageRow, Store, StoreError, StoredMessage};
use synod_types::{LOCAL, PastTurn, Problem, ProblemCode, date};

/// Characters of an earlier verdict that a mode gets as context.
const LONGEST_CONTEXT: usize = 8000;

/// A conversation that begins with a run; stored when the run starts.
pub(crate) fn about(question: &str, mode: &str, principal: Option<&str>) -> NewConversation {
    NewConversation {
        id: uuid::Uuid::now_v7().to_string(),
        mode: Some(mode.to_owned()),
        title: title_of(question),
        renamed: false,
        principal: principal.unwrap_or(LOCAL).to_owned(),
    }
}

/// Puts a run into a conversation: its earlier turns where the mode carries them, else what came of the last one; and its mode.
pub(crate) async fn join(store: &Store, id: &str, mode: Option<&Mode>, spec: &mut RunSpec) -> AppResult<()> {
    let conversation = store.conversation(id).await?;
    if conversation.principal != spec.principal.as_deref().unwrap_or(LOCAL) {
        let got = format!("{id}, which belongs to {}", conversation.principal);
        return Err(Problem::new("conversation", got, "a conversation of your own, or a new one").code(ProblemCode::Conflict).into());
    }
    same_mode(id, &spec.mode, conversation.mode.as_deref())?;
    if mode.is_some_and(|mode| mode.multi_turn) {
        spec.question.history = store.history(id, HISTORY_TURNS).await?;
    } else {
        spec.question.earlier = last_verdict(store, id).await?;
    }
    // The first message gives an unnamed conversation its title.
    spec.titled &= conversation.messages == 0 && !conversation.renamed;
    spec.conversation = Some(id.to_owned());
    Ok(())
}

/// A fork stays in its parent's conversation, if that is still there and whoever forks it is whose it is.
pub(crate) async fn stay(store: &Store, spec: &mut RunSpec, notes: &mut Vec<String>) -> AppResult<()> {
    let Some(id) = spec.conversation.clone() else { return Ok(()) };
    let own = match store.conversation(&id).await {
        Ok(conversation) => conversation.principal == spec.principal.as_deref().unwrap_or(LOCAL),
        Err(StoreError::NoSuchConversation(_)) => false,
        Err(error) => return Err(error.into()),
    };
    if !own {
        spec.conversation = None;
        notes.push(format!("This fork is not part of conversation {id}, which is gone or somebody else's."));
    }
    Ok(())
}

/// A conversation keeps to the mode of its first message.
pub(crate) fn same_mode(id: &str, asked: &str, fixed: Option<&str>) -> Result<(), Problem> {
    match fixed {
        Some(fixed) if fixed != asked => {
            let got = format!("mode {asked} in {id}, which is a conversation in mode {fixed}");
            Err(Problem::new("conversation", got, format!("mode {fixed}, or a new conversation")).code(ProblemCode::Conflict))
        }
        _ => Ok(()),
    }
}

/// The last question that came to a verdict, with what was answered and decided.
async fn last_verdict(store: &Store, id: &str) -> AppResult<Option<PastTurn>> {
    let messages = store.messages(id).await?;
    let Some(answer) = messages.iter().rev().find(|message| message.role == "assistant") else { return Ok(None) };
    let verdict = View::of(&store.rows(&answer.run, 0).await?).verdict;
    let question = messages.iter().find(|message| message.run == answer.run && message.role == "user").map(|message| message.content.clone());
    let decision = verdict.as_ref().and_then(|verdict| verdict.decision.as_ref()).map(|decision| format!("\n\nDecision: {decision}"));
    let room = LONGEST_CONTEXT - decision.as_ref().map_or(0, |text| text.chars().count()).min(LONGEST_CONTEXT / 2);
    let text = synod_types::clip::chars(&answer.content, room, " […]");
    let decision: String = decision.unwrap_or_default().chars().take(LONGEST_CONTEXT / 2).collect();
    Ok(Some(PastTurn { question: question.unwrap_or_default(), answer: text + &decision }))
}

impl App {
    /// An empty conversation. Its first message fixes its mode and, unless it has one, gives it a title.
    pub async fn create_conversation(
        &self,
        mode: Option<String>,
        title: Option<String>,
        principal: Option<String>,
    ) -> AppResult<ConversationSummary> {
        let new = NewConversation {
            id: uuid::Uuid::now_v7().to_string(),
            mode,
            renamed: title.is_some(),
            title: title.unwrap_or_else(|| title_of("")),
            principal: principal.unwrap_or_else(|| LOCAL.to_owned()),
        };
        let id = new.id.clone();
        self.store.create_conversation(new, SystemClock.now()).await?;
        self.conversation(&id).await
    }

    pub async fn conversation(&self, id: &str) -> AppResult<ConversationSummary> {
        Ok(self.store.conversation(id).await?)
    }

    pub async fn conversations(&self, filter: &ConversationFilter) -> AppResult<Vec<ConversationSummary>> {
        Ok(self.store.conversations(filter).await?)
    }

    /// Its messages, oldest first.
    pub async fn messages(&self, id: &str) -> AppResult<Vec<StoredMessage>> {
        Ok(self.store.messages(id).await?)
    }

    /// The rows that a run shows, in the order in which they were shown.
    pub async fn stages(&self, run: &str) -> AppResult<Vec<StageRow>> {
        Ok(self.store.stages(run).await?)
    }

    pub async fn rename_conversation(&self, id: &str, title: &str) -> AppResult<()> {
        Ok(self.store.rename_conversation(id, title).await?)
    }

    /// Deletes a conversation with its messages and its runs.
    pub async fn delete_conversation(&self, id: &str) -> AppResult<ConversationDeletion> {
        Ok(self.store.delete_conversation(id, SystemClock.now()).await?)
    }

    /// The whole conversation as markdown: every question with its verdict and what led to it.
    pub async fn export_conversation(&self, id: &str) -> AppResult<String> {
        let conversation = self.store.conversation(id).await?;
        let messages = self.store.messages(id).await?;
        let runs: Vec<&str> = messages.iter().filter(|message| message.role == "user").map(|message| message.run.as_str()).collect();
        let mut parts = Vec::new();
        for run in &runs {
            parts.push(self.view(run).await?);
        }
        let mode = conversation.mode.as_deref().unwrap_or("no mode yet");
        let about = format!("A conversation in {mode}, begun on {}, exported on {}.", date(conversation.created_at), date(SystemClock.now()));
        Ok(synod_report::conversation_markdown(&conversation.title, &about, &parts))
    }
}
