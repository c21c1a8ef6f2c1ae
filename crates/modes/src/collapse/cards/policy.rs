//! The policy of a decision: every weight and threshold, frozen into the run with it.

use super::records::PanelSeat;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_math::collapse::{converge, gates, panel, score};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    pub weights: Weights,
    pub severities: Severities,
    /// Whether reversible, cheap and confident count for a card (intent) or, as the formula was once printed, against it (literal).
    pub sign_mode: SignMode,
    /// How several risks become one number.
    pub risk_combine: RiskCombine,
    /// Whether what is left of a risk after mitigation counts, or its severity alone.
    pub risk_uses_residual: bool,
    /// Whether cost stops counting at 100.
    pub cost_clamp: bool,
    /// A card must score above this to be taken without a panel, and to be remembered.
    pub threshold: f64,
    /// A lead smaller than this calls the panel.
    #[schemars(range(min = 0))]
    pub consensus_gap_threshold: f64,
    /// Whether a small lead calls the panel always, or only below the threshold.
    pub gap_check: GapCheck,
    /// How often the authors may revise.
    #[schemars(range(min = 0, max = 3))]
    pub max_reflexions: u32,
    /// Whether a card that needs approval waits alone (position), or everything waits for it (deliberation).
    pub gate_scope: GateScope,
    /// Whether a trade-off between the two best cards calls the panel.
    pub panel_on_tradeoff: bool,
    /// By how much each must beat the other on something for that.
    #[schemars(range(min = 0, max = 1))]
    pub tradeoff_margin: f64,
    /// Experts further apart than this on a card disagree.
    #[schemars(range(min = 0, max = 1))]
    pub expert_range: f64,
    /// Evidence below this asks for more proof.
    #[schemars(range(min = 0, max = 1))]
    pub evidence_floor: f64,
    /// A score below this with the skeptic's risks added asks for mitigation.
    pub skeptic_floor: f64,
    /// Cost beyond so many times the estimate asks for something simpler.
    #[schemars(range(min = 1))]
    pub cost_overrun: f64,
    /// A critical risk with more than this left needs a mitigation and an approval.
    #[schemars(range(min = 0, max = 1))]
    pub critical_residual: f64,
    /// Below this a change can hardly be undone.
    #[schemars(range(min = 0, max = 1))]
    pub hardly_reversible: f64,
    /// The panel agrees from here on.
    #[schemars(range(min = 0, max = 1))]
    pub consensus: f64,
    /// Below this it does not agree on anything, and a person decides.
    #[schemars(range(min = 0, max = 1))]
    pub no_agreement: f64,
    /// A smaller lead than this on the panel is a near tie.
    #[schemars(range(min = 0, max = 1))]
    pub near_tie: f64,
    /// Whether a near tie without any agreement may still be merged.
    pub hybrid_below_050: bool,
    /// Seats of the panel that must have spoken, the verifier and risk_compliance among them.
    #[schemars(range(min = 1, max = 7))]
    pub quorum: u32,
    pub seat_weights: SeatWeights,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            weights: Weights::default(),
            severities: Severities::default(),
            sign_mode: SignMode::Intent,
            risk_combine: RiskCombine::NoisyOr,
            risk_uses_residual: true,
            cost_clamp: true,
            threshold: 6.0,
            consensus_gap_threshold: 2.0,
            gap_check: GapCheck::Always,
            max_reflexions: 3,
            gate_scope: GateScope::Position,
            panel_on_tradeoff: true,
            tradeoff_margin: 0.2,
            expert_range: 0.30,
            evidence_floor: 0.6,
            skeptic_floor: 3.0,
            cost_overrun: 2.0,
            critical_residual: 0.3,
            hardly_reversible: 0.3,
            consensus: 0.70,
            no_agreement: 0.50,
            near_tie: 0.10,
            hybrid_below_050: false,
            quorum: 4,
            seat_weights: SeatWeights::default(),
        }
    }
}

macro_rules! numbers {
    ($(#[$doc:meta])* $name:ident $range:tt { $($field:ident: $value:expr),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name { $(#[schemars(range $range)] pub $field: f64),* }
        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $value),* }
            }
        }
    };
}

numbers! {
    /// What each term of the score weighs.
    Weights (min = 0) { evidence: 10.0, risk: 8.0, reversibility: 3.0, cost: 2.0, confidence: 1.0, violation: 10.0 }
}
numbers! {
    /// What a risk of each severity weighs before mitigation, from 0 to 1: a share of the whole.
    Severities (min = 0, max = 1) { critical: 1.0, high: 0.7, medium: 0.4, low: 0.1 }
}
numbers! {
    /// What each seat of the panel weighs.
    SeatWeights (min = 0) {
        minimalist: 1.5, skeptic: 2.0, domain_expert: 1.8, verifier: 2.5, collective_intelligence: 1.3, risk_compliance: 2.2, user_value: 1.4,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SignMode {
    Intent,
    Literal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RiskCombine {
    NoisyOr,
    Max,
    Mean,
    Sum,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GapCheck {
    Always,
    BelowThresholdOnly,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateScope {
    Position,
    Deliberation,
}

impl Policy {
    pub fn score_rules(&self) -> score::ScoreRules {
        let Weights { evidence, risk, reversibility, cost, confidence, violation } = self.weights;
        let Severities { critical, high, medium, low } = self.severities;
        score::ScoreRules {
            weights: score::Weights { evidence, risk, reversibility, cost, confidence, violation },
            severities: score::Severities { critical, high, medium, low },
            signs: match self.sign_mode {
                SignMode::Intent => score::Signs::Intent,
                SignMode::Literal => score::Signs::Literal,
            },
            combine: match self.risk_combine {
                RiskCombine::NoisyOr => score::RiskCombination::NoisyOr,
                RiskCombine::Max => score::RiskCombination::Max,
                RiskCombine::Mean => score::RiskCombination::Mean,
                RiskCombine::Sum => score::RiskCombination::Sum,
            },
            residual: self.risk_uses_residual,
            clamp_cost: self.cost_clamp,
        }
    }

    pub fn converge_rules(&self) -> converge::ConvergeRules {
        converge::ConvergeRules {
            threshold: self.threshold,
            gap: self.consensus_gap_threshold,
            max_reflexions: self.max_reflexions,
            gap_check: match self.gap_check {
                GapCheck::Always => converge::GapCheck::Always,
                GapCheck::BelowThresholdOnly => converge::GapCheck::BelowThresholdOnly,
            },
        }
    }

    pub fn gate_limits(&self) -> gates::GateLimits {
        gates::GateLimits { critical_residual: self.critical_residual, hardly_reversible: self.hardly_reversible }
    }

    pub fn ladder(&self) -> panel::Ladder {
        panel::Ladder { consensus: self.consensus, escalate: self.no_agreement, near: self.near_tie, hybrid_below_escalate: self.hybrid_below_050 }
    }

    pub fn weight(&self, seat: PanelSeat) -> f64 {
        let weights = &self.seat_weights;
        match seat {
            PanelSeat::Minimalist => weights.minimalist,
            PanelSeat::Skeptic => weights.skeptic,
            PanelSeat::DomainExpert => weights.domain_expert,
            PanelSeat::Verifier => weights.verifier,
            PanelSeat::CollectiveIntelligence => weights.collective_intelligence,
            PanelSeat::RiskCompliance => weights.risk_compliance,
            PanelSeat::UserValue => weights.user_value,
        }
    }
}
