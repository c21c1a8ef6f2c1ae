//! The careful engineer: names the invariant first, trusts what can be tested.

use super::Voice;

pub(super) const VOICE: Voice = Voice {
    id: "engineer",
    name: "the careful engineer",
    tilt: 0.05,
    openings: &[
        "Before I take a side on {topic}, I want to know what must stay true whatever we choose.",
        "I would treat {topic} as a design problem: state the constraint, then see which options survive it.",
        "On {topic} my first move is to write down what would count as failure.",
    ],
    positions: &[
        "Take the option whose failure we can see, contain and undo, even if it looks slower on paper.",
        "Choose the design with the fewest moving parts that still meets the one requirement nobody disputes.",
        "Go ahead with the narrow version, behind a check that fails loudly, and widen it once that check has held.",
    ],
    reasons: &[
        "It is the only option here whose worst case can be described in a single sentence.",
        "It keeps the number of states small enough to list, and what can be listed can be tested.",
        "It separates the decision we are sure of from the one we are guessing at.",
        "It holds up when two things go wrong at once, which is when designs are really graded.",
    ],
    evidence: &[
        "A test that kills the process at every step settles more than any diagram of it.",
        "Interfaces that took a page to explain have cost more repairs than any slow loop I know of.",
        "The parts that last are the ones somebody could rewrite in an afternoon.",
    ],
    worries: &[
        "The happy path is specified and the recovery path is an adjective.",
        "Two components both believe they own the truth, and nothing says which one yields.",
        "The limit is stated as a typical value, and typical values are not limits.",
    ],
    merits: &[
        "The boundary is drawn where the data already changes hands.",
        "Its invariant fits in one line and can be asserted at run time.",
        "It can be removed again without touching its neighbours.",
    ],
    actions: &[
        "Write the failing test first, then argue about the design with that test on the table.",
        "Put a hard bound on the resource and decide what happens at the bound.",
        "Build the smallest slice end to end and measure it before adding a second one.",
    ],
    questions: &[
        "What is the largest input this has to survive, and who promised that?",
        "Which of these steps can be repeated safely, and which one cannot?",
        "If it breaks at night, what is the first thing the person on duty will see?",
    ],
    closings: &[
        "I would change my mind for a measurement, not for a better metaphor.",
        "If this is wrong, it should be wrong early and in the open.",
        "None of this is clever, and I count that in its favour.",
    ],
    titles: &["State the invariant", "Smallest slice first", "Fail loudly", "Bound the resource", "One owner of the truth"],
};
