//! Panelists hear numbers and never each other, an outage is no opinion, and a panel settles by the measure of its kind.

use serde_json::{Value, json};
use std::sync::Arc;
use synod_engine::{RunSpec, options::OptionValue};
use synod_modes::delphi::MODE;
use synod_testkit::counted::CountedModels;
use synod_testkit::rig::{Rig, order, verdict};
use synod_testkit::voices::Voices;
use synod_types::{Absent, AnswerKind, Body, Failure, FailureKind, Reply, Row, Status, Verdict, seat_of};

/// An order for so many panelists with these options.
fn put(panel: usize, options: &[(&str, &str)]) -> RunSpec {
    let mut order = order(&MODE, 3);
    order.panel.models = (0..panel).map(|n| format!("m{n}")).collect();
    order.options = options.iter().map(|(name, value)| ((*name).to_owned(), OptionValue::Text((*value).to_owned()))).collect();
    order
}

fn down() -> Failure {
    Failure::new(FailureKind::Server, "the provider is down")
}

/// Panelists say these values, the same in every round; the calls fail that `fails` says so of.
fn saying(values: &'static [f64], fails: impl Fn(&str) -> bool + Send + Sync + 'static) -> Voices {
    Voices::default().scripted(move |_, _, context| {
        let key = context.key.as_str();
        if fails(key) {
            return Some(Err(down()));
        }
        let seat = seat_of(key).filter(|_| key.contains("/estimate@"))?;
        let said = json!({"reasons": format!("private words of panelist {seat}"), "estimate": values[seat as usize], "confidence": "MEDIUM"});
        Some(Ok(Reply::text(said.to_string())))
    })
}

async fn run(models: Voices, order: &RunSpec) -> (Verdict, Vec<Row>, Arc<CountedModels>) {
    let counted = Arc::new(CountedModels::new(Arc::new(models)));
    let rig = Rig::new(counted.clone());
    let (run, ending) = rig.run(order).await;
    (verdict(ending), rig.rows(&run).await, counted)
}

fn heard(counted: &CountedModels, key: &str) -> String {
    let requests = counted.requests();
    let (_, request) = requests.iter().find(|(asked, _)| asked == key).unwrap_or_else(|| panic!("{key} was not asked"));
    request.messages.iter().map(|message| message.text().to_owned()).collect::<Vec<_>>().join("\n")
}

fn shown(rows: &[Row], stage: &str) -> Vec<Value> {
    let of_stage = rows.iter().filter_map(|row| match row.body() {
        Ok(Body::Shown(shown)) if shown.stage == stage => shown.exhibit.row(),
        _ => None,
    });
    of_stage.collect()
}

#[tokio::test]
async fn a_panelist_hears_its_own_words_and_of_the_others_only_numbers() {
    let (verdict, _, counted) = run(saying(&[10.0, 10.0, 11.0, 12.0, 40.0], |_| false), &put(5, &[("unit", "days")])).await;
    assert_eq!((verdict.status, verdict.stop_reason.as_str()), (Status::Full, "max_rounds"), "{verdict:?}");
    let first = heard(&counted, "round 1/estimate@0");
    assert!(!first.contains("median") && first.contains("in this unit: days"), "{first}");
    for seat in 0..5 {
        let told = heard(&counted, &format!("round 2/estimate@{seat}"));
        for other in 0..5 {
            assert_eq!(told.contains(&format!("private words of panelist {other}")), seat == other, "{told}");
        }
        assert!(told.contains("median 11; the middle half from 10 to 12; all of them from 10 to 40"), "{told}");
        assert_eq!(told.contains("stood apart"), seat == 4, "only who stands apart is asked why: {told}");
    }
    let report = heard(&counted, "synthesis/synthesis@5");
    for seat in 0..5 {
        assert!(report.contains(&format!("private words of panelist {seat}")), "{report}");
        assert!(!report.contains(&format!("m{seat}")), "reasons come without names: {report}");
    }
    assert_eq!(report.matches("stands apart").count(), 1, "{report}");
    assert!(report.contains("11 days, the median of 5 panelists; the middle half lies between 10 and 12"), "{report}");
    assert_eq!(verdict.dissent.iter().filter_map(|dissent| dissent.seat).collect::<Vec<_>>(), [4]);
    let decision = verdict.decision.expect("a decision");
    assert_eq!((&decision["value"], &decision["interval"]), (&json!(11.0), &json!({"low": 10.0, "high": 12.0})));
}

