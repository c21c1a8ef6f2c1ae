//! Parts begin when their own inputs are there, go to another seat when one fails, and those that need them are told.

use futures::future::BoxFuture;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use synod_engine::{CallContext, EndpointSlot, Model, Models, RunSpec, options::OptionValue};
use synod_modes::decompose::MODE;
use synod_testkit::counted::CountedModels;
use synod_testkit::rig::{Rig, order, verdict};
use synod_testkit::voices::Voices;
use synod_types::{AnswerKind, Body, Failure, FailureKind, Kind, ModelCard, Problem, Reply, Request, Row, Shape, Status, Verdict};
use tokio::time::Instant;

/// task_1 and task_2 stand alone, task_3 needs the first, task_4 the third and the second.
fn plan() -> Value {
    let task = |title: &str, needs: &[&str], expertise: &str| json!({"title": title, "description": "Do it.", "depends_on": needs, "complexity": "LOW", "expertise": expertise});
    json!({"reasons": "r", "tasks": [
        task("alpha", &[], "technical"), task("beta", &[], "creative"), task("gamma", &["task_1"], "technical"), task("delta", &["task_3", "task_2"], "creative"),
    ]})
}

fn down() -> Option<Result<Reply, Failure>> {
    Some(Err(Failure::new(FailureKind::Server, "the provider is down")))
}

