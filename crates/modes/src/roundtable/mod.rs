//! Roundtable: a debate in rounds, in one of seven styles, until the panel agrees, nothing moves any more or the rounds are used up.
//!
//! Seats refer to a shared record of claims and evidence by id. A guard makes the panel object to itself when it agrees too soon; a monitor
//! reads every response before anybody else does.

mod analysis;
mod asking;
mod audit;
mod debate;
mod entry;
mod exhibits;
mod ingest;
mod labels;
mod material;
mod options;
mod outcome;
mod packet;
mod perspectives;
mod reply;
mod rows;
mod safety;
mod state;
mod stops;
mod style;
mod summary;
mod synthesis;
#[cfg(test)]
mod tests;
mod tokens;
mod tools;

use analysis::{Analysis, Reading};
use debate::{Debate, LEAST, RoundRecord};
use exhibits as show;
pub use options::{Audience, Continued, Groupthink, HighStakes, Options};
use outcome::Decision;
use perspectives::{Perspective, Perspectives};
use rows::*;
use stops::{Guard, Kind, Stop};
use style::Style;
use summary::{Moved, Summary};
use synod_engine::{Abilities, Bench, Calls, Example, Halt, Mode, ModeResult, Result, Seating, Stage, chair, each, mode, prompt};
use synod_math::debate::clusters::mean_overlap;
use synod_types::*;

pub static MODE: Mode = mode! {
    id: "roundtable", name: "Roundtable", family: Evaluation, seats: 2..=10, roles: &[each("debater"), chair("chair")],
    summary: "A debate in rounds, in one of seven styles, with a shared record of claims and evidence, until the panel agrees or stops moving.",
    pick: "Take it for a question worth arguing over more than once: where you want to see which claims held, who moved and why it ended. The style sets the manner, from collaborative to red team against blue team.",
    phases: &["perspectives", "round", "synthesis"],
    stages: &[
        Stage::computed::<PerspectivesRow>("perspectives").stand_in(),
        Stage::from_seat::<ResponseRow>("round_{n}", "debater"),
        Stage::computed::<SafetyRow>("round_{n}_safety"),
        Stage::computed::<AnalysisRow>("round_{n}_analysis"),
        Stage::computed::<SummaryRow>("round_{n}_summary"),
        Stage::computed::<GroupthinkRow>("round_{n}_groupthink"),
        Stage::from_seat::<ResponseRow>("objection_{n}", "debater").stand_in(),
        Stage::computed::<SafetyRow>("objection_{n}_safety").stand_in(),
        Stage::computed::<AnalysisRow>("objection_{n}_analysis").stand_in(),
        Stage::computed::<ObjectionRow>("objection_{n}_outcome").stand_in(),
        Stage::computed::<ExitRow>("exit"),
        Stage::computed::<ConfidenceRow>("confidence"),
        Stage::computed::<VotesRow>("votes"),
        Stage::computed::<DiversityRow>("diversity"),
        Stage::computed::<ClaimsRow>("claims"),
        Stage::from_seat::<SynthesisRow>("synthesis", "chair"),
    ],
    multi_turn: false, estimated_ms: 600_000, turn_secs: 120, run_secs: 3600,
    cost: "n + 1 a round for n seats, up to twice more for objections, n more a round while a safety evaluator is called in, 1 for the synthesis; 1 for perspectives where they are found for an expert panel",
    example: Example { options: &[("style", "socratic")], ..Example::ask("What would make our on-call rota fair?") },
    failure_rule: "Two seats must speak in every round. Fewer in the first round end the run; fewer later end the debate, and the last whole round stands. A seat that fails counts as one that has not accepted, and is asked no more after two rounds. While a safety evaluator is called in, what it cannot read is withheld; what it blocks is withheld if it quotes the passage, or if the audience is vulnerable. If nobody can read a round, camps are found by the words of the positions. If nobody can write the synthesis, the record of the last round is the answer.",
    prompts: ["perspectives", "turn", "safety", "analysis", "synthesis"],
    abilities: Abilities { continues: Some("continued"), ..Abilities::NONE },
};

/// In characters: every prompt carries all of it.
const LONGEST_QUESTION: usize = 10_000;

/// The styles by name, the default first.
pub fn styles() -> Vec<&'static str> {
    Style::ids()
}

