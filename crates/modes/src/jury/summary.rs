//! What the jurors' assessments come to: votes, averages, ranges. All computed, nothing asked.

use super::assessment::{Assessment, DIMENSIONS, Ruling};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use synod_engine::SeatReply;
use synod_math::jury;
use synod_types::*;

/// One juror who could be read.
pub struct Juror {
    pub label: String,
    pub seat: SeatIx,
    pub key: String,
    pub assessment: Assessment,
    pub scores: [Option<f64>; 5],
    pub average: Option<f64>,
    /// What the juror's own average stands for.
    pub computed: Option<Ruling>,
    /// The computed verdict; the stated one of a juror who scored nothing.
    pub vote: Ruling,
}

impl Juror {
    /// `None` for an assessment that holds neither a score nor a verdict, which the form refuses.
    pub fn new(label: String, given: SeatReply<Assessment>) -> Option<Self> {
        let scores = given.value.scores.whole();
        let average = jury::average(&scores);
        let computed = average.map(Ruling::of_average);
        let vote = computed.or(given.value.verdict)?;
        Some(Self { label, seat: given.seat, key: given.key, assessment: given.value, scores, average, computed, vote })
    }

    /// The stated verdict, where the scores say otherwise.
    pub fn mismatch(&self) -> Option<Ruling> {
        self.assessment.verdict.filter(|stated| *stated != self.vote)
    }

    pub fn exhibit(&self) -> Exhibit {
        let scores: Map<String, Value> = DIMENSIONS.iter().zip(self.scores).map(|(name, score)| ((*name).to_owned(), json!(int(score)))).collect();
        let data = json!({
            "label": self.label, "scores": scores, "average": self.average, "verdict": self.assessment.verdict, "computedVerdict": self.computed,
            "vote": self.vote, "verdictMismatch": self.mismatch().is_some(), "recommendations": self.assessment.recommendations, "parseSuccess": true,
        });
        let rows = DIMENSIONS.iter().zip(self.scores);
        let card = Scorecard {
            scale: (1.0, 10.0),
            columns: vec![self.label.clone()],
            rows: rows.map(|(name, score)| ScoreRow { name: (*name).into(), cells: vec![score], ..ScoreRow::default() }).collect(),
            totals: vec![self.average],
            measure: "average of the scores given".into(),
            ..Scorecard::default()
        };
        Exhibit::new(format!("Juror {}", self.label), Shape::Scorecard(card)).turn(&self.key).data(&data)
    }
}

/// A whole score as a whole number.
fn int(score: Option<f64>) -> Option<i64> {
    score.map(|score| score as i64)
}

/// Votes by verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Votes {
    pub approve: u32,
    pub revise: u32,
    pub reject: u32,
}

impl Votes {
    fn of(votes: impl Iterator<Item = Ruling>) -> Self {
        let votes: Vec<usize> = votes.map(Ruling::index).collect();
        let [approve, revise, reject] = jury::tally(&votes);
        Self { approve, revise, reject }
    }
    pub fn of_ruling(self, ruling: Ruling) -> u32 {
        match ruling {
            Ruling::Approve => self.approve,
            Ruling::Revise => self.revise,
            Ruling::Reject => self.reject,
        }
    }
    pub fn plain(self) -> String {
        format!("{} to approve, {} to revise, {} to reject", self.approve, self.revise, self.reject)
    }
}

/// The jury as a whole.
pub struct Summary {
    /// Jurors asked, read or not.
    pub asked: usize,
    /// In seat order.
    pub jurors: Vec<Juror>,
    pub verdict: Ruling,
    /// The tie policy decided.
    pub tied: bool,
    pub votes: Votes,
    /// What the jurors said their verdicts were.
    pub stated: Votes,
    /// In the order of `DIMENSIONS`.
    pub dimensions: Vec<jury::Dimension>,
    /// Mean of the jurors' averages.
    pub average: Option<f64>,
}

