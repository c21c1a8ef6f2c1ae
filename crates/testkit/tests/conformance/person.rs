//! A run that needs a person stops, waits as long as it takes, and goes on with the first answer given.

use crate::{ended, voices};
use std::sync::Arc;
use synod_engine::{JournalError, LimitChanges, RunError, RunSpec};
use synod_testkit::counted::CountedModels;
use synod_testkit::rig::{Rig, order, stopped};
use synod_testkit::tiny::{PERSON, TINY};
use synod_types::{Kind, PersonAnswer, StopReason};

fn says(answer: &str) -> PersonAnswer {
    PersonAnswer { answer: answer.into(), note: None, by: "ada".into() }
}

#[tokio::test]
async fn questions_to_a_person_are_answered_one_by_one_across_stops() {
    let counted = Arc::new(CountedModels::new(voices()));
    let rig = Rig::new(counted.clone()).modes(TINY);
    let (run, ending) = rig.run(&order(&PERSON, 1)).await;
    let mut halt = stopped(ending);
    for (key, answer) in [("review/approve@person", "yes"), ("review/tone@person", "dry"), ("review/reader@person", "the board")] {
        assert_eq!(halt.reason, StopReason::Waiting, "{}", halt.detail);
        assert!(halt.detail.contains(key), "{}", halt.detail);
        // Another process, later: nothing but the journal is left.
        let runner = rig.runner();
        runner.answer(&run, key, says(answer)).await.expect("the answer is taken");
        let second = runner.answer(&run, key, says("no")).await.expect_err("the first answer stands");
        match key {
            "review/approve@person" => assert_eq!(second, RunError::Journal(JournalError::Duplicate(format!("an answer to {key}")))),
            _ => assert!(matches!(second, RunError::Journal(JournalError::Duplicate(_)))),
        }
        let ending =
            tokio::time::timeout(std::time::Duration::from_secs(10), rig.resume(&run, LimitChanges::default())).await.expect("it goes on or stops");
        if key == "review/reader@person" {
            let verdict = ended(&rig, &run, ending, "person").await;
            let text = verdict.answer.expect("an answer").text;
            assert!(text.starts_with("Approved: yes; tone: dry; for the board."), "{text}");
            break;
        }
        halt = stopped(ending);
    }
    let rows = rig.rows(&run).await;
    assert_eq!(rows.iter().filter(|row| row.kind == Kind::Waiting).count(), 3);
    assert_eq!(rows.iter().filter(|row| row.kind == Kind::Answered).count(), 3);
    assert!(counted.calls().values().all(|calls| *calls == 1), "{:?}", counted.calls());
}

#[tokio::test]
async fn an_answer_must_be_one_of_the_choices_and_to_a_question_of_the_run() {
    let rig = Rig::new(voices()).modes(TINY);
    let (run, ending) = rig.run(&order(&PERSON, 1)).await;
    stopped(ending);
    let runner = rig.runner();
    let wrong = runner.answer(&run, "review/approve@person", says("perhaps")).await.expect_err("not a choice");
    assert!(wrong.to_string().contains("yes, no"), "{wrong}");
    let wrong = runner.answer(&run, "review/nothing@person", says("yes")).await.expect_err("not a question");
    assert!(wrong.to_string().contains("review/approve@person"), "{wrong}");
}

#[tokio::test]
async fn a_fork_takes_over_what_people_answered() {
    let rig = Rig::new(voices()).modes(TINY);
    let (parent, ending) = rig.run(&order(&PERSON, 1)).await;
    let mut ending = ending;
    for (key, answer) in [("review/approve@person", "yes"), ("review/tone@person", "dry"), ("review/reader@person", "the board")] {
        stopped(ending);
        rig.runner().answer(&parent, key, says(answer)).await.expect("the answer is taken");
        ending = rig.resume(&parent, LimitChanges::default()).await;
    }
    let first = ended(&rig, &parent, ending, "person").await;
    let counted = Arc::new(CountedModels::new(voices()));
    let rig = rig.models(counted.clone());
    let fork = RunSpec { parent: Some(parent.clone()), ..order(&PERSON, 1) };
    let (run, ending) = rig.run(&fork).await;
    let second = ended(&rig, &run, ending, "person, forked").await;
    assert_eq!((second.essence(), counted.total()), (first.essence(), 0), "the same question of the same people costs nobody anything");
}
