//! The end of a debate: last words, who moved, and the record that is written of it.

use super::debate::{Debate, MessageKind};
use super::names::meant;
use super::rows::{ClaimData, ClaimStanceData, DebateSummaryRow, EvidenceData, FlipConditionsData, ShiftData, ShiftsRow};
use super::speak::speak;
use crate::text::{items, section, token};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use synod_engine::{Bench, IdLists, Result, SeatReply, TypedReply, prompt};
use synod_types::{Exhibit, SeatIx, Shape, Shift, Shifts, Statement};

/// Fewer messages are no debate to write a record of.
const LEAST_MESSAGES: usize = 4;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Moves {
    /// One sentence.
    pub reasons: String,
    #[schemars(extend("x-each" = "names"))]
    pub shifts: Vec<Move>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Move {
    #[schemars(extend("x-loose" = "names"))]
    pub name: String,
    pub shifted: bool,
    /// From what to what, at most 15 words.
    #[serde(default)]
    pub summary: String,
}

impl TypedReply for Moves {
    /// A line a speaker: `name: shifted – summary`.
    fn from_text(text: &str, _: &IdLists) -> Option<Self> {
        let line = |line: &str| {
            let (name, rest) = line.split_once(':')?;
            let shifted = token(rest, &["shifted", "same"])? == "shifted";
            let summary = rest.split_once(['–', '—', '-']).map(|(_, summary)| summary.trim().to_owned()).unwrap_or_default();
            Some(Move { name: crate::text::bare(name.trim_start_matches(['-', '*', ' '])).to_owned(), shifted, summary })
        };
        let shifts: Vec<Move> = text.lines().filter_map(line).collect();
        (!shifts.is_empty()).then_some(Self { reasons: String::new(), shifts })
    }
}

/// The record of the debate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// One sentence.
    pub reasons: String,
    pub claims: Vec<Claim>,
    #[serde(default)]
    pub agreements: Vec<String>,
    #[schemars(extend("x-each" = "names"))]
    pub evidence_ledger: Vec<Ledger>,
    #[serde(default)]
    #[schemars(extend("x-each" = "names"))]
    pub flip_conditions: Vec<Flips>,
    pub resolution_paths: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    pub claim: String,
    #[serde(default)]
    #[schemars(extend("x-each" = "names"))]
    pub stances: Vec<ClaimStance>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimStance {
    #[schemars(extend("x-loose" = "names"))]
    pub persona: String,
    #[serde(default)]
    #[schemars(extend("x-loose" = "sides"))]
    pub position: String,
    #[serde(default)]
    pub reasoning: String,
}

/// What a speaker took from others, and what not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ledger {
    #[schemars(extend("x-loose" = "names"))]
    pub persona: String,
    #[serde(default)]
    pub accepted: Vec<Entry>,
    #[serde(default)]
    pub challenged: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    pub claim: String,
    #[serde(default)]
    pub reason: String,
}

/// What a speaker said would change their mind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Flips {
    #[schemars(extend("x-loose" = "names"))]
    pub persona: String,
    #[serde(default)]
    pub conditions: Vec<String>,
}

impl TypedReply for Summary {
    /// Headings with lists under them; under `Evidence` and `Flip conditions` an item is `name: text`.
    fn from_text(text: &str, _: &IdLists) -> Option<Self> {
        let list = |heading: &str| section(text, heading).map(items);
        let named = |item: String| item.split_once(':').map(|(name, rest)| (crate::text::bare(name).to_owned(), rest.trim().to_owned()));
        let ledger =
            |(persona, claim): (String, String)| Ledger { persona, accepted: vec![Entry { claim, reason: String::new() }], challenged: Vec::new() };
        Some(Self {
            reasons: String::new(),
            claims: list("Claims")?.into_iter().map(|claim| Claim { claim, stances: Vec::new() }).collect(),
            agreements: list("Agreements").unwrap_or_default(),
            evidence_ledger: list("Evidence")?.into_iter().filter_map(named).map(ledger).collect(),
            flip_conditions: list("Flip conditions")
                .unwrap_or_default()
                .into_iter()
                .filter_map(named)
                .map(|(persona, condition)| Flips { persona, conditions: vec![condition] })
                .collect(),
            resolution_paths: list("Resolution paths")?,
        })
    }
}

/// One persona's move, by seat.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved {
    pub seat: SeatIx,
    /// `None`: nobody judged it.
    pub shifted: Option<bool>,
    pub summary: String,
}

/// What the debate came to.
pub struct Conclusion {
    pub moves: Vec<Moved>,
    pub summary: Option<SeatReply<Summary>>,
}

