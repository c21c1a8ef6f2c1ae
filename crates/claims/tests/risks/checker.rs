//! A checker that never finds anything proves nothing: rows of real claims, changed in every way that the rules forbid.

use crate::support::case::{Case, says};
use crate::support::rules::{Decided, check, check_progress};
use crate::support::tables::{FlagRow, SlotRow, Tables};
use crate::support::{agent, for_each_engine};
use serde_json::json;
use synod_types::Resolution;

#[test]
fn the_checker_finds_what_is_against_the_rules() {
    for_each_engine(async |bed| {
        let decided = Decided { enforce_verdict_flag: false, points: false };
        let claims = bed.claims().await;
        let case = Case::new(&claims, "prism-v1").await;
        case.score(&[0.1, 0.2]).await;
        case.clear(Resolution::RerunConsensus, None).await.expect("again");
        case.pass_to(7).await;
        case.pass().await;
        let flagged = Case::new(&claims, "lens-v1").await;
        flagged.score(&[0.5, 0.5]).await;
        let active = Case::new(&claims, "prism-v1").await;
        active.fill(&active.now().await[0], &agent("a"), says("one", 0.9)).await;
        let tables = Tables::read(&mut bed.connect().await, bed.sqlite).await;
        assert_eq!(check(&tables, decided), Vec::<String>::new());
        assert_eq!(check_progress(&tables, &tables), Vec::<String>::new());

        let (done, waiting, open) = (case.id.as_str(), flagged.id.as_str(), active.id.as_str());
        type Tamper<'t> = (&'t str, Box<dyn Fn(&mut Tables) + 't>);
        let slot = |claim: &'static str, change: fn(&mut SlotRow)| (claim, change);
        let of = |claim: &str| match claim {
            "done" => done,
            "waiting" => waiting,
            _ => open,
        };
        let mut tampers: Vec<Tamper> = vec![
            ("a second pipeline", Box::new(|t| t.pipelines.push(t.pipelines[0].clone()))),
            (
                "a second flag",
                Box::new(|t| t.flags.push(FlagRow { attempt: 2, ..t.flags.iter().find(|row| row.claim == waiting).expect("a flag").clone() })),
            ),
            ("no flag", Box::new(|t| t.flags.retain(|row| row.claim != waiting))),
            ("a skipped layer", Box::new(|t| t.slots.retain(|row| row.layer != 4))),
            ("a layer that ended twice", Box::new(|t| t.layers.push(t.layers[0].clone()))),
            ("a layer that never ended", Box::new(|t| t.layers.retain(|row| row.layer != 3))),
            ("another mean", Box::new(|t| t.layers.iter_mut().for_each(|row| row.avg += 0.000_1))),
            (
                "a pass that was none",
                Box::new(|t| t.layers.iter_mut().filter(|row| row.claim == waiting).for_each(|row| row.outcome = "passed".into())),
            ),
            ("another domain", Box::new(|t| t.claims.iter_mut().filter(|row| row.id == done).for_each(|row| row.domain = "law".into()))),
            ("two records", Box::new(|t| t.records.push(t.records[0].clone()))),
            ("no record", Box::new(|t| t.records.clear())),
            ("points for nothing", Box::new(|t| t.points.push((done.to_owned(), ("me".into(), "work".into(), "x".into(), 10))))),
            ("two defaults", Box::new(|t| t.protocols.iter_mut().for_each(|row| row.is_default = true))),
            ("two of a name", Box::new(|t| t.protocols.iter_mut().for_each(|row| row.name = "same".into()))),
            ("work on a hidden claim", Box::new(|t| t.claims.iter_mut().filter(|row| row.id == open).for_each(|row| row.hidden_at = Some(1)))),
            (
                "a phase that opened early",
                Box::new(|t| t.pipelines.iter_mut().filter(|row| row.claim == open).for_each(|row| row.phase = "consensus".into())),
            ),
        ];
        let changes = [
            ("another output", slot("done", |slot| slot.output = Some("forged".into()))),
            ("another structure", slot("done", |slot| slot.structured = Some(json!({"forged": true})))),
            ("a score of an old attempt that counts", slot("done", |slot| slot.status = "done".into())),
            ("one agent everywhere", slot("done", |slot| slot.agent = Some("greedy".into()))),
            ("open on a claim that waits", slot("waiting", |slot| slot.status = "open".into())),
            ("all done, and not gone on", slot("open", |slot| slot.status = "done".into())),
            ("an output without an end", slot("open", |slot| slot.status = "taken".into())),
            ("two at one place", slot("open", |slot| slot.ordinal = 1)),
            ("another role", slot("open", |slot| slot.role = "critic".into())),
        ];
        for (name, (claim, change)) in changes {
            tampers.push((name, Box::new(move |t| t.slots.iter_mut().filter(|row| row.claim == of(claim)).for_each(change))));
        }
        for (name, tamper) in tampers {
            let mut tampered = tables.clone();
            tamper(&mut tampered);
            assert_ne!(check(&tampered, decided), Vec::<String>::new(), "{name}");
        }
        let mut back = tables.clone();
        back.slots.iter_mut().for_each(|slot| slot.output = None);
        assert_ne!(check_progress(&tables, &back), Vec::<String>::new());
        back = tables.clone();
        back.pipelines.iter_mut().for_each(|row| row.layer = 0);
        assert_ne!(check_progress(&tables, &back), Vec::<String>::new());
    });
}
