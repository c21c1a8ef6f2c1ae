//! All findings of the panel with everybody's stance on them: where the specialists meet, and where they contradict each other.

use super::review::{CrossReview, Word};
use super::specialist::Specialist;
use serde_json::{Value, json};
use synod_math::{Reception, Support, convergence};
use synod_types::{Dissent, Exhibit, FindingEntry, Findings, SeatIx, Shape};

/// A finding and what became of it.
pub struct PanelFinding {
    pub id: String,
    pub text: String,
    /// The title of the role that found it.
    pub by: String,
    pub support: Support,
    /// What was said to it, in seat order.
    said: Vec<Said>,
}

struct Said {
    seat: SeatIx,
    title: String,
    word: Word,
    why: String,
}

impl PanelFinding {
    pub fn reception(&self) -> Reception {
        self.support.reception()
    }

    /// The titles of those with this stance.
    fn titles(&self, word: Word) -> Vec<&str> {
        self.said.iter().filter(|said| said.word == word).map(|said| said.title.as_str()).collect()
    }

    fn fate(&self) -> String {
        let words = [(Word::Disagree, "disputed by"), (Word::Agree, "agreed by"), (Word::Extend, "extended by")];
        let parts: Vec<String> = words
            .iter()
            .map(|(word, name)| (name, self.titles(*word)))
            .filter(|(_, titles)| !titles.is_empty())
            .map(|(name, titles)| format!("{name} {}", titles.join(", ")))
            .collect();
        if parts.is_empty() { "nobody else spoke to it".into() } else { parts.join("; ") }
    }

    /// As a line for prompts and reports: what, whose, and who says what.
    pub fn line(&self) -> String {
        let whys = self.said.iter().map(|said| format!("\n  - {} ({}): {}", said.title, said.word.as_str(), said.why));
        format!("- {} ({}): {}{}", self.id, self.by, self.text, whys.collect::<String>())
    }
}

/// Every finding of every report, with the stances the reviews took. Reviews are by index into `specialists`.
pub fn received(specialists: &[Specialist], reviews: &[(usize, &CrossReview)]) -> Vec<PanelFinding> {
    let mut held: Vec<PanelFinding> = Vec::new();
    let mut authors = Vec::new();
    for (author, specialist) in specialists.iter().enumerate() {
        for (id, text) in specialist.findings() {
            authors.push(author);
            held.push(PanelFinding { id, text: text.to_owned(), by: specialist.role.title.clone(), support: Support::default(), said: Vec::new() });
        }
    }
    let place = |id: &str| held.iter().position(|held| held.id == id);
    let taken: Vec<_> = reviews
        .iter()
        .flat_map(|(reader, review)| review.stances.iter().filter_map(|taken| place(&taken.id).map(|at| (at, *reader, taken))))
        .collect();
    let stances: Vec<_> = taken.iter().map(|(at, reader, taken)| (*at, *reader, taken.stance.stance())).collect();
    for (held, support) in held.iter_mut().zip(convergence(&authors, &stances)) {
        held.support = support;
    }
    for (at, reader, taken) in taken {
        let specialist = &specialists[reader];
        let held = &mut held[at];
        // The first word on a finding is the one that counts, so it is the one that is shown.
        if authors[at] != reader && !held.said.iter().any(|said| said.seat == specialist.seat) {
            held.said.push(Said { seat: specialist.seat, title: specialist.role.title.clone(), word: taken.stance, why: taken.why.clone() });
        }
    }
    held
}

fn count(held: &[PanelFinding], reception: Reception) -> usize {
    held.iter().filter(|held| held.reception() == reception).count()
}

/// The count, once somebody answered the others' findings. Before that silence means nothing.
pub fn known(held: &[PanelFinding], reception: Reception, answered: usize) -> Option<u32> {
    (answered > 0).then(|| count(held, reception) as u32)
}

pub fn word(reception: Reception) -> &'static str {
    match reception {
        Reception::Divergent => "divergent",
        Reception::Convergent => "convergent",
        Reception::Alone => "alone",
    }
}

/// The lines of those received so.
pub fn lines(held: &[PanelFinding], reception: Reception) -> Vec<String> {
    held.iter().filter(|held| held.reception() == reception).map(PanelFinding::line).collect()
}

/// Contradictions first: they are what a reader must decide on.
pub fn exhibit(held: &[PanelFinding], answered: usize) -> Exhibit {
    let order = [Reception::Divergent, Reception::Convergent, Reception::Alone];
    let sorted: Vec<&PanelFinding> = order.iter().flat_map(|reception| held.iter().filter(|held| held.reception() == *reception)).collect();
    let entry = |held: &&PanelFinding| FindingEntry {
        id: held.id.clone(),
        title: held.text.clone(),
        severity: word(held.reception()).to_owned(),
        by: vec![held.by.clone()],
        fate: held.fate(),
        reply: held.said.iter().map(|said| format!("{} ({}): {}", said.title, said.word.as_str(), said.why)).collect::<Vec<_>>().join("\n"),
        ..FindingEntry::default()
    };
    let row = |held: &&PanelFinding| {
        json!({
            "id": held.id, "by": held.by, "finding": held.text, "reception": word(held.reception()), "agree": held.titles(Word::Agree),
            "extend": held.titles(Word::Extend), "disagree": held.titles(Word::Disagree),
        })
    };
    let data = json!({
        "findings": sorted.iter().map(row).collect::<Value>(),
        "convergentFindingCount": known(held, Reception::Convergent, answered),
        "divergentFindingCount": known(held, Reception::Divergent, answered),
    });
    Exhibit::new(
        "Findings and who stands behind them",
        Shape::Findings(Findings { entries: sorted.iter().map(entry).collect(), none: String::new() }),
    )
    .data(&data)
}

/// Every objection that was raised, under the finding it speaks against.
pub fn dissent(held: &[PanelFinding]) -> Vec<Dissent> {
    let against = |held: &PanelFinding| {
        let id = held.id.clone();
        held.said.iter().filter(|said| said.word == Word::Disagree).map(|said| (id.clone(), said.seat, said.why.clone())).collect::<Vec<_>>()
    };
    held.iter().flat_map(against).map(|(id, seat, text)| Dissent { seat, label: Some(id), text }).collect()
}

/// Finding ids a text cites: `S1.2` as a word of its own, each once, in order of mention.
pub fn citations(text: &str) -> Vec<String> {
    let is_id = |word: &&str| {
        let digits = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
        word.strip_prefix('S').and_then(|rest| rest.split_once('.')).is_some_and(|(number, k)| digits(number) && digits(k))
    };
    let mut cited: Vec<String> = Vec::new();
    for word in text.split(|c: char| !(c.is_alphanumeric() || c == '.')).map(|word| word.trim_matches('.')).filter(is_id) {
        if !cited.iter().any(|other| other == word) {
            cited.push(word.to_owned());
        }
    }
    cited
}
