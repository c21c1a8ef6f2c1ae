//! One specialist: the role it played, what it reported, and how it rated before and after reading the others.

use super::report::{BEST, FINDINGS, RECOMMENDATIONS, Report, WORST, on_scale};
use super::review::Changed;
use super::roles::Role;
use serde_json::{Value, json};
use synod_engine::SeatReply;
use synod_math::rounding::{mean, round};
use synod_types::{Exhibit, ScoreRow, Scorecard, SeatIx, Shape};

#[derive(Clone, Debug)]
pub struct Specialist {
    /// Its place in the list of roles, from 1: finding S2.3 is the third of the second role's, whoever else fell silent.
    pub number: usize,
    pub seat: SeatIx,
    pub key: String,
    pub role: Role,
    pub report: Report,
    /// Ratings it took back in the cross-review.
    pub changes: Vec<Changed>,
}

/// The mean of the ratings that were given, to a tenth. Of none it is none, never 0.
pub fn average(ratings: impl IntoIterator<Item = Option<f64>>) -> Option<f64> {
    mean(&ratings.into_iter().flatten().collect::<Vec<_>>()).map(|mean| round(mean, 1))
}

/// One criterion with the score first given and the one that stands.
pub struct Scored<'a> {
    pub criterion: &'a str,
    pub first: Option<f64>,
    pub now: Option<f64>,
    pub notes: &'a str,
    /// Why it was changed.
    pub why: Option<&'a str>,
}

impl Specialist {
    /// The specialist, and how many of its findings are too many to count.
    pub fn new(number: usize, role: Role, given: &SeatReply<Report>) -> (Self, usize) {
        let mut report = given.value.clone();
        let dropped = report.findings.len().saturating_sub(FINDINGS);
        report.findings.truncate(FINDINGS);
        report.recommendations.truncate(RECOMMENDATIONS);
        for rating in &mut report.ratings {
            rating.score = rating.score.and_then(on_scale);
        }
        (Self { number, seat: given.seat, key: given.key.clone(), role, report, changes: Vec::new() }, dropped)
    }

    /// Findings under the ids by which everybody cites them.
    pub fn findings(&self) -> impl Iterator<Item = (String, &str)> {
        (1..).zip(&self.report.findings).map(|(k, text): (usize, _)| (format!("S{}.{k}", self.number), text.as_str()))
    }

    pub fn scored(&self) -> Vec<Scored<'_>> {
        let rated = self.report.ratings_of(&self.role).into_iter();
        rated
            .map(|(criterion, rating)| {
                let first = rating.and_then(|rating| rating.score);
                let change = self.changes.iter().find(|change| change.criterion == criterion && Some(change.score) != first);
                let now = change.map(|change| change.score).or(first);
                Scored { criterion, first, now, notes: rating.map_or("", |rating| &rating.notes), why: change.map(|change| change.why.as_str()) }
            })
            .collect()
    }

    /// The mean of the ratings that stand.
    pub fn average(&self) -> Option<f64> {
        average(self.scored().iter().map(|scored| scored.now))
    }

    pub fn exhibit(&self) -> Exhibit {
        let scored = self.scored();
        let average = average(scored.iter().map(|scored| scored.first));
        let given = scored.iter().filter(|scored| scored.first.is_some()).count();
        let rows = scored.iter().map(|scored| ScoreRow {
            name: scored.criterion.to_owned(),
            cells: vec![scored.first],
            note: scored.notes.to_owned(),
            ..ScoreRow::default()
        });
        let shape = Scorecard {
            scale: (WORST, BEST),
            columns: vec![self.role.title.clone()],
            rows: rows.collect(),
            totals: vec![average],
            overall: None,
            measure: "mean of the rated criteria, 5 is best".into(),
        };
        let scores: Vec<Value> =
            scored.iter().map(|scored| json!({"criterion": scored.criterion, "score": scored.first, "notes": scored.notes})).collect();
        let findings: Vec<Value> = self.findings().map(|(id, text)| json!({"id": id, "text": text})).collect();
        let data = json!({
            "roleId": self.role.id, "roleTitle": self.role.title, "criteriaScores": scores, "topRecommendations": self.report.recommendations,
            "keyFindings": findings, "averageScore": average, "parsedCriteria": given, "totalCriteria": scored.len(),
        });
        let title = format!("{} report", self.role.title);
        Exhibit::new(title, Shape::Scorecard(shape)).by(self.seat, &self.role.id).turn(&self.key).data(&data)
    }

    /// Ratings as lines, changes marked.
    pub fn ratings(&self) -> String {
        let line = |scored: &Scored| {
            let stands = scored.now.map_or("not rated".to_owned(), |score| score.to_string());
            let was = scored.why.map(|why| match scored.first {
                Some(first) => format!("; was {first} before the cross-review: {why}"),
                None => format!("; not rated before the cross-review: {why}"),
            });
            let notes = if scored.notes.is_empty() { String::new() } else { format!(" ({})", scored.notes) };
            format!("- {}: {stands}{notes}{}", scored.criterion, was.unwrap_or_default())
        };
        self.scored().iter().map(line).collect::<Vec<_>>().join("\n")
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
