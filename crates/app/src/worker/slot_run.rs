//! What a slot's run is asked: everything an agent is told, cut to what a prompt can hold.

use super::fill::task_of;
use crate::request::{PanelChoice, RunRequest};
use serde_json::json;
use synod_claims::{Lease, WorkContext};
use synod_engine::OptionValue;
use synod_modes::slot::{Attempt, Layer, MODE, Options, Task};
use synod_types::{CALIBRATING, Claim, ConsensusRecord, Question, Slot, clip};

/// Characters of one submission, and of all of them together.
const ONE: usize = 4_000;
const ALL: usize = 60_000;

pub fn request(claim: &Claim, slot: &Slot, context: &WorkContext, lease: &Lease, agent: &str, model: &str) -> RunRequest {
    let texts = context.prior_layers.iter().map(|layer| layer.work_outputs.len() + layer.consensus_outputs.len()).sum::<usize>()
        + context.previous_attempts.iter().map(|attempt| attempt.work_outputs.len() + attempt.consensus_outputs.len()).sum::<usize>()
        + context.current_layer_work_outputs.len();
    let limit = ONE.min(ALL / texts.max(1));
    let cut = |texts: &[String]| -> Vec<String> { texts.iter().map(|text| clip::chars(text, limit, " […]")).collect() };
    let source = |source: &synod_types::ClaimSource| match &source.title {
        Some(title) => format!("{} ({title})", source.url),
        None => source.url.clone(),
    };
    let options = Options {
        claim: claim.id.clone(),
        slot: slot.id.clone(),
        attempt: slot.attempt,
        lease: lease.lease_id.clone(),
        agent: agent.to_owned(),
        task: task_of(slot.slot_type, !context.current_layer_work_outputs.is_empty()),
        layer: slot.layer,
        stage: context.stage_name.clone(),
        goal: context.goal.clone(),
        role: slot.role.clone(),
        guide: context.role_guide.clone(),
        scale: context.confidence_scale.clone(),
        domain: Some(claim.domain.clone()).filter(|domain| domain != CALIBRATING).unwrap_or_default(),
        sources: claim.sources.iter().map(source).collect(),
        prior: context
            .prior_layers
            .iter()
            .map(|layer| Layer {
                name: layer.stage_name.clone(),
                confidence: layer.avg_confidence,
                work: cut(&layer.work_outputs),
                consensus: cut(&layer.consensus_outputs),
            })
            .collect(),
        work: cut(&context.current_layer_work_outputs),
        attempts: context
            .previous_attempts
            .iter()
            .map(|attempt| Attempt {
                number: attempt.attempt,
                confidence: attempt.avg_confidence,
                work: cut(&attempt.work_outputs),
                consensus: cut(&attempt.consensus_outputs),
                note: attempt.note.clone(),
            })
            .collect(),
        notices: context.notices.clone(),
        form: context.output_schema.clone(),
        summaries: Vec::new(),
        scripted_confidence: None,
    };
    run(&claim.title, &claim.body, options, model)
}

/// A slot like any other, to be quoted and never to be run.
pub fn trial(title: &str, body: &str, model: &str) -> RunRequest {
    run(title, body, Options { claim: "trial".into(), slot: "trial".into(), ..Options::default() }, model)
}

pub fn merge_request(claim: &Claim, record: &ConsensusRecord, model: &str) -> RunRequest {
    let summaries = record.summaries.iter().map(|summary| clip::chars(summary, ONE, " […]")).collect();
    run(&claim.title, &claim.body, Options { claim: claim.id.clone(), task: Task::Merge, summaries, ..Options::default() }, model)
}

fn run(title: &str, body: &str, options: Options, model: &str) -> RunRequest {
    let given = serde_json::to_value(&options).unwrap_or_default();
    let given = given.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    // A body that only repeats the title says nothing more.
    let content = Some(body.to_owned()).filter(|body| body != title);
    RunRequest {
        mode: Some(MODE.id.into()),
        internal: true,
        question: Question { text: title.to_owned(), content, ..Question::default() },
        panel: PanelChoice::Models(vec![model.to_owned()]),
        options: given.map(|(name, value)| (name.clone(), OptionValue::json(value.clone()))).collect(),
        ..RunRequest::default()
    }
}

/// In a rehearsal: what is said, whatever the voice says.
pub fn script_confidence(request: &mut RunRequest, confidence: f64) {
    request.options.push(("scripted_confidence".into(), OptionValue::json(json!(confidence))));
}