impl Debate<'_> {
    pub async fn openings_round(&mut self) -> Result<()> {
        let stage = self.bench.phase("opening");
        let voiced = speak::<String>(&stage, self.cast, &self.cast.seats(), &|_| prompt!("opening")).await?;
        self.post(&stage, MessageKind::Opening, voiced, &[])
    }

    pub async fn closings_round(&mut self) -> Result<()> {
        let stage = self.bench.phase("closing");
        let context = self.context();
        let seats = self.cast.seats();
        let ask = |seat: SeatIx| {
            let opening = self.of(MessageKind::Opening, seat).map(|message| message.text.as_str());
            let others: Vec<&str> = seats.iter().filter(|other| **other != seat).map(|other| self.cast.name(*other)).collect();
            prompt!("closing", context, opening).fill("other", others)
        };
        let voiced = speak::<String>(&stage, self.cast, &seats, &ask).await?;
        self.post(&stage, MessageKind::Closing, voiced, &[])
    }

    /// Who moved, and the record, side by side.
    pub async fn conclude(&self) -> Result<Conclusion> {
        let stage = self.bench.phase("conclusion");
        let (moves, summary) = futures::future::join(self.moves(&stage), self.record(&stage)).await;
        let (moves, summary) = (moves?, summary?);
        if let Some(given) = &summary {
            let said = Statement { text: Some(super::report::record(self, &given.value)), ..Statement::default() };
            let exhibit = Exhibit::new("The record", Shape::Statement(said)).by(given.seat, "moderator").turn(&given.key);
            stage.show("debate_summary", exhibit.data(&self.summary_row(&given.value)))?;
        }
        Ok(Conclusion { moves, summary })
    }

    async fn moves(&self, stage: &Bench) -> Result<Vec<Moved>> {
        let both = |seat: SeatIx| Some((seat, self.of(MessageKind::Opening, seat)?, self.of(MessageKind::Closing, seat)?));
        let pairs: Vec<_> = self.cast.seats().into_iter().filter_map(both).collect();
        if pairs.is_empty() {
            return Ok(Vec::new());
        }
        let shown: Vec<Value> = pairs
            .iter()
            .map(|(seat, opening, closing)| json!({"name": self.cast.name(*seat), "opening": opening.text, "closing": closing.text}))
            .collect();
        let names: Vec<(SeatIx, &str)> = pairs.iter().map(|(seat, ..)| (*seat, self.cast.name(*seat))).collect();
        let ask = prompt!("shifts", pairs = shown).ids("names", names.iter().map(|(_, name)| *name));
        let Ok(given) = stage.ask_clerk::<Moves>(ask).await? else { return Ok(Vec::new()) };
        let judged = |seat: SeatIx| given.value.shifts.iter().find(|each| meant(&each.name, &names) == Some(seat));
        let moves: Vec<Moved> = names
            .iter()
            .map(|(seat, _)| match judged(*seat) {
                Some(found) => Moved { seat: *seat, shifted: Some(found.shifted), summary: found.summary.trim().to_owned() },
                None => Moved { seat: *seat, shifted: None, summary: "not assessed".to_owned() },
            })
            .collect();
        let entries: Vec<Shift> = moves
            .iter()
            .map(|each| Shift {
                name: self.cast.name(each.seat).to_owned(),
                seat: Some(each.seat),
                moved: each.shifted,
                summary: each.summary.clone(),
                before: self.of(MessageKind::Opening, each.seat).map(|message| message.text.clone()).unwrap_or_default(),
                after: self.of(MessageKind::Closing, each.seat).map(|message| message.text.clone()).unwrap_or_default(),
            })
            .collect();
        let data = |each: &Moved| ShiftData {
            persona_id: self.cast.id(each.seat).to_owned(),
            shifted: each.shifted.unwrap_or(false),
            summary: each.summary.clone(),
        };
        let row = ShiftsRow { shifts: moves.iter().map(data).collect() };
        let exhibit = Exhibit::new("Who moved", Shape::Shifts(Shifts { entries })).by(given.seat, "clerk").turn(&given.key);
        stage.show("shifts", exhibit.data(&row))?;
        Ok(moves)
    }

    /// Written by the moderator, else by whoever of the table can.
    async fn record(&self, stage: &Bench) -> Result<Option<SeatReply<Summary>>> {
        if self.messages.len() < LEAST_MESSAGES {
            return Ok(None);
        }
        let mut writers: Vec<SeatIx> = self.bench.role("moderator").to_vec();
        writers.extend(self.cast.seats().into_iter().filter(|seat| !self.bench.role("moderator").contains(seat)));
        let cards: Vec<String> = self.cards.iter().map(|card| card.plain()).collect();
        let ask = prompt!("report", transcript = self.lines(&self.messages), cards)
            .ids("names", self.cast.names().into_iter().map(|(_, name)| name))
            .ids("sides", ["for", "against", "mixed"]);
        let given = stage.ask_first::<Summary>(&writers, ask).await?;
        if given.is_none() {
            stage.warn("Nobody could write the record of the debate; the answer is made of the cards and the last words.");
        }
        Ok(given)
    }

    /// With every persona by its id; names that mean nobody are dropped.
    fn summary_row(&self, summary: &Summary) -> DebateSummaryRow {
        let names = self.cast.names();
        let id = |name: &str| meant(name, &names).map(|seat| self.cast.id(seat).to_owned());
        let stance = |stance: &ClaimStance| {
            Some(ClaimStanceData { persona_id: id(&stance.persona)?, position: Side::of(&stance.position), reasoning: stance.reasoning.clone() })
        };
        let evidence = |entry: &Ledger| {
            Some(EvidenceData { persona_id: id(&entry.persona)?, accepted: entry.accepted.clone(), challenged: entry.challenged.clone() })
        };
        let flips = |flips: &Flips| Some(FlipConditionsData { persona_id: id(&flips.persona)?, conditions: flips.conditions.clone() });
        DebateSummaryRow {
            claims: summary
                .claims
                .iter()
                .map(|claim| ClaimData { claim: claim.claim.clone(), stances: claim.stances.iter().filter_map(stance).collect() })
                .collect(),
            agreements: summary.agreements.clone(),
            evidence_ledger: summary.evidence_ledger.iter().filter_map(evidence).collect(),
            flip_conditions: summary.flip_conditions.iter().filter_map(flips).collect(),
            resolution_paths: summary.resolution_paths.clone(),
            open_questions: summary.resolution_paths.clone(),
        }
    }
}

/// Where somebody stands on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    For,
    Against,
    Mixed,
}

impl Side {
    /// From whatever a model wrote; `mixed` where it says neither.
    pub fn of(word: &str) -> Self {
        match token(word, &["for", "against"]) {
            Some("for") => Self::For,
            Some(_) => Self::Against,
            None => Self::Mixed,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::For => "for",
            Self::Against => "against",
            Self::Mixed => "mixed",
        }
    }
}