/// The plan above; of the other calls those fail whose key and model `fails` says so of.
fn voices(fails: impl Fn(&str, &str) -> bool + Send + Sync + 'static) -> Voices {
    Voices::default().scripted(move |card, _, context| {
        if fails(&context.key, &card.name) {
            return down();
        }
        context.key.starts_with("plan/").then(|| Ok(Reply::text(plan().to_string())))
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
    request.messages.last().map(|message| message.text().to_owned()).unwrap_or_default()
}

/// The last graph shown: id and state of each part.
fn states(rows: &[Row]) -> Vec<(String, String)> {
    let mut graphs = rows.iter().filter_map(|row| match row.body() {
        Ok(Body::Shown(shown)) => match shown.exhibit.shape {
            Shape::Graph(graph) => Some(graph),
            _ => None,
        },
        _ => None,
    });
    graphs.next_back().map(|graph| graph.nodes.into_iter().map(|node| (node.id, node.state)).collect()).unwrap_or_default()
}

#[tokio::test]
async fn a_worker_gets_its_direct_inputs_in_full_and_the_others_by_name() {
    let (verdict, _, counted) = run(voices(|_, _| false), &order(&MODE, 1)).await;
    assert_eq!(verdict.status, Status::Full, "{:?}", verdict.missing);
    let delta = heard(&counted, "tasks/task_4/work@0");
    assert!(delta.contains("<result label=\"task_3: gamma\">") && delta.contains("<result label=\"task_2: beta\">"), "{delta}");
    assert!(!delta.contains("<result label=\"task_1"), "what lies further back is only named: {delta}");
    assert!(delta.contains("not shown here:\n<table>\ntask_1: alpha\n</table>"), "{delta}");
    let assembly = heard(&counted, "assembly/assembly@0");
    let at = |label: &str| assembly.find(&format!("<result label=\"{label}\">")).expect(label);
    assert!(at("task_1: alpha") < at("task_2: beta") && at("task_2: beta") < at("task_3: gamma") && at("task_3: gamma") < at("task_4: delta"));
    assert!(["m0", "m1", "m2"].iter().all(|model| !assembly.contains(model)), "no word of who did what: {assembly}");
}

#[tokio::test]
async fn a_part_that_fails_is_done_by_the_next_seat() {
    let (verdict, rows, _) = run(voices(|key, model| key.starts_with("tasks/") && model == "m1"), &order(&MODE, 1)).await;
    assert_eq!((verdict.status, verdict.receipt.calls.planned, verdict.receipt.calls.extra), (Status::Degraded, 6, 1));
    assert_eq!(verdict.decision.as_ref().map(|decision| &decision["failed"]), Some(&json!([])));
    assert!(verdict.warnings.iter().any(|warning| warning == "m1 failed at task_2; m2 did it."), "{:?}", verdict.warnings);
    assert!(states(&rows).iter().all(|(_, state)| state == "done"));
}

#[tokio::test]
async fn those_that_need_a_failed_part_are_told_and_go_on() {
    let (verdict, rows, counted) = run(voices(|key, _| key.starts_with("tasks/task_1/")), &order(&MODE, 1)).await;
    assert_eq!(verdict.status, Status::Degraded);
    let decision = verdict.decision.expect("a decision");
    assert_eq!((&decision["done"], &decision["failed"]), (&json!(3), &json!(["task_1"])));
    let gamma = heard(&counted, "tasks/task_3/work@2");
    assert!(gamma.contains("nobody could do them") && gamma.contains("task_1: alpha"), "{gamma}");
    let delta = heard(&counted, "tasks/task_4/work@0");
    assert!(delta.contains("nobody could do them:\n<table>\ntask_1: alpha\n</table>") && !delta.contains("not shown here"), "{delta}");
    let used = |task: &str| {
        let shown = rows.iter().find(|row| row.kind == Kind::Shown && row.key.starts_with(&format!("tasks/show {task}"))).map(Row::body);
        let Some(Ok(Body::Shown(shown))) = shown else { panic!("no row of {task}") };
        shown.exhibit.row().expect("data")["dependenciesUsed"].clone()
    };
    assert_eq!((used("task_3"), used("task_4")), (json!([]), json!(["task_3", "task_2"])), "what failed was not used");
    let assembly = heard(&counted, "assembly/assembly@0");
    assert!(
        assembly.contains("3 of 4 parts have a result") && assembly.contains("task_1: alpha (LOW), needs none. No result: whoever was to do it"),
        "{assembly}"
    );
    let state: Vec<String> = states(&rows).into_iter().map(|(_, state)| state).collect();
    assert_eq!(state, ["failed", "done", "done", "done"]);
    let row = rows.iter().find(|row| row.kind == Kind::Shown && row.key.starts_with("tasks/show task_1")).expect("a row for the failed part");
    let Ok(Body::Shown(shown)) = row.body() else { panic!("not readable") };
    let data = shown.exhibit.row().expect("data");
    assert_eq!((&data["failed"], &data["wordCount"]), (&json!(true), &Value::Null));
    assert!(data["failureReason"].as_str().is_some_and(|reason| reason.contains("the provider is down")), "{data}");
}

#[tokio::test]
async fn without_an_assembler_the_results_come_one_after_another_with_the_gaps() {
    let (verdict, _, _) = run(voices(|key, _| key.starts_with("assembly/") || key.starts_with("tasks/task_2/")), &order(&MODE, 1)).await;
    assert_eq!(verdict.status, Status::Degraded);
    let answer = verdict.answer.expect("an answer");
    assert_eq!(answer.kind, AnswerKind::Computed);
    assert!(
        answer.text.starts_with("## alpha\n\n") && answer.text.contains("\n\n## gamma\n\n") && answer.text.ends_with("## Not done\n\n- beta"),
        "{}",
        answer.text
    );
    assert!(!answer.text.contains("## beta"), "{}", answer.text);
}

#[tokio::test]
async fn with_no_part_done_nothing_is_assembled() {
    let (verdict, _, counted) = run(voices(|key, _| key.starts_with("tasks/")), &order(&MODE, 1)).await;
    assert_eq!((verdict.status, verdict.answer), (Status::NoQuorum, None));
    assert!(counted.calls().keys().all(|key| !key.starts_with("assembly/")));
}

#[tokio::test]
async fn the_next_seat_plans_when_the_planner_fails() {
    let (verdict, _, _) = run(voices(|key, model| key.starts_with("plan/") && model == "m0"), &order(&MODE, 1)).await;
    assert_eq!(verdict.status, Status::Degraded);
    assert!(verdict.warnings.iter().any(|warning| warning == "m0 failed in plan; m1 took over."), "{:?}", verdict.warnings);
}

#[tokio::test]
async fn parts_go_to_the_seats_tagged_for_them() {
    let mut order = order(&MODE, 1);
    order.options.push(("expertise".into(), OptionValue::json(json!(["creative", "technical", "general"]))));
    let (_, _, counted) = run(voices(|_, _| false), &order).await;
    let mut asked: Vec<String> = counted.calls().into_keys().filter(|key| key.starts_with("tasks/")).collect();
    asked.sort();
    assert_eq!(asked, ["tasks/task_1/work@1", "tasks/task_2/work@0", "tasks/task_3/work@1", "tasks/task_4/work@0"]);
}

/// Every call takes 100 ms, the second part five times as long.
struct Uneven(Arc<dyn Models>);
struct Timed(Arc<dyn Model>);

impl Model for Timed {
    fn slot(&self) -> BoxFuture<'_, EndpointSlot> {
        self.0.slot()
    }
    fn call<'a>(&'a self, request: &'a Request, context: &'a CallContext) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(if context.key.starts_with("tasks/task_2/") { 500 } else { 100 })).await;
            self.0.call(request, context).await
        })
    }
}

