//! Runs that stop, wait, conclude or are cancelled, and go on.

use crate::house::{House, essence};
use serde_json::{Value, json};
use synod_testkit::server::{Fault, Say};

const PRICED: &str = "[models.m]\nendpoint = \"x\"\nid = \"m\"\nprice = { input = 3.0, output = 15.0 }\n";

#[test]
fn a_budget_stops_before_the_call_that_would_break_it() {
    let house = House::with(PRICED);
    let priced = ["ask", "--models", "m,m,m", "--seed", "7", "--json", "-q"];
    let whole = house.synod(&[&priced[..], &["Tea?"]].concat()).exits(0).json();
    let before = house.server.total();
    let stopped = house.synod(&[&priced[..], &["--budget", "0.1", "Tea?"]].concat()).exits(4).json();
    assert_eq!((&stopped["state"], &stopped["stopped"]["reason"]), (&json!("stopped"), &json!("budget")));
    let paid = house.server.total() - before;
    assert!(paid < 8, "{paid} calls were made");
    let run = stopped["run"].as_str().expect("its id");
    let costs = house.synod(&["runs", "--json"]).json()["runs"][0]["spent_usd"].as_f64().expect("a known cost");
    assert!(costs <= 0.1, "{costs}");
    let went_on = house.synod(&["resume", run, "--budget", "5", "--json", "-q"]).exits(0).json();
    assert_eq!(essence(&went_on), essence(&whole));
    assert_eq!(house.server.total() - before, 8, "nothing was paid twice");
}

#[test]
fn a_deadline_concludes_with_what_there_is() {
    let house = House::new();
    for model in ["a", "b", "c"] {
        house.server.reply(model, |ask| match &ask.schema {
            None => Say::by_default(ask, 8),
            Some(_) => Say::fault(Fault::latency_ms(1200)),
        });
    }
    let did = house.synod(&["ask", "--models", "x/a,x/b,x/c", "--chair", "x/d", "--deadline", "0.6", "Tea?"]).exits(0);
    assert!(did.out.contains("deadline"), "{}", did.out);
    let verdict = house.synod(&["show", "last", "--json"]).exits(0).json()["verdict"].clone();
    assert_eq!((&verdict["status"], &verdict["stop_reason"]), (&json!("degraded"), &json!("deadline")));
    assert_eq!(verdict["answer"]["kind"], "synthesis", "the concluding turn may still start");
    let events = house.synod(&["watch", "last", "--json"]).exits(0).out;
    let kinds: Vec<Value> = events.lines().map(|line| serde_json::from_str::<Value>(line).expect("an event")["type"].clone()).collect();
    assert!(kinds.contains(&json!("warning")) && kinds.last() == Some(&json!("complete")), "{kinds:?}");
}

/// A vote that ends in a tie, whatever the labels: each votes for the first answer it sees of the two it is shown.
fn tied(house: &House) -> Vec<&'static str> {
    for (model, votes_for) in [("a", "from b"), ("b", "from c"), ("c", "from a")] {
        house.server.reply(model, move |ask| match &ask.schema {
            None => Say::text(format!("An answer from {}.", ask.model)),
            Some(_) => {
                let text = ask.text();
                let at = text.find(votes_for).expect("it is shown");
                let label = text[..at].rsplit("label=\"").next().and_then(|rest| rest.split('"').next()).expect("a label").to_owned();
                Say::json(&json!({"reasons": "It is first.", "vote": label}))
            }
        });
    }
    vec!["ask", "--mode", "vote", "--models", "x/a,x/b,x/c", "--chair", "x/d", "--seed", "7", "--tiebreaker", "person", "--json", "-q", "Tea?"]
}

