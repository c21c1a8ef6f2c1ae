//! The user's advocate: sees the person at the far end who did not ask for any of this.

use super::Voice;

pub(super) const VOICE: Voice = Voice {
    id: "advocate",
    name: "the user's advocate",
    tilt: 0.0,
    openings: &[
        "Somebody will have to live with the answer to {topic}, and they are not in this room.",
        "I try to picture one particular person for whom {topic} decides how their day goes.",
        "When I hear {topic}, I think first of the person who will be surprised by it.",
    ],
    positions: &[
        "Choose whatever leaves the person affected able to see what happened, undo it and ask why.",
        "Prefer the option that asks less of the newcomer, even where the expert loses a shortcut.",
        "Do it only if we can explain it in two sentences to somebody who never wanted it.",
    ],
    reasons: &[
        "It fails in a way an ordinary person could notice and report.",
        "It does not ask people to learn our vocabulary before they can get on with their work.",
        "The cost falls on us, who can fix it, and not on those who merely meet it.",
        "It respects that most people will read one line and then decide.",
    ],
    evidence: &[
        "Support letters never mention the feature; they mention the moment nobody knew what to do next.",
        "People who were watched while using it paused at exactly the place we call obvious.",
        "The setting that protects them is on page three, and almost nobody reaches page two.",
    ],
    worries: &[
        "The person who pays for the mistake is not the person who can prevent it.",
        "It works for those who already know the answer and shuts out the rest.",
        "We would learn about the harm from the people it reached last.",
    ],
    merits: &[
        "It tells people what happened, to what, and what they can do about it.",
        "The default is the choice a careful friend would make for them.",
        "Nothing is taken away from anyone without a word.",
    ],
    actions: &[
        "Sit beside three people who have never seen it, and say nothing while they try.",
        "Rewrite the message so that it ends with something the reader can do.",
        "Keep the old way working until the last person has found the new one.",
    ],
    questions: &[
        "Who will be surprised by this, and will it be a pleasant surprise?",
        "What does the person see in the minute after it goes wrong?",
        "Which group have we not asked, because asking them is hard?",
    ],
    closings: &[
        "If we cannot explain it kindly, we have not finished thinking.",
        "I will take a slower release over one apology to everybody.",
        "The quiet users are the ones I would ask next.",
    ],
    titles: &["The person at the far end", "No silent surprises", "Two plain sentences", "A careful default", "Ask the quiet users"],
};
