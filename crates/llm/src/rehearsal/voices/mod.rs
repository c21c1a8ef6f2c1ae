//! The characters. Each is a page of sentences that fit any question, because a rehearsal knows nothing about the one at hand: they speak
//! of how to go about it, each by temperament.
//!
//! A new voice is a file and a word in `VOICES`. `{topic}` may stand in any sentence.

mod advocate;
mod economist;
mod engineer;
mod historian;
mod operator;
mod pragmatist;
mod sceptic;
mod teacher;

use super::hint::SIGNED;
use synod_types::SeatIx;

pub(super) struct Voice {
    /// As in "rehearsal voice: the sceptic".
    pub(super) name: &'static str,
    /// How a seat names it: `rehearsal/engineer`.
    pub(super) id: &'static str,
    /// How far its numbers lie above or below the middle.
    pub(super) tilt: f64,
    pub(super) openings: &'static [&'static str],
    pub(super) positions: &'static [&'static str],
    pub(super) reasons: &'static [&'static str],
    pub(super) evidence: &'static [&'static str],
    pub(super) worries: &'static [&'static str],
    pub(super) merits: &'static [&'static str],
    pub(super) actions: &'static [&'static str],
    pub(super) questions: &'static [&'static str],
    pub(super) closings: &'static [&'static str],
    pub(super) titles: &'static [&'static str],
}

pub(super) const VOICES: &[&Voice] = &[
    &engineer::VOICE,
    &sceptic::VOICE,
    &pragmatist::VOICE,
    &advocate::VOICE,
    &historian::VOICE,
    &economist::VOICE,
    &operator::VOICE,
    &teacher::VOICE,
];

/// The voice of a seat. What no seat asked for (there is none in the key) falls to the first.
pub(super) fn of(seat: SeatIx) -> &'static Voice {
    VOICES[seat as usize % VOICES.len()]
}

/// What a field wants said, told from its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    Position,
    Reason,
    Evidence,
    Worry,
    Merit,
    Action,
    Question,
    Title,
    Id,
    Remark,
}

/// The first line whose stem the field's name contains decides.
const STEMS: &[(Manner, &[&str])] = &[
    (Manner::Reason, &["reason", "rational", "justif", "explan", "why", "argument", "because", "thinking", "critique"]),
    (Manner::Question, &["question", "crux", "inquir"]),
    (Manner::Title, &["title", "heading", "name", "theme", "headline", "tag", "keyword", "criterion", "aspect"]),
    (
        Manner::Worry,
        &["risk", "concern", "weak", "objection", "issue", "problem", "flaw", "finding", "gap", "caveat", "uncertain", "counter", "dissent", "con"],
    ),
    (Manner::Merit, &["strength", "benefit", "merit", "advantage", "agree", "pro", "support"]),
    (Manner::Action, &["action", "step", "suggest", "recommend", "fix", "mitigat", "improve", "change", "next", "task", "plan", "condition"]),
    (Manner::Evidence, &["evidence", "source", "fact", "example", "data", "citation", "quote", "observation", "basis"]),
    (
        Manner::Position,
        &[
            "summary",
            "position",
            "answer",
            "conclusion",
            "synthesis",
            "verdict",
            "claim",
            "stance",
            "proposal",
            "thesis",
            "idea",
            "statement",
            "opinion",
            "descript",
            "detail",
            "content",
            "approach",
            "text",
        ],
    ),
    (Manner::Id, &["id", "key", "slug", "code", "ref"]),
];

impl Manner {
    pub(super) fn of_field(name: &str) -> Self {
        let name = name.to_lowercase();
        let words: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).collect();
        // A short stem ("id", "con") must be the whole word: "confidence" and "consideration" are no objections.
        let whole = |stem: &str| words.iter().any(|word| *word == stem || word.strip_suffix('s') == Some(stem));
        let has = |stem: &&str| if stem.len() <= 4 { whole(stem) } else { name.contains(*stem) };
        STEMS.iter().find(|(_, stems)| stems.iter().any(has)).map_or(Self::Remark, |(manner, _)| *manner)
    }

    /// Worth saying at some length, and therefore worth saying whose words they are.
    pub(super) fn is_speech(self) -> bool {
        matches!(self, Self::Reason | Self::Position)
    }
}

impl Voice {
    /// Everything it can say in a sentence, whatever the matter.
    pub(super) fn repertoire(&self) -> impl Iterator<Item = &'static str> {
        [self.positions, self.reasons, self.evidence, self.worries, self.merits, self.actions, self.closings].into_iter().flatten().copied()
    }

    pub(super) fn lines(&self, manner: Manner) -> &'static [&'static str] {
        match manner {
            Manner::Position => self.positions,
            Manner::Reason => self.reasons,
            Manner::Evidence => self.evidence,
            Manner::Worry => self.worries,
            Manner::Merit => self.merits,
            Manner::Action => self.actions,
            Manner::Question => self.questions,
            Manner::Title | Manner::Id => self.titles,
            Manner::Remark => self.closings,
        }
    }

    /// How a voice says what it is. Past the first round of the table the seat tells two of a kind apart.
    pub(super) fn signature(&self, seat: SeatIx) -> String {
        if (seat as usize) < VOICES.len() { format!("{SIGNED}{})", self.name) } else { format!("{SIGNED}{}, seat {seat})", self.name) }
    }
}
