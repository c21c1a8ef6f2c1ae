//! One round: attack, defence, ruling. What each leaves in the register of findings and in the text.

use super::Options;
use super::fates::Risk;
use super::findings::Register;
use super::material::Material;
use super::replies::{Attack, AttackAgain, Defence, Reopened, Response, Ruling, Rulings, Stand};
use crate::revised::{long_enough, revision};
use crate::text::words;
use serde_json::{Value, json};
use synod_engine::{Bench, Prompt, ReplyFormat, Result, SeatFailure, SeatReply, prompt};
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
pub enum Attacked {
    Found,
    /// The attacker says so, and lists nothing.
    Nothing,
    Failed,
}

impl<'a> Case<'a> {
    pub fn new(bench: &'a Bench, options: &'a Options, material: &Material) -> Self {
        let task = (!material.is_question).then(|| bench.question().text.clone());
        let judge = bench.role("judge").first().copied();
        Self { bench, options, task, content: material.text.clone(), author: None, findings: Register::default(), judge }
    }

    pub async fn attack(&mut self, round_stage: &Bench, round: u32) -> Result<Attacked> {
        let stage = round_stage.phase("attack");
        let answered = self.findings.answered();
        let name = format!("attack_round_{round}");
        let given: Option<SeatReply<AttackAgain>> = if round == 1 {
            let ask = prompt!("attack", task = self.task, content = self.content);
            self.ask_attackers::<Attack>(&stage, &name, round, ask).await?
        } else {
            let ask = prompt!("attack_again", task = self.task, content = self.content, findings = self.findings.shown(|_| true), answered)
                .ids("answered", answered.clone());
            // With nothing answered there is nothing to reopen, and no id to name.
            if answered.is_empty() {
                self.ask_attackers::<Attack>(&stage, &name, round, ask).await?
            } else {
                self.ask_attackers::<AttackAgain>(&stage, &name, round, ask).await?
            }
        };
        let Some(SeatReply { seat, key, value, .. }) = given else { return Ok(Attacked::Failed) };
        let reopened = first_of_each(value.reopened, |reopened: &Reopened| &reopened.id);
        self.findings.reopen(&reopened);
        let entered = self.findings.enter(seat, value.findings);
        let attacked = if entered.is_empty() && reopened.is_empty() { Attacked::Nothing } else { Attacked::Found };
        let exhibit = self.attack_exhibit(&entered, &reopened, round).by(seat, "attacker").turn(&key);
        stage.show(&name, exhibit)?;
        Ok(attacked)
    }

    /// The attacker, and the judge in its place.
    async fn ask_attackers<T: ReplyFormat + Into<AttackAgain>>(
        &mut self,
        stage: &Bench,
        name: &str,
        round: u32,
        ask: Prompt,
    ) -> Result<Option<SeatReply<AttackAgain>>> {
        let attacker = self.bench.role("attacker").first().copied();
        for seat in attacker.into_iter().chain(self.bench.role("judge").iter().copied()) {
            let in_place = Some(seat) != attacker;
            let ask = if in_place { ask.clone().extra() } else { ask.clone() };
            match stage.ask::<T>(seat, ask).await? {
                Ok(SeatReply { seat, key, value, partial }) => {
                    if in_place {
                        self.judge = None;
                        let who = &self.bench.seat(seat).label;
                        stage.warn(format!("{who} attacked in the attacker's place in round {round}, and so may not judge from then on."));
                    }
                    return Ok(Some(SeatReply { seat, key, value: value.into(), partial }));
                }
                Err(missed) => {
                    let data = json!({"round": round, "findings": null, "summary": null, "noFlaws": false, "reopened": null, "error": true});
                    stage.show(name, failed("Attack", "attacker", &missed).data(&data))?;
                }
            }
        }
        Ok(None)
    }

    fn attack_exhibit(&self, entered: &[String], reopened: &[Reopened], round: u32) -> Exhibit {
        let listed: Vec<String> = reopened.iter().map(|reopened| reopened.id.clone()).chain(entered.iter().cloned()).collect();
        let none = match (listed.is_empty(), round) {
            (false, _) => "",
            (true, 1) => "The attacker looked for flaws and found none.",
            (true, _) => "The attacker found nothing new, and no answer that fails.",
        };
        let new = |id: &str| entered.iter().any(|entered| entered == id);
        let counts = self.findings.by_severity(|found| new(&found.id));
        let worst = self.findings.all().iter().filter(|found| new(&found.id)).map(|found| found.flaw.severity).min();
        let data = json!({
            "round": round,
            "findings": entered.iter().filter_map(|id| self.findings.get(id)).map(|found| found.data()).collect::<Vec<_>>(),
            "summary": {
                "critical": counts.critical, "high": counts.high, "medium": counts.medium, "low": counts.low,
                "overallRisk": Risk::from(worst),
            },
            "noFlaws": listed.is_empty(),
            "reopened": reopened,
        });
        let shape = Findings { entries: self.findings.entries(self.bench, &listed), none: none.into() };
        Exhibit::new(format!("Attack, round {round}"), Shape::Findings(shape)).data(&data)
    }

