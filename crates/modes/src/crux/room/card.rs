//! The crux card: what two personas disagree about, put so that it can be tested. What a model wrote is checked; what fails is corrected or left out.

use super::aliases::Aliases;
use super::card_reply::{CardReply, DisagreementType, Stance};
use super::checks::Core;
use super::{Line, Party, Room};
use crate::closing::{once, seats_of};
use crate::crux::questions::{same_question, same_words};
use crate::crux::rows::{CardPositionData, CardQuoteData, CardRow};
use crate::crux::speech::names::find_person;
use crate::crux::state::DebateState;
use crate::first_reply::{self, FirstReply};
use crate::text::{bare, words};
use synod_engine::{Result, SeatFailure, prompt};
use synod_math::verbatim::Verbatim;
use synod_types::{CardPosition, CardQuote, CruxCard, Exhibit, SeatIx, Shape};

const LONGEST_QUESTION: u32 = 15;
/// What stands where somebody named nothing that would prove them wrong.
pub const NONE_GIVEN: &str = "none given";

/// A checked card.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    pub id: String,
    /// Which aspect it came out of, from 1, and what that is called.
    pub round: u32,
    pub aspect: String,
    /// The crux; where the writer's is unusable, what the room was opened for.
    pub question: String,
    /// What the room was opened for.
    pub room_question: String,
    pub kind: DisagreementType,
    pub diagnosis: String,
    /// Both give the same answer, and it is said which.
    pub resolved: bool,
    pub resolution: Option<String>,
    /// What the writer put forward as a settlement that not both share.
    pub proposed: Option<String>,
    /// Both give the same answer and nothing is resolved, so this may not be the question they differ on.
    pub weak: bool,
    pub positions: [Position; 2],
    /// The clerk's account of the core, and its kind.
    pub core: Option<String>,
    pub convergence_type: Option<DisagreementType>,
    /// Why the writer takes this to be the point.
    pub reasons: String,
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
    /// When yes and when no, where the answer is neither.
    pub condition: Option<String>,
    pub reasoning: String,
    /// What would prove them wrong; `None`: they named nothing.
    pub falsifier: Option<String>,
    pub quotes: Vec<CardQuote>,
    /// The writer gave an answer of theirs that can be read.
    pub given: bool,
}

/// What a card is checked against.
pub struct CardContext<'a> {
    pub room: &'a str,
    pub round: u32,
    pub aspect: &'a str,
    pub question: &'a str,
    pub sources: &'a [String],
    pub pair: [Party<'a>; 2],
    /// What the two are called by whoever writes the card.
    pub aliases: &'a Aliases,
    /// Everything the two said, as the writer read it.
    pub lines: &'a [Line],
    /// The clerk's account of the core.
    pub core: Option<&'a Core>,
}

impl Position {
    /// A position of which nothing is known but whose it is.
    fn empty(party: Party) -> Self {
        Self { seat: party.seat, id: party.id.to_owned(), name: party.name.to_owned(), ..Self::default() }
    }

    /// Whether both give one answer. NUANCED alone is none: two people may mean different things by it, so their conditions must be the same too.
    fn agrees_with(&self, other: &Self) -> bool {
        let same = self.stance == other.stance && self.given && other.given;
        match (&self.condition, &other.condition) {
            _ if self.stance != Stance::Nuanced => same,
            (Some(ours), Some(theirs)) => same && same_words(ours, theirs),
            (None, _) | (_, None) => false,
        }
    }

    /// The answer in words: on what condition, and why.
    pub fn told(&self) -> String {
        match &self.condition {
            Some(condition) => format!("{}. {}", condition.trim_end_matches('.'), self.reasoning).trim_end().to_owned(),
            None => self.reasoning.clone(),
        }
    }
}

