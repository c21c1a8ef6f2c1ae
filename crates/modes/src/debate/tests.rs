//! Replies as models send them, and what a debate makes of each.

use super::ballot::{DebateBallot, RevisionMarks, count_marks};
use super::mentions::without_labels;
use super::revision::{RevisedAnswer, RevisionReply, Stance};
use super::{Tiebreak, decide};
use crate::labelled::LabelledAnswer;
use proptest::prelude::*;
use synod_engine::{Answers, IdLists, ReplyFormat, SeatReply, TypedReply};
use synod_math::plurality;

fn read(text: &str) -> Option<(Stance, String, String)> {
    let (value, _) = RevisionReply::read(text, &IdLists::default()).ok()?;
    let read = RevisionReply::recall(&value).expect("what was read can be recalled");
    Some((read.decision, read.reasons, read.response))
}

#[test]
fn a_revision_is_read_from_its_markers_with_whatever_markup_is_around_them() {
    for (text, decision, reasons, response) in [
        ("DECISION: REVISE\nREASONING: I missed cost.\nREVISED RESPONSE:\nThe new text.", Stance::Revise, "I missed cost.", "The new text."),
        ("**DECISION:** **MERGE**\n\n**REASONING:** Both.\n\n**REVISED RESPONSE:**\nNew.", Stance::Merge, "Both.", "New."),
        ("DECISION: [REVISE]\nREASONING: r\nREVISED RESPONSE: New.", Stance::Revise, "r", "New."),
        ("## Decision: revise\nReasoning: r\nRevised Response:\n# Heading\n\ntext\n---\nend", Stance::Revise, "r", "# Heading\n\ntext\n---\nend"),
        ("DECISION: REVISE\nThe text itself, with no marker.", Stance::Revise, "", "The text itself, with no marker."),
        ("DECISION: REVISE\nREASONING: One line.\n\nThe text after it.\n\nAnd more.", Stance::Revise, "One line.", "The text after it.\n\nAnd more."),
        ("DECISION: STAND\nREASONING: It holds.\nREVISED RESPONSE:\n(unchanged)", Stance::Stand, "It holds.", "(unchanged)"),
        ("DECISION: STAND\nREASONING: It holds.", Stance::Stand, "It holds.", ""),
        ("DECISION: [REVISE|STAND|MERGE]\nas asked:\nDECISION: STAND", Stance::Stand, "", ""),
        ("DECISION: MERGE\nREVISED RESPONSE:\nMemo\nDECISION: STAND by the queue", Stance::Merge, "", "Memo\nDECISION: STAND by the queue"),
        ("{\"reasons\": \"r\", \"decision\": \"REVISE\", \"response\": \"New.\"}", Stance::Revise, "r", "New."),
    ] {
        assert_eq!(read(text), Some((decision, reasons.to_owned(), response.to_owned())), "{text:?}");
    }
}

#[test]
fn nothing_is_guessed_from_prose() {
    for text in [
        "I would REVISE my answer.",
        "My DECISION: REVISE\nnew text",
        "DECISION: perhaps revise\nnew text",
        "DECISION: REVISE",
        "DECISION: MERGE\nREASONING: both\nREVISED RESPONSE:\n",
        "REVISED RESPONSE:\nA text without a decision.",
        "{\"reasons\": \"r\", \"decision\": \"MERGE\", \"response\": \" \"}",
        "",
    ] {
        assert_eq!(read(text), None, "{text:?}");
    }
}

fn first(text: &str) -> LabelledAnswer {
    LabelledAnswer { label: "K3".into(), seat: 0, key: "initial/answer@0".into(), text: text.into() }
}

fn reply(decision: Stance, response: &str) -> SeatReply<RevisionReply> {
    let value = RevisionReply { reasons: "r".into(), decision, response: response.into() };
    SeatReply { seat: 0, key: "revision/revise@0".into(), value, partial: false, ms: 0 }
}

#[test]
fn to_stand_is_the_original_whatever_was_written_beside_it() {
    for written in ["(unchanged)", "", "a wholly new text"] {
        let revised = RevisedAnswer::of(&first("The original."), Some(&reply(Stance::Stand, written)), &[]);
        assert_eq!((revised.text.as_str(), revised.changed(), revised.key.as_str()), ("The original.", false, "initial/answer@0"), "{written:?}");
    }
    let failed = RevisedAnswer::of(&first("The original."), None, &[]);
    assert_eq!((failed.text.as_str(), failed.stance), ("The original.", None));
    let merged = RevisedAnswer::of(&first("The original."), Some(&reply(Stance::Merge, " New, as T9 said. ")), &["T9".into()]);
    assert_eq!((merged.text.as_str(), merged.changed(), merged.key.as_str()), ("New, as another answer said.", true, "revision/revise@0"));
}

#[test]
fn labels_of_the_first_round_leave_the_text_and_nothing_else_does() {
    let labels = ["K3".to_owned(), "T9".to_owned()];
    for (text, want) in [
        ("As Response K3 says, wait.", "As another answer says, wait."),
        ("The answer T9 is right. K3 is not.", "Another answer is right. Another answer is not."),
        ("I follow the response T9's plan (K3 too).", "I follow another answer's plan (another answer too)."),
        ("**K3** and `T9`\nK3", "**Another answer** and `another answer`\nAnother answer"),
        ("answers K3 and T9", "Another answer and another answer"),
        ("XK3, K33, K3x, k3, K_3 and 4K3 stay", "XK3, K33, K3x, k3, K_3 and 4K3 stay"),
        ("My answer stays", "My answer stays"),
        ("", ""),
    ] {
        assert_eq!(without_labels(text, &labels), want, "{text:?}");
    }
}

