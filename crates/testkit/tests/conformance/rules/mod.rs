//! Over many seeds, with every fourth panel short of a seat: what a verdict says in figures, in prose, in its decision and by its exit code
//! is one story. The checkers know the rules of a mode and what its seats said, and nothing of its code.
//!
//! How often each outcome occurred is printed; outcomes a mode exists for must occur. `SYNOD_TEST_SEEDS` sets how many seeds are tried.

mod counted;
mod debated;
mod judged;
mod roundtable;
mod weighed;
mod written;

use crate::{answered, voices};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use synod_engine::{Ending, Mode, Models, OptionValue};
use synod_report::{Extent, Style, View};
use synod_testkit::rig::{Rig, order};
use synod_testkit::voices::Voices;
use synod_types::{Failure, FailureKind, Kind, Row, Said, SeatIx, Shown, Status, Verdict, seat_of};

/// A finished run as its reader has it.
struct Seen {
    verdict: Verdict,
    decision: Value,
    rows: Vec<Row>,
    brief: String,
    pages: [String; 3],
    /// The seat that never answered, if one was made to fail.
    silent: Option<SeatIx>,
}

impl Seen {
    /// What seats replied to a prompt, in the order of their rows.
    fn said(&self, prompt: &str) -> Vec<(SeatIx, Value)> {
        let marker = format!("{prompt}@");
        let of_prompt = |row: &&Row| row.kind == Kind::Said && row.key.split('/').any(|part| part.starts_with(&marker));
        let read = |row: &Row| Some((seat_of(&row.key)?, row.read::<Said>().ok()?.value));
        self.rows.iter().filter(of_prompt).filter_map(read).collect()
    }

    /// The data of what was shown under a stage, or under any that begins with a name before `*`.
    fn data(&self, stage: &str) -> Vec<Value> {
        let fits = |name: &str| stage.strip_suffix('*').map_or(name == stage, |start| name.starts_with(start));
        let shown = self.rows.iter().filter(|row| row.kind == Kind::Shown).filter_map(|row| row.read::<Shown>().ok());
        shown.filter(|shown| fits(&shown.stage)).filter_map(|shown| shown.exhibit.row()).collect()
    }

    fn summary(&self) -> &str {
        self.verdict.summary().unwrap_or_default()
    }

    fn answer(&self) -> &str {
        self.verdict.answer.as_ref().map_or("", |answer| &answer.text)
    }
}

/// What a checker finds: contradictions, and which outcomes occurred.
#[derive(Default)]
struct Found {
    wrong: Vec<String>,
    outcomes: BTreeMap<String, u32>,
}

impl Found {
    fn must(&mut self, holds: bool, rule: impl Into<String>) {
        if !holds {
            self.wrong.push(rule.into());
        }
    }

    fn same<T: PartialEq + std::fmt::Debug>(&mut self, left: T, right: T, rule: &str) {
        self.must(left == right, format!("{rule}: {left:?} and {right:?}"));
    }

    fn near(&mut self, left: Option<f64>, right: Option<f64>, by: f64, rule: &str) {
        let close = match (left, right) {
            (Some(left), Some(right)) => (left - right).abs() <= by + 1e-9,
            (left, right) => left == right,
        };
        self.must(close, format!("{rule}: {left:?} and {right:?}"));
    }

    fn count(&mut self, outcome: impl Into<String>) {
        *self.outcomes.entry(outcome.into()).or_default() += 1;
    }

    fn count_if(&mut self, occurred: bool, outcome: &str) {
        if occurred {
            self.count(outcome);
        }
    }
}

/// A mode's rules, and what must have occurred among forty seeds.
type Rules = (fn(&Seen, &mut Found), &'static [&'static str]);

fn rules(mode: &str) -> Option<Rules> {
    Some(match mode {
        "council" => (counted::council, &["unanimous", "split", "dissent", "no dissent"]),
        "vote" => (counted::vote, &["tie", "unanimous", "split"]),
        "debate" => (counted::debate, &["tie", "split", "better before its revision"]),
        "tournament" => (counted::tournament, &["judged throughout", "by lot"]),
        "delphi" => (counted::delphi, &["number", "choice", "settled", "not settled"]),
        "confidence_weighted" => (counted::confidence_weighted, &["one outweighs the rest", "spread"]),
        "jury" => (judged::jury, &["APPROVE", "REVISE", "dissent", "unanimous", "foreman disagrees"]),
        "peer_review" => (judged::peer_review, &["merged", "found by one", "disputed criterion"]),
        "fact_check" => (judged::fact_check, &["verified", "disputed", "unverifiable", "tie"]),
        "red_team" => (judged::red_team, &["fixed", "rebutted", "overruled", "open"]),
        "specialist_panel" => (judged::specialist_panel, &["conflict", "no conflict"]),
        "brainstorm" => (judged::brainstorm, &["dissent", "no dissent"]),
        "crux" => {
            (debated::crux, &["open", "resolved", "weak", "called resolved and left open", "no falsifier given", "surfaced", "moved", "stayed"])
        }
        "roundtable" => (roundtable::verdict, &["proceed", "verify", "blocker"]),
        "chain" => (written::chain, &[]),
        "blueprint" => (written::blueprint, &["still to be done", "complete"]),
        "decompose" => (written::decompose, &[]),
        "collapse" => (weighed::collapse, &["ACCEPTED", "CONSENSUS_REACHED", "revised", "critical doubt"]),
        _ => return None,
    })
}