#[test]
fn a_run_waits_for_a_person_is_listed_answered_and_goes_on() {
    let house = House::new();
    let args = tied(&house);
    let waiting = house.synod(&args).exits(4).json();
    assert_eq!(waiting["state"], "waiting");
    let run = waiting["run"].as_str().expect("its id").to_owned();
    let listed = house.synod(&["runs", "--waiting", "--json"]).exits(0).json();
    let question = &listed["runs"][0]["waiting"][0];
    assert_eq!(listed["runs"][0]["id"], run.as_str());
    let choice = question["choices"][1].as_str().expect("a choice").to_owned();
    let wrong = house.synod(&["review", &run, "--answer", "Q0"]).exits(2);
    assert!(wrong.err.contains(&choice), "{}", wrong.err);
    let calls = house.server.total();
    let verdict = house.synod(&["review", &run, "--answer", &choice, "--json", "-q"]).exits(0).json();
    assert_eq!((&verdict["decision"]["label"], &verdict["decision"]["tiebreak"]), (&json!(choice), &json!("person")));
    assert_eq!(house.server.total(), calls, "nothing was asked again");
    house.synod(&["review", &run, "--answer", &choice]).exits(2);
    assert!(house.synod(&["runs", "--waiting"]).out.contains("No run waits"));
}

#[test]
fn a_run_can_be_cancelled_and_concluded_from_another_process() {
    let house = House::new();
    house.server.script("b", Fault::latency_ms(1500));
    for (flag, code, want) in [(None, 4, "cancelled"), (Some("--conclude"), 0, "asked")] {
        let args = ["ask", "--models", "x/a,x/b,x/c", "--chair", "x/d", "--json", "-q", "Tea?"];
        let child = house.command(&args).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().expect("synod runs");
        let run = until(|| {
            house.synod(&["runs", "--json"]).json()["runs"]
                .as_array()
                .and_then(|runs| runs.iter().find(|run| run["state"] == "running").map(|run| run["id"].as_str().unwrap_or_default().to_owned()))
        });
        let cancel: Vec<&str> = ["cancel", &run].into_iter().chain(flag).collect();
        house.synod(&cancel).exits(0);
        let did = crate::house::Did::of(child.wait_with_output().expect("it ends")).exits(code);
        assert!(did.json().to_string().contains(want), "{}", did.out);
    }
}

#[test]
fn a_deadline_also_holds_for_turns_that_wait_for_a_place() {
    let house = House::with("concurrency = 1\n");
    house.server.script(synod_testkit::server::ANY, Fault::latency_ms(300));
    let did = house.synod(&["ask", "--models", "x/a,x/b,x/c,x/e,x/f", "--chair", "x/d", "--deadline", "0.7", "--json", "-q", "Tea?"]).exits(0);
    let verdict = did.json();
    assert_eq!((&verdict["status"], &verdict["stop_reason"]), (&json!("degraded"), &json!("deadline")));
    let rows = house.synod(&["show", "last", "--json"]).json()["rows"].clone();
    let kinds: Vec<(String, String)> = rows
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| (row["kind"].as_str().unwrap_or_default().to_owned(), row["key"].as_str().unwrap_or_default().to_owned()))
        .collect();
    let closing = kinds.iter().position(|(kind, _)| kind == "closing").expect("it closed");
    let late: Vec<_> = kinds[closing..].iter().filter(|(kind, key)| kind == "asked" && !key.starts_with("synthesis/")).collect();
    assert!(late.is_empty(), "{late:?}");
    let critical = verdict["receipt"]["critical_path_ms"].as_i64().expect("a time");
    assert!(critical < 1600, "time in the queue is no time at a model: {critical}");
}

#[test]
fn a_deadline_in_the_middle_of_a_vote_keeps_what_was_said() {
    let house = House::with("concurrency = 1\n");
    house.server.script(synod_testkit::server::ANY, Fault::latency_ms(300));
    let verdict = house.synod(&["ask", "--mode", "vote", "--models", "x/a,x/b,x/c", "--deadline", "0.5", "--json", "-q", "Tea?"]).exits(0).json();
    assert_eq!(
        (&verdict["status"], &verdict["stop_reason"], &verdict["answer"]["kind"]),
        (&json!("degraded"), &json!("deadline"), &json!("selected"))
    );
}

#[test]
fn no_turn_starts_when_no_time_is_left() {
    let house = House::with(PRICED);
    let stopped = house.synod(&["ask", "--models", "m,m,m", "--seed", "7", "--budget", "0.1", "--json", "-q", "Tea?"]).exits(4).json();
    let run = stopped["run"].as_str().expect("its id").to_owned();
    let calls = house.server.total();
    let verdict = house.synod(&["resume", &run, "--deadline", "0.001", "--budget", "5", "--json", "-q"]).exits(0).json();
    assert_eq!((&verdict["stop_reason"], house.server.total() - calls), (&json!("deadline"), 1), "only the concluding turn");
}

