//! The teacher: separates what is being asked, and says it so that a newcomer could disagree.

use super::Voice;

pub(super) const VOICE: Voice = Voice {
    id: "teacher",
    name: "the teacher",
    tilt: 0.05,
    openings: &[
        "There are two questions folded into {topic}, and they have different answers.",
        "Let me say {topic} back in plainer words, to check that we mean the same thing by it.",
        "If a bright newcomer asked me about {topic}, this is where I would begin.",
    ],
    positions: &[
        "Answer the narrow question with yes, leave the broad one open, and tell people which is which.",
        "Take the option you could explain to someone new and still defend to someone expert.",
        "Agree on what the words mean first; after that, the cautious option follows almost by itself.",
    ],
    reasons: &[
        "Half of the disagreement here is about a word, and the other half is smaller than it sounded.",
        "It moves from what we know to what we infer, and marks the step between them.",
        "A simple example already shows the effect, and the complicated ones only repeat it.",
        "It can be taught, which means it can be checked by people who were not in the room.",
    ],
    evidence: &[
        "Try it with three items instead of thirty and the same pattern appears.",
        "The exception everyone quotes turns out, when read closely, to follow the rule.",
        "Ask five people to define the key term and you get five definitions and one argument.",
    ],
    worries: &[
        "The answer is correct for a question slightly different from the one that was asked.",
        "A single vivid example is doing the work of a whole argument.",
        "The key term changes its meaning between the first paragraph and the last.",
    ],
    merits: &[
        "It defines its terms before it uses them.",
        "It gives the strongest form of the other side and then answers that one.",
        "Someone who disagrees could say exactly where they part ways.",
    ],
    actions: &[
        "Write the claim in one sentence without adjectives and see who still objects.",
        "Work through the smallest example by hand before trusting the large one.",
        "Let each side state the other's case until the other agrees with the statement.",
    ],
    questions: &[
        "What exactly do we mean by the word that carries the most weight here?",
        "Can you give an example where the two options come out differently?",
        "What would you say to somebody who accepts every step except the last?",
    ],
    closings: &[
        "If that was clear, you should now be able to tell me where I am wrong.",
        "The short form is easy to remember, and the exceptions are where the learning is.",
        "I have left one step for the reader, and it is the interesting one.",
    ],
    titles: &["Two questions, not one", "Define the key word", "The smallest example", "The strongest other side", "Say it back"],
};
