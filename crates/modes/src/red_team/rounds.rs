//! One round: attack, defence, ruling. What each leaves in the register of findings and in the text.

use super::Options;
use super::findings::{Finding, Register};
use super::material::Material;
use super::replies::{Attack, AttackAgain, Defence, Reopening, Response, ResponseVerdict, Ruling, Rulings};
use super::rows::{AttackRow, AttackSummary, DefenceRow, ResponseRow, RowVerdict, RulingsRow};
use super::severity::Risk;
use crate::attendance;
use crate::revision::{long_enough, revision};
use crate::text::words;
use synod_engine::{Bench, Prompt, ReplyFormat, Result, SeatReply, prompt};
use synod_types::*;

/// The work under attack and everything known about it.
pub struct Case<'a> {
    bench: &'a Bench,
    options: &'a Options,
    /// What the work is for; nothing where the question itself is the work.
    pub task: Option<String>,
    /// The text as it stands.
    pub content: String,
    /// Who wrote it; nobody where it is the material as given.
    pub author: Option<SeatIx>,
    pub findings: Register,
    /// Whoever has attacked may not judge.
    judge: Option<SeatIx>,
}

/// What an attack came to.
pub enum AttackOutcome {
    /// New findings, or earlier ones reopened.
    Findings,
    /// The attacker says that there is no flaw, and lists none.
    NoFlaws,
    /// Nobody gave a readable attack.
    Failed,
}

impl<'a> Case<'a> {
    pub fn new(bench: &'a Bench, options: &'a Options, material: &Material) -> Self {
        let task = (!material.is_question).then(|| bench.question().text.clone());
        let judge = bench.role("judge").first().copied();
        Self { bench, options, task, content: material.text.clone(), author: None, findings: Register::default(), judge }
    }

    pub async fn attack(&mut self, round_phase: &Bench, round: u32) -> Result<AttackOutcome> {
        let phase = round_phase.phase("attack");
        let answered = self.findings.answered();
        let name = format!("attack_round_{round}");
        let reply: Option<SeatReply<AttackAgain>> = if round == 1 {
            let ask = prompt!("attack", task = self.task, content = self.content);
            self.ask_attackers::<Attack>(&phase, &name, round, ask).await?
        } else {
            let ask = prompt!("attack_again", task = self.task, content = self.content, findings = self.findings.for_prompt(|_| true), answered)
                .ids("answered", answered.clone());
            // With nothing answered there is nothing to reopen, and no id to name.
            if answered.is_empty() {
                self.ask_attackers::<Attack>(&phase, &name, round, ask).await?
            } else {
                self.ask_attackers::<AttackAgain>(&phase, &name, round, ask).await?
            }
        };
        let Some(SeatReply { seat, key, value, .. }) = reply else { return Ok(AttackOutcome::Failed) };
        let reasons = value.reasons.clone();
        let reopened = first_of_each(value.reopened, |reopened: &Reopening| &reopened.id);
        self.findings.reopen(&reopened);
        let entered = self.findings.enter(seat, value.findings);
        let outcome = if entered.is_empty() && reopened.is_empty() { AttackOutcome::NoFlaws } else { AttackOutcome::Findings };
        let exhibit = self.attack_exhibit(&entered, &reopened, round).part("How it was attacked", reasons).by(seat, "attacker").turn(&key);
        phase.show(&name, exhibit)?;
        Ok(outcome)
    }

    /// Asks the attacker and, if it fails, the judge in its place.
    async fn ask_attackers<T: ReplyFormat + Into<AttackAgain>>(
        &mut self,
        phase: &Bench,
        name: &str,
        round: u32,
        ask: Prompt,
    ) -> Result<Option<SeatReply<AttackAgain>>> {
        let attacker = self.bench.role("attacker").first().copied();
        for seat in attacker.into_iter().chain(self.bench.role("judge").iter().copied()) {
            let in_place = Some(seat) != attacker;
            let ask = if in_place { ask.clone().extra() } else { ask.clone() };
            match phase.ask::<T>(seat, ask).await? {
                Ok(SeatReply { seat, key, value, partial, ms }) => {
                    if in_place {
                        self.judge = None;
                        let who = &self.bench.seat(seat).label;
                        phase.warn(format!("{who} attacked in the attacker's place in round {round}, and so may not judge from then on."));
                    }
                    return Ok(Some(SeatReply { seat, key, value: value.into(), partial, ms }));
                }
                Err(failure) => {
                    let data = AttackRow { round, findings: None, summary: None, no_flaws: false, reopened: None, error: true };
                    phase.show(name, attendance::failure(format!("Attack, round {round}"), "attacker", &failure).data(&data))?;
                }
            }
        }
        Ok(None)
    }

