//! The sentences of a claim, the same in every medium: clean text without markup.

use super::{Attempt, Content, Layer, closed, closed_by, content, current_slots, merged_from};
use crate::figures::{moment, several};
use crate::text::{clean, one_line};
use crate::words::listed;
use serde_json::Value;
use synod_types::{
    AuthorType, CALIBRATING, ClaimFlag, ClaimNotice, ClaimView, ConsensusRecord, PipelineStatus, Recommendation, Resolution, SignatureState, Slot,
    SlotStatus, SlotType,
};

pub const SPLIT: &str = "Split verdict: accept and reject had equal weight.";
pub const AGREED: &str = "No seat recommends otherwise.";
pub const NEXT: &str = "A person decides how it goes on: work the layer again or only score it again while attempts are left, pass it with a reason, or close the claim.";

/// A share of one as `69.5%`, with two places at most.
pub fn percent(share: f64) -> String {
    places(share, 2)
}

fn places(share: f64, most: usize) -> String {
    // Minus zero is zero to a reader.
    let value = share * 100.0 + 0.0;
    match value.abs() {
        size if !size.is_finite() => "no number".to_owned(),
        1e9.. => format!("{value:.2e}%"),
        _ => {
            let fixed = format!("{value:.most$}");
            let short = if fixed.contains('.') { fixed.trim_end_matches('0').trim_end_matches('.') } else { &fixed };
            format!("{}%", if short == "-0" { "0" } else { short })
        }
    }
}

/// A mean and its threshold, with as many places as it takes to tell them apart: 69.67% is not 70%.
pub fn against(mean: f64, threshold: f64) -> (String, String) {
    let told = |most| (places(mean, most), places(threshold, most));
    let alike = (mean - threshold).abs() < 1e-9;
    (2..=7).map(told).find(|(mean, threshold)| alike || mean != threshold).unwrap_or_else(|| told(7))
}

/// `78%, needs 70%`.
pub fn measured(mean: f64, threshold: f64) -> String {
    let (mean, threshold) = against(mean, threshold);
    format!("{mean}, needs {threshold}")
}

pub fn state_word(view: &ClaimView) -> &'static str {
    match view.pipeline.status {
        PipelineStatus::Active => "In progress",
        PipelineStatus::Flagged => "Flagged",
        PipelineStatus::Complete if closed(view).is_some() => "Closed",
        PipelineStatus::Complete => "Complete",
    }
}

/// Where the claim is, in a sentence that follows the word of its state.
pub fn state(view: &ClaimView) -> String {
    let at = &view.pipeline;
    let again = if at.attempt > 1 { format!(", attempt {}", at.attempt) } else { String::new() };
    match (at.status, closed(view), view.open_flag()) {
        (PipelineStatus::Active, _, _) => {
            let done = current_slots(view).filter(|slot| slot.status == SlotStatus::Done).count();
            let all = several(current_slots(view).count() as u64, "slot", "slots");
            format!("at {}{again}, {} phase: {done} of {all} done.", place(view, at.current_layer), at.current_phase.as_str())
        }
        (PipelineStatus::Flagged, _, Some(flag)) => format!("at {}{again}: {}.", place(view, flag.layer), reason(flag)),
        (PipelineStatus::Flagged, _, None) => format!("at {}{again}.", place(view, at.current_layer)),
        (PipelineStatus::Complete, Some(result), _) => {
            let by = closed_by(view).map_or_else(|| "a person".to_owned(), one_line);
            format!("by {by} at {}, before the last layer had passed.", place(view, result.layer))
        }
        (PipelineStatus::Complete, None, _) => at.completed_at.map_or_else(|| "without a date.".to_owned(), |at| format!("since {}.", moment(at))),
    }
}

/// `layer 3, evidence`.
pub fn place(view: &ClaimView, layer: u32) -> String {
    let of_stage = view.protocol.stage(layer).map(|stage| stage.name.as_str());
    let name = of_stage.or_else(|| view.layers.iter().find(|result| result.layer == layer).map(|result| result.stage_name.as_str()));
    name.map_or_else(|| format!("layer {layer}"), |name| format!("layer {layer}, {}", one_line(name)))
}

