//! What everybody says outside the rooms: the openings, and on each aspect takes, reactions, and replies to reactions.

use crate::crux::speech::names::find_addressee;
use crate::crux::speech::{Utterance, speak};
use crate::crux::state::{DebateState, Message, MessageKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{Bench, IdLists, Result, TypedReply, prompt};
use synod_types::SeatIx;

/// A reaction to one of the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reaction {
    /// In a few words: why this one.
    pub reasons: String,
    /// Whom you answer; null if nobody in particular.
    #[serde(default)]
    #[schemars(extend("x-loose" = "names"))]
    pub replying_to: Option<String>,
    /// What you say aloud.
    pub utterance: String,
}

impl TypedReply for Reaction {
    /// What is said, then a last line `REPLYING TO: name`.
    fn from_text(text: &str, _: &IdLists) -> Option<Self> {
        let (before, rest) = crate::text::after_last_marker(text, "REPLYING TO:")?;
        let name = rest.lines().next().map(|line| crate::text::bare(line).to_owned()).filter(|name| !name.is_empty());
        Some(Self { reasons: String::new(), replying_to: name, utterance: before.trim().to_owned() })
    }

    fn check(&self, _: &IdLists) -> Result<(), String> {
        if self.utterance.trim().is_empty() { Err("`utterance` is empty; put what you say aloud into it".into()) } else { Ok(()) }
    }
}

impl Utterance for Reaction {
    fn aloud(&self) -> &str {
        &self.utterance
    }
    fn replying_to(&self) -> Option<&str> {
        self.replying_to.as_deref()
    }
    fn reasons(&self) -> &str {
        &self.reasons
    }
}

impl DebateState<'_> {
    pub async fn ask_openings(&mut self) -> Result<()> {
        let phase = self.bench.phase("opening");
        let speeches = speak::<String>(&phase, self.cast, &self.cast.seats(), &|_| prompt!("opening")).await?;
        self.record_messages(&phase, MessageKind::Opening, speeches, &[])
    }

    pub async fn ask_takes(&mut self, step: &Bench, round: u32) -> Result<()> {
        let (aspect, label) = (self.aspect_for_prompt(round), self.aspect_label(round));
        let openings = self.for_prompt(self.openings());
        let context = self.context();
        let ask = |_: SeatIx| prompt!("take", aspect, openings, context).fill("aspect", &label);
        let speeches = speak::<String>(step, self.cast, &self.cast.seats(), &ask).await?;
        self.record_messages(step, MessageKind::Take { round, mini: 0 }, speeches, &[])
    }

    /// Everybody answers one of the others' last takes.
    pub async fn ask_reactions(&mut self, step: &Bench, round: u32, mini: u32) -> Result<()> {
        let (aspect, label) = (self.aspect_for_prompt(round), self.aspect_label(round));
        let takes = self.last_takes(round, mini);
        let others = |seat: SeatIx| takes.iter().filter(move |take| take.seat != seat);
        let names = |seat: SeatIx| others(seat).map(|take| (take.seat, self.cast.name(take.seat))).collect::<Vec<_>>();
        let seats: Vec<SeatIx> = self.cast.seats().into_iter().filter(|seat| others(*seat).next().is_some()).collect();
        let ask = |seat: SeatIx| {
            let lines = self.for_prompt(others(seat));
            prompt!("react", aspect, others = lines).ids("names", names(seat).into_iter().map(|(_, name)| name)).fill("aspect", &label)
        };
        let speeches = speak::<Reaction>(step, self.cast, &seats, &ask).await?;
        let replies: Vec<(SeatIx, String)> = speeches
            .list
            .iter()
            .filter_map(|speech| {
                let to = find_addressee(speech.replying_to.as_deref()?, &names(speech.seat))?;
                takes.iter().find(|take| take.seat == to).map(|take| (speech.seat, take.id.clone()))
            })
            .collect();
        self.record_messages(step, MessageKind::Take { round, mini }, speeches, &replies)
    }

    /// Whoever was answered in the last miniround answers the first who did. Nobody else speaks.
    pub async fn ask_replies(&mut self, step: &Bench, round: u32, mini: u32) -> Result<()> {
        let (aspect, label) = (self.aspect_for_prompt(round), self.aspect_label(round));
        let reactions: Vec<&Message> = self.messages.iter().filter(|message| message.kind == MessageKind::Take { round, mini: mini - 1 }).collect();
        let challenged = |seat: SeatIx| -> Option<(Message, Message)> {
            reactions.iter().find_map(|challenge| {
                let own = self.messages.iter().find(|own| Some(&own.id) == challenge.reply_to.as_ref() && own.seat == seat)?;
                Some((own.clone(), (*challenge).clone()))
            })
        };
        let called: Vec<(SeatIx, Message, Message)> =
            self.cast.seats().into_iter().filter_map(|seat| challenged(seat).map(|(own, challenge)| (seat, own, challenge))).collect();
        let seats: Vec<SeatIx> = called.iter().map(|(seat, ..)| *seat).collect();
        let ask = |seat: SeatIx| {
            let found = called.iter().find(|(each, ..)| *each == seat);
            let (own, challenge, challenger) =
                found.map_or(("", "", ""), |(_, own, challenge)| (own.text.as_str(), challenge.text.as_str(), self.cast.name(challenge.seat)));
            prompt!("reply", aspect, own, challenge, challenger).fill("aspect", &label)
        };
        let speeches = speak::<String>(step, self.cast, &seats, &ask).await?;
        let replies: Vec<(SeatIx, String)> = called.iter().map(|(seat, _, challenge)| (*seat, challenge.id.clone())).collect();
        self.record_messages(step, MessageKind::Take { round, mini }, speeches, &replies)
    }
}
