//! Red team: one seat attacks a piece of work, its author defends and mends it, a third rules on what the author disputes, and the work is
//! written anew. Findings carry our ids and keep them; what became of each is computed, never left to a model's summary.

mod fate;
mod findings;
mod material;
mod replies;
mod rounds;
mod rows;
mod severity;

use crate::revision::long_enough;
use crate::text::words;
use crate::{attendance, closing};
use fate::{Fate, FateCounts};
use findings::Register;
use material::Material;
use rounds::{AttackOutcome, Case};
use rows::{AttackRow, AuditRow, DefenceRow, RestatementRow, RulingsRow, SynthesisRow, Totals};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use severity::{Risk, Severity, SeverityCounts};
use synod_engine::{Bench, Example, FigureKind, Halt, Mode, ModeResult, PlannedCalls, RequestName, Result, Seating, Stage, mode, prompt, seat};
use synod_types::*;

pub static MODE: Mode = mode! {
    id: "red_team", version: 3, name: "Red Team", family: Adversarial, seats: 2..=3,
    roles: &[seat("generator", 0), seat("attacker", 1), seat("judge", 2), seat("synthesizer", 0)],
    summary: "One seat attacks the work, its author defends and mends it round by round, and a hardened version comes out with an audit of every finding.",
    pick: "Take it for code, a design, a policy or an argument that must stand up to somebody who wants it to fail. Give it three seats, so that disputes are ruled on.",
    phases: &["generate", "round", "synthesis"],
    stages: &[
        Stage::from_seat::<RestatementRow>("generate", "generator"),
        Stage::from_seat::<AttackRow>("attack_round_{r}", "attacker"),
        Stage::from_seat::<DefenceRow>("defend_round_{r}", "defender"),
        Stage::from_seat::<RulingsRow>("judge_round_{r}", "judge"),
        Stage::computed::<AuditRow>("audit"),
        Stage::from_seat::<SynthesisRow>("synthesis", "synthesizer"),
    ],
    figures: &[
        FigureKind::total("severity", "Findings, by severity"),
        FigureKind::share("accepted", "Findings the author accepted and mended"),
        FigureKind::mean("findings", "Findings"),
        FigureKind::mean("unresolved", "Findings left open, overruled or contested"),
    ],
    left_out: &[("defend", "revised_content", "it becomes the work; the record shows it change by change")],
    multi_turn: false, estimated_ms: 180_000, turn_secs: 120, run_secs: 600,
    cost: "2 + 3r for r rounds (2 + 2r with two seats), less when nothing more is found",
    example: Example { content: Some("design.md"), ..Example::ask("Our plan for rotating keys") },
    failure_rule: "Without a readable attack in the first round there is no result; later the rounds stop. If the attacker fails, the judge attacks in its place and judges no more. If the defender fails, its text stays and the findings stay open; without a judge, disputed findings stay contested. A revision or final version that loses too much of the text is refused. If nobody can write the final version, the last revision is returned.",
    prompts: ["generate", "attack", "attack_again", "defend", "judge", "synthesis"], check_seating: check_models,
    request_names: &[
        RequestName::place("generatorModel", 0),
        RequestName::place("attackerModel", 1),
        RequestName::role("synthesizerModel", "synthesizer"),
        RequestName::option("maxInputLength", "max_input_chars"),
    ],
};

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Attack and defend at most this often. A round in which the attacker finds nothing is the last.
    #[schemars(range(min = 1, max = 3))]
    pub rounds: u32,
    /// Material beyond this many characters is cut off, and the verdict says so.
    #[schemars(range(min = 1000, max = 50000))]
    pub max_input_chars: u32,
    /// The share of the words a revision must keep to be taken: a reply that lost half of the text is no revision of it.
    #[schemars(range(min = 0.1, max = 1.0))]
    pub least_kept: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self { rounds: 2, max_input_chars: 25_000, least_kept: 0.5 }
    }
}

impl Options {
    fn check(&self) -> Vec<Problem> {
        Vec::new()
    }

    /// Tokens for a reply that holds the whole work: a token is about four characters, and hardening makes a text longer.
    fn text_tokens(&self) -> u32 {
        (self.max_input_chars / 4 + 2048).max(4096)
    }
}

/// What a script branches on.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    /// The worst severity among findings that are open, overruled or contested; NONE when every finding was fixed or rightly rebutted.
    pub risk: Risk,
    /// Every finding, worst first.
    pub findings: Vec<FindingOutcome>,
    /// How many findings met each fate.
    pub counts: FateCounts,
    /// Open, overruled and contested findings by severity.
    pub unresolved: SeverityCounts,
    /// Rounds in which the work was attacked.
    pub rounds: u32,
}

