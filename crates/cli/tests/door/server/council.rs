//! One request for every mode, answered with its events: from the first to the last, cut or not; what is wrong is told before it opens; and every
//! name a client may use means what its mode says.

use crate::server::http::{Event, Request};
use crate::server::serving::Serving;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use synod_engine::Mode;
use synod_modes::MODES;

const PATH: &str = "/api/council/stream";

fn ask(mode: &str, more: Value) -> Value {
    let mut body = json!({"question": "Should a small team move its batch jobs from cron to a queue?", "mode": mode});
    for (name, value) in more.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    body
}

fn rows(events: &[Event]) -> Vec<&Event> {
    events.iter().filter(|event| event.id.is_some()).collect()
}

/// All events of a request, and the data of the first.
#[track_caller]
fn streamed(serving: &Serving, body: &Value) -> (Vec<Event>, Value) {
    let mut stream = Request::post(PATH, body).open(serving.addr);
    assert_eq!(stream.status, 200, "{body}");
    let events = stream.events();
    let first = events.first().map(|event| event.data["data"].clone()).unwrap_or_default();
    (events, first)
}

every_mode!(every_mode_streams_to_its_end_and_is_there_after_a_reload);
fn every_mode_streams_to_its_end_and_is_there_after_a_reload(mode: &Mode) {
    let serving = Serving::bare();
    let id = mode.id;
    let (events, start) = streamed(&serving, &ask(id, json!({})));
    let kinds: Vec<&str> = events.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!((kinds.first(), kinds.last()), (Some(&"run_start"), Some(&"complete")), "{id}");
    let titles: Vec<&Event> = events.iter().filter(|event| event.kind == "title_complete").collect();
    let [title] = titles.as_slice() else { panic!("{id}: {titles:?}") };
    let title = title.data["data"]["title"].as_str().expect("a title");
    assert!(!title.is_empty() && title.chars().count() <= 50, "{id}: {title}");
    let run = events[0].data["run"].as_str().expect("a run").to_owned();
    let conversation = start["conversationId"].as_str().expect("a conversation").to_owned();
    assert_eq!((start["mode"].as_str(), start["messageId"].as_str()), (Some(id), Some(format!("{run}:answer").as_str())));

    // The same again, cut in the middle and gone on with by the run's id.
    let mut stream = Request::post(PATH, &ask(id, json!({}))).open(serving.addr);
    let mut seen: Vec<Event> = Vec::new();
    while seen.len() < 7 {
        seen.extend(stream.event().filter(|event| event.id.is_some()));
    }
    drop(stream);
    let other = seen[0].data["run"].as_str().expect("a run").to_owned();
    let last = seen.last().and_then(|event| event.id).expect("a number");
    seen.extend(serving.events(&other, last).into_iter().filter(|event| event.id.is_some()));
    let whole = serving.events(&other, 0);
    assert_eq!(seen.iter().collect::<Vec<_>>(), rows(&whole), "{id}: every event exactly once");

    // What a page shows after a reload.
    let now = serving.get(&format!("/v1/runs/{run}")).is(200).json();
    assert!(now["question"].as_str().is_some_and(|text| text.starts_with("Should a small team")), "{id}: {now}");
    assert_eq!((now["title"].as_str(), now["conversation"].as_str()), (Some(title), Some(conversation.as_str())), "{id}");
    assert!(now["stages"].as_object().is_some_and(|stages| !stages.is_empty()), "{id}: {now}");
    let talk = serving.get(&format!("/v1/conversations/{conversation}?stages=true")).is(200).json();
    assert_eq!((talk["title"].as_str(), talk["mode"].as_str()), (Some(title), Some(id)));
    let [question, answer] = talk["messages"].as_array().expect("messages").as_slice() else { panic!("{id}: {talk}") };
    assert_eq!(
        (question["role"].as_str(), answer["role"].as_str(), answer["id"].as_str()),
        (Some("user"), Some("assistant"), start["messageId"].as_str())
    );
    assert_eq!(answer["content"], now["verdict"]["answer"]["text"], "{id}");
    let stages = answer["stages"].as_array().expect("stages");
    assert_eq!(serving.get(&format!("/v1/runs/{run}/stages")).is(200).json()["stages"], answer["stages"], "{id}");
    for stage in stages {
        let names: BTreeSet<&str> = stage.as_object().expect("a row").keys().map(String::as_str).collect();
        let want = ["id", "message_id", "stage_type", "stage_order", "model", "role", "content", "parsed_data", "response_time_ms", "created_at"];
        assert_eq!(names, BTreeSet::from(want), "{id}");
        assert!(stage["message_id"] == answer["id"] && stage["content"].is_string() && stage["stage_order"].is_i64(), "{id}: {stage}");
    }
}

