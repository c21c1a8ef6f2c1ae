//! The plan's text form as models write it, and what is made of a poor plan.

use super::plan::{MOST_IDS, Plan, Schedule, id};
use super::{Complexity, Draft, Expertise, MODE, TimesSoFar, plan_warnings};
use synod_engine::{IdLists, ReplyFormat, TypedReply};

fn terms() -> IdLists {
    IdLists::default().with("tasks", (0..MOST_IDS).map(id))
}

fn read(text: &str) -> Vec<Draft> {
    Plan::from_text(text, &terms()).map(|plan| plan.tasks).unwrap_or_default()
}

fn needs(text: &str) -> Vec<Vec<String>> {
    read(text).into_iter().map(|draft| draft.depends_on).collect()
}

fn draft(title: &str, depends_on: &[&str]) -> Draft {
    Draft {
        title: title.into(),
        description: String::new(),
        depends_on: depends_on.iter().map(|id| (*id).to_owned()).collect(),
        complexity: None,
        expertise: None,
    }
}

fn schedule(tasks: Vec<Draft>) -> Schedule {
    Schedule::of(Plan { reasons: String::new(), tasks }, 6, &[0, 1, 2], &[])
}

const GOOD: &str = "Two steps build on one.\n\nTASK PLAN:\n\n**TASK task_1:**\n- **Title:** Gather\n- **Description:** Collect the figures.\n  All of them.\n\
    - **Dependencies:** none\n- **Complexity:** LOW\n- **Expertise:** analytical\n\n\
    ### TASK task_2: ignored here\nTitle: Compare\n\nDescription: Compare them.\n\nDependencies: [task_1]\nComplexity: **HIGH**\nExpertise: Technical\n\n\
    TASK task_3:\nTitle: Recommend\nDescription: Decide.\nDependencies: task_1 and task_2\nComplexity: MEDIUM\nExpertise: general\n\nSUMMARY: three parts";

#[test]
fn blocks_are_read_with_their_markup() {
    let plan = Plan::from_text(GOOD, &terms()).expect("a plan");
    assert_eq!(plan.reasons, "Two steps build on one.\n\nTASK PLAN:");
    let titles: Vec<&str> = plan.tasks.iter().map(|draft| draft.title.as_str()).collect();
    assert_eq!(titles, ["Gather", "Compare", "Recommend"]);
    assert_eq!(plan.tasks[0].description, "Collect the figures.\n  All of them.");
    assert_eq!(plan.tasks[1].complexity, Some(Complexity::High));
    assert_eq!(plan.tasks[1].expertise, Some(Expertise::Technical));
    assert_eq!(needs(GOOD), [vec![], vec!["task_1"], vec!["task_1", "task_2"]]);
    assert!(Plan::read(GOOD, &terms()).is_ok(), "what is read fits the schema");
}

#[test]
fn a_bad_complexity_costs_only_itself() {
    let text = "TASK task_1:\nTitle: A\nDescription: a\nDependencies: none\nComplexity: EXTREME\nExpertise: wizardry\n\n\
                TASK task_2:\nTitle: B\nDescription: b\nDependencies: task_1\nComplexity: LOW\nExpertise: general";
    let drafts = read(text);
    assert_eq!((drafts.len(), drafts[0].complexity, drafts[0].expertise), (2, None, None));
    assert_eq!((needs(text), drafts[1].complexity), (vec![vec![], vec!["task_1".to_owned()]], Some(Complexity::Low)));
}

#[test]
fn ids_are_found_however_they_are_listed_and_prose_names_none() {
    for (list, want) in [
        ("task_1 and task_3", vec!["task_1", "task_3"]),
        ("[task_1, task_3]", vec!["task_1", "task_3"]),
        ("`task_1`, TASK_3.", vec!["task_1", "task_3"]),
        ("Task 1; task-3", vec!["task_1", "task_3"]),
        ("1, 3", vec!["task_1", "task_3"]),
        ("none", vec![]),
        ("None (can begin at once)", vec![]),
        ("the results of 3 interviews", vec![]),
        ("task_9, task_1", vec!["task_9", "task_1"]),
        ("task_99, task_1", vec!["task_1"]),
        ("task_1 task_1", vec!["task_1"]),
    ] {
        let text = format!("TASK task_1:\nTitle: A\n\nTASK task_2:\nTitle: B\nDependencies: {list}\n\nTASK task_3:\nTitle: C");
        assert_eq!(needs(&text)[1], want, "{list}");
    }
}

#[test]
fn a_number_written_twice_is_numbered_anew_and_means_the_first() {
    let text = "TASK task_1:\nTitle: A\nTASK task_2:\nTitle: B\nTASK task_2:\nTitle: C\nDependencies: task_2\nTASK task_5:\nTitle: D\nDependencies: task_5, task_1";
    assert_eq!(read(text).len(), 4);
    assert_eq!(needs(text), [vec![], vec![], vec!["task_2"], vec!["task_4", "task_1"]]);
    let schedule = schedule(read(text));
    assert_eq!((schedule.dag.cut.len(), schedule.waves.clone()), (0, vec![vec![0, 1], vec![2, 3]]), "waiting for oneself is no circle");
}