/// One finding and what became of it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FindingOutcome {
    pub id: String,
    pub title: String,
    pub severity: Severity,
    pub fate: Fate,
}

/// One model may hold both: that its seats share their mistakes is told where it is seated.
fn check_models(_: &Options, seating: &Seating) -> Vec<Problem> {
    let held = |role: &str| seating.roles.get(role).is_some_and(|seats| !seats.is_empty());
    if held("generator") && held("attacker") {
        return Vec::new();
    }
    vec![Problem::new("models", "nobody to defend or nobody to attack", "at least two seats: the first defends, the second attacks")]
}

fn calls(options: &Options, seating: &Seating) -> Vec<PlannedCalls> {
    let held = |role: &str| u32::from(seating.roles.get(role).is_some_and(|seats| !seats.is_empty()));
    let text = Some(options.text_tokens());
    let again = options.rounds.saturating_sub(1) * held("attacker");
    vec![
        PlannedCalls { prompt: "generate", role: "generator", min: 1, max: 1, reads: 0, max_tokens: text },
        PlannedCalls { prompt: "attack", role: "attacker", min: held("attacker"), max: held("attacker"), reads: 1, max_tokens: None },
        PlannedCalls { prompt: "attack_again", role: "attacker", min: 0, max: again, reads: 3, max_tokens: None },
        PlannedCalls { prompt: "defend", role: "generator", min: 0, max: options.rounds, reads: 2, max_tokens: text.map(|text| text + 2048) },
        PlannedCalls { prompt: "judge", role: "judge", min: 0, max: options.rounds * held("judge"), reads: 3, max_tokens: None },
        PlannedCalls { prompt: "synthesis", role: "synthesizer", min: 0, max: 1, reads: 3, max_tokens: text },
    ]
}

async fn run(bench: &Bench, options: Options) -> Result<ModeResult> {
    let mut case = prepare(bench, &options).await?;
    let mut rounds = 0;
    for round in 1..=options.rounds {
        let phase = bench.round("round", round);
        match case.attack(&phase, round).await? {
            AttackOutcome::Findings => rounds = round,
            AttackOutcome::NoFlaws => {
                rounds = round;
                break;
            }
            AttackOutcome::Failed if rounds == 0 => {
                return Err(Halt::no_quorum("round 1", "there was no readable attack in the first round, so the work was not tested"));
            }
            AttackOutcome::Failed => {
                phase.warn(format!("There was no readable attack in round {round}: the work was tested in {} only.", rounds_in_words(rounds)));
                break;
            }
        }
        let disputed = case.defend(&phase, round).await?;
        case.judge(&phase, round, &disputed).await?;
    }
    conclude(bench, &options, case, rounds).await
}

/// The material cut to its limit, and restated by the generator so that parts of it can be pointed at.
async fn prepare<'a>(bench: &'a Bench, options: &'a Options) -> Result<Case<'a>> {
    let phase = bench.phase("generate");
    let material = Material::of(bench.question(), options.max_input_chars as usize);
    if material.is_question {
        phase.warn("There was no content to attack, so the question itself was taken as the work.");
    }
    if material.left_out > 0 {
        phase.warn(format!("The material was cut to {} characters; {} more were not tested.", options.max_input_chars, material.left_out));
    }
    let mut case = Case::new(bench, options, &material);
    let input = material.text.chars().count();
    let ask = prompt!("generate", task = case.task, material = material.text).max_tokens(options.text_tokens());
    for seat in bench.role("generator") {
        let exhibit = match phase.ask::<String>(*seat, ask.clone()).await? {
            Ok(reply) => {
                let used = long_enough(&material.text, &reply.value, options.least_kept);
                let output = reply.value.chars().count();
                if used {
                    case.content = reply.value;
                    case.author = Some(*seat);
                } else {
                    phase.warn(format!(
                        "The restated work has {} words of {}; the material was used as given.",
                        words(&reply.value),
                        words(&material.text)
                    ));
                }
                let data = RestatementRow { input_length: input, output_length: Some(output), used, error: false };
                Exhibit::said("The work, restated", *seat, "generator", &reply.key).data(&data)
            }
            Err(failure) => {
                phase.warn("The work could not be restated; the material was used as given.");
                let data = RestatementRow { input_length: input, output_length: None, used: false, error: true };
                attendance::failure("The work, restated", "generator", &failure).data(&data)
            }
        };
        phase.show("generate", exhibit)?;
    }
    Ok(case)
}

