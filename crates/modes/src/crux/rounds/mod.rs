//! The rounds of a debate: the topic split into aspects, the openings, then each aspect debated, searched for a crux, and put into minutes.

pub mod aspects;
pub mod detection;
mod minutes;
pub mod takes;

use super::room::hold_room;
use super::state::DebateState;
use detection::Candidate;
use synod_engine::Result;

impl DebateState<'_> {
    /// Debates one aspect. `round` counts aspects from 1.
    pub async fn debate_aspect(&mut self, round: u32) -> Result<()> {
        let phase = self.bench.round("aspect", round);
        let mut candidate: Option<Candidate> = None;
        for mini in 0..self.options.minirounds {
            let step = phase.at(format!("mini {mini}"));
            match mini {
                0 => self.ask_takes(&step, round).await?,
                odd if odd % 2 == 1 => self.ask_reactions(&step, round, mini).await?,
                _ => self.ask_replies(&step, round, mini).await?,
            }
            if self.closed {
                return Ok(());
            }
            if self.options.detection.sliding() {
                candidate = self.detect_in_windows(&phase, candidate).await?;
            }
        }
        if candidate.is_none() && self.options.detection.takes() {
            candidate = self.detect_in_takes(&phase, round).await?;
        }
        if let Some(candidate) = candidate.filter(|found| !self.closed && self.may_open_room() && !self.had_room(&found.question)) {
            let card = hold_room(self, &phase, round, &candidate).await?;
            let now = self.messages.len() as u64;
            self.tracker.record_room(candidate.key(), now);
            self.file_card(card, &candidate);
        }
        if !self.closed {
            self.write_minutes(&phase, round).await?;
        }
        Ok(())
    }

    /// Whether another crux room may be held.
    pub fn may_open_room(&self) -> bool {
        (self.cards.len() as u32) < self.options.rooms
    }
}

/// The first so many words on one line, without control characters and limited in length.
fn brief(text: &str, words: usize) -> String {
    const LONGEST: usize = 12;
    text.split_whitespace().take(words).collect::<Vec<_>>().join(" ").chars().filter(|c| !c.is_control()).take(words * LONGEST).collect()
}
