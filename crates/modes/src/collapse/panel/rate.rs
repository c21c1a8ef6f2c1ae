//! Rating: each part of the panel is played by a seat that rates every position; a position of its own goes to the next seat.

use crate::collapse::cards::records::{Evaluation, PanelSeat};
use crate::collapse::cards::text;
use crate::collapse::rounds::docket::Docket;
use crate::collapse::rows::RatingRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use synod_engine::{Answers, Bench, IdLists, Prompt, Result, SeatReply, TypedReply, prompt};
use synod_types::*;

/// A part on the panel that some seat plays.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    pub seat: PanelSeat,
    /// Who, where several share the seat.
    pub member: String,
}

impl Part {
    pub fn name(&self) -> String {
        if self.member.is_empty() { self.seat.as_str().to_owned() } else { format!("{} {}", self.seat.as_str(), self.member) }
    }
}

/// The seven seats of the panel; named experts share theirs.
pub fn parts(experts: &[String]) -> Vec<Part> {
    let lone = |seat| vec![Part { seat, member: String::new() }];
    PanelSeat::ALL
        .into_iter()
        .flat_map(|seat| if seat == PanelSeat::DomainExpert && !experts.is_empty() { expert_parts(experts) } else { lone(seat) })
        .collect()
}

pub fn expert_parts(experts: &[String]) -> Vec<Part> {
    experts.iter().map(|member| Part { seat: PanelSeat::DomainExpert, member: member.clone() }).collect()
}

/// An evaluator's reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rating {
    /// The positions weighed against each other, before the numbers.
    pub reasons: String,
    /// Every position by its id.
    #[schemars(extend("x-map" = "positions"))]
    pub scores: BTreeMap<String, PositionRating>,
    /// What would have to be settled whatever is chosen.
    #[schemars(length(max = 5))]
    pub concerns: Vec<String>,
    /// How sure you are of this rating, from 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub confidence: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PositionRating {
    /// Why, in a sentence.
    pub why: String,
    /// From 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub score: f64,
}

impl TypedReply for Rating {
    fn from_text(text: &str, terms: &IdLists) -> Option<Self> {
        let labels: Vec<&str> = terms.list("positions").iter().map(String::as_str).chain(["CONFIDENCE"]).collect();
        let value = |label: &str| crate::text::field(text, label, &labels);
        let head = |value: String| value.lines().next().unwrap_or_default().to_owned();
        let scores: Option<BTreeMap<String, PositionRating>> = terms
            .list("positions")
            .iter()
            .map(|position| {
                let score = crate::text::score(&head(value(position)?), 0.0, 1.0)?;
                Some((position.clone(), PositionRating { why: String::new(), score }))
            })
            .collect();
        let confidence = crate::text::score(&head(value("CONFIDENCE")?), 0.0, 1.0)?;
        Some(Self { reasons: text.trim().to_owned(), scores: scores?, concerns: Vec::new(), confidence })
    }
}

/// The evaluations that came, and which parts gave none.
#[derive(Clone, Debug, Default)]
pub struct Ratings {
    pub evaluations: Vec<Evaluation>,
    /// Parts that gave no whole rating.
    pub missing: Vec<String>,
    /// Parts that had to rate a position their own seat wrote.
    pub own: Vec<String>,
    pub closed: bool,
}

impl Ratings {
    /// What to warn of if a seat rated a position of its own.
    pub fn own_rating_warning(&self) -> Option<String> {
        let names: Vec<String> = self.own.iter().map(|name| name.replace('_', " ")).collect();
        (!names.is_empty()).then(|| format!("No other seat was free: as {} a seat rated a position of its own.", names.join(", ")))
    }
}

/// Which seat rates which positions in one part: the seat whose turn it is rates all but its own, the next seats the rest. True if a seat has
/// to rate its own, because there is no other.
fn deal(seats: &[SeatIx], first: usize, authors: &[(usize, Option<SeatIx>)]) -> (Vec<(SeatIx, Vec<usize>)>, bool) {
    let mut own = false;
    let mut groups: Vec<(SeatIx, Vec<usize>)> = Vec::new();
    for (position, author) in authors {
        let round = (0..seats.len()).map(|step| seats[(first + step) % seats.len()]);
        let free = round.clone().find(|seat| Some(*seat) != *author);
        own |= free.is_none();
        let Some(seat) = free.or_else(|| round.clone().next()) else { continue };
        match groups.iter_mut().find(|(taken, _)| *taken == seat) {
            Some((_, list)) => list.push(*position),
            None => groups.push((seat, vec![*position])),
        }
    }
    (groups, own)
}

