//! A claim under work: agents that fill its slots, and a person who decides about its flags.

use super::{agent, refused};
use serde_json::{Value, json};
use synod_claims::{Agent, Claims, ClaimsResult, Lease, NewClaim, Reader, Refusal, Submission};
use synod_types::*;

/// One claim, and how tests speak about it.
pub struct Case {
    pub claims: Claims,
    pub id: String,
}

pub fn new_claim(protocol: &str) -> NewClaim {
    let title = format!("Claim {}", uuid::Uuid::new_v4().simple());
    NewClaim { title, body: "Crows plan ahead.".into(), protocol: Some(protocol.to_owned()), ..NewClaim::default() }
}

/// What passes for prose, with a confidence.
pub fn says(output: &str, confidence: f64) -> Submission {
    Submission { output: output.to_owned(), confidence: Some(confidence), ..Submission::default() }
}

pub fn says_with(output: &str, confidence: f64, structured: Value) -> Submission {
    Submission { structured_output: Some(structured), ..says(output, confidence) }
}

/// The agent that fills this place: another one for each place of a layer.
pub fn agent_of(slot: &Slot) -> Agent {
    agent(&format!("{}-{}", slot.slot_type.as_str(), slot.ordinal))
}

/// Something that fits a stage's schema, if it has one.
pub fn fitting(stage: &ProtocolStage) -> Option<Value> {
    let example = |schema: &Value| match schema["type"].as_str() {
        Some("array") => json!(["one thing"]),
        _ => schema["enum"].get(0).cloned().unwrap_or_else(|| json!("something")),
    };
    let properties = stage.output_schema.as_ref()?["properties"].as_object()?;
    Some(Value::Object(properties.iter().map(|(name, schema)| (name.clone(), example(schema))).collect()))
}

impl Case {
    pub async fn new(claims: &Claims, protocol: &str) -> Self {
        let claim = claims.create(new_claim(protocol), &Agent::person()).await.expect("a claim");
        Self { claims: claims.clone(), id: claim.id }
    }

    pub async fn view(&self) -> ClaimView {
        self.view_as(&Reader::Reviewer).await
    }

    pub async fn view_as(&self, reader: &Reader) -> ClaimView {
        self.claims.view(&self.id, reader).await.expect("a view")
    }

    pub async fn pipeline(&self) -> Pipeline {
        self.claims.pipeline(&self.id).await.expect("a pipeline")
    }

    /// Layer, attempt, phase and status in one.
    pub async fn place(&self) -> (u32, u32, SlotType, PipelineStatus) {
        let pipeline = self.pipeline().await;
        (pipeline.current_layer, pipeline.attempt, pipeline.current_phase, pipeline.status)
    }

    /// The slots of the phase that is worked now, in the order of their places.
    pub async fn now(&self) -> Vec<Slot> {
        let ClaimView { pipeline, slots, .. } = self.view().await;
        let here = |slot: &Slot| (slot.layer, slot.attempt, slot.slot_type) == (pipeline.current_layer, pipeline.attempt, pipeline.current_phase);
        slots.into_iter().filter(here).collect()
    }

    pub async fn slots(&self, layer: u32, attempt: u32, slot_type: SlotType) -> Vec<Slot> {
        let of = |slot: &Slot| (slot.layer, slot.attempt, slot.slot_type) == (layer, attempt, slot_type);
        self.view().await.slots.into_iter().filter(of).collect()
    }

    pub async fn take(&self, slot: &Slot, by: &Agent) -> ClaimsResult<Lease> {
        self.claims.take(&self.id, &slot.id, by).await
    }

    pub async fn submit(&self, slot: &Slot, by: &Agent, what: Submission) -> ClaimsResult<Pipeline> {
        self.claims.submit(&self.id, &slot.id, by, what).await
    }

    pub async fn fill(&self, slot: &Slot, by: &Agent, what: Submission) -> Pipeline {
        self.take(slot, by).await.unwrap_or_else(|error| panic!("{slot:?}: {error}"));
        self.submit(slot, by, what).await.unwrap_or_else(|error| panic!("{slot:?}: {error}"))
    }

    /// Fills what is open now, each place by an agent of its own.
    pub async fn fill_all(&self, say: impl Fn(&Slot) -> Submission) -> Pipeline {
        let open = self.now().await;
        for slot in open.iter().filter(|slot| slot.status == SlotStatus::Open) {
            self.fill(slot, &agent_of(slot), say(slot)).await;
        }
        self.pipeline().await
    }

    /// Fills the work slots of the layer, with what its schema asks for.
    pub async fn work(&self) {
        let view = self.view().await;
        assert_eq!(view.pipeline.current_phase, SlotType::Work, "{:?}", view.pipeline);
        let structured = view.protocol.stage(view.pipeline.current_layer).and_then(fitting);
        let layer = view.pipeline.current_layer;
        self.fill_all(|slot| Submission { structured_output: structured.clone(), ..says(&format!("work {} of layer {layer}", slot.ordinal), 0.8) })
            .await;
    }

    /// Fills the consensus slots of the layer with these confidences; its work too, if that is still open.
    pub async fn score(&self, confidences: &[f64]) -> Pipeline {
        if self.pipeline().await.current_phase == SlotType::Work {
            self.work().await;
        }
        let view = self.view().await;
        let structured = view.protocol.stage(view.pipeline.current_layer).and_then(fitting);
        assert_eq!(self.now().await.len(), confidences.len(), "a confidence for each seat");
        let score = |slot: &Slot| says(&format!("score {}", slot.ordinal), confidences[slot.ordinal as usize - 1]);
        self.fill_all(|slot| Submission { structured_output: structured.clone(), ..score(slot) }).await
    }

    /// Lets the current layer pass.
    pub async fn pass(&self) -> Pipeline {
        let view = self.view().await;
        let seats = view.protocol.stage(view.pipeline.current_layer).expect("a stage").consensus_count;
        self.score(&vec![0.9; seats as usize]).await
    }

    /// Lets layers pass until this one is open.
    pub async fn pass_to(&self, layer: u32) {
        while self.pipeline().await.current_layer < layer {
            self.pass().await;
        }
    }

    pub async fn flag(&self) -> ClaimFlag {
        self.view().await.open_flag().expect("a flag").clone()
    }

    pub async fn clear(&self, resolution: Resolution, note: Option<&str>) -> ClaimsResult<Pipeline> {
        let flag = self.flag().await;
        self.claims.clear(&self.id, &flag.id, &Agent::person(), resolution, note).await
    }

    pub async fn refused_take(&self, slot: &Slot, by: &Agent) -> Refusal {
        refused(self.take(slot, by).await)
    }
}