#[test]
fn prose_is_no_plan() {
    for text in ["", "I would first do task_1: gather, then TASK task_2: compare.", "TASK PLAN: do it", "Task one: gather"] {
        assert_eq!(Plan::from_text(text, &terms()), None, "{text:?}");
    }
    let error = Plan::read("{\"reasons\": \"r\", \"tasks\": []}", &terms()).expect_err("a plan has parts");
    assert!(error.starts_with("tasks: [] (want: a list of at least one entry"), "{error}");
}

#[test]
fn too_many_parts_are_cut_and_nothing_waits_for_those() {
    let tasks = (1..=8).map(|n| draft(&format!("part {n}"), if n == 2 { &["task_1", "task_8", "task_9"] } else { &[] })).collect();
    let schedule = schedule(tasks);
    assert_eq!((schedule.tasks.len(), schedule.left_out.as_slice()), (6, ["part 7".to_owned(), "part 8".to_owned()].as_slice()));
    assert_eq!(schedule.dag.inputs(1), [0]);
    let said = plan_warnings(&schedule, 6).join("\n");
    assert!(said.contains("8 parts and may have 6") && said.contains("part 7; part 8") && said.contains("(task_9 for task_2)"), "{said}");
}

#[test]
fn a_plan_that_is_too_long_is_read_in_either_form() {
    let tasks: Vec<serde_json::Value> =
        (0..9).map(|at| serde_json::json!({"title": "t", "description": "d", "depends_on": if at == 8 { vec!["task_8", "task_12"] } else { vec![] }, "complexity": null, "expertise": null})).collect();
    let reply = serde_json::json!({"reasons": "r", "tasks": tasks}).to_string();
    let (value, _) = Plan::read(&reply, &terms()).expect("too long, but a plan");
    assert_eq!(schedule(Plan::recall(&value).expect("a plan").tasks).left_out.len(), 3);
    let text = "TASK task_1:\nTitle: A\n\nTASK task_2:\nTitle: B\nDependencies: task_1, task_9\n\nTASK task_3:\nTitle: C";
    let said = plan_warnings(&schedule(read(text)), 6).join("\n");
    assert!(said.contains("(task_9 for task_2)"), "{said}");
}

#[test]
fn one_loop_costs_one_edge_and_is_said() {
    let tasks = vec![draft("a", &["task_3"]), draft("b", &["task_1"]), draft("c", &["task_2", "task_4"]), draft("d", &[])];
    let schedule = schedule(tasks);
    assert_eq!((schedule.dag.cut.as_slice(), schedule.dag.edges.len()), ([(1, 2)].as_slice(), 3));
    assert_eq!(plan_warnings(&schedule, 6), ["task_1, task_2, task_3 wait for each other in a circle. To break it, task_3 goes without task_2."]);
    let graph = schedule.graph(&[], |place| ("planned", schedule.tasks[place].seat, String::new(), None));
    let cut: Vec<(&str, &str)> = graph.edges.iter().filter(|edge| edge.cut).map(|edge| (edge.from.as_str(), edge.to.as_str())).collect();
    assert_eq!(cut, [("task_2", "task_3")]);
}

#[test]
fn a_small_plan_is_taken_and_said() {
    let schedule = schedule(vec![draft("all of it", &["task_1"])]);
    assert_eq!((schedule.tasks[0].seat, schedule.widest()), (0, 1));
    assert_eq!(plan_warnings(&schedule, 6).len(), 1);
}

#[test]
fn the_longest_path_goes_by_the_size_of_parts() {
    let mut tasks = vec![draft("a", &[]), draft("b", &[]), draft("c", &["task_1", "task_2"])];
    tasks[1].complexity = Some(Complexity::High);
    let schedule = schedule(tasks);
    assert_eq!(schedule.ids(&schedule.critical), ["task_2", "task_3"]);
    assert_eq!(schedule.ids(&schedule.slowest(&[0, 0, 0])), ["task_2", "task_3"], "where no time is known, the plan's word stands");
    assert_eq!(schedule.ids(&schedule.slowest(&[900, 400, 100])), ["task_1", "task_3"], "what took longest need not be what was thought to");
    let graph = schedule.graph(&[0, 2], |place| ("done", schedule.tasks[place].seat, String::new(), Some(5)));
    assert_eq!(graph.nodes.iter().map(|node| node.critical).collect::<Vec<_>>(), [true, false, true]);
}

#[test]
fn the_registry_counts_every_part() {
    let calls = (MODE.calls)(&synod_types::Json::of(&serde_json::json!({"max_tasks": 8})), &synod_engine::Seating::default());
    assert_eq!(calls.iter().map(|line| (line.min, line.max)).collect::<Vec<_>>(), [(1, 1), (1, 8), (1, 1)]);
}

#[test]
fn efficiency_is_the_time_of_all_parts_by_that_of_the_run() {
    let before = TimesSoFar { planned: 1000, tasks: 9000, critical: 4000 };
    let times = before.with_assembly(1000);
    assert_eq!((times.critical_path_ms, times.total_pipeline_ms, times.parallelism_efficiency), (4000, 6000, 1.5));
    assert_eq!(TimesSoFar { planned: 0, tasks: 0, critical: 0 }.with_assembly(0).parallelism_efficiency, 1.0);
}