    fn attack_exhibit(&self, entered: &[String], reopened: &[Reopening], round: u32) -> Exhibit {
        let listed: Vec<String> = reopened.iter().map(|reopened| reopened.id.clone()).chain(entered.iter().cloned()).collect();
        let none = match (listed.is_empty(), round) {
            (false, _) => "",
            (true, 1) => "The attacker looked for flaws and found none.",
            (true, _) => "The attacker found nothing new, and no answer that fails.",
        };
        let new = |id: &str| entered.iter().any(|entered| entered == id);
        let counts = self.findings.by_severity(|finding| new(&finding.id));
        let worst = self.findings.all().iter().filter(|finding| new(&finding.id)).map(|finding| finding.flaw.severity).min();
        let data = AttackRow {
            round,
            findings: Some(entered.iter().filter_map(|id| self.findings.get(id)).map(Finding::row).collect()),
            summary: Some(AttackSummary { counts, overall_risk: Risk::from(worst) }),
            no_flaws: listed.is_empty(),
            reopened: Some(reopened.to_vec()),
            error: false,
        };
        let shape = Findings { entries: self.findings.entries(self.bench, &listed), none: none.into() };
        Exhibit::new(format!("Attack, round {round}"), Shape::Findings(shape)).data(&data)
    }

    /// The author answers what is open and revises the text. Returns the ids it disputes.
    pub async fn defend(&mut self, round_phase: &Bench, round: u32) -> Result<Vec<String>> {
        let phase = round_phase.phase("defend");
        let name = format!("defend_round_{round}");
        let open = self.findings.to_answer();
        let Some(seat) = self.bench.role("generator").first().copied() else { return Ok(Vec::new()) };
        let shown = self.findings.for_prompt(|finding| open.contains(&finding.id));
        let ask = prompt!("defend", task = self.task, content = self.content, findings = shown)
            .ids("findings", open.clone())
            .max_tokens(self.options.text_tokens() + 2048);
        let reply = match phase.ask::<Defence>(seat, ask).await? {
            Ok(reply) => reply,
            Err(failure) => {
                let data = DefenceRow {
                    round,
                    responses: None,
                    accepted: None,
                    rebutted: None,
                    unaddressed: open,
                    revised_content_length: None,
                    kept: false,
                    error: true,
                };
                phase.show(&name, attendance::failure(format!("Defence, round {round}"), "defender", &failure).data(&data))?;
                return Ok(Vec::new());
            }
        };
        let responses = first_of_each(reply.value.responses, |response: &Response| &response.id);
        let accepted = responses.iter().filter(|response| response.verdict == ResponseVerdict::Accept).count();
        let proposed = reply.value.revised_content.trim();
        let refusal = if accepted == 0 { None } else { self.refusal(proposed) };
        let kept = accepted > 0 && refusal.is_none();
        let mut change = revision(&self.content, if accepted == 0 { &self.content } else { proposed });
        change.decision = if accepted == 0 { "stand" } else { "revise" }.into();
        change.reasons = reply.value.reasons.clone();
        change.kept = refusal.is_none();
        change.notes = responses.iter().map(response_note).collect();
        if let Some(why) = refusal {
            phase.warn(format!("The revision of round {round} was refused: {why}. The findings it was to fix stay open."));
            change.notes.insert(0, format!("Refused: {why}."));
        }
        let disputed = self.findings.answer(&responses, kept);
        let data = DefenceRow {
            round,
            responses: Some(open.iter().filter_map(|id| self.findings.get(id)).map(|finding| response_row(finding, &responses)).collect()),
            accepted: Some(accepted),
            rebutted: Some(disputed.len()),
            unaddressed: open.iter().filter(|id| !responses.iter().any(|response| response.id == **id)).cloned().collect(),
            revised_content_length: (accepted > 0).then(|| proposed.chars().count()),
            kept,
            error: false,
        };
        if kept {
            self.content = proposed.to_owned();
            self.author = Some(reply.seat);
        }
        let exhibit = Exhibit::new(format!("Defence, round {round}"), Shape::Revision(change)).by(reply.seat, "defender").turn(&reply.key);
        phase.show(&name, exhibit.data(&data))?;
        Ok(disputed)
    }

