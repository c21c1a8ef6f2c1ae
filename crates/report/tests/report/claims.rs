//! Claims as the pipeline leaves them: in work, flagged and sent back, complete, closed.

use serde_json::{Value, json};
use synod_types::*;

pub const CLAIM: &str = "5e1f0c9a7b3d4e21";
/// 2026-03-01 14:02:09 UTC.
const NOON: Millis = 1_772_373_729_000;

pub fn protocol() -> Protocol {
    let stage = |layer: u32, name: &str, goal: &str, work: Value, seats: u32, effect: Option<&str>| json!({"layer": layer, "name": name, "goal": goal, "workerSlots": work, "consensusCount": seats, "consensusThreshold": 0.7, "effect": effect});
    let two = |role: &str| json!([{"role": role, "count": 2}]);
    let stages = [
        stage(1, "framing", "Settle what the claim really says.", two("contributor"), 2, None),
        stage(2, "classification", "Place the claim in the one broad domain it belongs to.", two("critic"), 2, Some("domain")),
        stage(
            3,
            "evidence",
            "Find the strongest evidence on each side.",
            json!([{"role": "supporter", "count": 1}, {"role": "counter", "count": 1}]),
            2,
            None,
        ),
        stage(4, "synthesis", "Give the final verdict on the claim.", json!([]), 3, None),
    ];
    serde_json::from_value(json!({"name": "four-layers", "description": "Four layers from what is claimed to a recommendation.", "stages": stages}))
        .expect("a protocol")
}

/// A claim at its first layer, with nothing worked.
fn new() -> ClaimView {
    ClaimView {
        claim: Claim {
            id: CLAIM.into(),
            title: "Congestion pricing lowers the number of cars in a city centre for good".into(),
            body: "After a charge is introduced, the number of cars entering the zone falls **and stays lower** for at least five years.\n\n- Exempt vehicles are left out.\n- Changes in population are corrected for.".into(),
            domain: CALIBRATING.into(),
            protocol: "four-layers".into(),
            sources: vec![
                ClaimSource { url: "https://example.org/reports/central-zone-impacts".into(), title: Some("Central zone, sixth annual report".into()) },
                ClaimSource { url: "https://example.net/a".into(), title: None },
            ],
            author_id: "k1".into(),
            author_name: "Ines".into(),
            author_type: AuthorType::Human,
            author_model: None,
            comment_count: 2,
            hidden: false,
            rehearsal: false,
            created_at: NOON,
            updated_at: NOON,
        },
        protocol: protocol(),
        pipeline: Pipeline {
            claim_id: CLAIM.into(),
            protocol_id: "p1".into(),
            current_layer: 1,
            current_phase: SlotType::Work,
            status: PipelineStatus::Active,
            attempt: 1,
            completed_at: None,
            output_hash: None,
            output_hash_v2: None,
            version: 1,
            updated_at: NOON + 60_000,
        },
        layers: Vec::new(),
        slots: Vec::new(),
        flags: Vec::new(),
        record: None,
        notices: Vec::new(),
    }
}

pub fn slot(layer: u32, attempt: u32, kind: SlotType, ordinal: u32, role: &str) -> Slot {
    Slot {
        id: format!("{layer}-{attempt}-{}-{ordinal}", kind.as_str()),
        claim_id: CLAIM.into(),
        layer,
        attempt,
        slot_type: kind,
        ordinal,
        role: role.into(),
        status: SlotStatus::Open,
        agent_id: None,
        owner: None,
        agent_name: None,
        agent_model: None,
        output: None,
        structured_output: None,
        confidence: None,
        notice: None,
        output_signature: None,
        signing_address: None,
        signature: None,
        taken_at: None,
        lease_expires_at: None,
        done_at: None,
        created_at: NOON,
        copied: false,
        run: None,
        withheld: false,
    }
}

fn done(slot: Slot, agent: &str, confidence: Option<f64>, output: &str) -> Slot {
    Slot {
        status: SlotStatus::Done,
        agent_id: Some(agent.into()),
        agent_name: Some(agent.into()),
        agent_model: Some(format!("{agent}-large-2")),
        output: Some(output.into()),
        confidence,
        notice: confidence.is_none().then(|| "No confidence was given.".into()),
        taken_at: Some(NOON + 1_000),
        done_at: Some(NOON + 9_000),
        ..slot
    }
}

fn with(slot: Slot, fields: Value) -> Slot {
    Slot { structured_output: Some(fields), ..slot }
}

fn result(layer: u32, attempt: u32, name: &str, outcome: LayerOutcome, mean: f64, effect: Option<&str>) -> LayerResult {
    LayerResult {
        layer,
        stage_name: name.into(),
        attempt,
        outcome,
        avg_confidence: mean,
        threshold: 0.7,
        effect: effect.map(str::to_owned),
        at: NOON + i64::from(layer) * 60_000,
    }
}

