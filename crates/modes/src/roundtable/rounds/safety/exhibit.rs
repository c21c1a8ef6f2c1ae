//! What a reader is shown of the checks: what was looked at and why, what was withheld, and by which rule. Never the words that were withheld.

use super::check::{Checked, words_of};
use super::evaluation::Evaluation;
use crate::roundtable::rounds::{Debate, Round};
use crate::roundtable::rows::{SafetyFinding, SafetyRemark, SafetyRow, WithheldText};
use serde::Serialize;
use synod_engine::{Bench, Result, SeatReply};
use synod_types::Exhibit;

/// One text that was checked.
pub struct CheckedText {
    /// Whose it is: a seat's name, or the prompt that asked for it.
    pub name: String,
    /// The key of the turn that wrote it.
    pub key: String,
    pub check: Checked,
}

/// Shows the checks of a round: of its responses, and of its analysis.
pub fn show_safety(debate: &Debate, phase: &Bench, round: &Round) -> Result<()> {
    let responses = round.responses.iter().map(|response| CheckedText {
        name: debate.names[response.seat].clone(),
        key: response.key.clone(),
        check: Checked {
            blocked: response.blocked.clone(),
            evaluation: response.evaluation.clone(),
            evaluation_key: response.evaluation_key.clone(),
            unread: response.unread,
            closed: false,
        },
    });
    let analysis = round.analysis_check.iter().map(|(key, check)| CheckedText { name: "analysis".into(), key: key.clone(), check: check.clone() });
    show_checks(debate, phase, (round.number, &round.title(), &round.prefix()), responses.chain(analysis).collect())
}

/// Checks a reply that belongs to no round, and shows the check where there is something to say of it. `name` is its prompt's, `what` says to
/// the evaluator what it is, `round` is the last one before it. Returns why it is withheld, if it is.
pub async fn check_alone<T: Serialize>(
    debate: &mut Debate<'_>,
    phase: &Bench,
    (name, what, round): (&str, &str, u32),
    reply: &SeatReply<T>,
) -> Result<Option<String>> {
    let check = debate.check(phase, what, vec![(name.to_owned(), words_of(&reply.value)?)]).await?.remove(0);
    let blocked = check.blocked.clone();
    if blocked.is_some() || debate.watch.armed() {
        let text = CheckedText { name: name.to_owned(), key: reply.key.clone(), check };
        show_checks(debate, phase, (round, what, name), vec![text])?;
    }
    Ok(blocked)
}

/// Shows the checks of these texts: the round they belong to, its title, and how the stored row's name begins.
pub fn show_checks(debate: &Debate, phase: &Bench, (round, title, prefix): (u32, &str, &str), texts: Vec<CheckedText>) -> Result<()> {
    let armed = debate.watch.armed();
    let n = texts.len();
    let evaluated = texts.iter().filter(|text| text.check.evaluation.is_some()).count();
    let blocked: Vec<WithheldText> =
        texts.iter().filter_map(|text| Some(WithheldText { seat: text.name.clone(), reason: text.check.blocked.clone()? })).collect();
    let remarks = |pick: fn(&Evaluation) -> &Vec<String>| -> Vec<SafetyRemark> {
        // Remarks on withheld words may repeat them, so they are left out.
        let passed = texts.iter().filter(|text| text.check.blocked.is_none());
        let all = passed.flat_map(|text| text.check.evaluation.iter().flat_map(pick).map(|remark| (&text.name, remark)));
        all.map(|(seat, remark)| SafetyRemark { seat: seat.clone(), text: remark.clone() }).collect()
    };
    let (concerns, recommendations) = (remarks(|evaluation| &evaluation.concerns), remarks(|evaluation| &evaluation.recommendations));
    // Only the rules: the passages are what was withheld.
    let finding = |text: &CheckedText| {
        let evaluation = text.check.evaluation.as_ref().filter(|evaluation| !evaluation.clean())?;
        let rules = evaluation.findings.iter().map(|finding| finding.rule).collect();
        let verdict = if evaluation.passed { "pass" } else { "block" };
        Some(SafetyFinding { seat: text.name.clone(), verdict, rules, withheld: text.check.blocked.is_some() })
    };
    let findings: Vec<SafetyFinding> = texts.iter().filter_map(finding).collect();
    let doubted = findings.iter().filter(|finding| !finding.withheld).count();
    let triggers = debate.watch.triggers();
    let told = match (armed, blocked.len()) {
        (false, 0) => "The monitor found nothing, and nothing called for an evaluator.".to_owned(),
        (false, withheld) => format!("The monitor withheld {withheld} of {n} texts."),
        (true, withheld) => {
            let why: Vec<&str> = triggers.iter().map(|trigger| trigger.reason.as_str()).collect();
            format!("An evaluator read {evaluated} of {n} texts ({}); {withheld} withheld, {} concerns.", why.join("; "), concerns.len())
        }
    };
    let tier = match (evaluated, armed) {
        (0, false) => 1,
        (0, true) => 2,
        _ => 3,
    };
    let data = SafetyRow { round, tier, triggers, passed: blocked.is_empty(), findings, concerns, recommendations, blocked };
    let unread = texts.iter().filter(|text| text.check.unread).count();
    if unread > 0 {
        phase.warn(format!("The safety evaluator could not read {unread} of {n} texts; they were withheld."));
    }
    if doubted > 0 {
        phase.warn(format!(
            "The safety evaluator objected to {doubted} of {n} texts and did not both block them and quote what stands in them; they were passed on."
        ));
    }
    // The withheld turns have no row of their own words, and the evaluator's turns have none at all: this row covers both.
    let withheld = texts.iter().filter(|text| text.check.blocked.is_some()).map(|text| text.key.clone());
    let covered = texts.iter().filter_map(|text| text.check.evaluation_key.clone()).chain(withheld).collect();
    let remark = |remark: &SafetyRemark| format!("{}: {}", remark.seat, remark.text);
    let note = Exhibit::note(format!("{title}: safety"), told)
        .list("Concerns", data.concerns.iter().map(remark))
        .list("Recommendations", data.recommendations.iter().map(remark));
    phase.show(&format!("{prefix}_safety"), note.covers(covered).data(&data))
}
