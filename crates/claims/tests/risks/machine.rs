//! Layers open one after the other, each effect happens once, and a claim ends with a record.

use crate::support::case::{Case, agent_of, fitting, says, says_with};
use crate::support::{Bed, agent, for_each_engine, refused};
use serde_json::{Value, json};
use synod_claims::{ClaimSettings, DELIBERATION_VERDICT, LOW_CONFIDENCE, Reader, Refusal, Submission, WorkFilter};
use synod_types::*;

use LayerOutcome::{Overridden, Passed};
use PipelineStatus::{Active, Complete, Flagged};
use SlotType::{Consensus, Work};

fn roles(slots: &[Slot]) -> Vec<&str> {
    slots.iter().map(|slot| slot.role.as_str()).collect()
}

#[test]
fn prism_goes_layer_by_layer_to_a_record() {
    for_each_engine(async |bed| {
        let case = Case::new(&bed.claims().await, "prism-v1").await;
        let wanted: [(u32, &[&str], usize); 7] = [
            (1, &["contributor", "contributor"], 2),
            (2, &["critic", "critic"], 2),
            (3, &["supporter", "supporter", "counter"], 2),
            (4, &["critic", "critic", "questioner"], 2),
            (5, &["defender", "answerer"], 2),
            (6, &["critic", "critic", "questioner", "questioner", "supporter", "counter"], 3),
            (7, &[], 3),
        ];
        for (layer, work, seats) in wanted {
            if !work.is_empty() {
                assert_eq!(case.place().await, (layer, 1, Work, Active));
                assert_eq!(roles(&case.now().await), work);
                assert_eq!(case.slots(layer, 1, Consensus).await, [], "no seat before there is anything to score");
                case.work().await;
            }
            assert_eq!(case.place().await, (layer, 1, Consensus, Active));
            assert_eq!(roles(&case.now().await), vec!["consensus"; seats]);
            assert_eq!(case.view().await.claim.domain, if layer <= 2 { CALIBRATING } else { "something" }, "written when layer 2 passes");
            case.pass().await;
        }
        let view = case.view().await;
        assert_eq!((view.pipeline.status, view.slots.len()), (Complete, 34));
        assert_eq!(
            view.layers.iter().map(|layer| (layer.layer, layer.outcome)).collect::<Vec<_>>(),
            (1..=7).map(|n| (n, Passed)).collect::<Vec<_>>()
        );
        assert_eq!(view.layers[1].effect.as_deref(), Some("domain: something"));
        let record = view.record.expect("a record");
        assert_eq!((record.confidence, record.recommendation, record.by_pipeline), (90, Some(Recommendation::Accept), true));
        assert_eq!(record.key_points, ["score 1", "score 2", "score 3"]);
        assert_eq!(record.agent_id.as_deref(), Some("consensus-1"), "the first seat's agent");
        assert!(view.pipeline.completed_at.is_some() && view.pipeline.output_hash.is_some() && view.pipeline.output_hash_v2.is_some());
    });
}

#[test]
fn the_second_score_opens_the_next_layer() {
    for_each_engine(async |bed| {
        let case = Case::new(&bed.claims().await, "prism-v1").await;
        let open = case.now().await;
        case.fill(&open[0], &agent("a"), says("one", 0.2)).await;
        assert_eq!(case.place().await, (1, 1, Work, Active));
        let moved = case.fill(&open[1], &agent("b"), says("two", 0.1)).await;
        assert_eq!(moved.current_phase, Consensus, "whoever submits the last hears of it at once");
        let seats = case.now().await;
        case.fill(&seats[0], &agent("c"), says("fine", 0.9)).await;
        assert_eq!(case.place().await, (1, 1, Consensus, Active));
        let moved = case.fill(&seats[1], &agent("d"), says("less so", 0.6)).await;
        assert_eq!((moved.current_layer, moved.current_phase), (2, Work), "the confidences of work count for nothing");
        assert_eq!(case.view().await.layers[0].avg_confidence, 0.75);
        assert_eq!(roles(&case.now().await), ["critic", "critic"]);
    });
}

