//! Roundtable: who hears whom, why it ends, what the guard and the monitor do, and how little of the past a prompt carries.

mod admission;
mod brief;
mod context;
mod decided;
mod kinds;
mod lost;
mod parts;
mod person;
mod prefix;
mod safety;
mod said;

use crate::{Line, Played, play, says};
use serde_json::{Value, json};
use std::sync::Arc;
use synod_engine::{OptionValue, RunSpec};
use synod_modes::roundtable::MODE;
use synod_testkit::counted::CountedModels;
use synod_testkit::rig::{Rig, order, verdict};
use synod_testkit::served::served;
use synod_testkit::server::{ANY, ModelServer, Say};
use synod_testkit::voices::Voices;
use synod_types::{Body, Finish, Kind, Reply, Status, ToolCall, seat_of};

/// A turn of this seat: its own position unless told otherwise, no claims.
fn turn(seat: u32, confidence: f64, more: Value) -> Line {
    let mut said = json!({"reasons": format!("private words of seat {seat}"), "position": position(seat), "confidence": confidence, "key_points": ["one", "two"]});
    for (name, value) in more.as_object().into_iter().flatten() {
        said[name.as_str()] = value.clone();
    }
    says(said.to_string())
}

/// Positions that share no words.
fn position(seat: u32) -> &'static str {
    ["Queue everything tonight", "Retain cron forever", "Outsource batch processing", "Delete unused exports"][seat as usize % 4]
}

/// An analysis that puts the seats (by name) into these camps.
fn reads(agreement: f64, camps: &[&[&str]]) -> Line {
    let clusters: Vec<Value> = camps.iter().map(|seats| json!({"theme": "camp", "seats": seats})).collect();
    says(json!({"reasons": "read", "agreement": agreement, "summary": "They said it.", "one_liner": "Said.", "clusters": clusters}).to_string())
}

fn seat(key: &str) -> u32 {
    seat_of(key.split("/tool").next().unwrap_or(key)).unwrap_or_default()
}

fn round(key: &str) -> u32 {
    key.strip_prefix("round ").and_then(|rest| rest.split('/').next()).and_then(|n| n.parse().ok()).unwrap_or_default()
}

const ALL: &[&str] = &["S1", "S2", "S3"];
const SPLIT: &[&[&str]] = &[&["S1", "S2"], &["S3"]];

fn stop(played: &Played) -> (&str, u64) {
    (played.verdict.stop_reason.as_str(), played.verdict.decision.as_ref().and_then(|decision| decision["rounds"].as_u64()).unwrap_or_default())
}

#[tokio::test]
async fn it_ends_in_consensus_when_votes_blockers_and_confidence_allow() {
    let script = |key: &str| match key {
        key if key.contains("analysis") => reads(0.6, SPLIT),
        key if key.contains("turn@") => turn(seat(key), 0.75, json!({"vote": if round(key) == 2 && seat(key) == 2 { "BLOCKER" } else { "ACCEPT" }})),
        _ => None,
    };
    let played = play("roundtable", 3, None, &[], script).await;
    assert_eq!(stop(&played), ("consensus", 3), "one seat blocks in round 2 and gives way in round 3");
    let exit = played.data("exit");
    assert_eq!((&exit["share"], &exit["openBlockers"], &exit["leastSure"]), (&json!(1.0), &json!(0), &json!(0.75)));
    assert!(!played.prompt("round 1/turn@0").contains("vote on"), "before anybody has proposed anything there is nothing to vote on");
    assert_eq!(played.verdict.status, Status::Full, "{:?}", played.verdict.missing);
    let answer = played.verdict.answer.as_ref().expect("an answer");
    assert!(
        answer.text.contains("## Final positions") && answer.text.contains("Outsource batch processing (confidence 0.75, ACCEPT)"),
        "{}",
        answer.text
    );
}

