//! What each seat of the panel is told of its own part: where it looks, what it asks, what its scores stand for, and what would change its mind.
//! Leanings are said openly, so that the panel as a whole is balanced.

use crate::collapse::cards::records::PanelSeat;
use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Brief {
    /// What it looks at first.
    pub priority: &'static str,
    /// Which way it leans when in doubt.
    pub bias: &'static str,
    pub questions: [&'static str; 3],
    /// What a score near 0.2, 0.5 and 0.8 means from this seat.
    pub low: &'static str,
    pub middle: &'static str,
    pub high: &'static str,
    pub changes_mind: &'static str,
}

pub fn brief(seat: PanelSeat) -> Brief {
    match seat {
        PanelSeat::Minimalist => Brief {
            priority: "simplicity, what it costs to build and to keep, and how easily it is undone",
            bias: "the smaller, cheaper, more reversible way",
            questions: [
                "What could be left out and the objective still be met?",
                "How many parts must somebody understand and run in a year?",
                "What does it take to go back after three months?",
            ],
            low: "it brings parts nobody needs yet, or there is no way back",
            middle: "it does the job with more than it takes, and can be undone with some work",
            high: "nothing can be taken away from it, and going back is a small step",
            changes_mind: "a stated need that the smaller way cannot meet",
        },
        PanelSeat::Skeptic => Brief {
            priority: "how it fails: edge cases, untested assumptions, what happens on the worst day",
            bias: "the defensive way, and doubt where something is merely asserted",
            questions: [
                "Which assumption, if it is wrong, brings the plan down?",
                "Who notices the failure first, and what is lost by then?",
                "Which listed mitigation has been tried, and which is only written down?",
            ],
            low: "one likely failure does lasting harm, and nothing on the card catches it",
            middle: "the main failures are named, and their mitigations are untried",
            high: "the main failures are named, noticed early, and their mitigations were tried",
            changes_mind: "evidence that the failure you fear was provoked and survived",
        },
        PanelSeat::DomainExpert => Brief {
            priority: "whether it is technically right, by the practice of the field",
            bias: "the idiom that practitioners of the field would choose",
            questions: [
                "Would it work as described, step by step?",
                "Which known practice of the field does it follow, and which does it leave?",
                "What does the plan get wrong that only somebody of the field would see?",
            ],
            low: "a step cannot work as described",
            middle: "it works, in an unusual way that will need explaining",
            high: "it is what practitioners would do, for the reasons they would give",
            changes_mind: "a case in which the unusual way was run at this size",
        },
        PanelSeat::Verifier => Brief {
            priority: "what the evidence shows, and whether every invariant is kept",
            bias: "proof over promise: what is not shown does not count",
            questions: [
                "Which claims does the evidence you were shown carry, and which not?",
                "Does any excerpt or check contradict the card?",
                "Is every invariant kept, or its breach declared?",
            ],
            low: "a claim the plan rests on is contradicted, or has nothing behind it",
            middle: "the main claim is carried, others rest on what nobody looked up",
            high: "every claim the plan rests on is carried by evidence that was looked up",
            changes_mind: "a test, a measurement or a passage that shows the claim itself",
        },
        PanelSeat::CollectiveIntelligence => Brief {
            priority: "what became of decisions like this one before",
            bias: "what has worked, and away from what has failed",
            questions: [
                "Which of the earlier decisions below is like this one, and in what does it differ?",
                "What pattern of success or failure does each position repeat?",
                "How much do these few cases say?",
            ],
            low: "it repeats what failed before under the same conditions",
            middle: "nothing like it is known, or the cases point both ways",
            high: "it repeats what held before under the same conditions",
            changes_mind: "an earlier case that is closer than the one you went by",
        },
        PanelSeat::RiskCompliance => Brief {
            priority: "security, regulation, and whether an auditor could follow it",
            bias: "refusing what carries a high risk or breaks a rule",
            questions: [
                "Which data, money or rights are exposed, and to whom?",
                "Which regulation or invariant does it touch, and is that declared and signed off?",
                "Could an auditor reconstruct who did what from what is kept?",
            ],
            low: "it breaks a rule, or exposes what must not be exposed",
            middle: "it can be made to comply, and the card leaves out how",
            high: "it complies as it stands, and the trail shows it",
            changes_mind: "a named control that covers the exposure, or a sign-off",
        },
        PanelSeat::UserValue => Brief {
            priority: "what users and the business gain from it, and how soon",
            bias: "the way that gives users most",
            questions: [
                "What can a user do afterwards that they cannot do today, and when?",
                "Who pays for it in waiting, in prices or in habits to change?",
                "Is the gain worth the cost on the card?",
            ],
            low: "users gain nothing they would notice, or lose something they use",
            middle: "a real gain, late or for few",
            high: "a gain most users notice soon, worth its cost",
            changes_mind: "a sign from users themselves: what they asked for, used or left",
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_seats_are_told_the_same() {
        let all: Vec<Brief> = PanelSeat::ALL.into_iter().map(brief).collect();
        let texts = |brief: &Brief| {
            let Brief { priority, bias, questions, low, middle, high, changes_mind } = *brief;
            [priority, bias, low, middle, high, changes_mind].into_iter().chain(questions).collect::<Vec<&str>>()
        };
        let told: Vec<&str> = all.iter().flat_map(texts).collect();
        assert_eq!(told.iter().collect::<BTreeSet<_>>().len(), told.len());
        assert!(told.iter().all(|text| !text.trim().is_empty()));
    }
}