/// Every part rates these positions, all of them side by side. A part whose seat fails is played once more by others.
pub async fn rate(bench: &Bench, docket: &Docket, parts: &[Part], positions: &[usize], why: &str) -> Result<Ratings> {
    let mut out = Ratings::default();
    if docket.seats.is_empty() {
        out.missing = parts.iter().map(Part::name).collect();
        return Ok(out);
    }
    let orders = synod_math::orders(bench.seed("orders"), &vec![None; parts.len()], positions.len());
    let items = parts.iter().enumerate().map(|(at, part)| (part.name(), (at, part)));
    let results = bench
        .all(items, |bench, (at, part)| {
            let order: Vec<usize> = orders[at].iter().map(|item| positions[*item]).collect();
            async move { play(&bench, docket, part, at, &order, why).await }
        })
        .await?;
    for (part, PartResult { evaluation, own, closed, exhibits }) in parts.iter().zip(results) {
        // Shown when all have answered, so that the order of the rows does not depend on who is quick.
        for (scope, exhibit) in exhibits {
            let bench = bench.at(part.name());
            let bench = if scope.is_empty() { bench } else { bench.at(scope) };
            bench.show("panel_evaluation", exhibit)?;
        }
        out.closed |= closed;
        if own {
            out.own.push(part.name());
        }
        match evaluation {
            Some(evaluation) => out.evaluations.push(evaluation),
            None => out.missing.push(part.name()),
        }
    }
    Ok(out)
}

/// What one part gave.
struct PartResult {
    evaluation: Option<Evaluation>,
    own: bool,
    closed: bool,
    /// Each with the scope it is shown in.
    exhibits: Vec<(&'static str, Exhibit)>,
}

async fn play(bench: &Bench, docket: &Docket, part: &Part, at: usize, order: &[usize], why: &str) -> Result<PartResult> {
    let authors: Vec<(usize, Option<SeatIx>)> = order.iter().map(|position| (*position, docket.positions[*position].author)).collect();
    let (groups, mut own) = deal(&docket.seats, at % docket.seats.len(), &authors);
    let mut answers = ask(bench, docket, part, &groups, why, false).await?;
    let mut shown = exhibits("", part, &answers);
    let mut closed = answers.closed();
    if !answers.failures.is_empty() && !closed {
        let failed: Vec<SeatIx> = answers.failures.iter().map(|failure| failure.seat).collect();
        let left: Vec<SeatIx> = docket.seats.iter().copied().filter(|seat| !failed.contains(seat)).collect();
        let seats = if left.is_empty() { docket.seats.clone() } else { left };
        let open: Vec<(usize, Option<SeatIx>)> = groups
            .iter()
            .filter(|(seat, _)| failed.contains(seat))
            .flat_map(|(_, list)| list.iter().map(|position| (*position, docket.positions[*position].author)))
            .collect();
        let (groups, forced) = deal(&seats, at % seats.len(), &open);
        let more = ask(&bench.at("again"), docket, part, &groups, why, true).await?;
        shown.extend(exhibits("again", part, &more));
        own |= forced;
        closed |= more.closed();
        answers.replies.extend(more.replies);
    }
    Ok(PartResult { evaluation: join(part, &answers.replies, order, docket), own, closed, exhibits: shown })
}

fn ask<'a>(
    bench: &'a Bench,
    docket: &'a Docket,
    part: &'a Part,
    groups: &'a [(SeatIx, Vec<usize>)],
    why: &'a str,
    extra: bool,
) -> impl Future<Output = Result<Answers<Rating>>> + Send + use<> {
    let seats: Vec<SeatIx> = groups.iter().map(|(seat, _)| *seat).collect();
    bench.ask_each(&seats, &|seat| {
        let positions: &[usize] = groups.iter().find(|(taken, _)| *taken == seat).map_or(&[], |(_, list)| list.as_slice());
        let ask = prompt_for(docket, part, positions, why);
        if extra { ask.extra() } else { ask }
    })
}

