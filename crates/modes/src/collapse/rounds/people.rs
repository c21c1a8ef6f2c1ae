//! What is put to a person: approvals that open a gate, and the choice when the panel agrees on nothing. The run waits, durably.

use super::docket::Docket;
use super::position::{Position, reason_text};
use crate::collapse::cards::records::{Approval, ApprovalDecision};
use synod_engine::{Bench, Result};

/// The name of an approval's question, within its position's scope.
fn approval_name(subject: &str) -> String {
    format!("approve {subject}")
}

/// Whether a question's key, `round 1/POSITION/approve SUBJECT@person`, asks for this approval. Keys have no separators inside their parts.
pub fn asks_for(key: &str, position: &str, subject: &str) -> bool {
    let plain = |part: &str| part.replace(['/', '@'], "-");
    approval_of(key).is_some_and(|(known, about)| known == plain(position) && about == plain(subject))
}

/// The position and the subject of an approval's question, as its key has them.
pub fn approval_of(key: &str) -> Option<(&str, &str)> {
    let mut parts = key.rsplit('/');
    let subject = parts.next()?.strip_suffix("@person")?.strip_prefix("approve ")?;
    Some((parts.next()?, subject))
}

/// Whether something waits for a person. Doubts do not while their author can still answer them.
pub fn is_asked(docket: &Docket) -> bool {
    docket.positions.iter().any(|position| waits(docket, position))
}

fn waits(docket: &Docket, position: &Position) -> bool {
    position.needs_approval() && !(docket.may_revise() && position.parked_by_doubts())
}

/// Asks for every approval that is open, all at once. False: the run was told to conclude first.
pub async fn ask_approvals(bench: &Bench, docket: &mut Docket) -> Result<bool> {
    let mut open: Vec<(usize, String, String)> = Vec::new();
    for (at, position) in docket.positions.iter().enumerate().filter(|(_, position)| waits(docket, position)) {
        for reason in position.open_subjects() {
            // An invariant broken twice is approved once.
            if !open.iter().any(|(known, subject, _)| *known == at && *subject == reason.subject) {
                open.push((at, reason.subject.clone(), reason_text(position, reason)));
            }
        }
    }
    let questions = open.iter().map(|(at, subject, why)| {
        let position = &docket.positions[*at];
        let text = format!(
            "Position {} ({}): {why}. Approve it, reject it, or ask for a revision with a note?",
            position.id(),
            position.card.gist().trim_end_matches('.'),
        );
        let (bench, name) = (bench.at(position.id()), approval_name(subject));
        async move { bench.person(&name, text, &ApprovalDecision::WORDS).await }
    });
    let answers: Vec<_> = futures::future::join_all(questions).await.into_iter().collect::<Result<_>>()?;
    let mut all = true;
    for ((at, subject, _), answer) in open.into_iter().zip(answers) {
        let Some(answer) = answer else {
            all = false;
            continue;
        };
        // The choices are the only answers the inbox lets through.
        let decision = ApprovalDecision::parse(&answer.answer).unwrap_or(ApprovalDecision::Reject);
        let position = &mut docket.positions[at];
        position.approvals.push(Approval {
            position_id: position.card.id.clone(),
            subject,
            decision,
            approver: answer.by,
            // A mode has no clock: the journal's row of the answer has the time.
            at: String::new(),
            note: answer.note.unwrap_or_default(),
        });
    }
    docket.closed |= !all;
    Ok(all)
}

/// What a person chose when the rules gave no decision.
pub enum Choice {
    Position {
        at: usize,
        by: String,
        note: String,
    },
    None {
        by: String,
        note: String,
    },
    /// Nobody answered before the run was told to conclude.
    Unanswered,
}

/// Hands the viable positions to a person.
pub async fn choose(bench: &Bench, docket: &Docket, positions: &[usize], why: &str) -> Result<Choice> {
    let ids: Vec<&str> = positions.iter().map(|at| docket.positions[*at].id()).collect();
    let lines: Vec<String> = positions
        .iter()
        .map(|at| {
            let position = &docket.positions[*at];
            format!("- {}: {} (score {:.2}, risk {:.2})", position.id(), position.card.gist(), position.score.value, position.score.terms.risk)
        })
        .collect();
    let text = format!("{why} Which position should be taken? `none` takes none of them.\n{}", lines.join("\n"));
    let choices: Vec<&str> = ids.iter().copied().chain(["none"]).collect();
    Ok(match bench.person("choose", text, &choices).await? {
        None => Choice::Unanswered,
        Some(answer) => {
            let (by, note) = (answer.by, answer.note.unwrap_or_default());
            match ids.iter().position(|id| *id == answer.answer) {
                Some(place) => Choice::Position { at: positions[place], by, note },
                None => Choice::None { by, note },
            }
        }
    })
}
