//! Who works: the models of a panel, dealt round so that no model scores what only it wrote while another is free.

use super::WorkOrder;
use super::fill::Assignment;
use crate::app::App;
use crate::error::AppResult;
use crate::panel;
use crate::prepare::Notes;
use crate::request::{PanelChoice, RunRequest};
use synod_claims::Offer;
use synod_types::{ClaimView, Exclusivity, LOCAL, Problem, ProblemCode, Slot, SlotStatus, SlotType, sha256_hex};

pub struct Crew {
    pub models: Vec<String>,
    /// Merges summaries.
    pub light: String,
    pub rehearsal: bool,
}

impl Crew {
    /// The models that an order names, or those of the standing panel.
    pub async fn gather(app: &App, order: &WorkOrder, notes: &mut Notes) -> AppResult<Self> {
        let panel = match (&order.panel, order.models.as_slice()) {
            _ if order.rehearse => PanelChoice::Rehearsal,
            (Some(name), _) => PanelChoice::Named(name.clone()),
            (None, []) => PanelChoice::Standing,
            (None, models) => PanelChoice::Models(models.to_vec()),
        };
        let request = RunRequest { panel, ..RunRequest::default() };
        let named = matches!(request.panel, PanelChoice::Models(_) | PanelChoice::Named(_));
        let detected = if named { None } else { app.detect(order.rehearse).await };
        let chosen = panel::of_request(&request, None, &app.config, detected.as_ref())?;
        if let Some(detected) = detected.as_ref().filter(|_| !order.rehearse) {
            notes.lines.extend(detected.lines.iter().chain(&detected.warnings).cloned());
            notes.nothing_found = detected.rehearsal && !chosen.models.is_empty();
        }
        let mut models = chosen.models;
        models.extend(chosen.chair.clone().filter(|chair| !models.contains(chair)));
        models.dedup();
        let Some(first) = models.first().cloned() else {
            let want = "at least one model";
            return Err(Problem::new("models", "nobody", want).code(ProblemCode::TooFew).into());
        };
        let rehearsal = models.iter().all(|model| model.starts_with("rehearsal/"));
        let light = chosen.light.or(chosen.chair).unwrap_or(first);
        Ok(Self { models, light, rehearsal })
    }

    /// Who fills a slot: the first local agent that the layer leaves free, with the model that has said least in it. `None`: nobody is left.
    pub fn choose(&self, offer: &Offer, view: &ClaimView, assigned: &[&Assignment], failed: &[(String, String)]) -> Option<Assignment> {
        let slot = &offer.slot;
        let here = |other: &&Slot| other.layer == slot.layer && other.attempt == slot.attempt;
        let filled: Vec<&Slot> =
            view.slots.iter().filter(here).filter(|other| matches!(other.status, SlotStatus::Taken | SlotStatus::Done)).collect();
        let apart = view.protocol.exclusivity == Exclusivity::LayerAndType;
        let same_group = |kind: SlotType| !apart || kind == slot.slot_type;
        let pending: Vec<&&Assignment> = assigned.iter().filter(|other| other.claim == slot.claim_id && other.layer == slot.layer).collect();
        let taken = |id: &str| {
            filled.iter().any(|other| same_group(other.slot_type) && other.agent_id.as_deref() == Some(id))
                || pending.iter().any(|other| same_group(other.slot_type) && other.agent == id)
        };
        let number = (1..=view.protocol.agents()).find(|number| !taken(&format!("{LOCAL}-{number}")))?;

        let work: Vec<&str> =
            filled.iter().filter(|other| other.slot_type == SlotType::Work).filter_map(|other| other.agent_model.as_deref()).collect();
        let wrote_all = |model: &str| !work.is_empty() && work.iter().all(|author| *author == model);
        let said = |model: &str| {
            filled.iter().filter(|other| other.agent_model.as_deref() == Some(model)).count()
                + pending.iter().filter(|other| other.model == model).count()
        };
        let scores = slot.slot_type == SlotType::Consensus;
        let model = self.models.iter().filter(|model| !failed.iter().any(|(known, _)| known == *model)).min_by_key(|model| {
            // Equal ones take turns by the slot.
            (scores && wrote_all(model), said(model), sha256_hex(format!("{}:{model}", slot.id)))
        })?;
        let own = scores && wrote_all(model);
        let claim_notice = own.then(|| format!("Layer {} was scored by {model}, which did all of its work: no other model was free.", slot.layer));
        Some(Assignment {
            claim: slot.claim_id.clone(),
            layer: slot.layer,
            slot_type: slot.slot_type,
            agent: format!("{LOCAL}-{number}"),
            number,
            model: model.clone(),
            claim_notice,
        })
    }
}
