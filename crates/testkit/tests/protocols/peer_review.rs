//! Peer review with scripted reviewers: what they found is merged by meaning under rules, nothing is merged wrongly, and nothing is told twice.

use crate::hidden::{bare, pages};
use crate::{Line, Played, play, says};
use serde_json::{Value, json};
use synod_types::{AnswerKind, Failure, FailureKind, Shape, Status};

const WORK: Option<&str> = Some("fn take() { loop { retry(); } }");

/// Eight flaws, each in two wordings: place, title and description of one reviewer, then of the other.
const FLAWS: [[[&str; 3]; 2]; 8] = [
    [
        ["queue.rs line 40", "Loop ends early", "The last slot is never used."],
        ["line 40 of queue.rs", "Off by one", "One job in ten waits for nothing."],
    ],
    [
        ["retry()", "Retries have no limit", "A bad job is tried for ever."],
        ["the retry function", "Nothing stops repeated attempts", "Retries of a bad job go on without end."],
    ],
    [
        ["log.rs, write", "Passwords are printed", "Secrets stand in the log in the clear."],
        ["write in log.rs", "Sensitive data leaks", "Credentials are written out as they are."],
    ],
    [
        ["config.toml", "Port is fixed", "Two of them cannot run on one machine."],
        ["config.toml, [server]", "Hard-wired address", "A second instance fails to bind."],
    ],
    [
        ["mail.rs line 7", "No timeout", "A slow server holds the worker."],
        ["mail.rs line 7", "Blocks without bound", "The thread waits as long as the peer likes."],
    ],
    [
        ["README", "Installation is out of date", "The commands name a tool that is gone."],
        ["README, Installation", "Stale setup steps", "Newcomers cannot follow it."],
    ],
    [
        ["tests/", "Time zones are not tested", "No test runs outside UTC."],
        ["the tests", "Only UTC is tested", "Time zones are left out of every test."],
    ],
    [
        ["take()", "Panic on an empty queue", "It unwraps what may be none."],
        ["fn take", "Crashes when there is no job", "The none case is not handled."],
    ],
];

fn review(which: usize) -> Line {
    let finding = |flaw: &[[&str; 3]; 2]| {
        let [location, title, description] = flaw[which];
        json!({"title": title, "category": "Other", "severity": "MAJOR", "location": location, "description": description, "impact": "", "recommendation": ""})
    };
    let mut findings: Vec<Value> = FLAWS.iter().map(finding).collect();
    // The second reviewer had another order.
    findings.rotate_left(which * 3);
    let scores = json!([{"criterion": "Security", "score": 2 + 2 * which, "justification": "Seen in the log."}]);
    let strengths = ["Small functions stay readable."];
    says(
        json!({"reasons": "Read twice.", "scores": scores, "findings": findings, "strengths": strengths, "summary": "Mend the loop first."})
            .to_string(),
    )
}

fn consolidation() -> Line {
    let actions = json!([{"action": "Mend the loop.", "evidence": ["F1"], "effort": "LOW"}]);
    let remarks = json!([{"on": "Security", "text": "One of them read the log."}]);
    says(
        json!({"reasons": "They agree on most.", "summary": "Mend the loop before anything else.", "remarks": remarks, "actions": actions})
            .to_string(),
    )
}

fn down() -> Line {
    Some(Err(Failure::new(FailureKind::Server, "scripted")))
}

/// Two reviewers with eight flaws each; the third fails. `group` makes the proposal from the two labels.
async fn reviewed(group: impl Fn(&str, &str) -> Line + Send + Sync + 'static) -> Played {
    let labels = |played: &Played| ["review_1", "review_2"].map(|stage| played.data(stage)["label"].as_str().unwrap_or_default().to_owned());
    let [a, b] = labels(&play("peer_review", 3, WORK, &[], |key| key.starts_with("matching/").then(down).flatten()).await);
    play("peer_review", 3, WORK, &[], move |key| match key {
        "review/review@0" => review(0),
        "review/review@1" => review(1),
        "matching/group@3" => group(&a, &b),
        "consolidation/consolidate@3" => consolidation(),
        _ => down(),
    })
    .await
}

/// The finding of the second reviewer that is the flaw of this number.
fn second(flaw: usize) -> usize {
    (flaw + 8 - 3) % 8 + 1
}

fn proposal(groups: Vec<Vec<String>>) -> Line {
    let groups: Vec<Value> = groups.iter().map(|ids| json!({"flaw": ids.join(" and "), "findings": ids})).collect();
    says(json!({"reasons": "By what would mend them.", "groups": groups}).to_string())
}

/// Titles of the findings that were merged with another.
fn merged(played: &Played) -> Vec<Vec<String>> {
    let Shape::Findings(found) = played.shown("consensus_findings").exhibit.shape else { panic!("findings") };
    assert_eq!(found.entries.iter().map(|entry| entry.by.len()).sum::<usize>(), 16, "none is lost");
    let rows = played.data("grouping");
    let titles = |ids: &Value| ids.as_array().into_iter().flatten().filter_map(|id| title(played, id.as_str()?)).collect::<Vec<String>>();
    rows["groups"].as_array().into_iter().flatten().map(titles).collect()
}

fn title(played: &Played, id: &str) -> Option<String> {
    let of = |stage: &str| match played.shown(stage).exhibit.shape {
        Shape::Findings(found) => found.entries.into_iter().find(|entry| entry.id == id).map(|entry| entry.title),
        _ => None,
    };
    of("findings_1").or_else(|| of("findings_2"))
}