async fn conclude(bench: &Bench, options: &Options, case: Case<'_>, rounds: u32) -> Result<ModeResult> {
    let phase = bench.phase("synthesis");
    let findings = &case.findings;
    phase.show("audit", findings.audit_exhibit(bench))?;
    let counts = findings.counts();
    bench.figure("findings", findings.all().len() as f64);
    bench.figure("unresolved", f64::from(counts.unresolved()));
    let of_each = findings.by_severity(|_| true);
    for (severity, count) in [("critical", of_each.critical), ("high", of_each.high), ("medium", of_each.medium), ("low", of_each.low)] {
        if count > 0 {
            bench.note(Figure::new("severity", f64::from(count)).label(severity));
        }
    }
    if !findings.all().is_empty() {
        bench.note(Figure::new("accepted", f64::from(counts.fixed)).of(findings.all().len() as f64));
    }
    if counts.contested > 0 && bench.role("judge").is_empty() {
        let disputed = if counts.contested == 1 { "1 disputed finding".to_owned() } else { format!("{} disputed findings", counts.contested) };
        phase.warn(format!("With two seats there is no neutral judge: nobody ruled on {disputed}."));
    }
    let last = |case: &Case| match case.author {
        Some(seat) => Answer { kind: AnswerKind::Selected, text: case.content.clone(), by: vec![seat] },
        None => Answer { kind: AnswerKind::Computed, text: case.content.clone(), by: Vec::new() },
    };
    let answer = if findings.all().is_empty() {
        phase.warn("The attacker found no flaws, so the work stands as it was attacked.");
        last(&case)
    } else {
        match synthesis(&phase, options, &case, rounds).await? {
            Some(answer) => answer,
            None => last(&case),
        }
    };
    let decision = Decision {
        risk: findings.risk(),
        findings: findings.worst_first().iter().map(|finding| finding.outcome()).collect(),
        counts,
        unresolved: findings.unresolved(),
        rounds,
    };
    Ok(ModeResult::ended("finished", answer)
        .action(findings.action())
        .decision(findings.summary(), &decision)
        .unsure("attacker and author take sides; nothing was measured")
        .dissent(findings.dissent(bench.role("generator").first().copied().unwrap_or_default()))
        .data(&totals(findings, rounds)))
}

/// The hardened version, by the synthesizer or the next who can; nothing when it is missing or has lost too much of the text.
async fn synthesis(phase: &Bench, options: &Options, case: &Case<'_>, rounds: u32) -> Result<Option<Answer>> {
    let writers = closing::once(["synthesizer", "generator", "attacker", "judge"].iter().flat_map(|role| phase.role(role)).copied());
    let ask = prompt!("synthesis", task = case.task, content = case.content, findings = case.findings.for_prompt(|_| true))
        .max_tokens(options.text_tokens());
    let Some(reply) = closing::write(phase, &writers, ask, "The final version").await? else {
        phase.warn("Nobody could write the final version; the work is returned as it stood after the last round.");
        return Ok(None);
    };
    let used = long_enough(&case.content, &reply.value, options.least_kept);
    let data = SynthesisRow { totals: totals(&case.findings, rounds), used };
    phase.show("synthesis", Exhibit::said("Hardened version", reply.seat, "synthesizer", &reply.key).data(&data))?;
    if !used {
        let why = format!("the final version has {} words of {}", words(&reply.value), words(&case.content));
        phase.warn(format!("Refused: {why}. The work is returned as it stood after the last round."));
        phase.abstained(reply.seat, why);
        return Ok(None);
    }
    if case.findings.counts().unresolved() > 0 {
        phase.warn("Findings were unresolved when the final version was written; whether it resolves them was not tested.");
    }
    Ok(Some(Answer { kind: AnswerKind::Synthesis, text: reply.value, by: vec![reply.seat] }))
}

fn totals(findings: &Register, rounds: u32) -> Totals {
    let counts = findings.counts();
    Totals {
        total_rounds: rounds,
        total_findings: findings.all().len(),
        total_accepted: counts.fixed,
        total_rebutted: counts.rebutted + counts.overruled + counts.contested,
        severity_counts: findings.by_severity(|_| true),
        hardening_confidence: findings.hardening(),
    }
}

fn rounds_in_words(n: u32) -> String {
    if n == 1 { "1 round".into() } else { format!("{n} rounds") }
}

#[cfg(test)]
mod tests;
