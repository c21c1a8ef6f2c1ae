//! One pair before its judges: in both orders, by a second judge where the orders differ, by a substitute where a judge fails.

use super::pick::Pick;
use crate::labelled::{self, Labelled};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{Bench, Result, SeatFailure, SeatReply, prompt};
use synod_types::{FailureKind, SeatIx};

/// What decided a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// One judge, the same word in both orders.
    Agreed,
    /// The first judge's word changed with the order; a second one's did not.
    SecondJudge,
    /// Neither judge's word held in both orders.
    Draw,
    /// Nobody could judge it.
    Void,
    /// There was no opponent.
    Bye,
}

impl How {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agreed => "agreed",
            Self::SecondJudge => "second_judge",
            Self::Draw => "draw",
            Self::Void => "void",
            Self::Bye => "bye",
        }
    }
    /// A judge's word stands behind it.
    pub fn judged(self) -> bool {
        match self {
            Self::Agreed | Self::SecondJudge => true,
            Self::Draw | Self::Void | Self::Bye => false,
        }
    }
}

/// One judge on one pair, in both orders.
pub struct Sitting {
    pub seat: SeatIx,
    pub ab: Result<SeatReply<Pick>, SeatFailure>,
    pub ba: Result<SeatReply<Pick>, SeatFailure>,
}

impl Sitting {
    fn both(&self) -> Option<(&str, &str)> {
        Some((&self.ab.as_ref().ok()?.value.winner, &self.ba.as_ref().ok()?.value.winner))
    }
    /// The label named in both orders.
    fn word(&self) -> Option<&str> {
        self.both().filter(|(ab, ba)| ab == ba).map(|(ab, _)| ab)
    }
    pub fn failed(&self) -> bool {
        self.both().is_none()
    }
    /// Not a word in either order.
    pub fn mute(&self) -> bool {
        self.ab.is_err() && self.ba.is_err()
    }
    fn closed(&self) -> bool {
        [&self.ab, &self.ba].iter().any(|order| order.as_ref().is_err_and(|missed| missed.failure.kind == FailureKind::Closed))
    }
    /// The turn shown for it.
    pub fn key(&self) -> &str {
        match &self.ab {
            Ok(given) => &given.key,
            Err(missed) => &missed.key,
        }
    }
    pub fn reasons(&self) -> Option<String> {
        let said: Vec<&str> = [&self.ab, &self.ba].into_iter().flatten().map(|given| given.value.reasons.as_str()).collect();
        (!said.is_empty()).then(|| said.join("\n\n"))
    }
}

/// What came of judging a pair.
pub struct Judged {
    /// In the order they sat.
    pub sittings: Vec<Sitting>,
    /// `None`: a draw, or void.
    pub winner: Option<String>,
    pub how: How,
}

impl Judged {
    pub fn closed(&self) -> bool {
        self.sittings.iter().any(Sitting::closed)
    }
}

/// Judges one after another until one's word holds in both orders. A judge whose word changes with the order is followed by one more; a judge
/// who fails is replaced. `replaced`: the first of them already stands in for another, so its turns come on top of the planned ones.
pub async fn judge(bench: &Bench, criteria: &[String], pair: [&Labelled; 2], judges: &[SeatIx], replaced: bool) -> Result<Judged> {
    let mut sittings: Vec<Sitting> = Vec::new();
    let mut extra = replaced;
    for (n, seat) in judges.iter().enumerate() {
        let bench = if n == 0 { bench.clone() } else { bench.at(format!("judge {}", n + 1)) };
        let sitting = sit(&bench, criteria, pair, *seat, extra).await?;
        let word = sitting.word().map(str::to_owned);
        let (failed, closed) = (sitting.failed(), sitting.closed());
        sittings.push(sitting);
        let heard = sittings.iter().filter(|sitting| !sitting.failed()).count();
        if let Some(winner) = word {
            let how = if heard > 1 { How::SecondJudge } else { How::Agreed };
            return Ok(Judged { sittings, winner: Some(winner), how });
        }
        if heard > 1 || closed {
            break;
        }
        extra = failed;
    }
    let how = if sittings.iter().all(Sitting::failed) { How::Void } else { How::Draw };
    Ok(Judged { sittings, winner: None, how })
}

/// Both orders side by side.
async fn sit(bench: &Bench, criteria: &[String], pair: [&Labelled; 2], seat: SeatIx, extra: bool) -> Result<Sitting> {
    let [a, b] = pair;
    let ask = |order: &str, pair: [&Labelled; 2]| {
        let ask = prompt!("judge", answers = labelled::for_prompt(&pair), criteria).ids("labels", labelled::names(&pair));
        bench.at(order).ask::<Pick>(seat, if extra { ask.extra() } else { ask })
    };
    let (ab, ba) = (ask("ab", [a, b]), ask("ba", [b, a]));
    let (ab, ba) = (ab.await, ba.await);
    Ok(Sitting { seat, ab: ab?, ba: ba? })
}
