//! Rating: each part of the panel is played by a seat that rates every position but its own; where it wrote one, another seat gives a second
//! evaluation. An evaluation is always one seat's.

use super::brief::brief;
use crate::attendance;
use crate::collapse::cards::excerpt::excerpts;
use crate::collapse::cards::records::{Concern, Evaluation, PanelSeat};
use crate::collapse::cards::text;
use crate::collapse::rounds::docket::Docket;
use crate::collapse::rounds::position::StandingDoubt;
use crate::collapse::rows::RatingRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use synod_engine::{Answers, Bench, IdLists, Prompt, Result, SeatFailure, SeatReply, TypedReply, prompt};
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

/// Why the panel sits: in a sentence, and by the name of the conflict.
#[derive(Clone, Copy, Debug)]
pub struct Sitting<'a> {
    pub why: &'a str,
    pub conflict: &'a str,
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
    pub concerns: Vec<RatedConcern>,
    /// How sure you are of this rating, from 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub confidence: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RatedConcern {
    pub concern: String,
    /// What on a card settles it, or what would; empty if you know nothing.
    pub resolution: String,
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

/// One evaluation, and the seat that made it; `None` for one that was recorded.
#[derive(Clone, Debug)]
pub struct SeatEvaluation {
    pub seat: Option<SeatIx>,
    pub evaluation: Evaluation,
}

