//! The third tier: what an evaluator says of a text, and when that withholds it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{IdLists, TypedReply};
use synod_math::Verbatim;
use synod_types::words;

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

    /// Why a question was not put to the panel.
    pub fn request(self) -> &'static str {
        match self {
            Self::HarmfulSteps => "it asks for a way to do harm",
            Self::Evasion => "it asks for a way around a safeguard that protects others",
            Self::Manipulation => "it asks for a way to manipulate a particular person",
            Self::Endangering => "it asks for a way to hurt oneself or somebody in one's care",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ForbiddenPassage {
    /// The passage that is not allowed, word for word, or its first words.
    pub passage: String,
    pub rule: SafetyRule,
}

impl ForbiddenPassage {
    /// An item of the text form, `rule: passage`.
    pub fn from_item(item: &str) -> Option<Self> {
        let (word, passage) = item.split_once(':')?;
        let word = crate::text::bare(word).replace(' ', "_");
        let rule = SafetyRule::ALL.into_iter().find(|rule| rule.as_str().eq_ignore_ascii_case(&word))?;
        Some(Self { passage: passage.trim().to_owned(), rule })
    }
}

/// A text in which passages are looked for that somebody quotes from it, whatever their case and the marks around them.
pub struct QuotedText(Verbatim);

impl QuotedText {
    pub fn new(text: &str) -> Self {
        Self(Verbatim::new(&text.to_lowercase()))
    }

    pub fn has(&self, passage: &str) -> bool {
        self.0.quotes(&passage.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
    }
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
        let text = QuotedText::new(text);
        self.findings.iter().filter(|_| !self.passed).find(|finding| text.has(&finding.passage)).map(|finding| finding.rule.reason())
    }
}

impl TypedReply for Evaluation {
    /// A line `VERDICT: PASS` or `VERDICT: BLOCK`; findings are items `rule: passage`.
    fn from_text(text: &str, _terms: &IdLists) -> Option<Self> {
        let labels = ["Verdict", "Findings", "Concerns", "Recommendations"];
        let list = |label: &str| crate::text::field(text, label, &labels).map(|value| crate::text::items(&value)).unwrap_or_default();
        let passed = crate::text::token(&crate::text::field(text, "Verdict", &labels)?, &["PASS", "BLOCK"])? == "PASS";
        let findings = list("Findings").iter().filter_map(|item| ForbiddenPassage::from_item(item)).collect();
        Some(Self { reasons: text.trim().to_owned(), findings, passed, concerns: list("Concerns"), recommendations: list("Recommendations") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