#[tokio::test]
async fn an_unsure_seat_or_an_open_blocker_leads_to_the_cap() {
    let blocks = json!([{"kind": "blocker", "seats": ["S1"], "why": "S1 voted BLOCKER and has not taken it back"}]);
    for (confidence, vote, action, conflicts) in [(0.69, "ACCEPT", "proceed", json!([])), (0.9, "BLOCKER", "verify", blocks)] {
        let script = move |key: &str| match key {
            key if key.contains("analysis") => reads(if round(key) == 1 { 0.6 } else { 0.95 }, SPLIT),
            // Moving a little every round, so that nothing looks like a plateau.
            key if key.contains("turn@") && seat(key) == 0 => {
                turn(0, confidence, json!({"vote": vote, "position": format!("Plan {0} {0}{0} option", round(key) * 37)}))
            }
            key if key.contains("turn@") => turn(seat(key), 0.8, json!({"vote": "ACCEPT"})),
            _ => None,
        };
        let played = play("roundtable", 3, None, &[("rounds", json!(3))], script).await;
        assert_eq!(stop(&played), ("round_cap", 3), "{confidence} {vote}");
        let decision = played.verdict.decision.as_ref().expect("a decision");
        assert_eq!((&decision["action"], &decision["conflicts"]), (&json!(action), &conflicts), "sure and of one mind, and still not past a blocker");
        assert!(played.shown("exit").exhibit.title.contains("Why"));
    }
}

#[tokio::test]
async fn it_ends_when_nothing_moves_and_agreement_stands_in_for_votes() {
    let still = |key: &str| match key {
        key if key.contains("analysis") => reads(0.5, SPLIT),
        key if key.contains("turn@") => turn(seat(key), 0.6, json!({"vote": "MINOR"})),
        _ => None,
    };
    let played = play("roundtable", 3, None, &[], still).await;
    assert_eq!(stop(&played), ("convergence", 3));
    assert_eq!(played.data("exit")["movement"], json!([0.0, 0.0]));
    let voteless = |key: &str| match key {
        key if key.contains("analysis") => reads(0.92, SPLIT),
        key if key.contains("turn@") => turn(seat(key), 0.8, json!({})),
        _ => None,
    };
    let played = play("roundtable", 3, None, &[], voteless).await;
    assert_eq!(stop(&played), ("consensus", 2), "in the first round nobody was asked for a vote, so nothing stands in for one");
    let played = play("roundtable", 3, None, &[("style", json!("socratic")), ("rounds", json!(2))], voteless).await;
    assert_eq!(stop(&played), ("round_cap", 2), "questions are not voted on");
}

/// All in one camp, nobody moves, nothing is new: stuck from the third round on. In objections seat 2 leaves the camp, or not.
fn stuck(leaves: bool) -> impl Fn(&str) -> Line + Send + Sync + 'static {
    move |key| match key {
        key if key.contains("objection") && key.contains("analysis") && leaves => reads(0.5, SPLIT),
        key if key.contains("analysis") => reads(0.8, &[ALL]),
        key if key.contains("turn@") => turn(seat(key), 0.82, json!({"vote": "BLOCKER"})),
        _ => None,
    }
}

#[tokio::test]
async fn stagnation_makes_the_panel_object_and_a_seat_that_moves_lets_it_go_on() {
    let played = play("roundtable", 3, None, &[("rounds", json!(4))], stuck(true)).await;
    assert!(played.asked("round 3/objection/turn@0") && !played.asked("round 2/objection/turn@0") && !played.asked("round 4/objection/turn@0"));
    let outcome = played.data("objection_3_outcome");
    assert_eq!((&outcome["trigger"], &outcome["failed"], &outcome["newFacts"]), (&json!("stagnation"), &json!(false), &json!(0)));
    assert!(outcome["beliefChange"].as_f64().is_some_and(|change| (change - 1.0 / 3.0).abs() < 1e-9), "{outcome}");
    assert!(played.prompt("round 3/objection/turn@0").contains("This round is for objections only."));
    assert!(played.asked("round 4/turn@0") && played.asked("round 4/turn@2"), "the debate goes on");
    assert_eq!(stop(&played), ("round_cap", 4), "objections part what was still before from what comes after");
    let longer = play("roundtable", 3, None, &[("rounds", json!(6))], stuck(true)).await;
    assert_eq!(stop(&longer), ("convergence", 5), "two rounds after them may be still again");
}

#[tokio::test]
async fn early_convergence_makes_the_panel_object_and_what_it_says_then_ends_nothing() {
    let script = |key: &str| match key {
        key if key.contains("analysis") => reads(0.95, &[ALL]),
        key if key.contains("objection") && key.contains("turn@") => turn(seat(key), 0.75, json!({"vote": "ACCEPT"})),
        key if key.contains("turn@") => turn(seat(key), if round(key) == 1 { 0.9 } else { 0.6 }, json!({"vote": "MINOR"})),
        _ => None,
    };
    let played = play("roundtable", 3, None, &[("rounds", json!(2))], script).await;
    let outcome = played.data("objection_1_outcome");
    assert_eq!((&outcome["trigger"], &outcome["failed"]), (&json!("early_convergence"), &json!(false)));
    assert!(played.asked("round 2/turn@0") && !played.asked("round 2/objection/turn@0"));
    assert_eq!(stop(&played), ("round_cap", 2), "agreed in objections, unsure in the round after");
    assert_eq!(played.data("exit")["leastSure"], json!(0.6));
}