fn prompt_for(docket: &Docket, part: &Part, positions: &[usize], why: &str) -> Prompt {
    let cards: Vec<_> = positions
        .iter()
        .map(|at| {
            let position = &docket.positions[*at];
            let doubts: Vec<String> = position.doubts.iter().map(text::risk).collect();
            json!({"id": position.id(), "text": text::card_text(&position.card), "doubts": doubts, "concerns": position.concerns})
        })
        .collect();
    let ids: Vec<String> = positions.iter().map(|at| docket.positions[*at].id().to_owned()).collect();
    let remembers = part.seat == PanelSeat::CollectiveIntelligence;
    let experience = if remembers { docket.options.experience.as_slice() } else { &[] };
    let seat = part.seat;
    prompt!("rate", part = part.name().replace('_', " "), priority = seat.priority(), bias = seat.bias(), cards, experience, remembers, why)
        .set("constraints", &docket.options.constraints)
        .ids("positions", ids)
}

fn exhibits(scope: &'static str, part: &Part, answers: &Answers<Rating>) -> Vec<(&'static str, Exhibit)> {
    let role = part.seat.as_str();
    let one = |reply: &SeatReply<Rating>| {
        let Rating { scores, concerns, confidence, .. } = &reply.value;
        let rows = scores.iter().map(|(id, rating)| ScoreRow {
            name: id.clone(),
            cells: vec![Some(rating.score)],
            note: rating.why.trim().to_owned(),
            ..ScoreRow::default()
        });
        let measure = format!("confidence {confidence}");
        let shape = Scorecard { scale: (0.0, 1.0), columns: vec![part.name()], rows: rows.collect(), measure, ..Scorecard::default() };
        let row = RatingRow {
            agent: part.seat,
            member: part.member.clone(),
            position_scores: scores.iter().map(|(id, rating)| (id.clone(), rating.score)).collect(),
            concerns: concerns.clone(),
            confidence: *confidence,
        };
        let exhibit = Exhibit::new(format!("Rating by the {}", part.name().replace('_', " ")), Shape::Scorecard(shape));
        (scope, exhibit.by(reply.seat, role).turn(&reply.key).data(&row))
    };
    answers.replies.iter().map(one).collect()
}

/// One evaluation made of what the seats in a part replied; `None` without a score for every position.
fn join(part: &Part, replies: &[SeatReply<Rating>], order: &[usize], docket: &Docket) -> Option<Evaluation> {
    let all = || replies.iter().flat_map(|reply| &reply.value.scores);
    let position_scores: BTreeMap<String, f64> = all().map(|(id, rating)| (id.clone(), rating.score.clamp(0.0, 1.0))).collect();
    if replies.is_empty() || order.iter().any(|at| !position_scores.contains_key(docket.positions[*at].id())) {
        return None;
    }
    let best = position_scores.iter().fold(None, |best: Option<(&String, f64)>, (id, score)| match best {
        Some((_, top)) if top >= *score => best,
        _ => Some((id, *score)),
    });
    Some(Evaluation {
        agent: part.seat,
        member: part.member.clone(),
        recommendation: best.map(|(id, _)| id.clone()),
        rationale: all().map(|(id, rating)| (id.clone(), rating.why.trim().to_owned())).collect(),
        concerns: replies.iter().flat_map(|reply| reply.value.concerns.clone()).collect(),
        confidence: replies.iter().map(|reply| reply.value.confidence).sum::<f64>() / replies.len() as f64,
        position_scores,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_of_its_own_goes_to_the_next_seat() {
        let authors = [(0, Some(0)), (1, Some(1)), (2, Some(2))];
        assert_eq!(deal(&[0, 1, 2], 0, &authors), (vec![(1, vec![0]), (0, vec![1, 2])], false));
        assert_eq!(deal(&[0, 1, 2], 2, &authors), (vec![(2, vec![0, 1]), (0, vec![2])], false));
        assert_eq!(deal(&[0], 0, &authors[..1]), (vec![(0, vec![0])], true));
        assert_eq!(deal(&[0, 1], 1, &[(0, None), (1, None)]), (vec![(1, vec![0, 1])], false));
    }

    #[test]
    fn the_text_form_is_read_and_prose_is_not() {
        let terms = IdLists::default().with("positions", ["K3", "T9"]);
        let read = Rating::from_text("Both work.\n**K3:** 0.8\nT9: 0.55\nCONFIDENCE: 0.7", &terms).expect("a rating");
        assert_eq!((read.scores["K3"].score, read.scores["T9"].score, read.confidence), (0.8, 0.55, 0.7));
        assert_eq!(Rating::from_text("K3: about 0.8\nT9: 0.5\nCONFIDENCE: 0.7", &terms), None);
        assert_eq!(Rating::from_text("I would give K3 0.8 and T9 0.5.", &terms), None);
    }
}
