//! What the rounds come to: the final value by its stated rule, the report about it, and the verdict.

use super::question::AnswerForm;
use super::round::{Entry, Round, RoundStats, Rung};
use super::rows::{FinalValue, OutcomeRow, TrajectoryRow, VerdictData};
use super::{Decision, Interval};
use crate::closing;
use crate::tally;
use serde_json::{Value, json};
use synod_engine::{Bench, ModeResult, Result, prompt};
use synod_math::numbers::plain;
use synod_math::{Agreement, Choice, JudgedThing, Rng};
use synod_types::*;

words! {
    /// Why there was no further round.
    pub enum StopReason { Settled = "settled", MaxRounds = "max_rounds", TooFew = "too_few" }
}

/// The last whole round, and how the panel came to it.
pub struct Outcome<'a> {
    form: &'a AnswerForm,
    rounds: &'a [Round],
    last: &'a Round,
    stop: StopReason,
}

impl<'a> Outcome<'a> {
    /// `None` without a whole round.
    pub fn of(form: &'a AnswerForm, rounds: &'a [Round], stop: StopReason) -> Option<Self> {
        Some(Self { form, rounds, last: rounds.last()?, stop })
    }

    pub async fn conclude(&self, bench: &Bench) -> Result<ModeResult> {
        let phase = bench.phase("synthesis");
        if let Some(warning) = self.tie_warning() {
            phase.warn(warning);
        }
        let decision = self.decision();
        let row = || OutcomeRow {
            total_rounds: decision.rounds,
            converged: decision.settled,
            convergence_round: decision.settled.then_some(decision.rounds),
            final_value: self.final_value(),
        };
        let data = TrajectoryRow { outcome: row(), stop_reason: self.stop, interval: decision.interval };
        phase.show("trajectory", Exhibit::new("Round by round", Shape::Series(self.series())).data(&data))?;

        let answer = match closing::write(&phase, bench.role("facilitator"), self.prompt(bench), "The report").await? {
            Some(text) => {
                phase.show("synthesis", Exhibit::said("Report", text.seat, "facilitator", &text.key).data(&row()))?;
                self.stating_the_result(&phase, Answer { kind: AnswerKind::Report, text: text.value, by: vec![text.seat] })
            }
            None => {
                // No panelist writes it instead: it would report on its own answer.
                phase.warn("The facilitator could not write the report; the computed result is the answer.");
                let text = format!("{} {}", self.result_sentence(), self.ending_sentence());
                closing::computed(&phase, "synthesis", "Report", text, self.last.entries.iter().map(|entry| entry.seat), &row())?
            }
        };
        bench.figure("rounds", f64::from(decision.rounds));
        bench.figure("settled", f64::from(u8::from(decision.settled)));
        if decision.settled {
            bench.figure("convergence_round", f64::from(decision.rounds));
        }
        Ok(ModeResult::ended(self.stop.as_str(), answer)
            .decision(self.summary(), &decision)
            .confidence(self.confidence(bench))
            .unsure("the spread of these numbers has no measure")
            .dissent(self.dissent())
            .data(&VerdictData {
                final_value: self.final_value(),
                rule: self.rule(),
                measure: &self.last.measure,
                options: &self.form.options,
                rounds: self.rounds.iter().map(|round| round.for_prompt(self.form)).collect(),
            }))
    }

    /// A report whose first sentence does not give the result gets the computed one before it.
    fn stating_the_result(&self, phase: &Bench, report: Answer) -> Answer {
        if report.opening().is_some_and(|opening| self.form.stated_in(&opening, &self.final_value())) {
            return report;
        }
        phase.warn("The report did not begin with the result; the computed sentence was put before it.");
        Answer { text: format!("{}\n\n{}", self.result_sentence(), report.text), ..report }
    }