fn calls(options: &Options, seating: &Seating) -> Vec<Calls> {
    let n = seating.panel();
    let objections = if options.groupthink == Groupthink::Act { stops::MOST_OBJECTIONS } else { 0 };
    let rounds = options.most_rounds() + objections;
    let made = u32::from(options.finds_perspectives());
    let call = |prompt: &'static str, role: &'static str, min: u32, max: u32, reads: u32| Calls { prompt, role, min, max, reads, max_tokens: None };
    vec![
        call("perspectives", "clerk", made, made, 0),
        call("turn", "debater", n, n * rounds, n),
        call("safety", "clerk", 0, n * rounds, 1),
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
    debate.perspectives = perspectives(&debate).await?;
    for (n, category) in options.high_stakes.iter().enumerate() {
        if options.high_stakes[..n].contains(category) {
            continue;
        }
        bench.figure(&format!("high_stakes_{}", category.id()), 1.0);
    }
    let mut guard = Guard::default();
    let mut number = 0;
    let stop = loop {
        number += 1;
        for focus in options.focus_from(number) {
            debate.watch.add(safety::topics(focus));
            debate.watch.add(safety::intents(focus));
        }
        let stage = bench.round("round", number);
        let held = debate.hold(&stage, number, false).await?;
        if let Some(stop) = unheld(&debate, &stage, &held)? {
            break stop;
        }
        let closed = conclude_round(&mut debate, &stage, held).await?;
        let kind = guard.look(&debate, &stage, closed)?;
        if closed {
            break Stop::Closed;
        }
        let stop = match kind {
            None => stops::exit(&debate, number),
            Some(kind) => match object(&mut debate, &stage, number, kind).await? {
                // Whoever took the debate further did so after the person had spoken.
                Some(Stop::Person) if options.goes_on_after(number) => None,
                // The panel was just made to think again: it goes on as long as there are rounds.
                None => stops::cap(&debate, number),
                stop => stop,
            },
        };
        if let Some(stop) = stop {
            break stop;
        }
    };
    outcome::conclude(&mut debate, stop).await
}

/// The question itself is read before anybody is asked, and every focus question there will be. What a later one calls for begins with its round:
/// what came before knows nothing of it.
fn admit(debate: &mut Debate) -> Result<()> {
    let question = debate.bench.question();
    let focus = debate.options.every_focus();
    if debate.seats() < LEAST {
        let why = format!("a debate needs {LEAST} seats beside the chair, and there is {}: name more with --models", debate.seats());
        return Err(Halt::failed("round 1", why));
    }
    let length = question.text.chars().count();
    if length > LONGEST_QUESTION {
        let why = format!(
            "the question has {length} characters, and at most {LONGEST_QUESTION} are put to a panel: give the rest with --content or --file"
        );
        return Err(Halt::failed("round 1", why));
    }
    let texts: Vec<&str> = [Some(question.text.as_str()), question.content.as_deref()].into_iter().flatten().collect();
    if let Some(why) = texts.iter().copied().chain(focus).find_map(safety::blocked) {
        return Err(Halt::failed("round 1", format!("the question was not put to the panel: {why}")));
    }
    for text in texts {
        debate.watch.add(safety::topics(text));
        debate.watch.add(safety::intents(text));
    }
    Ok(())
}

async fn perspectives(debate: &Debate<'_>) -> Result<Vec<Perspective>> {
    let (bench, options, n) = (debate.bench, debate.options, debate.seats());
    if !debate.style.perspectives {
        return Ok(Vec::new());
    }
    let stage = bench.phase("perspectives");
    let generated = options.finds_perspectives();
    let dealt = if generated {
        let places = (1..=n).map(|place| place.to_string());
        let found = match stage.ask_clerk::<Perspectives>(prompt!("perspectives", n, material = debate.material).ids("seats", places)).await? {
            Ok(given) => given.value.perspectives,
            Err(_) => {
                stage.warn("No perspectives could be found for this question; the usual ones were taken.");
                Vec::new()
            }
        };
        perspectives::dealt(found, n)
    } else {
        let given: Vec<Perspective> = options.perspectives.iter().map(|text| Perspective::named(text)).collect();
        (0..n).map(|seat| given[seat % given.len()].clone()).collect()
    };
    let lines: Vec<String> =
        dealt.iter().enumerate().map(|(seat, one)| format!("{}: {} – {}", bench.seat(seat as SeatIx).label, one.name, one.description)).collect();
    let data = PerspectivesRow { perspectives: dealt.clone(), generated };
    stage.show("perspectives", Exhibit::note("Perspectives", lines.join("\n")).data(&data))?;
    Ok(dealt)
}

/// A round that does not count: what was said is shown all the same, and the round before stands.
fn unheld(debate: &Debate, stage: &Bench, held: &RoundRecord) -> Result<Option<Stop>> {
    let spoke = held.counted().count();
    let first = debate.rounds.is_empty();
    let whole = spoke >= LEAST && (!held.closed || first);
    if whole {
        return Ok(None);
    }
    show::responses(debate, stage, held)?;
    show::safety(debate, stage, held)?;
    if first {
        let blocked = held.responses.len() - spoke;
        let why =
            format!("{spoke} of {} seats gave something that counts in round 1 ({blocked} withheld), and at least {LEAST} must", debate.seats());
        return Err(if blocked > 0 { Halt::failed("round 1", why) } else { Halt::no_quorum("round 1", why) });
    }
    if held.closed {
        return Ok(Some(Stop::Closed));
    }
    stage.warn(format!("Fewer than {LEAST} seats gave something that counts in {}, so what was said before stands.", held.title().to_lowercase()));
    Ok(Some(Stop::TooFew))
}

/// Has it read what was said, shows it, and sums it up. True: the run is closing.
async fn conclude_round(debate: &mut Debate<'_>, stage: &Bench, mut held: RoundRecord) -> Result<bool> {
    let (analysis, closed) = read(debate, stage, &held).await?;
    let spoke: Vec<(usize, &str)> = held.counted().map(|response| (response.seat, response.turn.position.as_str())).collect();
    held.reading = Reading::new(analysis, &spoke, &debate.names);
    show::responses(debate, stage, &held)?;
    show::safety(debate, stage, &held)?;
    let checked = held.responses.iter().all(|response| response.evaluation.as_ref().is_some_and(safety::Evaluation::clean));
    if debate.watch.armed() && checked && held.counted().count() == held.responses.len() {
        debate.watch.clean();
    }
    for (seat, support) in &held.reading.alignment {
        debate.state.seats[*seat].alignment = Some(*support);
    }
    if let Some(proposal) = held.reading.analysis.as_ref().map(|analysis| analysis.leading_proposal.trim()).filter(|text| !text.is_empty()) {
        debate.state.proposal = tokens::clip(proposal, state::PROPOSAL_TOKENS);
    }
    let settled = held.reading.analysis.iter().flat_map(|analysis| &analysis.decisions).filter(|text| !text.trim().is_empty()).take(3);
    for text in settled {
        debate.state.decide(text, held.number);
    }
    let moved: Vec<Moved> = held.counted().map(|response| show::moved(debate, response)).collect();
    let one_liner =
        held.reading.analysis.as_ref().map(|analysis| if analysis.one_liner.is_empty() { &analysis.summary } else { &analysis.one_liner });
    held.summary = Summary::new(&held.title(), held.since, one_liner.map_or("nobody summed it up.", String::as_str), &moved, &debate.state);
    show::analysis(debate, stage, &held)?;
    if !held.objection {
        show::summary(debate, stage, &held)?;
    }
    held.sources = debate.state.sources();
    held.overlap = mean_overlap(&debate.state.premises());
    debate.rounds.push(held);
    Ok(closed)
}

async fn read(debate: &Debate<'_>, stage: &Bench, held: &RoundRecord) -> Result<(Option<Analysis>, bool)> {
    let packet = debate.packet_of(held);
    let names: Vec<&String> = held.counted().map(|response| &debate.names[response.seat]).collect();
    let entries: Vec<_> = packet.current.iter().filter(|words| names.contains(&&words.name)).collect();
    let (round, objection, focus, record) = (held.number, held.objection, debate.options.focus_at(held.number), &packet.state);
    let ask = prompt!("analysis", round, objection, focus, record, entries, material = debate.material)
        .ids("seats", names.iter().map(|name| name.as_str()));
    match stage.ask_clerk::<Analysis>(ask).await? {
        Ok(given) => Ok((Some(given.value), held.closed)),
        Err(missed) => {
            let closed = missed.failure.kind == FailureKind::Closed;
            if !closed {
                stage.warn(format!("Nobody could read {}; camps were found by the words of the positions.", held.title().to_lowercase()));
            }
            Ok((None, closed || held.closed))
        }
    }
}

/// Makes the panel object to itself; when even that moves nothing, asks a person. `None`: the debate goes on.
async fn object(debate: &mut Debate<'_>, stage: &Bench, number: u32, kind: Kind) -> Result<Option<Stop>> {
    let stage = stage.phase("objection");
    let held = debate.hold(&stage, number, true).await?;
    if let Some(stop) = unheld(debate, &stage, &held)? {
        return Ok((stop == Stop::Closed).then_some(stop));
    }
    if conclude_round(debate, &stage, held).await? {
        return Ok(Some(Stop::Closed));
    }
    let result = stops::objected(debate);
    let answer = if result.failed { Some(stops::ask_person(debate, &stage, kind, &result).await?) } else { None };
    show::objection(debate, &stage, number, kind, &result, answer.as_ref().map(|answer| answer.as_ref()))?;
    let Some(answer) = answer else { return Ok(None) };
    let Some(answer) = answer else { return Ok(Some(Stop::Closed)) };
    let accepts = answer.answer == stops::ACCEPT;
    if accepts {
        debate.state.blockers.clear();
    }
    let note = answer.note.as_deref().map(str::trim).filter(|note| !note.is_empty());
    if let Some(said) = note.or_else(|| accepts.then_some("The panel's view stands as it is.")) {
        debate.state.decreed(said, number);
    }
    Ok(accepts.then_some(Stop::Person))
}
