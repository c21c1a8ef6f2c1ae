//! The evaluator's first turn: it reads the question before anybody of the panel is asked. Patterns know words; a reader knows what is asked for.
//!
//! What follows from it must be pointed at: a question is refused, or somebody in it taken to be at risk for the whole run, only with a passage
//! that stands in it. Anything less calls in the evaluator, as a pattern would.

use super::evaluation::{ForbiddenPassage, QuotedText, SafetyRule};
use super::lexicon::Lexicon;
use super::monitor::INSTEAD;
use super::watch::{SafetyTrigger, TriggerCategory};
use crate::roundtable::rounds::Debate;
use crate::roundtable::rows::QuestionSafetyRow;
use crate::text::{bare, field, items, token};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use synod_engine::{Bench, Halt, IdLists, Result, TypedReply, prompt};
use synod_types::{Exhibit, clip, words};

/// The longest passage that a reason repeats, in characters.
const LONGEST_PASSAGE: usize = 60;

words! {
    /// What makes a question delicate; a person at risk is whoever asks, or somebody they speak of.
    pub enum DelicateSubject {
        Medical = "medical",
        Legal = "legal",
        Money = "money",
        Child = "child",
        Security = "security",
        PersonAtRisk = "person_at_risk",
    }
}

impl DelicateSubject {
    /// As the patterns say it.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Medical => "the question is about a medical matter",
            Self::Legal => "the question is about a legal matter",
            Self::Money => "the question is about somebody's money",
            Self::Child => "the question is about a child",
            Self::Security => "the question is about the security of systems",
            Self::PersonAtRisk => "somebody in the question may not be safe",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TouchedSubject {
    pub subject: DelicateSubject,
    /// The words of the question that touch it, word for word.
    pub passage: String,
}

/// What the evaluator says of a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Admission {
    /// What is asked for, and what it would be used for.
    pub reasons: String,
    /// Delicate subjects it touches; empty if it touches none.
    pub subjects: Vec<TouchedSubject>,
    /// True only if it asks for help in doing harm.
    pub asks_for_harm: bool,
    /// Where it does; empty if it does not.
    pub requests: Vec<ForbiddenPassage>,
}

impl Admission {
    /// Under which rule the question is refused: it asks for harm, in a passage that stands in it.
    fn refuses(&self, asked: &QuotedText) -> Option<SafetyRule> {
        self.requests.iter().filter(|_| self.asks_for_harm).find(|request| asked.has(&request.passage)).map(|request| request.rule)
    }

    /// Harm was spoken of, whether or not a passage says so.
    fn suspects(&self) -> bool {
        self.asks_for_harm || !self.requests.is_empty()
    }

    /// What calls for an evaluator, where the question is not refused.
    fn triggers(&self, asked: &QuotedText) -> Vec<SafetyTrigger> {
        let touched = self.subjects.iter().map(|touched| {
            let stands = asked.has(&touched.passage);
            let lasts = touched.subject == DelicateSubject::PersonAtRisk && stands;
            let shown = match stands {
                true => format!("{:?}", clip::chars(touched.passage.trim(), LONGEST_PASSAGE, "…")),
                false => "as the evaluator read it".to_owned(),
            };
            let category = if lasts { TriggerCategory::Context } else { TriggerCategory::Topic };
            SafetyTrigger { category, reason: format!("{} ({shown})", touched.subject.in_words()) }
        });
        let harm = "the question may ask for harm (as the evaluator read it)".to_owned();
        let suspected = self.suspects().then_some(SafetyTrigger { category: TriggerCategory::Intent, reason: harm });
        touched.chain(suspected).collect()
    }
}