#[tokio::test]
async fn early_convergence_is_only_recorded_when_told_so() {
    let sure = |key: &str| match key {
        key if key.contains("analysis") => reads(0.95, &[ALL]),
        key if key.contains("turn@") => turn(seat(key), 0.9, json!({"vote": "ACCEPT"})),
        _ => None,
    };
    let played = play("roundtable", 3, None, &[("groupthink", json!("record"))], sure).await;
    let look = played.data("round_1_groupthink");
    assert_eq!((&look["trigger"], &look["acted"]), (&json!("early_convergence"), &json!(false)));
    assert!(look["indicators"].as_array().is_some_and(|signs| signs.contains(&json!("few_sources")) && signs.contains(&json!("one_view"))), "{look}");
    assert_eq!(stop(&played), ("consensus", 2));
    assert!(!played.asked("round 1/objection/turn@0"));
}

/// What a seat is told to vote on, and what a row says of where it stands.
#[tokio::test]
async fn seats_know_what_they_vote_on_and_rows_say_where_they_stand() {
    let script = |key: &str| match key {
        key if key.contains("analysis") => {
            let alignment: Vec<Value> = ALL.iter().zip([0.9, 0.4, 0.1]).map(|(seat, support)| json!({"seat": seat, "support": support})).collect();
            let sides = json!([{"point": "Who pays.", "one_side": ["S1", "S3"], "other_side": ["S3"]}]);
            let read = json!({
                "reasons": "read", "agreement": 0.5, "summary": "They said it.", "one_liner": "Said.", "alignment": alignment, "disagreements": sides,
                "leading_proposal": "Queue it, <b>for a year</b>.", "clusters": [{"theme": "a", "seats": ["S1"]}, {"theme": "b", "seats": ["S2", "S3"]}],
            });
            says(read.to_string())
        }
        key if key.contains("turn@") => turn(seat(key), 0.5 + 0.1 * f64::from(round(key)), json!({"vote": "MINOR"})),
        _ => None,
    };
    let played = play("roundtable", 3, None, &[("rounds", json!(2))], script).await;
    let asked = played.prompt("round 2/turn@1");
    assert!(asked.contains("Leading proposal:\nQueue it, <b>for a year</b>.") && asked.contains("as the record states it"), "{asked}");
    assert_eq!(played.data("round_1_analysis")["leadingProposal"], "Queue it, <b>for a year</b>.");
    assert_eq!(played.data("round_1_analysis")["disagreementPoints"][0]["other_side"], json!([]), "nobody stands against itself");
    let rows = rows(&played, "round_2");
    assert_eq!(rows.iter().map(|row| row["debateAlignment"].clone()).collect::<Vec<_>>(), [json!(0.9), json!(0.4), json!(0.1)]);
    assert_eq!(rows[0]["confidenceChange"]["previousRound"], 1);
}

/// The rows of a round's responses.
fn rows(played: &Played, stage: &str) -> Vec<Value> {
    let shown = played.rows.iter().filter(|row| row.kind == Kind::Shown).filter_map(|row| row.read::<synod_types::Shown>().ok());
    shown.filter(|shown| shown.stage == stage).filter_map(|shown| shown.exhibit.row()).collect()
}

fn rig(script: impl Fn(&str) -> Line + Send + Sync + 'static) -> (Rig, Arc<CountedModels>) {
    let counted = Arc::new(CountedModels::new(Arc::new(Voices::default().scripted(move |_, _, context| script(&context.key)))));
    (Rig::new(counted.clone()), counted)
}

fn put(options: &[(&str, Value)]) -> RunSpec {
    let mut order = order(&MODE, 3);
    order.options = options.iter().map(|(name, value)| ((*name).to_owned(), OptionValue::json(value.clone()))).collect();
    order
}

/// The order that takes a finished debate further.
async fn further(rig: &Rig, parent: &str, entry: Value) -> RunSpec {
    let record = synod_engine::Record::of(&rig.rows(parent).await).expect("readable rows");
    let mut again = RunSpec::again(&record);
    again.options.retain(|(name, _)| name != "continued");
    again.options.push(("continued".into(), OptionValue::json(json!([entry]))));
    again
}

