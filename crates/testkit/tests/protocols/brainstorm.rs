//! Nobody scores its own ideas or learns whose the others are; and a proposal, or the best cluster as it is, comes of whatever was left.

use serde_json::{Value, json};
use std::sync::Arc;
use synod_modes::brainstorm::MODE;
use synod_testkit::counted::CountedModels;
use synod_testkit::rig::{Rig, order, verdict};
use synod_testkit::voices::Voices;
use synod_types::{Absent, AnswerKind, Body, Failure, FailureKind, Reply, Request, Row, Status, Verdict};

/// Three ideas a seat, by its model's name; one of them everybody has.
fn ideas(model: &str) -> Value {
    let one = |title: String, description: &str| json!({"title": title, "description": description});
    json!({"reasons": "r", "ideas": [
        one(format!("zebra-{model}"), "stripes on the crossing"), one(format!("queue-{model}"), "wait in a line, numbered"),
        one("Shared bench".into(), "put a bench where people wait for the bus"),
    ]})
}

/// The ids the curator is shown, by the first word of the idea's title.
fn shown(request: &Request) -> Vec<(String, String)> {
    let text = request.messages.last().map(|message| message.text().to_owned()).unwrap_or_default();
    let parts = text.split("<idea label=\"").skip(1);
    parts.filter_map(|part| Some((part.get(..3)?.to_owned(), part.lines().nth(1)?.to_owned()))).collect()
}

/// Two clusters: the zebras, promising little, and all the rest, promising much.
fn sorted(request: &Request) -> Value {
    let (zebras, rest): (Vec<_>, Vec<_>) = shown(request).into_iter().partition(|(_, title)| title.starts_with("zebra"));
    let ids = |list: Vec<(String, String)>| list.into_iter().map(|(id, _)| id).collect::<Vec<_>>();
    json!({"reasons": "r", "why_fewer": "There are two kinds of trouble.", "clusters": [
        {"name": "Stripes", "theme": "crossings", "promise": "LOW", "ideas": ids(zebras)}, {"name": "Waiting", "theme": "queues", "promise": "HIGH", "ideas": ids(rest)},
    ]})
}

/// 15 for the cluster whose text has a zebra in it, 3 for the other.
fn scored(request: &Request) -> Value {
    let text = request.messages.last().map(|message| message.text().to_owned()).unwrap_or_default();
    let marks = text.split("<cluster label=\"").skip(1).map(|part| {
        let n = if part.contains("zebra") { 5 } else { 1 };
        json!({"cluster": &part[..2], "novelty": n, "feasibility": n, "impact": n})
    });
    json!({"reasons": "r", "scores": marks.collect::<Value>()})
}

fn voices(fails: impl Fn(&str, &str) -> bool + Send + Sync + 'static) -> Voices {
    Voices::default().scripted(move |card, request, context| {
        if fails(&context.key, &card.name) {
            return Some(Err(Failure::new(FailureKind::Server, "the provider is down")));
        }
        let said = match context.key.split('/').next() {
            Some("ideation") => ideas(&card.name),
            Some("clustering") => sorted(request),
            Some("scoring") => scored(request),
            _ => return None,
        };
        Some(Ok(Reply::text(said.to_string())))
    })
}

async fn run(fails: impl Fn(&str, &str) -> bool + Send + Sync + 'static) -> (Verdict, Vec<Row>, Arc<CountedModels>) {
    let counted = Arc::new(CountedModels::new(Arc::new(voices(fails))));
    let rig = Rig::new(counted.clone());
    let (run, ending) = rig.run(&order(&MODE, 1)).await;
    (verdict(ending), rig.rows(&run).await, counted)
}

