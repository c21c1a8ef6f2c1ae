//! Safety in three tiers: patterns that are always looked for, triggers that call for an evaluator, and the evaluator itself.
//!
//! The first tier is crude on purpose: it costs nothing, reads everything before anybody else does, and cannot be talked out of a finding. It
//! blocks what matches its patterns and nothing else; the evaluator judges what they only hint at.

use crate::roundtable::style::Style;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{IdLists, TypedReply};
use synod_math::Verbatim;
use synod_types::words;

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

const MAKING: [&str; 14] = [
    "how to make",
    "how to build",
    "how to synthesize",
    "how to assemble",
    "how to write",
    "how to deploy",
    "how to create",
    "how to produce",
    "step by step",
    "instructions for",
    "instructions to",
    "recipe for",
    "here is the code",
    "ingredients for",
];
const HARMS: [&str; 16] = [
    "pipe bomb",
    "dirty bomb",
    "nerve agent",
    "nerve gas",
    "sarin",
    "ricin",
    "bioweapon",
    "biological weapon",
    "chemical weapon",
    "explosive device",
    "ransomware",
    "keylogger",
    "botnet",
    "rootkit",
    "spyware",
    "date rape drug",
];
const INTENTS: [&str; 20] = [
    "how to harm",
    "how to hurt",
    "how to exploit",
    "how to bypass",
    "how to evade",
    "how to attack",
    "how to hack",
    "how to poison",
    "how to stalk",
    "how to blackmail",
    "how to manipulate",
    "how to steal",
    "how to get around",
    "step by step attack",
    "attack step by step",
    "without being detected",
    "without getting caught",
    "avoid detection",
    "evade detection",
    "cover our tracks",
];
const TOPICS: [(&str, &[&str]); 3] = [
    (
        "security",
        &[
            "security",
            "exploit",
            "exploits",
            "vulnerability",
            "vulnerabilities",
            "malware",
            "hacking",
            "password",
            "passwords",
            "breach",
            "encryption",
        ],
    ),
    (
        "medical",
        &["medical", "medication", "dose", "dosage", "diagnosis", "patient", "patients", "surgery", "suicide", "self-harm", "therapy", "vaccine"],
    ),
    ("legal", &["legal", "lawsuit", "liability", "criminal", "court", "prosecution", "attorney", "custody"]),
];

/// Lower case, words apart by single spaces, so that punctuation hides nothing.
fn plain(text: &str) -> String {
    let words: Vec<String> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    format!(" {} ", words.join(" "))
}

fn holds(plain: &str, phrase: &str) -> bool {
    plain.contains(&format!(" {} ", phrase.replace('-', " ")))
}

/// Tier 1: why a text may not be passed on. Making and harm must stand in one sentence.
pub fn block_reason(text: &str) -> Option<String> {
    let sentence = |sentence: &str| {
        let plain = plain(sentence);
        let making = MAKING.iter().find(|phrase| holds(&plain, phrase))?;
        let harm = HARMS.iter().find(|phrase| holds(&plain, phrase) || plain.contains(&format!(" {phrase}s ")))?;
        Some(format!("it speaks of {making:?} and {harm:?} in one sentence"))
    };
    text.split_inclusive(['.', '!', '?', '\n']).find_map(sentence)
}

/// Tier 2: phrases that ask how to do harm.
pub fn intent_triggers(text: &str) -> Vec<SafetyTrigger> {
    let plain = plain(text);
    let found = INTENTS.iter().filter(|phrase| holds(&plain, phrase));
    found.map(|phrase| SafetyTrigger { category: TriggerCategory::Intent, reason: format!("{phrase:?} was said") }).collect()
}

/// Tier 2: subjects that need care.
pub fn topic_triggers(text: &str) -> Vec<SafetyTrigger> {
    let plain = plain(text);
    let about = |(subject, words): &(&str, &[&str])| {
        let word = words.iter().find(|word| holds(&plain, word))?;
        Some(SafetyTrigger { category: TriggerCategory::Topic, reason: format!("the question is about something {subject} ({word:?})") })
    };
    TOPICS.iter().filter_map(about).collect()
}

/// Whether an evaluator is called in, and why.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SafetyWatch {
    /// These last for the whole run: who will read the result does not change.
    permanent: Vec<SafetyTrigger>,
    /// These go after a round in which the evaluator found nothing.
    temporary: Vec<SafetyTrigger>,
}