#[test]
fn means_are_exact_at_the_threshold() {
    for_each_engine(async |bed| {
        let claims = bed.claims().await;
        for seats in [1, 2, 3] {
            let stage = json!({"layer": 1, "name": "look", "goal": "Look.", "consensusCount": seats, "consensusThreshold": 0.7});
            claims.add_protocol(&json!({"name": format!("seats-{seats}"), "description": "", "stages": [stage]})).await.expect("a protocol");
        }
        let vectors: [(&[f64], bool, f64); 8] = [
            (&[0.7, 0.7, 0.7], true, 0.7),
            (&[0.6, 0.7, 0.8], true, 0.7),
            (&[0.65, 0.75], true, 0.7),
            (&[0.69, 0.70], false, 0.695),
            (&[1.0, 1.0, 0.09], false, 0.696_667),
            (&[0.9], true, 0.9),
            (&[0.7, 0.7, 0.69], false, 0.696_667),
            (&[0.9, 0.6], true, 0.75),
        ];
        for (scores, passes, avg) in vectors {
            let case = Case::new(&claims, &format!("seats-{}", scores.len())).await;
            let pipeline = case.score(scores).await;
            assert_eq!(pipeline.status, if passes { Complete } else { Flagged }, "{scores:?}");
            let view = case.view().await;
            assert!((view.layers[0].avg_confidence - avg).abs() < 1e-6, "{scores:?}: {:?}", view.layers);
            assert_eq!(
                view.flags.iter().map(|flag| (flag.reason.as_str(), flag.threshold)).collect::<Vec<_>>(),
                if passes { vec![] } else { vec![(LOW_CONFIDENCE, 0.7)] }
            );
        }
    });
}

/// Fills layer 2 with these domains: two critics, then two seats.
async fn classify(case: &Case, votes: [(Option<&str>, f64); 4]) -> String {
    case.pass_to(2).await;
    for _ in 0..2 {
        case.fill_all(|slot| {
            let (domain, confidence) = votes[slot.ordinal as usize - 1 + if slot.slot_type == Work { 0 } else { 2 }];
            Submission { structured_output: domain.map(|domain| json!({"domain": domain})), ..says("classified", confidence) }
        })
        .await;
    }
    case.view().await.claim.domain
}

#[test]
fn the_domain_is_voted_by_critics_and_seats_together() {
    for_each_engine(async |bed| {
        let claims = bed.claims().await;
        // Work, work, seat, seat.
        let vectors = [
            ([(Some("law"), 0.7), (Some("ethics"), 0.7), (Some("ethics"), 0.8), (Some("law"), 0.9)], "law"),
            ([(Some("law"), 0.9), (Some("law"), 0.9), (Some("ethics"), 0.8), (Some("ethics"), 0.8)], "ethics"),
            ([(Some("law"), 0.8), (Some("law"), 0.8), (Some("Public Policy"), 0.8), (Some("public-policy"), 0.8)], "public-policy"),
            ([(Some("biology"), 0.8), (Some("law"), 0.8), (Some("!!!"), 0.8), (None, 0.8)], "biology"),
            ([(Some("!!!"), 0.8), (Some("___"), 0.8), (Some("Calibrating"), 0.8), (None, 0.8)], "general"),
        ];
        for (votes, winner) in vectors {
            let case = Case::new(&claims, "prism-v1").await;
            assert_eq!(classify(&case, votes).await, winner, "{votes:?}");
            let view = case.view().await;
            assert_eq!(view.layers[1].effect, Some(format!("domain: {winner}")));
            assert_eq!(view.notices.len(), usize::from(winner == "general"), "a fallback is told");
        }
    });
}

async fn recommend(case: &Case, seats: [(Option<&str>, f64); 3]) -> ConsensusRecord {
    case.pass_to(7).await;
    case.fill_all(|slot| {
        let (word, confidence) = seats[slot.ordinal as usize - 1];
        let output = |word: &str| json!({"summary": format!("It is {word}."), "recommendation": word});
        Submission { structured_output: word.map(output), ..says("final", confidence) }
    })
    .await;
    case.view().await.record.expect("a record")
}