fn seeds() -> u64 {
    std::env::var("SYNOD_TEST_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(40)
}

every_mode!(
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    figures_prose_decision_and_exit_code_are_one_story
);
async fn figures_prose_decision_and_exit_code_are_one_story(mode: &'static Mode) {
    over_seeds(mode, &[], rules(mode.id)).await;
}

/// Runs a mode over all seeds with these options and holds every verdict against the rules.
async fn over_seeds(mode: &'static Mode, options: &[(&str, Value)], rules: Option<Rules>) {
    let mut found = Found::default();
    for seed in 1..=seeds() {
        let seen = seen(mode, seed, options).await;
        let before = found.wrong.len();
        every_verdict(&seen, &mut found);
        if let (Some((rules, _)), true) = (rules, seen.verdict.status.decided()) {
            rules(&seen, &mut found);
        }
        for wrong in &mut found.wrong[before..] {
            *wrong = format!("seed {seed}: {wrong}");
        }
    }
    let name = options.iter().fold(mode.id.to_owned(), |name, (option, value)| format!("{name}, {option} {value}"));
    let told: Vec<String> = found.outcomes.iter().map(|(outcome, times)| format!("{outcome} {times}")).collect();
    #[allow(clippy::print_stdout, reason = "a test prints what it counted")]
    {
        println!("{name}, {} seeds: {}", seeds(), told.join(", "));
    }
    assert!(found.wrong.is_empty(), "{name}:\n{}", found.wrong.join("\n"));
    for outcome in rules.map_or(&[][..], |(_, wanted)| wanted) {
        assert!(found.outcomes.contains_key(*outcome), "{name} never comes to: {outcome}. It came to {}", told.join(", "));
    }
}

async fn seen(mode: &'static Mode, seed: u64, options: &[(&str, Value)]) -> Seen {
    let mut order = order(mode, seed);
    order.options.extend(options.iter().map(|(name, value)| ((*name).to_owned(), OptionValue::json(value.clone()))));
    // Panels of three sizes, where the mode has room and its options name no seats.
    let most = mode.seats.1 as usize - usize::from(order.panel.chair.is_some());
    let panel = (order.panel.models.len() + (seed % 3) as usize).min(most).max(order.panel.models.len());
    if !["chain", "collapse", "crux"].contains(&mode.id) {
        order.panel.models = (0..panel).map(|n| format!("m{n}")).collect();
    }
    let silent = seed.is_multiple_of(4).then(|| (seed / 4) as SeatIx % order.panel.models.len().max(1) as SeatIx);
    let models: Arc<dyn Models> = match silent {
        None => voices(),
        Some(silent) => Arc::new(
            Voices::default()
                .scripted(move |_, _, context| (seat_of(&context.key) == Some(silent)).then(|| Err(Failure::new(FailureKind::Refused, "not today")))),
        ),
    };
    let rig = Rig::new(models);
    let (run, ending) = rig.run(&order).await;
    let verdict = match answered(&rig, &run, ending, mode.id).await {
        Ending::Verdict(verdict) => *verdict,
        Ending::Stopped(stopped) => panic!("{} seed {seed} stopped: {}", mode.id, stopped.detail),
    };
    let rows = rig.rows(&run).await;
    let view = View::of(&rows);
    let narrow = Style { width: 80, colour: false, unicode: true };
    let wide = Style { width: 100_000, ..narrow };
    Seen {
        decision: verdict.decision.clone().unwrap_or_default(),
        brief: synod_report::verdict(&view, narrow, Extent::Brief),
        pages: [synod_report::show(&view, wide, false), synod_report::markdown(&view), synod_report::html(&view)],
        verdict,
        silent,
        rows,
    }
}

/// What holds for a verdict of any mode.
fn every_verdict(seen: &Seen, found: &mut Found) {
    let Seen { verdict, brief, .. } = seen;
    let status = verdict.status;
    found.count(status.as_str());

    // Exit code 0: there is an answer, something to do, and a decision in words.
    found.same(status.decided(), verdict.answer.is_some() && verdict.decision.is_some(), "exit code 0 and a decision");
    found.must(!status.decided() || verdict.action.is_some(), "a decision without anything to do");
    found.must(!status.decided() || seen.summary().ends_with(['.', '…', ']', '?', '!', '”']), format!("no sentence: {}", seen.summary()));
    found.must(status != Status::Full || verdict.missing.is_empty(), format!("full, and missing {:?}", verdict.missing));
    found.must(status != Status::Degraded || !verdict.missing.is_empty(), "degraded, and nobody is missing");
    let spoke = |seat: &SeatIx| Some(*seat) != seen.silent;
    found.must(verdict.answer.as_ref().is_none_or(|answer| answer.by.iter().all(spoke)), "written by a seat that never answered");
    found.must(
        verdict.dissent.iter().all(|each| each.seat.is_none_or(|seat| spoke(&seat)) && !each.text.trim().is_empty()),
        "dissent of a seat that never answered, or none",
    );

    let doubted = verdict.warnings.iter().find(|warning| warning.contains("Our own count stands"));
    found.must(doubted.is_none(), format!("the voices miscount: {doubted:?}"));

    // The first lines: all of it, and no more than that.
    found.must(brief.lines().count() <= 12 && brief.lines().all(|line| line.chars().count() <= 80), format!("too long:\n{brief}"));
    let has = |name: &str| brief.lines().any(|line| line.starts_with(name));
    found.must(has("Sure") && has("Cost"), format!("not whole:\n{brief}"));
    found.same(has("Decided"), status.decided(), "a line on what was decided");
    found.same(has("Against"), !verdict.dissent.is_empty(), "a line on who is against it");
    found.same(has("Degraded"), status == Status::Degraded, "a line on what is missing");
    let flat = flat(brief);
    for name in verdict.missing.iter().take(1).map(|missing| &missing.who) {
        found.must(flat.contains(name.as_str()), format!("{name} is missing and not named:\n{brief}"));
    }

    // Confidence: a number within bounds with what it was counted from, or why there is none.
    match &verdict.confidence {
        Some(given) => {
            found.must(given.agreed.zip(given.could).is_none_or(|(agreed, could)| agreed <= could), "more agreed than could");
            found.must(given.value.is_some() != given.absent.is_some(), "a number and why there is none");
            if let (Some(value), Some(interval)) = (given.value, &given.interval) {
                found.must(interval.low <= value + 1e-4 && value <= interval.high + 1e-4, format!("{value} is outside of its interval"));
            }
            let counted = given.agreed.zip(given.could).filter(|(_, could)| *could > 0).map(|(agreed, could)| format!("{agreed} of {could}"));
            found.must(counted.is_none_or(|counted| flat.contains(&counted)), format!("the count of agreement is not told:\n{brief}"));
        }
        None => found.must(!status.decided() || verdict.unsure.is_some(), "neither a confidence nor why there is none"),
    }

    // Prose: no part may exceed its whole, and nothing of the machine shows.
    for text in [seen.summary(), verdict.action.as_deref().unwrap_or_default()] {
        for (part, whole) in parts(text) {
            found.must(part <= whole, format!("{part} of {whole}: {text}"));
        }
    }
    for page in seen.pages.iter().chain([brief]) {
        for machine in ["NaN", "Some(", "None,", "{{", "}}", " -0 ", "-0.0 ", "[object", "undefined"] {
            found.must(!page.contains(machine), format!("{machine} is on the page"));
        }
    }
}

/// Lines joined, spaces made one.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Every "3 of 4" in a text.
fn parts(text: &str) -> Vec<(f64, f64)> {
    let words: Vec<&str> = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_ascii_digit())).collect();
    let raw: Vec<&str> = text.split_whitespace().collect();
    let at = |n: usize| Some((words[n].parse().ok()?, words.get(n + 2)?.parse().ok()?));
    (0..words.len()).filter(|n| raw.get(n + 1) == Some(&"of")).filter_map(at).collect()
}

/// How often each value occurs.
fn tally<T: Ord>(values: impl IntoIterator<Item = T>) -> BTreeMap<T, u32> {
    values.into_iter().fold(BTreeMap::new(), |mut counts, value| {
        *counts.entry(value).or_default() += 1;
        counts
    })
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value[field].as_array().map_or(&[], Vec::as_slice)
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
