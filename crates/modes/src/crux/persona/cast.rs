//! Who sits at this table: personas by seat, each with its consolidated prompt made once.

use super::{Persona, consolidated};
use synod_types::SeatIx;

pub struct Cast {
    players: Vec<Player>,
}

struct Player {
    seat: SeatIx,
    persona: Persona,
    prompt: String,
}

impl Cast {
    pub fn new(personas: &[Persona], seats: &[SeatIx]) -> Self {
        let player = |(persona, seat): (&Persona, &SeatIx)| Player { seat: *seat, persona: persona.clone(), prompt: consolidated(persona) };
        Self { players: personas.iter().zip(seats).map(player).collect() }
    }

    pub fn seats(&self) -> Vec<SeatIx> {
        self.players.iter().map(|player| player.seat).collect()
    }

    fn player(&self, seat: SeatIx) -> Option<&Player> {
        self.players.iter().find(|player| player.seat == seat)
    }

    pub fn name(&self, seat: SeatIx) -> &str {
        self.player(seat).map_or("somebody", |player| player.persona.name.as_str())
    }

    pub fn id(&self, seat: SeatIx) -> &str {
        self.player(seat).map_or("nobody", |player| player.persona.id.as_str())
    }

    pub fn prompt(&self, seat: SeatIx) -> &str {
        self.player(seat).map_or("", |player| player.prompt.as_str())
    }

    /// Phrases this one never uses.
    pub fn never(&self, seat: SeatIx) -> &[String] {
        self.player(seat).map_or(&[], |player| player.persona.voice.never.as_slice())
    }

    /// Their own sayings, for a rehearsal.
    pub fn sayings(&self, seat: SeatIx) -> Vec<&str> {
        self.player(seat).map(|player| player.persona.anchors.iter().map(|anchor| anchor.text.as_str()).collect()).unwrap_or_default()
    }

    /// Names and seats, in order.
    pub fn names(&self) -> Vec<(SeatIx, &str)> {
        self.players.iter().map(|player| (player.seat, player.persona.name.as_str())).collect()
    }

    pub fn personas(&self) -> impl Iterator<Item = (SeatIx, &Persona)> {
        self.players.iter().map(|player| (player.seat, &player.persona))
    }
}