#[test]
fn the_recommendation_is_the_majority_and_careful_when_equal() {
    use Recommendation::{Accept, NeedsMoreEvidence, Reject};
    for_each_engine(async |bed| {
        let claims = bed.claims().await;
        let vectors = [
            ([(Some("accept"), 0.8), (Some("reject"), 0.8), (Some("reject"), 0.8)], Reject, false),
            ([(Some("accept"), 0.8), (Some("reject"), 0.8), (Some("needs-more-evidence"), 0.8)], NeedsMoreEvidence, false),
            ([(Some("accept"), 0.9), (Some("reject"), 0.8), (None, 0.8)], Accept, false),
            ([(Some("accept"), 0.8), (Some("reject"), 0.8), (None, 0.8)], NeedsMoreEvidence, true),
        ];
        for (seats, wanted, split) in vectors {
            let case = Case::new(&claims, "prism-v1").await;
            let record = recommend(&case, seats).await;
            assert_eq!((record.recommendation, record.split_verdict), (Some(wanted), split), "{seats:?}");
            let others = seats.iter().filter(|(word, _)| word.is_some_and(|word| word != wanted.as_str())).count();
            assert_eq!(record.dissent.len(), others, "{:?}", record.dissent);
            assert_eq!(record.summaries.len(), seats.iter().filter(|(word, _)| word.is_some()).count());
        }
    });
}

#[test]
fn lens_ends_without_a_recommendation() {
    for_each_engine(async |bed| {
        let case = Case::new(&bed.claims().await, "lens-v1").await;
        case.pass_to(6).await;
        assert_eq!(case.place().await, (6, 1, Consensus, Active));
        assert_eq!(case.score(&[0.6, 0.6, 0.6]).await.status, Complete);
        let view = case.view().await;
        let record = view.record.expect("a record");
        assert_eq!((record.recommendation, record.split_verdict, record.confidence), (None, false, 60));
        assert_eq!(record.open_questions, ["one thing"]);
        assert_eq!((view.layers.len(), view.claim.domain.as_str()), (6, CALIBRATING), "no layer of it classifies");
    });
}

#[test]
fn one_agent_works_the_solo_protocol_alone() {
    for_each_engine(async |bed| {
        let claims = bed.claims().await;
        let (case, alone) = (Case::new(&claims, "prism-v1-solo").await, agent("alone"));
        let mut filled = 0;
        while case.pipeline().await.status == Active {
            let offers = claims.offers(&alone, &WorkFilter::default()).await.expect("offers");
            let offer = offers.first().expect("there is always something for it");
            let lease = claims.take(&offer.claim.id, &offer.slot.id, &alone).await.expect("taken");
            let stage = case.view().await.protocol.stage(lease.slot.layer).cloned().expect("a stage");
            case.submit(&lease.slot, &alone, Submission { structured_output: fitting(&stage), ..says("mine", 0.5) }).await.expect("submitted");
            filled += 1;
        }
        assert_eq!((filled, case.pipeline().await.status), (13, Complete));
    });
}

#[test]
fn one_agent_has_one_slot_of_a_layer() {
    for_each_engine(async |bed| {
        let claims = bed.claims().await;
        let me = agent("me");
        let case = Case::new(&claims, "prism-v1").await;
        case.pass_to(3).await;
        let open = case.now().await;
        case.take(&open[0], &me).await.expect("a supporter's slot");
        assert!(matches!(case.refused_take(&open[2], &me).await, Refusal::SlotConflict(_)), "the counter's");
        assert!(matches!(case.refused_take(&open[0], &me).await, Refusal::SlotConflict(_)), "nor the same again");
        case.submit(&open[0], &me, says("evidence", 0.9)).await.expect("submitted");
        case.work().await;
        let seats = case.now().await;
        assert!(matches!(case.refused_take(&seats[0], &me).await, Refusal::SlotConflict(_)), "nobody scores their own work");
        assert!(!claims.peek(&me, &WorkFilter::default()).await.expect("a look"), "and is offered nothing");
        case.pass().await;
        case.take(&case.now().await[0], &me).await.expect("the next layer is open to all");

        let solo = Case::new(&claims, "prism-v1-solo").await;
        solo.fill(&solo.now().await[0], &me, says("work", 0.9)).await;
        solo.take(&solo.now().await[0], &me).await.expect("by layer and type it may");
    });
}