#[tokio::test]
async fn an_outage_is_not_counted_as_a_held_opinion() {
    // Of three one fails: too few are left, and the first round stands.
    let (verdict, rows, _) = run(saying(&[10.0, 20.0, 30.0], |key| key == "round 2/estimate@2"), &put(3, &[("unit", "days")])).await;
    assert_eq!((verdict.status, verdict.stop_reason.as_str()), (Status::Degraded, "too_few"));
    let decision = verdict.decision.expect("a decision");
    assert_eq!((&decision["rounds"], &decision["settled"], &decision["value"]), (&json!(1), &json!(false), &json!(20.0)));
    assert!(verdict.warnings.iter().any(|warning| warning.contains("round 1 stands")), "{:?}", verdict.warnings);
    let second = shown(&rows, "round_2");
    assert!(second.len() == 3 && second.iter().all(|row| row["counted"] == json!(false)), "what was said is kept, and not counted: {second:?}");
    let absent: Vec<bool> = second.iter().map(|row| row["error"].is_string()).collect();
    assert_eq!(absent, [false, false, true], "{second:?}");
    assert!(shown(&rows, "round_2_stats").is_empty());

    // Of four one fails: the others go on without it, and it is not asked again.
    let (verdict, rows, counted) = run(saying(&[10.0, 20.0, 30.0, 90.0], |key| key == "round 2/estimate@3"), &put(4, &[("unit", "days")])).await;
    assert_eq!((verdict.status, verdict.stop_reason.as_str()), (Status::Degraded, "max_rounds"));
    assert_eq!(shown(&rows, "round_1_stats")[0]["max"], json!(90.0));
    assert_eq!(shown(&rows, "round_2_stats")[0]["max"], json!(30.0));
    assert!(!counted.requests().iter().any(|(key, _)| key == "round 3/estimate@3"));
}

#[tokio::test]
async fn a_panel_at_one_still_sees_its_distribution_once_unless_told_otherwise() {
    for (least, rounds) in [("2", 2), ("1", 1)] {
        let options = [("unit", "days"), ("min_rounds", least)];
        let (verdict, rows, _) = run(saying(&[10.0, 10.0, 10.0], |_| false), &put(3, &options)).await;
        assert_eq!((verdict.status, verdict.stop_reason.as_str()), (Status::Full, "settled"));
        assert_eq!(verdict.decision.expect("a decision")["rounds"], json!(rounds));
        assert_eq!(shown(&rows, "trajectory")[0]["convergenceRound"], json!(rounds));
    }
}

#[tokio::test]
async fn years_far_apart_do_not_settle_and_zero_is_no_agreement() {
    let years = run(saying(&[2027.0, 2030.0, 2035.0, 2040.0], |_| false), &put(4, &[("question_type", "year"), ("max_rounds", "2")])).await;
    assert_eq!(years.0.stop_reason, "max_rounds");
    assert_eq!(shown(&years.1, "round_1_stats")[0]["converged"], json!(false));
    let around_zero = run(saying(&[-5.0, 0.0, 5.0], |_| false), &put(3, &[("unit", "points"), ("max_rounds", "2")])).await;
    assert_eq!(around_zero.0.stop_reason, "max_rounds");
    assert_eq!(shown(&around_zero.1, "round_1_stats")[0]["cv"], json!(null));
}

#[tokio::test]
async fn without_a_writer_the_computed_result_is_the_answer() {
    // Only the facilitator is down: a panelist who could write would be reporting on its own answer.
    let (verdict, rows, counted) = run(saying(&[10.0, 11.0, 12.0], |key| key == "synthesis/synthesis@3"), &put(3, &[("unit", "days")])).await;
    assert!(!counted.requests().iter().any(|(key, _)| key.starts_with("synthesis/") && key != "synthesis/synthesis@3"));
    assert_eq!(verdict.status, Status::Degraded);
    let answer = verdict.answer.expect("an answer");
    assert_eq!(answer.kind, AnswerKind::Computed);
    assert!(answer.text.starts_with("11 days, the median of 3 panelists"), "{}", answer.text);
    assert_eq!(shown(&rows, "synthesis")[0]["finalValue"], json!(11.0), "it has a row like a written one");
}