impl Models for Uneven {
    fn resolve(&self, field: &str, name: &str) -> Result<ModelCard, Problem> {
        self.0.resolve(field, name)
    }
    fn open(&self, card: &ModelCard) -> Result<Arc<dyn Model>, Problem> {
        Ok(Arc::new(Timed(self.0.open(card)?)))
    }
    fn probe<'a>(&'a self, cards: &'a [&'a ModelCard]) -> BoxFuture<'a, Vec<Problem>> {
        self.0.probe(cards)
    }
}

#[tokio::test(start_paused = true)]
async fn a_part_waits_for_its_own_inputs_and_for_nobody_else() {
    let rig = Rig::new(Arc::new(Uneven(Arc::new(voices(|_, _| false)))));
    let begun = Instant::now();
    let (run, ending) = rig.run(&order(&MODE, 1)).await;
    verdict(ending);
    // The plan, the slow second part, the fourth that needs it, and the answer. In waves the third would have waited for the second.
    let took = begun.elapsed();
    assert!((Duration::from_millis(800)..Duration::from_millis(850)).contains(&took), "{took:?}");
    let rows = rig.rows(&run).await;
    let at = |kind: Kind, key: &str| rows.iter().position(|row| row.kind == kind && row.key.starts_with(key));
    assert!(at(Kind::Said, "tasks/task_3/") < at(Kind::Said, "tasks/task_2/"));
}

/// A clock that stands still but for what the models take.
struct ModelTime(std::sync::atomic::AtomicI64);

impl synod_engine::Clock for ModelTime {
    fn now(&self) -> synod_types::Millis {
        self.0.load(std::sync::atomic::Ordering::SeqCst)
    }
}

#[tokio::test]
async fn times_come_from_the_journal_and_are_the_same_on_replay() {
    let clock = Arc::new(ModelTime(1_772_373_729_000.into()));
    let ticking = clock.clone();
    let models = Voices::default().timed().scripted(move |_, _, context| {
        let took = match context.key.as_str() {
            key if key.starts_with("plan/") => 1000,
            key if key.starts_with("tasks/task_2/") => 9000,
            key if key.starts_with("assembly/") => 2000,
            _ => 1500,
        };
        ticking.0.fetch_add(took, std::sync::atomic::Ordering::SeqCst);
        context.key.starts_with("plan/").then(|| Ok(Reply::text(plan().to_string())))
    });
    let rig = Rig::new(Arc::new(models)).clock(clock);
    let (run, ending) = rig.run(&order(&MODE, 1)).await;
    let first = verdict(ending);
    // task_2, which took 9 s, and then task_4: longer than the three others in a row, which the plan would have taken for the longest.
    assert_eq!(first.data["criticalPath"], json!(["task_2", "task_4"]));
    assert_eq!((&first.data["criticalPathMs"], &first.data["totalPipelineMs"]), (&json!(10_500), &json!(13_500)));
    assert_eq!(first.data["parallelismEfficiency"], json!(1.0), "9 + 3 × 1.5 of 13.5 s");
    let rows = rig.rows(&run).await;
    let row = |stage: &str| {
        rows.iter().find_map(|row| match row.body() {
            Ok(Body::Shown(shown)) if shown.stage == stage => shown.exhibit.row(),
            _ => None,
        })
    };
    let assembly = row("assembly").expect("an assembly");
    assert_eq!((&assembly["criticalPathMs"], &assembly["totalPipelineMs"]), (&json!(10_500), &json!(13_500)));
    assert_eq!(row("task_2").expect("a part")["responseTimeMs"], json!(9000));
    let replayed = rig.runner().replay(&run).await.expect("it replays");
    assert!(replayed.same(), "{:?}", replayed.ending);
}