impl TypedReply for Admission {
    /// A line `HARM: YES` or `HARM: NO`; subjects are items `subject: passage`, requests items `rule: passage`.
    fn from_text(text: &str, _terms: &IdLists) -> Option<Self> {
        let labels = ["Subjects", "Harm", "Requests"];
        let list = |label: &str| field(text, label, &labels).map(|value| items(&value)).unwrap_or_default();
        let touched = |item: &String| {
            let (word, passage) = item.split_once(':').unwrap_or((item.as_str(), ""));
            let word = bare(word).replace(' ', "_");
            let subject = DelicateSubject::ALL.into_iter().find(|subject| subject.as_str().eq_ignore_ascii_case(&word))?;
            Some(TouchedSubject { subject, passage: passage.trim().to_owned() })
        };
        Some(Self {
            reasons: text.trim().to_owned(),
            asks_for_harm: token(&field(text, "Harm", &labels)?, &["YES", "NO"])? == "YES",
            subjects: list("Subjects").iter().filter_map(touched).collect(),
            requests: list("Requests").iter().filter_map(|item| ForbiddenPassage::from_item(item)).collect(),
        })
    }
}

/// What whoever asked may do instead.
fn instead(rule: SafetyRule) -> &'static str {
    let of_oneself = || Lexicon::get().patterns.harm.iter().find_map(|harm| harm.instead.as_deref());
    Some(rule).filter(|rule| *rule == SafetyRule::Endangering).and_then(|_| of_oneself()).unwrap_or(INSTEAD)
}