#[tokio::test]
async fn seats_in_turn_hear_those_before_them_and_others_only_earlier_rounds() {
    let script = |key: &str| match key {
        key if key.contains("turn@") => turn(seat(key), 0.6, json!({"stance": "YES"})),
        key if key.contains("analysis") => reads(0.5, SPLIT),
        _ => None,
    };
    for (style, hears) in
        [("adversarial", true), ("devils-advocate", true), ("socratic", true), ("collaborative", false), ("expert-panel", false), ("delphi", false)]
    {
        let played = play("roundtable", 3, None, &[("style", json!(style)), ("rounds", json!(2))], script).await;
        assert_eq!(played.prompt("round 1/turn@1").contains("private words of seat 0"), hears, "{style}");
        assert!(!played.prompt("round 1/turn@0").contains("private words"), "{style}");
        let second = played.prompt("round 2/turn@0");
        assert!(second.contains("private words of seat 2") && !second.contains("m2"), "{style}: by name at the table, never by model");
        assert_eq!(second.contains("The group's figures"), style == "delphi", "{style}");
        assert!(second.starts_with("The question:") && second.contains("Round 2 of 2."), "{style}");
    }
    let played = play("roundtable", 3, None, &[("style", json!("devils-advocate")), ("rounds", json!(1))], script).await;
    let shown = rows(&played, "round_1");
    let violations: Vec<Value> = shown.iter().map(|data| data["roleViolation"].clone()).collect();
    assert_eq!(violations, [Value::Null, json!({"expected": "stance NO", "actual": "YES"}), json!({"expected": "stance NEUTRAL", "actual": "YES"})]);
    assert_eq!(shown[1]["stance"], "YES", "recorded, never rewritten");
}

#[tokio::test]
async fn an_anonymous_seat_has_one_label_for_the_whole_run() {
    let script = |key: &str| key.contains("turn@").then(|| turn(seat(key), 0.6, json!({}))).flatten();
    let options = [("style", json!("delphi")), ("rounds", json!(3)), ("exit_on_consensus", json!(false)), ("groupthink", json!("record"))];
    let played = play("roundtable", 4, None, &options, script).await;
    let labels = |round: u32| rows(&played, &format!("round_{round}")).iter().map(|row| row["seat"].clone()).collect::<Vec<_>>();
    assert_eq!((labels(1), labels(2)), (labels(2), labels(3)));
    for (seat, label) in labels(1).iter().enumerate() {
        let label = label.as_str().unwrap_or_default();
        let said = format!("<statement label=\"{label}\">");
        for round in 2..=3 {
            let text = played.prompt(&format!("round {round}/turn@0"));
            let words = text.split(&said).nth(1).unwrap_or_default();
            assert!(
                words.split("</statement>").next().is_some_and(|words| words.contains(&format!("private words of seat {seat}"))),
                "{label}: {text}"
            );
        }
    }
}

#[tokio::test]
async fn tools_are_kept_with_the_response_become_evidence_and_have_a_limit() {
    let (rig, counted) = {
        let counted = Arc::new(CountedModels::new(Arc::new(Voices::default().scripted(|_, request, context| {
            if context.key.contains("turn@0") && !request.tools.is_empty() && context.key.starts_with("round 1") {
                let calls =
                    (0..4).map(|n| ToolCall { id: format!("c{n}"), name: "calculate".into(), input: json!({"expression": format!("{n} * 6")}) });
                return Some(Ok(Reply { tool_calls: calls.collect(), finish: Finish::ToolCalls, ..Reply::text("") }));
            }
            context.key.contains("turn@").then(|| turn(seat(&context.key), 0.6, json!({}))).flatten()
        }))));
        (Rig::new(counted.clone()), counted)
    };
    let (run, ending) = rig.run(&put(&[("style", json!("adversarial")), ("rounds", json!(2))])).await;
    let verdict = verdict(ending);
    assert_eq!(verdict.status, Status::Full, "{:?}", verdict.missing);
    let rows = rig.rows(&run).await;
    let runs: Vec<synod_types::ToolRun> = rows.iter().filter(|row| row.kind == Kind::Tool).filter_map(|row| row.read().ok()).collect();
    assert_eq!(runs.len(), 8);
    assert_eq!(runs.iter().filter(|run| run.error).count(), 3, "five in a turn where seats speak in turn");
    let kept = rows.iter().find_map(|row| match row.body() {
        Ok(Body::Shown(shown)) => shown.exhibit.row().filter(|data| data["toolCalls"].as_array().is_some_and(|calls| calls.len() == 8)),
        _ => None,
    });
    let kept = kept.expect("a response with its tools");
    for (call, run) in kept["toolCalls"].as_array().expect("calls").iter().zip(&runs) {
        let want = json!({"toolName": run.name, "input": run.input, "output": run.output, "error": run.error, "timestamp": run.at});
        assert!(*call == want && run.at > 0, "{call}");
    }
    let last = counted.requests().into_iter().rfind(|(key, _)| key.starts_with("round 1/turn@0/tool")).expect("a tool loop").1;
    assert!(last.tools.is_empty(), "the last request of a loop carries no tools");
    let heard = counted.requests().into_iter().find(|(key, _)| key == "round 1/turn@1").expect("asked").1;
    let text = heard.messages.last().expect("a message").text();
    assert!(text.contains("Used calculate") && text.contains("[calculation] 6"), "{text}");
    let replayed = rig.runner().replay(&run).await.expect("a replay");
    assert!(replayed.same(), "a replay knows the tools too");
}

