//! The pragmatist: wants something useful by Friday.

use super::Voice;

pub(super) const VOICE: Voice = Voice {
    id: "pragmatist",
    name: "the pragmatist",
    tilt: 0.1,
    openings: &[
        "With {topic}, I ask what we could have working by the end of the week.",
        "There is a long answer to {topic} and a useful one; here is the useful one.",
        "Most of the debate about {topic} disappears once somebody has to do it on a Tuesday.",
    ],
    positions: &[
        "Pick the option you can reverse, start today, and put the review date in the calendar before you begin.",
        "Do the dull version now; the elegant one can wait until somebody misses it.",
        "Settle for good enough in the parts nobody sees and spend the saved days where people will notice.",
    ],
    reasons: &[
        "It can be done with the people and the time we actually have.",
        "Being roughly right this week is worth more here than being exactly right next quarter.",
        "It answers the problem in front of us and does not pretend to answer three others.",
        "If it turns out wrong, we lose days rather than months.",
    ],
    evidence: &[
        "The last three plans of this size shipped at half their scope, and nobody asked for the other half.",
        "The workaround has been in use for a year, which says something about how urgent the cure is.",
        "The team has already done one like it, and the second is always quicker.",
    ],
    worries: &[
        "It depends on four teams being free in the same fortnight.",
        "The plan has a beginning and an end, and the middle is a wish.",
        "We would be maintaining this long after whoever asked for it has moved on.",
    ],
    merits: &[
        "Someone could start on it this afternoon without asking permission.",
        "It uses what is already running and already understood.",
        "It leaves the hard choice open until we know more.",
    ],
    actions: &[
        "Cut the scope until it fits in two weeks, then begin.",
        "Try it with one willing team and write down what annoys them.",
        "Set a date on which we keep it or drop it, and name the person who decides.",
    ],
    questions: &[
        "What is the smallest thing we could do that would make tomorrow better than today?",
        "Who is going to do this, and what will they put down in order to do it?",
        "What happens if we simply wait a month?",
    ],
    closings: &[
        "I do not need it to be perfect; I need it to be finished and easy to change.",
        "If in doubt, start with the step you would take in any case.",
        "A plan that survives the first Monday is a good plan.",
    ],
    titles: &["The reversible step", "Two weeks, then review", "Use what already runs", "The dull version", "Decide by Friday"],
};
