//! Follow-ups: whoever judges an answer knows what the question follows, a few turns and no more of it than it needs.

use crate::scene::play;
use synod_modes::MODES;
use synod_testkit::rig::order;
use synod_types::{Body, PastTurn};

/// Words of a long answer, so that a clipped one can be told from a whole one.
fn long(turn: usize) -> String {
    format!("turn {turn} said: {}the end of turn {turn}", "words and more words, ".repeat(400))
}

#[tokio::test]
async fn judges_read_the_last_turns_clipped_and_writers_the_whole_conversation() {
    // The mode, the prompts that judge in it, and those that write.
    let modes: [(&str, &[&str], &[&str]); 3] = [
        ("council", &["rank", "dissent"], &["answer", "synthesis"]),
        ("vote", &["vote", "tiebreak"], &["answer"]),
        ("confidence_weighted", &[], &["answer", "synthesis"]),
    ];
    for (id, judging, writing) in modes {
        let mode = MODES.iter().find(|mode| mode.id == id).expect("a mode");
        let asked = std::sync::Arc::new(std::sync::Mutex::new(std::collections::BTreeMap::new()));
        for seed in 0..12 {
            let mut order = order(mode, seed);
            order.question.history = (0..6).map(|turn| PastTurn { question: format!("question {turn}?"), answer: long(turn) }).collect();
            let seen = asked.clone();
            play(&order, move |_, key, request| {
                let name = key.rsplit('/').next().and_then(|last| last.split('@').next()).unwrap_or_default().to_owned();
                seen.lock().expect("no panic").insert(name, request.messages.clone());
                None
            })
            .await;
        }
        let asked = asked.lock().expect("no panic");
        for name in judging {
            let messages = asked.get(*name).unwrap_or_else(|| panic!("{id}: {name} was never asked"));
            let text = messages.iter().map(|message| message.text()).collect::<Vec<_>>().join("\n");
            assert_eq!(messages.len(), 2, "{id}/{name}: as data, not as messages");
            assert!(text.contains("question 5?") && text.contains("turn 5 said") && text.contains("question 2?"), "{id}/{name}: {text}");
            assert!(!text.contains("question 1?") && !text.contains("the end of turn 5"), "{id}/{name} is sent more than it needs");
        }
        for name in writing {
            let messages = asked.get(*name).unwrap_or_else(|| panic!("{id}: {name} was never asked"));
            let whole = messages.iter().filter(|message| message.text().contains("the end of turn 5")).count();
            assert_eq!(whole, 1, "{id}/{name}");
        }
    }
}

#[tokio::test]
async fn where_turns_are_not_carried_judges_read_what_the_last_one_came_to() {
    for (id, judging) in [("debate", "vote"), ("tournament", "judge")] {
        let mode = MODES.iter().find(|mode| mode.id == id).expect("a mode");
        let mut order = order(mode, 1);
        order.question.earlier = Some(PastTurn { question: "And on Saturdays?".into(), answer: "Yes, until noon.".into() });
        let (_, rows, _) = play(&order, |_, key, request| {
            let text = request.messages.last().map(|message| message.text()).unwrap_or_default();
            assert_eq!(text.matches("Yes, until noon.").count(), 1, "{key}");
            None
        })
        .await;
        let asked = rows.iter().filter(|row| matches!(row.body(), Ok(Body::Asked(_)))).any(|row| row.key.contains(&format!("{judging}@")));
        assert!(asked, "{id}: nobody judged");
    }
}
