//! One specialist: the role it played, what it reported, and how it rated before and after reading the others.

use super::cross_review::RatingChange;
use super::report::{BEST, FINDINGS, RECOMMENDATIONS, Report, WORST, on_scale};
use super::roles::Role;
use super::rows::{CriterionScore, KeyFinding, ReportRow};
use synod_engine::SeatReply;
use synod_math::rounding::{mean, round};
use synod_types::{Exhibit, ScoreRow, Scorecard, SeatIx, Shape};

#[derive(Clone, Debug)]
pub struct Specialist {
    /// Its place in the list of roles, from 1, even where other roles failed: finding S2.3 is the second role's third.
    pub number: usize,
    pub seat: SeatIx,
    pub key: String,
    pub role: Role,
    pub report: Report,
    /// Ratings it took back in the cross-review.
    pub changes: Vec<RatingChange>,
}

/// The mean of the ratings that were given, to a tenth; `None` where there is none.
pub fn average(ratings: impl IntoIterator<Item = Option<f64>>) -> Option<f64> {
    mean(&ratings.into_iter().flatten().collect::<Vec<_>>()).map(|mean| round(mean, 1))
}

/// One criterion with the score first given and the one that stands.
pub struct CriterionRating<'a> {
    pub criterion: &'a str,
    pub first: Option<f64>,
    pub now: Option<f64>,
    pub notes: &'a str,
    /// Why it was changed.
    pub why: Option<&'a str>,
}

impl Specialist {
    /// The specialist, and how many of its findings are left out because they are too many.
    pub fn new(number: usize, role: Role, reply: &SeatReply<Report>) -> (Self, usize) {
        let mut report = reply.value.clone();
        let dropped = report.findings.len().saturating_sub(FINDINGS);
        report.findings.truncate(FINDINGS);
        report.recommendations.truncate(RECOMMENDATIONS);
        for rating in &mut report.ratings {
            rating.score = rating.score.and_then(on_scale);
        }
        (Self { number, seat: reply.seat, key: reply.key.clone(), role, report, changes: Vec::new() }, dropped)
    }

    /// Findings under the ids by which everybody cites them.
    pub fn findings(&self) -> impl Iterator<Item = (String, &str)> {
        (1..).zip(&self.report.findings).map(|(k, text): (usize, _)| (format!("S{}.{k}", self.number), text.as_str()))
    }

    pub fn criterion_ratings(&self) -> Vec<CriterionRating<'_>> {
        let rated = self.report.ratings_of(&self.role).into_iter();
        rated
            .map(|(criterion, rating)| {
                let first = rating.and_then(|rating| rating.score);
                let change = self.changes.iter().find(|change| change.criterion == criterion && Some(change.score) != first);
                let now = change.map(|change| change.score).or(first);
                CriterionRating {
                    criterion,
                    first,
                    now,
                    notes: rating.map_or("", |rating| &rating.notes),
                    why: change.map(|change| change.why.as_str()),
                }
            })
            .collect()
    }

    /// The mean of the ratings that stand.
    pub fn average(&self) -> Option<f64> {
        average(self.criterion_ratings().iter().map(|rating| rating.now))
    }

    pub fn exhibit(&self) -> Exhibit {
        let ratings = self.criterion_ratings();
        let average = average(ratings.iter().map(|rating| rating.first));
        let rated = ratings.iter().filter(|rating| rating.first.is_some()).count();
        let rows = ratings.iter().map(|rating| ScoreRow {
            name: rating.criterion.to_owned(),
            cells: vec![rating.first],
            note: rating.notes.to_owned(),
            ..ScoreRow::default()
        });
        let shape = Scorecard {
            scale: (WORST, BEST),
            columns: vec![self.role.title.clone()],
            rows: rows.collect(),
            totals: vec![average],
            overall: None,
            measure: "mean of the rated criteria, 5 is best".into(),
            of: String::new(),
        };
        let score =
            |rating: &CriterionRating| CriterionScore { criterion: rating.criterion.to_owned(), score: rating.first, notes: rating.notes.to_owned() };
        let data = ReportRow {
            role_id: self.role.id.clone(),
            role_title: self.role.title.clone(),
            criteria_scores: ratings.iter().map(score).collect(),
            top_recommendations: self.report.recommendations.clone(),
            key_findings: self.findings().map(|(id, text)| KeyFinding { id, text: text.to_owned() }).collect(),
            average_score: average,
            parsed_criteria: rated,
            total_criteria: ratings.len(),
            error: None,
        };
        let title = format!("{} report", self.role.title);
        Exhibit::new(title, Shape::Scorecard(shape))
            .part("What decides it", &self.report.reasons)
            .list("Findings", self.findings().map(|(id, text)| format!("{id} {text}")))
            .list("Recommendations", &self.report.recommendations)
            .part("Analysis", &self.report.analysis)
            .by(self.seat, &self.role.id)
            .turn(&self.key)
            .data(&data)
    }

    /// Ratings as lines, changes marked.
    pub fn ratings(&self) -> String {
        let line = |rating: &CriterionRating| {
            let stands = rating.now.map_or("not rated".to_owned(), |score| score.to_string());
            let was = rating.why.map(|why| match rating.first {
                Some(first) => format!("; was {first} before the cross-review: {why}"),
                None => format!("; not rated before the cross-review: {why}"),
            });
            let notes = if rating.notes.is_empty() { String::new() } else { format!(" ({})", rating.notes) };
            format!("- {}: {stands}{notes}{}", rating.criterion, was.unwrap_or_default())
        };
        self.criterion_ratings().iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// The whole report as the synthesizer reads it.
    pub fn text(&self) -> String {
        let findings: Vec<String> = self.findings().map(|(id, text)| format!("{id} {text}")).collect();
        let advice: Vec<String> = (1..).zip(&self.report.recommendations).map(|(n, text): (usize, _)| format!("{n}. {text}")).collect();
        let parts = [
            ("Findings", findings.join("\n")),
            ("Ratings, 1 worst to 5 best", self.ratings()),
            ("Recommendations", advice.join("\n")),
            ("Analysis", self.report.analysis.clone()),
        ];
        let filled = parts.iter().filter(|(_, text)| !text.trim().is_empty());
        filled.map(|(name, text)| format!("{name}:\n{text}")).collect::<Vec<_>>().join("\n\n")
    }
}
