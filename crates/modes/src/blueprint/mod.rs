//! Blueprint: an architect plans a long document, authors write its sections side by side, and an assembler joins them without rewriting.

mod assembly;
mod manuscript;
mod marks;
mod options;
mod outline;
mod rows;
#[cfg(test)]
mod tests;

use crate::text::capitalised;
use crate::{attendance, closing};
use assembly::Assembly;
use manuscript::{Manuscript, SectionText, without_heading};
use options::MOST_SECTIONS;
pub use options::{DocumentType, Options};
use outline::{Outline, Plan, PlannedSection};
use rows::{AssemblyRow, CorrectionEntry, DocumentRow, OutlineRow, SectionRow, VerdictData};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use synod_engine::{
    Bench, Example, FigureKind, Halt, Mode, ModeResult, PlannedCalls, Prompt, RequestName, Result, SeatFailure, SeatReply, Seating, Stage, each,
    mode, prompt, seat,
};
use synod_math::likeness::kept;
use synod_types::*;

/// Above so many words the assembler reads the beginnings of the sections, not the whole.
const WHOLE_WORDS: u32 = 30_000;

pub static MODE: Mode = mode! {
    id: "blueprint", version: 3, name: "Blueprint", family: RoleBased, seats: 2..=8, roles: &[each("author"), seat("architect", 0), seat("assembler", 0)],
    summary: "An architect outlines a long document, all seats write its sections at once, and an assembler joins them word for word.",
    pick: "Take it for long output from much source material: a design, a roadmap, a report of five thousand words and more.",
    phases: &["outline", "expansion", "assembly"],
    stages: &[
        Stage::from_seat::<OutlineRow>("outline", "architect"),
        Stage::computed::<OutlineRow>("outline").stand_in(),
        Stage::from_seat::<SectionRow>("section_{n}", "author"),
        Stage::from_seat::<AssemblyRow>("assembly", "assembler"),
        Stage::computed::<AssemblyRow>("assembly").stand_in(),
        Stage::computed::<DocumentRow>("document"),
    ],
    figures: &[
        FigureKind::mean("sections", "Sections"),
        FigureKind::share("todo", "Documents with a TODO left in them"),
        FigureKind::mean("words", "Words of the document"),
    ],
    multi_turn: false, estimated_ms: 300_000, turn_secs: 300, run_secs: 900,
    cost: "s + 2 for s sections, however many seats write them",
    example: Example { options: &[("document_type", "implementation_roadmap")], files: &["notes.md"], ..Example::ask("Plan the move to one database") },
    failure_rule: "If the architect fails, the next seat outlines; if nobody can, the document is written in one piece. A section that fails is given to the next author once, and then stands as a marked gap; one written section is enough. If the assembler fails, the authors are asked in seat order; if nobody can, the sections are joined without summary and transitions.",
    prompts: ["outline", "section", "assembly"],
    request_names: &[
        RequestName::option("documentType", "document_type"),
        RequestName::role("architectModel", "architect"),
        RequestName::panel("authorModels"),
        RequestName::role("assemblerModel", "assembler"),
    ],
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

fn calls(_: &Options, _: &Seating) -> Vec<PlannedCalls> {
    vec![
        PlannedCalls { prompt: "outline", role: "architect", min: 1, max: 1, reads: 0, max_tokens: None },
        // An outline may come out shorter than asked for, down to one section for everything, or longer, up to the most there may be.
        PlannedCalls { prompt: "section", role: "author", min: 1, max: MOST_SECTIONS, reads: 1, max_tokens: None },
        PlannedCalls { prompt: "assembly", role: "assembler", min: 1, max: 1, reads: MOST_SECTIONS + 1, max_tokens: None },
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
    bench.figure("todo", f64::from(u8::from(!decision.todos.is_empty())));
    let by = closing::once(architect.into_iter().chain(writers).chain(assembler));
    let kind = if assembler.is_some() { AnswerKind::Synthesis } else { AnswerKind::Computed };
    let result = ModeResult::ended("finished", Answer { kind, text, by });
    Ok(action(&decision)
        .into_iter()
        .fold(result, ModeResult::action)
        .decision(summary(&decision), &decision)
        .unsure("a document was written, not voted on")
        .data(&VerdictData { document_type: options.document_type, themes: &plan.themes }))
}

/// What is to be done before the document can be used; nothing where it is whole: its own first sentence says it.
fn action(decision: &Decision) -> Option<String> {
    let numbers: Vec<String> = decision.missing.iter().map(ToString::to_string).collect();
    match numbers.as_slice() {
        [] => None,
        [one] => Some(format!("Have section {one} written before the document is used: nobody could write it.")),
        several => Some(format!("Have sections {} written before the document is used: nobody could write them.", several.join(", "))),
    }
}

fn summary(decision: &Decision) -> String {
    let Decision { title, sections, words, missing, todos } = decision;
    let written = sections - missing.len() as u32;
    let open = if todos.is_empty() { String::new() } else { format!(", {} marked as still to be done", todos.len()) };
    let of = if *sections == 1 { "1 section".to_owned() } else { format!("{sections} sections") };
    format!("{written} of {of} written, {words} words{open}: {title}.")
}

/// The architect plans the document; if it cannot, the next seat does, and if nobody can, it has one section for everything.
async fn outline(bench: &Bench, options: &Options, authors: &[SeatIx]) -> Result<(Option<SeatIx>, Plan)> {
    let phase = bench.phase("outline");
    let planners = closing::seats_of(bench, "architect", bench.role("author").iter().copied());
    let ask = prompt!("outline", document = options.label(), least = options.min_sections, most = options.max_sections);
    let untitled = capitalised(&options.label());
    let reply = phase.ask_first::<Outline>(&planners, ask).await?;
    let (plan, cut) = match &reply {
        Some(reply) => Plan::new(reply.value.clone(), &untitled, MOST_SECTIONS as usize),
        None => (Plan::in_one_piece(&untitled), 0),
    };
    let sections = plan.sections.len();
    if reply.is_none() {
        phase.warn("Nobody could outline the document, so it is written in one piece.");
    } else {
        outline_warnings(sections, cut, options).into_iter().for_each(|warning| phase.warn(warning));
    }
    let models: Vec<&str> = authors.iter().cycle().take(sections).map(|seat| bench.seat(*seat).model.as_str()).collect();
    let exhibit = plan.exhibit(options.document_type, &models).list("Themes", &plan.themes);
    let exhibit = match &reply {
        Some(reply) => exhibit.part("Why in this order", &reply.value.reasons).by(reply.seat, "architect").turn(&reply.key),
        None => exhibit,
    };
    phase.show("outline", exhibit)?;
    Ok((reply.map(|reply| reply.seat), plan))
}

/// How an outline differs from what was asked for.
fn outline_warnings(sections: usize, cut: usize, options: &Options) -> Vec<String> {
    let mut warnings = Vec::new();
    if cut > 0 {
        warnings.push(format!("The outline had {} sections; the last {cut} were cut.", sections + cut));
    }
    if sections == 1 {
        warnings.push("The outline has one section, so the document is written in one piece.".to_owned());
    } else if (sections as u32) < options.min_sections {
        warnings.push(format!("The outline has {sections} sections, fewer than the {} asked for.", options.min_sections));
    } else if sections as u32 > options.max_sections {
        warnings.push(format!("The outline has {sections} sections, more than the {} asked for; all are written.", options.max_sections));
    }
    warnings
}

/// Every section is written at once, dealt round over the authors.
async fn expand(bench: &Bench, options: &Options, plan: &Plan, authors: &[SeatIx]) -> Result<Vec<Option<SectionText>>> {
    let phase = bench.phase("expansion");
    let strands = plan.numbered().map(|(number, planned)| (number, (number, planned)));
    let attempts = phase.all(strands, |strand, (number, _)| section(strand, options, plan, number, authors)).await?;
    let mut written = Vec::new();
    for ((number, planned), (reply, failures)) in plan.numbered().zip(attempts) {
        for failed in &failures {
            let row = SectionRow { error: Some(failed.failure.to_string()), ..section_row(number, planned, "") };
            phase.show(&format!("section_{number}"), attendance::failure(section_title(number, planned), "author", failed).data(&row))?;
        }
        let Some(reply) = reply else {
            phase.warn(format!("Nobody could write section {number}, “{}”; the document marks the gap.", planned.title));
            written.push(None);
            continue;
        };
        if reply.partial {
            phase.warn(format!("Section {number}, “{}”, was cut off at its token limit: its end is missing.", planned.title));
        }
        let text = without_heading(&reply.value, &planned.title);
        let exhibit = Exhibit::said(section_title(number, planned), reply.seat, "author", &reply.key);
        phase.show(&format!("section_{number}"), exhibit.data(&section_row(number, planned, &text)))?;
        written.push(Some(SectionText { seat: reply.seat, text }));
    }
    if written.iter().all(Option::is_none) {
        return Err(Halt::no_quorum("expansion", format!("none of {} sections could be written, and at least 1 must", plan.sections.len())));
    }
    Ok(written)
}

/// One section by the author whose turn it is; if that one fails, by the next, once. With it come those who failed.
async fn section(
    strand: Bench,
    options: &Options,
    plan: &Plan,
    number: u32,
    authors: &[SeatIx],
) -> Result<(Option<SeatReply<String>>, Vec<SeatFailure>)> {
    let place = number as usize - 1;
    let turn = |n: usize| authors[(place + n) % authors.len()];
    let ask = section_prompt(options, plan, number);
    let failed = match strand.ask::<String>(turn(0), ask.clone()).await? {
        Ok(reply) => return Ok((Some(reply), Vec::new())),
        Err(failed) => failed,
    };
    if failed.failure.kind == FailureKind::Closed || turn(1) == turn(0) {
        return Ok((None, vec![failed]));
    }
    Ok(match strand.ask::<String>(turn(1), ask.extra()).await? {
        Ok(reply) => (Some(reply), vec![failed]),
        Err(again) => (None, vec![failed, again]),
    })
}

/// What an author sees: all titles, its own section and its neighbours in full, and the source.
fn section_prompt(options: &Options, plan: &Plan, number: u32) -> Prompt {
    let entry = |wanted: u32| plan.numbered().find(|(n, _)| *n == wanted).map(|(n, planned)| Plan::entry(n, planned));
    let neighbours: Vec<String> = [number - 1, number + 1].into_iter().filter_map(entry).collect();
    let own = entry(number);
    prompt!("section", document = options.label(), outline = plan.contents(), own, neighbours, number)
}

fn section_title(number: u32, planned: &PlannedSection) -> String {
    format!("Section {number}: {}", planned.title)
}

fn section_row(number: u32, planned: &PlannedSection, text: &str) -> SectionRow {
    // A topic counts as covered if at least half of its words stand in the text.
    let (covered, absent): (Vec<String>, Vec<String>) = planned.key_topics.iter().cloned().partition(|topic| kept(topic, text) >= 0.5);
    let words = crate::text::words(text);
    SectionRow {
        section_number: number,
        section_title: planned.title.clone(),
        word_count: words,
        key_topics_covered: covered,
        key_topics_not_named: absent,
        target_length: planned.length,
        within_target: planned.length.fits(words),
        error: None,
    }
}

/// The assembler reads all sections and adds what joins them; then the document is shown. Gives the seat that assembled, if any could.
async fn assemble(bench: &Bench, options: &Options, plan: &Plan, manuscript: &mut Manuscript, writers: &[SeatIx]) -> Result<Option<SeatIx>> {
    let phase = bench.phase("assembly");
    let whole: u32 = manuscript.parts.iter().filter_map(|part| part.written.as_ref()).map(|written| crate::text::words(&written.text)).sum();
    let excerpts = whole > WHOLE_WORDS;
    if excerpts {
        phase.warn(format!("The sections have {whole} words; the assembler read the beginning of each."));
    }
    let section =
        |part: &manuscript::Part| part.written.as_ref().map(|written| json!({"number": part.number, "title": part.title, "text": written.text}));
    let sections: Vec<Value> = manuscript.parts.iter().filter_map(section).collect();
    let ids: Vec<String> = sections.iter().map(|section| section["number"].to_string()).collect();
    let missing = manuscript.missing();
    let outline: Vec<String> =
        [plan.title.clone()].into_iter().chain(plan.numbered().map(|(number, planned)| Plan::entry(number, planned))).collect();
    let ask = prompt!("assembly", document = options.label(), outline = outline.join("\n\n"), sections, missing, excerpts);
    let joiners = closing::seats_of(bench, "assembler", writers.iter().copied());
    let reply = phase.ask_first::<Assembly>(&joiners, ask.ids("sections", ids)).await?;
    let assembler = reply.as_ref().map(|reply| reply.seat);
    match reply {
        None => {
            let warning = "Nobody could assemble the document; its sections are joined without summary and transitions.";
            phase.warn(warning);
            phase.show("assembly", Exhibit::note("Assembly", warning).data(&assembly_row(manuscript)))?;
        }
        Some(reply) => {
            let reasons = reply.value.reasons.clone();
            let transitions: Vec<String> =
                reply.value.transitions.iter().map(|each| format!("After section {}: {}", each.after, each.text)).collect();
            manuscript.assemble(reply.value);
            let exhibit = assembly::exhibit(&manuscript.corrections)
                .part("How the sections fit together", reasons)
                .list("Transitions", transitions)
                .data(&assembly_row(manuscript));
            phase.show("assembly", exhibit.by(reply.seat, "assembler").turn(&reply.key))?;
        }
    }
    let refused = manuscript.corrections.iter().filter(|result| result.refused.is_some()).count();
    if refused > 0 {
        phase.warn(format!("{refused} of {} corrections could not be applied.", manuscript.corrections.len()));
    }
    let broken = manuscript.broken_references();
    if !broken.is_empty() {
        let list: Vec<String> = broken.iter().map(|broken| format!("section {} points to section {}", broken.section, broken.to)).collect();
        phase.warn(format!("References to sections that are not there: {}.", list.join(", ")));
    }
    let misfits = manuscript.misfits();
    if !misfits.is_empty() {
        let list: Vec<String> =
            misfits.iter().map(|misfit| format!("section {} ({} words for {})", misfit.section, misfit.words, misfit.length.as_str())).collect();
        phase.warn(format!("Far from the length they were planned with: {}.", list.join(", ")));
    }
    let row = DocumentRow {
        document_title: manuscript.title.clone(),
        total_word_count: crate::text::words(&manuscript.markdown()),
        missing_sections: manuscript.missing(),
        todo_markers: manuscript.todos(),
        broken_references: broken,
        misfits,
    };
    phase.show("document", manuscript.exhibit().data(&row))?;
    Ok(assembler)
}

fn assembly_row(manuscript: &Manuscript) -> AssemblyRow {
    let todos = manuscript.todos();
    let missing = manuscript.missing();
    let assembly = manuscript.assembly.as_ref();
    AssemblyRow {
        document_title: manuscript.title.clone(),
        total_word_count: crate::text::words(&manuscript.markdown()),
        sections_assembled: manuscript.parts.len() - missing.len(),
        sections_missing: missing.len(),
        has_todo_markers: !todos.is_empty(),
        todo_markers: todos,
        cross_references_added: assembly.map(Assembly::references),
        corrections: manuscript.corrections.iter().map(CorrectionEntry::from).collect(),
        open_questions: assembly.map(|assembly| assembly.gaps.clone()),
    }
}
