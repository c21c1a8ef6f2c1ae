//! Runs shown to people: a journal's rows folded into a view, and the view as terminal text, markdown, HTML and JSON. Claims too, as they are kept.
//!
//! Pure: no I/O, no clock. Knows the shapes of exhibits and never a mode. Everything a model wrote is untrusted here and stays harmless in every
//! medium.

mod claim;
mod export;
mod figures;
mod html;
mod markdown;
mod markup;
mod painted;
mod shapes;
mod snapshot;
mod terminal;
mod text;
mod thread;
mod view;
mod words;

pub use claim::{claim_brief, claim_html, claim_markdown, claim_terminal};
pub use export::{json, json_line, json_text};
pub use figures::moment;
pub use html::{STYLE, exhibit_html, html};
pub use markdown::{conversation as conversation_markdown, markdown};
pub use painted::Painted;
pub use snapshot::{Snapshot, SnapshotPhase, SnapshotQuestion, SnapshotSeat, SnapshotStage};
pub use terminal::{Extent, Style, show, stopped, terminal, verdict};
pub use text::{clean, one_line};
pub use view::{FigureAt, Outcome, Phase, Try, Turn, View, Waiting};
pub use words::commands::next_command;