impl Card {
    /// The card as it was written, with every field checked.
    pub fn from_reply(reply: &CardReply, context: &CardContext) -> Self {
        let statement = reply.crux_statement.split_whitespace().collect::<Vec<_>>().join(" ");
        let sound = statement.ends_with('?') && words(&statement) <= LONGEST_QUESTION && statement.chars().any(char::is_alphanumeric);
        let among = [0, 1].map(|at: usize| (context.pair[at].seat, context.aliases.shown[at].as_str()));
        let text = |text: &str| Some(context.aliases.show_names(text.trim())).filter(|text| !text.is_empty());
        let positions = context.pair.map(|party| {
            let given = reply.positions.iter().find(|given| find_person(&given.persona, &among) == Some(party.seat));
            let Some(given) = given else { return Position::empty(party) };
            let stance = Stance::of(&given.position);
            let quotes = given.quotes.iter().map(|quote| quote.trim()).filter(|quote| !quote.is_empty());
            Position {
                stance: stance.unwrap_or_default(),
                given: stance.is_some(),
                condition: given.condition.as_deref().filter(|_| stance == Some(Stance::Nuanced)).and_then(text),
                reasoning: text(&given.reasoning).unwrap_or_default(),
                falsifier: given.falsifier.as_deref().filter(|falsifier| !says_none(falsifier)).and_then(text),
                quotes: quotes
                    .map(|quote| CardQuote { text: context.aliases.show_names(quote), found_in: found_in(quote, party.seat, context.lines) })
                    .collect(),
                ..Position::empty(party)
            }
        });
        let resolution = reply.resolution.as_deref().and_then(text);
        // Whatever the writer calls it: where two answers differ, or one is not known, nothing is resolved.
        let resolved = reply.resolved && positions[0].agrees_with(&positions[1]) && resolution.is_some();
        Self {
            question: if sound { context.aliases.show_names(&statement) } else { context.question.to_owned() },
            kind: DisagreementType::of(&reply.disagreement_type),
            diagnosis: text(&reply.diagnosis).unwrap_or_default(),
            resolved,
            resolution: resolution.clone().filter(|_| resolved),
            proposed: resolution.filter(|_| !resolved),
            weak: !resolved && positions[0].stance == positions[1].stance && positions[0].stance != Stance::Nuanced,
            positions,
            reasons: text(&reply.reasons).unwrap_or_default(),
            fallback: false,
            ..Self::fallback(context)
        }
    }

    /// The card if nobody could write one: the question, and where to read what was said.
    pub fn fallback(context: &CardContext) -> Self {
        let position = |party: Party| Position { reasoning: "See what was said in the room.".to_owned(), ..Position::empty(party) };
        let kind = context.core.map(|core| core.kind.as_str()).filter(|kind| !kind.trim().is_empty());
        Self {
            id: format!("card-{}", context.room),
            round: context.round,
            aspect: context.aspect.to_owned(),
            question: context.question.to_owned(),
            room_question: context.question.to_owned(),
            kind: DisagreementType::Claim,
            diagnosis: "Nobody could sum this exchange up; what was said is in the room.".to_owned(),
            resolved: false,
            resolution: None,
            proposed: None,
            weak: false,
            positions: context.pair.map(position),
            core: context.core.map(|core| context.aliases.show_names(core.core_disagreement.trim())),
            convergence_type: kind.map(DisagreementType::of),
            reasons: String::new(),
            fallback: true,
            room: context.room.to_owned(),
            sources: context.sources.to_vec(),
        }
    }

    /// Whether this question has had its room, under the words it was opened for or those of the card.
    pub fn is_about(&self, question: &str) -> bool {
        same_question(&self.question, question) || same_question(&self.room_question, question)
    }

    /// One line of a turn context.
    pub fn line(&self) -> String {
        format!("{} [{}] ({})", self.question, self.kind.as_str(), if self.resolved { "resolved" } else { "unresolved" })
    }

    /// The whole card as other prompts read it.
    pub fn plain(&self) -> String {
        let mut out = format!("{}\n{}\n", self.line(), self.diagnosis);
        for position in &self.positions {
            let falsifier = self.falsifier(position).map(|text| format!(" Proved wrong by: {text}")).unwrap_or_default();
            out.push_str(&format!("{}: {}. {}{falsifier}\n", position.name, position.stance.as_str(), position.told()));
        }
        if let Some(resolution) = &self.resolution {
            out.push_str(&format!("Resolved: {resolution}\n"));
        }
        out
    }

    /// What would prove this one wrong, or that none was given; `None` where nobody wrote the card.
    pub fn falsifier<'a>(&self, position: &'a Position) -> Option<&'a str> {
        (!self.fallback).then(|| position.falsifier.as_deref().unwrap_or(NONE_GIVEN))
    }

    pub fn exhibit(&self) -> Exhibit {
        let position = |position: &Position| CardPosition {
            name: position.name.clone(),
            seat: Some(position.seat),
            stance: position.stance.as_str().to_owned(),
            reasoning: position.told(),
            falsifier: self.falsifier(position).unwrap_or_default().to_owned(),
            quotes: position.quotes.clone(),
        };
        let card = CruxCard {
            question: self.question.clone(),
            disagreement: self.kind.as_str().to_owned(),
            settled_by: self.kind.settled_by().to_owned(),
            diagnosis: self.diagnosis.clone(),
            resolved: self.resolved,
            resolution: self.resolution.clone().unwrap_or_default(),
            proposed: self.proposed.clone().unwrap_or_default(),
            weak: self.weak,
            positions: self.positions.iter().map(position).collect(),
        };
        Exhibit::new(self.title(), Shape::Card(card)).part("Why this is the point", &self.reasons).data(&self.row())
    }

    fn title(&self) -> String {
        format!("Crux: {}", self.aspect)
    }

    fn row(&self) -> CardRow {
        let quote = |quote: &CardQuote| CardQuoteData { text: quote.text.clone(), found_in: quote.found_in.clone() };
        let position = |position: &Position| CardPositionData {
            name: position.name.clone(),
            seat: position.seat,
            position: position.stance,
            condition: position.condition.clone(),
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
            proposed_resolution: self.proposed.clone(),
            weak_crux: self.weak,
            fallback: self.fallback,
            source_aspect: self.aspect.clone(),
            source_messages: self.sources.clone(),
            core_disagreement: self.core.clone(),
            convergence_type: self.convergence_type,
            personas: self.positions.iter().map(|each| (each.id.clone(), position(each))).collect(),
            error: None,
        }
    }
}

