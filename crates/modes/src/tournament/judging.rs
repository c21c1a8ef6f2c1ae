//! How one match is judged: in both orders, by a second judge where the orders differ, by a substitute where a judge fails.

use super::pick::Pick;
use crate::ballots::with_anchors;
use crate::labelled::{self, LabelledAnswer};
use synod_engine::{Bench, Result, SeatFailure, SeatReply, prompt};
use synod_types::{FailureKind, SeatIx, words};

words! {
    /// What decided a match.
    pub enum MatchEnding {
        /// One judge, the same word in both orders.
        Agreed = "agreed",
        /// The first judge's word changed with the order; a second one's did not.
        SecondJudge = "second_judge",
        /// Neither judge's word held in both orders.
        Draw = "draw",
        /// Nobody could judge it.
        Void = "void",
        /// There was no opponent.
        Bye = "bye",
    }
}

impl MatchEnding {
    /// Whether a judge's word decided it.
    pub fn by_judge(self) -> bool {
        match self {
            Self::Agreed | Self::SecondJudge => true,
            Self::Draw | Self::Void | Self::Bye => false,
        }
    }
    /// Whether somebody judged it, with whatever result.
    pub fn judged(self) -> bool {
        match self {
            Self::Agreed | Self::SecondJudge | Self::Draw => true,
            Self::Void | Self::Bye => false,
        }
    }
}

/// What one judge said of one pair, in both orders.
pub struct Judgement {
    pub seat: SeatIx,
    pub ab: Result<SeatReply<Pick>, SeatFailure>,
    pub ba: Result<SeatReply<Pick>, SeatFailure>,
}

impl Judgement {
    /// The labels named, if neither order failed.
    fn labels(&self) -> Option<(&str, &str)> {
        Some((&self.ab.as_ref().ok()?.value.winner, &self.ba.as_ref().ok()?.value.winner))
    }
    /// The label named in both orders.
    fn winner(&self) -> Option<&str> {
        self.labels().filter(|(ab, ba)| ab == ba).map(|(ab, _)| ab)
    }
    pub fn failed(&self) -> bool {
        self.labels().is_none()
    }
    pub fn failed_in_both(&self) -> bool {
        self.ab.is_err() && self.ba.is_err()
    }
    fn closed(&self) -> bool {
        [&self.ab, &self.ba].iter().any(|order| order.as_ref().is_err_and(|failure| failure.failure.kind == FailureKind::Closed))
    }
    /// The turn shown for it.
    pub fn key(&self) -> &str {
        match &self.ab {
            Ok(reply) => &reply.key,
            Err(failure) => &failure.key,
        }
    }
    /// What failed, in whichever order.
    pub fn failure(&self) -> Option<&SeatFailure> {
        self.ab.as_ref().err().or(self.ba.as_ref().err())
    }
    pub fn reasons(&self) -> Option<String> {
        let reasons: Vec<&str> = [&self.ab, &self.ba].into_iter().flatten().map(|reply| reply.value.reasons.as_str()).collect();
        (!reasons.is_empty()).then(|| reasons.join("\n\n"))
    }
}

/// What came of judging a pair.
pub struct MatchRuling {
    /// In the order the judges were asked.
    pub judgements: Vec<Judgement>,
    /// `None`: a draw, or void.
    pub winner: Option<String>,
    pub how: MatchEnding,
}

impl MatchRuling {
    pub fn closed(&self) -> bool {
        self.judgements.iter().any(Judgement::closed)
    }
}

/// Asks judges one after another until one names the same label in both orders. A judge whose word changes with the order is followed by one
/// more; a judge that fails is replaced. `replaced`: the first of them already stands in for another, so its turns come on top of the planned
/// ones.
pub async fn judge_match(bench: &Bench, criteria: &[String], pair: [&LabelledAnswer; 2], judges: &[SeatIx], replaced: bool) -> Result<MatchRuling> {
    let mut judgements: Vec<Judgement> = Vec::new();
    let mut extra = replaced;
    for (n, seat) in judges.iter().enumerate() {
        let bench = if n == 0 { bench.clone() } else { bench.at(format!("judge {}", n + 1)) };
        let judgement = judge_both_orders(&bench, criteria, pair, *seat, extra).await?;
        let winner = judgement.winner().map(str::to_owned);
        let (failed, closed) = (judgement.failed(), judgement.closed());
        judgements.push(judgement);
        let judged = judgements.iter().filter(|judgement| !judgement.failed()).count();
        if let Some(winner) = winner {
            let how = if judged > 1 { MatchEnding::SecondJudge } else { MatchEnding::Agreed };
            return Ok(MatchRuling { judgements, winner: Some(winner), how });
        }
        if judged > 1 || closed {
            break;
        }
        extra = failed;
    }
    let how = if judgements.iter().all(Judgement::failed) { MatchEnding::Void } else { MatchEnding::Draw };
    Ok(MatchRuling { judgements, winner: None, how })
}

/// Asks one judge in both orders at once.
async fn judge_both_orders(bench: &Bench, criteria: &[String], pair: [&LabelledAnswer; 2], seat: SeatIx, extra: bool) -> Result<Judgement> {
    let [a, b] = pair;
    let ask = |order: &str, pair: [&LabelledAnswer; 2]| {
        let ask = prompt!("judge", answers = labelled::for_prompt(&pair), criteria = with_anchors(criteria)).ids("labels", labelled::names(&pair));
        bench.at(order).ask::<Pick>(seat, if extra { ask.extra() } else { ask })
    };
    let (ab, ba) = (ask("ab", [a, b]), ask("ba", [b, a]));
    let (ab, ba) = (ab.await, ba.await);
    Ok(Judgement { seat, ab: ab?, ba: ba? })
}