#[tokio::test]
async fn every_style_is_debated_over_a_real_socket_and_says_with_figures_why_it_stopped() {
    for style in synod_modes::roundtable::styles() {
        let server = ModelServer::start().await;
        server.reply(ANY, |ask| Say::by_default(ask, 8));
        let order = put(&[("style", json!(style)), ("rounds", json!(3))]);
        let names: Vec<String> = order.panel.models.iter().chain(&order.panel.chair).chain(&order.panel.light).cloned().collect();
        let rig = Rig::new(served(&server.url(), &names));
        let (run, ending) = rig.run(&order).await;
        let verdict = verdict(ending);
        assert!(matches!(verdict.status, Status::Full | Status::Escalated), "{style}: {:?} {:?}", verdict.status, verdict.missing);
        let calls = verdict.receipt.calls;
        assert_eq!(u64::from(calls.planned + calls.extra), server.total(), "{style}");
        let exit = rig.rows(&run).await.iter().find_map(|row| match row.body() {
            Ok(Body::Shown(shown)) if shown.stage == "exit" => shown.exhibit.row(),
            _ => None,
        });
        let exit = exit.unwrap_or_else(|| panic!("{style}: nothing says why it stopped"));
        assert!(exit["reason"].is_string() && exit["rounds"].as_u64().is_some_and(|rounds| (1..=3).contains(&rounds)), "{style}: {exit}");
        assert!(["share", "openBlockers", "agreement"].iter().all(|figure| exit[*figure].is_number()), "{style}: {exit}");
    }
}

#[tokio::test]
async fn objections_are_told_as_what_they_are() {
    let played = play("roundtable", 3, None, &[("rounds", json!(4))], stuck(true)).await;
    let after = played.prompt("round 4/turn@0");
    let (regular, objected) = after.split_once("===== Objections to it.").expect("both are there");
    assert!(regular.contains("===== Round 3, as it was said =====") && regular.matches("private words of seat").count() == 3, "{after}");
    assert_eq!(objected.matches("private words of seat").count(), 3, "{after}");
}

#[tokio::test]
async fn ten_calls_a_turn_where_all_speak_at_once() {
    let counted = Arc::new(CountedModels::new(Arc::new(Voices::default().scripted(|_, request, context| {
        if context.key == "round 1/turn@0" && !request.tools.is_empty() {
            let call = |n: u32| ToolCall { id: format!("c{n}"), name: "calculate".into(), input: json!({"expression": format!("{n} * 6")}) };
            return Some(Ok(Reply { tool_calls: (0..12).map(call).collect(), finish: Finish::ToolCalls, ..Reply::text("") }));
        }
        context.key.contains("turn@").then(|| turn(seat(&context.key), 0.6, json!({}))).flatten()
    }))));
    let rig = Rig::new(counted.clone());
    let (run, ending) = rig.run(&put(&[("rounds", json!(1))])).await;
    assert_eq!(verdict(ending).status, Status::Full);
    let used: Vec<synod_types::ToolRun> =
        rig.rows(&run).await.iter().filter(|row| row.kind == Kind::Tool).filter_map(|row| row.read().ok()).collect();
    assert_eq!((used.len(), used.iter().filter(|run| run.error).count()), (12, 2));
    let last = counted.requests().into_iter().rfind(|(key, _)| key.starts_with("round 1/turn@0/tool")).expect("a tool loop").1;
    assert!(last.tools.is_empty());
}

