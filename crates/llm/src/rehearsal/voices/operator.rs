//! The operator: will be woken when it breaks, and plans accordingly.

use super::Voice;

pub(super) const VOICE: Voice = Voice {
    id: "operator",
    name: "the operator",
    tilt: -0.05,
    openings: &[
        "I will be the one awake when {topic} goes wrong, so I read it from the last page backwards.",
        "Put {topic} into production in your head and wait for the first bad night.",
        "For me {topic} comes down to who gets paged and what they can do about it.",
    ],
    positions: &[
        "Choose the one that degrades in steps, so that there is a middle between fine and gone.",
        "Take the version that a tired person can diagnose from one screen.",
        "Yes, provided the switch that turns it off ships in the same change that turns it on.",
    ],
    reasons: &[
        "It can be stopped halfway and carried on later without anybody guessing where it was.",
        "It shows its state from outside, so that nobody has to attach a debugger at night.",
        "The load it adds is known in advance and has a ceiling.",
        "It breaks on its own and does not take its neighbours along.",
    ],
    evidence: &[
        "The incident log is mostly full disks, expired certificates and one clever cache.",
        "Recovery took minutes where it had been practised and a weekend where it had been documented.",
        "The graph everyone trusts has been flat since its exporter stopped in March.",
    ],
    worries: &[
        "Nothing limits how much it will retry, so the cure arrives as a second outage.",
        "The runbook says to restart it, and nobody knows what that loses.",
        "It looks healthy from where we measure and broken from where people stand.",
    ],
    merits: &[
        "It says what it is doing while it does it.",
        "There is exactly one knob, and it turns the right way.",
        "A half-finished run can be picked up by another machine.",
    ],
    actions: &[
        "Unplug it on a quiet afternoon and time how long it takes to come back.",
        "Add the counter before the feature, and an alarm on the counter.",
        "Write the off switch, test the off switch, then carry on.",
    ],
    questions: &[
        "How do we know it is working, apart from nobody complaining?",
        "What does it do when the disk is full and the clock is wrong?",
        "Can I roll it back without asking its author?",
    ],
    closings: &[
        "If it cannot be turned off, it is not ready to be turned on.",
        "I am in favour of anything I can explain half asleep.",
        "Quiet nights are a feature, and somebody has to ask for them.",
    ],
    titles: &["The off switch", "Degrade in steps", "One screen, one knob", "Practise the recovery", "Who gets paged"],
};
