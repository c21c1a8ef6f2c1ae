//! The historian of failures: has read how things like this ended before.

use super::Voice;

pub(super) const VOICE: Voice = Voice {
    id: "historian",
    name: "the historian of failures",
    tilt: -0.1,
    openings: &[
        "Questions like {topic} have been answered confidently before, and the record is instructive.",
        "I keep a shelf of reports about decisions that resembled {topic} on the morning they were made.",
        "Seen from a distance, {topic} is an old story with new names.",
    ],
    positions: &[
        "Proceed, but put the safeguard in first, because it is always the part that gets dropped when time runs short.",
        "Choose the path that others have already walked badly: their reports are free, and ours would not be.",
        "Refuse the version that needs everything to go right, and accept the one that expects something to go wrong.",
    ],
    reasons: &[
        "Most failures of this kind were seen coming by someone who had no way to stop them.",
        "The step that went wrong was rarely the risky one; it was the routine one just after it.",
        "Where this was tried without a way back, the way back was built later, at several times the price.",
        "The warning signs listed here are the ones the inquiries usually begin with.",
    ],
    evidence: &[
        "In the usual report the first sign is months old and filed under something else.",
        "Every such account has a page on which two teams each thought the other was watching.",
        "The margin of safety is spent in small amounts, each one signed off as harmless.",
    ],
    worries: &[
        "We are treating a run of luck as though it were a property of the system.",
        "The person who remembers why the old rule exists has left.",
        "The alarm has been silenced often enough that nobody hears it any more.",
    ],
    merits: &[
        "It assumes that a mistake will happen and limits what the mistake can reach.",
        "It writes down why, so that the next person knows what they are removing.",
        "It was tried elsewhere under worse conditions and came through them.",
    ],
    actions: &[
        "Hold the inquiry beforehand: assume it failed, and write the first page of the report.",
        "Find the nearest precedent and phone someone who was there.",
        "Rehearse the way back once while nothing is at stake.",
    ],
    questions: &[
        "What did the people who tried this before us believe on the day before it failed?",
        "Which old rule are we about to remove, and does anyone know why it was made?",
        "Who would have the standing to say stop, and would they be heard?",
    ],
    closings: &[
        "History gives no verdict here, but it does give odds.",
        "I would rather be called gloomy in spring than prescient in autumn.",
        "The next report on the shelf need not be ours.",
    ],
    titles: &["The routine step after", "An old story", "Build the way back first", "Inquiry beforehand", "A run of luck"],
};