/// The second layer is worked; its first submission is withheld from readers.
pub fn active() -> ClaimView {
    let (work, consensus) = (SlotType::Work, SlotType::Consensus);
    let mut view = new();
    view.pipeline.current_layer = 2;
    view.layers = vec![result(1, 1, "framing", LayerOutcome::Passed, 0.78, None)];
    let signed = done(
        slot(1, 1, work, 1, "contributor"),
        "harbour",
        Some(0.8),
        "## What it says\n\nThe core is *permanence*: a fall that lasts, not one that fades as drivers get used to the charge. It takes for granted that counts before and after are comparable, and it would fail if the fall were gone within five years. See [the counts](https://example.org/counts) for what has been measured so far, by camera and by hand, at every way into the zone, on working days between seven and six.",
    );
    view.slots = vec![
        Slot { signature: Some(SignatureState::Verified), output_signature: Some("c2ln".into()), signing_address: Some("0xpoi_aa".into()), ..signed },
        done(slot(1, 1, work, 2, "contributor"), "lantern", None, "It holds if traffic stays lower against a city without a charge."),
        Slot { run: Some("01hx4".into()), ..done(slot(1, 1, consensus, 1, "consensus"), "quarry", Some(0.82), "Both agree on what would count.") },
        Slot {
            signature: Some(SignatureState::Unverified),
            ..done(slot(1, 1, consensus, 2, "consensus"), "meadow", Some(0.74), "Clear enough to classify; the baseline could be sharper.")
        },
        Slot { withheld: true, output: None, confidence: None, notice: None, ..done(slot(2, 1, work, 1, "critic"), "harbour", Some(0.9), "") },
        Slot {
            status: SlotStatus::Taken,
            agent_id: Some("lantern".into()),
            agent_name: Some("lantern".into()),
            taken_at: Some(NOON + 70_000),
            ..slot(2, 1, work, 2, "critic")
        },
        slot(2, 1, work, 3, "critic"),
    ];
    view
}

/// As far as the second layer, passed.
fn classified() -> ClaimView {
    let (work, consensus) = (SlotType::Work, SlotType::Consensus);
    let mut view = active();
    view.slots.truncate(4);
    let domain = |name: &str| json!({ "domain": name });
    view.slots.extend([
        with(done(slot(2, 1, work, 1, "critic"), "harbour", Some(0.9), "A question of transport policy."), domain("transport-policy")),
        with(done(slot(2, 1, work, 2, "critic"), "lantern", Some(0.7), "Transport, in the main."), domain("transport-policy")),
        with(done(slot(2, 1, consensus, 1, "consensus"), "quarry", Some(0.9), "Agreed."), domain("transport-policy")),
        with(done(slot(2, 1, consensus, 2, "consensus"), "meadow", Some(0.8), "Economics would do as well."), domain("economics")),
    ]);
    view.layers.push(result(2, 1, "classification", LayerOutcome::Passed, 0.85, Some("domain: transport-policy")));
    view.claim.domain = "transport-policy".into();
    view.pipeline.current_layer = 3;
    view
}

fn evidence(attempt: u32, scores: [f64; 2]) -> Vec<Slot> {
    let (work, consensus) = (SlotType::Work, SlotType::Consensus);
    let points =
        json!({"keyPoints": ["Entries fell by 18 per cent in the first year.", "The fall was still there after six."], "strength": "moderate"});
    let supporter = "Camera counts fell in the first year and had not come back after six.\n\n| year | entries |\n|---|---|\n| before | 100 |\n| first | 82 |\n| sixth | 84 |";
    vec![
        with(done(slot(3, attempt, work, 1, "supporter"), "harbour", Some(0.75), supporter), points),
        done(slot(3, attempt, work, 2, "counter"), "lantern", Some(0.6), "Congestion came back to its old level, so fewer cars is not less traffic."),
        done(slot(3, attempt, consensus, 1, "consensus"), "quarry", Some(scores[0]), "The counts are sound; the comparison city is missing."),
        done(slot(3, attempt, consensus, 2, "consensus"), "meadow", Some(scores[1]), "One city is little to generalise from."),
    ]
}

pub fn flagged() -> ClaimView {
    let mut view = classified();
    view.slots.extend(evidence(1, [0.7, 0.699]));
    view.layers.push(result(3, 1, "evidence", LayerOutcome::Flagged, 0.6995, None));
    view.pipeline.current_phase = SlotType::Consensus;
    view.pipeline.status = PipelineStatus::Flagged;
    view.flags = vec![ClaimFlag {
        id: "f1".into(),
        claim_id: CLAIM.into(),
        layer: 3,
        attempt: 1,
        reason: "low_consensus_confidence".into(),
        avg_confidence: 0.6995,
        threshold: 0.7,
        created_at: NOON + 200_000,
        cleared_at: None,
        cleared_by: None,
        resolution: None,
        note: None,
    }];
    view
}

