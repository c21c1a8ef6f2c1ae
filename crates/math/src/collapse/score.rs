//! The score of one card: evidence, risk, reversibility, cost, confidence and open violations, each with its weight.

/// How bad a risk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Low,
    Medium,
    High,
    Critical,
}

/// What a risk of each severity weighs before mitigation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Severities {
    pub critical: f64,
    pub high: f64,
    pub medium: f64,
    pub low: f64,
}

impl Default for Severities {
    fn default() -> Self {
        Self { critical: 1.0, high: 0.7, medium: 0.4, low: 0.1 }
    }
}

impl Severities {
    pub fn of(&self, severity: Severity) -> f64 {
        match severity {
            Severity::Critical => self.critical,
            Severity::High => self.high,
            Severity::Medium => self.medium,
            Severity::Low => self.low,
        }
    }
}

/// One risk as stated: what is left of it after mitigation, if that was said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreRisk {
    pub severity: Severity,
    pub residual: Option<f64>,
}

/// How several risks become one number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RiskCombination {
    /// The chance that at least one strikes: bounded, order-free, and adding a risk never lowers it.
    #[default]
    NoisyOr,
    Max,
    Mean,
    Sum,
}

/// Which reading of the formula's signs rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Signs {
    /// Reversible, cheap and confident are better.
    #[default]
    Intent,
    /// As once printed, with those three reversed.
    Literal,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    pub evidence: f64,
    pub risk: f64,
    pub reversibility: f64,
    pub cost: f64,
    pub confidence: f64,
    pub violation: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Self { evidence: 10.0, risk: 8.0, reversibility: 3.0, cost: 2.0, confidence: 1.0, violation: 10.0 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreRules {
    pub weights: Weights,
    pub severities: Severities,
    pub signs: Signs,
    pub combine: RiskCombination,
    /// Otherwise severity alone counts, and mitigation never pays.
    pub residual: bool,
    /// Otherwise a large cost drowns everything else.
    pub clamp_cost: bool,
}

impl Default for ScoreRules {
    fn default() -> Self {
        Self {
            weights: Weights::default(),
            severities: Severities::default(),
            signs: Signs::Intent,
            combine: RiskCombination::NoisyOr,
            residual: true,
            clamp_cost: true,
        }
    }
}

/// What a card's score is computed from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoreInput {
    /// Quality of each piece; a pointer that leads nowhere counts as 0.
    pub evidence: Vec<f64>,
    pub risks: Vec<ScoreRisk>,
    pub reversibility: f64,
    pub cost: u64,
    pub confidence: f64,
    /// Violations nobody has approved.
    pub open_violations: u32,
}

/// The terms of the formula.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScoreTerms {
    pub evidence: f64,
    pub risk: f64,
    pub reversibility: f64,
    pub cost: f64,
    pub confidence: f64,
    pub violations: f64,
}

impl ScoreTerms {
    pub const NAMES: [&'static str; 6] = ["evidence", "risk", "reversibility", "cost", "confidence", "violation"];

    pub fn of(card: &ScoreInput, rules: &ScoreRules) -> Self {
        let cost = if rules.clamp_cost { card.cost.min(100) } else { card.cost };
        Self {
            evidence: mean(&card.evidence),
            risk: risk(&card.risks, rules),
            reversibility: card.reversibility,
            cost: cost as f64 / 100.0,
            confidence: card.confidence,
            violations: f64::from(card.open_violations),
        }
    }
    pub fn values(&self) -> [f64; 6] {
        [self.evidence, self.risk, self.reversibility, self.cost, self.confidence, self.violations]
    }
}

/// A card's score with both readings and the share of each term in the ruling one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    pub terms: ScoreTerms,
    pub intent: f64,
    pub literal: f64,
    /// By the reading that rules.
    pub value: f64,
    /// Signed contribution of each term, in the order of [`ScoreTerms::NAMES`].
    pub parts: [f64; 6],
}

/// The sign of each term, in the order of [`ScoreTerms::NAMES`].
pub fn signs(signs: Signs) -> [f64; 6] {
    match signs {
        Signs::Intent => [1.0, -1.0, 1.0, -1.0, 1.0, -1.0],
        Signs::Literal => [1.0, -1.0, -1.0, 1.0, -1.0, -1.0],
    }
}

impl Weights {
    pub fn values(&self) -> [f64; 6] {
        [self.evidence, self.risk, self.reversibility, self.cost, self.confidence, self.violation]
    }
}

pub fn score(card: &ScoreInput, rules: &ScoreRules) -> Score {
    let terms = ScoreTerms::of(card, rules);
    let parts = |reading: Signs| {
        let (signs, weights, values) = (signs(reading), rules.weights.values(), terms.values());
        std::array::from_fn::<f64, 6, _>(|i| signs[i] * weights[i] * values[i])
    };
    let (intent, literal) = (parts(Signs::Intent), parts(Signs::Literal));
    let ruling = match rules.signs {
        Signs::Intent => intent,
        Signs::Literal => literal,
    };
    Score { terms, intent: intent.iter().sum(), literal: literal.iter().sum(), value: ruling.iter().sum(), parts: ruling }
}

/// 0 for an empty list: a card without evidence has no support.
fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

pub fn risk(risks: &[ScoreRisk], rules: &ScoreRules) -> f64 {
    let left = |risk: &ScoreRisk| if rules.residual { risk.residual.unwrap_or(1.0) } else { 1.0 };
    let sizes: Vec<f64> = risks.iter().map(|risk| rules.severities.of(risk.severity) * left(risk)).collect();
    match rules.combine {
        RiskCombination::NoisyOr => 1.0 - sizes.iter().map(|size| 1.0 - size).product::<f64>(),
        RiskCombination::Max => sizes.iter().copied().fold(0.0, f64::max),
        RiskCombination::Mean => mean(&sizes),
        RiskCombination::Sum => sizes.iter().sum(),
    }
}
