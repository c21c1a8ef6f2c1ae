//! Killed for real: a process on a SQLite file and a socket dies by SIGKILL at a chosen row, another takes its run up.
//!
//! Council and vote die at every row and each of the three moments around it; every other mode at twelve rows spread over its run.

use futures::StreamExt;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Output;
use std::sync::Arc;
use synod_engine::{Journal, Mode};
use synod_modes::{council, debate, delphi, vote};
use synod_store::{RunFilter, RunState, Store, StoreSettings};
use synod_testkit::reading::{Mark, asked_after_reply, difference, journal_set, reasked, timeless};
use synod_testkit::rig::Rig;
use synod_testkit::served::served;
use synod_testkit::server::{ANY, Form, ModelServer, Say, Thinking};
use synod_testkit::tiny::{PERSON, TINY};
use synod_testkit::tripwire::Moment;
use synod_types::{Kind, PersonAnswer, Row, Verdict};

const SEED: u64 = 21;
const SIGKILL: i32 = 9;
/// Killers at once. They wait for disk and sockets more than they compute.
const ABREAST: usize = 3;

/// A database and a model server of its own, so that every request can be counted.
struct Place {
    folder: tempfile::TempDir,
    server: ModelServer,
}

impl Place {
    async fn new() -> Self {
        let server = ModelServer::start().await;
        // Three gates opened by chance would leave most debates without the room they are to be killed in.
        server.reply("light", |ask| {
            let said = Say::by_default(ask, 16);
            match serde_json::from_str::<serde_json::Value>(&said.text) {
                Ok(mut found) if found.get("has_direct_opposition").is_some() => {
                    for gate in ["has_direct_opposition", "has_specific_claim", "topic_relevant"] {
                        found[gate] = true.into();
                    }
                    Say::json(&found)
                }
                _ => said,
            }
        });
        Self { folder: tempfile::tempdir().expect("a temporary folder"), server }
    }

    fn database(&self) -> String {
        self.folder.path().join("synod.db").display().to_string()
    }

    async fn killer(&self, mode: &Mode, death: Option<(u64, Moment)>) -> Output {
        let mut command = tokio::process::Command::new(Path::new(env!("CARGO_BIN_EXE_killer")));
        command.args([self.database(), self.server.url(), mode.id.to_owned(), SEED.to_string()]);
        if let Some((row, moment)) = death {
            command.args([row.to_string(), moment.as_str().to_owned()]);
        }
        command.output().await.expect("the killer runs")
    }

    async fn store(&self) -> Store {
        Store::open(&self.database(), StoreSettings::default()).await.expect("the store opens")
    }

    /// Requests for which an equal one came before.
    fn repeats(&self) -> usize {
        let requests = self.server.requests();
        let distinct: BTreeSet<(String, String)> = requests.iter().map(|ask| (ask.model.clone(), ask.text())).collect();
        requests.len() - distinct.len()
    }
}

async fn only_run(store: &Store) -> (String, RunState, Vec<Row>) {
    let runs = store.runs(&RunFilter::default()).await.expect("runs are listed");
    let [run] = runs.as_slice() else { panic!("{} runs", runs.len()) };
    (run.id.clone(), run.state, store.rows(&run.id, 0).await.expect("rows"))
}

