//! The crux card: what two of them disagree about, so put that it can be tested. What a model wrote is checked; what fails is mended or left out.

use super::extract::{DisagreementType, Extract, Stance};
use super::names::meant;
use crate::text::{bare, words};
use serde_json::{Map, Value, json};
use synod_types::{CardPosition, CardQuote, CruxCard, Exhibit, SeatIx, Shape};

const LONGEST_QUESTION: u32 = 15;

/// A checked card.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    pub id: String,
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
    pub convergence_type: Option<String>,
    /// Made without a model, because none could write it.
    pub fallback: bool,
    pub room: String,
    pub sources: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Position {
    pub seat: SeatIx,
    pub name: String,
    pub stance: Stance,
    pub reasoning: String,
    pub falsifier: Option<String>,
    pub quotes: Vec<CardQuote>,
}

/// What a card is checked against.
pub struct Heard<'a> {
    pub room: &'a str,
    pub aspect: &'a str,
    pub question: &'a str,
    pub sources: &'a [String],
    /// The two as the writer knew them, and as they are called.
    pub pair: [(SeatIx, &'a str, &'a str); 2],
    /// Everything the two said: id, seat and words.
    pub said: &'a [(String, SeatIx, String)],
}

impl Card {
    pub fn checked(extract: &Extract, heard: &Heard) -> Self {
        let statement = extract.crux_statement.split_whitespace().collect::<Vec<_>>().join(" ");
        let sound = statement.ends_with('?') && words(&statement) <= LONGEST_QUESTION && statement.chars().any(char::is_alphanumeric);
        let among = heard.pair.map(|(seat, shown, _)| (seat, shown));
        let positions = heard.pair.map(|(seat, _, name)| {
            let given = extract.positions.iter().find(|given| meant(&given.persona, &among) == Some(seat));
            let Some(given) = given else { return Position { seat, name: name.to_owned(), ..Position::default() } };
            let quotes = given.quotes.iter().map(|quote| quote.trim()).filter(|quote| !quote.is_empty());
            Position {
                seat,
                name: name.to_owned(),
                stance: Stance::of(&given.position),
                reasoning: given.reasoning.trim().to_owned(),
                falsifier: given.falsifier.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned),
                quotes: quotes.map(|quote| CardQuote { text: quote.to_owned(), found_in: found_in(quote, seat, heard.said) }).collect(),
            }
        });
        let resolution = extract.resolution.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        let resolved = extract.resolved && resolution.is_some();
        Self {
            id: format!("card-{}", heard.room),
            aspect: heard.aspect.to_owned(),
            question: if sound { statement } else { heard.question.to_owned() },
            kind: DisagreementType::of(&extract.disagreement_type),
            diagnosis: extract.diagnosis.trim().to_owned(),
            resolved,
            resolution: resolution.filter(|_| resolved),
            weak: !resolved && positions[0].stance == positions[1].stance,
            positions,
            core: None,
            convergence_type: None,
            fallback: false,
            room: heard.room.to_owned(),
            sources: heard.sources.to_vec(),
        }
    }

    /// What is shown when nobody could write the card: the question, and where to read on.
    pub fn fallback(heard: &Heard) -> Self {
        let position = |(seat, _, name): (SeatIx, &str, &str)| Position {
            seat,
            name: name.to_owned(),
            reasoning: "See what was said in the room.".to_owned(),
            ..Position::default()
        };
        Self {
            id: format!("card-{}", heard.room),
            aspect: heard.aspect.to_owned(),
            question: heard.question.to_owned(),
            kind: DisagreementType::Claim,
            diagnosis: "Nobody could sum this exchange up; what was said is in the room.".to_owned(),
            resolved: false,
            resolution: None,
            weak: false,
            positions: heard.pair.map(position),
            core: None,
            convergence_type: None,
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
        let personas: Map<String, Value> = self
            .positions
            .iter()
            .map(|position| {
                let quotes: Vec<Value> = position.quotes.iter().map(|quote| json!({"text": quote.text, "foundIn": quote.found_in})).collect();
                let value = json!({
                    "seat": position.seat, "position": position.stance, "reasoning": position.reasoning, "falsifier": position.falsifier,
                    "groundingQuotes": quotes,
                });
                (position.name.clone(), value)
            })
            .collect();
        let data = json!({
            "id": self.id, "cruxRoomId": self.room, "question": self.question, "disagreementType": self.kind, "diagnosis": self.diagnosis,
            "resolved": self.resolved, "resolution": self.resolution, "weakCrux": self.weak, "fallback": self.fallback, "sourceAspect": self.aspect,
            "sourceMessages": self.sources, "coreDisagreement": self.core, "convergenceType": self.convergence_type, "personas": personas,
        });
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
        Exhibit::new(format!("Crux: {}", self.aspect), Shape::Card(card)).data(data)
    }
}

/// The message of this speaker that holds the quotation, letter for letter but for spacing and the form of quotation marks.
fn found_in(quote: &str, seat: SeatIx, said: &[(String, SeatIx, String)]) -> Option<String> {
    let wanted = even(bare(quote));
    let wanted = wanted.trim_end_matches(['.', '…']);
    if wanted.chars().count() < 8 {
        return None;
    }
    said.iter().find(|(_, by, text)| *by == seat && even(text).contains(wanted)).map(|(id, ..)| id.clone())
}

fn even(text: &str) -> String {
    let plain = text.replace(['’', '‘'], "'").replace(['“', '”', '"'], "'");
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}