fn ballot(text: &str) -> Option<(String, Vec<String>)> {
    let terms = IdLists::default().with("labels", ["A", "B", "C"]);
    DebateBallot::from_text(text, &terms).map(|ballot| (ballot.vote, ballot.weaker_revisions))
}

#[test]
fn a_ballot_is_a_vote_and_the_revisions_found_weaker() {
    for (text, want) in [
        ("A is fine.\nVOTE: Response B", Some(("B", vec![]))),
        ("A is fine.\nWEAKER REVISIONS: none\nVOTE: B", Some(("B", vec![]))),
        ("**WEAKER REVISIONS:** A, **Response C**.\n**VOTE: B**", Some(("B", vec!["A", "C"]))),
        ("VOTE: [Response C]\nWEAKER REVISIONS: C", Some(("C", vec!["C"]))),
        ("WEAKER REVISIONS: A perhaps\nVOTE: B", None),
        ("WEAKER REVISIONS: D\nVOTE: B", None),
        ("WEAKER REVISIONS: A", None),
        ("VOTE: Response carefully", None),
        ("Response A is better than Response B", None),
    ] {
        let want = want.map(|(vote, weaker)| (vote.to_owned(), weaker.into_iter().map(str::to_owned).collect()));
        assert_eq!(ballot(text), want, "{text:?}");
    }
}

fn answers() -> Vec<LabelledAnswer> {
    let answer = |(seat, label): (u32, &str)| LabelledAnswer { label: label.into(), seat, key: format!("k@{seat}"), text: label.into() };
    (0..).zip(["V4", "J7", "P2"]).map(answer).collect()
}

#[test]
fn a_revision_is_lost_to_its_original_when_more_than_half_of_its_readers_say_so() {
    let answers = answers();
    let revised = |text: &str| RevisedAnswer { key: String::new(), original: "before".into(), text: text.into(), stance: Some(Stance::Revise) };
    let all = [revised("after"), revised("after"), revised("before")];
    let vote = |seat: u32, weaker: &[&str]| SeatReply {
        seat,
        key: String::new(),
        value: DebateBallot { reasons: String::new(), vote: "J7".into(), weaker_revisions: weaker.iter().map(|label| (*label).into()).collect() },
        partial: false,
        ms: 0,
    };
    let given = vec![vote(0, &["J7", "P2"]), vote(1, &["V4", "V4"]), vote(2, &["V4"])];
    let votes = Answers { phase: "vote".into(), replies: given, failures: Vec::new() };
    let marks = count_marks(&answers, &all, &votes);
    assert_eq!(marks[0], RevisionMarks { weaker: 2, readers: 2 });
    assert_eq!(marks[1], RevisionMarks { weaker: 1, readers: 2 });
    assert_eq!(marks[2], RevisionMarks::default(), "nobody can mark what was not changed");
    assert_eq!([marks[0].lost(), marks[1].lost(), marks[2].lost()], [true, false, false]);
}

#[test]
fn ties_go_down_the_ladder() {
    let answers = answers();
    let labels = ["V4", "J7", "P2"];
    let marked = |weaker: [u32; 3]| weaker.map(|weaker| RevisionMarks { weaker, readers: 2 });
    let one = plurality(&labels, &[Some(1), Some(0), Some(1)]);
    assert_eq!(decide(&one, &marked([0, 2, 0]), &answers, 1), (1, Tiebreak::None), "marks are no votes");
    let tie = plurality(&labels, &[Some(1), Some(0), None]);
    assert_eq!(decide(&tie, &marked([1, 0, 0]), &answers, 1), (1, Tiebreak::FewerMarks), "P2 has fewest marks too, and no vote");
    let drawn: Vec<usize> = (0..40)
        .map(|seed| decide(&tie, &marked([0; 3]), &answers, seed))
        .map(|(winner, rung)| {
            assert_eq!(rung, Tiebreak::Draw);
            winner
        })
        .collect();
    assert!(drawn.contains(&0) && drawn.contains(&1) && !drawn.contains(&2), "{drawn:?}");
    assert_eq!(decide(&tie, &marked([0; 3]), &answers, 7), decide(&tie, &marked([0; 3]), &answers, 7), "a draw is the seed's, not chance");
    let none = plurality(&labels, &[None]);
    let drawn: Vec<usize> = (0..60).map(|seed| decide(&none, &marked([1, 0, 0]), &answers, seed).0).collect();
    assert!((0..3).all(|item| drawn.contains(&item)), "{drawn:?}");
}

proptest! {
    #[test]
    fn no_label_survives_and_no_other_text_changes(text in "([a-z ]{0,4}(K3|T9|K33|answer |the |[.*(]| )){0,20}") {
        let labels = ["K3".to_owned(), "T9".to_owned()];
        let got = without_labels(&text, &labels);
        let is_label = |word: &str| labels.iter().any(|label| label == word);
        prop_assert!(!got.split(|c: char| !c.is_alphanumeric()).any(is_label), "{:?} became {:?}", text, got);
        if !text.split(|c: char| !c.is_alphanumeric()).any(is_label) {
            prop_assert_eq!(&got, &text);
        }
        prop_assert_eq!(&without_labels(&got, &labels), &got);
    }

    #[test]
    fn no_reply_breaks_the_reader(text in ".{0,200}", around in "(DECISION:|REVISE|STAND|REASONING:|REVISED RESPONSE:|\\n|\\*\\*){0,12}") {
        if let Some((decision, _, response)) = read(&format!("{around}{text}")) {
            prop_assert!(decision == Stance::Stand || !response.trim().is_empty());
        }
    }
}