every_mode!(a_second_message_carries_the_conversation_or_its_last_verdict);
fn a_second_message_carries_the_conversation_or_its_last_verdict(mode: &Mode) {
    let serving = Serving::bare();
    let (_, first) = streamed(&serving, &ask(mode.id, json!({})));
    let conversation = first["conversationId"].as_str().expect("a conversation");
    let next = json!({"question": "And in a year?", "mode": mode.id, "conversationId": conversation});
    let (events, start) = streamed(&serving, &next);
    assert_eq!(start["conversationId"], first["conversationId"], "{}", mode.id);
    assert!(!events.iter().any(|event| event.kind == "title_complete"), "{}: it has a title", mode.id);
    let last = &events.last().expect("an end").data;
    if mode.multi_turn {
        assert_eq!(start["question"]["history"].as_array().map(Vec::len), Some(1), "{}: {start}", mode.id);
    } else {
        let earlier = &start["question"]["earlier"];
        assert!(earlier["question"].as_str().is_some_and(|text| text.starts_with("Should a small team")), "{}: {start}", mode.id);
        assert!(earlier["answer"].as_str().is_some_and(|text| text.contains("Decision: {")), "{}: {earlier}", mode.id);
        let told =
            last["data"]["warnings"].as_array().expect("warnings").iter().any(|told| told.as_str().is_some_and(|told| told.contains("as context")));
        assert!(told, "{}: it is said so: {}", mode.id, last["data"]["warnings"]);
    }
    let talk = serving.get(&format!("/v1/conversations/{conversation}")).is(200).json();
    assert_eq!(talk["messages"].as_array().map(Vec::len), Some(4), "{}", mode.id);
}

