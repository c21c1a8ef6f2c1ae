//! Blockers that a person overrules: asked whether the panel repeats itself, or when taking a finished debate further.

use super::Debate;
use crate::roundtable::options::Resolved;
use crate::roundtable::outcome::open_blockers;
use synod_engine::{Halt, Result};

impl Debate<'_> {
    /// The panel's view stands over all its blockers.
    pub(super) fn overrule_all(&mut self, by: &str, round: u32) {
        let seats = self.record.blockers.iter().map(|blocker| blocker.seat).collect();
        self.overrule(seats, by, round);
    }

    /// What a person resolved when taking the debate further, before this round is held. Nobody is asked where something else was meant.
    pub fn resolve_blockers(&mut self, round: u32) -> Result<()> {
        let Some(resolved) = self.options.resolved_before(round) else { return Ok(()) };
        let open: Vec<usize> = open_blockers(self).map(|blocker| blocker.seat).collect();
        let seat = |name: &String| open.iter().copied().find(|seat| self.names[*seat].eq_ignore_ascii_case(name)).ok_or_else(|| name.clone());
        let named: std::result::Result<Vec<usize>, String> = match &resolved {
            Resolved::All => Ok(open.clone()),
            Resolved::Seats(names) => names.iter().map(seat).collect(),
        };
        let standing: Vec<String> = open.iter().map(|seat| self.display_name(*seat)).collect();
        let (after, standing) = (round - 1, standing.join(", "));
        let wrong = match named {
            _ if open.is_empty() => format!("after round {after} no BLOCKER that counts is open, so there is none to resolve: leave out `resolves`"),
            Ok(seats) => {
                self.overrule(seats, "A person", round);
                return Ok(());
            }
            Err(name) if self.names.iter().any(|known| known.eq_ignore_ascii_case(&name)) => {
                format!("{name} has no BLOCKER to resolve after round {after}: name whose are open, {standing}, or all")
            }
            Err(name) => format!("there is no seat {name} ({}): name whose BLOCKER is open, {standing}, or all", self.names.join(", ")),
        };
        Err(Halt::failed(format!("round {round}"), wrong))
    }

    fn overrule(&mut self, seats: Vec<usize>, by: &str, round: u32) {
        let mut told = Vec::new();
        for seat in seats {
            let Some(blocker) = self.record.overrule(seat).filter(|_| self.is_free(seat)) else { continue };
            // The seats read this: they know each other by name, not by model.
            let over = blocker.claim.map(|claim| format!(" over {claim}")).unwrap_or_default();
            told.push(format!("{}{over}", self.names[seat]));
            let shown = self.display_name(seat);
            if !self.overruled.contains(&shown) {
                self.overruled.push(shown);
            }
        }
        if !told.is_empty() {
            self.record.decide_by_person(&format!("{by} overruled the BLOCKER of {}: it is settled.", told.join(", ")), round);
        }
    }
}
