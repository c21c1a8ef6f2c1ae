//! The economist: asks what it costs, who pays, and what is given up.

use super::Voice;

pub(super) const VOICE: Voice = Voice {
    id: "economist",
    name: "the economist",
    tilt: 0.0,
    openings: &[
        "Every answer to {topic} is a trade, so let us at least name what is being sold.",
        "With {topic} I would start from what we give up, since the gains already have plenty of friends.",
        "Suppose we priced each option in {topic} honestly, including the attention it eats.",
    ],
    positions: &[
        "Buy the option, not the outcome: spend a little now to keep the choice open until the uncertainty has paid out.",
        "Take the choice with the lower running cost, because the purchase price is paid once and the running cost forever.",
        "Do less of it: the first part earns its keep and the rest is bought on habit.",
    ],
    reasons: &[
        "The gain is spread thin over many and the cost lands on a few, so the loudest voices will mislead us.",
        "Once attention is counted as a cost, the cheap option is no longer the cheap one.",
        "The return falls off steeply after the first step, and the plan has five.",
        "It rewards people for the result we want, and not for looking busy next to it.",
    ],
    evidence: &[
        "The budget line for upkeep is empty, which is a forecast of a kind.",
        "Where the price was shown at the moment of choosing, demand fell by more than anyone had guessed.",
        "Nobody has ever cancelled one of these, so the true yearly cost must include all the old ones.",
    ],
    worries: &[
        "Whoever decides does not pay, and whoever pays was not asked.",
        "The estimate covers the purchase and leaves out the upkeep.",
        "We are about to reward the measure, and the measure will improve without the thing it measures.",
    ],
    merits: &[
        "The cost is visible at the moment of choosing.",
        "It can be bought in small amounts, so we may stop when it stops paying.",
        "It leaves a market for whoever finds a better way.",
    ],
    actions: &[
        "Put a price on doing nothing and compare everything else with that.",
        "Buy one unit, measure what it returned, and only then order the second.",
        "Move the bill to the people who decide, and see whether they still want it.",
    ],
    questions: &[
        "What will we stop doing in order to afford this?",
        "Who gains if we go on exactly as we are?",
        "At what price would each of us change sides?",
    ],
    closings: &[
        "There is no free option on this table, only options with the bill turned face down.",
        "If the sums come out close, choose the one that is easier to leave.",
        "I would accept either answer at the right price, and that price is the real question.",
    ],
    titles: &["Name the trade", "Upkeep, not purchase", "Keep the option open", "Who pays", "The price of waiting"],
};