/// Why a flag was raised, with the numbers.
fn reason(flag: &ClaimFlag) -> String {
    let (mean, threshold) = against(flag.avg_confidence, flag.threshold);
    match flag.reason.as_str() {
        "low_consensus_confidence" => format!("the mean confidence is {mean}, the layer needs {threshold}"),
        "deliberation_verdict" => {
            format!("the deliberation would have a person look before a verdict is written (mean {mean}, the layer needs {threshold})")
        }
        other => format!("{} (mean {mean}, the layer needs {threshold})", one_line(other).replace('_', " ")),
    }
}

pub fn recommendation(record: &ConsensusRecord) -> &'static str {
    match record.recommendation {
        Some(Recommendation::Accept) => "accept",
        Some(Recommendation::AcceptWithCaveats) => "accept with caveats",
        Some(Recommendation::Reject) => "reject",
        Some(Recommendation::NeedsMoreEvidence) => "more evidence is needed",
        None => "none asked for",
    }
}

/// What the confidence is, and whose.
pub fn confidence(view: &ClaimView, record: &ConsensusRecord) -> String {
    let whose = match (record.by_pipeline, closed(view)) {
        (false, _) => "stated by its author",
        (true, Some(_)) => "the mean of the consensus seats where it was closed",
        (true, None) => "the mean of the last layer's consensus seats",
    };
    format!("{} of 100, {whose}", record.confidence)
}

/// How the summary came about, where it is not one seat's.
pub fn summary_source(view: &ClaimView, record: &ConsensusRecord) -> Option<String> {
    if !record.by_pipeline {
        return Some(format!("Written by {} of its own accord; it decides nothing.", record_author(record)));
    }
    match (merged_from(view).len(), record.merged) {
        (0, false) if record.summaries.len() > 1 => Some("The seats' summaries one after another; nothing has merged them.".to_owned()),
        (0, _) => None,
        (n, _) => {
            let by = record.agent_model.as_deref().map(|model| format!(" by {}", one_line(model))).unwrap_or_default();
            Some(format!("Merged{by} from {}.", several(n as u64, "summary", "summaries")))
        }
    }
}

fn record_author(record: &ConsensusRecord) -> String {
    named(record.agent_name.as_deref(), record.agent_id.as_deref(), record.agent_model.as_deref()).unwrap_or_else(|| "an agent".to_owned())
}

/// `opus worker (claude-opus)`.
fn named(name: Option<&str>, id: Option<&str>, model: Option<&str>) -> Option<String> {
    let known = |text: &&str| !text.trim().is_empty();
    let name = one_line(name.filter(known).or(id.filter(known))?);
    Some(match model.filter(known) {
        Some(model) => format!("{name} ({})", one_line(model)),
        None => name,
    })
}

pub fn agent(slot: &Slot) -> Option<String> {
    named(slot.agent_name.as_deref(), slot.agent_id.as_deref(), slot.agent_model.as_deref())
}

/// `supporter, work`; a consensus seat is called by its type alone.
pub fn seat(slot: &Slot) -> String {
    let (role, kind) = (one_line(&slot.role), slot.slot_type.as_str());
    if role.is_empty() || role == kind { kind.to_owned() } else { format!("{role}, {kind}") }
}

/// What is known of a slot beside its words: who, how sure, whether it is signed.
pub fn slot_facts(slot: &Slot) -> Vec<String> {
    let mut facts = Vec::new();
    facts.extend(agent(slot));
    match content(slot) {
        Content::Open => facts.push("open".to_owned()),
        Content::Taken => facts.push(slot.taken_at.map_or_else(|| "taken".to_owned(), |at| format!("taken since {}", moment(at)))),
        Content::Withheld => facts.push("submitted, withheld until its phase ends".to_owned()),
        Content::Said(_) => facts.extend(slot.confidence.map(|share| format!("confidence {}", percent(share)))),
        Content::Nothing => facts.push("nothing on record".to_owned()),
    }
    // Where a notice stands beside it, that says so.
    if slot.confidence.is_none() && slot.notice.is_none() && matches!(content(slot), Content::Said(_)) {
        facts.push("no confidence given".to_owned());
    }
    facts.extend(slot.signature.map(|state| match state {
        SignatureState::Verified => "signature verified".to_owned(),
        SignatureState::Unverified => "signed, not verified".to_owned(),
    }));
    if slot.copied {
        facts.push("taken over from the attempt before".to_owned());
    }
    if slot.status == SlotStatus::Superseded {
        facts.push("superseded".to_owned());
    }
    facts.extend(slot.run.as_deref().map(|run| format!("run {}", one_line(run))));
    facts
}

