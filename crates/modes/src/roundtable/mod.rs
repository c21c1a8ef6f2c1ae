//! Roundtable: a debate in rounds, in one of seven styles, until the panel agrees, nothing moves any more or the rounds are used up.
//!
//! Seats refer to a shared record of claims and evidence by id. A guard makes the panel object to itself when it agrees too soon; a monitor
//! reads every response before anybody else does.

mod options;
mod outcome;
mod phrases;
mod prompting;
mod record;
mod rounds;
mod rows;
mod seating;
mod style;
#[cfg(test)]
mod tests;

pub use options::{Audience, Continuation, Groupthink, HighStakes, Options};
use outcome::{Decision, GroupthinkGuard, StopReason, guard, stops};
use rounds::safety::{self, Source};
use rounds::{Debate, LEAST, RoundKind, conclude_round, hold_closing, hold_objections, stop_if_incomplete};
use rows::*;
use style::Style;
use synod_engine::{Abilities, Bench, Example, FigureKind, Halt, Mode, ModeResult, PlannedCalls, Result, Seating, Stage, chair, each, mode};
use synod_types::{Figure, MaterialText};

pub static MODE: Mode = mode! {
    id: "roundtable", version: 7, name: "Roundtable", family: Evaluation, seats: 2..=10, roles: &[each("debater"), chair("chair")],
    summary: "A debate in rounds, in one of seven styles, with a shared record of claims and evidence, until the panel agrees or stops moving.",
    pick: "Take it for a question worth arguing over more than once: where you want to see which claims held, who moved and why it ended. The style sets the manner, from collaborative to red team against blue team.",
    phases: &["seating", "round", "closing", "synthesis"],
    stages: &[
        Stage::computed::<QuestionSafetyRow>("question_safety"),
        Stage::computed::<SafetyRow>("proposition_safety").stand_in(),
        Stage::computed::<SafetyRow>("perspectives_safety").stand_in(),
        Stage::computed::<SeatsRow>("seats"),
        Stage::from_seat::<ResponseRow>("round_{n}", "debater"),
        Stage::computed::<SafetyRow>("round_{n}_safety"),
        Stage::computed::<AnalysisRow>("round_{n}_analysis"),
        Stage::computed::<SummaryRow>("round_{n}_summary"),
        Stage::computed::<GroupthinkRow>("round_{n}_groupthink"),
        Stage::from_seat::<ResponseRow>("objection_{n}", "debater").stand_in(),
        Stage::computed::<SafetyRow>("objection_{n}_safety").stand_in(),
        Stage::computed::<AnalysisRow>("objection_{n}_analysis").stand_in(),
        Stage::computed::<ObjectionRow>("objection_{n}_outcome").stand_in(),
        Stage::from_seat::<ResponseRow>("closing", "debater").stand_in(),
        Stage::computed::<SafetyRow>("closing_safety").stand_in(),
        Stage::computed::<ExitRow>("exit"),
        Stage::computed::<ConfidenceRow>("confidence"),
        Stage::computed::<VotesRow>("votes"),
        Stage::computed::<DiversityRow>("diversity"),
        Stage::computed::<ClaimsRow>("claims"),
        Stage::computed::<SafetyRow>("synthesis_safety").stand_in(),
        Stage::from_seat::<SynthesisRow>("synthesis", "chair"),
    ],
    figures: &[
        FigureKind::total("action", "What to do next, as decided"),
        FigureKind::mean("rounds", "Rounds held"),
        FigureKind::mean("agreement", "How far the last round agreed"),
        FigureKind::mean("mean_confidence", "Stated confidence in the last round"),
        FigureKind::total("high_stakes", "What was said to be at stake"),
    ],
    left_out: &[
        ("admission", "passage", "it quotes the question; of a subject its first words are shown"),
        ("admission", "reasons", "they may repeat a passage that asks for harm; shown where a delicate subject was found and no such passage"),
        ("safety", "passage", "it quotes what was withheld"),
        ("safety", "reasons", "they may repeat what was withheld; verdict, rules and concerns are shown"),
    ],
    multi_turn: false, estimated_ms: 600_000, turn_secs: 120, run_secs: 3600,
    cost: "1 for reading the question beforehand, n + 1 a round for n seats, up to twice more for objections, n + 1 more a round, 1 more for perspectives or proposition and 1 more at the end while a safety evaluator is called in, 1 for each seat that owes an answer to a risk at the end, 1 for the synthesis; 1 for perspectives where they are found for an expert panel, or for the proposition of a devil's advocate",
    example: Example { options: &[("style", "socratic")], ..Example::ask("What would make our on-call rota fair?") },
    failure_rule: "If nobody can read the question beforehand, only patterns have looked at it, and the debate begins. Two seats must speak in every round. Fewer in the first round end the run; fewer later end the debate, and the last whole round stands. A seat that fails counts as one that has not accepted, and is asked no more after two rounds. While a safety evaluator is called in, what it cannot read is withheld; what it blocks is withheld if it quotes the passage, or if the audience is vulnerable. If nobody can read a round, or its analysis is withheld, camps are found by the words of the positions. If nobody can write the synthesis, or it is withheld, the record of the last round is the answer. A question that nobody can turn into a proposition is argued as it stands, also where the proposition is withheld; perspectives that nobody finds, or that are withheld, are the usual four.",
    prompts: ["admission", "perspectives", "proposition", "turn", "safety", "analysis", "synthesis"],
    abilities: Abilities { continues: Some("continued"), ..Abilities::NONE },
};

