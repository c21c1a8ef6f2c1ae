//! One aspect, debated: takes, reactions, replies to reactions, then the search for a crux and the minutes.

use super::debate::{Debate, Message, MessageKind};
use super::detect::{Candidate, Disagreement, EVERY, WINDOW};
use super::names::addressed;
use super::room;
use super::rows::{DisagreementRow, RoundSummaryRow};
use super::speak::{Reaction, speak, whole_sentences};
use serde_json::json;
use synod_engine::{Bench, Result, prompt};
use synod_math::pair_tracker::Sighting;
use synod_types::{Exhibit, FailureKind, SeatIx};

impl Debate<'_> {
    /// `round` counts aspects from 1.
    pub async fn debate(&mut self, round: u32) -> Result<()> {
        let stage = self.bench.round("aspect", round);
        let mut found: Option<Candidate> = None;
        for mini in 0..self.options.minirounds {
            let step = stage.at(format!("mini {mini}"));
            match mini {
                0 => self.takes(&step, round).await?,
                odd if odd % 2 == 1 => self.reactions(&step, round, mini).await?,
                _ => self.replies(&step, round, mini).await?,
            }
            if self.closed {
                return Ok(());
            }
            if self.options.detection.sliding() {
                found = self.slide(&stage, found).await?;
            }
        }
        if found.is_none() && self.options.detection.takes() {
            let takes: Vec<Message> = self.latest(round, u32::MAX).into_iter().cloned().collect();
            if takes.len() >= 2 {
                found = self.detect(&stage, &takes.iter().collect::<Vec<_>>(), Some(round), false).await?;
            }
        }
        if let Some(candidate) = found.filter(|_| !self.closed && self.has_room()) {
            let card = room::hold(self, &stage, round, &candidate).await?;
            let now = self.messages.len() as u64;
            self.registry.roomed(candidate.key(), now);
            self.file(card, &candidate);
        }
        if !self.closed {
            self.minutes(&stage, round).await?;
        }
        Ok(())
    }

    /// Whether another crux room may be held.
    fn has_room(&self) -> bool {
        (self.cards.len() as u32) < self.options.rooms
    }

    fn aspect(&self, round: u32) -> serde_json::Value {
        self.aspects.get(round as usize - 1).map_or_else(|| json!({}), |aspect| json!({"label": aspect.label, "description": aspect.description}))
    }

    pub fn label(&self, round: u32) -> String {
        self.aspects.get(round as usize - 1).map_or_else(String::new, |aspect| aspect.label.clone())
    }

    async fn takes(&mut self, step: &Bench, round: u32) -> Result<()> {
        let (aspect, label) = (self.aspect(round), self.label(round));
        let openings = self.lines(self.openings());
        let context = self.context();
        let ask = |_: SeatIx| prompt!("take", aspect, openings, context).fill("aspect", &label);
        let voiced = speak::<String>(step, self.cast, &self.cast.seats(), &ask).await?;
        self.post(step, MessageKind::Take { round, mini: 0 }, voiced, &[])
    }

    /// Everybody answers one of the others' last takes.
    async fn reactions(&mut self, step: &Bench, round: u32, mini: u32) -> Result<()> {
        let (aspect, label) = (self.aspect(round), self.label(round));
        let takes: Vec<Message> = self.latest(round, mini).into_iter().cloned().collect();
        let others = |seat: SeatIx| takes.iter().filter(move |take| take.seat != seat);
        let names = |seat: SeatIx| others(seat).map(|take| (take.seat, self.cast.name(take.seat))).collect::<Vec<_>>();
        let seats: Vec<SeatIx> = self.cast.seats().into_iter().filter(|seat| others(*seat).next().is_some()).collect();
        let ask = |seat: SeatIx| {
            let lines = self.lines(others(seat));
            prompt!("react", aspect, others = lines).ids("names", names(seat).into_iter().map(|(_, name)| name)).fill("aspect", &label)
        };
        let voiced = speak::<Reaction>(step, self.cast, &seats, &ask).await?;
        let replies: Vec<(SeatIx, String)> = voiced
            .said
            .iter()
            .filter_map(|spoken| {
                let to = addressed(spoken.replying_to.as_deref()?, &names(spoken.seat))?;
                takes.iter().find(|take| take.seat == to).map(|take| (spoken.seat, take.id.clone()))
            })
            .collect();
        self.post(step, MessageKind::Take { round, mini }, voiced, &replies)
    }

    /// Whoever was answered answers the first who did. Nobody else speaks.
    async fn replies(&mut self, step: &Bench, round: u32, mini: u32) -> Result<()> {
        let (aspect, label) = (self.aspect(round), self.label(round));
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
        let voiced = speak::<String>(step, self.cast, &seats, &ask).await?;
        let replies: Vec<(SeatIx, String)> = called.iter().map(|(seat, _, challenge)| (*seat, challenge.id.clone())).collect();
        self.post(step, MessageKind::Take { round, mini }, voiced, &replies)
    }

    /// Takes every window that is due; a pair that has earned a room gets this aspect's.
    async fn slide(&mut self, stage: &Bench, mut found: Option<Candidate>) -> Result<Option<Candidate>> {
        while !self.closed && self.messages.len() >= WINDOW + self.windows * EVERY {
            let end = WINDOW + self.windows * EVERY;
            self.windows += 1;
            let window: Vec<Message> = self.messages[end - WINDOW..end].to_vec();
            let scope = stage.at(format!("window {}", self.windows));
            let seen = self.detect(&scope, &window.iter().collect::<Vec<_>>(), None, true).await?;
            let sighting = seen.map(|seen| {
                self.sighted.retain(|(known, _)| *known != seen.key());
                self.sighted.push((seen.key(), seen.sources.clone()));
                Sighting { pair: seen.key(), topic: seen.question, label: seen.label }
            });
            self.registry.observe(sighting, end as u64);
            let ready = self.registry.ready(&[], end as u64).cloned();
            if let Some(ready) = ready.filter(|_| found.is_none() && self.has_room()) {
                self.registry.roomed(ready.pair, end as u64);
                let sources = self.sighted.iter().find(|(known, _)| *known == ready.pair).map(|(_, ids)| ids.clone()).unwrap_or_default();
                let candidate = Candidate { pair: [ready.pair.0, ready.pair.1], question: ready.topic, label: ready.label, sources };
                self.contest(&candidate);
                found = Some(candidate);
            }
        }
        Ok(found)
    }

    /// Looks for two who contradict each other. A failed detector finds nobody.
    async fn detect(&mut self, stage: &Bench, messages: &[&Message], round: Option<u32>, window: bool) -> Result<Option<Candidate>> {
        let lines = self.lines(messages.iter().copied());
        let aspect = round.map(|round| self.label(round));
        let names = self.cast.names();
        let speaking: Vec<(SeatIx, &str)> = names.into_iter().filter(|(seat, _)| messages.iter().any(|message| message.seat == *seat)).collect();
        let ask = prompt!("detect", lines, aspect, window).ids("names", speaking.iter().map(|(_, name)| *name));
        let given = match stage.ask_clerk::<Disagreement>(ask).await? {
            Ok(given) => given,
            Err(missed) => {
                self.closed |= missed.failure.kind == FailureKind::Closed;
                self.unheard = true;
                return Ok(None);
            }
        };
        let found = &given.value;
        let mut candidate = found.candidate(&speaking);
        if let Some(candidate) = &mut candidate {
            candidate.sources = messages.iter().filter(|message| candidate.pair.contains(&message.seat)).map(|message| message.id.clone()).collect();
        }
        let personas = match &candidate {
            Some(candidate) => candidate.pair.map(|seat| self.cast.id(seat).to_owned()).to_vec(),
            None => found.personas.clone(),
        };
        let text = match &candidate {
            Some(candidate) => {
                let [a, b] = candidate.pair.map(|seat| self.cast.name(seat));
                format!("{a} and {b} contradict each other: {}", candidate.question)
            }
            None => "No two of them contradict each other on one claim.".to_owned(),
        };
        let row = DisagreementRow {
            has_direct_opposition: found.has_direct_opposition,
            has_specific_claim: found.has_specific_claim,
            topic_relevant: found.topic_relevant,
            personas,
            topic: found.topic.clone(),
            short_label: found.short_label.clone(),
            spawn: candidate.is_some() && !window && self.has_room(),
            confidence: 1,
            window,
            reasons: found.reasons.clone(),
        };
        stage.show("disagreement", Exhibit::note("Contradiction", text).by(given.seat, "clerk").turn(&given.key).data(&row))?;
        if let Some(candidate) = &candidate {
            if !window {
                self.contest(candidate);
            }
            if !self.seen.contains(&candidate.question) {
                self.seen.push(candidate.question.clone());
            }
        }
        Ok(candidate)
    }

    /// One or two sentences of minutes; without them the next round goes without.
    async fn minutes(&mut self, stage: &Bench, round: u32) -> Result<()> {
        let takes: Vec<&Message> = self.messages.iter().filter(|message| message.kind.in_round(round)).collect();
        let (aspect, label) = (self.aspect(round), self.label(round));
        if takes.is_empty() {
            self.rounds.push((label, String::new()));
            return Ok(());
        }
        let card = self.cards.iter().rfind(|card| card.round == round).map(|card| card.plain());
        let ask = prompt!("summary", aspect, takes = self.lines(takes), card).fill("aspect", &label);
        let summary = match stage.ask_clerk::<String>(ask).await? {
            Ok(given) => {
                let said = if given.partial { whole_sentences(&given.value) } else { &given.value };
                let summary = said.split_whitespace().collect::<Vec<_>>().join(" ");
                let row = RoundSummaryRow { round, aspect: label.clone(), summary: summary.clone() };
                let exhibit = Exhibit::note(format!("Minutes: {label}"), &summary).by(given.seat, "clerk").turn(&given.key).data(&row);
                stage.show("round_summary", exhibit)?;
                summary
            }
            Err(missed) => {
                self.closed |= missed.failure.kind == FailureKind::Closed;
                String::new()
            }
        };
        self.rounds.push((label, summary));
        Ok(())
    }
}