/// `Attempt 1, superseded`; nothing where there was only one.
pub fn attempt(layer: &Layer, attempt: &Attempt) -> Option<String> {
    let superseded = if attempt.superseded { ", superseded" } else { "" };
    (layer.attempts.len() > 1 || attempt.number > 1).then(|| format!("Attempt {}{superseded}", attempt.number))
}

/// `attempt 1: 62%, needs 70%, flagged; superseded`.
pub fn attempt_outcome(layer: &Layer, attempt: &Attempt) -> String {
    let told = match attempt.result {
        Some(result) => format!("{}, {}", measured(result.avg_confidence, result.threshold), attempt.standing(layer).word()),
        None => attempt.standing(layer).word().to_owned(),
    };
    let superseded = if attempt.superseded { "; superseded" } else { "" };
    format!("attempt {}: {told}{superseded}", attempt.number)
}

/// How the layers went, with the path of their means, in a line.
pub fn layers_in_short(layers: &[Layer]) -> String {
    let mut parts: Vec<(&'static str, u64)> = Vec::new();
    for layer in layers {
        match parts.iter_mut().find(|(word, _)| *word == layer.standing.word()) {
            Some((_, n)) => *n += 1,
            None => parts.push((layer.standing.word(), 1)),
        }
    }
    let told: Vec<String> = parts.iter().map(|(word, n)| format!("{n} {word}")).collect();
    let means: Vec<String> =
        layers.iter().filter_map(|layer| layer.attempts.last()?.result.map(|result| format!("{:.2}", result.avg_confidence))).collect();
    let path = if means.is_empty() { String::new() } else { format!("; means {}", means.join(", ")) };
    format!("{}: {}{path}", several(layers.len() as u64, "layer", "layers"), listed(&told))
}

/// One field of a structured output.
pub enum Field {
    Line(String),
    List(Vec<String>),
    /// Deeper than a list.
    Json(String),
}

/// What a slot says beside its prose, and does not say there.
pub fn slot_fields(slot: &Slot) -> Vec<(String, Field)> {
    let said = slot.output.as_deref().map(one_line);
    let again = |field: &Field| matches!(field, Field::Line(text) if Some(text) == said.as_ref());
    slot.structured_output.iter().filter(|_| !slot.withheld).flat_map(fields).filter(|(_, field)| !again(field)).collect()
}

/// A structured output field by field, its names as words.
fn fields(value: &Value) -> Vec<(String, Field)> {
    let line = |value: &Value| match value {
        Value::String(text) => Some(one_line(text)),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(yes) => Some(if *yes { "yes" } else { "no" }.to_owned()),
        Value::Null => Some("none".to_owned()),
        Value::Array(_) | Value::Object(_) => None,
    };
    let json = |value: &Value| Field::Json(clean(&serde_json::to_string_pretty(value).unwrap_or_default()));
    let field = |value: &Value| match value {
        Value::Array(items) => items.iter().map(line).collect::<Option<Vec<_>>>().map_or_else(|| json(value), Field::List),
        other => line(other).map_or_else(|| json(other), Field::Line),
    };
    match value {
        Value::Object(map) => map.iter().map(|(name, value)| (spelled(name), field(value))).collect(),
        other => vec![("value".to_owned(), field(other))],
    }
}

/// `keyPoints` as `key points`.
fn spelled(name: &str) -> String {
    let mut out = String::new();
    let mut before = ' ';
    for c in one_line(name).chars() {
        match c {
            '_' => out.push(' '),
            c if c.is_ascii_uppercase() && before.is_ascii_lowercase() => out.extend([' ', c.to_ascii_lowercase()]),
            c => out.push(c),
        }
        before = c;
    }
    out
}

/// A flag and what became of it.
pub fn flag_facts(view: &ClaimView, flag: &ClaimFlag) -> Vec<(&'static str, String)> {
    let again = if flag.attempt > 1 { format!(", attempt {}", flag.attempt) } else { String::new() };
    let mut facts = vec![("Raised", format!("{}, at {}{again}", moment(flag.created_at), place(view, flag.layer))), ("Why", reason(flag))];
    match flag.cleared_at {
        None => facts.push(("Cleared", "not yet: it waits for a person".to_owned())),
        Some(at) => {
            let by = flag.cleared_by.as_deref().map(|by| format!(" by {}", one_line(by))).unwrap_or_default();
            facts.push(("Cleared", format!("{}{by}", moment(at))));
        }
    }
    facts.extend(flag.resolution.map(|resolution| {
        let words = match resolution {
            Resolution::RerunLayer => "the layer is worked again",
            Resolution::RerunConsensus => "the work stays and is scored again",
            Resolution::OverridePass => "the layer passes all the same",
            Resolution::Close => "the claim ends here",
        };
        ("Resolution", words.to_owned())
    }));
    facts.extend(flag.note.as_deref().filter(|note| !note.trim().is_empty()).map(|note| ("Note", one_line(note))));
    facts
}

pub fn notice(view: &ClaimView, notice: &ClaimNotice) -> String {
    format!("{} ({}, {})", one_line(&notice.text), place(view, notice.layer), moment(notice.at))
}

pub fn domain(view: &ClaimView) -> String {
    match view.claim.domain.as_str() {
        CALIBRATING => "not classified yet".to_owned(),
        domain => one_line(domain),
    }
}

/// What a claim is and where it comes from.
pub fn about(view: &ClaimView) -> Vec<(&'static str, String)> {
    let claim = &view.claim;
    let kind = match (claim.author_type, &claim.author_model) {
        (AuthorType::Human, _) => "a person".to_owned(),
        (AuthorType::Ai, Some(model)) => format!("an agent, {}", one_line(model)),
        (AuthorType::Ai, None) => "an agent".to_owned(),
    };
    let mut facts = vec![
        ("Protocol", format!("{}: {}", one_line(&claim.protocol), one_line(&view.protocol.description))),
        ("Domain", domain(view)),
        ("Author", format!("{} ({kind})", one_line(&claim.author_name))),
        ("Put forward", moment(claim.created_at)),
        ("Changed", moment(view.pipeline.updated_at.max(claim.updated_at))),
    ];
    facts.extend(view.pipeline.completed_at.map(|at| ("Completed", moment(at))));
    if claim.comment_count > 0 {
        facts.push(("Comments", claim.comment_count.to_string()));
    }
    if claim.hidden {
        facts.push(("Hidden", "a reviewer has taken it out of the lists".to_owned()));
    }
    facts
}

/// The id, and the hashes once there are any.
pub fn foot(view: &ClaimView) -> Vec<(&'static str, String)> {
    let mut facts = vec![("Claim", one_line(&view.claim.id))];
    facts.extend(view.pipeline.output_hash.as_deref().map(|hash| ("Output hash", one_line(hash))));
    facts.extend(view.pipeline.output_hash_v2.as_deref().map(|hash| ("Hash v2", one_line(hash))));
    facts
}

pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

pub fn phase(kind: SlotType) -> &'static str {
    match kind {
        SlotType::Work => "Work",
        SlotType::Consensus => "Consensus",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_just_short_of_its_threshold_never_looks_equal_to_it() {
        assert_eq!(measured(0.696_667, 0.7), "69.67%, needs 70%");
        assert_eq!(measured(0.699_96, 0.7), "69.996%, needs 70%");
        assert_eq!(measured((0.7 + 0.7 + 0.7) / 3.0, 0.7), "70%, needs 70%");
        assert_eq!(measured(f64::NAN, 0.7), "no number, needs 70%");
        assert_eq!(
            (percent(-0.0), percent(0.695), percent(1.0), percent(f64::MAX)),
            ("0%".into(), "69.5%".into(), "100%".into(), "no number".into())
        );
    }

    #[test]
    fn names_of_fields_are_read_as_words() {
        assert_eq!(spelled("responseToWeaknesses"), "response to weaknesses");
        assert_eq!(spelled("split_verdict"), "split verdict");
    }
}