#[test]
fn what_is_wrong_is_told_in_order_and_before_the_stream_opens() {
    let serving = Serving::keyed();
    let (key, other) = (serving.key(&["--scopes", "read,run", "--concurrent-runs", "1"]), serving.key(&["--scopes", "read,run"]));
    let post = |key: &str, body: &str| Request::new("POST", PATH).header("content-type", "application/json").key(key).body(body).send(serving.addr);
    // 401 before all else.
    Request::new("POST", PATH).header("content-type", "application/json").body("{").send(serving.addr).fails(401, "unauthorized");
    post("synod_wrong", "{").fails(401, "unauthorized");
    // 429 before the body is read.
    serving.house.server.script(synod_testkit::server::ANY, synod_testkit::server::Fault::latency_ms(2000));
    let models = json!({"councilModels": ["x/a", "x/b", "x/c"]});
    let idempotent = |body: &Value| Request::post(PATH, body).key(&key).header("idempotency-key", "order-1");
    let mut under_way = idempotent(&ask("council", models.clone())).open(serving.addr);
    let run = under_way.event().expect("run_start").data["run"].as_str().expect("a run").to_owned();
    post(&key, "{").fails(429, "limited");
    // The same request once more is the same run, whatever the limit.
    let mut again = idempotent(&ask("council", models.clone())).open(serving.addr);
    assert_eq!((again.status, again.event().expect("run_start").data["run"].as_str()), (200, Some(run.as_str())));
    drop((under_way, again));
    // 400: the shape.
    for (body, field) in [
        ("{", "body"),
        ("[]", "body"),
        ("{}", "question"),
        (r#"{"question": "  "}"#, "question"),
        (r#"{"question": 7}"#, "question"),
        (r#"{"question": "q", "modeConfig": []}"#, "modeConfig"),
        (r#"{"question": "q", "councilModels": "x"}"#, "councilModels"),
        (r#"{"question": "q", "colour": 1}"#, "colour"),
    ] {
        let problem = post(&other, body).fails(400, "invalid");
        assert!(problem["errors"][0]["field"].as_str().is_some_and(|given| given.starts_with(field)), "{body}: {problem}");
    }
    // 400: the mode, also where clients look for it.
    let problem = post(&other, r#"{"question": "q", "mode": "jurry", "modeConfig": {"colour": 1}}"#).fails(400, "invalid");
    assert_eq!((problem["error"].as_str(), problem["errors"][0]["suggestion"].as_str()), (Some("Unknown mode: jurry"), Some("jury")));
    // 400: the options, all of them, before the conversation.
    let wrong = json!({"question": "q", "mode": "delphi", "conversationId": "nowhere",
        "modeConfig": {"maxRounds": 99, "agreement": "most", "panelistModels": ["x/a", "nobody"], "colour": "red"}});
    let problem = post(&other, &wrong.to_string()).fails(400, "invalid");
    let fields: BTreeSet<&str> = problem["errors"].as_array().expect("errors").iter().filter_map(|error| error["field"].as_str()).collect();
    let want = ["modeConfig.maxRounds", "modeConfig.agreement", "modeConfig.colour", "modeConfig.panelistModels[1]"];
    assert!(BTreeSet::from(want).is_subset(&fields), "{problem}");
    // Then the conversation: another mode, nobody's, somebody else's.
    serving.house.server.behave();
    let (events, start) = {
        let mut stream = Request::post(PATH, &ask("vote", models.clone())).key(&other).open(serving.addr);
        let events = stream.events();
        let start = events[0].data["data"].clone();
        (events, start)
    };
    assert_eq!(events.last().map(|event| event.kind.as_str()), Some("complete"));
    let joined = |mode: &str| {
        json!({"question": "q", "mode": mode, "conversationId": start["conversationId"], "councilModels": ["x/a", "x/b", "x/c"]}).to_string()
    };
    let problem = post(&other, &joined("council")).fails(400, "invalid");
    assert!(problem["errors"][0]["field"] == "conversationId" && problem["detail"].as_str().is_some_and(|told| told.contains("vote")), "{problem}");
    let nowhere = json!({"question": "q", "conversationId": "nowhere", "councilModels": ["x/a", "x/b", "x/c"]}).to_string();
    post(&other, &nowhere).fails(404, "not_found");
    let admin = serving.key(&["--scopes", "admin"]);
    let mut of_admin = Request::post(PATH, &ask("vote", models)).key(&admin).open(serving.addr);
    let foreign = of_admin.events()[0].data["data"]["conversationId"].clone();
    let body = json!({"question": "q", "mode": "vote", "conversationId": foreign, "councilModels": ["x/a", "x/b", "x/c"]}).to_string();
    post(&other, &body).fails(404, "not_found");
}

/// A mode, the names a request uses, and what they come to: models of the panel, roles, options, and whether there is content.
fn table() -> Vec<(&'static str, Value, Value)> {
    let rubric = json!({"name": "Ours", "description": "What we look for", "criteria": [
        {"name": "One", "description": "The first of three", "weight": 3}, {"name": "Two", "description": "The second of three", "weight": 2},
        {"name": "Three", "description": "The third of three", "weight": 1}]});
    let librarian = json!({"title": "Librarian", "expertiseAreas": "catalogues and order", "description": "Looks at how things are found again",
        "priorities": ["finding things", "keeping order", "long memory"], "criteria": ["order", "access", "care"]});
    vec![
        ("council", json!({"councilModels": ["x/a", "x/b"], "chairmanModel": "x/c"}), json!({"panel": ["x/a", "x/b"], "roles": {"chairman": "x/c"}})),
        (
            "vote",
            json!({"councilModels": ["x/a", "x/b", "x/d"], "chairmanModel": "x/c"}),
            json!({"panel": ["x/a", "x/b", "x/d"], "roles": {"chairman": "x/c"}}),
        ),
        (
            "jury",
            json!({"content": "Two and two is four.", "originalQuestion": "What is two and two?", "jurorModels": ["x/a", "x/b", "x/c"], "foremanModel": "x/d"}),
            json!({"panel": ["x/a", "x/b", "x/c"], "roles": {"foreman": "x/d"}, "content": "Two and two is four.", "text": "What is two and two?"}),
        ),
        ("debate", json!({"models": ["x/a", "x/b", "x/c"]}), json!({"panel": ["x/a", "x/b", "x/c"]})),
        (
            "delphi",
            json!({"panelistModels": ["x/a", "x/b", "x/c"], "facilitatorModel": "x/d", "maxRounds": 3, "numericConvergenceThreshold": 0.2,
                "qualitativeConvergenceThreshold": 80, "questionType": "qualitative", "options": ["stay", "go"]}),
            json!({"panel": ["x/a", "x/b", "x/c"], "roles": {"facilitator": "x/d"},
                "options": {"max_rounds": 3, "within": 0.2, "agreement": 80, "question_type": "choice", "options": ["stay", "go"]}}),
        ),
        (
            "red_team",
            json!({"generatorModel": "x/a", "attackerModel": "x/b", "synthesizerModel": "x/c", "rounds": 1, "maxInputLength": 2000}),
            json!({"panel": ["x/a", "x/b"], "roles": {"generator": "x/a", "attacker": "x/b", "synthesizer": "x/c"},
                "options": {"rounds": 1, "max_input_chars": 2000}}),
        ),
        (
            "chain",
            json!({"steps": [{"model": "x/a", "mandate": "draft"}, {"model": "x/b", "mandate": "custom", "customMandate": "Add a summary on top."},
                {"model": "x/a", "mandate": "polish_format"}]}),
            json!({"panel": ["x/a", "x/b", "x/a"], "options": {"steps": ["draft", "custom", "polish_format"], "custom_mandates": ["Add a summary on top."]}}),
        ),
        (
            "specialist_panel",
            json!({"specialists": [{"roleId": "security_expert", "model": "x/a"}, {"roleId": "custom", "model": "x/b", "customRole": librarian}],
                "synthesizerModel": "x/c"}),
            json!({"panel": ["x/a", "x/b"], "roles": {"synthesizer": "x/c"}, "options": {"roles": ["security_expert", "custom_librarian"]}}),
        ),
        (
            "blueprint",
            json!({"documentType": "cost_analysis_report", "architectModel": "x/a", "authorModels": ["x/b", "x/c"], "assemblerModel": "x/d"}),
            json!({"panel": ["x/b", "x/c"], "roles": {"architect": "x/a", "assembler": "x/d"}, "options": {"document_type": "cost_analysis_report"}}),
        ),
        (
            "peer_review",
            json!({"reviewType": "custom", "customRubric": rubric, "reviewerModels": ["x/a", "x/b"], "consolidatorModel": "x/c"}),
            json!({"panel": ["x/a", "x/b"], "roles": {"consolidator": "x/c"}, "options": {"review_type": "custom"}}),
        ),
        (
            "tournament",
            json!({"contestantModels": ["x/a", "x/b", "x/c", "x/d"], "judgeModel": "x/e"}),
            json!({"panel": ["x/a", "x/b", "x/c", "x/d"], "roles": {"judge": "x/e"}}),
        ),
        (
            "confidence_weighted",
            json!({"models": ["x/a", "x/b"], "synthesisModel": "x/c", "temperature": 0.5}),
            json!({"panel": ["x/a", "x/b"], "roles": {"synthesizer": "x/c"}, "options": {"temperature": 0.5}}),
        ),
        (
            "decompose",
            json!({"plannerModel": "x/a", "workerModels": ["x/b", "x/c"], "assemblerModel": "x/d", "maxTasks": 4}),
            json!({"panel": ["x/b", "x/c"], "roles": {"planner": "x/a", "assembler": "x/d"}, "options": {"max_tasks": 4}}),
        ),
        (
            "brainstorm",
            json!({"models": ["x/a", "x/b", "x/c"], "curatorModel": "x/d", "refinerModel": "x/a", "minIdeasPerModel": 4, "maxClusters": 3}),
            json!({"panel": ["x/a", "x/b", "x/c"], "roles": {"curator": "x/d", "refiner": "x/a"}, "options": {"ideas_per_seat": 4, "max_clusters": 3}, "seats": 4}),
        ),
        (
            "fact_check",
            json!({"contentToCheck": "Two and two is four.", "generatorModel": "x/a", "extractorModel": "x/b", "checkerModels": ["x/c", "x/d", "x/e"],
                "reporterModel": "x/f", "maxContentLength": 900}),
            json!({"panel": ["x/c", "x/d", "x/e"], "roles": {"generator": "x/a", "extractor": "x/b", "reporter": "x/f"},
                "options": {"max_content_chars": 900}, "content": "Two and two is four."}),
        ),
    ]
}

fn seated(start: &Value, role: &str) -> Vec<String> {
    let seats = start["roles"][role].as_array().cloned().unwrap_or_default();
    let model = |seat: &Value| start["seats"][seat.as_u64().unwrap_or_default() as usize]["model"].as_str().map(str::to_owned);
    seats.iter().filter_map(model).collect()
}

#[test]
fn every_name_is_read_as_its_mode_says_and_what_it_names_is_asked() {
    let serving = Serving::new();
    let table = table();
    for (mode, config, want) in &table {
        let mut config = config.clone();
        config["timeoutMs"] = 45_000.into();
        let before = serving.house.server.per_model();
        let (events, start) = streamed(&serving, &ask(mode, json!({ "modeConfig": config })));
        let panel: Vec<&str> = start["seats"]
            .as_array()
            .expect("seats")
            .iter()
            .filter(|seat| seat["place"] == "panel")
            .filter_map(|seat| seat["model"].as_str())
            .collect();
        assert_eq!(json!(panel), want["panel"], "{mode}");
        for (role, model) in want["roles"].as_object().into_iter().flatten() {
            assert_eq!(json!(seated(&start, role)), json!([model]), "{mode}: {role}");
        }
        for (option, value) in want["options"].as_object().into_iter().flatten() {
            assert_eq!(start["options"][option], *value, "{mode}: {option}");
        }
        assert_eq!(start["question"]["content"], want["content"], "{mode}");
        if let Some(text) = want["text"].as_str() {
            let asked = start["question"]["text"].as_str().unwrap_or_default();
            assert!(asked.contains(text) && asked.starts_with("Should a small team"), "{mode}: {asked}");
        }
        if let Some(seats) = want["seats"].as_u64() {
            let held = start["seats"].as_array().expect("seats").iter().filter(|seat| seat["place"] != "clerk").count() as u64;
            assert_eq!(held, seats, "{mode}: whoever holds a role anyway has one seat");
        }
        assert_eq!(start["limits"]["idle_ms"], 45_000, "{mode}");
        // Whoever is named was asked something, but for those whose part may not come up.
        let after = serving.house.server.per_model();
        let spare = ["generator", "synthesizer"];
        let roles =
            want["roles"].as_object().into_iter().flatten().filter(|(role, _)| !spare.contains(&role.as_str())).map(|(_, model)| model.clone());
        for model in want["panel"].as_array().expect("a panel").iter().cloned().chain(roles) {
            let id = model.as_str().and_then(|name| name.strip_prefix("x/")).expect("a model");
            assert!(after.get(id) > before.get(id), "{mode}: {id} was not asked; it ended with {:?}", events.last().map(|event| &event.data));
        }
        assert!(matches!(events.last().map(|event| event.kind.as_str()), Some("complete" | "error")), "{mode}");
    }
    let covered: BTreeSet<(&str, String)> =
        table.iter().flat_map(|(mode, config, _)| config.as_object().into_iter().flatten().map(|(name, _)| (*mode, name.clone()))).collect();
    for mode in MODES {
        for known in mode.request_names {
            assert!(covered.contains(&(mode.id, known.name.to_owned())), "{} {} is in no row", mode.id, known.name);
        }
    }
}

#[test]
fn a_wrong_type_of_each_name_is_told_by_that_name() {
    let serving = Serving::new();
    for (mode, config, _) in table() {
        for name in config.as_object().expect("names").keys().map(String::as_str).chain(["timeoutMs"]) {
            for wrong in [json!(true), json!({"a": 1}), json!([[]])] {
                let mut config = config.clone();
                config[name] = wrong.clone();
                if name == "customRubric" && wrong.is_object() || config[name] == json!([[]]) && name == "steps" {
                    continue;
                }
                let problem = Request::post(PATH, &ask(mode, json!({ "modeConfig": config }))).send(serving.addr).fails(400, "invalid");
                let field = format!("modeConfig.{name}");
                let told = problem["errors"]
                    .as_array()
                    .expect("errors")
                    .iter()
                    .any(|error| error["field"].as_str().is_some_and(|given| given.starts_with(&field)));
                assert!(told, "{mode} {name} {wrong}: {problem}");
            }
        }
    }
    assert_eq!(serving.get("/v1/runs").json()["runs"].as_array().map(Vec::len), Some(0), "nothing was begun");
    assert_eq!(serving.get("/v1/conversations").json()["conversations"].as_array().map(Vec::len), Some(0));
}

#[test]
fn models_beside_the_configuration_and_in_it_must_not_contradict() {
    let serving = Serving::new();
    let both = json!({"councilModels": ["x/a", "x/b", "x/c"], "chairmanModel": "x/d", "modeConfig": {"councilModels": ["x/a", "x/b", "x/c"]}});
    let (_, start) = streamed(&serving, &ask("council", both));
    assert_eq!(seated(&start, "chairman"), ["x/d"]);
    // In any mode, by its own roles.
    let (_, start) = streamed(&serving, &ask("jury", json!({"councilModels": ["x/a", "x/b", "x/c"], "chairmanModel": "x/d"})));
    assert_eq!((seated(&start, "juror").len(), seated(&start, "foreman")), (3, vec!["x/d".to_owned()]));
    let other = json!({"councilModels": ["x/a", "x/b", "x/c"], "modeConfig": {"councilModels": ["x/d", "x/e", "x/f"]}});
    let problem = Request::post(PATH, &ask("council", other)).send(serving.addr).fails(400, "invalid");
    assert_eq!(problem["errors"][0]["field"], "modeConfig.councilModels");
    let twice = json!({"modeConfig": {"maxRounds": 3, "max_rounds": 4}});
    let problem = Request::post(PATH, &ask("delphi", twice)).send(serving.addr).fails(400, "invalid");
    assert!(problem["errors"][0]["want"].as_str().is_some_and(|want| want.contains("maxRounds") && want.contains("max_rounds")), "{problem}");
    // One place named, the other left to the server's own panel.
    let serving = Serving::with("[panels.default]\nseats = [\"x/p\", \"x/q\", \"x/r\"]\n", &[]);
    let (_, start) = streamed(&serving, &ask("red_team", json!({"modeConfig": {"attackerModel": "x/b"}})));
    assert_eq!((seated(&start, "generator"), seated(&start, "attacker")), (vec!["x/p".to_owned()], vec!["x/b".to_owned()]));
}
