//! What a work is graded by: five rubrics of our own, or one the user gives.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use synod_types::Problem;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewType {
    #[default]
    ArchitectureReview,
    CodeReview,
    DesignSpecReview,
    ComplianceAudit,
    BusinessPlanReview,
    Custom,
}

/// A named set of weighted criteria.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rubric {
    /// At least 3 characters.
    #[schemars(length(min = 3))]
    pub name: String,
    /// What it is for, in at least 10 characters.
    #[schemars(length(min = 10))]
    pub description: String,
    /// 3 to 10 of them.
    #[schemars(length(min = 3, max = 10))]
    pub criteria: Vec<Criterion>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Criterion {
    /// At least 2 characters, and no other criterion's.
    #[schemars(length(min = 2))]
    pub name: String,
    /// What a reviewer is to look for, in at least 10 characters.
    #[schemars(length(min = 10))]
    pub description: String,
    /// From 1 to 5.
    #[schemars(range(min = 1, max = 5))]
    pub weight: f64,
}

impl Rubric {
    pub fn of(kind: ReviewType, custom: Option<&Self>) -> Self {
        match kind {
            ReviewType::ArchitectureReview => built_in("Architecture review", "A system's structure, and how it will fare in use.", ARCHITECTURE),
            ReviewType::CodeReview => built_in("Code review", "Source code, as it would be merged.", CODE),
            ReviewType::DesignSpecReview => built_in("Design review", "A design on paper, before anything is built.", DESIGN),
            ReviewType::ComplianceAudit => built_in("Compliance audit", "Material that has to meet rules set by others.", COMPLIANCE),
            ReviewType::BusinessPlanReview => built_in("Business plan review", "A plan that asks for money or consent.", BUSINESS),
            ReviewType::Custom => custom.cloned().unwrap_or_default(),
        }
    }

    pub fn names(&self) -> Vec<String> {
        self.criteria.iter().map(|criterion| criterion.name.clone()).collect()
    }

    pub fn weights(&self) -> Vec<f64> {
        self.criteria.iter().map(|criterion| criterion.weight).collect()
    }

    /// Everything wrong with a rubric the user gave. Its schema says most of it too, but counts blanks as characters and knows no names twice.
    pub fn check(&self, field: &str) -> Vec<Problem> {
        let mut problems = Vec::new();
        let short = |field: String, text: &str, least: usize, problems: &mut Vec<Problem>| {
            if text.trim().chars().count() < least {
                problems.push(Problem::new(field, format!("{text:?}"), format!("at least {least} characters")));
            }
        };
        short(format!("{field}.name"), &self.name, 3, &mut problems);
        short(format!("{field}.description"), &self.description, 10, &mut problems);
        if !(3..=10).contains(&self.criteria.len()) {
            problems.push(Problem::new(format!("{field}.criteria"), format!("{} criteria", self.criteria.len()), "3 to 10 criteria"));
        }
        let mut seen = BTreeSet::new();
        for (i, criterion) in self.criteria.iter().enumerate() {
            let at = format!("{field}.criteria[{i}]");
            short(format!("{at}.name"), &criterion.name, 2, &mut problems);
            short(format!("{at}.description"), &criterion.description, 10, &mut problems);
            if !(1.0..=5.0).contains(&criterion.weight) {
                problems.push(Problem::new(format!("{at}.weight"), criterion.weight.to_string(), "a number from 1 to 5"));
            }
            if !seen.insert(criterion.name.trim().to_lowercase()) {
                problems.push(Problem::new(format!("{at}.name"), format!("{:?} again", criterion.name), "a name of its own for each criterion"));
            }
        }
        problems
    }
}

type Row = (&'static str, f64, &'static str);

fn built_in(name: &str, description: &str, rows: &[Row]) -> Rubric {
    let criteria =
        rows.iter().map(|(name, weight, look_for)| Criterion { name: (*name).to_owned(), description: (*look_for).to_owned(), weight: *weight });
    Rubric { name: name.to_owned(), description: description.to_owned(), criteria: criteria.collect() }
}

const ARCHITECTURE: &[Row] = &[
    ("Scalability", 5.0, "Ten times the load is met by adding capacity, not by a new design; the first bottleneck is known."),
    ("Security", 5.0, "Who may do what is decided and enforced; secrets, data at rest and in transit, and inputs are protected."),
    ("Maintainability", 4.0, "Parts can be understood, tested and replaced one at a time."),
    ("Cost Efficiency", 3.0, "What it costs to build and run is known and in proportion to its use."),
    ("Reliability", 4.0, "Single failures are survived, noticed and recovered from; nothing is lost silently."),
    ("Performance", 3.0, "Targets for delay and throughput are stated, and the design meets them."),
];

const CODE: &[Row] = &[
    ("Correctness", 5.0, "It does what it should, in the unusual cases too."),
    ("Readability", 4.0, "A newcomer sees what it does and why from names, order and structure."),
    ("Security", 5.0, "Input is checked, rights are enforced, and nothing secret leaks."),
    ("Performance", 3.0, "Time and memory fit the data it will meet."),
    ("Test Coverage", 4.0, "What could break is tested, and the tests would fail if it did."),
    ("Error Handling", 4.0, "Failures are caught where something can be done about them, and told plainly."),
];

const DESIGN: &[Row] = &[
    ("Completeness", 5.0, "Every case a builder would ask about is settled, or named as open."),
    ("Feasibility", 4.0, "It can be built with the people, time and technology at hand."),
    ("User Impact", 4.0, "It is clear who is better off, who is worse off, and how anybody would know."),
    ("Technical Accuracy", 5.0, "What it says about systems, interfaces and limits is true."),
    ("Risk Assessment", 3.0, "What can go wrong is named with its likelihood, its cost and an answer."),
];

const COMPLIANCE: &[Row] = &[
    ("Regulatory Coverage", 5.0, "Every rule that applies is identified and addressed."),
    ("Gap Identification", 5.0, "Where practice falls short of a rule is said openly and exactly."),
    ("Evidence Quality", 4.0, "Each claim points to something an auditor could check."),
    ("Control Effectiveness", 4.0, "The controls would prevent or reveal what they are meant to, in practice."),
];

const BUSINESS: &[Row] = &[
    ("Market Analysis", 4.0, "Size, customers and rivals are described from sources rather than hopes."),
    ("Financial Viability", 5.0, "Income, costs and cash add up, also when the assumptions are worse."),
    ("Competitive Advantage", 4.0, "There is a reason customers would choose this, and one why it lasts."),
    ("Risk Assessment", 4.0, "What could sink the plan is named, weighed and answered."),
    ("Execution Plan", 3.0, "Steps, dates and people are concrete enough to be held to."),
];
