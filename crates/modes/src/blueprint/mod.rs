//! Blueprint: an architect plans a long document, authors write its sections side by side, and an assembler joins them without rewriting.

mod assembly;
mod manuscript;
mod marks;
mod options;
mod outline;
#[cfg(test)]
mod tests;

use assembly::Assembly;
use manuscript::{Manuscript, Written, without_heading};
use options::MOST;
pub use options::{DocumentType, Options};
use outline::{Outline, Plan, Planned};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use synod_engine::{Bench, Calls, Example, Halt, Mode, ModeResult, Prompt, Result, SeatReply, Seating, Stage, each, mode, prompt, seat};
use synod_math::likeness::kept;
use synod_types::*;

/// Above so many words the assembler reads the beginnings of the sections, not the whole.
const WHOLE_WORDS: u32 = 30_000;

pub static MODE: Mode = mode! {
    id: "blueprint", name: "Blueprint", family: RoleBased, seats: 2..=8, roles: &[each("author"), seat("architect", 0), seat("assembler", 0)],
    summary: "An architect outlines a long document, all seats write its sections at once, and an assembler joins them word for word.",
    pick: "Take it for long output from much source material: a design, a roadmap, a report of five thousand words and more.",
    phases: &["outline", "expansion", "assembly"],
    stages: &[
        Stage::from_seat::<Value>("outline", "architect"),
        Stage::from_seat::<Value>("section_{n}", "author"),
        Stage::from_seat::<Value>("assembly", "assembler"),
        Stage::computed::<Value>("assembly").stand_in(),
        Stage::computed::<Value>("document"),
    ],
    multi_turn: false, estimated_ms: 300_000, turn_secs: 300, run_secs: 900,
    cost: "s + 2 for s sections, however many seats write them",
    example: Example { options: &[("document_type", "implementation_roadmap")], files: &["notes.md"], ..Example::ask("Plan the move to one database") },
    failure_rule: "If the architect fails, the next seat outlines. A section that fails is given to the next author once, and then stands as a marked gap; one written section is enough. If the assembler fails, the authors are asked in seat order; if nobody can, the sections are joined without summary and transitions.",
    prompts: ["outline", "section", "assembly"],
};

/// What a script branches on.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    pub title: String,
    /// Sections planned, missing ones counted.
    pub sections: u32,
    /// Words of the whole document.
    pub words: u32,
    /// Numbers of sections nobody wrote.
    pub missing: Vec<u32>,
    /// What the document marks as still to be done.
    pub todos: Vec<String>,
}

fn calls(_: &Options, _: &Seating) -> Vec<Calls> {
    vec![
        Calls { prompt: "outline", role: "architect", min: 1, max: 1, reads: 0, max_tokens: None },
        // An outline may come out shorter than asked for, down to one section for everything, or longer, up to the most there may be.
        Calls { prompt: "section", role: "author", min: 1, max: MOST, reads: 1, max_tokens: None },
        Calls { prompt: "assembly", role: "assembler", min: 1, max: 1, reads: MOST + 1, max_tokens: None },
    ]
}

async fn run(bench: &Bench, options: Options) -> Result<ModeResult> {
    // Seat 0 plans and assembles, so the far end of the table begins to write.
    let authors: Vec<SeatIx> = bench.role("author").iter().rev().copied().collect();
    let (architect, plan) = outline(bench, &options, &authors).await?;
    let written = expand(bench, &options, &plan, &authors).await?;
    let mut writers: Vec<SeatIx> = written.iter().flatten().map(|written| written.seat).collect();
    writers.sort_unstable();
    writers.dedup();
    let mut manuscript = Manuscript::new(&plan, written);
    let assembler = assemble(bench, &options, &plan, &mut manuscript, &writers).await?;

    let text = manuscript.markdown();
    let decision = Decision {
        title: manuscript.title.clone(),
        sections: manuscript.parts.len() as u32,
        words: crate::text::words(&text),
        missing: manuscript.missing(),
        todos: manuscript.todos(),
    };
    bench.figure("words", f64::from(decision.words));
    bench.figure("sections", f64::from(decision.sections));
    let mut by = vec![architect];
    for seat in writers.into_iter().chain(assembler) {
        if !by.contains(&seat) {
            by.push(seat);
        }
    }
    let kind = if assembler.is_some() { AnswerKind::Synthesis } else { AnswerKind::Computed };
    Ok(ModeResult {
        status: None,
        stop_reason: "finished",
        answer: Some(Answer { kind, text, by }),
        decision: Some(synod_engine::to_value(&decision)),
        confidence: None,
        dissent: Vec::new(),
        data: json!({"documentType": options.document_type, "themes": plan.themes}),
    })
}

