//! The sloppy forms jurors and foremen send, what may be read from each, and what the jury makes of it.

use super::assessment::{Because, Scores};
use super::summary::{Juror, Summary};
use super::*;
use synod_engine::{IdLists, ReplyFormat, TypedReply};

fn read(text: &str) -> Option<Assessment> {
    let (value, _) = Assessment::read(text, &IdLists::default()).ok()?;
    Assessment::recall(&value).ok()
}

fn scores(text: &str) -> [Option<f64>; 5] {
    read(text).map(|assessment| assessment.scores.whole()).unwrap_or_default()
}

const WHOLE: &str = "## Juror Assessment
### Scores
| Dimension | Score | Justification |
|---|---|---|
| **Accuracy** | 8/10 | One date is wrong |
| Completeness | **6** | No costs |
| Clarity | 7.5 | Plain |
| Relevance | 11 | Off the scale |
| Actionability | n/a | Nothing to act on |
| **Average** | 7.2 | |
### Deliberation Notes
I looked for costs and found none.
### Verdict
**VERDICT: REVISE**
### Recommendations
1. Add the costs
   of moving.
- Mend the date.
";

#[test]
fn the_classic_form_is_read_with_its_markup() {
    let read = read(WHOLE).expect("readable");
    assert_eq!(read.scores.whole(), [Some(8.0), Some(6.0), Some(8.0), None, None]);
    assert_eq!(read.because.whole(), ["One date is wrong", "No costs", "Plain", "Off the scale", "Nothing to act on"]);
    assert_eq!(read.verdict, Some(Ruling::Revise));
    assert_eq!(read.recommendations, ["Add the costs of moving.", "Mend the date."]);
}