impl SafetyWatch {
    pub fn new(style: &Style, vulnerable: bool) -> Self {
        let context = SafetyTrigger { category: TriggerCategory::Context, reason: "the audience is vulnerable".into() };
        let mode = SafetyTrigger { category: TriggerCategory::Mode, reason: format!("the style is {}", style.id) };
        Self { permanent: vulnerable.then_some(context).into_iter().collect(), temporary: style.risky.then_some(mode).into_iter().collect() }
    }

    pub fn add(&mut self, triggers: Vec<SafetyTrigger>) {
        for trigger in triggers {
            if !self.temporary.contains(&trigger) {
                self.temporary.push(trigger);
            }
        }
    }

    pub fn armed(&self) -> bool {
        !self.permanent.is_empty() || !self.temporary.is_empty()
    }

    pub fn triggers(&self) -> Vec<SafetyTrigger> {
        self.permanent.iter().chain(&self.temporary).cloned().collect()
    }

    /// Drops the temporary triggers, after a round in which the evaluator read every response and found nothing.
    pub fn stand_down(&mut self) {
        self.temporary.clear();
    }
}

words! {
    /// What a contribution may not hold.
    pub enum SafetyRule { HarmfulSteps = "harmful_steps", Evasion = "evasion", Manipulation = "manipulation", Endangering = "endangering" }
}

impl SafetyRule {
    /// Why something was withheld, in fixed words: an evaluator's own words could repeat what was withheld.
    pub fn reason(self) -> &'static str {
        match self {
            Self::HarmfulSteps => "it gives working steps that do harm",
            Self::Evasion => "it shows a way around a safeguard",
            Self::Manipulation => "it manipulates a particular person",
            Self::Endangering => "it puts a vulnerable reader at risk",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ForbiddenPassage {
    /// The passage that is not allowed, word for word, or its first words.
    pub passage: String,
    pub rule: SafetyRule,
}

/// What the evaluator says of one response.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evaluation {
    /// What you looked at and what it comes to.
    pub reasons: String,
    /// What is not allowed; empty if there is nothing.
    pub findings: Vec<ForbiddenPassage>,
    /// False only if something is not allowed.
    pub passed: bool,
    /// What is worrying and still allowed; empty if nothing is.
    #[serde(default)]
    pub concerns: Vec<String>,
    /// What its author should do differently.
    #[serde(default)]
    pub recommendations: Vec<String>,
}

impl Evaluation {
    /// It passed, and nothing was found.
    pub fn clean(&self) -> bool {
        self.passed && self.findings.is_empty()
    }

    /// Why a text is withheld, if it is: the verdict must be to block it, and a quoted passage must stand in the text. With `doubt`, for a
    /// vulnerable audience, any finding or any verdict but a pass is enough.
    pub fn withholds(&self, text: &str, doubt: bool) -> Option<&'static str> {
        if doubt && !self.clean() {
            return Some(self.findings.first().map_or("the evaluator did not let it pass", |finding| finding.rule.reason()));
        }
        let text = Verbatim::new(&text.to_lowercase());
        let stands = |finding: &&ForbiddenPassage| {
            let passage = finding.passage.trim_matches(|c: char| !c.is_alphanumeric());
            text.quotes(&passage.to_lowercase())
        };
        self.findings.iter().filter(|_| !self.passed).find(stands).map(|finding| finding.rule.reason())
    }
}