    /// The author answers what is open and revises the text. Returns the ids it disputes.
    pub async fn defend(&mut self, round_stage: &Bench, round: u32) -> Result<Vec<String>> {
        let stage = round_stage.phase("defend");
        let name = format!("defend_round_{round}");
        let open = self.findings.to_answer();
        let Some(seat) = self.bench.role("generator").first().copied() else { return Ok(Vec::new()) };
        let shown = self.findings.shown(|found| open.contains(&found.id));
        let ask = prompt!("defend", task = self.task, content = self.content, findings = shown)
            .ids("findings", open.clone())
            .max_tokens(self.options.text_tokens() + 2048);
        let given = match stage.ask::<Defence>(seat, ask).await? {
            Ok(given) => given,
            Err(missed) => {
                let data = json!({
                    "round": round, "responses": null, "accepted": null, "rebutted": null, "unaddressed": open,
                    "revisedContentLength": null, "kept": false, "error": true,
                });
                stage.show(&name, failed("Defence", "defender", &missed).data(&data))?;
                return Ok(Vec::new());
            }
        };
        let responses = first_of_each(given.value.responses, |response: &Response| &response.id);
        let accepted = responses.iter().filter(|response| response.verdict == Stand::Accept).count();
        let proposed = given.value.revised_content.trim();
        let refused = if accepted == 0 { None } else { self.refusal(proposed) };
        let taken = accepted > 0 && refused.is_none();
        let mut change = revision(&self.content, if accepted == 0 { &self.content } else { proposed });
        change.decision = if accepted == 0 { "stand" } else { "revise" }.into();
        change.reasons = given.value.reasons.clone();
        change.kept = refused.is_none();
        change.notes = responses.iter().map(said_to).collect();
        if let Some(why) = refused {
            stage.warn(format!("The revision of round {round} was refused: {why}. The findings it was to fix stay open."));
            change.notes.insert(0, format!("Refused: {why}."));
        }
        let disputed = self.findings.answer(&responses, taken);
        let unaddressed: Vec<&String> = open.iter().filter(|id| !responses.iter().any(|response| response.id == **id)).collect();
        let data = json!({
            "round": round,
            "responses": open.iter().map(|id| self.response_data(id, &responses)).collect::<Vec<_>>(),
            "accepted": accepted, "rebutted": disputed.len(), "unaddressed": unaddressed,
            "revisedContentLength": if accepted == 0 { Value::Null } else { json!(proposed.chars().count()) },
            "kept": taken,
        });
        if taken {
            self.content = proposed.to_owned();
            self.author = Some(given.seat);
        }
        let exhibit = Exhibit::new(format!("Defence, round {round}"), Shape::Revision(change)).by(given.seat, "defender").turn(&given.key);
        stage.show(&name, exhibit.data(&data))?;
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

    fn response_data(&self, id: &str, responses: &[Response]) -> Value {
        let title = self.findings.get(id).map(|found| &found.flaw.title);
        match responses.iter().find(|response| response.id == id) {
            Some(response) => json!({
                "id": id, "findingTitle": title, "verdict": response.verdict, "reasoning": response.reasoning,
                "revision": response.revision.as_ref().filter(|_| response.verdict == Stand::Accept),
            }),
            None => json!({"id": id, "findingTitle": title, "verdict": "UNADDRESSED", "reasoning": null, "revision": null}),
        }
    }

    /// Whoever wrote neither work nor findings rules on what the author disputes. Without a ruling a finding stays contested.
    pub async fn judge(&mut self, round_stage: &Bench, round: u32, disputed: &[String]) -> Result<()> {
        let Some(judge) = self.judge.filter(|_| !disputed.is_empty()) else { return Ok(()) };
        let stage = round_stage.phase("judge");
        let name = format!("judge_round_{round}");
        let shown = self.findings.shown(|found| disputed.contains(&found.id));
        let ask = prompt!("judge", task = self.task, content = self.content, findings = shown).ids("disputed", disputed.to_vec());
        let given = match stage.ask::<Rulings>(judge, ask).await? {
            Ok(given) => given,
            Err(missed) => {
                stage.warn(format!("Nobody ruled on the findings disputed in round {round}."));
                let data = json!({"round": round, "rulings": null, "error": true});
                return stage.show(&name, failed("Ruling", "judge", &missed).data(&data));
            }
        };
        let rulings = first_of_each(given.value.rulings, |ruling: &Ruling| &ruling.id);
        self.findings.rule(&rulings);
        let left: Vec<&str> = disputed.iter().filter(|id| !rulings.iter().any(|ruling| ruling.id == **id)).map(String::as_str).collect();
        if !left.is_empty() {
            stage.warn(format!("The judge did not rule on {} in round {round}.", left.join(", ")));
        }
        let shape = Findings { entries: self.findings.entries(self.bench, disputed), none: String::new() };
        let exhibit = Exhibit::new(format!("Ruling, round {round}"), Shape::Findings(shape)).by(given.seat, "judge").turn(&given.key);
        stage.show(&name, exhibit.data(&json!({"round": round, "rulings": rulings})))
    }
}

fn failed(title: &str, role: &str, missed: &SeatFailure) -> Exhibit {
    Exhibit::note(title, format!("Nothing came: {}", missed.failure)).by(missed.seat, role).turn(&missed.key)
}

fn said_to(response: &Response) -> String {
    let stand = match response.verdict {
        Stand::Accept => "accepted",
        Stand::Rebut => "disputed",
    };
    let changed = response.revision.as_ref().filter(|_| response.verdict == Stand::Accept);
    format!("{} {stand}: {}{}", response.id, response.reasoning, changed.map(|change| format!(" Change: {change}")).unwrap_or_default())
}

/// A second word on the same finding does not count.
fn first_of_each<T>(items: Vec<T>, id: impl Fn(&T) -> &String) -> Vec<T> {
    let mut kept: Vec<T> = Vec::new();
    for item in items {
        if !kept.iter().any(|before| id(before) == id(&item)) {
            kept.push(item);
        }
    }
    kept
}