    /// Why a revised text cannot take the old one's place.
    fn refusal(&self, proposed: &str) -> Option<String> {
        if proposed == self.content.trim() {
            Some("it changes nothing".into())
        } else if !long_enough(&self.content, proposed, self.options.least_kept) {
            Some(format!("it has {} words of {}", words(proposed), words(&self.content)))
        } else {
            None
        }
    }

    /// Whoever wrote neither work nor findings rules on what the author disputes. Without a ruling a finding stays contested.
    pub async fn judge(&mut self, round_phase: &Bench, round: u32, disputed: &[String]) -> Result<()> {
        let Some(judge) = self.judge.filter(|_| !disputed.is_empty()) else { return Ok(()) };
        let phase = round_phase.phase("judge");
        let name = format!("judge_round_{round}");
        let shown = self.findings.for_prompt(|finding| disputed.contains(&finding.id));
        let ask = prompt!("judge", task = self.task, content = self.content, findings = shown).ids("disputed", disputed.to_vec());
        let reply = match phase.ask::<Rulings>(judge, ask).await? {
            Ok(reply) => reply,
            Err(failure) => {
                phase.warn(format!("Nobody ruled on the findings disputed in round {round}."));
                let data = RulingsRow { round, rulings: None, error: true };
                return phase.show(&name, attendance::failure(format!("Ruling, round {round}"), "judge", &failure).data(&data));
            }
        };
        let rulings = first_of_each(reply.value.rulings.clone(), |ruling: &Ruling| &ruling.id);
        self.findings.rule(&rulings);
        let left: Vec<&str> = disputed.iter().filter(|id| !rulings.iter().any(|ruling| ruling.id == **id)).map(String::as_str).collect();
        if !left.is_empty() {
            phase.warn(format!("The judge did not rule on {} in round {round}.", left.join(", ")));
        }
        let shape = Findings { entries: self.findings.entries(self.bench, disputed), none: String::new() };
        let exhibit = Exhibit::new(format!("Ruling, round {round}"), Shape::Findings(shape)).part("What was weighed", &reply.value.reasons);
        let exhibit = exhibit.by(reply.seat, "judge").turn(&reply.key);
        phase.show(&name, exhibit.data(&RulingsRow { round, rulings: Some(rulings), error: false }))
    }
}

fn response_row(finding: &Finding, responses: &[Response]) -> ResponseRow {
    let response = responses.iter().find(|response| response.id == finding.id);
    let verdict = match response.map(|response| response.verdict) {
        Some(ResponseVerdict::Accept) => RowVerdict::Accept,
        Some(ResponseVerdict::Rebut) => RowVerdict::Rebut,
        None => RowVerdict::Unaddressed,
    };
    ResponseRow {
        id: finding.id.clone(),
        finding_title: finding.flaw.title.clone(),
        verdict,
        reasoning: response.map(|response| response.reasoning.clone()),
        revision: response.and_then(change_made).cloned(),
    }
}

/// What the author says it changed; nothing for a finding it disputes.
fn change_made(response: &Response) -> Option<&String> {
    response.revision.as_ref().filter(|_| response.verdict == ResponseVerdict::Accept)
}

fn response_note(response: &Response) -> String {
    let stand = match response.verdict {
        ResponseVerdict::Accept => "accepted",
        ResponseVerdict::Rebut => "disputed",
    };
    format!("{} {stand}: {}{}", response.id, response.reasoning, change_made(response).map(|change| format!(" Change: {change}")).unwrap_or_default())
}

/// The first item for each id.
fn first_of_each<T>(items: Vec<T>, id: impl Fn(&T) -> &String) -> Vec<T> {
    let mut kept: Vec<T> = Vec::new();
    for item in items {
        if !kept.iter().any(|before| id(before) == id(&item)) {
            kept.push(item);
        }
    }
    kept
}
