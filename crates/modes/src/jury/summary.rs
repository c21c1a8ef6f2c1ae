//! What the jurors' assessments come to: votes, averages, ranges. All computed, nothing asked.

use super::assessment::{Assessment, DIMENSIONS, Ruling};
use super::rows::{DimensionAnalysis, JurorRow, PerDimension, ScoreRange, ScoresRow, VotesRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::SeatReply;
use synod_math::jury::{self, Dimension};
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
    pub fn new(label: String, reply: SeatReply<Assessment>) -> Option<Self> {
        let scores = reply.value.scores.whole();
        let average = jury::average(&scores);
        let computed = average.map(Ruling::of_average);
        let vote = computed.or(reply.value.verdict)?;
        Some(Self { label, seat: reply.seat, key: reply.key, assessment: reply.value, scores, average, computed, vote })
    }

    /// The stated verdict, where the scores say otherwise.
    pub fn mismatch(&self) -> Option<Ruling> {
        self.assessment.verdict.filter(|stated| *stated != self.vote)
    }

    pub fn exhibit(&self) -> Exhibit {
        let data = JurorRow {
            label: self.label.clone(),
            scores: Some(self.scores.map(int).into()),
            average: self.average,
            verdict: self.assessment.verdict,
            computed_verdict: self.computed,
            vote: Some(self.vote),
            verdict_mismatch: Some(self.mismatch().is_some()),
            recommendations: self.assessment.recommendations.clone(),
            parse_success: true,
            error: None,
        };
        let rows = DIMENSIONS.iter().zip(self.scores).zip(self.assessment.because.whole());
        let card = Scorecard {
            scale: (1.0, 10.0),
            columns: vec![self.label.clone()],
            rows: rows
                .map(|((name, score), why)| ScoreRow { name: (*name).into(), cells: vec![score], note: why.to_owned(), ..ScoreRow::default() })
                .collect(),
            totals: vec![self.average],
            measure: "average of the scores given".into(),
            ..Scorecard::default()
        };
        Exhibit::new(format!("Juror {}", self.label), Shape::Scorecard(card))
            .part("Stated verdict", self.assessment.verdict.map_or("", Ruling::as_str))
            .part("What decides it", &self.assessment.reasons)
            .list("Recommendations", &self.assessment.recommendations)
            .turn(&self.key)
            .data(&data)
    }

    /// What the juror would have done instead, by how much, and why.
    pub fn dissent(&self) -> Dissent {
        let average = self.average.map(|average| format!(" at {average} of 10")).unwrap_or_default();
        let text = format!("{}{average}: {}", self.vote.as_str(), self.assessment.reasons.trim());
        Dissent { seat: Some(self.seat), label: Some(self.label.clone()), text }
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
    fn all(self) -> u32 {
        self.approve + self.revise + self.reject
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
    pub dimensions: [Dimension; 5],
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
            dimensions: std::array::from_fn(|at| jury::dimension(&column(at))),
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

    /// The verdict and the votes behind it.
    pub fn sentence(&self) -> String {
        let (verdict, votes, all) = (self.verdict.as_str(), self.votes.of_ruling(self.verdict), self.votes.all());
        let others = Ruling::ALL.into_iter().filter(|ruling| *ruling != self.verdict && self.votes.of_ruling(*ruling) > 0);
        let others: String = others.map(|ruling| format!(", {} {}", self.votes.of_ruling(ruling), ruling.as_str())).collect();
        let rule = if self.tied { "; the tie was settled towards caution" } else { "" };
        let average = self.average.map(|average| format!("; {average} of 10 on average")).unwrap_or_default();
        format!("{verdict} by {votes} of {all} jurors{others}{rule}{average}.")
    }

    pub fn scores_exhibit(&self) -> Exhibit {
        let range = |dimension: &Dimension| Some(ScoreRange { min: int(dimension.min)?, max: int(dimension.max)? });
        let data = ScoresRow {
            juror_count: self.asked,
            successful_jurors: self.jurors.len(),
            majority_verdict: self.verdict,
            tied: self.tied,
            vote_tally: self.votes,
            stated_tally: self.stated,
            average_score: self.average,
            dimension_averages: PerDimension::from(self.dimensions.each_ref().map(|dimension| dimension.average)),
            dimension_ranges: PerDimension::from(self.dimensions.each_ref().map(range)),
        };
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
            of: String::new(),
        };
        Exhibit::new("The jury's scores", Shape::Scorecard(card)).data(&data)
    }

    pub fn votes_exhibit(&self) -> Exhibit {
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
        let data = VotesRow { verdict: self.verdict, tied: self.tied, vote_tally: self.votes, stated_tally: self.stated };
        Exhibit::new("The jury's vote", Shape::Distribution(shape)).data(&data)
    }

    /// The rows of the report's table.
    pub fn analysis(&self) -> Vec<DimensionAnalysis> {
        let analysis = |(name, dimension): (&&'static str, &Dimension)| DimensionAnalysis {
            dimension: name,
            avg_score: dimension.average,
            min_score: int(dimension.min),
            max_score: int(dimension.max),
            consensus: dimension.consensus.map(|consensus| consensus.as_str()),
        };
        DIMENSIONS.iter().zip(&self.dimensions).map(analysis).collect()
    }
}