/// The evaluations that came.
#[derive(Clone, Debug, Default)]
pub struct Ratings {
    /// Each of one seat, whole for what it may rate.
    pub ratings: Vec<SeatEvaluation>,
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

/// Which seats rate which positions in one part: the seat whose turn it is rates all but its own; if that leaves any, the next seat gives a second
/// evaluation of all but its own. True if a seat has to rate its own, because there is no other.
fn deal(seats: &[SeatIx], first: usize, authors: &[(usize, Option<SeatIx>)]) -> (Vec<(SeatIx, Vec<usize>)>, bool) {
    let round: Vec<SeatIx> = (0..seats.len()).map(|step| seats[(first + step) % seats.len()]).collect();
    let mut left: Vec<usize> = authors.iter().map(|(position, _)| *position).collect();
    let mut groups = Vec::new();
    for seat in &round {
        let list: Vec<usize> = authors.iter().filter(|(_, author)| author != &Some(*seat)).map(|(position, _)| *position).collect();
        if left.iter().any(|position| list.contains(position)) {
            left.retain(|position| !list.contains(position));
            groups.push((*seat, list));
        }
    }
    let own = !left.is_empty();
    if let (true, Some(seat)) = (own, round.first()) {
        match groups.iter_mut().find(|(known, _)| known == seat) {
            Some((_, list)) => list.extend(left),
            None => groups.push((*seat, left)),
        }
    }
    (groups, own)
}

/// Every part rates these positions, all of them side by side. A part whose seat fails is played once more by others.
pub async fn rate(bench: &Bench, docket: &Docket, parts: &[Part], positions: &[usize], sitting: Sitting<'_>) -> Result<Ratings> {
    let mut out = Ratings::default();
    if docket.seats.is_empty() {
        return Ok(out);
    }
    let orders = synod_math::orders(bench.seed("orders"), &vec![None; parts.len()], positions.len());
    let items = parts.iter().enumerate().map(|(at, part)| (part.name(), (at, part)));
    let results = bench
        .all(items, |bench, (at, part)| {
            let order: Vec<usize> = orders[at].iter().map(|item| positions[*item]).collect();
            async move { play(&bench, docket, part, at, &order, sitting).await }
        })
        .await?;
    for (part, PartResult { ratings, own, closed, exhibits }) in parts.iter().zip(results) {
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
        out.ratings.extend(ratings);
    }
    Ok(out)
}

/// What one part gave.
struct PartResult {
    ratings: Vec<SeatEvaluation>,
    own: bool,
    closed: bool,
    /// Each with the scope it is shown in.
    exhibits: Vec<(&'static str, Exhibit)>,
}

async fn play(bench: &Bench, docket: &Docket, part: &Part, at: usize, order: &[usize], sitting: Sitting<'_>) -> Result<PartResult> {
    let authors: Vec<(usize, Option<SeatIx>)> = order.iter().map(|position| (*position, docket.positions[*position].author)).collect();
    let (groups, mut own) = deal(&docket.seats, at % docket.seats.len(), &authors);
    let mut answers = ask(bench, docket, part, &groups, sitting, false).await?;
    let mut shown = exhibits("", part, &answers);
    let mut closed = answers.closed();
    let rated = |replies: &[SeatReply<Rating>], position: &usize| {
        replies.iter().any(|reply| reply.value.scores.contains_key(docket.positions[*position].id()))
    };
    if !answers.failures.is_empty() && !closed {
        let failed: Vec<SeatIx> = answers.failures.iter().map(|failure| failure.seat).collect();
        let left: Vec<SeatIx> = docket.seats.iter().copied().filter(|seat| !failed.contains(seat)).collect();
        let seats = if left.is_empty() { docket.seats.clone() } else { left };
        let open: Vec<(usize, Option<SeatIx>)> = authors.iter().copied().filter(|(position, _)| !rated(&answers.replies, position)).collect();
        // Whoever stands in rates all it may, so that what it says of one position can be set against the others.
        let wanted = if open.is_empty() { &[][..] } else { authors.as_slice() };
        let (groups, forced) = deal(&seats, at % seats.len(), wanted);
        let spoke: Vec<SeatIx> = answers.replies.iter().map(|reply| reply.seat).collect();
        let is_open = |position: &usize| open.iter().any(|(left, _)| left == position);
        let groups: Vec<(SeatIx, Vec<usize>)> = groups
            .into_iter()
            .map(|(seat, list)| if spoke.contains(&seat) { (seat, list.into_iter().filter(is_open).collect()) } else { (seat, list) })
            .filter(|(_, list)| list.iter().any(is_open))
            .collect();
        let more = ask(&bench.at("again"), docket, part, &groups, sitting, true).await?;
        shown.extend(exhibits("again", part, &more));
        own |= forced;
        closed |= more.closed();
        answers.replies.extend(more.replies);
    }
    let ratings = answers.replies.iter().map(|reply| SeatEvaluation { seat: Some(reply.seat), evaluation: evaluation(part, &reply.value) }).collect();
    Ok(PartResult { ratings, own, closed, exhibits: shown })
}

fn ask<'a>(
    bench: &'a Bench,
    docket: &'a Docket,
    part: &'a Part,
    groups: &'a [(SeatIx, Vec<usize>)],
    sitting: Sitting<'a>,
    extra: bool,
) -> impl Future<Output = Result<Answers<Rating>>> + Send + use<> {
    let seats: Vec<SeatIx> = groups.iter().map(|(seat, _)| *seat).collect();
    bench.ask_each(&seats, &|seat| {
        let positions: &[usize] = groups.iter().find(|(taken, _)| *taken == seat).map_or(&[], |(_, list)| list.as_slice());
        let ask = prompt_for(bench, docket, part, positions, sitting);
        if extra { ask.extra() } else { ask }
    })
}

fn prompt_for(bench: &Bench, docket: &Docket, part: &Part, positions: &[usize], sitting: Sitting<'_>) -> Prompt {
    let options = &docket.options;
    let cards: Vec<_> = positions
        .iter()
        .map(|at| {
            let position = &docket.positions[*at];
            let doubts: Vec<String> = position.doubts.iter().map(StandingDoubt::text).collect();
            json!({
                "id": position.id(), "text": text::card_text(&position.card), "evidence": excerpts(&position.card, bench.question()),
                "receipt": position.findings, "doubts": doubts, "concerns": position.concerns,
            })
        })
        .collect();
    let ids: Vec<String> = positions.iter().map(|at| docket.positions[*at].id().to_owned()).collect();
    let remembers = part.seat == PanelSeat::CollectiveIntelligence;
    let experience = if remembers { options.experience.as_slice() } else { &[] };
    prompt!("rate", part = part.name().replace('_', " "), brief = brief(part.seat), cards, experience, remembers)
        .set("why", sitting.why)
        .set("conflict", sitting.conflict.replace('_', " "))
        .set("revisions", docket.attempts)
        .set("constraints", &options.constraints)
        .set("invariants", &options.invariants)
        .set("regulations", &options.regulations)
        .ids("positions", ids)
}

fn exhibits(scope: &'static str, part: &Part, answers: &Answers<Rating>) -> Vec<(&'static str, Exhibit)> {
    let role = part.seat.as_str();
    let title = format!("Rating by the {}", part.name().replace('_', " "));
    let one = |reply: &SeatReply<Rating>| {
        let Rating { reasons, scores, concerns, confidence } = &reply.value;
        let rows = scores.iter().map(|(id, rating)| ScoreRow {
            name: id.clone(),
            cells: vec![Some(rating.score)],
            note: rating.why.trim().to_owned(),
            ..ScoreRow::default()
        });
        let measure = format!("confidence {confidence}");
        let shape =
            Scorecard { scale: (0.0, 1.0), columns: vec![part.name()], of: "Position".into(), rows: rows.collect(), measure, ..Scorecard::default() };
        let row = RatingRow {
            agent: part.seat,
            member: part.member.clone(),
            reasons: reasons.trim().to_owned(),
            position_scores: scores.iter().map(|(id, rating)| (id.clone(), rating.score)).collect(),
            concerns: concerns.iter().map(Concern::from).collect(),
            confidence: Some(*confidence),
            error: None,
        };
        let told = concerns.iter().map(|each| match each.resolution.trim() {
            "" => each.concern.trim().to_owned(),
            answer => format!("{} Resolution: {answer}", each.concern.trim()),
        });
        let exhibit = Exhibit::new(title.as_str(), Shape::Scorecard(shape));
        let exhibit = exhibit.part("Reasons", reasons).list("Concerns", told);
        (scope, exhibit.by(reply.seat, role).turn(&reply.key).data(&row))
    };
    let absent = |failed: &SeatFailure| {
        let row = RatingRow {
            agent: part.seat,
            member: part.member.clone(),
            reasons: String::new(),
            position_scores: BTreeMap::new(),
            concerns: Vec::new(),
            confidence: None,
            error: Some(failed.failure.to_string()),
        };
        (scope, attendance::failure(title.as_str(), &role.replace('_', " "), failed).by(failed.seat, role).data(&row))
    };
    answers.replies.iter().map(one).chain(answers.failures.iter().map(absent)).collect()
}

impl From<&RatedConcern> for Concern {
    fn from(rated: &RatedConcern) -> Self {
        Self { concern: rated.concern.trim().to_owned(), resolution: rated.resolution.trim().to_owned() }
    }
}

/// What one seat replied in a part, as an evaluation: it recommends what it scores highest.
fn evaluation(part: &Part, rating: &Rating) -> Evaluation {
    let position_scores: BTreeMap<String, f64> = rating.scores.iter().map(|(id, rated)| (id.clone(), rated.score.clamp(0.0, 1.0))).collect();
    let best = position_scores.iter().fold(None, |best: Option<(&String, f64)>, (id, score)| match best {
        Some((_, top)) if top >= *score => best,
        _ => Some((id, *score)),
    });
    Evaluation {
        agent: part.seat,
        member: part.member.clone(),
        recommendation: best.map(|(id, _)| id.clone()),
        rationale: rating.scores.iter().map(|(id, rated)| (id.clone(), rated.why.trim().to_owned())).collect(),
        concerns: rating.concerns.iter().map(Concern::from).collect(),
        confidence: rating.confidence,
        position_scores,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_of_its_own_goes_to_the_next_seat() {
        let authors = [(0, Some(0)), (1, Some(1)), (2, Some(2))];
        assert_eq!(deal(&[0, 1, 2], 0, &authors), (vec![(0, vec![1, 2]), (1, vec![0, 2])], false));
        assert_eq!(deal(&[0, 1, 2], 2, &authors), (vec![(2, vec![0, 1]), (0, vec![1, 2])], false));
        assert_eq!(deal(&[0, 1, 2], 0, &authors[1..]), (vec![(0, vec![1, 2])], false), "one evaluation where one seat may rate them all");
        assert_eq!(deal(&[0], 0, &authors[..1]), (vec![(0, vec![0])], true));
        assert_eq!(deal(&[0], 0, &[(0, Some(0)), (1, None)]), (vec![(0, vec![1, 0])], true));
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
