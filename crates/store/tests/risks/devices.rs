//! Sign-ins by a code, the same on both engines: one key for one approval, however many ask at once.

use crate::support::for_each_engine;
use synod_store::{DeviceProblem, DeviceRequest, SignedIn};
use synod_types::{AccessKey, KeyLimits, Scope};

fn request(code: &str) -> DeviceRequest {
    DeviceRequest { user_code: code.into(), agent_name: "scout \0".into(), agent_model: Some("m".into()), owner: None }
}

fn key(n: usize) -> AccessKey {
    AccessKey {
        id: format!("key_{n}"),
        owner: String::new(),
        scopes: vec![Scope::Work],
        limits: KeyLimits::default(),
        created_at: 0,
        revoked_at: None,
    }
}

#[test]
fn one_approval_makes_one_key() {
    for_each_engine(async |bed| {
        let (one, two) = (bed.open().await, bed.open().await);
        assert_eq!(one.add_device("a", request("AAAA-2222"), 60_000).await.expect("kept"), Ok(true));
        assert_eq!(two.add_device("b", request("AAAA-2222"), 60_000).await.expect("answered"), Ok(false), "another has this code");
        assert_eq!(two.sign_in("a", key(1), "x").await.expect("answered"), Ok(SignedIn::Pending));
        assert_eq!(two.sign_in("b", key(1), "x").await.expect("answered"), Err(DeviceProblem::Unknown));
        let approved = futures::future::join_all((0..8).map(|n| {
            let store = if n % 2 == 0 { &one } else { &two };
            store.approve_device("AAAA-2222", Some("ada"), "ops")
        }));
        let approved: Vec<_> = approved.await.into_iter().map(|answer| answer.expect("answered")).collect();
        assert_eq!(approved.iter().filter(|answer| answer.is_ok()).count(), 1);
        assert!(approved.iter().flat_map(|answer| answer.as_ref().err()).all(|problem| *problem == DeviceProblem::Approved));
        let asked = futures::future::join_all((0..20).map(|n| {
            let store = if n % 2 == 0 { &one } else { &two };
            async move { store.sign_in("a", key(n), &format!("secret {n}")).await.expect("answered") }
        }));
        let asked = asked.await;
        let got: Vec<&AccessKey> = asked.iter().filter_map(|answer| if let Ok(SignedIn::Key(key)) = answer { Some(key) } else { None }).collect();
        assert_eq!((got.len(), one.keys().await.expect("read").len()), (1, 1));
        assert_eq!(got[0].owner, "ada");
        assert_eq!(asked.iter().filter(|answer| **answer == Err(DeviceProblem::Consumed)).count(), 19);
        assert_eq!(two.approve_device("AAAA-2222", None, "ops").await.expect("answered"), Err(DeviceProblem::Consumed));
        let said = two.device_of(&got[0].id).await.expect("read").expect("it is known");
        assert_eq!((said.agent_name.as_str(), said.agent_model.as_deref()), ("scout \u{fffd}", Some("m")));
        assert_eq!(two.device_of("key_x").await.expect("read"), None);
    });
}

#[test]
fn what_has_run_out_gives_way_and_nothing_else_does() {
    for_each_engine(async |bed| {
        let store = bed.open().await;
        for n in 0..1000 {
            let lasts = if n == 0 { -1 } else { 60_000 };
            assert_eq!(store.add_device(&format!("hash {n}"), request(&format!("code {n}")), lasts).await.expect("kept"), Ok(true));
        }
        assert_eq!(store.sign_in("hash 0", key(1), "x").await.expect("answered"), Err(DeviceProblem::Expired));
        assert_eq!(store.approve_device("code 0", None, "ops").await.expect("answered"), Err(DeviceProblem::Expired));
        assert_eq!(store.add_device("one more", request("one more"), 60_000).await.expect("kept"), Ok(true));
        assert_eq!(store.sign_in("hash 0", key(1), "x").await.expect("answered"), Err(DeviceProblem::Unknown));
        assert_eq!(store.add_device("too many", request("too many"), 60_000).await.expect("answered"), Err(DeviceProblem::Full));
        // A key that was handed out takes no place.
        store.approve_device("code 1", None, "ops").await.expect("answered").expect("approved");
        assert!(matches!(store.sign_in("hash 1", key(1), "x").await.expect("answered"), Ok(SignedIn::Key(_))));
        assert_eq!(store.add_device("now", request("now"), 60_000).await.expect("kept"), Ok(true));
    });
}