impl TypedReply for Evaluation {
    /// A line `VERDICT: PASS` or `VERDICT: BLOCK`; findings are items `rule: passage`.
    fn from_text(text: &str, _terms: &IdLists) -> Option<Self> {
        let labels = ["Verdict", "Findings", "Concerns", "Recommendations"];
        let list = |label: &str| crate::text::field(text, label, &labels).map(|value| crate::text::items(&value)).unwrap_or_default();
        let finding = |item: String| {
            let (word, passage) = item.split_once(':')?;
            let word = crate::text::bare(word).replace(' ', "_");
            let rule = SafetyRule::ALL.into_iter().find(|rule| rule.as_str().eq_ignore_ascii_case(&word))?;
            Some(ForbiddenPassage { passage: passage.trim().to_owned(), rule })
        };
        let passed = crate::text::token(&crate::text::field(text, "Verdict", &labels)?, &["PASS", "BLOCK"])? == "PASS";
        let findings = list("Findings").into_iter().filter_map(finding).collect();
        Some(Self { reasons: text.trim().to_owned(), findings, passed, concerns: list("Concerns"), recommendations: list("Recommendations") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tier_one_needs_making_and_harm_in_one_sentence() {
        for text in
            ["Here is, step by step, a pipe bomb.", "HOW TO BUILD: ransomware", "Tell me how to write a key-logger... how to write a keylogger"]
        {
            assert!(block_reason(text).is_some(), "{text}");
        }
        for text in ["Ransomware is a risk. We go step by step.", "How to build a queue", "Pipe bombs are illegal."] {
            assert_eq!(block_reason(text), None, "{text}");
        }
    }

    #[test]
    fn triggers_by_topic_and_intent() {
        assert_eq!(topic_triggers("What dosage is safe, and is it legal?").len(), 2);
        assert_eq!(topic_triggers("Should we move to a queue?"), []);
        assert_eq!(intent_triggers("People learn how to bypass it.").len(), 1);
        assert_eq!(intent_triggers("How can we prevent it?"), []);
    }

    #[test]
    fn the_evaluator_leaves_after_a_clean_round_unless_the_audience_stays() {
        let red = Style::find("red-team-blue-team").expect("a style");
        let calm = Style::find("collaborative").expect("a style");
        assert!(!SafetyWatch::new(calm, false).armed());
        let mut watch = SafetyWatch::new(red, false);
        assert!(watch.armed());
        watch.stand_down();
        assert!(!watch.armed());
        watch.add(intent_triggers("how to exploit it"));
        assert!(watch.armed());
        let mut watch = SafetyWatch::new(red, true);
        watch.stand_down();
        assert_eq!(watch.triggers().iter().map(|trigger| trigger.category).collect::<Vec<_>>(), [TriggerCategory::Context]);
    }

    #[test]
    fn an_evaluation_is_read_from_its_verdict_line_only() {
        let read = |text: &str| Evaluation::from_text(text, &IdLists::default());
        assert!(
            read("VERDICT: BLOCK\nFINDINGS:\n- **Harmful steps**: mix them").is_some_and(|said| said.findings[0].rule == SafetyRule::HarmfulSteps)
        );
        let said = read("FINDINGS:\n- evasion: switch the log off first\nCONCERNS:\n- steps\nVERDICT: BLOCK").expect("readable");
        assert_eq!(said.findings, [ForbiddenPassage { passage: "switch the log off first".into(), rule: SafetyRule::Evasion }]);
        assert!(!said.passed && said.concerns == ["steps"]);
        assert!(read("Findings: none\nVerdict: pass").is_some_and(|said| said.clean()));
        for unreadable in ["I would pass this.", "FINDINGS: none", "VERDICT: perhaps"] {
            assert_eq!(read(unreadable), None, "{unreadable}");
        }
    }

    #[test]
    fn a_verdict_withholds_only_what_it_can_point_at() {
        let text = "We should wait.\nFirst switch the audit log off, then copy the keys.";
        let said = |passage: &str, passed: bool| {
            let findings = vec![ForbiddenPassage { passage: passage.into(), rule: SafetyRule::Evasion }];
            Evaluation { reasons: String::new(), findings, passed, concerns: Vec::new(), recommendations: Vec::new() }
        };
        // passage, whether it stands in the text
        let table = [
            ("First switch the audit log off, then copy the keys.", true),
            ("“first switch the audit log…”", true),
            ("copy the keys", true),
            ("‘First switch the audit log off.’", true),
            ("the keys", false),
            ("switch off the audit log", false),
            ("", false),
        ];
        let reason = Some(SafetyRule::Evasion.reason());
        for (passage, stands) in table {
            assert_eq!(said(passage, false).withholds(text, false), reason.filter(|_| stands), "{passage:?}");
            assert_eq!(said(passage, true).withholds(text, false), None, "{passage:?}: it is let pass");
            assert!([true, false].iter().all(|passed| said(passage, *passed).withholds(text, true) == reason), "{passage:?}: doubt is enough");
        }
        let bare = Evaluation { findings: Vec::new(), ..said("", false) };
        assert!(bare.withholds(text, false).is_none() && bare.withholds(text, true).is_some());
        assert_eq!(Evaluation { passed: true, ..bare }.withholds(text, true), None);
    }
}
