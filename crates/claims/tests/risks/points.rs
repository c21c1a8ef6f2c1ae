//! Points are earned by what passes, when it passes, and once.

use crate::support::case::{Case, agent_of, says};
use crate::support::{agent, for_each_engine};
use synod_claims::{ClaimSettings, Claims};
use synod_types::*;

fn on() -> ClaimSettings {
    ClaimSettings { points: true, ..ClaimSettings::default() }
}

async fn balance(claims: &Claims, name: &str) -> i64 {
    claims.balance(&agent(name).owner).await.expect("a balance")
}

#[test]
fn nothing_is_earned_while_they_are_off() {
    for_each_engine(async |bed| {
        let case = Case::new(&bed.claims().await, "prism-v1").await;
        case.pass_to(7).await;
        case.pass().await;
        assert_eq!(bed.number("SELECT COUNT(*) FROM claim_points").await, 0);
        assert_eq!(case.claims.leaderboard(50).await.expect("a list").users, []);
    });
}

#[test]
fn a_layer_pays_when_it_passes_and_not_before() {
    for_each_engine(async |bed| {
        let claims = bed.claims_with(on()).await;
        let case = Case::new(&claims, "prism-v1").await;
        case.work().await;
        assert_eq!(balance(&claims, "work-1").await, 0);
        case.score(&[0.1, 0.2]).await;
        assert_eq!(bed.number("SELECT COUNT(*) FROM claim_points").await, 0, "what falls short earns nothing");
        case.clear(Resolution::RerunConsensus, None).await.expect("cleared");
        case.pass().await;
        assert_eq!((balance(&claims, "work-1").await, balance(&claims, "consensus-1").await), (30, 5), "once, though scored twice");
        claims.sweep().await.expect("swept");
        assert_eq!((balance(&claims, "work-1").await, balance(&claims, "consensus-1").await), (30, 5));
        case.pass_to(7).await;
        assert_eq!(case.pass().await.status, PipelineStatus::Complete);
        // Six layers with a first worker; seven with a first and second seat, two with a third.
        assert_eq!(balance(&claims, "work-1").await, 6 * 30 + 50);
        assert_eq!(balance(&claims, "consensus-1").await, 7 * 5 + 50);
        assert_eq!(balance(&claims, "consensus-3").await, 2 * 5 + 50);
        let users = claims.leaderboard(50).await.expect("a list").users;
        assert_eq!((users.len(), users[0].rank, users[0].points), (9, 1, 230));
        assert!(users.windows(2).all(|pair| pair[0].points >= pair[1].points));
    });
}

#[test]
fn an_owner_of_many_keys_has_the_bonus_of_a_layer_once() {
    for_each_engine(async |bed| {
        let claims = bed.claims_with(on()).await;
        let case = Case::new(&claims, "prism-v1").await;
        let mut open = case.now().await;
        for n in 0..2 {
            for slot in &open {
                let by = synod_claims::Agent::key(&format!("{n}/{}", slot.ordinal), "one owner");
                case.fill(slot, &by, says("mine", 0.9)).await;
            }
            open = case.now().await;
        }
        assert_eq!(claims.balance("one owner").await.expect("a balance"), 10 + 10 + 20 + 5 + 5);
    });
}

#[test]
fn a_claim_that_was_closed_pays_only_for_what_passed() {
    for_each_engine(async |bed| {
        let claims = bed.claims_with(on()).await;
        let case = Case::new(&claims, "prism-v1").await;
        case.pass().await;
        case.score(&[0.1, 0.1]).await;
        case.clear(Resolution::Close, Some("No.")).await.expect("closed");
        assert_eq!((balance(&claims, "work-1").await, balance(&claims, "consensus-1").await), (30, 5));
    });
}

#[test]
fn models_are_listed_by_how_their_submissions_fared() {
    for_each_engine(async |bed| {
        let claims = bed.claims().await;
        let case = Case::new(&claims, "prism-v1").await;
        assert_eq!(claims.leaderboard(50).await.expect("a list").models, []);
        for scores in [[0.1, 0.2], [0.8, 0.9]] {
            case.work().await;
            for slot in case.now().await {
                let by = synod_claims::Agent { model: Some("sharp".into()), ..agent_of(&slot) };
                case.fill(&slot, &by, says("scored", scores[slot.ordinal as usize - 1])).await;
            }
            if case.pipeline().await.status == PipelineStatus::Flagged {
                case.clear(Resolution::RerunLayer, None).await.expect("cleared");
            }
        }
        let models = claims.leaderboard(50).await.expect("a list").models;
        let sharp = models.iter().find(|model| model.model == "sharp").expect("listed");
        assert_eq!((sharp.slots_done, sharp.pass_rate), (4, Some(0.5)));
        assert!(sharp.mean_confidence_error.is_some_and(|error| (error - 0.05).abs() < 1e-9), "{sharp:?}");
        assert!(models.iter().any(|model| model.model == "unnamed" && model.slots_done == 4));
    });
}