#[tokio::test]
async fn flaws_in_two_wordings_are_one_and_wrong_groups_are_taken_apart() {
    let played = reviewed(|a, b| {
        let mut groups: Vec<Vec<String>> = (0..8).map(|flaw| vec![format!("{a}.{}", flaw + 1), format!("{b}.{}", second(flaw))]).collect();
        // Two findings that have nothing in common, and one that is already taken.
        groups.insert(0, vec![format!("{a}.3"), format!("{b}.{}", second(5))]);
        groups.push(vec![format!("{a}.1"), format!("{b}.{}", second(7))]);
        proposal(groups)
    })
    .await;
    let merged = merged(&played);
    for group in &merged {
        let right = FLAWS.iter().any(|[first, other]| group.iter().all(|title| [first[1], other[1]].contains(&title.as_str())));
        assert!(right && group.len() == 2, "merged wrongly: {group:?}");
    }
    assert!(merged.len() >= 6, "only {} of 8 were merged: {merged:?}", merged.len());
    let decision = played.verdict.decision.as_ref().expect("a decision");
    assert_eq!((decision["shared"].as_u64(), decision["major"].as_u64()), (Some(merged.len() as u64), Some(16 - merged.len() as u64)));
    assert_eq!(played.data("consensus_findings")["matchedBy"], "proposed");
}

#[tokio::test]
async fn without_a_proposal_the_words_decide_and_join_nothing_wrongly() {
    let played = reviewed(|_, _| down()).await;
    assert!(played.warned("matched by the words they share"));
    let Shape::Findings(found) = played.shown("consensus_findings").exhibit.shape else { panic!("findings") };
    assert_eq!(found.entries.iter().map(|entry| entry.by.len()).sum::<usize>(), 16, "none is lost");
    assert_eq!(played.data("consensus_findings")["matchedBy"], "words");
    assert!(found.entries.iter().filter(|entry| entry.by.len() > 1).all(|entry| entry.title.contains("tested") || entry.title.contains("etries")));
}

#[tokio::test]
async fn the_whole_review_is_told_once() {
    let played = reviewed(|_, _| proposal(Vec::new())).await;
    assert_eq!((played.verdict.status, played.verdict.missing.iter().map(|missing| missing.seat).collect::<Vec<_>>()), (Status::Degraded, vec![2]));
    assert_eq!(played.verdict.action.as_deref(), Some("Mend the loop."));
    assert_eq!(played.verdict.summary(), Some("2 reviewers give it 3 of 5 and found 16 flaws: 16 major; 0 found by several."));
    let [against] = played.verdict.dissent.as_slice() else { panic!("Security is disputed: {:?}", played.verdict.dissent) };
    assert!(against.text.starts_with("Security is ") && against.text.ends_with("Seen in the log."), "{}", against.text);
    let answer = played.verdict.answer.as_ref().expect("an answer");
    assert_eq!((answer.kind, answer.by.as_slice()), (AnswerKind::Report, [3].as_slice()));
    assert!(answer.text.starts_with("Mend the loop before anything else.") && !answer.text.contains('|'), "{}", answer.text);
    assert!(!answer.text.contains("Passwords are printed"), "findings have an exhibit: {}", answer.text);
    for (medium, page) in pages(&played) {
        for words in
            ["Small functions stay readable.", "Mend the loop first.", "They agree on most.", "One of them read the log.", "By what would mend them."]
        {
            assert!(bare(&page).contains(&bare(words)), "{medium} lacks {words}: {page}");
        }
    }
}

#[tokio::test]
async fn a_reviewer_consolidates_where_the_consolidator_fails_and_else_nobody() {
    let played = play("peer_review", 3, WORK, &[], |key| match key {
        "review/review@0" => review(0),
        "review/review@1" | "review/review@2" => review(1),
        "consolidation/consolidate@0" => consolidation(),
        _ => down(),
    })
    .await;
    assert_eq!((played.verdict.status, played.verdict.answer.as_ref().expect("an answer").by.as_slice()), (Status::Degraded, [0].as_slice()));

    let played = play("peer_review", 3, WORK, &[], |key| if key.starts_with("review/") { review(0) } else { down() }).await;
    let answer = played.verdict.answer.as_ref().expect("an answer");
    assert_eq!((answer.kind, answer.by.len()), (AnswerKind::Computed, 0));
    assert_eq!(played.verdict.action.as_deref(), Some("Mend this first: Loop ends early."));
    assert!(played.warned("Nobody could consolidate the reviews"));

    let played = play("peer_review", 3, WORK, &[], |key| if key == "review/review@0" { review(0) } else { down() }).await;
    assert_eq!((played.verdict.status, played.verdict.missing.len()), (Status::NoQuorum, 2));
}

#[tokio::test]
async fn an_unreadable_review_abstains_and_a_work_without_flaws_needs_no_matching() {
    let fine = || {
        says(json!({"reasons": "r", "scores": [{"criterion": "Security", "score": 5, "justification": "j"}], "findings": [], "strengths": [], "summary": "s"}).to_string())
    };
    let played = play("peer_review", 3, WORK, &[], move |key| match key {
        key if key.starts_with("review/review@2") => says("Looks fine to me."),
        key if key.starts_with("review/") => fine(),
        _ => says(json!({"reasons": "r", "summary": "Use it.", "remarks": [], "actions": []}).to_string()),
    })
    .await;
    assert_eq!(played.verdict.missing.iter().map(|missing| (missing.seat, missing.why)).collect::<Vec<_>>(), [(2, FailureKind::Unreadable)]);
    assert!(!played.requests.iter().any(|(key, _)| key.starts_with("matching/")));
    assert_eq!(played.verdict.summary(), Some("2 reviewers give it 5 of 5 and found nothing wrong."));
    assert_eq!(played.verdict.action.as_deref(), Some("Nothing need be mended: no reviewer found anything wrong."));
}
