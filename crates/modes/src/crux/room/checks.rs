//! What the clerk is asked about a room: whether the crux has surfaced, and what the two differ over at the core.

use super::Room;
use crate::attendance;
use crate::crux::rows::{ConvergenceRow, ExitCheckRow};
use crate::crux::state::DebateState;
use crate::text::{field, token};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{Bench, IdLists, Result, TypedReply, prompt};
use synod_types::{Exhibit, FailureKind};

/// The last messages that an exit check reads.
const RECENT: usize = 6;
const CHECK: &str = "Exit check";
const CORE: &str = "At the core";

/// Whether they have found it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
// Requests carry this name.
#[schemars(rename = "Surfaced")]
pub struct ExitCheck {
    /// One sentence.
    pub reasons: String,
    pub crux_surfaced: bool,
}

impl TypedReply for ExitCheck {
    fn from_text(text: &str, _: &IdLists) -> Option<Self> {
        let (before, rest) = crate::text::after_last_marker(text, "SURFACED:")?;
        let crux_surfaced = token(rest, &["yes", "true", "no", "false"]).map(|word| word == "yes" || word == "true")?;
        Some(Self { reasons: before.trim().to_owned(), crux_surfaced })
    }
}

/// What they differ over at bottom.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Core {
    /// One sentence.
    pub reasons: String,
    pub core_disagreement: String,
    #[serde(default)]
    #[schemars(extend("x-loose" = "kinds"))]
    pub kind: String,
    /// Both would accept this as a fair account.
    #[serde(default)]
    pub converged: bool,
}

impl TypedReply for Core {
    fn from_text(text: &str, _: &IdLists) -> Option<Self> {
        const LABELS: &[&str] = &["CORE", "KIND", "CONVERGED"];
        let line = |label: &str| field(text, label, LABELS);
        let converged = line("CONVERGED").is_some_and(|value| token(&value, &["yes", "true"]).is_some());
        Some(Self { reasons: String::new(), core_disagreement: line("CORE")?, kind: line("KIND").unwrap_or_default(), converged })
    }
}

impl Room<'_> {
    /// Whether the crux has surfaced. If the check fails, the room goes on.
    pub(super) async fn has_surfaced(&self, debate: &mut DebateState<'_>, step: &Bench) -> Result<bool> {
        let recent = self.for_prompt(self.last_lines(RECENT));
        match step.ask_clerk::<ExitCheck>(prompt!("check", crux = self.question_shown, recent)).await? {
            Ok(reply) => {
                let surfaced = reply.value.crux_surfaced;
                let reason = self.aliases.show_names(reply.value.reasons.trim());
                let text = if surfaced { "The crux has surfaced" } else { "Not there yet" };
                let exhibit = Exhibit::note(CHECK, format!("{text}: {reason}")).aside(&self.title);
                let row = ExitCheckRow { room_id: self.id.clone(), crux_surfaced: surfaced, reason, error: None };
                step.show("exit_check", exhibit.by(reply.seat, "clerk").turn(&reply.key).data(&row))?;
                Ok(surfaced)
            }
            Err(failed) => {
                debate.closed |= failed.failure.kind == FailureKind::Closed;
                let error = Some(failed.failure.to_string());
                let row = ExitCheckRow { room_id: self.id.clone(), crux_surfaced: false, reason: String::new(), error };
                step.show("exit_check", attendance::failure(CHECK, "clerk", &failed).aside(&self.title).data(&row))?;
                Ok(false)
            }
        }
    }

    /// The clerk's account of what the two differ over; `None` if it fails or says nothing.
    pub(super) async fn find_core(&self, debate: &mut DebateState<'_>) -> Result<Option<Core>> {
        let exchange = self.for_prompt(&self.lines);
        let ask = prompt!("converge", crux = self.question_shown, exchange).ids("kinds", ["factual", "values", "definitional"]);
        match self.phase.ask_clerk::<Core>(ask).await? {
            Ok(reply) => {
                let core = reply.value;
                let core_disagreement = self.aliases.show_names(core.core_disagreement.trim());
                let note = if core.converged { "" } else { " (one of them may not accept this)" };
                let exhibit =
                    Exhibit::note(CORE, format!("{core_disagreement}{note}")).part("Why", self.aliases.show_names(&core.reasons)).aside(&self.title);
                let (room_id, kind) = (self.id.clone(), core.kind.clone());
                let row = ConvergenceRow { room_id, core_disagreement, kind, converged: core.converged, error: None };
                self.phase.show("convergence", exhibit.by(reply.seat, "clerk").turn(&reply.key).data(&row))?;
                Ok(Some(core).filter(|core| !core.core_disagreement.trim().is_empty()))
            }
            Err(failed) => {
                debate.closed |= failed.failure.kind == FailureKind::Closed;
                let (room_id, error) = (self.id.clone(), Some(failed.failure.to_string()));
                let row = ConvergenceRow { room_id, core_disagreement: String::new(), kind: String::new(), converged: false, error };
                self.phase.show("convergence", attendance::failure(CORE, "clerk", &failed).aside(&self.title).data(&row))?;
                Ok(None)
            }
        }
    }
}
