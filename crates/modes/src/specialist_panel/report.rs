//! A specialist's report: as a form, as the classic text, and as rows of a role's own criteria.

use super::roles::Role;
use crate::text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{IdLists, TypedReply};

/// The scale of every rating: 5 is best.
pub const WORST: f64 = 1.0;
pub const BEST: f64 = 5.0;
/// What counts of each list; the rest stays in the specialist's own words.
pub const FINDINGS: usize = 8;
pub const RECOMMENDATIONS: usize = 3;

/// A score off the scale is none: it says nothing, and costs nothing else.
pub fn on_scale(score: f64) -> Option<f64> {
    Some(score).filter(|score| (WORST..=BEST).contains(score))
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// What decides the matter from where you stand, in at most 80 words.
    pub reasons: String,
    /// Three to eight findings, most important first, each at most 50 words that stand on their own.
    #[schemars(length(min = 1))]
    pub findings: Vec<String>,
    /// One entry for each of your criteria.
    #[schemars(extend("x-each" = "criteria"))]
    pub ratings: Vec<Rating>,
    /// At most three things to do, most important first.
    pub recommendations: Vec<String>,
    /// The analysis behind it, in 200 to 500 words.
    pub analysis: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rating {
    #[schemars(extend("x-ids" = "criteria"))]
    pub criterion: String,
    /// 1 is worst, 5 is best; null if the material does not let you tell.
    #[schemars(extend("x-range" = [1, 5]))]
    pub score: Option<f64>,
    /// What the score rests on, in a sentence.
    pub notes: String,
}

impl Report {
    /// The role's criteria in their order, each with its rating if one was given. The first word on a criterion stands.
    pub fn ratings_of<'a>(&'a self, role: &'a Role) -> Vec<(&'a str, Option<&'a Rating>)> {
        let given = |criterion: &str| self.ratings.iter().find(|rating| rating.criterion == criterion);
        role.criteria.iter().map(|criterion| (criterion.as_str(), given(criterion))).collect()
    }
}

impl TypedReply for Report {
    /// Headings for findings, a table of ratings, recommendations and the analysis. Without findings it is no report.
    fn from_text(text: &str, terms: &IdLists) -> Option<Self> {
        let under = |names: &[&str]| names.iter().find_map(|name| text::section(text, name));
        let findings = list(under(&["Key Findings", "Findings"])?);
        let ratings = under(&["Risk Assessment", "Ratings"]).map(|table| ratings(table, terms.list("criteria"))).unwrap_or_default();
        let recommendations = under(&["Top 3 Recommendations", "Top Recommendations", "Recommendations"]).map(list).unwrap_or_default();
        let analysis = under(&["Detailed Analysis", "Analysis"]).unwrap_or_default().to_owned();
        (!findings.is_empty()).then(|| Self { reasons: String::new(), findings, ratings, recommendations, analysis })
    }
}

/// The items under a heading. Sub-headings order them and belong to none.
fn list(section: &str) -> Vec<String> {
    let lines: Vec<&str> = section.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
    text::items(&lines.join("\n")).iter().map(|item| text::bare(item).to_owned()).collect()
}

/// Rows by the criterion's name; rows whose name is none of them by their place, if there is a row for every criterion.
fn ratings(table: &str, criteria: &[String]) -> Vec<Rating> {
    let rows: Vec<Vec<String>> = text::table_rows(table).into_iter().filter(|row| row.len() > 1 && !is_head(row)).collect();
    let named = |name: &str| criteria.iter().position(|criterion| criterion.eq_ignore_ascii_case(name));
    let by_name: Vec<Option<usize>> = rows.iter().map(|row| named(&row[0])).collect();
    let of_row = |at: usize| by_name[at].or_else(|| (rows.len() == criteria.len() && !by_name.contains(&Some(at))).then_some(at));
    let read = |(at, row): (usize, &Vec<String>)| {
        let score = text::score(&row[1], WORST, BEST);
        of_row(at).map(|place| Rating { criterion: criteria[place].clone(), score, notes: row[2..].join(" ") })
    };
    rows.iter().enumerate().filter_map(read).collect()
}

fn is_head(row: &[String]) -> bool {
    ["rating", "score"].iter().any(|word| row[1].to_lowercase().starts_with(word))
}