#[test]
fn a_waiting_run_told_to_conclude_ends_without_the_person() {
    let house = House::new();
    let args = tied(&house);
    house.synod(&args).exits(4);
    let did = house.synod(&["cancel", "last", "--conclude"]).exits(0);
    assert!(did.out.contains("synod resume"), "{}", did.out);
    let config = std::fs::read_to_string(house.path("config/synod/synod.toml")).expect("the configuration");
    house.write("config/synod/synod.toml", &config.replace(&house.server.url(), "http://127.0.0.1:9/v1"));
    let verdict = house.synod(&["resume", "last", "--json", "-q"]).exits(0).json();
    assert_eq!((&verdict["status"], &verdict["stop_reason"]), (&json!("degraded"), &json!("asked")));
    assert_eq!(verdict["decision"]["tiebreak"], "fallback_label");
    house.synod(&["replay", "last"]).exits(0);
}

#[test]
fn a_polite_end_leaves_a_run_that_can_be_resumed() {
    let house = House::new();
    for signal in ["-INT", "-TERM", "-HUP"] {
        house.server.script("b", Fault::Hang);
        let args = ["ask", "--models", "x/a,x/b,x/c", "--json", "-q", "Tea?"];
        let child = house.command(&args).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().expect("synod runs");
        until(|| (house.server.in_flight() == 1).then_some(()));
        let began = std::time::Instant::now();
        let pid = child.id().to_string();
        assert!(std::process::Command::new("kill").args([signal, &pid]).status().expect("kill runs").success());
        let did = crate::house::Did::of(child.wait_with_output().expect("it ends")).exits(4);
        assert_eq!(did.json()["stopped"]["reason"], "cancelled", "{signal}");
        let waited = began.elapsed().as_secs_f64();
        assert!((4.0..8.0).contains(&waited), "{signal}: a turn under way gets five seconds, not {waited}");
        house.server.behave();
        house.synod(&["resume", "last", "-q"]).exits(0);
    }
}

#[test]
fn limits_may_stand_in_the_configuration() {
    let house = House::with(PRICED);
    let config = std::fs::read_to_string(house.path("config/synod/synod.toml")).expect("the configuration");
    house.write("config/synod/synod.toml", &format!("{config}\n[limits]\nbudget_usd = 0.1\n"));
    let stopped = house.synod(&["ask", "--models", "m,m,m", "--json", "-q", "Tea?"]).exits(4).json();
    assert_eq!(stopped["stopped"]["reason"], "budget");
    house.synod(&["ask", "--models", "m,m,m", "--budget", "5", "-q", "Tea?"]).exits(0);
}

#[test]
fn a_resume_while_offline_leaves_the_run_as_it_was() {
    let house = House::with(PRICED);
    let stopped = house.synod(&["ask", "--models", "m,m,m", "--seed", "7", "--budget", "0.1", "--json", "-q", "Tea?"]).exits(4).json();
    let run = stopped["run"].as_str().expect("its id").to_owned();
    let config = std::fs::read_to_string(house.path("config/synod/synod.toml")).expect("the configuration");
    let dead = config.replace(&house.server.url(), "http://127.0.0.1:9/v1");
    house.write("config/synod/synod.toml", &dead);
    let refused = house.synod(&["resume", &run, "--budget", "5", "--json", "-q"]).exits(4);
    assert!(refused.out.contains("offline") && refused.out.contains("127.0.0.1:9"), "{}", refused.out);
    house.write("config/synod/synod.toml", &config);
    house.synod(&["resume", &run, "--budget", "5", "-q"]).exits(0);
}