fn line(output: &Output) -> String {
    assert!(output.status.success(), "the killer failed: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn essence(output: &Output) -> serde_json::Value {
    let line = line(output);
    serde_json::from_str::<Verdict>(&line).map(|verdict| timeless(verdict.essence())).unwrap_or_else(|error| panic!("{error}: {line}"))
}

/// What an undisturbed process leaves.
async fn calm(mode: &Mode) -> (serde_json::Value, BTreeSet<Mark>, Vec<Row>) {
    let place = Place::new().await;
    let want = essence(&place.killer(mode, None).await);
    let store = place.store().await;
    let (_, _, rows) = only_run(&store).await;
    assert_eq!(place.repeats(), 0, "{}: an undisturbed run asks nothing twice", mode.id);
    (want, journal_set(&rows), rows)
}

/// Rows to die at: all of them, or twelve that cover every phase.
fn deaths(mode: &Mode, rows: &[Row]) -> Vec<u64> {
    let all = 1..=rows.len() as u64;
    if ["council", "vote"].contains(&mode.id) {
        return all.collect();
    }
    let mut chosen: BTreeSet<u64> = rows.iter().filter(|row| row.kind == Kind::Phase).map(|row| row.seq as u64).take(12).collect();
    let step = 7 + SEED % 11;
    let mut at = SEED;
    while chosen.len() < 12.min(rows.len()) {
        at += if chosen.insert(at % rows.len() as u64 + 1) { step } else { 1 };
    }
    chosen.into_iter().collect()
}

async fn killed_and_resumed(mode: &'static Mode, row: u64, moment: Moment, want: &serde_json::Value, want_set: &BTreeSet<Mark>) {
    let step = format!("{} killed {} row {row}", mode.id, moment.as_str());
    let place = Place::new().await;
    let died = place.killer(mode, Some((row, moment))).await;
    assert_eq!(died.status.signal(), Some(SIGKILL), "{step}: {died:?}");
    if row.is_multiple_of(4) {
        // And once more, soon after it was taken up, if it is still under way by then.
        let again = place.killer(mode, Some((row / 4, moment))).await;
        assert!(again.status.success() || again.status.signal() == Some(SIGKILL), "{step}: {}", String::from_utf8_lossy(&again.stderr));
    }
    let got = essence(&place.killer(mode, None).await);
    assert_eq!(&got, want, "{step}: another verdict");
    let store = place.store().await;
    let (run, state, rows) = only_run(&store).await;
    assert_eq!(state, RunState::Complete, "{step}");
    let differs = difference(want_set, &journal_set(&rows));
    assert!(differs.is_empty(), "{step}: another journal\n{differs}");
    assert_eq!(asked_after_reply(&rows), Vec::<String>::new(), "{step}");
    assert!(place.repeats() <= reasked(&rows), "{step}: {} requests came twice, {} rows say so", place.repeats(), reasked(&rows));
    let verified = store.verify(&run).await.expect("it can be verified");
    assert!(verified.intact(), "{step}: {:?}", verified.faults);
    store.close().await;
}

every_mode!(
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    a_process_killed_at_any_row_is_taken_up_by_the_next_one
);
async fn a_process_killed_at_any_row_is_taken_up_by_the_next_one(mode: &'static Mode) {
    let (want, want_set, rows) = calm(mode).await;
    let inside: Vec<u64> = rows.iter().filter(|row| row.key.contains("/room/")).map(|row| row.seq as u64).collect();
    assert!(mode.id != "crux" || !inside.is_empty(), "no crux room was held");
    let mut rows = deaths(mode, &rows);
    // One death is always inside a crux room.
    if !rows.iter().any(|row| inside.contains(row)) {
        rows.extend(inside.get(inside.len() / 2));
    }
    // Where not every row is tried, the moments take turns.
    let every = rows.iter().copied().eq(1..=rows.len() as u64);
    let moments = |row: u64| if every { Moment::ALL.to_vec() } else { vec![Moment::ALL[row as usize % Moment::ALL.len()]] };
    let all = rows.into_iter().flat_map(|row| moments(row).into_iter().map(move |moment| (row, moment)));
    let scenes = all.map(|(row, moment)| killed_and_resumed(mode, row, moment, &want, &want_set));
    futures::stream::iter(scenes).buffer_unordered(ABREAST).collect::<()>().await;
}

/// Models that think, one of them beyond any first room: killed before, in and after the try with more room.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_of_models_that_think_survives_its_process_and_pays_nothing_twice() {
    for mode in [&council::MODE, &vote::MODE, &delphi::MODE, &debate::MODE] {
        let thinking = |place: &Place| {
            place.server.thinks(ANY, Thinking::of(5_000, Form::Tags));
            place.server.thinks("m1", Thinking::of(20_000, Form::Hidden));
        };
        let calm = Place::new().await;
        thinking(&calm);
        let want = essence(&calm.killer(mode, None).await);
        let (_, _, rows) = only_run(&calm.store().await).await;
        let digests: BTreeMap<&str, &str> =
            rows.iter().filter(|row| row.kind == Kind::Asked).map(|row| (row.key.as_str(), row.digest.as_deref().unwrap_or_default())).collect();
        let roomy: Vec<u64> = rows.iter().filter(|row| row.key.ends_with("@1/room")).map(|row| row.seq as u64).collect();
        assert!(!roomy.is_empty(), "{}: nobody starved", mode.id);
        let around = roomy.iter().flat_map(|row| [row.saturating_sub(1), *row, row + 1]).chain([rows.len() as u64 / 2]).collect::<BTreeSet<u64>>();
        let around = around.into_iter().take(9);
        let scenes = around.flat_map(|row| [(row, Moment::ALL[row as usize % Moment::ALL.len()])]).map(|(row, moment)| {
            let (want, digests) = (&want, &digests);
            async move {
                let step = format!("{} killed {} row {row}", mode.id, moment.as_str());
                let place = Place::new().await;
                thinking(&place);
                let died = place.killer(mode, Some((row, moment))).await;
                assert!(died.status.signal() == Some(SIGKILL) || died.status.success(), "{step}: {died:?}");
                assert_eq!(&essence(&place.killer(mode, None).await), want, "{step}: another verdict");
                let (_, _, rows) = only_run(&place.store().await).await;
                assert_eq!(asked_after_reply(&rows), Vec::<String>::new(), "{step}");
                for row in rows.iter().filter(|row| row.kind == Kind::Asked) {
                    let digest = digests.get(row.key.as_str()).copied().unwrap_or_else(|| row.digest.as_deref().unwrap_or_default());
                    assert_eq!(row.digest.as_deref(), Some(digest), "{step}: {} asks something else", row.key);
                }
                // What was asked again says so, and so does every try with more room.
                let rooms = rows.iter().filter(|row| row.kind == Kind::Asked && row.key.ends_with("/room")).count();
                assert!(place.repeats() <= reasked(&rows) + rooms, "{step}: {} requests came twice", place.repeats());
            }
        });
        futures::stream::iter(scenes).buffer_unordered(ABREAST).collect::<()>().await;
    }
}