    fn prompt(&self, bench: &Bench) -> synod_engine::Prompt {
        let form = self.form;
        // Ordered by answer, and equal answers by lot, so that the order does not tell whose they are.
        let mut entries: Vec<&Entry> = self.last.entries.iter().collect();
        Rng::new(bench.seed("reasons")).shuffle(&mut entries);
        entries.sort_by(|a, b| match (a.number(), b.number()) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            _ => a.option().cmp(&b.option()),
        });
        let entries: Vec<Value> = entries
            .into_iter()
            .map(|entry| {
                let apart = if self.last.stands_apart(entry) { ", stands apart" } else { "" };
                json!({"label": format!("{}, {} confidence{apart}", entry.in_words(form), entry.level.as_str()), "text": entry.reasons})
            })
            .collect();
        let rounds: Vec<Value> = self.rounds.iter().map(|round| round.for_prompt(form)).collect();
        let (low, high) = (plain(form.scale.0), plain(form.scale.1));
        let (ended, outcome) = (self.ending_sentence(), self.result_sentence());
        let prompt = prompt!("synthesis", kind = form.kind, unit = form.unit, menu = form.menu(), low, high, rounds, ended, outcome, entries);
        prompt.fill("result", &outcome)
    }

    fn settled(&self) -> bool {
        self.stop == StopReason::Settled
    }

    fn decision(&self) -> Decision {
        let (value, choice, interval) = match &self.last.stats {
            RoundStats::Numbers { summary, .. } => (Some(summary.median), None, Some(Interval { low: summary.low, high: summary.high })),
            RoundStats::Choices { leader, .. } => (None, Some(self.form.options[*leader].clone()), None),
        };
        let unit = Some(self.form.unit.clone()).filter(|unit| !unit.is_empty());
        Decision { kind: self.form.kind, value, choice, unit, interval, rounds: self.last.n, settled: self.settled() }
    }

    fn final_value(&self) -> FinalValue {
        match &self.last.stats {
            RoundStats::Numbers { summary, .. } => FinalValue::Number(summary.median),
            RoundStats::Choices { leader, .. } => FinalValue::Choice(self.form.options[*leader].clone()),
        }
    }

    fn rule(&self) -> String {
        match &self.last.stats {
            RoundStats::Numbers { .. } => "the median of the last whole round; its interval is the middle half".into(),
            RoundStats::Choices { rung, .. } => format!("the option most chose in the last whole round (decided by {})", rung.as_str()),
        }
    }

    /// The result with its count, and how the rounds ended.
    fn summary(&self) -> String {
        let (n, round) = (self.last.entries.len(), self.last.n);
        let ended = match self.stop {
            StopReason::Settled => format!("settled in round {round}"),
            StopReason::TooFew => format!("of round {round}, the last whole one"),
            StopReason::MaxRounds => format!("not settled in {round} rounds"),
        };
        match &self.last.stats {
            RoundStats::Numbers { summary, .. } => {
                let [value, low, high] = [self.form.number(summary.median), plain(summary.low), plain(summary.high)];
                format!("{value}, the median of {n} panelists; half of them lie between {low} and {high} ({ended}).")
            }
            RoundStats::Choices { counts, leader, .. } => {
                format!("{} of {n} panelists chose: {} ({ended}).", counts[*leader], self.form.options[*leader])
            }
        }
    }

    /// The result in a sentence.
    fn result_sentence(&self) -> String {
        let n = self.last.entries.len();
        match &self.last.stats {
            RoundStats::Numbers { summary, .. } => format!(
                "{}, the median of {n} panelists; the middle half lies between {} and {}, all of them between {} and {}.",
                self.form.number(summary.median),
                plain(summary.low),
                plain(summary.high),
                plain(summary.min),
                plain(summary.max)
            ),
            RoundStats::Choices { counts, leader, percent, .. } => {
                format!("{}, chosen by {} of {n} panelists ({percent} %).", self.form.options[*leader], counts[*leader])
            }
        }
    }

    /// How the rounds ended, in a sentence.
    fn ending_sentence(&self) -> String {
        let n = self.last.n;
        let rounds = if n == 1 { "round" } else { "rounds" };
        match self.stop {
            StopReason::Settled => format!("The panel settled after {n} {rounds}."),
            StopReason::TooFew => format!("The rounds ended early: round {n} is the last that enough panelists completed."),
            StopReason::MaxRounds => format!("The panel had not settled after {n} {rounds}, which was the limit."),
        }
    }

    /// What the reader must know where equally many chose another option.
    fn tie_warning(&self) -> Option<String> {
        let RoundStats::Choices { leader, rung, .. } = &self.last.stats else { return None };
        let chosen = &self.form.options[*leader];
        match rung {
            Rung::Votes => None,
            Rung::Confidence => Some(format!("Equally many chose another option; \"{chosen}\" stands because those who chose it were surer.")),
            Rung::Order => Some(format!("Equally many, equally sure, chose another option; \"{chosen}\" stands because it is listed first.")),
        }
    }

    /// For a choice how far the last answers agree; for numbers 1 minus their dispersion, by the measure that decides whether they have settled.
    fn confidence(&self, bench: &Bench) -> Option<Confidence> {
        match &self.last.stats {
            RoundStats::Choices { leader, .. } => {
                let options = self.form.options.len();
                let choices = self.last.entries.iter().map(|entry| Choice::among(0..options, entry.option()?)).collect();
                Some(tally::confidence(bench, Agreement::of_choices(&[JudgedThing { panel: Some(*leader), choices }])))
            }
            RoundStats::Numbers { dispersion, .. } => dispersion.map(|dispersion| {
                bench.figure("dispersion", dispersion);
                Confidence::new((1.0 - dispersion).clamp(0.0, 1.0), ConfidenceSource::Panel, self.last.entries.len() as u32)
            }),
        }
    }

    /// Those who ended on another option, or whose number stands apart.
    fn dissent(&self) -> Vec<Dissent> {
        let elsewhere = |entry: &&Entry| match (&self.last.stats, entry.option()) {
            (RoundStats::Choices { leader, .. }, Some(at)) => at != *leader,
            _ => self.last.stands_apart(entry),
        };
        let said = |entry: &Entry| format!("{}: {}", entry.in_words(self.form), entry.reasons);
        self.last.entries.iter().filter(elsewhere).map(|entry| Dissent { seat: Some(entry.seat), label: None, text: said(entry) }).collect()
    }

    fn series(&self) -> Series {
        let steps = self.rounds.iter().map(|round| format!("Round {}", round.n)).collect();
        let line =
            |name: &str, value: &dyn Fn(&Round) -> Option<f64>| Line { name: name.to_owned(), values: self.rounds.iter().map(value).collect() };
        let lines = match &self.last.stats {
            RoundStats::Numbers { .. } => vec![
                line("median", &|round| round.summary().map(|summary| summary.median)),
                line("lower quarter", &|round| round.summary().map(|summary| summary.low)),
                line("upper quarter", &|round| round.summary().map(|summary| summary.high)),
            ],
            RoundStats::Choices { .. } => {
                let share = |at: usize| {
                    move |round: &Round| match &round.stats {
                        RoundStats::Choices { counts, .. } => Some((100.0 * f64::from(counts[at]) / round.entries.len() as f64).round()),
                        RoundStats::Numbers { .. } => None,
                    }
                };
                self.form.options.iter().enumerate().map(|(at, option)| line(&format!("{option} (%)"), &share(at))).collect()
            }
        };
        Series { steps, lines }
    }
}