/// In characters: every prompt carries all of it.
const LONGEST_QUESTION: usize = 10_000;

/// The styles by name, the default first.
pub fn styles() -> Vec<&'static str> {
    Style::ids()
}

fn calls(options: &Options, seating: &Seating) -> Vec<PlannedCalls> {
    let n = seating.panel();
    let objections = if options.groupthink == Groupthink::Act { guard::MOST_OBJECTIONS } else { 0 };
    let rounds = options.most_rounds() + objections;
    let made = u32::from(options.finds_perspectives());
    let style = Style::find(&options.style);
    let proposed = u32::from(style.is_some_and(|style| style.proposition));
    let answering = style.map_or(0, |style| style.deal_roles(n as usize).iter().filter(|role| role.answers_risks).count() as u32);
    let call =
        |prompt: &'static str, role: &'static str, min: u32, max: u32, reads: u32| PlannedCalls { prompt, role, min, max, reads, max_tokens: None };
    vec![
        call("admission", "clerk", 1, 1, 0),
        call("perspectives", "clerk", made, made, 0),
        call("proposition", "clerk", proposed, proposed, 0),
        call("turn", "debater", n, n * rounds + answering, n),
        call("safety", "clerk", 0, (n + 1) * rounds + answering + 1 + made + proposed, 1),
        call("analysis", "clerk", 1, rounds, n),
        call("synthesis", "chair", 1, 1, n),
    ]
}

async fn run(bench: &Bench, options: Options) -> Result<ModeResult> {
    let Some(style) = Style::find(&options.style) else {
        return Err(Halt::failed("round 1", format!("there is no style {}", options.style)));
    };
    let mut debate = Debate::new(bench, &options, style);
    admit(&mut debate)?;
    let seating = bench.phase("seating");
    safety::read_question(&mut debate, &seating).await?;
    seating::seat(&mut debate, &seating).await?;
    for (n, category) in options.high_stakes.iter().enumerate() {
        if options.high_stakes[..n].contains(category) {
            continue;
        }
        bench.note(Figure::new("high_stakes", 1.0).label(category.as_str()));
    }
    let mut groupthink = GroupthinkGuard::default();
    let mut number = 0;
    let stop = loop {
        number += 1;
        for added in options.additions_from(number) {
            debate.watch.add(safety::triggers(added, Source::Question));
        }
        debate.resolve_blockers(number)?;
        let phase = bench.round("round", number);
        let round = debate.hold_round(&phase, number, RoundKind::Regular).await?;
        if let Some(stop) = stop_if_incomplete(&debate, &phase, &round)? {
            break stop;
        }
        let closed = conclude_round(&mut debate, &phase, round).await?;
        let kind = groupthink.inspect(&debate, &phase, closed)?;
        if closed {
            break StopReason::Closed;
        }
        let stop = match kind {
            None => stops::exit_reason(&debate, number),
            Some(kind) => match hold_objections(&mut debate, &phase, number, kind).await? {
                // The debate was taken further after the person had answered.
                Some(StopReason::Person) if options.goes_on_after(number) => None,
                // The panel was just made to think again, so only the number of rounds ends the debate now.
                None => stops::round_cap(&debate, number),
                stop => stop,
            },
        };
        if let Some(stop) = stop {
            break stop;
        }
    };
    if stop != StopReason::Closed {
        hold_closing(&mut debate).await?;
    }
    outcome::conclude(&mut debate, stop).await
}

/// Checks the question, what came with it, and every focus question and addition there will be, before anybody is asked. A later one calls for an
/// evaluator only from its round on, so that the rounds before do not depend on it.
fn admit(debate: &mut Debate) -> Result<()> {
    let question = debate.bench.question();
    let added = debate.options.every_addition();
    if debate.seats() < LEAST {
        let why = format!("a debate needs {LEAST} seats beside the chair, and there is {}: name more models", debate.seats());
        return Err(Halt::failed("round 1", why));
    }
    let length = question.text.chars().count();
    if length > LONGEST_QUESTION {
        let why =
            format!("the question has {length} characters, and at most {LONGEST_QUESTION} are put to a panel: give the rest as content or as a file");
        return Err(Halt::failed("round 1", why));
    }
    let asked = [question.text.as_str()].into_iter().chain(debate.options.perspectives.iter().map(String::as_str));
    if let Some(found) = asked.clone().chain(added).find_map(safety::find_harm) {
        return Err(Halt::failed("round 1", format!("the question was not put to the panel: {}; {}", found.reason, found.instead)));
    }
    let named = |MaterialText { tag, name, text }| {
        let name = if tag == "content" { "the material under review".to_owned() } else { format!("the file {name}") };
        (name, text.to_owned())
    };
    let mut material: Vec<(String, String)> = question.material().map(named).collect();
    material.extend(question.earlier.iter().map(|turn| ("the conversation before".to_owned(), format!("{}\n\n{}", turn.question, turn.answer))));
    for (name, text) in &material {
        if let Some(found) = safety::find_harm(text) {
            let why = format!("the question was not put to the panel because of {name}: {}; take the passage out", found.reason);
            return Err(Halt::failed("round 1", why));
        }
    }
    for text in asked {
        debate.watch.add(safety::triggers(text, Source::Question));
    }
    for (name, text) in &material {
        debate.watch.add(safety::triggers(text, Source::Material(name)));
    }
    Ok(())
}