/// A person's questions, answered from this process between the others' lives.
async fn answer(place: &Place, key: &str, answer: &str) {
    let store = place.store().await;
    let (run, state, _) = only_run(&store).await;
    assert_eq!(state, RunState::Waiting, "{key}");
    let rig = Rig::new(served(&place.server.url(), &[])).modes(TINY).journal(Arc::new(store.clone()));
    let answer = PersonAnswer { answer: answer.to_owned(), note: None, by: "ada".into() };
    rig.runner().answer(&run, key, answer).await.expect("the answer is taken");
    store.close().await;
}

const ANSWERS: [(&str, &str); 3] = [("review/approve@person", "yes"), ("review/tone@person", "dry"), ("review/reader@person", "the board")];

async fn answered_to_the_end(place: &Place) -> serde_json::Value {
    loop {
        let output = place.killer(&PERSON, None).await;
        if line(&output) != "stopped waiting" {
            return essence(&output);
        }
        let store = place.store().await;
        let runs = store.runs(&RunFilter::default()).await.expect("runs are listed");
        let open = runs[0].waiting.first().expect("a question is open").key.clone();
        store.close().await;
        let (key, text) = ANSWERS.iter().find(|(key, _)| *key == open).expect("a known question");
        answer(place, key, text).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_waits_for_a_person_survives_its_process() {
    let undisturbed = Place::new().await;
    let want = answered_to_the_end(&undisturbed).await;
    let (_, _, rows) = only_run(&undisturbed.store().await).await;
    let want_set = journal_set(&rows);
    let number = |kind: Kind| rows.iter().position(|row| row.kind == kind).expect("it stopped to wait") as u64 + 1;
    let scenes =
        (number(Kind::Waiting)..=number(Kind::Stopped)).flat_map(|row| Moment::ALL.map(|moment| (row, moment))).map(async |(row, moment)| {
            let step = format!("person, killed {} row {row}", moment.as_str());
            let place = Place::new().await;
            let died = place.killer(&PERSON, Some((row, moment))).await;
            assert_eq!(died.status.signal(), Some(SIGKILL), "{step}: {:?}", died.status);
            assert_eq!(answered_to_the_end(&place).await, want, "{step}: another verdict");
            let store = place.store().await;
            let (run, _, rows) = only_run(&store).await;
            let differs = difference(&want_set, &journal_set(&rows));
            assert!(differs.is_empty(), "{step}: another journal\n{differs}");
            assert!(store.verify(&run).await.expect("it can be verified").intact(), "{step}");
        });
    futures::stream::iter(scenes).buffer_unordered(ABREAST).collect::<()>().await;
}