fn data(rows: &[Row], stage: &str) -> Value {
    let found = rows.iter().find_map(|row| match row.body() {
        Ok(Body::Shown(shown)) if shown.stage == stage => shown.exhibit.row(),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("{stage} was not shown"))
}

#[tokio::test]
async fn scorers_see_neither_their_own_ideas_nor_whose_the_others_are() {
    let (verdict, rows, counted) = run(|_, _| false).await;
    assert_eq!(verdict.status, Status::Full, "{:?}", verdict.missing);
    for seat in 0..3 {
        let requests = counted.requests();
        let (_, request) = requests.iter().find(|(key, _)| *key == format!("scoring/score@{seat}")).expect("it scored");
        let text = request.messages.last().expect("a message").text();
        assert!(!text.contains(&format!("-m{seat}")), "its own: {text}");
        assert_eq!(text.matches("zebra-").count(), 2, "the others': {text}");
        assert!(!text.contains("Shared bench"), "everybody had it, so nobody judges it: {text}");
        assert!(!text.contains("HIGH") && !text.contains("I0"), "nor what the curator thought: {text}");
    }
    let clustering = data(&rows, "clustering");
    assert_eq!((&clustering["fallback"], clustering["merged"][0]["merged"].as_array().map(Vec::len)), (&json!(false), Some(2)));
    let mine: Vec<Value> = (0..3).map(|seat| data(&rows, &format!("ideation_{seat}"))["ideaCount"].clone()).collect();
    assert_eq!(mine, [json!(3), json!(3), json!(3)]);
}

#[tokio::test]
async fn the_scorers_choose_and_not_the_curator() {
    let (verdict, rows, _) = run(|_, _| false).await;
    let decision = verdict.decision.expect("a decision");
    assert_eq!((&decision["cluster"], &decision["score"], &decision["source"]), (&json!("Stripes"), &json!(15.0), &json!("scores")));
    let confidence = verdict.confidence.expect("a count");
    assert_eq!((confidence.value, confidence.agreed, confidence.could), (None, Some(3), Some(3)), "three agree, and three are too few to measure");
    let ranking = data(&rows, "ranking");
    assert_eq!((&ranking["rankedClusters"][1]["name"], &ranking["rankedClusters"][1]["averageScore"]), (&json!("Waiting"), &json!(3.0)));
}

#[tokio::test]
async fn with_one_scorer_left_the_promise_decides_and_no_score_is_given() {
    let (verdict, rows, _) = run(|key, model| key.starts_with("scoring/") && model != "m2").await;
    assert_eq!(verdict.status, Status::Degraded);
    let decision = verdict.decision.expect("a decision");
    assert_eq!((&decision["cluster"], &decision["score"], &decision["source"]), (&json!("Waiting"), &Value::Null, &json!("promise")));
    assert_eq!(data(&rows, "refinement")["winningScore"], Value::Null);
    assert_eq!(verdict.confidence.and_then(|confidence| confidence.absent), Some(Absent::TooFewBallots));
}

#[tokio::test]
async fn without_a_curator_the_ideas_are_grouped_by_their_words() {
    let (verdict, rows, counted) = run(|key, _| key.starts_with("clustering/")).await;
    assert_eq!(verdict.status, Status::Degraded);
    let clustering = data(&rows, "clustering");
    assert_eq!(clustering["fallback"], json!(true));
    for cluster in clustering["clusters"].as_array().expect("clusters") {
        let text = cluster.to_string();
        assert!(!text.contains("seat") && cluster["theme"] == json!(""), "no word of the authors: {text}");
    }
    assert!(clustering["clusters"][0]["ideaCount"].as_u64() >= Some(3), "across authors: {clustering}");
    assert!(counted.calls().keys().any(|key| key.starts_with("scoring/")), "groups are scored all the same");
}

#[tokio::test]
async fn without_a_refiner_the_best_cluster_is_returned_as_it_is() {
    let (verdict, _, _) = run(|key, _| key.starts_with("refinement/")).await;
    assert_eq!(verdict.status, Status::Degraded);
    let answer = verdict.answer.expect("an answer");
    assert_eq!((answer.kind, answer.by), (AnswerKind::Computed, vec![0, 1, 2]));
    assert!(answer.text.starts_with("## Stripes\n\ncrossings\n\n- **zebra-m"), "{}", answer.text);
}

#[tokio::test]
async fn every_seat_starts_from_an_angle_of_its_own_and_few_clusters_say_why() {
    let (verdict, rows, counted) = run(|_, _| false).await;
    let angle = |seat: u32| {
        let requests = counted.requests();
        let (_, request) = requests.iter().find(|(key, _)| *key == format!("ideation/ideas@{seat}")).expect("it was asked");
        request.messages.last().expect("a message").text().lines().find_map(|line| line.strip_prefix("Your angle: ")).expect("an angle").to_owned()
    };
    let angles: std::collections::BTreeSet<String> = (0..3).map(angle).collect();
    assert_eq!(angles.len(), 3, "{angles:?}");
    assert_eq!(data(&rows, "clustering")["whyFewer"], json!("There are two kinds of trouble."));
    assert_eq!(verdict.summary(), Some("Stripes was chosen of 2 groups, with 15.0 of 15 from 3 scorers; 3 of 7 ideas are in it."));
    let shown = rows.iter().find_map(|row| match row.body() {
        Ok(Body::Shown(shown)) if shown.stage == "ideation_0" => Some(shown.exhibit.shape),
        _ => None,
    });
    let Some(synod_types::Shape::Clusters(shown)) = shown else { panic!("ideas are shown") };
    assert!(shown.clusters[0].items.iter().any(|(_, told)| told == "zebra-m0: stripes on the crossing"), "{shown:?}");
}

#[tokio::test]
async fn one_cluster_is_scored_too() {
    let voices = Voices::default().scripted(|card, request, context| {
        let all: Vec<String> = shown(request).into_iter().map(|(id, _)| id).collect();
        let said = match context.key.split('/').next() {
            Some("ideation") => ideas(&card.name),
            Some("clustering") => {
                json!({"reasons": "r", "why_fewer": "One thing.", "clusters": [{"name": "All", "theme": "t", "promise": "LOW", "ideas": all}]})
            }
            Some("scoring") => scored(request),
            _ => return None,
        };
        Some(Ok(Reply::text(said.to_string())))
    });
    let rig = Rig::new(Arc::new(voices));
    let (_, ending) = rig.run(&order(&MODE, 1)).await;
    let verdict = verdict(ending);
    let decision = verdict.decision.as_ref().expect("a decision");
    assert_eq!((&decision["source"], &decision["score"]), (&json!("only"), &json!(15.0)));
    assert_eq!(verdict.summary(), Some("All is the only group, with 15.0 of 15 from 3 scorers; 7 of 7 ideas are in it."));
}

#[tokio::test]
async fn one_seat_with_ideas_is_no_brainstorm() {
    let (verdict, _, counted) = run(|key, model| key.starts_with("ideation/") && model != "m0").await;
    assert_eq!((verdict.status, verdict.answer), (Status::NoQuorum, None));
    assert_eq!(counted.total(), 3);
}