#[tokio::test]
async fn blue_owes_an_answer_to_every_red_id() {
    let script = |key: &str| match key {
        key if key.contains("safety") => says(json!({"reasons": "read", "findings": [], "passed": true}).to_string()),
        key if key.contains("analysis") => reads(0.5, &[&["S1", "S3"], &["S2", "S4"]]),
        "round 1/turn@0" => {
            let risk = |text: &str| json!({"kind": "failure", "text": text, "mitigation": "Wait."});
            turn(0, 0.6, json!({"risks": [risk("The queue fills up."), risk("Nobody is told.")]}))
        }
        "round 2/turn@1" => turn(1, 0.6, json!({"mitigations": [{"id": "R1", "answered": true, "text": "A limit and an alarm."}]})),
        "round 2/turn@3" => {
            let answers = |id: &str, text: &str| json!({"id": id, "answered": true, "text": text});
            turn(3, 0.6, json!({"mitigations": [answers("R1", "A second queue."), answers("R2", "The pager.")]}))
        }
        key if key.contains("turn@") => turn(seat(key), 0.6, json!({"position": format!("plan{0} step{0}", round(key) * 7 + seat(key))})),
        _ => None,
    };
    let played = play("roundtable", 4, None, &[("style", json!("red-team-blue-team")), ("rounds", json!(2))], script).await;
    let (_, asked) = played.requests.iter().find(|(key, _)| key == "round 2/turn@1").expect("asked");
    let form = &asked.schema.as_ref().expect("a schema").schema["properties"]["mitigations"];
    assert_eq!((&form["minItems"], &form["maxItems"]), (&json!(2), &json!(2)), "{form}");
    let violations: Vec<Value> = rows(&played, "round_1").iter().map(|row| row["roleViolation"].clone()).collect();
    let solved = json!({"expected": "no solutions", "actual": "2 solutions"});
    assert_eq!(violations, [solved, Value::Null, Value::Null, Value::Null], "red's own answers are told of and count for nothing");
    let owed: Vec<Value> = rows(&played, "round_2").iter().map(|row| row["owed"].clone()).collect();
    assert_eq!(owed, [json!([]), json!(["R2"]), json!([]), json!([])]);
    let synod_types::Shape::Note { text } = played.shown("round_2_summary").exhibit.shape else { panic!("a note") };
    assert!(text.contains("- Owed: S2 left R2 unanswered"), "{text}");
    assert_eq!(played.verdict.decision.as_ref().map(|decision| &decision["unanswered_risks"]), Some(&json!([])));
}

#[tokio::test]
async fn a_category_named_twice_counts_once_and_a_question_has_an_end() {
    let script = |key: &str| key.contains("turn@").then(|| turn(seat(key), 0.6, json!({}))).flatten();
    let options = [("high_stakes", json!(["medical_legal", "medical_legal"])), ("rounds", json!(1))];
    let played = play("roundtable", 2, None, &options, script).await;
    assert_eq!(played.verdict.status, Status::Full);
    assert_eq!(played.rows.iter().filter(|row| row.kind == Kind::Figure && row.key.contains("high_stakes medical_legal")).count(), 1);
    let synod_types::Shape::Rule(rule) = played.shown("exit").exhibit.shape else { panic!("a rule") };
    assert!(rule.decided.contains("before there was a proposal to vote on"), "{}", rule.decided);

    let (rig, counted) = rig(script);
    let mut order = put(&[]);
    order.question.text = "Why? ".repeat(2_001);
    let (_, ending) = rig.run(&order).await;
    let verdict = verdict(ending);
    assert_eq!((verdict.status, counted.total()), (Status::Failed, 0));
    let mut alone = put(&[]);
    alone.panel.models.truncate(1);
    let (_, ending) = rig.run(&alone).await;
    let refused = synod_testkit::rig::verdict(ending);
    assert_eq!((refused.status, counted.total()), (Status::Failed, 0), "one seat and a chair are no debate");
    assert!(refused.stop_reason.contains("2 seats beside the chair"), "{}", refused.stop_reason);
    assert!(verdict.stop_reason.contains("at most 10000") && verdict.stop_reason.contains("as content"), "{}", verdict.stop_reason);
}