#[test]
fn decimals_are_rounded_half_up_and_halves_are_not_lost() {
    for (given, want) in [("7.5", 8.0), ("7.4", 7.0), ("6.5", 7.0), ("10", 10.0), ("1.2", 1.0)] {
        assert_eq!(scores(&format!("Accuracy: {given}\nVERDICT: REVISE"))[0], Some(want), "{given}");
        let json = format!(r#"{{"reasons":"x","scores":{{"accuracy":{given}}},"verdict":null,"recommendations":[]}}"#);
        assert_eq!(scores(&json)[0], Some(want), "{json}");
    }
}

#[test]
fn a_number_in_prose_is_no_score_and_a_bad_cell_falls_through_to_none() {
    for text in [
        "Accuracy - 2 errors found\nVERDICT: REVISE",
        "| Accuracy | 11 | see below |\nAccuracy: 4 of the dates\nVERDICT: REVISE",
        "| Accuracy | 0 | see below |\nAccuracy: 4\nVERDICT: REVISE",
        "On accuracy, 7 of 10 dates are right.\nVERDICT: REVISE",
    ] {
        assert_eq!(scores(text)[0], None, "{text}");
    }
}

#[test]
fn a_verdict_stands_on_its_line_or_nowhere() {
    for (text, want) in [
        ("VERDICT: APPROVE", Some(Ruling::Approve)),
        ("**VERDICT:** reject, as it stands", Some(Ruling::Reject)),
        ("VERDICT: **REJECT**", Some(Ruling::Reject)),
        ("### Verdict\n\n**REVISE**", Some(Ruling::Revise)),
        ("VERDICT: [REVISE]", Some(Ruling::Revise)),
        ("VERDICT — no\nVERDICT: — REVISE, please", Some(Ruling::Revise)),
        ("VERDICT: APPROVE\nOn reflection\nVERDICT: REJECT", Some(Ruling::Reject)),
        ("VERDICT: REJECT. I cannot approve this.", Some(Ruling::Reject)),
        ("I cannot approve this.", None),
        ("VERDICT: cannot APPROVE", None),
        ("VERDICT: APPROVED", None),
        ("VERDICT: APPROVE|REVISE|REJECT", None),
        ("VERDICT: APPROVE or REVISE", None),
        ("VERDICT: **APPROVE** / **REVISE**", None),
        ("My VERDICT: APPROVE", None),
    ] {
        let text = format!("Accuracy: 5\n{text}");
        assert_eq!(read(&text).expect("a score is enough").verdict, want, "{text}");
    }
}

#[test]
fn a_reply_with_neither_score_nor_verdict_is_not_read() {
    assert_eq!(read("I cannot approve this. Accuracy - 2 errors found."), None);
    assert_eq!(read(r#"{"reasons":"x","scores":{"accuracy":null},"verdict":null,"recommendations":[]}"#), None);
    assert_eq!(read(r#"{"reasons":"x","scores":{"accuracy":0},"verdict":null,"recommendations":[]}"#), None, "0 is off the scale");
    assert!(read(r#"{"reasons":"x","scores":{},"verdict":"APPROVE","recommendations":[]}"#).is_some());
}

#[test]
fn a_typed_score_off_the_scale_costs_that_dimension_only() {
    let text = r#"{"reasons":"x","scores":{"accuracy":0,"completeness":11,"clarity":7,"relevance":10},"verdict":"REVISE","recommendations":["a"]}"#;
    let error = Assessment::read(text, &IdLists::default()).expect_err("it is asked for again");
    assert_eq!(error, "/scores/accuracy: 0 is not from 1 to 10; /scores/completeness: 11 is not from 1 to 10");
    let (value, _) = Assessment::read_anyway(text, &IdLists::default()).expect("the rest of it counts");
    let read = Assessment::recall(&value).expect("a value");
    assert_eq!(read.scores.whole(), [None, None, Some(7.0), Some(10.0), None]);
    assert_eq!((read.verdict, read.recommendations.len()), (Some(Ruling::Revise), 1));
    let sent = Assessment::schema(&IdLists::default()).expect("a schema").schema["properties"]["scores"]["properties"]["accuracy"].clone();
    assert_eq!((sent["minimum"].as_f64(), sent["maximum"].as_f64(), sent.get("x-range")), (Some(1.0), Some(10.0), None), "{sent}");
}

#[test]
fn a_foreman_is_read_by_his_own_verdict_never_by_a_dissenters() {
    let text = "### Final Verdict: **REJECT**\n### Strengths\n- Plain\n### Weaknesses\n1. No costs\n2. No dates\n### Dissenting Opinions\n- K3 held\nVERDICT: APPROVE\n";
    let report = Report::from_text(text, &IdLists::default()).expect("readable");
    assert_eq!(report.verdict, Ruling::Reject);
    assert_eq!((report.strengths.len(), report.weaknesses.len(), report.improvements.len()), (1, 2, 0));
    assert_eq!(report.dissent, ["K3 held VERDICT: APPROVE"]);
    let without = "The report.\n### Dissenting Opinions\nK3 would APPROVE.\nVERDICT: APPROVE";
    assert_eq!(Report::from_text(without, &IdLists::default()), None);
}

fn juror(label: &str, seat: SeatIx, score: Option<f64>, verdict: Option<Ruling>) -> Juror {
    let scores = Scores { accuracy: score, clarity: score, ..Scores::default() };
    let because = Because { clarity: Some("It can be read.".into()), ..Because::default() };
    let value = Assessment { reasons: format!("{label} says why"), because, scores, verdict, recommendations: vec!["Do it.".into()] };
    Juror::new(label.into(), SeatReply { seat, key: format!("deliberation/juror@{seat}"), value, partial: false, ms: 0 }).expect("it says something")
}

#[test]
fn the_scores_decide_and_the_stated_verdict_is_kept() {
    let summary = Summary::of(
        4,
        vec![
            juror("T9", 0, Some(8.0), Some(Ruling::Reject)),
            juror("K3", 1, Some(5.0), Some(Ruling::Revise)),
            juror("Q2", 2, None, Some(Ruling::Reject)),
        ],
    )
    .expect("a summary");
    assert_eq!(summary.votes, Votes { approve: 1, revise: 1, reject: 1 });
    assert_eq!(summary.stated, Votes { approve: 0, revise: 1, reject: 2 });
    assert_eq!((summary.verdict, summary.tied), (Ruling::Revise, true));
    assert_eq!(summary.jurors.iter().map(Juror::mismatch).collect::<Vec<_>>(), [Some(Ruling::Reject), None, None]);
    assert_eq!(summary.average, Some(6.5));
    let labels: Vec<&str> = summary.by_label().iter().map(|juror| juror.label.as_str()).collect();
    assert_eq!(labels, ["K3", "Q2", "T9"]);

    let data = summary.scores_exhibit().row().expect("data");
    assert_eq!(data["dimensionAverages"]["accuracy"], 6.5);
    assert_eq!(data["dimensionRanges"]["accuracy"], json!({"min": 5, "max": 8}));
    assert!(data["dimensionAverages"]["relevance"].is_null() && data["dimensionRanges"]["relevance"].is_null(), "never 0: {data}");
    assert_eq!((data["jurorCount"].as_u64(), data["successfulJurors"].as_u64()), (Some(4), Some(3)));

    let text = report::compose_from_scores(&summary);
    let first = "**REVISE** by 1 of 3 jurors, 1 APPROVE, 1 REJECT; the tie was settled towards caution; 6.5 of 10 on average.";
    assert!(text.starts_with(first) && !text.contains('|'), "{text}");
    assert!(text.contains("## Juror Q2: REJECT, without scores\n\nQ2 says why\n\n### Recommendations\n\n- Do it.\n"), "{text}");
    assert_eq!(report::action(&summary, None), "REVISE, beginning with this: Do it.");
}

#[test]
fn a_plain_report_says_each_thing_once() {
    let text = "FINAL VERDICT: REVISE\nSend it back.\n### Strengths\n- Plain\n### Improvements\n1. Add costs\n2. Mend the date\n";
    let report = Report::from_text(text, &IdLists::default()).expect("readable");
    assert_eq!(report.report, "Send it back.");
    let jurors = vec![juror("K3", 0, Some(5.0), None), juror("T9", 1, Some(6.0), None)];
    let text = report::compose(&Summary::of(2, jurors).expect("a summary"), &report);
    assert_eq!(
        text,
        "**REVISE** by 2 of 2 jurors; 5.5 of 10 on average.\n\nSend it back.\n\n## Strengths\n\n- Plain\n\n## Improvements, most urgent first\n\n1. Add costs\n2. Mend the date\n"
    );
}
