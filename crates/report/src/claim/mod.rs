//! Claims shown to people: what is claimed, how far its layers carried it, who said what in which slot, and what came of it.
//!
//! Here is what the media share: a view's slots and results put in the order of its layers. The sentences are in [`words`]; everything in a view
//! was written by others, and comes out of here as clean text that each medium escapes in its own way.

mod html;
mod markdown;
mod terminal;
mod words;

pub use html::claim_html;
pub use markdown::claim_markdown;
use std::collections::BTreeSet;
use synod_types::{ClaimSource, ClaimView, ConsensusRecord, LayerOutcome, LayerResult, PipelineStatus, Resolution, Slot, SlotStatus, SlotType};
pub use terminal::{claim_brief, claim_terminal};

/// Where a claim stands with one layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Passed,
    Flagged,
    Overridden,
    Closed,
    Current,
    ToCome,
    /// The claim ended before it.
    NotReached,
}

impl Standing {
    fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Flagged => "flagged",
            Self::Overridden => "overridden",
            Self::Closed => "closed",
            Self::Current => "current",
            Self::ToCome => "still to come",
            Self::NotReached => "not reached",
        }
    }

    /// A shape of its own for each, beside the word.
    fn sign(self, unicode: bool) -> &'static str {
        match (self, unicode) {
            (Self::Passed, true) => "●",
            (Self::Passed, false) => "+",
            (Self::Flagged, true) => "▲",
            (Self::Flagged, false) => "!",
            (Self::Overridden, true) => "◆",
            (Self::Overridden, false) => "*",
            (Self::Closed, true) => "■",
            (Self::Closed, false) => "x",
            (Self::Current, true) => "▶",
            (Self::Current, false) => ">",
            (Self::ToCome | Self::NotReached, true) => "○",
            (Self::ToCome | Self::NotReached, false) => ".",
        }
    }

    /// Readers must not miss it.
    fn alarms(self) -> bool {
        matches!(self, Self::Flagged | Self::Overridden | Self::Closed)
    }
}

impl From<LayerOutcome> for Standing {
    fn from(outcome: LayerOutcome) -> Self {
        match outcome {
            LayerOutcome::Passed => Self::Passed,
            LayerOutcome::Flagged => Self::Flagged,
            LayerOutcome::Overridden => Self::Overridden,
            LayerOutcome::Closed => Self::Closed,
        }
    }
}

/// A layer with everything that happened in it.
struct Layer<'v> {
    number: u32,
    name: String,
    /// Empty where the protocol that the claim is under now has no such layer.
    goal: &'v str,
    threshold: Option<f64>,
    standing: Standing,
    attempts: Vec<Attempt<'v>>,
}

/// One attempt at a layer.
struct Attempt<'v> {
    number: u32,
    result: Option<&'v LayerResult>,
    /// Work first, then consensus, in the order of their places.
    slots: Vec<&'v Slot>,
    /// A later attempt counts instead.
    superseded: bool,
}

impl Layer<'_> {
    fn title(&self) -> String {
        format!("{} {}", self.number, self.name)
    }

    /// How the attempt that counts ended.
    fn result(&self) -> Option<&LayerResult> {
        self.attempts.last().and_then(|attempt| attempt.result)
    }
}

impl Attempt<'_> {
    /// Where the claim stands with this attempt; the last one shares it with its layer.
    fn standing(&self, layer: &Layer) -> Standing {
        self.result.map_or(layer.standing, |result| result.outcome.into())
    }
}

/// The layers of the protocol in order, and before them those of a protocol that handed the claim over to it.
fn layers(view: &ClaimView) -> Vec<Layer<'_>> {
    let numbers: BTreeSet<u32> = (view.protocol.stages.iter().map(|stage| stage.layer))
        .chain(view.layers.iter().map(|result| result.layer))
        .chain(view.slots.iter().map(|slot| slot.layer))
        .collect();
    numbers.into_iter().map(|number| layer(view, number)).collect()
}

