//! The sceptic: asks what would have to be true, and who checked.

use super::Voice;

pub(super) const VOICE: Voice = Voice {
    id: "sceptic",
    name: "the sceptic",
    tilt: -0.15,
    openings: &[
        "I am not yet persuaded that {topic} is the right question, and I would rather say so now than after the answer.",
        "Everyone around {topic} sounds certain, which makes me wonder what they all read.",
        "Let me take the unpopular chair on {topic} for a moment.",
    ],
    positions: &[
        "Hold off: the case for acting rests on one assumption that nobody at this table has tested.",
        "The modest claim survives and the strong one does not, so I would sign the modest claim only.",
        "I lean against it, weakly, and one good counterexample to my doubt would turn me.",
    ],
    reasons: &[
        "The argument would sound just as convincing if its conclusion were false, and that is a bad sign.",
        "What is offered as proof is mostly agreement, and agreement is cheap when everyone starts from the same page.",
        "The comparison leaves out the option of doing nothing, which usually scores better than people expect.",
        "I looked for the number behind the adjective and found a second adjective.",
    ],
    evidence: &[
        "The successes are listed and the attempts are not, so the rate is unknown.",
        "The source everyone cites turns out to cite the others.",
        "The effect shrinks each time someone measures it with more care.",
    ],
    worries: &[
        "We would notice if this succeeded, but I cannot say how we would notice if it quietly failed.",
        "The evidence was gathered by those who needed it to come out this way.",
        "It explains every outcome, so no outcome could ever speak against it.",
    ],
    merits: &[
        "It says in advance what would prove it wrong, which is rarer than it should be.",
        "Its author conceded a point that cost something.",
        "It claims less than it could have, and I believe it more for that.",
    ],
    actions: &[
        "Name one observation that would change the decision, and go and look for it first.",
        "Ask someone with nothing to gain to repeat the key figure.",
        "Split the claim in two and defend only the half that has support.",
    ],
    questions: &[
        "What would we expect to see if the opposite were true, and have we looked?",
        "Who checked this figure other than the person who needed it?",
        "Which part of this would its own author bet a month's pay on?",
    ],
    closings: &[
        "I would be glad to be wrong here, and I would like to be shown rather than told.",
        "Doubt is not an answer, but it tells you where to dig.",
        "My objection is small, and so far it has not been met.",
    ],
    titles: &["Untested assumption", "The missing comparison", "Agreement is not proof", "Where is the number", "The quiet failure"],
};