fn until<T>(mut found: impl FnMut() -> Option<T>) -> T {
    for _ in 0..400 {
        if let Some(found) = found() {
            return found;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("it did not come about")
}

#[test]
fn a_finished_debate_goes_one_round_further_as_a_fork() {
    let house = House::new();
    let ask = ["ask", "--mode", "roundtable", "--rehearse", "--style", "adversarial", "--rounds", "1", "--seed", "7", "--json", "-q", "Tea?"];
    let first = house.synod(&ask).exits(0).json();
    let run = first["run"].as_str().expect("its id").to_owned();
    let second = house.synod(&["resume", &run, "--continue", "--set", "focus_question=Who brews it?", "--json", "-q"]).exits(0).json();
    assert_eq!((&second["parent"], &second["decision"]["rounds"]), (&json!(run), &json!(2)));
    let context = "context=Two people brew today.";
    let third = house.synod(&["resume", second["run"].as_str().expect("its id"), "--continue", "--set", context, "--json", "-q"]).exits(0).json();
    assert_eq!(third["decision"]["rounds"], json!(3));
    let third = third["run"].as_str().expect("its id");
    let shown = house.synod(&["show", third]).exits(0);
    assert!(shown.out.contains("Why the debate ended") && shown.out.contains("least confidence"), "{}", shown.out);
    for given in ["Focus from round 2 on: Who brews it?", "Context from round 3 on: Two people brew today."] {
        assert!(shown.out.contains(given), "{given} in {}", shown.out);
    }

    let council = house.synod(&["ask", "--rehearse", "--seed", "7", "--json", "-q", "Tea?"]).exits(0).json();
    let refused = house.synod(&["resume", council["run"].as_str().expect("its id"), "--continue"]).exits(2);
    assert!(refused.err.contains("taken further"), "{}", refused.err);
}

#[test]
fn a_person_overrules_a_blocker_of_a_finished_debate() {
    let house = House::new();
    let debate = |seed: u32| {
        let seed = seed.to_string();
        let args = ["ask", "--mode", "roundtable", "--rehearse", "--rounds", "2", "--groupthink", "record", "--seed", &seed, "--json", "-q", "Tea?"];
        house.synod(&args).exits(0).json()
    };
    let open = |verdict: &Value| verdict["decision"]["open_blockers"].as_array().cloned().unwrap_or_default();
    let first = (0..40).map(debate).find(|verdict| open(verdict).len() == 1).expect("a rehearsal with one blocker");
    let run = first["run"].as_str().expect("its id").to_owned();
    let shown = open(&first)[0].as_str().expect("a seat").to_owned();
    let seat = shown.split(' ').next().expect("its name").to_owned();
    let command = format!("synod resume {run} --continue --set resolves={seat}");
    for args in [vec!["show", run.as_str()], vec!["export", &run, "--format", "md"]] {
        let told = house.synod(&args).exits(0);
        assert!(told.out.contains(&command), "{command} in {}", told.out);
    }
    let args: Vec<&str> = command.split(' ').skip(1).chain(["--json", "-q"]).collect();
    let second = house.synod(&args).exits(0).json();
    assert_eq!((&second["decision"]["rounds"], &second["decision"]["overruled_blockers"]), (&json!(3), &json!([shown])));
    assert!(
        house.synod(&["show", second["run"].as_str().expect("its id")]).exits(0).out.contains(&format!("BLOCKER overruled from round 3 on: {seat}"))
    );

    let misspelt = house.synod(&["resume", &run, "--continue", "--set", "resolves=Bob"]).exits(2);
    assert!(misspelt.err.contains("resolves Bob") && misspelt.err.contains("such as S2"), "{}", misspelt.err);
    let nobody = house.synod(&["resume", &run, "--continue", "--set", "resolves=S9", "-q"]).exits(3);
    let told = nobody.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains(&format!("there is no seat S9 (S1, S2, S3): name whose BLOCKER is open, {shown}, or all")), "{told}");
}

#[test]
fn the_brief_form_of_a_debate_says_who_rules() {
    let house = House::new();
    let ask = ["ask", "--rehearse", "--seed", "11", "--mode", "roundtable", "--style", "devils-advocate", "--brief", "-q", "Tea?"];
    let brief = house.synod(&ask).exits(0);
    assert!(brief.out.contains("argued equally well: S3 (rehearsal/pragmatist) rules EVEN."), "{}", brief.out);
}