/// The flagged layer was sent back and has passed; the last one is scored.
pub fn rerun() -> ClaimView {
    let mut view = flagged();
    for slot in view.slots.iter_mut().filter(|slot| slot.layer == 3) {
        slot.status = SlotStatus::Superseded;
    }
    let flag = &mut view.flags[0];
    flag.cleared_at = Some(NOON + 300_000);
    flag.cleared_by = Some("Ines".into());
    flag.resolution = Some(Resolution::RerunConsensus);
    flag.note = Some("The comparison city is in the second source; please score it with that.".into());
    let mut again = evidence(2, [0.8, 0.76]);
    again.iter_mut().filter(|slot| slot.slot_type == SlotType::Work).for_each(|slot| slot.copied = true);
    view.slots.extend(again);
    view.layers.push(result(3, 2, "evidence", LayerOutcome::Passed, 0.78, None));
    view.pipeline = Pipeline { status: PipelineStatus::Active, current_layer: 4, attempt: 1, ..view.pipeline };
    view.slots.extend((1..=3).map(|ordinal| slot(4, 1, SlotType::Consensus, ordinal, "consensus")));
    view
}

pub fn complete() -> ClaimView {
    let mut view = rerun();
    view.slots.truncate(view.slots.len() - 3);
    let said = [
        ("quarry", 0.82, "accept-with-caveats", "The fall is real and lasts where the charge keeps pace with incomes."),
        ("meadow", 0.74, "accept-with-caveats", "Lower entries are well shown for one city, and likely elsewhere."),
        ("harbour", 0.7, "reject", "Two cities over six years do not show a change for good: both raised the charge in that time."),
    ];
    for (i, (agent, score, recommendation, summary)) in said.iter().enumerate() {
        let seat = done(slot(4, 1, SlotType::Consensus, i as u32 + 1, "consensus"), agent, Some(*score), summary);
        view.slots.push(with(seat, json!({"summary": summary, "recommendation": recommendation})));
    }
    let prose: Vec<String> = said.iter().map(|(_, _, _, summary)| (*summary).to_owned()).collect();
    view.layers.push(result(4, 1, "synthesis", LayerOutcome::Passed, 0.7533, None));
    view.record = Some(ConsensusRecord {
        id: "r2".into(),
        claim_id: CLAIM.into(),
        summary: "Charges lower the number of cars entering a zone, and the fall has lasted for six years where it was measured. It rests on two cities, and on a charge that rose with incomes.".into(),
        summaries: prose.clone(),
        key_points: prose,
        dissent: vec![format!("harbour says reject: {}", said[2].3)],
        open_questions: vec!["Does the fall last where the charge is not raised?".into(), "Counts leave out exempt vehicles.".into()],
        confidence: 75,
        recommendation: Some(Recommendation::AcceptWithCaveats),
        split_verdict: false,
        merged: true,
        by_pipeline: true,
        agent_id: Some("quarry".into()),
        agent_name: Some("quarry".into()),
        agent_model: Some("small-merger-1".into()),
        created_at: NOON + 500_000,
    });
    view.pipeline = Pipeline {
        status: PipelineStatus::Complete,
        current_phase: SlotType::Consensus,
        completed_at: Some(NOON + 500_000),
        updated_at: NOON + 500_000,
        output_hash: Some(format!("0x{}", "ed7c5cb4".repeat(8))),
        output_hash_v2: Some(format!("0x{}", "fac88995".repeat(8))),
        ..view.pipeline
    };
    view.notices = vec![ClaimNotice {
        layer: 3,
        attempt: 2,
        text: "The deliberation would have a person look at this claim before a verdict is written.".into(),
        at: NOON + 400_000,
    }];
    view
}

/// A person gave up on it at the third layer. Nobody but built-in voices had worked it.
pub fn closed() -> ClaimView {
    let mut view = flagged();
    view.claim.rehearsal = true;
    let last = view.layers.len() - 1;
    view.layers[last].outcome = LayerOutcome::Closed;
    let note = "No second city has been counted yet.";
    let flag = &mut view.flags[0];
    flag.cleared_at = Some(NOON + 300_000);
    flag.cleared_by = Some("Ines".into());
    flag.resolution = Some(Resolution::Close);
    flag.note = Some(note.into());
    let summary = format!("Closed at layer 3, evidence: {note}");
    let whole = complete();
    view.record = whole.record.map(|record| ConsensusRecord {
        summaries: vec![summary.clone()],
        summary,
        key_points: Vec::new(),
        dissent: Vec::new(),
        open_questions: Vec::new(),
        confidence: 70,
        recommendation: Some(Recommendation::NeedsMoreEvidence),
        agent_name: Some("Ines".into()),
        agent_model: None,
        ..record
    });
    view.pipeline = Pipeline { current_layer: 3, ..whole.pipeline };
    view
}
