//! Money: a run stops before the call that could break its budget, and goes on when it is given more.

use crate::ended;
use std::sync::Arc;
use synod_engine::{LimitChanges, Mode, RunSpec};
use synod_testkit::counted::CountedModels;
use synod_testkit::rig::{Rig, order, stopped};
use synod_testkit::shuffled::ShuffledModels;
use synod_testkit::voices::Voices;
use synod_types::{Body, Ledger, Price, Row, StopReason};

fn committed(rows: &[Row]) -> f64 {
    Ledger::of(rows).committed()
}

/// The least a run needs when its calls come one after another: what earlier ones cost, and what the next one sets aside. Where the dear
/// calls come first that is soon over, so neither the largest reserve nor the sum spent tells.
fn peak(rows: &[Row]) -> f64 {
    let mut before = 0.0;
    let mut peak: f64 = 0.0;
    for row in rows {
        let Ok(Body::Asked(asked)) = row.body() else { continue };
        peak = peak.max(before + asked.reserved_usd.unwrap_or_default());
        let own: Vec<Row> = rows.iter().filter(|other| other.key == row.key).cloned().collect();
        before += committed(&own);
    }
    peak
}

every_mode!(
    #[tokio::test]
    a_run_stops_before_the_call_that_would_break_its_budget_and_goes_on_with_more
);
async fn a_run_stops_before_the_call_that_would_break_its_budget_and_goes_on_with_more(mode: &'static Mode) {
    let price = Price { input: 3.0, cached_input: None, output: 15.0 };
    let models = Arc::new(Voices::default().priced(price));
    let calm = Rig::new(models.clone());
    let (run, ending) = calm.run(&order(mode, 9)).await;
    let want = ended(&calm, &run, ending, mode.id).await;
    let rows = calm.rows(&run).await;
    let reserved: Vec<f64> = rows
        .iter()
        .filter_map(|row| match row.body() {
            Ok(Body::Asked(asked)) => asked.reserved_usd,
            _ => None,
        })
        .collect();
    let largest = reserved.iter().copied().fold(0.0, f64::max);
    let spent = want.receipt.spent_usd.expect("every seat is priced");
    assert!(spent > 0.0 && spent < reserved.iter().sum::<f64>(), "{}: {spent}", mode.id);
    let peak = peak(&rows);
    let runner = calm.runner();
    let plan = runner.plan(&order(mode, 9)).await.unwrap_or_else(|problems| panic!("{}: {problems}", mode.id));
    let least = runner.quote(&plan).usd.expect("every seat is priced").min;
    let too_little = RunSpec { budget_usd: Some(least * 0.99), ..order(mode, 9) };
    let refused = runner.plan(&too_little).await.err().unwrap_or_else(|| panic!("{}: less than the least is accepted", mode.id));
    assert!(refused.0.len() == 1 && refused.0[0].field == "budget" && refused.0[0].want.starts_with('$'), "{}: {refused}", mode.id);
    for share in [0.0, 0.4, 0.95] {
        let budget = (peak * share).max(least);
        let step = format!("{} with a budget of {budget:.5}", mode.id);
        let counted = Arc::new(CountedModels::new(Arc::new(ShuffledModels::new(models.clone(), 3))));
        let rig = Rig::new(counted.clone());
        let mut order = order(mode, 9);
        order.budget_usd = Some(budget);
        let (run, ending) = rig.run(&order).await;
        let halt = stopped(ending);
        assert_eq!(halt.reason, StopReason::Budget, "{step}: {}", halt.detail);
        assert!(matches!(halt.action, synod_types::Action::RaiseBudget { .. }), "{step}: {:?}", halt.action);
        assert!(committed(&rig.rows(&run).await) <= budget + 1e-9, "{step}: {} is committed", committed(&rig.rows(&run).await));
        let before = counted.calls();
        let more = LimitChanges { budget_usd: Some(spent + largest + 0.01), ..LimitChanges::default() };
        let ending = rig.resume(&run, more).await;
        let got = ended(&rig, &run, ending, &step).await;
        assert_eq!(got.essence(), want.essence(), "{step}: another verdict");
        let after = counted.calls();
        assert!(before.keys().all(|key| after[key] == before[key]), "{step}: paid twice");
    }
}