/// The architect plans the document; if it cannot, the next seat does.
async fn outline(bench: &Bench, options: &Options, authors: &[SeatIx]) -> Result<(SeatIx, Plan)> {
    let stage = bench.phase("outline");
    let mut planners = bench.role("architect").to_vec();
    planners.extend(bench.role("author").iter().filter(|seat| !bench.role("architect").contains(seat)));
    let ask = prompt!("outline", document = options.label(), least = options.min_sections, most = options.max_sections);
    let Some(given) = stage.ask_first::<Outline>(&planners, ask).await? else {
        return Err(Halt::no_quorum("outline", "nobody could outline the document"));
    };
    let (plan, cut) = Plan::new(given.value, &capitalised(options.label()), MOST as usize);
    let sections = plan.sections.len();
    for warning in said_of(sections, cut, options) {
        stage.warn(warning);
    }
    let models: Vec<&str> = authors.iter().cycle().take(sections).map(|seat| bench.seat(*seat).model.as_str()).collect();
    let exhibit = plan.exhibit(options.document_type, &models);
    stage.show("outline", exhibit.by(given.seat, "architect").turn(&given.key))?;
    Ok((given.seat, plan))
}

/// What the reader must know of an outline that is not as it was asked for.
fn said_of(sections: usize, cut: usize, options: &Options) -> Vec<String> {
    let mut said = Vec::new();
    if cut > 0 {
        said.push(format!("The outline had {} sections; the last {cut} were cut.", sections + cut));
    }
    if sections == 1 {
        said.push("The outline has one section, so the document is written in one piece.".to_owned());
    } else if (sections as u32) < options.min_sections {
        said.push(format!("The outline has {sections} sections, fewer than the {} asked for.", options.min_sections));
    } else if sections as u32 > options.max_sections {
        said.push(format!("The outline has {sections} sections, more than the {} asked for; all are written.", options.max_sections));
    }
    said
}