impl Room<'_> {
    /// Nobody who debates writes the card: the moderator does, else the clerk.
    pub(super) async fn write_card(&self, debate: &mut DebateState<'_>, context: &CardContext<'_>, too_short: bool) -> Result<Card> {
        let bench = debate.bench;
        let writers = seats_of(bench, "moderator", bench.role("clerk").iter().copied());
        let asked = if too_short || debate.closed {
            FirstReply { reply: None, failures: Vec::new() }
        } else {
            let shown = &self.aliases.shown;
            let exchange = [self.for_prompt(&self.before), self.for_prompt(&self.lines)].concat();
            let first_sentences = |at: usize| -> Vec<String> {
                let own = self.lines.iter().filter(|line| line.seat == self.pair[at]);
                own.filter_map(|line| line.text.split(". ").next()).map(|text| self.aliases.hide_names(text)).collect()
            };
            let taken: Vec<String> = debate
                .cards
                .iter()
                .flat_map(|card| [&card.question, &card.room_question])
                .map(|question| self.aliases.hide_names(question))
                .collect();
            let taken = once(taken);
            let core = context.core.map(|core| &core.core_disagreement);
            let ask = prompt!("card", crux = self.question_shown, names = shown, exchange, core, taken)
                .ids("taken", taken.iter().cloned())
                .ids("pair", shown.iter().cloned())
                .ids("types", DisagreementType::WORDS)
                .ids("stances", Stance::WORDS)
                .fill("crux", &self.question_shown)
                .fill("one", &shown[0])
                .fill("two", &shown[1])
                .fill("first", first_sentences(0))
                .fill("second", first_sentences(1));
            first_reply::ask::<CardReply>(&self.phase, &writers, ask).await?
        };
        let fallback = Card::fallback(context);
        let absent = |failed: &SeatFailure| CardRow { error: Some(failed.failure.to_string()), ..fallback.row() };
        for exhibit in asked.absences(&fallback.title(), "moderator", absent) {
            self.phase.show("crux_card", exhibit.aside(&self.title))?;
        }
        asked.taken_over(&self.phase, "writing the card").into_iter().for_each(|warning| self.phase.warn(warning));
        let (card, exhibit) = match asked.reply {
            Some(reply) => {
                let card = Card::from_reply(&reply.value, context);
                let exhibit = card.exhibit().by(reply.seat, "moderator").turn(&reply.key);
                (card, exhibit)
            }
            None => {
                if !too_short {
                    self.phase.warn(format!("Nobody wrote the card on \"{}\"; what was said is in the room.", self.question));
                }
                let exhibit = fallback.exhibit();
                (fallback, exhibit)
            }
        };
        self.phase.show("crux_card", exhibit.aside(&self.title))?;
        Ok(card)
    }
}

/// Words in which a writer says that there is no falsifier, instead of leaving it out. What would prove somebody wrong needs others.
const DENIALS: &str = "none nothing no not null";
const FILLERS: &str = "a any anything condition did does falsifier gave give given has have he is mentioned n name named one prove said say she specified \
     state stated them they was were would wrong";

/// Whether a writer says that there is no falsifier.
fn says_none(text: &str) -> bool {
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let among = |list: &str, word: &str| list.split_whitespace().any(|known| known == word);
    let denied = words == ["n", "a"] || words.iter().any(|word| among(DENIALS, word));
    words.is_empty() || denied && words.iter().all(|word| among(DENIALS, word) || among(FILLERS, word))
}

/// The id of this speaker's message that holds the quotation word for word.
fn found_in(quote: &str, seat: SeatIx, lines: &[Line]) -> Option<String> {
    let wanted = bare(quote).trim_end_matches(['.', '…']);
    lines.iter().find(|line| line.seat == seat && Verbatim::new(&line.text).quotes(wanted)).map(|line| line.id.clone())
}