fn layer(view: &ClaimView, number: u32) -> Layer<'_> {
    let stage = view.protocol.stage(number);
    let of_layer = |result: &&LayerResult| result.layer == number;
    let tried: BTreeSet<u32> = (view.layers.iter().filter(of_layer).map(|result| result.attempt))
        .chain(view.slots.iter().filter(|slot| slot.layer == number).map(|slot| slot.attempt))
        .collect();
    let last = tried.last().copied();
    let attempts: Vec<Attempt> = tried
        .iter()
        .map(|&attempt| {
            let mut slots: Vec<&Slot> = view.slots.iter().filter(|slot| slot.layer == number && slot.attempt == attempt).collect();
            slots.sort_by_key(|slot| (slot.slot_type, slot.ordinal));
            let result = view.layers.iter().filter(of_layer).find(|result| result.attempt == attempt);
            Attempt { number: attempt, result, slots, superseded: Some(attempt) != last }
        })
        .collect();
    let result = attempts.last().and_then(|attempt| attempt.result);
    let name = stage.map(|stage| stage.name.as_str()).or(result.map(|result| result.stage_name.as_str())).unwrap_or("unnamed");
    Layer {
        number,
        name: crate::text::one_line(name),
        goal: stage.map_or("", |stage| stage.goal.as_str()),
        threshold: stage.map(|stage| stage.consensus_threshold).or(result.map(|result| result.threshold)),
        standing: standing(view, number, result),
        attempts,
    }
}

fn standing(view: &ClaimView, number: u32, result: Option<&LayerResult>) -> Standing {
    let pipeline = &view.pipeline;
    match (pipeline.status, result) {
        (PipelineStatus::Active, _) if number == pipeline.current_layer => Standing::Current,
        (_, Some(result)) => result.outcome.into(),
        (PipelineStatus::Flagged, None) if number == pipeline.current_layer => Standing::Flagged,
        (PipelineStatus::Complete, None) => Standing::NotReached,
        (PipelineStatus::Active | PipelineStatus::Flagged, None) => Standing::ToCome,
    }
}

/// The slots that are worked now: of the current layer, attempt and phase.
fn current_slots(view: &ClaimView) -> impl Iterator<Item = &Slot> {
    let at = &view.pipeline;
    view.slots.iter().filter(|slot| slot.layer == at.current_layer && slot.attempt == at.attempt && slot.slot_type == at.current_phase)
}

/// Where a person closed the claim, if one did.
fn closed(view: &ClaimView) -> Option<&LayerResult> {
    view.layers.iter().rev().find(|result| result.outcome == LayerOutcome::Closed)
}

/// Who closed it.
fn closed_by(view: &ClaimView) -> Option<&str> {
    view.flags.iter().rev().find(|flag| flag.resolution == Some(Resolution::Close)).and_then(|flag| flag.cleared_by.as_deref())
}

/// What there is to see of a slot.
enum Content<'s> {
    Open,
    Taken,
    /// Submitted to a phase that is still open.
    Withheld,
    Said(&'s str),
    /// Ended without a word on record.
    Nothing,
}

fn content(slot: &Slot) -> Content<'_> {
    match (slot.status, slot.output.as_deref().filter(|output| !output.trim().is_empty())) {
        _ if slot.withheld => Content::Withheld,
        (SlotStatus::Open, _) => Content::Open,
        (SlotStatus::Taken, _) => Content::Taken,
        (SlotStatus::Done | SlotStatus::Superseded, Some(output)) => Content::Said(output),
        (SlotStatus::Done | SlotStatus::Superseded, None) => Content::Nothing,
    }
}

/// A key point of the record is mostly what a seat of the last layer wrote, and then stands there in full.
fn stands_in_a_slot(view: &ClaimView, point: &str) -> bool {
    view.slots.iter().any(|slot| slot.slot_type == SlotType::Consensus && slot.output.as_deref() == Some(point))
}

/// The seats' own summaries, where the summary was made of several.
fn merged_from(view: &ClaimView) -> &[String] {
    match &view.record {
        Some(record) if record.merged && record.summaries.iter().any(|own| *own != record.summary) => &record.summaries,
        _ => &[],
    }
}

/// False where a person ended the claim or no recommendation was asked for: then silence is no agreement.
fn agreed(view: &ClaimView) -> bool {
    let silent =
        |record: &ConsensusRecord| record.by_pipeline && record.recommendation.is_some() && record.dissent.is_empty() && !record.split_verdict;
    closed(view).is_none() && view.record.as_ref().is_some_and(silent)
}

/// An address of the web that may be a link: no other scheme, and nothing that could end the link early.
fn web_address(source: &ClaimSource) -> Option<&str> {
    let url = source.url.trim();
    let scheme = url.split_once("://")?.0.to_ascii_lowercase();
    let plain = |c: char| crate::text::harmless(c) && !c.is_whitespace() && !matches!(c, '<' | '>' | '"' | '\'' | '`' | '\\');
    (["http", "https"].contains(&scheme.as_str()) && url.chars().all(plain)).then_some(url)
}