fn capitalised(words: &str) -> String {
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Every section is written at once, dealt round over the authors.
async fn expand(bench: &Bench, options: &Options, plan: &Plan, authors: &[SeatIx]) -> Result<Vec<Option<Written>>> {
    let stage = bench.phase("expansion");
    let strands = plan.numbered().map(|(number, planned)| (number, (number, planned)));
    let given: Vec<Option<SeatReply<String>>> = stage.all(strands, |strand, (number, _)| section(strand, options, plan, number, authors)).await?;
    let mut written = Vec::new();
    for ((number, planned), given) in plan.numbered().zip(given) {
        let Some(given) = given else {
            stage.warn(format!("Nobody could write section {number}, “{}”; the document marks the gap.", planned.title));
            written.push(None);
            continue;
        };
        if given.partial {
            stage.warn(format!("Section {number}, “{}”, was cut off at its token limit: its end is missing.", planned.title));
        }
        let text = without_heading(&given.value, &planned.title);
        stage.show(&format!("section_{number}"), section_exhibit(number, planned, &given, &text))?;
        written.push(Some(Written { seat: given.seat, text }));
    }
    if written.iter().all(Option::is_none) {
        return Err(Halt::no_quorum("expansion", format!("none of {} sections could be written, and at least 1 must", plan.sections.len())));
    }
    Ok(written)
}

/// One section by the author whose turn it is; if that one fails, by the next, once.
async fn section(strand: Bench, options: &Options, plan: &Plan, number: u32, authors: &[SeatIx]) -> Result<Option<SeatReply<String>>> {
    let place = number as usize - 1;
    let turn = |n: usize| authors[(place + n) % authors.len()];
    let ask = section_prompt(options, plan, number);
    let missed = match strand.ask::<String>(turn(0), ask.clone()).await? {
        Ok(given) => return Ok(Some(given)),
        Err(missed) => missed,
    };
    if missed.failure.kind == FailureKind::Closed || turn(1) == turn(0) {
        return Ok(None);
    }
    Ok(strand.ask::<String>(turn(1), ask.extra()).await?.ok())
}

/// What an author sees: all titles, its own section and its neighbours in full, and the source.
fn section_prompt(options: &Options, plan: &Plan, number: u32) -> Prompt {
    let entry = |wanted: u32| plan.numbered().find(|(n, _)| *n == wanted).map(|(n, planned)| Plan::entry(n, planned));
    let neighbours: Vec<String> = [number - 1, number + 1].into_iter().filter_map(entry).collect();
    let own = entry(number);
    prompt!("section", document = options.label(), outline = plan.contents(), own, neighbours, number)
}

fn section_exhibit(number: u32, planned: &Planned, given: &SeatReply<String>, text: &str) -> Exhibit {
    // A topic counts as covered if at least half of its words stand in the text.
    let (covered, absent): (Vec<&String>, Vec<&String>) = planned.key_topics.iter().partition(|topic| kept(topic, text) >= 0.5);
    let words = crate::text::words(text);
    let data = json!({
        "sectionNumber": number, "sectionTitle": planned.title, "wordCount": words, "keyTopicsCovered": covered, "keyTopicsNotNamed": absent,
        "targetLength": planned.length, "withinTarget": planned.length.fits(words),
    });
    Exhibit::said(format!("Section {number}: {}", planned.title), given.seat, "author", &given.key).data(&data)
}

/// The assembler reads all sections and adds what joins them; then the document is shown. Gives the seat that assembled, if any could.
async fn assemble(bench: &Bench, options: &Options, plan: &Plan, manuscript: &mut Manuscript, writers: &[SeatIx]) -> Result<Option<SeatIx>> {
    let stage = bench.phase("assembly");
    let whole: u32 = manuscript.parts.iter().filter_map(|part| part.written.as_ref()).map(|written| crate::text::words(&written.text)).sum();
    let excerpts = whole > WHOLE_WORDS;
    if excerpts {
        stage.warn(format!("The sections have {whole} words; the assembler read the beginning of each."));
    }
    let row =
        |part: &manuscript::Part| part.written.as_ref().map(|written| json!({"number": part.number, "title": part.title, "text": written.text}));
    let sections: Vec<Value> = manuscript.parts.iter().filter_map(row).collect();
    let ids: Vec<String> = sections.iter().map(|section| section["number"].to_string()).collect();
    let missing = manuscript.missing();
    let outline: Vec<String> =
        [plan.title.clone()].into_iter().chain(plan.numbered().map(|(number, planned)| Plan::entry(number, planned))).collect();
    let ask = prompt!("assembly", document = options.label(), outline = outline.join("\n\n"), sections, missing, excerpts);
    let mut joiners = bench.role("assembler").to_vec();
    joiners.extend(writers.iter().filter(|seat| !bench.role("assembler").contains(seat)));
    let given = stage.ask_first::<Assembly>(&joiners, ask.ids("sections", ids)).await?;
    let assembler = given.as_ref().map(|given| given.seat);
    match given {
        None => {
            let said = "Nobody could assemble the document; its sections are joined without summary and transitions.";
            stage.warn(said);
            stage.show("assembly", Exhibit::note("Assembly", said).data(&assembly_data(manuscript)))?;
        }
        Some(given) => {
            manuscript.assemble(given.value);
            let exhibit = assembly::exhibit(&manuscript.applied).data(&assembly_data(manuscript));
            stage.show("assembly", exhibit.by(given.seat, "assembler").turn(&given.key))?;
        }
    }
    let refused = manuscript.applied.iter().filter(|applied| applied.refused.is_some()).count();
    if refused > 0 {
        stage.warn(format!("{refused} of {} corrections could not be applied.", manuscript.applied.len()));
    }
    let broken = manuscript.broken_references();
    if !broken.is_empty() {
        let list: Vec<String> = broken.iter().map(|(from, to)| format!("section {from} points to section {to}")).collect();
        stage.warn(format!("References to sections that are not there: {}.", list.join(", ")));
    }
    let misfits = manuscript.misfits();
    if !misfits.is_empty() {
        let list: Vec<String> =
            misfits.iter().map(|(number, words, length)| format!("section {number} ({words} words for {})", length.as_str())).collect();
        stage.warn(format!("Far from the length they were planned with: {}.", list.join(", ")));
    }
    let data = json!({
        "documentTitle": manuscript.title, "totalWordCount": crate::text::words(&manuscript.markdown()), "missingSections": manuscript.missing(),
        "todoMarkers": manuscript.todos(), "brokenReferences": broken.iter().map(|(from, to)| json!({"section": from, "to": to})).collect::<Value>(),
        "misfits": misfits.iter().map(|(number, words, length)| json!({"section": number, "words": words, "length": length})).collect::<Value>(),
    });
    stage.show("document", manuscript.exhibit().data(&data))?;
    Ok(assembler)
}

fn assembly_data(manuscript: &Manuscript) -> Value {
    let todos = manuscript.todos();
    let missing = manuscript.missing();
    let assembly = manuscript.assembly.as_ref();
    json!({
        "documentTitle": manuscript.title, "totalWordCount": crate::text::words(&manuscript.markdown()),
        "sectionsAssembled": manuscript.parts.len() - missing.len(), "sectionsMissing": missing.len(), "hasTodoMarkers": !todos.is_empty(),
        "todoMarkers": todos, "crossReferencesAdded": assembly.map(Assembly::references), "corrections": assembly::rows(&manuscript.applied),
        "openQuestions": assembly.map(|assembly| &assembly.gaps),
    })
}