impl Summary {
    /// `None` without a juror.
    pub fn of(asked: usize, jurors: Vec<Juror>) -> Option<Self> {
        let votes = Votes::of(jurors.iter().map(|juror| juror.vote));
        let majority = jury::majority([votes.approve, votes.revise, votes.reject])?;
        let column = |at: usize| jurors.iter().map(|juror| juror.scores[at]).collect::<Vec<_>>();
        let averages: Vec<Option<f64>> = jurors.iter().map(|juror| juror.average).collect();
        Some(Self {
            asked,
            verdict: Ruling::ALL[majority.verdict],
            tied: majority.tied,
            votes,
            stated: Votes::of(jurors.iter().filter_map(|juror| juror.assessment.verdict)),
            dimensions: (0..DIMENSIONS.len()).map(|at| jury::dimension(&column(at))).collect(),
            average: jury::average(&averages),
            jurors,
        })
    }

    /// As readers see the jurors: by label, which says nothing of their seats.
    pub fn by_label(&self) -> Vec<&Juror> {
        let mut sorted: Vec<&Juror> = self.jurors.iter().collect();
        sorted.sort_by(|a, b| a.label.cmp(&b.label));
        sorted
    }

    pub fn scorecard(&self) -> Exhibit {
        let by_name = |value: &dyn Fn(&jury::Dimension) -> Value| -> Map<String, Value> {
            DIMENSIONS.iter().zip(&self.dimensions).map(|(name, row)| ((*name).to_owned(), value(row))).collect()
        };
        let data = json!({
            "jurorCount": self.asked, "successfulJurors": self.jurors.len(), "majorityVerdict": self.verdict, "tied": self.tied,
            "voteTally": self.votes, "statedTally": self.stated, "averageScore": self.average,
            "dimensionAverages": by_name(&|row| json!(row.average)),
            "dimensionRanges": by_name(&|row| row.min.zip(row.max).map_or(Value::Null, |(min, max)| json!({"min": min as i64, "max": max as i64}))),
        });
        let jurors = self.by_label();
        let row = |at: usize| ScoreRow {
            name: DIMENSIONS[at].into(),
            cells: jurors.iter().map(|juror| juror.scores[at]).collect(),
            summary: self.dimensions[at].average,
            note: self.dimensions[at].consensus.map(|consensus| consensus.as_str().to_owned()).unwrap_or_default(),
            weight: None,
        };
        let card = Scorecard {
            scale: (1.0, 10.0),
            columns: jurors.iter().map(|juror| format!("Juror {}", juror.label)).collect(),
            rows: (0..DIMENSIONS.len()).map(row).collect(),
            totals: jurors.iter().map(|juror| juror.average).collect(),
            overall: self.average,
            measure: "mean; agreement by the distance between lowest and highest".into(),
        };
        Exhibit::new("The jury's scores", Shape::Scorecard(card)).data(&data)
    }

    pub fn vote(&self) -> Exhibit {
        let point = |juror: &&Juror| Point {
            label: juror.label.clone(),
            seat: Some(juror.seat),
            value: juror.average,
            choice: juror.vote.as_str().into(),
            note: juror.mismatch().map(|stated| format!("stated {}", stated.as_str())).unwrap_or_default(),
        };
        let mut shares: Vec<(String, u32)> = Ruling::ALL.map(|ruling| (ruling.as_str().to_owned(), self.votes.of_ruling(ruling))).to_vec();
        shares.retain(|(_, votes)| *votes > 0);
        shares.sort_by_key(|(_, votes)| std::cmp::Reverse(*votes));
        let rule = if self.tied { "a tie, settled towards caution" } else { "most votes" };
        let measure = format!("{} by {rule}; a vote is what the juror's average stands for", self.verdict.as_str());
        let shape = Distribution { points: self.by_label().iter().map(point).collect(), shares, measure, ..Distribution::default() };
        let data = json!({"verdict": self.verdict, "tied": self.tied, "voteTally": self.votes, "statedTally": self.stated});
        Exhibit::new("The jury's vote", Shape::Distribution(shape)).data(&data)
    }

    /// The rows of the report's table.
    pub fn analysis(&self) -> Vec<Value> {
        let rows = DIMENSIONS.iter().zip(&self.dimensions);
        rows.map(|(name, row)| {
            let consensus = row.consensus.map(|consensus| consensus.as_str());
            json!({"dimension": name, "avgScore": row.average, "minScore": int(row.min), "maxScore": int(row.max), "consensus": consensus})
        })
        .collect()
    }
}
