//! What is likely to cost much is not begun before somebody said so: a person at the terminal, or a flag.

use crate::door::Door;
use crate::exit::{CliResult, usage};
use crate::say::note;
use crate::terminal;

/// Tokens of models whose price is unknown.
const UNPRICED_TOKENS: u64 = 200_000;

/// What something is likely to take.
#[derive(Clone, Copy, Debug, Default)]
pub struct Likely {
    pub usd: f64,
    pub unpriced_tokens: u64,
}

/// `paid`: the user has said how much may be spent, or that it does not matter.
pub fn confirm(door: &Door, likely: Likely, paid: bool) -> CliResult<()> {
    let most = door.config.limits.confirm_above();
    let cost = match likely {
        _ if paid => return Ok(()),
        Likely { usd, .. } if usd > most => format!("likely ${usd:.2}, more than ${most:.2}"),
        Likely { unpriced_tokens, .. } if unpriced_tokens > UNPRICED_TOKENS => {
            format!("likely {unpriced_tokens} tokens of models whose price is unknown, more than {UNPRICED_TOKENS}")
        }
        Likely { .. } => return Ok(()),
    };
    if !terminal::is_there() {
        return Err(usage(
            "cost",
            cost,
            "--yes, or --budget USD for models with a price; limits.confirm_above in your configuration sets where to ask",
        ));
    }
    note!("This will take {cost}.");
    if terminal::yes("Go on?") { Ok(()) } else { Err(usage("cost", cost, "a yes; nothing was run")) }
}