#[tokio::test]
async fn a_report_gives_its_result_first_and_the_summary_its_interval() {
    let written = |report: &'static str, options: &[(&str, &str)]| {
        let voices = Voices::default().scripted(move |_, _, context| {
            let key = context.key.as_str();
            if key.starts_with("synthesis/") {
                return Some(Ok(Reply::text(report)));
            }
            let seat = seat_of(key).filter(|_| key.contains("/estimate@"))?;
            let said = json!({"reasons": "r", "estimate": 10 + seat, "answer": "O2", "confidence": "HIGH"});
            Some(Ok(Reply::text(said.to_string())))
        });
        let order = put(3, options);
        async move { run(voices, &order).await.0 }
    };
    let days: &[(&str, &str)] = &[("unit", "days")];
    let choice: &[(&str, &str)] = &[("options", "Cron, Queue")];
    for (options, lacking, result, stating) in [
        (
            days,
            "The panel agrees after some rounds.\n\n## Convergence\n11 days.",
            "11 days, the median of 3",
            "Plan for 11 days, between 10.5 and 11.5. It settled.",
        ),
        (choice, "The panel agrees after some rounds.", "Queue, chosen by 3 of 3", "Take the queue. All of them chose it."),
    ] {
        let verdict = written(lacking, options).await;
        let answer = verdict.answer.expect("an answer");
        assert!(answer.text.starts_with(result) && answer.text.ends_with(lacking), "{}", answer.text);
        assert_eq!((verdict.status, answer.kind), (Status::Full, AnswerKind::Report));
        assert!(verdict.warnings.iter().any(|warning| warning.contains("did not begin with the result")), "{:?}", verdict.warnings);
        let verdict = written(stating, options).await;
        assert_eq!(verdict.answer.as_ref().map(|answer| answer.text.as_str()), Some(stating));
        assert!(verdict.warnings.is_empty(), "{:?}", verdict.warnings);
        let summary = verdict.summary().expect("a summary");
        let wanted = if options == days {
            "11 days, the median of 3 panelists; half of them lie between 10.5 and 11.5 (settled in round 2)."
        } else {
            "3 of 3 panelists chose: Queue (settled in round 2)."
        };
        assert_eq!(summary, wanted);
    }
}

#[tokio::test]
async fn the_kind_of_answer_is_asked_only_when_it_is_not_given() {
    let (verdict, _, counted) = run(Voices::default(), &put(3, &[("options", "Cron, Queue"), ("min_rounds", "1"), ("agreement", "50")])).await;
    assert!(!counted.requests().iter().any(|(key, _)| key.starts_with("classify")));
    let choice = verdict.decision.expect("a decision")["choice"].clone();
    assert!(["Cron", "Queue"].contains(&choice.as_str().expect("an option")), "{choice}");
    // Two of three chose it, or all: counted, and too few to measure.
    let confidence = verdict.confidence.expect("a count");
    assert_eq!((confidence.value, confidence.could, confidence.absent), (None, Some(3), Some(Absent::TooFewBallots)));
    assert!(confidence.agreed >= Some(2));

    // A panelist may classify in the facilitator's place.
    let broken = Voices::default().scripted(|_, _, context| (context.key == "classify/classify@3").then(|| Err(down())));
    let (verdict, rows, counted) = run(broken, &put(3, &[])).await;
    let by = rows.iter().find_map(|row| match row.body() {
        Ok(Body::Shown(shown)) if shown.stage == "classify" => shown.exhibit.role,
        _ => None,
    });
    assert_eq!(by.as_deref(), Some("panelist"));
    assert!(!heard(&counted, "classify/classify@0").contains("no answer yourself"));
    assert!(counted.requests().iter().any(|(key, _)| key == "classify/classify@0"));
    assert!(verdict.warnings.iter().any(|warning| warning.contains("chair failed in classify; m0 took over")), "{:?}", verdict.warnings);
    assert_eq!(verdict.receipt.calls.extra, 1);
}

#[tokio::test]
async fn a_choice_without_options_is_asked_for_again_and_never_becomes_another_kind() {
    let unable = || {
        Voices::default().scripted(|_, _, context| {
            let said = json!({"reasons": "r", "type": "numeric", "unit": "days", "options": []});
            context.key.starts_with("classify/").then(|| Ok(Reply::text(said.to_string())))
        })
    };
    let (verdict, rows, counted) = run(unable(), &put(3, &[("question_type", "choice")])).await;
    assert_eq!(verdict.status, Status::NoQuorum);
    assert!(shown(&rows, "classify").is_empty() && !counted.requests().iter().any(|(key, _)| key.contains("/estimate@")));
    let told = format!("{verdict:?}");
    assert!(told.contains("the option `options`"), "{told}");
}
