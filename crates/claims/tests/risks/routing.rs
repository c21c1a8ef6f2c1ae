//! A claim whose protocol is `auto` is put under the one that its classifiers choose, and under a sound one if they choose none.

use crate::support::case::{Case, says, says_with};
use crate::support::for_each_engine;
use serde_json::json;
use synod_claims::{Agent, ClaimSettings, NewClaim, Submission};
use synod_types::*;

use PipelineStatus::Active;
use SlotType::{Consensus, Work};

/// The protocol and the domain that each of three classifiers names.
type Votes = [Option<(&'static str, &'static str)>; 3];

/// What three classifiers say, and three seats who believe them; the seats name something else, which is not asked for.
async fn classify(case: &Case, votes: Votes) -> ClaimView {
    assert_eq!(case.place().await, (0, 1, Work, Active));
    case.fill_all(|slot| {
        let vote = votes[slot.ordinal as usize - 1].map(|(protocol, domain)| json!({"protocol": protocol, "domain": domain}));
        Submission { structured_output: vote, ..says("classified", 0.8) }
    })
    .await;
    assert_eq!(case.place().await, (0, 1, Consensus, Active));
    case.fill_all(|_| says_with("believed", 0.5, json!({"protocol": "prism-v1-solo", "domain": "noise"}))).await;
    case.view().await
}

#[test]
fn classifiers_choose_the_protocol_and_the_domain() {
    for_each_engine(async |bed| {
        let case = Case::new(&bed.claims().await, "auto").await;
        assert_eq!(case.view().await.claim.protocol, "meta-v1");
        let view = classify(&case, [Some(("lens-v1", "Urban Planning")), Some(("prism-v1", "law")), Some(("lens-v1", "urban-planning"))]).await;
        assert_eq!((view.claim.protocol.as_str(), view.protocol.name.as_str()), ("lens-v1", "lens-v1"));
        assert_eq!(view.claim.domain, "urban-planning");
        assert_eq!(case.place().await, (1, 1, Work, Active), "at the first layer of it");
        assert_eq!(case.now().await.iter().map(|slot| slot.role.as_str()).collect::<Vec<_>>(), ["framer", "framer"]);
        assert_eq!(
            view.layers.iter().map(|layer| (layer.layer, layer.effect.clone())).collect::<Vec<_>>(),
            [(0, Some("protocol: lens-v1, domain: urban-planning".to_owned()))]
        );
        assert_eq!(view.notices, []);
        let told = case.claims.context(&case.id, &case.now().await[0].id).await.expect("a context");
        assert_eq!((told.prior_layers.len(), told.prior_layers[0].stage_name.as_str()), (1, "meta-classify"));
        case.pass_to(6).await;
        assert_eq!(case.pass().await.status, PipelineStatus::Complete);
        assert_eq!(case.view().await.claim.domain, "urban-planning");
    });
}

#[test]
fn what_is_unknown_goes_to_the_default_and_readers_are_told() {
    for_each_engine(async |bed| {
        let claims = bed.claims().await;
        let vectors: [(Votes, &str, &str, bool); 5] = [
            ([Some(("prism-v9", "law")), Some(("prism-v9", "law")), Some(("made-up", "law"))], "prism-v1", "law", true),
            ([None, None, None], "prism-v1", "general", true),
            // To route to what routes would never end.
            ([Some(("meta-v1", "!!!")), Some(("meta-v1", "!!!")), Some(("auto", "!!!"))], "prism-v1", "general", true),
            ([Some(("prism-v9", "law")), Some(("prism-v9", "law")), Some((" lens-v1 ", "art"))], "lens-v1", "law", false),
            ([None, Some(("prism-v1-solo", "calibrating")), None], "prism-v1-solo", "general", false),
        ];
        for (votes, protocol, domain, told) in vectors {
            let case = Case::new(&claims, "auto").await;
            let view = classify(&case, votes).await;
            assert_eq!((view.claim.protocol.as_str(), view.claim.domain.as_str()), (protocol, domain), "{votes:?}");
            assert_eq!(view.notices.len(), usize::from(told), "{votes:?}: {:?}", view.notices);
            assert_eq!(case.place().await, (1, 1, Work, Active));
            case.pass().await;
            assert_eq!(case.place().await, (2, 1, Work, Active), "and it can be worked");
        }
    });
}

#[test]
fn a_default_that_routes_does_not_route_in_a_circle() {
    for_each_engine(async |bed| {
        for default in ["meta-v1", "auto"] {
            let claims = bed.claims_with(ClaimSettings { default_protocol: default.into(), ..ClaimSettings::default() }).await;
            let new = NewClaim { title: format!("Routed by {default}"), body: "By default.".into(), ..NewClaim::default() };
            let id = claims.create(new, &Agent::person()).await.expect("a claim").id;
            let case = Case { claims, id };
            assert_eq!(case.view().await.claim.protocol, "meta-v1");
            let view = classify(&case, [None, None, None]).await;
            assert_eq!((view.claim.protocol.as_str(), view.notices.len()), ("prism-v1", 1));
            assert_eq!(case.place().await, (1, 1, Work, Active));
        }
    });
}

#[test]
fn a_routing_that_nobody_believes_waits_for_a_person() {
    for_each_engine(async |bed| {
        let case = Case::new(&bed.claims().await, "auto").await;
        case.fill_all(|_| says_with("classified", 0.8, json!({"protocol": "lens-v1", "domain": "art"}))).await;
        case.fill_all(|_| says("no", 0.4)).await;
        assert_eq!(case.place().await, (0, 1, Consensus, PipelineStatus::Flagged));
        assert_eq!(case.view().await.claim.protocol, "meta-v1");
        case.clear(Resolution::OverridePass, Some("It is an open question.")).await.expect("cleared");
        let view = case.view().await;
        assert_eq!((view.claim.protocol.as_str(), view.claim.domain.as_str()), ("lens-v1", "art"));
        assert_eq!(case.place().await, (1, 1, Work, Active));
    });
}
