//! The second tier: what calls for an evaluator, and when it may leave again.

use crate::roundtable::style::Style;
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TriggerCategory {
    Mode,
    Topic,
    Intent,
    Context,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SafetyTrigger {
    pub category: TriggerCategory,
    pub reason: String,
}

/// Clean rounds after which the evaluator leaves, in a style that is risky by itself and in any other.
const RISKY_ROUNDS: u32 = 2;
const CALM_ROUNDS: u32 = 1;

/// Whether an evaluator is called in, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct SafetyWatch {
    /// These last for the whole run: who asks, and who will read the result, does not change.
    permanent: Vec<SafetyTrigger>,
    /// These go after enough rounds in which the evaluator found nothing.
    temporary: Vec<SafetyTrigger>,
    /// Clean rounds in a row since a trigger was last added.
    clean: u32,
    enough: u32,
}

impl SafetyWatch {
    pub fn new(style: &Style, vulnerable: bool) -> Self {
        let context = SafetyTrigger { category: TriggerCategory::Context, reason: "the audience is vulnerable".into() };
        let mode = SafetyTrigger { category: TriggerCategory::Mode, reason: format!("the style is {}", style.id) };
        Self {
            permanent: vulnerable.then_some(context).into_iter().collect(),
            temporary: style.risky.then_some(mode).into_iter().collect(),
            clean: 0,
            enough: if style.risky { RISKY_ROUNDS } else { CALM_ROUNDS },
        }
    }

    pub fn add(&mut self, triggers: Vec<SafetyTrigger>) {
        for trigger in triggers {
            let list = if trigger.category == TriggerCategory::Context { &mut self.permanent } else { &mut self.temporary };
            if !list.contains(&trigger) {
                list.push(trigger);
                self.clean = 0;
            }
        }
    }

    /// Adds what is not known already in words that differ only in brackets; returns what it added.
    pub fn add_unknown(&mut self, triggers: Vec<SafetyTrigger>) -> Vec<SafetyTrigger> {
        fn matter(trigger: &SafetyTrigger) -> (TriggerCategory, Option<&str>) {
            (trigger.category, trigger.reason.split(" (").next())
        }
        let mut added: Vec<SafetyTrigger> = Vec::new();
        for trigger in triggers {
            if !self.triggers().iter().chain(&added).any(|known| matter(known) == matter(&trigger)) {
                added.push(trigger);
            }
        }
        self.add(added.clone());
        added
    }

    pub fn armed(&self) -> bool {
        !self.permanent.is_empty() || !self.temporary.is_empty()
    }

    /// Somebody who asks or reads may not be safe: the evaluator's doubt is enough to withhold.
    pub fn vulnerable(&self) -> bool {
        !self.permanent.is_empty()
    }

    pub fn triggers(&self) -> Vec<SafetyTrigger> {
        self.permanent.iter().chain(&self.temporary).cloned().collect()
    }

    /// A round has ended. `clean`: the evaluator read every word of it and found nothing.
    pub fn end_round(&mut self, clean: bool) {
        self.clean = if clean { self.clean + 1 } else { 0 };
        if self.clean >= self.enough {
            self.temporary.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint(reason: &str) -> Vec<SafetyTrigger> {
        vec![SafetyTrigger { category: TriggerCategory::Intent, reason: reason.into() }]
    }

    fn after(style: &str, rounds: &[bool]) -> SafetyWatch {
        let mut watch = SafetyWatch::new(Style::find(style).expect("a style"), false);
        watch.add(hint("first"));
        rounds.iter().for_each(|clean| watch.end_round(*clean));
        watch
    }

    #[test]
    fn a_calm_style_needs_one_clean_round_and_a_risky_one_two_in_a_row() {
        assert!(!SafetyWatch::new(Style::find("collaborative").expect("a style"), false).armed());
        for (style, rounds, armed) in [
            ("collaborative", &[true][..], false),
            ("collaborative", &[false], true),
            ("red-team-blue-team", &[true], true),
            ("red-team-blue-team", &[true, true], false),
            ("red-team-blue-team", &[true, false, true], true),
            ("adversarial", &[false, true, true], false),
            ("devils-advocate", &[true, false, true, true], false),
        ] {
            assert_eq!(after(style, rounds).armed(), armed, "{style} {rounds:?}");
        }
    }

    #[test]
    fn a_new_trigger_starts_the_count_again_and_a_known_one_does_not() {
        for (reason, armed) in [("first", false), ("second", true)] {
            let mut watch = after("adversarial", &[true]);
            watch.add(hint(reason));
            watch.end_round(true);
            assert_eq!(watch.armed(), armed, "{reason}");
        }
        let mut again = after("adversarial", &[true, true]);
        again.add(hint("first"));
        again.end_round(true);
        assert!(again.armed(), "called in again, it stays for two clean rounds again");
    }

    #[test]
    fn who_asks_does_not_change() {
        let red = Style::find("red-team-blue-team").expect("a style");
        let mut watch = SafetyWatch::new(red, true);
        watch.end_round(true);
        watch.end_round(true);
        assert_eq!(watch.triggers().iter().map(|trigger| trigger.category).collect::<Vec<_>>(), [TriggerCategory::Context]);
        let mut watch = SafetyWatch::new(red, false);
        assert!(!watch.vulnerable());
        watch.add(vec![SafetyTrigger { category: TriggerCategory::Context, reason: "somebody may not be safe".into() }]);
        watch.end_round(true);
        watch.end_round(true);
        assert!(watch.armed() && watch.vulnerable());
    }
}
