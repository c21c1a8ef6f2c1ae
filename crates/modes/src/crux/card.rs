//! The crux card: what two of them disagree about, so put that it can be tested. What a model wrote is checked; what fails is mended or left out.

use super::extract::{DisagreementType, Extract, Stance};
use super::names::{Veil, meant};
use super::room::Core;
use super::rows::{CardPositionData, CardQuoteData, CardRow};
use crate::text::{bare, words};
use synod_math::verbatim::Verbatim;
use synod_types::{CardPosition, CardQuote, CruxCard, Exhibit, SeatIx, Shape};

const LONGEST_QUESTION: u32 = 15;

/// A checked card.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    pub id: String,
    /// Which aspect it came out of, from 1, and what that is called.
    pub round: u32,
    pub aspect: String,
    pub question: String,
    pub kind: DisagreementType,
    pub diagnosis: String,
    pub resolved: bool,
    pub resolution: Option<String>,
    /// Both give the same answer and nothing is resolved: the question may not be the one they part on.
    pub weak: bool,
    pub positions: [Position; 2],
    /// What a listener took the core to be, and of which kind.
    pub core: Option<String>,
    pub convergence_type: Option<DisagreementType>,
    /// Made without a model, because none could write it.
    pub fallback: bool,
    pub room: String,
    pub sources: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Position {
    pub seat: SeatIx,
    pub id: String,
    pub name: String,
    pub stance: Stance,
    pub reasoning: String,
    pub falsifier: Option<String>,
    pub quotes: Vec<CardQuote>,
}

/// One of the two a card is about.
#[derive(Clone, Copy)]
pub struct Party<'a> {
    pub seat: SeatIx,
    pub id: &'a str,
    pub name: &'a str,
}

/// What a card is checked against.
pub struct Heard<'a> {
    pub room: &'a str,
    pub round: u32,
    pub aspect: &'a str,
    pub question: &'a str,
    pub sources: &'a [String],
    pub pair: [Party<'a>; 2],
    /// What the two were called by whoever writes the card.
    pub veil: &'a Veil,
    /// Everything the two said, as the writer read it: id, seat and words.
    pub said: &'a [(String, SeatIx, String)],
    /// What a listener took the core to be.
    pub core: Option<&'a Core>,
}

impl Position {
    /// Of somebody of whom the card says nothing yet.
    fn of(party: Party) -> Self {
        Self { seat: party.seat, id: party.id.to_owned(), name: party.name.to_owned(), ..Self::default() }
    }
}

impl Card {
    pub fn checked(extract: &Extract, heard: &Heard) -> Self {
        let statement = extract.crux_statement.split_whitespace().collect::<Vec<_>>().join(" ");
        let sound = statement.ends_with('?') && words(&statement) <= LONGEST_QUESTION && statement.chars().any(char::is_alphanumeric);
        let among = [0, 1].map(|at: usize| (heard.pair[at].seat, heard.veil.shown[at].as_str()));
        let text = |text: &str| Some(heard.veil.off(text.trim())).filter(|text| !text.is_empty());
        let positions = heard.pair.map(|party| {
            let given = extract.positions.iter().find(|given| meant(&given.persona, &among) == Some(party.seat));
            let Some(given) = given else { return Position::of(party) };
            let quotes = given.quotes.iter().map(|quote| quote.trim()).filter(|quote| !quote.is_empty());
            Position {
                stance: Stance::of(&given.position),
                reasoning: text(&given.reasoning).unwrap_or_default(),
                falsifier: given.falsifier.as_deref().and_then(text),
                quotes: quotes.map(|quote| CardQuote { text: heard.veil.off(quote), found_in: found_in(quote, party.seat, heard.said) }).collect(),
                ..Position::of(party)
            }
        });
        let resolution = extract.resolution.as_deref().and_then(text);
        let resolved = extract.resolved && resolution.is_some();
        Self {
            question: if sound { heard.veil.off(&statement) } else { heard.question.to_owned() },
            kind: DisagreementType::of(&extract.disagreement_type),
            diagnosis: text(&extract.diagnosis).unwrap_or_default(),
            resolved,
            resolution: resolution.filter(|_| resolved),
            weak: !resolved && positions[0].stance == positions[1].stance && positions[0].stance != Stance::Nuanced,
            positions,
            fallback: false,
            ..Self::fallback(heard)
        }
    }

