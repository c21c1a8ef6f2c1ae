//! Text for a terminal, painted by this crate: the only text that may carry commands for one, because every word in it was made harmless first.

use crate::terminal::Extent;
use crate::{Style, View, claim, terminal};
use synod_types::ClaimView;

/// Made here and nowhere else: what others wrote cannot be printed as if it were ours.
///
/// ```compile_fail
/// let answer = "a model's words \u{1b}[2J".to_owned();
/// let painted = synod_report::Painted(answer);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Painted(String);

impl Painted {
    /// A run as its verdict tells it.
    pub fn run(view: &View, style: Style, extent: Extent) -> Self {
        Self(terminal::verdict(view, style, extent))
    }

    /// A run, turn by turn.
    pub fn turns(view: &View, style: Style, full: bool) -> Self {
        Self(terminal::show(view, style, full))
    }

    pub fn claim(view: &ClaimView, style: Style) -> Self {
        Self(claim::claim_terminal(view, style))
    }

    /// A claim in short.
    pub fn claim_brief(view: &ClaimView, style: Style) -> Self {
        Self(claim::claim_brief(view, style))
    }

    /// Nothing more can be added to it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
