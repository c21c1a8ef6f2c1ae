//! Before the first round: what is argued, from which perspectives, and who plays what.

use super::prompting::{Perspective, Perspectives, one_per_seat};
use super::rounds::Debate;
use super::rounds::safety::check_alone;
use super::rows::{SeatPart, SeatsRow};
use crate::markdown;
use crate::text::field;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{Bench, IdLists, Result, TypedReply, prompt};
use synod_types::{Exhibit, SeatIx};

/// What a question becomes where two sides argue over it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Proposition {
    /// What the question asks, and why this is the proposition to test.
    pub reasons: String,
    /// One sentence that can be argued for and against.
    pub proposition: String,
}

impl TypedReply for Proposition {
    fn from_text(text: &str, _terms: &IdLists) -> Option<Self> {
        let proposition = field(text, "Proposition", &["Proposition"])?;
        Some(Self { reasons: String::new(), proposition: proposition.lines().next()?.trim().to_owned() })
    }

    fn check(&self, _terms: &IdLists) -> std::result::Result<(), String> {
        if self.proposition.trim().is_empty() { Err("proposition is empty: give one sentence".into()) } else { Ok(()) }
    }
}

/// Finds proposition and perspectives where the style wants them, and shows who plays what.
pub async fn seat(debate: &mut Debate<'_>, phase: &Bench) -> Result<()> {
    let mut notes: Vec<(&str, String)> = Vec::new();
    if debate.style.proposition {
        let found = find_proposition(debate, phase).await?;
        notes.extend(found.iter().map(|found| ("Why this proposition", found.reasons.clone())));
        debate.proposition = found.map(|found| found.proposition.trim().to_owned());
    }
    let mut generated = false;
    if debate.style.perspectives {
        generated = debate.options.finds_perspectives();
        let (perspectives, why) = deal_perspectives(debate, phase).await?;
        notes.push(("Why these perspectives", why));
        debate.perspectives = perspectives;
    }
    let data = SeatsRow { style: debate.style.id, proposition: debate.proposition.clone(), seats: parts(debate), generated };
    let mut exhibit = data.exhibit();
    for (name, text) in notes {
        exhibit = exhibit.part(name, text);
    }
    exhibit = exhibit.list("Given beside the question", debate.options.additions());
    phase.show("seats", exhibit.data(&data))
}

fn parts(debate: &Debate) -> Vec<SeatPart> {
    let part = |seat: usize| {
        let (role, bench_seat) = (debate.roles[seat], debate.bench.seat(seat as SeatIx));
        SeatPart {
            seat: debate.names[seat].clone(),
            model: bench_seat.label.clone(),
            role: role.id.clone(),
            persona: debate.style.persona(seat, debate.seats()).to_owned(),
            stance: role.stance.clone(),
            anchor: debate.anchors[seat].name.clone(),
            vote_counts: debate.style.votes && !role.bound,
            perspective: debate.perspectives.get(seat).cloned(),
        }
    };
    (0..debate.seats()).map(part).collect()
}

impl SeatsRow {
    fn exhibit(&self) -> Exhibit {
        let mut lines = vec![format!("Style: {}.", self.style)];
        lines.extend(self.proposition.as_ref().map(|text| format!("Proposition: {text}")));
        let row = |part: &SeatPart| {
            let counts = if part.vote_counts { "counts" } else { "shown, not counted" };
            let stance = part.stance.clone().unwrap_or_else(|| "–".to_owned());
            vec![format!("{} ({})", part.seat, part.model), part.role.clone(), part.persona.clone(), stance, part.anchor.clone(), counts.to_owned()]
        };
        let table = markdown::table(["seat", "role", "persona", "stance", "anchor", "vote"], self.seats.iter().map(row));
        let mut exhibit = Exhibit::note("Who plays what", format!("{}\n\n{table}", lines.join("\n")));
        for part in &self.seats {
            exhibit = exhibit.list(&format!("{} looks from", part.seat), part.perspective.iter().flat_map(Perspective::lines));
        }
        exhibit
    }
}

/// The proposition that stands for the question; `None` where it is argued as it stands.
async fn find_proposition(debate: &mut Debate<'_>, phase: &Bench) -> Result<Option<Proposition>> {
    let Ok(reply) = phase.ask_clerk::<Proposition>(prompt!("proposition", material = debate.material)).await? else {
        phase.warn("No proposition could be made of the question; it is argued as it stands.");
        return Ok(None);
    };
    if let Some(reason) = check_alone(debate, phase, ("proposition", "The proposition to be argued", 0), &reply).await? {
        phase.warn(format!("The proposition was withheld: {reason}. The question is argued as it stands."));
        return Ok(None);
    }
    Ok(Some(reply.value))
}

/// A perspective for each seat, and why these.
async fn deal_perspectives(debate: &mut Debate<'_>, phase: &Bench) -> Result<(Vec<Perspective>, String)> {
    let (options, n) = (debate.options, debate.seats());
    if !options.finds_perspectives() {
        let given: Vec<Perspective> = options.perspectives.iter().map(|text| Perspective::named(text)).collect();
        return Ok(((0..n).map(|seat| given[seat % given.len()].clone()).collect(), String::new()));
    }
    let places = (1..=n).map(|place| place.to_string());
    let usual = || Ok((one_per_seat(Vec::new(), n), String::new()));
    let Ok(reply) = phase.ask_clerk::<Perspectives>(prompt!("perspectives", n, material = debate.material).ids("seats", places)).await? else {
        phase.warn("No perspectives could be found for this question; the usual ones were taken.");
        return usual();
    };
    if let Some(reason) = check_alone(debate, phase, ("perspectives", "The perspectives of the panel", 0), &reply).await? {
        phase.warn(format!("The perspectives were withheld: {reason}. The usual ones were taken."));
        return usual();
    }
    Ok((one_per_seat(reply.value.perspectives, n), reply.value.reasons))
}