/// Has the question read with what is known from the start, so that the turn is the same however far the debate is taken later. It ends the run
/// before the panel is asked, calls in the evaluator, or finds nothing.
pub async fn read_question(debate: &mut Debate<'_>, phase: &Bench) -> Result<()> {
    let (question, options) = (debate.bench.question(), debate.options);
    let (focus, perspectives) = (options.focus_question.trim(), &options.perspectives);
    let ask = prompt!("admission", focus, perspectives, material = debate.material);
    let title = "The question: safety";
    let reply = match phase.ask_clerk::<Admission>(ask).await? {
        Ok(reply) => reply,
        Err(_) => {
            let told = "Nobody could read the question beforehand, so only patterns have looked at it.";
            phase.warn(told);
            let row = QuestionSafetyRow {
                read: false,
                subjects: Vec::new(),
                asks_for_harm: false,
                rules: Vec::new(),
                triggers: Vec::new(),
                refused: false,
            };
            return phase.show("question_safety", Exhibit::note(title, told).data(&row));
        }
    };
    let said = &reply.value;
    let asked = [question.text.as_str(), focus].into_iter().chain(perspectives.iter().map(String::as_str)).collect::<Vec<_>>().join("\n\n");
    let asked = QuotedText::new(&asked);
    let refused = said.refuses(&asked);
    let triggers = if refused.is_none() { debate.watch.add_unknown(said.triggers(&asked)) } else { Vec::new() };
    let reasons: Vec<&str> = triggers.iter().map(|trigger| trigger.reason.as_str()).collect();
    let told = match (refused, said.subjects.is_empty() && !said.suspects()) {
        (Some(rule), _) => format!("It was not put to the panel: {}.", rule.request()),
        (None, true) => "The evaluator found nothing delicate in the question.".to_owned(),
        (None, false) if reasons.is_empty() => "The evaluator found in the question what the patterns had found.".to_owned(),
        (None, false) => format!("The evaluator reads what is said: {}.", reasons.join("; ")),
    };
    let mut row = QuestionSafetyRow {
        read: true,
        subjects: Vec::new(),
        asks_for_harm: said.asks_for_harm,
        rules: Vec::new(),
        triggers: triggers.clone(),
        refused: refused.is_some(),
    };
    for touched in &said.subjects {
        if !row.subjects.contains(&touched.subject) {
            row.subjects.push(touched.subject);
        }
    }
    for request in &said.requests {
        if !row.rules.contains(&request.rule) {
            row.rules.push(request.rule);
        }
    }
    let why = Some(&said.reasons).filter(|_| !said.subjects.is_empty() && !said.suspects());
    phase.show("question_safety", Exhibit::note(title, told).list("Why", why).covers(vec![reply.key.clone()]).data(&row))?;
    match refused {
        Some(rule) => Err(Halt::failed("round 1", format!("the question was not put to the panel: {}; {}", rule.request(), instead(rule)))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKED: &str = "I'm on double the dose and it isn't enough.\n\nWho pays for it?";

    fn said(subjects: &[(DelicateSubject, &str)], asks_for_harm: bool, requests: &[(SafetyRule, &str)]) -> Admission {
        let subjects = subjects.iter().map(|(subject, passage)| TouchedSubject { subject: *subject, passage: (*passage).into() }).collect();
        let requests = requests.iter().map(|(rule, passage)| ForbiddenPassage { passage: (*passage).into(), rule: *rule }).collect();
        Admission { reasons: String::new(), subjects, asks_for_harm, requests }
    }

    #[test]
    fn a_question_is_refused_only_for_what_stands_in_it() {
        let (asked, rule) = (QuotedText::new(ASKED), SafetyRule::Evasion);
        // asks for harm, passage, refused, suspected
        for (harm, passage, refused, suspected) in [
            (true, Some("“On double the dose…”"), true, true),
            (true, Some("on triple the dose"), false, true),
            (true, Some("dose"), false, true),
            (true, None, false, true),
            (false, Some("on double the dose"), false, true),
            (false, None, false, false),
        ] {
            let requests: Vec<(SafetyRule, &str)> = passage.into_iter().map(|passage| (rule, passage)).collect();
            let said = said(&[], harm, &requests);
            assert_eq!((said.refuses(&asked), said.suspects()), (refused.then_some(rule), suspected), "{harm} {passage:?}");
            let intents = said.triggers(&asked).iter().filter(|trigger| trigger.category == TriggerCategory::Intent).count();
            assert_eq!(intents, usize::from(suspected), "{harm} {passage:?}");
        }
    }

    #[test]
    fn each_subject_calls_for_an_evaluator_in_the_words_of_the_patterns() {
        let asked = QuotedText::new(ASKED);
        for subject in DelicateSubject::ALL {
            let quoted = said(&[(subject, "it isn't enough")], false, &[]).triggers(&asked);
            let lasts = subject == DelicateSubject::PersonAtRisk;
            assert_eq!(quoted[0].category, if lasts { TriggerCategory::Context } else { TriggerCategory::Topic }, "{subject:?}");
            assert!(quoted[0].reason.ends_with("(\"it isn't enough\")"), "{quoted:?}");
            let unquoted = said(&[(subject, "words of nobody")], false, &[]).triggers(&asked);
            assert_eq!((unquoted.len(), unquoted[0].category), (1, TriggerCategory::Topic), "{subject:?} lasts only with a passage");
            let about = subject.in_words().strip_prefix("the question is about ");
            let known = |about: &str| Lexicon::get().patterns.topic.iter().any(|topic| topic.about == about);
            assert!(about.map_or(lasts, known), "{subject:?}");
        }
    }

    #[test]
    fn it_is_read_from_its_lines_only() {
        let read = |text: &str| Admission::from_text(text, &IdLists::default());
        let text = "It is about tablets.\nSUBJECTS:\n- medical: double the dose\n- **Person at risk**: it isn't enough\n- weather: rain\nHARM: **YES**, in part\nREQUESTS:\n- endangering: go higher";
        let said = read(text).expect("readable");
        assert_eq!(
            said.subjects.iter().map(|touched| touched.subject).collect::<Vec<_>>(),
            [DelicateSubject::Medical, DelicateSubject::PersonAtRisk]
        );
        assert!(said.asks_for_harm && said.requests == [ForbiddenPassage { passage: "go higher".into(), rule: SafetyRule::Endangering }]);
        assert!(read("SUBJECTS: none\nHARM: NO\nREQUESTS: none").is_some_and(|said| said.subjects.is_empty() && !said.suspects()));
        for unreadable in ["No harm in it.", "SUBJECTS:\n- legal: x", "HARM: perhaps"] {
            assert_eq!(read(unreadable), None, "{unreadable}");
        }
    }

    #[test]
    fn who_would_hurt_oneself_is_told_of_help() {
        assert!(instead(SafetyRule::Endangering).contains("crisis line"));
        assert_eq!(instead(SafetyRule::HarmfulSteps), INSTEAD);
    }
}