    /// What is shown when nobody could write the card: the question, and where to read on.
    pub fn fallback(heard: &Heard) -> Self {
        let position = |party: Party| Position { reasoning: "See what was said in the room.".to_owned(), ..Position::of(party) };
        let kind = heard.core.map(|core| core.kind.as_str()).filter(|kind| !kind.trim().is_empty());
        Self {
            id: format!("card-{}", heard.room),
            round: heard.round,
            aspect: heard.aspect.to_owned(),
            question: heard.question.to_owned(),
            kind: DisagreementType::Claim,
            diagnosis: "Nobody could sum this exchange up; what was said is in the room.".to_owned(),
            resolved: false,
            resolution: None,
            weak: false,
            positions: heard.pair.map(position),
            core: heard.core.map(|core| heard.veil.off(core.core_disagreement.trim())),
            convergence_type: kind.map(DisagreementType::of),
            fallback: true,
            room: heard.room.to_owned(),
            sources: heard.sources.to_vec(),
        }
    }

    /// One line of a turn context.
    pub fn line(&self) -> String {
        format!("{} [{}] ({})", self.question, self.kind.as_str(), if self.resolved { "resolved" } else { "unresolved" })
    }

    /// The whole card as other prompts read it.
    pub fn plain(&self) -> String {
        let mut out = format!("{}\n{}\n", self.line(), self.diagnosis);
        for position in &self.positions {
            let falsifier = position.falsifier.as_ref().map(|text| format!(" Proved wrong by: {text}")).unwrap_or_default();
            out.push_str(&format!("{}: {}. {}{falsifier}\n", position.name, position.stance.as_str(), position.reasoning));
        }
        if let Some(resolution) = &self.resolution {
            out.push_str(&format!("Resolved: {resolution}\n"));
        }
        out
    }

    pub fn exhibit(&self) -> Exhibit {
        let position = |position: &Position| CardPosition {
            name: position.name.clone(),
            seat: Some(position.seat),
            stance: position.stance.as_str().to_owned(),
            reasoning: position.reasoning.clone(),
            falsifier: position.falsifier.clone().unwrap_or_default(),
            quotes: position.quotes.clone(),
        };
        let card = CruxCard {
            question: self.question.clone(),
            disagreement: self.kind.as_str().to_owned(),
            settled_by: self.kind.settled_by().to_owned(),
            diagnosis: self.diagnosis.clone(),
            resolved: self.resolved,
            resolution: self.resolution.clone().unwrap_or_default(),
            weak: self.weak,
            positions: self.positions.iter().map(position).collect(),
        };
        Exhibit::new(format!("Crux: {}", self.aspect), Shape::Card(card)).data(&self.row())
    }

    fn row(&self) -> CardRow {
        let quote = |quote: &CardQuote| CardQuoteData { text: quote.text.clone(), found_in: quote.found_in.clone() };
        let position = |position: &Position| CardPositionData {
            name: position.name.clone(),
            seat: position.seat,
            position: position.stance,
            reasoning: position.reasoning.clone(),
            falsifier: position.falsifier.clone(),
            grounding_quotes: position.quotes.iter().map(quote).collect(),
        };
        CardRow {
            id: self.id.clone(),
            crux_room_id: self.room.clone(),
            question: self.question.clone(),
            disagreement_type: self.kind,
            diagnosis: self.diagnosis.clone(),
            resolved: self.resolved,
            resolution: self.resolution.clone(),
            weak_crux: self.weak,
            fallback: self.fallback,
            source_aspect: self.aspect.clone(),
            source_messages: self.sources.clone(),
            core_disagreement: self.core.clone(),
            convergence_type: self.convergence_type,
            personas: self.positions.iter().map(|each| (each.id.clone(), position(each))).collect(),
        }
    }
}

/// The message of this speaker that holds the quotation, word for word.
fn found_in(quote: &str, seat: SeatIx, said: &[(String, SeatIx, String)]) -> Option<String> {
    let wanted = bare(quote).trim_end_matches(['.', '…']);
    said.iter().find(|(_, by, text)| *by == seat && Verbatim::new(text).quotes(wanted)).map(|(id, ..)| id.clone())
}