#[test]
fn keys_of_one_owner_count_as_one_where_the_protocol_says_so() {
    for_each_engine(async |bed| {
        let claims = bed.claims().await;
        let stage = json!({"layer": 1, "name": "look", "goal": "Look.", "workerSlots": [{"role": "looker", "count": 2}], "consensusCount": 1, "consensusThreshold": 0.5});
        claims.add_protocol(&json!({"name": "owners", "description": "", "exclusivityScope": "owner", "stages": [stage]})).await.expect("kept");
        let case = Case::new(&claims, "owners").await;
        let keys = ["first", "second"].map(|id| synod_claims::Agent::key(id, "one owner"));
        let open = case.now().await;
        case.take(&open[0], &keys[0]).await.expect("taken");
        assert!(matches!(case.refused_take(&open[1], &keys[1]).await, Refusal::SlotConflict(_)));
        assert_eq!(claims.offers(&keys[1], &WorkFilter::default()).await.expect("offers"), []);
        case.take(&open[1], &agent("another")).await.expect("of another owner");
    });
}

/// Works layer 6 so that all say `flag`, and none doubts it.
async fn deliberate_flag(case: &Case) -> Pipeline {
    case.pass_to(6).await;
    let verdict = |_: &Slot| says_with("look again", 0.9, json!({"verdict": "flag", "caveats": ["thin evidence"]}));
    case.fill_all(verdict).await;
    case.fill_all(verdict).await
}

#[test]
fn a_verdict_of_flag_warns_by_default_and_stops_where_it_is_enforced() {
    for_each_engine(async |bed| {
        let advisory = Case::new(&bed.claims().await, "prism-v1").await;
        assert_eq!(deliberate_flag(&advisory).await.current_layer, 7);
        let notices = advisory.view().await.notices;
        assert!(notices.len() == 1 && notices[0].layer == 6, "{notices:?}");
        let seat = &advisory.now().await[0];
        let told = advisory.claims.context(&advisory.id, &seat.id).await.expect("a context");
        assert_eq!(told.notices, [notices[0].text.clone()], "the last layer is told");
        assert_eq!(advisory.pass().await.status, Complete);
        assert_eq!(advisory.view().await.record.expect("a record").open_questions, ["thin evidence"]);

        let enforcing = bed.claims_with(ClaimSettings { enforce_verdict_flag: true, ..ClaimSettings::default() }).await;
        let enforced = Case::new(&enforcing, "prism-v1").await;
        assert_eq!(deliberate_flag(&enforced).await.status, Flagged);
        let flag = enforced.flag().await;
        assert_eq!((flag.layer, flag.reason.as_str()), (6, DELIBERATION_VERDICT));
        assert_eq!(enforced.clear(Resolution::OverridePass, Some("I have looked")).await.expect("cleared").current_layer, 7);
        assert_eq!(enforced.view().await.layers[5].outcome, Overridden);
    });
}

#[test]
fn a_claim_that_is_flagged_or_complete_takes_nothing_more() {
    for_each_engine(async |bed| {
        let claims = bed.claims().await;
        let case = Case::new(&claims, "prism-v1").await;
        case.score(&[0.1, 0.1]).await;
        let view = case.view().await;
        let stranger = agent("stranger");
        for slot in &view.slots {
            assert!(matches!(case.refused_take(slot, &stranger).await, Refusal::SlotNotActive(_)));
            assert_eq!(refused(case.submit(slot, &agent_of(slot), says("again", 0.9)).await), Refusal::SlotDone);
            assert_eq!(refused(case.submit(slot, &stranger, says("again", 0.9)).await), Refusal::Forbidden);
        }
        assert!(!claims.peek(&stranger, &WorkFilter::default()).await.expect("a look"));
        case.clear(Resolution::Close, Some("enough")).await.expect("closed");
        assert!(matches!(case.refused_take(&view.slots[0], &stranger).await, Refusal::SlotNotActive(_)));
        assert_eq!(case.view().await.slots, view.slots, "nothing changed");
    });
}

