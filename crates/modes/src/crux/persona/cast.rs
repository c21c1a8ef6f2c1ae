//! The personas of a run by seat, each with its consolidated prompt, which is made once.

use super::{Persona, consolidated};
use synod_types::SeatIx;

pub struct Cast {
    members: Vec<CastMember>,
}

struct CastMember {
    seat: SeatIx,
    persona: Persona,
    prompt: String,
}

impl Cast {
    pub fn new(personas: &[Persona], seats: &[SeatIx]) -> Self {
        let member = |(persona, seat): (&Persona, &SeatIx)| CastMember { seat: *seat, persona: persona.clone(), prompt: consolidated(persona) };
        Self { members: personas.iter().zip(seats).map(member).collect() }
    }

    pub fn seats(&self) -> Vec<SeatIx> {
        self.members.iter().map(|member| member.seat).collect()
    }

    fn member(&self, seat: SeatIx) -> Option<&CastMember> {
        self.members.iter().find(|member| member.seat == seat)
    }

    pub fn name(&self, seat: SeatIx) -> &str {
        self.member(seat).map_or("somebody", |member| member.persona.name.as_str())
    }

    pub fn id(&self, seat: SeatIx) -> &str {
        self.member(seat).map_or("nobody", |member| member.persona.id.as_str())
    }

    pub fn prompt(&self, seat: SeatIx) -> &str {
        self.member(seat).map_or("", |member| member.prompt.as_str())
    }

    /// Phrases the persona never uses.
    pub fn never(&self, seat: SeatIx) -> &[String] {
        self.member(seat).map_or(&[], |member| member.persona.voice.never.as_slice())
    }

    /// Things the persona has said before; rehearsal voices use them.
    pub fn sayings(&self, seat: SeatIx) -> Vec<&str> {
        self.member(seat).map(|member| member.persona.anchors.iter().map(|anchor| anchor.text.as_str()).collect()).unwrap_or_default()
    }

    /// Names and seats, in order.
    pub fn names(&self) -> Vec<(SeatIx, &str)> {
        self.members.iter().map(|member| (member.seat, member.persona.name.as_str())).collect()
    }

    pub fn personas(&self) -> impl Iterator<Item = (SeatIx, &Persona)> {
        self.members.iter().map(|member| (member.seat, &member.persona))
    }
}