#[test]
fn slots_of_other_layers_and_other_claims_are_not_taken() {
    for_each_engine(async |bed| {
        let claims = bed.claims().await;
        let (one, other) = (Case::new(&claims, "prism-v1").await, Case::new(&claims, "prism-v1").await);
        let (slot, me) = (one.now().await.remove(0), agent("me"));
        assert_eq!(other.refused_take(&slot, &me).await, Refusal::SlotNotFound(slot.id.clone()), "the slot is of another claim");
        assert_eq!(refused(claims.take("nowhere", &slot.id, &me).await), Refusal::ClaimNotFound("nowhere".into()));
        one.pass().await;
        assert!(matches!(one.refused_take(&slot, &me).await, Refusal::SlotNotActive(_)), "the claim is at another layer");
    });
}

#[test]
fn a_phase_that_was_left_done_is_carried_on_by_the_sweep() {
    for_each_engine(async |bed| {
        let claims = bed.claims().await;
        let case = Case::new(&claims, "prism-v1").await;
        case.fill(&case.now().await[0], &agent("a"), says("one", 0.9)).await;
        // What no process leaves behind: the last slot is done, and the claim has not gone on.
        bed.sql(&format!(
            "UPDATE claim_slots SET status = 'done', agent_id = 'b', output = 'two' WHERE claim_id = '{}' AND status = 'open'",
            case.id
        ))
        .await;
        assert_eq!(case.place().await, (1, 1, Work, Active));
        claims.sweep().await.expect("swept");
        assert_eq!(case.place().await, (1, 1, Consensus, Active));
        claims.sweep().await.expect("swept");
        assert_eq!(case.now().await.len(), 2, "once");
    });
}

/// The first hash, from the tables alone.
async fn hash_of_done(bed: &Bed, claim: &str) -> String {
    use sqlx::Row;
    let sql = "SELECT id, layer, role, slot_type, output, confidence FROM claim_slots WHERE claim_id = $1 AND status = 'done' ORDER BY layer, id";
    let rows = sqlx::query(sql).bind(claim).fetch_all(&mut bed.connect().await).await.expect("slots");
    let row = |row: &sqlx::any::AnyRow| {
        let (id, layer, role): (String, i64, String) = (row.get(0), row.get(1), row.get(2));
        let (kind, output, confidence): (String, String, f64) = (row.get(3), row.get(4), row.get(5));
        json!({"id": id, "layer": layer, "role": role, "slotType": kind, "output": output, "confidence": confidence, "signingAddress": "", "outputSignature": ""})
    };
    format!("0x{}", sha256_hex(Value::Array(rows.iter().map(row).collect()).to_string()))
}

#[test]
fn attempts_that_were_sent_back_enter_no_hash() {
    for_each_engine(async |bed| {
        let case = Case::new(&bed.claims().await, "prism-v1").await;
        case.score(&[0.1, 0.2]).await;
        case.clear(Resolution::RerunLayer, None).await.expect("again");
        case.pass_to(7).await;
        let done = case.pass().await;
        assert_eq!(done.output_hash, Some(hash_of_done(bed, &case.id).await));
        let hashed = bed.number(&format!("SELECT COUNT(*) FROM claim_slots WHERE claim_id = '{}' AND status = 'done'", case.id)).await;
        assert_eq!((hashed, case.view().await.slots.len()), (34, 38), "four are of the first attempt");
    });
}

#[test]
fn what_readers_are_told_of_a_claim_stays_with_it() {
    for_each_engine(async |bed| {
        let case = Case::new(&bed.claims().await, "prism-v1").await;
        case.pass_to(3).await;
        let seat = &case.now().await[0];
        let told = case.claims.context(&case.id, &seat.id).await.expect("a context");
        assert_eq!(told.stage_name, "evidence");
        assert_eq!(told.prior_layers.iter().map(|layer| (layer.layer, layer.avg_confidence)).collect::<Vec<_>>(), [(1, Some(0.9)), (2, Some(0.9))]);
        assert_eq!(told.prior_layers[0].work_outputs, ["work 1 of layer 1", "work 2 of layer 1"]);
        assert_eq!(told.prior_layers[0].consensus_outputs, ["score 1", "score 2"]);
        assert_eq!(told.prior_layers[1].work_outputs[0], "work 1 of layer 2\ndomain: something", "with its fields");
        assert_eq!(case.view_as(&Reader::Anybody).await, case.view().await, "nothing of closed layers is withheld");
    });
}
